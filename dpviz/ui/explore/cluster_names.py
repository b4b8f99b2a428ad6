"""Names that users give to clusters: legends and exports use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st

from dpviz.ui.controls.folding import once_opened
from dpviz.ui.session.jobs import Finished

OPEN = "cluster names"
"""Key of the panel."""
MOST_NAMED = 30
LONGEST_NAME = 60


def show(finished: Finished, sweep: int, on_change: Callable[[Finished], None]) -> None:
    """Offer a name for every cluster of a sweep; clusters keep their numbers, and so their names, in other sweeps.

    Parameters
    ----------
    finished : Finished
    sweep : int
        Sweep at the playhead.
    on_change : callable
        Called with the same run under its new names.
    """
    with st.expander("Name the clusters", key=OPEN, on_change="rerun"):
        if once_opened(OPEN):
            _draw(finished, sweep, on_change)


def _draw(finished: Finished, sweep: int, on_change: Callable[[Finished], None]) -> None:
    labels = finished.trace.labels_at(finished.shown_sweep(sweep))
    numbers = sorted({finished.number(int(label), sweep) for label in np.unique(labels)})
    if len(numbers) > MOST_NAMED:
        st.caption(f"The first {MOST_NAMED} of {len(numbers)} clusters.")
    for number in numbers[:MOST_NAMED]:
        key = f"cluster name {id(finished.trace)} {number}"
        st.session_state.setdefault(key, finished.names.get(number, ""))
        st.text_input(
            f"Cluster {number}",
            key=key,
            max_chars=LONGEST_NAME,
            placeholder=f"cluster {number}",
            on_change=_rename,
            args=(finished, number, key, on_change),
        )


def _rename(finished: Finished, number: int, key: str, on_change: Callable[[Finished], None]) -> None:
    name = str(st.session_state[key]).strip()
    names = {known: text for known, text in finished.names.items() if known != number}
    on_change(replace(finished, names=names | {number: name} if name else names))
