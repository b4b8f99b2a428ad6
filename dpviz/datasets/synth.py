"""Synthetic data by name: a registry of scenarios, and a function that draws from it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.datasets.dataset import Dataset
from dpviz.datasets.gaussian_scenarios import GAUSSIAN_SCENARIOS
from dpviz.datasets.mixed_scenarios import MIXED_SCENARIOS
from dpviz.datasets.model_scenarios import MODEL_SCENARIOS
from dpviz.datasets.scenario import (
    MAX_POINTS,
    MIN_POINTS,
    MISSING,
    Scenario,
    ScenarioParameter,
    without_some_cells,
)
from dpviz.datasets.shape_scenarios import SHAPE_SCENARIOS
from dpviz.errors import InvalidDataError, InvalidParameterError, require
from dpviz.text import quoted

SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {
        scenario.name: scenario
        for scenario in (*GAUSSIAN_SCENARIOS, *MODEL_SCENARIOS, *SHAPE_SCENARIOS, *MIXED_SCENARIOS)
    }
)
"""Every synthetic scenario by name."""

_LARGEST_SEED = 2**63 - 1


def synthesize(scenario: str, n: int | None = None, seed: int = 0, **parameters: Any) -> Dataset:
    """Draw a synthetic data set; the same arguments always give the same data.

    Parameters
    ----------
    scenario : str
        A key of :data:`SCENARIOS`.
    n : int, optional
        Number of points, 10 to 1,000,000; the scenario's own size by default.
    seed : int, default 0
        Seed of the draw, 0 to 2⁶³ − 1.
    **parameters
        The scenario's parameters; those not given take their defaults. With ``missing`` > 0 cells are missing (NaN).

    Returns
    -------
    Dataset
        Rows in random order, with the groups they were drawn from as labels.

    Raises
    ------
    InvalidParameterError
        For an unknown scenario or parameter, or a value out of bounds.
    """
    if not isinstance(scenario, str) or scenario not in SCENARIOS:
        raise InvalidParameterError(f"scenario = {quoted(scenario)} is unknown. Known: {', '.join(SCENARIOS)}.")
    recipe = SCENARIOS[scenario]
    size = ScenarioParameter("n", "", recipe.n, MIN_POINTS, MAX_POINTS, 1).check(recipe.n if n is None else n)
    seed = int(ScenarioParameter("seed", "", 0, 0, _LARGEST_SEED, 1).check(seed))
    settings = recipe.settings(parameters)
    rng = np.random.default_rng(seed)
    share = settings.get(MISSING, 0.0)
    points = recipe.generate(size, rng, **{name: value for name, value in settings.items() if name != MISSING})
    order = rng.permutation(size)
    X = points.X[order]
    if share:
        X = without_some_cells(X, share, rng)  # drawn last: the points are those of a table without gaps
    return Dataset(
        X=X,
        labels=points.labels[order],
        label_names=points.label_names,
        name=scenario,
        title=recipe.title,
        source=f"Synthetic: synthesize({scenario!r}, n={size}, seed={seed}{_written(settings)}).",
        citation=recipe.section,
        notes=points.notes,
        kinds=points.kinds,
        watch=recipe.watch,
        gaps=share > 0,
    )


def from_points(points: ArrayLike, labels: ArrayLike | None = None) -> Dataset:
    """Make a data set of points drawn by hand.

    Parameters
    ----------
    points : array-like, shape (n, D)
        Coordinates, D = 1 or 2; n ≥ 1.
    labels : array-like, shape (n,), optional
        Groups, as numbers or names.

    Returns
    -------
    Dataset
        The points in the order they were given.

    Raises
    ------
    InvalidDataError
        If the points are not a table of finite numbers with one or two columns.
    InvalidParameterError
        If the labels do not fit the points.
    """
    try:
        X = np.asarray(points)
    except ValueError as error:
        raise InvalidDataError(f"points must all have the same number of coordinates ({error}).") from error
    if X.ndim != 2 or X.shape[1] not in (1, 2):
        raise InvalidDataError(f"points has shape {X.shape}; it must be (n, 2) or (n, 1) with n ≥ 1.")
    group_names, codes = None, None
    if labels is not None:
        given = np.asarray(labels, dtype=object)
        require(given.shape == (len(X),), "labels", labels, f"one label for each of the {len(X)} points")
        group_names, codes = _in_order_of_appearance([str(label) for label in given])
    return Dataset(
        X=X,
        labels=codes,
        label_names=group_names,
        feature_names=("x", "y")[: X.shape[1]],
        name="hand_drawn",
        title="Hand-drawn points",
        source="Drawn by hand.",
        watch="Move or add a few points and see which clusters change.",
    )


def _in_order_of_appearance(names: list[str]) -> tuple[tuple[str, ...], Any]:
    code_of = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return tuple(code_of), np.array([code_of[name] for name in names], dtype=np.int64)


def _written(settings: Mapping[str, Any]) -> str:
    return "".join(f", {name}={value!r}" for name, value in settings.items())
