"""The Posterior page: several chains from different starts, their agreement, and their joint results."""

from __future__ import annotations

import streamlit as st

from dpviz.analysis.posterior import Verdict
from dpviz.analysis.sampling import Series
from dpviz.engine.trace import Trace
from dpviz.fit.steps import n_cores
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import model_control
from dpviz.ui.controls.computed import say_it_waits, standing, start_button
from dpviz.ui.controls.data_controls import chosen_in_sidebar, heading
from dpviz.ui.controls.setting import Setting, control, one_of, tab, whole
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.posterior import agreement, downloads, learned, partitions, parts, sampling, scales
from dpviz.ui.posterior.findings import LOSS_WORDS
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.posterior.settings import MOST_CHAINS, MOST_SWEEPS, PAGE, Setup, apply_link, controls
from dpviz.ui.session import computation, state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.computation import Computation, Done, Waiting, expected_in_words
from dpviz.ui.shell import links, prior_factors
from dpviz.ui.shell.page_link import PageLink

CHAINS, COUNTS, TOGETHER = "Can they be trusted?", "How many clusters?", "Who is with whom?"
SUMMARY, ANSWERS, DENSITY, LEARNED = "One summary", "Other answers", "Density", "Learned"
TABS = {
    CHAINS: "chains",
    COUNTS: "K",
    TOGETHER: "together",
    SUMMARY: "summary",
    ANSWERS: "answers",
    DENSITY: "density",
    LEARNED: "learned",
}
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
_SAMPLED, _PLACE = "posterior sampled", "posterior.place"
LINK = PageLink("posterior")


def settings(choice: DataChoice, setup: Setup | None = None) -> tuple[Setting, ...]:
    """Return what the address holds: the run has the model of the chains, however it was chosen."""

    def read_run(query: object) -> None:
        apply_link(prior_factors.from_query(query, choice), choice)

    return (
        *model_control.settings_of_link(PAGE, choice),
        Setting("run", read_run, lambda: setup and setup.config.to_query(), is_long=True),
        control("chains", "posterior.chains", whole(1, MOST_CHAINS)),
        control("burn_in", "posterior.burn_in", whole(0, MOST_SWEEPS)),
        control("loss", "posterior.loss", one_of(LOSS_WORDS)),
        Setting(
            "scale",
            scales.choose_of_link,
            scales.asked,
            default=None,
            unreadable="The link's scale joins no clusters.",
        ),
        tab(_PLACE, TABS),
    )


def show() -> None:
    """Draw the page."""
    prepared = chosen_in_sidebar(gaps=True)
    if prepared is None:
        return
    choice = prepared.choice
    links.remember(choice)
    LINK.restore(settings(choice))
    heading(prepared)
    with errors_shown():
        found = controls(prepared)
        if found is None:
            return
        setup, burn_in = found
        with errors_shown():
            _stage(prepared, setup, burn_in)
        LINK.remember(settings(choice, setup))


def _stage(prepared: PreparedData, setup: Setup, burn_in: int) -> None:
    """Show the chains of these settings: running, finished, or not started."""
    asked = sampling.wanted(setup, prepared)

    def draw(series: Series | None) -> None:
        if series is not None:
            agreement.draw_series(series, burn_in, "posterior live", setup.config.n_sweeps)
            st.caption("Every chain from a start of its own. Stopping keeps what is there, and they can go on later.")

    match standing(asked, "posterior.stop", draw):
        case Done(result=sampled):
            if st.session_state.get(_SAMPLED) is not sampled:
                st.session_state[_SAMPLED] = sampled
                parts.forget()
            _results(prepared, sampled, burn_in)
        case Waiting():
            _offer(asked, setup)


def _offer(asked: Computation, setup: Setup) -> None:
    """Let the reader start chains that take long."""
    side_by_side = asked.estimate._replace(seconds=asked.estimate.seconds / min(n_cores(), setup.n_chains))
    words = f"{counted(setup.n_chains, 'chain')} of {counted(setup.config.n_sweeps, 'sweep')}"
    words += f", {expected_in_words(side_by_side)}."
    say_it_waits(f"{words} They can be stopped.")
    start_button("Run the chains", asked, "posterior.run", type="primary")


def _continue(longer: Setup, prepared: PreparedData, earlier: Sampled) -> None:
    """Continue the chains; the controls follow."""
    computation.start(sampling.wanted(longer, prepared, earlier))
    state.put({"posterior.n_sweeps": longer.config.n_sweeps})


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
    if not partitions.has_nll(prepared, sampled):
        st.caption(
            "The chains fill missing cells in, so that a partition alone has no nll: other answers, densities and "
            "unions of clusters are left out."
        )
    there = {
        ANSWERS: partitions.has_nll(prepared, sampled),
        DENSITY: partitions.has_density(prepared, sampled),
        LEARNED: bool(sampled.setup.config.hyperpriors),
    }
    places = [place for place in TABS if there.get(place, True)]
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
    length = f"{counted(len(sampled.traces), 'chain')}, {counted(sampled.n_sweeps, 'sweep')} each"
    facts = [f"{length}, the first {burn_in:,} left out"]
    if sampled.stopped:
        facts.append("stopped early")
    facts += acceptance(sampled.traces)
    st.caption(f"{'; '.join(facts)}.")


def acceptance(traces: tuple[Trace, ...]) -> list[str]:
    """Say which share of the splits and merges was accepted; nothing if none was proposed."""
    rates = [trace.acceptance_rate for trace in traces]
    if not sum(trace.config.split_merge for trace in traces):
        return ["no splits and merges proposed"]
    return [f"splits and merges accepted in all sweeps: {min(rates):.2%} to {max(rates):.2%}"]


def _actions(prepared: PreparedData, sampled: Sampled, burn_in: int | None) -> None:
    """Offer to continue the chains, and to download results."""
    setup = sampled.setup
    asked = setup.config.n_sweeps
    longer = setup.longer(asked if sampled.stopped else min(2 * asked, MOST_SWEEPS))
    with st.container(horizontal=True, vertical_alignment="center"):
        if longer.config.n_sweeps > sampled.n_sweeps:
            st.button(
                f"Continue to {longer.config.n_sweeps:,} sweeps",
                key="posterior.continue",
                icon=":material/more_time:",
                on_click=_continue,
                args=(longer, prepared, sampled),
                help="Goes on from here: the result is that of chains that were so long from the beginning.",
            )
        if burn_in is not None:
            found = partitions.found_so_far(sampled, burn_in)
            downloads.offer(prepared, sampled, parts.pooled(sampled, burn_in), found, burn_in)
