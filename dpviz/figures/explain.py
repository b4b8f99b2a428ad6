"""The explanation of an assignment: geometry against size, as bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

FAR = 4.0
"""Bars are cut at this many times the runner-up's length, so that one far candidate does not hide differences."""
NARROWEST = 6.0
"""Least extent of the axis in units of the costs, if the best two are nearly equal."""


def contest(table: pd.DataFrame) -> pd.DataFrame:
    """Costs of the candidates above the best of each kind, the cheapest candidate first.

    Parameters
    ----------
    table : pandas.DataFrame
        Result of :func:`dpviz.explain_assignment`.

    Returns
    -------
    pandas.DataFrame
        Columns ``geometry`` and ``size``, both ≥ 0, and ``total``, their sum; index as in the table. The candidate
        that fits best has geometry 0, the one that is easiest to join has size 0. Costs that are not finite are left
        out. Differences between candidates are those of the table.
    """
    rows = table[np.isfinite(table["total"])].sort_values("total", kind="stable")
    geometry = rows["neg_log_predictive"] - rows["neg_log_predictive"].min()
    size = rows["neg_log_weight"] - rows["neg_log_weight"].min()
    return pd.DataFrame({"geometry": geometry, "size": size, "total": geometry + size})


def assignment_bars(
    table: pd.DataFrame,
    names: Sequence[str],
    colors: Sequence[str],
    words: tuple[str, str],
    unit: str = "nats",
    *,
    text_size: int = 16,
) -> go.Figure:
    """Draw the costs of every candidate: a solid bar for geometry, a hatched one for size, the shortest wins.

    Parameters
    ----------
    table : pandas.DataFrame
        Result of :func:`dpviz.explain_assignment`.
    names, colors : sequence of str
        One per row.
    words : tuple of (str, str)
        Names of the two costs.
    unit : str
        Unit of the costs.
    text_size : int
        Of the labels, in pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        The winner on top. Bars that leave the axis end in an arrow with their length. The second cost is left out if
        it is the same for all.
    """
    costs = contest(table)
    at = [list(table.index).index(label) for label in costs.index]
    labels, shades = [names[k] for k in at], [colors[k] for k in at]
    totals = costs["total"].to_numpy()
    edge = _edge(totals)
    geometry = np.minimum(costs["geometry"].to_numpy(), edge)
    size = np.minimum(costs["size"].to_numpy(), edge - geometry)
    bars = [_bar(labels, geometry, shades, words[0], "")]
    if float(costs["size"].max()) > 0:
        bars.append(_bar(labels, size, shades, words[1], "/"))
    lowest = "each part's lowest" if len(bars) > 1 else "the best"
    figure = go.Figure(bars)
    for label, total in zip(labels, totals, strict=True):
        beyond = total > edge
        figure.add_annotation(
            x=min(total, edge), y=label, text=f"<b>{total:.4g}{' →' if beyond else ''}</b>", showarrow=False,
            xanchor="left", xshift=6, font={"size": text_size},
        )  # fmt: skip
    figure.update_layout(
        barmode="stack",
        height=96 + text_size + (text_size + 28) * len(labels),
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
        font={"size": text_size},
        legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": {"size": text_size}},
        xaxis={
            "title": f"{unit} above {lowest};<br>the shortest bar wins",  # in large type one line is too long
            "range": [0, edge * 1.25],
            "zeroline": True,
            "automargin": True,
        },
        yaxis={"autorange": "reversed", "tickfont": {"size": text_size}},
        bargap=0.3,
    )
    return figure


def _edge(totals: np.ndarray) -> float:
    """Length of the axis: close rivals of the winner fill it, distant ones exceed it."""
    beaten = totals[1:] if len(totals) > 1 else totals
    rival = float(beaten.min()) if len(beaten) else 0.0
    return float(min(totals.max(), max(FAR * rival, NARROWEST))) or 1.0


def _bar(labels: list[str], lengths: np.ndarray, colors: list[str], name: str, pattern: str) -> go.Bar:
    return go.Bar(
        y=labels,
        x=lengths,
        name=name,
        orientation="h",
        marker={
            "color": colors,
            "line": {"color": colors, "width": 2},
            "pattern": {"shape": pattern, "fillmode": "replace", "solidity": 0.35},
        },
        hovertemplate="%{y}: %{x:.4g}<extra>" + name + "</extra>",
    )
