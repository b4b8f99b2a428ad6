"""Where runs start: the strategies of ``auto``, their numbers of clusters, and tiny data sets."""

from __future__ import annotations

import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_array_equal

import dpviz
from dpviz.engine import initialise
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.initialise import extended, sample_of, start_kinds, starting_labels
from dpviz.engine.problem import Problem
from dpviz.engine.search import Search
from dpviz.errors import InvalidParameterError

PRIORS = [
    dpviz.ChineseRestaurant(2.0),
    dpviz.PoweredChineseRestaurant(1.0, 1.3),
    dpviz.GeneralizedChineseRestaurant(1.0, tuple(np.log(np.arange(1, 61)))),
    dpviz.PitmanYor(1.0, 0.4),
    dpviz.FiniteDirichlet(2.0, 5),
]


def points(n_points: int) -> np.ndarray:
    return np.random.default_rng(n_points).normal(size=(n_points, 2)) * [1, 3]


def kinds(n_points: int, **options: object) -> list[str]:
    return [
        str(kind)
        for kind in start_kinds(
            Problem.check(points(n_points), dpviz.RunConfig(**{"family": "normal_wishart", "prior": None, **options}))
        )
    ]


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: prior.name)
@pytest.mark.parametrize("init", ALGORITHMS["mapdp"].starts)
@pytest.mark.parametrize("algorithm", [name for name, algorithm in ALGORITHMS.items() if algorithm.uses_model])
def test_every_start_with_every_prior(algorithm, init, prior):
    options = {"init": init, "partition": prior, "n_init": 6, "max_sweeps": 5, "n_sweeps": 3, "burn_in": 1}
    config = usual_config(algorithm, "normal_gamma", **options)
    if init == "singletons" and isinstance(prior, dpviz.FiniteDirichlet):
        with pytest.raises(InvalidParameterError, match="60 starting clusters.*at most 5"):
            dpviz.run(points(60), config)
        return
    trace = dpviz.run(points(60), config)
    assert len(trace.starts) == 6
    expected = {"auto": ("single", "kmeans"), "kmeans++": ("kmeans++",), "random": ("random",)}.get(init, (init,))
    assert all(start.init.split("(")[0] in expected for start in trace.starts)
    assert all(np.isfinite(start.nll) for start in trace.starts)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: prior.name)
@pytest.mark.parametrize("init", ["single", "sequential", "random", "kmeans++", "auto"])
def test_starting_labels_have_no_gaps_and_suit_the_prior(init, prior):
    problem = Problem.check(points(60), usual_config(init=init, partition=prior, n_init=20))
    for start, kind in enumerate(start_kinds(problem)):
        labels = starting_labels(problem, kind, np.arange(60)[::-1].copy(), np.random.default_rng(start))
        assert labels.dtype == np.int64 and labels.shape == (60,)
        n_clusters = labels.max() + 1
        assert_array_equal(np.unique(labels), np.arange(n_clusters))
        assert n_clusters <= problem.largest_n_clusters
        if kind.strategy == "kmeans":
            assert n_clusters == kind.n_clusters


def test_auto_takes_two_singles_and_kmeans_labels_of_ever_more_clusters():
    assert kinds(13) == ["single"] * 2 + [f"kmeans({k})" for k in (2, 3, 3, 4, 6, 7, 9, 12)]
    assert kinds(1000) == ["single"] * 2 + [f"kmeans({k})" for k in (2, 3, 5, 8, 13, 20, 32, 50)]
    assert kinds(50_000, n_init=7) == ["single"] * 2 + [f"kmeans({k})" for k in (2, 5, 11, 27, 64)]
    assert kinds(1000, n_init=3) == ["single"] * 2 + ["kmeans(2)"]
    assert kinds(1000, n_init=2) == ["single"] * 2
    assert kinds(1000, n_init=1) == ["single"]


@pytest.mark.parametrize(("n_points", "last"), [(12, 11), (9, 8), (5, 4), (4, 3), (3, 2)])
def test_auto_needs_fewer_clusters_than_points(n_points, last):
    found = kinds(n_points)
    assert found[:3] == ["single", "single", "kmeans(2)"] and found[-1] == f"kmeans({last})" and len(found) == 10


@pytest.mark.parametrize("n_points", [1, 2])
def test_auto_without_room_for_kmeans_is_all_single(n_points):
    assert kinds(n_points) == ["single"] * 10


def test_auto_respects_the_number_of_components():
    expected = ["single"] * 2 + [f"kmeans({k})" for k in (2, 2, 3, 3, 3, 4, 4, 5)]
    assert kinds(100, partition=dpviz.FiniteDirichlet(1.0, 5)) == expected
    assert kinds(100, partition=dpviz.FiniteDirichlet(1.0, 1)) == ["single"] * 10


def test_a_point_joins_the_cluster_of_the_sample_that_most_probably_takes_it():
    random_state = np.random.default_rng(2)
    X = random_state.normal(size=(90, 2)) * [1.0, 4.0] + random_state.integers(3, size=90)[:, None] * [3.0, 1.0]
    problem = Problem.check(X, usual_config(partition=dpviz.PoweredChineseRestaurant(1.0, 1.2)))
    sample, labels = np.arange(0, 90, 3), random_state.permutation(np.arange(30) % 4)
    found = extended(problem, sample, labels)
    assert_array_equal(found[sample], labels)
    join = problem.partition.join_table(90)
    scores = np.array(
        [
            problem.family.posterior(X[sample][labels == k]).log_predictive(X) + join[np.count_nonzero(labels == k)]
            for k in range(4)
        ]
    )
    others = np.setdiff1d(np.arange(90), sample)
    assert_array_equal(found[others], np.argmax(scores, axis=0)[others])


def test_very_many_points_are_searched_by_a_sample_first(monkeypatch):
    monkeypatch.setattr(initialise, "MOST_POINTS", 500)
    monkeypatch.setattr(initialise, "SAMPLE", 120)
    random_state = np.random.default_rng(3)
    true = random_state.integers(4, size=600)
    X = random_state.normal(size=(600, 2)) + np.array([[0, 0], [12, 0], [0, 12], [12, 12]])[true]
    config = usual_config(effort=0.05, seed=5)
    chosen, problem = sample_of(Problem.check(X, config))
    assert len(set(chosen.tolist())) == 120 and np.all(np.diff(chosen) > 0)
    whole = Problem.check(X, config).family
    assert_array_equal(problem.family.m0, whole.m0)  # of all points, not of the sample
    trace = dpviz.run(X, config)
    assert [start.init for start in trace.starts] == ["sample"] and trace.converged
    assert dpviz.metrics.ari(true, trace.result_labels) == 1.0
    assert [record.nll for record in dpviz.iterate(X, config)] == trace.nll.tolist()
    asked: list[int] = []
    dpviz.run(X, config, should_stop=lambda: asked.append(0))  # type: ignore[func-returns-value]
    for last in (1, 6, len(asked) // 2, len(asked) - 1):  # while the sample is searched, and after it
        asked.clear()
        stopped = dpviz.run(X, config, should_stop=lambda last=last: asked.append(0) or len(asked) == last)
        assert stopped.n_points == 600 and not stopped.converged and np.isfinite(stopped.nll).all()
    search = Search(Problem.check(X, config))
    for _ in search.records():
        assert search.current_trace().n_points == 600
    assert kinds(600, effort=0)[0] == "single"  # without a search all starts see all points


@pytest.mark.parametrize("n_points", [1, 2, 3])
@pytest.mark.parametrize("init", ALGORITHMS["mapdp"].starts)
@pytest.mark.parametrize("algorithm", ["mapdp", "gibbs"])
def test_tiny_data(algorithm, init, n_points):
    options = {"n_sweeps": 4, "burn_in": 1} if algorithm == "gibbs" else {}
    trace = dpviz.run(points(n_points), usual_config(algorithm, init=init, **options))
    assert np.isfinite(trace.nll).all()
    assert trace.labels.shape[1] == n_points
    if n_points == 1:
        assert_array_equal(trace.n_clusters, 1)


@pytest.mark.parametrize("n_points", [2, 3])
@pytest.mark.parametrize("init", ["kmeans++", "random"])
@pytest.mark.parametrize("algorithm", ["kmeans", "dpmeans", "em"])
def test_tiny_data_of_the_other_algorithms(algorithm, init, n_points):
    trace = dpviz.run(
        points(n_points),
        usual_config(algorithm, init=init, n_clusters=2, n_components=2),
    )
    assert np.isfinite(trace.objective).all()


@pytest.mark.parametrize("init", ["kmeans++", "random"])
@pytest.mark.parametrize(
    ("prior", "n_points"),
    [
        (dpviz.ChineseRestaurant(3.0), 60),
        (dpviz.ChineseRestaurant(0.001), 60),  # E[K] = 1: two are taken
        (dpviz.ChineseRestaurant(1e6), 20),  # E[K] = N
        (dpviz.PitmanYor(1.0, 0.5), 60),
        (dpviz.PoweredChineseRestaurant(1.0, 1.5), 60),
        (dpviz.FiniteDirichlet(50.0, 4), 60),
        (dpviz.ChineseRestaurant(3.0), 1),
    ],
)
def test_default_number_of_clusters_is_the_priors_mean(init, prior, n_points):
    law = np.exp(prior.log_pmf_n_clusters(n_points))
    expected = min(max(round(float(law @ np.arange(n_points + 1))), 2), n_points)
    assert kinds(n_points, init=init, partition=prior, n_init=1) == [f"{init}({expected})"]


def test_a_wished_number_of_clusters_is_taken():
    assert kinds(60, init="kmeans++", init_clusters=7, n_init=2) == ["kmeans++(7)"] * 2
    trace = dpviz.run(points(60), dpviz.RunConfig("dpmeans", init="kmeans++", init_clusters=7, penalty=1e6))
    assert trace.n_clusters[0] == 7


@pytest.mark.parametrize("init", ["single", "sequential", "singletons", [0] * 30 + [1] * 30])
def test_restarts_that_cannot_differ_are_run_once(init):
    assert len(kinds(60, init=init, order="index")) == 1
    assert len(kinds(60, init=init, order="permuted")) == 10
    assert len(kinds(60, init=init, order="index", temperature=1.0)) == 10


def test_given_labels_are_the_initial_state():
    labels = np.random.default_rng(0).integers(-2, 5, size=60) * 3
    for algorithm in ("mapdp", "gibbs", "dpmeans", "kmeans"):
        config = usual_config(algorithm, init=labels, n_clusters=7, n_sweeps=2, burn_in=0)
        first = next(dpviz.iterate(points(60), config))
        assert_array_equal(first.labels, np.unique(labels, return_inverse=True)[1])
        assert (first.n_clusters, first.n_moved, first.seconds) == (7, 0, 0)


def test_sequential_start_depends_on_the_order_and_seats_by_the_prior():
    """With everything at one place only the prior speaks: MAP seating then never opens a second cluster."""
    X = np.zeros((30, 1))
    prior = {"mu0": 0.0, "sigma0_sq": 1e-12, "sigma_hat_sq": 1.0}
    common = {"family": "spherical_normal", "prior": prior, "init": "sequential"}
    lazy = dpviz.run(X, dpviz.RunConfig(partition=dpviz.ChineseRestaurant(0.9), **common))
    assert lazy.n_clusters[0] == 1
    keen = dpviz.run(X, dpviz.RunConfig(partition=dpviz.ChineseRestaurant(1e3), **common))
    assert keen.n_clusters[0] == 30


def test_sequential_seating_at_temperature_one_draws_from_the_prior():
    """Points that say nothing leave the Chinese restaurant's own law of K (closed-form mean)."""
    X = np.zeros((12, 1))
    prior = {"mu0": 0.0, "sigma0_sq": 1e-12, "sigma_hat_sq": 1.0}
    config = dpviz.RunConfig(
        "gibbs",
        family="spherical_normal",
        prior=prior,
        init="sequential",
        partition=dpviz.ChineseRestaurant(1.5),
        n_sweeps=1,
        burn_in=0,
    )
    problem = Problem.check(X, config)
    rng = np.random.default_rng(0)
    kind = start_kinds(problem)[0]
    n_clusters = [starting_labels(problem, kind, np.arange(12), rng).max() + 1 for _ in range(4000)]
    opening = 1.5 / (1.5 + np.arange(12))
    spread = np.sqrt(np.sum(opening * (1 - opening)) / 4000)
    assert abs(np.mean(n_clusters) - opening.sum()) < 4 * spread
