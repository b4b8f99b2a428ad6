"""The Tune page in a real browser: clicks on curves and maps, the way to Explore, narrow screens."""

from __future__ import annotations

import itertools
import json
import re
from urllib.parse import urlencode

import pytest
from boxes import themed
from browsing import click_middle, downloaded, settled
from playwright.sync_api import Page, expect

from dpviz.config import RunConfig
from dpviz.config_versions import VERSION
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.tune import page as tune

DATA = urlencode({"data": DataChoice("synthetic", "elliptical_overlap").with_options(n=80).to_json()})

GRID = f"{DATA}&{urlencode({'tune': json.dumps({'tab': 'grid', 'version': VERSION})})}"

BRIEF = {
    "base": RunConfig(n_init=1, init="single").to_query(),
    "held": {},
    "tab": "recommendation",
    "version": VERSION,
    "range.concentration..n": 5,
    "N0.n": 5,
    "search.n": 3,
}
"""Every tab with short searches and few values, where only what it looks like counts; the data choose the model."""

TABS = ("Recommendation", "Parameters", "Concentration N0", "λ or K", "Search")

OPEN_RUN = re.compile("Open (this run|these settings) in Explore")

pytestmark = pytest.mark.browser


def expect_selected(page: Page, words: str) -> None:
    expect(page.get_by_role("combobox", name="Numbers of one run")).to_have_value(re.compile(words))


def click_plot(page: Page, trace: str, number: int) -> None:
    """Click a marker of a chart by its place among the markers of a trace."""
    marker = page.locator(f".js-plotly-plot {trace} .points path.point").nth(number)
    marker.scroll_into_view_if_needed()
    click_middle(marker)


def test_a_clicked_point_is_opened_in_explore(open_page, address):
    page = open_page(f"{address}/tune?{GRID}")
    expect(page.get_by_text("21 runs")).to_be_visible()
    expect(page.get_by_role("button", name="Open this run in Explore")).to_be_visible()
    click_plot(page, ".subplot.xy", 15)
    expect_selected(page, r"N0 = 10")
    page.get_by_role("button", name="Open this run in Explore").click()
    expect(page.get_by_role("application", name=re.compile("MAP-DP · N0 = 10 · seed 0"))).to_be_visible()
    status = page.locator(".panel-status").first
    expect(status).to_contain_text("sweep")
    shown, last = re.findall(r"sweep (\d+) of (\d+)", status.inner_text())[0]
    assert shown == last != "0"  # the result, which is what the table told of


def test_a_cell_of_the_map_is_clicked(open_page, address):
    small = {"tab": "grid", "version": VERSION, "range.concentration..n": 5, "range.power..n": 4}
    page = open_page(f"{address}/tune?{DATA}&{urlencode({'tune': json.dumps(small)})}")
    expect(page.get_by_text("5 runs:")).to_be_visible()
    page.get_by_label("and", exact=True).click()
    page.get_by_role("option", name="Power r").click()
    expect(page.get_by_text("20 runs:")).to_be_visible()
    expect(page.get_by_role("button", name=OPEN_RUN)).to_be_visible()
    click_plot(page, ".subplot.xy", 5 * 2 + 1)  # third row, second column
    expect_selected(page, r"N0 = 0\.1, Power r = 1\.5")


def test_a_narrow_screen_never_scrolls_sideways(open_page, address):
    link = f"{address}/tune?{DATA}&{urlencode({'tune': json.dumps(BRIEF)})}"
    page = open_page(link, width=390, height=800, color_scheme="light")
    for place, scheme in zip(TABS, itertools.cycle(("dark", "light")), strict=False):
        page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_text(place, exact=True).click()
        settled(page)
        run = page.get_by_role("button", name="Run", exact=True)
        expect(run.or_(page.locator(".js-plotly-plot")).first).to_be_visible()
        if run.count():  # a link does not start what may take long
            run.click()
        settled(page)
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        expect(page.get_by_role("button", name=OPEN_RUN).first).to_be_visible()
        themed(page, scheme)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390, (place, scheme)


def test_all_tabs_stand_in_one_line(open_page, address):
    page = settled(open_page(f"{address}/tune?{DATA}", width=1280))
    tabs = page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_role("radio")
    expect(tabs).to_have_count(len(tune.TABS))
    assert len({box["y"] for box in (tab.bounding_box() for tab in tabs.all())}) == 1


def test_tab_ranges_and_finished_grid_survive_a_reload(open_page, address):
    page = open_page(f"{address}/tune?{GRID}")
    expect(page.get_by_text("21 runs")).to_be_visible()
    values = page.get_by_label("Values", exact=True)
    values.fill("4")
    values.press("Enter")
    expect(page.get_by_text("4 runs:")).to_be_visible()
    expect(page).to_have_url(re.compile(r"range\.concentration\.\.n%22%3A4"))
    page.reload()
    expect(page.get_by_text("4 runs:")).to_be_visible()
    expect(page.get_by_label("Values", exact=True)).to_have_value("4")


def test_the_report_asks_nobody_for_anything(open_page, address, tmp_path):
    page = open_page(f"{address}/tune?{DATA}")
    run, offered = (page.get_by_role("button", name=re.compile(name)) for name in ("^Run$", "Report of this session"))
    expect(run.or_(offered).first).to_be_visible()
    if run.count():  # nobody has run it on this server yet
        run.click()
    expect(offered).to_be_visible()
    file = tmp_path / "report.html"
    file.write_bytes(downloaded(page, offered).read_bytes())
    report = page.context.new_page()
    asked: list[str] = []
    report.on("request", lambda request: asked.append(request.url))
    report.goto(file.as_uri())
    expect(report.get_by_role("heading", name="Recommendation")).to_be_visible()
    expect(report.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    report.emulate_media(media="print")
    assert report.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert asked == [file.as_uri()]
