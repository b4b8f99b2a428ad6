"""Chinese restaurants that fill up, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dpviz.partition import PartitionPrior
from dpviz.ui.controls import widgets
from dpviz.ui.controls.widgets import segments
from dpviz.ui.priors.component import keep_playhead, panel_of, restaurants, turned
from dpviz.ui.priors.controls import dials_of, parameter_key, seed_control, side_by_side, with_numbers
from dpviz.ui.priors.dials import Dial, films_of
from dpviz.ui.session import state
from dpviz.ui.session.kept import remembered

ONE_BY_ONE, FIXED = "Seat one by one", "Draw at fixed N"
MOST_CUSTOMERS = 400
_KEY = "priors restaurants"
STYLE = """
.st-key-restaurants {min-height: 34rem}
.st-key-priors-numbers {flex: 1; min-width: min(100%, 16rem)}
[data-testid="stPopoverBody"] [data-testid="stButtonGroup"] button[data-selected="true"] p {color: inherit}
"""
"""Keeps the place of one restaurant and its chart before the browser has made them."""


def show(suited: Sequence[str]) -> None:
    """Draw the tab: what the restaurants are, and behind "More" everything else but their numbers, which they have."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        numbers = st.container(key="priors-numbers")
        more = st.popover("More", icon=":material/tune:")
    with numbers:
        st.caption(
            "Your points are the customers of a restaurant, and its tables are clusters. Each customer takes a seat at "
            "a table, rather at one where many sit, or opens a new one: the larger N0, the more often."
        )
        priors = side_by_side(suited, more, with_dials=True)
    with more:
        n_points, seed, sequential = _evening(priors)
    panels = [panel(prior, n_points, seed, sequential) for prior in priors]
    dials = dials_of([prior.name for prior in priors])
    films = films_of(
        dials, priors, lambda prior: panel(prior, n_points, seed, sequential) if prior.constant_tables else None
    )
    with st.container(key="restaurants"):
        seated = restaurants(panels, _KEY, dials, films, lambda: _take(dials))
    _say_what_is_shown(priors, seated, n_points, sequential)


def leave() -> None:
    """Note that another tab is shown, so that the playhead is where it was when this one is opened again."""
    keep_playhead(_KEY)


def _take(dials: Sequence[Dial]) -> None:
    """Keep where a dial came to rest."""
    found = turned(_KEY, dials)
    if found is not None:
        state.put({parameter_key(found[0].name): found[1]})


def _evening(priors: Sequence[PartitionPrior]) -> tuple[int, int, bool]:
    """Choose how many customers come, the seed of all restaurants, and how they are seated if there are two ways."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_points = widgets.number("Customers", "priors.customers", 100, 2, MOST_CUSTOMERS, width=150)
        seed = seed_control("priors.seed")
        sequential = True
        if any(not prior.reduced().consistent for prior in priors):
            sequential = segments("Powered and generalised", "priors.notion", [ONE_BY_ONE, FIXED]) == ONE_BY_ONE
    return n_points, seed, sequential


@remembered(20_000_000)
def panel(prior: PartitionPrior, n_points: int, seed: int, sequential: bool) -> dict[str, Any]:
    """Cache the browser's data of one restaurant."""
    return panel_of(prior, n_points, seed, sequential, with_numbers(prior))


def _say_what_is_shown(priors: Sequence[PartitionPrior], seated: int, n_points: int, sequential: bool) -> None:
    said = [f"The playhead rests at customer {seated} of {n_points}."]
    if any(prior.reduced().consistent for prior in priors):
        said.append(
            "“In the long run”: the share of each table, in the order of opening, if customers came in for ever. "
            "Tables that open later have theirs, too; grey is what remains for all beyond. All restaurants are drawn "
            "from one seed."
        )
    if any(not prior.reduced().consistent for prior in priors):
        said.append(
            "Powered and generalised restaurants have two laws. Seating one by one depends on the order of customers; "
            "at fixed N the order does not matter, and that is the law of Gibbs sampling and MAP-DP. "
            + ("Here customers are seated one by one." if sequential else "Here each is one exact draw at fixed N.")
        )
    st.caption(" ".join(said))
