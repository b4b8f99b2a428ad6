"""How far each recorded sweep agrees with known classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpviz.arrays import FloatArray
from dpviz.metrics import entropy
from dpviz.player.data import Integers


class AgreementCurves(NamedTuple):
    """Agreement of every row with the classes.

    Attributes
    ----------
    nmi : ndarray of shape (R,)
        Normalised mutual information 2 I / (H + H), between 0 and 1, as :func:`dpviz.metrics.nmi`.
    ari : ndarray of shape (R,)
        Adjusted Rand index, as :func:`dpviz.metrics.ari`: about 0 for unrelated labelings, at most 1.
    """

    nmi: FloatArray
    ari: FloatArray


def agreement_curves(tracks: Integers, classes: Integers) -> AgreementCurves:
    """Compare every row with one labelling.

    Parameters
    ----------
    tracks : ndarray of int, shape (R, N)
        Non-negative, small cluster numbers, one row per recorded sweep.
    classes : ndarray of int, shape (N,)
        Known classes.

    Returns
    -------
    AgreementCurves
    """
    codes = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    n_classes = int(codes.max()) + 1
    curves = AgreementCurves(np.empty(len(tracks)), np.empty(len(tracks)))
    for row, track in enumerate(tracks):
        if row > 0 and np.array_equal(track, tracks[row - 1]):
            for curve in curves:
                curve[row] = curve[row - 1]
            continue
        table = np.bincount(track.astype(np.int64) * n_classes + codes)
        table = np.pad(table, (0, -len(table) % n_classes)).reshape(-1, n_classes)
        curves.nmi[row], curves.ari[row] = _nmi(table), _ari(table)
    return curves


def _nmi(table: NDArray[np.int64]) -> float:
    both = entropy(table.sum(axis=0)) + entropy(table.sum(axis=1))
    shared = both - entropy(table.ravel())
    return 1.0 if both == 0 else min(1.0, max(0.0, 2 * shared / both))


def _ari(table: NDArray[np.int64]) -> float:
    def pairs(sizes: NDArray[np.int64]) -> float:
        return float(np.sum(sizes * (sizes - 1.0)) / 2)

    joint, of_clusters, of_classes = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    if joint == of_clusters == of_classes:
        return 1.0
    n_points = float(table.sum())
    expected = of_clusters * of_classes / (n_points * (n_points - 1) / 2)
    return (joint - expected) / ((of_clusters + of_classes) / 2 - expected)
