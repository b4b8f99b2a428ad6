"""Figures of the papers: partitions side by side, and shares of clusters by rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpviz.arrays import FloatArray, IntArray
from dpviz.figures.data import shown_rows
from dpviz.figures.theme import finish, group_marker, whole_numbers
from dpviz.text import inert

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
_COLORS = ("#808080", "#3A87C2", "#D55E00", "#009E73", "#CC79A7")
"""The first one is for the true groups."""
_MARGIN = {"l": 44, "r": 8, "t": 30, "b": 34}
"""Margins for the labels of the axes: if plotly has to add them later, it redraws all points."""
MOST_POINTS = 1_200
"""Points that the panels of a figure draw together. A page has six figures, and browsers are slow with more in all."""


def drawn_rows(labels: Mapping[str, IntArray]) -> IntArray:
    """Rows that each panel of :func:`partitions` draws: all, or a fixed random sample that has small clusters whole."""
    groupings = list(labels.values())
    return shown_rows(len(groupings[0]), MOST_POINTS // len(groupings), groupings)


def partitions(X: FloatArray, labels: Mapping[str, IntArray], height: int = 380) -> go.Figure:
    """Draw the same points once per method, coloured by its clusters, on equal scales (2016 Figs. 1 to 6).

    Parameters
    ----------
    X : ndarray (N, 2)
    labels : mapping of str to ndarray (N,)
        Clusters by method, numbered so that equal numbers, and so colours, are clusters of the same points.
    height : int
        Height in pixels.

    Notes
    -----
    Each panel draws the points of :func:`drawn_rows`.
    """
    figure = make_subplots(
        rows=1,
        cols=len(labels),
        subplot_titles=[inert(name) for name in labels],
        horizontal_spacing=0.04,
        shared_xaxes="all",
        shared_yaxes="all",
    )
    rows = drawn_rows(labels)
    for place, codes in enumerate(labels.values(), 1):
        for k in np.unique(codes):
            members = rows[codes[rows] == k]
            figure.add_scatter(
                x=X[members, 0],
                y=X[members, 1],
                mode="markers",
                marker=group_marker(int(k)),
                showlegend=False,
                hovertemplate=f"cluster {k + 1}: %{{x:.3g}}, %{{y:.3g}}<extra></extra>",
                row=1,
                col=place,
            )
    figure.update_xaxes(nticks=4)  # more run into each other on a phone
    figure.update_yaxes(scaleanchor="x", scaleratio=1)
    return finish(figure, height, margin=_MARGIN)


def share_ranks(shares: Mapping[str, Sequence[FloatArray]]) -> go.Figure:
    """Draw the share of the points in the largest cluster, the second, …, on a logarithmic scale (2014 Figs. 3, 4).

    Parameters
    ----------
    shares : mapping of str to sequence of ndarray (K,)
        By method, the true groups first: one curve per quantile. Shares of 0 are left out.
    """
    figure = go.Figure()
    for number, (name, curves) in enumerate(shares.items()):
        for first, curve in enumerate(curves):
            there = np.flatnonzero(curve > 0)
            figure.add_scatter(
                x=there + 1,
                y=curve[there],
                name=inert(name),
                legendgroup=name,
                showlegend=first == 0,
                mode="lines",
                line={"color": _COLORS[number % len(_COLORS)], "dash": _DASHES[number % len(_DASHES)], "width": 2.5},
                hovertemplate="rank %{x}: %{y:.3f} of the points",
            )
    most = max((len(curve) for curves in shares.values() for curve in curves), default=1)
    figure.update_xaxes(title="Rank of the cluster", **whole_numbers(1, most))
    figure.update_yaxes(title="Share of the points", type="log", dtick=1, tickformat="~g")
    return finish(figure, 360, showlegend=True)
