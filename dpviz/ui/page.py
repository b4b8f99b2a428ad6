"""What every page does first and last."""

from __future__ import annotations

import gc

import streamlit as st

from dpviz.ui import links

_MINIMAL = """
<style>
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"], [data-testid="stExpandSidebarButton"],
[data-testid="stHeader"] {display: none}
.stMainBlockContainer {padding: 0.5rem 1rem}
</style>
"""
_LARGE_TYPE = "<style>html {font-size: 125%} .stMainBlockContainer {padding-top: 2.5rem}</style>"
_COMPACT = "<style>.stMainBlockContainer {padding-top: 3.2rem; padding-bottom: 2rem}</style>"


@st.cache_resource(show_spinner=False)
def _freeze_imports() -> None:
    """Take what the imports left out of garbage collection, which Streamlit runs after every script run."""
    gc.collect()
    gc.freeze()


def begin(title: str) -> None:
    """Set the page up: title, layout, the link the session was opened with, and what could not be read of it."""
    st.set_page_config(page_title=f"{title} · dpviz", page_icon=":material/bubble_chart:", layout="wide")
    _freeze_imports()
    links.restore()
    style = {"min": _MINIMAL, "present": _LARGE_TYPE}.get(links.layout(), _COMPACT)
    st.html(style)
    links.show_notices()
