"""From fine to coarse: the clusters of the result joined pair by pair, at their cost, as far as the reader wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from dpviz.analysis.merging import MODES, NLL, MergeTree
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.player import track_color
from dpviz.player.data import PanelData
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import merges, widgets
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.controls.merges import ORDERS
from dpviz.ui.session import jobs, state, trees
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Level, Scale

OPEN = "scales"
"""Key of the panel, and where a session keeps whether it is open."""
ORDER = "scales.order"
FOUND = "as the run found them"
_ASKED = "scales asked"
Keep = Callable[[Scale | None], None]


def show(finished: Finished, keep: Keep) -> None:
    """Draw the panel, closed at first.

    Parameters
    ----------
    finished : Finished
    keep : callable
        Called with the scale that the reader chose; None for the clusters as they were found.
    """
    with merges.panel(OPEN):
        if once_opened(OPEN):
            _draw(finished, keep)


def as_asked(finished: Finished, level: Level) -> tuple[Finished, str]:
    """Return a run at the scale of a link, and why it is shown as it was found, if it is; the panel follows."""
    try:
        scale = trees.at_level(finished, level)
    except DpvizError as error:
        return replace(finished, scale=None), str(error)
    if scale is not None:
        state.put({ORDER: level.order})
    return replace(finished, scale=scale), ""


def joined_panel(finished: Finished, panel: PanelData) -> PanelData:
    """Let number of clusters and nll in the player be those of the unions where clusters are joined."""
    return panel if finished.scale is None else finished.scale.in_player(panel, finished.joined_rows)


def joined_in_words(scale: Scale) -> str:
    """Say how many clusters are joined to how many, and at what cost."""
    return (
        f"{counted(scale.tree.n_leaves, 'cluster')} found, joined to {scale.n_clusters} "
        f"({ORDERS[scale.tree.order].lower()} first), {merges.nats(scale.cost)}"
    )


def _draw(finished: Finished, keep: Keep) -> None:
    algorithm, trace = finished.problem.algorithm, finished.trace
    if not algorithm.uses_model:
        st.caption(
            f"{escape_markdown(algorithm.title)} has no nll, and so no cost in nats of joining two clusters. "
            "MAP-DP and Gibbs sampling have one."
        )
        return
    if trees.n_found(finished) == 1:
        st.caption("The run found one cluster: there is nothing to join.")
        return
    order: str = widgets.segments("Join next", ORDER, list(ORDERS), format_func=ORDERS.__getitem__)
    made = _trees(finished, (order, NLL, MODES))  # the last two are those whose marks are said, whatever is shown
    if made is None:
        return
    found = made[order]

    def keep_level(n_clusters: int) -> None:
        keep(Scale.of(found, trace, n_clusters))

    held = finished.scale
    if held is not None and held.tree is not found:  # another order was chosen, or the page was left
        keep_level(held.n_clusters)
        st.rerun()
    shown = found.n_leaves if held is None else held.n_clusters
    draw = partial(_tree_picture, finished, found)

    def take(marked: MergeTree, n_clusters: int) -> None:
        state.put({ORDER: marked.order})
        keep(Scale.of(marked, trace, n_clusters))

    def suggest() -> None:
        merges.marks((made[NLL], made[MODES]), shown, "scales", take)

    merges.browse(found, shown, "scales", keep_level, FOUND, draw, _what_it_means(trace), suggest)


def _trees(finished: Finished, orders: Sequence[str]) -> dict[str, MergeTree] | None:
    """Return the run's trees by their order; a long computation waits for the reader."""
    work = sum(trees.operations(finished, order) for order in dict.fromkeys(orders))
    if work > jobs.UNASKED_OPERATIONS and not st.button("Weigh all unions", key=_ASKED):
        n_clusters, n_points = trees.n_found(finished), len(finished.prepared.X)
        st.caption(f"{counted(n_clusters, 'cluster')} of {n_points:,} points take a while to weigh pair by pair.")
        return None
    try:
        with st.spinner("Weighing unions of clusters …"):
            return {order: trees.tree_of(finished, order) for order in orders}
    except DpvizError as error:
        st.warning(escape_markdown(str(error)))
        return None


def _what_it_means(trace: Trace) -> str:
    return (
        "A mixture describes a density, and a group that is not bell-shaped takes several of its clusters. A union is "
        "the sum of its parts: in predictions their probabilities add up, and “Why here?” weighs the parts. A nat more "
        "makes the partition 2.7 times less probable under the model; which scale is the right one, no number says. "
        f"Joined are the clusters of the result (sweep {trace.result_sweep:,}), in the picture, profiles, names, files "
        "and predictions; other sweeps stay as they were."
    )


def _tree_picture(finished: Finished, found: MergeTree, n_clusters: int) -> None:
    sweep, trace = finished.trace.result_sweep, finished.trace
    if finished.shown_sweep(sweep) != sweep:
        st.caption("The player does not show the sweep of the result: only the predictions are joined.")
    labels = trace.result_labels
    first = [int(np.argmax(found.leaves == leaf)) for leaf in range(found.n_leaves)]
    numbers = [finished.number(int(labels[point]), sweep) for point in first]
    dark = st.context.theme.type == "dark"
    colors = [track_color(number - 1, dark=dark) for number in numbers]
    merges.picture(found, n_clusters, [finished.name_of(number) for number in numbers], colors, "scales.tree")
