"""How well the player can be read: contrast, enlarged text, names for assistive technology."""

from __future__ import annotations

import itertools
import re

import pytest
from boxes import resized
from player_steps import ready
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
TEXTS = ".panel-status, .panel-title, .readout, .chart-title, .position, .chip, .transport select, .legend span"

CUT = """(nodes) => nodes.filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth + 1)
  .map((node) => node.textContent)"""


def channels(color: str) -> list[float]:
    """Red, green and blue of a computed colour, 0..1."""
    return [float(channel) / 255 for channel in re.findall(r"[\d.]+", color)[:3]]


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_the_contrast_that_wcag_asks_for(open_page, scheme):
    page = ready(open_page(color_scheme=scheme))
    page.get_by_role("button", name="Legend", exact=True).click()
    background = page.locator(".transport").evaluate("(node) => getComputedStyle(node).backgroundColor")
    texts = page.locator(TEXTS)
    expect(texts.first).to_be_visible()
    colors = set(texts.evaluate_all("(nodes) => nodes.map((node) => getComputedStyle(node).color)"))
    assert len(colors) >= 2
    for color in colors:
        dark, light = sorted([luminance(color), luminance(background)])
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def overlaps(page: Page) -> list[str]:
    """Pairs of visible texts or controls of which neither holds the other, and which lie on each other."""
    selector = "button, select, summary, input, .panel-title, .panel-status, .chart-title, .readout, .position"
    boxes = (
        page.locator(".dpviz-player")
        .locator(selector)
        .evaluate_all(
            """(nodes) => nodes.filter((node) => node.checkVisibility() && node.clientWidth > 0).map((node) => {
          const box = node.getBoundingClientRect();
          return [node.textContent || node.getAttribute("aria-label"), box.left, box.top, box.right, box.bottom];
        })"""
        )
    )
    return [
        f"{one[0]} / {other[0]}"
        for one, other in itertools.combinations(boxes, 2)
        if min(one[3], other[3]) - max(one[1], other[1]) > 1 and min(one[4], other[4]) - max(one[2], other[2]) > 1
    ]


@pytest.mark.parametrize("scenario", ["plain", "compare"])
def test_enlarged_text_overlaps_nothing(open_page, scenario):
    page = ready(open_page(f"?scenario={scenario}&scale=1.6", width=1920, height=1400))
    size = page.locator(".panel-title").first.evaluate("(node) => parseFloat(getComputedStyle(node).fontSize)")
    assert size == pytest.approx(14 * 1.6)
    for width, height in ((1920, 1400), (1280, 1400), (900, 2400)):
        resized(page, width, height)
        assert overlaps(page) == [], width
        spilled = page.locator(".dpviz-player").evaluate("(node) => node.scrollWidth - node.clientWidth")
        assert spilled <= 0, width
        assert page.locator(".chart-title, .panel-title").evaluate_all(CUT) == [], width


def test_text_follows_the_pages_own_size(open_page):
    page = ready(open_page())
    page.evaluate("() => { document.documentElement.style.fontSize = '24px'; }")
    page.emulate_media(color_scheme="dark")  # the page draws itself anew
    title = page.locator(".panel-title").first
    expect(title).to_have_css("font-size", "21px")


def test_every_control_has_a_name(open_page):
    page = ready(open_page())
    nameless = (
        page.locator(".dpviz-player")
        .locator("button, select, input, summary, canvas.overlay")
        .evaluate_all(
            "(nodes) => nodes.filter((node) => !(node.getAttribute('aria-label') || node.textContent.trim())).length"
        )
    )
    assert nameless == 0
