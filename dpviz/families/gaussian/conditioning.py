"""Checks that scatter matrices can be factorised with enough digits, and the errors if they cannot.

A Cholesky factor of Ψ loses digits in proportion to the ratio of the diagonal to its smallest pivot. In ln p(X, z)
that is an error of about ½ √N ε (a0 + N)/2 ÷ ratio nats, as measured against extended precision on 100 to 20,000 points
with a redundant column, for ratios down to where nothing is left.
"""

from __future__ import annotations

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.errors import IllConditionedError

MOST_NATS = 0.1
"""Error of an nll that is still allowed."""
SMALLEST_RATIO = 1e-14
"""Smallest ratio of the prior's scatter to the data's variance: few points have no other scatter across their plane."""
FARTHEST = 1e6
"""Standard deviations from the data to a prior mean, beyond which its shift hides the scatter of the data."""
TAKES_PART = 0.1
"""Share of the largest entry from which a column takes part in a direction."""


def check_prior_mean(distances: FloatArray) -> None:
    """Raise if a prior mean lies too far from the data; distances (D,) are in standard deviations."""
    farthest = int(np.argmax(distances))
    if distances[farthest] > FARTHEST:
        raise IllConditionedError(
            f"prior['m0'] lies {distances[farthest]:.3g} standard deviations from the mean of column {farthest} of X; "
            f"beyond {FARTHEST:g} the nll loses its digits. Give a mean near the data, or leave m0 out."
        )


def check_scatter(psi0: FloatArray, X: FloatArray, a0: float) -> None:
    """Raise if the posterior scatter of all points, or the prior's next to it, is nearly singular.

    Parameters
    ----------
    psi0 : ndarray (D, D)
        Prior scatter.
    X : ndarray (N, D)
        Centred.
    a0 : float
        Degrees of freedom.

    Raises
    ------
    IllConditionedError
        Naming the columns.
    """
    n_points = len(X)
    scatter = psi0 + X.T @ X
    needed = max(0.25 * np.sqrt(n_points) * np.finfo(float).eps * (a0 + n_points) / MOST_NATS, 10 * SMALLEST_RATIO)
    value, columns = _narrowest(scatter, np.diagonal(scatter))
    if value < needed:
        raise IllConditionedError(
            f"{_named(columns)} depend on each other so closely that the nll would lose its digits: across them the "
            f"scatter is {value:.2g} of the diagonal, and {needed:.2g} is needed. Leave one of them out, give a larger "
            "prior['psi0'], or take family='normal_gamma'."
        )
    value, columns = _narrowest(psi0, np.diagonal(scatter) / n_points)
    if value < SMALLEST_RATIO:
        raise IllConditionedError(
            f"prior['psi0'] is {value:.2g} of the variance of the data along {_named(columns)}; it must be at least "
            f"{SMALLEST_RATIO:g} of it. Give a larger psi0."
        )


def _narrowest(matrix: FloatArray, diagonal: FloatArray) -> tuple[float, list[int]]:
    """Smallest eigenvalue of a matrix (D, D) in units of a diagonal (D,), and the columns that its direction mixes."""
    roots = np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(matrix / roots / roots[:, None])
    direction = np.abs(vectors[:, 0])
    return float(values[0]), np.flatnonzero(direction > TAKES_PART * direction.max()).tolist()


def _named(columns: list[int]) -> str:
    shown = ", ".join(map(str, columns[:8])) + (", …" if len(columns) > 8 else "")
    return f"columns {shown} of X" if len(columns) > 1 else f"column {shown} of X"
