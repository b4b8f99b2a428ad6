"""How the app holds up in front of a class: ``python -m benchmarks.classroom`` (Linux, two free cores, 4 minutes).

Starts the server as ``make serve`` does, on a free port of this machine, and opens 30 sessions that speak Streamlit's
websocket protocol as a browser does: they land on Explore all at once, then each moves its playhead or clicks a point
every 2 to 4 seconds. Time runs from sending an event to the message that says its script run has finished. Then a long
Gibbs run is watched, started anew, left alone and closed, to see when the server computes. Writes CLASSROOM.md beside
this file. Numbers depend on the machine and on what else it does: nothing here is a test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shlex
import socket
import struct
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from dpviz.config import RunConfig
from dpviz.ui.choice import DataChoice
from dpviz.ui.links import state_query
from dpviz.ui.player.blocks import read_header
from dpviz.ui.presets import PRESETS

ROOT = Path(__file__).resolve().parent.parent
PAUSE = (2.0, 4.0)
"""Seconds between two events of one session."""
PATIENCE = 60.0
"""Seconds after which an answer counts as missing."""
TICK = 0.4
"""Seconds between the reruns a browser asks for while it shows a run in progress."""
LESSONS = (0, 1, 5)
"""Lessons the class opens: K-means (what Explore lands on), MAP-DP, and a Gibbs chain of 200 sweeps."""
TARGET_MS = 150


class Failure(Exception):
    """The page answered with an error, not to the point, or not at all."""


@dataclass
class Answer:
    """What one script run sent: how long it took, the elements, and the intervals its fragments want to rerun at."""

    seconds: float = 0.0
    elements: list[tuple[Any, str]] = field(default_factory=list)
    reruns: dict[str, float] = field(default_factory=dict)

    def button(self, label: str) -> str:
        for element, _ in self.elements:
            if element.WhichOneof("type") == "button" and element.button.label.startswith(label):
                return str(element.button.id)
        raise Failure(f"there is no button {label!r}")

    def player(self) -> tuple[BidiComponent, str]:
        for element, fragment in self.elements:
            if element.WhichOneof("type") == "bidi_component":
                return element.bidi_component, fragment
        raise Failure("the page has no player")

    def says(self, words: str) -> bool:
        return any(words in element.markdown.body for element, _ in self.elements)

    def raise_errors(self) -> None:
        for element, _ in self.elements:
            if element.WhichOneof("type") == "exception":
                raise Failure(element.exception.message)
            if element.WhichOneof("type") == "alert" and element.alert.format == element.alert.ERROR:
                raise Failure(element.alert.body)


class Session:
    """One browser tab."""

    def __init__(self, socket: ClientConnection, query: str) -> None:
        self.socket, self.query = socket, query
        self.page = self.fragment = self.component = self.identity = ""
        self.command = self.n_sweeps = self.n_points = self.payload_bytes = 0
        self.kept: dict[str, ForwardMsg] = {}

    async def land(self) -> Answer:
        """Open the page."""
        answer = await self.ask()
        self._read_player(answer)
        return answer

    async def move_playhead(self, sweep: int) -> Answer:
        answer = await self.ask(self.fragment, json_value={"sweep": {"sweep": sweep, "command": self.command}})
        answer.player()
        return answer

    async def click_point(self, index: int, sweep: int) -> Answer:
        value = {"id": self.identity, "panel": 0, "index": index, "sweep": sweep}
        answer = await self.ask(self.fragment, json_trigger_value=[{"event": "point", "value": value}])
        if not answer.says(f"point {index} "):
            raise Failure(f"nothing was said about point {index}")
        return answer

    async def press(self, button: str) -> Answer:
        return await self.ask(button=button)

    async def ask(
        self, fragment: str = "", *, json_value: Any = None, json_trigger_value: Any = None, button: str = ""
    ) -> Answer:
        """Send what a browser sends when a widget changes, and take in everything until the script run has ended."""
        message = BackMsg()
        request = message.rerun_script
        request.query_string, request.page_script_hash, request.fragment_id = self.query, self.page, fragment
        request.cached_message_hashes.extend(self.kept)
        if json_value is not None:
            request.widget_states.widgets.add(id=self.component, json_value=json.dumps(json_value))
        if json_trigger_value is not None:
            events = f"$$STREAMLIT_INTERNAL_KEY_{self.component}__events"
            request.widget_states.widgets.add(id=events, json_trigger_value=json.dumps(json_trigger_value))
        if button:
            request.widget_states.widgets.add(id=button, trigger_value=True)
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        try:
            answer = await asyncio.wait_for(self._answer(), PATIENCE)
        except TimeoutError:
            raise Failure(f"no answer within {PATIENCE:.0f} s") from None
        except ConnectionClosed as closed:
            raise Failure(f"the server hung up: {closed}") from closed
        answer.seconds = time.perf_counter() - start
        answer.raise_errors()
        return answer

    async def _answer(self) -> Answer:
        answer = Answer()
        async for raw in self.socket:
            message = self._unpack(raw)
            match message.WhichOneof("type"):
                case "new_session":
                    self.page = message.new_session.page_script_hash
                case "delta" if message.delta.WhichOneof("type") == "new_element":
                    answer.elements.append((message.delta.new_element, message.delta.fragment_id))
                case "auto_rerun":
                    answer.reruns[message.auto_rerun.fragment_id] = message.auto_rerun.interval
                case "script_finished":
                    if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                        raise Failure("the script has a compile error")
                    if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        return answer
        raise Failure("the server closed the connection")

    def _unpack(self, raw: str | bytes) -> ForwardMsg:
        """Read a message; the server sends only the hash of a large one that the browser has kept."""
        assert isinstance(raw, bytes), "Streamlit sends no text frames"
        message = ForwardMsg.FromString(raw)
        if message.ref_hash:
            return self.kept[message.ref_hash]
        if message.metadata.cacheable:
            self.kept[message.hash] = message
        return message

    def _read_player(self, answer: Answer) -> None:
        """Take from the player's data what its script in the browser would."""
        component, self.fragment = answer.player()
        self.component = component.id
        (length,) = struct.unpack_from("<I", component.bytes)
        opening = json.loads(component.bytes[4 : 4 + length])
        self.identity, self.command = opening["id"], opening["command"]
        panel = read_header(component.bytes[4 + length :])["panels"][0]
        self.n_sweeps, self.n_points = panel["n_sweeps"], panel["n_points"]
        self.payload_bytes = len(component.bytes)


@dataclass(frozen=True)
class Server:
    """The running app."""

    port: int
    pid: int

    @property
    def cpu_seconds(self) -> float:
        """Processor time used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def megabytes(self) -> float:
        """Memory in use."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @asynccontextmanager
    async def session(self, query: str) -> AsyncIterator[Session]:
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        origin: Any = f"http://127.0.0.1:{self.port}"
        async with connect(address, origin=origin, max_size=None, compression=None, ping_timeout=None) as socket:
            yield Session(socket, query)


@contextmanager
def serving() -> Iterator[Server]:
    """Run the command of ``make serve`` on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    listed = subprocess.run(
        ["make", "--dry-run", "--always-make", "--no-print-directory", "serve", f"PORT={port}"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    command = [sys.executable, *shlex.split(listed.splitlines()[-1])[1:]]
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **threads}, stdout=subprocess.DEVNULL)
    try:
        _wait_until_healthy(port, process)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_until_healthy(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("The server did not become healthy.")


class Meter:
    """Cores that the server, and everything else on the machine, used since the meter was started."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.begun, self.server_before, self.all_before = time.perf_counter(), server.cpu_seconds, _busy_seconds()

    def read(self) -> tuple[float, float]:
        elapsed = time.perf_counter() - self.begun
        server = self.server.cpu_seconds - self.server_before
        others = _busy_seconds() - self.all_before - server - (time.process_time() - self.own_before)
        return server / elapsed, max(others, 0.0) / elapsed

    own_before: float = field(default=0.0)


def _busy_seconds() -> float:
    user, nice, system, _, _, irq, soft = (int(word) for word in Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")
