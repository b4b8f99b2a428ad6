"""The film on a Streamlit page."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from dpviz.player.assets import joined_with_player, player_styles
from dpviz.ui.start.film import film
from dpviz.words import with_words

_FOLDER = Path(__file__).parent / "assets"
# Each module only uses those before it, so joining them in this order gives one module.
OWN = ("hero", "mount")


def hero(key: str) -> None:
    """Show the film at its beginning; it plays at a press of its button."""
    _component()(key=key, data=film().stored)


@functools.cache
def script() -> str:
    """Join all modules."""
    return with_words(joined_with_player(_FOLDER / f"{name}.js" for name in OWN))


@functools.cache
def _component() -> Callable[..., Any]:
    styles = player_styles() + (_FOLDER / "hero.css").read_text(encoding="utf-8")
    mount: Callable[..., Any] = st.components.v2.component(
        "dpviz_hero", css=styles, js=script() + "\nexport default mountHero;\n"
    )
    return mount
