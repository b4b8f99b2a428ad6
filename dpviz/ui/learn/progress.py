"""The reader's place in the course, which the address holds: the chapter, and the predictions made so far."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dpviz.course import CHAPTERS, chapter_named
from dpviz.ui.controls.setting import Setting
from dpviz.ui.shell.page_link import PageLink
from dpviz.words import say

_PLACE, _GUESSES = "learn chapter", "learn guesses"
NAMES = tuple(chapter.name for chapter in CHAPTERS)


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


def _read_chapter(name: Any) -> None:
    if (chapter := chapter_named(name)) is not None:
        open_chapter(chapter.name)


def _read_guesses(made: Any) -> None:
    """Take over the predictions that somebody can make; others, as of chapters that are no more, are left out."""
    given = made if isinstance(made, dict) else {}
    taken = {
        chapter.name: given[chapter.name]
        for chapter in CHAPTERS
        if type(given.get(chapter.name)) is int and given[chapter.name] in chapter.question.guesses
    }
    st.session_state[_GUESSES] = taken
    if taken != made:
        raise ValueError(", ".join(sorted(given.keys() - taken.keys())))


LINK = PageLink("learn", longest=1_000, unreadable=say("learn.link_unreadable"))
SETTINGS = (
    Setting("chapter", _read_chapter, chapter_name),
    Setting("guesses", _read_guesses, guesses, default={}, unreadable=say("learn.guesses_unreadable")),
)
