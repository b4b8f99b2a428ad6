"""The line for a prediction, on a Streamlit page."""

from __future__ import annotations

import streamlit as st

from dpviz.course import Played, Question
from dpviz.course.guess import guess_facts, guess_styles
from dpviz.scripts import script
from dpviz.ui.mounting import component, nothing


def answered(played: Played, key: str, given: int | None = None) -> int | None:
    """Ask for an answer of a chapter's question: one of some, or a number; None until one was chosen.

    Parameters
    ----------
    played : Played
    key : str
        With which those of the controls begin.
    given : int, optional
        The answer that was sent before.
    """
    question = played.chapter.question
    if not question.answers:
        return guess_number(question, played.prompt, f"{key}.slide", given)
    return st.radio(
        played.prompt,
        question.guesses,
        index=given,
        key=f"{key}.pick",
        format_func=lambda place: question.answers[place],
        label_visibility="collapsed",
    )


def guess_number(question: Question, prompt: str, key: str, given: int | None = None) -> int | None:
    """Ask for a number; None until one was chosen.

    Parameters
    ----------
    question : Question
    prompt : str
        What is asked.
    key : str
    given : int, optional
        The number that was sent before.
    """
    facts = guess_facts(question, f"{prompt} ({question.unit})", given)
    guess = _component()(key=key, data=facts, on_guess_change=nothing).get("guess")
    return guess if type(guess) is int and guess in question.guesses else given


_component = component("dpviz_guess", lambda: script("guess"), guess_styles)
