"""The computations of the Tune page: generators of results, offered or started, watched, cancelled and continued."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from typing import Any

import streamlit as st

from dpviz.analysis.grids import Progress, duration
from dpviz.engine.timing import Estimate
from dpviz.text import escape_markdown
from dpviz.ui.session.background import Stage, Work, watch

QUICK_OPERATIONS = 8e9
"""Computations estimated to take fewer operations, about eight seconds, start by themselves."""
PARALLEL_OPERATIONS = 2e10
"""Below this, starting processes on all cores costs more than it saves."""
MOST_KEPT = 12
_WORKS = "tune works"
_all_cores = threading.Lock()  # one at a time in this process: cancelling a grid ends the worker processes of all

Begin = Callable[[int], Generator[Any, None, None]]
"""Given the number of jobs (as joblib counts them), begins a computation."""


class Collected:
    """A generator of results as a task of the background.

    Parameters
    ----------
    key : tuple
        Everything that defines the computation, the name of its place on the page first.
    begin : callable
        Given the number of jobs, returns the generator of results.
    total : int
        How many results there will be at most.
    estimate : Estimate
        Of all results on one core; long computations run on all cores unless another one does.
    """

    def __init__(self, key: tuple[Hashable, ...], begin: Begin, total: int, estimate: Estimate) -> None:
        self.key, self.total, self.estimate = key, total, estimate
        self._begin = begin
        self._found: list[Any] = []
        self._begun, self._ended = time.monotonic(), 0.0

    def steps(self) -> Iterator[float]:
        """Collect the results."""
        parallel = self.estimate.operations > PARALLEL_OPERATIONS and _all_cores.acquire(blocking=False)
        results = self._begin(-1 if parallel else 1)
        try:
            for result in results:
                self._found.append(result)
                yield self.estimate.operations / self.total
        finally:
            results.close()
            self._ended = time.monotonic()
            if parallel:
                _all_cores.release()

    def picture(self) -> None:
        """Leave looking to :meth:`found`, which need not wait for the next result."""

    def found(self) -> list[Any]:
        """Return the results so far; may be called from any thread."""
        return list(self._found)

    def finish(self, stopped: bool) -> None:
        """Keep what was found, as is done anyway."""

    def stages(self) -> list[Stage]:
        """Say how far it is."""
        progress = Progress(len(self._found), self.total, (self._ended or time.monotonic()) - self._begun)
        return [Stage(progress.done / self.total, str(progress))]


def show(
    key: tuple[Hashable, ...],
    begin: Begin,
    total: int,
    estimate: Estimate,
    draw: Callable[[Sequence[Any], bool], None],
) -> None:
    """Offer or start a computation, watch it, and draw what it found.

    Parameters
    ----------
    key : tuple
        What defines it, the name of its place on the page first.
    begin, total, estimate
        As for :class:`Collected`.
    draw : callable
        Given the results so far and whether more will come; called only with at least one.
    """
    works = _works()
    work = works.get(key)
    for other_key, other in works.items():
        if other_key[0] == key[0] and other is not work:
            other.stop()  # its settings are no longer on the screen
    if work is None and estimate.operations <= QUICK_OPERATIONS:
        work = _begin(key, begin, total, estimate)
    if work is None:
        words = f"{total:,} steps, about {duration(estimate.seconds)}. They can be cancelled."
        st.info(words, icon=":material/hourglass_empty:")
        st.button(
            "Run", key=f"tune.run.{key[0]}", type="primary", icon=":material/play_arrow:",
            on_click=_start, args=(key, begin, total, estimate),
        )  # fmt: skip
        return
    if not (work.over or work.stopped):
        _watch(work, draw)
        return
    _show_ended(work, begin, draw)


def _works() -> dict[tuple[Hashable, ...], Work]:
    works: dict[tuple[Hashable, ...], Work] = st.session_state.setdefault(_WORKS, {})
    return works


def _start(key: tuple[Hashable, ...], begin: Begin, total: int, estimate: Estimate) -> None:
    """Begin what may take long, instead of everything else that runs."""
    for other in _works().values():
        other.stop()
    _begin(key, begin, total, estimate)


def _begin(key: tuple[Hashable, ...], begin: Begin, total: int, estimate: Estimate) -> Work:
    works = _works()
    works.pop(key, None)
    works[key] = Work(Collected(key, begin, total, estimate))
    while len(works) > MOST_KEPT:  # the oldest goes: sessions must not grow without end
        works.pop(next(iter(works))).stop()
    return works[key]


def _task(work: Work) -> Collected:
    assert isinstance(work.task, Collected)
    return work.task


def _watch(work: Work, draw: Callable[[Sequence[Any], bool], None]) -> None:
    task = _task(work)

    def draw_found(_: None) -> None:
        found = task.found()
        if found:
            draw(found, True)

    cancel = f"tune.cancel.{task.key[0]}"
    watch(work, draw_found, lambda: None, key=cancel, stop_words="Cancel", waits=False)


def _show_ended(work: Work, begin: Begin, draw: Callable[[Sequence[Any], bool], None]) -> None:
    task = _task(work)
    if work.error:
        st.error(escape_markdown(work.error))
    found = task.found()
    if work.stopped:
        left, right = st.columns([5, 1], vertical_alignment="center")
        left.caption(f"Cancelled: what is shown are the {len(found):,} of {task.total:,} steps that were done.")
        right.button(
            "Continue", key=f"tune.continue.{task.key[0]}", width="stretch",
            on_click=_start, args=(task.key, begin, task.total, task.estimate),
        )  # fmt: skip
    if found:
        draw(found, False)
