"""The line for a prediction, on a Streamlit page."""

from __future__ import annotations

from dpviz.course import Question
from dpviz.course.guess import guess_facts, guess_styles
from dpviz.scripts import script
from dpviz.ui.mounting import component, nothing


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
