"""Parts of a whole: a block of counts, such as words of a document, given how many there are in all.

Within a cluster each of the m counts of a row is of one of V parts with the cluster's own shares, which are Dirichlet
(FORMULAS §8.3). It is a law of the counts given their total, so that rows of any length are alike if their shares are.
Counts of a part add one term each, and the total one more, with the other sign: to the kernels it is one more column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray
from dpviz.errors import InvalidDataError
from dpviz.families.base import Formula, WorkingData
from dpviz.families.columns.base import LARGEST_COUNT, ColumnFamily, check_counts, weight_parameter
from dpviz.families.columns.kinds import Kind, Pair, prior_numbers
from dpviz.families.columns.rising import FEW_FACTORS, log_factorial, log_rise, log_risings, rising_product
from dpviz.families.shapes import Shapes
from dpviz.parameters import Parameter
from dpviz.shares import PARTS

MOST_EXACT = 2.0**53
"""Largest sum of counts that is exact."""
WEIGHTS = np.logspace(-2.0, 2.0, 41)
"""Prior weights of a part that are tried."""


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of one component.

    Attributes
    ----------
    shares : ndarray (D,)
        Of each part; they add up to 1.
    total : int
        Of the rows that are drawn.
    is_totalled : bool
        Whether rows are those of working data.
    """

    shares: FloatArray
    total: int
    is_totalled: bool = False

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D), given its total."""
        X = X[:, : len(self.shares)]
        ways = log_risings(1.0, X.sum(axis=1)) - log_risings(1.0, X).sum(axis=1)
        return np.asarray(ways + X @ np.log(self.shares))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw rows (n_points, D) of one total."""
        return random_state.multinomial(self.total, self.shares / self.shares.sum(), n_points).astype(np.float64)

    def shapes(self) -> Shapes | None:
        """Draw nothing: all counts of a row are one."""
        return None


@dataclass(frozen=True)
class TotalledWorkingData(WorkingData):
    """The counts, and beside them their total."""

    def transform(self, X: FloatArray) -> FloatArray:
        """Add their totals to further points (n, D), or raise InvalidDataError."""
        Multinomial.check_data(X)
        return _with_totals(X)

    def directions(self, n_features: int) -> FloatArray:
        """Return by how much counts and their total change per unit of each count."""
        return np.hstack([np.eye(n_features), np.ones((n_features, 1))])


@dataclass(frozen=True, eq=False)
class Multinomial(ColumnFamily):
    """All columns together: counts ~ Multinomial(their total, θ), θ ~ Dirichlet(alpha0).

    Attributes
    ----------
    alpha0 : ndarray (D,)
        How many counts of each part the prior has seen, > 0.
    total : int
        Counts of a row that is drawn; no probability depends on it.
    """

    alpha0: FloatArray
    total: int

    name: ClassVar[str] = "multinomial"
    title: ClassVar[str] = "Parts of a whole, given the total (multinomial–Dirichlet)"
    kind: ClassVar[str] = PARTS
    support: ClassVar[str] = "counts, some above 0 in each row"
    independent_columns: ClassVar[bool] = False
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        weight_parameter("alpha0", "α₀", "prior counts of each part: small lets clusters' shares differ", "weight"),
        Parameter(
            name="total",
            symbol="m",
            explanation="how many counts a row has that is drawn; no probability depends on it",
            lower=1,
            lower_allowed=True,
            upper=LARGEST_COUNT,
            integer=True,
            role="count",
        ),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """One weight for all parts, under which the rows, each with shares of its own, are most likely."""
        n_features, totals = X.shape[1], X.sum(axis=1)
        (counts, often), (lengths, as_often) = np.unique(X, return_counts=True), np.unique(totals, return_counts=True)
        fits = log_risings(WEIGHTS[:, None], counts) @ often
        fits = fits - log_risings(n_features * WEIGHTS[:, None], lengths) @ as_often
        total = max(int(np.median(totals)), 1) if len(X) else 1
        return {"alpha0": np.full(n_features, WEIGHTS[np.argmax(fits)]), "total": min(total, LARGEST_COUNT)}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless every value is a whole number from 0 to 10⁹, each row has one above 0, and sums are exact."""
        missing = np.argwhere(np.isnan(X))
        if len(missing):
            raise InvalidDataError(
                f"row {missing[0, 0]} lacks one of its {X.shape[1]} parts (NaN), and shares are known of all alone. "
                "Write 0 where none were counted, or leave the row out."
            )
        check_counts(X, cls.name, names)
        totals = X.sum(axis=1)
        if not totals.all():
            raise InvalidDataError(
                f"row {int(np.argmin(totals))} holds no counts at all in its {X.shape[1]} parts, so that nothing says "
                "what it is like. Leave such rows out."
            )
        if totals.sum() > MOST_EXACT:
            raise InvalidDataError(
                f"the counts of all parts add up to {totals.sum():.3g}; sums beyond 2^53 are not exact. Take fewer "
                "rows, or count in larger units."
            )

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Square roots of shares, whose distances are Hellinger's."""
        return np.asarray(np.sqrt(X / np.maximum(X.sum(axis=1, keepdims=True), 1.0)))

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw rows of 3 to 20 counts with shares of three kinds."""
        rng = np.random.default_rng([seed, n_features])
        shares = rng.dirichlet(np.full(n_features, 0.5), size=3)
        rows = [rng.multinomial(rng.integers(3, 20), shares[i % 3]) for i in range(n_points)]
        return np.array(rows, dtype=np.float64).reshape(n_points, n_features)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        return {"alpha0": np.linspace(0.4, 1.7, n_features), "total": 12}

    # --- the model ----------------------------------------------------------------------------------------------------

    def counts_of(self, X: FloatArray) -> FloatArray:
        """Return the counts (n, D) of rows of X."""
        return X

    def posterior(self, X: FloatArray) -> Self:
        """Hyperparameters after the points X (n, D) (FORMULAS §8.3)."""
        return type(self)(self.alpha0 + self.counts_of(X).sum(axis=0), self.total)

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Return what each entry of X (n, D) adds to the log probability (nats) of its row.

        What the total adds is divided in the proportions of the counts.
        """
        X = self.counts_of(X)
        totals = X.sum(axis=1, keepdims=True)
        of_total = log_risings(1.0, totals) - log_risings(self.alpha0.sum(), totals)
        return np.asarray(log_risings(self.alpha0, X) - log_risings(1.0, X) + of_total * X / np.maximum(totals, 1.0))

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D), given their totals (FORMULAS §8.3)."""
        X = self.counts_of(X)
        ways = log_risings(1.0, X.sum(axis=1)).sum() - log_risings(1.0, X).sum()
        rises = log_risings(self.alpha0, X.sum(axis=0)).sum() - log_risings(self.alpha0.sum(), X.sum())
        return float(ways + rises)

    def draw(self, random_state: np.random.Generator) -> Shares:
        """Draw shares."""
        shares = np.maximum(random_state.dirichlet(self.alpha0), 1e-300)
        return Shares(shares, self.total)

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the predictive at a point x (D,)."""
        latex = (
            r"-\ln f = \ln\tfrac{\Gamma(A+m)}{\Gamma(A)\,m!} + \sum_d \ln\tfrac{\Gamma(\alpha_d)\,x_d!}"
            r"{\Gamma(\alpha_d+x_d)},\quad A = \sum_d \alpha_d,\ m = \sum_d x_d"
        )
        numbers = f"A = {self.alpha0.sum():.6g}, m = {x.sum():.6g}, per column:"
        return Formula(latex, numbers, -float(self.log_predictive(x[None, :])[0]), {"x": x, "α": self.alpha0})

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 30.0 + 10.0 * n_features

    def working(self, X: FloatArray) -> TotalledWorkingData:
        """Add the totals."""
        coordinates = np.ascontiguousarray(self.coordinates(X))
        return TotalledWorkingData(Totalled(self.alpha0, self.total), _with_totals(X), coordinates)


class Totalled(Multinomial):
    """The same, of rows of working data (n, D + 1)."""

    def counts_of(self, X: FloatArray) -> FloatArray:
        """Return all but the total."""
        return X[:, :-1]


def _with_totals(X: FloatArray) -> FloatArray:
    return np.ascontiguousarray(np.column_stack([X, X.sum(axis=1)]))


# --- the kernels ------------------------------------------------------------------------------------------------------
# A column of counts, or that of their total, whose terms have the other sign: the second of its numbers.


def _numbers(family: Multinomial) -> FloatArray:
    weights = np.append(family.alpha0, family.alpha0.sum())
    return prior_numbers(weights, np.append(np.ones(len(family.alpha0)), -1.0))


def _decades(family: Multinomial, n_points: int) -> FloatArray:
    most = np.log10(family.alpha0 + n_points * LARGEST_COUNT + FEW_FACTORS)
    return np.append(FEW_FACTORS * most, 0.0)


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    alpha, weight = state.prior[d, 0] + state.weight * location, state.weight
    if state.prior[d, 1] < 0.0:
        return -log_rise(alpha, x, weight), 1.0
    if x <= FEW_FACTORS and weight == 1.0:
        return 0.0, rising_product(alpha, x)
    return log_rise(alpha, x, weight), 1.0


@inlined
def _own_term(state: Any, x: float, d: int) -> float:
    return -state.prior[d, 1] * log_factorial(state.factorials, x)


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    rise = log_rise(state.prior[d, 0], state.location[d, k], state.weight)
    return state.weight * state.rest[d, k] + state.prior[d, 1] * rise


MULTINOMIAL = Kind(
    families=(Multinomial, Totalled),
    numbers=_numbers,
    decades=_decades,
    has_factorials=True,
    cell=_cell,
    own_term=_own_term,
    log_marginal=_log_marginal,
)
