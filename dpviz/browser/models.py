"""Families and partition priors from flat arrays: what configuration, problem and family do before a run."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray
from dpviz.browser.layout import (
    ALGORITHM,
    CHINESE,
    CONCENTRATION,
    FAMILY,
    FINITE,
    GENERALIZED,
    MAPDP,
    N_CLUSTERS,
    N_COMPONENTS,
    N_FEATURES,
    N_POINTS,
    PARTITION,
    PITMAN_YOR,
    POWERED,
    SECOND,
    SPHERICAL,
    TABLES,
    WIDTH,
)
from dpviz.engine.kernels.collapsed_sweep import PartitionLaw, partition_law
from dpviz.families.gaussian.base import (
    centre_and_scale,
    centred,
    mapped,
    powers_of_two,
    usable_variances,
)
from dpviz.families.gaussian.known_covariance import VARIANCE_RATIO, known_variance_state, whitening
from dpviz.families.gaussian.normal_gamma import PRIOR_SHAPE, NormalGammaPrior, normal_gamma_state
from dpviz.families.gaussian.normal_gamma import PRIOR_WEIGHT as GAMMA_WEIGHT
from dpviz.families.gaussian.normal_wishart import PRIOR_WEIGHT as WISHART_WEIGHT
from dpviz.families.gaussian.normal_wishart import (
    SPARE_DEGREES,
    NormalWishartPrior,
    default_scatter,
    normal_wishart_state,
    normal_wishart_tables,
)
from dpviz.numerics.matrices import matrix_product, transposed
from dpviz.numerics.special import log_gamma
from dpviz.numerics.sums import column_means, column_variances
from dpviz.partition._kernels import (
    fill_normalisers,
    fill_seating_means,
    log_blocks_of,
    powered_join_table,
    rising_log_products,
    seating_join_table,
    seating_open_table,
)

UNBOUNDED = 2**62
"""In place of a bound on the terms of a recursion."""
FEWEST, USUAL = 2, 3
"""Starting clusters, unless they are given: at least as many with a model, and as many without."""


class Given(NamedTuple):
    """Hyperparameters as a caller gives them, NaN where the data choose."""

    location: FloatArray
    weight: float
    shape: float
    spread: FloatArray
    between: FloatArray
    share: float


class Affine(NamedTuple):
    """Working coordinates ``matrix @ (x − origin)`` of points x.

    Attributes
    ----------
    origin : ndarray (D,)
    matrix, inverse : ndarray (D, D)
    """

    origin: FloatArray
    matrix: FloatArray
    inverse: FloatArray


class Tables(NamedTuple):
    """A partition prior for N points."""

    log_join: FloatArray
    log_open: FloatArray
    law: PartitionLaw


@kernel
def given_by(settings: FloatArray, values: FloatArray) -> Given:
    """Read the hyperparameters after the data."""
    n_features = int(settings[N_FEATURES])
    first = int(settings[N_POINTS]) * n_features
    spread = first + n_features + 2
    between = spread + n_features * n_features
    return Given(
        values[first : first + n_features].copy(),
        values[first + n_features],
        values[first + n_features + 1],
        values[spread:between].copy(),
        values[between : between + n_features * n_features].copy(),
        1.0 if math.isnan(settings[WIDTH]) else settings[WIDTH],
    )


@kernel
def _or(value: float, default: float) -> float:
    """Return the value, or the default where it is NaN."""
    return default if math.isnan(value) else value


@kernel
def _location(given: Given, means: FloatArray) -> FloatArray:
    """Return the prior mean (D,)."""
    return means.copy() if math.isnan(given.location[0]) else given.location


@kernel
def _square(numbers: FloatArray, size: int) -> FloatArray:
    """Return size² numbers as a matrix."""
    matrix = np.empty((size, size))
    for row in range(size):
        for column in range(size):
            matrix[row, column] = numbers[row * size + column]
    return matrix


@kernel
def affine_of(X: FloatArray) -> Any:
    """Return means (D,), scales (D,), X centred and scaled, and the log Jacobian per point (nats)."""
    centre, scale = centre_and_scale(X)
    log_jacobian = 0.0
    for d in range(X.shape[1]):
        log_jacobian -= math.log(scale[d])
    return centre, scale, centred(X, centre, 1.0 / scale), log_jacobian


@kernel
def _diagonal(numbers: FloatArray) -> FloatArray:
    """Return a diagonal matrix (D, D)."""
    matrix = np.zeros((numbers.shape[0], numbers.shape[0]))
    for d in range(numbers.shape[0]):
        matrix[d, d] = numbers[d]
    return matrix


@kernel
def centred_coordinates(X: FloatArray) -> Any:
    """Return X (N, D) centred and divided by one power of two, and that."""
    scale = powers_of_two(usable_variances(column_variances(X))).max()
    return centred(X, column_means(X), np.full(X.shape[1], 1.0 / scale)), scale


@kernel
def wishart_model(X: FloatArray, settings: FloatArray, values: FloatArray, capacity: int) -> Any:
    """Return the state, X in working coordinates, the log Jacobian and the coordinates of a normal–Wishart family."""
    given, n_features = given_by(settings, values), X.shape[1]
    centre, scale, moved, log_jacobian = affine_of(X)
    if math.isnan(given.spread[0]):
        psi0 = default_scatter(X) * given.share
    else:
        psi0 = _square(given.spread, n_features)
    for row in range(n_features):
        for column in range(n_features):
            psi0[row, column] = psi0[row, column] / scale[column] / scale[row]
    location = (_location(given, centre) - centre) / scale
    weight, shape = _or(given.weight, WISHART_WEIGHT * given.share), _or(given.shape, n_features + SPARE_DEGREES)
    prior = NormalWishartPrior(location, weight, shape, psi0)
    state = normal_wishart_state(prior, normal_wishart_tables(prior, X.shape[0]), capacity)
    return state, moved, log_jacobian, Affine(centre, _diagonal(1.0 / scale), _diagonal(scale))


@kernel
def gamma_model(X: FloatArray, settings: FloatArray, values: FloatArray, capacity: int) -> Any:
    """Return the same of a normal–gamma family."""
    given, n_features = given_by(settings, values), X.shape[1]
    centre, scale, moved, log_jacobian = affine_of(X)
    rate = usable_variances(column_variances(X)) / 2.0 * given.share
    if not math.isnan(given.spread[0]):
        rate = given.spread[:n_features].copy()
    location = (_location(given, centre) - centre) / scale
    weight, shape = _or(given.weight, GAMMA_WEIGHT * given.share), _or(given.shape, PRIOR_SHAPE)
    prior = NormalGammaPrior(location, weight, shape, rate / scale / scale)
    state = normal_gamma_state(prior, X.shape[0], capacity)
    return state, moved, log_jacobian, Affine(centre, _diagonal(1.0 / scale), _diagonal(scale))


@kernel
def known_model(X: FloatArray, settings: FloatArray, values: FloatArray, capacity: int) -> Any:
    """Return the same of the families with a known covariance, spherical or not."""
    given, n_features, centre = given_by(settings, values), X.shape[1], column_means(X)
    variances = usable_variances(column_variances(X))
    if int(settings[FAMILY]) == SPHERICAL:
        mean = 0.0
        for d in range(n_features):
            mean += variances[d]
        mean /= n_features
        within = _or(given.spread[0], mean / VARIANCE_RATIO * given.share) * np.eye(n_features)
        prior = _or(given.between[0], mean) * np.eye(n_features)
    else:
        within, prior = np.zeros((n_features, n_features)), np.zeros((n_features, n_features))
        for d in range(n_features):
            within[d, d], prior[d, d] = variances[d] / VARIANCE_RATIO * given.share, variances[d]
        if not math.isnan(given.spread[0]):
            within = _square(given.spread, n_features)
        if not math.isnan(given.between[0]):
            prior = _square(given.between, n_features)
    matrix, prior_variances, log_jacobian = whitening(prior, within)
    shifted = np.empty((1, n_features))
    shifted[0] = _location(given, centre) - centre
    state = known_variance_state(mapped(shifted, matrix)[0].copy(), prior_variances, X.shape[0], capacity)
    moved = mapped(centred(X, centre, np.ones(n_features)), matrix)
    inverse = matrix_product(within, transposed(matrix))  # since matrixᵀ · matrix is within⁻¹
    return state, moved, log_jacobian, Affine(centre, matrix, inverse)


@kernel
def discount_of(settings: FloatArray) -> float:
    """Return the discount d of a two-parameter law: 0, given, or −N0 / K_max."""
    partition = int(settings[PARTITION])
    if partition == PITMAN_YOR:
        return settings[SECOND]
    return -settings[CONCENTRATION] / settings[N_COMPONENTS] if partition == FINITE else 0.0


@kernel
def _first_of_tables(settings: FloatArray) -> int:
    """Return where tables of the partition prior begin among the values."""
    n_points, n_features = int(settings[N_POINTS]), int(settings[N_FEATURES])
    return n_points * n_features + n_features + 2 + 2 * n_features * n_features + n_points


@kernel
def growth_of(settings: FloatArray, values: FloatArray) -> FloatArray:
    """Return the join table ln g (N + 1,) of a restaurant with a growth function."""
    n_points, first = int(settings[N_POINTS]), _first_of_tables(settings)
    if int(settings[PARTITION]) == POWERED:
        return powered_join_table(settings[SECOND], n_points)
    join = np.full(n_points + 1, -math.inf)
    for n in range(1, n_points + 1):
        join[n] = values[first + n - 1]
    return join


@kernel
def partition_of(settings: FloatArray, values: FloatArray) -> Tables:
    """Fill the tables of a partition prior, or read those given."""
    n_points, partition, first = int(settings[N_POINTS]), int(settings[PARTITION]), _first_of_tables(settings)
    if partition == TABLES:
        join, opened = (
            values[first : first + n_points + 1].copy(),
            values[first + n_points + 1 :][: n_points + 1].copy(),
        )
        return Tables(join, opened, partition_law(join, opened, values[first + 2 * n_points + 2]))
    concentration = settings[CONCENTRATION]
    if partition in (CHINESE, PITMAN_YOR, FINITE):
        discount = discount_of(settings)
        join = seating_join_table(discount, n_points)
        n_components = int(settings[N_COMPONENTS]) if partition == FINITE else 0
        opened = seating_open_table(concentration, discount, n_components, n_points)
        normaliser = opened[0] + rising_log_products(concentration + 1.0, n_points - 1)[n_points - 1]
        return Tables(join, opened, partition_law(join, opened, normaliser))
    opened, join = np.full(n_points + 1, math.log(concentration)), growth_of(settings, values)
    if partition == POWERED and settings[SECOND] == 1.0:
        normaliser = rising_log_products(concentration, n_points)[n_points]
    else:
        normaliser = _product_form(settings, join)[0][n_points] + log_gamma(n_points + 1.0)
    return Tables(join, opened, partition_law(join, opened, normaliser))


@kernel
def _product_form(settings: FloatArray, join: FloatArray) -> Any:
    """Return ln Z_m / m! and E[K_m] (N + 1,) of a restaurant with a growth function."""
    normalisers, means = np.empty(join.shape[0]), np.empty(join.shape[0])
    two_ended = int(settings[PARTITION]) == POWERED and settings[SECOND] > 1.0
    fill_normalisers(log_blocks_of(join, math.log(settings[CONCENTRATION])), two_ended, UNBOUNDED, normalisers, means)
    return normalisers, means


@kernel
def starting_centres(settings: FloatArray, values: FloatArray) -> FloatArray:
    """Return the given centres (K, D) after all else, in the units of the data."""
    n_points, n_features = int(settings[N_POINTS]), int(settings[N_FEATURES])
    first, n_clusters = _first_of_tables(settings) + 2 * n_points + 3, int(settings[N_CLUSTERS])
    centres = np.empty((n_clusters, n_features))
    for k in range(n_clusters):
        for d in range(n_features):
            centres[k, d] = values[first + k * n_features + d]
    return centres


@kernel
def points_of(settings: FloatArray, values: FloatArray) -> FloatArray:
    """Return the data X (N, D), the first of the values."""
    X = np.empty((int(settings[N_POINTS]), int(settings[N_FEATURES])))
    for i in range(X.shape[0]):
        for d in range(X.shape[1]):
            X[i, d] = values[i * X.shape[1] + d]
    return X


@kernel
def starting_clusters(settings: FloatArray, values: FloatArray) -> int:
    """Return the clusters of the starts that have a number of their own: given, or what the prior expects."""
    n_points, partition = int(settings[N_POINTS]), int(settings[PARTITION])
    if not math.isnan(settings[N_CLUSTERS]):
        return int(settings[N_CLUSTERS])
    if settings[ALGORITHM] < MAPDP:
        return min(USUAL, n_points)
    means = np.empty(n_points + 1)
    if partition == GENERALIZED or partition == POWERED and settings[SECOND] != 1.0:
        means = _product_form(settings, growth_of(settings, values))[1]
    else:
        fill_seating_means(settings[CONCENTRATION], discount_of(settings), means)
    return min(max(int(np.rint(means[n_points])), FEWEST), most_clusters(settings))


@kernel
def most_clusters(settings: FloatArray) -> int:
    """Return how many clusters a partition can have."""
    n_points, is_finite = int(settings[N_POINTS]), int(settings[PARTITION]) == FINITE
    return min(n_points, int(settings[N_COMPONENTS])) if is_finite else n_points
