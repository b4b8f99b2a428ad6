"""Clusters in some directions of a table's columns, and one Gaussian for all the others.

The columns are standardised and turned to the principal directions of their correlation matrix. Clusters differ in the
first of these; along the others all points are one Gaussian, which is integrated out under its usual prior. The
rotation has Jacobian 1 and the division by the columns' standard deviations a constant one, so that nll stays that of
the table in its own units, whatever the units and however many directions hold clusters (FORMULAS §7). Directions in
which the data do not vary, as of constant and repeated columns, are left out: nll is then a density in the others, and
no longer to be compared with that of the columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families.base import Component, Formula, Model, WorkingData, not_finite
from dpviz.families.coarsened import Coarsened
from dpviz.families.gaussian.base import ClusterSummary, GaussianFamily
from dpviz.families.gaussian.normal_gamma import NormalGamma
from dpviz.families.gaussian.normal_wishart import NormalWishart
from dpviz.families.gaussian.predictive import Predictive
from dpviz.families.gaussian.shapes import LocationScaleShapes

NEGLIGIBLE = 1e-10
"""Variance of a direction, as a share of a column's, below which there is none but for rounding."""
RIDGE = 1e-12
"""Variance of shapes along directions in which the data have none, as a share of the columns'."""
OUTER = 0.975
"""Quantile at which the tails of the clusters' directions and of the others are made to agree in shapes."""


@dataclass(frozen=True, eq=False)
class Directions:
    """Principal directions of standardised columns: a row x is ``(x − centre) / spread @ axes``.

    Attributes
    ----------
    n_leading : int
        How many of them hold clusters, q.
    centre, spread : ndarray (D,)
        Means and standard deviations of the columns; a constant column has spread 1.
    axes : ndarray (D, R)
        Orthonormal, by falling variance. Directions in which the data do not vary are left out: of constant and
        repeated columns, and of more columns than rows. The largest entry of each is positive.
    deviations : ndarray (R,)
        Standard deviations along them.
    log_jacobian : float
        To be added to the log density (nats) of a row along all directions, for that of its columns.
    slack : float
        How far rows of the data lie off all directions at most, in standard deviations of the columns: by rounding.
    """

    n_leading: int
    centre: FloatArray
    spread: FloatArray
    axes: FloatArray
    deviations: FloatArray
    log_jacobian: float
    slack: float = 0.0

    @classmethod
    def of(cls, X: FloatArray, n_leading: int) -> Directions:
        """Find the directions of a table X (N, D), of which the first ``n_leading`` ≥ 0 are to hold clusters.

        Raises
        ------
        InvalidDataError
            If cells are missing.
        InvalidParameterError
            If the data vary in fewer directions.
        """
        refuse_gaps(X)
        constant = X.max(axis=0) == X.min(axis=0)
        centre = np.where(constant, X[0], X.mean(axis=0))
        spread = np.where(constant, 1.0, np.sqrt(np.mean((X - centre) ** 2, axis=0)))
        Z = (X - centre) / spread
        variances, axes = np.linalg.eigh(Z.T @ Z / len(Z))
        kept = np.flatnonzero(variances > NEGLIGIBLE)[::-1]
        if n_leading > len(kept):
            raise InvalidParameterError(
                f"directions = {n_leading} must be at most {len(kept)}: in no more directions do the {X.shape[1]} "
                f"columns of {len(X):,} rows vary. Constant and repeated columns add none."
            )
        axes = axes[:, kept]
        largest = np.abs(axes).argmax(axis=0)
        signs = np.sign(axes[largest, np.arange(len(kept))])
        return cls(
            n_leading, centre, spread, np.ascontiguousarray(axes * signs), np.sqrt(variances[kept]),
            -float(np.log(spread).sum()), _off(Z, axes),
        )  # fmt: skip

    def outside(self, X: FloatArray) -> BoolArray:
        """Return which cells (n, D) take complete rows X (n, D) off the directions in which the data vary.

        Such a row has no density beside the others, whose density is one along the directions. All cells of columns
        that hang together are marked, where no single one is to blame.
        """
        Z = (X - self.centre) / self.spread
        if self.n_directions == Z.shape[1] or not len(Z):
            return np.zeros(Z.shape, dtype=np.bool_)
        lost = Z - Z @ self.axes @ self.axes.T
        bound = 2 * self.slack + NEGLIGIBLE**0.5 * np.sqrt(np.sum(Z**2, axis=1, keepdims=True))
        constant = np.abs(self.axes).max(axis=1, initial=0.0) < NEGLIGIBLE
        off = np.where(constant, X != self.centre, np.abs(lost) > np.maximum(bound, NEGLIGIBLE**0.5))
        return np.asarray(off)

    @property
    def n_directions(self) -> int:
        """In how many directions the data vary, R."""
        return self.axes.shape[1]

    @property
    def n_others(self) -> int:
        """How many of them hold no clusters."""
        return self.n_directions - self.n_leading

    def leading(self, X: FloatArray) -> FloatArray:
        """Coordinates (n, q) of rows X (n, D) along the directions that hold clusters.

        Raises
        ------
        InvalidDataError
            If cells are missing.
        """
        refuse_gaps(X)
        return np.ascontiguousarray((X - self.centre) / self.spread @ self.axes[:, : self.n_leading])

    def others(self, X: FloatArray) -> FloatArray:
        """Coordinates (n, R − q) of rows X (n, D) along the others, in standard deviations."""
        turned = (X - self.centre) / self.spread @ self.axes[:, self.n_leading :]
        return np.ascontiguousarray(turned / self.deviations[self.n_leading :])

    @cached_property
    def back(self) -> tuple[FloatArray, FloatArray]:
        """Matrices (D, q) and (D, R − q) from the two kinds of coordinates to the columns."""
        whole = self.spread[:, None] * self.axes
        return whole[:, : self.n_leading], whole[:, self.n_leading :] * self.deviations[self.n_leading :]

    @property
    def log_jacobian_of_others(self) -> float:
        """To be added to the log density (nats) of :meth:`others` for that along the directions themselves."""
        return -float(np.log(self.deviations[self.n_leading :]).sum())


def _off(Z: FloatArray, axes: FloatArray) -> float:
    """Return the largest distance of a row of Z (N, D) from what the axes (D, R) span."""
    if axes.shape[1] == Z.shape[1]:
        return 0.0
    return float(np.sqrt(np.max(np.sum((Z - Z @ axes @ axes.T) ** 2, axis=1))))


def refuse_gaps(X: FloatArray) -> None:
    """Raise InvalidDataError if a cell of X (n, D) is missing: it has no place along any direction."""
    if np.isnan(X).any():
        raise InvalidDataError(
            f"{not_finite(X)}. Directions combine all columns of a row: drop or fill those rows, or choose "
            "directions=None."
        )


@dataclass(frozen=True)
class WorkingDataInDirections(WorkingData):
    """Working data of the leading directions.

    Attributes
    ----------
    own : WorkingData
        Of their family.
    directions_of_data : Directions
    """

    own: WorkingData = None  # type: ignore[assignment]  # always given; the fields before it have defaults
    directions_of_data: Directions = None  # type: ignore[assignment]

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D) to working coordinates (n, q)."""
        return self.own.transform(self.directions_of_data.leading(X))

    def directions(self, n_features: int) -> FloatArray:
        """Return by how much working coordinates change per unit of each column of the data (C, D)."""
        found = self.directions_of_data
        turned = (found.axes[:, : found.n_leading] / found.spread[:, None]).T
        return np.asarray(self.own.directions(found.n_leading) @ turned)


@dataclass(frozen=True, eq=False)
class InDirections(Model):
    """A Gaussian family for the leading directions, and one Gaussian for the others.

    Attributes
    ----------
    own : GaussianFamily or Coarsened
        Of the leading directions, before or after points of a cluster.
    others : GaussianFamily or None
        Of the others, after all points of the data; None if there are none.
    directions : Directions
    shared : float
        What the others and the units of the columns add to the log likelihood (nats), per point, to the power that a
        coarsened model takes it to. It is the same for every partition.
    """

    own: GaussianFamily | Coarsened
    others: GaussianFamily | None
    directions: Directions
    shared: float

    @classmethod
    def of(cls, own: Model, directions: Directions, X: FloatArray) -> InDirections:
        """Set a family of the leading directions beside the Gaussian of the others, given all data X (N, D)."""
        assert isinstance(own, GaussianFamily | Coarsened)
        prior, log_density = gaussian_of(directions.others(X))
        shared = (log_density / len(X)) + directions.log_jacobian + directions.log_jacobian_of_others
        return cls(own, prior, directions, own.weight * shared if isinstance(own, Coarsened) else shared)

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> InDirections:
        """Hyperparameters of the leading directions after the points X (n, D); those of the others have seen all."""
        return replace(self, own=self.own.posterior(self.directions.leading(X)))

    def beyond(self, X: FloatArray) -> FloatArray:
        """Return what :attr:`shared` lacks for rows X (n, D) that are not among the data: log densities (nats, n)."""
        refuse_gaps(X)
        found = self.directions
        units = found.log_jacobian + found.log_jacobian_of_others - self.shared
        return units + (0.0 if self.others is None else self.others.log_predictive(found.others(X))) + np.zeros(len(X))

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Log predictive density (nats) of each further row of X (n, D), in the units of its columns."""
        along = self.own.log_predictive(self.directions.leading(X))
        return np.asarray(along + self.shared + self.beyond(X))

    def marginal_log_densities(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each entry of X (n, D) under a Student t of its column's location and scale.

        A column is a sum over directions, for which this is close, and exact only where it lies along one of them.
        """
        from scipy import stats  # deferred: it takes half a second to import

        t = self.predictive()
        scale, degrees = np.sqrt(np.diagonal(t.scale)), min(t.degrees_of_freedom, 1e12)
        return np.asarray(stats.t.logpdf((X - t.location) / scale, degrees) - np.log(scale))

    def column_kinds(self, n_features: int) -> tuple[str, ...]:
        """Return the kind of each column: all are continuous."""
        return ("continuous",) * n_features

    def log_marginal(self, X: FloatArray) -> float:
        """Log marginal likelihood (nats) of points X (n, D) as one cluster, with an n-th part of the others for all."""
        return self.own.log_marginal(self.directions.leading(X)) + len(X) * self.shared

    def draw(self, random_state: np.random.Generator) -> ComponentInDirections:
        """Draw the parameters of a component, and those of the others' Gaussian."""
        others = None if self.others is None else self.others.draw(random_state)
        return ComponentInDirections(self.own.draw(random_state), others, self.directions)

    def formula(self, x: FloatArray) -> Formula:
        """Write out −ln of the predictive at a point x (D,) of the data, along the leading directions."""
        own = self.own.formula(self.directions.leading(x[None, :])[0])
        terms = "".join(f" {name} = {np.array2string(values, precision=4)};" for name, values in own.columns.items())
        numbers = (
            f"in {self.directions.n_leading} directions of the columns: {own.numbers}{terms} and {-self.shared:.4f} "
            "for the other directions and the units of the columns, which are the same for every cluster,"
        )
        return Formula(own.latex, numbers, own.value - self.shared)

    # --- in the columns -----------------------------------------------------------------------------------------------

    def predictive(self) -> Predictive:
        """Location and scale of the predictive in the columns, as :meth:`slot_shapes` draws it."""
        t = self.own.predictive()
        degrees = np.array([t.degrees_of_freedom])
        locations, scales = self._in_columns(t.location[None], t.scale[None], degrees)
        return Predictive(locations[0], scales[0], t.degrees_of_freedom)

    def _in_columns(
        self, locations: FloatArray, scales: FloatArray, degrees: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Map locations (K, q) and scales (K, q, q) to the columns, and add the others.

        Their tails are lighter: they are scaled to agree at :data:`OUTER`, so that ellipses are right along both.
        """
        found, (leading, others) = self.directions, self.directions.back
        ridge = np.diag(RIDGE * found.spread**2)
        places, covers = found.centre + locations @ leading.T, leading @ scales @ leading.T + ridge
        if self.others is not None:
            t = self.others.predictive()
            share = (_quantile(np.array([t.degrees_of_freedom])) / _quantile(degrees)) ** 2
            places = places + others @ t.location
            covers = covers + share[:, None, None] * (others @ t.scale @ others.T)
        return np.asarray(places), np.asarray(covers)

    def summarise(self, X: FloatArray) -> ClusterSummary:
        """Posterior summary of a cluster made of the points X (n, D), in the columns."""
        posterior = self.posterior(X)
        leading, others = self.directions.back
        predictive = posterior.predictive()
        covariance = leading @ posterior.own.expected_covariance() @ leading.T
        if self.others is not None:
            covariance = covariance + others @ self.others.expected_covariance() @ others.T
        # the posterior is a model, not a family: it has the predictive that readers of summaries ask for
        return ClusterSummary(len(X), posterior, predictive.location, covariance, predictive)

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> LocationScaleShapes:
        """Predictives of slots 0 … K − 1 of a state in the columns."""
        assert isinstance(working, WorkingDataInDirections)
        own = self.own.slot_shapes(state, sizes, working.own)
        assert isinstance(own, LocationScaleShapes)  # as Gaussian families have
        places, covers = self._in_columns(own.locations, own.scales, own.degrees_of_freedom)
        return LocationScaleShapes(places, covers, own.degrees_of_freedom)

    # --- the kernels --------------------------------------------------------------------------------------------------

    def places(self, X: FloatArray) -> FloatArray:
        """Return the coordinates (N, q) along the leading directions."""
        return self.directions.leading(X)

    def working(self, X: FloatArray) -> WorkingDataInDirections:
        """Move to the working coordinates of the leading directions."""
        own = self.own.working(self.directions.leading(X))
        return WorkingDataInDirections(
            own.family, own.X, own.coordinates, own.log_jacobian + self.shared, own, self.directions
        )

    def bind(self, X: FloatArray, capacity: int) -> Any:
        """Allocate the state for working data."""
        return self.own.bind(X, capacity)


@dataclass(frozen=True)
class ComponentInDirections:
    """Explicit parameters of a component along the leading directions, and of the others' Gaussian."""

    own: Component
    others: Component | None
    directions: Directions

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log density (nats) of each row of X (n, D), in the units of its columns."""
        found = self.directions
        along = self.own.log_density(found.leading(X)) + found.log_jacobian + found.log_jacobian_of_others
        return along if self.others is None else np.asarray(along + self.others.log_density(found.others(X)))

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw points (n_points, D)."""
        leading, others = self.directions.back
        points = self.directions.centre + self.own.sample(n_points, random_state) @ leading.T
        return points if self.others is None else points + self.others.sample(n_points, random_state) @ others.T

    def shapes(self) -> None:
        """Draw nothing: the parts have shapes along their own directions."""
        return


def gaussian_of(Y: FloatArray) -> tuple[GaussianFamily | None, float]:
    """Return one Gaussian after all rows Y (N, C) with its log marginal likelihood (nats); None and 0 without columns.

    It has the usual prior (FORMULAS §5) and a full covariance, or a diagonal one where rows are fewer than the numbers
    in that.
    """
    n_points, n_columns = Y.shape
    if n_columns == 0:
        return None, 0.0
    family = NormalWishart if n_points >= n_columns * (n_columns + 1) / 2 else NormalGamma
    prior = family.from_prior(None, Y)
    return prior.posterior(Y), prior.log_marginal(Y)


def _quantile(degrees: FloatArray) -> FloatArray:
    """Return the :data:`OUTER` quantile of Student t distributions."""
    return np.asarray(stdtrit(np.minimum(degrees, 1e12), OUTER))
