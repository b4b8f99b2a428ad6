"""The list of lessons: title, one line and kind of each; a press opens it on the page of its kind."""

from __future__ import annotations

import streamlit as st

from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.learn.entries import ENTRIES, PAGES, Entry
from dpviz.ui.learn.image import illustrated, shade
from dpviz.ui.shell import navigation
from dpviz.words import say

EVERY = "All"
"""In place of a kind."""
ICONS = {"Chapter": ":material/school:", "Run": ":material/play_circle:", "Comparison": ":material/compare:"}
SEEN, _OPENED = ":material/check:", "lessons opened"
STYLE = """
.stMain [class*="st-key-lessons-of"] {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 0.6rem 1.5rem
}
.stMain [class*="st-key-lessons-of"] > * {min-width: 0}
[class*="st-key-lessons-of"] button {justify-content: flex-start; text-align: left; white-space: normal}
[class*="st-key-lessons-of"] button p {font-weight: 600}
"""


def show() -> None:
    """Draw the page."""
    st.markdown(f"#### {say('lessons.heading')}")
    _lead_in()
    kind = widgets.segments(
        say("lessons.kind"), "lessons.kind", [EVERY, *PAGES], format_func=lambda own: say(f"lessons.kinds.{own}")
    )
    for own in PAGES if kind == EVERY else (kind,):
        st.markdown(f"##### {say(f'lessons.headings.{own}')}")
        with st.container(key=f"lessons-of-{own}"):
            for number, entry in enumerate(ENTRIES):
                if entry.kind == own:
                    _offer(number, entry)


def _lead_in() -> None:
    """Offer the first lesson to begin with, or the first that was not opened yet."""
    left = [number for number in range(len(ENTRIES)) if number not in _opened()]
    if not left:
        return
    title = escape_markdown(ENTRIES[left[0]].title)
    if st.button(
        say("lessons.go_on" if _opened() else "lessons.start_here", title=title),
        key="lessons.next",
        type="primary",
        icon=":material/play_arrow:",
    ):
        _open(left[0])


def _opened() -> set[int]:
    """Places, in the list, of the lessons that this session has opened."""
    opened: set[int] = st.session_state.setdefault(_OPENED, set())
    return opened


def _offer(number: int, entry: Entry) -> None:
    icon = SEEN if number in _opened() else ICONS[entry.kind]
    with illustrated(entry.picture(shade())):
        pressed = st.button(escape_markdown(entry.title), key=f"lesson.{number}", type="tertiary", icon=icon)
        st.caption(escape_markdown(entry.line))
    if pressed:
        _open(number)


def _open(number: int) -> None:
    _opened().add(number)
    entry = ENTRIES[number]
    entry.prepare()
    page = PAGES[entry.kind]
    navigation.go_to(page, escape_markdown(say("lessons.is_set_up", page=navigation.PAGES[page].title)))
