"""One sweep visit by visit, from flat arrays: who, from where, to where, and what every candidate cost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import borrowed, kernel
from dpviz.arrays import FloatArray
from dpviz.browser.driver import (
    AT,
    Job,
    SmallArray,
    begun,
    begun_start,
    clusters_of,
    goes_on,
    hard_rule,
    hard_start,
    model_of,
    next_sweep,
    record_of,
    weighs_one_point,
)
from dpviz.browser.layout import (
    CONCENTRATION,
    ENDED,
    MAX_SWEEPS,
    N_POINTS,
    N_ROW,
    PRESENT,
    SECOND,
)
from dpviz.browser.models import centred_coordinates, points_of
from dpviz.engine.candidates import NEW
from dpviz.engine.kernels.collapsed_sweep import (
    N_OPEN,
    STARTING_SLOT,
    move_point,
    rebuild_slots,
    score_candidates,
    weigh_starting_cluster,
)
from dpviz.engine.kernels.visits import Filled, add_candidate, begin_visit, hard_visits


@kernel
def _ending_with(settings: FloatArray, sweep: int) -> FloatArray:
    """Return settings of a run that ends with a sweep."""
    shorter = settings.copy()
    shorter[MAX_SWEEPS] = sweep
    return shorter


@kernel
def _collapsed_visits(
    job: Job,
    until: FloatArray,
    values: FloatArray,
    start: int,
    sweep: int,
    filled: Filled,
    nll_after: FloatArray,
) -> int:
    """Replay the last sweep of a start of MAP-DP or Gibbs; return the most candidates of a visit, or ``ENDED``."""
    state, X, _, model, _, _ = borrowed(job)
    n_points = X.shape[0]
    record, events = record_of(n_points, sweep), np.empty((n_points, 3), np.int64)
    started = begun_start(job, until, values, start, record)
    while goes_on(until, started):
        model = next_sweep(job, until, values, model, started, record, events)
    if started.reached[AT] < sweep:
        return ENDED
    until[CONCENTRATION] = record.rows[(sweep - 1) * N_ROW + PRESENT]  # as a chain that learns it knew it then
    until[SECOND] = record.rows[(sweep - 1) * N_ROW + PRESENT + 1]
    weights = model_of(state, X, until, values, model.log_jacobian).weights
    labels = record.labels[(sweep - 1) * n_points : sweep * n_points].astype(np.int64)
    clusters = clusters_of(labels)
    rebuild_slots(state, X, labels, clusters.sizes, clusters.counters[N_OPEN])
    if sweep == 1 and weighs_one_point(until, start):
        clusters.counters[STARTING_SLOT] = 0
    log_density, log_weight, widest = np.empty(n_points + 1), np.empty(n_points + 1), 0
    nll = record.rows[(sweep - 1) * N_ROW + 4] if clusters.counters[STARTING_SLOT] < 0 else math.nan
    for visit in range(filled.moves.shape[0]):
        i, to = events[visit, 0], events[visit, 2]
        begin_visit(filled, visit, i, events[visit, 1], to)
        n_open, n_candidates = clusters.counters[N_OPEN], 0
        score_candidates(state, X, clusters, weights, i, log_density, log_weight)
        weigh_starting_cluster(clusters, weights, log_weight)
        joined = left = log_density[n_open] + log_weight[n_open]  # of a cluster of this point alone
        for k in range(n_open + 1):
            if log_weight[k] == -math.inf:
                continue
            if k < n_open and clusters.active[k] == to:
                joined = log_density[k] + log_weight[k]
            if k < n_open and clusters.active[k] == labels[i]:
                left = log_density[k] + log_weight[k]
            candidate = clusters.active[k] if k < n_open else NEW
            cost = -(log_density[k] + model.log_jacobian + log_weight[k])
            n_candidates = add_candidate(filled, visit, n_candidates, candidate, cost)
        widest = max(widest, n_candidates)
        if to != labels[i]:
            nll += left - joined
            move_point(state, X, clusters, i, to)
        nll_after[visit] = nll
    return widest


@kernel
def _hard_visits(
    settings: FloatArray, values: FloatArray, X: FloatArray, scale: float, start: int, sweep: int, filled: Filled
) -> int:
    """Replay a sweep of K-means or DP-means in the same way."""
    n_points, rule = X.shape[0], hard_rule(settings, scale)
    record, seen = record_of(n_points, sweep), np.empty(n_points, np.int64)
    if hard_start(_ending_with(settings, sweep), values, X, scale, start, record, seen)[0] <= sweep:
        return ENDED
    labels = record.labels[(sweep - 1) * n_points : sweep * n_points].astype(np.int64)
    n_clusters = int(record.rows[(sweep - 1) * N_ROW + 6])
    order = np.arange(n_points) if rule.keeps_empty else seen
    return hard_visits(X, labels, n_clusters, order, rule, scale, filled)


@kernel
def _to_fill(n_points: int, visited: SmallArray, candidates: SmallArray, costs: FloatArray) -> Filled:
    """Return flat arrays as what is filled with the visits."""
    n_visits = visited.shape[0] // 3
    shape = (n_visits, costs.shape[0] // max(n_visits, 1))
    moves = visited.reshape((n_visits, 3))
    return Filled(moves[:n_points], candidates.reshape(shape)[:n_points], costs.reshape(shape)[:n_points])


@kernel
def visits(
    family: Any,
    settings: FloatArray,
    values: FloatArray,
    start: int,
    sweep: int,
    visited: SmallArray,
    candidates: SmallArray,
    costs: FloatArray,
    nll: FloatArray,
) -> int:
    """Replay one sweep of one start, as :func:`dpviz.engine.slow_motion.slow_motion` does.

    Parameters
    ----------
    family, settings, values
        As for :func:`dpviz.browser.driver.run`.
    start, sweep : int
        Sweep from 1 on.
    visited : int32 array (3 V,)
        Filled with (point, from, to) of the first V visits; what a sweep does not have is filled with ``PADDING``.
    candidates : int32 array (V C,)
        Filled with labels, −1 for a new cluster, and ``PADDING``.
    costs : ndarray (V C,)
        Filled with nats, or squared units of the data without a model; NaN beside ``PADDING``.
    nll : ndarray (V,)
        Filled with −ln p(X, z) after each visit (nats): a move changes it by the difference of its costs. Untouched
        without a model; NaN if the first sweep has a rule of its own.

    Returns
    -------
    int
        The most candidates that a visit has, which may be more than C; ``ENDED`` if the run ended before this sweep.
    """
    until, filled = _ending_with(settings, sweep), _to_fill(int(settings[N_POINTS]), visited, candidates, costs)
    return _collapsed_visits(begun(family, until, values), until, values, start, sweep, filled, nll)


@kernel
def visits_of_centres(
    settings: FloatArray,
    values: FloatArray,
    start: int,
    sweep: int,
    visited: SmallArray,
    candidates: SmallArray,
    costs: FloatArray,
    nll: FloatArray,
) -> int:
    """Do the same for K-means and DP-means."""
    coordinates, scale = centred_coordinates(points_of(settings, values))
    filled = _to_fill(coordinates.shape[0], visited, candidates, costs)
    return _hard_visits(settings, values, coordinates, scale, start, sweep, filled)
