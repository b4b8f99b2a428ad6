"""Starts of hard sweeps, and the penalty for a given number of clusters."""

from __future__ import annotations

import math

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed_sweep import renumber
from dpviz.engine.kernels.hard import (
    HardClusters,
    HardRule,
    assigned_to_nearest,
    check_n_clusters,
    cluster_centres,
    hard_clusters,
    hard_sweep,
)
from dpviz.numerics.stream import StreamArray, draw_by_weight, draw_integer, draw_permutation, stream_of
from dpviz.numerics.sums import pairwise_sum

MOST_SWEEPS = 100
"""Of K-means as a start for others."""
STRATEGIES = ("single", "kmeans++", "random", "singletons", "kmeans")
"""Starts that need no model; K-means with no number of clusters is a single one."""
SINGLE, PLUSPLUS, RANDOM, SINGLETONS, KMEANS = range(len(STRATEGIES))


@kernel
def _lower_to_distance(X: FloatArray, point: FloatArray, squared: FloatArray) -> None:
    """Lower every ``squared[i]`` to the squared distance of ``X[i]`` to ``point`` where that is smaller."""
    for i in range(X.shape[0]):
        distance = 0.0
        for d in range(X.shape[1]):
            difference = X[i, d] - point[d]
            distance += difference * difference
        squared[i] = min(squared[i], distance)


@kernel
def distinct_points(X: FloatArray, n_points: int, stream: StreamArray) -> IntArray:
    """Return the indices of up to ``n_points`` points drawn at random, no two of them equal."""
    chosen, n_chosen = np.empty(n_points, np.int64), 0
    for i in draw_permutation(stream, X.shape[0]):
        known = False
        for j in range(n_chosen):
            same = True
            for d in range(X.shape[1]):
                if X[i, d] != X[chosen[j], d]:
                    same = False
                    break
            if same:
                known = True
                break
        if not known:
            chosen[n_chosen] = i
            n_chosen += 1
            if n_chosen == n_points:
                break
    return chosen[:n_chosen].copy()


@kernel
def kmeans_plusplus(X: FloatArray, n_clusters: int, stream: StreamArray) -> IntArray:
    """Return the indices (K,) of the points that greedy k-means++ chooses as centres."""
    n_points, n_trials = X.shape[0], 2 + int(math.log(n_clusters))
    chosen = np.empty(n_clusters, np.int64)
    chosen[0] = draw_integer(stream, n_points)
    squared = np.full(n_points, np.inf)
    _lower_to_distance(X, X[chosen[0]], squared)
    for k in range(1, n_clusters):
        total = pairwise_sum(squared)
        if total > 0.0:
            cumulative, below = np.empty(n_points), 0.0
            for i in range(n_points):
                below += squared[i] / total
                cumulative[i] = below
            candidates = draw_by_weight(stream, cumulative, n_trials)
        else:
            candidates = np.empty(n_trials, np.int64)
            for j in range(n_trials):
                candidates[j] = draw_integer(stream, n_points)
        lowest, best = np.inf, squared
        for candidate in candidates:
            lowered = squared.copy()
            _lower_to_distance(X, X[candidate], lowered)
            left = pairwise_sum(lowered)
            if left < lowest:
                lowest, chosen[k], best = left, candidate, lowered
        squared = best
    return chosen


@kernel
def centres_at(X: FloatArray, strategy: int, n_clusters: int, stream: StreamArray) -> FloatArray:
    """Return centres (K, D): distinct points drawn at random, from the first again if too few, or by k-means++."""
    if strategy == RANDOM:
        chosen = distinct_points(X, n_clusters, stream)
        return X[chosen[np.arange(n_clusters) % chosen.shape[0]]]
    return X[kmeans_plusplus(X, n_clusters, stream)]


@kernel
def labels_at(X: FloatArray, strategy: int, n_clusters: int, stream: StreamArray) -> IntArray:
    """Return the labels (N,) 0 … K − 1, each present, of a start by one of the :data:`STRATEGIES`."""
    if strategy == SINGLETONS:
        return np.arange(X.shape[0])
    labels = np.zeros(X.shape[0], np.int64)
    if strategy == RANDOM:
        for i in range(X.shape[0]):
            labels[i] = draw_integer(stream, n_clusters)
    elif strategy == PLUSPLUS:
        labels = assigned_to_nearest(X, centres_at(X, strategy, n_clusters, stream))
    elif strategy == KMEANS and n_clusters > 0:
        labels = kmeans_labels(X, n_clusters, stream)
    renumber(labels)
    return labels


def random_centres(X: FloatArray, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Return ``n_clusters`` distinct points (K, D) drawn at random, repeated if there are too few."""
    check_n_clusters(X, n_clusters)
    with stream_of(rng) as stream:
        return centres_at(X, RANDOM, n_clusters, stream)


def kmeans_plusplus_centres(X: FloatArray, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Return centres (K, D) by greedy k-means++ (Arthur & Vassilvitskii 2007).

    Every further centre is the best of 2 + ⌊ln K⌋ points drawn with probability proportional to the squared distance
    to the centres so far. Points are repeated only if there are fewer than K distinct ones.
    """
    check_n_clusters(X, n_clusters)
    with stream_of(rng) as stream:
        return centres_at(X, PLUSPLUS, n_clusters, stream)


def labels_by(strategy: str, X: FloatArray, n_clusters: int, rng: np.random.Generator) -> IntArray:
    """Return the labels (N,) of a start by one of the :data:`STRATEGIES`; some need a number of clusters."""
    if strategy not in ("single", "singletons"):
        check_n_clusters(X, n_clusters)
    with stream_of(rng) as stream:
        return labels_at(X, STRATEGIES.index(strategy), n_clusters, stream)


@kernel
def kmeans_labels(X: FloatArray, n_clusters: int, stream: StreamArray) -> IntArray:
    """Return the labels (N,) of a K-means run from k-means++.

    No cluster is empty: one that runs empty is given the point furthest from its own centre. There are
    ``n_clusters`` clusters, or as many as there are distinct points if those are fewer.
    """
    centres = X[kmeans_plusplus(X, distinct_points(X, n_clusters, stream).shape[0], stream)]
    clusters = hard_clusters(X, np.zeros(X.shape[0], np.int64), centres)
    order, rule = np.arange(X.shape[0]), HardRule(math.inf, True, False)
    for _ in range(MOST_SWEEPS):
        clusters, counts = hard_sweep(X, order, clusters, rule)
        if counts[0] == 0 and counts[3] == 0.0:
            if clusters.sizes.min() > 0:
                break
            labels = _without_empty_clusters(X, clusters)
            clusters = hard_clusters(X, labels, cluster_centres(X, labels, np.zeros(centres.shape))[0])
    return _without_empty_clusters(X, clusters)


@kernel
def _without_empty_clusters(X: FloatArray, clusters: HardClusters) -> IntArray:
    """Return labels in which every empty cluster has received the point furthest from its own centre."""
    labels, centres, squared = clusters.labels.copy(), clusters.centres.copy(), np.empty(X.shape[0])
    _measure(X, labels, centres, -1, squared)
    for k in range(centres.shape[0]):
        if clusters.sizes[k] == 0:
            furthest = squared.argmax()
            donor, labels[furthest], squared[furthest] = labels[furthest], k, 0.0
            centres[donor] = cluster_centres(X, labels, centres)[0][donor]
            _measure(X, labels, centres, donor, squared)
    return labels


@kernel
def _measure(X: FloatArray, labels: IntArray, centres: FloatArray, k: int, squared: FloatArray) -> None:
    """Fill in the squared distances to their centres of a cluster's points; −1 stands for all clusters."""
    for i in range(X.shape[0]):
        if k < 0 or labels[i] == k:
            squared[i] = 0.0
            for d in range(X.shape[1]):
                squared[i] += (X[i, d] - centres[labels[i], d]) ** 2


def farthest_first_penalty(X: FloatArray, n_clusters: int) -> float:
    """Return the DP-means penalty λ for a given number of clusters (Kulis & Jordan 2012, Section 5).

    Starting from the mean of all points, the point furthest from the chosen set joins it, ``n_clusters`` times over;
    λ is the squared distance found in the last round. It is 0 if too few distinct points remain.

    Parameters
    ----------
    X : float64 array (N, D)
    n_clusters : int
        Between 1 and N.

    Returns
    -------
    float
        In squared units of ``X``.

    Raises
    ------
    InvalidParameterError
        If ``n_clusters`` is out of range.
    """
    check_n_clusters(X, n_clusters)
    squared = np.full(len(X), np.inf)
    point = X.mean(axis=0)
    for _ in range(n_clusters):
        _lower_to_distance(X, point, squared)
        point = X[squared.argmax()]
    return float(squared.max())
