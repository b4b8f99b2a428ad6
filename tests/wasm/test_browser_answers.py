"""What browsers ask of a partition, in wasmtime: the server's scores of places, shapes and visits."""

from __future__ import annotations

import numpy as np
import pytest
import wasm_engine
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
from dpviz.browser.layout import ENDED, FAMILIES
from dpviz.engine.algorithms.base import algorithm_of
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import projected_shapes
from dpviz.engine.slow_motion import slow_motion

SEEDS = range(20)
MODELS = ("mapdp", "gibbs")
EXACT = {"rtol": 1e-10, "atol": 1e-9}
"""Of numbers that the server computes in other coordinates; data are of unit order."""


def blobs(seed, n_points=40, n_features=2):
    rng = np.random.default_rng([seed, n_features])
    centres = rng.normal(0, 4, (4, n_features))
    return centres[rng.integers(4, size=n_points)] + rng.normal(size=(n_points, n_features))


def configurations(seed):
    """One of every algorithm and family, with few sweeps, and starts that leave much to do."""
    partition = (dpviz.PitmanYor(1.0, 0.3), dpviz.FiniteDirichlet(2.0, 9), dpviz.PoweredChineseRestaurant(1.0, 1.2))
    common = {"prior": None, "seed": seed, "partition": partition[seed % 3]}
    for number, family in enumerate(FAMILIES):
        if (number + seed) % 2:
            yield dpviz.RunConfig("gibbs", family=family, init="single", n_sweeps=3, burn_in=0, **common)
        else:
            start = ("random", "kmeans++")[seed % 2]
            yield dpviz.RunConfig("mapdp", family=family, init=start, init_clusters=5, max_sweeps=3, n_init=2, **common)
    yield dpviz.RunConfig("kmeans", n_clusters=2 + seed % 5, n_init=2, init=("random", "kmeans++")[seed % 2], seed=seed)
    yield dpviz.RunConfig("dpmeans", penalty=4.0 + seed, sweep=("full", "until_birth")[seed % 2], seed=seed)


def assert_places_agree(X, config, trace, sweep):
    """Compare scores of a few places far and near, and who takes them."""
    problem, labels = Problem.check(X, config), trace.labels_at(sweep).astype(np.int64)
    used, modelled = np.unique(labels), config.algorithm in MODELS
    grid = np.linspace(X.min(axis=0) - 1, X.max(axis=0) + 1, 9)
    where = np.vstack([X[:3] + 0.1, X.max(axis=0) + 30.0, grid])
    if modelled:
        expected = PartitionPredictive(problem, labels).log_scores(where)
    else:
        expected = algorithm_of(problem).scores_of_places(problem, labels, where)
    log_predictive, log_weight, (takers, margins, costs) = wasm_engine.places(X, config, labels, where)
    present = np.append(used, labels.max() + 1)[: expected.shape[1]]
    found = (log_predictive + log_weight)[:, present]
    assert_allclose(found - np.logaddexp.reduce(log_weight) * modelled, expected, **EXACT)
    taker = np.append(used, -1)[expected.argmax(axis=1)]
    if expected.shape[1] > 1:
        second, first = np.partition(expected, -2, axis=1)[:, -2:].T
        assert_allclose(margins, first - second, **EXACT)
    assert_array_equal(takers[margins > 1e-9], taker[margins > 1e-9])
    cost = -np.logaddexp.reduce(expected, axis=1) if modelled else -expected.max(axis=1)
    assert_allclose(costs, cost, **EXACT)


def assert_shapes_agree(X, config, trace, seed):
    """Compare the shapes of all recorded rows in a plane that is none of the columns'."""
    problem, rows = Problem.check(X, config), np.arange(len(trace.labels))
    rng = np.random.default_rng(seed)
    directions, origin = rng.normal(size=(2, X.shape[1])), rng.normal(size=X.shape[1])
    found, offsets = wasm_engine.shapes(X, config, trace.labels, directions, origin)
    expected = projected_shapes(problem, trace, rows, directions, origin)
    ellipses = expected.shapes.ellipses()
    assert_array_equal(found[:, 0], expected.labels)
    assert_array_equal(np.repeat(rows, np.diff(offsets)), expected.rows)
    assert_allclose(found[:, 1:3], ellipses.centres, rtol=1e-10, atol=1e-10)
    scales = ellipses.scales.reshape(-1, 4)[:, [0, 1, 3]]
    assert_allclose(found[:, [3, 5]], scales[:, [0, 2]], rtol=1e-10)
    assert_allclose(found[:, 4], scales[:, 1], atol=1e-10 * scales[:, [0, 2]].max())
    assert_allclose(found[:, 6:], ellipses.factors, rtol=1e-10)


def assert_visits_agree(X, config, trace):
    """Compare all sweeps visit by visit."""
    for sweep in range(1, trace.n_point_sweeps + 1):
        expected = slow_motion(X, trace, sweep)
        visited, candidates, costs, nll = wasm_engine.visits(X, config, trace.chosen_start, sweep, len(X))
        n_visits = len(expected.points)
        table = np.column_stack([expected.points, expected.from_labels, expected.to_labels])
        assert_array_equal(visited[:n_visits], table)
        assert (visited[n_visits:] < 0).all(), "a sweep that ends at a birth"
        assert_array_equal(candidates[:n_visits], expected.candidates)
        assert_allclose(costs[:n_visits], expected.costs, **EXACT)
        if config.algorithm in MODELS and not (sweep == 1 and config.first_sweep == "one_point"):
            assert_allclose(nll[-1], trace.nll[sweep], rtol=1e-10)


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_all_questions_have_the_servers_answers(n_features):
    for seed in SEEDS:
        X = blobs(seed, 30, n_features)
        for config in configurations(seed):
            trace = dpviz.run(X, config)
            assert_places_agree(X, config, trace, min(2, trace.n_sweeps))
            assert_shapes_agree(X, config, trace, seed)
            assert_visits_agree(X, config, trace)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_visit_may_have_more_candidates_than_there_is_room_for(family):
    X = blobs(3)
    config = dpviz.RunConfig("mapdp", family=family, prior=None, init="singletons", max_sweeps=2)
    arrays = [np.zeros(3 * 5, np.int32), np.zeros(5 * 4, np.int32), np.zeros(5 * 4), np.zeros(5)]
    (request, values), _ = wasm_engine.arguments(X, config)
    widest, (visited, candidates, *_) = wasm_engine.called(
        "visits", config, request, values, 0, 1, *arrays, filled=arrays
    )
    assert widest == len(X)
    whole, all_candidates, *_ = wasm_engine.visits(X, config, 0, 1, 5, widest)
    assert all_candidates[:, :4].ravel().tolist() == candidates.tolist()
    assert visited.tolist() == whole.ravel().tolist()


def test_centres_are_a_start_of_kmeans():
    for seed in SEEDS:
        X = blobs(seed, 80, 1 + seed % 3)
        centres = np.random.default_rng(seed).normal(0, 6, (2 + seed % 6, X.shape[1]))
        config = dpviz.RunConfig("kmeans", n_clusters=len(centres), init=centres, seed=seed)
        wasm_engine.assert_equal_to_the_servers(X, config)


def test_a_sweep_that_there_was_not_has_no_visits():
    X, config = blobs(2), dpviz.RunConfig("kmeans", n_clusters=2, n_init=1)
    n_sweeps = dpviz.run(X, config).n_sweeps
    arrays = [np.zeros(3, np.int32), np.zeros(4, np.int32), np.zeros(4), np.zeros(1)]
    (request, values), _ = wasm_engine.arguments(X, config)
    assert wasm_engine.called("visits", config, request, values, 0, n_sweeps + 1, *arrays, filled=[])[0] == ENDED
