"""A small picture of the clusters that a prior expects."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.problem import Problem
from dpviz.families.gaussian.predictive import ellipse_radius
from dpviz.families.shapes import Ellipses
from dpviz.figures.prior import prior_curves, prior_ellipses
from dpviz.figures.theme import MOST_VECTORS
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.kept import remembered

N_DRAWS = 10
RADIUS = float(ellipse_radius(0.865, np.array([np.inf]))[0])
"""Two standard deviations hold this share of a normal in the plane."""


def show_prior_picture(prepared: PreparedData, config: RunConfig) -> None:
    """Draw typical clusters under the prior over the data, if they have a shape that can be drawn."""
    figure = _figure(prepared.choice, config, prepared)
    if len(figure.data) < 2:
        st.caption("What the prior expects of clusters of this model has no picture in these coordinates.")
        return
    st.caption(f"What the prior expects: {N_DRAWS} clusters drawn from it, over your data in grey.")
    st.plotly_chart(
        figure,
        config={"displayModeBar": False, "staticPlot": True},
        key="prior picture",
    )


@remembered(20_000_000)
def _figure(choice: DataChoice, config: RunConfig, _prepared: PreparedData) -> Any:
    return prior_figure(_prepared, config)


def prior_figure(prepared: PreparedData, config: RunConfig) -> Any:
    """Build the picture: ten clusters drawn from the family's prior; the points alone where none can be drawn."""
    problem = Problem(prepared.X, config)
    model = problem.family if problem.directions is None and problem.powers is None else problem.model
    display = prepared.display()
    rng = np.random.default_rng(0)
    sample = display.coordinates[rng.permutation(len(display.coordinates))[:MOST_VECTORS]]
    drawn = [model.draw(rng).shapes() for _ in range(N_DRAWS)]
    shown = [shape and shape.projected(display.directions, display.origin) for shape in drawn]
    present = [shape for shape in shown if shape is not None]
    if sample.shape[1] == 2:
        ellipses = [ellipse for ellipse in (shape.ellipses() for shape in present) if ellipse is not None]
        return prior_ellipses(sample, [_two_deviations(ellipse) for ellipse in ellipses])
    x = sample[:, 0]
    margin = 0.5 * max(float(np.ptp(x)), 1e-9)
    grid = np.linspace(x.min() - margin, x.max() + margin, 200)
    grids = [shape.grid(x) if problem.family.kind != "real" else grid for shape in present]
    return prior_curves(x, grid, [(own, shape.curves(own)[0]) for own, shape in zip(grids, present, strict=True)])


def _two_deviations(ellipses: Ellipses) -> tuple[FloatArray, FloatArray]:
    """Return centre and half axes of the first ellipse at two standard deviations."""
    values, vectors = np.linalg.eigh(ellipses.scales[0])
    return ellipses.centres[0], vectors * np.sqrt(np.maximum(values, 0)) * RADIUS
