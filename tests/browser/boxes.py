"""Where the texts and controls of a page are, whatever shadow roots they are in: do they overlap, are they cut off."""

from __future__ import annotations

import itertools
from typing import Literal, NamedTuple

from browsing import POLLING_MILLISECONDS, settled
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as WaitedTooLong

SCREENS: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 390), ("dark", 390), ("light", 1280))
"""Colours and widths that pages are looked at in; they open in the first, on a phone, where there is the least room."""
FOLLOW_MILLISECONDS = 30_000
"""How long a page takes to change its colors at most, but for charts that missed that they should."""
TOUCHING = 2.0
"""Pixels by which boxes may overlap: line heights are rounded, and glyphs do not fill them."""

_READ = """() => {
  const found = [];
  const up = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const clips = (style) => /hidden|clip/.test(style.overflowX) || /hidden|clip/.test(style.overflowY);
  const scrolls = (style) => /auto|scroll/.test(style.overflowX) || /auto|scroll/.test(style.overflowY);
  const seen = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const box = element.getBoundingClientRect();
    return box.width > 1.5 && box.height > 1.5; // smaller ones are for screen readers
  };
  const isMain = (node) => node.dataset.testid === "stMain";
  const isIcon = (element) => /Material/.test(getComputedStyle(element).fontFamily); // its text is a glyph's name
  const beyondWindow = (left, right) => left < -2 || right > innerWidth + 2;
  // What of a box can be seen, and whether an ancestor that cannot be scrolled hides the rest.
  const shown = (element, box) => {
    let [left, top, right, bottom, cut] = [box.left, box.top, box.right, box.bottom, false];
    for (let node = element; node; node = up(node)) {
      const style = getComputedStyle(node);
      if (style.position === "absolute" && style.clip !== "auto") return null; // for screen readers
      if (node === document.body || node === document.documentElement) break;
      if (!clips(style) && !scrolls(style)) continue;
      const frame = node.getBoundingClientRect();
      if (frame.width < 1.5 || frame.height < 1.5) return null;
      const beyond = Math.max(frame.left - left, right - frame.right, frame.top - top, bottom - frame.bottom);
      if (beyond > 2 && !scrolls(style)) cut = true;
      if (scrolls(style)) return { left, top, right, bottom, cut: cut || (isMain(node) && beyondWindow(left, right)) };
      [left, top] = [Math.max(left, frame.left), Math.max(top, frame.top)];
      [right, bottom] = [Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
    }
    return { left, top, right, bottom, cut: cut || beyondWindow(left, right) };
  };
  const inHeader = (element) => {
    for (let node = element; node; node = up(node)) if (node.dataset?.testid === "stHeader") return true;
    return false;
  };
  const putAway = (element) => { // in a sidebar that is beside the window
    for (let node = element; node; node = up(node)) {
      if (node.dataset?.testid === "stSidebar") return node.getBoundingClientRect().right <= 0;
    }
    return false;
  };
  const path = (element) => {
    const ids = [];
    for (let node = element; node; node = up(node)) ids.push(node.dpvizId ??= ++globalThis.dpvizIds);
    return ids;
  };
  globalThis.dpvizIds ??= 0;
  const add = (element, box, text) => {
    const part = shown(element, box);
    if (part === null || part.right - part.left < 1 || part.bottom - part.top < 1 || isIcon(element)) return;
    if (putAway(element)) return;
    const { left, top, right, bottom, cut } = part;
    found.push([text.trim().slice(0, 60), left, top, right, bottom, cut, inHeader(element), path(element)]);
  };
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) visit(element.shadowRoot);
      if (["STYLE", "SCRIPT", "TITLE", "OPTION"].includes(element.tagName) || !seen(element)) continue;
      if (element.matches("button, input:not([type=checkbox]):not([type=radio]), select, textarea")) {
        const name = element.getAttribute("aria-label") || element.textContent || element.tagName;
        add(element, element.getBoundingClientRect(), name);
      }
      for (const child of element.childNodes) {
        if (child.nodeType !== Node.TEXT_NODE || !child.textContent.trim()) continue;
        const range = document.createRange();
        range.selectNodeContents(child);
        for (const box of range.getClientRects()) add(element, box, child.textContent);
      }
    }
  };
  visit(document);
  return found;
}"""


class Box(NamedTuple):
    """A line of text, or a control, where it can be seen."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    cut: bool
    in_header: bool
    path: list[int]

    def overlaps(self, other: Box) -> bool:
        """Whether both lie on each other, and neither holds the other."""
        if self.path[0] in other.path or other.path[0] in self.path:
            return False
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > TOUCHING and down > TOUCHING


def boxes(page: Page) -> list[Box]:
    """All lines of text and controls that can be seen, or scrolled into view."""
    return [Box(*values) for values in page.evaluate(_READ)]


_LAID_OUT = """([width, height]) => {
  const roots = [document];
  for (const root of roots) {
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
  }
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const near = (one, other) => Math.abs(one - other) <= 1;
  const fits = (chart) => {
    const room = chart.closest("[data-testid=stPlotlyChart]").clientWidth;
    return room === 0 || near(chart._fullLayout?.width, room);
  };
  const sharp = (canvas) => near(canvas.width, canvas.clientWidth * devicePixelRatio);
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  return innerWidth === width && innerHeight === height
    && !(width < 768 && sidebar?.getBoundingClientRect().right > 0) // it makes way on a phone
    && document.getAnimations().every((animation) => animation.playState !== "running")
    && all(".js-plotly-plot").every(fits)
    && all(".dpviz-player canvas, .dpviz-restaurant canvas").every((canvas) => !canvas.clientWidth || sharp(canvas));
}"""
"""Everything that is drawn, rather than laid out by the browser, has the size of its place."""


_STILL = """() => {
  const style = document.createElement("style");
  style.textContent = "* { transition-duration: 0s !important; animation-duration: 0s !important }";
  document.head.append(style);
}"""


def resized(page: Page, width: int, height: int) -> None:
    """Change the window's size, and wait until the page has taken it; nothing slides to its new place slowly."""
    page.evaluate(_STILL)
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(_LAID_OUT, arg=[width, height], polling=POLLING_MILLISECONDS)


_THEMED = """(dark) => {
  const app = document.querySelector("[data-testid=stApp]");
  const players = [];
  const find = (root) => root.querySelectorAll("*").forEach((node) => {
    if (node.shadowRoot) find(node.shadowRoot);
    if (node.matches(".dpviz-player:not(.dpviz-restaurant, .dpviz-curves)")) players.push(node);
  });
  find(document);
  const bright = (color) => Number.parseInt(color.slice(1, 3), 16) > 190; // Streamlit's charts: #808495 or #e6eaf1
  return matchMedia("(prefers-color-scheme: dark)").matches === dark
    && getComputedStyle(app).colorScheme === (dark ? "dark" : "light")
    && players.every((player) => player.classList.contains("dark") === dark)
    && [...document.querySelectorAll(".js-plotly-plot")].every((chart) => bright(chart._fullLayout.font.color) === dark)
    && document.getAnimations().every((animation) => animation.playState !== "running");
}"""

_DRAWN = """() => [...document.querySelectorAll(".js-plotly-plot")].every((chart) =>
  chart._ev?.listenerCount("plotly_relayout"))"""
"""No chart is still being drawn for the first time: Streamlit listens to a chart only then."""


def themed(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Let the system prefer light or dark, and wait until the page, its charts and its players have followed.

    Only once the charts are there: Streamlit's keep their old colors if these change while they are drawn, also anew,
    which nothing tells. The system changes its mind once then.
    """
    settled(page)
    page.wait_for_function(_DRAWN, polling=POLLING_MILLISECONDS)
    page.emulate_media(color_scheme=scheme)
    try:
        page.wait_for_function(_THEMED, arg=scheme == "dark", polling=POLLING_MILLISECONDS, timeout=FOLLOW_MILLISECONDS)
    except WaitedTooLong:
        page.emulate_media(color_scheme="light" if scheme == "dark" else "dark")
        settled(page)
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(_THEMED, arg=scheme == "dark", polling=POLLING_MILLISECONDS)


def overlapping(page: Page) -> list[str]:
    """Pairs of texts or controls that lie on each other.

    The page goes on under its header, and under a bar that sticks to the bottom of the window: what is in the header
    counts at the page's top, the bar at its end, where it is in its place.
    """
    found = []
    for end, scroll in enumerate(("main.scrollTo(0, 0)", "main.scrollTo(0, main.scrollHeight)")):
        page.evaluate(f"() => {{ const main = document.querySelector('[data-testid=stMain]'); {scroll}; }}")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found += [
            f"{one.text!r} at {one.left:.0f}, {one.top:.0f} / {other.text!r} at {other.left:.0f}, {other.top:.0f}"
            for one, other in itertools.combinations(boxes(page), 2)
            if one.overlaps(other) and (one.in_header or other.in_header) != bool(end)
        ]
    return found


def cut_off(page: Page) -> list[str]:
    """Texts and controls of which a part is seen neither at once nor by scrolling down, nor in a table of its own."""
    return [f"{box.text!r} at {box.left:.0f}, {box.top:.0f} to {box.right:.0f}" for box in boxes(page) if box.cut]
