"""A page from outside: how many of the data's values are whole numbers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpviz.text import escape_markdown
from dpviz.ui.controls.data_controls import chosen_in_sidebar
from dpviz.ui.shell import links
from dpviz.ui.shell.navigation import Page, register


def show() -> None:
    """Draw the page."""
    prepared = chosen_in_sidebar()
    if prepared is None:
        return
    links.remember(prepared.choice)
    st.markdown(f"#### {escape_markdown(prepared.dataset.title)}")
    whole = int(np.sum(prepared.X == np.round(prepared.X)))
    st.markdown(f"{whole:,} of {prepared.X.size:,} values are whole numbers.")


register(Page("toy", "Toy", ":material/toys:", show))
