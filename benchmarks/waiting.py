"""How long a large table takes by the command line and in the app: ``python -m benchmarks.waiting`` (2 free cores).

Clusters tables of N × D by ``dpviz run`` and by the app in headless Chromium, in turns, with the settings that both
begin with: the command from its start to its end, the app from the press of “Cluster this table” to the picture of the
result, after the same file was uploaded. Beside it stand the processor's seconds of the command and of the app's
server, which other work on the machine changes less. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

from benchmarks.classroom import ROOT

sys.path.insert(0, str(ROOT / "tests" / "browser"))
from browsing import CHROMIUM, CHROMIUM_ARGUMENTS, DATA_PAGE, answering, free_port, served, settled  # noqa: E402
from player_steps import STATUS  # noqa: E402

SIZES = ("200000x5", "20000x48")
CENTRES, SPREAD = 12, 6.0
WAIT = 600_000


def table(n_points: int, n_features: int) -> pd.DataFrame:
    """Draw round groups of unequal size whose centres lie apart."""
    rng = np.random.default_rng(n_points)
    group = rng.choice(CENTRES, n_points, p=rng.dirichlet(np.full(CENTRES, 3.0)))
    X = rng.normal(0, SPREAD / np.sqrt(n_features / 5), (CENTRES, n_features))[group] + rng.normal(
        size=(n_points, n_features)
    )
    return pd.DataFrame(np.round(X, 3), columns=[f"x{d + 1}" for d in range(n_features)])


def by_command(file: Path) -> tuple[float, float]:
    """Return the seconds of the command, by the clock and of the processor."""
    begun, used = time.perf_counter(), _of_children()
    subprocess.run(
        [sys.executable, "-m", "dpviz.cli", "run", str(file), "--out", f"{file}.json"], check=True, capture_output=True
    )
    return time.perf_counter() - begun, _of_children() - used


def _of_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def of_server(port: int) -> float:
    """Return the processor's seconds so far of the server at a port."""
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # others end meanwhile
            if f"--server.port={port}".encode() in (place / "cmdline").read_bytes():
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    raise RuntimeError(f"no server at {port}")


def by_app(page: Page, address: str, file: Path) -> tuple[float, float, float, float]:
    """Return the seconds of reading, of taking into use and of clustering, and the processor's of that."""
    page.goto(f"{address}/{DATA_PAGE}")
    page.get_by_test_id("stButtonGroup").first.get_by_text("Load", exact=True).click()
    begun = time.perf_counter()
    page.locator("input[type=file]").set_input_files(file)
    use = page.get_by_role("button", name="these data (")
    use.wait_for()
    read = time.perf_counter()
    settled(page)
    use.click()
    go = page.get_by_role("button", name="Cluster this table")
    go.wait_for()
    settled(page)
    port = int(address.rpartition(":")[2])
    used, spent = time.perf_counter(), of_server(port)
    go.click()
    page.get_by_test_id("stExpander").filter(has_text="take it away").first.wait_for()  # of a run that is over
    page.locator(STATUS).first.filter(has_text="sweep").wait_for()
    return read - begun, used - read, time.perf_counter() - used, of_server(port) - spent


def main() -> None:
    """Time each size in turns and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=SIZES, metavar="NxD")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    port = free_port()
    command = [sys.executable, "-m", "dpviz.cli", "app", "--port", str(port)]
    with tempfile.TemporaryDirectory() as folder, served(command, port) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        answering(address)
        for size in options.sizes:
            n_points, n_features = map(int, size.split("x"))
            file = Path(folder) / f"{size}.csv"
            frame = table(n_points, n_features)
            print(
                f"{size}: command (processor); app: reading, taking into use, clustering (processor); ratios",
                flush=True,
            )
            ratios = []
            for number in range(options.rounds):
                frame.sample(frac=1, random_state=number).to_csv(file, index=False)  # that no run is known already
                page = browser.new_context().new_page()
                page.set_default_timeout(WAIT)
                (wall, cpu), app = by_command(file), by_app(page, address, file)
                page.context.close()
                ratios.append(app[2] / wall)
                in_app = f"{app[0]:.1f}, {app[1]:.1f}, {app[2]:.1f} ({app[3]:.1f})"
                print(f"  {wall:.1f} ({cpu:.1f}); {in_app}; {ratios[-1]:.2f} ({app[3] / cpu:.2f})", flush=True)
            print(f"  median ratio {statistics.median(ratios):.2f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
