"""The Explore page: choose data and a method, watch the run, ask why a point is where it is, export the result."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, describe, method_of
from dpviz.engine.options import INIT_CLUSTERS
from dpviz.engine.trace import Trace
from dpviz.engine.trace_words import acceptance_in_words, final_start_in_words, moves_in_words
from dpviz.errors import DpvizError
from dpviz.families.automatic import ANY, AUTOMATIC
from dpviz.families.powers import powers_in_words
from dpviz.fit.automatic import words_for
from dpviz.fit.transforms import TRANSFORMED
from dpviz.player import build_payload
from dpviz.player.run_panel import panel, shown_rows
from dpviz.text import counted, escape_markdown
from dpviz.ui import live
from dpviz.ui.controls import run_controls, transform_offer
from dpviz.ui.controls.codes import said_of_codes
from dpviz.ui.controls.data_controls import data_controls
from dpviz.ui.controls.directions_offer import offer, offer_columns
from dpviz.ui.explore import edits, finished_run, knobs, scales
from dpviz.ui.explore.showing import showing
from dpviz.ui.player import Named, PlayerState
from dpviz.ui.session import computation, history, jobs, state
from dpviz.ui.session.background import TICK_SECONDS, Unhurried, Work, watch
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, prepare
from dpviz.ui.session.computation import Done, Failed, expected_in_words
from dpviz.ui.session.jobs import Finished, Job
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.session.model_choice import CHOOSE_AGAIN, KeptModel
from dpviz.ui.shell import links, navigation
from dpviz.ui.shell.page_link import TOO_LONG
from dpviz.ui.stage import guide
from dpviz.ui.stage.lessons import PRESETS

_PLACE = "explore"
STYLE = finished_run.STYLE
LONGER = 4.0
"""Factor on the effort when a search continues."""
PREVIOUS = "The picture shows the previous settings."
NOT_ON_CONTROLS = (
    "The picture shows a run some of whose settings these controls cannot make. “Run” makes theirs instead."
)
POINTS_A_SECOND = 80_000
"""Points of a run in progress that are sent to the browser, roughly."""


def show() -> None:
    """Draw the page."""
    finished_run.end_full_rerun()
    _start_with_a_lesson()
    _take_what_ended()
    _take_what_was_left()
    stored, showing().restored = showing().restored, None
    if stored is not None:
        _back_to(stored)
        history.add(stored)
    try:
        with _announced(), st.sidebar:
            navigation.door("lessons", "Lessons", ":material/school:")
            navigation.door("data", "Draw your own points", ":material/draw:", {"way": "draw"})
            choice = data_controls(watch=guide.opened(_PLACE) is None)  # a lesson says it beside the picture
            prepared = prepare(choice)
            config = run_controls.run_controls(prepared)
            choice = run_controls.choice_for(config, prepared)
            showing().asked = choice, config
            linked = links.take_kept(config)
            if linked is not None:
                _give(choice, config, *linked)
            if stored is not None and not _is_current(choice, config):  # the controls cannot make all of it
                showing().attempted = choice, config  # so that what they make instead waits until it is asked for
            _keep_up(choice, config)
    except DpvizError as error:
        st.error(escape_markdown(f"{error} Choose other settings in the sidebar."))
        return
    lesson = guide.of_runs(_PLACE, PRESETS, choice, [config])
    if lesson is not None and guide.opened(_PLACE) is None:
        guide.begin(_PLACE, lesson)
    _compare_with_link(config)
    _say_what_is_wrong(choice, config)
    work = computation.current(_PLACE)
    finished = showing().finished
    if showing().left:
        _await_what_was_left()
    if work is not None:
        _watch(work)
    elif finished is not None:
        finished = _follow_scale(finished)
        if "run" not in st.query_params and _is_current(choice, config):
            # the navigation leads to an address without a run, and some runs do not fit into one
            if not _remember(finished):
                st.caption(TOO_LONG)
        _show_finished(finished)
    knobs.bring()
    if work is None and finished is not None and links.layout() != "min":
        shown = guide.of_runs(_PLACE, PRESETS, finished.choice, [finished.settings])
        live.bring_lesson(shown, finished_run.PLAYER)


def _announced() -> AbstractContextManager[None]:
    """Say that data are prepared which no run on this page had, where a picture will be."""
    shown = showing().finished
    is_new = shown is None or replace(shown.choice, axes=()) != replace(state.chosen_data(), axes=())
    return st.spinner("Preparing the data and a first run …") if is_new else nullcontext()


def _start_with_a_lesson() -> None:
    """Open with the lesson that was chosen, else with the first, unless a link or another page set something up."""
    chosen, showing().lesson = showing().lesson, None
    if chosen is not None:
        showing().started = True
        _use_preset(chosen, plays=True)
    if showing().started:
        return
    showing().started = True
    if not any(key in st.query_params for key in ("data", "run")) and state.chosen_data() == DataChoice():
        _use_preset(PRESETS[0], plays=False)


def _use_preset(preset: Lesson, plays: bool) -> None:
    state.choose_data(preset.choice)
    run_controls.apply(preset.config, preset.choice)
    guide.begin(_PLACE, preset)
    finished_run.open_next_at_start(plays)
    _give(preset.choice, preset.config, None)
    _start(preset.choice, preset.config, None)


def _open_lesson(preset: Lesson) -> None:
    finished_run.request_full_rerun()
    _use_preset(preset, plays=True)


def _give(choice: DataChoice, config: RunConfig, kept: KeptModel | None) -> None:
    """Let a run have a model, or choose one, whatever the run that is shown has."""
    showing().given = replace(choice, axes=()), config, kept


def _kept(choice: DataChoice, config: RunConfig) -> KeptModel | None:
    """Return the model that a run has from others, which short runs then need not choose."""
    given = showing().given
    if given is not None and same_settings(*given[:2], choice, config):
        return given[2]
    return jobs.kept_model(showing().finished, choice, config)


def _start(choice: DataChoice, config: RunConfig, kept: KeptModel | None) -> None:
    """Start a run, or go on with it; a quick one, and one that another session finished, are shown at once."""
    showing().error = None
    try:
        known = jobs.finished_run(choice, config, kept=kept)
        wanted = jobs.wanted(_PLACE, choice, config, search=showing().search, kept=kept)
    except DpvizError as error:  # the data are not here, or not possible
        showing().error = ((replace(choice, axes=()), config), str(error))
        return
    if known is not None:
        _leave()
        _take(known)
        return
    showing().search = None
    if not computation.is_of(wanted):
        _leave()
    with st.spinner("The run begins …"):  # checking many columns takes seconds
        computation.start(wanted)
    _take_what_ended()


def _take_what_ended() -> None:
    """Show the run in progress once it is over."""
    work = computation.current(_PLACE)
    key, outcome = computation.taken(_PLACE) or (None, None)
    if isinstance(outcome, Failed):
        showing().error = (key, outcome.message)
    elif isinstance(outcome, Done):
        _take(outcome.result)
        if not outcome.stopped and work is not None:
            showing().search = _job(work).search  # the user may continue it


def _leave() -> None:
    """End the run in progress because another is wanted; what a long one has done is not lost."""
    work = computation.current(_PLACE)
    if work is not None and not work.error:
        job = _job(work)
        if jobs.expected(job.to_run, job.prepared).operations > jobs.UNASKED_OPERATIONS:
            showing().left.append(work)
    computation.leave(_PLACE)


def _take_what_was_left() -> None:
    """Add long runs that were left to those of this session, once they have done their last step."""
    ended = [work for work in showing().left if work.over]
    showing().left = [work for work in showing().left if not work.over]
    for finished in (_job(work).result for work in ended):
        if finished is None or finished.trace.n_sweeps == 0:
            continue
        known = next((run for run in history.runs() if history.same_run(run, finished)), None)
        is_longer = known is None or known.trace.n_sweeps < finished.trace.n_sweeps
        if is_longer and history.add(finished, is_shown=False):
            done = f"{describe(finished.config)} was stopped after {counted(finished.trace.n_sweeps, 'sweep')}"
            st.toast(escape_markdown(f"{done}; it is among the runs of this session."), icon=":material/history:")


@st.fragment(run_every=TICK_SECONDS)
def _await_what_was_left() -> None:
    """Draw the page again when runs that were left have done their last step."""
    if all(work.over for work in showing().left):
        st.rerun()


def _job(work: Work) -> Job:
    assert isinstance(work.task, Job)
    return work.task


def _take(finished: Finished) -> None:
    finished = _at_scale_of_link(knobs.like_the_picture(history.with_names(finished)))
    showing().finished = finished
    given = showing().given
    if given is not None and same_settings(*given[:2], finished.choice, finished.settings):
        showing().given = None
    finished_run.forget_point()
    history.add(finished)
    _remember(finished)


def _remember(finished: Finished) -> bool:
    """Let the address lead to a run; return whether it does."""
    return links.remember(finished.choice, finished.settings, finished.scale, finished.kept)


def _at_scale_of_link(finished: Finished) -> Finished:
    """Return a run at the scale that a link asked for, if one asked for one of this run."""
    level = links.take_scale(finished.settings)
    if level is None:
        return finished
    finished, showing().why_no_scale = scales.as_asked(finished, level)
    return finished


def _keep_up(choice: DataChoice, config: RunConfig) -> None:
    """Run again when a control moved and the run is quick; else say that the picture is older than the controls."""
    prepared = prepare(choice)
    finished = showing().finished
    same = _is_current(choice, config)
    runs = computation.current(_PLACE) is not None
    if same and not runs and finished is not None and finished.choice != choice:
        finished = showing().finished = replace(finished, choice=choice, prepared=prepared)
        history.update(finished)
    kept = _kept(choice, config)
    wanted = jobs.wanted(_PLACE, choice, config, kept=kept)
    ordered = links.take_order(config)
    there = jobs.finished_run(choice, config, kept=kept) is not None or computation.is_begun_elsewhere(wanted)
    if (
        not same
        and (ordered or there or wanted.estimate.operations < jobs.UNASKED_OPERATIONS)
        and showing().attempted != (choice, config)
    ):
        _run(choice, config)
        same = _is_current(choice, config)
    about = f"{expected_in_words(wanted.estimate)}; it can be stopped.".capitalize()
    finished = showing().finished
    unfinished = same and computation.current(_PLACE) is None and finished is not None and finished.stopped
    st.button(  # it keeps its place, unseen, while there is nothing to run
        "Run to the end" if unfinished else "The picture is up to date" if same else "Run",
        type="secondary" if same else "primary",
        icon=None if same else ":material/play_arrow:",
        disabled=same and not unfinished,
        width="stretch",
        help=about if wanted.estimate.seconds > 1 else None,
        key="run.go",
        on_click=_run,
        args=(choice, config),
    )


def _run(choice: DataChoice, config: RunConfig) -> None:
    showing().attempted = None
    _start(choice, config, _kept(choice, config))
    showing().attempted = (choice, config)  # only now: a script run that is cut short has attempted nothing


def _is_current(choice: DataChoice, config: RunConfig) -> bool:
    """Whether the run in progress, or else the one shown, has these settings, regardless of the axes shown."""
    work = computation.current(_PLACE)
    current: Job | Finished | None = showing().finished if work is None else _job(work)
    if current is None:
        return False
    made_with = current.settings if isinstance(current, Finished) else current.config
    return same_settings(current.choice, made_with, choice, config)


def same_settings(choice: DataChoice, config: RunConfig, other_choice: DataChoice, other_config: RunConfig) -> bool:
    """Whether two runs are the same, regardless of the axes shown."""
    return replace(choice, axes=()) == replace(other_choice, axes=()) and config == other_config


def _follow_scale(shown: Finished) -> Finished:
    """Show the run at the scale of a link that leads to it again, and say why a link's scale is not shown."""
    finished = _at_scale_of_link(shown)
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


def _say_what_is_wrong(choice: DataChoice, config: RunConfig) -> None:
    """Show why a run failed, or that the picture is older than the controls, and offer to run."""
    failed = showing().error
    if failed is not None and failed[0][:2] == (replace(choice, axes=()), config):
        st.error(escape_markdown(failed[1]))
        return
    if _is_current(choice, config):
        return
    nothing_yet = computation.current(_PLACE) is None and showing().finished is None
    left, right = st.columns([5, 1], vertical_alignment="center")
    if nothing_yet:
        expected = expected_in_words(jobs.expected(config, prepare(choice)))
        words = f"{describe(config)} takes {expected}, so it waits for you."
        left.info(escape_markdown(words), icon=":material/hourglass_empty:")
    else:
        only_stored = showing().attempted == (choice, config)
        left.warning(NOT_ON_CONTROLS if only_stored else PREVIOUS, icon=":material/hourglass_empty:")
    right.button("Run", key="run.stale", type="primary", width="stretch", on_click=_run, args=(choice, config))


def _heading(config: RunConfig, prepared: PreparedData, note: str = "") -> None:
    """Name the run and its data, with a note; the tooltip lists everything dropped or changed in the data."""
    if links.layout() == "min":
        return
    method = method_of(config)
    st.markdown(f"#### {escape_markdown(f'{method.title} on {prepared.dataset.title}')}")
    lesson = guide.of_runs(_PLACE, (), prepared.choice, [config])
    watch = lesson.watch if lesson else guide.off_its_data(_PLACE, prepared.choice, [config])
    n_points, n_features = (prepared.dataset if prepared.choice.mixed else prepared).X.shape
    columns = "1 column" if n_features == 1 else f"{n_features} columns"
    notes = "\n\n".join(escape_markdown(note) for note in prepared.notes)
    n_rows = int(prepared.clustered.incomplete.sum())
    gaps = f" {n_rows:,} of them have missing cells, drawn at the mean of their column." if n_rows else ""
    codes = escape_markdown(said_of_codes([config], prepared))
    st.caption(f"{n_points:,} points × {columns}.{gaps} {codes} {watch} {escape_markdown(note)}", help=notes or None)


def _watch(work: Work) -> None:
    """Show a run in progress."""
    job = _job(work)
    _heading(job.config, job.prepared)

    turned, pictures = knobs.is_of_a_knob(job.config), Unhurried[tuple[Named, Trace]]()

    def pictured(trace: Trace) -> tuple[Named, Trace]:
        shown = panel(job.prepared, trace, trace.config, describe(job.config), live=True)
        return Named(build_payload([shown], partial=True, progress=job.stages()[0].words)), trace

    def draw(trace: Trace | None) -> None:
        if trace is None:
            if turned:
                finished_run.show_before(knobs.facts(job.problem.config, job.prepared, "running"))
            return
        newest = trace
        payload, trace = pictures.latest(lambda: pictured(newest))
        finished_run.show_live(payload, trace, knobs.facts(trace.config, job.prepared, "running"))

    n_points = len(job.prepared.X)
    watch(work, draw, key="stop", below=turned, every=max(TICK_SECONDS, n_points / POINTS_A_SECOND))


def _show_finished(finished: Finished) -> None:
    """Show a finished run."""
    finished_run.show(
        finished_run.Callbacks(
            _heading, _remarks, _open_lesson, _show_again, _edited, _offer_more_search, _offer_to_watch
        )
    )


def _remarks(finished: Finished) -> None:
    """Say below the heading what is particular about a run, in one paragraph, so that the picture begins high."""
    trace, config = finished.trace, finished.config
    accepted = acceptance_in_words(trace)
    choice = _choice_in_words(finished) if finished.settings.is_automatic and not finished.stopped else ""
    kept = finished.kept is not None and links.layout() != "min"
    said = [
        recorded_in_words(trace),
        "" if finished.scale is None else f"{scales.joined_in_words(finished.scale)}.",
        "Stopped early: these are the sweeps that were done." if finished.stopped else "",
        "" if kept else choice,
        _moves_in_words(trace) if trace.moves else "",
        "" if config.directions is None else _along(finished),
        "" if config.transform is None else _by_powers(finished),
        f"Splits and merges: {accepted}." if accepted else "",
    ]
    if kept:
        _offer_to_choose(finished, choice)
    if shown := " ".join(filter(None, said)):
        st.caption(escape_markdown(shown))
    if links.layout() != "min":
        offer(finished.choice, finished.exact_settings, _PLACE, len(np.unique(finished.trace.result_labels)))
        transform_offer.offer(finished.choice, finished.exact_settings, _PLACE)
        if config.transform is not None and finished.settings.transform == AUTOMATIC:
            transform_offer.offer_as_they_are(finished.choice, finished.exact_settings, finished.settings, _PLACE)
        if config.directions is not None and finished.settings.directions == ANY:
            offer_columns(finished.choice, finished.exact_settings, finished.settings, _PLACE)


def _offer_to_choose(finished: Finished, said: str) -> None:
    """Say which model a run has from another, and offer to choose it again."""
    with st.container(horizontal=True, vertical_alignment="center", key="kept"):
        st.caption(escape_markdown(said), width="content")
        st.button(
            "Choose the model again",
            key="run.choose",
            type="tertiary",
            icon=":material/refresh:",
            help=CHOOSE_AGAIN,
            on_click=_choose_again,
            args=(finished,),
            width="content",
        )


def _choose_again(finished: Finished) -> None:
    """Choose the model for the settings of a run that has one of others."""
    finished_run.request_full_rerun()
    run_controls.apply(finished.settings, finished.choice)
    _give(finished.choice, finished.settings, None)
    _run(finished.choice, finished.settings)


def _by_powers(finished: Finished) -> str:
    """Say which columns a run transformed, what that gained, and in which units the numbers of the page are."""
    said = powers_in_words(finished.config.transform, finished.prepared.clustered.feature_names)
    found = [note.removeprefix(TRANSFORMED).rstrip(".") for note in finished.notes if note.startswith(TRANSFORMED)]
    said = found[0] if found else said
    return f"Columns are transformed: {said}. Costs and densities are those of the columns, shapes their middle 95 %."


def _along(finished: Finished) -> str:
    """Say what a run in some directions shows."""
    q = finished.config.directions
    assert finished.problem.directions is not None
    others = finished.problem.directions.n_others
    independent = finished.config.family == "normal_gamma" and not others
    differ = "are independent" if independent else "differ"
    said = f"Clusters {differ} along {counted(q, 'direction')} of the columns"
    return f"{said}; along the other {others} all points are one Gaussian." if others else f"{said}, all that vary."


def recorded_in_words(trace: Trace) -> str:
    """Say how many sweeps' clusters were recorded and are shown, unless all are."""
    n_shown, n_recorded = len(shown_rows(trace)), len(trace.labels)
    if trace.stride > 1:
        every = trace.stride * trace.config.thin if trace.is_chain else trace.stride
        shown = "" if n_shown == n_recorded else f", of which {n_shown:,} are shown"
        return (
            f"Clusters are recorded of one sweep in {every:,}, of the result and of the last two: {n_recorded:,} of "
            f"{counted(trace.n_sweeps, 'sweep')}{shown}; the curves have all."
        )
    if n_shown < n_recorded:
        return f"{n_shown:,} of {n_recorded:,} recorded sweeps are shown; the curves have all."
    return ""


def _offer_to_watch(finished: Finished) -> None:
    """Offer a start that has all to find if the best start was final already, so that nothing moves."""
    options = ALGORITHMS[finished.config.algorithm].options
    if final_start_in_words(finished.trace) and INIT_CLUSTERS in options:
        st.button(
            "Watch it from a random start",
            key="run.random",
            icon=":material/play_arrow:",
            on_click=_watch_from_random,
            args=(finished,),
            help="Runs again, from points that are in clusters at random; what it finds may differ.",
        )


def _watch_from_random(finished: Finished) -> None:
    # from one cluster, many a run never moves a point; twice the clusters found leave something to merge
    n_clusters = min(2 * int(finished.trace.n_clusters[-1]), len(finished.prepared.X))
    config = replace(finished.settings, init="random", init_clusters=n_clusters, n_init=10)
    finished_run.request_full_rerun()
    run_controls.apply(config, finished.choice)
    finished_run.open_next_at_start(plays=True)
    _run(finished.choice, config)


def _choice_in_words(finished: Finished) -> str:
    """Say what short runs chose, and what ruled out other choices."""
    names = finished.prepared.clustered.feature_names
    notes = [note for note in finished.notes if not note.startswith(TRANSFORMED)]  # said by itself
    return " ".join([f"Chosen by nll: {words_for(replace(finished.config, transform=None), names)}.", *notes])


def _offer_more_search(finished: Finished) -> None:
    """Say why an iterated search ended, and offer to continue it."""
    config, trace = finished.config, finished.trace
    if finished.stopped or not trace.converged or not ALGORITHMS[config.algorithm].improves(config):
        return
    ended = "its budget was spent" if trace.search_exhausted else "searches from different starts agreed on this result"
    work = counted(trace.n_trial_sweeps, "sweep")
    words = f"The search for a lower cost ended because {ended}; it did the work of {work}."
    longer = replace(config, effort=max(LONGER * config.effort, 1.0))
    st.button(
        "Search longer",
        key="run.longer",
        icon=":material/more_time:",
        on_click=_search_longer,
        args=(finished.choice, longer),
        help=f"Goes on from here until it has done {LONGER:g} times as much.",
    )
    st.caption(words)


def _search_longer(choice: DataChoice, config: RunConfig) -> None:
    finished_run.request_full_rerun()
    run_controls.apply(config, choice)
    _run(choice, config)


def _moves_in_words(trace: Trace) -> str:
    """Say which sweeps moved whole clusters."""
    first, last = trace.moves[0][0], trace.moves[-1][0]
    sweeps = f"Sweep {first}" if first == last else f"Sweeps {first} to {last}"
    return f"{sweeps} moved whole clusters, since single points could no longer lower the nll: {moves_in_words(trace)}."


def _edited(finished: Finished, state: PlayerState) -> None:
    """Continue the run from its present clusters after points were dragged or painted."""
    try:
        moved_on = edits.gone_on(finished, state)
    except DpvizError:  # the method cannot continue from these clusters, so it starts over
        moved_on = None
    finished_run.open_next_at_start(plays=True)
    if moved_on is None:
        st.rerun()
    _show_again(moved_on)


def _show_again(finished: Finished) -> None:
    """Show a run that exists already; the controls follow in the next script run, before they are drawn."""
    showing().restored = finished
    st.rerun()


def _back_to(finished: Finished) -> None:
    """Restore data, controls and picture of an earlier run."""
    state.choose_data(finished.choice)
    run_controls.apply(finished.settings, finished.choice)
    if finished.scale is not None:
        state.put({scales.ORDER: finished.scale.tree.order})
    _leave()
    finished_run.forget_point()
    showing().finished = finished
    showing().attempted = (finished.choice, finished.settings)
    _remember(finished)
