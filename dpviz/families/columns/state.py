"""The kernels' state of a table of columns, of any kinds, with gaps or without, each point counting as a part of one.

Columns are independent given the cluster but for those that share a full covariance, which come last. A missing cell
adds nothing to the predictive and nothing to the statistics, so each column of a cluster has a count of its own. Of
some kinds, as of words in documents, rows list the cells that say anything, behind all columns, and no others are seen.

The likelihood may be taken to a power ζ, the weight: each point then counts as a part ζ of a point (FORMULAS §7). That
needs no statistics of its own: with the spreads of the prior divided by ζ, those of whole points are the coarsened ones
divided by ζ. All tables share this one type, whatever their columns hold, and compile nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.errors import MemoryLimitError
from dpviz.families.base import Family
from dpviz.families.columns.kinds import KINDS, Kind, code_of, no_own_term
from dpviz.families.columns.normal_gamma import student_terms
from dpviz.families.columns.rising import factorial_table, log_gamma_ratios
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.gaussian.normal_wishart import LOG_PI, NormalWishart, NormalWishartState
from dpviz.families.verbs import SLOT_FIELDS, SLOT_LAST_FIELDS

MOST_COUNTS = 125_000_000
"""Most chances of values, over all clusters, with as many counts beside them."""
MOST_DECADES = 200.0
"""How far a product of chances may fall between two checks."""
_NO_FULL = NormalWishart(np.zeros(1), 1.0, 1.0, np.eye(1))
_NO_CELLS = np.zeros((1, 1))
"""Stand for columns of a full covariance where there are none; no verb touches their state."""


class ColumnsState(NamedTuple):
    """Kind and prior of each column, and per column and slot the number of cells and their statistics.

    Attributes
    ----------
    weight : float
        ζ, of each point in the likelihood.
    complete : bool
        Whether no cell can be missing, so that each column has as many cells in a slot as this has points.
    a0, c0 : float
        Shape and weight of all Student columns' prior.
    has_students : bool
        Whether there are any, and the state is complete, so that they have one power.
    has_own_terms : bool
        Whether any column has.
    n_free, n_placed, n_columns : int
        How many columns are independent, how many of these have a place in every row, as the first ones do, and how
        many have one at all. Listed cells follow.
    kinds : ndarray of int (n_free,)
        Codes of :data:`~dpviz.families.columns.kinds.KINDS`.
    is_student, scattered, has_own_term : ndarray of bool (n_free,)
        What their kinds say of them.
    prior, shift : ndarray (n_free, 4), (n_free,)
        Hyperparameters, and what a cell's log predictive gains in the units of the data (nats).
    last : ndarray of bool (n_free,)
        After which columns a product of chances must be looked at.
    first, row_weight : ndarray
        Where the rows of each column's values begin, (n_free + 1,), and the weights of the values.
    factorials : ndarray
        ln 0!, ln 1!, ….
    by_size : ndarray (N + 1,)
        Sum of all that depends on a slot's size alone (nats), if the state is complete.
    student, gamma : ndarray
        Parts of normal–gamma predictives and marginals that depend on the number of cells alone.
    full_predictive, full_marginal : ndarray
        The same of the columns of full covariance.
    n_cells, location, rest : ndarray (n_free, slots)
        Statistics.
    seen, chance : ndarray (rows, slots)
        How often a slot has seen each value, and the value's chance, but for the factor.
    constant, factor, left_out : ndarray (n_free, slots)
        Parts of a cell's predictive that do not depend on the cell; the factor of chances with one cell
        less, which complete states have in a table.
    student_constant : ndarray (slots,)
        Sum of the constants of Student columns.
    full : NormalWishartState
        Of the columns of full covariance.
    """

    weight: float
    complete: bool
    a0: float
    c0: float
    has_students: bool
    has_own_terms: bool
    n_free: int
    n_placed: int
    n_columns: int
    kinds: IntArray
    is_student: BoolArray
    scattered: BoolArray
    has_own_term: BoolArray
    prior: FloatArray
    shift: FloatArray
    last: BoolArray
    first: IntArray
    row_weight: FloatArray
    factorials: FloatArray
    by_size: FloatArray
    student: FloatArray
    gamma: FloatArray
    full_predictive: FloatArray
    full_marginal: FloatArray
    n_cells: FloatArray
    location: FloatArray
    rest: FloatArray
    seen: FloatArray
    chance: FloatArray
    constant: FloatArray
    factor: FloatArray
    left_out: FloatArray
    student_constant: FloatArray
    full: NormalWishartState


SLOT_FIELDS[ColumnsState] = ("full",)
SLOT_LAST_FIELDS[ColumnsState] = (
    "n_cells", "location", "rest", "seen", "chance", "constant", "factor", "left_out", "student_constant",
)  # fmt: skip


def bind_columns(
    blocks: Sequence[Family],
    X: FloatArray,
    capacity: int,
    *,
    complete: bool = True,
    shift: FloatArray | None = None,
    full: NormalWishart | None = None,
    weight: float = 1.0,
) -> ColumnsState:
    """Allocate a state and fill the tables of what depends on numbers of cells alone.

    Parameters
    ----------
    blocks : sequence of Family
        Of the independent columns of X (N, D), which come first, each of one or more of them in turn.
    X : ndarray (N, C)
        Working data, with NaN where cells are missing, and listed cells behind all columns.
    capacity : int
        How many slots.
    complete : bool
        Whether no cell of these points or of others is missing.
    shift : ndarray (n_free,), optional
        Added to the log predictive of each column's cells (nats).
    full : NormalWishart, optional
        Of the other columns.
    weight : float
        ζ; the priors' spreads are divided by it.

    Raises
    ------
    MemoryLimitError
        If the counts of categories take too much memory.
    """
    blocks, shift, complete = _with_those_beside(blocks, shift, complete)
    numbers, rows, decades, codes = [np.zeros((0, 4))], list[FloatArray](), [np.zeros(0)], list[int]()
    for block in blocks:
        kind = _kind(block)
        numbers.append(kind.numbers(block))
        none = np.zeros(len(numbers[-1]))
        rows += kind.rows(block) if kind.rows else [none[:0] for _ in none]
        decades.append(kind.decades(block, len(X)) if kind.decades else none)
        codes += [KINDS.index(kind)] * len(none)
    kinds = np.array(codes, dtype=np.int64)
    n_free, prior = len(kinds), np.concatenate(numbers)
    own_kinds = [KINDS[code] for code in kinds]
    n_placed = n_free - sum(kind.listed for kind in own_kinds)
    n_columns = n_placed + (len(full.m0) if full else 0)
    first = np.cumsum([0, *map(len, rows)])
    _check_counts_kept(capacity, int(first[-1]))
    own, shape = np.ascontiguousarray(X[:, n_placed:n_columns]) if full else _NO_CELLS, (n_free, capacity)
    bound = (full or _NO_FULL).bind(own, capacity)
    predictive, marginal = _full_tables(full, bound, len(X), weight)
    normal = next((block for block in blocks if isinstance(block, NormalGamma)), None)
    student, gamma = _normal_gamma_tables(normal, len(X), weight)
    return ColumnsState(
        weight=float(weight),
        complete=complete,
        a0=float(normal.a0) if normal else 0.0,
        c0=float(normal.c0) if normal else 0.0,
        has_students=complete and any(kind.is_student for kind in own_kinds),
        has_own_terms=any(kind.own_term is not no_own_term for kind in own_kinds),
        n_free=n_free,
        n_placed=n_placed,
        n_columns=n_columns,
        kinds=kinds,
        is_student=np.array([kind.is_student for kind in own_kinds], dtype=np.bool_),
        scattered=np.array([kind.scattered for kind in own_kinds], dtype=np.bool_),
        has_own_term=np.array([kind.own_term is not no_own_term for kind in own_kinds], dtype=np.bool_),
        prior=prior,
        shift=np.zeros(n_free) if shift is None else np.array(shift, dtype=np.float64),
        last=_last_of_product(np.concatenate(decades)),
        first=first,
        row_weight=np.concatenate([np.zeros(0), *rows]),
        factorials=factorial_table(_largest_factorial(X, own_kinds, prior, n_columns)),
        by_size=log_sizes(blocks, len(X), weight) if complete else np.zeros(1),
        student=student,
        gamma=gamma,
        full_predictive=predictive,
        full_marginal=marginal,
        n_cells=np.zeros(shape),
        location=np.zeros(shape),
        rest=np.zeros(shape),
        seen=np.zeros((int(first[-1]), capacity)),
        chance=np.zeros((int(first[-1]), capacity)),
        constant=np.zeros(shape),
        factor=np.zeros(shape),
        left_out=np.zeros((0 if complete else n_free, capacity)),
        student_constant=np.zeros(capacity),
        full=bound,
    )


def sums_of(state: Any, n_slots: int) -> FloatArray:
    """Return what the cells of the first slots add up to (n_slots, n_free), each counted as the state counts it."""
    return np.asarray(state.weight * state.location[:, :n_slots].T)


def _with_those_beside(
    blocks: Sequence[Family], shift: FloatArray | None, complete: bool
) -> tuple[list[Family], FloatArray | None, bool]:
    """Add the columns that stand beside those of some kinds, which have no shift but leave gaps in either."""
    found, shifts, first = list[Family](), [np.zeros(0)], 0
    for block in blocks:
        kind = _kind(block)
        own = len(kind.numbers(block))
        found.append(block)
        shifts.append(np.zeros(own) if shift is None else shift[first : first + own])
        for beside in kind.beside(block) if kind.beside is not None else ():
            found.append(beside)
            shifts.append(np.zeros(own))
        first += own
    return found, None if shift is None else np.concatenate(shifts), complete and len(found) == len(blocks)


def _kind(block: Family) -> Kind:
    code = code_of(block)
    assert code is not None, f"{block.name} is no kind of column"
    return KINDS[code]


def _check_counts_kept(capacity: int, n_values: int) -> None:
    """Raise MemoryLimitError if this many clusters, with this many values in all columns, need too much memory."""
    if capacity * n_values > MOST_COUNTS:
        raise MemoryLimitError(
            f"{capacity:,} clusters of {n_values:,} categories need {capacity * n_values / 6.25e7:.1f} GB; "
            "start with fewer clusters, or drop columns of many categories."
        )


def _last_of_product(decades: FloatArray) -> BoolArray:
    """Return after which columns a product of chances, which each may change it so much (D,), must be looked at."""
    last, since = np.ones(len(decades), dtype=np.bool_), 0.0
    for d in range(len(decades) - 1):
        since += decades[d]
        last[d] = since + decades[d + 1] > MOST_DECADES
        since = 0.0 if last[d] else since
    return last


def log_sizes(blocks: Sequence[Family], n_points: int, weight: float) -> FloatArray:
    """Sum what depends on a slot's size alone, by that (N + 1,), nats."""
    n, total = np.arange(n_points + 1.0), np.zeros(n_points + 1)
    for block in blocks:
        of_kind = _kind(block).log_sizes
        if of_kind is not None:
            total += of_kind(block, n, weight)
    return total


def _largest_factorial(X: FloatArray, kinds: Sequence[Kind], prior: FloatArray, n_columns: int) -> float:
    """Return the largest count whose ln x! is looked up, or number of trials; of listed cells no less than that."""
    counts = [d for d, kind in enumerate(kinds) if kind.has_factorials]
    cells = X[:, [d for d in counts if not kinds[d].listed]]
    largest = np.max(cells, initial=np.max(X[:, n_columns:], initial=1.0), where=~np.isnan(cells))
    return float(np.max(prior[counts, 2], initial=largest))


def _normal_gamma_tables(normal: NormalGamma | None, n_points: int, weight: float) -> tuple[FloatArray, FloatArray]:
    """Tables by the number of cells, which all normal–gamma columns share since they share c0 and a0."""
    if normal is None:
        return np.zeros(1), np.zeros(1)
    n = np.arange(n_points + 1.0)
    return student_terms(normal, n, weight), log_gamma_ratios(normal.a0, 0.5 * weight * n)


def _full_tables(
    full: NormalWishart | None, bound: NormalWishartState, n_points: int, weight: float
) -> tuple[FloatArray, FloatArray]:
    """Tables by the cluster's size, of columns that share a covariance; ln|Ψ/ζ| stands for ln|Ψ|."""
    if full is None or weight == 1.0:
        return bound.predictive_constant, bound.marginal_constant
    n, n_features = np.arange(n_points + 1), len(full.m0)
    a, c, log_unit = full.a0 + weight * n, full.c0 + n, n_features * math.log(weight)
    j = np.arange(n_features)
    predictive = log_gamma_ratios(0.5 * (a[:, None] - j), 0.5 * weight).sum(axis=1)
    predictive += 0.5 * (n_features * np.log(c / (c + 1)) - weight * (n_features * LOG_PI + log_unit))
    marginal = log_gamma_ratios(0.5 * (full.a0 - j), 0.5 * weight * n[:, None]).sum(axis=1)
    marginal += 0.5 * (n_features * np.log(full.c0 / c) - weight * n * (n_features * LOG_PI + log_unit))
    return predictive, marginal + 0.5 * full.a0 * float(np.linalg.slogdet(full.psi0)[1])
