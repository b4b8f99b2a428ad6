"""The sweep that chooses the cluster and the missing cells of a row together, each cell at its most probable value."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import borrowed, kernel
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.engine.kernels.collapsed import NO_EVENTS, CollapsedSweeper
from dpviz.engine.kernels.collapsed_sweep import (
    N_HIDDEN,
    N_MOVED,
    N_OPEN,
    STARTING_SLOT,
    Clusters,
    Weights,
    free_slot,
    join_cluster,
    leave_cluster,
    refill,
)
from dpviz.families.base import WorkingData
from dpviz.families.filling import Gaps, gaps_of, log_predictive_of_seen
from dpviz.families.verbs import add_point, clear_slot
from dpviz.partition import PartitionPrior


class MissingCells(NamedTuple):
    """The missing cells of a table (N, C), in the order of rows and then columns.

    Attributes
    ----------
    images : ndarray (C, D)
        By how much a row moves, in working coordinates, per unit of each column.
    first : ndarray (N + 1,)
        Row i has the cells ``first[i]`` … ``first[i + 1]`` − 1.
    columns : ndarray (M,)
        Column of each cell.
    shifts : ndarray (M,)
        By how much each cell has changed since it was last taken over, in the units of the data.
    """

    images: FloatArray
    first: IntArray
    columns: IntArray
    shifts: FloatArray


@kernel
def _best_cluster(
    state: Any, X: FloatArray, clusters: Clusters, weights: Weights, gaps: Gaps, i: int, own: int, chosen: FloatArray
) -> int:
    """Return the slot, or −1 for a new cluster, where the weight and the predictive of the seen cells are highest.

    Point i has left slot ``own``, unless it is alone there: then that is the new cluster. ``chosen`` (M,) is filled
    with the shifts of its missing cells. A tie goes to its own cluster, then to the oldest.
    """
    labels, sizes, active, counters = clusters
    log_join, log_open, _ = weights
    n_open, alone, scratch = counters[N_OPEN], labels[i] == own, sizes.shape[0] - 1
    best, choice = -math.inf, own
    for position in range(-1, n_open + 1):  # its own cluster, the open ones, a new one
        opens = position == n_open or position == -1 and alone
        k = scratch if opens else own if position == -1 else active[position]
        if position >= 0 and (k == own or opens and alone):
            continue
        if opens:
            clear_slot(state, scratch)
            n, log_weight = 0, log_open[n_open + counters[N_HIDDEN] - (1 if alone else 0)]
        else:
            n = sizes[k]
            log_weight = log_join[1] if k == counters[STARTING_SLOT] else log_join[n]
        score = log_weight + log_predictive_of_seen(state, X, i, k, n, gaps)
        if score > best:
            best, choice = score, own if position == -1 else -1 if opens else k
            chosen[:] = gaps.shifts
    return choice


@kernel
def fill_rows(
    state: Any,
    X: FloatArray,
    clusters: Clusters,
    weights: Weights,
    missing: MissingCells,
    order: IntArray,
    events: IntArray,
    start: int,
) -> int:
    """Move rows ``order[start:]`` to their best clusters, with their missing cells at the mode there.

    Returns where it stopped: at the end, or where a birth would have no free slot. ``events`` (V, 3) or (0, 3) is
    filled with (point, from, to).
    """
    state, X, clusters, weights, missing = borrowed((state, X, clusters, weights, missing))
    labels, sizes, _, counters = clusters
    images, first, columns, shifts = missing
    for position in range(start, order.shape[0]):
        if counters[N_OPEN] + counters[N_HIDDEN] == sizes.shape[0] - 1:
            return position
        i = order[position]
        own, begin, end = labels[i], first[i], first[i + 1]
        gaps, chosen = gaps_of(images, columns[begin:end]), np.zeros(end - begin)
        alone = sizes[own] == 1
        if not alone:
            leave_cluster(state, X, clusters, i)
        choice = _best_cluster(state, X, clusters, weights, gaps, i, own, chosen)
        for j in range(end - begin):
            shifts[begin + j] += chosen[j]
            for d in range(X.shape[1]):
                X[i, d] += chosen[j] * gaps.directions[j, d]
        if alone and choice != own:
            leave_cluster(state, X, clusters, i)
        to = free_slot(sizes) if choice == -1 else choice
        if alone and choice == own:
            clear_slot(state, own)
            if not add_point(state, X, i, own, 0):
                refill(state, X, labels, own, -1, own)
        else:
            join_cluster(state, X, clusters, i, to)
        counters[N_MOVED] += choice != own
        if events.shape[0] > 0:
            events[position, 0] = i
            events[position, 1] = own
            events[position, 2] = to
    return order.shape[0]


class FillingSweeper(CollapsedSweeper):
    """Clusters of rows with missing cells, which are at their modes; complete rows move first in every sweep.

    Parameters
    ----------
    working : WorkingData
        Of the table as first filled.
    missing : ndarray of bool (N, C)
    partition : PartitionPrior
        Prior on partitions.
    labels : ndarray (N,)
        Starting labels.
    first_sweep_rule : bool
        As for :class:`~dpviz.engine.kernels.collapsed.CollapsedSweeper`.
    """

    def __init__(
        self,
        working: WorkingData,
        missing: BoolArray,
        partition: PartitionPrior,
        labels: IntArray,
        first_sweep_rule: bool = False,
    ) -> None:
        counts = missing.sum(axis=1)
        self._has_gaps = counts > 0
        self._missing = MissingCells(
            np.ascontiguousarray(working.directions(missing.shape[1])),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.nonzero(missing)[1].astype(np.int64),
            np.zeros(int(counts.sum())),
        )
        X = working.X.copy()  # the problem's other starts need the original
        super().__init__(working.family, X, working.log_jacobian, partition, labels, 0.0, first_sweep_rule)

    def taken_shifts(self) -> FloatArray:
        """Return by how much the missing cells (M,) have changed since this was last called."""
        shifts = self._missing.shifts.copy()
        self._missing.shifts[:] = 0.0
        return shifts

    def candidates_of(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Log predictive of the point's seen cells and log weight of every cluster, and last of a new one."""
        log_density, log_weight = super().candidates_of(i)  # of all its cells as they are now
        if not self._has_gaps[i]:
            return log_density, log_weight
        own, scratch = int(self.labels[i]), len(self.sizes) - 1
        images, first, columns, _ = self._missing
        gaps = gaps_of(images, columns[first[i] : first[i + 1]])
        for position, k in enumerate([*self._active[: self.n_clusters], scratch]):
            n, slot = int(self.sizes[k]), int(k)
            if k == own and n > 1:
                n, slot = refill(self.state, self.X, self.labels, own, i, scratch), scratch
            elif k in (own, scratch):
                clear_slot(self.state, scratch)
                n, slot = 0, scratch
            log_density[position] = log_predictive_of_seen(self.state, self.X, i, slot, n, gaps)
        log_density += self.log_jacobian
        return log_density, log_weight

    def _repeat(self, i: int, to: int) -> None:
        """Repeat a move and fill the point's missing cells."""
        if not self._has_gaps[i]:
            super()._repeat(i, to)
            return
        self._counters[N_OPEN] = self.n_clusters
        self._fill(np.array([i]), NO_EVENTS)
        self.n_clusters = int(self._counters[N_OPEN])

    def _visit_all(self, order: IntArray, uniforms: FloatArray, events: IntArray) -> None:
        """Visit complete rows as always, then the others."""
        later = self._has_gaps[order]
        complete = order[~later]
        super()._visit_all(complete, uniforms, events[: len(complete)])
        self._fill(order[later], events[len(complete) :])

    def _fill(self, rows: IntArray, events: IntArray) -> None:
        """Visit rows with missing cells, with as many slots as it takes."""
        position = 0
        while True:
            position = fill_rows(
                self.state, self.X, self._clusters, self.weights, self._missing, rows, events, position
            )
            if position == len(rows):
                return
            self._grow()
