"""Where runs start: partitions for the collapsed sweeps, centres for the hard ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpviz._jit import kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed_sweep import mode, refill, sample
from dpviz.engine.kernels.hard import nearest_centres
from dpviz.engine.kernels.seeding import kmeans_plusplus_centres, labels_from_kmeans, random_centres
from dpviz.engine.problem import Problem
from dpviz.families.verbs import add_point, clear_slot, grow_slots, log_predictive

AUTO_SINGLES = 4
AUTO_CLUSTERS = (2, 3, 4, 6, 8, 12)
"""``auto`` takes four single starts, then K-means labels at these K: four singles alone often miss the optimum.

K-means runs on plain distances. Of standardised columns it would find Wine's optimum more often, but that of the
unequal densities of 2016 Sec. 5.2 in 13 runs of 16 instead of all; splits and merges find Wine's anyway."""


class StartKind(NamedTuple):
    """How one restart begins: a strategy, and a number of clusters where the strategy needs one."""

    strategy: str
    n_clusters: int = 0

    def __str__(self) -> str:
        """Return the name shown in ``starts_``."""
        return f"{self.strategy}({self.n_clusters})" if self.n_clusters else self.strategy


def start_kinds(problem: Problem) -> list[StartKind]:
    """One kind per restart, in the order they are run.

    Restarts that could not differ (nothing random in start, order or update) are run once.
    """
    config = problem.config
    if config.init == "auto":
        possible = [k for k in AUTO_CLUSTERS if k < len(problem.X) and k <= problem.largest_n_clusters]
        n_init = config.n_init or 1
        kinds = [StartKind("single")] * (min(AUTO_SINGLES, n_init) if possible else n_init)
        while len(kinds) < n_init:
            kinds.append(StartKind("kmeans", possible[(len(kinds) - AUTO_SINGLES) % len(possible)]))
        return kinds
    if not isinstance(config.init, str):
        kind = StartKind("labels" if np.ndim(config.init) == 1 else "centres")
    elif config.init in ("kmeans++", "random"):
        kind = StartKind(config.init, _n_starting_clusters(problem))
    else:
        kind = StartKind(config.init)
    deterministic = kind.strategy in ("labels", "centres", "single", "singletons", "sequential")
    deterministic &= config.order == "index" and not config.temperature
    return [kind] * (1 if deterministic else config.n_init or 1)


def _n_starting_clusters(problem: Problem) -> int:
    config, n_points, algorithm = problem.config, len(problem.X), problem.algorithm
    if algorithm.cluster_count:
        return int(config.option(algorithm.cluster_count))
    if config.init_clusters is not None:
        return config.init_clusters
    if not algorithm.uses_model:
        return min(3, n_points)
    expected = round(problem.partition.mean_n_clusters(n_points))
    return min(max(expected, 2), n_points, problem.largest_n_clusters)


def starting_labels(problem: Problem, kind: StartKind, order: IntArray, random_state: np.random.Generator) -> IntArray:
    """Labels (N,) 0 … K − 1, each present; exactly as many clusters as were asked for where their number is fixed."""
    labels = _labels_of(problem, kind, order, random_state)
    if problem.algorithm.cluster_count and kind.n_clusters:
        return _filled(labels, kind.n_clusters)
    return labels


def _labels_of(problem: Problem, kind: StartKind, order: IntArray, random_state: np.random.Generator) -> IntArray:
    X = problem.centred
    n_points = len(X)
    if kind.strategy == "single":
        return np.zeros(n_points, dtype=np.int64)
    if kind.strategy == "singletons":
        return np.arange(n_points)
    if kind.strategy == "labels":
        return problem.check_labels(problem.config.init)
    if kind.strategy == "kmeans":
        return _compact(labels_from_kmeans(X, kind.n_clusters, random_state))
    if kind.strategy == "random":
        return _compact(random_state.integers(kind.n_clusters, size=n_points))
    if kind.strategy == "kmeans++":
        centres = kmeans_plusplus_centres(X, kind.n_clusters, random_state)
        return _compact(nearest_centres(X, centres))
    return sequential_labels(problem, order, random_state)


def starting_centres(problem: Problem, kind: StartKind, random_state: np.random.Generator) -> FloatArray:
    """Centres (K, D) of kmeans in centred coordinates."""
    if kind.strategy == "centres":
        centres = problem.check_centres(problem.config.init)
        return np.ascontiguousarray((centres - problem.X.mean(axis=0)) / problem.scale)
    choose = random_centres if kind.strategy == "random" else kmeans_plusplus_centres
    return choose(problem.centred, kind.n_clusters, random_state)


def sequential_labels(problem: Problem, order: IntArray, random_state: np.random.Generator) -> IntArray:
    """Seat the points one by one in visiting order, each by the run's own rule given those already seated."""
    config, working = problem.config, problem.working
    n_points = len(working.X)
    log_join = np.array(problem.partition.join_table(n_points))
    log_open = np.array(problem.partition.open_table(n_points))
    inverse_temperature = 1.0 / config.temperature if config.temperature else 0.0
    uniforms = random_state.random(n_points)
    labels = np.full(n_points, -1, dtype=np.int64)
    capacity = 16
    state = working.family.bind(working.X, capacity + 1)
    sizes = np.zeros(capacity + 1, dtype=np.int64)
    position = 0
    while True:
        position = _seat(
            state, working.X, labels, sizes, order, position, log_join, log_open, inverse_temperature, uniforms
        )
        if position == n_points:
            return labels
        capacity *= 2
        state = grow_slots(state, capacity + 1)
        sizes = np.concatenate([sizes, np.zeros(capacity + 1 - len(sizes), dtype=np.int64)])


@kernel
def _seat(
    state: tuple[FloatArray, ...],
    X: FloatArray,
    labels: IntArray,
    sizes: IntArray,
    order: IntArray,
    start: int,
    log_join: FloatArray,
    log_open: FloatArray,
    inverse_temperature: float,
    uniforms: FloatArray,
) -> int:
    """Seat ``order[start:]``; return where it stopped: N, or earlier when the slots have to grow."""
    scores = np.empty(sizes.shape[0] + 1)
    n_open = 0
    while sizes[n_open] > 0:
        n_open += 1
    for position in range(start, order.shape[0]):
        i = order[position]
        if n_open == sizes.shape[0] - 1:
            return position
        clear_slot(state, n_open)
        for k in range(n_open):
            scores[k] = log_predictive(state, X, i, k, sizes[k]) + log_join[sizes[k]]
        scores[n_open] = log_predictive(state, X, i, n_open, 0) + log_open[n_open]
        if inverse_temperature == 0.0:
            choice = mode(scores, n_open + 1)
        else:
            choice = sample(scores, n_open + 1, inverse_temperature, uniforms[position])
        labels[i] = choice
        if not add_point(state, X, i, choice, sizes[choice]):
            refill(state, X, labels, choice, -1, choice)
        sizes[choice] += 1
        if choice == n_open:
            n_open += 1
    return order.shape[0]


def _compact(labels: IntArray) -> IntArray:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _filled(labels: IntArray, n_clusters: int) -> IntArray:
    """Give every cluster that no point has drawn the last point of the cluster that is largest by then."""
    labels = labels.copy()
    for absent in range(int(labels.max()) + 1, n_clusters):
        largest = int(np.argmax(np.bincount(labels)))
        labels[np.flatnonzero(labels == largest)[-1]] = absent
    return labels
