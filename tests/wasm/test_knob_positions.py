"""Every number of a chapter and every knob of a lesson over its range: the browser's answer at rest is the library's.

``make fuzz`` takes data and runs of full size, more positions, and another draw; here they are small.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import wasm_engine
from knob_positions import answers_at, chapter_answers, lesson_answers, page_of, picture_of, usual_values

import dpviz
from dpviz.config import RunConfig
from dpviz.course import CHAPTERS
from dpviz.course.chapter import Chapter
from dpviz.engine.kernels.collapsed_sweep import is_lower
from dpviz.engine.trace import Trace
from dpviz.ui.explore.edits import continued
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.stage.lessons import COMPARISONS, PRESETS

FULL = int(os.environ.get("DPVIZ_FUZZ", "1")) > 1
COUNT, DRAWS = (11, (0, 1)) if FULL else (5, (0,))
FEW = 60
LESSONS: dict[str, Lesson] = {lesson.title: lesson for lesson in (*PRESETS, *COMPARISONS)}
TRIED = {chapter.name: chapter for chapter in CHAPTERS if chapter.trial is not None}


def shortened(config: RunConfig) -> RunConfig:
    if config.algorithm == "gibbs":
        return replace(config, n_sweeps=40, burn_in=10)
    return replace(config, effort=0.01, max_sweeps=40) if config.algorithm == "mapdp" else config


@cache
def chapter_of(name: str) -> Chapter:
    chapter = TRIED[name]
    trial, scene = chapter.trial, chapter.scene
    assert trial is not None
    if FULL or any(turn.knob.name == "n_sweeps" for turn in trial.turns):
        return chapter
    own = tuple(run if isinstance(run, int) else shortened(run) for run in trial.runs)
    if scene.source == "synthetic":
        scene = replace(scene, options=tuple((dict(scene.options) | {"n": FEW}).items()))
    runs = tuple(shortened(config) for config in chapter.runs)
    return replace(chapter, scene=scene, runs=runs, trial=replace(trial, runs=own))


@cache
def lesson_of(title: str) -> Lesson:
    lesson = LESSONS[title]
    if FULL:
        return lesson
    choice = lesson.choice if lesson.choice.source == "bundled" else lesson.choice.with_options(n=FEW)
    return replace(lesson, choice=choice, own=tuple(shortened(config) for config in lesson.own))


NUMBERS = [(name, turn.knob.name) for name, chapter in TRIED.items() for turn in chapter.trial.turns]
KNOBS = [(title, knob["name"]) for title in LESSONS for knob in picture_of(lesson_of(title)).facts["knobs"]]


def named(knobs: list[dict[str, Any]], name: str) -> Mapping[str, Any]:
    return next(knob for knob in knobs if knob["name"] == name)


def assert_same(record: wasm_engine.Record, trace: Trace) -> None:
    """A browser's run has the sweeps of the library's, as far as it goes: it may leave out a chain's later ones."""
    sweeps = trace.label_sweeps[trace.label_sweeps < len(record.labels)]
    np.testing.assert_array_equal(record.labels[sweeps], trace.labels[: len(sweeps)])
    np.testing.assert_array_equal(record.rows["n_clusters"], trace.n_clusters[: len(record.labels)])
    for here, there in zip(record.rows["nll"], trace.nll, strict=False):
        assert not (is_lower(here, there) or is_lower(there, here)), (here, there)


@pytest.mark.parametrize(("name", "number"), NUMBERS)
def test_a_number_of_a_chapter_has_the_librarys_answer_wherever_it_stands(name, number):
    page = page_of(chapter_of(name))
    turn = named(page.facts["turns"], number)
    for draw in DRAWS:
        for one in chapter_answers(page, turn, COUNT, draw):
            config = RunConfig.from_dict(one.config)
            record, trace = wasm_engine.run(one.X, config), dpviz.run(one.X, config)
            assert len(record.labels) == trace.n_sweeps + 1
            assert_same(record, trace)


@pytest.mark.parametrize("name", TRIED)
def test_where_its_numbers_begin_a_chapter_has_the_answers_of_its_film(name):
    chapter, dataset = chapter_of(name), chapter_of(name).scene.load()
    page = page_of(chapter)
    assert chapter.trial is not None
    for one in answers_at(page, usual_values(page)):
        run = chapter.trial.runs[one.place]
        if isinstance(run, int):
            assert_same(
                wasm_engine.run(one.X, RunConfig.from_dict(one.config)),
                dpviz.run(chapter.table(dataset, run).X, chapter.runs[run]),
            )


@pytest.mark.parametrize(("title", "name"), KNOBS)
def test_a_knob_of_a_lesson_has_the_servers_answer_wherever_it_rests(title, name):
    picture = picture_of(lesson_of(title))
    ends = [dpviz.run(X, config).labels[-1] for config, X in picture.runs]
    for one, asked in lesson_answers(picture, named(picture.facts["knobs"], name), COUNT):
        record, trace = wasm_engine.run(one.X, RunConfig.from_dict(one.config)), dpviz.run(one.X, asked)
        panel = picture.facts["panels"][one.place]
        assert panel["left_out"] == "sweeps" or len(record.labels) == trace.n_sweeps + 1
        assert_same(record, trace)
        if panel["begins"] == "here" and panel["left_out"] == "sweeps":  # in the picture it goes on from there
            here = RunConfig.from_dict({**one.config, "init": ends[one.place].tolist(), "n_init": 1})
            assert_same(wasm_engine.run(one.X, here), dpviz.run(one.X, continued(asked, ends[one.place])))
