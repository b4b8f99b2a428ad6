"""The Explore page as a session sees it: lessons, controls, stale pictures, links, history, hostile addresses."""

from __future__ import annotations

import itertools
import json
import re
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import streamlit as st
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz import datasets
from dpviz.analysis.prior_laws import mean_n_clusters_under
from dpviz.analysis.second_opinion import NOT_TRIED
from dpviz.config import RunConfig
from dpviz.course.claims import Draw
from dpviz.engine.algorithms.base import ALGORITHMS, METHODS, method_of
from dpviz.engine.problem import Problem
from dpviz.engine.trace_words import moves_in_words
from dpviz.fit.automatic import resolve
from dpviz.fit.timing import estimate
from dpviz.fit.words import words_for
from dpviz.partition import AUTOMATIC_PARTITION
from dpviz.player import build_payload, track_labels
from dpviz.player.blocks import read_header
from dpviz.player.run_panel import panel
from dpviz.text import short
from dpviz.ui.controls.data_controls import default_scaling
from dpviz.ui.controls.run_controls import default_config
from dpviz.ui.explore import export_panel, finished_run
from dpviz.ui.session import computation, jobs
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.shell import links
from dpviz.ui.stage import guide
from dpviz.ui.stage.lessons import PRESETS
from pages import (
    address,
    close,
    computing,
    gated_runs,
    go_to,
    in_app,
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
    until,
)

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=100)
QUICK = usual_config(n_init=2, init="single", seed=5)
AUTOMATIC = RunConfig("mapdp", n_init=2, init="single", seed=5)
CHAIN = usual_config("gibbs", n_sweeps=60, burn_in=10)


@pytest.fixture(autouse=True)
def _nothing_shared(request):
    """What other tests ran is not there already, unless a test says that it may."""
    if "runs_of_others" not in request.fixturenames:
        jobs.SHARED.clear()


@pytest.fixture
def runs_of_others():
    """For tests that begin with the same run, and are not about that one."""


def open_page(**query: str) -> AppTest:
    """Open the page; what does not start by itself waits."""
    return opened("explore", **query)


def open_lesson(app: AppTest, preset: Lesson) -> AppTest:
    """Open the page again with a lesson that was chosen from the list of all."""
    app.session_state["explore"].lesson = preset
    return run(app)


def held_back(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Let runs wait for their button, and then go on only as far as they are released."""
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 1e5)
    monkeypatch.setattr(jobs, "UNASKED_OPERATIONS", 1e5)
    return gated_runs(monkeypatch)


def players(app: AppTest) -> int:
    """How many players the page shows; what brings answers to them is a component too."""
    return sum(component.key == finished_run.PLAYER for component in app.get("bidi_component"))


def shown(app: AppTest) -> Finished:
    """The run that is shown, wholly computed, and no job beside it."""
    assert computing(app, "explore") is None
    finished: Finished = shown_run(app)
    assert players(app) == 1
    return finished


def warnings(app: AppTest) -> str:
    return " ".join(warning.value for warning in app.warning)


def is_stale(app: AppTest) -> bool:
    return "previous settings" in warnings(app)


def lesson(title: str) -> tuple[int, Lesson]:
    return next((number, preset) for number, preset in enumerate(PRESETS) if preset.title.startswith(title))


def test_the_rule_of_the_first_sweep_is_offered_for_the_start_that_follows_it():
    plain = replace(QUICK, first_sweep="all_points")
    app = open_page(data=SMALL, run=plain)
    assert shown(app).config == plain
    assert_array_equal(shown(app).trace.labels, dpviz.run(prepare(SMALL).X, plain).labels)
    assert RunConfig.from_query(json.loads(address(app, "run"))) == plain
    set_to(app, "run.first_sweep", "one_point")
    assert shown(run_again(app)).config == QUICK
    set_to(app, "run.init.mapdp", "sequential")
    assert not [box for box in app.selectbox if box.key == "run.first_sweep"] and not app.error
    close(app)


# lessons


def test_opens_with_a_lesson_ready_to_play():
    app = open_page()
    assert shown(app).config == PRESETS[0].config and shown(app).choice == PRESETS[0].choice
    assert shown(app).trace.n_sweeps > 3 and not is_stale(app) and not app.error
    assert PRESETS[0].watch in app.main.caption[0].value


@pytest.mark.parametrize("number", range(len(PRESETS)))
def test_each_lesson_opens_as_it_is_written(number):
    app = open_page()
    open_lesson(app, PRESETS[number])
    settled(app)
    preset = PRESETS[number]
    assert shown(app).config == preset.config and shown(app).choice == preset.choice
    assert not is_stale(app) and not app.error
    assert preset.watch in app.main.caption[0].value and preset.watch.count(". ") <= 1
    assert estimate(preset.config, shown(app).prepared.X.shape).operations < jobs.UNASKED_OPERATIONS


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_the_runs_of_a_lesson_do_what_it_says_on_its_own_data(preset):
    data = prepare(preset.choice)
    draw = Draw(replace(data.dataset, X=data.X), tuple((data.X, config) for config in preset.runs))
    assert [claim.says for claim in preset.claims if not claim.holds(draw)] == []


def test_the_sentence_of_a_lesson_disappears_when_the_method_changes():
    app = open_page()
    settled(set_to(app, "run.method", "dpmeans"))
    assert shown(app).config.algorithm == "dpmeans"
    assert PRESETS[0].watch not in said(app.main)


def test_the_sentence_of_a_lesson_is_about_the_settings_shown():
    app = open_page()
    set_to(app, "run.n_clusters", 10)
    assert shown(app).config.n_clusters == 10 and PRESETS[0].watch not in said(app.main)
    assert app.button(key="guide.back")
    press(app, "guide.back")
    assert shown(app).config == PRESETS[0].config and PRESETS[0].watch in said(app.main)


def test_the_button_to_the_same_data_names_no_others():
    app = open_page()
    assert app.button(key="guide.next").label == PRESETS[0].onwards
    settled(set_to(app, "data.source", "Bundled"))
    assert shown(app).choice != PRESETS[1].choice and app.button(key="guide.next").label == "Next lesson"


def test_the_first_insight_is_one_button_in_the_main_area():
    app = open_page()
    settled(press(app, "guide.next"))
    first, second = PRESETS[:2]
    assert shown(app).config == second.config and first.choice == second.choice == shown(app).choice
    assert app.session_state["explore"].sweep == 0  # it is watched from its beginning
    app.session_state["link sweep"] = shown(app).trace.n_sweeps
    run(app)
    true, last = shown(app).prepared.dataset.labels, shown(app).trace.n_sweeps
    assert true is not None
    nmi = dpviz.metrics.nmi(true, shown(app).trace.labels_at(last))
    assert nmi > 0.95
    assert "Agreement" not in said(app.main)  # the player says it, as it plays


@pytest.mark.parametrize("seed", range(20))
def test_single_points_of_the_result_are_counted(seed):
    choice = DataChoice("synthetic", "spherical_outliers").with_options(n=60, seed=seed)
    app = open_page(**links.state_query(choice, RunConfig("kmeans", n_clusters=25, n_init=1, seed=seed)))
    sizes = np.bincount(shown(app).trace.result_labels)
    n_single = int((sizes == 1).sum())
    said_of_it = f"{n_single} of 25 clusters {'is a single point' if n_single == 1 else 'are single points'}."
    assert (said_of_it in said(app.main)) == (n_single > 0)


def test_every_lesson_but_the_last_leads_to_the_next():
    assert [guide.following(preset) for preset in PRESETS] == [*PRESETS[1:], None]


def test_colours_are_those_of_the_true_groups_in_every_run():
    for preset in PRESETS[:2]:
        prepared = prepare(preset.choice)
        finished = Finished(preset.choice, preset.config, prepared, dpviz.run(prepared.X, preset.config))
        true = prepared.dataset.labels
        assert true is not None
        of_groups = track_labels(true[None, :]).tracks[0]
        last = finished.label_tracks.tracks[-1]
        overlaps = np.array([[np.sum((of_groups == i) & (last == j)) for j in range(3)] for i in range(3)])
        assert np.trace(overlaps) == max(
            sum(overlaps[i, j] for i, j in enumerate(order)) for order in itertools.permutations(range(3))
        )


@pytest.mark.parametrize("title", ["K-means fails", "The power r", "Stuck in"])
@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.usefixtures("runs_of_others")
def test_a_lesson_leaves_other_methods_at_the_data_s_own_settings(title, method, monkeypatch):
    number, preset = lesson(title)
    if method_of(preset.config).name == method:
        return
    app = open_page()
    open_lesson(app, PRESETS[number])
    settled(app)
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 0.0)
    set_to(app, "run.method", method)
    if app.button(key="run.go").label == "Run":
        press(app, "run.go")
    if computing(app, "explore") is not None:  # how it ends is not asked here
        asked = computing(app, "explore").task.config
        close(app)
    else:
        asked = shown(app).settings
    assert asked == default_config(method, prepare(preset.choice))


def test_a_lesson_leaves_other_data_at_their_own_settings():
    app = open_page()
    open_lesson(app, lesson("Large clusters")[1])
    settled(app)
    app.session_state["data choice"] = SMALL
    run(app)
    assert shown(run_again(app)).settings == default_config("gibbs", prepare(SMALL))


def own_table_on_explore() -> None:
    import numpy as np
    import streamlit as st

    from dpviz.datasets import Dataset
    from dpviz.ui.session import state
    from dpviz.ui.session.chosen_data import keep_session_dataset

    if "kept" not in st.session_state:
        rng = np.random.default_rng(0)
        X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + [8, 0]])
        st.session_state["kept"] = keep_session_dataset(Dataset(X=X, name="own"))
        state.choose_data(st.session_state["kept"])
    from dpviz.ui.explore import page

    page.show()


def test_a_table_of_ones_own_begins_with_mapdp_and_the_automatic_partition_prior():
    app = run(AppTest.from_function(own_table_on_explore, default_timeout=600))
    assert app.selectbox(key="run.method").value == "mapdp"
    finished = shown(run_again(app))
    assert finished.settings.algorithm == "mapdp" and finished.config.partition == AUTOMATIC_PARTITION
    assert len(np.unique(finished.trace.result_labels)) == 2
    assert "This is the automatic choice" in said(app)
    first, second = (finished.prepared.X[finished.trace.result_labels == label, 0].mean() for label in (0, 1))
    told = plain(said(app.main))
    assert "Result: 2 clusters in 80 rows: cluster 1 has 40 rows" in told
    assert all(f"x1 {short(mean)}" in told for mean in (first, second))  # the column that tells them apart comes first
    set_to(app, "run.method", "kmeans")  # the reader's choice stays
    run(app)
    assert app.selectbox(key="run.method").value == "kmeans"
    app.session_state["data choice"] = SMALL
    run(app)
    set_to(app, "run.method", "mapdp")
    assert shown(run_again(app)).config.partition == dpviz.ChineseRestaurant(3.0)  # of a scenario, as in the lessons
    assert "This is the automatic choice" not in said(app)


def test_after_a_lesson_a_table_of_ones_own_begins_with_mapdp():
    app = open_page()
    assert app.selectbox(key="run.method").value == "kmeans"
    own = AppTest.from_function(own_table_on_explore, default_timeout=600)
    for key in ("settings",):
        own.session_state[key] = app.session_state[key]
    assert run(own).selectbox(key="run.method").value == "mapdp"


# where the playhead stands


def test_a_new_run_opens_where_its_result_is():
    app = open_page(**links.state_query(SMALL, QUICK))
    assert app.session_state["explore"].sweep == shown(app).trace.n_sweeps
    set_to(app, "run.seed", 6)
    assert app.session_state["explore"].sweep == shown(app).trace.n_sweeps


def test_a_change_at_sweep_0_shows_the_new_result():
    app = open_page(**links.state_query(SMALL, QUICK, sweep=0))
    assert app.session_state["explore"].sweep == 0
    set_to(app, "run.seed", 6)
    assert app.session_state["explore"].sweep == shown(app).trace.n_sweeps > 0


def test_a_new_run_opens_at_the_same_fraction():
    app = open_page(**links.state_query(SMALL, CHAIN, sweep=15))
    set_to(app, "run.n_sweeps", 100)
    assert shown(app).trace.n_sweeps == 100 and app.session_state["explore"].sweep == 25


def test_the_playhead_survives_other_pages():
    app = run(in_app(**links.state_query(SMALL, QUICK, sweep=2)))
    run(go_to(app, "data"))
    run(go_to(app, "explore"))
    assert app.session_state["explore"].sweep == 2


# every method, several data sets


@pytest.mark.parametrize("name", ["galaxies", "iris", "wine", "house_votes_84", "old_faithful"])
def test_defaults_work_on_bundled_data(name):
    app = open_page(data=DataChoice("bundled", name, scaling="standardise"))
    for method in METHODS:
        set_to(app, "run.method", method)
        finished = shown(run_again(app))
        assert method_of(finished.config) == METHODS[method] and not is_stale(app) and not app.error
        assert finished.choice.name == name and finished.trace.n_sweeps >= 1
        assert finished.settings == default_config(method, finished.prepared)
        whole = dpviz.run(finished.prepared.X, finished.config)
        assert_array_equal(finished.trace.labels, whole.labels)


@pytest.mark.parametrize("name", ["zoo", "soybean_307"])
def test_em_copes_with_columns_that_do_not_vary_inside_a_cluster(name):
    choice = DataChoice("bundled", name, scaling="standardise")
    trace = dpviz.run(prepare(choice).X, RunConfig("em", n_init=3))
    assert np.isfinite(trace.objective).all() and trace.n_clusters[-1] == 3


def test_sixty_columns():
    name = max(datasets.names(), key=lambda name: datasets.load(name).n_features)
    assert datasets.load(name).n_features >= 30
    app = open_page(data=DataChoice("bundled", name, scaling="standardise"))
    for method in METHODS:
        set_to(app, "run.method", method)
        config = shown(run_again(app)).config
        assert method_of(config) == METHODS[method] and not app.error
        assert config.family == "normal_gamma" or not ALGORITHMS[config.algorithm].uses_model


FAMILY_DATA = {
    "exponential": "coal_mining_intervals",
    "categorical": "soybean_307",
    "binomial": "house_votes_84",
    "poisson": "horse_kicks",
    "geometric": "london_times_deaths",
    "negative_binomial": "london_times_deaths",
    "hurdle": "coal_mining_intervals",
    "mixed": "heart_cleveland",
}


@pytest.mark.parametrize("family", FAMILY_DATA)
def test_every_family_runs_plays_and_explains(family):
    choice = DataChoice("bundled", FAMILY_DATA[family])
    config = RunConfig("mapdp", family=family, n_init=2, prior=None, effort=0.1)
    config = config.with_kinds(prepare(choice).dataset.kinds)
    app = run_again(open_page(**links.state_query(choice, config, sweep=1)))
    finished = shown(app)
    assert finished.config == config and not app.error and not app.warning
    payload = build_payload([panel(finished.prepared, finished.trace, "run")])
    arrays = read_header(payload)["panels"][0]["arrays"]
    assert ("curve_values" in arrays) == (finished.prepared.X.shape[1] == 1), (
        "bars or a density, where there is an axis"
    )
    app.session_state["explore"].point, app.session_state["why arithmetic"] = 3, True
    run(app)
    assert "Why is point 3 in" in said(app) and len(app.get("latex")) == 1 and not app.warning
    press(app, "slow")
    assert app.session_state["explore"].slow[1].sweep == 1


@pytest.mark.parametrize("family", [family for family in FAMILY_DATA if family != "mixed"])
def test_a_link_to_a_family_that_data_cannot_have_brings_its_message(family):
    def control():
        return next(box for box in app.selectbox if str(box.key).startswith("run.family."))

    choice = DataChoice("bundled", "wine", scaling="standardise")
    app = open_page(**links.state_query(choice, RunConfig("mapdp", family=family, n_init=1, prior=None, effort=0.1)))
    assert f"for family = '{family}' it must be" in " ".join(plain(error.value) for error in app.error)
    assert control().value == family and len(control().options) == 7
    settled(run(control().set_value("normal_gamma")))
    run(app)
    assert not app.error and len(control().options) == 6
    assert "(need whole numbers ≥ 0)" in control().help


def test_controls_give_a_mixed_table_the_kinds_of_its_columns():
    choice = DataChoice("bundled", "heart_cleveland")
    short = usual_config(n_init=1, effort=0.1)
    app = open_page(**links.state_query(choice, short))
    box = next(box for box in app.selectbox if str(box.key).startswith("run.family."))
    app = run_again(settled(run(box.set_value("mixed"))))
    slider = next(s for s in app.select_slider if str(s.key).endswith("mixed.binomial_beta0"))
    assert not [s for s in app.select_slider if "exponential" in str(s.key)], "no column holds durations"
    app = run_again(settled(run(slider.set_value(2.0))))
    config = shown(app).config
    assert config.kinds == prepare(choice).dataset.kinds and not app.error and "all count as real" not in said(app)
    default = Problem.check(prepare(choice).X, replace(config, prior=None)).family
    assert_allclose(config.prior_dict["binomial_beta0"], 2 * default.binomial_beta0)


def test_a_scaled_table_s_columns_all_count_as_real_and_the_page_says_so():
    choice = DataChoice("bundled", "heart_cleveland", scaling="standardise")
    app = open_page(**links.state_query(choice, usual_config(family="mixed", n_init=1)))
    assert "Scaled columns all count as real" in said(app) and not app.error
    assert shown_run(run_again(app)).config.prior is None


def test_counts_codes_and_durations_stay_in_their_units():
    counted = {name for family, name in FAMILY_DATA.items() if family != "mixed"}
    assert {default_scaling(name) for name in counted} == {"none"}
    assert {default_scaling(name) for name in ("wine", "galaxies", "heart_cleveland")} == {"standardise"}


# what is shown belongs to what is set


def test_a_quick_change_runs_by_itself():
    app = open_page(**links.state_query(SMALL, QUICK))
    first = shown(app)
    set_to(app, "run.seed", 6)
    assert shown(app).config == replace(QUICK, seed=6) and shown(app) is not first and not is_stale(app)
    assert app.button(key="run.go").disabled and app.button(key="run.go").label == "The picture is up to date"


def test_the_dice_give_another_seed():
    app = open_page(**links.state_query(SMALL, QUICK))
    press(app, "run.dice")
    assert shown(app).config.seed == app.number_input(key="run.seed").value != 5
    assert replace(shown(app).config, seed=5) == QUICK


def test_a_long_change_waits_and_the_picture_keeps_its_own_parameters(
    monkeypatch,
):
    gated_runs(monkeypatch)
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 2e9)
    monkeypatch.setattr(jobs, "UNASKED_OPERATIONS", 2e9)
    app = open_page(**links.state_query(SMALL, replace(QUICK, n_init=1)))
    assert shown(app).config.algorithm == "mapdp"
    set_to(app, "run.method", "gibbs")
    before = shown(app)
    assert before.config.algorithm == "gibbs"
    set_to(app, "run.n_sweeps", 500_000)
    assert shown(app) is before and before.config.n_sweeps != 500_000 and is_stale(app)
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 1e5)  # what is done before the page is drawn again is not the point
    press(app, "run.go")
    assert computing(app, "explore") is not None and not is_stale(app)
    assert computing(app, "explore").task.config.n_sweeps == 500_000


def test_a_long_run_is_shown_while_it_computes_and_can_be_stopped(monkeypatch):
    gate = held_back(monkeypatch)
    app = open_page(**links.state_query(SMALL, CHAIN))
    assert shown_run(app) is None and "waits for you" in app.info[0].value
    press(app, "run.go")
    work = computing(app, "explore")
    assert players(app) == 1 and len(app.get("progress")) == 1
    done = work.look().n_sweeps
    gate.release(3)
    until(app, lambda _: work.look().n_sweeps > done)
    assert players(app) == 1 and len(app.get("progress")) == 1
    press(app, "stop")
    gate.release()
    finished = shown(settled(app))
    assert finished.stopped and done < finished.trace.n_sweeps < CHAIN.n_sweeps
    assert NOT_TRIED in said(app)
    assert "Stopped early" in said(app.main)
    app.session_state["take"] = True
    run(app)
    assert "The link and the Python code make the whole run" in said(app.main) and "exact state" not in said(app.main)
    assert app.code[-1].value.startswith("# The whole run")
    assert app.button(key="run.go").label == "Run to the end" and not app.button(key="run.go").disabled


def test_run_to_the_end_goes_on_where_it_was_stopped(monkeypatch):
    gate = held_back(monkeypatch)
    app = open_page(**links.state_query(SMALL, CHAIN))
    press(app, "run.go")
    work = computing(app, "explore")
    done = work.look().n_sweeps
    gate.release(3)
    until(app, lambda _: work.look().n_sweeps > done)
    press(app, "stop")
    gate.release()
    before = shown(settled(app)).trace
    press(app, "run.go")
    assert computing(app, "explore") is work and not work.stopped
    gate.release(10_000)
    after = shown(settled(app))
    assert not after.stopped and after.trace.n_sweeps == CHAIN.n_sweeps
    assert_array_equal(after.trace.labels[: len(before.labels)], before.labels)
    assert after.trace.seconds[: len(before.seconds)].tolist() == before.seconds.tolist()  # these were not done again
    assert_array_equal(after.trace.labels, dpviz.run(after.prepared.X, CHAIN).labels)


@pytest.mark.parametrize("wanted", ["another method", "an earlier run", "a lesson"])
def test_a_long_run_is_among_the_runs_of_the_session_when_another_is_wanted(monkeypatch, wanted):
    gate = gated_runs(monkeypatch)
    app = open_page(**links.state_query(SMALL, QUICK))
    monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 1e5)
    long = replace(CHAIN, n_sweeps=jobs.MOST_SWEEPS)
    app.query_params.update(links.state_query(SMALL, long))
    run(app)
    press(app, "run.go")
    work = computing(app, "explore")
    assert work.task.config == long
    gate.release(3)
    until(app, lambda _: work.look().n_sweeps >= 3)
    if wanted == "another method":
        monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 1e9)
        set_to(app, "run.method", "kmeans")
    elif wanted == "an earlier run":
        app.session_state["explore"].restored = app.session_state["runs of this session"].values()[0]
        run(app)
    else:
        monkeypatch.setattr(jobs, "QUICK_OPERATIONS", 1e9)
        open_lesson(app, lesson("Galaxies")[1])
    gate.release(10_000)
    until(app, lambda _: not app.session_state["explore"].left)
    kept = [finished for finished in app.session_state["runs of this session"].values() if finished.config == long]
    assert len(kept) == 1 and kept[0].stopped and kept[0].trace.n_sweeps >= 3
    assert "is among the runs of this session" in app.toast[0].value
    assert shown(settled(app)).config != long


def test_a_search_that_is_over_goes_on_when_it_is_asked_for():
    config = usual_config(effort=0.25, n_init=2, seed=3)
    app = settled(open_page(**links.state_query(SMALL, config)))
    before, search = shown(app), app.session_state["explore"].search
    assert before.config == config and "did the work of" in said(app.main)
    done = search.iterated.n_trials
    settled(press(app, "run.longer"))
    after = shown(app)
    assert after.config == replace(config, effort=1.0) and app.session_state["explore"].search is search
    assert search.iterated.n_trials > done and after.trace.n_trial_sweeps > before.trace.n_trial_sweeps
    whole = dpviz.run(after.prepared.X, after.config)
    assert_array_equal(after.trace.labels, whole.labels)
    assert after.trace.nll.tolist() == whole.nll.tolist() and after.trace.nll[-1] <= before.trace.nll[-1]
    assert app.slider(key="run.effort").value == 1.0


@pytest.mark.parametrize("options", [{"init": "random"}, {"effort": 0.0}, {"max_sweeps": 1}])
def test_no_search_is_offered_to_go_on_where_there_was_none(options):
    app = settled(open_page(**links.state_query(SMALL, usual_config(**options))))
    assert not any(button.key == "run.longer" for button in app.button)


def test_a_page_that_is_loaded_again_finds_the_run_it_left(monkeypatch):
    gate = held_back(monkeypatch)
    app = open_page(**links.state_query(SMALL, CHAIN))
    press(app, "run.go")
    work = computing(app, "explore")
    watched = run(page("explore", **links.state_query(SMALL, CHAIN)))
    assert computing(watched, "explore") is None and "waits for you" in watched.info[0].value  # not taken from others
    monkeypatch.setattr(work, "_is_open", lambda: False)  # its page is closed
    again = run(page("explore", **links.state_query(SMALL, CHAIN)))
    assert computing(again, "explore") is work
    gate.release(10_000)
    assert shown(settled(again)).trace.n_sweeps == CHAIN.n_sweeps
    behind_the_link = open_page(**links.state_query(SMALL, CHAIN))
    assert shown(behind_the_link).trace is shown(again).trace


def test_notices_stay_until_they_are_put_away():
    app = open_page(data="{}x")
    for _ in range(3):
        assert "could not be restored" in warnings(run(app))
    press(app, "link notice 0")
    assert "could not be restored" not in warnings(app)


def test_a_damaged_link_is_spoken_of_in_plain_words():
    said_of = plain(warnings(open_page(data="{broken", run="zzz")))
    assert "The link's data part cannot be read" in said_of and "A part of it may be missing; copy it again." in said_of
    assert "char 0" not in said_of


def test_other_axes_are_not_another_run():
    app = open_page(**links.state_query(SMALL, QUICK))
    before = shown(app)
    app.session_state["data choice"] = replace(SMALL, axes=("x2", "x1"))
    run(app)
    assert shown(app).trace is before.trace and shown(app).choice.axes == ("x2", "x1")
    assert len(app.session_state["runs of this session"]) == 1


def test_impossible_settings_are_explained_and_can_be_changed():
    impossible = replace(QUICK, partition=dpviz.FiniteDirichlet(1.0, 2), init="random", init_clusters=50)
    app = open_page(**links.state_query(SMALL, impossible))
    assert "at most 2" in app.error[0].value and shown_run(app) is None
    set_to(app, "run.partition", "chinese_restaurant")
    assert not app.error and shown(app).config.partition == dpviz.ChineseRestaurant(3.0)


def test_data_that_are_gone_are_replaced_with_a_notice():
    app = open_page()
    app.session_state["data choice"] = DataChoice("session", "gone")
    run(app)
    assert "no longer here" in app.main.warning[0].value
    assert shown(app).choice == DataChoice() and not app.error


def test_controls_keep_their_values_over_other_pages():
    app = run(in_app(**links.state_query(SMALL, QUICK)))
    set_to(app, "run.partition.chinese_restaurant.concentration", 7.0)
    before = shown(app)
    run(go_to(app, "data"))
    run(go_to(app, "explore"))
    assert shown(app).trace is before.trace and not is_stale(app)
    assert shown(app).config.partition == dpviz.ChineseRestaurant(7.0)
    assert app.number_input(key="run.seed").value == 5


def test_priors_of_shapes_reach_the_run():
    app = open_page(**links.state_query(SMALL, QUICK))
    key = next(slider.key for slider in app.select_slider if slider.key.endswith("normal_wishart.psi0"))
    set_to(app, key, 0.1)
    prior = shown(app).config.prior_dict
    expected = dpviz.families.FAMILIES["normal_wishart"].default_prior(shown(app).prepared.X)["psi0"] * 0.1
    assert prior is not None and list(prior) == ["psi0"]
    assert_allclose(prior["psi0"], expected)


def test_splits_and_merges_are_offered_to_gibbs_at_temperature_one_and_their_acceptance_is_shown():
    app = open_page(**links.state_query(SMALL, CHAIN))
    assert "Splits and merges" not in said(app)
    set_to(app, "run.split_merge", 3)
    trace = shown(app).trace
    assert trace.config == replace(CHAIN, split_merge=3)
    share = trace.n_accepted.sum() / 180
    assert f"Splits and merges: {share:.2%} of 180 proposals accepted ({trace.n_accepted.sum()})." in said(app)
    set_to(app, "run.temperature.gibbs", 0.5)
    assert shown(app).config.split_merge == 0 and "Splits and merges" not in said(app)
    assert all(field.key != "run.split_merge" for field in app.number_input)


def width_slider(app):
    return next(slider for slider in app.select_slider if slider.key.endswith("normal_wishart.width"))


def test_the_width_comes_first_and_scales_the_other_sliders():
    app = open_page(**links.state_query(SMALL, QUICK))
    own = [slider.key.rsplit(".", 1)[1] for slider in app.select_slider if ".normal_wishart." in slider.key]
    assert own == ["width", "c0", "a0", "psi0"] and width_slider(app).value == 1
    assert shown(app).config.prior is None
    set_to(app, width_slider(app).key, 0.05)
    assert shown(app).config.prior_dict == {"width": 0.05}
    assert next(slider.value for slider in app.select_slider if slider.key.endswith("wishart.c0")) == 0.005


def test_a_width_travels_by_link_and_stays_on_its_slider():
    app = open_page(**links.state_query(SMALL, replace(QUICK, prior={"width": 1 / 64})))
    assert width_slider(app).value == 1 / 64 and shown(app).config.prior_dict == {"width": 1 / 64}
    assert not any("hyperparameters came with a link" in info.value for info in app.info)


@pytest.mark.parametrize("width", [9.0, [0.5, 0.5]])
def test_a_width_that_cannot_be_is_explained_and_can_be_left(width):
    app = open_page(**links.state_query(SMALL, replace(QUICK, prior={"width": width})))
    assert "must be a number" in app.error[0].value and shown_run(app) is None
    run(next(button for button in app.button if button.label == "Use the data's own instead").click())
    assert not app.error and shown(run_again(app)).settings.prior == "auto"


def test_by_default_family_and_width_are_chosen_and_told_until_they_are_set_by_hand():
    app = run_again(open_page(**links.state_query(SMALL, AUTOMATIC)))
    first = shown(app)
    assert first.settings == AUTOMATIC and first.config == resolve(first.prepared.X, AUTOMATIC).config
    assert f"Chosen by nll: {words_for(first.config)}." in said(app.main)
    family = next(box.key for box in app.selectbox if str(box.key).startswith("run.family."))
    assert app.selectbox(key=family).value == "auto"
    run_again(set_to(app, family, "normal_wishart"))
    assert shown(app).settings.prior == "auto" and width_slider(app).value == "auto"
    assert "Chosen by nll: Normal, full covariance, width" in said(app.main)
    run_again(set_to(app, width_slider(app).key, 0.5))
    assert shown(app).settings.prior_dict == {"width": 0.5} and "Chosen by nll" not in said(app.main)


def test_searching_longer_goes_on_with_what_was_chosen():
    app = run_again(open_page(**links.state_query(SMALL, replace(AUTOMATIC, init="auto", effort=0.02))))
    chosen = shown(app).config
    settled(press(app, "run.longer"))
    assert (shown(app).config.family, shown(app).config.prior) == (chosen.family, chosen.prior)
    assert shown(app).config.effort > chosen.effort and not app.error


# learned hyperparameters


LEARNING = usual_config("gibbs", n_sweeps=30, burn_in=10, seed=3)


def test_a_chain_learns_when_it_is_told_to_and_shows_what():
    app = run_again(open_page(**links.state_query(SMALL, LEARNING)))
    control = "run.partition.chinese_restaurant.concentration"
    assert shown(app).config.hyperpriors is None and "What was learned" not in [box.label for box in app.expander]
    run_again(set_to(app, f"{control}.learn", True))
    usual = dpviz.Gamma(1, 0.3)
    assert shown(app).config == replace(LEARNING, hyperpriors={"concentration": usual})
    assert f"N0 is {usual.mean:.3g} on average" in said(app)
    expected = mean_n_clusters_under(dpviz.ChineseRestaurant(3.0), {"concentration": usual}, len(shown(app).prepared.X))
    assert f"expects {expected:.3g} clusters" in said(app)
    run_again(set_to(app, f"{control}.law.shape", 2.0))
    trace = shown(app).trace
    assert trace.config.hyperpriors == (("concentration", dpviz.Gamma(2, 0.3)),)
    assert "What was learned of N0" in [box.label for box in app.expander]
    kept = trace.hyperparameters["concentration"][11:]
    assert f"Concentration N0: mean {kept.mean():.4g} of 20 sweeps" in said(app)
    run_again(set_to(app, f"{control}.learn", False))
    assert shown(app).config == LEARNING and not app.error


def test_a_powered_restaurant_learns_up_to_as_many_points_as_its_normaliser_allows():
    powered = replace(LEARNING, partition=dpviz.PoweredChineseRestaurant(1.0, 0.9))
    control = "run.partition.powered.power"
    app = run_again(open_page(**links.state_query(SMALL, powered)))
    run_again(set_to(app, f"{control}.learn", True))
    law = dpviz.Shifted(1, dpviz.Gamma(1, 10))
    assert shown(app).config.hyperpriors == (("power", law),) and shown(app).config.partition.power == law.mean
    many = DataChoice("synthetic", "elliptical_overlap").with_options(n=3001)
    app = open_page(**links.state_query(many, powered))
    assert control in [slider.key for slider in app.slider]
    assert f"{control}.learn" not in [toggle.key for toggle in app.toggle]


# history, names, slow motion


def test_the_list_of_runs_has_the_result_of_a_chain_rather_than_its_end():
    asked = {"version": "8", "algorithm": "gibbs", "family": "normal_wishart", "n_sweeps": "200", "burn_in": "50"}
    app = opened("explore", data=DataChoice("bundled", "iris"), run=asked)
    trace = shown_run(app).trace
    sweep = trace.result_sweep
    assert trace.nll[sweep] != trace.nll[-1]
    assert f"K = {trace.n_clusters[sweep]}, 200 sweeps, nll {trace.nll[sweep]:,.1f}" in said(app.main)
    close(app)


def test_one_click_back_and_the_way_forward():
    app = open_page(**links.state_query(SMALL, QUICK))
    first = shown(app)
    set_to(app, "run.seed", 6)
    second = shown(app)
    assert "Changed: seed: 5 → 6" in said(app.main)
    press(app, "history.1")
    assert shown(app) is first and app.number_input(key="run.seed").value == 5 and not is_stale(app)
    assert app.session_state["runs of this session"].values() == [second, first]


def test_going_back_over_other_data_and_methods():
    app = open_page(**links.state_query(SMALL, QUICK))
    first = shown(app)
    open_lesson(app, lesson("Galaxies")[1])
    settled(app)
    press(app, "history.1")
    assert shown(app) is first and not is_stale(app) and app.selectbox(key="run.method").value == "mapdp"
    assert app.segmented_control(key="data.source").value == "synthetic"


def test_clusters_can_be_named_and_keep_their_names():
    app = open_page(**links.state_query(SMALL, QUICK))
    assert not app.text_input  # nothing is drawn in a panel that nobody has opened
    app.session_state["cluster names"] = True
    run(app)
    field = app.text_input[0]
    field.set_value("  the wide one ")
    run(app)
    assert dict(shown(app).names) == {1: "the wide one"}
    set_to(app, "run.seed", 6)
    assert dict(shown(app).names) == {}
    press(app, "history.1")
    assert dict(shown(app).names) == {1: "the wide one"} and app.text_input[0].value == "the wide one"
    run(app.text_input[0].set_value(""))
    assert dict(shown(app).names) == {}


def test_slow_motion_is_prepared_for_the_sweep_of_the_playhead():
    app = open_page(**links.state_query(SMALL, QUICK, sweep=2))
    assert app.button(key="slow").label == "Slow motion of sweep 2"
    press(app, "slow")
    trace, slow = app.session_state["explore"].slow
    assert trace is shown(app).trace and slow.sweep == 2


def test_no_slow_motion_where_the_state_before_was_not_kept():
    app = open_page(**links.state_query(SMALL, usual_config("gibbs", n_sweeps=20, burn_in=2, thin=5), sweep=4))
    assert app.button(key="slow").disabled


def test_moves_of_whole_clusters_are_described_and_have_no_slow_motion():
    wine, config = DataChoice("bundled", "wine"), usual_config(seed=1, effort=0.2)
    trace = dpviz.run(prepare(wine).X, config)
    (first, _), (last, _) = trace.moves[0], trace.moves[-1]
    app = run_again(open_page(**links.state_query(wine, config, sweep=first)))
    assert f"Sweeps {first} to {last} moved whole clusters" in said(app.main)
    assert moves_in_words(trace) in said(app.main)
    assert app.button(key="slow").disabled
    before = run_again(open_page(**links.state_query(wine, config, sweep=first - 1)))
    assert not before.button(key="slow").disabled


def test_why_is_asked_about_a_point():
    app = open_page(**links.state_query(SMALL, QUICK))
    assert "Click a point" in app.main.info[0].value
    app.session_state["explore"].point = 17
    run(app)
    for sweep in (app.session_state["explore"].sweep, 1):  # the question follows the playhead
        app.session_state["link sweep"] = sweep
        run(app)
        table = dpviz.explain_assignment(shown(app).prepared.X, shown(app).trace, sweep, 17)
        finite = table["total"][np.isfinite(table["total"])]
        lowest = table[["neg_log_predictive", "neg_log_weight"]][np.isfinite(table["total"])].min().sum()
        assert_allclose(app.dataframe[0].value["total"], np.sort(finite) - lowest)  # on the bars' scale
        assert f"after sweep {sweep}?" in said(app.main)
        assert not app.get("latex") and not app.main.get("plotly_chart")  # all of this at every move of the playhead
    assert any("Why is point 17" in text.value for text in app.main.markdown)


# links


@pytest.mark.parametrize(
    ("choice", "config", "sweep"),
    [
        (SMALL, QUICK, 2),
        (
            SMALL.with_options(seed=9),
            usual_config("gibbs", partition=dpviz.PoweredChineseRestaurant(0.7, 1.23), n_sweeps=30, burn_in=3),
            11,
        ),
        (
            SMALL,
            usual_config("gibbs", partition=dpviz.PitmanYor(0.31, 0.27), n_sweeps=25, burn_in=3, temperature=0.333),
            5,
        ),
        (SMALL, RunConfig("mapdp", prior={"c0": 0.123, "psi0": np.eye(2)}, family="normal_wishart", n_init=1), 1),
        (
            replace(SMALL, scaling="standardise", axes=("x2", "x1")),
            usual_config(init="random", init_clusters=7, order="shuffled", n_init=1, max_sweeps=33),
            3,
        ),
        (DataChoice("bundled", "galaxies"), RunConfig("dpmeans", penalty=13.37, sweep="until_birth"), 2),
        (
            DataChoice("bundled", "wine", scaling="robust", n_components=3, whiten=True),
            RunConfig("kmeans", n_clusters=5, init="random", n_init=2, seed=2**32 - 1),
            1,
        ),
        (DataChoice("bundled", "old_faithful"), RunConfig("em", n_components=2, n_init=1, max_sweeps=50), 3),
        (
            SMALL,
            usual_config(
                "gibbs", partition=dpviz.FiniteDirichlet(2.0, 5), sampler="explicit_weights", n_sweeps=9, burn_in=1
            ),
            4,
        ),
        (
            SMALL,
            usual_config(
                "gibbs",
                n_sweeps=12,
                burn_in=4,
                partition=dpviz.PitmanYor(0.7, 0.3),
                hyperpriors={"concentration": "0.25+gamma(2.5,1.7)", "discount": "beta(1,3)"},
            ),
            3,
        ),
    ],
    ids=["mapdp", "pcrp", "pitman-yor", "prior", "start", "dpmeans", "kmeans", "em", "finite", "learned"],
)
def test_a_link_restores_everything(choice, config, sweep):
    query = dict(parse_qsl(links.link(choice, config, sweep).removeprefix("?"), strict_parsing=True))
    app = open_page(**query)
    run_again(app)
    assert not app.warning and not app.error
    assert shown(app).choice == choice and shown(app).config == config
    assert_array_equal(shown(app).trace.labels, dpviz.run(prepare(choice).X, config).labels)
    assert app.session_state["explore"].sweep == min(sweep, shown(app).trace.n_sweeps)
    again = open_page(data=address(app, "data"), run=address(app, "run"))  # after the run, in a fresh session
    assert shown(run_again(again)).choice == choice and shown(again).config == config


def test_a_link_to_settings_without_a_control_says_so():
    app = open_page(**links.state_query(SMALL, replace(QUICK, init=np.arange(100) % 4)))
    assert "cannot be made here" in warnings(app)
    assert isinstance(shown(app).config.init, str)


DEEP = "[" * 50_000


def as_run(options: dict[str, Any]) -> str:
    return json.dumps({"version": "8", **options})


HOSTILE = {
    "not json": {"data": "<script>alert(1)</script>", "run": "%%%", "sweep": "-1"},
    "not objects": {"data": "[]", "run": "7", "sweep": "1e9"},
    "deep": {"data": DEEP, "run": DEEP, "sweep": "9" * 400},
    "long": {"data": "x" * 200_001, "run": '{"algorithm":"' + "y" * 200_001 + '"}'},
    "unknown data": {"data": json.dumps({"source": "bundled", "name": "../../etc/passwd"})},
    "unknown source": {"data": json.dumps({"source": "https://example.org", "name": "x"})},
    "unknown fields": {"data": json.dumps({"source": "bundled", "name": "iris", "evil": 1})},
    "unknown options": {"data": json.dumps({"source": "synthetic", "name": "crp_mixture", "options": {"evil": 1}})},
    "options of another kind": {"data": json.dumps({"source": "synthetic", "name": "crp_mixture", "options": [1]})},
    "huge N": {"data": json.dumps({"source": "synthetic", "name": "crp_mixture", "options": {"n": 10**9}})},
    "N beyond links": {"data": json.dumps({"source": "synthetic", "name": "crp_mixture", "options": {"n": 10**6}})},
    "negative N": {"data": json.dumps({"source": "synthetic", "name": "crp_mixture", "options": {"n": -5}})},
    "N as text": {"data": json.dumps({"source": "synthetic", "name": "crp_mixture", "options": {"n": "5"}})},
    "another session": {"data": json.dumps({"source": "session", "name": "abc"})},
    "axes of another kind": {"data": json.dumps({"source": "bundled", "name": "iris", "axes": 5})},
    "unknown algorithm": {"run": as_run({"algorithm": "rm -rf"})},
    "unknown option": {"run": as_run({"algorithm": "mapdp", "evil": "1"})},
    "K of another kind": {"run": as_run({"algorithm": "kmeans", "n_clusters": "[1]"})},
    "NaN": {"run": as_run({"algorithm": "dpmeans", "penalty": "NaN"})},
    "infinite": {"run": as_run({"algorithm": "dpmeans", "penalty": "1e999"})},
    "seed": {"run": as_run({"algorithm": "mapdp", "seed": "-1"})},
    "unknown prior": {"run": as_run({"algorithm": "mapdp", "partition": '{"name":"evil"}'})},
    "nested": {"run": as_run({"algorithm": {"a": 1}})},
    "unknown law": {"run": as_run({"algorithm": "gibbs", "hyperpriors": '{"concentration":"__import__(1,1)"}'})},
    "law of another kind": {"run": as_run({"algorithm": "gibbs", "hyperpriors": "[[1]]"})},
    "law of mapdp": {"run": as_run({"algorithm": "mapdp", "hyperpriors": '{"concentration":"gamma(1,1)"}'})},
}


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_links_get_defaults_and_a_notice(query):
    app = open_page(**query)
    assert "could not be restored" in warnings(app) or "links may ask" in warnings(app)
    assert not re.search(r"__\w+__|\w\(\)|Error|Traceback|object at 0x", warnings(app))
    assert shown(app).trace.n_sweeps >= 1 and not app.error


def test_a_link_of_a_megabyte_gets_defaults():
    app = open_page(data="x" * 1_000_000, run="y" * 1_000_000)
    assert shown(app).config == PRESETS[0].config and not app.error


@pytest.mark.parametrize(
    "config",
    [
        {"algorithm": "gibbs", "n_sweeps": "10000000", "thin": "1000000"},
        {"algorithm": "mapdp", "n_init": "10000"},
        {"algorithm": "kmeans", "n_clusters": "3000", "n_init": "10000"},
        {"algorithm": "em", "n_components": "2000"},
        {"algorithm": "mapdp", "partition": '{"kind":"chinese_restaurant","concentration":1e9}'},
        {"algorithm": "mapdp", "init": "singletons", "effort": "0"},  # which has no search to shorten
        {"algorithm": "dpmeans", "penalty": "1e-9"},
        {
            "algorithm": "gibbs",
            "n_sweeps": "400",
            "hyperpriors": '{"power":"1+gamma(1,10)"}',
            "partition": '{"kind":"powered","concentration":1.0,"power":1.1}',
        },
    ],
    ids=lambda config: config["algorithm"],
)
def test_no_link_starts_a_long_run(config):
    data = DataChoice("synthetic", "crp_mixture").with_options(n=4000)
    link = as_run({"family": "normal_wishart", "prior": "null", **config})  # else short runs begin, beside the page too
    app = run(page("explore", data=data, run=link))  # a long run would go on beside it
    assert shown_run(app) is None or shown(app).trace.n_sweeps < 500
    assert computing(app, "explore") is None


@pytest.mark.parametrize("options", [{"prior": '[["m0",[1]]]'}, {"prior": '[["psi0",[[1,2],[3,-4]]]]'}])
def test_priors_that_do_not_fit_the_data_are_explained(options):
    app = open_page(data=SMALL, run=as_run({"algorithm": "mapdp", **options}))
    assert app.error and shown_run(app) is None


def test_what_is_taken_away_is_drawn_on_opening_and_keeps_its_values_when_closed(runs_of_others):
    app = open_page(**links.state_query(SMALL, QUICK))
    assert not app.code and not app.get("download_button")
    app.session_state[export_panel.OPEN] = True
    run(app)
    assert len(app.code) == 2 and len(app.get("download_button")) == 5
    settled(press(app, "take.report.make"))
    assert len(app.get("download_button")) == 6  # the report is made when it is asked for, and then there to be taken
    set_to(app, "csv.every", True)
    for is_open in (False, True):
        app.session_state[export_panel.OPEN] = is_open
        run(app)
        assert app.toggle(key="csv.every").value


@pytest.mark.parametrize("layout", ["min", "present", "full", "<evil>", ""])
def test_layouts(layout):
    app = open_page(ui=layout)
    assert shown(app).config == PRESETS[0].config
    headings = [text.value for text in app.main.markdown if text.value.startswith("####")]
    assert bool(headings) == (layout != "min")
    assert bool(app.main.expander) == (layout != "min")
    styles = " ".join(html.proto.body for html in app.get("html"))
    assert ("stSidebar" in styles) == (layout == "min") and ("font-size: 125%" in styles) == (layout == "present")


def test_a_run_in_which_nothing_moves_says_why_and_offers_one_that_can_be_watched():
    choice = DataChoice("bundled", "ruspini")
    config = RunConfig("mapdp", family="auto", prior="auto", partition="auto", effort=0.0)
    app = opened_in_app(**links.state_query(choice, config, 0))
    still = shown_run(app)
    assert still.trace.n_moved.sum() == 0
    assert any("Found among" in text.value for text in app.caption)
    settled(press(app, "run.random"))
    watched = shown_run(app)
    assert watched.config.init == "random" and watched.trace.n_moved.sum() > 0
    assert not any("Found among" in text.value for text in app.caption)


def test_what_comes_before_a_run_is_announced_since_it_takes_seconds_for_large_tables(
    monkeypatch,
):
    shown: list[str] = []
    during: list[list[str]] = []

    @contextmanager
    def spinner(words):
        shown.append(words)
        yield
        shown.remove(words)

    begin = computation.start
    monkeypatch.setattr(st, "spinner", spinner)
    monkeypatch.setattr(computation, "start", lambda wanted: (during.append(list(shown)), begin(wanted)))
    app = open_page(data=SMALL, run=QUICK)
    assert during == [["Preparing the data and a first run …", "The run begins …"]]
    run(app)
    assert len(during) == 1
    settled(set_to(app, "run.seed", 6))
    assert during[1:] == [["The run begins …"]] and not shown  # the picture is there, and stays where it is
