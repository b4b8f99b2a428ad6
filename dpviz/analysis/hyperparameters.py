"""Fit the hyperparameters one at a time, each to the value of lowest nll (2016 App. G, way 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.analysis.parameters import (
    hyperparameter_values,
    nll_compares,
    parameter_of,
    variable_parameters,
    with_parameter,
)
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import require_minimiser
from dpviz.engine.problem import check_data
from dpviz.errors import InvalidParameterError, require
from dpviz.fit.automatic import problem_for
from dpviz.fit.run import run

FACTORS = (0.25, 0.5, 2.0, 4.0)
"""Factors from the present value to the candidates."""
WIDEST = 1e3
"""Largest factor between a hyperparameter and its starting value."""


@dataclass(frozen=True)
class SearchStep:
    """One step of the search, for one hyperparameter.

    Attributes
    ----------
    parameter : str
        Empty for the starting point.
    old, new : float
        Its value before and after, equal if no candidate was better; for a vector or matrix the factor to its start.
    nll : float
        After the step (nats).
    n_clusters : int
    config : RunConfig
        After the step.
    """

    parameter: str
    old: float
    new: float
    nll: float
    n_clusters: int
    config: RunConfig


def searchable_parameters(config: RunConfig) -> tuple[str, ...]:
    """Return what :func:`coordinate_search` fits by default: concentration, power, and all scales, but no weights.

    Weights of the prior, in points, diverge by nll alone: one cluster that comes ever closer to the plug-in normal
    gains without bound. So they are fitted only on request.
    """
    assert config.partition is not None
    own = {parameter.name for parameter in config.partition.parameters if parameter.log or parameter.name == "power"}
    scales = {p.name for p in config.hyperparameters if p.role == "scale"}
    return tuple(name for name in variable_parameters(config) if name in own | scales)


def coordinate_search(
    X: Any, config: RunConfig, parameters: Sequence[str] | None = None, max_passes: int = 5
) -> Iterator[SearchStep]:
    """Greedy coordinate search from empirical Bayes: vary one hyperparameter, keep its best value, go to the next.

    Each candidate is a full run with its restarts from the configuration's seed. The search ends after a pass that
    changes nothing, or after ``max_passes``; nll never rises from one step to the next.

    Parameters
    ----------
    X : array_like (N, D)
    config : RunConfig
        mapdp; hyperparameters not given start at empirical Bayes.
    parameters : sequence of str, optional
        Which ones, in this order; :func:`searchable_parameters` by default.
    max_passes : int

    Yields
    ------
    SearchStep
        First the starting point, then one per hyperparameter and pass.

    Raises
    ------
    DpvizError
    """
    require_minimiser(config)
    require(isinstance(max_passes, int) and max_passes >= 1, "max_passes", max_passes, "a whole number ≥ 1")
    X = check_data(X, gaps=True)
    start = replace(config, prior=hyperparameter_values(config, X), events_sweep=None)
    names = searchable_parameters(start) if parameters is None else tuple(parameters)
    require(
        nll_compares(start, names),
        "coarsening",
        config.coarsening,
        "None",
        f"Of a coarsened model nll says nothing between values of {', '.join(names)}: choose them without.",
    )
    first = {name: _start_value(start, name) for name in names}
    values = dict(first)
    step = SearchStep("", np.nan, np.nan, *_outcome(X, start), start)
    yield step
    for _ in range(max_passes):
        changed = False
        for name in names:
            within = (first[name] / WIDEST, first[name] * WIDEST)
            step = _improved(X, step, start, name, values[name], within)
            changed |= step.new != step.old
            values[name] = step.new
            yield step
        if not changed:
            return


def _improved(
    X: FloatArray, before: SearchStep, start: RunConfig, name: str, old: float, within: tuple[float, float]
) -> SearchStep:
    """Return the step to the best of the candidates, or one that stays."""
    best = replace(before, parameter=name, old=old, new=old)
    for candidate in (old * factor for factor in FACTORS):
        trial = _changed(X, before.config, start, name, candidate) if within[0] <= candidate <= within[1] else None
        if trial is not None:
            nll, n_clusters = _outcome(X, trial)
            if nll < best.nll:
                best = SearchStep(name, old, candidate, nll, n_clusters, trial)
    return best


def _start_value(config: RunConfig, name: str) -> float:
    """Return the present value of a scalar; vectors and matrices are measured by a factor that starts at 1."""
    known = variable_parameters(config)
    require(name in known, "parameters", name, f"among {', '.join(known)}")
    described = parameter_of(config, name)
    require(not described.integer, "parameters", name, "a continuous parameter", "Vary it with a grid.")
    partition, given = config.partition, config.prior_dict or {}
    if hasattr(partition, name):
        return float(getattr(partition, name))
    if name not in given:
        raise InvalidParameterError(f"parameters: {name} is no hyperparameter of {partition!r} and {config.family}.")
    return 1.0 if described.shape else float(given[name])


def _changed(X: FloatArray, present: RunConfig, start: RunConfig, name: str, value: float) -> RunConfig | None:
    """Return the present configuration with one new value, or None if the model excludes it (a0 ≤ D − 1)."""
    given, first = present.prior_dict or {}, start.prior_dict or {}
    try:
        if name in given and not isinstance(given[name], float):
            trial = replace(present, prior={**given, name: value * first[name]})
        else:
            trial = with_parameter(present, name, value, X)
        problem_for(X, trial)
    except InvalidParameterError:
        return None
    return trial


def _outcome(X: FloatArray, config: RunConfig) -> tuple[float, int]:
    trace = run(X, config)
    return float(trace.nll[-1]), int(trace.n_clusters[-1])
