"""The Papers page in a real browser: a row of a table opens in Compare."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

QUERY = urlencode({"papers": json.dumps({"study": "raykov2016-scenarios"})})

pytestmark = pytest.mark.browser


def test_a_row_opens_in_compare(open_page, address):
    page = open_page(f"{address}/papers?{QUERY}")
    page.get_by_text("How a row was made").first.click()
    page.get_by_role("button", name="Open in Compare").first.click()
    expect(page).to_have_url(re.compile("/compare"))
    expect(page.get_by_text("Circles of unequal radius").first).to_be_visible()


def test_a_power_is_answered_while_it_is_moved_and_stays_in_the_address(open_page, address):
    page = open_page(f"{address}/papers?{urlencode({'papers': json.dumps({'study': 'lu2018-where-powers-pay'})})}")
    expect(page.get_by_text("r = 1.10, one cluster has an nll")).to_be_visible()
    page.get_by_role("slider", name="Power r").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("r = 1.11, one cluster has an nll")).to_be_visible()
    expect(page).to_have_url(re.compile(r"1\.11"))
