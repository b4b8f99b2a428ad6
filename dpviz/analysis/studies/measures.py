"""Measures of Raykov et al. (2016): one run, K by BIC, and groups of patients."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dpviz.analysis.comparison import label_scores
from dpviz.analysis.evaluation import Cell
from dpviz.analysis.grids import run_grid
from dpviz.analysis.profiles import column_tests
from dpviz.analysis.selection import best_by_bic, bic, bic_grid
from dpviz.analysis.studies.alternatives import deviance_information
from dpviz.analysis.studies.study import Outcome
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.trace import Trace
from dpviz.fit.run import run

SIGNIFICANCE = 0.01
"""The paper's level of the tests between two groups, not corrected for their number."""
N_GROUPS = 4
"""Groups whose shares and means are kept, the largest first."""


def score_run(data: Dataset, config: RunConfig, from_truth: bool = False, keep_labels: bool = False) -> Outcome:
    """Run once and score the result against the true groups.

    Parameters
    ----------
    data : Dataset
    config : RunConfig
    from_truth : bool
        Start at the true groups.
    keep_labels : bool
        Keep the labels (N,) of the result, for figures.

    Returns
    -------
    Outcome
        ``n_clusters``, the agreements of :mod:`dpviz.metrics`, ``nll`` and ``iterations``: sweeps of the start that
        won; of a chain, until the draw that fits best.
    """
    started = started_at_truth(data, config) if from_truth else config
    trace = run(data.X, started)
    arrays = {"labels": trace.result_labels} if keep_labels else {}
    return Outcome(run_numbers(trace, data), config, arrays, starts_from_truth=from_truth)


def started_at_truth(data: Dataset, config: RunConfig) -> RunConfig:
    """Return a configuration with fixed K that starts at the true groups.

    Where there are more groups than K, the points of the smallest, such as outliers, start with the nearest of the
    largest K.
    """
    assert data.labels is not None
    n_clusters = config.option(ALGORITHMS[config.algorithm].cluster_count)
    groups, sizes = np.unique(data.labels, return_counts=True)
    largest = np.sort(groups[np.argsort(-sizes, kind="stable")[:n_clusters]])
    means = np.array([data.X[data.labels == group].mean(axis=0) for group in largest])
    labels = np.searchsorted(largest, data.labels)
    astray = ~np.isin(data.labels, largest)
    distances = ((data.X[astray, None] - means) ** 2).sum(axis=2)
    labels[astray] = np.argmin(distances, axis=1)
    return replace(config, init=labels, n_init=1)


def leave_truth(data: Dataset, config: RunConfig) -> Outcome:
    """Run an algorithm with fixed K from the true groups, and see whether it leaves them (2016 Sec. 5.4).

    Returns
    -------
    Outcome
        The scores of the end; ``stays``, whether no point has moved; ``left``, the share of points that have;
        ``objective_ratio``, that of the end over that of the true groups, below 1 if the algorithm prefers the end.
    """
    started = started_at_truth(data, config)
    trace = run(data.X, started)
    left = trace.labels_at(trace.n_sweeps) != trace.labels_at(0)
    numbers = run_numbers(trace, data) | {"stays": float(not left.any()), "left": float(left.mean())}
    numbers["objective_ratio"] = float(trace.objective[-1] / trace.objective[0])
    return Outcome(numbers, config, starts_from_truth=True)


def run_numbers(trace: Trace, data: Dataset) -> dict[str, float]:
    """Return the scores of a run's result, its nll, and its iterations."""
    sweep = trace.result_sweep
    numbers = label_scores(trace.result_labels, data.labels)
    numbers["nll"] = float(trace.nll[sweep])
    numbers["objective"] = float(trace.objective[sweep])
    numbers["iterations"] = sweep if trace.is_chain else trace.n_sweeps
    numbers["converged"] = float(trace.converged) if not trace.is_chain else np.nan
    return numbers


def by_size(labels: IntArray) -> IntArray:
    """Return labels (N,) that number clusters from the largest, 0, to the smallest; of equals the older first."""
    order = np.argsort(-np.bincount(labels), kind="stable")
    return np.argsort(order)[labels].astype(np.int64)


def choose_k(data: Dataset, config: RunConfig, largest: int) -> Outcome:
    """Choose K from 1 to ``largest`` by BIC, each with the restarts of the configuration (2016 Sec. 5).

    Returns
    -------
    Outcome
        ``chosen_k``; ``chosen_k_unit``, by a criterion that takes the clusters' variance for 1 in the units of the
        data: Σ‖x − μ‖² + KD ln N; ``chosen_k_aic``, where 2 takes the place of ln N; and ``chosen_k_dic``, by DIC of
        the mixture whose limit K-means is, sampled from the clusters of one start.
    """
    X, D = data.X, data.n_features
    cells = list(run_grid(X, bic_grid(config, largest), n_jobs=1, cache=None))
    best, per_mean = best_by_bic(cells, D), D * np.log(data.n_points)
    cheaper = (D + 1) * (np.log(data.n_points) - 2)

    def dic(cell: Cell) -> float:
        labels = run(X, replace(cell.config, n_init=1)).result_labels
        return deviance_information(X, labels, cell.config.option("n_clusters"), config.seed)

    criteria: dict[str, Callable[[Cell], float]] = {
        "_unit": lambda cell: cell.objective + per_mean * cell.n_clusters,
        "_aic": lambda cell: bic(cell, D) - cheaper * cell.n_clusters,
        "_dic": dic,
    }
    chosen = {f"chosen_k{name}": min(cells, key=value).n_clusters for name, value in criteria.items()}
    return Outcome({"chosen_k": best.n_clusters} | chosen, best.config)


def groups_of_patients(data: Dataset, config: RunConfig, yes: tuple[str, ...], scores: tuple[str, ...]) -> Outcome:
    """Run MAP-DP with a distribution for each kind of column, and compare the groups column by column.

    Parameters
    ----------
    data : Dataset
    config : RunConfig
    yes, scores : tuple of str
        Columns whose shares, and whose means, are kept by group.

    Returns
    -------
    Outcome
        ``n_clusters``; ``share_1``, … in percent; ``significant``, columns that differ between the two largest groups
        with p < 0.01; ``yes NAME k`` and ``mean NAME k`` of group k, the largest first.
    """
    config = config.with_kinds(data.kinds)
    trace = run(data.X, config)
    ranked = by_size(trace.result_labels)
    numbers = run_numbers(trace, data)
    sizes = np.bincount(ranked, minlength=N_GROUPS)
    numbers |= {f"share_{k + 1}": 100 * float(sizes[k] / len(ranked)) for k in range(N_GROUPS)}
    two = ranked < 2
    tests = column_tests(data.X[two], ranked[two], ("continuous",) * data.n_features, data.feature_names)
    numbers["significant"] = float((tests["p"] < SIGNIFICANCE).sum())  # Student's t-tests, as in the paper
    for word, names in (("yes", yes), ("mean", scores)):
        for name in names:
            column = data.X[:, data.feature_names.index(name)]
            values = np.where(np.isnan(column), np.nan, column > 0) if word == "yes" else column
            for k in range(N_GROUPS):
                numbers[f"{word} {name} {k + 1}"] = _mean(values[ranked == k])
    return Outcome(numbers, trace.config)


def _mean(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else math.nan
