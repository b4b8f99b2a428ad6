"""Component families: the distributions of points in a cluster. One module each, listed in a registry."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.errors import InvalidParameterError, require_free
from dpviz.families.base import Family
from dpviz.families.columns import verbs as _kinds_of_columns  # noqa: F401  (it lists them)
from dpviz.families.columns.binomial import Binomial
from dpviz.families.columns.categorical import Categorical
from dpviz.families.columns.circular import Circular
from dpviz.families.columns.exponential import Exponential
from dpviz.families.columns.geometric import Geometric
from dpviz.families.columns.hurdle import Hurdle
from dpviz.families.columns.multinomial import CountedParts, Multinomial
from dpviz.families.columns.negative_binomial import NegativeBinomial
from dpviz.families.columns.poisson import Poisson
from dpviz.families.columns.share import Share
from dpviz.families.gaussian.known_covariance import NormalKnownCovariance, SphericalNormal
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.gaussian.normal_wishart import NormalWishart
from dpviz.families.mixed import Mixed
from dpviz.text import quoted

FAMILIES: dict[str, type[Family]] = {}
"""Every component family by its ``name``."""

FamilyClass = TypeVar("FamilyClass", bound=type[Family])


def register(family: FamilyClass) -> FamilyClass:
    """Add a family to :data:`FAMILIES`; a name that another class has raises InvalidParameterError."""
    require_free("family", family.name, FAMILIES.get(family.name), family)
    FAMILIES[family.name] = family
    return family


_OWN: tuple[type[Family], ...] = (
    NormalWishart, NormalGamma, SphericalNormal, NormalKnownCovariance,
    Exponential, Categorical, Binomial, Poisson, Geometric, NegativeBinomial, Circular, Hurdle,
    Multinomial, CountedParts, Mixed, Share,
)  # fmt: skip
for _family in _OWN:
    register(_family)


def family_class(name: object) -> type[Family]:
    """Look a family up by name.

    Raises
    ------
    InvalidParameterError
        For an unknown name; the message lists the known ones.
    """
    if not isinstance(name, str) or name not in FAMILIES:
        raise InvalidParameterError(f"family = {quoted(name)} must be one of {', '.join(FAMILIES)}.")
    return FAMILIES[name]


def default_family(X: FloatArray) -> str:
    """Choose a family for data X (N, D): full covariances if there are enough points to learn them.

    Else, and where cells are missing, features are independent. Five points for each of the D(D + 1)/2 entries of a
    covariance are enough.
    """
    n_points, n_features = X.shape
    enough = n_points >= 5 * n_features * (n_features + 1) / 2
    return "normal_wishart" if enough and not np.isnan(X).any() else "normal_gamma"


__all__ = [
    "FAMILIES",
    "Binomial",
    "Categorical",
    "Circular",
    "CountedParts",
    "Exponential",
    "Family",
    "Geometric",
    "Hurdle",
    "Multinomial",
    "Mixed",
    "NegativeBinomial",
    "NormalGamma",
    "NormalKnownCovariance",
    "NormalWishart",
    "Poisson",
    "Share",
    "SphericalNormal",
    "default_family",
    "family_class",
    "register",
]
