"""How certain clusters are: a chain that begins at them, and how often their points stay together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dpviz.analysis.stability import jaccard
from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets.dataset import grouped
from dpviz.engine.trace import Trace
from dpviz.errors import InvalidParameterError, require
from dpviz.fit.run import run
from dpviz.partition.base import whole_number

N_SWEEPS, BURN_IN = 300, 50
"""Of the chain, by default."""


@dataclass(frozen=True, eq=False)
class Certainty:
    """What a chain says of the clusters that it began from.

    Attributes
    ----------
    together : ndarray (K, K)
        Share of the kept draws in which a point of one cluster and a point of another are in the same cluster, over all
        such pairs of points; on the diagonal that of two points of one cluster, 1 for a cluster of one point.
    n_clusters : ndarray of int (S,)
        K of every kept draw.
    jaccard : ndarray (K,)
        Mean over the kept draws of :func:`~dpviz.analysis.stability.jaccard`.
    """

    together: FloatArray
    n_clusters: IntArray
    jaccard: FloatArray

    @property
    def stability(self) -> FloatArray:
        """Share (K,) of draws that keep two points of a cluster together."""
        return np.diag(self.together)

    @property
    def between(self) -> FloatArray:
        """Largest share (K,) of pairs, a point of it and one of another cluster, that are together; 0 if alone."""
        others = self.together - np.diag(np.diag(self.together))
        return np.asarray(others.max(axis=1))


def cluster_certainty(
    X: ArrayLike,
    trace: Trace,
    labels: ArrayLike | None = None,
    n_sweeps: int = N_SWEEPS,
    burn_in: int = BURN_IN,
    seed: int = 0,
) -> Certainty:
    """Run a Gibbs chain under a run's model from its clusters, and see which of them stay.

    The model is the run's: what it learned of its partition prior, under which laws, is learned by this chain too,
    from the values at the result on.

    The chain begins at the clusters, so what is far from them and hard to reach from there counts too little: the
    numbers are those of the surroundings of this answer.

    Parameters
    ----------
    X : array_like (N, D)
        What the run clustered.
    trace : Trace
        Of a method with a model.
    labels : array_like of int (N,), optional
        Clusters to ask about; by default those of the result. The chain begins there.
    n_sweeps, burn_in : int
        Of the chain.
    seed : int

    Returns
    -------
    Certainty

    Raises
    ------
    InvalidParameterError
        If the method has no model, or there is not one label for each row.
    """
    if not trace.config.uses_model:
        raise InvalidParameterError(
            f"algorithm = {trace.config.algorithm!r} has no model, so no chain says how certain its clusters are."
        )
    require(whole_number("n_sweeps", n_sweeps) > whole_number("burn_in", burn_in), "n_sweeps", n_sweeps, "> burn_in")
    codes = grouped(trace.result_labels if labels is None else labels)[1]
    require(len(codes) == trace.n_points, "labels", len(codes), f"one label for each of the {trace.n_points:,} rows")
    config = replace(
        trace.config,
        algorithm="gibbs",
        init=codes,
        n_init=1,
        init_clusters=None,
        n_sweeps=n_sweeps,
        burn_in=burn_in,
        thin=1,
        temperature=1.0,
        order=None,
        sampler="collapsed",
        split_merge=1,
        seed=seed,
        options=None,
        events_sweep=None,
        effort=1.0,
        partition=trace.partition_at(trace.result_sweep),
    )
    chain = run(X, config)
    sizes = np.bincount(codes)
    rows = [row for row, sweep in enumerate(chain.label_sweeps) if sweep > burn_in]
    total = np.zeros((len(sizes), len(sizes)))
    for row in rows:
        table = np.zeros((len(sizes), chain.labels[row].max() + 1))
        np.add.at(table, (codes, chain.labels[row]), 1.0)
        total += table @ table.T
    pairs = np.outer(sizes, sizes).astype(np.float64)
    shares = total / len(rows)
    shares[np.diag_indices_from(shares)] -= sizes  # a point is always together with itself
    pairs[np.diag_indices_from(pairs)] -= sizes
    together = np.divide(shares, pairs, out=np.ones_like(shares), where=pairs > 0)
    again = np.mean([jaccard(codes, chain.labels[row]) for row in rows], axis=0)
    return Certainty(together, np.asarray(chain.n_clusters[burn_in + 1 :]), again)
