"""Many sessions on one server: turns of script runs, and messages that travel together."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest

from dpviz.ui.serving import together
from dpviz.ui.serving.together import Gathered, Turns


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch):
    """What a server changes in Streamlit is undone after each test."""
    for owner, names in {
        ScriptRunner: ("start", "_run_script_thread"),
        AppSession: ("_on_scriptrunner_event", "flush_browser_queue"),
        SafeSessionState: ("filtered_state",),
        app_session: ("_populate_theme_msg",),
    }.items():
        for name in names:
            monkeypatch.setattr(owner, name, vars(owner)[name])
    yield


PARTED = """
import streamlit as st

def press():
    print("pressed", end=" ", flush=True)

@st.fragment
def part():
    print("part", end=" ", flush=True)
    if st.button("Press", key="button", on_click=press):
        print("button", end=" ", flush=True)

print("page", end=" ", flush=True)
part()
"""
SESSIONS = """
import asyncio, sys
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from dpviz.ui.serving.newcomers import begin_whole

class Browser:
    client_context = None
    parts, buttons = set(), set()

    def __init__(self, runtime):
        self.runtime, self.over = runtime, asyncio.Event()
        self.session = runtime.connect_session(client=self, user_info={})

    def write_forward_msg(self, message):
        if message.delta.fragment_id:
            self.parts.add(message.delta.fragment_id)
        if message.delta.new_element.button.id:
            self.buttons.add(message.delta.new_element.button.id)
        if message.WhichOneof("type") == "script_finished":
            self.over.set()

    async def ask(self, part="", button=""):
        message = BackMsg()
        message.rerun_script.fragment_id = part
        if button:
            message.rerun_script.widget_states.widgets.add(id=button, trigger_value=True)
        self.over.clear()
        self.runtime.handle_backmsg(self.session, message)
        await self.over.wait()
        while self.runtime._session_mgr.get_session_info(self.session).session._scriptrunner is not None:
            await asyncio.sleep(0.01)

async def main():
    begin_whole()
    storage = MemoryMediaFileStorage("/media")
    runtime = Runtime(RuntimeConfig(sys.argv[1], storage, MemoryUploadedFileManager("/upload")))
    await runtime.start()
    one, other = Browser(runtime), Browser(runtime)
    await one.ask()
    (part,) = Browser.parts
    for browser in (one, one, other, other):
        print("|", end=" ")
        await browser.ask(part)
    (button,) = Browser.buttons
    late = Browser(runtime)
    for asked in (part, "", ""):
        print("|", end=" ")
        await (late if asked else Browser(runtime)).ask(asked, button)
    print("|", end=" ")
    await late.ask(part, button)
    runtime.stop()

asyncio.run(main())
"""
"""Browsers on one server: one opens a page and asks for a part of it twice, another begins with that, and others with a
press of its button, of which the first then presses again."""


def test_only_a_session_s_first_run_is_always_of_the_whole_page(tmp_path):
    script = tmp_path / "parted.py"
    script.write_text(PARTED)
    ran = subprocess.run([sys.executable, "-c", SESSIONS, str(script)], check=True, capture_output=True, text=True)
    pressed = "page part pressed page part button"  # once, when the page is known
    expected = f"page part | part | part | page part | part | {pressed} | {pressed} | {pressed} | pressed part button"
    assert ran.stdout.split() == expected.split()


class Later:
    """An event loop that notes what it is asked to do."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def call_soon_threadsafe(self, *asked: Any) -> None:
        self.asked.append(asked)

    def call_later(self, *asked: Any) -> None:
        self.asked.append(asked)

    def call_soon(self, *asked: Any) -> None:
        self.asked.append(asked)

    def is_closed(self) -> bool:
        return False

    def go_on(self) -> None:
        """Do what was asked, as if time had passed."""
        asked, self.asked = self.asked, []
        for first, *others in asked:
            if isinstance(first, float):
                others[0](*others[1:])
            else:
                first(*others)


def test_script_runs_begin_in_their_order_when_the_one_before_has_ended():
    begun: list[int] = []
    turns = Turns(Later())  # type: ignore[arg-type]
    for number in range(4):
        turns.begin(number, lambda number=number: begun.append(number))  # type: ignore[misc]
    assert begun == [0]
    turns.end(3)  # which has no turn yet
    assert begun == [0]
    for number in range(4):
        turns.end(number)
        assert begun == [0, 1, 2, 3][: number + 2]


def test_a_long_script_run_lets_the_next_begin_beside_it():
    begun: list[str] = []
    loop, now = Later(), 0.0
    turns = Turns(loop, seconds=0.1, clock=lambda: now)  # type: ignore[arg-type]
    for name in ("long", "next", "last"):
        turns.begin(name, lambda name=name: begun.append(name))  # type: ignore[misc]
    now = 0.05
    loop.go_on()
    loop.go_on()
    assert begun == ["long"]
    now = 0.11
    while "next" not in begun:
        assert loop.asked, "somebody looks again"
        loop.go_on()
    assert begun == ["long", "next"]
    turns.end("long")  # which gave its turn away
    assert begun == ["long", "next"]
    turns.end("next")
    assert begun == ["long", "next", "last"]


def test_a_script_run_that_cannot_begin_holds_nobody_up():
    begun: list[str] = []

    def fail():
        raise RuntimeError("no thread")

    turns = Turns(Later())  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="no thread"):
        turns.begin("one", fail)
    turns.begin("other", lambda: begun.append("other"))
    assert begun == ["other"]


def test_pages_are_the_same_when_their_scripts_wait_for_turns():
    def script():
        import streamlit as st

        st.selectbox("method", ["K-means", "MAP-DP"], key="method")
        st.markdown(st.session_state["method"])

    loop = Later()
    Turns(loop).install()  # type: ignore[arg-type]
    together.look_up_singly()
    pages = [AppTest.from_function(script).run() for _ in range(3)]
    pages[1].selectbox[0].select("MAP-DP").run()
    assert [page.markdown[0].value for page in pages] == ["K-means", "MAP-DP", "K-means"]
    assert not any(page.exception for page in pages)


def heard(events: list[ScriptRunnerEvent], loop: Later, handled: list[Any]) -> None:
    session = SimpleNamespace(
        _event_loop=loop, _handle_scriptrunner_event_on_event_loop=lambda *given, **named: handled.append(given[1:])
    )
    for number, event in enumerate(events):
        AppSession._on_scriptrunner_event(session, None, event, number)  # type: ignore[arg-type]


def test_a_script_is_heard_in_its_order_and_wakes_the_loop_twice():
    said, over = ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS
    events = [ScriptRunnerEvent.SCRIPT_STARTED, *[said] * 50, over]
    loop, handled = Later(), []
    together.hear_together()
    heard(events, loop, handled)
    assert not handled
    assert len(loop.asked) == 2
    loop.go_on()
    assert handled == [(event, number) for number, event in enumerate(events)]


def test_a_script_that_goes_on_is_heard_after_a_moment():
    said = ScriptRunnerEvent.ENQUEUE_FORWARD_MSG
    loop, handled = Later(), []
    together.hear_together()
    heard([said] * 3, loop, handled)
    ((later, delay, _),) = loop.asked
    assert later == loop.call_later
    assert delay == together.DELAY
    loop.go_on()
    loop.go_on()
    assert len(handled) == 3


def test_scripts_that_speak_at_once_are_all_heard():
    handled: list[int] = []
    said = together._Said()

    async def listen() -> None:
        loop = asyncio.get_running_loop()

        def speak(first):
            for number in range(first, first + 500):
                said.add(lambda number=number: handled.append(number), loop, number % 100 == 99)  # type: ignore[misc]

        threads = [threading.Thread(target=speak, args=(500 * k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            await asyncio.sleep(0)
        await asyncio.sleep(2 * together.DELAY)

    asyncio.run(listen())
    assert sorted(handled) == list(range(2000))
    for k in range(4):
        own = [number for number in handled if number // 500 == k]
        assert own == sorted(own)


def flushed(messages: list[ForwardMsg], info: Any, gone_after: int) -> tuple[list[ForwardMsg], list[ForwardMsg]]:
    """What is sent and what is left of a session's messages, if the browser goes after some."""
    sent: list[ForwardMsg] = []

    def send(_: Any, message: ForwardMsg) -> None:
        if len(sent) == gone_after:
            raise SessionClientDisconnectedError
        sent.append(message)

    runtime = SimpleNamespace(
        _session_mgr=SimpleNamespace(get_active_session_info=lambda _: info),
        _send_message=send,
        _enqueued_some_message=lambda: None,
    )
    together.send_together(runtime)  # type: ignore[arg-type]
    session = SimpleNamespace(id="one", _browser_queue=SimpleNamespace(flush=lambda: messages))
    left = AppSession.flush_browser_queue(session)  # type: ignore[arg-type]
    return sent, left


@pytest.mark.parametrize(("number", "gone_after", "n_sent"), [(3, 9, 3), (3, 1, 1), (0, 9, 0), (250, 999, 100)])
def test_no_message_is_lost_or_sent_twice(number, gone_after, n_sent):
    messages = [ForwardMsg(hash=str(k)) for k in range(number)]
    sent, left = flushed(messages, object(), gone_after)
    assert len(sent) == n_sent
    assert sent + left == messages


def test_messages_to_a_session_without_a_browser_are_left():
    messages = [ForwardMsg(hash="1")]
    assert flushed(messages, None, 9) == ([], messages)


class Wire:
    """A connection that notes what is sent in one piece."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        assert not self.closed
        self.sent.append(data)

    def close(self) -> None:
        self.closed = True

    abort = close

    def get_write_buffer_size(self) -> int:
        return 7

    def get_extra_info(self, name: str) -> str:
        return f"own {name}"


def test_what_is_written_in_one_turn_of_the_loop_is_sent_in_one_piece():
    loop, wire = Later(), Wire()
    connection = Gathered(wire, loop)  # type: ignore[arg-type]
    buffer = bytearray(b"one")
    connection.write(buffer)
    buffer[:] = b"???"
    connection.writelines([b" two", b" three"])
    assert wire.sent == []
    assert connection.get_write_buffer_size() == 7 + len("one two three")
    loop.go_on()
    assert wire.sent == [b"one two three"]
    connection.write(b"four")
    connection.close()
    assert wire.sent == [b"one two three", b"four"]
    loop.go_on()
    assert len(wire.sent) == 2
    assert connection.get_extra_info("peername") == "own peername"


def test_what_was_written_is_dropped_when_a_connection_is_cut():
    loop, wire = Later(), Wire()
    connection = Gathered(wire, loop)  # type: ignore[arg-type]
    connection.write(b"one")
    connection.abort()
    loop.go_on()
    assert wire.sent == []
    assert wire.closed


def test_colours_and_fonts_are_those_of_the_settings_each_time(monkeypatch):
    settings = {"theme": {"primaryColor": "#112233", "base": "dark", "font": "serif"}, "theme.dark": {"base": None}}
    asked: list[str] = []

    def options(section):
        asked.append(section)
        return settings[section]

    monkeypatch.setattr(app_session.config, "get_options_for_section", options)
    whole, at_first, again = CustomThemeConfig(), CustomThemeConfig(), CustomThemeConfig()
    app_session._populate_theme_msg(whole)
    app_session._populate_theme_msg(whole.dark, "theme.dark")
    asked.clear()
    together.read_theme_once()
    for message in (at_first, again):
        app_session._populate_theme_msg(message)
        app_session._populate_theme_msg(message.dark, "theme.dark")
    assert whole.primary_color == "#112233"
    assert at_first == again == whole
    assert not again.HasField("dark")
    assert asked == ["theme", "theme.dark"]


def test_values_looked_up_singly_are_those_of_the_whole_table():
    state = SafeSessionState(SessionState(), lambda: None)
    state["own"], state["nothing"] = 1, None
    whole = state.filtered_state
    together.look_up_singly()
    singly = state.filtered_state
    assert dict(singly) == whole == {"own": 1, "nothing": None}
    assert len(singly) == 2
    assert "own" in singly
    assert "other" not in singly
