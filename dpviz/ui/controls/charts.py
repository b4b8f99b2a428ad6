"""Charts on a page, all in one way."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dpviz.figures.page import Figure
from dpviz.figures.theme import CLICKED, PLAIN


def chart(figure: Figure, key: str, *, has_bar: bool = True, **events: Any) -> Any:
    """Draw a chart, and return what the reader has chosen in it.

    Parameters
    ----------
    figure : plotly figure
    key : str
    has_bar : bool
        Whether plotly's buttons come up in it.
    **events
        What the page hears of its points, as Streamlit takes it.
    """
    config = {**(CLICKED if events else PLAIN), **({} if has_bar else {"displayModeBar": False})}
    return st.plotly_chart(figure, key=key, config=config, **events)
