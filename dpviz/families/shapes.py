"""Shapes of clusters: ellipses and density curves, bars over the values of one column, or nothing at all.

Of columns together, :mod:`dpviz.families.planes` makes shapes in the plane.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple, Self

import numpy as np

from dpviz.arrays import BoolArray, FloatArray, IntArray

LEVELS = (0.5, 0.95)
"""Mass inside the inner and the outer ellipse."""
CURVE_POINTS = 160
"""Places at which the density of a real column is evaluated."""
LONGEST_BARS = 2_000
"""Most values that get a bar of their own."""


class Ellipses(NamedTuple):
    """M ellipses {x : (x − centre)ᵀ scale⁻¹ (x − centre) = factor²}, an inner and an outer one each.

    Attributes
    ----------
    centres : ndarray (M, 2)
    scales : ndarray (M, 2, 2)
    factors : ndarray (M, 2)
        Radii, in units of the scale, that hold :data:`LEVELS` of the mass.
    """

    centres: FloatArray
    scales: FloatArray
    factors: FloatArray


@dataclass(frozen=True, eq=False)
class Shapes(ABC):
    """Shapes of M clusters; every field that is an array has M entries."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of columns D."""

    @abstractmethod
    def projected(self, directions: FloatArray, origin: FloatArray) -> Self | None:
        """Return the shapes in displayed coordinates (x − origin) @ directions.T, directions (2, D) or (1, D).

        None if they cannot be drawn there.
        """

    def side(self, direction: FloatArray, origin: FloatArray) -> Shapes | None:
        """Return the shapes along one direction (D,) of a plane, the other one of which is in columns of others."""
        return self.projected(direction[None], origin)

    def ellipses(self) -> Ellipses | None:
        """Return ellipses, of shapes in the plane; None if they have none."""
        return None

    def grid(self, x: FloatArray) -> FloatArray:
        """Return where the curves of shapes on one axis are evaluated (G,), increasing, for points at x (N,)."""
        margin = 0.1 * max(float(np.ptp(x)), 1e-9)
        return np.linspace(x.min() - margin, x.max() + margin, CURVE_POINTS)

    def curves(self, grid: FloatArray) -> FloatArray:
        """Return the densities (M, G) per unit of the data, of shapes on one axis."""
        raise NotImplementedError(f"{type(self).__name__} are not on one axis")

    def selected(self, chosen: BoolArray | IntArray) -> Self:
        """Return some of the shapes."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if f.name in self.per_cluster()}
        return replace(self, **{name: values[chosen] for name, values in arrays.items()})

    def joined(self, others: Sequence[Self]) -> Self:
        """Return these shapes followed by others of the same kind."""
        parts = (self, *others)
        return replace(
            self, **{name: np.concatenate([getattr(part, name) for part in parts]) for name in self.per_cluster()}
        )

    @classmethod
    @abstractmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""


@dataclass(frozen=True, eq=False)
class BarShapes(Shapes):
    """Probabilities of the values 0, 1, 2, … of one column.

    Attributes
    ----------
    probabilities : ndarray (M, V)
        Of the values 0 … V − 1, under each cluster's predictive.
    """

    probabilities: FloatArray

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""
        return ("probabilities",)

    @property
    def n_features(self) -> int:
        """One column."""
        return 1

    def projected(self, directions: FloatArray, origin: FloatArray) -> BarShapes | None:
        """Return the bars if the column itself is the axis."""
        unchanged = directions.shape == (1, 1) and directions[0, 0] == 1 and origin[0] == 0
        return self if unchanged else None

    def grid(self, x: FloatArray) -> FloatArray:
        """Return two places per value, so that curves drawn through them are bars of width one."""
        values = np.arange(self.probabilities.shape[1])
        return np.column_stack([values - 0.499, values + 0.499]).ravel()

    def curves(self, grid: FloatArray) -> FloatArray:
        """Return the probability of the value nearest to each place of the grid."""
        nearest = np.clip(np.round(grid), 0, self.probabilities.shape[1] - 1).astype(np.int64)
        return self.probabilities[:, nearest]
