"""A canvas to draw points on, by mouse, touch, pen or keyboard.

Public interface
----------------
``draw(key) -> Drawing``
    Show it on a Streamlit page. ``Drawing(points, colors)`` has the points (n, 2) and the brush colour of each (n,), as
    they were when the reader last paused. The drawing survives page changes by itself.
``COLOR_NAMES``
    What the brush colours are called.
"""

from __future__ import annotations

from dpviz.ui.draw.component import COLOR_NAMES, MOST_POINTS, Drawing, draw, read_drawing

__all__ = ["COLOR_NAMES", "MOST_POINTS", "Drawing", "draw", "read_drawing"]
