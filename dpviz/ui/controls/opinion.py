"""What draws of the partition say of the number of groups: asked on Explore by a switch, and said where K is named."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

import streamlit as st

from dpviz.analysis.second_opinion import NOT_TRIED, chain_of, opinion_steps, usual_length, why_none
from dpviz.fit.timing import Estimate
from dpviz.text import escape_markdown, in_words
from dpviz.ui.controls import widgets
from dpviz.ui.controls.computed import standing, start_button
from dpviz.ui.session import computation, jobs
from dpviz.ui.session.background import Stage
from dpviz.ui.session.computation import Computation, Done, Failed, Waiting, expected_in_words
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.tasks import Staged

KEY = "explore.opinion"
ABOUT = (
    "One partition cannot show groups that overlap: two equal normal ones less than about three standard deviations "
    "apart are one cluster of the most probable partition, the surer the more rows there are. Two chains of the same "
    "model, one from this result and one from a single cluster, say how many groups their draws have."
)
WHERE = "Explore has its switch."
BUTTON = f"{KEY}.ask"
_PLACE = "explore opinion"


def show(finished: Finished) -> None:
    """Say what draws say of the number of groups, once they are asked."""
    none = why_none(finished.config)
    if none:
        st.caption(escape_markdown(f"No second opinion on the number of groups: {none}"))
        return
    if finished.stopped:
        computation.leave(_PLACE)
        st.caption(NOT_TRIED)  # it has no switch that would say so
        return
    if not widgets.toggle("Second opinion on the number of groups", KEY, help=ABOUT):
        computation.leave(_PLACE)
        return
    wanted = _wanted(finished)
    match standing(wanted, f"{KEY}.stop"):
        case Waiting(estimate=estimate):
            st.caption(f"{NOT_TRIED} It takes {expected_in_words(estimate)}.")
            start_button("Ask two chains", wanted, BUTTON, icon=None)
        case Failed():
            start_button("Try once more", wanted, BUTTON, icon=None)
        case Done(result=None):
            st.caption(NOT_TRIED)
            start_button("Go on", wanted, BUTTON, icon=None)
        case Done(result=text):
            before = "" if finished.scale is None else "Before clusters are joined: "
            st.caption(escape_markdown(f"{before}{text}"))


def say(runs: Sequence[tuple[str, Finished]]) -> None:
    """Say of runs by name what draws said of their numbers of groups, where Explore has asked them already.

    Of runs without a name the sentence stands alone.
    """
    words = {name: _known(finished) for name, finished in runs}
    asked = {name: text for name, text in words.items() if text not in (None, NOT_TRIED)}
    others = [name for name, text in words.items() if text == NOT_TRIED]
    for name, text in asked.items():
        st.caption(escape_markdown(f"{name}: {text}" if name else f"{text}"))
    if others:
        of = f"{in_words(others)}: " if all(others) and asked else ""
        st.caption(escape_markdown(f"{of}{NOT_TRIED} {WHERE}"))


def _known(finished: Finished) -> str | None:
    """Return what was said of a run, or that it was not asked; None where a method has no law of partitions."""
    if why_none(finished.config):
        return None
    said = None if finished.stopped else computation.found(_wanted(finished))
    return NOT_TRIED if said is None else str(said)


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
