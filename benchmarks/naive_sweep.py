"""A plain numpy collapsed sweep, to measure the engine against: remove, score all clusters at once, add.

Sums and scatter matrices are updated with every point, and the inverse of the cluster that changed is computed anew;
scores of one point are vectorised over the clusters. Everything else is as a first careful version would have it.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


class NaiveSweep:
    """Normal–Wishart clusters under a Chinese restaurant.

    Parameters
    ----------
    X : ndarray (N, D)
    labels : ndarray (N,)
        0 … K − 1, each present.
    m0, c0, a0, psi0
        Hyperparameters of the normal–Wishart.
    concentration : float
    """

    def __init__(self, X, labels, m0, c0, a0, psi0, concentration):
        self.X, self.labels = X, np.array(labels)
        self.c0, self.a0, self.log_concentration = c0, a0, np.log(concentration)
        n_clusters = int(self.labels.max()) + 1
        self.first_moment0 = c0 * m0
        self.second_moment0 = psi0 + c0 * np.outer(m0, m0)
        self.sizes = np.bincount(self.labels).astype(float)
        members = [X[self.labels == k] for k in range(n_clusters)]
        self.first_moments = np.array([self.first_moment0 + x.sum(axis=0) for x in members])
        self.second_moments = np.array([self.second_moment0 + x.T @ x for x in members])
        empty = (0.0, self.first_moment0, self.second_moment0)
        clusters = [*zip(self.sizes, self.first_moments, self.second_moments, strict=True), empty]
        means, precisions, log_determinants = zip(*(self._posterior(*cluster) for cluster in clusters), strict=True)
        self.means, self.precisions = np.array(means), np.array(precisions)  # the last row is an empty cluster
        self.log_determinants = np.array(log_determinants)

    def _posterior(self, size, first_moment, second_moment):
        c = self.c0 + size
        mean = first_moment / c
        psi = second_moment - c * np.outer(mean, mean)
        return mean, np.linalg.inv(psi), np.linalg.slogdet(psi)[1]

    def _refresh(self, k):
        posterior = self._posterior(self.sizes[k], self.first_moments[k], self.second_moments[k])
        self.means[k], self.precisions[k], self.log_determinants[k] = posterior

    def _shift(self, k, x, sign):
        self.sizes[k] += sign
        self.first_moments[k] += sign * x
        self.second_moments[k] += sign * np.outer(x, x)
        if self.sizes[k] > 0:
            self._refresh(k)

    def _drop(self, k):
        for name in ("sizes", "first_moments", "second_moments", "means", "precisions", "log_determinants"):
            setattr(self, name, np.delete(getattr(self, name), k, axis=0))
        self.labels[self.labels > k] -= 1

    def _open(self):
        last = len(self.sizes)
        self.sizes = np.append(self.sizes, 0.0)
        self.first_moments = np.concatenate([self.first_moments, self.first_moment0[None]])
        self.second_moments = np.concatenate([self.second_moments, self.second_moment0[None]])
        for name in ("means", "precisions", "log_determinants"):
            values = getattr(self, name)
            setattr(self, name, np.concatenate([values, values[last : last + 1]]))

    def _scores(self, x):
        sizes = np.append(self.sizes, 0.0)
        n_features = len(x)
        c, a = self.c0 + sizes, self.a0 + sizes
        delta = x - self.means
        squared = np.einsum("kd,kde,ke->k", delta, self.precisions, delta)
        log_predictive = (
            gammaln((a + 1) / 2)
            - gammaln((a - n_features + 1) / 2)
            - 0.5 * n_features * np.log(np.pi * (c + 1) / c)
            - 0.5 * self.log_determinants
            - 0.5 * (a + 1) * np.log1p(c / (c + 1) * squared)
        )
        return log_predictive + np.append(np.log(self.sizes), self.log_concentration)

    def sweep(self, order, random_state=None):
        """Visit the points of ``order``; take the mode, or sample if there is a ``random_state``."""
        for i in order:
            x, k = self.X[i], self.labels[i]
            self.labels[i] = -1
            self._shift(k, x, -1)
            if self.sizes[k] == 0:
                self._drop(k)
            scores = self._scores(x)
            if random_state is None:
                chosen = int(np.argmax(scores))
            else:
                cumulative = np.cumsum(np.exp(scores - scores.max()))
                chosen = int(np.searchsorted(cumulative, random_state.random() * cumulative[-1], side="right"))
            if chosen == len(self.sizes):
                self._open()
            self.labels[i] = chosen
            self._shift(chosen, x, 1)
