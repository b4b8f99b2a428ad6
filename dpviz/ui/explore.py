"""The Explore page: choose data and a method, watch the run, ask why a point is where it is, take the result away."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpviz.config import RunConfig
from dpviz.datasets.tables import escape_markdown
from dpviz.engine.slow_motion import SlowMotion, slow_motion
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.ui import history, jobs, links, memory, methods, take_away, why
from dpviz.ui.beliefs import show_beliefs
from dpviz.ui.choice import DataChoice, PreparedData, prepare
from dpviz.ui.data_sidebar import data_controls
from dpviz.ui.jobs import Finished, Job
from dpviz.ui.player import build_payload, player
from dpviz.ui.presets import PRESETS, Preset
from dpviz.ui.stage import panel, shown_rows

_RESULT, _JOB, _POINT, _SLOW = "finished run", "job", "why point", "slow motion"
_STARTED, _PAYLOAD = "explore started", "explore payload"
SLICE_SECONDS = 0.15
"""How long a running job computes between two pictures."""


def show() -> None:
    """Draw the page."""
    _start_with_a_lesson()
    stored = st.session_state.pop("stored run", None)
    if stored is not None:
        _back_to(stored)
        history.add(stored)
    with st.sidebar:
        _preset_gallery()
        choice = data_controls()
        try:
            prepared = prepare(choice)
            config = methods.run_controls(prepared)
            show_beliefs(prepared, config)
        except DpvizError as error:
            st.error(str(error))
            return
        _keep_up(choice, config)
    job: Job | None = st.session_state.get(_JOB)
    if job is not None:
        _watch(job.choice, job.config)
        return
    finished: Finished | None = st.session_state.get(_RESULT)
    if finished is None:
        st.info("Press **Run** in the sidebar.", icon=":material/play_arrow:")
        return
    _stage(finished)


def _start_with_a_lesson() -> None:
    """Open with the first lesson set up, unless a link or another page set something else up."""
    if _STARTED in st.session_state:
        return
    st.session_state[_STARTED] = True
    if not any(key in st.query_params for key in ("data", "run")) and memory.chosen_data() == DataChoice():
        _use_preset(PRESETS[0])


def _use_preset(preset: Preset) -> None:
    memory.choose_data(preset.choice)
    methods.apply(preset.config, preset.choice)
    st.session_state["watch"] = preset.watch
    st.session_state["watch choice"] = preset.choice
    _start(preset.choice, preset.config)


def _preset_gallery() -> None:
    """Offer the lessons; the first insight is one click away."""
    with st.popover("Lessons", icon=":material/school:", width="stretch"):
        for number, preset in enumerate(PRESETS):
            st.button(preset.title, key=f"preset.{number}", on_click=_use_preset, args=(preset,), width="stretch")
            st.caption(preset.watch)


def _start(choice: DataChoice, config: RunConfig) -> None:
    """Begin a run; what another session finished, or takes an instant, is there at once."""
    st.session_state.pop(_JOB, None)
    known = jobs.finished_run(choice, config)
    if known is not None:
        _take(known)
        return
    try:
        job = Job(choice, config)
        finished = job.advance(2 * SLICE_SECONDS)
    except DpvizError as error:
        st.session_state["run error"] = str(error)
        return
    if finished is not None:
        _take(finished)
    else:
        st.session_state[_JOB] = job


def _take(finished: Finished) -> None:
    st.session_state[_RESULT] = finished
    st.session_state.pop(_POINT, None)
    history.add(finished)
    links.remember(finished.choice, finished.config)


def _keep_up(choice: DataChoice, config: RunConfig) -> None:
    """Run again when a control moved and the run is quick; else say that the picture is older than the controls."""
    finished: Finished | None = st.session_state.get(_RESULT)
    job: Job | None = st.session_state.get(_JOB)
    current = job or finished
    same_run = current is not None and replace(current.choice, axes=()) == replace(choice, axes=())
    same_run = same_run and current is not None and current.config == config
    if same_run and job is None and finished is not None and finished.choice != choice:
        st.session_state[_RESULT] = replace(finished, choice=choice, prepared=prepare(choice))
    seconds = jobs.estimate_seconds(prepare(choice).X.shape, config)
    quick = seconds < jobs.QUICK_SECONDS
    attempted = st.session_state.get("attempted")
    if not same_run and quick and attempted != (choice, config):
        st.session_state["attempted"] = (choice, config)
        _start(choice, config)
        same_run = True
    label = "Run again" if same_run else "Run"
    help_text = None if quick else f"About {seconds:.0f} s." if seconds > 1 else None
    if st.button(label, type="secondary" if same_run else "primary", width="stretch", help=help_text, key="run.go"):
        st.session_state["attempted"] = (choice, config)
        _start(choice, config)
        same_run = True
    error = st.session_state.pop("run error", None)
    if error:
        st.error(error)
    elif not same_run and current is not None:
        st.warning("The picture shows the previous settings. Press Run.", icon=":material/hourglass_empty:")


def _heading(config: RunConfig, prepared: PreparedData) -> None:
    """Say what is shown; everything dropped or changed in the data is in the tooltip."""
    st.markdown(f"#### {escape_markdown(methods.describe(config))}")
    watch = st.session_state.get("watch") if st.session_state.get("watch choice") == prepared.choice else None
    n_points, n_features = prepared.X.shape
    columns = "1 column" if n_features == 1 else f"{n_features} columns"
    about = f"{escape_markdown(prepared.dataset.title)}, {n_points:,} points × {columns}"
    notes = "\n\n".join(escape_markdown(note) for note in prepared.notes)
    st.caption(f"{about}. {watch or ''}", help=notes or None)


def _watch(choice: DataChoice, config: RunConfig) -> None:
    """Show a job while it runs."""
    prepared = prepare(choice)
    _heading(config, prepared)

    @st.fragment(run_every=0.4)
    def running() -> None:
        job: Job | None = st.session_state.get(_JOB)
        if job is None:
            return
        finished = job.advance(SLICE_SECONDS)
        if finished is not None:
            st.session_state.pop(_JOB)
            _take(finished)
            st.rerun()
        fraction, words = job.progress
        left, right = st.columns([5, 1], vertical_alignment="center")
        left.progress(fraction, text=words)
        if right.button("Stop", icon=":material/stop:", key="stop", width="stretch"):
            st.session_state.pop(_JOB)
            _take(job.stop())
            st.rerun()
        trace = job.partial_trace()
        shown = panel(
            job.prepared, trace, job.config, methods.describe(job.config), with_shapes=len(trace.labels) < 100
        )
        player(build_payload([shown], partial=True, progress=words), key="explore player", height=_height())

    running()


def _height() -> int:
    return 640 if links.layout() == "present" else 480


def _stage(finished: Finished) -> None:
    """Show a finished run: the player, and beside it what was asked."""
    _heading(finished.config, finished.prepared)
    rows = shown_rows(finished.trace)
    if len(rows) < len(finished.trace.labels):
        st.caption(f"{len(rows):,} of {len(finished.trace.labels):,} recorded sweeps are shown; the curves have all.")
    if finished.stopped:
        st.caption("Stopped early: these are the sweeps that were done.")

    @st.fragment
    def stage() -> None:
        ghosts = history.ghosts(finished)
        payload = _payload(finished, ghosts)
        state = player(payload, key="explore player", sweep=links.take_sweep(), height=_height())
        st.session_state["shown sweep"] = min(state.sweep, finished.trace.n_sweeps)
        if state.point is not None:
            st.session_state[_POINT] = (state.point.index, state.point.sweep)
        left, right = st.columns([3, 2], gap="large")
        with left:
            _explain(finished)
        with right:
            _slow_motion_control(finished)
            history.show(finished, _back_to)
            take_away.show(finished, payload, st.session_state["shown sweep"], _show_stored)

    stage()


def _slow_motion_control(finished: Finished) -> None:
    """Offer to replay the sweep at the playhead visit by visit."""
    sweep = max(int(st.session_state.get("shown sweep", 0)), 1)
    if finished.trace.n_sweeps == 0 or finished.config.algorithm == "em":
        return
    held = _slow_motion_of(finished)
    words = f"Prepare slow motion of sweep {sweep}" if held is None or held.sweep != sweep else "Slow motion is ready"
    if st.button(words, icon=":material/slow_motion_video:", key="slow", disabled=words.startswith("Slow")):
        try:
            replayed = slow_motion(finished.prepared.X, finished.trace, sweep)
        except DpvizError as error:
            st.warning(str(error))
            return
        st.session_state[_SLOW] = (finished.trace, replayed)
        st.rerun(scope="fragment")


def _slow_motion_of(finished: Finished) -> SlowMotion | None:
    held = st.session_state.get(_SLOW)
    return held[1] if held is not None and held[0] is finished.trace else None


def _payload(finished: Finished, ghosts: list[tuple[str, Trace]]) -> bytes:
    """Build the payload once per picture."""
    slow = _slow_motion_of(finished)
    ghost_names = tuple(name for name, _ in ghosts)
    key = (id(finished.trace), finished.choice, ghost_names, id(slow), tuple(finished.names.items()))
    held = st.session_state.get(_PAYLOAD)
    if held is None or held[0] != key:
        shown = panel(
            finished.prepared,
            finished.trace,
            finished.config,
            methods.describe(finished.config),
            ghosts=ghosts,
            slow=slow,
        )
        held = (key, build_payload([shown]), finished, slow)
        st.session_state[_PAYLOAD] = held
    payload: bytes = held[1]
    return payload


def _explain(finished: Finished) -> None:
    """Show why the clicked point is where it is, or invite a click."""
    point = st.session_state.get(_POINT)
    if point is None or point[0] >= len(finished.prepared.X):
        st.info("Click a point to see why it is where it is.", icon=":material/ads_click:")
        return
    index, sweep = point
    try:
        why.show(finished, finished.shown_sweep(sweep), index)
    except DpvizError as error:
        st.warning(str(error))


def _show_stored(stored: bytes, finished: Finished) -> None:
    """Show a run that was stored as JSON, with the controls set to what made it."""
    try:
        loaded = take_away.load_run(stored, finished)
    except DpvizError as error:
        st.error(str(error))
        return
    st.session_state["stored run"] = loaded
    st.rerun()


def _back_to(finished: Finished) -> None:
    """One click back to an earlier run of this session."""
    memory.choose_data(finished.choice)
    methods.apply(finished.config, finished.choice)
    st.session_state.pop(_JOB, None)
    st.session_state.pop(_POINT, None)
    st.session_state[_RESULT] = finished
    st.session_state["attempted"] = (finished.choice, finished.config)
