"""Joined clusters in a stored run: the run keeps the clusters that it found, and says what they were joined to."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpviz.analysis.merging import NLL, ORDERS, MergeTree
from dpviz.analysis.stored_extras import added, carried
from dpviz.arrays import IntArray
from dpviz.errors import TraceFormatError
from dpviz.text import counted

KEY = "merged"


def described(tree: MergeTree, n_clusters: int) -> dict[str, Any]:
    """Describe a level of a tree for JSON.

    Returns
    -------
    dict
        ``order``; ``n_found``, ``n_clusters`` and ``suggestion``, numbers of clusters; ``cost``, nats that the nll is
        higher than that of the clusters found; ``labels`` (N,), 0 … n_clusters − 1 in the order of their first points.

    Raises
    ------
    InvalidParameterError
    """
    labels = tree.labels(n_clusters)
    return {
        "order": tree.order,
        "n_found": tree.n_leaves,
        "n_clusters": int(labels.max()) + 1,
        "suggestion": tree.suggestion,
        "cost": tree.cost(n_clusters),
        "labels": labels.tolist(),
    }


def with_merge(run: str, tree: MergeTree, n_clusters: int) -> str:
    """Add a level of a tree to a run's JSON."""
    return added(run, KEY, described(tree, n_clusters))


def merged_labels(run: str, clusters: IntArray) -> IntArray | None:
    """Return the labels (N,) that a stored run's clusters were joined to; None if none were joined.

    Parameters
    ----------
    run : str
        The run's JSON, which is untrusted.
    clusters : (N,) array of int
        The clusters of its result.

    Raises
    ------
    TraceFormatError
        If they are not whole numbers in a list, one for each point and the same for all points of a cluster.
    """
    found = carried(run, KEY)
    if found is None:
        return None
    labels = found.get("labels") if isinstance(found, dict) else None
    if not isinstance(labels, list) or not all(type(label) is int and 0 <= label < len(labels) for label in labels):
        raise TraceFormatError("this stored run is damaged: what its clusters were joined to is no list of labels.")
    joined = np.array(labels, dtype=np.int64)
    if joined.shape != clusters.shape:
        said = f"what its clusters were joined to has {len(joined):,} labels for {counted(len(clusters), 'point')}."
        raise TraceFormatError(f"this stored run is damaged: {said}")
    if len(np.unique([clusters, joined], axis=1).T) != len(np.unique(clusters)):
        raise TraceFormatError("this stored run is damaged: what its clusters were joined to divides some of them.")
    return joined


def merged_order(run: str) -> str:
    """Return what the merges of a stored run were chosen by, of ``ORDERS``; the usual one if it does not say."""
    found = carried(run, KEY)
    order = found.get("order") if isinstance(found, dict) else None
    return order if isinstance(order, str) and order in ORDERS else NLL
