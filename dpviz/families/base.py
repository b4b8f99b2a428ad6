"""What a component family is: hyperparameters, posterior, predictive, marginal, and the verbs of its kernels.

A family exists twice. The frozen dataclass (:class:`Family`) is the readable one: hyperparameters in, posterior of
the same class out, in the units of the data. Its *state*, a ``NamedTuple`` of arrays, is what the sweeps use: one slot
of sufficient statistics per cluster, updated one point at a time by the generic verbs of this module.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dpviz._jit import generic, kernel
from dpviz.errors import InvalidParameterError
from dpviz.families.gaussian.predictive import ClusterSummary, Predictive

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

SMALLEST_REMAINDER = 1e-6
"""Below this ratio of a cluster's scatter without and with a point, closed forms would lose too many digits."""


# --- verbs of the kernels; X is the working data, i a point, k a slot, n the number of points in the slot ------------


@generic
def log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    """Log density (nats) of point i under the posterior predictive of slot k, which holds n other points."""
    raise TypeError(type(state))


@generic
def log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    """Log density (nats) of point i, a member of slot k of n points, given the other n − 1; NaN if ill-conditioned."""
    raise TypeError(type(state))


@generic
def add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    """Add point i to slot k, which holds n points before; False if digits were lost and k must be rebuilt."""
    raise TypeError(type(state))


@generic
def remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    """Remove point i from slot k, which holds n points before; False if digits were lost and k must be rebuilt."""
    raise TypeError(type(state))


@generic
def clear_slot(state: Any, k: int) -> None:
    """Put slot k back to the prior, completely, so that a later cluster inherits nothing."""
    raise TypeError(type(state))


@generic
def rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    """Compute slots first … first + n_clusters − 1 from the clusters 0 … n_clusters − 1 of X, in two passes."""
    raise TypeError(type(state))


@generic
def log_marginal(state: Any, k: int, n: int) -> float:
    """Log marginal likelihood (nats) of the n points of slot k; valid after :func:`rebuild` only."""
    raise TypeError(type(state))


@kernel
def cluster_means(
    X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int, mean: FloatArray
) -> None:
    """Fill rows first … first + n_clusters − 1 of ``mean`` with the means of the clusters' members."""
    mean[first : first + n_clusters] = 0.0
    for i in range(X.shape[0]):
        for d in range(X.shape[1]):
            mean[first + labels[i], d] += X[i, d]
    for k in range(n_clusters):
        for d in range(X.shape[1]):
            mean[first + k, d] /= sizes[k]


# --- the readable side -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hyperparameter:
    """One hyperparameter as widgets and error messages need it.

    Attributes
    ----------
    name, symbol, explanation : str
        Key in the ``prior`` dict, the papers' symbol, and one line for people.
    shape : str
        ``"scalar"``, ``"vector"`` (D,) or ``"matrix"`` (D, D).
    lower : float
        Values must be greater; ``-inf`` for locations. Matrices must be positive definite instead.
    """

    name: str
    symbol: str
    explanation: str
    shape: str
    lower: float = -np.inf


class Parameters(Protocol):
    """Explicit parameters of one component, as drawn by :meth:`Family.draw`."""

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D)."""
        ...

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw points (n_points, D)."""
        ...


@dataclass(frozen=True)
class WorkingScale:
    """A family and its data in the coordinates the kernels use.

    Attributes
    ----------
    family : Family
        The same model, its hyperparameters moved to the working coordinates.
    X : ndarray (N, D)
        float64, C order, writable, centred, of unit order.
    log_jacobian : float
        To be added to every log density (nats per point) to speak of the original units.
    origin : ndarray (D,)
    matrix : ndarray (D,) or (D, D)
        A point x becomes matrix (x − origin); one dimension stands for a diagonal.
    """

    family: Family
    X: FloatArray
    log_jacobian: float
    origin: FloatArray
    matrix: FloatArray

    @classmethod
    def of(cls, family: Family, X: FloatArray, origin: FloatArray, matrix: FloatArray, log_jacobian: float) -> Self:
        """Map X to working coordinates and keep the map."""
        mapped = _affine(X, origin, matrix)
        return cls(family, mapped, log_jacobian, origin, matrix)

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D) to working coordinates."""
        return _affine(X, self.origin, self.matrix)

    def to_original(self, locations: FloatArray, scales: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Map locations (K, D) and scale matrices (K, D, D) back to the units of the data."""
        inverse = np.diag(1 / self.matrix) if self.matrix.ndim == 1 else np.linalg.inv(self.matrix)
        return locations @ inverse.T + self.origin, inverse @ scales @ inverse.T


class Family(ABC):
    """A conjugate component family with its hyperparameters (immutable).

    Subclasses are frozen dataclasses whose fields are the hyperparameters in the units of the data.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    hyperparameters: ClassVar[tuple[Hyperparameter, ...]]

    @classmethod
    @abstractmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Empirical-Bayes hyperparameters at fixed weight (FORMULAS §5) for data X (N, D)."""

    @classmethod
    def from_prior(cls, prior: Mapping[str, Any] | None, X: FloatArray) -> Self:
        """Build the family from a user's hyperparameters; those not given come from :meth:`default_prior`.

        Parameters
        ----------
        prior : mapping or None
            Hyperparameters by name; scalars are accepted for vectors.
        X : ndarray (N, D)
            The data, for the defaults and for the shapes.

        Raises
        ------
        InvalidParameterError
            For unknown names, wrong shapes, values out of range, matrices that are not positive definite.
        """
        given = dict(prior or {})
        known = [parameter.name for parameter in cls.hyperparameters]
        for key in given:
            if key not in known:
                raise InvalidParameterError(
                    f"prior[{key!r}] is not a hyperparameter of {cls.name}; it has {', '.join(known)}."
                )
        values = given if len(given) == len(known) else {**cls.default_prior(X), **given}
        checked = {p.name: _checked(p, values[p.name], X.shape[1]) for p in cls.hyperparameters}
        family = cls(**checked)
        family.check(X.shape[1])
        return family

    def check(self, n_features: int) -> None:  # noqa: B027  (most families have nothing to add)
        """Raise if the hyperparameters contradict each other for data with ``n_features`` columns."""

    @abstractmethod
    def working_scale(self, X: FloatArray) -> WorkingScale:
        """Move model and data to coordinates of unit order, so that no offset or scale costs digits."""

    @abstractmethod
    def bind(self, X: FloatArray, capacity: int) -> Any:
        """Allocate the kernels' state for working data X with ``capacity`` empty slots."""

    @abstractmethod
    def slot_predictives(self, state: Any, sizes: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Predictives of slots 0 … K − 1 of a state, all at once, for drawing.

        Returns
        -------
        locations : ndarray (K, D)
        scales : ndarray (K, D, D)
        degrees_of_freedom : ndarray (K,)
        """

    @abstractmethod
    def posterior(self, X: FloatArray) -> Self:
        """Hyperparameters after seeing the points X (n, D); n may be 0."""

    @abstractmethod
    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Log predictive density (nats) of each row of X (n, D) under the present hyperparameters."""

    @abstractmethod
    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) as one cluster."""

    @abstractmethod
    def predictive(self) -> Predictive:
        """Location, scale and degrees of freedom of the predictive of one point."""

    @abstractmethod
    def expected_covariance(self) -> FloatArray:
        """Mean of the within-cluster covariance (D, D) under the present hyperparameters; NaN where it has none."""

    @abstractmethod
    def draw(self, random_state: np.random.Generator) -> Parameters:
        """Draw a component's parameters from the present hyperparameters."""

    def summarise(self, X: FloatArray) -> ClusterSummary:
        """Posterior summary of a cluster made of the points X (n, D)."""
        posterior = self.posterior(X)
        predictive = posterior.predictive()
        return ClusterSummary(len(X), predictive.location, posterior.expected_covariance(), predictive)


def _affine(X: FloatArray, origin: FloatArray, matrix: FloatArray) -> FloatArray:
    shifted = X - origin
    return np.ascontiguousarray(shifted * matrix if matrix.ndim == 1 else shifted @ matrix.T)


SLOT_FIELDS: dict[type, tuple[str, ...]] = {}
"""Per class of state, the arrays that have an entry per slot."""


def grow_slots(state: Any, capacity: int) -> Any:
    """Copy a state into one with more slots."""
    grown = {}
    for field in SLOT_FIELDS[type(state)]:
        old = getattr(state, field)
        new = np.zeros((capacity, *old.shape[1:]), dtype=old.dtype)
        new[: len(old)] = old
        grown[field] = new
    return state._replace(**grown)


def variances_or_one(X: FloatArray) -> FloatArray:
    """Return the population variance per column; a zero becomes 1e-6 of the mean one, or 1 if all are zero."""
    constant = np.ptp(X, axis=0) == 0  # the variance of equal numbers is not always 0: their mean is rounded
    variances = np.where(constant, 0.0, np.var(X, axis=0))
    mean_variance = float(np.mean(variances))
    return np.where(variances > 0, variances, 1e-6 * mean_variance if mean_variance > 0 else 1.0)


def power_of_two_scale(X: FloatArray) -> FloatArray:
    """Per column the power of two nearest its standard deviation: dividing by it is exact in floating point."""
    return np.asarray(np.exp2(np.round(0.5 * np.log2(variances_or_one(X)))))


def _checked(parameter: Hyperparameter, value: Any, n_features: int) -> Any:
    """Return a hyperparameter as float, (D,) or (D, D) array, or say what is wrong with it."""
    where = f"prior[{parameter.name!r}]"
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"{where} = {value!r} must be numeric.") from error
    if not np.all(np.isfinite(array)):
        raise InvalidParameterError(f"{where} holds NaN or infinity; give finite numbers.")
    expected = {"scalar": (), "vector": (n_features,), "matrix": (n_features, n_features)}[parameter.shape]
    if parameter.shape == "vector" and array.shape == ():
        array = np.full(expected, float(array))
    if parameter.shape == "matrix" and array.shape == () and n_features == 1:
        array = array.reshape(1, 1)
    if array.shape != expected:
        raise InvalidParameterError(
            f"{where} has shape {array.shape}; for {n_features} features it must be {expected}."
        )
    if parameter.shape == "matrix":
        return _positive_definite(where, array)
    if not np.all(array > parameter.lower):
        raise InvalidParameterError(f"{where} = {value!r} must be > {parameter.lower:g}; give a larger value.")
    return array if expected else float(array)


def _positive_definite(where: str, matrix: FloatArray) -> FloatArray:
    """Return the symmetric part of a positive definite matrix; scales as small as 1e-200 are judged alike."""
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=0):
        raise InvalidParameterError(f"{where} is not symmetric; give a symmetric positive definite matrix.")
    diagonal = np.diagonal(matrix)
    if np.all(diagonal > 0):
        roots = np.sqrt(diagonal)
        smallest = float(np.linalg.eigvalsh((matrix + matrix.T) / 2 / roots / roots[:, None])[0])
        if smallest > 1e-13:
            return (matrix + matrix.T) / 2
    raise InvalidParameterError(
        f"{where} is not positive definite; add a small multiple of its diagonal, or drop collinear columns."
    )
