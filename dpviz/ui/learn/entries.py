"""Everything there is to learn from, as one list: the chapters of the course, single runs, and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

from dpviz.course import CHAPTERS
from dpviz.ui.compare import page as compare
from dpviz.ui.explore.showing import showing
from dpviz.ui.learn import progress
from dpviz.ui.learn.thumbnails import of_chapter, of_choice
from dpviz.ui.session.lesson import Lesson
from dpviz.ui.stage.lessons import COMPARISONS, PRESETS

Kind = Literal["Chapter", "Run", "Comparison"]
PAGES: dict[Kind, str] = {"Chapter": "learn", "Run": "explore", "Comparison": "compare"}
"""The page that each kind of lesson opens on."""


class Entry(NamedTuple):
    """One lesson.

    Attributes
    ----------
    kind : {"Chapter", "Run", "Comparison"}
        A chapter asks for a prediction first, a run is played, a comparison shows several methods side by side.
    title, line : str
        Its name, and one sentence.
    prepare : callable
        Sets the session up so that the page of its kind opens with it.
    picture : callable
        Returns its data as HTML, for paper of a shade.
    """

    kind: Kind
    title: str
    line: str
    prepare: Callable[[], None]
    picture: Callable[[str], str]


def _run(preset: Lesson) -> None:
    showing().lesson = preset


def _comparison(comparison: Lesson) -> None:
    compare.ask_for(comparison)


ENTRIES = (
    *(
        Entry("Chapter", own.title, own.about, partial(progress.open_chapter, own.name), partial(of_chapter, own))
        for own in CHAPTERS
    ),
    *(Entry("Run", own.title, own.watch, partial(_run, own), partial(of_choice, own.choice)) for own in PRESETS),
    *(
        Entry("Comparison", own.title, own.watch, partial(_comparison, own), partial(of_choice, own.choice))
        for own in COMPARISONS
    ),
)
"""All lessons, in the order of their list."""
