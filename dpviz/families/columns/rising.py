"""Ratios of gamma functions Γ(a + n)/Γ(a), of which rising factorials a (a + 1) … (a + n − 1) are those with whole n.

All marginals and predictives of columns are made of them. Differences of two lnΓ would lose digits where a is large;
these do not, and use only functions on which compiled and plain Python agree to the last bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz._jit import inlined, kernel
from dpviz.arrays import FloatArray

FEW_FACTORS = 8.0
"""Rising factorials of up to this many factors are multiplied out."""
STIRLING_FROM = 12.0
"""From here on Stirling's series with five terms has an error below 1e-14."""
MOST_FACTORIALS = 4096
"""Size of the table of log factorials."""


@inlined
def rising_product(a: float, n: float) -> float:
    """Multiply a (a + 1) … (a + n − 1), for n up to ``FEW_FACTORS`` + 1."""
    product, j = 1.0, 0.0
    while j < n:
        product *= a + j
        j += 1.0
    return product


@inlined
def _stirling_tail(z: float) -> float:
    """Return lnΓ(z) − [(z − ½) ln z − z + ½ ln 2π], for z ≥ ``STIRLING_FROM``."""
    w = 1.0 / (z * z)
    return (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w * (1.0 / 1680.0 - w / 1188.0)))) / z


@kernel
def log_rising(a: float, n: float) -> float:
    """Logarithm of a (a + 1) … (a + n − 1), for a > 0 and whole n ≥ 0.

    With b = a + n it is (a − ½) ln(b/a) + n (ln b − 1) and the difference of two tails of Stirling's series, all free
    of cancellation; small a are moved up first.
    """
    product = 1.0
    while n > 0.0 and (a < STIRLING_FROM or n <= FEW_FACTORS):
        product *= a
        a += 1.0
        n -= 1.0
    if n == 0.0:
        return math.log(product)
    b = a + n
    whole = (a - 0.5) * math.log1p(n / a) + n * (math.log(b) - 1.0)
    return math.log(product) + whole + (_stirling_tail(b) - _stirling_tail(a))


@kernel
def log_gamma_ratio(a: float, n: float) -> float:
    """Logarithm of Γ(a + n)/Γ(a), for a > 0 and any n ≥ 0; as of :func:`log_rising`, no part of it cancels."""
    product = 1.0
    while a < STIRLING_FROM:
        product *= a / (a + n)
        a += 1.0
    b = a + n
    whole = (a - 0.5) * math.log1p(n / a) + n * (math.log(b) - 1.0)
    return math.log(product) + whole + (_stirling_tail(b) - _stirling_tail(a))


@inlined
def log_rise(a: float, n: float, weight: float) -> float:
    """Logarithm of Γ(a + weight n)/Γ(a) for whole n ≥ 0, where each of n events counts as ``weight`` of one."""
    if weight != 1.0:
        return log_gamma_ratio(a, weight * n)
    return math.log(rising_product(a, n)) if n <= FEW_FACTORS else log_rising(a, n)


@kernel
def _fill_risings(a: FloatArray, n: FloatArray, values: FloatArray) -> None:
    for i in range(a.shape[0]):
        values[i] = log_rising(a[i], n[i])


@kernel
def _fill_ratios(a: FloatArray, n: FloatArray, values: FloatArray) -> None:
    for i in range(a.shape[0]):
        values[i] = log_gamma_ratio(a[i], n[i])


def log_risings(a: ArrayLike, n: ArrayLike) -> FloatArray:
    """:func:`log_rising` of arrays that broadcast against each other."""
    starts, lengths, values = _broadcast(a, n)
    _fill_risings(starts.ravel(), lengths.ravel(), values.ravel())
    return values


def log_gamma_ratios(a: ArrayLike, n: ArrayLike) -> FloatArray:
    """:func:`log_gamma_ratio` of arrays that broadcast against each other."""
    starts, lengths, values = _broadcast(a, n)
    _fill_ratios(starts.ravel(), lengths.ravel(), values.ravel())
    return values


def _broadcast(a: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return two arrays of one shape and one to fill, each in one piece of memory."""
    starts, lengths = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(n, dtype=np.float64))
    return np.array(starts, order="C"), np.array(lengths, order="C"), np.empty(starts.shape)


def factorial_table(largest: float) -> FloatArray:
    """Table of ln 0! … ln m!, for m up to the largest value or to ``MOST_FACTORIALS``."""
    return log_risings(1.0, np.arange(min(int(largest), MOST_FACTORIALS) + 1.0))


@inlined
def log_factorial(table: FloatArray, x: float) -> float:
    """Logarithm of x!, from the table if it is large enough."""
    return table[int(x)] if x < table.shape[0] else log_rising(1.0, x)
