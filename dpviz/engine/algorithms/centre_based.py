"""The common part of K-means and DP-means: every point goes to the nearest centre, centres move to the means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.algorithms.base import Algorithm, Refusal
from dpviz.engine.candidates import candidate_table
from dpviz.engine.contributions import Contributions
from dpviz.engine.kernels.centres import centres_state
from dpviz.engine.kernels.collapsed_sweep import rebuild_slots
from dpviz.engine.kernels.hard import HardRule, HardSweeper, cluster_centres, nearest_centres, sum_of_squares
from dpviz.engine.kernels.visits import filled_with, hard_visits, room_for
from dpviz.engine.moment_shapes import SizedShapes
from dpviz.engine.moves import Moves, Score
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.engine.visits import MOST_VISITS, SlowMotion
from dpviz.families.gaussian.shapes import LocationScaleShapes

if TYPE_CHECKING:
    import pandas as pd


class CentreStepper:
    """One start of hard sweeps; subclasses make the sweeper."""

    def __init__(self, problem: Problem, order: IntArray, random_state: np.random.Generator) -> None:
        self.config, self._scale = problem.config, problem.scale
        self._order, self._random_state = order, random_state
        self.sweeper: HardSweeper

    def score(self) -> Score:
        """Σ‖x − μ‖² + λK in squared units of the data; there is no nll."""
        sweeper = self.sweeper
        n_clusters = int(np.count_nonzero(sweeper.sizes))
        return Score(sweeper.labels, sweeper.sizes, n_clusters, np.nan, sweeper.objective() * self._scale**2)

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One sweep; converged when no point and no centre moved."""
        if self.config.order == "shuffled":
            self._order = self._random_state.permutation(len(self._order))
        n_moved, n_born, n_died, largest_shift = self.sweeper.sweep(self._order, self.stops_at_birth)
        return Moves(n_moved, n_born, n_died), n_moved == 0 and largest_shift == 0

    stops_at_birth = False


class NearestCentres:
    """A finished run whose clusters are their means.

    Parameters
    ----------
    problem : Problem
    labels : ndarray (N,)
        The partition.
    penalty : float
        Squared distance beyond which a point would open a cluster, in squared units of the data.
    """

    def __init__(self, problem: Problem, labels: IntArray, penalty: float = np.inf) -> None:
        self._problem, self._penalty = problem, penalty
        present = np.unique(labels)
        self.labels = np.searchsorted(present, labels)
        self.centres = np.array([problem.X[labels == k].mean(axis=0) for k in present])

    def predict(self, X: FloatArray) -> IntArray:
        """Nearest centre (n,) of each row of X (n, D); −1 if all are further away than the penalty allows."""
        origin, scale = self._problem.X.mean(axis=0), self._problem.scale
        points = np.ascontiguousarray((X - origin) / scale)
        centres = np.ascontiguousarray((self.centres - origin) / scale)
        nearest = nearest_centres(points, centres)
        squared = np.sum((points - centres[nearest]) ** 2, axis=1)
        return np.where(squared > self._penalty / scale**2, -1, nearest)

    @property
    def opens_clusters(self) -> bool:
        """Whether there is a penalty at which a point opens a cluster."""
        return bool(np.isfinite(self._penalty))

    @property
    def log_weights(self) -> FloatArray:
        """0 for every centre (C,), and minus the penalty for a new one, if any."""
        return np.append(np.zeros(len(self.centres)), [-self._penalty] * self.opens_clusters)

    def log_scores(self, X: FloatArray) -> FloatArray:
        """Minus the squared distance (n, C) of each row of X (n, D) to every centre; minus λ for a new one, if any."""
        from scipy.spatial.distance import cdist  # deferred: it takes long to import

        squared = cdist(X, self.centres, "sqeuclidean")  # takes no memory for single columns
        return np.column_stack([-squared, *[np.full(len(X), -self._penalty)] * self.opens_clusters])

    def contributions(self, X: FloatArray) -> Contributions:
        """Return minus the squared difference in every column, and minus the penalty of a new cluster as its weight."""
        columns = -((X[:, None, :] - self.centres) ** 2)
        if self.opens_clusters:
            columns = np.concatenate([columns, np.zeros((len(X), 1, X.shape[1]))], axis=1)
        return Contributions(columns, np.zeros(columns.shape[:2]), self.log_weights)

    def log_density(self, X: FloatArray) -> FloatArray:
        """Centres have no density: raise ``InvalidParameterError``."""
        return Refusal(self._problem.config.algorithm).log_density(X)


class CentreAlgorithm(Algorithm):
    """An algorithm that works with plain distances to centres."""

    unit = "squared units of the data"

    def explain(self, problem: Problem, trace: Trace, row: int, point: int) -> pd.DataFrame:
        """Squared distances to the centres, and the penalty of a new cluster where there is one."""
        labels = trace.labels[row].astype(np.int64)
        sizes = trace.sizes(int(trace.label_sweeps[row]))
        nowhere = np.full((len(sizes), problem.centred.shape[1]), np.nan)
        centres = cluster_centres(problem.centred, labels, nowhere)[0]
        cost = np.sum((problem.centred[point] - centres) ** 2, axis=1) * problem.scale**2
        weight = np.zeros(len(sizes))
        penalty = self.penalty(problem)
        if penalty is not None:
            cost, weight = np.append(cost, 0.0), np.append(weight, penalty)
        probability = np.zeros(len(cost))
        probability[np.nanargmin(cost + weight)] = 1.0
        return candidate_table(cost, weight, probability, has_new=penalty is not None)

    def scores_of_places(self, problem: Problem, labels: IntArray, X: FloatArray) -> FloatArray:
        """Minus the squared distance to every centre, and minus λ for a new cluster where one can be opened."""
        penalty = self.penalty(problem)
        return NearestCentres(problem, labels, np.inf if penalty is None else penalty).log_scores(X)

    def scored_again(self, problem: Problem, trace: Trace, row: int) -> Score:
        """Sum the squared distances of the points of a recorded row to their means, and λ of each cluster."""
        labels, sizes = trace.labels[row].astype(np.int64), trace.sizes(int(trace.label_sweeps[row]))
        n_clusters = int(np.count_nonzero(sizes))
        centres = cluster_centres(problem.centred, labels, np.zeros((len(sizes), problem.centred.shape[1])))[0]
        squares = sum_of_squares(problem.centred, labels, centres) * problem.scale**2
        objective = squares + n_clusters * (self.penalty(problem) or 0.0)
        return Score(labels, sizes, n_clusters, np.nan, objective)

    def penalty(self, problem: Problem) -> float | None:
        """Return the cost of a new cluster, in squared units of the data; None if none can be opened."""
        return None

    def why_no_slow_motion(self, config: object) -> str:
        """Hard sweeps visit points one by one, although the centres are fixed during a sweep."""
        return ""

    def slow_motion(self, problem: Problem, trace: Trace, sweep: int) -> SlowMotion:
        """Squared distances to the centres, which are fixed during the sweep, and λ for a new cluster."""
        before, n_clusters = trace.labels_at(sweep - 1).astype(np.int64), len(trace.sizes(sweep - 1))
        penalty, order = self.penalty(problem), np.arange(len(before))
        bound = np.inf if penalty is None else penalty / problem.scale**2
        rule = HardRule(bound, penalty is None, self.ends_at_birth(trace))
        n_visits, width = min(len(before), MOST_VISITS), 0
        for _ in range(2):  # first without room, which says how much it takes
            filled = room_for(n_visits, width)
            width = hard_visits(problem.centred, before, n_clusters, order, rule, problem.scale, filled)
        return filled_with(filled, sweep, width)

    def ends_at_birth(self, trace: Trace) -> bool:
        """Whether a sweep ends as soon as a cluster is born."""
        return False

    def shapes(self, problem: Problem, trace: Trace, rows: IntArray) -> list[SizedShapes]:
        """Circles of one common width, which the objective assumes."""
        return [self._circles(problem, trace, int(row)) for row in rows]

    def _circles(self, problem: Problem, trace: Trace, row: int) -> SizedShapes:
        sizes, n_features = trace.sizes(int(trace.label_sweeps[row])).astype(np.int64), problem.X.shape[1]
        penalty = self.penalty(problem)
        state = centres_state(n_features, len(sizes), np.inf if penalty is None else float(penalty))
        rebuild_slots(state, problem.X, trace.labels[row].astype(np.int64), sizes, len(sizes))
        scales = np.broadcast_to(state.variance[0] * np.eye(n_features), (len(sizes), n_features, n_features))
        return SizedShapes(sizes, LocationScaleShapes(state.centres, scales, np.full(len(sizes), np.inf)))
