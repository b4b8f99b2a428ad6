"""Compiled sums over the number of components of a finite mixture.

Every sum is over k = t, t + 1, … of a term f(k) whose logarithm is smooth, may have two peaks, and may fall as slowly
as a power of k. It is taken in cells of 1, 2, 4, … numbers, halved where ln f bends, in each of which Gauss quadrature
for sums (Gram's polynomials, the discrete Legendre ones) needs a few places. What is left beyond the last cell is
bounded by f(k) ≤ f(X) (X/k)^s.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dpviz._jit import inlined, kernel
from dpviz.arrays import FloatArray, IntArray

LOG_NEGLIGIBLE = -44.0
"""A term below 8e-20 of the whole sum does not change it."""
N_PLACES = 14
FINEST_LEVEL, COARSEST_LEVEL = 5, 54
"""Cells of up to 2^4 numbers are summed one by one; above 2^54 places in a cell no longer depend on its size."""
MOST_CELLS = 1000
"""Cells double, so the last of these begins beyond 1e300."""
GEOMETRIC, POISSON, BETA_NEGATIVE_BINOMIAL = 0.0, 1.0, 2.0
LARGE_RATIO = 2.0**500
"""A product of ratios beyond it is divided by it, which costs no digit, lest it overflow."""
SMOOTH_RISE, SMOOTH_BEND = 3.0, 2.0
"""Most that ln f may change, and bend, in a cell that is not halved: the rule then errs by less than 1e-15."""


class Quadrature(NamedTuple):
    """Rules for sums over cells of 2^level numbers.

    Attributes
    ----------
    places : ndarray (levels, N_PLACES)
        As shares of the cell.
    weights : ndarray (levels, N_PLACES)
        Of sum 1 in each row.
    """

    places: FloatArray
    weights: FloatArray


def quadrature_rules() -> Quadrature:
    """Rules for every level.

    They are the Gauss rule of equal weights on 0 … n − 1, from the recurrence of Gram's polynomials, whose
    coefficients are j² (n² − j²) / (4 (4 j² − 1)) (Golub & Welsch 1969).
    """
    places, weights = [], []
    j = np.arange(1.0, N_PLACES)
    for level in range(FINEST_LEVEL, COARSEST_LEVEL + 1):
        coefficients = j**2 * (1 - (j / 2.0**level) ** 2) / (4 * (4 * j**2 - 1))
        off_diagonal = np.diag(np.sqrt(coefficients), 1)
        values, vectors = np.linalg.eigh(off_diagonal + off_diagonal.T)
        places.append(values + (1 - 0.5**level) / 2)
        weights.append(vectors[0] ** 2)
    return Quadrature(np.array(places), np.array(weights))


@inlined
def _stirling(x: float) -> float:
    """Ln Γ(x) minus (x − ½) ln x − x + ½ ln 2π, to 1e-15 from 20 on."""
    inverse = 1.0 / x
    square = inverse * inverse
    return inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)))


@inlined
def log_rising(x: float, m: float) -> float:
    """Ln Γ(x + m) − ln Γ(x) for x > 0 and x + m > 0, without the loss of digits of the difference."""
    if x < 20.0 or x + m < 20.0:
        return math.lgamma(x + m) - math.lgamma(x)
    return (x - 0.5) * math.log1p(m / x) + m * (math.log(x + m) - 1.0) + _stirling(x + m) - _stirling(x)


@kernel
def log_probability_of_components(law: FloatArray, k: float) -> float:
    """Ln p(k) of k = 1, 2, … components; ``law`` holds its kind, ln of a constant, and its parameters."""
    j = k - 1.0
    if law[0] == GEOMETRIC:
        return law[1] + j * law[2]
    if law[0] == POISSON:
        return law[1] + j * law[2] - math.lgamma(k)
    return law[1] + log_rising(k, law[2] - 1.0) - log_rising(j + law[4], law[2] + law[3])


@inlined
def _log_term(t: int, n: int, gamma: float, law: FloatArray, k: float) -> float:
    """Ln of k (k − 1) … (k − t + 1) / (γk (γk + 1) … (γk + n − 1)) · p(k)."""
    log_term = log_probability_of_components(law, k)
    if t > 0:
        log_term += log_rising(k - t + 1.0, float(t))
    if n > 0:
        log_term -= log_rising(gamma * k, float(n))
    return log_term


@kernel
def _climb(t: int, n: int, gamma: float, law: FloatArray, first: float, last: float) -> float:
    """Highest ln f met when a peak between two numbers is approached by halving."""
    best = -math.inf
    while last - first > 2.0:
        middle = np.floor((first + last) / 2.0)
        step = max(1.0, np.floor((last - first) / 64.0))
        here = _log_term(t, n, gamma, law, middle)
        best = max(best, here)
        if _log_term(t, n, gamma, law, middle + step) > here:
            first = middle
        else:
            last = middle
        if last - first < 1e-4 * (last - t):
            break
    return best


@kernel
def _survey(t: int, n: int, gamma: float, law: FloatArray, moment: float, first: float, bests: FloatArray) -> int:
    """Return how many cells matter; ``bests`` gets the largest ln f and ln (k − t)^moment f that were met.

    Beyond the last cell k (d ln f/dk) only falls for the first factors of f, and stays within half of its distance from
    −1 for p(k) from ``law[5]`` on.
    """
    bests[:] = -math.inf
    here, begin, width = _log_term(t, n, gamma, law, first), first, 1.0
    for cell in range(MOST_CELLS):
        end = begin + width
        there = _log_term(t, n, gamma, law, end)
        bests[0] = max(bests[0], here)
        bests[1] = max(bests[1], there + moment * math.log(end - t))
        step = max(1.0, np.floor(width / 64.0))
        if width > 2.0 and _log_term(t, n, gamma, law, begin + step) > here:
            if there <= _log_term(t, n, gamma, law, end - step):
                peak = _climb(t, n, gamma, law, begin, end)
                bests[0] = max(bests[0], peak)
                bests[1] = max(bests[1], peak + moment * math.log(begin - t + 1.0))
        if there == -math.inf:
            return cell + 1
        excess = (here - there) / math.log(end / begin) - 1.0 - moment
        if end > law[5] and excess > 0.0:
            rest = there + math.log(end) - math.log(excess / 2.0)
            if rest < bests[0] + LOG_NEGLIGIBLE and rest + moment * math.log(end) < bests[1] + LOG_NEGLIGIBLE:
                return cell + 1
        here, begin, width = there, end, 2.0 * width
    return -1


@kernel
def fill_components(
    t: int,
    n: int,
    gamma: float,
    law: FloatArray,
    moment: float,
    spread: float,
    reach: float,
    quadrature: Quadrature,
    components: FloatArray,
    log_terms: FloatArray,
) -> int:
    """Fill numbers of components k ≥ t and ln of what each adds to Σ f(k); return how many, −1 for too many.

    Sums of (k − t)^moment f(k) have the same places, and so have those of f(k) φ(k) for a φ of at most 1, if ln φ
    changes by at most ``spread``, and at most ``reach`` / k, times as much as ln k.
    """
    first = float(max(t, 1))
    bests = np.empty(2)
    n_cells = _survey(t, n, gamma, law, moment, first, bests)
    begins = np.empty(MOST_CELLS + 100)
    levels = np.empty(MOST_CELLS + 100, np.int64)
    filled = 0
    begin = first
    for cell in range(n_cells):
        begins[0], levels[0] = begin, cell
        begin += 2.0**cell
        waiting = 1
        while waiting > 0:
            waiting -= 1
            start, level = begins[waiting], levels[waiting]
            width = 2.0**level
            if filled + N_PLACES + 16 > components.shape[0] or waiting + 2 > begins.shape[0]:
                return -1
            if level < FINEST_LEVEL:
                for i in range(int(width)):
                    components[filled] = start + i
                    log_terms[filled] = _log_term(t, n, gamma, law, start + i)
                    filled += 1
                continue
            end, middle = start + width - 1.0, start + width / 2.0
            left = _log_term(t, n, gamma, law, start)
            right = _log_term(t, n, gamma, law, end)
            centre = _log_term(t, n, gamma, law, middle)
            step = max(1.0, np.floor(width / 64.0))
            rises = _log_term(t, n, gamma, law, start + step) > left
            falls = _log_term(t, n, gamma, law, end - step) >= right
            highest = max(left, right) + math.log(width)
            if not (rises and falls) and highest < bests[0] + LOG_NEGLIGIBLE:
                if highest + moment * math.log(end - t + 1.0) < bests[1] + LOG_NEGLIGIBLE:
                    continue
            rise = max(abs(centre - left), abs(right - centre))
            bend = abs(left + right - 2.0 * centre)
            swing = min(spread, reach / start) * math.log((end + 1.0) / start)
            if rise > SMOOTH_RISE or bend > SMOOTH_BEND or swing > SMOOTH_RISE:
                begins[waiting], levels[waiting] = start, level - 1
                begins[waiting + 1], levels[waiting + 1] = middle, level - 1
                waiting += 2
                continue
            row = min(level, COARSEST_LEVEL) - FINEST_LEVEL
            for i in range(N_PLACES):
                k = start + width * quadrature.places[row, i]
                components[filled] = k
                log_terms[filled] = _log_term(t, n, gamma, law, k) + math.log(quadrature.weights[row, i] * width)
                filled += 1
    return filled if n_cells >= 0 else -1


@kernel
def fill_openings(
    n: int,
    gamma: float,
    law: FloatArray,
    quadrature: Quadrature,
    clusters: IntArray,
    components: FloatArray,
    log_terms: FloatArray,
    log_totals: FloatArray,
    log_openings: FloatArray,
) -> bool:
    """Fill ln V_n(t) and ln V_n(t + 1) / V_n(t) for each t of ``clusters``; false if a sum has too many places.

    The second is −inf at t = n, where n points have no more clusters, and where the sum may be infinite.
    """
    for index in range(clusters.shape[0]):
        t = clusters[index]
        moment = 1.0 if t < n else 0.0
        filled = fill_components(t, n, gamma, law, moment, 0.0, 0.0, quadrature, components, log_terms)
        if filled < 0:
            return False
        peak, beyond = -math.inf, -math.inf
        for i in range(filled):
            peak = max(peak, log_terms[i])
            if components[i] > t:
                beyond = max(beyond, log_terms[i] + math.log(components[i] - t))
        total, opening = 0.0, 0.0
        for i in range(filled):
            total += math.exp(log_terms[i] - peak)
            if components[i] > t:
                opening += math.exp(log_terms[i] + math.log(components[i] - t) - beyond)
        log_totals[index] = peak + math.log(total)
        log_openings[index] = beyond - peak + math.log(opening / total) if t < n else -math.inf
    return True


@kernel
def fill_log_terms(t: int, n: int, gamma: float, law: FloatArray, first: int, log_terms: FloatArray) -> None:
    """Fill ln f(k) for k = first, first + 1, …."""
    for i in range(log_terms.shape[0]):
        log_terms[i] = _log_term(t, n, gamma, law, float(first + i))


@kernel
def fill_chances_of_opening(
    gamma: float, components: FloatArray, probabilities: FloatArray, chances: FloatArray
) -> None:
    """Fill the probability that point m + 1 opens a cluster, m = 0, 1, …: its component has none of the m others.

    Given k components it is the product of (γ (k − 1) + i) / (γk + 1 + i) over i < m.
    """
    opens = probabilities.copy()
    first = 0
    for m in range(chances.shape[0]):
        while first < opens.shape[0] - 1 and opens[first] < 1e-290:  # few components are all taken
            first += 1
        total = 0.0
        for i in range(first, opens.shape[0]):
            total += opens[i]
            whole = gamma * components[i] + m
            opens[i] *= (whole - gamma) / (whole + 1.0)
        chances[m] = total


@kernel
def fill_log_numbers(n: int, gamma: float, log_numbers: FloatArray) -> None:
    """Fill ln S_n(t) for t = 1 …: the sum over partitions into t clusters of Π γ (γ + 1) … (γ + size − 1).

    S_{m+1}(t) = (m + γt) S_m(t) + γ S_m(t − 1), by the ratios S_m(t) / S_m(t − 1), which only grow with m. For a large
    γ they do as fast as (t / (t − 1))^m, so each is kept as a number times a power of ``LARGE_RATIO``.
    """
    most = log_numbers.shape[0] - 1
    ratios, powers = np.zeros(most + 1), np.zeros(most + 1)
    for m in range(1, n):
        growth_before = m + gamma
        top = min(m, most)
        for t in range(2, top + 1):
            growth = m + gamma * t + (gamma / ratios[t] if powers[t] == 0.0 else 0.0)
            ratios[t] *= growth / growth_before
            if ratios[t] > LARGE_RATIO:
                ratios[t] /= LARGE_RATIO
                powers[t] += 1.0
            growth_before = growth
        if m + 1 <= most:
            ratios[m + 1] = gamma / growth_before
    log_numbers[0] = -math.inf
    log_numbers[1] = log_rising(gamma, float(n))
    for t in range(2, most + 1):
        log_ratio = math.log(ratios[t]) + powers[t] * math.log(LARGE_RATIO) if t <= n else -math.inf
        log_numbers[t] = log_numbers[t - 1] + log_ratio


@kernel
def log_weight_of_sizes(gamma: float, sizes: IntArray) -> float:
    """Sum of ln γ (γ + 1) … (γ + size − 1) over clusters of sizes (K,)."""
    total = 0.0
    for k in range(sizes.shape[0]):
        total += log_rising(gamma, float(sizes[k]))
    return total
