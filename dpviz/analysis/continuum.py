"""From Gibbs sampling by MAP-DP to DP-means: the temperature goes to 0, then the variance within clusters.

With N0 = (1 + σ0²/σ̂²)^{D/2} e^{−λ/2σ̂²} and σ̂² → 0, differences of 2 σ̂² nll between partitions become differences of
Σ‖x − x̄‖² + λK. MAP-DP then descends this objective one point at a time. DP-means (Kulis & Jordan 2012) descends it by
centres, and may stop while moving a single point still lowers it; K-means is DP-means with K fixed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.errors import require
from dpviz.partition import ChineseRestaurant

SMALLEST_SHARE = 1 / 1000
"""Smallest σ̂² as a share of λ: N0 is still finite, and the limit is practically reached."""


def penalised_inertia(X: FloatArray, labels: ArrayLike, penalty: float) -> float:
    """Return Σ‖x − x̄‖² + λK, the objective of DP-means with its best centres.

    Parameters
    ----------
    X : ndarray (N, D)
    labels : array_like (N,)
    penalty : float
        λ, in squared units of the data.
    """
    groups = [X[np.asarray(labels) == k] for k in np.unique(labels)]
    return float(sum(np.sum((group - group.mean(axis=0)) ** 2) for group in groups) + penalty * len(groups))


def limit_concentration(penalty: float, sigma_hat_sq: float, sigma0_sq: float, n_features: int) -> float:
    """Return the N0 that keeps λ fixed while σ̂² goes to 0.

    Parameters
    ----------
    penalty : float
        λ > 0.
    sigma_hat_sq, sigma0_sq : float
        Variances within clusters and of their centres, both > 0.
    n_features : int
        D.

    Raises
    ------
    InvalidParameterError
        If a number is not positive, or σ̂² so small that N0 overflows.
    """
    for name, value in (("penalty", penalty), ("sigma_hat_sq", sigma_hat_sq), ("sigma0_sq", sigma0_sq)):
        require(math.isfinite(value) and value > 0, name, value, "a finite number > 0")
    logarithm = n_features / 2 * math.log1p(sigma0_sq / sigma_hat_sq) - penalty / (2 * sigma_hat_sq)
    bound = f"such that ln N0 = {logarithm:.4g} lies within ±650"
    require(abs(logarithm) < 650, "sigma_hat_sq", sigma_hat_sq, bound, "Give one nearer to the penalty.")
    return math.exp(logarithm)


def small_variance_config(X: FloatArray, penalty: float, share: float, init: ArrayLike | str = "single") -> RunConfig:
    """Configure MAP-DP between Gibbs sampling and DP-means.

    Parameters
    ----------
    X : ndarray (N, D)
    penalty : float
        λ, which is fixed.
    share : float
        σ̂² as a share of λ.
    init : str or array_like (N,)
        Start, e.g. the final labels of DP-means.

    Returns
    -------
    RunConfig
        Spherical normal clusters of variance σ̂², centres with the spread of the data, and the N0 for λ.
    """
    sigma0_sq = float(X.var(axis=0).mean()) or 1.0
    sigma_hat_sq = share * penalty
    prior = {"mu0": X.mean(axis=0), "sigma0_sq": sigma0_sq, "sigma_hat_sq": sigma_hat_sq}
    concentration = limit_concentration(penalty, sigma_hat_sq, sigma0_sq, X.shape[1])
    partition = ChineseRestaurant(concentration)
    return RunConfig("mapdp", family="spherical_normal", prior=prior, partition=partition, init=init, n_init=1)
