"""The kernels' half of real columns of known variance; the families have states of their own as well."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray
from dpviz.families.columns.kinds import Kind, Pair, prior_numbers
from dpviz.families.columns.normal_gamma import HALF_LOG_2PI
from dpviz.families.gaussian.known_covariance import KnownCovarianceFamily, NormalKnownCovariance, SphericalNormal

# A power of a normal density is one of another variance, but for a constant: its prior and shift say all of it.


def _numbers(family: KnownCovarianceFamily) -> FloatArray:
    """Return μ0, σ0² and σ̂² of each column."""
    return prior_numbers(family.mu0, np.diagonal(family.prior_covariance()), np.diagonal(family.known_covariance()))


@inlined
def _variance(state: Any, d: int, n: float) -> float:
    """Variance of one more cell, given n."""
    return state.prior[d, 2] + 1.0 / (1.0 / state.prior[d, 1] + n / state.prior[d, 2])


@inlined
def _constant(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return state.shift[d] - HALF_LOG_2PI - 0.5 * math.log(_variance(state, d, n))


@inlined
def _factor(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return 0.5 / _variance(state, d, n)


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    constant, factor = cached
    return constant - (x - location) * (x - location) * factor, 1.0


@inlined
def _with_cell(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    return location + (x - location) / (state.prior[d, 2] / state.prior[d, 1] + n + 1.0), rest


@inlined
def _without_cell(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    return location - (x - location) / (state.prior[d, 2] / state.prior[d, 1] + n), rest


@inlined
def _empty(state: Any, d: int) -> Pair:
    return state.prior[d, 0], 0.0


@inlined
def _settled(state: Any, d: int, n: float, mean: float, scatter: float) -> Pair:
    worth = state.prior[d, 2] / state.prior[d, 1]  # weight of the prior in cells
    distance = mean - state.prior[d, 0]
    spread = scatter + 0.5 * distance * distance * (n * worth / (n + worth))
    return state.prior[d, 0] + distance * (n / (n + worth)), spread / state.prior[d, 2]


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    n, known = state.n_cells[d, k], state.prior[d, 2]
    constant = -n * (HALF_LOG_2PI + 0.5 * math.log(known)) - 0.5 * math.log1p(n * state.prior[d, 1] / known)
    return constant - state.rest[d, k]


KNOWN_VARIANCE = Kind(
    families=(SphericalNormal, NormalKnownCovariance),
    numbers=_numbers,
    scattered=True,
    constant=_constant,
    factor=_factor,
    cell=_cell,
    with_cell=_with_cell,
    without_cell=_without_cell,
    empty=_empty,
    settled=_settled,
    log_marginal=_log_marginal,
)
