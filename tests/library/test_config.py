"""Configurations: what they accept, when they are equal, and what survives a trip through JSON or a URL."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpviz
from dpviz.engine.options import ORDER, SAMPLER
from dpviz.errors import DpvizError, InvalidParameterError, TraceFormatError
from dpviz.families import FAMILIES
from dpviz.partition import AUTOMATIC_PARTITION

positive = st.floats(1e-6, 1e6)

partitions = st.one_of(
    st.builds(dpviz.ChineseRestaurant, positive),
    st.builds(dpviz.PoweredChineseRestaurant, positive, positive),
    st.builds(dpviz.PitmanYor, positive, st.floats(0, 0.99)),
    st.builds(dpviz.FiniteDirichlet, positive, st.integers(1, 100)),
    st.builds(
        dpviz.GeneralizedChineseRestaurant,
        positive,
        st.lists(st.floats(-100, 100), min_size=1, max_size=5).map(lambda v: tuple(sorted(v))),
    ),
)
finite = st.floats(-1e12, 1e12)
priors = st.one_of(
    st.none(),
    st.dictionaries(
        st.sampled_from(["m0", "c0", "a0", "psi0", "b0"]),
        st.one_of(finite, st.lists(finite, min_size=1, max_size=3), st.just([[2.0, 0.5], [0.5, 1.0]])),
    ),
)
labels = st.lists(st.integers(-3, 300), min_size=1, max_size=20)


@st.composite
def configs(draw: st.DrawFn) -> dpviz.RunConfig:
    """Any valid configuration."""
    algorithm = draw(st.sampled_from(sorted(dpviz.ALGORITHMS)))
    options = {
        "family": draw(st.sampled_from(sorted(FAMILIES))),
        "partition": draw(st.one_of(st.none(), partitions)),
        "prior": draw(priors),
        "init": draw(st.one_of(st.none(), st.sampled_from(dpviz.ALGORITHMS[algorithm].starts), labels)),
        "init_clusters": draw(st.one_of(st.none(), st.integers(1, 50))),
        "n_init": draw(st.one_of(st.none(), st.integers(1, 50))),
        "max_sweeps": draw(st.one_of(st.none(), st.integers(1, 1000))),
        "order": draw(st.one_of(st.none(), st.sampled_from(ORDER.values))),
        "temperature": draw(st.one_of(st.none(), st.just(0), st.floats(0.01, 10))),
        "burn_in": draw(st.integers(0, 10)),
        "n_sweeps": draw(st.integers(50, 1000)),
        "thin": draw(st.integers(1, 40)),
        "n_clusters": draw(st.integers(1, 1000)),
        "n_components": draw(st.integers(1, 1000)),
        "penalty": draw(positive),
        "sweep": draw(st.sampled_from(["full", "until_birth"])),
        "events_sweep": draw(st.one_of(st.none(), st.integers(1, 50))),
        "seed": draw(st.integers(0, 2**32 - 1)),
    }
    if algorithm == "gibbs":
        options["sampler"] = draw(st.sampled_from(SAMPLER.values))
        if options["sampler"] != "collapsed":
            options["temperature"] = None
        if options["sampler"] == "explicit_weights":
            options["partition"] = dpviz.FiniteDirichlet(1.0, 4)
    return dpviz.RunConfig(algorithm, **options)


@given(configs())
def test_json_and_url_keep_every_configuration(config):
    for copy in (
        dpviz.RunConfig.from_json(config.to_json()),
        dpviz.RunConfig.from_dict(json.loads(json.dumps(config.to_dict()))),
        dpviz.RunConfig.from_query(config.to_query()),
        pickle.loads(pickle.dumps(config)),
    ):
        assert copy == config
        assert hash(copy) == hash(config)
    query = config.to_query()
    assert all(isinstance(value, str) for value in query.values())


@pytest.mark.parametrize("algorithm", sorted(dpviz.ALGORITHMS))
def test_an_automatic_partition_prior_is_stored_as_what_was_found(algorithm):
    config = dpviz.RunConfig(algorithm, partition="auto")
    stored = config.to_dict()
    assert stored["partition"] == AUTOMATIC_PARTITION.to_dict() and dpviz.RunConfig.from_dict(stored) == config
    asked = {"version": stored["version"], "algorithm": algorithm, "partition": "auto"}
    assert dpviz.RunConfig.from_dict(asked) == config
    assert dpviz.RunConfig.from_query({**config.to_query(), "partition": "auto"}) == config
    assert "partition" not in dpviz.RunConfig(algorithm).to_dict()  # what was stored before keeps its meaning


def test_centres_survive_json():
    centres = np.array([[0.1, 2.0], [1 / 3, -1e-7]])
    config = dpviz.RunConfig("kmeans", init=centres, n_clusters=2)
    assert dpviz.RunConfig.from_query(config.to_query()) == config
    np.testing.assert_array_equal(np.array(config.init), centres)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"init": "auto", "n_init": 10, "max_sweeps": 200, "order": "permuted", "temperature": 0}),
        ({}, {"partition": dpviz.ChineseRestaurant(3)}),
        ({"partition": None}, {"partition": dpviz.ChineseRestaurant(3)}),
        ({"partition": "auto"}, {"partition": AUTOMATIC_PARTITION}),
        ({}, {"family": "auto", "prior": "auto"}),
        ({"prior": None}, {"prior": {}}),
        ({"prior": {"psi0": [[1.0]]}}, {"family": "normal_wishart", "prior": {"psi0": [[1.0]]}}),
        ({"prior": {"columns": ["real", "count"]}}, {"family": "mixed", "prior": {"columns": ["real", "count"]}}),
        ({"kinds": ["count", "count"]}, {"kinds": ["count", "count"], "family": "auto", "prior": "auto"}),
        ({"kinds": ["count", "real"]}, {"kinds": ["count", "real"], "family": "mixed", "prior": "auto"}),
        ({"kinds": ["count", "binary"]}, {"kinds": ["count", "binary"], "family": "mixed", "prior": None}),
        ({"family": "categorical"}, {"family": "categorical", "prior": None}),
        ({"prior": {"c0": 1, "m0": [0, 1]}}, {"prior": {"m0": np.array([0.0, 1.0]), "c0": np.float64(1)}}),
        ({"init": [0, 1, 1]}, {"init": np.array([0.0, 1.0, 1.0])}),
        ({"algorithm": "gibbs"}, {"algorithm": "gibbs", "temperature": 1, "order": "shuffled"}),
        ({"n_init": 4}, {"n_init": np.int32(4)}),
    ],
)
def test_configurations_that_mean_the_same_are_equal(one, other):
    first, second = dpviz.RunConfig(**one), dpviz.RunConfig(**other)
    assert first == second
    assert len({first, second}) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"algorithm": "gibbs"},
        {"family": "normal_gamma"},
        {"partition": dpviz.ChineseRestaurant(2.0)},
        {"partition": "auto"},
        {"partition": dpviz.PoweredChineseRestaurant(3.0, 1.0)},
        {"prior": {"c0": 1.0}},
        {"prior": None},
        {"init": "single"},
        {"init": [0, 1]},
        {"order": "index"},
        {"temperature": 0.5},
        {"seed": 1},
        {"events_sweep": 2},
        {"init": "single", "first_sweep": "all_points"},
        {"family": "normal_wishart", "prior": "shape"},
        {"coarsening": np.float64(500)},
        {"directions": np.int64(2)},
        {"directions": "auto"},
        {"missing": "marginalise"},
    ],
)
def test_configurations_that_differ_are_not_equal_and_kept_by_json_and_links(change):
    config = dpviz.RunConfig(**change)
    assert config != dpviz.RunConfig() and set(config.to_dict()) == {"version", "algorithm", *change}
    assert dpviz.RunConfig.from_query(config.to_query()) == dpviz.RunConfig.from_json(config.to_json()) == config


def test_a_configuration_cannot_be_changed():
    prior = {"m0": np.zeros(2)}
    config = dpviz.RunConfig(prior=prior, family="normal_wishart")
    prior["m0"][0] = 5
    np.testing.assert_array_equal(config.prior_dict["m0"], [0, 0])
    with pytest.raises(AttributeError):
        config.seed = 1


def test_default_configuration_is_an_empty_link():
    assert dpviz.RunConfig().to_query() == {"version": "8", "algorithm": "mapdp"}


def test_a_weight_of_the_one_cluster_in_the_first_sweep_that_there_is_not_is_refused():
    with pytest.raises(InvalidParameterError, match="first_sweep = 'never' must be one of one_point, all_points"):
        dpviz.RunConfig(first_sweep="never")


BAD_OPTIONS = [
    ("algorithm", "x", "mapdp"),
    ("algorithm", ["mapdp"], "mapdp"),
    ("family", "gauss", "normal_wishart"),
    ("partition", "crp", "ChineseRestaurant"),
    ("partition", "Auto", "'auto', or None"),
    ("partition", ["auto"], "'auto', or None"),
    ("partition", 3.0, "'auto', or None"),
    ("prior", 3, "dict"),
    ("prior", {"psi0": [[1]], "b0": [1]}, "no family has all of these"),
    ("prior", "abc", "dict"),
    ("prior", {1: 2}, "names"),
    ("prior", [[["c0"], 1]], "dict"),
    ("prior", {"c0": True}, "numeric"),
    ("prior", {"c0": "1"}, "numeric"),
    ("prior", {"c0": None}, "numeric"),
    ("prior", {"c0": 1j}, "numeric"),
    ("prior", {"c0": math.nan}, "finite"),
    ("prior", {"m0": [math.inf, 0]}, "finite"),
    ("prior", {"c0": 10**400}, "numeric"),
    ("prior", {"psi0": [[1], [1, 2]]}, "equal row lengths"),
    ("init", "first", "singletons"),
    ("init", 3, "1-D"),
    ("init", [], "1-D"),
    ("init", [0.5, 1], "whole numbers"),
    ("init", [[0, 1]], "1-D"),
    ("init", [True, False], "numeric"),
    ("init", ["0", "1"], "numeric"),
    ("init", [math.nan, 1], "finite"),
    ("init", [10**400, 1], "numeric"),
    ("init_clusters", 0, "from 1 to"),
    ("init_clusters", 2.0, "whole number"),
    ("n_init", True, "whole number"),
    ("n_init", "1", "whole number"),
    ("max_sweeps", 0, "from 1 to"),
    ("order", "random", "permuted"),
    ("temperature", -1, "a number from 0 to 1000"),
    ("temperature", 1e-9, "0.001"),
    ("temperature", True, "a number from 0"),
    ("temperature", math.nan, "a number from 0"),
    ("temperature", 10**400, "a number from 0"),
    ("n_sweeps", 0, "from 1 to"),
    ("burn_in", -1, "from 0 to"),
    ("thin", 0, "from 1 to"),
    ("sampler", "slice", "collapsed"),
    ("n_clusters", 0, "from 1 to"),
    ("n_components", "3", "whole number"),
    ("penalty", 0, "> 0"),
    ("penalty", "4", "finite number"),
    ("penalty", math.inf, "finite number"),
    ("penalty", 10**400, "finite number"),
    ("sweep", "half", "until_birth"),
    ("events_sweep", 0, "from 1 to"),
    ("seed", -1, "from 0 to"),
    ("seed", 2**32, "4,294,967,295"),
    ("seed", 1.0, "whole number"),
]


@pytest.mark.parametrize(("name", "value", "bound"), BAD_OPTIONS, ids=lambda value: repr(value)[:30])
def test_a_bad_option_is_named_with_its_value_and_bound(name, value, bound):
    with pytest.raises(InvalidParameterError) as caught:
        dpviz.RunConfig(**{name: value})
    message = str(caught.value)
    assert name in message
    assert bound in message


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"n_sweeps": 100, "burn_in": 100}, ["burn_in = 100", "n_sweeps = 100"]),
        ({"n_sweeps": 100, "burn_in": 90, "thin": 11}, ["thin = 11", "10"]),
        ({"sampler": "explicit_parameters", "temperature": 2}, ["temperature = 2", "explicit_parameters"]),
        ({"sampler": "explicit_weights"}, ["partition", "FiniteDirichlet"]),
    ],
)
def test_options_that_contradict_each_other(options, parts):
    with pytest.raises(InvalidParameterError) as caught:
        dpviz.RunConfig("gibbs", **options)
    assert all(part in str(caught.value) for part in parts)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
option_names = st.sampled_from(sorted(dpviz.RunConfig.__dataclass_fields__)) | st.text(max_size=6)


def loads_or_raises_our_own(load: object, argument: object) -> None:
    try:
        config = load(argument)  # type: ignore[operator]
    except DpvizError:
        return
    assert dpviz.RunConfig.from_json(config.to_json()) == config


@given(st.dictionaries(option_names, json_values, max_size=4))
@settings(max_examples=300)
def test_hostile_json_is_refused_with_our_own_error(options):
    for version in ({}, {"version": 8}):
        loads_or_raises_our_own(dpviz.RunConfig.from_dict, version | options)
        loads_or_raises_our_own(dpviz.RunConfig.from_json, json.dumps(version | options))


@given(st.dictionaries(option_names, st.text(max_size=20) | json_values.map(json.dumps), max_size=4))
@settings(max_examples=300)
def test_hostile_links_are_refused_with_our_own_error(query):
    loads_or_raises_our_own(dpviz.RunConfig.from_query, query)
    loads_or_raises_our_own(dpviz.RunConfig.from_query, {"version": "8", **query})


@given(st.dictionaries(st.sampled_from(["kind", "concentration", "power", "discount", "log_g"]), json_values))
@settings(max_examples=200)
def test_hostile_partition_priors_are_refused_with_our_own_error(values):
    for kind in dpviz.PARTITION_PRIORS:
        loads_or_raises_our_own(dpviz.RunConfig.from_dict, {"version": 8, "partition": {"kind": kind, **values}})


@given(st.text(max_size=30) | st.integers() | st.none() | st.binary(max_size=10))
def test_text_that_is_no_configuration(text):
    loads_or_raises_our_own(dpviz.RunConfig.from_json, text)


@pytest.mark.parametrize("depth", [50, 500, 900, 5_000, 100_000])
@pytest.mark.parametrize("name", ["init", "prior", "partition", "seed", "algorithm"])
def test_deep_nesting(name, depth):
    with pytest.raises(DpvizError):
        dpviz.RunConfig.from_query({"version": "8", name: "[" * depth + "]" * depth})


@pytest.mark.parametrize(
    "query",
    [{"seed": "9" * 5000}, {"seed": "9" * 4000}, {"init": "x" * 200_001}, {"penalty": "1e999"}, {"order": 5}, {5: "x"}],
    ids=lambda query: next(iter(query)),
)
def test_oversized_links(query):
    with pytest.raises(DpvizError):
        dpviz.RunConfig.from_query({"version": "8", **query})


def test_unknown_options_are_named():
    with pytest.raises(TraceFormatError, match=r"unknown options: colour; known are .*temperature"):
        dpviz.RunConfig.from_query({"version": "8", "colour": "red"})
