"""Columns of which many cells are at an end: money spent or rain at zero, shares at nothing or the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.periods import SHARE, share, whole_of, word_of

HURDLE = "hurdle"
"""Kind of columns of zeros and positive values with a long tail."""
SAID = {HURDLE: "zero, or else a positive value with a long tail", SHARE: "0, the whole, or a share between"}
"""What columns of such kinds are, in words."""
LEAST_ZEROS = 0.1
"""Share of cells at an end from which on they say more than that a value is small, or large."""
LEAST_WHOLES = 0.05
"""Share of wholes from which on numbers up to 100 are percent, and long tails end."""
FEWEST_VALUES = 20
"""Fewer values between the ends are codes, or too few to have a tail."""
LEAST_WHOLE = 20.0
"""Median of positive whole numbers from which on they are rounded measures, as money is, rather than counts."""
BAR = 0.02
"""Width of the bar of zeros that charts draw to the left of them, as a share of the largest value."""
BAR_OF_SHARES = 0.06
"""The same of shares: their densities are never far above 1/whole, beside which narrow bars would be high."""


USUAL_WHOLES = (1.0, 100.0)
"""Of shares, and of percent."""
NEARLY_WHOLE = 0.9
"""Share of the whole that some must reach where none is it, or numbers are amounts in a large unit."""
ROUNDED = 1e-12
"""Share of the whole by which sums and differences of shares miss an end for rounding alone."""


class EndsAndRest(NamedTuple):
    """Shares (E,) of some cells that are at each end, and the median of the others; NaN where there are none."""

    ends: FloatArray
    median: float


def ends_of(kind: str) -> tuple[float, ...]:
    """Return the values that have probabilities of their own in columns of a kind; none of most kinds."""
    whole = whole_of(kind)
    return (0.0,) if kind == HURDLE else () if whole is None else (0.0, whole)


def end_of(x: FloatArray, ends: Sequence[float]) -> IntArray:
    """Return at which of the ends values (n,) are, two but for rounding; how many ends there are of others."""
    near, found = ROUNDED * ends[-1] if len(ends) > 1 else 0.0, np.full(x.shape, len(ends))
    for number, end in enumerate(ends):
        found[np.abs(x - end) <= near] = number
    return found


def to_ends(x: FloatArray, whole: Any) -> FloatArray:
    """Return shares with those that miss an end by rounding alone at it."""
    near = ROUNDED * whole
    return np.asarray(np.where(np.abs(x) <= near, 0.0, np.where(np.abs(x - whole) <= near, whole, x)))


def ends_and_rest(x: FloatArray, ends: Sequence[float]) -> EndsAndRest:
    """Summarise the cells (n,) of such a column; NaN are missing."""
    seen = x[np.isfinite(x)]
    at = end_of(seen, ends)
    others = seen[at == len(ends)]
    shares = np.array([np.mean(at == end) if len(seen) else np.nan for end in range(len(ends))])
    return EndsAndRest(shares, float(np.median(others)) if len(others) else np.nan)


def kind_with_ends(values: FloatArray) -> str | None:
    """Return the kind of numbers (n,) of which many are at an end; None of others."""
    shares = _kind_of_shares(values)
    ends_at_whole = shares is not None and ends_and_rest(values, ends_of(shares)).ends[1] >= LEAST_WHOLES
    return HURDLE if not ends_at_whole and is_hurdle(values) else shares


def _kind_of_shares(values: FloatArray) -> str | None:
    """Return the kind of numbers (n,) that may be shares, if many are nothing or the whole and others are many."""
    if not len(values) or not np.all(np.isfinite(values)):
        return None
    whole = float(usual_wholes(values[:, None])[0])
    at = end_of(values, (0.0, whole))
    if np.any((values < 0) & (at == 2)) or whole not in USUAL_WHOLES:
        return None
    if np.mean(at < 2) < LEAST_ZEROS or len(np.unique(values[at == 2])) < FEWEST_VALUES:
        return None
    nearly = whole == USUAL_WHOLES[0] and values.max() >= NEARLY_WHOLE
    return share(whole) if nearly or np.mean(at == 1) >= LEAST_WHOLES else None


def is_hurdle(values: FloatArray) -> bool:
    """Whether numbers (n,) are zero at least now and then, else positive, many, and skewed but for their logarithms.

    Small whole numbers are counts.
    """
    if not len(values) or np.any(values < 0) or not np.all(np.isfinite(values)):
        return False
    positive = values[values > 0]
    if np.mean(values == 0) < LEAST_ZEROS or len(np.unique(positive)) < FEWEST_VALUES:
        return False
    if np.all(values == np.floor(values)) and np.median(positive) < LEAST_WHOLE:
        return False
    return abs(_skewness(np.log(positive))) < _skewness(positive / positive.max())


def _skewness(x: FloatArray) -> float:
    apart = x - x.mean()
    apart /= np.abs(apart).max()  # no power overflows then
    return float(np.mean(apart**3) / np.mean(apart**2) ** 1.5)


def usual_wholes(X: FloatArray) -> FloatArray:
    """Return for each column of X (N, D) the first usual whole that holds its values, or else the largest of them."""
    largest = np.fmax.reduce(X, axis=0, initial=0.0)
    within = [largest <= whole * (1 + ROUNDED) for whole in USUAL_WHOLES]
    return np.asarray(np.select(within, USUAL_WHOLES, largest))


def said_of(kind: str) -> str:
    """Return a kind and, if its columns have ends, what they are, in words."""
    word = word_of(kind)
    return f"{kind} ({SAID[word]})" if word in SAID else kind
