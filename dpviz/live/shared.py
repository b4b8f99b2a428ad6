"""Knobs of several runs that are shown together: those at the same value turn together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.families.base import WIDTH
from dpviz.live.knobs import Knob
from dpviz.live.turning import knobs_of, turned, value_of
from dpviz.words import say, say_list


class Run(NamedTuple):
    """A run in a picture: its settings, with everything chosen, and the points X (N, D) that it clusters."""

    config: RunConfig
    X: FloatArray


@dataclass(frozen=True)
class SharedKnob:
    """One slider for some of the runs.

    Attributes
    ----------
    knob : Knob
        Its name is unique in the picture.
    parameter : str
        What it sets.
    runs : tuple of int
        Positions of the runs that it turns.
    paths : tuple of tuple of str
        Where its value is in their configurations.
    value : float
        Where it stands.
    """

    knob: Knob
    parameter: str
    runs: tuple[int, ...]
    paths: tuple[tuple[str, ...], ...]
    value: float

    def written(self) -> dict[str, Any]:
        """As a page reads it."""
        paths = [list(path) for path in self.paths]
        return {**self.knob.written(), "parameter": self.parameter, "panels": list(self.runs), "paths": paths}


def shared_knobs(runs: Sequence[Run]) -> tuple[SharedKnob, ...]:
    """Return the knobs of a picture.

    One run has all of its own. Several have those of what methods are chosen by, and the width where runs differ in it;
    runs at the same value share a knob.

    Parameters
    ----------
    runs : sequence of Run
    """
    own = [knobs_of(*run) for run in runs]
    found = []
    for parameter in dict.fromkeys(knob.name for knobs in own for knob in knobs):
        places = {k: knob for k, knobs in enumerate(own) for knob in knobs if knob.name == parameter}
        groups = _at_the_same_value(runs, places)
        if len(runs) > 1 and not _is_offered(next(iter(places.values())), len(groups)):
            continue
        for value, members in groups.items():
            knob = _joined([places[k] for k in members])
            if len(groups) > 1:
                words = say("server.of_runs", symbol=knob.symbol, runs=say_list([str(k + 1) for k in members]))
                knob = replace(knob, name=f"{parameter}-{members[0] + 1}", words=words)
            paths = tuple(places[k].path for k in members)
            found.append(SharedKnob(knob, parameter, tuple(members), paths, value))
    return tuple(found)


def _is_offered(knob: Knob, n_values: int) -> bool:
    return (
        knob.path[0] == "partition"
        or (len(knob.path) == 1 and knob.name != "temperature")
        or (knob.path[-1] == WIDTH.name and n_values > 1)
    )


def _at_the_same_value(runs: Sequence[Run], places: Mapping[int, Knob]) -> dict[float, list[int]]:
    groups: dict[float, list[int]] = {}
    for k, knob in places.items():
        groups.setdefault(value_of(runs[k].config, knob), []).append(k)
    return groups


def _joined(knobs: Sequence[Knob]) -> Knob:
    """Return one knob that reaches as far as all of them."""
    lows, highs = ([getattr(knob, end) for knob in knobs] for end in ("low", "high"))
    return replace(knobs[0], low=min(lows), high=max(highs))


def all_turned(runs: Sequence[Run], settings: Sequence[RunConfig], values: Mapping[str, Any]) -> list[RunConfig]:
    """Return the settings of all runs after shared knobs were turned.

    Parameters
    ----------
    runs : sequence of Run
        That are shown.
    settings : sequence of RunConfig
        What was asked for, run by run.
    values : mapping of str to float
        From a browser: where those knobs are that were turned, by name.

    Raises
    ------
    InvalidParameterError
        If a value is no number, or out of its bounds.
    """
    made = list(settings)
    for shared in shared_knobs(runs):
        if shared.knob.name in values:
            for k in shared.runs:
                own = [knob for knob in knobs_of(*runs[k]) if knob.name == shared.parameter]
                made[k] = turned(runs[k].config, made[k], {shared.parameter: values[shared.knob.name]}, own)
    return made
