"""The Compare page in a real browser: one playhead, clicks in the heatmap, narrow screens, lessons."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import player_steps
import pytest
from boxes import resized, themed
from browsing import click_middle, expander, motionless, moved, point_at, settled
from playwright.sync_api import Page, expect

from dpviz import PoweredChineseRestaurant, RunConfig
from dpviz.ui.session.chosen_data import DataChoice

pytestmark = pytest.mark.browser

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=200)
SIX = [
    RunConfig("kmeans", n_clusters=2, n_init=1),
    RunConfig("kmeans", n_clusters=3, n_init=1),
    RunConfig("dpmeans", penalty=80.0),
    RunConfig("mapdp", n_init=1, family="normal_wishart", prior=None),
    RunConfig("gibbs", n_sweeps=12, burn_in=2, family="normal_wishart", prior=None),
    RunConfig(
        "gibbs",
        n_sweeps=25,
        burn_in=2,
        partition=PoweredChineseRestaurant(1.0, 1.2),
        family="normal_wishart",
        prior=None,
    ),
]


def link(address: str, panels: list[RunConfig], **more: str) -> str:
    query = {"data": SMALL.to_json(), "panels": json.dumps([config.to_query() for config in panels]), **more}
    return f"{address}/compare?{urlencode(query)}"


def ready(page: Page) -> Page:
    """Wait until everything below the player is there."""
    expect(page.get_by_role("heading", name="Luck or method?")).to_be_visible()
    return player_steps.ready(page)


def test_lists_of_runs_name_them_as_they_are_now(open_page, address):
    page = ready(open_page(link(address, SIX[:3])))
    columns = page.get_by_test_id("stSelectbox").filter(has_text="Columns").locator("input")
    expect(columns).to_have_value(re.compile("K = 3"))
    expander(page, "Panels").get_by_role("slider", name="Clusters K").nth(1).press("ArrowRight")
    expect(columns).to_have_value(re.compile("K = 4"))


def test_the_picture_shows_what_the_table_scores(open_page, address):
    page = ready(open_page(link(address, [SIX[0], SIX[4]])))
    expect(page.locator(".chart-note").first).to_have_text("no nll, so no line: 1 K-means")
    status = page.locator(".panel-status")
    scored = page.get_by_role("button", name="of 2 Gibbs")
    sweep = re.search(r"sweep (\d+) of 2 Gibbs", scored.inner_text())[1]  # type: ignore[index]
    n_clusters = page.get_by_role("row").filter(has_text="Gibbs").get_by_role("cell").first.inner_text().strip("★ ")
    shown = re.compile(rf"sweep {sweep} of 12 · {n_clusters} cluster")
    expect(status.nth(1)).to_contain_text(shown)
    for _ in range(2):  # and back again from anywhere
        page.get_by_role("slider", name="Sweep").press("Home")
        expect(status.nth(1)).to_contain_text("sweep 0 of 12")
        settled(page)
        scored.click()
        expect(status.nth(1)).to_contain_text(shown)


def test_six_panels_share_one_playhead_in_three_ways(open_page, address):
    page = ready(open_page(link(address, SIX), width=1600))
    status = page.locator(".panel-status")
    expect(status).to_have_count(6)
    lengths = [int(re.search(r"of (\d+)", status.nth(k).inner_text())[1]) for k in range(6)]  # type: ignore[index]
    assert lengths[4:] == [12, 25]
    slider = page.get_by_role("slider", name="Sweep")
    slider.fill("12")
    expect(status.nth(4)).to_contain_text("sweep 12 of 12")
    expect(status.nth(5)).to_contain_text("sweep 12 of 25")
    page.locator("select").filter(has_text="same fraction").select_option("fraction")
    expect(status.nth(4)).to_contain_text("sweep 6 of 12")
    expect(status.nth(5)).to_contain_text("sweep 12 of 25")
    page.get_by_role("button", name="Last", exact=True).click()
    for number, last in enumerate(lengths):
        expect(status.nth(number)).to_contain_text(f"sweep {last} of {last}")


@pytest.mark.parametrize("layout", ["full", "min", "present"])
def test_all_plots_are_what_one_sees(open_page, address, layout):
    page = open_page(link(address, SIX[:4], ui=layout), width=1440, height=900)
    for n_panels in (4, 5, 6):
        if n_panels > 4:
            moved(page, link(address, SIX[:n_panels], ui=layout))
        plots = page.locator(".panel .stage")
        expect(plots).to_have_count(n_panels)
        motionless(settled(ready(page)))
        expect(page.get_by_text("Same seed", exact=True)).to_be_hidden()
        bar = page.get_by_role("slider", name="Sweep").bounding_box()
        assert bar is not None
        for number in range(n_panels):
            box = plots.nth(number).bounding_box()
            assert box is not None, (n_panels, number)
            assert box["y"] > 0 and box["y"] + box["height"] < bar["y"], (n_panels, number)
            assert box["height"] > 150, (n_panels, number)


def test_settings_stay_open_while_they_are_being_changed(open_page, address):
    page = ready(open_page(link(address, SIX[:2], same='{"seed":0,"effort":"restarts","starts":2}')))
    page.get_by_text("Panels", exact=True).click()
    restarts = page.get_by_label("Restarts of all panels")
    restarts.fill("4")
    restarts.press("Enter")
    expect(page.get_by_role("table")).to_contain_text(re.compile(r"4\s+starts"))
    expect(restarts).to_be_visible()
    expect(page).to_have_url(re.compile("starts%22%3A4|starts%22:4"))


def test_a_click_in_the_heatmap_shows_the_points_of_the_cell(open_page, address):
    page = ready(open_page(link(address, SIX[:2]), width=1600, height=1200))
    cells = page.locator(".js-plotly-plot").filter(has_text="Cluster of 1 K-means")
    cells.scroll_into_view_if_needed()
    counts = cells.locator(".textpoint text")
    expect(counts.first).to_be_visible()
    found = page.get_by_text(re.compile(r"points are in cluster \d+ of 1 K-means"))
    expect(found).to_be_visible()
    texts = [(counts.nth(number), text) for number, text in enumerate(counts.all_text_contents()) if text]
    assert len({text for _, text in texts}) == len(texts) > 2
    for cell, text in texts[:2]:  # one at once after the other, which plotly would take for a double click
        point_at(cell, cells, f": {text} point")
        page.mouse.down()
        page.mouse.up()
    expect(found).to_contain_text(f"{texts[1][1]} points are in cluster")
    for cell, text in texts:
        click_middle(cell)
        expect(found).to_contain_text(f"{text} points are in cluster")


def test_nothing_sticks_out_on_a_phone(open_page, address):
    page = ready(open_page(link(address, SIX), width=390, height=844, color_scheme="light"))
    overflow = "() => document.querySelector('[data-testid=stMain]').scrollWidth - window.innerWidth"
    for scheme in ("light", "dark"):
        themed(page, scheme)
        assert page.evaluate(overflow) <= 0, scheme
        expect(page.get_by_role("table")).to_contain_text("VI (bits)")


def test_a_lesson_is_two_clicks_away(open_page, address):
    page = ready(open_page(link(address, SIX[:2])))
    page.get_by_role("link", name="Lessons").click()
    page.get_by_role("button", name="Old Faithful").click()
    expect(page.get_by_role("table")).to_contain_text("4 Powered CRP")
    expect(page.get_by_test_id("stMain").get_by_text("less so with the power")).to_be_visible()
    expect(page).to_have_url(re.compile("old_faithful.*panels="))


def test_a_long_comparison_shows_how_far_it_is_and_can_be_stopped(open_page, address):
    long = [SIX[0], RunConfig("gibbs", n_sweeps=500_000, burn_in=0, thin=500, family="normal_wishart", prior=None)]
    page = open_page(link(address, long))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(re.compile(r"2 Gibbs.*sweeps/s"))).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    ready(page)
    expect(page.get_by_text("Stopped early")).to_be_visible()
    expect(page.get_by_role("table")).to_contain_text("2 Gibbs")


def test_plots_stand_in_line_and_stay_where_they_are(open_page, address):
    page = ready(open_page(link(address, SIX), width=1600, height=1300))
    slider = page.get_by_role("slider", name="Sweep")

    def tops():
        script = "stages => stages.map((stage) => stage.getBoundingClientRect().top)"
        return page.locator(".panel .stage").evaluate_all(script)  # type: ignore[no-any-return]

    for width, n_lines in ((1600, 2), (390, 6)):
        resized(page, width, 1300)
        slider.scroll_into_view_if_needed()
        slider.fill("0")
        before = tops()
        assert (len(before), len(set(before))) == (6, n_lines), width
        for sweep in (1, 2, 7, 25):
            slider.fill(str(sweep))
            expect(page.locator(".panel-status").nth(5)).to_contain_text(f"sweep {sweep} of 25")
            assert tops() == before, (width, sweep)
