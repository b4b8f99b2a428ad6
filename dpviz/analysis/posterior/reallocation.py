"""Move points, merge and divide clusters of one partition so that its expected loss under the draws falls.

With f(n) = n log2 n for the variation of information and f(n) = n(n − 1)/2 for the pair-counting losses, every loss
is a function of A_s = Σ_kj f(n_kj), P = Σ_k f(n_k) and Q_s = Σ_j f(n_j), where k runs over the clusters of the
partition, j over those of draw s and n_kj counts the points they share. Moving a point changes one cell n_kj of each
draw in two places, so the change of loss takes one table look-up per draw and cluster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpviz._jit import inlined, kernel
from dpviz.analysis.posterior.draws import Codes, Draws, Floats
from dpviz.analysis.posterior.losses import Loss, log2_table
from dpviz.arrays import IntArray
from dpviz.errors import MemoryLimitError

MOST_CELLS = 250_000_000
"""Larger tables of cells (groups of all draws × clusters; 4 bytes each) are refused."""


class Target(NamedTuple):
    """The constants of a search: the draws and the loss.

    Attributes
    ----------
    rows : ndarray of int32, shape (N, S)
        Groups of all draws have one number each: the one that point i has in draw s.
    first_row : ndarray of int64, shape (S + 1,)
        Draw s has the groups ``first_row[s]`` … ``first_row[s + 1] - 1``.
    f, increment : ndarray, shape (N + 2,)
        f(n) as above, and f(n + 1) − f(n).
    q : ndarray, shape (S,)
        Q_s.
    scale : float
        N for the variation of information, otherwise the number of pairs of points.
    adjusted : bool
        Whether the loss is 1 − ARI, which is not linear in A_s; otherwise it is (P + Q_s − 2 A_s) / scale.
    """

    rows: NDArray[np.int32]
    first_row: IntArray
    f: Floats
    increment: Floats
    q: Floats
    scale: float
    adjusted: bool


class State(NamedTuple):
    """A partition during a search, and its cells with every draw; changed in place.

    Attributes
    ----------
    labels : ndarray of int32, shape (N,)
        0 … K − 1; −1 for a point not yet allocated.
    sizes : ndarray of int64, shape (C,)
    cells : ndarray of int32, shape (groups of all draws, C)
        n_kj. The clusters ≥ K are empty.
    a : ndarray, shape (S,)
        A_s.
    p : ndarray, shape (1,)
        P.
    n_clusters : ndarray of int64, shape (1,)
        K.
    """

    labels: Codes
    sizes: IntArray
    cells: NDArray[np.int32]
    a: Floats
    p: Floats
    n_clusters: IntArray

    def copy(self) -> State:
        """Return an independent copy."""
        labels, sizes, cells, a, p, n_clusters = self
        return State(labels.copy(), sizes.copy(), cells.copy(), a.copy(), p.copy(), n_clusters.copy())


def target_of(draws: Draws, loss: Loss) -> Target:
    """Prepare a search."""
    n_points, counts = draws.n_points, np.arange(draws.n_points + 2, dtype=np.float64)
    in_bits = loss == "variation_of_information"
    f = counts * log2_table(n_points + 1) if in_bits else counts * (counts - 1) / 2
    first_row = np.concatenate(([0], np.cumsum(draws.n_clusters)))
    rows = np.ascontiguousarray(draws.labels.T + first_row[:-1].astype(np.int32))
    q = np.array([f[np.bincount(row)].sum() for row in draws.labels])
    scale = float(n_points) if in_bits else max(f[n_points], 1.0)
    return Target(rows, first_row, f, np.append(np.diff(f), 0.0), q, scale, loss == "one_minus_ari")


def check_size(draws: Draws, capacity: int) -> None:
    """Raise :class:`MemoryLimitError` if states with room for ``capacity`` clusters would be too large."""
    n_groups = int(draws.n_clusters.sum())
    if n_groups * capacity > MOST_CELLS:
        raise MemoryLimitError(
            f"The search would keep {n_groups:,} groups of all draws × {capacity:,} clusters, "
            f"{4 * n_groups * capacity / 1e9:.1f} GB; at most {MOST_CELLS:,} cells are kept. "
            "Thin the draws, or lower max_clusters."
        )


def empty_state(target: Target, capacity: int) -> State:
    """Return a state with no point allocated and room for ``capacity`` clusters."""
    n_points, n_draws = target.rows.shape
    return State(
        np.full(n_points, -1, dtype=np.int32),
        np.zeros(capacity, dtype=np.int64),
        np.zeros((int(target.first_row[-1]), capacity), dtype=np.int32),
        np.zeros(n_draws),
        np.zeros(1),
        np.zeros(1, dtype=np.int64),
    )


def state_of(target: Target, labels: Codes, capacity: int) -> State:
    """Return the state of a partition (N,) with labels 0 … K − 1, each present, K ≤ ``capacity``."""
    state = empty_state(target, capacity)
    for k in range(int(labels.max()) + 1):
        state.n_clusters[0] = k + 1
        insert(target, state, np.flatnonzero(labels == k), k)
    return state


@kernel
def insert(target: Target, state: State, points: IntArray, k: int) -> None:
    """Put unallocated points into cluster k < K."""
    for i in points:
        state.labels[i] = k
        state.p[0] += target.increment[state.sizes[k]]
        state.sizes[k] += 1
        for s in range(target.rows.shape[1]):
            row = target.rows[i, s]
            state.a[s] += target.increment[state.cells[row, k]]
            state.cells[row, k] += 1


@kernel
def remove(target: Target, state: State, i: int) -> None:
    """Take point i out of its cluster; the last cluster takes the name of one that becomes empty."""
    k = state.labels[i]
    state.labels[i] = -1
    state.sizes[k] -= 1
    state.p[0] -= target.increment[state.sizes[k]]
    for s in range(target.rows.shape[1]):
        row = target.rows[i, s]
        state.cells[row, k] -= 1
        state.a[s] -= target.increment[state.cells[row, k]]
    if state.sizes[k] == 0:
        rename_last(state, k)


@kernel
def rename_last(state: State, k: int) -> None:
    """Drop cluster k, whose cells are all 0: the last cluster takes its name."""
    last = state.n_clusters[0] - 1
    state.n_clusters[0] = last
    if k < last:
        state.sizes[k], state.sizes[last] = state.sizes[last], 0
        for row in range(state.cells.shape[0]):
            state.cells[row, k], state.cells[row, last] = state.cells[row, last], 0
        for i in range(state.labels.shape[0]):
            if state.labels[i] == last:
                state.labels[i] = k


@kernel
def transfer(target: Target, state: State, points: IntArray, k: int) -> None:
    """Move points to cluster k; it must come before any cluster that this empties."""
    state.n_clusters[0] = max(state.n_clusters[0], k + 1)
    for i in points:
        remove(target, state, i)
        insert(target, state, np.array([i]), k)


@inlined
def loss_at(target: Target, s: int, a: float, p: float) -> float:
    """Loss against draw s of a partition with A_s = ``a`` and P = ``p``."""
    if not target.adjusted:
        return (p + target.q[s] - 2.0 * a) / target.scale
    expected = p * target.q[s] / target.scale
    spread = (p + target.q[s]) / 2.0 - expected
    return ((p + target.q[s]) / 2.0 - a) / spread if spread > 0.0 else 0.0


@kernel
def current_loss(target: Target, state: State) -> float:
    """Compute the expected loss of the partition."""
    total = 0.0
    for s in range(target.rows.shape[1]):
        total += loss_at(target, s, state.a[s], state.p[0])
    return total / target.rows.shape[1]


@kernel
def _linear_scores(target: Target, state: State, i: int, n_seats: int, scores: Floats) -> None:
    """Write what the expected loss would be with point i in each of the first ``n_seats`` clusters, less a constant."""
    own = state.labels[i]
    n_draws = target.rows.shape[1]
    scores[:n_seats] = 0.0
    without = 0.0
    for s in range(n_draws):
        cells = state.cells[target.rows[i, s]]
        for k in range(n_seats):
            scores[k] += target.increment[cells[k]]
        if own >= 0:
            without += target.increment[cells[own] - 1]
    for k in range(n_seats):
        size = state.sizes[k]
        if k == own:
            scores[k], size = without, size - 1
        scores[k] = (target.increment[size] - 2.0 * scores[k] / n_draws) / target.scale


@kernel
def _adjusted_scores(target: Target, state: State, i: int, n_seats: int, scores: Floats) -> None:
    """As :func:`_linear_scores`, for 1 − ARI and a point that has a cluster."""
    own = state.labels[i]
    n_draws = target.rows.shape[1]
    scores[:n_seats] = 0.0
    p = state.p[0] - (state.sizes[own] - 1)
    for s in range(n_draws):
        cells = state.cells[target.rows[i, s]]
        a = state.a[s] - (cells[own] - 1)
        for k in range(n_seats):
            itself = 1 if k == own else 0
            scores[k] += loss_at(target, s, a + cells[k] - itself, p + state.sizes[k] - itself)
    for k in range(n_seats):
        scores[k] /= n_draws


@kernel
def allocate(target: Target, state: State, order: IntArray) -> None:
    """Allocate points one after the other to the cluster of lowest linear loss of the points present."""
    scores = np.empty(state.sizes.shape[0])
    for i in order:
        n_seats = min(state.n_clusters[0] + 1, state.sizes.shape[0])
        _linear_scores(target, state, i, n_seats, scores)
        best = int(np.argmin(scores[:n_seats]))
        state.n_clusters[0] = max(state.n_clusters[0], best + 1)
        insert(target, state, np.array([i]), best)


@kernel
def sweep(target: Target, state: State, order: IntArray, tolerance: float) -> int:
    """Move each point of ``order`` to the cluster, or a new one, of lowest loss; return how many moved.

    A move must gain more than ``tolerance``.
    """
    scores = np.empty(state.sizes.shape[0])
    n_moved = 0
    for i in order:
        n_seats = min(state.n_clusters[0] + 1, state.sizes.shape[0])
        if target.adjusted:
            _adjusted_scores(target, state, i, n_seats, scores)
        else:
            _linear_scores(target, state, i, n_seats, scores)
        own, best = int(state.labels[i]), int(np.argmin(scores[:n_seats]))
        if scores[best] < scores[own] - tolerance:
            state.n_clusters[0] = max(state.n_clusters[0], best + 1)
            last = state.n_clusters[0] - 1
            vanishes = state.sizes[own] == 1
            remove(target, state, i)
            insert(target, state, np.array([i]), own if vanishes and best == last else best)
            n_moved += 1
    return n_moved


@kernel
def merged_losses(target: Target, state: State) -> Floats:
    """Compute the expected loss after every merger of two clusters: (K, K), +inf on the diagonal and below."""
    n_clusters, n_draws = state.n_clusters[0], target.rows.shape[1]
    result = np.full((n_clusters, n_clusters), np.inf)
    for k in range(n_clusters):
        result[k, k + 1 :] = 0.0
    gained = np.zeros((n_clusters, n_clusters))
    present = np.empty(n_clusters, dtype=np.int64)
    for s in range(n_draws):
        gained[:] = 0.0
        for row in range(target.first_row[s], target.first_row[s + 1]):
            n_present = 0
            for k in range(n_clusters):
                if state.cells[row, k] > 0:
                    present[n_present] = k
                    n_present += 1
            for left in range(n_present):
                n_left = state.cells[row, present[left]]
                for right in range(left + 1, n_present):
                    n_right = state.cells[row, present[right]]
                    joined = target.f[n_left + n_right] - target.f[n_left] - target.f[n_right]
                    gained[present[left], present[right]] += joined
        for k in range(n_clusters):
            for other in range(k + 1, n_clusters):
                n_left, n_right = state.sizes[k], state.sizes[other]
                p = state.p[0] + target.f[n_left + n_right] - target.f[n_left] - target.f[n_right]
                result[k, other] += loss_at(target, s, state.a[s] + gained[k, other], p) / n_draws
    return result


@kernel
def companions(target: Target, seed: int, points: IntArray) -> IntArray:
    """Count the draws in which each of ``points`` shares the cluster of point ``seed``."""
    counts = np.zeros(points.shape[0], dtype=np.int64)
    for position in range(points.shape[0]):
        i = points[position]
        together = 0
        for s in range(target.rows.shape[1]):
            together += target.rows[i, s] == target.rows[seed, s]
        counts[position] = together
    return counts
