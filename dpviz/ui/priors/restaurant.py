"""Chinese restaurants that fill up, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dpviz.partition import PartitionPrior
from dpviz.ui.controls import widgets
from dpviz.ui.controls.widgets import segments
from dpviz.ui.priors.component import panel_of, restaurants
from dpviz.ui.priors.controls import seed_control, with_numbers
from dpviz.ui.session.kept import remembered

ONE_BY_ONE, FIXED = "Seat one by one", "Draw at fixed N"
MOST_CUSTOMERS = 400
STYLE = ".st-key-restaurants {min-height: 34rem}"
"""Keeps the place of one restaurant and its chart before the browser has made them."""


def show(priors: Sequence[PartitionPrior]) -> None:
    """Draw the tab."""
    st.caption(
        "Customers come in one after the other. Each joins a table, a full one more readily than a small one, or "
        "opens a new one: tables are clusters. All restaurants are drawn from one seed."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_points = widgets.number("Customers", "priors.customers", 100, 2, MOST_CUSTOMERS, width=150)
        seed = seed_control("priors.seed")
        sequential = True
        if any(not prior.reduced().consistent for prior in priors):
            sequential = segments("Powered and generalised", "priors.notion", [ONE_BY_ONE, FIXED]) == ONE_BY_ONE
    panels = [panel(prior, n_points, seed, sequential) for prior in priors]
    with st.container(key="restaurants"):
        seated = restaurants(panels, "priors restaurants")
    _say_what_is_shown(priors, seated, n_points, sequential)


@remembered(20_000_000)
def panel(prior: PartitionPrior, n_points: int, seed: int, sequential: bool) -> dict[str, Any]:
    """Cache the browser's data of one restaurant."""
    return panel_of(prior, n_points, seed, sequential, with_numbers(prior))


def _say_what_is_shown(priors: Sequence[PartitionPrior], seated: int, n_points: int, sequential: bool) -> None:
    said = [f"The playhead rests at customer {seated} of {n_points}."]
    if any(prior.reduced().consistent for prior in priors):
        said.append(
            "“In the long run” is a stick broken into pieces, one per table in the order of opening: the shares after "
            "infinitely many customers, drawn given those of all customers here. What is grey belongs to new tables."
        )
    if any(not prior.reduced().consistent for prior in priors):
        said.append(
            "Powered and generalised restaurants have two laws. Seating one by one depends on the order of customers; "
            "at fixed N the order does not matter, and that is the law of Gibbs sampling and MAP-DP. "
            + ("Here customers are seated one by one." if sequential else "Here each is one exact draw at fixed N.")
        )
    st.caption(" ".join(said))
