"""The kernels' state of a table with gaps: statistics per cluster and column, of every kind of column.

A missing cell adds nothing to the predictive and nothing to the statistics, so each column of a cluster has a count of
its own. All tables share this one type of state, whatever their columns hold, and compile nothing anew. States for
complete tables keep one count per cluster and tables of what depends on it alone, which is faster.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import implements, inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.columns import FEW_FACTORS, LARGEST_FACTOR, log_factorial, log_rising, rising_product
from dpviz.families.verbs import (
    SLOT_FIELDS,
    SMALLEST_REMAINDER,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)

NORMAL_GAMMA, KNOWN_VARIANCE, EXPONENTIAL, POISSON, GEOMETRIC, BINOMIAL, CATEGORICAL = range(7)
"""Kinds of column. Hyperparameters of each, in this order: m0, c0, a0, b0; mu0, σ0², σ̂²; alpha0, beta0 of the next
three; alpha0, beta0, trials; Σ alpha0."""
HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


class GapsState(NamedTuple):
    """What each column holds, its prior, and per slot and column the number of cells and what they add up to.

    ``location`` is a posterior mean, β, or the sum of the counts; ``rest`` is b, or what only the marginal needs.
    ``seen`` holds how often a slot has seen each category, whose prior weights are ``alpha0``; those of column d begin
    at ``first[d]``. ``student`` is the part of a normal–gamma predictive that depends on the number of cells alone,
    ``gamma`` that of its marginal. ``shift`` is what one cell adds to speak of the units of the data (nats).
    """

    kinds: IntArray
    prior: FloatArray
    shift: FloatArray
    first: IntArray
    alpha0: FloatArray
    factorials: FloatArray
    student: FloatArray
    gamma: FloatArray
    n_cells: FloatArray
    location: FloatArray
    rest: FloatArray
    seen: FloatArray


SLOT_FIELDS[GapsState] = ("n_cells", "location", "rest", "seen")


@inlined
def _log_few(product: float) -> float:
    """Logarithm of a product once it has grown or shrunk so far that another factor could leave the floats; else 0."""
    return 0.0 if 1.0 / LARGEST_FACTOR < product < LARGEST_FACTOR else math.log(product)


@inlined
def _log_probability(state: Any, X: FloatArray, i: int, k: int, own: float) -> float:
    """Log predictive given a slot, after ``own`` times the point itself has been taken out; NaN if that loses digits.

    Factors are collected in ``product``, so that many columns take one logarithm.
    """
    total, product = 0.0, 1.0
    for d in range(X.shape[1]):
        x = X[i, d]
        if math.isnan(x):
            continue
        kind, n = state.kinds[d], state.n_cells[k, d] - own
        if kind == CATEGORICAL:
            category = state.first[d] + int(x)
            product *= (state.alpha0[category] + (state.seen[k, category] - own)) / (state.prior[d, 0] + n)
        elif kind == BINOMIAL:
            trials, successes = state.prior[d, 2], state.location[k, d] - own * x
            alpha, beta = state.prior[d, 0] + successes, state.prior[d, 1] + (n * trials - successes)
            if trials == 1.0:
                product *= (alpha if x > 0.0 else beta) / (alpha + beta)
            elif trials <= FEW_FACTORS:
                product *= rising_product(alpha, x) * rising_product(beta, trials - x)
                product /= rising_product(alpha + beta, trials)
                total += _log_choose(state.factorials, trials, x)
            else:
                total += log_rising(alpha, x) + log_rising(beta, trials - x) - log_rising(alpha + beta, trials)
                total += _log_choose(state.factorials, trials, x)
        elif kind == POISSON:
            alpha, beta = state.prior[d, 0] + (state.location[k, d] - own * x), state.prior[d, 1] + n
            if x <= FEW_FACTORS:
                product *= rising_product(alpha, x)
            else:
                total += log_rising(alpha, x)
            total -= alpha * math.log1p(1.0 / beta) + x * math.log(beta + 1.0) + log_factorial(state.factorials, x)
        elif kind == GEOMETRIC:
            alpha, beta = state.prior[d, 0] + n, state.prior[d, 1] + (state.location[k, d] - own * x)
            product *= alpha
            if x <= FEW_FACTORS:
                product *= rising_product(beta, x) / rising_product(alpha + beta, x + 1.0)
            else:
                total += log_rising(beta, x) - log_rising(alpha + beta, x + 1.0)
        else:
            total += _log_density(state, x, d, k, n, own)
        log_product = _log_few(product)
        if log_product != 0.0:
            total += log_product
            product = 1.0
    return total + math.log(product)


@inlined
def _log_choose(factorials: FloatArray, trials: float, x: float) -> float:
    """Logarithm of a binomial coefficient."""
    return log_factorial(factorials, trials) - log_factorial(factorials, x) - log_factorial(factorials, trials - x)


@inlined
def _log_density(state: Any, x: float, d: int, k: int, n: float, own: float) -> float:
    """Log predictive of one cell of a column of real numbers, given ``n`` cells besides it."""
    kind, location, rest = state.kinds[d], state.location[k, d], state.rest[k, d]
    if own > 0.0 and n == 0.0:  # what is left is the prior, without rounding
        location = state.prior[d, 1 if kind == EXPONENTIAL else 0]
        rest = state.prior[d, 3]
        own = 0.0
    if kind == EXPONENTIAL:
        alpha, share = state.prior[d, 0] + n, x / location
        if own == 0.0:
            return state.shift[d] + math.log(alpha / location) - (alpha + 1.0) * math.log1p(share)
        if not 1.0 - share > SMALLEST_REMAINDER:
            return math.nan
        return state.shift[d] + math.log(alpha / location) + alpha * math.log1p(-share)
    delta = x - location
    if kind == KNOWN_VARIANCE:
        known, precision = state.prior[d, 2], 1.0 / state.prior[d, 1] + n / state.prior[d, 2]
        variance = known + 1.0 / precision
        if own > 0.0:
            delta *= 1.0 + 1.0 / (precision * known)  # the distance to the mean of the others
        return state.shift[d] - HALF_LOG_2PI - 0.5 * math.log(variance) - 0.5 * delta * delta / variance
    c, power = state.prior[d, 1] + n, state.prior[d, 2] + 0.5 * n
    constant = state.shift[d] + state.student[int(n)] - 0.5 * math.log(rest)
    if own == 0.0:
        return constant - (power + 0.5) * math.log1p(c / (c + 1.0) * delta * delta / (2.0 * rest))
    remainder = 1.0 - (c + 1.0) / c * delta * delta / (2.0 * rest)
    return constant + power * math.log(remainder) if remainder > SMALLEST_REMAINDER else math.nan


@implements(log_predictive, GapsState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _log_probability(state, X, i, k, 0.0)


@implements(log_leave_one_out, GapsState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _log_probability(state, X, i, k, 1.0)


@inlined
def _clear_cell(state: Any, k: int, d: int) -> None:
    """Put one column of a slot back to the prior; its categories stay."""
    kind = state.kinds[d]
    state.n_cells[k, d] = 0.0
    state.rest[k, d] = state.prior[d, 3] if kind == NORMAL_GAMMA else 0.0
    if kind == NORMAL_GAMMA or kind == KNOWN_VARIANCE:
        state.location[k, d] = state.prior[d, 0]
    else:
        state.location[k, d] = state.prior[d, 1] if kind == EXPONENTIAL else 0.0


@implements(clear_slot, GapsState)
def _clear_slot(state: Any, k: int) -> None:
    for d in range(state.kinds.shape[0]):
        _clear_cell(state, k, d)
    for category in range(state.seen.shape[1]):
        state.seen[k, category] = 0.0


@implements(add_point, GapsState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        x = X[i, d]
        if math.isnan(x):
            continue
        kind = state.kinds[d]
        if kind == CATEGORICAL:
            state.seen[k, state.first[d] + int(x)] += 1.0
        elif kind == NORMAL_GAMMA:
            delta, c = x - state.location[k, d], state.prior[d, 1] + state.n_cells[k, d]
            state.rest[k, d] += c * delta * delta / (2.0 * (c + 1.0))
            state.location[k, d] += delta / (c + 1.0)
        elif kind == KNOWN_VARIANCE:
            share = state.prior[d, 2] / state.prior[d, 1] + state.n_cells[k, d] + 1.0
            state.location[k, d] += (x - state.location[k, d]) / share
        else:
            state.location[k, d] += x
        state.n_cells[k, d] += 1.0
    return True


@inlined
def _loses_digits(state: Any, x: float, k: int, d: int) -> bool:
    """Whether a cell is too much of its column's statistics to be taken out of them."""
    kind, n = state.kinds[d], state.n_cells[k, d] - 1.0
    if math.isnan(x) or n == 0.0:
        return False
    if kind == EXPONENTIAL:
        return not 1.0 - x / state.location[k, d] > SMALLEST_REMAINDER
    if kind == NORMAL_GAMMA:
        delta, c = x - state.location[k, d], state.prior[d, 1] + n
        return not 1.0 - (c + 1.0) / c * delta * delta / (2.0 * state.rest[k, d]) > SMALLEST_REMAINDER
    return False


@implements(remove_point, GapsState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        if _loses_digits(state, X[i, d], k, d):
            return False
    for d in range(X.shape[1]):
        x = X[i, d]
        if math.isnan(x):
            continue
        kind, others = state.kinds[d], state.n_cells[k, d] - 1.0
        if kind == CATEGORICAL:
            state.seen[k, state.first[d] + int(x)] -= 1.0
        elif others == 0.0:
            _clear_cell(state, k, d)
        elif kind == NORMAL_GAMMA:
            delta, c = x - state.location[k, d], state.prior[d, 1] + others
            state.rest[k, d] -= (c + 1.0) * delta * delta / (2.0 * c)
            state.location[k, d] -= delta / c
        elif kind == KNOWN_VARIANCE:
            state.location[k, d] -= (x - state.location[k, d]) / (state.prior[d, 2] / state.prior[d, 1] + others)
        else:
            state.location[k, d] -= x
        state.n_cells[k, d] = others
    return True


@implements(rebuild, GapsState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    n_points, n_features = X.shape
    for k in range(first, first + n_clusters):
        for category in range(state.seen.shape[1]):
            state.seen[k, category] = 0.0
    mean, scatter = np.zeros((n_clusters, n_features)), np.zeros((n_clusters, n_features))
    state.n_cells[first : first + n_clusters] = 0.0
    for i in range(n_points):
        for d in range(n_features):
            if not math.isnan(X[i, d]):
                state.n_cells[first + labels[i], d] += 1.0
                mean[labels[i], d] += X[i, d]
                if state.kinds[d] == CATEGORICAL:
                    state.seen[first + labels[i], state.first[d] + int(X[i, d])] += 1.0
    for j in range(n_clusters):
        for d in range(n_features):
            if state.kinds[d] == NORMAL_GAMMA or state.kinds[d] == KNOWN_VARIANCE:
                mean[j, d] /= max(state.n_cells[first + j, d], 1.0)
    for i in range(n_points):
        for d in range(n_features):
            if not math.isnan(X[i, d]):
                scatter[labels[i], d] += _summand(state, X[i, d], d, mean[labels[i], d])
    for j in range(n_clusters):
        for d in range(n_features):
            _set_cell(state, first + j, d, mean[j, d], scatter[j, d])


@inlined
def _summand(state: Any, x: float, d: int, mean: float) -> float:
    """Return what a cell adds to the second statistic: half its squared distance, or what no parameter changes."""
    kind = state.kinds[d]
    if kind == NORMAL_GAMMA or kind == KNOWN_VARIANCE:
        return 0.5 * (x - mean) * (x - mean)
    if kind == POISSON:
        return -log_factorial(state.factorials, x)
    if kind == BINOMIAL and state.prior[d, 2] > 1.0:
        return _log_choose(state.factorials, state.prior[d, 2], x)
    return 0.0


@inlined
def _set_cell(state: Any, k: int, d: int, mean: float, scatter: float) -> None:
    """Fill one column of a slot whose count is known; ``mean`` is the sum where the kind keeps sums."""
    kind, n = state.kinds[d], state.n_cells[k, d]
    if kind == NORMAL_GAMMA:
        m0, c0 = state.prior[d, 0], state.prior[d, 1]
        c, distance = c0 + n, mean - m0
        state.location[k, d] = (c0 * m0 + n * mean) / c
        state.rest[k, d] = scatter + (state.prior[d, 3] + c0 * n * distance * distance / (2.0 * c))
        return
    state.rest[k, d] = scatter
    state.location[k, d] = mean
    if kind == EXPONENTIAL:
        state.location[k, d] = state.prior[d, 1] + mean
    elif kind == KNOWN_VARIANCE:
        mu0, worth = state.prior[d, 0], state.prior[d, 2] / state.prior[d, 1]  # how many cells the prior is worth
        distance = mean - mu0
        state.location[k, d] = mu0 + distance * (n / (n + worth))
        state.rest[k, d] = (scatter + 0.5 * distance * distance * (n * worth / (n + worth))) / state.prior[d, 2]


@implements(log_marginal, GapsState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    total = 0.0
    for d in range(state.kinds.shape[0]):
        if state.n_cells[k, d] > 0.0:
            total += _log_cells(state, k, d) + state.n_cells[k, d] * state.shift[d]
    return total


@inlined
def _log_cells(state: Any, k: int, d: int) -> float:
    """Log marginal likelihood of a slot's cells in one column, in working units."""
    kind, n, location, rest = state.kinds[d], state.n_cells[k, d], state.location[k, d], state.rest[k, d]
    first, second, third = state.prior[d, 0], state.prior[d, 1], state.prior[d, 2]
    if kind == CATEGORICAL:
        total = -log_rising(first, n)
        for category in range(state.first[d], state.first[d + 1]):
            if state.seen[k, category] > 0.0:
                total += log_rising(state.alpha0[category], state.seen[k, category])
        return total
    if kind == NORMAL_GAMMA:
        c, b0 = second + n, state.prior[d, 3]
        constant = state.gamma[int(n)] - n * HALF_LOG_2PI + 0.5 * math.log(second / c)
        return constant + third * math.log(b0) - (third + 0.5 * n) * math.log(rest)
    if kind == KNOWN_VARIANCE:
        return -n * (HALF_LOG_2PI + 0.5 * math.log(third)) - 0.5 * math.log1p(n * second / third) - rest
    if kind == EXPONENTIAL:
        return log_rising(first, n) + first * math.log(second) - (first + n) * math.log(location)
    if kind == POISSON:
        log_sum = first * math.log1p(n / second) + location * math.log(second + n)
        return rest + log_rising(first, location) - log_sum
    if kind == GEOMETRIC:
        return log_rising(first, n) + log_rising(second, location) - log_rising(first + second, n + location)
    failures = n * third - location
    return rest + log_rising(first, location) + log_rising(second, failures) - log_rising(first + second, n * third)
