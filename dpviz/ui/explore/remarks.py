"""What is said of a run above its picture, and the other runs that are offered there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, method_of
from dpviz.engine.options import INIT_CLUSTERS
from dpviz.engine.trace import Trace
from dpviz.engine.trace_words import acceptance_in_words, final_start_in_words, moves_in_words, search_end_in_words
from dpviz.families.automatic import ANY, AUTOMATIC
from dpviz.families.powers import powers_in_words
from dpviz.fit.transforms import TRANSFORMED
from dpviz.fit.words import words_for
from dpviz.player.run_panel import shown_rows
from dpviz.shares import has_shares
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import both_answers
from dpviz.ui.controls.codes import said_of_codes
from dpviz.ui.controls.data_controls import places_in_words
from dpviz.ui.controls.model_control import offer_to_choose
from dpviz.ui.explore.running import run_again
from dpviz.ui.explore.showing import PLACE, showing
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.shell import links
from dpviz.ui.stage import guide, scales

LONGER = 4.0
"""Factor on the effort when a search continues."""


def heading(config: RunConfig, prepared: PreparedData, note: str = "") -> None:
    """Name the run and its data, with a note; the tooltip lists everything dropped or changed in the data."""
    if links.layout() == "min":
        return
    method = method_of(config)
    st.markdown(f"#### {escape_markdown(f'{method.title} on {prepared.dataset.title}')}")
    lesson = guide.of_runs(PLACE, (), prepared.choice, [config])
    watch = lesson.watch if lesson else guide.off_its_data(PLACE, prepared.choice, [config])
    n_points, n_features = (prepared.dataset if prepared.choice.mixed else prepared).X.shape
    columns = "1 column" if n_features == 1 else f"{n_features} columns"
    notes = "\n\n".join(escape_markdown(note) for note in prepared.notes)
    n_rows = int(prepared.clustered.incomplete.sum())
    gaps = f" {n_rows:,} of them have missing cells, drawn at the mean of their column." if n_rows else ""
    codes = escape_markdown(f"{places_in_words(prepared)} {said_of_codes([config], prepared)}")
    st.caption(f"{n_points:,} points × {columns}.{gaps} {codes} {watch} {escape_markdown(note)}", help=notes or None)


def remarks(finished: Finished) -> None:
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
        offer_to_choose(choice, "run", "Choose the model again", _choose_again, finished)
    if shown := " ".join(filter(None, said)):
        st.caption(escape_markdown(shown))
    if links.layout() != "min":
        data, settings = finished.choice, finished.exact_settings
        both_answers.offer_directions(data, settings, PLACE, len(np.unique(finished.trace.result_labels)))
        both_answers.offer_transform(data, settings, PLACE)
        if config.transform is not None and finished.settings.transform == AUTOMATIC:
            both_answers.offer_as_they_are(data, settings, finished.settings, PLACE)
        if config.directions is not None and finished.settings.directions == ANY:
            both_answers.offer_columns(data, settings, finished.settings, PLACE)


def _choose_again(finished: Finished) -> None:
    """Choose the model for the settings of a run that has one of others."""
    showing().given = finished.as_asked
    run_again(finished.as_asked)


def _by_powers(finished: Finished) -> str:
    """Say which columns a run transformed, what that gained, and in which units the numbers of the page are."""
    said = powers_in_words(finished.config.transform, finished.prepared.clustered.feature_names)
    found = [note.removeprefix(TRANSFORMED).rstrip(".") for note in finished.notes if note.startswith(TRANSFORMED)]
    said = found[0] if found else said
    shapes = "" if has_shares(finished.config.transform) else ", shapes their middle 95 %"
    return f"Columns are transformed: {said}. Costs and densities are those of the columns{shapes}."


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


def offer_to_watch(finished: Finished) -> None:
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
    showing().open_next_at_start(plays=True)
    run_again(Asked(finished.choice, config))


def _choice_in_words(finished: Finished) -> str:
    """Say what short runs chose, and what ruled out other choices."""
    names = finished.prepared.clustered.feature_names
    notes = [note for note in finished.notes if not note.startswith(TRANSFORMED)]  # said by itself
    return " ".join([f"Chosen by nll: {words_for(replace(finished.config, transform=None), names)}.", *notes])


def offer_more_search(finished: Finished) -> None:
    """Say why an iterated search ended, and offer to continue it."""
    config, trace = finished.config, finished.trace
    if finished.stopped or not trace.converged or not ALGORITHMS[config.algorithm].improves(config):
        return
    longer = replace(config, effort=max(LONGER * config.effort, 1.0))
    st.button(
        "Search longer",
        key="run.longer",
        icon=":material/more_time:",
        on_click=run_again,
        args=(Asked(finished.choice, longer),),
        help=f"Goes on from here until it has done {LONGER:g} times as much.",
    )
    if ended := search_end_in_words(trace):
        st.caption(ended)


def _moves_in_words(trace: Trace) -> str:
    """Say which sweeps moved whole clusters."""
    first, last = trace.moves[0][0], trace.moves[-1][0]
    sweeps = f"Sweep {first}" if first == last else f"Sweeps {first} to {last}"
    return f"{sweeps} moved whole clusters, since single points could no longer lower the nll: {moves_in_words(trace)}."
