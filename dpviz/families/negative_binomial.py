"""Negative binomial–beta family: independent counts that vary more than Poisson's.

Poisson counts of one cluster have the variance of their mean μ. Where it is μ + φμ², as of most counts of living
things, the Poisson family explains the rest by clusters. Here φ, the dispersion, is a hyperparameter of each column;
given it the family is conjugate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln, xlog1py

from dpviz._jit import implements, inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_means
from dpviz.families.columns import (
    ColumnFamily,
    check_counts,
    example_groups,
    keeps_sums,
    log_base_measure,
    log_rising,
    log_risings,
    weight_parameter,
)
from dpviz.families.gamma_ratios import log_gamma_ratio, log_gamma_ratios
from dpviz.families.geometric import SMALLEST_PROBABILITY
from dpviz.families.shapes import LONGEST_BARS, BarShapes
from dpviz.families.verbs import log_leave_one_out, log_marginal, log_predictive
from dpviz.parameters import Parameter

LEAST_DISPERSION, MOST_DISPERSION = 1e-8, 1e3
"""Bounds on φ: below them nll loses its digits in r = 1/φ, above them nearly all counts are zero."""
LEAST_USUAL = 1e-6
"""Least default: such counts cannot be told from Poisson's, and sliders about it stay within the bounds."""
MOST_TABLED = 1000
"""Largest count whose coefficient is tabled."""
PRIOR_WEIGHT = 2.0
"""Least α₀ and β₀ of the default prior, so that a cluster's mean may differ from the data's by a factor of about 2."""


@dataclass(frozen=True, eq=False)
class NegativeBinomialProbabilities:
    """Parameters of one component.

    Attributes
    ----------
    size : ndarray (D,)
        r = 1/φ.
    success : ndarray (D,)
        p: the mean is r (1 − p)/p.
    """

    size: FloatArray
    success: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D)."""
        ways = gammaln(X + self.size) - gammaln(self.size) - gammaln(X + 1)
        return np.asarray((ways + self.size * np.log(self.success) + xlog1py(X, -self.success)).sum(axis=1))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw counts (n_points, D): Poisson's, of rates that are gamma distributed."""
        rates = random_state.standard_gamma(self.size, (n_points, len(self.size))) * ((1 - self.success) / self.success)
        return random_state.poisson(rates).astype(np.float64)

    def shapes(self) -> BarShapes | None:
        """Return bars if there is one column of moderate counts."""
        from scipy import stats  # deferred: it takes half a second to import

        n_values = stats.nbinom.ppf(0.9999, self.size[0], self.success[0]) + 1
        if len(self.success) > 1 or n_values > LONGEST_BARS:
            return None
        return BarShapes(np.exp(self.log_density(np.arange(n_values)[:, None]))[None, :])


@dataclass(frozen=True, eq=False)
class NegativeBinomial(ColumnFamily):
    """Per column: P(count = x) = Γ(x + r)/(Γ(r) x!) p^r (1 − p)^x, with p ~ Beta(alpha0, beta0) and r = 1/dispersion.

    Given its cluster, a count of mean μ has variance μ + dispersion · μ². With a dispersion of 1 it is the family of
    waiting counts (geometric), as the dispersion goes to 0 that of Poisson counts.

    Attributes
    ----------
    alpha0 : ndarray (D,)
        > 0; every point adds r.
    beta0 : ndarray (D,)
        > 0; every point adds its count.
    dispersion : ndarray (D,)
        φ, from 1e-8 to 1e3.
    """

    alpha0: FloatArray
    beta0: FloatArray
    dispersion: FloatArray

    name: ClassVar[str] = "negative_binomial"
    title: ClassVar[str] = "Over-dispersed counts, independent columns (negative binomial–beta)"
    kind: ClassVar[str] = "count"
    support: ClassVar[str] = "whole numbers ≥ 0"
    scaled_by_width: ClassVar[tuple[str, ...]] = ("dispersion",)
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        weight_parameter(
            "alpha0", "α₀", "what the prior is worth, in points over φ: small lets clusters roam", "weight"
        ),
        weight_parameter("beta0", "β₀", "prior sum of counts: a cluster's expected count is β₀/(φ(α₀ − 1))", "scale"),
        Parameter(
            name="dispersion",
            symbol="φ",
            explanation="how much counts of one cluster vary: their variance is μ + φμ², μ being their mean",
            lower=LEAST_DISPERSION,
            lower_allowed=True,
            upper=MOST_DISPERSION,
            log=True,
            role="scale",
            shape=("D",),
        ),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Expect one cluster's variance to be the data's, and the data's mean count, within a factor of about 2.

        With m the mean and s² the variance of a column the dispersion is (s² − m)/m², of all data; a width scales it.
        The prior of the means follows from m and φ by :func:`_weights`.
        """
        means, seen = _mean_counts(X), np.maximum((~np.isnan(X)).sum(axis=0), 1)
        variances = np.nansum((X - means) ** 2, axis=0) / np.maximum(seen - 1, 1)
        dispersion = np.clip((variances - means) / means**2, LEAST_USUAL, MOST_DISPERSION)
        return {**_weights(means, dispersion), "dispersion": dispersion}

    @classmethod
    def narrowed(cls, prior: Mapping[str, Any], share: float) -> dict[str, Any] | None:
        """Scale the dispersion, and keep the prior of the clusters' means."""
        if "dispersion" not in prior:
            return dict(prior)
        before = np.asarray(prior["dispersion"], dtype=np.float64)
        dispersion = np.clip(before * share, LEAST_DISPERSION, MOST_DISPERSION)
        if not {"alpha0", "beta0"} <= set(prior):
            return {**prior, "dispersion": dispersion}
        alpha0, beta0 = (np.asarray(prior[name], dtype=np.float64) for name in ("alpha0", "beta0"))
        if share == 1 or np.any(alpha0 <= 1):  # a prior of a user's own, without a mean
            return {**prior, "dispersion": dispersion}
        return {**_weights(beta0 / (before * (alpha0 - 1)), dispersion), "dispersion": dispersion}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless every value is a whole number from 0 to 10⁹."""
        check_counts(X, cls.name, names)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Logarithms of x + 1, which give strongly dispersed counts about the same spread (Anscombe 1948)."""
        return np.asarray(np.log1p(X))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw counts about three means."""
        levels, rng = example_groups(n_points, n_features, seed)
        return rng.poisson(4 * levels * rng.standard_gamma(2.5, levels.shape) / 2.5).astype(np.float64)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        return {
            "alpha0": np.linspace(2.3, 3.1, n_features),
            "beta0": np.linspace(2.5, 3.5, n_features),
            "dispersion": np.linspace(0.7, 0.3, n_features),
        }

    # --- the model ----------------------------------------------------------------------------------------------------

    @property
    def size(self) -> FloatArray:
        """R = 1/dispersion (D,)."""
        return 1 / np.asarray(self.dispersion, dtype=np.float64)

    def posterior(self, X: FloatArray) -> NegativeBinomial:
        """Hyperparameters after the points X (n, D): α + n r and β + Σx."""
        return NegativeBinomial(self.alpha0 + len(X) * self.size, self.beta0 + X.sum(axis=0), self.dispersion)

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictive probabilities (nats) of each entry of X (n, D): ln C(x + r − 1, x) B(α + r, β + x)/B(α, β)."""
        return _log_probabilities(X, self.alpha0, self.beta0, self.size)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D): Π C(x + r − 1, x) · B(α + n r, β + Σx)/B(α, β)."""
        n, total, size = len(X), X.sum(axis=0), self.size
        ways = (log_risings(size, X) - log_risings(1.0, X)).sum(axis=0)
        both = log_risings(self.alpha0 + self.beta0, total) + log_gamma_ratios(
            self.alpha0 + self.beta0 + total, n * size
        )
        return float(np.sum(ways + log_gamma_ratios(self.alpha0, n * size) + log_risings(self.beta0, total) - both))

    def draw(self, random_state: np.random.Generator) -> NegativeBinomialProbabilities:
        """Draw success probabilities, column by column."""
        success = np.maximum(random_state.beta(self.alpha0, self.beta0), SMALLEST_PROBABILITY)
        return NegativeBinomialProbabilities(self.size, success)

    def expected_value(self) -> FloatArray:
        """Mean count (D,) of one more point; infinite where α ≤ 1."""
        odds = np.divide(self.beta0, self.alpha0 - 1, out=np.full(len(self.beta0), np.inf), where=self.alpha0 > 1)
        return self.size * odds

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of predictives at a point x (D,)."""
        latex = (
            r"-\ln f = \sum_d \ln\Big[\tfrac{\Gamma(r_d)\,x_d!}{\Gamma(r_d+x_d)}"
            r"\tfrac{B(\alpha_d,\beta_d)}{B(\alpha_d+r_d,\beta_d+x_d)}\Big],"
            r"\quad r_d = 1/\varphi_d"
        )
        columns = {"x": x, "α": self.alpha0, "β": self.beta0, "φ": self.dispersion}
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> BarShapes | None:
        """Predictives of slots 0 … K − 1 as bars, if there is one column of moderate counts."""
        n_values = int(working.X.max()) + 2
        if working.X.shape[1] > 1 or n_values > LONGEST_BARS:
            return None
        alpha, beta = self.alpha0 + sizes[:, None] * self.size, self.beta0 + state.total[: len(sizes)]
        return BarShapes(np.exp(_log_probabilities(np.arange(float(n_values)), alpha, beta, self.size)))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 30.0 + 90.0 * n_features

    def bind(self, X: FloatArray, capacity: int) -> NegativeBinomialState:
        """Allocate the state and fill the tables of quantities that depend only on a cluster's size."""
        n_points, n_features = X.shape
        alpha0, beta0 = np.array(self.alpha0, dtype=np.float64), np.array(self.beta0, dtype=np.float64)
        size = np.array(self.size)
        alpha = alpha0 + np.arange(n_points + 1.0)[:, None] * size
        counts = np.arange(min(X.max(), MOST_TABLED) + 1.0)[:, None]
        return NegativeBinomialState(
            alpha0=alpha0,
            beta0=beta0,
            size=size,
            log_successes=log_gamma_ratios(alpha, size).sum(axis=1),
            marginal_constant=log_gamma_ratios(alpha0, alpha - alpha0).sum(axis=1),
            log_ways=log_risings(size, counts) - log_risings(1.0, counts),
            total=np.zeros((capacity, n_features)),
            log_base=np.zeros(capacity),
        )


def _mean_counts(X: FloatArray) -> FloatArray:
    """Return the mean count (D,) of each column; zeros alone count as half an event in all."""
    return np.maximum(column_means(X), 0.5 / len(X))


def _weights(means: FloatArray, dispersion: FloatArray) -> dict[str, FloatArray]:
    """Return α₀ and β₀ under which clusters have these mean counts on average, whatever the scale of the counts.

    Both are at least ``PRIOR_WEIGHT``, one of them is that: β₀ where counts are small against 1/φ, as under a gamma
    prior of Poisson rates, else α₀.
    """
    beta0 = np.maximum(PRIOR_WEIGHT, (PRIOR_WEIGHT - 1) * means * dispersion)
    return {"alpha0": 1 + beta0 / (means * dispersion), "beta0": beta0}


def _log_probabilities(x: FloatArray, alpha: FloatArray, beta: FloatArray, size: FloatArray) -> FloatArray:
    """Log probabilities (nats) of counts whose success probabilities are Beta(alpha, beta); arrays broadcast."""
    ways = log_risings(size, x) - log_risings(1.0, x)
    both = log_risings(alpha + beta, x) + log_gamma_ratios(alpha + beta + x, size)
    return np.asarray(ways + log_gamma_ratios(alpha, size) + log_risings(beta, x) - both)


@keeps_sums
class NegativeBinomialState(NamedTuple):
    """Prior; Σ ln Γ(α + r)/Γ(α) and the marginal's part that depends on the size alone, by size; ln ways; the sums.

    ``log_ways`` (values, D) has ln C(x + r − 1, x) of the counts x = 0, 1, …
    """

    alpha0: FloatArray
    beta0: FloatArray
    size: FloatArray
    log_successes: FloatArray
    marginal_constant: FloatArray
    log_ways: FloatArray
    total: FloatArray
    log_base: FloatArray


@implements(log_base_measure, NegativeBinomialState)
def _log_base_measure(state: Any, X: FloatArray, i: int) -> float:
    log_base = 0.0
    for d in range(X.shape[1]):
        x = X[i, d]
        tabled = x < state.log_ways.shape[0]
        log_base += state.log_ways[int(x), d] if tabled else log_rising(state.size[d], x) - log_rising(1.0, x)
    return log_base


@inlined
def _log_probability(state: Any, X: FloatArray, i: int, k: int, others: int, own: float) -> float:
    """Log predictive given a slot of ``others`` points, after ``own`` times the point itself has been taken out."""
    log_probability = log_base_measure(state, X, i) + state.log_successes[others]
    for d in range(X.shape[1]):
        x = X[i, d]
        beta = state.beta0[d] + (state.total[k, d] - own * x)
        both = state.alpha0[d] + others * state.size[d] + beta
        log_probability += log_rising(beta, x) - log_rising(both, x) - log_gamma_ratio(both + x, state.size[d])
    return log_probability


@implements(log_predictive, NegativeBinomialState)
def _log_predictive(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _log_probability(state, X, i, k, n, 0.0)


@implements(log_leave_one_out, NegativeBinomialState)
def _log_leave_one_out(state: Any, X: FloatArray, i: int, k: int, n: int) -> float:
    return _log_probability(state, X, i, k, n - 1, 1.0)  # sums of whole numbers lose no digits: never NaN


@implements(log_marginal, NegativeBinomialState)
def _log_marginal(state: Any, k: int, n: int) -> float:
    log_probability = state.log_base[k] + state.marginal_constant[n]
    for d in range(state.total.shape[1]):
        beta0, total = state.beta0[d], state.total[k, d]
        both = state.alpha0[d] + beta0
        log_probability += log_rising(beta0, total) - log_rising(both, total)
        log_probability -= log_gamma_ratio(both + total, n * state.size[d])
    return log_probability
