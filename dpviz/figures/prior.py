"""A small picture of the prior over the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dpviz.arrays import FloatArray


def prior_ellipses(points: FloatArray, ellipses: Sequence[tuple[FloatArray, FloatArray]]) -> go.Figure:
    """Draw typical clusters under the prior over the points.

    Parameters
    ----------
    points : ndarray (n, 2)
        A sample of the data in displayed coordinates, small enough for vectors.
    ellipses : sequence of (centre (2,), half_axes (2, 2))
        Boundaries ``centre + half_axes @ [cos t, sin t]``, e.g. two standard deviations of clusters drawn from it.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    angle = np.linspace(0, 2 * np.pi, 60)
    circle = np.array([np.cos(angle), np.sin(angle)])
    figure = go.Figure(
        go.Scatter(
            x=points[:, 0], y=points[:, 1], mode="markers", marker={"size": 2.5, "color": "#999999"}, hoverinfo="skip"
        )
    )
    for centre, half_axes in ellipses:
        x, y = centre[:, None] + half_axes @ circle
        figure.add_scatter(x=x, y=y, mode="lines", line={"color": "#4477AA", "width": 1.5}, hoverinfo="skip")
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.6 * np.maximum(high - low, 1e-9)
    return _small(figure, (low[0] - margin[0], high[0] + margin[0]), (low[1] - margin[1], high[1] + margin[1]))


def prior_curves(values: FloatArray, grid: FloatArray, curves: Sequence[tuple[FloatArray, FloatArray]]) -> go.Figure:
    """Draw typical clusters' densities under the prior over one column's histogram.

    Parameters
    ----------
    values : ndarray (n,)
    grid : ndarray (G,)
        Its ends are those of the picture.
    curves : sequence of (ndarray (H,), ndarray (H,))
        Places and values of each density, per unit of the data.
    """
    figure = go.Figure(go.Histogram(x=values, histnorm="probability density", marker_color="#bbbbbb", nbinsx=40))
    for x, y in curves:
        figure.add_scatter(x=x, y=y, mode="lines", line={"color": "#4477AA", "width": 1.5}, hoverinfo="skip")
    return _small(figure, (grid[0], grid[-1]), None)


def _small(figure: go.Figure, x_range: tuple[float, float], y_range: tuple[float, float] | None) -> go.Figure:
    figure.update_layout(
        height=190, margin={"l": 4, "r": 4, "t": 4, "b": 4}, showlegend=False, dragmode=False, bargap=0.05
    )
    figure.update_xaxes(range=x_range, showticklabels=False, showgrid=False, zeroline=False)
    figure.update_yaxes(range=y_range, showticklabels=False, showgrid=False, zeroline=False)
    return figure
