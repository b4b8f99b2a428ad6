"""Missing cells on the pages: kept where they are asked for and can be left out, and said where rows are dropped."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz import datasets
from dpviz.analysis.comparison import comparable_groups, score_table, scores
from dpviz.analysis.imputed import cells_in_words
from dpviz.config import RunConfig
from dpviz.config_versions import VERSION
from dpviz.errors import InvalidDataError, InvalidParameterError, TraceFormatError
from dpviz.player.alignment import align_runs
from dpviz.player.payload import track_panels
from dpviz.player.run_panel import panel
from dpviz.player.tracking import track_labels
from dpviz.ui.compare import results
from dpviz.ui.compare.links import write_panels
from dpviz.ui.controls.family_control import family_title
from dpviz.ui.session import jobs
from dpviz.ui.session.chosen_data import DataChoice, complete_rows, prepare
from dpviz.ui.session.exports import snippet
from dpviz.ui.session.jobs import Finished
from dpviz.ui.tune.page import COUNTS, GRID, POWER
from pages import chosen, close, computing, opened, page, plain, run, said, settled, shown_run

VOTES = DataChoice("bundled", "house_votes_84", gaps=True)


@pytest.fixture(autouse=True)
def _nothing_shared() -> None:
    jobs.SHARED.clear()


def shown(app: AppTest) -> Finished:
    if app.button(key="run.go").label == "Run":
        run(app.button(key="run.go").click())
    settled(app)
    finished: Finished = shown_run(app)
    return finished


def test_choices_keep_gaps_in_links() -> None:
    assert DataChoice.from_json(VOTES.to_json()) == VOTES and '"gaps":true' in VOTES.to_json()
    assert "gaps" not in DataChoice("bundled", "iris").to_json()
    with pytest.raises((InvalidParameterError, TraceFormatError)):
        DataChoice.from_json('{"source":"bundled","name":"iris","gaps":"yes"}')


def test_prepared_data_have_all_rows_or_the_complete_ones() -> None:
    prepared = prepare(VOTES)
    assert len(prepared.X) == 435 and prepared.clustered.gaps
    complete = complete_rows(prepared)
    assert len(complete.X) == 232 and not complete.clustered.gaps and complete.choice == DataChoice(*VOTES_PLAIN)
    np.testing.assert_array_equal(complete.X, prepared.X[~prepared.clustered.incomplete])
    assert complete_rows(complete) is complete
    assert np.isfinite(prepared.display().coordinates).all()
    components = prepare(DataChoice("bundled", "house_votes_84", n_components=2, gaps=True))
    assert components.X.shape == (232, 2)
    assert "203 of 435 rows have missing cells and are left out." in components.notes
    scaled = prepare(DataChoice("bundled", "dermatology", scaling="standardise", gaps=True))
    assert np.isnan(scaled.X).sum() == 8 and abs(np.nanmean(scaled.X, axis=0)).max() < 1e-12


VOTES_PLAIN = ("bundled", "house_votes_84")


def test_too_few_complete_rows_are_said() -> None:
    data = datasets.Dataset(X=np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 2.0]]), name="x", gaps=True)
    with pytest.raises(InvalidDataError, match="1 of 3 rows are complete; .* keep the rows with gaps"):
        data.complete()
    filled = data.filled()
    np.testing.assert_array_equal(filled.X, [[1, 2], [1, 2], [1, 2]])


def test_explore_clusters_rows_with_gaps_where_the_method_can() -> None:
    asked = json.dumps({"version": "8", "family": "binomial", "init": "single"})
    app = opened("explore", data=VOTES.to_json(), run=asked)
    finished = shown(app)
    assert len(finished.trace.labels[0]) == 435 and finished.choice.gaps
    assert not any("left out" in caption.value for caption in app.sidebar.caption)
    assert panel(finished.prepared, finished.trace, finished.config, "votes").points.shape == (435, 2)
    run(app.selectbox(key="run.method").set_value("kmeans"))
    finished = shown(app)
    assert len(finished.trace.labels[0]) == 232 and not finished.choice.gaps
    captions = [plain(caption.value) for caption in app.sidebar.caption]
    assert "K-means needs complete rows: 203 of 435 have missing cells and are left out." in captions


def test_families_that_need_complete_rows_are_not_offered_with_gaps() -> None:
    offered = []
    for choice, missing in ((VOTES, "marginalise"), (VOTES, "auto"), (DataChoice(*VOTES_PLAIN), "auto")):
        asked = RunConfig("mapdp", family="normal_gamma", prior=None, init="single", n_init=1, effort=0)
        asked = replace(asked, missing=missing)
        app = opened("explore", data=choice.to_json(), run=json.dumps(asked.to_query()))
        family = next(box for box in app.selectbox if box.label == "Clusters look like")
        assert family.value == "normal_gamma"
        offered.append(set(family.options))
    assert offered[1] == offered[2]
    assert offered[1] - offered[0] == {family_title("normal_wishart"), family_title("normal_known_covariance")}


def test_a_link_that_asks_for_a_family_without_gaps_gets_a_message() -> None:
    asked = json.dumps({"version": "8", "family": "normal_wishart", "missing": "marginalise"})
    app = opened("explore", data=VOTES.to_json(), run=asked)
    assert any("cannot leave missing cells out" in error.value for error in app.error) and not app.exception


@pytest.mark.parametrize(("page", "place"), [("posterior", {}), ("priors", {"priors": json.dumps({"tab": "elicit"})})])
def test_other_pages_take_the_complete_rows_or_filled_ones_and_say_so(page: str, place: dict[str, str]) -> None:
    app = opened(page, data=VOTES.to_json(), **place)
    captions = [plain(caption.value) for caption in app.sidebar.caption]
    assert "This page needs complete rows: 203 of 435 have missing cells and are left out." in captions
    assert page != "posterior" or "On the 232 complete rows." in said(app.main)
    run(filling(app).set_value(True))
    captions = [plain(caption.value) for caption in app.sidebar.caption]
    assert "This page needs complete rows: 203 of 435 have missing cells and are filled in." in captions
    assert chosen(app) == replace(VOTES, fill=True)


FEW = DataChoice("synthetic", "elliptical_overlap", (("n", 40), ("seed", 5), ("missing", 0.8)), gaps=True)
"""Fewer than two of its rows are complete."""
SHORT = {"version": "8", "init": "single", "n_init": "1"}
NEED_COMPLETE_ROWS: dict[str, dict[str, Any]] = {
    "compare": {"panels": [{"algorithm": "mapdp", **SHORT}, {"version": "8", "algorithm": "kmeans"}]},
    "explore": {"run": {"version": "8", "algorithm": "kmeans"}},
    "posterior": {
        "posterior": {"run": {"version": "8", "algorithm": "gibbs", "n_sweeps": "20", "burn_in": "0"}, "chains": 1}
    },
    "tune": {"tune": {"tab": "counts", "version": VERSION, "held": {}}},
}


@pytest.mark.parametrize("page", NEED_COMPLETE_ROWS)
def test_where_too_few_rows_are_complete_pages_say_so_and_offer_to_fill_cells_in(page: str) -> None:
    app = opened(page, data=FEW.to_json(), **{k: json.dumps(v) for k, v in NEED_COMPLETE_ROWS[page].items()})
    assert "40 rows are complete" in said(app.main) and "fill cells in" in said(app.main) and not app.exception
    settled(run(filling(app).set_value(True)))
    assert chosen(app).fill and not app.error
    close(app)


def test_the_loss_of_powers_is_not_tried_on_rows_with_gaps() -> None:
    app = page("tune", data=replace(FEW, options=(("n", 40), ("missing", 0.2))).to_json())
    app.session_state["tune.place"] = POWER
    app.session_state["settings"] = {"tune.r.n": 2}
    settled(run(app))
    assert "The loss on unseen points was not tried" in said(app.main) and "that is not a number" not in said(app.main)
    close(app)


def filling(app: AppTest) -> Any:
    """The switch between leaving rows out and filling their cells in."""
    (toggle,) = (toggle for toggle in app.sidebar.toggle if toggle.key.startswith("data.fill"))
    return toggle


def test_filled_cells_hold_the_mean_or_the_commonest_value() -> None:
    X = [[1.0, 3.0, 0.0], [2.0, np.nan, np.nan], [np.nan, 3.0, 1.0], [6.0, 5.0, 1.0]]
    np.testing.assert_array_equal(
        datasets.fill(X, ("continuous", "count", "binary")), [[1, 3, 0], [2, 3, 1], [3, 3, 1], [6, 5, 1]]
    )
    np.testing.assert_allclose(datasets.fill(X)[1:3], [[2, 11 / 3, 2 / 3], [3, 3, 1]])
    with pytest.raises(InvalidParameterError, match="kinds = .* 3 kinds, one per column"):
        datasets.fill(X, ("count",))
    filled = prepare(replace(VOTES, gaps=False, fill=True))
    assert filled.X.shape == (435, 16) and not filled.clustered.gaps
    whole = prepare(VOTES)
    known = ~np.isnan(whole.X)
    np.testing.assert_array_equal(filled.X[known], whole.X[known])
    modes = [np.argmax(np.bincount(column[~np.isnan(column)].astype(int))) for column in whole.X.T]
    np.testing.assert_array_equal(filled.X[~known], np.broadcast_to(modes, whole.X.shape)[~known])
    assert "392 missing cells are filled in with the mean or the commonest value of their column." in filled.notes
    components = prepare(replace(VOTES, fill=True, n_components=2))
    assert components.X.shape == (435, 2)


# --- compare ----------------------------------------------------------------------------------------------------------


def compared(fill: bool = False, **common: object) -> AppTest:
    panels = [
        dpviz.RunConfig("kmeans", n_clusters=2, n_init=2),
        dpviz.RunConfig("mapdp", family="binomial", init="single", n_init=2),
        dpviz.RunConfig("gibbs", family="binomial", n_sweeps=40, burn_in=20),
    ]
    same = {"seed": 1, "order": False, "start": None, **common}
    text = write_panels(panels, VOTES)
    return opened("compare", data=replace(VOTES, fill=fill).to_json(), panels=text, same=json.dumps(same))


def test_panels_have_the_rows_they_can_have_and_are_scored_on_those_of_all() -> None:
    app = compared()
    picture = app.session_state["compare picture"]
    traces, whole = picture.traces, prepare(VOTES)
    assert [trace.n_points for trace in traces.values()] == [232, 435, 435]
    complete = np.flatnonzero(~whole.clustered.incomplete)
    np.testing.assert_array_equal(picture.compared_rows, complete)
    table = app.session_state["compare scores"][1]
    truth = whole.dataset.labels[complete]
    for (name, trace), rows in zip(traces.items(), (np.arange(232), complete, complete), strict=True):
        labels = trace.result_labels
        assert table.loc[name, "nmi"] == pytest.approx(dpviz.metrics.nmi(truth, labels[rows]), abs=1e-12)
        assert table.loc[name, "ari"] == pytest.approx(dpviz.metrics.ari(truth, labels[rows]), abs=1e-12)
        assert table.loc[name, "n_clusters"] == len(np.unique(labels))
        assert table.loc[name, "delta_k"] == len(np.unique(labels)) - 2
        np.testing.assert_array_equal(np.unique(picture.labels[name], return_inverse=True)[1].shape, (232,))
    words = said(app)
    assert "203 rows with missing cells: left out by K-means; kept by MAP-DP and Gibbs" in words
    assert "of the 232 complete rows, which all runs have: 1 K-means left out the 203 with missing cells" in words
    assert "K-means needs complete rows: 203 of 435 have missing cells and are left out." in said(app.sidebar)
    for panel_data, (name, trace) in zip(picture.panels, traces.items(), strict=True):
        rows = complete if trace.n_points == 435 else np.arange(232)
        shown_nmi = panel_data.agreement[trace.result_sweep]
        assert shown_nmi == pytest.approx(dpviz.metrics.nmi(truth, trace.result_labels[rows]), abs=1e-12), name
    export = results.exported(picture, table)
    assert export["rows"].tolist() == [232, 435, 435] and set(export["rows_compared"]) == {232}


def test_agreement_on_the_common_rows_is_that_of_joined_clusters() -> None:
    picture = compared(scale=2).session_state["compare joined"][1]
    complete, (name, joined) = picture.compared_rows, picture.runs[1]
    assert joined.scale.n_clusters == 2 < joined.scale.tree.n_leaves
    at, truth = joined.trace.result_sweep, picture.true_labels
    own = joined.scale.labels[complete]
    assert picture.panels[1].agreement[at] == pytest.approx(dpviz.metrics.nmi(truth, own), abs=1e-12), name
    assert picture.panels[1].adjusted_rand[at] == pytest.approx(dpviz.metrics.ari(truth, own), abs=1e-12), name


def test_equal_clusters_have_equal_colours_though_rows_differ() -> None:
    whole = np.array([3, 0, 0, 1, 1, 2, 2, 2])
    some, renamed = np.array([1, 2, 3, 5, 6]), np.array([2, 2, 0, 1, 1])  # the same clusters by other numbers
    runs = [track_labels(np.array([labels])) for labels in (whole, renamed)]
    aligned = align_runs(runs, [some, np.arange(5)])
    np.testing.assert_array_equal(aligned[0].tracks[-1][some], aligned[1].tracks[-1])
    picture = compared().session_state["compare picture"]
    tracks = track_panels(picture.panels, shared=list(picture.shared.values()))
    for (name, labels), followed in zip(picture.all_labels.items(), tracks, strict=True):
        partition = set(zip(labels.tolist(), picture.traces[name].result_labels.tolist(), strict=True))
        assert len(partition) == len(np.unique(labels)) and followed.tracks.shape[1] == len(labels)


def test_filled_columns_give_all_panels_all_rows() -> None:
    app = compared(fill=True)
    picture = app.session_state["compare picture"]
    assert [trace.n_points for trace in picture.traces.values()] == [435, 435, 435]
    assert len(picture.compared_rows) == 435 and not picture.leaving_rows_out
    runs = [finished.prepared.X for _, finished in picture.runs]
    assert [bool(np.isnan(X).any()) for X in runs] == [False, True, True]
    assert "203 rows with missing cells: filled in by K-means; kept by MAP-DP and Gibbs" in said(app)
    run(filling(app).set_value(False))
    settled(app)
    assert app.session_state["compare picture"].runs[0][1].trace.n_points == 232


def test_a_common_start_is_that_of_each_panel_s_rows() -> None:
    app = compared(start=2)
    configs = app.session_state["compare picture"].plan.configs
    starts = [np.array(config.init) for config in configs]
    complete = np.flatnonzero(~prepare(VOTES).clustered.incomplete)
    assert [len(start) for start in starts] == [232, 435, 435]
    pairs = set(zip(starts[0].tolist(), starts[1][complete].tolist(), strict=True))
    assert len(pairs) == len(set(starts[0].tolist())) == 2


def test_repetitions_are_scored_on_the_same_rows_too() -> None:
    app = compared()
    run(app.number_input(key="compare.n_seeds").set_value(2))
    run(app.button(key="compare.repeat").click())
    settled(app)
    study = computing(app, "compare study").task.result
    frame, picture = study.frame(), app.session_state["compare picture"]
    assert not study.failures and len(frame) == 6
    shown = app.session_state["compare scores"][1]
    first = frame[frame["seed"] == 1].set_index("run")
    for name in picture.traces:
        assert first.loc[name, "nmi"] == pytest.approx(shown.loc[name, "nmi"], abs=1e-12)


def test_nll_of_cells_left_out_and_of_cells_filled_in_are_never_comparable() -> None:
    data = datasets.synthesize("elliptical_rotated", n=60, missing=0.2)
    configs = [
        dpviz.RunConfig("mapdp", family="normal_gamma", prior=PRIOR, missing=missing, n_init=1, init="single")
        for missing in ("auto", "marginalise", "impute", "impute")
    ]
    assert comparable_groups(data.X, configs) == ["a", "a", "b", "b"]
    whole = datasets.synthesize("elliptical_rotated", n=60)
    assert comparable_groups(whole.X, configs) == ["a"] * 4


PRIOR = {"m0": [0.0, 0.0], "c0": 0.1, "a0": 1.0, "b0": [1.0, 1.0]}


def test_scores_on_some_rows_count_the_clusters_of_all() -> None:
    trace = dpviz.run(np.array([[0.0], [0.1], [5.0], [9.0], [9.1]]), dpviz.RunConfig("kmeans", n_clusters=3, n_init=5))
    rows = np.array([0, 1, 3, 4])
    found = scores(trace, np.array([0, 0, 1, 1]), rows)
    assert (found["n_clusters"], found["delta_k"], found["nmi"]) == (3, 1, 1.0)
    with pytest.raises(InvalidDataError, match="must be equal"):
        score_table(np.zeros((4, 1)), {"run": trace}, np.array([0, 0, 1, 1]))


# --- tune -------------------------------------------------------------------------------------------------------------


def test_tune_varies_mapdp_on_all_rows_and_k_means_on_complete_ones() -> None:
    app = page("tune", data=VOTES.to_json())
    state_of(app, "tune.place", GRID)
    state_of(app, "tune.range.concentration..n", 2)
    settled(app.run())
    if "tune.run.grid" in [button.key for button in app.button]:
        settled(app.button(key="tune.run.grid").click().run())
    assert {sum(cell.sizes) for cell in grid_cells(app)} == {435}
    assert not any("left out" in caption.value for caption in app.sidebar.caption)
    run(app.selectbox(key="tune.grid.method").set_value("dpmeans"))
    assert "DP-means needs complete rows: 203 of 435 have missing cells and are left out." in said(app.sidebar)
    settled(app)
    if "tune.run.grid" in [button.key for button in app.button]:
        settled(app.button(key="tune.run.grid").click().run())
    assert {sum(cell.sizes) for cell in grid_cells(app)} == {232}


def test_tune_counts_clusters_of_complete_rows() -> None:
    app = page("tune", data=VOTES.to_json())
    state_of(app, "tune.place", COUNTS)
    settled(app.run())
    assert "DP-means, K-means and E-M need complete rows: 203 of 435 have missing cells" in said(app.sidebar)
    assert "On the 232 complete rows." in said(app)
    assert "BIC is lowest" in said(app) and not app.error
    run(filling(app).set_value(True))
    assert "On all rows, with their missing cells filled in." in said(settled(app))


def state_of(app: AppTest, key: str, value: object) -> None:
    app.session_state[key] = value


def grid_cells(app: AppTest) -> list[Any]:
    """Cells of the grid that is shown."""
    work = computing(app, "tune.grid")
    assert work is not None
    found: list[Any] = work.task.result
    return found


# --- filling in -------------------------------------------------------------------------------------------------------

ELLIPSES = DataChoice("synthetic", "elliptical_rotated", options=(("missing", 0.15), ("n", 80)), gaps=True)
TABLE = DataChoice("synthetic", "mixed_table", options=(("missing", 0.2), ("n", 60)), gaps=True)


def explored(choice: DataChoice, config: dpviz.RunConfig, **state: object) -> AppTest:
    app = page("explore", data=choice.to_json(), run=json.dumps(config.to_query()))
    for key, value in state.items():
        app.session_state[key] = value
    run(app)
    shown(app)
    return app


def test_filled_cells_of_a_chain_are_listed_with_their_intervals() -> None:
    config = dpviz.RunConfig("gibbs", family="normal_wishart", prior=None, n_sweeps=30, burn_in=10, n_init=1)
    app = explored(replace(ELLIPSES, scaling="standardise"), config, imputed=True)
    finished: Finished = shown_run(app)
    (table,) = (frame.value for frame in app.dataframe if "lower" in frame.value)
    gaps = np.argwhere(np.isnan(finished.prepared.X))
    assert len(table) == len(gaps) and table["point"].tolist() == gaps[:, 0].tolist()
    kept = finished.trace.imputed[finished.trace.label_sweeps > 10]
    original = finished.prepared.dataset.X  # in the units of the table
    centre, spread = np.nanmean(original, axis=0)[gaps[:, 1]], np.nanstd(original, axis=0)[gaps[:, 1]]
    np.testing.assert_allclose(table["value"].astype(float), centre + spread * kept.mean(axis=0), rtol=1e-3)
    np.testing.assert_allclose(table["lower"], centre + spread * np.quantile(kept, 0.05, axis=0), rtol=1e-9)
    assert "in the units of the table" in said(app)


def test_codes_are_told_by_their_probabilities() -> None:
    prepared = prepare(TABLE)
    config = dpviz.RunConfig(
        "gibbs",
        family="mixed",
        prior=None,
        kinds=prepared.clustered.kinds,
        missing="impute",
        n_sweeps=30,
        burn_in=10,
        n_init=1,
        init="single",
    )
    trace = dpviz.run(prepared.X, config)
    table = cells_in_words(prepared.dataset, prepared.X, trace)
    kept = trace.imputed[trace.label_sweeps > 10]
    for row, (_, column), draws in zip(table.itertuples(), np.argwhere(np.isnan(prepared.X)), kept.T, strict=True):
        if prepared.dataset.kinds[column] in ("continuous", "duration", "count"):
            assert float(row.value) == pytest.approx(draws.mean(), rel=1e-12) and np.isnan(row.probability)
            assert row.lower <= float(row.value) * 1.001 + 1e-3
            continue
        values, counts = np.unique(draws, return_counts=True)
        assert row.probability == pytest.approx(counts.max() / len(draws)) and np.isnan(row.lower)
        assert float(row.value) in values[counts == counts.max()]
    assert set(table["column"]) <= set(prepared.dataset.feature_names)


def test_mapdp_shows_modes_without_intervals_and_other_runs_show_nothing() -> None:
    config = dpviz.RunConfig("mapdp", family="normal_wishart", prior=None, n_init=1, init="single")
    app = explored(ELLIPSES, config, imputed=True, profiles=True)
    (table,) = (frame.value for frame in app.dataframe if "point" in frame.value)
    trace = shown_run(app).trace
    np.testing.assert_allclose(table["value"].astype(float), trace.imputed[-1], rtol=1e-3)
    assert list(table) == ["point", "column", "value"]
    left_out = replace(config, family="normal_gamma")
    app = explored(ELLIPSES, left_out, imputed=True)
    assert not [frame for frame in app.dataframe if "point" in frame.value]
    with pytest.raises(InvalidParameterError, match="filled no cells"):
        cells_in_words(prepare(ELLIPSES).dataset, prepare(ELLIPSES).X, shown_run(app).trace)


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma"])
def test_why_here_says_which_cells_were_missing(family: str) -> None:
    config = dpviz.RunConfig("mapdp", family=family, prior=None, n_init=1, init="single")
    app = explored(ELLIPSES, config)
    finished: Finished = shown_run(app)
    gaps = np.isnan(finished.prepared.X)
    point = int(np.flatnonzero(gaps[:, 0] & ~gaps[:, 1])[0])
    app.session_state["explore"].point, app.session_state["why arithmetic"] = point, True
    run(app)
    words = said(app)
    if family == "normal_gamma":
        assert "Of its cells x1 are missing and say nothing." in words
        marked = "x1 (missing)"
    else:
        places = np.argwhere(gaps).tolist()
        value = finished.trace.imputed[-1][places.index([point, 0])]
        told = f"Of its cells x1 ({value:.4g}) were missing and hold what the run filled in by this sweep, but only"
        assert f"{told} the seen ones choose the cluster." in words
        assert "−ln f is the density of the cells that are seen" in words and "which gives −ln f" not in words
        marked = ""
    if any("x" in frame.value and len(frame.value) == 2 for frame in app.dataframe):
        assert any(marked in frame.value.index for frame in app.dataframe)
    assert not app.error and not app.warning


def test_the_missing_control_is_kept_and_links_restore_it() -> None:
    config = dpviz.RunConfig("mapdp", family="normal_gamma", prior=None, missing="impute", n_init=1, init="single")
    app = explored(ELLIPSES, config)
    assert shown_run(app).config == config
    box = next(box for box in app.selectbox if box.label == "Missing cells")
    assert box.value == "impute" and "Filled in, in every sweep" in said(app.sidebar)
    run(box.set_value("marginalise"))
    assert shown(app).config == replace(config, missing="marginalise")
    whole = opened("explore", data='{"source":"bundled","name":"iris"}', run=json.dumps({"version": "8"}))
    assert not [box for box in whole.selectbox if box.label == "Missing cells"]


# --- code and generators ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "choice",
    [
        VOTES,
        replace(VOTES, gaps=False),
        replace(VOTES, gaps=False, fill=True),
        replace(ELLIPSES, scaling="standardise"),
        replace(ELLIPSES, gaps=False),
        replace(ELLIPSES, gaps=False, fill=True, scaling="standardise"),
    ],
)
def test_the_code_that_is_shown_has_the_same_numbers(choice: DataChoice) -> None:
    prepared = prepare(choice)
    code = snippet(prepared, dpviz.RunConfig("kmeans"), end=())
    names: dict[str, Any] = {}
    exec(code, names)
    np.testing.assert_array_equal(names["X"], prepared.X)


def test_generators_with_gaps_travel_in_links_and_keep_their_rows() -> None:
    app = opened("data")
    run(app.selectbox(key="data scenario").set_value("mixed_table"))
    run(app.slider(key="data mixed_table missing").set_value(0.3))
    if chosen(app).name != "mixed_table":
        run(app.button(key="data use synthetic").click())
    choice = chosen(app)
    assert choice.gaps and dict(choice.options)["missing"] == 0.3
    again = DataChoice.from_json(choice.to_json())
    np.testing.assert_array_equal(prepare(again).X, datasets.synthesize("mixed_table", missing=0.3).X)
    assert not app.error
    for view in ("Table", "Columns", "Missing values", "Scatter matrix", "Correlations"):
        app.session_state["data look"] = view
        run(app)
        assert not app.error, view
    run(app.slider(key="data mixed_table missing").set_value(0.0))
    assert not chosen(app).gaps


def test_the_data_page_asks_whether_rows_with_gaps_are_kept() -> None:
    app = opened("data", data='{"source":"bundled","name":"house_votes_84"}')
    toggle = app.toggle(key="data gaps")
    assert toggle.label == "Keep the 203 rows with missing cells" and not toggle.value
    run(toggle.set_value(True))
    assert chosen(app).gaps
    assert "203 of 435 rows have missing cells and are kept." in said(app)
    run(app.toggle(key="data gaps").set_value(False))
    assert not chosen(app).gaps
    assert not [t for t in opened("data", data='{"source":"bundled","name":"iris"}').toggle if t.key == "data gaps"]


def test_why_here_tells_a_point_s_cells_and_leaves_out_the_missing_ones() -> None:
    prepared = prepare(VOTES)
    job = jobs.Job(VOTES, RunConfig(family="binomial", init="single", n_init=1))
    for _ in job.steps():
        pass
    problem, point = job.problem, int(np.flatnonzero(prepared.clustered.incomplete)[0])
    formula = problem.model.posterior(prepared.X[:50]).formula(prepared.X[point])
    costs = formula.columns["−ln f"]
    np.testing.assert_array_equal(costs == 0, np.isnan(prepared.X[point]))
