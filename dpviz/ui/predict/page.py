"""The Predict page: clusters of further points under a finished run, probabilities, and the decisive columns."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from dpviz.arrays import FloatArray
from dpviz.errors import DpvizError
from dpviz.text import escape_markdown
from dpviz.ui.controls.data_controls import data_controls, heading
from dpviz.ui.controls.setting import Setting, control, is_number, tab, whole
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.predict import answer, folds, form, runs, table
from dpviz.ui.predict.runs import Known
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import PreparedData, prepare
from dpviz.ui.session.scale import Level
from dpviz.ui.shell import links, prior_factors
from dpviz.ui.shell.page_link import PageLink

POINT, TABLE, FOLDS = "One point", "A table", "How well does it predict?"
TABS = {POINT: "point", TABLE: "table", FOLDS: "folds"}
"""Names of the tabs on the page and in links."""
_PLACE, _POINT = "predict.tab", "predict linked point"
LINK = PageLink("predict")
SCALE_LOST = "The link's scale could not be read, so the run predicts with the clusters that it found."
LARGEST = 1e300


def settings(known: Known | None = None, point: FloatArray | None = None) -> tuple[Setting, ...]:
    """Return what the address holds, of the run that predicts and the point that is asked for."""

    def scale() -> str | None:
        return None if known is None or known.finished.scale is None else str(known.finished.scale.level)

    def cells() -> list[float | None] | None:
        return None if point is None else [None if math.isnan(cell) else cell for cell in point.tolist()]

    return (
        Setting("run", _read_run, lambda: known and known.finished.exact_settings.to_query(), is_long=True),
        Setting("scale", _read_scale, scale, is_long=True, unreadable=SCALE_LOST),
        tab(_PLACE, TABS),
        control("folds", folds.N_FOLDS, whole(2, folds.MOST)),
        Setting("point", _read_point, cells, is_long=True),
    )


def _read_run(query: Any) -> None:
    runs.follow(prior_factors.from_query(query, state.chosen_data()))


def _read_scale(text: Any) -> None:
    """Join the clusters of the link's run."""
    runs.follow_scale(Level.read(str(text)))


def _read_point(cells: Any) -> None:
    if not isinstance(cells, list) or not all(cell is None or is_number(cell, LARGEST) for cell in cells):
        raise ValueError("no point")
    st.session_state[_POINT] = cells


def show() -> None:
    """Draw the page."""
    prepared = _prepared()
    if prepared is None:
        return
    choice = prepared.choice
    links.remember(choice)
    LINK.restore(settings())
    heading(prepared)
    with errors_shown():
        known = runs.chosen(choice)
        if known is not None:
            _predict(known)


def _prepared() -> PreparedData | None:
    """Choose data in the sidebar; kept rows with missing cells stay, since some methods accept them."""
    with st.sidebar:
        choice = data_controls()
    try:
        return prepare(choice)
    except DpvizError as error:
        st.error(escape_markdown(str(error)))
        return None


def _predict(known: Known) -> None:
    runs.introduce(known)
    place = segments("What to predict", _PLACE, list(TABS))
    linked = st.session_state.pop(_POINT, None)
    if linked is not None and len(linked) == known.prepared.dataset.n_features:
        form.put(known, linked)
    point = None
    with errors_shown():
        if place == POINT:
            point = _one_point(known)
        elif place == TABLE:
            table.show(known)
        else:
            folds.show(known)
    LINK.remember(settings(known, point))


def _one_point(known: Known) -> FloatArray:
    """Draw the form and the answer, whose text comes first, so that a phone shows it first."""
    words = st.container()
    left, right = st.columns(2, gap="large")
    with left:
        point = form.entered(known)
    with errors_shown():
        asked = answer.ask(known, point)
        with words:
            answer.show_words(known, asked)
        with right:
            answer.show_probabilities(known, asked)
            answer.show_place(known, asked)
        answer.show_why(known, asked)
    return point
