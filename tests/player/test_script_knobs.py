"""Numbers of chapters and knobs of lessons over their range, in the scripts themselves: what they ask.

What the engine answers to that is compared with the library in `tests/wasm/test_knob_positions.py`.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from knob_positions import answers_at, lesson_answers, page_of, picture_of, usual_values, values_of
from modules import evaluate

from dpviz.course import CHAPTERS
from dpviz.course.bench import trial_bytes
from dpviz.ui.stage.lessons import COMPARISONS, PRESETS

COUNT = 7
DRAW = 3

OF_CHAPTER = """([text, name, places, number]) => {
  const { facts, draws } = trialOf(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  const own = new Sentence(facts, draws, facts.turns), turn = facts.turns.find((one) => one.name === name);
  return places.map((place) => {
    const value = own.values[name] = valueAt(turn, place, [turn.low, turn.high]);
    const { values } = reshaped(draws[number] ?? draws[0], facts.turns, own.values, number);
    return { value, X: Array.from(values), configs: facts.runs.map((_, run) => own.configuration(run, number)) };
  });
}"""
OF_LESSON = """([facts, name, places]) => {
  const knob = facts.knobs.find((one) => one.name === name);
  return places.map((place) => {
    const value = valueAt(knob, place, [knob.low, knob.high]);
    const live = { facts, begins: null, seed: facts.seed, values: { ...facts.values, [name]: value } };
    live.sides = facts.panels.map((panel, number) => new Side(live, number, panel));
    return { value, configs: live.sides.map((side) => side.configuration({ from: "start" })) };
  });
}"""


def places_of(turn: Any) -> list[int]:
    last = round((turn["high"] - turn["low"]) / turn["step"]) if turn["step"] > 0 else turn["positions"]
    return [int(place) for place in np.unique(np.linspace(0, last, COUNT).round())]


def test_a_chapter_asks_for_the_runs_that_are_compared_with_the_library():
    modules = [f"course/assets/{name}.js" for name in ("trial", "sentence", "reshaped")] + ["stage/knobs.js"]
    for chapter in CHAPTERS:
        if chapter.trial is None:
            continue
        text, own = base64.b64encode(zlib.decompress(trial_bytes(chapter))).decode("ascii"), page_of(chapter)
        for turn in own.facts["turns"]:
            number = DRAW % len(own.draws)
            made = evaluate(modules, OF_CHAPTER, [text, turn["name"], places_of(turn), number])
            assert [one["value"] for one in made] == values_of(turn, COUNT)
            for there in made:
                for one in answers_at(own, usual_values(own) | {turn["name"]: there["value"]}, number):
                    assert there["configs"][one.place] == one.config, (chapter.name, turn["name"])
                    np.testing.assert_array_equal(there["X"], one.X.ravel(), err_msg=f"{chapter.name} {turn['name']}")


def test_a_lesson_asks_for_the_runs_that_are_compared_with_the_servers():
    modules = ["live/assets/side.js", "stage/knobs.js"]
    for lesson in (*PRESETS, *COMPARISONS):
        picture = picture_of(lesson)
        for knob in picture.facts["knobs"]:
            made = evaluate(modules, OF_LESSON, [picture.facts, knob["name"], places_of(knob)])
            assert [one["value"] for one in made] == values_of(knob, COUNT)
            found = [
                there["configs"][place]
                for there in made
                for place in knob["panels"]
                if not picture.facts["panels"][place]["why"]
            ]
            assert found == [one.config for one, _ in lesson_answers(picture, knob, COUNT)], (
                lesson.title,
                knob["name"],
            )
