"""Poisson–gamma family: independent counts whose rates are unknown (2016 App. A)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln, xlogy

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_means
from dpviz.families.columns.base import LARGEST_COUNT, ColumnFamily, check_counts, example_groups, weight_parameter
from dpviz.families.columns.kinds import Kind, Pair, prior_numbers
from dpviz.families.columns.rising import FEW_FACTORS, log_factorial, log_rise, log_risings, rising_product
from dpviz.families.columns.state import sums_of
from dpviz.families.shapes import LONGEST_BARS, BarShapes
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
        alpha = self.alpha0 + sums_of(state, len(sizes))
        return BarShapes(np.exp(_log_probabilities(np.arange(float(n_values)), alpha, self.beta0 + sizes[:, None])))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 30.0 + 15.0 * n_features


def _mean_counts(X: FloatArray) -> FloatArray:
    """Return the mean count (D,) of each column; zeros alone count as half an event in all."""
    return np.maximum(column_means(X), 0.5 / len(X))


def _log_probabilities(x: FloatArray, alpha: FloatArray, beta: FloatArray) -> FloatArray:
    """Log probabilities (nats) of counts whose rates are Gamma(alpha, rate beta); arrays broadcast."""
    coefficient = log_risings(alpha, x) - log_risings(1.0, x)
    return np.asarray(coefficient - alpha * np.log1p(1 / beta) - x * np.log(beta + 1))


# --- the kernels ------------------------------------------------------------------------------------------------------


@inlined
def _constant(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return math.log1p(state.weight / (state.prior[d, 1] + state.weight * n))


@inlined
def _factor(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return math.log(state.prior[d, 1] + state.weight * (n + 1.0))


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    growth, log_next = cached
    weight = state.weight
    alpha = state.prior[d, 0] + weight * location
    others = -alpha * growth - weight * x * log_next
    if x <= FEW_FACTORS and weight == 1.0:
        return others, rising_product(alpha, x)
    return others + log_rise(alpha, x, weight), 1.0


@inlined
def _left_out(state: Any, x: float, d: int, n: float, location: float, rest: float, cached: Pair) -> Pair:
    growth = math.log1p(state.weight / (state.prior[d, 1] + state.weight * (n - 1.0)))
    return _cell(state, x, d, n - 1.0, location - x, (growth, cached[1] - cached[0]))


@inlined
def _own_term(state: Any, x: float, d: int) -> float:
    return -log_factorial(state.factorials, x)


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    weight, alpha0, beta0 = state.weight, state.prior[d, 0], state.prior[d, 1]
    n, total = state.n_cells[d, k], state.location[d, k]
    powers = alpha0 * math.log1p(weight * n / beta0) + weight * total * math.log(beta0 + weight * n)
    return weight * state.rest[d, k] + log_rise(alpha0, total, weight) - powers


POISSON = Kind(
    families=(Poisson,),
    numbers=lambda family: prior_numbers(family.alpha0, family.beta0),
    decades=lambda family, n_points: FEW_FACTORS * np.log10(family.alpha0 + n_points * LARGEST_COUNT + FEW_FACTORS),
    has_factorials=True,
    constant=_constant,
    factor=_factor,
    cell=_cell,
    left_out=_left_out,
    own_term=_own_term,
    log_marginal=_log_marginal,
)
