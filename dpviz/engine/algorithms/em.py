"""E-M for the Gaussian mixture (2016 Sec. 2.1), a step at a time.

scikit-learn's GaussianMixture would weigh every point four times for one recorded step; here it only predicts.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.mixture import GaussianMixture

from dpviz.engine.kernels.collapsed import Moves
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

    Attributes
    ----------
    labels : ndarray (N,)
        Most responsible component of every point.
    objective : float
        −ln p(X | parameters) (2016 eq. 5), nats.
    converged : bool
    """

    def __init__(self, X: FloatArray, labels: IntArray, log_jacobian: float) -> None:
        self.X, self._log_jacobian = X, log_jacobian
        self._weights, self._means, covariances = _moments(X, labels)
        self._roots = _precision_roots(covariances)
        self.converged = False
        self._expect()

    @property
    def n_components(self) -> int:
        """Number of components K, empty ones included."""
        return len(self._weights)

    @property
    def model(self) -> GaussianMixture:
        """The present parameters as a fitted estimator of scikit-learn."""
        model = GaussianMixture(self.n_components)
        model.weights_, model.means_, model.precisions_cholesky_ = self._weights, self._means, self._roots
        model.precisions_ = self._roots @ self._roots.transpose(0, 2, 1)
        model.covariances_ = np.linalg.inv(model.precisions_)
        model.n_features_in_ = self.X.shape[1]
        return model

    def _expect(self) -> None:
        """E step: responsibilities (N, K), and what is told of the present parameters."""
        n_points, n_features = self.X.shape
        log_joint = np.empty((n_points, self.n_components))
        for k, (mean, root) in enumerate(zip(self._means, self._roots, strict=True)):
            scaled = (self.X - mean) @ root
            log_joint[:, k] = np.sum(np.log(np.diagonal(root))) - 0.5 * np.einsum("nd,nd->n", scaled, scaled)
        log_joint += np.log(self._weights) - 0.5 * n_features * np.log(2 * np.pi)
        self.labels = np.argmax(log_joint, axis=1)
        highest = np.take_along_axis(log_joint, self.labels[:, None], axis=1)
        shares = np.exp(log_joint - highest)
        totals = np.sum(shares, axis=1)
        self._responsibilities = shares / totals[:, None]
        self.objective = -float(np.sum(highest) + np.sum(np.log(totals))) - n_points * self._log_jacobian

    def _maximise(self) -> None:
        """M step."""
        counts = np.sum(self._responsibilities, axis=0) + 10 * np.finfo(np.float64).eps  # never 0
        self._weights = counts / np.sum(counts)
        self._means = self._responsibilities.T @ self.X / counts[:, None]
        covariances = np.empty((self.n_components, self.X.shape[1], self.X.shape[1]))
        for k, mean in enumerate(self._means):
            residuals = self.X - mean
            covariances[k] = (self._responsibilities[:, k] * residuals.T) @ residuals / counts[k]
        self._roots = _precision_roots(covariances + REGULARISATION * np.eye(self.X.shape[1]))

    def sweep(self) -> Moves:
        """One maximisation step, and the expectation that follows from it."""
        labels, objective = self.labels, self.objective
        self._maximise()
        self._expect()
        self.converged = objective - self.objective < TOLERANCE * len(self.X)
        before = np.bincount(labels, minlength=self.n_components) > 0
        after = np.bincount(self.labels, minlength=self.n_components) > 0
        return Moves(
            int(np.count_nonzero(labels != self.labels)),
            int(np.count_nonzero(after & ~before)),
            int(np.count_nonzero(before & ~after)),
        )


def _precision_roots(covariances: FloatArray) -> FloatArray:
    """Upper triangular R (K, D, D) with R Rᵀ the inverse of each covariance."""
    identity = np.eye(covariances.shape[1])
    return np.array([solve_triangular(factor, identity, lower=True).T for factor in np.linalg.cholesky(covariances)])


def _moments(X: FloatArray, labels: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights, means and covariances of a partition; clusters too small for a covariance borrow the pooled one."""
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
    return np.bincount(labels) / n_points, means, np.array(covariances)
