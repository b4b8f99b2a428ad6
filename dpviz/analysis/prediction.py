"""Predictions for new points: cluster, probabilities, density, and the contribution of each column (2016 App. E)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import softmax

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.datasets.dataset import grouped
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.candidates import NEW
from dpviz.engine.contributions import Contributions, Weighing
from dpviz.engine.improve import canonical_labels
from dpviz.engine.problem import Problem, check_data, check_kinds
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.engine.transforms import check_inside, outside
from dpviz.errors import InvalidDataError, InvalidParameterError, require
from dpviz.families import family_class
from dpviz.families.imputation import has_predictive_of_cells
from dpviz.families.listed import ListedRows, n_features_of
from dpviz.fit.timing import Estimate, pace

TOGETHER, WEIGHT = "together", "weight"
"""Rows of a table of contributions besides those of the columns."""
MOST_ROWS, MOST_NUMBERS = 20_000, 10_000_000
"""Most rows that are scored at a time, and most numbers in memory at once."""
SUMMING = 100.0
"""Further operations per candidate: exponentials, logarithms and copies."""
PART_OPERATIONS = 5e8
"""Operations of one part, roughly: a long prediction can be stopped after each."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """A run's predictions for n points.

    Attributes
    ----------
    clusters : ndarray of int (n,)
        0 … K − 1 in the order of the labels of the run's result, of clusters with points; −1 for a new one. Those of
        a chain are the clusters of its kept draw of lowest nll.
    labels : ndarray of int (K,)
        Which labels of ``trace.result_labels`` these are; of joined clusters 0 … K − 1.
    scores : ndarray (n, C) or None
        The scores: ln of weight × predictive (nats) of every cluster, and last of a new one if one can be opened; of
        kmeans and dpmeans minus the squared distance, and minus the penalty. None if the algorithm gives only
        the cluster.
    probabilities : ndarray (n, C) or None
        The same as probabilities, which sum to 1; None without densities.
    log_density : ndarray (n,) or None
        Mixture predictive density (nats, 2016 eq. 33), of a chain averaged over its kept draws; of rows with missing
        cells the density of the others, and 0 if all are missing. None if not requested.
    map_log_density : ndarray (n,) or None
        Predictive density (nats) under the most probable candidate alone (2016 App. E, second way).
    """

    clusters: IntArray
    labels: IntArray
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None
    log_density: FloatArray | None = None
    map_log_density: FloatArray | None = None

    @property
    def opens_clusters(self) -> bool:
        """Whether the last candidate is a new cluster."""
        return self.scores is not None and self.scores.shape[1] > len(self.labels)

    @property
    def new_probability(self) -> FloatArray | None:
        """Probability (n,) of a new cluster; 0 if none can be opened, None without probabilities."""
        if self.probabilities is None:
            return None
        return self.probabilities[:, -1] if self.opens_clusters else np.zeros(len(self.clusters))

    @classmethod
    def joined(cls, parts: Sequence[Prediction]) -> Prediction:
        """Concatenate parts of the same run's prediction."""
        names = ("scores", "probabilities", "log_density", "map_log_density")
        arrays = {name: [getattr(part, name) for part in parts] for name in names}
        whole = {name: None if found[0] is None else np.concatenate(found) for name, found in arrays.items()}
        return cls(np.concatenate([part.clusters for part in parts]), parts[0].labels, **whole)

    def to_frame(self) -> pd.DataFrame:
        """One row per point: ``cluster``, and, if available, ``p_0`` … ``p_new`` and both log densities."""
        columns: dict[str, Any] = {"cluster": self.clusters}
        if self.probabilities is not None:
            names = [*range(len(self.labels)), *(["new"] if self.opens_clusters else [])]
            columns |= {f"p_{name}": column for name, column in zip(names, self.probabilities.T, strict=True)}
        for name in ("log_density", "map_log_density"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name)
        return pd.DataFrame(columns)


class Predictor:
    """A finished run that predicts further points.

    Parameters
    ----------
    X : array_like (N, D)
        The data the trace was made from.
    trace : Trace
    partition : array_like of int (N,), optional
        Clusters that those of the result are joined to, such as :meth:`dpviz.analysis.merging.MergeTree.labels`.
        Memberships and predictive densities of a union are sums over its parts. By default nothing is joined.

    Attributes
    ----------
    problem : Problem
    clusters : ndarray of int (N,)
        Cluster of each of the run's own points, numbered as in predictions.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If X is not the trace's data, the partition divides a cluster of the result, or clusters have no densities, of
        which there would be a sum.
    """

    def __init__(self, X: Any, trace: Trace, partition: ArrayLike | None = None) -> None:
        check_trace(trace)
        self.problem = Problem.check(X, trace.config)
        if len(self.problem.X) != trace.n_points:
            raise InvalidParameterError(
                f"X has {len(self.problem.X)} points, the trace {trace.n_points}; give the trace's own data."
            )
        if trace.data not in ("", fingerprint(self.problem.X)):
            raise InvalidDataError("X holds other numbers than those that the trace was made from; give its own data.")
        self._labels, self.clusters = np.unique(trace.result_labels, return_inverse=True)
        self._groups = None if partition is None else self._joined(partition)
        if self._groups is not None:
            self.clusters = self._groups[self.clusters]
        self._n_draws = len(trace.draws) if trace.is_chain else 0
        self._fitted = algorithm_of(self.problem).fitted(self.problem, trace)

    def _joined(self, partition: ArrayLike) -> IntArray:
        """Return for each cluster of the result (K,) the number of its union, in the order of their first points."""
        config = self.problem.config
        require(
            self.problem.algorithm.has_density,
            "algorithm",
            config.algorithm,
            "one whose clusters have densities",
            "The prediction of joined clusters is the sum of those of their parts.",
        )
        _, codes = grouped(partition)
        require(
            codes.shape == self.clusters.shape,
            "partition",
            codes.shape,
            f"one label for each of {len(self.clusters):,} points",
        )
        unions = canonical_labels(codes)
        groups = np.zeros(len(self._labels), dtype=np.int64)
        groups[self.clusters] = unions
        require(
            np.array_equal(groups[self.clusters], unions),
            "partition",
            f"{unions.max() + 1} groups",
            "a union of clusters of the result for each group",
            "Some divide a cluster.",
        )
        return groups

    @property
    def joins(self) -> bool:
        """Whether clusters of the result are joined."""
        return self._groups is not None

    @property
    def n_clusters(self) -> int:
        """Number of clusters, after joining."""
        return int(self.clusters.max()) + 1

    @property
    def admits_gaps(self) -> bool:
        """Whether cells of points may be missing (NaN)."""
        if not self.problem.algorithm.uses_model or self.problem.directions is not None:
            return False
        config = self.problem.config
        leaves_out = family_class(config.family).leaves_cells_out(config.prior_dict)
        return leaves_out or has_predictive_of_cells(self.problem.family)

    @property
    def weighs(self) -> bool:
        """Whether every candidate has a score, rather than only the best candidate being known."""
        return isinstance(self._fitted, Weighing)

    @property
    def n_candidates(self) -> int:
        """Number of clusters with points, and one more if a new one can be opened."""
        return self.n_clusters + (isinstance(self._fitted, Weighing) and self._fitted.opens_clusters)

    @cached_property
    def _weights(self) -> FloatArray:
        assert isinstance(self._fitted, Weighing)
        return self._unions(self._fitted.log_weights[None, :])[0]

    def _unions(self, log_terms: FloatArray) -> FloatArray:
        """Sum exponentials (n, C) over the clusters that are joined; a new cluster stays the last."""
        if self._groups is None:
            return log_terms
        parts, n_clusters = len(self._groups), self.n_clusters
        summed = np.full((len(log_terms), n_clusters + log_terms.shape[1] - parts), -np.inf)
        np.logaddexp.at(summed.T, self._groups, log_terms.T[:parts])
        summed[:, n_clusters:] = log_terms[:, parts:]
        return summed

    def check(self, points: Any) -> FloatArray:
        """Return points as float64 (n, D), or raise an error that says what is wrong.

        Raises
        ------
        InvalidDataError
        """
        array = check_data(points, self.admits_gaps, whole=False, lists=True)
        n_features, n_given = n_features_of(self.problem.X), n_features_of(array)
        if n_given != n_features:
            raise InvalidDataError(f"points have {n_given} columns; they must have {n_features}, as X has.")
        check_kinds(self.problem.config, array)
        array = ListedRows.of(array) if isinstance(self.problem.X, ListedRows) else array
        check_inside(self.problem, array)
        return array

    def impossible(self, points: FloatArray, most: int = 1000) -> BoolArray:
        """Return which cells of points (n, D) have no density under the family: not a count, an unknown category, ….

        Parameters
        ----------
        points : ndarray (n, D)
            Finite numbers and NaN.
        most : int
            The search among those that a family itself refuses ends after this many.

        Returns
        -------
        ndarray of bool (n, D)
        """
        if self.problem.directions is not None:  # in which cells are possible together, not one by one
            return outside(self.problem, points)
        wrong = outside(self.problem, points)  # all of those beyond a transformation, which are quickly found
        points = np.where(wrong, self._typical, points)
        if not self.problem.algorithm.uses_model or self._allows(points):
            return wrong
        probe, left = np.tile(self._typical, (len(points), 1)), most
        for d in range(points.shape[1]):
            column = probe.copy()
            column[:, d] = np.where(np.isnan(points[:, d]), self._typical[d], points[:, d])
            found = self._refused(column, np.arange(len(points)), left)
            wrong[found, d] = True
            left -= len(found)
        return wrong

    @cached_property
    def _typical(self) -> FloatArray:
        """A possible value (D,) of every column."""
        X = self.problem.X
        return np.array([column[~np.isnan(column)][0] for column in X.T])

    def _allows(self, points: FloatArray) -> bool:
        filled = np.where(np.isnan(points), self._typical, points)
        try:
            self.problem.working.transform(np.ascontiguousarray(filled))
        except InvalidDataError:
            return False
        return True

    def _refused(self, points: FloatArray, rows: IntArray, most: int) -> list[int]:
        """Find the invalid rows by bisection: blocks without any are checked once."""
        if most <= 0 or self._allows(points[rows]):
            return []
        if len(rows) == 1:
            return [int(rows[0])]
        first = self._refused(points, rows[: len(rows) // 2], most)
        return first + self._refused(points, rows[len(rows) // 2 :], most - len(first))

    def predict(self, points: Any, with_density: bool = True) -> Prediction:
        """Predict the clusters of points (n, D); missing cells (NaN) are left out.

        Parameters
        ----------
        points : array_like (n, D)
        with_density : bool
            Whether to compute the mixture density, for which a chain prepares each of its draws.

        Raises
        ------
        InvalidDataError
            If the points are not possible values of the run's columns; the message names column, row, value and bound.
        InvalidParameterError
            If the algorithm cannot predict further points.
        """
        return Prediction.joined(list(self.parts(self.check(points), with_density)))

    def parts(self, points: FloatArray, with_density: bool = True) -> Iterator[Prediction]:
        """Predict checked points (n, D) some rows at a time, in their order."""
        n_rows = self.part_length
        for start in range(0, len(points), n_rows):
            yield self._predict(points[start : start + n_rows], with_density)

    @property
    def part_length(self) -> int:
        """Rows of a part, chosen to bound its time and memory."""
        most = MOST_NUMBERS // (self.n_candidates * self.problem.X.shape[1])
        by_work = int(PART_OPERATIONS / self._operations_per_row)
        if self._n_draws:  # every part prepares every draw again
            by_work = max(by_work, len(self.problem.X) // 4)
        return max(min(MOST_ROWS, most, by_work), 1)

    @property
    def _weighing(self) -> float:
        """Operations of scoring a point in a cluster."""
        n_features = self.problem.X.shape[1]
        return self.problem.model.operations(n_features) if self.problem.algorithm.uses_model else 20.0 + 8 * n_features

    @property
    def _operations_per_row(self) -> float:
        return (self._weighing + SUMMING) * self.n_candidates * (1 + self._n_draws)

    def estimate(self, n_points: int) -> Estimate:
        """Estimate the work of predicting this many points, on one core."""
        n_parts = -(-n_points // self.part_length)
        prepared = n_parts * (1 + self._n_draws) * len(self.problem.X) * self._weighing
        operations = n_points * self._operations_per_row + prepared
        return Estimate(operations, operations / pace(self.problem.config))

    def _predict(self, points: FloatArray, with_density: bool) -> Prediction:
        fitted = self._fitted
        if not isinstance(fitted, Weighing):
            found = fitted.predict(points)  # of hard clusters, which are not joined
            return Prediction(np.where(found == NEW, NEW, np.searchsorted(self._labels, found)), self._labels)
        scores = self._unions(fitted.log_scores(points))
        best = np.argmax(scores, axis=1)
        clusters = np.where(best == self.n_clusters, NEW, best)
        if not self.problem.algorithm.has_density:
            return Prediction(clusters, self._labels, scores)
        under_best = np.take_along_axis(scores, best[:, None], axis=1)[:, 0] - self._weights[best]
        probabilities = np.asarray(softmax(scores, axis=1))
        log_density = fitted.log_density(points) if with_density else None
        labels = self._labels if self._groups is None else np.arange(self.n_clusters)
        return Prediction(clusters, labels, scores, probabilities, log_density, under_best)

    def contributions(self, points: Any) -> Contributions:
        """Return the terms of the scores of points (n, D), column by column.

        Raises
        ------
        InvalidDataError
            As for :meth:`predict`.
        InvalidParameterError
            If the algorithm has no scores, its family has no terms of single columns, or clusters are joined.
        """
        if self.joins:
            raise InvalidParameterError(
                "joined clusters are sums of their parts, so that no column has a term of its own; see the columns of "
                "the clusters as they were found."
            )
        data, fitted = self.check(points), self._fitted
        found = fitted.contributions(data) if isinstance(fitted, Weighing) else None
        if found is None:
            config = self.problem.config
            what = f"family = {config.family!r}" if self.weighs else f"algorithm = {config.algorithm!r}"
            raise InvalidParameterError(f"{what} does not say what a single column contributes.")
        return found


def predict(X: Any, trace: Trace, points: Any) -> Prediction:
    """Predict for further points their clusters in a finished run, probabilities and densities.

    Parameters
    ----------
    X : array_like (N, D)
        The data the trace was made from.
    trace : Trace
    points : array_like (n, D)
        In the units of X. Cells may be missing (NaN) for mapdp and gibbs: they are left out, and a row without any
        cell gets its cluster from the partition prior alone.

    Returns
    -------
    Prediction

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If X is not the trace's data, a point is not possible, or the algorithm cannot predict further points.
    """
    return Predictor(X, trace).predict(points)


def contribution_table(X: Any, trace: Trace, point: Any, names: Sequence[str] = ()) -> pd.DataFrame:
    """Show how much each column of one point contributes to the score of every cluster.

    Parameters
    ----------
    X : array_like (N, D)
        The data the trace was made from.
    trace : Trace
    point : array_like (D,)
        In the units of X; missing cells (NaN) contribute nothing.
    names : sequence of str, optional
        Of the columns, for the index; their positions otherwise.

    Returns
    -------
    pandas.DataFrame
        A row per column; then ``"together"``, the joint term of the columns beyond their own (0 if they
        are independent within a cluster), and ``"weight"``, the term of the cluster before the point is seen. A
        column per cluster, as in :attr:`Prediction.clusters`, and −1 for a new one. Entries are log densities (nats) of
        the column in the cluster; differences between clusters show which of them the column favours. Columns of the
        table sum to the scores: of kmeans and dpmeans minus squared distances and penalties.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        As for :func:`predict`; if there is not one name per column; and if the family has no terms of single
        columns.
    """
    predictor = Predictor(X, trace)
    found = predictor.contributions([point if np.ndim(point) else [point]])
    require(isinstance(names, Sequence) and not isinstance(names, str), "names", names, "a list of names")
    n_features, n_names = found.columns.shape[2], len(names)
    if n_names not in (0, n_features):
        raise InvalidParameterError(f"names has {n_names} entries; X has {n_features} columns. Give one for each.")
    index = [*(names if n_names else range(n_features)), TOGETHER, WEIGHT]
    n_clusters = len(np.unique(trace.result_labels))
    clusters = [*range(n_clusters), *([NEW] if found.columns.shape[1] > n_clusters else [])]
    values = np.vstack([found.columns[0].T, found.together[0], found.weights])
    return pd.DataFrame(values, index=index, columns=pd.Index(clusters, name="cluster"))
