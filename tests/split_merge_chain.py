"""A chain of splits and merges, with sweeps between them or alone, without the bookkeeping of a run.

Over a few points that takes many times as long as the kernels. Here a move is put together once more, in one kernel and
from the engine's own; the engine makes the first moves as well, of the same random numbers, and has to agree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.engine.kernels.collapsed import CollapsedSweeper, PartitionTables
from dpviz.engine.kernels.collapsed_sweep import N_OPEN, Clusters, Visits, close_ranks, collapsed_sweep
from dpviz.engine.problem import Problem
from dpviz.engine.split_merge import (
    INFORMED_PASSES,
    SplitMerge,
    anchor_preferences,
    log_marginal_ratio,
    restricted_scan,
    sequential_allocation,
)
from dpviz.families.verbs import rebuild

N_COMPARED = 400
SCANS, SEQUENTIAL, INFORMED = range(3)
WAYS = {"scans": SCANS, "sequential": SEQUENTIAL, "informed": INFORMED}
"""How a cluster is divided."""


def engine_moves(problem: Problem, way: str, n_scans: int = 3) -> SplitMerge:
    """Return the engine's proposals, all of them in one of the ``WAYS``."""
    if way == "scans":
        return SplitMerge(problem, "restricted_scans", n_scans)
    return SplitMerge(problem, "sequential", informed=float(way == "informed"))


class Numbers(NamedTuple):
    """The random numbers of S moves and of the sweeps before them; without columns in ``orders`` there are none.

    Attributes
    ----------
    pairs : ndarray (S, 2)
        The points that a move is about.
    keys : ndarray (S, N)
        The others stand in the order of these.
    sides : ndarray (S, N)
        Where the others begin.
    scans : ndarray (S, n_scans + 1, N)
    accepts : ndarray (S,)
    orders, uniforms : ndarray (S, N) or (S, 0)
        Of the sweeps.
    """

    pairs: Any
    keys: Any
    sides: Any
    scans: Any
    accepts: Any
    orders: Any
    uniforms: Any


class Tape:
    """One move's numbers in place of a generator's."""

    def __init__(self, numbers: Numbers, step: int) -> None:
        self._pair, self._keys = numbers.pairs[step], numbers.keys[step]
        self._sides, self._accept = numbers.sides[step], numbers.accepts[step]
        self._scans = numbers.scans[step]

    def choice(self, n: int, size: int, replace: bool) -> np.ndarray:
        assert (n, size, replace) == (len(self._keys), 2, False)
        return self._pair

    def permutation(self, points: np.ndarray) -> np.ndarray:
        return points[np.argsort(self._keys[points])]

    def integers(self, high: int, size: int) -> np.ndarray:
        assert high == 2
        return self._sides[:size].copy()

    def random(self, shape: tuple[int, int] | int | None = None) -> Any:
        if shape is None:
            return self._accept
        if isinstance(shape, int):
            return self._scans[0, :shape]
        assert shape[0] == len(self._scans)
        return self._scans[:, : shape[1]]


@kernel
def divide(moves, X, members, sides, counts, log_join, scans, target, way):
    """Divide the members as the engine does in one of the ``WAYS``; return the log probability of the division."""
    last = scans.shape[0] - 1
    log_proposal, none, n_members = 0.0, target[:0], members.shape[0]
    if way == SCANS:
        for scan in range(scans.shape[0]):
            forced = target if scan == last else none
            log_proposal = restricted_scan(moves, X, members, sides, counts, log_join, 1.0 - scans[scan], forced)
        return log_proposal
    if way == SEQUENTIAL:
        return sequential_allocation(moves, X, members, sides, counts, log_join, 1.0 - scans[last], target)
    preferences, halves = np.empty(n_members), np.full(n_members, 0.5)
    anchor_preferences(moves, X, members, sides, counts, preferences)
    order = np.arange(n_members)
    for j in range(1, n_members):  # the clearest first; compiling argsort takes longer
        place, member = j, order[j]
        while place > 0 and preferences[order[place - 1]] < preferences[member]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = member
    ordered, forced = members[order], target[order] if target.shape[0] > 0 else none
    divided = np.empty(n_members, dtype=np.int64)
    sequential_allocation(moves, X, ordered, divided, counts, log_join, halves, none)
    for _ in range(INFORMED_PASSES):
        restricted_scan(moves, X, ordered, divided, counts, log_join, halves, none)
    log_proposal = restricted_scan(moves, X, ordered, divided, counts, log_join, 1.0 - scans[last], forced)
    sides[order] = divided
    return log_proposal


@kernel
def move_and_record(sweeps, moves, X, labels, numbers, way, weights, log_block, record):
    """Sweep, if there are orders, and move; record the partition, and the sign of what was accepted."""
    n = labels.shape[0]
    accepted = np.zeros(record.shape[0], dtype=np.int64)
    sizes, active = np.zeros(17, dtype=np.int64), np.zeros(17, dtype=np.int64)
    log_join, log_open, events = weights.log_join, weights.log_open, np.empty((0, 3), dtype=np.int64)
    counters, counts, divided = np.array([0, 0, 0, 0, -1, 0, 0]), np.zeros(2, np.int64), np.zeros(2, np.int64)
    for step in range(record.shape[0]):
        if numbers.orders.shape[1] > 0:
            n_clusters = labels.max() + 1
            sizes[:] = 0
            for label in labels:
                sizes[label] += 1
            for k in range(n_clusters):
                active[k] = k
            counters[N_OPEN] = n_clusters
            rebuild(sweeps, X, labels, sizes, n_clusters, 0)
            visits = Visits(numbers.orders[step], numbers.uniforms[step], 1.0, events)
            collapsed_sweep(sweeps, X, Clusters(labels, sizes, active, counters), weights, visits, 0, False)
            close_ranks(labels, sizes, active, counters[N_OPEN])
        first, second = numbers.pairs[step, 0], numbers.pairs[step, 1]
        a, b, keys = labels[first], labels[second], numbers.keys[step]
        members, m = np.empty(n, dtype=np.int64), 2
        members[0], members[1] = first, second
        for i in range(n):
            if i != first and i != second and (labels[i] == a or labels[i] == b):
                place = m  # the others in the order of their keys; compiling argsort takes longer
                while place > 2 and keys[members[place - 1]] > keys[i]:
                    members[place] = members[place - 1]
                    place -= 1
                members[place] = i
                m += 1
        members = members[:m].copy()
        original = np.empty(m, dtype=np.int64)
        for j in range(m):
            original[j] = 0 if labels[members[j]] == a else 1
        sides = numbers.sides[step, :m].copy()
        sides[0], sides[1] = 0, 1
        target = original if a != b else original[:0]
        log_proposal = divide(moves, X, members, sides, counts, log_join, numbers.scans[step, :, :m], target, way)
        divided[1] = sides.sum()
        divided[0] = m - divided[1]
        n_united = labels.max() + 1 - (0 if a == b else 1)
        log_ratio = log_block[divided[0]] + log_block[divided[1]] - log_block[m] + log_open[n_united] - log_proposal
        log_ratio += log_marginal_ratio(moves, X[members], sides, divided)
        if np.log(1.0 - numbers.accepts[step]) < (log_ratio if a == b else -log_ratio):
            accepted[step] = 1 if a == b else -1
            new = labels.max() + 1 if a == b else min(a, b)
            for j in range(m):
                if a != b or sides[j] == 1:
                    labels[members[j]] = new
            if a != b:
                for i in range(n):
                    labels[i] -= labels[i] > max(a, b)
        record[step] = labels
    return accepted


def draw_numbers(n_points: int, n_steps: int, n_scans: int, with_sweeps: bool, seed: int) -> Numbers:
    rng, n_visits = np.random.default_rng(seed), n_points if with_sweeps else 0
    pairs = rng.permuted(np.tile(np.arange(n_points), (n_steps, 1)), axis=1)[:, :2].copy()
    orders = rng.permuted(np.tile(np.arange(n_visits), (n_steps, 1)), axis=1)
    return Numbers(
        pairs, rng.random((n_steps, n_points)), rng.integers(2, size=(n_steps, n_points)),
        rng.random((n_steps, n_scans + 1, n_points)), rng.random(n_steps), orders, rng.random(orders.shape),
    )  # fmt: skip


def fast_moves(
    problem: Problem, n_steps: int, way: str, n_scans: int = 3, with_sweeps: bool = False, seed: int = 1
) -> np.ndarray:
    """Partitions (S, N) of a chain that begins with one cluster; the engine's after the first so many steps."""
    working, n_points = problem.working, len(problem.X)
    numbers = draw_numbers(n_points, n_steps, n_scans if way == "scans" else 0, with_sweeps, seed)
    engine = engine_moves(problem, way, n_scans)
    tables, start = PartitionTables(problem.partition, n_points), np.zeros(n_points, dtype=np.int64)
    clusters, ours = (
        CollapsedSweeper(working.family, working.X, working.log_jacobian, problem.partition, start, 1.0)
        for _ in range(2)
    )
    record = np.empty((n_steps, n_points), dtype=np.int64)
    accepted = move_and_record(
        ours.state, working.family.bind(working.X, 2), working.X, start.copy(), numbers, WAYS[way],
        tables.weights(ours.log_prior_predictive), problem.partition.block_table(n_points), record,
    )  # fmt: skip
    for step in range(N_COMPARED):
        if with_sweeps:
            clusters.sweep(numbers.orders[step], numbers.uniforms[step])
        result = engine.move(clusters.labels, Tape(numbers, step))  # type: ignore[arg-type]
        assert accepted[step] == result.accepted * (1 if result.move == "split" else -1)
        np.testing.assert_array_equal(record[step], result.labels, err_msg="not the engine's moves")
        clusters.assign(result.labels)
    assert {-1, 0, 1} == set(accepted[:N_COMPARED].tolist())
    return record
