"""Categorical–Dirichlet family: independent columns of category codes (2016 App. A)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from dpviz._jit import inlined
from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import Formula, WorkingData, checked, column_maxima, require_values
from dpviz.families.columns.base import LARGEST_WEIGHT, SMALLEST_WEIGHT, ColumnFamily, whole_numbers
from dpviz.families.columns.category_weights import fitted_weights
from dpviz.families.columns.kinds import Kind, log_ratios, prior_numbers
from dpviz.families.columns.rising import log_gamma_ratio, log_rise, log_risings
from dpviz.families.shapes import BarShapes
from dpviz.parameters import Parameter, Size

MOST_CATEGORIES = 10_000
"""Most categories of one column; more would name the points rather than group them."""
MOST_COORDINATES = 32
"""Categories of one column that get a coordinate of their own; the rarer ones share the origin."""


@dataclass(frozen=True, eq=False)
class CategoryProbabilities:
    """Probabilities of one component.

    Attributes
    ----------
    probabilities : tuple of ndarray (C_d,)
        Of the codes 0 … C_d − 1, one array per column.
    """

    probabilities: tuple[FloatArray, ...]

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log probability (nats) of each row of X (n, D)."""
        with np.errstate(divide="ignore"):  # a drawn probability can be too small for a float
            columns = [np.log(p)[codes] for p, codes in zip(self.probabilities, X.astype(np.int64).T, strict=True)]
        return np.sum(columns, axis=0)

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw codes (n_points, D)."""
        return np.column_stack([random_state.choice(len(p), n_points, p=p) for p in self.probabilities]).astype(float)

    def shapes(self) -> BarShapes | None:
        """Return bars if there is one column."""
        return BarShapes(self.probabilities[0][None, :]) if len(self.probabilities) == 1 else None


@dataclass(frozen=True, eq=False)
class Categorical(ColumnFamily):
    """Per column: code ~ Categorical(p), p ~ Dirichlet.

    Attributes
    ----------
    n_categories : ndarray of int (D,)
        Categories of each column, coded 0 … C_d − 1; those that the data never show keep their prior probability.
    alpha0 : ndarray (C,) or (D, C)
        Points that the prior has seen of each category, > 0; C is the largest number of categories, and a column with
        fewer takes the first entries. Two axes, which posteriors have, and priors whose columns differ, are one row per
        column.
    """

    n_categories: IntArray
    alpha0: FloatArray

    name: ClassVar[str] = "categorical"
    title: ClassVar[str] = "Categories, independent columns (categorical–Dirichlet)"
    kind: ClassVar[str] = "categorical"
    support: ClassVar[str] = "whole numbers ≥ 0"
    has_own_distances: ClassVar[bool] = True
    hyperparameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            name="n_categories",
            symbol="C",
            explanation="number of categories, coded 0 … C − 1",
            lower=1,
            lower_allowed=True,
            upper=MOST_CATEGORIES,
            integer=True,
            role="count",
            shape=("D",),
        ),
        Parameter(
            name="alpha0",
            symbol="α₀",
            explanation="how many points of each category the prior is worth: small makes clusters pure",
            lower=SMALLEST_WEIGHT,
            lower_allowed=True,
            upper=LARGEST_WEIGHT,
            log=True,
            role="weight",
            shape=("C",),
        ),
    )

    # --- from data to hyperparameters ---------------------------------------------------------------------------------

    @classmethod
    def default_prior(cls, X: FloatArray) -> dict[str, Any]:
        """As many categories as the largest code says, each worth :func:`~.category_weights.fitted_weights`."""
        n_categories = column_maxima(X).astype(np.int64) + 1
        return {"n_categories": n_categories, "alpha0": _default_weights(X, n_categories)}

    @classmethod
    def from_prior(cls, prior: Mapping[str, Any] | None, X: FloatArray) -> Self:
        """Build the family; ``alpha0`` may be a number, one entry per category, or one row of those per column."""
        given = dict(prior or {})
        rows = None
        if "alpha0" not in given or _is_table(given["alpha0"]):
            rows = given.pop("alpha0", None)
            family = super().from_prior({**given, "alpha0": 1.0}, X)
            if rows is None:
                return replace(family, alpha0=_default_weights(X, family.n_categories))
            described = replace(cls.hyperparameters[1], shape=("D", "C"))
            lengths = cls.axis_lengths({"n_categories": family.n_categories}, X)
            return replace(family, alpha0=checked(described, rows, lengths, Size(*X.shape)))
        return super().from_prior(given, X)

    @classmethod
    def axis_lengths(cls, values: Mapping[str, Any], X: FloatArray) -> dict[str, int]:
        """D columns, and C categories at most."""
        try:
            most = int(np.max(values["n_categories"]))
        except (TypeError, ValueError, OverflowError):
            most = 1  # a later check reports the error
        return {"D": X.shape[1], "C": min(max(most, 1), MOST_CATEGORIES)}

    @classmethod
    def check_data(cls, X: FloatArray, names: Sequence[str] = ()) -> None:
        """Raise unless every value is a whole number from 0 to 9,999."""
        allowed = whole_numbers(X, MOST_CATEGORIES - 1)
        advice = "Code categories as 0, 1, 2, …, and drop columns that name the points."
        require_values(X, allowed, cls.name, f"a whole number from 0 to {MOST_CATEGORIES - 1:,}", advice, names)

    def check_points(self, X: FloatArray) -> None:
        """Raise unless every value of X (n, D) is one of its column's codes."""
        self.check_data(X)
        for d, n_categories in enumerate(self.n_categories):
            allowed = np.ones(X.shape, dtype=bool)
            allowed[:, d] = X[:, d] < n_categories
            bound = f"one of its column's {n_categories} codes, 0 to {n_categories - 1}"
            require_values(X, allowed, self.name, bound, "Raise prior['n_categories'] or check the data.")

    @classmethod
    def coordinates(cls, X: FloatArray) -> FloatArray:
        """One coordinate per column and common category, so that two of them are at distance 1."""
        blocks = []
        for column in X.T:
            codes, counts = np.unique(column, return_counts=True)
            common = codes[np.argsort(-counts, kind="stable")[:MOST_COORDINATES]]
            blocks.append(column[:, None] == np.sort(common))
        return np.concatenate(blocks, axis=1) / np.sqrt(2.0)

    @classmethod
    def example_data(cls, n_points: int, n_features: int, seed: int = 0) -> FloatArray:
        """Draw codes from three groups of probabilities."""
        rng = np.random.default_rng([seed, n_features])
        columns = []
        for n_categories in _example_categories(n_features):
            groups = rng.dirichlet(np.full(n_categories, 0.7), size=3)
            cumulative = groups.cumsum(axis=1)[np.arange(n_points) % 3]
            uniforms = cumulative[:, -1:] * rng.random((n_points, 1))
            columns.append(np.sum(cumulative[:, :-1] < uniforms, axis=1))
        return np.column_stack(columns).astype(np.float64)

    @classmethod
    def example_prior(cls, n_features: int) -> dict[str, Any]:
        """Return hyperparameters far from the defaults, with a category that the example data do not have."""
        n_categories = _example_categories(n_features) + 1
        return {"n_categories": n_categories, "alpha0": np.linspace(0.4, 0.9, int(n_categories.max()))}

    # --- the model ----------------------------------------------------------------------------------------------------

    def weights(self) -> FloatArray:
        """Dirichlet weights (D, C), 0 for categories that a column does not have."""
        width = self.alpha0.shape[-1]
        return np.where(np.arange(width) < self.n_categories[:, None], self.alpha0, 0.0)

    def posterior(self, X: FloatArray) -> Categorical:
        """Hyperparameters after the points X (n, D): one more for each code seen."""
        return Categorical(self.n_categories, self.weights() + self._counts(X))

    def _counts(self, X: FloatArray) -> FloatArray:
        """How often each column of X (n, D) has each code, (D, C)."""
        width = self.alpha0.shape[-1]
        codes = X.astype(np.int64) + width * np.arange(X.shape[1])
        return np.bincount(codes.ravel(), minlength=X.shape[1] * width).reshape(X.shape[1], width).astype(np.float64)

    def probabilities(self) -> FloatArray:
        """Predictive probabilities (D, C) of the codes, column by column."""
        weights = self.weights()
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log probabilities (nats) of each entry of X (n, D)."""
        return np.asarray(np.log(self.probabilities()[np.arange(X.shape[1]), X.astype(np.int64)]))

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) (FORMULAS §2)."""
        weights, counts = self.weights(), self._counts(X)
        seen = counts > 0
        return float(log_risings(weights[seen], counts[seen]).sum() - log_risings(weights.sum(axis=1), len(X)).sum())

    def draw(self, random_state: np.random.Generator) -> CategoryProbabilities:
        """Draw probabilities, column by column."""
        columns = zip(self.weights(), self.n_categories, strict=True)
        return CategoryProbabilities(tuple(random_state.dirichlet(weights[:n]) for weights, n in columns))

    # --- how clusters are shown ---------------------------------------------------------------------------------------

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the product of predictives at a point x (D,)."""
        weights = self.weights()
        latex = r"-\ln f = \sum_d \ln\tfrac{\sum_c \alpha_{dc}}{\alpha_{d x_d}}"
        columns = {"x": x, "α of x": weights[np.arange(len(x)), x.astype(np.int64)], "Σ α": weights.sum(axis=1)}
        return Formula(latex, "per column:", -float(self.log_predictive(x[None, :])[0]), columns)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> BarShapes | None:
        """Predictives of slots 0 … K − 1 as bars, if there is one column."""
        if working.X.shape[1] > 1:
            return None
        weights = state.row_weight + state.weight * state.seen[:, : len(sizes)].T
        return BarShapes(weights / weights.sum(axis=1, keepdims=True))

    # --- the kernels --------------------------------------------------------------------------------------------------

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 20.0 + 5.0 * n_features


def _default_weights(X: FloatArray, n_categories: IntArray) -> FloatArray:
    """Return the default weights (C,), or (D, C) if they differ between columns."""
    own, most = fitted_weights(X, n_categories), int(n_categories.max())
    return np.full(most, own[0]) if np.all(own == own[0]) else np.repeat(own[:, None], most, axis=1)


def _is_table(value: Any) -> bool:
    """Whether a user's weights have two axes; a later check reports what no array is made of."""
    try:
        return np.ndim(value) == 2
    except ValueError:
        return False


def _example_categories(n_features: int) -> IntArray:
    return 3 + np.arange(n_features) % 3


# --- the kernels ------------------------------------------------------------------------------------------------------


def _rows(family: Categorical) -> list[FloatArray]:
    """Return the prior weights of each column's categories."""
    return [row[:n] for row, n in zip(family.weights(), family.n_categories, strict=True)]


def _decades(family: Categorical, n_points: int) -> FloatArray:
    weights = family.weights()
    smallest = np.min(weights, axis=1, where=weights > 0, initial=1.0)
    return np.log10((weights.sum(axis=1) + n_points) / smallest)


def _log_sizes(family: Categorical, n: FloatArray, weight: float) -> FloatArray:
    totals = family.weights().sum(axis=1)
    return -log_ratios(totals, np.ones(len(totals)), n, weight)


@inlined
def _factor(state: Any, d: int, n: float, location: float, rest: float) -> float:
    total = state.prior[d, 0] + state.weight * n
    return 1.0 / total if state.weight == 1.0 else math.exp(-log_gamma_ratio(total, state.weight))


@inlined
def _chance(state: Any, x: float, d: int, n: float, location: float, seen: float) -> float:
    alpha = state.row_weight[state.first[d] + int(x)] + state.weight * seen
    return alpha if state.weight == 1.0 else math.exp(log_gamma_ratio(alpha, state.weight))


@inlined
def _fill_rows(state: Any, x: float, d: int, k: int) -> None:
    """Recompute the chance of the category of a cell, or of all."""
    begin, end = state.first[d], state.first[d + 1]
    if x >= 0.0:
        begin += int(x)
        end = begin + 1
    for row in range(begin, end):
        state.chance[row, k] = _chance(state, float(row - state.first[d]), d, 0.0, 0.0, state.seen[row, k])


@inlined
def _log_marginal(state: Any, d: int, k: int) -> float:
    total = -log_rise(state.prior[d, 0], state.n_cells[d, k], state.weight)
    for row in range(state.first[d], state.first[d + 1]):
        if state.seen[row, k] > 0.0:
            total += log_rise(state.row_weight[row], state.seen[row, k], state.weight)
    return total


CATEGORICAL = Kind(
    families=(Categorical,),
    numbers=lambda family: prior_numbers(family.weights().sum(axis=1)),
    rows=_rows,
    decades=_decades,
    log_sizes=_log_sizes,
    factor=_factor,
    log_marginal=_log_marginal,
    chance=_chance,
    fill_rows=_fill_rows,
)
