"""The tree of merges, from the clusters found to a single one."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dpviz.analysis.dendrogram import MOST_NAMED, leaf_of, positions
from dpviz.analysis.merging import MergeTree
from dpviz.figures.theme import finish, whole_numbers

GREY = "#888888"
ROW, ROOM = 22, 110
"""Pixels for each leaf, and for the axis."""


def dendrogram(
    tree: MergeTree, n_clusters: int, names: Sequence[str], colors: Sequence[str], most: int | None = None
) -> go.Figure:
    """Draw which clusters are joined with how many left; hovering over a merge shows its cost and overlap.

    Parameters
    ----------
    tree : MergeTree
    n_clusters : int
        Where the tree is cut: merges up to there have the colours of their clusters, later ones are grey.
    names, colors : sequence of str
        One per leaf.
    most : int, optional
        Clusters at the left end, so that several trees have one axis; by default those that this one starts from.

    Returns
    -------
    plotly.graph_objects.Figure
        Numbers of clusters left from the left to the right, from K to 1. A trace for each merge; then the merges'
        marks, the leaves' and the cut.
    """
    heights, left = positions(tree)
    most = max(tree.n_leaves, most or 0)
    left[: tree.n_leaves] = most
    figure = go.Figure()
    marks = []
    for step, (a, b) in enumerate(tree.merges):
        at = tree.n_leaves + step
        made = tree.n_leaves - step - 1 >= n_clusters
        color = colors[leaf_of(tree, at)] if made else GREY
        x = [left[a], left[at], left[at], left[b]]
        line = {"color": color, "width": 2.5 if made else 1.5}
        figure.add_scatter(
            x=x, y=[heights[a], heights[a], heights[b], heights[b]], mode="lines", line=line, hoverinfo="skip"
        )
        marks.append((left[at], heights[at], color, _in_words(tree, step)))
    if marks:
        x, y, filled, words = (list(column) for column in zip(*marks, strict=True))
        figure.add_scatter(
            x=x,
            y=y,
            mode="markers",
            marker={"color": filled, "size": 9},
            customdata=words,
            hovertemplate="%{customdata}<extra></extra>",
        )
        figure.add_scatter(
            x=left[: tree.n_leaves],
            y=heights[: tree.n_leaves],
            mode="markers",
            hoverinfo="skip",
            marker={"color": list(colors), "size": 10, "symbol": "square"},
        )
        cut, rows = n_clusters - 0.5, [-0.6, tree.n_leaves - 0.4]
        line = {"color": GREY, "width": 1.5, "dash": "dot"}
        figure.add_scatter(x=[cut, cut], y=rows, mode="lines", line=line, hoverinfo="skip")
    finish(figure, ROOM + ROW * min(max(tree.n_leaves, 4), MOST_NAMED), showlegend=False)
    figure.update_xaxes(title="clusters left", range=[most + 0.4, 0.4], **whole_numbers(1, most))
    order = np.argsort(heights[: tree.n_leaves])
    named = tree.n_leaves <= MOST_NAMED
    figure.update_yaxes(
        tickvals=np.arange(tree.n_leaves) if named else [],
        ticktext=[html.escape(names[k]) for k in order] if named else [],  # plotly reads tags
        range=[tree.n_leaves - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
    )
    return figure


def _in_words(tree: MergeTree, step: int) -> str:
    left = tree.n_leaves - step
    pairs = "" if tree.together is None else f"a point of each together with probability {tree.together[step]:.2g}<br>"
    return (
        f"{left} → {left - 1} clusters: {tree.costs[step]:+,.4g} nats<br>{pairs}"
        f"overlap {100 * tree.overlaps[step]:.2g} %, "
        f"standard error {100 * tree.overlap_errors[step]:.2g} %<br>{tree.points_joined[step]:,} points join"
    )
