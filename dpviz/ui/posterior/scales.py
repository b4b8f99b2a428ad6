"""From fine to coarse: the clusters of the summary joined, those that the draws most often have together first."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.merging import MergeTree
from dpviz.config import RunConfig
from dpviz.figures.theme import group_marker
from dpviz.ui.controls import merges
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.posterior import findings, parts
from dpviz.ui.posterior.findings import Findings
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice, PreparedData

OPEN = "posterior.scales"
"""Key of the panel."""
CHOSEN = "posterior.scale"
"""Where a session keeps how many clusters are shown, and of which data; none are joined without it."""
MOST_ASKED = 10**12
"""Numbers of clusters in links from here on are none."""
FOUND = "as the summary has them"


def asked() -> int | None:
    """Return how many clusters are to be left; None if none are joined."""
    data, chosen = state.settings().get(CHOSEN, (None, None))
    return chosen if data == _data() else None


def choose(n_clusters: int | None) -> None:
    """Let so many clusters of the chosen data be left; None for those of the summary."""
    state.settings()[CHOSEN] = _data(), n_clusters


def choose_of_link(n_clusters: Any) -> None:
    """Let so many clusters be left as a link says; none are joined by links without a scale, or with another one."""
    is_number = type(n_clusters) is int and 0 < n_clusters < MOST_ASKED
    choose(n_clusters if is_number else None)
    if n_clusters is not None and not is_number:
        raise ValueError(f"It must be a number of clusters from 1, not {str(n_clusters)[:40]}.")


def _data() -> DataChoice:
    """Return the chosen data, on whatever axes they are looked at."""
    return state.chosen_data().data


def at_scale(prepared: PreparedData, sampled: Sampled, config: RunConfig, found: Findings) -> Findings:
    """Return a summary with clusters joined as the reader asked; as it is if that cannot be, or is being computed.

    Parameters
    ----------
    prepared : PreparedData
    sampled : Sampled
    config : RunConfig
        Of the chains, with the hyperparameters at which partitions are priced.
    found : Findings
        The summary as it was found.
    """
    n_clusters, n_found = asked(), found.summary.n_clusters
    if n_clusters is None or n_clusters == n_found:
        return found
    if n_clusters > n_found:
        st.caption(f"{n_clusters:,} clusters were asked for; the summary has {n_found}, as they are shown.")
        return found
    tree = _tree(prepared, config, found)
    if tree is None:
        return found
    begin = partial(findings.joined, found, tree, n_clusters)
    joined = parts.computed("scale", (found, n_clusters), begin, found.pooled.draws.labels.size)
    return found if joined is None else joined


def known(found: Findings) -> Findings:
    """Return a summary with clusters joined as the reader asked, if that is computed already; else as it is."""
    n_clusters = asked()
    joined: Findings | None = None if n_clusters is None else parts.known("scale", (found, n_clusters))
    return found if joined is None else joined


def show(prepared: PreparedData, config: RunConfig, found: Findings, shown: Findings) -> None:
    """Draw the panel, closed at first, for a summary as it was found and as it is shown."""
    with merges.panel(OPEN):
        if not once_opened(OPEN):
            return
        if found.summary.n_clusters == 1:
            st.caption("The summary is one cluster: there is nothing to join.")
            return
        n_asked, n_found = asked(), found.summary.n_clusters
        if n_asked is not None and n_asked < n_found and shown.merges is None:  # said above, with the reason
            st.button("As the summary has them", key="posterior.scales.none", on_click=choose, args=(None,))
            return
        tree = _tree(prepared, config, found)
        if tree is None:
            return

        def keep(chosen: int) -> None:
            choose(None if chosen == n_found else chosen)

        def draw(n_clusters: int) -> None:
            colors = [str(group_marker(number)["color"]) for number in _numbers(tree, shown)]  # as the picture above
            names = [f"cluster {leaf + 1}" for leaf in range(tree.n_leaves)]
            merges.picture(tree, n_clusters, names, colors, "posterior.scales.tree")

        meaning = _what_it_means(found, config)
        merges.browse(tree, shown.summary.n_clusters, OPEN, keep, FOUND, draw, meaning)


def _tree(prepared: PreparedData, config: RunConfig, found: Findings) -> MergeTree | None:
    begin = partial(findings.merges_of, prepared, config, found)
    n_labels = found.pooled.draws.labels.size + found.summary.n_clusters**2 * len(prepared.X)
    tree: MergeTree | None = parts.computed("merges", (found, config), begin, n_labels)
    return tree


def _numbers(tree: MergeTree, shown: Findings) -> list[int]:
    """Return the number that is shown for each cluster of the summary: that of its union."""
    first = np.unique(tree.leaves, return_index=True)[1]
    return [int(number) for number in shown.numbers[first]]


def _what_it_means(found: Findings, config: RunConfig) -> str:
    learned = (
        " at the posterior means of what is learned" if config.hyperpriors is None and found.pooled.partitions else ""
    )
    return (
        "The draws choose what is joined, the model prices it: a nat more makes a partition 2.7 times less probable"
        f"{learned}. Joined are the summary, its mean loss, where it is unsure, its file, and its row among the other "
        "answers. The ball and what is certain are those of the draws, whatever is joined."
    )
