"""Draw points by hand; they are in use as soon as the reader pauses."""

from __future__ import annotations

import streamlit as st

from dpviz.datasets import Dataset, from_points
from dpviz.ui.controls import widgets
from dpviz.ui.draw import CANVAS, COLOR_NAMES, Drawing, draw
from dpviz.ui.session import state
from dpviz.ui.session.chosen_data import DataChoice, keep_session_dataset, session_datasets

FEWEST = 2
_KEPT, _LABELS = "data drawing kept", "data drawing labels"


def drawing_in_use(choice: DataChoice) -> bool:
    """Say whether a choice names the present drawing."""
    return choice.source == "session" and choice.name == st.session_state.get(_KEPT, {}).get("name")


def draw_form(choice: DataChoice) -> DataChoice:
    """Show the canvas, and return the drawing as a choice once it changes and has points enough."""
    drawing = draw(CANVAS)
    with_labels = widgets.toggle(
        "Use the brush colours as true labels", _LABELS, help="Clustering never sees labels; scores compare with them."
    )
    kept = st.session_state.setdefault(_KEPT, {"name": "", "content": b""})
    if len(drawing.points) < FEWEST:
        st.caption(f"With {FEWEST} points or more the drawing is used on every page.")
        return choice
    content = drawing.points.tobytes() + (drawing.colors.tobytes() if with_labels else b"")
    if content == kept["content"] and kept["name"] in session_datasets():
        if not drawing_in_use(choice):
            st.button("Use this drawing", type="primary", on_click=_use_again)
        return choice
    new = keep_session_dataset(_dataset(drawing, with_labels), replacing=kept["name"])
    st.session_state[_KEPT] = {"name": new.name, "content": content}
    return new


def _dataset(drawing: Drawing, with_labels: bool) -> Dataset:
    labels = [COLOR_NAMES[color] for color in drawing.colors] if with_labels else None
    return from_points(drawing.points, labels)


def _use_again() -> None:
    state.choose_data(DataChoice("session", st.session_state[_KEPT]["name"]))
