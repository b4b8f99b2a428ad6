"""Ratios of gamma functions Γ(a + n)/Γ(a), of which rising factorials are those with whole n."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz._jit import kernel
from dpviz.arrays import FloatArray
from dpviz.families.columns import STIRLING_FROM, _stirling_tail


@kernel
def log_gamma_ratio(a: float, n: float) -> float:
    """Logarithm of Γ(a + n)/Γ(a), for a > 0 and any n ≥ 0.

    As of :func:`~dpviz.families.columns.log_rising` for whole n, no part of it cancels; small a are moved up first.
    """
    product = 1.0
    while a < STIRLING_FROM:
        product *= a / (a + n)
        a += 1.0
    b = a + n
    whole = (a - 0.5) * math.log1p(n / a) + n * (math.log(b) - 1.0)
    return math.log(product) + whole + (_stirling_tail(b) - _stirling_tail(a))


@kernel
def _fill(a: FloatArray, n: FloatArray, values: FloatArray) -> None:
    for i in range(a.shape[0]):
        values[i] = log_gamma_ratio(a[i], n[i])


def log_gamma_ratios(a: ArrayLike, n: ArrayLike) -> FloatArray:
    """:func:`log_gamma_ratio` of arrays that broadcast against each other."""
    starts, lengths = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(n, dtype=np.float64))
    values = np.empty(starts.size)
    _fill(np.array(starts).ravel(), np.array(lengths).ravel(), values)
    return values.reshape(starts.shape)
