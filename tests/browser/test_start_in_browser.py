"""The first page in a real browser: one screen, few words and controls, one button, and nothing jumps."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from boxes import cut_off, overlapping, resized
from browsing import Open, go_by_navigation, motionless, settled
from measures import controls, shifts, watching_shifts, words
from player_steps import ready
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

SCREENS = [(1440, 900), (390, 844), (1920, 1080), (2560, 1440)]


def opened(open_page: Open, address: str, width: int, height: int, scheme: Literal["light", "dark"] = "light") -> Page:
    page = watching_shifts(open_page("about:blank", width=width, height=height, color_scheme=scheme))
    page.goto(address)
    expect(page.locator(".dpviz-hero .panel-status").first).to_have_text(re.compile("3 clusters, ARI"))
    motionless(settled(page))
    return page


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_first_page_is_one_screen_of_few_words_and_controls_and_nothing_on_it_jumps(
    open_page, address, width, height
):
    page = opened(open_page, address, width, height)
    for name in ("Learn why", "Try it", "Draw points", "Your table"):
        box = page.get_by_test_id("stMain").get_by_role("link", name=name).bounding_box()
        assert box is not None and box["y"] + box["height"] <= height
    assert controls(page) <= 20
    assert words(page) <= 60
    assert shifts(page) < 0.1
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width


def test_one_press_shows_visits_with_their_costs_and_then_the_right_and_the_wrong_answer(open_page, address):
    page = opened(open_page, address, 1440, 900, "dark")
    statuses = page.locator(".dpviz-hero .panel-status")
    page.locator(".dpviz-hero .go").click()
    expect(statuses.first).to_have_text("cost: squared distance")
    expect(statuses.first).to_have_text(re.compile(r"3 clusters, ARI 0\.[345]\d, NMI 0\.[56]\d"))
    expect(statuses.last).to_have_text(re.compile(r"3 clusters, ARI 0\.9\d, NMI 0\.9\d"))
    expect(page.locator(".dpviz-hero .go")).to_have_text("Again")
    assert words(page) <= 60


def test_every_mark_and_number_of_the_film_is_explained(open_page, address):
    page = opened(open_page, address, 1280, 720)
    statuses, key = page.locator(".dpviz-hero .panel-status"), page.locator(".dpviz-hero .key")
    position = page.get_by_role("slider", name="Position in the film")
    position.press("Home")
    expect(key).to_have_text("50 %95 %to come")
    expect(key).to_have_attribute("title", re.compile(r"solid ring .* 50 % .* dashed one 95 %.* Grey .* pale grey"))
    position.press("ArrowRight")
    expect(statuses.first).to_have_attribute("title", re.compile("squared"))
    expect(statuses.last).to_have_text("cost: how surprising here")
    expect(statuses.last).to_have_attribute("title", re.compile("Minus the logarithm of .* size times the density"))
    position.press("End")
    for status in statuses.all():
        expect(status).to_have_attribute(
            "title", re.compile("ARI, the adjusted Rand index.* NMI, the normalised mutual")
        )
    expect(key.get_by_text("to come")).to_be_hidden()  # all points have been visited


def test_the_film_can_be_scrubbed_by_keys_and_needs_no_motion(open_page, address):
    page = open_page(address, width=1280, reduced_motion="reduce")
    status, button = page.locator(".dpviz-hero .panel-status"), page.locator(".dpviz-hero .go")
    expect(status.last).to_have_text(re.compile(r"3 clusters, ARI 0\.9"))  # what is said above it
    expect(button).to_have_text("Play")
    position = page.get_by_role("slider", name="Position in the film")
    position.press("Home")
    expect(status.first).to_have_text("3 centres")
    position.press("ArrowRight")
    expect(page.locator(".dpviz-hero .panel-status").first).to_have_text("cost: squared distance")
    position.press("End")
    expect(page.locator(".dpviz-hero .panel-status").last).to_have_text(re.compile("ARI"))
    seen = """() => new Promise((done) => {
      const range = document.querySelector(".dpviz-hero") ?? [...document.querySelectorAll("*")].map((node) =>
        node.shadowRoot?.querySelector(".dpviz-hero")).find(Boolean);
      const [slider, button] = [range.querySelector("input"), range.querySelector(".go")];
      const frames = new Set();
      const look = () => {
        frames.add(slider.value);
        if (button.textContent === "Again" && frames.size > 1) done([...frames].map(Number));
        else requestAnimationFrame(look);
      };
      button.click();
      requestAnimationFrame(look);
    })"""
    frames = page.evaluate(seen)
    assert len([frame for frame in frames if 0 < frame < 30]) == 0  # no single visit, no hurry


def test_in_large_type_nothing_overlaps_and_nothing_is_cut_off(open_page, address):
    page = opened(open_page, f"{address}/?ui=present", 1440, 900)
    for size in ((1440, 900), (1280, 720)):
        resized(page, *size)
        settled(page)
        assert overlapping(page) == [], size
        assert cut_off(page) == [], size


def test_large_type_lasts_from_page_to_page_and_one_press_leads_back(open_page, address):
    page = opened(open_page, f"{address}/?ui=present", 1440, 900)
    page.get_by_test_id("stMain").get_by_role("link", name="Try it").click()
    expect(page).to_have_url(re.compile(r"/explore\?.*run="))
    ready(page)
    large = "() => parseFloat(getComputedStyle(document.documentElement).fontSize)"
    assert page.evaluate(large) == 20
    expect(page).to_have_url(re.compile("ui=present"))
    go_by_navigation(page, "Experiment", "Compare")
    expect(page).to_have_url(re.compile(r"/compare\?.*panels="))
    settled(page)
    assert page.evaluate(large) == 20
    expect(page).to_have_url(re.compile("ui=present"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"/explore\?.*run="))
    ready(settled(page))
    page.go_back()
    expect(page.locator(".dpviz-hero .go")).to_be_visible()
    assert page.evaluate(large) == 20


def test_a_point_that_is_carried_has_its_prices_in_both_pictures_until_the_film_plays(open_page, address):
    page = opened(open_page, address, 1440, 900)
    statuses, (left, right) = (
        page.locator(".dpviz-hero .panel-status"),
        page.get_by_role("slider", name="The point").all(),
    )
    before = statuses.all_inner_texts()
    at = left.locator(".grip").bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    page.mouse.down()
    page.mouse.move(at["x"] - 200, at["y"], steps=4)
    page.mouse.up()
    expect(statuses).to_have_text(["cost: squared distance", "cost: how surprising here"])
    expect(page.locator(".dpviz-hero [role=status]")).to_have_text(re.compile(r"distance \d.*; .*here −?\d"))
    assert left.get_attribute("aria-valuetext") == right.get_attribute("aria-valuetext")
    position = page.get_by_role("slider", name="Position in the film")
    position.press("Home")
    expect(left).to_be_hidden()
    position.press("End")
    expect(statuses).to_have_text(before)


MARKS = """() => {
  const hero = [...document.querySelectorAll("*")].map((node) => node.shadowRoot?.querySelector(".dpviz-hero"))
    .find(Boolean) ?? document.querySelector(".dpviz-hero");
  const position = hero.querySelector("input");
  const marksAt = (frame) => {
    position.value = frame;
    position.dispatchEvent(new Event("input"));
    return [...hero.querySelectorAll(".overlay")].map((overlay) => {
      const { data } = overlay.getContext("2d").getImageData(0, 0, overlay.width, overlay.height);
      const drawn = data.some((value, k) => k % 4 === 3 && value > 0);
      return [drawn, getComputedStyle(overlay).opacity];
    });
  };
  return [marksAt(5), marksAt(position.max)];
}"""


def test_nothing_of_a_visit_is_left_at_the_end_and_only_what_is_wrong_is_marked(open_page, address):
    page = opened(open_page, address, 390, 844)
    visit, end = page.evaluate(MARKS)
    assert visit == [[True, "1"], [True, "1"]]
    assert end == [[True, "1"], [False, "0"]]
    wrong, right = page.locator(".dpviz-hero .panels").get_by_role("img").all()
    expect(wrong).to_have_attribute("aria-label", re.compile("cut in two.*merged"))
    expect(right).not_to_have_attribute("aria-label", re.compile("cut|merged"))


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_first_page_is_as_high_as_its_window(open_page, address, width, height):
    page = opened(open_page, address, width, height)
    room = "document.querySelector('[data-testid=stMain]').scrollHeight"
    assert page.evaluate(room) <= height
