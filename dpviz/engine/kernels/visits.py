"""The visits of a sweep one by one: what every candidate cost, and which was taken."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.candidates import NEW
from dpviz.engine.kernels.hard import HardRule, cluster_centres
from dpviz.engine.visits import PADDING


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
