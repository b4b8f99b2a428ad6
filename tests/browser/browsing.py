"""Chromium and a Streamlit server on this machine, for browser tests and benchmarks."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Page

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
CHROMIUM_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PAGE = Path(__file__).with_name("player_page.py")
START_SECONDS = 120
Open = Callable[..., Page]  # open_page(address="", width=1280, height=900, **context_options)


def place_of(page: Page, points: np.ndarray, point: int) -> tuple[float, float]:
    """Where a point of the first panel is on the page, from the axes' own scale (equal on both, data centred)."""
    box = page.locator(".stage .overlay").first.bounding_box()
    assert box is not None
    left, top, right, bottom = 46, 22, 10, 36  # margins of a wide plot
    width, height = box["width"] - left - right, box["height"] - top - bottom
    low, high = points.min(axis=0), points.max(axis=0)
    unit = max(1.08 * (high - low)[0] / width, 1.08 * (high - low)[1] / height)
    dx, dy = (points[point] - (low + high) / 2) / unit
    return box["x"] + left + width / 2 + dx, box["y"] + top + height / 2 - dy


@contextlib.contextmanager
def page_server(script: Path = PAGE) -> Iterator[str]:
    """Address of a Streamlit server that runs ``script``; stopped on leaving."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {
        "server.headless": "true", "server.address": "127.0.0.1", "server.port": str(port),
        "server.fileWatcherType": "none", "browser.gatherUsageStats": "false",
    }  # fmt: skip
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += [f"--{name}={value}" for name, value in options.items()]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_healthy(f"{address}/_stcore/health", process)
            yield address
        finally:
            process.terminate()


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"the Streamlit server at {address} did not start (exit code {process.poll()})")
