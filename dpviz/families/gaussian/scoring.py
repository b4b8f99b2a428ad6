"""Last steps of scoring a point in all slots at once, shared by the Gaussian families."""

from __future__ import annotations

import math

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray
from dpviz.families.verbs import Candidates, OpenSlots

SHORTEST_LOOP = 5
"""Fewer slots are scored one by one: short loops over slots do not pay."""
LOG_2 = math.log(2.0)
BEND = 2.0 - 0.5 / LOG_2
"""Slope at 1 of the parabola below log2 through (1, 0) and (2, 1) that has the logarithm's slope at 2."""


@inlined
def log_below(x: float) -> float:
    """Bound ln x from below, by at most 0.014, from the bits of x > 0: ln 2 times its exponent, and a parabola."""
    bits = np.float64(x).view(np.int64)
    exponent = np.int32(bits >> 52) - np.int32(1023)
    beyond = np.int64(bits & 0xFFFFFFFFFFFFF | 0x3FF0000000000000).view(np.float64) - 1.0
    return LOG_2 * (exponent + beyond * (BEND - (BEND - 1.0) * beyond))


@inlined
def keep_scored(open_slots: OpenSlots, best: float, slack: float, candidates: Candidates) -> int:
    """Do the last step of ``score_open_slots`` when the last but one row of ``work`` holds the slots' scores."""
    scores, work = candidates.scores, candidates.work
    row, end = work.shape[0] - 2, 1
    for j in range(open_slots.n_open):
        k = open_slots.slots[j]
        if work[row, k] >= best - slack:
            scores[end] = work[row, k]
            candidates.slots[end] = k
            end += 1
            best = max(best, work[row, k])
    return end


@inlined
def keep_likely(
    constant: FloatArray,
    power: FloatArray,
    largest: float,
    open_slots: OpenSlots,
    best: float,
    slack: float,
    candidates: Candidates,
) -> int:
    """Do the last step of ``score_open_slots`` when it takes logarithms: only for slots that matter.

    The score of slot k is ``constant[k] − power[k] · ln spread + log_weight[k]``; the last two rows of ``work`` hold
    spreads and bounds of scores from above. Returns −1 if a spread that matters is not less than ``largest``.
    """
    log_weight, scores, work = open_slots.log_weight, candidates.scores, candidates.work
    spread, bound = work.shape[0] - 2, work.shape[0] - 1
    end = 1
    for j in range(open_slots.n_open):
        k = open_slots.slots[j]
        if work[bound, k] >= best - slack:
            if work[spread, k] >= largest:
                return -1
            score = constant[k] - power[k] * math.log(work[spread, k]) + log_weight[k]
            scores[end] = score
            candidates.slots[end] = k
            end += 1
            best = max(best, score)
    return end
