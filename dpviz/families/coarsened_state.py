"""The kernels' state of a coarsened table, where each point counts as a part ζ of a point in the likelihood.

A power of the likelihood needs no statistics of its own. With the spreads of the prior divided by ζ, those of whole
points are the coarsened ones divided by ζ: so the states of a table with gaps and of a full covariance keep them, and
only the scores here differ. Each is the ratio of two marginals, whose tables are at ζ n in place of n (FORMULAS §7).
The partition prior counts whole points, and so do ``n`` and all sizes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from dpviz._jit import borrowed, implements, inlined, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.columns import log_factorial
from dpviz.families.gamma_ratios import log_gamma_ratio
from dpviz.families.gaps_state import (
    BINOMIAL,
    CATEGORICAL,
    EXPONENTIAL,
    GEOMETRIC,
    HALF_LOG_2PI,
    KNOWN_VARIANCE,
    NEGATIVE_BINOMIAL,
    NORMAL_GAMMA,
    POISSON,
    GapsState,
)
from dpviz.families.gaussian.normal_wishart import NormalWishartState, _squared_distance
from dpviz.families.verbs import (
    SLOT_FIELDS,
    SLOT_LAST_FIELDS,
    SMALLEST_REMAINDER,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)


class CoarsenedState(NamedTuple):
    """Columns that are independent given the cluster, and beside them those that share a full covariance.

    Either may be none, and has a state then, which no verb touches.

    Attributes
    ----------
    weight : float
        ζ, of each point in the likelihood.
    n_free : int
        How many columns are independent; they come first.
    n_columns : int
        All.
    cells : GapsState
        Statistics of the independent columns.
    wishart : NormalWishartState
        Statistics of the others.
    student, gamma : ndarray (N + 1,)
        The parts of normal–gamma predictives and marginals that depend on the number of cells alone.
    predictive_constant, marginal_constant : ndarray (N + 1,)
        The same of the full covariance, by the cluster's size.
    constant : ndarray (D, slots)
        Part of a column's log predictive that does not depend on the cell.
    chance : ndarray (categories, slots)
        The part that depends on the category.
    """

    weight: float
    n_free: int
    n_columns: int
    cells: GapsState
    wishart: NormalWishartState
    student: FloatArray
    gamma: FloatArray
    predictive_constant: FloatArray
    marginal_constant: FloatArray
    constant: FloatArray
    chance: FloatArray


SLOT_FIELDS[CoarsenedState] = ("cells", "wishart")
SLOT_LAST_FIELDS[CoarsenedState] = ("constant", "chance")


# --- independent columns ----------------------------------------------------------------------------------------------


@inlined
def _constant(state: Any, d: int, n: float, location: float, rest: float) -> float:
    """Return the part of a column's log predictive that does not depend on the cell, given ``n`` others."""
    zeta, prior = state.weight, state.cells.prior
    kind, first, second, third = state.cells.kinds[d], prior[d, 0], prior[d, 1], prior[d, 2]
    if kind == NORMAL_GAMMA:
        return state.student[int(n)] - 0.5 * zeta * math.log(zeta * rest)
    if kind == KNOWN_VARIANCE:
        return -HALF_LOG_2PI - 0.5 * math.log(third + 1.0 / (1.0 / second + n / third))
    if kind == EXPONENTIAL:
        return log_gamma_ratio(first + zeta * n, zeta) - zeta * math.log(zeta * location)
    if kind == POISSON:
        return -(first + zeta * location) * math.log1p(zeta / (second + zeta * n))
    if kind == GEOMETRIC:
        return log_gamma_ratio(first + zeta * n, zeta)
    if kind == NEGATIVE_BINOMIAL:
        return log_gamma_ratio(first + zeta * n * third, zeta * third)
    if kind == BINOMIAL:
        return -log_gamma_ratio(first + second + zeta * n * third, zeta * third)
    return -log_gamma_ratio(first + zeta * n, zeta)


@inlined
def _log_cell(state: Any, x: float, d: int, n: float, location: float, rest: float, constant: float) -> float:
    """Log predictive of a cell that is no category, given ``n`` others; all numbers are theirs."""
    zeta, cells = state.weight, state.cells
    kind, first, second, third = cells.kinds[d], cells.prior[d, 0], cells.prior[d, 1], cells.prior[d, 2]
    constant += cells.shift[d]
    if kind == NORMAL_GAMMA:
        c, delta = second + n, x - location
        power = third + 0.5 * zeta * (n + 1.0)
        return constant - power * math.log1p(c / (c + 1.0) * delta * delta / (2.0 * rest))
    if kind == KNOWN_VARIANCE:
        delta = x - location
        return constant - 0.5 * delta * delta / (third + 1.0 / (1.0 / second + n / third))
    if kind == EXPONENTIAL:
        return constant - (first + zeta * (n + 1.0)) * math.log1p(x / location)
    if kind == POISSON:
        count = log_gamma_ratio(first + zeta * location, zeta * x) - zeta * log_factorial(cells.factorials, x)
        return constant + count - zeta * x * math.log(second + zeta * (n + 1.0))
    if kind == GEOMETRIC:
        alpha, beta = first + zeta * n, second + zeta * location
        return constant + log_gamma_ratio(beta, zeta * x) - log_gamma_ratio(alpha + beta, zeta * (x + 1.0))
    if kind == NEGATIVE_BINOMIAL:
        alpha, beta = first + zeta * n * third, second + zeta * location
        ways = log_gamma_ratio(third, x) - log_factorial(cells.factorials, x)
        both = log_gamma_ratio(alpha + beta, zeta * (third + x))
        return constant + zeta * ways + log_gamma_ratio(beta, zeta * x) - both
    alpha, beta = first + zeta * location, second + zeta * (n * third - location)
    ways = log_factorial(cells.factorials, third) - log_factorial(cells.factorials, x)
    ways -= log_factorial(cells.factorials, third - x)
    return constant + zeta * ways + log_gamma_ratio(alpha, zeta * x) + log_gamma_ratio(beta, zeta * (third - x))


@inlined
def _refresh(state: Any, k: int, d: int) -> None:
    """Recompute the part of a column's predictives that all cells share."""
    cells = state.cells
    state.constant[d, k] = _constant(state, d, cells.n_cells[d, k], cells.location[d, k], cells.rest[d, k])


@inlined
def _refresh_category(state: Any, k: int, category: int) -> None:
    """Recompute the part of a category's predictive that is its own."""
    alpha = state.cells.alpha0[category] + state.weight * state.cells.seen[category, k]
    state.chance[category, k] = log_gamma_ratio(alpha, state.weight)


@inlined
def _refresh_cells(state: Any, X: FloatArray, i: int, k: int) -> None:
    """Recompute what depends on the cells of one point."""
    cells = state.cells
    for d in range(state.n_free):
        if not math.isnan(X[i, d]):
            _refresh(state, k, d)
            if cells.kinds[d] == CATEGORICAL:
                _refresh_category(state, k, cells.first[d] + int(X[i, d]))


@inlined
def _refresh_slot(state: Any, k: int) -> None:
    """Recompute all of a slot."""
    for d in range(state.n_free):
        _refresh(state, k, d)
    for category in range(state.chance.shape[0]):
        _refresh_category(state, k, category)


@inlined
def _log_cells(state: Any, X: FloatArray, i: int, k: int) -> float:
    """Log predictive of a point's independent columns given the members of a slot."""
    cells, total = state.cells, 0.0
    for d in range(state.n_free):
        x = X[i, d]
        if math.isnan(x):
            continue
        if cells.kinds[d] == CATEGORICAL:
            total += state.constant[d, k] + state.chance[cells.first[d] + int(x), k]
        else:
            n, location, rest = cells.n_cells[d, k], cells.location[d, k], cells.rest[d, k]
            total += _log_cell(state, x, d, n, location, rest, state.constant[d, k])
    return total


@inlined
def _log_cells_left_out(state: Any, X: FloatArray, i: int, k: int) -> float:
    """Log predictive of a member's independent columns given the others; NaN if that would lose digits."""
    total = 0.0
    for d in range(state.n_free):
        if not math.isnan(X[i, d]):
            total += _log_cell_left_out(state, X[i, d], d, k)
    return total


@inlined
def _log_cell_left_out(state: Any, x: float, d: int, k: int) -> float:
    """Log predictive of a cell of a slot given its other cells; NaN if its statistics lose digits without it."""
    cells = state.cells
    kind, n, prior = cells.kinds[d], cells.n_cells[d, k] - 1.0, cells.prior
    location, rest = cells.location[d, k], cells.rest[d, k]
    if kind == CATEGORICAL:
        category = cells.first[d] + int(x)
        alpha = cells.alpha0[category] + state.weight * (cells.seen[category, k] - 1.0)
        return _constant(state, d, n, location, rest) + log_gamma_ratio(alpha, state.weight)
    if kind == NORMAL_GAMMA or kind == KNOWN_VARIANCE or kind == EXPONENTIAL:
        whole = location if kind == EXPONENTIAL else rest
        if n == 0.0:  # the rest is the prior, without rounding
            location, rest = prior[d, 1 if kind == EXPONENTIAL else 0], prior[d, 3]
        elif kind == EXPONENTIAL:
            location -= x
        elif kind == NORMAL_GAMMA:
            delta, c = x - location, prior[d, 1] + n
            rest -= (c + 1.0) * delta * delta / (2.0 * c)
            location -= delta / c
        else:
            location -= (x - location) / (prior[d, 2] / prior[d, 1] + n)
        left = location if kind == EXPONENTIAL else rest
        if kind != KNOWN_VARIANCE and n > 0.0 and not left > SMALLEST_REMAINDER * whole:
            return math.nan
    else:
        location -= x  # a sum of whole numbers, which loses no digits
    return _log_cell(state, x, d, n, location, rest, _constant(state, d, n, location, rest))


@inlined
def _log_marginal_of_cells(state: Any, d: int, k: int) -> float:
    """Log marginal of a slot's cells in one column."""
    zeta, cells, prior = state.weight, state.cells, state.cells.prior
    kind, first, second, third = cells.kinds[d], prior[d, 0], prior[d, 1], prior[d, 2]
    n, location, rest = cells.n_cells[d, k], cells.location[d, k], cells.rest[d, k]
    if kind == CATEGORICAL:
        total = -log_gamma_ratio(first, zeta * n)
        for category in range(cells.first[d], cells.first[d + 1]):
            total += log_gamma_ratio(cells.alpha0[category], zeta * cells.seen[category, k])
        return total
    if kind == NORMAL_GAMMA:
        constant = state.gamma[int(n)] - zeta * n * HALF_LOG_2PI + 0.5 * math.log(second / (second + n))
        return constant + third * math.log(zeta * prior[d, 3]) - (third + 0.5 * zeta * n) * math.log(zeta * rest)
    if kind == KNOWN_VARIANCE:
        return -n * (HALF_LOG_2PI + 0.5 * math.log(third)) - 0.5 * math.log1p(n * second / third) - rest
    if kind == EXPONENTIAL:
        powers = first * math.log(zeta * second) - (first + zeta * n) * math.log(zeta * location)
        return log_gamma_ratio(first, zeta * n) + powers
    total = zeta * rest
    if kind == POISSON:
        powers = first * math.log1p(zeta * n / second) + zeta * location * math.log(second + zeta * n)
        return total + log_gamma_ratio(first, zeta * location) - powers
    if kind == GEOMETRIC:
        rising = log_gamma_ratio(first, zeta * n) + log_gamma_ratio(second, zeta * location)
        return rising - log_gamma_ratio(first + second, zeta * (n + location))
    if kind == NEGATIVE_BINOMIAL:
        rising = log_gamma_ratio(first, zeta * n * third) + log_gamma_ratio(second, zeta * location)
        return total + rising - log_gamma_ratio(first + second, zeta * (n * third + location))
    rising = log_gamma_ratio(first, zeta * location) + log_gamma_ratio(second, zeta * (n * third - location))
    return total + rising - log_gamma_ratio(first + second, zeta * n * third)


# --- the verbs --------------------------------------------------------------------------------------------------------


@implements(log_predictive, CoarsenedState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    state, X = borrowed((state, X))
    total = _log_cells(state, X, i, k)
    if state.n_free < state.n_columns:
        zeta, wishart = state.weight, state.wishart
        spread = 1.0 + wishart.weight[k] * _squared_distance(wishart, X[:, state.n_free : state.n_columns], i, k)
        total += state.predictive_constant[n] - 0.5 * zeta * wishart.log_determinant[k]
        total -= 0.5 * (wishart.a0 + zeta * (n + 1.0)) * math.log(spread)
    return total


@implements(log_leave_one_out, CoarsenedState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    state, X = borrowed((state, X))
    total = _log_cells_left_out(state, X, i, k)
    if state.n_free < state.n_columns:
        zeta, wishart = state.weight, state.wishart
        c, squared = wishart.c0 + n, _squared_distance(wishart, X[:, state.n_free : state.n_columns], i, k)
        remainder = 1.0 - c / (c - 1.0) * squared
        if not remainder > SMALLEST_REMAINDER:
            return math.nan
        total += state.predictive_constant[n - 1] - 0.5 * zeta * wishart.log_determinant[k]
        total += 0.5 * (wishart.a0 + zeta * (n - 1.0)) * math.log(remainder)
    return total


@implements(add_point, CoarsenedState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    kept = True
    if state.n_free > 0:
        kept &= add_point(state.cells, X[:, : state.n_free], i, k, n)
        _refresh_cells(state, X, i, k)
    if state.n_free < state.n_columns:
        kept &= add_point(state.wishart, X[:, state.n_free : state.n_columns], i, k, n)
    return kept


@implements(remove_point, CoarsenedState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    kept = True
    if state.n_free > 0:
        kept &= remove_point(state.cells, X[:, : state.n_free], i, k, n)
        _refresh_cells(state, X, i, k)
    if state.n_free < state.n_columns:
        kept &= remove_point(state.wishart, X[:, state.n_free : state.n_columns], i, k, n)
    return kept


@implements(clear_slot, CoarsenedState)
def _clear_slot(state: Any, k: int) -> None:
    if state.n_free > 0:
        clear_slot(state.cells, k)
        _refresh_slot(state, k)
    if state.n_free < state.n_columns:
        clear_slot(state.wishart, k)


@implements(rebuild, CoarsenedState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    if state.n_free > 0:
        rebuild(state.cells, X[:, : state.n_free], labels, sizes, n_clusters, first)
        for k in range(first, first + n_clusters):
            _refresh_slot(state, k)
    if state.n_free < state.n_columns:
        rebuild(state.wishart, X[:, state.n_free : state.n_columns], labels, sizes, n_clusters, first)


@implements(log_marginal, CoarsenedState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    state = borrowed(state)
    total = 0.0
    for d in range(state.n_free):
        n_cells = state.cells.n_cells[d, k]
        if n_cells > 0.0:
            total += _log_marginal_of_cells(state, d, k) + n_cells * state.cells.shift[d]
    if state.n_free < state.n_columns:
        power = 0.5 * (state.wishart.a0 + state.weight * n)
        total += state.marginal_constant[n] - power * state.wishart.log_determinant[k]
    return total


@kernel
def log_marginal_of_all(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray) -> float:
    """Log marginal (nats) of all points of X (N, D), one or more, as one cluster of a state; labels are 0."""
    rebuild(state, X, labels, sizes, 1, 0)
    return log_marginal(state, 0, sizes[0])
