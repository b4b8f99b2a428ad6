"""Types of arrays and of random generators; positions that thin a long array; filling of missing cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
LabelArray: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Cluster labels in traces, in the smallest unsigned type that fits."""
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
Strings: TypeAlias = tuple[str, ...]


def evenly_spaced(n_values: int, most: int) -> IntArray:
    """Return positions from 0 to n_values − 1: all, or this many evenly spaced ones with both ends."""
    return np.unique(np.round(np.linspace(0, n_values - 1, min(n_values, most))).astype(np.int64))


def filled_in(X: FloatArray, kinds: Sequence[str]) -> FloatArray:
    """Return a copy with the usual value of its column in every missing cell.

    That is the mean of measurements and the commonest of other values, of several the lowest.

    Parameters
    ----------
    X : ndarray (N, D)
        No column without any number.
    kinds : sequence of str
        Of the D columns; of ``dpviz.datasets.dataset.KINDS``.
    """
    filled = X.copy()
    for column, kind in zip(filled.T, kinds, strict=True):
        missing = np.isnan(column)
        if missing.any():
            values, counts = np.unique(column[~missing], return_counts=True)
            measured = kind in ("continuous", "duration")
            column[missing] = column[~missing].mean() if measured else values[np.argmax(counts)]
    return filled
