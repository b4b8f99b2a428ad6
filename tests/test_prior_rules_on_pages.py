"""Links of earlier versions to counts and codes: pages keep the prior that they had, and offer the usual one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.config_versions import VERSION
from dpviz.ui.controls import model_control
from dpviz.ui.session import computation
from dpviz.ui.session.chosen_data import DataChoice, prepare
from pages import address, close, in_app, opened, page, run, said, settled, shown_run

COUNTS = DataChoice("bundled", "london_times_deaths")
CODES = DataChoice("bundled", "zoo", scaling="none")
REAL = DataChoice("bundled", "ruspini", scaling="standardise")
SHORT = {"algorithm": "mapdp", "n_init": "1", "init": "single"}


@pytest.fixture(autouse=True)
def _nothing_shared() -> None:
    computation.forget_all()


def offered(app: AppTest, rule: str = "count_prior") -> list[Any]:
    return [box for box in app.selectbox if str(box.key).endswith(rule) or f"{rule}." in str(box.key)]


def nll_of(config: dpviz.RunConfig) -> np.ndarray:
    return dpviz.run(prepare(COUNTS).X, config).nll


def test_explore_keeps_the_prior_of_an_old_link_until_the_reader_takes_the_usual_one() -> None:
    query = {"version": "3", "family": "poisson", "prior": "null", **SHORT}
    old = dpviz.RunConfig.from_query(query)
    app = settled(run(in_app("explore", data=COUNTS.to_json(), run=json.dumps(query))))
    assert shown_run(app).config == old and not app.error
    np.testing.assert_array_equal(shown_run(app).trace.nll, nll_of(old))
    assert dpviz.RunConfig.from_query(json.loads(address(app, "run"))) == old
    usual = dpviz.RunConfig.from_query({**query, "version": "4"})
    settled(run(offered(app)[0].set_value("relative")))
    if app.button(key="run.go").label == "Run":
        settled(run(app.button(key="run.go").click()))
    assert shown_run(app).config == usual and not app.error
    np.testing.assert_array_equal(shown_run(app).trace.nll, nll_of(usual))
    close(app)


def test_explore_keeps_one_point_of_each_category_for_an_old_link_until_the_reader_takes_the_usual_weight() -> None:
    query = {"version": "4", "family": "categorical", "prior": "null", **SHORT}
    old = dpviz.RunConfig.from_query(query)
    app = settled(run(in_app("explore", data=CODES.to_json(), run=json.dumps(query))))
    assert shown_run(app).config == old and old.category_prior == "one_each" and not app.error
    assert dpviz.RunConfig.from_query(json.loads(address(app, "run"))) == old and not offered(app)
    settled(run(offered(app, "category_prior")[0].set_value("fitted")))
    if app.button(key="run.go").label == "Run":
        settled(run(app.button(key="run.go").click()))
    assert shown_run(app).config == dpviz.RunConfig.from_query({**query, "version": "5"}) and not app.error
    close(app)


def test_posterior_keeps_one_point_of_each_category_for_an_old_link() -> None:
    query = {"version": "4", "algorithm": "gibbs", "family": "categorical", "n_sweeps": "20", "burn_in": "0"}
    values = json.dumps({"run": query, "chains": 1, "burn_in": 5})
    app = settled(run(in_app("posterior", data=CODES.to_json(), posterior=values)))
    assert {trace.config.category_prior for trace in app.session_state["posterior sampled"].traces} == {"one_each"}
    settled(run(offered(app, "category_prior")[0].set_value("fitted")))
    assert {trace.config.category_prior for trace in app.session_state["posterior sampled"].traces} == {"fitted"}
    assert not app.error
    close(app)


def test_old_links_to_real_columns_do_not_speak_of_counts() -> None:
    app = settled(run(in_app("explore", data=REAL.to_json(), run=json.dumps({"version": "3", **SHORT}))))
    assert shown_run(app).config.count_prior == "relative" and not offered(app) and not app.error
    assert shown_run(app).config.category_prior == "fitted" and not offered(app, "category_prior")
    close(app)


def test_posterior_keeps_the_prior_of_an_old_link() -> None:
    query = {"version": "3", "algorithm": "gibbs", "family": "poisson", "n_sweeps": "20", "burn_in": "0", "seed": "5"}
    values = json.dumps({"run": query, "chains": 1, "burn_in": 5})
    app = settled(run(in_app("posterior", data=COUNTS.to_json(), posterior=values)))
    assert {trace.config.count_prior for trace in app.session_state["posterior sampled"].traces} == {"exposure"}
    settled(run(offered(app)[0].set_value("relative")))
    assert {trace.config.count_prior for trace in app.session_state["posterior sampled"].traces} == {"relative"}
    assert not app.error
    close(app)


def test_the_prior_of_an_old_link_to_the_posterior_belongs_to_its_data_alone() -> None:
    query = {"version": "3", "algorithm": "gibbs", "family": "poisson", "n_sweeps": "20", "burn_in": "0", "seed": "5"}
    values = json.dumps({"run": query, "chains": 1, "burn_in": 5})
    app = settled(run(in_app("posterior", data=COUNTS.to_json(), posterior=values)))
    assert offered(app)
    settled(run(app.selectbox(key="data.name.bundled").set_value("horse_kicks")))
    assert {trace.config.count_prior for trace in app.session_state["posterior sampled"].traces} == {"relative"}
    assert not offered(app) and not app.error
    close(app)


WITHOUT_VERSION, OF_NOW = {"tab": "search", "held": {}}, {"tab": "search", "held": {}, "version": VERSION}


def every_run(app: AppTest) -> str:
    return next(text for text in said(app.main).splitlines() if text.startswith("Every run:"))


@pytest.mark.parametrize("name", ["horse_kicks", "heart_cleveland"])
def test_links_to_tune_without_a_version_begin_as_the_third_did(name: str) -> None:
    data = DataChoice("bundled", name).to_json()
    app = opened("tune", data=data, tune=json.dumps(WITHOUT_VERSION))
    assert "N0 = 3 " in every_run(app) and "prior of counts: worth one exposure" in every_run(app)
    assert "chosen by nll" not in every_run(app) and json.loads(address(app, "tune"))["version"] == 3
    again = opened("tune", data=data, tune=address(app, "tune"))
    assert every_run(again) == every_run(app) and not app.warning
    settled(run(next(button for button in again.button if button.label == "Back to the defaults").click()))
    now = opened("tune", data=data, tune=json.dumps(OF_NOW))
    assert "prior of c" not in every_run(now) and json.loads(address(now, "tune"))["version"] == VERSION
    assert every_run(again).partition("·")[2] == every_run(now).partition("·")[2]
    for each in (app, again, now):
        close(each)


def test_links_to_tune_of_the_fourth_version_differ_in_what_the_fifth_changed_only() -> None:
    data = DataChoice("bundled", "zoo").to_json()
    fourth, now = (opened("tune", data=data, tune=json.dumps({**OF_NOW, "version": v})) for v in (4, VERSION))
    assert "N0 = 3 " not in every_run(fourth) and "prior of categories: one point of each" in every_run(fourth)
    assert "prior of categories" not in every_run(now)
    for each in (fourth, now):
        close(each)


def test_links_to_tune_hold_the_prior_of_the_counts_of_a_chosen_model() -> None:
    config = dpviz.RunConfig("mapdp", family="poisson", prior={"alpha0": 1.0}, count_prior="exposure")
    (query,) = model_control._as_linked(config, config).values()
    assert dpviz.RunConfig.from_query(query).count_prior == "exposure"


def test_links_to_tune_of_an_unknown_version_are_said() -> None:
    app = run(page("tune", data=REAL.to_json(), tune=json.dumps({**OF_NOW, "version": 99})))
    assert "Some of the link's settings are unknown" in said(app.main)
    settled(app)
    assert json.loads(address(app, "tune"))["version"] == VERSION
    close(app)


def test_predict_knows_the_run_of_an_old_link_to_real_columns_as_the_usual_one() -> None:
    old = json.dumps({"run": {"version": "3", **SHORT}})
    app = opened("predict", data=REAL.to_json(), predict=old)
    assert dpviz.RunConfig.from_query(json.loads(address(app, "predict"))["run"]).count_prior == "relative"
    close(app)


def test_compare_keeps_the_prior_of_an_old_panel() -> None:
    query = {"version": "3", "family": "poisson", "prior": "null", **SHORT}
    panels = json.dumps([query, {**query, "version": "4"}])
    app = settled(run(in_app("compare", data=COUNTS.to_json(), panels=panels)))
    shown = [dpviz.RunConfig.from_query(text).count_prior for text in json.loads(address(app, "panels"))]
    assert shown == ["exposure", "relative"] and not app.error
    close(app)


OLD_COUNTS = {"version": "7", **SHORT}
"""The run of a link that names neither kinds nor family; counts alone were Poisson then."""
DOORS: dict[str, dict[str, Any]] = {
    "explore": {"run": OLD_COUNTS},
    "compare": {"panels": [OLD_COUNTS, OLD_COUNTS]},
    "predict": {"predict": {"run": OLD_COUNTS}},
}


@pytest.mark.parametrize("name", DOORS)
def test_links_of_before_over_dispersion_cluster_counts_as_poisson(name: str) -> None:
    ((part, value),) = DOORS[name].items()
    app = opened(name, data=COUNTS.to_json(), **{part: json.dumps(value)})
    assert "poisson" in address(app, part) and not app.error
    assert "negative_binomial" not in address(app, part)
    close(app)


def test_priors_draw_from_the_usual_prior_of_the_counts() -> None:
    app = opened("priors", data=COUNTS.to_json())
    assert not app.exception and not offered(app)
    close(app)
