"""The ghost point and its pulls, and moving and painting points, in a real browser."""

from __future__ import annotations

import json

import fake_runs
import numpy as np
import pytest
from browsing import place_of
from player_steps import button, expect_python, expect_redraw, plot_pixels, ready
from playwright.sync_api import Page, expect

from dpviz.player import track_labels

pytestmark = pytest.mark.browser
EMPTY = np.array([[2.4, 2.9]])


def known(page: Page, name: str) -> dict[str, float]:
    """What Python was told."""
    value = json.loads(page.get_by_test_id("stText").inner_text())[name]
    assert isinstance(value, dict)
    return value


def test_a_ghost_point_shows_who_pulls_at_it(open_page):
    page = ready(open_page("?scenario=interactive"))
    page.get_by_role("slider", name="Sweep").fill("5")
    expect_python(page, sweep=5)
    before = plot_pixels(page)
    spot = place_of(page, EMPTY, 0)
    page.mouse.click(*spot)
    expect(page.get_by_test_id("stText")).not_to_contain_text('"place": null')
    place = known(page, "place")
    assert [place["x"], place["y"]] == pytest.approx(EMPTY[0].tolist(), abs=0.02)
    assert place["sweep"] == 5
    panel = fake_runs.full_panel()
    tracks = track_labels(panel.labels).tracks[5]
    groups = [panel.points[tracks == track] for track in range(4)]
    weights = [len(group) * np.exp(-0.5 * ((group.mean(axis=0) - EMPTY[0]) ** 2).sum()) for group in groups]
    best = int(np.argmax(weights))
    share = 100 * weights[best] / (sum(weights) + 3 * np.exp(-4))
    live = page.locator(".live")
    expect(live).to_contain_text(f"ghost point: cluster {best + 1}")
    assert float(live.inner_text().split(f"cluster {best + 1} ")[1].split(" %")[0]) == pytest.approx(share, abs=1.5)
    expect_redraw(page, before)
    button(page, "Step").click()
    expect_python(page, sweep=6)
    expect(page.get_by_test_id("stText")).to_contain_text('"sweep": 6}')  # the pulls follow the playhead
    page.mouse.click(*spot)  # a click on the ghost takes it away
    expect_python(page, place=None)


def test_a_ghost_point_without_an_answer_says_so(open_page):
    page = ready(open_page("?scenario=interactive"))
    page.mouse.click(*place_of(page, np.array([[9.0, 1.0]]), 0))
    live = page.locator(".live")
    expect(live).to_have_text("ghost point: no pulls known here")
    live.evaluate("(node) => new MutationObserver(() => { window.spoken = true; }).observe(node, { childList: true })")
    page.keyboard.press("Home")  # the playhead comes to rest where it is, and says so
    page.wait_for_function("() => window.spoken")
    expect(live).to_have_text("ghost point: no pulls known here")
    page.mouse.click(*place_of(page, EMPTY, 0))
    expect(live).to_contain_text("ghost point: cluster")


def test_the_ghost_point_by_keyboard(open_page):
    page = ready(open_page("?scenario=interactive"))
    stage = page.locator(".stage .overlay")
    stage.focus()
    page.keyboard.press("g")
    expect(page.get_by_test_id("stText")).not_to_contain_text('"place": null')
    x_low, x_high, y_low, y_high = json.loads(stage.get_attribute("data-view") or "")["bounds"]
    placed = known(page, "place")
    assert placed["x"] == pytest.approx((x_low + x_high) / 2)
    page.keyboard.press("Alt+ArrowUp")
    expect(page.get_by_test_id("stText")).not_to_contain_text(f'"y": {placed["y"]}')
    assert known(page, "place")["y"] == pytest.approx(placed["y"] + 0.02 * (y_high - y_low))
    page.keyboard.press("Escape")
    expect_python(page, place=None)


def test_dragging_a_point_reports_its_new_place(open_page):
    page = ready(open_page("?scenario=interactive"))
    points = fake_runs.full_panel().points
    lonely = int(np.argmax(np.sort(((points[:, None] - points) ** 2).sum(-1), axis=1)[:, 1]))
    view = page.locator(".stage .overlay").get_attribute("data-view")
    button(page, "Move points").click()
    page.mouse.move(*place_of(page, points, lonely))
    page.mouse.down()
    page.mouse.move(*place_of(page, EMPTY, 0), steps=5)
    page.mouse.up()
    expect(page.get_by_test_id("stText")).not_to_contain_text('"moved": null')
    moved = known(page, "moved")
    assert (moved["panel"], moved["index"]) == (0, lonely)
    assert [moved["x"], moved["y"]] == pytest.approx(EMPTY[0].tolist(), abs=0.02)
    assert page.locator(".stage .overlay").get_attribute("data-view") == view  # the view did not move along


def test_painting_reports_new_points(open_page):
    page = ready(open_page("?scenario=interactive"))
    corners = np.array([[9.0, 1.0], [12.0, 4.0]])
    button(page, "Move points").click()
    button(page, "Paint points").click()
    expect(button(page, "Move points")).to_have_attribute("aria-pressed", "false")
    page.mouse.move(*place_of(page, corners, 0))
    page.mouse.down()
    page.mouse.move(*place_of(page, corners, 1), steps=30)
    page.mouse.up()
    expect(page.get_by_test_id("stText")).not_to_contain_text('"painted": null')
    painted = np.array(known(page, "painted")["points"])
    assert 10 < len(painted) <= 31
    np.testing.assert_allclose(painted[0], corners[0], atol=0.02)
    np.testing.assert_allclose(painted[:, 1] - painted[:, 0], -8.0, atol=0.05)
    assert (np.diff(painted[:, 0]) > 0).all()


def test_pages_that_do_not_ask_get_neither(open_page):
    page = ready(open_page())
    expect(button(page, "Move points")).to_be_hidden()
    expect(button(page, "Paint points")).to_be_hidden()
    before = plot_pixels(page)
    page.mouse.click(*place_of(page, EMPTY, 0))
    page.mouse.move(0, 0)
    inside = (slice(25, -40), slice(50, -15))  # without the frame that shows the focus
    assert (np.abs(plot_pixels(page)[inside] - before[inside]) > 30).mean() < 0.001
