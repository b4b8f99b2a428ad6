"""Charts of draws of a partition: co-clustering, one summary and its credible ball, and predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from dpviz.analysis.posterior import CoClustering
from dpviz.analysis.sampling import PredictiveBands
from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets import Display, dot_stack
from dpviz.figures.data import shown_rows
from dpviz.figures.theme import ACCENT, OTHER_COLOR, SYMBOLS, finish, group_marker, point_trace
from dpviz.text import inert

SCALE = "Viridis"
"""Readable with any colour vision, and on either background."""
MOST_CELLS = 600
"""Larger matrices are drawn as means over blocks of neighbours: a screen has no more pixels."""
MOST_NAMED = 20
"""Clusters with a colour and shape of their own; the smaller rest is grey."""
_MARK = "#D55E00"


def co_clustering(found: CoClustering) -> go.Figure:
    """Draw co-clustering probabilities in an order that shows the blocks; the chart can be zoomed.

    Parameters
    ----------
    found : CoClustering

    Returns
    -------
    plotly.graph_objects.Figure
        A heat map of the ordered probabilities, whose axes count points; of more than ``MOST_CELLS`` points each cell
        is the mean over a block.
    """
    ordered = found.ordered()
    n_points = len(ordered)
    block = -(-n_points // MOST_CELLS)
    starts = np.arange(0, n_points, block)
    if block > 1:
        sums = np.add.reduceat(np.add.reduceat(ordered, starts, axis=0, dtype=np.float64), starts, axis=1)
        lengths = np.diff(np.append(starts, n_points))
        ordered = (sums / np.outer(lengths, lengths)).astype(np.float32)
    middles = starts + (block - 1) / 2
    figure = go.Figure(
        go.Heatmap(
            z=ordered,
            x=middles,
            y=middles,
            zmin=0,
            zmax=1,
            colorscale=SCALE,
            colorbar={"title": {"text": "Probability", "side": "right"}, "thickness": 12},
            hovertemplate="places %{x:.0f} and %{y:.0f}: %{z:.2f}<extra></extra>",
        )
    )
    figure.update_xaxes(title="Points, those often together side by side", showgrid=False, constrain="domain")
    figure.update_yaxes(autorange="reversed", showgrid=False, scaleanchor="x", constrain="domain")
    return finish(figure, 520)


def _places(display: Display) -> tuple[IntArray, FloatArray, FloatArray]:
    """Drawn rows and their places; one coordinate is drawn as stacked dots."""
    rows = shown_rows(len(display.coordinates))
    if display.coordinates.shape[1] == 2:
        return rows, display.coordinates[rows, 0], display.coordinates[rows, 1]
    stack = dot_stack(display.coordinates[rows, 0])
    return rows, stack.positions, stack.heights.astype(np.float64) + 1


def _on_axes(figure: go.Figure, display: Display, height: int, **layout: Any) -> go.Figure:
    one_column = display.coordinates.shape[1] == 1
    figure.update_xaxes(title=inert(display.axis_names[0]))
    figure.update_yaxes(title="Points at this value" if one_column else inert(display.axis_names[1]))
    return finish(figure, height, **layout)


def uncertainty(display: Display, bits: FloatArray, partition: ArrayLike) -> go.Figure:
    """Draw the points in the colour of their uncertainty, in the shape of their cluster.

    Parameters
    ----------
    display : Display
    bits : ndarray (N,)
        Result of :func:`dpviz.analysis.posterior.point_uncertainty`.
    partition : array_like of int (N,)
        The summary.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace; the least certain points are drawn last, above the others.
    """
    rows, x, y = _places(display)
    order = np.argsort(bits[rows], kind="stable")
    clusters = np.asarray(partition)[rows][order]
    figure = go.Figure(
        point_trace(len(rows))(
            x=x[order],
            y=y[order],
            mode="markers",
            customdata=np.column_stack([rows[order], clusters + 1]),
            marker={
                "color": bits[rows][order],
                "colorscale": SCALE,
                "cmin": 0,
                "size": 7,
                "line": {"width": 0.5, "color": "rgba(128, 128, 128, 0.8)"},
                "symbol": [SYMBOLS[int(cluster) % len(SYMBOLS)] for cluster in clusters],
                "colorbar": {"title": {"text": "bits", "side": "right"}, "thickness": 12},
            },
            hovertemplate="point %{customdata[0]}, cluster %{customdata[1]}: %{marker.color:.3f} bits<extra></extra>",
        )
    )
    return _on_axes(figure, display, 400, showlegend=False)


def partition(display: Display, labels: ArrayLike, legend: bool = True) -> go.Figure:
    """Draw the points in the colours of their clusters.

    Parameters
    ----------
    display : Display
    labels : array_like of int (N,)
        −1 for left-out points, which are small and grey.
    legend : bool
        Whether clusters are listed.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace per cluster, in the order of the labels; those beyond the ``MOST_NAMED`` largest share one.
    """
    rows, x, y = _places(display)
    given = np.asarray(labels)
    values, counts = np.unique(given[given >= 0], return_counts=True)
    named = np.sort(values[np.argsort(-counts, kind="stable")[:MOST_NAMED]])
    sizes = dict(zip(values.tolist(), counts.tolist(), strict=True))
    shown = given[rows]
    parts = [(f"cluster {k + 1} ({sizes[k]:,})", shown == k, group_marker(k)) for k in named.tolist()]
    grey = {"color": OTHER_COLOR, "size": 4, "opacity": 0.6}
    parts.append((f"{len(values) - len(named)} smaller clusters", (shown >= 0) & ~np.isin(shown, named), grey))
    parts.append((f"left out ({np.count_nonzero(given < 0):,})", shown < 0, grey))
    figure, trace = go.Figure(), point_trace(len(rows))
    for name, there, marker in parts:
        if there.any():
            figure.add_trace(
                trace(
                    x=x[there],
                    y=y[there],
                    mode="markers",
                    name=name,
                    marker=marker,
                    customdata=rows[there],
                    hovertemplate="point %{customdata}<extra>" + name + "</extra>",
                )
            )
    return _on_axes(figure, display, 400, showlegend=legend)


def distances(values: FloatArray, radius: float, marks: Mapping[str, float], unit: str, height: int = 280) -> go.Figure:
    """Draw the distances of the draws from the summary, the radius of the credible ball, and other answers.

    Parameters
    ----------
    values : ndarray (S,)
        Distance of every draw.
    radius : float
    marks : mapping of str to float
        Distances of other answers, by name.
    unit : str
        Unit of the distances.
    height : int
        Height in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Bars over the shares of draws, then one marker per other answer.
    """
    most = max([float(values.max()), radius, *marks.values()]) or 1.0
    edges = np.linspace(0, most * 1.02, 41)
    shares = np.histogram(values, edges)[0] / len(values)
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=shares,
            width=np.diff(edges),
            marker_color=ACCENT,
            opacity=0.6,
            hovertemplate="around %{x:.3g}: %{y:.1%} of the draws<extra></extra>",
        )
    )
    figure.add_vline(radius, line={"color": "grey", "dash": "dash", "width": 2})
    side, shift = ("right", -4) if radius > most / 2 else ("left", 4)
    figure.add_annotation(
        x=radius, y=1, yref="paper", text="edge of the ball", showarrow=False, xanchor=side, xshift=shift
    )
    for level, (name, value) in enumerate(marks.items()):
        figure.add_scatter(
            x=[value],
            y=[shares.max() * (1.12 + 0.14 * (level % 3))],
            mode="markers+text",
            text=[inert(name)],
            textposition="middle left" if value > most / 2 else "middle right",
            name=inert(name),
            marker={"symbol": "diamond", "size": 11, "color": _MARK},
            hovertemplate="%{x:.4g}<extra>" + inert(name) + "</extra>",
        )
    figure.update_xaxes(title=f"Distance from the summary ({unit})", range=[-0.03 * most, most * 1.05])
    top = shares.max() * 1.6  # above the bars there are names
    figure.update_yaxes(title="Share of the draws", tickformat=".0%", range=[0, top])
    if top > 1:
        figure.update_yaxes(tickvals=[0, 0.25, 0.5, 0.75, 1])
    return finish(figure, height, showlegend=False, bargap=0)


def density_curve(values: FloatArray, grid: FloatArray, bands: PredictiveBands, title: str) -> go.Figure:
    """Draw the predictive density of one column with its band, over the histogram of the data.

    Parameters
    ----------
    values : ndarray (N,)
    grid : ndarray (G,)
        Places where the density was evaluated, increasing.
    bands : PredictiveBands
    title : str
        Name of the column.

    Returns
    -------
    plotly.graph_objects.Figure
        Histogram, upper end, lower end (filled to the upper), mean.
    """
    thin = {"color": ACCENT, "width": 0}
    figure = go.Figure(
        [
            go.Histogram(
                x=values,
                histnorm="probability density",
                marker_color="rgba(128, 128, 128, 0.35)",
                nbinsx=50,
                name="the data",
                hoverinfo="skip",
            ),
            go.Scatter(x=grid, y=bands.upper, mode="lines", line=thin, showlegend=False, hoverinfo="skip"),
            go.Scatter(
                x=grid,
                y=bands.lower,
                mode="lines",
                line=thin,
                fill="tonexty",
                name="band over the draws",
                fillcolor="rgba(58, 135, 194, 0.35)",
                hoverinfo="skip",
            ),
            go.Scatter(
                x=grid,
                y=bands.mean,
                mode="lines",
                line={"color": ACCENT, "width": 2},
                name="posterior predictive",
                hovertemplate="%{x:.4g}: %{y:.3g}<extra></extra>",
            ),
        ]
    )
    figure.update_xaxes(title=inert(title)).update_yaxes(title="Density", rangemode="tozero")
    return finish(figure, 380, showlegend=True, bargap=0.02)


def density_map(
    values: FloatArray,
    axes: tuple[FloatArray, FloatArray],
    names: tuple[str, str],
    points: FloatArray | None = None,
) -> go.Figure:
    """Draw a density of two columns, or the width of its band, as a map.

    Parameters
    ----------
    values : ndarray (H G,)
        Row by row, as a meshgrid of the axes has its places.
    axes : pair of ndarray (G,) and (H,)
        Places along the two columns.
    names : pair of str
        Names of the columns.
    points : ndarray (n, 2), optional
        Some of the data, drawn over the map.

    Returns
    -------
    plotly.graph_objects.Figure
        Heat map, then the points if there are any.
    """
    x, y = axes
    figure = go.Figure(
        go.Heatmap(
            x=x,
            y=y,
            z=values.reshape(len(y), len(x)),
            zmin=0,
            colorscale=SCALE,
            colorbar={"thickness": 12},
            hovertemplate="(%{x:.3g}, %{y:.3g}): %{z:.3g}<extra></extra>",
        )
    )
    if points is not None:
        marker = {"size": 2.5, "color": "rgba(255, 255, 255, 0.6)"}
        trace = point_trace(len(points))
        figure.add_trace(trace(x=points[:, 0], y=points[:, 1], mode="markers", marker=marker, hoverinfo="skip"))
    figure.update_xaxes(title=inert(names[0]), showgrid=False, range=[x[0], x[-1]])
    figure.update_yaxes(title=inert(names[1]), showgrid=False, range=[y[0], y[-1]])
    return finish(figure, 400, showlegend=False)
