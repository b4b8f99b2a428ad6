"""A family from outside: independent gamma durations of a known shape, whose rates have gamma priors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import gammaln

from dpviz._jit import implements
from dpviz.arrays import FloatArray, IntArray
from dpviz.families import register
from dpviz.families.base import Family, Formula, WorkingData, require_values
from dpviz.families.verbs import (
    SLOT_FIELDS,
    SMALLEST_REMAINDER,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)
from dpviz.parameters import Parameter


@dataclass(frozen=True, eq=False)
class GammaRates:
    """Rates of one component.

    Attributes
    ----------
    shape : float
    rates : ndarray (D,)
    """

    shape: float
    rates: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D)."""
        return np.asarray(stats.gamma.logpdf(X, self.shape, scale=1 / self.rates)).sum(axis=1)

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw durations (n_points, D)."""
        return random_state.gamma(self.shape, 1 / self.rates, (n_points, len(self.rates)))

    def shapes(self) -> None:
        """Draw nothing."""


@register
@dataclass(frozen=True, eq=False)
class KnownShape(Family):
    """Per feature: duration ~ Gamma(shape, rate), rate ~ Gamma(a0, b0).

    Attributes
    ----------
    shape : float
        Shape of the durations within a cluster, > 0; 1 is the exponential law.
    a0 : float
        Shape of the rate's prior, > 0.
    b0 : ndarray (D,)
        Rate of the rate's prior, in units of the data, > 0.
    """

    shape: float
    a0: float
    b0: FloatArray

    name: ClassVar[str] = "known_shape"
    title: ClassVar[str] = "Gamma of known shape"
    kind: ClassVar[str] = "positive"
    support: ClassVar[str] = "numbers > 0"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="shape", symbol="s", explanation="how alike durations of a cluster are", lower=0.0, log=True),
        Parameter(
            name="a0", symbol="a₀", explanation="points that the prior is worth", lower=0.0, log=True, role="weight"
        ),
        Parameter(
            name="b0",
            symbol="b₀",
            explanation="scale of the durations",
            lower=0.0,
            log=True,
            role="scale",
            shape=("D",),
        ),
    )

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Durations twice as regular as exponential ones, about the mean of the data."""
        return {"shape": 2.0, "a0": 2.0, "b0": X.mean(axis=0)}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless all values are positive."""
        require_values(X, (X > 0) & (X < 1e100), cls.name, "a number > 0 and < 1e100", "Leave out zeros.", names)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Return logarithms."""
        return np.asarray(np.log(X))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw durations about three means."""
        rng = np.random.default_rng([seed, n_features])
        means = np.array([0.5, 4.0, 30.0])[np.arange(n_points) % 3]
        return rng.gamma(3.0, 1 / 3.0, size=(n_points, n_features)) * means[:, None]

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        return {"shape": 2.6, "a0": 1.3, "b0": np.linspace(1.5, 2.5, n_features)}

    def posterior(self, X: FloatArray) -> KnownShape:
        """Hyperparameters after the points X (n, D)."""
        return KnownShape(self.shape, self.a0 + self.shape * len(X), self.b0 + X.sum(axis=0))

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Sum of log densities (nats) of beta prime laws, for each row of X (n, D)."""
        return np.asarray(stats.betaprime.logpdf(X, self.shape, self.a0, scale=self.b0)).sum(axis=1)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D)."""
        a, b = self.a0 + self.shape * len(X), self.b0 + X.sum(axis=0)
        per_feature = self.a0 * np.log(self.b0) - gammaln(self.a0) + gammaln(a) - a * np.log(b)
        measure = (self.shape - 1) * np.log(X).sum() - X.size * gammaln(self.shape)
        return float(per_feature.sum() + measure)

    def draw(self, random_state: np.random.Generator) -> GammaRates:
        """Draw rates."""
        return GammaRates(self.shape, random_state.gamma(self.a0, 1 / self.b0))

    def bind(self, X: FloatArray, capacity: int) -> KnownShapeState:
        """Allocate the state."""
        totals, logs = np.zeros((capacity, X.shape[1])), np.zeros(capacity)
        return KnownShapeState(float(self.shape), float(self.a0), np.array(self.b0), totals, logs)

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of beta prime predictives at a point x (D,)."""
        latex = r"-\ln f = \sum_d \Big[\ln B(s, a) + (a + s)\ln(b_d + x_d) - a\ln b_d - (s - 1)\ln x_d\Big]"
        value = -float(self.log_predictive(x[None, :])[0])
        numbers = f"s = {self.shape:.4g}, a = {self.a0:.4g}; per feature:"
        return Formula(latex, numbers, value, {"x": x, "b": np.asarray(self.b0)})

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> None:
        """Draw nothing."""


class KnownShapeState(NamedTuple):
    """Hyperparameters; per slot the sums of its durations and, once rebuilt, of their logarithms."""

    shape: float
    a0: float
    b0: FloatArray
    total: FloatArray
    logarithms: FloatArray


SLOT_FIELDS[KnownShapeState] = ("total", "logarithms")


@implements(log_predictive, KnownShapeState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    shape, a = state.shape, state.a0 + state.shape * n
    constant = math.lgamma(a + shape) - math.lgamma(a) - math.lgamma(shape)
    log_density = 0.0
    for d in range(X.shape[1]):
        b = state.b0[d] + state.total[k, d]
        log_density += (
            constant + (shape - 1.0) * math.log(X[i, d]) + a * math.log(b) - (a + shape) * math.log(b + X[i, d])
        )
    return log_density


@implements(log_leave_one_out, KnownShapeState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    shape, a = state.shape, state.a0 + state.shape * (n - 1)
    constant = math.lgamma(a + shape) - math.lgamma(a) - math.lgamma(shape)
    log_density = 0.0
    for d in range(X.shape[1]):
        b = state.b0[d] + state.total[k, d]
        if not 1.0 - X[i, d] / b > SMALLEST_REMAINDER:
            return math.nan
        log_density += (
            constant + (shape - 1.0) * math.log(X[i, d]) + a * math.log(b - X[i, d]) - (a + shape) * math.log(b)
        )
    return log_density


@implements(add_point, KnownShapeState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.total[k, d] += X[i, d]
    return True


@implements(remove_point, KnownShapeState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        if not 1.0 - X[i, d] / (state.b0[d] + state.total[k, d]) > SMALLEST_REMAINDER:
            return False
    for d in range(X.shape[1]):
        state.total[k, d] -= X[i, d]
    return True


@implements(clear_slot, KnownShapeState)
def _clear_slot(state: Any, k: int) -> None:
    state.logarithms[k] = 0.0
    for d in range(state.total.shape[1]):
        state.total[k, d] = 0.0


@implements(log_marginal, KnownShapeState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    a, n_features = state.a0 + state.shape * n, state.total.shape[1]
    log_density = (state.shape - 1.0) * state.logarithms[k] - n * n_features * math.lgamma(state.shape)
    log_density += n_features * (math.lgamma(a) - math.lgamma(state.a0))
    for d in range(n_features):
        log_density += state.a0 * math.log(state.b0[d]) - a * math.log(state.b0[d] + state.total[k, d])
    return log_density


@implements(rebuild, KnownShapeState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    state.total[first : first + n_clusters] = 0.0
    state.logarithms[first : first + n_clusters] = 0.0
    for i in range(X.shape[0]):
        for d in range(X.shape[1]):
            state.total[first + labels[i], d] += X[i, d]
            state.logarithms[first + labels[i]] += math.log(X[i, d])
