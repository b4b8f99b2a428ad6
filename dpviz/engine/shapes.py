"""Cluster shapes at every recorded sweep, for ellipses, density curves and bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.moment_shapes import SizedShapes
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.families.shapes import Shapes

MOST_BYTES = 50_000_000
"""Most memory of the scales that are made before they are projected, unless those of one row take more."""
PLACES_AT_ONCE = 300_000
"""Values of curves that are computed together: of hours each takes some two hundred bytes meanwhile."""


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

    def density_curves(self, grid: FloatArray) -> FloatArray:
        """One-column shapes: share of the points × predictive density on a grid (G,), shape (M, G)."""
        n_points = int(np.sum(self.sizes[self.rows == self.rows[0]]))
        batches = np.array_split(np.arange(len(self.sizes)), 1 + len(self.sizes) * len(grid) // PLACES_AT_ONCE)
        curves = np.concatenate([self.shapes.selected(batch).curves(grid) for batch in batches])
        return np.asarray((self.sizes / n_points)[:, None] * curves)


def cluster_shapes(problem: Problem, trace: Trace, rows: IntArray) -> ClusterShapes | None:
    """Shapes of every cluster at the given rows of ``trace.labels``; None if the algorithm or the family draws none.

    mapdp and gibbs give the posterior predictive of each cluster. kmeans gives circles of one common variance, as its
    objective assumes. dpmeans gives circles whose outer one has radius √λ: beyond it a point opens a cluster. em gives
    each cluster's own covariance.
    """
    parts = algorithm_of(problem).shapes(problem, trace, rows)
    return _gathered(rows, parts) if parts else None


def projected_shapes(
    problem: Problem, trace: Trace, rows: IntArray, directions: FloatArray, origin: FloatArray
) -> ClusterShapes | None:
    """Return :func:`cluster_shapes` in displayed coordinates (x − origin) @ directions.T; None if nothing is drawn.

    A run on wide tables has millions of numbers in the (D, D) scales of every row, and four of each in the plane: some
    rows at a time are projected.
    """
    found: list[SizedShapes] = []
    for some in _batches(problem, trace, rows):
        parts = algorithm_of(problem).shapes(problem, trace, some)
        if not parts:
            return None
        for part in parts:
            shown = part.shapes.projected(directions, origin)
            if shown is None:
                return None
            found.append(part._replace(shapes=shown))
    return _gathered(rows, found)


def _gathered(rows: IntArray, parts: Sequence[SizedShapes]) -> ClusterShapes:
    """Join the shapes of the rows, but for those of clusters without points, which some algorithms keep."""
    sizes = np.concatenate([part.sizes for part in parts])
    present = sizes > 0
    return ClusterShapes(
        np.repeat(rows, [len(part.sizes) for part in parts])[present],
        np.concatenate([np.arange(len(part.sizes)) for part in parts])[present],
        sizes[present],
        parts[0].shapes.joined([part.shapes for part in parts[1:]]).selected(present),
    )


def _batches(problem: Problem, trace: Trace, rows: IntArray) -> list[IntArray]:
    """Divide rows into parts whose scales take at most :data:`MOST_BYTES`, or that are one row."""
    most_clusters = max(len(trace.sizes(int(trace.label_sweeps[row]))) for row in rows)
    length = max(1, MOST_BYTES // (8 * most_clusters * problem.X.shape[1] ** 2))
    return [rows[begin : begin + length] for begin in range(0, len(rows), length)]
