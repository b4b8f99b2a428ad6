"""Poisson–gamma family: independent counts whose rates are unknown (2016 App. A)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from dpviz._jit import implements, inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_means
from dpviz.families.columns import (
    FEW_FACTORS,
    LARGEST_FACTOR,
    ColumnFamily,
    check_counts,
    example_groups,
    factorial_table,
    keeps_sums,
    log_base_measure,
    log_factorial,
    log_rising,
    log_risings,
    rising_product,
    weight_parameter,
)
from dpviz.families.shapes import LONGEST_BARS, BarShapes
from dpviz.families.verbs import log_leave_one_out, log_marginal, log_predictive
from dpviz.parameters import Parameter


@dataclass(frozen=True, eq=False)
class PoissonRates:
    """Rates of one component.

    Attributes
    ----------
    rates : ndarray (D,)
    """

    rates: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D)."""
        return np.asarray((xlogy(X, self.rates) - self.rates - gammaln(X + 1)).sum(axis=1))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw counts (n_points, D)."""
        return random_state.poisson(self.rates, (n_points, len(self.rates))).astype(np.float64)

    def shapes(self) -> BarShapes | None:
        """Return bars if there is one column of moderate counts."""
        from scipy import stats  # deferred: it takes half a second to import

        n_values = stats.poisson.ppf(0.9999, self.rates[0]) + 1
        if len(self.rates) > 1 or n_values > LONGEST_BARS:
            return None
        return BarShapes(np.exp(self.log_density(np.arange(n_values)[:, None]))[None, :])


@dataclass(frozen=True, eq=False)
class Poisson(ColumnFamily):
    """Per column: count ~ Poisson(λ), λ ~ Gamma(alpha0, rate beta0).

    Attributes
    ----------
    alpha0 : ndarray (D,)
        Sum of the counts that the prior has seen, > 0; clusters' means differ from the prior's by a factor of about
        1 ± 1/√alpha0.
    beta0 : ndarray (D,)
        Number of points it has seen them in, > 0: the prior's mean is alpha0/beta0.
    """

    alpha0: FloatArray
    beta0: FloatArray

    name: ClassVar[str] = "poisson"
    title: ClassVar[str] = "Counts, independent columns (Poisson–gamma)"
    kind: ClassVar[str] = "count"
    support: ClassVar[str] = "whole numbers ≥ 0"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        weight_parameter("alpha0", "α₀", "how sure the prior is of a cluster's mean: small lets it roam", "weight"),
        weight_parameter("beta0", "β₀", "prior number of points: a cluster's expected count is α₀/β₀", "scale"),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Expect the data's mean count, whatever its size, within a factor of 1 ± 1/√2; zeros count as half an event.

        The spread of the clusters' means is in proportion to the counts: they can be 20 or 1000 in one column. A prior
        worth a fixed number of exposures would keep them within x̄ ± √x̄.
        """
        return {"alpha0": np.full(X.shape[1], 2.0), "beta0": 2.0 / _mean_counts(X)}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless every value is a whole number from 0 to 10⁹."""
        check_counts(X, cls.name, names)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Square roots, which give all Poisson counts about the same spread (Anscombe 1948)."""
        return np.asarray(2 * np.sqrt(X + 3 / 8))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw counts about three rates."""
        levels, rng = example_groups(n_points, n_features, seed)
        return rng.poisson(3 * levels).astype(np.float64)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        return {"alpha0": np.linspace(1.3, 2.1, n_features), "beta0": np.linspace(0.3, 0.45, n_features)}

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> Poisson:
        """Hyperparameters after the points X (n, D) (FORMULAS §2)."""
        return Poisson(self.alpha0 + X.sum(axis=0), self.beta0 + len(X))

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Negative binomial log probabilities (nats) of each entry of X (n, D); 2016 eq. 29 prints them garbled."""
        return _log_probabilities(X, self.alpha0, self.beta0)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) (FORMULAS §2)."""
        n, total = len(X), X.sum(axis=0)
        per_column = (
            log_risings(self.alpha0, total)
            - self.alpha0 * np.log1p(n / self.beta0)
            - total * np.log(self.beta0 + n)
            - log_risings(1.0, X).sum(axis=0)
        )
        return float(per_column.sum())

    def draw(self, random_state: np.random.Generator) -> PoissonRates:
        """Draw rates, column by column."""
        return PoissonRates(random_state.standard_gamma(self.alpha0) * (1 / self.beta0))

    def expected_value(self) -> FloatArray:
        """Mean count (D,) of one more point."""
        return self.alpha0 / self.beta0

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of negative binomial predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \Big[\ln\tfrac{\Gamma(\alpha_d)\,x_d!}{\Gamma(\alpha_d+x_d)}"
            r" + \alpha_d\ln\tfrac{\beta_d+1}{\beta_d} + x_d\ln(\beta_d+1)\Big]"
        )
        columns = {"x": x, "α": self.alpha0, "β": self.beta0}
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> BarShapes | None:
        """Negative binomial predictives of slots 0 … K − 1 as bars, if there is one column of moderate counts."""
        n_values = int(working.X.max()) + 2
        if working.X.shape[1] > 1 or n_values > LONGEST_BARS:
            return None
        alpha = self.alpha0 + state.total[: len(sizes)]
        return BarShapes(np.exp(_log_probabilities(np.arange(float(n_values)), alpha, self.beta0 + sizes[:, None])))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 30.0 + 15.0 * n_features

    def bind(self, X: FloatArray, capacity: int) -> PoissonState:
        """Allocate the state and fill the tables of quantities that depend only on a cluster's size."""
        n_points, n_features = X.shape
        alike = bool(np.all(self.beta0 == self.beta0[0]))
        beta = np.arange(n_points + 1)[:, None] + (self.beta0[:1] if alike else self.beta0)
        return PoissonState(
            alpha0=np.array(self.alpha0, dtype=np.float64),
            beta0=np.array(self.beta0, dtype=np.float64),
            log_growth=np.log1p(1 / beta),
            log_next=np.log(beta + 1),
            factorials=factorial_table(X.max()),
            total=np.zeros((capacity, n_features)),
            log_base=np.zeros(capacity),
        )


def _mean_counts(X: FloatArray) -> FloatArray:
    """Return the mean count (D,) of each column; zeros alone count as half an event in all."""
    return np.maximum(column_means(X), 0.5 / len(X))


def _log_probabilities(x: FloatArray, alpha: FloatArray, beta: FloatArray) -> FloatArray:
    """Log probabilities (nats) of counts whose rates are Gamma(alpha, rate beta); arrays broadcast."""
    coefficient = log_risings(alpha, x) - log_risings(1.0, x)
    return np.asarray(coefficient - alpha * np.log1p(1 / beta) - x * np.log(beta + 1))


@keeps_sums
class PoissonState(NamedTuple):
    """Prior; ln((β + 1)/β) and ln(β + 1) by size (N + 1, D), one column if all β₀ are equal; ln m!; the sums."""

    alpha0: FloatArray
    beta0: FloatArray
    log_growth: FloatArray
    log_next: FloatArray
    factorials: FloatArray
    total: FloatArray
    log_base: FloatArray


@implements(log_base_measure, PoissonState)
def _log_base_measure(state: Any, X: FloatArray, i: int) -> float:
    log_base = 0.0
    for d in range(X.shape[1]):
        log_base -= log_factorial(state.factorials, X[i, d])
    return log_base


@inlined
def _log_probability(state: Any, X: FloatArray, i: int, k: int, others: int, own: float) -> float:
    """Log predictive given a slot of ``others`` points, after ``own`` times the point itself has been taken out."""
    log_probability, product = log_base_measure(state, X, i), 1.0
    wide = state.log_next.shape[1] > 1
    for d in range(X.shape[1]):
        x = X[i, d]
        alpha = state.alpha0[d] + (state.total[k, d] - own * x)
        if x <= FEW_FACTORS:
            product *= rising_product(alpha, x)
            if not 1.0 / LARGEST_FACTOR < product < LARGEST_FACTOR:
                log_probability += math.log(product)
                product = 1.0
        else:
            log_probability += log_rising(alpha, x)
        column = d if wide else 0
        log_probability -= alpha * state.log_growth[others, column] + x * state.log_next[others, column]
    return log_probability + math.log(product)


@implements(log_predictive, PoissonState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _log_probability(state, X, i, k, n, 0.0)


@implements(log_leave_one_out, PoissonState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _log_probability(state, X, i, k, n - 1, 1.0)  # sums of whole numbers lose no digits: never NaN


@implements(log_marginal, PoissonState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    log_probability = state.log_base[k]
    for d in range(state.total.shape[1]):
        alpha0, beta0, total = state.alpha0[d], state.beta0[d], state.total[k, d]
        log_probability += log_rising(alpha0, total) - alpha0 * math.log1p(n / beta0) - total * math.log(beta0 + n)
    return log_probability
