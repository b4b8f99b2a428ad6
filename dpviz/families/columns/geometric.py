"""Geometric–beta family: independent counts of failures before a success (2016 App. A)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import xlog1py

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_means
from dpviz.families.columns.base import LARGEST_COUNT, ColumnFamily, check_counts, example_groups, weight_parameter
from dpviz.families.columns.kinds import Kind, Pair, log_ratios, prior_numbers
from dpviz.families.columns.rising import FEW_FACTORS, log_rise, log_risings, rising_product
from dpviz.families.columns.state import sums_of
from dpviz.families.shapes import LONGEST_BARS, BarShapes
from dpviz.parameters import Parameter

SMALLEST_PROBABILITY = 1e-12
"""Least probability of success in a drawn component: counts stay within the range of their generator."""


@dataclass(frozen=True, eq=False)
class GeometricProbabilities:
    """Success probabilities of one component.

    Attributes
    ----------
    success : ndarray (D,)
    """

    success: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D)."""
        return np.asarray((np.log(self.success) + xlog1py(X, -self.success)).sum(axis=1))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw counts (n_points, D)."""
        return np.asarray(random_state.geometric(self.success, (n_points, len(self.success))) - 1, dtype=np.float64)

    def shapes(self) -> BarShapes | None:
        """Return bars if there is one column of moderate counts."""
        success = float(self.success[0])
        n_values = math.ceil(math.log(1e-4) / math.log1p(-success)) + 1 if success < 1 else 2
        if len(self.success) > 1 or n_values > LONGEST_BARS:
            return None
        return BarShapes(np.exp(self.log_density(np.arange(float(n_values))[:, None]))[None, :])


@dataclass(frozen=True, eq=False)
class Geometric(ColumnFamily):
    """Per column: P(count = x) = p (1 − p)^x for x = 0, 1, 2, …, with p ~ Beta(alpha0, beta0).

    Attributes
    ----------
    alpha0 : ndarray (D,)
        Number of points that the prior is worth (each is one success), > 0.
    beta0 : ndarray (D,)
        Sum of the counts (failures) that it has seen in them, > 0.
    """

    alpha0: FloatArray
    beta0: FloatArray

    name: ClassVar[str] = "geometric"
    title: ClassVar[str] = "Waiting counts, independent columns (geometric–beta)"
    kind: ClassVar[str] = "count"
    support: ClassVar[str] = "whole numbers ≥ 0"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        weight_parameter("alpha0", "α₀", "how many points the prior is worth: small lets clusters roam", "weight"),
        weight_parameter("beta0", "β₀", "prior sum of counts: a cluster's expected count is β₀/(α₀ − 1)", "scale"),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Give the data's mean count two points' worth (FORMULAS §5); zeros alone count as half an event in all."""
        return {"alpha0": np.full(X.shape[1], 2.0), "beta0": np.maximum(column_means(X), 0.5 / len(X))}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless every value is a whole number from 0 to 10⁹."""
        check_counts(X, cls.name, names)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """2 arsinh √x, which gives geometric counts about the same spread (Anscombe 1948)."""
        return np.asarray(2 * np.arcsinh(np.sqrt(X)))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw counts about three means."""
        levels, rng = example_groups(n_points, n_features, seed)
        return np.asarray(rng.geometric(1 / (1 + 4 * levels)) - 1, dtype=np.float64)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        return {"alpha0": np.linspace(1.4, 0.9, n_features), "beta0": np.linspace(2.5, 3.5, n_features)}

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> Geometric:
        """Hyperparameters after the points X (n, D) (FORMULAS §2)."""
        return Geometric(self.alpha0 + len(X), self.beta0 + X.sum(axis=0))

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictive probabilities (nats) ln B(α + 1, β + x) − ln B(α, β) of each entry of X (n, D)."""
        return _log_probabilities(X, self.alpha0, self.beta0)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) (FORMULAS §2)."""
        n, total = len(X), X.sum(axis=0)
        both = log_risings(self.alpha0 + self.beta0, n + total)
        return float(np.sum(log_risings(self.alpha0, n) + log_risings(self.beta0, total) - both))

    def draw(self, random_state: np.random.Generator) -> GeometricProbabilities:
        """Draw success probabilities, column by column."""
        return GeometricProbabilities(np.maximum(random_state.beta(self.alpha0, self.beta0), SMALLEST_PROBABILITY))

    def expected_value(self) -> FloatArray:
        """Mean count (D,) of one more point; infinite where α ≤ 1."""
        return np.divide(self.beta0, self.alpha0 - 1, out=np.full(len(self.beta0), np.inf), where=self.alpha0 > 1)

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \ln\tfrac{B(\alpha_d,\beta_d)}{B(\alpha_d+1,\beta_d+x_d)},"
            r"\quad B(a,b) = \tfrac{\Gamma(a)\Gamma(b)}{\Gamma(a+b)}"
        )
        columns = {"x": x, "α": self.alpha0, "β": self.beta0}
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> BarShapes | None:
        """Predictives of slots 0 … K − 1 as bars, if there is one column of moderate counts."""
        n_values = int(working.X.max()) + 2
        if working.X.shape[1] > 1 or n_values > LONGEST_BARS:
            return None
        beta = self.beta0 + sums_of(state, len(sizes))
        return BarShapes(np.exp(_log_probabilities(np.arange(float(n_values)), self.alpha0 + sizes[:, None], beta)))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 30.0 + 25.0 * n_features


def _log_probabilities(x: FloatArray, alpha: FloatArray, beta: FloatArray) -> FloatArray:
    """Log probabilities (nats) of counts whose success probabilities are Beta(alpha, beta); arrays broadcast."""
    return np.asarray(np.log(alpha) + log_risings(beta, x) - log_risings(alpha + beta, x + 1))


# --- the kernels ------------------------------------------------------------------------------------------------------


def _log_sizes(family: Geometric, n: FloatArray, weight: float) -> FloatArray:
    return log_ratios(family.alpha0, np.ones(len(family.alpha0)), n, weight)


def _decades(family: Geometric, n_points: int) -> FloatArray:
    most = family.alpha0 + family.beta0 + n_points * (LARGEST_COUNT + 1.0) + FEW_FACTORS
    return np.asarray((FEW_FACTORS + 1.0) * np.log10(most / np.minimum(family.beta0, 1.0)))


@inlined
def _size(state: Any, d: int, n: float) -> float:
    return log_rise(state.prior[d, 0] + state.weight * n, 1.0, state.weight)


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    weight = state.weight
    beta = state.prior[d, 1] + weight * location
    both = state.prior[d, 0] + weight * n + beta
    if x <= FEW_FACTORS and weight == 1.0:
        return cached[0], rising_product(beta, x) / rising_product(both, x + 1.0)
    return cached[0] + log_rise(beta, x, weight) - log_rise(both, x + 1.0, weight), 1.0


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    weight, alpha0, beta0 = state.weight, state.prior[d, 0], state.prior[d, 1]
    n, total = state.n_cells[d, k], state.location[d, k]
    both = log_rise(alpha0 + beta0, n + total, weight)
    return log_rise(alpha0, n, weight) + log_rise(beta0, total, weight) - both


GEOMETRIC = Kind(
    families=(Geometric,),
    numbers=lambda family: prior_numbers(family.alpha0, family.beta0),
    decades=_decades,
    log_sizes=_log_sizes,
    size=_size,
    cell=_cell,
    log_marginal=_log_marginal,
)
