"""A tree of merges on a page, the same on each: its slider, its price in words, and the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.analysis.merging import (
    CHEAP_UNIONS,
    ENTROPY,
    FEWEST_JOINED,
    MODES,
    NLL,
    OVERLAP,
    STEP,
    SURE_STEP,
    TOGETHER,
    MergeTree,
    ticked,
)
from dpviz.figures.merging import dendrogram
from dpviz.text import counted
from dpviz.ui.controls.charts import chart

ORDERS = {NLL: "Lowest cost", MODES: "One group", OVERLAP: "Most overlap", ENTROPY: "Entropy"}
"""What the next merge is chosen by."""
MEANINGS = {
    NLL: "Joined next are the two clusters whose union costs least (nll, in nats).",
    MODES: "Joined next are the two clusters that look most like one group cut in two: between them points lie as "
    "densely as beside (dip test, Hartigan and Hartigan 1985); where no two do, those that overlap most.",
    OVERLAP: "Joined next are the two clusters that overlap most (Hennig 2010), whatever that costs: this follows "
    "curved groups in few columns. In many columns hardly any points lie between clusters, and the order says little.",
    ENTROPY: "Joined next are the two clusters whose union takes most off the entropy of memberships (Baudry and "
    "others 2010), whatever that costs: this follows curved groups in few columns, and joins large clusters early.",
    TOGETHER: "Joined next are the two clusters whose points are most often together in the draws: the mean over all "
    "pairs, one point of each. Of clusters that no draw has together, the two whose union costs least.",
}


BY_PRICE, BY_MODES = "By the prices", "By the looks"
STEP_RULE = (
    f"It stops before the first union that costs {STEP:g} times as much as any before, of which there must be "
    f"{CHEAP_UNIONS}; {SURE_STEP:g} times if one of these is of two clusters that clearly have two modes."
)
MODES_RULE = "It stops before two clusters would be joined that do not look like one group (order “One group”)."
LEFT_FEW = "Suggested: the clusters as they were found, since they are few."
LEFT = "Suggested: the clusters as they were found."


def panel(key: str) -> DeltaGenerator:
    """Draw the panel, closed at first."""
    return st.expander("From fine to coarse: join clusters", key=key, on_change="rerun")


def slider(most: int, n_clusters: int, key: str, keep: Callable[[int], None]) -> int:
    """Draw the slider, from one cluster to the most; ``keep`` is called with another number that the reader chooses."""
    st.session_state[key] = n_clusters
    chosen: int = st.slider("Clusters shown", 1, most, key=key, on_change=lambda: keep(int(st.session_state[key])))
    return chosen


def browse(
    tree: MergeTree,
    n_clusters: int,
    key: str,
    keep: Callable[[int], None],
    found: str,
    draw: Callable[[int], None],
    meaning: str,
    suggest: Callable[[], None] | None = None,
) -> None:
    """Draw the slider of a tree, its price and picture, what the order means, and what is suggested.

    Parameters
    ----------
    tree : MergeTree
    n_clusters : int
        That are shown.
    key : str
        First part of the keys of slider and button, of one page.
    keep : callable
        Called with the number of clusters that the reader chooses.
    found : str
        How the clusters that the tree starts from are named: “as the run found them”.
    draw : callable
        Draws the picture, given the number of clusters.
    meaning : str
        What joining means on this page.
    suggest : callable, optional
        Draws what is suggested; by default that is where this tree stops to join what looks like one group.
    """
    n_clusters = slider(tree.n_leaves, n_clusters, f"{key} {tree.order} {id(tree)}", keep)
    st.markdown(price(tree, n_clusters, found))
    left, right = st.columns([3, 2], gap="large")
    with left:
        draw(n_clusters)
    with right:
        st.caption(MEANINGS[tree.order])
        if suggest is not None:
            suggest()
        else:
            st.caption(suggestion(tree, found))
            if tree.suggestion != n_clusters:
                words = "Show the suggestion" if tree.suggestion < tree.n_leaves else found[0].upper() + found[1:]
                st.button(words, key=f"{key}.suggestion", on_click=lambda: keep(tree.suggestion))
        st.caption(meaning)


def picture(
    tree: MergeTree, n_clusters: int, names: Sequence[str], colors: Sequence[str], key: str, most: int | None = None
) -> None:
    """Draw the tree, as :func:`dendrogram` does; the names, one per leaf, get the sizes of their clusters."""
    sizes = np.bincount(tree.leaves)
    sized = [f"{name} ({size:,})" for name, size in zip(names, sizes, strict=True)]
    figure = dendrogram(tree, n_clusters, sized, colors, most)
    chart(figure, key, has_bar=False)


def nats(cost: float) -> str:
    """Write a cost in words."""
    return f"costs {cost:,.4g} nats more" if cost >= 0 else f"costs {-cost:,.4g} nats less"


def price(tree: MergeTree, n_clusters: int, found: str) -> str:
    """Say what a level costs, and what the next merge would; ``found`` as for :func:`browse`."""
    if n_clusters == tree.n_leaves:
        next_one = f"; {n_clusters - 1} {nats(tree.costs[0])}" if n_clusters > 1 else ""
        return f"**{counted(n_clusters, 'cluster')}**, {found}{next_one}."
    step = tree.n_leaves - n_clusters
    last = f", the last merge {tree.costs[step - 1]:,.4g}" if step > 1 else ""
    more = f" Going on to {n_clusters - 1} {nats(tree.costs[step])}." if n_clusters > 1 else ""
    paid = nats(tree.cost(n_clusters))
    return f"**{counted(n_clusters, 'cluster')}** of {tree.n_leaves} found: this {paid}{last}.{more}"


def marks(trees: Sequence[MergeTree], n_clusters: int, key: str, keep: Callable[[MergeTree, int], None]) -> None:
    """Draw what the prices and the looks of clusters suggest, each with its price and a button, and tick one.

    Parameters
    ----------
    trees : sequence of MergeTree
        Of the same clusters: in the orders ``"nll"`` and ``"modes"``.
    n_clusters : int
        That are shown.
    key : str
    keep : callable
        Called with the tree and the number of clusters that the reader takes.
    """
    best = ticked(*trees)
    for tree in trees:
        is_ticked = tree is best
        tick = ":material/check: " if is_ticked else ""
        st.caption(tick + mark_in_words(tree))
        if tree.mark not in (n_clusters, tree.n_leaves):
            words = f"Show {counted(tree.mark, 'cluster')}{', as suggested' if is_ticked else ''}"
            st.button(words, key=f"{key}.mark {tree.order}", on_click=keep, args=(tree, tree.mark))
    if best is None:
        st.caption(f":material/check: {LEFT_FEW if trees[0].n_leaves < FEWEST_JOINED else LEFT}")


def mark_in_words(tree: MergeTree) -> str:
    """Say what a tree marks, and why."""
    by, rule = (BY_PRICE, STEP_RULE) if tree.order == NLL else (BY_MODES, MODES_RULE)
    if tree.mark == tree.n_leaves:
        return f"{by}: nothing to join. {rule}"
    return f"{by}: **{counted(tree.mark, 'cluster')}** of {tree.n_leaves}, which {nats(tree.cost(tree.mark))}. {rule}"


def suggestion(tree: MergeTree, found: str) -> str:
    """Say what is suggested, and by which rule."""
    step = tree.n_leaves - tree.suggestion
    rule = (
        "The suggestion stops before two clusters would be joined that do not look like one group: fewer points lie "
        "between them than beside. Normal groups 4 standard deviations apart stay apart but for some draw in hundreds. "
        "It joins too few clusters rather than too many, and most in the order “One group”."
    )
    if tree.suggestion == 1:
        return f"Suggested: 1 cluster. {rule}"
    now = found if step == 0 else f"of {tree.n_leaves} found"
    return f"Suggested: {counted(tree.suggestion, 'cluster')}, {now}. The next two {_apart(tree, step)}. {rule}"


def _apart(tree: MergeTree, step: int) -> str:
    """Say why the clusters of a step do not look like one group."""
    uneven, share = tree.unevenness[step], 100 * tree.overlaps[step]
    if np.isfinite(uneven):
        return f"have a dip {uneven:.2g} times that of one group, and overlap by {share:.2g} %"
    return f"are too far from each other, or too small to tell, and overlap by {share:.2g} %"
