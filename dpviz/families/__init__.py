"""Component families: what a cluster looks like. One module each; the registry is the one line to add."""

from __future__ import annotations

from typing import TypeVar

from dpviz.errors import InvalidParameterError
from dpviz.families.base import Family
from dpviz.families.gaussian.known_covariance import NormalKnownCovariance, SphericalNormal
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.gaussian.normal_wishart import NormalWishart

FAMILIES: dict[str, type[Family]] = {}
"""Every component family by its ``name``."""

FamilyClass = TypeVar("FamilyClass", bound=type[Family])


def register(family: FamilyClass) -> FamilyClass:
    """Add a family to :data:`FAMILIES`."""
    FAMILIES[family.name] = family
    return family


for _family in (NormalWishart, NormalGamma, SphericalNormal, NormalKnownCovariance):
    register(_family)


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
    "Family",
    "NormalGamma",
    "NormalKnownCovariance",
    "NormalWishart",
    "SphericalNormal",
    "family_class",
    "register",
]
