"""Charts of numbers of clusters under rival priors (Lu, Li & Dunson 2018, Figs. 4 and 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from dpviz.arrays import evenly_spaced
from dpviz.figures.theme import GROUP_COLORS, SYMBOLS, finish, whole_numbers
from dpviz.text import inert

MOST_STEPS = 1000
"""Longer traces are drawn at this many evenly spaced sweeps: a panel has no more pixels."""

_GREY = "rgba(128, 128, 128, 0.18)"


def count_traces(panels: Mapping[str, ArrayLike], thin: int = 1, burn_in: int = 0, height: int = 300) -> go.Figure:
    """Draw numbers of clusters over the sweeps, a panel per chain side by side on one scale.

    Parameters
    ----------
    panels : mapping of str to array_like of int (T,)
        By the name of the chain, from the initial state on.
    thin : int
        Sweeps from one of them to the next.
    burn_in : int
        Sweeps that are shaded.
    height : int
        Height in pixels.
    """
    titles = [inert(name) for name in panels]
    figure = make_subplots(1, len(panels), shared_yaxes=True, horizontal_spacing=0.08, subplot_titles=titles)
    for column, (name, values) in enumerate(panels.items(), 1):
        series = np.asarray(values)
        kept = evenly_spaced(len(series), MOST_STEPS)
        figure.add_scatter(
            x=kept * thin,
            y=series[kept],
            mode="lines",
            name=inert(name),
            line={"color": GROUP_COLORS[(column - 1) % len(GROUP_COLORS)], "width": 1},
            hovertemplate="sweep %{x:,}: K = %{y}<extra>" + inert(name) + "</extra>",
            row=1,
            col=column,
        )
        figure.update_xaxes(title="Sweep", nticks=4, row=1, col=column)
    if burn_in:
        figure.add_vrect(x0=0, x1=burn_in, fillcolor=_GREY, line_width=0, layer="below")
    figure.update_yaxes(title="Clusters K", row=1, col=1)
    return finish(figure, height, showlegend=False)


def count_laws(panels: Mapping[str, Mapping[str, tuple[ArrayLike, ArrayLike]]], height: int = 300) -> go.Figure:
    """Draw laws of the number of clusters, a panel per data set in rows of two and a mark per method.

    Parameters
    ----------
    panels : mapping of str to mapping of str to (array_like, array_like)
        By the name of the data and of the method: numbers of clusters, and their probabilities.
    height : int
        Height of a row of panels in pixels.
    """
    figure = in_twos(list(panels))
    methods = list(dict.fromkeys(name for laws in panels.values() for name in laws))
    for number, laws in enumerate(panels.values()):
        for name, (values, probabilities) in laws.items():
            method = methods.index(name)
            figure.add_scatter(
                x=np.asarray(values),
                y=np.asarray(probabilities),
                mode="lines+markers",
                name=inert(name),
                legendgroup=name,
                showlegend=number == 0,
                line={"color": GROUP_COLORS[method], "width": 1.5},
                marker={"symbol": SYMBOLS[method], "size": 8},
                hovertemplate="K = %{x}: %{y:.3g}<extra>" + inert(name) + "</extra>",
                **place(number),
            )
        ends = [end for values, _ in laws.values() for end in (np.min(values), np.max(values))]
        figure.update_xaxes(title="Clusters K", **whole_numbers(min(ends), max(ends)), **place(number))
        figure.update_yaxes(title="Probability" if number % 2 == 0 else None, rangemode="tozero", **place(number))
    n_rows = (len(panels) + 1) // 2
    legend = {"y": 1 + 0.2 / n_rows}  # above the titles of panels
    return finish(figure, height * n_rows, showlegend=True, margin={"l": 8, "r": 8, "t": 80, "b": 8}, legend=legend)


def in_twos(titles: Sequence[str]) -> go.Figure:
    """Panels in rows of two, filled by :func:`place`."""
    return make_subplots(
        (len(titles) + 1) // 2,
        min(2, len(titles)),
        subplot_titles=[inert(title) for title in titles],
        vertical_spacing=0.2,
        horizontal_spacing=0.1,
    )


def place(number: int) -> dict[str, int]:
    """Row and column of a panel of :func:`in_twos`, counted from 0."""
    return {"row": number // 2 + 1, "col": number % 2 + 1}
