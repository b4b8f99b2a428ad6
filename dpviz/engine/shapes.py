"""Cluster shapes at every recorded sweep, for ellipses, density curves and bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.families.gaussian.predictive import ellipse_radius
from dpviz.families.gaussian.shapes import LocationScaleShapes
from dpviz.families.shapes import LEVELS, Shapes

OUTER_RADIUS = float(ellipse_radius(LEVELS[1], np.array([np.inf]))[0])
"""Radius of the outer circle of a normal shape, in standard deviations."""


class SizedShapes(NamedTuple):
    """Number of points (K,) and shape of every cluster at one recorded row, in the units of the data."""

    sizes: IntArray
    shapes: Shapes


@dataclass(frozen=True, eq=False)
class ClusterShapes:
    """Shapes of every cluster at some recorded rows, one entry per (row, cluster), M in all.

    Attributes
    ----------
    rows, labels, sizes : ndarray (M,)
        Row of ``trace.labels``, label in that row, number of points.
    shapes : Shapes
    """

    rows: IntArray
    labels: IntArray
    sizes: IntArray
    shapes: Shapes

    def projected(self, directions: FloatArray, origin: FloatArray) -> ClusterShapes | None:
        """Shapes in displayed coordinates (x − origin) @ directions.T; None if they cannot be drawn."""
        shown = self.shapes.projected(directions, origin)
        return None if shown is None else replace(self, shapes=shown)

    def density_curves(self, grid: FloatArray) -> FloatArray:
        """One-column shapes: share of the points × predictive density on a grid (G,), shape (M, G)."""
        n_points = int(np.sum(self.sizes[self.rows == self.rows[0]]))
        return np.asarray((self.sizes / n_points)[:, None] * self.shapes.curves(grid))


def cluster_shapes(problem: Problem, trace: Trace, rows: IntArray) -> ClusterShapes | None:
    """Shapes of every cluster at the given rows of ``trace.labels``; None if the algorithm or the family draws none.

    mapdp and gibbs give the posterior predictive of each cluster. kmeans gives circles of one common variance, as its
    objective assumes. dpmeans gives circles whose outer one has radius √λ: beyond it a point opens a cluster. em gives
    each cluster's own covariance.
    """
    parts = problem.algorithm.shapes(problem, trace, rows)
    if not parts:
        return None
    sizes = np.concatenate([part.sizes for part in parts])
    present = sizes > 0  # some algorithms keep clusters without points, which have no shape
    return ClusterShapes(
        np.repeat(rows, [len(part.sizes) for part in parts])[present],
        np.concatenate([np.arange(len(part.sizes)) for part in parts])[present],
        sizes[present],
        parts[0].shapes.joined([part.shapes for part in parts[1:]]).selected(present),
    )


def moment_shapes(
    problem: Problem, trace: Trace, row: int, variance: Callable[[Problem, float, int], float] | None = None
) -> SizedShapes:
    """Return normal shapes at the clusters' means.

    Parameters
    ----------
    problem : Problem
    trace : Trace
    row : int
        Of ``trace.labels``.
    variance : callable, optional
        Given the problem, the sum of squares within clusters and their number, returns the variance, per column, of
        the common circle of all clusters. Without it each has its own covariance.
    """
    X, labels = problem.X, trace.labels[row].astype(np.int64)
    all_sizes = trace.sizes(int(trace.label_sweeps[row])).astype(np.int64)
    sizes = np.maximum(all_sizes, 1)
    sums = np.array([np.bincount(labels, column, len(sizes)) for column in X.T]).T
    means = np.where(all_sizes[:, None] > 0, sums / sizes[:, None], X.mean(axis=0))
    residuals, identity = X - means[labels], np.eye(X.shape[1])
    if variance is None:
        scales = np.array([residuals[labels == k].T @ residuals[labels == k] for k in range(len(sizes))])
        scales /= sizes[:, None, None]
    else:
        common = variance(problem, float(np.sum(residuals**2)), len(sizes))
        scales = np.tile(common * identity, (len(sizes), 1, 1))
    ridge = 1e-12 * max(float(np.mean(residuals**2)), 1e-300)
    return SizedShapes(all_sizes, LocationScaleShapes(means, scales + ridge * identity, np.full(len(sizes), np.inf)))
