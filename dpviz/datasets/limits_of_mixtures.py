"""What mixtures are not made for, as the 2016 paper says (Sec. 7): many columns, and rows that are a sequence."""

from __future__ import annotations

import numpy as np

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets.dataset import Dataset

FEWEST_ROWS, MOST_ROWS, MOST_COLUMNS = 50, 20_000, 50
"""Fewest rows whose order tells something, and the most rows and columns that are looked at, the first of each."""
ALIKE = 0.5
"""Correlation of rows that follow one another from which on they are called alike."""
_ROUNDING = 1e-12
"""Share of a column's largest value: smaller differences from a mean are rounding, and say nothing of an order."""


def beyond_mixtures(dataset: Dataset) -> tuple[str, ...]:
    """Say what of these data a mixture does not see, or hardly can; nothing if there is no such sign.

    Parameters
    ----------
    dataset : Dataset
    """
    said = []
    if dataset.n_features > dataset.n_points:
        said.append(
            f"There are more columns ({dataset.n_features:,}) than rows ({dataset.n_points:,}): for such data neither "
            "K-means nor MAP-DP is likely to be apt (2016, Sec. 7). Fewer columns, or a few principal components of "
            "them, are a way."
        )
    alike = likeness_of_neighbours(dataset.X, dataset.labels)
    if alike > ALIKE:
        said.append(
            f"Rows that follow one another are alike: they correlate by {alike:.2f}, the median of the columns, where "
            "chance has 0. If they are a sequence, such as measurements over time, clusters do not use their order; "
            "hidden Markov models do (2016, Sec. 7). Several rows of one subject count as so many subjects. If the "
            "table is merely sorted, nothing is lost."
        )
    return tuple(said)


def likeness_of_neighbours(X: FloatArray, labels: IntArray | None = None) -> float:
    """Return how rows that follow one another correlate, 1 − Σ (x_i − x_{i−1})² / 2 Σ (x_i − x̄)², in the median column.

    Parameters
    ----------
    X : ndarray (N, D)
        Rows with missing cells (NaN) are left out of their column.
    labels : ndarray (N,), optional
        Known groups, about whose means values are taken, so that a table sorted by them is none that is alike.

    Returns
    -------
    float
        0 for fewer than ``FEWEST_ROWS`` rows or columns that never change.
    """
    found = []
    for column in range(min(X.shape[1], MOST_COLUMNS)):
        there = np.flatnonzero(~np.isnan(X[:MOST_ROWS, column]))
        x = X[there, column]
        rounding = _ROUNDING * float(np.max(np.abs(x), initial=0.0))
        if labels is not None and len(x):
            groups = np.unique(labels[there], return_inverse=True)[1]
            x = x - (np.bincount(groups, x) / np.bincount(groups))[groups]
        spread = float(np.sum((x - x.mean()) ** 2)) if len(x) >= FEWEST_ROWS else 0.0
        if spread > len(x) * rounding**2:
            found.append(1 - float(np.sum(np.diff(x) ** 2)) / (2 * spread))
    return float(np.median(found)) if found else 0.0
