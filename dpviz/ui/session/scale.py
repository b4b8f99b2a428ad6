"""The scale at which a run's result is shown: which of its clusters are joined."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dpviz.analysis.merging import NLL, ORDERS, MergeTree
from dpviz.arrays import IntArray
from dpviz.engine.trace import Trace
from dpviz.errors import refused
from dpviz.player.data import PanelData


class Level(NamedTuple):
    """A scale as a link names it: ``6`` or ``6-overlap``.

    Attributes
    ----------
    n_clusters : int
        How many are left; 0 for the clusters as they were found.
    order : str
        What the merges are chosen by.
    """

    n_clusters: int = 0
    order: str = NLL

    def __str__(self) -> str:
        return str(self.n_clusters) if self.order == NLL else f"{self.n_clusters}-{self.order}"

    @classmethod
    def read(cls, text: str) -> Level:
        """Inverse of ``str``; the text may be hostile.

        Raises
        ------
        InvalidParameterError
        """
        number, _, order = text.partition("-")
        is_number = number.isascii() and number.isdigit() and len(number) < 19 and int(number) > 0
        if not is_number or (order or NLL) not in ORDERS or text.endswith("-"):
            wanted = f"a number of clusters from 1, alone or followed by {' or '.join(f'-{name}' for name in ORDERS)}"
            raise refused("scale", text[:40], wanted)
        return cls(int(number), order or NLL)


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
    def level(self) -> Level:
        """As a link names it."""
        return Level(self.n_clusters, self.tree.order)

    @property
    def labels(self) -> IntArray:
        """The joined clusters (N,)."""
        return self.tree.labels(self.n_clusters)

    @property
    def cost(self) -> float:
        """Nats that the joining adds to the nll."""
        return self.tree.cost(self.n_clusters)

    def in_player(self, panel: PanelData, rows: IntArray) -> PanelData:
        """Let number of clusters and nll in a player be those of the unions, in those of its rows that are joined.

        The method's own objective is not known of them.
        """
        sweeps = np.asarray(panel.label_sweeps)[rows]
        n_clusters = np.array(panel.n_clusters)
        nll, objective = (np.array(curve, dtype=np.float64) for curve in (panel.nll, panel.objective))
        n_clusters[sweeps] = self.n_clusters
        nll[sweeps] += self.cost
        objective[sweeps] = np.nan
        return replace(panel, n_clusters=n_clusters, nll=nll, objective=objective)

    def union_of(self, trace: Trace) -> dict[int, int]:
        """Return the number of the union of each label of the result."""
        return dict(zip(np.unique(trace.result_labels).tolist(), self.groups, strict=True))
