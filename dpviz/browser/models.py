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
    TABLES,
    WIDTH,
)
from dpviz.engine.initialise import CLUSTERS_WITHOUT_MODEL, expected_clusters
from dpviz.engine.kernels.collapsed_sweep import PartitionLaw, partition_law
from dpviz.families.gaussian.base import centred, moments, powers_of_two
from dpviz.families.gaussian.placing import Given, Placed, number_or, placed
from dpviz.numerics.special import log_gamma
from dpviz.partition._kernels import (
    fill_normalisers,
    fill_seating_means,
    log_blocks_of,
    powered_join_table,
    rising_log_products,
    seating_join_table,
    seating_log_normaliser,
    seating_open_table,
)

UNBOUNDED = 2**62
"""In place of a bound on the terms of a recursion."""


class Tables(NamedTuple):
    """A partition prior for N points."""

    log_join: FloatArray
    log_open: FloatArray
    law: PartitionLaw


@kernel
def points_of(settings: FloatArray, values: FloatArray) -> FloatArray:
    """Return the data X (N, D), the first of the values."""
    n_points, n_features = int(settings[N_POINTS]), int(settings[N_FEATURES])
    return values[: n_points * n_features].reshape((n_points, n_features)).copy()


@kernel
def placed_by(family: Any, settings: FloatArray, values: FloatArray, n_slots: int) -> Placed:
    """Place a family beside the data, with the hyperparameters that follow these."""
    n_features = int(settings[N_FEATURES])
    weight = (int(settings[N_POINTS]) + 1) * n_features
    spread = weight + 2
    between = spread + n_features * n_features
    given = Given(
        values[weight - n_features : weight].copy(),
        values[weight],
        values[weight + 1],
        values[spread:between].copy(),
        values[between : between + n_features * n_features].copy(),
        number_or(settings[WIDTH], 1.0),
    )
    return placed(family, points_of(settings, values), given, n_slots)


@kernel
def centred_coordinates(X: FloatArray) -> Any:
    """Return X (N, D) centred and divided by one power of two, and that."""
    means, variances = moments(X)
    scale = powers_of_two(variances).max()
    return centred(X, means, np.full(X.shape[1], 1.0 / scale)), scale


@kernel
def discount_of(settings: FloatArray) -> float:
    """Return the discount d of a two-parameter law: 0, given, or −N0 / K_max."""
    partition = int(settings[PARTITION])
    if partition == PITMAN_YOR:
        return settings[SECOND]
    return -settings[CONCENTRATION] / settings[N_COMPONENTS] if partition == FINITE else 0.0


@kernel
def first_of_tables(settings: FloatArray) -> int:
    """Return where tables of the partition prior begin among the values."""
    n_points, n_features = int(settings[N_POINTS]), int(settings[N_FEATURES])
    return n_points * n_features + n_features + 2 + 2 * n_features * n_features + n_points


@kernel
def growth_of(settings: FloatArray, values: FloatArray) -> FloatArray:
    """Return the join table ln g (N + 1,) of a restaurant with a growth function."""
    n_points, first = int(settings[N_POINTS]), first_of_tables(settings)
    if int(settings[PARTITION]) == POWERED:
        return powered_join_table(settings[SECOND], n_points)
    join = np.full(n_points + 1, -math.inf)
    join[1:] = values[first : first + n_points]
    return join


@kernel
def partition_of(settings: FloatArray, values: FloatArray) -> Tables:
    """Fill the tables of a partition prior, or read those given."""
    n_points, partition, first = int(settings[N_POINTS]), int(settings[PARTITION]), first_of_tables(settings)
    if partition == TABLES:
        join = values[first : first + n_points + 1].copy()
        opened = values[first + n_points + 1 :][: n_points + 1].copy()
        return Tables(join, opened, partition_law(join, opened, values[first + 2 * n_points + 2]))
    concentration = settings[CONCENTRATION]
    if partition in (CHINESE, PITMAN_YOR, FINITE):
        discount = discount_of(settings)
        join = seating_join_table(discount, n_points)
        n_components = int(settings[N_COMPONENTS]) if partition == FINITE else 0
        opened = seating_open_table(concentration, discount, n_components, n_points)
        normaliser = seating_log_normaliser(concentration, opened[0], n_points)
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
    first, n_clusters = first_of_tables(settings) + 2 * n_points + 3, int(settings[N_CLUSTERS])
    return values[first : first + n_clusters * n_features].reshape((n_clusters, n_features)).copy()


@kernel
def starting_clusters(settings: FloatArray, values: FloatArray) -> int:
    """Return the clusters of the starts that have a number of their own: given, or what the prior expects."""
    n_points, partition = int(settings[N_POINTS]), int(settings[PARTITION])
    if not math.isnan(settings[N_CLUSTERS]):
        return int(settings[N_CLUSTERS])
    if settings[ALGORITHM] < MAPDP:
        return min(CLUSTERS_WITHOUT_MODEL, n_points)
    means = np.empty(n_points + 1)
    if partition == GENERALIZED or partition == POWERED and settings[SECOND] != 1.0:
        means = _product_form(settings, growth_of(settings, values))[1]
    else:
        fill_seating_means(settings[CONCENTRATION], discount_of(settings), means)
    return expected_clusters(means[n_points], most_clusters(settings))


@kernel
def most_clusters(settings: FloatArray) -> int:
    """Return how many clusters a partition can have."""
    n_points, is_finite = int(settings[N_POINTS]), int(settings[PARTITION]) == FINITE
    return min(n_points, int(settings[N_COMPONENTS])) if is_finite else n_points
