"""What draws of the partition say of the number of groups, beside the run that is shown, while their switch is on."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

import streamlit as st

from dpviz.analysis.second_opinion import chain_of, opinion_steps, usual_length, why_none
from dpviz.fit.timing import Estimate
from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.session import computation, jobs
from dpviz.ui.session.background import Stage, watch
from dpviz.ui.session.computation import Computation, Done, Failed, Running, Waiting, expected_in_words
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.tasks import Staged

KEY = "explore.opinion"
NOT_TRIED = "How many groups there are in draws of the partition: not tried."
ABOUT = (
    "One partition cannot show groups that overlap: two equal normal ones less than about three standard deviations "
    "apart are one cluster of the most probable partition, the surer the more rows there are. Two chains of the same "
    "model, one from this result and one from a single cluster, say how many groups their draws have."
)
_PLACE = "explore opinion"


def show(finished: Finished) -> None:
    """Say what draws say of the number of groups, or that they were not asked."""
    none = why_none(finished.config)
    if none:
        st.caption(escape_markdown(f"No second opinion on the number of groups: {none}"))
        return
    if finished.stopped or not widgets.toggle("Second opinion on the number of groups", KEY, help=ABOUT):
        computation.leave(_PLACE)
        st.caption(NOT_TRIED)
        return
    wanted = _wanted(finished)
    match computation.wanted(wanted):
        case Waiting(estimate=estimate):
            st.caption(f"{NOT_TRIED} It takes {expected_in_words(estimate)}.")
            _start_button(wanted, "Ask two chains")
        case Running(work=work):
            watch(work, key=f"{KEY}.stop")
        case Failed(message=message):
            st.warning(escape_markdown(message))
            _start_button(wanted, "Try once more")
        case Done(result=None):
            st.caption(NOT_TRIED)
            _start_button(wanted, "Go on")
        case Done(result=text):
            before = "" if finished.scale is None else "Before clusters are joined: "
            st.caption(escape_markdown(f"{before}{text}"))


def _start_button(wanted: Computation, words: str) -> None:
    st.button(words, key=f"{KEY}.ask", on_click=computation.start, args=(wanted,))


def _wanted(finished: Finished) -> Computation:
    estimate = _estimate(finished)
    return Computation(
        _PLACE,
        (finished.digest, finished.choice.data),
        lambda: Staged(lambda: _steps(finished), estimate.operations / 100),
        estimate,
        unasked=jobs.UNASKED_OPERATIONS,
        shared=finished.choice.source != "session",
    )


def _estimate(finished: Finished) -> Estimate:
    """Estimate both chains."""
    trace = finished.trace
    length = usual_length(trace, finished.prepared.X.shape[1])
    return jobs.expected(chain_of(trace.config, length), finished.prepared).times(2)


def _steps(finished: Finished) -> Generator[Stage, None, str]:
    """Ask, and return what is to be said."""
    trace, X = finished.trace, finished.prepared.X
    done, total = 0, 2 * usual_length(trace, X.shape[1])
    with closing(opinion_steps(X, trace)) as steps:
        while True:
            try:
                done += next(steps)
            except StopIteration as end:
                return str(end.value.text)
            yield Stage(done / total, f"second opinion: {done:,} of {total:,} sweeps of two chains")
