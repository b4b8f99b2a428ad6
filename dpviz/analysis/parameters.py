"""The parameters that a grid can vary, by name: those of the partition prior, of the algorithm, and of the family."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.config_values import is_shape
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import Problem
from dpviz.errors import require
from dpviz.families.base import WIDTH
from dpviz.fit.automatic import resolve
from dpviz.fit.width import has_width
from dpviz.parameters import Parameter, Size, by_name
from dpviz.partition import (
    PARTITION_PRIORS,
    ChineseRestaurant,
    FiniteDirichlet,
    MixtureOfFiniteMixtures,
    PartitionPrior,
    PitmanYor,
    PoweredChineseRestaurant,
)

_OF_PARTITION: dict[str, type[PartitionPrior]] = {
    "power": PoweredChineseRestaurant,
    "discount": PitmanYor,
    "n_components": FiniteDirichlet,
    "gamma": MixtureOfFiniteMixtures,
}
"""Parameters that turn a Chinese restaurant into another prior, of equal concentration if it has one."""


def variable_parameters(config: RunConfig) -> tuple[str, ...]:
    """Names that :func:`with_parameter` accepts for a configuration's algorithm, family and partition prior."""
    algorithm = ALGORITHMS[config.algorithm]
    names = [option.name for option in algorithm.options if option.varies]
    if algorithm.uses_model:
        names += partition_parameters(config)
        names += [p.name for p in family_parameters(config) if p.varies]
    return tuple(names)


def family_parameters(config: RunConfig) -> tuple[Parameter, ...]:
    """Hyperparameters of the family, after its width if that still scales something."""
    width = (WIDTH,) if has_width(config) else ()
    return (*width, *config.hyperparameters)


def partition_parameters(config: RunConfig) -> tuple[str, ...]:
    """Those of the above that belong to the partition prior, or turn it into another one."""
    assert config.partition is not None
    learned = dict(config.hyperpriors or ())  # a different start of the chain is not a different model
    own = [
        parameter.name
        for parameter in config.partition.parameters
        if parameter.varies and parameter.name not in learned
    ]
    if isinstance(config.partition, ChineseRestaurant):
        own += [name for name in _OF_PARTITION if name not in own]
    return tuple(own)


def parameter_of(config: RunConfig, name: str) -> Parameter:
    """Return the description of a parameter that :func:`with_parameter` accepts.

    Raises
    ------
    InvalidParameterError
        If the algorithm, the family or the prior has no such parameter.
    """
    known = variable_parameters(config)
    advice = f"Those vary {_named(config)}."
    if name not in known and (owners := priors_with(name)):
        advice += f" This one is of the partition prior {' or '.join(owners)}: begin with a configuration that has it."
    require(name in known, "parameter", name, f"one of {', '.join(known)}", advice)
    algorithm = ALGORITHMS[config.algorithm]
    candidates = list(algorithm.options)
    if algorithm.uses_model:
        turned = _OF_PARTITION.get(name) if isinstance(config.partition, ChineseRestaurant) else None
        candidates += turned.parameters if turned is not None else config.partition.parameters
        candidates += family_parameters(config)
    return by_name(candidates)[name]


def nll_compares(config: RunConfig, parameters: Iterable[str]) -> bool:
    """Whether nll compares runs that differ in these parameters: of a coarsened model in no hyperparameter of clusters.

    The power of a likelihood is no density, and its integral depends on the cluster's parameters.
    """
    own = {parameter.name for parameter in family_parameters(config)}
    own -= {option.name for option in ALGORITHMS[config.algorithm].options}
    coarsened = config.coarsening is not None and config.uses_model
    return not (coarsened and own & set(parameters) - set(partition_parameters(config)))


def priors_with(parameter: str) -> tuple[str, ...]:
    """Names of the partition priors that have a parameter; none if setting it on a Chinese restaurant gives one."""
    if parameter in _OF_PARTITION:
        return ()
    return tuple(p.name for p in PARTITION_PRIORS.values() if any(own.name == parameter for own in p.parameters))


def with_parameter(config: RunConfig, parameter: str, value: float | str, X: FloatArray) -> RunConfig:
    """Return the configuration with one parameter changed.

    Parameters
    ----------
    config : RunConfig
    parameter : str
        A parameter of the partition prior, an option of the algorithm, or a hyperparameter of the family, as
        :func:`variable_parameters` lists them. On a Chinese restaurant ``power``, ``discount`` and ``n_components``
        turn the prior into a powered restaurant, a Pitman–Yor process and a finite Dirichlet mixture of equal
        concentration, and ``gamma`` into a mixture of finite mixtures.
    value : float or str
        The new value; for a hyperparameter that is a vector or a matrix the factor that multiplies it. ``width`` is a
        share of the data's suggestion, see :meth:`~dpviz.families.base.Family.narrowed`. A parameter of the partition
        prior that is written as text, such as a law, takes a text.
    X : ndarray (N, D)
        The data, for hyperparameters that are not given and so are empirical Bayes.

    Raises
    ------
    InvalidParameterError
        If the algorithm, the family or the prior has no such parameter, or the value is out of range.
    """
    if isinstance(value, str):
        return replace(config, partition=_partition_with_text(config, parameter, value))
    described, algorithm = parameter_of(config, parameter), ALGORITHMS[config.algorithm]
    number = _number(parameter, value)
    changed: Any = described.check(int(number) if number.is_integer() else number) if described.integer else number
    if algorithm.has_option(parameter):
        return config.with_option(parameter, changed)
    if described.name in by_name(family_parameters(config)):
        return replace(config, prior=_prior_with(config, described, number, X))
    return replace(config, partition=_partition_with(config.partition, parameter, changed))


def configured(base: RunConfig, parameters: Iterable[str], values: Iterable[float], X: FloatArray) -> RunConfig:
    """Return the configuration with several parameters changed in turn, as :func:`with_parameter` does."""
    config = base
    for parameter, value in zip(parameters, values, strict=True):
        config = with_parameter(config, parameter, value, X)
    return config


def hyperparameter_values(config: RunConfig, X: FloatArray) -> dict[str, Any]:
    """Hyperparameters of the configuration's family in full; those not given are empirical Bayes from X (N, D).

    An automatic family or width is chosen first.

    Raises
    ------
    DpvizError
        If those given, or the data, contradict the family.
    """
    config = resolve(X, config).config
    own = (config.directions, config.transform) != (None, None) or config.fills_in and bool(np.isnan(X).any())
    family = Problem(X, config).family if own else config.family_for(X)
    return {parameter.name: getattr(family, parameter.name) for parameter in config.hyperparameters}


def _named(config: RunConfig) -> str:
    if config.uses_model:
        return f"{config.algorithm} with {config.family} and {type(config.partition).__name__}"
    return config.algorithm


def _number(parameter: str, value: Any) -> float:
    numeric = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    require(numeric and bool(np.isfinite(value)), parameter, value, "a finite number")
    return float(value)


def _partition_with(partition: Any, parameter: str, value: Any) -> PartitionPrior:
    if isinstance(partition, ChineseRestaurant) and parameter in _OF_PARTITION:
        return _in_place_of(partition, _OF_PARTITION[parameter], parameter, value)
    changed: PartitionPrior = replace(partition, **{parameter: value})
    return changed


def _partition_with_text(config: RunConfig, parameter: str, value: str) -> PartitionPrior:
    """Set a parameter that is written as text, or turn a Chinese restaurant into the prior that has it."""
    partition, own = config.partition, texts_of_priors()
    assert partition is not None
    known = config.uses_model and parameter in own
    require(known, parameter, value, "a number", f"It is no text under {_named(config)}.")
    if isinstance(partition, ChineseRestaurant):
        return _in_place_of(partition, own[parameter], parameter, value)
    fits = isinstance(partition, own[parameter])
    require(fits, parameter, value, "a number", f"Only {own[parameter].__name__} has it as a text.")
    return partition.with_values({parameter: value})


def texts_of_priors() -> dict[str, type[PartitionPrior]]:
    """Return the parameters of partition priors that are written as text, each with the first prior that has it."""
    found: dict[str, type[PartitionPrior]] = {}
    for prior in PARTITION_PRIORS.values():
        for parameter in prior.parameters:
            if parameter.reads is not None:
                found.setdefault(parameter.name, prior)
    return found


def _in_place_of(restaurant: ChineseRestaurant, prior: type[PartitionPrior], name: str, value: Any) -> PartitionPrior:
    """Return a prior with one given parameter, the restaurant's concentration, and else its defaults."""
    values = {p.name: getattr(restaurant, p.name, p.default) for p in prior.parameters}
    return prior(**{**values, name: value})


def _prior_with(config: RunConfig, parameter: Parameter, number: float, X: FloatArray) -> dict[str, Any]:
    if is_shape(config.prior) and parameter is not WIDTH:
        config = resolve(X, config).config  # the other numbers are those learned
    given, name = config.prior_dict or {}, parameter.name
    if not parameter.shape:
        return {**given, name: parameter.check(number, Size(*X.shape))}
    require(
        number > 0,
        name,
        number,
        "a factor > 0",
        f"It multiplies the {('vector', 'matrix')[len(parameter.shape) - 1]} {name}.",
    )
    return {**given, name: number * np.asarray(hyperparameter_values(config, X)[name])}
