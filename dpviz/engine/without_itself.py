"""Points of a partition, each seen by every cluster, and by its own one as that is without the point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.modes import Side
from dpviz.engine.problem import Problem
from dpviz.partition import PartitionPrior

MOST_ROWS, MOST_EACH, FEWEST_EACH = 20_000, 500, 20
"""Most points that are weighed: in all, of each cluster, and of each cluster whatever their number."""
MOST_PAIRS = 500_000_000
"""Most rows × points: leaving a point out may take a pass over all."""


class Seen(NamedTuple):
    """Points, evenly spaced ones of large clusters.

    Attributes
    ----------
    own : ndarray of int (n,)
        The cluster of each.
    weights : ndarray (n,)
        How many points of its cluster each stands for.
    log_densities : ndarray (n, K)
        Log predictive in every cluster without the point itself, but for a common constant of each point.
    """

    own: IntArray
    weights: FloatArray
    log_densities: FloatArray


def sides(seen: Seen, a: int, b: int) -> tuple[Side, Side]:
    """Return the points of two clusters, on both sides of the boundary between them."""
    with np.errstate(invalid="ignore"):  # a point that is impossible everywhere
        odds = np.nan_to_num(seen.log_densities[:, a] - seen.log_densities[:, b])
    of_a, of_b = seen.own == a, seen.own == b
    return Side(odds[of_a], seen.weights[of_a]), Side(-odds[of_b], seen.weights[of_b])


def seen_without_itself(problem: Problem, partition: PartitionPrior, labels: IntArray) -> Seen:
    """Return points of a partition and how every cluster sees them.

    Parameters
    ----------
    problem : Problem
    partition : PartitionPrior
    labels : ndarray of int (N,)
        0 … K − 1, all present.

    Returns
    -------
    Seen
    """
    sizes = np.bincount(labels)
    n_rows = min(MOST_ROWS, MOST_PAIRS // len(labels))
    each = min(MOST_EACH, max(FEWEST_EACH, n_rows // len(sizes)))
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(sizes)[:-1])
    rows = np.concatenate([points[evenly_spaced(len(points), each)] for points in members])
    own = labels[rows]
    return Seen(own, (sizes / np.bincount(own))[own], _log_densities(problem, partition, labels, rows))


def _log_densities(problem: Problem, partition: PartitionPrior, labels: IntArray, rows: IntArray) -> FloatArray:
    """Log predictive (n, K) of some points in every cluster without the point itself, but for a common constant.

    A coarsened posterior has that of whole points, in which no sweep compares clusters.
    """
    if problem.coarsening is not None:
        return _of_whole_points(problem, labels, rows)
    working = problem.working
    sweeper = CollapsedSweeper(working.family, working.X, working.log_jacobian, partition, labels, 0.0)
    return np.array([sweeper.candidates_of(int(row))[0][:-1] for row in rows])


def _of_whole_points(problem: Problem, labels: IntArray, rows: IntArray) -> FloatArray:
    """Return :func:`_log_densities` under the posteriors themselves."""
    X, model = problem.filled, problem.model
    posteriors = [model.posterior(X[labels == k]) for k in range(labels.max() + 1)]
    found = np.column_stack([posterior.log_predictive(X[rows]) for posterior in posteriors])
    for position, row in enumerate(rows):
        others = labels == labels[row]
        others[row] = False
        found[position, labels[row]] = model.posterior(X[others]).log_predictive(X[[row]])[0]
    return found
