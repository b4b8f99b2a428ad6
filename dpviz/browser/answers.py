"""What is asked of a partition, from flat arrays: scores of a point and of places, and shapes.

Numbers are those of the server: nats in the units of the data, or squared units of the data without a model. As in
:mod:`dpviz.browser.driver` nothing but kernels is called.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import implements, kernel, optional
from dpviz.arrays import FloatArray, IntArray
from dpviz.browser.driver import SmallArray
from dpviz.browser.layout import ALGORITHM, KMEANS, MAPDP, MOST_SHAPES, N_SHAPE
from dpviz.browser.models import Model, model_of, placed_by
from dpviz.engine.kernels.collapsed_sweep import (
    N_OPEN,
    clusters_of,
    decide,
    rebuild_slots,
    score_candidates,
    score_places,
)
from dpviz.families.gaussian.base import centred, mapped
from dpviz.families.gaussian.normal_gamma import NormalGammaState
from dpviz.families.gaussian.placing import Affine, Placed
from dpviz.families.gaussian.predictive import independent_radii, independent_radius, predictives_of, student_radius
from dpviz.families.shapes import LEVELS
from dpviz.numerics.matrices import matrix_product, transposed

INNER, OUTER = LEVELS
HEAVINESS, LOG_INNER = independent_radii(INNER)
LOG_OUTER = independent_radii(OUTER)[1]
_student_radius, _independent_radius = kernel(student_radius), kernel(independent_radius)


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
    state, X, log_jacobian, _ = placed_by(family, settings, values, 1)
    model, clusters = model_of(state, X, settings, values, log_jacobian), clusters_of(labels.astype(np.int64))
    n_clusters = clusters.counters[N_OPEN]
    log_density, log_weight = found[: n_clusters + 1], found[n_clusters + 1 : 2 * n_clusters + 2]
    rebuild_slots(state, X, clusters.labels, clusters.sizes, n_clusters)
    score_candidates(state, X, clusters, model.weights, point, log_density, log_weight)
    log_density += log_jacobian
    return int(n_clusters)


@kernel
def _score_places(placed: Placed, model: Model, labels: IntArray, where: FloatArray) -> FloatArray:
    """Return a log predictive per place (P, D) and candidate, and below them a log weight: (P + 1, K + 1)."""
    state, X, _, affine = placed
    clusters, n_places = clusters_of(labels), where.shape[0]
    sizes, n_clusters = clusters.sizes, clusters.counters[N_OPEN]
    rebuild_slots(state, X, labels, sizes, n_clusters)
    found = np.empty((n_places + 1, n_clusters + 1))
    moved = mapped(centred(where, affine.origin, np.ones(where.shape[1])), affine.matrix)
    score_places(state, moved, sizes, n_clusters, found[:n_places])
    found[:n_places] += model.log_jacobian
    for k in range(n_clusters):
        found[n_places, k] = model.weights.log_join[sizes[k]]
    found[n_places, n_clusters] = model.weights.log_open[n_clusters]
    return found


@kernel
def _decide(found: FloatArray, modelled: bool, taken: FloatArray) -> None:
    """Let the highest score take every place; the last candidate is a new cluster."""
    n_places, n_clusters = found.shape[0] - 1, found.shape[1] - 1
    scores, whole = found[:n_places] + found[n_places], math.log(np.sum(np.exp(found[n_places])))
    decide(scores, taken)
    for i in range(n_places):
        best = int(taken[i, 0])
        taken[i, 2] = whole - taken[i, 2] if modelled else -scores[i, best]
        taken[i, 0] = -1.0 if best == n_clusters else best


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
    placed = placed_by(family, settings, values, 1)
    model = model_of(placed.state, placed.X, settings, values, placed.log_jacobian)
    scores = _score_places(placed, model, labels.astype(np.int64), where.reshape((-1, placed.X.shape[1])))
    _decide(scores, settings[ALGORITHM] >= MAPDP, taken.reshape((-1, 3)))
    count = scores.shape[1] - (settings[ALGORITHM] == KMEANS)
    found[: scores.shape[0] * count].reshape((-1, count))[:] = scores[:, :count]
    return int(count)


@optional
def _radii(state: Any, degrees: float) -> Any:
    """Return the radii of the inner and the outer ellipse of a predictive."""
    return _student_radius(INNER, degrees), _student_radius(OUTER, degrees)


@implements(_radii, NormalGammaState)
def _radii_of_columns(state: Any, degrees: float) -> Any:
    inner = _independent_radius(degrees, HEAVINESS, LOG_INNER)
    return inner, _independent_radius(degrees, HEAVINESS, LOG_OUTER)


@kernel
def _write_shapes(
    affine: Affine,
    plane: FloatArray,
    sizes: IntArray,
    locations: FloatArray,
    scales: FloatArray,
    radii: FloatArray,
    found: FloatArray,
) -> int:
    """Write the shapes of clusters with points in the plane; return how many there are."""
    n_found, across = 0, matrix_product(plane[:2], affine.inverse)  # the plane in working coordinates
    shift = mapped((affine.origin - plane[2]).reshape((1, plane.shape[1])), plane[:2])
    centres = mapped(locations, across)
    for k in range(locations.shape[0]):
        if sizes[k] > 0:
            numbers, scale = found[n_found], mapped(transposed(mapped(scales[k], across)), across)
            numbers[0], numbers[1], numbers[2] = k, centres[k, 0] + shift[0, 0], centres[k, 1] + shift[0, 1]
            numbers[3], numbers[4], numbers[5] = scale[0, 0], scale[0, 1], scale[1, 1]
            numbers[6], numbers[7] = radii[k, 0], radii[k, 1]
            n_found += 1
    return n_found


@kernel
def _shape_row(placed: Placed, labels: IntArray, plane: FloatArray, found: FloatArray) -> int:
    """Fill the shapes of one partition; return how many there are: of clusters with points, if these are few."""
    state, X, _, affine = placed
    clusters = clusters_of(labels)
    sizes, n_clusters = clusters.sizes, clusters.counters[N_OPEN]
    if n_clusters > MOST_SHAPES:
        return 0
    rebuild_slots(state, X, labels, sizes, n_clusters)
    locations, scales, degrees = predictives_of(state, sizes[:n_clusters], X.shape[1])
    radii = np.empty((n_clusters, 2))
    for k in range(n_clusters):
        radii[k, 0], radii[k, 1] = _radii(state, degrees[k])
    return int(_write_shapes(affine, plane, sizes, locations, scales, radii, found))


@kernel
def shapes(
    family: Any,
    settings: FloatArray,
    values: FloatArray,
    labels: SmallArray,
    plane: FloatArray,
    found: FloatArray,
    offsets: SmallArray,
) -> int:
    """Give the shapes of all clusters, as :func:`dpviz.engine.shapes.projected_shapes` does.

    Parameters
    ----------
    family, settings, values
        As for :func:`dpviz.browser.driver.run`.
    labels : int32 array (R N,)
        Partitions, 0 … K − 1 each; without a model some clusters may have no points, and then have no shape.
    plane : ndarray (3 D,)
        Two directions, and the origin: x is shown at (x − origin) @ directions.T.
    found : ndarray (M len(SHAPE),)
        Filled with ``layout.SHAPE`` per cluster, partition by partition.
    offsets : int32 array (R + 1,)
        Zeros at first; filled with where the shapes of each partition begin, and the last end.

    Returns
    -------
    int
        How many shapes were filled.
    """
    placed = placed_by(family, settings, values, 1)
    n_points, n_features = placed.X.shape
    partitions, axes = labels.reshape((-1, n_points)), plane.reshape((3, n_features))
    table, place = found.reshape((-1, N_SHAPE)), 0
    for row in range(partitions.shape[0]):
        place += _shape_row(placed, partitions[row].astype(np.int64), axes, table[place:])
        offsets[row + 1] = place
    return place
