"""How often clusters of one partition are together in the draws: expected numbers of pairs of their points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpviz.analysis.posterior.draws import DrawsLike, as_draws, as_partition
from dpviz.arrays import FloatArray


def pairs_in_one_cluster(draws: DrawsLike, partition: ArrayLike) -> FloatArray:
    """Count the pairs of points, one of each of two clusters, that a draw has in one cluster, on average.

    Divided by the number of all such pairs this is the mean of their co-clustering probabilities; the numbers of
    clusters that are joined add up. No matrix of all points is needed: with n_aj points of cluster a in cluster j of a
    draw the count is Σ_j n_aj n_bj.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    partition : array_like of int, shape (N,)

    Returns
    -------
    ndarray (K, K)
        Symmetric, for the clusters of the partition in the order of their first points; on the diagonal, pairs of the
        points of one cluster in both orders, and of each with itself.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    checked = as_draws(draws)
    codes = as_partition(partition, checked.n_points).astype(np.int64)
    n_clusters = int(codes.max()) + 1
    counted = np.zeros((n_clusters, n_clusters))
    for labels, n_others in zip(checked.labels, checked.n_clusters.tolist(), strict=True):
        shared = np.bincount(codes * n_others + labels, minlength=n_clusters * n_others)
        table = shared.reshape(n_clusters, n_others).astype(np.float64)  # exact: sums stay below 2^53
        counted += table @ table.T
    return counted / checked.n_draws
