"""Columns of several kinds as numbers with distances: standardised numbers, and an indicator for each category."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray, Strings
from dpviz.datasets.dataset import Dataset
from dpviz.datasets.views import Display, scale
from dpviz.errors import InvalidDataError, require_kind, require_one_of

ONE_HOT, DUMMY = "one_hot", "dummy"
CODINGS = (ONE_HOT, DUMMY)
"""An indicator for every category of a column, or for every one but its first, the reference."""
NUMBER = -1
"""In place of a category where a number of the table is meant."""
_FEWEST = 3  # the distance of two categories is that of their standardised codes
_MOST_SAID = 4


class Indicators(NamedTuple):
    """Numbers of a table standardised, and an indicator for each category of the other columns.

    Attributes
    ----------
    X : ndarray (N, C)
        Number j is ``(x − centre[j]) / spread[j]``, where x is a cell of column ``columns[j]``, or 1 or 0: whether that
        is category ``codes[j]``.
    feature_names : tuple of str, length C
        Such as ``colour = red``.
    notes : tuple of str
        Columns that could not be scaled.
    columns, codes : ndarray of int (C,)
        The column of the table, and the code of the category; ``NUMBER`` for a number.
    centre, spread : ndarray (C,)
    """

    X: FloatArray
    feature_names: Strings
    notes: Strings
    columns: IntArray
    codes: IntArray
    centre: FloatArray
    spread: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the same numbers of other rows (n, D) of the table; those of a missing cell (NaN) are missing."""
        cells = X[:, self.columns]
        known = np.where(self.codes == NUMBER, cells, cells == self.codes)
        return np.asarray((np.where(np.isnan(cells), np.nan, known) - self.centre) / self.spread)

    def pulled_back(self, display: Display) -> Display:
        """Return axes over the columns of the table as axes over these numbers: every row has the same place on both.

        The coordinates stay as they are. A column's code is a sum of its indicators, so that the mean of some rows has
        the place of their mean codes.
        """
        numbers = self.codes == NUMBER
        weights = np.where(numbers, self.spread, self.codes * self.spread)
        offset = np.zeros(display.directions.shape[1])
        np.add.at(offset, self.columns[numbers], self.centre[numbers])
        directions = display.directions[:, self.columns] * weights
        shift = display.directions @ (display.origin - offset)
        # any point of the hyperplane that has the place 0
        origin = np.asarray(np.linalg.lstsq(directions, shift, rcond=None)[0], dtype=np.float64)
        return display._replace(directions=directions, origin=origin)


def one_hot(dataset: Dataset, coding: str = ONE_HOT) -> Indicators:
    """Standardise the numbers of a data set, and code the categories of its other columns by indicators.

    Categories have no order, so that their codes 0, 1, 2, … have no distances. Each of three or more becomes a number
    that is s in the rows of that category and 0 in the others, with

        s² = 1 / (1 − Σ p_c²),    p_c the share of category c,

    so that the variances of a column's indicators add up to 1, which a standardised column has. Rows of different
    categories have the squared distance 2 s². For two categories that is 1 / (p q), the one of their standardised
    codes, and these are taken.

    Parameters
    ----------
    dataset : Dataset
        Complete rows. Columns of the kind ``"categorical"`` with three categories or more are coded, all others are
        standardised.
    coding : {"one_hot", "dummy"}
        Whether every category has its indicator. All of a column add up to s, so that a density needs one less: the
        indicators of ``"dummy"`` are all but the first.

    Raises
    ------
    InvalidDataError
        If cells are missing, or a category is no code.
    InvalidParameterError
        If there is no such coding.
    """
    require_kind("dataset", dataset, Dataset, "a Dataset")
    require_one_of("coding", coding, CODINGS)
    if dataset.incomplete.any():
        raise InvalidDataError("Missing cells have no distance: leave out their rows, or fill them in (datasets.fill).")
    for column in category_counts(dataset):
        cells = dataset.X[:, column]
        if cells.min() < 0 or np.any(cells != np.floor(cells)):
            name = dataset.feature_names[column]
            raise InvalidDataError(f"Column “{name}” is categorical, so that its codes must be whole numbers from 0.")
    columns, codes = _places(dataset, coding)
    numbers = codes == NUMBER
    scaled = scale(dataset.X, "standardise", dataset.feature_names)
    centre, spread = np.where(numbers, scaled.centre[columns], 0.0), scaled.spread[columns]
    for column, count in category_counts(dataset).items():
        shares = np.bincount(dataset.X[:, column].astype(np.int64), minlength=count) / dataset.n_points
        spread[~numbers & (columns == column)] = np.sqrt(1.0 - np.sum(shares**2)) if shares.max() < 1 else 1.0
    names = indicator_names(dataset, coding)
    made = Indicators(np.empty((0, len(names))), names, scaled.notes, columns, codes, centre, spread)
    return made._replace(X=made.apply(dataset.X))


def indicator_names(dataset: Dataset, coding: str) -> Strings:
    """Name the numbers of :func:`one_hot`: by the column, or such as ``colour = red``."""
    taken, names = set(dataset.feature_names), []
    for column, code in zip(*_places(dataset, coding), strict=True):
        name = dataset.feature_names[column]
        if code != NUMBER:
            called = dataset.category_names[column]
            name = f"{name} = {called[code] if called else code}"
            while name in taken:
                name += "_"
            taken.add(name)
        names.append(name)
    return tuple(names)


def _places(dataset: Dataset, coding: str) -> tuple[IntArray, IntArray]:
    """Return the column and the category of each number."""
    counts = category_counts(dataset)
    columns: list[int] = []
    codes: list[int] = []
    for column in range(dataset.n_features):
        own = range(int(coding == DUMMY), counts[column]) if column in counts else (NUMBER,)
        columns += [column] * len(own)
        codes += own
    return np.array(columns), np.array(codes)


def category_counts(dataset: Dataset) -> dict[int, int]:
    """Return how many categories the columns have that are coded by indicators, by their positions."""
    found: dict[int, int] = {}
    for column, (kind, names) in enumerate(zip(dataset.kinds, dataset.category_names, strict=True)):
        if kind == "categorical":
            count = len(names) or int(np.nanmax(dataset.X[:, column])) + 1
            found |= {column: count} if count >= _FEWEST else {}
    return found


def coded_in_words(dataset: Dataset, coding: str) -> str:
    """Say what the columns become, such as "3 numbers standardised, “colour” as 3 indicators"."""
    counts = category_counts(dataset)
    n_others = dataset.n_features - len(counts)
    said = [f"{n_others:,} number{'s' * (n_others != 1)} standardised"] if n_others else []
    said += [f"“{dataset.feature_names[d]}” as {count - (coding == DUMMY):,} indicators" for d, count in counts.items()]
    more = [f"{len(said) - _MOST_SAID:,} more columns so"] if len(said) > _MOST_SAID + 1 else []
    return ", ".join(said[:_MOST_SAID] + more if more else said)
