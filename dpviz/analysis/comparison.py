"""Several runs on the same data, side by side: scores, which nll are comparable, where they disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, IntArray, LabelArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.loop import iterate_start
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidDataError, require
from dpviz.fit.automatic import problem_for
from dpviz.metrics import ami, ari, delta_k, nmi, variation_of_information
from dpviz.text import quoted

AGREEMENTS = {
    "delta_k": delta_k,
    "nmi": nmi,
    "ami": ami,
    "ari": ari,
    "variation_of_information": variation_of_information,
}
"""Scores against a reference partition."""
BEST = {
    "delta_k": "zero",
    "nmi": "highest",
    "ami": "highest",
    "ari": "highest",
    "variation_of_information": "lowest",
    "nll": "lowest",
    "n_sweeps": "lowest",
    "seconds": "lowest",
}
"""Best direction of each column of a table of scores; the number of clusters has none."""

MOST_CELLS = 1_000_000
"""Larger contingency tables are refused: matching their clusters is cubic, and they would be unreadable."""


def scores(trace: Trace, reference: IntArray | None, rows: IntArray | None = None) -> dict[str, float]:
    """Score the result of one run.

    Parameters
    ----------
    trace : Trace
    reference : ndarray of int, shape (N,), optional
        Partition to compare with, e.g. the known groups.
    rows : ndarray of int, optional
        Positions, among the run's points, of the points of ``reference``; all by default. K is that of all points.

    Returns
    -------
    dict of str to float
        ``n_clusters``; the five agreements with the reference (NaN without one; the variation of information in
        bits); ``nll`` in nats (NaN where undefined); ``n_sweeps`` until convergence, changes of whole
        clusters counting as one each (NaN for a run that did not converge, as for a chain); ``seconds`` of
        the whole run, all starts (only of the sweeps of the best start, if the trace has no more).
    """
    check_trace(trace)
    row = trace.result_row
    labels = trace.labels[row]
    found = label_scores(labels if rows is None else labels[rows], reference)
    beyond = len(np.unique(labels)) - found["n_clusters"]  # clusters without any of the rows
    found["n_clusters"] += beyond
    found["delta_k"] += beyond
    found["nll"] = float(trace.nll[trace.label_sweeps[row]])
    found["n_sweeps"] = trace.n_sweeps if trace.converged else np.nan
    found["seconds"] = float(np.sum(trace.seconds) if np.isnan(trace.total_seconds) else trace.total_seconds)
    return found


def label_scores(labels: LabelArray | IntArray, reference: IntArray | None) -> dict[str, float]:
    """Score any partition: the first six scores of :func:`scores`.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)
        Negative labels are noise: together they count as one group in the agreements, and as none in ``n_clusters``.
    reference : ndarray of int, shape (N,), optional
    """
    found: dict[str, float] = {"n_clusters": len(np.unique(labels[labels >= 0]))}
    for name, score in AGREEMENTS.items():
        found[name] = np.nan if reference is None else float(score(reference, labels))
    if reference is not None:
        found["delta_k"] = found["n_clusters"] - len(np.unique(reference))
    return found


def score_table(
    X: FloatArray,
    runs: Mapping[str, Trace],
    reference: IntArray | None = None,
    rows: Mapping[str, IntArray] | None = None,
) -> pd.DataFrame:
    """Score several runs on the same data.

    Parameters
    ----------
    X : ndarray (N, D)
        The data of all runs, or of all runs with an nll.
    runs : mapping of str to Trace
        The runs by name.
    reference : ndarray of int, shape (N,), optional
        As for :func:`scores`.
    rows : mapping of str to ndarray, optional
        If some runs use fewer rows: for every run the positions, among its own points, of the rows that all use, which
        are also those of ``reference``.

    Returns
    -------
    pandas.DataFrame
        One row per run (index ``run``): the columns of :func:`scores`, and ``nll_group``, equal for the runs whose nll
        are comparable (:func:`comparable_groups`) and missing if there is no nll.

    Raises
    ------
    InvalidDataError
        If a run belongs to data of another size.
    """
    for name, trace in runs.items():
        if trace.n_points != len(X) and (rows is None or ALGORITHMS[trace.config.algorithm].has_nll):
            raise InvalidDataError(
                f"the run {quoted(name)} has {trace.n_points} points, the data {len(X)}; they must be equal."
            )
    shared = rows or {}
    table = pd.DataFrame({name: scores(trace, reference, shared.get(name)) for name, trace in runs.items()}).T
    table.index.name = "run"
    table["n_clusters"] = table["n_clusters"].astype(np.int64)
    table["nll_group"] = pd.Series(
        comparable_groups(X, [trace.config for trace in runs.values()]), index=table.index, dtype=object
    )
    return table


def comparable_groups(X: FloatArray, configs: Sequence[RunConfig]) -> list[str | None]:
    """Group configurations of comparable nll: same family, hyperparameters, coarsening, class of partition prior.

    The parameters of the partition prior may differ, because every nll holds its exact normaliser. A powered Chinese
    restaurant with r = 1 and a Pitman–Yor process with d = 0 are Chinese restaurants. Missing cells that are left out
    and missing cells that are filled in give two different kinds of nll, which are never comparable. A coarsened
    likelihood is no density of the data, and another one for every α.

    Parameters
    ----------
    X : ndarray (N, D)
    configs : sequence of RunConfig

    Returns
    -------
    list of (str or None)
        One letter per configuration, equal for those that are comparable; None if no nll is defined.
    """
    models = [_model(X, config) for config in configs]
    distinct = list(dict.fromkeys(model for model in models if model is not None))
    return [None if model is None else chr(ord("a") + distinct.index(model)) for model in models]


def _model(X: FloatArray, config: RunConfig) -> tuple[Any, ...] | None:
    if not ALGORITHMS[config.algorithm].has_nll:
        return None
    problem = problem_for(X, config)
    values = [np.asarray(getattr(problem.family, p.name), dtype=np.float64) for p in config.hyperparameters]
    left_out = not problem.imputes
    prior, alpha = type(problem.partition.reduced()), config.coarsening
    return (config.family, left_out, prior, alpha, *(value.tobytes() for value in values))


def best_runs(table: pd.DataFrame) -> dict[str, list[str]]:
    """Name the best of every column; of nll, the best among each group of comparable runs.

    Parameters
    ----------
    table : pandas.DataFrame
        Result of :func:`score_table`.

    Returns
    -------
    dict of str to list of str
        Best runs by column, all of several equal ones; none if fewer than two runs have a value.
    """
    best: dict[str, list[str]] = {}
    for column, rule in BEST.items():
        values = table[column].dropna()
        cost = {"zero": values.abs(), "highest": -values, "lowest": values}[rule]
        groups = [cost] if column != "nll" else [group for _, group in cost.groupby(table["nll_group"][cost.index])]
        best[column] = [str(run) for group in groups if len(group) > 1 for run in group.index[group == group.min()]]
    return best


def contingency(first: IntArray, second: IntArray) -> pd.DataFrame:
    """Count the common points of each pair of clusters of two partitions.

    Parameters
    ----------
    first, second : ndarray of int, shape (N,)
        Labels of the same points.

    Returns
    -------
    pandas.DataFrame
        Clusters of the first as index, the largest on top; clusters of the second as columns, ordered so that partners
        are on the diagonal. Partners are chosen to keep the most points together.

    Raises
    ------
    InvalidParameterError
        If the table would have more than ``MOST_CELLS`` cells.
    """
    from scipy.optimize import linear_sum_assignment  # deferred: slow to import

    rows, row_of = np.unique(first, return_inverse=True)
    columns, column_of = np.unique(second, return_inverse=True)
    shape = f"{len(rows):,} × {len(columns):,} clusters"
    fits = len(rows) * len(columns) <= MOST_CELLS
    require(fits, "the table", shape, f"at most {MOST_CELLS:,} cells", "Compare runs that find fewer clusters.")
    counts = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(counts, (row_of, column_of), 1)
    by_size = np.argsort(-counts.sum(axis=1), kind="stable")
    partners = dict(zip(*linear_sum_assignment(counts, maximize=True), strict=True))
    matched = [partners[row] for row in by_size if row in partners]
    rest = [k for k in np.argsort(-counts.sum(axis=0), kind="stable") if k not in set(matched)]
    # Rows without a partner go last, to keep the diagonal.
    ordered = [r for r in by_size if r in partners] + [r for r in by_size if r not in partners]
    order = np.array(matched + rest, dtype=np.int64)
    return pd.DataFrame(counts[np.ix_(ordered, order)], index=rows[ordered], columns=columns[order])


def n_disagreeing(table: pd.DataFrame) -> int:
    """Points off the diagonal of :func:`contingency`: outside the matched pairs of clusters."""
    return int(table.to_numpy().sum() - np.trace(table.to_numpy()))


def size_ranks(labels: IntArray) -> IntArray:
    """Cluster sizes (K,), the largest first."""
    sizes = np.unique(labels, return_counts=True)[1]
    return np.sort(sizes)[::-1]


@dataclass(frozen=True, eq=False)
class SharedStart:
    """Labels from which several algorithms start.

    Attributes
    ----------
    labels : ndarray (N,)
        Nearest of ``n_clusters`` K-means++ seeds.
    n_clusters : int
        Clusters among them; fewer than requested if there are fewer distinct points.
    """

    labels: IntArray
    n_clusters: int

    @classmethod
    def draw(cls, X: FloatArray, n_clusters: int, seed: int) -> SharedStart:
        """Draw seeds and assign every point to the nearest.

        Raises
        ------
        DpvizError
            If there are fewer points than clusters.
        """
        config = RunConfig("kmeans", n_clusters=n_clusters, n_init=1, seed=seed)
        first = next(iterate_start(Problem.check(X, config), 0))
        values, labels = np.unique(first.labels, return_inverse=True)
        return cls(labels.astype(np.int64), len(values))

    def of_rows(self, rows: IntArray) -> SharedStart:
        """Return the start of some of the rows; clusters without any of them are dropped."""
        values, labels = np.unique(self.labels[rows], return_inverse=True)
        return SharedStart(labels.astype(np.int64), len(values))

    def refusal(self, config: RunConfig) -> str | None:
        """Return why a configuration cannot start here, or None if it can."""
        algorithm = ALGORITHMS[config.algorithm]
        own = config.option(algorithm.cluster_count) if algorithm.cluster_count else self.n_clusters
        if own != self.n_clusters:
            return f"its K is {own}, the start has {self.n_clusters} clusters"
        if algorithm.uses_model and config.partition is not None:
            most = config.partition.most_clusters(len(self.labels))
            if most < self.n_clusters:
                return f"its prior allows {most} clusters"
        return None
