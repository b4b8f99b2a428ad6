"""Explicit parameters of a normal component, shared by the Gaussian families."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dtrtri

from dpviz.arrays import FloatArray, IntArray
from dpviz.families.gaussian.shapes import LocationScaleShapes

HALF_LOG_2PI = 0.5 * float(np.log(2 * np.pi))


@dataclass(frozen=True)
class NormalParameters:
    """Mean and precision of one normal component.

    Attributes
    ----------
    mean : ndarray (D,)
    precision_root : ndarray (D, D)
        R with precision RᵀR; triangular or not.
    log_determinant : float
        ln|R|, which is known when R is drawn.
    """

    mean: FloatArray
    precision_root: FloatArray
    log_determinant: float

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix (D, D)."""
        inverse = np.linalg.inv(self.precision_root)
        return np.asarray(inverse @ inverse.T)

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D)."""
        scaled = (X - self.mean) @ self.precision_root.T
        constant = self.log_determinant - len(self.mean) * HALF_LOG_2PI
        return np.asarray(constant - 0.5 * np.einsum("nd,nd->n", scaled, scaled))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw points (n_points, D)."""
        noise = random_state.standard_normal((n_points, len(self.mean)))
        return np.asarray(self.mean + np.linalg.solve(self.precision_root, noise.T).T)

    def shapes(self) -> LocationScaleShapes:
        """Return the component's ellipse or density."""
        return LocationScaleShapes(self.mean[None, :], self.covariance[None, :, :], np.array([np.inf]))


def squared_distances(X: FloatArray, location: FloatArray, scale: FloatArray) -> tuple[FloatArray, float]:
    """Squared Mahalanobis distance of each row of X (n, D), and ln|scale|, whatever units the columns have."""
    units = np.sqrt(np.diagonal(scale))
    factor = np.linalg.cholesky(scale / units / units[:, None])
    scaled = solve_triangular(factor, ((X - location) / units).T, lower=True)
    log_determinant = 2 * float(np.sum(np.log(units)) + np.sum(np.log(np.diagonal(factor))))
    return np.asarray(np.einsum("dn,dn->n", scaled, scaled)), log_determinant


def normal_log_density(X: FloatArray, location: FloatArray, covariance: FloatArray) -> FloatArray:
    """Multivariate normal log density (nats) of each row of X (n, D)."""
    squared, log_determinant = squared_distances(X, location, covariance)
    return -0.5 * (len(location) * np.log(2 * np.pi) + log_determinant + squared)


def root_of(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return L with LLᵀ = covariance (D, D), and L⁻¹; for small matrices a solver would spend its time on checks."""
    factor = np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)
    return factor, np.asarray(dtrtri(factor, lower=1)[0])


def draw_wishart_root(
    degrees_of_freedom: float, factor: FloatArray, inverse: FloatArray, random_state: np.random.Generator
) -> tuple[FloatArray, float]:
    """Draw R with RᵀR ~ Wishart(degrees_of_freedom, (LLᵀ)⁻¹), by Bartlett's decomposition from L and L⁻¹; and ln|R|."""
    n_features = len(factor)
    bartlett = random_state.standard_normal((n_features, n_features))
    bartlett[_upper(n_features)] = 0.0
    diagonal = np.sqrt(random_state.chisquare(degrees_of_freedom - np.arange(n_features)))
    bartlett.ravel()[:: n_features + 1] = diagonal
    log_determinant = float(np.log(diagonal / np.diagonal(factor)).sum())
    return np.asarray(bartlett.T @ inverse), log_determinant


@cache
def _upper(n_features: int) -> tuple[IntArray, IntArray]:
    """Mask of a square matrix's entries above the diagonal."""
    return np.triu_indices(n_features, 1)
