"""Families and partition priors from flat arrays: what configuration, problem and family do before a run."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray
from dpviz.browser.layout import (
    ALGORITHM,
    CONCENTRATION,
    FINITE,
    GENERALIZED,
    KMEANS,
    MAPDP,
    N_CLUSTERS,
    N_COMPONENTS,
    N_FEATURES,
    N_POINTS,
    PARTITION,
    PENALTY,
    PITMAN_YOR,
    POWERED,
    SECOND,
    WIDTH,
)
from dpviz.engine.initialise import CLUSTERS_WITHOUT_MODEL, expected_clusters
from dpviz.engine.kernels.collapsed_sweep import PartitionLaw, Weights, partition_law, prior_predictives
from dpviz.families.gaussian.base import centred, moments, powers_of_two
from dpviz.families.gaussian.placing import Given, Placed, number_or, placed
from dpviz.partition._kernels import (
    Restaurant,
    join_table_of,
    log_normaliser_of,
    means_of,
    open_table_of,
    powered_join_table,
)

UNBOUNDED = 2**62
"""In place of a bound on the terms of a recursion."""


class Model(NamedTuple):
    """Weights and law of a partition prior beside a family's state.

    Attributes
    ----------
    weights : Weights
    law : PartitionLaw
    log_jacobian : float
    """

    weights: Weights
    law: PartitionLaw
    log_jacobian: float


@kernel
def points_of(settings: FloatArray, values: FloatArray) -> FloatArray:
    """Return the data X (N, D), the first of the values."""
    n_points, n_features = int(settings[N_POINTS]), int(settings[N_FEATURES])
    return values[: n_points * n_features].reshape((n_points, n_features)).copy()


@kernel
def placed_by(family: Any, settings: FloatArray, values: FloatArray, n_partitions: int) -> Placed:
    """Place a family beside the data, with the hyperparameters that follow these, and slots for so many partitions."""
    n_features = int(settings[N_FEATURES])
    weight = (int(settings[N_POINTS]) + 1) * n_features
    spread = weight + 2
    between = spread + n_features * n_features
    given = Given(
        values[weight - n_features : weight].copy(),
        values[weight] if settings[ALGORITHM] >= MAPDP else penalty_of(settings),
        values[weight + 1],
        values[spread:between].copy(),
        values[between : between + n_features * n_features].copy(),
        number_or(settings[WIDTH], 1.0),
    )
    return placed(family, points_of(settings, values), given, n_partitions * (int(settings[N_POINTS]) + 2))


@kernel
def penalty_of(settings: FloatArray) -> float:
    """Return the penalty of a new cluster without a model, in squared units of the data; infinite for K-means."""
    return math.inf if int(settings[ALGORITHM]) == KMEANS else settings[PENALTY]


@kernel
def centred_coordinates(X: FloatArray) -> Any:
    """Return X (N, D) centred and divided by one power of two, and that."""
    means, variances = moments(X)
    scale = powers_of_two(variances).max()
    return centred(X, means, np.full(X.shape[1], 1.0 / scale)), scale


@kernel
def first_of_growth(settings: FloatArray) -> int:
    """Return where the growth of a generalised restaurant, ln g from 1 on, begins among the values."""
    n_points, n_features = int(settings[N_POINTS]), int(settings[N_FEATURES])
    return n_points * n_features + n_features + 2 + 2 * n_features * n_features + n_points


@kernel
def restaurant_of(settings: FloatArray, values: FloatArray) -> Restaurant:
    """Return the partition prior; a power of 1 makes it the Chinese restaurant."""
    n_points, partition, first = int(settings[N_POINTS]), int(settings[PARTITION]), first_of_growth(settings)
    concentration, second = settings[CONCENTRATION], settings[SECOND]
    discount, n_components, log_growth = 0.0, 0, np.empty(0)
    if partition == PITMAN_YOR:
        discount = second
    elif partition == FINITE:
        n_components = int(settings[N_COMPONENTS])
        discount = -concentration / n_components
    elif partition == POWERED and second != 1.0:
        log_growth = powered_join_table(second, n_points)
    elif partition == GENERALIZED:
        log_growth = np.full(n_points + 1, -math.inf)
        log_growth[1:] = values[first : first + n_points]
    two_ended = bool(partition == POWERED and second > 1.0)
    return Restaurant(concentration, discount, n_components, log_growth, two_ended, UNBOUNDED)


@kernel
def present_model(model: Model, settings: FloatArray, values: FloatArray) -> Model:
    """Return a model with the partition prior of the settings; without a family with the penalty as a weight."""
    n_points, predictives = int(settings[N_POINTS]), model.weights.log_prior_predictive
    if settings[ALGORITHM] < MAPDP:
        nothing = np.zeros(n_points + 1)
        weights = Weights(nothing, nothing - penalty_of(settings), predictives)
        return Model(weights, PartitionLaw(nothing, nothing, 0.0), model.log_jacobian)
    prior = restaurant_of(settings, values)
    join, opened = join_table_of(prior, n_points), open_table_of(prior, n_points)
    law = partition_law(join, opened, log_normaliser_of(prior, n_points))
    return Model(Weights(join, opened, predictives), law, model.log_jacobian)


@kernel
def model_of(state: Any, X: FloatArray, settings: FloatArray, values: FloatArray, log_jacobian: float) -> Model:
    """Return weights and law of a partition prior beside a family's state."""
    predictives, none = np.empty(X.shape[0]), np.empty(0)
    prior_predictives(state, X, predictives)
    without = Model(Weights(none, none, predictives), PartitionLaw(none, none, 0.0), log_jacobian)
    return present_model(without, settings, values)


@kernel
def starting_centres(settings: FloatArray, values: FloatArray) -> FloatArray:
    """Return the given centres (K, D) after all else, in the units of the data."""
    n_points, n_features = int(settings[N_POINTS]), int(settings[N_FEATURES])
    first, n_clusters = first_of_growth(settings) + n_points, int(settings[N_CLUSTERS])
    return values[first : first + n_clusters * n_features].reshape((n_clusters, n_features)).copy()


@kernel
def starting_clusters(settings: FloatArray, values: FloatArray) -> int:
    """Return the clusters of the starts that have a number of their own: given, or what the prior expects."""
    n_points = int(settings[N_POINTS])
    if not math.isnan(settings[N_CLUSTERS]):
        return int(settings[N_CLUSTERS])
    if settings[ALGORITHM] < MAPDP:
        return min(CLUSTERS_WITHOUT_MODEL, n_points)
    mean = means_of(restaurant_of(settings, values), n_points)[n_points]
    return expected_clusters(mean, most_clusters(settings))


@kernel
def most_clusters(settings: FloatArray) -> int:
    """Return how many clusters a partition can have."""
    n_points, is_finite = int(settings[N_POINTS]), int(settings[PARTITION]) == FINITE
    return min(n_points, int(settings[N_COMPONENTS])) if is_finite else n_points
