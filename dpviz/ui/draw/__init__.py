"""A canvas to draw points on, by mouse, touch, pen or keyboard.

Public interface
----------------
``draw(key) -> Drawing``
    Show it on a Streamlit page. ``Drawing(points, colors)`` has the points (n, 2) and the brush colour of each (n,), as
    they were when the reader last paused. The drawing survives page changes by itself.
``replace_points(key, points)``, ``inside(points)``
    Change a drawing from another page; move points onto the canvas.
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
    read_drawing,
    replace_points,
)

__all__ = ["CANVAS", "COLOR_NAMES", "MOST_POINTS", "Drawing", "draw", "inside", "read_drawing", "replace_points"]
