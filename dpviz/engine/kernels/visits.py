"""The visits of a sweep one by one: what every candidate cost, and which was taken."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.candidates import NEW
from dpviz.engine.kernels.collapsed_sweep import N_OPEN, Clusters
from dpviz.engine.kernels.hard import HardRule, cluster_centres
from dpviz.engine.visits import PADDING, SlowMotion


class Filled(NamedTuple):
    """What is filled with V visits, each with room for C candidates.

    Attributes
    ----------
    moves : integer array (V, 3)
        Point, label before, label after; ``PADDING`` after the last visit.
    candidates : integer array (V, C)
        Labels, ``NEW``, and ``PADDING``.
    costs : ndarray (V, C)
        NaN beside ``PADDING``.
    """

    moves: Any
    candidates: Any
    costs: FloatArray


def room_for(n_visits: int, width: int) -> Filled:
    """Return room for so many visits, each with so many candidates."""
    shape = (n_visits, width)
    return Filled(np.empty((n_visits, 3), np.int64), np.empty(shape, np.int64), np.empty(shape))


def filled_with(filled: Filled, sweep: int, width: int) -> SlowMotion:
    """Return the visits that were made in a sweep, which have at most so many candidates."""
    made = filled.moves[:, 0] >= 0
    candidates, costs = (np.ascontiguousarray(table[made, :width]) for table in (filled.candidates, filled.costs))
    points, from_labels, to_labels = filled.moves[made].T
    return SlowMotion(sweep, points, from_labels, to_labels, candidates, costs)


@kernel
def begin_visit(filled: Filled, visit: int, i: int, before: int, to: int) -> None:
    """Record who moved where, and begin the list of candidates."""
    filled.moves[visit, 0], filled.moves[visit, 1], filled.moves[visit, 2] = i, before, to
    filled.candidates[visit] = PADDING
    filled.costs[visit] = math.nan


@kernel
def add_candidate(filled: Filled, visit: int, n_before: int, label: int, cost: float) -> int:
    """List one more candidate if there is room; return how many there are, with those for which there was none."""
    if n_before < filled.costs.shape[1]:
        filled.candidates[visit, n_before], filled.costs[visit, n_before] = label, cost
    return n_before + 1


@kernel
def list_candidates(
    filled: Filled, visit: int, clusters: Clusters, i: int, log_density: FloatArray, log_weight: FloatArray
) -> int:
    """List what a collapsed visit of point i weighs, before it moves: clusters from the oldest on, and a new one.

    ``log_density`` and ``log_weight`` (K + 1,) are in nats; what has no weight is no candidate.
    """
    n_open, n_listed = clusters.counters[N_OPEN], 0
    begin_visit(filled, visit, i, clusters.labels[i], clusters.labels[i])
    for k in range(n_open + 1):
        if log_weight[k] > -math.inf:
            label = clusters.active[k] if k < n_open else NEW
            n_listed = add_candidate(filled, visit, n_listed, label, -(log_density[k] + log_weight[k]))
    return n_listed


@kernel
def _cost_of(filled: Filled, visit: int, label: int) -> float:
    """Return the cost of a label; of one that is no candidate, as it holds no other point, that of a new cluster."""
    cost = math.nan
    for place in range(filled.costs.shape[1]):
        if filled.candidates[visit, place] == label or filled.candidates[visit, place] == NEW:
            cost = filled.costs[visit, place]
        if filled.candidates[visit, place] == label:
            break
    return cost


@kernel
def follow_nll(filled: Filled, nll: float, nll_after: FloatArray) -> None:
    """Fill the nll after each visit (V,), nats: a move changes it by the difference of its costs."""
    for visit in range(nll_after.shape[0]):
        before, after = filled.moves[visit, 1], filled.moves[visit, 2]
        if before != after:
            nll += _cost_of(filled, visit, after) - _cost_of(filled, visit, before)
        nll_after[visit] = nll


@kernel
def squared_distance(x: FloatArray, centre: FloatArray) -> float:
    """Return the squared distance of two places (D,)."""
    total = 0.0
    for d in range(x.shape[0]):
        total += (x[d] - centre[d]) ** 2
    return total


@kernel
def hard_visits(
    X: FloatArray, labels: IntArray, n_clusters: int, order: IntArray, rule: HardRule, scale: float, filled: Filled
) -> int:
    """Replay the first visits of a hard sweep: distances to the centres, which are fixed, and λ for a new cluster.

    Of equally near centres a point keeps its own, or else takes the first. Clusters without points are no candidates.

    Parameters
    ----------
    X : ndarray (N, D)
    labels : ndarray (N,)
        The partition before the sweep, 0 … ``n_clusters`` − 1.
    n_clusters : int
    order : ndarray (N,)
    rule : HardRule
    scale : float
        Costs are in the units of X times this, squared.
    filled : Filled

    Returns
    -------
    int
        The most candidates of a visit, which may be more than there is room for.
    """
    n_visits, widest, ended = filled.moves.shape[0], 1, False
    centres = cluster_centres(X, labels, np.full((n_clusters + n_visits, X.shape[1]), math.inf))[0]
    for visit in range(n_visits):
        i = order[visit]
        if ended:
            begin_visit(filled, visit, PADDING, PADDING, PADDING)
            continue
        to, nearest, n_listed = labels[i], squared_distance(X[i], centres[labels[i]]), 0
        begin_visit(filled, visit, i, labels[i], to)
        for k in range(n_clusters):
            if centres[k, 0] < math.inf:
                squared = squared_distance(X[i], centres[k])
                n_listed = add_candidate(filled, visit, n_listed, k, squared * scale**2)
                if squared < nearest:
                    to, nearest = k, squared
        if not rule.keeps_empty:
            n_listed = add_candidate(filled, visit, n_listed, NEW, rule.penalty * scale**2)
        if nearest > rule.penalty:
            to = n_clusters
            centres[n_clusters] = X[i]
            n_clusters += 1
            ended = rule.until_birth
        filled.moves[visit, 2] = to
        widest = max(widest, n_listed)
    return widest
