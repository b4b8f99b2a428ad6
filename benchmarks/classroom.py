"""How the app holds up in front of a class: ``python -m benchmarks.classroom`` (Linux, two free cores, 6 minutes).

Starts the server as ``make serve`` does, on a free port of this machine, and opens 30 sessions that speak Streamlit's
websocket protocol as a browser does, cookies included: they land all at once, then each does something every 2 to 4
seconds: moves its playhead or clicks a point; rolls the seed, so that the server makes a run that nobody had; or
answers in a class, looks whether it was revealed, and changes its answer. Time runs from sending an event to the
message that says its script run has finished, and, where a run was made, until that is shown whole. Then a long Gibbs
run is watched, started anew, left alone and closed, to see when the server computes. Writes CLASSROOM.md beside this
file.

``--idle 380`` opens as many sessions more that only stay open. Numbers depend on the machine and on what else it does:
nothing here is a test.
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
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Radio_pb2 import Radio
from streamlit.proto.Slider_pb2 import Slider
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from dpviz.config import RunConfig
from dpviz.player.blocks import read_header
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell.links import state_query
from dpviz.ui.stage.lessons import PRESETS

ROOT = Path(__file__).resolve().parent.parent
PAUSE = (2.0, 4.0)
"""Seconds between two events of one session."""
PATIENCE = 60.0
"""Seconds after which an answer counts as missing."""
START_SECONDS = 600.0
"""Seconds after which a server that does not answer has failed."""
TICK = 0.4
"""Seconds between the reruns a browser asks for while it shows a run in progress."""
PLAYER = "dpviz_player"
CHAPTER = "how-many"
"""Chapter whose question a class is asked; it has answers to choose from."""
TARGET_MS, TARGET_LANDING = 100, 2.0
Attending: TypeAlias = Callable[[asyncio.Barrier], Coroutine[Any, Any, None]]
"""A session that waits at a barrier when it is ready to begin."""


class Failure(Exception):
    """The page answered with an error, not to the point, or not at all."""


@dataclass
class Answer:
    """What one script run sent: how long it took, the elements, and the intervals its fragments want to rerun at.

    ``whole`` says that it drew the whole page: what wanted to rerun before is there only if it still wants to.
    """

    seconds: float = 0.0
    elements: list[tuple[Any, str]] = field(default_factory=list)
    reruns: dict[str, float] = field(default_factory=dict)
    whole: bool = False

    def button(self, label: str) -> str:
        for element, _ in self.elements:
            if element.WhichOneof("type") == "button" and element.button.label.startswith(label):
                return str(element.button.id)
        raise Failure(f"there is no button {label!r}")

    def radio(self) -> Radio:
        for element, _ in self.elements:
            if element.WhichOneof("type") == "radio":
                return element.radio
        raise Failure("the page asks nothing")

    def player(self) -> tuple[BidiComponent, str]:
        for element, fragment in self.elements:
            if element.WhichOneof("type") == "bidi_component" and element.bidi_component.component_name == PLAYER:
                return element.bidi_component, fragment
        raise Failure("the page has no player")

    def slider(self, label: str) -> Slider:
        for element, _ in self.elements:
            if element.WhichOneof("type") == "slider" and element.slider.label == label:
                return element.slider
        raise Failure(f"there is no slider {label!r}")

    def code(self) -> str:
        """Code of the class that the page shows, from the link that it shares."""
        for element, _ in self.elements:
            if element.WhichOneof("type") == "bidi_component" and "code=" in element.bidi_component.json:
                (code,) = parse_qs(urlsplit(json.loads(element.bidi_component.json)["url"]).query)["code"]
                return code
        raise Failure("there is no class")

    def says_why(self, index: int) -> bool:
        """Whether the card beside a point is answered, in the component that brings answers to the player."""
        wanted = {"kind": "why", "point": index}
        sent = (json.loads(element.bidi_component.json or "null") for element, _ in self.elements)
        return any(isinstance(data, dict) and wanted.items() <= data.items() for data in sent)

    def raise_errors(self) -> None:
        for element, _ in self.elements:
            if element.WhichOneof("type") == "exception":
                raise Failure(element.exception.message)
            if element.WhichOneof("type") == "alert" and element.alert.format == element.alert.ERROR:
                raise Failure(element.alert.body)


class Session:
    """One browser tab."""

    def __init__(self, channel: ClientConnection, query: str, name: str) -> None:
        self.channel, self.query, self.name = channel, query, name
        self.page = self.fragment = self.component = self.identity = ""
        self.command = self.n_sweeps = self.n_points = self.payload_bytes = 0
        self.kept: dict[str, ForwardMsg] = {}

    async def land(self) -> Answer:
        """Open the page, and take from the player's data what its script in the browser would."""
        first = await self.ask()
        answer = await self.settled(first)  # no point of a run in progress can be asked
        component, self.fragment = answer.player()
        self.component, self.payload_bytes = component.id, len(component.bytes)
        (length,) = struct.unpack_from("<I", component.bytes)
        opening = json.loads(component.bytes[4 : 4 + length])
        self.identity, self.command = opening["id"], opening["command"]
        panel = read_header(component.bytes[4 + length :])["panels"][0]
        self.n_sweeps, self.n_points = panel["n_sweeps"], panel["n_points"]
        return first

    async def settled(self, answer: Answer) -> Answer:
        """Ask as a browser does while it shows a run in progress, until the whole run is shown."""
        while answer.reruns:
            await asyncio.sleep(TICK)
            watched = await self.ask(next(iter(answer.reruns)))
            answer = watched if watched.reruns else await self.ask()
        return answer

    async def move_playhead(self, sweep: int) -> Answer:
        answer = await self.ask(self.fragment, json_value={"sweep": {"sweep": sweep, "command": self.command}})
        answer.player()
        return answer

    async def click_point(self, index: int, sweep: int) -> Answer:
        value = {"id": self.identity, "panel": 0, "index": index, "sweep": sweep}
        answer = await self.ask(self.fragment, json_trigger_value=[{"event": "point", "value": value}])
        if not answer.says_why(index):
            raise Failure(f"nothing was said about point {index}")
        return answer

    async def ask(
        self,
        fragment: str = "",
        *,
        json_value: Any = None,
        json_trigger_value: Any = None,
        button: str = "",
        picked: tuple[str, str] | None = None,
        turned: tuple[str, str] | None = None,
    ) -> Answer:
        """Send what a browser sends when a widget changes, and take in everything until the script run has ended."""
        message = BackMsg()
        request = message.rerun_script
        request.query_string, request.page_script_hash, request.fragment_id = self.query, self.page, fragment
        request.page_name = "" if self.page else self.name
        request.cached_message_hashes.extend(self.kept)
        if json_value is not None:
            request.widget_states.widgets.add(id=self.component, json_value=json.dumps(json_value))
        if json_trigger_value is not None:
            events = f"$$STREAMLIT_INTERNAL_KEY_{self.component}__events"
            request.widget_states.widgets.add(id=events, json_trigger_value=json.dumps(json_trigger_value))
        if picked is not None:
            request.widget_states.widgets.add(id=picked[0], string_value=picked[1])
        if turned is not None:
            request.widget_states.widgets.add(id=turned[0]).string_array_value.data.append(turned[1])
        if button:
            request.widget_states.widgets.add(id=button, trigger_value=True)
        return await self.exchange(message)

    async def exchange(self, message: BackMsg) -> Answer:
        """Send a message, and take in everything until the script run has ended."""
        start = time.perf_counter()
        await self.channel.send(message.SerializeToString())
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
        async for raw in self.channel:
            message = self._unpack(raw)
            match message.WhichOneof("type"):
                case "navigation":
                    self.page = message.navigation.page_script_hash
                case "page_info_changed":
                    self.query = message.page_info_changed.query_string
                case "delta" if message.delta.WhichOneof("type") == "new_element":
                    answer.elements.append((message.delta.new_element, message.delta.fragment_id))
                case "auto_rerun":
                    answer.reruns[message.auto_rerun.fragment_id] = message.auto_rerun.interval
                case "script_finished":
                    if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                        raise Failure("the script has a compile error")
                    if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        answer.whole = message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
                        return answer
                    answer.reruns.clear()  # the page is drawn again, perhaps without them
        raise Failure("the server closed the connection")

    def _unpack(self, raw: str | bytes) -> ForwardMsg:
        """Read a message; the server sends only the hash of a large one that the browser has kept."""
        assert isinstance(raw, bytes), "Streamlit sends no text frames"
        message: ForwardMsg = ForwardMsg.FromString(raw)
        if message.ref_hash:
            return self.kept[message.ref_hash]
        if message.metadata.cacheable:
            self.kept[message.hash] = message
        return message


@dataclass(frozen=True)
class Server:
    port: int
    pid: int

    @property
    def processes(self) -> list[int]:
        """The process that was started, and all that it started in turn."""
        parents = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        family = [self.pid]
        for pid in family:  # which grows on the way
            family += [child for child, parent in parents.items() if parent == pid]
        return family

    @property
    def cpu_seconds(self) -> float:
        """Processor time used so far."""
        return sum(map(_cpu_seconds, self.processes))

    @property
    def megabytes(self) -> float:
        return sum(map(_megabytes, self.processes))

    @asynccontextmanager
    async def session(self, query: str, page: str = "explore") -> AsyncIterator[Session]:
        """Open a session as a browser does that has loaded the page."""
        origin: Any = f"http://127.0.0.1:{self.port}"
        cookie = await asyncio.to_thread(_cookie, origin)
        address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        headers = {"Cookie": cookie} if cookie else {}
        async with connect(
            address,
            origin=origin,
            additional_headers=headers,
            max_size=None,
            compression=None,
            ping_timeout=None,
            open_timeout=PATIENCE,
        ) as channel:
            yield Session(channel, query, page)


def _cookie(address: str) -> str:
    with urllib.request.urlopen(address, timeout=PATIENCE) as page:
        return (page.headers["Set-Cookie"] or "").partition(";")[0]


def _cpu_seconds(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _megabytes(pid: int) -> float:
    with suppress(OSError):
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving() -> Iterator[Server]:
    """Run the command of ``make serve`` on a free port."""
    port = free_port()
    listed = subprocess.run(
        ["make", "--dry-run", "--always-make", "--no-print-directory", "serve", f"PORT={port}"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    command = [sys.executable, *shlex.split(listed.splitlines()[-1])[1:]]
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **threads}, stdout=subprocess.DEVNULL)
    try:
        _wait_until_healthy(port, process)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=60)


def _wait_until_healthy(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("The server did not become healthy.")


class Meter:
    """Cores that the server, and other people's jobs on the machine, use from now on."""

    def __init__(self, server: Server) -> None:
        self.server, self.before = server, self._seconds(server)

    def read(self) -> tuple[float, float]:
        wall, served, everything = (
            after - before for after, before in zip(self._seconds(self.server), self.before, strict=True)
        )
        return served / wall, max(everything - served, 0.0) / wall

    @staticmethod
    def _seconds(server: Server) -> tuple[float, float, float]:
        """Wall time, the server's processor time, and all processor time but this process's own."""
        user, nice, system, _, _, irq, soft = (int(word) for word in Path("/proc/stat").read_text().split()[1:8])
        busy = (user + nice + system + irq + soft) / os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), server.cpu_seconds, busy - time.process_time()


@dataclass
class Seen:
    """What sessions saw that used a server at the same time; seconds."""

    title: str
    events: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    length: float = 0.0
    cores: tuple[float, float] = (0.0, 0.0)
    megabytes: tuple[float, ...] = ()
    load: float = 0.0

    async def watch(self, server: Server, sessions: Sequence[Attending]) -> None:
        """Measure from when all sessions wait at the barrier, which then opens, until the last of them is done."""
        ready = asyncio.Barrier(len(sessions) + 1)
        going = [asyncio.create_task(session(ready)) for session in sessions]
        await ready.wait()
        landed, begun, meter = server.megabytes, time.monotonic(), Meter(server)
        outcomes = await asyncio.gather(*going, return_exceptions=True)
        self.cores, self.megabytes = meter.read(), (landed, server.megabytes)
        self.length, self.load = time.monotonic() - begun, os.getloadavg()[0]
        for outcome in outcomes:
            if isinstance(outcome, Failure) and self.events:
                self.failures.append(str(outcome))
            elif isinstance(outcome, BaseException):
                raise outcome


@dataclass
class Lesson(Seen):
    """What a class saw of one lesson; seconds, with those until a run that was asked for is shown whole."""

    payload_bytes: int = 0
    first: float = 0.0
    landings: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)


class Student:
    """One of a class: what it does after landing."""

    page = "explore"

    def __init__(self, session: Session, lesson: Lesson, seed: int) -> None:
        self.session, self.lesson, self.random = session, lesson, random.Random(seed)

    async def land(self) -> Answer:
        return await self.session.land()

    async def act(self) -> Answer:
        """Move the playhead or click a point."""
        session, sweep = self.session, self.random.randrange(1, self.session.n_sweeps + 1)
        if self.random.random() < 0.5:
            return await session.move_playhead(sweep)
        return await session.click_point(self.random.randrange(session.n_points), sweep)


class Turner(Student):
    """Turns N0 in the sidebar, again and again; another may have asked for the same before."""

    async def land(self) -> Answer:
        answer = await super().land()
        self._known = await self.session.ask()
        return answer

    async def act(self) -> Answer:
        begun = time.perf_counter()
        answer = await self.turn()
        (await self.session.settled(answer)).player()
        self.lesson.runs.append(time.perf_counter() - begun)
        return answer

    async def turn(self) -> Answer:
        slider = self._known.slider("Concentration N0")
        return await self.session.ask(turned=(slider.id, self.random.choice(list(slider.options))))


class Roller(Turner):
    """Rolls the seed, so that nobody had the run."""

    async def turn(self) -> Answer:
        return await self.session.ask(button=self._known.button(":material/casino:"))


class Guesser(Student):
    """Answers in a class, looks whether the answer was revealed, and changes its mind."""

    page = "classroom"

    async def land(self) -> Answer:
        self._asked, self._next = await self.session.ask(), self._send
        return self._asked

    async def act(self) -> Answer:
        return await self._next()

    async def _send(self) -> Answer:
        radio = self._asked.radio()
        picked = radio.id, self.random.choice(list(radio.options))
        self._sent = await self.session.ask(button=self._asked.button("Send my answer"), picked=picked)
        self._next = self._look
        return self._sent

    async def _look(self) -> Answer:
        self._next = self._change
        return await self.session.ask(next(iter(self._sent.reruns)))

    async def _change(self) -> Answer:
        self._asked, self._next = await self.session.ask(button=self._sent.button("Change my answer")), self._send
        return self._asked


@dataclass(frozen=True)
class Plan:
    """What a class, or a share of it, does: a lesson of Explore by its place, or without one a chapter's question."""

    what: str
    kind: type[Student]
    preset: int | None = None
    share: float = 1.0

    @property
    def title(self) -> str:
        return f"{'A class is asked' if self.preset is None else PRESETS[self.preset].title}: {self.what}"

    @property
    def query(self) -> str:
        """The address that the class follows; empty for the lesson that Explore lands on."""
        preset = PRESETS[self.preset or 0]
        return urlencode(state_query(preset.choice, preset.config)) if self.preset else ""

    async def begin(self, server: Server, lesson: Lesson) -> tuple[str, float]:
        """Open the page before the class does; return the address for the class, and how long the landing took."""
        if self.preset is not None:
            async with server.session(self.query) as teacher:
                first = await teacher.land()
                lesson.payload_bytes = teacher.payload_bytes
                await teacher.click_point(0, 1)
            return self.query, first.seconds
        async with server.session(urlencode({"chapter": CHAPTER}), "classroom") as teacher:
            first = await teacher.ask()
            opened = await teacher.ask(button=first.button("Ask"))
            return urlencode({"code": opened.code()}), first.seconds


PLANS = (
    Plan("playhead, points", Student, 0),
    Plan("playhead, points", Student, 1),
    Plan("playhead, points", Student, 5),
    Plan("N0 in the sidebar", Turner, 1),
    Plan("seeds, each a new search, by a tenth of the class", Roller, 1, 0.1),
    Plan("send, look, change", Guesser),
)
"""K-means (what Explore lands on), MAP-DP, and a Gibbs chain of 200 sweeps, played; MAP-DP by settings that the server
computes, in runs that others share and in runs of one's own; and a class."""


async def attend(
    server: Server, lesson: Lesson, kind: type[Student], query: str, seconds: float, seed: int, ready: asyncio.Barrier
) -> None:
    """One student: land, wait for the others, then act."""
    async with server.session(query, kind.page) as session:
        student = kind(session, lesson, seed)
        try:
            lesson.landings.append((await student.land()).seconds)
        finally:
            await ready.wait()
        until = time.monotonic() + seconds
        await asyncio.sleep(student.random.uniform(0, PAUSE[1]))
        while time.monotonic() < until:
            begun = time.monotonic()
            lesson.events.append((await student.act()).seconds)
            await asyncio.sleep(max(0.0, begun + student.random.uniform(*PAUSE) - time.monotonic()))


async def teach(plan: Plan, n_sessions: int, seconds: float, n_idle: int) -> Lesson:
    """Give one lesson to a class on a fresh server, where others have only opened the page."""
    lesson = Lesson(plan.title)
    async with AsyncExitStack() as opened:
        server = opened.enter_context(serving())
        query, lesson.first = await plan.begin(server, lesson)
        before = server.megabytes
        for seed in range(n_idle):
            session = await opened.enter_async_context(server.session(query, plan.kind.page))
            await plan.kind(session, lesson, seed).land()
        await lesson.watch(
            server,
            [partial(attend, server, lesson, plan.kind, query, seconds, seed) for seed in range(n_sessions)],
        )
    lesson.megabytes = (before, *lesson.megabytes)
    return lesson


async def watch_a_job() -> list[tuple[str, float, float]]:
    """Cores that the server uses for one session's long run: watched, left alone, closed."""
    choice = DataChoice("synthetic", "spherical_unequal_radius").with_options(n=20_000)
    query = urlencode(state_query(choice, RunConfig("gibbs", n_sweeps=20_000, family="normal_wishart", prior=None)))
    rows = []
    with serving() as server:

        async def during(what: str, waiting: Awaitable[None]) -> None:
            meter = Meter(server)
            await waiting
            rows.append((what, *meter.read()))

        async with server.session(query) as session:
            landed = await session.ask()
            await during("before the run, page open", asyncio.sleep(4))
            started = await session.ask(button=landed.button("Run"))
            await during("one run, watched", _follow(session, started, 6))
            await asyncio.sleep(1)
            await during("page open, but asks for nothing", asyncio.sleep(4))
            await during("watched again", _follow(session, started, 6))
        await asyncio.sleep(1)
        await during("page closed while the run was going", asyncio.sleep(6))
    return rows


async def _follow(session: Session, started: Answer, seconds: float) -> None:
    """Ask for the next picture as often as a browser does."""
    if len(started.reruns) != 1:
        raise Failure(f"{len(started.reruns)} fragments want to rerun; a session has one run in progress")
    (fragment,) = started.reruns
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.monotonic()
        (await session.ask(fragment)).player()
        await asyncio.sleep(max(0.0, begun + TICK - time.monotonic()))


def report(lessons: list[Lesson], jobs: list[tuple[str, float, float]], chosen: argparse.Namespace) -> str:
    n_sessions, idle = chosen.sessions, f", {chosen.idle} more of which only have the page open" if chosen.idle else ""
    words = "" if vars(chosen) == DEFAULTS else "".join(f" --{name} {value:g}" for name, value in vars(chosen).items())
    lines = [
        "# A class on one server",
        "",
        f"Written by `python -m benchmarks.classroom{words}`: {n_sessions + chosen.idle} sessions{idle} on "
        f"`make serve`; each does something every {PAUSE[0]:.0f} to {PAUSE[1]:.0f} s for {chosen.seconds:.0f} s, on a "
        f"machine with {os.cpu_count()} cores that also runs the {n_sessions} clients, and where cores of other jobs "
        "are much above 0 was not theirs alone: compare processor time then. "
        "Times run from sending an event until the whole answer has arrived, those of runs until the run that was "
        "asked for is shown whole, for which a page looks every .4 s. "
        f"The targets are that 95 % of the events of 100 sessions take at most {TARGET_MS} ms on two cores, and the "
        f"first landing at most {TARGET_LANDING:.0f} s. Memory is that of all processes together: before the class "
        "comes, when it has landed, and at the end.",
        "",
        "| lesson | player data | first landing | landing, all at once: median, slowest | events | median | 95 % "
        "| slowest | runs: median, 95 % | processor time of the server per event | failed sessions | server's cores "
        "| cores of other jobs | load average | memory |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for lesson in lessons:
        middle, high, slowest = 1000 * np.quantile(lesson.events, [0.5, 0.95, 1.0])
        landing, last = np.quantile(lesson.landings, [0.5, 1.0])
        runs = ", ".join(f"{1000 * time:.0f} ms" for time in np.quantile(lesson.runs or [np.nan], [0.5, 0.95]))
        memory = " → ".join(f"{size:.0f}" for size in lesson.megabytes)
        lines.append(
            f"| {lesson.title} | {lesson.payload_bytes / 1e6:.2f} MB | {lesson.first:.2f} s "
            f"| {landing:.2f} s, {last:.2f} s | {len(lesson.events)} "
            f"| {middle:.0f} ms | **{high:.0f} ms** | {slowest:.0f} ms | {runs if lesson.runs else 'none'} "
            f"| {1000 * lesson.cores[0] * lesson.length / len(lesson.events):.1f} ms | {len(lesson.failures)} "
            f"| {lesson.cores[0]:.2f} | {lesson.cores[1]:.2f} | {lesson.load:.1f} "
            f"| {memory} MB |"
        )
    if jobs:
        lines += ["", "One session's long Gibbs run, and when the server computes for it:", ""]
        lines += ["| | server's cores | cores of other jobs |", "|---|---|---|"]
        lines += [f"| {what} | {served:.2f} | {others:.2f} |" for what, served, others in jobs]
    return "\n".join(lines) + "\n"


DEFAULTS = {"sessions": 30, "seconds": 40.0, "idle": 0}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the app in front of a class.")
    explained = {
        "sessions": "that do something",
        "seconds": "that they do",
        "idle": "sessions besides that only stay open",
    }
    for name, default in DEFAULTS.items():
        help_text = f"{explained[name]}; default: {default:g}"
        parser.add_argument(f"--{name}", type=type(default), default=default, help=help_text)
    chosen = parser.parse_args()
    lessons = [
        asyncio.run(teach(plan, max(1, round(plan.share * chosen.sessions)), chosen.seconds, chosen.idle))
        for plan in PLANS
    ]
    text = report(lessons, asyncio.run(watch_a_job()), chosen)
    (Path(__file__).parent / "CLASSROOM.md").write_text(text)
    print(text)
    for failure in {failure for lesson in lessons for failure in lesson.failures}:
        print("error:", failure)


if __name__ == "__main__":
    main()
