"""Predictive of one more point of a cluster: location, scale, and the ellipse that holds a given share of its mass."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from dpviz._jit import generic, kernel
from dpviz.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Predictive:
    """Location and scale of a predictive distribution in the units of the data.

    Attributes
    ----------
    location : ndarray (D,)
    scale : ndarray (D, D)
        Scale matrix; the covariance where ``degrees_of_freedom`` is infinite.
    degrees_of_freedom : float
    independent : bool
        Whether it is a product of univariate Student t rather than a multivariate one.
    """

    location: FloatArray
    scale: FloatArray
    degrees_of_freedom: float
    independent: bool = False

    def ellipse(self, level: float, axes: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Centre and half-axis matrix of the region that holds ``level`` of the mass in two coordinates.

        For independent features this is exact for two of the features, and close for other directions.

        Parameters
        ----------
        level : float
            Probability in (0, 1).
        axes : ndarray (2, D), optional
            The two displayed directions; the first two columns by default.

        Returns
        -------
        centre : ndarray (2,)
        half_axes : ndarray (2, 2)
            The boundary is ``centre + half_axes @ [cos t, sin t]``.
        """
        directions = np.eye(2, len(self.location)) if axes is None else np.asarray(axes, dtype=np.float64)
        projected = directions @ self.scale @ directions.T
        values, vectors = np.linalg.eigh(projected)
        radius = ellipse_radius(level, np.asarray(self.degrees_of_freedom), self.independent)
        return directions @ self.location, vectors * np.sqrt(np.maximum(values, 0)) * radius


@generic
def fill_predictive(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    """Fill location (D,) and scale (D, D) of the predictive of slot k with n points; return its degrees of freedom."""
    raise NotImplementedError(type(state))


@kernel
def predictives_of(state: Any, sizes: IntArray, n_features: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the predictives of the first K slots of a state, in working coordinates.

    Locations (K, D), scales (K, D, D), and degrees of freedom (K,).
    """
    n_clusters = sizes.shape[0]
    locations, scales = np.empty((n_clusters, n_features)), np.empty((n_clusters, n_features, n_features))
    degrees_of_freedom = np.empty(n_clusters)
    for k in range(n_clusters):
        degrees_of_freedom[k] = fill_predictive(state, k, sizes[k], locations[k], scales[k])
    return locations, scales, degrees_of_freedom


def ellipse_radius(level: float, degrees_of_freedom: FloatArray, independent: bool = False) -> FloatArray:
    """Radius, in units of the scale, that holds ``level`` of a bivariate Student t (normal where ν is infinite).

    The squared radius over 2 is an F(2, ν) quantile, which has a closed form: ν((1 − level)^(−2/ν) − 1)/2. For two
    independent Student t the radius is interpolated in a table.
    """
    if independent:
        table = independent_radii(level)
        radii = [independent_radius(degrees, *table) for degrees in degrees_of_freedom.ravel()]
    else:
        radii = [student_radius(level, degrees) for degrees in degrees_of_freedom.ravel()]
    return np.array(radii).reshape(degrees_of_freedom.shape)


def student_radius(level: float, degrees: float) -> float:
    """Return :func:`ellipse_radius` of one Student t; browsers compile it."""
    if math.isinf(degrees):
        return math.sqrt(-2.0 * math.log1p(-level))
    return math.sqrt(degrees * math.expm1(-2.0 / degrees * math.log1p(-level)))


def independent_radius(degrees: float, heaviness: FloatArray, log_radii: FloatArray) -> float:
    """Return the radius of two independent Student t by a table of :func:`independent_radii`; browsers compile it."""
    if math.isnan(degrees):
        return degrees
    sought, j = 1.0 / (1.0 + degrees), 1
    while j < heaviness.shape[0] - 1 and heaviness[j] < sought:
        j += 1
    share = min(1.0, max(0.0, (sought - heaviness[j - 1]) / (heaviness[j] - heaviness[j - 1])))
    return math.exp(log_radii[j - 1] + share * (log_radii[j] - log_radii[j - 1]))


@functools.cache
def independent_radii(level: float) -> tuple[FloatArray, FloatArray]:
    """Log radius that holds ``level`` of two independent Student t, against 1/(1 + ν) from 0 to 0.9."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    heaviness = np.linspace(0.0, 0.9, 25)
    log_radii = np.linspace(np.log(0.05), np.log(1e4), 120)
    radii = np.exp(log_radii)[:, None]
    found = np.empty(len(heaviness))
    for row, share in enumerate(heaviness):
        degrees = 1e12 if share == 0 else 1 / share - 1
        half_mass = stdtr(degrees, radii) - 0.5  # integrate over the first t's quantiles, where nothing is narrow
        x = stdtrit(degrees, 0.5 + half_mass * (nodes + 1) / 2)
        inside = half_mass[:, 0] * ((2 * stdtr(degrees, np.sqrt(np.maximum(radii**2 - x**2, 0))) - 1) @ weights)
        found[row] = np.interp(level, inside, log_radii)
    return heaviness, found
