"""The player before its first picture: hidden, on its way, or with a run that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import fake_runs
import pytest
from browsing import Open
from player_steps import LAST, button, expect_sweep, ready
from playwright.sync_api import Locator, Page, expect

from dpviz.player import build_payload, standalone_html

pytestmark = pytest.mark.browser

# Show the player and ask for a frame at once: the frame then comes before anyone hears of the new size.
STEP_AT_ONCE = """(place) => new Promise((done) => {
    place.style.display = "";
    place.shadowRoot.querySelector('[aria-label="Step"]').click();
    requestAnimationFrame(() => requestAnimationFrame(done));
})"""


COLORS = """(player) => Object.fromEntries(["--text", "--muted", "--grid", "--background", "--accent"].map(
    (name) => [name, getComputedStyle(player).getPropertyValue(name)]))"""


def opened(
    open_page: Open, path: Path, payload: bytes, hidden: bool = False, scheme: Literal["light", "dark"] | None = None
) -> tuple[Page, Locator]:
    """Write a standalone page, open it, and return it with the element around the player."""
    page_html = standalone_html(payload, "Run")
    if hidden:
        assert '<div id="player"' in page_html
        page_html = page_html.replace('<div id="player"', '<div style="display: none" id="player"')
    path.write_text(page_html, encoding="utf-8")
    page = open_page(path.as_uri(), offline=True, color_scheme=scheme)
    return page, page.locator("#player")


def test_a_player_that_was_hidden_appears_at_its_size(open_page, tmp_path):
    """A frame may come before the player knows its size (Streamlit mounts it into places it still lays out)."""
    page, place = opened(open_page, tmp_path / "run.html", build_payload([fake_runs.full_panel()]), hidden=True)
    expect(page.locator(".panel-title")).to_have_count(1)  # read, and waiting
    assert page.locator(".panel-status").text_content() == ""
    place.evaluate(STEP_AT_ONCE)
    expect_sweep(ready(page), 1)
    stage = page.locator(".stage").first
    width, height = stage.evaluate("(stage) => [stage.clientWidth, stage.clientHeight]")
    ratio = page.evaluate("() => Math.min(2, devicePixelRatio)")
    drawn = page.locator(".stage canvas").first.evaluate("(canvas) => [canvas.width, canvas.height]")
    assert width > 600
    assert drawn == [round(width * ratio), round(height * ratio)]
    button(page, "Last").click()
    expect_sweep(page, LAST)


def test_a_run_that_cannot_be_read_says_so_and_shows_nothing_to_press(open_page, tmp_path):
    page, _ = opened(open_page, tmp_path / "run.html", build_payload([fake_runs.full_panel()])[:-40])
    expect(page.locator(".message")).to_contain_text("could not be read (a part of it is missing)")
    for part in page.locator(".overlay, .transport button, .tools button").all():
        expect(part).not_to_be_visible()
        if box := part.bounding_box():
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for key in ("Tab", "Enter", "Space", "ArrowRight", "Home"):
        page.keyboard.press(key)
    expect(page.locator(".message")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_said_of_a_run_that_cannot_be_read_has_the_colours_of_its_page(open_page, tmp_path, scheme):
    payload = build_payload([fake_runs.full_panel()])
    said, _ = opened(open_page, tmp_path / "cut.html", payload[:-40], scheme=scheme)
    expect(said.locator(".message")).to_contain_text("could not be read")
    drawn, _ = opened(open_page, tmp_path / "whole.html", payload, scheme=scheme)
    ready(drawn)
    of_message, of_player = (page.locator(".dpviz-player").evaluate(COLORS) for page in (said, drawn))
    assert of_message == of_player
    assert said.locator(".message").evaluate("(message) => getComputedStyle(message).color") == of_player["--text"]
