"""Normal, exponential, gamma and beta numbers from the compiled stream, as numpy's generators draw them.

Normal and exponential numbers are drawn by the ziggurat (Marsaglia & Tsang 2000) of 256 strips of equal area under the
density f: the i-th ends at x_i, and a point in it is below f at once if it is left of x_{i−1}. Gamma numbers come from
these (Marsaglia & Tsang 2000, "A simple method"), beta numbers from two gammas. Which bits of a number choose strip,
sign and place is numpy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray
from dpviz.numerics.stream import ONE, ZERO, StreamArray, draw_bits, draw_uniform

_U = np.uint64
STRIPS = 256
NORMAL_END, EXPONENTIAL_END = 3.6541528853610088, 7.69711747013105
"""Where the lowest strip turns into the tail (Marsaglia & Tsang 2000, for 256 strips)."""
NORMAL_BITS, EXPONENTIAL_BITS = 52, 53
"""Bits that choose the place in a strip."""
LOWEST, EIGHT, THREE = _U(STRIPS - 1), _U(8), _U(3)
NORMAL_MASK = _U(2**NORMAL_BITS - 1)
_MULTIPLIER = 2549297995355413924 << 64 | 4865540595714422341


def _number_of(draw: Callable[[np.random.Generator], float], bits: int) -> float:
    """Return what numpy makes of a stream whose next 64 bits are given."""
    state = bits * pow(_MULTIPLIER, -1, 2**128) - pow(_MULTIPLIER, -1, 2**128)
    source = np.random.PCG64(0)
    source.state = {**source.state, "state": {"state": state % 2**128, "inc": 1}, "has_uint32": 0, "uinteger": 0}
    return draw(np.random.Generator(source))


def _widths(draw: Callable[[np.random.Generator], float], n_bits: int, strip_at: int, place_at: int) -> FloatArray:
    """Return x_i 2^−n of all strips (256,), read off numbers of numpy's whose place is a power of two.

    That place is half of a strip, or, where none is taken at once, so near zero that numpy does not reject it. How
    numpy's own table was rounded cannot be told from the construction, and a last digit would make other numbers.
    """
    places = [n_bits - 1 if strip != 1 else 1 for strip in range(STRIPS)]
    numbers = [_number_of(draw, 1 << place + place_at | strip << strip_at) for strip, place in enumerate(places)]
    return np.array([number * 2.0**-place for number, place in zip(numbers, places, strict=True)])


NORMAL_WIDTHS = _widths(lambda generator: generator.standard_normal(), NORMAL_BITS, 0, 9)
EXPONENTIAL_WIDTHS = _widths(lambda generator: generator.standard_exponential(), EXPONENTIAL_BITS, 3, 11)


@kernel
def _first_part(widths: FloatArray, strip: Any, end: float, n_bits: int) -> float:
    """Return the place below which all of a strip is under the density: 2^n x_{i−1} / x_i."""
    if strip == 1:
        return 0.0
    return end / widths[0] if strip == 0 else 2.0**n_bits * (widths[strip - 1] / widths[strip])


@kernel
def _normal_density(strip: Any) -> float:
    """Return exp(−x²/2) at the end of a strip."""
    x = NORMAL_WIDTHS[strip] * 2.0**NORMAL_BITS
    return 1.0 if strip == 0 else math.exp(-0.5 * x * x)


@kernel
def _beyond_end(stream: StreamArray) -> float:
    """Return a number of the normal tail, by Marsaglia's method (1964)."""
    while True:
        beyond = -math.log1p(-draw_uniform(stream)) * (1.0 / NORMAL_END)
        height = -math.log1p(-draw_uniform(stream))
        if height + height > beyond * beyond:
            return NORMAL_END + beyond


@kernel
def draw_normal(stream: StreamArray) -> float:
    """Return a standard normal number, as ``Generator.standard_normal`` does."""
    while True:
        bits = draw_bits(stream)
        strip, rest = np.int64(bits & LOWEST), bits >> EIGHT
        place = (rest >> ONE) & NORMAL_MASK
        x = np.float64(place) * NORMAL_WIDTHS[strip]
        if (rest & ONE) != ZERO:
            x = -x
        if np.float64(place) < _first_part(NORMAL_WIDTHS, strip, NORMAL_END, NORMAL_BITS):
            return x
        if strip == 0:
            beyond = _beyond_end(stream)
            return -beyond if ((place >> EIGHT) & ONE) != ZERO else beyond
        low, high = _normal_density(strip), _normal_density(strip - 1)
        if (high - low) * draw_uniform(stream) + low < math.exp(-0.5 * x * x):
            return x


@kernel
def _exponential_density(strip: Any) -> float:
    """Return exp(−x) at the end of a strip."""
    return 1.0 if strip == 0 else math.exp(-EXPONENTIAL_WIDTHS[strip] * 2.0**EXPONENTIAL_BITS)


@kernel
def draw_exponential(stream: StreamArray) -> float:
    """Return a standard exponential number, as ``Generator.standard_exponential`` does."""
    while True:
        bits = draw_bits(stream) >> THREE
        strip, place = np.int64(bits & LOWEST), np.float64(bits >> EIGHT)
        x = place * EXPONENTIAL_WIDTHS[strip]
        if place < _first_part(EXPONENTIAL_WIDTHS, strip, EXPONENTIAL_END, EXPONENTIAL_BITS):
            return x
        if strip == 0:
            return EXPONENTIAL_END - math.log1p(-draw_uniform(stream))
        low, high = _exponential_density(strip), _exponential_density(strip - 1)
        if (high - low) * draw_uniform(stream) + low < math.exp(-x):
            return x


@kernel
def _small_gamma(stream: StreamArray, shape: float) -> float:
    """Return a gamma number of a shape below 1, by rejection from a power and an exponential law.

    Powers are taken by logarithms, in place of a function with a large table: up to the last digits.
    """
    while True:
        uniform, exponential = draw_uniform(stream), draw_exponential(stream)
        if uniform <= 1.0 - shape:
            x = math.exp(math.log(uniform) / shape) if uniform > 0.0 else 0.0
            if x <= exponential:
                return x
        else:
            y = -math.log((1.0 - uniform) / shape)
            x = math.exp(math.log(1.0 - shape + shape * y) / shape)
            if x <= exponential + y:
                return x


@kernel
def draw_gamma(stream: StreamArray, shape: float) -> float:
    """Return a gamma number of a shape > 0 and rate 1, as ``Generator.standard_gamma`` does."""
    if shape == 1.0:
        return draw_exponential(stream)
    if shape < 1.0:
        return _small_gamma(stream, shape)
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * b)
    while True:
        x = draw_normal(stream)
        v = 1.0 + c * x
        while v <= 0.0:
            x = draw_normal(stream)
            v = 1.0 + c * x
        v = v * v * v
        uniform = draw_uniform(stream)
        if uniform < 1.0 - 0.0331 * (x * x) * (x * x):
            return b * v
        if math.log(uniform) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
            return b * v


@kernel
def draw_beta(stream: StreamArray, a: float, b: float) -> float:
    """Return a beta number, one of a and b > 1, as ``Generator.beta`` does."""
    first = draw_gamma(stream, a)
    return first / (first + draw_gamma(stream, b))
