"""Sweeps over a few clusters only, with which a search tries changes of whole clusters at low cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed import NO_EVENTS, CollapsedSweeper
from dpviz.engine.kernels.collapsed_sweep import N_BORN, N_DIED, N_HIDDEN, N_MOVED, N_OPEN, rebuild_slots
from dpviz.families.verbs import log_marginal, log_predictive, rebuild

_NO_UNIFORMS = np.empty(0)


@kernel
def rebuild_and_score(state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, n_clusters: int) -> float:
    """Compute the statistics of all clusters from the data, and return Σ ln m(X_k) in nats."""
    rebuild(state, X, labels, sizes, n_clusters, 0)
    total = 0.0
    for k in range(n_clusters):
        total += log_marginal(state, k, sizes[k])
    return total


@kernel
def _weigh(
    state: Any, X: FloatArray, i: int, sizes: IntArray, n_clusters: int, log_join: FloatArray, scores: FloatArray
) -> None:
    """Fill ``scores`` with the score of every cluster for point i as one more member."""
    for k in range(n_clusters):
        scores[k] = log_predictive(state, X, i, k, sizes[k]) + log_join[sizes[k]]


class LocalSweeper(CollapsedSweeper):
    """A collapsed sweeper that can leave most points and clusters alone; ``nll`` is kept, ``objective`` is not.

    Attributes
    ----------
    n_weighed : int
        Number of scores of a point in a cluster so far: the work done.
    """

    n_weighed = 0

    def load(self, labels: IntArray) -> None:
        """Adopt a partition as :meth:`assign` does, but leave ``nll`` unknown until it settles or descends."""
        self._take(labels)
        rebuild_slots(self.state, self.X, self.labels, self.sizes, self.n_clusters)
        self.nll = np.nan

    def rivals(self, i: int) -> IntArray:
        """Return the clusters (K − 1,) other than a point's own by their score for it, the best first."""
        scores = np.empty(self.n_clusters)
        _weigh(self.state, self.X, i, self.sizes, self.n_clusters, self.tables.log_join, scores)
        self.n_weighed += self.n_clusters
        scores[self.labels[i]] = -np.inf
        return np.argsort(-scores, kind="stable")[:-1]

    def refine(
        self, points: IntArray, slots: IntArray, random_state: np.random.Generator, temperature: float = 0.0
    ) -> tuple[int, IntArray]:
        """Visit some points in random order; they may join only these clusters, and new ones.

        Between calls labels are slots, of which some may be empty; :meth:`settle` ends it.

        Parameters
        ----------
        points : ndarray (n,)
            Members of the clusters in ``slots``.
        slots : ndarray (k,)
        random_state : Generator
        temperature : float

        Returns
        -------
        n_moved : int
        slots : ndarray
            Present clusters of the points.
        """
        n_hidden = int(np.count_nonzero(self.sizes[:-1])) - len(slots)
        self._active[: len(slots)] = slots
        n_moved = self._pass(random_state.permutation(points), len(slots), n_hidden, random_state, temperature)
        return n_moved, self._active[: self._counters[N_OPEN]].copy()

    def settle(self) -> None:
        """Renumber the clusters 0 … K − 1 and rebuild their statistics from the data."""
        slots = np.flatnonzero(self.sizes[:-1])
        self._active[: len(slots)] = slots
        self.n_clusters = len(slots)
        self._close()

    def descend(self, random_state: np.random.Generator, most_sweeps: int) -> bool:
        """Sweep all points at temperature 0 until none moves; return whether that happened within this many sweeps."""
        still = False
        for _ in range(most_sweeps):
            order = random_state.permutation(len(self.labels))
            still = not self._pass(order, self.n_clusters, 0, random_state, 0.0)
            self.n_clusters = int(self._counters[N_OPEN])
            if still:
                break
        self._close()
        return still

    def _pass(
        self, order: IntArray, n_open: int, n_hidden: int, random_state: np.random.Generator, temperature: float
    ) -> int:
        """Visit ``order`` with the first ``n_open`` active clusters in sight; return how many points moved."""
        counters = self._counters
        counters[N_OPEN], counters[N_HIDDEN] = n_open, n_hidden
        counters[N_MOVED] = counters[N_BORN] = counters[N_DIED] = 0
        self.n_weighed += len(order) * (n_open + 1)
        self.inverse_temperature = 1.0 / temperature if temperature else 0.0
        uniforms = random_state.random(len(order)) if temperature else _NO_UNIFORMS
        position = self._visit(order, uniforms, NO_EVENTS, 0)
        while position < len(order):
            self._grow()
            position = self._visit(order, uniforms, NO_EVENTS, position)
        counters[N_HIDDEN] = 0
        self.inverse_temperature = 0.0
        return int(counters[N_MOVED])

    def _close(self) -> None:
        """Make the active slots the clusters 0 … K − 1, with statistics from the data, and score them."""
        self._compact()
        log_likelihood = rebuild_and_score(self.state, self.X, self.labels, self.sizes, self.n_clusters)
        log_prior = self.tables.log_probability(self.sizes[: self.n_clusters])
        self.nll = -float(log_prior + log_likelihood + len(self.X) * self.log_jacobian)
