"""Transformations on the pages: set on the Data page for all of them, in links and code, and said beside the run."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import dpviz
from dpviz.analysis.model_table import models_like
from dpviz.datasets import scale
from dpviz.errors import DpvizError
from dpviz.ui.controls.both_answers import skewed_columns
from dpviz.ui.session.chosen_data import DataChoice, for_distances, prepare
from dpviz.ui.session.exports import snippet
from dpviz.ui.tune import models as tune_models
from dpviz.ui.tune.page import MODELS
from pages import address, chosen, close, go_to, in_app, opened, plain, run, said, settled, shown_run

FAITHFUL = DataChoice("bundled", "old_faithful", scaling="standardise")
LOGS = replace(FAITHFUL, transform="log")
QUICK = dpviz.RunConfig(partition="auto", n_init=2, effort=0.0)


def test_explore_clusters_transformed_columns_and_says_so():
    app = opened("explore", data=LOGS.to_json(), run=json.dumps(replace(QUICK, transform="log").to_query()))
    assert "Columns are transformed: log of “" in said(app.main) and not app.error
    assert json.loads(address(app, "data"))["transform"] in ("log", [0.0, 0.0])
    close(app)


def test_the_data_page_sets_them_and_keeps_columns_positive():
    app = opened("data", data=FAITHFUL.to_json())
    app.selectbox(key="data transform").set_value("log").run()
    assert not app.exception and json.loads(address(app, "data"))["transform"] == "log"
    assert "Methods with a model transform columns (Logarithms of all measured columns)" in said(app.main)
    close(app)
    prepared, plain = prepare(LOGS), prepare(FAITHFUL)
    np.testing.assert_allclose(prepared.X, plain.dataset.X / plain.dataset.X.std(axis=0))
    np.testing.assert_array_equal(for_distances(prepared).X, prepared.X)  # methods without a model transform nothing


def test_links_of_data_hold_them_and_older_ones_mean_none():
    for made in (LOGS, replace(FAITHFUL, transform="auto"), replace(FAITHFUL, transform=(0.0, 1.0))):
        assert DataChoice.from_json(made.to_json()) == made
    assert "transform" not in FAITHFUL.to_json() and DataChoice.from_json(FAITHFUL.to_json()).transform == ""
    for wrong in ("ln", 3, True, [9.0], ["a"], {"a": 1}, [[0.0]], None):
        with pytest.raises(DpvizError, match="transform"):
            DataChoice.from_json(json.dumps({"source": "bundled", "name": "wine", "transform": wrong}))
    with pytest.raises(DpvizError, match="empty with principal components"):
        replace(LOGS, n_components=1)
    with pytest.raises(DpvizError, match="needs measured columns"):
        prepare(DataChoice("bundled", "house_votes_84", transform="log"))
    with pytest.raises(DpvizError, match=r"holds 0 in row .*; under transform"):
        prepare(DataChoice("bundled", "breast_cancer_diagnostic", scaling="standardise", transform="log"))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"directions": 50}, "= 50 must be at most 4"),
        ({"transform": "log", "name": "breast_cancer_diagnostic"}, "holds 0"),
    ],
)
def test_a_link_whose_directions_or_powers_its_data_do_not_allow_keeps_the_data(wrong, why):
    data = {"source": "bundled", "name": "iris", "scaling": "standardise", **wrong}
    app = opened("data", data=json.dumps(data))
    told = plain(" ".join(warning.value for warning in app.warning))
    assert "do not fit its data, so they are left out." in told and why in told and not app.error
    kept = {"source": "bundled", "name": data["name"], "scaling": "standardise"}
    assert json.loads(address(app, "data")) == kept
    close(app)


LOST = {"source": "session", "name": "abcdef", "scaling": "standardise", "transform": "log"}


@pytest.mark.parametrize(
    ("data", "model"),
    [
        (LOST, {"transform": (0.0, 0.0)}),  # numbers below 0 stand in for them
        ({"source": "bundled", "name": "wine", "scaling": "standardise"}, {"transform": (0.5, 0.5)}),
        (LOST, {"directions": 5, "family": "normal_gamma"}),
    ],
)
def test_a_link_whose_run_does_not_fit_the_data_runs_without_what_does_not(data, model):
    app = opened("explore", data=json.dumps(data), run=json.dumps(replace(QUICK, **model).to_query()))
    told = plain(" ".join(warning.value for warning in app.warning))
    assert "of the link's run do not fit these data, so they are left out." in told and not app.error
    config = shown_run(app).config
    assert config.transform is config.directions is None and config.algorithm == "mapdp" and config.n_init == 2
    close(app)


def test_skewed_columns_are_offered_with_both_answers_on_compare():
    wine = DataChoice("bundled", "wine", scaling="standardise")
    assert skewed_columns(wine) == 5 and skewed_columns(FAITHFUL) == 0
    app = settled(run(in_app("explore", data=wine.to_json(), run=json.dumps(QUICK.to_query()))))
    assert "5 columns are nearer to a bell curve under a power" in said(app.main)
    settled(run(next(button for button in app.button if button.key.endswith(".transform")).click()))
    panels = json.loads(address(app, "panels"))
    assert [panel.get("transform") for panel in panels] == [None, "auto"]
    assert json.loads(address(app, "data"))["transform"] == [1.0] and not app.error and not app.exception
    close(app)


RENTS = np.exp(np.random.default_rng(4).normal(size=(90, 3)) @ [[1, 0.5, 0], [0, 1, 0], [0, 0, 0.8]])


def used(X):
    """The Data page once a table of one's own is in use."""
    app = run(in_app("data"))
    run(app.segmented_control(key="data way").set_value("Load"))
    rows = [",".join(f"{x:.6f}" for x in row) for row in X]
    run(app.text_area(key="data pasted").set_value("\n".join(["price,area,rent", *rows])))
    return run(app.button(key="data use").click())


def test_a_skewed_table_of_ones_own_begins_with_transformations():
    app = used(RENTS)
    choice = chosen(app)
    assert (choice.scaling, choice.transform) == ("standardise", "auto") and not app.exception
    assert app.selectbox(key="data transform").value == "auto"
    app = settled(run(go_to(app, "explore")))
    shown = shown_run(app)
    assert shown.config.transform == (0.0, 0.0, 0.0) and shown.trace.n_clusters[-1] == 1
    told = said(app.main)
    assert re.search("Columns are transformed: log of “price”, “area”, “rent”, [0-9]+ nats lower in short runs", told)
    assert told.count("log of") == 1 and "are nearer to a bell curve" not in told
    asked = dpviz.RunConfig(partition="auto", transform="auto")
    direct = dpviz.run(dpviz.datasets.scale(shown.prepared.dataset.X, "spread").X, asked)
    assert shown.config == direct.config and shown.trace.nll[-1] == shown.prepared.units.trace(direct).nll[-1]
    standardised = dpviz.datasets.scale(shown.prepared.dataset.X).X  # methods of distances notice no shift
    for algorithm in ("kmeans", "dpmeans"):
        of_both = [dpviz.run(X, dpviz.RunConfig(algorithm)) for X in (shown.prepared.X, standardised)]
        np.testing.assert_array_equal(of_both[0].result_labels, of_both[1].result_labels)
        np.testing.assert_allclose(of_both[0].objective[-1], of_both[1].objective[-1])
    settled(run(next(button for button in app.button if button.key.endswith(".as_they_are")).click()))
    panels = json.loads(address(app, "panels"))
    assert [panel.get("transform") for panel in panels] == ["auto", None] and not app.error and not app.exception
    assert json.loads(address(app, "data"))["transform"] == "auto"
    go_to(app, "data")
    run(app)
    run(app.selectbox(key="data scaling").set_value("robust"))
    assert chosen(app).transform == "" and chosen(app).way == "robust" and not app.exception
    close(app)


def test_a_table_that_is_not_skewed_begins_as_it_did():
    app = used(20 + np.random.default_rng(4).normal(size=(60, 3)))
    assert (chosen(app).scaling, chosen(app).transform, chosen(app).way) == ("standardise", "", "standardise")
    close(app)


def test_the_code_of_a_run_makes_it_again():
    prepared = prepare(LOGS)
    expected = dpviz.run(prepared.X, replace(QUICK, transform="log"))
    made: dict[str, object] = {}
    exec(snippet(prepared, expected.config, ("trace = dpviz.run(X, config)",)), made)  # noqa: S102  (it is what is tested)
    assert isinstance(made["trace"], dpviz.Trace) and made["trace"].config == expected.config
    np.testing.assert_array_equal(made["trace"].labels, expected.labels)


def test_columns_are_divided_and_not_moved():
    X = np.column_stack([np.exp(np.random.default_rng(0).normal(size=50)), np.full(50, 3.0)])
    X[4, 0] = np.nan
    found = scale(X, "spread")
    assert np.nanstd(found.X[:, 0]) == pytest.approx(1) and np.isnan(found.X[4, 0]) and np.nanmin(found.X) > 0
    np.testing.assert_array_equal(found.X[:, 1], 3.0)
    np.testing.assert_allclose(found.X * found.spread + found.centre, X)


@pytest.mark.parametrize("n_columns", [2, 3])
def test_models_in_other_units_are_told_in_those_of_the_page(n_columns):
    X = np.random.default_rng(1).lognormal(size=(50, 3))
    X[3, 1], X[:, 2] = np.nan, 5.0
    of_page = ((X - [1.0, 2.0, 5.0]) / [3.0, 0.2, 1.0])[:, :n_columns].copy()
    config, kinds = dpviz.RunConfig("mapdp", family="normal_gamma", prior=None, effort=0.0), ("continuous",) * n_columns
    found = (next(models_like(data, config, kinds, 2)) for data in (of_page, X[:, :n_columns].copy()))
    here, told = next(found), tune_models.in_units_of(of_page, X[:, :n_columns], next(found))
    assert told.clusters == here.clusters and told.nll == pytest.approx(here.nll)
    if n_columns == 2:  # how wide a constant column is taken to be differs from fold to fold
        assert told.held_out == pytest.approx(here.held_out)


def test_tune_compares_transformations_and_opens_the_best_in_columns_that_can_have_it():
    choice = DataChoice("bundled", "enzyme", scaling="robust")
    app = in_app("tune", data=choice.to_json())
    app.session_state["settings"] = {"tune.place": MODELS}
    while offered := [button for button in settled(run(app)).button if str(button.key).startswith("tune.run.")]:
        run(offered[0].click())
    table = app.dataframe[0].value
    assert set(table["Columns"]) >= {"as they are", "logarithms"} and not app.error and not app.exception
    (made,) = app.session_state["tune report"].values()
    best, code = made.config, dict[str, object]()
    exec(snippet(made.scaled or made.prepared, best, ("trace = dpviz.run(X, config)",)), code)  # noqa: S102
    way = table["Columns"][0]
    assert (best.transform is None) == (way == "as they are") and isinstance(code["trace"], dpviz.Trace)
    app.button(key="tune.models.open").click().run()
    shown = shown_run(settled(app))
    np.testing.assert_array_equal(shown.trace.labels, code["trace"].labels)
    assert shown.trace.nll[-1] == pytest.approx(table["nll (nats)"][0])  # both are in the unit of the table
    close(app)
