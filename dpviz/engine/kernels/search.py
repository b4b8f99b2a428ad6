"""A search of partitions, compiled: the statistics of clusters that its plan asks for, of any family."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz._jit import borrowed, call_at, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed_sweep import (
    N_HIDDEN,
    N_MOVED,
    N_OPEN,
    PartitionLaw,
    Visits,
    Weights,
    collapsed_sweep,
    log_probability,
)
from dpviz.engine.kernels.search_plan import (
    GROW,
    HOME_IS_OLD,
    INVERSE_TEMPERATURE,
    LOAD,
    N_LOADED,
    N_ORDER,
    NEWS,
    NLL,
    NOTHING,
    PAUSED,
    PENDING,
    POSITION,
    PRESENT,
    SCORE,
    SWEEP,
    WEIGH,
    WEIGHED,
    Plan,
    next_instruction,
    spent,
)
from dpviz.families.verbs import log_marginal, log_predictive, rebuild


@kernel
def rebuild_and_score(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int) -> float:
    """Compute the statistics of all clusters from the data, and return Σ ln m(X_k) in nats."""
    state, X, labels, sizes = borrowed((state, X, labels, sizes))
    rebuild(state, X, labels, sizes, n_clusters, 0)
    total = 0.0
    for k in range(n_clusters):
        total += log_marginal(state, k, sizes[k])
    return total


@kernel
def open_slots(plan: Plan) -> bool:
    """Count the points of the clusters in work, whose numbers are their slots; False if there are too few slots."""
    work, n_clusters = plan.work, plan.counts[N_LOADED]
    if n_clusters >= work.sizes.shape[0]:
        return False
    work.sizes[:] = 0
    for i in range(work.labels.shape[0]):
        work.sizes[work.labels[i]] += 1
    for k in range(n_clusters):
        work.active[k] = k
    work.counters[N_OPEN], work.counters[N_HIDDEN], work.counters[N_MOVED] = n_clusters, 0, 0
    return True


@kernel
def advance(
    state: Any, X: FloatArray, weights: Weights, law: PartitionLaw, shift: float, plan: Plan, most: float, next_at: int
) -> int:
    """Go on with a search, for some operations at least; return why it stopped.

    Parameters
    ----------
    state : NamedTuple
        A family's, with twice as many slots as the clusters in work have: after these come those of the partition that
        is changed.
    X : ndarray (N, D)
        Working data.
    weights, law
        Of the partition prior.
    shift : float
        N times the logarithm of the Jacobian (nats).
    plan : Plan
        Changed in place.
    most : float
        Operations after which to pause.
    next_at : int
        Address of :func:`~dpviz.engine.kernels.search_plan.next_instruction`, which all families share.

    Returns
    -------
    int
        ``NEWS`` of a partition better than all before, which is in ``plan``; ``OVER``; ``PAUSED``; or ``GROW`` where
        more slots are needed.
    """
    state, X, weights, law, plan = borrowed((state, X, weights, law, plan))
    until, counts, work, home = spent(plan) + most, plan.counts, plan.work, plan.work.sizes.shape[0]
    no_events, no_uniforms = np.empty((0, 3), np.int64), np.empty(0)
    while True:
        instruction = counts[PENDING]
        if instruction == NOTHING:
            instruction = call_at(next_at, next_instruction, plan)
            if instruction >= NEWS:
                return instruction
            counts[PENDING] = instruction
        if instruction == LOAD and not open_slots(plan):
            return GROW
        if instruction != SWEEP and (instruction != WEIGH or counts[HOME_IS_OLD] != 0):
            labels, sizes, n_clusters, first = work.labels, work.sizes, counts[N_LOADED], 0
            if instruction == WEIGH:
                labels, sizes = plan.partitions[PRESENT], plan.home_sizes
                n_clusters, first, counts[HOME_IS_OLD] = plan.n_clusters[PRESENT], home, 0
            rebuild(state, X, labels, sizes, n_clusters, first)
        if instruction == WEIGH:
            for k in range(plan.n_clusters[PRESENT]):
                n = plan.home_sizes[k]
                plan.scores[k] = log_predictive(state, X, counts[WEIGHED], home + k, n) + weights.log_join[n]
        elif instruction == SCORE:
            log_prior, marginal = log_probability(law, work.sizes[: counts[N_LOADED]]), 0.0
            for k in range(counts[N_LOADED]):
                marginal += log_marginal(state, k, work.sizes[k])
            plan.levels[NLL] = -(log_prior + marginal + shift)
        elif instruction == SWEEP:
            n_visits, heat = counts[N_ORDER], plan.levels[INVERSE_TEMPERATURE]
            visits = Visits(
                plan.order[:n_visits], plan.uniforms[:n_visits] if heat > 0.0 else no_uniforms, heat, no_events
            )
            counts[POSITION] = collapsed_sweep(state, X, work, weights, visits, counts[POSITION], False)
            if counts[POSITION] < n_visits:
                return GROW
        counts[PENDING] = NOTHING
        if spent(plan) >= until:
            return PAUSED
