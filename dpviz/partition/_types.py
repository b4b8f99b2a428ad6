"""Array types shared by the partition priors."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
