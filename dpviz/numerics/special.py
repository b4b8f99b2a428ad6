"""The logarithm of the gamma function, compiled."""

from __future__ import annotations

import math

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray

ONE_MINUS_EULER = 0.42278433509846713
TAYLOR = (
    0.3224670334241132, -0.0673523010531981, 0.020580808427784546, -0.007385551028673986, 0.0028905103307415234,
    -0.001192753911703261, 0.0005096695247430425, -0.00022315475845357939, 9.945751278180853e-05,
    -4.492623673813314e-05, 2.050721277567069e-05, -9.439488275268397e-06, 4.374866789907488e-06,
    -2.039215753801366e-06, 9.55141213040742e-07, -4.492469198764566e-07, 2.1207184805554665e-07,
    -1.0043224823968099e-07, 4.7698101693639804e-08, -2.2711094608943164e-08, 1.0838659214896955e-08,
    -5.183475041970047e-09, 2.4836745438024785e-09, -1.1921401405860912e-09, 5.731367241678862e-10,
    -2.7595228851242334e-10, 1.330476437424449e-10, -6.4229645638381e-11,
)  # fmt: skip
"""(−1)^k (ζ(k) − 1) / k for k = 2 … 29: coefficients of ln Γ(2 + z) beyond z (1 − γ)."""
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
"""B_2k / (2k (2k − 1)): coefficients of x^(1 − 2k) in Stirling's series."""
HALF_LOG_2PI_LESS_HALF = 0.5 * math.log(2 * math.pi) - 0.5
LARGE = 12.0
"""From here on Stirling's series is exact to the last digit."""


@kernel
def _beside_two(z: float) -> float:
    """Return ln Γ(2 + z) for |z| ≤ ½."""
    total = 0.0
    for j in range(len(TAYLOR) - 1, -1, -1):
        total = TAYLOR[j] + z * total
    return z * (ONE_MINUS_EULER + z * total)


@kernel
def log_gamma(x: float) -> float:
    """Return ln Γ(x) for x > 0, NaN elsewhere: to 2.5 units in the last place, or to 1e-16 beside its minimum.

    About 2 it is a Taylor series, which keeps its relative precision at the zeros at 1 and 2; Γ(x + 1) = x Γ(x) leads
    there, and beyond 12 it is Stirling's series.
    """
    if not x > 0.0:
        return math.nan
    if x < 0.5:
        return _beside_two(x) - math.log1p(x) - math.log(x)
    if x < 1.5:
        return _beside_two(x - 1.0) - math.log1p(x - 1.0)
    if x < LARGE:
        product = 1.0
        while x >= 2.5:
            x -= 1.0
            product *= x
        return _beside_two(x - 2.0) + math.log(product)
    if x == math.inf:
        return x
    total, inverse = 0.0, 1.0 / x
    square = inverse * inverse
    for j in range(len(STIRLING) - 1, -1, -1):
        total = STIRLING[j] + square * total
    return (x - 0.5) * (math.log(x) - 1.0) + (HALF_LOG_2PI_LESS_HALF + inverse * total)


@kernel
def log_gammas(x: FloatArray) -> FloatArray:
    """Return ln Γ of every entry (n,)."""
    values = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        values[i] = log_gamma(x[i])
    return values


@kernel
def multivariate_log_gamma(x: float, order: int) -> float:
    """Return ln Γ_p(x), p the order: p (p − 1)/4 · ln π + Σ_j ln Γ(x − j/2), j = 0 … p − 1."""
    total = 0.25 * order * (order - 1) * math.log(math.pi)
    for j in range(order):
        total += log_gamma(x - 0.5 * j)
    return total


@kernel
def trigamma(x: float) -> float:
    """Return ψ′(x), the second derivative of ln Γ, for x > 0: ψ′(x) = ψ′(x + 1) + 1/x², and Stirling's series."""
    total = 0.0
    while x < LARGE:
        total += 1.0 / (x * x)
        x += 1.0
    inverse, square, series = 1.0 / x, 1.0 / (x * x), 0.0
    for j in range(len(STIRLING) - 1, -1, -1):
        series = (2 * j + 1) * (2 * j + 2) * STIRLING[j] + square * series
    return total + inverse + 0.5 * square + inverse * square * series
