"""The results of a comparison at one scale: clusters of every run joined, where its tree allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpviz.analysis.merging import MODES, NLL
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.errors import DpvizError, refused
from dpviz.text import counted, escape_markdown
from dpviz.ui.compare.runs import Picture
from dpviz.ui.controls import merges, widgets
from dpviz.ui.session import jobs, state, trees
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.scale import Scale

KEY = "compare.scale"
AS_FOUND, SUGGESTED = 0, "suggested"
"""What may be chosen beside numbers of clusters."""
MOST_ASKED = 10**12
_JOINED = "compare joined"


def asked() -> int | str:
    """Return to how many clusters the runs are joined: ``AS_FOUND``, ``SUGGESTED`` or a number."""
    chosen: int | str = state.value(KEY, AS_FOUND)
    return chosen


def choose(scale: int | str) -> None:
    """Set the control; call it before it is drawn."""
    state.put({KEY: scale})


def read(values: Mapping[str, Any]) -> int | str:
    """Return the scale of a link; links without one, as those of earlier versions, join none.

    Raises
    ------
    InvalidParameterError
    """
    if "scale" not in values:
        return AS_FOUND
    scale = values["scale"]
    if scale == SUGGESTED or type(scale) is int and 0 < scale < MOST_ASKED:
        return scale
    raise refused("scale", scale, f"a number of clusters from 1, {SUGGESTED!r}, or left out")


def control(picture: Picture) -> None:
    """Choose the scale of all runs; nothing to choose where none has clusters to join."""
    most, scale = max((trees.n_found(run) for _, run in picture.runs if _has_tree(run)), default=1), asked()
    if most > 1 or scale != AS_FOUND:
        numbers = {*range(1, most), scale} - {AS_FOUND, SUGGESTED}
        options = [AS_FOUND, SUGGESTED, *sorted(numbers, key=int)]
        widgets.select(
            "Clusters of every run", KEY, options, AS_FOUND, format_func=_in_words,
            help="Joins the clusters of each result pair by pair, the two whose union costs least, where a method has "
            "an nll to weigh them by and found more. All below follows, and the results in the picture above.",
        )  # fmt: skip


def joined(picture: Picture) -> Picture:
    """Return the runs at the scale that the reader chose; as they are if none is joined."""
    scale, held = asked(), st.session_state.get(_JOINED)
    if scale == AS_FOUND:
        return picture
    if held is None or held[0] is not picture or held[1] != scale:
        wanted = [run for _, run in picture.runs if _has_tree(run)]
        if sum(map(trees.operations, wanted)) > jobs.UNASKED_OPERATIONS:
            st.caption("Weighing all unions of the clusters of these runs takes a while; they are shown as found.")
            if not st.button("Weigh all unions", key="compare.scale.go"):
                return picture
        with st.spinner("Weighing unions of clusters …"):
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


def say(picture: Picture) -> None:
    """Say which runs are joined, at what price, and why others are not."""
    scale, held = asked(), st.session_state.get(_JOINED)
    if scale == AS_FOUND or held is None or held[2] is not picture:
        return
    said = [
        f"{name} from {run.scale.tree.n_leaves} to {run.scale.n_clusters} ({merges.nats(run.scale.cost)})"
        for name, run in picture.runs if run.scale is not None
    ]  # fmt: skip
    kept = [f"{name} ({why})" for name, why in held[3].items()]
    first = "that look most like one group" if scale == SUGGESTED else "whose union costs least"
    words = f"Merged, always the two {first}: {'; '.join(said)}." if said else "Nothing is merged."
    words += f" As found: {'; '.join(kept)}." if kept else ""
    st.caption(escape_markdown(words))


def _in_words(scale: int | str) -> str:
    if scale == AS_FOUND:
        return "as each run found them"
    return "merged as suggested" if scale == SUGGESTED else f"merged to {scale}"


def _has_tree(run: Finished) -> bool:
    return ALGORITHMS[run.config.algorithm].uses_model


def _scale_of(run: Finished, scale: int | str) -> Scale | str:
    """Return a run's clusters joined, or why they are not."""
    n_found = trees.n_found(run)
    if not _has_tree(run):
        return "no nll to weigh unions by"
    if n_found == 1 or isinstance(scale, int) and scale >= n_found:
        return f"{counted(n_found, 'cluster')} found"
    try:
        tree = trees.tree_of(run, MODES if scale == SUGGESTED else NLL)
        found = Scale.of(tree, run.trace, tree.suggestion if isinstance(scale, str) else scale)
    except DpvizError as error:
        return str(error).rstrip(".")
    return "the suggestion joins none" if found is None else found
