"""One partition that summarises many: the one of lowest expected loss that a greedy search finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from dpviz.analysis.posterior.draws import Codes, Draws, DrawsLike, as_draws
from dpviz.analysis.posterior.losses import Loss, check_loss, losses_of
from dpviz.analysis.posterior.reallocation import (
    State,
    Target,
    allocate,
    check_size,
    companions,
    current_loss,
    empty_state,
    merged_losses,
    state_of,
    sweep,
    target_of,
    transfer,
)
from dpviz.arrays import IntArray
from dpviz.partition.base import as_generator, whole_number

COARSE_DRAWS = 200
"""Starts are compared on this many draws, evenly spaced; the best continues with all of them."""

WORK_FOR_BEST_DRAW = 2_000_000_000
"""The best draw is found exactly if that takes at most this many label comparisons (S² N), otherwise by screening."""

SCREENED, FINALISTS = 24, 6
"""Screening: number of draws that all are first compared with, and of the best ones then compared with all."""

FEW_MOVES = 0.002
"""While starts are compared, sweeps end when a smaller share of the points moves; the best is swept to the end."""

SMALLEST_GAIN = 1e-12
"""A change must lower the expected loss by more than this: sums of the same terms in another order differ by less."""


@dataclass(frozen=True, eq=False)
class Summary:
    """A partition that summarises the posterior.

    Attributes
    ----------
    partition : ndarray of int32, shape (N,)
        0 … K − 1 in the order of first appearance.
    n_clusters : int
    loss : str
    expected_loss : float
        Mean loss over all draws; bits for the variation of information.
    best_draw : int
        Row of the draw of lowest expected loss, exact or by screening.
    best_draw_loss : float
        Its expected loss; below ``expected_loss`` only if the partition was restricted to fewer clusters.
    """

    partition: Codes
    n_clusters: int
    loss: Loss
    expected_loss: float
    best_draw: int
    best_draw_loss: float


def best_draw(draws: Draws, loss: Loss) -> tuple[int, float]:
    """Return the row of the draw of lowest expected loss, and that loss.

    Exact when S² N is at most ``WORK_FOR_BEST_DRAW``; else the best of those that come nearest to a sample of draws.
    """
    n_draws = draws.n_draws
    finalists = np.arange(n_draws)
    if n_draws * n_draws * draws.n_points > WORK_FOR_BEST_DRAW:
        sample = np.linspace(0, n_draws - 1, SCREENED).astype(int)
        rough = np.mean([losses_of(draws, draws.labels[row], loss) for row in sample], axis=0)
        finalists = np.argsort(rough, kind="stable")[:FINALISTS]
    expected = [losses_of(draws, draws.labels[row], loss).mean() for row in finalists]
    return int(finalists[np.argmin(expected)]), float(min(expected))


def summary_partition(
    draws: DrawsLike,
    loss: Loss = "variation_of_information",
    max_clusters: int | None = None,
    n_starts: int = 6,
    random_state: int | np.random.Generator | None = 0,
) -> Summary:
    """Find a partition of low expected loss under the draws.

    Not only a choice among the draws: from several starts (the best draw, one cluster, points allocated one after the
    other in random orders) it moves points, merges clusters and divides them while that lowers the expected loss.
    The result is a partition that no move of one point and no merger of two clusters improves, but not always the best
    of all. The approach is that of Rastelli & Friel (2018) and Dahl, Johnson & Müller (2022).

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    loss : {"variation_of_information", "binder", "one_minus_ari"}
    max_clusters : int, optional
        Most clusters of the partition; ≥ 1, by default the most of any draw. Binder's loss
        in particular is often lowest with hundreds of clusters of one point, which is unreadable.
    n_starts : int
        Number of starts, ≥ 1.
    random_state : int, Generator or None
        Orders in which points are visited.

    Returns
    -------
    Summary

    Raises
    ------
    InvalidDataError, InvalidParameterError
    MemoryLimitError
        If the draws have too many clusters for the table of the search.
    """
    check_loss(loss)
    n_starts = whole_number("n_starts", n_starts)
    max_clusters = None if max_clusters is None else whole_number("max_clusters", max_clusters)
    checked, rng = as_draws(draws), as_generator(random_state)
    most = min(int(checked.n_clusters.max()) if max_clusters is None else max_clusters, checked.n_points)
    check_size(checked, most)
    row, draw_loss = best_draw(checked, loss)
    coarse = target_of(_thinned(checked), loss)
    few = int(FEW_MOVES * checked.n_points)
    found = [_improved(coarse, start, rng, few) for start in _starts(coarse, checked.labels[row], most, n_starts, rng)]
    best = min(found, key=lambda state: float(current_loss(coarse, state)))
    target = target_of(checked, loss)
    partition, expected = _finished(target, checked, loss, best.labels, most, rng)
    if expected > draw_loss:  # the draws that the starts were compared on may not represent all
        again = _finished(target, checked, loss, _first_start(checked.labels[row], most), most, rng)
        partition, expected = min((partition, expected), again, key=itemgetter(1))
    return Summary(partition, int(partition.max()) + 1, loss, expected, row, draw_loss)


def _thinned(draws: Draws) -> Draws:
    if draws.n_draws <= COARSE_DRAWS:
        return draws
    return as_draws(draws.labels[np.linspace(0, draws.n_draws - 1, COARSE_DRAWS).astype(int)])


def _first_start(best: Codes, most: int) -> Codes:
    """Return the best draw, its last clusters joined if it has too many."""
    return np.minimum(best, np.int32(most - 1))


def _starts(target: Target, best: Codes, most: int, n_starts: int, rng: np.random.Generator) -> Iterator[State]:
    """Yield the states that searches start from, with room for ``most`` clusters."""
    yield state_of(target, _first_start(best, most), most)
    if n_starts > 1:
        yield state_of(target, np.zeros_like(best), most)
    for _ in range(n_starts - 2):
        state = empty_state(target, most)
        allocate(target, state, rng.permutation(len(best)))
        yield state


def _finished(
    target: Target, draws: Draws, loss: Loss, labels: Codes, most: int, rng: np.random.Generator
) -> tuple[Codes, float]:
    """Improve a partition under all draws; return it and its expected loss."""
    state = _improved(target, state_of(target, labels, most), rng)
    partition = as_draws(state.labels[None, :]).labels[0]
    return partition, float(losses_of(draws, partition, loss).mean())


def _improved(target: Target, state: State, rng: np.random.Generator, few: int = 0) -> State:
    """Descend by moves, mergers and divisions until none of them helps; the state may be changed in place.

    Sweeps over all points continue until at most ``few`` of them move.
    """
    while True:
        while sweep(target, state, rng.permutation(len(state.labels)), SMALLEST_GAIN) > few:
            pass
        if _merge(target, state):
            continue
        n_divided, state = _divide(target, state, rng)
        if not n_divided:
            return state


def _merge(target: Target, state: State) -> int:
    """Merge the two clusters that lower the loss most, again and again; return how often that helped."""
    n_merged = 0
    while True:
        merged = merged_losses(target, state)
        if not merged.min() < current_loss(target, state) - SMALLEST_GAIN:
            return n_merged
        left, right = np.unravel_index(np.argmin(merged), merged.shape)
        transfer(target, state, np.flatnonzero(state.labels == right), int(left))
        n_merged += 1


def _divide(target: Target, state: State, rng: np.random.Generator) -> tuple[int, State]:
    """Try to divide every cluster; return how many divisions lowered the loss, and the state with them."""
    n_divided = 0
    for k in range(int(state.n_clusters[0])):
        if state.n_clusters[0] == len(state.sizes):
            break
        members = np.flatnonzero(state.labels == k)
        if len(members) <= 3:  # dividing three points moves one: the sweeps have tried it
            continue
        half = _half(target, members, rng)
        if len(half):
            trial = state.copy()
            transfer(target, trial, half, int(trial.n_clusters[0]))
            for _ in range(2):
                sweep(target, trial, rng.permutation(members), SMALLEST_GAIN)
            if current_loss(target, trial) < current_loss(target, state) - SMALLEST_GAIN:
                state, n_divided = trial, n_divided + 1
    return n_divided, state


def _half(target: Target, members: IntArray, rng: np.random.Generator) -> IntArray:
    """Return the members nearer to one of two points that are seldom together; none if all always are."""
    seed = rng.choice(members)
    first = members[np.argmin(companions(target, seed, members))]
    with_first = companions(target, first, members)
    second = members[np.argmin(with_first)]
    return members[companions(target, second, members) > with_first]
