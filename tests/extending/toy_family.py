"""A family from outside: independent Poisson counts whose rates have gamma priors (Gelman et al. 2013, Sec. 2.6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import gammaln

from dpviz._jit import implements, inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families import register
from dpviz.families.base import Family, Formula, WorkingData, require_values
from dpviz.families.shapes import LONGEST_BARS, BarShapes
from dpviz.families.verbs import (
    SLOT_FIELDS,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)
from dpviz.parameters import Parameter

LARGEST_COUNT = 2.0**53
"""Beyond, not every whole number is a float."""


@dataclass(frozen=True, eq=False)
class ToyRates:
    """Rates of one component.

    Attributes
    ----------
    rates : ndarray (D,)
    """

    rates: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D)."""
        return np.asarray(stats.poisson.logpmf(X, self.rates)).sum(axis=1)

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw counts (n_points, D)."""
        return random_state.poisson(self.rates, (n_points, len(self.rates))).astype(np.float64)

    def shapes(self) -> BarShapes | None:
        """Return bars where there is one column."""
        if len(self.rates) > 1:
            return None
        values = np.arange(stats.poisson.ppf(0.9999, self.rates[0]) + 1)
        return BarShapes(stats.poisson.pmf(values, self.rates[0])[None, :])


@register
@dataclass(frozen=True, eq=False)
class ToyCounts(Family):
    """Per feature: count ~ Poisson(rate), rate ~ Gamma(shape c0 r0, rate c0).

    Attributes
    ----------
    r0 : ndarray (D,)
        Mean of the rate's prior, > 0.
    c0 : float
        Points that this mean is worth, > 0.
    """

    r0: FloatArray
    c0: float

    name: ClassVar[str] = "toy_counts"
    title: ClassVar[str] = "Toy counts (Poisson–gamma)"
    kind: ClassVar[str] = "count"
    support: ClassVar[str] = "whole numbers ≥ 0"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="r0",
            symbol="r₀",
            explanation="count that is expected of a new cluster",
            lower=0.0,
            log=True,
            role="scale",
            shape=("D",),
        ),
        Parameter(
            name="c0",
            symbol="c₀",
            explanation="how many points the expected count is worth: small lets rates roam",
            lower=0.0,
            log=True,
            role="weight",
        ),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Mean counts of the data, worth half a point."""
        return {"r0": np.maximum(X.mean(axis=0), 0.5 / len(X)), "c0": 0.5}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless all values are whole numbers from 0 on."""
        whole = (X >= 0) & (X <= LARGEST_COUNT) & (X == np.round(X))
        require_values(X, whole, cls.name, "a whole number from 0 to 2^53", "Choose columns that hold counts.", names)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Square roots, of which all counts have the same spread (Anscombe 1948)."""
        return np.asarray(2 * np.sqrt(X + 3 / 8))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw counts about three rates."""
        rng = np.random.default_rng([seed, n_features])
        rates = rng.gamma(2.0, 3.0, size=(3, n_features))
        return rng.poisson(rates[np.arange(n_points) % 3]).astype(np.float64)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        return {"r0": np.linspace(3.0, 7.0, n_features), "c0": 0.3}

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> ToyCounts:
        """Hyperparameters after the points X (n, D)."""
        c = self.c0 + len(X)
        return ToyCounts((self.c0 * self.r0 + X.sum(axis=0)) / c, c)

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Sum over features of negative binomial log probabilities (nats), for each row of X (n, D)."""
        probability = self.c0 / (self.c0 + 1)
        return np.asarray(stats.nbinom.logpmf(X, self.c0 * self.r0, probability)).sum(axis=1)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D)."""
        shape, total, c = self.c0 * self.r0, X.sum(axis=0), self.c0 + len(X)
        per_feature = gammaln(shape + total) - gammaln(shape) + shape * np.log(self.c0) - (shape + total) * np.log(c)
        return float(per_feature.sum() - gammaln(X + 1).sum())

    def draw(self, random_state: np.random.Generator) -> ToyRates:
        """Draw rates."""
        return ToyRates(random_state.gamma(self.c0 * self.r0, 1 / self.c0))

    def bind(self, X: FloatArray, capacity: int) -> ToyState:
        """Allocate the state."""
        return ToyState(float(self.c0), self.c0 * self.r0, np.zeros((capacity, X.shape[1])), np.zeros(capacity))

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of negative binomial predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \Big[\ln\tfrac{\Gamma(s_d)\,x_d!}{\Gamma(s_d+x_d)}"
            r" - s_d\ln\tfrac{c}{c+1} + x_d\ln(c+1)\Big]"
        )
        value = -float(self.log_predictive(x[None, :])[0])
        return Formula(latex, f"c = {self.c0:.4g}; per feature:", value, {"x": x, "s": self.c0 * self.r0})

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> BarShapes | None:
        """Negative binomial predictives of slots 0 … K − 1 as bars, where there is one column of moderate counts."""
        n_values = int(working.X.max()) + 2
        if working.X.shape[1] > 1 or n_values > LONGEST_BARS:
            return None
        c = (self.c0 + sizes)[:, None]
        shape = self.c0 * self.r0 + state.total[: len(sizes)]
        return BarShapes(np.asarray(stats.nbinom.pmf(np.arange(n_values), shape, c / (c + 1))))


class ToyState(NamedTuple):
    """Prior weight c0 and shapes c0 r0; per slot the sums of its counts and, once rebuilt, of their ln x!.

    Verbs meet points that :meth:`ToyCounts.bind` has not seen, so nothing here is indexed by point.
    """

    c0: float
    shape0: FloatArray
    total: FloatArray
    log_factorials: FloatArray


SLOT_FIELDS[ToyState] = ("total", "log_factorials")


@inlined
def _log_negative_binomial(x: float, shape: float, c: float) -> float:
    """Log probability (nats) of a count whose rate is Gamma(shape, rate c)."""
    scale = math.lgamma(shape + x) - math.lgamma(shape) - math.lgamma(x + 1.0)
    return scale + shape * math.log(c / (c + 1.0)) - x * math.log(c + 1.0)


@implements(log_predictive, ToyState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    log_probability = 0.0
    for d in range(X.shape[1]):
        log_probability += _log_negative_binomial(X[i, d], state.shape0[d] + state.total[k, d], state.c0 + n)
    return log_probability


@implements(log_leave_one_out, ToyState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    log_probability = 0.0
    for d in range(X.shape[1]):  # sums of whole numbers lose no digits: never NaN
        others = state.shape0[d] + (state.total[k, d] - X[i, d])
        log_probability += _log_negative_binomial(X[i, d], others, state.c0 + n - 1)
    return log_probability


@implements(add_point, ToyState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.total[k, d] += X[i, d]
    return True


@implements(remove_point, ToyState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.total[k, d] -= X[i, d]
    return True


@implements(clear_slot, ToyState)
def _clear_slot(state: Any, k: int) -> None:
    state.log_factorials[k] = 0.0
    for d in range(state.total.shape[1]):
        state.total[k, d] = 0.0


@implements(log_marginal, ToyState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    log_probability = -state.log_factorials[k]
    for d in range(state.total.shape[1]):
        shape = state.shape0[d]
        log_probability += math.lgamma(shape + state.total[k, d]) - math.lgamma(shape)
        log_probability += shape * math.log(state.c0) - (shape + state.total[k, d]) * math.log(state.c0 + n)
    return log_probability


@implements(rebuild, ToyState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    state.total[first : first + n_clusters] = 0.0
    state.log_factorials[first : first + n_clusters] = 0.0
    for i in range(X.shape[0]):
        for d in range(X.shape[1]):
            state.total[first + labels[i], d] += X[i, d]
            state.log_factorials[first + labels[i]] += math.lgamma(X[i, d] + 1.0)
