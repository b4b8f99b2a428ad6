"""Charts that compare several runs: cluster sizes, agreement of two partitions, scores over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dpviz.arrays import IntArray
from dpviz.datasets import Display, dot_stack
from dpviz.figures.data import shown_rows
from dpviz.figures.theme import ACCENT, SYMBOLS, finish, point_trace, round_ticks, whole_numbers
from dpviz.text import counted, inert

MOST_SHOWN = 30
"""Most clusters of a contingency table that are drawn on each side."""
MOST_COUNTS = 14
"""Tables with more columns are drawn without the counts, which would not fit."""
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SCALE = [[0, "rgba(58, 135, 194, 0)"], [1, "rgba(58, 135, 194, 0.75)"]]
_INK = {False: "#0F1A24", True: "#FFFFFF"}  # legible on all of the scale, over a light and over a dark page
_GREY = "#808080"
_FAINT = "rgba(128, 128, 128, 0.35)"


def size_ranks(sizes: Mapping[str, IntArray], colors: Mapping[str, str] | None = None) -> go.Figure:
    """Draw cluster sizes against their rank on a logarithmic scale, one line per run (2018 Fig. 8b).

    Parameters
    ----------
    sizes : mapping of str to ndarray (K,)
        Sizes by run, the largest first.
    colors : mapping of str to str, optional
        Colour of each run; others are grey.
    """
    figure = go.Figure()
    for number, (name, ranked) in enumerate(sizes.items()):
        figure.add_scatter(
            x=np.arange(1, len(ranked) + 1),
            y=ranked,
            name=inert(name),
            mode="lines+markers",
            line={"dash": _DASHES[number % len(_DASHES)], "width": 2, "color": (colors or {}).get(name, _GREY)},
            marker=_marker(number, 8, (colors or {}).get(name, _GREY)),
            hovertemplate="rank %{x}: %{y:,} points",
        )
    largest = max((len(ranked) for ranked in sizes.values()), default=1)
    figure.update_xaxes(title="Rank of the cluster", range=[0.7, largest + 0.3], **whole_numbers(1, largest))
    every = [size for ranked in sizes.values() for size in ranked.tolist()] or [1]
    low, high = min(every), max(every)
    room: dict[str, Any] = round_ticks(low, high)
    if high < 10 * low:  # with room for at least two ticks
        room |= {"range": [math.log10(low / 2.5), math.log10(high * 2.5)]}
    figure.update_yaxes(title="Points in it", type="log", **room)
    return finish(figure, 320, showlegend=True)


def contingency_heatmap(
    table: pd.DataFrame,
    titles: tuple[str, str],
    colors: tuple[Sequence[str], Sequence[str]] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Draw the contingency table of two runs; every cell can be clicked.

    Parameters
    ----------
    table : pandas.DataFrame
        Counts; index and columns are the labels of the two runs' clusters, which are shown counted from 1. Only the
        first ``MOST_SHOWN`` rows and columns are drawn.
    titles : pair of str
        Titles of rows and columns.
    colors : pair of sequences of str, optional
        Colours of the clusters of rows and columns, drawn beside their numbers.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    plotly.graph_objects.Figure
        Its second trace has one invisible marker per cell with (row, column) as custom data.
    """
    counts = table.to_numpy()[:MOST_SHOWN, :MOST_SHOWN]
    n_rows, n_columns = counts.shape
    row, column = (index.ravel() for index in np.indices(counts.shape))
    shown = [f"{count:,}" if count and n_columns <= MOST_COUNTS else "" for count in counts.ravel()]
    first, second = ([str(k + 1) for k in side.to_numpy()[:MOST_SHOWN]] for side in (table.index, table.columns))
    described = [
        f"{first[r]} and {second[c]}: {counted(int(counts[r, c]), 'point')}" for r, c in zip(row, column, strict=True)
    ]
    figure = go.Figure(
        [
            # On a linear scale the few points on which two runs disagree would be invisible next to the many.
            go.Heatmap(
                z=np.where(counts, np.log1p(counts), np.nan),
                zmin=0,
                zmax=np.log1p(counts.max()),  # without it plotly ignores zmin
                colorscale=_SCALE,
                showscale=False,
                hoverinfo="skip",
                xgap=2,
                ygap=2,
            ),
            go.Scatter(
                x=column,
                y=row,
                mode="markers+text",
                text=shown,
                textfont={"color": _INK[dark], "size": 13},
                marker={"symbol": "square", "size": 26, "color": "rgba(0, 0, 0, 0)"},
                unselected={"textfont": {"color": _INK[dark]}},
                customdata=np.column_stack([row, column]).tolist(),  # an array would come back as an object
                hovertext=described,
                hoverinfo="text",
            ),
        ]
    )
    if colors is not None:
        first, second = (_painted(names, side) for names, side in zip((first, second), colors, strict=True))
    figure.update_xaxes(title=inert(titles[1]), tickvals=np.arange(n_columns), ticktext=second, showgrid=False)
    figure.update_yaxes(
        title=inert(titles[0]), tickvals=np.arange(n_rows), ticktext=first, showgrid=False, autorange="reversed"
    )
    height = max(140 + 34 * n_rows, 60 + 10 * min(len(titles[0]), 30))  # the upright title needs room, too
    return finish(figure, min(height, 700), showlegend=False, margin={"l": 8, "r": 8, "t": 8, "b": 8})


def _painted(names: Sequence[str], colors: Sequence[str]) -> list[str]:
    """Put a square in the cluster's colour before each number."""
    return [f'<span style="color:{color}">■</span> {name}' for name, color in zip(names, colors, strict=False)]


def highlighted_points(display: Display, rows: IntArray, colors: tuple[str, str] | None = None) -> go.Figure:
    """Draw some points in front of the others.

    Parameters
    ----------
    display : Display
        Where to draw them; one coordinate is drawn as stacked dots.
    rows : ndarray of int
        The points to show; of very many a fixed sample is drawn.
    colors : pair of str, optional
        Colour of the marks and of their outline.
    """
    if display.coordinates.shape[1] == 1:
        stack = dot_stack(display.coordinates[:, 0])
        x, y, vertical = stack.positions, stack.heights + 1, "Points at this value"
    else:
        (x, y), vertical = display.coordinates.T, display.axis_names[1]
    fill, outline = colors or (ACCENT, "white")
    behind, front = shown_rows(len(x)), rows[shown_rows(len(rows))]
    trace = point_trace(len(behind) + len(front))
    figure = go.Figure(
        [
            trace(x=x[behind], y=y[behind], name="all points", mode="markers", marker={"color": _FAINT, "size": 4}),
            trace(
                x=x[front],
                y=y[front],
                name="in this cell",
                mode="markers",
                marker={"color": fill, "size": 8, "symbol": "diamond", "line": {"width": 2, "color": outline}},
            ),
        ]
    )
    figure.update_traces(hoverinfo="skip")
    figure.update_xaxes(title=inert(display.axis_names[0]))
    figure.update_yaxes(title=inert(vertical))
    return finish(figure, 340, showlegend=True)


def score_boxes(frame: pd.DataFrame, score: str, title: str, colors: Mapping[str, str]) -> go.Figure:
    """Draw how one score is distributed over repetitions, one box per run with all its values beside it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns ``run``, ``seed`` and the score; missing scores are left out.
    score, title : str
        Its column and its title.
    colors : mapping of str to str
        Colour of every run, in the order of the boxes; those without the score get no box.
    """
    figure = go.Figure()
    for number, (run, color) in enumerate(colors.items()):
        values = frame.loc[frame["run"] == run, ["seed", score]].dropna()
        if len(values):
            figure.add_box(
                y=values[score],
                name=inert(run, 18),
                boxpoints="all",
                jitter=0.5,
                pointpos=0,
                marker=_marker(number, 5, color),
                line={"color": color, "width": 1.5},
                fillcolor="rgba(128, 128, 128, 0.12)",
                text=[f"seed {seed}" for seed in values["seed"]],
                hoverinfo="y+text",
            )
    heading = {"text": inert(title), "font": {"size": 14}, "x": 0, "xanchor": "left"}
    return finish(figure, 280, showlegend=False, title=heading, margin={"l": 8, "r": 8, "t": 36, "b": 8})


def _marker(number: int, size: float, color: str) -> dict[str, Any]:
    return {
        "color": color,
        "symbol": SYMBOLS[number % len(SYMBOLS)],
        "size": size,
        "line": {"width": 0.5, "color": "rgba(128, 128, 128, 0.8)"},
    }
