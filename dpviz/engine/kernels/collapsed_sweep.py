"""The collapsed sweep: every point leaves its cluster, is scored in every cluster and a new one, and joins one.

One kernel serves MAP-DP (2016 Alg. 3), collapsed Gibbs (Neal 2000 Alg. 3; 2018 Alg. 1) and everything between: the
partition prior comes as two tables, the family through its generic verbs, the update rule as a temperature. A point's
predictive without itself follows in closed form from the statistics with it, so nothing changes unless it moves.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import borrowed, inlined, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.verbs import (
    Candidates,
    OpenSlots,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
    score_open_slots,
)
from dpviz.numerics.sums import cumulated, pairwise_sum

N_OPEN, N_MOVED, N_BORN, N_DIED, STARTING_SLOT, DECISION, N_HIDDEN = range(7)
"""Positions in the kernel's counters; hidden clusters keep their points and take none."""
N_COUNTERS = 7
UNDECIDED = -2
SAME_SCORE = 1e-11
"""Scores whose relative difference is less come from one partition: rounding leaves some 1e-13."""
NEGLIGIBLE = 40.0
"""Candidates whose log probability is this far below another's are left out: together at most K e^-40 of the mass."""
ROUNDING = 1e-3
"""Bound on the rounding error of a score; it is added to the distance beyond which candidates are neglected."""


class Clusters(NamedTuple):
    """The partition during a sweep, which every move changes in place; the last slot is scratch.

    Attributes
    ----------
    labels : ndarray (N,)
        Slot of every point.
    sizes : ndarray (slots,)
        Points in each slot.
    active : ndarray (slots,)
        Open slots from the oldest to the youngest; as many as the counters say.
    counters : ndarray (N_COUNTERS,)
    """

    labels: IntArray
    sizes: IntArray
    active: IntArray
    counters: IntArray


@kernel
def clusters_of(labels: IntArray) -> Clusters:
    """Return a partition with labels 0 … K − 1 (N,), which it takes over, a slot per point, and a last for scratch."""
    n_slots, counters = labels.shape[0] + 1, np.zeros(N_COUNTERS, np.int64)
    sizes = np.zeros(n_slots, np.int64)
    for i in range(labels.shape[0]):
        sizes[labels[i]] += 1
    counters[N_OPEN], counters[STARTING_SLOT] = labels.max() + 1, -1
    return Clusters(labels, sizes, np.arange(n_slots), counters)


class Weights(NamedTuple):
    """Weights of clusters and of new ones: the tables of the partition prior, and the densities in a new cluster.

    Attributes
    ----------
    log_join : ndarray (N + 1,)
        Log weight of a cluster by its number of points, nats.
    log_open : ndarray (N + 1,)
        Log weight of a new cluster by the number of the others, nats.
    log_prior_predictive : ndarray (N,)
        Log density of every point in a new cluster, nats.
    """

    log_join: FloatArray
    log_open: FloatArray
    log_prior_predictive: FloatArray


class PartitionLaw(NamedTuple):
    """What gives the probability of a whole partition.

    Attributes
    ----------
    log_block : ndarray (N + 1,)
        Log weight of a cluster by its number of points, nats.
    log_openings : ndarray (N + 2,)
        Log weight of opening K clusters one after another, nats.
    log_normaliser : float
    """

    log_block: FloatArray
    log_openings: FloatArray
    log_normaliser: float


class Visits(NamedTuple):
    """The visits of a sweep, and how each chooses.

    Attributes
    ----------
    order : ndarray (V,)
        The points in visiting order.
    uniforms : ndarray (V,) or (0,)
        A uniform number each; unused at temperature 0.
    inverse_temperature : float
        0 stands for temperature 0, which takes the mode.
    events : ndarray (V, 3) or (0, 3)
        Filled with (point, from, to); of length 0 it records nothing.
    """

    order: IntArray
    uniforms: FloatArray
    inverse_temperature: float
    events: IntArray


@kernel
def partition_law(log_join: FloatArray, log_open: FloatArray, log_normaliser: float) -> PartitionLaw:
    """Sum the weights of a prior's tables (N + 1,) as its law needs them."""
    log_openings = np.zeros(log_open.shape[0] + 1)
    for k in range(log_open.shape[0]):
        log_openings[k + 1] = log_openings[k] + log_open[k]
    return PartitionLaw(cumulated(log_join), log_openings, log_normaliser)


@kernel
def log_probability(law: PartitionLaw, sizes: IntArray) -> float:
    """Return the log probability (nats) of a partition of all points with these sizes (K,)."""
    blocks = np.empty(sizes.shape[0])
    for k in range(sizes.shape[0]):
        blocks[k] = law.log_block[sizes[k]]
    return pairwise_sum(blocks) + float(law.log_openings[len(sizes)]) - law.log_normaliser


@kernel
def refill(state: Any, X: FloatArray, labels: IntArray, k: int, without: int, slot: int) -> int:
    """Compute ``slot`` from cluster k's members except one, from the data alone; return how many there are."""
    count = 0
    for j in range(X.shape[0]):
        count += labels[j] == k and j != without
    members = np.empty((count, X.shape[1]))
    position = 0
    for j in range(X.shape[0]):
        if labels[j] == k and j != without:
            members[position] = X[j]
            position += 1
    rebuild(state, members, np.zeros(count, dtype=np.int64), np.full(1, count), 1, slot)
    return count


@kernel
def log_after_removal(state: Any, X: FloatArray, labels: IntArray, i: int, scratch: int) -> float:
    """Leave-one-out predictive by explicit removal, in a scratch slot: slow, used if the closed form loses digits."""
    return log_predictive(state, X, i, scratch, refill(state, X, labels, labels[i], i, scratch))


@inlined
def mode(scores: FloatArray, n_candidates: int) -> int:
    """Position of the highest score; the first of equal ones."""
    best = 0
    for j in range(1, n_candidates):
        if scores[j] > scores[best]:
            best = j
    return best


@inlined
def sample(scores: FloatArray, n_candidates: int, inverse_temperature: float, uniform: float) -> int:
    """Draw a position with probability ∝ exp(score / temperature), or 0 where negligible; ``scores`` is overwritten."""
    highest = scores[0]
    for j in range(1, n_candidates):
        if scores[j] > highest:
            highest = scores[j]
    total = 0.0
    for j in range(n_candidates):
        exponent = (scores[j] - highest) * inverse_temperature
        if exponent == 0.0:
            total += 1.0
        elif exponent > -NEGLIGIBLE:
            total += math.exp(exponent)
        scores[j] = total
    target = uniform * total
    for j in range(n_candidates):
        if target < scores[j]:
            return j
    return n_candidates - 1


@inlined
def free_slot(sizes: IntArray) -> int:
    """Lowest slot without points."""
    slot = 0
    while sizes[slot] > 0:
        slot += 1
    return slot


@inlined
def leave_cluster(state: Any, X: FloatArray, clusters: Clusters, i: int) -> None:
    """Take point i out of its cluster, and update counts and order; it has no label until it joins one."""
    labels, sizes, active, counters = clusters
    current = labels[i]
    labels[i] = -1
    sizes[current] -= 1
    if sizes[current] == 0:
        clear_slot(state, current)
        position = 0
        while active[position] != current:
            position += 1
        counters[N_OPEN] -= 1
        for later in range(position, counters[N_OPEN]):
            active[later] = active[later + 1]
        counters[N_DIED] += 1
        if counters[STARTING_SLOT] == current:
            counters[STARTING_SLOT] = -1
    elif not remove_point(state, X, i, current, sizes[current] + 1):
        refill(state, X, labels, current, -1, current)


@inlined
def join_cluster(state: Any, X: FloatArray, clusters: Clusters, i: int, to: int) -> None:
    """Put point i into slot ``to`` (empty for a new cluster), and update counts and order."""
    labels, sizes, active, counters = clusters
    labels[i] = to
    if sizes[to] == 0:
        clear_slot(state, to)
        active[counters[N_OPEN]] = to
        counters[N_OPEN] += 1
        counters[N_BORN] += 1
    if not add_point(state, X, i, to, sizes[to]):
        refill(state, X, labels, to, -1, to)
    sizes[to] += 1


@kernel
def move_point(state: Any, X: FloatArray, clusters: Clusters, i: int, to: int) -> None:
    """Move point i from its cluster into slot ``to`` (empty for a new one)."""
    state, X, clusters = borrowed((state, X, clusters))
    leave_cluster(state, X, clusters, i)
    join_cluster(state, X, clusters, i, to)
    clusters.counters[N_MOVED] += 1


@kernel
def _find_move(
    state: Any,
    X: FloatArray,
    clusters: Clusters,
    weights: Weights,
    visits: Visits,
    start: int,
    stop_at_singletons: bool,
    removed: float,
    log_weight: FloatArray,
    candidates: Candidates,
) -> int:
    """Visit ``order[start:]`` until a point leaves its cluster; return its position, or N.

    The hot loop of every sweep, and so free of calls that take the state and are not compiled into it: each would
    count references to all of its arrays. ``counters[DECISION]`` is the slot the point moves to, −1 for a new cluster,
    or ``UNDECIDED`` if its leave-one-out predictive needs an explicit removal; the caller then visits it again with
    that value as ``removed`` (NaN otherwise). Candidates are in this order: the present cluster, the others from the
    oldest to the youngest, a new one; a tie goes to the first. A singleton's own cluster *is* the new one.
    ``log_weight`` (slots,) is scratch.
    """
    state, X, clusters, weights, visits = borrowed((state, X, clusters, weights, visits))
    log_weight, candidates = borrowed((log_weight, candidates))
    labels, sizes, active, counters = clusters
    log_join, log_open, log_prior_predictive = weights
    order, uniforms, inverse_temperature, events = visits
    scores, slots, _ = candidates
    n_open, starting, n_slots = counters[N_OPEN], counters[STARTING_SLOT], 0
    for j in range(n_open):
        k = active[j]
        log_weight[k] = log_join[1] if k == starting else log_join[sizes[k]]
        n_slots = max(n_slots, k + 1)
    open_slots = OpenSlots(active, n_open, n_slots, sizes, log_weight)
    n_clusters = n_open + counters[N_HIDDEN]
    slack = ROUNDING + (0.0 if inverse_temperature == 0.0 else NEGLIGIBLE / inverse_temperature)
    for position in range(start, order.shape[0]):
        i = order[position]
        current = labels[i]
        singleton = sizes[current] == 1
        new_cluster = log_prior_predictive[i] + log_open[n_clusters - (1 if singleton else 0)]
        slots[0] = current
        log_weight_with, log_weight_without = log_weight[current], log_join[sizes[current] - 1]
        log_weight[current] = log_join[1] if current == starting else log_weight_without
        scores[0] = new_cluster if singleton else removed + log_weight[current]
        removed = math.nan
        n_candidates = score_open_slots(state, X, i, current, open_slots, new_cluster, slack, candidates)
        log_weight[current] = log_weight_with
        if math.isnan(scores[0]):
            counters[DECISION] = UNDECIDED
            return position
        if not singleton and new_cluster >= scores[0] - slack:
            scores[n_candidates] = new_cluster
            slots[n_candidates] = -1
            n_candidates += 1
        if inverse_temperature == 0.0:
            choice = slots[mode(scores, n_candidates)]
        else:
            choice = slots[sample(scores, n_candidates, inverse_temperature, uniforms[position])]
        if events.shape[0] > 0:
            events[position, 0] = i
            events[position, 1] = current
            events[position, 2] = choice
        if choice != current or singleton and stop_at_singletons:
            counters[DECISION] = choice
            return position
    return order.shape[0]


@kernel
def collapsed_sweep(
    state: Any, X: FloatArray, clusters: Clusters, weights: Weights, visits: Visits, start: int, pause_at_birth: bool
) -> int:
    """Visit ``order[start:]``; return where it stopped: N, or earlier before a birth that the caller must prepare.

    It stops before a birth without a free slot, or before any birth if ``pause_at_birth``.
    """
    state, X, clusters, weights, visits = borrowed((state, X, clusters, weights, visits))
    labels, sizes, _, counters = clusters
    order, events = visits.order, visits.events
    n_slots = sizes.shape[0]
    scores, slots = np.empty(n_slots + 1), np.empty(n_slots + 1, dtype=np.int64)
    candidates, log_weight = Candidates(scores, slots, np.zeros((X.shape[1] + 3, n_slots))), np.zeros(n_slots)
    position, removed, scratch = start, math.nan, n_slots - 1
    while True:
        position = _find_move(
            state, X, clusters, weights, visits, position, pause_at_birth, removed, log_weight, candidates
        )
        removed = math.nan
        if position == order.shape[0]:
            return position
        i, choice = order[position], counters[DECISION]
        if choice == UNDECIDED:
            removed = log_after_removal(state, X, labels, i, scratch)
            if math.isnan(removed):  # out of range: never stay, and do not request it again
                removed = -math.inf
            continue
        opens = choice == -1 or choice == labels[i]
        if opens and (pause_at_birth or counters[N_OPEN] + counters[N_HIDDEN] == scratch):
            return position
        if choice == -1:
            choice = free_slot(sizes)
        if events.shape[0] > 0:
            events[position, 2] = choice
        move_point(state, X, clusters, i, choice)
        position += 1


@kernel
def is_lower(score: float, than: float) -> bool:
    """Whether a score is lower by more than rounding; one that is not finite, where numbers went wrong, never is.

    Of starts that end in one partition the first wins, wherever they are computed.
    """
    return math.isfinite(score) and not (math.isfinite(than) and score >= than - SAME_SCORE * abs(than))


@kernel
def close_ranks(labels: IntArray, sizes: IntArray, active: IntArray, n_clusters: int) -> None:
    """Rename slot ``active[j]`` to j, so that labels are 0 … K − 1 from the oldest to the youngest cluster."""
    before, new_label = sizes.copy(), np.empty_like(sizes)
    sizes[:] = 0
    for j in range(n_clusters):
        sizes[j] = before[active[j]]
        new_label[active[j]] = j
        active[j] = j
    for i in range(labels.shape[0]):
        labels[i] = new_label[labels[i]]


@kernel
def renumber(labels: IntArray) -> int:
    """Give clusters the numbers 0 … K − 1 in the order of those they have; return K."""
    lowest = labels.min()
    number = np.full(labels.max() - lowest + 1, -1)
    for i in range(labels.shape[0]):
        number[labels[i] - lowest] = 0
    n_clusters = 0
    for value in range(number.shape[0]):
        if number[value] == 0:
            number[value] = n_clusters
            n_clusters += 1
    for i in range(labels.shape[0]):
        labels[i] = number[labels[i] - lowest]
    return n_clusters


@kernel
def rebuild_slots(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int) -> None:
    """Compute the statistics of slots 0 … n_clusters − 1 from a partition."""
    rebuild(state, X, labels, sizes, n_clusters, 0)


@kernel
def evaluate(
    state: Any,
    X: FloatArray,
    labels: IntArray,
    sizes: IntArray,
    n_clusters: int,
    log_prior_predictive: FloatArray,
    pending: IntArray,
    totals: FloatArray,
) -> None:
    """Rebuild every slot and fill ``totals`` with Σ ln m(X_k) and Σ ln f(x_i | θ_k^{-i}), in nats.

    ``pending`` (N,) collects the few points that need an explicit removal: a loop of their own keeps the first fast.
    """
    state, X, labels, sizes = borrowed((state, X, labels, sizes))
    rebuild(state, X, labels, sizes, n_clusters, 0)
    marginal, leave_one_out = 0.0, 0.0
    n_pending = 0
    for k in range(n_clusters):
        marginal += log_marginal(state, k, sizes[k])
    for i in range(X.shape[0]):
        if sizes[labels[i]] == 1:
            leave_one_out += log_prior_predictive[i]
        else:
            own = log_leave_one_out(state, X, i, labels[i], sizes[labels[i]])
            if math.isnan(own):
                pending[n_pending] = i
                n_pending += 1
            else:
                leave_one_out += own
    for j in range(n_pending):
        leave_one_out += log_after_removal(state, X, labels, pending[j], sizes.shape[0] - 1)
    totals[0] = marginal
    totals[1] = leave_one_out


@kernel
def score_candidates(
    state: Any,
    X: FloatArray,
    clusters: Clusters,
    weights: Weights,
    i: int,
    log_density: FloatArray,
    log_weight: FloatArray,
) -> None:
    """Fill the log predictive and the log weight (K + 1,), nats, of every open cluster, and last of a new one.

    The point's own cluster is seen without it; a cluster that holds it alone has weight −inf, since leaving it and
    coming back is opening a new one.
    """
    state, X, clusters = borrowed((state, X, clusters))
    labels, sizes, active, counters = clusters
    n_open, n_others = counters[N_OPEN], 0
    for j in range(n_open):
        k = active[j]
        own = k == labels[i]
        others = sizes[k] - 1 if own else sizes[k]
        n_others += others > 0
        log_weight[j] = weights.log_join[others]
        if not own:
            log_density[j] = log_predictive(state, X, i, k, others)
        elif others > 0:
            log_density[j] = log_after_removal(state, X, labels, i, sizes.shape[0] - 1)
        else:
            log_density[j] = weights.log_prior_predictive[i]
    log_density[n_open] = weights.log_prior_predictive[i]
    log_weight[n_open] = weights.log_open[n_others]


@kernel
def weigh_starting_cluster(clusters: Clusters, weights: Weights, log_weight: FloatArray) -> None:
    """Give the starting cluster among candidates (K + 1,) the weight of a single point, as the first sweep does."""
    for j in range(clusters.counters[N_OPEN]):
        if clusters.active[j] == clusters.counters[STARTING_SLOT] and log_weight[j] > -math.inf:
            log_weight[j] = weights.log_join[1]


@kernel
def score_places(state: Any, X: FloatArray, sizes: IntArray, n_clusters: int, scores: FloatArray) -> None:
    """Fill ``scores`` (n, K + 1) with the log predictive of each row of X in each cluster, last an empty one."""
    state, X = borrowed((state, X))
    clear_slot(state, n_clusters)
    for i in range(X.shape[0]):
        for k in range(n_clusters + 1):
            scores[i, k] = log_predictive(state, X, i, k, sizes[k])


@kernel
def decide(scores: FloatArray, taken: FloatArray) -> None:
    """Fill (n, 3) with the position of the highest of scores (n, C), its lead over the next, and ln Σ exp of all."""
    for i in range(scores.shape[0]):
        best, second, total = 0, -math.inf, 0.0
        for k in range(1, scores.shape[1]):
            if scores[i, k] > scores[i, best]:
                best, second = k, scores[i, best]
            else:
                second = max(second, scores[i, k])
        first = scores[i, best]
        for k in range(scores.shape[1]):
            total += math.exp(scores[i, k] - first)
        taken[i, 0], taken[i, 1], taken[i, 2] = best, first - second, first + math.log(total)


@kernel
def prior_predictives(state: Any, X: FloatArray, values: FloatArray) -> None:
    """Fill ``values`` with every point's log density under the prior predictive, through an empty slot."""
    state, X = borrowed((state, X))
    clear_slot(state, 0)
    for i in range(X.shape[0]):
        values[i] = log_predictive(state, X, i, 0, 0)
