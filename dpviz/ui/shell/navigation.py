"""The app's pages, and how a page opened by its own address is shown within the app."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dpviz.server import app_folder
from dpviz.ui.controls.setting import Setting

_UNDER_APP, _OFFERED, _MADE = "under the app", "pages offered", "pages made"
ICON = str(Path(__file__).parent / "icon.svg")
"""Icon of the browser's tab; Streamlit would fetch its own symbols from another server."""
FOLDER = app_folder() / "pages"
HOME = "dpviz"
"""Title of the first page, which stands in the navigation by itself: the name, and the way home."""


@dataclass(frozen=True)
class Page:
    """A page of the app.

    Attributes
    ----------
    name, title, icon : str
        Its address, what the navigation shows, and a Material symbol such as ``":material/tune:"``.
    show : callable
        Draws the page below its heading.
    room : str
        The group it belongs to in the navigation; a page of none stands there by itself.
    sidebar : bool
        Whether anything is in its sidebar, which is not there otherwise.
    shares : bool
        Whether it offers to share what it shows; others bring visitors to it in their own way.
    computes : bool
        Whether it shows runs, and so waits for the kernels of the usual ones.
    style : str
        Rules (CSS) for what is on this page only, by the keys of its containers; they hold from the first paint.
    settings : callable, optional
        Returns what its address holds beside the data, under the name of the page: a link sets that before the page is
        drawn, and the address follows it. A page of which this depends on its results does both itself.
    """

    name: str
    title: str
    icon: str
    show: Callable[[], None]
    room: str = ""
    sidebar: bool = True
    shares: bool = True
    computes: bool = True
    style: str = ""
    settings: Callable[[], Iterable[Setting]] | None = None

    @property
    def file(self) -> Path:
        """Path of its script, if it has one."""
        return FOLDER / f"{self.name}.py"


PAGES: dict[str, Page] = {}
"""Every page by its name, in the order of the navigation; the app opens on the first."""


def register(page: Page) -> Page:
    """Add a page to :data:`PAGES`.

    A page with a script of its name in ``pages/`` is run from there, so that it also works alone; any other from its
    function.
    """
    PAGES[page.name] = page
    return page


def navigate(run: Callable[[str], None]) -> None:
    """Show the navigation and run the chosen page.

    Parameters
    ----------
    run : callable
        Sets up and draws a page without a script, given its name.
    """
    st.session_state[_UNDER_APP] = True
    st.set_page_config(page_icon=ICON)  # before the navigation, which would set the page's own symbol
    _navigation(run).run()


def hand_over() -> None:
    """Rerun this page within the app, if it was opened alone.

    A server that has not run ``app.py`` yet takes every file in ``pages/`` for a page of its own: the first visitor
    with a link to one would see that page without the app around it.
    """
    context = get_script_run_ctx()
    if context is None or Path(context.main_script_path).name != "app.py" or _UNDER_APP in st.session_state:
        return
    _navigation(lambda name: None)
    st.session_state[_UNDER_APP] = True
    st.rerun()


def go_to(name: str, otherwise: str, query: Mapping[str, str] | None = None) -> None:
    """Open another page.

    Parameters
    ----------
    name : str
        Of the page.
    otherwise : str
        Message if the page runs alone, without the app around it.
    query : mapping, optional
        Query parameters of its address.
    """
    offered = st.session_state.get(_OFFERED, {})
    try:
        st.switch_page(offered[name], query_params=dict(query or {}))
    except (KeyError, StreamlitAPIException):
        st.info(otherwise, icon=":material/info:")


def door(name: str, words: str, icon: str, query: Mapping[str, str] | None = None) -> None:
    """Draw a link to another page; none if this page runs alone, without the app around it.

    Parameters
    ----------
    name : str
        Of the page.
    words, icon : str
        Of the link.
    query : mapping, optional
        Query parameters of its address.
    """
    offered = st.session_state.get(_OFFERED, {})
    if name in offered:
        st.page_link(offered[name], label=words, icon=icon, width="stretch", query_params=dict(query or {}))


def _navigation(run: Callable[[str], None]) -> Any:
    made = st.session_state.get(_MADE)
    if made is None or made[0] != (run, *PAGES.values()):
        made = st.session_state[_MADE] = ((run, *PAGES.values()), _made(run))
    offered = st.session_state[_OFFERED] = made[1]
    rooms: dict[str, list[Any]] = {}
    for page in PAGES.values():
        rooms.setdefault(page.room, []).append(offered[page.name])
    return st.navigation(rooms, position="top")


def _made(run: Callable[[str], None]) -> dict[str, Any]:
    """Make the pages of a session for Streamlit, which looks at the file of each."""
    first = next(iter(PAGES))
    return {
        page.name: st.Page(
            page.file if page.file.is_file() else partial(run, page.name),
            title=page.title,
            icon=page.icon,
            url_path=page.name,
            default=page.name == first,
        )
        for page in PAGES.values()
    }
