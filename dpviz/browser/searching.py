"""From the starts of a run to the search that follows them: what :mod:`dpviz.engine.search` does, from flat arrays."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

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
from dpviz.engine.kernels.matching import most_matched
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
def note_end(ends: Ends, labels: IntArray, nll: float) -> None:
    """Note where one more start has ended."""
    place = 0
    while ends.n_equal[place] > 0 and most_matched(ends.labels[place], labels) < labels.shape[0]:
        place += 1
    if ends.n_equal[place] == 0:
        ends.nll[place], ends.labels[place] = nll, labels
    ends.n_equal[place] += 1


@kernel
def plan_of(settings: FloatArray, coordinates: FloatArray, ends: Ends) -> Plan:
    """Return the search whose walks begin at these ends, at the lowest first; of equal ones the first."""
    nll = ends.nll[: np.count_nonzero(ends.n_equal)].copy()
    first, origins = np.argmin(nll), np.empty((nll.shape[0], coordinates.shape[0]), np.int64)
    for rank in range(nll.shape[0]):
        lowest = np.argmin(nll)
        origins[rank], nll[lowest] = ends.labels[lowest], math.inf
    plan = new_plan(origins, coordinates, coordinates.shape[0] + 1)
    begin(plan, ends.n_equal[first], int(settings[MAX_SWEEPS]), most_clusters(settings), settings[OPERATIONS])
    allow(plan, settings[EFFORT])
    plan.stream[:] = seeded_stream(int(settings[SEED]), int(settings[N_STARTS]))
    return plan
