"""Shared code of the Gaussian families: predictives with a location and a scale, and affine working coordinates."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import gammaln

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.families import base
from dpviz.families.base import Family, Formula, WorkingData, column_maxima
from dpviz.families.gaussian.predictive import Predictive, predictives_of
from dpviz.families.gaussian.shapes import LocationScaleShapes
from dpviz.numerics.matrices import matrix_product, transposed
from dpviz.numerics.sums import column_means, column_variances, pairwise_sum
from dpviz.parameters import Bound, Parameter


@dataclass(frozen=True)
class ClusterSummary(base.ClusterSummary):
    """Posterior of one Gaussian cluster.

    Attributes
    ----------
    size : int
    posterior : Family
    mean : ndarray (D,)
        Posterior mean of the cluster's location.
    covariance : ndarray (D, D)
        Posterior mean of the within-cluster covariance; NaN if the posterior has none.
    predictive : Predictive or None
        Of one more point; None where cells are left out, since columns then differ in degrees of freedom.
    """

    mean: FloatArray
    covariance: FloatArray
    predictive: Predictive | None


@dataclass(frozen=True)
class AffineWorkingData(WorkingData):
    """Data centred and of unit order: a point x becomes matrix (x − origin).

    Attributes
    ----------
    origin : ndarray (D,)
    matrix : ndarray (D,) or (D, D)
        One dimension stands for a diagonal.
    """

    origin: FloatArray = None  # type: ignore[assignment]  # always given; the fields before it have defaults
    matrix: FloatArray = None  # type: ignore[assignment]

    @classmethod
    def of(cls, family: Family, X: FloatArray, origin: FloatArray, matrix: FloatArray, log_jacobian: float) -> Self:
        """Map X to working coordinates and keep the map."""
        mapped = _affine(X, origin, matrix)
        return cls(family, mapped, mapped, log_jacobian, origin, matrix)

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D) to working coordinates."""
        return _affine(X, self.origin, self.matrix)

    def directions(self, n_features: int) -> FloatArray:
        """Return the images (D, D) of the unit vectors."""
        return np.diag(self.matrix) if self.matrix.ndim == 1 else self.matrix.T

    def to_original(self, locations: FloatArray, scales: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Map locations (K, D) and scale matrices (K, D, D) back to the units of the data."""
        inverse = np.diag(1 / self.matrix) if self.matrix.ndim == 1 else np.linalg.inv(self.matrix)
        return locations @ inverse.T + self.origin, inverse @ scales @ inverse.T


class GaussianFamily(Family):
    """A family whose predictives are normal or Student t."""

    @abstractmethod
    def predictive(self) -> Predictive:
        """Location, scale and degrees of freedom of the predictive of one point."""

    def marginal_log_densities(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each entry of X (n, D) under its column's Student t, or normal."""
        t = self.predictive()
        scale = np.sqrt(np.diagonal(t.scale))
        squared, degrees = ((X - t.location) / scale) ** 2, t.degrees_of_freedom
        if np.isinf(degrees):
            return np.asarray(-0.5 * (squared + np.log(2 * np.pi)) - np.log(scale))
        constant = gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - 0.5 * np.log(degrees * np.pi)
        return np.asarray(constant - np.log(scale) - 0.5 * (degrees + 1) * np.log1p(squared / degrees))

    @abstractmethod
    def expected_covariance(self) -> FloatArray:
        """Mean of the within-cluster covariance (D, D) under the present hyperparameters; NaN if it has none."""

    @abstractmethod
    def working(self, X: FloatArray) -> AffineWorkingData:
        """Move model and data to centred coordinates of unit order."""

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> LocationScaleShapes:
        """Predictives of slots 0 … K − 1 of a state in the units of the data."""
        assert isinstance(working, AffineWorkingData)
        locations, scales, degrees = predictives_of(state, sizes, len(working.origin))
        return LocationScaleShapes(*working.to_original(locations, scales), degrees, self.predictive().independent)

    def summarise(self, X: FloatArray) -> ClusterSummary:
        """Posterior summary of a cluster made of the points X (n, D)."""
        posterior = self.posterior(X)
        predictive = posterior.predictive()
        return ClusterSummary(len(X), posterior, predictive.location, posterior.expected_covariance(), predictive)

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the normal or multivariate Student t predictive at a point x (D,)."""
        predictive, n_features = self.predictive(), len(x)
        location, scale, degrees = predictive.location, predictive.scale, predictive.degrees_of_freedom
        squared = float((x - location) @ np.linalg.solve(scale, x - location))
        log_determinant = float(np.linalg.slogdet(scale)[1])
        shape = f"ln|S| = {log_determinant:.4f}, d² = (x − m)ᵀ S⁻¹ (x − m) = {squared:.4f}"
        if not np.isfinite(degrees):
            value = n_features / 2 * math.log(2 * math.pi) + log_determinant / 2 + squared / 2
            latex = r"-\ln f = \tfrac D2\ln 2\pi + \tfrac12\ln|S| + \tfrac12 d^2"
            return Formula(latex, f"D = {n_features}, {shape}", value)
        value = (
            math.lgamma(degrees / 2) - math.lgamma((degrees + n_features) / 2)
            + n_features / 2 * math.log(degrees * math.pi) + log_determinant / 2
            + (degrees + n_features) / 2 * math.log1p(squared / degrees)
        )  # fmt: skip
        latex = (
            r"-\ln f = \ln\tfrac{\Gamma(\nu/2)}{\Gamma((\nu+D)/2)} + \tfrac D2\ln(\nu\pi) + \tfrac12\ln|S|"
            r" + \tfrac{\nu+D}{2}\ln\big(1+\tfrac{d^2}{\nu}\big)"
        )
        return Formula(latex, f"ν = {degrees:.6g}, D = {n_features}, {shape}", value)

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw normal points about a few centres."""
        rng = np.random.default_rng([seed, n_features])
        centres = rng.normal(scale=1.5, size=(3, n_features))
        return centres[np.arange(n_points) % 3] + rng.normal(scale=0.8, size=(n_points, n_features))


def location(name: str, symbol: str) -> Parameter:
    """Describe a prior mean (D,)."""
    explanation = "where clusters are expected to lie"
    return Parameter(name=name, symbol=symbol, explanation=explanation, role="location", shape=("D",))


def weight(name: str, symbol: str, explanation: str, lower: Bound = 0.0) -> Parameter:
    """Describe a weight of the prior, in points."""
    return Parameter(name=name, symbol=symbol, explanation=explanation, lower=lower, log=True, role="weight")


def spread(name: str, symbol: str, explanation: str, shape: tuple[str, ...] = ()) -> Parameter:
    """Describe a spread in the units of the data; matrices are checked to be positive definite instead of > 0."""
    lower = -math.inf if len(shape) == 2 else 0.0
    return Parameter(
        name=name, symbol=symbol, explanation=explanation, lower=lower, log=True, role="scale", shape=shape
    )  # fmt: skip


def _affine(X: FloatArray, origin: FloatArray, matrix: FloatArray) -> FloatArray:
    shifted = np.ascontiguousarray(X - origin)
    return np.ascontiguousarray(shifted * matrix) if matrix.ndim == 1 else mapped(shifted, matrix)


@kernel
def mapped(shifted: FloatArray, matrix: FloatArray) -> FloatArray:
    """Map every row (D,) of ``shifted`` (N, D) by the matrix (D, D)."""
    return matrix_product(shifted, transposed(matrix))


def variances_or_one(X: FloatArray) -> FloatArray:
    """Return the population variance per column; a zero becomes 1e-6 of the mean one, or 1 if all are zero."""
    if not np.isnan(X).any():
        return usable_variances(column_variances(np.ascontiguousarray(X)))
    constant = column_maxima(X) == -column_maxima(-X)  # their variance is not always 0: the mean is rounded
    return usable_variances(np.where(constant, 0.0, np.nanvar(X, axis=0)))


@kernel
def usable_variances(variances: FloatArray) -> FloatArray:
    """Replace every variance of 0 by 1e-6 of the mean one, or by 1 if all are zero."""
    mean, usable = 0.0, variances.copy()
    for d in range(variances.shape[0]):
        mean += variances[d] / variances.shape[0]
    for d in range(variances.shape[0]):
        if not variances[d] > 0.0:
            usable[d] = 1e-6 * mean if mean > 0.0 else 1.0
    return usable


def power_of_two_scale(X: FloatArray) -> FloatArray:
    """Per column the power of two nearest its standard deviation: dividing by it is exact in floating point."""
    return powers_of_two(variances_or_one(X))


@kernel
def powers_of_two(variances: FloatArray) -> FloatArray:
    """Return the powers of two nearest to the roots of variances (D,), by ratio; of two as near the even power."""
    powers = np.empty(variances.shape[0])
    for d in range(variances.shape[0]):
        bits = np.float64(variances[d]).view(np.int64)
        exponent = np.int64(bits >> 52) - 1023
        half = exponent >> 1
        if exponent & 1 and (bits & 0xFFFFFFFFFFFFF or half & 1):
            half += 1
        powers[d] = np.int64((half + 1023) << 52).view(np.float64)
    return powers


@kernel
def moments(X: FloatArray) -> Any:
    """Return the means (D,) and the usable variances (D,) of the columns of X (N, D), which has no gaps."""
    return column_means(X), usable_variances(column_variances(X))


@kernel
def centre_and_scale(X: FloatArray) -> Any:
    """Return the means (D,), the power-of-two scales (D,) and the log Jacobian of dividing by these, as X has no gaps.

    The log Jacobian is per point, in nats.
    """
    means, variances = moments(X)
    scale = powers_of_two(variances)
    return means, scale, -pairwise_sum(np.log(scale))


@kernel
def centred(X: FloatArray, centre: FloatArray, factor: FloatArray) -> FloatArray:
    """Return (X − centre) · factor, column by column."""
    moved = np.empty_like(X)
    for i in range(X.shape[0]):
        for d in range(X.shape[1]):
            moved[i, d] = (X[i, d] - centre[d]) * factor[d]
    return moved


def example_centre(n_features: int) -> FloatArray:
    """Return a prior mean (D,) off the centre of the example data."""
    return np.linspace(0.3, -0.5, n_features)


def example_covariance(n_features: int) -> FloatArray:
    """Return a covariance (D, D) within a cluster of the example data."""
    return np.diag(np.linspace(0.8, 1.3, n_features)) + 0.25


def example_between(n_features: int) -> FloatArray:
    """Return a covariance (D, D) of the centres of the example data's clusters."""
    return np.diag(np.linspace(2.5, 1.5, n_features)) - min(0.4, 1.6 / n_features)  # positive definite for any D


def example_weights(n_features: int) -> dict[str, Any]:
    """Return the prior mean and its weight, for the families that learn a spread."""
    return {"m0": example_centre(n_features), "c0": 0.4}
