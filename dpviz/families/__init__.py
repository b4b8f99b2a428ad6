"""Component families: what a cluster looks like. One file per family; the registry is the one line to add."""

from __future__ import annotations

from dpviz.errors import InvalidParameterError
from dpviz.families.base import Family, Hyperparameter
from dpviz.families.gaussian.known_covariance import NormalKnownCovariance, SphericalNormal
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.gaussian.normal_wishart import NormalWishart
from dpviz.families.gaussian.predictive import ClusterSummary, Predictive

FAMILIES: dict[str, type[Family]] = {
    family.name: family for family in (NormalWishart, NormalGamma, SphericalNormal, NormalKnownCovariance)
}


def family_class(name: object) -> type[Family]:
    """Look a family up by name.

    Raises
    ------
    InvalidParameterError
        For an unknown name; the message lists the known ones.
    """
    if not isinstance(name, str) or name not in FAMILIES:
        raise InvalidParameterError(f"family = {name!r} must be one of {', '.join(FAMILIES)}.")
    return FAMILIES[name]


__all__ = [
    "FAMILIES",
    "ClusterSummary",
    "Family",
    "Hyperparameter",
    "NormalGamma",
    "NormalKnownCovariance",
    "NormalWishart",
    "Predictive",
    "SphericalNormal",
    "family_class",
]
