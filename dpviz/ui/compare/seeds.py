"""Repeating a comparison over seeds: box plots of every score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dpviz.analysis.comparison import PlannedRun, SeedsStudy
from dpviz.arrays import IntArray
from dpviz.engine.timing import estimate
from dpviz.errors import DpvizError
from dpviz.figures import compare as figures
from dpviz.text import escape_markdown
from dpviz.ui.compare.results import COLUMNS
from dpviz.ui.compare.runs import Picture
from dpviz.ui.controls import widgets
from dpviz.ui.session.background import Stage, Work, watch
from dpviz.ui.session.exports import csv_button

AT_ONCE = 6e8
"""Operations that are done before the page is drawn."""
MOST_SEEDS = 50
_STUDY = "compare study"


def show(picture: Picture, reference: str, labels: IntArray) -> None:
    """Offer the study, watch it run, draw what it found.

    Parameters
    ----------
    picture : Picture
        What is repeated.
    reference : str
        Name of the partition the runs are scored against.
    labels : ndarray of int, shape (N,)
        That partition; it stays the same for all seeds.
    """
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        n_seeds = widgets.number("Seeds", "compare.n_seeds", 10, 2, MOST_SEEDS)
    shape = picture.runs[0][1].prepared.X.shape
    seconds = n_seeds * sum(estimate(finished.config, shape).seconds for _, finished in picture.runs)
    key = (picture.plan, reference)
    with right:
        if st.button(
            "Repeat over seeds", icon=":material/repeat:", key="compare.repeat", help=f"About {seconds:.0f} s."
        ):
            _start(picture, key, n_seeds, labels)
    held = st.session_state.get(_STUDY)
    if held is None:
        st.caption("Is it the method or the luck of one seed? All panels run again on the same data with other seeds.")
    elif held[0] != key:
        _forget()
        st.caption("The repetition belonged to other settings and is gone.")
    elif not held[1].over:
        watch(held[1], lambda _: None, lambda: None, key="compare.study.stop")
    else:
        if held[1].error:
            st.error(escape_markdown(held[1].error))
        _boxes(_study(held[1]), picture)


def _start(picture: Picture, key: tuple[object, ...], n_seeds: int, labels: IntArray) -> None:
    names = dict.fromkeys(name for name, _ in picture.runs)
    plan = []
    try:
        for shift in range(n_seeds):
            for outcome, config in zip(picture.outcomes, picture.plan.repeated(shift), strict=True):
                if config is not None and outcome.name in names:
                    plan.append(PlannedRun(outcome.name, config.seed, config))
    except DpvizError as error:
        st.error(escape_markdown(str(error)))
        return
    _forget()
    study = StudyTask(SeedsStudy(picture.runs[0][1].prepared.X, plan, labels))
    st.session_state[_STUDY] = (key, Work(study, at_once=AT_ONCE))


def _forget() -> None:
    """End a study that nobody will look at any more."""
    held = st.session_state.pop(_STUDY, None)
    if held is not None:
        held[1].stop()


@dataclass(frozen=True)
class StudyTask:
    """A study as a task of the background."""

    study: SeedsStudy

    def steps(self) -> Iterator[float]:
        """Run everything."""
        return self.study.steps()

    def picture(self) -> None:
        """Show progress alone while runs go on."""

    def finish(self, stopped: bool) -> None:
        """Keep what was done, as the study does by itself."""

    def stages(self) -> list[Stage]:
        """Say how many runs are done."""
        n_runs = len(self.study.plan)
        return [Stage(self.study.n_done / n_runs, f"{self.study.n_done} of {n_runs} runs")]


def _study(work: Work) -> SeedsStudy:
    assert isinstance(work.task, StudyTask)
    return work.task.study


def _boxes(study: SeedsStudy, picture: Picture) -> None:
    frame = study.frame()
    n_runs = len(study.plan)
    if study.n_done < n_runs:
        st.caption(f"Stopped after {study.n_done} of {n_runs} runs: the boxes show these.")
    for failure in study.failures[:5]:
        st.caption(escape_markdown(f"Failed: {failure}"))
    if len(study.failures) > 5:
        st.caption(f"… and {len(study.failures) - 5} more failed.")
    names = [name for name, _ in picture.runs]
    scores = [score for score in COLUMNS if score != "delta_k" and frame[score].notna().any()]
    for begin in range(0, len(scores), 4):
        for score, column in zip(scores[begin : begin + 4], st.columns(4), strict=False):
            with column:
                figure = figures.score_boxes(frame, score, COLUMNS[score], names)
                st.plotly_chart(figure, key=f"compare box {score}", config={"displayModeBar": False})
    st.caption(
        "Every dot is one run. Panels without a box in a chart have no such score: only MAP-DP and Gibbs have an nll "
        "(compare it within a letter of the table above only), and a chain does not converge to one state."
    )
    csv_button("All runs (CSV)", lambda: _with_title(frame, picture), "dpviz-seeds.csv", "compare.seeds.csv")


def _with_title(frame: pd.DataFrame, picture: Picture) -> pd.DataFrame:
    return frame.assign(data=picture.runs[0][1].prepared.dataset.title)
