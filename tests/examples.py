"""The examples that families and partition priors bring along, as the tests use them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import naive
import numpy as np
from scipy import integrate

from dpviz.families import FAMILIES
from dpviz.families.mixed import BLOCKS
from dpviz.partition import PARTITION_PRIORS, PartitionPrior

GAUSSIAN = [name for name, family in FAMILIES.items() if family.kind == "real"]
OTHERS = [name for name in FAMILIES if name not in GAUSSIAN]
"""Families that cannot have any real number, or not in every column."""
ONE_KIND = [name for name in OTHERS if name != "mixed" and "multinomial" not in name]
"""Those of them whose columns are all alike, each with a law of its own."""
INDEPENDENT = [name for name, family in FAMILIES.items() if family.leaves_cells_out(None)]
"""Families whose columns are independent within a cluster, so that cells may be left out; of mixed tables most are."""
RANGES = {
    "real": (-math.inf, math.inf),
    "positive": (0.0, math.inf),
    "circular": (0.0, 24.0),
    "hurdle": (0.0, math.inf),
    "share": (0.0, 4.0),
}
"""Where values with densities are, by the kind of their family; values of the other kinds have probabilities."""
WITH_ENDS = ("hurdle", "share")
"""Those of which some values have probabilities all the same."""
DISCRETE = [name for name in ONE_KIND if FAMILIES[name].kind not in RANGES]
FINITE = [name for name in DISCRETE if FAMILIES[name].kind != "count"]
"""Those of them that have finitely many values."""
UNBOUNDED = [
    name
    for name, family in FAMILIES.items()
    if name != "share" and any(own.role == "scale" for own in family.hyperparameters)
]
"""Families whose values may be as large as they like."""
EVERY_BLOCK = len(BLOCKS) + 1
"""So many columns of the mixed example have every kind of block, two of them parts and two a full covariance.

Parts whose totals are counts cannot stand beside others."""
PRIORS = tuple(PARTITION_PRIORS)
WISHART = {"family": "normal_wishart", "prior": None}
"""The usual normal–Wishart model, of which nothing is chosen automatically."""
SIX = np.array([[-1.9, -1.1], [-1.2, -1.8], [-0.3, 0.2], [0.9, 0.3], [1.4, 1.7], [2.1, 0.8]])
"""Points of which all partitions can be listed."""
FOUR = SIX[[0, 2, 3, 5]]


def blobs(n_points: int = 60) -> np.ndarray:
    """Three round groups in the plane."""
    rng = np.random.default_rng(7)
    centres = np.array([[0.0, 0.0], [7.0, 7.0], [0.0, 8.0]])
    return centres[rng.integers(3, size=n_points)] + rng.normal(size=(n_points, 2))


def data(family: str, X: np.ndarray, seed: int = 0) -> np.ndarray:
    """The real numbers X (N, D) for a family that can have them; else as many points of the family's own."""
    return X if family in GAUSSIAN else FAMILIES[family].example_data(*X.shape, seed)


def n_features(family: str) -> int:
    """Two columns, or of a mixed table one of every kind but those that depend on others."""
    return EVERY_BLOCK - 4 if family == "mixed" else 2


def hyperparameters(family: str, n_features: int) -> dict[str, Any]:
    """Hyperparameters far from every default, for data of moderate size."""
    return FAMILIES[family].example_prior(n_features)


def integral(
    density: Callable[[float], float], kind: str, mirrored: Callable[[float], float] | None = None, **options: Any
) -> float:
    """Integrate the density of a value over where values of a kind are, with the probabilities that ends may have.

    Logarithms of what is between have the heavy tails there, in which the axis is taken as long as floats are. Near a
    whole there are few floats: ``mirrored`` has the density by the distance from it.
    """
    low, high = RANGES[kind]
    if kind not in WITH_ENDS:
        return float(integrate.quad(density, low, high, limit=500, **options)[0])

    def from_zero(density: Callable[[float], float], most: float) -> float:
        def of_logarithm(y: float) -> float:
            return density(math.exp(y)) * math.exp(y) if abs(y) < 700 else 0.0

        return density(0.0) + float(integrate.quad(of_logarithm, -math.inf, most, limit=500, **options)[0])

    if math.isinf(high):
        return from_zero(density, math.inf)
    middle = math.log(high / 2)
    return from_zero(density, middle) + from_zero(mirrored or (lambda x: density(high - x)), middle)


def partition_prior(name: str) -> PartitionPrior:
    """A prior far from its default."""
    return PARTITION_PRIORS[name].example()


def parameters(prior: PartitionPrior) -> dict[str, Any]:
    """Its parameters by name."""
    return {field.name: getattr(prior, field.name) for field in fields(prior)}


def every_family_with(
    choices: Sequence[Any], *offsets: int, families: Sequence[str] = tuple(FAMILIES)
) -> list[tuple[str, Any]]:
    """Every family with one of the choices for each offset in them, and every choice with some family."""
    rounds = itertools.product(offsets or (0,), enumerate(families))
    return [(family, choices[(offset + i) % len(choices)]) for offset, (i, family) in rounds]


def every_pair_with(*choices: Any, families: Sequence[str] = tuple(FAMILIES)) -> list[tuple[str, str, Any]]:
    """Every family with every prior and one of a few choices, so that each of these meets all families and priors."""
    pairs = itertools.product(enumerate(families), enumerate(PRIORS))
    return [(family, prior, choices[(i + j) % len(choices)]) for (i, family), (j, prior) in pairs]


naive.PARTITION_PARAMETERS.update({name: parameters(partition_prior(name)) for name in naive.PARTITION_LOG_WEIGHTS})
