"""DP-means (Kulis & Jordan 2012, Algorithm 1; 2014 paper, Sec. 4.2)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import register
from dpviz.engine.algorithms.centre_based import CentreAlgorithm, CentreStepper, NearestCentres
from dpviz.engine.initialise import StartKind, starting_labels
from dpviz.engine.kernels.hard import HardSweeper
from dpviz.engine.kernels.seeding import farthest_first_penalty
from dpviz.engine.options import INIT_CLUSTERS, MAX_SWEEPS, N_INIT, ORDER, PENALTY, SEED, SWEEP
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidParameterError

USUAL_CLUSTERS = 3
"""Clusters for which farthest-first traversal suggests a penalty."""

MOST_COVERED = 256
"""Points in the sample for a guess of the number of clusters."""


class DPMeansStepper(CentreStepper):
    """One start of DP-means."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        config, X = problem.config, problem.centred
        order = random_state.permutation(len(X)) if config.order == "permuted" else np.arange(len(X))
        super().__init__(problem, order, random_state)
        self.stops_at_birth = config.sweep == "until_birth"
        labels = starting_labels(problem, kind, order, random_state)
        self.sweeper = HardSweeper(X, labels, penalty=config.penalty / problem.scale**2)


@register
class DPMeans(CentreAlgorithm):
    """K-means in which a point further than √λ from every centre opens a cluster."""

    name = "dpmeans"
    title = "DP-means"
    explanation = "K-means that opens a new cluster when every centre is further than √λ away."
    options = (PENALTY, SWEEP, INIT_CLUSTERS, ORDER, N_INIT, MAX_SWEEPS, SEED)
    main = ("penalty", "sweep")
    starts = ("single", "kmeans++", "random")
    defaults = MappingProxyType({"init": "single", "n_init": 1, "max_sweeps": 500, "order": "index"})
    objective = "Σ‖x − μ‖² + λK"
    shape_meanings = ("the same circle, smaller", "beyond it a point opens a cluster")
    costs = ("squared distance", "penalty λ of a new cluster")
    costs_in_words = "The nearest centre wins, unless it is further than the penalty of a new cluster."

    def typical(self, option: str, X: FloatArray) -> float | None:
        """Return the λ for which farthest-first traversal finds three clusters (Kulis & Jordan 2012, Sec. 5)."""
        if option != "penalty":
            return None
        centred = np.ascontiguousarray(X - X.mean(axis=0))
        penalty = farthest_first_penalty(centred, min(USUAL_CLUSTERS, len(centred)))
        return float(f"{penalty:.2g}") if penalty > 0 else 1.0

    def clusters_on(self, config: RunConfig, X: FloatArray) -> float:
        """Cover some of the points by balls of radius √λ; if nearly every point needs its own ball, all N do."""
        sample = X[np.unique(np.linspace(0, len(X) - 1, MOST_COVERED).astype(int))]
        uncovered, n_balls = sample, 0
        while len(uncovered):
            uncovered = uncovered[np.sum((uncovered - uncovered[0]) ** 2, axis=1) > config.penalty]
            n_balls += 1
        whole = len(X) / len(sample) if n_balls > len(sample) / 4 else 2.0
        return max(self.expected_clusters(config, len(X)), n_balls * whole)

    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> DPMeansStepper:
        """Begin one start."""
        return DPMeansStepper(problem, kind, random_state)

    def penalty(self, problem: Problem) -> float:
        """λ."""
        return problem.config.penalty

    def fitted(self, problem: Problem, trace: Trace) -> NearestCentres:
        """Return the centres, and the distance beyond which a point is new."""
        return NearestCentres(problem, trace.result_labels, problem.config.penalty)

    def slow_motion(self, problem: Problem, trace: Trace, sweep: int) -> Any:
        """Replay a sweep in the order of the data; other orders are not kept."""
        if trace.config.order != "index":
            raise InvalidParameterError("Slow motion of dpmeans needs order='index'; other orders are not kept.")
        return super().slow_motion(problem, trace, sweep)

    def ends_at_birth(self, trace: Trace) -> bool:
        """Whether a sweep ends as soon as a cluster is born."""
        return trace.config.sweep == "until_birth"

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return one start."""
        return ({"penalty": 1.0},)
