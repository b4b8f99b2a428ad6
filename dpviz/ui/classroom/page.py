"""The Class page: the way into a class, and for lecturers the way to open one."""

from __future__ import annotations

import streamlit as st

from dpviz.course import BY_NAME, CHAPTERS, PARTS, Chapter, chapter_named, index_page, play
from dpviz.course.index import HOW_LONG, Entry, entry
from dpviz.errors import NotKeptError
from dpviz.text import escape_markdown
from dpviz.ui.classroom import attend, lecture
from dpviz.ui.classroom.questions import lead_to_chapter
from dpviz.ui.classroom.seats import seat
from dpviz.ui.learn.image import illustrated, shade
from dpviz.ui.learn.thumbnails import of_chapter
from dpviz.ui.session.board import CODE_LENGTH, board, written_code
from dpviz.ui.shell.page_link import READ_PARAMETERS, write
from dpviz.words import say

CODE, CHAPTER = "code", "chapter"
READ_PARAMETERS |= {CODE, CHAPTER}
STYLE = """
.st-key-class-head {padding-top: 1rem}
.stMain [class*="st-key-class-chapters"] {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 0.6rem 1.5rem
}
.stMain [class*="st-key-class-chapters"] > * {min-width: 0}
[class*="st-key-class-chapters"] button {justify-content: flex-start; text-align: left; white-space: normal}
[class*="st-key-class-chapters"] button p {font-weight: 600}
"""


def show() -> None:
    """Draw the page."""
    try:
        _show()
    except NotKeptError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        if st.button(say("classroom.try_again"), key="class.again", icon=":material/refresh:"):
            st.rerun()


def _show() -> None:
    ended = st.session_state.pop(lecture.ENDED, None)
    code = written_code(st.query_params.get(CODE, ""))
    lesson = board().find(code, seat()) if code else None
    if lesson is not None and lesson.chapter in BY_NAME:
        (lecture if lesson.is_own else attend).show(lesson)
        return
    st.markdown(f"#### {say('classroom.heading')}")
    attended = attend.last()
    if ended is not None:
        write({CODE: None})
        st.success(say("classroom.ended"), icon=":material/check_circle:")
        lead_to_chapter(BY_NAME[ended], None, say("classroom.open_chapter"))
    elif attended is not None and code == attended.code:
        st.info(say("classroom.this_ended"), icon=":material/check_circle:")
        lead_to_chapter(BY_NAME[attended.chapter], attended.given, say("classroom.watch"))
    elif code:
        st.warning(say("classroom.no_such", code=escape_markdown(code)), icon=":material/search_off:")
    elif attended is not None:
        _lead_back(attended.code)
    _join()
    _list_own()
    _offer_chapters()


def _lead_back(code: str) -> None:
    """Lead a student who has looked at other pages back to the class."""
    if board().find(code, seat()) is None:
        return
    words = say("classroom.back", code=escape_markdown(code))
    if st.button(words, key="class.back", type="primary", icon=":material/groups:"):
        write({CODE: code})
        st.rerun()


def _join() -> None:
    with st.form("class.join", width=480), st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            say("classroom.your_code"), key="class.code", max_chars=2 * CODE_LENGTH, placeholder="KFTMB"
        )
        sent = st.form_submit_button(say("classroom.join"), type="primary")
    if sent and written_code(text):
        write({CODE: written_code(text)})
        st.rerun()


def _list_own() -> None:
    """List the classes that this browser has open: a lecturer may have closed their window."""
    own = [lesson for lesson in board().own(seat()) if lesson.chapter in BY_NAME]
    if not own:
        return
    st.markdown(f"##### {say('classroom.yours')}")
    for lesson in own:
        words = f"{lesson.code}: {BY_NAME[lesson.chapter].title}"
        if st.button(escape_markdown(words), key=f"class.own.{lesson.code}", icon=":material/groups:"):
            write({CODE: lesson.code})
            st.rerun()


def _offer_chapters() -> None:
    """Offer the chapters whose question a class can answer, first the one that the address names."""
    asked = chapter_named(st.query_params.get(CHAPTER))
    st.markdown(f"##### {say('classroom.ask_heading')}")
    st.caption(say("classroom.about_asking"))
    if asked is not None:
        words = escape_markdown(say("classroom.ask", title=asked.title))
        if st.button(words, key="class.ask", type="primary", icon=":material/co_present:"):
            _open(asked)
    for place, (part, chapters) in enumerate(PARTS.items()):
        if part:
            st.markdown(f"##### {escape_markdown(part)}")
        with st.container(key=f"class-chapters-{place}"):
            for number, chapter in chapters:
                _offer(entry(chapter, number), chapter)
    st.caption(HOW_LONG)
    st.download_button(
        say("classroom.glance"),
        lambda: index_page([play(chapter) for chapter in CHAPTERS]),
        file_name="dpviz-course.html",
        mime="text/html",
        key="class.index",
        on_click="ignore",
        icon=":material/print:",
    )


def _offer(own: Entry, chapter: Chapter) -> None:
    with illustrated(of_chapter(chapter, shade())):
        words = escape_markdown(f"{own.number}. {own.title}")
        pressed = st.button(words, key=f"class.open.{chapter.name}", type="tertiary", icon=":material/co_present:")
        st.caption(escape_markdown(f"{say('index.minutes', n=own.minutes)} · {own.about}"))
    if pressed:
        _open(chapter)


def _open(chapter: Chapter) -> None:
    write({CODE: board().open(chapter.name, chapter.question.guesses, seat()), CHAPTER: None})
    st.rerun()
