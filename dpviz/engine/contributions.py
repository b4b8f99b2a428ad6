"""What speaks for every candidate cluster of further points, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from dpviz.arrays import FloatArray

NEGLIGIBLE = 1e-9
"""What columns say together is rounding where it is a smaller share of the score (or of 1)."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """The scores of n points in C candidates as sums: ``columns.sum(axis=2) + together + weights``.

    In nats where clusters have densities, then what a score is the log of is weight × density; else minus squared
    distances and penalties. The higher score wins.

    Attributes
    ----------
    columns : ndarray (n, C, D)
        Of every column by itself, 0 where its cell is missing.
    together : ndarray (n, C)
        Of the columns together beyond what each says alone: 0 where they are independent within a cluster.
    weights : ndarray (C,)
        Of the candidate before the point is seen.
    """

    columns: FloatArray
    together: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, columns: FloatArray, scores: FloatArray, weights: FloatArray) -> Contributions:
        """Leave to ``together`` what the columns' sum lacks of the scores (n, C); rounding counts as nothing."""
        together = scores - weights - columns.sum(axis=2)
        together[np.abs(together) <= NEGLIGIBLE * np.maximum(1.0, np.abs(columns).sum(axis=2))] = 0.0
        return cls(columns, together, weights)

    @property
    def scores(self) -> FloatArray:
        """Score (n, C) of every candidate."""
        return np.asarray(self.columns.sum(axis=2) + self.together + self.weights)


@runtime_checkable
class Weighing(Protocol):
    """A finished run that weighs every candidate cluster of further points."""

    @property
    def opens_clusters(self) -> bool:
        """Whether the last candidate is a new cluster; the others are those with points, in the order of labels."""
        ...

    @property
    def log_weights(self) -> FloatArray:
        """What a score says of each candidate (C,) before the point is seen."""
        ...

    def log_scores(self, X: FloatArray) -> FloatArray:
        """Score (n, C) of every candidate for each row of X (n, D), as :class:`Contributions` explains it."""
        ...

    def contributions(self, X: FloatArray) -> Contributions | None:
        """Return what the scores of X (n, D) are made of; None if a single column says nothing by itself."""
        ...
