"""Short addresses: ``?go=`` and an id on the first page lead on to a page with all its settings."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st

from dpviz.errors import NotKeptError
from dpviz.ui.session.board import board
from dpviz.ui.shell import links, navigation
from dpviz.ui.shell.page_link import READ_PARAMETERS

PARAMETER = "go"
MOST_OF_ONE = 60
"""Different short links that a session can have made."""
_MADE = "short links made"
_LOCAL = re.compile(r"localhost|.+\.localhost|127\.[0-9.]+|::1")


class Address(NamedTuple):
    """An address of this server.

    Attributes
    ----------
    url : str
        Whole, as a browser elsewhere needs it.
    is_local : bool
        Whether only this machine can reach it.
    """

    url: str
    is_local: bool


def whole(page: str, query: str) -> Address:
    """Return the address of a page, as this session's browser reaches the server.

    Parameters
    ----------
    page : str
        Name of the page, empty for the first one.
    query : str
        After the question mark.
    """
    here = urlsplit(st.context.url or "http://localhost")
    folder = here.path.rstrip("/")
    last = folder.rpartition("/")[2]
    if last in navigation.PAGES:
        folder = folder.removesuffix(f"/{last}")
    url = f"{here.scheme}://{here.netloc}{folder}/{page}?{query}"
    return Address(url, bool(_LOCAL.fullmatch(here.hostname or "")))


def shareable() -> dict[str, str]:
    """Return the parameters of the address that pages write or read; whatever else it holds leads nowhere."""
    return {key: st.query_params[key] for key in st.query_params if key in READ_PARAMETERS}


def shorten(page: str) -> Address:
    """Return the short link to what a page shows now.

    Raises
    ------
    NotKeptError
        If there is none; the message says why, and what to do.
    """
    query = shareable()
    made: set[int] = st.session_state.setdefault(_MADE, set())
    name = hash((page, *sorted(query.items())))
    if name not in made and len(made) >= MOST_OF_ONE:
        raise NotKeptError(
            f"This session has made {len(made)} short links, as many as one may. Copy the address itself instead."
        )
    short = board().shorten(page, query)
    made.add(name)
    return whole("", f"{PARAMETER}={short}")


def lead_on() -> None:
    """Follow a short link: call it on the first page, before anything is drawn."""
    short = st.query_params.get(PARAMETER)
    if short is None:
        return
    del st.query_params[PARAMETER]
    try:
        page, query = board().follow(short)
        if page not in navigation.PAGES:
            raise NotKeptError("This short link leads to a page that this server does not have.")
    except NotKeptError as error:
        links.notice(f"{error} All pages are above.")
        return
    navigation.go_to(page, f"Open the page {navigation.PAGES[page].title} to see what the link leads to.", query)
