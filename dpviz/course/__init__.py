"""A course in short chapters: data, a prediction to make, and the runs' answer.

Chapters do not depend on pages. The Learn page draws them, and :func:`write_course` writes them as files that play
without a server or a network; :func:`write_site` adds the story and the lab.
"""

from __future__ import annotations

from dpviz.course.chapter import OF_THIS_DRAW, Chapter, Marked, Played, Question, Scene, draft, is_played, mark, play
from dpviz.course.chapters import BY_NAME, CHAPTERS, PARTS, chapter_named, onwards
from dpviz.course.glossary import GLOSSARY
from dpviz.course.index import index_page
from dpviz.course.offline import write_course
from dpviz.course.site import write_package, write_site
from dpviz.course.worksheets import answer_sheet, worksheet

__all__ = [
    "BY_NAME",
    "CHAPTERS",
    "GLOSSARY",
    "OF_THIS_DRAW",
    "PARTS",
    "Chapter",
    "Marked",
    "Played",
    "Question",
    "Scene",
    "answer_sheet",
    "chapter_named",
    "draft",
    "index_page",
    "is_played",
    "mark",
    "onwards",
    "play",
    "worksheet",
    "write_course",
    "write_package",
    "write_site",
]
