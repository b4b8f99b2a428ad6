"""The Tune page: what every parameter does and how to choose it, over many real runs on the chosen data."""

from __future__ import annotations

import streamlit as st

from dpviz.ui.controls.data_controls import chosen_in_sidebar, completed, heading, say_rows
from dpviz.ui.controls.directions_offer import offer
from dpviz.ui.controls.run_controls import default_config
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import PreparedData, for_distances
from dpviz.ui.shell import links
from dpviz.ui.tune import cluster_counts as tune_counts
from dpviz.ui.tune import coarsening as tune_coarsening
from dpviz.ui.tune import concentration_and_power as tune_partition
from dpviz.ui.tune import family_prior as tune_prior
from dpviz.ui.tune import grid as tune_grid
from dpviz.ui.tune import links as tune_links
from dpviz.ui.tune import models as tune_models
from dpviz.ui.tune import recommendation as tune_recommendation
from dpviz.ui.tune import report
from dpviz.ui.tune import search_quality as tune_search

RECOMMENDATION, GRID = "Recommendation", "One or two parameters"
CONCENTRATION, POWER, COUNTS = "Choose N0", "Choose r", "Choose λ or K"
PRIOR, SEARCH, COARSENING = "Choose the prior", "Search quality", "Choose α"
MODELS = "Choose the model"
TABS = {
    RECOMMENDATION: "recommendation",
    GRID: "grid",
    CONCENTRATION: "N0",
    POWER: "r",
    COUNTS: "counts",
    PRIOR: "prior",
    MODELS: "models",
    COARSENING: "alpha",
    SEARCH: "search",
}
"""Names of the tabs on the page and in links."""


def _show_counts(whole: PreparedData) -> None:
    """Draw the tab about λ and K, beside each other."""
    with st.sidebar:
        prepared = for_distances(completed(whole, "DP-means, K-means and E-M need complete rows"))
    say_rows(prepared, whole)
    left, right = st.columns(2, gap="large")
    with left, errors_shown():
        tune_counts.show_penalty(prepared)
    with right, errors_shown():
        tune_counts.show_n_clusters(prepared)


PLACES = {
    RECOMMENDATION: tune_recommendation.show,
    GRID: tune_grid.show,
    COUNTS: _show_counts,
    CONCENTRATION: tune_partition.show_concentration,
    POWER: tune_partition.show_power,
    PRIOR: tune_prior.show,
    MODELS: tune_models.show,
    COARSENING: tune_coarsening.show,
    SEARCH: tune_search.show,
}
_PLACE = "tune.place"


def show() -> None:
    """Draw the page."""
    prepared = chosen_in_sidebar(gaps=True)
    if prepared is None:
        return
    choice = prepared.choice
    links.remember(choice)
    asked = tune_links.restore(choice)
    if asked is not None:
        state.put({_PLACE: next(words for words, name in TABS.items() if name == asked)})
    heading(prepared)
    offer(choice, default_config("mapdp", prepared), "tune")
    place = segments("What to tune", _PLACE, list(TABS))
    with errors_shown():
        PLACES[place](prepared)
    tune_links.remember(TABS[place], choice)
    report.offer(prepared)
