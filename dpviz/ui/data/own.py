"""What the server keeps of the reader's own data: what it is, for how long, and a way back to it and out of here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dpviz.datasets import Dataset
from dpviz.text import escape_markdown
from dpviz.ui.session import history, shelf, state
from dpviz.ui.session.chosen_data import DRAWN, DataChoice, forget_own, session_datasets

_HOURS = f"{shelf.KEPT_SECONDS / 3600:g} hours"
KEPT = (
    f"Your tables are in this server's memory, for all tabs of this browser, for {_HOURS} after you last used them "
    "(longer while a tab is connected). Until then this browser finds them again, also when it was closed; on a shared "
    "computer, forget them. No file that anyone can open holds them, and links lead to them in this browser only."
)
KEPT_FOR_THE_TAB = (
    "Your tables are in this server's memory, for this tab only: this browser takes no cookies from here, so a reload "
    "loses them. No file that anyone can open holds them."
)
FORGOTTEN = (
    "What you forget is gone at once, with its runs; a tab that shows one keeps it until it shows another or is closed."
)


def whereabouts() -> str:
    """Say where own data are, and for how long."""
    return KEPT_FOR_THE_TAB if shelf.secret_of_browser() is None else KEPT


Before = Callable[[Sequence[str]], None]


def show_own(choice: DataChoice, before: Before) -> None:
    """List the data that the reader brought, each with a way back to it and one to have it forgotten.

    Parameters
    ----------
    choice : DataChoice
        The data in use.
    before : callable
        Given the names of data that are to be forgotten, lets the tables go that they were made from.
    """
    own = session_datasets()
    if not own:
        return
    with st.expander(f"Kept of yours ({len(own)})", icon=":material/inventory_2:"):
        for number, (name, dataset) in enumerate(own.items()):
            _show(number, name, dataset, choice, before)
        st.caption(f"{whereabouts()} {FORGOTTEN}")
        brought = [name for name in own if not name.startswith(DRAWN)]
        if len(brought) > 1:
            st.button(
                "Forget all", key="data forget all", icon=":material/delete:", on_click=_forget, args=(brought, before)
            )


def _show(number: int, name: str, dataset: Dataset, choice: DataChoice, before: Before) -> None:
    in_use = choice.source == "session" and choice.name == name
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{escape_markdown(dataset.title)}** · {dataset.n_points:,} × {dataset.n_features:,}"
            f"{' · in use' if in_use else ''}",
            width="stretch",
        )
        if not in_use:
            st.button(
                "Use", key=f"data again {number}", on_click=state.choose_data, args=(DataChoice("session", name),)
            )
        if not name.startswith(DRAWN):  # its tab keeps it, until its canvas is cleared
            st.button(
                "Forget", key=f"data forget {number}", icon=":material/delete:", on_click=_forget, args=([name], before)
            )


def _forget(gone: Sequence[str], before: Before) -> None:
    before(gone)
    for name in gone:
        forget_own(name)
    history.let_go()
    if state.chosen_data().name in gone:
        state.choose_data(DataChoice())
