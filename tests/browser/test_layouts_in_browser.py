"""Large type and the embedded layout, in a real browser: nothing lies on anything else, nothing is cut off."""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

import pytest
from boxes import cut_off, overlapping, resized
from browsing import motionless, moved, place_of, settled
from measures import shifts, watching_shifts
from player_steps import ready
from playwright.sync_api import Page, expect

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.config import RunConfig
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.shell.navigation import PAGES

pytestmark = pytest.mark.browser

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=200)
MAPDP = RunConfig("mapdp", n_init=1, family="normal_wishart", prior=None)
SIX = [
    RunConfig("kmeans", n_clusters=2, n_init=1),
    RunConfig("kmeans", n_clusters=3, n_init=1),
    RunConfig("dpmeans", penalty=80.0),
    MAPDP,
    RunConfig("em", n_components=3, n_init=1),
    RunConfig("gibbs", n_sweeps=25, burn_in=2, family="normal_wishart", prior=None),
]
EXPLORE = urlencode({"data": SMALL.to_json(), "run": json.dumps(MAPDP.to_query())})
COMPARE = urlencode({"data": SMALL.to_json(), "panels": json.dumps([config.to_query() for config in SIX])})


def at_rest(page: Page) -> Page:
    """Wait until everything is drawn."""
    settled(ready(page))
    page.evaluate("() => document.fonts.ready")
    return page


SIZES = [(1440, 900), (1280, 720)]
"""What a page is laid out for, one after the other: texts are in the same places as where it opens at that size."""


@pytest.mark.parametrize(
    "path",
    ["explore", f"explore?{EXPLORE}", "compare", f"compare?{COMPARE}"],
    ids=["lesson", "explore", "compare", "six panels"],
)
def test_nothing_overlaps_and_nothing_is_cut_off(open_page, address, path):
    links = {layout: f"{address}/{path}{'&' if '?' in path else '?'}ui={layout}" for layout in ("present", "min")}
    page = open_page(links["present"], width=SIZES[0][0], height=SIZES[0][1])
    if path.startswith("compare"):
        expect(page.get_by_role("heading", name="Luck or method?")).to_be_visible()
    at_rest(page)
    if path.startswith("explore?"):
        resized(page, SIZES[0][0], 1400)  # the bar at the bottom hides no point
        page.mouse.click(*place_of(page, prepare(SMALL).X, 3))
        expect(page.get_by_role("region", name="Why here?")).to_be_visible()
        page.mouse.move(0, 0)  # the page hears of it when the reader turns to it
        expect(page.locator(".dpviz-contest")).to_be_visible()
    for layout in links:
        if layout == "min":
            moved(page, links["min"])
            expect(page.get_by_test_id("stSidebar")).to_be_hidden()
        for size in SIZES:
            resized(page, *size)
            at_rest(page)
            if path.startswith("explore?") and layout == "present":
                expect(page.get_by_role("region", name="Why here?")).to_be_visible()
            assert overlapping(page) == [], (layout, size)
            assert cut_off(page) == [], (layout, size)


LOADED = f"data={quote(SMALL.to_json())}"


@pytest.mark.parametrize("name", PAGES)
def test_no_page_jumps_while_it_appears(open_page, address, name):
    for layout, width, height in (("present", 1440, 900), ("full", 390, 844)):
        page = watching_shifts(open_page("about:blank", width=width, height=height))
        page.goto(f"{address}/{name if name != 'start' else ''}?{LOADED if name != 'start' else ''}&ui={layout}")
        expect(settled(page).get_by_test_id("stMain").get_by_test_id("stElementContainer").nth(2)).to_be_visible()
        motionless(settled(page))
        assert shifts(page) < 0.1, (layout, width)
        expect(page.locator(".dpviz-until-it-stands")).to_have_count(0)


def test_what_overlaps_or_is_cut_off_is_found(open_page, address):
    page = at_rest(open_page(f"{address}/explore?ui=present"))
    page.evaluate("""() => {
      const add = (style, text) => {
        const node = document.createElement("div");
        Object.assign(node.style, style);
        node.textContent = text;
        document.querySelector("h4").append(node);
      };
      add({ position: "relative", top: "-25px" }, "lies on the heading");
      add({ width: "40px", overflow: "hidden", whiteSpace: "nowrap" }, "is longer than its box");
    }""")
    assert any("lies on the heading" in pair for pair in overlapping(page))
    assert any("is longer than its box" in text for text in cut_off(page))
