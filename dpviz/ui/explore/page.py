"""The Explore page: choose data and a method, watch the run, ask why a point is where it is, export the result."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import describe, method_of
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.player import build_payload
from dpviz.player.run_panel import panel
from dpviz.text import escape_markdown
from dpviz.ui import live
from dpviz.ui.controls import run_controls
from dpviz.ui.controls.computed import say_it_waits
from dpviz.ui.controls.data_controls import data_controls
from dpviz.ui.explore import edits, finished_run
from dpviz.ui.explore.remarks import heading
from dpviz.ui.explore.running import (
    at_scale_of_link,
    await_what_was_left,
    back_to,
    is_current,
    remember,
    run,
    take_what_ended,
    take_what_was_left,
    use_lesson,
    with_model,
)
from dpviz.ui.explore.showing import PLACE, in_picture, job_of, showing
from dpviz.ui.player import Named
from dpviz.ui.session import computation, history, jobs, state
from dpviz.ui.session.background import TICK_SECONDS, Unhurried, Work, watch
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.computation import expected_in_words
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.shell import links, navigation
from dpviz.ui.shell.page_link import TOO_LONG
from dpviz.ui.stage import guide
from dpviz.ui.stage.knobs import turned_on
from dpviz.ui.stage.lessons import PRESETS

STYLE = finished_run.STYLE
PREVIOUS = "The picture shows the previous settings."
NOT_ON_CONTROLS = (
    "The picture shows a run some of whose settings these controls cannot make. “Run” makes theirs instead."
)
POINTS_A_SECOND = 80_000
"""Points of a run in progress that are sent to the browser, roughly."""


def show() -> None:
    """Draw the page."""
    showing().redraws_all = False
    _start_with_a_lesson()
    take_what_ended()
    take_what_was_left()
    stored, showing().restored = showing().restored, None
    if stored is not None:
        back_to(stored)
        history.add(stored)
    try:
        with _announced(), st.sidebar:
            navigation.door("lessons", "Lessons", ":material/school:")
            choice = data_controls(watch=guide.opened(PLACE) is None)  # a lesson says it beside the picture
            prepared = prepare(choice)
            pictured, method = in_picture(), _method_in_picture()
            config = run_controls.run_controls(prepared, None if pictured is None else pictured.config)
            showing().asked = asked = Asked(run_controls.choice_for(config, prepared), config)
            linked = links.take_kept(config)
            if linked is not None:
                showing().given = asked._replace(kept=linked[0])
            if stored is not None and not is_current(asked):  # the controls cannot make all of it
                showing().attempted = asked  # so that what they make instead waits until it is asked for
            _keep_up(asked)
    except DpvizError as error:
        st.error(escape_markdown(f"{error} Choose other settings in the sidebar."))
        return
    if _method_in_picture() != method:
        st.rerun()  # controls stand elsewhere beside a picture that has knobs for them
    lesson = guide.of_runs(PLACE, PRESETS, asked.choice, [config])
    if lesson is not None and guide.opened(PLACE) is None:
        guide.begin(PLACE, lesson)
    _compare_with_link(config)
    _offer_to_run(asked)
    work = computation.current(PLACE)
    finished = showing().finished
    if showing().left:
        await_what_was_left()
    if work is not None:
        _watch(work)
    elif finished is not None:
        finished = _follow_scale(finished)
        if "run" not in st.query_params and is_current(asked):
            # the navigation leads to an address without a run, and some runs do not fit into one
            if not remember(finished):
                st.caption(TOO_LONG)
        finished_run.show()
    edits.bring_knobs()
    if work is None and finished is not None and links.layout() != "min":
        shown = guide.of_runs(PLACE, PRESETS, finished.choice, [finished.settings])
        live.bring_lesson(shown, finished_run.PLAYER)


def _method_in_picture() -> str:
    """Name the method of the run in the picture; empty without one."""
    pictured = in_picture()
    return "" if pictured is None else method_of(pictured.config).name


def _announced() -> AbstractContextManager[None]:
    """Say that data are prepared which no run on this page had, where a picture will be."""
    shown = showing().finished
    is_new = shown is None or shown.choice.data != state.chosen_data().data
    return st.spinner("Preparing the data and a first run …") if is_new else nullcontext()


def _start_with_a_lesson() -> None:
    """Open with the lesson that was chosen, else with the first, unless a link or another page set something up."""
    chosen, showing().lesson = showing().lesson, None
    if chosen is not None:
        showing().started = True
        use_lesson(chosen, plays=True)
    if showing().started:
        return
    showing().started = True
    if not any(key in st.query_params for key in ("data", "run")) and state.chosen_data() == DataChoice():
        use_lesson(PRESETS[0], plays=False)


def _keep_up(asked: Asked) -> None:
    """Run again when a control moved and the run is quick."""
    prepared = prepare(asked.choice)
    finished = showing().finished
    same = is_current(asked)
    runs = computation.current(PLACE) is not None
    if same and not runs and finished is not None and finished.choice != asked.choice:
        finished = showing().finished = replace(finished, choice=asked.choice, prepared=prepared)
        history.update(finished)
    whole = with_model(asked)
    wanted = jobs.wanted(PLACE, whole)
    ordered = links.take_order(asked.config)
    there = jobs.finished_run(whole) is not None or computation.is_begun_elsewhere(wanted)
    begins = ordered or there or wanted.estimate.operations < jobs.UNASKED_OPERATIONS
    if not same and begins and showing().attempted != asked:
        run(asked)


def _follow_scale(shown: Finished) -> Finished:
    """Show the run at the scale of a link that leads to it again, and say why a link's scale is not shown."""
    finished = at_scale_of_link(shown)
    if finished.scale is not shown.scale:
        showing().finished = finished
        history.update(finished)
    words, showing().why_no_scale = showing().why_no_scale, ""
    if words:
        links.notice(words)
    return finished


def _compare_with_link(config: RunConfig) -> None:
    """Say so if the link asks for a run that these controls cannot make."""
    asked = links.take_run()
    if asked is not None and run_controls.in_terms_of_controls(asked) != config:
        links.lead_to(config)
        links.notice("Some of the link's settings cannot be made here; the nearest ones are shown.")


def _offer_to_run(asked: Asked) -> None:
    """Show why a run failed, or that the picture is older than the controls, with the button that runs what they say.

    The button is there, unseen, while there is nothing to run.
    """
    failed, work, finished = showing().error, computation.current(PLACE), showing().finished
    same = is_current(asked)
    unfinished = same and work is None and finished is not None and finished.stopped
    estimate = jobs.estimate_of(with_model(asked))
    expected = expected_in_words(estimate)
    has_failed = failed is not None and failed[0][:2] == asked.key[:2]
    if failed is not None and has_failed:  # outside of what is hidden with a button that has nothing to run
        st.error(escape_markdown(failed[1]))
    with st.container(horizontal=True, vertical_alignment="center", key="run"):
        if not (same or has_failed) and work is None and finished is None:
            words = f"{describe(asked.config)} takes {expected}, so it waits for you."
            say_it_waits(words)
        elif not (same or has_failed):
            only_stored = showing().attempted == asked
            st.warning(NOT_ON_CONTROLS if only_stored else PREVIOUS, icon=":material/hourglass_empty:")
        st.button(
            "Run to the end" if unfinished else "The picture is up to date" if same else "Run",
            type="secondary" if same else "primary",
            icon=None if same else ":material/play_arrow:",
            disabled=same and not unfinished,
            help=f"{expected}; it can be stopped.".capitalize() if estimate.seconds > 1 else None,
            key="run.go",
            on_click=run,
            args=(asked,),
        )


def _watch(work: Work) -> None:
    """Show a run in progress."""
    job = job_of(work)
    heading(job.config, job.prepared)

    turned, pictures = turned_on(PLACE).pictured == [job.config], Unhurried[tuple[Named, Trace]]()

    def pictured(trace: Trace) -> tuple[Named, Trace]:
        shown = panel(job.prepared, trace, describe(job.config), live=True)
        return Named(build_payload([shown], partial=True, progress=job.stages()[0].words)), trace

    def draw(trace: Trace | None) -> None:
        if trace is None:
            if turned:
                finished_run.show_before(edits.facts(job.problem.config, job.prepared, "running"))
            return
        newest = trace
        payload, trace = pictures.latest(lambda: pictured(newest))
        finished_run.show_live(payload, trace, edits.facts(trace.config, job.prepared, "running"))

    n_points = len(job.prepared.X)
    watch(work, draw, key="stop", below=turned, every=max(TICK_SECONDS, n_points / POINTS_A_SECOND))
