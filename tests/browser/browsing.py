"""Chromium and a Streamlit server on this machine, for browser tests and benchmarks."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Locator, Page, Route, expect

import dpviz
from dpviz.ui.serving.health import answers
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.words import spoken, with_words

BROWSERS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
"""Debian's Chromium: without windows of its own, which costs a fifth less for each page, and with them."""
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(os.path.exists, BROWSERS), BROWSERS[-1])
CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAGE = Path(__file__).with_name("player_page.py")
ROOT = Path(__file__).parents[2]
START_SECONDS = 120
DATA_PAGE = f"data?{urlencode({'data': DataChoice().with_options(n=200).to_json()})}"
"""The Data page with few points: those that it opens with take long to draw."""
STIRS = 60
POLLING_MILLISECONDS = 50
"""How often a whole page is looked at while something changes; by itself, Playwright looks at every frame."""
Open = Callable[..., Page]  # open_page(address="", width=1280, height=900, **context_options)


_MODULES = "https://modules.test/"
_IMPORTED = """async (addresses) => {
  for (const address of addresses) {
    const { default: mount, ...others } = await import(address);
    Object.assign(globalThis, others, mount && { [mount.name]: mount });
  }
}"""


def import_modules(page: Page, *paths: str) -> Page:
    """Let a page know by its name everything that modules of the package's scripts export, with all texts."""

    def serve(route: Route) -> None:
        path = Path(dpviz.__file__).parent / route.request.url.removeprefix(_MODULES)
        source = path.read_text(encoding="utf-8")
        body = source if path.suffix == ".js" else f"export default {json.dumps(source)};"
        headers = {"access-control-allow-origin": "*", "content-type": "text/javascript; charset=utf-8"}
        route.fulfill(body=body, headers=headers)

    page.route(f"{_MODULES}**", serve)
    texts = " ".join(f'"{key}"' for key in spoken().texts)
    page.add_script_tag(content=with_words(f"/* {texts} */"))
    page.evaluate(_IMPORTED, [_MODULES + path for path in paths])
    return page


_SETTLED = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning" &&
  document.querySelector("[data-stale=true]") === null"""


def settled(page: Page) -> Page:
    """Wait until no script runs and nothing is left of what it showed before."""
    page.wait_for_function(_SETTLED, polling=POLLING_MILLISECONDS)
    return page


def motionless(page: Page, timeout: float | None = None) -> None:
    """Wait until nothing fades in or opens any more, and no grey bar stands for something that is on its way.

    ``timeout`` is in milliseconds.
    """
    still = "() => document.getAnimations().every((animation) => animation.playState !== 'running')"
    page.wait_for_function(still, timeout=timeout, polling=POLLING_MILLISECONDS)


def go_by_navigation(page: Page, room: str, title: str) -> None:
    """Choose a page in a room of the navigation above."""
    settled(page).get_by_test_id("stTopNav").get_by_role("button", name=room).click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=title).click()


_OPEN_AROUND = """(node) => {
  for (let at = node.parentElement.closest("details"); at; at = at.parentElement.closest("details")) {
    if (!at.open) at.querySelector("summary").click();
  }
}"""


def expander(page: Page, title: str) -> Locator:
    """Open an expander, wait until it is as large as it becomes, and return it.

    What is in it may be drawn only now, and it and what is below moves until then: a press in that time may be released
    on something else.
    """
    box = settled(page).get_by_test_id("stExpander").filter(has_text=title).last  # the innermost
    box.evaluate(_OPEN_AROUND)
    motionless(settled(page))
    box.locator("summary").first.click()
    expect(box.get_by_test_id("stExpanderDetails").get_by_test_id("stElementContainer").first).to_be_visible()
    motionless(settled(page))
    return box


def downloaded(page: Page, button: Locator) -> Path:
    """Press one of Streamlit's buttons that download, and return the file.

    Only once the page is settled: while it is drawn anew, the file behind a button may be gone already.
    """
    settled(page)
    with page.expect_download() as download:
        button.click()
    return Path(download.value.path())


def click_middle(drawn: Locator) -> None:
    """Click at once what a chart has drawn; it may lie under something that takes the clicks."""
    drawn.page.mouse.click(*_middle(drawn))


def point_at(drawn: Locator, chart: Locator, said: str) -> None:
    """Hold the pointer over what a chart has drawn, stirred until the chart says so: it hears none while drawing."""
    for step in itertools.count():
        x, y = _middle(drawn)
        drawn.page.mouse.move(x + step % 2, y)
        try:
            return expect(chart.locator(".hovertext")).to_contain_text(said, timeout=1000)
        except AssertionError:
            if step == STIRS:
                raise


def _middle(drawn: Locator) -> tuple[float, float]:
    box = drawn.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def place_of(page: Page, points: np.ndarray, point: int) -> tuple[float, float]:
    """Where a point of the first panel is on the page, from what the plot says about its view."""
    overlay = page.locator(".stage .overlay").first
    box, view = overlay.bounding_box(), json.loads(overlay.get_attribute("data-view") or "")
    assert box is not None
    x_low, x_high, y_low, y_high = view["bounds"]
    plot = view["plot"]
    x, y = points[point]
    return (
        box["x"] + plot["x"] + plot["width"] * (x - x_low) / (x_high - x_low),
        box["y"] + plot["y"] + plot["height"] * (y_high - y) / (y_high - y_low),
    )


def moved(page: Page, address: str) -> Page:
    """Lead a page of the app to another address of it, as a browser's buttons for back and forward do: nothing loads.

    Wait next for something that only the other address shows: the page does not tell whether its script has begun.
    """
    go = '(address) => { history.pushState({}, "", address); dispatchEvent(new PopStateEvent("popstate")); }'
    settled(page).evaluate(go, address)
    return page


@contextlib.contextmanager
def embedding_site() -> Iterator[str]:
    """Address of a site of another name than the app's, which shows in a frame what its address asks for."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<iframe src="{self.path[2:]}" width="1200" height="800"></iframe>'.encode())

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://localhost:{site.server_address[1]}"
        site.shutdown()


class Servers(NamedTuple):
    """Addresses of what browser tests open: the app, a page with nothing but players, and a site that shows the app.

    The last has another name, and may show the app in a frame.
    """

    app: str
    players: str
    embedder: str


@contextlib.contextmanager
def all_servers() -> Iterator[Servers]:
    """Start everything that browser tests open, which answers after a while; stopped on leaving."""
    with embedding_site() as embedder, app_server(embedder) as app, page_server() as players:
        yield Servers(app, players, embedder)


def app_server(embedder: str) -> contextlib.AbstractContextManager[str]:
    """Address of the app as ``dpviz app --serve`` serves it, which a site may show in a frame."""
    port = free_port()
    command = [sys.executable, "-m", "dpviz.cli", "app", "--serve", "--port", str(port), "--allow-host", "127.0.0.1"]
    return served([*command, "--embed-in", embedder], port)


def page_server(script: Path = PAGE) -> contextlib.AbstractContextManager[str]:
    """Address of a Streamlit server that runs ``script``."""
    port = free_port()
    options = {
        "server.headless": "true",
        "server.address": "127.0.0.1",
        "server.port": str(port),
        "browser.gatherUsageStats": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    return served([*command, *(f"--{name}={value}" for name, value in options.items())], port)


def frames_of(page: Page) -> list[Any]:
    """What a page sends to its server from now on."""
    sent: list[Any] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    return sent


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def served(command: Sequence[str], port: int) -> Iterator[str]:
    """Address of what ``command`` serves at a port of this machine, sooner or later; stopped on leaving."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet) as process:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def answering(address: str) -> str:
    """Wait until a server answers at its address, and return that."""
    deadline = time.monotonic() + START_SECONDS
    while not answers(f"{address}/_stcore/health"):
        if time.monotonic() > deadline:
            raise RuntimeError(f"no server answered at {address} within {START_SECONDS} s")
        time.sleep(0.2)
    return address
