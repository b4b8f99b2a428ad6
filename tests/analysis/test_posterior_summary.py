"""Losses and summary partitions against loops over pairs, enumeration of all partitions, and annealing."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import naive
import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from strategies import partitions_and_names

from dpviz import metrics
from dpviz.analysis.posterior import (
    LOSSES,
    expected_loss,
    expected_losses_of_draws,
    losses,
    summary_partition,
)
from dpviz.analysis.posterior import summary as summary_module
from dpviz.errors import InvalidDataError, InvalidParameterError, MemoryLimitError


def naive_loss(left, right, loss):
    n = len(left)
    if loss == "variation_of_information":
        rows, columns, cells = Counter(left), Counter(right), Counter(zip(left, right, strict=True))
        return sum(c / n * (math.log2(rows[a] / c) + math.log2(columns[b] / c)) for (a, b), c in cells.items())
    pairs = list(itertools.combinations(range(n), 2))
    if loss == "binder":
        different = sum((left[i] == left[j]) != (right[i] == right[j]) for i, j in pairs)
        return different / max(len(pairs), 1)
    return 1 - metrics.ari(left, right)


def posterior(n_points, n_draws, noise, seed):
    """Draws around a common partition: some points are thrown to random clusters, and clusters sometimes merge."""
    rng = np.random.default_rng(seed)
    centre = rng.integers(3, size=n_points)
    draws = np.where(rng.random((n_draws, n_points)) < noise, rng.integers(5, size=(n_draws, n_points)), centre)
    merges = rng.random(n_draws) < noise
    draws[merges] = np.where(draws[merges] == 2, 1, draws[merges])
    return draws


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_equal_loops_over_pairs_and_cells(loss):
    draws = posterior(30, 12, 0.4, seed=1)
    partition = draws[3] % 2
    expected = [naive_loss(row.tolist(), partition.tolist(), loss) for row in draws]
    assert_allclose(losses(draws, partition, loss), expected, atol=1e-13)
    assert expected_loss(draws, partition, loss) == pytest.approx(np.mean(expected), abs=1e-13)
    each = [np.mean([naive_loss(row, other, loss) for other in draws.tolist()]) for row in draws.tolist()]
    assert_allclose(expected_losses_of_draws(draws, loss), each, atol=1e-13)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("labels", [[0], [4, 4, 4], [7, -2, 5], [1, 1, 0, 2, 2]])
def test_equal_partitions_have_loss_zero_exactly(loss, labels):
    assert losses([labels], np.array(labels) * 3 + 1, loss).tolist() == [0.0]


def test_losses_between_the_two_trivial_partitions():
    one, singletons = np.zeros(8, dtype=int), np.arange(8)
    assert losses([one], singletons)[0] == pytest.approx(3.0)  # log2(8) bits
    assert losses([one], singletons, "binder")[0] == 1.0
    assert losses([one], singletons, "one_minus_ari")[0] == 1.0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_points", [1, 2, 4, 6, 7])
@pytest.mark.parametrize("seed", range(6))
def test_summary_is_the_best_of_all_partitions(loss, n_points, seed):
    rng = np.random.default_rng(seed)
    if seed % 2:
        draws = posterior(n_points, 25, 0.35, seed)
    else:
        draws = rng.integers(rng.integers(1, n_points + 1), size=(25, n_points))
    every = naive.set_partitions(n_points)
    table = {tuple(row): expected_loss(draws, row, loss) for row in every}
    for most in (None, n_points):
        limit = max(len(set(row)) for row in draws.tolist()) if most is None else most
        best = min(value for row, value in table.items() if len(set(row)) <= limit)
        found = summary_partition(draws, loss, max_clusters=most)
        assert found.expected_loss == pytest.approx(best, abs=1e-12)
        assert found.expected_loss == table[tuple(found.partition.tolist())]
        assert found.n_clusters == len(set(found.partition.tolist())) <= limit


def annealed(draws, loss, n_sweeps, seed):
    """Lowest expected loss on a long walk of single-point moves whose temperature falls; in numpy, draw by draw."""
    rng = np.random.default_rng(seed)
    n_draws, n_points = draws.shape
    counts = np.arange(n_points + 1)
    in_bits = loss == "variation_of_information"
    f = counts * np.log2(np.maximum(counts, 1)) if in_bits else counts * (counts - 1) / 2
    labels = draws[rng.integers(n_draws)].copy()
    n_seats, rows = draws.max() + 1, np.arange(n_draws)
    cells = np.zeros((n_draws, n_seats, n_seats), dtype=np.int64)
    for i in range(n_points):
        cells[rows, draws[:, i], labels[i]] += 1
    q = np.array([f[np.bincount(row)].sum() for row in draws])

    def loss_of(a, p):  # a (S, K), p (K,)
        if loss != "one_minus_ari":
            return (p + q[:, None] - 2 * a).mean(axis=0) / (n_points if in_bits else f[-1])
        expected = p * q[:, None] / f[-1]
        return (((p + q[:, None]) / 2 - a) / ((p + q[:, None]) / 2 - expected)).mean(axis=0)

    best = math.inf
    for temperature in np.geomspace(1e-2, 1e-6, n_sweeps):
        for i in rng.permutation(n_points):
            cells[rows, draws[:, i], labels[i]] -= 1
            sizes = cells[0].sum(axis=0)
            near = cells[rows, draws[:, i]]
            a = f[cells].sum(axis=(1, 2))[:, None] + f[near + 1] - f[near]
            scores = loss_of(a, f[sizes].sum() + f[sizes + 1] - f[sizes])
            best = min(best, scores.min())
            chances = np.exp((scores.min() - scores) / temperature)
            labels[i] = rng.choice(n_seats, p=chances / chances.sum())
            cells[rows, draws[:, i], labels[i]] += 1
    return best


@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
def test_summary_of_200_points_is_no_worse_than_long_annealing(loss):
    draws = posterior(200, 60, 0.25, seed=9)
    lowest = min(annealed(draws, loss, n_sweeps=60, seed=seed) for seed in (4, 5))
    assert lowest < expected_losses_of_draws(draws, loss).min()  # the walk is worth comparing with
    assert summary_partition(draws, loss).expected_loss <= lowest + 1e-12


@pytest.mark.parametrize("loss", LOSSES)
def test_summary_is_never_worse_than_the_best_draw_and_tells_which_it_is(loss):
    draws = posterior(60, 40, 0.5, seed=3)
    of_draws = expected_losses_of_draws(draws, loss)
    found = summary_partition(draws, loss, n_starts=1)
    assert found.best_draw == np.argmin(of_draws)
    assert found.best_draw_loss == of_draws.min()
    assert found.expected_loss <= of_draws.min()


def test_draws_that_are_all_equal_are_their_own_summary():
    row = np.array([5, 5, 2, 9, 2, 2])
    found = summary_partition(np.tile(row, (7, 1)))
    assert found.partition.tolist() == [0, 0, 1, 2, 1, 1]
    assert found.expected_loss == found.best_draw_loss == 0.0


def test_the_number_of_clusters_can_be_limited():
    draws = posterior(40, 30, 0.1, seed=5)
    found = summary_partition(draws, max_clusters=2)
    assert found.n_clusters <= 2
    assert found.expected_loss > summary_partition(draws).expected_loss


def test_screening_finds_a_good_draw_and_thinned_draws_do_not_mislead(monkeypatch):
    draws = posterior(40, 300, 0.4, seed=6)
    of_draws = expected_losses_of_draws(draws)
    monkeypatch.setattr(summary_module, "WORK_FOR_BEST_DRAW", 0)
    found = summary_partition(draws)
    assert found.best_draw_loss == of_draws[found.best_draw]
    assert found.best_draw_loss <= np.quantile(of_draws, 0.05)
    assert found.expected_loss == expected_loss(draws, found.partition) <= of_draws.min()


@pytest.mark.parametrize("loss", LOSSES)
def test_no_move_of_one_point_and_no_merger_improves_a_summary(loss):
    draws = posterior(40, 30, 0.35, seed=8)
    found = summary_partition(draws, loss, max_clusters=40)
    neighbours = []
    for i, k in itertools.product(range(40), range(found.n_clusters + 1)):
        neighbours.append(found.partition.copy())
        neighbours[-1][i] = k
    for left, right in itertools.combinations(range(found.n_clusters), 2):
        neighbours.append(np.where(found.partition == right, left, found.partition))
    assert min(expected_loss(draws, row, loss) for row in neighbours) >= found.expected_loss - 1e-12


@given(partitions_and_names())
def test_names_do_not_matter(case):
    draws, renamed = case
    for loss in LOSSES:
        assert losses(draws, draws[0], loss).tolist() == losses(renamed, renamed[0], loss).tolist()
    found, again = summary_partition(draws, n_starts=3), summary_partition(renamed, n_starts=3)
    assert found.partition.tolist() == again.partition.tolist()
    assert found.expected_loss == again.expected_loss


@pytest.mark.parametrize(
    ("draws", "message"),
    [
        ([1, 2, 3], "shape"),
        (np.empty((0, 4), dtype=int), "shape"),
        ([[1.0, 2.0]], "integers"),
        ([[True, False]], "integers"),
        ([["a", "b"]], "integers"),
        ([[1, 2], [1]], "different lengths"),
    ],
)
def test_what_is_no_array_of_draws_is_refused(draws, message):
    with pytest.raises(InvalidDataError, match=message):
        summary_partition(draws)


def test_wrong_parameters_are_refused():
    draws = [[0, 0, 1], [0, 1, 1]]
    with pytest.raises(InvalidParameterError, match="loss = 'vi' must be one of variation_of_information"):
        losses(draws, [0, 0, 1], "vi")
    with pytest.raises(InvalidParameterError, match="len\\(partition\\) = 2"):
        losses(draws, [0, 1])
    with pytest.raises(InvalidParameterError, match="n_starts"):
        summary_partition(draws, n_starts=0)
    with pytest.raises(InvalidParameterError, match="max_clusters"):
        summary_partition(draws, max_clusters=0)


def test_a_search_that_would_not_fit_in_memory_is_refused():
    draws = np.tile(np.arange(1000), (300, 1))
    with pytest.raises(MemoryLimitError, match="lower max_clusters"):
        summary_partition(draws)
    assert summary_partition(draws[:2], max_clusters=3, n_starts=1).n_clusters <= 3
