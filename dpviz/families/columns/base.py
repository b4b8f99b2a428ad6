"""Families of independent columns that cannot hold every real number: counts, categories, durations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from dpviz.arrays import BoolArray, FloatArray
from dpviz.families.base import Family, WorkingData, require_values
from dpviz.families.columns.state import ColumnsState, bind_columns
from dpviz.parameters import Parameter, Role

LARGEST_COUNT = 1e9
"""Sums of nine million such counts are still exact, and logarithms of their factorials keep five decimals."""
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-12, 1e12
"""Bounds on the weight of a prior in points: products of a few stay within the range of floats."""


class CheckedWorkingData(WorkingData):
    """Data in their own units; further points are checked, since not every value has a probability."""

    def transform(self, X: FloatArray) -> FloatArray:
        """Return further points (n, D), or raise InvalidDataError."""
        assert isinstance(self.family, ColumnFamily)
        self.family.check_points(X)
        return np.ascontiguousarray(X)


class ColumnFamily(Family):
    """A family whose columns are independent given the cluster and cannot hold every real number."""

    independent_columns = True

    @classmethod
    def from_prior(cls, prior: Mapping[str, Any] | None, X: FloatArray) -> Self:
        """Build the family as :meth:`Family.from_prior` does, and check that X has a density under it."""
        family = super().from_prior(prior, X)
        family.check_points(X)
        return family

    def check_points(self, X: FloatArray) -> None:
        """Raise unless every value of X (n, D) has a density under exactly these hyperparameters.

        Raises
        ------
        InvalidDataError
        """
        self.check_data(X)

    def working(self, X: FloatArray) -> WorkingData:
        """Keep the data's units: they are counts or codes."""
        return CheckedWorkingData(self, np.array(X, order="C"), np.ascontiguousarray(self.coordinates(X)))

    def bind(self, X: FloatArray, capacity: int) -> ColumnsState:
        """Allocate the state of a table of these columns alone."""
        return bind_columns([self], X, capacity)

    @abstractmethod
    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictive density or probability (nats) of each entry of X (n, D), column by column."""

    def marginal_log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictives (nats) of the entries of X (n, D): the columns are independent."""
        return self.log_densities(X)

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Sum over columns of log predictives (nats), for each row of X (n, D)."""
        return np.asarray(self.log_densities(X).sum(axis=1))


def weight_parameter(name: str, symbol: str, explanation: str, role: Role) -> Parameter:
    """Describe a hyperparameter with one positive entry per column."""
    return Parameter(
        name=name,
        symbol=symbol,
        explanation=explanation,
        lower=SMALLEST_WEIGHT,
        lower_allowed=True,
        upper=LARGEST_WEIGHT,
        log=True,
        role=role,
        shape=("D",),
    )


def positive_numbers(given: Any, n_features: int) -> FloatArray | None:
    """Return a number for every column from a user's hyperparameter; None if it is none that could be right."""
    numbers = np.asarray(given)
    fits = numbers.dtype.kind in "iuf" and numbers.shape in ((), (n_features,)) and bool(np.all(numbers > 0))
    return np.broadcast_to(numbers, n_features).astype(np.float64) if fits else None


def check_counts(X: FloatArray, family: str, names: Sequence[str] = (), first_row: int = 0) -> None:
    """Raise unless every value of X (N, D) is a whole number from 0 to ``LARGEST_COUNT``."""
    bound = f"a whole number from 0 to {LARGEST_COUNT:,.0f}"
    require_values(
        X, whole_numbers(X, LARGEST_COUNT), family, bound, "Choose columns that hold counts.", names, first_row
    )


def whole_numbers(X: FloatArray, largest: float) -> BoolArray:
    """Return which values of X are whole numbers from 0 to ``largest``."""
    return np.asarray((X >= 0) & (X <= largest) & (X == np.round(X)))


def example_groups(n_points: int, n_features: int, seed: int) -> tuple[FloatArray, np.random.Generator]:
    """Return gamma distributed levels (n_points, D), the same for every third point, and a generator for the rest."""
    rng = np.random.default_rng([seed, n_features])
    return rng.gamma(2.0, 1.0, size=(3, n_features))[np.arange(n_points) % 3], rng
