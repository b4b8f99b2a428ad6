"""Sums and moments of columns, compiled; in the order in which numpy adds, so that both give the same digits."""

from __future__ import annotations

import math

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray

BLOCK, LANES = 128, 8
"""numpy adds up to 128 numbers in eight sums, and divides longer arrays in two."""


@kernel
def _block_sum(x: FloatArray, start: int, n: int) -> float:
    """Add ``x[start : start + n]``, n ≤ 128."""
    if n < LANES:
        total = 0.0
        for i in range(n):
            total += x[start + i]
        return total
    lanes = x[start : start + LANES].copy()
    whole = n - n % LANES
    for i in range(LANES, whole, LANES):
        for lane in range(LANES):
            lanes[lane] += x[start + i + lane]
    total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
    for i in range(whole, n):
        total += x[start + i]
    return total


@kernel
def pairwise_sum(x: FloatArray) -> float:
    """Return the sum of x (n,), contiguous, as ``numpy.add.reduce`` does: in pairs of halves.

    The halves wait on a stack of (start, length, sum of the first half): ``length`` < 0 stands for one whose first
    half is added up.
    """
    starts, lengths, sums = np.zeros(64, np.int64), np.zeros(64, np.int64), np.zeros(64)
    lengths[0] = x.shape[0]
    depth, value = 0, 0.0
    while True:
        start, n = starts[depth], lengths[depth]
        if n > BLOCK:
            half = n // 2 - n // 2 % LANES
            depth += 1
            starts[depth], lengths[depth] = start, half
            continue
        value = _block_sum(x, start, n)
        while depth > 0 and lengths[depth - 1] < 0:  # the second half is done
            depth -= 1
            value = sums[depth] + value
        if depth == 0:
            return value
        start, n = starts[depth - 1], lengths[depth - 1]  # the first half is done
        sums[depth - 1] = value
        lengths[depth - 1] = -1
        half = n // 2 - n // 2 % LANES
        starts[depth], lengths[depth] = start + half, n - half


@kernel
def cumulated(log_weights: FloatArray) -> FloatArray:
    """Return at index n = 0..N the sum of entries 1..n−1; what each addition rounds off is kept (Neumaier 1974)."""
    sums = np.zeros(log_weights.shape[0])
    total, rounded_off = 0.0, 0.0
    for n in range(2, log_weights.shape[0]):
        value = log_weights[n - 1]
        added = total + value
        if abs(total) >= abs(value):
            rounded_off += (total - added) + value
        else:
            rounded_off += (value - added) + total
        total = added
        sums[n] = total + rounded_off if math.isfinite(added) else added
    return sums


@kernel
def column_means(X: FloatArray) -> FloatArray:
    """Return the mean (D,) of each column of X (N, D), without gaps."""
    n_points, n_features = X.shape
    means = np.zeros(n_features)
    if n_features == 1:
        means[0] = pairwise_sum(X[:, 0].copy())
    else:
        for i in range(n_points):
            for d in range(n_features):
                means[d] += X[i, d]
    for d in range(n_features):
        means[d] /= n_points
    return means


@kernel
def column_variances(X: FloatArray) -> FloatArray:
    """Return the population variance (D,) of each column of X (N, D); exactly 0 where all entries are equal."""
    n_points, n_features = X.shape
    squared, means = np.empty_like(X), column_means(X)
    differs = np.zeros(n_features, np.bool_)
    for i in range(n_points):
        for d in range(n_features):
            deviation = X[i, d] - means[d]
            squared[i, d] = deviation * deviation
            differs[d] |= X[i, d] != X[0, d]
    variances = column_means(squared)
    for d in range(n_features):
        if not differs[d]:  # their mean is rounded
            variances[d] = 0.0
    return variances
