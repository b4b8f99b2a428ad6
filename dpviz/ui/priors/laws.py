"""Laws of a prior for the charts, cached so that a slider that moves back answers at once."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpviz.analysis.prior_laws import growth_of_n_clusters, ranked_table_sizes, simulated_n_clusters
from dpviz.arrays import FloatArray, IntArray
from dpviz.partition import PartitionPrior
from dpviz.ui.session.kept import remembered

N_DRAWS = 300
"""Draws simulated for the law of K and for the sizes."""
N_SEATINGS = 100
"""Draws simulated for every N of the growth curve."""
MOST_BYTES = 20_000_000
"""Most bytes of the cached laws of each kind."""


@remembered(MOST_BYTES)
def law(prior: PartitionPrior, n_points: int) -> FloatArray:
    """Exact probability (N + 1,) of K = 0 … N."""
    return np.exp(prior.log_pmf_n_clusters(n_points))


@remembered(MOST_BYTES)
def simulated(prior: PartitionPrior, n_points: int, seed: int, sequential: bool) -> IntArray:
    """Drawn numbers of clusters (S,)."""
    return simulated_n_clusters(prior, [n_points], N_DRAWS, seed, sequential)[:, 0]


def numbers_of_points(n_points: int) -> list[int]:
    """Return numbers of points up to N, about evenly spaced in their logarithm."""
    return np.unique(np.round(np.geomspace(1, n_points, 14)).astype(int)).tolist()


@remembered(MOST_BYTES)
def exact_growth(prior: PartitionPrior, n_points: int) -> pd.DataFrame:
    """Exact E[K] and the central range of K up to N."""
    return growth_of_n_clusters(prior, numbers_of_points(n_points))


@remembered(MOST_BYTES)
def simulated_growth(prior: PartitionPrior, n_points: int, seed: int, sequential: bool) -> pd.DataFrame:
    """Mean of simulated K up to N, with its standard error."""
    asked = numbers_of_points(n_points)
    drawn = simulated_n_clusters(prior, asked, N_SEATINGS, seed, sequential)
    error = drawn.std(axis=0) / np.sqrt(N_SEATINGS)
    return pd.DataFrame({"n_points": asked, "mean": drawn.mean(axis=0), "error": error})


@remembered(MOST_BYTES)
def ranked_sizes(prior: PartitionPrior, n_points: int, seed: int) -> IntArray:
    """Sizes (S, R) of clusters drawn at fixed N, from the largest down."""
    return ranked_table_sizes(prior, n_points, N_DRAWS, seed)
