"""From an expected range of K to N0, and from there to the other pages."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import streamlit as st

from dpviz.analysis.elicitation import KEPT, Elicited, concentration_for, discount_curve
from dpviz.config import RunConfig
from dpviz.figures import prior_laws as figures
from dpviz.partition import PARTITION_PRIORS, PartitionPrior, PitmanYor
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import partition_control, run_controls, widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.priors.controls import one_prior, with_numbers
from dpviz.ui.priors.counts import MOST_POINTS
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import PreparedData
from dpviz.ui.shell import links, navigation
from dpviz.ui.stage import panels as compare_panels
from dpviz.ui.tune import method_controls

MOST_ELICITED = 10_000
"""Points for which laws of K are exact, under every prior."""
DISCOUNTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
MOST_EXPECTED = 30
OWN = "concentration"
"""Parameter to find."""
_COMPARED = ("mapdp", "gibbs")


def show(prepared: PreparedData) -> None:
    """Draw the tab."""
    st.markdown("**Give the range of K that you expect, and get the N0 for it.**")
    having = [name for name in PARTITION_PRIORS if any(p.name == OWN for p in PARTITION_PRIORS[name].parameters)]
    prior = one_prior("Under", "priors.expected_prior", having, left_out=(OWN,))
    begin = min(len(prepared.X), MOST_ELICITED)
    n_points = widgets.number("Number of points", "priors.expected_points", begin, 2, MOST_ELICITED, width=230)
    left, right = st.columns(2, gap="large")
    end = max(min(MOST_EXPECTED, prior.most_clusters(n_points)), 2)  # a slider needs two ends
    with left:
        lower = int(widgets.slider("At least this many clusters", "priors.expected_from", min(3, end), 1, end, 1))
    with right:
        upper = int(widgets.slider("At most this many clusters", "priors.expected_to", min(8, end), 1, end, 1))
    left, right = st.columns(2, gap="large")
    with left, errors_shown():
        found = elicited(prior, n_points, lower, upper)
        _law(found)
        _use(found, prepared)
    with right, errors_shown():
        _discounts(n_points, lower, upper)


@lru_cache(maxsize=256)
def elicited(prior: PartitionPrior, n_points: int, lower: int, upper: int) -> Elicited:
    """Cache the result."""
    return concentration_for(prior, n_points, lower, upper)


@lru_cache(maxsize=128)
def curve(n_points: int, lower: int, upper: int) -> list[Elicited]:
    """Cache N0 of Pitman–Yor by discount."""
    return discount_curve(n_points, lower, upper, DISCOUNTS)


def _law(found: Elicited) -> None:
    symbol = escape_markdown(found.prior.parameters[0].symbol)
    expected = _clusters_in_words(found.lower, found.upper)
    one_sided = found.lower == 1 or found.upper == found.prior.most_clusters(found.n_points)
    how = f"the farthest that still keeps {KEPT:.0%} in the range" if one_sided else "more than any other value does"
    st.markdown(
        f"**{symbol} = {found.concentration:.4g}** gives {expected} among {found.n_points:,} points a probability of "
        f"**{found.probability:.1%}**: {how}."
    )
    figure = figures.elicited_law(found.law, found.lower, found.upper)
    chart(figure, "priors elicited")
    said = (
        f"Exact law of K under {with_numbers(found.prior)}. Blue: the range; fewer clusters have {found.below:.1%}, "
        f"more have {found.above:.1%}; {found.expected:.3g} are expected."
    )
    st.caption(escape_markdown(said))


def _clusters_in_words(lower: int, upper: int) -> str:
    return counted(lower, "cluster") if lower == upper else f"{lower:d} to {upper:d} clusters"


def _use(found: Elicited, prepared: PreparedData) -> None:
    """Offer the prior to other pages."""
    prior, n_here = found.prior, len(prepared.X)
    method = partition_control.method_with(prior.name, state.settings().get("run.method"))
    if method is None:
        st.caption("No slider can hold the growth function, so this prior cannot be taken to another page.")
        return
    config = replace(run_controls.default_config(method, prepared), partition=prior)
    with st.container(horizontal=True):
        links.open_button(config, prepared.choice, "priors.use.explore", "Use on Explore")
        if st.button("Use on Compare", key="priors.use.compare", icon=":material/compare:"):
            compare_panels.set_panels(_compared(prior, prepared), compare_panels.Common(), prepared.choice)
            navigation.go_to("compare", "The comparison is set up; open the Compare page to see it.")
        if st.button("Use on Tune", key="priors.use.tune", icon=":material/tune:"):
            method_controls.take_over(config, prepared.choice)
            navigation.go_to("tune", "Tune starts from this prior now; open its page to see it.")
    if n_here == found.n_points:
        st.caption(f"On the chosen data, which have {n_here:,} points.")
    else:
        st.caption(f"The chosen data have {n_here:,} points, for which the same words mean another N0.")


def _compared(prior: PartitionPrior, prepared: PreparedData) -> list[RunConfig]:
    """Return the methods that accept the prior, MAP-DP and Gibbs sampling first, for a comparison."""
    methods = dict.fromkeys(partition_control.method_with(prior.name, method) for method in (*_COMPARED, "pcrp"))
    named = [method for method in methods if method is not None][: compare_panels.MOST]
    return [replace(run_controls.default_config(method, prepared), partition=prior) for method in named]


def _discounts(n_points: int, lower: int, upper: int) -> None:
    """Show that Pitman–Yor with many discounts expresses nearly the same."""
    if PitmanYor.name not in PARTITION_PRIORS:
        return
    if n_points > MOST_POINTS:
        st.caption(f"What a discount changes is computed for up to {MOST_POINTS:,} points.")
        return
    st.markdown("**With a discount** Pitman–Yor says it with another N0, and less surely.")
    found = curve(n_points, lower, upper)
    discounts = np.array([one.prior.to_dict()["discount"] for one in found])
    values = np.array([one.concentration for one in found]), np.array([one.probability for one in found])
    chart(figures.concentration_by_discount(discounts, *values), "priors discounts")
    st.caption(
        f"N0 of Pitman–Yor that puts most on {_clusters_in_words(lower, upper)} among {n_points:,} points, by "
        "discount, and how much that is. N0 may be negative down to −d: a large discount alone makes more clusters "
        "than that."
    )
