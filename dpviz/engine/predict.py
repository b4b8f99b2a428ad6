"""New points under a partition: log weight and log predictive of every cluster and of a new one (2016 App. E).

Partition priors of product form are laws at a fixed number of points, and those for N and for N + 1 points do not agree
on the first N. The weights for one more point are those of the law at N + 1 given the partition of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.contributions import Contributions
from dpviz.engine.kernels.collapsed_sweep import rebuild_slots, score_places
from dpviz.engine.problem import Problem
from dpviz.families.base import ClusterSummary, Family
from dpviz.families.coarsened import Coarsened
from dpviz.families.directions import InDirections
from dpviz.families.gaps import WithGaps
from dpviz.families.imputation import log_predictive_of_cells


class PartitionPredictive:
    """The mixture predictive of a partition of the training points.

    Parameters
    ----------
    problem : Problem
        Training data and model.
    labels : ndarray (N,)
        0 … K − 1, each present.

    Attributes
    ----------
    log_seat_weights : ndarray (K + 1,)
        Log of what the prior counts for one more point: under the Chinese restaurant process the size of each cluster,
        and last N0.
    log_weights : ndarray (K + 1,)
        The same as log probabilities.
    """

    def __init__(self, problem: Problem, labels: IntArray) -> None:
        self._problem, self._labels = problem, labels
        self._sizes = np.append(np.bincount(labels), 0).astype(np.int64)
        self.n_clusters = len(self._sizes) - 1
        if problem.coarsening is None:
            working = problem.working
            self._state = working.family.bind(working.X, self.n_clusters + 1)
            # a copy can be written to, as the labels of sweeps: for others the kernel would be compiled once more
            rebuild_slots(self._state, working.X, labels.astype(np.int64), self._sizes, self.n_clusters)
        self.log_seat_weights = problem.partition.log_seat_weights(self._sizes[:-1])
        self.log_weights = self.log_seat_weights - logsumexp(self.log_seat_weights)

    def log_scores(self, X: FloatArray) -> FloatArray:
        """Log of weight × predictive (nats) of each row of X (n, D) in every cluster, last a new one: (n, K + 1)."""
        return np.asarray(self.log_predictives(X) + self.log_weights)

    def log_predictives(self, X: FloatArray) -> FloatArray:
        """Log predictive (nats) of each row of X (n, D) in every cluster, last a new one: (n, K + 1)."""
        if self._problem.coarsening is not None:
            return self._log_predictives_of_whole_points(X)
        working = self._problem.working
        scores = np.empty((len(X), self.n_clusters + 1))
        gaps = np.isnan(X).any(axis=1) & (not isinstance(working.family, WithGaps))
        whole = np.empty((int(np.sum(~gaps)), self.n_clusters + 1))
        score_places(self._state, working.transform(X[~gaps]), self._sizes, self.n_clusters, whole)
        scores[~gaps] = whole + working.log_jacobian
        if gaps.any():
            scores[gaps] = self._log_predictives_of_cells(X[gaps])
        return scores

    def _log_predictives_of_whole_points(self, X: FloatArray) -> FloatArray:
        """Log predictive (nats, (n, K + 1)) of rows under coarsened posteriors, in which the rows count in full."""
        model, data, transform = self._problem.model, self._problem.X, self._problem.working.transform
        posteriors = [model.posterior(data[self._labels == k]) for k in range(self.n_clusters + 1)]
        if isinstance(model, InDirections):  # the others' part differs from row to row, and is added later
            beyond = model.beyond(X)
            return np.column_stack([posterior.log_predictive(X) - beyond for posterior in posteriors])
        assert isinstance(model, Coarsened)
        whole = ~np.isnan(X).any(axis=1) | isinstance(model.own, WithGaps)
        transform(X[whole])  # for its checks of what has a density
        scores = np.empty((len(X), len(posteriors)))
        for k, posterior in enumerate(posteriors):
            assert isinstance(posterior, Coarsened)
            scores[whole, k] = posterior.log_predictive(X[whole])
            if isinstance(posterior.own, Family):
                scores[~whole, k] = log_predictive_of_cells(posterior.own, X[~whole])
        return scores

    def contributions(self, X: FloatArray) -> Contributions | None:
        """Return the terms of the scores of X (n, D); None if the family has no terms of single columns."""
        gaps = np.isnan(X)
        filled = np.where(gaps, self._problem.X[0], X) if gaps.any() else X  # a column's own uses no other cell
        model = self._problem.model
        columns = []
        for k in range(self.n_clusters + 1):
            posterior = model.posterior(self._problem.X[self._labels == k])
            own = model.own if isinstance(model, Coarsened) else model
            found = posterior.marginal_log_densities(X if isinstance(own, WithGaps) else filled)
            if found is None:
                return None
            columns.append(np.where(gaps, 0.0, found) if gaps.any() else found)
        return Contributions.of(np.stack(columns, axis=1), self.log_predictives(X), self.log_weights)

    def _log_predictives_of_cells(self, X: FloatArray) -> FloatArray:
        """Log predictive (nats, (n, K + 1)) of the present cells of rows, if columns depend on each other."""
        family, data = self._problem.family, self._problem.X
        posteriors = [family.posterior(data[self._labels == k]) for k in range(self.n_clusters + 1)]
        return np.column_stack([log_predictive_of_cells(posterior, X) for posterior in posteriors])


class PartitionFit:
    """A finished run of partitions that predicts new points.

    Parameters
    ----------
    problem : Problem
        Training data and model.
    labels : ndarray (N,)
        The result.
    draws : ndarray (S, N)
        Partitions over which densities are averaged.
    problem_of : callable, optional
        From a problem and the position of a draw to the problem of that draw, if missing cells are filled in or
        hyperparameters are learned, which differ between draws: each is scored with its own.
    common : Problem, optional
        Problem that ``problem_of`` gets; ``problem`` by default.
    """

    def __init__(
        self,
        problem: Problem,
        labels: IntArray,
        draws: NDArray[Any],
        problem_of: Callable[[Problem, int], Problem] | None = None,
        common: Problem | None = None,
    ) -> None:
        self._problem, self._labels, self._draws = problem, labels, draws
        self._problem_of, self._common = problem_of, problem if common is None else common

    @property
    def opens_clusters(self) -> bool:
        """The last candidate is a new cluster, even where the prior gives it no weight."""
        return True

    @property
    def log_weights(self) -> FloatArray:
        """Log probability (K + 1,) that one more point joins each cluster, last a new one, before it is seen."""
        return PartitionPredictive(self._problem, self._labels).log_weights

    def log_scores(self, X: FloatArray) -> FloatArray:
        """Log of weight × predictive (nats) of each row of X (n, D) in every cluster, last a new one: (n, K + 1)."""
        return PartitionPredictive(self._problem.meeting(X), self._labels).log_scores(X)

    def contributions(self, X: FloatArray) -> Contributions | None:
        """Return the terms of the scores of X (n, D); None if the family has no terms of single columns."""
        return PartitionPredictive(self._problem.meeting(X), self._labels).contributions(X)

    def predict(self, X: FloatArray) -> IntArray:
        """Most probable cluster (n,) of each row of X (n, D), −1 for a new one (2016 App. E, second way)."""
        scores = self.log_scores(X)
        best = np.argmax(scores, axis=1)
        return np.where(best == scores.shape[1] - 1, -1, best)

    def probabilities(self, X: FloatArray) -> FloatArray:
        """Probability (n, K + 1) of every cluster, and last of a new one, for each row of X (n, D) (2016 App. E)."""
        return np.asarray(softmax(self.log_scores(X), axis=1))

    def summaries(self) -> list[ClusterSummary]:
        """Posterior of every cluster of the result, given its cells as they were filled in, or those that there are."""
        X, model = self._problem.X, self._problem.model
        return [model.summarise(X[self._labels == k]) for k in range(self._labels.max() + 1)]

    def weights(self) -> FloatArray:
        """Probability (K,) that one more point joins each cluster before it is seen; the rest is that of a new one."""
        return np.exp(self.log_weights[:-1])

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log of the mean density (nats, n) over the draws, for each row of X (n, D) (2016 App. E)."""
        total, common = np.full(len(X), -np.inf), self._common.meeting(X)
        for position, draw in enumerate(self._draws):
            problem = common if self._problem_of is None else self._problem_of(common, position)
            predictive = PartitionPredictive(problem, draw.astype(np.int64))
            total = np.logaddexp(total, logsumexp(predictive.log_scores(X), axis=1))
        return np.asarray(total - np.log(len(self._draws)))
