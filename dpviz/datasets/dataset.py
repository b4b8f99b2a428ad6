"""The common result of all data sources: numbers to cluster and their description."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dpviz.arrays import BoolArray, FloatArray, IntArray, Strings
from dpviz.errors import InvalidDataError, refused, require
from dpviz.hurdles import HURDLE
from dpviz.periods import CIRCULAR, NUMBERED, SHARE, advice_on, is_one_of, word_of
from dpviz.shares import PARTS, PARTS_AND_TOTAL
from dpviz.whole_numbers import with_counts_open

KINDS = (
    *"continuous duration count ordinal binary categorical".split(),
    PARTS,
    PARTS_AND_TOTAL,
    HURDLE,
    SHARE,
    CIRCULAR,
)
_MEASURED = ("continuous", "duration", CIRCULAR, HURDLE, SHARE)


def is_measured(kind: str) -> bool:
    """Whether values of columns of a kind have a density rather than a probability each."""
    return word_of(kind) in _MEASURED


@dataclass(frozen=True, eq=False, kw_only=True)
class Dataset:
    """A numeric table with its origin and, where known, its true grouping.

    Everything is checked on creation; arrays are copied and made read-only.

    Attributes
    ----------
    X : ndarray of float64, shape (N, D)
        The values to cluster: N ≥ 1 rows and D ≥ 1 columns, all finite except the missing cells if ``gaps``.
    labels : ndarray of int64, shape (N,), or None
        Reference group of every row as a code ≥ 0; clustering never sees it.
    label_names : tuple of str, or None
        Name of each code: ``label_names[labels[i]]`` names the group of row i. Made from the codes when omitted.
    feature_names : tuple of str, length D
        Unique column names; ``x1``, ``x2``, … when omitted.
    kinds : tuple of str, length D
        Kind of every column, one of ``KINDS``, or with its number as “circular 24”; all ``"continuous"`` when omitted.
    guessed : tuple of str
        Names of columns whose kind nobody named: they look as if they were counts.
    category_names : tuple of tuple of str, length D
        Names of the codes of a column of codes 0, 1, …; an empty tuple for every other column.
    name, title : str
        Short identifier and one-line heading (the name when omitted).
    source, licence, citation : str
        Where the data come from; empty when unknown.
    notes : tuple of str
        Everything dropped, changed or worth knowing, one sentence or two each.
    watch : str
        One sentence: what to watch when these data are clustered.
    frame : pandas.DataFrame, or None
        The rows as loaded, including dropped ones; treat as read-only.
    rows : ndarray of int64, shape (N,), or None
        Position in ``frame`` of every row of ``X``; None without a frame.
    gaps : bool
        Whether cells of ``X`` may be missing (NaN), though not all of a column.
    reading : tuple of (str, value)
        How the file of ``frame`` was read, as :class:`dpviz.datasets.tables.Table` says; empty when unknown.
    units, emptied : tuple of (str, str), tuple of (str, float)
        Units and codes of missing cells of the columns of ``frame``, as there; of times of the day that of ``X``.

    Raises
    ------
    InvalidDataError
        If the numbers cannot be clustered: not a table, empty, not numeric, not finite.
    InvalidParameterError
        If a description does not fit the numbers.
    """

    X: FloatArray
    name: str
    labels: IntArray | None = None
    label_names: Strings | None = None
    feature_names: Strings = ()
    kinds: Strings = ()
    guessed: Strings = ()
    category_names: tuple[Strings, ...] = ()
    title: str = ""
    source: str = ""
    licence: str = ""
    citation: str = ""
    notes: Strings = ()
    watch: str = ""
    frame: pd.DataFrame | None = None
    rows: IntArray | None = None
    gaps: bool = False
    reading: tuple[tuple[str, Any], ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    emptied: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        """Check every field against the others and make the arrays read-only copies."""
        table = _finite_table(self.X, self.gaps)
        n_points, n_features = table.shape
        self._set("X", table)
        for field in ("name", "title", "source", "licence", "citation", "watch"):
            require(isinstance(getattr(self, field), str), field, getattr(self, field), "a string")
        require(bool(self.name), "name", self.name, "a string that is not empty")
        self._set("title", self.title or self.name)
        self._set("notes", _strings("notes", self.notes))
        self._check_columns(n_features)
        self._check_labels(n_points)
        self._check_rows(n_points)

    @property
    def n_points(self) -> int:
        """Number of rows N."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns D."""
        return int(self.X.shape[1])

    @property
    def model_kinds(self) -> Strings:
        """Kinds of the columns for a model, which decides whether what looks like counts is counts."""
        opened = zip(self.feature_names, self.kinds, with_counts_open(self.kinds), strict=True)
        return tuple(whole if name in self.guessed else kind for name, kind, whole in opened)

    @property
    def incomplete(self) -> BoolArray:
        """Which rows (N,) have missing cells."""
        return np.asarray(np.isnan(self.X).any(axis=1))

    def row_names(self) -> tuple[str, ...]:
        """Return the entries of the first column of distinct texts that is no feature, such as a name; or nothing."""
        if self.frame is None or self.rows is None:
            return ()
        for column in self.frame.columns:
            entries = self.frame[column].iloc[self.rows]
            texts = str(column) not in self.feature_names and all(isinstance(entry, str) for entry in entries)
            if texts and entries.is_unique:
                return tuple(map(str, entries))
        return ()

    def complete(self) -> Dataset:
        """Return only the rows without missing cells; a note says how many are left out.

        Raises
        ------
        InvalidDataError
            If there are fewer than two.
        """
        incomplete = self.incomplete
        if not incomplete.any():
            return replace(self, gaps=False) if self.gaps else self
        kept, n_rows = ~incomplete, int(incomplete.sum())
        if kept.sum() < 2:
            raise InvalidDataError(
                f"{self.n_points - n_rows} of {self.n_points:,} rows are complete; without missing cells clustering "
                "needs at least 2. Leave out the columns with many missing cells, fill cells in, or keep the rows with "
                "gaps if the method can."
            )
        return replace(
            self,
            X=self.X[kept],
            labels=None if self.labels is None else self.labels[kept],
            rows=None if self.rows is None else self.rows[kept],
            notes=(*self.notes, f"{n_rows:,} of {self.n_points:,} rows have missing cells and are left out."),
            gaps=False,
        )

    def filled(self) -> Dataset:
        """Return all rows with missing cells at the mean of their column, for pictures."""
        values = np.where(np.isnan(self.X), np.nanmean(self.X, axis=0), self.X)
        return replace(self, X=values, category_names=(), gaps=False) if self.incomplete.any() else self

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)  # the documented way to set a field of a frozen dataclass

    def _check_columns(self, n_features: int) -> None:
        names = _strings("feature_names", self.feature_names) or tuple(f"x{d + 1}" for d in range(n_features))
        require(len(names) == n_features, "feature_names", names, f"{n_features} names, one per column")
        require(len(set(names)) == n_features, "feature_names", names, "unique", "Rename the repeated columns.")
        kinds = _strings("kinds", self.kinds) or ("continuous",) * n_features
        require(len(kinds) == n_features, "kinds", kinds, f"{n_features} kinds, one per column")
        for kind in kinds:
            known = is_one_of(kind, KINDS) and kind not in NUMBERED  # which say after or of what
            require(known, "kinds", kind, f"one of {', '.join(KINDS)}", advice_on(kind))
        categories = tuple(_strings("category_names", entry) for entry in self.category_names) or ((),) * n_features
        require(len(categories) == n_features, "category_names", categories, f"{n_features} entries, one per column")
        for column, coded in enumerate(categories):
            codes = self.X[:, column]
            codes = codes[~np.isnan(codes)]
            fits = not coded or bool(np.all((codes >= 0) & (codes < len(coded)) & (codes == np.floor(codes))))
            require(fits, f"category_names[{column}]", coded, "names for every code in the column")
        self._set("feature_names", names)
        self._set("kinds", kinds)
        self._set("guessed", _strings("guessed", self.guessed))
        self._set("category_names", categories)

    def _check_labels(self, n_points: int) -> None:
        if self.labels is None:
            require(self.label_names is None, "label_names", self.label_names, "None when there are no labels")
            return
        labels = _integers("labels", self.labels, n_points)
        require(bool(labels.min() >= 0), "labels", int(labels.min()), "codes ≥ 0")
        largest = int(labels.max())
        if self.label_names is None:
            bound = f"codes < {n_points}, the number of rows"
            require(largest < n_points, "labels", largest, bound, "Number the groups 0, 1, ….")
            names: Strings = tuple(str(code) for code in range(largest + 1))
        else:
            names = _strings("label_names", self.label_names)
        require(largest < len(names), "label_names", names, f"{largest + 1} names or more, one per code")
        self._set("labels", labels)
        self._set("label_names", names)

    def _check_rows(self, n_points: int) -> None:
        if self.frame is None:
            require(self.rows is None, "rows", self.rows, "None when there is no frame")
            return
        require(isinstance(self.frame, pd.DataFrame), "frame", type(self.frame).__name__, "a pandas DataFrame or None")
        rows = _integers("rows", np.arange(n_points) if self.rows is None else self.rows, n_points)
        inside = bool(rows.min() >= 0 and rows.max() < len(self.frame))
        require(inside, "rows", rows, f"positions within the {len(self.frame)} rows of the frame")
        self._set("rows", rows)


def grouped(labels: ArrayLike) -> tuple[NDArray[Any], IntArray]:
    """Return the distinct labels, sorted, and each label's place among them.

    Raises
    ------
    InvalidParameterError
        If they cannot be sorted.
    """
    try:
        groups, codes = np.unique(np.asarray(labels), return_inverse=True)
    except (TypeError, ValueError) as error:
        raise refused("labels", labels, "an array with one number or text per point") from error
    return groups, codes


def _strings(parameter: str, value: Any) -> Strings:
    sequence = not isinstance(value, str) and all(isinstance(entry, str) for entry in value)
    require(sequence, parameter, value, "a sequence of strings")
    return tuple(value)


def _integers(parameter: str, value: Any, length: int) -> IntArray:
    array = np.asarray(value)
    require(array.shape == (length,), parameter, array.shape, f"of shape ({length},), one entry per row")
    require(array.dtype.kind in "iu", parameter, str(array.dtype), "an array of integers")
    copy = array.astype(np.int64)
    copy.setflags(write=False)
    return copy


def _finite_table(value: Any, gaps: bool) -> FloatArray:
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise InvalidDataError(f"X must be a table of shape (N, D), with rows of equal length ({error}).") from error
    if array.ndim != 2 or 0 in array.shape:
        raise InvalidDataError(
            f"X has shape {array.shape}; it must be a table of shape (N, D) with at least one row and one column."
        )
    if array.dtype.kind not in "fiubO":
        raise InvalidDataError(f"X holds {array.dtype}; it must hold real numbers. Code text as integers first.")
    try:
        table = np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidDataError(f"X holds something that is not a real number ({error}).") from error
    wrong = np.isinf(table) if gaps else ~np.isfinite(table)
    empty = np.flatnonzero(np.isnan(table).all(axis=0))
    if gaps and len(empty):
        raise InvalidDataError(f"column {empty[0]} of X (counted from 0) has no values at all; leave it out.")
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        raise InvalidDataError(
            f"X holds {int(wrong.sum())} missing or infinite values, the first in row {row}, column {column} "
            "(both counted from 0). Drop those rows or columns, or fill them in."
        )
    table.setflags(write=False)
    return table
