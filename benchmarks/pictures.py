"""Make the pictures of README and docs anew: ``python -m benchmarks.pictures`` (two free cores, 3 minutes).

Opens the app's pages in Chromium, does in each what its picture shows, and writes them to .github. Names of pictures,
as in ``python -m benchmarks.pictures explore tune``, make these alone.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections.abc import Callable
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from benchmarks.classroom import ROOT, serving

sys.path.insert(0, str(ROOT / "tests" / "browser"))
from browsing import CHROMIUM, CHROMIUM_ARGUMENTS, motionless, settled  # noqa: E402

FOLDER = ROOT / ".github"
WIDTH, HEIGHT, TALL = 1440, 900, 1160
PATIENCE = 300_000
"""Milliseconds that a page may take for what it computes."""


def _found(page: Page) -> None:
    page.get_by_role("button", name="Now the same data with MAP-DP").click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()  # it plays itself
    _to_the_end(page)


def _to_the_end(page: Page) -> None:
    slider = settled(page).get_by_role("slider", name="Sweep")
    slider.press("End")
    slider.evaluate("(node) => node.blur()")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def _compared(page: Page) -> None:
    expect(page.get_by_role("heading", name="Luck or method?")).to_be_visible()


def _predicted(page: Page) -> None:
    expect(page.get_by_text("Why: what each column says")).to_be_visible()


def _answered(page: Page) -> None:
    page.get_by_role("slider", name="Of every 100 points").press("ArrowLeft")
    settled(page).get_by_role("button", name="Reveal").click()
    expect(page.get_by_text("MAP-DP finds").last).to_contain_text("3 clusters")
    _to_the_end(page)


def _seated(page: Page) -> None:
    expect(page.locator(".dpviz-restaurant .position")).to_have_text("30 of 100")


def _run(words: str, done: str) -> Callable[[Page], None]:
    """Press a button, unless what it computes is there already or comes by itself."""

    def press(page: Page) -> None:
        button, result = (page.get_by_role("button", name=name) for name in (re.compile(f"^{words}$"), done))
        expect(button.or_(result).first).to_be_visible()
        if button.count():
            button.click()
        expect(result).to_be_visible()

    return press


def _drawn(page: Page) -> None:
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()


def _read(page: Page) -> None:
    page.get_by_role("heading", name="Table 2").scroll_into_view_if_needed()


PICTURES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "explore": ("explore", _found),
    "compare": ("compare", _compared),
    "data": ("data", _drawn),
    "tune": ("tune", _run("Run", "Open this run in Explore")),
    "predict": ("predict", _predicted),
    "posterior": ("posterior", _run("Run the chains", "Continue to")),
    "learn": ("learn", _answered),
    "priors": ("priors", _seated),
    "papers": (f"papers?{urlencode({'papers': json.dumps({'study': 'raykov2014-uci'})})}", _read),
}
"""Where each picture's page is, and what is done there."""


def _small(picture: bytes) -> Image.Image:
    """Return a picture with the 256 colours that it needs most, which takes a third of the room."""
    return Image.open(io.BytesIO(picture)).convert("RGB").quantize(256)


def main() -> None:
    asked = argparse.ArgumentParser(description="Make the pictures of README and docs anew.")
    asked.add_argument("names", nargs="*", choices=[[], *PICTURES], help="pictures to make; all by default")
    names = asked.parse_args().names or PICTURES
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for name in names:
            address, prepare = PICTURES[name]
            height = TALL if name in ("learn", "predict") else HEIGHT
            page = browser.new_page(viewport={"width": WIDTH, "height": height})
            page.set_default_timeout(PATIENCE)
            expect.set_options(timeout=PATIENCE)
            page.goto(f"http://127.0.0.1:{server.port}/{address}")
            prepare(settled(page))
            page.mouse.move(WIDTH - 1, 0)  # over nothing that shows more then
            motionless(settled(page))
            _small(page.screenshot()).save(FOLDER / f"{name}.png", optimize=True)
            page.close()
            print(name, flush=True)


if __name__ == "__main__":
    main()
