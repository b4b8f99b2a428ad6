"""A chapter's question and its answer, as students and lecturers see them in class."""

from __future__ import annotations

import html

import streamlit as st

from dpviz.course import OF_THIS_DRAW, Chapter, Played
from dpviz.course.chart import WIDEST, drawn
from dpviz.course.figure import caption, picture
from dpviz.course.histogram import histogram, in_words
from dpviz.text import escape_markdown
from dpviz.ui.learn import progress
from dpviz.ui.learn.guess import answered
from dpviz.ui.learn.image import TALLEST, image, shade
from dpviz.ui.learn.marks import show_mark
from dpviz.ui.shell import navigation
from dpviz.words import say


def show_data(played: Played) -> None:
    """Show what is asked about: the introduction, and the data."""
    show_words(played)
    show_picture(played)


def show_words(played: Played) -> None:
    """Show the introduction."""
    for paragraph in played.text:
        st.markdown(escape_markdown(paragraph))


def show_picture(played: Played) -> None:
    """Show the data."""
    words = caption(played.chapter, played.dataset)
    st.html(
        f"{image(picture(played.chapter, played.dataset, shade()), words, tallest=TALLEST)}"
        f'<div style="font-size: 0.875rem">{html.escape(words)}</div>'
    )


def ask(played: Played, given: int | None) -> int | None:
    """Ask for an answer; None unless one was sent just now."""
    key = f"class.{played.chapter.name}"
    with st.form(f"{key}.form"):
        st.markdown(f"**{escape_markdown(played.prompt)}**")
        picked = answered(played, key, given)
        sent = st.form_submit_button(say("classroom.send"), type="primary")
    if sent and picked is None:
        st.info(say("classroom.pick_first"))
    return picked if sent else None


def show_counts(played: Played, counts: dict[int, int], *, revealed: bool) -> None:
    """Show how often each answer was given, and after the reveal the right one."""
    question, truth = played.chapter.question, played.truth if revealed else None
    words = in_words(question, counts, truth)
    st.html(image(histogram(question, counts, truth, shade()), words, "70rem"))


def show_answer(played: Played, given: int | None) -> None:
    """Say what the runs say, and how far an answer was from it."""
    if given is not None:
        show_mark(played, given)
    st.markdown(f"{escape_markdown(played.reveal)} **{escape_markdown(played.chapter.lesson)}**")
    if played.chart is not None:
        st.html(image(drawn(played.chart, shade()), played.chart.words, WIDEST))
    st.caption(OF_THIS_DRAW)


def lead_to_chapter(chapter: Chapter, given: int | None, words: str) -> None:
    """Offer the chapter in the course, where its runs play."""
    if st.button(words, key="class.chapter", icon=":material/school:"):
        progress.open_chapter(chapter.name)
        if given is not None:
            progress.predict(chapter.name, given)
        navigation.go_to("learn", say("classroom.is_set_up", page=navigation.PAGES["learn"].title))
