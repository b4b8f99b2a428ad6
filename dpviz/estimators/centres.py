"""K-means and DP-means."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.engine.kernels.hard import nearest_centres
from dpviz.engine.problem import Problem
from dpviz.estimators.base import TracedClusterer
from dpviz.families.base import FloatArray, IntArray


class _CentreClusterer(TracedClusterer):
    """A clusterer whose clusters are their means."""

    cluster_centers_: FloatArray
    objective_: float

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster X (N, D); see :meth:`TracedClusterer.fit`."""
        super().fit(X, y)
        data, labels = self._fit_data, self.labels_
        n_rows = int(labels.max()) + 1
        self.objective_ = float(self.trace_.objective[-1])
        present = np.flatnonzero(np.bincount(labels, minlength=n_rows))
        self.labels_ = np.searchsorted(present, labels)
        self.cluster_centers_ = np.array([data[labels == k].mean(axis=0) for k in present])
        self._problem = Problem(data, self.trace_.config)
        del self._fit_data
        return self

    def _nearest(self, X: Any) -> tuple[IntArray, FloatArray]:
        """Nearest centre of each row and its squared distance in units of the fitted data's scale."""
        data = self._validated(X, reset=False)
        origin, scale = self._problem.X.mean(axis=0), self._problem.scale
        points = np.ascontiguousarray((data - origin) / scale)
        centres = np.ascontiguousarray((self.cluster_centers_ - origin) / scale)
        nearest = nearest_centres(points, centres)
        return nearest, np.asarray(np.sum((points - centres[nearest]) ** 2, axis=1))


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
        Σ‖x − μ‖², in squared units of the data.
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

    def predict(self, X: Any) -> IntArray:
        """Nearest centre (n,) of each row of X (n, D)."""
        return self._nearest(X)[0]


class DPMeans(_CentreClusterer):
    """DP-means (Kulis & Jordan 2012): K-means that opens a cluster when all centres are further than √λ away.

    Parameters
    ----------
    penalty : float
        λ > 0, the cost of a cluster, in squared units of the data.
    sweep : {"full", "until_birth"}
        Whether a sweep goes on after a cluster is born; ``"until_birth"`` is 2014 paper, Sec. 4.2.
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

    def predict(self, X: Any) -> IntArray:
        """Nearest centre (n,) of each row of X (n, D), or −1 where all are further than √λ: a new cluster."""
        nearest, squared = self._nearest(X)
        return np.where(squared > self.trace_.config.penalty / self._problem.scale**2, -1, nearest)
