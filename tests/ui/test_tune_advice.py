"""What the Tune page says of limits and contradictions, its links, its report, and its maps of K."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import streamlit as st
from configs import usual_config
from test_tune_page import SMALL, X, computed, over, set_range, with_settings

import dpviz
from dpviz import RunConfig
from dpviz.analysis.grids import Axis, Grid, latest_cells, run_grid
from dpviz.analysis.selection import best_by_bic, bic_grid
from dpviz.figures import tune as figures
from dpviz.ui.session import jobs, state
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.tune import advice, report
from dpviz.ui.tune import cluster_counts as tune_counts
from dpviz.ui.tune import page as tune
from dpviz.ui.tune.report import Section
from pages import address, in_app, run, said, set_to

IRIS = DataChoice("bundled", "iris")


# --- the recommendation comes first -----------------------------------------------------------------------------------


def test_the_page_opens_with_one_answer_its_code_and_its_evidence():
    at = computed(run(in_app("tune", data=SMALL)))
    shown = said(at)
    assert "Take the prior “" in shown and "**How sure?**" in shown and "of 5 other seeds find K" in shown
    assert "dpviz.run(X, config)" in at.code[0].value
    assert len(at.get("plotly_chart")) == 1 and len(at.table) == 2


# --- limits and contradictions ----------------------------------------------------------------------------------------


def test_criteria_that_choose_different_values_are_named():
    grid = Grid(usual_config(effort=0.1), (Axis("power", (1.02, 1.72)),))
    one, other = latest_cells(run_grid(X, grid, n_jobs=1))
    words = advice.disagreement(grid, one, "nll", replace(other, n_clusters=one.n_clusters + 1), "the blow-up")
    assert "disagree" in words[0] and "1.02" in words[0] and "1.72" in words[0]
    assert f"K = {one.n_clusters} against K = {one.n_clusters + 1}" in words[0]
    assert advice.disagreement(grid, one, "nll", one, "the blow-up") == []
    assert "lowest value tried" in advice.ends(grid, one, "nll", [one, other])[0]


def test_bic_gets_its_caveat():
    data = prepare(IRIS).X
    cells = list(run_grid(data, bic_grid(RunConfig("kmeans"), 6), n_jobs=1))
    best = best_by_bic(cells, 4)
    words = " ".join(tune_counts.bic_warnings(cells, best, 4))
    assert best.n_clusters > 3 and "known to count too many" in words
    assert ("BIC still falls there" in words) == (best.n_clusters == 6)


def test_a_cell_found_by_its_neighbour_says_so():
    settings = {**over("concentration", 0.1, 30.0, 8), "grid__mapdp__effort": 0.0}
    at = computed(run(with_settings(in_app("tune", data=IRIS), tune.GRID, **settings)))
    grid = Grid(
        usual_config(effort=0),
        (Axis.logarithmic("concentration", 0.1, 30.0, 8),),
    )
    cells = latest_cells(run_grid(prepare(IRIS).X, grid, prepare(IRIS).dataset.labels, 1, share=True))
    gained = next(cell for cell in cells if cell.source is not None)
    computed(set_to(at, "tune.grid.selected", gained.index))
    assert "Found by starting from the partition at" in said(at)
    assert at.button(key="tune.grid.open").label == "Open these settings in Explore"


# --- maps of K --------------------------------------------------------------------------------------------------------


def test_two_three_and_four_have_colours_of_their_own():
    values = np.array([[2.0, 3.0, 4.0], [30.0, np.nan, 3.0]])
    heat = figures.parameter_map(values, [("a", [1, 2]), ("b", [1, 2, 3])], "K", counts=True).data[0]
    width = heat.zmax - heat.zmin

    def color(code):
        share = (code - heat.zmin) / width
        return next(
            c for (low, c), (high, _) in zip(heat.colorscale, heat.colorscale[1:], strict=False) if low <= share < high
        )

    colors = {k: color(z) for k, z in zip(values.ravel(), heat.z.ravel(), strict=True) if np.isfinite(k)}
    assert len(set(colors.values())) == 4
    assert list(heat.colorbar.ticktext) == ["2", "3", "4", "30"]
    assert heat.text.tolist() == [["2", "3", "4"], ["30", "", "3"]] and np.isnan(heat.z[1, 1])


def test_more_numbers_than_colours_share_the_last():
    values = np.arange(1.0, 15.0).reshape(2, 7)
    heat = figures.parameter_map(values, [("a", [1, 2]), ("b", range(7))], "K", counts=True).data[0]
    assert list(heat.colorbar.ticktext)[-2:] == ["9", "10 or more"]
    assert heat.z.ravel()[9:].tolist() == [9.0] * 5


# --- links ------------------------------------------------------------------------------------------------------------


def test_tab_and_ranges_travel_in_the_link_and_the_grid_is_there_at_once(monkeypatch):
    at = computed(run(with_settings(in_app("tune", data=SMALL), **over("concentration", 0.2, 7.0, 3))))
    text = address(at, "tune")
    assert json.loads(text)["tab"] == "grid" and "3 runs" in said(at)
    monkeypatch.setattr(jobs, "UNASKED_GRID", 0.0)  # nothing may begin by itself
    again = run(in_app("tune", data=SMALL, tune=text))
    assert again.number_input(key="tune.range.concentration..to").value == 7.0
    assert "3 runs" in said(again) and not again.get("progress")
    assert address(again, "tune") == text


def test_a_link_starts_only_what_is_short_and_a_setting_changed_by_hand_starts_more(
    monkeypatch,
):
    monkeypatch.setattr(jobs, "UNASKED_BY_LINK", 0.0)
    link = json.dumps({"tab": "grid", "version": 8, "range.concentration..n": 3})
    at = run(in_app("tune", data=SMALL, tune=link))
    assert "3 steps, about" in said(at) and not at.get("progress")
    again = run(at)  # on any redraw of the page the link's settings are not requested yet
    assert "3 steps, about" in said(again)
    changed = computed(set_range(again, "concentration", 0.3, 3.0, 4))
    assert "4 runs" in said(changed)


def test_what_runs_start_from_travels_too():
    base = RunConfig("mapdp", prior={"c0": 0.5}, seed=4, n_init=2, family="normal_wishart").to_query()
    text = json.dumps({"tab": "grid", "version": 8, "base": base, "range.concentration..n": 2})
    at = computed(run(in_app("tune", data=SMALL, tune=text)))
    assert "own c0" in said(at) and at.number_input(key="tune.grid.mapdp.seed").value == 4
    assert json.loads(address(at, "tune"))["base"] == base


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        "null",
        "[" * 5000,
        "{}" + " " * 9000,
        json.dumps({"version": 8, "tab": ["grid"]}),
        json.dumps({"version": 8, "tab": "<script>", "base": {"version": "8", "algorithm": "rm -rf"}}),
        json.dumps({"version": 8, "tab": "grid", "base": [1]}),
        json.dumps({"tab": "grid"}),
        json.dumps(
            {"version": 8, "tab": "grid", "grid.method": 3, "grid.folds.1": "x", "range.concentration..n": "many"}
        ),
        '{"version": 8, "tab": "grid", "range.concentration..from": NaN, "range.concentration..to": 1e400}',
        json.dumps({"version": 8, "tab": "grid", "grid.method": "no such", "grid.mapdp.first": "__class__"}),
        json.dumps({"version": 8, "tab": "grid", "grid.selected": [0], "given": 1, "place": "x", "../../etc": 1}),
        json.dumps({"version": 8, "tab": "counts", "asked": 1_000_000, "bic.method": "mapdp", "bic.kmeans.seed": -5.5}),
    ],
)
def test_hostile_links_leave_a_page_that_works(text):
    at = run(in_app("tune", data=SMALL, tune=text))
    assert not at.exception and at.get("segmented_control") or at.get("button_group")


@pytest.mark.parametrize(
    ("name", "value", "good"),
    [
        ("range.concentration..from", 0.5, True),
        ("range.concentration..from", float("inf"), False),
        ("range.concentration..from", True, False),
        ("range.concentration..log", True, True),
        ("range.concentration..log", 1, False),
        ("grid.method", "mapdp", True),
        ("grid.method", "m" * 61, False),
        ("grid.selected", 3, False),
        ("given", 3, False),
        ("N0.n", 10**30, False),
        ("7.", 7, False),
        ("N0.n", None, False),
    ],
)
def test_only_controls_take_values_of_their_kind(name, value, good):
    setting = tune.setting_of(name)
    if good:
        assert setting is not None
        setting.read(value)
        assert state.settings()[f"tune.{name}"] == value
    elif setting is not None:
        with pytest.raises(ValueError):
            setting.read(value)
    st.session_state.clear()


# --- the report -------------------------------------------------------------------------------------------------------


def test_the_report_is_one_file_with_findings_charts_and_code():
    prepared = prepare(SMALL)
    figure = figures.density_curve(np.array([1.0, 2.0]), np.array([0.0, 0.0]), 1.0, "<i>N0</i>")
    sentences = ["nll is **lowest** at <script>alert(1)</script>", "**At the edge:** yes"]
    page = report.page([Section("N0 & co", prepared, sentences, [figure], usual_config())]).decode()
    assert "<script>alert(1)" not in page and "<strong>lowest</strong>" in page and "<li><strong>At the edge" in page
    assert "N0 &amp; co" in page and "dpviz.run(X, config)" in page and "@media print" in page
    body = page[page.index("</head>") :]
    assert "Plotly.newPlot" in body and " src=" not in body and "<link" not in page[:2000]
    assert "default-src 'none'" in page and f"dpviz {dpviz.__version__}" in page


def test_the_report_holds_what_every_method_gave_and_says_on_which_points(monkeypatch):
    offered: list[str] = []
    monkeypatch.setattr(report.st, "session_state", {})
    monkeypatch.setattr(report.st, "download_button", lambda label, *_, **__: offered.append(label))
    whole = prepare(DataChoice("bundled", "heart_cleveland", gaps=True))
    coded = prepare(DataChoice("bundled", "heart_cleveland", mixed="one_hot"))
    assert coded.X.shape[0] < whole.X.shape[0] and coded.X.shape[1] > whole.X.shape[1]
    sections = [
        Section(tune.MODELS, whole, ["one"], [], RunConfig("mapdp", family="mixed")),
        Section(tune.GRID, coded, ["two"], [], RunConfig("kmeans", n_clusters=2)),
    ]
    for section in sections:
        report.keep(section)
    report.offer(whole)
    report.offer(prepare(DataChoice("bundled", "iris")))
    assert offered == ["Report of this session (2 parts, HTML)"]
    page = report.page(sections).decode()
    assert page.count("303 points, 13 columns") == 1 and page.count("297 points, 20 columns, scaling: one_hot.") == 1
