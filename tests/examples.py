"""The examples that families and partition priors bring along, as the tests use them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import naive
import numpy as np

from dpviz.families import FAMILIES
from dpviz.partition import PARTITION_PRIORS, PartitionPrior

GAUSSIAN = [name for name, family in FAMILIES.items() if family.kind == "real"]
OTHERS = [name for name in FAMILIES if name not in GAUSSIAN]
"""Families that cannot have any real number, or not in every column."""
ONE_KIND = [name for name in OTHERS if name != "mixed"]
"""Those of them whose columns are all alike."""


def data(family: str, X: np.ndarray, seed: int = 0) -> np.ndarray:
    """The real numbers X (N, D) for a family that can have them; else as many points of the family's own."""
    return X if family in GAUSSIAN else FAMILIES[family].example_data(*X.shape, seed)


def hyperparameters(family: str, n_features: int) -> dict[str, Any]:
    """Hyperparameters far from every default, for data of moderate size."""
    return FAMILIES[family].example_prior(n_features)


def partition_prior(name: str) -> PartitionPrior:
    """A prior far from its default."""
    return PARTITION_PRIORS[name].example()


def parameters(prior: PartitionPrior) -> dict[str, Any]:
    """Its parameters by name."""
    return {field.name: getattr(prior, field.name) for field in fields(prior)}


naive.PARTITION_PARAMETERS.update({name: parameters(partition_prior(name)) for name in naive.PARTITION_LOG_WEIGHTS})
