"""Decide what to cluster of a table, in one place: the app, the command line and the estimators all ask it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.dataset import KINDS
from dpviz.datasets.indicators import CODINGS
from dpviz.datasets.tables.blocks import block_of_counts, may_be_parts, with_block
from dpviz.datasets.tables.circles import circle_of_text, is_all_of_turn, may_be_circle
from dpviz.datasets.tables.dependent import combinations
from dpviz.datasets.tables.kinds import (
    ALL_KINDS,
    MAX_CATEGORIES,
    ROLES,
    infer_kind,
    infer_kinds,
    read_numbers,
    text_cells,
)
from dpviz.datasets.tables.measures import readings_as_dates
from dpviz.datasets.tables.proposals import Proposal, propose, wraps
from dpviz.datasets.tables.table import listed
from dpviz.datasets.views import SPREAD
from dpviz.errors import require, require_flag, require_kind, require_sequence, require_text
from dpviz.hurdles import said_of, usual_wholes
from dpviz.periods import CIRCULAR, LONGEST_PERIOD, SHARE, circular, is_one_of, share, usual_period, word_of
from dpviz.text import counted

_GAPS, _MOST_GAPS = 1 / 3, 1 / 2
_MEASURED = ("continuous", "duration")
_CATEGORIES = ("binary", "categorical")
_REASONS = {
    "constant": "all their values are equal",
    "label": "only one column can be the reference label",
    "date": "they say when rows were measured, not what was",
    "paradata": "they are about how the rows came to be",
}
MOST_SAID = 3
"""Combinations of columns that are named."""


@dataclass(frozen=True)
class Decision:
    """What is clustered of a table, and why.

    Attributes
    ----------
    kinds : tuple of (str, str)
        Every column with its kind, one of ``ALL_KINDS``.
    features : tuple of (str, str)
        The columns that are clustered, each with one of ``dpviz.datasets.dataset.KINDS``.
    label : str or None
        Column with the reference groups.
    left_out : tuple of (str, tuple of str)
        Reasons, each with the other columns that are not clustered for it.
    gaps : bool
        Whether rows with missing cells are kept.
    scaling : str
        Scaling for a first look, ``"none"`` or ``"standardise"`` as for :func:`dpviz.datasets.scale`; or that of
        somebody who knows more, one of :data:`dpviz.datasets.preparation.WAYS`.
    has_gaps : bool
        Whether cells of the columns that are clustered are missing, or hold text among numbers, which counts as such.
    proposals : tuple of Proposal
        What looks like a mistake; nothing is changed for it.
    as_asked : bool
        Whether somebody asked for the scaling.
    repeated : tuple of tuple of str
        Columns that are clustered and hold the same values as each other.
    dependent : tuple of tuple of str
        Columns that are clustered and of which each is a linear combination of the others, but for rounding.
    named : tuple of str
        Columns whose kind somebody named.
    may_be_circles : tuple of (str, str)
        Other columns of weekdays or months that are clustered, with the kind that begins again.
    may_be_parts, why_parts : tuple of str, str
        Other columns of counts that may be parts of a whole, and the sentence that says so where it is likely.
    """

    kinds: tuple[tuple[str, str], ...]
    features: tuple[tuple[str, str], ...]
    label: str | None
    left_out: tuple[tuple[str, Strings], ...]
    gaps: bool
    scaling: str
    has_gaps: bool
    proposals: tuple[Proposal, ...] = ()
    as_asked: bool = False
    repeated: tuple[Strings, ...] = ()
    dependent: tuple[Strings, ...] = ()
    named: Strings = ()
    may_be_circles: tuple[tuple[str, str], ...] = ()
    may_be_parts: Strings = ()
    why_parts: str = ""

    @property
    def identifiers(self) -> Strings:
        """Columns that name rows, persons or places."""
        return tuple(name for name, kind in self.kinds if kind == "identifier")

    def columns(self) -> Strings:
        """Say which columns are left out, kept apart or there twice, one sentence for each reason."""
        said = [f"Left out because {reason}: {listed(columns)}." for reason, columns in self.left_out]
        if self.label is not None:
            said.append(f"“{self.label}” is kept as the reference label and not clustered.")
        return (*said, *self.repeats())

    def repeats(self) -> Strings:
        """Say which columns tell nothing new beside others."""
        once = "leave all but one out unless that is meant"
        same = [
            f"{listed(columns)} hold the same values, which so may count more than once; {once}."
            for columns in self.repeated
        ]
        more = len(self.dependent) - MOST_SAID
        further = [f"So {'is' if more == 1 else 'are'} {counted(more, 'further column')}."] if more > 0 else []
        return (*same, *map(_depend_in_words, self.dependent[:MOST_SAID]), *further)

    def lines(self) -> Strings:
        """Say all that is decided, and why, one sentence each."""
        features = self._features_as_scaled()
        guessed = [name for name, own in features if own == "count" and name not in self.named]
        known = [(name, kind) for name, kind in features if name not in guessed]
        of_kind = [(kind, [name for name, own in known if own == kind]) for kind in _in_order(features)]
        clustered = [f"Clustered as {said_of(kind)}: {listed(names)}." for kind, names in of_kind if names]
        either = "Clustered as whole numbers, which a model takes for counts unless nll prefers measures"
        return (
            *clustered,
            *([f"{either}: {listed(guessed)}."] if guessed else []),
            *self._circles_in_words(),
            *([self.why_parts] if self.why_parts else []),
            *self.columns(),
            *self._gaps_in_words(),
            self.scaling_in_words(),
            *(proposal.line for proposal in self.proposals),
        )

    def _features_as_scaled(self) -> tuple[tuple[str, str], ...]:
        """Return the columns with the kinds that a method sees: scaled ones are plain numbers."""
        if self.scaling == "none":
            return self.features
        kept = "categorical" if self.scaling in CODINGS else ""
        return tuple((name, kind if kind == kept else "continuous") for name, kind in self.features)

    def _circles_in_words(self) -> Strings:
        if self.scaling != "none":
            return ()
        return tuple(
            f"“{name}” could be {kind}, if the last is as near to the first as any two that follow each other."
            for name, kind in self.may_be_circles
        )

    def _gaps_in_words(self) -> Strings:
        if not self.has_gaps:
            return ()
        if not self.gaps:
            return ("Rows with missing cells are left out.",)
        return ("Rows with missing cells are kept, since MAP-DP and Gibbs need no complete rows.",)

    def scaling_in_words(self) -> str:
        """Say how columns are scaled, and why: wherever a table is read, in the same words."""
        if self.scaling in CODINGS:
            return f"Numbers are standardised, and categories coded by indicators ({self.scaling})."
        if self.scaling == SPREAD and not self.as_asked:
            return "Columns are divided to variance 1, and not moved, since they may be transformed."
        usual = self.scaling == scaling_for([kind for _, kind in self.features])
        if self.scaling == "none" and not usual and not self.as_asked:
            return "Columns are not scaled, since the family asked for takes them as they are."
        if not usual and not self.as_asked:
            return "Columns are standardised, since distances need one unit for columns of several kinds."
        if not usual:
            return f"Columns are {'not scaled' if self.scaling == 'none' else f'scaled ({self.scaling})'}, as asked."
        if self.scaling != "none":
            return "Columns are standardised, since those in large units would outweigh the others."
        if len(self.features) < 2:
            return "One column needs no scaling."
        words = dict.fromkeys(word_of(kind) for kind in _in_order(self.features))
        unscaled = " or ".join(word for word in words if word not in _MEASURED)
        return f"Columns are not scaled, since scaled ones cannot be taken as {unscaled}."


def _depend_in_words(columns: Strings) -> str:
    more = f"Each of {listed(columns)} is a linear combination of the others, but for rounding"
    said = f"{listed(columns)} are linear functions of each other, but for rounding" if len(columns) == 2 else more
    return f"{said}, which so may count more than once; leave one out unless that is meant."


def decide(
    frame: pd.DataFrame,
    *,
    kinds: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
    label: str | None = None,
    gaps: bool = True,
) -> Decision:
    """Decide which columns of a table are clustered, as what, and what becomes of gaps and units.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of numbers and text, such as ``Table.frame``.
    kinds : mapping of str to str, optional
        Corrections of :func:`infer_kinds` for some columns, each one of ``ALL_KINDS``; without a period, as “circular
        24” has, one is guessed from the values.
    features : sequence of str, optional
        Columns to cluster. When omitted: all but those of ``ROLES``, linear functions of columns before them and,
        unless rows with missing cells are kept, columns with a third or more of their cells missing.
    label : str, optional
        Column with the reference groups. When omitted, the column of kind ``"label"``, if there is one.
    gaps : bool
        Whether rows with missing cells are kept.

    Returns
    -------
    Decision

    Raises
    ------
    InvalidParameterError
        If a column or kind does not exist, or the choices contradict each other.
    """
    require_kind("frame", frame, pd.DataFrame, "a pandas DataFrame")
    require(kinds is None or isinstance(kinds, Mapping), "kinds", kinds, "a mapping of columns to kinds")
    if features is not None:
        require_sequence("features", features, str, "names of columns")
    require_text("label", label)
    require_flag("gaps", gaps)
    corrections = dict(kinds or {})
    inferred = infer_kinds(frame)
    corrections = with_block(frame, inferred, corrections)
    _check_names(list(frame.columns), corrections, features, label)
    numbered = {CIRCULAR: circle_of, SHARE: share_of}
    corrections |= {name: numbered[kind](frame[name]) for name, kind in corrections.items() if kind in numbered}
    every = inferred | corrections
    by_hand = [column for column, kind in corrections.items() if kind == "label" and column != label]
    require(len(by_hand) + bool(label) < 2, "kinds", by_hand, "such that one column at most is the label")
    chosen = label or next(iter(by_hand), None)
    if chosen is None:
        chosen = next((c for c, kind in every.items() if kind == "label" and c not in (features or ())), None)
    left_out: dict[str, list[str]] = {}
    if features is not None:
        clustered = _by_hand(frame, corrections, every, list(features), chosen)
    else:
        clustered, left_out = _by_kind(frame, corrections, every, chosen, gaps)
    block = tuple(name for name in block_of_counts(frame, inferred) if name not in (*corrections, chosen))
    repeated = _repeated(frame[list(clustered)])
    dependent = combinations(frame, _once(_numbers(clustered), repeated))
    if features is None:
        dependent = _without_the_last(clustered, left_out, dependent, corrections)
    return Decision(
        kinds=tuple(every.items()),
        features=tuple(clustered.items()),
        label=chosen,
        left_out=tuple((reason, tuple(columns)) for reason, columns in left_out.items()),
        gaps=gaps,
        scaling=scaling_for(list(clustered.values())),
        proposals=_proposals(frame, every, clustered),
        has_gaps=any(_has_gaps(frame[column], kind) for column, kind in clustered.items()),
        repeated=repeated,
        dependent=dependent,
        named=tuple(corrections),
        may_be_circles=tuple(
            (name, circle)
            for name, circle in ((name, may_be_circle(frame[name])) for name in clustered if name not in corrections)
            if circle is not None
        ),
        may_be_parts=block,
        why_parts=may_be_parts(frame, block),
    )


def _in_order(features: Sequence[tuple[str, str]]) -> Strings:
    """Return the kinds of columns, those with a number after their word."""
    return tuple(sorted({kind for _, kind in features}, key=lambda kind: (KINDS.index(word_of(kind)), kind)))


def circle_of(column: pd.Series) -> str:
    """Return the circular kind of a column that somebody says is circular, with a period that its values suggest."""
    found = circle_of_text(text_cells(column), int(column.count())) or may_be_circle(column)
    if found is not None:
        return found
    values = _finite(column)
    return circular(usual_period(float(values.min(initial=0.0)), float(values.max(initial=0.0))))


def share_of(column: pd.Series) -> str:
    """Return the kind of a column that somebody says holds shares, with a whole that its values suggest."""
    return share(min(float(usual_wholes(_finite(column)[:, None])[0]), LONGEST_PERIOD))


def _finite(column: pd.Series) -> FloatArray:
    numbers = read_numbers(column)
    return np.zeros(1) if numbers is None else numbers.values[np.isfinite(numbers.values)]


def _without_the_last(
    clustered: dict[str, str], left_out: dict[str, list[str]], dependent: Sequence[Strings], kept: Mapping[str, str]
) -> tuple[Strings, ...]:
    """Leave out the last column of each combination, of which no kind was chosen; return the other combinations."""
    others = []
    for *made_of, last in dependent:
        if last in kept:
            others.append((*made_of, last))
        else:
            del clustered[last]
            left_out.setdefault(f"they follow from {listed(made_of)}, but for rounding", []).append(last)
    return tuple(others)


def _repeated(frame: pd.DataFrame) -> tuple[Strings, ...]:
    """Return the columns of equal values, those of each value together; numbers may be of different types."""
    found: dict[bytes, list[str]] = {}
    for name, column in frame.items():
        if pd.api.types.is_numeric_dtype(column.dtype):
            column = pd.Series(column.to_numpy(np.float64, na_value=np.nan))
        found.setdefault(pd.util.hash_pandas_object(column, index=False).to_numpy().tobytes(), []).append(str(name))
    return tuple(tuple(names) for names in found.values() if len(names) > 1)


class ChangedByCodes(NamedTuple):
    """Columns whose codes 0, 1, … have other distances than their values: of numbers, and of text, which has none."""

    numbers: list[str]
    texts: list[str]


def changed_by_codes(frame: pd.DataFrame, decision: Decision) -> ChangedByCodes:
    """Return the columns that matter to algorithms of distances, since they are coded as categories."""
    found = ChangedByCodes([], [])
    for name, kind in decision.features:
        if kind not in _CATEGORIES:
            continue
        numbers = read_numbers(frame[name])
        if numbers is None:
            found.texts.append(name)
            continue
        values = np.unique(numbers.values[~np.isnan(numbers.values)])
        if not np.array_equal(values - values[0], np.arange(len(values))):
            found.numbers.append(name)
    return found


def _proposals(frame: pd.DataFrame, kinds: Mapping[str, str], clustered: Mapping[str, str]) -> tuple[Proposal, ...]:
    measured = "identifier" in kinds.values() or "continuous" in clustered.values()
    identifiers = [name for name, kind in kinds.items() if kind == "identifier"]
    return (*propose(frame, _numbers(clustered), measured, identifiers), *wraps(frame, kinds))


def _numbers(clustered: Mapping[str, str]) -> list[str]:
    return [name for name, kind in clustered.items() if kind not in _CATEGORIES]


def _once(names: list[str], repeated: Sequence[Strings]) -> list[str]:
    """Leave out columns that hold the same values as one before."""
    return [name for name in names if not any(name in columns[1:] for columns in repeated)]


def _has_gaps(column: pd.Series, kind: str) -> bool:
    if word_of(kind) == CIRCULAR and not pd.api.types.is_numeric_dtype(column.dtype):
        return bool(column.isna().any()) or not is_all_of_turn(column)
    text_among_numbers = kind not in _CATEGORIES and not pd.api.types.is_numeric_dtype(column.dtype)
    return text_among_numbers or bool(column.isna().any())


def scaling_for(kinds: Sequence[str]) -> str:
    """Return the scaling of columns of these kinds for a first look: several that are all measured may mix units."""
    return "standardise" if len(kinds) > 1 and set(kinds) <= set(_MEASURED) else "none"


def _check_names(
    known: list[str], corrections: Mapping[str, str], features: Sequence[str] | None, label: str | None
) -> None:
    for parameter, names in (("kinds", corrections), ("features", features or ()), ("label", [label] if label else ())):
        for column in names:
            require(column in known, parameter, column, f"a column of the table ({listed(known)})")
    for column, kind in corrections.items():
        require(is_one_of(kind, ALL_KINDS), f"kinds[{column!r}]", kind, f"one of {', '.join(ALL_KINDS)}")


def _by_hand(
    frame: pd.DataFrame,
    corrections: Mapping[str, str],
    kinds: Mapping[str, str],
    features: list[str],
    label: str | None,
) -> dict[str, str]:
    require(bool(features), "features", features, "at least one column")
    require(len(set(features)) == len(features), "features", features, "different columns")
    require(label not in features, "label", label, "a column that is not clustered too")
    clustered: dict[str, str] = {}
    for column in features:
        role = corrections.get(column, "")
        require(role not in ROLES, f"kinds[{column!r}]", role, f"one of {', '.join(KINDS)} to be clustered")
        kind = kinds[column]
        clustered[column] = infer_kind(frame[column], may_be_role=False) if kind in ROLES else kind
    return clustered


def _by_kind(
    frame: pd.DataFrame, corrections: Mapping[str, str], kinds: Mapping[str, str], label: str | None, gaps: bool
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the columns to cluster with their kinds, and those left out by the reason."""
    kinds = _with_dates_alone(frame, corrections, kinds, label)
    empty = frame.isna().all()
    gappy = set() if gaps else _columns_with_gaps(frame, kinds) - set(corrections)
    clustered: dict[str, str] = {}
    left_out: dict[str, list[str]] = {}
    for column, kind in kinds.items():
        if column == label:
            continue
        if empty[column]:
            left_out.setdefault("they have no values", []).append(column)
        elif kind in ROLES:
            left_out.setdefault(_reason(frame[column], kind), []).append(column)
        elif column in gappy:
            left_out.setdefault("a third or more of their cells are missing", []).append(column)
        else:
            clustered[column] = kind
    return clustered, left_out


def _with_dates_alone(
    frame: pd.DataFrame, corrections: Mapping[str, str], kinds: Mapping[str, str], label: str | None
) -> Mapping[str, str]:
    """Take dates for numbers where no other column could be clustered; days beside measurements say when, not what."""
    others = [column for column, kind in kinds.items() if column != label and kind not in ROLES]
    if others:
        return kinds
    return {
        column: infer_kind(frame[column], may_be_role=False)
        if kind == "date" and column not in corrections and read_numbers(frame[column]) is not None
        else kind
        for column, kind in kinds.items()
    }


def _columns_with_gaps(frame: pd.DataFrame, kinds: Mapping[str, str]) -> set[str]:
    """Return the columns with a third or more of their cells missing, since clustering them would drop too many rows.

    If no other can be clustered, these are the columns with more than half missing.
    """
    missing = frame.isna().mean()
    candidates = {column for column, kind in kinds.items() if kind not in ROLES}
    gappy = {column for column in candidates if missing[column] >= _GAPS}
    return gappy if candidates - gappy else {column for column in gappy if missing[column] > _MOST_GAPS}


def _reason(column: pd.Series, role: str) -> str:
    if role == "date" and read_numbers(column) is None:
        two = len(readings_as_dates(text_cells(column))) > 1
        return "it cannot be told whether day or month comes first in their dates" if two else "they hold dates as text"
    if role != "identifier":
        return _REASONS[role]
    n_distinct, n_present = int(column.nunique()), int(column.count())
    if not pd.api.types.is_numeric_dtype(column.dtype):
        few = n_distinct <= min(MAX_CATEGORIES, n_present // 2)
        return "they are codes of places" if few else "they hold text with many different values"
    recurs = n_distinct <= 0.9 * n_present
    return "they are numbers that name somebody or something" if recurs else "they seem to number the rows"
