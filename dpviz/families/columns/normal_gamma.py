"""The kernels' half of real columns whose mean and variance are unknown; the family has a state of its own as well."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray
from dpviz.families.columns.kinds import Kind, Pair, prior_numbers
from dpviz.families.columns.rising import log_gamma_ratios
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.verbs import SMALLEST_REMAINDER

HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)


def student_terms(family: NormalGamma, n: FloatArray, weight: float) -> FloatArray:
    """Return the part of a predictive that depends on the number n of cells alone, the same for all columns."""
    a, c = family.a0 + 0.5 * weight * n, family.c0 + n
    return np.asarray(log_gamma_ratios(a, 0.5 * weight) - weight * HALF_LOG_2PI + 0.5 * np.log(c / (c + 1)))


def _log_sizes(family: NormalGamma, n: FloatArray, weight: float) -> FloatArray:
    return len(family.m0) * student_terms(family, n, weight)


def _numbers(family: NormalGamma) -> FloatArray:
    return prior_numbers(family.m0, family.c0, family.a0, family.b0)


@inlined
def _size(state: Any, d: int, n: float) -> float:
    return state.student[int(n)]


@inlined
def _constant(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return state.shift[d] - 0.5 * state.weight * math.log(state.weight * rest)


@inlined
def _factor(state: Any, d: int, n: float, location: float, rest: float) -> float:
    c = state.prior[d, 1] + n
    return c / (c + 1.0) * 0.5 / rest


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    constant, factor = cached
    power = state.prior[d, 2] + 0.5 * state.weight * (n + 1.0)
    return constant - power * math.log1p((x - location) * (x - location) * factor), 1.0


@inlined
def _left_out(state: Any, x: float, d: int, n: float, location: float, rest: float, cached: Pair) -> Pair:
    delta, c = x - location, state.prior[d, 1] + n
    remainder = 1.0 - delta * delta * cached[1] * ((c + 1.0) / (c - 1.0))
    if not remainder > SMALLEST_REMAINDER:
        return math.nan, 1.0
    power = state.prior[d, 2] + 0.5 * state.weight * (n - 1.0)
    return cached[0] + power * math.log(remainder), 1.0


@inlined
def _with_cell(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    delta, c = x - location, state.prior[d, 1] + n
    return location + delta / (c + 1.0), rest + c * delta * delta / (2.0 * (c + 1.0))


@inlined
def _without_cell(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    delta, c = x - location, state.prior[d, 1] + n
    left = rest - (c + 1.0) * delta * delta / (2.0 * c)
    if not left > SMALLEST_REMAINDER * rest:
        return math.nan, math.nan
    return location - delta / c, left


@inlined
def _empty(state: Any, d: int) -> Pair:
    return state.prior[d, 0], state.prior[d, 3]


@inlined
def _settled(state: Any, d: int, n: float, mean: float, scatter: float) -> Pair:
    m0, c0 = state.prior[d, 0], state.prior[d, 1]
    distance = mean - m0
    rest = scatter + (state.prior[d, 3] + c0 * n * distance * distance / (2.0 * (c0 + n)))
    return m0 + distance * (n / (n + c0)), rest


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    n, weight, c0, a0 = state.n_cells[d, k], state.weight, state.prior[d, 1], state.prior[d, 2]
    constant = state.gamma[int(n)] - weight * n * HALF_LOG_2PI + 0.5 * math.log(c0 / (c0 + n))
    powers = a0 * math.log(weight * state.prior[d, 3]) - (a0 + 0.5 * weight * n) * math.log(weight * state.rest[d, k])
    return constant + powers


NORMAL_GAMMA = Kind(
    families=(NormalGamma,),
    numbers=_numbers,
    log_sizes=_log_sizes,
    spreads=("c0", "b0"),
    is_student=True,
    scattered=True,
    size=_size,
    constant=_constant,
    factor=_factor,
    cell=_cell,
    left_out=_left_out,
    with_cell=_with_cell,
    without_cell=_without_cell,
    empty=_empty,
    settled=_settled,
    log_marginal=_log_marginal,
)
