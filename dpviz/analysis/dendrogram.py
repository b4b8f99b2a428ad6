"""Where the lines of a tree of merges run, for every picture of it."""

from __future__ import annotations

import numpy as np

from dpviz.analysis.merging import MergeTree
from dpviz.arrays import FloatArray

MOST_NAMED = 40
"""Trees of more clusters have no names at their leaves."""


def positions(tree: MergeTree) -> tuple[FloatArray, FloatArray]:
    """Return the place of every cluster (2K − 1,) across the tree, without crossings, and how many are left then."""
    n_leaves = tree.n_leaves
    parts = [[k] for k in range(n_leaves)]
    for a, b in tree.merges:
        parts.append(parts[a] + parts[b])
    rows = {leaf: row for row, leaf in enumerate(parts[-1])}
    places = [float(rows[leaf[0]]) for leaf in parts[:n_leaves]]
    for a, b in tree.merges:
        places.append((places[a] + places[b]) / 2)
    left = np.concatenate([np.full(n_leaves, float(n_leaves)), np.arange(n_leaves - 1.0, 0.0, -1.0)])
    return np.array(places), left


def leaf_of(tree: MergeTree, cluster: int) -> int:
    """Return a leaf of a cluster, whose colour its lines have."""
    while cluster >= tree.n_leaves:
        cluster = int(tree.merges[cluster - tree.n_leaves][0])
    return cluster
