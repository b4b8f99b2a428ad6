"""Compiled loops behind the partition priors: exact recursions over the number of points, and exact draws.

The product-form recursions work with ln a_m = ln(Z_m / m!) and ln b_n = ln(w(n) / Γ(n)), for which
Z_m = Σ_n C(m−1, n−1) w(n) Z_{m−n} reads m a_m = Σ_n b_n a_{m−n}: no binomials, and b_n is constant for the Chinese
restaurant. Given m points, the block of the first one then has size n with probability b_n a_{m−n} / (m a_m).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.numerics.special import log_gamma
from dpviz.numerics.sums import cumulated

LOG_NEGLIGIBLE = -44.0  # a term below 8e-20 of the largest one cannot change a float64 sum of a million of them


class Restaurant(NamedTuple):
    """A prior under which the weight of a table depends on its customers, or on the number of tables, alone.

    Attributes
    ----------
    concentration : float
        N0.
    discount : float
        d of the two-parameter family.
    n_components : int
        Most tables; 0 if there are infinitely many.
    log_growth : ndarray (N + 1,) or (0,)
        ln g of a restaurant with a growth function, from −inf at 0 on; of length 0 in the two-parameter family.
    two_ended : bool
        Of a growth function, see :func:`fill_normalisers`.
    max_terms : int
        More terms than these are not summed.
    """

    concentration: float
    discount: float
    n_components: int
    log_growth: FloatArray
    two_ended: bool
    max_terms: int


@kernel
def join_table_of(prior: Restaurant, n_points: int) -> FloatArray:
    """Return the log weights of joining a table of n = 0..N."""
    grows = prior.log_growth.shape[0] > 0
    return prior.log_growth.copy() if grows else seating_join_table(prior.discount, n_points)


@kernel
def open_table_of(prior: Restaurant, n_points: int) -> FloatArray:
    """Return the log weights of a table beside K = 0..N others."""
    if prior.log_growth.shape[0] > 0:
        return np.full(n_points + 1, math.log(prior.concentration))
    return seating_open_table(prior.concentration, prior.discount, prior.n_components, n_points)


@kernel
def solution_of(prior: Restaurant) -> Any:
    """Return ln b_m, ln a_m and E[K_m] for m = 0..N of a growth function, and whether its terms were few enough."""
    log_blocks = log_blocks_of(prior.log_growth, math.log(prior.concentration))
    log_normalisers, means = np.empty(log_blocks.shape[0]), np.empty(log_blocks.shape[0])
    complete = fill_normalisers(log_blocks, prior.two_ended, prior.max_terms, log_normalisers, means)
    return log_blocks, log_normalisers, means, complete


@kernel
def log_normaliser_of(prior: Restaurant, n_points: int) -> float:
    """Return what the log weights of a partition of N points are lowered by."""
    if prior.log_growth.shape[0] > 0:
        return float(solution_of(prior)[1][n_points] + log_gamma(n_points + 1.0))
    return seating_log_normaliser(prior.concentration, open_table_of(prior, 1)[0], n_points)


@kernel
def means_of(prior: Restaurant, n_points: int) -> FloatArray:
    """Return E[K_m] for m = 0..N."""
    means = np.empty(n_points + 1)
    if prior.log_growth.shape[0] > 0:
        means[:] = solution_of(prior)[2]
    else:
        fill_seating_means(prior.concentration, prior.discount, means)
    return means


@kernel
def log_probability_of(prior: Restaurant, sizes: IntArray) -> float:
    """Return ln p(z) of sizes (K,); NaN if a growth function's terms are too many."""
    if prior.log_growth.shape[0] > 0:
        return _growth_log_probability(prior, sizes)
    return _seating_log_probability(prior.concentration, prior.discount, prior.n_components, sizes)


@kernel
def seating_join_table(discount: float, n_points: int) -> FloatArray:
    """Return ln(n − d) for n = 0..N: log weights of joining a table of n; entry 0 is −inf."""
    table = np.full(n_points + 1, -math.inf)
    for n in range(1, n_points + 1):
        table[n] = math.log(n - discount)
    return table


@kernel
def seating_open_table(concentration: float, discount: float, n_components: int, n_points: int) -> FloatArray:
    """Return log weights of a table beside K = 0..N others: of N0 + dK, or of −d (n_components − K)."""
    table = np.full(n_points + 1, -math.inf)
    for k in range(n_points + 1):
        weight = -discount * max(n_components - k, 0) if n_components else concentration + discount * k
        if k == 0 and weight <= 0.0:  # Pitman-Yor allows N0 <= 0: the first point opens a cluster all the same
            weight = 1.0
        if weight > 0.0:
            table[k] = math.log(weight)
    return table


@kernel
def powered_join_table(power: float, n_points: int) -> FloatArray:
    """Return r ln n for n = 0..N: log weights of joining a table of n; entry 0 is −inf."""
    table = np.full(n_points + 1, -math.inf)
    for n in range(1, n_points + 1):
        table[n] = power * math.log(n)
    return table


@kernel
def rising_log_products(start: float, n_factors: int) -> FloatArray:
    """Return ln Π_{i<n} (start + i) for n = 0..n_factors."""
    logs = np.zeros(n_factors + 2)
    for i in range(n_factors):
        logs[i + 1] = math.log(start + i)
    return cumulated(logs)[1:].copy()


@kernel
def seating_log_normaliser(concentration: float, log_first: float, n_points: int) -> float:
    """Return the log of what the weights of all seats multiply to, given that of the first customer's."""
    return float(log_first + rising_log_products(concentration + 1.0, n_points - 1)[n_points - 1])


@kernel
def log_blocks_of(join: FloatArray, log_concentration: float) -> FloatArray:
    """Return ln b_n = ln α + ln Π_{j<n} g(j) / Γ(n) for n = 0..N from ln g."""
    growth = join.copy()
    for n in range(2, join.shape[0]):
        growth[n] -= math.log(n)
    blocks = cumulated(growth)
    for n in range(join.shape[0]):
        blocks[n] += log_concentration
    return blocks


@kernel
def _seating_log_probability(concentration: float, discount: float, n_components: int, sizes: IntArray) -> float:
    """Ln p(z) of sizes (K,) when a table is opened beside K others with weight N0 + dK, or −d (n_components − K)."""
    total = 0.0
    n_points = sizes[0]
    first = log_gamma(1.0 - discount)
    for k in range(1, sizes.shape[0]):
        weight = -discount * (n_components - k) if n_components else concentration + discount * k
        if weight <= 0.0:
            return -math.inf
        total += math.log(weight)
        n_points += sizes[k]
    for k in range(sizes.shape[0]):
        total += log_gamma(sizes[k] - discount) - first
    return total - log_gamma(concentration + n_points) + log_gamma(concentration + 1.0)


@kernel
def fill_normalisers(
    log_blocks: FloatArray, two_ended: bool, max_terms: int, log_normalisers: FloatArray, means: FloatArray
) -> bool:
    """Fill ln a_m and E[K_m] for m = 0..N; false if more than ``max_terms`` terms would be needed.

    ``two_ended`` declares that every interior peak of the terms is reached downhill from one of the two ends, so each
    end is walked inwards only until its terms fall and are negligible.
    """
    terms = 0
    log_normalisers[0] = 0.0
    means[0] = 0.0
    for m in range(1, log_blocks.shape[0]):
        peak = -math.inf
        total = 0.0
        moment = 0.0
        taken = 0
        for side in range(2):
            previous = -math.inf
            for step in range(m - taken):
                n = m - step if side else step + 1
                term = log_blocks[n] + log_normalisers[m - n]
                terms += 1
                if side == 0:
                    taken += 1
                if term > peak:
                    shrink = math.exp(peak - term)
                    total = total * shrink + 1.0
                    moment = moment * shrink + means[m - n]
                    peak = term
                elif term > peak + LOG_NEGLIGIBLE:
                    share = math.exp(term - peak)
                    total += share
                    moment += share * means[m - n]
                elif two_ended and term < previous:
                    break
                previous = term
        log_normalisers[m] = peak + math.log(total / m)
        means[m] = 1.0 + moment / total
        if terms > max_terms:
            return False
    return True


@kernel
def _growth_log_probability(prior: Restaurant, sizes: IntArray) -> float:
    _, normalisers, _, complete = solution_of(prior)
    if not complete:
        return math.nan
    n_points = prior.log_growth.shape[0] - 1
    total = sizes.shape[0] * math.log(prior.concentration) - normalisers[n_points] - log_gamma(n_points + 1.0)
    blocks = cumulated(prior.log_growth)
    for k in range(sizes.shape[0]):
        total += blocks[sizes[k]]
    return float(total)


@kernel
def fill_n_clusters_laws(log_blocks: FloatArray, log_normalisers: FloatArray, laws: FloatArray) -> None:
    """Fill laws[m, k] = p(K_m = k), k up to ``laws.shape[1] - 1``, from zeros; probabilities below 1e-40 stay 0."""
    negligible = 1e-40
    n_points = laws.shape[0] - 1
    width = laws.shape[1] - 1
    first = np.zeros(n_points + 1, np.int64)
    last = np.zeros(n_points + 1, np.int64)
    share = np.zeros(n_points + 1)
    laws[0, 0] = 1.0
    for m in range(1, n_points + 1):
        total = 0.0
        for n in range(1, m + 1):
            share[n] = math.exp(log_blocks[n] + log_normalisers[m - n] - log_normalisers[m]) / m
            total += share[n]
        for n in range(1, m + 1):
            probability = share[n] / total
            if probability > negligible:
                for k in range(first[m - n], min(last[m - n], width - 1) + 1):
                    laws[m, k + 1] += probability * laws[m - n, k]
        first[m] = 1
        last[m] = min(m, width)
        while first[m] < last[m] and laws[m, first[m]] < negligible:
            first[m] += 1
        while last[m] > first[m] and laws[m, last[m]] < negligible:
            last[m] -= 1


@kernel
def draw_blocks(log_blocks: FloatArray, log_normalisers: FloatArray, uniforms: FloatArray, labels: IntArray) -> None:
    """Draw a product-form partition: the size of the first free point's block, then its other members uniformly.

    Uses each of the N uniforms once, and O(N) time.
    """
    labels[:] = -1
    free = np.arange(labels.shape[0])
    position = np.arange(labels.shape[0])
    n_free = labels.shape[0]
    first = 0
    drawn = 0
    label = 0
    while n_free > 0:
        while labels[first] >= 0:
            first += 1
        log_total = math.log(n_free) + log_normalisers[n_free]
        cumulative = 0.0
        size = 0
        while size < n_free and cumulative <= uniforms[drawn]:
            size += 1
            cumulative += math.exp(log_blocks[size] + log_normalisers[n_free - size] - log_total)
        drawn += 1
        member = first
        for n_members in range(1, size + 1):
            n_free -= 1
            moved = free[n_free]
            free[position[member]] = moved
            position[moved] = position[member]
            labels[member] = label
            if n_members < size:
                member = free[int(uniforms[drawn] * n_free)]
                drawn += 1
        label += 1


@kernel
def seat_customers(log_join: FloatArray, log_open: FloatArray, uniforms: FloatArray, labels: IntArray) -> None:
    """Seat customers one by one with the weights of the two tables; labels are numbered by first appearance."""
    sizes = np.zeros(labels.shape[0], np.int64)
    weights = np.zeros(labels.shape[0])
    shift = max(log_join[1], log_open[1])
    n_clusters = 0
    for customer in range(labels.shape[0]):
        total = math.exp(log_open[n_clusters] - shift) if n_clusters else 0.0
        for k in range(n_clusters):
            total += weights[k]
        target = uniforms[customer] * total
        chosen = 0
        while chosen < n_clusters and target >= weights[chosen]:
            target -= weights[chosen]
            chosen += 1
        if chosen == n_clusters:
            if n_clusters and log_open[n_clusters] == -math.inf:  # rounding must not open a table that does not exist
                chosen -= 1
            else:
                n_clusters += 1
        labels[customer] = chosen
        sizes[chosen] += 1
        log_weight = log_join[sizes[chosen]]
        if log_weight > shift + 300.0:  # long before exp overflows
            shift = log_weight
            for k in range(n_clusters):
                weights[k] = math.exp(log_join[sizes[k]] - shift)
        weights[chosen] = math.exp(log_weight - shift)


@kernel
def fill_seating_means(concentration: float, discount: float, means: FloatArray) -> None:
    """Fill E[K_m] for m = 0..N of the two-parameter family (any m: K_{m+1} opens with (N0 + d K_m) / (N0 + m))."""
    means[0] = 0.0
    means[1] = 1.0
    for m in range(1, means.shape[0] - 1):
        means[m + 1] = means[m] + (concentration + discount * means[m]) / (concentration + m)


@kernel
def fill_seating_law(concentration: float, discount: float, max_clusters: int, max_terms: int, law: FloatArray) -> bool:
    """Fill law[k] = p(K_N = k) of the two-parameter family, from zeros; false if more than ``max_terms`` are needed."""
    negligible = 1e-300
    terms = 0
    first = 1
    last = 1
    law[1] = 1.0
    for m in range(1, law.shape[0] - 1):
        last = min(last + 1, max_clusters)
        for k in range(last, first - 1, -1):
            stay = (m - discount * k) / (concentration + m)
            opened = (concentration + discount * (k - 1)) / (concentration + m)
            law[k] = law[k] * stay + law[k - 1] * opened
        while first < last and law[first] < negligible:
            law[first] = 0.0
            first += 1
        while last > first and law[last] < negligible:
            law[last] = 0.0
            last -= 1
        terms += last - first + 1
        if terms > max_terms:
            return False
    return True
