"""A page from outside: how many of the data's values have few decimals."""

from __future__ import annotations

import numpy as np
import streamlit as st

from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.data_controls import chosen_in_sidebar
from dpviz.ui.controls.setting import control, whole
from dpviz.ui.shell import links
from dpviz.ui.shell.navigation import Page, register

MOST = 6
SETTINGS = (control("decimals", "toy.decimals", whole(0, MOST)),)
"""What the address holds: a name, the key of the control that has it, and the values that a link may set."""


def show() -> None:
    """Draw the page."""
    prepared = chosen_in_sidebar()
    if prepared is None:
        return
    links.remember(prepared.choice)
    st.markdown(f"#### {escape_markdown(prepared.dataset.title)}")
    decimals = widgets.number("Decimals", "toy.decimals", 0, 0, MOST)
    n_found = int(np.sum(prepared.X == np.round(prepared.X, decimals)))
    st.markdown(f"{n_found:,} of {prepared.X.size:,} values have no more than {decimals} decimals.")


PAGE = register(Page("toy", "Toy", ":material/toys:", show, settings=lambda: SETTINGS))
