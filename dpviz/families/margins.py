"""How far points of clusters are from the clusters' centres on one axis, on either side alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, i0e, logsumexp, stdtr

from dpviz.arrays import FloatArray
from dpviz.families.columns.circular import _HEIGHTS, _KAPPAS, CircularShapes, _log_terms
from dpviz.families.gaussian.shapes import LocationScaleShapes
from dpviz.families.shapes import Shapes

MOST_DEGREES = 1e6
"""Of a Student t that stands for a normal distribution, with a density that keeps its digits."""
_LEAST_WEIGHT = 1e-7
"""Of a concentration, below which it is nothing to a share."""
_LEAST_COSINE = 1e-3
"""Below which a cluster has no direction that a table could tell."""
_PARTS = 40
"""Steps of half a turn in a table of shares."""
_OF_FIRST_STEP = np.array([5.0, 8.0, -1.0]) / 12.0
"""Weights of three places in the integral of their parabola over its first step."""


@dataclass(frozen=True, eq=False)
class Margin(ABC):
    """Distances from the centres of M clusters.

    Attributes
    ----------
    centres, spreads : ndarray (M,)
        Displayed places, and the unit of distances.
    reach : ndarray (M,)
        Largest distance that there is.
    finest : ndarray (M,)
        Distance over which densities may change.
    """

    centres: FloatArray
    spreads: FloatArray
    reach: FloatArray
    finest: FloatArray

    @abstractmethod
    def density(self, distances: FloatArray) -> FloatArray:
        """Density of distances (M, G), from 0 to ``reach``."""

    @abstractmethod
    def share_and_density(self, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Share of a cluster within distances (M, G), and their density."""


def margin_of(shapes: Shapes) -> Margin:
    """Return the distances of shapes on one axis.

    Raises
    ------
    TypeError
        If these are not the same on either side of a centre.
    """
    if isinstance(shapes, CircularShapes):
        return _circular_margin(shapes)
    if not isinstance(shapes, LocationScaleShapes):
        raise TypeError(f"{type(shapes).__name__} have no margin")
    endless, whole = np.full(len(shapes.locations), np.inf), np.ones(len(shapes.locations))
    degrees = np.minimum(shapes.degrees_of_freedom, MOST_DEGREES)
    return StudentMargin(shapes.locations[:, 0], np.sqrt(shapes.scales[:, 0, 0]), endless, whole, degrees)


@dataclass(frozen=True, eq=False)
class StudentMargin(Margin):
    """Distances of a Student t.

    Attributes
    ----------
    degrees_of_freedom : ndarray (M,)
    """

    degrees_of_freedom: FloatArray

    def density(self, distances: FloatArray) -> FloatArray:
        """Density of distances (M, G)."""
        degrees = self.degrees_of_freedom
        constant = np.log(2.0) + gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - 0.5 * np.log(np.pi * degrees)
        power = 0.5 * (degrees + 1)[:, None] * np.log1p(distances**2 / degrees[:, None])
        return np.asarray(np.exp(constant[:, None] - power))

    def share_and_density(self, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Share within distances (M, G), and their density."""
        share, some = np.zeros(distances.shape), distances > 0
        degrees = np.broadcast_to(self.degrees_of_freedom[:, None], distances.shape)
        share[some] = 2.0 * stdtr(degrees[some], distances[some]) - 1.0  # slow, and often not needed
        return share, self.density(distances)


@dataclass(frozen=True, eq=False)
class CircularMargin(Margin):
    """Distances on a circle, by a table between whose places shares follow cubics.

    Attributes
    ----------
    shares, slopes : ndarray (M, G + 1)
        Shares within ``finest`` · sinh(``step`` · g), g = 0 … G, the last of which is half a turn; and their
        derivatives in g.
    step : float
    """

    shares: FloatArray
    slopes: FloatArray
    step: float

    def density(self, distances: FloatArray) -> FloatArray:
        """Density of distances (M, G)."""
        return self.share_and_density(distances)[1]

    def share_and_density(self, distances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Share within distances (M, G), all of it from half a turn on, and their density."""
        n_steps = self.shares.shape[1] - 1
        places = np.minimum(np.arcsinh(distances / self.finest[:, None]) / self.step, n_steps)
        before = np.minimum(places.astype(np.int64), n_steps - 1)
        t = places - before
        before += np.arange(0, self.shares.size, n_steps + 1)[:, None]
        low, start = self.shares.ravel()[before], self.slopes.ravel()[before]
        rise, end = self.shares.ravel()[before + 1] - low, self.slopes.ravel()[before + 1]
        share = low + t**2 * (3 - 2 * t) * rise + t * (1 - t) * ((1 - t) * start - t * end)
        slope = 6 * t * (1 - t) * rise + (1 - t) * (1 - 3 * t) * start + t * (3 * t - 2) * end
        return share, slope / (self.step * np.hypot(distances, self.finest[:, None]))


def _circular_margin(shapes: CircularShapes) -> CircularMargin:
    """Tabulate the distances of predictives from their directions.

    The spread is √(2 (1 − ρ)/ρ), ρ the mean cosine: σ of a narrow cluster, and almost without a bound for one that has
    no direction. So an ellipse is near a line of equal density at its centre if it is narrow, and where it meets itself
    if it is broad: for κ ≤ 1, d²/(2 · spread²) is there three fifths and more of the 2κ that κ (1 − cos d) is.
    """
    finest = 1.0 / math.sqrt(_KAPPAS[shapes.n_concentrations] or 1.0)
    step = math.asinh(math.pi / finest) / _PARTS
    angles = finest * np.sinh(step * np.arange(_PARTS + 1))
    apart = 2.0 * np.sin(0.5 * angles) ** 2
    densities = _predictives(shapes.counts, shapes.spreads, apart, shapes.n_concentrations) / math.pi
    slopes = densities * step * np.hypot(angles, finest)
    shares = _integrals(slopes)
    whole = shares[:, -1:]
    missing = _integrals(slopes * apart)[:, -1] / whole[:, 0]
    spreads = np.sqrt(2.0 * missing / np.maximum(1.0 - missing, _LEAST_COSINE))
    centres, unit = (shapes.directions - shapes.origin) * shapes.unit, abs(shapes.unit)
    return CircularMargin(
        centres, unit * spreads, math.pi / spreads, finest / spreads, shares / whole, slopes / whole, step
    )


def _integrals(values: FloatArray) -> FloatArray:
    """Integrate values (M, G + 1) from place 0 to each by parabolas through three of them."""
    threes = np.lib.stride_tricks.sliding_window_view(values, 3, axis=1)
    rises = np.column_stack([threes @ _OF_FIRST_STEP, threes[:, -1] @ _OF_FIRST_STEP[::-1]])
    return np.column_stack([np.zeros(len(rises)), np.cumsum(rises, axis=1)])


def _predictives(n: FloatArray, spread: FloatArray, apart: FloatArray, n_concentrations: int) -> FloatArray:
    """Predictives (M, G), beyond the uniform law, of angles whose cosine from the directions is 1 − apart (G,).

    As a family's own but for concentrations without weight, and therefore several times as fast for all clusters of a
    run.
    """
    log_terms = _log_terms(n, spread, n_concentrations)
    weights = np.exp(log_terms - logsumexp(log_terms, axis=-1, keepdims=True))
    own, chosen = np.nonzero(weights > _LEAST_WEIGHT)
    kappa, length = _KAPPAS[chosen][:, None], (n - spread)[own][:, None]
    longer = np.sqrt(np.maximum((length + 1.0) ** 2 - 2.0 * length * apart, 0.0))
    more = 2.0 * length * apart / (longer + length + 1.0)
    gains = np.exp(_HEIGHTS[chosen][:, None] - kappa * more) * i0e(kappa * longer) / i0e(kappa * length)
    return np.add.reduceat(weights[own, chosen][:, None] * gains, np.flatnonzero(np.diff(own, prepend=-1)), axis=0)
