"""How far each recorded sweep agrees with known classes."""

from __future__ import annotations

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.metrics import entropy
from dpviz.player.data import Integers


def agreement_curve(tracks: Integers, classes: Integers) -> FloatArray:
    """Normalised mutual information of every row with one labelling, 2 I / (H + H), as :func:`dpviz.metrics.nmi`.

    Parameters
    ----------
    tracks : ndarray of int, shape (R, N)
        Non-negative, small cluster numbers, one row per recorded sweep.
    classes : ndarray of int, shape (N,)
        Known classes.

    Returns
    -------
    ndarray of shape (R,)
        Between 0 and 1.
    """
    codes = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    n_classes = int(codes.max()) + 1
    of_classes = entropy(np.bincount(codes))
    curve = np.empty(len(tracks))
    for row, track in enumerate(tracks):
        if row > 0 and np.array_equal(track, tracks[row - 1]):
            curve[row] = curve[row - 1]
            continue
        table = np.bincount(track.astype(np.int64) * n_classes + codes)
        table = np.pad(table, (0, -len(table) % n_classes)).reshape(-1, n_classes)
        of_clusters = entropy(table.sum(axis=1))
        both = of_classes + of_clusters
        shared = both - entropy(table.ravel())
        curve[row] = 1.0 if both == 0 else min(1.0, max(0.0, 2 * shared / both))
    return curve
