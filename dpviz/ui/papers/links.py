"""Which experiment is shown, in the address: ``papers=`` holds its name."""

from __future__ import annotations

import streamlit as st

from dpviz.analysis.studies import STUDIES
from dpviz.ui.session import state
from dpviz.ui.shell.page_link import PageLink, as_text

LINK = PageLink("papers", longest=1_000)
STUDY = "papers.study"


def restore() -> None:
    """Follow the address once, before the controls are drawn."""
    text = LINK.arrived()
    if text is None:
        return
    try:
        name = LINK.read(text).get("study")
    except (ValueError, RecursionError):
        name = None
    if isinstance(name, str) and name in STUDIES:
        state.put({STUDY: name})
    else:
        st.warning("The link names no experiment of this page; the first is shown.", icon=":material/link_off:")


def remember(name: str) -> None:
    """Update the address with the experiment shown."""
    LINK.keep(as_text({"study": name}))
