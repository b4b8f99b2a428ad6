"""One sweep visit by visit: the visits lead from one recorded state to the next, at the costs that decided them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.config import RunConfig
from dpviz.engine.candidates import NEW
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.slow_motion import slow_motion
from dpviz.engine.visits import MOST_VISITS, SlowMotion
from dpviz.errors import InvalidParameterError
from examples import PRIORS, partition_prior

RNG = np.random.default_rng(11)
X = np.concatenate([RNG.normal(centre, 1.0, size=(15, 2)) for centre in ((0, 0), (5, 0), (0, 6))])

COLLAPSED = [
    usual_config(n_init=1, init="single", seed=1),
    usual_config(n_init=10, seed=2),
    usual_config(n_init=1, init="random", init_clusters=6, order="index"),
    usual_config("gibbs", n_sweeps=8, burn_in=1, seed=3),
    usual_config("gibbs", "spherical_normal", n_sweeps=8, burn_in=1, partition=dpviz.PitmanYor(0.5, 0.3)),
    usual_config("gibbs", n_sweeps=8, burn_in=1, partition=dpviz.PoweredChineseRestaurant(2.0, 1.2), order="index"),
]
HARD = [
    RunConfig("kmeans", n_clusters=4, init="random", n_init=1, seed=4),
    RunConfig("dpmeans", penalty=9.0),
    RunConfig("dpmeans", penalty=9.0, sweep="until_birth"),
    RunConfig("dpmeans", penalty=4.0, init="random", init_clusters=3, seed=1),
]


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    return len(np.unique(one)) == len(np.unique(other)) == len(np.unique(np.column_stack([one, other]), axis=0))


def replayed(before: np.ndarray, slow: SlowMotion) -> np.ndarray:
    labels = before.copy()
    for point, old, new in zip(slow.points, slow.from_labels, slow.to_labels, strict=True):
        assert labels[point] == old
        labels[point] = new
    return labels


@pytest.mark.parametrize("config", COLLAPSED + HARD, ids=lambda config: config.to_json()[:60])
def test_visits_lead_from_each_recorded_state_to_the_next(config):
    trace = dpviz.run(X, config)
    for sweep in range(1, trace.n_sweeps + 1):
        slow = slow_motion(X, trace, sweep)
        assert slow.sweep == sweep
        after = replayed(trace.labels_at(sweep - 1), slow)
        assert same_partition(after, trace.labels_at(sweep))
        if config.sweep == "full":
            assert sorted(slow.points) == list(range(len(X)))


@pytest.mark.parametrize("config", COLLAPSED[:3] + HARD, ids=lambda config: config.to_json()[:60])
def test_modes_go_where_it_is_cheapest(config):
    trace = dpviz.run(X, config)
    for sweep in range(1, trace.n_sweeps + 1):
        slow = slow_motion(X, trace, sweep)
        known = set(trace.labels_at(sweep - 1).tolist())
        for visit in range(len(slow.points)):
            candidates, costs = slow.candidates[visit], slow.costs[visit]
            chosen = slow.to_labels[visit]
            listed = candidates == (chosen if chosen in candidates else NEW)
            assert costs[listed].size == 1
            assert costs[listed][0] == pytest.approx(np.nanmin(costs), rel=1e-9, abs=1e-9)
            known.add(int(chosen))


def test_costs_are_those_of_enumerated_joints():
    """Differences of cost between candidates are differences of −ln p(X, z), regardless of the sampler's choice."""
    config = usual_config("gibbs", n_sweeps=3, burn_in=1, seed=5, partition=dpviz.PitmanYor(0.7, 0.2))
    trace = dpviz.run(X, config)
    slow = slow_motion(X, trace, 2)
    labels = trace.labels_at(1)
    checked = 0
    for visit in range(len(slow.points)):
        point = slow.points[visit]
        others = np.delete(labels, point)
        real = slow.candidates[visit] != -2
        joints = []
        for candidate in slow.candidates[visit][real]:
            moved = labels.copy()
            moved[point] = labels.max() + 1 if candidate == NEW or candidate not in others else candidate
            start = replace(config, init=np.unique(moved, return_inverse=True)[1], algorithm="mapdp", temperature=0.0)
            joints.append(next(iter(dpviz.iterate(X, start))).nll)
        costs = slow.costs[visit][real]
        finite = np.isfinite(costs)  # leaving a cluster of one's own and coming back is opening a new one
        assert_allclose(costs[finite] - costs[finite].min(), (np.array(joints) - min(joints))[finite], atol=1e-7)
        checked += np.count_nonzero(finite)
        labels = labels.copy()
        labels[point] = slow.to_labels[visit]
        if visit == 12:
            break
    assert checked > 30


def test_squared_distances_are_to_centres_that_stand_still():
    trace = dpviz.run(X, HARD[0])
    slow = slow_motion(X, trace, 1)
    before = trace.labels_at(0)
    centres = np.array([X[before == k].mean(axis=0) for k in range(4)])
    expected = np.sum((X[:, None] - centres) ** 2, axis=2)
    assert_allclose(slow.costs, expected[slow.points])


def test_lambda_is_the_cost_of_a_new_cluster_in_dpmeans():
    trace = dpviz.run(X, HARD[1])
    slow = slow_motion(X, trace, 1)
    assert_array_equal(slow.costs[slow.candidates == NEW], np.full(len(slow.points), 9.0))


def test_the_run_itself_is_untouched():
    trace = dpviz.run(X, COLLAPSED[3])
    slow = slow_motion(X, trace, 4)
    again = slow_motion(X, trace, 4)
    assert_array_equal(slow.to_labels, again.to_labels)
    assert_array_equal(trace.labels, dpviz.run(X, COLLAPSED[3]).labels)
    assert trace.config.events_sweep is None and Problem(X, trace.config).config == trace.config


def test_long_sweeps_are_cut():
    many = np.concatenate([X] * 150) + RNG.normal(0, 0.1, size=(150 * len(X), 2))
    trace = dpviz.run(many, RunConfig("kmeans", n_clusters=3, n_init=1))
    assert len(slow_motion(many, trace, 1).points) == MOST_VISITS < len(many)


@pytest.mark.parametrize("sweep", [0, -1, 9])
def test_sweeps_that_do_not_exist_are_refused(sweep):
    trace = dpviz.run(X, COLLAPSED[3])
    with pytest.raises(InvalidParameterError, match=f"sweep = {sweep}"):
        slow_motion(X, trace, sweep)


@pytest.mark.parametrize(
    "config",
    [
        RunConfig("em", n_components=2, n_init=1),
        usual_config("gibbs", sampler="explicit_parameters", n_sweeps=4, burn_in=1),
        RunConfig("dpmeans", penalty=9.0, order="shuffled"),
    ],
    ids=["em", "explicit", "shuffled"],
)
def test_runs_without_kept_visits_are_refused(config):
    trace = dpviz.run(X, config)
    with pytest.raises(InvalidParameterError, match="visit|order"):
        slow_motion(X, trace, 1)


def test_a_thinned_chain_has_no_state_before_some_sweeps():
    trace = dpviz.run(X, usual_config("gibbs", n_sweeps=9, burn_in=3, thin=3))
    with pytest.raises(InvalidParameterError, match="not kept"):
        slow_motion(X, trace, 3)


@pytest.mark.parametrize("prior", PRIORS)
def test_nll_after_each_visit_is_that_of_the_partition(prior):
    partition = partition_prior(prior)
    config = usual_config("gibbs", n_sweeps=3, burn_in=1, init="random", init_clusters=4, partition=partition)
    trace = dpviz.run(X, config)
    for sweep in (1, 3):
        slow, labels, states = slow_motion(X, trace, sweep), trace.labels_at(sweep - 1), []
        for point, to in zip(slow.points, slow.to_labels, strict=True):
            labels[point] = to
            states.append(labels.copy())
        assert slow.nll is not None
        assert_allclose(slow.nll, partition_nll(Problem.check(X, config), states), rtol=1e-9)


def test_where_costs_are_no_differences_of_the_nll_there_is_none_after_visits():
    one_point = dpviz.run(X, COLLAPSED[0])
    assert slow_motion(X, one_point, 1).nll is None and slow_motion(X, one_point, 2).nll is not None
    assert slow_motion(X, dpviz.run(X, HARD[0]), 1).nll is None
    gaps = np.where(np.arange(X.size).reshape(X.shape) % 17 == 0, np.nan, X)
    filled = dpviz.run(gaps, usual_config(n_init=1, init="random", init_clusters=4))
    assert slow_motion(gaps, filled, 1).nll is None
