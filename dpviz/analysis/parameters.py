"""What a grid can vary, by name: parameters of the partition prior, of the algorithm, and of the family."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.config import RunConfig
from dpviz.errors import InvalidParameterError, require
from dpviz.families import family_class
from dpviz.families.base import FloatArray, Hyperparameter
from dpviz.partition import ChineseRestaurant, FiniteDirichlet, PartitionPrior, PitmanYor, PoweredChineseRestaurant

_COLLAPSED = ("mapdp", "gibbs")
_OF_ALGORITHM = {
    "temperature": _COLLAPSED,
    "penalty": ("dpmeans",),
    "n_clusters": ("kmeans",),
    "n_components": ("em",),
}
_WHOLE = ("n_clusters", "n_components")
_OF_PARTITION: dict[str, Callable[[float, Any], PartitionPrior]] = {
    "power": PoweredChineseRestaurant,
    "discount": PitmanYor,
    "n_components": FiniteDirichlet,
}

PARTITION_PARAMETERS = ("concentration", *_OF_PARTITION)


def variable_parameters(config: RunConfig) -> tuple[str, ...]:
    """Names that :func:`with_parameter` accepts for a configuration's algorithm, family and partition prior."""
    names = [name for name, algorithms in _OF_ALGORITHM.items() if config.algorithm in algorithms]
    if config.algorithm in _COLLAPSED:
        assert config.partition is not None
        own = {parameter.name for parameter in config.partition.parameters}
        if isinstance(config.partition, ChineseRestaurant):
            own |= set(_OF_PARTITION)
        names += [name for name in PARTITION_PARAMETERS if name in own]
        names += [p.name for p in family_class(config.family).hyperparameters if _is_variable(p)]
    return tuple(names)


def with_parameter(config: RunConfig, parameter: str, value: float, X: FloatArray) -> RunConfig:
    """Return the configuration with one parameter changed.

    Parameters
    ----------
    config : RunConfig
    parameter : str
        ``concentration``, ``power``, ``discount``, ``n_components``, ``penalty``, ``n_clusters``, ``temperature``, or a
        hyperparameter of the family. On a Chinese restaurant ``power``, ``discount`` and ``n_components`` turn the
        prior into a powered restaurant, a Pitman–Yor process and a finite Dirichlet mixture of equal concentration.
    value : float
        The new value; for a hyperparameter that is a vector or a matrix the factor that multiplies it.
    X : ndarray (N, D)
        The data, for hyperparameters that are not given and so are empirical Bayes.

    Raises
    ------
    InvalidParameterError
        If the algorithm, the family or the prior has no such parameter, or the value is out of range.
    """
    known = variable_parameters(config)
    require(parameter in known, "parameter", parameter, f"one of {', '.join(known)}", f"Those vary {_named(config)}.")
    number = _number(parameter, value)
    if config.algorithm in _OF_ALGORITHM.get(parameter, ()):
        changed: Any = _whole(parameter, number) if parameter in _WHOLE else number
        return replace(config, **{parameter: changed})
    if parameter in PARTITION_PARAMETERS:
        return replace(config, partition=_partition_with(config.partition, parameter, number))
    return replace(config, prior=_prior_with(config, parameter, number, X))


def configured(base: RunConfig, parameters: Iterable[str], values: Iterable[float], X: FloatArray) -> RunConfig:
    """Return the configuration with several parameters changed in turn, as :func:`with_parameter` does."""
    config = base
    for parameter, value in zip(parameters, values, strict=True):
        config = with_parameter(config, parameter, value, X)
    return config


def hyperparameter_values(config: RunConfig, X: FloatArray) -> dict[str, Any]:
    """Hyperparameters of the configuration's family; those not given are empirical Bayes from X (N, D)."""
    return {**family_class(config.family).default_prior(X), **(config.prior_dict or {})}


def _named(config: RunConfig) -> str:
    if config.algorithm in _COLLAPSED:
        return f"{config.algorithm} with {config.family} and {type(config.partition).__name__}"
    return config.algorithm


def _is_variable(parameter: Hyperparameter) -> bool:
    """Whether one number can vary it; a factor on a location means nothing."""
    return parameter.shape == "matrix" or np.isfinite(parameter.lower)


def _number(parameter: str, value: Any) -> float:
    numeric = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    require(numeric and bool(np.isfinite(value)), parameter, value, "a finite number")
    return float(value)


def _whole(parameter: str, number: float) -> int:
    require(number == round(number) and number >= 1, parameter, number, "a whole number ≥ 1")
    return int(number)


def _partition_with(partition: Any, parameter: str, number: float) -> PartitionPrior:
    value: Any = _whole(parameter, number) if parameter in _WHOLE else number
    if isinstance(partition, ChineseRestaurant) and parameter in _OF_PARTITION:
        return _OF_PARTITION[parameter](partition.concentration, value)
    changed: PartitionPrior = replace(partition, **{parameter: value})
    return changed


def _prior_with(config: RunConfig, name: str, number: float, X: FloatArray) -> dict[str, Any]:
    parameter = next(p for p in family_class(config.family).hyperparameters if p.name == name)
    given = config.prior_dict or {}
    if parameter.shape == "scalar":
        if number <= parameter.lower:
            raise InvalidParameterError(f"{name} = {number:g} must be > {parameter.lower:g}; give a larger value.")
        return {**given, name: number}
    require(number > 0, name, number, "a factor > 0", f"It multiplies the {parameter.shape} {name}.")
    return {**given, name: number * np.asarray(hyperparameter_values(config, X)[name])}
