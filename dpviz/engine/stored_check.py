"""Whether costs of a stored run are those of its data: who has both computes what is shown of its result again."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.engine.hyperparameters import with_partition
from dpviz.engine.improve import canonical_labels
from dpviz.engine.imputation import completed
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidDataError, InvalidParameterError, TraceFormatError
from dpviz.text import signed

TOLERANCE = 1e-6
"""Largest error of a stored cost, relative to what is recomputed, or to the number of points if that is more."""


def check_result(X: Any, trace: Trace) -> Problem:
    """Raise unless the cost of a run's result is that of its partition of the data; return the problem of the run.

    Parameters
    ----------
    X : array_like (N, D)
        The trace's own data.
    trace : Trace
        Of an algorithm without an nll only its data are compared.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If X is not the trace's data.
    TraceFormatError
        If nll or objective is another.
    """
    check_trace(trace)
    problem = Problem.check(X, trace.config)
    if len(problem.X) != trace.n_points:
        raise InvalidParameterError(
            f"X has {len(problem.X)} points, the trace {trace.n_points}; give the trace's own data."
        )
    if trace.data not in ("", fingerprint(problem.X)):
        raise InvalidDataError("X holds other numbers than those that the trace was made from; give its own data.")
    if problem.algorithm.has_nll and problem.algorithm.uses_model:
        _check_costs(problem, trace)
    return problem


def _check_costs(problem: Problem, trace: Trace) -> None:
    row = trace.result_row
    sweep = int(trace.label_sweeps[row])
    scored = with_partition(completed(problem, trace, row), trace.partition_at(sweep))
    working, labels = scored.working, canonical_labels(trace.labels[row].astype(np.int64))
    found = CollapsedSweeper(working.family, working.X, working.log_jacobian, scored.partition, labels, 0.0)
    for name in ("nll", *(["objective"] if problem.algorithm.objective == "E" else [])):
        stored, right = float(getattr(trace, name)[sweep]), float(getattr(found, name)) + trace.scaling_nats
        if not abs(stored - right) <= TOLERANCE * max(abs(right), len(labels)):
            raise TraceFormatError(
                f"this stored run does not fit its data: {name} of its result is {signed(stored, ',.6g')}, and that of "
                f"this partition {signed(right, ',.6g')}; cluster the data again."
            )
