"""The film on a Streamlit page."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from dpviz.player.assets import player_styles
from dpviz.scripts import script
from dpviz.ui.start.film import film

_STYLES = Path(__file__).parent / "assets" / "hero.css"


def hero(key: str) -> None:
    """Show the film at its beginning; it plays at a press of its button."""
    _component()(key=key, data=film().stored)


@functools.cache
def _component() -> Callable[..., Any]:
    styles = player_styles() + _STYLES.read_text(encoding="utf-8")
    mount: Callable[..., Any] = st.components.v2.component("dpviz_hero", css=styles, js=script("hero"))
    return mount
