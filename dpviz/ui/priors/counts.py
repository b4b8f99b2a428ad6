"""How many clusters priors expect: the law of K, its growth with N, and the limit of finite mixtures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.analysis.prior_laws import distance_to_the_limit, logarithmic_growth
from dpviz.figures import prior_laws as figures
from dpviz.partition import ChineseRestaurant, FiniteDirichlet, PartitionPrior
from dpviz.text import escape_markdown, in_words
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.priors import laws
from dpviz.ui.priors.controls import seed_control, side_by_side

MOST_POINTS = 2_000
"""The exact laws of the powered and generalised restaurants take time quadratic in N."""
KEY = "priors law of K"
COMPONENTS = (2, 5, 10, 30, 100, 1_000)
CLUSTERS = (6, 3, 1)
"""Points that are there before one more comes."""


def points_and_seed() -> tuple[int, int]:
    """Choose N and the seed of the simulations."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_points = widgets.number("Points N", "priors.points", 500, 2, MOST_POINTS, width=150)
        return n_points, seed_control("priors.seed")


def asked(words: str, suited: Sequence[str]) -> tuple[DeltaGenerator, list[PartitionPrior], int, int]:
    """Ask a question, and choose the priors that answer it, N and the seed.

    Returns
    -------
    picture : DeltaGenerator
        Place of the picture, above the controls that are no sliders in it.
    priors : list of PartitionPrior
    n_points, seed : int
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.container(key="priors-numbers").markdown(words)
        more = st.popover("More", icon=":material/tune:")
    picture = st.container()
    with more:
        n_points, seed = points_and_seed()
    return picture, side_by_side(suited, more, with_dials=laws.is_live(n_points)), n_points, seed


def show(suited: Sequence[str]) -> None:
    """Draw the tab."""
    words = "**How many clusters?** Before any data, each prior gives some numbers more probability than others."
    picture, priors, n_points, seed = asked(words, suited)
    with picture:
        bring_films = _law_of_k(priors, n_points, seed)
    _growth(priors, n_points, seed)
    concentrations = [getattr(prior, "concentration", 0.0) for prior in priors]
    if max(concentrations, default=0.0) > 0:
        _limit(max(concentrations), n_points)
    bring_films()


def _law_of_k(priors: Sequence[PartitionPrior], n_points: int, seed: int) -> Callable[[], None]:
    seated = _not_consistent(priors)

    def marks(prior: PartitionPrior) -> dict[str, Any]:
        drawn = {"marks": laws.share_of_draws(laws.simulated(prior, n_points, seed, False))}
        one_by_one = (
            {"open": laws.share_of_draws(laws.simulated(prior, n_points, seed, True))} if prior in seated else {}
        )
        return drawn | one_by_one

    axes = {"x": "Clusters K", "y": "Probability", "log": False}
    bring = laws.show_curves(KEY, axes, priors, n_points, lambda prior: laws.count_panel(prior, n_points), marks)
    st.caption(
        f"Lines: exact law of K at N = {n_points:,}, by recursion. Marks: shares among {laws.N_DRAWS} draws each."
        + (" Open marks: customers seated one by one, another law of the same weights." if seated else "")
    )
    return bring


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
    chart(figures.growth(exact, drawn, seated, approximation), "priors growth")
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
    chart(figures.limit_of_components(exact, limit, distances), "priors limit")
    st.caption(
        f"Exact laws of K at N = {n_points:,} and N0 = {concentration:.4g}. In brackets the total variation from the "
        "restaurant, 1 for laws without any K in common; where they are many, ten times as many leave a tenth of it."
    )
    _one_more(concentration)


@st.fragment
def _one_more(concentration: float) -> None:
    """Let the number of components be turned, and say what one more point does."""
    n_components = widgets.log_slider("Components K", "priors.limit_components", 10.0, 5.0, 10_000.0, width=300)
    st.markdown(escape_markdown(one_more_point(concentration, int(n_components))))


def one_more_point(concentration: float, n_components: int) -> str:
    """Say where the next point goes in a finite mixture, more than ``len(CLUSTERS)`` components, and in its limit."""
    *joins, empty = FiniteDirichlet(concentration, n_components).seat_probabilities(CLUSTERS)
    *in_limit, new = ChineseRestaurant(concentration).seat_probabilities(CLUSTERS)
    chances, limits = (in_words([f"{chance:.4f}" for chance in own]) for own in (joins, in_limit))
    there = in_words([f"{size}" for size in CLUSTERS])
    return (
        f"With K = {n_components:,} components and clusters of {there} points, the next point joins these with "
        f"probability {chances}, and takes one of the empty components with {empty:.4f}; as K → ∞ with {limits}, and "
        f"{new:.4f}. A single empty component has {empty / (n_components - len(CLUSTERS)):.2g}, which tends to 0; all "
        "of them together do not (Paisley, lecture 10, eqs. 11 to 17)."
    )


def _not_consistent(priors: Sequence[PartitionPrior]) -> list[PartitionPrior]:
    return [prior for prior in priors if not prior.reduced().consistent]
