"""The film on a Streamlit page."""

from __future__ import annotations

from dpviz.browser import with_tables
from dpviz.film import film
from dpviz.player.assets import player_styles
from dpviz.scripts import script
from dpviz.ui.mounting import component, engine_message


def hero(key: str) -> None:
    """Show the film; it plays at a press of its button, and a point of it can be carried once the engine has come."""
    _component()(key=key, data=film().stored)
    _component()(key=f"{key} engine", data=engine_message())


_component = component("dpviz_hero", lambda: with_tables(script("hero")), player_styles)
