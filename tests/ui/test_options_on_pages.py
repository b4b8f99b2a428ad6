"""Options × pages: missing cells, directions, transformations and powers of the likelihood, wherever they are set.

They are kept in links, written in the code of a run, said where they matter, and offered where they may help.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz import datasets
from dpviz.analysis.coarsening import usual_values
from dpviz.analysis.model_table import models_like
from dpviz.config_versions import VERSION
from dpviz.errors import DpvizError
from dpviz.families.automatic import REAL
from dpviz.player.run_panel import panel
from dpviz.ui.controls.both_answers import skewed_columns
from dpviz.ui.controls.cluster_controls import EXACT
from dpviz.ui.controls.family_control import family_title
from dpviz.ui.session import exports, jobs
from dpviz.ui.session.chosen_data import DataChoice, complete_rows, for_distances, prepare
from dpviz.ui.shell import links
from dpviz.ui.tune import models as tune_models
from dpviz.ui.tune.page import COARSENING, GRID, MODELS, POWER
from pages import (
    address,
    chosen,
    close,
    computing,
    filling,
    go_to,
    in_app,
    labelled,
    opened,
    opened_in_app,
    page,
    plain,
    press,
    run,
    run_again,
    said,
    set_to,
    settled,
    shown_run,
)

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=60)
WINE = DataChoice("bundled", "wine", scaling="standardise")
ALONG = replace(WINE, directions=3)
FAITHFUL = DataChoice("bundled", "old_faithful", scaling="standardise")
LOGS = replace(FAITHFUL, transform="log")
VOTES = DataChoice("bundled", "house_votes_84", gaps=True)
DROPPED = replace(VOTES, gaps=False)
ELLIPSES = DataChoice("synthetic", "elliptical_rotated", options=(("missing", 0.15), ("n", 80)), gaps=True)
FEW = DataChoice("synthetic", "elliptical_overlap", (("n", 40), ("seed", 5), ("missing", 0.8)), gaps=True)
"""Fewer than two of its rows are complete."""
CANCER = DataChoice("bundled", "breast_cancer_original")
RENTS = np.exp(np.random.default_rng(4).normal(size=(90, 3)) @ [[1, 0.5, 0], [0, 1, 0], [0, 0, 0.8]])
QUICK = dpviz.RunConfig(partition="auto", n_init=2, effort=0.0)
KMEANS = dpviz.RunConfig("kmeans", n_clusters=2, n_init=1)
FIXED = usual_config(family="normal_gamma", n_init=1, init="single")
GAPS = replace(FIXED, effort=0.0)


@pytest.fixture(autouse=True)
def _nothing_shared():
    jobs.SHARED.clear()


def explored(choice: DataChoice, config: dpviz.RunConfig) -> AppTest:
    return run_again(opened("explore", data=choice, run=config))


def in_link(app: AppTest) -> Any:
    """The data of the address."""
    return json.loads(address(app, "data"))


# --- links, data and code ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "default", "name", "wrong"),
    [
        (VOTES, DROPPED, "gaps", ["yes"]),
        (ALONG, WINE, "directions", [-1, 2.5, True, "3", 2000]),
        (LOGS, FAITHFUL, "transform", ["ln", 3, True, [9.0], ["a"], {"a": 1}, [[0.0]], None]),
        (replace(FAITHFUL, transform="auto"), FAITHFUL, "transform", []),
        (replace(FAITHFUL, transform=(0.0, 1.0)), FAITHFUL, "transform", []),
    ],
)
def test_links_of_data_hold_what_is_chosen_and_older_ones_mean_nothing_of_it(made, default, name, wrong):
    assert DataChoice.from_json(made.to_json()) == made and f'"{name}":' in made.to_json()
    assert name not in default.to_json() and not getattr(DataChoice.from_json(default.to_json()), name)
    for value in wrong:
        with pytest.raises(DpvizError, match=name):
            DataChoice.from_json(json.dumps({"source": "bundled", "name": "wine", name: value}))


@pytest.mark.parametrize(
    ("choice", "changes", "message"),
    [
        (ALONG, {"n_components": 2}, "0 with principal components"),
        (WINE, {"directions": 14}, "must be at most 13"),
        (DROPPED, {"directions": 2}, "must be 0 with columns that are binary"),
        (LOGS, {"n_components": 1}, "empty with principal components"),
        (DROPPED, {"transform": "log"}, "needs measured columns"),
        (LOGS, {"name": "breast_cancer_diagnostic"}, r"holds 0 in row .*; under transform"),
    ],
)
def test_what_the_data_do_not_allow_is_refused(choice, changes, message):
    with pytest.raises(DpvizError, match=message):
        prepare(replace(choice, **changes))


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        (VOTES, GAPS),
        (DROPPED, KMEANS),
        (replace(DROPPED, fill=True), KMEANS),
        (replace(ELLIPSES, scaling="standardise"), GAPS),
        (replace(ELLIPSES, gaps=False), KMEANS),
        (replace(ELLIPSES, gaps=False, fill=True, scaling="standardise"), KMEANS),
        (ALONG, replace(QUICK, directions=3)),
        (LOGS, replace(QUICK, transform="log")),
    ],
)
def test_the_code_that_is_shown_has_the_same_numbers_and_makes_the_run_again(choice, config):
    prepared, names = prepare(choice), dict[str, Any]()
    expected = dpviz.run(prepared.X, config)
    exec(exports.snippet(prepared, expected.config, ("trace = dpviz.run(X, config)",)), names)
    assert_array_equal(names["X"], prepared.X)
    assert names["trace"].config == expected.config
    assert_array_equal(names["trace"].labels, expected.labels)


def test_prepared_data_have_all_rows_or_the_complete_ones():
    prepared = prepare(VOTES)
    assert len(prepared.X) == 435 and prepared.clustered.gaps
    complete = complete_rows(prepared)
    assert len(complete.X) == 232 and not complete.clustered.gaps and complete.choice == DROPPED
    assert_array_equal(complete.X, prepared.X[~prepared.clustered.incomplete])
    assert complete_rows(complete) is complete
    assert np.isfinite(prepared.display().coordinates).all()
    components = prepare(replace(VOTES, n_components=2))
    assert components.X.shape == (232, 2)
    assert "203 of 435 rows have missing cells and are left out." in components.notes
    scaled = prepare(DataChoice("bundled", "dermatology", scaling="standardise", gaps=True))
    assert np.isnan(scaled.X).sum() == 8 and abs(np.nanmean(scaled.X, axis=0)).max() < 1e-12


def test_filled_columns_hold_what_they_held_and_their_commonest_value():
    filled, whole = prepare(replace(DROPPED, fill=True)), prepare(VOTES)
    assert filled.X.shape == (435, 16) and not filled.clustered.gaps
    known = ~np.isnan(whole.X)
    assert_array_equal(filled.X[known], whole.X[known])
    modes = [np.argmax(np.bincount(column[~np.isnan(column)].astype(int))) for column in whole.X.T]
    assert_array_equal(filled.X[~known], np.broadcast_to(modes, whole.X.shape)[~known])
    assert "392 missing cells are filled in with the mean or the commonest value of their column." in filled.notes
    assert prepare(replace(VOTES, fill=True, n_components=2)).X.shape == (435, 2)


def test_rows_with_missing_cells_are_left_out_or_filled_along_directions():
    whole, along = prepare(replace(CANCER, scaling="standardise", gaps=True)), {"directions": 1}
    left = prepare(replace(whole.choice, **along))
    assert whole.clustered.incomplete.any() and not left.clustered.incomplete.any()
    assert len(left.X) == len(whole.X) - whole.clustered.incomplete.sum()
    assert len(prepare(replace(whole.choice, fill=True, **along)).X) == len(whole.X)


def test_methods_without_a_model_transform_nothing():
    prepared, untouched = prepare(LOGS), prepare(FAITHFUL)
    assert_allclose(prepared.X, untouched.dataset.X / untouched.dataset.X.std(axis=0))
    assert_array_equal(for_distances(prepared).X, prepared.X)


# --- what is seen on Explore, and where it is changed -----------------------------------------------------------------


class Cell(NamedTuple):
    """What Explore shows of a link, with the fields of its run's configuration and of the address's data."""

    choice: DataChoice
    config: dpviz.RunConfig
    seen: str
    held: dict[str, Any] = {}
    address: dict[str, Any] = {}


ALONG_SAID = "Clusters differ along {} directions of the columns; along the other {} all points are one Gaussian"
CELLS = {
    "directions": Cell(
        ALONG, replace(QUICK, directions=3), ALONG_SAID.format(3, 10), {"directions": 3}, {"directions": 3}
    ),
    "directions of a run": Cell(WINE, replace(QUICK, directions=2), ALONG_SAID.format(2, 11), {"directions": 2}),
    "transformations": Cell(LOGS, replace(QUICK, transform="log"), "Columns are transformed: log of “"),
    "a coarsened model": Cell(
        SMALL, replace(FIXED, coarsening=33.0), "not comparable with that of another α", {"coarsening": 33.0}
    ),
    "filled cells": Cell(
        ELLIPSES, replace(FIXED, missing="impute"), "Filled in, in every sweep", {"missing": "impute"}
    ),
}


@pytest.mark.parametrize("name", CELLS)
def test_explore_follows_a_link_and_says_so(name):
    cell = CELLS[name]
    app = explored(cell.choice, cell.config)
    assert cell.seen in said(app) and not app.error and not app.warning
    config = shown_run(app).config
    assert {own: getattr(config, own) for own in cell.held} == cell.held
    assert {own: in_link(app)[own] for own in cell.address} == cell.address
    if cell.choice.transform:
        assert in_link(app)["transform"] in ("log", [0.0, 0.0])
    if config.directions:
        assert not any(str(button.key).endswith(".directions") for button in app.button)
    close(app)


@pytest.mark.parametrize(
    ("name", "label", "value"),
    [("a coarsened model", "coarsening", EXACT), ("filled cells", "missing", "marginalise")],
)
def test_explore_runs_anew_with_what_is_chosen_there(name, label, value):
    cell = CELLS[name]
    app = explored(cell.choice, cell.config)
    (control,) = (own for own in (*app.select_slider, *app.selectbox) if str(own.key).startswith(f"run.{label}."))
    assert control.value == getattr(cell.config, label)
    run_again(run(control.set_value(value)))
    expected = replace(cell.config, **{label: None if value == EXACT else value})
    assert shown_run(app).config == expected
    close(app)


def test_cells_are_no_matter_where_none_is_missing():
    whole = opened("explore", data='{"source":"bundled","name":"iris"}', run={"version": "8"})
    assert not [box for box in whole.selectbox if box.label == "Missing cells"]


def test_explore_clusters_rows_with_gaps_where_the_method_can():
    app = explored(VOTES, dpviz.RunConfig(family="binomial", init="single"))
    finished = shown_run(app)
    assert (
        len(finished.trace.labels[0]) == 435
        and finished.choice.gaps
        and "cells and are left out" not in said(app.sidebar)
    )
    assert panel(finished.prepared, finished.trace, "votes").points.shape == (435, 2)
    run_again(set_to(app, "run.method", "kmeans"))
    finished = shown_run(app)
    assert len(finished.trace.labels[0]) == 232 and not finished.choice.gaps
    assert COMPLETE.format("K-means needs", "left out") in said(app.sidebar)


def test_families_that_need_complete_rows_are_not_offered_with_gaps():
    offered = []
    for choice, missing in ((VOTES, "marginalise"), (VOTES, "auto"), (DROPPED, "auto")):
        config = replace(FIXED, effort=0, missing=missing)
        app = opened("explore", data=choice, run=config)
        family = labelled(app, "selectbox", "Clusters look like")
        assert family.value == "normal_gamma"
        offered.append(set(family.options))
    assert offered[1] == offered[2]
    assert offered[1] - offered[0] == {family_title("normal_wishart"), family_title("normal_known_covariance")}


def test_a_link_that_asks_for_a_family_without_gaps_gets_a_message():
    asked = json.dumps({"version": "8", "family": "normal_wishart", "missing": "marginalise"})
    app = opened("explore", data=VOTES, run=asked)
    assert any("cannot leave missing cells out" in error.value for error in app.error) and not app.exception


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
    app = opened("explore", data=data, run=replace(QUICK, **model))
    told = plain(" ".join(warning.value for warning in app.warning))
    assert "of the link's run do not fit these data, so they are left out." in told and not app.error
    config = shown_run(app).config
    assert config.transform is config.directions is None and config.algorithm == "mapdp" and config.n_init == 2
    close(app)


# --- both answers -----------------------------------------------------------------------------------------------------


class Offer(NamedTuple):
    """What Explore offers of a run beside it, and what the panels of Compare then differ in."""

    choice: DataChoice
    config: dpviz.RunConfig
    offered: str
    panels: list[dict[str, Any]]
    shown: str
    address: dict[str, Any] = {}


OFFERS = {
    "directions": Offer(
        WINE,
        QUICK,
        "The columns vary together along 3 of 13 directions",
        [{"directions": None}, {"directions": "3"}],
        "3 directions",
    ),
    "directions of codes": Offer(
        CANCER,
        replace(QUICK, family="binomial", prior=None),
        "9 columns of few ordered values are taken as independent. They vary together along 1 direction",
        [{"family": "binomial", "directions": None}, {"family": None, "directions": "1"}],
        "1 direction",
    ),
    "transform": Offer(
        WINE,
        QUICK,
        "5 columns are nearer to a bell curve under a power",
        [{"transform": None}, {"transform": "auto"}],
        "",
        {"transform": [1.0]},
    ),
}


@pytest.mark.parametrize("name", OFFERS)
def test_what_may_help_is_offered_with_both_answers_on_compare(name):
    offer = OFFERS[name]
    app = opened_in_app("explore", data=offer.choice, run=offer.config)
    assert offer.offered in said(app.main)
    (button,) = (own for own in app.button if str(own.key).endswith(f".{name.partition(' ')[0]}"))
    assert button.label == "See both"
    settled(run(button.click()))
    panels = json.loads(address(app, "panels"))
    assert [{own: panel.get(own) for own in offer.panels[0]} for panel in panels] == offer.panels
    assert offer.shown in said(app.main) and not app.error
    assert {own: in_link(app)[own] for own in offer.address} == offer.address
    close(app)


def test_nothing_is_offered_where_it_cannot_help():
    assert skewed_columns(WINE) == 5 and skewed_columns(FAITHFUL) == 0
    config = replace(QUICK, family="binomial", prior=None, kinds=("binary",) * 16)
    assert "vary together" not in said(explored(DROPPED, config).main)  # two answers have no order


# --- complete rows ----------------------------------------------------------------------------------------------------

COMPLETE = "{} complete rows: 203 of 435 have missing cells and are {}."
SHORT = {"version": "8", "init": "single", "n_init": "1"}
COUNTED = {"tab": "counts", "version": VERSION, "held": {}}


@pytest.mark.parametrize(
    ("page", "link", "who", "seen", "filled"),
    [
        ("priors", {"tab": "elicit"}, "This page needs", "", ""),
        (
            "tune",
            COUNTED,
            "DP-means, K-means and E-M need",
            "On the 232 complete rows.",
            "On all rows, with their missing cells filled in.",
        ),
    ],
)
def test_pages_take_the_complete_rows_or_filled_ones_and_say_so(page, link, who, seen, filled):
    app = opened(page, data=VOTES, **({} if link is None else {page: json.dumps(link)}))
    assert COMPLETE.format(who, "left out") in said(app.sidebar) and seen in said(app.main)
    assert page != "tune" or "BIC is lowest" in said(app)
    settled(run(filling(app).set_value(True)))
    assert COMPLETE.format(who, "filled in") in said(app.sidebar) and filled in said(app)
    assert chosen(app) == replace(VOTES, fill=True) and not app.error
    close(app)


@pytest.mark.parametrize(
    ("page", "place", "link"),
    [
        ("compare", "panels", [{"algorithm": "mapdp", **SHORT}, {"version": "8", "algorithm": "kmeans"}]),
        ("explore", "run", {"version": "8", "algorithm": "kmeans"}),
        ("tune", "tune", COUNTED),
    ],
)
def test_where_too_few_rows_are_complete_pages_say_so_and_offer_to_fill_cells_in(page, place, link):
    app = opened(page, data=FEW, **{place: link})
    assert "40 rows are complete" in said(app.main) and "fill cells in" in said(app.main) and not app.exception
    settled(run(filling(app).set_value(True)))
    assert chosen(app).fill and not app.error
    close(app)


def test_opening_a_run_of_complete_rows_says_that_the_others_are_left_out():
    app = opened_in_app("tune", data=VOTES, tune=json.dumps(COUNTED))
    press(app, "tune.bic.open")
    settled(run(go_to(app, "explore")))
    assert not chosen(app).gaps and links.ROWS_LEFT_OUT in said(app)


def test_the_loss_of_powers_is_not_tried_on_rows_with_gaps():
    app = page("tune", data=replace(FEW, options=(("n", 40), ("missing", 0.2))))
    app.session_state["settings"] = {"tune.place": POWER, "tune.r.n": 2}
    settled(run(app))
    assert "The loss on unseen points was not tried" in said(app.main) and "that is not a number" not in said(app.main)
    close(app)


def test_tune_varies_mapdp_on_all_rows_and_k_means_on_complete_ones():
    def sizes():
        if "tune.run.grid" in [button.key for button in app.button]:
            settled(press(app, "tune.run.grid"))
        return {sum(cell.sizes) for cell in computing(app, "tune.grid").task.result}

    app = page("tune", data=VOTES)
    app.session_state["settings"] = {"tune.place": GRID, "tune.range.concentration..n": 2}
    settled(run(app))
    assert sizes() == {435} and "cells and are left out" not in said(app.sidebar)
    set_to(app, "tune.grid.method", "dpmeans")
    assert COMPLETE.format("DP-means needs", "left out") in said(app.sidebar)
    settled(app)
    assert sizes() == {232}


# --- the Data page ----------------------------------------------------------------------------------------------------


def test_the_data_page_sets_transformations_and_keeps_columns_positive():
    app = opened("data", data=FAITHFUL)
    set_to(app, "data transform", "log")
    assert in_link(app)["transform"] == "log"
    assert "Methods with a model transform columns (Logarithms of all measured columns)" in said(app.main)
    close(app)


def test_the_data_page_offers_log_ratios_of_shares_that_add_up_and_explore_takes_them():
    rng = np.random.default_rng(0)
    shares = np.round(100 * np.vstack([rng.dirichlet(weights, 40) for weights in ([9, 4, 3], [2, 5, 9])]) + 0.01, 2)
    shares[:, 2] = np.round(100 - shares[:, 0] - shares[:, 1], 2)
    app = used(shares, "sand,silt,clay")
    offered = "Log-ratios of “sand”, “silt” and what they leave of 100"
    assert offered in app.selectbox(key="data transform").options
    set_to(app, "data transform", "logratio")
    choice = chosen(app)
    assert (choice.transform, choice.way) == (("logratio 100",) * 2, "none") and not app.exception
    app = settled(run(go_to(app, "explore")))
    shown = shown_run(app)
    direct = dpviz.run(shares[:, :2], dpviz.RunConfig(partition="auto", transform="logratio"))
    assert shown.config.transform == direct.config.transform == ("logratio 100",) * 2
    assert_array_equal(shown.trace.result_labels, direct.result_labels)
    told = said(app.main)
    assert "Costs and densities are those of the columns." in told and not app.exception
    run(go_to(app, "data"))
    assert app.selectbox(key="data transform").value == "logratio"
    set_to(app, "data transform", "")
    assert chosen(app).transform == "" and chosen(app).way == "standardise"
    close(app)
    app = opened("data", data=FAITHFUL)
    assert not any("Log-ratios" in option for option in app.selectbox(key="data transform").options)
    close(app)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"directions": 50}, "= 50 must be at most 4"),
        ({"transform": "log", "name": "breast_cancer_diagnostic"}, "holds 0"),
    ],
)
def test_a_link_whose_directions_or_powers_its_data_do_not_allow_keeps_the_data(wrong, why):
    data = {"source": "bundled", "name": "iris", "scaling": "standardise", **wrong}
    app = opened("data", data=data)
    told = plain(" ".join(warning.value for warning in app.warning))
    assert "do not fit its data, so they are left out." in told and why in told and not app.error
    assert in_link(app) == {"source": "bundled", "name": data["name"], "scaling": "standardise"}
    close(app)


def test_the_data_page_asks_whether_rows_with_gaps_are_kept():
    app = opened("data", data=DROPPED)
    toggle = app.toggle(key="data gaps")
    assert toggle.label == "Keep the 203 rows with missing cells" and not toggle.value
    run(toggle.set_value(True))
    assert chosen(app).gaps
    assert "203 of 435 rows have missing cells and are kept." in said(app)
    set_to(app, "data gaps", False)
    assert not chosen(app).gaps
    assert not [t for t in opened("data", data='{"source":"bundled","name":"iris"}').toggle if t.key == "data gaps"]


def test_generators_with_gaps_travel_in_links_and_keep_their_rows():
    app = opened("data")
    set_to(app, "data scenario", "mixed_table")
    set_to(app, "data mixed_table missing", 0.3)
    if chosen(app).name != "mixed_table":
        press(app, "data use synthetic")
    choice = chosen(app)
    assert choice.gaps and dict(choice.options)["missing"] == 0.3
    again = DataChoice.from_json(choice.to_json())
    assert_array_equal(prepare(again).X, datasets.synthesize("mixed_table", missing=0.3).X)
    assert not app.error
    for view in ("Table", "Columns", "Missing values", "Scatter matrix", "Correlations"):
        app.session_state["data look"] = view
        run(app)
        assert not app.error, view
    set_to(app, "data mixed_table missing", 0.0)
    assert not chosen(app).gaps


def used(X: np.ndarray, names: str) -> AppTest:
    """The Data page once a table of one's own is in use."""
    app = run(in_app("data"))
    set_to(app, "data way", "Load")
    rows = [",".join(f"{x:.6f}".rstrip("0").rstrip(".") for x in row) for row in X]
    set_to(app, "data pasted", "\n".join([names, *rows]))
    return press(app, "data use")


def test_a_skewed_table_of_ones_own_begins_with_transformations():
    app = used(RENTS, "price,area,rent")
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
    direct = dpviz.run(datasets.scale(shown.prepared.dataset.X, "spread").X, asked)
    assert shown.config == direct.config and shown.trace.nll[-1] == shown.prepared.units.trace(direct).nll[-1]
    standardised = datasets.scale(shown.prepared.dataset.X).X  # methods of distances notice no shift
    for algorithm in ("kmeans", "dpmeans"):
        of_both = [dpviz.run(X, dpviz.RunConfig(algorithm)) for X in (shown.prepared.X, standardised)]
        assert_array_equal(of_both[0].result_labels, of_both[1].result_labels)
        assert_allclose(of_both[0].objective[-1], of_both[1].objective[-1])
    settled(run(next(button for button in app.button if button.key.endswith(".as_they_are")).click()))
    panels = json.loads(address(app, "panels"))
    assert [panel.get("transform") for panel in panels] == ["auto", None] and not app.error and not app.exception
    assert in_link(app)["transform"] == "auto"
    run(go_to(app, "data"))
    set_to(app, "data scaling", "robust")
    assert chosen(app).transform == "" and chosen(app).way == "robust" and not app.exception
    close(app)


def test_counts_whose_totals_vary_are_taken_as_parts_by_a_click_and_told_by_their_shares():
    rng = np.random.default_rng(0)
    shares, lengths = rng.dirichlet(np.full(12, 0.3), 2), np.exp(rng.normal(4, 0.9, 80)).astype(int) + 5
    rows = [rng.multinomial(length, shares[i % 2]) for i, length in enumerate(lengths)]
    lines = [",".join(f"w{v}" for v in range(12)), *(",".join(map(str, row)) for row in rows)]
    app = run(in_app("data"))
    set_to(app, "data way", "Load")
    set_to(app, "data pasted", "\n".join(lines))
    assert app.button(key="data parts").label == "Take the 12 columns of counts as parts of a whole"
    press(app, "data parts")
    assert "Clustered as parts: " in said(app) and not [b for b in app.button if b.key == "data parts"]
    press(app, "data totals")
    assert "Clustered as parts+total: " in said(app)
    assert app.button(key="data totals").label == "Leave the totals of the parts out"
    press(app, "data totals")
    assert "Clustered as parts: " in said(app)
    app = settled(run(go_to(press(app, "data use"), "explore")))
    assert shown_run(app).config.family == "multinomial" and not app.exception
    assert re.search(r"Result: 2 clusters in 80 rows: cluster 1 has 40 rows \(w\d+ \d+\.\d%", plain(said(app)))
    close(app)


def test_a_table_that_is_not_skewed_begins_as_it_did():
    app = used(20 + np.random.default_rng(4).normal(size=(60, 3)), "price,area,rent")
    assert (chosen(app).scaling, chosen(app).transform, chosen(app).way) == ("standardise", "", "standardise")
    close(app)


def test_a_page_finds_that_whole_numbers_are_measures_and_its_code_makes_the_run():
    centres = np.repeat([[0, 0], [900, 200], [300, 1000]], 40, axis=0)
    X = np.round(centres + 30 * np.random.default_rng(0).normal(size=(120, 2)))
    app = used(X - X.min(axis=0), "width,height")
    app = settled(run(go_to(app, "explore")))
    finished = shown_run(app)
    assert finished.prepared.dataset.kinds == ("count", "count")
    assert finished.config.kinds is None and finished.config.family in REAL
    assert finished.trace.n_clusters[-1] == 3 and "kinds" in finished.undecided
    assert "“width”, “height” are measured rather than counted" in said(app)
    assert "kinds" not in exports.code_of(finished).partition("RunConfig(")[2]
    (family,) = (box for box in app.selectbox if "run.family" in box.key)
    run_again(run(family.set_value("poisson")))
    config = shown_run(app).config
    assert config.family == "poisson" and dpviz.RunConfig.from_json(config.to_json()) == config


# --- the Tune page ----------------------------------------------------------------------------------------------------


def test_the_tune_page_draws_the_curve_of_powers_and_opens_a_run():
    app = in_app("tune", data=SMALL)
    app.session_state["settings"] = {"tune.place": COARSENING}
    settled(run(app))
    slider = app.select_slider(key="tune.coarsening.alpha")
    assert len(slider.options) == 9 and "nll cannot, either" in said(app)
    alpha = usual_values(60).tolist()[4]
    run(slider.set_value(alpha))
    assert f"At α = {alpha:.4g}" in said(app)
    settled(press(app, "tune.coarsening.open"))
    assert shown_run(app).config.coarsening == alpha


def test_the_posterior_page_keeps_the_alpha_of_a_link_and_lets_it_go():
    chain = replace(FIXED, coarsening=33.0).to_query() | dpviz.RunConfig("gibbs", n_sweeps=20, burn_in=0).to_query()
    app = opened("posterior", data=SMALL, posterior={"run": chain, "chains": 1})
    (slider,) = (own for own in app.select_slider if str(own.key).startswith("posterior.coarsening."))
    assert slider.value == 33.0
    assert json.loads(address(app, "posterior"))["run"]["coarsening"] == "33.0"
    run(slider.set_value(EXACT))
    assert "coarsening" not in json.loads(address(app, "posterior"))["run"]


def test_columns_are_divided_and_not_moved():
    X = np.column_stack([np.exp(np.random.default_rng(0).normal(size=50)), np.full(50, 3.0)])
    X[4, 0] = np.nan
    found = datasets.scale(X, "spread")
    assert np.nanstd(found.X[:, 0]) == pytest.approx(1) and np.isnan(found.X[4, 0]) and np.nanmin(found.X) > 0
    assert_array_equal(found.X[:, 1], 3.0)
    assert_allclose(found.X * found.spread + found.centre, X)


@pytest.mark.parametrize("n_columns", [2, 3])
def test_models_in_other_units_are_told_in_those_of_the_page(n_columns):
    X = np.random.default_rng(1).lognormal(size=(50, 3))
    X[3, 1], X[:, 2] = np.nan, 5.0
    of_page = ((X - [1.0, 2.0, 5.0]) / [3.0, 0.2, 1.0])[:, :n_columns].copy()
    config, kinds = usual_config(family="normal_gamma", effort=0.0), ("continuous",) * n_columns
    found = (next(models_like(data, config, kinds, 2)) for data in (of_page, X[:, :n_columns].copy()))
    here, told = next(found), tune_models.in_units_of(of_page, X[:, :n_columns], next(found))
    assert told.clusters == here.clusters and told.nll == pytest.approx(here.nll)
    if n_columns == 2:  # how wide a constant column is taken to be differs from fold to fold
        assert told.held_out == pytest.approx(here.held_out)


def test_tune_compares_transformations_and_opens_the_best_in_columns_that_can_have_it():
    choice = DataChoice("bundled", "enzyme", scaling="robust")
    app = in_app("tune", data=choice)
    app.session_state["settings"] = {"tune.place": MODELS}
    while offered := [button for button in settled(run(app)).button if str(button.key).startswith("tune.run.")]:
        run(offered[0].click())
    table = app.table[0].value
    assert set(table["Columns"]) >= {"as they are", "logarithms"} and not app.error and not app.exception
    (made,) = app.session_state["tune report"].values()
    best, code = made.config, dict[str, object]()
    exec(exports.snippet(made.scaled or made.prepared, best, ("trace = dpviz.run(X, config)",)), code)  # noqa: S102
    way = table["Columns"][0]
    assert (best.transform is None) == (way == "as they are") and isinstance(code["trace"], dpviz.Trace)
    press(app, "tune.models.open")
    shown = shown_run(settled(app))
    assert_array_equal(shown.trace.labels, code["trace"].labels)
    assert shown.trace.nll[-1] == pytest.approx(table["nll (nats)"][0])  # both are in the unit of the table
    close(app)
