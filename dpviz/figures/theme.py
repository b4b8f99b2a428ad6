"""Shared code of plotly figures: colours for colour-blind readers, inert text, and a plain layout."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
from plotly.colors import qualitative

# Those of the player's clusters that stand out on light and on dark grounds, in its order: one palette everywhere.
GROUP_COLORS: tuple[str, ...] = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#d55e00",
    "#56b4e9",
    "#999933",
    "#44aa99",
    "#8c6d62",
    "#aa4499",
)
OTHER_COLOR: str = qualitative.Safe[10]
ACCENT = "#3A87C2"
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star", "pentagon", "hexagon")
_MOST_TICKS = 12
"""Up to this many whole numbers have a tick each on their axis."""
MOST_VECTORS = 1_000
"""Points that are drawn as vectors. More are drawn by WebGL, which starts slowly (without a graphics card it takes as
long as some fifteen hundred vectors), and which a browser grants to some sixteen pictures."""
_LINE = "rgba(128, 128, 128, 0.25)"
PLAIN: dict[str, Any] = {"displaylogo": False}
"""Configuration of a chart on a page."""
CLICKED: dict[str, Any] = {**PLAIN, "doubleClickDelay": 0}
"""Configuration of a chart whose points are clicked one after the other: plotly takes two clicks within half a second,
wherever they are, for a double click, and the second of them would choose nothing."""


def group_marker(group: int, size: float = 5) -> dict[str, Any]:
    """Marker of a group: a disc without an edge, as in the player; colours repeat after ten groups, with other shapes.

    Parameters
    ----------
    group : int
        Code of the group, or −1 for points without one.
    size : float
        Size in pixels.
    """
    color = GROUP_COLORS[group % len(GROUP_COLORS)] if group >= 0 else ACCENT
    symbol = SYMBOLS[group // len(GROUP_COLORS) % len(SYMBOLS)] if group >= 0 else "circle"
    return {"color": color, "symbol": symbol, "size": size, "line": {"width": 0}, "opacity": 0.75}


def point_trace(n_points: int, most_vectors: int = MOST_VECTORS) -> type[go.Scatter] | type[go.Scattergl]:
    """Return the kind of trace that draws so many points.

    Parameters
    ----------
    n_points : int
        Points of the whole figure.
    most_vectors : int
        More points are drawn by WebGL.
    """
    return go.Scatter if n_points <= most_vectors else go.Scattergl


def whole_numbers(low: float, high: float) -> dict[str, Any]:
    """Return the settings of an axis of whole numbers: a tick at each of a few, which would have others between them.

    Parameters
    ----------
    low, high : float
        Range of the axis.
    """
    return {"tickformat": ",~f", "dtick": 1 if high - low < _MOST_TICKS else None}


def round_ticks(low: float, high: float) -> dict[str, Any]:
    """Return the settings of a logarithmic axis with whole numbers at its ticks: 1, 2 and 5 of each power of ten.

    Plotly writes a bare 2 and 5 between the powers, which read as if they were no larger than a 1.

    Parameters
    ----------
    low, high : float
        Range of the axis, 0 < low ≤ high. Beyond two powers of ten, these alone have ticks.
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    leading = (1, 2, 5) if high < 100 * low else (1,)
    ticks = [digit * 10**power for power in powers for digit in leading if power >= 0]
    return {"tickvals": ticks, "ticktext": [f"{tick:,}" for tick in ticks], "minor": {"ticklen": 0, "showgrid": False}}


def finish(figure: go.Figure, height: int, **layout: Any) -> go.Figure:
    """Give a figure the common layout, which fits light and dark pages.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Changed in place.
    height : int
        Height in pixels.
    **layout
        Changes for this figure, as for ``update_layout``.

    Returns
    -------
    plotly.graph_objects.Figure
        The same figure.
    """
    _set(
        figure.layout,
        {
            "height": height,
            "paper_bgcolor": "rgba(0, 0, 0, 0)",
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "margin": {"l": 8, "r": 8, "t": 30, "b": 8},
            "legend": {
                "orientation": "h",
                "yanchor": "bottom",
                "y": 1.01,
                "x": 0,
                "itemsizing": "constant",
                "itemwidth": 40,
            },
            "hoverlabel": {"align": "left"},
            "modebar": {"bgcolor": "rgba(0, 0, 0, 0)", "color": "rgb(128, 128, 128)", "activecolor": ACCENT},
        },
    )
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        _set(axis, {"automargin": True, "gridcolor": _LINE, "zeroline": False})
    _set(figure.layout, layout)
    return figure


def _set(part: Any, values: Mapping[str, Any]) -> None:
    """Set some properties as ``update`` does, which sets each of them a second time, for figures that are widgets."""
    for name, value in values.items():
        if isinstance(value, dict):
            _set(part[name], value)
        else:
            part[name] = value
