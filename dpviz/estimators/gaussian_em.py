"""The Gaussian mixture by E-M."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.arrays import IntArray
from dpviz.estimators.base import DensityClusterer


class GaussianEM(DensityClusterer):
    """Gaussian mixture with full covariances by E-M, every step recorded (2016 Sec. 2.1).

    Parameters
    ----------
    n_components : int
        K; at most the number of points.
    init : {"kmeans++", "random"} or array
        Starting partition, from seeds or at random, or given labels (N,).
    n_init : int
        Restarts; the highest likelihood wins.
    max_sweeps : int
    random_state : None, int, RandomState or Generator

    Attributes
    ----------
    labels_ : ndarray (N,) int64
        Most probable component, renumbered without gaps.
    n_clusters_ : int
        Components that are some point's most probable one.
    objective_ : float
        −ln p(X | parameters) in nats.
    n_iter_ : int
    converged_ : bool
    trace_ : Trace
    """

    _algorithm = "em"
    objective_: float

    def __init__(
        self,
        n_components: int = 3,
        init: Any = "kmeans++",
        n_init: int = 10,
        max_sweeps: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.max_sweeps = max_sweeps
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> GaussianEM:
        """Fit X (N, D); see :meth:`TracedClusterer.fit`."""
        super().fit(X, y)
        self.objective_ = float(self.trace_.objective[-1])
        return self

    def _numbered(self, labels: IntArray) -> IntArray:
        """Leave no gap where a component is nobody's most probable one."""
        return np.unique(labels, return_inverse=True)[1]
