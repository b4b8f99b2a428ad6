"""The common part of MAP-DP and Gibbs: collapsed sweeps under a component family and a partition prior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpviz.arrays import BoolArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import Algorithm, Stepper, algorithm_of
from dpviz.engine.candidates import candidate_table, softmax
from dpviz.engine.hyperparameters import LearningStepper, as_it_stood, with_partition
from dpviz.engine.improve import canonical_labels
from dpviz.engine.imputation import ImputingStepper, completed
from dpviz.engine.initialise import StartKind, start_kinds, starting_labels
from dpviz.engine.kernels.collapsed import CollapsedSweeper, PartitionTables
from dpviz.engine.kernels.collapsed_sweep import rebuild_slots
from dpviz.engine.kernels.filling import FillingSweeper
from dpviz.engine.kernels.visits import filled_with, follow_nll, room_for
from dpviz.engine.moment_shapes import SizedShapes
from dpviz.engine.moves import Moves, Score
from dpviz.engine.position import Position, set_state
from dpviz.engine.problem import Problem
from dpviz.engine.trace import Trace
from dpviz.engine.visits import MOST_VISITS, SlowMotion
from dpviz.errors import InvalidParameterError, require
from dpviz.families import family_class
from dpviz.families.imputation import check_modes
from dpviz.families.planes import shapes_of

if TYPE_CHECKING:
    import pandas as pd

COLLAPSED_STARTS = ("auto", "single", "kmeans++", "sequential", "singletons", "random")


class CollapsedStepper:
    """One start of collapsed sweeps."""

    def __init__(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> None:
        config, working = problem.config, problem.working
        self.config, self.random_state = config, random_state
        n_points = len(working.X)
        self._order = random_state.permutation(n_points) if config.order == "permuted" else np.arange(n_points)
        first = random_state.permutation(n_points) if config.order == "shuffled" else self._order
        labels = starting_labels(problem, kind, first, random_state)
        self.clusters = _sweeper(problem, _chosen_cells(problem), labels, _weighs_one_point(config, kind))

    def go_on_from(self, position: Position) -> None:
        """Restore clusters and random numbers from the end of an earlier run."""
        self.clusters.assign(position.labels)
        set_state(self.random_state, position.generator)

    def use(self, tables: PartitionTables) -> None:
        """Continue under another partition prior."""
        self.clusters.use(tables)

    def score(self) -> Score:
        """Exact nll and the papers' E."""
        return self.clusters.score()

    def step(self, sweep: int) -> tuple[Moves, bool]:
        """One sweep; at temperature 0 the run has converged when no point moved."""
        n_points = len(self._order)
        if self.config.order == "shuffled":
            self._order = self.random_state.permutation(n_points)
        uniforms = self.random_state.random(n_points) if self.config.temperature else np.empty(0)
        moves = self.visit(self._order, uniforms, sweep == self.config.events_sweep)
        return moves, self.config.temperature == 0 and moves.n_moved == 0

    def visit(self, order: IntArray, uniforms: np.ndarray, record_events: bool) -> Moves:
        """Visit every point once."""
        return self.clusters.sweep(order, uniforms, record_events)


class PartitionAlgorithm(Algorithm):
    """An algorithm whose state is a partition, under a family and a partition prior."""

    uses_model = True
    has_nll = True
    has_density = True
    objective = "E"
    costs = ("fits its shape badly", "has few points")

    def applies(self, option: str, chosen: Mapping[str, Any]) -> bool:
        """Offer the weight in the first sweep where a start has one cluster and sweeps are collapsed."""
        if option == "first_sweep":
            collapsed = chosen.get("sampler", "collapsed") == "collapsed"
            return collapsed and chosen.get("init", "auto") in ("auto", "single")
        return super().applies(option, chosen)

    def check_problem(self, problem: Problem) -> None:
        """Check data and hyperparameters against the family."""
        problem.working  # noqa: B018  (building it checks them)
        config, n_points = problem.config, len(problem.X)
        if config.hyperpriors:
            most = problem.partition.most_points_learned
            bound = f"None for {n_points:,} points: hyperparameters of this prior are learned of at most {most:,.0f}"
            advice = "Each draw takes several evaluations of its normaliser, which is quadratic in the points."
            require(n_points <= most, "hyperpriors", config.hyperpriors_in_words, bound, advice)
        if problem.imputes:
            bound = "0 or 1 where missing cells are filled in"
            require(config.temperature in (0, 1), "temperature", config.temperature, bound)
            bound = "'collapsed' where missing cells are filled in"
            require(config.sampler == "collapsed" or not self.is_chain, "sampler", config.sampler, bound)
        if problem.takes_modes:
            check_modes(problem.family, np.isnan(problem.X))

    def scored_again(self, problem: Problem, trace: Trace, row: int) -> Score:
        """Score the partition of a recorded row, with the hyperparameters and filled cells that it had."""
        scored = with_partition(completed(problem, trace, row), trace.partition_at(int(trace.label_sweeps[row])))
        working, labels = scored.working, trace.labels[row].astype(np.int64)
        order = canonical_labels(labels)
        found = CollapsedSweeper(working.family, working.X, working.log_jacobian, scored.partition, order, 0.0).score()
        return replace(found, labels=labels)

    def stepper(self, problem: Problem, kind: StartKind, random_state: np.random.Generator) -> Stepper:
        """Begin one start."""
        return self.completed_stepper(problem, CollapsedStepper(problem, kind, random_state), random_state)

    def completed_stepper(self, problem: Problem, stepper: Any, random_state: np.random.Generator) -> Stepper:
        """Wrap a stepper so that each sweep is followed by draws of hyperparameters and of missing cells, if any."""
        if problem.config.hyperpriors:
            stepper = LearningStepper(problem, stepper, random_state)
        return ImputingStepper(problem, stepper, random_state) if problem.imputes else stepper

    def sweep_operations(self, config: RunConfig, n_points: int, n_features: int, n_clusters: float) -> float:
        """Count the scores of every point in every cluster, the score of the state, and draws of learned values."""
        visits = n_points * family_class(config.family).operations(self.scored(config, n_features)) * n_clusters
        assert config.partition is not None
        learned = len(config.hyperpriors or ()) * config.partition.operations_to_learn(n_points)
        return visits + 2e4 + learned

    @staticmethod
    def scored(config: RunConfig, n_features: int) -> int:
        """Return of how many numbers a point's score in a cluster is; of all if the data still choose directions."""
        return min(n_features, config.provisional.directions or n_features)

    def expected_clusters(self, config: RunConfig, n_points: int) -> float:
        """Return eight, or the number of clusters that start or prior ask for."""
        concentration = float(getattr(config.partition, "concentration", 3.0))
        expected = concentration * np.log1p(n_points / max(concentration, 1e-9))
        at_start = n_points / 3 if config.init == "singletons" else config.init_clusters or 0
        return float(max(8.0, expected / 4, at_start))

    def describe(self, config: RunConfig) -> str:
        """Name the parameters of the partition prior, those that are learned with their laws."""
        if config.partition is None:
            return ""
        return config.partition.describe({name: str(law) for name, law in config.hyperpriors or ()})

    def explain(self, problem: Problem, trace: Trace, row: int, point: int) -> pd.DataFrame:
        """Score every cluster without the point, and a new one (2016 eqs. 13–14)."""
        log_density, log_weight = _sweeper_at(problem, trace, row).candidates_of(point)
        return candidate_table(-log_density, -log_weight, softmax(log_density + log_weight), has_new=True)

    def why_no_slow_motion(self, config: RunConfig) -> str:
        """Collapsed sweeps visit points one by one."""
        return ""

    def slow_motion(self, problem: Problem, trace: Trace, sweep: int) -> SlowMotion:
        """Replay the visits of a sweep with the statistics as they stood at each."""
        can, bound = not problem.imputes or problem.scores_seen_cells, "'marginalise' for slow motion"
        require(can, "missing", trace.config.missing, bound, "Of mapdp without coarsening filled cells have it too.")
        events = _events(problem, trace, sweep)[:MOST_VISITS]
        rule = sweep == 1 and _weighs_one_point(problem.config, start_kinds(problem)[trace.chosen_start])
        sweeper = _sweeper_at(problem, trace, trace.row(sweep - 1), rule)
        filled = room_for(len(events), 2 + max(sweeper.n_clusters - 1, int(events[:, 2].max())))
        width = max(sweeper.replay(filled, visit, int(i), int(to)) for visit, (i, _, to) in enumerate(events))
        made = filled_with(filled, sweep, width)
        if rule or problem.imputes:
            return made
        curve = np.empty(len(events))
        follow_nll(filled, float(trace.nll[sweep - 1]), curve)
        return replace(made, nll=curve)

    def shapes(self, problem: Problem, trace: Trace, rows: IntArray) -> list[SizedShapes]:
        """Posterior predictive of every cluster, as its family draws it; nothing where missing cells are filled in."""
        if problem.imputes:
            return []
        working, parts = problem.working, []
        n_slots = max(len(trace.sizes(int(trace.label_sweeps[row]))) for row in rows)
        state = working.family.bind(working.X, n_slots + 1)
        for row in rows:
            sizes = trace.sizes(int(trace.label_sweeps[row])).astype(np.int64)
            rebuild_slots(state, working.X, trace.labels[row].astype(np.int64), sizes, len(sizes))
            drawn = shapes_of(problem.model, state, sizes, working)
            if drawn is None:
                return []
            parts.append(SizedShapes(sizes, drawn))
        return parts


def _weighs_one_point(config: RunConfig, kind: StartKind) -> bool:
    """Whether the first sweep of a start sees its one cluster with the weight of a single point (2016 App. B)."""
    collapsed = config.sampler == "collapsed"
    return collapsed and kind.strategy == "single" and config.first_sweep == "one_point"


def _sweeper(problem: Problem, missing: BoolArray | None, labels: IntArray, first_sweep_rule: bool) -> CollapsedSweeper:
    """Return clusters of all rows, as first filled; missing cells (N, D), if given, change with the clusters."""
    working, partition = problem.working, problem.partition
    if missing is not None:
        return FillingSweeper(working, missing, partition, labels, first_sweep_rule)
    temperature = problem.config.temperature or 0.0
    return CollapsedSweeper(
        working.family, working.X, working.log_jacobian, partition, labels, temperature, first_sweep_rule
    )


def _chosen_cells(problem: Problem) -> BoolArray | None:
    """Return the missing cells (N, D) that sweeps over the labels choose, if they do."""
    return np.isnan(problem.X) if problem.scores_seen_cells else None


def _sweeper_at(problem: Problem, trace: Trace, row: int, first_sweep_rule: bool = False) -> CollapsedSweeper:
    """Rebuild clusters and statistics as they stood at a recorded row."""
    stood, labels = as_it_stood(problem, trace, row), trace.labels[row].astype(np.int64)
    return _sweeper(stood, _chosen_cells(problem), labels, first_sweep_rule)


def _events(problem: Problem, trace: Trace, sweep: int) -> IntArray:
    """Rerun the chosen start up to the sweep and record the visits of that."""
    again = Problem(problem.X, replace(trace.config, events_sweep=sweep))
    start = trace.chosen_start
    random_state = np.random.default_rng([again.config.seed, start])
    stepper = algorithm_of(again).stepper(again, start_kinds(again)[start], random_state)
    for number in range(1, sweep + 1):
        moves, _ = stepper.step(number)
    if moves.events is None:
        raise InvalidParameterError(f"sweep = {sweep}: the run ended before it; is X the trace's own data?")
    return moves.events
