"""Several chains of one posterior from different starts, on all cores at once; and predictions of draws.

Chains are independent, so scheduling does not change any number. Kernels release Python's lock: the
threads of one process run side by side.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpviz.arrays import FloatArray, IntArray, evenly_spaced
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.hyperparameters import with_partition
from dpviz.engine.problem import Problem, check_config
from dpviz.engine.record import SweepRecord
from dpviz.engine.recording import is_regular
from dpviz.engine.search import Search, can_resume
from dpviz.engine.trace import Trace, check_traces
from dpviz.engine.transforms import predictive_of
from dpviz.errors import require
from dpviz.fit.automatic import resolve
from dpviz.parameters import is_number
from dpviz.partition import PartitionPrior
from dpviz.partition.base import whole_number

SLICE_SECONDS = 0.05
"""Seconds that a thread sweeps one chain before it turns to the shortest one."""
N_STARTS = 4
"""Kinds of start; further chains repeat them."""
MANY, FEW = 30, 4
"""Clusters of a start with many, and of one with random labels."""


def different_starts(config: RunConfig, n_chains: int, n_points: int) -> tuple[RunConfig, ...]:
    """Give every chain a start and a seed of its own: few clusters, many, points seated one by one, random labels.

    Chains that all begin in one mode cannot show what they miss; these starts are overdispersed.

    Parameters
    ----------
    config : RunConfig
        Of gibbs; its own start is not used.
    n_chains : int
        ≥ 1. After the fourth the kinds repeat, with other seeds.
    n_points : int

    Returns
    -------
    tuple of RunConfig
        Chain c has seed ``config.seed + c``.
    """
    check_config(config)
    n_chains, n_points = whole_number("n_chains", n_chains), whole_number("n_points", n_points)
    assert config.partition is not None
    most = min(max(n_points // 3, 1), config.partition.most_clusters(n_points))
    kinds: tuple[tuple[str, int | None], ...] = (
        ("single", None),
        ("kmeans++", min(MANY, most)),
        ("sequential", None),
        ("random", min(FEW, most)),
    )
    return tuple(
        replace(
            config,
            init=kinds[chain % len(kinds)][0],
            init_clusters=kinds[chain % len(kinds)][1],
            n_init=1,
            seed=(config.seed + chain) % 2**32,
        )
        for chain in range(n_chains)
    )


@dataclass(frozen=True, eq=False)
class Series:
    """Series of chains while they run.

    Attributes
    ----------
    n_clusters, nll : tuple of ndarray (T_c + 1,)
        Of every chain, the initial state first.
    """

    n_clusters: tuple[IntArray, ...]
    nll: tuple[FloatArray, ...]


class _Chain:
    """One chain, swept by one thread at a time."""

    def __init__(self, problem: Problem, trace: Trace | None) -> None:
        earlier = trace if trace is not None and can_resume(problem, trace) else None
        self._search = Search(problem, earlier)
        self._records = self._search.records()
        self.n_sweeps = problem.config.n_sweeps
        self.n_clusters: list[int] = []
        self.nll: list[float] = []
        if earlier is not None and earlier.position is not None:
            end = earlier.position.sweep + 1
            self.n_clusters, self.nll = earlier.n_clusters[:end].tolist(), earlier.nll[:end].tolist()
        self.over = False

    @property
    def done(self) -> int:
        """Sweeps done so far."""
        return max(len(self.nll) - 1, 0)

    def sweep(self, stop: Event) -> int:
        """Sweep for some time; return the number of new records."""
        until, n_records = time.perf_counter() + SLICE_SECONDS, 0
        while not self.over and not stop.is_set() and (n_records == 0 or time.perf_counter() < until):
            step = next(self._records, None)
            if step is None:
                self.over = True
                break
            n_records += 1
            self._note(step[2])
        return n_records

    def _note(self, record: SweepRecord | None) -> None:
        assert record is not None  # only searches by changes of whole clusters have steps without one
        self.n_clusters.append(record.n_clusters)
        self.nll.append(record.nll)

    def trace(self) -> Trace:
        """Return the recorded trace; of a chain without any sweep yet, its initial state."""
        if not self.nll:
            self._note(next(self._records)[2])
        return self._search.trace()


class Chains:
    """Chains of the same length that are swept together.

    Parameters
    ----------
    X : array_like (N, D)
    configs : sequence of RunConfig
        One per chain, of gibbs with one start each, see :func:`different_starts`.
    traces : sequence of Trace, optional
        Earlier, shorter runs of the same chains, which are continued as :func:`dpviz.resume` continues one.

    Raises
    ------
    InvalidDataError, InvalidParameterError, MemoryLimitError
    """

    def __init__(self, X: Any, configs: Sequence[RunConfig], traces: Sequence[Trace] = ()) -> None:
        require(len(configs) > 0, "configs", configs, "at least one configuration")
        require(len(traces) in (0, len(configs)), "len(traces)", len(traces), f"0 or {len(configs)}")
        for config in configs:
            chain = isinstance(config, RunConfig) and ALGORITHMS[config.algorithm].is_chain and config.n_init == 1
            require(chain, "configs", config, "configurations of gibbs with n_init=1")
        model = resolve(X, configs[0]).config  # chains of different seeds must not choose different models
        self.configs = tuple(config.with_model_of(model) if config.is_automatic else config for config in configs)
        earlier: Sequence[Trace | None] = traces or [None] * len(configs)
        self._chains = [
            _Chain(Problem.check(X, config), trace) for config, trace in zip(self.configs, earlier, strict=True)
        ]
        self._stop = Event()

    @property
    def n_sweeps_done(self) -> tuple[int, ...]:
        """Sweeps done so far, by chain; may be read from any thread."""
        return tuple(chain.done for chain in self._chains)

    @property
    def n_sweeps(self) -> int:
        """Sweeps of all chains together once they are over."""
        return sum(chain.n_sweeps for chain in self._chains)

    def advance(self, n_threads: int = 1) -> Generator[int, None, None]:
        """Sweep, always the shortest chain next, until all are over; closing the generator ends it promptly.

        Parameters
        ----------
        n_threads : int
            Number of chains swept at the same time, ≥ 1.

        Yields
        ------
        int
            Sweeps done since the last yield.
        """
        require(isinstance(n_threads, int) and n_threads >= 1, "n_threads", n_threads, "a whole number ≥ 1")
        running: dict[Future[int], _Chain] = {}
        with ThreadPoolExecutor(n_threads, "dpviz chain") as threads:
            try:
                while True:
                    resting = [chain for chain in self._chains if not chain.over and chain not in running.values()]
                    resting.sort(key=lambda chain: chain.done)
                    for chain in resting[: n_threads - len(running)]:
                        running[threads.submit(chain.sweep, self._stop)] = chain
                    if not running:
                        return
                    finished, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in finished:
                        del running[future]
                    yield sum(future.result() for future in finished)
            finally:
                self._stop.set()
                wait(running)
                self._stop.clear()

    def series(self) -> Series:
        """Return K and nll so far; may be read from any thread."""
        lengths = [len(chain.nll) for chain in self._chains]  # K is noted before the nll
        return Series(
            tuple(np.array(chain.n_clusters[:end]) for chain, end in zip(self._chains, lengths, strict=True)),
            tuple(np.array(chain.nll[:end]) for chain, end in zip(self._chains, lengths, strict=True)),
        )

    def traces(self) -> tuple[Trace, ...]:
        """Return the traces so far; only while nothing is swept."""
        return tuple(chain.trace() for chain in self._chains)


def _draws_between(trace: Trace, burn_in: int, last: int) -> IntArray:
    """Rows of recorded sweeps after burn_in up to last, without those kept for other reasons than as draws."""
    inside = (trace.label_sweeps > burn_in) & (trace.label_sweeps <= last)
    if trace.stride > 1:
        inside &= is_regular(trace.label_sweeps, trace.config, trace.stride)
    return np.flatnonzero(inside)


def pooled_draws(traces: Sequence[Trace], burn_in: int, most: int) -> tuple[NDArray[Any], IntArray, IntArray]:
    """Collect recorded partitions of several chains after the burn-in, evenly thinned, with equal numbers from each.

    Parameters
    ----------
    traces : sequence of Trace
    burn_in : int
        Sweeps left out at the start of each chain; ≥ 0.
    most : int
        Most draws of all chains together, but at least one of each.

    Returns
    -------
    labels : ndarray (S, N)
    chains, sweeps : ndarray of int, shape (S,)
        Chain and sweep of each draw; chains count from 0.

    Raises
    ------
    InvalidParameterError
        If some chain has no draw left.
    """
    check_traces(traces)
    require(len(traces) > 0, "traces", traces, "at least one run")
    most = whole_number("most", most)
    require(is_number(burn_in), "burn_in", burn_in, "a whole number ≥ 0")
    last = min(trace.n_sweeps for trace in traces)
    rows = [_draws_between(trace, burn_in, last) for trace in traces]
    n_each = min(len(found) for found in rows)
    require(n_each > 0, "burn_in", burn_in, f"smaller than the {last} sweeps of the shortest chain", "Run longer.")
    n_each = min(n_each, max(most // len(traces), 1))
    chosen = [found[evenly_spaced(len(found), n_each)] for found in rows]
    labels = np.concatenate([trace.labels[kept] for trace, kept in zip(traces, chosen, strict=True)])
    sweeps = np.concatenate([trace.label_sweeps[kept] for trace, kept in zip(traces, chosen, strict=True)])
    return labels, np.repeat(np.arange(len(traces)), n_each), sweeps


@dataclass(frozen=True, eq=False)
class PredictiveBands:
    """Density of one more point under the posterior, and its variation over the draws.

    Attributes
    ----------
    mean : ndarray (n,)
        Posterior predictive density: the mean over the draws.
    lower, upper : ndarray (n,)
        Quantiles over the draws, separately at each place.
    """

    mean: FloatArray
    lower: FloatArray
    upper: FloatArray


def predictive_bands(
    problem: Problem,
    draws: NDArray[Any],
    points: FloatArray,
    probability: float = 0.9,
    partitions: Sequence[PartitionPrior] = (),
) -> PredictiveBands:
    """Evaluate the mixture predictive of every draw (2016 App. E) and summarise it place by place.

    Parameters
    ----------
    problem : Problem
        Training data and model.
    draws : ndarray of int, shape (S, N)
        0 … K − 1 in every row, each present.
    points : ndarray (n, D)
    probability : float
        Probability of the band, in (0, 1): equal tails are left out.
    partitions : sequence of PartitionPrior, optional
        Partition prior of each draw, if chains learn its hyperparameters; the problem's by default.

    Returns
    -------
    PredictiveBands
        Densities per unit of the data.
    """
    require(0 < probability < 1, "probability", probability, "a number in (0, 1)")
    require(len(partitions) in (0, len(draws)), "len(partitions)", len(partitions), f"0 or {len(draws)}")
    problems = [with_partition(problem, partition) for partition in partitions] or [problem] * len(draws)
    densities = np.array(
        [
            np.exp(logsumexp(predictive_of(own, draw.astype(np.int64)).log_scores(points), axis=1))
            for own, draw in zip(problems, draws, strict=True)
        ]
    )
    tail = (1 - probability) / 2
    lower, upper = np.quantile(densities, [tail, 1 - tail], axis=0)
    return PredictiveBands(densities.mean(axis=0), lower, upper)
