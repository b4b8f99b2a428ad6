"""Columns that are exact linear functions of others, such as one quantity in two units, or a total."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.tables.kinds import read_numbers

EXACT = 1e-8
"""Largest remainder, in spreads of a column, that is taken for rounding of doubles."""
PRECISE = 1e6
"""Most spreads between zero and the numbers of a column whose doubles are precise enough to tell."""
WILD = 1e4
"""Spreads from the median beyond which a row only confirms: beside it all others would be nearly equal."""
MOST_COLUMNS, MOST_ROWS, MOST_CELLS = 200, 1_000, 600_000
SPARE_ROWS = 10
"""Rows more than there are columns: among as few as there are columns each is a combination of the others."""


def combinations(frame: pd.DataFrame, numbers: Sequence[str]) -> tuple[Strings, ...]:
    """Find columns of which each is an exact linear combination of the others, but for a constant.

    Parameters
    ----------
    frame : pandas.DataFrame
        Its complete rows count.
    numbers : sequence of str
        Columns of numbers, none twice.

    Returns
    -------
    tuple of tuple of str
        The columns of each combination in their order. Empty where too few different rows could tell, or there are
        more than ``MOST_COLUMNS`` columns.
    """
    if not 1 < len(numbers) <= MOST_COLUMNS:
        return ()
    drawn = frame if len(frame) <= MOST_ROWS else frame.sample(MOST_ROWS, random_state=0)
    named, scaled = _scaled(drawn, numbers)
    tame = _tame(scaled)
    if len(named) < 2 or len(tame) < len(named) + SPARE_ROWS:
        return ()
    found = [places for places in _relations(tame - tame.mean(axis=0)) if _n_spare(tame[:, places]) >= SPARE_ROWS]
    columns = [tuple(named[place] for place in places) for places in found]
    return tuple(names for names in columns if len(frame) * len(names) <= MOST_CELLS and _holds(frame, names))


def _scaled(frame: pd.DataFrame, names: Sequence[str]) -> tuple[Strings, FloatArray]:
    """Return the precise columns, and the complete rows in spreads from the median, which few cells hardly change."""
    read = [(name, numbers.values) for name in names if (numbers := read_numbers(frame[name])) is not None]
    X = np.column_stack([np.empty((len(frame), 0)), *(values for _, values in read)])
    X = X[np.isfinite(X).all(axis=1)]
    if not X.size:
        return (), np.empty((0, 0))
    low, median, high = np.quantile(X, (0.1, 0.5, 0.9), axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest double; such rows are not tame
        spread = np.where(high > low, high - low, np.abs(X - median).mean(axis=0))
        precise = np.flatnonzero((spread > 0) & np.isfinite(spread) & (np.abs(median) < PRECISE * spread))
        return tuple(read[place][0] for place in precise), (X[:, precise] - median[precise]) / spread[precise]


def _tame(scaled: FloatArray) -> FloatArray:
    return scaled[np.all(np.abs(scaled) <= WILD, axis=1)]


def _relations(X: FloatArray) -> list[list[int]]:
    """Return, for each column of X (n, D; means 0) that depends on earlier ones, itself after those it is made of.

    The part of each column that is orthogonal to the earlier independent ones is found twice over, against rounding.
    """
    basis: FloatArray = np.empty_like(X)
    independent: list[int] = []
    dependent: list[int] = []
    for column in range(X.shape[1]):
        known, rest = basis[:, : len(independent)], X[:, column].copy()
        for _ in range(2):
            rest -= known @ (known.T @ rest)
        if np.abs(rest).max() <= EXACT:
            dependent.append(column)
        else:
            basis[:, len(independent)] = rest / np.linalg.norm(rest)
            independent.append(column)
    if not dependent or not independent:
        return []
    factors = np.linalg.lstsq(X[:, independent], X[:, dependent])[0]
    parts = [np.flatnonzero(np.abs(own) > EXACT * np.abs(own).max()) for own in factors.T]
    made_of = [[independent[part] for part in own] for own in parts]  # of nothing if it is constant but for wild rows
    return [[*others, column] for others, column in zip(made_of, dependent, strict=True) if others]


def _n_spare(X: FloatArray) -> int:
    """Return how many more different rows X (n, D) has than columns."""
    return len(np.unique(X, axis=0)) - X.shape[1]


def _holds(frame: pd.DataFrame, names: Strings) -> bool:
    """Whether the last column is the same combination of the others in all rows that are complete in them."""
    precise, X = _scaled(frame, names)
    ordinary = _tame(X)
    if precise != names:
        return False
    middle = ordinary.mean(axis=0)
    centred, ordinary = X - middle, ordinary - middle
    factors = np.linalg.lstsq(ordinary[:, :-1], ordinary[:, -1])[0]
    rest = np.abs(centred[:, -1] - centred[:, :-1] @ factors)
    return bool(np.all(rest <= EXACT * (1 + np.abs(centred[:, -1]) + np.abs(centred[:, :-1]) @ np.abs(factors))))
