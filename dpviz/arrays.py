"""Types of arrays and of randomness, in one place; positions that thin a long array, and what stands for a column."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
LabelArray: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Cluster labels as traces keep them, in the smallest unsigned type that fits."""
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
Strings: TypeAlias = tuple[str, ...]


def evenly_spaced(n_values: int, most: int) -> IntArray:
    """Return positions from 0 to n_values − 1: all, or so many evenly spaced ones with the first and the last."""
    return np.unique(np.round(np.linspace(0, n_values - 1, min(n_values, most))).astype(np.int64))


def usual_value(values: FloatArray, kind: str) -> float:
    """Return what a missing cell begins with: the mean of measurements, else the commonest value (the lowest one).

    Parameters
    ----------
    values : ndarray (n,)
        The cells that the column has, n ≥ 1.
    kind : str
        Of the column; one of ``dpviz.datasets.dataset.KINDS``.
    """
    if kind in ("continuous", "duration"):
        return float(values.mean())
    known, counts = np.unique(values, return_counts=True)
    return float(known[np.argmax(counts)])
