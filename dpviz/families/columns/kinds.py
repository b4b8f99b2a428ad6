"""What a kind of column is to the kernels: a few small functions of one cell, or of the cells of one cluster.

Everything else a table needs is made of them: products over columns, gaps, columns beside a full covariance, points
that count as a part of a point (:mod:`dpviz.families.columns.verbs`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray
from dpviz.families.columns.rising import log_gamma_ratios, log_risings

Pair = tuple[float, float]


@inlined
def _no_size(state: Any, d: int, n: float) -> float:
    return 0.0


@inlined
def _nothing(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return 0.0


@inlined
def _its_chance(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    return 0.0, 1.0


@inlined
def _with_its_count(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    return location + x, rest


@inlined
def _without_its_count(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    return location - x, rest  # a sum of whole numbers, which loses no digits


@inlined
def _sums_of_none(state: Any, d: int) -> Pair:
    return 0.0, 0.0


@inlined
def no_own_term(state: Any, x: float, d: int) -> float:
    """Return 0: parameters change every part of a cell's predictive."""
    return 0.0


@inlined
def _sums(state: Any, d: int, n: float, location: float, rest: float) -> Pair:
    return location, rest


@inlined
def _no_chance(state: Any, x: float, d: int, n: float, location: float, seen: float) -> float:
    return 1.0


@inlined
def _no_rows(state: Any, x: float, d: int, k: int) -> None:
    return


def log_ratios(start: FloatArray, step: FloatArray, n: FloatArray, weight: float) -> FloatArray:
    """Sum over columns of ln Γ(start + weight (n + 1) step)/Γ(start + weight n step), for each of several n.

    Of whole steps it is that of a product, to the last bit: a column of one category then says exactly nothing.
    """
    rises = log_risings if weight == 1.0 and np.all(step == np.round(step)) else log_gamma_ratios
    total = np.zeros(len(n))
    for (a, length), count in zip(*np.unique(np.column_stack([start, step]), axis=0, return_counts=True), strict=True):
        total += count * rises(a + weight * length * n, weight * length)
    return total


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of column. Compiled functions get the state, the column's position d, and statistics of its cells.

    These are how many there are, n, a ``location``, which is a posterior mean or a sum, and a ``rest``. Where values
    have rows, a predictive is a factor, which depends on n alone, times the chance of the value, which is kept by row;
    else it is what ``cell`` returns. All count each cell as ``state.weight`` of a cell, for which the spreads of a
    prior are divided by it (:mod:`dpviz.families.coarsened`). Statistics add up whole cells: what uses them multiplies
    by the weight.

    Attributes
    ----------
    families : tuple of type
        Whose columns these are; not those of classes derived from them, of which nothing is known.
    numbers : callable
        (family) → (D, 4): hyperparameters, as ``state.prior`` has them.
    rows : callable, optional
        (family) → for each column the weights of its values 0, 1, …, or none if its values have no rows.
    beside : callable, optional
        (family) → families, each of as many more columns, which stand after the kind's own in working data. Cells of
        any may then be missing (NaN) where none of the table's is.
    decades : callable, optional
        (family, n_points) → (D,): by how many powers of ten a chance, with its factor or without, may change a product.
    log_sizes : callable, optional
        (family, n, weight) → like n: sum over columns of what ``size`` and the logarithm of a factor of chances are.
    spreads : tuple of str
        Hyperparameters that are part of the location or the rest, as β of durations, and so are divided by the weight
        before ``numbers`` sees them. Of others, points may add only to those called a0, alpha0, omega0 and beta0.
    has_factorials : bool
        Whether its functions look ln x! up in ``state.factorials``.
    is_student : bool
        Whether predictives are constant − power ln(1 + squared distance · factor), of one power if n is the same.
    listed : bool
        Whether cells of 0, which change nothing, have no place in working data: behind all columns a row has the number
        of its other cells, then of each its position among the kind's columns and its value. Such columns come last.
    scattered : bool
        Whether a slot is rebuilt from the mean of its cells and half the sum of squares about it, then ``settled``.
        Else it is rebuilt cell by cell, from ``empty``.
    size : callable
        (state, d, n) → the part of a cell's log predictive that depends on n alone.
    constant, factor : callable
        (state, d, n, location, rest) → other parts that do not depend on the cell. If the family has a ``working`` of
        its own, whose units ``state.shift[d]`` makes good, the constant has that; ``log_marginal`` gets it anyway.
    cell : callable
        (state, x, d, n, location, (constant, factor)) → a cell's log predictive (nats) but for its own term and its
        size's, and what its probability is to be multiplied with: so many columns take one logarithm.
    left_out : callable
        (state, x, d, n, location, rest, (constant, factor)) → the same given the n − 1 others of n cells, from what
        there is of all n; NaN if that loses digits. None does so by ``without_cell``.
    with_cell, without_cell : callable
        (state, x, d, n, location, rest) → statistics of n cells and this one, and of n when this one goes, whose
        location is NaN if they would lose digits, as sums of anything but whole numbers may. By default sums of x.
    empty : callable
        (state, d) → statistics of no cell.
    own_term : callable
        (state, x, d) → the part of a cell's log probability that no parameter changes. The rest holds the sum of them
        once a slot is rebuilt, for ``log_marginal``, which is asked only then.
    settled : callable
        (state, d, n, mean, half the sum of squares) → statistics of a slot that is rebuilt, where they are
        ``scattered``.
    log_marginal : callable
        (state, d, k) → log marginal (nats) of the cells of slot k.
    chance : callable
        (state, x, d, n, location, seen) → the chance of a value, which ``seen`` of n cells have.
    fill_rows : callable
        (state, x, d, k) → None: recompute the chances that change with a cell of value x; all of them if x is −1.
    """

    families: tuple[type, ...]
    numbers: Callable[[Any], FloatArray]
    rows: Callable[[Any], list[FloatArray]] | None = None
    beside: Callable[[Any], Any] | None = None
    decades: Callable[[Any, int], FloatArray] | None = None
    log_sizes: Callable[[Any, FloatArray, float], FloatArray] | None = None
    spreads: tuple[str, ...] = ()
    has_factorials: bool = False
    is_student: bool = False
    listed: bool = False
    scattered: bool = False
    size: Callable[..., float] = _no_size
    constant: Callable[..., float] = _nothing
    factor: Callable[..., float] = _nothing
    cell: Callable[..., Pair] = _its_chance
    left_out: Callable[..., Pair] | None = None
    with_cell: Callable[..., Pair] = _with_its_count
    without_cell: Callable[..., Pair] = _without_its_count
    empty: Callable[..., Pair] = _sums_of_none
    own_term: Callable[..., float] = no_own_term
    settled: Callable[..., Pair] = _sums
    log_marginal: Callable[..., float]
    chance: Callable[..., float] = _no_chance
    fill_rows: Callable[..., None] = _no_rows


KINDS: list[Kind] = []
"""All kinds, by the code that ``state.kinds`` has for them; :mod:`dpviz.families.columns.verbs` lists them."""


def code_of(family: object) -> int | None:
    """Return the code of a family's columns, None if they are of no kind."""
    return next((code for code, kind in enumerate(KINDS) if type(family) in kind.families), None)


def prior_numbers(*hyperparameters: Any) -> FloatArray:
    """Return hyperparameters, numbers or (D,), as rows of four numbers, the last ones 0."""
    columns = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in hyperparameters))
    numbers = np.zeros((len(np.atleast_1d(columns[0])), 4))
    for position, column in enumerate(columns):
        numbers[:, position] = column
    return numbers
