"""The Predict page in a real browser: entering a point, a pasted table taken home, and screens of either kind."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import pandas as pd
import pytest
from boxes import SCREENS, resized, themed
from browsing import downloaded, settled
from playwright.sync_api import Page, expect

from dpviz.config import RunConfig
from dpviz.ui.session.chosen_data import DataChoice

RUN = RunConfig(n_init=1, init="single", family="normal_wishart", prior=None)
DATA = DataChoice("synthetic", "elliptical_overlap").with_options(n=80)
FITS = """width => document.querySelector('[data-testid=stMain]').scrollWidth <= width &&
[...document.querySelectorAll('.js-plotly-plot')].every(chart => chart.getBoundingClientRect().right <= width + 1)"""

pytestmark = pytest.mark.browser


def query(tab: str = "point", **more: object) -> str:
    values = {"run": RUN.to_query(), "tab": tab, **more}
    return urlencode({"data": DATA.to_json(), "predict": json.dumps(values)})


def answered(page: Page) -> None:
    expect(page.get_by_role("heading", name=re.compile("The point goes to"))).to_be_visible()


def test_the_answer_fits_its_screen(open_page, address):
    page = open_page(f"{address}/predict?{query()}", width=390, height=800, color_scheme="light")
    answered(page)
    expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(3)
    for scheme, width in SCREENS:
        themed(page, scheme)
        resized(page, width, 800)
        answered(page)
        assert page.evaluate(FITS, width), (scheme, width)


def test_a_field_and_its_switch_share_a_line_of_a_phone(open_page, address):
    page = open_page(f"{address}/predict?{query()}", width=390, height=800)
    answered(page)
    field = settled(page).get_by_role("spinbutton", name="x1").bounding_box()
    switch = page.get_by_test_id("stCheckbox").filter(has_text="missing").first.bounding_box()
    assert field is not None and switch is not None
    assert field["y"] <= switch["y"] and switch["y"] + switch["height"] <= field["y"] + field["height"] + 8
    assert field["x"] + field["width"] <= switch["x"] and switch["x"] + switch["width"] <= 390


_FAINTEST = """() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  const light = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const parts = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255);
    const [r, g, b] = parts.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = light(getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor);
  const texts = [...document.querySelectorAll(".js-plotly-plot :is(.infolayer, .xtick, .ytick) text")];
  return [texts.length, Math.min(...texts.filter((node) => node.textContent).map((node) => {
    const own = light(getComputedStyle(node).fill);
    return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
  }))];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_charts_can_be_read(open_page, address, scheme):
    page = open_page(f"{address}/predict?{query()}", color_scheme=scheme)
    answered(page)
    expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(3)
    n_texts, contrast = settled(page).evaluate(_FAINTEST)
    assert n_texts > 20 and contrast >= 4.5


def test_a_value_is_entered_and_the_address_follows(open_page, address):
    page = open_page(f"{address}/predict?{query()}")
    answered(page)
    page.get_by_role("spinbutton", name="x1").fill("123.5")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=re.compile("a new cluster"))).to_be_visible()
    expect(page).to_have_url(re.compile("123.5"))
    page.reload()
    expect(page.get_by_role("heading", name=re.compile("a new cluster"))).to_be_visible()
    expect(page.get_by_role("spinbutton", name="x1")).to_have_value("123.5")


def test_the_clusters_that_are_weighed_are_those_of_the_point(open_page, address):
    page = open_page(f"{address}/predict?{query()}")
    answered(page)
    page.get_by_role("spinbutton", name="x2").fill("-0.4")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("%2C\\+?-0.4"))
    said = set()
    for value in ("-2.4", "0.4", "123.5"):
        page.get_by_role("spinbutton", name="x1").fill(value)
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(f"{value}%2C"))
        goes = settled(page).get_by_role("heading", name=re.compile("The point goes to")).inner_text()
        winner = goes.removeprefix("The point goes to ").split(", ")[0]
        expect(page.get_by_test_id("stSelectbox").filter(has_text="For").locator("input")).to_have_value(winner)
        said.add(winner)
    assert len(said) == 3, said


def test_a_cell_that_is_missing_is_left_out(open_page, address):
    page = open_page(f"{address}/predict?{query()}")
    answered(page)
    ticks = page.get_by_text("missing", exact=True)
    expect(ticks).to_have_count(2)  # before all are there, the first may be that of the second column
    for column in (0, 1):
        ticks.nth(column).click()
        expect(page.get_by_role("spinbutton", name=f"x{column + 1}")).to_be_disabled()
    expect(page.get_by_text("the partition prior alone decides")).to_be_visible()


def test_a_pasted_table_is_taken_home(open_page, address):
    page = open_page(f"{address}/predict?{query('table')}")
    page.get_by_label("Or paste rows, the names of the columns first").fill("x2,other,x1\n1,a,2\nno,b,3\n-4,c,\n")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("“no” must be a number.")).to_be_visible()
    table = pd.read_csv(downloaded(page, page.get_by_role("button", name="Table with predictions (CSV)")))
    assert list(table.columns[:5]) == ["x2", "other", "x1", "cluster", "probability"] and len(table) == 3
    assert table["cluster"].notna().tolist() == [True, False, True]


def test_folds_are_measured(open_page, address):
    page = open_page(f"{address}/predict?{query('folds', folds=3)}")
    page.get_by_role("button", name="Measure the held-out density").click()
    expect(page.get_by_role("heading", name=re.compile("nats per point"))).to_be_visible()
