"""The Data page: four ways to get data, their preparation, and views of them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import streamlit as st

from dpviz.errors import DpvizError
from dpviz.ui.controls.data_controls import default_scaling, say_dropped
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.drawing import draw_form
from dpviz.ui.data.look import GRID, show_look, show_points
from dpviz.ui.data.own import whereabouts
from dpviz.ui.data.preparation import plain, show_view, view_controls
from dpviz.ui.data.sources import bundled_form, errors_shown, show_choice, synthesize_form
from dpviz.ui.data.upload import load_form
from dpviz.ui.session import drawn, state
from dpviz.ui.session.chosen_data import DataChoice, keeping_gaps, prepare
from dpviz.ui.shell import links
from dpviz.ui.shell.page_link import write

SYNTHESIZE, BUNDLED, LOAD, DRAW = "Synthesize", "Bundled", "Load", "Draw"
_ASKED = {"load": LOAD, "draw": DRAW}
"""Ways that an address may ask for."""
_WAY, _SHOWN, _CANDIDATES = "data way", "data shown", "data candidates"


def show() -> None:
    """Show the page; errors appear where they occur, and the data chosen before stay chosen."""
    st.markdown("#### Data")
    st.caption("Choose what to cluster. Every page shows the data chosen here.")
    say_dropped()
    _follow(state.chosen_data())
    if drawn.canvas_asked():
        state.put({_WAY: DRAW})
    asked = _ASKED.get(st.query_params.get("way", ""))
    if asked is not None:
        state.put({_WAY: asked})
        write({"way": None})
    way = segments("How to get data", _WAY, [SYNTHESIZE, BUNDLED, LOAD, DRAW])
    above = st.container() if way == LOAD else None  # a table needs the whole width
    left, right = st.columns(GRID, gap="large")
    leads_on = False
    with above or left, errors_shown():
        leads_on = _choose(way)
    if not _is_of(way, state.chosen_data()):
        links.remember(state.chosen_data())
        if way == DRAW:
            with right:
                _await_drawing()
        return
    if above:
        above.divider()
    with left, errors_shown(), _announced():
        _prepare_controls()
    with right, errors_shown():
        prepared = prepare(state.chosen_data())
        show_points(prepared)
        n_rows = int(prepared.clustered.incomplete.sum())
        if n_rows:
            place = "Among the points a missing cell stands at the mean of its column."
            st.caption(f"{n_rows:,} of {len(prepared.X):,} rows have missing cells and are kept. {place}")
        if not leads_on:
            links.explore_button("data explore")
        _say_link(prepared.choice)
    with errors_shown():
        _look()


def _is_of(way: str, choice: DataChoice) -> bool:
    """Whether data were got in a way: others, beside what is to come, would be taken for it."""
    if way == DRAW:
        return drawn.in_use(choice)
    return way != LOAD or (choice.source == "session" and not drawn.in_use(choice))


def _follow(choice: DataChoice) -> None:
    """Set all controls to data chosen elsewhere: by a link, a preset, a button, another page."""
    if st.session_state.get(_SHOWN) == choice:
        return
    ways = {"synthetic": SYNTHESIZE, "bundled": BUNDLED, "session": DRAW if drawn.in_use(choice) else LOAD}
    state.put({_WAY: ways[choice.source]})
    show_choice(choice)
    show_view(choice)
    st.session_state[_CANDIDATES] = {}
    st.session_state[_SHOWN] = choice


def _choose(way: str) -> bool:
    """Show the form of a source, and apply changes of its controls; return whether it leads on to Explore."""
    choice = state.chosen_data()
    if way == LOAD:
        return load_form(choice)
    if way == DRAW:
        in_use = drawn.in_use(choice)
        new = draw_form(choice)
        _take(replace(new, scaling=choice.scaling if in_use else "none"), keep_view=in_use)
    else:
        _offer(synthesize_form() if way == SYNTHESIZE else bundled_form())
    return False


def _announced() -> AbstractContextManager[None]:
    """Say that a reader's own table, which may be large, is prepared; others are at once, and nothing is to move."""
    is_own = state.chosen_data().source == "session"
    return st.spinner("Preparing these data …") if is_own else nullcontext()


def _offer(candidate: DataChoice) -> None:
    """Choose a candidate as soon as a control changes; otherwise offer it with a button."""
    choice = state.chosen_data()
    candidates: dict[str, DataChoice] = st.session_state[_CANDIDATES]
    before = candidates.get(candidate.source, candidate)
    candidates[candidate.source] = candidate
    if plain(candidate) == plain(choice):
        return
    same_set = (candidate.source, candidate.name) == (choice.source, choice.name)
    scaling = choice.scaling if same_set else default_scaling(candidate.name)
    with st.spinner("Preparing the data …"):
        prepare(candidate)
    if before != candidate:
        _take(replace(candidate, scaling=scaling), keep_view=same_set)
    else:
        st.button(
            "Use these data",
            type="primary",
            key=f"data use {candidate.source}",
            on_click=state.choose_data,
            args=(replace(candidate, scaling=scaling),),
        )


def _take(candidate: DataChoice, keep_view: bool) -> None:
    choice = state.chosen_data()
    if plain(candidate) == plain(choice):
        return
    if keep_view:
        view = {
            "n_components": choice.n_components,
            "whiten": choice.whiten,
            "axes": choice.axes,
            "gaps": choice.gaps,
            "fill": choice.fill,
            "directions": choice.directions if isinstance(choice.directions, int) else 0,
            "transform": choice.transform if isinstance(choice.transform, str) else "",
        }
        candidate = replace(candidate, **view)  # type: ignore[arg-type]
        candidate = keeping_gaps(candidate) if candidate.source == "synthetic" else candidate
    state.choose_data(candidate)
    show_view(candidate)
    st.session_state[_SHOWN] = candidate


def _prepare_controls() -> None:
    st.markdown("**Before clustering**")
    choice = state.chosen_data()
    try:
        dataset = prepare(replace(plain(choice), gaps=choice.gaps)).dataset
    except DpvizError:
        return  # the message appears in place of the points
    wanted = view_controls(choice, dataset)
    if wanted != choice:
        prepare(wanted)
        state.choose_data(wanted)
        st.session_state[_SHOWN] = wanted


def _look() -> None:
    try:
        prepared = prepare(state.chosen_data())
    except DpvizError:
        return  # the message appears in place of the points
    show_look(prepared)


def _await_drawing() -> None:
    """Say what comes here."""
    st.markdown("##### Your drawing")
    st.info("Draw groups of points: what they are, and where to go on, stands here.", icon=":material/draw:")


def _say_link(choice: DataChoice) -> None:
    links.remember(choice)
    if drawn.is_drawing(choice):
        st.caption("The drawing stays in this browser tab: a reload brings it back, a link does not.")
        return
    if choice.source == "session":
        st.caption(whereabouts())
        return
    st.caption("The address of this page brings others to the same data.")
