"""One sweep visit by visit: the point, the cost of every candidate, and the cluster chosen."""

from __future__ import annotations

from typing import Any

from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.engine.visits import SlowMotion
from dpviz.errors import InvalidParameterError
from dpviz.text import quoted


def slow_motion(X: Any, trace: Trace, sweep: int) -> SlowMotion:
    """Replay one sweep of a run with the costs that decided every visit.

    Of a chain with splits and merges these are the visits before the proposals of the sweep.

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
        raise InvalidParameterError(f"sweep = {quoted(sweep)} must be between 1 and {trace.n_sweeps}.")
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
    return algorithm_of(problem).slow_motion(problem, trace, sweep)
