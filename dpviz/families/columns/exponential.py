"""Exponential–gamma family: independent durations whose rates are unknown (2016 App. A)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_means, require_values
from dpviz.families.columns.base import ColumnFamily, example_groups, weight_parameter
from dpviz.families.columns.kinds import Kind, Pair, log_ratios, prior_numbers
from dpviz.families.columns.rising import log_rise, log_risings
from dpviz.families.columns.state import sums_of
from dpviz.families.shapes import Shapes
from dpviz.families.verbs import SMALLEST_REMAINDER
from dpviz.parameters import Parameter

SMALLEST_DURATION, LARGEST_DURATION = 1e-150, 1e150
"""Bounds on the prior's durations: quotients of two of them stay within the range of floats."""


@dataclass(frozen=True, eq=False)
class LomaxShapes(Shapes):
    """Densities on one axis that fall from duration 0.

    Attributes
    ----------
    exponents : ndarray (M,)
        α of the density (α/β) (1 + x/β)^−(α + 1); infinite for an exponential density of mean β.
    scales : ndarray (M,)
        β, in displayed units; negative where durations are displayed from right to left.
    origins : ndarray (M,)
        Displayed positions of duration 0.
    """

    exponents: FloatArray
    scales: FloatArray
    origins: FloatArray

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""
        return "exponents", "scales", "origins"

    @property
    def n_features(self) -> int:
        """One column."""
        return 1

    def projected(self, directions: FloatArray, origin: FloatArray) -> LomaxShapes | None:
        """Return the densities along one axis in other units; None in the plane."""
        if directions.shape != (1, 1) or directions[0, 0] == 0:
            return None
        unit = directions[0, 0]
        return LomaxShapes(self.exponents, self.scales * unit, (self.origins - origin[0]) * unit)

    def grid(self, x: FloatArray) -> FloatArray:
        """Return places from the first duration on, where the densities are highest."""
        grid = super().grid(x)
        return np.unique(np.clip(grid, self.origins.min(), None) if self.scales[0] > 0 else grid)

    def curves(self, grid: FloatArray) -> FloatArray:
        """Return the densities (M, G)."""
        durations = (grid - self.origins[:, None]) / self.scales[:, None]
        inside = np.maximum(durations, 0.0)
        exponents = np.where(np.isfinite(self.exponents), self.exponents, 1.0)[:, None]
        heavy = np.log(exponents) - (exponents + 1) * np.log1p(inside)
        log_density = np.where(np.isfinite(self.exponents)[:, None], heavy, -inside)
        return np.asarray(np.where(durations >= 0, np.exp(log_density), 0.0) / np.abs(self.scales)[:, None])


@dataclass(frozen=True, eq=False)
class ExponentialRates:
    """Rates of one component.

    Attributes
    ----------
    rates : ndarray (D,)
        Per unit of the data.
    """

    rates: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D)."""
        return np.asarray(np.log(self.rates).sum() - X @ self.rates)

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw durations (n_points, D)."""
        return random_state.exponential(1 / self.rates, (n_points, len(self.rates)))

    def shapes(self) -> LomaxShapes | None:
        """Return the density if there is one column."""
        if len(self.rates) > 1:
            return None
        return LomaxShapes(np.array([np.inf]), 1 / self.rates, np.zeros(1))


@dataclass(frozen=True)
class ScaledWorkingData(WorkingData):
    """Durations divided by powers of two.

    Attributes
    ----------
    scale : ndarray (D,)
    """

    scale: FloatArray = None  # type: ignore[assignment]  # always given; the fields before it have defaults

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D), or raise InvalidDataError."""
        Exponential.check_data(X)
        return np.ascontiguousarray(X / self.scale)


@dataclass(frozen=True, eq=False)
class Exponential(ColumnFamily):
    """Per column: duration ~ Exponential(rate λ), λ ~ Gamma(alpha0, rate beta0).

    Attributes
    ----------
    alpha0 : ndarray (D,)
        Number of points that the prior is worth, > 0.
    beta0 : ndarray (D,)
        Sum of the durations that it has seen in them, > 0, in units of the data.
    """

    alpha0: FloatArray
    beta0: FloatArray

    name: ClassVar[str] = "exponential"
    title: ClassVar[str] = "Durations, independent columns (exponential–gamma)"
    kind: ClassVar[str] = "positive"
    support: ClassVar[str] = "numbers ≥ 0"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        weight_parameter("alpha0", "α₀", "how many points the prior is worth: small lets rates roam", "weight"),
        Parameter(
            name="beta0",
            symbol="β₀",
            explanation="prior sum of durations: a cluster's expected duration is β₀/(α₀ − 1)",
            lower=SMALLEST_DURATION,
            lower_allowed=True,
            upper=LARGEST_DURATION,
            log=True,
            role="scale",
            shape=("D",),
        ),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Give the data's mean duration two points' worth (FORMULAS §5); a column of zeros alone is taken to have 1."""
        means = column_means(X)
        beta0 = np.clip(np.where(means > 0, means, 1.0), SMALLEST_DURATION, LARGEST_DURATION)
        return {"alpha0": np.full(X.shape[1], 2.0), "beta0": beta0}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless no value is negative; zeros have a density."""
        require_values(X, X >= 0, cls.name, "a number ≥ 0", "Choose columns that hold durations.", names)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Logarithms, which give all durations the same spread; zeros count as half the smallest duration."""
        floor = np.array([0.5 * np.min(column[column > 0], initial=np.inf) for column in X.T])
        return np.asarray(np.log(np.where(X > 0, X, np.where(np.isfinite(floor), floor, 1.0))))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw durations about three means."""
        levels, rng = example_groups(n_points, n_features, seed)
        return rng.exponential(4 * levels)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        return {"alpha0": np.linspace(1.3, 0.8, n_features), "beta0": np.linspace(1.5, 2.5, n_features)}

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> Exponential:
        """Hyperparameters after the points X (n, D); 2016 eq. 21 prints the two updates swapped."""
        return Exponential(self.alpha0 + len(X), self.beta0 + X.sum(axis=0))

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Lomax log densities (nats) of each entry of X (n, D)."""
        return np.asarray(np.log(self.alpha0 / self.beta0) - (self.alpha0 + 1) * np.log1p(X / self.beta0))

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) (FORMULAS §2)."""
        n, total = len(X), X.sum(axis=0)
        per_column = (
            log_risings(self.alpha0, n) - n * np.log(self.beta0) - (self.alpha0 + n) * np.log1p(total / self.beta0)
        )
        return float(per_column.sum())

    def draw(self, random_state: np.random.Generator) -> ExponentialRates:
        """Draw rates, column by column."""
        gammas = np.maximum(random_state.standard_gamma(self.alpha0), SMALLEST_DURATION)
        return ExponentialRates(gammas / self.beta0)

    def expected_value(self) -> FloatArray:
        """Mean duration (D,) of one more point; infinite where α ≤ 1."""
        return np.divide(self.beta0, self.alpha0 - 1, out=np.full(len(self.beta0), np.inf), where=self.alpha0 > 1)

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of Lomax predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \Big[\ln\tfrac{\beta_d}{\alpha_d}"
            r" + (\alpha_d+1)\ln\big(1+\tfrac{x_d}{\beta_d}\big)\Big]"
        )
        columns = {"x": x, "α": self.alpha0, "β": self.beta0}
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> LomaxShapes | None:
        """Lomax predictives of slots 0 … K − 1 as densities, if there is one column."""
        assert isinstance(working, ScaledWorkingData)
        if working.X.shape[1] > 1:
            return None
        scales = sums_of(state, len(sizes))[:, 0] * working.scale[0]
        return LomaxShapes(self.alpha0[0] + sizes, scales, np.zeros(len(sizes)))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 20.0 + 20.0 * n_features

    def working(self, X: FloatArray) -> WorkingData:
        """Divide each column by a power of two near its mean, which is exact."""
        means = X.mean(axis=0)
        scale = np.exp2(np.round(np.log2(np.where(means > 0, means, self.beta0))))
        scaled = np.ascontiguousarray(X / scale)
        family = Exponential(self.alpha0, self.beta0 / scale)
        return ScaledWorkingData(family, scaled, self.coordinates(X), -float(np.sum(np.log(scale))), scale)


# --- the kernels ------------------------------------------------------------------------------------------------------
# The location is β, of the prior and the durations.


def _log_sizes(family: Exponential, n: FloatArray, weight: float) -> FloatArray:
    return log_ratios(family.alpha0, np.ones(len(family.alpha0)), n, weight)


@inlined
def _size(state: Any, d: int, n: float) -> float:
    return log_rise(state.prior[d, 0] + state.weight * n, 1.0, state.weight)


@inlined
def _constant(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return state.shift[d] - state.weight * math.log(state.weight * location)


@inlined
def _factor(state: Any, d: int, n: float, location: float, rest: float) -> float:
    return 1.0 / location


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    constant, factor = cached
    return constant - (state.prior[d, 0] + state.weight * (n + 1.0)) * math.log1p(x * factor), 1.0


@inlined
def _left_out(state: Any, x: float, d: int, n: float, location: float, rest: float, cached: Pair) -> Pair:
    share = x * cached[1]
    if not 1.0 - share > SMALLEST_REMAINDER:
        return math.nan, 1.0
    return cached[0] + (state.prior[d, 0] + state.weight * (n - 1.0)) * math.log1p(-share), 1.0


@inlined
def _without_cell(state: Any, x: float, d: int, n: float, location: float, rest: float) -> Pair:
    left = location - x
    return left if left > SMALLEST_REMAINDER * location else math.nan, rest


@inlined
def _empty(state: Any, d: int) -> Pair:
    return state.prior[d, 1], 0.0


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    weight, alpha0, n = state.weight, state.prior[d, 0], state.n_cells[d, k]
    scales = alpha0 * math.log(weight * state.prior[d, 1])
    scales -= (alpha0 + weight * n) * math.log(weight * state.location[d, k])
    return log_rise(alpha0, n, weight) + scales


EXPONENTIAL = Kind(
    families=(Exponential,),
    numbers=lambda family: prior_numbers(family.alpha0, family.beta0),
    log_sizes=_log_sizes,
    spreads=("beta0",),
    size=_size,
    constant=_constant,
    factor=_factor,
    cell=_cell,
    left_out=_left_out,
    without_cell=_without_cell,
    empty=_empty,
    log_marginal=_log_marginal,
)
