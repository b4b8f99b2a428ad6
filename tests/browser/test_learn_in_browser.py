"""The course in a real browser: by keyboard alone, on a phone, after a reload, and from files without a server."""

from __future__ import annotations

import re
from io import BytesIO

import numpy as np
import pytest
from browsing import motionless, settled
from measures import shifts, watching_shifts
from PIL import Image
from player_steps import ready
from playwright.sync_api import Locator, expect

from dpviz.course import CHAPTERS, mark, play, write_course
from dpviz.course.offline import chapter_page
from dpviz.words import say

pytestmark = pytest.mark.browser
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"
SPHERES, HOW_MANY = (play(chapter) for chapter in CHAPTERS[:2])


def test_a_chapter_by_keyboard_alone_and_after_a_reload(open_page, address):
    page = open_page(f"{address}/learn")
    slider = page.get_by_role("slider", name="Of every 100 points")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value("90")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Reveal")).to_be_focused()
    page.keyboard.press("Enter")
    words = mark(SPHERES, 90).words
    expect(page.get_by_text(words)).to_be_visible()
    page.get_by_label("Speed").select_option("8")
    expect(page.locator(".panel-status").first).to_contain_text("sweep 21 of 21")  # it plays by itself
    page.reload()
    expect(page.get_by_text(words)).to_be_visible()
    page.get_by_role("button", name=f"Next: {CHAPTERS[1].title}").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"2. {CHAPTERS[1].title}")).to_be_visible()


def test_where_keys_begin_is_a_prediction_once_it_is_chosen(open_page, address):
    page = open_page(f"{address}/learn")
    line = page.get_by_role("slider", name="Of every 100 points")
    expect(line).to_have_attribute("aria-valuetext", say("bench.no_prediction"))
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_text(say("bench.predict_first"))).to_be_visible()
    expect(line).to_have_attribute("aria-valuetext", say("bench.no_prediction"))
    line.focus()
    page.keyboard.press("Space")
    start = SPHERES.chapter.question.start
    expect(line).to_have_attribute("aria-valuetext", f"{start} of 100")
    page.get_by_role("button", name="Reveal").click()
    expect(page.get_by_text(mark(SPHERES, start).words)).to_be_visible()


NUMBERS = [chapter for chapter in CHAPTERS if not chapter.question.answers]


def has_thumb(line: Locator) -> bool:
    """Whether something is on a line: otherwise all columns of its picture are alike, but for its ends."""
    with Image.open(BytesIO(line.screenshot())) as picture:
        columns = np.asarray(picture.convert("RGB"))[:, 4:-4]
    return bool(np.any(columns != columns[:, :1]))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_no_chapter_a_number_is_predicted_before_one_is_chosen(open_page, tmp_path, scheme):
    page = open_page("about:blank", offline=True, color_scheme=scheme)
    for chapter in NUMBERS:
        played, question = play(chapter), chapter.question
        low, start, high = question.lower, question.start, question.upper
        file = tmp_path / f"{chapter.name}.html"
        file.write_text(chapter_page(played, 1 + CHAPTERS.index(chapter)), encoding="utf-8")
        page.goto(file.as_uri())
        line, reveal = page.get_by_label("Your prediction"), page.locator("#reveal")
        expect(line).to_have_attribute("aria-valuetext", say("bench.no_prediction"))
        assert not has_thumb(line)
        page.get_by_role("button", name="Reveal").click()
        expect(reveal).to_be_hidden()
        box = line.bounding_box()
        assert box is not None
        line.click(position={"x": 10 + (box["width"] - 20) * (start - low) / (high - low), "y": box["height"] / 2})
        guess = int(line.input_value())
        assert abs(guess - start) <= (high - low) / 100 + 1
        expect(line).to_have_attribute("aria-valuetext", f"{guess:,} {question.unit}")
        assert has_thumb(line)
        while guess != start:
            page.keyboard.press("ArrowLeft" if guess > start else "ArrowRight")
            guess = int(line.input_value())
        page.get_by_role("button", name="Reveal").click()
        expect(page.locator("#verdict")).to_have_text(mark(played, start).words)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_the_film_plays_in_sight_and_nothing_jumps(open_page, address, width, height):
    page = watching_shifts(open_page("about:blank", width=width, height=height, color_scheme="dark"))
    page.goto(f"{address}/learn")
    reveal = settled(page).get_by_role("button", name="Reveal")
    reveal.scroll_into_view_if_needed()
    page.get_by_role("slider", name="Of every 100 points").press("ArrowLeft")
    jumped = shifts(page)
    reveal.click()
    expect(page.get_by_test_id("stAlert")).to_be_visible()
    asked_for = shifts(page) - jumped  # to make room for the answer, which a busy machine has late
    motionless(settled(ready(page, every_control=False)))
    panels = page.locator(".stage").all()
    assert len(panels) == 2
    seen = [page.get_by_test_id("stAlert"), page.get_by_role("button", name="Next:"), panels[0]]
    seen += panels[1:] if width > height else []  # a phone has them one below the other
    for part in seen:
        box = part.bounding_box()
        assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height
    assert page.evaluate(SCROLLED) == 0
    if width > height:
        assert box["width"] * box["height"] >= 0.13 * width * height
    assert shifts(page) - asked_for < 0.1
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_from_a_file_asks_marks_and_plays(open_page, tmp_path, width):
    files = write_course(tmp_path)
    page = open_page("about:blank", width=width, offline=True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(files[1].as_uri())
    reveal = page.locator("#reveal")
    picture = page.get_by_role("img", name=CHAPTERS[1].title)
    expect(picture.or_(page.locator(".bench.lead")).first).to_be_visible()  # until a number can be dragged in it
    other = page.context.new_page()
    other.goto(files[2].as_uri())
    page.bring_to_front()  # others draw a frame per second only
    expect(other.locator("[data-chapter=how-many]")).not_to_have_class("done")
    page.get_by_role("button", name="Reveal").click()
    expect(reveal).to_be_hidden()  # nothing was picked
    page.get_by_role("radio").nth(2).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_have_text(mark(HOW_MANY, 2).words)
    page.get_by_label("Speed").select_option("8")
    expect(page.locator(".panel-status").first).to_contain_text(re.compile(r"sweep (\d+) of \1"))
    page.get_by_role("radio").nth(1).check()
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator("#verdict")).to_have_text(mark(HOW_MANY, 1).words)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(other.locator("[data-chapter=how-many]")).to_have_class("done")  # though it was open before
    page.get_by_role("link", name=f"Next: {CHAPTERS[2].title}").click()
    expect(page.get_by_role("heading", name=f"3. {CHAPTERS[2].title}")).to_be_visible()
    expect(page.locator("[data-chapter=how-many]")).to_have_class("done")
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
