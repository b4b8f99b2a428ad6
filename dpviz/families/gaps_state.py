"""The kernels' state of a table with gaps: statistics per cluster and column, of every kind of column.

A missing cell adds nothing to the predictive and nothing to the statistics, so each column of a cluster has a count of
its own. All tables share this one type of state, whatever their columns hold, and compile nothing more. States for
complete tables keep one count per cluster and tables of what depends on it alone, which is faster.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from dpviz._jit import borrowed, implements, inlined
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.families.columns import (
    FEW_FACTORS,
    LARGEST_FACTOR,
    fill_chances,
    keep_in_range,
    log_factorial,
    log_rising,
    rising_product,
    weigh_slots,
    weighs_slots_together,
)
from dpviz.families.gamma_ratios import log_gamma_ratio
from dpviz.families.verbs import (
    SLOT_FIELDS,
    SLOT_LAST_FIELDS,
    SMALLEST_REMAINDER,
    OpenSlots,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)

NORMAL_GAMMA, KNOWN_VARIANCE, EXPONENTIAL, POISSON, GEOMETRIC, BINOMIAL, CATEGORICAL, NEGATIVE_BINOMIAL = range(8)
"""Kinds of column. Hyperparameters of each, in this order: m0, c0, a0, b0; mu0, σ0², σ̂²; alpha0, beta0 of the next
three; alpha0, beta0, trials; Σ alpha0; alpha0, beta0, r."""
HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


@weighs_slots_together
class GapsState(NamedTuple):
    """Kind and prior of each column, and per column and slot the number of cells and their sums.

    Columns are a ``fraction`` whose cells have simple fractions as probabilities, so that many of them take one
    logarithm: products of these are looked at after the columns that are ``last``. ``location`` is a posterior mean, β,
    or the sum of the counts; ``rest`` is b, or what only the marginal needs. ``seen`` holds how often a slot has seen
    each category, whose prior weights are ``alpha0``; those of column d begin at ``first[d]``. ``chance`` holds each
    slot's probabilities of the counts 0 … t of a binomial column of few trials t, from row ``counts[d]`` on, ``choose``
    and ``log_choose`` their binomial coefficients. ``student`` is the part of a normal–gamma predictive that depends on
    the number of cells alone, ``gamma`` that of its marginal. ``shift`` is the term of one cell for the units of
    the data (nats). ``constant`` and ``factor`` are the parts of :func:`weigh_slots` that do not depend on the cell,
    see ``_refresh``; ``left_out`` is the factor with one cell less, where probabilities are simple fractions.
    """

    kinds: IntArray
    fraction: BoolArray
    last: BoolArray
    prior: FloatArray
    shift: FloatArray
    first: IntArray
    alpha0: FloatArray
    counts: IntArray
    choose: FloatArray
    log_choose: FloatArray
    factorials: FloatArray
    student: FloatArray
    gamma: FloatArray
    n_cells: FloatArray
    location: FloatArray
    rest: FloatArray
    seen: FloatArray
    chance: FloatArray
    constant: FloatArray
    factor: FloatArray
    left_out: FloatArray


SLOT_FIELDS[GapsState] = ()
SLOT_LAST_FIELDS[GapsState] = ("n_cells", "location", "rest", "seen", "chance", "constant", "factor", "left_out")


@inlined
def _constant(state: Any, d: int, n: float, location: float, rest: float) -> float:
    """Return the part of a column's log predictive that does not depend on the cell, given ``n`` others."""
    kind, first, second, third = state.kinds[d], state.prior[d, 0], state.prior[d, 1], state.prior[d, 2]
    if kind == NORMAL_GAMMA:
        return state.shift[d] + state.student[int(n)] - 0.5 * math.log(rest)
    if kind == KNOWN_VARIANCE:
        return state.shift[d] - HALF_LOG_2PI - 0.5 * math.log(third + 1.0 / (1.0 / second + n / third))
    if kind == EXPONENTIAL:
        return state.shift[d] + math.log((first + n) / location)
    if kind == POISSON:
        return math.log1p(1.0 / (second + n))
    if kind == NEGATIVE_BINOMIAL:
        return log_gamma_ratio(first + n * third, third)
    if kind == BINOMIAL and third > FEW_FACTORS:
        return -log_rising(first + second + n * third, third)
    return 0.0


@inlined
def _factor(state: Any, d: int, n: float, location: float, rest: float) -> float:
    """Return the factor of a cell, or its probability, in a column's predictive, given ``n`` others."""
    kind, first, second, third = state.kinds[d], state.prior[d, 0], state.prior[d, 1], state.prior[d, 2]
    if kind == CATEGORICAL:
        return 1.0 / (first + n)
    if kind == BINOMIAL:
        return 1.0 / rising_product(first + second + n * third, third) if third <= FEW_FACTORS else 0.0
    if kind == NORMAL_GAMMA:
        c = second + n
        return c / (c + 1.0) * 0.5 / rest
    if kind == KNOWN_VARIANCE:
        return 0.5 / (third + 1.0 / (1.0 / second + n / third))
    if kind == EXPONENTIAL:
        return 1.0 / location
    return math.log(second + n + 1.0) if kind == POISSON else 0.0


@inlined
def _refresh(state: Any, k: int, d: int) -> None:
    """Recompute the common part of the predictives of all cells of a column."""
    n, location, rest = state.n_cells[d, k], state.location[d, k], state.rest[d, k]
    state.constant[d, k] = _constant(state, d, n, location, rest)
    state.factor[d, k] = _factor(state, d, n, location, rest)
    if state.fraction[d]:
        state.left_out[d, k] = _factor(state, d, max(n - 1.0, 0.0), location, rest)
    first, end = state.counts[d], state.counts[d + 1]
    if first < end:
        alpha, beta = state.prior[d, 0] + location, state.prior[d, 1] + (n * state.prior[d, 2] - location)
        fill_chances(alpha, beta, state.factor[d, k], state.choose, first, end, k, state.chance)


@inlined
def _ways(state: Any, d: int, n: float, successes: float, count: float) -> float:
    """Weight of a count in a binomial column of few trials, given ``n`` others: its probability without the factor."""
    alpha, trials = state.prior[d, 0] + successes, state.prior[d, 2]
    beta = state.prior[d, 1] + (n * trials - successes)
    product = rising_product(alpha, count) * rising_product(beta, trials - count)
    return state.choose[state.counts[d] + int(count)] * product


@inlined
def _log_cell(state: Any, x: float, d: int, n: float, location: float, constant: float, factor: float) -> float:
    """Log predictive of one cell that is no simple fraction, given ``n`` others; all numbers are theirs."""
    kind, first, second, third = state.kinds[d], state.prior[d, 0], state.prior[d, 1], state.prior[d, 2]
    if kind == NORMAL_GAMMA:
        return constant - (third + 0.5 * n + 0.5) * math.log1p((x - location) * (x - location) * factor)
    if kind == KNOWN_VARIANCE:
        return constant - (x - location) * (x - location) * factor
    if kind == EXPONENTIAL:
        return constant - (first + n + 1.0) * math.log1p(x * factor)
    if kind == POISSON:
        alpha = first + location
        log_count = math.log(rising_product(alpha, x)) if x <= FEW_FACTORS else log_rising(alpha, x)
        return log_count - alpha * constant - x * factor - log_factorial(state.factorials, x)
    if kind == GEOMETRIC:
        alpha, beta = first + n, second + location
        if x <= FEW_FACTORS:
            return math.log(alpha * rising_product(beta, x) / rising_product(alpha + beta, x + 1.0))
        return math.log(alpha) + log_rising(beta, x) - log_rising(alpha + beta, x + 1.0)
    if kind == NEGATIVE_BINOMIAL:
        beta = second + location
        both = first + n * third + beta
        log_ways = log_rising(third, x) - log_factorial(state.factorials, x)
        return log_ways + constant + log_rising(beta, x) - log_rising(both, x) - log_gamma_ratio(both + x, third)
    alpha, beta = first + location, second + (n * third - location)
    log_choose = _log_choose(state.factorials, third, x)
    return log_choose + log_rising(alpha, x) + log_rising(beta, third - x) + constant


@inlined
def _log_choose(factorials: FloatArray, trials: float, x: float) -> float:
    """Logarithm of a binomial coefficient."""
    if trials == 1.0:
        return 0.0
    return log_factorial(factorials, trials) - log_factorial(factorials, x) - log_factorial(factorials, trials - x)


@inlined
def _log_cell_left_out(state: Any, x: float, d: int, k: int) -> float:
    """Log predictive of a cell of a slot given its other cells; NaN if the closed form would lose digits."""
    kind, n = state.kinds[d], state.n_cells[d, k] - 1.0
    location, rest = state.location[d, k], state.rest[d, k]
    if kind == NORMAL_GAMMA or kind == KNOWN_VARIANCE or kind == EXPONENTIAL:
        if n > 0.0:
            return _log_density_left_out(state, x, d, n, location, rest)
        location = state.prior[d, 1 if kind == EXPONENTIAL else 0]  # the rest is the prior, without rounding
        rest = state.prior[d, 3]
    else:
        location -= x  # a sum of whole numbers, which loses no digits
    constant, factor = _constant(state, d, n, location, rest), _factor(state, d, n, location, rest)
    return _log_cell(state, x, d, n, location, constant, factor)


@inlined
def _log_density_left_out(state: Any, x: float, d: int, n: float, location: float, rest: float) -> float:
    """Log predictive of a real number given ``n`` others, from statistics that hold it too (FORMULAS §2)."""
    kind, first, second, third = state.kinds[d], state.prior[d, 0], state.prior[d, 1], state.prior[d, 2]
    if kind == KNOWN_VARIANCE:
        precision = 1.0 / second + n / third
        delta = (x - location) * (1.0 + 1.0 / (precision * third))  # the distance to the mean of the others
        return _constant(state, d, n, location, rest) - delta * delta * _factor(state, d, n, location, rest)
    if kind == EXPONENTIAL:
        remainder, power = 1.0 - x / location, first + n
    else:
        c, power = second + n, third + 0.5 * n
        remainder = 1.0 - (c + 1.0) / c * (x - location) * (x - location) / (2.0 * rest)
    if not remainder > SMALLEST_REMAINDER:
        return math.nan
    return _constant(state, d, n, location, rest) + power * math.log(remainder)


@inlined
def _log_probability(state: Any, X: FloatArray, i: int, k: int, own: float) -> float:
    """Log predictive given a slot, after ``own`` times the point itself has been taken out; NaN if that loses digits.

    Its arithmetic is that of :func:`weigh_slots` step by step, so that equal clusters have equal scores.
    """
    total, product = 0.0, 1.0
    for d in range(X.shape[1]):
        if not math.isnan(X[i, d]):
            if state.fraction[d]:
                product *= _chance(state, X[i, d], d, k, own)
            elif own > 0.0:
                total += _log_cell_left_out(state, X[i, d], d, k)
            else:
                own_numbers = (state.n_cells[d, k], state.location[d, k], state.constant[d, k], state.factor[d, k])
                total += _log_cell(state, X[i, d], d, *own_numbers)
        if state.last[d] and not 1.0 / LARGEST_FACTOR < product < LARGEST_FACTOR:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@inlined
def _chance(state: Any, x: float, d: int, k: int, own: float) -> float:
    """Probability of a cell that is a simple fraction, after ``own`` times the cell itself has been taken out."""
    factor, n = state.left_out[d, k] if own > 0.0 else state.factor[d, k], state.n_cells[d, k] - own
    if state.kinds[d] == CATEGORICAL:
        category = state.first[d] + int(x)
        return factor * (state.alpha0[category] + (state.seen[category, k] - own))
    return factor * _ways(state, d, n, state.location[d, k] - own * x, x)


@implements(weigh_slots, GapsState)
def _weigh_slots(state: Any, X: FloatArray, i: int, open_slots: OpenSlots, work: FloatArray) -> None:
    n_slots, total, product = open_slots.n_slots, X.shape[1] + 1, X.shape[1] + 2  # the last two are rows of ``work``
    for k in range(n_slots):
        work[total, k] = 0.0
        work[product, k] = 1.0
    for d in range(X.shape[1]):
        if not math.isnan(X[i, d]):
            if state.fraction[d]:
                _multiply(state, X[i, d], d, n_slots, work)
            else:
                n_cells, location, constant, factor = state.n_cells, state.location, state.constant, state.factor
                for k in range(n_slots):
                    own_numbers = (n_cells[d, k], location[d, k], constant[d, k], factor[d, k])
                    work[total, k] += _log_cell(state, X[i, d], d, *own_numbers)
        if state.last[d]:
            keep_in_range(n_slots, work)
    for k in range(n_slots):
        work[total, k] += math.log(work[product, k])


@inlined
def _multiply(state: Any, x: float, d: int, n_slots: int, work: FloatArray) -> None:
    """Multiply the products of all slots by the probabilities of one cell, whose column has simple fractions."""
    product = work.shape[0] - 1
    if state.kinds[d] == CATEGORICAL:
        seen, factor, category = state.seen, state.factor, state.first[d] + int(x)
        alpha = state.alpha0[category]
        for k in range(n_slots):
            work[product, k] *= factor[d, k] * (alpha + seen[category, k])
    else:
        chance, row = state.chance, state.counts[d] + int(x)
        for k in range(n_slots):
            work[product, k] *= chance[row, k]


@implements(log_predictive, GapsState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    state, X = borrowed((state, X))
    return _log_probability(state, X, i, k, 0.0)


@implements(log_leave_one_out, GapsState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    state, X = borrowed((state, X))
    return _log_probability(state, X, i, k, 1.0)


@inlined
def _clear_cell(state: Any, k: int, d: int) -> None:
    """Put one column of a slot back to the prior; its categories stay."""
    kind = state.kinds[d]
    state.n_cells[d, k] = 0.0
    state.rest[d, k] = state.prior[d, 3] if kind == NORMAL_GAMMA else 0.0
    if kind == NORMAL_GAMMA or kind == KNOWN_VARIANCE:
        state.location[d, k] = state.prior[d, 0]
    else:
        state.location[d, k] = state.prior[d, 1] if kind == EXPONENTIAL else 0.0
    _refresh(state, k, d)


@implements(clear_slot, GapsState)
def _clear_slot(state: Any, k: int) -> None:
    for d in range(state.kinds.shape[0]):
        _clear_cell(state, k, d)
    for category in range(state.seen.shape[0]):
        state.seen[category, k] = 0.0


@implements(add_point, GapsState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    state, X = borrowed((state, X))
    for d in range(X.shape[1]):
        x = X[i, d]
        if math.isnan(x):
            continue
        kind = state.kinds[d]
        if kind == CATEGORICAL:
            state.seen[state.first[d] + int(x), k] += 1.0
        elif kind == NORMAL_GAMMA:
            delta, c = x - state.location[d, k], state.prior[d, 1] + state.n_cells[d, k]
            state.rest[d, k] += c * delta * delta / (2.0 * (c + 1.0))
            state.location[d, k] += delta / (c + 1.0)
        elif kind == KNOWN_VARIANCE:
            share = state.prior[d, 2] / state.prior[d, 1] + state.n_cells[d, k] + 1.0
            state.location[d, k] += (x - state.location[d, k]) / share
        else:
            state.location[d, k] += x
        state.n_cells[d, k] += 1.0
        _refresh(state, k, d)
    return True


@inlined
def _loses_digits(state: Any, x: float, k: int, d: int) -> bool:
    """Whether a cell dominates its column's statistics, so that it cannot be taken out without losing digits."""
    kind, n = state.kinds[d], state.n_cells[d, k] - 1.0
    if math.isnan(x) or n == 0.0:
        return False
    if kind == EXPONENTIAL:
        return not 1.0 - x / state.location[d, k] > SMALLEST_REMAINDER
    if kind == NORMAL_GAMMA:
        delta, c = x - state.location[d, k], state.prior[d, 1] + n
        return not 1.0 - (c + 1.0) / c * delta * delta / (2.0 * state.rest[d, k]) > SMALLEST_REMAINDER
    return False


@implements(remove_point, GapsState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    state, X = borrowed((state, X))
    for d in range(X.shape[1]):
        if _loses_digits(state, X[i, d], k, d):
            return False
    for d in range(X.shape[1]):
        x = X[i, d]
        if math.isnan(x):
            continue
        kind, others = state.kinds[d], state.n_cells[d, k] - 1.0
        if kind == CATEGORICAL:
            state.seen[state.first[d] + int(x), k] -= 1.0
        elif others == 0.0:
            _clear_cell(state, k, d)
        elif kind == NORMAL_GAMMA:
            delta, c = x - state.location[d, k], state.prior[d, 1] + others
            state.rest[d, k] -= (c + 1.0) * delta * delta / (2.0 * c)
            state.location[d, k] -= delta / c
        elif kind == KNOWN_VARIANCE:
            state.location[d, k] -= (x - state.location[d, k]) / (state.prior[d, 2] / state.prior[d, 1] + others)
        else:
            state.location[d, k] -= x
        state.n_cells[d, k] = others
        _refresh(state, k, d)
    return True


@implements(rebuild, GapsState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    state, X, labels = borrowed((state, X, labels))
    state.n_cells[:, first : first + n_clusters] = 0.0
    state.location[:, first : first + n_clusters] = 0.0
    state.rest[:, first : first + n_clusters] = 0.0
    state.seen[:, first : first + n_clusters] = 0.0
    for d in range(X.shape[1]):
        if state.counts[d] < state.counts[d + 1]:
            _count(state, X, labels, d, n_clusters, first)
        else:
            _sum_up(state, X, labels, d, first)
        if state.kinds[d] == NORMAL_GAMMA or state.kinds[d] == KNOWN_VARIANCE:
            _scatter(state, X, labels, d, n_clusters, first)
        for k in range(first, first + n_clusters):
            if state.kinds[d] == EXPONENTIAL:
                state.location[d, k] += state.prior[d, 1]
            _refresh(state, k, d)


@inlined
def _count(state: Any, X: FloatArray, labels: IntArray, d: int, n_clusters: int, first: int) -> None:
    """Do as :func:`_sum_up` for a binomial column of few trials, from the frequency of each count in each slot."""
    row, end, often = state.counts[d], state.counts[d + 1], state.chance  # these rows are refreshed afterwards
    often[row:end, first : first + n_clusters] = 0.0
    for i in range(X.shape[0]):
        if not math.isnan(X[i, d]):
            often[row + int(X[i, d]), first + labels[i]] += 1.0
    for count in range(end - row):
        for k in range(first, first + n_clusters):
            n = often[row + count, k]
            state.n_cells[d, k] += n
            state.location[d, k] += n * count
            state.rest[d, k] += n * state.log_choose[row + count]


@inlined
def _sum_up(state: Any, X: FloatArray, labels: IntArray, d: int, first: int) -> None:
    """Count and add up the cells of a column, and their own terms in the marginal."""
    kind, trials, factorials = state.kinds[d], state.prior[d, 2], state.factorials
    n_cells, location, rest, seen = state.n_cells, state.location, state.rest, state.seen
    for i in range(X.shape[0]):
        x, k = X[i, d], first + labels[i]
        if math.isnan(x):
            continue
        n_cells[d, k] += 1.0
        location[d, k] += x
        if kind == CATEGORICAL:
            seen[state.first[d] + int(x), k] += 1.0
        elif kind == POISSON:
            rest[d, k] -= log_factorial(factorials, x)
        elif kind == BINOMIAL:
            rest[d, k] += _log_choose(factorials, trials, x)
        elif kind == NEGATIVE_BINOMIAL:
            rest[d, k] += log_rising(trials, x) - log_factorial(factorials, x)  # its third hyperparameter is r


@inlined
def _scatter(state: Any, X: FloatArray, labels: IntArray, d: int, n_clusters: int, first: int) -> None:
    """Turn a column's sums into posterior means, and add up the squared distances to the plain ones."""
    n_cells, location, rest = state.n_cells, state.location, state.rest
    for k in range(first, first + n_clusters):
        location[d, k] /= max(n_cells[d, k], 1.0)
    for i in range(X.shape[0]):
        x, k = X[i, d], first + labels[i]
        if not math.isnan(x):
            rest[d, k] += 0.5 * (x - location[d, k]) * (x - location[d, k])
    for k in range(first, first + n_clusters):
        n, distance = n_cells[d, k], location[d, k] - state.prior[d, 0]
        if state.kinds[d] == NORMAL_GAMMA:
            worth = state.prior[d, 1]
            rest[d, k] = rest[d, k] + (state.prior[d, 3] + worth * n * distance * distance / (2.0 * (worth + n)))
        else:
            worth = state.prior[d, 2] / state.prior[d, 1]  # weight of the prior in cells
            spread = rest[d, k] + 0.5 * distance * distance * (n * worth / (n + worth))
            rest[d, k] = spread / state.prior[d, 2]
        location[d, k] = state.prior[d, 0] + distance * (n / (n + worth))


@implements(log_marginal, GapsState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    state = borrowed(state)
    total = 0.0
    for d in range(state.kinds.shape[0]):
        if state.n_cells[d, k] > 0.0:
            total += _log_cells(state, k, d) + state.n_cells[d, k] * state.shift[d]
    return total


@inlined
def _log_cells(state: Any, k: int, d: int) -> float:
    """Log marginal likelihood of a slot's cells in one column, in working units."""
    kind, n, location, rest = state.kinds[d], state.n_cells[d, k], state.location[d, k], state.rest[d, k]
    first, second, third = state.prior[d, 0], state.prior[d, 1], state.prior[d, 2]
    if kind == CATEGORICAL:
        total = -log_rising(first, n)
        for category in range(state.first[d], state.first[d + 1]):
            if state.seen[category, k] > 0.0:
                total += log_rising(state.alpha0[category], state.seen[category, k])
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
    if kind == NEGATIVE_BINOMIAL:
        both = first + second
        rising = log_gamma_ratio(first, n * third) + log_rising(second, location) - log_rising(both, location)
        return rest + rising - log_gamma_ratio(both + location, n * third)
    failures = n * third - location
    return rest + log_rising(first, location) + log_rising(second, failures) - log_rising(first + second, n * third)
