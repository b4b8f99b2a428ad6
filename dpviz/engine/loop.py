"""One start of a run, sweep by sweep."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import numpy as np

from dpviz.engine.algorithms.base import Resumable, algorithm_of
from dpviz.engine.initialise import start_kinds
from dpviz.engine.moves import Moves, Score
from dpviz.engine.position import GeneratorState, Position, get_state
from dpviz.engine.problem import Problem
from dpviz.engine.record import SweepRecord, smallest_unsigned


def iterate_start(
    problem: Problem, start: int, stop_when_converged: bool = True, position: Position | None = None
) -> Iterator[SweepRecord]:
    """Run one restart, yielding its initial state and then one record per sweep.

    Parameters
    ----------
    problem : Problem
    start : int
        Number of the restart; with the configuration's seed it determines all random numbers.
    stop_when_converged : bool
        False forces all ``max_sweeps``, for timing.
    position : Position, optional
        State of this restart in an earlier run: it continues from there, and only further sweeps are yielded.
    """
    config = problem.config
    random_state = np.random.default_rng([config.seed, start])
    stepper = algorithm_of(problem).stepper(problem, start_kinds(problem)[start], random_state)
    can_go_on = problem.algorithm.can_go_on(config)

    def generator() -> GeneratorState | None:
        return get_state(random_state) if can_go_on else None

    if position is None:
        yield record_of(0, stepper.score(), Moves(), 0.0, False, generator())
    else:
        cast(Resumable, stepper).go_on_from(position)
    done = 0 if position is None else position.sweep
    for sweep in range(done + 1, problem.algorithm.n_sweeps(config) + 1):
        begun = time.perf_counter()
        moves, converged = stepper.step(sweep)
        yield record_of(sweep, stepper.score(), moves, begun, converged, generator())
        if converged and stop_when_converged:
            return


def record_of(
    sweep: int,
    score: Score,
    moves: Moves,
    begun: float,
    converged: bool,
    generator: GeneratorState | None = None,
) -> SweepRecord:
    """Record a state and the sweep that led to it, which began at ``begun`` on the performance counter."""
    kept = replace(score, labels=smallest_unsigned(score.labels, len(score.sizes)))
    seconds = time.perf_counter() - begun if sweep else 0.0
    return SweepRecord(sweep, kept, moves, seconds, converged, generator=generator)
