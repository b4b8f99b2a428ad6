"""Counts of a sweep, and the score of the state after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from dpviz.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Moves:
    """Counts of one sweep.

    Attributes
    ----------
    n_moved, n_born, n_died : int
        Points that changed cluster, clusters opened and clusters emptied during the sweep.
    events : ndarray (N, 3) or None
        (point, from, to) of every visit in order, if asked for; slots are numbered as :class:`SweepRecord` says.
    n_accepted : int
        Splits and merges of whole clusters that were proposed after the visits and accepted.
    """

    n_moved: int = 0
    n_born: int = 0
    n_died: int = 0
    events: IntArray | None = None
    n_accepted: int = 0


@dataclass(frozen=True, eq=False)
class Score:
    """Recorded scores of a state: see :class:`~dpviz.engine.record.SweepRecord`."""

    labels: NDArray[Any]
    sizes: IntArray
    n_clusters: int
    nll: float
    objective: float
    parameters: Any = None
    cells: FloatArray | None = None
    hyperparameters: tuple[float, ...] = ()
