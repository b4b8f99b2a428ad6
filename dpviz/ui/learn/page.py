"""The Learn page: a chapter's text and picture, its question, and the reveal once a prediction was made."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpviz.course import (
    CHAPTERS,
    GLOSSARY,
    OF_THIS_DRAW,
    PARTS,
    Chapter,
    Played,
    draft,
    is_played,
    onwards,
    play,
    worksheet,
)
from dpviz.course.chart import WIDEST, drawn
from dpviz.course.figure import caption, data_film, picture
from dpviz.course.glossary import first_uses
from dpviz.text import escape_markdown
from dpviz.ui.learn import progress
from dpviz.ui.learn.bench import bring_bench
from dpviz.ui.learn.guess import answered
from dpviz.ui.learn.image import TALLEST, image, shade
from dpviz.ui.learn.lead_up import lead_up
from dpviz.ui.learn.marks import show_mark
from dpviz.ui.player import player
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.session.kept import Kept
from dpviz.ui.shell import links, navigation
from dpviz.words import say, say_count

HEIGHT = 388
"""Of a film's plots with their strips of sizes, in pixels on a wide screen; above them are knobs."""
FILMS: Kept[bytes] = Kept(50_000_000)
"""Player payloads of the chapters, for all sessions."""
STYLE = """
.st-key-contents {gap: 0}
.st-key-contents button {justify-content: flex-start; min-height: 0; padding: 0.2rem 0.5rem}
.st-key-contents button > div {justify-content: flex-start; text-align: left; width: 100%}
.st-key-film {min-height: 38rem} .st-key-picture {min-height: 35rem} .st-key-chapter-head {padding-top: 0.8rem}
@media (min-width: 1100px) {
  .stMain .st-key-reveal {
    display: grid; grid-template: minmax(10rem, auto) auto / repeat(2, minmax(0, 1fr)); gap: 0 2rem
  }
  .stMain .st-key-reveal > :has(.st-key-film) {grid-column: 1 / -1}
}
@media (max-width: 1099.9px) {
  .stMain .st-key-reveal > :has(> .st-key-said) {order: 1}
}
"""
"""Keeps the places of what the browser makes: on a phone the page would scroll up to its beginning. What the runs show
is said in sight of them, where there is room."""


def show() -> None:
    """Draw the page."""
    progress.LINK.restore(progress.SETTINGS)
    names = progress.NAMES
    number = names.index(progress.chapter_name()) + 1
    _contents(number)
    chapter = CHAPTERS[number - 1]
    guess = progress.guesses().get(chapter.name)
    head = st.container(
        key="chapter-head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    )
    with head:
        st.markdown(f"#### {number}. {escape_markdown(chapter.title)}", width="content")
        if guess is not None:
            _offer_next(number)
    played = _question(chapter) if guess is None else _awaited(chapter)
    if guess is not None:
        _reveal(played, guess)
    progress.LINK.remember(progress.SETTINGS)
    _take_along(played, number)


def _question(chapter: Chapter) -> Played:
    """Show the data, and ask for a prediction once the runs are made; they may take a while, text and data do not."""
    paragraphs = [st.empty() for _ in chapter.text]
    with st.container(key="picture"):
        left, right = st.columns([3, 2], gap="large")
    if not is_played(chapter):
        _fill(paragraphs, draft(chapter))
    with left:
        _stage(chapter)
    with right:
        played = _made(chapter)
        _fill(paragraphs, played.text)
        _ask(played)
    return played


def _stage(chapter: Chapter) -> None:
    """Show the data in a player, in which numbers can be dragged before the prediction."""
    key = f"player.learn.lead.{chapter.name}"
    film = FILMS.get(f"data.{chapter.name}", lambda: data_film(chapter, chapter.scene.load()))
    player(film, key=key, height=HEIGHT, scale=links.player_scale())
    bring_bench(chapter, key, "lead")


def _awaited(chapter: Chapter) -> Played:
    """Show text and data until the runs are made, to those who come by a link."""
    if is_played(chapter):
        return play(chapter)
    place = st.empty()
    with place.container():
        _fill([st.empty() for _ in chapter.text], draft(chapter))
        st.html(_picture(chapter))
        played = _made(chapter)
    place.empty()
    return played


def _made(chapter: Chapter) -> Played:
    with st.spinner(say("learn.runs_are_made"), show_time=True):
        return play(chapter)


def _fill(places: Sequence[DeltaGenerator], paragraphs: Sequence[str]) -> None:
    """Write paragraphs, each with what terms mean that are new in it."""
    seen: set[str] = set()
    for place, paragraph in zip(places, paragraphs, strict=True):
        place.markdown(escape_markdown(paragraph), help=_meanings(paragraph, seen))


def _meanings(words: str, seen: set[str]) -> str | None:
    new: list[str] = []

    def note(used: str, term: str) -> str:
        new.append(f"**{escape_markdown(term)}.** {escape_markdown(GLOSSARY[term])}")
        return used

    first_uses(words, seen, note)
    return "\n\n".join(new) or None


def _reveal(played: Played, guess: int) -> None:
    """Mark the prediction, play the runs, and say what they show: what was asked is below."""
    with st.container(key="reveal"):
        with st.container(key="marked"):
            show_mark(played, guess)
        with st.container(key="said"):
            st.markdown(
                f"{escape_markdown(played.reveal)} **{escape_markdown(played.chapter.lesson)}**",
                help=_meanings(played.reveal, set()),
            )
        with st.container(key="film"):
            _film(played)
    if played.chart is not None:
        st.html(image(drawn(played.chart, shade()), played.chart.words, WIDEST))
    with st.container(horizontal=True):
        _try_it(played)
        st.button(
            say("learn.again"),
            key="learn.again",
            icon=":material/replay:",
            on_click=progress.forget,
            args=(played.chapter.name,),
        )
    st.caption(f"{OF_THIS_DRAW} {escape_markdown(played.chapter.papers)}")
    with st.expander(say("learn.what_was_asked"), icon=":material/help:"):
        for paragraph in (*played.text, played.prompt):
            st.markdown(escape_markdown(paragraph))


def _picture(chapter: Chapter) -> str:
    """Return the data with their caption."""
    dataset = chapter.scene.load()
    words = caption(chapter, dataset)
    drawing = image(picture(chapter, dataset, shade()), words, tallest=TALLEST)
    return f'{drawing}<div style="font-size: 0.875rem">{html.escape(words)}</div>'


def _contents(number: int) -> None:
    """Offer the chapters, with a tick at those with a prediction."""
    made = progress.guesses()
    with st.sidebar:
        navigation.door("story", say("site.all_pages"), ":material/auto_stories:")
        st.caption(say_count("learn.predictions_made", len(made), all=len(CHAPTERS)))
        with st.container(key="contents"):
            for part, chapters in PARTS.items():
                if part:
                    st.caption(escape_markdown(part))
                for place, chapter in chapters:
                    _entry(chapter, place, place == number, chapter.name in made)


def _entry(chapter: Chapter, place: int, is_open: bool, is_predicted: bool) -> None:
    title = f"{place}. {escape_markdown(chapter.title)}"
    st.button(
        f"**{title}**" if is_open else title,
        key=f"learn.open.{chapter.name}",
        icon=":material/check:" if is_predicted else None,
        type="secondary" if is_open else "tertiary",
        width="stretch",
        on_click=progress.open_chapter,
        args=(chapter.name,),
    )


def _ask(played: Played) -> None:
    """Ask for a prediction; the reveal comes with it, not before."""
    chapter = played.chapter
    question = chapter.question
    with st.form(f"learn.ask.{chapter.name}"):
        st.markdown(f"**{say('learn.your_prediction')}** {escape_markdown(played.prompt)}")
        picked = answered(played, f"learn.{chapter.name}")
        asked = st.form_submit_button(say("course.reveal"), type="primary")
    if not asked:
        return
    if picked is None:
        st.info(say("learn.pick_first" if question.answers else "bench.predict_first"))
        return
    progress.predict(chapter.name, picked)
    st.rerun()


def _film(played: Played) -> None:
    """Play the runs as large as the picture was, and lead those who have just asked up to it."""
    chapter = played.chapter
    key = f"learn.film.{chapter.name}"
    begin = key not in st.session_state
    st.session_state.setdefault(key, True)
    lead_up(chapter.name)
    player(
        FILMS.get(chapter.name, played.film),
        key=f"player.{key}",
        start="play" if begin else "",
        height=HEIGHT,
        scale=links.player_scale(),
        editable=played.dataset.n_features == 2,
    )
    bring_bench(chapter, f"player.{key}")


def _offer_next(number: int) -> None:
    """Offer the next chapter, if there is one."""
    if words := onwards(number):
        st.button(
            escape_markdown(words),
            key="learn.next",
            type="primary",
            on_click=progress.open_chapter,
            args=(CHAPTERS[number].name,),
        )


def _try_it(played: Played) -> None:
    """Open the last of the played runs in Explore, with its data."""
    chapter = played.chapter
    choice = DataChoice(chapter.scene.source, chapter.scene.name).with_options(**dict(chapter.scene.options))
    config = chapter.runs[played.shown[-1]]
    links.open_button(config, choice, "learn.try", say("learn.try_it"))


def _take_along(played: Played, number: int) -> None:
    with st.expander(say("learn.for_lecturers"), icon=":material/school:"):
        st.markdown(say("learn.about_lecturers"))
        navigation.door("classroom", say("learn.ask_class"), ":material/co_present:", {"chapter": played.chapter.name})
        st.download_button(
            say("learn.worksheet"),
            lambda: worksheet(played, number),
            file_name=f"dpviz-{number}-{played.chapter.name}.html",
            mime="text/html",
            key="learn.worksheet",
            on_click="ignore",
        )
