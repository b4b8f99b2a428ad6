"""An iterated search of partitions: random changes of a few clusters, kept if the exact nll falls.

A walk begins at the result of a start. Every cluster is split in two, or merged with a neighbour, while that helps;
then random changes of a few clusters are tried (:mod:`dpviz.engine.perturb`), each followed by sweeps until no point
moves. A result that is a few nats worse is sometimes accepted, so that a walk can leave a local optimum; it returns to
its best partition soon. A walk ends after a number of trials without a gain, and the next one begins at another start.
The search ends when several walks have found the same best partition, or when its budget is spent: both are counted in
work, never by the clock, so that it finds the same on every machine. More effort continues exactly what less effort
ended.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import IntArray
from dpviz.engine.kernels.local import LocalSweeper
from dpviz.engine.loop import record_of
from dpviz.engine.moves import Moves, Score
from dpviz.engine.perturb import Partition, Perturber
from dpviz.engine.problem import Problem
from dpviz.engine.record import SweepRecord

TOLERANCE = 1e-9
"""Relative fall of the nll that counts as one."""
BUDGET = 4e9
"""Operations of the usual effort: some two seconds."""
TRIAL_OPERATIONS = 1.5e5
"""Operations of a trial apart from its sweeps."""
WEIGHINGS_PER_TRIAL = 10
"""Scores of a trial per point of the data: roughly, for estimates."""
WALKS_THAT_AGREE, WALKS_IN_VAIN = 9, 12
"""The search ends when this many walks reached the best partition, or this many ended without a better one.

A walk that reaches the best partition of earlier walks ends there, so that many walks cost little. With 5 and 7 full
walks, wine and iris took twice as long, and 2 of 56 searches of vehicle missed the best.
"""
SHARE_OF_A_WALK = 0.25
"""Share of a full walk that a walk to the best partition of earlier ones takes: roughly, for estimates."""
SPLITS_TRIED = 3
"""Divisions of each cluster before and after the random changes."""
WORSE_BY = 10.0
"""A walk accepts partitions that are worse by an exponential amount of this mean, in nats. On thirteen tables of 150 to
900 rows, 5 left more walks in poor optima, and with 20 walks wandered; an adaptive mean did no better."""
HOPELESS = 3 * WORSE_BY
"""Changes that are worse by more nats, after their own points have settled, are not swept any further."""


Step = TypeVar("Step")


class Improvement(NamedTuple):
    """A step that lowered the nll, and the state after it.

    ``move`` is ``sweeps`` alone, ``split`` if there are more clusters now, ``merge`` if there are fewer, and ``swap``
    if there are as many.
    """

    move: str
    score: Score


class IteratedSearch:
    """Search from the results of several starts.

    Parameters
    ----------
    problem : Problem
        The problem of a mapdp run.
    origins : sequence of ndarray (N,)
        Labels 0 … K − 1 of the partitions at which walks begin, one after the other and from the first again.
    random_state : Generator
    effort : float
        Factor on the budget and on the number of walks.
    n_equal : int
        Number of starts that ended at the first origin: the more, the shorter the search without a gain.

    Attributes
    ----------
    budget : float
        Operations allowed.
    lowest : float
        The lowest nll so far (nats).
    n_trials : int
        Changes tried so far.
    """

    def __init__(
        self,
        problem: Problem,
        origins: Sequence[IntArray],
        random_state: np.random.Generator,
        effort: float = 1.0,
        n_equal: int = 1,
    ) -> None:
        working = problem.working
        self._problem, self._random = problem, random_state
        self._origins = [labels.astype(np.int64) for labels in origins]
        self._most_sweeps = problem.config.max_sweeps or 1
        self._per_weighing = working.family.operations(working.X.shape[1])
        self._n_equal = n_equal
        # two sweepers serve all trials: setting one up costs more than a sweep of a small table
        self._home, self._work = (
            LocalSweeper(working.family, working.X, working.log_jacobian, problem.partition, self._origins[0], 0.0)
            for _ in range(2)
        )
        places = np.ascontiguousarray(working.coordinates)
        self._perturber = Perturber(self._home, self._work, places, problem.largest_n_clusters, random_state)
        self._present = self._best = self._best_of_all = Partition.of(self._home)
        self.lowest, self.n_trials, self._known = np.inf, 0, np.inf
        self._n_agree, self._n_vain, self._has_walked = min(n_equal, WALKS_THAT_AGREE) - 1, 0, False
        self._steps = self._walks()
        self.allow(effort)

    def allow(self, effort: float) -> None:
        """Set the total budget of the search, which includes the work already done."""
        self._share = 0.0
        self.budget = BUDGET * effort
        self._agree, self._vain = math.ceil(WALKS_THAT_AGREE * effort), math.ceil(WALKS_IN_VAIN * effort)

    @property
    def spent(self) -> float:
        """Operations done so far."""
        weighed = self._home.n_weighed + self._work.n_weighed
        return weighed * self._per_weighing + self.n_trials * TRIAL_OPERATIONS

    @property
    def _patience(self) -> int:
        """Trials without a gain after which a walk ends."""
        return max(trials_in_vain(len(self._problem.X)) // self._n_equal, 1)

    @property
    def exhausted(self) -> bool:
        """Whether the budget is spent."""
        return self.spent >= self.budget

    @property
    def share(self) -> float:
        """Progress of the search from 0 to 1; it never falls, though a gain prolongs the rest."""
        done = max(self.spent / self.budget, self._n_agree / self._agree, self._n_vain / self._vain)
        self._share = max(self._share, min(done, 1.0))
        return self._share

    @property
    def over(self) -> bool:
        """Whether enough walks agree, enough failed, or the budget is spent; never before the first has ended."""
        return self._has_walked and (self._n_agree >= self._agree or self._n_vain >= self._vain) or self.exhausted

    def steps(self) -> Iterator[Improvement | None]:
        """Yield the result of sweeps from the first origin, then every improvement; and None after every other trial.

        Called again after :meth:`allow`, it continues.
        """
        while not self.over:
            yield next(self._steps)

    def _walks(self) -> Iterator[Improvement | None]:
        """Walk from one origin after the other, without end."""
        for origin in cycle(self._origins):
            before, champion = self.lowest, self._best_of_all
            self._known = before
            yield from self._walk(origin)
            self._has_walked = True
            if np.isinf(self.lowest):  # the sweeps from this origin did not end
                self._n_vain += 1
                yield None
                continue
            agrees = not _is_lower(self.lowest, self._best.nll)
            if np.isfinite(before) and not (agrees and self.lowest == before):
                yield from self._recombine(champion, self._best)
            gained = self.lowest < before if np.isfinite(before) else self._n_equal == 1
            self._n_agree = 1 if gained else self._n_agree + agrees
            self._n_vain = 0 if gained else self._n_vain + 1
            yield None

    @property
    def _is_known(self) -> bool:
        """Whether the walk has reached the best partition of earlier walks, which they searched around."""
        return bool(np.isfinite(self._known)) and abs(self._best.nll - self._known) <= _least_fall(self._known)

    def _walk(self, origin: IntArray) -> Iterator[Improvement | None]:
        """Search from one origin until a number of trials bring no gain."""
        self._work.load(origin)
        if not self._work.descend(self._random, self._most_sweeps):
            return
        self._arrive()
        yield self._news()
        tried = None
        while tried is not self._best and not self._is_known:
            yield from self._one_by_one()
            tried = self._best
            yield from self._changes()

    def _one_by_one(self) -> Iterator[Improvement | None]:
        """Split every cluster, and merge it with a neighbour, until neither lowers the nll."""
        waiting = self._each_cluster()
        while waiting and not self._is_known:
            self.n_trials += 1
            k, n_parts = waiting.pop()
            changed = (
                self._perturber.divide(self._best, [k], n_parts)
                if n_parts > 1
                else self._perturber.unite(self._best, k)
            )
            if changed and self._leads_lower():
                waiting = self._each_cluster()
                yield self._news()
            else:
                yield None

    def _each_cluster(self) -> list[tuple[int, int]]:
        """Every cluster in random order with the number of parts to make of it."""
        tasks = [(k, n_parts) for k in range(self._best.n_clusters) for n_parts in (1,) + (2,) * SPLITS_TRIED]
        return [tasks[position] for position in self._random.permutation(len(tasks))]

    def _changes(self) -> Iterator[Improvement | None]:
        """Try random changes until a number of them bring no gain."""
        quiet = 0
        while quiet < self._patience and not self._is_known:
            leash = max(self._patience // 3, 1)
            if quiet % leash == leash - 1 and self._present is not self._best:
                self._go_to(self._best)
            if self._trial():
                quiet = 0
                yield self._news()
            else:
                quiet += 1
                yield None
        self._go_to(self._best)

    def _recombine(self, one: Partition, other: Partition) -> Iterator[Improvement | None]:
        """Try every cluster of each of two walks' best partitions in the other one."""
        for target, source in ((one, other), (other, one)):
            self._best = target
            self._go_to(target)
            for wanted in source.members:
                self.n_trials += 1
                if self._perturber.transplant(self._best, wanted) and self._leads_lower():
                    yield self._news()
                else:
                    yield None

    def _trial(self) -> bool:
        """Try a change of the present partition and perhaps accept it; return whether it gives the best of the walk."""
        self.n_trials += 1
        if not self._perturber.change(self._present):
            return False
        if self._leads_lower():
            return True
        is_other = abs(self._work.nll - self._present.nll) > _least_fall(self._present.nll)
        if is_other and self._work.nll < self._present.nll + WORSE_BY * self._random.exponential():
            self._go_to(Partition.of(self._work))
        return False

    def _leads_lower(self) -> bool:
        """Sweep after a change unless it is hopeless; accept the result if it is the best of the walk."""
        rise = self._work.nll - self._present.nll
        if abs(rise) <= _least_fall(self._present.nll):  # the same partition again: no sweep moves any of its points
            return False
        if rise > HOPELESS or not self._work.descend(self._random, self._most_sweeps):
            self._work.nll = np.inf
            return False
        if not _is_lower(self._work.nll, self._best.nll):
            return False
        self._arrive()
        return True

    def _arrive(self) -> None:
        """Make the working sweeper's state the best of the walk."""
        self._best = Partition.of(self._work)
        self._go_to(self._best)

    def _go_to(self, partition: Partition) -> None:
        self._present = partition
        self._home.load(partition.labels)

    def _news(self) -> Improvement | None:
        """Return the best of the walk, with its statistics fresh from the data, if it is the best of all."""
        if not _is_lower(self._best.nll, self.lowest):
            return None
        home = self._home
        home.assign(self._best.labels)
        for _ in range(self._most_sweeps):
            home.n_weighed += len(home.labels) * (home.n_clusters + 1)
            if home.sweep(self._random.permutation(len(home.labels)), np.empty(0)).n_moved == 0:
                break
        self._present = self._best = Partition.of(home)
        gained = self._best.n_clusters - self._best_of_all.n_clusters
        move = "sweeps" if np.isinf(self.lowest) else "split" if gained > 0 else "merge" if gained < 0 else "swap"
        if move != "sweeps":
            self._n_equal = 1  # no start was better
        self.lowest, self._best_of_all = self._best.nll, self._best
        return Improvement(move, home.score())


def trials_in_vain(n_points: int) -> int:
    """Trials without a gain after which a walk ends: more for larger tables, which have more places to change."""
    return min(100 + n_points // 2, 400)


def expected_operations(n_points: int, per_weighing: float, effort: float) -> float:
    """Operations that a search takes on ordinary data: a whole walk, and others that reach its result."""
    per_trial = WEIGHINGS_PER_TRIAL * n_points * per_weighing + TRIAL_OPERATIONS
    n_walks = 1 + SHARE_OF_A_WALK * math.ceil(WALKS_THAT_AGREE * effort)
    return min(BUDGET * effort, n_walks * trials_in_vain(n_points) * per_trial)


def _least_fall(nll: float) -> float:
    return TOLERANCE * max(1.0, abs(nll))


def _is_lower(nll: float, than: float) -> bool:
    """Whether an nll is lower by more than rounding; one that is not finite never is."""
    return bool(np.isfinite(nll)) and (nll < than - _least_fall(than) if np.isfinite(than) else nll < than)


def canonical_labels(labels: ArrayLike) -> IntArray:
    """Renumber clusters 0, 1, … by first appearance, so that equal partitions have equal labels."""
    _, first, codes = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]


def improvements(
    problem: Problem, record: SweepRecord, steps: Iterator[Improvement | None], score: Score | None = None
) -> Iterator[SweepRecord | None]:
    """Record how an iterated search continues a start that has converged.

    Parameters
    ----------
    problem : Problem
    record : SweepRecord
        The last record of the start.
    steps : iterator of (Improvement or None)
        Steps of a search whose first origin it is.
    score : Score, optional
        Score of ``record``, if that is already an improvement that no sweep has confirmed.

    Yields
    ------
    SweepRecord or None
        Every improvement, last the sweep that confirms it; None while a change is tried.
    """
    spent = 0.0
    for step, seconds in timed(steps):
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


def score_of(record: SweepRecord) -> Score:
    """Return the state that a record holds."""
    return replace(record.score, labels=record.labels.astype(np.int64))


def timed(steps: Iterator[Step]) -> Iterator[tuple[Step, float]]:
    """Yield every step with the seconds it took, without the time that the caller spends in between."""
    while True:
        begun = time.perf_counter()
        try:
            step = next(steps)
        except StopIteration:
            return
        yield step, time.perf_counter() - begun


def _improved(before: SweepRecord, step: Improvement, seconds: float) -> SweepRecord:
    """Record an improvement as the next sweep: the difference between the two partitions, after matching clusters."""
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
