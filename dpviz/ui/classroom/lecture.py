"""A lecturer's view of a class: the way in, the answers as they come, the reveal, and the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st

from dpviz.course import BY_NAME, Played, play
from dpviz.errors import NotKeptError
from dpviz.text import escape_markdown
from dpviz.ui.classroom.attend import is_same, look
from dpviz.ui.classroom.questions import lead_to_chapter, show_answer, show_counts, show_picture, show_words
from dpviz.ui.classroom.seats import seat
from dpviz.ui.learn.page import FILMS, HEIGHT
from dpviz.ui.player import player
from dpviz.ui.session.board import CLASS_SECONDS, Lesson, board
from dpviz.ui.session.exports import csv_button
from dpviz.ui.sharing import component
from dpviz.ui.sharing.short_links import whole
from dpviz.ui.shell import links as shell_links
from dpviz.words import say, say_count

ENDED = "class ended"
"""Session key of the chapter whose class was ended just now."""
_FAULT, _PLAYED = "class step not taken", "class film played"
LOOK_SECONDS = 2.0
"""Interval at which the histogram is drawn anew while a class answers."""


def show(lesson: Lesson) -> None:
    """Draw the view."""
    chapter = BY_NAME[lesson.chapter]
    with st.container(
        key="class-head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    ):
        st.markdown(f"#### {escape_markdown(chapter.title)} · {lesson.code}", width="content")
        _offer_steps(lesson)
    if fault := st.session_state.pop(_FAULT, None):
        st.error(escape_markdown(say("classroom.not_done", why=fault)), icon=":material/error:")
    with st.spinner(say("classroom.runs_are_made"), show_time=True):
        played = play(chapter)
    if lesson.revealed:
        _show_outcome(lesson, played)
    else:
        _show_open(lesson, played)
    minutes = max(1, round(lesson.seconds_left / 60))
    st.caption(say_count("classroom.when_forgotten", minutes, hours=f"{CLASS_SECONDS / 3600:g}"))


def _offer_steps(lesson: Lesson) -> None:
    with st.container(horizontal=True, width="content"):
        if not lesson.revealed:
            st.button(
                say("course.reveal"),
                key="class.reveal",
                type="primary",
                icon=":material/visibility:",
                on_click=_reveal,
                args=(lesson,),
            )
        else:
            _offer_next(lesson)
        st.button(say("classroom.end"), key="class.end", icon=":material/stop:", on_click=_end, args=(lesson,))


def _offer_next(lesson: Lesson) -> None:
    """Offer another question to the same class, first the one that follows in the course."""
    names = list(BY_NAME)
    following = (names.index(lesson.chapter) + 1) % len(names)
    chosen = st.selectbox(
        say("classroom.next"),
        names,
        following,
        key=f"class.next.{lesson.chapter}",
        format_func=lambda name: f"{names.index(name) + 1}. {BY_NAME[name].title}",
        label_visibility="collapsed",
        width=320,
    )
    st.button(
        say("classroom.next"),
        key="class.ask_next",
        type="primary",
        icon=":material/skip_next:",
        on_click=_ask,
        args=(lesson, chosen),
    )


def _ask(lesson: Lesson, name: str) -> None:
    guesses = BY_NAME[name].question.guesses
    _take(lambda: board().ask(lesson.code, lesson.chapter, name, guesses, seat()))


def _reveal(lesson: Lesson) -> None:
    _take(lambda: board().reveal(lesson.code, lesson.chapter, seat()))


def _end(lesson: Lesson) -> None:
    if _take(lambda: board().end(lesson.code, seat())):
        st.session_state[ENDED] = lesson.chapter


def _take(step: Callable[[], None]) -> bool:
    """Take a step with a class; what hinders it is shown where the view is drawn next."""
    try:
        step()
    except NotKeptError as error:
        st.session_state[_FAULT] = str(error)
        return False
    return True


def _show_open(lesson: Lesson, played: Played) -> None:
    """Show the way in beside the answers so far."""
    st.session_state.pop(_PLAYED, None)
    way_in, answers = st.columns([2, 3], gap="large")
    with way_in:
        component.link(
            whole("classroom", f"code={lesson.code}"), "class link", title=say("classroom.code", code=lesson.code)
        )
    with answers:
        st.markdown(f"**{escape_markdown(played.prompt)}**")
        for answer in played.chapter.question.answers:
            st.markdown(f"- {escape_markdown(answer)}")
        hidden = st.toggle(say("classroom.only_number"), value=True, key="class.hidden")
        st.fragment(_show_growing, run_every=LOOK_SECONDS)(lesson, played, hidden)
        show_picture(played)
    with st.expander(say("classroom.about_question"), icon=":material/help:"):
        show_words(played)


def _show_growing(lesson: Lesson, played: Played, hidden: bool) -> None:
    """Show the answers so far; a class that another window revealed or ended is drawn anew."""
    try:
        now = board().find(lesson.code, seat())
        counts = board().counts(lesson.code)
    except NotKeptError as error:
        st.warning(escape_markdown(str(error)), icon=":material/error:")
        return
    if not is_same(lesson, now):
        st.rerun()
    st.markdown(f"##### {say_count('course.answers', sum(counts.values()))}")
    if sum(counts.values()) > 0 and not hidden:
        show_counts(played, counts, revealed=False)


def _show_outcome(lesson: Lesson, played: Played) -> None:
    st.fragment(look, run_every=LOOK_SECONDS)(
        lesson
    )  # another window may go on, and a class that nobody sees makes room
    counts = board().counts(lesson.code)
    question = played.chapter.question
    st.markdown(f"**{escape_markdown(played.prompt)}**")
    close = sum(number for guess, number in counts.items() if _is_right(played, guess))
    run = escape_markdown(question.words(played.truth))
    total, key = sum(counts.values()), f"player.class.{lesson.code}.{played.chapter.name}"
    outcome = (
        say_count("classroom.outcome", total, run=run, right=f"{close:,}")
        if total
        else say("course.the_run_says", answer=run)
    )
    st.markdown(f"##### {outcome}")
    begins = st.session_state.get(_PLAYED) != key
    st.session_state[_PLAYED] = key
    film, answer = st.columns([3, 2], gap="large")
    with film:
        player(
            FILMS.get(played.chapter.name, played.film),
            key=key,
            start="play" if begins else "",
            height=HEIGHT,
            scale=shell_links.player_scale(),
        )
    with answer:
        if total:
            show_counts(played, counts, revealed=True)
            name = f"dpviz-class-{played.chapter.name}.csv"
            csv_button(say("classroom.answers"), lambda: answers_table(played, counts), name, "class.csv")
        show_answer(played, None)
        lead_to_chapter(played.chapter, None, say("classroom.open_chapter"))


def answers_table(played: Played, counts: Mapping[int, int]) -> pd.DataFrame:
    """Return how often each answer to a question was given.

    Parameters
    ----------
    played : Played
    counts : mapping of int to int
        How often, by guess: the position of an answer, or a number.

    Returns
    -------
    pandas.DataFrame
        A row for each answer that can be picked, or for each number that was given, with ``question``, ``answer`` in
        words, ``guess`` (from 1 where answers are picked), ``given`` (how often) and ``right`` (as the run says).
    """
    question = played.chapter.question
    rows = [
        (played.prompt, question.words(guess), guess + bool(question.answers), number, _is_right(played, guess))
        for guess in question.guesses
        if (number := counts.get(guess, 0)) or question.answers
    ]
    return pd.DataFrame(rows, columns=["question", "answer", "guess", "given", "right"])


def _is_right(played: Played, guess: int) -> bool:
    return abs(guess - played.truth) <= (0 if played.chapter.question.answers else played.chapter.question.close)
