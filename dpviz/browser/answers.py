"""What is asked of a partition, from flat arrays: scores of a point and of places, and shapes.

Numbers are those of the server: nats in the units of the data, or squared units of the data without a model. As in
:mod:`dpviz.browser.driver` nothing but kernels is called.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import generic, implements, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.browser.driver import Model, SmallArray, clusters_of, model_of
from dpviz.browser.layout import ALGORITHM, FAMILY, GAMMA, KMEANS, MAPDP, N_SHAPE, PENALTY, WISHART
from dpviz.browser.models import Affine, gamma_model, known_model, points_of, wishart_model
from dpviz.engine.kernels.collapsed_sweep import N_OPEN, rebuild_slots, score_candidates
from dpviz.families.gaussian.base import centred, mapped
from dpviz.families.gaussian.known_covariance import KnownVarianceState
from dpviz.families.gaussian.normal_gamma import NormalGammaState
from dpviz.families.gaussian.normal_wishart import NormalWishartState
from dpviz.families.shapes import LEVELS
from dpviz.families.verbs import clear_slot, log_predictive
from dpviz.numerics.matrices import lower_inverse, matrix_product, transposed

INNER, OUTER = LEVELS


@kernel
def wide(labels: SmallArray, first: int, n_points: int) -> IntArray:
    """Return the labels of one partition."""
    copied = np.empty(n_points, np.int64)
    for i in range(n_points):
        copied[i] = labels[first + i]
    return copied


@kernel
def _score_point(state: Any, X: FloatArray, model: Model, labels: IntArray, point: int, found: FloatArray) -> int:
    """Fill ``found`` with the log densities, then the log weights, of all clusters and a new one; return K."""
    clusters = clusters_of(labels)
    n_clusters = clusters.counters[N_OPEN]
    rebuild_slots(state, X, labels, clusters.sizes, n_clusters)
    log_density, log_weight = np.empty(n_clusters + 1), np.empty(n_clusters + 1)
    score_candidates(state, X, clusters, model.weights, point, log_density, log_weight)
    for k in range(n_clusters + 1):
        found[k], found[n_clusters + 1 + k] = log_density[k] + model.log_jacobian, log_weight[k]
    return int(n_clusters)


@kernel
def scores(settings: FloatArray, values: FloatArray, labels: SmallArray, point: int, found: FloatArray) -> int:
    """Score a point in all clusters without it, and in a new one, as :func:`dpviz.explain_assignment` does.

    Parameters
    ----------
    settings, values : ndarray
        As for :func:`dpviz.browser.driver.run`.
    labels : int32 array (N,)
        The partition, 0 … K − 1.
    point : int
    found : ndarray (2 N + 2,)
        Filled with K + 1 log predictives (nats, in the units of the data), then as many log weights.

    Returns
    -------
    int
        K; −1 for an algorithm without a model.
    """
    if settings[ALGORITHM] < MAPDP:
        return -1
    X = points_of(settings, values)
    family, capacity, partition = int(settings[FAMILY]), X.shape[0] + 2, wide(labels, 0, X.shape[0])
    if family == WISHART:
        state, moved, log_jacobian, _ = wishart_model(X, settings, values, capacity)
        model = model_of(state, moved, settings, values, log_jacobian)
        return _score_point(state, moved, model, partition, point, found)
    if family == GAMMA:
        narrow, moved, log_jacobian, _ = gamma_model(X, settings, values, capacity)
        model = model_of(narrow, moved, settings, values, log_jacobian)
        return _score_point(narrow, moved, model, partition, point, found)
    known, moved, log_jacobian, _ = known_model(X, settings, values, capacity)
    model = model_of(known, moved, settings, values, log_jacobian)
    return _score_point(known, moved, model, partition, point, found)


@kernel
def present_centres(X: FloatArray, labels: IntArray, room: int) -> FloatArray:
    """Return the means (K + room, D) of clusters; infinite without points, and in the room for further ones."""
    n_clusters = labels.max() + 1 + room
    centres, sizes = np.zeros((n_clusters, X.shape[1])), np.zeros(n_clusters, np.int64)
    for i in range(X.shape[0]):
        sizes[labels[i]] += 1
        for d in range(X.shape[1]):
            centres[labels[i], d] += X[i, d]
    for k in range(n_clusters):
        for d in range(X.shape[1]):
            centres[k, d] = centres[k, d] / sizes[k] if sizes[k] > 0 else math.inf
    return centres


@kernel
def squared_distance(x: FloatArray, centre: FloatArray) -> float:
    """Return the squared distance of two places (D,)."""
    total = 0.0
    for d in range(x.shape[0]):
        total += (x[d] - centre[d]) ** 2
    return total


@kernel
def _rows_of(values: FloatArray, n_features: int) -> FloatArray:
    """Return numbers as rows (n, D)."""
    rows = np.empty((values.shape[0] // n_features, n_features))
    for i in range(rows.shape[0]):
        for d in range(n_features):
            rows[i, d] = values[i * n_features + d]
    return rows


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
    clear_slot(state, n_clusters)
    placed = mapped(centred(where, affine.origin, np.ones(where.shape[1])), affine.matrix)
    for i in range(where.shape[0]):
        for k in range(n_clusters + 1):
            n = sizes[k] if k < n_clusters else 0
            found[i * (n_clusters + 1) + k] = log_predictive(state, placed, i, k, n) + model.log_jacobian
    first = where.shape[0] * (n_clusters + 1)
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
    settings, values : ndarray
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
    X = points_of(settings, values)
    spots, partition = _rows_of(where, X.shape[1]), wide(labels, 0, X.shape[0])
    family, capacity = int(settings[FAMILY]) if settings[ALGORITHM] >= MAPDP else -1, X.shape[0] + 2
    if family == -1:
        count = _distances_to(settings, present_centres(X, partition, 0), spots, found)
        _decide(found, count, partition.max() + 1, False, taken)
        return count
    if family == WISHART:
        state, moved, log_jacobian, affine = wishart_model(X, settings, values, capacity)
        model = model_of(state, moved, settings, values, log_jacobian)
        count = _score_places(state, moved, affine, model, partition, spots, found)
    elif family == GAMMA:
        narrow, moved, log_jacobian, affine = gamma_model(X, settings, values, capacity)
        model = model_of(narrow, moved, settings, values, log_jacobian)
        count = _score_places(narrow, moved, affine, model, partition, spots, found)
    else:
        known, moved, log_jacobian, affine = known_model(X, settings, values, capacity)
        model = model_of(known, moved, settings, values, log_jacobian)
        count = _score_places(known, moved, affine, model, partition, spots, found)
    _decide(found, count, count - 1, True, taken)
    return count


@generic
def predictive_of(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    """Fill location (D,) and scale (D, D) of the predictive of slot k with n points; return its degrees of freedom."""
    raise NotImplementedError(type(state))


@implements(predictive_of, NormalWishartState)
def _wishart_predictive(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    n_features = location.shape[0]
    inverse, position = np.zeros((n_features, n_features)), 0
    for row in range(n_features):
        location[row] = state.mean[row, k]
        for column in range(row + 1):
            inverse[row, column] = state.inverse_factor[k, position]
            position += 1
    factor = lower_inverse(inverse)
    squared = matrix_product(factor, transposed(factor))
    degrees, weight = state.a0 + n - n_features + 1.0, state.c0 + n
    for row in range(n_features):
        for column in range(n_features):
            scale[row, column] = squared[row, column] * (weight + 1.0) / (weight * degrees)
    return degrees


@implements(predictive_of, NormalGammaState)
def _gamma_predictive(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    shape, weight = state.a0 + 0.5 * n, state.c0 + n
    for d in range(location.shape[0]):
        location[d] = state.mean[d, k]
        for other in range(location.shape[0]):
            scale[d, other] = 0.0
        scale[d, d] = state.b[d, k] * (weight + 1.0) / (shape * weight)
    return 2.0 * shape


@implements(predictive_of, KnownVarianceState)
def _known_predictive(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    for d in range(location.shape[0]):
        location[d] = state.mean[d, k]
        for other in range(location.shape[0]):
            scale[d, other] = 0.0
        scale[d, d] = 1.0 / state.predictive_precision[d, k]
    return math.inf


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
def _radius(level: float, degrees: float) -> float:
    """Return the radius that holds this mass, as :func:`dpviz.families.gaussian.predictive.ellipse_radius` does."""
    if math.isinf(degrees):
        return math.sqrt(-2.0 * math.log1p(-level))
    return math.sqrt(degrees * math.expm1(-2.0 / degrees * math.log1p(-level)))


@kernel
def _tabled(radii: FloatArray, column: int, degrees: float) -> float:
    """Return the radius of two independent Student t by the table (heaviness, log radii inside, outside)."""
    length = radii.shape[0] // 3
    sought, j = 1.0 / (1.0 + degrees), 1
    while j < length - 1 and radii[j] < sought:
        j += 1
    share = min(1.0, max(0.0, (sought - radii[j - 1]) / (radii[j] - radii[j - 1])))
    low, high = radii[column * length + j - 1], radii[column * length + j]
    return math.exp(low + share * (high - low))


@kernel
def _shape_row(
    state: Any, X: FloatArray, affine: Affine, labels: IntArray, axes: FloatArray, radii: FloatArray, found: FloatArray
) -> int:
    """Fill the shape of every cluster of one partition; return how many numbers that took."""
    n_features, clusters = X.shape[1], clusters_of(labels)
    n_clusters = clusters.counters[N_OPEN]
    location, scale = np.empty(n_features), np.empty((n_features, n_features))
    rebuild_slots(state, X, labels, clusters.sizes, n_clusters)
    for k in range(n_clusters):
        n, place = clusters.sizes[k], k * N_SHAPE
        found[place] = n
        degrees = predictive_of(state, k, n, location, scale)
        _write_plane(affine, axes, location, scale, found, place)
        if radii.shape[0] > 0:
            found[place + 6], found[place + 7] = _tabled(radii, 1, degrees), _tabled(radii, 2, degrees)
        else:
            found[place + 6], found[place + 7] = _radius(INNER, degrees), _radius(OUTER, degrees)
    return int(n_clusters * N_SHAPE)


@kernel
def _shape_rows(
    state: Any,
    X: FloatArray,
    affine: Affine,
    labels: SmallArray,
    axes: FloatArray,
    radii: FloatArray,
    found: FloatArray,
) -> int:
    """Fill the shapes of all partitions."""
    n_points, place = X.shape[0], 0
    for row in range(labels.shape[0] // n_points):
        place += _shape_row(state, X, affine, wide(labels, row * n_points, n_points), axes, radii, found[place:])
    return place


@kernel
def _circle_row(settings: FloatArray, X: FloatArray, labels: IntArray, axes: FloatArray, found: FloatArray) -> int:
    """Fill circles of one common variance: pooled for K-means, for DP-means that of an outer radius √λ."""
    n_features, centres = X.shape[1], present_centres(X, labels, 0)
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
    settings, values : ndarray
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
    X, place = points_of(settings, values), 0
    n_points, capacity, none = X.shape[0], X.shape[0] + 2, np.empty(0)
    if settings[ALGORITHM] < MAPDP:
        for row in range(labels.shape[0] // n_points):
            place += _circle_row(settings, X, wide(labels, row * n_points, n_points), axes, found[place:])
        return place
    family = int(settings[FAMILY])
    if family == WISHART:
        state, moved, _, affine = wishart_model(X, settings, values, capacity)
        return _shape_rows(state, moved, affine, labels, axes, none, found)
    if family == GAMMA:
        narrow, moved, _, affine = gamma_model(X, settings, values, capacity)
        return _shape_rows(narrow, moved, affine, labels, axes, radii, found)
    known, moved, _, affine = known_model(X, settings, values, capacity)
    return _shape_rows(known, moved, affine, labels, axes, none, found)
