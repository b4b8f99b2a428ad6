"""The first and last steps of every page."""

from __future__ import annotations

import gc
from functools import cache

import streamlit as st
from threadpoolctl import threadpool_limits

from dpviz.course import GLOSSARY
from dpviz.text import escape_markdown
from dpviz.ui.session import drawn, state
from dpviz.ui.shell import links, navigation

_MINIMAL = """
<style>
[data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"], [data-testid="stExpandSidebarButton"],
[data-testid="stHeader"] {display: none}
.stMainBlockContainer {padding: 0.5rem 1rem}
</style>
"""
_LARGE_TYPE = "<style>html {font-size: 125%} .stMainBlockContainer {padding-top: 2.5rem}</style>"
_READABLE = """
<style>
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] * {color: inherit; opacity: 1}
[data-testid="stSliderThumbValue"], [data-testid="stSliderThumbValue"] * {color: CanvasText !important}
[data-testid="stButtonGroup"] button[data-selected="true"] p {color: CanvasText}
@media (hover: none) {.modebar-container {display: none}}
[data-testid="stElementToolbarButton"]:has([aria-label^="Download as CSV"]) {display: none}
</style>
"""
"""The last rule hides Streamlit's own download of every table, which writes formulas as they are."""
_COMPACT = "<style>.stMainBlockContainer {padding-top: 3.2rem; padding-bottom: 2rem}</style>"


@st.cache_resource(show_spinner=False)
def _settle_process() -> None:
    """Once per process, exempt imported objects from garbage collection and limit linear algebra to one thread.

    Streamlit collects after every script run. Every session has its own thread already; more threads for matrices of
    this size only slow each other down.
    """
    gc.collect()
    gc.freeze()
    threadpool_limits(1)


def begin(title: str) -> None:
    """Set the page up: title, layout, the link the session was opened with, and messages about its unreadable parts."""
    st.set_page_config(page_title=f"{title} · dpviz", page_icon=navigation.ICON, layout="wide")
    navigation.hand_over()
    _settle_process()
    links.restore()
    style = {"min": _MINIMAL, "present": _LARGE_TYPE}.get(links.layout(), _COMPACT)
    st.html(style + _READABLE)
    links.show_notices()


def run(name: str) -> None:
    """Set up and draw a registered page: all that its script does."""
    page = navigation.PAGES[name]
    begin(page.title)
    page.show()
    _offer_glossary()
    drawn.keep()
    state.delivered()


def _offer_glossary() -> None:
    """Explain the words and symbols of all pages, at the end of the sidebar."""
    with st.sidebar.expander("Terms and symbols", icon=":material/menu_book:"):
        st.markdown(_glossary())


@cache
def _glossary() -> str:
    terms = (f"**{escape_markdown(term)}.** {escape_markdown(words)}" for term, words in GLOSSARY.items())
    return "\n\n".join(terms)
