"""Knobs at the picture, as far as Python knows them: which there are, what they set, and what a browser computes."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import dpviz
from dpviz.config import RunConfig
from dpviz.course.draws import N_DRAWS
from dpviz.errors import InvalidParameterError
from dpviz.live import Run, all_turned, draft_of, facts_of, knobs_of, shared_knobs, turned, values_of, why_not
from dpviz.live.facts import points_id
from dpviz.partition import ChineseRestaurant, PitmanYor, PoweredChineseRestaurant
from dpviz.ui.explore import edits, finished_run
from dpviz.ui.explore.showing import Opened, Showing
from dpviz.ui.live import lessons
from dpviz.ui.live.component import Rest, read_rest
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.stage.lessons import PRESETS

X = dpviz.datasets.synthesize("crp_mixture", 60, 3).X
FULL: dict[str, Any] = {"family": "normal_wishart", "prior": None}
RUNS = {
    "kmeans": (RunConfig("kmeans", n_clusters=4), {"n_clusters": 4}),
    "dpmeans": (RunConfig("dpmeans", penalty=6.0), {"penalty": 6.0}),
    "mapdp": (
        RunConfig("mapdp", family="normal_gamma", prior={"width": 0.25}, partition=ChineseRestaurant(2.0)),
        {"concentration": 2.0, "width": 0.25, "temperature": 0.0},
    ),
    "powered": (
        RunConfig("gibbs", **FULL, partition=PoweredChineseRestaurant(2.0, 1.2), n_sweeps=40, burn_in=5),
        {"concentration": 2.0, "power": 1.2, "width": 1.0, "temperature": 1.0},
    ),
    "pitman_yor": (
        RunConfig("gibbs", **FULL, partition=PitmanYor(2.0, 0.5), split_merge=1),
        {"concentration": 2.0, "discount": 0.5, "width": 1.0},
    ),
    "prior in full": (
        RunConfig("mapdp", family="normal_gamma", prior={"b0": np.ones(2)}),
        {"concentration": 3.0, "temperature": 0.0},
    ),
}


OF_THE_SERVER = {"em": (RunConfig("em", n_components=4), {"n_clusters": 4})}


@pytest.mark.parametrize("name", RUNS | OF_THE_SERVER)
def test_knobs_stand_where_the_run_does_and_set_what_they_say(name):
    config, expected = (RUNS | OF_THE_SERVER)[name]
    knobs = knobs_of(config, X)
    values = values_of(config, knobs)
    assert values == expected
    assert turned(config, config, values, knobs) == config
    for knob in knobs:
        assert knob.low is not None and knob.high is not None and knob.low <= values[knob.name] <= knob.high
        other = knob.high if values[knob.name] != knob.high else knob.low
        moved = turned(config, config, {**values, knob.name: other}, knobs)
        assert moved != config and values_of(moved, knobs) == {**values, knob.name: other}
    json.dumps([knob.written() for knob in knobs], allow_nan=False)


def test_a_turned_width_takes_the_family_that_was_chosen():
    asked = RunConfig("mapdp")
    config = RunConfig("mapdp", family="normal_gamma", prior={"width": 0.5})
    knobs = knobs_of(config, X)
    pinned = RunConfig("mapdp", family="normal_gamma", prior={"width": 0.25})
    assert turned(config, asked, {"width": 0.25}, knobs) == pinned
    along = turned(replace(config, directions=2), replace(asked, directions="auto"), {"width": 0.25}, knobs)
    assert along == replace(pinned, directions=2)
    other = RunConfig("mapdp", partition=ChineseRestaurant(7.0))
    assert turned(config, asked, {"concentration": 7.0, "unknown": 1.0}, knobs) == other


@pytest.mark.parametrize("value", [-1.0, "3", True, None, 1e400])
def test_a_value_that_is_none_is_refused(value):
    config = RUNS["mapdp"][0]
    knobs = knobs_of(config, X)
    with pytest.raises(InvalidParameterError, match="concentration"):
        turned(config, config, {**values_of(config, knobs), "concentration": value}, knobs)


@pytest.mark.parametrize("name", RUNS)
def test_a_draft_is_a_configuration_that_a_browser_computes(name):
    config, _ = RUNS[name]
    draft = RunConfig.from_dict(json.loads(json.dumps(draft_of(config, len(X)))))
    assert why_not(config, X) == "" == why_not(draft, X)
    assert draft.init == config.init and draft.split_merge == config.split_merge
    assert draft.n_sweeps <= 30 or not draft.algorithm == "gibbs"
    assert draft.partition == config.partition and draft.family == config.family and draft.seed == config.seed
    if config.algorithm != "gibbs":
        assert draft == config


def test_a_chain_begins_as_the_servers_does():
    config = RunConfig("gibbs", **FULL, n_sweeps=60, burn_in=9, split_merge=2, seed=4)
    draft = RunConfig.from_dict(draft_of(config, len(X)))
    first, whole = dpviz.run(X, draft), dpviz.run(X, config)
    assert first.n_sweeps == 30
    assert_array_equal(first.labels, whole.labels[:31])


@pytest.mark.parametrize(
    ("config", "data", "words"),
    [
        (RunConfig("em"), X, "E-M is computed on the server"),
        (RunConfig("kmeans"), np.zeros((5_001, 2)), "5,001 points .* up to 5,000"),
        (RunConfig("kmeans"), np.zeros((9, 31)), "31 columns .* up to 30"),
        (RunConfig("kmeans"), np.array([[1.0, np.nan]]), "missing cells"),
        (RunConfig("kmeans", n_clusters=1, init=np.zeros((1, 2))), X, "centres"),
        (RunConfig("mapdp", family="poisson"), X, "family"),
        (RunConfig("gibbs", **FULL, hyperpriors={"concentration": "gamma(1,0.3)"}), X, "learn"),
        (RunConfig("mapdp", **FULL, partition=dpviz.MixtureOfFiniteMixtures(1.0)), X, "partition prior"),
    ],
)
def test_what_stays_on_the_server_is_said_in_a_sentence(config, data, words):
    said = why_not(config, data)
    assert said.endswith(".") and said.count(".") == 1
    assert re.search(words, said)


def test_facts_are_plain_and_change_with_the_points():
    config, values = RUNS["mapdp"]
    facts = facts_of([Run(config, X)], np.arange(60) % 4, 7)
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert facts["values"] == values == facts["panels"][0]["values"]
    assert facts["n_groups"] == 4 and facts["answered"] == 7
    assert facts["points"] != facts_of([Run(config, X + 1e-12)], None)["points"]


def test_runs_at_the_same_value_share_a_knob_which_turns_them_all():
    asked = [
        RunConfig("kmeans", n_clusters=2),
        RunConfig("kmeans", n_clusters=3),
        RunConfig("em", n_components=3),
        RunConfig("mapdp", **FULL),
        RunConfig("gibbs", **FULL, partition=PoweredChineseRestaurant(3.0, 1.2)),
    ]
    runs = [Run(config, X) for config in asked]
    knobs = {shared.knob.name: shared for shared in shared_knobs(runs)}
    assert {name: shared.runs for name, shared in knobs.items()} == {
        "n_clusters-1": (0,),
        "n_clusters-2": (1, 2),
        "concentration": (3, 4),
        "power": (4,),
    }
    assert knobs["n_clusters-2"].paths == (("n_clusters",), ("n_components",))
    assert "of 2 and 3" in knobs["n_clusters-2"].knob.words and "of" not in knobs["concentration"].knob.words.split()
    made = all_turned(runs, asked, {"concentration": 7.0, "n_clusters-2": 5.0, "unknown": 1.0})
    partitions = [config.partition for config in made]
    assert [config.n_clusters for config in made[:2]] == [2, 5] and made[2].n_components == 5
    assert partitions[3:] == [ChineseRestaurant(7.0), PoweredChineseRestaurant(7.0, 1.2)]
    with pytest.raises(InvalidParameterError, match="concentration"):
        all_turned(runs, asked, {"concentration": -1.0})


def test_the_width_is_a_knob_of_several_runs_that_differ_in_it():
    runs = [Run(RunConfig("mapdp", family="normal_gamma", prior={"width": width}), X) for width in (0.5, 2.0)]
    assert [shared.parameter for shared in shared_knobs(runs)] == ["concentration", "width", "width"]
    assert [shared.parameter for shared in shared_knobs([runs[0], runs[0]])] == ["concentration"]


GOOD = {"player": "p", "points": "x", "number": 3, "values": {"n_clusters": 4}, "seed": 0, "tracks": ""}


@pytest.mark.parametrize(
    "bad",
    [
        None,
        3,
        [],
        {},
        {"player": 1},
        {"number": -1},
        {"number": True},
        {"seed": 2**32},
        {"values": [1]},
        {"values": {"k": float("nan")}},
        {"values": {"k": "4"}},
        {"values": {str(k): 1 for k in range(9)}},
    ],
)
def test_a_message_that_no_knob_sends_is_none(bad):
    event = {**GOOD, **bad} if isinstance(bad, dict) and bad else bad
    assert read_rest(event) is None


@pytest.mark.parametrize("tracks", ["!", "abc", "AAAA", "A" * 40_000, 7])
def test_numbers_of_clusters_that_cannot_be_read_are_none(tracks):
    rest = read_rest({**GOOD, "tracks": tracks})
    assert rest is not None and rest.tracks is None


def test_numbers_of_clusters_are_those_of_the_browser():
    numbers = np.array([0, 300, 2])
    rest = read_rest({**GOOD, "tracks": base64.b64encode(numbers.astype("<u2").tobytes()).decode()})
    assert rest is not None and rest.tracks is not None and rest.tracks.tolist() == numbers.tolist()
    assert rest.values == {"n_clusters": 4.0} and rest.number == 3


def test_a_run_keeps_the_colours_of_the_picture_before_it():
    choice = DataChoice("synthetic", "crp_mixture").with_options(n=60)
    prepared, config = prepare(choice), RunConfig("kmeans", n_clusters=3)
    trace = dpviz.run(prepared.X, config)
    last = trace.labels_at(trace.n_sweeps)
    like = np.array([4, 0, 7])[last]
    finished = Finished(choice, config, prepared, trace, like=like)
    assert_array_equal(finished.label_tracks.tracks[-1], like)


def test_the_servers_run_opens_at_its_end_wherever_the_run_before_it_was_left(monkeypatch):
    choice = DataChoice("synthetic", "crp_mixture").with_options(n=60)
    prepared, config = prepare(choice), RunConfig("kmeans", n_clusters=3)
    before, after = (dpviz.run(prepared.X, replace(config, n_clusters=k)) for k in (3, 7))
    page = Showing(
        finished=Finished(choice, config, prepared, before),
        opened=Opened(before, 1, live=True),
        asked=Asked(choice, config),
    )
    for module in (edits, finished_run):
        monkeypatch.setattr(module, "showing", lambda: page)
    monkeypatch.setattr(finished_run.links, "take_sweep", lambda: None)
    monkeypatch.setattr(edits.run_controls, "apply", lambda *settings: None)
    monkeypatch.setattr(edits, "in_picture", lambda: page.finished)
    rest = Rest("explore player", points_id(prepared.X), 1, {"n_clusters": 7.0}, 0, None, None)
    monkeypatch.setattr(edits.knobs.live, "turned", lambda: rest)
    monkeypatch.setattr(edits.knobs.live, "bring", lambda on_rest: on_rest())
    monkeypatch.setattr(edits.knobs.live, "bring_points_of", lambda runs: None)
    assert after.n_sweeps > 1 and finished_run.opening_sweep(Finished(choice, config, prepared, after)) == 1
    edits.bring_knobs()
    assert finished_run.opening_sweep(Finished(choice, config, prepared, after)) == after.n_sweeps


def test_the_server_finds_the_runs_of_a_lesson_that_a_browser_cannot_make():
    lesson = next(own for own in PRESETS if own.title == "MAP-DP learns rotated ellipses")
    places = lesson.on_server(lesson.tables()[0])
    assert [lesson.runs[place].algorithm for place in places] == ["em"]
    task = lessons.served(lesson, places)
    assert sum(1 for _ in task.steps()) == N_DRAWS
    tables = lesson.tables()
    assert_array_equal(task.result[4], lesson.draw(tables, 4).labels(1))


def test_a_class_that_asks_at_the_same_time_waits_for_one_computation(monkeypatch):
    begun: list[Any] = []

    class Waiting:
        over = stopped = False
        error = ""

        def __init__(self, task):
            begun.append(task)

    monkeypatch.setattr(lessons, "Work", Waiting)
    monkeypatch.setattr(lessons, "_works", {})
    monkeypatch.setattr(lessons, "served", lambda lesson, places: lesson.title)
    first = lessons._begun(PRESETS[3], [1])
    assert lessons._begun(PRESETS[3], [1]) is first and begun == [PRESETS[3].title]
    first.over = first.stopped = True  # nobody waited for it any more
    assert lessons._begun(PRESETS[3], [1]) is not first


@pytest.mark.parametrize("event", [None, 3, "x", {}, {"lesson": 7}])
def test_a_message_about_draws_that_no_lesson_sends_is_none(event, monkeypatch):
    kept: dict[str, Any] = {}
    monkeypatch.setattr(lessons.st, "session_state", kept)
    lessons.ask(event)
    assert kept == {}
    lessons.ask({"lesson": "Iris"})
    assert list(kept.values()) == ["Iris"]
