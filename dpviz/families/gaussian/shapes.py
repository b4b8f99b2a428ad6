"""Normal and Student t shapes: ellipses in the plane, density curves on one axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.families.gaussian.predictive import ellipse_radius
from dpviz.families.shapes import LEVELS, Ellipses, Shapes


@dataclass(frozen=True, eq=False)
class LocationScaleShapes(Shapes):
    """Normal or Student t shapes.

    Attributes
    ----------
    locations : ndarray (M, D)
    scales : ndarray (M, D, D)
    degrees_of_freedom : ndarray (M,)
        Infinite for normal shapes.
    independent : bool
        Whether features are independent Student t rather than one multivariate t.
    """

    locations: FloatArray
    scales: FloatArray
    degrees_of_freedom: FloatArray
    independent: bool = False

    @classmethod
    def per_cluster(cls) -> tuple[str, ...]:
        """Name the fields with an entry per cluster."""
        return "locations", "scales", "degrees_of_freedom"

    @property
    def n_features(self) -> int:
        """Number of columns D."""
        return self.locations.shape[1]

    def projected(self, directions: FloatArray, origin: FloatArray) -> LocationScaleShapes:
        """Return the shapes along the directions."""
        locations = (self.locations - origin) @ directions.T
        return LocationScaleShapes(
            locations, directions @ self.scales @ directions.T, self.degrees_of_freedom, self.independent
        )

    def ellipses(self) -> Ellipses:
        """Return the ellipses that hold :data:`LEVELS` of the mass."""
        radii = [ellipse_radius(level, self.degrees_of_freedom, self.independent) for level in LEVELS]
        return Ellipses(self.locations, self.scales, np.column_stack(radii))

    def curves(self, grid: FloatArray) -> FloatArray:
        """Return the Student t or normal densities (M, G)."""
        from scipy import stats  # deferred: it takes half a second to import

        spread = np.sqrt(self.scales[:, 0, 0])[:, None]
        standardised = (grid - self.locations[:, :1]) / spread
        degrees = np.where(np.isfinite(self.degrees_of_freedom), self.degrees_of_freedom, 1e12)[:, None]
        return np.asarray(stats.t.pdf(standardised, degrees) / spread)
