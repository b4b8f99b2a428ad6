"""The server that people start, in a real browser: its headers forbid nothing that the pages need."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from browsing import Open, downloaded, free_port, served
from playwright.sync_api import ConsoleMessage, Request, expect

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def embedder() -> Iterator[str]:
    """Address of a site of another name, which shows in a frame what its address asks for."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<iframe src="{self.path[2:]}" width="1200" height="800"></iframe>'.encode())

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://localhost:{site.server_address[1]}"
        site.shutdown()


@pytest.fixture(scope="module")
def address(embedder: str) -> Iterator[str]:
    """Address of the app as ``dpviz app --serve`` serves it."""
    port = free_port()
    command = [sys.executable, "-m", "dpviz.cli", "app", "--serve", "--port", str(port), "--allow-host", "127.0.0.1"]
    with served([*command, "--embed-in", embedder], port) as address:
        yield address


ASKED = {"posterior": "Run the chains", "learn": "Reveal"}
"""Pages that draw nothing before they are asked to, and how they are asked."""


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("explore", "Why|Click a point"),
        ("data", "Look closer"),
        ("compare", "Scores"),
        ("tune", "N0"),
        ("priors", "Customers"),
        ("posterior", "chains"),
        ("learn", "prediction"),
    ],
)
def test_no_page_needs_what_the_policy_forbids(open_page: Open, address: str, name: str, shown: str) -> None:
    page = open_page(f"{address}/_stcore/health")
    forbidden: list[str] = []
    hosts: set[str] = set()

    def said(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "Permissions policy" in message.text:
            forbidden.append(message.text)

    def asked(request: Request) -> None:
        hosts.add(urlsplit(request.url).hostname or "")

    page.on("console", said)
    page.on("request", asked)
    page.goto(f"{address}/{name}")
    expect(page.get_by_test_id("stMain").get_by_text(re.compile(shown)).first).to_be_visible()
    if name in ASKED:
        page.get_by_role("button", name=ASKED[name]).click()
    if name != "tune":  # whose runs would take long
        expect(page.locator("canvas, .js-plotly-plot").first).to_be_visible()
    assert forbidden == []
    assert hosts <= {"127.0.0.1", ""}


def test_a_table_is_uploaded_edited_and_taken_home(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/data")
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


def test_a_table_is_uploaded_in_a_frame_on_another_site(open_page: Open, address: str, embedder: str) -> None:
    page = open_page(f"{embedder}/?{address}/data")
    frame = page.frame_locator("iframe")
    frame.get_by_test_id("stButtonGroup").first.get_by_text("Load", exact=True).click()
    content = b"a,b\n" + b"".join(b"%d,%d\n" % (i * i, i % 7) for i in range(30))
    frame.locator("input[type=file]").set_input_files([{"name": "t.csv", "mimeType": "text/csv", "buffer": content}])
    frame.get_by_role("button", name="Use these data").click()
    expect(frame.get_by_text("These data are in use on every page.")).to_be_visible()
    (cookie,) = page.context.cookies()
    assert (cookie["name"], cookie["sameSite"], cookie["secure"]) == ("_streamlit_xsrf", "None", True)
    assert cookie["partitionKey"] == "http://localhost"  # kept apart for the site around it


def test_a_site_that_was_not_named_cannot_show_the_app(open_page: Open, address: str, embedder: str) -> None:
    page = open_page(f"{embedder.replace('localhost', '127.0.0.1')}/?{address}/data")
    refused = page.frames[1]
    expect(page.locator("iframe")).to_be_visible()
    assert refused.url.startswith("chrome-error://")


def test_colours_and_titles_are_those_of_the_app(open_page: Open, address: str) -> None:
    page = open_page(f"{address}/data")
    button = page.get_by_role("button", name="Explore these data")
    expect(button).to_have_css("background-color", "rgb(0, 114, 178)")
    expect(page).to_have_title("Data · dpviz")
