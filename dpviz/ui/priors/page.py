"""The Priors page: partition priors, and priors of clusters, before any data."""

from __future__ import annotations

import streamlit as st

from dpviz.ui.controls.data_controls import chosen_in_sidebar
from dpviz.ui.controls.widgets import segments
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.priors import continuum, counts, data_sets, elicit, restaurant, sizes
from dpviz.ui.priors import links as priors_links
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


def show() -> None:
    """Draw the page."""
    priors_links.restore(TABS, _PLACE)
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
    priors_links.remember(TABS[place])
