"""Hard sweeps: K-means (Lloyd) and DP-means (Kulis & Jordan 2012, Algorithm 1), and their starts.

A sweep visits every point once with the centres of the clusters fixed, then replaces every centre by the mean of its
members. K-means is the sweep in which no cluster is ever born or dropped.

The results are those of the plain algorithm, in which squared distances are summed feature by feature. Most distances
are never computed, though: as in Hamerly (2010), every point carries an upper bound on the distance to its own centre
and a lower bound on the distance to any other, both moved by as much as the centres move. A point whose upper bound is
below its lower one, or below half the gap between its centre and the nearest other centre, keeps its cluster. All
bounds are rounded outwards, so that they never decide what the computed distances would decide otherwise.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import borrowed, inlined, kernel, prepare
from dpviz.arrays import FloatArray, IntArray
from dpviz.errors import require

_LANES = 8  # room for centres is a multiple of this, so that the loop over them has no scalar remainder


class SweepCounts(NamedTuple):
    """Counts of one hard sweep.

    Attributes
    ----------
    n_moved : int
        Points whose cluster changed, those that founded a cluster included.
    n_born, n_died : int
        Clusters created, and clusters dropped because they were left without points; where these stay, those that
        have points again, and those that lost their last.
    largest_shift : float
        Largest distance by which a centre moved. A sweep with ``n_moved == 0`` and ``largest_shift == 0`` is at a fixed
        point; ``n_moved == 0`` alone may come from a start whose centres were not the means of its labels.
    """

    n_moved: int
    n_born: int
    n_died: int
    largest_shift: float


class _Bounds(NamedTuple):
    """Bounds on distances: ``upper`` and ``lower`` per point, the others per cluster open when the sweep starts.

    ``drift`` and ``others_drift`` are the distances that the cluster's centre, and the fastest of the other centres,
    moved since ``upper`` and ``lower`` were written; ``half_gap`` is half the distance to the nearest other centre.
    """

    upper: FloatArray
    lower: FloatArray
    drift: FloatArray
    others_drift: FloatArray
    half_gap: FloatArray


@kernel
def _slack(n_features: int) -> float:
    """Relative error that rounding can leave in a distance or in a bound, with a margin."""
    return (n_features + 8) * 2.0**-52


@kernel
def _two_nearest(x: FloatArray, columns: FloatArray, n_open: int, present: int, squared: FloatArray) -> Any:
    """Return the nearest centre, its squared distance and that of the runner-up.

    A tie keeps ``present``, else the lowest index. The inner loop runs over clusters because that vectorises while
    every squared distance is still added up in the order of the features.
    """
    width = (n_open + _LANES - 1) // _LANES * _LANES
    squared[:width] = 0.0
    for d in range(x.shape[0]):
        for k in range(width):
            difference = x[d] - columns[d, k]
            squared[k] += difference * difference
    nearest = present
    smallest = squared[present]
    second = np.inf
    for k in range(n_open):
        if squared[k] < smallest:
            second = smallest
            smallest = squared[k]
            nearest = k
        elif squared[k] < second and k != present:
            second = squared[k]
    return nearest, smallest, second


@inlined
def _stays(
    x: FloatArray, i: int, present: int, columns: FloatArray, radius: float, bounds: _Bounds, slack: float
) -> bool:
    """Update the bounds of point ``i`` and return whether they prove that it keeps its cluster."""
    bounds.upper[i] = (bounds.upper[i] + bounds.drift[present]) * (1.0 + slack)
    bounds.lower[i] = (bounds.lower[i] - bounds.others_drift[present]) * (1.0 - slack)
    limit = min(max(bounds.lower[i], bounds.half_gap[present]), radius)
    if bounds.upper[i] < limit:
        return True
    squared = 0.0
    for d in range(x.shape[0]):
        difference = x[d] - columns[d, present]
        squared += difference * difference
    bounds.upper[i] = math.sqrt(squared) * (1.0 + slack)
    return bool(bounds.upper[i] < limit)


@kernel
def _visit(
    X: FloatArray,
    order: IntArray,
    start: int,
    labels: IntArray,
    columns: FloatArray,
    n_open: int,
    penalty: float,
    until_birth: bool,
    bounds: _Bounds,
) -> Any:
    """Visit the points ``order[start:]``; return (next position, open clusters, points moved).

    ``columns`` (D, capacity) holds the centres, infinite beyond ``n_open``. The visit ends early after a birth if
    ``until_birth``, and before a birth for which ``columns`` has no room: the caller makes room and resumes.
    """
    X, order, labels, columns, bounds = borrowed((X, order, labels, columns, bounds))
    n_points, n_features = X.shape
    n_bounded = bounds.drift.shape[0]
    slack = _slack(n_features)
    radius = math.sqrt(penalty) * (1.0 - slack)
    squared = np.empty(columns.shape[1])
    n_moved = 0
    for position in range(start, n_points):
        i = order[position]
        present = labels[i]
        # no bounds cover a cluster born in this sweep: from its birth on every distance is computed
        if n_open == n_bounded and _stays(X[i], i, present, columns, radius, bounds, slack):
            continue
        nearest, smallest, second = _two_nearest(X[i], columns, n_open, present, squared)
        if smallest > penalty:
            if n_open == columns.shape[1]:
                return position, n_open, n_moved
            columns[:, n_open] = X[i]
            nearest = n_open
            n_open += 1
        labels[i] = nearest
        n_moved += nearest != present
        bounds.upper[i] = math.sqrt(smallest) * (1.0 + slack)
        bounds.lower[i] = math.sqrt(second) * (1.0 - slack)
        if until_birth and n_open > n_bounded:
            return position + 1, n_open, n_moved
    return n_points, n_open, n_moved


@kernel
def cluster_centres(X: FloatArray, labels: IntArray, before: FloatArray) -> Any:
    """Return the means (K, D) of the clusters' members, ``before`` if there are none, and their numbers (K,).

    Differences from a cluster's first member are added up, so that the mean of equal points is exactly that point: a
    rounding error there would let DP-means with a tiny penalty split duplicates forever.
    """
    first = before.copy()
    sums = np.zeros(before.shape)
    sizes = np.zeros(len(before), np.int64)
    for i in range(X.shape[0]):
        k = labels[i]
        if sizes[k] == 0:
            first[k] = X[i]
        sizes[k] += 1
        for d in range(X.shape[1]):
            sums[k, d] += X[i, d] - first[k, d]
    for k in range(len(before)):
        for d in range(X.shape[1]):
            first[k, d] += sums[k, d] / max(sizes[k], 1)
    return first, sizes


@kernel
def _half_gaps(centres: FloatArray) -> Any:
    """Return half the distance from every centre to the nearest other one, rounded down."""
    n_clusters, n_features = centres.shape
    squared_gap = np.full(n_clusters, np.inf)
    for a in range(n_clusters):
        for b in range(a):
            squared = 0.0
            for d in range(n_features):
                difference = centres[a, d] - centres[b, d]
                squared += difference * difference
            squared_gap[a] = min(squared_gap[a], squared)
            squared_gap[b] = min(squared_gap[b], squared)
    return np.sqrt(squared_gap) * (0.5 * (1.0 - _slack(n_features)))


@kernel
def sum_of_squares(X: FloatArray, labels: IntArray, centres: FloatArray) -> float:
    """Sum the squared distances to the centres, in blocks of points so that rounding errors do not accumulate."""
    n_points, n_features = X.shape
    total = 0.0
    for start in range(0, n_points, 256):
        block = np.zeros(n_features)
        for i in range(start, min(start + 256, n_points)):
            for d in range(n_features):
                difference = X[i, d] - centres[labels[i], d]
                block[d] += difference * difference
        for d in range(n_features):
            total += block[d]
    return total


class HardRule(NamedTuple):
    """What a sweep does besides going to the nearest centre.

    Attributes
    ----------
    penalty : float
        Squared distance beyond which a point opens a cluster; infinite for K-means.
    keeps_empty : bool
        Whether clusters without points keep their centres in place, as in K-means, rather than being dropped.
    until_birth : bool
        Whether the visits end as soon as a cluster is born.
    """

    penalty: float
    keeps_empty: bool
    until_birth: bool


class HardClusters(NamedTuple):
    """The state of hard sweeps; labels and the points' bounds are changed in place, the others replaced.

    Attributes
    ----------
    labels : ndarray (N,)
    centres : ndarray (K, D)
    sizes : ndarray (K,)
    upper, lower : ndarray (N,)
        Bounds on the distances to a point's own centre, and to any other.
    drift : ndarray (K,)
        How far each centre moved since.
    """

    labels: IntArray
    centres: FloatArray
    sizes: IntArray
    upper: FloatArray
    lower: FloatArray
    drift: FloatArray


@kernel
def hard_clusters(X: FloatArray, labels: IntArray, centres: FloatArray) -> HardClusters:
    """Begin with labels (N,), which are copied, and centres (K, D)."""
    n_points, n_clusters = X.shape[0], centres.shape[0]
    sizes = np.zeros(n_clusters, np.int64)
    for i in range(n_points):
        sizes[labels[i]] += 1
    upper, lower = np.full(n_points, np.inf), np.full(n_points, -np.inf)
    return HardClusters(labels.copy(), centres.copy(), sizes, upper, lower, np.zeros(n_clusters))


@kernel
def hard_objective(X: FloatArray, clusters: HardClusters, rule: HardRule) -> float:
    """Return Σ‖x − μ‖², plus λK for DP-means (Kulis & Jordan 2012); up to rounding it never rises.

    It is twice eq. 1 of Raykov et al. (2016), in squared units of X (N, D), and summed from the differences.
    """
    opened = 0.0 if rule.keeps_empty else rule.penalty * clusters.sizes.shape[0]
    return sum_of_squares(X, clusters.labels, clusters.centres) + opened


@kernel
def _others_drift(drift: FloatArray) -> FloatArray:
    """Return, for every cluster, how far the fastest of the other centres moved."""
    fastest = 0
    for k in range(1, drift.shape[0]):
        if drift[k] > drift[fastest]:
            fastest = k
    others, second = np.full(drift.shape[0], drift[fastest]), 0.0
    for k in range(drift.shape[0]):
        if k != fastest:
            second = max(second, drift[k])
    others[fastest] = second
    return others


@kernel
def _visit_all(X: FloatArray, order: IntArray, clusters: HardClusters, rule: HardRule) -> Any:
    """Visit the points; return the centres (D, capacity) with those born, the open clusters and the points moved."""
    n_clusters, n_features = clusters.centres.shape
    bounds = _Bounds(
        clusters.upper,
        clusters.lower,
        clusters.drift,
        _others_drift(clusters.drift),
        _half_gaps(clusters.centres),
    )
    columns = np.full((n_features, n_clusters // _LANES * _LANES + _LANES), np.inf)
    for k in range(n_clusters):
        for d in range(n_features):
            columns[d, k] = clusters.centres[k, d]
    position, n_open, n_moved = 0, n_clusters, 0
    while True:
        position, n_open, moved = _visit(
            X, order, position, clusters.labels, columns, n_open, rule.penalty, rule.until_birth, bounds
        )
        n_moved += moved
        if position == order.shape[0] or (rule.until_birth and n_open > n_clusters):
            return columns, n_open, n_moved
        wider = np.full((n_features, 2 * columns.shape[1]), np.inf)
        wider[:, : columns.shape[1]] = columns
        columns = wider


@kernel
def hard_sweep(X: FloatArray, order: IntArray, clusters: HardClusters, rule: HardRule) -> Any:
    """Assign every point to its nearest centre, or to a new cluster; then move the centres to the means.

    Returns
    -------
    clusters : HardClusters
    counts : SweepCounts
    """
    n_before, n_features = clusters.centres.shape
    columns, n_open, n_moved = _visit_all(X, order, clusters, rule)
    before = np.empty((n_open, n_features))
    for k in range(n_open):
        for d in range(n_features):
            before[k, d] = columns[d, k]
    means, counted = cluster_centres(X, clusters.labels, before)
    new_label, n_kept = np.empty(n_open, np.int64), 0
    for k in range(n_open):
        new_label[k] = n_kept
        n_kept += counted[k] > 0 or rule.keeps_empty
    centres, sizes, drift = np.empty((n_kept, n_features)), np.empty(n_kept, np.int64), np.empty(n_kept)
    largest_shift = 0.0
    for k in range(n_open):
        if counted[k] > 0 or rule.keeps_empty:
            squared = 0.0
            for d in range(n_features):
                centres[new_label[k], d] = means[k, d]
                squared += (means[k, d] - before[k, d]) ** 2
            shift = math.sqrt(squared)
            sizes[new_label[k]], drift[new_label[k]] = counted[k], shift * (1.0 + _slack(n_features))
            largest_shift = max(largest_shift, shift)
    if n_kept < n_open:
        for i in range(X.shape[0]):
            clusters.labels[i] = new_label[clusters.labels[i]]
    if n_open > n_before:  # no bounds cover the clusters born
        clusters.upper[:], clusters.lower[:], drift[:] = np.inf, -np.inf, 0.0
    after = HardClusters(clusters.labels, centres, sizes, clusters.upper, clusters.lower, drift)
    n_born, n_died = n_open - n_before, n_open - n_kept
    if rule.keeps_empty:
        n_born, n_died = _filled_and_emptied(clusters.sizes, counted)
    return after, SweepCounts(n_moved, n_born, n_died, largest_shift)


@kernel
def _filled_and_emptied(before: IntArray, after: IntArray) -> Any:
    """Count the clusters (K,) that have points after a sweep but had none before, and the reverse."""
    filled, emptied = 0, 0
    for k in range(before.shape[0]):
        filled += before[k] == 0 and after[k] > 0
        emptied += before[k] > 0 and after[k] == 0
    return filled, emptied


@kernel
def assigned_to_nearest(X: FloatArray, centres: FloatArray) -> IntArray:
    """Return the index (N,) of the centre nearest to every point; the lowest one if there is a tie."""
    n_points = X.shape[0]
    clusters = hard_clusters(X, np.zeros(n_points, np.int64), centres)
    return hard_sweep(X, np.arange(n_points), clusters, HardRule(np.inf, True, False))[0].labels


def check_working_data(X: FloatArray) -> None:
    """Raise unless X is laid out as the kernels need it."""
    layout = X.dtype == np.float64 and X.ndim == 2 and X.flags.c_contiguous and X.shape[0] > 0
    require(layout, "X", (X.dtype, X.shape), "a non-empty C-contiguous float64 array (N, D)")


def _check_labels(labels: IntArray, n_points: int, n_clusters: int) -> None:
    require(labels.dtype == np.int64 and labels.shape == (n_points,), "labels", labels, f"int64 of shape ({n_points},)")
    inside = labels.min() >= 0 and labels.max() < n_clusters
    require(inside, "labels", (labels.min(), labels.max()), f"between 0 and {n_clusters - 1}")


def check_n_clusters(X: FloatArray, n_clusters: int) -> None:
    """Raise unless there are at least as many points as clusters."""
    check_working_data(X)
    require(1 <= n_clusters <= len(X), "n_clusters", n_clusters, f"between 1 and the number of points, {len(X)}")


class HardSweeper:
    """The state of a K-means or DP-means run, and the bounds that make its next sweep fast.

    Parameters
    ----------
    X : float64 array (N, D)
        Finite, C-contiguous; not copied. The sweeper itself uses 32 bytes per point.
    labels : int64 array (N,)
        Cluster of every point at the start, ``0..K−1``; copied. Zeros mean unassigned when ``centres`` are given,
        since a tie then goes to the lowest index.
    centres : float64 array (K, D), optional
        Centres at the start; by default the means of the labels' clusters, none of which may then be empty.
    penalty : float, optional
        DP-means' λ ≥ 0 in squared units of ``X``: a point further than √λ from every centre opens a cluster, and
        clusters without points are dropped. ``None`` is K-means: K stays, an empty cluster keeps its centre in place.

    Attributes
    ----------
    labels : int64 array (N,)
        Present clusters, the oldest first; rewritten in place by every sweep.
    centres : float64 array (K, D)
        Present centres; a new array after every sweep.
    sizes : int64 array (K,)
        Numbers of members; a new array after every sweep.

    Raises
    ------
    InvalidParameterError
        If a shape, type or range is not as above.
    """

    def __init__(
        self, X: FloatArray, labels: IntArray, centres: FloatArray | None = None, penalty: float | None = None
    ) -> None:
        check_working_data(X)
        n_clusters = int(labels.max()) + 1 if centres is None else len(centres)
        _check_labels(labels, len(X), n_clusters)
        require(penalty is None or penalty >= 0, "penalty", penalty, "a number ≥ 0")
        self.X = X
        self.penalty = penalty
        shape = (n_clusters, X.shape[1])
        if centres is None:
            centres, sizes = cluster_centres(X, labels, np.zeros(shape))
            require(sizes.min() > 0, "sizes", sizes, "> 0 in every cluster", "Give the centres too.")
        require(centres.shape == shape and centres.dtype == np.float64, "centres", centres, f"float64 of shape {shape}")
        self._clusters = hard_clusters(X, labels, np.ascontiguousarray(centres))
        self._rules = tuple(
            HardRule(np.inf if penalty is None else float(penalty), penalty is None, until_birth)
            for until_birth in (False, True)
        )
        self._index_order = np.arange(len(X))
        prepare(hard_sweep, X, self._index_order, self._clusters, self._rules[0])

    @property
    def labels(self) -> IntArray:
        """Present clusters."""
        return self._clusters.labels

    @property
    def centres(self) -> FloatArray:
        """Present centres."""
        return self._clusters.centres

    @property
    def sizes(self) -> IntArray:
        """Numbers of members."""
        return self._clusters.sizes

    def objective(self) -> float:
        """Return :func:`hard_objective` of the present state."""
        return float(hard_objective(self.X, self._clusters, self._rules[0]))

    def sweep(self, order: IntArray | None = None, until_birth: bool = False) -> SweepCounts:
        """Assign every point to its nearest centre, or to a new cluster; then move the centres to the means.

        Parameters
        ----------
        order : int64 array (N,), optional
            Permutation in which the points are visited; by default that of the data. It matters for births only.
        until_birth : bool
            End the visits as soon as a cluster is created (Raykov et al. 2014, Section 4.2).

        Returns
        -------
        SweepCounts
            Counts of the sweep.

        Raises
        ------
        InvalidParameterError
            If ``order`` has the wrong type, shape or range.
        """
        if order is None:
            order = self._index_order
        else:
            valid = order.dtype == np.int64 and order.shape == self.labels.shape
            require(valid and order.min() == 0 and order.max() == len(order) - 1, "order", order, "a permutation of N")
        self._clusters, counts = hard_sweep(self.X, order, self._clusters, self._rules[until_birth])
        found: SweepCounts = counts
        return found


def nearest_centres(X: FloatArray, centres: FloatArray) -> IntArray:
    """Return the index (N,) of the centre nearest to every point; the lowest one if there is a tie."""
    check_working_data(X)
    return assigned_to_nearest(X, centres)
