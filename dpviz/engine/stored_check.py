"""Whether costs of a stored run are those of its data: who has both computes what is shown of its result again."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidDataError, InvalidParameterError, TraceFormatError
from dpviz.text import signed

TOLERANCE = 1e-6
"""Largest error of a stored cost, relative to what is recomputed, or to a nat or squared unit a point if more."""
MOST_SCORED = 1_000_000
"""Most labels of a chain's states that are scored again: a second or so."""


def check_result(X: Any, trace: Trace) -> Problem:
    """Raise unless the cost of a run's result is that of its partition of the data; return the problem of the run.

    Parameters
    ----------
    X : array_like (N, D)
        The trace's own data.
    trace : Trace
        A run of E-M is made again up to its result, unless it has its parameters. Where the state of lowest nll is the
        result, the nll of the others that could be it is compared, too, of at most :data:`MOST_SCORED` labels.

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
    _check_states(problem, trace)
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
            raise _other(f"{name} of its result", stored, right)


def _check_states(problem: Problem, trace: Trace) -> None:
    """Compare the nll of recorded states among which the result is the lowest: another would be shown in its place."""
    chosen = problem.algorithm.is_chain or (problem.algorithm.minimises_nll and trace.config.temperature)
    if not chosen or problem.imputes or trace.hyperparameters:
        return
    n_rows = max(1, min(len(trace.labels), MOST_SCORED // trace.n_points))
    rows = np.unique(np.linspace(0, len(trace.labels) - 1, n_rows).astype(np.int64))
    right = partition_nll(problem, list(trace.labels[rows])) + trace.scaling_nats
    stored = trace.nll[trace.label_sweeps[rows]]
    wrong = np.flatnonzero(~(np.abs(stored - right) <= TOLERANCE * np.maximum(np.abs(right), trace.n_points)))
    if wrong.size:
        first = int(wrong[0])
        raise _other(
            f"nll of sweep {int(trace.label_sweeps[rows[first]]):,}", float(stored[first]), float(right[first])
        )


def _other(what: str, stored: float, right: float) -> TraceFormatError:
    return TraceFormatError(
        f"this stored run does not fit its data: {what} is {signed(stored, ',.6g')}, and that of this partition "
        f"{signed(right, ',.6g')}; cluster the data again."
    )
