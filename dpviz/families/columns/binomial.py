"""Binomial–beta family: independent numbers of successes in a fixed number of trials (2016 App. A); binary if one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import comb, xlog1py, xlogy

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_maxima, column_means, require_values
from dpviz.families.columns.base import (
    LARGEST_COUNT,
    ColumnFamily,
    check_counts,
    example_groups,
    weight_parameter,
    whole_numbers,
)
from dpviz.families.columns.kinds import Kind, Pair, log_ratios, prior_numbers
from dpviz.families.columns.rising import FEW_FACTORS, log_factorial, log_rise, log_risings, rising_product
from dpviz.families.columns.state import sums_of
from dpviz.families.shapes import LONGEST_BARS, BarShapes
from dpviz.parameters import Parameter

MANY_TRIALS = int(FEW_FACTORS) + 1
"""From this many trials on, chances are computed as logarithms."""


@dataclass(frozen=True, eq=False)
class BinomialProbabilities:
    """Success probabilities of one component.

    Attributes
    ----------
    success : ndarray (D,)
    trials : ndarray of int (D,)
    """

    success: FloatArray
    trials: IntArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D)."""
        log_odds = xlogy(X, self.success) + xlog1py(self.trials - X, -self.success)
        return np.asarray((_log_choose(self.trials, X) + log_odds).sum(axis=1))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw counts (n_points, D)."""
        return random_state.binomial(self.trials, self.success, (n_points, len(self.trials))).astype(np.float64)

    def shapes(self) -> BarShapes | None:
        """Return bars if there is one column of moderately many trials."""
        n_values = float(self.trials[0] + 1)
        if len(self.trials) > 1 or n_values > LONGEST_BARS:
            return None
        return BarShapes(np.exp(self.log_density(np.arange(n_values)[:, None]))[None, :])


@dataclass(frozen=True, eq=False)
class Binomial(ColumnFamily):
    """Per column: count ~ Binomial(trials, p), p ~ Beta(alpha0, beta0). Binary data are one trial.

    Attributes
    ----------
    alpha0, beta0 : ndarray (D,)
        Successes and failures that the prior has seen, > 0.
    trials : ndarray of int (D,)
        Largest possible value.
    """

    alpha0: FloatArray
    beta0: FloatArray
    trials: IntArray

    name: ClassVar[str] = "binomial"
    title: ClassVar[str] = "Binary or ordinal, independent columns (binomial–beta)"
    kind: ClassVar[str] = "ordinal"
    support: ClassVar[str] = "whole numbers ≥ 0"
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        weight_parameter("alpha0", "α₀", "prior successes: expected are t α₀/(α₀ + β₀) of t", "weight"),
        weight_parameter("beta0", "β₀", "prior failures: α₀ + β₀ small lets clusters roam", "weight"),
        Parameter(
            name="trials",
            symbol="t",
            explanation="largest possible value; 1 for binary columns",
            lower=1,
            lower_allowed=True,
            upper=LARGEST_COUNT,
            integer=True,
            role="count",
            shape=("D",),
        ),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Give the share of successes two trials' worth, trials = the largest value, or 1 (FORMULAS §5).

        In a column of one outcome alone the other counts as half an event in all.
        """
        trials = np.maximum(column_maxima(X), 1.0)
        half_event = 0.5 / (len(X) * trials)
        alpha0 = 2 * np.clip(column_means(X) / trials, half_event, 1 - half_event)
        return {"alpha0": alpha0, "beta0": 2 - alpha0, "trials": trials.astype(np.int64)}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless every value is a whole number from 0 to 10⁹."""
        check_counts(X, cls.name, names)

    def check_points(self, X: FloatArray) -> None:
        """Raise unless every value of X (n, D) is a whole number from 0 to its column's trials."""
        self.check_data(X)
        for d, trials in enumerate(self.trials):
            allowed = np.ones(X.shape, dtype=bool)
            allowed[:, d] = whole_numbers(X[:, d], trials)
            bound = f"at most its column's number of trials, {trials}"
            require_values(X, allowed, self.name, bound, "Raise prior['trials'] or check the data.")

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Shares of each column's largest value: all columns count alike."""
        return np.asarray(X / np.maximum(X.max(axis=0), 1.0))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw successes out of 1, 6, 11, … trials, about three probabilities."""
        levels, rng = example_groups(n_points, n_features, seed)
        return rng.binomial(_example_trials(n_features), levels / (1.5 + levels)).astype(np.float64)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        alpha0, beta0 = np.linspace(0.7, 1.2, n_features), np.linspace(0.9, 0.5, n_features)
        return {"alpha0": alpha0, "beta0": beta0, "trials": _example_trials(n_features)}

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> Binomial:
        """Hyperparameters after the points X (n, D) (FORMULAS §2)."""
        successes = X.sum(axis=0)
        return Binomial(self.alpha0 + successes, self.beta0 + (len(X) * self.trials - successes), self.trials)

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Beta-binomial log probabilities (nats) of each entry of X (n, D)."""
        return _log_probabilities(X, self.alpha0, self.beta0, self.trials)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) (FORMULAS §2)."""
        trials, successes = len(X) * self.trials, X.sum(axis=0)
        per_column = (
            _log_choose(self.trials, X).sum(axis=0)
            + log_risings(self.alpha0, successes)
            + log_risings(self.beta0, trials - successes)
            - log_risings(self.alpha0 + self.beta0, trials)
        )
        return float(per_column.sum())

    def draw(self, random_state: np.random.Generator) -> BinomialProbabilities:
        """Draw success probabilities, column by column."""
        return BinomialProbabilities(random_state.beta(self.alpha0, self.beta0), self.trials)

    def expected_value(self) -> FloatArray:
        """Mean (D,) of one more point."""
        return np.asarray(self.trials * self.alpha0 / (self.alpha0 + self.beta0))

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of beta-binomial predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \Big[\ln\tfrac{B(\alpha_d,\beta_d)}{B(\alpha_d+x_d,\beta_d+t_d-x_d)}"
            r" - \ln\tbinom{t_d}{x_d}\Big],\quad B(a,b) = \tfrac{\Gamma(a)\Gamma(b)}{\Gamma(a+b)}"
        )
        columns = {"x": x, "t": self.trials.astype(np.float64), "α": self.alpha0, "β": self.beta0}
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> BarShapes | None:
        """Beta-binomial predictives of slots 0 … K − 1 as bars, if there is one column of moderately many trials."""
        n_values = int(self.trials[0]) + 1
        if working.X.shape[1] > 1 or n_values > LONGEST_BARS:
            return None
        successes = sums_of(state, len(sizes))
        alpha, beta = self.alpha0 + successes, self.beta0 + (sizes[:, None] * self.trials - successes)
        return BarShapes(np.exp(_log_probabilities(np.arange(float(n_values)), alpha, beta, self.trials)))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Return roughly how many arithmetic operations weigh one point against one cluster."""
        return 20.0 + 15.0 * n_features


def _example_trials(n_features: int) -> IntArray:
    return 1 + 5 * np.arange(n_features)[::-1]


def _log_choose(trials: IntArray, x: FloatArray) -> FloatArray:
    """Log binomial coefficients (nats); arrays broadcast."""
    return np.asarray(log_risings(1.0, trials) - log_risings(1.0, x) - log_risings(1.0, trials - x))


def _log_probabilities(x: FloatArray, alpha: FloatArray, beta: FloatArray, trials: IntArray) -> FloatArray:
    """Log probabilities (nats) of counts whose success probabilities are Beta(alpha, beta); arrays broadcast."""
    log_beta_ratio = log_risings(alpha, x) + log_risings(beta, trials - x) - log_risings(alpha + beta, trials)
    return np.asarray(_log_choose(trials, x) + log_beta_ratio)


# --- the kernels ------------------------------------------------------------------------------------------------------


def _rows(family: Binomial) -> list[FloatArray]:
    """Return the binomial coefficients of the counts of few trials."""
    return [comb(t, np.arange(t + 1)) if t < MANY_TRIALS else np.zeros(0) for t in family.trials]


def _decades(family: Binomial, n_points: int) -> FloatArray:
    trials, both = family.trials, family.alpha0 + family.beta0
    most = 2 * (both + (n_points + 1.0) * trials) / np.minimum(np.minimum(family.alpha0, family.beta0), 1.0)
    return np.where(trials < MANY_TRIALS, trials * np.log10(most), 0.0)


def _log_sizes(family: Binomial, n: FloatArray, weight: float) -> FloatArray:
    return -log_ratios(family.alpha0 + family.beta0, family.trials.astype(np.float64), n, weight)


@inlined
def _size(state: Any, d: int, n: float) -> float:
    trials, weight = state.prior[d, 2], state.weight
    return -log_rise(state.prior[d, 0] + state.prior[d, 1] + weight * n * trials, trials, weight)


@inlined
def _factor(state: Any, d: int, n: float, location: float, rest: float) -> float:
    trials, weight = state.prior[d, 2], state.weight
    if trials > FEW_FACTORS:
        return 0.0
    both = state.prior[d, 0] + state.prior[d, 1] + weight * n * trials
    return 1.0 / rising_product(both, trials) if weight == 1.0 else math.exp(-log_rise(both, trials, weight))


@inlined
def log_ways(state: Any, x: float, d: int, n: float, location: float) -> float:
    """Log of what a count's probability is proportional to, but for its own term, given n others and their sum."""
    trials, weight = state.prior[d, 2], state.weight
    failures = state.prior[d, 1] + weight * (n * trials - location)
    return log_rise(state.prior[d, 0] + weight * location, x, weight) + log_rise(failures, trials - x, weight)


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    return cached[0] + log_ways(state, x, d, n, location), 1.0


@inlined
def _chance(state: Any, x: float, d: int, n: float, location: float, seen: float) -> float:
    if state.weight != 1.0:
        return math.exp(state.weight * _own_term(state, x, d) + log_ways(state, x, d, n, location))
    alpha, trials = state.prior[d, 0] + location, state.prior[d, 2]
    beta = state.prior[d, 1] + (n * trials - location)
    return state.row_weight[state.first[d] + int(x)] * (rising_product(alpha, x) * rising_product(beta, trials - x))


@inlined
def _fill_rows(state: Any, x: float, d: int, k: int) -> None:
    """Recompute all chances: in one pass, bit for bit as singly, since they are longer by one factor each."""
    first, end, n, location = state.first[d], state.first[d + 1], state.n_cells[d, k], state.location[d, k]
    if state.weight != 1.0:
        for row in range(first, end):
            state.chance[row, k] = _chance(state, float(row - first), d, n, location, 0.0)
        return
    alpha, beta = state.prior[d, 0] + location, state.prior[d, 1] + (n * state.prior[d, 2] - location)
    product = 1.0
    for row in range(first, end):
        state.chance[row, k] = product
        product *= alpha + (row - first)
    product = 1.0
    for back in range(end - first):
        row = end - 1 - back
        state.chance[row, k] = state.row_weight[row] * (state.chance[row, k] * product)
        product *= beta + back


@inlined
def _own_term(state: Any, x: float, d: int) -> float:
    """Log binomial coefficient."""
    trials, table = state.prior[d, 2], state.factorials
    if trials == 1.0:
        return 0.0
    return log_factorial(table, trials) - log_factorial(table, x) - log_factorial(table, trials - x)


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    weight, alpha0, beta0 = state.weight, state.prior[d, 0], state.prior[d, 1]
    total, trials = state.location[d, k], state.n_cells[d, k] * state.prior[d, 2]
    rises = log_rise(alpha0, total, weight) + log_rise(beta0, trials - total, weight)
    return weight * state.rest[d, k] + rises - log_rise(alpha0 + beta0, trials, weight)


BINOMIAL = Kind(
    families=(Binomial,),
    numbers=lambda family: prior_numbers(family.alpha0, family.beta0, family.trials),
    rows=_rows,
    decades=_decades,
    log_sizes=_log_sizes,
    has_factorials=True,
    size=_size,
    factor=_factor,
    cell=_cell,
    own_term=_own_term,
    log_marginal=_log_marginal,
    chance=_chance,
    fill_rows=_fill_rows,
)
