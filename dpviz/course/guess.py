"""A line on which a number is predicted; nothing is predicted until it is touched."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from dpviz.course.chapter import Question

_STYLES = Path(__file__).parent / "assets" / "guess.css"


def guess_facts(question: Question, label: str, given: int | None = None) -> dict[str, Any]:
    """Return what the script asks a number by.

    Parameters
    ----------
    question : Question
        Without answers to pick from.
    label : str
        What is asked, for those who do not see the line.
    given : int, optional
        The number that was predicted before.
    """
    return {
        "low": question.lower,
        "high": question.upper,
        "start": question.start,
        "unit": question.unit,
        "label": label,
        "given": given,
    }


@cache
def guess_styles() -> str:
    """Return its style sheet."""
    return _STYLES.read_text(encoding="utf-8")
