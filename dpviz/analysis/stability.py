"""How stable clusters are: how well the same method finds each again, by Jaccard's coefficient (Hennig 2007).

Runs with other seeds show whether the search depends on chance; halves and bootstrap samples, whether the clusters
depend on which rows happen to be there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dpviz.analysis.experiment import experiment
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.datasets.dataset import grouped
from dpviz.engine.options import COARSENING
from dpviz.engine.problem import check_data
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import DpvizError, InvalidParameterError, require
from dpviz.fit.run import run
from dpviz.fit.steps import drained
from dpviz.metrics import ari

SEEDS, HALVES, BOOTSTRAPS = "other seeds", "halves", "bootstraps"
WAYS = (SEEDS, HALVES, BOOTSTRAPS)
N_CLUSTERS, ARI = "n_clusters", "ari"
"""Attributes of the table."""


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
    X: ArrayLike,
    trace: Trace,
    labels: ArrayLike | None = None,
    n_seeds: int = 3,
    n_halves: int = 2,
    n_bootstraps: int = 10,
    seed: int = 0,
    n_jobs: int | None = 1,
) -> pd.DataFrame:
    """Run the same configuration again, and see how well each cluster comes back: Hennig's mean Jaccard coefficient.

    Parameters
    ----------
    X : array_like (N, D)
        What the run clustered.
    trace : Trace
        Its family and hyperparameters are taken as they were found; of a coarsened run a row counts as much in a sample
        as in the whole, for with the same α it would count more there.
    labels : array_like of int (N,), optional
        Clusters to ask about; by default those of the result.
    n_seeds : int
        Runs on all rows with other seeds; of a run that draws nothing at random (:func:`draws_nothing`), as DP-means
        does not by default, in other orders of the rows.
    n_halves : int
        Random divisions into two halves, each of which is clustered alone.
    n_bootstraps : int
        Bootstrap samples. Each row counts once, for a mixture would take its copies for a cluster of their own.
    seed : int
        Of the samples.
    n_jobs : int, optional
        As in :func:`~dpviz.analysis.experiment.experiment`.

    Returns
    -------
    pandas.DataFrame
        A row per cluster, by its label, and a column per way: the mean over its runs of
        :func:`jaccard`, each among the rows of that run; NaN where no run had a row of the cluster. Hennig (2007) calls
        clusters below ½ dissolved, and above ¾ stable. Runs that a sample does not allow are left out. In ``attrs``,
        ``n_clusters`` has the numbers of clusters of the runs of each way, and ``ari`` their adjusted Rand index with
        the clusters asked about, among their rows.

    Raises
    ------
    InvalidParameterError
        If the run began from given labels, which would be repeated too, or there is not one label for each row.
    """
    return drained(stability_steps(X, trace, labels, n_seeds, n_halves, n_bootstraps, seed, n_jobs=n_jobs))


def draws_nothing(config: RunConfig) -> bool:
    """Whether runs of a configuration do not depend on its seed, but on the order of the rows alone."""
    given = config.init in ("single", "singletons", "sequential")
    return given and config.order == "index" and not config.temperature


def stability_steps(
    X: ArrayLike,
    trace: Trace,
    labels: ArrayLike | None = None,
    n_seeds: int = 3,
    n_halves: int = 2,
    n_bootstraps: int = 10,
    seed: int = 0,
    should_stop: Callable[[], bool] | None = None,
    n_jobs: int | None = 1,
) -> Generator[str, None, pd.DataFrame]:
    """Do as :func:`cluster_stability`, yielding the name of each run before it.

    Once ``should_stop``, which is called after every sweep, returns True, no further sweep is taken: a way whose runs
    were not all made then has none, and NaN. Other processes cannot call it.
    """
    check_trace(trace)
    config = trace.config
    if isinstance(config.init, tuple):
        raise InvalidParameterError("the run began from given clusters, and so do its repetitions: they say nothing.")
    data = check_data(X, gaps=True)
    codes = grouped(trace.result_labels if labels is None else labels)[1]
    require(codes.shape == (len(data),), "labels", codes.shape, f"one label for each of the {len(data):,} rows")
    all_rows, again = np.arange(len(data)), replace(config, order="permuted") if draws_nothing(config) else config
    ways: dict[str, list[tuple[IntArray, int]]] = {
        SEEDS: [(all_rows, (config.seed + extra) % 2**32) for extra in range(1, n_seeds + 1)],
        HALVES: list(_halves(len(data), n_halves, seed)),
        BOOTSTRAPS: list(_bootstraps(len(data), n_bootstraps, seed)),
    }
    trials = [
        (rows, _of_part(again if way == SEEDS else config, own_seed, len(rows) / len(data)))
        for way, samples in ways.items()
        for rows, own_seed in samples
    ]
    results = experiment(_clusters_of, trials, (data, should_stop), n_jobs, in_order=True)
    frame = pd.DataFrame(index=pd.RangeIndex(codes.max() + 1, name="cluster"))
    attributes: dict[str, dict[str, list[float]]] = {N_CLUSTERS: {}, ARI: {}}
    is_over = should_stop or (lambda: False)
    for way, samples in ways.items():
        found: list[tuple[IntArray, IntArray]] = []
        for place, (rows, _) in enumerate(samples, 1):
            yield f"{way}, run {place}"
            clusters = next(results)
            if is_over():
                found = []
                break
            if clusters is not None:
                found.append((codes[rows], clusters))
        frame[way] = _mean_jaccard(found, len(frame))
        attributes[N_CLUSTERS][way] = [int(clusters.max()) + 1 for _, clusters in found]
        attributes[ARI][way] = [ari(own, clusters) for own, clusters in found]
    frame.attrs.update(attributes)
    return frame


def _mean_jaccard(runs: list[tuple[IntArray, IntArray]], n_clusters: int) -> FloatArray:
    """Return for every cluster the mean of :func:`jaccard` over runs that have rows of it; NaN without one.

    Parameters
    ----------
    runs : list of (ndarray of int (n,), ndarray of int (n,))
        Of the rows of each run the clusters asked about, and those that it found.
    n_clusters : int
    """
    total, times = np.zeros(n_clusters), np.zeros(n_clusters)
    for own, found in runs:
        there = np.unique(own)
        total[there] += jaccard(own, found)
        times[there] += 1
    return np.divide(total, times, out=np.full(n_clusters, np.nan), where=times > 0)


def _of_part(config: RunConfig, seed: int, share: float) -> RunConfig:
    """Return the configuration for a share of the rows, each of which counts in the likelihood as it does in all."""
    coarsening = None if config.coarsening is None else max(share * config.coarsening, COARSENING.limits()[0])
    return replace(config, seed=seed, coarsening=coarsening)


def _clusters_of(
    rows: IntArray, config: RunConfig, X: FloatArray, should_stop: Callable[[], bool] | None
) -> IntArray | None:
    """Cluster a sample; None if it does not allow that, as without any value of a column."""
    try:
        return grouped(run(X[rows], config, should_stop).result_labels)[1]
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
