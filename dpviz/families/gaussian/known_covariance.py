"""Normal families with known within-cluster covariance, spherical or full (2016 Sec. 4 and S1; FORMULAS §2).

Both share one kernel: a linear map turns the known covariance into the identity and the prior covariance into a
diagonal, after which every feature is a normal of unit variance with its own prior variance.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.linalg import solve_triangular

from dpviz._jit import implements, inlined, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import column_means, refuse_gaps
from dpviz.families.gaussian.base import (
    AffineWorkingData,
    GaussianFamily,
    centred,
    example_between,
    example_centre,
    example_covariance,
    location,
    mapped,
    moments,
    spread,
    variances_or_one,
)
from dpviz.families.gaussian.normal import NormalParameters, normal_log_density, root_of
from dpviz.families.gaussian.placing import Affine, Given, Placed, array_or, number_or, placed
from dpviz.families.gaussian.predictive import Predictive, fill_predictive
from dpviz.families.gaussian.scoring import SHORTEST_LOOP, keep_scored
from dpviz.families.verbs import (
    SLOT_FIELDS,
    SLOT_LAST_FIELDS,
    Candidates,
    OpenSlots,
    add_point,
    clear_slot,
    cluster_means,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
    score_open_slots,
)
from dpviz.numerics.matrices import cholesky, log_diagonal, lower_inverse, matrix_product, symmetric_eigen, transposed
from dpviz.numerics.sums import pairwise_sum
from dpviz.parameters import Parameter

VARIANCE_RATIO = 10.0
"""Default variance of the centres in units of that within a cluster."""


class KnownCovarianceFamily(GaussianFamily):
    """The common part of the two families: N(μ, Σ̂) points, μ ~ N(mu0, Σ0)."""

    mu0: FloatArray

    @abstractmethod
    def prior_covariance(self) -> FloatArray:
        """Σ0 (D, D)."""

    @abstractmethod
    def known_covariance(self) -> FloatArray:
        """Σ̂ (D, D)."""

    @abstractmethod
    def with_prior(self, mean: FloatArray, covariance: FloatArray) -> Self:
        """Return the same family with another prior on the mean."""

    def posterior(self, X: FloatArray) -> Self:
        """Hyperparameters after the points X (n, D): Σ_k = (Σ0⁻¹ + nΣ̂⁻¹)⁻¹, written so that Σ0 may be large."""
        n = len(X)
        if n == 0:
            return self
        prior, known = self.prior_covariance(), self.known_covariance()
        gain = np.linalg.solve(prior + known / n, prior).T  # Σ0 (Σ0 + Σ̂/n)⁻¹
        covariance = gain @ known / n
        return self.with_prior(self.mu0 + gain @ (X.sum(axis=0) / n - self.mu0), (covariance + covariance.T) / 2)

    def predictive(self) -> Predictive:
        """N(mu0, Σ0 + Σ̂)."""
        return Predictive(self.mu0, self.prior_covariance() + self.known_covariance(), np.inf)

    def expected_covariance(self) -> FloatArray:
        """Return the known covariance."""
        return self.known_covariance()

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Return the normal log density (nats) of each row of X."""
        normal = self.predictive()
        return normal_log_density(X, normal.location, normal.scale)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats): the mean's density and the scatter about it are independent."""
        n, n_features = X.shape
        if n == 0:
            return 0.0
        prior, known = self.prior_covariance(), self.known_covariance()
        mean = X.mean(axis=0)
        factor = np.linalg.cholesky(known)
        scaled = solve_triangular(factor, (X - mean).T, lower=True)
        log_determinant = 2 * np.sum(np.log(np.diagonal(factor)))
        return float(
            -0.5 * (n - 1) * (n_features * np.log(2 * np.pi) + log_determinant)
            - 0.5 * n_features * np.log(n)
            - 0.5 * np.sum(scaled**2)
            + normal_log_density(mean[None, :], self.mu0, prior + known / n)[0]
        )

    @cached_property
    def _factors(self) -> tuple[FloatArray, FloatArray, float]:
        """L with LLᵀ = Σ0, L̂⁻¹ with L̂L̂ᵀ = Σ̂, and ln|L̂⁻¹|, which all draws share."""
        known, inverse = root_of(self.known_covariance())
        return root_of(self.prior_covariance())[0], inverse, -float(np.log(np.diagonal(known)).sum())

    def draw(self, random_state: np.random.Generator) -> NormalParameters:
        """Draw the mean; the covariance is known."""
        factor, precision_root, log_determinant = self._factors
        mean = self.mu0 + factor @ random_state.standard_normal(len(self.mu0))
        return NormalParameters(mean, precision_root, log_determinant)

    def working(self, X: FloatArray) -> AffineWorkingData:
        """Map Σ̂ to the identity and Σ0 to a diagonal, after centring."""
        centre = X.mean(axis=0)
        covariances = (np.array(known, order="C") for known in (self.prior_covariance(), self.known_covariance()))
        prior = KnownCovariancePrior(np.array(self.mu0), *covariances)
        matrix, mean, variances, log_jacobian = whitened(prior, centre)
        family = NormalKnownCovariance(mean, np.diag(variances), np.eye(len(centre)))
        return AffineWorkingData.of(family, X, centre, matrix, log_jacobian)

    def bind(self, X: FloatArray, capacity: int) -> KnownVarianceState:
        """Allocate the state; valid in working coordinates, where Σ̂ = I and Σ0 is diagonal."""
        variances = np.diagonal(self.prior_covariance()).copy()
        return known_variance_state(self.mu0, variances, len(X), capacity)


class KnownCovariancePrior(NamedTuple):
    """Hyperparameters of both families, for kernels: mu0 (D,), Σ0 and Σ̂ (D, D)."""

    mu0: FloatArray
    sigma0: FloatArray
    sigma_hat: FloatArray


@kernel
def whitened(prior: KnownCovariancePrior, centre: FloatArray) -> Any:
    """Map Σ̂ to the identity and Σ0 to a diagonal, after centring.

    Returns
    -------
    tuple
        The matrix M (D, D), mu0 (D,) and the variances of the centres (D,) in its coordinates, and ln|M|.
    """
    factor = cholesky(prior.sigma_hat)
    whiten = lower_inverse(factor)
    between = matrix_product(matrix_product(whiten, prior.sigma0), transposed(whiten))
    variances, axes = symmetric_eigen(0.5 * (between + transposed(between)))
    matrix, shifted = matrix_product(transposed(axes), whiten), np.empty((1, centre.shape[0]))
    shifted[0] = prior.mu0 - centre
    return matrix, mapped(shifted, matrix)[0].copy(), variances, -log_diagonal(factor)


@kernel
def default_spherical_normal(means: FloatArray, variances: FloatArray) -> Any:
    """Return mu0 (D,), σ0² and σ̂² for columns with these means and variances (D,)."""
    variance = pairwise_sum(variances) / variances.shape[0]
    return means, variance, variance / VARIANCE_RATIO


@kernel
def default_known_covariance(means: FloatArray, variances: FloatArray) -> KnownCovariancePrior:
    """Return the default hyperparameters for columns with these means and variances (D,)."""
    return KnownCovariancePrior(means, np.diag(variances), np.diag(variances / VARIANCE_RATIO))


class SphericalNormalKind(NamedTuple):
    """Tells :func:`~dpviz.families.gaussian.placing.placed` the family."""


class KnownCovarianceKind(NamedTuple):
    """Tells :func:`~dpviz.families.gaussian.placing.placed` the family."""


@implements(placed, SphericalNormalKind)
def _placed_spherical(family: Any, X: FloatArray, given: Given, capacity: int) -> Placed:
    means, variances = moments(X)
    mu0, between, within = default_spherical_normal(means, variances)
    between, within = number_or(given.between[0], between), number_or(given.spread[0], within * given.share)
    identity = np.eye(X.shape[1])
    prior = KnownCovariancePrior(array_or(given.location, mu0), between * identity, within * identity)
    return _placed_under(prior, X, means, capacity)


@implements(placed, KnownCovarianceKind)
def _placed_known(family: Any, X: FloatArray, given: Given, capacity: int) -> Placed:
    means, variances = moments(X)
    default, shape = default_known_covariance(means, variances), (X.shape[1], X.shape[1])
    prior = KnownCovariancePrior(
        array_or(given.location, default.mu0),
        array_or(given.between, default.sigma0.ravel()).reshape(shape),
        array_or(given.spread, (default.sigma_hat * given.share).ravel()).reshape(shape),
    )
    return _placed_under(prior, X, means, capacity)


@kernel
def _placed_under(prior: KnownCovariancePrior, X: FloatArray, means: FloatArray, capacity: int) -> Placed:
    """Place the family with these hyperparameters beside data of these means (D,)."""
    matrix, mu0, variances, log_jacobian = whitened(prior, means)
    state = known_variance_state(mu0, variances, X.shape[0], capacity)
    moved = mapped(centred(X, means, np.ones(X.shape[1])), matrix)
    inverse = matrix_product(prior.sigma_hat, transposed(matrix))  # since matrixᵀ · matrix is Σ̂⁻¹
    return Placed(state, moved, log_jacobian, Affine(means, matrix, inverse))


@dataclass(frozen=True, eq=False)
class SphericalNormal(KnownCovarianceFamily):
    """N(μ, sigma_hat_sq · I) points with μ ~ N(mu0, sigma0_sq · I) (2016 Sec. 4, Algorithm 2).

    Attributes
    ----------
    mu0 : ndarray (D,)
    sigma0_sq, sigma_hat_sq : float
        Variance of the cluster centres and within a cluster, > 0, in squared units of the data.
    """

    mu0: FloatArray
    sigma0_sq: float
    sigma_hat_sq: float

    name: ClassVar[str] = "spherical_normal"
    title: ClassVar[str] = "Normal, spherical, known variance"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        location("mu0", "μ₀"),
        spread("sigma0_sq", "σ₀²", "variance of the cluster centres: how far apart they lie"),
        spread("sigma_hat_sq", "σ̂²", "variance inside every cluster: how wide they are"),
    )
    scaled_by_width: ClassVar[tuple[str, ...]] = ("sigma_hat_sq",)
    independent_columns: ClassVar[bool] = True

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """mu0 = x̄, sigma0_sq = mean variance, sigma_hat_sq = a tenth of it (FORMULAS §5)."""
        default = default_spherical_normal(column_means(X), variances_or_one(X))
        return dict(zip(("mu0", "sigma0_sq", "sigma_hat_sq"), default, strict=True))

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults, for data of unit order."""
        return {"mu0": example_centre(n_features), "sigma0_sq": 2.3, "sigma_hat_sq": 0.7}

    def prior_covariance(self) -> FloatArray:
        """σ0² I."""
        return self.sigma0_sq * np.eye(len(self.mu0))

    def known_covariance(self) -> FloatArray:
        """σ̂² I."""
        return self.sigma_hat_sq * np.eye(len(self.mu0))

    def with_prior(self, mean: FloatArray, covariance: FloatArray) -> SphericalNormal:
        """Return the same family with another prior on the mean."""
        return SphericalNormal(mean, float(covariance[0, 0]), self.sigma_hat_sq)


@dataclass(frozen=True, eq=False)
class NormalKnownCovariance(KnownCovarianceFamily):
    """N(μ, sigma_hat) points with μ ~ N(mu0, sigma0).

    Attributes
    ----------
    mu0 : ndarray (D,)
    sigma0, sigma_hat : ndarray (D, D)
        Covariance of the cluster centres and within a cluster, positive definite.
    """

    mu0: FloatArray
    sigma0: FloatArray
    sigma_hat: FloatArray

    name: ClassVar[str] = "normal_known_covariance"
    title: ClassVar[str] = "Normal, known covariance"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        location("mu0", "μ₀"),
        spread("sigma0", "Σ₀", "covariance of the cluster centres: how far apart they lie", shape=("D", "D")),
        spread("sigma_hat", "Σ̂", "covariance inside every cluster: their common shape", shape=("D", "D")),
    )
    scaled_by_width: ClassVar[tuple[str, ...]] = ("sigma_hat",)

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise if a cell is missing: there is no closed form of the marginal of incomplete rows."""
        refuse_gaps(X, cls.name)

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """mu0 = x̄, sigma0 = diagonal of the data's covariance, sigma_hat a tenth of it."""
        return default_known_covariance(column_means(X), variances_or_one(X))._asdict()

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults, for data of unit order."""
        between, within = example_between(n_features), example_covariance(n_features)
        return {"mu0": example_centre(n_features), "sigma0": between, "sigma_hat": within}

    def prior_covariance(self) -> FloatArray:
        """Σ0."""
        return self.sigma0

    def known_covariance(self) -> FloatArray:
        """Σ̂."""
        return self.sigma_hat

    def with_prior(self, mean: FloatArray, covariance: FloatArray) -> NormalKnownCovariance:
        """Return the same family with another prior on the mean."""
        return NormalKnownCovariance(mean, covariance, self.sigma_hat)


class KnownVarianceState(NamedTuple):
    """Per slot the posterior mean, 1/variance of both predictives, one's constant, the marginal's squared distance."""

    mu0: FloatArray
    prior_precision: FloatArray
    predictive_constant: FloatArray
    leave_one_out_constant: FloatArray
    marginal_constant: FloatArray
    mean: FloatArray
    predictive_precision: FloatArray
    leave_one_out_precision: FloatArray
    constant: FloatArray
    distance: FloatArray


@kernel
def known_variance_state(
    mu0: FloatArray, prior_variances: FloatArray, n_points: int, capacity: int
) -> KnownVarianceState:
    """Allocate the state and fill the tables of quantities that depend only on a cluster's size."""
    n_features = mu0.shape[0]
    prior_precision = 1.0 / prior_variances
    constant = -0.5 * n_features * math.log(2.0 * math.pi)
    predictive, leave_one_out, marginal = (
        np.full(n_points + 1, constant),
        np.full(n_points + 1, constant),
        np.empty(n_points + 1),
    )
    for n in range(n_points + 1):
        marginal[n] = n * constant
        for d in range(n_features):
            p = prior_precision[d] + n
            predictive[n] -= 0.5 * math.log1p(1.0 / p)
            marginal[n] -= 0.5 * math.log1p(n / prior_precision[d])
            if n > 1:  # a singleton's entry is not used
                leave_one_out[n] -= 0.5 * math.log1p(1.0 / (p - 1.0))
    return KnownVarianceState(
        mu0.copy(),
        prior_precision,
        predictive,
        leave_one_out,
        marginal,
        np.zeros((n_features, capacity)),
        np.zeros((n_features, capacity)),
        np.zeros((n_features, capacity)),
        np.zeros(capacity),
        np.zeros(capacity),
    )


SLOT_FIELDS[KnownVarianceState] = ("constant", "distance")
SLOT_LAST_FIELDS[KnownVarianceState] = ("mean", "predictive_precision", "leave_one_out_precision")


@inlined
def _refresh(state: Any, k: int, n: int) -> None:
    """Recompute the quantities derived from the slot's number of points."""
    state.constant[k] = state.predictive_constant[n]
    for d in range(state.prior_precision.shape[0]):
        p = state.prior_precision[d] + n
        state.predictive_precision[d, k] = p / (p + 1.0)
        state.leave_one_out_precision[d, k] = p / (p - 1.0) if n > 0 else 0.0


@implements(log_predictive, KnownVarianceState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    total = 0.0
    for d in range(X.shape[1]):
        delta = X[i, d] - state.mean[d, k]
        total += delta * delta * state.predictive_precision[d, k]
    return state.predictive_constant[n] - 0.5 * total


@inlined
def _score_slots(state: Any, X: FloatArray, i: int, n_slots: int, log_weight: FloatArray, work: FloatArray) -> None:
    """Write the scores of slots 0 … n_slots − 1 to row D + 1 of ``work``."""
    mean, precision, constant = state.mean, state.predictive_precision, state.constant
    total = X.shape[1] + 1
    for k in range(n_slots):
        work[total, k] = 0.0
    for d in range(X.shape[1]):
        for k in range(n_slots):
            delta = X[i, d] - mean[d, k]
            work[total, k] += delta * delta * precision[d, k]
    for k in range(n_slots):
        work[total, k] = constant[k] - 0.5 * work[total, k] + log_weight[k]


@implements(score_open_slots, KnownVarianceState)
def _score_open_slots(
    state: Any,
    X: FloatArray,
    i: int,
    own: int,
    open_slots: OpenSlots,
    best: float,
    slack: float,
    candidates: Candidates,
) -> int:
    n_slots, sizes, log_weight = open_slots.n_slots, open_slots.sizes, open_slots.log_weight
    scores, work = candidates.scores, candidates.work
    if math.isnan(scores[0]):
        scores[0] = log_leave_one_out(state, X, i, own, sizes[own]) + log_weight[own]
    if open_slots.n_open == 1:
        return 1
    total = X.shape[1] + 1  # a row of ``work``
    if n_slots < SHORTEST_LOOP:
        for k in range(n_slots):
            work[total, k] = log_predictive(state, X, i, k, sizes[k]) + log_weight[k]
    else:
        _score_slots(state, X, i, n_slots, log_weight, work)
    work[total, own] = math.nan  # not a candidate: nothing is above NaN
    return keep_scored(open_slots, max(best, scores[0]), slack, candidates)


@implements(log_leave_one_out, KnownVarianceState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    total = 0.0
    for d in range(X.shape[1]):
        delta = X[i, d] - state.mean[d, k]
        total += delta * delta * state.leave_one_out_precision[d, k]
    return state.leave_one_out_constant[n] - 0.5 * total


@implements(fill_predictive, KnownVarianceState)
def _fill_predictive(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    scale[:] = 0.0
    for d in range(location.shape[0]):
        location[d], scale[d, d] = state.mean[d, k], 1.0 / state.predictive_precision[d, k]
    return math.inf


@implements(add_point, KnownVarianceState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.mean[d, k] += (X[i, d] - state.mean[d, k]) / (state.prior_precision[d] + n + 1.0)
    _refresh(state, k, n + 1)
    return True


@implements(remove_point, KnownVarianceState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.mean[d, k] -= (X[i, d] - state.mean[d, k]) / (state.prior_precision[d] + n - 1.0)
    _refresh(state, k, n - 1)
    return True


@implements(clear_slot, KnownVarianceState)
def _clear_slot(state: Any, k: int) -> None:
    state.distance[k] = 0.0
    for d in range(state.mu0.shape[0]):
        state.mean[d, k] = state.mu0[d]
    _refresh(state, k, 0)


@implements(log_marginal, KnownVarianceState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    return state.marginal_constant[n] - 0.5 * state.distance[k]


@implements(rebuild, KnownVarianceState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    n_points, n_features = X.shape
    mean, distance = np.empty((n_clusters, n_features)), state.distance
    distance[first : first + n_clusters] = 0.0
    cluster_means(X, labels, sizes, n_clusters, 0, mean)
    for i in range(n_points):
        cluster = labels[i]
        for d in range(n_features):
            delta = X[i, d] - mean[cluster, d]
            distance[first + cluster] += delta * delta
    for cluster in range(n_clusters):
        k, n = first + cluster, sizes[cluster]
        for d in range(n_features):
            p0 = state.prior_precision[d]
            shift = mean[cluster, d] - state.mu0[d]
            distance[k] += p0 * n / (p0 + n) * shift * shift
            state.mean[d, k] = state.mu0[d] + n / (p0 + n) * shift
        _refresh(state, k, n)
