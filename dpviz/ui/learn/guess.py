"""The line for a prediction, on a Streamlit page."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st

from dpviz.course import Question
from dpviz.course.guess import guess_facts, guess_styles
from dpviz.scripts import script


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
    guess = _component()(key=key, data=facts, on_guess_change=_nothing).get("guess")
    return guess if type(guess) is int and guess in question.guesses else given


@functools.cache
def _component() -> Callable[..., Any]:
    mount: Callable[..., Any] = st.components.v2.component("dpviz_guess", css=guess_styles(), js=script("guess"))
    return mount


def _nothing() -> None:
    """Stand in for a callback: Streamlit only returns the values that have one."""
