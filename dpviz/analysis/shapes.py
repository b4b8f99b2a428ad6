"""Cluster shapes at every recorded sweep: what ellipses and density curves are drawn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from dpviz.engine.predict import rebuild_slots
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.families.base import FloatArray, IntArray
from dpviz.families.gaussian.predictive import ellipse_radius

LEVELS = (0.5, 0.95)
"""Mass inside the inner and the outer ellipse."""


@dataclass(frozen=True, eq=False)
class ClusterShapes:
    """Location-scale shapes, one entry per (recorded row, cluster), M in all.

    Attributes
    ----------
    rows, labels, sizes : ndarray (M,)
        Row of ``trace.labels``, label in that row, number of points.
    locations : ndarray (M, D)
    scales : ndarray (M, D, D)
    degrees_of_freedom : ndarray (M,)
        Infinite for normal shapes.
    independent : bool
        Whether features are independent Student t rather than one multivariate t.
    """

    rows: IntArray
    labels: IntArray
    sizes: IntArray
    locations: FloatArray
    scales: FloatArray
    degrees_of_freedom: FloatArray
    independent: bool = False

    def projected(self, directions: FloatArray, origin: FloatArray) -> ClusterShapes:
        """Shapes in displayed coordinates (x − origin) @ directions.T, directions (2, D) or (1, D)."""
        return ClusterShapes(
            self.rows,
            self.labels,
            self.sizes,
            (self.locations - origin) @ directions.T,
            directions @ self.scales @ directions.T,
            self.degrees_of_freedom,
            self.independent,
        )

    def radius_factors(self) -> FloatArray:
        """Radii (M, 2), in units of the scale, of the ellipses that hold :data:`LEVELS` of the mass."""
        return np.column_stack([ellipse_radius(level, self.degrees_of_freedom, self.independent) for level in LEVELS])

    def density_curves(self, grid: FloatArray) -> FloatArray:
        """One-column shapes: share of the points × predictive density on a grid (G,), shape (M, G)."""
        n_points = int(np.sum(self.sizes[self.rows == self.rows[0]]))
        spread = np.sqrt(self.scales[:, 0, 0])[:, None]
        standardised = (grid - self.locations[:, :1]) / spread
        degrees = np.where(np.isfinite(self.degrees_of_freedom), self.degrees_of_freedom, 1e12)[:, None]
        return np.asarray((self.sizes / n_points)[:, None] * stats.t.pdf(standardised, degrees) / spread)


def cluster_shapes(problem: Problem, trace: Trace, rows: IntArray) -> ClusterShapes:
    """Shapes of every cluster at the given rows of ``trace.labels``.

    mapdp and gibbs give the posterior predictive of each cluster. kmeans gives what its objective believes in: circles
    of one common variance. dpmeans gives circles whose outer one has radius √λ: beyond it a point opens a cluster.
    em gives each cluster's own covariance.
    """
    if trace.config.algorithm in ("mapdp", "gibbs"):
        parts = _predictive_shapes(problem, trace, rows)
    else:
        parts = [_moment_shapes(problem, trace, int(row)) for row in rows]
    sizes = [part[0] for part in parts]
    row_of_each = np.repeat(rows, [len(size) for size in sizes])
    label_of_each = np.concatenate([np.arange(len(size)) for size in sizes])
    present = np.concatenate(sizes) > 0  # kmeans and em may have clusters without points, which have no shape
    return ClusterShapes(
        row_of_each[present],
        label_of_each[present],
        np.concatenate(sizes)[present],
        np.concatenate([part[1] for part in parts])[present],
        np.concatenate([part[2] for part in parts])[present],
        np.concatenate([part[3] for part in parts])[present],
        trace.config.algorithm in ("mapdp", "gibbs") and problem.family.predictive().independent,
    )


Part = tuple[IntArray, FloatArray, FloatArray, FloatArray]


def _predictive_shapes(problem: Problem, trace: Trace, rows: IntArray) -> list[Part]:
    working = problem.working
    n_slots = max(len(trace.sizes(int(trace.label_sweeps[row]))) for row in rows)
    state = working.family.bind(working.X, n_slots + 1)
    parts = []
    for row in rows:
        sizes = trace.sizes(int(trace.label_sweeps[row])).astype(np.int64)
        rebuild_slots(state, working.X, trace.labels[row].astype(np.int64), sizes, len(sizes))
        locations, scales, degrees = working.family.slot_predictives(state, sizes)
        parts.append((sizes, *working.to_original(locations, scales), degrees))
    return parts


def _moment_shapes(problem: Problem, trace: Trace, row: int) -> Part:
    X, labels = problem.X, trace.labels[row].astype(np.int64)
    n_points, n_features = X.shape
    all_sizes = trace.sizes(int(trace.label_sweeps[row])).astype(np.int64)
    sizes = np.maximum(all_sizes, 1)
    sums = np.array([np.bincount(labels, column, len(sizes)) for column in X.T]).T
    means = np.where(all_sizes[:, None] > 0, sums / sizes[:, None], X.mean(axis=0))
    residuals = X - means[labels]
    if trace.config.algorithm == "em":
        scales = np.array([residuals[labels == k].T @ residuals[labels == k] for k in range(len(sizes))])
        scales /= sizes[:, None, None]
    else:
        variance = np.sum(residuals**2) / (n_features * max(n_points - len(sizes), 1))
        if trace.config.algorithm == "dpmeans":
            variance = trace.config.penalty / ellipse_radius(LEVELS[1], np.array([np.inf]))[0] ** 2
        scales = np.tile(variance * np.eye(n_features), (len(sizes), 1, 1))
    ridge = 1e-12 * max(float(np.mean(residuals**2)), 1e-300)
    return all_sizes, means, scales + ridge * np.eye(n_features), np.full(len(sizes), np.inf)
