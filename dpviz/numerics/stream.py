"""numpy's random numbers, compiled: the stream of ``default_rng([seed, start])``, as the engine draws from it.

The stream is PCG64 XSL-RR (O'Neill 2014) seeded by numpy's ``SeedSequence``; permutations take numbers of 32 bits, each
half of one of 64, by rejection (``random_interval``), and single integers by Lemire's method (2019), as numpy does.
The state is an array of six unsigned numbers: state and increment, each with its upper half first, whether half a
number is left over, and that half.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray

StreamArray = NDArray[np.uint64]

_U = np.uint64
ZERO, ONE, HALF, MASK = _U(0), _U(1), _U(32), _U(0xFFFFFFFF)
MULTIPLIER_HIGH, MULTIPLIER_LOW = _U(2549297995355413924), _U(4865540595714422341)
INIT_A, MULT_A, INIT_B, MULT_B = _U(0x43B0D7E5), _U(0x931E8875), _U(0x8B51F9DD), _U(0x58F38DED)
MIX_LEFT, MIX_RIGHT, SHIFT = _U(0xCA01F9DD), _U(0x4973F715), _U(16)
POOL = 4


@kernel
def _product(a: Any, b: Any) -> Any:
    """Return the upper and the lower half of the product of two numbers of 64 bits."""
    a_low, a_high, b_low, b_high = a & MASK, a >> HALF, b & MASK, b >> HALF
    lowest, cross, across = a_low * b_low, a_low * b_high, a_high * b_low
    middle = (lowest >> HALF) + (cross & MASK) + (across & MASK)
    high = a_high * b_high + (cross >> HALF) + (across >> HALF) + (middle >> HALF)
    return high, (lowest & MASK) | ((middle & MASK) << HALF)


@kernel
def _advance(stream: StreamArray) -> None:
    """Replace the state by state · multiplier + increment, modulo 2^128."""
    high, low = _product(stream[1], MULTIPLIER_LOW)
    high += stream[0] * MULTIPLIER_LOW + stream[1] * MULTIPLIER_HIGH
    total = low + stream[3]
    stream[0] = high + stream[2] + (ONE if total < low else ZERO)
    stream[1] = total


@kernel
def draw_bits(stream: StreamArray) -> Any:
    """Return the next number of 64 bits."""
    _advance(stream)
    mixed, turn = stream[0] ^ stream[1], stream[0] >> _U(58)
    return (mixed >> turn) | (mixed << ((_U(64) - turn) & _U(63)))


@kernel
def _next_half(stream: StreamArray) -> Any:
    """Return the next number of 32 bits."""
    if stream[4] != ZERO:
        stream[4] = ZERO
        return stream[5]
    number = draw_bits(stream)
    stream[4], stream[5] = ONE, number >> HALF
    return number & MASK


@kernel
def draw_uniform(stream: StreamArray) -> float:
    """Return a number uniform on [0, 1), as ``Generator.random`` does."""
    return np.float64(draw_bits(stream) >> _U(11)) * (1.0 / 9007199254740992.0)


@kernel
def draw_uniforms(stream: StreamArray, n: int) -> FloatArray:
    """Return n such numbers."""
    values = np.empty(n)
    for i in range(n):
        values[i] = draw_uniform(stream)
    return values


@kernel
def draw_integer(stream: StreamArray, n: int) -> int:
    """Return a whole number from 0 to n − 1, n < 2^32, as ``Generator.integers`` does."""
    if n == 1:
        return 0
    bound = _U(n)
    product = _next_half(stream) * bound
    if (product & MASK) < bound:
        least = (MASK + ONE - bound) % bound
        while (product & MASK) < least:
            product = _next_half(stream) * bound
    return int(np.int64(product >> HALF))


@kernel
def draw_permutation(stream: StreamArray, n: int) -> IntArray:
    """Return a permutation of 0 … n − 1, n < 2^32, as ``Generator.permutation`` does."""
    order = np.arange(n)
    mask = ZERO
    for i in range(n - 1, 0, -1):
        if i == n - 1 or (mask >> ONE) >= _U(i):
            mask = _U(i)
            for shift in (1, 2, 4, 8, 16):
                mask |= mask >> _U(shift)
        drawn = _next_half(stream) & mask
        while drawn > _U(i):
            drawn = _next_half(stream) & mask
        j = np.int64(drawn)
        order[i], order[j] = order[j], order[i]
    return order


@kernel
def draw_by_weight(stream: StreamArray, cumulative: FloatArray, n: int) -> IntArray:
    """Return n positions with the probabilities whose cumulative sums are given, up to a factor: ``choice(…, p=…)``."""
    chosen = np.empty(n, np.int64)
    last = cumulative.shape[0] - 1
    uniforms = draw_uniforms(stream, n)
    for j in range(n):
        low, high = 0, last + 1
        while low < high:
            middle = (low + high) // 2
            if uniforms[j] < cumulative[middle] / cumulative[last]:
                high = middle
            else:
                low = middle + 1
        chosen[j] = low
    return chosen


@kernel
def _hashed(value: Any, constants: StreamArray) -> Any:
    """Scramble a number of 32 bits; ``constants`` are the present constant, which advances, and its multiplier."""
    value = (value ^ constants[0]) & MASK
    constants[0] = (constants[0] * constants[1]) & MASK
    value = (value * constants[0]) & MASK
    return value ^ (value >> SHIFT)


@kernel
def _mixed(left: Any, right: Any) -> Any:
    """Combine two numbers of 32 bits."""
    value = ((MIX_LEFT * left & MASK) - (MIX_RIGHT * right & MASK)) & MASK
    return value ^ (value >> SHIFT)


@kernel
def seeded_stream(seed: int, start: int) -> StreamArray:
    """Return the state of ``default_rng([seed, start])``; both are less than 2^32."""
    pool, constants = np.zeros(POOL, np.uint64), np.zeros(2, np.uint64)
    pool[0], pool[1] = _U(seed), _U(start)
    constants[0], constants[1] = INIT_A, MULT_A
    for i in range(POOL):
        pool[i] = _hashed(pool[i], constants)
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _mixed(pool[target], _hashed(pool[source], constants))
    constants[0], constants[1] = INIT_B, MULT_B
    numbers = np.zeros(4, np.uint64)
    for i in range(8):
        numbers[i // 2] |= _hashed(pool[i % POOL], constants) << (HALF * _U(i % 2))
    stream = np.zeros(6, np.uint64)
    stream[2] = (numbers[2] << ONE) | (numbers[3] >> _U(63))
    stream[3] = (numbers[3] << ONE) | ONE
    _advance(stream)
    low = stream[1] + numbers[1]
    stream[0] += numbers[0] + (ONE if low < numbers[1] else ZERO)
    stream[1] = low
    _advance(stream)
    return stream


@contextmanager
def stream_of(random_state: np.random.Generator) -> Iterator[StreamArray]:
    """Lend the state of a generator (PCG64) to kernels, and give it back as they leave it."""
    state: Any = random_state.bit_generator.state
    wide, below = state["state"], (1 << 64) - 1
    numbers = (wide["state"] >> 64, wide["state"] & below, wide["inc"] >> 64, wide["inc"] & below)
    stream = np.array([*numbers, state["has_uint32"], state["uinteger"]], dtype=np.uint64)
    with np.errstate(over="ignore"):  # without compilation numpy would warn of products modulo 2^64
        yield stream
    left = [int(number) for number in stream]
    random_state.bit_generator.state = {
        **state,
        "state": {"state": left[0] << 64 | left[1], "inc": wide["inc"]},
        "has_uint32": left[4],
        "uinteger": left[5],
    }
