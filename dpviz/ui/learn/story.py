"""The Story page: the article with which a site begins, in a frame and as a file."""

from __future__ import annotations

from functools import cache

import streamlit as st

from dpviz.story import story_page
from dpviz.words import say

STYLE = ".st-key-story-head {padding-top: 0.8rem}"


def show() -> None:
    """Draw the page."""
    head = st.container(
        key="story-head", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    )
    head.markdown(f"#### {say('site.all_pages')}", width="content")
    head.download_button(
        say("learn.story_file"),
        _story,
        file_name="dpviz-story.html",
        mime="text/html",
        key="learn.story_file",
        on_click="ignore",
    )
    st.iframe(_story(), alt=say("story.title"))


@cache
def _story() -> str:
    """Return the article, which leads nowhere: in a frame there is no other page."""
    return story_page()
