"""Random changes of one to three neighbouring clusters, from which a search continues."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.engine.kernels.local import LocalSweeper


class Division(NamedTuple):
    """A kind of change: a number of neighbouring clusters is merged and redivided into a number of parts."""

    n_clusters: int
    n_parts: int
    share: float


DIVISIONS = (
    Division(1, 2, 0.25),
    Division(2, 2, 0.25),
    Division(2, 1, 0.10),
    Division(2, 3, 0.07),
    Division(3, 2, 0.10),
    Division(3, 3, 0.08),
)
"""Kinds and their probabilities; the rest is shared by dissolving a cluster and by heating three of them."""
DISSOLVED, HEATED = 0.05, 0.10
LOCAL_SWEEPS = 6
"""Sweeps over the points of the changed clusters alone."""
TEMPERATURES = (0.5, 3.0)
"""Range of temperatures at which clusters are heated."""


def standard_deviations(X: FloatArray) -> FloatArray:
    """Return what ``X.std(axis=0)`` does, to the last bit: its checks take longer than a cluster's sums."""
    apart = X - np.add.reduce(X) / len(X)
    return np.asarray(np.sqrt(np.add.reduce(apart * apart) / len(X)))


class Partition(NamedTuple):
    """A partition to change.

    Attributes
    ----------
    nll : float
    labels : ndarray (N,)
        0 … K − 1.
    members : list of ndarray
        The points of each cluster.
    """

    nll: float
    labels: IntArray
    members: list[IntArray]

    @classmethod
    def of(cls, sweeper: LocalSweeper) -> Partition:
        """Return the present partition of a sweeper."""
        sizes = sweeper.sizes[: sweeper.n_clusters]
        by_cluster, ends = np.argsort(sweeper.labels, kind="stable"), np.cumsum(sizes).tolist()
        members = [by_cluster[begin:end] for begin, end in pairwise([0, *ends])]
        return cls(sweeper.nll, sweeper.labels.copy(), members)

    @property
    def n_clusters(self) -> int:
        """Number of clusters K."""
        return len(self.members)


class Perturber:
    """Makes random changes of a partition, each followed by sweeps over the affected points.

    Parameters
    ----------
    home : LocalSweeper
        Holds the partition to change, and determines which clusters are neighbours.
    work : LocalSweeper
        Makes the changes.
    coordinates : ndarray (N, C)
        Coordinates in which distances make sense.
    most_clusters : int
    random_state : Generator
    """

    def __init__(
        self,
        home: LocalSweeper,
        work: LocalSweeper,
        coordinates: FloatArray,
        most_clusters: int,
        random_state: np.random.Generator,
    ) -> None:
        self._home, self._work = home, work
        self._coordinates, self._most_clusters = coordinates, most_clusters
        self._random = random_state
        self._cumulative = np.cumsum([division.share for division in DIVISIONS])

    def change(self, present: Partition) -> bool:
        """Leave a changed partition, settled, in the working sweeper; False if this change is impossible."""
        draw = self._random.random()
        kind = int(np.searchsorted(self._cumulative, draw, side="right"))
        if kind < len(DIVISIONS):
            division = DIVISIONS[kind]
            return self.divide(present, self._neighbours(present, division.n_clusters), division.n_parts)
        if draw < self._cumulative[-1] + DISSOLVED:
            return self._dissolve(present)
        return self._heat(present)

    def unite(self, present: Partition, k: int) -> bool:
        """Merge a cluster with the one that a random point of it scores best; False if it is the only one."""
        members = present.members[k]
        rivals = self._home.rivals(int(members[self._random.integers(len(members))]))
        return len(rivals) > 0 and self.divide(present, [k, int(rivals[0])], 1)

    def divide(self, present: Partition, clusters: list[int], n_parts: int) -> bool:
        """Merge clusters and divide them by the nearest of ``n_parts`` random points, then sweep over their points."""
        points = np.concatenate([present.members[k] for k in clusters])
        if len(points) < n_parts or present.n_clusters - len(clusters) + n_parts > self._most_clusters:
            return False
        labels = present.labels.copy()
        # the parts come first: sweeps score a point in all slots up to the last open one
        labels[points] = (self._nearest_seeds(points, n_parts) if n_parts > 1 else 0) - n_parts
        self._work.load(labels)
        slots = np.arange(self._work.labels[points].max() + 1)
        for _ in range(LOCAL_SWEEPS):
            n_moved, slots = self._work.refine(points, slots, self._random)
            if not n_moved:
                break
        self._work.settle()
        return True

    def _nearest_seeds(self, points: IntArray, n_seeds: int) -> IntArray:
        """Index of the nearest of some random points for each point, in plain or standardised coordinates."""
        places = self._coordinates[points]
        seeds = places[self._random.choice(len(points), n_seeds, replace=False)]
        if self._random.random() < 0.5:
            spread = standard_deviations(places)
            scale = np.where(spread > 0, spread, 1.0)
            places, seeds = places / scale, seeds / scale
        offsets = (places - seed for seed in seeds)
        return np.array([np.einsum("ij,ij->i", offset, offset) for offset in offsets]).argmin(axis=0)

    def _neighbours(self, present: Partition, n_wanted: int) -> list[int]:
        """Return a random cluster and some random neighbours: clusters that score one of its points next best."""
        n_clusters = present.n_clusters
        by_size = self._random.random() < 0.5
        k = present.labels[self._random.integers(len(present.labels))] if by_size else self._random.integers(n_clusters)
        n_others = min(n_wanted, n_clusters) - 1
        if not n_others:
            return [int(k)]
        members = present.members[k]
        nearest = self._home.rivals(int(members[self._random.integers(len(members))]))[: n_others + 2]
        # drawn without replacement, nearer ones with higher probability: those with the shortest exponential waits
        waits = self._random.exponential(size=len(nearest)) / np.arange(len(nearest), 0, -1.0)
        return [int(k), *nearest[np.argsort(waits)[:n_others]].tolist()]

    def _dissolve(self, present: Partition) -> bool:
        """Give every point of a cluster to the nearest of the other clusters' means."""
        if present.n_clusters < 2:
            return False
        k = int(self._random.integers(present.n_clusters))
        self._scatter(present.labels.copy(), present.members[k], k)
        return True

    def transplant(self, present: Partition, wanted: IntArray) -> bool:
        """Make some points a cluster, which replaces the cluster of most of them; False if they are one already."""
        k = int(np.argmax(np.bincount(present.labels[wanted])))
        labels = present.labels.copy()
        labels[wanted] = k
        left_over = np.setdiff1d(present.members[k], wanted, assume_unique=True)
        if len(wanted) == len(labels) or not (len(left_over) or len(wanted) > len(present.members[k])):
            return False
        self._scatter(labels, left_over, k)
        return True

    def _scatter(self, labels: IntArray, points: IntArray, k: int) -> None:
        """Move points of cluster k to the nearest of the other clusters' means, then sweep over them once."""
        places, n_clusters = self._coordinates[points], int(labels.max()) + 1
        distances = np.full((n_clusters, len(points)), np.inf)
        for j in range(n_clusters):
            members = self._coordinates[labels == j] if j != k else places[:0]
            if len(members):
                distances[j] = np.sum((places - members.mean(axis=0)) ** 2, axis=1)
        labels[points] = np.argmin(distances, axis=0)
        self._work.load(labels)
        if len(points):
            self._work.refine(points, np.arange(self._work.n_clusters), self._random)
        self._work.settle()

    def _heat(self, present: Partition) -> bool:
        """Sample the clusters of a few neighbours' points for some sweeps, at falling temperatures."""
        clusters = self._neighbours(present, int(self._random.integers(2, 7)))
        points = np.concatenate([present.members[k] for k in clusters])
        labels = present.labels.copy()
        for position, k in enumerate(clusters):
            labels[present.members[k]] = position - len(clusters)  # these come first, as in divide
        self._work.load(labels)
        slots, temperature = np.arange(len(clusters)), self._random.uniform(*TEMPERATURES)
        for sweep in range(LOCAL_SWEEPS):
            _, slots = self._work.refine(points, slots, self._random, temperature * (1 - sweep / LOCAL_SWEEPS))
        self._work.settle()
        return True
