"""The tree of merges of a report: an SVG for pages without a script, and for print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dpviz.analysis.dendrogram import MOST_NAMED, leaf_of, positions
from dpviz.analysis.merging import MergeTree

GREY, INK = "#888888", "#333333"
WIDTH, MARGIN, ROOM = 720, 12, 200
"""Pixels: of the picture, around it, and for names."""
ROW, LONGEST = 20, 28
"""Pixels for each leaf, and most characters of a name."""


def dendrogram(tree: MergeTree, n_clusters: int, names: Sequence[str], colors: Sequence[str], words: str) -> str:
    """Draw which clusters are joined with how many left, as :func:`dpviz.figures.merging.dendrogram` does on pages.

    Parameters
    ----------
    tree : MergeTree
        Of two leaves or more.
    n_clusters : int
        Where a dotted line cuts it, if any are joined: merges up to there have the colours of their clusters, later
        ones are grey.
    names, colors : sequence of str
        One per leaf.
    words : str
        What the picture shows, for those who cannot see it.

    Returns
    -------
    str
        An SVG.
    """
    places, left = positions(tree)
    is_named = tree.n_leaves <= MOST_NAMED
    begin, row = ROOM if is_named else MARGIN, ROW * min(1.0, MOST_NAMED / tree.n_leaves)
    step = (WIDTH - begin - MARGIN) / (tree.n_leaves - 1)
    x = [begin + step * (tree.n_leaves - value) for value in left]
    y = [MARGIN + row * place for place in places]
    bottom = MARGIN + row * (tree.n_leaves - 1)
    drawn = []
    for merge, (a, b) in enumerate(tree.merges):
        at = tree.n_leaves + merge
        color = colors[leaf_of(tree, at)] if tree.n_leaves - merge - 1 >= n_clusters else GREY
        path = f"M{x[a]:.1f} {y[a]:.1f}H{x[at]:.1f}V{y[b]:.1f}H{x[b]:.1f}"
        drawn.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
    for leaf, (name, color) in enumerate(zip(names, colors, strict=True)):
        drawn.append(f'<circle cx="{x[leaf]:.1f}" cy="{y[leaf]:.1f}" r="{min(4.0, row / 3):.1f}" fill="{color}"/>')
        if is_named:
            short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
            drawn.append(
                f'<text x="{begin - 9}" y="{y[leaf] + 4:.1f}" text-anchor="end" font-size="12" fill="{INK}">'
                f"{escape(short)}</text>"
            )
    if n_clusters < tree.n_leaves:
        cut = f"M{begin + step * (tree.n_leaves - n_clusters + 0.5):.1f} 2V{bottom + MARGIN - 2:.1f}"
        drawn.append(f'<path d="{cut}" stroke="{GREY}" stroke-width="1.5" stroke-dasharray="2 4"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + MARGIN:.0f}" role="img" '
        f'viewBox="0 0 {WIDTH} {bottom + MARGIN:.0f}" aria-label="{escape(words)}">{"".join(drawn)}</svg>'
    )
