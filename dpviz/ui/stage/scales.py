"""From fine to coarse: clusters of one result, or of several, joined pair by pair at their cost, as far as wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from dpviz.analysis.merging import MODES, NLL, MergeTree
from dpviz.arrays import IntArray
from dpviz.engine.trace import Trace
from dpviz.errors import DpvizError
from dpviz.player import track_color
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import merges, widgets
from dpviz.ui.controls.folding import once_opened
from dpviz.ui.controls.merges import ORDERS
from dpviz.ui.session import jobs, state, trees
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Level, Scale
from dpviz.ui.stage.runs import Picture

OPEN, OPEN_OF_ALL = "scales", "compare.scales"
"""Keys of the panels of one run and of several."""
ORDER = "scales.order"
KEY = "compare.scale"
"""Where a session keeps the scale of several runs."""
AS_FOUND, SUGGESTED = 0, "suggested"
"""What may be chosen of several runs beside numbers of clusters."""
MOST_ASKED = 10**12
FOUND = "as the run found them"
NO_NLL = "no nll to weigh unions by"
_JOINED = "compare joined"
Keep = Callable[[Scale | None], None]


# --- several runs -----------------------------------------------------------------------------------------------------


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


def joined(found: Picture) -> Picture:
    """Return the runs at the scale that the reader chose; as they are if none is joined."""
    scale = asked()
    if scale == AS_FOUND or not _weighed(_with_trees(found), scale, "compare.scale.go"):
        return found

    def made() -> Picture:
        scales = {name: level for name, level in _levels(found, scale).items() if isinstance(level, Scale)}
        return found.at_scales(scales) if scales else found

    return state.remade(_JOINED, (found, scale), made)


def say(found: Picture) -> None:
    """Say of runs as they were found which are joined, at what price, and why others are not."""
    scale = asked()
    if scale == AS_FOUND or _work(_with_trees(found), scale) > jobs.UNASKED_OPERATIONS:
        return
    levels = _levels(found, scale)
    said = [
        f"{name} from {level.tree.n_leaves} to {level.n_clusters} ({merges.nats(level.cost)})"
        for name, level in levels.items()
        if isinstance(level, Scale)
    ]
    kept = [f"{name} ({why})" for name, why in levels.items() if isinstance(why, str)]
    first = "that look most like one group" if scale == SUGGESTED else "whose union costs least"
    words = f"Merged, always the two {first}: {'; '.join(said)}." if said else "Nothing is merged."
    words += f" As found: {'; '.join(kept)}." if kept else ""
    st.caption(escape_markdown(words))


def _levels(found: Picture, scale: int | str) -> dict[str, Scale | str]:
    """Return the clusters of every run joined, or why they are not."""
    return {name: _scale_of(run, scale) for name, run in found.runs}


def _scale_of(run: Finished, scale: int | str) -> Scale | str:
    n_found = trees.n_found(run)
    if not run.problem.algorithm.uses_model:
        return NO_NLL
    if n_found == 1 or isinstance(scale, int) and scale >= n_found:
        return f"{counted(n_found, 'cluster')} found"
    tree = _tree(run, scale)
    if isinstance(tree, str):
        return tree
    found = Scale.of(tree, run.trace, _cut(tree, scale, n_found))
    return "the suggestion joins none" if found is None else found


def show_all(found: Picture, shown: Picture) -> None:
    """Draw the panel, closed at first: a slider for all runs, and a tree of each, for runs as found and as shown."""
    with merges.panel(OPEN_OF_ALL):
        if not once_opened(OPEN_OF_ALL):
            return
        if _say_why_nothing([run for _, run in found.runs]):
            _as_found_button()
        else:
            _all_trees(found, shown)


def _with_trees(picture: Picture) -> list[Finished]:
    return [run for _, run in picture.runs if run.problem.algorithm.uses_model]


def _all_trees(found: Picture, shown: Picture) -> None:
    scale = asked()
    if not _weighed(_with_trees(found), scale, "compare.scales.go" if scale == AS_FOUND else ""):
        return
    made = {name: _tree(run, scale) if run.problem.algorithm.uses_model else NO_NLL for name, run in found.runs}
    tall = {name: tree for name, tree in made.items() if isinstance(tree, MergeTree) and tree.n_leaves > 1}
    most = max((tree.n_leaves for tree in tall.values()), default=1)
    cuts = {name: _cut(tree, scale, most) for name, tree in tall.items()}
    if tall:
        _slider_of_all(found, max(cuts.values()), most)
    names, per_row = list(tall), 2 if len(tall) in (2, 4) else 3
    for begin in range(0, len(names), per_row):
        row = names[begin : begin + per_row]
        for name, column in zip(row, st.columns(per_row, gap="medium"), strict=False):
            with column:
                _one_of_all(name, tall[name], cuts[name], most, found, shown)
    for order in dict.fromkeys(tree.order for tree in tall.values()):
        st.caption(merges.MEANINGS[order])
    for name, why in made.items():
        if name not in tall:
            why = why if isinstance(why, str) else "one cluster found"
            st.caption(escape_markdown(f"{name} has no tree: {why}."))


def _slider_of_all(found: Picture, at: int, most: int) -> None:
    scale = asked()
    n_clusters = merges.slider(most, at, f"compare.scales {id(found)}", lambda k: choose(AS_FOUND if k == most else k))
    if scale == SUGGESTED:
        words = "Each run at its own suggestion. The slider joins all to one number instead."
    elif n_clusters == most:
        words = "Each run as it found its clusters."
    else:
        joined_to = f"All runs that found more are joined to {counted(n_clusters, 'cluster')}"
        words = f"{joined_to}; the rest of this page follows."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(words, width="content")
        if scale != SUGGESTED:
            st.button("Each as suggested", key="compare.scales.suggested", on_click=choose, args=(SUGGESTED,))
        _as_found_button()


def _as_found_button() -> None:
    if asked() != AS_FOUND:
        st.button("As each run found them", key="compare.scales.found", on_click=choose, args=(AS_FOUND,))


def _one_of_all(name: str, tree: MergeTree, cut: int, most: int, found: Picture, shown: Picture) -> None:
    """Draw the tree of a run with its leaves in the colours that the player has at the scale that is shown."""
    first = np.unique(tree.leaves, return_index=True)[1]
    own, now = (picture.all_labels[name][first] for picture in (found, shown))
    st.markdown(f"**{escape_markdown(found.title(name))}**")
    st.caption(merges.price(tree, min(cut, tree.n_leaves), FOUND), help=merges.mark_in_words(tree))
    _picture(tree, cut, [f"cluster {number + 1}" for number in own], now, f"compare.scales.tree {name}", most)


def _cut(tree: MergeTree, scale: int | str, most: int) -> int:
    """Return where a tree is cut, all at the same number of clusters unless each is at its own suggestion."""
    if isinstance(scale, str):
        return tree.mark
    return most if scale == AS_FOUND else min(scale, most)


# --- one run ----------------------------------------------------------------------------------------------------------


def show(finished: Finished, keep: Keep) -> None:
    """Draw the panel of one run, closed at first.

    Parameters
    ----------
    finished : Finished
    keep : callable
        Called with the scale that the reader chose; None for the clusters as they were found.
    """
    with merges.panel(OPEN):
        if once_opened(OPEN) and not _say_why_nothing([finished]):
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


def joined_in_words(scale: Scale) -> str:
    """Say how many clusters are joined to how many, and at what cost."""
    return (
        f"{counted(scale.tree.n_leaves, 'cluster')} found, joined to {scale.n_clusters} "
        f"({ORDERS[scale.tree.order].lower()} first), {merges.nats(scale.cost)}"
    )


def _draw(finished: Finished, keep: Keep) -> None:
    trace, order = finished.trace, widgets.segments("Join next", ORDER, list(ORDERS), format_func=ORDERS.__getitem__)
    if not _weighed([finished], order, "scales asked"):
        return
    found, by_price, by_looks = (_tree(finished, each) for each in (order, NLL, MODES))
    if isinstance(found, str) or isinstance(by_price, str) or isinstance(by_looks, str):
        st.warning(escape_markdown(f"{found}."))
        return
    held = finished.scale
    if held is not None and held.tree is not found:  # another order was chosen, or the page was left
        keep(Scale.of(found, trace, held.n_clusters))
        st.rerun()
    shown = found.n_leaves if held is None else held.n_clusters

    def take(marked: MergeTree, n_clusters: int) -> None:
        state.put({ORDER: marked.order})
        keep(Scale.of(marked, trace, n_clusters))

    merges.browse(
        found,
        shown,
        "scales",
        partial(take, found),
        FOUND,
        partial(_tree_of_result, finished, found),
        _what_it_means(trace),
        partial(merges.marks, (by_price, by_looks), shown, "scales", take),
    )


def _what_it_means(trace: Trace) -> str:
    return (
        "A mixture describes a density, and a group that is not bell-shaped takes several of its clusters. A union is "
        "the sum of its parts: in predictions their probabilities add up, and “Why here?” weighs the parts. A nat more "
        "makes the partition 2.7 times less probable under the model; which scale is the right one, no number says. "
        f"Joined are the clusters of the result (sweep {trace.result_sweep:,}), in the picture, profiles, names, files "
        "and predictions; other sweeps stay as they were."
    )


def _tree_of_result(finished: Finished, found: MergeTree, n_clusters: int) -> None:
    sweep, labels = finished.trace.result_sweep, finished.trace.result_labels
    if finished.shown_sweep(sweep) != sweep:
        st.caption("The player does not show the sweep of the result: only the predictions are joined.")
    first = np.unique(found.leaves, return_index=True)[1]
    numbers = [finished.number(int(labels[point]), sweep) for point in first]
    names = [finished.name_of(number) for number in numbers]
    _picture(found, n_clusters, names, np.array(numbers) - 1, "scales.tree")


# --- both -------------------------------------------------------------------------------------------------------------


def _say_why_nothing(runs: Sequence[Finished]) -> bool:
    """Say so if no two clusters of any of these runs can be joined."""
    if any(run.problem.algorithm.uses_model and trees.n_found(run) > 1 for run in runs):
        return False
    one = runs[0].problem.algorithm.title if len(runs) == 1 else ""
    if any(run.problem.algorithm.uses_model for run in runs):
        words = f"{'The run' if one else 'These runs'} found one cluster: there is nothing to join."
    else:
        whose = one or "None of these methods"
        words = (
            f"{whose} has no nll, and so no cost in nats of joining two clusters. MAP-DP and Gibbs sampling have one."
        )
    st.caption(escape_markdown(words))
    return True


def _orders(by: int | str) -> tuple[str, ...]:
    """Return the orders of the trees that are wanted: those whose marks are said, too, where that is."""
    return (NLL,) if isinstance(by, int) else (NLL, MODES) if by == SUGGESTED else (by, NLL, MODES)


def _work(runs: Sequence[Finished], by: int | str) -> float:
    return sum(trees.operations(run, order) for run in runs for order in dict.fromkeys(_orders(by)))


def _weighed(runs: Sequence[Finished], by: int | str, key: str) -> bool:
    """Make the trees of runs; a long computation waits for the reader, who has a button if that has a key."""
    if _work(runs, by) > jobs.UNASKED_OPERATIONS and not (key and st.button("Weigh all unions", key=key)):
        st.caption("Weighing all unions of these clusters pair by pair takes a while; they are shown as found.")
        return False
    with st.spinner("Weighing unions of clusters …"):
        for run in runs:
            for order in _orders(by):
                _tree(run, order)
    return True


def _tree(run: Finished, by: int | str) -> MergeTree | str:
    """Return the tree of a run with a model in an order, or the one that is suggested; or why it has none."""
    try:
        if by == SUGGESTED:
            return trees.suggested(run) or trees.tree_of(run)
        return trees.tree_of(run, NLL if isinstance(by, int) else by)
    except DpvizError as error:
        return str(error).rstrip(".")


def _picture(
    tree: MergeTree, n_clusters: int, names: Sequence[str], numbers: IntArray, key: str, most: int | None = None
) -> None:
    dark = st.context.theme.type == "dark"
    merges.picture(tree, n_clusters, names, [track_color(int(n), dark=dark) for n in numbers], key, most)
