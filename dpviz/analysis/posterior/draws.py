"""Draws of a partition, from any program: one row of labels per draw, with names that differ between rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.errors import InvalidDataError, require

Codes = NDArray[np.int32]
"""Labels 0 … K − 1 in the order in which their clusters first appear: equal partitions are equal arrays."""

Floats = FloatArray


@dataclass(frozen=True, eq=False)
class Draws:
    """Checked draws of a partition of N points.

    Attributes
    ----------
    labels : ndarray of int32, shape (S, N)
        Canonical labels, read-only: every row counts its clusters 0 … K − 1 in the order of their first points.
    n_clusters : ndarray of int64, shape (S,)
    """

    labels: Codes
    n_clusters: IntArray

    @property
    def n_draws(self) -> int:
        """Number of draws, S."""
        return self.labels.shape[0]

    @property
    def n_points(self) -> int:
        """Number of points, N."""
        return self.labels.shape[1]


DrawsLike = ArrayLike | Draws
"""Input of this package's functions: an array of integers (S, N), or draws already checked."""


@kernel
def _rename(labels: IntArray, lowest: IntArray, n_names: int, codes: Codes) -> None:
    """Write canonical labels into ``codes``; every label lies within ``n_names`` of its row's lowest."""
    names = np.full(n_names, -1, dtype=np.int32)
    for s in range(labels.shape[0]):
        n_clusters = 0
        for i in range(labels.shape[1]):
            name = labels[s, i] - lowest[s]
            if names[name] < 0:
                names[name] = n_clusters
                n_clusters += 1
            codes[s, i] = names[name]
        for i in range(labels.shape[1]):
            names[labels[s, i] - lowest[s]] = -1


def _integers(name: str, values: ArrayLike, n_dimensions: int, shape: str) -> IntArray:
    """Return labels as int64, or raise unless they are integers in an array of the right shape."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidDataError(f"{name} has rows of different lengths; give an array of shape {shape}.") from error
    if array.ndim != n_dimensions or 0 in array.shape:
        raise InvalidDataError(f"{name} has shape {array.shape}; it must be {shape}, with at least one label.")
    if array.dtype.kind not in "iu":
        raise InvalidDataError(f"{name} has dtype {array.dtype}; labels must be integers. Convert with .astype(int).")
    return array.astype(np.int64, copy=False)


def as_draws(draws: DrawsLike) -> Draws:
    """Check draws once; every function of this package accepts the result instead of the array.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
        One partition per row, as integer labels. Labels mean nothing across rows.

    Returns
    -------
    Draws

    Raises
    ------
    InvalidDataError
        If the array is empty, not 2-D or not of integers.
    """
    if isinstance(draws, Draws):
        return draws
    labels = _integers("draws", draws, 2, "(n_draws, n_points)")
    lowest = labels.min(axis=1)
    n_names = int((labels.max(axis=1).astype(object) - lowest).max()) + 1  # as Python integers: no overflow
    if n_names > 4 * labels.shape[1] + 1024:  # widely spread names: a table of them would be too large
        labels = np.array([np.unique(row, return_inverse=True)[1] for row in labels], dtype=np.int64)
        lowest, n_names = np.zeros(len(labels), dtype=np.int64), labels.shape[1]
    codes = np.empty(labels.shape, dtype=np.int32)
    labels = np.ascontiguousarray(labels).view()
    labels.flags.writeable = False  # as some are by themselves: the kernel would be compiled once for each kind
    _rename(labels, lowest, n_names, codes)
    codes.flags.writeable = False
    return Draws(codes, codes.max(axis=1).astype(np.int64) + 1)


def as_partition(partition: ArrayLike, n_points: int, name: str = "partition") -> Codes:
    """Check one partition of ``n_points`` points.

    Parameters
    ----------
    partition : array_like of int, shape (N,)
    n_points : int
        The N that the draws have.
    name : str
        Name of the partition in messages.

    Returns
    -------
    ndarray of int32, shape (N,)
        Canonical labels.

    Raises
    ------
    InvalidDataError
        If it is not a 1-D array of integers.
    InvalidParameterError
        If it labels another number of points.
    """
    labels = _integers(name, partition, 1, "(n_points,)")
    require(len(labels) == n_points, f"len({name})", len(labels), f"{n_points}, the number of points of the draws")
    return as_draws(labels[None, :]).labels[0]
