"""The run loop: starts, sweeps, records, and the choice between restarts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dpviz.config import RunConfig
from dpviz.engine.collapsed import CollapsedSweeper, Moves
from dpviz.engine.explicit import ExplicitParametersSweeper, ExplicitWeightsSweeper
from dpviz.engine.hard import HardSweeper, nearest_centres
from dpviz.engine.initialise import StartKind, start_kinds, starting_centres, starting_labels
from dpviz.engine.mixture import MixtureStepper
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Start, SweepRecord, Trace, TraceBuilder, smallest_unsigned
from dpviz.errors import InvalidParameterError
from dpviz.families.base import IntArray
from dpviz.partition import FiniteDirichlet


@dataclass(frozen=True)
class Score:
    """What a record says of a state: see :class:`~dpviz.engine.trace.SweepRecord`."""

    labels: IntArray
    sizes: IntArray
    n_clusters: int
    nll: float
    objective: float


class Stepper(Protocol):
    """One start of one algorithm, advanced a sweep at a time."""

    def score(self) -> Score:
        """Score the present state."""
        ...

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """Do sweep number ``sweep`` (from 1); return what it did, and whether nothing will change any more."""
        ...


class CollapsedStepper:
    """mapdp and gibbs, with whichever sampler."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        config, working = problem.config, problem.working
        self._config, self._random_state = config, random_state
        n_points = len(working.X)
        self._order = random_state.permutation(n_points) if config.order == "permuted" else np.arange(n_points)
        first = random_state.permutation(n_points) if config.order == "shuffled" else self._order
        labels = starting_labels(problem, kind, first, random_state)
        temperature = config.temperature or 0.0
        self._clusters = CollapsedSweeper(
            working.family,
            working.X,
            working.log_jacobian,
            problem.partition,
            labels,
            temperature,
            first_sweep_rule=kind.strategy == "single" and config.sampler == "collapsed",
        )
        self._sweeper: CollapsedSweeper | ExplicitParametersSweeper | ExplicitWeightsSweeper = self._clusters
        if config.algorithm == "gibbs" and config.sampler == "explicit_parameters":
            self._sweeper = ExplicitParametersSweeper(working.family, self._clusters, random_state)
        elif config.algorithm == "gibbs" and config.sampler == "explicit_weights":
            assert isinstance(problem.partition, FiniteDirichlet)
            self._sweeper = ExplicitWeightsSweeper(working.family, self._clusters, problem.partition, random_state)

    def score(self) -> Score:
        """Exact nll and the papers' E."""
        clusters = self._clusters
        sizes = clusters.sizes[: clusters.n_clusters].copy()
        return Score(clusters.labels, sizes, clusters.n_clusters, clusters.nll, clusters.objective)

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One sweep; MAP-DP has converged when no point moved."""
        n_points = len(self._order)
        if self._config.order == "shuffled":
            self._order = self._random_state.permutation(n_points)
        uniforms = self._random_state.random(n_points) if self._config.temperature else np.empty(0)
        moves = self._sweeper.sweep(self._order, uniforms, sweep == self._config.events_sweep)
        return moves, self._config.temperature == 0 and moves.n_moved == 0


class HardStepper:
    """kmeans and dpmeans."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        config = problem.config
        self._config, self._random_state, self._scale = config, random_state, problem.scale
        X = problem.centred
        n_points = len(X)
        self._order = random_state.permutation(n_points) if config.order == "permuted" else np.arange(n_points)
        if config.algorithm == "dpmeans":
            labels = starting_labels(problem, kind, self._order, random_state)
            self._sweeper = HardSweeper(X, labels, penalty=config.penalty / problem.scale**2)
        elif kind.strategy == "labels":
            self._sweeper = HardSweeper(X, starting_labels(problem, kind, self._order, random_state))
        else:
            centres = starting_centres(problem, kind, random_state)
            self._sweeper = HardSweeper(X, nearest_centres(X, centres), centres)
            self._sweeper.sweep()  # moves no point, only the centres: in every recorded state they are the means

    def score(self) -> Score:
        """Σ‖x − μ‖² + λK in squared units of the data; there is no nll."""
        sweeper = self._sweeper
        n_clusters = int(np.count_nonzero(sweeper.sizes))
        objective = sweeper.objective() * self._scale**2
        return Score(sweeper.labels, sweeper.sizes, n_clusters, np.nan, objective)

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One sweep; converged when no point and no centre moved."""
        if self._config.order == "shuffled":
            self._order = self._random_state.permutation(len(self._order))
        until_birth = self._config.algorithm == "dpmeans" and self._config.sweep == "until_birth"
        before = self._sweeper.sizes > 0
        counts = self._sweeper.sweep(self._order, until_birth)
        settled = counts.n_moved == 0 and counts.largest_shift == 0
        n_born, n_died = counts.n_born, counts.n_died
        if self._config.algorithm == "kmeans":  # its K stays, but a cluster may run empty and fill again
            after = self._sweeper.sizes > 0
            n_born, n_died = int(np.count_nonzero(after & ~before)), int(np.count_nonzero(before & ~after))
        return Moves(counts.n_moved, n_born, n_died), settled


class EMStepper:
    """em."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        labels = starting_labels(problem, kind, np.arange(len(problem.X)), random_state)
        log_jacobian = -problem.X.shape[1] * np.log(problem.scale)
        self.mixture = MixtureStepper(problem.centred, labels, float(log_jacobian))

    def score(self) -> Score:
        """−ln p(X | parameters) (2016 eq. 5) and hard assignments."""
        labels = self.mixture.labels
        sizes = np.bincount(labels, minlength=self.mixture.model.n_components)
        return Score(labels, sizes, int(np.count_nonzero(sizes)), np.nan, self.mixture.objective)

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One E-M step."""
        return self.mixture.sweep(), self.mixture.converged


ALGORITHMS: dict[str, Callable[[Problem, StartKind, np.random.Generator], Stepper]] = {
    "mapdp": CollapsedStepper,
    "gibbs": CollapsedStepper,
    "kmeans": HardStepper,
    "dpmeans": HardStepper,
    "em": EMStepper,
}


def iterate_start(problem: Problem, start: int, stop_when_converged: bool = True) -> Iterator[SweepRecord]:
    """Run one restart, yielding its initial state and then one record per sweep.

    Parameters
    ----------
    problem : Problem
    start : int
        Which restart; with the configuration's seed it fixes everything random.
    stop_when_converged : bool
        False forces all ``max_sweeps``, for timing.
    """
    config = problem.config
    random_state = np.random.default_rng([config.seed, start])
    stepper = ALGORITHMS[config.algorithm](problem, start_kinds(problem)[start], random_state)
    yield _record(0, stepper.score(), Moves(), 0.0, False)
    n_sweeps = config.n_sweeps if config.algorithm == "gibbs" else config.max_sweeps or 0
    for sweep in range(1, n_sweeps + 1):
        begun = time.perf_counter()
        moves, converged = stepper.step(sweep)
        yield _record(sweep, stepper.score(), moves, begun, converged)
        if converged and stop_when_converged:
            return


def _record(sweep: int, score: Score, moves: Moves, begun: float, converged: bool) -> SweepRecord:
    labels = smallest_unsigned(score.labels, len(score.sizes))
    return SweepRecord(
        sweep=sweep,
        labels=labels,
        sizes=score.sizes,
        nll=score.nll,
        objective=score.objective,
        n_clusters=score.n_clusters,
        n_moved=moves.n_moved,
        n_born=moves.n_born,
        n_died=moves.n_died,
        seconds=time.perf_counter() - begun if sweep else 0.0,
        converged=converged,
        events=moves.events,
    )


def iterate_starts(X: Any, config: RunConfig) -> Iterator[tuple[int, StartKind, SweepRecord]]:
    """Run every restart in turn, for those who want to watch the search itself.

    Yields
    ------
    start : int
    kind : StartKind
    record : SweepRecord
    """
    problem = Problem.check(X, config)
    for start, kind in enumerate(start_kinds(problem)):
        for record in iterate_start(problem, start):
            yield start, kind, record


class RestartChooser:
    """Follows all restarts and keeps the best one; whenever it is asked, it has a trace of what was done.

    The best has the lowest final nll; for gibbs, whose chain has no end state of its own, the lowest nll among the
    kept draws; for kmeans, dpmeans and em the lowest final objective.
    """

    def __init__(self, config: RunConfig, problem: Problem) -> None:
        self.config = config
        self._problem = problem
        self._starts: list[Start] = []
        self._best: tuple[float, int, TraceBuilder] | None = None
        self._current: tuple[StartKind, TraceBuilder, float, SweepRecord] | None = None

    def append(self, kind: StartKind, record: SweepRecord) -> None:
        """Take the next record; a record of sweep 0 begins the next restart."""
        if record.sweep == 0:
            self._finish()
            builder, lowest = TraceBuilder(self.config, self._problem.keeps_labels), np.inf
        else:
            assert self._current is not None
            _, builder, lowest, _ = self._current
        builder.append(record)
        is_draw = record.sweep > self.config.burn_in and self._problem.keeps_labels(record.sweep)
        if self.config.algorithm == "gibbs" and is_draw:
            lowest = min(lowest, record.nll)
        self._current = (kind, builder, lowest, record)

    def _finish(self) -> None:
        if self._current is None:
            return
        kind, builder, lowest, record = self._current
        last = record.objective if np.isnan(record.nll) else record.nll
        score = lowest if np.isfinite(lowest) else last
        self._starts.append(Start(str(kind), record.n_clusters, score, record.sweep))
        if self._best is None or score < self._best[0]:
            self._best = (score, len(self._starts) - 1, builder)
        self._current = None

    @property
    def current_sweep(self) -> int:
        """Sweep that the present restart has reached."""
        return 0 if self._current is None else self._current[3].sweep

    def current_trace(self) -> Trace:
        """Return the present restart so far, whether or not it will be the best.

        Raises
        ------
        InvalidParameterError
            Before the first record.
        """
        if self._current is None:
            raise InvalidParameterError("no restart is running; append a record first.")
        return self._current[1].build(tuple(self._starts), len(self._starts))

    def trace(self) -> Trace:
        """Return the best restart so far; an unfinished one counts as it stands."""
        self._finish()
        assert self._best is not None
        return self._best[2].build(tuple(self._starts), self._best[1])


def run(X: Any, config: RunConfig, should_stop: Callable[[], bool] | None = None) -> Trace:
    """Run all restarts and return the best one's trace.

    Parameters
    ----------
    X : array_like (N, D)
    config : RunConfig
    should_stop : callable, optional
        Asked between sweeps; once it returns True the run ends and what was done is returned.

    Returns
    -------
    Trace

    Raises
    ------
    InvalidDataError, InvalidParameterError, MemoryLimitError
    """
    problem = Problem.check(X, config)
    chooser = RestartChooser(config, problem)
    for start, kind in enumerate(start_kinds(problem)):
        for record in iterate_start(problem, start):
            chooser.append(kind, record)
            if should_stop is not None and should_stop():
                return chooser.trace()
    return chooser.trace()


def iterate(X: Any, config: RunConfig) -> Iterator[SweepRecord]:
    """Yield the records of exactly the run that :func:`run` returns, one per sweep, the initial state first.

    With several restarts the best is found first, silently, and then run again; see :func:`iterate_starts` to watch
    them all.

    Parameters
    ----------
    X : array_like (N, D)
    config : RunConfig

    Yields
    ------
    SweepRecord
    """
    problem = Problem.check(X, config)
    chosen = run(problem.X, config).chosen_start if len(start_kinds(problem)) > 1 else 0
    yield from iterate_start(problem, chosen)
