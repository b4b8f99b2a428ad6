"""From fine to coarse: clusters of a run joined one pair at a time, each merge with its exact cost.

A mixture describes a density, and one group that is not bell-shaped takes several of its components. Joining those
components again gives the groups at every scale. Each step joins the two clusters whose union has the lowest nll, so
that the price of every coarser answer is known in nats; or the two that look most like one group cut in two
(:mod:`dpviz.engine.modes`), that overlap most (Hennig 2010), or whose union takes most off the entropy of memberships
(Baudry et al. 2010), which follow curved groups in few columns. Of a partition that summarises draws the two are joined
that the draws most often have together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.analysis.overlap import Overlaps
from dpviz.analysis.posterior import pairs_in_one_cluster
from dpviz.analysis.posterior.draws import DrawsLike, as_partition
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.improve import canonical_labels
from dpviz.engine.imputation import completed
from dpviz.engine.kernels.collapsed import PartitionTables
from dpviz.engine.kernels.search import rebuild_and_score
from dpviz.engine.problem import Problem
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidDataError, refused, require
from dpviz.partition import PartitionPrior
from dpviz.partition.base import whole_number

MOST_CLUSTERS = 1_000
"""Most clusters a tree starts from: every pair of them is weighed."""
NLL, MODES, OVERLAP, ENTROPY = "nll", "modes", "overlap", "entropy"
ORDERS = (NLL, MODES, OVERLAP, ENTROPY)
"""What the next merge is chosen by: lowest nll, likeness to one group, largest overlap, largest fall of the entropy."""
TOGETHER = "together"
"""The same for a summary of draws: the largest probability that two points, one of each cluster, are together."""
STEP, CHEAP_UNIONS = 4.0, 4
"""Times the price of any union before that the large step of a tree costs, and unions that must come before it."""
SURE_STEP, CLEARLY_TWO = 12.0, 2.0
"""Times from which it is one although a union before it joined two clusters of more unevenness than that.

Groups 4 deviations apart have smaller steps, and such unions before these; so have codes and grades, of which a dip
says little since they repeat, but with larger steps.
"""
FEWEST_JOINED = CHEAP_UNIONS + 2
"""Clusters from which a suggestion is ticked: a few are left as they were found."""
LEAST_OVERLAP, ERRORS = 0.05, 2.0
"""Overlap that the suggestion asks of every merge, after this many standard errors were taken off."""


@dataclass(frozen=True, eq=False)
class MergeTree:
    """Partitions of the same points into K, K − 1, …, 1 clusters, each from the one before by one merge.

    Attributes
    ----------
    leaves : ndarray of int (N,)
        The clusters it starts from, 0 … K − 1 in the order of their first points.
    merges : ndarray of int (K − 1, 2)
        What each step joins. As in scipy's linkage, cluster K + s is the one that step s made.
    nll : ndarray (K,)
        −ln p(X, z) in nats of the partition before the first step, and after each.
    points_joined : ndarray of int (K − 1,)
        Points in the smaller of the two clusters that each step joins.
    unevenness : ndarray (K − 1,)
        How far the two clusters that each step joins are from looking like one group, 1 or less if they do; see
        :func:`dpviz.engine.modes.unevenness`.
    overlaps, overlap_errors : ndarray (K − 1,)
        Overlap of the two clusters that each step joins, from 0 to ½, and its standard error, as
        :class:`~dpviz.analysis.overlap.Overlaps` defines them.
    entropy : ndarray (K,)
        −Σ_i Σ_k τ_ik ln τ_ik (nats) of the memberships before the first step, and after each (Baudry et al. 2010).
    order : str
        What each merge was chosen by, of :data:`ORDERS`, or :data:`TOGETHER`.
    together : ndarray (K − 1,), optional
        Of a summary of draws: probability that two points, one of each of the clusters that a step joins, are in one.
    """

    leaves: IntArray
    merges: IntArray
    nll: FloatArray
    points_joined: IntArray
    unevenness: FloatArray
    overlaps: FloatArray
    overlap_errors: FloatArray
    entropy: FloatArray
    order: str = NLL
    together: FloatArray | None = None

    @property
    def n_leaves(self) -> int:
        """Number of clusters K it starts from."""
        return len(self.nll)

    @property
    def costs(self) -> FloatArray:
        """What each step adds to the nll (K − 1,), nats; negative where the coarser partition is more probable."""
        return np.diff(self.nll)

    def cost(self, n_clusters: int) -> float:
        """Return what joining down to this many clusters adds to the nll, in nats.

        Raises
        ------
        InvalidParameterError
        """
        return float(self.nll[self.n_leaves - self._checked(n_clusters)] - self.nll[0])

    @property
    def suggestion(self) -> int:
        """Number of clusters before the first merge of two that do not look like one group.

        Two clusters look like one group where the dip test finds one mode in the log odds between them
        (:mod:`dpviz.engine.modes`), or where they overlap by 5 % or more after two standard errors were taken off:
        normal groups 4 standard deviations apart have two modes and overlap by 3.4 %, and stay apart in all but 2 of
        500 draws of two and three such groups of 60 to 200 points. Rather too few clusters are joined than too many.
        The order ``"modes"`` joins as many as can be.
        """
        sure = (self.unevenness <= 1.0) | (self.overlaps - ERRORS * self.overlap_errors >= LEAST_OVERLAP)
        return self.n_leaves - int(np.append(np.cumprod(sure), 0).sum())

    @property
    def large_step(self) -> int:
        """Number of clusters before the first union that costs much more than all before, as found if none does.

        At least 4 times as much as any, and no less than 4 ln N nats, after 4 unions or more: of several clusters to a
        group the unions within groups come first, and are cheap beside those of groups. After one of two clusters that
        clearly have two modes the step must be 12 times as much. Of the order ``"nll"``.
        """
        costs, clear = self.costs, np.isfinite(self.unevenness) & (self.unevenness > CLEARLY_TWO)
        for step in range(CHEAP_UNIONS, len(costs)):
            times = SURE_STEP if clear[:step].any() else STEP
            if costs[step] >= times * max(costs[:step].max(), np.log(len(self.leaves))):
                return self.n_leaves - step
        return self.n_leaves

    @property
    def mark(self) -> int:
        """What the tree marks: :attr:`large_step` in the order ``"nll"``, else :attr:`suggestion`."""
        return self.large_step if self.order == NLL else self.suggestion

    def labels(self, n_clusters: int) -> IntArray:
        """Return the partition into that many clusters.

        Parameters
        ----------
        n_clusters : int
            From 1 to the number of leaves.

        Returns
        -------
        ndarray of int (N,)
            0 … n_clusters − 1, in the order of their first points.

        Raises
        ------
        InvalidParameterError
        """
        return canonical_labels(self.groups(n_clusters)[self.leaves])

    def groups(self, n_clusters: int) -> IntArray:
        """Return for each leaf (K,) its cluster 0 … n_clusters − 1, in the order of :meth:`labels`.

        Raises
        ------
        InvalidParameterError
        """
        wanted = self._checked(n_clusters)
        owner = np.arange(self.n_leaves)
        for step, pair in enumerate(self.merges[: self.n_leaves - wanted]):
            owner[np.isin(owner, pair)] = self.n_leaves + step
        return canonical_labels(owner)

    def _checked(self, n_clusters: int) -> int:
        wanted = whole_number("n_clusters", n_clusters)
        require(wanted <= self.n_leaves, "n_clusters", n_clusters, f"at most {self.n_leaves}, the clusters of the run")
        return wanted

    def memberships(self, probabilities: ArrayLike, n_clusters: int) -> FloatArray:
        """Sum probabilities of the leaves over the leaves of each cluster.

        Parameters
        ----------
        probabilities : array_like (n, K) or (n, K + 1)
            Of n points in the order of the leaves; a last column beyond them, for a new cluster, stays the last.
        n_clusters : int

        Returns
        -------
        ndarray (n, n_clusters) or (n, n_clusters + 1)

        Raises
        ------
        InvalidParameterError
        """
        groups = self.groups(n_clusters)
        try:
            given = np.asarray(probabilities, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise refused("probabilities", probabilities, "an array of numbers, a row for each point") from error
        fits = given.ndim == 2 and given.shape[1] - self.n_leaves in (0, 1)
        require(fits, "probabilities", given.shape, f"an array of {self.n_leaves} or {self.n_leaves + 1} columns")
        wrong = given[~(given >= 0) | np.isinf(given)]
        require(not wrong.size, "probabilities", wrong[:1].tolist(), "finite numbers ≥ 0")
        summed = np.zeros((len(given), n_clusters + given.shape[1] - self.n_leaves))
        np.add.at(summed.T, groups, given.T[: self.n_leaves])
        summed[:, n_clusters:] = given[:, self.n_leaves :]
        return summed


def tree(X: Any, trace: Trace, order: str = NLL) -> MergeTree:
    """Join the clusters of a run's result pair by pair, by default always the two whose union has the lowest nll.

    A union costs [ln m(X_a) + ln m(X_b) − ln m(X_a∪b)] + [ln p(z) − ln p(z with a∪b)] nats, with the marginal
    likelihoods m of the family and the partition prior of the run, learned hyperparameters included. Missing cells that
    the run filled in have the values of its result.

    Parameters
    ----------
    X : array_like (N, D)
        The data that the trace was made from.
    trace : Trace
        Of an algorithm with an nll.
    order : str
        ``"nll"``; ``"modes"``, always the two clusters that look most like one group, and where none do the two that
        overlap most: the order that the suggestion is meant for; ``"overlap"``, always the two that overlap most; or
        ``"entropy"``, always the two whose union takes most off the entropy of the memberships. These follow groups of
        any shape in few columns. In many columns hardly any point is between clusters, and what they choose says
        little.

    Returns
    -------
    MergeTree

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If X is not the run's data, the algorithm has no nll, there are more than 1,000 clusters, or the order is
        unknown.
    """
    check_trace(trace)
    require(isinstance(order, str) and order in ORDERS, "order", order, f"one of {', '.join(ORDERS)}")
    problem = Problem.check(X, trace.config)
    require(
        problem.algorithm.uses_model,
        "trace",
        trace.config.algorithm,
        "a run of mapdp or gibbs",
        "Only these have an nll, and so a cost in nats of joining two clusters.",
    )
    if len(problem.X) != trace.n_points or trace.data not in ("", fingerprint(problem.X)):
        raise InvalidDataError("X holds other numbers than those that the trace was made from; give its own data.")
    problem = completed(problem, trace, trace.result_row)
    return _joined(problem, trace.partition_at(trace.result_sweep), canonical_labels(trace.result_labels), order)


def ticked(by_price: MergeTree, by_modes: MergeTree) -> MergeTree | None:
    """Return the tree of a run whose mark is the one to take, None where its clusters are best left as they were found.

    Fewer than 6 clusters are left. Of more the large step in the prices decides; where there is none, whether clusters
    look like one group.

    Parameters
    ----------
    by_price, by_modes : MergeTree
        Of the same clusters, in the orders ``"nll"`` and ``"modes"``.
    """
    if by_price.n_leaves < FEWEST_JOINED:
        return None
    return next((tree for tree in (by_price, by_modes) if tree.mark < tree.n_leaves), None)


def summary_tree(X: Any, config: RunConfig, draws: DrawsLike, partition: ArrayLike) -> MergeTree:
    """Join the clusters of a partition that summarises draws, always the two that the draws most often have together.

    What is averaged is the probability that two points, one of each cluster, share a cluster: average linkage on
    co-clustering probabilities, as Medvedovic & Sivaganesan (2002) and Fritsch & Ickstadt (2009) join points. A summary
    says what the draws agree on, so what is joined first is what they disagree on. The nll would ask another question,
    how probable one partition is at which no chain need have been; it gives small clusters away first, since a merge of
    few points is cheap, even where no draw ever joins them. It is the price of every step here, not the choice; among
    pairs that no draw has together, which are all alike to the draws, the cheapest is joined.

    Parameters
    ----------
    X : array_like (N, D)
        The data of the chains, complete.
    config : RunConfig
        Of an algorithm with an nll, with hyperparameters fixed at the values at which the partitions are priced.
    draws : array_like of int, shape (S, N), or Draws
    partition : array_like of int, shape (N,)
        The summary.

    Returns
    -------
    MergeTree
        Its ``together`` never rises from step to step. Overlaps, entropy and suggestion are those of the partition's
        densities.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If missing cells are filled in, the algorithm has no nll, or there are more clusters than 1,000 or than the
        partition prior allows.
    """
    problem = Problem.check(X, config)
    require(problem.algorithm.uses_model, "config", config.algorithm, "a configuration of mapdp or gibbs")
    require(not problem.imputes, "X", "cells that are filled in", "complete, since a partition alone has no nll then")
    prior = problem.partition
    assert prior is not None
    labels = as_partition(partition, len(problem.X)).astype(np.int64)
    return _joined(problem, prior, labels, TOGETHER, pairs_in_one_cluster(draws, labels))


def _joined(
    problem: Problem, partition: PartitionPrior, labels: IntArray, order: str, pairs: FloatArray | None = None
) -> MergeTree:
    """Join clusters in an order; ``pairs`` as :func:`pairs_in_one_cluster` returns them, of a summary of draws."""
    n_leaves = int(labels.max()) + 1
    most = min(MOST_CLUSTERS, problem.largest_n_clusters)
    require(n_leaves <= most, "clusters to join", n_leaves, f"at most {most:,}")
    clusters, overlaps = _Clusters(problem, partition, labels), Overlaps(problem, partition, labels)
    if order in (NLL, TOGETHER):
        clusters.weigh_all()
    draws = None if pairs is None else _Draws(pairs, np.bincount(labels), clusters.cheapest)
    choices = {
        NLL: clusters.cheapest,
        MODES: overlaps.most_alike,
        OVERLAP: overlaps.most_overlapping,
        ENTROPY: overlaps.least_certain,
    }
    choose = choices[order] if draws is None else draws.most_together
    nll, entropy, merges, joined, uneven, found, together = [clusters.nll], [overlaps.entropy], [], [], [], [], []
    for step in range(n_leaves - 1):
        a, b = choose()
        if draws is not None:
            together.append(draws.of(a, b))
            draws.join(a, b)
        merges.append(sorted((clusters.names[a], clusters.names[b])))
        joined.append(min(clusters.sizes[a], clusters.sizes[b]))
        uneven.append(overlaps.unevenness(a, b))
        found.append(overlaps.of(a, b))
        clusters.join(a, b, n_leaves + step)
        overlaps.join(a, b)
        nll.append(clusters.nll)
        entropy.append(overlaps.entropy)
    shares, errors = np.array(found).reshape(-1, 2).T
    return MergeTree(
        labels,
        np.array(merges, np.int64).reshape(-1, 2),
        np.array(nll),
        np.array(joined, np.int64),
        np.array(uneven),
        shares,
        errors,
        np.array(entropy),
        order,
        None if draws is None else np.array(together),
    )


class _Draws:
    """Clusters to join, with how often draws have their points together.

    Parameters
    ----------
    pairs : ndarray (K, K)
        As :func:`~dpviz.analysis.posterior.pairs_in_one_cluster` returns them.
    sizes : ndarray of int (K,)
    cheapest : callable
        Returns the cheapest of some pairs, of those that are equally often together.
    """

    def __init__(self, pairs: FloatArray, sizes: IntArray, cheapest: Callable[[BoolArray], tuple[int, int]]) -> None:
        self._pairs, self._sizes, self._cheapest = pairs.copy(), sizes.astype(np.float64), cheapest

    def of(self, a: int, b: int) -> float:
        """Probability that two points, one of each, are in one cluster."""
        return float(self._pairs[a, b] / (self._sizes[a] * self._sizes[b]))

    def most_together(self) -> tuple[int, int]:
        """Return the pair a < b of present clusters that is most often together; the cheapest of equals."""
        n_pairs = np.outer(self._sizes, self._sizes)
        present = np.triu(n_pairs > 0, 1)
        shares = self._pairs / np.maximum(n_pairs, 1.0)
        return self._cheapest(present & (shares == shares[present].max()))

    def join(self, a: int, b: int) -> None:
        """Replace clusters a < b by their union."""
        self._pairs[a] += self._pairs[b]
        self._pairs[:, a] += self._pairs[:, b]
        self._sizes[a] += self._sizes[b]
        self._sizes[b] = 0


class _Clusters:
    """Clusters to join, with the log marginal likelihood (nats) of each and of each union of two that was asked for.

    Attributes
    ----------
    names : ndarray of int (K,)
        Their numbers in the tree.
    sizes : ndarray of int (K,)
        0 for those that were joined to another one.
    """

    def __init__(self, problem: Problem, partition: PartitionPrior, labels: IntArray) -> None:
        self._working, self._tables = problem.working, PartitionTables(partition, len(labels))
        self._log_block = partition.block_table(len(labels))
        self.sizes = np.bincount(labels)
        self._members = np.split(np.argsort(labels, kind="stable"), np.cumsum(self.sizes)[:-1])
        self._log_marginals = np.array([self._log_marginal(points) for points in self._members])
        n_leaves = len(self.sizes)
        self.names = np.arange(n_leaves)
        self._unions = np.full((n_leaves, n_leaves), -np.inf)
        """ln m of a ∪ b at a < b; −∞ elsewhere."""
        self._weighs_all = False

    def weigh_all(self) -> None:
        """Weigh the unions of all pairs, from now on after each merge too."""
        self._weighs_all = True
        for a in range(len(self.sizes)):
            self._weigh(a, range(a + 1, len(self.sizes)))

    @property
    def nll(self) -> float:
        """−ln p(X, z) of the present partition."""
        alive = self.sizes > 0
        log_likelihood = self._log_marginals[alive].sum() + len(self._working.X) * self._working.log_jacobian
        return -float(self._tables.log_probability(self.sizes[alive]) + log_likelihood)

    def cheapest(self, among: BoolArray | None = None) -> tuple[int, int]:
        """Return the two clusters whose union costs least, of all pairs or of those of a table (K, K).

        The openings of the prior are the same for all pairs.
        """
        own = self._log_marginals + self._log_block[self.sizes]
        together = self._log_block[np.minimum(np.add.outer(self.sizes, self.sizes), len(self._working.X))]
        gains = self._unions + together - own[:, None] - own
        gains = gains if among is None else np.where(among, gains, -np.inf)
        a, b = np.unravel_index(int(np.argmax(gains)), gains.shape)
        return int(a), int(b)

    def join(self, a: int, b: int, name: int) -> None:
        """Replace clusters a < b by their union."""
        if not self._weighs_all:
            self._weigh(a, (b,))
        self._log_marginals[a] = self._unions[a, b]
        self._members[a] = np.concatenate([self._members[a], self._members[b]])
        self.sizes[a] += self.sizes[b]
        self.sizes[b], self.names[a] = 0, name
        self._unions[b, :] = self._unions[:, b] = -np.inf
        if self._weighs_all:
            self._weigh(a, np.flatnonzero(self.sizes).tolist())

    def _weigh(self, a: int, others: Iterable[int]) -> None:
        for b in others:
            if b != a:
                union = self._log_marginal(np.concatenate([self._members[a], self._members[b]]))
                self._unions[min(a, b), max(a, b)] = union

    def _log_marginal(self, points: IntArray) -> float:
        """Return ln m (nats) of these points as one cluster, in working units."""
        X, n_points = np.ascontiguousarray(self._working.X[points]), len(points)
        state, whole = self._working.family.bind(X, 2), np.zeros(n_points, dtype=np.int64)
        return float(rebuild_and_score(state, X, whole, np.array([n_points, 0], dtype=np.int64), 1))
