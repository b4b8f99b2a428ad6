"""Every page, just opened or with results, light on a desk and dark on a phone: axe finds nothing serious.

Nor does a page scroll sideways, ask anybody else, or need what the headers of the server forbid.
"""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from boxes import resized, themed
from browsing import motionless, settled
from playwright.sync_api import Page, expect

from dpviz.config import RunConfig
from dpviz.config_versions import VERSION
from dpviz.ui import pages  # noqa: F401 - registers them
from dpviz.ui.priors.page import TABS
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell.navigation import PAGES

pytestmark = pytest.mark.browser

DATA = DataChoice("synthetic", "elliptical_overlap").with_options(n=80).to_json()
PANELS = [
    RunConfig("kmeans", n_clusters=2, n_init=1),
    RunConfig("mapdp", n_init=1, init="single", family="normal_wishart", prior=None),
]
COMPARE = urlencode({"data": DATA, "panels": json.dumps([config.to_query() for config in PANELS])})
TUNE = urlencode({"data": DATA, "tune": json.dumps({"tab": "grid", "version": VERSION})})
PRIORS = [f"priors?{urlencode({'data': DATA, 'priors': json.dumps({'tab': tab})})}" for tab in list(TABS.values())[1:]]
ADDRESSES = ["", *list(PAGES)[1:], f"compare?{COMPARE}", f"tune?{TUNE}", *PRIORS]
"""The first page is the one that the app opens with, and the first of its tabs the one that a page opens with."""

SHOWN = {
    "": "Your table",
    "explore": "Why|Click a point",
    "data": "Look closer",
    "compare": "Scores",
    "tune": "N0",
    "priors": "customers of a restaurant",
    "posterior": "chains",
    "learn": "prediction",
}
"""What pages say at the end, when they are just opened."""
ASKED = {"learn": "Reveal"}
"""Pages that draw nothing before they are asked to, and how they are asked."""

OPTIONS = {"resultTypes": ["violations"], "rules": {"region": {"enabled": False}}}
"""Whether everything is in a landmark is never serious to axe, and takes it a third of its time."""
MOST_MILLISECONDS = 300_000
"""As a bar does while runs go on, on a busy machine."""


def at_rest(page: Page) -> Page:
    """Wait until everything is drawn and has faded in: half faded text has half the contrast."""
    heading = page.get_by_test_id("stMainBlockContainer").locator("h1, h2, h3, h4").first
    expect(heading).to_be_visible(timeout=MOST_MILLISECONDS)
    settled(page)
    motionless(page, MOST_MILLISECONDS)
    return page


@pytest.mark.parametrize("path", ADDRESSES)
def test_axe_finds_nothing_serious_all_fits_and_nothing_is_forbidden_or_fetched_from_elsewhere(
    open_page, address, path
):
    page = open_page("about:blank", width=1280, color_scheme="light")
    forbidden: list[str] = []
    hosts: set[str] = set()

    def said(message):
        if "Content Security Policy" in message.text or "Permissions policy" in message.text:
            forbidden.append(message.text)

    def asked(request):
        hosts.add(urlsplit(request.url).hostname or urlsplit(request.url).scheme)

    page.on("console", said)
    page.on("request", asked)
    page.goto(f"{address}/{path}")
    at_rest(page)
    expect(page.get_by_test_id("stTopNav")).to_be_visible()
    icon = page.locator("link[rel~=icon]").first
    expect(icon).to_have_attribute("href", re.compile(r"(media/.*\.svg|^data:)"))
    if path.startswith("compare?"):
        expect(page.get_by_role("heading", name="Luck or method?")).to_be_visible()
    if path.startswith("tune?"):
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
    if path in SHOWN:
        expect(page.get_by_test_id("stMain").get_by_text(re.compile(SHOWN[path])).first).to_be_visible()
    found = {"light": serious(at_rest(page))}
    expect_all_in_width(page, path, 1280)
    themed(page, "dark")
    resized(page, 390, 900)
    found["dark"] = serious(at_rest(page))
    expect_all_in_width(page, path, 390)
    if path == "learn":  # a line that was not touched holds no prediction
        page.locator(".guess").get_by_role("slider").press("ArrowLeft")
        settled(page)
    if path in ASKED:
        page.get_by_role("button", name=ASKED[path]).click()
    if path in SHOWN and path != "tune":  # whose runs would take long
        expect(page.locator("canvas, .js-plotly-plot").first).to_be_visible()
    if path == "story":  # whose Workers, in a frame, are never said to have been fetched
        expect(page.frame_locator("iframe").locator(".price.lowest")).to_be_visible()
    else:
        page.wait_for_load_state("networkidle")
    stop = page.locator(".st-key-posterior-stop button")  # if the chains still run, as they would beside other tests
    stop.evaluate_all("(buttons) => buttons.forEach((button) => button.click())")
    expect(stop).to_have_count(0)
    assert forbidden == []
    assert (found, hosts - {"127.0.0.1", "data", "blob"}) == ({"light": [], "dark": []}, set())


def expect_all_in_width(page: Page, path: str, width: int) -> None:
    """Nothing sticks out at the side; of the papers' tables and figures, all are there."""
    if path == "papers":
        expect(page.get_by_test_id("stTable")).to_have_count(2)
        expect(page.get_by_role("button", name="Every run (CSV)")).to_be_visible()
        expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(6)
        expect(page.get_by_text("Each panel draws the same 400 of the 4,000 points")).to_have_count(6)
        expect(page.locator(".js-plotly-plot .points path")).to_have_count(6 * 3 * 400)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width


def serious(page: Page) -> list[tuple[str, list[str], str]]:
    """Return what axe finds serious: the rule, the place, and the reason."""
    return [
        (rule["id"], node["target"], node["failureSummary"])
        for rule in Axe().run(page, options=OPTIONS).response["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
        if not (rule["id"] == "scrollable-region-focusable" and takes_focus(page, node["target"][0]))
    ]


def takes_focus(page: Page, target: str) -> bool:
    """Whether the keyboard can reach a region that scrolls: browsers allow it, which axe does not know."""
    region = page.locator(target).first
    region.focus()
    return bool(region.evaluate("(node) => document.activeElement === node"))
