"""Players and canvases in a language in which every text has brackets: what they show without any is in no file."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_up_language import pseudo, spoken_in, untranslated
from measures import COLLECT_TEXTS
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

BROWSER_TESTS = Path(__file__).parent
PAGES = f"""
import json, sys
sys.path.insert(0, {str(BROWSER_TESTS)!r})
import fake_runs
from dpviz.laboratory import lab_page
from dpviz.player import build_payload, standalone_html
names = {{"title": "⟦run⟧", "axis_names": ("⟦x⟧", "⟦y⟧"), "value_names": ("⟦x⟧", "⟦y⟧", "⟦sum⟧")}}
panels = [fake_runs.full_panel(**names), fake_runs.full_panel(seed=1, **names)]
pages = {{"film": panels[:1], "films": [fake_runs.one_column_panel(), panels[1]]}}
pages = {{name: standalone_html(build_payload(shown), "⟦film⟧") for name, shown in pages.items()}}
print(json.dumps({{**pages, "lab": lab_page()}}))
"""
SHOWN = """() => {
  const found = [...globalThis.written];
  const visit = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) visit(node.shadowRoot);
      if (["SCRIPT", "STYLE"].includes(node.tagName)) continue;
      for (const name of ["aria-label", "aria-valuetext", "title", "placeholder", "data-word"]) {
        if (node.hasAttribute(name)) found.push(node.getAttribute(name));
      }
      for (const child of node.childNodes) if (child.nodeType === Node.TEXT_NODE) found.push(child.textContent);
    }
  };
  visit(document);
  return [...new Set(found)];
}"""
OF_THE_RUN = {"One column", "waiting time (min)"}
SINGLE = {"cluster", "clusters", "moved", "points", "sweep", "share", "none", "missing", "log", "sizes", "density"}
"""Words that stand alone, which have no capital."""


def shown(page: Page) -> list[str]:
    """What stands on a page, in pictures, and in what is said of them, without brackets."""
    texts: list[str] = page.evaluate(SHOWN)
    assert sum("⟦" in text for text in texts) > 60
    alone = [text for text in texts if text.strip(" :.") in SINGLE]
    return [text for text in [*untranslated(texts), *alone] if not any(name in text for name in OF_THE_RUN)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """Pages as files, written by a process of that language."""
    folder = tmp_path_factory.mktemp("pages")
    files = {name: folder / f"{name}.html" for name in ("film", "films", "lab")}
    for name, page in spoken_in(pseudo(folder), PAGES).items():
        files[name].write_text(str(page), encoding="utf-8")
    return files


def test_a_film_says_nothing_that_is_in_no_file(open_page, pages):
    page = open_page(pages["film"].as_uri())
    page.evaluate(COLLECT_TEXTS)
    page.get_by_role("button", name="⟦More controls⟧").click()
    for name in ("Density", "Regions", "True labels"):
        page.get_by_role("button", name=f"⟦{name}⟧", exact=True).click()
    page.get_by_role("button", name="⟦Step⟧", exact=True).click()
    for key in ("n", "n", "Enter"):
        page.locator("canvas[data-panel]").press(key)
    page.locator("canvas[data-chart=nll]").hover()
    page.mouse.wheel(0, 10)
    page.locator("canvas[data-panel]").hover()
    page.mouse.wheel(0, 10)
    page.locator("canvas[data-ribbon]").hover()
    assert shown(page) == []
    page.get_by_role("button", name="⟦sweep 1 in slow motion⟧").click()
    expect(page.locator(".position")).to_contain_text("⟦visit")
    assert shown(page) == []


def test_films_side_by_side_say_nothing_that_is_in_no_file(open_page, pages):
    page = open_page(pages["films"].as_uri())
    page.evaluate(COLLECT_TEXTS)
    page.get_by_role("button", name="⟦More controls⟧").click()
    page.get_by_role("button", name="⟦Last⟧", exact=True).click()
    page.locator("canvas[data-chart=nll]").hover()
    assert shown(page) == []


def test_a_lab_with_its_canvas_says_nothing_that_is_in_no_file(open_page, pages):
    page = open_page(pages["lab"].as_uri())
    expect(page.locator(".panel-status").first).to_contain_text("⟦sweep")
    page.evaluate(COLLECT_TEXTS)
    page.get_by_label("⟦Data⟧").select_option(label="⟦Points that you draw⟧")
    surface = page.get_by_role("application", name="⟦Drawing canvas")
    for key in ("b", "Space", "ArrowRight", "Space"):  # of fewer points than clusters the engine's own words are shown
        surface.press(key)
    expect(page.get_by_text("⟦30 points.⟧")).to_be_visible()
    assert shown(page) == []
