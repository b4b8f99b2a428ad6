"""Missing cells in results: panels that have other rows are compared on common ones, and filled cells are shown."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz import datasets
from dpviz.analysis.comparison import comparable_groups, score_table, scores
from dpviz.analysis.imputed import cells_in_words
from dpviz.config import RunConfig
from dpviz.datasets.tables import read_text, to_dataset
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.fit.steps import drained
from dpviz.player.alignment import align_runs
from dpviz.player.payload import track_panels
from dpviz.player.tracking import track_labels
from dpviz.ui.compare import results
from dpviz.ui.compare.links import write_panels
from dpviz.ui.posterior import findings
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.posterior.settings import Setup
from dpviz.ui.session import jobs, kept
from dpviz.ui.session.chosen_data import DataChoice, _prepare, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.model_choice import Asked
from pages import (
    address,
    computing,
    filling,
    in_app,
    opened,
    opened_in_app,
    page,
    press,
    run,
    run_again,
    said,
    set_to,
    settled,
    shown_run,
)

VOTES = DataChoice("bundled", "house_votes_84", gaps=True)


@pytest.fixture(autouse=True)
def _nothing_shared():
    jobs.SHARED.clear()


def test_too_few_complete_rows_are_said():
    data = datasets.Dataset(X=np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 2.0]]), name="x", gaps=True)
    with pytest.raises(InvalidDataError, match="1 of 3 rows are complete; .* keep the rows with gaps"):
        data.complete()
    filled = data.filled()
    assert_array_equal(filled.X, [[1, 2], [1, 2], [1, 2]])


def test_filled_cells_hold_the_mean_or_the_commonest_value():
    X = [[1.0, 3.0, 0.0], [2.0, np.nan, np.nan], [np.nan, 3.0, 1.0], [6.0, 5.0, 1.0]]
    assert_array_equal(
        datasets.fill(X, ("continuous", "count", "binary")), [[1, 3, 0], [2, 3, 1], [3, 3, 1], [6, 5, 1]]
    )
    assert_allclose(datasets.fill(X)[1:3], [[2, 11 / 3, 2 / 3], [3, 3, 1]])
    with pytest.raises(InvalidParameterError, match="kinds = .* 3 kinds, one per column"):
        datasets.fill(X, ("count",))


# --- compare ----------------------------------------------------------------------------------------------------------


def compared(fill: bool = False, **common: object) -> AppTest:
    panels = [
        dpviz.RunConfig("kmeans", n_clusters=2, n_init=2),
        dpviz.RunConfig("mapdp", family="binomial", init="single", n_init=2),
        dpviz.RunConfig("gibbs", family="binomial", n_sweeps=40, burn_in=20),
    ]
    same = {"seed": 1, "order": False, "start": None, **common}
    text = write_panels(panels, VOTES)
    return opened("compare", data=replace(VOTES, fill=fill), panels=text, same=same)


def test_panels_have_the_rows_they_can_have_and_are_scored_on_those_of_all():
    app = compared()
    picture = app.session_state["compare picture"]
    traces, whole = picture.traces, prepare(VOTES)
    assert [trace.n_points for trace in traces.values()] == [232, 435, 435]
    complete = np.flatnonzero(~whole.clustered.incomplete)
    assert_array_equal(picture.compared_rows, complete)
    table = app.session_state["compare scores"][1]
    truth = whole.dataset.labels[complete]
    for (name, trace), rows in zip(traces.items(), (np.arange(232), complete, complete), strict=True):
        labels = trace.result_labels
        assert table.loc[name, "nmi"] == pytest.approx(dpviz.metrics.nmi(truth, labels[rows]), abs=1e-12)
        assert table.loc[name, "ari"] == pytest.approx(dpviz.metrics.ari(truth, labels[rows]), abs=1e-12)
        assert table.loc[name, "n_clusters"] == len(np.unique(labels))
        assert table.loc[name, "delta_k"] == len(np.unique(labels)) - 2
        assert_array_equal(np.unique(picture.labels[name], return_inverse=True)[1].shape, (232,))
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


def test_agreement_on_the_common_rows_is_that_of_joined_clusters():
    picture = compared(scale=2).session_state["compare joined"][1]
    complete, (name, joined) = picture.compared_rows, picture.runs[1]
    assert joined.scale.n_clusters == 2 < joined.scale.tree.n_leaves
    at, truth = joined.trace.result_sweep, picture.true_labels
    own = joined.scale.labels[complete]
    assert picture.panels[1].agreement[at] == pytest.approx(dpviz.metrics.nmi(truth, own), abs=1e-12), name
    assert picture.panels[1].adjusted_rand[at] == pytest.approx(dpviz.metrics.ari(truth, own), abs=1e-12), name


def test_equal_clusters_have_equal_colours_though_rows_differ():
    whole = np.array([3, 0, 0, 1, 1, 2, 2, 2])
    some, renamed = np.array([1, 2, 3, 5, 6]), np.array([2, 2, 0, 1, 1])  # the same clusters by other numbers
    runs = [track_labels(np.array([labels])) for labels in (whole, renamed)]
    aligned = align_runs(runs, [some, np.arange(5)])
    assert_array_equal(aligned[0].tracks[-1][some], aligned[1].tracks[-1])
    picture = compared().session_state["compare picture"]
    tracks = track_panels(picture.panels, shared=list(picture.shared.values()))
    for (name, labels), followed in zip(picture.all_labels.items(), tracks, strict=True):
        partition = set(zip(labels.tolist(), picture.traces[name].result_labels.tolist(), strict=True))
        assert len(partition) == len(np.unique(labels)) and followed.tracks.shape[1] == len(labels)


def test_filled_columns_give_all_panels_all_rows():
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


def test_a_common_start_is_that_of_each_panel_s_rows():
    app = compared(start=2)
    configs = app.session_state["compare picture"].plan.configs
    starts = [np.array(config.init) for config in configs]
    complete = np.flatnonzero(~prepare(VOTES).clustered.incomplete)
    assert [len(start) for start in starts] == [232, 435, 435]
    pairs = set(zip(starts[0].tolist(), starts[1][complete].tolist(), strict=True))
    assert len(pairs) == len(set(starts[0].tolist())) == 2


def test_repetitions_are_scored_on_the_same_rows_too():
    app = compared()
    set_to(app, "compare.n_seeds", 2)
    press(app, "compare.repeat")
    settled(app)
    study = computing(app, "compare study").task.result
    frame, picture = study.frame(), app.session_state["compare picture"]
    assert not study.failures and len(frame) == 6
    shown = app.session_state["compare scores"][1]
    first = frame[frame["seed"] == 1].set_index("run")
    for name in picture.traces:
        assert first.loc[name, "nmi"] == pytest.approx(shown.loc[name, "nmi"], abs=1e-12)


def test_nll_of_cells_left_out_and_of_cells_filled_in_are_never_comparable():
    data = datasets.synthesize("elliptical_rotated", n=60, missing=0.2)
    configs = [
        dpviz.RunConfig("mapdp", family="normal_gamma", prior=PRIOR, missing=missing, n_init=1, init="single")
        for missing in ("auto", "marginalise", "impute", "impute")
    ]
    assert comparable_groups(data.X, configs) == ["a", "a", "b", "b"]
    whole = datasets.synthesize("elliptical_rotated", n=60)
    assert comparable_groups(whole.X, configs) == ["a"] * 4


PRIOR = {"m0": [0.0, 0.0], "c0": 0.1, "a0": 1.0, "b0": [1.0, 1.0]}


def test_scores_on_some_rows_count_the_clusters_of_all():
    trace = dpviz.run(np.array([[0.0], [0.1], [5.0], [9.0], [9.1]]), dpviz.RunConfig("kmeans", n_clusters=3, n_init=5))
    rows = np.array([0, 1, 3, 4])
    found = scores(trace, np.array([0, 0, 1, 1]), rows)
    assert (found["n_clusters"], found["delta_k"], found["nmi"]) == (3, 1, 1.0)
    with pytest.raises(InvalidDataError, match="must be equal"):
        score_table(np.zeros((4, 1)), {"run": trace}, np.array([0, 0, 1, 1]))


# --- filling in -------------------------------------------------------------------------------------------------------

ELLIPSES = DataChoice("synthetic", "elliptical_rotated", options=(("missing", 0.15), ("n", 80)), gaps=True)
TABLE = DataChoice("synthetic", "mixed_table", options=(("missing", 0.2), ("n", 60)), gaps=True)


def explored(choice: DataChoice, config: dpviz.RunConfig, **state: object) -> AppTest:
    app = page("explore", data=choice, run=config)
    for key, value in state.items():
        app.session_state[key] = value
    return run_again(run(app))


def test_filled_cells_of_a_chain_are_listed_with_their_intervals():
    config = usual_config("gibbs", n_sweeps=30, burn_in=10, n_init=1)
    app = explored(replace(ELLIPSES, scaling="standardise"), config, imputed=True)
    finished: Finished = shown_run(app)
    (table,) = (frame.value for frame in app.dataframe if "lower" in frame.value)
    gaps = np.argwhere(np.isnan(finished.prepared.X))
    assert len(table) == len(gaps) and table["point"].tolist() == gaps[:, 0].tolist()
    kept = finished.trace.imputed[finished.trace.label_sweeps > 10]
    original = finished.prepared.dataset.X  # in the units of the table
    centre, spread = np.nanmean(original, axis=0)[gaps[:, 1]], np.nanstd(original, axis=0)[gaps[:, 1]]
    assert_allclose(table["value"].astype(float), centre + spread * kept.mean(axis=0), rtol=1e-3)
    assert_allclose(table["lower"], centre + spread * np.quantile(kept, 0.05, axis=0), rtol=1e-9)
    assert "in the units of the table" in said(app)


def test_codes_are_told_by_their_probabilities():
    prepared = prepare(TABLE)
    config = usual_config(
        "gibbs",
        "mixed",
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


def test_mapdp_shows_modes_without_intervals_and_other_runs_show_nothing():
    config = usual_config(n_init=1, init="single")
    app = explored(ELLIPSES, config, imputed=True, profiles=True)
    (table,) = (frame.value for frame in app.dataframe if "point" in frame.value)
    trace = shown_run(app).trace
    assert_allclose(table["value"].astype(float), trace.imputed[-1], rtol=1e-3)
    assert list(table) == ["point", "column", "value"]
    left_out = replace(config, family="normal_gamma")
    app = explored(ELLIPSES, left_out, imputed=True)
    assert not [frame for frame in app.dataframe if "point" in frame.value]
    with pytest.raises(InvalidParameterError, match="filled no cells"):
        cells_in_words(prepare(ELLIPSES).dataset, prepare(ELLIPSES).X, shown_run(app).trace)


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma"])
def test_why_here_says_which_cells_were_missing(family):
    config = dpviz.RunConfig("mapdp", family=family, prior=None, n_init=1, init="single")
    app = explored(ELLIPSES, config)
    finished: Finished = shown_run(app)
    gaps = np.isnan(finished.prepared.X)
    point = int(np.flatnonzero(gaps[:, 0] & ~gaps[:, 1])[0])
    app.session_state["explore"].point, app.session_state["why arithmetic"] = point, True
    run(app)
    words = said(app)
    if family == "normal_gamma":
        assert "Missing cells, which say nothing: x1." in words
        marked = "x1 (missing)"
    else:
        places = np.argwhere(gaps).tolist()
        value = finished.trace.imputed[-1][places.index([point, 0])]
        told = "Missing cells, as the run filled them in by this sweep, though only seen ones choose the cluster"
        assert f"{told}: x1 ({value:.4g})." in words
        assert "−ln f is the density of the cells that are seen" in words and "which gives −ln f" not in words
        marked = ""
    if any("x" in frame.value and len(frame.value) == 2 for frame in app.dataframe):
        assert any(marked in frame.value.index for frame in app.dataframe)
    assert not app.error and not app.warning


def test_why_here_tells_a_point_s_cells_and_leaves_out_the_missing_ones():
    prepared = prepare(VOTES)
    job = jobs.Job(Asked(VOTES, RunConfig(family="binomial", init="single", n_init=1)))
    for _ in job.steps():
        pass
    problem, point = job.problem, int(np.flatnonzero(prepared.clustered.incomplete)[0])
    formula = problem.model.posterior(prepared.X[:50]).formula(prepared.X[point])
    costs = formula.columns["−ln f"]
    assert_array_equal(costs == 0, np.isnan(prepared.X[point]))


# --- posterior --------------------------------------------------------------------------------------------------------


def posterior_of(choice: DataChoice, config: RunConfig, tab: str) -> AppTest:
    link = {"run": config.to_query(), "chains": 2, "burn_in": 10, "tab": tab}
    return opened_in_app("posterior", data=choice, posterior=link)


def test_chains_and_other_answers_are_of_every_row():
    config = RunConfig("gibbs", family="binomial", n_sweeps=40, burn_in=0, split_merge=1)
    app, prepared = posterior_of(VOTES, config, "answers"), prepare(VOTES)
    sampled = app.session_state["posterior sampled"]
    assert {trace.n_points for trace in sampled.traces} == {435} and not app.error
    assert "435 points, 16 columns, 203 points with missing cells" in said(app)
    table = app.table[0].value
    (k,) = re.findall(r"given the summary’s K = (\d+), missing cells filled in; MAP-DP", said(app))
    filled = datasets.fill(prepared.X, prepared.clustered.kinds)
    model = dict(family="binomial", partition=sampled.setup.config.partition, prior=sampled.setup.config.prior)
    answers = {
        "MAP-DP": dpviz.run(prepared.X, RunConfig("mapdp", **model)).result_labels,
        "K-means": dpviz.run(filled, RunConfig("kmeans", n_clusters=int(k), n_init=10)).result_labels,
        "known groups": prepared.dataset.labels,
    }
    assert list(table.index) == list(answers)
    for name, labels in answers.items():
        start = RunConfig("gibbs", **model, init=np.unique(labels, return_inverse=True)[1])
        nll = next(iter(dpviz.iterate(prepared.X, start))).nll
        assert table.loc[name, ["K", "nll (nats)"]].tolist() == [str(len(np.unique(labels))), f"{nll:,.2f}"], name


def test_partitions_have_no_nll_where_chains_fill_cells_in():
    config = RunConfig("gibbs", family="normal_wishart", missing="impute", n_sweeps=40, burn_in=0)
    app = posterior_of(ELLIPSES, config, "summary")
    places = app.segmented_control(key="posterior.place").options
    assert places == ["Can they be trusted?", "How many clusters?", "Who is with whom?", "One summary"]
    assert not app.error and "From fine to coarse" not in said(app)
    assert "The chains fill missing cells in, so that a partition alone has no nll: other answers" in said(app)
    offered = next(box for box in app.selectbox if "family" in str(box.key)).options
    assert any("full covariance" in family for family in offered)


def test_chains_fill_cells_in_where_a_link_or_explore_s_run_says_so_though_the_family_could_leave_them_out():
    config = RunConfig("gibbs", family="normal_gamma", missing="impute", n_sweeps=40, burn_in=0)
    app = posterior_of(ELLIPSES, config, "chains")
    sampled = app.session_state["posterior sampled"]
    assert sampled.setup.config.missing == "impute" and sampled.traces[0].imputed is not None
    assert json.loads(address(app, "posterior"))["run"]["missing"] == "impute"


def test_k_means_of_other_answers_takes_several_kinds_as_on_compare():
    rng, group = np.random.default_rng(0), np.repeat([0, 1], 40)
    frame = pd.DataFrame({"x": 1e4 * rng.normal(size=80), "y": rng.normal(size=80) + 6 * group})
    frame["colour"] = np.where(group, "red", "blue")
    frame.loc[::9, "y"] = np.nan
    table = read_text(frame.to_csv(index=False), separator=",")
    data = to_dataset(table, features=["x", "y", "colour"], gaps=True)
    app, own = in_app("posterior"), kept.OwnData()
    own.keep("mine", data)
    app.session_state["own data"] = own
    app.session_state["data choice"] = DataChoice("session", "mine", gaps=True)
    settled(set_to(settled(run(app)), "posterior.place", "Other answers"))
    (k,) = re.findall(r"K = (\d+) and the columns as on Compare, missing cells filled in; MAP-DP", said(app))
    filled = replace(data, X=datasets.fill(data.X, data.kinds), gaps=False)
    plain = datasets.one_hot(filled, "one_hot").X
    labels = dpviz.run(plain, RunConfig("kmeans", n_clusters=int(k), n_init=10)).result_labels
    config = app.session_state["posterior sampled"].setup.config
    start = replace(config, init=np.unique(labels, return_inverse=True)[1])
    nll = next(iter(dpviz.iterate(data.X, start))).nll
    assert app.table[0].value.loc["K-means", "nll (nats)"] == f"{nll:,.2f}"


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_density_of_logarithms_begins_where_there_are_some(missing):
    rng = np.random.default_rng(1)
    X = np.exp(rng.normal(size=(60, 2)))
    X[rng.random(X.shape) < missing] = np.nan
    data = datasets.Dataset(X=X[~np.isnan(X).all(axis=1)], name="own", gaps=True)
    prepared = _prepare(DataChoice(gaps=True), data)
    config = RunConfig("gibbs", family="normal_gamma", prior=None, transform=(0.0, 0.0), n_sweeps=20, burn_in=0)
    trace = dpviz.run(prepared.X, config)
    pooled = findings.Pooled.of(Sampled(Setup(config, 1), "", (trace,)), 5)
    found = drained(findings.density(prepared, config, pooled, 0.9))
    assert_allclose([axis[0] for axis in found.axes], np.nanmin(prepared.X, axis=0))
    assert np.isfinite(found.bands.mean).all()


def test_a_density_is_there_beside_missing_cells():
    config = RunConfig("gibbs", family="normal_gamma", n_sweeps=40, burn_in=0)
    app, X = posterior_of(ELLIPSES, config, "density"), prepare(ELLIPSES).X
    assert not app.error and len(app.get("plotly_chart")) == 2
    sampled = app.session_state["posterior sampled"]
    pooled = findings.Pooled.of(sampled, 10)
    found = drained(findings.density(prepare(ELLIPSES), sampled.setup.config, pooled, 0.9))
    for axis, column in zip(found.axes, X.T, strict=True):
        assert axis[0] < np.nanmin(column) and axis[-1] > np.nanmax(column)
    cell = np.prod([axis[1] - axis[0] for axis in found.axes])
    assert 0.8 < found.bands.mean.sum() * cell < 1.0
