"""Twenty draws at a lesson's picture: the browser counts as Python does, and shows each on the stage."""

from __future__ import annotations

import base64
import json
import zlib
from urllib.parse import urlencode

import numpy as np
import pytest
from browsing import frames_of, import_modules, settled
from player_steps import STATUS, ready
from playwright.sync_api import expect

import dpviz
from dpviz.browser import module_bytes, with_tables
from dpviz.config import RunConfig
from dpviz.course.draws import N_DRAWS
from dpviz.ui.live.lessons import written
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.stage.lessons import COMPARISONS, PRESETS

pytestmark = pytest.mark.browser

MODULES = ("browser/loader.js", "course/assets/trial.js", "course/assets/measures.js", "ui/live/assets/draws.js")
BEGUN = """(module) => {
  globalThis.bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  globalThis.engine = dpvizEngine(bytesOf(module));
}"""
HELD = """async ([text, numbers, found]) => {
  const trial = trialOf(bytesOf(text)), live = { shared: { engines: { aside: engine } } };
  const own = new LessonDraws(live, trial, async () => (place, number) => Int32Array.from(found[place][number]));
  const rows = [];
  for (const number of numbers) {
    const { runs, points } = await own.runsOf(number);
    rows.push(trial.facts.claims.map(({ bounds }) => within(bounds, runs, points)));
  }
  return rows;
}"""
LESSONS: dict[str, Lesson] = {lesson.title: lesson for lesson in (*PRESETS, *COMPARISONS)}
KMEANS, ELLIPSES = LESSONS["K-means fails on unequal radius"], LESSONS["Rotated ellipses"]
SAID, LINE = ".live-said", ".live-seeds"


def test_the_browser_counts_what_the_claims_of_every_lesson_say(open_page):
    page = open_page("about:blank")
    page.add_script_tag(content=with_tables(""))
    import_modules(page, *MODULES)
    page.evaluate(BEGUN, base64.b64encode(module_bytes()).decode("ascii"))
    numbers = [0, 3]
    for lesson in LESSONS.values():
        tables = lesson.tables()
        draws = {number: lesson.draw(tables, number) for number in numbers}
        places = lesson.on_server(tables[0])
        found = {place: {number: draws[number].labels(place).tolist() for number in numbers} for place in places}
        text = base64.b64encode(zlib.decompress(written(lesson))).decode("ascii")
        counted = page.evaluate(HELD, [text, numbers, found])
        assert counted == [[claim.holds(draws[number]) for claim in lesson.claims] for number in numbers], lesson.title


def test_draws_are_counted_and_shown_without_the_server_and_the_lesson_comes_back(open_page, address):
    page = open_page("about:blank")
    sent = frames_of(page)
    page.goto(address + "/explore")
    chip = settled(ready(page, every_control=False)).get_by_role("button", name="20 draws")
    expect(page.locator(SAID)).to_contain_text("Drag a knob")
    expect(chip).to_be_hidden()  # until the run was watched
    page.locator(".stage .overlay").first.focus()
    page.keyboard.press("End")
    expect(chip).to_be_visible()
    before = page.locator(STATUS).first.inner_text()
    box = page.locator(".panels").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.wait_for_timeout(600)  # longer than a playhead rests
    sent.clear()
    chip.click()
    tables = KMEANS.tables()
    draws = [KMEANS.draw(tables, number) for number in range(N_DRAWS)]
    right = sum(all(claim.holds(draw) for claim in KMEANS.claims) for draw in draws)
    expect(page.locator(LINE)).to_contain_text(f"What is said below holds in {right} of {N_DRAWS} draws.")
    page.get_by_role("button", name="Draw 7:").click()
    expect(page.locator(SAID)).to_contain_text("Draw 7 of 20, of 800 points in place of 4,000")
    film = page.evaluate("() => [...dpvizLive.lives.values()][0].sides[0].film.config")
    assert RunConfig.from_dict(film) == draws[6].runs[0][1]
    shown = page.evaluate("() => Array.from([...dpvizLive.lives.values()][0].sides[0].film.tracks)")
    assert dpviz.metrics.ari(draws[6].labels(0), np.array(shown)) == 1
    chip.click()
    expect(page.locator(STATUS).first).to_have_text(before)
    expect(page.locator(LINE)).to_have_text("")
    page.wait_for_timeout(600)
    assert sent == []


def test_what_no_browser_computes_comes_from_the_server_with_a_word(open_page, address):
    panels = json.dumps([config.to_query() for config in ELLIPSES.own])
    query = urlencode({"data": ELLIPSES.choice.to_json(), "panels": panels, "seed": "0"})
    page = open_page(f"{address}/compare?{query}")
    settled(ready(page, every_control=False)).get_by_role("button", name="20 draws").click()
    expect(page.locator(SAID)).to_contain_text("The server computes E-M in the draws")
    expect(page.locator(LINE)).to_contain_text("hat is said below holds in")
    expect(page.locator(LINE)).to_contain_text(f"E-M finds them, in {N_DRAWS} of {N_DRAWS}")
    page.get_by_role("button", name="Draw 2:").click()
    expect(page.locator(SAID)).to_contain_text("Draw 2 of 20")
    found = page.evaluate("() => [...dpvizLive.lives.values()][0].sides.map((side) => side.film.points.nPoints)")
    assert found == [800, 800, 800]
