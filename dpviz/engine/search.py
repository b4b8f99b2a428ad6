"""A whole run: its restarts, the choice between them, and the improvement of the best."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

import dpviz.engine.algorithms.builtin  # noqa: F401  (registers the algorithms)
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.improve import IteratedSearch, canonical_labels, improvements, score_of, timed
from dpviz.engine.initialise import StartKind, extended, sample_of, start_kinds
from dpviz.engine.loop import iterate_start
from dpviz.engine.problem import Problem, check_should_stop
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Start, SweepRecord, Trace, check_trace
from dpviz.engine.trace_builder import TraceBuilder
from dpviz.errors import InvalidDataError, InvalidParameterError, require

Result = TypeVar("Result")


class _Followed(NamedTuple):
    """A restart so far: its kind, its records, the lowest nll of its kept draws, its present state."""

    kind: StartKind
    builder: TraceBuilder
    lowest: float
    record: SweepRecord

    @property
    def start(self) -> Start:
        """Its entry in the list of restarts."""
        has_nll = ALGORITHMS[self.builder.config.algorithm].has_nll
        last = self.record.nll if has_nll else self.record.objective
        score = self.lowest if np.isfinite(self.lowest) else last
        return Start(str(self.kind), self.record.n_clusters, score, self.record.sweep)


class Search:
    """All restarts of a run, one after the other, and the best of them; it has a trace at any time.

    The best has the lowest final nll; for gibbs, whose chain has no end state of its own, the lowest nll among the
    kept draws, and for mapdp at a temperature above 0 among all states; for kmeans, dpmeans and em the lowest final
    objective. After ``"auto"`` starts of mapdp an
    :class:`~dpviz.engine.improve.IteratedSearch` continues from the results of the best and of the others; what lowers
    the nll is recorded, though not beyond ``max_sweeps``.

    Parameters
    ----------
    problem : Problem
    trace : Trace, optional
        An earlier run of the same chain, which the search continues; only if :func:`can_resume` holds.

    Attributes
    ----------
    kinds : list of StartKind
        One per restart.
    improved : list of SweepRecord
        Changes that lowered the nll, and the sweep that confirms the last.
    seconds : float
        Total time: every start, and every change that was tried, without the time that the caller spends between two
        records.
    """

    def __init__(self, problem: Problem, trace: Trace | None = None) -> None:
        self.problem = problem
        self.kinds = start_kinds(problem)
        self.improved: list[SweepRecord] = []
        self.seconds = 0.0
        self._data = fingerprint(problem.X)
        self._starts: list[Start] = []
        self._best: tuple[int, _Followed] | None = None
        self._current: _Followed | None = None
        self._ends: dict[bytes, list[tuple[float, IntArray]]] = {}  # of the starts that converged, by partition
        self._iterated: IteratedSearch | None = None
        self._position = None if trace is None else trace.position
        if trace is not None:
            self._take_up(trace)

    def _take_up(self, trace: Trace) -> None:
        """Start with the records of an earlier run of the same chain."""
        self.seconds = trace.total_seconds
        draws = trace.nll[trace.label_sweeps[trace.label_sweeps > trace.config.burn_in]]
        builder = TraceBuilder.going_on(trace, self.problem.config, self.problem.keeps_labels)
        self._current = _Followed(self.kinds[0], builder, float(draws.min(initial=np.inf)), trace.last_record)

    def records(self) -> Iterator[tuple[int, StartKind, SweepRecord | None]]:
        """Search, yielding after every sweep: the restart, its kind, and its record.

        The record is None while a change of whole clusters is tried, which may or may not be accepted. Called again
        after :meth:`allow`, it continues.
        """
        for step, seconds in timed(self._records()):
            self.seconds += seconds
            yield step

    def _records(self) -> Iterator[tuple[int, StartKind, SweepRecord | None]]:
        if self.kinds[0].strategy == "sample" and self.problem.sampled is None:
            yield from self._search_sample()
        for start, kind in enumerate(self.kinds[len(self._starts) :], len(self._starts)):
            for record in iterate_start(self.problem, start, position=self._position):
                self._append(kind, record)
                yield start, kind, record
            self._finish()
        assert self._best is not None
        chosen, best = self._best
        if self.goes_on and best.record.converged:
            for record_or_none in self._improve(chosen, best):
                yield chosen, best.kind, record_or_none

    def _search_sample(self) -> Iterator[tuple[int, StartKind, SweepRecord | None]]:
        """With very many points, search a sample first, and assign each of the others to one of the clusters found."""
        kind, sample = StartKind("single"), sample_of(self.problem)
        alone = Problem(self.problem.X, replace(self.problem.config, init="single"))
        self._append(kind, next(iterate_start(alone, 0)))  # a first state to show
        search = Search(sample[1])
        for _ in search.records():
            yield 0, self.kinds[0], None
        labels = extended(self.problem, sample[0], search.trace().result_labels)
        self._current, self.problem = None, replace(self.problem, sampled=labels)

    def allow(self, config: RunConfig) -> bool:
        """Accept a configuration that only asks for more effort, so that :meth:`records` continues.

        Returns
        -------
        bool
            False, without any effect, if other settings differ, or the restarts are not over.
        """
        own = self.problem.config
        if config.effort <= own.effort or replace(config, effort=own.effort) != own or self._best is None:
            return False
        if self._current is not None or len(self._starts) < len(self.kinds):
            return False
        self.problem = replace(self.problem, config=config)
        self._best[1].builder.config = config
        return True

    def _append(self, kind: StartKind, record: SweepRecord) -> None:
        config, lowest = self.problem.config, np.inf
        if self._current is None:
            builder = TraceBuilder(config, self.problem.keeps_labels, self._data)
        else:
            builder, lowest = self._current.builder, self._current.lowest
        builder.append(record)
        algorithm = self.problem.algorithm
        is_draw = record.sweep > config.burn_in and self.problem.keeps_labels(record.sweep)
        if (algorithm.is_chain and is_draw) or (algorithm.minimises_nll and config.temperature):
            lowest = min(lowest, record.nll)
        self._current = _Followed(kind, builder, lowest, record)

    def _finish(self) -> None:
        if self._current is None:
            return
        start = self._current.start
        if self._best is None or is_lower(start.nll, self._best[1].start.nll):
            self._best = (len(self._starts), self._current)
        self._starts.append(start)
        if self.goes_on and self._current.record.converged:
            labels = self._current.record.labels.astype(np.int64)
            self._ends.setdefault(canonical_labels(labels).tobytes(), []).append((start.nll, labels))
        self._current = None

    @property
    def goes_on(self) -> bool:
        """Whether an iterated search follows the restarts, if the best of these converges."""
        return self.problem.algorithm.improves(self.problem.config) and not self.problem.imputes

    @property
    def iterated(self) -> IteratedSearch | None:
        """The search after the restarts; None while these run."""
        return self._iterated

    def _improve(self, chosen: int, best: _Followed) -> Iterator[SweepRecord | None]:
        """Continue the best restart by an iterated search, or continue that search."""
        config = self.problem.config
        if self._iterated is None:
            ends = sorted(self._ends.values(), key=lambda equal: equal[0][0])
            random_state = np.random.default_rng([config.seed, len(self.kinds)])
            origins = [equal[0][1] for equal in ends]
            self._iterated = IteratedSearch(self.problem, origins, random_state, config.effort, len(ends[0]))
        score = None
        if self.improved:  # the sweep that confirms the last improvement must follow the next ones
            self.improved.pop()
            best = best._replace(record=self.improved[-1])
            best.builder.drop_last()
            score = score_of(best.record)
        self._iterated.allow(config.effort)
        best.builder.converged = False  # until the search is over
        for record in improvements(self.problem, best.record, self._iterated.steps(), score):
            yield record if record is None else self._extend(chosen, record)
        best.builder.converged = True

    def _extend(self, chosen: int, record: SweepRecord) -> SweepRecord:
        assert self._best is not None
        best = self._best[1]._replace(record=record)
        best.builder.append(record)
        self._best, self._starts[chosen] = (chosen, best), best.start
        self.improved.append(record)
        return record

    @property
    def chosen_start(self) -> int:
        """Position of the best finished restart so far."""
        assert self._best is not None
        return self._best[0]

    @property
    def current_sweep(self) -> int:
        """Present sweep of the present restart."""
        return 0 if self._current is None else self._current.record.sweep

    def current_trace(self) -> Trace:
        """Return the present restart so far, or the best one once all are over.

        Raises
        ------
        InvalidParameterError
            Before the first record.
        """
        if self._current is not None:
            return self._built(self._current, len(self._starts), tuple(self._starts))
        if self._best is None:
            raise InvalidParameterError("no restart is running; take a record first.")
        return self.trace()

    def trace(self) -> Trace:
        """Return the best restart so far; an unfinished one counts too. The search may continue afterwards."""
        starts, best = list(self._starts), self._best
        if self._current is not None:
            if best is None or is_lower(self._current.start.nll, best[1].start.nll):
                best = (len(starts), self._current)
            starts.append(self._current.start)
        assert best is not None
        return self._built(best[1], best[0], tuple(starts))

    def _built(self, followed: _Followed, chosen: int, starts: tuple[Start, ...]) -> Trace:
        search = self._iterated
        if search is None:
            return followed.builder.build(starts, chosen, self.seconds)
        config, (n_points, n_features) = self.problem.config, self.problem.X.shape
        sweep = self.problem.algorithm.sweep_operations(config, n_points, n_features, followed.record.n_clusters + 1)
        return followed.builder.build(starts, chosen, self.seconds, round(search.spent / sweep), search.exhausted)


def is_lower(nll: float, than: float) -> bool:
    """Whether a score is better than another; one that is not finite, where numbers went wrong, never wins."""
    return bool(np.isfinite(nll)) and not (np.isfinite(than) and nll >= than)


def iterate_starts(X: Any, config: RunConfig) -> Iterator[tuple[int, StartKind, SweepRecord]]:
    """Run every restart in turn, to watch the search itself.

    Improvements of an iterated search after ``"auto"`` starts follow as further records of the best one.

    Yields
    ------
    start : int
    kind : StartKind
    record : SweepRecord
    """
    for start, kind, record in Search(Problem.check(X, config)).records():
        if record is not None:
            yield start, kind, record


def run(X: Any, config: RunConfig, should_stop: Callable[[], bool] | None = None) -> Trace:
    """Run all restarts and return the best one's trace.

    Parameters
    ----------
    X : array_like (N, D)
    config : RunConfig
    should_stop : callable, optional
        Called between sweeps; once it returns True the run ends and returns the sweeps done. While family and width are
        being chosen, that is the first state with the usual ones.

    Returns
    -------
    Trace

    Raises
    ------
    InvalidDataError, InvalidParameterError, MemoryLimitError
    """
    from dpviz.engine.automatic import choice_steps  # deferred: it runs searches itself

    check_should_stop(should_stop)
    stopped = False

    def is_over() -> bool:
        nonlocal stopped
        stopped = stopped or (should_stop is not None and should_stop())
        return stopped

    begun = time.perf_counter()
    chosen = finished(choice_steps(X, config), is_over)
    search = Search(Problem.check(X, config.provisional if chosen is None else chosen.config))
    search.seconds += time.perf_counter() - begun
    for _ in search.records():
        if is_over():
            break
    return search.trace().with_data(search.problem.X)


def can_resume(problem: Problem, trace: Trace) -> bool:
    """Whether a chain can continue from the end of a trace, rather than from its beginning.

    It can with the collapsed sampler and one start: the best of several may be a different one when they are longer.
    """
    can = problem.algorithm.can_go_on(problem.config) and not problem.imputes
    return len(start_kinds(problem)) == 1 and can and trace.position is not None


def resume(X: Any, trace: Trace, n_sweeps: int, should_stop: Callable[[], bool] | None = None) -> Trace:
    """Continue a chain: the result equals an uninterrupted run of ``n_sweeps`` sweeps, except for the seconds.

    It continues from the last sweep whose labels the trace holds, whether the run was stopped there or ended, is new or
    comes from a file. Several restarts, explicit samplers and runs that fill missing cells in do not keep all that
    further sweeps depend on: these start over.

    Parameters
    ----------
    X : array_like (N, D)
        The trace's own data.
    trace : Trace
        Of gibbs.
    n_sweeps : int
        Length of the whole chain, including burn-in and existing sweeps.
    should_stop : callable, optional
        As for :func:`run`.

    Returns
    -------
    Trace

    Raises
    ------
    InvalidDataError, InvalidParameterError, MemoryLimitError
    """
    check_trace(trace)
    check_should_stop(should_stop)
    require(trace.is_chain, "algorithm", trace.config.algorithm, "one that draws a chain, such as gibbs")
    problem = Problem.check(X, replace(trace.config, n_sweeps=n_sweeps))
    bound = f"at least the {trace.n_sweeps} of the trace"
    require(n_sweeps >= trace.n_sweeps, "n_sweeps", n_sweeps, bound, "It counts from the beginning.")
    if trace.data and trace.data != fingerprint(problem.X):
        raise InvalidDataError("X is not the data that the trace was made from.")
    search = Search(problem, trace if can_resume(problem, trace) else None)
    for _ in search.records():
        if should_stop is not None and should_stop():
            break
    return search.trace().with_data(problem.X)


def finished(steps: Generator[None, None, Result], should_stop: Callable[[], bool]) -> Result | None:
    """Return the return value of a generator; None if it was stopped before."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        if should_stop():
            return None


def iterate(X: Any, config: RunConfig) -> Iterator[SweepRecord]:
    """Yield the records of exactly the run that :func:`run` returns, one per sweep, the initial state first.

    With several restarts the best is found first, without records, and then run again; :func:`iterate_starts` yields
    them all.

    Parameters
    ----------
    X : array_like (N, D)
    config : RunConfig

    Yields
    ------
    SweepRecord
    """
    search = Search(Problem.check(X, config))
    if len(search.kinds) == 1 and not search.goes_on:
        yield from iterate_start(search.problem, 0)
        return
    for _ in search.records():
        pass
    for record in iterate_start(search.problem, search.chosen_start):
        yield replace(record, converged=record.converged and not search.improved)
    yield from search.improved
