"""The parts of a chapter, and the marking of a prediction against its runs."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from dpviz import datasets
from dpviz.config import RunConfig
from dpviz.course.chart import Chart
from dpviz.course.claims import Claim
from dpviz.course.draws import rounded
from dpviz.course.treatments import Treatment
from dpviz.course.trial import Trial
from dpviz.datasets import Dataset, Display
from dpviz.engine.algorithms.base import describe
from dpviz.engine.trace import Trace
from dpviz.errors import require
from dpviz.fit.run import run
from dpviz.player.alignment import match_labels
from dpviz.player.data import PanelData
from dpviz.player.notebook import Table
from dpviz.player.payload import build_payload
from dpviz.player.run_panel import panel
from dpviz.player.tracking import Integers
from dpviz.words import say, say_count

OF_THIS_DRAW = say("course.of_this_draw")


@dataclass(frozen=True)
class Scene:
    """Data by name.

    Attributes
    ----------
    source : {"synthetic", "bundled"}
    name : str
        Of a scenario or of a bundled table.
    options : tuple of (str, number)
        Of the scenario.
    """

    source: str
    name: str
    options: tuple[tuple[str, float], ...] = ()

    def load(self) -> Dataset:
        """Draw or read the data; drawn values are rounded as they are in a page, which so makes the same runs.

        A single group is none: there is nothing to agree with.
        """
        if self.source == "bundled":
            return datasets.load(self.name)
        dataset = datasets.synthesize(self.name, **dict(self.options))  # type: ignore[arg-type]
        if dataset.labels is not None and not np.ptp(dataset.labels):
            dataset = replace(dataset, labels=None, label_names=None)
        return rounded(dataset)


@dataclass(frozen=True)
class Question:
    """The question of a chapter: its answer is one of several, or a number.

    Attributes
    ----------
    prompt : str
        The question, with facts in braces that are filled in.
    answers : tuple of str
        Answers to pick from; empty if the answer is a number.
    lower, upper, start : int
        Range of the number, and where keys begin on the line; nothing is predicted until it is touched.
    unit : str
        Unit of the number in the plural, such as ``"clusters"``.
    counted : str
        Key of the text that says a number with its unit.
    within, of_things : bool
        Whether the unit says of how many, and whether numbers count things, so that there are fewer or more of them.
    close : int
        Largest error of a number that counts as right.
    """

    prompt: str = ""
    answers: tuple[str, ...] = ()
    lower: int = 0
    upper: int = 0
    start: int = 0
    unit: str = ""
    close: int = 0
    counted: str = ""
    within: bool = False
    of_things: bool = False

    @property
    def guesses(self) -> range:
        """All possible guesses: positions of answers, or numbers."""
        return range(len(self.answers)) if self.answers else range(self.lower, self.upper + 1)

    def words(self, guess: int) -> str:
        """Put a guess, or the truth, into words."""
        if self.answers:
            return say("course.quoted", answer=self.answers[guess])
        return say_count(self.counted, guess) if self.counted else f"{guess:,} {self.unit}".strip()


Facts = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Chapter:
    """Two or three sentences, data, a prediction, and its reveal.

    Attributes
    ----------
    name, title : str
        Its address, and its heading.
    text : tuple of str
        Introduction before the prediction, with facts in braces.
    scene : Scene
    runs : tuple of RunConfig
        Runs on the data.
    question : Question
    facts : callable
        Given the data and the traces of the runs, returns numbers for the texts; ``truth`` is the right answer, and
        ``chart``, if there is one, draws the quantity that was asked for.
    reveal : str
        The runs' answer, with facts in braces.
    shown : tuple of int
        Positions of the runs to play side by side at the reveal, unless the facts say which ``shown`` are telling.
    lesson : str
        One sentence to take home.
    about : str
        One line for lists of chapters, which does not tell the answer.
    claims : tuple of Claim
        What the texts say of every draw, about the runs in their order; as a rule true of 19 draws of 20.
    trial : Trial
        What can be tried once a prediction was made, and before.
    treatments : tuple of (int, Treatment)
        What is done to the data for the runs at these positions.
    words : tuple of (int, str)
        What sets the runs at these positions apart, where their settings do not say it in short.
    feedback : mapping of str to str
        What a wrong prediction would have been right about, with facts in braces, by its kind: ``"low"`` or ``"high"``
        of a number, ``"if_1"`` … of an answer.
    papers : str
        Where it is written.
    view : callable, optional
        Given the data, returns how they are shown; by default as tables are. All runs have their points at the same
        places.
    """

    name: str
    title: str
    text: tuple[str, ...]
    scene: Scene
    runs: tuple[RunConfig, ...]
    question: Question
    facts: Callable[[Dataset, Sequence[Trace]], Facts]
    reveal: str
    shown: tuple[int, ...]
    lesson: str
    about: str
    claims: tuple[Claim, ...]
    trial: Trial
    treatments: tuple[tuple[int, Treatment], ...] = ()
    words: tuple[tuple[int, str], ...] = ()
    feedback: Mapping[str, str] = field(default_factory=dict)
    papers: str = ""
    view: Callable[[Dataset], Display] = lambda dataset: Table(dataset).display()

    def table(self, dataset: Dataset, position: int, seed: int = 0) -> Dataset:
        """Return what a run clusters: the data as they are, or what is made of them; the seed is for hidden cells."""
        treatment = dict(self.treatments).get(position)
        return dataset if treatment is None else treatment.of(dataset, seed)


@dataclass(frozen=True, eq=False)
class Played:
    """A chapter with its finished runs.

    Attributes
    ----------
    chapter : Chapter
    dataset : Dataset
    traces : tuple of Trace
    facts : mapping
    """

    chapter: Chapter
    dataset: Dataset
    traces: tuple[Trace, ...]
    facts: Facts

    @property
    def truth(self) -> int:
        """The right guess."""
        return int(self.facts["truth"])

    @property
    def text(self) -> tuple[str, ...]:
        """The introduction, with its numbers."""
        return tuple(paragraph.format(**self.facts) for paragraph in self.chapter.text)

    @property
    def prompt(self) -> str:
        """The question, with its numbers."""
        return self.chapter.question.prompt.format(**self.facts)

    @property
    def reveal(self) -> str:
        """The runs' answer, with its numbers."""
        return self.chapter.reveal.format(**self.facts)

    @property
    def shown(self) -> tuple[int, ...]:
        """Positions of the runs that are played at the reveal."""
        return tuple(self.facts.get("shown", self.chapter.shown))

    @property
    def chart(self) -> Chart | None:
        """The quantity that was asked for, as the runs give it."""
        return self.facts.get("chart")

    def film(self) -> bytes:
        """Payload of the player at the reveal; clusters have the colours of the groups in the question's picture."""
        return build_payload([self._panel(position) for position in self.shown], groups=self.dataset.labels)

    def name(self, position: int) -> str:
        """Return what a run is called beside the others."""
        treatment = dict(self.chapter.treatments).get(position)
        words = dict(self.chapter.words).get(position, "" if treatment is None else treatment.words)
        return describe(self.traces[position].config) + (f", {words}" if words else "")

    def display(self, position: int) -> Display:
        """Return where the points of a run are shown."""
        display, treatment = self.chapter.view(self.dataset), dict(self.chapter.treatments).get(position)
        return display if treatment is None else treatment.shown(self.dataset, display)

    def clusters(self, position: int) -> Integers:
        """Return the last clusters (N,) of a run, numbered by the groups they match, or the clusters of the first."""
        groups, first = self.dataset.labels, self.traces[self.shown[0]].labels[-1]
        return match_labels(self.traces[position].labels[-1], first if groups is None else groups)

    def _panel(self, position: int) -> PanelData:
        trace = self.traces[position]
        table = Table(self.chapter.table(self.dataset, position), self.display(position))
        return panel(table, trace, self.name(position))


class Marked(NamedTuple):
    """The mark of a prediction, and a comment."""

    is_right: bool
    words: str


class _Unknown:
    """A number that is not known yet."""

    def __format__(self, form: str) -> str:
        return "…"


def draft(chapter: Chapter) -> tuple[str, ...]:
    """Return the introduction before its runs are made, with dots for their numbers."""
    return tuple(paragraph.format_map(defaultdict(_Unknown)) for paragraph in chapter.text)


_PLAYED: set[str] = set()


def is_played(chapter: Chapter) -> bool:
    """Whether :func:`play` has the chapter's runs at hand."""
    return chapter.name in _PLAYED


@functools.cache
def play(chapter: Chapter) -> Played:
    """Run a chapter's configurations, once per process.

    Parameters
    ----------
    chapter : Chapter

    Returns
    -------
    Played
    """
    dataset = chapter.scene.load()
    traces = tuple(run(chapter.table(dataset, position).X, config) for position, config in enumerate(chapter.runs))
    facts = chapter.facts(dataset, traces)
    _PLAYED.add(chapter.name)
    return Played(chapter, dataset, traces, facts)


def mark(played: Played, guess: int) -> Marked:
    """Compare a prediction with the runs' answer.

    Parameters
    ----------
    played : Played
    guess : int
        One of the question's ``guesses``.

    Returns
    -------
    Marked

    Raises
    ------
    InvalidParameterError
        If there is no such guess.
    """
    question, truth = played.chapter.question, played.truth
    require(guess in question.guesses, "guess", guess, f"from {question.guesses[0]} to {question.guesses[-1]}")
    said, right = question.words(guess), question.words(truth)
    if guess == truth:
        return Marked(True, say("course.predicted_right", said=said))
    if not question.answers and abs(guess - truth) <= question.close:
        return Marked(True, say("course.predicted_close", said=said, right=right))
    less, more = ("fewer", "more") if question.of_things else ("lower", "higher")
    way, kind = (more, "low") if truth > guess else (less, "high")
    if question.answers:
        way, kind = "another", f"if_{guess + 1}"
    about = played.chapter.feedback.get(kind, "").format(**played.facts)
    return Marked(False, f"{say(f'course.predicted_{way}', said=said, right=right)} {about}".strip())
