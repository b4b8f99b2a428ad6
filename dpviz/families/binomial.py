"""Binomial–beta family: independent numbers of successes in a fixed number of trials (2016 App. A); binary if one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import comb, xlog1py, xlogy

from dpviz._jit import implements, inlined
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_maxima, column_means, require_values
from dpviz.families.columns import (
    FEW_FACTORS,
    LARGEST_COUNT,
    LARGEST_FACTOR,
    ColumnFamily,
    check_counts,
    example_groups,
    factorial_table,
    fill_chances,
    keep_in_range,
    last_of_product,
    log_factorial,
    log_rising,
    log_risings,
    rising_product,
    rising_table,
    step_table,
    weigh_slots,
    weighs_slots_together,
    weight_parameter,
    whole_numbers,
)
from dpviz.families.shapes import LONGEST_BARS, BarShapes
from dpviz.families.verbs import (
    SLOT_FIELDS,
    SLOT_LAST_FIELDS,
    OpenSlots,
    add_point,
    clear_slot,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)
from dpviz.parameters import Parameter

MANY_TRIALS = int(FEW_FACTORS) + 1
"""From this many trials on, probabilities are computed as logarithms."""


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
        successes = state.total[:, : len(sizes)].T
        alpha, beta = self.alpha0 + successes, self.beta0 + (sizes[:, None] * self.trials - successes)
        return BarShapes(np.exp(_log_probabilities(np.arange(float(n_values)), alpha, beta, self.trials)))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Return roughly how many arithmetic operations weigh one point against one cluster."""
        return 20.0 + 15.0 * n_features

    def bind(self, X: FloatArray, capacity: int) -> BinomialState:
        """Allocate the state and fill the tables of what depends on a cluster's size alone."""
        n_points, n_features = X.shape
        trials, both = self.trials.astype(np.float64), np.asarray(self.alpha0 + self.beta0, dtype=np.float64)
        first, choose = few_counts(self.trials)
        factors = np.where(np.diff(first) > 0, trials, 0.0)
        least, most = np.minimum(self.alpha0, self.beta0), np.maximum(self.alpha0, self.beta0)
        return BinomialState(
            last=last_of_product(np.minimum(least, 1.0) ** factors, (2 * (most + (n_points + 1) * trials)) ** factors),
            alpha0=np.array(self.alpha0, dtype=np.float64),
            beta0=np.array(self.beta0, dtype=np.float64),
            trials=trials,
            first=first,
            choose=choose,
            predictive_constant=-step_table(both, trials, n_points),
            marginal_constant=-rising_table(both, trials, n_points),
            factorials=factorial_table(trials.max()),
            total=np.zeros((n_features, capacity)),
            ways=np.zeros((len(choose), capacity)),
            log_base=np.zeros(capacity),
        )


def few_counts(trials: Iterable[int]) -> tuple[IntArray, FloatArray]:
    """Give every count 0 … t of columns of few trials t a row, and its binomial coefficient.

    Returns
    -------
    first : ndarray of int (D + 1,)
        Row of each column's count 0; the column has no rows where the next begins there too.
    choose : ndarray
        By row.
    """
    few = [comb(t, np.arange(t + 1)) if t <= FEW_FACTORS else np.zeros(0) for t in trials]
    return np.cumsum([0, *map(len, few)]), np.concatenate([np.zeros(0), *few])


def _example_trials(n_features: int) -> IntArray:
    return 1 + 5 * np.arange(n_features)[::-1]


def _log_choose(trials: IntArray, x: FloatArray) -> FloatArray:
    """Log binomial coefficients (nats); arrays broadcast."""
    return np.asarray(log_risings(1.0, trials) - log_risings(1.0, x) - log_risings(1.0, trials - x))


def _log_probabilities(x: FloatArray, alpha: FloatArray, beta: FloatArray, trials: IntArray) -> FloatArray:
    """Log probabilities (nats) of counts whose success probabilities are Beta(alpha, beta); arrays broadcast."""
    log_beta_ratio = log_risings(alpha, x) + log_risings(beta, trials - x) - log_risings(alpha + beta, trials)
    return np.asarray(_log_choose(trials, x) + log_beta_ratio)


@weighs_slots_together
class BinomialState(NamedTuple):
    """After which columns to look at products; prior; rows of the counts of columns of few trials; the sums.

    Parts of predictive and marginal that depend on the size alone are tables by size. ``ways`` holds what the
    probability of each such count is proportional to, for a point more in a slot, and ``log_base`` the sum of the
    members' log binomial coefficients, once rebuilt.
    """

    last: BoolArray
    alpha0: FloatArray
    beta0: FloatArray
    trials: FloatArray
    first: IntArray
    choose: FloatArray
    predictive_constant: FloatArray
    marginal_constant: FloatArray
    factorials: FloatArray
    total: FloatArray
    ways: FloatArray
    log_base: FloatArray


SLOT_FIELDS[BinomialState] = ("log_base",)
SLOT_LAST_FIELDS[BinomialState] = ("total", "ways")


@inlined
def _ways(state: Any, d: int, n: int, successes: float, count: float) -> float:
    """Weigh a count of few trials, given ``n`` others and their sum: its probability without the factor of ``n``."""
    trials = state.trials[d]
    alpha, beta = state.alpha0[d] + successes, state.beta0[d] + (n * trials - successes)
    product = rising_product(alpha, count) * rising_product(beta, trials - count)
    return state.choose[state.first[d] + int(count)] * product


@inlined
def _log_ways(state: Any, d: int, n: int, successes: float, count: float) -> float:
    """Return the logarithm of the same for many trials."""
    trials, table = state.trials[d], state.factorials
    alpha, beta = state.alpha0[d] + successes, state.beta0[d] + (n * trials - successes)
    log_choose = log_factorial(table, trials) - log_factorial(table, count) - log_factorial(table, trials - count)
    return log_choose + (log_rising(alpha, count) + log_rising(beta, trials - count))


@inlined
def _refresh(state: Any, k: int, n: int) -> None:
    """Recompute the quantities derived from the slot's sums and its number of points."""
    for d in range(state.total.shape[0]):
        first, end, successes = state.first[d], state.first[d + 1], state.total[d, k]
        if first < end:
            alpha, beta = state.alpha0[d] + successes, state.beta0[d] + (n * state.trials[d] - successes)
            fill_chances(alpha, beta, 1.0, state.choose, first, end, k, state.ways)


@inlined
def _log_probability(state: Any, X: FloatArray, i: int, k: int, others: int, own: float) -> float:
    """Log predictive given a slot of ``others`` points, after ``own`` times the point itself has been taken out."""
    log_probability, product = state.predictive_constant[others], 1.0
    for d in range(X.shape[1]):
        x, successes = X[i, d], state.total[d, k] - own * X[i, d]
        if state.first[d] < state.first[d + 1]:
            product *= _ways(state, d, others, successes, x)
        else:
            log_probability += _log_ways(state, d, others, successes, x)
        if state.last[d] and not 1.0 / LARGEST_FACTOR < product < LARGEST_FACTOR:
            log_probability += math.log(product)
            product = 1.0
    return log_probability + math.log(product)


@implements(log_predictive, BinomialState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _log_probability(state, X, i, k, n, 0.0)


@implements(log_leave_one_out, BinomialState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _log_probability(state, X, i, k, n - 1, 1.0)  # sums of whole numbers lose no digits: never NaN


@implements(weigh_slots, BinomialState)
def _weigh_slots(state: Any, X: FloatArray, i: int, open_slots: OpenSlots, work: FloatArray) -> None:
    n_slots, sizes = open_slots.n_slots, open_slots.sizes
    total, product, ways, successes = work.shape[0] - 2, work.shape[0] - 1, state.ways, state.total
    for k in range(n_slots):
        work[total, k] = state.predictive_constant[sizes[k]]
        work[product, k] = 1.0
    for d in range(X.shape[1]):
        row = state.first[d] + int(X[i, d])
        if state.first[d] < state.first[d + 1]:
            for k in range(n_slots):
                work[product, k] *= ways[row, k]
            if state.last[d]:
                keep_in_range(n_slots, work)
        else:
            for k in range(n_slots):
                work[total, k] += _log_ways(state, d, sizes[k], successes[d, k], X[i, d])
    for k in range(n_slots):
        work[total, k] += math.log(work[product, k])


@implements(add_point, BinomialState)
def _add_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.total[d, k] += X[i, d]
    _refresh(state, k, n + 1)
    return True


@implements(remove_point, BinomialState)
def _remove_point(state: Any, X: FloatArray, i: int, k: int, n: int) -> bool:
    for d in range(X.shape[1]):
        state.total[d, k] -= X[i, d]
    _refresh(state, k, n - 1)
    return True


@implements(clear_slot, BinomialState)
def _clear_slot(state: Any, k: int) -> None:
    state.log_base[k] = 0.0
    for d in range(state.total.shape[0]):
        state.total[d, k] = 0.0
    _refresh(state, k, 0)


@implements(rebuild, BinomialState)
def _rebuild(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int, first: int) -> None:
    state.total[:, first : first + n_clusters] = 0.0
    state.log_base[first : first + n_clusters] = 0.0
    table = state.factorials
    for i in range(X.shape[0]):
        k = first + labels[i]
        for d in range(X.shape[1]):
            x, trials = X[i, d], state.trials[d]
            state.total[d, k] += x
            if trials > 1.0:
                log_choose = log_factorial(table, trials) - log_factorial(table, x) - log_factorial(table, trials - x)
                state.log_base[k] += log_choose
    for cluster in range(n_clusters):
        _refresh(state, first + cluster, sizes[cluster])


@implements(log_marginal, BinomialState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    log_probability = state.log_base[k] + state.marginal_constant[n]
    for d in range(state.total.shape[0]):
        successes = state.total[d, k]
        failures = n * state.trials[d] - successes
        log_probability += log_rising(state.alpha0[d], successes) + log_rising(state.beta0[d], failures)
    return log_probability
