"""Clusters with their statistics, and the collapsed sweep over them."""

from __future__ import annotations

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed_sweep import (
    N_BORN,
    N_COUNTERS,
    N_DIED,
    N_MOVED,
    N_OPEN,
    STARTING_SLOT,
    Clusters,
    Visits,
    Weights,
    close_ranks,
    collapsed_sweep,
    evaluate,
    log_probability,
    move_point,
    partition_law,
    prior_predictives,
    renumber,
    score_candidates,
    weigh_starting_cluster,
)
from dpviz.engine.kernels.visits import Filled, list_candidates
from dpviz.engine.moves import Moves, Score
from dpviz.families.base import Model
from dpviz.families.verbs import grow_slots
from dpviz.partition import PartitionPrior

NO_EVENTS = np.empty((0, 3), dtype=np.int64)
"""In place of events where none are recorded."""


class PartitionTables:
    """A partition prior as the sweeps need it: two tables for the kernel, and the exact log probability.

    Parameters
    ----------
    partition : PartitionPrior
    n_points : int
        Number of points N of the run.
    """

    def __init__(self, partition: PartitionPrior, n_points: int) -> None:
        self.log_join = np.array(partition.join_table(n_points), dtype=np.float64)  # copies: writable, C order
        self.log_open = np.array(partition.open_table(n_points), dtype=np.float64)
        self.law = partition_law(self.log_join, self.log_open, partition.log_normaliser(n_points))

    def weights(self, log_prior_predictive: FloatArray) -> Weights:
        """Return what a sweep weighs clusters with, given every point's log density in a new one (N,), nats."""
        return Weights(self.log_join, self.log_open, log_prior_predictive)

    def log_probability(self, sizes: IntArray) -> float:
        """Exact log prior probability (nats) of a partition of all N points with these sizes."""
        return float(log_probability(self.law, sizes))


class CollapsedSweeper:
    """Clusters, their statistics, and the collapsed sweep over them.

    Parameters
    ----------
    family : Model
        In working coordinates.
    X : ndarray (N, D)
        Working data.
    log_jacobian : float
        Added per point to convert log densities to the units of the user's data (nats).
    partition : PartitionPrior
        Prior on partitions.
    labels : ndarray (N,)
        Starting labels, renumbered 0 … K − 1 in their order.
    temperature : float
        0 takes the mode, 1 samples; T samples with probability ∝ p^(1/T).
    first_sweep_rule : bool
        Whether the first sweep sees cluster 0 with the join weight of a single point (2016 App. B).
    """

    def __init__(
        self,
        family: Model,
        X: FloatArray,
        log_jacobian: float,
        partition: PartitionPrior,
        labels: IntArray,
        temperature: float,
        first_sweep_rule: bool = False,
    ) -> None:
        n_points = len(X)
        self.X, self.log_jacobian = X, log_jacobian
        self.labels = np.array(labels, dtype=np.int64)
        self.n_clusters = renumber(self.labels)
        self.inverse_temperature = 0.0 if temperature == 0 else 1.0 / temperature
        self.tables = PartitionTables(partition, n_points)
        capacity = max(16, 2 * self.n_clusters)
        self.state = family.bind(X, capacity + 1)
        self.log_prior_predictive = np.empty(n_points)
        prior_predictives(self.state, X, self.log_prior_predictive)
        self.weights = self.tables.weights(self.log_prior_predictive)
        self._counters = np.zeros(N_COUNTERS, dtype=np.int64)
        self._counters[STARTING_SLOT] = 0 if first_sweep_rule else -1
        self._totals, self._pending = np.zeros(2), np.empty(n_points, dtype=np.int64)
        self._allocate(capacity)
        self._evaluate()
        # A sweep over no points loads the kernels, so that the first one takes no longer than the others.
        self._visit(self.labels, self.log_prior_predictive, NO_EVENTS, n_points)
        self._compact()

    def _allocate(self, capacity: int) -> None:
        """Size everything that has an entry per slot; the last slot is scratch."""
        self.sizes = np.bincount(self.labels, minlength=capacity + 1).astype(np.int64, copy=False)
        active = np.zeros(capacity + 1, dtype=np.int64)
        active[: self.n_clusters] = np.arange(self.n_clusters)
        self._active = active
        self._clusters = Clusters(self.labels, self.sizes, active, self._counters)

    def _grow(self) -> None:
        """Double the slots in the middle of a sweep."""
        capacity = 2 * (len(self.sizes) - 1)
        active = self._active
        self.state = grow_slots(self.state, capacity + 1)
        self._allocate(capacity)
        self._active[: len(active)] = active

    def _visit(self, order: IntArray, uniforms: FloatArray, events: IntArray, position: int) -> int:
        """Visit ``order[position:]`` while there are free slots; return the position where it stopped."""
        visits = Visits(order, uniforms, self.inverse_temperature, events)
        return collapsed_sweep(self.state, self.X, self._clusters, self.weights, visits, position, False)

    def sweep(self, order: IntArray, uniforms: FloatArray, record_events: bool = False) -> Moves:
        """Visit every point once, or several times in a row: then the moves are counted together.

        Parameters
        ----------
        order : ndarray (V,)
            The points in visiting order.
        uniforms : ndarray (V,) or (0,)
            One uniform number per visit; unused at temperature 0.
        record_events : bool
            Whether to return every single move.
        """
        counters = self._counters
        counters[N_OPEN] = self.n_clusters
        counters[N_MOVED] = counters[N_BORN] = counters[N_DIED] = 0
        events = np.empty((len(order), 3), dtype=np.int64) if record_events else NO_EVENTS
        self._visit_all(order, uniforms, events)
        counters[STARTING_SLOT] = -1
        self.n_clusters, n_moved, n_born, n_died = counters[: N_DIED + 1].tolist()  # N_OPEN comes first
        self._compact()
        self._evaluate()
        return Moves(n_moved, n_born, n_died, events if record_events else None)

    def _visit_all(self, order: IntArray, uniforms: FloatArray, events: IntArray) -> None:
        """Visit every point, with as many slots as it takes."""
        position = 0
        while True:
            position = self._visit(order, uniforms, events, position)
            if position == len(order):
                return
            self._grow()

    def score(self) -> Score:
        """Exact nll and the papers' E, with a copy of the partition."""
        sizes = self.sizes[: self.n_clusters].copy()
        return Score(self.labels.copy(), sizes, self.n_clusters, self.nll, self.objective)

    def assign(self, labels: IntArray) -> None:
        """Adopt a partition found elsewhere, with clusters 0 … K − 1 in the order of their numbers; score it."""
        self._counters[STARTING_SLOT] = -1  # it is not the start, whose first sweep may have a rule of its own
        self._take(labels)
        self._evaluate()

    def replace_rows(self, rows: IntArray, values: FloatArray) -> None:
        """Give some points (m,) other values (m, D), and score the partition with these."""
        self.X[rows, : values.shape[1]] = values  # those of parts end with the longest list of these rows
        prior_predictives(self.state, self.X, self.log_prior_predictive)
        self._evaluate()

    def _take(self, labels: IntArray) -> None:
        self.labels[:] = labels
        self.n_clusters = renumber(self.labels)
        capacity = max(len(self.sizes) - 1, 2 * self.n_clusters)
        if capacity >= len(self.sizes):
            self.state = grow_slots(self.state, capacity + 1)
        self._allocate(capacity)

    def _compact(self) -> None:
        close_ranks(self.labels, self.sizes, self._active, self.n_clusters)

    def _evaluate(self) -> None:
        """Rebuild the statistics from the data, so that nothing drifts, and score the partition."""
        evaluate(
            self.state,
            self.X,
            self.labels,
            self.sizes,
            self.n_clusters,
            self.log_prior_predictive,
            self._pending,
            self._totals,
        )
        self._score()

    def use(self, tables: PartitionTables) -> None:
        """Score the same partition under another prior, and continue with that."""
        self.tables = tables
        self.weights = self.tables.weights(self.log_prior_predictive)
        self._score()

    def _score(self) -> None:
        log_prior = self.tables.log_probability(self.sizes[: self.n_clusters])
        shift = len(self.X) * self.log_jacobian
        self.nll = -float(log_prior + self._totals[0] + shift)
        self.objective = -float(log_prior + self._totals[1] + shift)

    def candidates_of(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Log predictive (nats, in the units of the data) and log weight of every cluster, and last of a new one.

        The point's own cluster is seen without it; a cluster that holds it alone has weight −inf, since leaving it
        and coming back is opening a new one.
        """
        self._counters[N_OPEN] = self.n_clusters
        log_density, log_weight = np.empty(self.n_clusters + 1), np.empty(self.n_clusters + 1)
        score_candidates(self.state, self.X, self._clusters, self.weights, i, log_density, log_weight)
        return log_density + self.log_jacobian, log_weight

    def replay(self, filled: Filled, visit: int, i: int, to: int) -> int:
        """List a visit's candidates as the sweep scored them, then repeat its move; return how many there are."""
        log_density, log_weight = self.candidates_of(i)
        weigh_starting_cluster(self._clusters, self.weights, log_weight)
        n_listed = list_candidates(filled, visit, self._clusters, i, log_density, log_weight)
        filled.moves[visit, 2] = to
        self._repeat(i, to)
        return int(n_listed)

    def _repeat(self, i: int, to: int) -> None:
        if to == self.labels[i]:
            return
        if self.n_clusters >= len(self.sizes) - 1:
            self._grow()
        self._counters[N_OPEN] = self.n_clusters
        move_point(self.state, self.X, self._clusters, i, to)
        self.n_clusters = int(self._counters[N_OPEN])
