"""Types of arrays and of randomness, in one place."""

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
