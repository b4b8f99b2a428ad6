"""The Tune page: what every parameter does and how to choose it, over many real runs on the chosen data."""

from __future__ import annotations

import streamlit as st

from dpviz.errors import DpvizError
from dpviz.text import escape_markdown
from dpviz.ui.controls.data_controls import data_controls
from dpviz.ui.data.sources import errors_shown, segments
from dpviz.ui.session.chosen_data import PreparedData, prepare
from dpviz.ui.shell import links
from dpviz.ui.tune import cluster_counts as tune_counts
from dpviz.ui.tune import concentration_and_power as tune_partition
from dpviz.ui.tune import family_prior as tune_prior
from dpviz.ui.tune import grid as tune_grid
from dpviz.ui.tune import search_quality as tune_search

GRID, CONCENTRATION, POWER, COUNTS = "One or two parameters", "Choose N0", "Choose r", "Choose λ or K"
PRIOR, SEARCH = "Choose the prior", "Search quality"
PLACES = {
    GRID: tune_grid.show,
    CONCENTRATION: tune_partition.show_concentration,
    POWER: tune_partition.show_power,
    PRIOR: tune_prior.show,
    SEARCH: tune_search.show,
}


def show() -> None:
    """Draw the page."""
    with st.sidebar:
        choice = data_controls()
    try:
        prepared = prepare(choice)
    except DpvizError as error:
        st.error(escape_markdown(str(error)))
        return
    if choice.source == "session":
        st.query_params.pop("data", None)
    links.remember(choice)
    _heading(prepared)
    place = segments("What to tune", "tune.place", [GRID, CONCENTRATION, POWER, COUNTS, PRIOR, SEARCH])
    if place == COUNTS:
        left, right = st.columns(2, gap="large")
        with left, errors_shown():
            tune_counts.show_penalty(prepared)
        with right, errors_shown():
            tune_counts.show_n_clusters(prepared)
        return
    with errors_shown():
        PLACES[place](prepared)


def _heading(prepared: PreparedData) -> None:
    n_points, n_features = prepared.X.shape
    st.markdown(f"#### {escape_markdown(prepared.dataset.title)}")
    notes = "\n\n".join(escape_markdown(note) for note in prepared.notes)
    st.caption(f"{n_points:,} points, {n_features} column{'s' if n_features > 1 else ''}", help=notes or None)
