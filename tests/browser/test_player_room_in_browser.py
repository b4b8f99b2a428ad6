"""How much of the window the picture has, and the player for those who hear it, in a real browser."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import fake_runs
import pytest
from browsing import settled
from player_steps import button, expect_sweep, ready, show_chart
from playwright.sync_api import Locator, Page, expect

from dpviz.config import RunConfig
from dpviz.partition import ChineseRestaurant
from dpviz.ui.session.chosen_data import DataChoice

pytestmark = pytest.mark.browser

SMALL = DataChoice("synthetic", "crp_mixture").with_options(n=100)


def run_address(n0: float, layout: str) -> str:
    """Address of a small run of MAP-DP in a layout."""
    config = RunConfig("mapdp", n_init=1, partition=ChineseRestaurant(n0), family="normal_wishart", prior=None)
    return f"?{urlencode({'data': SMALL.to_json(), 'run': json.dumps(config.to_query()), 'ui': layout})}"


def box(place: Locator) -> dict[str, float]:
    """Where an element is."""
    found = place.bounding_box()
    assert found is not None
    return dict(found)


def share_of_window(page: Page) -> float:
    """Part of the window's area that the plot covers."""
    stage, size = box(page.locator(".stage").first), page.viewport_size
    assert size is not None
    right, bottom = stage["x"] + stage["width"], stage["y"] + stage["height"]
    assert stage["x"] >= 0 and stage["y"] >= 0 and right <= size["width"] and bottom <= size["height"]
    return stage["width"] * stage["height"] / (size["width"] * size["height"])


@pytest.mark.parametrize(("layout", "least"), [("full", 0.45), ("present", 0.55)])
def test_the_picture_has_its_part_of_a_laptops_window(open_page, address, layout, least):
    page = settled(ready(open_page(f"{address}/explore?ui={layout}", width=1440, height=900), every_control=False))
    assert share_of_window(page) >= least
    transport = box(page.locator(".transport"))
    assert transport["y"] + transport["height"] <= 900


@pytest.mark.parametrize(("width", "height"), [(1000, 800), (960, 540)])
def test_the_embedded_player_fills_its_frame(open_page, address, width, height):
    page = settled(ready(open_page(f"{address}/{run_address(3, 'min')}", width=width, height=height)))
    assert share_of_window(page) > 0.55
    for part in (".ribbon", ".chart-nll", ".chart-sizes", ".transport"):
        inside = box(page.locator(part))
        assert inside["y"] >= 0 and inside["y"] + inside["height"] <= height, part
    transport = box(page.locator(".transport"))
    assert height - transport["y"] - transport["height"] < 40  # nothing is left empty below


def test_the_view_stays_when_n0_changes(open_page, address):
    views = []
    for n0 in (0.5, 3, 10):
        page = settled(ready(open_page(f"{address}/{run_address(n0, 'full')}", width=1440, height=900)))
        views.append(page.locator(".stage .overlay").get_attribute("data-view"))
    assert views[0] == views[1] == views[2]


def test_charts_come_and_go_and_the_data_keep_out_of_their_way(open_page):
    page = ready(open_page())
    expect(page.locator(".chart:visible")).to_have_count(2)
    charts, view = box(page.locator(".charts")), page.locator(".stage .overlay").get_attribute("data-view")
    known, stage = json.loads(view or ""), box(page.locator(".stage"))
    x_low, x_high = known["bounds"][:2]
    share = (charts["x"] - stage["x"] - known["plot"]["x"]) / known["plot"]["width"]
    assert fake_runs.full_panel().points[:, 0].max() < x_low + share * (x_high - x_low)
    for title in ("Cost", "Cluster sizes"):
        show_chart(page, title)
    expect(page.locator(".charts")).to_be_hidden()


@pytest.mark.parametrize("width", [390, 1280])
def test_ribbon_and_slider_are_one_time_axis(open_page, width):
    page = ready(open_page(width=width))
    ribbon, slider = page.locator(".ribbon"), box(page.get_by_role("slider", name="Sweep"))
    page.mouse.move(0, 0)
    for sweep in (0, 4, 11):
        page.get_by_role("slider", name="Sweep").fill(str(sweep))
        thumb = slider["x"] + 8 + sweep / 11 * (slider["width"] - 16)  # its middle; it is 16 pixels wide
        ribbon.scroll_into_view_if_needed()
        place = box(ribbon)
        page.mouse.move(thumb, place["y"] + 10)
        expect(page.locator(".ribbon .hint")).to_contain_text(f"sweep {sweep} ")


def test_why_here_is_answered_beside_the_picture_in_sight(open_page, address):
    page = settled(ready(open_page(f"{address}/explore", width=1440, height=900), every_control=False))
    page.locator(".stage .overlay").focus()
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    answer = page.get_by_role("region", name="Why here?")
    expect(answer).to_contain_text(re.compile(r"Why is point \d+ in cluster \d+ after sweep \d+\?"))
    place, stage = box(answer), box(page.locator(".stage"))
    assert place["x"] > stage["x"] and place["x"] + place["width"] <= stage["x"] + stage["width"]
    assert place["y"] >= stage["y"] and place["y"] + place["height"] <= stage["y"] + stage["height"]
    assert share_of_window(page) >= 0.45
    for chart in page.locator(".chart:visible").all():
        assert box(chart)["y"] >= place["y"] + place["height"]
        assert box(chart)["y"] + box(chart)["height"] <= stage["y"] + stage["height"]
    page.locator(".stage .overlay").focus()
    page.keyboard.press("Escape")
    expect(answer).to_be_hidden()


def test_on_a_phone_the_answer_comes_into_sight(open_page, address):
    page = settled(ready(open_page(f"{address}/{run_address(3, 'full')}", width=390, height=844)))
    page.locator(".stage .overlay").focus()
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Why here?")).to_be_in_viewport(ratio=0.9)


def test_the_whole_screen(open_page):
    page = ready(open_page(width=1000, height=700))
    before = share_of_window(page)
    button(page, "Full screen").click()
    expect(page.locator(".dpviz-player")).to_have_class(re.compile(r"\bfull\b"))
    assert share_of_window(page) >= before
    expect(button(page, "Play")).to_be_in_viewport()
    page.evaluate("() => document.exitFullscreen()")
    expect(page.locator(".dpviz-player")).not_to_have_class(re.compile(r"\bfull\b"))


def test_every_sweep_is_a_sentence_on_demand(open_page):
    page = ready(open_page())
    live = page.get_by_role("status")
    button(page, "Step").click()
    expect(live).to_have_text(re.compile(r"^sweep 1 of 11, "))  # where it came to rest, and no sentence
    page.keyboard.press("v")
    expect(button(page, "Say every sweep")).to_have_attribute("aria-pressed", "true")
    said = r"^Sweep {} of 11: 4 clusters, (no point|\d+ points?) moved, cost [\d\s.]+, ARI \S+, NMI \S+\.$"
    expect(live).to_have_text(re.compile(said.format(1)))
    button(page, "Step").click()
    expect(live).to_have_text(re.compile(said.format(2)))
    expect_sweep(page, 2)


def test_titles_of_costs_are_explained(open_page):
    page = ready(open_page())
    title = page.locator(".chart-nll .chart-title")
    expect(title).to_have_text("Cost")
    expect(title).to_have_attribute("title", re.compile("minus the log probability of the data"))
    expect(page.get_by_role("img", name=re.compile("^Cost over the sweeps. nll"))).to_be_visible()


def test_a_lesson_and_its_run_by_keys_and_what_is_heard(open_page, address):
    page = settled(ready(open_page(f"{address}/explore", width=1280, height=900)))
    onwards = page.get_by_role("button", name="Now the same data with MAP-DP")
    for _ in range(60):
        page.keyboard.press("Tab")
        if onwards.evaluate("(node) => node === document.activeElement"):
            break
    page.keyboard.press("Enter")
    figure = page.get_by_role("application", name=re.compile("Points of MAP-DP"))
    expect(figure).to_be_focused()
    slider = page.get_by_role("slider", name="Sweep")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("sweep [1-9]"))  # it plays by itself
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"3 clusters, ARI (0\.9|1)"))
    expect(page.get_by_role("status").filter(has_text="3 clusters")).to_have_text(re.compile("ARI"))
    assert "slider" in page.locator(".transport").aria_snapshot()


@pytest.mark.parametrize("width", [390, 760, 1280])
def test_plots_stay_where_they_are_whatever_a_sweep_has_to_tell(open_page, width):
    page = ready(open_page(width=width, height=844))
    places = []
    for name in ("First", "Step", "Step", "Last"):
        button(page, name).click()
        places.append(box(page.locator(".stage")))
    assert all(place == places[0] for place in places)
