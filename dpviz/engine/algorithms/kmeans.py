"""K-means by Lloyd's algorithm (2016 Algorithm 1)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import register
from dpviz.engine.algorithms.centre_based import CentreAlgorithm, CentreStepper, NearestCentres
from dpviz.engine.initialise import StartKind, starting_centres, starting_labels
from dpviz.engine.kernels.hard import HardSweeper, nearest_centres
from dpviz.engine.options import MAX_SWEEPS, N_CLUSTERS, N_INIT, SEED
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace


class KMeansStepper(CentreStepper):
    """One start of K-means."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        X = problem.centred
        permuted = problem.config.order == "permuted"
        order = random_state.permutation(len(X)) if permuted else np.arange(len(X))
        super().__init__(problem, order, random_state)
        if kind.strategy == "labels":
            self.sweeper = HardSweeper(X, starting_labels(problem, kind, order, random_state))
        else:
            centres = starting_centres(problem, kind, random_state)
            self.sweeper = HardSweeper(X, nearest_centres(X, centres), centres)
            self.sweeper.sweep()  # moves no point, only the centres: in every recorded state they are the means


@register
class KMeans(CentreAlgorithm):
    """Alternate between nearest centres and means, with K fixed."""

    name = "kmeans"
    title = "K-means"
    explanation = "Assigns every point to the nearest of K centres, moves the centres, repeats. K is yours to guess."
    options = (N_CLUSTERS, N_INIT, MAX_SWEEPS, SEED)
    main = ("n_clusters",)
    starts = ("kmeans++", "random")
    defaults = MappingProxyType({"init": "kmeans++", "n_init": 10, "max_sweeps": 300, "order": "index"})
    cluster_count = "n_clusters"
    takes_centres = True
    objective = "Σ‖x − μ‖²"
    costs = ("squared distance", "penalty (none)")
    shape_meanings = ("equal rings: 50 % of clusters that are equally wide", "95 % of such clusters")
    costs_in_words = "The nearest centre wins."

    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> KMeansStepper:
        """Begin one start."""
        return KMeansStepper(problem, kind, random_state)

    def fitted(self, problem: Problem, trace: Trace) -> NearestCentres:
        """Return the centres."""
        return NearestCentres(problem, trace.result_labels)

    def bic(self, config: RunConfig, sizes: IntArray, objective: float, n_features: int) -> float:
        """−2L + (KD + K) ln N, L = Σ n_k ln(n_k/N) − (ND/2) ln(2πs) − SSE/(2s), s = SSE/(D(N − K)) (2016 Sec. 5)."""
        present, K, D = sizes[sizes > 0], config.n_clusters, n_features
        n_points = int(sizes.sum())
        if K >= n_points or not objective > 0:
            return float("nan")
        variance = objective / (D * (n_points - K))
        log_likelihood = (
            np.sum(present * np.log(present / n_points))
            - n_points * D / 2 * np.log(2 * np.pi * variance)
            - objective / (2 * variance)
        )
        return float(-2 * log_likelihood + (K * D + K) * np.log(n_points))

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return one start."""
        return ({"n_init": 1},)
