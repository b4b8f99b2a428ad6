"""Rows of the table by methods of scikit-learn, computed on request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from dpviz.analysis.reference_methods import Reference, n_steps, references
from dpviz.arrays import FloatArray
from dpviz.text import escape_markdown
from dpviz.ui.compare.panels import Common
from dpviz.ui.compare.runs import Picture
from dpviz.ui.session.background import Stage, Work, watch
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, complete_rows

_ROWS = "compare references"


class ReferenceTask:
    """The reference methods as a background task.

    Parameters
    ----------
    X : ndarray (N, D)
    seed, n_starts : int

    Attributes
    ----------
    found : list of Reference
        Finished rows.
    n_done, n_all : int
        Steps that are done, and all.
    """

    def __init__(self, X: FloatArray, seed: int, n_starts: int) -> None:
        self.found: list[Reference] = []
        self._X, self._seed, self._n_starts = X, seed, n_starts
        self.n_done, self.n_all = 0, n_steps(X)

    def steps(self) -> Iterator[float]:
        """Compute them all."""
        for found in references(self._X, self._seed, self._n_starts):
            self.n_done += 1
            self.found += [found] if found is not None else []
            yield 1.0

    def picture(self) -> None:
        """Show only progress."""

    def finish(self, stopped: bool) -> None:
        """Do nothing: the list already holds the finished rows."""

    def stages(self) -> list[Stage]:
        """Report progress."""
        return [Stage(self.n_done / self.n_all, f"reference methods: {self.n_done} of {self.n_all} steps")]


def known(picture: Picture) -> tuple[Reference, ...]:
    """Return the reference rows of these data and this effort that are computed so far."""
    held = st.session_state.get(_ROWS)
    if held is None or held[0] != _key(picture):
        return ()
    return tuple(_task(held[1]).found) if held[1].over else ()


def offer(picture: Picture, shown: tuple[Reference, ...]) -> None:
    """Offer the rows, or watch their computation; ``shown`` are the rows already on the page."""
    held: tuple[Any, Work] | None = st.session_state.get(_ROWS)
    if held is not None and held[0] != _key(picture):
        held[1].stop()
        st.session_state.pop(_ROWS)
        held = None
    if held is None:
        lacking = len(_complete(picture).X) != len(picture.compared_rows)
        about = (
            "Gaussian mixture with BIC, variational Gaussian mixture and HDBSCAN, all of scikit-learn, on the same "
            "data with as many starts. The table says their settings."
        )
        if lacking:
            about = "These methods need complete rows. Add a panel that does too, or fill the missing cells in."
        st.button(
            "Add reference rows", icon=":material/compare:", key="compare.references", on_click=_begin,
            args=(picture,), disabled=lacking, help=about,
        )  # fmt: skip
    elif not held[1].over:
        watch(held[1], lambda _: None, lambda: None, key="compare.references.stop")
    elif held[1].error:
        st.error(escape_markdown(held[1].error))
    elif len(_task(held[1]).found) > len(shown):  # the last one was finished while the page was drawn
        st.rerun()
    elif held[1].stopped:
        task = _task(held[1])
        done = f"{task.n_done:,} of {task.n_all:,} steps of the reference methods"
        st.caption(f"Stopped after {done}; the others were not tried.")


def _begin(picture: Picture) -> None:
    (_, seed, n_starts), X = _key(picture), _complete(picture).X
    st.session_state[_ROWS] = (_key(picture), Work(ReferenceTask(X, seed, n_starts)))


def _complete(picture: Picture) -> PreparedData:
    """Return the data as these methods need them."""
    return complete_rows(picture.whole)


def _key(picture: Picture) -> tuple[DataChoice, int, int]:
    """Return data, seed and starts, which determine the rows."""
    common: Common = picture.plan.common
    return picture.plan.choice, common.seed or 0, common.starts


def _task(work: Work) -> ReferenceTask:
    assert isinstance(work.task, ReferenceTask)
    return work.task
