"""How good searches are, and moves that improve them, against enumeration of all partitions."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import naive
import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_array_equal
from split_merge_chain import engine_moves, fast_moves
from test_sampler_exact import check_law, total_variation_of_partitions

import dpviz
import examples
from dpviz.analysis.search import canonical_labels, expected_best, local_optima, restarts
from dpviz.engine.improve import Improvement, IteratedSearch
from dpviz.engine.kernels.collapsed import PartitionTables
from dpviz.engine.kernels.split_merge import log_marginal_ratio, sequential_allocation
from dpviz.engine.problem import Problem
from dpviz.engine.split_merge import SplitMerge
from dpviz.errors import InvalidParameterError
from examples import FOUR, SIX


def setting(family, prior, algorithm="mapdp", X=SIX, **options):
    hyperparameters = examples.hyperparameters(family, X.shape[1])
    partition = examples.partition_prior(prior)
    config = dpviz.RunConfig(algorithm, family=family, prior=hyperparameters, partition=partition, **options)
    return config, naive.Model(X, family, hyperparameters, prior)


def wine():
    X = dpviz.datasets.load("wine").X
    prior = {"m0": X.mean(axis=0), "c0": 10 / len(X), "a0": 1.0, "b0": X.var(axis=0)}
    partition = dpviz.ChineseRestaurant(1.0)
    return X, dpviz.RunConfig("mapdp", family="normal_gamma", prior=prior, partition=partition)


def test_expected_best_is_the_mean_over_all_subsets():
    nlls = np.array([3.0, -1.0, 7.5, 3.0, 0.25, 12.0])
    for m, expected in enumerate(expected_best(nlls), 1):
        assert expected == pytest.approx(np.mean([min(subset) for subset in combinations(nlls, m)]), rel=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_restarts_are_those_of_a_run(n_jobs):
    X = dpviz.datasets.load("iris").X
    config = usual_config(effort=0, seed=5)
    found = list(restarts(X, config, 8, ["auto", "random"], n_jobs))
    for strategy in ("auto", "random"):
        starts = dpviz.run(X, replace(config, init=strategy, n_init=8)).starts
        ours = [(r.start, r.n_clusters, r.nll, r.n_sweeps) for r in found if r.strategy == strategy]
        assert ours == [tuple(start) for start in starts]


def test_local_optima_are_partitions_whatever_their_clusters_are_called():
    X = dpviz.datasets.load("iris").X
    found = list(restarts(X, usual_config(), 12, ["random", "kmeans++"]))
    renamed = [replace(r, labels=r.labels.max() - r.labels) for r in found]
    once, twice = local_optima(found), local_optima(found + renamed)
    assert_array_equal(twice.labels, once.labels)
    assert_array_equal(twice.counts, 2 * once.counts)
    assert once.counts.sum() == len(found) and 1 < len(once.nll) <= len(found)
    assert np.all(np.diff(once.nll) >= 0) and once.nll[0] == min(r.nll for r in found)
    for a, b in product(range(len(once.nll)), repeat=2):
        expected = dpviz.metrics.variation_of_information(once.labels[a], once.labels[b])
        assert once.distances[a, b] == pytest.approx(expected, abs=1e-12)
        assert (once.distances[a, b] == 0) == (a == b)


def test_canonical_labels_count_by_first_appearance():
    assert canonical_labels([7, 7, -2, 5, -2]).tolist() == [0, 0, 1, 2, 1]


# --- the search from a partition --------------------------------------------------------------------------------------


def polish(X, config, labels) -> list[Improvement]:
    """What the search of runs finds from given labels: first the sweeps from them."""
    problem = Problem.check(X, replace(config, init="single"))
    start = [problem.check_labels(labels)]
    steps = IteratedSearch(problem, start, np.random.default_rng(config.seed), config.effort).steps()
    return [step for step in steps if step is not None]


@pytest.mark.parametrize(
    ("family", "prior"),
    [
        ("normal_gamma", "chinese_restaurant"),
        ("normal_wishart", "powered"),
        ("spherical_normal", "finite_dirichlet"),
        ("normal_known_covariance", "pitman_yor"),
    ],
)
def test_the_search_reaches_the_best_of_all_partitions_of_six_points_from_each_of_them(family, prior):
    config, model = setting(family, prior)
    partitions = naive.set_partitions(6)
    nlls = np.array([model.nll(labels) for labels in partitions])
    possible = np.isfinite(nlls)
    for labels, nll in zip(partitions[possible][::4], nlls[possible][::4], strict=True):
        polished = polish(SIX, replace(config, effort=0.2), labels)[-1].score  # one walk
        assert polished.nll == pytest.approx(model.nll(polished.labels), rel=1e-10)
        assert polished.nll <= nll + 1e-9
        assert polished.nll == pytest.approx(nlls.min(), rel=1e-10)


def test_steps_of_the_search_fall_and_end_where_sweeps_change_nothing():
    X, config = wine()
    steps = polish(X, config, np.zeros(len(X), dtype=int))
    assert np.all(np.diff([step.score.nll for step in steps]) < 0)
    assert steps[0].move == "sweeps" and {"split"} <= {step.move for step in steps}
    last = steps[-1].score
    assert last.n_clusters == last.labels.max() + 1
    trace = dpviz.run(X, replace(config, init=last.labels, n_init=1))
    assert trace.n_moved.sum() == 0 and trace.nll[-1] == pytest.approx(last.nll, rel=1e-12)


def test_single_starts_on_wine_end_574_nats_above_what_the_search_finds_from_them():
    """The known figures of this data set and prior: one cluster at 4101.1, the best partition known at 3526.66."""
    X, config = wine()
    for seed in range(20):
        single = dpviz.run(X, replace(config, init="single", n_init=1, seed=seed))
        assert single.nll[-1] == pytest.approx(4101.146015, abs=1e-6)
        polished = polish(X, replace(config, seed=seed), single.labels_at(-1))[-1]
        assert polished.score.nll == pytest.approx(3526.663046, abs=1e-6)


def test_the_default_search_finds_the_best_partition_of_wine_with_every_seed():
    X, config = wine()
    for seed in range(20):
        trace = dpviz.run(X, replace(config, seed=seed))
        assert trace.nll[-1] == pytest.approx(3526.663046, abs=1e-6)


def test_the_search_keeps_to_the_components_there_are():
    config, _ = setting("spherical_normal", "finite_dirichlet")
    config = replace(config, partition=dpviz.FiniteDirichlet(1.2, 2))
    assert polish(SIX * 10, config, np.zeros(6, dtype=int))[-1].score.n_clusters == 2


def test_points_that_coincide_are_polished_without_complaint():
    polished = polish(np.zeros((5, 2)), usual_config(), np.arange(5))
    assert np.isfinite(polished[-1].score.nll)


@pytest.mark.parametrize("labels", [[0, 1], np.zeros((6, 1))])
def test_polish_refuses_labels_of_another_shape(labels):
    with pytest.raises(InvalidParameterError, match="label"):
        polish(SIX, usual_config(), labels)


# --- split–merge moves ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "prior"), [("normal_wishart", "powered"), ("spherical_normal", "pitman_yor")])
def test_split_merge_alone_samples_the_posterior_of_four_points(family, prior):
    config, model = setting(family, prior, "gibbs", FOUR)
    partitions = naive.set_partitions(4)
    exact, labels = model.posterior(partitions), engine_moves(Problem.check(FOUR, config), 20_000, seed=1)
    assert exact.max() < 0.6
    assert total_variation_of_partitions(labels, exact, partitions) <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "prior"),
    [
        ("normal_wishart", "chinese_restaurant"),
        ("normal_gamma", "pitman_yor"),
        ("poisson", "finite_dirichlet"),
        ("poisson", "generalized"),
    ],
)
def test_split_merge_alone_samples_the_posterior_of_six_points(family, prior):
    points = examples.data(family, SIX)
    config, model = setting(family, prior, "gibbs", points)
    labels = fast_moves(Problem.check(points, config), 400_000, seed=2)
    partitions = naive.set_partitions(6)
    exact = model.posterior(partitions)
    check_law(labels, exact, partitions, spread=0.6)


@pytest.mark.parametrize("family", dpviz.FAMILIES)
def test_probabilities_of_all_sequential_allocations_are_naive_products_and_sum_to_one(family):
    points = examples.data(family, SIX)
    config, model = setting(family, "powered", "gibbs", points)
    problem = Problem.check(points, config)
    X, tables = problem.working.X, PartitionTables(problem.partition, 6)
    members, state, total = np.array([4, 1, 0, 5, 3]), problem.working.family.bind(problem.working.X, 2), 0.0
    for ends in product((0, 1), repeat=3):
        target, sides = np.array([0, 1, *ends]), np.array([0, 1, 1, 0, 1])
        counts = np.zeros(2, dtype=np.int64)
        ours = sequential_allocation(state, X, members, sides, counts, tables.log_join, np.ones(5), target)
        blocks, expected = [{4}, {1}], 0.0
        for j in (2, 3, 4):
            scores = model.scores(blocks, int(members[j]))[:2]
            expected += scores[target[j]] - np.logaddexp(*scores)
            blocks[target[j]].add(int(members[j]))
        assert ours == pytest.approx(expected, abs=1e-9)
        assert_array_equal(sides, target)
        assert counts.tolist() == [5 - sum(target), sum(target)]
        total += np.exp(ours)
    assert total == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("family", dpviz.FAMILIES)
def test_two_clusters_against_one_by_the_joint_densities(family):
    points = examples.data(family, SIX)
    config, model = setting(family, "chinese_restaurant", "gibbs", points)
    working = Problem.check(points, config).working
    members, sides = np.array([5, 0, 3, 2]), np.array([0, 1, 1, 0])
    ours = log_marginal_ratio(working.family.bind(working.X, 2), working.X[members], sides, np.array([2, 2]))
    expected = model.log_marginal({5, 2}) + model.log_marginal({0, 3}) - model.log_marginal({5, 0, 3, 2})
    assert ours == pytest.approx(expected, rel=1e-9)


def test_moves_divide_two_far_groups_that_start_as_one_cluster():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)), 30 + rng.normal(size=(40, 2))])
    prior = {"psi0": np.eye(2), "c0": 0.01}
    config = dpviz.RunConfig("gibbs", partition=dpviz.ChineseRestaurant(0.01), prior=prior, family="normal_wishart")
    move, random_state = SplitMerge(Problem.check(X, config)), np.random.default_rng(1)
    labels = np.zeros(80, dtype=np.int64)
    labels, _ = move.move(labels, random_state, 30)
    assert dpviz.metrics.ari(labels, np.arange(80) // 40) > 0.9  # a stray pair is for sweeps to settle


@pytest.mark.parametrize("options", [{"temperature": 2.0}, {"sampler": "explicit_parameters"}])
def test_moves_for_another_target_are_refused(options):
    with pytest.raises(InvalidParameterError):
        SplitMerge(Problem.check(SIX, usual_config("gibbs", **options)))
