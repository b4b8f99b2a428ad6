"""Draw points by hand; they are used as soon as the reader pauses."""

from __future__ import annotations

import streamlit as st

from dpviz.ui.controls import widgets
from dpviz.ui.draw import CANVAS, draw
from dpviz.ui.session import drawn, state
from dpviz.ui.session.chosen_data import DataChoice


def draw_form(choice: DataChoice) -> DataChoice:
    """Show the canvas, and return the drawing as a choice once it changes and has enough points."""
    drawing = draw(CANVAS)
    with_labels = widgets.toggle(
        "Use the brush colours as true labels",
        drawn.LABELS,
        help="Clustering never sees labels; scores compare with them. Without this the colours mean nothing.",
    )
    if len(drawing.points) < drawn.FEWEST:
        st.caption(f"With {drawn.FEWEST} points or more the drawing is used on every page.")
        return choice
    before = drawn.present()
    new = drawn.take(drawing, with_labels)
    if new != before:
        return new
    if not drawn.in_use(choice):
        st.button("Use this drawing", type="primary", on_click=state.choose_data, args=(new,))
    return choice
