"""Clusters that are certain: a subset of the points whose partition has at least a given probability."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz._jit import kernel
from dpviz.analysis.posterior.draws import Codes, DrawsLike, as_draws
from dpviz.arrays import BoolArray, IntArray
from dpviz.errors import require
from dpviz.parameters import is_number
from dpviz.partition.base import as_generator, whole_number

NEIGHBOURS = 200
"""Number of other points by which the company of a point is judged."""


@dataclass(frozen=True, eq=False)
class CertainClusters:
    """Points whose clusters are known with some probability, all together.

    Attributes
    ----------
    labels : ndarray of int32, shape (N,)
        0 … K − 1 in the order of first appearance; −1 for points left out.
    probability : float
        Share of the draws that divide the labelled points exactly like this, among those that were not searched.
    share_searched : float
        The same share among those that were: too high, since the points were chosen by them.
    n_points : int
        How many points are labelled.
    """

    labels: Codes
    probability: float
    share_searched: float
    n_points: int


@kernel
def _drop_draw(draws: Codes, names: Codes, votes: NDArray[np.int32], s: int) -> None:
    """Remove the votes of draw s, which no longer agrees."""
    for i in range(draws.shape[1]):
        votes[i, names[s, draws[s, i]]] -= 1


@kernel
def _open(draws: Codes, names: Codes, votes: NDArray[np.int32], agrees: BoolArray, i: int, k: int) -> None:
    """Make the group of point i, in every draw that agrees, the new cluster k."""
    nowhere = votes.shape[1] - 1
    for s in range(draws.shape[0]):
        if agrees[s]:
            group = draws[s, i]
            names[s, group] = k
            for other in range(draws.shape[1]):
                if draws[s, other] == group:
                    votes[other, nowhere] -= 1
                    votes[other, k] += 1


@kernel
def _grow(draws: Codes, first: int, n_needed: int, company: IntArray, labels: Codes) -> int:
    """Add points to ``labels``, costliest last, while ``n_needed`` draws agree; return how many do.

    ``votes[i, k]`` counts the draws that agree with the labels so far and have point i in their group that is cluster
    k; the last column, in a group that is not a cluster yet. Placing i in k loses the draws that vote otherwise.
    """
    n_draws, n_points = draws.shape
    nowhere = draws.max() + 1
    votes = np.zeros((n_points, nowhere + 1), dtype=np.int32)
    votes[:, nowhere] = n_draws
    names = np.full((n_draws, nowhere), nowhere, dtype=np.int32)
    agrees = np.ones(n_draws, dtype=np.bool_)
    n_agreeing, n_clusters, point, cluster = n_draws, 0, first, nowhere
    while point >= 0:
        for s in range(n_draws):
            if agrees[s] and names[s, draws[s, point]] != cluster:
                agrees[s] = False
                n_agreeing -= 1
                _drop_draw(draws, names, votes, s)
        labels[point] = cluster
        if cluster == nowhere:
            labels[point] = n_clusters
            _open(draws, names, votes, agrees, point, n_clusters)
            n_clusters += 1
        point, cluster = -1, -1
        most = n_needed - 1
        for i in range(n_points):
            if labels[i] < 0:
                k = np.argmax(votes[i])
                if votes[i, k] == n_agreeing and k != nowhere:
                    labels[i] = k  # loses no draw and changes no votes
                elif votes[i, k] > most or (votes[i, k] == most and point >= 0 and company[i] > company[point]):
                    most, point, cluster = votes[i, k], i, k
    return n_agreeing


@kernel
def _company(draws: Codes, sample: IntArray, n_needed: int) -> IntArray:
    """Count for every point those of ``sample`` that share its cluster in at least ``n_needed`` draws."""
    together = np.zeros(draws.shape[1], dtype=np.int64)
    company = np.zeros(draws.shape[1], dtype=np.int64)
    for other in sample:
        together[:] = 0
        for s in range(draws.shape[0]):
            group = draws[s, other]
            for i in range(draws.shape[1]):
                together[i] += draws[s, i] == group
        company += together >= n_needed
    return company


def certain_clusters(
    draws: DrawsLike,
    probability: float = 0.95,
    n_starts: int = 20,
    random_state: int | np.random.Generator | None = 0,
) -> CertainClusters:
    """Find many points whose partition, restricted to them, has about the given posterior probability.

    The first half of the draws is searched, and the others judge what was found: draws that chose the points say too
    much for them. Of an even number of chains one after the other, half of the chains choose and the others judge.

    The search grows from several points: at each step the point and cluster that the fewest draws contradict are added.
    The largest subset found is returned, of equal ones the more probable. It need not be the largest there is, but no
    further point can be added. This is the greedy search for a subset whose partition is
    probable of Barrientos, Page, Dahl & Dunson (2024), with an order of its own among equals.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
        Of a single draw, that one is searched and judges.
    probability : float
        0 < probability ≤ 1: share of the searched draws that must agree about all these points at once.
    n_starts : int
        Number of first points, ≥ 1: the one with most company, then random ones.
    random_state : int, Generator or None

    Returns
    -------
    CertainClusters

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    require(is_number(probability) and 0 < probability <= 1, "probability", probability, "a number in (0, 1]")
    n_starts = whole_number("n_starts", n_starts)
    checked, rng = as_draws(draws), as_generator(random_state)
    n_points, n_searched = checked.n_points, (checked.n_draws + 1) // 2
    searched, judging = checked.labels[:n_searched], checked.labels[min(n_searched, checked.n_draws - 1) :]
    n_needed = math.ceil(probability * n_searched * (1 - 1e-12))  # 0.07 × 100 is a little more than 7
    sample = rng.choice(n_points, min(NEIGHBOURS, n_points), replace=False)
    company = _company(searched, sample, n_needed)
    best = (0, 0)
    best_labels = np.full(n_points, -1, dtype=np.int32)
    firsts = [int(np.argmax(company)), *rng.permutation(n_points).tolist()][:n_starts]
    for first in firsts:
        labels = np.full(n_points, -1, dtype=np.int32)
        n_agreeing = _grow(searched, first, n_needed, company, labels)
        reached = (int(np.count_nonzero(labels >= 0)), n_agreeing)
        if reached > best:
            best, best_labels = reached, labels
    chosen = best_labels >= 0
    wanted = as_draws(best_labels[None, chosen]).labels[0]
    best_labels[chosen] = wanted
    agrees = (as_draws(judging[:, chosen]).labels == wanted).all(axis=1)
    return CertainClusters(best_labels, float(agrees.mean()), best[1] / n_searched, best[0])
