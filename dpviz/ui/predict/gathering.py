"""Long computations of the Predict page: gathered part by part, with one computation per place on the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import streamlit as st

from dpviz.analysis.grids import Progress
from dpviz.text import escape_markdown
from dpviz.ui.session import jobs
from dpviz.ui.session.background import Stage, Work, watch

WORKS = "predict works"
"""Session key of the last computation of every place, with its definition."""


class Gathering:
    """A generator of parts as a background task.

    Parameters
    ----------
    begin : callable
        Starts it.
    total : int
        Number of parts.
    operations : float
        Estimate for all of them.

    Attributes
    ----------
    total, operations
        As given.
    """

    def __init__(self, begin: Callable[[], Iterator[Any]], total: int, operations: float) -> None:
        self.total, self.operations = total, operations
        self._begin, self._each = begin, operations / max(total, 1)
        self._found: list[Any] = []
        self._begun, self._ended = time.monotonic(), 0.0

    def steps(self) -> Iterator[float]:
        """Gather the parts."""
        for part in self._begin():
            self._found.append(part)
            yield self._each

    def picture(self) -> None:
        """Return nothing: :meth:`found` shows the parts without waiting for the next."""

    def found(self) -> list[Any]:
        """Return the parts so far; may be called from any thread."""
        return list(self._found)

    def finish(self, stopped: bool) -> None:
        """Keep the parts."""
        self._ended = time.monotonic()

    def stages(self) -> list[Stage]:
        """Report progress."""
        done = len(self._found)
        progress = Progress(done, self.total, (self._ended or time.monotonic()) - self._begun)
        return [Stage(done / max(self.total, 1), str(progress))]


def start(place: str, key: Hashable, task: Gathering) -> None:
    """Start a computation in a place and end the previous one there; a quick one finishes at once."""
    works: dict[str, tuple[Hashable, Work]] = st.session_state.setdefault(WORKS, {})
    if place in works:
        works[place][1].stop()
    is_quick = task.operations <= jobs.QUICK_OPERATIONS  # one part may be long
    works[place] = key, Work(task, at_once=jobs.QUICK_OPERATIONS if is_quick else 0.0)


def is_begun(place: str, key: Hashable) -> bool:
    """Whether exactly this computation was started in the place."""
    return _work(place, key) is not None


def show(place: str, key: Hashable, draw: Callable[[Sequence[Any], int, bool], None]) -> None:
    """Watch a computation that was started, and draw its parts.

    Parameters
    ----------
    place : str
    key : hashable
    draw : callable
        Given the parts so far, their final number, and whether more are coming; called with at least one.
    """
    work = _work(place, key)
    assert work is not None and isinstance(work.task, Gathering)
    task = work.task

    def draw_found(_: None) -> None:
        if found := task.found():
            draw(found, task.total, not (work.over or work.stopped))

    if not (work.over or work.stopped):
        watch(work, draw_found, lambda: None, key=f"predict.stop.{place}", waits=False)
        return
    if work.error:
        st.error(escape_markdown(work.error), icon=":material/error:")
        return
    if work.stopped:
        left, right = st.columns([5, 1], vertical_alignment="center")
        left.caption(f"Stopped: {len(task.found()):,} of {task.total:,} parts were done.")
        right.button("Start over", key=f"predict.again.{place}", width="stretch", on_click=_forget, args=(place,))
    draw_found(None)


def _forget(place: str) -> None:
    st.session_state[WORKS].pop(place)


def _work(place: str, key: Hashable) -> Work | None:
    held: tuple[Hashable, Work] | None = st.session_state.get(WORKS, {}).get(place)
    return held[1] if held is not None and held[0] == key else None
