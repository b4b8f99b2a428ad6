"""A small picture of what the prior believes."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.engine.problem import Problem
from dpviz.families import Predictive
from dpviz.families.gaussian.normal import NormalParameters
from dpviz.figures.prior import prior_curves, prior_ellipses
from dpviz.ui.session.chosen_data import DataChoice, PreparedData

N_DRAWS = 10
N_POINTS = 1500


def show_beliefs(prepared: PreparedData, config: RunConfig) -> None:
    """Draw typical clusters under the prior over the data."""
    st.caption(f"What the prior expects: {N_DRAWS} clusters drawn from it, over your data in grey.")
    st.plotly_chart(
        _figure(prepared.choice, config.family, config.prior, prepared),
        config={"displayModeBar": False, "staticPlot": True},
        key="beliefs",
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _figure(choice: DataChoice, family: str, prior: object, _prepared: PreparedData) -> Any:
    return beliefs_figure(_prepared, RunConfig("mapdp", family=family, prior=prior))


def beliefs_figure(prepared: PreparedData, config: RunConfig) -> Any:
    """Build the picture: ten clusters drawn from the family's prior."""
    model = Problem(prepared.X, config).family
    display = prepared.display()
    rng = np.random.default_rng(0)
    sample = display.coordinates[rng.permutation(len(display.coordinates))[:N_POINTS]]
    drawn = [model.draw(rng) for _ in range(N_DRAWS)]
    normals = [parameters for parameters in drawn if isinstance(parameters, NormalParameters)]
    predictives = [Predictive(normal.mean - display.origin, normal.covariance, np.inf) for normal in normals]
    if sample.shape[1] == 2:
        return prior_ellipses(sample, [predictive.ellipse(0.865, display.directions) for predictive in predictives])
    x = sample[:, 0]
    margin = 0.5 * max(float(np.ptp(x)), 1e-9)
    grid = np.linspace(x.min() - margin, x.max() + margin, 200)
    curves = []
    for predictive in predictives:
        centre = float((display.directions @ predictive.location)[0])
        spread = float(np.sqrt((display.directions @ predictive.scale @ display.directions.T)[0, 0]))
        curves.append(np.exp(-0.5 * ((grid - centre) / spread) ** 2) / (spread * np.sqrt(2 * np.pi)))
    return prior_curves(x, grid, curves)
