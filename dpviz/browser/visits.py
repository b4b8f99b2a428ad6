"""One sweep visit by visit, from flat arrays: who, from where, to where, and what every candidate cost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import borrowed, kernel
from dpviz.arrays import FloatArray
from dpviz.browser.driver import (
    AT,
    Record,
    SmallArray,
    begun,
    begun_start,
    goes_on,
    hard_rule,
    hard_start,
    next_sweep,
    weighs_one_point,
)
from dpviz.browser.layout import (
    CONCENTRATION,
    ENDED,
    LEARNED,
    MAX_SWEEPS,
    N_POINTS,
    N_ROW,
    N_SIZES,
    NLL,
    SECOND,
)
from dpviz.browser.models import centred_coordinates, points_of, present_model
from dpviz.engine.kernels.collapsed_sweep import (
    N_OPEN,
    STARTING_SLOT,
    clusters_of,
    move_point,
    rebuild_slots,
    score_candidates,
    weigh_starting_cluster,
)
from dpviz.engine.kernels.visits import Filled, follow_nll, hard_visits, list_candidates


@kernel
def _ending_with(settings: FloatArray, sweep: int) -> FloatArray:
    """Return settings of a run that ends with a sweep."""
    shorter = settings.copy()
    shorter[MAX_SWEEPS] = sweep
    return shorter


@kernel
def _room(settings: FloatArray, sweep: int) -> Record:
    """Return room for so many sweeps."""
    return Record(np.empty((sweep + 1, int(settings[N_POINTS])), np.int32), np.empty((sweep + 1, N_ROW)))


@kernel
def _collapsed_visits(
    job: Any,
    start: int,
    sweep: int,
    filled: Filled,
    nll_after: FloatArray,
) -> int:
    """Replay the last sweep of a start of MAP-DP or Gibbs; return the most candidates of a visit, or ``ENDED``."""
    until, values, state, X, _, model, _ = borrowed(job)
    n_points = X.shape[0]
    record, events = _room(until, sweep), np.empty((n_points, 3), np.int64)
    started = begun_start(job, start, record)
    while goes_on(until, started):
        model = next_sweep(job, model, started, record, events)
    if started.reached[AT] < sweep:
        return ENDED
    before, labels = record.rows[sweep - 1], record.labels[sweep - 1].astype(np.int64)
    until[CONCENTRATION], until[SECOND] = before[LEARNED], before[LEARNED + 1]  # as a chain that learns it knew it then
    weights, clusters = present_model(model, until, values).weights, clusters_of(labels)
    rebuild_slots(state, X, labels, clusters.sizes, clusters.counters[N_OPEN])
    if sweep == 1 and weighs_one_point(until, start):
        clusters.counters[STARTING_SLOT] = 0
    nll = before[NLL] if clusters.counters[STARTING_SLOT] < 0 else math.nan
    log_density, log_weight, widest = np.empty(n_points + 1), np.empty(n_points + 1), 0
    for visit in range(filled.moves.shape[0]):
        i, to = events[visit, 0], events[visit, 2]
        score_candidates(state, X, clusters, weights, i, log_density, log_weight)
        weigh_starting_cluster(clusters, weights, log_weight)
        log_density += model.log_jacobian
        widest = max(widest, list_candidates(filled, visit, clusters, i, log_density, log_weight))
        filled.moves[visit, 2] = to
        if to != labels[i]:
            move_point(state, X, clusters, i, to)
    follow_nll(filled, nll, nll_after)
    return widest


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
    return _collapsed_visits(begun(family, until, values), start, sweep, filled, nll)


@kernel
def visits_of_centres(
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
    """Do the same for K-means and DP-means."""
    X, scale = centred_coordinates(points_of(settings, values))
    record, rule, order = _room(settings, sweep), hard_rule(settings, scale), np.arange(X.shape[0])
    seen = order[:0] if rule.keeps_empty else order
    if hard_start(_ending_with(settings, sweep), values, X, scale, start, record, seen)[0] <= sweep:
        return ENDED
    labels, n_clusters = record.labels[sweep - 1].astype(np.int64), int(record.rows[sweep - 1, N_SIZES])
    filled = _to_fill(X.shape[0], visited, candidates, costs)
    return hard_visits(X, labels, n_clusters, order, rule, scale, filled)
