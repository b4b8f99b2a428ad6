"""Splits and merges that leave a local optimum of MAP-DP: greedy, and kept only if the exact nll falls."""

from __future__ import annotations

import heapq
import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.kernels.seeding import labels_from_kmeans
from dpviz.engine.loop import record_of
from dpviz.engine.moves import Moves, Score
from dpviz.engine.problem import Problem
from dpviz.engine.trace import SweepRecord

USUAL_SWEEPS, USUAL_WEIGHINGS = 1_000, 5_000_000
"""Splits and merges may take so many sweeps, and weigh a point against a cluster so often.

They may always take as many sweeps as all starts together did.
"""
TOLERANCE = 1e-9
"""Relative fall of the nll that counts as one."""
MERGES_TRIED = 10
"""Of all pairs, the ones whose merger alone changes the nll most favourably."""
MERGES_AFTER_SPLIT = 3
"""The first pair is often the two halves; on Wine, 1 leaves 16 of 20 single starts above the best known nll, 3 none."""
SPLITS_TRIED = 3
"""Different 2-means of each cluster."""
MOST_PAIRS = 300
"""Pairs that are weighed, the nearest ones where there are more: all of 25 clusters."""
PAIRS_AT_ONCE = 50
"""Weighed between two looks at whether the search goes on."""


Step = TypeVar("Step")
Merger = tuple[tuple[int, int], IntArray]
"""Two clusters, and the labels with them united."""


class Improvement(NamedTuple):
    """What lowered the nll, and the state after it.

    ``move`` is ``sweeps`` alone; ``merge`` of two clusters; ``split`` of one; or ``swap``, a split of one followed by a
    merge. Sweeps follow each. ``clusters`` are the labels, before the move, of those merged or split.
    """

    move: str
    clusters: tuple[int, ...]
    score: Score


class Improver:
    """Greedy search from a partition, by splits and merges with sweeps after them.

    Parameters
    ----------
    problem : Problem
        A mapdp run's.
    labels : ndarray (N,)
        Where to start: 0 … K − 1, each present.
    random_state : Generator
    budget : float
        Most sweeps, those of rejected trials included; weighing the mergers of K clusters counts as K.
    """

    def __init__(
        self, problem: Problem, labels: IntArray, random_state: np.random.Generator, budget: float = np.inf
    ) -> None:
        working = problem.working
        self._problem, self._random_state = problem, random_state
        self.budget = self._left = budget
        # one sweeper serves all trials: setting one up costs more than a sweep of a small data set
        self._clusters = CollapsedSweeper(
            working.family, working.X, working.log_jacobian, problem.partition, labels, 0.0
        )
        self._start = self._clusters.labels.copy()
        self._tried: set[int] = set()

    @property
    def spent(self) -> float:
        """How much of the budget is spent, in sweeps."""
        return self.budget - self._left

    def steps(self) -> Iterator[Improvement | None]:
        """Yield ``sweeps`` from the given labels, then every improvement; and None after every sweep on the way."""
        best = yield from self._descend(self._start)
        if best is None:
            return
        yield Improvement("sweeps", (), best)
        while True:
            highest = best.nll - TOLERANCE * max(1.0, abs(best.nll))
            better = None
            for trial in self._trials(best):
                if trial is None:
                    yield None
                elif trial.score.nll < highest:
                    better = trial
                    break
            if better is None:
                return
            best = better.score
            yield better

    def _trials(self, present: Score) -> Iterator[Improvement | None]:
        """Yield every trial after its sweeps: merges, splits, and last what the best splits and a merge lead to."""
        mergers = yield from self._merges(present, MERGES_TRIED)
        for pair, merged in mergers:
            after = yield from self._descend(merged)
            if after is not None:
                yield Improvement("merge", pair, after)
        divided: dict[int, tuple[int, Score]] = {}  # different splits often end in the same partition, or back here
        for k, halved in self._splits(present):
            after = yield from self._descend(halved)
            if after is not None:
                divided[_identity(after.labels)] = (k, after)
                yield Improvement("split", (k,), after)
        divided.pop(_identity(present.labels), None)
        for k, split in sorted(divided.values(), key=lambda trial: trial[1].nll):
            mergers = yield from self._merges(split, MERGES_AFTER_SPLIT)
            for _, merged in mergers:
                after = yield from self._descend(merged)
                if after is not None:
                    yield Improvement("swap", (k,), after)

    def _descend(self, labels: IntArray) -> Generator[None, None, Score | None]:
        """Sweep at temperature 0 until no point moves.

        None if that takes more sweeps than are left, or if the sweeps from these labels have led nowhere before: the
        2-means of a cluster are often the same, and most mergers after a split are of its halves.
        """
        clusters, identity = self._clusters, _identity(labels)
        if self._left <= 0 or identity in self._tried:
            return None
        self._tried.add(identity)
        clusters.assign(labels)
        for _ in range(self._problem.config.max_sweeps or 1):
            if self._left <= 0:
                return None
            self._left -= 1
            order = self._random_state.permutation(len(labels))
            moves = clusters.sweep(order, np.empty(0))
            yield None
            if moves.n_moved == 0:
                return clusters.score()
        return None

    def _splits(self, present: Score) -> Iterator[tuple[int, IntArray]]:
        """Divide each cluster, the largest first, several times by 2-means."""
        if present.n_clusters >= self._problem.largest_n_clusters:
            return
        for k in np.tile(np.argsort(-present.sizes, kind="stable"), SPLITS_TRIED):
            if self._left <= 0:
                return
            members = np.flatnonzero(present.labels == k)
            points = self._problem.working.coordinates[members]
            halves = labels_from_kmeans(points, min(2, len(members)), self._random_state)
            if halves.any():  # a cluster of equal points has no halves
                labels = present.labels.copy()
                labels[members[halves == 1]] = present.n_clusters
                yield int(k), labels

    def _merges(self, present: Score, n_pairs: int) -> Generator[None, None, list[Merger]]:
        """Unite the pairs of clusters whose merger, without sweeps, gives the lowest nll."""
        n_clusters, sizes = present.n_clusters, present.sizes
        if n_clusters > self._left:
            return []
        self._left -= n_clusters
        family, tables = self._problem.working.family, self._clusters.tables
        by_cluster = np.argsort(present.labels, kind="stable")
        members = np.split(self._problem.working.X[by_cluster], np.cumsum(sizes)[:-1])
        places = np.split(self._problem.working.coordinates[by_cluster], np.cumsum(sizes)[:-1])
        alone = [family.log_marginal(points) for points in members]
        gains = []
        for number, (k, other) in enumerate(_near_pairs(places)):
            together = family.log_marginal(np.concatenate([members[k], members[other]]))
            log_prior = tables.log_merger(sizes[k], sizes[other])
            gains.append((together - alone[k] - alone[other] + log_prior, k, other))
            if number % PAIRS_AT_ONCE == PAIRS_AT_ONCE - 1:
                yield None
        best = heapq.nlargest(n_pairs, gains, key=itemgetter(0))
        labels = present.labels
        return [((k, other), _renumbered(np.where(labels == other, k, labels))) for _, k, other in best]


def _near_pairs(places: list[FloatArray]) -> list[tuple[int, int]]:
    """All pairs of clusters, or if those are too many the ones with the nearest means."""
    first, second = np.triu_indices(len(places), 1)
    if len(first) > MOST_PAIRS:
        from scipy.spatial.distance import pdist  # deferred: seldom needed, and slow to import

        distances = pdist(np.array([points.mean(axis=0) for points in places]))
        near = np.argsort(distances, kind="stable")[:MOST_PAIRS]
        first, second = first[near], second[near]
    return list(zip(first.tolist(), second.tolist(), strict=True))


def _renumbered(labels: IntArray) -> IntArray:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def canonical_labels(labels: ArrayLike) -> IntArray:
    """Renumber clusters 0, 1, … by first appearance, so that equal partitions have equal labels."""
    _, first, codes = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]


def _identity(labels: IntArray) -> int:
    """Return a number that tells partitions apart, whatever their clusters are called."""
    return hash(canonical_labels(labels).tobytes())


def improvements(problem: Problem, record: SweepRecord, improver: Improver) -> Iterator[SweepRecord | None]:
    """Continue a start that has converged by splits and merges while they lower its nll.

    Parameters
    ----------
    problem : Problem
    record : SweepRecord
        The last one of the start.
    improver : Improver
        Begun at its labels.

    Yields
    ------
    SweepRecord or None
        Every improvement, last the sweep that confirms it; None while one is on trial.
    """
    spent, score = 0.0, None
    for step, seconds in timed(improver.steps()):
        spent += seconds
        if record.sweep + 2 > problem.algorithm.n_sweeps(problem.config):
            break
        if step is None or step.move == "sweeps":
            yield None
            continue
        score, record, spent = step.score, _improved(record, step, spent), 0.0
        yield record
    if score is not None:  # the sweep that ended the last improvement: it moved no point
        yield record_of(record.sweep + 1, score, Moves(), time.perf_counter(), True)


def improvement_budget(n_points: int, n_clusters: float, n_sweeps: int) -> int:
    """Return how many sweeps splits and merges may take after restarts that took ``n_sweeps`` together."""
    return max(n_sweeps, min(USUAL_SWEEPS, int(USUAL_WEIGHINGS / (n_points * n_clusters))))


def timed(steps: Iterator[Step]) -> Iterator[tuple[Step, float]]:
    """Yield every step with the seconds it took, without those that whoever asks for it spends in between."""
    while True:
        begun = time.perf_counter()
        try:
            step = next(steps)
        except StopIteration:
            return
        yield step, time.perf_counter() - begun


def _improved(before: SweepRecord, step: Improvement, seconds: float) -> SweepRecord:
    """Record a split or merge as the next sweep: what differs between the two partitions, each cluster matched."""
    from scipy.optimize import linear_sum_assignment  # deferred: slow to import

    score = step.score
    shared = np.zeros((before.n_clusters, score.n_clusters), dtype=np.int64)
    np.add.at(shared, (before.labels, score.labels), 1)
    n_matched = min(before.n_clusters, score.n_clusters)
    moves = Moves(
        len(score.labels) - int(shared[linear_sum_assignment(-shared)].sum()),
        score.n_clusters - n_matched,
        before.n_clusters - n_matched,
    )
    record = record_of(before.sweep + 1, score, moves, time.perf_counter(), False)
    return replace(record, seconds=record.seconds + seconds, move=step.move)
