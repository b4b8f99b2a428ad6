"""Parts of a page that open, and that a script can close: lists of lessons, and settings behind a button."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st


@dataclass(frozen=True)
class Lesson:
    """A lesson as its list shows it.

    Attributes
    ----------
    title, watch : str
        Its name, and one sentence on what to watch.
    """

    title: str
    watch: str


Chosen = TypeVar("Chosen", bound=Lesson)


def foldable(key: str) -> str:
    """Return the key under which to draw a popover or an expander that :func:`fold` closes."""
    return f"{key}.{st.session_state.get(_turns(key), 0)}"


def fold(key: str) -> None:
    """Close a popover or an expander; call it before that is drawn, e.g. in a callback.

    It is redrawn under a new key. Setting its value is not enough: a browser closes it only if the server last reported
    it as open, and that report is lost if the click that closes it interrupts the script run that followed the opening.
    """
    st.session_state[_turns(key)] = st.session_state.get(_turns(key), 0) + 1


def _turns(key: str) -> str:
    return f"{key} turns"


def gallery(label: str, key: str, lessons: Sequence[Chosen], use: Callable[[Chosen], None]) -> None:
    """Draw a list of lessons that closes when one of them is chosen.

    Parameters
    ----------
    label : str
        Of the button that opens it.
    key : str
        Prefix of the keys of its buttons.
    lessons : sequence
    use : callable
        Sets up the chosen lesson; a callback, so it runs before the page is drawn.
    """

    def chosen(lesson: Chosen) -> None:
        fold(key)
        use(lesson)

    with st.popover(
        label, icon=":material/school:", width="stretch", key=f"list of {foldable(key)}", on_change="rerun"
    ):
        for number, lesson in enumerate(lessons):
            st.button(lesson.title, key=f"{key}.{number}", on_click=chosen, args=(lesson,), width="stretch")
            st.caption(lesson.watch)
