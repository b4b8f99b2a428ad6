"""Fit against the number of clusters, over how wrong the model may be (Miller & Dunson 2019, Fig. 4)."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dpviz.analysis.coarsening import Level
from dpviz.figures.theme import ACCENT, finish, whole_numbers

GREY = "#888888"


def fit_against_clusters(found: Sequence[Level], bend: Level | None, chosen: Level) -> go.Figure:
    """Draw what every α finds, from the largest to the smallest, with the bend and the chosen one marked.

    Parameters
    ----------
    found : sequence of Level
        At least one.
    bend : Level or None
    chosen : Level
        One of them.

    Returns
    -------
    plotly.graph_objects.Figure
        The curve, whose custom data are α and ζ; the bend, if there is one; the chosen level.
    """
    levels = sorted(found, key=lambda level: -level.alpha)
    figure = go.Figure()
    figure.add_scatter(
        x=[level.n_clusters for level in levels],
        y=[level.fit for level in levels],
        mode="lines+markers+text",
        text=_labels(levels),
        textposition="bottom right",
        name="tried",
        line={"color": ACCENT, "width": 2},
        marker={"color": ACCENT, "size": 8},
        customdata=[(level.alpha, level.weight) for level in levels],
        hovertemplate="α = %{customdata[0]:.4g}, each point counts %{customdata[1]:.3g}<br>K = %{x}, "
        "%{y:.4f} nats per row<extra></extra>",
    )
    for level, name, symbol in ((bend, "bend", "circle-open"), (chosen, "chosen", "diamond")):
        if level is not None:
            figure.add_scatter(
                x=[level.n_clusters],
                y=[level.fit],
                mode="markers",
                name=name,
                hoverinfo="skip",
                marker={"color": GREY, "size": 15, "symbol": symbol, "line": {"width": 3}},
            )
    finish(figure, 360)
    figure.update_xaxes(title="Clusters K", **whole_numbers(1, max(level.n_clusters for level in levels)))
    figure.update_yaxes(title="Mean log density of a row (nats)")
    return figure


def _labels(levels: Sequence[Level]) -> list[str]:
    """Write the values of α at the first of the levels with as many clusters, since their marks lie close together."""
    labels, known = [], set()
    for level in levels:
        alphas = [other.alpha for other in levels if other.n_clusters == level.n_clusters]
        lowest, highest = f"{round(min(alphas)):,}", f"{round(max(alphas)):,}"
        between = lowest if len(alphas) == 1 else f"{lowest}–{highest}"
        labels.append("" if level.n_clusters in known else f"α {between}")
        known.add(level.n_clusters)
    return labels
