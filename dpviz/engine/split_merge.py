"""Split–merge moves between sweeps of the collapsed Gibbs sampler (Jain & Neal 2004, the conjugate sampler).

A sweep moves one point at a time, and a chain can take very long to split a cluster or to merge two. These moves do
it at once: two points are drawn; if they share a cluster it is divided between them, else their clusters are merged. A
Metropolis–Hastings test leaves the posterior exactly invariant.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import borrowed, kernel, prepare
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed import PartitionTables
from dpviz.engine.problem import Problem
from dpviz.errors import require
from dpviz.families.verbs import add_point, log_marginal, log_predictive, rebuild, remove_point


@kernel
def _fill(state: Any, X: FloatArray, members: IntArray, sides: IntArray, counts: IntArray, slot: int) -> None:
    """Compute the statistics of one side from its members."""
    chosen = members[sides == slot]
    counts[slot] = chosen.shape[0]
    labels = np.zeros(chosen.shape[0], dtype=np.int64)
    rebuild(state, X[chosen], labels, counts[slot : slot + 1], 1, slot)


@kernel
def restricted_scan(
    state: Any,
    X: FloatArray,
    members: IntArray,
    sides: IntArray,
    counts: IntArray,
    log_join: FloatArray,
    uniforms: FloatArray,
    target: IntArray,
) -> float:
    """One Gibbs scan over two sides, in place; return the log probability (nats) of the choices it made.

    ``members[0]`` and ``members[1]`` stay where they are, one on either side, so no side ever empties. ``target`` of
    length 0 draws; otherwise the scan is forced to give ``target``, and its probability is computed.
    """
    _fill(state, X, members, sides, counts, 0)
    _fill(state, X, members, sides, counts, 1)
    state, X, members, sides, counts = borrowed((state, X, members, sides, counts))
    log_probability = 0.0
    for j in range(2, members.shape[0]):
        i, side = members[j], sides[j]
        sides[j] = -1
        if remove_point(state, X, i, side, counts[side]):
            counts[side] -= 1
        else:
            _fill(state, X, members, sides, counts, side)
        score_0 = log_predictive(state, X, i, 0, counts[0]) + log_join[counts[0]]
        score_1 = log_predictive(state, X, i, 1, counts[1]) + log_join[counts[1]]
        difference = score_1 - score_0
        # ln of 1/(1 + e^difference), without overflow
        log_first = -(max(difference, 0.0) + math.log1p(math.exp(-abs(difference))))
        if target.shape[0] > 0:
            side = target[j]
        else:
            side = 0 if math.log(uniforms[j]) < log_first else 1
        log_probability += log_first if side == 0 else log_first + difference
        sides[j] = side
        if add_point(state, X, i, side, counts[side]):
            counts[side] += 1
        else:
            _fill(state, X, members, sides, counts, side)
    return log_probability


@kernel
def restricted_scans(
    state: Any,
    X: FloatArray,
    members: IntArray,
    sides: IntArray,
    counts: IntArray,
    log_join: FloatArray,
    uniforms: FloatArray,
    target: IntArray,
) -> float:
    """One scan per row of ``uniforms``, of which the last may have a target; return the last one's log probability."""
    log_probability = 0.0
    for scan in range(uniforms.shape[0]):
        forced = target if scan == uniforms.shape[0] - 1 else target[:0]
        log_probability = restricted_scan(state, X, members, sides, counts, log_join, uniforms[scan], forced)
    return log_probability


@kernel
def log_marginal_ratio(state: Any, X: FloatArray, sides: IntArray, sizes: IntArray) -> float:
    """Log marginal likelihood (nats) of the points X (n, D) as two clusters, minus that as one."""
    rebuild(state, X, sides, sizes, 2, 0)
    divided = log_marginal(state, 0, sizes[0]) + log_marginal(state, 1, sizes[1])
    sizes[0], sizes[1] = X.shape[0], 0
    rebuild(state, X, np.zeros(X.shape[0], dtype=np.int64), sizes, 1, 0)
    return divided - log_marginal(state, 0, X.shape[0])


class SplitMergeResult(NamedTuple):
    """Result of one proposal.

    Attributes
    ----------
    labels : ndarray (N,)
        After the move, or as before if it was rejected.
    move : str
        ``"split"`` or ``"merge"``.
    accepted : bool
    log_acceptance : float
        Log acceptance ratio; above 0 it is always accepted.
    n_moved : int
        Points that changed cluster.
    """

    labels: IntArray
    move: str
    accepted: bool
    log_acceptance: float
    n_moved: int


class SplitMerge:
    """Proposes splits and merges for one problem.

    Parameters
    ----------
    problem : Problem
        gibbs at temperature 1 with the collapsed sampler.
    n_scans : int
        Intermediate restricted scans that prepare a split, ≥ 0; Jain and Neal find a few enough.

    Attributes
    ----------
    tables : PartitionTables
        The partition prior; another may be set between two proposals.

    Raises
    ------
    InvalidParameterError
    """

    def __init__(self, problem: Problem, n_scans: int = 3) -> None:
        config = problem.config
        collapsed = problem.algorithm.is_chain and config.sampler == "collapsed"
        require(collapsed, "algorithm", (config.algorithm, config.sampler), "gibbs with sampler='collapsed'")
        require(config.temperature == 1, "temperature", config.temperature, "1 for split–merge moves")
        require(isinstance(n_scans, int) and n_scans >= 0, "n_scans", n_scans, "a whole number ≥ 0")
        self._problem, self._n_scans = problem, n_scans
        self._working = problem.working
        self.tables = PartitionTables(problem.partition, len(problem.X))
        self._state = self._working.family.bind(self._working.X, 2)
        self._prepare_kernels()

    def _prepare_kernels(self) -> None:
        """Load the kernels of a move, so that the first one takes no longer than the others."""
        X, numbers = self._working.X, np.zeros(2, dtype=np.int64)
        joins, uniforms = self.tables.log_join, np.ones((1, 2))
        prepare(restricted_scans, self._state, X, numbers, numbers, numbers, joins, uniforms, numbers)
        prepare(log_marginal_ratio, self._state, X, numbers, numbers)

    def move(self, labels: IntArray, random_state: np.random.Generator) -> SplitMergeResult:
        """Propose one split or merge and accept or reject it.

        Parameters
        ----------
        labels : ndarray (N,)
            0 … K − 1, each present; not changed.
        random_state : numpy.random.Generator

        Returns
        -------
        SplitMergeResult
            Its labels are 0 … K' − 1, each present; a new cluster comes last.
        """
        if len(labels) < 2:
            return SplitMergeResult(labels.copy(), "split", False, -math.inf, 0)
        first, second = random_state.choice(len(labels), 2, replace=False)
        splits = bool(labels[first] == labels[second])
        inside = (labels == labels[first]) | (labels == labels[second])
        inside[[first, second]] = False
        members = np.concatenate([[first, second], random_state.permutation(np.flatnonzero(inside))])
        original = np.where(labels[members] == labels[first], 0, 1)
        sides, log_proposal = self._propose(members, None if splits else original, random_state)
        log_ratio = self._log_ratio(labels, members, sides) - log_proposal  # of the split against the merger
        log_acceptance = log_ratio if splits else -log_ratio
        accepted = math.log(1.0 - random_state.random()) < log_acceptance
        move = "split" if splits else "merge"
        after, n_moved = labels.copy(), 0
        if accepted and splits:
            after[members[sides == 1]] = labels.max() + 1
            n_moved = int(np.count_nonzero(sides))
        elif accepted:
            kept, dissolved = sorted((int(labels[first]), int(labels[second])))
            n_moved = int(np.count_nonzero(labels == dissolved))
            after[members] = kept
            after[after > dissolved] -= 1
        return SplitMergeResult(after, move, accepted, log_acceptance, n_moved)

    def _propose(
        self, members: IntArray, target: IntArray | None, random_state: np.random.Generator
    ) -> tuple[IntArray, float]:
        """Return a division of ``members`` and its log probability; with ``target`` that division's."""
        n_members = len(members)
        sides = random_state.integers(2, size=n_members)
        sides[:2] = 0, 1
        uniforms = 1.0 - random_state.random((self._n_scans + 1, n_members))  # in (0, 1]: their logarithms are taken
        counts, forced = np.zeros(2, dtype=np.int64), np.empty(0, dtype=np.int64) if target is None else target
        X, joins = self._working.X, self.tables.log_join
        return sides, restricted_scans(self._state, X, members, sides, counts, joins, uniforms, forced)

    def _log_ratio(self, labels: IntArray, members: IntArray, sides: IntArray) -> float:
        """Log joint with ``members`` divided, minus the one with them in one cluster."""
        sizes = np.bincount(sides, minlength=2)
        others = np.bincount(labels)
        others[labels[members[:2]]] = 0
        others = others[others > 0]
        log_divided = self.tables.log_probability(np.concatenate((others, sizes)))
        log_united = self.tables.log_probability(np.concatenate((others, [len(members)])))
        log_ratio = log_marginal_ratio(self._state, self._working.X[members], sides, sizes)
        return float(log_ratio + log_divided - log_united)
