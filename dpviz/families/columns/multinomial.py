"""Parts of a whole: a block of counts, such as words of a document, given how many there are in all.

Within a cluster each of the m counts of a row is of one of V parts with the cluster's own shares, which are Dirichlet
(FORMULAS §8.3). It is a law of the counts given their total, so that rows of any length are alike if their shares are.
Counts of a part add one term each, and the total one more, with the other sign: to the kernels it is one more column.
A part of which a row has none adds nothing: rows list the others, so that a visit costs a term per word of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray
from dpviz.errors import InvalidDataError
from dpviz.families.base import Formula, WorkingData
from dpviz.families.columns.base import LARGEST_COUNT, ColumnFamily, check_counts, weight_parameter, whole_numbers
from dpviz.families.columns.kinds import Kind, Pair, prior_numbers
from dpviz.families.columns.rising import FEW_FACTORS, log_factorial, log_rise, log_risings, rising_product
from dpviz.families.listed import ListedRows, as_listed, n_features_of
from dpviz.families.shapes import Shapes
from dpviz.parameters import Parameter
from dpviz.shares import PARTS

MOST_EXACT = 2.0**53
"""Largest sum of counts that is exact."""
WEIGHTS = np.logspace(-2.0, 2.0, 41)
"""Prior weights of a part that are tried."""
MOST_COORDINATES = 100
"""Most coordinates of a row: of more parts they are along so many directions."""


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of one component.

    Attributes
    ----------
    shares : ndarray (D,)
        Of each part; they add up to 1.
    total : int
        Of the rows that are drawn.
    rows_of : callable
        Lists rows.
    """

    shares: FloatArray
    total: int
    rows_of: Callable[[Any], ListedRows] = ListedRows.of

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D), given its total."""
        rows, logs = self.rows_of(X), np.append(np.log(self.shares), 0.0)
        parts, factorials = rows.parts, log_risings(1.0, rows.counts)
        ways = np.where(parts < len(self.shares), -factorials, factorials)
        return np.asarray((ways + rows.counts * logs[parts]).sum(axis=1))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw rows (n_points, D) of one total."""
        return random_state.multinomial(self.total, self.shares / self.shares.sum(), n_points).astype(np.float64)

    def shapes(self) -> Shapes | None:
        """Draw nothing: all counts of a row are one."""
        return None


@dataclass(frozen=True)
class ListedWorkingData(WorkingData):
    """Lists of the counts above 0, and last in each their total."""

    def transform(self, X: FloatArray) -> FloatArray:
        """List the counts of further points (n, D), or raise InvalidDataError."""
        Multinomial.check_data(X)
        return np.asarray(ListedRows.of(X))

    def directions(self, n_features: int) -> FloatArray:
        """Return 0 throughout: no count is ever missing, so that none moves."""
        return np.zeros((n_features, self.X.shape[1]))


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
    takes_lists: ClassVar[bool] = True
    rows_of: ClassVar[Callable[[Any], ListedRows]] = staticmethod(ListedRows.of)
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
        n_features, rows = n_features_of(X), cls.rows_of(X)
        of_parts = rows.counts[rows.parts < n_features]
        (counts, often), (lengths, as_often) = (np.unique(x, return_counts=True) for x in (of_parts, rows.totals))
        fits = log_risings(WEIGHTS[:, None], counts) @ often
        fits = fits - log_risings(n_features * WEIGHTS[:, None], lengths) @ as_often
        total = max(int(np.median(rows.totals)), 1) if len(X) else 1
        return {"alpha0": np.full(n_features, WEIGHTS[np.argmax(fits)]), "total": min(total, LARGEST_COUNT)}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless every value is a whole number from 0 to 10⁹, each row has one above 0, and sums are exact."""
        rows, n_features = cls.rows_of(X), n_features_of(X)
        missing = np.argwhere(np.isnan(rows.totals))
        if len(missing):
            raise InvalidDataError(
                f"row {missing[0, 0]} lacks one of its {n_features} parts (NaN), and shares are known of all alone. "
                "Write 0 where none were counted, or leave the row out."
            )
        wrong = np.flatnonzero(~(whole_numbers(rows.counts, LARGEST_COUNT) | (rows.parts == n_features)).all(axis=1))
        if len(wrong):
            check_counts(rows[wrong[:1]].dense(n_features), cls.name, names, int(wrong[0]))
        totals = rows.totals
        if not totals.all():
            raise InvalidDataError(
                f"row {int(np.argmin(totals))} holds no counts at all in its {n_features} parts, so that nothing says "
                "what it is like. Leave such rows out."
            )
        if totals.sum() > MOST_EXACT:
            raise InvalidDataError(
                f"the counts of all parts add up to {totals.sum():.3g}; sums beyond 2^53 are not exact. Take fewer "
                "rows, or count in larger units."
            )

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Square roots of shares, whose distances are Hellinger's; of many parts along directions drawn at random.

        Those keep distances nearly (Johnson & Lindenstrauss 1984; of signs: Achlioptas 2003).
        """
        n_features, rows = n_features_of(X), cls.rows_of(X)
        parts, roots = rows.parts, np.sqrt(rows.counts / np.maximum(rows.totals, 1.0)[:, None])
        if n_features <= MOST_COORDINATES:
            directions = np.eye(n_features + 1, n_features)
        else:
            signs = np.random.default_rng(0).choice([-1.0, 1.0], (n_features, MOST_COORDINATES))
            directions = np.vstack([signs / np.sqrt(MOST_COORDINATES), np.zeros(MOST_COORDINATES)])
        found = np.zeros((len(rows), directions.shape[1]))
        for of_part, root in zip(parts.T, roots.T, strict=True):  # of lists as long as the longest, one cell each
            found += root[:, None] * directions[of_part]
        return found

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

    def posterior(self, X: FloatArray) -> Self:
        """Hyperparameters after the points X (n, D) (FORMULAS §8.3)."""
        return type(self)(self.alpha0 + self.rows_of(X).sums(len(self.alpha0))[:-1], self.total)

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Return what each entry of X (n, D) adds to the log probability (nats) of its row.

        What the total adds is divided in the proportions of the counts.
        """
        X = self.rows_of(X).dense(len(self.alpha0))
        totals = X.sum(axis=1, keepdims=True)
        of_total = log_risings(1.0, totals) - log_risings(self.alpha0.sum(), totals)
        return np.asarray(log_risings(self.alpha0, X) - log_risings(1.0, X) + of_total * X / np.maximum(totals, 1.0))

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D), given its total, cell by cell of those above 0."""
        rows = self.rows_of(X)
        weights, parts = np.append(self.alpha0, self.alpha0.sum()), rows.parts
        rises = log_risings(weights[parts], rows.counts) - log_risings(1.0, rows.counts)
        return np.asarray((np.where(parts < len(self.alpha0), rises, -rises)).sum(axis=1))

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D), given their totals (FORMULAS §8.3)."""
        rows, weights = self.rows_of(X), np.append(self.alpha0, self.alpha0.sum())
        factorials = log_risings(1.0, rows.counts)
        ways = np.where(rows.parts < len(self.alpha0), -factorials, factorials).sum()
        rises = log_risings(weights, rows.sums(len(self.alpha0)))
        return float(ways + rises[:-1].sum() - rises[-1])

    def draw(self, random_state: np.random.Generator) -> Shares:
        """Draw shares."""
        shares = np.maximum(random_state.dirichlet(self.alpha0), 1e-300)
        return Shares(shares, self.total, self.rows_of)

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the predictive at a point x (D,)."""
        x = self.rows_of(x[None, :]).dense(len(self.alpha0))[0]
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

    def working(self, X: FloatArray) -> ListedWorkingData:
        """List the counts above 0."""
        coordinates = np.ascontiguousarray(self.coordinates(X))
        return ListedWorkingData(Listed(self.alpha0, self.total), np.asarray(self.rows_of(X)), coordinates)


class Listed(Multinomial):
    """The same, of rows of working data (n, C)."""

    rows_of = staticmethod(as_listed)

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one listed row: two numbers of it are one count."""
        return 30.0 + 5.0 * n_features


# --- the kernels ------------------------------------------------------------------------------------------------------
# A column of counts, or that of their total, whose terms have the other sign: the second of its numbers.


def _numbers(family: Multinomial) -> FloatArray:
    weights = np.append(family.alpha0, family.alpha0.sum())
    return prior_numbers(weights, np.append(np.ones(len(family.alpha0)), -1.0))


def _decades(family: Multinomial, n_points: int) -> FloatArray:
    return np.full(len(family.alpha0) + 1, np.inf)  # whichever is next in a row is looked at by itself


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
    families=(Multinomial, Listed),
    numbers=_numbers,
    decades=_decades,
    listed=True,
    has_factorials=True,
    cell=_cell,
    own_term=_own_term,
    log_marginal=_log_marginal,
)
