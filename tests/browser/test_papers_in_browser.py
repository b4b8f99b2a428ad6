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
