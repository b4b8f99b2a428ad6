"""Shapes of the clusters at one recorded sweep, and those that follow from means and covariances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpviz.arrays import IntArray
from dpviz.engine.kernels.hard import cluster_centres
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.families.gaussian.shapes import LocationScaleShapes
from dpviz.families.shapes import Shapes


class SizedShapes(NamedTuple):
    """Number of points (K,) and shape of every cluster at one recorded row, in the units of the data."""

    sizes: IntArray
    shapes: Shapes


def moment_shapes(problem: Problem, trace: Trace, row: int) -> SizedShapes:
    """Return normal shapes at the clusters' means, each of its own covariance; ``row`` is one of ``trace.labels``."""
    X, labels = problem.X, trace.labels[row].astype(np.int64)
    n_clusters, n_features = len(trace.sizes(int(trace.label_sweeps[row]))), X.shape[1]
    means, sizes = cluster_centres(X, labels, np.zeros((n_clusters, n_features)))
    residuals = X - means[labels]
    ridge = 1e-12 * max(float(np.mean(residuals**2)), 1e-300)
    scales = np.array([residuals[labels == k].T @ residuals[labels == k] for k in range(n_clusters)])
    scales = scales / np.maximum(sizes, 1)[:, None, None] + ridge * np.eye(n_features)
    return SizedShapes(sizes, LocationScaleShapes(means, scales, np.full(n_clusters, np.inf)))
