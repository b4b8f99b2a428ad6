"""The verbs of a table of columns: loops over its columns, which ask each for its kind's own functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, cast

from dpviz._jit import borrowed, implements, inlined, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.columns.binomial import BINOMIAL
from dpviz.families.columns.categorical import CATEGORICAL
from dpviz.families.columns.circular import CIRCULAR
from dpviz.families.columns.exponential import EXPONENTIAL
from dpviz.families.columns.geometric import GEOMETRIC
from dpviz.families.columns.hurdle import HURDLE
from dpviz.families.columns.kinds import KINDS, Pair
from dpviz.families.columns.known_variance import KNOWN_VARIANCE
from dpviz.families.columns.multinomial import MULTINOMIAL
from dpviz.families.columns.negative_binomial import NEGATIVE_BINOMIAL
from dpviz.families.columns.normal_gamma import NORMAL_GAMMA
from dpviz.families.columns.poisson import POISSON
from dpviz.families.columns.share import SHARE, WHOLES
from dpviz.families.columns.state import ColumnsState
from dpviz.families.gaussian.normal_wishart import _squared_distance
from dpviz.families.gaussian.scoring import keep_scored
from dpviz.families.verbs import (
    SMALLEST_REMAINDER,
    Candidates,
    OpenSlots,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
    score_open_slots,
)

KINDS[:] = [
    NORMAL_GAMMA, KNOWN_VARIANCE, EXPONENTIAL, POISSON, GEOMETRIC, BINOMIAL, CATEGORICAL, NEGATIVE_BINOMIAL,
    CIRCULAR, HURDLE, SHARE, WHOLES, MULTINOMIAL,
]  # fmt: skip

LARGEST_FACTOR = 1e100
"""Factors are multiplied up to here, or to its inverse, before a logarithm is taken: one for many columns."""


def _by_kind(verb: str, functions: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Compile a function that asks a column's kind: a chain of comparisons with the codes, the usual answer last."""
    arguments = ", ".join(inspect.signature(functions[0]).parameters)
    usual = max(range(len(functions)), key=lambda code: functions.count(functions[code]))
    lines = [f"def {verb}({arguments}):", "    kind = state.kinds[d]"]
    for code, alike in _alike(functions):
        if functions[code] is not functions[usual]:
            lines += [f"    if {alike}:", f"        return kind_{code}({arguments})"]
    lines.append(f"    return kind_{usual}({arguments})")
    return _compiled(verb, lines, functions)


def _in_slots(verb: str, functions: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Compile a loop over slots for each kind, that adds what a cell is worth in each to the last rows of ``work``."""
    lines = [
        f"def {verb}(state, x, d, n_slots, work):",
        "    kind, total, product = state.kinds[d], work.shape[0] - 2, work.shape[0] - 1",
        "    n_cells, location, constant, factor = state.n_cells, state.location, state.constant, state.factor",
    ]
    for code, alike in _alike(functions):
        lines += [
            f"    if {alike}:",
            "        for k in range(n_slots):",
            f"            log, times = kind_{code}(",
            "                state, x, d, n_cells[d, k], location[d, k], (constant[d, k], factor[d, k])",
            "            )",
            "            work[total, k] += log",
            "            work[product, k] *= times",
            "        return",
        ]
    return _compiled(verb, lines, functions)


def _alike(functions: list[Callable[..., Any]]) -> list[tuple[int, str]]:
    """Return the first code of each function, and the condition for all kinds that have this: it is compiled once."""
    codes = {function: [code for code, own in enumerate(functions) if own is function] for function in functions}
    return [(own[0], " or ".join(f"kind == {code}" for code in own)) for own in codes.values()]


def _compiled(verb: str, lines: list[str], functions: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Compile the text of a function in which the kinds' own are called ``kind_0``, ``kind_1`` and so on."""
    names: dict[str, Any] = {f"kind_{code}": function for code, function in enumerate(functions)}
    names["__name__"] = __name__
    exec(compile("\n".join(lines), __file__, "exec"), names)
    return cast(Callable[..., Any], inlined(names[verb]))


_size = _by_kind("size", [kind.size for kind in KINDS])
_constant = _by_kind("constant", [kind.constant for kind in KINDS])
_factor = _by_kind("factor", [kind.factor for kind in KINDS])
_cell = _by_kind("cell", [kind.cell for kind in KINDS])
_cell_in_slots = _in_slots("cell_in_slots", [kind.cell for kind in KINDS])
_with_cell = _by_kind("with_cell", [kind.with_cell for kind in KINDS])
_without_cell = _by_kind("without_cell", [kind.without_cell for kind in KINDS])
_empty = _by_kind("empty", [kind.empty for kind in KINDS])
_own_term = _by_kind("own_term", [kind.own_term for kind in KINDS])
_settled = _by_kind("settled", [kind.settled for kind in KINDS])
_log_marginal_of_cells = _by_kind("log_marginal", [kind.log_marginal for kind in KINDS])
_chance = _by_kind("chance", [kind.chance for kind in KINDS])
_fill_rows = _by_kind("fill_rows", [kind.fill_rows for kind in KINDS])


@inlined
def _left_out_of_sums(state: Any, x: float, d: int, n: float, location: float, rest: float, cached: Pair) -> Pair:
    """Take the cell out of the statistics, which loses no digits, and score it."""
    location, rest = _without_cell(state, x, d, n - 1.0, location, rest)
    cached = (_constant(state, d, n - 1.0, location, rest), _factor(state, d, n - 1.0, location, rest))
    return _cell(state, x, d, n - 1.0, location, cached)


_left_out = _by_kind("left_out", [kind.left_out or _left_out_of_sums for kind in KINDS])


# --- the cells of a row -----------------------------------------------------------------------------------------------


@inlined
def n_cells_of(state: Any, X: FloatArray, i: int) -> int:
    """Return how many independent cells row i has, listed ones with a value other than 0."""
    return state.n_placed + (int(X[i, state.n_columns]) if state.n_placed < state.n_free else 0)


@inlined
def cell_of(state: Any, X: FloatArray, i: int, cell: int) -> tuple[int, float]:
    """Return the column and the value of a row's cell, by its position among those of the row."""
    if cell < state.n_placed:
        return cell, X[i, cell]
    place = state.n_columns + 1 + 2 * (cell - state.n_placed)
    return state.n_placed + int(X[i, place]), X[i, place + 1]


# --- statistics -------------------------------------------------------------------------------------------------------


@inlined
def _size_of(state: Any, d: int, n: float) -> float:
    """Part of a cell's log predictive that depends on the number n of others alone, unless this is in a table."""
    return 0.0 if state.complete else _size(state, d, n)


@inlined
def _refresh(state: Any, k: int, d: int, x: float) -> None:
    """Recompute what predictives of a column need; of chances, those that a cell of value x changed, or all (−1)."""
    n, location, rest = state.n_cells[d, k], state.location[d, k], state.rest[d, k]
    if state.first[d] < state.first[d + 1]:
        _fill_rows(state, x, d, k)
        if not state.complete:
            state.factor[d, k] = _factor(state, d, n, location, rest)
            state.left_out[d, k] = _factor(state, d, max(n - 1.0, 0.0), location, rest)
    else:
        state.constant[d, k] = _constant(state, d, n, location, rest) + _size_of(state, d, n)
        state.factor[d, k] = _factor(state, d, n, location, rest)


@inlined
def _refresh_slot(state: Any, k: int) -> None:
    """Recompute what predictives of all columns need together."""
    if state.has_students:
        total = 0.0
        for d in range(state.n_free):
            if state.is_student[d]:
                total += state.constant[d, k]
        state.student_constant[k] = total


@implements(clear_slot, ColumnsState)
def _clear_slot(state: Any, k: int) -> None:
    state = borrowed(state)
    for row in range(state.seen.shape[0]):
        state.seen[row, k] = 0.0
    for d in range(state.n_free):
        state.n_cells[d, k] = 0.0
        state.location[d, k], state.rest[d, k] = _empty(state, d)
        _refresh(state, k, d, -1.0)
    _refresh_slot(state, k)
    if state.n_placed < state.n_columns:
        clear_slot(state.full, k)


@implements(add_point, ColumnsState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    state, X = borrowed((state, X))
    for cell in range(n_cells_of(state, X, i)):
        d, x = cell_of(state, X, i, cell)
        if not math.isnan(x):
            own = state.n_cells[d, k], state.location[d, k], state.rest[d, k]
            state.location[d, k], state.rest[d, k] = _with_cell(state, x, d, *own)
            _count(state, x, d, k, 1.0)
    _refresh_slot(state, k)
    if state.n_placed < state.n_columns:
        return add_point(state.full, X[:, state.n_placed : state.n_columns], i, k, n)
    return True


@inlined
def _count(state: Any, x: float, d: int, k: int, step: float) -> None:
    """Count one cell more or less, whose statistics are right already."""
    state.n_cells[d, k] += step
    if state.first[d] < state.first[d + 1]:
        state.seen[state.first[d] + int(x), k] += step
    _refresh(state, k, d, x)


@implements(remove_point, ColumnsState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    state, X = borrowed((state, X))
    for cell in range(n_cells_of(state, X, i)):
        d, x = cell_of(state, X, i, cell)
        if not math.isnan(x):
            location, rest = _others(state, x, d, k)
            if math.isnan(location):
                return False  # the slot is rebuilt, with all that was taken out before
            state.location[d, k], state.rest[d, k] = location, rest
            _count(state, x, d, k, -1.0)
    _refresh_slot(state, k)
    if state.n_placed < state.n_columns:
        return remove_point(state.full, X[:, state.n_placed : state.n_columns], i, k, n)
    return True


@inlined
def _others(state: Any, x: float, d: int, k: int) -> Pair:
    """Statistics of a slot's cells but for one of value x; without others they are the prior, without rounding."""
    n = state.n_cells[d, k] - 1.0
    if n == 0.0:
        return _empty(state, d)
    return _without_cell(state, x, d, n, state.location[d, k], state.rest[d, k])


@implements(rebuild, ColumnsState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    state, X, labels = borrowed((state, X, labels))
    end = first + n_clusters
    for statistic in (state.n_cells, state.location, state.rest, state.seen):
        statistic[:, first:end] = 0.0
    for d in range(state.n_placed):
        if state.first[d] < state.first[d + 1]:
            _count_values(state, X, labels, d, first, end)
        elif state.scattered[d]:
            _scatter(state, X, labels, d, first, end)
        else:
            for k in range(first, end):
                state.location[d, k], state.rest[d, k] = _empty(state, d)
            for i in range(X.shape[0]):
                _add_up(state, X[i, d], d, first + labels[i])
        for k in range(first, end):
            _refresh(state, k, d, -1.0)
    for i in range(X.shape[0] if state.n_placed < state.n_free else 0):
        for cell in range(state.n_placed, n_cells_of(state, X, i)):
            d, x = cell_of(state, X, i, cell)
            _add_up(state, x, d, first + labels[i])
    for k in range(first, end):
        _refresh_slot(state, k)
    if state.n_placed < state.n_columns:
        rebuild(state.full, X[:, state.n_placed : state.n_columns], labels, sizes, n_clusters, first)


@inlined
def _count_values(state: Any, X: FloatArray, labels: IntArray, d: int, first: int, end: int) -> None:
    """Count how often each value is seen, from which follow the sums."""
    begin = state.first[d]
    for i in range(X.shape[0]):
        if not math.isnan(X[i, d]):
            state.seen[begin + int(X[i, d]), first + labels[i]] += 1.0
    for row in range(begin, state.first[d + 1]):
        value, term = float(row - begin), _own_term(state, float(row - begin), d)
        for k in range(first, end):
            n = state.seen[row, k]
            state.n_cells[d, k] += n
            state.location[d, k] += n * value
            state.rest[d, k] += n * term


@inlined
def _add_up(state: Any, x: float, d: int, k: int) -> None:
    """Count a cell and add it to those of a slot, as its kind does, and its own term in the marginal."""
    if not math.isnan(x):
        location, rest = _with_cell(state, x, d, state.n_cells[d, k], state.location[d, k], state.rest[d, k])
        state.n_cells[d, k] += 1.0
        state.location[d, k] = location
        state.rest[d, k] = rest + _own_term(state, x, d)


@inlined
def _scatter(state: Any, X: FloatArray, labels: IntArray, d: int, first: int, end: int) -> None:
    """Find the means of a column's cells and half the sums of squares about them, and settle what follows."""
    n_cells, location, rest = state.n_cells, state.location, state.rest
    for i in range(X.shape[0]):
        x, k = X[i, d], first + labels[i]
        if not math.isnan(x):
            n_cells[d, k] += 1.0
            location[d, k] += x
    for k in range(first, end):
        location[d, k] /= max(n_cells[d, k], 1.0)
    for i in range(X.shape[0]):
        x, k = X[i, d], first + labels[i]
        if not math.isnan(x):
            rest[d, k] += 0.5 * (x - location[d, k]) * (x - location[d, k])
    for k in range(first, end):
        location[d, k], rest[d, k] = _settled(state, d, n_cells[d, k], location[d, k], rest[d, k])


# --- scores -----------------------------------------------------------------------------------------------------------


@inlined
def _own_terms(state: Any, X: FloatArray, i: int) -> float:
    """Sum of a point's terms that no parameter changes."""
    total = 0.0
    for cell in range(n_cells_of(state, X, i) if state.has_own_terms else 0):
        d, x = cell_of(state, X, i, cell)
        if state.has_own_term[d] and state.first[d] == state.first[d + 1] and not math.isnan(x):
            total += _own_term(state, x, d)
    return state.weight * total


@implements(log_predictive, ColumnsState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    state, X = borrowed((state, X))
    total, product, log_spread, spread = _own_terms(state, X, i), 1.0, 0.0, 1.0
    if state.complete:
        total += state.by_size[n]
    if state.has_students:
        total += state.student_constant[k]
    for cell in range(n_cells_of(state, X, i)):
        d, x = cell_of(state, X, i, cell)
        if state.first[d] < state.first[d + 1]:
            if not math.isnan(x):
                product *= _value(state, x, d, k)
        elif state.has_students and state.is_student[d]:
            delta = x - state.location[d, k]
            spread *= 1.0 + delta * delta * state.factor[d, k]
            if spread > LARGEST_FACTOR:
                log_spread += math.log(spread)
                spread = 1.0
        elif not math.isnan(x):
            cached = state.constant[d, k], state.factor[d, k]
            log, times = _cell(state, x, d, state.n_cells[d, k], state.location[d, k], cached)
            total += log
            product *= times
        if state.last[d] and not 1.0 / LARGEST_FACTOR < product < LARGEST_FACTOR:
            total += math.log(product)
            product = 1.0
    total += math.log(product)
    if state.has_students:
        total -= _student_power(state, n) * (log_spread + math.log(spread))
    return total + _log_full(state, X, i, k, n)


@inlined
def _value(state: Any, x: float, d: int, k: int) -> float:
    """Chance of a value that has a row, with its factor unless this is in a table."""
    chance = state.chance[state.first[d] + int(x), k]
    return chance if state.complete else state.factor[d, k] * chance


@inlined
def _student_power(state: Any, n: int) -> float:
    """Return the power that all Student columns of a slot of n points have, if none is missing."""
    return state.a0 + 0.5 * state.weight * (n + 1.0)


@inlined
def log_predictive_of_cell(state: Any, x: float, d: int, k: int) -> float:
    """Log predictive (nats) of a cell of value x in column d given a slot, but for factors that are in a table."""
    if state.first[d] < state.first[d + 1]:
        return math.log(_value(state, x, d, k))
    own = _own_term(state, x, d) if state.has_own_term[d] else 0.0
    cached = state.constant[d, k], state.factor[d, k]
    log, times = _cell(state, x, d, state.n_cells[d, k], state.location[d, k], cached)
    return state.weight * own + log + math.log(times)


@inlined
def _log_full(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    """Log predictive of the columns of full covariance given a slot of n others; 0 if there are none."""
    if state.n_placed == state.n_columns:
        return 0.0
    full, weight = state.full, state.weight
    spread = 1.0 + full.weight[k] * _squared_distance(full, X[:, state.n_placed : state.n_columns], i, k)
    constant = state.full_predictive[n] - 0.5 * weight * full.log_determinant[k]
    return constant - 0.5 * (full.a0 + weight * (n + 1.0)) * math.log(spread)


@implements(log_leave_one_out, ColumnsState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    state, X = borrowed((state, X))
    total, product, log_share, share = _own_terms(state, X, i), 1.0, 0.0, 1.0
    ratio = (state.c0 + n + 1.0) / max(state.c0 + n - 1.0, 1.0)  # of a cell's worth given the others and given all
    if state.complete:
        total += state.by_size[n - 1]
    for cell in range(n_cells_of(state, X, i)):
        d, x = cell_of(state, X, i, cell)
        if math.isnan(x):
            log, times = 0.0, 1.0
        elif state.first[d] < state.first[d + 1]:
            log, times = 0.0, _value_left_out(state, x, d, k)
        elif state.n_cells[d, k] == 1.0:  # the rest is the prior, without rounding
            location, rest = _empty(state, d)
            constant = _constant(state, d, 0.0, location, rest) + _size_of(state, d, 0.0)
            cached = constant, _factor(state, d, 0.0, location, rest)
            log, times = _cell(state, x, d, 0.0, location, cached)
        elif state.has_students and state.is_student[d]:
            log, times = 0.0, 1.0
            delta = x - state.location[d, k]
            left = 1.0 - delta * delta * state.factor[d, k] * ratio
            share = share * left if left > SMALLEST_REMAINDER else math.nan
            if share < 1.0 / LARGEST_FACTOR:
                log_share += math.log(share)
                share = 1.0
        else:
            cells = state.n_cells[d, k]
            cached = state.constant[d, k] - _size_of(state, d, cells), state.factor[d, k]
            log, times = _left_out(state, x, d, cells, state.location[d, k], state.rest[d, k], cached)
            log += _size_of(state, d, cells - 1.0)
        total += log
        product *= times
        if state.last[d] and not 1.0 / LARGEST_FACTOR < product < LARGEST_FACTOR:
            total += math.log(product)
            product = 1.0
    total += math.log(product)
    if state.has_students and n > 1:
        total += state.student_constant[k] + _student_power(state, n - 2) * (log_share + math.log(share))
    return total + _log_full_left_out(state, X, i, k, n)


@inlined
def _value_left_out(state: Any, x: float, d: int, k: int) -> float:
    """Do as :func:`_value` for a cell of the slot given its others."""
    seen = state.seen[state.first[d] + int(x), k] - 1.0
    chance = _chance(state, x, d, state.n_cells[d, k] - 1.0, state.location[d, k] - x, seen)
    return chance if state.complete else state.left_out[d, k] * chance


@inlined
def _log_full_left_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    """Log predictive of the columns of full covariance of one of a slot's n points given the others, or NaN."""
    if state.n_placed == state.n_columns:
        return 0.0
    full, weight = state.full, state.weight
    c = full.c0 + n
    squared = _squared_distance(full, X[:, state.n_placed : state.n_columns], i, k)
    remainder = 1.0 - c / (c - 1.0) * squared
    if not remainder > SMALLEST_REMAINDER:
        return math.nan
    constant = state.full_predictive[n - 1] - 0.5 * weight * full.log_determinant[k]
    return constant + 0.5 * (full.a0 + weight * (n - 1.0)) * math.log(remainder)


@implements(score_open_slots, ColumnsState)
def _score_open_slots(
    state: Any,
    X: FloatArray,
    i: int,
    own: int,
    open_slots: OpenSlots,
    best: float,
    slack: float,
    candidates: Candidates,
) -> int:
    state, X, open_slots, candidates = borrowed((state, X, open_slots, candidates))
    sizes, log_weight, scores, work = open_slots.sizes, open_slots.log_weight, candidates.scores, candidates.work
    if math.isnan(scores[0]):
        scores[0] = log_leave_one_out(state, X, i, own, sizes[own]) + log_weight[own]
    if open_slots.n_open == 1:
        return 1
    _weigh_slots(state, X, i, open_slots, work)
    row = work.shape[0] - 2
    for k in range(open_slots.n_slots):
        work[row, k] += log_weight[k]
    work[row, own] = math.nan  # not a candidate: nothing is above NaN
    return keep_scored(open_slots, max(best, scores[0]), slack, candidates)


@inlined
def _weigh_slots(state: Any, X: FloatArray, i: int, open_slots: OpenSlots, work: FloatArray) -> None:
    """Write a point's log predictives (nats) in slots 0 … n_slots − 1 to the last but one row of ``work``.

    To the last bit they are those of one slot after the other. Only those of open slots need be right.
    """
    n_slots, slots, sizes, row = open_slots.n_slots, open_slots.slots, open_slots.sizes, work.shape[0] - 4
    log_spread, spread, total, product = row, row + 1, row + 2, row + 3
    own = _own_terms(state, X, i)
    for k in range(n_slots):
        work[total, k] = own
        work[product, k] = 1.0
    if state.complete:
        for k in range(n_slots):
            work[total, k] += state.by_size[sizes[k]]
    if state.has_students:
        for k in range(n_slots):
            work[total, k] += state.student_constant[k]
            work[log_spread, k] = 0.0
            work[spread, k] = 1.0
    for cell in range(n_cells_of(state, X, i)):
        d, x = cell_of(state, X, i, cell)
        if state.first[d] < state.first[d + 1]:
            if not math.isnan(x):
                _multiply(state, d, state.first[d] + int(x), n_slots, work)
        elif state.has_students and state.is_student[d]:
            _spread(state, x, d, n_slots, work)
        elif not math.isnan(x):
            _cell_in_slots(state, x, d, n_slots, work)
        if state.last[d]:
            _keep_in_range(n_slots, work)
    for k in range(n_slots):
        if work[product, k] != 1.0:  # as where no kind of column multiplies
            work[total, k] += math.log(work[product, k])
    if state.has_students:
        for k in range(n_slots):
            work[total, k] -= _student_power(state, sizes[k]) * (work[log_spread, k] + math.log(work[spread, k]))
    if state.n_placed < state.n_columns:
        for j in range(open_slots.n_open):
            work[total, slots[j]] += _log_full(state, X, i, slots[j], sizes[slots[j]])


@inlined
def _multiply(state: Any, d: int, row: int, n_slots: int, work: FloatArray) -> None:
    """Multiply the products of all slots by the chances of a value."""
    product, chance, factor = work.shape[0] - 1, state.chance, state.factor
    if state.complete:
        for k in range(n_slots):
            work[product, k] *= chance[row, k]
    else:
        for k in range(n_slots):
            work[product, k] *= factor[d, k] * chance[row, k]


@inlined
def _spread(state: Any, x: float, d: int, n_slots: int, work: FloatArray) -> None:
    """Multiply what Student columns of all slots have in common, and take logarithms of what is large."""
    row, location, factor, n_beyond = work.shape[0] - 4, state.location, state.factor, 0
    for k in range(n_slots):
        delta = x - location[d, k]
        work[row + 1, k] *= 1.0 + delta * delta * factor[d, k]
        n_beyond += work[row + 1, k] > LARGEST_FACTOR
    if n_beyond:
        for k in range(n_slots):
            if work[row + 1, k] > LARGEST_FACTOR:
                work[row, k] += math.log(work[row + 1, k])
                work[row + 1, k] = 1.0


@inlined
def _keep_in_range(n_slots: int, work: FloatArray) -> None:
    """Take logarithms of slots' products, the last row of ``work``, that leave their range; add them to the row before.

    They are counted first: a loop without branches takes several slots at once.
    """
    total, product, n_beyond = work.shape[0] - 2, work.shape[0] - 1, 0
    for k in range(n_slots):
        n_beyond += (work[product, k] <= 1.0 / LARGEST_FACTOR) | (work[product, k] >= LARGEST_FACTOR)
    if n_beyond:
        for k in range(n_slots):
            if not 1.0 / LARGEST_FACTOR < work[product, k] < LARGEST_FACTOR:
                work[total, k] += math.log(work[product, k])
                work[product, k] = 1.0


@implements(log_marginal, ColumnsState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    state = borrowed(state)
    total = 0.0
    for d in range(state.n_free):
        if state.n_cells[d, k] > 0.0:
            total += _log_marginal_of_cells(state, d, k) + state.n_cells[d, k] * state.shift[d]
    if state.n_placed < state.n_columns:
        power = 0.5 * (state.full.a0 + state.weight * n)
        total += state.full_marginal[n] - power * state.full.log_determinant[k]
    return total


@kernel
def log_marginal_of_all(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray) -> float:
    """Log marginal (nats) of all points of X (N, D), one or more, as one cluster of a state; labels are 0."""
    rebuild(state, X, labels, sizes, 1, 0)
    return log_marginal(state, 0, sizes[0])
