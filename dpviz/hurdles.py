"""Columns of zeros and positive values with a long tail, such as money spent or rain: a kind that values tell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray

HURDLE = "hurdle"
"""Kind of such columns."""
SAID = "zero, or else a positive value with a long tail"
"""What they are, in words."""
LEAST_ZEROS = 0.1
"""Share of zeros from which on they say more than that a value is small."""
FEWEST_VALUES = 20
"""Fewer positive values are codes, or too few to have a tail."""
LEAST_WHOLE = 20.0
"""Median of positive whole numbers from which on they are rounded measures, as money is, rather than counts."""
BAR = 0.02
"""Width of the bar of zeros that charts draw to the left of them, as a share of the largest value."""


class ZerosAndRest(NamedTuple):
    """Share of zeros among some cells, and median of the others; NaN where there are none."""

    zeros: float
    median: float


def zeros_and_rest(x: FloatArray) -> ZerosAndRest:
    """Summarise the cells (n,) of such a column; NaN are missing."""
    seen = x[np.isfinite(x)]
    positive = seen[seen > 0]
    median = float(np.median(positive)) if len(positive) else np.nan
    return ZerosAndRest(float(np.mean(seen == 0)) if len(seen) else np.nan, median)


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
