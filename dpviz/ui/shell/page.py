"""The first and last steps of every page."""

from __future__ import annotations

import gc
from functools import cache
from typing import Any

import streamlit as st
from threadpoolctl import threadpool_limits

from dpviz.course import GLOSSARY
from dpviz.engine.warm import FIRST
from dpviz.fit.steps import one_thread
from dpviz.laboratory import lab_page
from dpviz.text import escape_markdown
from dpviz.ui.serving import compiling
from dpviz.ui.session import drawn, state
from dpviz.ui.sharing import dialog, short_links
from dpviz.ui.shell import frame, links, navigation, style
from dpviz.ui.shell.page_link import PageLink


@st.cache_resource(show_spinner=False)
def _settle_process() -> None:
    """Once per process, exempt imported objects from garbage collection and limit computations to one thread each.

    Streamlit collects after every script run. Every session has its own thread already; more threads for matrices of
    this size only slow each other down.
    """
    gc.collect()
    gc.freeze()
    threadpool_limits(1)
    one_thread()


def begin(title: str) -> None:
    """Set the page up: title, layout, the link the session was opened with, and messages about its unreadable parts."""
    st.set_page_config(
        page_title=title if title == navigation.HOME else f"{title} · {navigation.HOME}",
        page_icon=navigation.ICON,
        layout="wide",
        initial_sidebar_state="collapsed" if links.layout() == "present" else None,
    )
    navigation.hand_over()
    _settle_process()
    frame.mend(title)
    links.restore()
    links.replace_lost_data()
    st.html(style.of_layout(links.layout()))
    links.show_notices()


def run(name: str) -> None:
    """Set up and draw a registered page: all that its script does."""
    page = navigation.PAGES[name]
    if page is next(iter(navigation.PAGES.values())):
        short_links.lead_on()
        links.lead_on()
    begin(page.title)
    now = compiling.progress()
    if page.computes and now is not None and now.waiting:
        _wait_for_kernels()
        st.iframe(_meanwhile())
    else:
        _show(page)
    links.keep_layout()
    place = st.sidebar if page.sidebar else st
    if page.shares:
        dialog.offer(page, place)
    _offer_glossary(place)
    drawn.keep()
    state.delivered()


def _show(page: navigation.Page) -> None:
    """Draw a page, whose settings are first those of a link and then in the address."""
    if page.settings is None:
        page.show()
        return
    link = PageLink(page.name)
    link.restore(page.settings())
    page.show()
    link.remember(page.settings())


@st.fragment(run_every=1)
def _wait_for_kernels() -> None:
    """Say what is being compiled, until the page can be drawn."""
    now = compiling.progress()
    if now is None or not now.waiting:
        st.rerun()
    part = f"part {now.done + 1} of the {len(FIRST)} that this page needs"
    st.progress(now.done / len(FIRST), f"The engine is being compiled, once: {part}")
    st.caption(
        "That takes about a minute and a half; then this page opens by itself. Meanwhile your browser "
        "computes with an engine of its own, below; the first page, Lessons, Data and Papers work, too."
    )


@cache
def _meanwhile() -> str:
    """Return the lab, which opens with the points of the first lesson and needs nothing of the server."""
    return lab_page()


def _offer_glossary(place: Any) -> None:
    """Explain the words and symbols of all pages, at the end of the sidebar, or of the page if it has none."""
    with place.expander("Terms and symbols", icon=":material/menu_book:", key="terms"):
        st.markdown(_glossary())


@cache
def _glossary() -> str:
    terms = (f"**{escape_markdown(term)}.** {escape_markdown(words)}" for term, words in GLOSSARY.items())
    return "\n\n".join(terms)
