"""What Raykov et al. (2016) name and do not run: centres that are no means (Sec. 2), and DIC to choose K (Sec. 3)."""

from __future__ import annotations

import numpy as np

from dpviz.analysis.comparison import label_scores
from dpviz.analysis.studies.study import Outcome
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets import Dataset

N_DRAWS, BURN_IN = 300, 100
SMALLEST = 1e-300
"""Added to densities, which vanish at points that are far from all groups."""


def other_centres(data: Dataset, config: RunConfig, centres: str, n_starts: int) -> Outcome:
    """Cluster as K-means does, with other centres than means, and score the best of some starts at random points.

    Parameters
    ----------
    data : Dataset
    config : RunConfig
        Of K-means: its K and seed.
    centres : {"medians", "medoids"}
        The medians of each coordinate, or the point of the cluster that is nearest to all others together.
    n_starts : int

    Returns
    -------
    Outcome
        The agreements of :mod:`dpviz.metrics`; ``objective``, the sum of the distances; ``iterations``.
    """
    rng, n_clusters = np.random.default_rng(config.seed), config.option("n_clusters")
    starts = [data.X[rng.choice(data.n_points, n_clusters, replace=False)] for _ in range(n_starts)]
    objective, labels, n_passes = min((_alternate(data.X, own, centres) for own in starts), key=lambda found: found[0])
    found = label_scores(labels, data.labels) | {"objective": objective, "iterations": float(n_passes)}
    return Outcome(found, config)


def _alternate(X: FloatArray, centres: FloatArray, kind: str) -> tuple[float, IntArray, int]:
    """Let points join the nearest centre, and centres move, until no point does; return the sum of distances, too."""
    from scipy.spatial.distance import cdist

    labels, n_passes = np.full(len(X), -1), 0
    while True:
        # each kind of centre makes the sum of these least
        distances = cdist(X, centres, "cityblock" if kind == "medians" else "euclidean")
        nearest, n_passes = distances.argmin(axis=1), n_passes + 1
        if np.array_equal(nearest, labels):
            return float(distances.min(axis=1).sum()), labels, n_passes
        labels, centres = nearest, centres.copy()
        for k in np.unique(labels):
            own = X[labels == k]
            centres[k] = np.median(own, axis=0) if kind == "medians" else own[cdist(own, own).sum(axis=1).argmin()]


def deviance_information(X: FloatArray, labels: IntArray, n_clusters: int, seed: int) -> float:
    """Return the deviance information criterion of a mixture of Gaussians of one variance in all directions.

    −4 E[ln p(X | θ)] + 2 Σ ln E[p(x_i | θ)], means over draws of the posterior (Celeux, Forbes, Robert & Titterington
    2006, DIC3), which does not depend on how components are numbered. Gibbs sampling draws groups, weights
    (Dirichlet, 1 each), means (normal about x̄ with the variance of the data) and the variance (p ∝ 1/σ²) in turn.

    Parameters
    ----------
    X : ndarray (N, D)
    labels : ndarray (N,)
        Groups to begin with.
    n_clusters : int
    seed : int
    """
    from scipy.spatial.distance import cdist

    rng, (n_points, D) = np.random.default_rng([seed, n_clusters]), X.shape
    X = X - X.mean(axis=0)
    wide = variance = float(np.mean(X**2))
    log_likelihood, density = 0.0, np.zeros(n_points)
    for sweep in range(BURN_IN + N_DRAWS):
        joins = np.eye(n_clusters)[labels]
        sizes = joins.sum(axis=0)
        weights = rng.dirichlet(1 + sizes)
        precision = sizes[:, None] / variance + 1 / wide
        means = joins.T @ X / variance / precision + rng.standard_normal((n_clusters, D)) / np.sqrt(precision)
        squares = cdist(X, means, "sqeuclidean")
        variance = squares[np.arange(n_points), labels].sum() / (2 * rng.standard_gamma(n_points * D / 2))
        parts = weights * np.exp(-squares / (2 * variance)) / (2 * np.pi * variance) ** (D / 2) + SMALLEST
        upto = parts.cumsum(axis=1)
        labels = (upto < rng.random((n_points, 1)) * upto[:, -1:]).sum(axis=1)
        if sweep >= BURN_IN:
            log_likelihood += float(np.log(upto[:, -1]).sum()) / N_DRAWS
            density += upto[:, -1] / N_DRAWS
    return float(-4 * log_likelihood + 2 * np.log(density).sum())
