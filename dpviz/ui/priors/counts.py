"""How many clusters priors expect: the law of K, its growth with N, and the limit of finite mixtures."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dpviz.analysis.prior_laws import distance_to_the_limit, logarithmic_growth
from dpviz.figures import prior_laws as figures
from dpviz.figures.theme import PLAIN
from dpviz.partition import ChineseRestaurant, FiniteDirichlet, PartitionPrior
from dpviz.ui.controls import widgets
from dpviz.ui.priors import laws
from dpviz.ui.priors.controls import seed_control

MOST_POINTS = 2_000
"""The exact laws of the powered and generalised restaurants take time quadratic in N."""
COMPONENTS = (2, 5, 10, 30, 100, 1_000)


def points_and_seed() -> tuple[int, int]:
    """Choose N and the seed of the simulations."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_points = widgets.number("Points N", "priors.points", 500, 2, MOST_POINTS, width=150)
        return n_points, seed_control("priors.seed")


def show(priors: Sequence[PartitionPrior]) -> None:
    """Draw the tab."""
    n_points, seed = points_and_seed()
    _law_of_k(priors, n_points, seed)
    _growth(priors, n_points, seed)
    concentrations = [getattr(prior, "concentration", 0.0) for prior in priors]
    if max(concentrations, default=0.0) > 0:
        _limit(max(concentrations), n_points)


def _law_of_k(priors: Sequence[PartitionPrior], n_points: int, seed: int) -> None:
    st.markdown("**How many clusters?** Before any data, each prior gives some numbers more probability than others.")
    exact = {prior.title: laws.law(prior, n_points) for prior in priors}
    drawn = {prior.title: laws.simulated(prior, n_points, seed, False) for prior in priors}
    seated = {prior.title: laws.simulated(prior, n_points, seed, True) for prior in _not_consistent(priors)}
    st.plotly_chart(figures.laws_of_n_clusters(exact, drawn, seated), key="priors law of K", config=PLAIN)
    st.caption(
        f"Lines: exact law of K at N = {n_points:,}, by recursion. Marks: shares among {laws.N_DRAWS} draws each."
        + (" Open marks: customers seated one by one, another law of the same weights." if seated else "")
    )


def _growth(priors: Sequence[PartitionPrior], n_points: int, seed: int) -> None:
    st.markdown("**How does K grow?** More points bring more clusters: slowly, or like a power of N.")
    exact = {prior.title: laws.exact_growth(prior, n_points) for prior in priors}
    drawn = {prior.title: laws.simulated_growth(prior, n_points, seed, False) for prior in priors}
    seated = {prior.title: laws.simulated_growth(prior, n_points, seed, True) for prior in _not_consistent(priors)}
    restaurant = next((prior for prior in priors if isinstance(prior, ChineseRestaurant)), None)
    approximation = None
    if restaurant is not None:
        asked = laws.numbers_of_points(n_points)
        mean = logarithmic_growth(restaurant.concentration, asked)
        approximation = pd.DataFrame({"n_points": asked, "mean": mean})
    st.plotly_chart(figures.growth(exact, drawn, seated, approximation), key="priors growth", config=PLAIN)
    words = (
        f"Lines: the expected number at each N, exactly. Marks: means of {laws.N_SEATINGS} draws, ± two standard errors"
    )
    words += ", open where customers are seated one by one." if seated else "."
    if restaurant is not None:
        expected, roughly = exact[restaurant.title]["mean"].iloc[-1], mean[-1]
        words += f" Grey: the approximation, {roughly:.3g} at N = {n_points:,} where the restaurant has {expected:.3g}."
    st.caption(words)


def _limit(concentration: float, n_points: int) -> None:
    st.markdown(
        "**The limit of finite mixtures.** A Dirichlet mixture with ever more components, most of them empty, becomes "
        "the Chinese restaurant."
    )
    exact = {most: laws.law(FiniteDirichlet(concentration, most), n_points) for most in COMPONENTS}
    distances = distance_to_the_limit(concentration, n_points, COMPONENTS)
    limit = laws.law(ChineseRestaurant(concentration), n_points)
    st.plotly_chart(figures.limit_of_components(exact, limit, distances), key="priors limit", config=PLAIN)
    st.caption(
        f"Exact laws of K at N = {n_points:,} and N0 = {concentration:.4g}. In brackets the total variation from the "
        "restaurant, 1 for laws without any K in common; where they are many, ten times as many leave a tenth of it."
    )


def _not_consistent(priors: Sequence[PartitionPrior]) -> list[PartitionPrior]:
    return [prior for prior in priors if not prior.reduced().consistent]
