"""The verbs of the kernels: a sweep's operations on a family's state, one point and one slot at a time.

A state is a ``NamedTuple`` of arrays with one slot of sufficient statistics per cluster. Each family implements these
generic functions for its own class of state; one of them, :func:`score_open_slots`, only for speed.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import generic, kernel, optional
from dpviz.arrays import FloatArray, IntArray

SMALLEST_REMAINDER = 1e-6
"""Below this ratio of a cluster's scatter without and with a point, closed forms would lose too many digits."""


class OpenSlots(NamedTuple):
    """The slots that a visit scores its point in, with all that the verbs need to know of them.

    Attributes
    ----------
    slots : ndarray (slots,)
        The first ``n_open`` are open, from the oldest to the youngest.
    n_open : int
    n_slots : int
        All open slots are less than this, so that a loop over 0 … n_slots − 1 meets them.
    sizes : ndarray (slots,)
        Points in each slot.
    log_weight : ndarray (slots,)
        Logarithm of each slot's weight in the partition prior, nats.
    """

    slots: IntArray
    n_open: int
    n_slots: int
    sizes: IntArray
    log_weight: FloatArray


class Candidates(NamedTuple):
    """What a visit may choose, the point's own slot first, and the space for finding it.

    Attributes
    ----------
    scores : ndarray (slots + 1,)
        Log predictive plus log weight, nats.
    slots : ndarray (slots + 1,)
    work : ndarray (D + 3, slots)
        Scratch.
    """

    scores: FloatArray
    slots: IntArray
    work: FloatArray


# In all verbs X is the working data, i a point, k a slot and n the number of points in the slot.


@generic
def log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    """Log density (nats) of point i under the posterior predictive of slot k, which holds n other points."""
    raise TypeError(type(state))


@generic
def log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    """Log density (nats) of point i, a member of slot k of n points, given the other n − 1; NaN if ill-conditioned."""
    raise TypeError(type(state))


@generic
def add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    """Add point i to slot k, which holds n points before; False if digits were lost and k must be rebuilt."""
    raise TypeError(type(state))


@generic
def remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    """Remove point i from slot k, which holds n points before; False if digits were lost and k must be rebuilt."""
    raise TypeError(type(state))


@generic
def clear_slot(state: Any, k: int) -> None:
    """Reset slot k to the prior completely, so that a later cluster inherits nothing."""
    raise TypeError(type(state))


@generic
def rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    """Compute slots first … first + n_clusters − 1 from the clusters 0 … n_clusters − 1 of X, in two passes."""
    raise TypeError(type(state))


@generic
def log_marginal(state: Any, k: int, n: int) -> float:
    """Log marginal likelihood (nats) of the n points of slot k; valid after :func:`rebuild` only."""
    raise TypeError(type(state))


@optional
def score_open_slots(
    state: Any,
    X: FloatArray,
    i: int,
    own: int,
    open_slots: OpenSlots,
    best: float,
    slack: float,
    candidates: Candidates,
) -> int:
    """Score point i in all open slots; optional, for families that can do it in one pass over the slots.

    The score of the point's own slot, left out of it, becomes the first of ``candidates`` if that is NaN, and may leave
    it NaN. The others follow in the order of the open slots. Scores below ``best``, or below another one, by more than
    ``slack`` may be left out. Returns the position after the last.
    """
    sizes, log_weight, scores = open_slots.sizes, open_slots.log_weight, candidates.scores
    if math.isnan(scores[0]):
        scores[0] = log_leave_one_out(state, X, i, own, sizes[own]) + log_weight[own]
    best = max(best, scores[0])
    end = 1
    for j in range(open_slots.n_open):
        k = open_slots.slots[j]
        if k != own:
            score = log_predictive(state, X, i, k, sizes[k]) + log_weight[k]
            if score >= best - slack:
                scores[end] = score
                candidates.slots[end] = k
                end += 1
                best = max(best, score)
    return end


@kernel
def cluster_means(
    X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int, mean: FloatArray
) -> None:
    """Fill rows first … first + n_clusters − 1 of ``mean`` with the means of the clusters' members."""
    mean[first : first + n_clusters] = 0.0
    for i in range(X.shape[0]):
        for d in range(X.shape[1]):
            mean[first + labels[i], d] += X[i, d]
    for k in range(n_clusters):
        for d in range(X.shape[1]):
            mean[first + k, d] /= sizes[k]


SLOT_FIELDS: dict[type, tuple[str, ...]] = {}
"""Per class of state, the arrays that have an entry per slot, by their first index, or states that have such."""
SLOT_LAST_FIELDS: dict[type, tuple[str, ...]] = {}
"""The same for arrays with the slot as their last index: loops over all slots then read adjacent numbers."""


def grow_slots(state: Any, capacity: int) -> Any:
    """Copy a state into one with more slots."""
    grown: dict[str, Any] = {}
    for field in SLOT_FIELDS[type(state)]:
        old = getattr(state, field)
        if type(old) in SLOT_FIELDS:
            grown[field] = grow_slots(old, capacity)
            continue
        grown[field] = np.zeros((capacity, *old.shape[1:]), dtype=old.dtype)
        grown[field][: len(old)] = old
    for field in SLOT_LAST_FIELDS.get(type(state), ()):
        old = getattr(state, field)
        grown[field] = np.zeros((*old.shape[:-1], capacity), dtype=old.dtype)
        grown[field][..., : old.shape[-1]] = old
    return state._replace(**grown)
