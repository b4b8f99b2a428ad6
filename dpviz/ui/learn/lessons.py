"""The list of lessons: title, one line and kind of each; a press opens it on the page of its kind."""

from __future__ import annotations

import streamlit as st

from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.learn.entries import ENTRIES, PAGES, Entry
from dpviz.ui.shell import navigation

EVERY = "All"
ICONS = {"Chapter": ":material/school:", "Run": ":material/play_circle:", "Comparison": ":material/compare:"}
STYLE = """
.stMain .st-key-lessons {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 0.6rem 1.5rem
}
.stMain .st-key-lessons > * {min-width: 0}
.st-key-lessons button {justify-content: flex-start; text-align: left; white-space: normal}
.st-key-lessons button p {font-weight: 600}
"""


def show() -> None:
    """Draw the page."""
    st.markdown("#### Lessons")
    kind = widgets.segments("Kind", "lessons.kind", [EVERY, *PAGES])
    with st.container(key="lessons"):
        for number, entry in enumerate(ENTRIES):
            if kind in (EVERY, entry.kind):
                _offer(number, entry)


def _offer(number: int, entry: Entry) -> None:
    with st.container(gap=None):
        pressed = st.button(escape_markdown(entry.title), key=f"lesson.{number}", type="tertiary",
                            icon=ICONS[entry.kind])  # fmt: skip
        st.caption(escape_markdown(f"{entry.kind}: {entry.line}"))
    if pressed:
        entry.prepare()
        page = PAGES[entry.kind]
        words = f"The lesson is set up; open the page {navigation.PAGES[page].title} to see it."
        navigation.go_to(page, escape_markdown(words))
