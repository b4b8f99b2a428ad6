"""What the browser's engine takes, in headless Chromium: ``python -m benchmarks.browser`` (two free cores, 2 min).

Prints, and writes to BROWSER.md, nanoseconds per visit of chains on W1 and on a table of 10 columns, natively and in a
Worker, in turns in one run; and how long it takes in the lab from a moved knob to the picture, at 1,000 and 5,000
points, also with the page's thread slowed down four times, how much of the page's thread a picture takes, and how soon
after it the first of twenty seeds is told. Numbers depend on the machine and on what else it does, processor time the
least: nothing here is a test.
"""

from __future__ import annotations

import base64
import gzip
import os
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

import dpviz
from benchmarks.classroom import ROOT
from benchmarks.workloads import WORKLOADS, gaussian_mixture
from dpviz.arrays import FloatArray
from dpviz.browser import loader_source, module_bytes
from dpviz.laboratory.page import lab_page

sys.path.insert(0, str(ROOT / "tests" / "browser"))
from browsing import CHROMIUM, CHROMIUM_ARGUMENTS  # noqa: E402

FILE = Path(__file__).with_name("BROWSER.md")
TITLE = """# What the browser's engine takes

Written by `python -m benchmarks.browser`, on a machine of 2 cores with headless Chromium: a knob of the lab is dragged,
and the frame that shows its picture is waited for.

"""
_said: list[str] = []
FEW, MANY, ROUNDS = 10, 40, 7
"""Sweeps of a short and a long chain, whose difference leaves out what comes before the first sweep; runs of each."""
DRAGS = 40
SPREAD = 0.6
"""Standard deviation of the eight clusters in the lab, whose centres have one of 4."""
_ENGINE = """<!doctype html><meta charset="utf-8"><script type="module">{loader}
const engine = dpvizEngine(Uint8Array.from(atob("{module}"), (letter) => letter.charCodeAt(0)));
async function taken(config, cells, nFeatures) {{
  const points = {{ values: Float64Array.from(cells), nPoints: cells.length / nFeatures, nFeatures }};
  const begun = performance.now();
  await engine.last(config, points);
  return performance.now() - begun;
}}
globalThis.taken = taken;</script>"""
_PAINTED = """let inFrame = false;
const frame = requestAnimationFrame;
globalThis.requestAnimationFrame = (act) => frame((now) => {
  inFrame = true;
  act(now);
  inFrame = false;
});
const put = CanvasRenderingContext2D.prototype.putImageData;
CanvasRenderingContext2D.prototype.putImageData = function (...given) {
  put.apply(this, given);
  globalThis.painted?.();
};
globalThis.afterFrame = (done) => { // the one that shows what was painted now, with its own work
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = done;
  if (inFrame) port2.postMessage(0);
  else frame(() => port2.postMessage(0));
};"""
_DRAGS = """async (count) => {
  const range = document.getElementById("knob-concentration"), taken = [];
  const title = () => document.getElementById("player").shadowRoot.querySelector(".panel-title").textContent;
  for (let k = 0; k < count; k += 1) {
    await new Promise((go) => setTimeout(go, 5 + 11 * (k % 3)));
    const begun = performance.now();
    range.value = String(Math.round((0.4 + 0.15 * Math.sin(0.7 * k)) * Number(range.max)));
    range.dispatchEvent(new Event("input"));
    const wanted = "= " + document.querySelector('output[for="knob-concentration"]').textContent;
    await new Promise((done) => (globalThis.painted = () => {
      if (!title().includes(wanted)) return;
      globalThis.painted = null;
      afterFrame(done);
    }));
    taken.push(performance.now() - begun);
  }
  return taken;
}"""
_FIRST_SEED = """async (count) => {
  const taken = [], drags = DRAGS;
  for (let k = 0; k < count; k += 1) {
    await drags(1);
    const drawn = performance.now(), seed = () => document.querySelector("#dice:not(.old) button")?.textContent;
    while (!(seed() > 0)) await new Promise((go) => setTimeout(go, 1));
    taken.push(performance.now() - drawn);
  }
  return taken;
}""".replace("DRAGS", _DRAGS)


def chain(n_sweeps: int) -> dpviz.RunConfig:
    """Return a chain from one cluster."""
    model: dict[str, Any] = {"family": "normal_wishart", "prior": None, "partition": dpviz.ChineseRestaurant(1.0)}
    return dpviz.RunConfig("gibbs", **model, init="single", n_init=1, n_sweeps=n_sweeps, burn_in=0, seed=1)


def per_visit(page: Page, X: FloatArray) -> tuple[float, float]:
    """Return nanoseconds per visit, here and in the page, from the shortest of runs that take turns."""
    short, long = chain(FEW), chain(MANY)
    cells, found = X.ravel().tolist(), np.empty((ROUNDS, 4))
    for turn in range(ROUNDS):
        for place, config in enumerate((short, long)):
            begun = time.perf_counter()
            dpviz.run(X, config)
            found[turn, place] = 1000 * (time.perf_counter() - begun)
            call = "([config, cells, width]) => taken(config, cells, width)"
            found[turn, 2 + place] = page.evaluate(call, [config.to_json(), cells, X.shape[1]])
    least = found.min(axis=0) * 1e6 / ((MANY - FEW) * len(X))
    return float(least[1] - least[0]), float(least[3] - least[2])


def visits(browser: Browser, folder: Path) -> None:
    """Print nanoseconds per visit in both homes."""
    file = folder / "engine.html"
    module = base64.b64encode(module_bytes()).decode()
    file.write_text(_ENGINE.format(loader=loader_source(), module=module), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    for name, spec in (("W1", WORKLOADS["W1"]), ("10 columns", (4_000, 10, 10, 12, 3.0, 7.0))):
        X = gaussian_mixture(*spec)[0]
        native, wasm = per_visit(page, X)
        _say(f"{name}: {native:.0f} ns per visit natively, {wasm:.0f} in Chromium, {wasm / native:.2f} times as many")
    page.close()


def drags(browser: Browser, folder: Path, n_points: int, slower: int) -> None:
    """Print how long a moved knob takes to the picture of 30 sweeps."""
    rng = np.random.default_rng(3)
    labels = rng.integers(8, size=n_points)
    X = rng.normal(0, 4, (8, 2))[labels] + rng.normal(0, SPREAD, (n_points, 2))
    dataset = replace(dpviz.datasets.synthesize("crp_mixture", 50, 0), X=np.round(X, 3), labels=labels)
    file = folder / f"lab {n_points}.html"
    file.write_text(lab_page(dataset), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(_PAINTED)
    page.goto(f"{file.as_uri()}#v=1&data=given&methods=gibbs&seed=0&n_sweeps=30")
    page.locator(".panel-title").first.filter(has_text="=").wait_for()
    page.wait_for_timeout(2_000)
    if slower > 1:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.evaluate(_DRAGS, 5)
    metrics = page.context.new_cdp_session(page)
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _thread_seconds(metrics)
    taken = sorted(page.evaluate(_DRAGS, DRAGS))
    busy = 1000 * (_thread_seconds(metrics) - before) / DRAGS
    first = statistics.median(page.evaluate(_FIRST_SEED, 9))
    share = [taken[int(part * DRAGS)] for part in (0.1, 0.9)]
    _say(
        f"{n_points:,} points, page slowed {slower} times: median {statistics.median(taken):.0f} ms from knob to "
        f"picture, 10 % below {share[0]:.0f}, 90 % below {share[1]:.0f}; {busy:.1f} ms of the page's processor time a "
        f"picture; the first seed {first:.0f} ms after it; load {os.getloadavg()[0]:.1f}"
    )
    page.close()


def _thread_seconds(metrics: CDPSession) -> float:
    """Return how long the page's thread has worked, in seconds of a processor."""
    found = metrics.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))


def _say(line: str) -> None:
    """Print a line, and keep it for the file."""
    print(line, flush=True)
    _said.append(f"- {line}")


def main() -> None:
    """Print and write all of it."""
    bytes_ = module_bytes()
    _say(f"module {len(bytes_):,} bytes, {len(gzip.compress(bytes_)):,} compressed; lab {len(lab_page().encode()):,}")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for n_points, slower in ((1_000, 1), (1_000, 4), (5_000, 1)):
            drags(browser, Path(folder), n_points, slower)
        visits(browser, Path(folder))
        browser.close()
    FILE.write_text(TITLE + "\n".join(_said) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
