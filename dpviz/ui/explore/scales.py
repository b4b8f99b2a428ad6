"""From fine to coarse: the clusters of the result joined pair by pair, at their cost, as far as the reader wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

from dpviz.analysis.merging import ENTROPY, NLL, OVERLAP, MergeTree, tree
from dpviz.analysis.overlap import MOST_ROWS
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.figures.merging import dendrogram
from dpviz.player import track_color
from dpviz.player.data import PanelData
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.session import jobs
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Scale

OPEN = "scales"
"""Key of the panel, and where a session keeps whether it is open."""
ORDER = "scales.order"
ORDERS = {NLL: "Lowest cost", OVERLAP: "Most overlap", ENTROPY: "Entropy"}
"""What the next merge is chosen by."""
MEANINGS = {
    NLL: "Joined next are the two clusters whose union costs least (nll, in nats).",
    OVERLAP: "Joined next are the two clusters that overlap most (Hennig 2010), whatever that costs: this follows "
    "curved groups in few columns. In many columns hardly any points lie between clusters, and the order says little.",
    ENTROPY: "Joined next are the two clusters whose union takes most off the entropy of memberships (Baudry and "
    "others 2010), whatever that costs: this follows curved groups in few columns, and joins large clusters early.",
}
UNION = 20.0
"""Operations of weighing a point in a union, in those of a visit in a sweep: statistics are built anew for each."""
_TREES, _ASKED = "scales trees", "scales asked"
Keep = Callable[[Scale | None], None]


def show(finished: Finished, keep: Keep) -> None:
    """Draw the panel, closed at first.

    Parameters
    ----------
    finished : Finished
    keep : callable
        Called with the scale that the reader chose; None for the clusters as they were found.
    """
    with st.expander("From fine to coarse: join clusters", key=OPEN, on_change="rerun"):
        if once_opened(OPEN):
            _draw(finished, keep)


def joined_panel(finished: Finished, panel: PanelData) -> PanelData:
    """Let the number of clusters in the player be that of the unions where clusters are joined."""
    if finished.scale is None:
        return panel
    n_clusters = np.array(panel.n_clusters)
    n_clusters[np.asarray(panel.label_sweeps)[finished.joined_rows]] = finished.scale.n_clusters
    return replace(panel, n_clusters=n_clusters)


def joined_in_words(scale: Scale) -> str:
    """Say how many clusters are joined to how many, and at what cost."""
    return (
        f"{counted(scale.tree.n_leaves, 'cluster')} found, joined to {scale.n_clusters} "
        f"({ORDERS[scale.tree.order].lower()} first), {_nats(scale.cost)}"
    )


def _draw(finished: Finished, keep: Keep) -> None:
    algorithm, trace = finished.problem.algorithm, finished.trace
    if not algorithm.uses_model:
        st.caption(
            f"{escape_markdown(algorithm.title)} has no nll, and so no cost in nats of joining two clusters. "
            "MAP-DP and Gibbs sampling have one."
        )
        return
    n_found = len(np.unique(trace.result_labels))
    if n_found == 1:
        st.caption("The run found one cluster: there is nothing to join.")
        return
    order: str = widgets.segments("Join next", ORDER, list(ORDERS), format_func=ORDERS.__getitem__)
    found = _tree(finished, order)
    if found is None:
        return
    key = f"scales {order} {id(trace)}"
    held = finished.scale
    if held is not None and held.tree is not found:  # another order was chosen, or the page was left
        keep(Scale.of(found, trace, held.n_clusters))
        st.rerun()
    st.session_state[key] = found.n_leaves if held is None else held.n_clusters
    n_clusters: int = st.slider(
        "Clusters shown", 1, n_found, key=key, on_change=lambda: keep(Scale.of(found, trace, st.session_state[key]))
    )
    st.markdown(_price(found, n_clusters))
    left, right = st.columns([3, 2], gap="large")
    with left:
        _tree_picture(finished, found, n_clusters)
    with right:
        st.caption(MEANINGS[order])
        st.caption(_suggestion(found))
        if found.suggestion != n_clusters:
            words = "Show the suggestion" if found.suggestion < found.n_leaves else "As the run found them"
            st.button(words, key="scales.suggestion", on_click=lambda: keep(Scale.of(found, trace, found.suggestion)))
        st.caption(_what_it_means(trace))


def _tree(finished: Finished, order: str) -> MergeTree | None:
    """Return the run's tree, once per order; a long computation waits for the reader."""
    held = st.session_state.get(_TREES)
    if held is None or held[0] is not finished.trace:
        held = st.session_state[_TREES] = (finished.trace, {})
    trees: dict[str, MergeTree] = held[1]
    if order not in trees:
        n_points, n_features = finished.prepared.X.shape
        n_clusters = len(np.unique(finished.trace.result_labels))
        work = UNION * (n_points + MOST_ROWS) * n_clusters * finished.problem.model.operations(n_features)
        if work > jobs.UNASKED_OPERATIONS and not st.button("Weigh all unions", key=_ASKED):
            st.caption(f"{counted(n_clusters, 'cluster')} of {n_points:,} points take a while to weigh pair by pair.")
            return None
        try:
            with st.spinner("Weighing unions of clusters …"):
                trees[order] = tree(finished.prepared.X, finished.trace, order)
        except DpvizError as error:
            st.warning(escape_markdown(str(error)))
            return None
    return trees[order]


def _nats(cost: float) -> str:
    """Write a cost in words."""
    return f"costs {cost:,.4g} nats more" if cost >= 0 else f"costs {-cost:,.4g} nats less"


def _price(found: MergeTree, n_clusters: int) -> str:
    if n_clusters == found.n_leaves:
        return f"**{counted(n_clusters, 'cluster')}**, as the run found them; {n_clusters - 1} {_nats(found.costs[0])}."
    step = found.n_leaves - n_clusters
    last = f", the last merge {found.costs[step - 1]:,.4g}" if step > 1 else ""
    more = f" Going on to {n_clusters - 1} {_nats(found.costs[step])}." if n_clusters > 1 else ""
    price = _nats(found.cost(n_clusters))
    return f"**{counted(n_clusters, 'cluster')}** of {found.n_leaves} found: this {price}{last}.{more}"


def _suggestion(found: MergeTree) -> str:
    step = found.n_leaves - found.suggestion
    rule = (
        "The suggestion stops before two clusters would be joined that overlap by less than 5 %, with two standard "
        "errors to spare. Two normal groups 4 standard deviations apart overlap by 3.4 %, so they stay apart. It joins "
        "too few clusters rather than too many."
    )
    if found.suggestion == 1:
        return f"Suggested: 1 cluster. {rule}"
    share, error = 100 * found.overlaps[step], 100 * found.overlap_errors[step]
    found_now = "as the run found them" if step == 0 else f"of {found.n_leaves} found"
    return (
        f"Suggested: {counted(found.suggestion, 'cluster')}, {found_now}. The next two overlap by {share:.2g} % "
        f"(standard error {error:.2g} %). {rule}"
    )


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
    sizes, dark = np.bincount(found.leaves), st.context.theme.type == "dark"
    names = [f"{finished.name_of(number)} ({size:,})" for number, size in zip(numbers, sizes, strict=True)]
    colors = [track_color(number - 1, dark=dark) for number in numbers]
    st.plotly_chart(dendrogram(found, n_clusters, names, colors), key="scales.tree", config={"displayModeBar": False})
