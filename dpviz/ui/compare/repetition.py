"""Repeating a comparison over seeds, and over new draws of the data: box plots of every score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from dpviz.analysis.repetition import Draw, PlannedRun, Repetition
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import DpvizError, require
from dpviz.figures import compare as figures
from dpviz.fit.timing import estimate
from dpviz.text import escape_markdown, in_words
from dpviz.ui.compare.plan import data_of, shared_rows
from dpviz.ui.compare.results import COLUMNS, KNOWN_GROUPS, is_dark
from dpviz.ui.compare.runs import Picture
from dpviz.ui.controls import widgets
from dpviz.ui.session.background import Stage, Work, watch
from dpviz.ui.session.chosen_data import DataChoice, prepare, rows_of
from dpviz.ui.session.exports import csv_button

AT_ONCE = 6e8
"""Operations that are done before the page is drawn."""
MOST_SEEDS = 50
MOST_NUMBERS = 20_000_000
"""Most numbers in all draws of the data together: they are in memory at once."""
SEEDS, DRAWS = "other seeds", "new draws of the data"
_STUDY = "compare study"


def show(picture: Picture, reference: str, labels: IntArray) -> None:
    """Offer the study, watch it run, draw its results.

    Parameters
    ----------
    picture : Picture
        Runs to repeat.
    reference : str
        Name of the partition the runs are scored against.
    labels : ndarray of int, shape (N,)
        That partition; it is the same for all seeds. New draws have their own known groups.
    """
    left, middle, right = st.columns([1, 1, 2], vertical_alignment="bottom")
    with left:
        n_seeds = widgets.number("Repetitions", "compare.n_seeds", 10, 2, MOST_SEEDS)
    missing = _why_no_draws(picture, reference)
    with middle:
        over = widgets.select(
            "Over", "compare.over", [SEEDS] if missing else [SEEDS, DRAWS], SEEDS, help=missing or None
        )
    each = (estimate(finished.config, finished.prepared.X.shape).seconds for _, finished in picture.runs)
    seconds = n_seeds * sum(each)
    key = (picture.plan, reference, over)
    with right:
        if st.button("Repeat", icon=":material/repeat:", key="compare.repeat", help=f"About {seconds:.0f} s."):
            _start(picture, key, n_seeds, labels)
    if missing:
        st.caption(escape_markdown(missing))
    held = st.session_state.get(_STUDY)
    if held is None:
        st.caption(
            "Is it the method or the luck of one seed? All panels run again with other seeds, on the same data or, as "
            "in the papers, on new draws of the data."
        )
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
    try:
        study = _repetition(picture, n_seeds, labels, new_draws=key[-1] == DRAWS)
    except DpvizError as error:
        st.error(escape_markdown(str(error)))
        return
    _forget()
    st.session_state[_STUDY] = (key, Work(StudyTask(study), at_once=AT_ONCE))


def _why_no_draws(picture: Picture, reference: str) -> str:
    """Say why the data cannot be redrawn; empty if they can."""
    if picture.plan.choice.source != "synthetic":
        return "New draws of the data need a scenario that draws them: these data are one table, and no other is known."
    if reference != KNOWN_GROUPS:
        return "New draws of the data are scored against their own known groups; choose these above."
    return ""


def _repetition(picture: Picture, n_repetitions: int, labels: IntArray, new_draws: bool) -> Repetition:
    """Plan every run of every repetition.

    Raises
    ------
    DpvizError
        If the draws are too large for the memory limit, or the runs do not fit them.
    """
    choice, X = picture.plan.choice, picture.whole.X
    size = f"{n_repetitions} draws of {X.size:,} numbers"
    small = not new_draws or n_repetitions * X.size <= MOST_NUMBERS
    require(small, "repetitions", size, f"at most {MOST_NUMBERS:,} numbers", "Take fewer repetitions or fewer points.")
    draws: dict[tuple[int, str], Draw] = {}
    plan = []
    for shift in range(n_repetitions):
        drawn, draw = (_redrawn(choice, shift), shift) if new_draws else (choice, 0)
        configs = picture.plan.repeated(shift, drawn)
        both = [(o, c) for o, c in zip(picture.outcomes, configs, strict=True) if c is not None and o.finished]
        if new_draws or not draws:
            given = None if new_draws else labels
            draws |= {(draw, name): found for name, found in _draws(drawn, [c for _, c in both], given).items()}
        for outcome, config in both:
            assert outcome.finished is not None
            often = _as_often(config, outcome.finished.config)
            plan.append(PlannedRun(outcome.name, config.seed, often, draw, (draw, config.algorithm)))
    return Repetition(draws, plan)


def _draws(choice: DataChoice, configs: Sequence[RunConfig], labels: IntArray | None) -> dict[str, Draw]:
    """Return the data of every algorithm, with the reference labels on the rows that all use.

    Parameters
    ----------
    choice : DataChoice
    configs : sequence of RunConfig
    labels : ndarray of int, optional
        Reference labels on the rows that all use; the known groups by default.
    """
    whole = prepare(choice)
    own = {config.algorithm: prepare(data_of(choice, config)) for config in configs}
    rows = {name: rows_of(prepared, whole) for name, prepared in own.items()}
    draws = {}
    for (name, prepared), shared in zip(own.items(), shared_rows(list(rows.values())), strict=True):
        known = None if prepared.dataset.labels is None else prepared.dataset.labels[shared]
        draws[name] = Draw(prepared.X, known if labels is None else labels, shared)
    return draws


def _redrawn(choice: DataChoice, shift: int) -> DataChoice:
    return choice.with_options(seed=int(dict(choice.options).get("seed", 0)) + shift)


def _as_often(config: RunConfig, shown: RunConfig) -> RunConfig:
    """Give a repetition the number of starts that the shown run got for equal work."""
    return config if ALGORITHMS[config.algorithm].is_chain else replace(config, n_init=shown.n_init)


def _forget() -> None:
    """End a study that is no longer shown."""
    held = st.session_state.pop(_STUDY, None)
    if held is not None:
        held[1].stop()


@dataclass(frozen=True)
class StudyTask:
    """A study as a background task."""

    study: Repetition

    def steps(self) -> Iterator[float]:
        """Run everything."""
        return self.study.steps()

    def picture(self) -> None:
        """Show only progress."""

    def finish(self, stopped: bool) -> None:
        """Do nothing: the study already holds the finished runs."""

    def stages(self) -> list[Stage]:
        """Report how many runs are done."""
        n_runs = len(self.study.plan)
        return [Stage(self.study.n_done / n_runs, f"{self.study.n_done} of {n_runs} runs")]


def _study(work: Work) -> Repetition:
    assert isinstance(work.task, StudyTask)
    return work.task.study


def _boxes(study: Repetition, picture: Picture) -> None:
    frame = study.frame()
    n_runs = len(study.plan)
    if study.n_done < n_runs:
        st.caption(f"Stopped after {study.n_done} of {n_runs} runs: the boxes show these.")
    for failure in study.failures[:5]:
        st.caption(escape_markdown(f"Failed: {failure}"))
    if len(study.failures) > 5:
        st.caption(f"… and {len(study.failures) - 5} more failed.")
    colors = picture.colors(is_dark())
    scores = [score for score in COLUMNS if score != "delta_k" and frame[score].notna().any()]
    for begin in range(0, len(scores), 4):
        for score, column in zip(scores[begin : begin + 4], st.columns(4), strict=False):
            with column:
                figure = figures.score_boxes(frame, score, COLUMNS[score], colors)
                st.plotly_chart(figure, key=f"compare box {score}", config={"displayModeBar": False})
    having = escape_markdown(in_words([algorithm.title for algorithm in ALGORITHMS.values() if algorithm.has_nll]))
    st.caption(
        f"Every dot is one run. Panels without a box in a chart have no such score: only {having} have an nll "
        "(compare it within a letter of the table above only), and a chain does not converge to one state."
    )
    csv_button("All runs (CSV)", lambda: _with_title(frame, picture), "dpviz-seeds.csv", "compare.seeds.csv")


def _with_title(frame: pd.DataFrame, picture: Picture) -> pd.DataFrame:
    choice = picture.plan.choice
    families = {o.name: o.finished.config.family for o in picture.outcomes if o.finished and o.family}
    return frame.assign(
        family=frame["run"].map(families).fillna(""),
        data=picture.whole.dataset.title,
        scaling=choice.scaling,
        principal_components=choice.n_components,
    )
