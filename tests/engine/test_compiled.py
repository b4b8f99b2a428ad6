"""Compiled and plain Python run the same lines: the same labels, the same numbers, and every seed repeats itself."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_array_equal, assert_equal
from other_way import print_this_way, printed_the_other_way

import dpviz
import examples
from dpviz._jit import ROOM, forget, keep, kept, kernel
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem

SERIES = ("nll", "objective", "n_clusters", "n_moved", "n_born", "n_died")
N_SWEEPS, N_POINTS = 50, 40


def data(family="normal_gamma"):
    rng = np.random.default_rng(21)
    centres = rng.normal(scale=1.4, size=(4, 2))
    X = centres[rng.integers(4, size=N_POINTS)] + rng.normal(scale=0.8, size=(N_POINTS, 2))
    return X if family in examples.GAUSSIAN else dpviz.FAMILIES[family].example_data(N_POINTS, 5, 21)


def collapsed_history(family, prior, temperature, gaps=False):
    """Labels, events and scores of 50 sweeps; every tenth restarts, since MAP-DP converges quickly."""
    X, rng = data(family), np.random.default_rng(22)
    if gaps:
        X[np.random.default_rng(34).random(X.shape) < 0.2] = np.nan
    if family == "mixed":
        X[-1, [0, 2, 4]] *= 400  # its real column, its counts and its durations
    elif family in examples.UNBOUNDED:
        X[-1] *= 400  # so far off that leaving it out of sums that are not exact is refused
    config = dpviz.RunConfig("gibbs", family=family, prior=examples.hyperparameters(family, X.shape[1]))
    working = Problem.check(X, config).working
    partition = examples.partition_prior(prior)
    labels, scores = [], []
    for sweep in range(N_SWEEPS):
        if sweep % 10 == 0:
            start = np.unique(rng.integers(2 + sweep // 10 % 3, size=N_POINTS), return_inverse=True)[1]
            clusters = CollapsedSweeper(
                working.family, working.X, working.log_jacobian, partition, start, temperature, first_sweep_rule=True
            )
        order, uniforms = rng.permutation(N_POINTS), rng.random(N_POINTS if temperature else 0)
        moves = clusters.sweep(order, uniforms, record_events=True)
        labels.append([*clusters.labels.tolist(), moves.n_moved, moves.n_born, moves.n_died, *moves.events.ravel()])
        scores.append([clusters.nll, clusters.objective])
    return {"labels": np.array(labels).tolist(), "scores": scores}


RUNS = {
    "kmeans": dpviz.RunConfig("kmeans", n_clusters=4, n_init=3, seed=23),
    "dpmeans": dpviz.RunConfig("dpmeans", penalty=6.0, order="shuffled", n_init=2, seed=24),
    "dpmeans until birth": dpviz.RunConfig("dpmeans", penalty=6.0, sweep="until_birth", seed=25),
    "em": dpviz.RunConfig("em", n_components=3, n_init=2, max_sweeps=N_SWEEPS, seed=26),
    "mapdp": usual_config(n_init=7, seed=27, events_sweep=2),
    "mapdp filling cells in": usual_config(n_init=7, seed=36),
    "mapdp sequential": usual_config(family="normal_gamma", init="sequential", order="shuffled", n_init=3, seed=28),
    "gibbs": usual_config("gibbs", n_sweeps=N_SWEEPS, burn_in=9, thin=3, seed=29, init="kmeans++"),
    "gibbs sequential": usual_config(
        "gibbs", "normal_gamma", n_sweeps=N_SWEEPS, burn_in=0, seed=30, temperature=1.7, init="sequential"
    ),
    "gibbs split and merge": usual_config("gibbs", n_sweeps=N_SWEEPS, burn_in=0, seed=34, split_merge=2),
    "gibbs learning": usual_config(
        "gibbs",
        n_sweeps=N_SWEEPS,
        burn_in=0,
        seed=35,
        partition=dpviz.PoweredChineseRestaurant(1.2, 1.1),
        hyperpriors={"concentration": "gamma(1,1)", "power": "0.5+gamma(2,2)"},
    ),
    "gibbs explicit parameters": usual_config(
        "gibbs", "normal_gamma", n_sweeps=N_SWEEPS, burn_in=0, seed=31, sampler="explicit_parameters"
    ),
    "gibbs explicit weights": usual_config(
        "gibbs",
        n_sweeps=N_SWEEPS,
        burn_in=0,
        seed=32,
        sampler="explicit_weights",
        partition=dpviz.FiniteDirichlet(1.2, 5),
    ),
}


def run_history(name):
    X = data()
    if "filling" in name:
        X[np.random.default_rng(36).random(X.shape) < 0.2] = np.nan
    trace = dpviz.run(X, RUNS[name])
    return {
        "labels": [*trace.labels.tolist(), [trace.chosen_start, trace.n_sweeps]],
        "scores": [getattr(trace, series).tolist() for series in SERIES],
    }


class Numbers(NamedTuple):
    halves: np.ndarray
    wholes: np.ndarray
    n: int


@kernel
def numbers_of(n):
    return Numbers(np.arange(n) * 0.5, np.arange(n), n)


@kernel
def leave(place, n):
    keep(place, numbers_of(n))
    return 0


@kernel
def take_up(place):
    """Keep the double of numbers in their place; return the sums of before."""
    numbers = kept(place, numbers_of, (0,))
    sums = np.array([numbers.halves.sum(), numbers.wholes.sum(), numbers.n])
    doubled = Numbers(2 * numbers.halves, 2 * numbers.wholes, 2 * numbers.n)
    forget(place, numbers_of, (0,))
    keep(place, doubled)
    return sums


def kept_in_arrays():
    places = [np.zeros(64) for _ in range(3)]
    for place, n in zip(places, (5, 70, 9), strict=True):
        leave(place, n)
    return [take_up(place).tolist() for _ in range(4) for place in reversed(places)]


@kernel
def leave_as_it_is(place, state):
    keep(place, state)
    return 0


def test_what_would_be_written_beyond_its_place_is_not_compiled():
    place = np.zeros(2 * ROOM)
    leave_as_it_is(place, (0.0,) * ROOM)
    with pytest.raises(Exception, match=f"more than {ROOM} numbers"):
        leave_as_it_is(place, (0.0,) * (ROOM + 1))


def all_histories():
    collapsed = {
        f"{family} {prior} {temperature}": collapsed_history(family, prior, temperature)
        for family in dpviz.FAMILIES
        for prior in dpviz.PARTITION_PRIORS
        for temperature in (0.0, 1.0)
    }
    gaps = {
        f"{family} with gaps": collapsed_history(family, "powered", 1.0, gaps=True) for family in examples.INDEPENDENT
    }
    kept = {"kept in arrays": kept_in_arrays()}
    return {**collapsed, **gaps, **kept, **{name: run_history(name) for name in RUNS}}


@cache
def histories_of_the_other_way():
    """Run this file with compilation switched off (or on, if it is off here)."""
    return printed_the_other_way(__file__)


def assert_same(ours, theirs):
    assert ours["labels"] == theirs["labels"]
    for mine, other in zip(ours["scores"], theirs["scores"], strict=True):
        assert mine == pytest.approx(other, rel=1e-10, abs=1e-10, nan_ok=True)  # nll is NaN where there is no model


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("prior", dpviz.PARTITION_PRIORS)
@pytest.mark.parametrize("family", dpviz.FAMILIES)
def test_compiled_sweeps_are_the_plain_ones(family, prior, temperature):
    ours = collapsed_history(family, prior, temperature)
    least = 2 if (family, temperature) == ("circular", 0.0) else 3  # the example's angles settle in two sweeps
    assert len({tuple(row[:N_POINTS]) for row in ours["labels"]}) > least
    assert_same(ours, histories_of_the_other_way()[f"{family} {prior} {temperature}"])


@pytest.mark.parametrize("family", examples.INDEPENDENT)
def test_compiled_sweeps_over_gaps_are_the_plain_ones(family):
    ours = collapsed_history(family, "powered", 1.0, gaps=True)
    assert len({tuple(row[:N_POINTS]) for row in ours["labels"]}) > 3
    assert_same(ours, histories_of_the_other_way()[f"{family} with gaps"])


def test_what_is_kept_in_arrays_is_found_as_it_was():
    sums = [[2**t * total for total in (n * (n - 1) / 4, n * (n - 1) / 2, n)] for t in range(4) for n in (9, 70, 5)]
    assert kept_in_arrays() == sums == histories_of_the_other_way()["kept in arrays"]


@pytest.mark.parametrize("name", RUNS)
def test_compiled_runs_are_the_plain_ones(name):
    assert_same(run_history(name), histories_of_the_other_way()[name])


@pytest.mark.parametrize("name", RUNS)
def test_a_seed_gives_the_same_trace_and_another_seed_another(name):
    config, X = RUNS[name], data()
    first, second = dpviz.run(X, config), dpviz.run(X.copy(), dpviz.RunConfig.from_json(config.to_json()))
    for field, value in vars(first).items():
        if not field.endswith("seconds"):
            assert_equal(getattr(second, field), value, err_msg=field)
    assert first.seconds[0] == 0 and np.all(first.seconds[1:] > 0)
    if name != "dpmeans until birth":  # visits the points as they come, from one cluster: nothing random in it
        seeds = [dpviz.run(X, dpviz.RunConfig.from_dict({**config.to_dict(), "seed": seed})) for seed in range(6)]
        assert any(not np.array_equal(other.labels, first.labels) for other in seeds)


@pytest.mark.parametrize("estimator", [dpviz.MAPDP, dpviz.GibbsDP, dpviz.KMeans, dpviz.DPMeans, dpviz.GaussianEM])
def test_estimators_repeat_their_trace_from_its_configuration(estimator):
    X = data()
    options = {"n_sweeps": 20, "burn_in": 5} if estimator is dpviz.GibbsDP else {}
    fitted = estimator(random_state=np.random.default_rng(33), **options).fit(X)
    again = dpviz.run(X, fitted.trace_.config)
    assert_array_equal(again.labels, fitted.trace_.labels)
    assert_array_equal(again.objective, fitted.trace_.objective)


if __name__ == "__main__":
    print_this_way(all_histories())
