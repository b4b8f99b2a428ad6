"""The parts of the Explore page on their own: exports, links, runs, the player's panel, history, the prior, why."""

from __future__ import annotations

import html
import io
import itertools
import json
import math
import re
import threading
import time
import tracemalloc
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from configs import usual_config
from hypothesis import given
from hypothesis import strategies as draw
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import dpviz
from dpviz.config import RunConfig
from dpviz.datasets import Dataset, dot_stack
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, describe, method_of
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.slow_motion import slow_motion
from dpviz.errors import DpvizError, InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.figures.explain import assignment_bars, contest
from dpviz.fit.timing import estimate
from dpviz.parameters import Parameter
from dpviz.partition import PARTITION_PRIORS, PitmanYor, PoweredChineseRestaurant
from dpviz.player import build_payload, run_panel
from dpviz.text import percent, short
from dpviz.ui.controls import prior_picture, run_controls
from dpviz.ui.explore import loading, why
from dpviz.ui.session import exports, history, jobs, naming, state
from dpviz.ui.session.background import Work
from dpviz.ui.session.chosen_data import DataChoice, keep_session_dataset, prepare
from dpviz.ui.session.jobs import Finished, Job
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.shell import links
from examples import GAUSSIAN
from pages import ended, opened, plain
from pages import run as run_again

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=80)
GIBBS = usual_config("gibbs", n_sweeps=20, burn_in=5, seed=1)
MAPDP = usual_config(n_init=3)


@pytest.fixture(autouse=True)
def _fresh_session():
    """Outside of a script run the session state is one for the whole process."""
    st.session_state.clear()
    st.query_params.clear()
    yield
    st.session_state.clear()


def finished(choice: DataChoice = SMALL, config: RunConfig = MAPDP) -> Finished:
    prepared = prepare(choice)
    return Finished(choice, config, prepared, dpviz.run(prepared.X, config))


# exports


def test_csv_has_every_original_row_and_the_labels_of_the_clustered_ones():
    run = finished(DataChoice("bundled", "house_votes_84", scaling="standardise"), RunConfig("kmeans", n_clusters=3))
    table = pd.read_csv(io.BytesIO(exports.labelled_csv(run, run.trace.n_sweeps)), keep_default_na=False)
    original = run.prepared.dataset.frame
    rows = run.prepared.dataset.rows
    assert original is not None and rows is not None and len(rows) < len(original) == len(table)
    assert list(table.columns) == [*original.columns, "cluster", "note"]
    left_out = np.setdiff1d(np.arange(len(original)), rows)
    assert (table["cluster"].iloc[left_out] == "").all()
    assert table["note"].iloc[left_out].str.startswith("not clustered: missing “").all()
    assert (table["note"].iloc[rows] == "").all()
    given_numbers = table["cluster"].iloc[rows].astype(int).to_numpy()
    assert given_numbers.min() >= 1
    assert dpviz.metrics.nmi(given_numbers, run.trace.labels_at(run.trace.n_sweeps)) == pytest.approx(1.0)


def test_csv_numbers_are_the_numbers_of_the_player():
    run = finished(config=GIBBS)
    for sweep in (0, 7, 20):
        numbers = exports.labelled_rows(run, sweep)["cluster"].to_numpy(dtype=int)
        expected = [run.number(int(label), sweep) for label in run.trace.labels_at(sweep)]
        assert numbers.tolist() == expected


@pytest.mark.parametrize("cells", [1, 21 * 30, 10**6])
def test_csv_of_every_sweep(monkeypatch, cells):
    monkeypatch.setattr(exports, "CELLS_AT_ONCE", cells)
    run = finished(config=GIBBS)
    table = pd.read_csv(io.BytesIO(exports.labelled_csv(run, 3, every_sweep=True)))
    assert [name for name in table.columns if name.startswith("sweep_")] == [f"sweep_{t}" for t in range(21)]
    assert table["sweep_3"].tolist() == table["cluster"].tolist()
    last = [run.number(int(label), 20) for label in run.trace.labels_at(20)]
    assert table["sweep_20"].tolist() == last
    choice = DataChoice("bundled", "house_votes_84", scaling="standardise")  # some rows are left out
    run = finished(choice, RunConfig("kmeans", n_clusters=3, n_init=1))
    table = pd.read_csv(io.BytesIO(exports.labelled_csv(run, 1, every_sweep=True)), dtype=str, keep_default_na=False)
    assert table["sweep_1"].tolist() == table["cluster"].tolist() and "" in set(table["sweep_1"])


def test_who_writes_many_rows_lets_others_in_after_each_part():
    part, order = (pd.DataFrame(), np.zeros((0, 1), dtype=np.int64)), []

    def write(name, n_parts):
        for number, _ in enumerate(exports._in_turn(iter([part] * n_parts))):
            order.append(f"{name}{number}")
            yield

    long = write("long", 3)
    next(long)
    other = threading.Thread(target=lambda: list(write("short", 1)))
    other.start()
    while not exports._NEXT.locked():  # until it waits
        time.sleep(0.001)
    list(long)
    other.join()
    assert order.index("short0") == 1 and len(order) == 4


def test_csv_of_every_sweep_takes_little_more_than_its_text():
    run = finished(DataChoice("synthetic", "crp_mixture").with_options(n=2_000), replace(GIBBS, n_sweeps=400))
    len(run.tracks)
    tracemalloc.start()
    n_bytes = len(exports.labelled_csv(run, 3, every_sweep=True))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_bytes > 1_600_000 and peak < 7 * n_bytes + 18 * exports.CELLS_AT_ONCE


def test_names_of_clusters_go_into_the_csv():
    run = finished()
    last = run.trace.n_sweeps
    number = run.number(int(run.trace.labels_at(last)[0]), last)
    named = replace(run, names={number: "=cmd|' /C calc'!A0"})
    table = pd.read_csv(io.BytesIO(exports.labelled_csv(named, last)))
    of_that_number = table["cluster"] == number
    assert table["cluster_name"][of_that_number].str.endswith("=cmd|' /C calc'!A0").all()
    assert not table["cluster_name"][of_that_number].str.startswith("=").any()  # a spreadsheet must not run it
    assert table["cluster_name"][~of_that_number].str.startswith("cluster ").all()


def test_formulas_in_the_users_table_are_inert_and_columns_keep_their_names():
    table = pd.DataFrame({"cluster": ["=1+1", "@SUM(A1)", "plain", "+3"], "x": [1.5, 2.5, 4.5, 9.5]})
    dataset = Dataset(X=table[["x"]].to_numpy(), name="own", frame=table, rows=np.arange(4), feature_names=("x",))
    choice = keep_session_dataset(dataset)
    run = finished(choice, RunConfig("kmeans", n_clusters=2, n_init=1))
    text = exports.labelled_csv(run, 0).decode("utf-8-sig")
    rows = pd.read_csv(io.StringIO(text), dtype=str)
    assert list(rows.columns) == ["cluster", "x", "cluster_"]
    assert not rows["cluster"].str.match(r"[=@+-]").any()
    assert rows["cluster"].str.lstrip("'").tolist() == ["=1+1", "@SUM(A1)", "plain", "+3"]


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        (SMALL, GIBBS),
        (
            SMALL,
            usual_config("gibbs", "spherical_normal", n_sweeps=9, burn_in=2, partition=PitmanYor(0.5, 0.25)),
        ),
        (
            SMALL,
            RunConfig(
                "mapdp",
                prior={"c0": 0.3, "psi0": np.array([[2.0, 0.5], [0.5, 1.0]])},
                n_init=2,
                family="normal_wishart",
            ),
        ),
        (SMALL, usual_config(init=np.arange(80) % 3, n_init=1)),
        (DataChoice("bundled", "wine", scaling="robust", n_components=3, whiten=True), RunConfig("kmeans")),
        (DataChoice("bundled", "galaxies"), RunConfig("dpmeans", penalty=20.0)),
        (DataChoice("bundled", "iris", scaling="standardise"), RunConfig("em", n_components=2, n_init=1)),
    ],
    ids=["gibbs", "pitman-yor", "prior", "labels", "components", "dpmeans", "em"],
)
def test_the_snippet_reproduces_the_run(choice, config, capsys):
    run = finished(choice, config)
    names: dict[str, Any] = {"np": np}
    exec(compile(exports.snippet(run.prepared, run.config), "snippet", "exec"), names)
    assert_array_equal(names["trace"].labels, run.trace.labels)
    assert_array_equal(names["trace"].objective, run.prepared.units.trace(run.trace).objective)
    assert names["config"] == config
    assert "n_clusters" in capsys.readouterr().out


def test_a_stored_run_loads_back_identically_and_must_fit_the_data():
    run = finished(config=GIBBS)
    loaded = loading.load_run(run.trace.to_json().encode(), run)
    assert loaded.config == GIBBS
    for name in ("labels", "label_sweeps", "nll", "objective", "n_clusters", "n_moved", "seconds", "flat_sizes"):
        assert_array_equal(getattr(loaded.trace, name), getattr(run.trace, name))
    other = finished(SMALL.with_options(n=90))
    with pytest.raises(DpvizError, match="80 points.*90"):
        loading.load_run(run.trace.to_json().encode(), other)


@pytest.mark.parametrize(
    "config",
    [GIBBS, usual_config(), RunConfig("em"), RunConfig("kmeans")],
    ids=lambda config: config.algorithm,
)
@pytest.mark.parametrize("n_steps", [3, 8, 10**9])
def test_code_and_stored_file_of_a_stopped_run_say_so(config, n_steps):
    job = Job(Asked(SMALL, config))
    stops = len(list(itertools.islice(job.steps(), n_steps))) == n_steps
    job.finish(stopped=stops)
    run = job.result
    assert run is not None
    assert loading.load_run(run.trace.to_json().encode(), run).stopped == stops
    said = "# The whole run; the one that was shown was stopped early, and had "
    assert exports.code_of(run).startswith(said) == stops
    names: dict[str, Any] = {}
    exec(compile(exports.code_of(run), "snippet", "exec"), names)
    same = names["trace"].n_sweeps == run.trace.n_sweeps and np.array_equal(names["trace"].labels, run.trace.labels)
    assert same or stops


def test_stored_runs_that_are_invalid_or_do_not_fit_the_model_are_refused():
    run = finished(config=GIBBS)
    for text in (b"", b"\xff\xfe", b"{}", b"[1]", run.trace.to_json().encode()[:-40]):
        with pytest.raises(DpvizError):
            loading.load_run(text, run)
    document = json.loads(run.trace.to_json())
    document["config"]["prior"] = [["m0", [0.0, 0.0, 0.0]]]
    with pytest.raises(DpvizError, match="m0"):
        loading.load_run(json.dumps(document).encode(), run)


# the panel of the player


def test_the_panel_shows_the_trace():
    run = finished(config=GIBBS)
    panel = run_panel.panel(run.prepared, run.trace, "title", names={1: "one"})
    assert_array_equal(panel.labels, run.trace.labels)
    for name in ("nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"):
        assert_array_equal(getattr(panel, name), getattr(run.trace, name))
    assert_array_equal(panel.points, run.prepared.X)
    assert panel.true_labels is not None and panel.title == "title" and panel.cluster_names == {1: "one"}
    assert panel.ellipses is not None and panel.density_image is not None and panel.region_image is not None
    assert len(panel.ellipses.rows) == run.trace.n_clusters.sum()
    model = Problem(run.prepared.X, run.config).family
    last = np.flatnonzero(panel.ellipses.rows == 20)
    for entry in last:
        members = run.trace.labels[20] == panel.ellipses.labels[entry]
        expected = model.posterior(run.prepared.X[members]).predictive()
        assert_allclose(panel.ellipses.centers[entry], expected.location)
        assert_allclose(panel.ellipses.scales[entry], expected.scale)


def test_background_maps_are_the_mixture_predictive_and_its_argmax():
    run = finished(config=GIBBS)
    panel = run_panel.panel(run.prepared, run.trace, "")
    image, regions = panel.density_image, panel.region_image
    assert (
        image is not None
        and regions is not None
        and image.sweeps[-1] == 20
        and len(image.sweeps) <= run_panel.MOST_MAPS
    )
    low_x, high_x, low_y, high_y = image.extent
    ny, nx = image.values.shape[1:]
    chosen = [(0, 0), (ny - 1, nx - 1), (ny // 2, nx // 3), (10, 70)]
    x = low_x + (np.array([column for _, column in chosen]) + 0.5) / nx * (high_x - low_x)
    y = low_y + (np.array([row for row, _ in chosen]) + 0.5) / ny * (high_y - low_y)
    problem = Problem(run.prepared.X, run.config)
    scores = PartitionPredictive(problem, run.trace.labels_at(20)).log_scores(np.column_stack([x, y]))
    density = np.log(np.exp(scores).sum(axis=1))
    shown = np.log([image.values[-1][cell] for cell in chosen]) * 4
    assert_allclose(shown - shown[0], density - density[0], atol=1e-6)
    takers = np.argmax(scores, axis=1)
    takers[takers == scores.shape[1] - 1] = -1
    assert [regions.labels[-1][cell] for cell in chosen] == takers.tolist()


def test_one_column_is_stacked_under_densities_on_the_same_scale():
    run = finished(DataChoice("bundled", "galaxies"), usual_config("gibbs", "normal_gamma", n_sweeps=30, burn_in=5))
    panel = run_panel.panel(run.prepared, run.trace, "")
    assert panel.densities is not None and panel.heights is not None and panel.ellipses is None
    stack = dot_stack(run.prepared.X)
    assert_array_equal(panel.points[:, 0], stack.positions)
    area = len(run.prepared.X) * stack.bin_width  # so that a stack is as high as a histogram's bar would be
    assert_allclose(panel.heights * area, stack.heights + 0.5)
    last = panel.densities.rows == 30
    total = panel.densities.values[last].sum(axis=0)
    grid = panel.densities.grid
    assert_allclose(np.trapezoid(total, grid), 1.0, atol=0.05)


def test_many_columns_are_shown_along_principal_components():
    run = finished(DataChoice("bundled", "wine", scaling="standardise"), RunConfig("kmeans", n_init=1))
    panel = run_panel.panel(run.prepared, run.trace, "")
    assert panel.points.shape == (178, 2) and "Principal component 1" in panel.axis_names[0]
    assert panel.ellipses is not None and panel.density_image is None
    assert panel.values is not None and panel.values.shape == (178, 8)
    assert_array_equal(panel.values, run.prepared.dataset.X[:, :8])


def test_long_runs_are_thinned_to_what_a_browser_holds(monkeypatch):
    run = finished(config=GIBBS)
    monkeypatch.setattr(run_panel, "MOST_ROWS", 5)
    rows = run_panel.shown_rows(run.trace)
    expected = sorted({0, 5, 10, 15, 20, run.trace.result_row})
    assert rows.tolist() == expected
    panel = run_panel.panel(run.prepared, run.trace, "")
    assert panel.label_sweeps.tolist() == expected and len(panel.nll) == 21
    assert run.shown_sweep(12) == 10 and run.shown_sweep(20) == 20
    assert run_panel.shown_rows(run.trace, most_labels=160).tolist() == sorted({0, run.trace.result_row, 20})
    assert len(build_payload([panel])) > 0


def test_slow_motion_reaches_the_player():
    run = finished(config=GIBBS)
    slow = slow_motion(run.prepared.X, run.trace, 4)
    panel = run_panel.panel(run.prepared, run.trace, "", slow=slow)
    assert panel.events is not None and panel.events.sweep == 4
    assert_array_equal(panel.events.costs, slow.costs)
    assert len(build_payload([panel])) > len(build_payload([run_panel.panel(run.prepared, run.trace, "")]))


# jobs


SHORT = [
    replace(usual_config(name, **options), n_init=3, seed=1)
    for name, algorithm in ALGORITHMS.items()
    for options in algorithm.example()
]
"""Every algorithm with three restarts."""


def whole(job: Job) -> Finished:
    """The run of a job that went to its end."""
    assert Work(job, at_once=float("inf")).over and job.result is not None
    return job.result


@pytest.mark.parametrize("config", SHORT, ids=lambda config: config.algorithm)
def test_a_run_in_steps_is_the_whole_run(config):
    job = Job(Asked(SMALL, config))
    n_steps = 0
    for operations in job.steps():
        n_steps += 1
        ((share, words),) = job.stages()
        assert operations > 0 and 0 <= share <= 1 and ("sweeps/s" in words or "changes tried" in words)
        assert job.picture().n_points == 80
    job.finish(stopped=False)
    done, expected = job.result, dpviz.run(prepare(SMALL).X, config)
    assert done is not None and not done.stopped
    assert_array_equal(done.trace.labels, expected.labels)
    assert_array_equal(done.trace.nll, expected.nll)
    assert done.trace.starts == expected.starts and done.trace.chosen_start == expected.chosen_start
    assert n_steps >= sum(start.n_sweeps for start in expected.starts)


def test_stopping_keeps_what_was_done():
    config = replace(GIBBS, seed=77)
    job = Job(Asked(SMALL, config))
    steps = job.steps()
    for _ in range(6):
        next(steps)
    steps.close()
    job.finish(stopped=True)
    stopped, expected = job.result, dpviz.run(prepare(SMALL).X, config)
    assert stopped is not None and stopped.stopped and stopped.trace.n_sweeps == 5
    assert_array_equal(stopped.trace.labels, expected.labels[:6])
    assert jobs.finished_run(Asked(SMALL, config)) is None  # half a run must not pass for a whole one


def test_finished_runs_are_shared_and_those_of_own_data_kept_for_their_owner():
    config = replace(GIBBS, seed=78)
    assert jobs.finished_run(Asked(SMALL, config)) is None
    done = whole(Job(Asked(SMALL, config)))
    again = jobs.finished_run(Asked(replace(SMALL, axes=("x2", "x1")), config))
    assert again is not None and again.trace is done.trace
    assert again.choice.axes == ("x2", "x1") and again.prepared.choice == again.choice
    own = keep_session_dataset(Dataset(X=np.arange(24.0).reshape(12, 2) ** 2, name="own"))
    mine = whole(Job(Asked(own, config)))
    found = jobs.finished_run(Asked(own, config))
    assert found is not None and found.trace is mine.trace and not jobs.SHARED.holds(mine)


def test_huge_finished_runs_are_not_kept_for_others(monkeypatch):
    monkeypatch.setattr(jobs, "LARGEST_SHARED", 100)
    config = replace(GIBBS, seed=79)
    whole(Job(Asked(SMALL, config)))
    assert jobs.finished_run(Asked(SMALL, config)) is None


def test_what_is_not_done_at_once_goes_on_in_a_thread_from_a_first_picture():
    job = Job(Asked(SMALL, GIBBS))
    work = Work(job, at_once=1.0)
    assert work.look() is not None
    assert ended(work).error == "" and not work.stopped and job.result is not None
    assert_array_equal(job.result.trace.labels, dpviz.run(prepare(SMALL).X, GIBBS).labels)


def test_a_job_that_cannot_work_says_so_before_it_starts():
    with pytest.raises(DpvizError, match="n_clusters"):
        Job(Asked(SMALL, RunConfig("kmeans", n_clusters=81)))


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        (RunConfig("kmeans", n_clusters=3), RunConfig("kmeans", n_clusters=3000)),
        (RunConfig("em", n_components=2), RunConfig("em", n_components=50)),
        (
            usual_config("gibbs", n_sweeps=200),
            usual_config("gibbs", n_sweeps=20_000),
        ),
        (
            usual_config(),
            usual_config(init="singletons"),
        ),
        (
            usual_config(),
            usual_config(partition=dpviz.ChineseRestaurant(1e6)),
        ),
        (
            usual_config(),
            usual_config(init="random", init_clusters=2000),
        ),
        (
            usual_config("gibbs"),
            usual_config("gibbs", sampler="explicit_parameters"),
        ),
    ],
)
def test_estimates_grow_with_what_a_run_costs(smaller, larger):
    few, many = (estimate(config, (4000, 2)) for config in (smaller, larger))
    assert 0 < few.operations < many.operations and 0 < few.seconds
    assert estimate(smaller, (100, 2)).operations < few.operations < estimate(smaller, (4000, 60)).operations
    assert estimate(smaller, (1_000_000, 10)).operations > jobs.QUICK_OPERATIONS


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_defaults_on_small_data_count_as_quick(algorithm):
    assert estimate(usual_config(algorithm), (300, 4)).operations < jobs.QUICK_OPERATIONS


def test_cluster_numbers_last_from_sweep_to_sweep():
    run = finished(config=GIBBS)
    before, after = run.trace.labels_at(10), run.trace.labels_at(11)
    kept = [run.number(int(a), 10) == run.number(int(b), 11) for a, b in zip(before, after, strict=True)]
    assert np.mean(kept) > 0.5
    largest = int(np.argmax(run.trace.sizes(20)))
    number = run.number(largest, 20)
    assert run.cluster_name(largest, 20) == f"cluster {number}"
    assert replace(run, names={number: "big"}).cluster_name(largest, 20) == "big"


# history


def test_history_keeps_ten_and_each_run_once():
    done = [finished(config=replace(MAPDP, seed=seed, n_init=1)) for seed in range(12)]
    for run in done:
        history.add(run)
    assert [run.config.seed for run in history.runs()] == list(range(11, 1, -1))
    history.add(done[5])
    assert [run.config.seed for run in history.runs()][:3] == [5, 11, 10] and len(history.runs()) == 10
    other_axes = replace(done[5], choice=replace(SMALL, axes=("x2", "x1")))
    assert history.previous(other_axes) is done[11]
    named = replace(done[11], names={1: "one"})
    history.update(named)
    assert history.runs()[1] is named and history.runs()[0] is done[5]
    assert history.with_names(done[11]).names == {1: "one"}


def test_history_drops_what_is_too_large(monkeypatch):
    runs = [finished(config=replace(GIBBS, seed=seed)) for seed in range(3)]
    monkeypatch.setattr(history, "MOST_BYTES", sum(run.n_bytes for run in runs[1:]))
    for run in runs:
        history.add(run)
    assert [run.config.seed for run in history.runs()] == [2, 1]


def test_changes_are_described_in_words():
    one, other = finished(), finished(config=replace(MAPDP, seed=4, partition=dpviz.ChineseRestaurant(0.5)))
    assert history.changes(one, one) == []
    said = history.changes(one, other)
    assert "seed: 0 → 4" in said
    assert "partition prior: Chinese restaurant (N0 = 3) → Chinese restaurant (N0 = 0.5)" in said and len(said) == 2
    kmeans = finished(config=RunConfig("kmeans", n_clusters=4))
    said = history.changes(one, kmeans)
    assert said[0] == "algorithm: MAP-DP → K-means" and "K: 3 → 4" in said
    elsewhere = finished(DataChoice("bundled", "galaxies"), replace(MAPDP, family="normal_gamma"))
    without = replace(
        kmeans, config=replace(kmeans.config, partition=dpviz.ChineseRestaurant(0.3))
    )  # as a command stores it
    assert history.changes(kmeans, without) == []
    said = history.changes(one, elsewhere)
    assert said[0] == f"data: {one.prepared.dataset.title} → {elsewhere.prepared.dataset.title}"
    assert any(words.startswith("clusters look like: Normal, full") for words in said)
    prior = finished(config=replace(MAPDP, prior={"c0": 0.5}))
    assert history.changes(one, prior) == ["prior of a cluster's shape: the data's own → c0 changed"]


def test_ghosts_only_where_nll_is_comparable():
    first, second = finished(), finished(config=GIBBS)
    history.add(first)
    history.add(second)
    assert history.ghosts(second) == []
    st.session_state["ghost of the previous run"] = True
    ((name, trace),) = history.ghosts(second)
    assert trace is first.trace and "MAP-DP" in name
    assert not history.comparable(second, finished(config=RunConfig("kmeans")))
    assert not history.comparable(second, finished(SMALL.with_options(n=90), GIBBS))
    filled = replace(second, trace=replace(second.trace, imputed=np.zeros((len(second.trace.labels), 1))))
    assert not history.comparable(second, filled) and history.comparable(filled, filled)
    assert not history.comparable(second, finished(replace(SMALL, scaling="standardise"), GIBBS))
    assert history.comparable(second, finished(replace(SMALL, axes=("x2", "x1")), GIBBS))


# the picture of the prior


@pytest.mark.parametrize("family", sorted(GAUSSIAN))
def test_the_picture_of_the_prior_has_its_draws_and_the_data(family):
    prepared = prepare(SMALL)
    figure = prior_picture.prior_figure(prepared, RunConfig(family=family, prior=None))
    assert len(figure.data) == 1 + prior_picture.N_DRAWS
    points = np.column_stack([figure.data[0].x, figure.data[0].y])
    assert_allclose(np.sort(points, axis=0), np.sort(prepared.X, axis=0))
    model = Problem(prepared.X, RunConfig(family=family, prior=None)).family
    rng = np.random.default_rng(0)
    rng.permutation(80)  # the sample of the points
    normal = model.draw(rng)
    boundary = np.column_stack([figure.data[1].x, figure.data[1].y]) - normal.mean
    radius = np.einsum("ij,jk,ik->i", boundary, np.linalg.inv(normal.covariance), boundary)
    assert_allclose(radius, -2 * math.log(1 - 0.865), rtol=1e-6)  # holds 86.5 %: two standard deviations


def test_the_picture_of_one_column_has_densities():
    prepared = prepare(DataChoice("bundled", "galaxies"))
    figure = prior_picture.prior_figure(prepared, usual_config(family="normal_gamma"))
    assert_array_equal(np.sort(figure.data[0].x), np.sort(prepared.X[:, 0]))
    model = Problem(prepared.X, usual_config(family="normal_gamma")).family
    rng = np.random.default_rng(0)
    rng.permutation(len(prepared.X))
    normal = model.draw(rng)
    density = np.exp(-0.5 * (figure.data[1].x - normal.mean[0]) ** 2 / normal.covariance[0, 0])
    density /= np.sqrt(2 * np.pi * normal.covariance[0, 0])
    assert_allclose(figure.data[1].y, density)


def test_a_model_without_shapes_has_no_picture_and_none_is_promised():
    choice = DataChoice("synthetic", "mixed_table", (("n", 60),))
    assert len(prior_picture.prior_figure(prepare(choice), usual_config(family="mixed")).data) == 1
    for shown, words in ((choice, "has no picture"), (SMALL, "10 clusters drawn from it")):
        config = RunConfig(n_init=1, family="mixed" if shown is choice else "normal_gamma", prior=None)
        app = opened("explore", **links.state_query(shown, config))
        app.session_state[run_controls.PRIOR] = True  # its expander is open
        run_again(app)
        assert words in "\n".join(caption.value for caption in app.sidebar.caption)


def test_the_picture_belongs_to_the_data():
    one, other = prepare(SMALL), prepare(DataChoice("bundled", "old_faithful"))
    config = usual_config(family="normal_gamma")
    first = prior_picture._figure(one.choice, config, one)
    second = prior_picture._figure(other.choice, config, other)
    assert len(first.data[0].x) == 80 and len(second.data[0].x) == len(other.X)


# why


@pytest.mark.parametrize("family", sorted(GAUSSIAN))
@pytest.mark.parametrize("n_columns", [1, 2])
def test_the_written_formula_gives_the_number_in_the_table(family, n_columns, monkeypatch):
    choice = SMALL if n_columns == 2 else DataChoice("bundled", "galaxies", scaling="standardise")
    run = finished(choice, RunConfig("mapdp", family=family, n_init=3, prior=None))
    said: list[str] = []
    tables: list[pd.DataFrame] = []
    monkeypatch.setattr(st, "markdown", lambda text, **_: said.append(plain(str(text))))
    monkeypatch.setattr(st, "dataframe", lambda table, **_: tables.append(table))
    monkeypatch.setattr(why, "once_opened", lambda key: True)
    last, point = run.trace.n_sweeps, 3
    table = why.show(run, last, point)
    pd.testing.assert_frame_equal(table, dpviz.explain_assignment(run.prepared.X, run.trace, last, point))
    cheapest = table.loc[table["total"].idxmin(), "neg_log_predictive"]
    assert any(f"−ln f = **{cheapest:.4f}**" in words for words in said)
    if len(tables) == 2:  # one Student t per feature, below the table of all candidates
        degrees = next(float(words.split("=")[1].split(";")[0]) for words in said if words.startswith("ν = "))
        log_density = stats.t.logpdf(tables[1]["x"], degrees, tables[1]["m"], tables[1]["s"])
        assert -np.sum(log_density) == pytest.approx(cheapest, rel=1e-3)  # ν is written with four digits
    assert len(tables) == (2 if family == "normal_gamma" else 1)
    assert sum(f"total = **{total:.4f}**" in words for words in said for total in table["total"]) >= len(table)


def test_bars_are_the_contest_of_the_table():
    run = finished()
    table = dpviz.explain_assignment(run.prepared.X, run.trace, run.trace.n_sweeps, 0)
    names, colors = [f"c{k}" for k in table.index], [f"#0000{k + 1:02d}" for k in table.index]
    costs = contest(table)
    finite = table[np.isfinite(table["total"])].sort_values("total")
    assert list(costs.index) == list(finite.index) and (costs.to_numpy() >= 0).all()
    differences = np.diff(finite["total"])
    assert_allclose(np.diff(costs["total"]), differences, atol=1e-9)
    drawn = drawn_bars(assignment_bars(table, names, colors, ("geometry", "density")))
    assert [bar.name for bar in drawn] == [f"c{k}" for k in finite.index]  # the winner first, on top
    assert [bar.colors for bar in drawn if bar.shares] == [{f"#0000{k + 1:02d}"} for k in finite.index]
    for bar, total in zip(drawn, costs["total"], strict=True):
        assert sum(bar.shares) == pytest.approx(min(total, 12) / 12, abs=2e-4)  # the same axis for every point
        assert bar.total == f"{'// ' if total > 12 else ''}{short(total)}"
    assert [bar.likely for bar in drawn] == [percent(p) for p in finite["probability"]]


class Bar(NamedTuple):
    """A candidate as it is drawn: name, probability, colors, the shares of the axis that its bars take, length."""

    name: str
    likely: str
    colors: set[str]
    shares: list[float]
    total: str


def drawn_bars(text: str) -> list[Bar]:
    """Read the bars back from HTML."""
    row = (
        r'<span style="overflow-wrap.*?">(.*?)</span><b .*?>(.*?)</b></div><div (style="display: flex.*?)'
        r'<span style="margin-left.*?>(.*?)</span></div>'
    )
    return [
        Bar(
            html.unescape(name),
            likely,
            set(re.findall("#[0-9a-f]{6}", bars)),
            [float(share) for share in re.findall(r"\* ([0-9.]+)\)", bars)],
            total,
        )
        for name, likely, bars, total in re.findall(row, text)
    ]


def test_a_far_candidate_is_cut_and_says_how_far_it_is():
    costs = {"neg_log_predictive": [2.0, 3.0, 5000.0], "neg_log_weight": [1.0, 4.0, 1.0]}
    table = pd.DataFrame(costs).assign(total=[3.0, 7.0, 5001.0], probability=[0.9, 0.1, 0.0])
    bars = drawn_bars(assignment_bars(table, ["a", "b", "c"], ["#111111", "#222222", "#333333"], ("g", "s")))
    assert [round(sum(bar.shares), 3) for bar in bars] == [0.0, 0.333, 1.0]  # of 12 nats
    assert [bar.total for bar in bars] == ["0.00", "4.00", "// 4,998"]
    assert [bar.likely for bar in bars] == ["90\u202f%", "10\u202f%", "0\u202f%"]


def test_names_of_users_stay_text_in_the_bars():
    costs = {"neg_log_predictive": [0.0, 1.0], "neg_log_weight": [0.0, 0.0]}
    table = pd.DataFrame(costs).assign(total=[0.0, 1.0], probability=[0.7, 0.3])
    name = """<img src=x onerror="alert('x')">"""
    text = assignment_bars(table, [name, f"{name}!"], ["#111111", "#222222"], ("g", "s"))
    assert "<img" not in text and "repeating" not in text  # one cost is the same for both
    assert [bar.name for bar in drawn_bars(text)] == [name, f"{name}!"]
    # one title is of all, one of the second's bar: quotes in its name do not end it
    assert text.count('title="') == 2
    assert re.search(r'title="([^"]*)"', text)[1] == html.escape(f"{name}!: 1.00 g")  # type: ignore[index]


def test_kmeans_is_a_contest_of_distances_alone(monkeypatch):
    run = finished(config=RunConfig("kmeans", n_clusters=3, n_init=1))
    tables: list[pd.DataFrame] = []
    charts: list[Any] = []
    monkeypatch.setattr(st, "dataframe", lambda table, **_: tables.append(table))
    monkeypatch.setattr(st, "html", charts.append)
    monkeypatch.setattr(why, "once_opened", lambda key: False)
    why.show(run, run.trace.n_sweeps, 0)
    (table,), bars = tables, drawn_bars(charts[0])
    assert list(table.columns) == ["squared distance"] and len(bars[-1].shares) == 1
    assert table["squared distance"].is_monotonic_increasing and table["squared distance"].iloc[0] > 0
    assert [bar.total.removeprefix("// ") for bar in bars] == [
        short(distance) for distance in np.sqrt(table["squared distance"])
    ]
    assert {bar.likely for bar in bars} == {""}


# links and choices

texts = draw.text(draw.characters(codec="utf-8"), max_size=20)


def values(parameter: Parameter) -> draw.SearchStrategy[float]:
    """Values of a parameter from the least that its slider offers to the most that is allowed, up to a hundred."""
    if parameter.reads is not None:
        return draw.just(parameter.default)
    low, high = parameter.slider_range()[0], parameter.limits()[1]
    if parameter.integer:
        return draw.integers(int(low), int(min(high, 100)))
    return draw.floats(low, min(high, 100.0)).filter(parameter.allows)


partitions = draw.one_of(
    draw.builds(prior, **{parameter.name: values(parameter) for parameter in prior.parameters})
    for prior in PARTITION_PRIORS.values()
    if all(parameter.has_control for parameter in prior.parameters)
)
with_model = [algorithm for algorithm in ALGORITHMS.values() if algorithm.uses_model]
configs = draw.builds(
    RunConfig,
    draw.sampled_from([algorithm.name for algorithm in with_model]),
    family=draw.sampled_from(sorted(FAMILIES)),
    partition=partitions,
    init=draw.sampled_from(sorted(set.intersection(*(set(algorithm.starts) for algorithm in with_model)))),
    n_init=draw.integers(1, 50),
    order=draw.sampled_from(["index", "permuted", "shuffled"]),
    temperature=draw.one_of(draw.just(0.0), draw.floats(0.001, 2)),
    prior=draw.one_of(draw.none(), draw.fixed_dictionaries({"c0": draw.floats(0.01, 10)})),
    seed=draw.integers(0, 2**32 - 1),
)


@given(configs, draw.integers(0, 1000))
def test_every_configuration_survives_its_link(config, sweep):
    st.session_state.clear()
    st.query_params.clear()
    for key, value in links.state_query(SMALL, config, sweep).items():
        st.query_params[key] = value
    links.restore()
    assert state.chosen_data() == SMALL
    assert links.take_run() == config
    assert links.take_sweep() == sweep
    assert st.session_state["link notices"] == []


choices = draw.builds(
    DataChoice,
    draw.sampled_from(["synthetic", "bundled"]),
    texts,
    draw.dictionaries(texts, draw.one_of(draw.integers(), draw.floats(allow_nan=False), texts), max_size=4).map(
        lambda options: tuple(sorted(options.items()))
    ),
    draw.sampled_from(["none", "standardise", "robust"]),
    draw.integers(0, 1000),
    draw.booleans(),
    draw.lists(texts, max_size=2).map(tuple),
)


@given(choices)
def test_every_choice_survives_its_json(choice):
    assert DataChoice.from_json(choice.to_json()) == choice


json_values = draw.recursive(
    draw.one_of(draw.none(), draw.booleans(), draw.integers(), draw.floats(), texts),
    lambda inner: draw.one_of(draw.lists(inner, max_size=3), draw.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
hostile = draw.one_of(texts, json_values.map(lambda value: json.dumps(value)))
hostile_data = draw.one_of(
    hostile,
    draw.fixed_dictionaries(
        {
            "source": draw.sampled_from(["synthetic", "bundled", "session"]),
            "name": draw.one_of(draw.sampled_from(["crp_mixture", "wine", "../../etc/passwd"]), texts),
        },
        optional={
            "options": json_values,
            "scaling": json_values,
            "axes": json_values,
            "whiten": json_values,
            "n_components": json_values,
            "surprise": json_values,
        },
    ).map(json.dumps),
)
hostile_run = draw.one_of(
    hostile,
    draw.dictionaries(
        draw.sampled_from(["algorithm", "family", "partition", "prior", "init", "seed", "n_init", "n_sweeps", "order"]),
        json_values,
    ).map(json.dumps),
)


@given(hostile_data, hostile_run, texts)
def test_no_link_raises(data, run, sweep):
    st.session_state.clear()
    st.query_params.clear()
    st.query_params["data"], st.query_params["run"], st.query_params["sweep"] = data, run, sweep
    links.restore()
    choice = state.chosen_data()
    assert prepare(choice).X.size > 0
    assert isinstance(links.take_run(), RunConfig | None)
    asked = links.take_sweep()
    assert asked is None or asked >= 0


def test_an_address_names_what_is_shown_and_nothing_older():
    st.query_params["sweep"] = "7"
    links.remember(SMALL, MAPDP)
    assert dict(st.query_params) == links.state_query(SMALL, MAPDP)
    own = keep_session_dataset(Dataset(X=np.arange(24.0).reshape(12, 2) ** 2, name="own"))
    links.remember(own, MAPDP)
    assert DataChoice.from_json(st.query_params["data"]) == own  # for a reload, which says it if they are gone
    assert dict(st.query_params) == links.state_query(own, MAPDP) and "sweep" not in st.query_params


def test_data_of_another_session_are_refused_with_advice():
    with pytest.raises(InvalidParameterError, match="Data page"):
        prepare(DataChoice("session", "0123456789abcdef"))


def test_titles_and_methods():
    powered = usual_config("gibbs", partition=PoweredChineseRestaurant(10.0, 1.3), seed=2)
    assert method_of(powered) == METHODS["pcrp"] and describe(powered) == "Powered CRP · N0 = 10, r = 1.3 · seed 2"
    assert describe(RunConfig("dpmeans", penalty=4.0)) == "DP-means · λ = 4 · seed 0"
    assert all(method.explanation and naming.method_title(name) == method.title for name, method in METHODS.items())
