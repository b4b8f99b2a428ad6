"""Charts of how many clusters rival priors keep open (Lu, Li & Dunson 2018, Figs. 4 and 6)."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpviz.analysis.over_clustering import OverClustering
from dpviz.errors import require
from dpviz.figures.theme import GROUP_COLORS, SYMBOLS, finish
from dpviz.text import inert

_TRUE = {"color": "grey", "dash": "dash", "width": 1.5}


def traces_of_n_clusters(result: OverClustering, height: int = 300) -> go.Figure:
    """Draw K over the sweeps, a panel per prior side by side on one scale (Fig. 4); the dashed line is the truth.

    Parameters
    ----------
    result : OverClustering
    height : int
        Height in pixels.
    """
    names = list(result.traces)
    figure = make_subplots(1, len(names), shared_yaxes=True, subplot_titles=[inert(name) for name in names])
    for column, (name, trace) in enumerate(result.traces.items(), 1):
        figure.add_scatter(
            y=trace.n_clusters, mode="lines", name=inert(name), line={"color": GROUP_COLORS[column - 1], "width": 1},
            hovertemplate="sweep %{x}: K = %{y}<extra>" + inert(name) + "</extra>", row=1, col=column,
        )  # fmt: skip
        figure.update_xaxes(title="Sweep", row=1, col=column)
    figure.add_hline(result.n_true, line=_TRUE)
    highest = max(int(trace.n_clusters[trace.config.burn_in + 1 :].max()) for trace in result.traces.values())
    figure.update_yaxes(range=[0, 1.15 * max(highest, result.n_true)])
    figure.update_yaxes(title="Clusters K", row=1, col=1)
    return finish(figure, height, showlegend=False)


def laws_of_n_clusters(results: Sequence[OverClustering], height: int = 300) -> go.Figure:
    """Draw the posterior of K under every prior, a panel per number of points side by side (Fig. 6).

    Parameters
    ----------
    results : sequence of OverClustering
        At least one, with the same priors.
    height : int
        Height in pixels.

    Raises
    ------
    InvalidParameterError
        If there is nothing to draw.
    """
    require(len(results) > 0, "results", list(results), "at least one OverClustering")
    titles = [f"N = {result.n_points:,}" for result in results]
    figure = make_subplots(1, len(results), shared_yaxes=True, subplot_titles=titles)
    for column, result in enumerate(results, 1):
        for number, (name, law) in enumerate(result.laws().items()):
            figure.add_scatter(
                x=law.values, y=law.probabilities, mode="lines+markers", name=inert(name), legendgroup=name,
                showlegend=column == 1, line={"color": GROUP_COLORS[number], "width": 1.5},
                marker={"symbol": SYMBOLS[number], "size": 8},
                hovertemplate="K = %{x}: %{y:.3g}<extra>" + inert(name) + "</extra>", row=1, col=column,
            )  # fmt: skip
        figure.add_vline(result.n_true, line=_TRUE, row=1, col=column)
        figure.update_xaxes(title="Clusters K", tickformat="d", row=1, col=column)
    figure.update_yaxes(rangemode="tozero").update_yaxes(title="Posterior probability", row=1, col=1)
    return finish(figure, height, showlegend=True, margin={"l": 8, "r": 8, "t": 60, "b": 8}, legend={"y": 1.1})
