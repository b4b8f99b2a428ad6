"""The collapsed sweep: every point leaves, is weighed against every cluster and a new one, and settles.

One kernel serves MAP-DP (2016 Alg. 3), collapsed Gibbs (Neal 2000 Alg. 3; 2018 Alg. 1) and everything between: the
partition prior comes as two tables, the family through its generic verbs, the update rule as a temperature. A point's
predictive without itself is had in closed form from the statistics with it, so nothing changes unless it moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz._jit import inlined, kernel
from dpviz.families.base import (
    Family,
    FloatArray,
    IntArray,
    add_point,
    clear_slot,
    grow_slots,
    log_leave_one_out,
    log_marginal,
    log_predictive,
    rebuild,
    remove_point,
)
from dpviz.partition import PartitionPrior

N_OPEN, N_MOVED, N_BORN, N_DIED, STARTING_SLOT, DECISION = range(6)
"""Positions in the kernel's counters."""
UNDECIDED = -2


@kernel
def _refill(state: Any, X: FloatArray, labels: IntArray, k: int, without: int, slot: int) -> int:
    """Fill ``slot`` with cluster k's members except one, point by point; return how many there are."""
    clear_slot(state, slot)
    count = 0
    for j in range(X.shape[0]):
        if labels[j] == k and j != without:
            add_point(state, X, j, slot, count)
            count += 1
    return count


@kernel
def _log_after_removal(state: Any, X: FloatArray, labels: IntArray, i: int, scratch: int) -> float:
    """Leave-one-out predictive by explicit removal, in a scratch slot: slow, for where the closed form loses digits."""
    return log_predictive(state, X, i, scratch, _refill(state, X, labels, labels[i], i, scratch))


@inlined
def _mode(scores: FloatArray, n_candidates: int) -> int:
    """Position of the highest score; the first of equals."""
    best = 0
    for j in range(1, n_candidates):
        if scores[j] > scores[best]:
            best = j
    return best


@inlined
def _sample(scores: FloatArray, n_candidates: int, inverse_temperature: float, uniform: float) -> int:
    """Draw a position with probability ∝ exp(score / temperature); ``scores`` is overwritten."""
    highest = scores[0]
    for j in range(1, n_candidates):
        if scores[j] > highest:
            highest = scores[j]
    total = 0.0
    for j in range(n_candidates):
        total += math.exp((scores[j] - highest) * inverse_temperature)
        scores[j] = total
    target = uniform * total
    for j in range(n_candidates):
        if target < scores[j]:
            return j
    return n_candidates - 1


@inlined
def free_slot(sizes: IntArray) -> int:
    """Lowest slot without points."""
    slot = 0
    while sizes[slot] > 0:
        slot += 1
    return slot


@kernel
def move_point(
    state: Any, X: FloatArray, labels: IntArray, sizes: IntArray, active: IntArray, counters: IntArray, i: int, to: int
) -> None:
    """Take point i out of its cluster, put it into slot ``to`` (empty for a new one), and keep the books."""
    current = labels[i]
    labels[i] = to
    sizes[current] -= 1
    if sizes[current] == 0:
        clear_slot(state, current)
        position = 0
        while active[position] != current:
            position += 1
        counters[N_OPEN] -= 1
        for later in range(position, counters[N_OPEN]):
            active[later] = active[later + 1]
        counters[N_DIED] += 1
        if counters[STARTING_SLOT] == current:
            counters[STARTING_SLOT] = -1
    elif not remove_point(state, X, i, current, sizes[current] + 1):
        _refill(state, X, labels, current, -1, current)
    if sizes[to] == 0:
        clear_slot(state, to)
        active[counters[N_OPEN]] = to
        counters[N_OPEN] += 1
        counters[N_BORN] += 1
    add_point(state, X, i, to, sizes[to])
    sizes[to] += 1
    counters[N_MOVED] += 1


@kernel
def _find_move(
    state: Any,
    X: FloatArray,
    labels: IntArray,
    sizes: IntArray,
    active: IntArray,
    counters: IntArray,
    order: IntArray,
    start: int,
    log_join: FloatArray,
    log_open: FloatArray,
    log_prior_predictive: FloatArray,
    inverse_temperature: float,
    uniforms: FloatArray,
    scores: FloatArray,
    candidates: IntArray,
    events: IntArray,
    stop_at_singletons: bool,
    removed: float,
) -> int:
    """Visit ``order[start:]`` until a point wants to leave its cluster; return its position, or N.

    The hot loop of every sweep, and so free of calls that take the state and are not compiled into it: each would
    count references to all of its arrays. ``counters[DECISION]`` is the slot the point wants, −1 for a new cluster, or
    ``UNDECIDED`` if its leave-one-out predictive must be had by removal; the caller then visits it again with that
    value as ``removed`` (NaN otherwise). Candidates stand in this order: the present cluster, the others from the
    oldest to the youngest, a new one; so the first of equal scores is the one that ties must take. A singleton's own
    cluster *is* the new one.
    """
    for position in range(start, X.shape[0]):
        i = order[position]
        current = labels[i]
        starting = counters[STARTING_SLOT]
        singleton = sizes[current] == 1
        new_cluster = log_prior_predictive[i] + log_open[counters[N_OPEN] - (1 if singleton else 0)]
        candidates[0] = current
        n_candidates = 1
        if singleton:
            scores[0] = new_cluster
        else:
            own = log_leave_one_out(state, X, i, current, sizes[current])
            if math.isnan(own):
                own = removed
                removed = math.nan
                if math.isnan(own):
                    counters[DECISION] = UNDECIDED
                    return position
            scores[0] = own + (log_join[1] if current == starting else log_join[sizes[current] - 1])
        for j in range(counters[N_OPEN]):
            k = active[j]
            if k != current:
                log_weight = log_join[1] if k == starting else log_join[sizes[k]]
                scores[n_candidates] = log_predictive(state, X, i, k, sizes[k]) + log_weight
                candidates[n_candidates] = k
                n_candidates += 1
        if not singleton:
            scores[n_candidates] = new_cluster
            candidates[n_candidates] = -1
            n_candidates += 1
        if inverse_temperature == 0.0:
            choice = candidates[_mode(scores, n_candidates)]
        else:
            choice = candidates[_sample(scores, n_candidates, inverse_temperature, uniforms[position])]
        if events.shape[0] > 0:
            events[position, 0] = i
            events[position, 1] = current
            events[position, 2] = choice
        if choice != current or singleton and stop_at_singletons:
            counters[DECISION] = choice
            return position
    return X.shape[0]


@kernel
def collapsed_sweep(
    state: Any,
    X: FloatArray,
    labels: IntArray,
    sizes: IntArray,
    active: IntArray,
    counters: IntArray,
    order: IntArray,
    start: int,
    log_join: FloatArray,
    log_open: FloatArray,
    log_prior_predictive: FloatArray,
    inverse_temperature: float,
    uniforms: FloatArray,
    scores: FloatArray,
    candidates: IntArray,
    events: IntArray,
    pause_at_birth: bool,
) -> int:
    """Visit ``order[start:]``; return where it stopped: N, or earlier before a birth that the caller must prepare.

    That is a birth for which there is no slot, or any birth if ``pause_at_birth``. The last slot is scratch.
    Temperature 0, which takes the mode, is ``inverse_temperature = 0``; ``events`` of length 0 records nothing.
    """
    scratch = sizes.shape[0] - 1
    position, removed = start, math.nan
    while True:
        position = _find_move(
            state,
            X,
            labels,
            sizes,
            active,
            counters,
            order,
            position,
            log_join,
            log_open,
            log_prior_predictive,
            inverse_temperature,
            uniforms,
            scores,
            candidates,
            events,
            pause_at_birth,
            removed,
        )
        removed = math.nan
        if position == X.shape[0]:
            return position
        i, choice = order[position], counters[DECISION]
        if choice == UNDECIDED:
            removed = _log_after_removal(state, X, labels, i, scratch)
            continue
        opens = choice == -1 or choice == labels[i]
        if opens and (pause_at_birth or counters[N_OPEN] == scratch):
            return position
        if choice == -1:
            choice = free_slot(sizes)
        if events.shape[0] > 0:
            events[position, 2] = choice
        move_point(state, X, labels, sizes, active, counters, i, choice)
        position += 1


@kernel
def compact_labels(labels: IntArray, active: IntArray, n_clusters: int, new_label: IntArray) -> None:
    """Rename slot ``active[j]`` to j, so that labels are 0 … K − 1 from the oldest to the youngest cluster."""
    for j in range(n_clusters):
        new_label[active[j]] = j
    for i in range(labels.shape[0]):
        labels[i] = new_label[labels[i]]


@kernel
def evaluate(
    state: Any,
    X: FloatArray,
    labels: IntArray,
    sizes: IntArray,
    n_clusters: int,
    log_prior_predictive: FloatArray,
    pending: IntArray,
    totals: FloatArray,
) -> None:
    """Rebuild every slot and fill ``totals`` with Σ ln m(X_k) and Σ ln f(x_i | θ_k^{-i}), in nats.

    ``pending`` (N,) collects the few points that need an explicit removal: a loop of their own keeps the first fast.
    """
    rebuild(state, X, labels, sizes, n_clusters)
    marginal, leave_one_out = 0.0, 0.0
    n_pending = 0
    for k in range(n_clusters):
        marginal += log_marginal(state, k, sizes[k])
    for i in range(X.shape[0]):
        if sizes[labels[i]] == 1:
            leave_one_out += log_prior_predictive[i]
        else:
            own = log_leave_one_out(state, X, i, labels[i], sizes[labels[i]])
            if math.isnan(own):
                pending[n_pending] = i
                n_pending += 1
            else:
                leave_one_out += own
    for j in range(n_pending):
        leave_one_out += _log_after_removal(state, X, labels, pending[j], sizes.shape[0] - 1)
    totals[0] = marginal
    totals[1] = leave_one_out


@kernel
def prior_predictives(state: Any, X: FloatArray, values: FloatArray) -> None:
    """Fill ``values`` with every point's log density under the prior predictive, through an empty slot."""
    clear_slot(state, 0)
    for i in range(X.shape[0]):
        values[i] = log_predictive(state, X, i, 0, 0)


@dataclass(frozen=True)
class Moves:
    """What one sweep did.

    Attributes
    ----------
    n_moved, n_born, n_died : int
        Points that changed cluster, clusters opened and clusters emptied on the way.
    events : ndarray (N, 3) or None
        (point, from, to) of every visit in order, if asked for; slots are numbered as :class:`SweepRecord` says.
    """

    n_moved: int = 0
    n_born: int = 0
    n_died: int = 0
    events: IntArray | None = None


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
        self._log_block = partition.block_table(n_points)
        self._log_openings = np.concatenate([[0.0], np.cumsum(self.log_open)])
        self._log_normaliser = partition.log_normaliser(n_points)

    def log_probability(self, sizes: IntArray) -> float:
        """Exact log prior probability (nats) of a partition of all N points with these sizes."""
        blocks = float(np.sum(self._log_block[sizes]))
        return blocks + float(self._log_openings[len(sizes)]) - self._log_normaliser


class CollapsedSweeper:
    """Clusters, their statistics, and the collapsed sweep over them.

    Parameters
    ----------
    family : Family
        In working coordinates.
    X : ndarray (N, D)
        Working data.
    log_jacobian : float
        Added per point to speak of densities in the units of the user's data (nats).
    partition : PartitionPrior
        Prior on partitions.
    labels : ndarray (N,)
        Starting labels 0 … K − 1, each present.
    temperature : float
        0 takes the mode, 1 samples; T samples with probability ∝ p^(1/T).
    first_sweep_rule : bool
        Whether the first sweep sees cluster 0 with the join weight of a single point (2016 App. B).
    """

    def __init__(
        self,
        family: Family,
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
        self.n_clusters = int(self.labels.max()) + 1
        self.inverse_temperature = 0.0 if temperature == 0 else 1.0 / temperature
        self.tables = PartitionTables(partition, n_points)
        capacity = max(16, 2 * self.n_clusters)
        self.state = family.bind(X, capacity + 1)
        self.log_prior_predictive = np.empty(n_points)
        prior_predictives(self.state, X, self.log_prior_predictive)
        self._counters = np.zeros(6, dtype=np.int64)
        self._counters[STARTING_SLOT] = 0 if first_sweep_rule else -1
        self._totals, self._pending = np.zeros(2), np.empty(n_points, dtype=np.int64)
        self._allocate(capacity)
        self._evaluate()

    def _allocate(self, capacity: int) -> None:
        """Size everything that has an entry per slot; the last slot is scratch."""
        self.sizes = np.bincount(self.labels, minlength=capacity + 1).astype(np.int64)
        active = np.zeros(capacity + 1, dtype=np.int64)
        active[: self.n_clusters] = np.arange(self.n_clusters)
        self._active = active
        self._scores = np.zeros(capacity + 2)
        self._candidates = np.zeros(capacity + 2, dtype=np.int64)

    def _grow(self) -> None:
        """Double the slots in the middle of a sweep."""
        capacity = 2 * (len(self.sizes) - 1)
        active = self._active
        self.state = grow_slots(self.state, capacity + 1)
        self._allocate(capacity)
        self._active[: len(active)] = active

    def sweep(self, order: IntArray, uniforms: FloatArray, record_events: bool = False) -> Moves:
        """Visit every point once.

        Parameters
        ----------
        order : ndarray (N,)
            The points in visiting order.
        uniforms : ndarray (N,) or (0,)
            One uniform number per visit; unused at temperature 0.
        record_events : bool
            Whether to return every single move.
        """
        counters = self._counters
        counters[N_OPEN] = self.n_clusters
        counters[[N_MOVED, N_BORN, N_DIED]] = 0
        events = np.empty((len(self.X) if record_events else 0, 3), dtype=np.int64)
        position = 0
        while True:
            position = collapsed_sweep(
                self.state,
                self.X,
                self.labels,
                self.sizes,
                self._active,
                counters,
                order,
                position,
                self.tables.log_join,
                self.tables.log_open,
                self.log_prior_predictive,
                self.inverse_temperature,
                uniforms,
                self._scores,
                self._candidates,
                events,
                False,
            )
            if position == len(self.X):
                break
            self._grow()
        counters[STARTING_SLOT] = -1
        self.n_clusters = int(counters[N_OPEN])
        self._compact()
        self._evaluate()
        moves = (int(counters[N_MOVED]), int(counters[N_BORN]), int(counters[N_DIED]))
        return Moves(*moves, events if record_events else None)

    def assign(self, labels: IntArray) -> None:
        """Take over a partition found elsewhere (labels 0 … K − 1, each present) and score it."""
        self.labels[:] = labels
        self.n_clusters = int(self.labels.max()) + 1
        if self.n_clusters >= len(self.sizes):
            self.state = grow_slots(self.state, 2 * self.n_clusters + 1)
        self._allocate(max(len(self.sizes) - 1, 2 * self.n_clusters))
        self._evaluate()

    def _compact(self) -> None:
        compact_labels(self.labels, self._active, self.n_clusters, self._candidates)
        open_sizes = self.sizes[self._active[: self.n_clusters]]
        self.sizes[:] = 0
        self.sizes[: self.n_clusters] = open_sizes
        self._active[: self.n_clusters] = np.arange(self.n_clusters)

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
        log_prior = self.tables.log_probability(self.sizes[: self.n_clusters])
        shift = len(self.X) * self.log_jacobian
        self.nll = -float(log_prior + self._totals[0] + shift)
        self.objective = -float(log_prior + self._totals[1] + shift)

    def candidates_of(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Log predictive (nats, in the units of the data) and log weight of every cluster, and last of a new one.

        The point's own cluster is seen without it; a cluster that holds it alone has weight −inf, since leaving it
        and coming back is opening a new one.
        """
        slots = self._active[: self.n_clusters]
        own = int(self.labels[i])
        others = self.sizes[slots] - (slots == own)
        log_density = np.empty(self.n_clusters + 1)
        log_density[-1] = self.log_prior_predictive[i]
        for position, k in enumerate(slots):
            if k == own and others[position] > 0:
                log_density[position] = _log_after_removal(self.state, self.X, self.labels, i, len(self.sizes) - 1)
            elif k == own:
                log_density[position] = self.log_prior_predictive[i]
            else:
                log_density[position] = log_predictive(self.state, self.X, i, k, others[position])
        log_weight = np.append(self.tables.log_join[others], self.tables.log_open[np.count_nonzero(others)])
        return log_density + self.log_jacobian, log_weight

    def replay(self, i: int, to: int) -> tuple[IntArray, FloatArray]:
        """Weigh a visit's candidates as the sweep did, then make the move it made.

        Returns
        -------
        candidates : ndarray (C,)
            Slots, and −1 for a new cluster.
        costs : ndarray (C,)
            −ln predictive − ln weight, nats.
        """
        log_density, log_weight = self.candidates_of(i)
        slots = self._active[: self.n_clusters]
        starting = np.append(slots, -1) == self._counters[STARTING_SLOT]
        log_weight = np.where(starting & np.isfinite(log_weight), self.tables.log_join[1], log_weight)
        weighed = np.isfinite(log_weight)
        candidates, costs = np.append(slots, -1)[weighed], -(log_density + log_weight)[weighed]
        if to != self.labels[i]:
            if self.n_clusters >= len(self.sizes) - 1:
                self._grow()
            self._counters[N_OPEN] = self.n_clusters
            move_point(self.state, self.X, self.labels, self.sizes, self._active, self._counters, i, to)
            self.n_clusters = int(self._counters[N_OPEN])
        return candidates, costs
