"""Where every number of a chapter and every knob of a lesson can stand, and what its page has computed there.

Nothing runs a page here: settings and points are made of what its scripts read, which is `trial_bytes` of a chapter and
`facts_of` of a lesson's runs, in the way of `trial.js`, `knobs.js`, `sentence.js`, `reshaped.js` and `side.js`. A test
in a browser compares them with what these scripts make.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.config import RunConfig
from dpviz.course.bench import trial_bytes
from dpviz.course.chapter import Chapter
from dpviz.course.treatments import chances
from dpviz.live import Run, all_turned, facts_of
from dpviz.ui.session.chosen_data import prepare
from dpviz.ui.session.lesson import Lesson


@dataclass(frozen=True, eq=False)
class Answered:
    """A run that a page computes: its place on the page, its points X (N, D), and its settings as the page has them."""

    place: int
    X: np.ndarray
    config: dict[str, Any]


def values_of(turn: Mapping[str, Any], count: int) -> list[float]:
    """Return so many values of a number from one end to the other, as `knobs.js` has them."""
    low, high, step = turn["low"], turn["high"], turn["step"]
    last = round((high - low) / step) if step > 0 else turn["positions"]
    places = np.unique(np.linspace(0, last, count).round().astype(int)).tolist()
    if step > 0:
        return [round(low + place * step, 6) for place in places]
    return [float(f"{low * (high / low) ** (place / turn['positions']):.3g}") for place in places]


def written(value: float) -> float:
    """Return a number as JSON reads what a script writes: whole ones are integers."""
    return int(value) if value == int(value) else value


def set_in(config: Mapping[str, Any], path: Sequence[str], value: float) -> dict[str, Any]:
    """Return settings with a number at its place."""
    first, *rest = path
    return {**config, first: {**config[first], rest[0]: written(value)} if rest else written(value)}


# --- chapters ---


@dataclass(frozen=True, eq=False)
class Page:
    """What the page of a chapter reads: facts, and points (N, D) with their groups (N,) draw by draw."""

    facts: dict[str, Any]
    draws: list[tuple[np.ndarray, np.ndarray | None]]


def page_of(chapter: Chapter) -> Page:
    """Read a chapter's trial as `trial.js` does."""
    content = zlib.decompress(trial_bytes(chapter))
    (length,) = struct.unpack_from("<I", content)
    facts, at, tables = json.loads(content[4 : 4 + length]), 4 + length, []
    for draw in facts["draws"]:
        size = draw["n"] * len(draw["low"])
        levels = np.frombuffer(content, "<u2", size, at).reshape(draw["n"], -1)
        tables.append((np.array(draw["low"]) + np.array(draw["step"]) * levels) / np.array(draw["per"]))
        at += 2 * size
    groups: list[np.ndarray | None] = [None] * len(tables)
    if facts["grouped"]:
        groups = np.split(np.frombuffer(content, "u1", offset=at), np.cumsum([len(X) for X in tables])[:-1])
    return Page(facts, list(zip(tables, groups, strict=True)))


def usual_values(page: Page) -> dict[str, float]:
    """Return where all numbers of a chapter begin."""
    return {turn["name"]: turn["usual"] for turn in page.facts["turns"]}


def answers_at(page: Page, values: Mapping[str, float], number: int = 0) -> Iterator[Answered]:
    """Return all runs that a chapter's page makes of one of its draws, where its numbers stand there."""
    turns = page.facts["turns"]
    X, _ = points_at(page, values, number)
    for place, run in enumerate(page.facts["runs"]):
        config = run["config"]
        for turn in turns:
            if place in turn["runs"]:
                config = set_in(config, turn["path"], values[turn["name"]])
        yield Answered(place, X, {**config, "seed": config["seed"] + page.facts["seeds"] * number})


def points_at(page: Page, values: Mapping[str, float], number: int = 0) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the points of a draw, and their groups, where a chapter's numbers stand there."""
    return reshaped(*page.draws[number % len(page.draws)], page.facts["turns"], values, number)


def chapter_answers(page: Page, turn: Mapping[str, Any], count: int, number: int = 0) -> Iterator[Answered]:
    """Return the runs that one number changes, where it stands at so many positions and the others where they begin."""
    changed = range(len(page.facts["runs"])) if turn["path"][0] == "data" else turn["runs"]
    for value in values_of(turn, count):
        found = answers_at(page, usual_values(page) | {turn["name"]: value}, number)
        yield from (one for one in found if one.place in changed)


def reshaped(
    X: np.ndarray,
    groups: np.ndarray | None,
    turns: Sequence[Mapping[str, Any]],
    values: Mapping[str, float],
    number: int,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return points and their groups as the numbers in the text change them."""
    for turn in turns:
        if turn["path"][0] == "data":
            kept = _kept(len(X), groups, turn, values[turn["name"]])
            X, groups = X[kept], None if groups is None else groups[kept]
            X = _changed(X, groups, turn, values[turn["name"]], number)
    return X, groups


def _kept(n_points: int, groups: np.ndarray | None, turn: Mapping[str, Any], value: float) -> np.ndarray:
    """Return which points are left."""
    _, kind, *where = turn["path"]
    if kind == "points":
        return np.arange(n_points) < value
    if kind != "thin":
        return np.ones(n_points, dtype=bool)
    assert groups is not None
    place = np.array([(groups[:i] == group).sum() for i, group in enumerate(groups)])
    return (groups == int(where[0])) | (place < np.bincount(groups)[groups] / value)


def _changed(
    X: np.ndarray, groups: np.ndarray | None, turn: Mapping[str, Any], value: float, number: int
) -> np.ndarray:
    _, kind, *where = turn["path"]
    X = X.copy()
    if kind in ("points", "thin"):
        return X
    if kind == "far":
        if value:
            X[-4:] = np.array([in_order(column / len(X)) for column in X.T]) + value + np.arange(4.0)[:, None]
    elif kind == "divide":
        X[:, int(where[0])] /= value
    elif kind == "fill":
        at = np.arange(number * X.size, (number + 1) * X.size, dtype=np.uint64)
        known = np.where((chances(at) < value).reshape(X.shape), np.nan, X)
        for d in range(X.shape[1]):
            own = known[~np.isnan(known[:, d]), d]
            X[np.isnan(known[:, d]), d] = in_order(own) / len(own)
    elif kind == "spread":
        assert groups is not None
        own = X[groups == int(where[0])]
        middle = np.array([in_order(column) for column in own.T]) / len(own)
        X[groups == int(where[0])] = middle + (value / turn["usual"]) * (own - middle)
    else:
        assert groups is not None and kind == "apart"
        center = np.array([in_order(column / len(X)) for column in X.T])
        rows = [X[groups == group] for group in range(groups.max() + 1)]
        means = np.array([[in_order(column) / len(own) for column in own.T] for own in rows])
        X += ((value / turn["usual"] - 1) * (means - center))[groups]
    return X


def in_order(numbers: np.ndarray) -> float:
    """Add numbers one by one, as scripts do."""
    return float(np.cumsum(numbers)[-1])


# --- lessons ---


@dataclass(frozen=True, eq=False)
class Picture:
    """The runs of a lesson, and what the page's scripts are told of them."""

    runs: list[Run]
    facts: dict[str, Any]


def picture_of(lesson: Lesson) -> Picture:
    """Return what the page of a lesson's runs reads."""
    prepared = prepare(lesson.choice)
    runs = [Run(config, prepared.X) for config in lesson.own]
    return Picture(runs, json.loads(json.dumps(facts_of(runs, prepared.dataset.labels), allow_nan=False)))


def lesson_answers(picture: Picture, knob: Mapping[str, Any], count: int) -> Iterator[tuple[Answered, RunConfig]]:
    """Return what a browser computes where one knob rests, with the settings that it then asks of the server."""
    facts = picture.facts
    for value in values_of(knob, count):
        asked = all_turned(picture.runs, [run.config for run in picture.runs], {knob["name"]: value})
        for place in knob["panels"]:
            panel, (_, X) = facts["panels"][place], picture.runs[place]
            config = panel["config"]
            for one in facts["knobs"]:
                if place in one["panels"]:
                    config = set_in(
                        config,
                        one["paths"][one["panels"].index(place)],
                        (facts["values"] | {knob["name"]: value})[one["name"]],
                    )
            if not panel["why"]:
                yield Answered(place, X, {**config, "seed": panel["seed"]}), asked[place]
