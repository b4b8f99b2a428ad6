"""The chapters of the course in their order. Every number in their texts comes from their runs, or from this order."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

from dpviz.course.chapter import Chapter
from dpviz.course.chapters.inference import AGREEMENT, GIANT, LUCK, OVERLAP, SAMPLING, THEATRE
from dpviz.course.chapters.k_means import DENSITY, HOW_MANY, OUTLIERS, SPHERES
from dpviz.course.chapters.model import GROWTH, PRICE, RICH, WIDTH
from dpviz.course.chapters.tables import KINDS, MISSING

_ORDER = (
    SPHERES,
    DENSITY,
    OUTLIERS,
    HOW_MANY,
    PRICE,
    RICH,
    WIDTH,
    GIANT,
    LUCK,
    SAMPLING,
    OVERLAP,
    GROWTH,
    AGREEMENT,
    THEATRE,
    KINDS,
    MISSING,
)
NUMBERS = SimpleNamespace(**{chapter.name: number for number, chapter in enumerate(_ORDER, start=1)})
"""Numbers of chapters by name, from 1; texts have ``{chapter.name}`` for one."""


def _numbered(chapter: Chapter) -> Chapter:
    def filled(text: str) -> str:
        return re.sub(r"\{chapter\.([\w-]+)\}", lambda found: str(getattr(NUMBERS, found[1])), text)

    return replace(chapter, text=tuple(map(filled, chapter.text)), reveal=filled(chapter.reveal))


CHAPTERS = tuple(map(_numbered, _ORDER))
