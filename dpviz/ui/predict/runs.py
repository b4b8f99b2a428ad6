"""The run that predicts: the one shown in Explore, another of this session, that of a link, or a default one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import streamlit as st

from dpviz.analysis.predicted_table import NEW_NAME, admits_gaps
from dpviz.analysis.prediction import Predictor
from dpviz.analysis.stored_names import names_of
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import describe
from dpviz.engine.candidates import NEW
from dpviz.errors import DpvizError
from dpviz.player import track_color
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import opinion, run_controls, widgets
from dpviz.ui.controls.computed import say_it_waits, standing, start_button
from dpviz.ui.explore.showing import showing
from dpviz.ui.session import history, jobs, state, trees
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, prepare
from dpviz.ui.session.computation import Done, Waiting, expected_in_words
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.session.scale import Level

METHOD = "mapdp"
"""Settings of a default run."""
NEW_COLOR = "#888888"
PLACE = "predict run"
_OWN, _LINKED, _SEEN, _HELD = "predict own run", "predict linked run", "predict seen run", "predict predictor"
_LEVEL = "predict linked scale"
_WHICH = "predict.which"


@dataclass(frozen=True, eq=False)
class Known:
    """A finished run, ready to predict further points.

    Attributes
    ----------
    finished : Finished
    predictor : Predictor
    """

    finished: Finished
    predictor: Predictor

    @property
    def prepared(self) -> PreparedData:
        """The data of the run."""
        return self.finished.prepared

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Number in Explore of each cluster of the result, in the order of a prediction's clusters."""
        finished, trace = self.finished, self.finished.trace
        labels = trace.result_labels[np.unique(self.predictor.clusters, return_index=True)[1]]
        return tuple(finished.number(int(k), trace.result_sweep) for k in labels)

    def name(self, cluster: int) -> str:
        """Name of a cluster of a prediction, possibly the user's own."""
        if cluster == NEW:
            return NEW_NAME
        return names_of(self.numbers, self.finished.names)[cluster]

    def color(self, cluster: int) -> str:
        """Colour of a cluster, as in the player."""
        dark = st.context.theme.type == "dark"
        return NEW_COLOR if cluster == NEW else track_color(self.numbers[cluster] - 1, dark=dark)

    @property
    def candidates(self) -> list[int]:
        """Clusters of a prediction in the order of its scores; the last may be a new one."""
        n_clusters = len(self.numbers)
        return [*range(n_clusters), *([NEW] if self.predictor.n_candidates > n_clusters else [])]

    def prepare(self, points: FloatArray) -> FloatArray:
        """Prepare rows (n, D) of the table as the run's data were."""
        return self.prepared.preparation.apply(points)

    @property
    def admits_gaps(self) -> bool:
        """Whether cells may be missing."""
        return admits_gaps(self.predictor, self.prepared.preparation)


def follow(config: RunConfig) -> None:
    """Predict with a link's configuration until another run is chosen."""
    st.session_state[_LINKED] = state.chosen_data(), config
    follow_scale(Level())
    state.forget([_WHICH])


def follow_scale(level: Level) -> None:
    """Show the result of the link's run at a scale."""
    st.session_state[_LEVEL] = level


def chosen(choice: DataChoice) -> Known | None:
    """Choose a run and return it once it is finished; until then the page shows its progress.

    Raises
    ------
    DpvizError
        If the data are not available or do not fit the run.
    """
    runs = _offered(choice)
    _prefer_new(runs)
    which = _choice_of(runs)
    finished = runs[which][1]
    if finished is None:
        finished = _made(choice, runs[which][0])
        if finished is not None and which == next(iter(runs)) and _LINKED in st.session_state:
            finished = _at_scale_of_link(finished)
    return None if finished is None else _known(finished, choice.axes)


def _at_scale_of_link(finished: Finished) -> Finished:
    """Return a run at the scale of the link that leads to it; if that cannot be, say why."""
    try:
        return replace(finished, scale=trees.at_level(finished, st.session_state[_LEVEL]))
    except DpvizError as error:
        st.warning(escape_markdown(str(error)), icon=":material/link_off:")
        return finished


def introduce(known: Known) -> None:
    """Name the run that predicts, and its result."""
    finished = known.finished
    found = counted(len(known.numbers), "cluster")
    end = " It was stopped early: it predicts with the clusters it had by then." if finished.stopped else ""
    chain = ", those of its kept draw of lowest nll" if finished.trace.is_chain else ""
    if finished.scale is not None:
        found += f", joined in Explore from {len(finished.scale.groups)}"
    st.caption(f"{escape_markdown(describe(finished.config))} predicts, with {found}{chain}.{end}")
    opinion.say([("", finished)])


def _known(finished: Finished, axes: tuple[str, ...]) -> Known:
    """Prepare the run, once while it is shown, on the axes chosen now."""
    held: Known | None = st.session_state.get(_HELD)
    is_same = held is not None and (held.finished.trace is finished.trace and held.finished.scale == finished.scale)
    if held is not None and is_same and held.finished.names == finished.names:
        if held.finished.choice.axes == axes:
            return held
    if finished.choice.axes != axes:
        choice = replace(finished.choice, axes=axes)
        finished = replace(finished, choice=choice, prepared=prepare(choice))
    predictor = held.predictor if held is not None and is_same else _predictor(finished)
    st.session_state[_HELD] = known = Known(finished, predictor)
    return known


def _predictor(finished: Finished) -> Predictor:
    partition = None if finished.scale is None else finished.scale.labels
    return Predictor(finished.prepared.X, finished.trace, partition)


# --- what may be chosen -----------------------------------------------------------------------------------------------


def _offered(choice: DataChoice) -> dict[str, tuple[RunConfig, Finished | None]]:
    """List runs by name: those of this session on these data, the newest first, that of a link, and a default one."""
    found: dict[str, tuple[RunConfig, Finished | None]] = {}
    linked = st.session_state.get(_LINKED)
    if linked is not None and _same_data(linked[0], choice):
        found[f"{describe(linked[1])}, by link"] = (linked[1], None)
    shown = showing().finished
    session = [shown, *(run for run in history.runs() if shown is None or not history.same_run(run, shown))]
    for run in session:
        if run is not None and _same_data(run.choice, choice):
            name = f"{describe(run.config)}: K = {len(np.unique(run.trace.result_labels))}"
            found[_free(name, found)] = (run.config, run)
    default = run_controls.default_config(METHOD, prepare(choice))
    if all(default not in (config, None if run is None else run.settings) for config, run in found.values()):
        found[_free(f"a default run of {describe(default)}", found)] = (default, None)
    return found


def _free(name: str, taken: Mapping[str, object]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free


def _same_data(one: DataChoice, other: DataChoice) -> bool:
    """Whether two choices are the same data, regardless of axes; methods that need complete rows use these."""
    return one.of_every_picture() == other.of_every_picture()


def _prefer_new(runs: Mapping[str, tuple[RunConfig, Finished | None]]) -> None:
    """Switch to the run shown in Explore if it has changed since the last script run."""
    shown = showing().finished
    name = next((name for name, (_, run) in runs.items() if run is not None and run is shown), None)
    if shown is not None and name is not None and st.session_state.get(_SEEN) is not shown.trace:
        st.session_state[_SEEN] = shown.trace
        if _LINKED not in st.session_state:
            state.put({_WHICH: name})


def _choice_of(runs: Mapping[str, tuple[RunConfig, Finished | None]]) -> str:
    names = list(runs)
    if len(names) == 1:
        return names[0]
    which: str = widgets.select("Which run predicts?", _WHICH, names)
    return which


# --- a run that is made here ------------------------------------------------------------------------------------------


def _made(choice: DataChoice, config: RunConfig) -> Finished | None:
    """Return the run of a configuration if it is known or quick; otherwise show its progress."""
    choice = run_controls.choice_for(config, prepare(choice))
    wanted = jobs.wanted(PLACE, Asked(choice, config), lambda: _there(choice, config))
    before = st.container()
    match standing(wanted, "predict.stop.run"):
        case Done(result=found):
            st.session_state[_OWN] = found
            return _there(choice, config)
        case None:  # Explore shows it sweep by sweep
            before.caption(escape_markdown(f"{describe(config)} runs; then it predicts."))
        case Waiting(estimate=estimate):
            words = f"{describe(config)} takes {expected_in_words(estimate)}, so it waits for you."
            say_it_waits(words)
            start_button("Run", wanted, "predict.run", type="primary")
    return None


def _there(choice: DataChoice, config: RunConfig) -> Finished | None:
    """Return the run if this page or another session has made it."""
    own: Finished | None = st.session_state.get(_OWN)
    is_own = own is not None and own.choice.data == choice.data and own.settings == config
    found = own if is_own else jobs.finished_run(Asked(choice, config))
    if found is not None and found.choice != choice:
        found = replace(found, choice=choice, prepared=prepare(choice))
    return found
