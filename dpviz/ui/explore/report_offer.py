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
from dpviz.text import escape_markdown
from dpviz.ui.session import computation, exports
from dpviz.ui.session.background import Stage, watch
from dpviz.ui.session.computation import Computation, Done, Failed, Running, Waiting
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.tasks import Staged

LABEL, KEY = "A report that can be published (HTML)", "take.report"
_PLACE = "explore report"
_TURN, _PATIENCE = threading.Lock(), 0.2
"""Held while a part is computed; seconds after which one who waits for it looks whether it was stopped."""


def show(finished: Finished) -> None:
    """Offer the report: a button that starts it, its progress, then the file."""
    wanted = _wanted(finished)
    match computation.wanted(wanted):
        case Waiting():
            _start_button(wanted, LABEL)
        case Running(work=work):
            watch(work, key=f"{KEY}.stop")
        case Failed(message=message):
            st.error(escape_markdown(message))
            _start_button(wanted, "Try the report again")
        case Done(result=None):
            st.caption("The report was stopped before it was done.")
            _start_button(wanted, "Go on with the report")
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


def _start_button(wanted: Computation, words: str) -> None:
    st.button(words, key=f"{KEY}.make", on_click=computation.start, args=(wanted,), width="stretch")


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
