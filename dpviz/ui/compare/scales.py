"""The results of a comparison at one scale: clusters of every run joined, where its tree allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.merging import MODES, NLL, MergeTree
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import DpvizError
from dpviz.player import track_color
from dpviz.text import counted, escape_markdown
from dpviz.ui.compare.runs import Picture
from dpviz.ui.controls import merges
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.session import jobs, state, trees
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Scale

KEY = "compare.scale"
"""Where a session keeps the scale."""
OPEN = "compare.scales"
"""Key of the panel."""
AS_FOUND, SUGGESTED = 0, "suggested"
"""What may be chosen beside numbers of clusters."""
MOST_ASKED = 10**12
FOUND = "as the run found them"
NO_NLL = "no nll to weigh unions by"
_JOINED = "compare joined"


def asked() -> int | str:
    """Return to how many clusters the runs are joined: ``AS_FOUND``, ``SUGGESTED`` or a number."""
    chosen: int | str = state.value(KEY, AS_FOUND)
    return chosen


def choose(scale: int | str) -> None:
    """Show the runs at another scale; call it before they are drawn."""
    state.put({KEY: scale})


def is_scale(value: Any) -> bool:
    """Whether a value of a link is one; links without a scale join none."""
    return value == SUGGESTED or type(value) is int and 0 < value < MOST_ASKED


def joined(picture: Picture) -> Picture:
    """Return the runs at the scale that the reader chose; as they are if none is joined."""
    scale, held = asked(), st.session_state.get(_JOINED)
    if scale == AS_FOUND:
        return picture
    if held is None or held[0] is not picture or held[1] != scale:
        if not _weighed(picture, scale, "compare.scale.go"):
            return picture
        scales, kept = {}, {}
        for name, run in picture.runs:
            level = _scale_of(run, scale)
            if isinstance(level, Scale):
                scales[name] = level
            else:
                kept[name] = level
        held = st.session_state[_JOINED] = (picture, scale, picture.at_scales(scales) if scales else picture, kept)
    found: Picture = held[2]
    return found


def show(found: Picture, shown: Picture) -> None:
    """Draw the panel, closed at first: a slider for all runs, and a tree of each, for runs as found and as shown."""
    with merges.panel(OPEN):
        if once_opened(OPEN):
            _all_trees(found, shown)


def say(picture: Picture) -> None:
    """Say which runs are joined, at what price, and why others are not."""
    scale, held = asked(), st.session_state.get(_JOINED)
    if scale == AS_FOUND or held is None or held[2] is not picture:
        return
    said = [
        f"{name} from {run.scale.tree.n_leaves} to {run.scale.n_clusters} ({merges.nats(run.scale.cost)})"
        for name, run in picture.runs
        if run.scale is not None
    ]
    kept = [f"{name} ({why})" for name, why in held[3].items()]
    first = "that look most like one group" if scale == SUGGESTED else "whose union costs least"
    words = f"Merged, always the two {first}: {'; '.join(said)}." if said else "Nothing is merged."
    words += f" As found: {'; '.join(kept)}." if kept else ""
    st.caption(escape_markdown(words))


def _all_trees(found: Picture, shown: Picture) -> None:
    wanted = {name: run for name, run in found.runs if _has_tree(run)}
    if all(trees.n_found(run) == 1 for run in wanted.values()):
        st.caption(
            "These runs found one cluster: there is nothing to join."
            if wanted
            else "None of these methods has an nll, and so no cost in nats of joining two clusters. MAP-DP and Gibbs "
            "sampling have one."
        )
        _as_found_button()
        return
    scale = asked()
    if not _weighed(found, scale, "compare.scales.go", offer=scale == AS_FOUND):
        return
    made = {name: _tree(run, scale) for name, run in wanted.items()}
    tall = {name: tree for name, tree in made.items() if isinstance(tree, MergeTree) and tree.n_leaves > 1}
    most = max((tree.n_leaves for tree in tall.values()), default=1)
    cuts = {name: _cut(tree, scale, most) for name, tree in tall.items()}
    if tall:
        _slider(found, max(cuts.values()), most)
    names, per_row = list(tall), 2 if len(tall) in (2, 4) else 3
    for begin in range(0, len(names), per_row):
        row = names[begin : begin + per_row]
        for name, column in zip(row, st.columns(per_row, gap="medium"), strict=False):
            with column:
                _one_tree(name, tall[name], cuts[name], most, found, shown)
    for order in dict.fromkeys(tree.order for tree in tall.values()):
        st.caption(merges.MEANINGS[order])
    for name, _ in found.runs:
        if name not in tall:
            st.caption(escape_markdown(f"{name} has no tree: {_why_no_tree(made.get(name))}."))


def _slider(found: Picture, at: int, most: int) -> None:
    scale = asked()
    n_clusters = merges.slider(most, at, f"compare.scales {id(found)}", lambda k: choose(AS_FOUND if k == most else k))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_cut_in_words(scale, n_clusters, most), width="content")
        if scale != SUGGESTED:
            st.button("Each as suggested", key="compare.scales.suggested", on_click=choose, args=(SUGGESTED,))
        _as_found_button()


def _as_found_button() -> None:
    if asked() != AS_FOUND:
        st.button("As each run found them", key="compare.scales.found", on_click=choose, args=(AS_FOUND,))


def _one_tree(name: str, tree: MergeTree, cut: int, most: int, found: Picture, shown: Picture) -> None:
    """Draw the tree of a run with its leaves in the colours that the player has at the scale that is shown."""
    first = np.unique(tree.leaves, return_index=True)[1]
    own, now = (picture.all_labels[name][first] for picture in (found, shown))
    colors = [track_color(int(number), dark=st.context.theme.type == "dark") for number in now]
    level = min(cut, tree.n_leaves)
    st.markdown(f"**{escape_markdown(found.title(name))}**")
    st.caption(merges.price(tree, level, FOUND), help=merges.mark_in_words(tree))
    leaves = [f"cluster {number + 1}" for number in own]
    merges.picture(tree, cut, leaves, colors, f"compare.scales.tree {name}", most)


def _cut(tree: MergeTree, scale: int | str, most: int) -> int:
    """Return where a tree is cut, all at the same number of clusters unless each is at its own suggestion."""
    if isinstance(scale, str):
        return tree.mark
    return most if scale == AS_FOUND else min(scale, most)


def _cut_in_words(scale: int | str, n_clusters: int, most: int) -> str:
    if scale == SUGGESTED:
        return "Each run at its own suggestion. The slider joins all to one number instead."
    if n_clusters == most:
        return "Each run as it found its clusters."
    return f"All runs that found more are joined to {counted(n_clusters, 'cluster')}; the rest of this page follows."


def _why_no_tree(tree: MergeTree | str | None) -> str:
    if tree is None:
        return NO_NLL
    return tree if isinstance(tree, str) else "one cluster found"


def _weighed(picture: Picture, scale: int | str, key: str, offer: bool = True) -> bool:
    """Make the trees of the runs; a long computation waits for the reader."""
    wanted = [run for _, run in picture.runs if _has_tree(run)]
    orders = (NLL, MODES) if scale == SUGGESTED else (NLL,)
    if sum(trees.operations(run, order) for run in wanted for order in orders) > jobs.UNASKED_OPERATIONS:
        st.caption("Weighing all unions of the clusters of these runs takes a while; they are shown as found.")
        if not offer or not st.button("Weigh all unions", key=key):
            return False
    with st.spinner("Weighing unions of clusters …"):
        for run in wanted:
            _tree(run, scale)
    return True


def _has_tree(run: Finished) -> bool:
    return ALGORITHMS[run.config.algorithm].uses_model


def _tree(run: Finished, scale: int | str) -> MergeTree | str:
    """Return the tree of a run with a model, or why it has none."""
    try:
        return (trees.suggested(run) if scale == SUGGESTED else None) or trees.tree_of(run)
    except DpvizError as error:
        return str(error).rstrip(".")


def _scale_of(run: Finished, scale: int | str) -> Scale | str:
    """Return a run's clusters joined, or why they are not."""
    n_found = trees.n_found(run)
    if not _has_tree(run):
        return NO_NLL
    if n_found == 1 or isinstance(scale, int) and scale >= n_found:
        return f"{counted(n_found, 'cluster')} found"
    tree = _tree(run, scale)
    if isinstance(tree, str):
        return tree
    found = Scale.of(tree, run.trace, _cut(tree, scale, n_found))
    return "the suggestion joins none" if found is None else found
