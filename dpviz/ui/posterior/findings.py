"""Summaries of the draws, and comparisons with other answers: computed in stages."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from dpviz.analysis import posterior
from dpviz.analysis.merging import MergeTree, summary_tree
from dpviz.analysis.posterior import CertainClusters, CoClustering, CredibleBall, Draws, Loss, Summary
from dpviz.analysis.sampling import PredictiveBands, pooled_draws, predictive_bands
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.search import Search
from dpviz.engine.transforms import outside
from dpviz.partition import PartitionPrior
from dpviz.player.alignment import match_labels
from dpviz.ui.posterior.sampling import Sampled
from dpviz.ui.session.background import Stage
from dpviz.ui.session.chosen_data import PreparedData

MOST_DRAWS, MOST_LABELS, FEWEST_DRAWS = 1000, 20_000_000, 100
"""Draws of all chains together that summaries are computed from, and their labels; of many points fewer draws, but not
fewer than the last number."""
DENSITY_DRAWS = 200
"""Draws that a density is averaged over."""
CURVE_PLACES, MAP_PLACES = 240, 56
"""Places along an axis where a density is evaluated."""
METRICS = ("variation_of_information", "binder")
LOSS_WORDS = {
    "variation_of_information": "Variation of information",
    "binder": "Binder",
    "one_minus_ari": "1 − adjusted Rand index",
}


@dataclass(frozen=True, eq=False)
class Pooled:
    """Draws of all chains after the burn-in.

    Attributes
    ----------
    draws : Draws
        At most ``MOST_DRAWS``, fewer of very many points, evenly thinned.
    chains, sweeps : ndarray (S,)
        Chain and sweep of each draw.
    partitions : tuple of PartitionPrior
        Partition prior of each draw, if hyperparameters are learned; else empty.
    """

    draws: Draws
    chains: IntArray
    sweeps: IntArray
    partitions: tuple[PartitionPrior, ...] = ()

    @classmethod
    def of(cls, sampled: Sampled, burn_in: int) -> Pooled:
        """Pool the draws of chains."""
        n_points = sampled.traces[0].n_points
        most = min(MOST_DRAWS, max(MOST_LABELS // n_points, FEWEST_DRAWS))
        labels, chains, sweeps = pooled_draws(sampled.traces, burn_in, most)
        partitions: tuple[PartitionPrior, ...] = ()
        if sampled.setup.config.hyperpriors:
            where = zip(chains.tolist(), sweeps.tolist(), strict=True)
            partitions = tuple(sampled.traces[chain].partition_at(sweep) for chain, sweep in where)
        return cls(posterior.as_draws(labels), chains, sweeps, partitions)


@dataclass(frozen=True, eq=False)
class Findings:
    """One summary of the draws and its uncertainty.

    Attributes
    ----------
    pooled : Pooled
    summary : Summary
    ball : CredibleBall
        In the metric of the loss; for 1 − ARI, which is not a metric, in the variation of information.
    uncertainty : ndarray (N,)
        Bits per point.
    certain : CertainClusters
    merges : MergeTree, optional
        If clusters of the summary are joined, the tree of it as it was found; else None.
    """

    pooled: Pooled
    summary: Summary
    ball: CredibleBall
    uncertainty: FloatArray
    certain: CertainClusters
    merges: MergeTree | None = None

    @property
    def as_found(self) -> IntArray:
        """Clusters of the summary (N,) before any were joined."""
        return self.summary.partition.astype(np.int64) if self.merges is None else self.merges.leaves

    @property
    def numbers(self) -> IntArray:
        """Clusters of the summary (N,), each union with the number of the cluster that it overlaps most."""
        partition = self.summary.partition.astype(np.int64)
        return partition if self.merges is None else match_labels(partition, self.as_found).astype(np.int64)


def together(pooled: Pooled) -> Generator[Stage, None, CoClustering]:
    """Compute the co-clustering matrix."""
    yield Stage(0.1, "counting how often points are together")
    return posterior.co_clustering(pooled.draws)


def summarised(pooled: Pooled, loss: Loss, probability: float) -> Generator[Stage, None, Findings]:
    """Find a summary, its credible ball, the certain clusters, and the uncertainty of every point."""
    yield Stage(0.05, "looking for one partition that stands for all draws")
    summary = posterior.summary_partition(pooled.draws, loss)
    yield Stage(0.6, "measuring the ball around it")
    metric: Loss = loss if loss in METRICS else "variation_of_information"
    ball = posterior.credible_ball(pooled.draws, summary.partition, metric, probability)
    yield Stage(0.7, "asking what every point adds to the uncertainty")
    uncertainty = posterior.point_uncertainty(pooled.draws, summary.partition)
    yield Stage(0.8, "looking for clusters that are certain")
    certain = posterior.certain_clusters(pooled.draws, probability)
    return Findings(pooled, summary, ball, uncertainty, certain)


def merges_of(prepared: PreparedData, config: RunConfig, found: Findings) -> Generator[Stage, None, MergeTree]:
    """Join the clusters of a summary pair by pair, priced under a configuration."""
    yield Stage(0.1, "weighing unions of clusters")
    fixed = replace(config, n_sweeps=2, thin=1)
    return summary_tree(prepared.X, fixed, found.pooled.draws, found.summary.partition)


def joined(found: Findings, tree: MergeTree, n_clusters: int) -> Generator[Stage, None, Findings]:
    """Return a summary with clusters joined until so many are left: its mean loss and the uncertainty of its points."""
    yield Stage(0.1, "asking what every point adds to the uncertainty")
    partition, draws = tree.labels(n_clusters), found.pooled.draws
    expected = posterior.expected_loss(draws, partition, found.summary.loss)
    codes = partition.astype(np.int32)
    summary = replace(found.summary, partition=codes, n_clusters=n_clusters, expected_loss=expected)
    return replace(found, summary=summary, uncertainty=posterior.point_uncertainty(draws, partition), merges=tree)


@dataclass(frozen=True, eq=False)
class Answer:
    """A partition that was not drawn from the posterior.

    Attributes
    ----------
    name : str
    labels : ndarray (N,)
        0 … K − 1, each present.
    nll : float
        Negative log probability under the model of the chains (nats).
    """

    name: str
    labels: IntArray
    nll: float

    @property
    def n_clusters(self) -> int:
        """K."""
        return int(self.labels.max()) + 1


def other_answers(
    prepared: PreparedData, plain: FloatArray, config: RunConfig, n_clusters: int
) -> Generator[Stage, None, list[Answer]]:
    """Run MAP-DP with the model of the chains, and K-means with the summary's K; add the known groups.

    Parameters
    ----------
    prepared : PreparedData
    plain : ndarray (N, C)
        The same rows as K-means takes them.
    config : RunConfig
        Configuration of the chains, with the hyperparameters at which all answers are scored.
    n_clusters : int
        K of the summary.
    """
    same = {name: getattr(config, name) for name in ("partition", "kinds", "missing", "coarsening")}
    k_means = RunConfig("kmeans", n_clusters=n_clusters, n_init=10, seed=config.seed)
    runs = {
        "MAP-DP": Problem.check(prepared.X, RunConfig("mapdp", **same, seed=config.seed).with_model_of(config)),
        "K-means": Problem.check(plain, k_means),
    }
    found: dict[str, IntArray] = {}
    for number, (name, problem) in enumerate(runs.items()):
        search = Search(problem)
        for _ in search.records():
            yield Stage(0.1 + 0.4 * number, f"running {name}")
        found[name] = _renumbered(search.trace().result_labels)
    if prepared.dataset.labels is not None:
        found["known groups"] = _renumbered(prepared.dataset.labels)
    yield Stage(0.95, "scoring what they found")
    scores = partition_nll(Problem.check(prepared.X, replace(config, n_sweeps=2, thin=1)), list(found.values()))
    more = prepared.units.scaling_nats(config)
    return [Answer(name, labels, float(nll) + more) for (name, labels), nll in zip(found.items(), scores, strict=True)]


def _renumbered(labels: IntArray) -> IntArray:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Density:
    """A predictive density on a grid.

    Attributes
    ----------
    axes : tuple of ndarray
        Places along each column.
    bands : PredictiveBands
        One or two columns' grid, the first fastest.
    n_draws : int
        Number of draws it is averaged over.
    """

    axes: tuple[FloatArray, ...]
    bands: PredictiveBands
    n_draws: int


def density(
    prepared: PreparedData, config: RunConfig, pooled: Pooled, probability: float
) -> Generator[Stage, None, Density]:
    """Evaluate the posterior predictive density on one or two columns."""
    yield Stage(0.1, "averaging densities over the draws")
    X = prepared.X
    n_places = CURVE_PLACES if X.shape[1] == 1 else MAP_PLACES
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    margin = np.where(high > low, 0.08 * (high - low), 1.0)
    problem = Problem.check(X, replace(config, n_sweeps=2, thin=1))
    beyond = outside(problem, (low - margin)[None, :])[0]  # no power is taken of what is not positive
    begins, ends = np.where(beyond, low, low - margin), high + margin
    axes = tuple(np.linspace(begin, end, n_places) for begin, end in zip(begins, ends, strict=True))
    points = np.column_stack([grid.ravel() for grid in np.meshgrid(*axes)])
    rows = np.unique(np.linspace(0, pooled.draws.n_draws - 1, DENSITY_DRAWS).astype(int))
    partitions = [pooled.partitions[row] for row in rows] if pooled.partitions else []
    bands = predictive_bands(problem, pooled.draws.labels[rows], points, probability, partitions)
    return Density(axes, bands, len(rows))
