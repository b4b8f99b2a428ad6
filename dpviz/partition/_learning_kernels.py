"""Compiled draws of hyperparameters given a partition, and the laws of these as numbers.

A step of a slice sampler asks for one log density after another, so that whoever makes it may compute them as it can.
"""

from __future__ import annotations

import math

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.numerics.special import trigamma
from dpviz.numerics.stream import StreamArray, draw_uniform
from dpviz.numerics.variates import draw_beta, draw_gamma

KIND, FIRST, SECOND, ORIGIN = range(4)
"""Positions in a law as kernels take it: shape and rate, or a and b, and an origin, NaN if it is not shifted."""
OF_GAMMA, OF_BETA = range(2)
"""Kinds of laws, in the order of :data:`dpviz.partition.hyperpriors.LAWS`."""
FARTHEST = 690.0
"""Free coordinates reach this far, e^±690 ≈ 10^±300: the range of float64."""
FINEST = math.log(1e-12)
"""Free coordinates end here if values approach a number that is not 0 and digits run out."""
SMALLEST = 1e-299
"""Smaller concentrations are replaced by this: no partition distinguishes them."""
MOST_STEPS = 50
"""Most steps out of a slice (Neal's m)."""
TRIED, LEVEL, PRESENT, WIDTH, LOW, HIGH, PHASE, LEFT, RIGHT, OUT_LEFT, OUT_RIGHT = range(11)
"""Positions in a step of a slice sampler; after the phase come the ends of the interval, and steps left for each."""
BEGUN, SHRINKING = 0, 1
"""Phases of such a step; while it steps out, the phase is the end that moves."""
OUT = OUT_LEFT - LEFT


@kernel
def free_bounds(law: FloatArray) -> tuple[float, float]:
    """Return the ends of the free coordinate."""
    low, high = -FARTHEST, -FINEST if law[KIND] == OF_BETA else FARTHEST
    if not math.isnan(law[ORIGIN]) and law[ORIGIN] != 0.0:
        low = max(low, FINEST + math.log(max(abs(law[ORIGIN]), 1.0)))
    return low, high


@kernel
def free_spread(law: FloatArray) -> float:
    """Return the standard deviation of the free coordinate: the root of ψ'(shape), or of ψ'(a) + ψ'(b)."""
    return math.sqrt(trigamma(law[FIRST]) + (trigamma(law[SECOND]) if law[KIND] == OF_BETA else 0.0))


@kernel
def to_free(law: FloatArray, value: float) -> float:
    """Return the free coordinate of a value: ln x of a gamma, ln x − ln(1 − x) of a beta."""
    excess = value if math.isnan(law[ORIGIN]) else value - law[ORIGIN]
    return math.log(excess) - (math.log1p(-excess) if law[KIND] == OF_BETA else 0.0)


@kernel
def from_free(law: FloatArray, free: float) -> float:
    """Return the value at a free coordinate."""
    excess = 1.0 / (1.0 + math.exp(-free)) if law[KIND] == OF_BETA else math.exp(free)
    return excess if math.isnan(law[ORIGIN]) else law[ORIGIN] + excess


@kernel
def free_log_density(law: FloatArray, free: float) -> float:
    """Return the log density (nats) of the free coordinate, up to a constant."""
    if law[KIND] == OF_GAMMA:
        return law[FIRST] * free - law[SECOND] * math.exp(free)
    tail = math.log1p(math.exp(-abs(free)))
    return -law[FIRST] * (max(-free, 0.0) + tail) - law[SECOND] * (max(free, 0.0) + tail)


@kernel
def draw_concentration(concentration: float, law: FloatArray, sizes: IntArray, stream: StreamArray) -> float:
    """Draw N0 of a Chinese restaurant with sizes (K,) by Escobar & West's auxiliary variable (1995, eqs. 13, 14).

    Given N0, η ~ Beta(N0 + 1, N). Given η and K, N0 ~ Gamma(a + K, b − ln η) with odds
    (a + K − 1) / (N (b − ln η)), and else Gamma(a + K − 1, b − ln η). The two steps leave p(N0, η | K) invariant.
    """
    n_points, n_clusters = 0, sizes.shape[0]
    for k in range(n_clusters):
        n_points += sizes[k]
    share = draw_beta(stream, concentration + 1.0, float(n_points))
    rate = law[SECOND] - math.log(max(share, SMALLEST))
    odds = (law[FIRST] + n_clusters - 1.0) / (n_points * rate)
    shape = law[FIRST] + n_clusters - (1.0 if draw_uniform(stream) * (1.0 + odds) >= odds else 0.0)
    return max(draw_gamma(stream, shape) / rate, SMALLEST)


@kernel
def begun_slice(present: float, width: float, low: float, high: float) -> FloatArray:
    """Return a step of a slice sampler from the present state, between bounds; first it tries that state."""
    step = np.zeros(OUT_RIGHT + 1)
    step[TRIED], step[PRESENT], step[WIDTH], step[LOW], step[HIGH] = present, present, width, low, high
    return step


@kernel
def slice_goes_on(step: FloatArray, log_density: float, stream: StreamArray) -> bool:
    """Take the log density (nats) at the state tried, and try the next; false if that state is the draw.

    First the interval steps out, each end while it lies in the slice, then it shrinks until a state of the slice is
    found (Neal 2003, figs. 3 and 5).
    """
    phase = int(step[PHASE])
    if phase == BEGUN:
        step[LEVEL] = log_density + math.log(1.0 - draw_uniform(stream))
        step[LEFT] = step[PRESENT] - step[WIDTH] * draw_uniform(stream)
        step[RIGHT] = step[LEFT] + step[WIDTH]
        step[OUT_LEFT] = int(MOST_STEPS * draw_uniform(stream))
        step[OUT_RIGHT] = MOST_STEPS - 1 - step[OUT_LEFT]
    elif phase == SHRINKING:
        if log_density >= step[LEVEL] or step[TRIED] == step[PRESENT]:
            return False
        step[LEFT if step[TRIED] < step[PRESENT] else RIGHT] = step[TRIED]
    elif log_density <= step[LEVEL]:
        step[phase + OUT] = 0.0
    else:
        step[phase] += step[WIDTH] if phase == RIGHT else -step[WIDTH]
        step[phase + OUT] -= 1.0
    if phase != SHRINKING:
        for end in (LEFT, RIGHT):
            within = step[LEFT] > step[LOW] if end == LEFT else step[RIGHT] < step[HIGH]
            if step[end + OUT] > 0.0 and within:
                step[PHASE], step[TRIED] = end, step[end]
                return True
        step[LEFT], step[RIGHT] = max(step[LEFT], step[LOW]), min(step[RIGHT], step[HIGH])
    step[PHASE], step[TRIED] = SHRINKING, step[LEFT] + (step[RIGHT] - step[LEFT]) * draw_uniform(stream)
    return True
