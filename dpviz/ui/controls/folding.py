"""Parts of a page that open: settings that a script can close, and panels drawn once they are opened."""

from __future__ import annotations

import streamlit as st


def foldable(key: str) -> str:
    """Return the key under which to draw a popover or an expander that :func:`fold` closes."""
    return f"{key}.{st.session_state.get(_turns(key), 0)}"


def fold(key: str) -> None:
    """Close a popover or an expander; call it before that is drawn, e.g. in a callback.

    It is redrawn under a new key. Setting its value is not enough: a browser closes it only if the server last reported
    it as open, and that report is lost if the click that closes it interrupts the script run that followed the opening.
    """
    st.session_state[_turns(key)] = st.session_state.get(_turns(key), 0) + 1


def _turns(key: str) -> str:
    return f"{key} turns"


def once_opened(key: str) -> bool:
    """Whether to draw what is in an expander with this key and ``on_change="rerun"``; call it after the expander.

    A browser makes all that is drawn, even where nobody sees it. So nothing is drawn before the first opening; later it
    is, closed or not, since widgets that are not drawn forget their values.
    """
    if st.session_state[key]:
        st.session_state[_seen(key)] = True
    return _seen(key) in st.session_state


def _seen(key: str) -> str:
    return f"{key} was opened"
