"""Co-clustering probabilities of pairs of points, in an order that shows the blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz._jit import kernel
from dpviz.analysis.posterior.draws import DrawsLike, as_draws
from dpviz.arrays import IntArray
from dpviz.errors import require
from dpviz.partition.base import as_generator, whole_number

MOST_POINTS = 2000
"""Of more points a sample is shown, since a screen has no more rows."""

GROUPS = 300
"""For more points than this the tree is cut into this many groups in optimal order; exact ordering is cubic."""

Matrix = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class CoClustering:
    """Posterior probabilities that two points share a cluster.

    Attributes
    ----------
    points : ndarray of int64, shape (n,)
        The points shown, rising: all of them, or a sample.
    probabilities : ndarray of float32, shape (n, n)
        Entry (a, b): share of the draws in which ``points[a]`` and ``points[b]`` share a cluster.
    order : ndarray of int64, shape (n,)
        Rows in the order of display, neighbours alike.
    """

    points: IntArray
    probabilities: Matrix
    order: IntArray

    def ordered(self) -> Matrix:
        """Return the matrix (n, n) in the order of display; its rows are ``points[order]``."""
        return self.probabilities[np.ix_(self.order, self.order)]


@kernel
def _count(labels: NDArray[np.int32], shares: Matrix) -> None:
    """Fill ``shares`` (n, n) from labels of every point in every draw, (n, S)."""
    n_points, n_draws = labels.shape
    for i in range(n_points):
        left = labels[i]
        shares[i, i] = 1.0
        for j in range(i + 1, n_points):
            right = labels[j]
            together = 0
            for s in range(n_draws):
                together += left[s] == right[s]
            shares[i, j] = shares[j, i] = together / n_draws


def co_clustering(
    draws: DrawsLike, max_points: int = MOST_POINTS, random_state: int | np.random.Generator | None = 0
) -> CoClustering:
    """Estimate the probability of every pair of points to share a cluster.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    max_points : int
        Of more points a sample without replacement is taken; ≥ 1.
    random_state : int, Generator or None
        Chooses the sample.

    Returns
    -------
    CoClustering

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    max_points, rng = whole_number("max_points", max_points), as_generator(random_state)
    checked = as_draws(draws)
    points = np.arange(checked.n_points)
    if checked.n_points > max_points:
        points = np.sort(rng.choice(points, max_points, replace=False))
    shares = np.empty((len(points), len(points)), dtype=np.float32)
    _count(np.ascontiguousarray(checked.labels.T[points]), shares)
    return CoClustering(points, shares, display_order(shares))


def display_order(probabilities: Matrix) -> IntArray:
    """Order points so that those that often share a cluster are adjacent.

    Leaves of the average-linkage tree of the distances 1 − probability, turned so that neighbours are as near as they
    can be (Bar-Joseph et al. 2001). Of more than ``GROUPS`` points the tree is cut into this many groups, which are
    ordered like this, with the leaves of each as the tree has them.

    Parameters
    ----------
    probabilities : ndarray, shape (n, n)

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    square = isinstance(probabilities, np.ndarray) and probabilities.ndim == 2 and len(set(probabilities.shape)) == 1
    numbers = square and probabilities.dtype.kind in "iuf" and bool(np.isfinite(probabilities).all())
    require(numbers, "probabilities", probabilities, "a square array of finite numbers, as co_clustering returns it")
    n_points = len(probabilities)
    if n_points < 3:
        return np.arange(n_points)
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform  # deferred: both take long to import

    distances = 1 - probabilities
    condensed = squareform(distances, checks=False)
    tree = linkage(condensed, "average")
    if n_points <= GROUPS:
        return leaves_list(optimal_leaf_ordering(tree, condensed)).astype(np.int64)
    leaves = leaves_list(tree)
    group = fcluster(tree, GROUPS, "maxclust") - 1
    present = np.eye(group.max() + 1, dtype=np.float32)[group]
    sizes = present.sum(axis=0)
    between = present.T @ (distances @ present) / np.outer(sizes, sizes)
    np.fill_diagonal(between, 0)
    position = np.argsort(display_order((1 - between).astype(np.float32)))  # of each group
    return leaves[np.argsort(position[group[leaves]], kind="stable")].astype(np.int64)
