"""How a stored run's own file was read: whoever predicts or reports later need not say it again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpviz.arrays import Strings
from dpviz.datasets.dataset import KINDS, Dataset
from dpviz.datasets.preparation import WAYS
from dpviz.datasets.tables import Table, dataset_of
from dpviz.datasets.tables.decision import decide
from dpviz.errors import TraceFormatError
from dpviz.text import read_json

KEY = "reading"


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
    """

    names: Strings
    kinds: Strings
    label: str | None = None
    gaps: bool = False
    scaling: str = "none"
    repair: bool = False

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

    def added_to(self, run: str) -> str:
        """Add it to a run's JSON; programs that know nothing of it read the run as before."""
        return f"{run.rstrip().removesuffix('}')}, {json.dumps(KEY)}: {json.dumps(vars(self))}}}"


def stored_reading(run: str) -> Reading | None:
    """Return how the file of a stored run was read; None if it does not say.

    Raises
    ------
    TraceFormatError
        If that is damaged; the text is untrusted.
    """
    if f'"{KEY}"' not in run:
        return None
    document = read_json(run)
    found = document.get(KEY) if isinstance(document, dict) else None
    if found is None:
        return None
    try:
        return _checked(**found)
    except (TypeError, ValueError) as error:
        raise TraceFormatError("this stored run is damaged: how its file was read makes no sense.") from error


def _checked(names: Any, kinds: Any, label: Any, gaps: Any, scaling: Any, repair: Any) -> Reading:
    lists = isinstance(names, list) and isinstance(kinds, list) and len(names) == len(kinds)
    texts = lists and all(isinstance(name, str) for name in names) and all(kind in KINDS for kind in kinds)
    flags = isinstance(gaps, bool) and isinstance(repair, bool) and scaling in WAYS
    if not (texts and flags and (label is None or isinstance(label, str))):
        raise ValueError
    return Reading(tuple(names), tuple(kinds), label, gaps, scaling, repair)
