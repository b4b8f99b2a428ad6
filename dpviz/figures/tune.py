"""Curves and maps over many runs: the effects of parameters, and their choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.colors import qualitative
from plotly.subplots import make_subplots

from dpviz.arrays import FloatArray, IntArray
from dpviz.figures.prior_laws import law_bars, shown_counts
from dpviz.figures.theme import ACCENT, GROUP_COLORS, SYMBOLS, finish, point_trace, whole_numbers
from dpviz.text import inert

COLOR_SCALE = "Viridis"  # readable with any colour vision, and on either background
MOST_COUNTS = 12
"""Maps with more columns are drawn without numbers, which would not fit."""
MOST_TICKS = 8
MOST_VECTOR_CELLS = 2_500
"""Cells of a map up to which the invisible marks that take its clicks are vectors."""
COUNT_COLORS = tuple(qualitative.Safe[k] for k in (0, 1, 2, 3, 5, 6, 7, 8, 4)) + (qualitative.Safe[10],)
"""One colour for each of the smallest numbers of clusters in a map; the last is for all larger ones."""
_MARK = "#D55E00"  # the chosen or found value, on every chart of the page
_GREY = "rgba(128, 128, 128, 0.55)"


def curves(
    frame: pd.DataFrame,
    x: str,
    measures: Mapping[str, str],
    title: str,
    log_x: bool,
    marks: Mapping[str, float] | None = None,
    row_height: int = 150,
) -> go.Figure:
    """Draw several measures over one parameter, one below the other on a common axis; every point can be clicked.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per run.
    x : str
        Column of the parameter.
    measures : mapping of str to str
        Columns to draw and their titles.
    title : str
        Title of the parameter.
    log_x : bool
        Whether its axis is logarithmic.
    marks : mapping of str to float, optional
        Value of the parameter to mark, by measure.
    row_height : int
        Pixels per measure.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace per measure, whose custom data are the positions in the frame.
    """
    figure = make_subplots(len(measures), 1, shared_xaxes=True, vertical_spacing=0.32 / max(len(measures), 2))
    for row, (measure, name) in enumerate(measures.items(), 1):
        figure.add_scatter(
            x=frame[x],
            y=frame[measure],
            mode="lines+markers",
            name=inert(name),
            line={"color": ACCENT, "width": 2, "shape": "hv" if measure == "n_clusters_found" else "linear"},
            marker={"color": ACCENT, "size": 8},
            customdata=np.arange(len(frame)),
            hovertemplate=f"{inert(title)} = %{{x:.4g}}<br>{inert(name)} = %{{y:.6~g}}<extra></extra>",
            row=row,
            col=1,
        )
        figure.add_annotation(
            text=f"<b>{inert(name)}</b>",
            xref="paper",
            yref=f"y{row if row > 1 else ''} domain",
            x=0,
            y=1.02,
            xanchor="left",
            yanchor="bottom",
            showarrow=False,
        )
        if measure == "n_clusters_found" and len(frame) and np.ptp(frame[measure]) < MOST_TICKS:
            figure.update_yaxes(dtick=1, row=row, col=1)  # there are no half clusters
        mark = (marks or {}).get(measure)
        if mark is not None:
            figure.add_vline(mark, line={"color": _MARK, "dash": "dash", "width": 2}, row=row, col=1)
    figure.update_xaxes(type="log" if log_x else "linear")
    figure.update_xaxes(title=inert(title, 60), row=len(measures), col=1)
    return finish(
        figure,
        80 + row_height * len(measures),
        showlegend=False,
        margin={"l": 8, "r": 14, "t": 28, "b": 8},
        clickmode="event+select",
    )


def parameter_map(
    values: FloatArray,
    axes: Sequence[tuple[str, Sequence[float]]],
    measure: str,
    best: tuple[int, int] | None = None,
    counts: bool = False,
) -> go.Figure:
    """Draw one measure over two parameters; every cell can be clicked.

    Parameters
    ----------
    values : ndarray (rows, columns)
        NaN for unknown values.
    axes : sequence of two (str, sequence of float)
        Titles and values of the parameters of rows and columns.
    measure : str
        Name of the measure.
    best : pair of int, optional
        Cell to mark.
    counts : bool
        The values are whole numbers: each gets its own colour, so that neighbours such as 3 and 4 differ.

    Returns
    -------
    plotly.graph_objects.Figure
        Its second trace has one invisible marker per cell with (row, column) as custom data.
    """
    (row_title, row_values), (column_title, column_values) = axes
    n_rows, n_columns = values.shape
    row, column = (index.ravel().tolist() for index in np.indices(values.shape))
    # Cells of equal size for any spacing of the values, so that all can be clicked.
    shown = _numbers(values, n_columns, measure) if not counts else _whole_numbers(values, n_columns, measure)
    described = [
        f"{inert(row_title)} = {row_values[r]:.4g}<br>{inert(column_title)} = {column_values[c]:.4g}"
        f"<br>{inert(measure)} = {values[r, c]:.6g}"
        for r, c in zip(row, column, strict=True)
    ]
    # Custom data as a list: an array would come back from the browser as an object, not as a pair.
    trace = point_trace(values.size, MOST_VECTOR_CELLS)
    cells = trace(
        x=column,
        y=row,
        mode="markers",
        customdata=list(zip(row, column, strict=True)),
        hovertext=described,
        hoverinfo="text",
        unselected={"marker": {"opacity": 0}},
        selected={"marker": {"opacity": 0}},
        marker={
            "symbol": "square",
            "size": max(8, min(28, 480 // max(n_rows, n_columns))),
            "color": "white",
            "opacity": 0,
        },
    )
    figure = go.Figure([shown, cells])
    if best is not None:
        figure.add_shape(
            type="rect",
            x0=best[1] - 0.5,
            x1=best[1] + 0.5,
            y0=best[0] - 0.5,
            y1=best[0] + 0.5,
            line={"color": _MARK, "width": 3},
        )
    figure.update_xaxes(title=inert(column_title, 60), showgrid=False, range=[-0.5, n_columns - 0.5])
    figure.update_yaxes(title=inert(row_title, 60), showgrid=False, range=[-0.5, n_rows - 0.5])
    figure.update_xaxes(**_ticks(column_values)).update_yaxes(**_ticks(row_values))
    return finish(figure, 480, showlegend=False, margin={"l": 8, "r": 8, "t": 8, "b": 8}, clickmode="event+select")


def _numbers(values: FloatArray, n_columns: int, measure: str) -> go.Heatmap:
    return go.Heatmap(
        z=values,
        colorscale=COLOR_SCALE,
        hoverinfo="skip",
        xgap=1,
        ygap=1,
        colorbar={"title": {"text": inert(measure), "side": "right"}, "thickness": 12},
        texttemplate="%{z:.3~s}" if n_columns <= MOST_COUNTS else None,
    )


def _whole_numbers(values: FloatArray, n_columns: int, measure: str) -> go.Heatmap:
    """Return a map in steps: one colour for each of the smallest numbers, one for all beyond."""
    known = np.unique(values[np.isfinite(values)]).astype(int)
    own = known[: len(COUNT_COLORS) - 1]
    n_colors = max(len(own) + (len(known) > len(own)), 1)
    codes = np.where(np.isfinite(values), np.minimum(np.searchsorted(own, values), len(own)), np.nan)
    colors = [*COUNT_COLORS[: len(own)], COUNT_COLORS[-1]][:n_colors]
    steps = [(edge / n_colors, color) for k, color in enumerate(colors) for edge in (k, k + 1)]
    names = [str(number) for number in own] + [f"{number} or more" for number in known[len(own) : len(own) + 1]]
    bar = {"title": {"text": inert(measure), "side": "right"}, "thickness": 16}
    return go.Heatmap(
        z=codes,
        zmin=-0.5,
        zmax=n_colors - 0.5,
        colorscale=steps,
        hoverinfo="skip",
        xgap=1,
        ygap=1,
        colorbar=bar | {"tickvals": list(range(len(names))), "ticktext": names},
        text=np.where(np.isfinite(values), np.nan_to_num(values).astype(int).astype(str), ""),
        texttemplate="%{text}" if n_columns <= MOST_COUNTS else None,
    )


def _ticks(values: Sequence[float]) -> dict[str, Any]:
    every = -(-len(values) // MOST_TICKS)
    positions = list(range(0, len(values), every))
    return {"tickvals": positions, "ticktext": [f"{values[position]:.3g}" for position in positions]}


def density_curve(x: FloatArray, log_density: FloatArray, mode: float, title: str) -> go.Figure:
    """Draw a density over the logarithm of a parameter, with its mode marked.

    Parameters
    ----------
    x : ndarray (G,)
        Values of the parameter, evenly spaced in the logarithm.
    log_density : ndarray (G,)
        Up to a constant.
    mode : float
    title : str
        Title of the parameter.
    """
    logarithm = np.log(x)
    density = np.exp(log_density - log_density.max())
    density /= np.trapezoid(density, logarithm)
    figure = go.Figure(
        go.Scatter(
            x=x,
            y=density,
            mode="lines",
            fill="tozeroy",
            line={"color": ACCENT, "width": 2},
            hovertemplate="%{x:.3g}: %{y:.3g}<extra></extra>",
        )
    )
    figure.add_vline(mode, line={"color": _MARK, "dash": "dash", "width": 2})
    figure.update_xaxes(title=inert(title), type="log").update_yaxes(title="Density", rangemode="tozero")
    return finish(figure, 260, showlegend=False)


def law_of_n_clusters(probability: FloatArray, found: int) -> go.Figure:
    """Draw the prior probability of every number of clusters, and the number found.

    Parameters
    ----------
    probability : ndarray (N + 1,)
        Of K = 0 … N.
    found : int
        K that was found; its bar has another colour and a mark.

    Returns
    -------
    plotly.graph_objects.Figure
        One bar per K, from 1 until the rest is negligible, but at least to the K found.
    """
    counts = shown_counts([probability], max(found, 3))
    colors = [_MARK if count == found else ACCENT for count in counts]
    figure = law_bars(counts, probability, colors, 260)
    figure.add_annotation(
        x=found,
        y=float(probability[found]),
        text=f"found: K = {found}",
        showarrow=True,
        arrowhead=2,
        ay=-26,
        ax=24,
        xanchor="left",
        font={"color": _MARK},
        arrowcolor=_MARK,
    )
    return figure


def asked_and_found(asked: ArrayLike, found: ArrayLike, chosen: int) -> go.Figure:
    """Draw the number of clusters DP-means finds against the requested number.

    Parameters
    ----------
    asked, found : array_like of int (M,)
    chosen : int
        The requested number to mark.
    """
    x, y = np.asarray(asked), np.asarray(found)
    most = max(int(x.max()), 1)
    figure = go.Figure(
        [
            go.Scatter(x=[1, most], y=[1, most], mode="lines", name="as asked", line={"color": _GREY, "dash": "dot"}),
            go.Scatter(
                x=x,
                y=y,
                mode="lines+markers",
                name="found by DP-means",
                line={"color": ACCENT},
                marker={"size": 9, "color": [_MARK if k == chosen else ACCENT for k in x]},
                hovertemplate="asked for %{x}: found %{y}<extra></extra>",
            ),
        ]
    )
    figure.update_xaxes(title="Clusters asked for", **whole_numbers(1, most))
    figure.update_yaxes(title="Clusters found", **whole_numbers(1, max(most, int(y.max()))))
    return finish(figure, 300, showlegend=True)


def falling_nll(steps: Sequence[str], nll: ArrayLike) -> go.Figure:
    """Draw the nll after every step of a search.

    Parameters
    ----------
    steps : sequence of str
        Change of each step.
    nll : array_like (M,)
        In nats.
    """
    figure = go.Figure(
        go.Scatter(
            x=np.arange(len(steps)),
            y=np.asarray(nll),
            mode="lines+markers",
            text=[inert(step) for step in steps],
            line={"color": ACCENT, "width": 2, "shape": "hv"},
            marker={"size": 8, "color": ACCENT},
            hovertemplate="step %{x}: %{text}<br>nll = %{y:.6~g}<extra></extra>",
        )
    )
    figure.update_xaxes(title="Step", **whole_numbers(0, len(steps) - 1)).update_yaxes(title="nll (nats)")
    return finish(figure, 280, showlegend=False)


def expected_best(curves_by_start: Mapping[str, FloatArray], best: float) -> go.Figure:
    """Draw the expected gap between the best of m restarts and the best of all, by kind of start.

    Parameters
    ----------
    curves_by_start : mapping of str to ndarray (n,)
        Expected lowest nll of m = 1 … n restarts (nats).
    best : float
        Lowest nll of all (nats).
    """
    figure = go.Figure()
    for number, (name, nll) in enumerate(curves_by_start.items()):
        figure.add_scatter(
            x=np.arange(1, len(nll) + 1),
            y=nll - best,
            mode="lines+markers",
            name=inert(name),
            line={"color": GROUP_COLORS[number % len(GROUP_COLORS)], "width": 2},
            marker={"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 6},
            hovertemplate="%{x} restarts: %{y:.4g} nats above<extra>" + inert(name) + "</extra>",
        )
    figure.update_xaxes(title="Restarts").update_yaxes(title="nats above the best", rangemode="tozero")
    return finish(figure, 330, showlegend=True)


def optima(nll: FloatArray, distance: FloatArray, counts: IntArray) -> go.Figure:
    """Draw the local optima by gap in nll and distance from the best; areas are their frequencies.

    Parameters
    ----------
    nll : ndarray (M,)
        In nats, the best first.
    distance : ndarray (M,)
        Variation of information to the best (bits).
    counts : ndarray (M,)
        Number of restarts that ended there.
    """
    figure = go.Figure(
        go.Scatter(
            x=distance,
            y=nll - nll[0],
            mode="markers",
            customdata=counts,
            marker={
                "size": 7 + 30 * np.sqrt(counts / counts.sum()),
                "opacity": 0.75,
                "line": {"width": 1},
                "color": [_MARK] + [ACCENT] * (len(nll) - 1),
            },
            hovertemplate="%{customdata} restarts<br>%{y:.4g} nats above, %{x:.3g} bits away<extra></extra>",
        )
    )
    figure.update_xaxes(title="bits from the best partition").update_yaxes(title="nats above the best")
    return finish(figure, 330, showlegend=False)
