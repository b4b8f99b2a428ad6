"""Models that are taken less literally: the likelihood of every point to the power ζ (after Miller & Dunson 2019).

The coarsened posterior of a partition z and of parameters θ is ∝ p(z) Π_k G0(θ_k) Π_{i ∈ k} f(x_i | θ_k)^ζ with
ζ = α/(α + N). Conjugate families stay so, each point counting as a part ζ of a point, all together as ζN < α, while the
partition prior counts whole points. So more clusters are worth it where ζ of their gain in fit outweighs what they cost
under p(z), about ln K nats a point for K of one size: a small α joins groups that far fewer than α points would tell
apart. (The power posterior of Miller & Dunson takes the density of the whole mixture to the power, so that its weights
count less, too.) The powered likelihood is no density of the data, so that nll is not comparable between values of α;
predictives of further points are ∫ f(x | θ) dπ_ζ(θ), with the likelihood of the new point as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.errors import InvalidParameterError
from dpviz.families.base import ClusterSummary, Component, Family, Formula, Model, WorkingData
from dpviz.families.columns.kinds import KINDS
from dpviz.families.columns.normal_gamma import HALF_LOG_2PI
from dpviz.families.columns.state import ColumnsState, bind_columns
from dpviz.families.columns.verbs import log_marginal_of_all
from dpviz.families.gaps import WithGaps, cells_of
from dpviz.families.gaussian.base import GaussianFamily
from dpviz.families.gaussian.known_covariance import KnownCovarianceFamily, NormalKnownCovariance, SphericalNormal
from dpviz.families.gaussian.normal_wishart import NormalWishart
from dpviz.families.gaussian.predictive import Predictive
from dpviz.families.mixed import Mixed, statistics_of
from dpviz.families.planes import shapes_of
from dpviz.families.shapes import Shapes

SPREADS: dict[type[Family], tuple[str, ...]] = {
    **{family: kind.spreads for kind in KINDS for family in kind.families},
    NormalWishart: ("c0", "psi0"), SphericalNormal: ("sigma_hat_sq",), NormalKnownCovariance: ("sigma_hat",),
}  # fmt: skip
"""Hyperparameters that, once divided by ζ, make statistics of whole points those of the coarsened model, over ζ."""
_COUNTS = ("a0", "alpha0", "omega0", "beta0", "total_alpha0", "total_beta0")
"""Hyperparameters to which points add something that needs no other: ζ of it."""
_POWERED: tuple[type[Family], ...] = (*(own for kind in KINDS for own in kind.families), NormalWishart, Mixed)


@dataclass(frozen=True)
class PoweredComponent:
    """Explicit parameters of one component of a coarsened model.

    Attributes
    ----------
    own : Component
    weight : float
        ζ.
    """

    own: Component
    weight: float

    def log_density(self, X: FloatArray) -> FloatArray:
        """ζ times the log density (nats) of each row of X (n, D): what a sampler of the coarsened posterior weighs."""
        return self.weight * self.own.log_density(X)

    def sample(self, n_points: int, random_state: np.random.Generator) -> FloatArray:
        """Draw points (n_points, D) of the component itself."""
        return self.own.sample(n_points, random_state)

    def shapes(self) -> Shapes | None:
        """Return the component's own."""
        return self.own.shapes()


@dataclass(frozen=True)
class CoarsenedWorkingData(WorkingData):
    """Working data of a coarsened model.

    Attributes
    ----------
    own : WorkingData
        Of the model itself, in whose coordinates they are.
    """

    own: WorkingData = None  # type: ignore[assignment]  # always given; the fields before it have defaults

    def transform(self, X: FloatArray) -> FloatArray:
        """Map further points (n, D) to working coordinates, or raise InvalidDataError."""
        return self.own.transform(X)

    def directions(self, n_features: int) -> FloatArray:
        """Return by how much working coordinates change per unit of each column of the data (C, D)."""
        return self.own.directions(n_features)

    def n_left_out(self) -> int:
        """Return that of the model's own working data."""
        return self.own.n_left_out()


@dataclass(frozen=True, eq=False)
class Coarsened(Model):
    """A model whose likelihood counts each point as a part of a point.

    Attributes
    ----------
    own : Family or WithGaps
        The model, before or after points of a cluster.
    weight : float
        ζ, 0 < ζ ≤ 1.
    """

    own: Family | WithGaps
    weight: float

    @classmethod
    def of(cls, own: Family | WithGaps, weight: float) -> Coarsened:
        """Coarsen a model.

        Raises
        ------
        InvalidParameterError
            If it is a family of another package, whose powers are unknown.
        """
        if isinstance(own, Family) and type(own) not in _POWERED:
            known = ", ".join(family_class.name for family_class in _POWERED)
            raise InvalidParameterError(
                f"coarsening must be None with family = {own.name!r}, whose powered likelihood is unknown; it is known "
                f"of {known}."
            )
        return cls(own, weight)

    # --- the model ----------------------------------------------------------------------------------------------------

    def posterior(self, X: FloatArray) -> Coarsened:
        """Hyperparameters after the points X (n, D), each counted as ζ of a point."""
        return replace(self, own=_posterior(self.own, X, self.weight))

    def log_predictive(self, X: FloatArray) -> FloatArray:
        """Log predictive density (nats) of each further row of X (n, D), a whole point; no sweep compares these."""
        return self.own.log_predictive(X)

    def marginal_log_densities(self, X: FloatArray) -> FloatArray | None:
        """Log density (nats) of each entry of X (n, D) under its own column's predictive."""
        return self.own.marginal_log_densities(X)

    def column_kinds(self, n_features: int) -> tuple[str, ...]:
        """Return the kind of each column."""
        return self.own.column_kinds(n_features)

    def predictive(self) -> Predictive:
        """Location and scale of a Gaussian family's predictive."""
        assert isinstance(self.own, GaussianFamily)
        return self.own.predictive()

    def expected_covariance(self) -> FloatArray:
        """Mean of the covariance (D, D) within a cluster of a Gaussian family."""
        assert isinstance(self.own, GaussianFamily)
        return self.own.expected_covariance()

    def log_marginal(self, X: FloatArray) -> float:
        """Log of ∫ Π_i f(x_i | θ)^ζ dG0(θ) (nats) of the points X (n, D): what sweeps compare, no density of X."""
        if len(X) == 0:
            return 0.0
        if isinstance(self.own, WithGaps):  # after cells of a cluster the columns differ in what their tables share
            parts = zip(self.own.columns, self.own.shift, cells_of(X, self.own.widths), strict=True)
            return sum(replace(self, own=own).log_marginal(x) + self.weight * len(x) * unit for own, unit, x in parts)
        working = self.working(X)
        state, one = working.family.bind(working.X, 2), np.zeros(len(X), dtype=np.int64)
        found = log_marginal_of_all(state, working.X, one, np.array([len(X), 0], dtype=np.int64))
        return float(found + len(X) * working.log_jacobian)

    def draw(self, random_state: np.random.Generator) -> PoweredComponent:
        """Draw a component's parameters."""
        return PoweredComponent(self.own.draw(random_state), self.weight)

    def summarise(self, X: FloatArray) -> ClusterSummary:
        """Posterior summary of a cluster made of the points X (n, D), of which it has the size."""
        return replace(self.posterior(X).own.summarise(X[:0]), size=len(X))

    def formula(self, x: FloatArray) -> Formula:
        """Write out what sweeps weigh at one point x (D,)."""
        latex = r"-\ln \int f(x \mid \theta)^\zeta \, d\pi(\theta)"
        return Formula(latex, f"ζ = {self.weight:.6g}", -self.log_marginal(x[None, :]))

    def slot_shapes(self, state: Any, sizes: IntArray, working: WorkingData) -> Shapes | None:
        """Predictives of whole points, of slots 0 … K − 1 of a state, as shapes in the units of the data."""
        if isinstance(self.own, WithGaps):
            return None
        assert isinstance(working, CoarsenedWorkingData)
        weighted = cast(IntArray, self.weight * sizes)  # all that families do with sizes is to add and divide them
        if isinstance(self.own, KnownCovarianceFamily):  # in the units of Σ̂/ζ a predictive adds ζ instead of 1
            variance = 1.0 / state.predictive_precision[:, : len(sizes)] - (1.0 - self.weight)
            own = self.own.bind(np.empty((1, 0)), 1)  # for kernels that read nothing else of it
            own = own._replace(mean=state.mean, predictive_precision=1.0 / variance)
        else:
            own = state if isinstance(self.own, Mixed) else statistics_of(self.own, state, 0)
        return shapes_of(self.own, own, weighted, working.own)

    @classmethod
    def operations(cls, n_features: int) -> float:
        """Estimate the arithmetic operations of scoring one point in one cluster."""
        return 50.0 + 40.0 * n_features

    # --- the kernels --------------------------------------------------------------------------------------------------

    def places(self, X: FloatArray) -> FloatArray:
        """Return those of the model."""
        return self.own.places(X)

    def working(self, X: FloatArray) -> CoarsenedWorkingData:
        """Move to the model's own coordinates; of a mixed table, columns that share a covariance come last.

        A normal of known covariance Σ̂ to the power ζ is one of covariance Σ̂/ζ, but for a constant.
        """
        if isinstance(self.own, KnownCovarianceFamily):
            found = _scaled(self.own, 1 / self.weight).working(X)
            shift = _log_power_of_normal(self.own.known_covariance(), self.weight)
            return CoarsenedWorkingData(found.family, found.X, found.coordinates, found.log_jacobian + shift, found)
        found = self.own.working(X)
        family = replace(self, own=cast(Family | WithGaps, found.family))
        return CoarsenedWorkingData(family, found.X, found.coordinates, self.weight * found.log_jacobian, found)

    def bind(self, X: FloatArray, capacity: int) -> ColumnsState:
        """Allocate the state; a prior's spreads are divided by ζ, and a power of a normal is shifted."""
        blocks: Sequence[Family] = (self.own,) if isinstance(self.own, Family) else self.own.columns
        shift = np.zeros(0) if isinstance(self.own, Family) else self.own.shift
        full = None
        if isinstance(self.own, Mixed):
            blocks, full = self.own.apart()
        elif isinstance(self.own, NormalWishart):
            blocks, full = (), self.own
        powers = [_log_power_of_column(column, self.weight) for column in blocks]
        return bind_columns(
            [_scaled(block, 1 / self.weight) for block in blocks],
            X,
            capacity,
            complete=isinstance(self.own, Family),
            shift=self.weight * shift + np.array(powers) if len(shift) else None,
            full=None if full is None else _scaled(full, 1 / self.weight),
            weight=self.weight,
        )


def _posterior(own: Any, X: FloatArray, weight: float) -> Any:
    """Return a model's hyperparameters after the points X (n, D), each counted as a part of a point."""
    if isinstance(own, WithGaps):
        columns = zip(own.columns, cells_of(X, own.widths), strict=True)
        return replace(own, columns=tuple(_posterior(column, seen, weight) for column, seen in columns))
    if isinstance(own, Mixed):
        return own.with_blocks([_posterior(block, X[:, columns], weight) for columns, block in own.parts()])
    scaled = _scaled(own, 1 / weight)
    before, after = scaled.posterior(X[:0]), scaled.posterior(X)
    spreads = SPREADS.get(type(own), ())
    counted = [name for name in _COUNTS if name not in spreads and hasattr(own, name)]
    shares = {name: getattr(before, name) for name in counted}
    shares = {name: value + weight * (getattr(after, name) - value) for name, value in shares.items()}
    return replace(_scaled(after, weight), **shares)


def _scaled(family: Any, factor: float) -> Any:
    """Return a family with its spreads times a factor."""
    return replace(family, **{name: getattr(family, name) * factor for name in SPREADS.get(type(family), ())})


def _log_power_of_normal(covariance: FloatArray, weight: float) -> float:
    """Log ratio (nats) of the density of N(μ, Σ̂) to the power ζ to that of N(μ, Σ̂/ζ), the same everywhere."""
    n_features = len(covariance)
    constant = n_features * HALF_LOG_2PI + 0.5 * float(np.linalg.slogdet(covariance)[1])
    return (1.0 - weight) * constant - 0.5 * n_features * float(np.log(weight))


def _log_power_of_column(column: Family, weight: float) -> float:
    """Return :func:`_log_power_of_normal` of a column of known variance, and 0 of others."""
    if isinstance(column, KnownCovarianceFamily):
        return _log_power_of_normal(column.known_covariance(), weight)
    return 0.0
