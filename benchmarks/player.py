"""How fast the player plays, in headless Chromium: ``python benchmarks/player.py``.

Prints payload size, click to first paint of a new run, frames per second while playing, and the time from a scrub to
the painted frame. Needs Chromium and the development extra. Numbers depend on the machine: nothing here is a test.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "browser"))

from browsing import CHROMIUM, CHROMIUM_ARGUMENTS, answering, page_server
from fake_runs import SIZES, sized_panel

from dpviz.player import build_payload

SECONDS = 5
SCRUBS = 40

_FRAMES = """(seconds) => new Promise((resolve) => {
  const times = [];
  const positions = new Set();
  const root = document.querySelector('[data-testid="stBidiComponentIsolated"]').shadowRoot;
  const tick = (now) => {
    times.push(now);
    positions.add(root.querySelector(".position").textContent);
    if (now - times[0] < seconds * 1000) requestAnimationFrame(tick);
    else resolve([1000 * (times.length - 1) / (now - times[0]), positions.size / (now - times[0]) * 1000]);
  };
  requestAnimationFrame(tick);
})"""

_SCRUBS = """async (count) => {
  const root = document.querySelector('[data-testid="stBidiComponentIsolated"]').shadowRoot;
  const range = root.querySelector("input[type=range]");
  const taken = [];
  for (let k = 0; k < count; k += 1) {
    const start = performance.now();
    range.value = String(Math.round(Number(range.max) * ((k * 0.382) % 1)));
    range.dispatchEvent(new Event("input"));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    taken.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 7 * (k % 5)));
  }
  return taken;
}"""

_FIRST_PAINT = """(title) => new Promise((resolve, reject) => {
  const root = document.querySelector('[data-testid="stBidiComponentIsolated"]').shadowRoot;
  const start = performance.now();
  const look = () => {
    const taken = performance.now() - start;
    if (root.querySelector(".panel-title").textContent === title) requestAnimationFrame(() => resolve(taken));
    else if (taken > 30000) reject(new Error("the new run was not shown within 30 s"));
    else requestAnimationFrame(look);
  };
  for (const box of document.querySelectorAll('[data-testid="stCheckbox"]')) {
    if (box.textContent.includes("Other run")) box.querySelector("input").click();
  }
  look();
})"""


def measure(page: Page, address: str, scenario: str) -> None:
    """Print one line about one scenario."""
    page.goto(f"{address}/?scenario={scenario}")
    page.locator(".panel-title", has_text="run 0").wait_for(timeout=120_000)
    other = page.get_by_test_id("stCheckbox").filter(has_text="Other run")
    other.click()
    page.locator(".panel-title", has_text="run 1").wait_for(timeout=120_000)
    paints = []
    for _ in range(3):
        paints += [page.evaluate(_FIRST_PAINT, "run 0"), page.evaluate(_FIRST_PAINT, "run 1")]
    page.wait_for_timeout(1000)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_timeout(500)
    frames, shown = page.evaluate(_FRAMES, SECONDS)
    page.get_by_role("button", name="Pause", exact=True).click()
    page.wait_for_timeout(1000)
    scrubs = page.evaluate(_SCRUBS, SCRUBS)
    print(
        f"{scenario:>6}: payload {len(build_payload([sized_panel(scenario, 0)])) / 1e6:.2f} MB, new run to first paint "
        f"{statistics.median(paints):.0f} ms, {frames:.1f} frames/s ({shown:.1f} sweeps/s shown), "
        f"scrub to paint median {statistics.median(scrubs):.1f} ms, 95 % {sorted(scrubs)[int(0.95 * SCRUBS)]:.1f} ms"
    )


def main() -> None:
    """Serve the test page, open it, measure both sizes."""
    with page_server() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for scenario in SIZES:
            measure(page, answering(address), scenario)
        browser.close()


if __name__ == "__main__":
    main()
