"""The reader's place in the course in the address: ``learn=`` holds the chapter and the predictions made so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpviz.course import CHAPTERS
from dpviz.ui.shell.page_link import PageLink, as_text
from dpviz.words import say

LINK = PageLink("learn", longest=1_000)
_PLACE, _GUESSES = "learn chapter", "learn guesses"
NAMES = tuple(chapter.name for chapter in CHAPTERS)


def restore() -> None:
    """Follow the address once; invalid parts are left out, with a message."""
    text = LINK.arrived()
    if text is None:
        return
    try:
        values = LINK.read(text)
    except (ValueError, RecursionError):
        st.warning(say("learn.link_unreadable"), icon=":material/link_off:")
        return
    if values.get("chapter") in NAMES:
        open_chapter(values["chapter"])
    guesses = values.get("guesses")
    st.session_state[_GUESSES] = _good(guesses if isinstance(guesses, dict) else {})


def _good(guesses: Mapping[str, Any]) -> dict[str, int]:
    return {
        chapter.name: guesses[chapter.name]
        for chapter in CHAPTERS
        if type(guesses.get(chapter.name)) is int and guesses[chapter.name] in chapter.question.guesses
    }


def remember() -> None:
    """Update the address with the reader's place."""
    LINK.keep(as_text({"chapter": chapter_name(), "guesses": guesses()}))


def chapter_name() -> str:
    """Return the chapter the reader is in."""
    name: str = st.session_state.setdefault(_PLACE, NAMES[0])
    return name


def open_chapter(name: str) -> None:
    """Go to a chapter."""
    st.session_state[_PLACE] = name


def guesses() -> dict[str, int]:
    """Return the predictions made so far, by the chapters' names."""
    made: dict[str, int] = st.session_state.setdefault(_GUESSES, {})
    return made


def predict(name: str, guess: int) -> None:
    """Keep a prediction."""
    guesses()[name] = guess


def forget(name: str) -> None:
    """Take a prediction back."""
    guesses().pop(name, None)
