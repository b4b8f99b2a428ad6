"""The scale at which a run's result is shown: which of its clusters are joined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpviz.analysis.merging import MergeTree
from dpviz.arrays import IntArray
from dpviz.engine.trace import Trace


class Scale(NamedTuple):
    """Clusters of a result that are joined.

    Attributes
    ----------
    tree : MergeTree
        Of the result.
    n_clusters : int
        How many are left.
    groups : tuple of int
        For each label of the result, in their order, the number of its union.
    """

    tree: MergeTree
    n_clusters: int
    groups: tuple[int, ...]

    @classmethod
    def of(cls, tree: MergeTree, trace: Trace, n_clusters: int) -> Scale | None:
        """Return a level of the tree of a run's result; None for the clusters as they were found.

        Raises
        ------
        InvalidParameterError
        """
        partition = tree.labels(n_clusters)
        first = np.unique(trace.result_labels, return_index=True)[1]
        return None if n_clusters == tree.n_leaves else cls(tree, n_clusters, tuple(partition[first].tolist()))

    @property
    def labels(self) -> IntArray:
        """The joined clusters (N,)."""
        return self.tree.labels(self.n_clusters)

    @property
    def cost(self) -> float:
        """Nats that the joining adds to the nll."""
        return self.tree.cost(self.n_clusters)

    def union_of(self, trace: Trace) -> dict[int, int]:
        """Return the number of the union of each label of the result."""
        return dict(zip(np.unique(trace.result_labels).tolist(), self.groups, strict=True))
