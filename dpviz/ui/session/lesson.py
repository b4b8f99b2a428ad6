"""What the list of lessons says about each, what must hold for it to be so, and twenty draws in which it is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dpviz import datasets
from dpviz.config import RunConfig
from dpviz.course.claims import Claim, Draw
from dpviz.course.draws import N_DRAWS, rounded, seed_of
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.live import why_not
from dpviz.ui.session.chosen_data import DataChoice

QUICK_EFFORT = 0.05
"""Of a search in each of twenty draws."""
MOST_POINTS = 800
"""Of draws of most lessons: twenty of them are to take seconds, on a phone as well."""


@dataclass(frozen=True)
class Lesson:
    """A lesson as its list shows it.

    Attributes
    ----------
    name : str
        Of its texts.
    title, watch : str
        Its name on pages, and one sentence on what to watch.
    choice : DataChoice
        Its data.
    own : tuple of RunConfig
        The runs that it shows.
    onwards : str
        Text of the button to the next lesson, if that one builds on this.
    beside : tuple of RunConfig
        Runs that the sentence speaks of and the lesson does not show.
    claims : tuple of Claim
        What the sentence says, about the own runs and then those beside them; as a rule true of 19 draws of 20.
    most_points : int
        Of its draws.
    """

    name: str
    title: str
    watch: str
    choice: DataChoice
    own: tuple[RunConfig, ...]
    onwards: str = ""
    beside: tuple[RunConfig, ...] = field(default=(), kw_only=True)
    claims: tuple[Claim, ...] = field(default=(), kw_only=True)
    most_points: int = field(default=MOST_POINTS, kw_only=True)

    @property
    def config(self) -> RunConfig:
        """The first run that it shows."""
        return self.own[0]

    def is_of(self, choice: DataChoice, own: Sequence[RunConfig | str]) -> bool:
        """Whether these are exactly its data and its runs, on whatever axes they are looked at."""
        return (choice.data, tuple(own)) == (self.choice.data, self.own)

    @property
    def runs(self) -> tuple[RunConfig, ...]:
        """All runs that its sentence speaks of."""
        return (*self.own, *self.beside)

    def tables(self) -> list[Dataset]:
        """Return its data drawn twenty times, rounded as in a page; a bundled table is one.

        They are clustered as they are: what the lesson scales is scaled.
        """
        return [rounded(self._scaled(table)) for table in self._drawn()]

    def _scaled(self, table: Dataset) -> Dataset:
        return replace(table, X=datasets.scale(table.X, self.choice.scaling, table.feature_names).X)

    def _drawn(self) -> list[Dataset]:
        name, options = self.choice.name, dict(self.choice.options)
        if self.choice.source == "bundled":
            return [datasets.load(name)]
        first, own_size = int(options.pop("seed", 0)), int(options.pop("n", datasets.SCENARIOS[name].n))
        size = min(own_size, self.most_points)
        return [datasets.synthesize(name, size, first + number, **options) for number in range(N_DRAWS)]

    def quick_runs(self, number: int) -> tuple[RunConfig, ...]:
        """Return the runs of one of the draws, as they are computed for it."""
        return tuple(self._quick(replace(config, seed=seed_of(config, number))) for config in self.runs)

    def _quick(self, config: RunConfig) -> RunConfig:
        if config.algorithm == "em":
            return replace(config, n_init=2)
        return config if config.is_automatic else short_search(config)

    def draw(self, tables: list[Dataset], number: int) -> Draw:
        """Return one of the draws with the runs of :meth:`quick_runs`."""
        table = tables[number % len(tables)]
        return Draw(table, tuple((table.X, config) for config in self.quick_runs(number)))

    def on_server(self, table: Dataset) -> list[int]:
        """Return which of its runs a browser cannot compute, by their places."""
        runs = enumerate(self.quick_runs(0))
        return [place for place, config in runs if why_not(config, table.X)]


def short_search(config: RunConfig) -> RunConfig:
    """Give a search a smaller effort than most pages do."""
    searches = config.init == "auto" and ALGORITHMS[config.algorithm].improves(config)
    return replace(config, effort=min(config.effort, QUICK_EFFORT)) if searches else config


def of_other_data(lesson: Lesson, choice: DataChoice) -> str:
    """Say that a lesson's settings are shown on other data than its own; empty if they are not."""
    same = lesson.choice.data == choice.data
    return "" if same else f"The lesson “{lesson.title}” is about other data, so its sentence need not hold here."
