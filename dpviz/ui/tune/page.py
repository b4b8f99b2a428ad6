"""The Tune page: what every parameter does and how to choose it, over many real runs on the chosen data."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dpviz.config_versions import VERSION, check_version
from dpviz.ui.controls import model_control
from dpviz.ui.controls.both_answers import offer_directions
from dpviz.ui.controls.data_controls import chosen_in_sidebar, completed, heading, say_rows
from dpviz.ui.controls.run_controls import default_config
from dpviz.ui.controls.setting import Setting, control, is_number, is_text, tab
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData, for_distances
from dpviz.ui.shell import links, prior_factors
from dpviz.ui.shell.page_link import PageLink
from dpviz.ui.tune import cluster_counts as tune_counts
from dpviz.ui.tune import coarsening as tune_coarsening
from dpviz.ui.tune import computation, method_controls, report
from dpviz.ui.tune import concentration_and_power as tune_partition
from dpviz.ui.tune import family_prior as tune_prior
from dpviz.ui.tune import grid as tune_grid
from dpviz.ui.tune import models as tune_models
from dpviz.ui.tune import recommendation as tune_recommendation
from dpviz.ui.tune import search_quality as tune_search
from dpviz.ui.tune.tabs import (
    COARSENING,
    CONCENTRATION,
    COUNTS,
    GRID,
    MODELS,
    POWER,
    PRIOR,
    RECOMMENDATION,
    SEARCH,
    TABS,
)


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
LINK = PageLink("tune")
BASE_LOST = "The link's starting point could not be restored."
MODEL_LOST = "The link's model could not be restored, so it is chosen again."
PREFIXES = {
    "recommendation": ("recommendation",),
    "grid": ("grid", "range"),
    "N0": ("concentration", "N0"),
    "r": ("power", "r"),
    "counts": ("asked", "bic"),
    "prior": ("prior",),
    "models": ("models",),
    "alpha": ("coarsening",),
    "search": ("search",),
}
"""First parts of the names of the controls, by tab."""
_NAME = re.compile(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]*){0,6}")
_TEXTS = {"method", "first", "second", "family", "partition", "measure", "way"}
_SWITCHES = {"log", "folds"}
_UNLINKED = {"selected", "csv", "open", "take", "back", "run", "cancel", "continue"}


def settings(choice: DataChoice) -> tuple[Setting, ...]:
    """Return what the address holds beside the controls of the tab.

    The version is that of the configurations with which the tabs begin, ``held`` the model that short runs chose. A
    link without a starting point or a model that can be had has its tab and its controls all the same.
    """

    def base() -> dict[str, str] | None:
        config = model_control.given(method_controls.PAGE, choice)
        return None if config is None else config.to_query()

    return (
        Setting("version", _check_version, lambda: VERSION, default=None),
        Setting("base", partial(_read_base, choice), base, is_long=True, unreadable=BASE_LOST),
        *(replace(own, unreadable=MODEL_LOST) for own in model_control.settings_of_link(method_controls.PAGE, choice)),
        tab(_PLACE, TABS),
    )


def _check_version(version: Any) -> None:
    check_version({} if version is None else {"version": version})


def _read_base(choice: DataChoice, query: Any) -> None:
    """Start all tabs from the configuration of a link."""
    method_controls.take_over(prior_factors.from_query(query, choice), choice)


def setting_of(name: str) -> Setting | None:
    """Return the setting of a control of this name, which takes values of its kind; None if no tab has one."""
    if len(name) > 120 or not _NAME.fullmatch(name):
        return None
    first, parts = name.split(".")[0], set(name.split("."))
    if _UNLINKED & parts or not any(first in prefixes for prefixes in PREFIXES.values()):
        return None
    allows = _is_switch if _SWITCHES & parts else is_text if _TEXTS & parts else is_number
    return control(name, f"tune.{name}", allows, is_long=True)


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _controls_of(name: str) -> list[Setting]:
    """Return the settings of the controls of a tab that were drawn."""
    drawn = sorted(key.removeprefix("tune.") for key in state.settings() if key.startswith("tune."))
    found = (setting_of(own) for own in drawn if own.split(".")[0] in PREFIXES[name])
    return [setting for setting in found if setting is not None]


def show() -> None:
    """Draw the page."""
    prepared = chosen_in_sidebar(gaps=True)
    if prepared is None:
        return
    choice = prepared.choice
    links.remember(choice)
    computation.arrive(LINK.restore(settings(choice), setting_of) or links.arrived())
    heading(prepared)
    offer_directions(choice, default_config("mapdp", prepared), "tune")
    place = segments("What to tune", _PLACE, list(TABS))
    with errors_shown():
        PLACES[place](prepared)
    # the starting point has the longest values, and goes first where not all of them fit
    LINK.remember([*_controls_of(TABS[place]), *settings(choice)])
    report.offer(prepared)
