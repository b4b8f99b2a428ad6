"""The Papers page: each experiment of the papers, its printed numbers, and ours."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpviz.analysis.grids import duration
from dpviz.analysis.studies import STUDIES, Results, Study, committed, expected_seconds
from dpviz.analysis.studies.comparison import n_compared, off_the_full_ones
from dpviz.analysis.studies.errata import ERRATA
from dpviz.datasets.tables import export_csv
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.controls.setting import control, one_of
from dpviz.ui.papers import orders, powers, running, tables, weights
from dpviz.ui.session import computation
from dpviz.ui.session.background import watch
from dpviz.ui.session.computation import Done, Failed
from dpviz.ui.shell.page_link import PageLink

STYLE = tables.STYLE
_STUDY, _VIEW, _OWN, _FAILED = "papers.study", "papers.view", "papers own results", "papers failed"
LINK = PageLink("papers", longest=1_000)
SETTINGS = (control("study", _STUDY, one_of(STUDIES)), *powers.SETTINGS)
FIRST = "raykov2016-scenarios"
"""Experiment shown first."""
ORDERS, WEIGHTS = "papers.orders", "papers.weights"
COMMITTED, HERE = "That come with dpviz", "Run here"


@st.cache_resource(show_spinner=False)
def _committed(name: str) -> Results | None:
    return committed(name)


def show() -> None:
    """Draw the page."""
    LINK.restore(SETTINGS)
    first, middle, _ = tables.places("papers.study")
    with first:
        study = _chosen_study()
        results = _chosen_results(study)
    with middle:
        st.markdown(f"**{escape_markdown(study.paper)}**, {escape_markdown(study.place)}")
        st.markdown(escape_markdown(study.summary))
        if results is None:
            st.info("No results of this experiment come with dpviz. Run it here.", icon=":material/info:")
            return
        _say(study, results)
        setting = tables.choose_setting(study)
        view = widgets.segments("Cells show", _VIEW, tables.VIEWS)
    if n_compared(study.tables, results).compared == 0:  # the study's own question, which its picture answers
        _figures(study, results, setting)
        _tables(study, results, view, setting)
    else:
        _tables(study, results, view, setting)
        _figures(study, results, setting)
    _take_along(study, results)
    _say_errata(study)
    if _year(study) == orders.YEAR:
        _two_orders()
        _own_weight()


def _chosen_study() -> Study:
    """Let an experiment be chosen, and offer to run it."""
    st.markdown("#### The papers’ experiments, run again")
    names = sorted(STUDIES, key=lambda name: _year(STUDIES[name]))
    study = STUDIES[widgets.select("Experiment", _STUDY, names, FIRST, format_func=_title)]
    LINK.remember(SETTINGS)
    _take_what_ended()
    _run_here(study)
    return study


def _tables(study: Study, results: Results, view: str, setting: str) -> None:
    for number, table in enumerate(study.tables):
        tables.show_table(study, results, table, view, f"papers.{study.name}.{number}", setting)


def _figures(study: Study, results: Results, setting: str) -> None:
    for number, figure in enumerate(study.figures):
        tables.show_figure(study, results, figure, f"papers figure {study.name} {number}", setting)
    if study.name == powers.STUDY:
        _own_numbers()


@st.fragment
def _two_orders() -> None:
    """Show what the order of customers does, once it is asked for."""
    with st.expander("What is not exchangeable: one seating, two orders", key=ORDERS, on_change="rerun"):
        if once_opened(ORDERS):
            orders.show()


@st.fragment
def _own_weight() -> None:
    """Let the reader draw the weight of a table, once it is asked for."""
    with st.expander("Another weight g(n) than a power: draw your own", key=WEIGHTS, on_change="rerun"):
        if once_opened(WEIGHTS):
            weights.show()


@st.fragment
def _own_numbers() -> None:
    """Let the reader choose where powers are to pay; nothing else is drawn again."""
    powers.show()
    LINK.remember(SETTINGS)


def _title(name: str) -> str:
    study = STUDIES[name]
    return f"{study.title} ({_year(study)})"


def _year(study: Study) -> str:
    return study.paper.rpartition("(")[2].rstrip(")")


def _own() -> dict[str, Results]:
    """Results that this session made, by study."""
    own: dict[str, Results] = st.session_state.setdefault(_OWN, {})
    return own


def _chosen_results(study: Study) -> Results | None:
    ours, own = _committed(study.name), _own().get(study.name)
    if ours is None or own is None:
        return own or ours
    which = st.segmented_control(
        "Results", (COMMITTED, HERE), default=HERE, key=f"papers.results.{study.name}", required=True
    )
    return ours if which == COMMITTED else own


def _run_here(study: Study) -> None:
    """Offer to run the quick size, and show its progress while it runs."""
    work = computation.current(running.PLACE)
    if work is not None:  # perhaps of another study, which goes on
        watch(work, key="papers.stop")
        return
    failed = st.session_state.get(_FAILED)
    if failed is not None and failed[0] == study.name:
        st.error(escape_markdown(failed[1]), icon=":material/error:")
    seconds = expected_seconds(study, study.size("quick"))
    lasts = f" (some {duration(seconds)} of one core)" if np.isfinite(seconds) else ""
    st.button(
        f"Run it again here, in a small size{lasts}",
        key="papers.run",
        icon=":material/play_arrow:",
        on_click=computation.start,
        args=(running.quick_run(study),),
        help="Fewer repetitions, shorter chains. The time left is shown; stopping keeps what was done.",
    )


def _take_what_ended() -> None:
    """Keep the results of a finished run."""
    name, outcome = computation.taken(running.PLACE) or ("", None)
    if isinstance(outcome, Failed):
        st.session_state[_FAILED] = (name, outcome.message)
    elif outcome is not None:
        st.session_state.pop(_FAILED, None)
    if isinstance(outcome, Done) and outcome.result:
        _own()[str(name)] = running.results_of(STUDIES[str(name)], outcome.result)


def _say(study: Study, results: Results) -> None:
    """Explain how to read the tables, and how many numbers differ."""
    counts = n_compared(study.tables, results)
    of_all = f" Of {counts.compared:,} that can be compared {counts.differing:,} are ≠ and {counts.loose:,} ≈."
    if counts.unexplained:
        of_all += f" For {counts.unexplained:,} that are ≠ no reason was found."
    st.caption(
        "In the tables: the printed number → ours; without an arrow ours alone. ± is two standard deviations; "
        "≠ and colour mark numbers that differ from the paper’s by more than the larger spread, ≈ those that do not, "
        "but whose spread is more than a unit of the last printed digit, so that this says little."
        + (of_all if counts.compared else "")
    )
    if explanation := tables.shared_explanation(study):
        st.caption(f"Where a table says nothing else: {escape_markdown(explanation)}")
    full = _committed(study.name)
    if full is not None and results.size != full.size:
        n_off, n_all = off_the_full_ones(study.tables, results, full)
        st.caption(
            f"In this size {n_off:,} of {counted(n_all, 'number')} lie beyond the spread of those that come with "
            "dpviz, which are of more repetitions or longer runs."
        )
    if not results.complete:
        st.caption("Ended early: what is missing is shown as –.")
    if results.missing:
        st.caption(escape_markdown(f"Left out, as these tables do not come along: {', '.join(results.missing)}."))


def _say_errata(study: Study) -> None:
    """Show what is printed wrong in the study's paper, with what is right."""
    year = _year(study)
    wrong = [(place, erratum) for erratum in ERRATA for paper, place in erratum.papers if f"({year})" in paper]
    with st.expander(
        f"{counted(len(wrong), 'printed formula')} of this paper {'is' if len(wrong) == 1 else 'are'} wrong"
    ):
        for number, (place, erratum) in enumerate(wrong):
            first, middle, last = tables.places(f"papers.erratum.{number}")
            first.markdown(f"**{escape_markdown(place)}**")
            with middle:
                st.markdown("As printed:")
                st.latex(erratum.printed)
                st.markdown("As it should be:")
                st.latex(erratum.right)
            last.caption(escape_markdown(erratum.why))


def _take_along(study: Study, results: Results) -> None:
    """Say how the results were made, and offer all of them as files."""
    size = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in results.size.items())
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    st.caption(escape_markdown(f"Size: {size}. Made by {results.command} with {versions}."))
    with st.container(horizontal=True):
        st.download_button(
            "Every run (CSV)",
            lambda: export_csv(results.to_frame()),
            f"{study.name}.csv",
            "text/csv",
            key="papers.csv",
            on_click="ignore",
        )
        st.download_button(
            "Everything (JSON)",
            results.to_json,
            f"{study.name}.json",
            "application/json",
            key="papers.json",
            on_click="ignore",
        )
