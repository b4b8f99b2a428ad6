"""From the starts of a run to the search that follows them: what :mod:`dpviz.engine.search` does, from flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.browser.layout import (
    ALGORITHM,
    AUTO,
    EFFORT,
    MAPDP,
    MAX_SWEEPS,
    N_STARTS,
    OPERATIONS,
    SEED,
    START,
    TEMPERATURE,
)
from dpviz.browser.models import most_clusters
from dpviz.engine.kernels.search_plan import Plan, allow, begin, new_plan
from dpviz.numerics.stream import seeded_stream


class Ends(NamedTuple):
    """Where starts ended that converged: their different partitions, each with its first start.

    Attributes
    ----------
    labels : ndarray (n_starts, N)
    nll : ndarray (n_starts,)
        In nats.
    n_equal : ndarray (n_starts,)
        Starts that ended there; 0 behind the last.
    """

    labels: IntArray
    nll: FloatArray
    n_equal: IntArray


@kernel
def searches(settings: FloatArray) -> bool:
    """Whether a search follows the starts."""
    automatic = int(settings[ALGORITHM]) == MAPDP and int(settings[START]) == AUTO
    return bool(automatic and settings[TEMPERATURE] == 0.0 and settings[EFFORT] > 0.0)


@kernel
def no_ends(n_starts: int, n_points: int) -> Ends:
    """Return room for the ends of so many starts."""
    return Ends(np.zeros((n_starts, n_points), np.int64), np.zeros(n_starts), np.zeros(n_starts, np.int64))


@kernel
def _is_same(labels: IntArray, others: NDArray[np.int32]) -> bool:
    """Whether two partitions, each with clusters 0 … K − 1, differ in these numbers alone."""
    n_points = labels.shape[0]
    there, back = np.full(n_points, -1), np.full(n_points, -1)
    for i in range(n_points):
        one, other = labels[i], others[i]
        if there[one] < 0 and back[other] < 0:
            there[one], back[other] = other, one
        elif there[one] != other or back[other] != one:
            return False
    return True


@kernel
def note_end(ends: Ends, labels: NDArray[np.int32], nll: float) -> None:
    """Note where one more start has ended."""
    place = 0
    while ends.n_equal[place] > 0 and not _is_same(ends.labels[place], labels):
        place += 1
    if ends.n_equal[place] == 0:
        ends.nll[place] = nll
        for i in range(labels.shape[0]):
            ends.labels[place, i] = labels[i]
    ends.n_equal[place] += 1


@kernel
def plan_of(settings: FloatArray, coordinates: FloatArray, ends: Ends) -> Plan:
    """Return the search whose walks begin at these ends, at the lowest first; of equal ones the first."""
    n_ends = 0
    while n_ends < ends.nll.shape[0] and ends.n_equal[n_ends] > 0:
        n_ends += 1
    origins, order = np.empty((n_ends, coordinates.shape[0]), np.int64), np.arange(n_ends)
    for rank in range(n_ends):
        place = rank
        while place > 0 and ends.nll[order[place]] < ends.nll[order[place - 1]]:
            order[place], order[place - 1] = order[place - 1], order[place]
            place -= 1
    for rank in range(n_ends):
        origins[rank] = ends.labels[order[rank]]
    plan = new_plan(origins, coordinates, coordinates.shape[0] + 1)
    begin(plan, ends.n_equal[order[0]], int(settings[MAX_SWEEPS]), most_clusters(settings), settings[OPERATIONS])
    allow(plan, settings[EFFORT])
    plan.stream[:] = seeded_stream(int(settings[SEED]), int(settings[N_STARTS]))
    return plan
