"""The default weight of a prior of categories: how even a column is as a whole says what each category is worth.

One point of each category is much when there are a hundred of them: clusters that have a few favourites each are then
no better than one cluster of all points. A few points in all are too little where a column is even: it says nothing of
groups, and yet clusters would be told apart by it. Between the two the column decides, as a single cluster.
"""

from __future__ import annotations

import numpy as np
from scipy.special import psi

from dpviz.arrays import FloatArray, IntArray

FEWEST_POINTS = 10.0
"""Points that the prior of one column is worth at least, over all its categories; with fewer, one of each category."""
HALVINGS = 40
"""Steps of a bisection over ln α₀: its error is below 1e-11."""


def fitted_weights(X: FloatArray, n_categories: IntArray) -> FloatArray:
    """Return the weight of each category that makes a column of one cluster most probable.

    The Dirichlet–multinomial marginal likelihood of a column's counts n_c, with the same weight α₀ for all C
    categories, has one maximum over α₀ (Levin & Reeds 1977), perhaps at infinity. It is taken within
    min(1, 10/C) ≤ α₀ ≤ 1, so that up to ten categories are worth one point each.

    Parameters
    ----------
    X : ndarray (N, D)
        Codes 0 … C_d − 1; missing cells (NaN) do not count.
    n_categories : ndarray of int (D,)

    Returns
    -------
    ndarray (D,)
        In points; 1 for a column without cells.
    """
    return np.array([_fitted(column[~np.isnan(column)], int(n)) for column, n in zip(X.T, n_categories, strict=True)])


def _fitted(codes: FloatArray, n_categories: int) -> float:
    lowest = FEWEST_POINTS / n_categories
    if lowest >= 1 or not len(codes):
        return 1.0
    counts = np.unique(codes, return_counts=True)[1]
    sizes, how_many = np.unique(counts, return_counts=True)

    def rises(weight: float) -> bool:
        """Whether a larger weight is more probable: the derivative is Σ_c [ψ(α₀ + n_c) − ψ(α₀)] − C[ψ(Cα₀ + N) − …]."""
        total = n_categories * weight
        gain = how_many @ (psi(weight + sizes) - psi(weight))
        return bool(gain > n_categories * (psi(total + len(codes)) - psi(total)))

    if rises(1.0):
        return 1.0
    if not rises(lowest):
        return lowest
    below, above = np.log(lowest), 0.0
    for _ in range(HALVINGS):
        middle = (below + above) / 2
        below, above = (middle, above) if rises(float(np.exp(middle))) else (below, middle)
    return float(np.exp((below + above) / 2))
