"""What came of a prediction or a try: whether it is right, in words, and for numbers on a line."""

from __future__ import annotations

import streamlit as st

from dpviz.course import Played, mark
from dpviz.course.chart import AXIS_STYLE, answer_axis
from dpviz.text import escape_markdown


def say_mark(is_right: bool, words: str, icon_if_right: str = ":material/check_circle:") -> None:
    """Say what came of it."""
    box, icon = (st.success, icon_if_right) if is_right else (st.info, ":material/lightbulb:")
    box(escape_markdown(words), icon=icon)


def show_mark(played: Played, guess: int) -> None:
    """Say what came of a prediction, and draw how far a number is from the runs' answer."""
    question = played.chapter.question
    say_mark(*mark(played, guess))
    if not question.answers:
        axis = answer_axis(question.lower, question.upper, guess, played.truth, question.unit)
        st.html(f"<style>{AXIS_STYLE}</style>{axis}")
