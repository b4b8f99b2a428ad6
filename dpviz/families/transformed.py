"""A model of transformed columns as one of the columns themselves: densities, shapes and summaries in own units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dpviz.arrays import FloatArray, IntArray
from dpviz.families.base import ClusterSummary, Component, Family, Formula, Model, WorkingData
from dpviz.families.coarsened import Coarsened
from dpviz.families.directions import InDirections
from dpviz.families.gaps import WithGaps
from dpviz.families.gaussian.base import ClusterSummary as GaussianSummary
from dpviz.families.gaussian.shapes import LocationScaleShapes
from dpviz.families.planes import ShapesOfColumns, side_by_side
from dpviz.families.powers import Powers
from dpviz.families.shapes import Shapes

OUTER = 0.975
"""Quantile to which shapes reach in each column, on either side."""
REDRAWN = 50


@dataclass(frozen=True)
class TransformedWorkingData(WorkingData):
    """Working data of the transformed columns.

    Attributes
    ----------
    own : WorkingData
        Of their model.
    powers : Powers
    """

    own: WorkingData = None  # type: ignore[assignment]  # always given; the fields before it have defaults
    powers: Powers = None  # type: ignore[assignment]

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D) to working coordinates, or raise InvalidDataError."""
        return self.own.transform(self.powers.of(X))

    def directions(self, n_features: int) -> FloatArray:
        """Return by how much working coordinates change per unit of each transformed column (C, D)."""
        return self.own.directions(n_features)

    def n_left_out(self) -> int:
        """Return that of the model's own working data."""
        return self.own.n_left_out()


@dataclass(frozen=True, eq=False)
class Transformed(Model):
    """A model of transformed columns, seen from the columns.

    Attributes
    ----------
    own : Model
        Of the transformed columns.
    powers : Powers
    shared : float
        Mean log Jacobian of the data's rows (nats), which stands for each row's own where a partition is scored.
    reach : ndarray (D,)
        Where shapes end in columns whose distribution does not.
    """

    own: Family | WithGaps | Coarsened | InDirections
    powers: Powers
    shared: float
    reach: FloatArray

    @classmethod
    def of(cls, own: Family | WithGaps | Coarsened | InDirections, powers: Powers, X: FloatArray) -> Transformed:
        """Set a model beside the powers of all data X (N, D)."""
        return cls(own, powers, float(np.mean(powers.log_jacobian(X))), 2 * np.nanmax(np.abs(X), axis=0) + 1e-300)

    @property
    def weight(self) -> float:
        """What a point counts in the likelihood: ζ of a coarsened model, else 1."""
        inner = self.own.own if isinstance(self.own, InDirections) else self.own
        return inner.weight if isinstance(inner, Coarsened) else 1.0

    def beyond_shared(self, X: FloatArray) -> FloatArray:
        """Return what the log Jacobian of rows X (n, D) has beyond :attr:`shared` (nats, n), as points count."""
        return np.asarray(self.weight * (self.powers.log_jacobian(X) - self.shared))

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> Transformed:
        """Hyperparameters after the points X (n, D)."""
        return replace(self, own=self.own.posterior(self.powers.of(X)))

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Log predictive density (nats) of each further row of X (n, D), in the units of its columns."""
        return np.asarray(self.own.log_predictive(self.powers.of(X)) + self.powers.log_jacobian(X))

    def marginal_log_densities(self, X: FloatArray) -> FloatArray | None:
        """Log density (nats) of each entry of X (n, D) under its own column's predictive; −∞ where there is none.

        None where shares have one density together.
        """
        if self.powers.has_shares:
            return None
        outside = self.powers.outside(X)
        possible = np.where(outside, 1.0, X)
        found = self.own.marginal_log_densities(self.powers.of(possible))
        if found is None:
            return None
        return np.where(outside, -np.inf, found + self.powers.log_slopes(possible))

    def column_kinds(self, n_features: int) -> tuple[str, ...]:
        """Return the kind of each column."""
        return self.own.column_kinds(n_features)

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of the points X (n, D) as one cluster, in the units of the columns."""
        own = self.own.log_marginal(self.powers.of(X))
        return float(own + self.weight * self.powers.log_jacobian(X).sum())

    def draw(self, random_state: np.random.Generator) -> TransformedComponent:
        """Draw a component's parameters."""
        return TransformedComponent(self.own.draw(random_state), self.powers, self.reach)

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the predictive at a point x (D,), as one of the transformed columns and the slopes."""
        own = self.own.formula(self.powers.of(x[None, :])[0])
        slopes = -self.weight * float(self.powers.log_jacobian(x[None, :])[0])
        numbers = (
            f"of the transformed columns: {own.numbers} and {slopes:.4f} for the slopes of the transformations, the "
            "same for every cluster,"
        )
        return replace(own, numbers=numbers, value=own.value + slopes)

    # --- in the columns -----------------------------------------------------------------------------------------------

    def summarise(self, X: FloatArray) -> ClusterSummary:
        """Posterior summary of a cluster made of the points X (n, D).

        The mean of a transformed column becomes the median of the column, under a logarithm its geometric mean, and
        covariances are those at the median, to first order.
        """
        found, posterior = self.own.summarise(self.powers.of(X)), self.posterior(X)
        if not isinstance(found, GaussianSummary):
            return replace(found, posterior=posterior)
        median = self.powers.back(found.mean, self.reach)
        slopes = self.powers.slopes_back(median)
        covariance = slopes @ found.covariance @ slopes.T
        return replace(found, posterior=posterior, mean=median, covariance=covariance, predictive=None)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> Shapes | None:
        """Predictives of slots 0 … K − 1 of a state in the columns."""
        assert isinstance(working, TransformedWorkingData)
        return in_columns(self.own.slot_shapes(state, sizes, working.own), self.powers, self.reach)

    # --- the kernels --------------------------------------------------------------------------------------------------

    def places(self, X: FloatArray) -> FloatArray:
        """Return those of the transformed columns."""
        return self.own.places(self.powers.of(X))

    def working(self, X: FloatArray) -> TransformedWorkingData:
        """Move to the working coordinates of the transformed columns."""
        own = self.own.working(self.powers.of(X))
        shared = own.log_jacobian + self.weight * self.shared
        return TransformedWorkingData(own.family, own.X, own.coordinates, shared, own, self.powers)

    def bind(self, X: FloatArray, capacity: int) -> Any:
        """Allocate the state for working data."""
        return self.own.bind(X, capacity)


@dataclass(frozen=True)
class TransformedComponent:
    """Explicit parameters of a component of the transformed columns."""

    own: Component
    powers: Powers
    reach: FloatArray

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D), in the units of its columns."""
        return np.asarray(self.own.log_density(self.powers.of(X)) + self.powers.log_jacobian(X))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw points (n_points, D); those of which no point of the columns is the image are drawn again."""
        drawn = self.own.sample(n_points, random_state)
        for _ in range(REDRAWN):
            wrong = np.flatnonzero((self.powers.changed & (self.powers.exponents * drawn < 0)).any(axis=1))
            if len(wrong) == 0:
                break
            drawn[wrong] = self.own.sample(len(wrong), random_state)
        return self.powers.back(drawn, np.full(drawn.shape[1], np.finfo(np.float64).max))

    def shapes(self) -> Shapes | None:
        """Return the component's own, in the columns."""
        return in_columns(self.own.shapes(), self.powers, self.reach)


# --- shapes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TransformedShapes(LocationScaleShapes):
    """Ellipses that reach, in each column, over the middle 95 % of a cluster, and exact curves of single columns.

    Attributes
    ----------
    own_locations, own_spreads : ndarray (M, D)
        Of the Student t of each transformed column.
    powers : Powers
    """

    own_locations: FloatArray = None  # type: ignore[assignment]  # always given; a field before it has a default
    own_spreads: FloatArray = None  # type: ignore[assignment]
    powers: Powers = None  # type: ignore[assignment]

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""
        return (*super().per_cluster(), "own_locations", "own_spreads")

    def projected(self, directions: FloatArray, origin: FloatArray) -> Any:
        """Return the ellipses along the directions or, along one column, the curves."""
        used = np.flatnonzero(directions[0])
        if len(directions) > 1 or len(used) != 1:
            return super().projected(directions, origin)
        d = int(used[0])
        return CurvesOfPowers(
            self.own_locations[:, d], self.own_spreads[:, d], self.degrees_of_freedom,
            float(self.powers.exponents[d]), float(directions[0, d]), float(origin[d]),
        )  # fmt: skip

    def side(self, direction: FloatArray, origin: FloatArray) -> Any:
        """Return the half-axes of the ellipses along a direction."""
        return super().projected(direction[None], origin)


@dataclass(frozen=True, eq=False)
class CurvesOfPowers(Shapes):
    """Densities of a column a power of which is a Student t.

    Attributes
    ----------
    locations, spreads, degrees_of_freedom : ndarray (M,)
        Of the power.
    exponent : float
    unit, origin : float
        A displayed place is (x − origin) · unit.
    """

    locations: FloatArray
    spreads: FloatArray
    degrees_of_freedom: FloatArray
    exponent: float
    unit: float
    origin: float

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""
        return "locations", "spreads", "degrees_of_freedom"

    @property
    def n_features(self) -> int:
        """One column."""
        return 1

    def projected(self, directions: FloatArray, origin: FloatArray) -> CurvesOfPowers:
        """Return the curves along an axis of another unit and origin."""
        unit = float(directions[0, 0])
        return replace(self, unit=self.unit * unit, origin=self.origin + float(origin[0]) / self.unit)

    def curves(self, grid: FloatArray) -> FloatArray:
        """Return the densities (M, G) per unit of the axis."""
        own = LocationScaleShapes(self.locations[:, None], self.spreads[:, None, None] ** 2, self.degrees_of_freedom)
        powers, x = Powers.given([self.exponent]), (grid / self.unit + self.origin)[:, None]
        outside = powers.outside(x)[:, 0]
        possible = np.where(outside[:, None], 1.0, x)
        found = own.curves(powers.of(possible)[:, 0]) * np.exp(powers.log_jacobian(possible)) / abs(self.unit)
        return np.where(outside, 0.0, found)


def in_columns(shapes: Shapes | None, powers: Powers, reach: FloatArray) -> Shapes | None:
    """Return shapes of transformed columns as shapes in the columns; None where there are none, as of log-ratios."""
    if powers.has_shares:
        return None
    if isinstance(shapes, ShapesOfColumns):
        parts = zip(shapes.columns, shapes.parts, strict=True)
        own = [(columns, in_columns(part, powers.some(columns), reach[columns])) for columns, part in parts]
        return side_by_side(own, shapes.n_columns)
    if not isinstance(shapes, LocationScaleShapes):
        return shapes if not powers.changed.any() else None
    spreads = np.sqrt(np.diagonal(shapes.scales, axis1=1, axis2=2))
    outer = stdtrit(np.minimum(shapes.degrees_of_freedom, 1e12), OUTER)[:, None]
    low, high = (powers.back(shapes.locations + sign * outer * spreads, reach) for sign in (-1, 1))
    stretched = np.maximum((high - low) / 2, 1e-300) / outer / np.where(spreads > 0, spreads, 1.0)
    scales = shapes.scales * stretched[:, :, None] * stretched[:, None, :]
    return TransformedShapes(
        (low + high) / 2, scales, shapes.degrees_of_freedom, shapes.independent, shapes.locations, spreads, powers
    )
