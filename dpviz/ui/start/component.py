"""The film on a Streamlit page."""

from __future__ import annotations

from dpviz.film import film
from dpviz.player.assets import player_styles
from dpviz.scripts import script
from dpviz.ui.mounting import component


def hero(key: str) -> None:
    """Show the film at its beginning; it plays at a press of its button."""
    _component()(key=key, data=film().stored)


_component = component("dpviz_hero", lambda: script("hero"), player_styles)
