"""Missing cells at their most probable values, one row and one slot at a time: what the kernels need of real columns.

A normal or Student t predictive is highest, over the missing cells of a row, where the row is nearest the slot's mean
in the slot's own distance. So the mode of the missing cells given the others solves a problem of least squares, and
what is left of the distance is that of the seen cells alone. It is solved by modified Gram–Schmidt on the slot's
factor, which loses no digits to squared condition numbers.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import generic, implements, inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.columns.state import ColumnsState
from dpviz.families.columns.verbs import cell_of, log_predictive_of_cell, n_cells_of
from dpviz.families.gaussian.known_covariance import KnownVarianceState
from dpviz.families.gaussian.normal_gamma import NormalGammaState
from dpviz.families.gaussian.normal_wishart import NormalWishartState

LOG_PI, LOG_2PI = math.log(math.pi), math.log(2.0 * math.pi)


class Gaps(NamedTuple):
    """The missing cells of a row, and the space for finding their mode; M of them in working data of D columns.

    Attributes
    ----------
    directions : ndarray (M + 1, D)
        By how much the row moves, in working coordinates, per unit of each missing cell; the last one is scratch.
    shifts : ndarray (M,)
        By how much each missing cell has to change to be at its mode, in the units of the data.
    vectors : ndarray (M + 1, D)
        Scratch.
    factors : ndarray (M, M + 1)
        Scratch.
    """

    directions: FloatArray
    shifts: FloatArray
    vectors: FloatArray
    factors: FloatArray


@generic
def log_predictive_of_seen(state: Any, X: FloatArray, i: int, k: int, n: int, gaps: Gaps) -> float:
    """Log density (nats) of the seen cells of point i under slot k, which holds n other points; fills ``gaps.shifts``.

    It is ln ∫ f(x + Σ_j t_j g_j) dt over the directions g_j: the values that the missing cells have now do not matter.
    """
    raise TypeError(type(state))


@inlined
def gaps_of(images: FloatArray, columns: IntArray) -> Gaps:
    """Prepare the missing cells of a row, by their columns (M,), given the direction of every column (C, D)."""
    n_gaps, n_features = columns.shape[0], images.shape[1]
    directions = np.empty((n_gaps + 1, n_features))
    for j in range(n_gaps):
        directions[j] = images[columns[j]]
    vectors, factors = np.empty((n_gaps + 1, n_features)), np.zeros((n_gaps, n_gaps + 1))
    return Gaps(directions, np.zeros(n_gaps), vectors, factors)


@inlined
def _nearest(gaps: Gaps) -> tuple[float, float, int]:
    """Minimise ‖b + Σ_j t_j a_j‖² over t, where the rows of ``gaps.vectors`` are a_j and, last, b.

    Returns the minimum, ln|AᵀA|, and how many directions move anything here: those of other blocks are 0, and keep
    their shifts.
    """
    _, shifts, vectors, factors = gaps
    n_gaps, n_features = factors.shape[0], vectors.shape[1]
    log_determinant, n_moving = 0.0, 0
    for j in range(n_gaps):
        squared = 0.0
        for d in range(n_features):
            squared += vectors[j, d] * vectors[j, d]
        factors[j, j] = math.sqrt(squared)
        if squared == 0.0:
            factors[j, j + 1 :] = 0.0
            continue
        log_determinant += math.log(squared)
        n_moving += 1
        for later in range(j + 1, n_gaps + 1):
            along = 0.0
            for d in range(n_features):
                along += vectors[j, d] * vectors[later, d]
            along /= squared
            factors[j, later] = along * factors[j, j]
            for d in range(n_features):
                vectors[later, d] -= along * vectors[j, d]
    for j in range(n_gaps - 1, -1, -1):
        if factors[j, j] > 0.0:
            total = factors[j, n_gaps]
            for later in range(j + 1, n_gaps):
                total += factors[j, later] * shifts[later]
            shifts[j] = -total / factors[j, j]
    distance = 0.0
    for d in range(n_features):
        distance += vectors[n_gaps, d] * vectors[n_gaps, d]
    return distance, log_determinant, n_moving


@implements(log_predictive_of_seen, NormalWishartState)
def _of_normal_wishart(state: Any, X: FloatArray, i: int, k: int, n: int, gaps: Gaps) -> float:
    directions, vectors, factor = gaps.directions, gaps.vectors, state.inverse_factor
    n_features = X.shape[1]
    for d in range(n_features):
        directions[directions.shape[0] - 1, d] = X[i, d] - state.mean[d, k]
    for j in range(directions.shape[0]):
        position = 0
        for row in range(n_features):
            projected = 0.0
            for column in range(row + 1):
                projected += factor[k, position + column] * directions[j, column]
            vectors[j, row] = projected
            position += row + 1
    distance, log_determinant, n_moving = _nearest(gaps)
    weight = (state.c0 + n) / (state.c0 + n + 1.0)
    power, half = 0.5 * (state.a0 + n + 1.0), 0.5 * n_moving
    integral = math.lgamma(power - half) - math.lgamma(power) + half * (LOG_PI - math.log(weight))
    constant = state.predictive_constant[n] - 0.5 * (state.log_determinant[k] + log_determinant) + integral
    return constant - (power - half) * math.log(1.0 + weight * distance)


@implements(log_predictive_of_seen, KnownVarianceState)
def _of_known_variance(state: Any, X: FloatArray, i: int, k: int, n: int, gaps: Gaps) -> float:
    directions, vectors = gaps.directions, gaps.vectors
    for d in range(X.shape[1]):
        directions[directions.shape[0] - 1, d] = X[i, d] - state.mean[d, k]
        root = math.sqrt(state.predictive_precision[d, k])
        for j in range(directions.shape[0]):
            vectors[j, d] = root * directions[j, d]
    distance, log_determinant, n_moving = _nearest(gaps)
    return state.predictive_constant[n] + 0.5 * (n_moving * LOG_2PI - log_determinant - distance)


@implements(log_predictive_of_seen, NormalGammaState)
def _of_normal_gamma(state: Any, X: FloatArray, i: int, k: int, n: int, gaps: Gaps) -> float:
    """Columns are independent: the mode is the slot's mean, whatever else the row holds."""
    n_features, n_gaps = X.shape[1], gaps.shifts.shape[0]
    c = state.c0 + n
    weight, power = c / (c + 1.0), state.a0 + 0.5 * n + 0.5
    total, constant = 0.0, state.predictive_constant[n] / n_features
    for d in range(n_features):
        delta, missing = X[i, d] - state.mean[d, k], -1
        for j in range(n_gaps):
            if gaps.directions[j, d] != 0.0:
                missing = j
        if missing >= 0:
            step = gaps.directions[missing, d]
            gaps.shifts[missing] = -delta / step
            total -= math.log(abs(step))
        else:
            spread = 1.0 + weight * delta * delta * state.half_inverse_b[d, k]
            total += constant - 0.5 * math.log(state.b[d, k]) - power * math.log(spread)
    return total


@implements(log_predictive_of_seen, ColumnsState)
def _of_columns(state: Any, X: FloatArray, i: int, k: int, n: int, gaps: Gaps) -> float:
    """Sum over columns and those of a full covariance; of the others only real ones have missing cells."""
    total, n_placed = state.by_size[n] if state.complete else 0.0, state.n_placed
    for cell in range(n_cells_of(state, X, i)):
        (d, x), missing = cell_of(state, X, i, cell), -1
        for j in range(gaps.shifts.shape[0] if cell < n_placed else 0):
            if gaps.directions[j, d] != 0.0:
                missing = j
        if missing >= 0:  # its mode is the slot's mean, whatever else the row holds
            step = gaps.directions[missing, d]
            gaps.shifts[missing] = (state.location[d, k] - x) / step
            total -= math.log(abs(step))
            if state.complete:
                total -= state.student[n]  # the table has the sizes of all columns
        elif not math.isnan(x):
            total += log_predictive_of_cell(state, x, d, k)
    if n_placed < state.n_columns:
        own = _within(gaps, n_placed, state.n_columns)
        total += log_predictive_of_seen(state.full, X[:, n_placed : state.n_columns], i, k, n, own)
    return total


@inlined
def _within(gaps: Gaps, first: int, end: int) -> Gaps:
    """Restrict directions to the columns of a block; the shifts stay those of the row."""
    return Gaps(gaps.directions[:, first:end], gaps.shifts, gaps.vectors[:, first:end], gaps.factors)
