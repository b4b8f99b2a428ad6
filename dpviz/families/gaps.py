"""Tables with gaps: a product of families of one column each, of which a missing cell leaves out its factor.

That is exact where columns are independent given the cluster and cells are missing at random: predictive, statistics
and marginal lose the column's factor for that point, and every cluster counts the cells of each column for itself. A
row without any cell says nothing: only the partition prior decides its cluster. Missing cells are NaN throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from dpviz.arrays import BoolArray, FloatArray
from dpviz.errors import InvalidParameterError
from dpviz.families.base import (
    ClusterSummary,
    Component,
    Family,
    Formula,
    Model,
    WorkingData,
    in_the_table_s_words,
    per_column,
)
from dpviz.families.columns.kinds import code_of
from dpviz.families.columns.state import ColumnsState, bind_columns
from dpviz.families.gaussian.base import ClusterSummary as GaussianSummary
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.families.mixed import Mixed, at_unit_spread
from dpviz.families.shapes import Shapes
from dpviz.shares import PARTS, are_parts

_NO_CELL = np.zeros((1, 1))
"""Placeholder for the cells of a column without any."""


@dataclass(frozen=True)
class ComponentWithGaps:
    """Explicit parameters of one component, column by column.

    Attributes
    ----------
    columns : tuple of Component
    shift : ndarray (D,)
        Added to the log density of each cell (nats).
    widths : tuple of int, length D
        How many columns of X each takes.
    """

    columns: tuple[Component, ...]
    shift: FloatArray
    widths: tuple[int, ...]

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of the present cells of each row of X (n, D)."""
        return np.asarray(_per_cell(X, self._of_column, self.widths).sum(axis=1))

    def _of_column(self, d: int, cells: FloatArray) -> FloatArray:
        return self.columns[d].log_density(cells) + self.shift[d]

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw points (n_points, D) without gaps."""
        return np.hstack([column.sample(n_points, random_state) for column in self.columns])

    def shapes(self) -> Shapes | None:
        """Nothing is drawn."""
        return None


@dataclass(frozen=True)
class WorkingDataWithGaps(WorkingData):
    """Working data of every column; what their units change is counted cell by cell, so ``log_jacobian`` is 0.

    Attributes
    ----------
    columns : tuple of WorkingData
        Of the cells that each column has.
    """

    columns: tuple[WorkingData, ...] = ()

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D), with or without gaps, or raise InvalidDataError."""
        return _side_by_side([self._of_column(d, cells) for d, cells in enumerate(cells_of(X))], X, np.nan)

    def _of_column(self, d: int, cells: FloatArray) -> FloatArray:
        with in_the_table_s_words([d]):
            own = self.columns[d]
            return own.transform(cells) if len(cells) else own.X[:0]

    def n_left_out(self) -> int:
        """Add those of the columns up; a missing cell is one, though several entries may stand for it."""
        total, widths = 0, [part.X.shape[1] for part in self.columns]
        for part, own in zip(self.columns, _apart_by(self.X, widths), strict=True):
            n_present = int(_is_present(own).sum())
            total += (own.shape[1] - 1) * (len(own) - n_present) + (part.n_left_out() if n_present else 0)
        return total


@dataclass(frozen=True, eq=False)
class WithGaps(Model):
    """Columns that are independent given the cluster, each of a family of its own, of which cells may be missing.

    Attributes
    ----------
    columns : tuple of Family
        A family of one column for each column.
    shift : ndarray (D,)
        Added to the log density of each cell (nats); not 0 in working coordinates.
    in_one_unit : bool
        Whether the columns' coordinates may be compared as they are; else each is divided by its spread.
    """

    columns: tuple[Family, ...]
    shift: FloatArray
    in_one_unit: bool = True

    @classmethod
    def of(cls, family: Family) -> WithGaps:
        """Take a family apart into its columns.

        Raises
        ------
        InvalidParameterError
            If its columns depend on each other.
        """
        if not isinstance(family, Mixed):
            columns = _apart(family)
            return cls(columns, np.zeros(len(columns)))
        found = {
            int(d): column
            for positions, block in family.parts()
            for d, column in zip(positions, _apart(block), strict=True)
        }
        return cls(tuple(found[d] for d in range(len(found))), np.zeros(len(found)), in_one_unit=False)

    @property
    def widths(self) -> tuple[int, ...]:
        """How many columns of X each column takes."""
        return tuple(column.n_entries for column in self.columns)

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> WithGaps:
        """Hyperparameters after the points X (n, D): each column's after its present cells."""
        columns = zip(self.columns, cells_of(X, self.widths), strict=True)
        return replace(self, columns=tuple(column.posterior(cells) for column, cells in columns))

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictive density or probability (nats) of each cell of X (n, D); 0 where it is missing."""
        return _per_cell(X, lambda d, cells: self.columns[d].log_predictive(cells) + self.shift[d], self.widths)

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Log predictive (nats) of the present cells of each row of X (n, D)."""
        return np.asarray(self.log_densities(X).sum(axis=1))

    def marginal_log_densities(self, X: FloatArray) -> FloatArray:
        """Log predictives (nats) of the cells of X (n, D): the columns are independent."""
        return self.log_densities(X)

    def column_kinds(self, n_features: int) -> tuple[str, ...]:
        """Give every column its own family's kind."""
        return tuple(column.column_kinds(1)[0] for column in self.columns[:n_features])

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the present cells of X (n, D)."""
        columns = zip(self.columns, self.shift, cells_of(X, self.widths), strict=True)
        return float(sum(c.log_marginal(cells) + len(cells) * shift for c, shift, cells in columns if len(cells)))

    def draw(self, random_state: np.random.Generator) -> ComponentWithGaps:
        """Draw parameters, column by column."""
        return ComponentWithGaps(tuple(column.draw(random_state) for column in self.columns), self.shift, self.widths)

    def summarise(self, X: FloatArray) -> ClusterSummary:
        """Posterior summary of the present cells of points X (n, D), with moments if all columns are Gaussian."""
        posterior = self.posterior(X)
        columns = [column for column in posterior.columns if isinstance(column, GaussianFamily)]
        if len(columns) < len(posterior.columns):
            return ClusterSummary(len(X), posterior)
        mean = np.concatenate([column.predictive().location for column in columns])
        variances = np.concatenate([column.expected_covariance()[0] for column in columns])
        return GaussianSummary(len(X), posterior, mean, np.diag(variances), None)

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the predictive at a point x (D,) as a sum over columns; missing cells add nothing."""
        return per_column(x, -self.log_densities(x[None, :])[0])

    # --- the kernels --------------------------------------------------------------------------------------------------

    def places(self, X: FloatArray) -> FloatArray:
        """Return the columns' coordinates; a missing cell has the mean of its column's others."""
        found = [
            column.places(cells) if len(cells) else np.zeros((0, 1))
            for column, cells in zip(self.columns, cells_of(X), strict=True)
        ]
        if not self.in_one_unit:
            pairs = zip(self.columns, found, strict=True)
            found = [f if c.has_own_distances else at_unit_spread(f) for c, f in pairs]
        return _side_by_side(found, X)

    def working(self, X: FloatArray) -> WorkingDataWithGaps:
        """Let every column move to coordinates of its own."""
        parts = tuple(
            column.working(cells if len(cells) else _NO_CELL)
            for column, cells in zip(self.columns, cells_of(X), strict=True)
        )
        family = replace(
            self,
            columns=tuple(cast(Family, part.family) for part in parts),
            shift=self.shift + np.array([part.log_jacobian for part in parts]),
        )
        mapped = _side_by_side([part.X[: len(c)] for part, c in zip(parts, cells_of(X), strict=True)], X, np.nan)
        places = self.places(X)
        if self.in_one_unit:
            places = _side_by_side([p.coordinates[: len(c)] for p, c in zip(parts, cells_of(X), strict=True)], X)
        return WorkingDataWithGaps(family, mapped, places, 0.0, parts)

    def bind(self, X: FloatArray, capacity: int) -> ColumnsState:
        """Allocate the state."""
        return bind_columns(self.columns, X, capacity, complete=False, shift=self.shift)

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 20.0 + 20.0 * n_features


def _apart(family: Family) -> tuple[Family, ...]:
    """Return a family of one column for each column of a family whose columns are independent and alike."""
    if code_of(family) is None or not family.independent_columns:
        if are_parts([family.kind])[0]:
            raise InvalidParameterError(
                f"columns that are {PARTS} of a whole cannot leave missing cells (NaN) of others out. Choose "
                "missing='impute', or complete the rows."
            )
        raise InvalidParameterError(
            f"family = {family.name!r} cannot leave missing cells (NaN) out. Choose missing='impute', a family of "
            "independent columns such as 'normal_gamma' ('mixed' for several kinds), or complete the rows."
        )
    values = family.as_prior
    along = [parameter.name for parameter in family.hyperparameters if parameter.shape == ("D",)]
    n_features = len(values[along[0]])
    along += [name for name, value in values.items() if np.ndim(value) == 2]  # a row per column
    return tuple(
        type(family)(**{**values, **{name: values[name][d : d + 1] for name in along}}) for d in range(n_features)
    )


def cells_of(X: FloatArray, widths: Sequence[int] = ()) -> list[FloatArray]:
    """Return the present cells (n_d, W_d) of each column of X, which takes one column of it or as many as is said."""
    return [own[_is_present(own)] for own in _apart_by(X, widths)]


def _apart_by(X: FloatArray, widths: Sequence[int]) -> list[FloatArray]:
    return np.split(X, np.cumsum(widths or np.ones(X.shape[1], dtype=np.int64))[:-1], axis=1)


def _is_present(own: FloatArray) -> BoolArray:
    """Return which cells (n,) of a column (n, W) are not missing."""
    return np.asarray(~np.isnan(own).all(axis=1))


def _per_cell(X: FloatArray, value: Callable[[int, FloatArray], FloatArray], widths: Sequence[int]) -> FloatArray:
    """Fill an array (n, D) with values (n_d,) of each column's present cells (n_d, W_d), and 0 where it has none."""
    columns = _apart_by(X, widths)
    filled = np.zeros((len(X), len(columns)))
    for d, own in enumerate(columns):
        present = _is_present(own)
        if present.any():
            filled[present, d] = value(d, own[present])
    return filled


def _side_by_side(coordinates: list[FloatArray], X: FloatArray, missing: float | None = None) -> FloatArray:
    """Join coordinates (n_d, C_d) of each column's cells; where X (n, D) has gaps they are ``missing``, or the mean."""
    blocks = []
    for own, seen in zip(coordinates, ~np.isnan(X.T), strict=True):
        mean = own.mean(axis=0) if len(own) and missing is None else np.full(own.shape[1], missing or 0.0)
        block = np.tile(mean, (len(X), 1))
        block[seen] = own
        blocks.append(block)
    return np.ascontiguousarray(np.hstack(blocks))
