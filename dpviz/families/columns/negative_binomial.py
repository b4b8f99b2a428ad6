"""Negative binomial–beta family: independent counts that vary more than Poisson's.

Poisson counts of one cluster have the variance of their mean μ. Where it is μ + φμ², as of most counts of living
things, the Poisson family explains the rest by clusters. Here φ, the dispersion, is a hyperparameter of each column;
given it the family is conjugate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln, xlog1py

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, column_means
from dpviz.families.columns.base import ColumnFamily, check_counts, example_groups, weight_parameter
from dpviz.families.columns.geometric import SMALLEST_PROBABILITY
from dpviz.families.columns.kinds import Kind, Pair, log_ratios, prior_numbers
from dpviz.families.columns.rising import (
    log_factorial,
    log_gamma_ratio,
    log_gamma_ratios,
    log_rise,
    log_rising,
    log_risings,
)
from dpviz.families.columns.state import sums_of
from dpviz.families.shapes import LONGEST_BARS, BarShapes
from dpviz.parameters import Parameter

LEAST_DISPERSION, MOST_DISPERSION = 1e-8, 1e3
"""Bounds on φ: below them nll loses its digits in r = 1/φ, above them nearly all counts are zero."""
LEAST_USUAL = 1e-6
"""Least default: such counts cannot be told from Poisson's, and sliders about it stay within the bounds."""
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
        alpha, beta = self.alpha0 + sizes[:, None] * self.size, self.beta0 + sums_of(state, len(sizes))
        return BarShapes(np.exp(_log_probabilities(np.arange(float(n_values)), alpha, beta, self.size)))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 30.0 + 90.0 * n_features


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


# --- the kernels ------------------------------------------------------------------------------------------------------


def _log_sizes(family: NegativeBinomial, n: FloatArray, weight: float) -> FloatArray:
    return log_ratios(family.alpha0, family.size, n, weight)


@inlined
def _size(state: Any, d: int, n: float) -> float:
    size = state.weight * state.prior[d, 2]
    return log_gamma_ratio(state.prior[d, 0] + n * size, size)


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    weight, size = state.weight, state.prior[d, 2]
    beta = state.prior[d, 1] + weight * location
    both = state.prior[d, 0] + weight * n * size + beta
    ways = log_rise(beta, x, weight) - log_gamma_ratio(both, weight * (size + x))
    return cached[0] + ways, 1.0


@inlined
def _own_term(state: Any, x: float, d: int) -> float:
    return log_rising(state.prior[d, 2], x) - log_factorial(state.factorials, x)


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    weight, alpha0, beta0 = state.weight, state.prior[d, 0], state.prior[d, 1]
    successes, total = state.n_cells[d, k] * state.prior[d, 2], state.location[d, k]
    rises = log_gamma_ratio(alpha0, weight * successes) + log_rise(beta0, total, weight)
    return weight * state.rest[d, k] + rises - log_gamma_ratio(alpha0 + beta0, weight * (successes + total))


NEGATIVE_BINOMIAL = Kind(
    families=(NegativeBinomial,),
    numbers=lambda family: prior_numbers(family.alpha0, family.beta0, family.size),
    has_factorials=True,
    log_sizes=_log_sizes,
    size=_size,
    cell=_cell,
    own_term=_own_term,
    log_marginal=_log_marginal,
)
