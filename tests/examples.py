"""The examples that families and partition priors bring along, as the tests use them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import naive

from dpviz.families import FAMILIES
from dpviz.partition import PARTITION_PRIORS, PartitionPrior


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
