"""E-M for the Gaussian mixture (2016 Sec. 2.1), one step of scikit-learn's GaussianMixture at a time."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from dpviz.engine.collapsed import Moves
from dpviz.families.base import FloatArray, IntArray

TOLERANCE = 1e-6
"""E-M has converged when the log likelihood gains less than this per point (nats)."""
REGULARISATION = 1e-6
"""Added to every variance, in units of the largest column's: keeps a component from collapsing onto a point."""


class MixtureStepper:
    """Full-covariance Gaussian mixture fitted by E-M.

    Parameters
    ----------
    X : ndarray (N, D)
        Centred data of unit order.
    labels : ndarray (N,)
        Starting partition, 0 … K − 1; its weights, means and covariances are the initial parameters.
    log_jacobian : float
        Added per point to the log density, to speak of the user's units (nats).
    """

    def __init__(self, X: FloatArray, labels: IntArray, log_jacobian: float) -> None:
        self.X, self._log_jacobian = X, log_jacobian
        weights, means, precisions = _moments(X, labels)
        self.model = GaussianMixture(
            len(weights),
            warm_start=True,
            max_iter=1,
            reg_covar=REGULARISATION,
            weights_init=weights,
            means_init=means,
            precisions_init=precisions,
        )
        # the estimator becomes usable before its first step: sweep 0 shows the initial parameters
        self.model.weights_, self.model.means_ = weights, means
        self.model.precisions_cholesky_ = np.array([np.linalg.cholesky(precision) for precision in precisions])
        self.model.covariances_ = np.linalg.inv(precisions)
        self.model.n_features_in_ = X.shape[1]
        self.labels = labels
        self.converged = False
        self._score()

    def _score(self) -> None:
        self.objective = -float(np.sum(self.model.score_samples(self.X))) - len(self.X) * self._log_jacobian
        self.labels = self.model.predict(self.X).astype(np.int64)

    def sweep(self) -> Moves:
        """One expectation and one maximisation step."""
        labels, objective = self.labels, self.objective
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=ConvergenceWarning)  # one step never converges
            self.model.fit(self.X)
        self._score()
        self.converged = objective - self.objective < TOLERANCE * len(self.X)
        before, after = np.unique(labels), np.unique(self.labels)
        return Moves(
            int(np.count_nonzero(labels != self.labels)),
            len(np.setdiff1d(after, before)),
            len(np.setdiff1d(before, after)),
        )


def _moments(X: FloatArray, labels: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, means and precisions of a partition; clusters too small for a covariance borrow the pooled one."""
    n_points, n_features = X.shape
    n_clusters = int(labels.max()) + 1
    ridge = REGULARISATION * np.eye(n_features)
    means = np.array([X[labels == k].mean(axis=0) for k in range(n_clusters)])
    residuals = X - means[labels]
    pooled = residuals.T @ residuals / n_points + ridge
    covariances = []
    for k in range(n_clusters):
        own = residuals[labels == k]
        covariances.append(own.T @ own / len(own) + ridge if len(own) > n_features else pooled)
    precisions = np.linalg.inv(np.array(covariances))
    return np.bincount(labels) / n_points, means, (precisions + precisions.transpose(0, 2, 1)) / 2
