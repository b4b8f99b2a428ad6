"""Charts of partition priors before any data: numbers and sizes of clusters, whole data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpviz.arrays import FloatArray, IntArray
from dpviz.figures.theme import (
    ACCENT,
    GROUP_COLORS,
    SYMBOLS,
    finish,
    group_marker,
    point_trace,
    whole_numbers,
)
from dpviz.text import inert

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
NEGLIGIBLE = 5e-4
"""Charts of a law end where the remaining probability is at most this."""
MOST_PANEL_VECTORS = 500
"""Panels with more points are drawn by WebGL: fewer than in other figures, since a page has many panels."""
_GREY = "rgba(128, 128, 128, 0.55)"
_NAME = 60


def shown_counts(laws: Sequence[FloatArray], fewest: int = 3) -> IntArray:
    """Return the numbers of clusters 1 … K for a chart of these laws of N points; K is at most N."""
    ends = [int(np.searchsorted(np.cumsum(law) / law.sum(), 1 - NEGLIGIBLE)) for law in laws]
    return np.arange(1, min(max(*ends, fewest), len(laws[0]) - 1) + 1)


def growth(
    exact: Mapping[str, pd.DataFrame],
    simulated: Mapping[str, pd.DataFrame],
    seated: Mapping[str, pd.DataFrame],
    approximation: pd.DataFrame | None = None,
) -> go.Figure:
    """Draw how the expected number of clusters grows with the number of points.

    Parameters
    ----------
    exact : mapping of str to DataFrame
        ``n_points``, ``mean``, ``lower`` and ``upper``, by prior.
    simulated, seated : mapping of str to DataFrame
        ``n_points``, ``mean`` and its standard ``error`` of draws at each N, and of those in which customers are
        seated one by one, for priors for which that is a different law; open marks.
    approximation : DataFrame, optional
        ``n_points`` and ``mean`` of N0 ln(1 + N/N0).

    Returns
    -------
    plotly.graph_objects.Figure
        A line per prior, a trace of marks per simulation with bars of two standard errors, and the approximation.
    """
    figure = go.Figure()
    if approximation is not None:
        figure.add_scatter(
            x=approximation["n_points"],
            y=approximation["mean"],
            mode="lines",
            name="N0 ln(1 + N/N0)",
            line={"color": _GREY, "width": 5},
            hovertemplate="N = %{x}: %{y:.3g}<extra>N0 ln(1 + N/N0)</extra>",
        )
    for number, (name, frame) in enumerate(exact.items()):
        figure.add_scatter(
            x=frame["n_points"],
            y=frame["mean"],
            mode="lines",
            name=inert(name, _NAME),
            line=line_style(number),
            customdata=frame[["lower", "upper"]].to_numpy(),
            hovertemplate="N = %{x}: %{y:.3g} expected, 90 % in %{customdata[0]} to %{customdata[1]}"
            "<extra>" + inert(name, _NAME) + "</extra>",
        )
    for drawn_by_name, is_open in ((simulated, False), (seated, True)):
        for name, frame in drawn_by_name.items():
            title = inert(f"{name}, one by one" if is_open else name, _NAME)
            figure.add_scatter(
                x=frame["n_points"],
                y=frame["mean"],
                mode="markers",
                name=title,
                showlegend=is_open,
                error_y={"array": 2 * frame["error"], "thickness": 1, "width": 2},
                marker=_marker(list(exact).index(name), is_open),
                hovertemplate="N = %{x}: simulated %{y:.3g}<extra>" + title + "</extra>",
            )
    figure.update_xaxes(title="Points N", type="log", dtick=1)
    figure.update_yaxes(title="Clusters K", rangemode="tozero")
    return finish(figure, 400, showlegend=True)


def line_style(number: int) -> dict[str, Any]:
    """Return the style of a line by its position among those shown."""
    return {"color": GROUP_COLORS[number % len(GROUP_COLORS)], "dash": DASHES[number % len(DASHES)], "width": 2}


def _marker(number: int, is_open: bool) -> dict[str, Any]:
    symbol = SYMBOLS[number % len(SYMBOLS)]
    color = GROUP_COLORS[number % len(GROUP_COLORS)]
    return {"color": color, "symbol": f"{symbol}-open" if is_open else symbol, "size": 8 if is_open else 6}


def limit_of_components(laws: Mapping[int, FloatArray], limit: FloatArray, distances: FloatArray) -> go.Figure:
    """Draw the law of K of finite mixtures with more and more components, and of their limit.

    Parameters
    ----------
    laws : mapping of int to ndarray (N + 1,)
        By number of components.
    limit : ndarray (N + 1,)
        Of the Chinese restaurant.
    distances : ndarray (M,)
        Total variation of each law from the limit, for the legend.
    """
    figure = go.Figure()
    counts = shown_counts([*laws.values(), limit])
    for number, ((most, law), distance) in enumerate(zip(laws.items(), distances, strict=True)):
        share = number / max(len(laws) - 1, 1)
        figure.add_scatter(
            x=counts,
            y=law[counts],
            mode="lines+markers",
            name=f"K_max = {most:,} ({distance:.2g})",
            line={"color": f"rgba(58, 135, 194, {0.35 + 0.65 * share:.2f})", "width": 1.5},
            marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 5},
            hovertemplate=f"K = %{{x}}: %{{y:.3g}}<extra>K_max = {most:,}</extra>",
        )
    figure.add_scatter(
        x=counts,
        y=limit[counts],
        mode="lines",
        name="Chinese restaurant",
        line={"color": GROUP_COLORS[1], "width": 3},
        hovertemplate="K = %{x}: %{y:.3g}<extra>Chinese restaurant</extra>",
    )
    figure.update_xaxes(title="Clusters K", range=[0.5, counts[-1] + 0.5], **whole_numbers(1, counts[-1]))
    figure.update_yaxes(title="Probability", rangemode="tozero")
    return finish(figure, 330, showlegend=True)


def data_panel(points: FloatArray, labels: IntArray, height: int = 230) -> go.Figure:
    """Draw a small picture of a data set.

    Parameters
    ----------
    points : ndarray (n, 2)
        Places of its points.
    labels : ndarray of int (n,)
        Their clusters; colours repeat after ten, with different shapes.
    height : int
        Height in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace, whose custom data are the numbers of the clusters, from 1.
    """
    trace, markers = point_trace(len(points), MOST_PANEL_VECTORS), [group_marker(int(group)) for group in labels]
    figure = go.Figure(
        trace(
            x=points[:, 0],
            y=points[:, 1],
            mode="markers",
            customdata=labels + 1,
            marker={
                **group_marker(-1),
                **{name: [marker[name] for marker in markers] for name in ("color", "symbol")},
            },
            hovertemplate="cluster %{customdata}: %{x:.3g}, %{y:.3g}<extra></extra>",
        )
    )
    finish(figure, height, showlegend=False, margin={"l": 4, "r": 4, "t": 4, "b": 4}, dragmode=False)
    return figure.update_xaxes(nticks=5, tickfont_size=10).update_yaxes(nticks=5, tickfont_size=10)


def elicited_law(law: FloatArray, lower: int, upper: int) -> go.Figure:
    """Draw the elicited law of K, with the expected range in another colour.

    Parameters
    ----------
    law : ndarray (N + 1,)
    lower, upper : int
        Ends of the range.
    """
    counts = shown_counts([law], upper + 1)
    within = (counts >= lower) & (counts <= upper)
    return law_bars(counts, law, [ACCENT if inside else _GREY for inside in within], 300)


def law_bars(counts: IntArray, law: FloatArray, colors: Sequence[str], height: int) -> go.Figure:
    """Draw a prior law of K as bars.

    Parameters
    ----------
    counts : ndarray of int (M,)
        The numbers of clusters to show.
    law : ndarray (N + 1,)
        Their probabilities, by number.
    colors : sequence of str
        One per bar.
    height : int
        Height in pixels.
    """
    hover = "K = %{x}: %{y:.3g}<extra></extra>"
    figure = go.Figure(go.Bar(x=counts, y=law[counts], marker={"color": list(colors)}, hovertemplate=hover))
    figure.update_xaxes(title="Clusters K", range=[0.4, counts[-1] + 0.6], **whole_numbers(1, counts[-1]))
    figure.update_yaxes(title="Prior probability", rangemode="tozero")
    return finish(figure, height, showlegend=False, bargap=0.15)


def concentration_by_discount(
    discounts: FloatArray, concentrations: FloatArray, probabilities: FloatArray
) -> go.Figure:
    """Draw N0 of Pitman–Yor over its discount, and the probability of the range of K, on a common axis.

    Parameters
    ----------
    discounts, concentrations, probabilities : ndarray (M,)
    """
    figure = make_subplots(2, 1, shared_xaxes=True, vertical_spacing=0.16)
    for row, (values, name) in enumerate(((concentrations, "N0"), (probabilities, "In the range")), 1):
        figure.add_scatter(
            x=discounts,
            y=values,
            mode="lines+markers",
            line={"color": ACCENT, "width": 2},
            marker={"size": 7},
            hovertemplate=f"d = %{{x:.2f}}: {name} = %{{y:.3g}}<extra></extra>",
            row=row,
            col=1,
        )
        figure.update_yaxes(title=name, row=row, col=1)
    figure.update_yaxes(rangemode="tozero", row=2, col=1)
    figure.update_xaxes(title="Discount d", dtick=0.2, row=2, col=1)
    return finish(figure, 330, showlegend=False)
