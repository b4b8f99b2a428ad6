"""What is asked of a partition, from flat arrays: scores of a point and of places, and shapes.

Numbers are those of the server: nats in the units of the data, or squared units of the data without a model. As in
:mod:`dpviz.browser.driver` nothing but kernels is called.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.browser.driver import Model, SmallArray, clusters_of, model_of
from dpviz.browser.layout import ALGORITHM, KMEANS, N_POINTS, N_SHAPE, PENALTY
from dpviz.browser.models import placed_by, points_of
from dpviz.engine.kernels.collapsed_sweep import N_OPEN, rebuild_slots, score_candidates, score_places
from dpviz.engine.kernels.hard import cluster_centres
from dpviz.engine.kernels.visits import squared_distance
from dpviz.families.gaussian.base import centred, mapped
from dpviz.families.gaussian.placing import Affine
from dpviz.families.gaussian.predictive import fill_predictive, independent_radius, student_radius
from dpviz.families.shapes import LEVELS

INNER, OUTER = LEVELS
_radius, _independent_radius = kernel(student_radius), kernel(independent_radius)


@kernel
def _score_point(state: Any, X: FloatArray, model: Model, labels: IntArray, point: int, found: FloatArray) -> int:
    """Fill ``found`` with the log densities, then the log weights, of all clusters and a new one; return K."""
    clusters = clusters_of(labels)
    n_clusters = clusters.counters[N_OPEN]
    rebuild_slots(state, X, labels, clusters.sizes, n_clusters)
    log_density, log_weight = found[: n_clusters + 1], found[n_clusters + 1 : 2 * n_clusters + 2]
    score_candidates(state, X, clusters, model.weights, point, log_density, log_weight)
    log_density += model.log_jacobian
    return int(n_clusters)


@kernel
def scores(
    family: Any, settings: FloatArray, values: FloatArray, labels: SmallArray, point: int, found: FloatArray
) -> int:
    """Score a point in all clusters without it, and in a new one, as :func:`dpviz.explain_assignment` does.

    Parameters
    ----------
    family, settings, values
        As for :func:`dpviz.browser.driver.run`.
    labels : int32 array (N,)
        The partition, 0 … K − 1.
    point : int
    found : ndarray (2 N + 2,)
        Filled with K + 1 log predictives (nats, in the units of the data), then as many log weights.

    Returns
    -------
    int
        K.
    """
    state, X, log_jacobian, _ = placed_by(family, settings, values, int(settings[N_POINTS]) + 2)
    model = model_of(state, X, settings, values, log_jacobian)
    return _score_point(state, X, model, labels.astype(np.int64), point, found)


@kernel
def _present_centres(X: FloatArray, labels: IntArray) -> FloatArray:
    """Return the means (K, D) of clusters; infinite without points."""
    return cluster_centres(X, labels, np.full((labels.max() + 1, X.shape[1]), math.inf))[0]


@kernel
def _distances_to(settings: FloatArray, centres: FloatArray, where: FloatArray, found: FloatArray) -> int:
    """Fill scores as :func:`_score_places`: minus squared distances, and −λ for a new cluster."""
    n_clusters = centres.shape[0]
    n_candidates = n_clusters if int(settings[ALGORITHM]) == KMEANS else n_clusters + 1
    for i in range(where.shape[0]):
        for k in range(n_candidates):
            squared = squared_distance(where[i], centres[k]) if k < n_clusters else 0.0
            found[i * n_candidates + k] = -squared
    for k in range(n_candidates):
        found[where.shape[0] * n_candidates + k] = 0.0 if k < n_clusters else -settings[PENALTY]
    return n_candidates


@kernel
def _score_places(
    state: Any, X: FloatArray, affine: Affine, model: Model, labels: IntArray, where: FloatArray, found: FloatArray
) -> int:
    """Fill a log predictive per place (P, D) and candidate, then a log weight per candidate; return K + 1."""
    clusters = clusters_of(labels)
    sizes, n_clusters = clusters.sizes, clusters.counters[N_OPEN]
    rebuild_slots(state, X, labels, sizes, n_clusters)
    placed = mapped(centred(where, affine.origin, np.ones(where.shape[1])), affine.matrix)
    first = where.shape[0] * (n_clusters + 1)
    score_places(state, placed, sizes, n_clusters, found[:first].reshape((where.shape[0], n_clusters + 1)))
    found[:first] += model.log_jacobian
    for k in range(n_clusters):
        found[first + k] = model.weights.log_join[sizes[k]]
    found[first + n_clusters] = model.weights.log_open[n_clusters]
    return int(n_clusters + 1)


@kernel
def _decide(found: FloatArray, n_candidates: int, new: int, modelled: bool, taken: FloatArray) -> None:
    """Let the highest score take every place; ``new`` is the candidate of a new cluster."""
    n_places, whole = taken.shape[0] // 3, 0.0
    weights = found[n_places * n_candidates :]
    for k in range(n_candidates):
        whole += math.exp(weights[k])
    for i in range(n_places):
        best, first, second, total = -1, -math.inf, -math.inf, 0.0
        for k in range(n_candidates):
            score = found[i * n_candidates + k] + weights[k]
            if score > first:
                best, first, second = k, score, first
            elif score > second:
                second = score
        for k in range(n_candidates):
            total += math.exp(found[i * n_candidates + k] + weights[k] - first)
        taken[3 * i] = -1.0 if best == new else best
        taken[3 * i + 1] = first - second
        taken[3 * i + 2] = math.log(whole) - first - math.log(total) if modelled else -first


@kernel
def places(
    family: Any,
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    where: FloatArray,
    found: FloatArray,
    taken: FloatArray,
) -> int:
    """Score places in all clusters and in a new one, and say which takes each.

    Parameters
    ----------
    family, settings, values
        As for :func:`dpviz.browser.driver.run`.
    labels : int32 array (N,)
        The partition, 0 … K − 1; without a model some of them may have no points.
    where : ndarray (P D,)
        Places in the units of the data, row by row.
    found : ndarray ((P + 1) (K + 1),)
        Filled with a log predictive (nats, in the units of the data) per place and candidate, then a log weight per
        candidate; without a model with minus squared distances, and minus λ for a new cluster.
    taken : ndarray (3 P,)
        Filled with the cluster that takes a place, −1 for a new one, its lead over the runner-up, and −ln of the
        mixture's density; without a model the lowest cost.

    Returns
    -------
    int
        Number of candidates: K + 1, of K-means K.
    """
    state, X, log_jacobian, affine = placed_by(family, settings, values, int(settings[N_POINTS]) + 2)
    model, spots = model_of(state, X, settings, values, log_jacobian), where.reshape((-1, X.shape[1]))
    count = _score_places(state, X, affine, model, labels.astype(np.int64), spots, found)
    _decide(found, count, count - 1, True, taken)
    return count


@kernel
def places_among_centres(
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    where: FloatArray,
    found: FloatArray,
    taken: FloatArray,
) -> int:
    """Do the same for K-means and DP-means."""
    X = points_of(settings, values)
    partition, spots = labels.astype(np.int64), where.reshape((-1, X.shape[1]))
    count = _distances_to(settings, _present_centres(X, partition), spots, found)
    _decide(found, count, partition.max() + 1, False, taken)
    return count


@kernel
def _write_plane(
    affine: Affine, axes: FloatArray, location: FloatArray, scale: FloatArray, found: FloatArray, place: int
) -> None:
    """Write location and scale of a predictive in the plane of two axes."""
    n_features = location.shape[0]
    across = np.zeros((2, n_features))  # the axes in working coordinates
    for j in range(2):
        total = 0.0
        for d in range(n_features):
            total += axes[j * n_features + d] * (affine.origin[d] - axes[2 * n_features + d])
            for e in range(n_features):
                across[j, e] += axes[j * n_features + d] * affine.inverse[d, e]
        for e in range(n_features):
            total += across[j, e] * location[e]
        found[place + 1 + j] = total
    for entry in range(3):
        total = 0.0
        for d in range(n_features):
            for e in range(n_features):
                total += across[entry // 2, d] * scale[d, e] * across[(entry + 1) // 2, e]
        found[place + 3 + entry] = total


@kernel
def _shape_row(
    state: Any, X: FloatArray, affine: Affine, labels: IntArray, axes: FloatArray, radii: FloatArray, found: FloatArray
) -> int:
    """Fill the shape of every cluster of one partition; return how many numbers that took."""
    n_features, clusters = X.shape[1], clusters_of(labels)
    n_clusters = clusters.counters[N_OPEN]
    location, scale, length = np.empty(n_features), np.empty((n_features, n_features)), radii.shape[0] // 3
    rebuild_slots(state, X, labels, clusters.sizes, n_clusters)
    for k in range(n_clusters):
        n, place = clusters.sizes[k], k * N_SHAPE
        found[place] = n
        degrees = fill_predictive(state, k, n, location, scale)
        _write_plane(affine, axes, location, scale, found, place)
        if length > 0:
            inner, outer = radii[length : 2 * length], radii[2 * length :]
            found[place + 6] = _independent_radius(degrees, radii[:length], inner)
            found[place + 7] = _independent_radius(degrees, radii[:length], outer)
        else:
            found[place + 6], found[place + 7] = _radius(INNER, degrees), _radius(OUTER, degrees)
    return int(n_clusters * N_SHAPE)


@kernel
def _circle_row(settings: FloatArray, X: FloatArray, labels: IntArray, axes: FloatArray, found: FloatArray) -> int:
    """Fill circles of one common variance: pooled for K-means, for DP-means that of an outer radius √λ."""
    n_features, centres = X.shape[1], _present_centres(X, labels)
    n_clusters, total = centres.shape[0], 0.0
    for i in range(X.shape[0]):
        total += squared_distance(X[i], centres[labels[i]])
    variance = settings[PENALTY] / _radius(OUTER, math.inf) ** 2
    if int(settings[ALGORITHM]) == KMEANS:
        variance = total / (n_features * max(X.shape[0] - n_clusters, 1))
    variance += 1e-12 * max(total / (X.shape[0] * n_features), 1e-300)
    plain = Affine(np.zeros(n_features), np.eye(n_features), np.eye(n_features))
    scale = variance * np.eye(n_features)
    for k in range(n_clusters):
        place = k * N_SHAPE
        _write_plane(plain, axes, centres[k], scale, found, place)
        found[place], found[place + 6], found[place + 7] = 0, _radius(INNER, math.inf), _radius(OUTER, math.inf)
    for i in range(X.shape[0]):
        found[labels[i] * N_SHAPE] += 1
    return int(n_clusters * N_SHAPE)


@kernel
def shapes(
    family: Any,
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    axes: FloatArray,
    radii: FloatArray,
    found: FloatArray,
) -> int:
    """Give the shapes of all clusters, as :func:`dpviz.engine.shapes.projected_shapes` does.

    Parameters
    ----------
    family, settings, values
        As for :func:`dpviz.browser.driver.run`.
    labels : int32 array (R N,)
        Partitions, 0 … K − 1 each; without a model some clusters may have no points.
    axes : ndarray (3 D,)
        Two directions, and the origin: x is shown at (x − origin) @ directions.T.
    radii : ndarray (3 L,)
        Of independent columns: 1 / (1 + ν), and log radii of the inner and the outer ellipse there.
    found : ndarray
        Filled with ``layout.SHAPE`` per cluster, partition by partition.

    Returns
    -------
    int
        How many numbers were filled.
    """
    state, X, _, affine = placed_by(family, settings, values, int(settings[N_POINTS]) + 2)
    n_points, place = X.shape[0], 0
    for row in range(labels.shape[0] // n_points):
        place += _shape_row(
            state, X, affine, labels[row * n_points : (row + 1) * n_points].astype(np.int64), axes, radii, found[place:]
        )
    return place


@kernel
def shapes_of_centres(
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    axes: FloatArray,
    radii: FloatArray,
    found: FloatArray,
) -> int:
    """Do the same for K-means and DP-means."""
    X, place = points_of(settings, values), 0
    n_points = X.shape[0]
    for row in range(labels.shape[0] // n_points):
        place += _circle_row(
            settings, X, labels[row * n_points : (row + 1) * n_points].astype(np.int64), axes, found[place:]
        )
    return place
