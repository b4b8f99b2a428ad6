"""The film on a Streamlit page."""

from __future__ import annotations

from pathlib import Path

from dpviz.player.assets import player_styles
from dpviz.scripts import script
from dpviz.ui.mounting import component
from dpviz.ui.start.film import film

_STYLES = Path(__file__).parent / "assets" / "hero.css"


def hero(key: str) -> None:
    """Show the film at its beginning; it plays at a press of its button."""
    _component()(key=key, data=film().stored)


_component = component(
    "dpviz_hero", lambda: script("hero"), lambda: player_styles() + _STYLES.read_text(encoding="utf-8")
)
