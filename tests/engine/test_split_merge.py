"""Splits and merges as an option of Gibbs sampling: exact, faster from bad starts, and absent when not asked for."""

from __future__ import annotations

from dataclasses import replace

import naive
import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_array_equal
from split_merge_chain import fast_moves
from test_sampler_exact import check_law, total_variation_of_partitions

import dpviz
import examples
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.slow_motion import slow_motion
from dpviz.engine.split_merge import SplitMerge
from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.metrics import ari
from examples import FOUR, SIX, WISHART


def gibbs_problem(X, family, prior, **options):
    hyperparameters = examples.hyperparameters(family, X.shape[1])
    usual = {"family": family, "prior": hyperparameters, "init": "single", "burn_in": 0}
    return Problem.check(X, dpviz.RunConfig("gibbs", partition=examples.partition_prior(prior), **usual, **options))


@pytest.mark.parametrize(("family", "prior"), [("normal_gamma", "pitman_yor"), ("normal_wishart", "powered")])
def test_the_chain_has_the_exact_law_of_four_points(family, prior):
    hyperparameters, partitions = examples.hyperparameters(family, 2), naive.set_partitions(4)
    exact = naive.Model(FOUR, family, hyperparameters, prior).posterior(partitions)
    assert exact.max() < 0.6, "the posterior has to be spread for the test to mean something"
    trace = dpviz.run(FOUR, gibbs_problem(FOUR, family, prior, split_merge=2, n_sweeps=12_100).config)
    assert 0 < trace.acceptance_rate < 1
    assert total_variation_of_partitions(trace.draws[100:], exact, partitions) <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("family", ["normal_gamma", "normal_wishart"])
@pytest.mark.parametrize("prior", ["chinese_restaurant", "powered"])
def test_the_chain_has_the_exact_law_of_six_points(family, prior):
    hyperparameters, partitions = examples.hyperparameters(family, 2), naive.set_partitions(6)
    exact = naive.Model(SIX, family, hyperparameters, prior).posterior(partitions)
    labels = fast_moves(gibbs_problem(SIX, family, prior, split_merge=1), 100_100, with_sweeps=True)[100:]
    check_law(labels, exact, partitions, most=0.02, spread=0.6)


@pytest.mark.parametrize("order", ["index", "shuffled"])
def test_a_run_sweeps_and_moves_in_turn(order):
    """By hand, with the same generator."""
    problem = gibbs_problem(SIX, "normal_gamma", "pitman_yor", split_merge=2, order=order, n_sweeps=200)
    trace, rng = dpviz.run(SIX, problem.config), np.random.default_rng([problem.config.seed, 0])
    moves, working, visits = SplitMerge(problem), problem.working, np.arange(6)
    if order == "shuffled":
        rng.permutation(6)  # of a start that would need one
    clusters = CollapsedSweeper(
        working.family, working.X, working.log_jacobian, problem.partition, trace.labels_at(0), 1.0, True
    )
    for sweep in range(1, 201):
        if order == "shuffled":
            visits = rng.permutation(6)
        clusters.sweep(visits, rng.random(6))
        labels, n_accepted = clusters.labels, 0
        for _ in range(2):
            labels, made = moves.move(labels, rng)
            n_accepted += made.n_accepted
        clusters.assign(labels)
        assert_array_equal(trace.labels_at(sweep), clusters.labels)
        assert (trace.nll[sweep], trace.n_accepted[sweep]) == (clusters.nll, n_accepted)
    assert 0 < trace.acceptance_rate < 1


def sweeps_until(X, start, condition, split_merge, seed):
    """Sweeps before a chain's largest share of points first meets a condition; at most 60 are made."""
    config = dpviz.RunConfig(
        "gibbs",
        family="normal_gamma",
        prior={"width": 1.0},
        partition=dpviz.ChineseRestaurant(0.1),
        init=start,
        n_sweeps=60,
        burn_in=0,
        split_merge=split_merge,
        seed=seed,
    )
    trace = dpviz.run(X, config)
    largest = np.array([trace.sizes(sweep).max() for sweep in range(trace.n_sweeps + 1)]) / len(X)
    reached = np.flatnonzero(condition(largest))
    return int(reached[0]) if len(reached) else np.inf


@pytest.mark.parametrize("seed", range(3))
def test_two_halves_of_one_cluster_come_together_at_once_and_without_such_moves_do_not(seed):
    rng = np.random.default_rng(0)
    X, halves = rng.normal(size=(1000, 2)), rng.integers(2, size=1000)
    assert sweeps_until(X, halves, lambda largest: largest > 0.9, 0, seed) > 60
    assert sweeps_until(X, halves, lambda largest: largest > 0.9, 1, seed) <= 10


@pytest.mark.parametrize("seed", range(3))
def test_two_clusters_that_start_as_one_part_sooner(seed):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 8)) + 3 / np.sqrt(8) * np.repeat([0, 1], 100)[:, None]
    start = np.zeros(200, dtype=int)
    assert sweeps_until(X, start, lambda largest: largest < 0.6, 0, seed) > 30
    assert sweeps_until(X, start, lambda largest: largest < 0.6, 1, seed) <= 5


def nats_above_the_groups(seed, **options):
    """Lowest nll of a chain on three groups of unequal radius, less that of the groups themselves."""
    data = dpviz.datasets.synthesize("spherical_unequal_radius", 1000, seed=seed)
    config = usual_config("gibbs", seed=seed, **options)
    groups = partition_nll(Problem.check(data.X, config), [data.labels])[0]
    return float(dpviz.run(data.X, config).nll.min() - groups)


def test_chains_as_pages_begin_them_reach_three_groups_of_unequal_radius():
    usual = dict(ALGORITHMS["gibbs"].page_defaults)
    assert usual["split_merge"] == 1
    above = np.array([nats_above_the_groups(seed, **usual) for seed in range(20)])
    alone = np.array([nats_above_the_groups(seed, **{**usual, "split_merge": 0}) for seed in range(20)])
    assert np.sum(above < 50) >= 19
    assert np.sum(alone > 90) >= 5  # two groups glued together, or one cut in two


@pytest.mark.parametrize("seed", range(3))
def test_two_far_groups_of_a_mixture_of_unknown_size_part_from_one_cluster(seed):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(250, 2)), rng.normal(size=(250, 2)) + [6, 0]])
    config = usual_config(
        "gibbs",
        partition=dpviz.MixtureOfFiniteMixtures(),
        init=np.zeros(500, int),
        n_sweeps=100,
        burn_in=0,
        split_merge=1,
        seed=seed,
    )
    trace = dpviz.run(X, config)
    assert 2 in trace.n_clusters
    assert ari(trace.labels_at(100), np.repeat([0, 1], 250)) > 0.9


def test_series_count_what_was_accepted_and_what_it_moved():
    rng = np.random.default_rng(0)
    X, halves = rng.normal(size=(300, 2)), rng.integers(2, size=300)
    config = usual_config("gibbs", "normal_gamma", init=halves, n_sweeps=40, burn_in=0, split_merge=3, order="index")
    trace = dpviz.run(X, config)
    assert trace.n_accepted.shape == trace.nll.shape and trace.n_accepted[0] == 0
    assert 0 < trace.n_accepted.sum() == pytest.approx(trace.acceptance_rate * 3 * 40)
    assert_array_equal(np.diff(trace.n_clusters), (trace.n_born - trace.n_died)[1:])
    assert_array_equal(trace.to_frame()["n_accepted"], trace.n_accepted)
    without = dpviz.run(X, replace(config, split_merge=0))  # its first sweep makes the same visits
    assert (trace.n_moved[1] - without.n_moved[1] > 0) == (trace.n_accepted[1] > 0)
    for sweep in range(1, 41):
        again = next(iter(dpviz.iterate(X, replace(config, init=trace.labels_at(sweep)))))
        assert trace.nll[sweep] == pytest.approx(again.nll, rel=1e-12)


def test_slow_motion_replays_the_visits_before_the_proposals():
    """Where no proposal was accepted the visits lead to the recorded state, and elsewhere to another one."""
    rng = np.random.default_rng(0)
    X, halves = rng.normal(size=(120, 2)), rng.integers(2, size=120)
    config = usual_config("gibbs", "normal_gamma", init=halves, n_sweeps=30, burn_in=0, split_merge=2)
    trace = dpviz.run(X, config)
    assert 0 < np.count_nonzero(trace.n_accepted) < 30
    for sweep in range(1, 31):
        slow = slow_motion(X, trace, sweep)
        assert sorted(slow.points) == list(range(120))
        labels = trace.labels_at(sweep - 1)
        for point, old, new in zip(slow.points, slow.from_labels, slow.to_labels, strict=True):
            assert labels[point] == old
            labels[point] = new
        if trace.n_accepted[sweep] < 2:  # two may undo each other
            assert (ari(labels, trace.labels_at(sweep)) == 1) == (trace.n_accepted[sweep] == 0)


def test_without_such_moves_nothing_is_recorded_of_them():
    X = np.random.default_rng(2).normal(size=(40, 2))
    trace = dpviz.run(X, usual_config("gibbs", n_sweeps=5, burn_in=0))
    assert trace.n_accepted is None and np.isnan(trace.acceptance_rate)
    assert "n_accepted" not in trace.to_frame() and "n_accepted" not in trace.to_json()


def test_stored_runs_keep_what_was_accepted_and_must_not_claim_more_than_was_proposed():
    X = np.random.default_rng(2).normal(size=(40, 2))
    trace = dpviz.run(X, usual_config("gibbs", n_sweeps=9, burn_in=0, split_merge=2))
    again = dpviz.Trace.from_json(trace.to_json())
    assert_array_equal(again.n_accepted, trace.n_accepted)
    assert again.config == trace.config and again.acceptance_rate == trace.acceptance_rate
    with pytest.raises(TraceFormatError, match="not among those it proposed"):
        dpviz.Trace.from_json(replace(trace, n_accepted=trace.n_accepted + 3).to_json())
    with pytest.raises(TraceFormatError, match="accepted moves do not match"):
        dpviz.Trace.from_json(replace(trace, n_accepted=np.zeros(3, dtype=np.int64)).to_json())


@pytest.mark.parametrize("options", [{"sampler": "explicit_parameters"}, {"temperature": 0.5}])
def test_they_need_the_collapsed_sampler_at_temperature_one(options):
    with pytest.raises(InvalidParameterError, match=r"split_merge = 2 must be 0 with sampler="):
        dpviz.RunConfig("gibbs", split_merge=2, **options)
    chosen = {"sampler": "collapsed", "temperature": 1.0, **options}
    assert not ALGORITHMS["gibbs"].applies("split_merge", chosen)


@pytest.mark.parametrize("wrong", [-1, 1.5, True, 10_000])
def test_numbers_of_proposals_that_make_no_sense_are_refused(wrong):
    with pytest.raises(InvalidParameterError, match="split_merge"):
        usual_config("gibbs", split_merge=wrong)


def test_the_estimator_takes_them():
    X = np.random.default_rng(2).normal(size=(40, 2))
    fitted = dpviz.GibbsDP(n_sweeps=20, burn_in=5, split_merge=2, random_state=1, **WISHART).fit(X)
    assert fitted.trace_.config.split_merge == 2 and fitted.trace_.n_accepted.shape == (21,)
