"""The lesson that a reader is on, page by page: which one it is, its sentence, and the way back to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from dpviz.config import RunConfig
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.lesson import Lesson, of_other_data


def begin(page: str, lesson: Lesson) -> None:
    """Remember the lesson that the reader opened on a page."""
    st.session_state[f"{page} lesson"] = lesson


def opened(page: str) -> Lesson | None:
    """Return the lesson that was opened last on a page."""
    lesson: Lesson | None = st.session_state.get(f"{page} lesson")
    return lesson


def of_runs(page: str, lessons: Iterable[Lesson], choice: DataChoice, own: Sequence[RunConfig | str]) -> Lesson | None:
    """Return the lesson that runs are exactly of, first the one that was opened last."""
    return next((known for known in (opened(page), *lessons) if known is not None and known.is_of(choice, own)), None)


def off_its_data(page: str, choice: DataChoice, own: Sequence[RunConfig | str]) -> str:
    """Say that the runs of the lesson that was opened are shown on other data; empty if they are not."""
    lesson = opened(page)
    return of_other_data(lesson, choice) if lesson is not None and lesson.own == tuple(own) else ""


def back_button(lesson: Lesson, key: str, open_lesson: Callable[[Lesson], None]) -> None:
    """Offer the way back to a lesson."""
    st.button("Back to the lesson", key=key, type="tertiary", on_click=open_lesson, args=(lesson,), width="content")
