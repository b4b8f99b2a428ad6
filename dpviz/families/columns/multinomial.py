"""Parts of a whole: a block of counts, such as words of a document, given how many there are in all.

Within a cluster each of the m counts of a row is of one of V parts with the cluster's own shares, which are Dirichlet
(FORMULAS §8.3). It is a law of the counts given their total, so that rows of any length are alike if their shares are.
Counts of a part add one term each, and the total one more, with the other sign: to the kernels it is one more column.
A part of which a row has none adds nothing: rows list the others, so that a visit costs a term per word of its row.
The total may have a law of its own besides, that of an over-dispersed count; then it is one of the counts themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.errors import InvalidDataError
from dpviz.families.base import Formula, WorkingData
from dpviz.families.columns.base import LARGEST_COUNT, ColumnFamily, check_counts, weight_parameter, whole_numbers
from dpviz.families.columns.kinds import Kind, Pair, prior_numbers
from dpviz.families.columns.negative_binomial import NegativeBinomial, NegativeBinomialProbabilities
from dpviz.families.columns.rising import (
    FEW_FACTORS,
    log_factorial,
    log_gamma_ratio,
    log_rise,
    log_rising,
    log_risings,
    rising_product,
)
from dpviz.families.listed import ListedRows, n_features_of
from dpviz.families.shapes import Shapes
from dpviz.parameters import Parameter
from dpviz.shares import PARTS, PARTS_AND_TOTAL

MOST_EXACT = 2.0**53
"""Largest sum of counts that is exact."""
WEIGHTS = np.logspace(-2.0, 2.0, 41)
"""Prior weights of a part that are tried."""
MOST_COORDINATES = 100
"""Most coordinates of a row: of more parts they are along so many directions."""
OF_TOTAL = "total_"
"""How hyperparameters of totals begin."""
_OF_COUNTS = tuple(own.name for own in NegativeBinomial.hyperparameters)


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
    law : NegativeBinomialProbabilities, optional
        Of totals; without it they are given.
    """

    shares: FloatArray
    total: int
    rows_of: Callable[[Any], ListedRows] = ListedRows.of
    law: NegativeBinomialProbabilities | None = None

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D), given its total unless that has a law."""
        rows, logs = self.rows_of(X), np.append(np.log(self.shares), 0.0)
        parts, factorials = rows.parts, log_risings(1.0, rows.counts)
        ways = np.where(parts < len(self.shares), -factorials, factorials)
        of_totals = 0.0 if self.law is None else self.law.log_density(rows.totals[:, None])
        return np.asarray((ways + rows.counts * logs[parts]).sum(axis=1) + of_totals)

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw rows (n_points, D) of one total, or of totals by their law: of 1 where that has 0."""
        totals = np.full(n_points, self.total)
        if self.law is not None:
            totals = np.maximum(self.law.sample(n_points, random_state)[:, 0], 1).astype(np.int64)
        return random_state.multinomial(totals, self.shares / self.shares.sum()).astype(np.float64)

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

    @staticmethod
    def rows_of(X: FloatArray) -> ListedRows:
        """List rows of X (n, D)."""
        return ListedRows.of(X)

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
            check_counts(rows[wrong[:1]].view(ListedRows).dense(n_features), cls.name, names, int(wrong[0]))
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
        totals = np.maximum(rows.totals, 1.0)[:, None]
        if n_features <= MOST_COORDINATES:
            return np.asarray(np.sqrt(rows.dense(n_features) / totals))
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (n_features, MOST_COORDINATES))
        directions = np.vstack([signs / np.sqrt(MOST_COORDINATES), np.zeros(MOST_COORDINATES)])
        found = np.zeros((len(rows), MOST_COORDINATES))
        for of_part, root in zip(rows.parts.T, np.sqrt(rows.counts / totals).T, strict=True):  # one cell of each row
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
        return replace(self, alpha0=self.alpha0 + self.rows_of(X).sums(len(self.alpha0))[:-1])

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
        family = {Multinomial: Listed, CountedParts: ListedCounts}[type(self)](**self.as_prior)
        return ListedWorkingData(family, np.asarray(self.rows_of(X)), coordinates)


@dataclass(frozen=True, eq=False)
class CountedParts(Multinomial):
    """The same, and the total by itself a count: negative binomial, as :class:`NegativeBinomial` has it.

    Attributes
    ----------
    total_alpha0, total_beta0, total_dispersion : float
        Its hyperparameters for the total.
    """

    total_alpha0: float
    total_beta0: float
    total_dispersion: float

    name: ClassVar[str] = "counted_multinomial"
    title: ClassVar[str] = "Parts of a whole, and their total (multinomial–Dirichlet and negative binomial)"
    kind: ClassVar[str] = PARTS_AND_TOTAL
    scaled_by_width: ClassVar[tuple[str, ...]] = ("total_dispersion",)
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        *Multinomial.hyperparameters,
        *(
            replace(own, name=f"{OF_TOTAL}{own.name}", explanation=f"total of a row: {own.explanation}", shape=())
            for own in NegativeBinomial.hyperparameters
        ),
    )

    @property
    def law(self) -> NegativeBinomial:
        """The family of the total."""
        alpha0, beta0, dispersion = self.total_alpha0, self.total_beta0, self.total_dispersion
        return NegativeBinomial(np.array([alpha0]), np.array([beta0]), np.array([dispersion]))

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """Add that of a column of totals."""
        of_totals = NegativeBinomial.default_prior(cls.rows_of(X).totals[:, None])
        return {**super().default_prior(X), **{f"{OF_TOTAL}{name}": float(x[0]) for name, x in of_totals.items()}}

    @classmethod
    def narrowed(cls, prior: Mapping[str, Any], share: float) -> dict[str, Any] | None:
        """Scale the dispersion of totals, and keep the prior of clusters' mean totals."""
        own = {name: prior[f"{OF_TOTAL}{name}"] for name in _OF_COUNTS if f"{OF_TOTAL}{name}" in prior}
        scaled = NegativeBinomial.narrowed(own, share) or own
        return {**prior, **{f"{OF_TOTAL}{name}": float(x) for name, x in scaled.items()}}

    @classmethod
    def columns_with_width(cls, prior: Mapping[str, Any] | None, n_features: int) -> IntArray:
        """Return none: that of the total is no column of the table."""
        return np.arange(0)

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """Add the logarithm of the total."""
        return np.column_stack([super().coordinates(X), NegativeBinomial.coordinates(cls.rows_of(X).totals)])

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults."""
        of_total = {"total_alpha0": 2.3, "total_beta0": 3.5, "total_dispersion": 0.7}
        return {**super().example_prior(n_features), **of_total}

    def posterior(self, X: FloatArray) -> Self:
        """Hyperparameters after the points X (n, D), of shares and of totals."""
        law = self.law.posterior(self.rows_of(X).totals[:, None])
        return replace(super().posterior(X), total_alpha0=float(law.alpha0[0]), total_beta0=float(law.beta0[0]))

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Divide what the total adds by itself, too, in the proportions of the counts."""
        rows = self.rows_of(X)
        shares = rows.dense(len(self.alpha0)) / np.maximum(rows.totals, 1.0)[:, None]
        return super().log_densities(X) + self.law.log_densities(rows.totals[:, None]) * shares

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D)."""
        return super().log_predictive(X) + self.law.log_predictive(self.rows_of(X).totals[:, None])

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D)."""
        return super().log_marginal(X) + self.law.log_marginal(self.rows_of(X).totals[:, None])

    def draw(self, random_state: np.random.Generator) -> Shares:
        """Draw shares, and the law of totals."""
        return replace(super().draw(random_state), law=self.law.draw(random_state))

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the predictive at a point x (D,): that of its total, and of its shares."""
        found = super().formula(x)
        return replace(found, latex=rf"{found.latex} - \ln f_{{\mathrm{{NB}}}}(m)")


class Listed(Multinomial):
    """The same, of rows of working data (n, C)."""

    @staticmethod
    def rows_of(X: FloatArray) -> ListedRows:
        """Take rows for the lists that they are."""
        return X.view(ListedRows)

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one listed row: two numbers of it are one count."""
        return 30.0 + 5.0 * n_features


class ListedCounts(CountedParts):
    """The same where totals are counts."""

    @staticmethod
    def rows_of(X: FloatArray) -> ListedRows:
        """Take rows for the lists that they are."""
        return X.view(ListedRows)

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one listed row."""
        return Listed.operations(n_features)


# --- the kernels ------------------------------------------------------------------------------------------------------
# A column of counts, or that of their total, whose terms have the other sign, as has the first of its numbers; the
# others are those of its own law, if it has one: 1/φ, α and β.


def _numbers(family: Multinomial) -> FloatArray:
    found = prior_numbers(np.append(family.alpha0, -family.alpha0.sum()))
    if isinstance(family, CountedParts):
        found[-1, 1:] = family.law.size[0], family.total_alpha0, family.total_beta0
    return found


def _decades(family: Multinomial, n_points: int) -> FloatArray:
    return np.full(len(family.alpha0) + 1, np.inf)  # whichever is next in a row is looked at by itself


@inlined
def _cell(state: Any, x: float, d: int, n: float, location: float, cached: Pair) -> Pair:
    weight, size = state.weight, state.prior[d, 1]
    if state.prior[d, 0] < 0.0:
        found = -log_rise(weight * location - state.prior[d, 0], x, weight)
        if size > 0.0:
            alpha, beta = state.prior[d, 2] + weight * n * size, state.prior[d, 3] + weight * location
            found += log_gamma_ratio(alpha, weight * size) + log_rise(beta, x, weight)
            found -= log_gamma_ratio(alpha + beta, weight * (size + x))
        return found, 1.0
    alpha = state.prior[d, 0] + weight * location
    if x <= FEW_FACTORS and weight == 1.0:
        return 0.0, rising_product(alpha, x)
    return log_rise(alpha, x, weight), 1.0


@inlined
def _own_term(state: Any, x: float, d: int) -> float:
    if state.prior[d, 0] > 0.0:
        return -log_factorial(state.factorials, x)
    return log_rising(state.prior[d, 1], x) if state.prior[d, 1] > 0.0 else log_factorial(state.factorials, x)


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    weight, location, found = state.weight, state.location[d, k], state.weight * state.rest[d, k]
    if state.prior[d, 0] > 0.0:
        return found + log_rise(state.prior[d, 0], location, weight)
    found -= log_rise(-state.prior[d, 0], location, weight)
    if state.prior[d, 1] > 0.0:
        alpha, beta, size = state.prior[d, 2], state.prior[d, 3], state.n_cells[d, k] * state.prior[d, 1]
        found += log_gamma_ratio(alpha, weight * size) + log_rise(beta, location, weight)
        found -= log_gamma_ratio(alpha + beta, weight * (size + location))
    return found


MULTINOMIAL = Kind(
    families=(Multinomial, Listed, CountedParts, ListedCounts),
    numbers=_numbers,
    decades=_decades,
    listed=True,
    has_factorials=True,
    cell=_cell,
    own_term=_own_term,
    log_marginal=_log_marginal,
)
