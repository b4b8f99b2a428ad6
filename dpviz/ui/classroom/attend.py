"""A student's view of a class: the question, the answer that was sent, and what came of it."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from dpviz.course import BY_NAME, Played, play
from dpviz.errors import DpvizError, NotKeptError
from dpviz.text import escape_markdown
from dpviz.ui.classroom.questions import ask, lead_to_chapter, show_answer, show_counts, show_data
from dpviz.ui.classroom.seats import seat
from dpviz.ui.session.board import Lesson, board
from dpviz.words import say

LOOK_SECONDS = 4.0
"""Interval at which a phone that has answered asks whether the class went on; one that has not asks half as often."""
_CHANGING, _LAST = "class answer changing", "class attended"


class Attended(NamedTuple):
    """What this session knows of the class it was in, also when that has ended.

    Attributes
    ----------
    code, chapter : str
    given : int or None
        The answer that it gave.
    """

    code: str
    chapter: str
    given: int | None


def last() -> Attended | None:
    """Return what this session knows of the class it was in; None if it was in none."""
    found: Attended | None = st.session_state.get(_LAST)
    return found


def show(lesson: Lesson) -> None:
    """Draw the view."""
    chapter = BY_NAME[lesson.chapter]
    st.markdown(f"#### {escape_markdown(chapter.title)}")
    with st.spinner(say("classroom.runs_are_made"), show_time=True):
        played = play(chapter)
    given, before = board().answered(lesson.code, seat()), last()
    if before is not None and (before.code, before.chapter) != (lesson.code, lesson.chapter):
        _forms().pop(lesson.code, None)  # that of another question
    st.session_state[_LAST] = Attended(lesson.code, lesson.chapter, given)
    if lesson.revealed:
        _show_outcome(lesson, played, given)
    elif given is None or lesson.code in _forms():
        _ask(lesson, played, _forms().setdefault(lesson.code, given))
    else:
        _wait(lesson, played, given)


def _forms() -> dict[str, int | None]:
    """Return the answers that open forms began with, by their classes' codes.

    A form stays open though another window of the same browser answers meanwhile: what is sent last counts.
    """
    forms: dict[str, int | None] = st.session_state.setdefault(_CHANGING, {})
    return forms


def _ask(lesson: Lesson, played: Played, given: int | None) -> None:
    show_data(played)
    answer = ask(played, given)
    st.caption(say("classroom.what_is_kept"))
    if answer is None:
        st.fragment(look, run_every=2 * LOOK_SECONDS)(lesson)
        return
    try:
        board().answer(lesson.code, lesson.chapter, seat(), answer)
    except DpvizError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return
    _forms().pop(lesson.code)
    st.rerun()


def _wait(lesson: Lesson, played: Played, given: int) -> None:
    """Say what was sent, until the lecturer reveals the answer."""
    st.success(
        escape_markdown(say("classroom.you_answered", answer=played.chapter.question.words(given))),
        icon=":material/how_to_vote:",
    )
    st.markdown(say("classroom.wait"))
    if st.button(say("classroom.change"), key="class.change", icon=":material/edit:"):
        _forms()[lesson.code] = given
        st.rerun()
    st.fragment(look, run_every=LOOK_SECONDS)(lesson, given)
    with st.expander(say("learn.what_was_asked"), icon=":material/help:"):
        show_data(played)
        st.markdown(escape_markdown(played.prompt))


def look(lesson: Lesson, given: int | None = None) -> None:
    """Draw the page anew once the class is another, or another window has sent another answer than this one."""
    try:
        now = board().find(lesson.code, seat())
        other = given is not None and board().answered(lesson.code, seat()) != given
    except NotKeptError as error:
        st.caption(escape_markdown(str(error)))
        return
    if other or not is_same(lesson, now):
        st.rerun()


def is_same(lesson: Lesson, now: Lesson | None) -> bool:
    """Whether a class is where it was when a page was drawn."""
    return now is not None and (now.chapter, now.revealed) == (lesson.chapter, lesson.revealed)


def _show_outcome(lesson: Lesson, played: Played, given: int | None) -> None:
    if given is None:
        st.info(say("classroom.too_late"), icon=":material/info:")
    show_answer(played, given)
    st.markdown(f"**{say('classroom.the_class')}**")
    show_counts(played, board().counts(lesson.code), revealed=True)
    lead_to_chapter(played.chapter, given, say("classroom.watch"))
    st.fragment(look, run_every=LOOK_SECONDS)(lesson)  # there may be another question
