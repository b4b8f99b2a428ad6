"""The Gaussian mixture by E-M."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.algorithms.em import FittedMixture
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
    weights_, means_, covariances_ : ndarray (K,), (K, D) and (K, D, D)
        Of the components that have labels, K = ``n_clusters_``, in the units of the data. The weights sum to 1 unless a
        component is not the most probable one of any point.
    trace_ : Trace
    """

    _algorithm = "em"
    objective_: float
    weights_: FloatArray
    means_: FloatArray
    covariances_: FloatArray

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
        self.weights_, self.means_, self.covariances_ = self._mixture.moments()
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Responsibilities of the clusters for new points.

        Parameters
        ----------
        X : array_like (n, D)

        Returns
        -------
        ndarray (n, K)
            Columns in the order of the labels, K = ``n_clusters_``; rows sum to 1. A component that is no point's most
            probable one has no label and no column.
        """
        data = self._validated(X, reset=False)
        return self._mixture.probabilities(data)

    @property
    def _mixture(self) -> FittedMixture:
        assert isinstance(self._fitted, FittedMixture)
        return self._fitted

    def _numbered(self, labels: IntArray) -> IntArray:
        """Leave no gap for components that are not the most probable one of any point."""
        return np.unique(labels, return_inverse=True)[1]
