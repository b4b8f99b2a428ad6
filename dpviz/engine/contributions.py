"""Contributions of every column to the scores of candidate clusters, for further points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from dpviz.arrays import FloatArray

NEGLIGIBLE = 1e-9
"""The joint term of the columns counts as rounding if it is a smaller share of the score (or of 1)."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """The scores of n points in C candidates as sums: ``columns.sum(axis=2) + together + weights``.

    In nats where clusters have densities, and then a score is the log of weight × density; else minus squared
    distances and penalties. The higher score wins.

    Attributes
    ----------
    columns : ndarray (n, C, D)
        Term of every column by itself, 0 if its cell is missing.
    together : ndarray (n, C)
        Joint term of the columns beyond their own terms: 0 if they are independent within a cluster.
    weights : ndarray (C,)
        Term of the candidate before the point is seen; −∞ for a new cluster if the partition prior allows no more.
    """

    columns: FloatArray
    together: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, columns: FloatArray, fits: FloatArray, weights: FloatArray) -> Contributions:
        """Set ``together`` to the scores before the weights (n, C) minus the columns' sum; rounding becomes 0."""
        together = fits - columns.sum(axis=2)
        together[np.abs(together) <= NEGLIGIBLE * np.maximum(1.0, np.abs(columns).sum(axis=2))] = 0.0
        return cls(columns, together, weights)

    @property
    def scores(self) -> FloatArray:
        """Score (n, C) of every candidate."""
        return np.asarray(self.columns.sum(axis=2) + self.together + self.weights)


@runtime_checkable
class Weighing(Protocol):
    """A finished run that scores every candidate cluster of further points."""

    @property
    def opens_clusters(self) -> bool:
        """Whether the last candidate is a new cluster; the others are those with points, in the order of labels."""
        ...

    @property
    def log_weights(self) -> FloatArray:
        """Term of each candidate (C,) before the point is seen."""
        ...

    def log_scores(self, X: FloatArray) -> FloatArray:
        """Score (n, C) of every candidate for each row of X (n, D), as :class:`Contributions` explains it."""
        ...

    def contributions(self, X: FloatArray) -> Contributions | None:
        """Return the terms of the scores of X (n, D); None if single columns have no terms."""
        ...
