"""The kernels' state of a mixed table: the states of all kinds of block, whose columns stand side by side.

It has every kind of block, with or without columns, so that all tables share one type and need no further compilation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dpviz._jit import borrowed, implements, inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.binomial import BinomialState
from dpviz.families.categorical import CategoricalState
from dpviz.families.columns import weigh_slots, weighs_slots_together
from dpviz.families.exponential import ExponentialState
from dpviz.families.gaussian.normal_gamma import NormalGammaState
from dpviz.families.gaussian.normal_wishart import NormalWishartState
from dpviz.families.geometric import GeometricState
from dpviz.families.poisson import PoissonState
from dpviz.families.verbs import (
    SLOT_FIELDS,
    OpenSlots,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)


@weighs_slots_together
class MixedState(NamedTuple):
    """Where each block's columns begin, and its state; block b has columns ``first[b]`` … ``first[b + 1]`` − 1."""

    first: IntArray
    normal_gamma: NormalGammaState
    normal_wishart: NormalWishartState
    exponential: ExponentialState
    poisson: PoissonState
    geometric: GeometricState
    binomial: BinomialState
    categorical: CategoricalState


SLOT_FIELDS[MixedState] = MixedState._fields[1:]


@implements(log_predictive, MixedState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    state, X = borrowed((state, X))
    first, total = state.first, _log_numbers(state, X, i, k, n)
    if first[5] < first[6]:
        total += log_predictive(state.binomial, X[:, first[5] : first[6]], i, k, n)
    if first[6] < first[7]:
        total += log_predictive(state.categorical, X[:, first[6] : first[7]], i, k, n)
    return total


@inlined
def _log_numbers(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    """Log predictive of the columns that are neither ordinal nor categorical."""
    first, total = state.first, 0.0
    if first[0] < first[1]:
        total += log_predictive(state.normal_gamma, X[:, first[0] : first[1]], i, k, n)
    if first[1] < first[2]:
        total += log_predictive(state.normal_wishart, X[:, first[1] : first[2]], i, k, n)
    if first[2] < first[3]:
        total += log_predictive(state.exponential, X[:, first[2] : first[3]], i, k, n)
    if first[3] < first[4]:
        total += log_predictive(state.poisson, X[:, first[3] : first[4]], i, k, n)
    if first[4] < first[5]:
        total += log_predictive(state.geometric, X[:, first[4] : first[5]], i, k, n)
    return total


@implements(weigh_slots, MixedState)
def _weigh_slots(state: Any, X: FloatArray, i: int, open_slots: OpenSlots, work: FloatArray) -> None:
    first, sums, block = state.first, work.shape[0] - 3, work.shape[0] - 2  # the last two are rows of ``work``
    n_slots, slots, sizes = open_slots.n_slots, open_slots.slots, open_slots.sizes
    for k in range(n_slots):
        work[sums, k] = 0.0
    if first[0] < first[5]:
        for j in range(open_slots.n_open):
            work[sums, slots[j]] = _log_numbers(state, X, i, slots[j], sizes[slots[j]])
    if first[5] < first[6]:
        weigh_slots(state.binomial, X[:, first[5] : first[6]], i, open_slots, work)
        for k in range(n_slots):
            work[sums, k] += work[block, k]
    if first[6] < first[7]:
        weigh_slots(state.categorical, X[:, first[6] : first[7]], i, open_slots, work)
        for k in range(n_slots):
            work[sums, k] += work[block, k]
    for k in range(n_slots):
        work[block, k] = work[sums, k]


@implements(log_leave_one_out, MixedState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    state, X = borrowed((state, X))
    first, total = state.first, 0.0  # NaN if any block's is, and then every block is removed explicitly
    if first[0] < first[1]:
        total += log_leave_one_out(state.normal_gamma, X[:, first[0] : first[1]], i, k, n)
    if first[1] < first[2]:
        total += log_leave_one_out(state.normal_wishart, X[:, first[1] : first[2]], i, k, n)
    if first[2] < first[3]:
        total += log_leave_one_out(state.exponential, X[:, first[2] : first[3]], i, k, n)
    if first[3] < first[4]:
        total += log_leave_one_out(state.poisson, X[:, first[3] : first[4]], i, k, n)
    if first[4] < first[5]:
        total += log_leave_one_out(state.geometric, X[:, first[4] : first[5]], i, k, n)
    if first[5] < first[6]:
        total += log_leave_one_out(state.binomial, X[:, first[5] : first[6]], i, k, n)
    if first[6] < first[7]:
        total += log_leave_one_out(state.categorical, X[:, first[6] : first[7]], i, k, n)
    return total


@implements(add_point, MixedState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    first, kept = state.first, True  # a block that lost digits has all of them rebuilt
    if first[0] < first[1]:
        kept &= add_point(state.normal_gamma, X[:, first[0] : first[1]], i, k, n)
    if first[1] < first[2]:
        kept &= add_point(state.normal_wishart, X[:, first[1] : first[2]], i, k, n)
    if first[2] < first[3]:
        kept &= add_point(state.exponential, X[:, first[2] : first[3]], i, k, n)
    if first[3] < first[4]:
        kept &= add_point(state.poisson, X[:, first[3] : first[4]], i, k, n)
    if first[4] < first[5]:
        kept &= add_point(state.geometric, X[:, first[4] : first[5]], i, k, n)
    if first[5] < first[6]:
        kept &= add_point(state.binomial, X[:, first[5] : first[6]], i, k, n)
    if first[6] < first[7]:
        kept &= add_point(state.categorical, X[:, first[6] : first[7]], i, k, n)
    return kept


@implements(remove_point, MixedState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    first, kept = state.first, True
    if first[0] < first[1]:
        kept &= remove_point(state.normal_gamma, X[:, first[0] : first[1]], i, k, n)
    if first[1] < first[2]:
        kept &= remove_point(state.normal_wishart, X[:, first[1] : first[2]], i, k, n)
    if first[2] < first[3]:
        kept &= remove_point(state.exponential, X[:, first[2] : first[3]], i, k, n)
    if first[3] < first[4]:
        kept &= remove_point(state.poisson, X[:, first[3] : first[4]], i, k, n)
    if first[4] < first[5]:
        kept &= remove_point(state.geometric, X[:, first[4] : first[5]], i, k, n)
    if first[5] < first[6]:
        kept &= remove_point(state.binomial, X[:, first[5] : first[6]], i, k, n)
    if first[6] < first[7]:
        kept &= remove_point(state.categorical, X[:, first[6] : first[7]], i, k, n)
    return kept


@implements(clear_slot, MixedState)
def _clear_slot(state: Any, k: int) -> None:
    first = state.first
    if first[0] < first[1]:
        clear_slot(state.normal_gamma, k)
    if first[1] < first[2]:
        clear_slot(state.normal_wishart, k)
    if first[2] < first[3]:
        clear_slot(state.exponential, k)
    if first[3] < first[4]:
        clear_slot(state.poisson, k)
    if first[4] < first[5]:
        clear_slot(state.geometric, k)
    if first[5] < first[6]:
        clear_slot(state.binomial, k)
    if first[6] < first[7]:
        clear_slot(state.categorical, k)


@implements(log_marginal, MixedState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    first, total = state.first, 0.0
    if first[0] < first[1]:
        total += log_marginal(state.normal_gamma, k, n)
    if first[1] < first[2]:
        total += log_marginal(state.normal_wishart, k, n)
    if first[2] < first[3]:
        total += log_marginal(state.exponential, k, n)
    if first[3] < first[4]:
        total += log_marginal(state.poisson, k, n)
    if first[4] < first[5]:
        total += log_marginal(state.geometric, k, n)
    if first[5] < first[6]:
        total += log_marginal(state.binomial, k, n)
    if first[6] < first[7]:
        total += log_marginal(state.categorical, k, n)
    return total


@implements(rebuild, MixedState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, slot: int) -> None:
    first = state.first
    if first[0] < first[1]:
        rebuild(state.normal_gamma, X[:, first[0] : first[1]], labels, sizes, n_clusters, slot)
    if first[1] < first[2]:
        rebuild(state.normal_wishart, X[:, first[1] : first[2]], labels, sizes, n_clusters, slot)
    if first[2] < first[3]:
        rebuild(state.exponential, X[:, first[2] : first[3]], labels, sizes, n_clusters, slot)
    if first[3] < first[4]:
        rebuild(state.poisson, X[:, first[3] : first[4]], labels, sizes, n_clusters, slot)
    if first[4] < first[5]:
        rebuild(state.geometric, X[:, first[4] : first[5]], labels, sizes, n_clusters, slot)
    if first[5] < first[6]:
        rebuild(state.binomial, X[:, first[5] : first[6]], labels, sizes, n_clusters, slot)
    if first[6] < first[7]:
        rebuild(state.categorical, X[:, first[6] : first[7]], labels, sizes, n_clusters, slot)
