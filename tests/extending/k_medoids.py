"""K-medoids from outside: every cluster is represented by one of its points (Kaufman & Rousseeuw 1990, ch. 2)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.algorithms.base import Algorithm, Refusal, register
from dpviz.engine.initialise import StartKind, starting_labels
from dpviz.engine.moves import Moves, Score
from dpviz.engine.options import MAX_SWEEPS, N_CLUSTERS, N_INIT, SEED
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.parameters import Parameter

PENALTY = Parameter(
    name="outlier_distance",
    explanation="Distances beyond this one count as this: far points pull at no medoid.",
    default=1e6,
    lower=0.0,
    log=True,
    around=(1000.0, 10.0),
)
"""Its usual values depend on the data, see ``KMedoids.typical``."""


def distances(X: FloatArray, medoids: FloatArray, limit: float) -> FloatArray:
    """Euclidean distances (n, K) of the points X (n, D) to medoids (K, D), at most the limit."""
    return np.asarray(np.minimum(np.linalg.norm(X[:, None, :] - medoids, axis=2), limit))


class MedoidStepper:
    """One start."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        config = problem.config
        self._X, self._limit, self._n_clusters = problem.X, config.option("outlier_distance"), config.n_clusters
        self._labels = starting_labels(problem, kind, np.arange(len(self._X)), random_state)
        self._medoids = np.zeros(self._n_clusters, dtype=np.int64)
        self._choose(range(self._n_clusters))

    def _choose(self, clusters: Any) -> None:
        """Take the most central member of each cluster."""
        for k in clusters:
            members = np.flatnonzero(self._labels == k)
            total = distances(self._X[members], self._X[members], self._limit).sum(axis=0)
            self._medoids[k] = members[total.argmin()]

    def score(self) -> Score:
        """Sum of the distances to the medoids; there is no nll."""
        sizes = np.bincount(self._labels, minlength=self._n_clusters)
        own = distances(self._X, self._X[self._medoids], self._limit)[np.arange(len(self._X)), self._labels]
        return Score(self._labels.copy(), sizes, int(np.count_nonzero(sizes)), np.nan, float(own.sum()))

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """Assign every point to the nearest medoid, the present one among equals, then choose medoids anew."""
        before, everyone = self._labels, np.arange(len(self._X))
        cost = distances(self._X, self._X[self._medoids], self._limit)
        nearest = cost.argmin(axis=1)
        self._labels = np.where(cost[everyone, nearest] < cost[everyone, before], nearest, before)
        self._choose(np.unique(self._labels))
        was = np.bincount(before, minlength=self._n_clusters)
        present = np.bincount(self._labels, minlength=self._n_clusters)
        n_moved = int(np.count_nonzero(self._labels != before))
        n_born, n_died = int(np.sum((was == 0) & (present > 0))), int(np.sum((was > 0) & (present == 0)))
        return Moves(n_moved, n_born, n_died), n_moved == 0


class FittedMedoids:
    """A finished run, for points that it has not seen.

    Parameters
    ----------
    problem : Problem
    trace : Trace
    """

    def __init__(self, problem: Problem, trace: Trace) -> None:
        X, labels, limit = problem.X, trace.result_labels, problem.config.option("outlier_distance")
        self._present = np.unique(labels)
        groups = [X[labels == k] for k in self._present]
        self._medoids = np.array([own[distances(own, own, limit).sum(axis=0).argmin()] for own in groups])

    def predict(self, X: FloatArray) -> IntArray:
        """Nearest medoid (n,) of each row of X (n, D)."""
        return np.asarray(self._present[distances(X, self._medoids, np.inf).argmin(axis=1)])

    def log_density(self, X: FloatArray) -> FloatArray:
        """Medoids have no density: raise ``InvalidParameterError``."""
        return Refusal(KMedoids.name).log_density(X)


@register
class KMedoids(Algorithm):
    """Alternate between nearest medoids and most central members, with K fixed."""

    name = "k_medoids"
    title = "K-medoids"
    explanation = "Like K-means, but every cluster is represented by one of its points, and distances are not squared."
    options = (N_CLUSTERS, PENALTY, N_INIT, MAX_SWEEPS, SEED)
    main = ("n_clusters",)
    starts = ("kmeans++", "random")
    defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({"init": "kmeans++", "n_init": 5, "max_sweeps": 100})
    cluster_count = "n_clusters"
    objective = "Σ‖x − medoid‖"

    def typical(self, option: str, X: FloatArray) -> float | None:
        """Three times the mean distance from the centre of all data."""
        if option != PENALTY.name:
            return None
        return 3 * float(np.linalg.norm(X - X.mean(axis=0), axis=1).mean()) or 1.0

    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> MedoidStepper:
        """Begin one start."""
        return MedoidStepper(problem, kind, random_state)

    def fitted(self, problem: Problem, trace: Trace) -> FittedMedoids:
        """Return the medoids."""
        return FittedMedoids(problem, trace)

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return one start."""
        return ({"n_init": 1},)
