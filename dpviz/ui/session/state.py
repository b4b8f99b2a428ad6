"""What all pages of a session share: the chosen data, and what every control is set to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpviz.ui.session.chosen_data import DataChoice

_SETTINGS = "settings"
_CHOICE = "data choice"


def settings() -> dict[str, Any]:
    """Everything the controls of this session are set to."""
    values: dict[str, Any] = st.session_state.setdefault(_SETTINGS, {})
    return values


def put(values: Mapping[str, Any]) -> None:
    """Set controls from outside; call it before they are drawn, e.g. in a callback."""
    settings().update(values)
    for key, value in values.items():
        st.session_state[key] = value
        settings().pop(default_key(key), None)  # a value that was asked for does not follow the default


def chosen_data() -> DataChoice:
    """Return the data all pages show."""
    choice: DataChoice = st.session_state.setdefault(_CHOICE, DataChoice())
    return choice


def choose_data(choice: DataChoice) -> None:
    """Make all pages show these data."""
    st.session_state[_CHOICE] = choice


def default_key(key: str) -> str:
    """Name the setting that holds the default of a control which follows it."""
    return f"{key} default"
