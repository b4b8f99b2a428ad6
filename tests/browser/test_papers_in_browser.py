"""The Papers page in a real browser: tables beside what is said of them, a row of which opens in Compare."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import pytest
from boxes import cut_off, overlapping, resized
from browsing import settled
from playwright.sync_api import expect

QUERY = urlencode({"papers": json.dumps({"study": "raykov2016-scenarios"})})

pytestmark = pytest.mark.browser


def test_a_row_opens_in_compare(open_page, address):
    page = open_page(f"{address}/papers?{QUERY}")
    page.get_by_text("How a row was made").first.click()
    page.get_by_role("button", name="Open in Compare").first.click()
    expect(page).to_have_url(re.compile("/compare"))
    expect(page.get_by_text("Circles of unequal radius").first).to_be_visible()


@pytest.mark.parametrize("study", ["raykov2016-scenarios", "lu2018-simulation-1", "lu2018-where-powers-pay"])
def test_what_is_shown_stands_beside_what_is_said_of_it_where_there_is_room(open_page, address, study):
    link = urlencode({"papers": json.dumps({"study": study})})
    page = settled(open_page(f"{address}/papers?{link}", width=1440))
    place = page.locator("[class*=st-key-papers-beside]").filter(has=page.get_by_test_id("stTable")).first
    table, heading = place.get_by_test_id("stTable"), place.get_by_role("heading")
    for width, is_beside in ((1440, True), (1920, True), (390, False)):
        resized(page, width, 900)
        said, shown, whole = (one.bounding_box() for one in (heading, table, place))
        assert (said["x"] + said["width"] < shown["x"]) is is_beside
        assert (abs(said["y"] - shown["y"]) < 20) is is_beside
        assert shown["x"] + shown["width"] == pytest.approx(whole["x"] + whole["width"], abs=2)
        assert overlapping(page) == [] and cut_off(page) == [], width


def test_a_power_is_answered_while_it_is_moved_and_stays_in_the_address(open_page, address):
    page = open_page(f"{address}/papers?{urlencode({'papers': json.dumps({'study': 'lu2018-where-powers-pay'})})}")
    expect(page.get_by_text("r = 1.10, one cluster has an nll")).to_be_visible()
    page.get_by_role("slider", name="Power r").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("r = 1.11, one cluster has an nll")).to_be_visible()
    expect(page).to_have_url(re.compile(r"1\.11"))
