"""From hyperparameters as a caller gives them to a state in working coordinates: one kernel per family."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import generic, kernel, optional
from dpviz.arrays import FloatArray


class Given(NamedTuple):
    """Hyperparameters as a caller gives them, NaN where the data choose.

    Attributes
    ----------
    location : ndarray (D,)
    weight, shape : float
    spread, between : ndarray (D²,)
        A vector or a number takes the first places.
    share : float
        Of the usual width, for what is not given.
    """

    location: FloatArray
    weight: float
    shape: float
    spread: FloatArray
    between: FloatArray
    share: float


class Affine(NamedTuple):
    """Working coordinates ``matrix @ (x − origin)`` of points x.

    Attributes
    ----------
    origin : ndarray (D,)
    matrix, inverse : ndarray (D, D)
    """

    origin: FloatArray
    matrix: FloatArray
    inverse: FloatArray


class Placed(NamedTuple):
    """A family's state beside the data in its working coordinates.

    Attributes
    ----------
    state : NamedTuple
    X : ndarray (N, D)
    log_jacobian : float
        Per point, nats.
    affine : Affine
    """

    state: Any
    X: FloatArray
    log_jacobian: float
    affine: Affine


@generic
def placed(family: Any, X: FloatArray, given: Given, capacity: int) -> Placed:
    """Place a family beside data (N, D) without gaps, with so many slots.

    The family is told by the type of the first argument, which holds nothing.
    """
    raise NotImplementedError(type(family))


@optional
def dividing(state: Any, X: FloatArray, points: FloatArray) -> FloatArray:
    """Return the coordinates in which 2-means divides a cluster: X in those of the state, or the points as given."""
    return X


@kernel
def array_or(given: FloatArray, default: FloatArray) -> FloatArray:
    """Return as many of the numbers (n,) as there are defaults, or these where the first is NaN."""
    return default.copy() if math.isnan(given[0]) else given[: default.shape[0]].copy()


@kernel
def number_or(given: float, default: float) -> float:
    """Return the number, or the default where it is NaN."""
    return default if math.isnan(given) else given


@kernel
def scaling(centre: FloatArray, scale: FloatArray) -> Affine:
    """Return the coordinates of columns that are centred and divided by their scales (D,)."""
    return Affine(centre, np.diag(1.0 / scale), np.diag(scale))
