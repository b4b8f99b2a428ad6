"""Losses between partitions, and their expectation under draws from a posterior.

Three losses, all symmetric, blind to names, and 0 for equal partitions only: the variation of information in bits
(Meilă 2007), Binder's loss with equal costs (Binder 1978), and 1 − ARI (Hubert & Arabie 1985). With n_kj points in
cluster k of one partition and j of the other, all follow from sums over k, over j and over the cells (k, j).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz._jit import kernel
from dpviz.analysis.posterior.draws import Codes, Draws, DrawsLike, Floats, as_draws, as_partition
from dpviz.arrays import IntArray
from dpviz.errors import require_one_of

Loss = Literal["variation_of_information", "binder", "one_minus_ari"]
"""Names of the losses: bits; the share of pairs of points treated differently, which is 1 − Rand; 1 − ARI."""

LOSSES: tuple[Loss, ...] = get_args(Loss)


def check_loss(loss: str) -> None:
    """Raise :class:`InvalidParameterError` unless ``loss`` is the name of a loss."""
    require_one_of("loss", loss, LOSSES)


def log2_table(largest: int) -> Floats:
    """Binary logarithms of 0 … ``largest``, with 0 in the place of log2(0)."""
    return np.log2(np.maximum(np.arange(largest + 1), 1))


class Members(NamedTuple):
    """Points of a partition, sorted by cluster: those of k are ``points[starts[k] : starts[k + 1]]``."""

    points: NDArray[np.int32]
    starts: IntArray


def members_of(partition: Codes) -> Members:
    """Sort the points of a canonical partition (N,) by cluster."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(partition))))
    return Members(np.argsort(partition, kind="stable").astype(np.int32), starts)


@kernel
def _tally(draws: Codes, members: Members, log2: Floats, bits: Floats, shared: Floats, own: Floats) -> None:
    """For every draw: N times the variation of information, pairs together in both, pairs together in the draw."""
    sizes, cell = np.zeros(draws.shape[1], dtype=np.int64), np.zeros(draws.shape[1], dtype=np.int64)
    n_clusters = members.starts.shape[0] - 1
    for s in range(draws.shape[0]):
        labels = draws[s]
        n_groups = 0
        for i in range(labels.shape[0]):
            sizes[labels[i]] += 1
            n_groups = max(n_groups, labels[i] + 1)
        surprise, together = 0.0, 0
        for k in range(n_clusters):
            first, last = members.starts[k], members.starts[k + 1]
            for position in range(first, last):
                cell[labels[members.points[position]]] += 1
            by_point = last - first < n_groups  # else every group is visited: never more than N steps in all
            for step in range(last - first if by_point else n_groups):
                j = labels[members.points[first + step]] if by_point else step
                n = cell[j]
                if n > 0:
                    # A sum of conditional entropies, none negative: equal partitions give exactly 0.
                    surprise += n * ((log2[last - first] - log2[n]) + (log2[sizes[j]] - log2[n]))
                    together += n * (n - 1) // 2
                    cell[j] = 0
        in_draw = 0
        for j in range(n_groups):
            in_draw += sizes[j] * (sizes[j] - 1) // 2
            sizes[j] = 0
        bits[s], shared[s], own[s] = surprise, together, in_draw


def pairs_together(partition: Codes) -> float:
    """Count the pairs of points that a canonical partition puts together."""
    sizes = np.bincount(partition)
    return float((sizes * (sizes - 1) // 2).sum())


def one_minus_ari(shared: Floats, left: Floats | float, right: Floats | float, n_pairs: float) -> Floats:
    """1 − ARI from pairs together in both partitions, in the left one, in the right one, and all pairs."""
    expected = left * right / max(n_pairs, 1.0)
    spread = (left + right) / 2 - expected
    # Without spread both are one cluster, or both singletons: equal.
    return np.where(spread > 0, ((left + right) / 2 - shared) / np.where(spread > 0, spread, 1.0), 0.0)


def losses_of(draws: Draws, partition: Codes, loss: Loss) -> Floats:
    """Loss between every draw and a canonical partition, as :func:`losses` without its checks."""
    n_points = draws.n_points
    bits, shared, own = (np.empty(draws.n_draws) for _ in range(3))
    _tally(draws.labels, members_of(partition), log2_table(n_points), bits, shared, own)
    if loss == "variation_of_information":
        return bits / n_points
    left, n_pairs = pairs_together(partition), n_points * (n_points - 1) / 2
    if loss == "binder":
        return (left + own - 2 * shared) / max(n_pairs, 1.0)
    return one_minus_ari(shared, left, own, n_pairs)


def losses(draws: DrawsLike, partition: ArrayLike, loss: Loss = "variation_of_information") -> Floats:
    """Loss between every draw and one partition.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    partition : array_like of int, shape (N,)
    loss : {"variation_of_information", "binder", "one_minus_ari"}
        In bits; as the share of all pairs of points that one partition joins and the other parts; as 1 − ARI.

    Returns
    -------
    ndarray of float64, shape (S,)

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    check_loss(loss)
    checked = as_draws(draws)
    return losses_of(checked, as_partition(partition, checked.n_points), loss)


def expected_loss(draws: DrawsLike, partition: ArrayLike, loss: Loss = "variation_of_information") -> float:
    """Posterior expected loss of reporting one partition: the mean of :func:`losses` over the draws.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    partition : array_like of int, shape (N,)
    loss : {"variation_of_information", "binder", "one_minus_ari"}

    Returns
    -------
    float
        In bits for the variation of information, else without unit.

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    return float(losses(draws, partition, loss).mean())


def expected_losses_of_draws(draws: DrawsLike, loss: Loss = "variation_of_information") -> Floats:
    """Compute the expected loss of every draw: the best that a choice among the draws can reach.

    The work grows with S² N.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    loss : {"variation_of_information", "binder", "one_minus_ari"}

    Returns
    -------
    ndarray of float64, shape (S,)

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    check_loss(loss)
    checked = as_draws(draws)
    return np.array([losses_of(checked, row, loss).mean() for row in checked.labels])
