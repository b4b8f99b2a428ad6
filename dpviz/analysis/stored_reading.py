"""How a stored run's own file was read: whoever predicts or reports later need not say it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpviz.analysis.stored_extras import added, carried
from dpviz.arrays import Strings
from dpviz.datasets.dataset import KINDS, Dataset
from dpviz.datasets.preparation import WAYS
from dpviz.datasets.tables import Table, dataset_of
from dpviz.datasets.tables.decision import decide
from dpviz.datasets.tables.headings import MAX_HEADER_ROWS
from dpviz.datasets.tables.measures import ORDERS
from dpviz.datasets.tables.table import MAX_NAME_LENGTH
from dpviz.errors import TraceFormatError
from dpviz.periods import is_one_of, period_of

KEY = "reading"
_TEXTS = ("separator", "decimal", "encoding", "sheet")


@dataclass(frozen=True)
class Reading:
    """What was clustered of a file.

    Attributes
    ----------
    names, kinds : tuple of str
        The columns, and the kind that each was taken for.
    label : str or None
        Column with the reference groups; None for the one that looks like it, if any.
    gaps : bool
        Whether rows with missing cells were kept.
    scaling : {"none", "standardise", "robust", "spread", "one_hot", "dummy"}
    repair : bool
        Whether a file that is no clean table was read nevertheless.
    choices : tuple of (str, value)
        Arguments of :func:`~dpviz.datasets.tables.read_table` besides, where its owner did not leave them to be
        detected: separator, decimal, header, header_rows, encoding, sheet, and changes of the table that were accepted.
    """

    names: Strings
    kinds: Strings
    label: str | None = None
    gaps: bool = False
    scaling: str = "none"
    repair: bool = False
    choices: tuple[tuple[str, Any], ...] = ()

    @property
    def chosen(self) -> str:
        """The choices as arguments in Python; empty if there are none."""
        return ", ".join(f"{name}={value!r}" for name, value in self.choices)

    def dataset(self, table: Table) -> Dataset:
        """Return the data of a table, before they are scaled.

        Raises
        ------
        DpvizError
            If the table does not have these columns.
        """
        kinds = dict(zip(self.names, self.kinds, strict=True))
        decide_again = partial(decide, table.frame, kinds=kinds, label=self.label, gaps=self.gaps)
        decision = decide_again() if set(kinds) <= set(table.frame) else None  # it has reasons for what it leaves out
        if decision is None or decision.features != tuple(kinds.items()):
            decision = decide_again(features=self.names)
        return dataset_of(table, decision)

    def corrected(self, data: Dataset) -> dict[str, str]:
        """Return the kinds of its columns, by their names, that a reader of its table would not find."""
        if data.frame is None:
            return {}
        found = dict(decide(data.frame, features=self.names, label=self.label, gaps=self.gaps).features)
        return {name: kind for name, kind in zip(self.names, self.kinds, strict=True) if found.get(name) != kind}

    def added_to(self, run: str) -> str:
        """Add it to a run's JSON."""
        said = {name: value for name, value in vars(self).items() if name != "choices"}
        said |= {"choices": dict(self.choices)} if self.choices else {}  # programs that know none read other runs
        return added(run, KEY, said)


def choices_of(reading: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return what of the arguments by which a table was read is a choice of its owner."""
    return tuple(
        (name, value) for name, value in reading.items() if name in (*_TEXTS, "header", "header_rows", "accepted")
    )


def stored_reading(run: str) -> Reading | None:
    """Return how the file of a stored run was read; None if it does not say.

    Raises
    ------
    TraceFormatError
        If that is damaged; the text is untrusted.
    """
    found = carried(run, KEY)
    if found is None:
        return None
    try:
        return _checked(**found)
    except (AttributeError, TypeError, ValueError) as error:
        raise TraceFormatError("this stored run is damaged: how its file was read makes no sense.") from error


def _checked(names: Any, kinds: Any, label: Any, gaps: Any, scaling: Any, repair: Any, choices: Any = None) -> Reading:
    lists = isinstance(names, list) and isinstance(kinds, list) and len(names) == len(kinds)
    texts = lists and all(map(_is_name, names)) and all(is_one_of(kind, KINDS) for kind in kinds)
    flags = isinstance(gaps, bool) and isinstance(repair, bool) and scaling in WAYS
    if not (texts and flags and (label is None or _is_name(label))):
        raise ValueError
    return Reading(tuple(names), tuple(kinds), label, gaps, scaling, repair, _checked_choices(choices or {}))


def _checked_choices(choices: Any) -> tuple[tuple[str, Any], ...]:
    header, accepted = choices.get("header", True), choices.get("accepted", [])
    header_rows = choices.get("header_rows", 1)
    whole = isinstance(header_rows, int) and not isinstance(header_rows, bool) and 1 <= header_rows <= MAX_HEADER_ROWS
    texts = all(_is_name(choices.get(name, "")) for name in _TEXTS)
    changes = isinstance(accepted, list) and all(map(_is_change, accepted))
    known = choices_of(choices)
    if not (texts and isinstance(header, bool) and whole and changes and len(known) == len(choices)):
        raise ValueError
    pairs = tuple((column, value) for column, value in accepted)
    return tuple((name, pairs if name == "accepted" else value) for name, value in known)


def _is_name(name: Any) -> bool:
    """Whether it may be the name of a column or of a sheet, which readers of tables cut."""
    return isinstance(name, str) and len(name) <= MAX_NAME_LENGTH


def _is_change(change: Any) -> bool:
    """Whether it is a column and a number, an order of dates, a circular kind, or None."""
    if not (isinstance(change, list) and len(change) == 2 and _is_name(change[0])):
        return False
    value = change[1]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    turn = isinstance(value, str) and period_of(value) is not None
    return value is None or number or turn or value in ORDERS.values()
