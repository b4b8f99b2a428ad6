"""Split–merge moves between sweeps of the collapsed Gibbs sampler.

A sweep moves one point at a time, and a chain can take very long to split a cluster or to merge two. These moves do
it at once: two points, the anchors, are drawn; if they share a cluster it is divided between them, else their clusters
are merged. A Metropolis–Hastings test leaves the posterior exactly invariant.

A cluster is divided by sequential allocation (Dahl 2005): the other members come one by one, in random order, and join
either side with the probabilities of the model. One pass is cheap, and the reverse of a good merger never improbable.
"""

from __future__ import annotations

import numpy as np

from dpviz._jit import prepare
from dpviz.arrays import IntArray
from dpviz.engine.kernels.collapsed import PartitionTables
from dpviz.engine.kernels.collapsed_sweep import N_BORN, N_DIED, N_MOVED, clusters_of
from dpviz.engine.kernels.split_merge import propose_splits_and_merges
from dpviz.engine.moves import Moves
from dpviz.engine.problem import Problem
from dpviz.errors import require
from dpviz.numerics.stream import stream_of


class SplitMerge:
    """Proposes splits and merges for one problem.

    Parameters
    ----------
    problem : Problem
        gibbs at temperature 1 with the collapsed sampler.

    Attributes
    ----------
    tables : PartitionTables
        The partition prior; another may be set between two proposals.
    X : ndarray (N, D)
        Working data; others may be set between two proposals, if missing cells got other values.

    Raises
    ------
    InvalidParameterError
    """

    def __init__(self, problem: Problem) -> None:
        config = problem.config
        collapsed = problem.algorithm.is_chain and config.sampler == "collapsed"
        require(collapsed, "algorithm", (config.algorithm, config.sampler), "gibbs with sampler='collapsed'")
        require(config.temperature == 1, "temperature", config.temperature, "1 for split–merge moves")
        self.X = problem.working.X
        self.tables = PartitionTables(problem.partition, len(problem.X))
        self._state = problem.working.family.bind(self.X, 2)
        with stream_of(np.random.default_rng(0)) as stream:  # so that the first move takes no longer than the others
            law, clusters = self.tables.law, clusters_of(np.zeros(len(problem.X), dtype=np.int64))
            prepare(propose_splits_and_merges, self._state, self.X, clusters, self.tables.log_join, law, 1, stream)

    def move(self, labels: IntArray, random_state: np.random.Generator, n_proposals: int = 1) -> tuple[IntArray, Moves]:
        """Propose splits and merges one after another, and accept or reject each.

        Parameters
        ----------
        labels : ndarray (N,)
            0 … K − 1, each present; not changed.
        random_state : numpy.random.Generator
        n_proposals : int

        Returns
        -------
        labels : ndarray (N,)
            0 … K' − 1, each present; a new cluster comes last.
        moves : Moves
            Counts of what was accepted.
        """
        clusters = clusters_of(labels.astype(np.int64))
        with stream_of(random_state) as stream:
            log_join, law = self.tables.log_join, self.tables.law
            propose_splits_and_merges(self._state, self.X, clusters, log_join, law, n_proposals, stream)
        n_moved, n_born, n_died = clusters.counters[[N_MOVED, N_BORN, N_DIED]].tolist()
        return clusters.labels, Moves(n_moved, n_born, n_died, n_accepted=n_born + n_died)
