"""Split–merge moves between sweeps of the collapsed Gibbs sampler.

A sweep moves one point at a time, and a chain can take very long to split a cluster or to merge two. These moves do
it at once: two points, the anchors, are drawn; if they share a cluster it is divided between them, else their clusters
are merged. A Metropolis–Hastings test leaves the posterior exactly invariant.

How a cluster is divided is a choice (``RunConfig.split_merge_proposal``):

- by sequential allocation (Dahl 2005): the other members come one by one, in random order, and join either side with
  the probabilities of the model. One pass is cheap, and the reverse of a good merger is never improbable. In many
  columns two single points say too little about the sides for that. A share of the proposals there begins with a
  division that depends on data and anchors only, made by passes that take the more probable side, and draws one
  restricted scan from it. Each of the two ways is reversible by itself, so their random mixture is exact, too;
- by restricted scans from random sides (Jain & Neal 2004, the conjugate sampler), as configurations of the first
  versions have it. A few scans do not break the symmetry of large clusters, so most mergers are rejected.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import borrowed, inlined, kernel, prepare
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed import PartitionTables
from dpviz.engine.options import SPLIT_MERGE_PROPOSAL
from dpviz.engine.problem import Problem
from dpviz.errors import require
from dpviz.families.verbs import add_point, log_marginal, log_predictive, rebuild, remove_point

FEW_COLUMNS = 3
"""With more columns, some proposals begin with an informed division."""
INFORMED_SHARE, INFORMED_PASSES = 0.2, 3
"""The share of those proposals, and the passes over the members that improve such a division."""
_NO_TARGET = np.empty(0, dtype=np.int64)


@kernel
def _fill(state: Any, X: FloatArray, members: IntArray, sides: IntArray, counts: IntArray, slot: int) -> None:
    """Compute the statistics of one side from its members."""
    chosen = members[sides == slot]
    counts[slot] = chosen.shape[0]
    labels = np.zeros(chosen.shape[0], dtype=np.int64)
    rebuild(state, X[chosen], labels, counts[slot : slot + 1], 1, slot)


@inlined
def _join_side(
    state: Any,
    X: FloatArray,
    members: IntArray,
    sides: IntArray,
    counts: IntArray,
    log_join: FloatArray,
    j: int,
    uniform: float,
    target: IntArray,
) -> float:
    """Let ``members[j]`` join a side, that of ``target`` if there is one; return the log probability (nats) of it."""
    i = members[j]
    score_0 = log_predictive(state, X, i, 0, counts[0]) + log_join[counts[0]]
    score_1 = log_predictive(state, X, i, 1, counts[1]) + log_join[counts[1]]
    difference = score_1 - score_0
    # ln of 1/(1 + e^difference), without overflow
    log_first = -(max(difference, 0.0) + math.log1p(math.exp(-abs(difference))))
    if target.shape[0] > 0:
        side = target[j]
    else:
        side = 0 if math.log(uniform) < log_first else 1
    sides[j] = side
    if add_point(state, X, i, side, counts[side]):
        counts[side] += 1
    else:
        _fill(state, X, members, sides, counts, side)
    return log_first if side == 0 else log_first + difference


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
        log_probability += _join_side(state, X, members, sides, counts, log_join, j, uniforms[j], target)
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
def _place_anchors(state: Any, X: FloatArray, members: IntArray, sides: IntArray, counts: IntArray) -> None:
    """Put the two anchors on a side of their own, and the other members on none."""
    sides[:] = -1
    for slot in range(2):
        sides[slot] = slot
        _fill(state, X, members, sides, counts, slot)


@kernel
def sequential_allocation(
    state: Any,
    X: FloatArray,
    members: IntArray,
    sides: IntArray,
    counts: IntArray,
    log_join: FloatArray,
    uniforms: FloatArray,
    target: IntArray,
) -> float:
    """Let the members join either anchor's side one by one; return the log probability (nats) of their choices.

    ``members[0]`` and ``members[1]`` are the anchors. ``target`` of length 0 draws; otherwise the sides become
    ``target``, and the probability of drawing them is computed. Uniform numbers of ½ take the more probable side.
    """
    _place_anchors(state, X, members, sides, counts)
    state, X, members, sides, counts = borrowed((state, X, members, sides, counts))
    log_probability = 0.0
    for j in range(2, members.shape[0]):
        log_probability += _join_side(state, X, members, sides, counts, log_join, j, uniforms[j], target)
    return log_probability


@kernel
def anchor_preferences(
    state: Any, X: FloatArray, members: IntArray, sides: IntArray, counts: IntArray, preferences: FloatArray
) -> None:
    """Write how many nats (m,) the members prefer one anchor alone to the other; infinite for the anchors."""
    _place_anchors(state, X, members, sides, counts)
    state, X, members = borrowed((state, X, members))
    preferences[:2] = math.inf
    for j in range(2, members.shape[0]):
        i = members[j]
        preferences[j] = abs(log_predictive(state, X, i, 1, 1) - log_predictive(state, X, i, 0, 1))


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
    proposal : {"sequential", "restricted_scans"}, optional
        How a cluster is divided; by default as the problem's configuration says.
    n_scans : int
        Scans that prepare a division: of ``"restricted_scans"``, of which Jain and Neal find a few enough.
    informed : float, optional
        Share of the proposals of ``"sequential"`` that begin with an informed division; by default that depends on the
        number of columns.

    Attributes
    ----------
    tables : PartitionTables
        The partition prior; another may be set between two proposals.
    X : ndarray (N, D)
        Working data; others may be set between two proposals, if missing cells got other values.

    Raises
    ------
    InvalidParameterError
    """

    def __init__(
        self, problem: Problem, proposal: str | None = None, n_scans: int = 3, informed: float | None = None
    ) -> None:
        config = problem.config
        collapsed = problem.algorithm.is_chain and config.sampler == "collapsed"
        require(collapsed, "algorithm", (config.algorithm, config.sampler), "gibbs with sampler='collapsed'")
        require(config.temperature == 1, "temperature", config.temperature, "1 for split–merge moves")
        require(isinstance(n_scans, int) and n_scans >= 0, "n_scans", n_scans, "a whole number ≥ 0")
        self._problem, self._n_scans = problem, n_scans
        self._proposal = SPLIT_MERGE_PROPOSAL.check(proposal or config.split_merge_proposal)
        many = problem.X.shape[1] > FEW_COLUMNS
        self._informed = (INFORMED_SHARE if many else 0.0) if informed is None else informed
        self.X = problem.working.X
        self.tables = PartitionTables(problem.partition, len(problem.X))
        self._state = problem.working.family.bind(self.X, 2)
        self._prepare_kernels()

    def _prepare_kernels(self) -> None:
        """Load the kernels of a move, so that the first one takes no longer than the others."""
        X, numbers = self.X, np.zeros(2, dtype=np.int64)
        joins, uniforms = self.tables.log_join, np.ones((1, 2))
        if self._proposal == "sequential":
            prepare(sequential_allocation, self._state, X, numbers, numbers, numbers, joins, uniforms[0], numbers)
        if self._proposal != "sequential" or self._informed:
            prepare(restricted_scans, self._state, X, numbers, numbers, numbers, joins, uniforms, numbers)
        if self._informed:
            prepare(anchor_preferences, self._state, X, numbers, numbers, numbers, joins)
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
        if self._proposal == "restricted_scans":
            return self._by_scans(members, target, random_state)
        if self._informed and random_state.random() < self._informed:
            return self._from_informed_division(members, target, random_state)
        uniforms = 1.0 - random_state.random(len(members))
        sides = np.empty(len(members), dtype=np.int64)
        return sides, self._allocate(members, sides, uniforms, target)

    def _by_scans(
        self, members: IntArray, target: IntArray | None, random_state: np.random.Generator
    ) -> tuple[IntArray, float]:
        """Divide by scans from random sides."""
        sides = random_state.integers(2, size=len(members))
        sides[:2] = 0, 1
        uniforms = 1.0 - random_state.random((self._n_scans + 1, len(members)))  # in (0, 1]: their logarithms are taken
        return sides, self._scan(members, sides, uniforms, target)

    def _from_informed_division(
        self, members: IntArray, target: IntArray | None, random_state: np.random.Generator
    ) -> tuple[IntArray, float]:
        """Divide by one scan from a division that follows from the data and the anchors alone.

        The members whose preference for an anchor is clearest come first, and every one takes the side that is more
        probable; passes over all of them then improve the division until the scan that is drawn.
        """
        n_members = len(members)
        sides, preferences = np.empty(n_members, dtype=np.int64), np.empty(n_members)
        counts = np.zeros(2, dtype=np.int64)
        anchor_preferences(self._state, self.X, members, sides, counts, preferences)
        order = np.argsort(-preferences, kind="stable")
        members, target = members[order], None if target is None else target[order]
        uniforms = np.full((INFORMED_PASSES + 1, n_members), 0.5)
        self._allocate(members, sides, uniforms[0], None)
        uniforms[-1] = 1.0 - random_state.random(n_members)
        log_probability = self._scan(members, sides, uniforms, target)
        divided = np.empty_like(sides)
        divided[order] = sides
        return divided, log_probability

    def _allocate(self, members: IntArray, sides: IntArray, uniforms: FloatArray, target: IntArray | None) -> float:
        counts, forced = np.zeros(2, dtype=np.int64), _NO_TARGET if target is None else target
        X, joins = self.X, self.tables.log_join
        return sequential_allocation(self._state, X, members, sides, counts, joins, uniforms, forced)

    def _scan(self, members: IntArray, sides: IntArray, uniforms: FloatArray, target: IntArray | None) -> float:
        counts, forced = np.zeros(2, dtype=np.int64), _NO_TARGET if target is None else target
        X, joins = self.X, self.tables.log_join
        return restricted_scans(self._state, X, members, sides, counts, joins, uniforms, forced)

    def _log_ratio(self, labels: IntArray, members: IntArray, sides: IntArray) -> float:
        """Log joint with ``members`` divided, minus the one with them in one cluster."""
        sizes = np.bincount(sides, minlength=2)
        others = np.bincount(labels)
        others[labels[members[:2]]] = 0
        others = others[others > 0]
        log_divided = self.tables.log_probability(np.concatenate((others, sizes)))
        log_united = self.tables.log_probability(np.concatenate((others, [len(members)])))
        log_ratio = log_marginal_ratio(self._state, self.X[members], sides, sizes)
        return float(log_ratio + log_divided - log_united)
