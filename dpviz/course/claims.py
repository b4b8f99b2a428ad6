"""What lessons say, as predicates about a draw of the data and of the runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf, isfinite
from types import MappingProxyType
from typing import Any

import numpy as np

from dpviz import metrics
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset
from dpviz.engine.trace import Trace
from dpviz.fit.run import run
from dpviz.words import say

CRUMB = 10
"""Clusters of fewer points count as crumbs."""
EARLY, LATE = 20, 100
"""Sweeps of a run that are its first, and its last."""


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

    def nmi(self, number: int) -> float:
        """Return the normalised mutual information of a run with the true groups."""
        assert self.dataset.labels is not None
        return metrics.nmi(self.dataset.labels, self.labels(number))

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

    def last(self, number: int) -> IntArray:
        """Clusters (N,) after the last sweep of a run."""
        return np.asarray(self.trace(number).labels_at(self.trace(number).n_sweeps))

    def usual(self, number: int) -> int:
        """K that a chain visits most often."""
        return int(np.argmax(np.bincount(self.visited(number))))

    def extra(self, number: int) -> float:
        """How many clusters more than true groups a chain has on average after its burn-in."""
        assert self.dataset.labels is not None
        return float(self.visited(number).mean()) - len(np.unique(self.dataset.labels))

    def births(self, number: int) -> float:
        """Share of a chain's sweeps after its burn-in in which a cluster is born."""
        trace = self.trace(number)
        return float((trace.n_born[(trace.config.burn_in or 0) + 1 :] > 0).mean())

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


QUANTITIES: Mapping[str, Callable[[Draw, int], float]] = MappingProxyType(
    {
        "n_clusters": Draw.n_clusters,
        "n_large": Draw.n_large,
        "n_small": lambda draw, number: draw.n_clusters(number) - draw.n_large(number),
        "smallest": lambda draw, number: int(draw.sizes(number)[-1]),
        "ari": Draw.ari,
        "nmi": lambda draw, number: 100 * draw.nmi(number),
        "widest_whole": lambda draw, number: draw.share_in_one(number, draw.widest_group()),
        "largest_whole": lambda draw, number: draw.share_in_one(number, draw.largest_group()),
        "first_moved": lambda draw, number: int(draw.trace(number).n_moved[1]),
        "usual": Draw.usual,
        "mean_k": lambda draw, number: float(draw.visited(number).mean()),
        "n_visited": lambda draw, number: len(set(draw.visited(number).tolist())),
        "extra": Draw.extra,
        "births": Draw.births,
        "least_early": lambda draw, number: int(draw.trace(number).n_clusters[: EARLY + 1].min()),
        "nll": Draw.nll,
        "n_late_costs": lambda draw, number: len(np.unique(draw.trace(number).nll[-LATE:])),
        "n_sweeps": lambda draw, number: draw.trace(number).n_sweeps,
        "converged": lambda draw, number: int(draw.trace(number).converged),
    }
)
"""What bounds are about, by name: ``measures.js`` has the same, so that a page counts in how many draws they hold."""

OF_TWO: Mapping[str, Callable[[Draw, int, int], float]] = MappingProxyType(
    {
        "alike": lambda draw, number, other: metrics.ari(draw.last(number), draw.last(other)),
        "sweeps_as": lambda draw, number, other: int((draw.visited(number) == draw.n_clusters(other)).sum()),
        "share_of_usual": lambda draw, number, other: 100 * float((draw.visited(number) == draw.usual(other)).mean()),
        "above": lambda draw, number, other: draw.nll(number) - draw.nll(other),
    }
)
"""The same of two runs."""


def quantity_words(quantity: str) -> str:
    """Return what a quantity is called beside a tally."""
    return say(f"claims.quantities.{quantity}", crumb=CRUMB, early=EARLY, late=LATE)


def about(quantity: str, title: str) -> str:
    """Say what a quantity is, and of which run."""
    return f"{title}, {quantity_words(quantity)}"


@dataclass(frozen=True)
class Bound:
    """Both ends of a quantity of one run.

    Attributes
    ----------
    quantity : str
        One of :data:`QUANTITIES`.
    run : int
    least, most : float
        Ends, which belong to it.
    per : int, optional
        Another run: then the bounds are on how many times as much it is as there.
    than : int, optional
        Another run: then the bounds are on how much more it is than there.
    beside : int, optional
        The other run of a quantity :data:`OF_TWO`.
    """

    quantity: str
    run: int
    least: float = -inf
    most: float = inf
    per: int | None = None
    than: int | None = None
    beside: int | None = None

    def holds(self, draw: Draw) -> bool:
        """Whether it is so in a draw."""
        value = self._value(draw, self.run) - (0.0 if self.than is None else self._value(draw, self.than))
        unit = 1.0 if self.per is None else self._value(draw, self.per)
        return bool(self.least * unit <= value <= self.most * unit)

    def _value(self, draw: Draw, run: int) -> float:
        if self.beside is None:
            return QUANTITIES[self.quantity](draw, run)
        return OF_TWO[self.quantity](draw, run, self.beside)

    @property
    def ends(self) -> str:
        """The ends in words, such as ``"at least 0.95"``."""
        low, high = (f"{end * (100 if self.quantity.endswith('_whole') else 1):g}" for end in (self.least, self.most))
        if self.least == self.most:
            return low
        least = say("claims.least", end=low) if self.least > -inf else ""
        parts = [least, say("claims.most", end=high) if self.most < inf else ""]
        return ", ".join(part for part in parts if part)

    def written(self, titles: Sequence[str]) -> dict[str, Any]:
        """Write it down for pages, in words that name runs by their titles; ends that are open are None."""
        values = {"about": about(self.quantity, titles[self.run]), "ends": self.ends}
        if self.per is not None:
            words = say("claims.bound_per", per=titles[self.per], **values)
        elif self.than is not None:
            words = say("claims.bound_than", than=titles[self.than], **values)
        else:
            words = say("claims.bound", **values)
        ends = {name: end if isfinite(end) else None for name, end in (("least", self.least), ("most", self.most))}
        return {**asdict(self), "words": words, **ends}


@dataclass(frozen=True)
class Within:
    """Bounds that hold together: a predicate that is written down, for Python and for pages."""

    bounds: tuple[Bound, ...]

    def __call__(self, draw: Draw) -> bool:
        """Whether all hold in a draw."""
        return all(bound.holds(draw) for bound in self.bounds)


def within(*bounds: Bound) -> Within:
    """Return the predicate that all bounds hold."""
    return Within(bounds)


def ranges(quantity: str, run: int, *ends: float, beside: int | None = None) -> tuple[Within, ...]:
    """Return the predicates that a quantity is below the first of rising ends, between two of them, above the last."""
    pairs = zip((-inf, *ends), (*ends, inf), strict=True)
    return tuple(within(Bound(quantity, run, low, high, beside=beside)) for low, high in pairs)


def finds(run: int, n_groups: int, ari: float = 0.95) -> tuple[Bound, Bound]:
    """Return the bounds of a run that finds the true groups, but for crumbs."""
    return Bound("n_large", run, n_groups, n_groups), Bound("ari", run, least=ari)


@dataclass(frozen=True)
class Claim:
    """A part of what a lesson says.

    Attributes
    ----------
    says : str
        In words, for whoever reads that it fails.
    holds : callable
        Whether it is so in a draw; :class:`Within` if pages are to count the draws in which it is.
    share : float
        The least share of draws in which it is: what is said of "usually" holds in three of four.
    """

    says: str
    holds: Callable[[Draw], bool]
    share: float = 0.95
