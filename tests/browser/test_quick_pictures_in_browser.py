"""What a knob that moves waits for: its run and one painting of the points, and nothing that can come later."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsing import Open
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

WATCHED = """() => {
  const seen = { posted: [], workers: 0, painted: 0, cleared: 0, measured: 0 };
  const instead = (prototype, name, make) => (prototype[name] = make(prototype[name]));
  instead(Worker.prototype, "postMessage", (post) => function (...given) {
    seen.posted.push(given[0].kind);
    return post.apply(this, given);
  });
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      seen.workers += 1;
    }
  };
  const canvas = CanvasRenderingContext2D.prototype;
  instead(canvas, "clearRect", (clear) => function (...given) {
    seen.cleared += Number(this.canvas.matches(".overlay:not([data-chart])"));
    return clear.apply(this, given);
  });
  instead(canvas, "putImageData", (put) => function (...given) {
    put.apply(this, given);
    seen.painted += 1;
    if (seen.painted > 0) globalThis.painted?.();
  });
  const { get } = Object.getOwnPropertyDescriptor(Element.prototype, "clientWidth");
  Object.defineProperty(Element.prototype, "clientWidth", {
    get() {
      seen.measured += 1;
      return get.call(this);
    },
  });
  globalThis.seen = seen;
}"""
DRAG = """async (count) => {
  const range = document.getElementById("knob-concentration"), root = document.getElementById("player").shadowRoot;
  const title = () => root.querySelector(".panel-title").textContent;
  const titles = [], added = [], watch = new MutationObserver((found) => {
    for (const { target, addedNodes } of found) {
      const elements = [...addedNodes].filter((node) => node instanceof Element);
      added.push(...elements.map((node) => `${node.localName} in ${target.className}`));
    }
  });
  const moved = (k) => {
    range.value = String(Math.round((0.2 + 0.02 * k) * Number(range.max)));
    range.dispatchEvent(new Event("input"));
  };
  const before = { ...seen, posted: seen.posted.length };
  let old = null;
  watch.observe(root, { childList: true, subtree: true });
  await new Promise((done) => {
    globalThis.painted = () => {
      titles.push(title());
      // behind what draws this picture, and before any timer
      queueMicrotask(() => (titles.length < count ? moved(titles.length) : done()));
      old = document.getElementById("dice").matches(".old");
    };
    moved(0);
  });
  globalThis.painted = null;
  await new Promise((go) => requestAnimationFrame(() => setTimeout(() => setTimeout(go)))); // and what comes after it
  watch.disconnect();
  const counts = ["workers", "painted", "cleared", "measured"].map((name) => [name, seen[name] - before[name]]);
  return { titles, added, old, posted: seen.posted.slice(before.posted), ...Object.fromEntries(counts) };
}"""


def opened(open_page: Open, file: Path, fragment: str) -> Page:
    page = open_page("about:blank")
    page.add_init_script(f"({WATCHED})()")
    page.goto(f"{file.as_uri()}#{fragment}")
    page.locator(".panel-status").first.filter(has_text="sweep").wait_for()
    page.wait_for_function("() => seen.posted.includes('places')")
    return page


def test_a_knob_that_moves_begins_nothing_beside_its_pictures(open_page, file):
    page = opened(open_page, file, "v=1&methods=gibbs&seed=0&n_sweeps=30")
    found = page.evaluate(DRAG, 8)
    asked = [kind for kind in found["posted"] if kind != "cancel"]  # maps and seeds of where the knob was
    assert asked == ["run"] * 8 and found["workers"] == 0
    assert found["old"]  # seeds of where the knob was
    before = page.evaluate("() => seen.posted.length")
    page.wait_for_function(f"() => seen.posted.slice({before}).includes('places')")  # the knob rests
    page.wait_for_function(f"() => seen.posted.slice({before}).includes('last')")
    expect(page.locator("#dice")).not_to_have_class("old")


def test_a_picture_paints_its_points_once_and_builds_nothing_anew(open_page, file):
    page = opened(open_page, file, "v=1&methods=gibbs&seed=0&n_sweeps=30")
    page.evaluate(DRAG, 3)  # without the map, of which the legend tells
    found = page.evaluate(DRAG, 8)
    assert len(set(found["titles"])) == found["painted"] == 8
    assert found["cleared"] == 0  # nothing was on the overlays of the points and the sizes, and nothing is
    assert found["measured"] == 0  # which would lay the page out before it has all its words
    assert {what for what in found["added"] if "panel-status" not in what} == set()
