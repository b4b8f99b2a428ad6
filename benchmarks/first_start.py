"""What a newcomer waits for: writes FIRST_START.md. ``python -m benchmarks.first_start`` (two free cores, 3 min).

Starts the app with an empty folder of compiled kernels, opens the first page and then Explore in headless Chromium, and
says when each first shows what it is for: the film, the lab that stands in while kernels are compiled, and Explore's
own picture. Seconds are by the clock since the command, and of the processor: of the server, of the browser, and of the
process that compiles. Packages and browser are there already. Nothing here is a test.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.classroom import ROOT

sys.path.insert(0, str(ROOT / "tests" / "browser"))
from browsing import CHROMIUM, CHROMIUM_ARGUMENTS, answering, free_port  # noqa: E402
from player_steps import STATUS  # noqa: E402

FILE = Path(__file__).with_name("FIRST_START.md")
WAIT = 600_000
PARTS = {"server": "dpviz.", "compiling": "dpviz.ui.serving.compiling", "browser": "chrom"}
"""What the command lines of each part's processes hold; the last that fits counts."""
TITLE = f"""# The first start

Written by `python -m benchmarks.first_start`, on a machine of {os.cpu_count()} cores: `dpviz app` with an empty folder
of compiled kernels, and headless Chromium. Seconds since the command, and of the processor until then.

| what | seconds | server | browser | compiling |
|---|---|---|---|---|
"""


def processes(root: int) -> Iterator[tuple[str, float]]:
    """Yield the part of a process and of all that it started, and the processor's seconds of each so far."""
    parents, ticks, parts = dict[int, int](), dict[int, int](), dict[int, str]()
    for place in Path("/proc").glob("[0-9]*"):
        process = int(place.name)
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # others end meanwhile
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            parents[process], ticks[process] = int(fields[1]), int(fields[11]) + int(fields[12])
            words = (place / "cmdline").read_bytes().decode(errors="replace")
            parts[process] = ([name for name, held in PARTS.items() if held in words] or [""])[-1]
    for process, part in parts.items():
        above = process
        while above not in (root, 0):
            above = parents.get(above, 0)
        if above == root and part:
            yield part, ticks[process] / os.sysconf("SC_CLK_TCK")


def is_shown(page: Page, what: str) -> None:
    """Wait until a page shows what it is for."""
    shown: dict[str, Callable[[], None]] = {
        "film": lambda: page.get_by_role("button", name="Play").first.wait_for(timeout=WAIT),
        "lab": lambda: page.frame_locator("iframe").locator(STATUS).nth(1).filter(has_text="clusters").wait_for(),
        "picture": lambda: page.locator(STATUS).first.filter(has_text="sweep").wait_for(timeout=WAIT),
    }
    shown[what]()


def main() -> None:
    """Start once, and write a line for each thing that is waited for."""
    port, lines, begun = free_port(), [], time.perf_counter()

    def note(what: str) -> None:
        seconds = dict.fromkeys(PARTS, 0.0)
        for part, spent in processes(os.getpid()):
            seconds[part] += spent
        told = " | ".join(f"{seconds[part]:.1f}" for part in ("server", "browser", "compiling"))
        lines.append(f"| {what} | {time.perf_counter() - begun:.1f} | {told} |")
        print(lines[-1], flush=True)

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        environment = {**os.environ, "DPVIZ_CACHE_DIR": folder, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "dpviz.cli", "app", "--port", str(port)]
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet) as server:
            address = answering(f"http://127.0.0.1:{port}")
            note("the server answers")
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
            page = browser.new_page()
            page.set_default_timeout(WAIT)
            page.goto(address)
            is_shown(page, "film")
            note("the first page's film can be played")
            page.goto(f"{address}/explore")
            is_shown(page, "lab")
            note("Explore's first lesson, in the lab")
            is_shown(page, "picture")
            note("Explore's own picture")
            browser.close()
            server.terminate()
    FILE.write_text(TITLE + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
