"""A canvas to draw points on, by mouse, touch, pen or keyboard.

Public interface
----------------
``draw(key) -> Drawing``
    Show it on a Streamlit page. ``Drawing(points, colors)`` has the points (n, 2) and the brush colour of each (n,), as
    they were when the reader last paused. The drawing survives page changes by itself.
``on_canvas(key)``, ``replace_drawing(key, drawing)``, ``inside(points)``
    Read or change a drawing from another page; move points onto the canvas.
``keep_in_tab(kept)``, ``find_in_tab()``
    Leave a drawing in the browser's tab, and find it there after a reload.
``COLOR_NAMES``
    What the brush colours are called.
"""

from __future__ import annotations

from dpviz.ui.draw.component import (
    CANVAS,
    COLOR_NAMES,
    MOST_POINTS,
    Drawing,
    draw,
    inside,
    on_canvas,
    read_drawing,
    replace_drawing,
)
from dpviz.ui.draw.tab_storage import find_in_tab, keep_in_tab

__all__ = [
    "CANVAS",
    "COLOR_NAMES",
    "MOST_POINTS",
    "Drawing",
    "draw",
    "find_in_tab",
    "inside",
    "keep_in_tab",
    "on_canvas",
    "read_drawing",
    "replace_drawing",
]
