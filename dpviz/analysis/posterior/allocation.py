"""Membership of points and its uncertainty; the number of clusters and their sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz._jit import kernel
from dpviz.analysis.posterior.chains import as_chains
from dpviz.analysis.posterior.draws import Codes, DrawsLike, Floats, as_draws, as_partition
from dpviz.analysis.posterior.losses import log2_table
from dpviz.arrays import IntArray
from dpviz.errors import require
from dpviz.partition.base import whole_number


@kernel
def _count(labels: Codes, partition: Codes, cells: NDArray[np.int32], sizes: NDArray[np.int32], by: int) -> None:
    """Add ``by`` to the points shared by group j of a draw and cluster k, ``cells`` (J, K), and to group sizes."""
    for i in range(labels.shape[0]):
        cells[labels[i], partition[i]] += by
        sizes[labels[i]] += by


@kernel
def _surprise(draws: Codes, partition: Codes, cluster_sizes: IntArray, log2: Floats, bits: Floats) -> None:
    """Sum over the draws each point's contribution to N times the variation of information."""
    n_groups, n_clusters = draws.max() + 1, cluster_sizes.shape[0]
    cells, sizes = np.zeros((n_groups, n_clusters), dtype=np.int32), np.zeros(n_groups, dtype=np.int32)
    for s in range(draws.shape[0]):
        _count(draws[s], partition, cells, sizes, 1)
        for i in range(draws.shape[1]):
            j, k = draws[s, i], partition[i]
            shared = log2[cells[j, k]]
            bits[i] += (log2[cluster_sizes[k]] - shared) + (log2[sizes[j]] - shared)
        _count(draws[s], partition, cells, sizes, -1)


@kernel
def _companions(draws: Codes, partition: Codes, counts: Floats, alone: Floats) -> None:
    """Add up over the draws the points of each cluster that are with point i, itself included; and when it is alone."""
    n_groups, n_clusters = draws.max() + 1, counts.shape[1]
    cells, sizes = np.zeros((n_groups, n_clusters), dtype=np.int32), np.zeros(n_groups, dtype=np.int32)
    for s in range(draws.shape[0]):
        _count(draws[s], partition, cells, sizes, 1)
        for i in range(draws.shape[1]):
            alone[i] += sizes[draws[s, i]] == 1
            for k in range(n_clusters):
                counts[i, k] += cells[draws[s, i], k]
        _count(draws[s], partition, cells, sizes, -1)


def point_uncertainty(draws: DrawsLike, partition: ArrayLike) -> Floats:
    """Compute the contribution of every point to the expected variation of information of a partition.

    With n_k points in its cluster, n_j in its group of a draw and n_kj in both, a point contributes
    log2(n_k/n_kj) + log2(n_j/n_kj), averaged over the draws. The mean over the points is the expected loss.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    partition : array_like of int, shape (N,)
        Usually the summary.

    Returns
    -------
    ndarray of float64, shape (N,)
        Bits; 0 for a point whose company is the same in all draws.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    checked = as_draws(draws)
    codes, bits = as_partition(partition, checked.n_points), np.zeros(checked.n_points)
    _surprise(checked.labels, codes, np.bincount(codes), log2_table(checked.n_points), bits)
    return bits / checked.n_draws


def attachment(draws: DrawsLike, partition: ArrayLike) -> Floats:
    """Compute how strongly every point belongs to every cluster of a partition.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    partition : array_like of int, shape (N,)
        Usually the summary; column k stands for its k-th cluster in the order of first appearance.

    Returns
    -------
    ndarray of float64, shape (N, K)
        Mean probability of sharing a cluster with the members of cluster k, itself left out. For the one member of a
        cluster, the probability of being alone. Rows need not add up to 1.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    checked = as_draws(draws)
    codes = as_partition(partition, checked.n_points)
    sizes = np.bincount(codes)
    counts, alone = np.zeros((checked.n_points, len(sizes))), np.zeros(checked.n_points)
    _companions(checked.labels, codes, counts, alone)
    own = (np.arange(checked.n_points), codes)
    single = sizes[codes] == 1
    others = np.tile(sizes.astype(np.float64), (checked.n_points, 1))
    counts[own] = np.where(single, alone, counts[own] - checked.n_draws)
    others[own] = np.where(single, 1, sizes[codes] - 1)
    return counts / others / checked.n_draws


@dataclass(frozen=True, eq=False)
class LawOfClusters:
    """Posterior law of the number of clusters.

    Attributes
    ----------
    values : ndarray of int64, shape (m,)
        From the smallest number seen to the largest, without gaps.
    probabilities : ndarray of float64, shape (m,)
        Share of all draws.
    by_chain : ndarray of float64, shape (C, m)
        Share of the draws of each chain.
    """

    values: IntArray
    probabilities: Floats
    by_chain: Floats

    @property
    def mean(self) -> float:
        """Posterior mean."""
        return float(self.values @ self.probabilities)

    @property
    def mode(self) -> int:
        """Most probable number; the smallest of several."""
        return int(self.values[np.argmax(self.probabilities)])

    def probability_of(self, n_clusters: int) -> float:
        """Return the probability of one number, e.g. that of another algorithm's clusters."""
        return float(self.probabilities[self.values == n_clusters].sum())


def law_of_n_clusters(n_clusters: ArrayLike, burn_in: int = 0) -> LawOfClusters:
    """Estimate the law of the number of clusters from one chain or several.

    Parameters
    ----------
    n_clusters : array_like of int, shape (T,) or (C, T)
        As in traces, or ``as_draws(draws).n_clusters``.
    burn_in : int
        Number of values at the start of each chain that are left out.

    Returns
    -------
    LawOfClusters

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    chains = as_chains(n_clusters, burn_in, "n_clusters")
    whole = chains.astype(np.int64)
    require(bool((whole == chains).all()) and whole.min() >= 1, "n_clusters", n_clusters, "whole numbers ≥ 1")
    values = np.arange(whole.min(), whole.max() + 1)
    by_chain = np.array([np.bincount(chain - values[0], minlength=len(values)) for chain in whole]) / whole.shape[1]
    return LawOfClusters(values, by_chain.mean(axis=0), by_chain)


def ranked_sizes(draws: DrawsLike, n_largest: int = 20) -> IntArray:
    """Sort the sizes of the clusters of every draw.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    n_largest : int
        Number of sizes to keep, ≥ 1.

    Returns
    -------
    ndarray of int64, shape (S, n_largest)
        Falling, with 0 where a draw has fewer clusters. Means and quantiles down a column are those of the largest, the
        second largest, … cluster.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    n_largest = whole_number("n_largest", n_largest)
    checked = as_draws(draws)
    sizes = np.zeros((checked.n_draws, n_largest), dtype=np.int64)
    for row, labels in zip(sizes, checked.labels, strict=True):
        falling = np.sort(np.bincount(labels))[::-1][:n_largest]
        row[: len(falling)] = falling
    return sizes
