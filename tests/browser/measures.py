"""What there is on a page: words, also those on canvases, controls, and by how much it jumps while it appears."""

from __future__ import annotations

from playwright.sync_api import Page

COLLECT_TEXTS = """() => {
  globalThis.written = [];
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    globalThis.written.push(text);
    write.call(this, text, ...place);
  };
}"""
"""Script that notes in `written` what is written on canvases from then on."""

_SHIFTS = """() => {
  globalThis.dpvizShifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.dpvizShifts += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""

_CONTROLS = """() => {
  const kinds = "a[href], button, input, select, textarea, summary, [role=slider], [role=combobox], [tabindex='0']";
  const found = [];
  const collect = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) collect(node.shadowRoot);
      if (node.matches(kinds)) found.push(node);
    }
  };
  collect(document);
  const seen = (node) => !node.disabled && node.getBoundingClientRect().width > 1.5 &&
    node.getBoundingClientRect().right > 0 && node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  return found.filter(seen).length;
}"""

_WORDS = """() => {
  const words = [];
  const isIcon = (node) => /Material/.test(getComputedStyle(node).fontFamily);
  const collect = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) {
        const place = node.parentElement;
        const seen = place?.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
          place.getBoundingClientRect().width > 1.5 && place.getBoundingClientRect().right > 0 &&
          !isIcon(place) && !place.closest("style, script, option");
        if (seen) words.push(...node.data.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)));
      } else {
        if (node.shadowRoot) collect(node.shadowRoot);
        collect(node);
      }
    }
  };
  for (const name of ["stMain", "stHeader", "stSidebar"]) {
    const place = document.querySelector(`[data-testid=${name}]`);
    if (place) collect(place);
  }
  return words.length;
}"""


def watching_shifts(page: Page) -> Page:
    """Add up the layout shifts of what is opened next, as the Layout Instability API has them."""
    page.add_init_script(f"({_SHIFTS})()")
    return page


def shifts(page: Page) -> float:
    """Return the sum of the layout shifts that no input caused."""
    return float(page.evaluate("globalThis.dpvizShifts"))


def controls(page: Page) -> int:
    """Count what can be pressed, moved or typed into, whatever shadow root it is in, on screen or below it."""
    return int(page.evaluate(_CONTROLS))


def words(page: Page) -> int:
    """Count the words that can be seen, in the page, its header and its sidebar."""
    return int(page.evaluate(_WORDS))
