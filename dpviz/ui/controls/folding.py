"""Parts of a page that open: lists and settings that a script can close, and panels drawn once they are opened."""

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


def once_opened(key: str) -> bool:
    """Whether to draw what is in an expander with this key and ``on_change="rerun"``; call it after the expander.

    A browser makes all that is drawn, even where nobody sees it. So nothing is drawn before the first opening; later it
    is, closed or not, since widgets that are not drawn forget their values.
    """
    if st.session_state[key]:
        st.session_state[_seen(key)] = True
    return _seen(key) in st.session_state


def _seen(key: str) -> str:
    return f"{key} was opened"


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
