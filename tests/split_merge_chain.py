"""A chain of splits and merges, with sweeps between them or alone, without the bookkeeping of a run.

Over a few points that takes many times as long as the kernels.
"""

from __future__ import annotations

import numpy as np

from dpviz._jit import kernel
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.kernels.collapsed_sweep import N_OPEN, Visits, close_ranks, collapsed_sweep
from dpviz.engine.kernels.split_merge import propose_splits_and_merges
from dpviz.engine.problem import Problem
from dpviz.engine.split_merge import SplitMerge
from dpviz.families.verbs import rebuild
from dpviz.numerics.stream import draw_permutation, draw_uniforms, stream_of


@kernel
def move_and_record(sweeps, moves, X, clusters, weights, law, with_sweeps, stream, record):
    """Sweep, if there are sweeps, and move; record the partition."""
    labels, sizes, active, counters = clusters
    n_points, events = labels.shape[0], np.empty((0, 3), dtype=np.int64)
    for step in range(record.shape[0]):
        if with_sweeps:
            rebuild(sweeps, X, labels, sizes, counters[N_OPEN], 0)
            visits = Visits(draw_permutation(stream, n_points), draw_uniforms(stream, n_points), 1.0, events)
            collapsed_sweep(sweeps, X, clusters, weights, visits, 0, False)
            close_ranks(labels, sizes, active, counters[N_OPEN])
        propose_splits_and_merges(moves, X, clusters, weights.log_join, law, 1, stream)
        record[step] = labels


def fast_moves(problem: Problem, n_steps: int, with_sweeps: bool = False, seed: int = 1) -> np.ndarray:
    """Partitions (S, N) of a chain that begins with one cluster."""
    working, n_points = problem.working, len(problem.X)
    start, record = np.zeros(n_points, dtype=np.int64), np.empty((n_steps, n_points), dtype=np.int64)
    ours = CollapsedSweeper(working.family, working.X, working.log_jacobian, problem.partition, start, 1.0)
    ours._clusters.counters[N_OPEN] = 1
    with stream_of(np.random.default_rng(seed)) as stream:
        move_and_record(
            ours.state,
            working.family.bind(working.X, 2),
            working.X,
            ours._clusters,
            ours.weights,
            ours.tables.law,
            with_sweeps,
            stream,
            record,
        )
    return record


def engine_moves(problem: Problem, n_steps: int, seed: int) -> np.ndarray:
    """Partitions (S, N) of such a chain without sweeps, one call of the engine after the other."""
    moves, rng = SplitMerge(problem), np.random.default_rng(seed)
    labels, visited = np.zeros(len(problem.X), dtype=np.int64), np.empty((n_steps, len(problem.X)), dtype=np.int64)
    for step in range(n_steps):
        labels = visited[step] = moves.move(labels, rng)[0]
    return visited
