"""An iterated search of partitions: random changes of a few clusters, kept if the exact nll falls.

The search is compiled (:mod:`dpviz.engine.kernels.search_plan`); here it begins, is asked to go on, and what it finds
is recorded. It ends when several walks have found the same best partition, or when its budget is spent: both are
counted in work, never by the clock, so that it finds the same on every machine. More effort continues exactly what less
effort ended.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz._jit import address_of
from dpviz.arrays import IntArray
from dpviz.engine.kernels import search_plan as at
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.kernels.matching import moves_between
from dpviz.engine.kernels.search import advance
from dpviz.engine.kernels.search_plan import (
    BUDGET,
    SLICE,
    TRIAL_OPERATIONS,
    WALKS_THAT_AGREE,
    allow,
    begin,
    new_plan,
    spent,
    trials_in_vain,
)
from dpviz.engine.loop import record_of
from dpviz.engine.moves import Moves, Score
from dpviz.engine.problem import Problem
from dpviz.engine.record import SweepRecord
from dpviz.families.verbs import grow_slots
from dpviz.numerics.stream import stream_of

WEIGHINGS_PER_TRIAL = 10
"""Scores of a trial per point of the data: roughly, for estimates."""
SHARE_OF_A_WALK = 0.25
"""Share of a full walk that a walk to the best partition of earlier ones takes: roughly, for estimates."""

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
    """

    def __init__(
        self,
        problem: Problem,
        origins: Sequence[IntArray],
        random_state: np.random.Generator,
        effort: float = 1.0,
        n_equal: int = 1,
    ) -> None:
        working, self._random = problem.working, random_state
        self._scorer = CollapsedSweeper(
            working.family, working.X, working.log_jacobian, problem.partition, np.array(origins[0]), 0.0
        )
        self._shift = len(working.X) * working.log_jacobian
        n_slots = len(self._scorer.sizes)
        self._state = working.family.bind(working.X, 2 * n_slots)
        self._plan = new_plan(np.array(origins, dtype=np.int64), np.ascontiguousarray(working.coordinates), n_slots)
        self._next_at = address_of(at.next_instruction, self._plan)
        operations = working.family.operations(working.X.shape[1])
        begin(self._plan, n_equal, problem.config.max_sweeps or 1, problem.largest_n_clusters, operations)
        self.allow(effort)

    def allow(self, effort: float) -> None:
        """Set the total budget of the search, which includes the work already done."""
        self._share = 0.0
        allow(self._plan, effort)
        self.budget = float(self._plan.levels[at.MOST_SPENT])

    @property
    def lowest(self) -> float:
        """The lowest nll so far (nats)."""
        return float(self._plan.levels[at.LOWEST])

    @property
    def n_trials(self) -> int:
        """Changes tried so far."""
        return int(self._plan.counts[at.N_TRIALS])

    @property
    def spent(self) -> float:
        """Operations done so far."""
        return float(spent(self._plan))

    @property
    def exhausted(self) -> bool:
        """Whether the budget is spent."""
        return self.spent >= self.budget

    @property
    def share(self) -> float:
        """Progress of the search from 0 to 1; it never falls, though a gain prolongs the rest."""
        self._share = max(self._share, float(at.share(self._plan)))
        return self._share

    @property
    def over(self) -> bool:
        """Whether enough walks agree, enough failed, or the budget is spent; never before the first has ended."""
        return bool(at.is_over(self._plan))

    def steps(self) -> Iterator[Improvement | None]:
        """Yield the result of sweeps from the first origin, then every improvement; and None after every slice of work.

        Called again after :meth:`allow`, it continues.
        """
        found = at.OVER if self.over else at.PAUSED
        while found != at.OVER:  # asked in the middle of a trial, `over` would end it early
            lowest, n_clusters = self.lowest, int(self._plan.n_clusters[at.OF_ALL])
            found = self._advance(SLICE)
            yield self._news(lowest, n_clusters) if found == at.NEWS else None

    def _advance(self, most: float) -> int:
        """Go on for some operations, or to the next partition that is better than all before."""
        scorer = self._scorer
        with stream_of(self._random) as stream:
            self._plan.stream[:] = stream
            while True:
                model = scorer.weights, scorer.tables.law, self._shift
                found = advance(self._state, scorer.X, *model, self._plan, most, self._next_at)
                if found != at.GROW:
                    break
                self._grow()
            stream[:] = self._plan.stream
        return found

    def _grow(self) -> None:
        """Double the slots; the partition that is changed moves to the later ones."""
        work = self._plan.work
        n_slots = 2 * max(len(work.sizes), int(self._plan.counts[at.N_LOADED]))
        self._state = grow_slots(self._state, 2 * n_slots)
        sizes, active = (
            np.concatenate((old, np.zeros(n_slots - len(old), np.int64))) for old in (work.sizes, work.active)
        )
        self._plan = self._plan._replace(work=work._replace(sizes=sizes, active=active))
        self._plan.counts[at.HOME_IS_OLD] = 1

    def _news(self, lowest: float, n_clusters: int) -> Improvement:
        """Return the best of all, after one of this nll with so many clusters."""
        self._scorer.assign(self._plan.partitions[at.OF_ALL])
        gained = self._scorer.n_clusters - n_clusters
        move = "sweeps" if math.isinf(lowest) else "split" if gained > 0 else "merge" if gained < 0 else "swap"
        return Improvement(move, self._scorer.score())


def expected_operations(n_points: int, per_weighing: float, effort: float) -> float:
    """Operations that a search takes on ordinary data: a whole walk, and others that reach its result."""
    per_trial = WEIGHINGS_PER_TRIAL * n_points * per_weighing + TRIAL_OPERATIONS
    n_walks = 1 + SHARE_OF_A_WALK * math.ceil(WALKS_THAT_AGREE * effort)
    return min(BUDGET * effort, n_walks * trials_in_vain(n_points) * per_trial)


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
    moves = Moves(*moves_between(before.labels.astype(np.int64), step.score.labels))
    record = record_of(before.sweep + 1, step.score, moves, time.perf_counter(), False)
    return replace(record, seconds=record.seconds + seconds, move=step.move)
