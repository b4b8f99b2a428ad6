"""The Learn page: a chapter's text and picture, its question, and the reveal once a prediction was made."""

from __future__ import annotations

import base64
import html
import re

import streamlit as st

from dpviz.course import CHAPTERS, Played, mark, play, worksheet
from dpviz.course.figure import caption, picture
from dpviz.text import escape_markdown
from dpviz.ui.learn import links
from dpviz.ui.player import player
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.kept import Kept
from dpviz.ui.shell import links as shell_links

FILMS: Kept[bytes] = Kept(50_000_000)
"""Player payloads of the chapters, for all sessions."""
STYLE = ".st-key-film [data-testid=stColumn]:first-child {min-height: 38rem}"
"""Keeps the film's place before the browser has made it: on a phone the page would scroll up to its beginning."""


def show() -> None:
    """Draw the page."""
    links.restore()
    names = links.NAMES
    number = names.index(links.chapter_name()) + 1
    _contents(number)
    with st.spinner("The runs of this chapter are made …", show_time=True):
        played = play(CHAPTERS[number - 1])
    st.markdown(f"#### {number}. {escape_markdown(played.chapter.title)}")
    for paragraph in played.text:
        st.markdown(escape_markdown(paragraph))
    guess = links.guesses().get(played.chapter.name)
    with st.container(key="picture" if guess is None else "film"):
        left, right = st.columns([3, 2], gap="large")
    with left:
        if guess is None:
            st.html(_picture(played))
        else:
            _film(played)
    with right:
        if guess is None:
            _ask(played)
        else:
            _answer(played, guess)
    if guess is not None:
        _lead_on(played, number)
    links.remember()
    _take_along(played, number)


def _picture(played: Played) -> str:
    """Return the data as an image with a text in its place, which Streamlit's own images do not have."""
    words = html.escape(caption(played))
    drawing = picture(played)
    data = base64.b64encode(drawing.encode()).decode()
    size = " ".join(re.findall(r'\b(?:width|height)="\d+"', drawing)[:2])  # keeps its place until it is decoded
    style = "width: 100%; height: auto; max-width: 46rem"
    image = f'<img src="data:image/svg+xml;base64,{data}" alt="{words}" {size} style="{style}">'
    return f'{image}<div style="font-size: 0.875rem">{words}</div>'


def _contents(number: int) -> None:
    """Offer the chapters, with a tick at those with a prediction."""
    made = links.guesses()
    with st.sidebar:
        st.caption(f"{len(made)} of {len(CHAPTERS)} predictions made")
        for place, chapter in enumerate(CHAPTERS, start=1):
            st.button(
                f"{place}. {chapter.title}",
                key=f"learn.open.{chapter.name}",
                icon=":material/check:" if chapter.name in made else None,
                type="primary" if place == number else "secondary",
                width="stretch",
                on_click=links.open_chapter,
                args=(chapter.name,),
            )


def _ask(played: Played) -> None:
    """Ask for a prediction; the reveal comes with it, not before."""
    chapter = played.chapter
    question = chapter.question
    with st.form(f"learn.ask.{chapter.name}"):
        st.markdown(f"**Your prediction.** {escape_markdown(played.prompt)}")
        if question.answers:
            picked = st.radio(
                played.prompt, question.guesses, index=None, key=f"learn.pick.{chapter.name}",
                format_func=lambda place: question.answers[place], label_visibility="collapsed",
            )  # fmt: skip
        else:
            picked = st.slider(
                f"{played.prompt} ({question.unit})", question.lower, question.upper, question.start,
                key=f"learn.slide.{chapter.name}", label_visibility="collapsed", format=f"%d {question.unit}",
            )  # fmt: skip
        asked = st.form_submit_button("Reveal", type="primary")
    if not asked:
        return
    if picked is None:
        st.info("Pick an answer first: a prediction, even a wrong one, makes the answer stay.")
        return
    links.predict(chapter.name, picked)
    st.rerun()


def _answer(played: Played, guess: int) -> None:
    """Quote the prediction, and reveal the runs' answer."""
    marked = mark(played, guess)
    st.markdown(f"**{escape_markdown(played.prompt)}**")
    (st.success if marked.is_right else st.warning)(
        escape_markdown(marked.words), icon=":material/check_circle:" if marked.is_right else ":material/lightbulb:"
    )
    st.markdown(escape_markdown(played.reveal))
    st.markdown(f"**{escape_markdown(played.chapter.lesson)}**")


def _film(played: Played) -> None:
    """Play the runs, where the picture was: there it is in sight."""
    chapter = played.chapter
    key = f"learn.film.{chapter.name}"
    begin = key not in st.session_state
    st.session_state.setdefault(key, True)
    player(
        FILMS.get(chapter.name, played.film),
        key=f"player.{key}",
        start="play" if begin else "",
        scale=shell_links.player_scale(),
    )


def _lead_on(played: Played, number: int) -> None:
    """Offer to try the runs, to predict again, and the next chapter."""
    chapter = played.chapter
    left, middle, right = st.columns(3)
    with left:
        _try_it(played)
    middle.button(
        "Predict again",
        key="learn.again",
        icon=":material/replay:",
        width="stretch",
        on_click=links.forget,
        args=(chapter.name,),
    )
    if number < len(CHAPTERS):
        following = CHAPTERS[number]
        right.button(
            f"Next: {following.title}", key="learn.next", type="primary", width="stretch",
            on_click=links.open_chapter, args=(following.name,),
        )  # fmt: skip


def _try_it(played: Played) -> None:
    """Open the last of the played runs in Explore, with its data."""
    chapter = played.chapter
    choice = DataChoice(chapter.scene.source, chapter.scene.name).with_options(**dict(chapter.scene.options))
    config = chapter.runs[played.shown[-1]]
    shell_links.open_button(config, choice, "learn.try", "Try it yourself in Explore")


def _take_along(played: Played, number: int) -> None:
    with st.expander("For lecturers", icon=":material/school:"):
        st.markdown(
            "The address of this page brings others to this chapter at this step. `dpviz course --out DIR` writes the "
            "whole course as pages that play without a server or a network, with worksheets and an answer sheet."
        )
        st.download_button(
            "Worksheet of this chapter (HTML, for printing)",
            lambda: worksheet(played, number),
            file_name=f"dpviz-{number}-{played.chapter.name}.html",
            mime="text/html",
            key="learn.worksheet",
            on_click="ignore",
        )
