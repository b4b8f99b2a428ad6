"""A whole run: its restarts, the choice between them, and the improvement of the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import dpviz.engine.algorithms.builtin  # noqa: F401  (registers the algorithms)
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.improve import IteratedSearch, canonical_labels, improvements, score_of, timed
from dpviz.engine.initialise import StartKind, extended, sample_of, start_kinds
from dpviz.engine.kernels.collapsed_sweep import is_lower
from dpviz.engine.loop import iterate_start
from dpviz.engine.problem import Problem
from dpviz.engine.record import Start, SweepRecord
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace
from dpviz.engine.trace_builder import TraceBuilder
from dpviz.errors import InvalidParameterError


class _Followed(NamedTuple):
    """A restart so far: its kind, its records, its present state."""

    kind: StartKind
    builder: TraceBuilder
    record: SweepRecord

    @property
    def start(self) -> Start:
        """Its entry in the list of restarts."""
        has_nll = ALGORITHMS[self.builder.config.algorithm].has_nll
        last = self.record.nll if has_nll else self.record.objective
        score = self.builder.lowest if np.isfinite(self.builder.lowest) else last
        return Start(str(self.kind), self.record.n_clusters, score, self.record.sweep)


def was_stopped(problem: Problem, trace: Trace) -> bool:
    """Whether a run ended before its last start did: sweeps or starts of its configuration are left."""
    ended = trace.converged or trace.n_sweeps >= problem.algorithm.n_sweeps(trace.config)
    return not ended or 0 < len(trace.starts) < len(start_kinds(problem))


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
    most_bytes : int, optional
        Bound on the recorded rows of each restart, as for :class:`~dpviz.engine.trace_builder.TraceBuilder`.

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

    def __init__(self, problem: Problem, trace: Trace | None = None, most_bytes: int | None = None) -> None:
        self.problem, self._most_bytes = problem, most_bytes
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
        trace = trace.in_units(0.0)
        builder = TraceBuilder.going_on(trace, self.problem.config, self.problem.keeps_labels, self._most_bytes)
        self._current = _Followed(self.kinds[0], builder, trace.last_record)

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
        search = Search(sample[1], most_bytes=self._most_bytes)
        for _ in search.records():
            yield 0, self.kinds[0], None
        labels = extended(self.problem, sample[0], search.trace().result_labels)
        self._current, self.problem = None, replace(self.problem, sampled=labels)

    def run(self, should_stop: Callable[[], bool] | None = None) -> Trace:
        """Search to the end, or until ``should_stop``, called between sweeps, returns True; return the trace so far."""
        for _ in self.records():
            if should_stop is not None and should_stop():
                break
        return self.trace().with_data(self.problem.X)

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
        config, algorithm, keeps_labels = self.problem.config, self.problem.algorithm, self.problem.keeps_labels
        if self._current is None:
            builder = TraceBuilder(config, keeps_labels, self._data, self._most_bytes)
        else:
            builder = self._current.builder
        is_draw = algorithm.is_chain and record.sweep > config.burn_in and keeps_labels(record.sweep)
        builder.append(record, is_draw or bool(algorithm.minimises_nll and config.temperature))
        self._current = _Followed(kind, builder, record)

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

    def current_trace(self, most_rows: int | None = None) -> Trace:
        """Return the present restart so far, with at most so many rows of labels, or the best one once all are over.

        Raises
        ------
        InvalidParameterError
            Before the first record.
        """
        if self._current is not None:
            return self._built(self._current, len(self._starts), tuple(self._starts), most_rows)
        if self._best is None:
            raise InvalidParameterError("no restart is running; take a record first.")
        return self.trace(most_rows)

    def trace(self, most_rows: int | None = None) -> Trace:
        """Return the best restart so far; an unfinished one counts too. The search may continue afterwards."""
        starts, best = list(self._starts), self._best
        if self._current is not None:
            if best is None or is_lower(self._current.start.nll, best[1].start.nll):
                best = (len(starts), self._current)
            starts.append(self._current.start)
        assert best is not None
        return self._built(best[1], best[0], tuple(starts), most_rows)

    def _built(self, followed: _Followed, chosen: int, starts: tuple[Start, ...], most_rows: int | None) -> Trace:
        search = self._iterated
        if search is None:
            return followed.builder.build(starts, chosen, self.seconds, most_rows=most_rows)
        config, size, n_clusters = self.problem.config, self.problem.size, followed.record.n_clusters + 1
        sweep = self.problem.algorithm.sweep_operations(config, *size, n_clusters)
        n_trials = round(search.spent / sweep)
        return followed.builder.build(starts, chosen, self.seconds, n_trials, search.exhausted, most_rows)


def can_resume(problem: Problem, trace: Trace) -> bool:
    """Whether a chain can continue from the end of a trace, rather than from its beginning.

    It can with the collapsed sampler and one start: the best of several may be a different one when they are longer.
    """
    can = problem.algorithm.can_go_on(problem.config) and not problem.imputes
    return len(start_kinds(problem)) == 1 and can and trace.position is not None
