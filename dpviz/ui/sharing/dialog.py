"""“Share with a class”: what every page offers beside its terms."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dpviz.errors import NotKeptError
from dpviz.text import escape_markdown
from dpviz.ui.session import state
from dpviz.ui.session.board import LINK_SECONDS
from dpviz.ui.sharing import component
from dpviz.ui.sharing.short_links import shareable, shorten, whole
from dpviz.ui.shell.navigation import Page

WORDS = "Share with a class"
OWN_DATA = (
    "The data shown here are your own, and do not travel in links: others see the settings, and are told that the data "
    "are missing. Give them the table, or choose synthetic or bundled data."
)


def offer(page: Page, place: Any) -> None:
    """Draw the button that opens the dialog, on a page that has drawn itself: its address says what it shows."""
    if place.button(WORDS, key="share", icon=":material/qr_code_2:"):
        _share(page)


@st.dialog(WORDS, width="medium")
def _share(page: Page) -> None:
    """Show the short link of a page, or of its whole address where there is none."""
    query = {key: value for key, value in shareable().items() if key != "ui"}
    embedded = whole(page.name, urlencode({**query, "ui": "min"}))
    try:
        address = shorten(page.name)
        words = (
            f"Leads to what this page shows now, for as long as this server runs, and for "
            f"{LINK_SECONDS / 86400:.0f} days after it was last followed; where there are too many, newer links "
            "push it out."
        )
    except NotKeptError as error:
        address, words = whole(page.name, urlencode(shareable())), ""
        st.warning(escape_markdown(str(error)), icon=":material/link_off:")
    if "data" in query and state.chosen_data().source == "session":
        st.warning(OWN_DATA, icon=":material/table_chart:")
    _show(address, embedded.url, page)
    st.caption(words)
    st.caption(
        "The frame shows this page without its navigation; whoever runs the server names the site with `--embed-in`."
    )


def _show(address: Any, embedded: str, page: Page) -> None:
    try:
        component.link(address, "share link", embedded, page.title)
    except ValueError as error:
        st.code(address.url, language=None, wrap_lines=True)
        st.caption(escape_markdown(str(error)))
