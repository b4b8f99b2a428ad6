"""The list of lessons: title, one line and kind of each; a press opens it on the page of its kind."""

from __future__ import annotations

import streamlit as st

from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.learn.entries import ENTRIES, PAGES, Entry
from dpviz.ui.shell import navigation

EVERY = "All"
HEADINGS = {
    "Chapter": "Chapters: predict, then see", "Run": "Runs: one method at work",
    "Comparison": "Comparisons: methods side by side",
}  # fmt: skip
ICONS = {"Chapter": ":material/school:", "Run": ":material/play_circle:", "Comparison": ":material/compare:"}
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
    st.markdown("#### Lessons")
    kind = widgets.segments("Kind", "lessons.kind", [EVERY, *PAGES])
    for own in PAGES if kind == EVERY else (kind,):
        st.markdown(f"##### {HEADINGS[own]}")
        with st.container(key=f"lessons-of-{own}"):
            for number, entry in enumerate(ENTRIES):
                if entry.kind == own:
                    _offer(number, entry)


def _offer(number: int, entry: Entry) -> None:
    with st.container(gap=None):
        pressed = st.button(escape_markdown(entry.title), key=f"lesson.{number}", type="tertiary",
                            icon=ICONS[entry.kind])  # fmt: skip
        st.caption(escape_markdown(entry.line))
    if pressed:
        entry.prepare()
        page = PAGES[entry.kind]
        words = f"The lesson is set up; open the page {navigation.PAGES[page].title} to see it."
        navigation.go_to(page, escape_markdown(words))
