"""Starts of runs: partitions for the collapsed sweeps, centres for the hard ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dpviz._jit import borrowed, kernel
from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.collapsed_sweep import mode, refill, sample
from dpviz.engine.kernels.seeding import kmeans_plusplus_centres, labels_by, random_centres
from dpviz.engine.options import COUNTED_STARTS
from dpviz.engine.problem import Problem
from dpviz.families.verbs import add_point, clear_slot, grow_slots, log_predictive, rebuild
from dpviz.partition import PartitionPrior

AUTO_SINGLES = 2
FEWEST_PER_CLUSTER, FEWEST_CLUSTERS, MOST_CLUSTERS = 20, 12, 64
"""``auto`` takes two single starts, then K-means labels with 2 and more clusters, up to one per this many points.

K-means runs on plain distances. Of standardised columns it would find Wine's optimum more often, but that of the
unequal densities of 2016 Sec. 5.2 in 13 runs of 16 instead of all; the search after the starts finds Wine's anyway."""


CLUSTERS_WITHOUT_MODEL, FEWEST_EXPECTED = 3, 2
"""Of starts that are told no number: as many without a model, and at least as many with one."""


MOST_POINTS, SAMPLE = 50_000, 10_000
"""With more points than the first number, ``auto`` searches a sample of the second size, then runs one start on all."""


class StartKind(NamedTuple):
    """Start of one restart: a strategy, and a number of clusters if the strategy needs one."""

    strategy: str
    n_clusters: int = 0

    def __str__(self) -> str:
        """Return the name shown in ``starts_``."""
        return f"{self.strategy}({self.n_clusters})" if self.n_clusters else self.strategy


def start_kinds(problem: Problem) -> list[StartKind]:
    """Return one kind per restart, in the order they are run.

    Restarts that could not differ (nothing random in start, order or update) are run once.
    """
    config = problem.config
    if config.init == "auto":
        n_init = config.n_init or 1
        if len(problem.X) > MOST_POINTS and problem.algorithm.improves(config) and not problem.imputes:
            return [StartKind("sample")]
        counts = auto_clusters(len(problem.X), problem.largest_n_clusters, n_init - AUTO_SINGLES).tolist()
        kinds = [StartKind("single")] * (n_init - len(counts))
        return [*kinds, *(StartKind("kmeans", n_clusters) for n_clusters in counts)]
    if not isinstance(config.init, str):
        kind = StartKind("labels" if np.ndim(config.init) == 1 else "centres")
    elif config.init in COUNTED_STARTS:
        kind = StartKind(config.init, _n_starting_clusters(problem))
    else:
        kind = StartKind(config.init)
    deterministic = kind.strategy in ("labels", "centres", "single", "singletons", "sequential")
    deterministic &= config.order == "index" and not config.temperature
    return [kind] * (1 if deterministic else config.n_init or 1)


@kernel
def auto_clusters(n_points: int, largest_n_clusters: int, n_starts: int) -> IntArray:
    """Return the numbers of clusters of this many K-means starts, about evenly spaced in their logarithm."""
    most = min(max(n_points // FEWEST_PER_CLUSTER, FEWEST_CLUSTERS), MOST_CLUSTERS, n_points - 1, largest_n_clusters)
    if n_starts < 1 or most < 2:
        return np.empty(0, np.int64)
    counts = np.full(n_starts, 2)
    for j in range(1, n_starts):
        counts[j] = np.rint(2.0 * math.exp(math.log(most / 2.0) * j / (n_starts - 1.0)))
    return counts


@kernel
def expected_clusters(mean: float, most: int) -> int:
    """Return how many clusters a start takes where the prior expects this number of them."""
    return min(max(int(np.rint(mean)), FEWEST_EXPECTED), most)


def _n_starting_clusters(problem: Problem) -> int:
    config, n_points, algorithm = problem.config, len(problem.X), problem.algorithm
    if algorithm.cluster_count:
        return int(config.option(algorithm.cluster_count))
    if config.init_clusters is not None:
        return config.init_clusters
    if not algorithm.uses_model:
        return min(CLUSTERS_WITHOUT_MODEL, n_points)
    mean = float(problem.partition.mean_n_clusters(n_points))
    return int(expected_clusters(mean, min(n_points, problem.largest_n_clusters)))


def starting_labels(problem: Problem, kind: StartKind, order: IntArray, random_state: np.random.Generator) -> IntArray:
    """Labels (N,) 0 … K − 1, each present; exactly the requested number of clusters if that is fixed."""
    labels = _labels_of(problem, kind, order, random_state)
    if problem.algorithm.cluster_count and kind.n_clusters:
        return _filled(labels, kind.n_clusters)
    return labels


def _labels_of(problem: Problem, kind: StartKind, order: IntArray, random_state: np.random.Generator) -> IntArray:
    if kind.strategy == "labels":
        return problem.check_labels(problem.config.init)
    if kind.strategy == "sample":
        assert problem.sampled is not None, "the sample is searched first"
        return problem.sampled
    if kind.strategy == "sequential":
        return sequential_labels(problem, order, random_state)
    return labels_by(kind.strategy, problem.centred, kind.n_clusters, random_state)


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
        end = n_points
        if not problem.partition.constant_tables:  # every point has weights of its own
            end = position + 1
            _set_weights(problem.partition, sizes[: np.count_nonzero(sizes)], log_join, log_open)
        position = seat(
            state, working.X, labels, sizes, order[:end], position, log_join, log_open, inverse_temperature, uniforms
        )
        if position == n_points:
            return labels
        if position == end:
            continue
        capacity *= 2
        state = grow_slots(state, capacity + 1)
        sizes = np.concatenate([sizes, np.zeros(capacity + 1 - len(sizes), dtype=np.int64)])


def _set_weights(partition: PartitionPrior, seated: IntArray, log_join: FloatArray, log_open: FloatArray) -> None:
    """Set the entries of the tables that the next point needs."""
    if len(seated):
        weights = partition.log_seat_weights(seated)
        log_join[seated], log_open[len(seated)] = weights[:-1], weights[-1]


@kernel
def seat(
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
    state, X, labels, sizes = borrowed((state, X, labels, sizes))
    scores = np.empty(sizes.shape[0] + 1)
    n_open = 0
    while sizes[n_open] > 0:
        n_open += 1
    clear_slot(state, n_open)
    for position in range(start, order.shape[0]):
        i = order[position]
        if n_open == sizes.shape[0] - 1:
            return position
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
            clear_slot(state, n_open)
    return order.shape[0]


def sample_of(problem: Problem) -> tuple[IntArray, Problem]:
    """Return some random points (n,) and the problem of these alone, with the hyperparameters of all."""
    config, family = problem.config, problem.family
    chosen = np.sort(np.random.default_rng([config.seed, SAMPLE]).permutation(len(problem.X))[:SAMPLE])
    return chosen, Problem(problem.X[chosen], replace(config, prior=family.as_prior, events_sweep=None))


def extended(problem: Problem, sample: IntArray, labels: IntArray) -> IntArray:
    """Give every point (N,) its most probable cluster of the sample.

    Parameters
    ----------
    problem : Problem
    sample : ndarray (n,)
        Positions of the sample's points.
    labels : ndarray (n,)
        Their clusters, 0 … K − 1.
    """
    working, sizes = problem.working, np.bincount(labels)
    state = working.family.bind(working.X, len(sizes) + 1)
    rebuild(state, working.X[sample], labels, sizes, len(sizes), 0)
    found = np.empty(len(working.X), dtype=np.int64)
    _assign(state, working.X, sizes, np.array(problem.partition.join_table(len(working.X))), found)
    found[sample] = labels
    return found


@kernel
def _assign(
    state: tuple[FloatArray, ...], X: FloatArray, sizes: IntArray, log_join: FloatArray, found: IntArray
) -> None:
    """Fill ``found`` with the cluster of highest weight and predictive, for every point."""
    state, X = borrowed((state, X))
    for i in range(X.shape[0]):
        highest = -np.inf
        for k in range(sizes.shape[0]):
            score = log_predictive(state, X, i, k, sizes[k]) + log_join[sizes[k]]
            if k == 0 or score > highest:
                highest = score
                found[i] = k


def _filled(labels: IntArray, n_clusters: int) -> IntArray:
    """Give every cluster without points the last point of the largest cluster at that moment."""
    labels = labels.copy()
    for absent in range(int(labels.max()) + 1, n_clusters):
        largest = int(np.argmax(np.bincount(labels)))
        labels[np.flatnonzero(labels == largest)[-1]] = absent
    return labels
