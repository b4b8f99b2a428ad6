"""The report of a run as a computation that the reader starts, watches and may stop, and then its file.

Reports take turns, part by part, so that many that are asked for together leave the server some room. Who waits holds
no thread that downloads need, and a report whose page was left ends after its present part.
"""

from __future__ import annotations

import threading
from collections.abc import Generator

import numpy as np
import streamlit as st

from dpviz.analysis.merging import NLL
from dpviz.fit.timing import NOTHING
from dpviz.report import Shaping, report_steps
from dpviz.ui.controls.computed import standing, start_button
from dpviz.ui.session import exports
from dpviz.ui.session.background import Stage
from dpviz.ui.session.computation import Computation, Done, Failed, Waiting
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.tasks import Staged

LABEL, KEY = "A report that can be published (HTML)", "take.report"
BUTTON = f"{KEY}.make"
_PLACE = "explore report"
_TURN, _PATIENCE = threading.Lock(), 0.2
"""Held while a part is computed; seconds after which one who waits for it looks whether it was stopped."""


def show(finished: Finished) -> None:
    """Offer the report: a button that starts it, its progress, then the file."""
    wanted = _wanted(finished)
    match standing(wanted, f"{KEY}.stop"):
        case Waiting():
            start_button(LABEL, wanted, BUTTON, icon=None, width="stretch")
        case Failed():
            start_button("Try the report again", wanted, BUTTON, icon=None, width="stretch")
        case Done(result=None):
            st.caption("The report was stopped before it was done.")
            start_button("Go on with the report", wanted, BUTTON, icon=None, width="stretch")
        case Done(result=page):
            st.download_button(
                f"{LABEL}: download",
                page,
                file_name="dpviz-report.html",
                mime="text/html",
                key=KEY,
                width="stretch",
                on_click="ignore",
            )


def _wanted(finished: Finished) -> Computation:
    scale, (names, colours) = finished.scale, _names_and_colours(finished)
    joined = None if scale is None else (scale.tree.order, scale.n_clusters)
    key = (finished.digest, finished.choice, joined, tuple(names), tuple(colours))
    return Computation(_PLACE, key, lambda: Staged(lambda: in_turns(steps(finished))), NOTHING, unasked=-1.0)


def _names_and_colours(finished: Finished) -> tuple[list[str], list[int]]:
    """Return them as the player has them, in the order of its numbers."""
    numbers = sorted(finished.numbers_of_result())
    return [finished.names.get(number, str(number)) for number in numbers], [number - 1 for number in numbers]


def steps(finished: Finished) -> Generator[tuple[float, str], None, str]:
    """Write the run as a page, part by part."""
    prepared, scale = finished.prepared, finished.scale
    choice, n_components = prepared.choice, prepared.clustered.n_features if prepared.choice.n_components else 0
    shown = np.unique(finished.clusters_at(finished.trace.result_sweep), return_inverse=True)[1]
    numbers = np.array(finished.numbers_of_result())[shown]  # in whose order the page tells of clusters, too
    order, (names, colours) = NLL if scale is None else scale.tree.order, _names_and_colours(finished)
    return report_steps(
        prepared.dataset,
        finished.trace,
        prepared.X,
        joined=numbers,
        joined_by=order,
        names=names,
        colours=colours,
        notes=finished.notes,
        undecided=finished.undecided,
        code=exports.code_of(finished),
        shaping=Shaping(choice.way, n_components, choice.whiten),
    )


def in_turns(parts: Generator[tuple[float, str], None, str]) -> Generator[Stage, None, str]:
    """Take each step of a report in the turn of all reports of the server; it may be stopped while it waits."""
    share, words = 0.0, "the report"
    while True:
        while not _TURN.acquire(timeout=_PATIENCE):
            yield Stage(share, f"report: waiting until a part of another is done, then {words}")
        try:
            share, words = next(parts)
        except StopIteration as end:
            page: str = end.value
            return page
        finally:
            _TURN.release()
        yield Stage(share, f"report: {words}")
