"""K-means and DP-means."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.algorithms.centre_based import NearestCentres
from dpviz.estimators.base import TracedClusterer


class _CentreClusterer(TracedClusterer):
    """A clusterer whose clusters are their means."""

    cluster_centers_: FloatArray
    objective_: float

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster X (N, D); see :meth:`TracedClusterer.fit`."""
        super().fit(X, y)
        self.objective_ = float(self.trace_.objective[-1])
        fitted = self._fitted
        assert isinstance(fitted, NearestCentres)
        self.cluster_centers_ = fitted.centres
        return self

    def _numbered(self, labels: IntArray) -> IntArray:
        """Leave no gap where a cluster is without points."""
        return np.unique(labels, return_inverse=True)[1]


class KMeans(_CentreClusterer):
    """K-means by Lloyd's algorithm, every iteration recorded (2016 Algorithm 1).

    Parameters
    ----------
    n_clusters : int
        K; at most the number of points.
    init : {"kmeans++", "random"} or array
        Seeding, or given centres (K, D), or given labels (N,).
    n_init : int
        Restarts; the lowest Σ‖x − μ‖² wins.
    max_sweeps : int
    random_state : None, int, RandomState or Generator

    Attributes
    ----------
    labels_ : ndarray (N,) int64
    cluster_centers_ : ndarray (K, D)
    n_clusters_ : int
    objective_ : float
        Σ‖x − μ‖², in squared units of the data; 2016 eq. 1 is half of it.
    n_iter_ : int
    converged_ : bool
    trace_ : Trace
    """

    _algorithm = "kmeans"

    def __init__(
        self,
        n_clusters: int = 3,
        init: Any = "kmeans++",
        n_init: int = 10,
        max_sweeps: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_sweeps = max_sweeps
        self.random_state = random_state


class DPMeans(_CentreClusterer):
    """DP-means (Kulis & Jordan 2012): K-means that opens a cluster when all centres are further than √λ away.

    Parameters
    ----------
    penalty : float
        λ > 0, the cost of a cluster, in squared units of the data.
    sweep : {"full", "until_birth"}
        Whether a sweep continues after a cluster is born; ``"until_birth"`` is 2014 paper, Sec. 4.2.
    init : {"single", "kmeans++", "random"} or array
        One cluster at the global mean, or a partition to start from.
    init_clusters : int, optional
        Clusters of ``"kmeans++"`` and ``"random"``; 3 by default.
    n_init : int
        Restarts; the lowest Σ‖x − μ‖² + λK wins. They differ only if the order or the start is random.
    max_sweeps : int
    order : {"index", "permuted", "shuffled"}
    random_state : None, int, RandomState or Generator

    Attributes
    ----------
    labels_ : ndarray (N,) int64
    cluster_centers_ : ndarray (K, D)
    n_clusters_ : int
    objective_ : float
        Σ‖x − μ‖² + λK, in squared units of the data.
    n_iter_ : int
    converged_ : bool
    trace_ : Trace
    """

    _algorithm = "dpmeans"

    def __init__(
        self,
        penalty: float = 4.0,
        sweep: str = "full",
        init: Any = "single",
        init_clusters: int | None = None,
        n_init: int = 1,
        max_sweeps: int = 500,
        order: str = "index",
        random_state: Any = None,
    ) -> None:
        self.penalty = penalty
        self.sweep = sweep
        self.init = init
        self.init_clusters = init_clusters
        self.n_init = n_init
        self.max_sweeps = max_sweeps
        self.order = order
        self.random_state = random_state
