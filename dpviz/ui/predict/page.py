"""The Predict page: clusters of further points under a finished run, probabilities, and the decisive columns."""

from __future__ import annotations

import streamlit as st

from dpviz.arrays import FloatArray
from dpviz.errors import DpvizError
from dpviz.text import escape_markdown
from dpviz.ui.controls.data_controls import data_controls, heading
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.predict import answer, folds, form, runs, table
from dpviz.ui.predict import links as predict_links
from dpviz.ui.predict.runs import Known
from dpviz.ui.session.chosen_data import PreparedData, prepare
from dpviz.ui.shell import links

POINT, TABLE, FOLDS = "One point", "A table", "How well does it predict?"
TABS = {POINT: "point", TABLE: "table", FOLDS: "folds"}
"""Names of the tabs on the page and in links."""
_PLACE = "predict.tab"


def show() -> None:
    """Draw the page."""
    prepared = _prepared()
    if prepared is None:
        return
    choice = prepared.choice
    links.remember(choice)
    predict_links.restore(TABS, _PLACE)
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
    linked = predict_links.take_point()
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
    predict_links.remember(known.finished.exact_settings, known.finished.scale, TABS[place], point)


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
        with left:
            answer.show_probabilities(known, asked)
        with right:
            answer.show_place(known, asked)
        answer.show_why(known, asked)
    return point
