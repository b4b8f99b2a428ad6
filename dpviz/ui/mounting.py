"""Components of pages that have a script of their own: each is registered once, when it is first drawn."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st

from dpviz.browser import deflated_module
from dpviz.player.blocks import envelope

Mount = Callable[..., Any]


def component(name: str, js: Callable[[], str], css: Callable[[], str] | None = None) -> Callable[[], Mount]:
    """Return what gives the function that draws a component.

    Parameters
    ----------
    name : str
    js, css : callable
        Return its script and its styles.
    """

    @functools.cache
    def mount() -> Mount:
        drawn: Mount = st.components.v2.component(name, js=js(), css=None if css is None else css())
        return drawn

    return mount


@functools.cache
def engine_message() -> bytes:
    """Return the engine as scripts of components read it."""
    return envelope({"kind": "engine"}, deflated_module())


def nothing() -> None:
    """Stand in for a callback: Streamlit only returns the values that have one."""
