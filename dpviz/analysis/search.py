"""The quality of a search for the lowest nll: restarts, and the local optima that they end in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from dpviz.analysis.experiment import experiment
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import require_minimiser
from dpviz.engine.improve import canonical_labels
from dpviz.engine.initialise import StartKind, start_kinds
from dpviz.engine.loop import iterate_start
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError, require
from dpviz.fit.automatic import problem_for
from dpviz.metrics import variation_of_information

STRATEGIES = ("auto", "single", "kmeans++", "random", "sequential")


@dataclass(frozen=True, eq=False)
class Restart:
    """One run from one start.

    Attributes
    ----------
    strategy, start : str
        The requested strategy, and the kind of start it took, e.g. ``kmeans(4)`` for ``auto``.
    number : int
        Position among the restarts of its strategy.
    nll : float
        At the end (nats).
    labels : ndarray (N,)
    n_clusters, n_sweeps : int
    seconds : float
    """

    strategy: str
    start: str
    number: int
    nll: float
    labels: IntArray
    n_clusters: int
    n_sweeps: int
    seconds: float


def restarts(
    X: Any,
    config: RunConfig,
    n_restarts: int = 30,
    strategies: Sequence[str] = STRATEGIES,
    n_jobs: int | None = 1,
) -> Iterator[Restart]:
    """Run every start strategy many times; ``start_kinds`` runs a deterministic strategy only once.

    Parameters
    ----------
    X : array_like (N, D)
    config : RunConfig
        mapdp; its ``init`` and ``n_init`` are replaced.
    n_restarts : int
    strategies : sequence of str
    n_jobs : int, optional
        As in :func:`~dpviz.analysis.experiment.experiment`.

    Yields
    ------
    Restart

    Raises
    ------
    DpvizError
    """
    require_minimiser(config)
    require(len(strategies) > 0, "strategies", strategies, "at least one kind of start")
    for strategy in strategies:
        problem = problem_for(X, replace(config, init=strategy, n_init=n_restarts, events_sweep=None))
        trials = list(enumerate(start_kinds(problem)))
        yield from experiment(_restart, trials, (problem, strategy), n_jobs, in_order=True)


def _restart(number: int, kind: StartKind, problem: Problem, strategy: str) -> Restart:
    begun = time.perf_counter()
    for record in iterate_start(problem, number):
        last = record
    labels = last.labels.astype(np.int64)
    seconds = time.perf_counter() - begun
    return Restart(strategy, str(kind), number, last.nll, labels, last.n_clusters, last.sweep, seconds)


def expected_best(nlls: ArrayLike) -> FloatArray:
    """Return the expected lowest nll of m = 1 … n restarts drawn at random from these n, entry m − 1.

    The mean over all subsets of size m: Σ_i x_(i) C(n − i, m − 1) / C(n, m), with x_(1) the lowest.
    """
    try:
        ordered = np.sort(np.atleast_1d(np.asarray(nlls, dtype=np.float64)))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(f"nlls must be numbers: {error}.") from error
    n = len(ordered)
    require(ordered.ndim == 1 and n > 0, "nlls", nlls, "at least one number")
    behind = n - np.arange(1, n + 1)  # values that are higher, by rank
    means = np.empty(n)
    for m in range(1, n + 1):
        possible = behind >= m - 1
        rest = behind[possible]
        log_share = gammaln(rest + 1) - gammaln(m) - gammaln(rest - m + 2)
        log_all = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
        means[m - 1] = np.sum(np.exp(log_share - log_all) * ordered[possible])
    return means


@dataclass(frozen=True, eq=False)
class LocalOptima:
    """The different partitions that some restarts ended in, best first, M of them.

    Attributes
    ----------
    labels : ndarray (M, N)
    nll : ndarray (M,)
        In nats.
    counts : ndarray (M,)
        Number of restarts that ended there.
    distances : ndarray (M, M)
        Pairwise variation of information (bits).
    """

    labels: IntArray
    nll: FloatArray
    counts: IntArray
    distances: FloatArray


def local_optima(found: Iterable[Restart]) -> LocalOptima:
    """Group restarts by their final partitions, regardless of the names of clusters."""
    groups: dict[bytes, list[Restart]] = {}
    for restart in found:
        groups.setdefault(canonical_labels(restart.labels).tobytes(), []).append(restart)
    require(bool(groups), "found", [], "at least one restart")
    ordered = sorted(groups.values(), key=lambda group: group[0].nll)
    labels = np.array([canonical_labels(group[0].labels) for group in ordered])
    distances = np.zeros((len(labels), len(labels)))
    for a, b in combinations(range(len(labels)), 2):
        distances[a, b] = distances[b, a] = variation_of_information(labels[a], labels[b])
    counts = np.array([len(group) for group in ordered])
    return LocalOptima(labels, np.array([group[0].nll for group in ordered]), counts, distances)
