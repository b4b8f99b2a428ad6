"""Cluster shapes at every recorded sweep, for ellipses, density curves and bars."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.families.shapes import Shapes


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
    parts = algorithm_of(problem).shapes(problem, trace, rows)
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
