"""Points and places of the Explore page, in a real browser: drawn by hand, dragged, reloaded, gone; the ghost point."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from browsing import DATA_PAGE, downloaded, expander, go_by_navigation, place_of
from player_steps import button, ready
from playwright.sync_api import Page, expect

import dpviz
from dpviz.config import RunConfig
from dpviz.ui.explore import finished_run
from dpviz.ui.player import PlaceEvent
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished
from dpviz.ui.shell import links

pytestmark = pytest.mark.browser

SHARES = [(0.2, 0.2), (0.25, 0.25), (0.2, 0.3), (0.3, 0.2), (0.7, 0.7), (0.75, 0.75), (0.7, 0.8), (0.8, 0.7)]
POINTS = np.array([[16 * (across - 0.5), 12 * (0.5 - down)] for across, down in SHARES])
ELSEWHERE = np.array([[3.0, -1.0]])


def drawn(page: Page) -> Page:
    """Draw the points on the Data page, and open Explore with them."""
    page.get_by_test_id("stButtonGroup").first.get_by_text("Draw", exact=True).click()
    surface = page.get_by_role("application")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"\d points?\."))).to_be_visible()
    box = surface.bounding_box()
    assert box is not None
    for across, down in SHARES:
        surface.click(position={"x": across * box["width"], "y": down * box["height"]})
    expect(page.get_by_text(f"{len(SHARES)} points × 2 columns", exact=True)).to_be_visible()
    page.get_by_role("button", name="Explore these data").click()
    return on_explore(page)


def on_explore(page: Page) -> Page:
    """Wait for the picture of a run on the drawing."""
    expect(page.get_by_role("heading", name=re.compile("on Hand-drawn points"))).to_be_visible()
    return ready(page)


def points_of(page: Page) -> np.ndarray:
    """Return the points of the run that is shown, from its download."""
    expander(page, "Take it away")
    rows = downloaded(page, page.get_by_role("button", name=re.compile("^Rows with labels")))
    return pd.read_csv(rows)[["x", "y"]].to_numpy()


def drag(page: Page, points: np.ndarray, point: int, to: np.ndarray) -> None:
    view = page.locator(".stage .overlay").get_attribute("data-view")
    button(page, "Move points").click()
    page.mouse.move(*place_of(page, points, point))
    page.mouse.down()
    page.mouse.move(*place_of(page, to, 0), steps=5)
    page.mouse.up()
    assert view is not None and json.loads(view)["bounds"]


def test_a_drawing_is_there_again_after_a_reload_of_explore(open_page, address):
    page = drawn(open_page(f"{address}/{DATA_PAGE}"))
    expect(page).to_have_url(re.compile("drawn-"))
    page.reload()
    np.testing.assert_allclose(points_of(on_explore(page)), POINTS, atol=0.05)
    expect(page.get_by_text("are gone")).to_be_hidden()
    go_by_navigation(page, "Analyse", "Data")
    expect(page.get_by_text(f"{len(SHARES)} points.", exact=True)).to_be_visible()  # the canvas has them too
    expect(page).to_have_url(re.compile("drawn-"))
    page.reload()
    expect(page.get_by_text(f"{len(SHARES)} points × 2 columns", exact=True)).to_be_visible()


def test_a_dragged_point_moves_on_explore_the_run_goes_on_and_a_reload_keeps_it(open_page, address):
    page = drawn(open_page(f"{address}/{DATA_PAGE}"))
    before = page.url
    drag(page, POINTS, 3, ELSEWHERE)
    expect(page).not_to_have_url(before)
    kept_in_tab(page)
    page.reload()
    moved = POINTS.copy()
    moved[3] = ELSEWHERE[0]
    np.testing.assert_allclose(points_of(on_explore(page)), moved, atol=0.06)


def kept_in_tab(page: Page) -> None:
    """Wait until the drawing that the address names is in the tab's storage, as it is soon after."""
    page.wait_for_function(
        "() => location.href.includes(JSON.parse(sessionStorage.getItem('dpviz drawing in use') ?? '{}').name)"
    )


def test_a_drawing_of_another_tab_is_gone_and_the_page_leads_to_the_canvas(open_page, address):
    page = drawn(open_page(f"{address}/{DATA_PAGE}"))
    expect(page).to_have_url(re.compile("drawn-"))
    other = ready(open_page(page.url))
    expect(other.get_by_text("The hand-drawn points of this address are gone")).to_be_visible()
    button(other, "Draw").click()
    expect(other.get_by_role("application")).to_be_visible()
    expect(other.get_by_text("0 points.")).to_be_visible()


def test_a_click_into_the_empty_plane_of_explore_shows_the_pulls_of_the_run(open_page, address):
    choice = DataChoice("synthetic", "crp_mixture").with_options(n=100)
    config = RunConfig("mapdp", n_init=1, init="single", seed=5, family="normal_wishart", prior=None)
    prepared = prepare(choice)
    trace = dpviz.run(prepared.X, config)
    page = ready(open_page(f"{address}/{links.link(choice, config, trace.n_sweeps)}"))
    spot = empty_place(page, prepared.X)
    page.mouse.click(*place_of(page, spot, 0))
    live = page.locator(".live")
    expect(live).to_contain_text("ghost point:")
    finished = Finished(choice, config, prepared, trace)
    pulls = finished_run.pulls_at(finished, PlaceEvent(0, *spot[0], trace.n_sweeps))
    weights = np.array([pull.size * np.exp(pull.log_fit) for pull in pulls])
    best = int(weights.argmax())
    name = "new cluster" if pulls[best].track < 0 else f"cluster {pulls[best].track + 1}"
    told = re.search(rf"ghost point: {name} ([\d.]+)\s%", live.inner_text())
    assert told is not None and float(told[1]) == pytest.approx(100 * weights[best] / weights.sum(), abs=2)


def empty_place(page: Page, points: np.ndarray) -> np.ndarray:
    """Place (1, 2) of the plot that is farthest from all points, away from its edges and the charts at its right."""
    view = json.loads(page.locator(".stage .overlay").get_attribute("data-view") or "")
    x_low, x_high, y_low, y_high = view["bounds"]
    shares = np.linspace(0.2, 0.8, 25)
    grid = np.array(
        [[x_low + 0.8 * a * (x_high - x_low), y_low + b * (y_high - y_low)] for a in shares for b in shares]
    )
    distances = ((grid[:, None] - points) ** 2).sum(axis=2).min(axis=1)
    return grid[[distances.argmax()]]
