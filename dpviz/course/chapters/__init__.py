"""The chapters of the course in their order. Every number in their texts comes from their runs, or from this order."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

from dpviz.course.chapter import Chapter
from dpviz.course.chapters.inference import AGREEMENT, GIANT, LUCK, OVERLAP, SAMPLING, THEATRE
from dpviz.course.chapters.k_means import HOW_MANY, SPHERES
from dpviz.course.chapters.model import GROWTH, PRICE, RICH, WIDTH
from dpviz.course.chapters.question import QUESTION
from dpviz.course.chapters.tables import KINDS, MISSING
from dpviz.words import say

_PARTS = {
    "": (SPHERES, HOW_MANY, PRICE, RICH, WIDTH, LUCK, SAMPLING, OVERLAP, GROWTH, KINDS, MISSING, QUESTION),
    say("course.appendix"): (GIANT, AGREEMENT, THEATRE),
}
_ORDER = [chapter for chapters in _PARTS.values() for chapter in chapters]
NUMBERS = SimpleNamespace(**{chapter.name: number for number, chapter in enumerate(_ORDER, start=1)})
"""Numbers of chapters by name, from 1; texts have ``{chapter.name}`` for one."""


def _numbered(chapter: Chapter) -> Chapter:
    def filled(text: str) -> str:
        return re.sub(r"\{chapter\.([\w-]+)\}", lambda found: str(getattr(NUMBERS, found[1])), text)

    return replace(chapter, text=tuple(map(filled, chapter.text)), reveal=filled(chapter.reveal))


CHAPTERS = tuple(map(_numbered, _ORDER))
BY_NAME = {chapter.name: chapter for chapter in CHAPTERS}
PARTS = {
    title: tuple((getattr(NUMBERS, own.name), BY_NAME[own.name]) for own in part) for title, part in _PARTS.items()
}
"""Chapters with their numbers, by the heading of the part of the course that they are in; the first has none."""


def onwards(number: int) -> str:
    """Say which chapter comes after one, by its number from 1, and which part begins with it; empty after the last."""
    if number == len(CHAPTERS):
        return ""
    title = CHAPTERS[number].title
    part = next((part for part, chapters in PARTS.items() if chapters[0][0] == number + 1), "")
    return say("course.next_part", part=part, title=title) if part else say("course.next", title=title)


_FOLDED = {"density": SPHERES.name, "outliers": SPHERES.name}
"""Chapters that others hold now, which addresses and classes may still name."""


def chapter_named(name: object) -> Chapter | None:
    """Return the chapter that an address or a class means by a name, if there is one."""
    return BY_NAME.get(_FOLDED.get(name, name)) if isinstance(name, str) else None
