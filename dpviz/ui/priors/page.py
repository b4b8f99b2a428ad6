"""The Priors page: partition priors, and priors of clusters, before any data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dpviz.errors import InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.parameters import Parameter
from dpviz.partition import PARTITION_PRIORS
from dpviz.ui.controls.data_controls import chosen_in_sidebar
from dpviz.ui.controls.setting import Setting, control, is_number, is_text, one_of, tab, whole
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.priors import continuum, counts, data_sets, elicit, restaurant, sizes
from dpviz.ui.priors.controls import parameter_key, shared_parameters
from dpviz.ui.session import state
from dpviz.ui.shell import links

RESTAURANT, COUNTS, SIZES = "Restaurants", "Number of clusters", "Sizes of clusters"
DATA_SETS, ELICIT, CONTINUUM = "Data sets", "From K to N0", "Gibbs to K-means"
TABS = {
    RESTAURANT: "restaurants",
    COUNTS: "counts",
    SIZES: "sizes",
    DATA_SETS: "data",
    ELICIT: "elicit",
    CONTINUUM: "continuum",
}
"""Names of the tabs on the page and in links."""
SIDE_BY_SIDE = {COUNTS: counts.show, SIZES: sizes.show}
"""Tabs that show several priors at once."""
SUITED = {
    RESTAURANT: ("chinese_restaurant",),
    COUNTS: ("chinese_restaurant", "pitman_yor", "finite_mixtures"),
    SIZES: ("chinese_restaurant", "pitman_yor", "powered"),
}
"""Priors that these tabs open with: one restaurant to watch; K that grows like ln N, like a power of N or not at all;
sizes that fall fast, by a power law, or behind one giant."""
FOR_DATA = {DATA_SETS: data_sets.show, ELICIT: elicit.show, CONTINUUM: continuum.show}
"""Tabs about one prior and the chosen data."""
_PLACE = "priors.place"
STYLE = restaurant.STYLE
ALLOWED: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("customers", "points", "seed", "draw_points", "draw_columns", "draw_seed", "draw_taken"), whole()),
    **dict.fromkeys(("expected_points", "expected_from", "expected_to"), whole()),
    **dict.fromkeys(("temperature", "penalty_factor", "variance_share"), is_number),
    **dict.fromkeys(("notion", "draw_from"), is_text),
    **dict.fromkeys(("draw_prior", "expected_prior", "continuum_prior"), one_of(PARTITION_PRIORS)),
    "draw_family": one_of(FAMILIES),
}
"""What links may set beside the priors and their parameters; the controls keep it within their bounds."""


def settings() -> list[Setting]:
    """Return what the address holds."""
    own = {
        name: is_number if parameter.number else partial(_is_readable, parameter)
        for name, parameter in shared_parameters().items()
    }
    allowed = {**ALLOWED, **own, "which": _are_priors}
    return [tab(_PLACE, TABS), *(control(name, parameter_key(name), allows) for name, allows in allowed.items())]


def _is_readable(parameter: Parameter, value: Any) -> bool:
    try:
        return bool(parameter.check(value))
    except InvalidParameterError:
        return False


def _are_priors(value: Any) -> bool:
    return (
        isinstance(value, list)
        and 0 < len(value) <= len(PARTITION_PRIORS)
        and all(map(one_of(PARTITION_PRIORS), value))
    )


def show() -> None:
    """Draw the page."""
    st.markdown("#### Priors")
    place = segments("What to look at", _PLACE, list(TABS))
    prepared = chosen_in_sidebar() if place in FOR_DATA else None
    links.remember(state.chosen_data() if prepared is None else prepared.choice)
    if place != RESTAURANT:
        restaurant.leave()
    with errors_shown():
        if place == RESTAURANT:
            restaurant.show(SUITED[place])
        elif place in SIDE_BY_SIDE:
            SIDE_BY_SIDE[place](SUITED[place])
        elif prepared is not None:  # else it was said why
            FOR_DATA[place](prepared)
