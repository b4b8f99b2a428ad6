"""Repeating a comparison over seeds, and over new draws of the data: box plots of every score."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from dpviz.analysis.grids import Progress
from dpviz.analysis.repetition import Draw, PlannedRun, Repetition
from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import require
from dpviz.figures import compare as figures
from dpviz.fit.timing import NOTHING
from dpviz.text import escape_markdown, in_words
from dpviz.ui.compare.results import COLUMNS, KNOWN_GROUPS, is_dark
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.controls.computed import standing
from dpviz.ui.session import computation, jobs
from dpviz.ui.session.background import Stage
from dpviz.ui.session.chosen_data import DataChoice, prepare, rows_of
from dpviz.ui.session.computation import Computation, Done, Failed, Waiting, expected_in_words
from dpviz.ui.session.exports import csv_button
from dpviz.ui.stage.plan import data_of, shared_rows
from dpviz.ui.stage.runs import Picture

MOST_SEEDS = 50
MOST_NUMBERS = 20_000_000
"""Most numbers in all draws of the data together: they are in memory at once."""
SEEDS, DRAWS = "other seeds", "new draws of the data"
_PLACE = "compare study"


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
    each = (jobs.expected(finished.config, finished.prepared) for _, finished in picture.runs)
    expected = sum(each, NOTHING).times(n_seeds)
    wanted = Computation(
        _PLACE,
        (picture.plan, reference, over),
        lambda: StudyTask(_repetition(picture, n_seeds, labels, new_draws=over == DRAWS)),
        expected,
        unasked=-1.0,
        at_once=jobs.QUICK_OPERATIONS,
    )
    with right:
        about = f"{expected_in_words(expected)}.".capitalize()
        if st.button("Repeat", icon=":material/repeat:", key="compare.repeat", help=about):
            computation.forget(wanted)
            computation.start(wanted)
    if missing:
        st.caption(escape_markdown(missing))
    had_other = computation.current(_PLACE) is not None
    match standing(wanted, "compare.study.stop"):
        case Waiting() if had_other:
            st.caption("The repetition belonged to other settings and is gone.")
        case Waiting():
            st.caption(
                "Is it the method or the luck of one seed? All panels run again with other seeds, on the same data or, "
                "as in the papers, on new draws of the data. What the shown runs chose automatically is kept."
            )
        case Done(result=study) | Failed(result=study) if study is not None:
            _boxes(study, picture)


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
            same = _as_shown(config, outcome.finished.config)
            plan.append(PlannedRun(outcome.name, config.seed, same, draw, (draw, config.algorithm)))
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


def _as_shown(config: RunConfig, shown: RunConfig) -> RunConfig:
    """Give a repetition the model that was chosen for the shown run, and the starts that it got for equal work.

    Chosen anew, models would differ between dots of one box, whose nll is then not that of one model.
    """
    algorithm = ALGORITHMS[config.algorithm]
    config = config.with_model_of(shown) if algorithm.uses_model else config
    return config if algorithm.is_chain else replace(config, n_init=shown.n_init)


class StudyTask:
    """A study as a background task.

    Parameters
    ----------
    study : Repetition

    Attributes
    ----------
    result : Repetition
        With the runs that are finished.
    """

    waits, resumes = True, False

    def __init__(self, study: Repetition) -> None:
        self.result = study
        self._begun = time.monotonic()

    def steps(self) -> Iterator[float]:
        """Run everything."""
        return self.result.steps()

    def picture(self) -> None:
        """Show only progress."""

    def finish(self, stopped: bool) -> None:
        """Do nothing: the study already holds the finished runs."""

    def stages(self) -> list[Stage]:
        """Report how many runs are done, and the time left by the pace so far."""
        progress = Progress(self.result.n_done, len(self.result.plan), time.monotonic() - self._begun)
        return [Stage(progress.done / progress.total, f"Runs: {progress}")]


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
                chart(figure, f"compare box {score}", has_bar=False)
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
        scaling=frame["run"].map({name: finished.choice.way for name, finished in picture.runs}),
        principal_components=choice.n_components,
    )
