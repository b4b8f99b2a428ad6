"""The engine that browsers run, in wasmtime: the same labels as the server's for every configuration it takes."""

from __future__ import annotations

import gzip
import itertools
import json
from collections import Counter
from dataclasses import replace

import naive
import numpy as np
import pytest
import wasm_engine
import wasmtime
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
import examples
from dpviz.browser import LICENCE, loader_source, module_bytes, module_file
from dpviz.browser.build import MODULES, digest, sources
from dpviz.browser.layout import CENTRES_ONLY, COLUMNS, ENGINE, FAMILIES, PARTITIONS
from dpviz.engine.kernels.search_plan import TRIAL_OPERATIONS
from dpviz.families.gaussian.normal_wishart import default_scatter
from dpviz.families.gaussian.placing import Given, placed

SEEDS = range(20)
STARTS = ("single", "kmeans++", "random", "sequential")
PLANE = [name for name in dpviz.datasets.SCENARIOS if dpviz.datasets.synthesize(name, 30, 0).X.shape[1] == 2]


def prior_of(name, n_points):
    """A partition prior with parameters far from the defaults, for this many points."""
    if name != "generalized":
        return dpviz.PARTITION_PRIORS[name].example()
    n = np.arange(1, n_points + 1)
    return dpviz.GeneralizedChineseRestaurant(1.2, tuple(np.log(n + 0.3 * n**2).tolist()))


def blobs(seed, n_points=120, n_features=2):
    rng = np.random.default_rng([seed, n_features])
    centres = rng.normal(0, 4, (4, n_features))
    return centres[rng.integers(4, size=n_points)] + rng.normal(size=(n_points, n_features))


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_built_from_these_sources(module):
    built = json.loads(module_file(module).with_suffix(".json").read_text(encoding="utf-8"))
    assert built["digest"] == digest(module), f"{module}.wasm is stale: run make wasm"
    names = {path.name for path in sources(module)}
    assert names >= {"driver.py", "models.py", "collapsed_sweep.py", "hard.py", "verbs.py", "scoring.py", "special.py"}
    assert ("poisson.py" in names) == (module == COLUMNS), "what the module does not hold would make it stale"
    assert not names & {"problem.py", "mixed.py"}


@pytest.mark.parametrize(("module", "most_bytes"), [(ENGINE, 262_000), (COLUMNS, 165_000)])
def test_a_module_is_small_and_imports_nothing(module, most_bytes):
    assert len(gzip.compress(module_bytes(module))) <= most_bytes
    assert wasmtime.Module(wasmtime.Engine(), module_bytes(module)).imports == []


def test_every_question_is_compiled_for_every_family_and_for_algorithms_without_one():
    exported = {
        name: {export.name for export in wasmtime.Module(wasmtime.Engine(), module_bytes(name)).exports}
        for name in MODULES
    }
    own = {"memory", "reserve", "release"}
    asked = {
        f"{question}_{of}" for question in ("run", "places", "shapes", "visits") for of in (*FAMILIES, CENTRES_ONLY)
    }
    assert exported[ENGINE] >= {*own, *asked, *(f"scores_{family}" for family in FAMILIES)}
    assert exported[COLUMNS] >= {*own, "run_mixed", "scores_mixed", "visits_mixed"}
    assert tuple(MODULES[ENGINE].kinds) == (*FAMILIES, CENTRES_ONLY)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_placed_family_has_the_state_that_a_run_binds(family):
    for n_features, prior in ((2, None), (9, {"width": 0.3}), (3, dpviz.FAMILIES[family].example_prior(3))):
        X = blobs(0, 60, n_features)
        working = dpviz.FAMILIES[family].from_prior(prior, X).working(X)
        blocks, share = wasm_engine.hyperparameters(dpviz.RunConfig("mapdp", family=family, prior=prior), n_features)
        location, (weight, shape), matrices = blocks[:n_features], blocks[n_features:][:2], blocks[n_features + 2 :]
        spread, between = np.split(matrices, 2)
        given = Given(location, float(weight), float(shape), spread, between, 1.0 if np.isnan(share) else share)
        found = placed(MODULES[ENGINE].kinds[family], X, given, 5)
        assert_array_equal(found.X, working.X)
        assert found.log_jacobian == working.log_jacobian
        for name, value in working.family.bind(working.X, 5)._asdict().items():
            assert_array_equal(getattr(found.state, name), value, err_msg=name)
        locations = found.X @ found.affine.inverse.T + found.affine.origin
        assert_allclose(locations, X, rtol=1e-12, atol=1e-12)


def test_the_notices_of_what_is_linked_in_go_with_every_page():
    licence = LICENCE.read_text(encoding="utf-8")
    assert all(holder in licence for holder in ("Zig contributors", "Rich Felker", "Sun Microsystems"))
    assert loader_source().startswith(f"/* {licence}*/") and "*/" not in licence


@pytest.mark.parametrize("prior", PARTITIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_mapdp_is_the_servers_for_every_family_and_prior(family, prior):
    for seed in SEEDS:
        X = blobs(seed)
        partition = prior_of(prior, len(X))
        start = STARTS[seed % (4 if partition.constant_tables else 3)]
        config = dpviz.RunConfig(
            "mapdp",
            family=family,
            prior=None if seed % 3 else {"width": 0.3},
            partition=partition,
            init=start,
            init_clusters=4 if start in ("random", "kmeans++") and seed % 2 else None,
            n_init=2,
            seed=seed,
        )
        wasm_engine.assert_equal_to_the_servers(X, config)


@pytest.mark.parametrize("prior", PARTITIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_searches_are_the_servers_for_every_family_and_prior(family, prior):
    improved = 0
    for seed in SEEDS:
        X = blobs(seed, 20 + 2 * seed, 1 + seed % 3)
        config = dpviz.RunConfig(
            "mapdp",
            family=family,
            prior=None if seed % 3 else {"width": 0.3},
            partition=prior_of(prior, len(X)),
            n_init=(10, 1, 4)[seed % 3],
            order=("permuted", "index", "shuffled")[seed % 3],
            seed=seed,
            effort=0.3 if seed == 0 else 0.02,
            max_sweeps=5 if seed == 1 else 200,
        )
        record = wasm_engine.assert_equal_to_the_servers(X, config)
        starts = wasm_engine.run(X, replace(config, effort=0.0))
        improved += record.rows["nll"][-1] < starts.rows["nll"][-1]
    assert improved > 0 or prior == "finite_dirichlet"


def sliced(X, config, most):
    """Run in slices of so many operations, at least one; return the record and the number of slices."""
    slices = itertools.count()
    return wasm_engine.run(X, config, (max(most, 1.0) for _ in slices)), next(slices)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_run_finds_the_same_in_slices_of_one_trial_of_seven_and_of_all(family):
    X = blobs(3)
    model = {"family": family, "prior": None, "partition": dpviz.PitmanYor(1.0, 0.2), "seed": 3}
    chain = {"n_sweeps": 12, "burn_in": 2, "n_init": 2}
    laws = {"concentration": "gamma(1,0.3)", "discount": "beta(1,3)"}
    for config in (
        dpviz.RunConfig("mapdp", **model, effort=0.05, order="shuffled"),
        dpviz.RunConfig("gibbs", **model, **chain, split_merge=2, order="permuted", init="random", init_clusters=3),
        dpviz.RunConfig("gibbs", **model, **chain, hyperpriors=laws, init="single"),
    ):
        whole, n_slices = wasm_engine.run(X, config), []
        for most in (0.0, TRIAL_OPERATIONS, 7 * TRIAL_OPERATIONS):
            record, n = sliced(X, config, most)
            n_slices.append(n)
            assert_array_equal(record.labels, whole.labels)
            for name, values in whole.rows.items():
                assert_array_equal(record.rows[name], values, err_msg=name)
            assert (record.chosen_start, record.converged) == (whole.chosen_start, whole.converged)
        assert sorted(n_slices, reverse=True) == n_slices and n_slices[0] > n_slices[-1] > (config.algorithm == "mapdp")


def test_a_run_that_is_given_up_gives_its_memory_back():
    X, config = blobs(6), dpviz.RunConfig("mapdp", family="normal_wishart", prior=None, effort=0.1)
    store, exports = wasm_engine.instance()
    n_slices = sliced(X, config, TRIAL_OPERATIONS)[1]

    def give_up():
        for at in (1, n_slices // 2):  # among the starts, and in the search
            assert wasm_engine.run(X, config, [*[TRIAL_OPERATIONS] * at, -1.0]) is not None

    give_up()
    before = exports["memory"].size(store)
    for _ in range(40):
        give_up()
    assert exports["memory"].size(store) == before


def test_a_search_of_real_tables_is_the_servers():
    for name in ("old_faithful", "iris", "wine"):
        X = dpviz.datasets.scale(dpviz.datasets.load(name).X, "standardise").X
        wasm_engine.assert_equal_to_the_servers(X, dpviz.RunConfig("mapdp", family="normal_gamma", prior=None))


@pytest.mark.parametrize("prior", PARTITIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_gibbs_is_the_servers_for_every_family_and_prior(family, prior):
    for seed in SEEDS:
        X = blobs(seed, 60)
        config = dpviz.RunConfig(
            "gibbs",
            family=family,
            prior=None,
            partition=prior_of(prior, len(X)),
            n_sweeps=12,
            burn_in=3,
            thin=2,
            temperature=(1.0, 0.4, 2.5, 0.0)[seed % 4],
            order=("shuffled", "permuted")[seed % 2],
            n_init=1 + seed % 2,
            init="single",
            seed=seed,
        )
        wasm_engine.assert_equal_to_the_servers(X, config)


@pytest.mark.parametrize("family", FAMILIES)
def test_splits_and_merges_are_the_servers(family):
    n_accepted = 0
    for seed in SEEDS:
        X = blobs(seed, 60, (2, 5)[seed % 2])
        config = dpviz.RunConfig(
            "gibbs",
            family=family,
            prior=None,
            partition=dpviz.PitmanYor(1.0, 0.3),
            n_sweeps=12,
            burn_in=3,
            split_merge=3,
            init="single",
            seed=seed,
        )
        wasm_engine.assert_equal_to_the_servers(X, config)
        n_accepted += dpviz.run(X, config).n_accepted.sum()
    assert n_accepted > 20


@pytest.mark.parametrize("init", ["kmeans++", "random"])
@pytest.mark.parametrize("algorithm", ["kmeans", "dpmeans", "dpmeans until birth"])
def test_hard_sweeps_are_the_servers(algorithm, init):
    for seed in SEEDS:
        X = blobs(seed, 150, 2 + seed % 3)
        if seed % 5 == 0:
            X = np.round(X)  # ties
        if algorithm == "kmeans":
            options = {"n_clusters": 2 + seed, "n_init": 3}
        else:
            sweep = "until_birth" if "until" in algorithm else "full"
            options = {"penalty": 4.0 + seed, "sweep": sweep, "order": ("index", "permuted", "shuffled")[seed % 3]}
        config = dpviz.RunConfig(algorithm.split()[0], init=init, seed=seed, **options)
        wasm_engine.assert_equal_to_the_servers(X, config)


@pytest.mark.parametrize("scenario", PLANE)
def test_every_scenario_in_the_plane_has_the_servers_labels(scenario):
    for seed in SEEDS:
        X = dpviz.datasets.synthesize(scenario, 150, seed).X
        family = FAMILIES[seed % 4]
        config = dpviz.RunConfig("mapdp", family=family, prior=None, init=STARTS[seed // 4 % 4], n_init=2, seed=seed)
        wasm_engine.assert_equal_to_the_servers(X, config)
        wasm_engine.assert_equal_to_the_servers(X, dpviz.RunConfig("kmeans", n_clusters=4, n_init=2, seed=seed))
        wasm_engine.assert_equal_to_the_servers(X, dpviz.RunConfig("dpmeans", penalty=float(X.var()), seed=seed))


@pytest.mark.parametrize("name", ["old_faithful", "ruspini"])
def test_every_bundled_table_in_the_plane_has_the_servers_labels(name):
    X = dpviz.datasets.load(name).X
    for seed in SEEDS:
        family, start = FAMILIES[seed % 4], STARTS[seed // 4 % 4]
        config = dpviz.RunConfig("mapdp", family=family, prior={"width": 0.2}, init=start, n_init=2, seed=seed)
        wasm_engine.assert_equal_to_the_servers(X, config)
        chain = dpviz.RunConfig("gibbs", family=family, prior=None, init=start, n_sweeps=10, burn_in=2, seed=seed)
        wasm_engine.assert_equal_to_the_servers(X, chain)
        wasm_engine.assert_equal_to_the_servers(X, dpviz.RunConfig("kmeans", n_clusters=3, n_init=2, seed=seed))


def test_given_labels_are_a_start():
    X = blobs(1)
    labels = np.random.default_rng(2).integers(3, 7, size=len(X))
    for algorithm, options in (("mapdp", {"family": "normal_gamma", "prior": None}), ("kmeans", {"n_clusters": 4})):
        record = wasm_engine.assert_equal_to_the_servers(X, dpviz.RunConfig(algorithm, init=labels, **options))
        assert_array_equal(record.labels[0], labels - 3)


@pytest.mark.parametrize("family", FAMILIES)
def test_given_hyperparameters_are_used(family):
    for n_features in (1, 2, 5):
        prior = dpviz.FAMILIES[family].example_prior(n_features)
        config = dpviz.RunConfig("mapdp", family=family, prior=prior, init="random", init_clusters=4, seed=3)
        wasm_engine.assert_equal_to_the_servers(blobs(4, 80, n_features), config)


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_that_depend_on_each_other_have_the_servers_nll(seed):
    X = blobs(seed, 40, 1) @ np.array([[1.0, 0.1 + seed, -3.7]])
    scatter = default_scatter(X)
    assert_array_equal(scatter, scatter.T)  # it magnifies the last digit of its entries a million times
    config = dpviz.RunConfig("mapdp", family="normal_wishart", prior=None, init="random", seed=seed)
    wasm_engine.assert_equal_to_the_servers(X, config)


@st.composite
def runs(draw):
    seed, n_points = draw(st.integers(0, 10**6)), draw(st.integers(1, 40))
    X = blobs(seed, n_points, draw(st.integers(1, 4))) * 10.0 ** draw(st.integers(-3, 4))
    X = np.round(X, draw(st.sampled_from([-1, 0, 1, 15])))
    algorithm = draw(st.sampled_from(["kmeans", "dpmeans", "mapdp", "gibbs"]))
    options = {"seed": seed, "n_init": draw(st.integers(1, 3)), "order": draw(st.sampled_from(["index", "shuffled"]))}
    if algorithm == "kmeans":
        options["n_clusters"] = draw(st.integers(1, n_points))
    elif algorithm == "dpmeans":
        options["penalty"] = float(X.var() + 1e-6) * draw(st.floats(0.05, 5.0))
    else:
        start = draw(st.sampled_from(["single", "singletons", "kmeans++", "random", "sequential"]))
        family = draw(st.sampled_from(FAMILIES))
        options |= {"family": family, "init": start, "prior": None}
        options["partition"] = dpviz.PitmanYor(draw(st.floats(0.1, 20.0)), draw(st.floats(0.0, 0.9)))
        options["temperature"] = draw(st.sampled_from([0.0, 0.7, 1.0, 3.0]))
        options |= {"n_sweeps": 8, "burn_in": 2} if algorithm == "gibbs" else {"max_sweeps": 15}
    return X, dpviz.RunConfig(algorithm, **options)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(runs())
def test_random_configurations_are_the_servers(generated):
    try:
        dpviz.run(*generated)
    except dpviz.DpvizError:  # rounded to so few values that no run is possible
        return
    wasm_engine.assert_equal_to_the_servers(*generated)


@pytest.mark.parametrize("family", FAMILIES)
def test_scores_of_a_point_are_those_of_its_explanation(family):
    X = blobs(5, 50)
    config = dpviz.RunConfig("mapdp", family=family, prior=None, init="random", init_clusters=6, max_sweeps=2)
    trace = dpviz.run(X, config)
    for point in range(0, 50, 7):
        table = dpviz.explain_assignment(X, trace, 1, point)
        log_predictive, log_weight = wasm_engine.scores(X, config, trace.labels_at(1), point)
        assert_allclose(-log_predictive, table["neg_log_predictive"], rtol=1e-11)
        assert_allclose(-log_weight, table["neg_log_weight"], rtol=1e-12)


def test_memory_is_given_back():
    X, config = blobs(6), dpviz.RunConfig("mapdp", family="normal_wishart", prior=None, init="random", n_init=3)
    store, exports = wasm_engine.instance()
    wasm_engine.run(X, config)
    before = exports["memory"].size(store)
    for _ in range(40):
        wasm_engine.run(X, config)
    assert exports["memory"].size(store) == before


def test_a_long_run_takes_no_more_memory_than_its_record():
    X, n_sweeps = blobs(6, 60), 3000
    config = dpviz.RunConfig("gibbs", family="normal_wishart", prior=None, init="single", n_sweeps=n_sweeps)
    store, exports = wasm_engine.instance()
    wasm_engine.run(X, replace(config, n_sweeps=10, burn_in=0))
    before = exports["memory"].size(store)
    wasm_engine.run(X, config)
    record = (n_sweeps + 1) * (4 * len(X) + 8 * len(wasm_engine.ROW))
    assert (exports["memory"].size(store) - before) * 2**16 <= 2 * record, "an allocation takes a power of two"


@pytest.mark.slow
@pytest.mark.parametrize("prior", PARTITIONS)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_chain_visits_all_203_partitions_of_six_points_as_often_as_it_must(family, prior):
    rng = np.random.default_rng(11)
    X, known = rng.normal(size=(6, 2)) * 1.5, naive.set_partitions(6)
    hyperparameters = examples.hyperparameters(family, 2)
    exact = naive.Model(X, family, hyperparameters, prior).posterior(known)
    assert exact.max() < 0.4, "the posterior has to be spread for the test to mean something"
    partition = examples.partition_prior(prior)
    n_sweeps, drawn = 20_000, Counter()
    for seed in range(10):
        config = dpviz.RunConfig(
            "gibbs", family=family, prior=hyperparameters, partition=partition, n_sweeps=n_sweeps, burn_in=0, seed=seed
        )
        labels = wasm_engine.run(X, config).labels[100:]
        drawn.update(map(tuple, first_appearances(labels)))
    frequencies = np.array([drawn[tuple(labels)] for labels in known]) / drawn.total()
    assert drawn.total() == 10 * (n_sweeps - 99)
    assert 0.5 * np.abs(frequencies - exact).sum() <= 0.015


def first_appearances(labels):
    """Number the clusters of every row by first appearance."""
    for row in labels.tolist():
        numbers = {}
        yield [numbers.setdefault(label, len(numbers)) for label in row]
