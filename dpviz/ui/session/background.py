"""Long computations of the Tune page: they go on in a thread, are watched by a fragment, and can be cancelled.

What is waited for may be a cell of a grid or a batch of them on another process, so a slice of time inside the script
run would freeze the page. The thread lives as long as someone looks at it: when nobody has asked for a while, because
the session was closed or went elsewhere, it ends after the item in hand.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import closing
from typing import Any

import streamlit as st

from dpviz.analysis.grids import Progress, duration
from dpviz.datasets.tables import escape_markdown
from dpviz.errors import DpvizError

QUICK_SECONDS = 8.0
"""Computations estimated to take less than this start by themselves."""
PARALLEL_SECONDS = 20.0
"""Below this, starting processes on all cores costs more than it saves."""
PATIENCE_SECONDS = 120.0
"""A thread that nobody has looked at for so long ends; hidden browser tabs ask once a minute."""
TICK_SECONDS = 0.5
MOST_KEPT = 12
_WORKS = "tune works"
_all_cores = threading.Lock()  # one at a time in this process: cancelling a grid ends the worker processes of all

Begin = Callable[[int], Generator[Any, None, None]]
"""Given the number of jobs (as joblib counts them), begins a computation."""


class Work:
    """A computation in a thread.

    Parameters
    ----------
    key : tuple
        Everything that defines the computation, the name of its place on the page first.
    begin : callable
        Given the number of jobs, returns the generator of results.
    total : int
        How many results there will be at most.
    seconds : float
        Estimated duration on one core; long ones run on all cores unless another one does.
    """

    def __init__(self, key: tuple[Hashable, ...], begin: Begin, total: int, seconds: float) -> None:
        self.key, self.total = key, total
        self.over = self.stopped = False
        self.error = ""
        self._begin, self._estimate = begin, seconds
        self._found: list[Any] = []
        self._begun = self._asked = time.monotonic()
        self._ended: float | None = None
        threading.Thread(target=self._run, daemon=True, name="tune").start()

    def _run(self) -> None:
        parallel = self._estimate > PARALLEL_SECONDS and _all_cores.acquire(blocking=False)
        try:
            with closing(self._begin(-1 if parallel else 1)) as results:
                for result in results:
                    self._found.append(result)
                    if self.stopped or time.monotonic() - self._asked > PATIENCE_SECONDS:
                        self.stopped = True
                        break
        except DpvizError as error:
            self.error = str(error)
        except Exception:
            logging.getLogger(__name__).exception("a computation of the Tune page failed")
            self.error = "This computation failed for a reason of its own; the server's log has it. Try other settings."
        finally:
            if parallel:
                _all_cores.release()
            self._ended = time.monotonic()
            self.over = True

    def found(self) -> list[Any]:
        """Return the results so far, and let the work go on."""
        self._asked = time.monotonic()
        return list(self._found)

    def stop(self) -> None:
        """End after the item in hand; what was found counts."""
        self.stopped = not self.over

    @property
    def place(self) -> Hashable:
        """Where on the page it is shown."""
        return self.key[0]

    @property
    def active(self) -> bool:
        """Whether there is anything to wait for."""
        return not (self.over or self.stopped)

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(len(self._found), self.total, (self._ended or time.monotonic()) - self._begun)


def show(
    key: tuple[Hashable, ...],
    begin: Begin,
    total: int,
    seconds: float,
    draw: Callable[[Sequence[Any], bool], None],
) -> None:
    """Offer or start a computation, watch it, and draw what it found.

    Parameters
    ----------
    key : tuple
        What defines it, the name of its place on the page first.
    begin, total, seconds
        As for :class:`Work`.
    draw : callable
        Given the results so far and whether more will come; called only with at least one.
    """
    works = _works()
    work = works.get(key)
    for other in list(works.values()):
        if other.place == key[0] and other is not work and other.active:
            other.stop()  # its settings are no longer on the screen
    if work is None and seconds <= QUICK_SECONDS:
        work = _begin(key, begin, total, seconds)
    if work is None:
        words = f"{total:,} steps, about {duration(seconds)}. They can be cancelled."
        st.info(words, icon=":material/hourglass_empty:")
        st.button(
            "Run", key=f"tune.run.{key[0]}", type="primary", icon=":material/play_arrow:",
            on_click=_start, args=(key, begin, total, seconds),
        )  # fmt: skip
        return
    if work.active:
        _watch(work, draw)
        return
    _show_ended(work, begin, seconds, draw)


def _works() -> dict[tuple[Hashable, ...], Work]:
    works: dict[tuple[Hashable, ...], Work] = st.session_state.setdefault(_WORKS, {})
    return works


def _start(key: tuple[Hashable, ...], begin: Begin, total: int, seconds: float) -> None:
    """Begin what may take long, instead of everything else that runs."""
    for other in _works().values():
        other.stop()
    _begin(key, begin, total, seconds)


def _begin(key: tuple[Hashable, ...], begin: Begin, total: int, seconds: float) -> Work:
    works = _works()
    works.pop(key, None)
    works[key] = Work(key, begin, total, seconds)
    while len(works) > MOST_KEPT:  # the oldest goes: sessions must not grow without end
        works.pop(next(iter(works))).stop()
    return works[key]


def _watch(work: Work, draw: Callable[[Sequence[Any], bool], None]) -> None:
    @st.fragment(run_every=TICK_SECONDS)
    def running() -> None:
        found = work.found()
        if not work.active:
            st.rerun()
        left, right = st.columns([5, 1], vertical_alignment="center")
        left.progress(min(len(found) / work.total, 1.0), text=str(work.progress))
        with right:
            st.button(
                "Cancel", key=f"tune.cancel.{work.place}", icon=":material/stop:", width="stretch", on_click=work.stop
            )
        if found:
            draw(found, True)

    running()


def _show_ended(work: Work, begin: Begin, seconds: float, draw: Callable[[Sequence[Any], bool], None]) -> None:
    if work.error:
        st.error(escape_markdown(work.error))
    found = work.found()
    if work.stopped:
        left, right = st.columns([5, 1], vertical_alignment="center")
        left.caption(f"Cancelled: what is shown are the {len(found):,} of {work.total:,} steps that were done.")
        right.button(
            "Continue", key=f"tune.continue.{work.place}", width="stretch",
            on_click=_start, args=(work.key, begin, work.total, seconds),
        )  # fmt: skip
    if found:
        draw(found, False)
