"""One sweep visit by visit: the point, the cost of every candidate, and the cluster chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidParameterError

MOST_VISITS = 5_000
"""Most visits of a sweep that are replayed."""


@dataclass(frozen=True, eq=False)
class SlowMotion:
    """The visits of one sweep, in order.

    Attributes
    ----------
    sweep : int
    points, from_labels, to_labels : ndarray (E,)
        Labels are those of the previous sweep; clusters born during the sweep have numbers that it does not use.
    candidates : ndarray (E, C)
        Labels of the candidates; −1 is a new cluster, −2 is padding.
    costs : ndarray (E, C)
        Their costs: nats for mapdp and gibbs (as in :func:`explain_assignment`), squared distance for kmeans and
        dpmeans; NaN is padding.
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
        From 1 to the number of sweeps; the labels of the previous sweep must have been kept.

    Raises
    ------
    InvalidParameterError
        If there is no such sweep, or it does not visit points one by one.
    """
    config = trace.config
    if not 1 <= sweep <= trace.n_sweeps:
        raise InvalidParameterError(f"sweep = {sweep!r} must be between 1 and {trace.n_sweeps}.")
    problem = Problem.check(X, config)
    reason = problem.algorithm.why_no_slow_motion(config)
    if reason:
        raise InvalidParameterError(reason)
    if sweep > trace.n_point_sweeps:
        raise InvalidParameterError(
            f"sweep = {sweep} moved whole clusters, or confirmed that no point moves after that; there are no single "
            f"visits to replay. Ask for a sweep up to {trace.n_point_sweeps}."
        )
    trace.row(sweep - 1)  # raises if its labels were not kept
    return problem.algorithm.slow_motion(problem, trace, sweep)


def padded(sweep: int, events: IntArray, visits: list[tuple[IntArray, FloatArray]]) -> SlowMotion:
    """Return visits, given as (point, from, to) and as (candidates, costs), in rectangular arrays."""
    width = max(len(candidates) for candidates, _ in visits)
    candidates = np.full((len(visits), width), -2, dtype=np.int64)
    costs = np.full((len(visits), width), np.nan)
    for row, (labels, values) in enumerate(visits):
        candidates[row, : len(labels)] = labels
        costs[row, : len(values)] = values
    return SlowMotion(sweep, events[:, 0], events[:, 1], events[:, 2], candidates, costs)
