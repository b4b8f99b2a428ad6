"""Who answers: a browser, by a random cookie that tells nothing else, also after a reload and in a second window."""

from __future__ import annotations

import secrets

import streamlit as st

from dpviz.server import SEAT_COOKIE

_SEAT = "seat of this session"


def seat() -> str:
    """Return the secret of this browser; of this session only, if the browser takes no cookies."""
    found = st.context.cookies.get(SEAT_COOKIE)
    own: str = st.session_state.setdefault(_SEAT, secrets.token_urlsafe(16))
    return found if isinstance(found, str) and found else own
