"""What draws of a partition tell about pairs, points, sizes and the posterior around a summary, against plain loops."""

from __future__ import annotations

import itertools
import math

import naive
import numpy as np
import pytest
from hypothesis import given
from strategies import partitions_and_names

from dpviz import _jit, metrics
from dpviz.analysis.posterior import (
    as_draws,
    attachment,
    certain_clusters,
    co_clustering,
    credible_ball,
    display_order,
    expected_loss,
    law_of_n_clusters,
    point_uncertainty,
    ranked_sizes,
)
from dpviz.analysis.posterior import draws as draws_module
from dpviz.errors import InvalidDataError, InvalidParameterError


def some_draws(n_points, n_draws, seed):
    """Draws that agree about most points, with between two and five labels of any name."""
    rng = np.random.default_rng(seed)
    centre = rng.integers(3, size=n_points)
    noise = rng.random((n_draws, n_points)) < rng.choice([0.05, 0.3])
    return np.where(noise, rng.integers(5, size=(n_draws, n_points)), centre) * 7 - 3


def canonical(labels):
    names = {}
    return [names.setdefault(label, len(names)) for label in labels]


def test_draws_are_numbered_by_first_appearance():
    labels = np.array([[5, 5, -2, 9], [2**62, -(2**62), 2**62, 0]])
    checked = as_draws(labels)
    assert checked.labels.tolist() == [canonical(row) for row in labels.tolist()]
    assert checked.n_clusters.tolist() == [3, 3]
    assert as_draws(checked) is checked
    assert as_draws(np.array([[1, 1, 0]], dtype=np.uint8)).labels.tolist() == [[0, 0, 1]]


# --- pairs ------------------------------------------------------------------------------------------------------------


def test_co_clustering_equals_a_loop_over_pairs_and_draws():
    draws = some_draws(15, 40, seed=1)
    result = co_clustering(draws)
    for i, j in itertools.product(range(15), repeat=2):
        share = sum(row[i] == row[j] for row in draws) / 40
        assert result.probabilities[i, j] == np.float32(share)
    assert result.probabilities.dtype == np.float32
    assert sorted(result.order) == result.points.tolist() == list(range(15))
    shown = result.ordered()
    for a, b in itertools.product(range(15), repeat=2):
        assert shown[a, b] == result.probabilities[result.order[a], result.order[b]]


def test_of_many_points_a_sample_is_compared():
    draws = some_draws(50, 20, seed=2)
    result, full = co_clustering(draws, max_points=12, random_state=3), co_clustering(draws)
    assert len(set(result.points.tolist())) == 12
    assert (result.probabilities == full.probabilities[np.ix_(result.points, result.points)]).all()
    assert result.points.tolist() != co_clustering(draws, max_points=12, random_state=4).points.tolist()


@pytest.mark.parametrize("n_points", [1, 2, 3, 60, 700])
def test_points_that_are_always_together_are_shown_together(n_points):
    rng = np.random.default_rng(n_points)
    blocks = rng.integers(7, size=n_points)
    strength = np.where(blocks[:, None] == blocks, 0.8 + 0.2 * rng.random((n_points, n_points)), 0.1)
    order = display_order(((strength + strength.T) / 2).astype(np.float32))
    assert sorted(order) == list(range(n_points))
    changes = np.count_nonzero(np.diff(blocks[order]))
    assert changes == len(set(blocks.tolist())) - 1


def test_the_order_of_few_points_is_the_best_of_those_that_keep_the_tree():
    # Two tight pairs: of the eight orders that keep them whole, those with the nearest ends in the middle are best.
    share = np.array([[1, 0.9, 0.1, 0.2], [0.9, 1, 0.5, 0.1], [0.1, 0.5, 1, 0.9], [0.2, 0.1, 0.9, 1]], dtype=np.float32)
    assert display_order(share).tolist() in ([0, 1, 2, 3], [3, 2, 1, 0])


# --- points and sizes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_uncertainty_of_points_equals_a_loop_and_averages_to_the_expected_loss(seed):
    draws = some_draws(20, 15, seed)
    partition = draws[0] // 2
    bits = np.zeros(20)
    for row, i in itertools.product(draws, range(20)):
        own, group = partition == partition[i], row == row[i]
        shared = (own & group).sum()
        bits[i] += (math.log2(own.sum() / shared) + math.log2(group.sum() / shared)) / 15
    found = point_uncertainty(draws, partition)
    np.testing.assert_allclose(found, bits, atol=1e-13)
    assert found.mean() == pytest.approx(expected_loss(draws, partition), abs=1e-13)


def test_a_point_with_the_same_company_in_all_draws_has_no_uncertainty():
    draws = [[0, 0, 1, 1, 2], [4, 4, 1, 2, 1]]
    assert point_uncertainty(draws, [0, 0, 1, 1, 2])[:2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(4))
def test_attachment_equals_a_loop(seed):
    draws = some_draws(12, 15, seed)
    partition = np.array(canonical(draws[0].tolist()))
    partition[-1] = partition.max() + 1  # one cluster of one point
    found = attachment(draws, partition)
    assert found.shape == (12, partition.max() + 1)
    for i, k in itertools.product(range(12), range(partition.max() + 1)):
        others = [j for j in range(12) if partition[j] == k and j != i]
        if others:
            share = np.mean([[row[i] == row[j] for j in others] for row in draws])
        else:
            share = np.mean([(row == row[i]).sum() == 1 for row in draws])
        assert found[i, k] == pytest.approx(share, abs=1e-13)


def test_law_of_the_number_of_clusters():
    chains = [[9, 9, 2, 3, 5, 3], [9, 9, 2, 2, 2, 3]]
    law = law_of_n_clusters(chains, burn_in=2)
    assert law.values.tolist() == [2, 3, 4, 5]
    assert law.probabilities.tolist() == [4 / 8, 3 / 8, 0, 1 / 8]
    assert law.by_chain.tolist() == [[0.25, 0.5, 0, 0.25], [0.75, 0.25, 0, 0]]
    assert law.mean == 22 / 8
    assert law.mode == 2
    assert [law.probability_of(k) for k in (1, 3, 9)] == [0, 3 / 8, 0]


def test_ranked_sizes():
    assert ranked_sizes([[7, 7, 1, 1, 1, 3], [0, 0, 0, 0, 0, 0]], n_largest=2).tolist() == [[3, 2], [6, 0]]
    assert ranked_sizes([[7, 7, 1]], n_largest=4).tolist() == [[2, 1, 0, 0]]


# --- the ball ---------------------------------------------------------------------------------------------------------


def binder(left, right):
    pairs = list(itertools.combinations(range(len(left)), 2))
    return sum((left[i] == left[j]) != (right[i] == right[j]) for i, j in pairs) / len(pairs)


@pytest.mark.parametrize("loss", ["variation_of_information", "binder"])
@pytest.mark.parametrize("probability", [0.5, 0.8, 0.95, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_credible_ball_is_what_its_definition_says(loss, probability, seed):
    rng = np.random.default_rng(seed)
    every = naive.set_partitions(5)
    copies = rng.multinomial(200, rng.dirichlet(np.full(len(every), 0.1)))  # a posterior over all 52 partitions
    draws = np.repeat(every, copies, axis=0)
    centre = every[rng.integers(len(every))]
    distance = binder if loss == "binder" else metrics.variation_of_information
    table = {tuple(row): round(distance(centre.tolist(), row.tolist()), 10) for row in every}
    chance = {tuple(row): count / 200 for row, count in zip(every, copies, strict=True) if count}
    radius = next(
        bound
        for bound in sorted(table.values())
        if sum(share for row, share in chance.items() if table[row] <= bound) >= probability - 1e-9
    )
    held = [row for row in chance if table[row] <= radius]

    def farthest(rows):
        return {row for row in rows if table[row] == max(table[other] for other in rows)}

    n_clusters = {row: max(row) + 1 for row in held}
    ball = credible_ball(draws, centre, loss, probability)
    assert ball.radius == pytest.approx(radius, abs=1e-9)
    assert ball.inside.tolist() == [table[tuple(row)] <= radius for row in draws]
    assert {tuple(row) for row in ball.horizontal.tolist()} == farthest(held)
    fewest = [row for row in held if n_clusters[row] == min(n_clusters.values())]
    most = [row for row in held if n_clusters[row] == max(n_clusters.values())]
    assert {tuple(row) for row in ball.upper_vertical.tolist()} == farthest(fewest)
    assert {tuple(row) for row in ball.lower_vertical.tolist()} == farthest(most)
    for row in every:
        assert ball.distance(row * -5 + 3) == pytest.approx(table[tuple(row)], abs=1e-9)
        assert ball.contains(row) == (table[tuple(row)] <= radius)


def test_a_ball_needs_a_metric():
    with pytest.raises(InvalidParameterError, match="metric"):
        credible_ball([[0, 1]], [0, 1], "one_minus_ari")
    with pytest.raises(InvalidParameterError, match="probability"):
        credible_ball([[0, 1]], [0, 1], probability=0)
    with pytest.raises(InvalidParameterError, match="len\\(centre\\)"):
        credible_ball([[0, 1]], [0, 1, 2])


# --- certain clusters -------------------------------------------------------------------------------------------------


def agreement(draws, chosen, labels):
    """Share of the draws that divide the chosen points like ``labels``."""
    wanted = canonical(np.array(labels)[chosen].tolist())
    return np.mean([canonical(row[chosen].tolist()) == wanted for row in draws])


def largest_certain(draws, probability):
    """Size of the largest subset of points with a partition of that probability, over all subsets."""
    n_points = draws.shape[1]
    for size in range(n_points, 0, -1):
        for chosen in itertools.combinations(range(n_points), size):
            if max(agreement(draws, list(chosen), row) for row in draws) >= probability - 1e-9:
                return size
    raise AssertionError("one point alone is always certain")


@pytest.mark.parametrize("probability", [0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_certain_clusters_are_the_largest_of_all_subsets_and_judged_by_the_other_draws(probability, seed):
    draws = some_draws(6, 39, seed)
    found = certain_clusters(draws, probability)
    searched, judging = draws[:20], draws[20:]
    chosen = np.flatnonzero(found.labels >= 0)
    assert found.share_searched == pytest.approx(agreement(searched, chosen, found.labels), abs=1e-12)
    assert found.probability == pytest.approx(agreement(judging, chosen, found.labels), abs=1e-12)
    assert found.share_searched >= probability
    assert found.n_points == len(chosen) == largest_certain(searched, probability)
    assert found.labels[chosen].tolist() == canonical(found.labels[chosen].tolist())


def test_a_single_draw_is_certain_of_itself():
    found = certain_clusters([[0, 1, 1, 0]])
    assert (found.n_points, found.probability, found.share_searched) == (4, 1.0, 1.0)
    assert found.labels.tolist() == [0, 1, 1, 0]


def test_what_is_said_of_certain_clusters_holds_in_further_draws():
    """Two groups of which every point strays alone, at its own rate: judged by fresh draws, on average right."""
    rng = np.random.default_rng(0)
    rates = np.linspace(0, 0.05, 40)

    def draw(n_draws):
        labels = np.tile(np.arange(40) % 2, (n_draws, 1))
        strays = rng.random(labels.shape) < rates
        return np.where(strays, 2 + np.arange(40), labels)

    errors, flattery = [], []
    for _ in range(60):
        found = certain_clusters(draw(100), 0.95, n_starts=2)
        chosen = np.flatnonzero(found.labels >= 0)
        fresh = draw(400)[:, chosen]
        holds = np.mean((fresh < 2).all(axis=1))
        errors.append(found.probability - holds)
        flattery.append(found.share_searched - holds)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(len(errors))
    assert np.mean(flattery) > 4 * np.std(flattery) / np.sqrt(len(flattery))  # why the searched draws do not judge


@pytest.mark.parametrize("seed", range(3))
def test_no_point_can_be_added_to_certain_clusters(seed):
    draws = some_draws(60, 50, seed)
    found, searched = certain_clusters(draws, 0.7), draws[:25]
    chosen = np.flatnonzero(found.labels >= 0)
    for i in np.flatnonzero(found.labels < 0):
        extended = [*chosen, i]
        for k in range(found.labels.max() + 2):
            labels = found.labels.copy()
            labels[i] = k
            assert agreement(searched, extended, labels) < 0.7


# --- names, and what is refused ---------------------------------------------------------------------------------------


@given(partitions_and_names())
def test_names_do_not_matter(case):
    draws, renamed = case
    assert as_draws(draws).labels.tolist() == as_draws(renamed).labels.tolist()
    first, again = co_clustering(draws), co_clustering(renamed)
    assert (first.ordered() == again.ordered()).all()
    assert credible_ball(draws, draws[0]).radius == credible_ball(renamed, renamed[0]).radius
    assert point_uncertainty(draws, draws[0]).tolist() == point_uncertainty(renamed, renamed[0]).tolist()
    assert attachment(draws, draws[0]).tolist() == attachment(renamed, renamed[0]).tolist()
    assert ranked_sizes(draws).tolist() == ranked_sizes(renamed).tolist()
    assert certain_clusters(draws, 0.6).labels.tolist() == certain_clusters(renamed, 0.6).labels.tolist()


def test_wrong_parameters_are_refused():
    draws = [[0, 0, 1]]
    with pytest.raises(InvalidParameterError, match="max_points"):
        co_clustering(draws, max_points=0)
    with pytest.raises(InvalidParameterError, match="n_largest"):
        ranked_sizes(draws, n_largest=0)
    with pytest.raises(InvalidParameterError, match="probability"):
        certain_clusters(draws, probability=1.5)
    with pytest.raises(InvalidParameterError, match="n_starts"):
        certain_clusters(draws, n_starts=0)
    with pytest.raises(InvalidParameterError, match="whole numbers"):
        law_of_n_clusters([1.5, 2])
    with pytest.raises(InvalidDataError, match="shape"):
        attachment(draws, [[0, 0, 1]])


def test_draws_that_cannot_be_written_to_need_no_kernel_of_their_own():
    labels = some_draws(8, 5, seed=3)
    locked = labels.copy()
    locked.flags.writeable = False
    np.testing.assert_array_equal(as_draws(labels).labels, as_draws(locked).labels)
    assert labels.flags.writeable
    if _jit.COMPILED:
        assert len(draws_module._rename.signatures) == 1
