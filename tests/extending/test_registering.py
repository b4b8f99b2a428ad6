"""What is refused when it is registered, or at its first use, because it would go wrong much later."""

from __future__ import annotations

from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from command_line import cli
from configs import usual_config
from extending.registered import registered, toys  # noqa: F401

import dpviz
from dpviz import RunConfig, families, partition
from dpviz.analysis.parameters import with_parameter
from dpviz.engine import problem
from dpviz.engine.algorithms import base as algorithms
from dpviz.engine.options import OPTIONS
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.families.verbs import SLOT_FIELDS
from dpviz.parameters import Parameter


def medians_with(toys: SimpleNamespace, **described: Any) -> type:  # noqa: F811
    return type("Medians", (toys.Medians,), {"name": "other_medians", **described})


@pytest.mark.parametrize(
    ("described", "message"),
    [
        ({"name": "kmeans"}, "kmeans.KMeans; choose another"),
        ({"defaults": MappingProxyType({"n_init": 1})}, r"defaults\['init'\] of other_medians = None must be one of"),
        ({"starts": ("kmeans++", "single")}, "n_clusters would not be heeded"),
        ({"example": classmethod(lambda cls: ({"step": 0.5},))}, "{'options': {name: value}}"),
        ({"options": (OPTIONS["penalty"],)}, r"options of other_medians = \['penalty'\] must be .* typical\(\) that"),
    ],
    ids=["name taken", "no start", "a start of another number", "own option out of place", "no typical penalty"],
)
def test_an_algorithm_that_contradicts_itself_is_refused(
    toys,  # noqa: F811
    described,
    message,
):
    with pytest.raises(InvalidParameterError, match=message):
        algorithms.register(medians_with(toys, **described))
    assert "other_medians" not in algorithms.ALGORITHMS and algorithms.ALGORITHMS["kmeans"].title == "K-means"


def test_a_class_is_registered_once_more_but_no_other_of_its_name(toys):  # noqa: F811
    algorithms.register(medians_with(toys))
    again = medians_with(toys)
    algorithms.register(again)
    assert type(algorithms.ALGORITHMS["other_medians"]) is again
    with pytest.raises(InvalidParameterError, match="name of the family Family = 'poisson' must be a free one"):
        families.register(type("Family", (toys.Counts,), {"name": "poisson"}))
    with pytest.raises(InvalidParameterError, match="name of the partition prior Prior = 'toy_partitions' must be"):
        partition.register(type("Prior", (toys.Partitions,), {}))
    assert families.FAMILIES["poisson"] is dpviz.families.Poisson


@pytest.mark.parametrize("named", [("total",), None], ids=["one array left out", "no array named"])
def test_arrays_that_would_not_grow_are_refused(
    toys,  # noqa: F811
    monkeypatch,
    named,
):
    X, config = toys.Counts.example_data(60, 2), usual_config(family="toy_counts")
    state = next(state for state in SLOT_FIELDS if state.__name__ == "ToyState")
    monkeypatch.setattr(problem, "_CHECKED", set())
    whole = SLOT_FIELDS.pop(state)
    if named is not None:
        SLOT_FIELDS[state] = named
    with pytest.raises(InvalidParameterError, match=r"SLOT_FIELDS\[ToyState\] = .* must be all of .*'log_factorials'"):
        dpviz.run(X, config)
    SLOT_FIELDS[state] = whole
    assert dpviz.run(X, config).n_clusters[-1] >= 1


def test_a_parameter_of_a_prior_from_outside_needs_that_prior(
    toys,  # noqa: F811
    capsys,
):
    X = dpviz.datasets.load("iris").X
    with pytest.raises(InvalidParameterError, match="partition prior toy_partitions: begin with a configuration"):
        with_parameter(usual_config(), "openness", 0.5, X)
    with pytest.raises(SystemExit):
        cli("run --help")
    assert "that of --config, whose partition prior must be toy_partitions" in " ".join(capsys.readouterr().out.split())


def test_the_name_of_another_option_is_refused_in_words(
    toys,  # noqa: F811
    capsys,
):
    label = Parameter(name="label", explanation="Any number.", default=1.0, lower=0.0, explore=(0.0, 1.0))
    algorithms.register(medians_with(toys, options=(*toys.Medians.options, label)))
    assert cli("run iris") == 1
    assert "dpviz: the name of the parameter 'label' must be another: --label is" in capsys.readouterr().err


def test_a_stored_run_of_another_package_says_that_it_needs_it(tmp_path):
    with registered() as found:
        X = found.Counts.example_data(30, 2)
        stored = dpviz.run(X, RunConfig("toy_medians", n_clusters=2, max_sweeps=2)).to_json()
        assert Trace.from_json(stored).config.algorithm == "toy_medians"
    with pytest.raises(TraceFormatError, match="algorithm = 'toy_medians' .* of another package, import it first"):
        Trace.from_json(stored)
