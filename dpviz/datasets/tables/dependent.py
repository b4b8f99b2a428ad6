"""Columns that are linear functions of others but for rounding: a quantity in two units, a total, shares of a whole.

Numbers x_j that are rounded to steps δ_j satisfy Σ a_j x_j = constant only within what rounding does: the sum spreads
by √(Σ a_j² δ_j²/12) if its errors are uniform and independent, and by Σ |a_j| δ_j/2 at most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.dataset import Dataset
from dpviz.datasets.tables.kinds import read_numbers
from dpviz.shares import WHOLES, entry_of

EXACT = 1e-8
"""Largest remainder, in spreads of a column, that is taken for rounding of doubles."""
PRECISE = 1e6
"""Most spreads between zero and the numbers of a column whose doubles are precise enough to tell."""
WILD = 1e4
"""Spreads from the median beyond which a row only confirms: beside it all others would be nearly equal."""
MOST_COLUMNS, MOST_ROWS, MOST_CELLS = 200, 1_000, 600_000
SPARE_ROWS = 10
"""Rows more than there are columns: among as few as there are columns each is a combination of the others."""


ROUNDED = 0.02
"""Part of a whole that rounding may add to the sum of its shares, or take from it."""
MOST_SPREADS = 3.0
"""Spreads of rounding that what is left of a combination may have."""
CLOSE = 0.3
"""Most that may be left of a column, in its own spread: coarse steps would explain any column."""
SLACK = 1.2
"""Most of what rounding can do that is left in any row: the factors are not exact either."""
LIKE_ONE = 0.2
"""Difference from 1 of the factors of whole numbers that are added up."""
MOST_OF_WHOLE, MANY_STEPS = 1.3, 8.0
"""Spreads of rounding that whole numbers may leave, and steps that two columns have between their outer tenths."""
FINEST = 7
"""Digits below a column's spread to which its step is looked for."""


def log_ratios(dataset: Dataset) -> tuple[float | str, ...] | None:
    """Return the transformation of the columns that with one that is left out add up to 1 or 100; None without any."""
    names = dataset.feature_names
    real = [name for name, kind in zip(names, dataset.kinds, strict=True) if kind == "continuous"]
    if dataset.frame is None or dataset.rows is None or not set(real) <= set(dataset.frame.columns):
        return None
    frame = dataset.frame.iloc[dataset.rows]
    others = [str(name) for name in frame.select_dtypes("number").columns if name not in names]
    for *shares, last in combinations(frame, [*real, *others]):
        totals = frame[[*shares, last]].sum(axis=1, skipna=False).dropna()
        whole = next((whole for whole in WHOLES if abs(totals.median() - whole) <= ROUNDED * whole), None)
        if whole is None or not bool((abs(totals - whole) <= ROUNDED * whole).all()):
            continue
        if last in others and set(shares) <= set(real):
            return tuple(entry_of(whole) if name in shares else 1.0 for name in names)
    return None


def combinations(frame: pd.DataFrame, numbers: Sequence[str]) -> tuple[Strings, ...]:
    """Find columns of which each is a linear combination of the others, but for a constant and rounding.

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
    named, scaled, steps = _scaled(drawn, numbers)
    tame = _tame(scaled)
    if len(named) < 2 or len(tame) < len(named) + SPARE_ROWS:
        return ()
    relations = _relations(tame - tame.mean(axis=0), steps)
    found = [places for places in relations if _n_spare(tame[:, places]) >= SPARE_ROWS]
    columns = [tuple(named[place] for place in places) for places in found]
    return tuple(names for names in columns if len(frame) * len(names) <= MOST_CELLS and _holds(frame, names))


def _scaled(frame: pd.DataFrame, names: Sequence[str]) -> tuple[Strings, FloatArray, FloatArray]:
    """Return the precise columns, the complete rows in spreads from the median, and the columns' steps in spreads.

    Few cells hardly change the median and the spread.
    """
    read = [(name, numbers.values) for name in names if (numbers := read_numbers(frame[name])) is not None]
    X = np.column_stack([np.empty((len(frame), 0)), *(values for _, values in read)])
    X = X[np.isfinite(X).all(axis=1)]
    if not X.size:
        return (), np.empty((0, 0)), np.empty(0)
    low, median, high = np.quantile(X, (0.1, 0.5, 0.9), axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest double; such rows are not tame
        spread = np.where(high > low, high - low, np.abs(X - median).mean(axis=0))
        precise = np.flatnonzero((spread > 0) & np.isfinite(spread) & (np.abs(median) < PRECISE * spread))
        scaled = (X[:, precise] - median[precise]) / spread[precise]
        steps = [_step(X[:, place], spread[place]) / spread[place] for place in precise]
        return tuple(read[place][0] for place in precise), scaled, np.array(steps)


def _step(values: FloatArray, spread: float) -> float:
    """Return the largest power of ten below a column's spread of which its values are multiples; 0 if there is none."""
    largest = int(np.floor(np.log10(spread)))
    for exponent in range(largest, largest - FINEST, -1):
        multiples = values / 10.0**exponent
        if np.all(np.abs(multiples - np.round(multiples)) <= 1e-6):
            return float(10.0**exponent)
    return 0.0


def _tame(scaled: FloatArray) -> FloatArray:
    return scaled[np.all(np.abs(scaled) <= WILD, axis=1)]


def _relations(X: FloatArray, steps: FloatArray) -> list[list[int]]:
    """Return, for each column of X (n, D; means 0) that depends on earlier ones, itself after those it is made of.

    The part of each column that is orthogonal to the earlier independent ones is found twice over, against rounding.
    """
    basis: FloatArray = np.empty_like(X)
    parts = np.zeros((X.shape[1], X.shape[1]))  # of independent columns along the basis: upper triangular
    independent: list[int] = []
    relations: list[list[int]] = []
    for column in range(X.shape[1]):
        n_known = len(independent)
        known, rest = basis[:, :n_known], X[:, column].copy()
        along = np.zeros(n_known)
        for _ in range(2):
            more = known.T @ rest
            along, rest = along + more, rest - known @ more
        factors = np.linalg.solve(parts[:n_known, :n_known], along).astype(np.float64)
        made_of = _made_of(X, column, independent, factors, rest, steps)
        if made_of is None:
            size = float(np.linalg.norm(rest))
            basis[:, n_known], parts[:n_known, n_known], parts[n_known, n_known] = rest / size, along, size
            independent.append(column)
        elif made_of:  # of nothing if it is constant but for wild rows
            relations.append([*made_of, column])
    return relations


def _made_of(
    X: FloatArray, column: int, others: list[int], factors: FloatArray, rest: FloatArray, steps: FloatArray
) -> list[int] | None:
    """Return of which others a column of X is made, given what is left of it; None if it is not made of them."""
    if np.abs(rest).max() <= EXACT:
        large = np.abs(factors) > EXACT * np.abs(factors).max(initial=0.0)
        return [other for other, is_part in zip(others, large, strict=True) if is_part]
    if not _is_rounding(X, column, others, factors, rest, steps):
        return None
    sizes = X.std(axis=0)
    allowed = _spread_of_rounding(column, others, factors, steps)
    adding = [abs(factor) * sizes[other] for other, factor in zip(others, factors, strict=True)]
    parts = [other for other, size in zip(others, adding, strict=True) if size > allowed]
    if not _fits(X, column, parts, steps):
        return others
    for other in sorted(parts, key=lambda part: adding[others.index(part)]):  # each of which may stand for another
        without = [part for part in parts if part != other]
        parts = without if _fits(X, column, without, steps) else parts
    return parts


def _fits(X: FloatArray, column: int, others: list[int], steps: FloatArray) -> bool:
    """Whether a column of X is a combination of others but for rounding."""
    factors: FloatArray = np.linalg.lstsq(X[:, others], X[:, column])[0].astype(np.float64)
    return _is_rounding(X, column, others, factors, X[:, column] - X[:, others] @ factors, steps)


def _is_rounding(
    X: FloatArray, column: int, others: list[int], factors: FloatArray, rest: FloatArray, steps: FloatArray
) -> bool:
    """Whether what is left of a column beside others is what rounding to their steps leaves."""
    free = len(X) - 1 - len(others)
    if not others or free < 2 * len(others):  # so few rows can be met by chance
        return False
    left = float(np.sqrt(rest @ rest / free))
    return left <= min(_spread_of_rounding(column, others, factors, steps), CLOSE * X[:, column].std())


def _spread_of_rounding(column: int, others: list[int], factors: FloatArray, steps: FloatArray) -> float:
    """Return the spread that rounding may leave, 3 √(Σ a_j² δ_j²/12)."""
    return MOST_SPREADS * float(np.sqrt((steps[column] ** 2 + np.sum((factors * steps[others]) ** 2)) / 12))


def _n_spare(X: FloatArray) -> int:
    """Return how many more different rows X (n, D) has than columns."""
    return len(np.unique(X, axis=0)) - X.shape[1]


def _holds(frame: pd.DataFrame, names: Strings) -> bool:
    """Whether the last column is the same combination of the others in all rows that are complete in them."""
    precise, X, steps = _scaled(frame, names)
    ordinary = _tame(X)
    if precise != names:
        return False
    middle = ordinary.mean(axis=0)
    centred, ordinary = X - middle, ordinary - middle
    factors = np.linalg.lstsq(ordinary[:, :-1], ordinary[:, -1])[0]
    rest = np.abs(centred[:, -1] - centred[:, :-1] @ factors)
    if np.any(rest > EXACT * (1 + np.abs(centred[:, -1]))) and not _is_rounded(frame, names, factors, rest, steps):
        return False
    rounding = SLACK * (steps[-1] + np.abs(factors) @ steps[:-1]) / 2
    digits = EXACT * (1 + np.abs(centred[:, -1]) + np.abs(centred[:, :-1]) @ np.abs(factors))
    return bool(np.all(rest <= rounding + digits))


def _is_rounded(frame: pd.DataFrame, names: Strings, factors: FloatArray, rest: FloatArray, steps: FloatArray) -> bool:
    """Whether columns that are no exact combination are one but for rounding, as whole numbers seldom are.

    Marks, years and counts that differ by one or two are different. But whole numbers may be exact where only others
    are rounded, as a mean is; and they may be rounded if they leave no more than that: those of one quantity in two
    units, with many steps, and at least three that add up, as shares in percent do.
    """
    read = [numbers.values for name in names if (numbers := read_numbers(frame[name])) is not None]
    X = np.column_stack(read)
    X = X[np.isfinite(X).all(axis=1)]
    whole = np.all(X == np.round(X), axis=0)
    if not whole.any():
        return True
    rounded = np.append(np.abs(factors), 1.0) * steps
    if rest.max() <= SLACK * rounded[~whole].sum() / 2:
        return True
    if np.sqrt(np.mean(rest**2)) > MOST_OF_WHOLE * np.sqrt(np.sum(rounded**2) / 12):
        return False
    low, high = np.quantile(X, (0.1, 0.9), axis=0)
    spread = np.where(high > low, high - low, np.abs(X - np.median(X, axis=0)).mean(axis=0))
    like_one = np.abs(np.abs(factors) * spread[-1] / spread[:-1] - 1) <= LIKE_ONE
    if len(names) == 2:
        return not like_one[0] and bool(MANY_STEPS * steps.max() <= 1)
    return bool(like_one.all())
