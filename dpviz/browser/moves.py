"""Splits and merges after a sweep, from flat arrays: what :class:`dpviz.engine.split_merge.SplitMerge` does.

The first two slots of the state are scratch here: scoring the state after the moves computes all of them anew.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import kernel
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
from dpviz.engine.split_merge import (
    FEW_COLUMNS,
    INFORMED_PASSES,
    INFORMED_SHARE,
    anchor_preferences,
    log_marginal_ratio,
    restricted_scans,
    sequential_allocation,
)
from dpviz.numerics.stream import StreamArray, draw_integer, draw_permutation, draw_uniform, draw_uniforms

N_SCANS = 3
"""Scans that prepare a division by scans."""


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
def _falling(values: FloatArray) -> IntArray:
    """Return the order (m,) from the largest to the smallest, equal ones as they are; by merging."""
    order, merged, width = np.arange(values.shape[0]), np.empty(values.shape[0], np.int64), 1
    while width < values.shape[0]:
        for start in range(0, values.shape[0], 2 * width):
            middle, end = min(start + width, values.shape[0]), min(start + 2 * width, values.shape[0])
            left, right = start, middle
            for place in range(start, end):
                if right == end or left < middle and values[order[left]] >= values[order[right]]:
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        for place in range(values.shape[0]):
            order[place] = merged[place]
        width *= 2
    return order


@kernel
def _chosen(values: IntArray, order: IntArray) -> IntArray:
    """Return values in another order; none if there are none."""
    chosen = np.empty(values.shape[0], np.int64)
    for j in range(values.shape[0]):
        chosen[j] = values[order[j]]
    return chosen


@kernel
def _informed(
    state: Any,
    X: FloatArray,
    members: IntArray,
    target: IntArray,
    sides: IntArray,
    log_join: FloatArray,
    stream: StreamArray,
) -> float:
    """Divide by one scan from a division that follows from the data and the anchors alone."""
    n_members, counts = members.shape[0], np.zeros(2, np.int64)
    preferences = np.empty(n_members)
    anchor_preferences(state, X, members, sides, counts, preferences)
    order = _falling(preferences)
    ordered, forced, divided = _chosen(members, order), _chosen(target, order), np.empty(n_members, np.int64)
    uniforms = np.full((INFORMED_PASSES + 1, n_members), 0.5)
    sequential_allocation(state, X, ordered, divided, np.zeros(2, np.int64), log_join, uniforms[0], target[:0])
    for j in range(n_members):
        uniforms[INFORMED_PASSES, j] = 1.0 - draw_uniform(stream)
    log_density = restricted_scans(state, X, ordered, divided, np.zeros(2, np.int64), log_join, uniforms, forced)
    for j in range(n_members):
        sides[order[j]] = divided[j]
    return log_density


@kernel
def _divide(
    state: Any,
    X: FloatArray,
    members: IntArray,
    target: IntArray,
    sides: IntArray,
    log_join: FloatArray,
    by_scans: bool,
    stream: StreamArray,
) -> float:
    """Fill the sides (m,) of the members; return the log probability (nats) of that, or of a given ``target``."""
    n_members, counts = members.shape[0], np.zeros(2, np.int64)
    if by_scans:
        for j in range(n_members):
            sides[j] = draw_integer(stream, 2)
        sides[0], sides[1] = 0, 1
        table = np.empty((N_SCANS + 1, n_members))
        for scan in range(N_SCANS + 1):
            for j in range(n_members):
                table[scan, j] = 1.0 - draw_uniform(stream)
        return restricted_scans(state, X, members, sides, counts, log_join, table, target)
    if X.shape[1] > FEW_COLUMNS and draw_uniform(stream) < INFORMED_SHARE:
        return _informed(state, X, members, target, sides, log_join, stream)
    uniforms = draw_uniforms(stream, n_members)
    for j in range(n_members):
        uniforms[j] = 1.0 - uniforms[j]  # in (0, 1]: their logarithms are taken
    return sequential_allocation(state, X, members, sides, counts, log_join, uniforms, target)


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
def split_or_merge(
    state: Any,
    X: FloatArray,
    clusters: Clusters,
    log_join: FloatArray,
    law: PartitionLaw,
    by_scans: bool,
    stream: StreamArray,
) -> None:
    """Propose one split or merge of clusters 0 … K − 1, and accept or reject it."""
    labels = clusters.labels
    if labels.shape[0] < 2:
        return
    first, second = draw_two(stream, labels.shape[0])
    splits, members = labels[first] == labels[second], _members_of(labels, first, second, stream)
    target, sides = np.empty(0 if splits else members.shape[0], np.int64), np.empty(members.shape[0], np.int64)
    for j in range(target.shape[0]):
        target[j] = 0 if labels[members[j]] == labels[first] else 1
    log_proposal = _divide(state, X, members, target, sides, log_join, by_scans, stream)
    log_ratio = _log_ratio(state, X, clusters, members, sides, law) - log_proposal
    if math.log(1.0 - draw_uniform(stream)) < (log_ratio if splits else -log_ratio):
        _adopt(clusters, members, sides, splits)
