"""What lessons say, as predicates about a draw of the data and of the runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dpviz import metrics
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.fit.run import run

CRUMB = 10
"""Clusters of fewer points count as crumbs."""


@dataclass(frozen=True, eq=False)
class Draw:
    """Data, and the runs that a lesson speaks of, made when a claim asks for them.

    Attributes
    ----------
    dataset : Dataset
    runs : tuple of (ndarray (N, D), RunConfig)
        What each of them clusters, and how; in the lesson's order, then those beside them.
    """

    dataset: Dataset
    runs: tuple[tuple[FloatArray, RunConfig], ...]
    _made: dict[int, Trace] = field(default_factory=dict)

    def trace(self, number: int) -> Trace:
        """One of the runs."""
        if number not in self._made:
            self._made[number] = run(*self.runs[number])
        return self._made[number]

    def labels(self, number: int) -> IntArray:
        """Clusters (N,) that a run found."""
        return np.asarray(self.trace(number).result_labels)

    def ari(self, number: int) -> float:
        """Return the adjusted Rand index of a run with the true groups."""
        assert self.dataset.labels is not None
        return metrics.ari(self.dataset.labels, self.labels(number))

    def sizes(self, number: int) -> IntArray:
        """Sizes (K,) of a run's clusters, largest first."""
        return np.sort(np.unique(self.labels(number), return_counts=True)[1])[::-1]

    def n_clusters(self, number: int) -> int:
        """K of a run."""
        return len(self.sizes(number))

    def n_large(self, number: int) -> int:
        """Return how many clusters are no crumbs."""
        return int(np.count_nonzero(self.sizes(number) >= CRUMB))

    def nll(self, number: int) -> float:
        """Lowest nll (nats) of a run: that of its result."""
        trace = self.trace(number)
        return float(trace.nll[trace.row(trace.result_sweep)])

    def visited(self, number: int) -> IntArray:
        """K (S,) in every sweep of a chain after its burn-in."""
        trace = self.trace(number)
        return np.asarray(trace.n_clusters[(trace.config.burn_in or 0) + 1 :])

    def usual(self, number: int) -> int:
        """K that a chain visits most often."""
        return int(np.argmax(np.bincount(self.visited(number))))

    def share_in_one(self, number: int, group: int) -> float:
        """Largest share of a true group that lies in one cluster."""
        inside = np.bincount(self.labels(number)[self.dataset.labels == group])
        return float(inside.max() / inside.sum())

    def largest_group(self) -> int:
        """Group with most points."""
        return int(np.argmax(np.bincount(self.dataset.labels)))  # type: ignore[arg-type]

    def widest_group(self) -> int:
        """Group with the largest standard deviation."""
        assert self.dataset.labels is not None
        groups = [self.dataset.X[self.dataset.labels == group] for group in np.unique(self.dataset.labels)]
        spread = [group.std(axis=0).mean() for group in groups]
        return int(np.argmax(spread))


@dataclass(frozen=True)
class Claim:
    """A part of what a lesson says.

    Attributes
    ----------
    says : str
        In words, for whoever reads that it fails.
    holds : callable
        Whether it is so in a draw.
    share : float
        The least share of draws in which it is: what is said of "usually" holds in three of four.
    """

    says: str
    holds: Callable[[Draw], bool]
    share: float = 0.95
