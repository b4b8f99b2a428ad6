"""Draws of hyperparameters given a partition, from flat arrays: what :mod:`dpviz.engine.hyperparameters` does."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.browser.layout import (
    CHINESE,
    CONCENTRATION,
    FINITE,
    LAW_OF_CONCENTRATION,
    LAW_OF_SECOND,
    N_COMPONENTS,
    OF_BETA,
    OF_GAMMA,
    PARTITION,
    PITMAN_YOR,
    POWERED,
    SECOND,
)
from dpviz.browser.models import UNBOUNDED, discount_of, growth_of
from dpviz.engine.hyperparameters import MOST_STEPS
from dpviz.numerics.special import log_gamma, trigamma
from dpviz.numerics.stream import StreamArray, draw_uniform
from dpviz.numerics.sums import cumulated
from dpviz.numerics.variates import draw_beta, draw_gamma
from dpviz.partition._kernels import fill_normalisers, log_blocks_of, seating_log_probability
from dpviz.partition.ewens_pitman import SMALLEST
from dpviz.partition.hyperpriors import FARTHEST, FINEST


class Law(NamedTuple):
    """A gamma or a beta law, perhaps shifted; see :mod:`dpviz.partition.hyperpriors`.

    Attributes
    ----------
    kind : int
    first, second : float
        Shape and rate, or a and b.
    origin : float
        NaN of a law that is not shifted.
    """

    kind: int
    first: float
    second: float
    origin: float


@kernel
def _law_of(settings: FloatArray, place: int) -> Law:
    """Read a law."""
    return Law(int(settings[place]), settings[place + 1], settings[place + 2], settings[place + 3])


@kernel
def _ends(law: Law) -> tuple[float, float]:
    """Return the ends of the free coordinate."""
    low, high = -FARTHEST, -FINEST if law.kind == OF_BETA else FARTHEST
    if not math.isnan(law.origin) and law.origin != 0.0:
        low = max(low, FINEST + math.log(max(abs(law.origin), 1.0)))
    return low, high


@kernel
def _spread(law: Law) -> float:
    """Return the standard deviation of the free coordinate."""
    return math.sqrt(trigamma(law.first) + (trigamma(law.second) if law.kind == OF_BETA else 0.0))


@kernel
def _to_free(law: Law, value: float) -> float:
    """Return the free coordinate of a value."""
    excess = value if math.isnan(law.origin) else value - law.origin
    return math.log(excess) - (math.log1p(-excess) if law.kind == OF_BETA else 0.0)


@kernel
def _from_free(law: Law, free: float) -> float:
    """Return the value at a free coordinate."""
    excess = 1.0 / (1.0 + math.exp(-free)) if law.kind == OF_BETA else math.exp(free)
    return excess if math.isnan(law.origin) else law.origin + excess


@kernel
def _log_density(law: Law, free: float) -> float:
    """Return the log density (nats) of the free coordinate, up to a constant."""
    if law.kind == OF_GAMMA:
        return law.first * free - law.second * math.exp(free)
    tail = math.log1p(math.exp(-abs(free)))
    return -law.first * (max(-free, 0.0) + tail) - law.second * (max(free, 0.0) + tail)


@kernel
def _log_partition(settings: FloatArray, values: FloatArray, sizes: IntArray) -> float:
    """Return the log probability (nats) of a partition with these sizes (K,)."""
    partition, concentration = int(settings[PARTITION]), settings[CONCENTRATION]
    if partition in (CHINESE, PITMAN_YOR, FINITE):
        n_components = int(settings[N_COMPONENTS]) if partition == FINITE else 0
        return float(seating_log_probability(concentration, discount_of(settings), n_components, sizes))
    join = growth_of(settings, values)
    blocks, normalisers, means = cumulated(join), np.empty(join.shape[0]), np.empty(join.shape[0])
    two_ended, log_concentration = partition == POWERED and settings[SECOND] > 1.0, math.log(concentration)
    fill_normalisers(log_blocks_of(join, log_concentration), two_ended, UNBOUNDED, normalisers, means)
    total = sizes.shape[0] * log_concentration - normalisers[join.shape[0] - 1] - log_gamma(float(join.shape[0]))
    for k in range(sizes.shape[0]):
        total += blocks[sizes[k]]
    return total


@kernel
def _tried(settings: FloatArray, values: FloatArray, sizes: IntArray, law: Law, parameter: int, free: float) -> float:
    """Return the log density (nats) of a parameter at a free coordinate, which is left in the settings."""
    settings[parameter] = _from_free(law, free)
    return _log_density(law, free) + _log_partition(settings, values, sizes)


@kernel
def _slice_step(
    settings: FloatArray, values: FloatArray, sizes: IntArray, law: Law, parameter: int, stream: StreamArray
) -> None:
    """Make one step of a slice sampler, as :func:`dpviz.engine.hyperparameters.slice_step` does."""
    low, high = _ends(law)
    present, width = min(max(_to_free(law, settings[parameter]), low), high), _spread(law)
    level = _tried(settings, values, sizes, law, parameter, present) + math.log(1.0 - draw_uniform(stream))
    left = present - width * draw_uniform(stream)
    right = left + width
    steps = int(MOST_STEPS * draw_uniform(stream))
    for _ in range(steps):
        if left <= low or _tried(settings, values, sizes, law, parameter, left) <= level:
            break
        left -= width
    for _ in range(MOST_STEPS - 1 - steps):
        if right >= high or _tried(settings, values, sizes, law, parameter, right) <= level:
            break
        right += width
    left, right = max(left, low), min(right, high)
    while True:
        proposed = left + (right - left) * draw_uniform(stream)
        if _tried(settings, values, sizes, law, parameter, proposed) >= level or proposed == present:
            return
        if proposed < present:
            left = proposed
        else:
            right = proposed


@kernel
def _draw_concentration(settings: FloatArray, law: Law, sizes: IntArray, stream: StreamArray) -> None:
    """Draw N0 of a Chinese restaurant under a gamma law (Escobar & West 1995, eqs. 13, 14)."""
    n_points, n_clusters = 0, sizes.shape[0]
    for k in range(n_clusters):
        n_points += sizes[k]
    share = draw_beta(stream, settings[CONCENTRATION] + 1.0, float(n_points))
    rate = law.second - math.log(max(share, SMALLEST))
    odds = (law.first + n_clusters - 1.0) / (n_points * rate)
    shape = law.first + n_clusters - (1.0 if draw_uniform(stream) * (1.0 + odds) >= odds else 0.0)
    settings[CONCENTRATION] = max(draw_gamma(stream, shape) / rate, SMALLEST)


@kernel
def learns(settings: FloatArray) -> bool:
    """Whether a chain draws hyperparameters."""
    return not (math.isnan(settings[LAW_OF_CONCENTRATION]) and math.isnan(settings[LAW_OF_SECOND]))


@kernel
def draw_hyperparameters(settings: FloatArray, values: FloatArray, sizes: IntArray, stream: StreamArray) -> int:
    """Replace the learned parameters in the settings by draws given a partition with these sizes (K,)."""
    if not math.isnan(settings[LAW_OF_CONCENTRATION]):
        law = _law_of(settings, LAW_OF_CONCENTRATION)
        if int(settings[PARTITION]) == CHINESE and law.kind == OF_GAMMA and math.isnan(law.origin):
            _draw_concentration(settings, law, sizes, stream)
        else:
            _slice_step(settings, values, sizes, law, CONCENTRATION, stream)
    if not math.isnan(settings[LAW_OF_SECOND]):
        _slice_step(settings, values, sizes, _law_of(settings, LAW_OF_SECOND), SECOND, stream)
    return 0
