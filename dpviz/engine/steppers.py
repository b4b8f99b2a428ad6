"""One start of every algorithm, advanced a sweep at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from dpviz.engine.algorithms.em import MixtureStepper
from dpviz.engine.algorithms.explicit_samplers import ExplicitParametersSweeper, ExplicitWeightsSweeper
from dpviz.engine.initialise import StartKind, starting_centres, starting_labels
from dpviz.engine.kernels.collapsed import CollapsedSweeper, Moves
from dpviz.engine.kernels.hard import HardSweeper, nearest_centres
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Score
from dpviz.partition import FiniteDirichlet


class Stepper(Protocol):
    """One start of one algorithm, advanced a sweep at a time."""

    def score(self) -> Score:
        """Score the present state."""
        ...

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """Do sweep number ``sweep`` (from 1); return what it did, and whether nothing will change any more."""
        ...


class CollapsedStepper:
    """mapdp and gibbs, with whichever sampler."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        config, working = problem.config, problem.working
        self._config, self._random_state = config, random_state
        n_points = len(working.X)
        self._order = random_state.permutation(n_points) if config.order == "permuted" else np.arange(n_points)
        first = random_state.permutation(n_points) if config.order == "shuffled" else self._order
        labels = starting_labels(problem, kind, first, random_state)
        temperature = config.temperature or 0.0
        self._clusters = CollapsedSweeper(
            working.family,
            working.X,
            working.log_jacobian,
            problem.partition,
            labels,
            temperature,
            first_sweep_rule=kind.strategy == "single" and config.sampler == "collapsed",
        )
        self._sweeper: CollapsedSweeper | ExplicitParametersSweeper | ExplicitWeightsSweeper = self._clusters
        if config.algorithm == "gibbs" and config.sampler == "explicit_parameters":
            self._sweeper = ExplicitParametersSweeper(working.family, self._clusters, random_state)
        elif config.algorithm == "gibbs" and config.sampler == "explicit_weights":
            assert isinstance(problem.partition, FiniteDirichlet)
            self._sweeper = ExplicitWeightsSweeper(working.family, self._clusters, problem.partition, random_state)

    def score(self) -> Score:
        """Exact nll and the papers' E."""
        return self._clusters.score()

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One sweep; MAP-DP has converged when no point moved."""
        n_points = len(self._order)
        if self._config.order == "shuffled":
            self._order = self._random_state.permutation(n_points)
        uniforms = self._random_state.random(n_points) if self._config.temperature else np.empty(0)
        moves = self._sweeper.sweep(self._order, uniforms, sweep == self._config.events_sweep)
        return moves, self._config.temperature == 0 and moves.n_moved == 0


class HardStepper:
    """kmeans and dpmeans."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        config = problem.config
        self._config, self._random_state, self._scale = config, random_state, problem.scale
        X = problem.centred
        n_points = len(X)
        self._order = random_state.permutation(n_points) if config.order == "permuted" else np.arange(n_points)
        if config.algorithm == "dpmeans":
            labels = starting_labels(problem, kind, self._order, random_state)
            self._sweeper = HardSweeper(X, labels, penalty=config.penalty / problem.scale**2)
        elif kind.strategy == "labels":
            self._sweeper = HardSweeper(X, starting_labels(problem, kind, self._order, random_state))
        else:
            centres = starting_centres(problem, kind, random_state)
            self._sweeper = HardSweeper(X, nearest_centres(X, centres), centres)
            self._sweeper.sweep()  # moves no point, only the centres: in every recorded state they are the means

    def score(self) -> Score:
        """Σ‖x − μ‖² + λK in squared units of the data; there is no nll."""
        sweeper = self._sweeper
        n_clusters = int(np.count_nonzero(sweeper.sizes))
        objective = sweeper.objective() * self._scale**2
        return Score(sweeper.labels, sweeper.sizes, n_clusters, np.nan, objective)

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One sweep; converged when no point and no centre moved."""
        if self._config.order == "shuffled":
            self._order = self._random_state.permutation(len(self._order))
        until_birth = self._config.algorithm == "dpmeans" and self._config.sweep == "until_birth"
        before = self._sweeper.sizes > 0
        counts = self._sweeper.sweep(self._order, until_birth)
        settled = counts.n_moved == 0 and counts.largest_shift == 0
        n_born, n_died = counts.n_born, counts.n_died
        if self._config.algorithm == "kmeans":  # its K stays, but a cluster may run empty and fill again
            after = self._sweeper.sizes > 0
            n_born, n_died = int(np.count_nonzero(after & ~before)), int(np.count_nonzero(before & ~after))
        return Moves(counts.n_moved, n_born, n_died), settled


class EMStepper:
    """em."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        labels = starting_labels(problem, kind, np.arange(len(problem.X)), random_state)
        log_jacobian = -problem.X.shape[1] * np.log(problem.scale)
        self.mixture = MixtureStepper(problem.centred, labels, float(log_jacobian))

    def score(self) -> Score:
        """−ln p(X | parameters) (2016 eq. 5) and hard assignments."""
        labels = self.mixture.labels
        sizes = np.bincount(labels, minlength=self.mixture.n_components)
        return Score(labels, sizes, int(np.count_nonzero(sizes)), np.nan, self.mixture.objective)

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One E-M step."""
        return self.mixture.sweep(), self.mixture.converged


ALGORITHMS: dict[str, Callable[[Problem, StartKind, np.random.Generator], Stepper]] = {
    "mapdp": CollapsedStepper,
    "gibbs": CollapsedStepper,
    "kmeans": HardStepper,
    "dpmeans": HardStepper,
    "em": EMStepper,
}
