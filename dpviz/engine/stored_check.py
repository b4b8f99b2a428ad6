"""Whether costs of a stored run are those of its data: who has both computes what is shown of its result again."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.problem import Problem
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidDataError, InvalidParameterError, TraceFormatError
from dpviz.text import signed

TOLERANCE = 1e-6
"""Largest error of a stored cost, relative to what is recomputed, or to a nat or squared unit a point if more."""


def check_result(X: Any, trace: Trace) -> Problem:
    """Raise unless the cost of a run's result is that of its partition of the data; return the problem of the run.

    Parameters
    ----------
    X : array_like (N, D)
        The trace's own data.
    trace : Trace
        A run of E-M is made again up to its result, unless it has its parameters.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If X is not the trace's data.
    TraceFormatError
        If nll, objective or labels are others.
    """
    check_trace(trace)
    problem = Problem.check(X, trace.config)
    if len(problem.X) != trace.n_points:
        raise InvalidParameterError(
            f"X has {len(problem.X)} points, the trace {trace.n_points}; give the trace's own data."
        )
    if trace.data not in ("", fingerprint(problem.X)):
        raise InvalidDataError("X holds other numbers than those that the trace was made from; give its own data.")
    _check_costs(problem, trace)
    return problem


def _check_costs(problem: Problem, trace: Trace) -> None:
    row, sweep = trace.result_row, trace.result_sweep
    found = algorithm_of(problem).scored_again(problem, trace, row)
    if found is None:
        return
    if not np.array_equal(found.labels, trace.labels[row]):
        raise TraceFormatError("this stored run does not fit its data: other labels follow; cluster the data again.")
    least = trace.n_points * (1.0 if problem.algorithm.has_density else problem.scale**2)
    for name in ("nll", "objective"):
        stored, right = float(getattr(trace, name)[sweep]), float(getattr(found, name)) + trace.scaling_nats
        none = np.isnan(stored) and np.isnan(right)
        if not (none or abs(stored - right) <= TOLERANCE * max(abs(right), least)):
            raise TraceFormatError(
                f"this stored run does not fit its data: {name} of its result is {signed(stored, ',.6g')}, and that of "
                f"this partition {signed(right, ',.6g')}; cluster the data again."
            )
