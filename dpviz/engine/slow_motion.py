"""One sweep visit by visit: who was looked at, what every candidate cost, where the point went."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.engine.explain import NEW
from dpviz.engine.initialise import start_kinds
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem
from dpviz.engine.run import iterate_start
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidParameterError
from dpviz.families.base import FloatArray, IntArray

MOST_VISITS = 5_000
"""Further visits of the sweep are not replayed: nobody watches that many."""


@dataclass(frozen=True, eq=False)
class SlowMotion:
    """The visits of one sweep, in order.

    Attributes
    ----------
    sweep : int
    points, from_labels, to_labels : ndarray (E,)
        Labels are those of the sweep before; clusters born on the way have numbers it does not use.
    candidates : ndarray (E, C)
        Labels that were weighed; −1 is a new cluster, −2 pads.
    costs : ndarray (E, C)
        Their costs: nats for mapdp and gibbs (as in :func:`explain_assignment`), squared distance for kmeans and
        dpmeans; NaN pads.
    """

    sweep: int
    points: IntArray
    from_labels: IntArray
    to_labels: IntArray
    candidates: IntArray
    costs: FloatArray


def slow_motion(X: Any, trace: Trace, sweep: int) -> SlowMotion:
    """Replay one sweep of a run with the costs that decided every visit.

    Parameters
    ----------
    X : array_like (N, D)
        The data the trace was made from.
    trace : Trace
    sweep : int
        From 1 to the number of sweeps; the labels of the sweep before must have been kept.

    Raises
    ------
    InvalidParameterError
        If there is no such sweep, or it does not visit points one by one.
    """
    config = trace.config
    if not 1 <= sweep <= trace.n_sweeps:
        raise InvalidParameterError(f"sweep = {sweep!r} must be between 1 and {trace.n_sweeps}.")
    if config.algorithm == "em" or (config.algorithm == "gibbs" and config.sampler != "collapsed"):
        raise InvalidParameterError("This algorithm updates all points together; there are no single visits to replay.")
    if sweep > trace.n_point_sweeps:
        raise InvalidParameterError(
            f"sweep = {sweep} moved whole clusters, or confirmed that no point moves after that; there are no single "
            f"visits to replay. Ask for a sweep up to {trace.n_point_sweeps}."
        )
    problem = Problem.check(X, config)
    before = trace.labels_at(sweep - 1)
    if config.algorithm in ("kmeans", "dpmeans"):
        return _hard(problem, trace, sweep, before)
    events = _events(problem, trace, sweep)[:MOST_VISITS]
    sweeper = _sweeper_before(problem, trace, sweep, before)
    visits = [sweeper.replay(int(i), int(to)) for i, _, to in events]
    return _padded(sweep, events, visits)


def _events(problem: Problem, trace: Trace, sweep: int) -> IntArray:
    """Run the chosen start again up to the sweep, this time writing its visits down."""
    config = replace(trace.config, events_sweep=sweep)
    for record in iterate_start(Problem(problem.X, config), trace.chosen_start):
        if record.events is not None:
            return record.events
    raise InvalidParameterError(f"sweep = {sweep}: the run ended before it; is X the trace's own data?")


def _sweeper_before(problem: Problem, trace: Trace, sweep: int, labels: IntArray) -> CollapsedSweeper:
    working = problem.working
    single = sweep == 1 and start_kinds(problem)[trace.chosen_start].strategy == "single"
    return CollapsedSweeper(
        working.family, working.X, working.log_jacobian, problem.partition, labels, 1.0, first_sweep_rule=single
    )


def _hard(problem: Problem, trace: Trace, sweep: int, before: IntArray) -> SlowMotion:
    """Squared distances to the centres that stand still during the sweep, and λ for a new cluster."""
    X, config = problem.X, trace.config
    sizes = trace.sizes(sweep - 1)
    centres = [X[before == k].mean(axis=0) if sizes[k] else np.full(X.shape[1], np.nan) for k in range(len(sizes))]
    labels = before.copy()
    order = np.arange(len(X))
    if config.order != "index" and config.algorithm == "dpmeans":
        raise InvalidParameterError("Slow motion of dpmeans needs order='index'; other orders are not kept.")
    events, visits = [], []
    for i in order[:MOST_VISITS]:
        squared = np.sum((X[i] - np.array(centres)) ** 2, axis=1)
        candidates, costs = np.arange(len(centres)), squared
        choice = int(np.nanargmin(squared))
        if squared[labels[i]] <= squared[choice]:
            choice = int(labels[i])
        if config.algorithm == "dpmeans":
            candidates, costs = np.append(candidates, NEW), np.append(squared, config.penalty)
            if squared[choice] > config.penalty:
                centres.append(X[i])
                choice = len(centres) - 1
        events.append((i, before[i], choice))
        visits.append((candidates, costs))
        labels[i] = choice
        if config.algorithm == "dpmeans" and config.sweep == "until_birth" and len(centres) > len(sizes):
            break
    return _padded(sweep, np.array(events), visits)


def _padded(sweep: int, events: IntArray, visits: list[tuple[IntArray, FloatArray]]) -> SlowMotion:
    width = max(len(candidates) for candidates, _ in visits)
    candidates = np.full((len(visits), width), -2, dtype=np.int64)
    costs = np.full((len(visits), width), np.nan)
    for row, (labels, values) in enumerate(visits):
        candidates[row, : len(labels)] = labels
        costs[row, : len(values)] = values
    return SlowMotion(sweep, events[:, 0], events[:, 1], events[:, 2], candidates, costs)
