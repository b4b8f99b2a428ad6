"""Tables of columns of several kinds in the browser's module for them, in wasmtime: the same as the server's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import wasm_engine
from numpy.testing import assert_allclose, assert_array_equal
from test_browser_answers import assert_visits_agree

import dpviz
from dpviz.browser import columns_of
from dpviz.browser.layout import COLUMNS, PARTITIONS
from dpviz.engine.kernels.search_plan import TRIAL_OPERATIONS
from dpviz.engine.problem import Problem
from dpviz.families.columns.placing import Columns, column_numbers
from dpviz.families.gaussian.placing import Given, placed
from dpviz.laboratory import METHODS

SEEDS = range(20)
KINDS = {
    "circular 24": lambda g, rng: np.mod(np.array([1.0, 9.0, 17.0])[g] + rng.normal(0, 1, len(g)), 24.0),
    "hurdle": lambda g, rng: np.where(rng.random(len(g)) < 0.3, 0.0, np.exp(g + rng.normal(0, 0.3, len(g)))),
    "share 100": lambda g, rng: np.clip(np.round(rng.normal(25.0 + 25.0 * g, 25.0)), 0.0, 100.0),
    "continuous": lambda g, rng: rng.normal(20.0 * g, 5.0),
    "count": lambda g, rng: rng.poisson(2.0 + 3.0 * g),
    "categorical": lambda g, rng: (g + rng.integers(2, size=len(g))) % 4,
    "binary": lambda g, rng: rng.random(len(g)) < 0.2 + 0.3 * g,
    "circular 360": lambda g, rng: rng.vonmises(2.0 * g, 3.0) * 180 / np.pi,
    "duration": lambda g, rng: rng.exponential(1.0 + 4.0 * g),
    "ordinal": lambda g, rng: np.minimum(rng.poisson(1.0 + g), 4),
}
"""Columns of three groups, by their kind."""
TABLES = (
    tuple(KINDS),
    ("circular 24", "hurdle"),
    ("circular 24", "categorical"),
    ("continuous", "circular 360", "continuous", "count"),
    ("hurdle", "continuous", "hurdle"),
    ("share 100", "continuous"),
)
"""With gaps in working data, as hurdles and shares leave them, and complete; with real columns and without."""


def table(seed, kinds, n_points=60):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.arange(n_points) % 3)
    return np.column_stack([KINDS[kind](groups, rng) for kind in kinds]).astype(float)


def model(kinds, width=None):
    """A table's model, with a width if any column has one."""
    wide = {"continuous", "hurdle", "share 100"} & set(kinds)
    return {"family": "mixed", "kinds": kinds, "prior": {"width": width} if wide and width else None}


@pytest.mark.parametrize("kinds", TABLES, ids=" ".join)
def test_a_table_that_was_written_has_the_state_that_a_run_binds(kinds):
    X = table(0, kinds, 30)
    usual = Problem.check(X, dpviz.RunConfig("mapdp", **model(kinds)))
    numbers, none = column_numbers(usual.working), np.full(4, np.nan)
    for width in (1.0, 0.3):
        problem = Problem.check(X, dpviz.RunConfig("mapdp", **model(kinds, width)))
        found = placed(Columns(numbers), problem.coordinates, Given(none, np.nan, np.nan, none, none, width), 7)
        assert_array_equal(found.X, problem.working.X)
        assert found.log_jacobian == problem.working.log_jacobian
        state = problem.working.family.bind(problem.working.X, 7)
        asked = {"student": state.is_student.any(), "gamma": state.is_student.any(), "by_size": state.complete}
        for name, value in state._asdict().items():
            if asked.get(name, not name.startswith("full")):  # of tables that no verb asks there need be none
                tolerance = 1e-14 if name in asked else 0.0
                assert_allclose(getattr(found.state, name), value, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("kinds", TABLES, ids=" ".join)
def test_mapdp_and_its_search_are_the_servers(kinds):
    improved = 0
    for seed in SEEDS:
        X, partition = table(seed, kinds, 30 + seed), PARTITIONS[seed % len(PARTITIONS)]
        law = dpviz.PARTITION_PRIORS[partition].example() if partition != "generalized" else dpviz.PitmanYor(0.7, 0.2)
        own = model(kinds, (None, 0.125, 0.5)[seed % 3])
        order = ("permuted", "index", "shuffled")[seed % 3]
        for more in ({"init": "kmeans++", "n_init": 3}, {"n_init": 3, "effort": 0.01}):
            config = dpviz.RunConfig("mapdp", **own, partition=law, order=order, seed=seed, **more)
            record = wasm_engine.assert_equal_to_the_servers(X, config)
        improved += len(record.labels) > 2
    assert improved


@pytest.mark.parametrize("kinds", TABLES, ids=" ".join)
def test_chains_are_the_servers_at_every_temperature_and_power(kinds):
    for seed in SEEDS:
        X, power = table(seed, kinds, 40), (1.0, 1.2, 1.5)[seed % 3]
        config = dpviz.RunConfig(
            "gibbs",
            **model(kinds, 0.25),
            partition=dpviz.PoweredChineseRestaurant(0.5, power=power),
            init=("single", "sequential", "random")[seed % 3],
            n_sweeps=8,
            burn_in=0,
            temperature=(1.0, 0.4, 2.5, 0.0)[seed % 4],
            split_merge=2 if seed % 4 == 0 else 0,
            seed=seed,
        )
        wasm_engine.assert_equal_to_the_servers(X, config)


def test_prices_of_a_point_and_visits_of_a_sweep_are_the_servers():
    for seed, kinds in enumerate(TABLES):
        X, law = table(seed, kinds), dpviz.ChineseRestaurant(1.0)
        own = {**model(kinds, 0.5), "partition": law, "init": "single", "seed": seed}
        config = dpviz.RunConfig("gibbs", **own, n_sweeps=3, burn_in=0)
        trace = dpviz.run(X, config)
        assert_visits_agree(X, config, trace)
        for point in (0, 17, 59):
            expected = dpviz.explain_assignment(X, trace, 3, point)
            predictive, weight = wasm_engine.scores(X, config, trace.labels_at(3), point)
            assert_allclose(-predictive, expected["neg_log_predictive"], rtol=1e-11, atol=1e-11)
            assert_allclose(-weight, expected["neg_log_weight"], rtol=1e-12)


def test_the_methods_of_the_lab_can_be_run_on_such_a_table():
    for kinds in (TABLES[0], TABLES[2]):
        X = table(3, kinds)
        has_width = columns_of(X, kinds).has_width
        assert has_width == ("continuous" in kinds)
        own = [method.of_columns(kinds, has_width) for method in METHODS if method.has_model]
        assert [method.name for method in own] == ["mapdp", "gibbs", "powered", "pitman_yor"]
        for method in own:
            assert has_width == ("width" in method.knobs)
            wasm_engine.assert_equal_to_the_servers(X, method.config)


def in_slices(X, config):
    """Run in the smallest slices; return the record and how many they were."""
    slices = itertools.count()
    return wasm_engine.run(X, config, (TRIAL_OPERATIONS for _ in slices)), next(slices)


def test_a_run_finds_the_same_in_slices_and_gives_its_memory_back_though_it_is_given_up():
    X, config = table(6, TABLES[0]), dpviz.RunConfig("mapdp", **model(TABLES[0], 0.25), n_init=3, effort=0.002)
    store, exports = wasm_engine.instance(COLUMNS)
    whole, (sliced, n_slices) = wasm_engine.run(X, config), in_slices(X, config)
    assert_array_equal(sliced.labels, whole.labels)
    assert_array_equal(sliced.rows["nll"], whole.rows["nll"])

    def give_up():
        for at in (1, n_slices // 2):  # among the starts, and in the search
            assert wasm_engine.run(X, config, [*[TRIAL_OPERATIONS] * at, -1.0]) is not None

    give_up()
    before = exports["memory"].size(store)
    for _ in range(20):
        give_up()
        wasm_engine.run(X, config)
    assert exports["memory"].size(store) == before and n_slices > 4
