"""Long computations: each goes on in a thread of its own, is watched by a fragment, and can be stopped.

What is quick is done at once. What counts as quick is decided by operations, never by the clock, so that the same link
behaves alike on every machine. A thread lives while someone looks at it: when nobody has asked for a while, because the
session was closed or went elsewhere, it ends after the step in hand. Threads never touch Streamlit.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import streamlit as st

from dpviz.errors import DpvizError
from dpviz.text import escape_markdown

PATIENCE_SECONDS = 120.0
"""A thread that nobody has looked at for so long ends; hidden browser tabs ask once a minute."""
TICK_SECONDS = 0.4
"""How often a watched computation is drawn again."""
UNEXPECTED = "This computation failed for a reason of its own; the server's log has it. Try other settings."


class Stage(NamedTuple):
    """How far one part of a computation is: a share from 0 to 1, and words."""

    share: float
    words: str


class Task(Protocol):
    """A computation in steps. All methods but ``stages`` run one at a time, where the steps are computed."""

    def steps(self) -> Iterator[float]:
        """Compute; yield, as often as stopping may be asked for, the operations done since the last time."""
        ...

    def picture(self) -> Any:
        """Return something immutable that shows how things stand, for drawing while the task goes on."""
        ...

    def finish(self, stopped: bool) -> None:
        """Keep the result; ``stopped`` if it was ended early."""
        ...

    def stages(self) -> list[Stage]:
        """Say how far the task is; called from other threads."""
        ...


class Work:
    """A task in a thread.

    Parameters
    ----------
    task : Task
    at_once : float
        Operations that are done before the constructor returns; what is left goes on in the thread.

    Attributes
    ----------
    task : Task
    over, stopped : bool
        Whether nothing more will happen, and whether it was ended early.
    error : str
        What went wrong, for people; empty if nothing did.
    """

    def __init__(self, task: Task, at_once: float = 0.0) -> None:
        self.task = task
        self.over = self.stopped = False
        self.error = ""
        self._steps = task.steps()
        self._asked = time.monotonic()
        self._wanted, self._picture = False, None
        self._go_on(at_once)
        if not self.over:
            if at_once:
                self._picture = task.picture()  # something to look at from the start
            self._in_background()

    def _in_background(self) -> None:
        threading.Thread(target=self._go_on, daemon=True, name="dpviz work").start()

    def _go_on(self, most: float = float("inf")) -> None:
        """Take steps until the task is over, was stopped, or has done so many operations."""
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
        if time.monotonic() - self._asked > PATIENCE_SECONDS:
            self.stopped = True
        return self.stopped

    def _end(self) -> None:
        self.task.finish(self.stopped)
        self.over = True

    def _fail(self, message: str) -> None:
        self.error, self.over = message, True

    def stop(self) -> None:
        """End after the step in hand; what was done counts."""
        self.stopped = self.stopped or not self.over

    def resume(self) -> bool:
        """Go on after a stop from where it was; False if there is nothing to go on with."""
        if not (self.over and self.stopped) or self.error:
            return False
        self.over = self.stopped = False
        self._asked = time.monotonic()
        self._in_background()
        return True

    @property
    def left_alone(self) -> bool:
        """Whether it goes on and nobody looks at it just now, as after its page was loaded again."""
        return not self.over and not self.stopped and time.monotonic() - self._asked > 2 * TICK_SECONDS

    def look(self) -> Any:
        """Return the latest picture, ask for the next, and so let the task go on; None before the first."""
        self._asked, self._wanted = time.monotonic(), True
        return self._picture


def take_if_over(key: str) -> Work | None:
    """Take a computation out of the session once it is over; None while there is none, or it goes on."""
    work: Work | None = st.session_state.get(key)
    if work is None or not work.over:
        return None
    del st.session_state[key]
    return work


def watch(
    work: Work,
    draw: Callable[[Any], None],
    on_end: Callable[[], None],
    *,
    key: str,
    stop_words: str = "Stop",
    waits: bool = True,
) -> None:
    """Draw progress, a button that stops, and pictures of a task until it is over.

    Parameters
    ----------
    work : Work
    draw : callable
        Given the latest picture; None before the first.
    on_end : callable
        Called once the task is over, before the page is drawn again.
    key : str
        Of the button that stops.
    stop_words : str
        What is on it.
    waits : bool
        Whether a task that is stopped has nothing to show before its step in hand is done.
    """

    @st.fragment(run_every=TICK_SECONDS)
    def watched() -> None:
        picture = work.look()
        if work.over or (work.stopped and not waits):
            on_end()
            st.rerun()
        left, right = st.columns([5, 1], vertical_alignment="center")
        with left:
            for stage in work.task.stages():
                st.progress(min(max(stage.share, 0.0), 1.0), text=escape_markdown(stage.words))
        right.button(
            stop_words, icon=":material/stop:", key=key, width="stretch", on_click=work.stop, disabled=work.stopped
        )
        draw(picture)

    watched()
