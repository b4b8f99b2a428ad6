"""How wide clusters are, whether their shape is learned, and how literally their model is taken: a control each."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpviz.engine.options import COARSENING
from dpviz.families.automatic import AUTOMATIC, REAL
from dpviz.families.base import WIDTH
from dpviz.fit.shape import N_FOLDS
from dpviz.fit.width import MOST_POINTS, WIDTHS
from dpviz.parameters import Size
from dpviz.ui.controls import widgets
from dpviz.ui.session.chosen_data import PreparedData

EXACT = "exact"
"""Stands for a model that is taken at its word."""
TITLE = "How wrong may the model be?"
ABOUT_COARSENING = (
    "Clusters are never quite the bell curves, or the independent counts and codes, of the model: with many points "
    "even small departures become clusters of their own. Here the likelihood of each of N points is taken to the power "
    "α/(α + N): each counts less in the fit of clusters, but as a whole one in the partition prior. Groups whose fit "
    "gains little are joined, and with a small α clear ones too. The Tune page shows K and fit over α."
)
LEARN_SHAPE = "Learn the shape of clusters"
ABOUT_SHAPE = (
    "The prior then expects the covariance that the clusters found have within them, taken together, instead of that "
    f"of all the data. Both are fitted {N_FOLDS} times without a part of the rows, and the shape is used only if those "
    "rows have the higher density under it. It takes about three times as long as choosing a width."
)
ABOUT_WIDTH = (
    "Times the variance of all the data. 1 is the usual prior, which overlooks clusters when there are many narrow "
    "ones; above 1 the prior weighs more, which many columns need. By nll: every run chooses it, by brief runs of "
    f"MAP-DP at {len(WIDTHS)} widths from {WIDTHS[0]:g} to 1/{1 / WIDTHS[-1]:g}, of which it takes the one of lowest "
    "nll: seconds for some thousand points in few columns, longer in many. Of more than "
    f"{MOST_POINTS:,} points a sample decides."
)


def width_control(key: str) -> float | str:
    """Draw the slider and return the width, or that every run chooses it."""
    width: float | str = widgets.log_slider_or(
        AUTOMATIC, "by nll", WIDTH.words, key, *WIDTH.slider_range(), help=ABOUT_WIDTH
    )
    return width


def can_learn(family: str, kinds: Sequence[str] | None = None) -> bool:
    """Whether a shape can be learned under a family, for columns of these kinds if the family follows from them."""
    return family in REAL or family == AUTOMATIC and not kinds


def shape_control(key: str) -> bool:
    """Draw the switch and return whether the shape is to be learned."""
    return widgets.toggle(LEARN_SHAPE, key, False, help=ABOUT_SHAPE)


def coarsening_control(key: str, prepared: PreparedData) -> float | None:
    """Draw the slider and return α, or None if the model is taken at its word."""
    n_points, n_features = prepared.X.shape
    lower, upper = COARSENING.slider_range(Size(n_points, n_features))
    value = widgets.log_slider_or(
        EXACT, "not at all", TITLE, key, lower, max(upper, 100.0), falling=True, help=ABOUT_COARSENING
    )
    if value == EXACT:
        return None
    weight = value / (value + n_points)
    st.caption(
        f"α = {value:.4g}: in the fit of clusters each of the {n_points:,} points counts {weight:.3g}, all together "
        f"{n_points * weight:.4g}. A small α joins clear groups too. The nll holds this power, not comparable with "
        "that of another α, family or hyperparameter."
    )
    return float(value)
