"""A stored run that is loaded on Explore is the run that is shown, whatever the data were chosen with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.analysis.stored_merge import merged_labels
from dpviz.cli import main
from dpviz.errors import TraceFormatError
from dpviz.ui.explore import export_panel
from dpviz.ui.explore.page import NOT_ON_CONTROLS
from dpviz.ui.session import exports
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.shell import links
from pages import in_app, opened_in_app, press, run, said, settled, shown_run

N = 120


def skewed(path: Path) -> None:
    """Three groups in a column that logarithms make round, in counts and in words, with gaps."""
    rng = np.random.default_rng(0)
    group = np.arange(N) % 3
    frame = pd.DataFrame(
        {
            "income": np.round(np.exp(rng.normal(1 + 2.5 * group, 0.5)), 3),
            "weight": np.round(rng.normal(60 + 15 * group, 3), 1),
            "visits": rng.poisson(1 + 4 * group),
            "colour": np.array(["red", "green", "blue"])[np.where(rng.random(N) < 0.8, group, rng.integers(0, 3, N))],
        }
    )
    frame.loc[::9, "weight"] = np.nan
    frame.to_csv(path, index=False)


def wide(path: Path) -> None:
    """Three groups in 2 of 20 directions, which columns that depend on each other hide."""
    rng = np.random.default_rng(1)
    plane, mixing = rng.normal(size=(N, 20)), rng.normal(size=(20, 20))
    plane[:, :2] = 8 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(N) % 3] + rng.normal(size=(N, 2))
    pd.DataFrame((plane @ mixing).round(3), columns=[f"v{d}" for d in range(20)]).to_csv(path, index=False)


TABLES = {"skewed": skewed, "wide": wide}


def own_table() -> None:
    from dataclasses import replace
    from pathlib import Path

    import streamlit as st

    from dpviz.datasets.tables import read_table, to_dataset
    from dpviz.ui.explore import page
    from dpviz.ui.session import state
    from dpviz.ui.session.chosen_data import keep_session_dataset

    if "kept" not in st.session_state:
        dataset = to_dataset(read_table(Path(st.session_state["file"]).read_bytes(), "own.csv"), gaps=True)
        st.session_state["kept"] = keep_session_dataset(dataset)
        how = st.session_state["how"] if "how" in st.session_state else {}
        state.choose_data(replace(st.session_state["kept"], gaps=True, **how))
    page.show()


def opened(file: Path, **how: object) -> AppTest:
    app = AppTest.from_function(own_table, default_timeout=600)
    app.session_state["file"], app.session_state["how"] = str(file), how
    app.session_state[export_panel.OPEN] = True
    return settled(run(app))


def loaded(app: AppTest, stored: str) -> AppTest:
    run(app.file_uploader(key="load.run").set_value(("run.json", stored.encode(), "application/json")))
    app = settled(press(app, "load.go"))
    return settled(run(app))  # whatever happens next on the page, it stays


def assert_shown(app: AppTest, stored: str) -> None:
    trace, shown = dpviz.Trace.from_json(stored), shown_run(app)
    assert shown.trace.config == trace.config
    np.testing.assert_array_equal(shown.trace.result_labels, trace.result_labels)
    joined = merged_labels(stored, trace.result_labels)
    assert (shown.scale is None) == (joined is None)
    if joined is not None:
        assert shown.scale.n_clusters == len(np.unique(joined))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "options",
    [
        "--algorithm mapdp --merge 2",
        "--algorithm mapdp --missing drop",
        "--algorithm mapdp --transform none",
        "--algorithm gibbs --n-sweeps 20 --burn-in 5",
        "--algorithm kmeans --n-clusters 4",
        "--algorithm dpmeans",
    ],
)
def test_a_run_of_the_command_line_is_shown_as_it_was_stored(table, options, tmp_path):
    file, out = tmp_path / "own.csv", tmp_path / "run.json"
    TABLES[table](file)
    assert main(["run", str(file), *options.split(), "--out", str(out)]) == 0
    app = loaded(opened(file), stored := out.read_text())
    assert_shown(app, stored)
    assert NOT_ON_CONTROLS not in [warning.value for warning in app.warning]
    as_pages_begin = opened(file, scaling="standardise", transform="auto", directions="any")
    assert_shown(loaded(as_pages_begin, stored), stored)
    again = exports.run_json(shown_run(app))
    np.testing.assert_array_equal(dpviz.Trace.from_json(again).labels, dpviz.Trace.from_json(stored).labels)


@pytest.mark.parametrize(
    "table, how", [("skewed", {"transform": "auto"}), ("wide", {"directions": "any", "scaling": "standardise"})]
)
def test_a_run_of_the_page_comes_back_as_it_was(table, how, tmp_path):
    TABLES[table](file := tmp_path / "own.csv")
    app = opened(file, **how)
    made = shown_run(app)
    assert made.trace.config.transform or made.trace.config.directions
    assert_shown(loaded(app, stored := exports.run_json(made)), stored)
    assert_shown(loaded(opened(file), stored), stored)  # chosen without
    as_pages_begin = opened(file, scaling="standardise", transform="auto", directions="any")
    assert_shown(loaded(as_pages_begin, stored), stored)


def test_a_run_that_the_controls_cannot_make_is_shown_until_another_is_asked_for(tmp_path):
    file, out = tmp_path / "own.csv", tmp_path / "run.json"
    skewed(file)
    assert main(["run", str(file), "--algorithm", "mapdp", "--sweep", "until_birth", "--out", str(out)]) == 0
    app = loaded(opened(file), stored := out.read_text())
    assert_shown(app, stored)
    assert NOT_ON_CONTROLS in [warning.value for warning in app.warning]
    app = settled(press(app, "run.go"))
    assert shown_run(app).trace.config.sweep == "full"
    assert NOT_ON_CONTROLS not in [warning.value for warning in app.warning]


WINE = DataChoice("bundled", "wine", scaling="standardise")


@pytest.mark.parametrize("width", [1.0, 0.5])
def test_a_run_that_a_link_leads_to_is_not_said_to_be_another(width):
    config = dpviz.RunConfig("mapdp", family="normal_gamma", prior={"width": width}, n_init=2, effort=0.02)
    app = opened_in_app("explore", **links.state_query(WINE, config))
    assert "Some of the link's settings" not in said(app)
    prepared = prepare(WINE)
    nll = prepared.units.trace(dpviz.run(prepared.X, config)).nll[-1]
    assert shown_run(app).trace.nll[-1] == pytest.approx(nll, rel=1e-12)


def test_the_rows_of_a_chains_result_are_offered_beside_those_of_its_last_sweep():
    config = dpviz.RunConfig("gibbs", family="normal_gamma", prior=None, n_sweeps=60, burn_in=10)
    app = in_app("explore", **links.state_query(WINE, config))
    app.session_state[export_panel.OPEN] = True
    app = settled(run(app))
    trace = shown_run(app).trace
    assert trace.result_sweep != trace.n_sweeps
    offered = [button.label for button in app.get("download_button")]
    assert f"Rows with labels of sweep {trace.n_sweeps} (CSV)" in offered
    assert f"Rows with labels of the result, sweep {trace.result_sweep} (CSV)" in offered


@pytest.mark.parametrize(
    "n_points, fits",
    [
        (12, True),
        (np.int64(12), True),
        ({12, 9}, True),
        ({9, 1200}, False),
        (np.int64(9), False),
        (set(), False),
        (None, True),
    ],
)
def test_the_numbers_of_points_that_data_may_have_are_all_that_a_stored_run_may_have(n_points, fits):
    stored = dpviz.run(np.arange(24.0).reshape(12, 2), dpviz.RunConfig("kmeans", n_clusters=2)).to_json()
    if fits:
        assert dpviz.Trace.from_json(stored, n_points=n_points).n_points == 12
        return
    with pytest.raises(TraceFormatError, match="it has 12 points, but the data have (9 or 1,200|9|none): choose"):
        dpviz.Trace.from_json(stored, n_points=n_points)
