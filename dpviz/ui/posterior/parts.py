"""Results that a tab computes from draws on request: once, in steps, in the background unless quick."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Hashable, Iterator
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from dpviz.text import escape_markdown
from dpviz.ui.posterior.findings import Pooled
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.session.background import Stage, Work, watch

Result = TypeVar("Result")
_WORKS, _POOLED = "posterior parts", "posterior pooled"
QUICK_LABELS = 300_000
"""Draws × points up to which a tab is computed before it is drawn, within about a second."""


class Part:
    """A computation that reports its stages and returns a result, as a background task.

    Parameters
    ----------
    key : hashable
        Everything that defines it.
    begin : callable
        Returns a generator of stages whose return value is the result.

    Attributes
    ----------
    result : object
        None until it is over.
    """

    def __init__(self, key: Hashable, begin: Callable[[], Generator[Stage, None, Any]]) -> None:
        self.key, self.result = key, None
        self._begin, self._stage = begin, Stage(0.0, "starting")

    def steps(self) -> Iterator[float]:
        """Run stage by stage."""
        self.result = yield from self._staged()

    def _staged(self) -> Generator[float, None, Any]:
        stages = self._begin()
        while True:
            try:
                self._stage = next(stages)
            except StopIteration as end:
                return end.value
            yield 1.0

    def picture(self) -> None:
        """Show nothing until it is over."""

    def finish(self, stopped: bool) -> None:
        """Keep the result, if there is one."""

    def stages(self) -> list[Stage]:
        """Report the current stage."""
        return [self._stage]


def computed(
    kind: str, key: Hashable, begin: Callable[[], Generator[Stage, None, Result]], n_labels: int
) -> Result | None:
    """Return a result, or draw its progress and return None.

    Parameters
    ----------
    kind : str
        A session holds one result of each kind.
    key : hashable
        Everything that defines it.
    begin : callable
        As for :class:`Part`.
    n_labels : int
        Draws × points.
    """
    works: dict[str, Work] = st.session_state.setdefault(_WORKS, {})
    work = works.get(kind)
    if work is None or _part(work).key != key:
        if work is not None:
            work.stop()
        work = works[kind] = Work(Part(key, begin), at_once=math.inf if n_labels <= QUICK_LABELS else 0.0)
    if not work.over:
        watch(work, lambda _: None, lambda: None, key=f"posterior.stop.{kind}")
        return None
    if work.error:
        st.error(escape_markdown(work.error), icon=":material/error:")
    elif work.stopped:
        st.caption("Stopped before it was done.")
        st.button("Go on", key=f"posterior.go.{kind}", icon=":material/play_arrow:", on_click=_go_on, args=(work,))
    result: Result | None = _part(work).result
    return result


def pooled(sampled: Sampled, burn_in: int) -> Pooled:
    """Pool the draws of all chains; again only if chains or burn-in change.

    Raises
    ------
    InvalidParameterError
        If no draw is left.
    """
    held = st.session_state.get(_POOLED)
    if held is None or held[0] is not sampled or held[1] != burn_in:
        held = (sampled, burn_in, Pooled.of(sampled, burn_in))
        st.session_state[_POOLED] = held
    found: Pooled = held[2]
    return found


def draws_in_words(found: Pooled) -> str:
    """Say how many draws and chains a result is computed from."""
    return f"{found.draws.n_draws:,} draws, as many of each of {len(np.unique(found.chains))} chains"


def known(kind: str, key: Hashable) -> Any:
    """Return the result computed earlier under this key, else None."""
    work = st.session_state.get(_WORKS, {}).get(kind)
    return _part(work).result if work is not None and work.over and _part(work).key == key else None


def forget() -> None:
    """Stop all computations on draws that are no longer shown."""
    for work in st.session_state.pop(_WORKS, {}).values():
        work.stop()


def _go_on(work: Work) -> None:
    work.resume()


def _part(work: Work) -> Part:
    assert isinstance(work.task, Part)
    return work.task
