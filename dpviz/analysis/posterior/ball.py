"""A credible ball around a summary, and the partitions at its bounds (Wade & Ghahramani 2018)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.analysis.posterior.draws import Codes, DrawsLike, Floats, as_draws, as_partition
from dpviz.analysis.posterior.losses import Loss, losses_of
from dpviz.arrays import BoolArray
from dpviz.errors import require, require_one_of
from dpviz.parameters import is_number

ROUNDING = 1e-12
"""Distances that differ by less count as equal: sums of the same terms in another order."""


@dataclass(frozen=True, eq=False)
class CredibleBall:
    """The smallest ball around a partition that holds a share of the posterior.

    Each bound is an array of partitions (m, N), m ≥ 1: ties are all kept, equal partitions once. Which of them is
    farthest is judged among the draws inside the ball.

    Attributes
    ----------
    centre : ndarray of int32, shape (N,)
    loss : str
        The metric: ``"variation_of_information"`` or ``"binder"``.
    probability : float
        Requested share of the draws; the ball holds at least this.
    radius : float
        ε*: in bits for the variation of information.
    distances : ndarray of float64, shape (S,)
        From the centre to every draw.
    inside : ndarray of bool, shape (S,)
    horizontal : ndarray of int32, shape (m, N)
        Farthest from the centre.
    upper_vertical : ndarray of int32, shape (m, N)
        Of the fewest clusters, and farthest among those.
    lower_vertical : ndarray of int32, shape (m, N)
        Of the most clusters, and farthest among those.
    """

    centre: Codes
    loss: Loss
    probability: float
    radius: float
    distances: Floats
    inside: BoolArray
    horizontal: Codes
    upper_vertical: Codes
    lower_vertical: Codes

    def distance(self, partition: ArrayLike) -> float:
        """Return the distance from the centre to any partition (N,), e.g. that of MAP-DP or K-means."""
        other = as_draws(as_partition(partition, len(self.centre))[None, :])
        return float(losses_of(other, self.centre, self.loss)[0])

    def contains(self, partition: ArrayLike) -> bool:
        """Return whether a partition (N,) lies in the ball."""
        return self.distance(partition) <= self.radius + ROUNDING


def credible_ball(
    draws: DrawsLike, centre: ArrayLike, loss: Loss = "variation_of_information", probability: float = 0.95
) -> CredibleBall:
    """Find the smallest ball around a partition that holds a share of the draws, and its bounds.

    Wade & Ghahramani (2018): ε* is the smallest radius ε with P(d(centre, partition) ≤ ε) ≥ probability.

    Parameters
    ----------
    draws : array_like of int, shape (S, N), or Draws
    centre : array_like of int, shape (N,)
        The summary, or any partition.
    loss : {"variation_of_information", "binder"}
        1 − ARI is not a metric, so a ball of it would mean little.
    probability : float
        0 < probability ≤ 1.

    Returns
    -------
    CredibleBall

    Raises
    ------
    InvalidDataError, InvalidParameterError
    """
    metrics = ("variation_of_information", "binder")
    require_one_of("loss", loss, metrics, "A ball needs a metric.")
    require(is_number(probability) and 0 < probability <= 1, "probability", probability, "a number in (0, 1]")
    checked = as_draws(draws)
    middle = as_partition(centre, checked.n_points, "centre")
    distances = losses_of(checked, middle, loss)
    n_inside = math.ceil(probability * checked.n_draws * (1 - ROUNDING))
    radius = float(np.sort(distances)[n_inside - 1])
    inside = distances <= radius + ROUNDING
    fewest = inside & (checked.n_clusters == checked.n_clusters[inside].min())
    most = inside & (checked.n_clusters == checked.n_clusters[inside].max())

    def farthest(among: BoolArray) -> Codes:
        return np.unique(checked.labels[among & (distances >= distances[among].max() - ROUNDING)], axis=0)

    return CredibleBall(
        middle, loss, probability, radius, distances, inside, farthest(inside), farthest(fewest), farthest(most)
    )
