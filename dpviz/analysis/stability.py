"""How stable clusters are: how well the same method finds each again, by Jaccard's coefficient (Hennig 2007).

Runs with other seeds show whether the search depends on chance; halves and bootstrap samples, whether the clusters
depend on which rows happen to be there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets.dataset import grouped
from dpviz.engine.problem import check_data
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import DpvizError, InvalidParameterError, require
from dpviz.fit.run import run

SEEDS, HALVES, BOOTSTRAPS = "other seeds", "halves", "bootstraps"
WAYS = (SEEDS, HALVES, BOOTSTRAPS)


def jaccard(clusters: ArrayLike, found: ArrayLike) -> FloatArray:
    """Return how well each cluster is found again: the largest Jaccard coefficient with any cluster that was found.

    Parameters
    ----------
    clusters, found : array_like of int (n,)

    Returns
    -------
    ndarray (K,)
        |A ∩ B| / |A ∪ B| of each cluster A in the order of labels with the B most like it; 1 if it is found whole and
        alone.
    """
    own, other = grouped(clusters)[1], grouped(found)[1]
    require(own.shape == other.shape, "found", other.shape, f"one label for each of the {len(own):,} rows")
    shared = np.zeros((own.max() + 1, other.max() + 1))
    np.add.at(shared, (own, other), 1.0)
    union = shared.sum(axis=1)[:, None] + shared.sum(axis=0) - shared
    return np.asarray((shared / union).max(axis=1))


def cluster_stability(
    X: ArrayLike, trace: Trace, labels: ArrayLike | None = None, n_seeds: int = 3, n_halves: int = 2,
    n_bootstraps: int = 10, seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """Run the same configuration again, and see how well each cluster comes back: Hennig's mean Jaccard coefficient.

    Parameters
    ----------
    X : array_like (N, D)
        What the run clustered.
    trace : Trace
        Its family and hyperparameters are taken as they were found.
    labels : array_like of int (N,), optional
        Clusters to ask about; by default those of the result.
    n_seeds : int
        Runs on all rows with other seeds.
    n_halves : int
        Random divisions into two halves, each of which is clustered alone.
    n_bootstraps : int
        Bootstrap samples. Each row counts once, for a mixture would take its copies for a cluster of their own.
    seed : int
        Of the samples.

    Returns
    -------
    pandas.DataFrame
        A row per cluster, in the order of labels from 1, and a column per way: the mean over its runs of
        :func:`jaccard`, each among the rows of that run; NaN where no run had a row of the cluster. Hennig (2007) calls
        clusters below ½ dissolved, and above ¾ stable. Runs that a sample does not allow are left out. In ``attrs``,
        ``n_clusters`` has the numbers of clusters of the runs of each way.

    Raises
    ------
    InvalidParameterError
        If the run began from given labels, which would be repeated too, or there is not one label for each row.
    """
    check_trace(trace)
    config = trace.config
    if isinstance(config.init, tuple):
        raise InvalidParameterError("the run began from given clusters, and so do its repetitions: they say nothing.")
    data = check_data(X, gaps=True)
    codes = grouped(trace.result_labels if labels is None else labels)[1]
    require(codes.shape == (len(data),), "labels", codes.shape, f"one label for each of the {len(data):,} rows")
    ways = {
        SEEDS: ((np.arange(len(data)), (config.seed + extra) % 2**32) for extra in range(1, n_seeds + 1)),
        HALVES: _halves(len(data), n_halves, seed),
        BOOTSTRAPS: _bootstraps(len(data), n_bootstraps, seed),
    }
    table, counts = {}, {}
    for way, samples in ways.items():
        scores, numbers = [], []
        for rows, own_seed in samples:
            found = _found(data[rows], replace(config, seed=own_seed))
            if found is not None:
                row = np.full(codes.max() + 1, np.nan)
                row[np.unique(codes[rows])] = jaccard(codes[rows], found)
                scores.append(row)
                numbers.append(int(found.max()) + 1)
        known = np.isfinite(scores).any(axis=0) if scores else np.zeros(codes.max() + 1, dtype=np.bool_)
        table[way] = np.full(codes.max() + 1, np.nan)
        table[way][known] = np.nanmean(np.array(scores)[:, known], axis=0) if scores else np.nan
        counts[way] = numbers
    frame = pd.DataFrame(table, index=pd.RangeIndex(1, codes.max() + 2, name="cluster"))
    frame.attrs["n_clusters"] = counts
    return frame


def _found(X: FloatArray, config: RunConfig) -> IntArray | None:
    """Cluster a sample; None if it does not allow that, as without any value of a column."""
    try:
        return grouped(run(X, config).result_labels)[1]
    except DpvizError:
        return None


def _halves(n_points: int, n_times: int, seed: int) -> Iterator[tuple[IntArray, int]]:
    for time in range(n_times):
        order = np.random.default_rng((seed, 0, time)).permutation(n_points)
        for rows in (order[: n_points // 2], order[n_points // 2 :]):
            yield np.sort(rows), time


def _bootstraps(n_points: int, n_times: int, seed: int) -> Iterator[tuple[IntArray, int]]:
    for time in range(n_times):
        yield np.unique(np.random.default_rng((seed, 1, time)).integers(0, n_points, n_points)), time
