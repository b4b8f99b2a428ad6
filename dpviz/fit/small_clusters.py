"""What to say of a partition with single points, or with more clusters than its points can support."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

POINTS_PER_CLUSTER = 10
"""Points that a cluster should have to show where it is and how wide it is."""
FAR_ABOVE = 2.0
"""How many times more clusters than that are far too many."""


def small_clusters_in_words(sizes: ArrayLike) -> str:
    """Say how many clusters are single points, and whether there are far more than ten points a cluster allow.

    Parameters
    ----------
    sizes : array_like of int (K,)
        Of the clusters; empty ones do not count.

    Returns
    -------
    str
        One or two sentences, such as "14 of 27 clusters are single points."; empty if there is nothing to say.
    """
    counts = np.asarray(sizes, dtype=np.int64)
    n_clusters, n_points, n_single = int((counts > 0).sum()), int(counts.sum()), int((counts == 1).sum())
    said = []
    if n_single and n_clusters > 1:
        which = f"All {n_clusters:,}" if n_single == n_clusters else f"{n_single:,} of {n_clusters:,}"
        said.append(f"{which} clusters {'is a single point' if n_single == 1 else 'are single points'}.")
    allowed = max(1, n_points // POINTS_PER_CLUSTER)
    if n_clusters > FAR_ABOVE * allowed:
        said.append(
            f"{n_clusters:,} clusters leave each {n_points / n_clusters:.1f} of the {n_points:,} points on average; "
            f"with {POINTS_PER_CLUSTER} points each there would be {allowed:,}."
        )
    return " ".join(said)
