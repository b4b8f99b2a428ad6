"""A server that begins with no compiled kernel: it answers at once, says how far compiling is, and pages open then."""

from __future__ import annotations

import asyncio
import io
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dpviz.engine import warm
from dpviz.families.columns.state import ColumnsState
from dpviz.server import app_folder, server_command, server_options
from dpviz.ui.serving import compiling, ready
from dpviz.ui.serving.compiling import POSTERIOR, Progress
from dpviz.ui.serving.health import answers
from pages import in_app, settled

TITLES = (*warm.steps(), POSTERIOR)


class Process:
    """A process that has printed lines and ended."""

    def __init__(self, lines: list[str], code: int) -> None:
        self.stdout, self._code = io.StringIO("".join(f"{line}\n" for line in lines)), code

    def wait(self) -> int:
        return self._code


@pytest.fixture(autouse=True)
def nothing_compiles(monkeypatch):
    monkeypatch.setattr(compiling, "_now", None)


def test_what_the_first_pages_need_comes_first_and_every_step_once():
    steps = list(warm.steps())
    assert tuple(steps[: len(warm.FIRST)]) == warm.FIRST and len(set(steps)) == len(steps)


@pytest.mark.parametrize("name", warm.FAMILIES)
def test_every_family_is_compiled_by_a_step_of_its_own_or_has_the_state_of_all_columns(name):
    family = warm.FAMILIES[name]
    X = family.example_data(6, 3)
    working = family.from_prior(family.example_prior(3), X).working(X)
    state = working.family.bind(working.X, 2)
    assert (f"family {name}" in warm.steps()) != isinstance(state, ColumnsState)


def test_progress_follows_the_process_line_by_line(monkeypatch, capsys):
    seen: list[Progress | None] = []
    say = compiling._say
    monkeypatch.setattr(compiling, "_say", lambda words: (seen.append(compiling.progress()), say(words)))
    monkeypatch.setattr(
        compiling, "_begun", lambda: Process([TITLES[0], "a warning of some library", TITLES[1], TITLES[-1]], 0)
    )
    compiling._compile()
    assert seen[1:-1] == [Progress(TITLES[place], place, len(TITLES)) for place in (0, 1, len(TITLES) - 1)]
    assert compiling.progress() is None
    said = capsys.readouterr().out.splitlines()
    assert f"compiling [2/{len(TITLES)}] {TITLES[1]}" in said[2] and said[-1] == "dpviz: the engine is compiled."


@pytest.mark.parametrize(("codes", "ready"), [([-9, -9], False), ([-9, 0], True)])
def test_a_process_that_dies_is_told_begun_once_more_and_lets_pages_go_on(codes, ready, monkeypatch, caplog, capsys):
    left = list(codes)
    monkeypatch.setattr(compiling, "_begun", lambda: Process([TITLES[0]], left.pop(0)))
    compiling._compile()
    assert left == [] and compiling.progress() is None
    assert caplog.text.count("ended early (exit code -9)") == codes.count(-9)
    assert ("is compiled." in capsys.readouterr().out) == ready


@pytest.mark.parametrize("error", [OSError("no process can be started"), ValueError("of a closed file")])
def test_whatever_goes_wrong_pages_wait_no_longer(error, monkeypatch):
    def fail():
        raise error

    monkeypatch.setattr(compiling, "_now", Progress(TITLES[0], 0, len(TITLES)))
    monkeypatch.setattr(compiling, "_begun", fail)
    with suppress(ValueError):
        compiling._compile()
    assert compiling.progress() is None


def test_modules_of_the_working_folder_are_not_run(tmp_path, monkeypatch):
    for name in ("streamlit", "statistics", "html"):
        (tmp_path / f"{name}.py").write_text("print('ran from the working folder')\nraise SystemExit(3)\n")
    started: list[list[str]] = [server_command(server_options("127.0.0.1", 1))]
    monkeypatch.setattr(compiling.subprocess, "Popen", lambda command, **_: started.append(command))
    compiling._begun()
    monkeypatch.undo()
    for command in started:
        before = command[: command.index("-m")]
        script = "import streamlit, statistics, html, dpviz"
        done = subprocess.run([*before, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stdout) == (0, "")


def test_nothing_is_begun_where_all_is_there_or_nothing_can_be_kept(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(warm, "is_done", lambda: True)
    compiling.begin()
    monkeypatch.setattr(warm, "is_done", lambda: False)
    monkeypatch.setattr(compiling, "NOT_KEPT", "It cannot be kept.")
    compiling.begin()
    monkeypatch.setattr(compiling, "NOT_KEPT", "")
    with pytest.raises(AssertionError, match="was started"):
        compiling._begun()


def test_the_process_ends_with_the_server():
    program = "from dpviz.ui.serving import compiling\ncompiling._compile_all()"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdin is not None
    assert process.stdout.readline().strip() == TITLES[0]
    process.stdin.close()
    assert process.wait(60) == 1
    process.stdout.close()


def waits(shown: Any) -> bool:
    return any("compiled" in one.text for one in shown.get("progress"))


def test_a_page_that_computes_says_what_it_waits_for(monkeypatch):
    monkeypatch.setattr(compiling, "_now", Progress(TITLES[1], 1, len(TITLES)))
    shown = in_app("explore").run()
    assert not shown.exception and waits(shown)
    monkeypatch.setattr(compiling, "_now", Progress(TITLES[5], len(warm.FIRST), len(TITLES)))
    settled(shown.run())
    assert not waits(shown)


@pytest.mark.parametrize("page", ["lessons", "data", "papers"])
def test_other_pages_wait_for_nothing(page, monkeypatch):
    monkeypatch.setattr(compiling, "_now", Progress(TITLES[0], 0, len(TITLES)))
    shown = in_app(page).run()
    assert not shown.exception and not waits(shown)


def test_the_mark_of_a_compiled_engine_is_of_these_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(warm, "COMPILED", True)
    monkeypatch.setattr(warm, "NOT_KEPT", "")
    monkeypatch.setattr(warm, "cache_folder", lambda: tmp_path / "one")
    assert not warm.is_done()
    warm.note_done()  # into a folder that is not there
    assert not warm.is_done()
    (tmp_path / "one").mkdir()
    monkeypatch.setattr(warm, "all_saved", lambda: False)
    warm.note_done()
    assert not warm.is_done()
    monkeypatch.setattr(warm, "all_saved", lambda: True)
    warm.note_done()
    assert warm.is_done()
    monkeypatch.setattr(warm, "processor", lambda: "another one")
    assert not warm.is_done()
    monkeypatch.undo()
    monkeypatch.setattr(warm, "COMPILED", True)
    monkeypatch.setattr(warm, "cache_folder", lambda: tmp_path / "one")
    assert warm.is_done()
    before = time.time() - warm.KEEP_SECONDS
    os.utime(warm._mark(), (before, before))  # by now code that nobody used may have been removed
    assert not warm.is_done()
    monkeypatch.setattr(warm, "cache_folder", lambda: tmp_path / "two")
    assert not warm.is_done()


class Runtime:
    """A runtime whose first page takes until it is said that it does."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.closed: list[Any] = []
        self.loop = asyncio.get_running_loop()
        self.visitor: Any = None

    def connect_session(self, client: Any, **_: Any) -> str:
        self.visitor = client
        return "session"

    def handle_backmsg(self, session: str, message: Any) -> None:
        assert message.rerun_script.query_string == ""

    def close_session(self, session: str) -> None:
        self.closed.append(session)

    def say(self, words: str) -> None:
        self.said.append(words)
        finished = ForwardMsg()
        finished.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
        self.loop.call_soon_threadsafe(self.visitor.write_forward_msg, finished)


def test_a_first_page_that_takes_its_time_is_said_and_waited_for(monkeypatch):
    monkeypatch.setattr(ready, "QUICK_SECONDS", 0.0)

    async def run() -> Runtime:
        runtime = Runtime()
        monkeypatch.setattr(ready.st.runtime, "get_instance", lambda: runtime)
        await ready.show_once(runtime.say)
        return runtime

    runtime = asyncio.run(run())
    assert runtime.closed == ["session"] and [*runtime.said] == [ready.FIRST_PAGE]


@pytest.mark.slow
def test_a_server_without_compilation_answers(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    settings = {"PYTHONPATH": str(app_folder()), "NUMBA_DISABLE_JIT": "1", "DPVIZ_CACHE_DIR": str(tmp_path)}
    command = server_command(server_options("127.0.0.1", port, shared=True))
    with subprocess.Popen(command, cwd=tmp_path, env={**os.environ, **settings}) as process:
        try:
            while not answers(f"http://127.0.0.1:{port}/_stcore/health"):
                assert process.poll() is None
        finally:
            process.kill()
