"""Drawings of the course on a page."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

TALLEST = "60vh"
"""Of the data of a question, so that they are in sight with what is asked."""


def shade() -> str:
    """Return the shade of the reader's theme, for what is drawn."""
    return "dark" if st.context.theme.type == "dark" else "light"


@contextmanager
def illustrated(picture: str) -> Iterator[None]:
    """Put what is drawn within beside a picture."""
    with st.container(horizontal=True, gap="small"):
        st.html(picture, width="content")
        with st.container(gap=None):
            yield


def image(drawing: str, words: str, widest: str = "46rem", tallest: str = "none") -> str:
    """Return an SVG as an image with a text in its place, which Streamlit's own images do not have.

    It is no wider and no taller than these lengths of CSS, in its own proportions.
    """
    data = base64.b64encode(drawing.encode()).decode()
    size = " ".join(re.findall(r'\b(?:width|height)="\d+"', drawing)[:2])  # keeps its place until it is decoded
    style = (
        f"width: 100%; height: auto; max-width: {widest}; max-height: {tallest}; "
        "object-fit: contain; object-position: left"
    )
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(words)}" {size} style="{style}">'
