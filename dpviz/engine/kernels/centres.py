"""Centres as a family: squared distances and one common circle in place of predictives, for algorithms without a model.

A log predictive is minus the squared distance to a centre, and 0 of a new cluster; weights are 0, and minus the penalty
for a new one. Hard sweeps (:mod:`dpviz.engine.kernels.hard`) do not need it, but who asks about a partition does.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import implements, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.hard import cluster_centres, sum_of_squares
from dpviz.engine.kernels.visits import squared_distance
from dpviz.families.gaussian.placing import Given, Placed, placed, scaling
from dpviz.families.gaussian.predictive import fill_predictive
from dpviz.families.shapes import LEVELS
from dpviz.families.verbs import clear_slot, log_predictive, rebuild

SQUARED_OUTER = -2.0 * math.log1p(-LEVELS[1])
"""Squared radius of the outer circle of a normal shape, in variances."""


class CentresKind(NamedTuple):
    """Tells :func:`~dpviz.families.gaussian.placing.placed` that there is no family; the weight is the penalty."""


class CentresState(NamedTuple):
    """Centres (slots, D), NaN of a new cluster; the variance (1,) of the common circle; the penalty of a new cluster.

    The penalty is infinite for K-means, whose circle has the pooled variance, as the objective assumes. For DP-means
    the outer circle has the radius √λ: beyond it a point opens a cluster.
    """

    centres: FloatArray
    variance: FloatArray
    penalty: float


@kernel
def centres_state(n_features: int, n_slots: int, penalty: float) -> CentresState:
    """Allocate the state; the penalty is in squared units of the data."""
    return CentresState(np.zeros((n_slots, n_features)), np.zeros(1), penalty)


@implements(placed, CentresKind)
def _placed(family: Any, X: FloatArray, given: Given, capacity: int) -> Placed:
    n_features = X.shape[1]
    own = centres_state(n_features, capacity, given.weight)
    return Placed(own, X, 0.0, scaling(np.zeros(n_features), np.ones(n_features)))


@implements(clear_slot, CentresState)
def _clear_slot(state: Any, k: int) -> None:
    state.centres[k] = math.nan


@implements(rebuild, CentresState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    n_points, n_features = X.shape
    centres = cluster_centres(X, labels, np.zeros((n_clusters, n_features)))[0]
    squares = sum_of_squares(X, labels, centres)
    variance = squares / (n_features * max(n_points - n_clusters, 1))
    if state.penalty < math.inf:
        variance = state.penalty / SQUARED_OUTER
    state.centres[first : first + n_clusters] = centres
    state.variance[0] = variance + 1e-12 * max(squares / (n_points * n_features), 1e-300)


@implements(log_predictive, CentresState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    if n > 0:
        return -squared_distance(X[i], state.centres[k])
    return 0.0 if math.isnan(state.centres[k, 0]) else -math.inf


@implements(fill_predictive, CentresState)
def _fill_predictive(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    scale[:] = 0.0
    for d in range(location.shape[0]):
        location[d], scale[d, d] = state.centres[k, d], state.variance[0]
    return math.inf
