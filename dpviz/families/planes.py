"""Planes of columns that are independent given the cluster: ellipses that hold their share of the product of both.

An ellipse has its axes along the columns, about the centres, and half-axes in proportion to the spreads. With U and V
the distances from the centres in units of the spreads it is U² + V² ≤ f², where
P(U² + V² ≤ f²) = ∫ g(v) F(√(f² − v²)) dv, F the distribution function of U and g the density of V.

On a circle no distance is more than half a turn. An ellipse that is longer meets itself opposite its centre, and is cut
there: it goes round as a band, which is the straighter the less its cluster has a direction, and holds its share as
well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.families.base import Model, WorkingData
from dpviz.families.columns.circular import AngularWorkingData, Circular
from dpviz.families.margins import Margin, margin_of
from dpviz.families.shapes import LEVELS, Ellipses, Shapes

_ENDS, _LENGTHS = np.polynomial.legendre.leggauss(16)
_NODES, _WEIGHTS = (_ENDS + 1.0) / 2.0, _LENGTHS / 2.0
_CLOSE, _NEWTON_STEPS, _MOST_STEPS = 1e-3, 10, 32
_LONGEST = 1e150
"""Radius whose square is a number."""
_AT_ONCE = 500
"""Clusters whose factors are sought together."""


@dataclass(frozen=True, eq=False)
class ShapesTogether(Shapes):
    """Shapes of the same clusters in several columns.

    Attributes
    ----------
    parts : tuple of Shapes
    """

    parts: tuple[Shapes, ...]

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the field with entries per cluster, which is no array itself."""
        return ("parts",)

    def selected(self, chosen: BoolArray | IntArray) -> Self:
        """Return some of the shapes."""
        return replace(self, parts=tuple(part.selected(chosen) for part in self.parts))

    def joined(self, others: Sequence[Self]) -> Self:
        """Return these shapes followed by others of the same columns."""
        own = zip(self.parts, *(other.parts for other in others), strict=True)
        return replace(self, parts=tuple(first.joined(rest) for first, *rest in own))


@dataclass(frozen=True, eq=False)
class ShapesOfColumns(ShapesTogether):
    """Shapes in some columns of a table, which say nothing of the others; parts are independent given the cluster.

    Attributes
    ----------
    columns : tuple of ndarray of int (C,)
        Positions of each part's columns among all D.
    n_columns : int
        All D.
    """

    columns: tuple[IntArray, ...]
    n_columns: int

    @property
    def n_features(self) -> int:
        """Number of columns D."""
        return self.n_columns

    def projected(self, directions: FloatArray, origin: FloatArray) -> Any:
        """Return the shapes along directions each of which involves the columns of one part alone."""
        numbers = [self._part_of(direction) for direction in directions]
        if -1 in numbers:
            return None
        if len(set(numbers)) == 1:
            own = self.columns[numbers[0]]
            return self.parts[numbers[0]].projected(directions[:, own], origin[own])
        along = zip(numbers, directions, strict=True)
        sides = [self.parts[k].side(axis[self.columns[k]], origin[self.columns[k]]) for k, axis in along]
        return ProductShapes(tuple(side for side in sides if side is not None))

    def _part_of(self, direction: FloatArray) -> int:
        """Return the number of the part that has all columns of a direction (D,), −1 if none has."""
        used = np.flatnonzero(direction)
        return next((k for k, own in enumerate(self.columns) if np.isin(used, own).all()), -1)


@dataclass(frozen=True, eq=False)
class ProductShapes(ShapesTogether):
    """Shapes in a plane, whose two parts on one axis each have a margin."""

    @property
    def n_features(self) -> int:
        """Two columns."""
        return 2

    def projected(self, directions: FloatArray, origin: FloatArray) -> None:
        """Draw nothing elsewhere than in this plane."""

    def ellipses(self) -> Ellipses:
        """Return the ellipses that hold :data:`LEVELS` of the product of both predictives."""
        first = self.parts[0]
        n_clusters = len(getattr(first, first.per_cluster()[0]))
        batches = np.array_split(np.arange(n_clusters), 1 + n_clusters // _AT_ONCE)
        found = [self.selected(batch)._ellipses() for batch in batches]
        return Ellipses(*(np.concatenate(own) for own in zip(*found, strict=True)))

    def _ellipses(self) -> Ellipses:
        x, y = (margin_of(part) for part in self.parts)
        scales = np.zeros((len(x.spreads), 2, 2))
        scales[:, 0, 0], scales[:, 1, 1] = x.spreads**2, y.spreads**2
        return Ellipses(np.column_stack([x.centres, y.centres]), scales, product_factors(x, y))


def shapes_of(model: Model, state: Any, sizes: IntArray, working: WorkingData) -> Shapes | None:
    """Return a model's shapes of slots 0 … K − 1 of a state; of several circular columns those of each, side by side.

    Parameters are those of :meth:`~dpviz.families.base.Model.slot_shapes`.
    """
    if not isinstance(model, Circular) or len(model.period) == 1:
        return model.slot_shapes(state, sizes, working)
    assert isinstance(working, AngularWorkingData)
    found: list[tuple[IntArray, Shapes | None]] = []
    for d in np.arange(len(model.period))[:, None]:
        part = replace(working, X=working.X[:, d], own=_some(working.own, d))
        own = state._replace(location=state.location[d], rest=state.rest[d])
        found.append((d, _some(model, d).slot_shapes(own, sizes, part)))
    return side_by_side(found, len(found))


def side_by_side(parts: Sequence[tuple[IntArray, Shapes | None]], n_columns: int) -> ShapesOfColumns | None:
    """Join shapes of columns, given by their positions among all; None if these are no plane."""
    found: list[tuple[IntArray, Shapes]] = []
    for columns, shapes in parts:
        if isinstance(shapes, ShapesOfColumns):
            found += [(columns[own], part) for own, part in zip(shapes.columns, shapes.parts, strict=True)]
        elif shapes is not None:
            found.append((columns, shapes))
    if sum(len(columns) for columns, _ in found) < 2:
        return None
    return ShapesOfColumns(tuple(part for _, part in found), tuple(columns for columns, _ in found), n_columns)


def _some(family: Circular, columns: IntArray) -> Circular:
    """Return the family of some of its columns."""
    return replace(family, **{own.name: getattr(family, own.name)[columns] for own in family.hyperparameters})


def product_factors(x: Margin, y: Margin) -> FloatArray:
    """Return the radii (M, 2), in units of the spreads, within which :data:`LEVELS` of two independent coordinates are.

    By Newton's method on the logarithm of −ln(1 − P) against that of the radius: a line for normal distributions. A
    step that would leave the bounds found so far goes to their middle, and after :data:`_NEWTON_STEPS` so does each
    until it is close. Densities fall with the distance, so that P/f² does too, and dP/d ln f is at most 2P.
    """
    u, v = (y, x) if np.isfinite(y.reach).all() else (x, y)  # on a circle shares are at hand
    corner = np.log(np.minimum(np.hypot(x.reach, y.reach), _LONGEST))
    return np.column_stack([np.exp(_log_factors(u, v, level, corner)) for level in LEVELS])


def _log_factors(u: Margin, v: Margin, level: float, high: FloatArray) -> FloatArray:
    """Return the logarithms (M,) of the radii that hold a level, none of which is above the bound (M,)."""
    sought, low = np.log(-np.log1p(-level)), np.full(len(high), -np.log(_LONGEST))
    found = np.minimum(0.5 * np.log(-2 * np.log1p(-level)), high + np.log(level))
    for step in range(_MOST_STEPS):
        held, slopes = _held(u, v, np.exp(found))
        beyond = np.clip(1.0 - held, 1e-12, 1.0 - 1e-12)
        steepness = np.minimum(slopes * np.exp(found), 2.0 * held) / (-beyond * np.log(beyond))
        missing = sought - np.log(-np.log(beyond))
        low, high = np.where(missing >= 0, found, low), np.where(missing <= 0, found, high)
        moves = np.maximum(missing / np.maximum(steepness, 1e-3), -1.0)
        settled = np.maximum(np.abs(moves), 0.5 * np.abs(missing)) < _CLOSE
        astray = (~settled & (step >= _NEWTON_STEPS)) | (found + moves < low) | (found + moves > high)
        found = np.where(astray, 0.5 * (low + high), found + moves)
        if settled.all():
            break
    return found


def _held(u: Margin, v: Margin, factors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the share within factors (M,), and by how much it rises with these.

    Where v is less than some distance, all of u is within. From there to the end of v places stand close together, as
    the finest detail needs it, about 0, and at the end, where √(f² − v²) falls vertically.
    """
    radii = factors[:, None]
    finest, reach = v.finest[:, None], v.reach[:, None]
    whole = np.minimum(np.sqrt(np.maximum(radii**2 - u.reach[:, None] ** 2, 0.0)), reach)
    span = np.arcsinh(radii / finest)
    low, high = (
        np.arcsin(np.minimum(np.arcsinh(end / finest) / span, 1.0)) for end in (whole, np.minimum(radii, reach))
    )
    angles = low + (high - low) * _NODES
    places = span * np.sin(angles)
    distances = finest * np.sinh(places)
    apart = np.sqrt(np.maximum(radii**2 - distances**2, 1e-30))
    weights = v.density(distances) * finest * np.cosh(places) * span * np.cos(angles) * (high - low) * _WEIGHTS
    share, density = u.share_and_density(apart)
    held = v.share_and_density(whole)[0][:, 0] + np.sum(weights * share, axis=1)
    return held, np.sum(weights * density * radii / apart, axis=1)
