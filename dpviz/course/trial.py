"""What a reader can try in a chapter: numbers to drag in a sentence, and other draws of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dpviz.config import RunConfig
from dpviz.course.claims import Within
from dpviz.engine.options import OPTIONS
from dpviz.families.base import WIDTH
from dpviz.live.knobs import Knob, knob_of
from dpviz.parameters import Parameter
from dpviz.partition import ChineseRestaurant, PoweredChineseRestaurant
from dpviz.words import say


@dataclass(frozen=True)
class Turn:
    """A number that can be dragged.

    Attributes
    ----------
    knob : Knob
        Its path begins with ``"data"`` if it changes the points: ``("data", "spread", group)`` stretches a group about
        its mean, ``("data", "apart")`` groups about the mean of all, ``("data", "points")`` takes the first so many
        points, ``("data", "thin", group)`` one in so many of all groups but one, ``("data", "far")`` puts the last four
        points so far away, ``("data", "divide", column)`` changes a unit, ``("data", "fill")`` replaces a share of the
        cells by their columns' means.
    runs : tuple of int
        Positions, among those of the trial, of the runs that it changes; of data all are.
    """

    knob: Knob
    runs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Transfer:
    """A second question: what the runs of a trial find where some of its numbers stand elsewhere.

    Attributes
    ----------
    values : tuple of (str, float)
        Those numbers by name; all others stand where they begin.
    holds : tuple of Within
        For each answer what is so if it is right; the first that holds is the runs' answer.
    prompt : str
    answers : tuple of str
    reveal : str
        With ``{quantity run}`` for what was found.
    """

    values: tuple[tuple[str, float], ...]
    holds: tuple[Within, ...]
    prompt: str = ""
    answers: tuple[str, ...] = ()
    reveal: str = ""


@dataclass(frozen=True)
class Trial:
    """Runs that a browser computes, and a sentence about them in which numbers can be dragged.

    Attributes
    ----------
    runs : tuple of int or RunConfig
        Positions of runs of the chapter, or runs of their own.
    turns : tuple of Turn
    counted : str
        Quantity, and the run, that are told of each of twenty draws; and the other run, if it is a quantity of two.
    lead : tuple of (str, float, float, float)
        Numbers that can be dragged before the prediction, on the way to those that are asked about, by name: the
        lowest, the highest and the first value there.
    transfers : tuple of Transfer
        Questions once it was answered.
    text, lead_text : str
        Sentences after and before it, with ``[name]`` for a number to drag and ``{quantity run}`` for what was found,
        by the names of ``measures.js``.
    """

    runs: tuple[int | RunConfig, ...]
    turns: tuple[Turn, ...]
    counted: str = "n_clusters 0"
    lead: tuple[tuple[str, float, float, float], ...] = ()
    transfers: tuple[Transfer, ...] = ()
    text: str = ""
    lead_text: str = ""

    def configs(self, of_chapter: Sequence[RunConfig]) -> tuple[RunConfig, ...]:
        """Return the settings that the browser computes, given those of the chapter's runs."""
        return tuple(of_chapter[run] if isinstance(run, int) else run for run in self.runs)

    def place(self, position: int) -> int | None:
        """Return which of the trial's runs stands for a run of the chapter; None if none does."""
        return self.runs.index(position) if position in self.runs else None


def _parameter(name: str) -> Parameter:
    known = {**OPTIONS, "width": replace(WIDTH, title=say("server.width"))}
    own = (*ChineseRestaurant.parameters, *PoweredChineseRestaurant.parameters)
    return known[name] if name in known else next(parameter for parameter in own if parameter.name == name)


PATHS = {"concentration": "partition", "power": "partition", "width": "prior"}
"""Where parameters are in a configuration; others are options of their own."""


def turn(name: str, low: float, high: float, usual: float, *runs: int, step: float = 0.0) -> Turn:
    """Return the number of a parameter of some runs; its positions are even in the logarithm without a step."""
    path = (PATHS[name], name) if name in PATHS else (name,)
    return Turn(knob_of(_parameter(name), path, low, high, usual, step), runs)


def of_data(
    name: str, words: str, path: tuple[str, ...], low: float, high: float, usual: float, step: float = 0.0
) -> Turn:
    """Return a number that changes the points; ``path`` without ``"data"``."""
    return Turn(Knob(name, ("data", *path), words, words, say("course.changes_points"), low, high, usual, step))
