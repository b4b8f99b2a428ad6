"""Costs and densities have one unit, that of the table: in the library, on the command line, on pages, in files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.analysis.evaluation import Task, held_out_density
from dpviz.analysis.grids import run_configs
from dpviz.analysis.search import local_optima, restarts
from dpviz.analysis.table_units import TableUnits
from dpviz.datasets import Dataset
from dpviz.datasets.preparation import scaled_columns
from dpviz.datasets.tables import read_table, to_dataset
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.report import report
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.exports import run_json, snippet
from dpviz.ui.shell import links
from pages import opened_in_app, shown_run

N = 90
WAYS = ("none", "standardise", "robust", "spread")
IRIS = DataChoice("bundled", "iris")
QUICK: dict[str, Any] = {"n_init": 2, "effort": 0.0}


def groups(gaps: bool = False) -> np.ndarray:
    """Three groups in columns above 0, of very different units."""
    rng = np.random.default_rng(5)
    apart = np.array([[0, 0, 0, 1], [4, 0, 2, 0], [0, 5, 1, 2]])[np.arange(N) % 3]
    X = np.exp((apart + rng.normal(size=(N, 4))) / 8) * [1e4, 1e-3, 7.0, 50.0]
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X[~np.isnan(X).all(axis=1)]


def clustered(X: np.ndarray, way: str) -> TableUnits:
    names, gaps = tuple("abcd"), bool(np.isnan(X).any())
    made = scaled_columns(Dataset(X=X, name="own", title="own", feature_names=names, gaps=gaps), way)
    return TableUnits(made.X, made.preparation)


MODELS: dict[str, dict[str, Any]] = {
    "full": {"family": "normal_wishart"},
    "diagonal, gaps": {"family": "normal_gamma"},
    "filled, gaps": {"family": "normal_wishart"},
    "directions": {"family": "normal_wishart", "directions": 2},
    "logarithms": {"family": "normal_gamma", "transform": "log"},
    "powers, gaps": {"family": "normal_gamma", "transform": (0.0, 1.0, 0.5, -1.0)},
    "coarsened": {"family": "normal_wishart", "coarsening": 30.0},
    "coarsened, directions": {"family": "normal_wishart", "coarsening": 30.0, "directions": 2},
    "coarsened, gaps": {"family": "normal_gamma", "coarsening": 30.0},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", MODELS)
def test_the_cost_of_a_partition_of_scaled_columns_is_that_of_the_table(model, way):
    if "transform" in MODELS[model] and way in ("standardise", "robust"):
        way = "spread"  # others move zero
    X = groups(gaps="gaps" in model)
    units, config = clustered(X, way), dpviz.RunConfig(prior=None, **MODELS[model], **QUICK)
    trace = units.trace(dpviz.run(units.X, config))
    assert (trace.scaling_nats == 0) == (way == "none")
    filled = np.where(np.isnan(X), np.nan, X)
    if trace.imputed is not None:
        spread = units.preparation.spread
        cells = np.argwhere(np.isnan(X))[:, 1]
        filled[np.isnan(X)] = trace.imputed[trace.result_row] * spread[cells] + units.preparation.centre[cells]
        prior = {p.name: getattr(Problem(X, trace.config).family, p.name) for p in trace.config.hyperparameters}
        config = replace(trace.config, prior=prior)
    right = partition_nll(
        Problem.check(filled, replace(config, transform=trace.config.transform)), [trace.result_labels]
    )
    assert trace.nll[trace.result_sweep] == pytest.approx(right[0], rel=1e-9)
    assert [start.nll - trace.scaling_nats for start in trace.starts] == pytest.approx(
        [start.nll for start in trace.in_units(0.0).starts], rel=1e-12
    )


def test_costs_of_distances_have_the_unit_of_what_is_clustered_and_those_of_e_m_that_of_the_table():
    units = clustered(groups(), "standardise")
    for algorithm in ("kmeans", "dpmeans"):
        trace = dpviz.run(units.X, dpviz.RunConfig(algorithm))
        assert units.trace(trace) is trace
    trace = dpviz.run(units.X, dpviz.RunConfig("em"))
    added = N * np.log(units.preparation.spread).sum()
    assert_allclose(units.trace(trace).objective, trace.objective + added, rtol=1e-12)
    assert np.isnan(units.trace(trace).nll).all()


@pytest.mark.parametrize("gaps", [False, True])
def test_densities_of_rows_left_out_are_those_of_the_table(gaps):
    X, config = groups(gaps), usual_config(family="normal_gamma", **QUICK)
    units = clustered(X, "standardise")
    (cell,) = run_configs(units.X, [config], n_folds=3, n_jobs=1)
    right = held_out_density(Task(X, None, config, (), 3), ())
    assert units.result(cell, config).held_out == pytest.approx(right, rel=1e-9)


def test_results_of_searches_keep_their_differences():
    units, config = clustered(groups(), "robust"), usual_config(family="normal_gamma")
    found = list(restarts(units.X, config, 2))
    more = units.scaling_nats(config)
    assert more != 0
    for one in (*found, local_optima(found)):
        assert_allclose(units.result(one, config).nll, one.nll + more)
    assert units.result("words", config) == "words"


def test_a_chain_goes_on_from_a_run_in_other_units():
    units = clustered(groups(), "standardise")
    config = usual_config("gibbs", "normal_gamma", n_sweeps=12, burn_in=3, init="single")
    told = dpviz.Trace.from_json(units.trace(dpviz.run(units.X, config)).to_json())
    whole = dpviz.run(units.X, replace(config, n_sweeps=20))
    assert_array_equal(dpviz.resume(units.X, told, 20).n_clusters, whole.n_clusters)
    assert_allclose(dpviz.resume(units.X, told, 20).nll, whole.nll, rtol=1e-12)


def nll_of_library(file: Path, config: dpviz.RunConfig, labels: np.ndarray) -> float:
    X = to_dataset(read_table(file.read_bytes(), "own.csv"), gaps=True).X
    return float(partition_nll(Problem.check(X, config), [labels])[0])


@pytest.mark.parametrize("scaling", WAYS)
@pytest.mark.parametrize(
    "options",
    ["--transform none", "--transform log", "--family normal_wishart --prior none --directions 2 --transform none"],
)
def test_the_command_line_says_what_the_library_says(scaling, options, tmp_path, capsys):
    if "log" in options and scaling in ("standardise", "robust"):
        scaling = "spread"
    file, out, page = (tmp_path / name for name in ("own.csv", "run.json", "page.html"))
    pd.DataFrame(groups(), columns=list("abcd")).to_csv(file, index=False)
    asked = typed("run", file, f"--scaling {scaling}", options.split(), "--n-init 2 --effort 0")
    assert cli(asked, "--out", out) == 0
    trace = dpviz.Trace.from_json(out.read_text())
    right = nll_of_library(file, trace.config, trace.result_labels)
    assert trace.nll[trace.result_sweep] == pytest.approx(right, rel=1e-9)
    capsys.readouterr()
    assert cli(asked) == 0
    told = re.search(r"nll: +(\S+) nats\n", capsys.readouterr().out)
    assert told and float(told[1]) == pytest.approx(right, abs=2e-6)
    assert cli("report", out, "--data", file, "--quick --out", page) == 0
    assert f"−ln p(data, partition) is {right:,.2f} nats.".replace("-", "−") in page.read_text()


def test_tables_of_runs_have_the_unit_of_the_table(tmp_path):
    file, found = tmp_path / "own.csv", {}
    pd.DataFrame(groups(), columns=list("abcd")).to_csv(file, index=False)
    model = "--family normal_gamma --prior none --transform none --init single --n-init 1 --folds 3 --jobs 1".split()
    for command in (["compare", "--algorithms", "mapdp"], ["tune", "--parameter", "concentration", "--values", "1,3"]):
        for scaling in ("none", "standardise"):
            out = tmp_path / f"{scaling}.json"
            told = [command[0], str(file), *command[1:], *model, "--scaling", scaling]
            assert cli(told, "--out", out) == 0
            rows = json.loads(out.read_text())
            found[scaling] = [[row[name] for name in ("nll", "objective", "held_out")] for row in rows]
        assert_allclose(found["standardise"], found["none"], rtol=1e-9)


def explored(choice: DataChoice, config: dpviz.RunConfig) -> AppTest:
    return opened_in_app("explore", **links.state_query(choice, config))


@pytest.mark.parametrize("scaling", ["standardise", "robust"])
def test_a_page_shows_and_stores_what_the_library_says(scaling):
    config = usual_config(family="normal_gamma", n_init=2, effort=0.02)
    finished = shown_run(explored(replace(IRIS, scaling=scaling), config))
    right = partition_nll(Problem.check(dpviz.datasets.load("iris").X, config), [finished.trace.result_labels])[0]
    assert finished.trace.nll[-1] == pytest.approx(right, rel=1e-9)
    assert dpviz.Trace.from_json(run_json(finished)).nll[-1] == pytest.approx(right, rel=1e-9)
    names: dict[str, Any] = {}
    exec(snippet(finished.prepared, config), names)  # noqa: S102  (it is what is tested)
    assert names["trace"].nll[-1] == pytest.approx(right, rel=1e-9)
    prepared = finished.prepared
    told = report(prepared.dataset, dpviz.run(prepared.X, config), prepared.X, most_work=0)
    assert f"−ln p(data, partition) is {right:,.2f} nats." in told


def test_principal_components_keep_their_own_unit():
    prepared = prepare(replace(IRIS, scaling="standardise", n_components=2))
    trace = dpviz.run(prepared.X, usual_config(family="normal_gamma", **QUICK))
    assert prepared.units.trace(trace) is trace
