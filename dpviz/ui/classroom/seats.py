"""Who answers: a browser, by the secret that it is known by, also after a reload and in a second window."""

from __future__ import annotations

import secrets

import streamlit as st

from dpviz.ui.session.shelf import secret_of_browser

_SEAT = "seat of this session"


def seat() -> str:
    """Return the secret of this browser; of this session only, if the browser takes no cookies."""
    own: str = st.session_state.setdefault(_SEAT, secrets.token_urlsafe(16))
    return secret_of_browser() or own
