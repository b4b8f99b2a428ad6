"""Numbers of chapters and knobs of lessons over their range, in the scripts themselves: what they ask and say.

What the engine answers to that is compared with the library in `tests/test_knob_positions.py`.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import Open, import_modules
from knob_positions import answers_at, lesson_answers, page_of, picture_of, usual_values, values_of
from playwright.sync_api import expect
from test_chapters_in_browser import revealed, told

from dpviz.config import RunConfig
from dpviz.course import CHAPTERS
from dpviz.course.bench import draws, trial_bytes
from dpviz.course.claims import OF_TWO, QUANTITIES, Draw
from dpviz.datasets import Dataset
from dpviz.ui.stage.lessons import COMPARISONS, PRESETS

pytestmark = pytest.mark.browser
BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
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


def test_a_chapter_asks_for_the_runs_that_are_compared_with_the_library(open_page: Open) -> None:
    modules = (
        "course/assets/trial.js",
        "course/assets/sentence.js",
        "course/assets/reshaped.js",
        "stage/knobs.js",
    )
    page = import_modules(open_page("about:blank"), *modules)
    for chapter in CHAPTERS:
        if chapter.trial is None:
            continue
        text, own = base64.b64encode(zlib.decompress(trial_bytes(chapter))).decode("ascii"), page_of(chapter)
        for turn in own.facts["turns"]:
            number = DRAW % len(own.draws)
            made = page.evaluate(OF_CHAPTER, [text, turn["name"], places_of(turn), number])
            assert [one["value"] for one in made] == values_of(turn, COUNT)
            for there in made:
                for one in answers_at(own, usual_values(own) | {turn["name"]: there["value"]}, number):
                    assert there["configs"][one.place] == one.config, (chapter.name, turn["name"])
                    np.testing.assert_array_equal(there["X"], one.X.ravel(), err_msg=f"{chapter.name} {turn['name']}")


def test_a_lesson_asks_for_the_runs_that_are_compared_with_the_servers(open_page: Open) -> None:
    page = import_modules(open_page("about:blank"), "live/assets/side.js", "stage/knobs.js")
    for lesson in (*PRESETS, *COMPARISONS):
        picture = picture_of(lesson)
        for knob in picture.facts["knobs"]:
            made = page.evaluate(OF_LESSON, [picture.facts, knob["name"], places_of(knob)])
            assert [one["value"] for one in made] == values_of(knob, COUNT)
            found = [there["configs"][place] for there in made for place in knob["panels"]]
            assert found == [one.config for one, _ in lesson_answers(picture, knob, COUNT)], (
                lesson.title,
                knob["name"],
            )


SAID: dict[str, Callable[[float], str]] = {
    "n_clusters": lambda n: "1 cluster" if n == 1 else f"{n:.0f} clusters",
    "mean_k": "{:.1f}".format,
    "ari": "{:.2f}".format,
    "widest_whole": lambda share: f"{100 * share:.0f}",
    "sweeps_as": "{:.0f}".format,
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("spheres", ["widest_whole 0", "ari 0", "n_clusters 1", "ari 1"]),
        ("how-many", ["", "n_clusters 1", "n_clusters 2"]),
        ("sampling", ["n_clusters 1", "", "", "mean_k 0", "sweeps_as 0 1"]),
    ],
)
def test_a_chapter_says_what_the_library_finds_wherever_a_number_is_moved(
    open_page: Open, tmp_path: Path, name: str, expected: list[str]
) -> None:
    chapter = BY_NAME[name]
    page, own, table = revealed(open_page, tmp_path, chapter), page_of(chapter), draws(chapter)[0]
    values = usual_values(own)
    for turn in own.facts["turns"]:
        slider = page.locator(".bench").get_by_role("slider", name=turn["words"])
        for key in ("Home", "PageUp", "End"):
            slider.press(key)
            values[turn["name"]] = float(slider.get_attribute("aria-valuenow") or "nan")
            draw = _drawn(table, [(one.X, RunConfig.from_dict(one.config)) for one in answers_at(own, values)])
            for place, quantity in enumerate(expected):
                if quantity:
                    expect(told(page).nth(place)).to_have_text(_said(draw, *quantity.split()))
            expect(page.locator(".bench .awaited")).to_have_count(0)


def _drawn(table: Dataset, runs: list[tuple[np.ndarray, RunConfig]]) -> Draw:
    return Draw(Dataset(**{**vars(table), "X": runs[0][0]}), tuple(runs))


def _said(draw: Draw, quantity: str, run: str, other: str = "") -> str:
    value = OF_TWO[quantity](draw, int(run), int(other)) if other else QUANTITIES[quantity](draw, int(run))
    return SAID[quantity](value)
