"""The story: one article whose figures answer to the hand, without a server.

Public interface
----------------
``story_page(places=NOWHERE) -> str``
    The page.
``shown() -> dict``
    What its script is told: points, configurations, numbers to drag.
"""

from __future__ import annotations

from dpviz.story.facts import shown
from dpviz.story.page import story_page

__all__ = ["shown", "story_page"]
