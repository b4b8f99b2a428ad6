"""Style sheets of the player and of the drawing canvas."""

from __future__ import annotations

import functools
from pathlib import Path

_FOLDER = Path(__file__).parent


@functools.cache
def player_styles() -> str:
    """Return the style sheet of the player."""
    return (_FOLDER / "assets" / "player.css").read_text(encoding="utf-8")


@functools.cache
def drawing_styles() -> str:
    """Return the style sheet of the drawing canvas."""
    return (_FOLDER / "drawing" / "draw.css").read_text(encoding="utf-8")
