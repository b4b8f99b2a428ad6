"""Why a point is where it is: geometry and density of every candidate cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dpviz.engine.initialise import start_kinds
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem
from dpviz.engine.steppers import EMStepper
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidParameterError
from dpviz.families.base import FloatArray

NEW = -1
"""The label of a new cluster."""


def explain_assignment(X: Any, trace: Trace, sweep: int, point: int) -> pd.DataFrame:
    """Explain one point's assignment given everybody else's labels after a sweep (2016 eqs. 13–14).

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
        (the totals' softmax, whatever the run's temperature). A cluster that holds the point alone has infinite
        weight cost: leaving it and coming back is opening a new one, the row −1.

        kmeans and dpmeans have squared distances to the centres in place of −ln f, the penalty λ as the weight of a
        new cluster, and probability 1 for the smallest total; em has no row −1.

    Raises
    ------
    InvalidParameterError
        If the point or sweep does not exist, the sweep's labels were not kept, or X is not the trace's data.
    """
    problem = Problem.check(X, trace.config)
    n_points = len(problem.X)
    if n_points != trace.n_points:
        raise InvalidParameterError(f"X has {n_points} points, the trace {trace.n_points}; give the trace's own data.")
    if isinstance(point, bool) or not isinstance(point, int | np.integer) or not 0 <= point < n_points:
        raise InvalidParameterError(f"point = {point!r} must be a whole number between 0 and {n_points - 1}.")
    explain = {"kmeans": _explain_hard, "dpmeans": _explain_hard, "em": _explain_mixture}
    return explain.get(trace.config.algorithm, _explain_collapsed)(problem, trace, trace.row(sweep), int(point))


def sweeper_at(problem: Problem, trace: Trace, row: int) -> CollapsedSweeper:
    """Rebuild clusters and statistics as they stood at a recorded sweep of mapdp or gibbs."""
    working, labels = problem.working, trace.labels[row].astype(np.int64)
    return CollapsedSweeper(working.family, working.X, working.log_jacobian, problem.partition, labels, 1.0)


def _explain_collapsed(problem: Problem, trace: Trace, row: int, point: int) -> pd.DataFrame:
    log_density, log_weight = sweeper_at(problem, trace, row).candidates_of(point)
    total = log_density + log_weight
    return _table(-log_density, -log_weight, _softmax(total), has_new=True)


def _explain_hard(problem: Problem, trace: Trace, row: int, point: int) -> pd.DataFrame:
    labels = trace.labels[row].astype(np.int64)
    sizes = trace.sizes(int(trace.label_sweeps[row]))
    with np.errstate(invalid="ignore"):
        sums = np.array([np.bincount(labels, column, len(sizes)) for column in problem.centred.T]).T
        centres = sums / sizes[:, None]
    squared = np.sum((problem.centred[point] - centres) ** 2, axis=1) * problem.scale**2
    cost, weight = squared, np.zeros(len(sizes))
    if trace.config.algorithm == "dpmeans":
        cost, weight = np.append(cost, 0.0), np.append(weight, trace.config.penalty)
    probability = np.zeros(len(cost))
    probability[np.nanargmin(cost + weight)] = 1.0
    return _table(cost, weight, probability, has_new=trace.config.algorithm == "dpmeans")


def _explain_mixture(problem: Problem, trace: Trace, row: int, point: int) -> pd.DataFrame:
    """Step E-M again to the sweep in question: the trace keeps assignments, not parameters."""
    start, sweep = trace.chosen_start, int(trace.label_sweeps[row])
    stepper = EMStepper(problem, start_kinds(problem)[start], np.random.default_rng([problem.config.seed, start]))
    for _ in range(sweep):
        stepper.step(0)
    model = stepper.mixture.model
    log_density = np.empty(model.n_components)
    for k in range(model.n_components):
        scaled = (problem.centred[point] - model.means_[k]) @ model.precisions_cholesky_[k]
        log_density[k] = np.sum(np.log(np.diagonal(model.precisions_cholesky_[k]))) - 0.5 * scaled @ scaled
    log_density -= 0.5 * len(scaled) * np.log(2 * np.pi) + len(scaled) * np.log(problem.scale)
    log_weight = np.log(model.weights_)
    return _table(-log_density, -log_weight, _softmax(log_density + log_weight), has_new=False)


def _softmax(log_scores: FloatArray) -> FloatArray:
    scores = np.exp(log_scores - np.max(log_scores))
    return np.asarray(scores / np.sum(scores))


def _table(predictive: FloatArray, weight: FloatArray, probability: FloatArray, has_new: bool) -> pd.DataFrame:
    n_clusters = len(predictive) - has_new
    index = pd.Index([*range(n_clusters), *([NEW] if has_new else [])], name="cluster")
    columns = {
        "neg_log_predictive": predictive,
        "neg_log_weight": weight,
        "total": predictive + weight,
        "probability": probability,
    }
    return pd.DataFrame(columns, index=index)
