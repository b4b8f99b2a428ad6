"""Splits and merges of whole clusters, each proposed and then accepted or rejected.

The first two slots of the state are scratch here: whoever goes on with it computes them anew.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import borrowed, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed_sweep import (
    N_BORN,
    N_DIED,
    N_MOVED,
    N_OPEN,
    Clusters,
    PartitionLaw,
    log_probability,
)
from dpviz.families.verbs import add_point, log_marginal, log_predictive, rebuild
from dpviz.numerics.stream import StreamArray, draw_integer, draw_permutation, draw_uniform, draw_uniforms


@kernel
def _fill(state: Any, X: FloatArray, members: IntArray, sides: IntArray, counts: IntArray, slot: int) -> None:
    """Compute the statistics of one side from its members."""
    chosen = members[sides == slot]
    counts[slot] = chosen.shape[0]
    labels = np.zeros(chosen.shape[0], dtype=np.int64)
    rebuild(state, X[chosen], labels, counts[slot : slot + 1], 1, slot)


@kernel
def sequential_allocation(
    state: Any,
    X: FloatArray,
    members: IntArray,
    sides: IntArray,
    counts: IntArray,
    log_join: FloatArray,
    uniforms: FloatArray,
    target: IntArray,
) -> float:
    """Let the members join either anchor's side one by one; return the log probability (nats) of their choices.

    ``members[0]`` and ``members[1]`` are the anchors. ``target`` of length 0 draws; otherwise the sides become
    ``target``, and the probability of drawing them is computed.
    """
    sides[:] = -1
    for slot in range(2):
        sides[slot] = slot
        _fill(state, X, members, sides, counts, slot)
    state, X, members, sides, counts = borrowed((state, X, members, sides, counts))
    log_probability = 0.0
    for j in range(2, members.shape[0]):
        i = members[j]
        score_0 = log_predictive(state, X, i, 0, counts[0]) + log_join[counts[0]]
        score_1 = log_predictive(state, X, i, 1, counts[1]) + log_join[counts[1]]
        difference = score_1 - score_0
        # ln of 1/(1 + e^difference), without overflow
        log_first = -(max(difference, 0.0) + math.log1p(math.exp(-abs(difference))))
        if target.shape[0] > 0:
            side = target[j]
        else:
            side = 0 if math.log(uniforms[j]) < log_first else 1
        sides[j] = side
        if add_point(state, X, i, side, counts[side]):
            counts[side] += 1
        else:
            _fill(state, X, members, sides, counts, side)
        log_probability += log_first if side == 0 else log_first + difference
    return log_probability


@kernel
def log_marginal_ratio(state: Any, X: FloatArray, sides: IntArray, sizes: IntArray) -> float:
    """Log marginal likelihood (nats) of the points X (n, D) as two clusters, minus that as one."""
    rebuild(state, X, sides, sizes, 2, 0)
    divided = log_marginal(state, 0, sizes[0]) + log_marginal(state, 1, sizes[1])
    sizes[0], sizes[1] = X.shape[0], 0
    rebuild(state, X, np.zeros(X.shape[0], dtype=np.int64), sizes, 1, 0)
    return divided - log_marginal(state, 0, X.shape[0])


@kernel
def draw_two(stream: StreamArray, n: int) -> Any:
    """Return two of 0 … n − 1, as ``Generator.choice(n, 2, replace=False)`` does, by Floyd's algorithm."""
    first, second = np.int64(draw_integer(stream, n - 1)), np.int64(draw_integer(stream, n))
    if second == first:
        second = np.int64(n - 1)
    if draw_integer(stream, 2) == 0:
        return second, first
    return first, second


@kernel
def _members_of(labels: IntArray, first: int, second: int, stream: StreamArray) -> IntArray:
    """Return the anchors, then all other points of their clusters in random order."""
    inside, n_inside = np.empty(labels.shape[0], np.int64), 0
    for i in range(labels.shape[0]):
        if i not in (first, second) and (labels[i] == labels[first] or labels[i] == labels[second]):
            inside[n_inside] = i
            n_inside += 1
    order, members = draw_permutation(stream, n_inside), np.empty(n_inside + 2, np.int64)
    members[0], members[1] = first, second
    for j in range(n_inside):
        members[j + 2] = inside[order[j]]
    return members


@kernel
def _log_ratio(
    state: Any, X: FloatArray, clusters: Clusters, members: IntArray, sides: IntArray, law: PartitionLaw
) -> float:
    """Return the log joint (nats) with the members divided, minus the one with them in one cluster."""
    labels, n_open, n_members = clusters.labels, clusters.counters[N_OPEN], members.shape[0]
    sizes, others, n_others = np.zeros(2, np.int64), np.empty(n_open + 2, np.int64), 0
    for j in range(n_members):
        sizes[sides[j]] += 1
    for k in range(n_open):
        if k not in (labels[members[0]], labels[members[1]]):
            others[n_others] = clusters.sizes[k]
            n_others += 1
    others[n_others], others[n_others + 1] = sizes[0], sizes[1]
    log_divided = log_probability(law, others[: n_others + 2])
    others[n_others] = n_members
    log_united = log_probability(law, others[: n_others + 1])
    rows = np.empty((n_members, X.shape[1]))
    for j in range(n_members):
        for d in range(X.shape[1]):
            rows[j, d] = X[members[j], d]
    return float(log_marginal_ratio(state, rows, sides, sizes) + log_divided - log_united)


@kernel
def _adopt(clusters: Clusters, members: IntArray, sides: IntArray, splits: bool) -> None:
    """Divide the members' cluster, whose second side comes last, or unite the two, and count what moved."""
    labels, sizes, active, counters = clusters
    first, second, n_moved = labels[members[0]], labels[members[1]], 0
    if splits:
        for j in range(members.shape[0]):
            if sides[j] == 1:
                labels[members[j]] = counters[N_OPEN]
                n_moved += 1
        counters[N_OPEN] += 1
        counters[N_BORN] += 1
    else:
        kept, dissolved = min(first, second), max(first, second)
        for i in range(labels.shape[0]):
            if labels[i] == dissolved:
                labels[i] = kept
                n_moved += 1
            elif labels[i] > dissolved:
                labels[i] -= 1
        counters[N_OPEN] -= 1
        counters[N_DIED] += 1
    counters[N_MOVED] += n_moved
    for k in range(sizes.shape[0]):
        sizes[k], active[k] = 0, k
    for i in range(labels.shape[0]):
        sizes[labels[i]] += 1


@kernel
def _split_or_merge(
    state: Any, X: FloatArray, clusters: Clusters, log_join: FloatArray, law: PartitionLaw, stream: StreamArray
) -> None:
    """Propose one split or merge of clusters 0 … K − 1, and accept or reject it."""
    labels = clusters.labels
    first, second = draw_two(stream, labels.shape[0])
    splits, members = labels[first] == labels[second], _members_of(labels, first, second, stream)
    n_members = members.shape[0]
    target, sides = np.empty(0 if splits else n_members, np.int64), np.empty(n_members, np.int64)
    for j in range(target.shape[0]):
        target[j] = 0 if labels[members[j]] == labels[first] else 1
    uniforms, counts = draw_uniforms(stream, n_members), np.zeros(2, np.int64)
    for j in range(n_members):
        uniforms[j] = 1.0 - uniforms[j]  # in (0, 1]: their logarithms are taken
    log_proposal = sequential_allocation(state, X, members, sides, counts, log_join, uniforms, target)
    log_ratio = _log_ratio(state, X, clusters, members, sides, law) - log_proposal
    if math.log(1.0 - draw_uniform(stream)) < (log_ratio if splits else -log_ratio):
        _adopt(clusters, members, sides, splits)


@kernel
def propose_splits_and_merges(
    state: Any,
    X: FloatArray,
    clusters: Clusters,
    log_join: FloatArray,
    law: PartitionLaw,
    n_proposals: int,
    stream: StreamArray,
) -> None:
    """Make so many proposals one after another, and count in the clusters' counters what those accepted changed."""
    if clusters.labels.shape[0] > 1:
        for _ in range(n_proposals):
            _split_or_merge(state, X, clusters, log_join, law, stream)
