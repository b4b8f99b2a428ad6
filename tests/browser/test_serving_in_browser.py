"""The server that people start, in a real browser: tables come and go, and the first minute is no blank."""

from __future__ import annotations

import re
import sys

import pytest
from browsing import DATA_PAGE, answering, downloaded, free_port, served
from playwright.sync_api import expect

from dpviz.server import BROWSER_COOKIE

pytestmark = pytest.mark.browser


def test_a_table_is_uploaded_edited_and_taken_home(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    forbidden: list[str] = []
    page.on("console", lambda message: forbidden.append(message.text) if "Security Policy" in message.text else None)
    page.get_by_test_id("stButtonGroup").first.get_by_text("Load", exact=True).click()
    content = b"a,b\n" + b"".join(b"%d,%d\n" % (i * i, i % 7) for i in range(30))
    page.locator("input[type=file]").set_input_files([{"name": "t.csv", "mimeType": "text/csv", "buffer": content}])
    page.get_by_role("button", name="Use these data").click()
    expect(page.get_by_text("These data are in use on every page.")).to_be_visible()
    file = downloaded(page, page.get_by_role("button", name="Download as clustered (CSV)"))
    assert len(file.read_text(encoding="utf-8-sig").splitlines()) == 31
    assert forbidden == []


def test_a_table_is_uploaded_in_a_frame_on_another_site(open_page, address, embedder):
    page = open_page(f"{embedder}/?{address}/data")
    frame = page.frame_locator("iframe")
    frame.get_by_test_id("stButtonGroup").first.get_by_text("Load", exact=True).click()
    content = b"a,b\n" + b"".join(b"%d,%d\n" % (i * i, i % 7) for i in range(30))
    frame.locator("input[type=file]").set_input_files([{"name": "t.csv", "mimeType": "text/csv", "buffer": content}])
    frame.get_by_role("button", name="Use these data").click()
    expect(frame.get_by_text("These data are in use on every page.")).to_be_visible()
    cookies = page.context.cookies()
    assert {cookie["name"] for cookie in cookies} == {"_streamlit_xsrf", BROWSER_COOKIE}
    for cookie in cookies:
        assert (cookie["sameSite"], cookie["secure"]) == ("None", True)
        assert cookie["partitionKey"] == "http://localhost"  # kept apart for the site around it


def test_a_site_that_was_not_named_cannot_show_the_app(open_page, address, embedder):
    page = open_page(f"{embedder.replace('localhost', '127.0.0.1')}/?{address}/data")
    refused = page.frames[1]
    expect(page.locator("iframe")).to_be_visible()
    assert refused.url.startswith("chrome-error://")


def test_colours_and_titles_are_those_of_the_app(open_page, address):
    page = open_page(f"{address}/{DATA_PAGE}")
    button = page.get_by_role("button", name="Explore these data")
    expect(button).to_have_css("background-color", "rgb(0, 114, 178)")
    expect(page).to_have_title("Data · dpviz")


def test_while_the_engine_is_compiled_the_first_lesson_is_played(open_page, tmp_path, monkeypatch):
    monkeypatch.setenv("DPVIZ_CACHE_DIR", str(tmp_path / "empty"))
    port = free_port()
    with served([sys.executable, "-m", "dpviz.cli", "app", "--port", str(port)], port) as address:
        page = open_page(f"{answering(address)}/explore")
        lab = page.frame_locator("iframe")
        found = lab.locator(".panel-status")
        expect(found.nth(0)).to_contain_text("3 clusters")
        expect(found.nth(1)).to_contain_text("3 clusters")
        lab.locator("#knob-n_clusters").evaluate(
            "(node) => { node.value = 5; node.dispatchEvent(new Event('input')); }"
        )
        expect(found.nth(0)).to_contain_text(re.compile(r"· 6 clusters"))  # the places of a knob count from 0
        expect(page.get_by_text("The engine is being compiled, once")).to_be_visible()
