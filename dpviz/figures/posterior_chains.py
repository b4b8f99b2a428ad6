"""Charts of several chains: their agreement, autocorrelation, and numbers of clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.subplots import make_subplots

from dpviz.analysis.posterior import LawOfClusters
from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.figures.theme import ACCENT, GROUP_COLORS, finish, whole_numbers
from dpviz.text import inert

MOST_STEPS = 1500
"""Longer chains are drawn at this many evenly spaced sweeps: a screen has no more pixels."""
DASHES = ("solid", "dash", "dot", "dashdot")
_GREY = "rgba(128, 128, 128, 0.18)"
_MARK = "#D55E00"


def chain_name(chain: int) -> str:
    """Name a chain, counted from 1."""
    return f"chain {chain + 1}"


def chain_line(chain: int) -> dict[str, Any]:
    """Colour and dashes of a chain; dashes differ if colours repeat."""
    n_colors = len(GROUP_COLORS)
    return {"color": GROUP_COLORS[chain % n_colors], "dash": DASHES[chain // n_colors % len(DASHES)]}


def traces(
    panels: Mapping[str, Sequence[ArrayLike]], burn_in: int, height: int = 340, last: int | None = None
) -> go.Figure:
    """Draw series of several chains over the sweeps, one below the other; the burn-in is shaded.

    Parameters
    ----------
    panels : mapping of str to sequence of array_like (T_c + 1,)
        Series by name: one per chain, the initial state first.
    burn_in : int
        Sweeps that are left out at the start.
    height : int
        Height in pixels.
    last : int, optional
        Sweep at which the axis ends, of chains that still grow; else they end it.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace per panel and chain, in this order. The axis of a panel spans what comes after the burn-in, once
        there is something.
    """
    figure = make_subplots(len(panels), 1, shared_xaxes=True, vertical_spacing=0.12)
    for row, (name, chains) in enumerate(panels.items(), 1):
        kept = []
        for chain, values in enumerate(chains):
            series = np.asarray(values, dtype=np.float64)
            sweeps = evenly_spaced(len(series), MOST_STEPS)
            kept.append(series[burn_in + 1 :])
            figure.add_scatter(
                x=sweeps,
                y=series[sweeps],
                mode="lines",
                name=chain_name(chain),
                legendgroup=str(chain),
                showlegend=row == 1,
                line={**chain_line(chain), "width": 1.2},
                hovertemplate="sweep %{x}: %{y:.7~g}<extra>" + chain_name(chain) + "</extra>",
                row=row,
                col=1,
            )
        figure.update_yaxes(title=inert(name), row=row, col=1, **_range(np.concatenate(kept)))
    if burn_in:
        figure.add_vrect(x0=0, x1=burn_in, fillcolor=_GREY, line_width=0, layer="below")
    if last is not None:
        figure.update_xaxes(range=[0, last])
    figure.update_xaxes(title="Sweep", row=len(panels), col=1)
    return finish(figure, height, showlegend=True)


def _range(values: FloatArray) -> dict[str, Any]:
    """Range of an axis that shows these values; earlier ones may exceed it."""
    if not len(values):
        return {}
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 0.5
    return {"range": [low - margin, high + margin]}


def rank_plots(counts: FloatArray) -> go.Figure:
    """Draw the ranks of every chain among all as bars around the height expected under agreement.

    Parameters
    ----------
    counts : ndarray (C, B)
        Result of :func:`dpviz.analysis.posterior.rank_histogram`.

    Returns
    -------
    plotly.graph_objects.Figure
        One bar trace per chain; dotted lines at the height of all bars under perfect agreement.
    """
    n_chains, n_bins = counts.shape
    columns = min(n_chains, 4)
    n_rows = -(-n_chains // columns)
    names = [chain_name(chain) for chain in range(n_chains)]
    figure = make_subplots(n_rows, columns, shared_yaxes=True, subplot_titles=names, horizontal_spacing=0.02)
    middles = (np.arange(n_bins) + 0.5) / n_bins
    for chain, row in enumerate(counts):
        place = {"row": chain // columns + 1, "col": chain % columns + 1}
        figure.add_bar(
            x=middles,
            y=row,
            marker_color=chain_line(chain)["color"],
            name=chain_name(chain),
            hovertemplate="ranks around %{x:.0%}: %{y:.4g} draws<extra></extra>",
            **place,
        )
        figure.add_hline(float(row.sum()) / n_bins, line={"dash": "dot", "width": 1.5, "color": "grey"}, **place)
    finish(figure, 260 * n_rows, showlegend=False, bargap=0.06)
    figure.update_xaxes(range=[0, 1], tickvals=[0.2, 0.8], ticktext=["low", "high"]).update_yaxes(rangemode="tozero")
    return figure.update_annotations(font_size=12)


def autocorrelations(curves: FloatArray) -> go.Figure:
    """Draw the autocorrelation of every chain.

    Parameters
    ----------
    curves : ndarray (C, L + 1)
        At lag 0 … L; chains that never move (NaN) have no line.
    """
    figure = go.Figure()
    for chain, curve in enumerate(curves):
        if np.isfinite(curve).all():
            figure.add_scatter(
                x=np.arange(len(curve)),
                y=curve,
                mode="lines",
                name=chain_name(chain),
                line={**chain_line(chain), "width": 1.8},
                hovertemplate="%{x} sweeps apart: %{y:.3f}<extra>" + chain_name(chain) + "</extra>",
            )
    figure.add_hline(0, line={"color": "grey", "width": 1})
    figure.update_xaxes(title="Sweeps apart").update_yaxes(title="Correlation", range=[-0.35, 1.05])
    return finish(figure, 260, showlegend=True)


def law_of_n_clusters(law: LawOfClusters, marks: Mapping[str, int] | None = None) -> go.Figure:
    """Draw the posterior law of K: bars for all chains, a dot for each, and the K of other answers.

    Parameters
    ----------
    law : LawOfClusters
    marks : mapping of str to int, optional
        Numbers of clusters to point at, by name; those with the same number share a label.

    Returns
    -------
    plotly.graph_objects.Figure
        The bars first, then a trace per chain.
    """
    figure = go.Figure(
        go.Bar(
            x=law.values,
            y=law.probabilities,
            marker_color=ACCENT,
            opacity=0.55,
            name="all chains",
            hovertemplate="K = %{x}: %{y:.3g}<extra>all chains</extra>",
        )
    )
    for chain, shares in enumerate(law.by_chain):
        figure.add_scatter(
            x=law.values,
            y=shares,
            mode="markers",
            name=chain_name(chain),
            marker={"color": chain_line(chain)["color"], "size": 8, "line": {"width": 0.5, "color": "grey"}},
            hovertemplate="K = %{x}: %{y:.3g}<extra>" + chain_name(chain) + "</extra>",
        )
    names: dict[int, list[str]] = {}
    for name, n_clusters in (marks or {}).items():
        names.setdefault(n_clusters, []).append(inert(name))
    for level, (n_clusters, found) in enumerate(sorted(names.items())):
        figure.add_vline(n_clusters, line={"color": _MARK, "dash": "dash", "width": 1.5})
        figure.add_annotation(
            x=n_clusters,
            y=1.0 - 0.1 * (level % 3),
            yref="paper",
            text=", ".join(found),
            showarrow=False,
            xanchor="left",
            xshift=4,
            font={"color": _MARK},
        )
    shown = [*law.values.tolist(), *names]
    low, high = min(shown), max(shown)
    figure.update_xaxes(title="Clusters K", range=[low - 0.6, high + 0.6], **whole_numbers(low, high))
    highest = max(float(law.by_chain.max()), float(law.probabilities.max()))
    figure.update_yaxes(title="Posterior probability", range=[0, highest * (1.35 if names else 1.08)])
    return finish(figure, 340, showlegend=True, bargap=0.15)


def ranked_sizes(sizes: IntArray, height: int = 300) -> go.Figure:
    """Draw the mean size of the largest, the second largest, … cluster, with the range of 90 % of the draws.

    Parameters
    ----------
    sizes : ndarray (S, R)
        Result of :func:`dpviz.analysis.posterior.ranked_sizes`.
    height : int
        Height in pixels.
    """
    mean, (low, high) = sizes.mean(axis=0), np.quantile(sizes, [0.05, 0.95], axis=0)
    figure = go.Figure(
        go.Bar(
            x=np.arange(1, sizes.shape[1] + 1),
            y=mean,
            marker_color=ACCENT,
            opacity=0.6,
            error_y={
                "type": "data",
                "symmetric": False,
                "array": np.maximum(high - mean, 0),
                "arrayminus": np.maximum(mean - low, 0),
                "thickness": 1.5,
                "color": "grey",
            },
            customdata=np.column_stack([low, high]),
            hovertemplate="number %{x}: %{y:.4g} points on average, %{customdata[0]:.4g} to %{customdata[1]:.4g}"
            "<extra></extra>",
        )
    )
    figure.update_xaxes(title="Clusters, the largest first", **whole_numbers(1, sizes.shape[1]))
    figure.update_yaxes(title="Points", rangemode="tozero")
    return finish(figure, height, showlegend=False, bargap=0.15)
