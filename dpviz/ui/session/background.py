"""Long computations: each runs in its own thread, is watched by a fragment, and can be stopped.

Quick ones finish at once. Whether one is quick is decided by operations, never by the clock, so that the same link
behaves the same on every machine. A thread runs while someone watches it: if no script run has asked for a while,
because the session shows another page, it ends after its current step; sooner if the page was closed. Threads ask
Streamlit for nothing but that.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.errors import DpvizError
from dpviz.text import escape_markdown

PATIENCE_SECONDS = 120.0
"""Seconds after which a thread that is not watched ends; hidden browser tabs ask once a minute."""
PATIENCE_ONCE_CLOSED_SECONDS = 30.0
"""The same if the browser has left: one that loads the page again needs a moment to come back."""
TICK_SECONDS = 0.4
"""Interval at which a watched computation is redrawn."""
REST = 20.0
"""A picture is made anew when so many times as long has passed as the last one took: they share processors."""
Made = TypeVar("Made")
UNEXPECTED = "This computation failed unexpectedly; the server's log says why. Try other settings."


class Stage(NamedTuple):
    """Progress of one part of a computation: a share from 0 to 1, and words."""

    share: float
    words: str


class Task(Protocol):
    """A computation in steps. All methods except ``stages`` run one at a time, in the thread of the steps.

    Attributes
    ----------
    result : object
        What it has found, once it is over; some have the first results before. None if there is nothing.
    waits : bool
        Whether it has nothing to show before its current step is done, when it is told to stop.
    resumes : bool
        Whether its steps go on after a stop.
    """

    result: Any
    waits: bool
    resumes: bool

    def steps(self) -> Iterator[float]:
        """Compute; yield, at every point where it may be stopped, the operations done since the last yield."""
        ...

    def picture(self) -> Any:
        """Return an immutable snapshot, for drawing while the task runs."""
        ...

    def finish(self, stopped: bool) -> None:
        """Keep the result; ``stopped`` if it was ended early."""
        ...

    def stages(self) -> list[Stage]:
        """Report progress; called from other threads."""
        ...


class Work:
    """A task in a thread.

    Parameters
    ----------
    task : Task
    at_once : float
        Operations that are done before the constructor returns; the thread does the rest.
    on_end : callable, optional
        Given this, when the task has ended without an error.

    Attributes
    ----------
    task : Task
    owner : object
        The session that ends it; another takes over what was left alone.
    over, stopped : bool
        Whether nothing more will happen, and whether it was ended early.
    error : str
        Error message for the user; empty if there is none.
    """

    def __init__(self, task: Task, at_once: float = 0.0, on_end: Callable[[Work], None] | None = None) -> None:
        self.task, self._on_end = task, on_end
        self.owner: object = None
        self.over = self.stopped = False
        self.error = ""
        self._steps = task.steps()
        self._asked, self._is_open = time.monotonic(), page_connection()
        self._wanted, self._picture = False, None
        self._go_on(at_once)
        if not self.over:
            if at_once:
                self._picture = task.picture()  # something to look at from the start
            self._in_background()

    def _in_background(self) -> None:
        threading.Thread(target=self._go_on, daemon=True, name="dpviz work").start()

    def _go_on(self, most: float = float("inf")) -> None:
        """Take steps until the task is over, was stopped, or has done this many operations."""
        done = 0.0
        try:
            while done < most:
                operations = next(self._steps, None)
                if operations is None or self._is_to_end():
                    self._end()
                    return
                done += operations
                if self._wanted:
                    self._picture, self._wanted = self.task.picture(), False
        except DpvizError as error:
            self._fail(str(error))
        except Exception:
            logging.getLogger(__name__).exception("a computation failed")
            self._fail(UNEXPECTED)

    def _is_to_end(self) -> bool:
        alone = time.monotonic() - self._asked
        if alone > PATIENCE_SECONDS or (alone > PATIENCE_ONCE_CLOSED_SECONDS and not self._is_open()):
            self.stopped = True
        return self.stopped

    def _end(self) -> None:
        self.task.finish(self.stopped)
        if self._on_end is not None:
            self._on_end(self)
        if not self.stopped:
            self._steps = iter(())  # what it computed with is not needed any more
        self.over = True

    def _fail(self, message: str) -> None:
        self.error, self.over = message, True

    def stop(self) -> None:
        """End after the current step; the work done so far is kept."""
        self.stopped = self.stopped or not self.over

    def resume(self) -> bool:
        """Continue after a stop; False if there is nothing left to do, or the task cannot."""
        if not (self.over and self.stopped and self.task.resumes) or self.error:
            return False
        self.over = self.stopped = False
        self._asked = time.monotonic()
        self._in_background()
        return True

    @property
    def left_alone(self) -> bool:
        """Whether it runs without being watched, as after its page was reloaded; tabs that are hidden watch rarely."""
        is_watched = time.monotonic() - self._asked <= PATIENCE_SECONDS and self._is_open()
        return not (self.over or self.stopped or is_watched)

    def look(self) -> Any:
        """Return the latest picture and ask for the next, which keeps the task running; None before the first."""
        self._asked, self._wanted, self._is_open = time.monotonic(), True, page_connection()
        return self._picture


class Unhurried(Generic[Made]):
    """What is made anew only so often that making it takes a small share of the time, on a slow machine, too.

    Parameters
    ----------
    clock : callable
        Tells seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._latest: tuple[Made, float] | None = None  # with the time from which on it may be made anew

    def latest(self, make: Callable[[], Made]) -> Made:
        """Return it as it was made last, or make it if :data:`REST` times as long has passed as that took."""
        begun = self._clock()
        if self._latest is None or begun >= self._latest[1]:
            made, ended = make(), self._clock()
            self._latest = made, ended + REST * (ended - begun)
        return self._latest[0]


def page_connection() -> Callable[[], bool]:
    """Return what tells, in any thread, whether the page of this script run is still connected to the server."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not runtime.exists():
        return lambda: True
    server, session = runtime.get_instance(), context.session_id
    return lambda: bool(server.is_active_session(session))


def watch(
    work: Work,
    draw: Callable[[Any], None] = lambda _: None,
    *,
    key: str,
    stop_words: str = "Stop",
    leave: Callable[[], None] | None = None,
    about: str | None = None,
    below: bool = False,
    every: float = TICK_SECONDS,
) -> None:
    """Draw a task's progress, pictures and stop button until it is over; then the page is drawn again.

    Parameters
    ----------
    work : Work
    draw : callable, optional
        Given the latest picture; None before the first.
    key : str
        Of the stop button.
    stop_words : str
        Text of the stop button.
    leave : callable, optional
        What the button does instead of stopping a task that other sessions may wait for, too.
    about : str, optional
        What the button's tooltip says.
    below : bool
        Whether progress and button are below the picture, which then stays where it is.
    every : float
        Seconds between two pictures.
    """
    owner = work.owner

    def stop() -> None:
        if work.owner is owner:  # a button that is still on the page of who left it alone ends it for nobody else
            work.stop()

    @st.fragment(run_every=every)
    def watched() -> None:
        if work.owner is not owner:  # another session has taken it over meanwhile, and this one begins anew
            st.rerun()
        picture = work.look()
        if work.over or (work.stopped and not work.task.waits):
            st.rerun()
        if below:
            draw(picture)
        left, right = st.columns([5, 1], vertical_alignment="center")
        with left:
            for stage in work.task.stages():
                st.progress(min(max(stage.share, 0.0), 1.0), text=escape_markdown(stage.words))
        icon, on_click = (":material/stop:", stop) if leave is None else (None, None)
        if (
            right.button(
                stop_words, icon=icon, key=key, help=about, width="stretch", on_click=on_click, disabled=work.stopped
            )
            and leave is not None
        ):
            leave()
            st.rerun()
        if not below:
            draw(picture)

    watched()
