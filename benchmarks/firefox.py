"""Look at every page in Firefox: ``python -m benchmarks.firefox`` (Debian: ``apt install firefox-esr``; 3 minutes).

The browser tests drive Chromium. This opens every page of a served app in the system's Firefox, through the WebDriver
BiDi protocol that Firefox itself speaks, waits until the page has drawn what it draws, and fails if the page shows an
error, a script in it fails, or nothing is drawn. Pictures go to build/firefox. ``make firefox`` installs what it needs.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

import dpviz.ui.pages  # noqa: F401  (registers them)
from benchmarks.classroom import ROOT, free_port, serving
from dpviz.ui.shell.navigation import PAGES

SIZES = {"": (1280, 900), "-narrow": (400, 800)}
"""Sizes of the window, and what the names of their pictures end with."""

DEFAULT_PAGE = next(iter(PAGES))
"""Which is at the address of the app itself."""
ASKED = {"posterior": "Run the chains", "learn": "Reveal"}
"""Pages that draw nothing before they are asked to, and how they are asked."""
WITHOUT_PICTURE = ("tune",)
"""Pages that draw only what may take long."""

STATE = """
(() => {
    const main = document.querySelector("[data-testid=stMain]");
    const within = (root) => Array.from(root.querySelectorAll("*")).flatMap(
        (one) => one.shadowRoot ? [one, ...within(one.shadowRoot)] : [one]);
    const drawn = within(document).filter((one) => one.matches("canvas, .js-plotly-plot"));
    const inked = (canvas) => {
        const context = canvas.getContext("2d");
        if (!context || !canvas.width || !canvas.height) return true;
        return context.getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value !== 0);
    };
    return JSON.stringify({
        words: main ? main.innerText.length : 0,
        running: !!document.querySelector("[data-testid=stStatusWidget], [data-testid=stSkeleton]"),
        errors: Array.from(document.querySelectorAll("[data-testid=stException], [data-testid=stAlertContentError]"),
                           (element) => element.innerText),
        drawn: drawn.length,
        blank: drawn.length > 0 && drawn.every((one) => one.tagName === "CANVAS" && !inked(one)),
        wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    });
})()
"""

PRESS = """
(() => {{
    const button = Array.from(document.querySelectorAll("button")).find((one) => one.innerText.includes({label!r}));
    if (button) button.click();
    return String(!!button);
}})()
"""


class Firefox:
    """One window, driven by WebDriver BiDi."""

    def __init__(self, channel: ClientConnection) -> None:
        self._channel, self._numbers, self._context = channel, itertools.count(1), ""
        self.errors: list[str] = []

    async def ask(self, method: str, **parameters: Any) -> Any:
        """Send a command and return its result; what is logged meanwhile is noted."""
        number = next(self._numbers)
        await self._channel.send(json.dumps({"id": number, "method": method, "params": parameters}))
        async for raw in self._channel:
            message = json.loads(raw)
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(message["params"]["text"])
            if message.get("id") == number:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                return message["result"]
        raise RuntimeError("Firefox hung up.")

    async def begin(self) -> str:
        """Open a session; return the browser's name and version."""
        session = await self.ask("session.new", capabilities={})
        await self.ask("session.subscribe", events=["log.entryAdded"])
        self._context = (await self.ask("browsingContext.getTree"))["contexts"][0]["context"]
        return f"{session['capabilities']['browserName']} {session['capabilities']['browserVersion']}"

    async def open(self, url: str, width: int, height: int) -> None:
        await self.ask(
            "browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height}
        )
        await self.ask("browsingContext.navigate", context=self._context, url=url, wait="complete")

    async def evaluate(self, expression: str) -> Any:
        """Return what a script that makes JSON says."""
        target = {"context": self._context}
        answer = await self.ask("script.evaluate", expression=expression, target=target, awaitPromise=False)
        if answer["type"] != "success":
            raise RuntimeError(str(answer["exceptionDetails"]["text"]))
        return json.loads(answer["result"]["value"])

    async def picture(self, path: Path) -> None:
        answer = await self.ask("browsingContext.captureScreenshot", context=self._context)
        path.write_bytes(base64.b64decode(answer["data"]))


@asynccontextmanager
async def firefox(program: str) -> AsyncIterator[Firefox]:
    """Start Firefox with a new profile, without a window on the screen."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="firefox-") as profile:
        command = [program, "--headless", "--no-remote", "--profile", profile, f"--remote-debugging-port={port}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            async with await connected(f"ws://127.0.0.1:{port}/session", process) as channel:
                yield Firefox(channel)
        finally:
            process.terminate()
            process.wait(timeout=30)


async def connected(address: str, process: subprocess.Popen[bytes]) -> ClientConnection:
    while process.poll() is None:
        try:
            return await connect(address, max_size=None, ping_timeout=None, proxy=None)
        except OSError:
            await asyncio.sleep(0.2)
    raise SystemExit("Firefox ended before it could be driven.")


async def settled(browser: Firefox, needs_picture: bool, patience: float) -> dict[str, Any]:
    """Wait until a page has drawn everything and no script runs, twice in a row; return what it then shows."""
    before: dict[str, Any] = {}
    until = time.monotonic() + patience
    while True:
        await asyncio.sleep(0.5)
        state: dict[str, Any] = await browser.evaluate(STATE)
        whole = state["words"] > 100 and not state["running"] and (state["drawn"] or not needs_picture)
        if state["errors"] or (whole and state == before):
            return state
        if time.monotonic() > until:
            problem = f"not everything is drawn after {patience:.0f} s: {json.dumps(state)}"
            return {**state, "errors": [problem]}
        before = state


async def look(browser: Firefox, address: str, folder: Path, patience: float) -> list[str]:
    """Open every page in every size and return what is wrong."""
    problems = []
    for name, (suffix, size) in itertools.product(PAGES, SIZES.items()):
        await browser.open("about:blank", *size)  # what the page before says when it is left is no error of this one
        browser.errors.clear()
        await browser.open(f"{address}/{'' if name == DEFAULT_PAGE else name}", *size)
        state = await settled(browser, name not in (*ASKED, *WITHOUT_PICTURE), patience)
        if name in ASKED and await browser.evaluate(PRESS.format(label=ASKED[name])):
            state = await settled(browser, True, patience)
        await browser.picture(folder / f"{name}{suffix}.png")
        found = [*browser.errors, *state["errors"]]
        found += ["every canvas is blank"] * state["blank"] + ["wider than the window"] * state["wide"]
        problems += [f"{name}{suffix}: {problem}" for problem in found]
        print(f"{name}{suffix}: {state['words']} characters, {state['drawn']} pictures", flush=True)
    return problems


async def visit(program: str, folder: Path, patience: float) -> int:
    with serving() as server:
        async with firefox(program) as browser:
            print(await browser.begin())
            problems = await look(browser, f"http://127.0.0.1:{server.port}", folder, patience)
    for problem in problems:
        print("error:", problem, file=sys.stderr)
    return bool(problems)


def main() -> int:
    parser = argparse.ArgumentParser(description="Look at every page in Firefox.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "firefox", help="folder of the pictures")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds a page may take to draw everything")
    chosen = parser.parse_args()
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        raise SystemExit("Firefox is not installed (Debian: apt install firefox-esr).")
    chosen.out.mkdir(parents=True, exist_ok=True)
    return asyncio.run(visit(program, chosen.out, chosen.patience))


if __name__ == "__main__":
    sys.exit(main())
