"""The app's pages without a browser: opening them, waiting for what they compute, reading what they show."""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, local_script_runner

import dpviz.ui.pages  # noqa: F401  (registers the pages)
from dpviz.config import RunConfig
from dpviz.ui.session.background import PATIENCE_SECONDS, TICK_SECONDS, Work
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.jobs import Job
from dpviz.ui.shell import page_link
from dpviz.ui.shell.navigation import PAGES

APP = Path(__file__).parents[1] / "app.py"
MOST_SECONDS = 600
"""Nothing takes so long on any machine: what does, hangs."""
CONTROLS = ("selectbox", "slider", "select_slider", "number_input", "text_input", "text_area", "toggle", "checkbox")
CONTROLS += ("radio", "multiselect", "button_group")
TEXTS = ("markdown", "caption", "subheader", "success", "info", "warning", "error")

# Every session of a test would read the metadata of all installed packages, which a server does once. It takes longer
# than most pages, and what is installed does not change.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)

_timed_out = local_script_runner.require_widgets_deltas


def _until_the_script_ends(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    """Wait for the thread of a script, which asking it each millisecond would hold up, and fail as streamlit does."""
    thread = runner._script_thread
    assert thread is not None
    thread.join(timeout)
    if thread.is_alive():
        _timed_out(runner, timeout=0)


local_script_runner.require_widgets_deltas = _until_the_script_ends


def page(name: str, **query: Any) -> AppTest:
    """A registered page by itself, not run yet, with what is in its address: texts, or what addresses write as such."""
    return _with_address(AppTest.from_file(str(PAGES[name].file), default_timeout=MOST_SECONDS), query)


def in_app(name: str | None = None, **query: Any) -> AppTest:
    """The whole app, on one of its pages or on the first, not run yet."""
    app = _with_address(AppTest.from_file(str(APP), default_timeout=MOST_SECONDS), query)
    return app if name is None else go_to(app, name)


def _with_address(app: AppTest, query: dict[str, Any]) -> AppTest:
    for name, value in query.items():
        data, plain = isinstance(value, DataChoice), value.to_query() if isinstance(value, RunConfig) else value
        app.query_params[name] = value if isinstance(value, str) else value.to_json() if data else json.dumps(plain)
    return app


def went_back(monkeypatch: pytest.MonkeyPatch, did: bool = True) -> None:
    """Let script runs be what a browser asks for when its button to go back is pressed, or no longer."""
    context = SimpleNamespace(is_history_navigation=did)
    monkeypatch.setattr(page_link, "get_script_run_ctx", lambda suppress_warning: context)


def go_to(app: AppTest, name: str) -> AppTest:
    """Change the page of the whole app, which is not run yet."""
    return app.switch_page(str(PAGES[name].file))


def guessed(app: AppTest, guess: int) -> AppTest:
    """Give a guess, by its button or on the line, without sending it."""
    if app.radio:
        app.radio[0].set_value(guess)
    else:
        (line,) = lines(app)
        app.session_state[line] = {"guess": guess}
    return app


def lines(app: AppTest) -> list[str]:
    """Keys of the lines on which a page asks for a number."""
    return [str(own.key) for own in app.get("bidi_component") if own.proto.component_name == "dpviz_guess"]


def run(app: AppTest) -> AppTest:
    """Run the script; it must not raise."""
    return checked(app.run())


def checked(app: AppTest) -> AppTest:
    """The script has run without raising."""
    assert [error.message for error in app.exception] == []
    return app


def press(app: AppTest, key: str) -> AppTest:
    """Press a button."""
    return run(app.button(key=key).click())


def set_to(app: AppTest, key: str, value: Any) -> AppTest:
    """Set the control of a key to a value."""
    (control,) = (own for kind in CONTROLS for own in app.get(kind) if own.key == key)
    return run(control.set_value(value))


def opened(name: str, **query: Any) -> AppTest:
    """A registered page by itself, with everything computed that starts by itself."""
    return settled(page(name, **query).run())


def opened_in_app(name: str | None = None, **query: Any) -> AppTest:
    """The same within the whole app."""
    return settled(run(in_app(name, **query)))


def until(app: AppTest, condition: Callable[[AppTest], object], every_seconds: float = TICK_SECONDS) -> AppTest:
    """Run the script again, as a browser does by itself, until a condition holds."""

    def holds() -> bool:
        if condition(checked(app)):
            return True
        _until_news(app, every_seconds)
        app.run()
        return False

    wait(holds)
    return app


def _until_news(app: AppTest, most_seconds: float) -> None:
    """Wait until something that is computed is over, or for so long."""
    running = [work for work in _held(app) if not work.over]
    deadline = time.monotonic() + most_seconds
    while running and not any(work.over for work in running) and time.monotonic() < deadline:
        time.sleep(0.005)


def settled(app: AppTest) -> AppTest:
    """Run the script again until nothing is computed any more.

    How far it is on the way there is not asked for, but that somebody looks has to be heard now and then.
    """
    return until(app, lambda app: not app.get("progress"), PATIENCE_SECONDS / 10)


def run_again(app: AppTest) -> AppTest:
    """Press Explore's button if its run waits for that, and wait for the run."""
    if app.button(key="run.go").label == "Run":
        run(app.button(key="run.go").click())
    return settled(app)


def filling(app: AppTest) -> Any:
    """The switch between leaving rows with missing cells out and filling them in."""
    (toggle,) = (toggle for toggle in app.sidebar.toggle if toggle.key.startswith("data.fill"))
    return toggle


def close(app: AppTest) -> None:
    """End the app's running computations, as when nobody watches them any more."""
    for work in _held(app):
        work.stop()
        ended(work)


def _held(app: AppTest) -> list[Work]:
    """What a session computes or has computed."""
    held = app.session_state["computations"].begun.values() if "computations" in app.session_state else ()
    choosing = app.session_state["model choice"][1:] if "model choice" in app.session_state else ()
    return [work for work in (*(begun.work for begun in held), *choosing) if work is not None]


def computing(app: AppTest, place: str) -> Work | None:
    """What a session computes in a place, or has computed there if nobody has looked since."""
    begun = app.session_state["computations"].begun.get(place) if "computations" in app.session_state else None
    return None if begun is None or begun.taken else begun.work


def shown_run(app: AppTest) -> Any:
    """The run that Explore shows in a session; None if there is none."""
    return app.session_state["explore"].finished if "explore" in app.session_state else None


def ended(work: Work) -> Work:
    """Wait for the end of a computation in a thread."""
    wait(lambda: work.over)
    return work


def gated_runs(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Let runs in the background take as many steps as the semaphore is released for."""
    gate, whole = threading.Semaphore(0), Job.steps

    def steps(job: Job) -> Iterator[float]:
        for operations in whole(job):
            if threading.current_thread().name == "dpviz work":
                gate.acquire()
            yield operations

    monkeypatch.setattr(Job, "steps", steps)
    return gate


def wait(condition: Callable[[], object]) -> None:
    """Wait for a condition; how long is no test's business."""
    deadline = time.monotonic() + MOST_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "this never ends"
        time.sleep(0.02)


def plain(text: str) -> str:
    """Undo what keeps cells on one line and Markdown inert."""
    text = text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")
    return text.replace("\N{WORD JOINER}", "").replace("\\", "")


def said(place: Any) -> str:
    """All sentences of a page, or of its main part or sidebar."""
    return plain("\n".join(str(element.value) for kind in TEXTS for element in place.get(kind)))


def labelled(app: AppTest, kind: str, label: str) -> Any:
    """The first element of a kind with a label."""
    return next(element for element in app.get(kind) if element.label == label)


def address(app: AppTest, name: str) -> str:
    """A parameter of the address."""
    value: Any = app.query_params[name]
    return str(value[0] if isinstance(value, list) else value)


def chosen(app: AppTest) -> DataChoice:
    """The data that all pages show."""
    choice: DataChoice = app.session_state["data choice"]
    return choice
