"""Hyperparameters in links: an array that is a multiple of what the data suggest is written as its factor.

An array has D² numbers, and with them an address some thousand characters; the data, which the link names, have them
too. Links that hold the array itself mean what they say.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.analysis.parameters import hyperparameter_values
from dpviz.config import RunConfig
from dpviz.errors import DpvizError
from dpviz.families.automatic import AUTOMATIC
from dpviz.families.base import WIDTH
from dpviz.families.mixed import Mixed
from dpviz.text import read_json
from dpviz.ui.session.chosen_data import DataChoice, prepare

FACTORS = "factors"
"""Key of the factors in a query, by the names of the hyperparameters."""
_DIGITS = (4, 6, 9, 12, 15, 16, 17)


def to_query(config: RunConfig, choice: DataChoice) -> dict[str, str]:
    """Return ``config.to_query()`` with factors in place of arrays that :func:`from_query` makes exactly again."""
    factors = _factors(config, choice)
    if not factors:
        return config.to_query()
    rest = {name: value for name, value in config.prior if name not in factors}
    short = replace(config, prior=rest or None).to_query()
    return {**short, FACTORS: json.dumps(factors, separators=(",", ":"))}


def from_query(query: Any, choice: DataChoice) -> RunConfig:
    """Inverse of :func:`to_query`, for a run on these data; everything is treated as hostile.

    Raises
    ------
    DpvizError
        As of :meth:`~dpviz.config.RunConfig.from_query`, or if the factors are not such, or not of these data.
    """
    if not isinstance(query, dict):
        raise DpvizError("It is not an object.")
    plain = {key: value for key, value in query.items() if key != FACTORS}
    config = RunConfig.from_query(plain)
    if FACTORS not in query:
        return config
    factors = _read(query[FACTORS])
    if not _has_arrays(config):
        raise DpvizError(f"{FACTORS} need a family by name, and hyperparameters that are given.")
    own = _own_values(config, choice)
    unknown = [name for name in factors if np.ndim(own.get(name, 0.0)) == 0]
    if unknown:
        raise DpvizError(f"{FACTORS} of {', '.join(sorted(unknown))[:80]}, which the family does not have as an array.")
    given = dict(config.prior or ())
    return replace(config, prior={**given, **{name: own[name] * factor for name, factor in factors.items()}})


def _read(text: str) -> dict[str, float]:
    try:
        values: Any = read_json(text) if isinstance(text, str) and len(text) < 1000 else None
    except (ValueError, RecursionError):
        values = None
    numbers = isinstance(values, dict) and all(type(value) in (int, float) for value in values.values())
    if not numbers or not all(0 < abs(value) < 1e300 for value in values.values()):
        raise DpvizError(f"{FACTORS} must be numbers, one for each hyperparameter.")
    return {name: float(value) for name, value in values.items()}


def _factors(config: RunConfig, choice: DataChoice) -> dict[str, float]:
    """Return the factors of the arrays of a prior that are exact multiples of the data's own."""
    if config.prior is None or not _has_arrays(config):
        return {}
    arrays = {name: np.array(value) for name, value in config.prior if isinstance(value, tuple)}
    if not arrays:
        return {}
    try:
        own = _own_values(config, choice)
    except DpvizError:  # the data are not here
        return {}
    found = {name: _factor(array, np.asarray(own[name])) for name, array in arrays.items() if name in own}
    return {name: factor for name, factor in found.items() if factor is not None}


def _has_arrays(config: RunConfig) -> bool:
    """Whether hyperparameters are given, or follow from the data, and are those of one family of numbers."""
    named = config.family not in (AUTOMATIC, Mixed.name)
    return config.uses_model and named and not isinstance(config.prior, str)


def _own_values(config: RunConfig, choice: DataChoice) -> dict[str, Any]:
    """Return what the data suggest, at the width of the configuration, as the sliders show it."""
    width = {name: value for name, value in dict(config.prior or ()).items() if name == WIDTH.name}
    return hyperparameter_values(replace(config, prior=width or None), prepare(choice).X)


def _factor(array: np.ndarray, own: np.ndarray) -> float | None:
    """Return the number that makes ``own`` exactly ``array``, if there is one."""
    if array.shape != own.shape or not np.any(own):
        return None
    place = np.unravel_index(np.argmax(np.abs(own)), own.shape)
    ratio = float(array[place] / own[place])
    near = [float(f"{ratio:.{digits}g}") for digits in _DIGITS]
    candidates = [*near, float(np.nextafter(ratio, 0)), float(np.nextafter(ratio, np.inf))]
    return next((factor for factor in candidates if factor and np.array_equal(own * factor, array)), None)
