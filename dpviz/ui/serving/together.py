"""Many sessions on one interpreter: script runs one after another, and what they say together, not piece by piece.

Streamlit gives every script run a thread, which wakes the event loop for each element; the loop sends each by itself.
Thread and loop then wait for the interpreter in turn, some milliseconds every time, and in front of a class all answers
are late. Here a script's elements reach the loop together, at the latest after :data:`DELAY`, and the socket in one
piece; and a script run begins once the one before has ended, so that the first who asked is answered first.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.runtime.state import SafeSessionState

DELAY = 0.01
"""Most seconds for which elements of a script that goes on are held back."""
TURN_SECONDS = 0.1
"""After so long, a script run lets the next one begin beside it: it may wait for a file, or compute."""

MOST_TOGETHER = 100
"""Messages that are sent in one go: Streamlit gives a browser up that has several hundreds before it."""

_AT_ONCE = {kind for kind in ScriptRunnerEvent} - {
    ScriptRunnerEvent.ENQUEUE_FORWARD_MSG,
    ScriptRunnerEvent.SCRIPT_STARTED,
}


class Turns:
    """Lets script runs begin one after another, in the order in which they were asked for.

    Parameters
    ----------
    loop : event loop
        Looks after those that wait.
    seconds : float
        A run that takes longer goes on, and the next begins beside it.
    clock : callable
        Returns seconds.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        seconds: float = TURN_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._loop, self._seconds, self._clock = loop, seconds, clock
        self._lock = threading.Lock()
        self._waiting: deque[tuple[object, Callable[[], None]]] = deque()
        self._turn: tuple[object, float] | None = None
        self._looks = False

    def begin(self, run: object, start: Callable[[], None]) -> None:
        """Call ``start`` now, or when it is the run's turn."""
        with self._lock:
            self._waiting.append((run, start))
        self._next()

    def end(self, run: object) -> None:
        """Note that a run has ended."""
        with self._lock:
            if self._turn is not None and self._turn[0] is run:
                self._turn = None
        self._next()

    def _next(self) -> None:
        """Start the next run if nobody has the turn, else look again when that must be so."""
        with self._lock:
            if not self._waiting:
                return
            if self._turn is not None and self._clock() - self._turn[1] < self._seconds:
                if not self._looks:
                    self._looks = True
                    self._loop.call_soon_threadsafe(self._loop.call_later, self._seconds, self._look)
                return
            run, start = self._waiting.popleft()
            self._turn = run, self._clock()
        try:
            start()
        except BaseException:  # no thread is to be had
            self.end(run)
            raise

    def _look(self) -> None:
        self._looks = False
        self._next()

    def install(self) -> None:
        """Let all script runs of this process wait for their turn."""
        kind: Any = ScriptRunner
        start, run_thread = kind.start, kind._run_script_thread

        def run(runner: ScriptRunner) -> None:
            try:
                run_thread(runner)
            finally:
                self.end(runner)

        kind.start = lambda runner: self.begin(runner, partial(start, runner))
        kind._run_script_thread = run


class _Said:
    """What a session's script has said and its event loop has not heard yet."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_due = False

    def add(self, event: Callable[[], None], loop: asyncio.AbstractEventLoop, at_once: bool) -> None:
        """Let the loop handle an event, after those before it."""
        self._waiting.append(event)
        if at_once:
            loop.call_soon_threadsafe(self._hear)
        elif not self._is_due:
            self._is_due = True
            loop.call_soon_threadsafe(loop.call_later, DELAY, self._hear)

    def _hear(self) -> None:
        self._is_due = False  # before the last look: what is said after that look is due again
        while self._waiting:
            self._waiting.popleft()()


def hear_together() -> None:
    """Hand a script's messages to the event loop together; that it has ended, at once, with all it said before."""

    def on_event(session: AppSession, sender: Any, event: ScriptRunnerEvent, *arguments: Any, **named: Any) -> None:
        said = session.__dict__.setdefault("_dpviz_said", _Said())
        handle = partial(session._handle_scriptrunner_event_on_event_loop, sender, event, *arguments, **named)
        try:
            said.add(handle, session._event_loop, event in _AT_ONCE)
        except RuntimeError:
            if not session._event_loop.is_closed():  # else nobody is there to hear it
                raise

    kind: Any = AppSession
    kind._on_scriptrunner_event = on_event


def send_together(runtime: Runtime) -> None:
    """Send what waits for a browser in one go, and ask for that once."""
    session_kind: Any = AppSession
    flush, ask = session_kind.flush_browser_queue, runtime._enqueued_some_message

    def flushed(session: AppSession) -> list[ForwardMsg]:
        """Send messages; return those that are left to the caller, who finds out too if nobody is there."""
        messages: list[ForwardMsg] = flush(session)
        info = runtime._session_mgr.get_active_session_info(session.id)
        if info is None:
            return messages
        for number, message in enumerate(messages[:MOST_TOGETHER]):
            try:
                runtime._send_message(info, message)
            except SessionClientDisconnectedError:
                return messages[number:]
        return messages[MOST_TOGETHER:]

    def asked() -> None:
        things = runtime._get_async_objs()
        if asyncio.events._get_running_loop() is things.eventloop:
            things.need_send_data.set()
        else:
            ask()

    session_kind.flush_browser_queue = flushed
    runtime._enqueued_some_message = asked  # type: ignore[method-assign]


class Gathered:
    """A connection that sends in one piece what is written to it in one turn of the event loop.

    Parameters
    ----------
    transport : asyncio.Transport
        Does everything else, too.
    loop : event loop
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes, at the end of this turn."""
        if not self._parts:
            self._loop.call_soon(self._send)
        self._parts.append(bytes(data))

    def writelines(self, parts: Any) -> None:
        """Send several pieces."""
        self.write(b"".join(parts))

    def write_eof(self) -> None:
        """End what is sent."""
        self._send()
        self._transport.write_eof()

    def close(self) -> None:
        """Send what was written, then close."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Close, whatever was written."""
        self._parts.clear()
        self._transport.abort()

    def get_write_buffer_size(self) -> int:
        """Bytes that were written and not sent."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._parts))

    def _send(self) -> None:
        parts, self._parts = self._parts, []
        if parts:
            self._transport.write(b"".join(parts))


class _Values(Mapping[str, Any]):
    """What a session's widgets and keys hold, looked up one by one; whoever wants all gets all."""

    def __init__(self, state: SafeSessionState, whole: Callable[[SafeSessionState], dict[str, Any]]) -> None:
        self._state, self._whole = state, whole

    def __getitem__(self, key: str) -> Any:
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole(self._state))

    def __len__(self) -> int:
        return len(self._whole(self._state))


def look_up_singly() -> None:
    """Let a widget that looks for its own value in the session find that alone, not make a table of all values."""
    kind: Any = SafeSessionState
    whole = kind.filtered_state.fget
    kind.filtered_state = property(lambda state: _Values(state, whole))


def read_theme_once() -> None:
    """Write down the colours and fonts of the settings once per section, not for every script run."""
    module: Any = app_session
    populate = module._populate_theme_msg
    written: dict[str, CustomThemeConfig] = {}

    def from_settings(message: CustomThemeConfig, section: str = "theme") -> None:
        if section not in written:
            whole = CustomThemeConfig()
            populate(whole, section)
            written[section] = whole
        if written[section].ByteSize():
            message.MergeFrom(written[section])

    module._populate_theme_msg = from_settings
