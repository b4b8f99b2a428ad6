"""The Compare page: the same data, several methods, one playhead, and a comparison of their results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import method_of
from dpviz.errors import DpvizError
from dpviz.live import Run
from dpviz.text import counted, escape_markdown, in_words
from dpviz.ui import live
from dpviz.ui.compare import links as compare_links
from dpviz.ui.compare import references as compare_references
from dpviz.ui.compare import repetition as compare_repetition
from dpviz.ui.compare import results as compare_results
from dpviz.ui.controls import opinion
from dpviz.ui.controls.codes import said_of_codes
from dpviz.ui.controls.data_controls import chosen_in_sidebar, completed
from dpviz.ui.controls.folding import fold, foldable
from dpviz.ui.controls.model_control import offer_to_choose
from dpviz.ui.learn.image import shade
from dpviz.ui.learn.thumbnails import plain
from dpviz.ui.player import PlayerState, player
from dpviz.ui.player.component import let_move
from dpviz.ui.session import computation, jobs, state
from dpviz.ui.session.background import Work, watch
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.computation import Computation, Done, Failed, Running, Waiting, expected_in_words
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.shell import links, navigation
from dpviz.ui.stage import guide, knobs, scales
from dpviz.ui.stage import panels as compare_panels
from dpviz.ui.stage.lessons import COMPARISONS
from dpviz.ui.stage.panels import Common
from dpviz.ui.stage.plan import Plan, family_in_words, scaled
from dpviz.ui.stage.runs import Batch, Picture, keeping

_PICTURE, _ASKED, _PLACE = "compare picture", "compare asked", "compare"
_RESTED, _GO_TO = "compare rested", "compare go to"
_OPEN, _CHOOSES = "compare.settings", "compare chooses"
PLAYER = "compare player"
KNOBS = 48
"""Pixels that the strip of knobs takes."""
STYLE = """
.st-key-compare-runs {min-height: 35.5rem}
"""
"""Keeps the place of three runs before the browser has drawn them: what is below them would be pushed down."""


def show() -> None:
    """Draw the page."""
    followed = compare_links.restore()
    asked = st.session_state.pop(_ASKED, None)
    if asked is not None:
        _use(asked)
    with st.sidebar:
        navigation.door("lessons", "Lessons", ":material/school:")
    prepared = chosen_in_sidebar(gaps=True)
    if prepared is None:
        return
    needy = compare_panels.needing_complete_rows()
    if needy:
        with st.sidebar:
            prepared = completed(prepared, f"{in_words(needy)} need{'s' if len(needy) == 1 else ''} complete rows")
    heading = st.container()
    plan, places = _controls(prepared, chooses=followed or asked is not None)
    if plan is None:
        return
    _heading(heading, prepared, plan)
    picture = _keep_up(plan, prepared)
    if picture is not None:
        if picture.plan == plan:
            _say_what_failed(picture, places)
        picture = _stage(picture, prepared.choice, "done" if picture.plan == plan else "waiting")
        _bring_knobs(picture, plan)
        if picture.plan == plan and picture.complete and links.layout() != "min":
            live.bring_lesson(_lesson_of(plan), PLAYER)


def ask_for(comparison: Lesson) -> None:
    """Let this page set a comparison up when it is drawn next."""
    st.session_state[_ASKED] = comparison


def _use(comparison: Lesson) -> None:
    fold(_OPEN)
    scales.choose(scales.AS_FOUND)
    guide.begin(_PLACE, comparison)
    state.choose_data(comparison.choice)
    common = Common(seed=0, effort=compare_panels.RESTARTS)
    compare_panels.set_panels(comparison.own, common, comparison.choice)


def _heading(place: DeltaGenerator, prepared: PreparedData, plan: Plan) -> None:
    """Show the data's title and key facts, and a lesson's sentence as long as the settings are the lesson's."""
    lesson = _lesson_of(plan)
    said = f" — {lesson.watch}" if lesson is not None else ""
    n_points, n_features = prepared.X.shape
    families = [family_in_words(config) for config in plan.configs if config is not None]
    model = in_words(list(dict.fromkeys(family for family in families if family)))
    facts = [counted(n_points, "point"), counted(n_features, "column"), scaled(prepared.choice)]
    facts += [f"model of the clusters: {model}"] if model else []
    facts += [_rows_in_words(prepared, plan)] if prepared.clustered.incomplete.any() else []
    title = escape_markdown(prepared.dataset.title)
    taken = said_of_codes([config for config in plan.configs if config is not None], prepared)
    codes = escape_markdown(f". {taken}" if taken else "")
    place.markdown(f"#### {title}")
    notes = "\n\n".join(escape_markdown(note) for note in prepared.notes)
    place.caption(f"{escape_markdown(', '.join(facts))}{codes}{said}", help=notes or None)
    opened, words = guide.opened(_PLACE), guide.off_its_data(_PLACE, prepared.choice, plan.own)
    if lesson is None and opened is not None and words:
        with place.container(horizontal=True, vertical_alignment="center"):
            st.caption(escape_markdown(words), width="content")
            guide.back_button(opened, "compare.back", ask_for)
    _say_what_is_kept(place, plan)


def _say_what_is_kept(place: DeltaGenerator, plan: Plan) -> None:
    """Say which panels have models of runs before, and offer to choose them again."""
    if not plan.kept or links.layout() == "min":
        return
    said = [
        f"{number} {method_of(config).title}: {kept.said_of(plan.choice)[0]}"
        for number, (config, kept) in enumerate(zip(plan.configs, plan.kept, strict=True), 1)
        if config is not None and kept is not None
    ]
    words = "Choose the models again" if len(said) > 1 else "Choose the model again"
    with place:
        offer_to_choose(" ".join(said), _PLACE, words, _choose_again, plan)


def _choose_again(plan: Plan) -> None:
    st.session_state[_CHOOSES] = plan.as_asked


def _lesson_of(plan: Plan) -> Lesson | None:
    if plan.kept:
        return None  # its sentence is of models that the data chose
    return guide.of_runs(_PLACE, COMPARISONS, plan.choice, plan.own)


def _rows_in_words(prepared: PreparedData, plan: Plan) -> str:
    """Say how each method treats rows with missing cells."""
    done: dict[str, list[str]] = {}
    for config in plan.configs:
        if config is not None:
            model = config.uses_model
            way = "kept" if model else "filled in" if plan.choice.fill else "left out"
            done.setdefault(way, []).append(method_of(config).title)
    said = "; ".join(f"{way} by {in_words(list(dict.fromkeys(titles)))}" for way, titles in done.items())
    return f"{counted(int(prepared.clustered.incomplete.sum()), 'row')} with missing cells: {said}"


def _controls(prepared: PreparedData, chooses: bool) -> tuple[Plan | None, list[DeltaGenerator]]:
    """Draw panels and switches, update the address, and say which settings could not be shared.

    Parameters
    ----------
    prepared : PreparedData
    chooses : bool
        Whether the data choose what the panels leave open, whatever is shown: as of a link or a lesson.

    Returns
    -------
    plan : Plan or None
    places : list of DeltaGenerator
        One per panel, inside its card.
    """
    with st.expander("Panels", icon=":material/view_column:", key=foldable(_OPEN), on_change="rerun"):
        with st.container():
            common = compare_panels.common_controls(len(prepared.X))
        remarks_place = st.container()
        cards = compare_panels.cards(prepared, common)
        compare_panels.add_button()
        own, places = [own for own, _ in cards], [place for _, place in cards]
    try:
        plan, remarks = Plan.make(prepared.choice, own, common)
    except DpvizError as error:
        compare_links.remember(prepared.choice, own, common)
        st.error(escape_markdown(str(error)))
        return None, places
    if chooses:
        st.session_state[_CHOOSES] = plan
    if plan != st.session_state.get(_CHOOSES):
        plan = keeping(plan, st.session_state.get(_PICTURE))
    compare_links.remember(prepared.choice, plan.exact_own, common)
    for remark in remarks:
        remarks_place.caption(escape_markdown(remark))
    return plan, places


def _say_what_failed(picture: Picture, places: list[DeltaGenerator]) -> None:
    """Show each panel's error in its card, or below if the cards are folded away; the other runs are shown."""
    folded = not st.session_state[foldable(_OPEN)]
    for outcome, place in zip(picture.outcomes, places, strict=True):
        if outcome.finished is None:
            place.error(escape_markdown(outcome.error))
            if folded:
                st.warning(escape_markdown(f"{outcome.name}: {outcome.error}"), icon=":material/error:")
        elif outcome.finished.stopped:
            words = "Stopped early: what is shown are the sweeps that were done."
            (st if folded else place).caption(f"{escape_markdown(outcome.name)}. {words}" if folded else words)


def _keep_up(plan: Plan, prepared: PreparedData) -> Picture | None:
    """Run the missing runs, at once if they are quick, else on request; return what is to be shown."""
    picture: Picture | None = st.session_state.get(_PICTURE)
    if picture is not None and picture.plan == plan and picture.complete:
        knobs.turned_on(_PLACE).pictured = None
        return picture
    wanted = _wanted(plan, picture)
    with st.spinner("Running …"):
        outcome = computation.wanted(wanted)
    match outcome:
        case Running(work=work):
            _watch(work, picture, plan, prepared)
            return None
        case Waiting(estimate=estimate):
            _run_button("Run", wanted)
            words = f"These runs take {expected_in_words(estimate)}."
            st.info(f"{escape_markdown(words)} Press **Run**.", icon=":material/hourglass_empty:")
            if picture is None or picture.plan.choice != plan.choice:
                return None
            st.warning("What is shown below was made with the previous settings.", icon=":material/history:")
            return picture
        case Failed(message=message, result=None):
            st.error(escape_markdown(message))
            return None
        case Failed(message=message, result=batch):
            picture = batch.picture_of_all(message).after(picture)
        case Done(result=batch) if picture is None or picture.plan != plan or picture.made_by is not batch:
            picture = batch.picture_of_all().after(picture)
    assert picture is not None
    st.session_state[_PICTURE] = picture
    knobs.turned_on(_PLACE).pictured = None
    if picture.complete and st.session_state.get(_CHOOSES) == plan:
        del st.session_state[_CHOOSES]
    if picture.plan != plan:  # a panel could not keep its model: neither heading nor address may say that it does
        st.rerun()
    if picture.complete:
        computation.leave(_PLACE)
    else:
        _run_button("Run again, to the end", wanted)
    return picture


def _watch(work: Work, picture: Picture | None, plan: Plan, prepared: PreparedData) -> None:
    """Show how far the runs are, and the points; those that follow a knob below the picture that the browser made."""
    if picture is None or not picture.runs or knobs.turned_on(_PLACE).pictured is None:
        words = f"{prepared.dataset.title}: {counted(len(prepared.X), 'point')} that wait for their clusters"
        points = plain(prepared, words, shade())

        def wait(_: object) -> None:
            st.html(points)

        watch(work, wait, key="compare.stop")
        return
    shown = picture

    def draw(_: object) -> None:
        _player(shown, None, "running")

    watch(work, draw, key="compare.stop", below=True)
    _bring_knobs(picture, plan)


def _live(picture: Picture) -> list[Run]:
    return [Run(finished.config, finished.prepared.X) for _, finished in picture.runs]


def _bring_knobs(picture: Picture, plan: Plan) -> None:
    """Let knobs set the panels to where they rest; not while the settings of a panel are invalid or wait to be run."""
    own, shown = [config for config in plan.own if isinstance(config, RunConfig)], len(picture.outcomes)
    is_whole = len(own) == len(plan.own) == shown
    asked = [config for config, one in zip(own, picture.outcomes, strict=True) if one.finished] if is_whole else []

    def take(made: list[RunConfig], rest: live.Rest) -> None:
        shift, turned, common = rest.seed - picture.runs[0][1].config.seed, iter(made), plan.common
        panels = [next(turned) if one.finished else config for config, one in zip(own, picture.outcomes, strict=True)]
        if common.seed is not None:
            common = replace(common, seed=(common.seed + shift) % 2**32)
        else:
            panels = [replace(config, seed=(config.seed + shift) % 2**32) for config in panels]
        knobs.turned_on(_PLACE).pictured = panels
        compare_panels.set_panels(panels, common, picture.choice)

    knobs.bring(_PLACE, _live(picture) if is_whole else [], asked, take)


def _wanted(plan: Plan, shown: Picture | None) -> Computation:
    """Return the missing runs of a plan as a computation, given what is shown."""
    work = computation.current(_PLACE)
    goes_on = work is not None and work.task.result.plan == plan
    batch = work.task.result if work is not None and goes_on else Batch(plan, shown)
    return Computation(
        _PLACE,
        plan,
        lambda: Batch(plan, shown) if goes_on else batch,
        batch.estimate,
        unasked=jobs.UNASKED_COMPARED,
        at_once=jobs.QUICK_OPERATIONS,
        shared=True,
        known=lambda: None,
    )


def _run_button(words: str, wanted: Computation) -> None:
    """Draw the run button; pressing it folds the settings away, so that the runs are in view."""
    icon = ":material/play_arrow:"
    st.button(words, type="primary", key="compare.run", icon=icon, on_click=_start, args=(wanted,))


def _start(wanted: Computation) -> None:
    fold(_OPEN)
    computation.start(wanted)


def _stage(picture: Picture, choice: DataChoice, standing: str) -> Picture:
    """Show the runs: the player, and below it how their results differ; return them on the axes that are shown."""
    if picture.choice != choice:
        picture = st.session_state[_PICTURE] = picture.on_axes(choice)
    if not picture.runs:
        return picture
    found, picture = picture, scales.joined(picture)
    _play(picture, standing)
    for refusal in picture.refusals:
        st.caption(escape_markdown(refusal))
    scales.show_all(found, picture)
    st.markdown("##### Scores")
    _say_what_is_scored(picture)
    reference, labels = compare_results.choose_reference(picture)
    others = compare_references.known(picture)
    table = compare_results.scored(picture, reference, labels, others)
    compare_results.show_table(picture, table, reference, others)
    scales.say(found)
    opinion.say(picture.runs)
    compare_references.offer(picture, others)
    with st.container(horizontal=True):
        compare_results.offer_table(picture, table, others)
        _open_in_explore(picture, choice)
    st.markdown("##### Cluster sizes")
    compare_results.show_sizes(picture)
    st.markdown("##### Where they disagree")
    _disagreement(picture)
    st.markdown("##### Luck or method?")
    compare_repetition.show(found, reference, found.labels.get(reference, labels))
    if picture is not found:
        st.caption("Repeated runs are scored as they find their clusters; none are merged.")
    return found


def _open_in_explore(picture: Picture, choice: DataChoice) -> None:
    with st.popover("Open a run in Explore", icon=":material/play_circle:"):
        for number, (name, finished) in enumerate(picture.runs):
            sweep = finished.trace.result_sweep
            links.open_button(
                finished.config, choice, f"compare.open.{number}", picture.described(name), sweep, finished.scale
            )


def _height(n_panels: int, has_knobs: bool) -> int:
    """Choose how high plots are, so that two rows of them stand above the playhead on a screen of 900 pixels."""
    if n_panels < 4:
        return 420 - has_knobs * KNOBS
    return {"min": 310, "present": 205}.get(links.layout(), 280) - has_knobs * KNOBS // 2


def _player(picture: Picture, sweep: int | None, standing: str) -> PlayerState:
    about = knobs.facts(_PLACE, _live(picture), picture.whole, standing)
    height = _height(len(picture.runs), about is not None)
    with st.container(key="compare-runs"):
        return player(picture.payload, key=PLAYER, sweep=sweep, height=height, live=about)


@st.fragment
def _play(picture: Picture, standing: str) -> None:
    """Play all runs; a click on a point shows its cluster in each."""
    what = (picture.plan, picture.resting_sweep)
    rests = None if st.session_state.get(_RESTED) == what else picture.resting_sweep
    sweep = st.session_state.pop(_GO_TO, rests)
    try:
        state = _player(picture, sweep, standing)
        st.session_state[_RESTED] = what
    except DpvizError as error:
        st.error(escape_markdown(f"These runs cannot be played: {error}"))
        return
    if state.point is not None:
        own = picture.rows[picture.runs[state.point.panel][0]]
        st.session_state["compare point"] = int(own[state.point.index])
    row = st.session_state.get("compare point")
    if row is None or row >= len(picture.whole.X):
        st.caption("Click a point to read where every run puts it in the end.")
        return
    said = "; ".join(f"{name}: {_cluster_of(picture, name, row)}" for name, _ in picture.runs)
    st.caption(escape_markdown(f"Row {row} in the results: {said}."))


def _say_what_is_scored(picture: Picture) -> None:
    """Name the sweep of every chain that is scored, and offer to show it: chains go on after their best draw."""
    chains = [name for name, trace in picture.traces.items() if trace.is_chain]
    if not chains:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Scored are the last sweeps; of chains, the kept draw of lowest nll:", width="content")
        for number, name in enumerate(chains):
            sweep = picture.traces[name].result_sweep
            st.button(
                f"sweep {sweep:,} of {escape_markdown(name)}",
                key=f"compare.scored.{number}",
                type="tertiary",
                icon=":material/flag:",
                help="Go to it",
                on_click=_go_to,
                args=(sweep,),
            )


def _go_to(sweep: int) -> None:
    """Move the playhead when the player is drawn next."""
    let_move(PLAYER)
    st.session_state[_GO_TO] = sweep


def _cluster_of(picture: Picture, name: str, row: int) -> str:
    """Name the cluster of a row of the whole table in a run."""
    place = int(np.searchsorted(picture.rows[name], row))
    if place >= len(picture.rows[name]) or picture.rows[name][place] != row:
        return "left out, since cells are missing"
    return f"cluster {picture.all_labels[name][place] + 1}"


@st.fragment
def _disagreement(picture: Picture) -> None:
    compare_results.show_disagreement(picture)
