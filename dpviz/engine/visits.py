"""The visits of one sweep with the costs that decided them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.candidates import NEW

PADDING = -2
"""In place of what a visit, or a sweep, does not have."""
MOST_VISITS = 5_000
"""Most visits of a sweep that are replayed."""


@dataclass(frozen=True, eq=False)
class SlowMotion:
    """The visits of one sweep, in order.

    Attributes
    ----------
    sweep : int
    points, from_labels, to_labels : ndarray (E,)
        Labels are those of the previous sweep; clusters born during the sweep have numbers that it does not use.
    candidates : ndarray (E, C)
        Labels of the candidates; −1 is a new cluster, −2 is padding.
    costs : ndarray (E, C)
        Their costs: nats for mapdp and gibbs (as in :func:`dpviz.explain_assignment`), squared distance for kmeans and
        dpmeans; NaN is padding.
    nll : ndarray (E,), optional
        −ln p(X, z) after each visit (nats); None without a model, where missing cells are filled in as rows move, and
        of a first sweep that weighs one point.
    """

    sweep: int
    points: IntArray
    from_labels: IntArray
    to_labels: IntArray
    candidates: IntArray
    costs: FloatArray
    nll: FloatArray | None = None


def padded(sweep: int, events: IntArray, visits: list[tuple[IntArray, FloatArray]], nll: float | None) -> SlowMotion:
    """Return visits, given as (point, from, to) and as (candidates, costs), in rectangular arrays.

    A move changes the ``nll`` before the sweep, if there is one, by the difference of its costs.
    """
    width = max(len(candidates) for candidates, _ in visits)
    candidates = np.full((len(visits), width), PADDING, dtype=np.int64)
    costs = np.full((len(visits), width), np.nan)
    for row, (labels, values) in enumerate(visits):
        candidates[row, : len(labels)] = labels
        costs[row, : len(values)] = values
    points, before, after = events.T
    changes = _costs_of(after, candidates, costs) - _costs_of(before, candidates, costs)
    curve = None if nll is None else nll + np.cumsum(changes)
    return SlowMotion(sweep, points, before, after, candidates, costs, curve)


def _costs_of(labels: IntArray, candidates: IntArray, costs: FloatArray) -> FloatArray:
    """Return what the cluster of each visit costs; one that is no candidate, of a point alone, is the new one."""
    is_it = candidates == labels[:, None]
    is_it |= (candidates == NEW) & ~is_it.any(axis=1, keepdims=True)
    return np.where(is_it, costs, 0.0).sum(axis=1)
