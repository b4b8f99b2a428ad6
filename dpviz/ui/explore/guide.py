"""What to do next: one button onwards, or back to the lesson; and which clusters are too small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from dpviz.config import RunConfig
from dpviz.fit.small_clusters import small_clusters_in_words
from dpviz.text import escape_markdown
from dpviz.ui.explore.lessons import PRESETS, Preset
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.jobs import Finished
from dpviz.ui.session.lesson import of_other_data

_LESSON = "lesson"


def begin(preset: Preset) -> None:
    """Remember the lesson that the reader is on."""
    st.session_state[_LESSON] = preset


def lesson() -> Preset | None:
    """Return the lesson that was opened last."""
    opened: Preset | None = st.session_state.get(_LESSON)
    return opened


def is_of(preset: Preset, choice: DataChoice, config: RunConfig) -> bool:
    """Whether a run is exactly the run of a lesson."""
    return preset.choice == choice and preset.config == config


def of_run(choice: DataChoice, config: RunConfig) -> Preset | None:
    """Return the lesson that a run is exactly of, first the one that was opened last."""
    known = [lesson(), *PRESETS]
    return next((own for own in known if own is not None and is_of(own, choice, config)), None)


def to_watch(choice: DataChoice, config: RunConfig) -> str:
    """Return the sentence of the lesson that was opened; on other data a word instead, and nothing of other runs."""
    own = lesson()
    if own is None:
        return ""
    if is_of(own, choice, config):
        return own.watch
    return of_other_data(own, choice) if own.config == config else ""


def recognise(choice: DataChoice, config: RunConfig) -> None:
    """Take a reader who has followed a link to exactly a lesson's run for one who is on it."""
    found = of_run(choice, config) if lesson() is None else None
    if found is not None:
        begin(found)


def following(preset: Preset) -> Preset | None:
    """Return the lesson after this one."""
    number = PRESETS.index(preset) + 1
    return PRESETS[number] if number < len(PRESETS) else None


def show(finished: Finished, open_lesson: Callable[[Preset], None], *, seen: bool) -> None:
    """Offer the next lesson, or the way back to the one that was opened.

    Parameters
    ----------
    finished : Finished
    open_lesson : callable
        Called with the lesson to open.
    seen : bool
        Whether the run has been watched to its end: until then playing it comes first.
    """
    opened = lesson()
    if opened is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="guide"):
            _onwards(opened, finished, open_lesson, seen)


def warn_of_small_clusters(finished: Finished) -> None:
    """Say which clusters, joined as they are shown, are too small. The player says how well the clusters agree."""
    # of the result, not of the playhead: a sentence that comes and goes would move the picture
    if small := small_clusters_in_words(np.bincount(finished.clusters_at(finished.trace.result_sweep))):
        st.caption(escape_markdown(f"Result: {small}"))


def _onwards(opened: Preset, finished: Finished, open_lesson: Callable[[Preset], None], seen: bool) -> None:
    on_it, after = is_of(opened, finished.choice, finished.config), following(opened)
    if not on_it:
        st.button("Back to the lesson", key="guide.back", on_click=open_lesson, args=(opened,), width="content")
    onwards = opened.onwards if finished.choice == opened.choice else ""  # "the same data" are the lesson's
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
