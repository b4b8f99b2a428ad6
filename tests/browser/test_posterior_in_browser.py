"""The Posterior page in a real browser: running, continuing, every tab on screens of either kind, and downloads."""

from __future__ import annotations

import itertools
import json
import re
from urllib.parse import urlencode

import pandas as pd
import pytest
from boxes import resized, themed
from browsing import downloaded
from playwright.sync_api import Page, expect

from dpviz.config import RunConfig
from dpviz.ui.session.chosen_data import DataChoice

CHAINS = RunConfig("gibbs", n_sweeps=80, burn_in=0, split_merge=1, seed=3, family="normal_wishart", prior=None)
TABS = {
    "Can they be trusted?": ("What every chain visits", 3),
    "How many clusters?": ("Most probable are", 2),
    "Who is with whom?": ("Bright squares", 1),
    "One summary": ("One partition for all draws", 2),
    "Other answers": ("Where other answers lie", 2),
    "Density": ("Where one more point would fall", 2),
}
"""Tabs, something they say, and how many charts they have."""
FITS = """width => document.querySelector('[data-testid=stMain]').scrollWidth <= width &&
[...document.querySelectorAll('.js-plotly-plot')].every(chart => chart.getBoundingClientRect().right <= width + 1)"""

pytestmark = pytest.mark.browser


def query(n_points: int = 80, n_sweeps: int = 80, **more: object) -> str:
    data = DataChoice("synthetic", "elliptical_overlap").with_options(n=n_points).to_json()
    run = {**CHAINS.to_query(), "n_sweeps": str(n_sweeps)}
    return urlencode({"data": data, "posterior": json.dumps({"run": run, "chains": 3, "burn_in": 20, **more})})


def expect_charts(page: Page, count: int) -> None:
    expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(count)


def to_tab(page: Page, words: str) -> None:
    page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").last.get_by_text(words, exact=True).click()
    said, n_charts = TABS[words]
    expect(page.get_by_text(said).first).to_be_visible()
    expect_charts(page, n_charts)


def test_every_tab_fits_its_screen(open_page, address):
    widths = [390, 1280]
    page = open_page(f"{address}/posterior?{query()}", width=390, height=800, color_scheme="light")
    expect(page.get_by_text("3 chains, 80 sweeps each, the first 20 left out")).to_be_visible()
    for words, scheme in zip(TABS, itertools.cycle(("dark", "light")), strict=False):
        to_tab(page, words)
        resized(page, widths[0], 800)
        assert page.evaluate(FITS, widths[0]), (words, widths[0])
        themed(page, scheme)
        resized(page, widths[1], 800)
        assert page.evaluate(FITS, widths[1]), (words, scheme, widths[1])
        widths.reverse()  # the next tab opens as wide as this one is at the end
    expect(page).to_have_url(re.compile("%22tab%22%3A%22density%22"))


def test_the_controls_take_one_line_of_a_usual_screen(open_page, address):
    page = open_page(f"{address}/posterior?{query()}", width=1440, height=900)
    expect(page.get_by_text("3 chains, 80 sweeps each, the first 20 left out")).to_be_visible()
    main = page.get_by_test_id("stMain")
    labelled = [main.get_by_label(name, exact=True) for name in ("Chains", "Sweeps", "Burn-in")]
    buttons = [main.get_by_role("button", name=name) for name in ("Partition prior", "More")]
    boxes = [control.bounding_box() for control in (*buttons, *labelled)]
    ends = [box["y"] + box["height"] for box in boxes if box is not None]
    assert len(ends) == len(boxes) and max(ends) - min(ends) < 3


def test_chains_are_continued_and_the_address_follows(open_page, address):
    page = open_page(f"{address}/posterior?{query()}")
    page.get_by_role("button", name="Continue to 160 sweeps").click()
    expect(page.get_by_text("3 chains, 160 sweeps each, the first 20 left out")).to_be_visible()
    expect(page).to_have_url(re.compile("n_sweeps%22%3A%22160%22"))
    page.reload()
    expect(page.get_by_text("3 chains, 160 sweeps each, the first 20 left out")).to_be_visible()


def test_long_chains_are_watched_and_stopped(open_page, address):
    page = open_page(f"{address}/posterior?{query(n_points=2000, n_sweeps=100_000)}")
    page.get_by_role("button", name="Run the chains").click()
    expect(page.get_by_text(re.compile("3 chains, sweep .* left"))).to_be_visible()
    expect_charts(page, 1)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Continue to 100,000 sweeps")).to_be_visible()


def test_the_summary_is_taken_home(open_page, address):
    page = open_page(f"{address}/posterior?{query(tab='summary')}")
    expect_charts(page, 2)
    page.get_by_role("button", name="Take it away").click()
    table = pd.read_csv(downloaded(page, page.get_by_role("button", name="Summary (CSV)")))
    assert list(table.columns) == ["row", "cluster", "uncertainty_bits", "certain_cluster"] and len(table) == 80
