"""The Papers page in a real browser: a table, its figures, and a row that opens in Compare."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import pytest
from boxes import resized
from browsing import Open
from playwright.sync_api import expect

QUERY = urlencode({"papers": json.dumps({"study": "raykov2016-scenarios"})})

pytestmark = pytest.mark.browser


def test_tables_and_figures_fit_the_screen(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/papers?{QUERY}", width=390, color_scheme="dark")
    expect(page.get_by_test_id("stDataFrame")).to_have_count(2)
    expect(page.get_by_role("button", name="Every run (CSV)")).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(6)
    expect(page.get_by_text("Each panel draws the same 666 of the 4,000 points")).to_have_count(6)
    expect(page.locator(".js-plotly-plot .points path")).to_have_count(6 * 3 * 666)
    for width in (390, 1280):
        resized(page, width, 900)
        expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(6)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width


def test_a_row_opens_in_compare(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/papers?{QUERY}")
    page.get_by_text("How a row was made").first.click()
    page.get_by_role("button", name="Open in Compare").first.click()
    expect(page).to_have_url(re.compile("/compare"))
    expect(page.get_by_text("Circles of unequal radius").first).to_be_visible()
