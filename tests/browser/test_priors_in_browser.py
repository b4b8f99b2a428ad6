"""The Priors page in a real browser: restaurants that play and step, ways to other pages, narrow screens."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import numpy as np
import pytest
from boxes import cut_off, overlapping, resized
from browsing import frames_of, moved, settled
from measures import controls
from playwright.sync_api import Locator, Page, expect

from dpviz.partition import ChineseRestaurant, MixtureOfFiniteMixtures, PoweredChineseRestaurant
from dpviz.ui.priors import laws
from dpviz.ui.session.chosen_data import DataChoice

DATA = DataChoice("synthetic", "elliptical_overlap").with_options(n=80).to_json()
TITLES = {
    "restaurants": "Restaurants",
    "counts": "Number of clusters",
    "sizes": "Sizes of clusters",
    "data": "Data sets",
    "elicit": "From K to N0",
    "continuum": "Gibbs to K-means",
}
N = 40

pytestmark = pytest.mark.browser


def at_tab(address: str, tab: str, **settings: object) -> str:
    return f"{address}/priors?{urlencode({'data': DATA, 'priors': json.dumps({'tab': tab, **settings})})}"


def drawn(page: Page, tab: str) -> None:
    """Wait for what a tab shows last."""
    if tab == "restaurants":
        expect(page.locator(".dpviz-restaurant .position")).to_contain_text("of")
    elif tab in ("counts", "sizes"):
        expect(page.locator(".dpviz-curves .law-chart")).to_be_visible()
    else:
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    last = {"data": "Open this draw in Explore", "elicit": "Use on Tune"}
    if tab in last:
        expect(page.get_by_role("button", name=last[tab])).to_be_visible()


def seats(page: Page) -> Locator:
    return page.get_by_role("slider", name="Customers")


def sizes(page: Page, number: int) -> list[int]:
    """Customers at each table of a restaurant."""
    text = page.locator(".dpviz-restaurant .panel").nth(number).get_attribute("data-sizes") or ""
    return [int(size) for size in text.split()]


def test_restaurants_step_and_scrub_with_the_seats_of_the_library(open_page, address):
    which = ["chinese_restaurant", "finite_mixtures", "powered"]
    page = open_page(at_tab(address, "restaurants", customers=N, which=which, seed=3, power=1.5, gamma=0.5))
    panels = page.locator(".dpviz-restaurant .panel")
    expect(panels).to_have_count(3)
    expect(page.locator(".dpviz-restaurant .position")).to_have_text(f"30 of {N}")
    priors = [ChineseRestaurant(3.0), MixtureOfFiniteMixtures(0.5), PoweredChineseRestaurant(3.0, 1.5)]
    labels = [prior.sample_sequential_seating(N, 3) for prior in priors]
    seats(page).press("Home")
    expect(page.locator(".dpviz-restaurant .position")).to_have_text(f"0 of {N}")
    assert sizes(page, 0) == []
    for seated in (1, 2):
        page.get_by_role("button", name="Step", exact=True).click()
        expect(page.locator(".dpviz-restaurant .position")).to_have_text(f"{seated} of {N}")
    seats(page).press("]")
    for seated in (12, 13):
        expect(page.locator(".dpviz-restaurant .position")).to_have_text(f"{seated} of {N}")
        for number, (prior, own) in enumerate(zip(priors, labels, strict=True)):
            expected = np.bincount(own[:seated])
            assert sizes(page, number) == expected.tolist()
            new = float(panels.nth(number).get_attribute("data-new") or "nan")
            assert new == pytest.approx(prior.seat_probabilities(expected)[-1], abs=1e-6)
            expect(panels.nth(number).locator(".panel-status")).to_contain_text(f"{len(expected)} table")
        seats(page).press("ArrowRight")
    expect(page.get_by_text(f"The playhead rests at customer 14 of {N}.")).to_be_visible()  # the page was told


def test_a_dial_seats_the_customers_anew_while_it_moves_and_asks_nobody(open_page, address):
    page = open_page("about:blank")
    sent = frames_of(page)
    page.goto(at_tab(address, "restaurants", customers=N, which=["chinese_restaurant", "powered"], seed=3, power=1.5))
    expect(page.locator(".dpviz-restaurant .position")).to_have_text(f"30 of {N}")
    dial = settled(page).get_by_role("slider", name="Concentration N0")
    place = dial.bounding_box()
    assert place is not None
    middle = place["y"] + place["height"] / 2
    sent.clear()
    page.mouse.move(place["x"] + 0.5 * place["width"], middle)
    page.mouse.down()
    page.mouse.move(place["x"] + 0.9 * place["width"], middle, steps=4)
    title = page.locator(".dpviz-restaurant .panel-title")
    expect(title.first).not_to_have_text("Chinese restaurant, N0 = 3")
    page.wait_for_timeout(600)  # longer than a dial rests
    assert sent == []
    shown = re.search(r"N0 = ([\d.]+)", title.first.inner_text())
    assert shown is not None
    n0 = float(shown[1])
    for number, prior in enumerate((ChineseRestaurant(n0), PoweredChineseRestaurant(n0, 1.5))):
        assert sizes(page, number) == np.bincount(prior.sample_sequential_seating(N, 3)[:30]).tolist()
    page.mouse.up()
    expect(page).to_have_url(re.compile(f"concentration%22%3A(\\+|%20)?{n0:g}"))


@pytest.mark.parametrize("tab", ["counts", "sizes"])
def test_laws_answer_while_a_slider_moves_and_ask_nobody(open_page, address, tab):
    page = open_page("about:blank")
    sent = frames_of(page)
    page.goto(at_tab(address, tab, points=N, which=["chinese_restaurant", "powered"], seed=3, power=1.5))
    names = page.locator(".curve-names")
    expect(names).to_contain_text("Chinese restaurant, N0 = 3:")
    dial = settled(page).get_by_role("slider", name="Concentration N0")
    place = dial.bounding_box()
    assert place is not None
    middle = place["y"] + place["height"] / 2
    page.wait_for_timeout(600)
    sent.clear()
    page.mouse.move(place["x"] + 0.5 * place["width"], middle)
    page.mouse.down()
    page.mouse.move(place["x"] + 0.9 * place["width"], middle, steps=4)
    expect(names).not_to_contain_text("N0 = 3:")
    page.wait_for_timeout(600)  # longer than a dial rests
    assert sent == []
    shown = re.search(r"N0 = ([\d.]+)", names.inner_text())
    assert shown is not None
    for prior in (ChineseRestaurant(float(shown[1])), PoweredChineseRestaurant(float(shown[1]), 1.5)):
        panel = laws.count_panel(prior, N) if tab == "counts" else laws.share_panel(prior, N, 3)
        expect(names).to_contain_text(f"{panel['title']}: {panel['said']}")
    page.mouse.up()
    expect(page).to_have_url(re.compile(f"concentration%22%3A(\\+|%20)?{shown[1]}"))


def test_the_picture_rules_the_page_and_everything_else_is_one_press_away(open_page, address):
    page = open_page(f"{address}/priors", width=1440, height=900)
    expect(page.locator(".dpviz-restaurant .position")).to_have_text("30 of 100")
    box = settled(page).locator(".dpviz-restaurant .floor").bounding_box()
    assert box is not None
    assert box["width"] * box["height"] >= 0.2 * 1440 * 900 and box["y"] + box["height"] <= 900
    assert controls(page) <= 22  # with the page, which keys scroll, and the way home
    page.get_by_role("button", name="More").click()
    page.get_by_text("Pitman–Yor", exact=True).click()
    expect(page.locator(".dpviz-restaurant .panel")).to_have_count(2)


def test_restaurants_play_to_the_end_and_keep_the_playhead(open_page, address):
    page = open_page(at_tab(address, "restaurants", customers=N))
    position = page.locator(".dpviz-restaurant .position")
    expect(position).to_have_text(f"30 of {N}")
    page.get_by_label("Speed").select_option("8")
    transport = page.locator(".dpviz-restaurant .transport")  # a room of pages has the name of its button
    transport.get_by_role("button", name="Play").click()
    expect(transport.get_by_role("button", name="Pause")).to_be_visible()
    expect(transport.get_by_role("button", name="Play")).to_be_visible()  # it came to its end
    expect(position).to_have_text(f"{N} of {N}")
    seats(page).press("Home")
    seats(page).press("]")
    expect(page.get_by_text(f"The playhead rests at customer 10 of {N}.")).to_be_visible()
    page.get_by_text("Number of clusters", exact=True).click()
    drawn(page, "counts")
    page.get_by_text("Restaurants", exact=True).click()
    expect(position).to_have_text(f"10 of {N}")


def test_the_curve_of_tables_scrubs(open_page, address):
    page = open_page(at_tab(address, "restaurants", customers=N))
    expect(page.locator(".dpviz-restaurant .position")).to_have_text(f"30 of {N}")
    curve = page.locator(".dpviz-restaurant .counts")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".dpviz-restaurant .position")).not_to_have_text(f"30 of {N}")
    shown = int(page.locator(".dpviz-restaurant .position").inner_text().split()[0])
    assert abs(shown - N / 2) <= 3
    assert sum(sizes(page, 0)) == shown


def test_a_draw_opens_in_explore(open_page, address):
    page = open_page(at_tab(address, "data", draw_points=60))
    drawn(page, "data")
    expect(page.locator(".js-plotly-plot")).to_have_count(6)
    page.get_by_role("button", name="Open this draw in Explore").click()
    expect(page.get_by_role("application", name=re.compile("MAP-DP · N0 = 3"))).to_be_visible()


def test_an_elicited_concentration_is_used_on_explore(open_page, address):
    page = open_page(at_tab(address, "elicit", expected_points=500))
    drawn(page, "elicit")
    expect(page.get_by_text("N0 = 0.6923").first).to_be_visible()
    page.get_by_role("button", name="Use on Explore").click()
    expect(page.get_by_role("application", name=re.compile(r"MAP-DP · N0 = 0\.6923"))).to_be_visible()


def test_a_narrow_screen_never_scrolls_sideways(open_page, address):
    page = open_page(at_tab(address, "restaurants"), width=390, height=844, color_scheme="light")
    for tab, title in TITLES.items():
        page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_text(title, exact=True).click()
        drawn(page, tab)
        settled(page)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390, tab


@pytest.mark.parametrize("tabs", [list(TITLES)[:3], list(TITLES)[3:]], ids=" ".join)
def test_nothing_overlaps_or_is_cut_off(open_page, address, tabs):
    widths = [1280, 390]
    page = open_page(at_tab(address, tabs[0]), width=1280, height=900)
    for tab in tabs:
        if tab != tabs[0]:
            moved(page, at_tab(address, tab))
            tabs_shown = page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first
            expect(tabs_shown.locator("[data-selected=true]")).to_have_text(TITLES[tab])
            settled(page)
        drawn(page, tab)
        page.wait_for_function("() => document.querySelectorAll('[data-testid=stSpinner]').length === 0")
        for width in widths:
            resized(page, width, 900)
            assert cut_off(page) == [], (tab, width)
            assert overlapping(page) == [], (tab, width)
        widths.reverse()  # the next tab opens as wide as this one is at the end
