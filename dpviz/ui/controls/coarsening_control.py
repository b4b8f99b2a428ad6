"""The slider of how literally the model is taken."""

from __future__ import annotations

import streamlit as st

from dpviz.engine.options import COARSENING
from dpviz.parameters import Size
from dpviz.ui.controls import widgets
from dpviz.ui.session.chosen_data import PreparedData

EXACT = "exact"
"""Stands for a model that is taken at its word."""
TITLE = "How wrong may the model be?"
ABOUT = (
    "Clusters are never quite the bell curves, or the independent counts and codes, of the model: with many points "
    "even small departures become clusters of their own. Here the likelihood of each of N points is taken to the power "
    "α/(α + N): each counts less in the fit of clusters, but as a whole one in the partition prior. Groups whose fit "
    "gains little are joined, and with a small α clear ones too. The Tune page shows K and fit over α."
)


def coarsening_control(key: str, prepared: PreparedData) -> float | None:
    """Draw the slider and return α, or None if the model is taken at its word."""
    n_points, n_features = prepared.X.shape
    lower, upper = COARSENING.slider_range(Size(n_points, n_features))
    value = widgets.log_slider_or(EXACT, "not at all", TITLE, key, lower, max(upper, 100.0), falling=True, help=ABOUT)
    if value == EXACT:
        return None
    weight = value / (value + n_points)
    st.caption(
        f"α = {value:.4g}: in the fit of clusters each of the {n_points:,} points counts {weight:.3g}, all together "
        f"{n_points * weight:.4g}. A small α joins clear groups too. The nll holds this power, not comparable with "
        "that of another α, family or hyperparameter."
    )
    return float(value)
