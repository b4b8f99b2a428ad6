"""The lesson that a reader is on, page by page: which one it is, its sentence, the way back to it and to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.fit.small_clusters import small_clusters_in_words
from dpviz.text import escape_markdown
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.lesson import Lesson, of_other_data
from dpviz.ui.stage.lessons import PRESETS


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


def following(lesson: Lesson) -> Lesson | None:
    """Return the lesson after this one."""
    number = PRESETS.index(lesson) + 1
    return PRESETS[number] if number < len(PRESETS) else None


def show(finished: Finished, open_lesson: Callable[[Lesson], None], *, seen: bool) -> None:
    """Offer the next lesson, or the way back to the one that was opened.

    Parameters
    ----------
    finished : Finished
    open_lesson : callable
        Called with the lesson to open.
    seen : bool
        Whether the run has been watched to its end: until then playing it comes first.
    """
    lesson = opened("explore")
    if lesson is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="guide"):
            _onwards(lesson, finished, open_lesson, seen)


def warn_of_small_clusters(finished: Finished) -> None:
    """Say which clusters, joined as they are shown, are too small. The player says how well the clusters agree."""
    # of the result, not of the playhead: a sentence that comes and goes would move the picture
    if small := small_clusters_in_words(np.bincount(finished.clusters_at(finished.trace.result_sweep))):
        st.caption(escape_markdown(f"Result: {small}"))


def _onwards(lesson: Lesson, finished: Finished, open_lesson: Callable[[Lesson], None], seen: bool) -> None:
    on_it, after = lesson.is_of(finished.choice, [finished.config]), following(lesson)
    if not on_it:
        back_button(lesson, "guide.back", open_lesson)
    onwards = lesson.onwards if finished.choice == lesson.choice else ""  # "the same data" are the lesson's
    if after is not None:
        st.button(
            onwards or "Next lesson",
            key="guide.next",
            icon=":material/arrow_forward:",
            icon_position="right",
            type="primary" if on_it and seen else "secondary",
            help=escape_markdown(after.title),
            on_click=open_lesson,
            args=(after,),
            width="content",
        )
