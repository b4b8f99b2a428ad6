"""The player of :mod:`dpviz.player` on a Streamlit page.

Public interface
----------------
``player(payload, *, key, sweep=None, height=None, scale=1.0, …) -> PlayerState``
    Show a payload. ``PlayerState(sweep, point)`` has the playhead where it last rested and the ``PointEvent`` (for
    one script run only). The playhead survives page changes by itself.
    ``pulls=`` lets the reader place a ghost point: it maps a ``PlaceEvent`` to one ``Pull`` per cluster and one for a
    new one, which are drawn beside it. ``editable=True`` reports dragged and painted points: ``PlayerState.moved`` is a
    ``MovedPoint`` and ``PlayerState.painted`` are ``PaintedPoints``, for one script run only.
``Named(payload)``
    A payload that is shown often, or to many.
``answer_why(key, point, sweep, title, bars)``
    Say beside the picture why the point is where it is.
    ``live=`` are the facts that :mod:`dpviz.ui.live` needs for knobs above the picture.
"""

from __future__ import annotations

from dpviz.ui.player.component import Named, PlayerState, answer_why, player
from dpviz.ui.player.events import MovedPoint, PaintedPoints, PlaceEvent, PointEvent, Pull

__all__ = [
    "MovedPoint",
    "Named",
    "PaintedPoints",
    "PlaceEvent",
    "PlayerState",
    "PointEvent",
    "Pull",
    "answer_why",
    "player",
]
