"""Why a point is where it is: geometry and density of every candidate cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidParameterError
from dpviz.families.transformed import Transformed
from dpviz.text import quoted

if TYPE_CHECKING:
    import pandas as pd


def explain_assignment(X: Any, trace: Trace, sweep: int, point: int) -> pd.DataFrame:
    """Explain one point's assignment given all other labels after a sweep (2016 eqs. 13–14).

    Parameters
    ----------
    X : array_like (N, D)
        The data the trace was made from.
    trace : Trace
    sweep : int
        0 is the initial state; negative sweeps count from the end.
    point : int
        Row of X.

    Returns
    -------
    pandas.DataFrame
        Index ``cluster``: the labels, and −1 for a new cluster. Columns, in nats: ``neg_log_predictive`` (−ln f,
        geometry), ``neg_log_weight`` (−ln of the prior's weight, density), ``total`` (their sum); and ``probability``
        (the totals' softmax, regardless of the run's temperature). A cluster that holds the point alone has infinite
        weight cost: leaving it and coming back is opening a new one, the row −1.

        kmeans and dpmeans have squared distances to the centres in place of −ln f, the penalty λ as the weight of a
        new cluster, and probability 1 for the smallest total; em has no row −1.

    Raises
    ------
    InvalidParameterError
        If the point or sweep does not exist, the sweep's labels were not kept, X is not the trace's data, or the
        algorithm does not explain assignments.
    """
    check_trace(trace)
    problem = Problem.check(X, trace.config)
    n_points = len(problem.X)
    if n_points != trace.n_points:
        raise InvalidParameterError(f"X has {n_points} points, the trace {trace.n_points}; give the trace's own data.")
    if isinstance(point, bool) or not isinstance(point, int | np.integer) or not 0 <= point < n_points:
        raise InvalidParameterError(f"point = {quoted(point)} must be a whole number between 0 and {n_points - 1}.")
    table = algorithm_of(problem).explain(problem, trace, trace.row(sweep), int(point))
    if problem.powers is not None and isinstance(problem.model, Transformed):
        table[["neg_log_predictive", "total"]] -= problem.model.beyond_shared(problem.X[[point]])[0]
    return table
