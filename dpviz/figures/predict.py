"""A further point among the clusters: its place, the probability of each cluster, and the decisive columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets import Display, dot_stack
from dpviz.figures.data import is_stacked, name_axes, shown_rows
from dpviz.figures.theme import ACCENT, SYMBOLS, finish
from dpviz.text import inert, percent

STAR = {"symbol": "star", "size": 20, "line": {"width": 2}}
FOR, AGAINST = ACCENT, "#C0602A"


def placed_point(
    display: Display, clusters: IntArray, names: Sequence[str], colors: Sequence[str], spot: FloatArray, ink: str
) -> go.Figure:
    """Draw the data in the colours of their clusters, and one further point as a star.

    Parameters
    ----------
    display : Display
        Places of the data (N points); one coordinate is drawn as stacked dots.
    clusters : ndarray of int (N,)
        0 … K − 1.
    names, colors : sequence of str
        One per cluster.
    spot : ndarray (1,) or (2,)
        The further point in displayed coordinates.
    ink : str
        Colour of the star's outline.
    """
    rows = shown_rows(len(clusters), groupings=[clusters])
    stacked = is_stacked(display)
    if stacked:
        stack = dot_stack(display.coordinates[rows, 0])
        x, y = stack.positions, stack.heights + 1.0
    else:
        x, y = display.coordinates[rows].T
    figure = go.Figure()
    for k, (name, color) in enumerate(zip(names, colors, strict=True)):
        own = clusters[rows] == k
        marker = {"color": color, "symbol": SYMBOLS[(k // 10) % len(SYMBOLS)], "size": 5, "opacity": 0.75}
        figure.add_scatter(x=x[own], y=y[own], mode="markers", name=inert(name), marker=marker)
    place = (float(spot[0]), 0.0 if stacked else float(spot[1]))
    marker = {**STAR, "color": "#FFD400", "line": {"width": 2, "color": ink}}
    figure.add_scatter(x=[place[0]], y=[place[1]], mode="markers", name="the point", marker=marker)
    name_axes(figure, display, x, y)
    return finish(figure, 420, showlegend=len(names) <= 12)


def probability_bars(names: Sequence[str], colors: Sequence[str], probabilities: FloatArray) -> go.Figure:
    """Draw the probability of each candidate, in the order given, the first on top."""
    words = [percent(float(p)) for p in probabilities]
    figure = go.Figure(
        go.Bar(
            y=[inert(name) for name in names],
            x=probabilities,
            orientation="h",
            marker={"color": list(colors)},
            text=words,
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:.4g}<extra></extra>",
        )
    )
    figure.update_xaxes(range=[0, 1.18], tickvals=[0, 0.25, 0.5, 0.75, 1], title="probability")
    figure.update_yaxes(autorange="reversed", showgrid=False)
    return finish(figure, 84 + 30 * len(names), showlegend=False)


def contribution_bars(columns: Sequence[str], differences: FloatArray, best: str, other: str, unit: str) -> go.Figure:
    """Draw how much each column favours one cluster over another, the strongest on top.

    Parameters
    ----------
    columns : sequence of str
    differences : ndarray (m,)
        Positive values favour ``best``, negative ones ``other``.
    best, other : str
    unit : str
    """
    colors = [FOR if value >= 0 else AGAINST for value in differences]
    figure = go.Figure(
        go.Bar(
            y=[inert(name, 24) for name in columns],
            x=differences,
            orientation="h",
            marker={"color": colors},
            hovertemplate="%{y}: %{x:.4g}<extra></extra>",
        )
    )
    reach = 1.1 * float(np.max(np.abs(differences), initial=1e-12))
    figure.update_xaxes(range=[-reach, reach], zeroline=True, title=unit)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    for x, words in ((0, f"← {inert(other, 20)}"), (1, f"{inert(best, 20)} →")):
        figure.add_annotation(
            x=x,
            y=1,
            xref="x domain",
            yref="y domain",
            xanchor=("left", "right")[x],
            yanchor="bottom",
            text=words,
            showarrow=False,
        )
    return finish(figure, 110 + 26 * len(columns), showlegend=False)
