"""Shapes of the clusters at one recorded sweep, and those that follow from means and covariances."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dpviz.arrays import IntArray
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
    ridge = 1e-12 * max(float(np.mean(residuals**2)), 1e-300)
    if variance is None:
        scales = np.array([residuals[labels == k].T @ residuals[labels == k] for k in range(len(sizes))])
        scales /= sizes[:, None, None]
        scales += ridge * identity
    else:
        common = variance(problem, float(np.sum(residuals**2)), len(sizes))
        scales = np.broadcast_to((common + ridge) * identity, (len(sizes), *identity.shape))  # one matrix for all
    return SizedShapes(all_sizes, LocationScaleShapes(means, scales, np.full(len(sizes), np.inf)))
