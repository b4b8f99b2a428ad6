"""An algorithm from outside: K-medians, whose centres move part of the way to the medians of their points.

It has no model: no density, no explanation of assignments, no shapes, no slow motion.
"""

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
from dpviz.estimators.base import TracedClusterer
from dpviz.parameters import Parameter

STEP = Parameter(
    name="step",
    explanation="How far a centre moves, in one sweep, towards the median of its points: 1 is all the way.",
    default=1.0,
    lower=0.0,
    upper=1.0,
    explore=(0.05, 1.0),
)
"""An option that is no field of ``RunConfig``: configurations keep it in their ``options``."""


def distances(X: FloatArray, centres: FloatArray) -> FloatArray:
    """City-block distances (n, K) of the points X (n, D) to the centres (K, D)."""
    return np.asarray(np.abs(X[:, None, :] - centres).sum(axis=2))


class ToyStepper:
    """One start."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        config = problem.config
        self._X, self._step, self._n_clusters = problem.X, config.option("step"), config.n_clusters
        self._labels = starting_labels(problem, kind, np.arange(len(self._X)), random_state)
        self._centres = np.array([np.median(self._X[self._labels == k], axis=0) for k in range(self._n_clusters)])

    def score(self) -> Score:
        """Sum of the distances to the centres; there is no nll."""
        sizes = np.bincount(self._labels, minlength=self._n_clusters)
        own = distances(self._X, self._centres)[np.arange(len(self._X)), self._labels]
        return Score(self._labels.copy(), sizes, int(np.count_nonzero(sizes)), np.nan, float(own.sum()))

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """Assign every point to the nearest centre, then move the centres; both lower the objective."""
        before, everyone = self._labels, np.arange(len(self._X))
        cost = distances(self._X, self._centres)
        nearest = cost.argmin(axis=1)
        self._labels = np.where(cost[everyone, nearest] < cost[everyone, before], nearest, before)
        shift = 0.0
        for k in np.unique(self._labels):
            move = self._step * (np.median(self._X[self._labels == k], axis=0) - self._centres[k])
            self._centres[k] += move
            shift = max(shift, float(np.abs(move).max()))
        present, was = np.bincount(self._labels, minlength=self._n_clusters), np.bincount(before)
        was = np.append(was, np.zeros(self._n_clusters - len(was), dtype=np.int64))
        n_moved = int(np.count_nonzero(self._labels != before))
        moves = Moves(n_moved, int(np.sum((was == 0) & (present > 0))), int(np.sum((was > 0) & (present == 0))))
        return moves, n_moved == 0 and shift <= 1e-9 * float(np.ptp(self._X))


class ToyCentres:
    """A finished run, for points that it has not seen.

    Parameters
    ----------
    problem : Problem
    trace : Trace
    """

    def __init__(self, problem: Problem, trace: Trace) -> None:
        labels = trace.result_labels
        self._present = np.unique(labels)
        self._centres = np.array([np.median(problem.X[labels == k], axis=0) for k in self._present])

    def predict(self, X: FloatArray) -> IntArray:
        """Nearest median (n,) of each row of X (n, D)."""
        return np.asarray(self._present[distances(X, self._centres).argmin(axis=1)])

    def log_density(self, X: FloatArray) -> FloatArray:
        """Medians have no density: raise ``InvalidParameterError``."""
        return Refusal(ToyMedians.name).log_density(X)


@register
class ToyMedians(Algorithm):
    """Alternate between nearest centres and medians, with K fixed."""

    name = "toy_medians"
    title = "Toy medians"
    explanation = "Like K-means, but with medians for means and city blocks for straight lines."
    options = (N_CLUSTERS, STEP, N_INIT, MAX_SWEEPS, SEED)
    main = ("n_clusters", "step")
    starts = ("kmeans++", "random")
    defaults: ClassVar[Mapping[str, Any]] = MappingProxyType({"init": "kmeans++", "n_init": 3, "max_sweeps": 500})
    cluster_count = "n_clusters"
    objective = "Σ|x − median|"

    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> ToyStepper:
        """Begin one start."""
        return ToyStepper(problem, kind, random_state)

    def fitted(self, problem: Problem, trace: Trace) -> ToyCentres:
        """Return the medians."""
        return ToyCentres(problem, trace)

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return one start."""
        return ({"n_init": 1},)


class ToyKMedians(TracedClusterer):
    """K-medians as a scikit-learn estimator.

    Parameters
    ----------
    n_clusters : int
        K; at most the number of points.
    step : float
        0 < step <= 1, how far a centre moves towards its median in one sweep.
    init : {"kmeans++", "random"} or array
        Seeding, or given labels (N,).
    n_init : int
        Restarts; the lowest objective wins.
    max_sweeps : int
    random_state : None, int, RandomState or Generator

    Attributes
    ----------
    labels_ : ndarray (N,) int64
    n_clusters_, n_iter_ : int
    converged_ : bool
    trace_ : Trace
    """

    _algorithm = ToyMedians.name

    def __init__(
        self,
        n_clusters: int = 3,
        step: float = 1.0,
        init: Any = "kmeans++",
        n_init: int = 3,
        max_sweeps: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.step = step
        self.init = init
        self.n_init = n_init
        self.max_sweeps = max_sweeps
        self.random_state = random_state
