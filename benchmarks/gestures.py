"""What a reader's gestures cost the server: ``python -m benchmarks.gestures`` (Linux, two free cores, 7 minutes).

``--record`` drives Chromium through a minute on Explore, with two lessons, scrubs, clicks, knobs and twenty seeds, and
through ten seconds of dragging N0 at the picture and, as pages without an engine do, in the sidebar; what the browser
sends meanwhile goes to gestures.json beside this file. Without it, sessions replay that on the server that ``make
serve`` starts, and GESTURES.md is written: how long answers take, how many messages come, and how busy the
server is. A class that is told to begin does so within some seconds, and all send the same at the same time; one that
works by itself is spread over a minute: both are measured. ``--own`` gives every session values of N0 that nobody had
before, so that no run is known already. Numbers depend on the machine and on what else it does: nothing here is a test.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import random
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.classroom import ROOT, TICK, Answer, Seen, Server, Session, serving

sys.path.insert(0, str(ROOT / "tests" / "browser"))
from browsing import CHROMIUM, CHROMIUM_ARGUMENTS, expander  # noqa: E402

RECORDED = Path(__file__).with_suffix(".json")
REPORT = Path(__file__).with_name("GESTURES.md")
MINUTE, DRAGGED = 60.0, 10.0
"""Seconds that are recorded."""
DRAGGERS = 40
TOLD, BY_ITSELF = 8.0, MINUTE
"""Seconds within which sessions begin, if they are told to, and if nobody tells them."""
KNOB = ".live-strip .knob input"


class Tape:
    """Writes down what a page sends, and the names of the pictures that it gets.

    What a page asks for by itself, while it shows a run in progress, is left out: it depends on how long the run takes.
    """

    def __init__(self, page: Page) -> None:
        self.messages: list[dict[str, Any]] = []
        self.pictures: list[str] = []
        self.begun = time.monotonic()
        page.on("websocket", lambda socket: (socket.on("framesent", self._sent), socket.on("framereceived", self._got)))

    def _sent(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes) and not BackMsg.FromString(frame).rerun_script.is_auto_rerun:
            at = round(time.monotonic() - self.begun, 3)
            self.messages.append({"at": at, "message": base64.b64encode(frame).decode()})

    def _got(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            message = ForwardMsg.FromString(frame)
            if message.WhichOneof("type") == "delta":
                note_picture(message.delta.new_element, self.pictures)

    def between(self, first: float, last: float) -> list[dict[str, Any]]:
        """Messages of a time, counted from its beginning."""
        return [{**one, "at": one["at"] - first} for one in self.messages if first <= one["at"] < last]


def note_picture(element: Any, pictures: list[str]) -> None:
    """Add the name of the run that an element shows, if it is a player's and a new one."""
    if element.WhichOneof("type") != "bidi_component" or len(element.bidi_component.bytes) < 4:
        return
    content = element.bidi_component.bytes
    (length,) = struct.unpack_from("<I", content)
    opening = json.loads(content[4 : 4 + length])
    if "sweep" in opening and opening["id"] not in pictures:
        pictures.append(opening["id"])


def record() -> None:
    """Drive Chromium, and write down what it sends."""
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        taken = {}
        for name, (gestures, seconds) in GESTURES.items():
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            tape = Tape(page)
            page.goto(f"http://127.0.0.1:{server.port}/explore")
            page.locator(".live-said").filter(has_text="Drag a knob").wait_for()
            if name != "minute":
                page.get_by_role("button", name="Now the same data with MAP-DP").click()
                page.wait_for_timeout(15_000)
            if name == "sidebar":
                expander(page, "Prior: ")
            first = 0.0 if name == "minute" else time.monotonic() - tape.begun
            gestures(page)
            page.wait_for_timeout(max(0.0, 1000 * (first + seconds - (time.monotonic() - tape.begun))))
            taken[name] = {
                "before": tape.between(0, first),
                "messages": tape.between(first, first + seconds),
                "pictures": tape.pictures,
            }
            print(name, len(taken[name]["messages"]), "messages")
            page.close()
        browser.close()
    RECORDED.write_text(json.dumps(taken))


def _minute(page: Page) -> None:
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_timeout(5_000)
    _scrub(page, 0.3)
    _click_and_read(page, 0.4, 0.5)
    page.get_by_role("button", name="Now the same data with MAP-DP").click()
    page.wait_for_timeout(9_000)
    _scrub(page, 0.5)
    _click_and_read(page, 0.5, 0.4)
    _drag(page, 4)
    page.wait_for_timeout(5_000)
    page.get_by_role("button", name="20 seeds").click()
    page.wait_for_timeout(4_000)
    _scrub(page, 0.9)
    _drag(page, 3)
    page.wait_for_timeout(4_000)
    _click_and_read(page, 0.6, 0.5)


def _knob(page: Page) -> None:
    _drag(page, DRAGGED - 1)


def _sidebar(page: Page) -> None:
    """Move the slider of the page itself, which sends where it is at every look at the picture."""
    slider = page.get_by_test_id("stSidebar").get_by_role("slider", name="Concentration N0")
    until, step = time.monotonic() + DRAGGED - 1, 0
    while time.monotonic() < until:
        step += 1
        slider.press("ArrowRight" if step % 10 < 5 else "ArrowLeft")
        page.wait_for_timeout(450 if step % 5 == 0 else 40)


def _drag(page: Page, seconds: float) -> None:
    """Move the knob at the picture to and fro, with a look at the picture now and then."""
    box = page.locator(KNOB).first.bounding_box()
    assert box is not None
    middle, begin, reach = box["y"] + box["height"] / 2, box["x"] + box["width"] / 2, 0.4 * box["width"]
    page.mouse.move(begin, middle)
    page.mouse.down()
    until, step = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        step += 1
        page.mouse.move(begin + reach * np.sin(0.25 * step), middle)
        page.wait_for_timeout(450 if step % 5 == 0 else 40)
    page.mouse.up()


def _scrub(page: Page, share: float) -> None:
    box = page.get_by_role("slider", name="Sweep").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=15)
    page.mouse.up()
    page.wait_for_timeout(2_000)


def _click_and_read(page: Page, across: float, down: float) -> None:
    box = page.locator(".stage .overlay").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
    page.wait_for_timeout(2_000)
    page.mouse.move(5, 5)  # away from the picture: the page below follows
    page.wait_for_timeout(2_000)


GESTURES: dict[str, tuple[Callable[[Page], None], float]] = {
    "minute": (_minute, MINUTE),
    "knob": (_knob, DRAGGED),
    "sidebar": (_sidebar, DRAGGED),
}
"""What is recorded, and for how many seconds."""


@dataclass
class Class(Seen):
    """What sessions that replay a recording saw."""

    sessions: int = 0

    def row(self) -> str:
        """As a line of the report's table."""
        middle, high, slowest = 1000 * np.quantile(self.events, [0.5, 0.95, 1]) if self.events else (0, 0, 0)
        each, cpu = len(self.events) / self.sessions, self.cores[0] * self.length
        cpu_of_one = 1000 * cpu / max(len(self.events), 1)
        return (
            f"| {self.title} | {self.sessions} | {each:.1f} | {middle:.0f} ms | **{high:.0f} ms** | {slowest:.0f} ms "
            f"| {len(self.failures)} | {self.cores[0]:.2f} | {cpu:.1f} s | {cpu_of_one:.0f} ms "
            f"| {self.cores[1]:.2f} | {self.load:.1f} |"
        )


class Replay:
    """One session's way through a recording."""

    def __init__(self, session: Session, recorded: dict[str, Any], own: float | None) -> None:
        self.session, self.recorded, self.own = session, recorded, own
        self.pictures: list[str] = []

    async def send(self, message: str) -> Answer:
        """Send a recorded message as this session would."""
        text = BackMsg.FromString(base64.b64decode(message))
        request = text.rerun_script
        del request.cached_message_hashes[:]
        request.cached_message_hashes.extend(self.session.kept)
        for widget in request.widget_states.widgets:
            for part in ("json_value", "json_trigger_value"):
                if widget.WhichOneof("value") == part:
                    setattr(widget, part, self._translated(getattr(widget, part)))
        answer = await self.session.exchange(text)
        for element, _ in answer.elements:
            note_picture(element, self.pictures)
        return answer

    async def wait(self, answer: Answer) -> None:
        """Ask on, as a browser does while it shows a run in progress, until that is over."""
        reruns = answer.reruns
        while reruns:
            await asyncio.sleep(TICK)
            answer = await self.session.ask(next(iter(reruns)))
            reruns = answer.reruns if answer.whole else reruns
            for element, _ in answer.elements:
                note_picture(element, self.pictures)

    def _translated(self, written: str) -> str:
        """Name this session's pictures instead of those of the recording; move values by a factor of its own."""
        for there, here in zip(self.recorded["pictures"], self.pictures, strict=False):
            written = written.replace(there, here)
        if self.own is None or '"concentration"' not in written:
            return written
        return json.dumps(_scaled(json.loads(written), self.own))


def _scaled(part: Any, factor: float) -> Any:
    if isinstance(part, list):
        return [_scaled(one, factor) for one in part]
    if isinstance(part, dict):
        return {key: one * factor if key == "concentration" else _scaled(one, factor) for key, one in part.items()}
    return part


async def attend(
    server: Server,
    seen: Class,
    recorded: dict[str, Any],
    own: float | None,
    within: float,
    seed: int,
    ready: asyncio.Barrier,
) -> None:
    """Do what was recorded, and begin at any time within some seconds."""
    async with server.session("") as session:
        replay = Replay(session, recorded, own)
        try:
            first, *others = [*recorded["before"], *recorded["messages"]][: len(recorded["before"]) or 1]
            for one in (first, *others):
                await replay.send(one["message"])
        finally:
            await ready.wait()
        await asyncio.sleep(random.Random(seed).uniform(0, within))
        begun = time.monotonic()
        for one in recorded["messages"][0 if recorded["before"] else 1 :]:
            await asyncio.sleep(max(0.0, begun + one["at"] - time.monotonic()))
            seen.events.append((await replay.send(one["message"])).seconds)


async def watch(title: str, name: str, n_sessions: int, own: bool, within: float = TOLD) -> Class:
    """Let a class replay a recording on a fresh server."""
    recorded = json.loads(RECORDED.read_text())[name]
    seen = Class(title, sessions=n_sessions)
    with serving() as server:
        async with server.session("") as teacher:
            replay = Replay(teacher, recorded, None)
            for one in [*recorded["before"], *recorded["messages"]]:
                await replay.wait(await replay.send(one["message"]))
        factors: Callable[[int], float | None] = lambda k: 1 + 0.003 * (k + 1) if own else None  # noqa: E731
        await seen.watch(
            server, [partial(attend, server, seen, recorded, factors(seed), within, seed) for seed in range(n_sessions)]
        )
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what gestures cost the server.")
    parser.add_argument("--record", action="store_true", help="drive Chromium, and keep what it sends")
    parser.add_argument("--sessions", type=int, default=100, help="that replay the minute; default: 100")
    parser.add_argument("--own", action="store_true", help="values of N0 that nobody had before")
    chosen = parser.parse_args()
    if chosen.record:
        record()
        return
    classes = [
        asyncio.run(watch(title, name, n_sessions, chosen.own, within))
        for title, name, n_sessions, within in (
            ("a minute on Explore, begun by all within 8 s", "minute", chosen.sessions, TOLD),
            ("a minute on Explore, begun at any time within a minute", "minute", chosen.sessions, BY_ITSELF),
            ("ten seconds of dragging N0 at the picture, begun within 8 s", "knob", DRAGGERS, TOLD),
            ("ten seconds of dragging N0 in the sidebar, begun within 8 s", "sidebar", DRAGGERS, TOLD),
        )
    ]
    whose = "values of N0 that nobody had before" if chosen.own else "the values that the recording has"
    lines = [
        "# What gestures cost the server",
        "",
        f"Written by `python -m benchmarks.gestures{' --own' if chosen.own else ''}`: sessions on `make "
        f"serve` replay what Chromium sent, with {whose}, on a machine with {os.cpu_count()} cores that also runs the "
        "clients. Answers are timed from the message to the end of its script run. Sessions that begin together send "
        "the same message together: a class that follows its teacher. Those that begin within a minute are of a class "
        "that works by itself. Cores are means over the whole time, pauses included.",
        "",
        "| gesture | sessions | messages of each | median | 95 % | slowest | failed | server's cores | its CPU "
        "| CPU a message | cores of other jobs | load average |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
        *(seen.row() for seen in classes),
    ]
    text = "\n".join(lines) + "\n"
    REPORT.write_text(text)
    print(text)
    for failure in {failure for seen in classes for failure in seen.failures}:
        print("error:", failure)


if __name__ == "__main__":
    main()
