"""What to see and what to do next: agreement with the true groups, clusters too small, one button onwards."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dpviz import metrics
from dpviz.analysis.small_clusters import small_clusters_in_words
from dpviz.config import RunConfig
from dpviz.text import escape_markdown
from dpviz.ui.explore.lessons import PRESETS, Preset
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.jobs import Finished

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


def following(preset: Preset) -> Preset | None:
    """Return the lesson after this one."""
    number = PRESETS.index(preset) + 1
    return PRESETS[number] if number < len(PRESETS) else None


def show(finished: Finished, sweep: int, open_lesson: Callable[[Preset], None]) -> None:
    """Say how well the clusters agree with the true groups and which are too small, and offer the next lesson.

    Parameters
    ----------
    finished : Finished
    sweep : int
        Sweep at the playhead.
    open_lesson : callable
        Called with the lesson to open.
    """
    opened = lesson()
    agreement = _agreement(finished, sweep)
    if opened is not None or agreement is not None:
        _agreement_and_lesson(opened, agreement, finished, open_lesson)
    # of the result, not of the playhead: a sentence that comes and goes would move the picture
    if small := small_clusters_in_words(finished.trace.sizes(finished.trace.result_sweep)):
        st.caption(escape_markdown(f"Result: {small}"))


def _agreement_and_lesson(
    opened: Preset | None, agreement: str | None, finished: Finished, open_lesson: Callable[[Preset], None]
) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="guide"):
        if agreement is not None:
            st.markdown(agreement, width="content", help=_AGREEMENT_HELP)
        if opened is not None:
            _onwards(opened, finished, open_lesson)


_AGREEMENT_HELP = (
    "Normalised mutual information (NMI) and adjusted Rand index (ARI) of the clusters at the playhead and the true "
    "groups: 1 if they are the same, about 0 if they are unrelated. ARI usually falls more where a group is in pieces. "
    "The algorithms never see the true groups."
)


def _agreement(finished: Finished, sweep: int) -> str | None:
    true = finished.prepared.dataset.labels
    if true is None:
        return None
    shown = finished.shown_sweep(sweep)
    labels = finished.trace.labels_at(shown)
    scores = f"NMI **{metrics.nmi(true, labels):.2f}**, ARI **{metrics.ari(true, labels):.2f}**"
    return f"Agreement with the true groups at sweep {shown}: {scores}"


def _onwards(opened: Preset, finished: Finished, open_lesson: Callable[[Preset], None]) -> None:
    on_it, after = is_of(opened, finished.choice, finished.config), following(opened)
    if not on_it:
        st.button("Back to the lesson", key="guide.back", on_click=open_lesson, args=(opened,), width="content")
    if after is not None:
        st.button(
            f"{opened.onwards or 'Next lesson'} ▸",
            key="guide.next",
            type="primary" if on_it else "secondary",
            help=escape_markdown(after.title),
            on_click=open_lesson,
            args=(after,),
            width="content",
        )
