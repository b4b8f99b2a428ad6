"""The drawing canvas on a Streamlit page: mounts the component and checks all data from the browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from dpviz.arrays import FloatArray, IntArray
from dpviz.player import CLUSTER_COLORS
from dpviz.player.assets import drawing_styles
from dpviz.scripts import script
from dpviz.ui.mounting import component, nothing

WIDTH, HEIGHT = 16.0, 12.0
"""Extent of the canvas: points lie within ±8 and ±6."""
MOST_POINTS = 5_000
COLOR_NAMES = ("blue", "orange", "green", "pink", "red", "sky")

CANVAS = "data canvas"
"""Key of the canvas for drawn data."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """Drawn points.

    Attributes
    ----------
    points : ndarray of float64, shape (n, 2)
        In the order they were drawn.
    colors : ndarray of int64, shape (n,)
        Position in ``COLOR_NAMES`` of the brush each was drawn with.
    """

    points: FloatArray
    colors: IntArray


def draw(key: str) -> Drawing:
    """Show the canvas and return what is on it.

    Parameters
    ----------
    key : str
        Names this canvas within the session.
    """
    memory = st.session_state.setdefault(f"{key} memory", {"opening": _nothing_drawn(), "shown": _nothing_drawn()})
    if key not in st.session_state:  # the page was just opened: only the session still has the drawing
        memory["opening"] = memory["shown"]
    settings = {
        "points": memory["opening"],
        "palette": {name: colors[: len(COLOR_NAMES)] for name, colors in CLUSTER_COLORS.items()},
        "names": COLOR_NAMES,
        "extent": [WIDTH, HEIGHT],
        "most": MOST_POINTS,
        "storage": key,
    }
    result = _component()(key=key, data=settings, on_points_change=nothing)
    drawing = read_drawing(result.get("points"))
    if drawing is None:
        drawing = on_canvas(key)
    memory["shown"] = _as_sent(drawing)
    return drawing


def read_drawing(value: Any) -> Drawing | None:
    """Check data from a browser.

    Parameters
    ----------
    value : object
        A mapping with lists ``x``, ``y`` and ``color`` of equal length, if valid.

    Returns
    -------
    Drawing or None
        None for anything else; coordinates outside the canvas are moved to its edge.
    """
    columns = [value.get(name) for name in ("x", "y", "color")] if hasattr(value, "get") else []
    if len(columns) != 3 or not all(isinstance(column, list) for column in columns):
        return None
    x, y, colors = columns
    if not len(x) == len(y) == len(colors) <= MOST_POINTS:
        return None
    if not all(type(number) in (int, float) for number in (*x, *y)) or not all(type(color) is int for color in colors):
        return None
    if not all(0 <= color < len(COLOR_NAMES) for color in colors):
        return None
    try:
        points = np.column_stack([np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)])
    except OverflowError:  # a whole number of hundreds of digits
        return None
    if not np.isfinite(points).all():
        return None
    return Drawing(inside(points), np.array(colors, dtype=np.int64))


def inside(points: FloatArray) -> FloatArray:
    """Move points (n, 2) that lie outside the canvas to its edge."""
    half = np.array([WIDTH / 2, HEIGHT / 2])
    return np.clip(points, -half, half)


def on_canvas(key: str) -> Drawing:
    """Return what is on a canvas, which need not be on the page now."""
    shown = st.session_state.get(f"{key} memory", {}).get("shown", _nothing_drawn())
    return read_drawing(shown) or Drawing(np.empty((0, 2)), np.empty(0, dtype=np.int64))


def replace_drawing(key: str, drawing: Drawing) -> None:
    """Replace the drawing of a canvas that is not on the page now."""
    changed = _as_sent(drawing)
    st.session_state[f"{key} memory"] = {"opening": changed, "shown": changed}


def _as_sent(drawing: Drawing) -> dict[str, list[float]]:
    x, y = drawing.points.T.tolist()
    return {"x": x, "y": y, "color": drawing.colors.tolist()}


def _nothing_drawn() -> dict[str, list[float]]:
    return {"x": [], "y": [], "color": []}


_component = component("dpviz_draw", lambda: script("canvas"), drawing_styles)
