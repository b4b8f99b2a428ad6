"""Which knobs a run has, where they stand, and the settings that follow from turning them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.options import OPTIONS
from dpviz.errors import require
from dpviz.families.base import WIDTH
from dpviz.fit.width import has_width
from dpviz.live.knobs import Knob, knob_of
from dpviz.parameters import Parameter, Size
from dpviz.words import say

KNOBS = {"n_clusters": "n_clusters", "n_components": "n_clusters", "penalty": "penalty"}
"""Options of methods without a model that can be turned, and their knobs' names: a number of groups has one."""
_WIDTH = replace(WIDTH, title=say("server.width"))


def knobs_of(config: RunConfig, X: FloatArray) -> tuple[Knob, ...]:
    """Return the knobs of a run of which nothing is left to choose, on data X (N, D).

    A knob's range is that of the parameter's sliders elsewhere, and extends to its present value.
    """
    algorithm, size = ALGORITHMS[config.algorithm], Size(*X.shape)
    if not algorithm.uses_model:
        return tuple(
            replace(
                _knob(OPTIONS[name], (name,), getattr(config, name), size, algorithm.typical(name, X)), name=KNOBS[name]
            )
            for name in KNOBS
            if name in algorithm.main
        )
    assert config.partition is not None
    learned = dict(config.hyperpriors or ())
    found = [
        _knob(parameter, ("partition", parameter.name), getattr(config.partition, parameter.name), size)
        for parameter in config.partition.parameters
        if parameter.varies and not parameter.integer and parameter.name not in learned
    ]
    if _has_only_width(config):
        found.append(_knob(_WIDTH, ("prior", WIDTH.name), _width_of(config), size))
    if config.temperature is not None and not config.split_merge and not learned:
        found.append(_knob(OPTIONS["temperature"], ("temperature",), config.temperature, size))
    return tuple(found)


def _knob(parameter: Parameter, path: tuple[str, ...], value: float, size: Size, typical: float | None = None) -> Knob:
    low, high = parameter.slider_range(size, typical)
    low, high = min(float(low), value), max(float(high), value)
    step = 1.0 if parameter.integer else 0.0 if parameter.log and low > 0 else parameter.step or 0.01
    return knob_of(parameter, path, low, high, value, step)


def _has_only_width(config: RunConfig) -> bool:
    return has_width(config) and set(dict(config.prior or ())) <= {WIDTH.name}


def _width_of(config: RunConfig) -> float:
    return float(dict(config.prior or ()).get(WIDTH.name, WIDTH.default))


def values_of(config: RunConfig, knobs: Sequence[Knob]) -> dict[str, float]:
    """Return where the knobs stand in a configuration."""
    return {knob.name: value_of(config, knob) for knob in knobs}


def value_of(config: RunConfig, knob: Knob) -> float:
    """Return where a knob stands in a configuration."""
    path = knob.path
    if path == ("prior", WIDTH.name):
        return _width_of(config)
    owner = config.partition if path[0] == "partition" else config
    return float(getattr(owner, path[-1]))


def turned(config: RunConfig, settings: RunConfig, values: Mapping[str, Any], knobs: Sequence[Knob]) -> RunConfig:
    """Return the settings of the controls after knobs were turned.

    Parameters
    ----------
    config : RunConfig
        Of the run that is shown, with family and width as they were chosen.
    settings : RunConfig
        What the controls ask for.
    values : mapping of str to float
        From a browser: where those knobs are that were turned, by name.
    knobs : sequence of Knob
        Of the run.

    Raises
    ------
    InvalidParameterError
        If a value is no number, or out of its bounds.
    """
    for knob in knobs:
        if knob.name not in values:
            continue
        value, (owner, *_), name = values[knob.name], knob.path, knob.path[-1]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        require(number, knob.name, value, "a number")
        if owner == "partition":
            same = type(settings.partition) is type(config.partition)
            partition = settings.partition if same else config.partition
            settings = replace(settings, partition=replace(partition, **{name: float(value)}))
        elif owner != "prior":
            settings = settings.with_option(name, int(value) if knob.step == 1 else float(value))
        elif settings.is_automatic or _width_of(settings) != value:
            settings = replace(settings.with_model_of(config), prior={name: float(value)})
    return settings
