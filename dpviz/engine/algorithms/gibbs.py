"""Gibbs sampling of partitions, with any of its three samplers (Neal 2000; 2018 Alg. 1; lecture)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from dpviz.arrays import IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import Method, Stepper, register
from dpviz.engine.algorithms.explicit_samplers import ExplicitParametersSweeper, ExplicitWeightsSweeper
from dpviz.engine.algorithms.partition_sampling import COLLAPSED_STARTS, CollapsedStepper, PartitionAlgorithm
from dpviz.engine.hyperparameters import as_it_stood
from dpviz.engine.initialise import StartKind
from dpviz.engine.kernels.collapsed import PartitionTables
from dpviz.engine.moves import Moves
from dpviz.engine.options import (
    BURN_IN,
    FIRST_SWEEP,
    INIT_CLUSTERS,
    N_INIT,
    N_SWEEPS,
    ORDER,
    SAMPLER,
    SEED,
    SPLIT_MERGE,
    TEMPERATURE,
    THIN,
)
from dpviz.engine.predict import PartitionFit
from dpviz.engine.problem import Problem
from dpviz.engine.split_merge import SplitMerge
from dpviz.engine.trace import Trace
from dpviz.engine.transforms import partition_fit
from dpviz.errors import require
from dpviz.families import family_class
from dpviz.parameters import Parameter
from dpviz.partition import FiniteDirichlet, PoweredChineseRestaurant

PROPOSAL_SCORES = 10
"""A proposal takes as long, per point of its clusters, as this many scores of a point in one cluster: it scores the
point twice and adds it, and all of them are counted once more."""
EXPLICIT_FACTOR = 5
"""Time of a sweep with explicit parameters relative to a collapsed one."""


class ExplicitStepper(CollapsedStepper):
    """A start whose clusters' parameters are explicit; scores are those of the collapsed state."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        super().__init__(problem, kind, random_state)
        family = problem.working.family
        self._sweeper: ExplicitParametersSweeper | ExplicitWeightsSweeper
        if self.config.sampler == "explicit_parameters":
            self._sweeper = ExplicitParametersSweeper(family, self.clusters, random_state)
        else:
            assert isinstance(problem.partition, FiniteDirichlet)
            self._sweeper = ExplicitWeightsSweeper(family, self.clusters, problem.partition, random_state)

    def visit(self, order: IntArray, uniforms: np.ndarray, record_events: bool) -> Moves:
        """Draw all assignments, then all parameters."""
        return self._sweeper.sweep(order, uniforms, record_events)


class SplitMergeStepper(CollapsedStepper):
    """A start whose every sweep is followed by proposals to divide a cluster or to unite two."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        super().__init__(problem, kind, random_state)
        self._proposals = SplitMerge(problem)

    def use(self, tables: PartitionTables) -> None:
        """Continue under another partition prior, proposals included."""
        super().use(tables)
        self._proposals.tables = tables

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One sweep, and the proposals after it."""
        moves, over = super().step(sweep)
        self._proposals.X = self.clusters.X
        labels, made = self._proposals.move(self.clusters.labels, self.random_state, self.config.split_merge)
        if not made.n_accepted:
            return moves, over
        self.clusters.assign(labels)
        n_moved, n_born, n_died = (
            getattr(moves, name) + getattr(made, name) for name in ("n_moved", "n_born", "n_died")
        )
        return Moves(n_moved, n_born, n_died, moves.events, made.n_accepted), over


def _problem_of_draw(trace: Trace, problem: Problem, draw: int) -> Problem:
    """Return the problem with the hyperparameters and missing cells of a kept draw."""
    return as_it_stood(problem, trace, int(trace.draw_rows[draw]))


@register
class Gibbs(PartitionAlgorithm):
    """A chain of partitions whose stationary law is the posterior."""

    name = "gibbs"
    title = "Gibbs"
    explanation = (
        "Draws each point's cluster at random by its probability: a chain that visits partitions in proportion to "
        "their posterior."
    )
    options = (
        INIT_CLUSTERS,
        FIRST_SWEEP,
        ORDER,
        N_INIT,
        N_SWEEPS,
        BURN_IN,
        THIN,
        SAMPLER,
        TEMPERATURE,
        SPLIT_MERGE,
        SEED,
    )
    starts = COLLAPSED_STARTS
    defaults = MappingProxyType({"init": "auto", "n_init": 1, "order": "shuffled", "temperature": 1.0})
    page_defaults = MappingProxyType({"n_sweeps": 300, "burn_in": 100, "split_merge": 1})
    is_chain = True
    learns = True
    costs_in_words = (
        "Fits its shape badly: −ln f, the more the rarer a point here is in the cluster. Has few points: −ln weight. "
        "Both are told above their lowest. The smaller the total, the more probable is the cluster's draw."
    )
    variants = (
        Method(
            "pcrp",
            "Powered CRP",
            "Gibbs sampling with a powered Chinese restaurant: r > 1 starves the tiny clusters that the plain one "
            "keeps alive.",
            "gibbs",
            PoweredChineseRestaurant.name,
            {"concentration": 1.0, "power": 1.1},
        ),
    )

    def check_config(self, config: RunConfig) -> None:
        """Check the length of the chain, and what the explicit samplers need."""
        advice = "n_sweeps includes the burn-in."
        bound = f"smaller than n_sweeps = {config.n_sweeps}"
        require(config.burn_in < config.n_sweeps, "burn_in", config.burn_in, bound, advice)
        n_kept = config.n_sweeps - config.burn_in
        bound = f"at most n_sweeps − burn_in = {n_kept}, so that one draw is kept"
        require(config.thin <= n_kept, "thin", config.thin, bound)
        if config.split_merge:
            plain = config.sampler == "collapsed" and config.temperature == 1
            bound = f"0 with sampler={config.sampler!r} and temperature={config.temperature:g}"
            advice = "Splits and merges need the collapsed sampler at temperature 1."
            require(plain, "split_merge", config.split_merge, bound, advice)
        if config.hyperpriors:
            bound = f"None with sampler={config.sampler!r} and temperature={config.temperature:g}"
            advice = "Hyperparameters are learned at temperature 1, with the collapsed sampler or explicit parameters."
            learns = config.sampler != "explicit_weights" and config.temperature == 1
            require(learns, "hyperpriors", config.hyperpriors_in_words, bound, advice)
        if config.sampler == "collapsed":
            return
        bound = f"1 (or None) with sampler={config.sampler!r}"
        require(config.temperature == 1, "temperature", config.temperature, bound)
        if config.sampler == "explicit_weights":
            finite = isinstance(config.partition, FiniteDirichlet)
            bound = "a FiniteDirichlet with sampler='explicit_weights'"
            require(
                finite, "partition", config.partition, bound, "Only a finite mixture has a finite vector of weights."
            )

    def applies(self, option: str, chosen: Mapping[str, Any]) -> bool:
        """Offer the temperature for the collapsed sampler only, and splits and merges only at temperature 1."""
        collapsed = chosen.get("sampler", "collapsed") == "collapsed"
        if option == "temperature":
            return collapsed
        if option == "split_merge":
            return collapsed and chosen.get("temperature", 1.0) == 1
        return super().applies(option, chosen)

    def choices(self, option: Parameter, chosen: Mapping[str, Any]) -> tuple[str, ...]:
        """Offer explicit weights only if their number is finite."""
        if option.name == "sampler" and not isinstance(chosen.get("partition"), FiniteDirichlet):
            return tuple(value for value in option.values if value != "explicit_weights")
        return option.values

    def n_sweeps(self, config: RunConfig) -> int:
        """Return the length of the chain."""
        return config.n_sweeps

    def keeps_labels(self, config: RunConfig, sweep: int) -> bool:
        """Keep the initial state and the draws."""
        return sweep == 0 or (sweep - config.burn_in) % config.thin == 0

    def can_go_on(self, config: RunConfig) -> bool:
        """Whether the state is only clusters and random numbers: explicit parameters are not kept."""
        return config.sampler == "collapsed"

    def n_recorded(self, config: RunConfig) -> int:
        """Return the number of recorded sweeps."""
        return config.n_sweeps // config.thin

    def sweep_operations(self, config: RunConfig, n_points: int, n_features: int, n_clusters: float) -> float:
        """Count the visits, and for every proposal the passes over the two clusters concerned."""
        visits = super().sweep_operations(config, n_points, n_features, n_clusters)
        passes = PROPOSAL_SCORES * family_class(config.family).operations(n_features) * n_points
        return visits + config.split_merge * (passes * min(1.0, 2 / n_clusters) + 2e4)

    def expected_sweeps(self, config: RunConfig) -> float:
        """Return the sweeps of all chains, an explicit one counting several times."""
        factor = 1 if config.sampler == "collapsed" else EXPLICIT_FACTOR
        return float(config.n_sweeps * (config.n_init or 1) * factor)

    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> Stepper:
        """Begin one chain."""
        if problem.config.sampler != "collapsed":
            return self.completed_stepper(problem, ExplicitStepper(problem, kind, random_state), random_state)
        if problem.config.split_merge:
            return self.completed_stepper(problem, SplitMergeStepper(problem, kind, random_state), random_state)
        return super().stepper(problem, kind, random_state)

    def fitted(self, problem: Problem, trace: Trace) -> PartitionFit:
        """Return the predictive: clusters of the draw of lowest nll, and the mean density over all kept draws."""
        if not problem.imputes and not problem.config.hyperpriors:
            return partition_fit(problem, trace.result_labels, trace.draws)
        best = as_it_stood(problem, trace, trace.result_row)
        return partition_fit(best, trace.result_labels, trace.draws, partial(_problem_of_draw, trace), problem)

    def why_no_slow_motion(self, config: RunConfig) -> str:
        """Only the collapsed sampler consists of visits of single points; splits and merges come after them."""
        if config.sampler == "collapsed":
            return ""
        return "This algorithm updates all points together; there are no single visits to replay."

    @classmethod
    def example(cls) -> tuple[dict[str, Any], ...]:
        """Return a chain with everything integrated out, one with splits and merges, one with explicit parameters."""
        short = {"n_sweeps": 4, "burn_in": 0}
        return short, {**short, "split_merge": 1}, {**short, "sampler": "explicit_parameters"}
