"""The computations of the Tune page: generators of results, offered or started, watched, cancelled and continued."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from typing import Any

import streamlit as st

from dpviz.analysis.grids import Progress, duration
from dpviz.fit.timing import Estimate
from dpviz.text import escape_markdown
from dpviz.ui.session.background import Stage, Work, watch
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.kept import Kept

QUICK_OPERATIONS = 8e9
"""Computations estimated to take fewer operations, about eight seconds, start by themselves."""
LINK_OPERATIONS = 2e9
"""The same for computations that a link leads to, which may come from a stranger: about two seconds."""
PARALLEL_OPERATIONS = 2e10
"""Below this, starting processes on all cores costs more than it saves."""
MOST_KEPT = 12
MOST_FINISHED, MOST_FINISHED_BYTES = 24, 100_000_000
_WORKS, _ARRIVING, _LINKED = "tune works", "tune arriving", "tune linked"
_finished: Kept[list[Any]] = Kept(MOST_FINISHED_BYTES, most=MOST_FINISHED)  # of all sessions: a reload is a new one
_all_cores = threading.Lock()  # one at a time in this process: cancelling a grid ends the worker processes of all

Begin = Callable[[int], Generator[Any, None, None]]
"""Given the number of jobs (as in joblib), starts a computation."""


class Collected:
    """A generator of results as a background task.

    Parameters
    ----------
    key : tuple
        Everything that defines the computation, the name of its place on the page first.
    begin : callable
        Given the number of jobs, returns the generator of results.
    total : int
        Most results there will be.
    estimate : Estimate
        Of all results, on one core; long computations use all cores unless another one does.
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
        """Return nothing: :meth:`found` shows the results without waiting for the next."""

    def found(self) -> list[Any]:
        """Return the results so far; may be called from any thread."""
        return list(self._found)

    def finish(self, stopped: bool) -> None:
        """Keep the results for this session, and for others if they are complete."""
        if not stopped:
            _finished.put(self.key, self._found)

    def stages(self) -> list[Stage]:
        """Report progress."""
        done = min(len(self._found), self.total)  # cells improved by their neighbours are yielded again
        progress = Progress(done, self.total, (self._ended or time.monotonic()) - self._begun)
        return [Stage(progress.done / self.total, str(progress))]


def fingerprint(prepared: PreparedData) -> str:
    """Return a digest of the clustered numbers and the known groups: equal for equal data in any session."""
    digest = hashlib.blake2b(repr(prepared.X.shape).encode(), digest_size=16)
    digest.update(prepared.X.tobytes())
    labels = prepared.dataset.labels
    digest.update(b"" if labels is None else repr(labels.tolist()).encode())
    return digest.hexdigest()


def arrive(by_link: bool) -> None:
    """Note before a page is drawn whether a link leads to it; if so, only short computations start by themselves."""
    st.session_state[_ARRIVING] = by_link
    if by_link:
        st.session_state[_LINKED] = set()


def _largest_unasked(key: tuple[Hashable, ...]) -> float:
    """Most operations of a computation that starts by itself."""
    linked: set[tuple[Hashable, ...]] = st.session_state.setdefault(_LINKED, set())
    if st.session_state.get(_ARRIVING):
        linked.add(key)
    return min(LINK_OPERATIONS, QUICK_OPERATIONS) if key in linked else QUICK_OPERATIONS


def show(
    key: tuple[Hashable, ...],
    begin: Begin,
    total: int,
    estimate: Estimate,
    draw: Callable[[Sequence[Any], bool], None],
) -> None:
    """Offer or start a computation, watch it, and draw its results.

    Parameters
    ----------
    key : tuple
        Everything that defines it, in any session: the name of its place on the page, the :func:`fingerprint` of the
        data, the settings. A finished computation is shown at once when it is requested again, after a reload as well.
    begin, total, estimate
        As for :class:`Collected`.
    draw : callable
        Given the results so far and whether more will come; called only with at least one.
    """
    works = _works()
    work, largest_unasked = works.get(key), _largest_unasked(key)
    for other_key, other in works.items():
        if other_key[0] == key[0] and other is not work:
            other.stop()  # its settings are no longer on the screen
    finished = _finished.find(key)
    if finished is not None and (work is None or work.stopped):
        draw(finished, False)
        return
    if work is None and estimate.operations <= largest_unasked:
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
    """Start a computation that may take long, and stop all others."""
    for other in _works().values():
        other.stop()
    _begin(key, begin, total, estimate)


def _begin(key: tuple[Hashable, ...], begin: Begin, total: int, estimate: Estimate) -> Work:
    works = _works()
    works.pop(key, None)
    works[key] = Work(Collected(key, begin, total, estimate))
    while len(works) > MOST_KEPT:  # drop the oldest: sessions must not grow without bound
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
