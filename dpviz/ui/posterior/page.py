"""The Posterior page: several chains from different starts, their agreement, and their joint results."""

from __future__ import annotations

import streamlit as st

from dpviz.analysis.grids import duration
from dpviz.analysis.posterior import Verdict
from dpviz.analysis.sampling import Series
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.text import escape_markdown
from dpviz.ui.controls.data_controls import chosen_in_sidebar, heading
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.posterior import agreement, downloads, learned, partitions, parts, sampling
from dpviz.ui.posterior import links as posterior_links
from dpviz.ui.posterior.sampling import Sampled, Sampling
from dpviz.ui.posterior.settings import MOST_SWEEPS, Setup, controls
from dpviz.ui.session import jobs, state
from dpviz.ui.session.background import Work, take_if_over, watch
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.shell import links

CHAINS, COUNTS, TOGETHER = "Can they be trusted?", "How many clusters?", "Who is with whom?"
SUMMARY, ANSWERS, DENSITY, LEARNED = "One summary", "Other answers", "Density", "Learned"
TABS = {
    CHAINS: "chains", COUNTS: "K", TOGETHER: "together", SUMMARY: "summary", ANSWERS: "answers", DENSITY: "density",
    LEARNED: "learned",
}  # fmt: skip
"""Names of the tabs on the page and in links."""
SHOWN = {
    CHAINS: agreement.show,
    COUNTS: agreement.show_n_clusters,
    TOGETHER: partitions.show_together,
    SUMMARY: partitions.show_summary,
    ANSWERS: partitions.show_answers,
    DENSITY: partitions.show_density,
    LEARNED: learned.show,
}
_WORK, _SAMPLED, _FAILED, _PLACE = "posterior work", "posterior sampled", "posterior failed", "posterior.place"


def show() -> None:
    """Draw the page."""
    prepared = chosen_in_sidebar()
    if prepared is None:
        return
    choice = prepared.choice
    links.remember(choice)
    asked = posterior_links.restore(choice)
    if asked in TABS.values():
        state.put({_PLACE: next(words for words, name in TABS.items() if name == asked)})
    heading(prepared)
    with errors_shown():
        found = controls(prepared)
        if found is None:
            return
        setup, burn_in = found
        with errors_shown():
            _stage(prepared, setup, burn_in)
        posterior_links.remember(setup, burn_in, TABS[state.settings().get(_PLACE, CHAINS)], choice)


def _stage(prepared: PreparedData, setup: Setup, burn_in: int) -> None:
    """Show the chains of these settings: running, finished, or not started."""
    _take_what_is_over()
    work: Work | None = st.session_state.get(_WORK)
    if work is not None and not _is_of(work, setup, prepared):
        work.stop()
        del st.session_state[_WORK]
        work = None
    if work is not None:
        _watch(work, burn_in)
        return
    sampled: Sampled | None = st.session_state.get(_SAMPLED)
    if sampled is None or not sampled.is_of(setup, prepared):
        sampled = sampling.SHARED.find(sampling.key_of(setup, prepared))
    if sampled is None:
        _offer(prepared, setup, burn_in)
        return
    st.session_state[_SAMPLED] = sampled
    _results(prepared, sampled, burn_in)


def _sampling(work: Work) -> Sampling:
    assert isinstance(work.task, Sampling)
    return work.task


def _is_of(work: Work, setup: Setup, prepared: PreparedData) -> bool:
    return _sampling(work).is_of(setup, prepared)


def _take_what_is_over() -> None:
    """Show the chains in progress once they are over."""
    work = take_if_over(_WORK)
    if work is None:
        return
    task = _sampling(work)
    if task.result is not None:
        st.session_state[_SAMPLED] = task.result
        parts.forget()
    else:
        st.session_state[_FAILED] = (task.setup, work.error)


def _offer(prepared: PreparedData, setup: Setup, burn_in: int) -> None:
    """Start quick chains; let the reader start others, and show errors."""
    failed = st.session_state.get(_FAILED)
    if failed is not None and failed[0] == setup:
        st.error(escape_markdown(failed[1]), icon=":material/error:")
        return
    work = sampling.work_of(setup, prepared)
    if work.operations < jobs.UNASKED_OPERATIONS:
        _begin(setup, prepared, None)
        _take_what_is_over()
        if _WORK in st.session_state:
            _watch(st.session_state[_WORK], burn_in)
        else:
            _results(prepared, st.session_state[_SAMPLED], burn_in)
        return
    config = setup.config
    seconds = work.seconds / min(sampling.n_cores(), setup.n_chains)
    words = f"{setup.n_chains} chains of {config.n_sweeps:,} sweeps, about {duration(seconds)}. They can be stopped."
    st.info(words, icon=":material/hourglass_empty:")
    st.button(
        "Run the chains", key="posterior.run", type="primary", icon=":material/play_arrow:",
        on_click=_begin_or_fail, args=(setup, prepared, None),
    )  # fmt: skip


def _begin(setup: Setup, prepared: PreparedData, earlier: Sampled | None) -> None:
    st.session_state.pop(_FAILED, None)
    st.session_state[_WORK] = Work(Sampling(setup, prepared, earlier), at_once=jobs.QUICK_OPERATIONS)


def _begin_or_fail(setup: Setup, prepared: PreparedData, earlier: Sampled | None) -> None:
    try:
        _begin(setup, prepared, earlier)
    except DpvizError as error:
        st.session_state[_FAILED] = (setup, str(error))


def _continue(longer: Setup, prepared: PreparedData, earlier: Sampled) -> None:
    """Continue the chains; the controls follow."""
    _begin_or_fail(longer, prepared, earlier)
    state.put({"posterior.n_sweeps": longer.config.n_sweeps})


def _watch(work: Work, burn_in: int) -> None:
    """Show the chains while they run."""

    def draw(series: Series | None) -> None:
        if series is not None:
            agreement.draw_series(series, burn_in, "posterior live")
            st.caption("Every chain from a start of its own. Stopping keeps what is there, and they can go on later.")

    watch(work, draw, lambda: None, key="posterior.stop")


def _results(prepared: PreparedData, sampled: Sampled, burn_in: int) -> None:
    """Show first whether the chains have converged, then their results, one tab at a time."""
    if burn_in >= sampled.n_sweeps:
        st.warning(
            f"The shortest chain has {sampled.n_sweeps:,} sweeps: leave fewer out, or continue.",
            icon=":material/hourglass_empty:",
        )
        _actions(prepared, sampled, None)
        return
    verdict = agreement.judged(sampled, burn_in)
    _say(verdict, sampled, burn_in)
    places = [place for place in TABS if place != LEARNED or sampled.setup.config.hyperpriors]
    place = segments("What to look at", _PLACE, places)
    actions = st.container()
    SHOWN[place](prepared, sampled, burn_in)
    with actions:
        _actions(prepared, sampled, burn_in)


def _say(verdict: Verdict, sampled: Sampled, burn_in: int) -> None:
    """Show the verdict, and the chains it is about."""
    if verdict.settled:
        st.success(escape_markdown(verdict.text), icon=":material/check_circle:")
    else:
        st.warning(escape_markdown(verdict.text), icon=":material/warning:")
    facts = [f"{len(sampled.traces)} chains, {sampled.n_sweeps:,} sweeps each, the first {burn_in:,} left out"]
    if sampled.stopped:
        facts.append("stopped early")
    facts += acceptance(sampled.traces)
    st.caption(f"{'; '.join(facts)}.")


def acceptance(traces: tuple[Trace, ...]) -> list[str]:
    """Say which share of the splits and merges was accepted; nothing if none was proposed."""
    rates = [trace.acceptance_rate for trace in traces]
    if not sum(trace.config.split_merge for trace in traces):
        return ["no splits and merges proposed"]
    return [f"splits and merges accepted: {min(rates):.2%} to {max(rates):.2%}"]


def _actions(prepared: PreparedData, sampled: Sampled, burn_in: int | None) -> None:
    """Offer to continue the chains, and to download results."""
    setup = sampled.setup
    asked = setup.config.n_sweeps
    longer = setup.longer(asked if sampled.stopped else min(2 * asked, MOST_SWEEPS))
    with st.container(horizontal=True, vertical_alignment="center"):
        if longer.config.n_sweeps > sampled.n_sweeps:
            st.button(
                f"Continue to {longer.config.n_sweeps:,} sweeps", key="posterior.continue", icon=":material/more_time:",
                on_click=_continue, args=(longer, prepared, sampled),
                help="Goes on from here: the result is that of chains that were so long from the beginning.",
            )  # fmt: skip
        if burn_in is not None:
            found = partitions.found_so_far(sampled, burn_in)
            downloads.offer(prepared, sampled, parts.pooled(sampled, burn_in), found)
    failed = st.session_state.get(_FAILED)
    if failed is not None and failed[0] == longer:
        st.error(escape_markdown(failed[1]), icon=":material/error:")
