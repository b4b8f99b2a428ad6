"""Scores that compare a partition with known labels, as the papers use them.

All are symmetric in the two labelings and blind to the names of the clusters, except :func:`delta_k`, which has a sign.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import IntArray
from dpviz.errors import InvalidDataError

__all__ = ["ami", "ari", "delta_k", "nmi", "nmi_max", "variation_of_information"]


def _codes(name: str, labels: ArrayLike) -> IntArray:
    """Return labels as codes 0..K−1, or raise unless they are a usable 1-D array."""
    import pandas as pd  # deferred: it takes half a second to import

    # As objects a list keeps NaN beside strings; numpy alone would turn it into the label "nan".
    array = np.asarray(labels) if hasattr(labels, "dtype") else np.array(labels, dtype=object)
    if array.ndim != 1 or array.size == 0:
        raise InvalidDataError(f"{name} has shape {array.shape}; it must be a 1-D array with one label per point.")
    try:
        codes = pd.factorize(array)[0]
    except TypeError as error:
        raise InvalidDataError(f"{name} has labels that are neither numbers nor strings.") from error
    if codes.min() < 0:
        raise InvalidDataError(f"{name} has missing labels (None or NaN); leave out the points without a label.")
    return codes.astype(np.int64)


def _pair(labels_true: ArrayLike, labels_pred: ArrayLike) -> tuple[IntArray, IntArray]:
    true, pred = _codes("labels_true", labels_true), _codes("labels_pred", labels_pred)
    if true.size != pred.size:
        raise InvalidDataError(
            f"labels_true has {true.size} labels and labels_pred has {pred.size}; give one label per point in both."
        )
    return true, pred


def _joint(true: IntArray, pred: IntArray) -> IntArray:
    """Return one code per point for the pair of its labels."""
    return true * (int(pred.max()) + 1) + pred


def _entropies(true: IntArray, pred: IntArray) -> tuple[float, float, float, float]:
    """Return H(U | V), H(V | U), H(U) and H(V) in nats, U the true labels and V the predicted ones.

    Conditional entropies are sums of terms that are never negative, so they are exactly 0 where one labeling determines
    the other. All sums run over the cells of the contingency table. scikit-learn computes these scores too, but
    importing it takes longer than most runs.
    """
    pairs, cell_sizes = np.unique(_joint(true, pred), return_counts=True)
    row, column = np.divmod(pairs, int(pred.max()) + 1)
    row_sizes, column_sizes = np.bincount(true), np.bincount(pred)

    def mean_surprise(wholes: IntArray | int, parts: IntArray) -> float:
        return float(np.sum(parts / true.size * np.log(wholes / parts)))

    given = mean_surprise(column_sizes[column], cell_sizes), mean_surprise(row_sizes[row], cell_sizes)
    return *given, mean_surprise(true.size, row_sizes), mean_surprise(true.size, column_sizes)


def _pairs(sizes: IntArray) -> int:
    """Count the pairs of points that are in the same cluster, as an exact Python integer."""
    return sum(size * (size - 1) // 2 for size in sizes.tolist())


def nmi(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Normalised mutual information, "NMI sum": 2 I(U, V) / (H(U) + H(V)) (Raykov et al. 2014, Sec. 4.1).

    Parameters
    ----------
    labels_true, labels_pred : array_like of int or str, shape (N,)
        Two labelings of the same points.

    Returns
    -------
    float
        Between 0 and 1; 1 for equal partitions, among them two that both have a single cluster.

    Raises
    ------
    InvalidDataError
        If a labeling is empty, not 1-D or has missing labels, or their lengths differ.
    """
    true_of_pred, pred_of_true, h_true, h_pred = _entropies(*_pair(labels_true, labels_pred))
    total = h_true + h_pred  # 2 I = H(U) + H(V) − H(U | V) − H(V | U)
    return max(0.0, 1.0 - (true_of_pred + pred_of_true) / total) if total else 1.0


def nmi_max(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Normalised mutual information, "NMI max": I(U, V) / max(H(U), H(V)) (Raykov et al. 2014, App. A.4).

    Parameters
    ----------
    labels_true, labels_pred : array_like of int or str, shape (N,)
        Two labelings of the same points.

    Returns
    -------
    float
        Between 0 and 1; 1 for equal partitions, among them two that both have a single cluster.

    Raises
    ------
    InvalidDataError
        If a labeling is empty, not 1-D or has missing labels, or their lengths differ.
    """
    true_of_pred, pred_of_true, h_true, h_pred = _entropies(*_pair(labels_true, labels_pred))
    remaining, larger = (true_of_pred, h_true) if h_true >= h_pred else (pred_of_true, h_pred)
    return max(0.0, 1.0 - remaining / larger) if larger else 1.0


def ami(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Mutual information adjusted for chance: (I − E[I]) / ((H(U) + H(V)) / 2 − E[I]) (Raykov et al. 2014, App. A.4).

    Parameters
    ----------
    labels_true, labels_pred : array_like of int or str, shape (N,)
        Two labelings of the same points.

    Returns
    -------
    float
        1 for equal partitions, around 0 for unrelated ones; it can be negative.

    Raises
    ------
    InvalidDataError
        If a labeling is empty, not 1-D or has missing labels, or their lengths differ.
    """
    from sklearn.metrics import adjusted_mutual_info_score  # deferred: it takes a second to import

    return float(adjusted_mutual_info_score(*_pair(labels_true, labels_pred), average_method="arithmetic"))


def ari(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Rand index adjusted for chance: pairs of points that both treat alike (Hubert & Arabie 1985).

    Parameters
    ----------
    labels_true, labels_pred : array_like of int or str, shape (N,)
        Two labelings of the same points.

    Returns
    -------
    float
        1 for equal partitions, around 0 for unrelated ones; it can be negative.

    Raises
    ------
    InvalidDataError
        If a labeling is empty, not 1-D or has missing labels, or their lengths differ.
    """
    true, pred = _pair(labels_true, labels_pred)
    both, in_true, in_pred = (
        _pairs(np.unique(codes, return_counts=True)[1]) for codes in (_joint(true, pred), true, pred)
    )
    all_pairs = true.size * (true.size - 1) // 2
    if in_true == in_pred == both:
        return 1.0
    # Exact whole numbers until the last division: (both − expected) / (mean − expected), times all pairs.
    expected = in_true * in_pred
    return 2 * (both * all_pairs - expected) / ((in_true + in_pred) * all_pairs - 2 * expected)


def variation_of_information(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Variation of information H(U | V) + H(V | U), in bits (Meilă 2003; Lu, Li & Dunson 2018, Sec. 3).

    Parameters
    ----------
    labels_true, labels_pred : array_like of int or str, shape (N,)
        Two labelings of the same points.

    Returns
    -------
    float
        A distance between partitions in bits: 0 for equal ones, at most log2(N).

    Raises
    ------
    InvalidDataError
        If a labeling is empty, not 1-D or has missing labels, or their lengths differ.
    """
    true_of_pred, pred_of_true, _, _ = _entropies(*_pair(labels_true, labels_pred))
    return (true_of_pred + pred_of_true) / math.log(2)


def delta_k(labels_true: ArrayLike, labels_pred: ArrayLike) -> int:
    """Estimated minus true number of clusters; negative means too few (Raykov et al. 2014, Table 1).

    Parameters
    ----------
    labels_true, labels_pred : array_like of int or str, shape (N,)
        Two labelings of the same points.

    Returns
    -------
    int
        ΔK.

    Raises
    ------
    InvalidDataError
        If a labeling is empty, not 1-D or has missing labels, or their lengths differ.
    """
    true, pred = _pair(labels_true, labels_pred)
    return int(pred.max() - true.max())


def entropy(sizes: ArrayLike) -> float:
    """Entropy of a partition in nats: the information in the cluster of a random point.

    Parameters
    ----------
    sizes : array_like of int
        Sizes of its clusters; empty ones are ignored.

    Returns
    -------
    float
        0 for a single cluster, at most ln K.
    """
    counts = np.asarray(sizes)
    shares = counts[counts > 0] / counts.sum()
    return float(-np.sum(shares * np.log(shares)))
