"""The Gaussian mixture by E-M."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.engine.initialise import start_kinds
from dpviz.engine.problem import Problem
from dpviz.engine.steppers import EMStepper
from dpviz.estimators.base import TracedClusterer
from dpviz.families.base import FloatArray, IntArray


class GaussianEM(TracedClusterer):
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
        problem, start = Problem(self._fit_data, self.trace_.config), self.trace_.chosen_start
        random_state = np.random.default_rng([problem.config.seed, start])
        stepper = EMStepper(problem, start_kinds(problem)[start], random_state)
        for _ in range(self.trace_.n_sweeps):  # the trace keeps assignments; the parameters are had by stepping again
            stepper.step(0)
        self._mixture, self._problem = stepper.mixture.model, problem
        self.objective_ = float(self.trace_.objective[-1])
        self._components, self.labels_ = np.unique(self.labels_, return_inverse=True)
        del self._fit_data
        return self

    def _working(self, X: Any) -> FloatArray:
        data = self._validated(X, reset=False)
        return np.asarray((data - self._problem.X.mean(axis=0)) / self._problem.scale)

    def predict(self, X: Any) -> IntArray:
        """Most probable of the clusters in ``labels_`` (n,) for each row of X (n, D)."""
        points = self._working(X)
        responsibilities = self._mixture.predict_proba(points)[:, self._components]
        return np.argmax(responsibilities, axis=1).astype(np.int64)

    def score_samples(self, X: Any) -> FloatArray:
        """Log density (nats, n) of each row of X (n, D) under the mixture."""
        points = self._working(X)
        log_jacobian = -points.shape[1] * np.log(self._problem.scale)
        return np.asarray(self._mixture.score_samples(points) + log_jacobian)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of :meth:`score_samples`."""
        return float(np.mean(self.score_samples(X)))
