"""Knobs at a player on a Streamlit page: the engine and the points reach the browser, and turned knobs come back.

Public interface
----------------
``bring(on_rest)``
    Bring the engine; ``on_rest`` is called before the script run that a knob at rest causes.
``bring_points_of(runs)``
    Bring the points of all runs that a browser can compute.
``bring_lesson(lesson, player)``
    Bring a lesson's twenty draws, for the reader to count in how many it is right.
``turned() -> Rest or None``
    The message of a knob at rest, checked.
"""

from __future__ import annotations

from dpviz.ui.live.component import Rest, bring, bring_points_of, turned
from dpviz.ui.live.lessons import bring_lesson

__all__ = ["Rest", "bring", "bring_lesson", "bring_points_of", "turned"]
