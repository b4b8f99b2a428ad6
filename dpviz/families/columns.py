"""Shared code of families of independent columns: products of consecutive numbers, exact sums, checks of the data.

All their marginals and predictives are made of rising factorials a (a + 1) … (a + n − 1) = Γ(a + n)/Γ(a). Differences
of two lnΓ would lose digits where a is large; :func:`log_rising` does not, and uses only functions on which compiled
and plain Python agree to the last bit. Sums of whole numbers are exact: a point can be left out of them without loss.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from dpviz._jit import generic, implements, inlined, kernel
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.families.base import Family, WorkingData, require_values
from dpviz.families.gaussian.scoring import keep_scored
from dpviz.families.verbs import (
    SLOT_FIELDS,
    Candidates,
    OpenSlots,
    add_point,
    clear_slot,
    log_leave_one_out,
    rebuild,
    remove_point,
    score_open_slots,
)
from dpviz.parameters import Parameter, Role

LARGEST_COUNT = 1e9
"""Sums of nine million such counts are still exact, and logarithms of their factorials keep five decimals."""
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-12, 1e12
"""Bounds on the weight of a prior in points: products of a few stay within the range of floats."""
LARGEST_FACTOR = 1e100
"""Factors are multiplied up to here before their logarithm is taken: one logarithm for many columns."""
MOST_DECADES = 200.0
"""Factor by which a product may leave ``LARGEST_FACTOR`` before it is checked again."""
FEW_FACTORS = 8.0
"""Rising factorials of up to this many factors are multiplied out."""
STIRLING_FROM = 12.0
"""From here on Stirling's series with five terms has an error below 1e-14."""
MOST_FACTORIALS = 4096
"""Size of the table of log factorials."""


# --- rising factorials ------------------------------------------------------------------------------------------------


@inlined
def rising_product(a: float, n: float) -> float:
    """Multiply a (a + 1) … (a + n − 1), for n up to ``FEW_FACTORS`` + 1."""
    product, j = 1.0, 0.0
    while j < n:
        product *= a + j
        j += 1.0
    return product


def last_of_product(least: FloatArray, most: FloatArray) -> BoolArray:
    """Return after which columns a product of one factor each must be checked, so that it stays in the range of floats.

    Parameters
    ----------
    least, most : ndarray (D,)
        Bounds of the factors; a checked product is within ``LARGEST_FACTOR`` afterwards.

    Returns
    -------
    ndarray of bool (D,)
    """
    decades, last = np.maximum(-np.log10(least), np.log10(most)), np.ones(len(least), dtype=np.bool_)
    since = 0.0
    for d in range(len(least) - 1):
        since += decades[d]
        last[d] = since + decades[d + 1] > MOST_DECADES
        since = 0.0 if last[d] else since
    return last


@inlined
def keep_in_range(n_slots: int, work: FloatArray) -> None:
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


@inlined
def fill_chances(
    alpha: float, beta: float, scale: float, choose: FloatArray, first: int, end: int, k: int, chances: FloatArray
) -> None:
    """Fill rows ``first`` … ``end`` − 1 with the weights of the counts 0, 1, …, bit for bit as if computed singly.

    The products of :func:`rising_product` that are longer by one factor each are computed in one pass.
    """
    product = 1.0
    for row in range(first, end):
        chances[row, k] = product
        product *= alpha + (row - first)
    product = 1.0
    for back in range(end - first):
        row = end - 1 - back
        chances[row, k] = scale * (choose[row] * (chances[row, k] * product))
        product *= beta + back


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
def _fill_risings(a: FloatArray, n: FloatArray, values: FloatArray) -> None:
    for i in range(a.shape[0]):
        values[i] = log_rising(a[i], n[i])


def log_risings(a: ArrayLike, n: ArrayLike) -> FloatArray:
    """:func:`log_rising` of arrays that broadcast against each other."""
    starts, lengths = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(n, dtype=np.float64))
    values = np.empty(starts.size)
    _fill_risings(np.array(starts).ravel(), np.array(lengths).ravel(), values)
    return values.reshape(starts.shape)


def rising_table(start: FloatArray, step: FloatArray, n_points: int) -> FloatArray:
    """For n = 0 … n_points the sum over columns of ln[start (start + 1) …] with n · step factors."""
    total = np.zeros(n_points + 1)
    for (a, length), count in _distinct(start, step):
        total += count * log_risings(a, length * np.arange(n_points + 1.0))
    return total


def step_table(start: FloatArray, step: FloatArray, n_points: int) -> FloatArray:
    """For n = 0 … n_points by how much :func:`rising_table` grows from n to n + 1."""
    total = np.zeros(n_points + 1)
    for (a, length), count in _distinct(start, step):
        total += count * log_risings(a + length * np.arange(n_points + 1.0), length)
    return total


def _distinct(start: FloatArray, step: FloatArray) -> Iterator[tuple[FloatArray, int]]:
    """Pairs (start, step) with how many columns have them: mostly they are few."""
    return zip(*np.unique(np.column_stack([start, step]), axis=0, return_counts=True), strict=True)


def factorial_table(largest: float) -> FloatArray:
    """Table of ln 0! … ln m!, for m up to the largest value or to ``MOST_FACTORIALS``."""
    return log_risings(1.0, np.arange(min(int(largest), MOST_FACTORIALS) + 1.0))


@inlined
def log_factorial(table: FloatArray, x: float) -> float:
    """Logarithm of x!, from the table if it is large enough."""
    return table[int(x)] if x < table.shape[0] else log_rising(1.0, x)


# --- states that weigh a point against all slots at once --------------------------------------------------------------


@generic
def weigh_slots(state: Any, X: FloatArray, i: int, open_slots: OpenSlots, work: FloatArray) -> None:
    """Write a point's log predictives (nats) in slots 0 … n_slots − 1 to the last but one row of ``work``.

    To the last bit they are those of one slot after the other. Only those of open slots need be right; the rest of
    ``work`` (D + 3, slots) is scratch.
    """
    raise TypeError(type(state))


def weighs_slots_together(state_class: type) -> type:
    """Make a class of state that implements :func:`weigh_slots` score all open slots with it."""
    implements(score_open_slots, state_class)(_score_open_slots)
    return state_class


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
    sizes, log_weight, scores, work = open_slots.sizes, open_slots.log_weight, candidates.scores, candidates.work
    if math.isnan(scores[0]):
        scores[0] = log_leave_one_out(state, X, i, own, sizes[own]) + log_weight[own]
    if open_slots.n_open == 1:
        return 1
    weigh_slots(state, X, i, open_slots, work)
    row = work.shape[0] - 2
    for k in range(open_slots.n_slots):
        work[row, k] += log_weight[k]
    work[row, own] = math.nan  # not a candidate: nothing is above NaN
    return keep_scored(open_slots, max(best, scores[0]), slack, candidates)


# --- states that are sums ---------------------------------------------------------------------------------------------


@generic
def log_base_measure(state: Any, X: FloatArray, i: int) -> float:
    """Sum over columns of the factor of point i's log probability (nats) that no parameter changes."""
    raise TypeError(type(state))


def keeps_sums(state_class: type) -> type:
    """Give a class of state the verbs that only add: those of ``total`` (slots, D) and ``log_base`` (slots,).

    ``log_base`` holds the sum of :func:`log_base_measure` over a slot's members, once rebuilt.
    """
    SLOT_FIELDS[state_class] = ("total", "log_base")
    implements(add_point, state_class)(_add_point)
    implements(remove_point, state_class)(_remove_point)
    implements(clear_slot, state_class)(_clear_slot)
    implements(rebuild, state_class)(_rebuild)
    return state_class


def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.total[k, d] += X[i, d]
    return True


def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.total[k, d] -= X[i, d]
    return True


def _clear_slot(state: Any, k: int) -> None:
    state.log_base[k] = 0.0
    for d in range(state.total.shape[1]):
        state.total[k, d] = 0.0


def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    state.total[first : first + n_clusters] = 0.0
    state.log_base[first : first + n_clusters] = 0.0
    for i in range(X.shape[0]):
        k = first + labels[i]
        state.log_base[k] += log_base_measure(state, X, i)
        for d in range(X.shape[1]):
            state.total[k, d] += X[i, d]


# --- the readable side ------------------------------------------------------------------------------------------------


class CheckedWorkingData(WorkingData):
    """Data in their own units; further points are checked, since not every value has a probability."""

    def transform(self, X: FloatArray) -> FloatArray:
        """Return further points (n, D), or raise InvalidDataError."""
        assert isinstance(self.family, ColumnFamily)
        self.family.check_points(X)
        return np.ascontiguousarray(X)


class ColumnFamily(Family):
    """A family whose columns are independent given the cluster and cannot hold every real number."""

    independent_columns = True

    @classmethod
    def from_prior(cls, prior: Mapping[str, Any] | None, X: FloatArray) -> Self:
        """Build the family as :meth:`Family.from_prior` does, and check that X has a density under it."""
        family = super().from_prior(prior, X)
        family.check_points(X)
        return family

    def check_points(self, X: FloatArray) -> None:
        """Raise unless every value of X (n, D) has a density under exactly these hyperparameters.

        Raises
        ------
        InvalidDataError
        """
        self.check_data(X)

    def working(self, X: FloatArray) -> WorkingData:
        """Keep the data's units: they are counts or codes."""
        return CheckedWorkingData(self, np.array(X, order="C"), np.ascontiguousarray(self.coordinates(X)))

    @abstractmethod
    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictive density or probability (nats) of each entry of X (n, D), column by column."""

    def marginal_log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictives (nats) of the entries of X (n, D): the columns are independent."""
        return self.log_densities(X)

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Sum over columns of log predictives (nats), for each row of X (n, D)."""
        return np.asarray(self.log_densities(X).sum(axis=1))


def weight_parameter(name: str, symbol: str, explanation: str, role: Role) -> Parameter:
    """Describe a hyperparameter with one positive entry per column."""
    return Parameter(
        name=name,
        symbol=symbol,
        explanation=explanation,
        lower=SMALLEST_WEIGHT,
        lower_allowed=True,
        upper=LARGEST_WEIGHT,
        log=True,
        role=role,
        shape=("D",),
    )


def check_counts(X: FloatArray, family: str, names: Sequence[str] = ()) -> None:
    """Raise unless every value of X (N, D) is a whole number from 0 to ``LARGEST_COUNT``."""
    bound = f"a whole number from 0 to {LARGEST_COUNT:,.0f}"
    require_values(X, whole_numbers(X, LARGEST_COUNT), family, bound, "Choose columns that hold counts.", names)


def whole_numbers(X: FloatArray, largest: float) -> BoolArray:
    """Return which values of X are whole numbers from 0 to ``largest``."""
    return np.asarray((X >= 0) & (X <= largest) & (X == np.round(X)))


def example_groups(n_points: int, n_features: int, seed: int) -> tuple[FloatArray, np.random.Generator]:
    """Return gamma distributed levels (n_points, D), the same for every third point, and a generator for the rest."""
    rng = np.random.default_rng([seed, n_features])
    return rng.gamma(2.0, 1.0, size=(3, n_features))[np.arange(n_points) % 3], rng
