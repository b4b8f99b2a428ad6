"""The app's pages, and how a page that was opened by its own address comes under the app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_UNDER_APP = "under the app"


def run() -> None:
    """Show the navigation and run the chosen page."""
    st.session_state[_UNDER_APP] = True
    _navigation().run()


def hand_over() -> None:
    """Run this page again under the app, if it was opened alone.

    A server that has not run ``app.py`` yet takes every file in ``pages/`` for a page of its own: whoever opens a link
    to one first would see that page without the app around it.
    """
    context = get_script_run_ctx()
    if context is None or Path(context.main_script_path).name != "app.py" or _UNDER_APP in st.session_state:
        return
    _navigation()
    st.session_state[_UNDER_APP] = True
    st.rerun()


def _navigation() -> Any:
    titles_and_icons = {
        "explore": ("Explore", ":material/play_circle:"),
        "data": ("Data", ":material/table_chart:"),
        "compare": ("Compare", ":material/compare:"),
        "tune": ("Tune", ":material/tune:"),
    }
    return st.navigation(
        [
            st.Page(f"pages/{name}.py", title=title, icon=icon, url_path=name, default=name == "explore")
            for name, (title, icon) in titles_and_icons.items()
        ]
    )
