"""How far clusters of a run overlap: the share of points that could as well belong to the other one, and entropy.

Every point is seen by its own cluster as that is without it, so that a point is no witness for itself. Clusters that
are joined are the sum of their parts: the density of a union is the mixture of the densities that it is made of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp, xlogy

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.engine.modes import FEWEST_POINTS, NEAR, SHARE_NEAR, unevenness
from dpviz.engine.problem import Problem
from dpviz.engine.without_itself import Seen, seen_without_itself, sides
from dpviz.partition import PartitionPrior

ROUNDING = 1e-9
NEGLIGIBLE = 1e-12
"""Memberships below this add nothing to an entropy."""


class Overlap(NamedTuple):
    """Overlap of two clusters, with its standard error."""

    share: float
    error: float


class Overlaps:
    """Overlaps of all pairs of clusters, and the entropy of memberships, while clusters are joined.

    The overlap of a and b is the mean of two shares: how much of the points of a belongs to b by the densities alone,
    as if both were equally large, and how much of the points of b belongs to a. It is 0 for clusters far apart and ½
    for equal ones; of two normal groups d standard deviations apart it is 0.16 (d = 2.5), 0.10 (3), 0.06 (3.5) and
    0.034 (4). Hennig (2010, DEMP) joins by such shares of misclassified points.

    The entropy −Σ_i Σ_k τ_ik ln τ_ik (nats) is that of Baudry et al. (2010, eq. 3), with memberships τ_ik in proportion
    to the share of the points that cluster k has, times its density.

    Parameters
    ----------
    problem : Problem
    partition : PartitionPrior
        Of the run's result.
    labels : ndarray (N,)
        0 … K − 1 in the order of their first points.

    Attributes
    ----------
    entropy : float
        Of the present clusters, in nats.
    """

    def __init__(self, problem: Problem, partition: PartitionPrior, labels: IntArray) -> None:
        self._sizes = np.bincount(labels).astype(np.float64)
        n_clusters = len(self._sizes)
        self._own, self._weights, densities = seen_without_itself(problem, partition, labels)
        self._joint = densities + np.log(self._sizes / len(labels))
        """Log of share × density of each cluster (n, K); −∞ where a cluster was joined to another."""
        self._memberships = _softmax(self._joint, self._own)
        self.entropy = float(-np.sum(self._weights @ xlogy(self._memberships, self._memberships)))
        self._taken = np.zeros((n_clusters, n_clusters))
        self._spread = np.zeros((n_clusters, n_clusters))
        """Mean membership of the points of a in b when only these two are compared, and the variance of that mean."""
        self._uneven = np.full((n_clusters, n_clusters), np.nan)
        """How far a < b are from looking like one group; NaN where not yet asked."""
        self._gains = np.full((n_clusters, n_clusters), -np.inf)
        """What joining a < b takes off the entropy; −∞ elsewhere."""
        for k in range(n_clusters):
            self._compare(k)
            self._gain(k, np.arange(k + 1, n_clusters))

    def of(self, a: int, b: int) -> Overlap:
        """Overlap of two present clusters."""
        error = np.sqrt(self._spread[a, b] + self._spread[b, a]) / 2
        return Overlap(float((self._taken[a, b] + self._taken[b, a]) / 2), float(error))

    def most_overlapping(self) -> tuple[int, int]:
        """Return the pair a < b with the largest overlap (Hennig 2010)."""
        shares = self._taken + self._taken.T
        gone = self._sizes == 0
        shares[gone] = shares[:, gone] = -np.inf
        return _largest(np.where(np.tri(len(shares), dtype=np.bool_), -np.inf, shares))

    def unevenness(self, a: int, b: int) -> float:
        """How far two present clusters a < b are from being one group (:func:`dpviz.engine.modes.unevenness`)."""
        if np.isnan(self._uneven[a, b]):
            densities = self._joint[:, [a, b]] - np.log(self._sizes[[a, b]])
            own = np.select([self._own == a, self._own == b], [0, 1], 2)
            self._uneven[a, b] = unevenness(*sides(Seen(own, self._weights, densities), 0, 1))
        return float(self._uneven[a, b])

    def most_alike(self) -> tuple[int, int]:
        """Return the pair a < b that looks most like one group; where none does, the most overlapping one."""
        near = self._near()
        for a, b in np.argwhere(near & np.isnan(self._uneven)).tolist():
            self.unevenness(a, b)
        uneven = np.where(near, self._uneven, np.inf)
        best = int(np.argmin(uneven))
        return _at(best, uneven) if uneven.flat[best] <= 1.0 else self.most_overlapping()

    def _near(self) -> BoolArray:
        """Pairs a < b (K, K) whose points may be near enough to each other for one group; the others have no dip."""
        smaller = np.minimum.outer(self._sizes, self._sizes)
        least = SHARE_NEAR * smaller / (1.0 + np.exp(NEAR))  # a near point belongs to the other one by this much
        taken = self._taken * self._sizes[:, None] >= least * (1.0 - ROUNDING)
        return np.asarray(np.triu(taken & taken.T & (smaller >= FEWEST_POINTS), 1))

    def least_certain(self) -> tuple[int, int]:
        """Return the pair a < b whose union takes most off the entropy (Baudry et al. 2010, eq. 6)."""
        return _largest(self._gains)

    def join(self, a: int, b: int) -> None:
        """Replace clusters a < b by their union."""
        self.entropy = max(self.entropy - float(self._gains[a, b]), 0.0)
        self._joint[:, a] = np.logaddexp(self._joint[:, a], self._joint[:, b])
        self._memberships[:, a] += self._memberships[:, b]
        self._joint[:, b], self._memberships[:, b] = -np.inf, 0.0
        self._own[self._own == b] = a
        self._sizes[a] += self._sizes[b]
        self._sizes[b] = 0
        self._uneven[[a, b]] = self._uneven[:, [a, b]] = np.nan
        self._gains[b] = self._gains[:, b] = self._gains[a] = self._gains[:, a] = -np.inf
        self._compare(a)
        self._gain(a, np.flatnonzero(self._sizes))

    def _compare(self, a: int) -> None:
        """Compare the points of a with all clusters, and the points of all clusters with a."""
        own, weights, n_clusters = self._own, self._weights, len(self._sizes)
        log_sizes = np.log(np.where(self._sizes > 0, self._sizes, 1.0))
        mine, there = own == a, np.flatnonzero(self._sizes)
        with np.errstate(invalid="ignore"):  # a point that is impossible everywhere
            densities_of_mine = self._joint[mine] - log_sizes
            in_others = _probabilities(densities_of_mine - densities_of_mine[:, [a]])
            in_own = self._joint[np.arange(len(own)), own] - log_sizes[own]
            in_a = _probabilities(self._joint[:, a] - log_sizes[a] - in_own)
        counts, totals = np.bincount(own, minlength=n_clusters), np.bincount(own, weights, n_clusters)
        shares = weights[mine] / totals[a]
        means, squares = shares @ in_others, shares @ in_others**2
        self._taken[a], self._spread[a] = means, _variance(means, squares, counts[a])
        means, squares = (np.bincount(own, weights * v, n_clusters)[there] / totals[there] for v in (in_a, in_a**2))
        self._taken[there, a], self._spread[there, a] = means, _variance(means, squares, counts[there])

    def _gain(self, a: int, others: IntArray) -> None:
        """Weigh the unions of a with some other clusters by entropy."""
        others = others[others != a]
        rows = self._memberships[:, a] > NEGLIGIBLE
        mine, theirs = self._memberships[rows, a][:, None], self._memberships[rows][:, others]
        gains = xlogy(mine + theirs, mine + theirs) - xlogy(mine, mine) - xlogy(theirs, theirs)
        self._gains[np.minimum(a, others), np.maximum(a, others)] = self._weights[rows] @ gains


def _softmax(joint: FloatArray, own: IntArray) -> FloatArray:
    """Memberships (n, K); a point that is impossible everywhere belongs to its own cluster."""
    with np.errstate(invalid="ignore"):
        memberships = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    lost = ~np.isfinite(memberships).all(axis=1)
    memberships[lost] = own[lost, None] == np.arange(joint.shape[1])
    return memberships


def _probabilities(log_odds: FloatArray) -> FloatArray:
    """Probabilities by log odds; a half where neither density is positive."""
    return np.asarray(np.where(np.isnan(log_odds), 0.5, expit(log_odds)))


def _variance(means: FloatArray, squares: FloatArray, counts: IntArray) -> FloatArray:
    """Variance of means of memberships; one further point is undecided, so that few points never seem sure."""
    return np.asarray((np.maximum(squares - means**2, 0.0) * counts + 0.25) / (counts + 1) / counts)


def _largest(table: FloatArray) -> tuple[int, int]:
    return _at(int(np.argmax(table)), table)


def _at(position: int, table: FloatArray) -> tuple[int, int]:
    a, b = np.unravel_index(position, table.shape)
    return int(a), int(b)
