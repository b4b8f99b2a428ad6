"""The visits of one sweep with the costs that decided them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

from dpviz.arrays import FloatArray, IntArray

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
