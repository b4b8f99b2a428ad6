"""A finished run: the player, and the panels that follow its playhead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dpviz.engine.algorithms.base import describe
from dpviz.engine.hyperparameters import with_partition
from dpviz.engine.slow_motion import slow_motion
from dpviz.engine.trace import Trace
from dpviz.engine.trace_words import final_start_in_words
from dpviz.engine.transforms import predictive_of
from dpviz.engine.visits import SlowMotion
from dpviz.errors import DpvizError
from dpviz.player import build_payload
from dpviz.player.run_panel import panel
from dpviz.text import escape_markdown
from dpviz.ui.controls import opinion
from dpviz.ui.explore import (
    cluster_names,
    edits,
    export_panel,
    imputed,
    learned,
    loading,
    profiles,
    why,
)
from dpviz.ui.explore.remarks import heading, offer_more_search, offer_to_watch, remarks
from dpviz.ui.explore.result_words import result_in_words
from dpviz.ui.explore.running import open_lesson, remember, show_again
from dpviz.ui.explore.showing import Opened, showing
from dpviz.ui.player import Named, PlaceEvent, PlayerState, Pull, answer_why, player
from dpviz.ui.session import history, jobs
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.scale import Scale
from dpviz.ui.session.state import remade
from dpviz.ui.shell import links
from dpviz.ui.stage import guide, scales

PLAYER = "explore player"
STYLE = """
.stMain .stSpinner {padding-top: 0.75rem}
.stMain [data-testid="stLayoutWrapper"]:has(> .st-key-run button:disabled) {display: none}
.stMain .st-key-run-kept {gap: 0 0.5rem}
.stMain .st-key-run-choose button {min-height: 0; padding-block: 0}
.stMain .st-key-head > :first-child {flex: 1 1 20rem}
.stMain .st-key-head:has(.st-key-guide) > :last-child {flex: 0 1 auto; width: auto}
.stMain .st-key-explore-player {min-height: min(100dvh - 12.5rem, 65vw + 7rem)}
@media (max-width: 40rem) {
  .stMain .st-key-head {flex-direction: column; align-items: stretch}
  .stMain .st-key-head > :first-child {flex: none; width: 100%}
  .stMain .st-key-explore-player {min-height: min(100dvh - 19rem, 150vw)}
}
"""
"""The button onwards stands beside the heading where there is room, so that the picture begins higher.

The player's place is kept before the browser has made it, so that what is below does not jump.
"""
PAYLOADS: Kept[bytes] = Kept(200_000_000)
"""Player payloads of runs that are shared between sessions."""


def show_live(payload: bytes, trace: Trace, facts: Mapping[str, Any] | None) -> None:
    """Show a run in progress."""
    state = player(payload, key=PLAYER, scale=links.player_scale(), live=facts)
    showing().sweep = state.sweep
    showing().opened = Opened(trace, state.sweep, live=True)


def show_before(facts: Mapping[str, Any] | None) -> None:
    """Show the run before until the one in progress has a picture: a player that goes takes with it what it drew."""
    finished = showing().finished
    if finished is not None:
        player(_payload(finished, history.ghosts(finished)), key=PLAYER, scale=links.player_scale(), live=facts)


def opening_sweep(finished: Finished) -> int | None:
    """Sweep at which a run opens; None for the run that is open already.

    The link's sweep, if there is one; the first sweep after ``open_next_at_start``; of a run that was watched live
    the sweep where the reader left it; else the same fraction as in the previous run, and the last sweep if the
    playhead of that was at either end.
    """
    last = finished.trace.n_sweeps
    page, asked = showing(), links.take_sweep()
    if asked is None:
        asked, page.jump = page.jump, None
    first, page.from_start = page.from_start, False
    before = page.opened
    if asked is not None:
        return min(asked, last)
    if before is not None and before.trace is finished.trace:
        return None
    if first:
        return 0
    if before is None:
        return last
    at_an_end = before.sweep in (0, before.trace.n_sweeps)
    if at_an_end:
        return last
    return min(before.sweep, last) if before.live else round(before.sweep / before.trace.n_sweeps * last)


@st.fragment
def show() -> None:
    """Draw the player and the panels that follow its playhead; only this fragment reruns when the reader uses them."""
    page = showing()
    if page.redraws_all:
        st.rerun()
    finished = page.finished
    assert finished is not None
    begins, page.begins = page.begins, ""
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        with st.container():
            note = f"{result_in_words(finished)} {final_start_in_words(finished.trace)}"
            heading(finished.config, finished.prepared, note)
        onwards = st.container(width="content", key="onwards")
    remarks(finished)
    if links.layout() != "min":
        guide.warn_of_small_clusters(finished)  # before the player, which it would push down
    payload = _payload(finished, history.ghosts(finished))
    state = player(
        payload,
        key=PLAYER,
        sweep=opening_sweep(finished),
        start=begins,
        scale=links.player_scale(),
        pulls=None if _why_no_pulls(finished) else lambda place: _pulls_or_warning(finished, place),
        editable=edits.is_editable(finished),
        live=edits.of_finished(finished),
    )
    sweep = min(state.sweep, finished.trace.n_sweeps)
    page.sweep = sweep
    page.opened = Opened(finished.trace, sweep, live=False)
    if links.layout() != "min":
        with onwards:
            offer_to_watch(finished)
            guide.show(finished, open_lesson, seen=sweep == finished.trace.n_sweeps)
    if state.moved is not None or state.painted is not None:
        _edited(finished, state)
    if state.point is not None:
        page.point = state.point.index
    if links.layout() == "min":
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        _explain(finished, sweep)
    with right:
        offer_more_search(finished)
        opinion.show(finished)
        _slow_motion_control(finished, sweep)
    scales.show(finished, _keep_scale)
    learned.show(finished)
    with st.expander("More: profiles, names, earlier runs, report, files", key="explore.more"):
        profiles.show(finished, sweep)
        imputed.show(finished)
        cluster_names.show(finished, sweep, _keep_names)
        history.show(finished, show_again)
        export_panel.show(finished, payload, sweep, _show_stored)


def _edited(finished: Finished, state: PlayerState) -> None:
    """Continue the run from its present clusters after points were dragged or painted."""
    try:
        moved_on = edits.gone_on(finished, state)
    except DpvizError:  # the method cannot continue from these clusters, so it starts over
        moved_on = None
    showing().open_next_at_start(plays=True)
    if moved_on is None:
        st.rerun()
    show_again(moved_on)


def _keep_names(named: Finished) -> None:
    showing().finished = named
    history.update(named)


def _keep_scale(scale: Scale | None) -> None:
    """Show the result with clusters joined, and the playhead at it."""
    shown = showing().finished
    assert shown is not None
    joined = replace(shown, scale=scale)
    _keep_names(joined)
    remember(joined)
    if not joined.is_joined(showing().sweep):
        showing().jump = joined.trace.result_sweep


# --- explanations of a point or a place ------------------------------------------------------------------------------


def _explain(finished: Finished, sweep: int) -> None:
    """Explain the clicked point at the playhead, or invite a click; say what cannot be explained."""
    algorithm, no_pulls = finished.problem.algorithm, _why_no_pulls(finished)
    point = showing().point
    may_ask = ["a point to see why it is where it is"] * (algorithm.costs is not None)
    may_ask += ["the empty plane to see which clusters would attract a point there"] * (not no_pulls)
    asked = algorithm.costs is not None and point is not None and point < len(finished.prepared.X)
    if not asked:
        answer_why(PLAYER)
    if asked and point is not None:
        at = finished.shown_sweep(sweep)
        try:
            why.show(finished, at, point, lambda title, bars: answer_why(PLAYER, point, at, title, bars))
        except DpvizError as error:
            st.warning(escape_markdown(str(error)))
    elif may_ask:
        st.info(f"Click {', or '.join(may_ask)}.", icon=":material/ads_click:")
    if algorithm.costs is None:
        st.caption(f"No “why here?”: {escape_markdown(algorithm.title)} does not explain single assignments.")
    if no_pulls and algorithm.uses_model:
        st.caption(f"The empty plane cannot be asked: {escape_markdown(no_pulls)}")


def _why_no_pulls(finished: Finished) -> str:
    """Say so, once per run that is shown."""
    return remade("explore pulls", finished, lambda: why_no_pulls(finished))


def why_no_pulls(finished: Finished) -> str:
    """Say why a place in the plane has no pulls: no model weighs it, or it is no possible point; empty if it has."""
    problem, n_columns = finished.problem, finished.prepared.X.shape[1]
    if not problem.algorithm.uses_model:
        return f"{problem.algorithm.title} has no model that weighs a new point in the plane."
    if problem.family.kind != "real":
        return f"data of the kind {problem.family.kind} do not fill a plane, so a place in it is no possible point."
    if n_columns > 2:
        return f"the plane shows 2 of {n_columns} dimensions, so a place in it is no whole point."
    if len(finished.prepared.display().directions) != n_columns:
        return "the picture shows fewer dimensions than the data have, so a place in it is no whole point."
    return ""


def _pulls_or_warning(finished: Finished, place: PlaceEvent) -> list[Pull]:
    """Return the pulls at a place; none, with a warning on the page, if the model cannot weigh a point there."""
    try:
        return pulls_at(finished, place)
    except DpvizError as error:
        st.warning(f"No cluster can be weighed at this place: {escape_markdown(str(error))}")
        return []


def pulls_at(finished: Finished, place: PlaceEvent) -> list[Pull]:
    """Prior weight (its size, or N0) and log predictive of every cluster, and of a new one, at a place in the plane."""
    sweep = finished.shown_sweep(place.sweep)
    labels = finished.trace.labels_at(sweep)
    display = finished.prepared.display(labels)
    spot = np.array([place.x, place.y][: len(display.directions)])
    point = (spot @ np.linalg.inv(display.directions).T + display.origin)[None, :]
    used, codes = np.unique(labels, return_inverse=True)  # some algorithms keep clusters without points
    problem = with_partition(finished.problem, finished.trace.partition_at(sweep))
    predictive = predictive_of(problem, codes)
    fits = predictive.log_predictives(point)[0]
    weights = np.exp(predictive.log_seat_weights)
    tracks = [finished.number(int(label), sweep) - 1 for label in used] + [-1]
    return [Pull(track, float(w), float(fit)) for track, w, fit in zip(tracks, weights, fits, strict=True)]


# --- slow motion ------------------------------------------------------------------------------------------------------


def _slow_motion_control(finished: Finished, sweep: int) -> None:
    """Offer to replay the sweep at the playhead visit by visit."""
    trace, sweep = finished.trace, max(sweep, 1)
    reason = finished.problem.algorithm.why_no_slow_motion(finished.config)
    if trace.n_sweeps == 0 or reason:
        if reason:
            st.caption(f"No slow motion: {escape_markdown(reason)}")
        return
    begins_shown = sweep - 1 in trace.label_sweeps[finished.shown_rows]
    st.button(
        f"Slow motion of sweep {sweep}",
        icon=":material/slow_motion_video:",
        key="slow",
        help="Replay this sweep visit by visit: the point, the cost of every cluster, and where the point goes."
        if begins_shown
        else f"It would begin with the clusters of sweep {sweep - 1}, which are not shown.",
        disabled=sweep > trace.n_point_sweeps or not begins_shown,
        on_click=_begin_slow_motion,
        args=(finished, sweep),
    )
    if trace.n_accepted is not None and trace.n_accepted[sweep]:
        moves = "1 split or merger" if trace.n_accepted[sweep] == 1 else f"{trace.n_accepted[sweep]} splits and mergers"
        st.caption(f"Slow motion shows the visits; {moves} of whole clusters came after them in this sweep.")
    why_not, showing().why_not_slow = showing().why_not_slow, ""
    if why_not:
        st.warning(escape_markdown(why_not))


def _begin_slow_motion(finished: Finished, sweep: int) -> None:
    try:
        showing().slow = (finished.trace, slow_motion(finished.prepared.X, finished.trace, sweep))
        showing().begins = "slow"
    except DpvizError as error:
        showing().why_not_slow = str(error)


def _slow_motion_of(finished: Finished) -> SlowMotion | None:
    held = showing().slow
    return held[1] if held is not None and held[0] is finished.trace else None


# --- the payload ------------------------------------------------------------------------------------------------------


def _payload(finished: Finished, ghosts: list[tuple[str, Trace]]) -> bytes:
    """Build the payload once per picture; sessions that show a shared run without additions share one."""
    slow, like = _slow_motion_of(finished), finished.like
    plain = slow is None and not finished.names and finished.scale is None
    if not ghosts and plain and jobs.SHARED.holds(finished):
        colored = b"" if like is None else like.tobytes()
        return PAYLOADS.get((finished.choice, finished.digest, colored), lambda: _built(finished, [], None))
    of = (finished.trace, finished.choice, ghosts, slow, finished.names, finished.scale, id(like), like)
    return remade("explore payload", of, lambda: _built(finished, ghosts, slow))


def _built(finished: Finished, ghosts: list[tuple[str, Trace]], slow: SlowMotion | None) -> Named:
    shown = panel(
        finished.prepared,
        finished.trace,
        describe(finished.config),
        ghosts=ghosts,
        slow=slow,
        names=finished.names,
        tracks=finished.label_tracks,
    )
    return Named(build_payload([finished.in_player(shown)]))


def _show_stored(stored: bytes, finished: Finished) -> None:
    """Show a run that was stored as JSON, and set the controls to its settings."""
    try:
        loaded = loading.load_run(stored, finished)
        loaded, showing().why_no_scale = loading.joined_as_stored(stored, loaded)
    except DpvizError as error:
        st.error(escape_markdown(str(error)))
        return
    show_again(loaded)
