"""What browser tests of the player do and expect again and again."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, expect

LAST = 11
STATUS = ".panel-status"
_CLICK_AND_PAINT = """(buttons) => new Promise((done) => {
  buttons.forEach((button) => button.click());
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""
"""A row of more controls leaves less height to the plot, which tells its view once it is painted."""


def ready(page: Page, every_control: bool = True) -> Page:
    """Wait for the first paint: not by an expectation, which looks less and less often and describes the page.

    Players then offer every control, unless what they begin with is asked about; the focus stays where it is.
    """
    page.locator(STATUS).first.filter(has_text="sweep").wait_for()
    if every_control:
        more = page.locator(".dpviz-player .more[aria-expanded=false]")
        more.evaluate_all(_CLICK_AND_PAINT)
    return page


def button(page: Page, name: str) -> Locator:
    """Control by its accessible name."""
    return page.get_by_role("button", name=name, exact=True)


def show_chart(page: Page, title: str) -> None:
    """Ask for a chart that is not shown by itself."""
    menu = page.locator(".menu-charts")
    menu.locator("summary").click()
    menu.get_by_role("button", name=title).click()
    menu.locator("summary").click()


def expect_sweep(page: Page, sweep: int) -> None:
    """The panel and the slider show this sweep."""
    expect(page.locator(STATUS).first).to_contain_text(f"sweep {sweep} of {LAST} ")
    expect(page.get_by_role("slider", name="Sweep")).to_have_value(str(sweep))


def expect_python(page: Page, **values: object) -> None:
    """Wait until the script has seen these values."""
    code = page.get_by_test_id("stText")
    for name, value in values.items():
        expect(code).to_contain_text(f'"{name}": {json.dumps(value)}')


def plot_pixels(page: Page) -> np.ndarray:
    """Colours of the first plot, (height, width, 3)."""
    shot = page.locator(".stage").first.screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def expect_redraw(page: Page, before: np.ndarray) -> None:
    """Wait for two frames, then compare."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert (np.abs(plot_pixels(page) - before) > 30).mean() > 0.01


def saved(page: Page, kind: str, path: Path) -> bytes:
    """Use the save menu and read the download."""
    page.locator(".menu-save summary").click()
    with page.expect_download() as download:
        page.locator(f'[data-save="{kind}"]').click()
    assert download.value.suggested_filename.endswith(f".{kind}")
    download.value.save_as(path)
    return path.read_bytes()
