"""Whether two clusters look like one group cut in two: the dip test of unimodality on the log odds between them.

Where a group is cut, points lie on both sides of the cut as densely as beside it. Between two groups there are fewer.
The log odds of the two clusters' densities lay all their points out along one line, of any kind of columns, from what
is surely in the one to what is surely in the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray

EVEN = 0.33
"""Dip × √n up to which n numbers count as one group.

Of uniform samples 37 % have less at n = 100, and 30 % at n = 400, the fewest and the most that are compared with it. To
join clusters more is asked for than that nothing was rejected, or few points could always be joined.
"""
REJECTED = {20: 0.470, 50: 0.497, 100: 0.511, 200: 0.521, 400: 0.528}
"""Dip × √n, by n, above which the dip test rejects a single mode at the level of 5 % (Hartigan & Hartigan 1985).

It is exceeded by 5 % of uniform samples; published tables and 20,000 samples of each size by :func:`dip` agree within
.002. Twenty numbers are the fewest that are compared with it, and 400 the most. One bound for all would not do: that of
400 is exceeded by 1.5 % of samples of twenty.
"""
NEAR = float(np.log(20.0))
"""Log odds (nats) below which a point is near to the other cluster: that one's density is 1/20 or more of its own."""
SHARE_NEAR = 0.05
"""Points of either cluster that are near to the other one, as a share of the size of the smaller cluster."""
FEWEST_POINTS, MOST_POINTS = 50, 200
"""Points of a cluster below which it is not said to be one with another, and numbers that stand for more points."""
FEWEST_IN_DOUBT = 10
"""Points of a cluster below which it is not doubted either."""


def dip(values: FloatArray) -> float:
    """Return the dip of a sample: its distance from the nearest distribution of one mode (Hartigan & Hartigan 1985).

    Parameters
    ----------
    values : array_like (n,)
        n ≥ 1 finite numbers.

    Returns
    -------
    float
        Largest difference of the distribution functions, from 1/(2n) to ¼; a single value has 0. Exact for distinct
        values. Repeated ones count as steps, which make it larger rather than smaller.
    """
    places, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    if len(places) == 1:
        return 0.0
    above = np.cumsum(counts) / counts.sum()
    below = above - counts / counts.sum()
    low, high, found = 0, len(places) - 1, float((above - below).max())
    while True:
        inside = slice(low, high + 1)
        x = places[inside]
        minorant, majorant = _hull(x, below[inside], 1.0), _hull(x, above[inside], -1.0)
        convex, concave = (
            np.interp(x, x[minorant], below[inside][minorant]),
            np.interp(x, x[majorant], above[inside][majorant]),
        )
        at_minorant = (concave - below[inside])[minorant]
        at_majorant = (above[inside] - convex)[majorant]
        if max(at_minorant.max(), at_majorant.max()) <= found:
            return found / 2
        if at_minorant.max() >= at_majorant.max():
            left = int(minorant[np.argmax(at_minorant)])
            right = int(majorant[np.searchsorted(majorant, left)])
        else:
            right = int(majorant[np.argmax(at_majorant)])
            left = int(minorant[np.searchsorted(minorant, right, side="right") - 1])
        outside_left = (above[inside] - convex)[: left + 1].max()
        outside_right = (concave - below[inside])[right:].max()
        found = max(found, float(outside_left), float(outside_right))
        if left == 0 and right == high - low:
            return found / 2
        low, high = low + left, low + right


def _hull(x: FloatArray, y: FloatArray, sign: float) -> IntArray:
    """Return the positions of the corners of the greatest convex minorant of points, or the least concave majorant."""
    xs, ys, kept = x.tolist(), (sign * y).tolist(), list[int]()
    for i, (here, level) in enumerate(zip(xs, ys, strict=True)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (ys[b] - ys[a]) * (here - xs[b]) < (level - ys[b]) * (xs[b] - xs[a]):
                break
            kept.pop()
        kept.append(i)
    return np.array(kept)


class Side(NamedTuple):
    """Points of one of two clusters.

    Attributes
    ----------
    log_odds : ndarray (n,)
        Of their own cluster against the other one (nats), as if both were equally large.
    weights : ndarray (n,)
        How many points each stands for.
    """

    log_odds: FloatArray
    weights: FloatArray

    def near(self) -> float:
        """Points that are near to the other cluster."""
        return float(self.weights[self.log_odds < NEAR].sum())

    def quantiles(self, number: int, nearest: float = np.inf) -> FloatArray:
        """Return so many numbers in equal steps of the distribution of all points, or of the nearest so many."""
        order = np.argsort(self.log_odds, kind="stable")
        reached = np.cumsum(self.weights[order])
        wanted = (np.arange(number) + 0.5) / number * min(nearest, reached[-1])
        return np.asarray(self.log_odds[order][np.searchsorted(reached, wanted)])


def unevenness(one: Side, other: Side) -> float:
    """Return how far two clusters are from looking like one group of one mode.

    As many points of the larger cluster are taken as the smaller one has, since beside many points a few hardly show:
    evenly from all of it, and those nearest to the smaller one. The first show a valley beside the whole of a group,
    the second one beside its flank.

    Returns
    -------
    float
        1 or less where they look like one group cut in two: the larger of both dips × √n of the log odds, in units of
        :data:`EVEN`. Infinite where too few points are near to the other cluster, or one has too few to tell.
    """
    smaller = _points_to_compare(one, other)
    if smaller < FEWEST_POINTS:
        return np.inf
    return max(_scaled_dip(one, other, smaller), _scaled_dip(one, other, smaller, nearest=smaller)) / EVEN


def may_be_one(one: Side, other: Side) -> bool:
    """Whether the dip test of the log odds of two clusters, equally many points of both, does not reject one mode."""
    smaller = _points_to_compare(one, other)
    return smaller >= FEWEST_IN_DOUBT and _scaled_dip(one, other, smaller) <= rejected_from(2 * _compared(smaller))


def rejected_from(n: int) -> float:
    """Return the dip × √n of n numbers from which one mode is rejected: :data:`REJECTED`, or between two of these."""
    return float(np.interp(n, list(REJECTED), list(REJECTED.values())))


def _points_to_compare(one: Side, other: Side) -> float:
    """Points of the smaller cluster; none if too few of either are near to the other one."""
    smaller = float(min(one.weights.sum(), other.weights.sum()))
    return smaller if min(one.near(), other.near()) >= SHARE_NEAR * smaller else 0.0


def _compared(smaller: float) -> int:
    """Numbers that stand for the points of either cluster, given those of the smaller one."""
    return int(min(smaller, MOST_POINTS))


def _scaled_dip(one: Side, other: Side, smaller: float, nearest: float = np.inf) -> float:
    number = _compared(smaller)
    both = np.concatenate([one.quantiles(number, nearest), -other.quantiles(number, nearest)])
    return float(dip(both) * np.sqrt(len(both)))
