"""The chapters of the course in their order. Every number in their texts comes from their runs."""

from __future__ import annotations

from dpviz.course.chapter import Chapter
from dpviz.course.chapters.inference import AGREEMENT, GIANT, LUCK, OVERLAP, SAMPLING, THEATRE
from dpviz.course.chapters.k_means import DENSITY, HOW_MANY, OUTLIERS, SPHERES
from dpviz.course.chapters.model import GROWTH, PRICE, RICH, WIDTH
from dpviz.course.chapters.tables import KINDS, MISSING

CHAPTERS: tuple[Chapter, ...] = (
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
