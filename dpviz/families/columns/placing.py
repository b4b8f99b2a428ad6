"""A table of columns as one array of numbers, and its state from these, for places without Python.

All that data choose is chosen when the numbers are written, but for the width of clusters. There is no place in them
for columns of a full covariance, parts of a whole, gaps, or powers of the likelihood.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np

from dpviz._jit import implements, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.columns.normal_gamma import HALF_LOG_2PI
from dpviz.families.columns.rising import log_gamma_ratio
from dpviz.families.columns.state import ColumnsState, log_sizes
from dpviz.families.columns.verbs import log_marginal_of_all  # noqa: F401  (the state comes with its verbs)
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.gaussian.normal_wishart import (
    NormalWishartPrior,
    NormalWishartState,
    NormalWishartTables,
    normal_wishart_state,
)
from dpviz.families.gaussian.placing import Affine, Given, Placed, dividing, placed
from dpviz.families.mixed import Mixed, MixedWorkingData

HEAD = ("log_jacobian", "n_columns", "n_values", "n_factorials", "complete", "has_own_terms", "c0", "a0")
LOG_JACOBIAN, N_COLUMNS, N_VALUES, N_FACTORIALS, COMPLETE, HAS_OWN_TERMS, C0, A0 = range(len(HEAD))
N_HEAD = len(HEAD)
"""The first of the numbers."""


class Columns(NamedTuple):
    """A table as :func:`column_numbers` has it, in the place of a family: its type tells ``placed`` what it is."""

    numbers: FloatArray


def column_numbers(working: MixedWorkingData) -> FloatArray:
    """Write working data and the model of a mixed table as numbers.

    Parameters
    ----------
    working : MixedWorkingData
        Of complete rows, with the usual hyperparameters at width 1.

    Returns
    -------
    ndarray
        ``HEAD``; the working data (N, W); of each of the W columns the kind, and whether it is real (Student), is
        scattered, has an own term and ends a product; hyperparameters (W, 4); where the rows of values begin (W + 1);
        their weights; ln 0!, ln 1!, …; and by size (N + 1) the sum of what depends on that alone, but for real columns.
    """
    X, family = working.X, cast(Mixed, working.family)
    (blocks, full), state = family.apart(), family.bind(X, 1)
    assert full is None and state.n_placed == state.n_columns == X.shape[1], "only columns of their own"
    head = (
        *(working.log_jacobian, state.n_free, len(state.row_weight), len(state.factorials)),
        *(state.complete, state.has_own_terms, state.c0, state.a0),
    )
    of_columns = (state.kinds, state.is_student, state.scattered, state.has_own_term, state.last)
    others = [block for block in blocks if not isinstance(block, NormalGamma)]
    tables = (state.prior, state.first, state.row_weight, state.factorials, log_sizes(others, len(X), 1.0))
    return np.concatenate([np.ravel(part).astype(np.float64) for part in (head, X, *of_columns, *tables)])


@kernel
def _next(numbers: FloatArray, at: IntArray, length: int) -> FloatArray:
    """Return so many numbers, and go on behind them."""
    at[0] += length
    return numbers[at[0] - length : at[0]].copy()


@kernel
def _no_full_covariance() -> NormalWishartState:
    """Return what stands for columns of a full covariance, of which no verb asks."""
    none = np.zeros(1)
    return normal_wishart_state(
        NormalWishartPrior(none, 1.0, 1.0, np.eye(1)), NormalWishartTables(none, 0.0, none, none, none), 1
    )


@implements(dividing, ColumnsState)
def _dividing(state: Any, X: FloatArray, points: FloatArray) -> FloatArray:
    return points


@implements(placed, Columns)
def _placed(family: Any, X: FloatArray, given: Given, capacity: int) -> Placed:
    """Place the table, whose points have coordinates ``X`` (N, C); of what is given the width counts."""
    numbers, at, n_points = family.numbers, np.full(1, N_HEAD), X.shape[0]
    n_columns, complete = int(numbers[N_COLUMNS]), numbers[COMPLETE] != 0.0
    own = _next(numbers, at, n_points * n_columns).reshape((n_points, n_columns))
    kinds = _next(numbers, at, n_columns).astype(np.int64)
    is_student, scattered = _next(numbers, at, n_columns) != 0.0, _next(numbers, at, n_columns) != 0.0
    has_own_term, last = _next(numbers, at, n_columns) != 0.0, _next(numbers, at, n_columns) != 0.0
    prior = _next(numbers, at, 4 * n_columns).reshape((n_columns, 4))
    first = _next(numbers, at, n_columns + 1).astype(np.int64)
    row_weight = _next(numbers, at, int(numbers[N_VALUES]))
    factorials = _next(numbers, at, int(numbers[N_FACTORIALS]))
    by_size = _next(numbers, at, n_points + 1)
    for d in range(n_columns):
        if scattered[d]:  # these have a width, which is in c0 and b0
            prior[d, 1] *= given.share
            prior[d, 3] *= given.share
    a0, c0, student, gamma = numbers[A0], numbers[C0] * given.share, np.zeros(n_points + 1), np.zeros(n_points + 1)
    n_students = np.count_nonzero(is_student)
    for n in range(n_points + 1 if n_students > 0 else 0):
        gamma[n] = log_gamma_ratio(a0, 0.5 * n)
        student[n] = log_gamma_ratio(a0 + 0.5 * n, 0.5) - HALF_LOG_2PI + 0.5 * math.log((c0 + n) / (c0 + n + 1.0))
        by_size[n] += n_students * student[n]
    shape, no_table, has_students = (n_columns, capacity), np.zeros(1), bool(complete and n_students > 0)
    values, left_out = np.zeros((row_weight.shape[0], capacity)), np.zeros((0 if complete else n_columns, capacity))
    state = ColumnsState(
        1.0,
        complete,
        a0,
        c0,
        has_students,
        numbers[HAS_OWN_TERMS] != 0.0,
        n_columns,
        n_columns,
        n_columns,
        kinds,
        is_student,
        scattered,
        has_own_term,
        prior,
        np.zeros(n_columns),
        last,
        first,
        row_weight,
        factorials,
        by_size,
        student,
        gamma,
        no_table,
        no_table,
        np.zeros(shape),
        np.zeros(shape),
        np.zeros(shape),
        values,
        values.copy(),
        np.zeros(shape),
        np.zeros(shape),
        left_out,
        np.zeros(capacity),
        _no_full_covariance(),
    )
    return Placed(state, own, numbers[LOG_JACOBIAN], Affine(no_table, np.eye(1), np.eye(1)))
