"""Normal–gamma family: independent normal features with unknown mean and variance (2014 paper; 2016 S1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln

from dpviz._jit import implements, inlined, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, column_means
from dpviz.families.gaussian.base import (
    AffineWorkingData,
    GaussianFamily,
    centre_and_scale,
    centred,
    example_covariance,
    example_weights,
    location,
    moments,
    spread,
    variances_or_one,
    weight,
)
from dpviz.families.gaussian.normal import NormalParameters
from dpviz.families.gaussian.placing import Given, Placed, array_or, number_or, placed, scaling
from dpviz.families.gaussian.predictive import Predictive, fill_predictive
from dpviz.families.gaussian.scoring import keep_likely, keep_scored, log_below
from dpviz.families.verbs import (
    SLOT_FIELDS,
    SLOT_LAST_FIELDS,
    SMALLEST_REMAINDER,
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
from dpviz.numerics.special import log_gamma
from dpviz.parameters import Parameter

PRIOR_WEIGHT, PRIOR_SHAPE = 0.1, 1.5
"""c0 and a0 of the default prior."""
HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
LARGEST_FACTOR = 1e100
"""Factors are multiplied up to here before their logarithm is taken: one logarithm for many features."""


@dataclass(frozen=True, eq=False)
class NormalGamma(GaussianFamily):
    """Per feature: precision τ ~ Gamma(a0, rate b0), mean | τ ~ N(m0, (c0 τ)⁻¹).

    Attributes
    ----------
    m0 : ndarray (D,)
        Prior mean.
    c0, a0 : float
        Weight of the prior mean in points, and shape of the precision's prior; both > 0.
    b0 : ndarray (D,)
        Rate of the precision's prior, > 0, in squared units of the data.
    """

    m0: FloatArray
    c0: float
    a0: float
    b0: FloatArray

    name: ClassVar[str] = "normal_gamma"
    title: ClassVar[str] = "Normal, independent features (normal–gamma)"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        location("m0", "m₀"),
        weight("c0", "c₀", "how many points the prior mean is worth: small lets centres roam"),
        weight("a0", "a₀", "half the number of points the prior spread is worth"),
        spread("b0", "b₀", "prior spread: a cluster's expected variance is b₀/(a₀ − 1)", shape=("D",)),
    )
    scaled_by_width: ClassVar[tuple[str, ...]] = ("b0", "c0")
    independent_columns: ClassVar[bool] = True

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Empirical Bayes at fixed weight: m0 = x̄, c0 = 0.1, a0 = 1.5, b0 = S_dd/(2N) (FORMULAS §5)."""
        return default_normal_gamma(column_means(X), variances_or_one(X))._asdict()

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults, for data of unit order."""
        b0 = np.diagonal(example_covariance(n_features)) / 2
        return {**example_weights(n_features), "a0": 1.3, "b0": b0}

    def working(self, X: FloatArray) -> AffineWorkingData:
        """Centre each column and divide it by a power of two."""
        centre, scale, log_jacobian = centre_and_scale(np.ascontiguousarray(X))
        family = NormalGamma(*scaled_normal_gamma(self._prior(), centre, scale))
        return AffineWorkingData.of(family, X, centre, 1 / scale, log_jacobian)

    def posterior(self, X: FloatArray) -> NormalGamma:
        """Hyperparameters after the points X (n, D) (FORMULAS §2)."""
        n = len(X)
        if n == 0:
            return self
        mean = X.sum(axis=0) / n
        c = self.c0 + n
        b = self.b0 + 0.5 * ((X - mean) ** 2).sum(axis=0) + self.c0 * n * (mean - self.m0) ** 2 / (2 * c)
        return NormalGamma((self.c0 * self.m0 + n * mean) / c, c, self.a0 + n / 2, b)

    def predictive(self) -> Predictive:
        """Independent Student t, 2a degrees of freedom, squared scales b(c+1)/(ac)."""
        squared_scales = self.b0 * (self.c0 + 1) / (self.a0 * self.c0)
        return Predictive(self.m0, np.diag(squared_scales), 2 * self.a0, independent=True)

    def expected_covariance(self) -> FloatArray:
        """diag(b/(a − 1)), or NaN where a ≤ 1."""
        return np.diag(self.b0 / (self.a0 - 1) if self.a0 > 1 else np.full_like(self.b0, np.nan))

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Sum over features of Student t log densities (nats), for each row of X."""
        from scipy import stats  # deferred: it takes half a second to import

        t = self.predictive()
        scales = np.sqrt(np.diagonal(t.scale))
        return np.sum(stats.t.logpdf(X, t.degrees_of_freedom, t.location, scales), axis=-1)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats), FORMULAS §2."""
        n, n_features = X.shape
        after = self.posterior(X)
        per_feature = (
            -0.5 * n * np.log(2 * np.pi) + gammaln(after.a0) - gammaln(self.a0) + 0.5 * np.log(self.c0 / after.c0)
        )
        return float(n_features * per_feature + self.a0 * np.sum(np.log(self.b0)) - after.a0 * np.sum(np.log(after.b0)))

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of Student t predictives at a point x (D,)."""
        t = self.predictive()
        scales = np.sqrt(np.diagonal(t.scale))
        latex = (
            r"-\ln f = \sum_d \Big[\ln\tfrac{\Gamma(\nu/2)}{\Gamma((\nu+1)/2)} + \tfrac12\ln(\nu\pi s_d^2)"
            r" + \tfrac{\nu+1}{2}\ln\big(1+\tfrac{(x_d-m_d)^2}{\nu s_d^2}\big)\Big]"
        )
        value = -float(self.log_predictive(x[None, :])[0])
        numbers = f"ν = {t.degrees_of_freedom:.4g}; per feature:"
        return Formula(latex, numbers, value, {"x": x, "m": t.location, "s": scales})

    def draw(self, random_state: np.random.Generator) -> NormalParameters:
        """Draw means and precisions, feature by feature."""
        precision = random_state.standard_gamma(self.a0, len(self.b0)) / self.b0
        noise = random_state.standard_normal(len(self.m0))
        mean, log_determinant = self.m0 + noise / np.sqrt(self.c0 * precision), 0.5 * np.add.reduce(np.log(precision))
        root = np.zeros((len(noise), len(noise)))
        root.ravel()[:: len(noise) + 1] = np.sqrt(precision)
        return NormalParameters(mean, root, log_determinant)

    def bind(self, X: FloatArray, capacity: int) -> NormalGammaState:
        """Allocate the state and fill the tables of quantities that depend only on a cluster's size."""
        return normal_gamma_state(self._prior(), len(X), capacity)

    def _prior(self) -> NormalGammaPrior:
        """Return the hyperparameters as kernels are compiled for them."""
        return NormalGammaPrior(np.array(self.m0), float(self.c0), float(self.a0), np.array(self.b0))


class NormalGammaPrior(NamedTuple):
    """Hyperparameters of :class:`NormalGamma`, for kernels."""

    m0: FloatArray
    c0: float
    a0: float
    b0: FloatArray


class NormalGammaState(NamedTuple):
    """Per slot the posterior mean m, rate b, 1/(2b) and Σ ln b; tables indexed by cluster size.

    ``weight``, ``constant`` and ``power`` are those of the slot's ln f(x) = constant − power · Σ ln(1 + weight ·
    (x − m)²/(2b)).
    """

    c0: float
    a0: float
    m0: FloatArray
    b0: FloatArray
    sum_log_b0: float
    predictive_constant: FloatArray
    leave_one_out_constant: FloatArray
    marginal_constant: FloatArray
    mean: FloatArray
    b: FloatArray
    half_inverse_b: FloatArray
    sum_log_b: FloatArray
    weight: FloatArray
    constant: FloatArray
    power: FloatArray


SLOT_FIELDS[NormalGammaState] = ("sum_log_b", "weight", "constant", "power")
SLOT_LAST_FIELDS[NormalGammaState] = ("mean", "b", "half_inverse_b")


@kernel
def default_normal_gamma(means: FloatArray, variances: FloatArray) -> NormalGammaPrior:
    """Return the default hyperparameters for columns with these means and variances (D,)."""
    return NormalGammaPrior(means, PRIOR_WEIGHT, PRIOR_SHAPE, variances / 2.0)


@kernel
def scaled_normal_gamma(prior: NormalGammaPrior, centre: FloatArray, scale: FloatArray) -> NormalGammaPrior:
    """Return the hyperparameters of columns that are centred and divided by their scales (D,)."""
    return NormalGammaPrior((prior.m0 - centre) / scale, prior.c0, prior.a0, prior.b0 / scale / scale)


class NormalGammaKind(NamedTuple):
    """Tells :func:`~dpviz.families.gaussian.placing.placed` the family."""


@implements(placed, NormalGammaKind)
def _placed(family: Any, X: FloatArray, given: Given, capacity: int) -> Placed:
    centre, scale, log_jacobian = centre_and_scale(X)
    means, variances = moments(X)
    default = default_normal_gamma(means, variances)
    prior = NormalGammaPrior(
        array_or(given.location, default.m0),
        number_or(given.weight, default.c0 * given.share),
        number_or(given.shape, default.a0),
        array_or(given.spread, default.b0 * given.share),
    )
    state = normal_gamma_state(scaled_normal_gamma(prior, centre, scale), X.shape[0], capacity)
    return Placed(state, centred(X, centre, 1.0 / scale), log_jacobian, scaling(centre, scale))


@kernel
def normal_gamma_state(prior: NormalGammaPrior, n_points: int, capacity: int) -> NormalGammaState:
    """Allocate the state and fill the tables of quantities that depend only on a cluster's size."""
    m0, c0, a0, b0 = prior
    n_features = m0.shape[0]
    sum_log_b0 = 0.0
    for d in range(n_features):
        sum_log_b0 += math.log(b0[d])
    predictive, marginal = np.empty(n_points + 1), np.empty(n_points + 1)
    leave_one_out = np.full(n_points + 1, math.nan)  # entry 0 has no meaning
    for n in range(n_points + 1):
        a, c = a0 + 0.5 * n, c0 + n
        predictive[n] = n_features * (log_gamma(a + 0.5) - log_gamma(a) - HALF_LOG_2PI + 0.5 * math.log(c / (c + 1.0)))
        scale = -n * HALF_LOG_2PI + log_gamma(a) - log_gamma(a0) + 0.5 * math.log(c0 / c)
        marginal[n] = n_features * scale + a0 * sum_log_b0
        if n > 0:
            left = (c - 1.0) / c  # 0 of a singleton if c0 is tiny; its entry is not used
            log_left = math.log(left) if left > 0.0 else -math.inf
            leave_one_out[n] = n_features * (log_gamma(a) - log_gamma(a - 0.5) - HALF_LOG_2PI + 0.5 * log_left)
    return NormalGammaState(
        c0,
        a0,
        m0.copy(),
        b0.copy(),
        sum_log_b0,
        predictive,
        leave_one_out,
        marginal,
        np.zeros((n_features, capacity)),
        np.zeros((n_features, capacity)),
        np.zeros((n_features, capacity)),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
    )


@inlined
def _refresh(state: Any, k: int, n: int) -> None:
    """Recompute the quantities derived from b and the slot's number of points."""
    total, product = 0.0, 1.0
    for d in range(state.b.shape[0]):
        b = state.b[d, k]
        state.half_inverse_b[d, k] = 0.5 / b
        product *= b
        if not 1.0 / LARGEST_FACTOR < product < LARGEST_FACTOR:
            total += math.log(product)
            product = 1.0
    state.sum_log_b[k] = total + math.log(product)
    c = state.c0 + n
    state.weight[k] = c / (c + 1.0)
    state.constant[k] = state.predictive_constant[n] - 0.5 * state.sum_log_b[k]
    state.power[k] = state.a0 + 0.5 * n + 0.5


@implements(log_predictive, NormalGammaState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    c = state.c0 + n
    weight = c / (c + 1.0)
    total, product = 0.0, 1.0
    for d in range(X.shape[1]):
        delta = X[i, d] - state.mean[d, k]
        product *= 1.0 + weight * delta * delta * state.half_inverse_b[d, k]
        if product > LARGEST_FACTOR:
            total += math.log(product)
            product = 1.0
    constant = state.predictive_constant[n] - 0.5 * state.sum_log_b[k]
    return constant - (state.a0 + 0.5 * n + 0.5) * (total + math.log(product))


@inlined
def _bound_slots(state: Any, X: FloatArray, i: int, n_slots: int, log_weight: FloatArray, work: FloatArray) -> None:
    """Write the products of slots 0 … n_slots − 1 and bounds of their scores to the last rows of ``work``."""
    mean, half_inverse_b = state.mean, state.half_inverse_b
    weight, constant, power = state.weight, state.constant, state.power
    spread, bound = X.shape[1] + 1, X.shape[1] + 2
    for k in range(n_slots):
        work[spread, k] = 1.0
    for d in range(X.shape[1]):
        for k in range(n_slots):
            delta = X[i, d] - mean[d, k]
            product = min(work[spread, k], LARGEST_FACTOR)
            work[spread, k] = product * (1.0 + weight[k] * delta * delta * half_inverse_b[d, k])
    for k in range(n_slots):
        work[bound, k] = constant[k] + log_weight[k] - power[k] * log_below(work[spread, k])


@implements(score_open_slots, NormalGammaState)
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
    n_open, sizes, log_weight = open_slots.n_open, open_slots.sizes, open_slots.log_weight
    scores, work = candidates.scores, candidates.work
    if n_open > 1:
        _bound_slots(state, X, i, open_slots.n_slots, log_weight, work)
    if math.isnan(scores[0]):
        scores[0] = log_leave_one_out(state, X, i, own, sizes[own]) + log_weight[own]
    if n_open == 1:
        return 1
    spread, bound = X.shape[1] + 1, X.shape[1] + 2  # rows of ``work``
    work[bound, own] = math.nan  # not a candidate: nothing is above NaN
    best = max(best, scores[0])
    end = keep_likely(state.constant, state.power, LARGEST_FACTOR, open_slots, best, slack, candidates)
    if end < 0:  # so far from everything that a product was cut off
        for j in range(n_open):
            k = open_slots.slots[j]
            work[spread, k] = log_predictive(state, X, i, k, sizes[k]) + log_weight[k]
        work[spread, own] = math.nan
        end = keep_scored(open_slots, best, slack, candidates)
    return end


@implements(log_leave_one_out, NormalGammaState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    c = state.c0 + n
    weight = c / (c - 1.0)
    total, product = 0.0, 1.0
    for d in range(X.shape[1]):
        delta = X[i, d] - state.mean[d, k]
        remainder = 1.0 - weight * delta * delta * state.half_inverse_b[d, k]
        if not remainder > SMALLEST_REMAINDER:
            return math.nan
        product *= remainder
        if product < 1.0 / LARGEST_FACTOR:
            total += math.log(product)
            product = 1.0
    constant = state.leave_one_out_constant[n] - 0.5 * state.sum_log_b[k]
    return constant + (state.a0 + 0.5 * n - 0.5) * (total + math.log(product))


@implements(fill_predictive, NormalGammaState)
def _fill_predictive(state: Any, k: int, n: int, location: FloatArray, scale: FloatArray) -> float:
    shape, weight = state.a0 + 0.5 * n, state.c0 + n
    scale[:] = 0.0
    for d in range(location.shape[0]):
        location[d] = state.mean[d, k]
        scale[d, d] = state.b[d, k] * ((weight + 1.0) / (shape * weight))
    return 2.0 * shape


@implements(add_point, NormalGammaState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    c = state.c0 + n
    for d in range(X.shape[1]):
        delta = X[i, d] - state.mean[d, k]
        state.b[d, k] += c * delta * delta / (2.0 * (c + 1.0))
        state.mean[d, k] += delta / (c + 1.0)
    _refresh(state, k, n + 1)
    return True


@implements(remove_point, NormalGammaState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    c = state.c0 + n
    for d in range(X.shape[1]):
        delta = X[i, d] - state.mean[d, k]
        if not 1.0 - c / (c - 1.0) * delta * delta * state.half_inverse_b[d, k] > SMALLEST_REMAINDER:
            return False
    for d in range(X.shape[1]):
        delta = X[i, d] - state.mean[d, k]
        state.b[d, k] -= c * delta * delta / (2.0 * (c - 1.0))
        state.mean[d, k] -= delta / (c - 1.0)
    _refresh(state, k, n - 1)
    return True


@implements(clear_slot, NormalGammaState)
def _clear_slot(state: Any, k: int) -> None:
    for d in range(state.m0.shape[0]):
        state.mean[d, k] = state.m0[d]
        state.b[d, k] = state.b0[d]
    _refresh(state, k, 0)


@implements(log_marginal, NormalGammaState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    return state.marginal_constant[n] - (state.a0 + 0.5 * n) * state.sum_log_b[k]


@implements(rebuild, NormalGammaState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    n_points, n_features = X.shape
    mean, b = np.empty((n_clusters, n_features)), np.zeros((n_clusters, n_features))
    cluster_means(X, labels, sizes, n_clusters, 0, mean)
    for i in range(n_points):
        cluster = labels[i]
        for d in range(n_features):
            delta = X[i, d] - mean[cluster, d]
            b[cluster, d] += 0.5 * delta * delta
    for cluster in range(n_clusters):
        k, n = first + cluster, sizes[cluster]
        c = state.c0 + n
        for d in range(n_features):
            shift = mean[cluster, d] - state.m0[d]
            state.b[d, k] = b[cluster, d] + (state.b0[d] + state.c0 * n * shift * shift / (2.0 * c))
            state.mean[d, k] = (state.c0 * state.m0[d] + n * mean[cluster, d]) / c
        _refresh(state, k, n)
