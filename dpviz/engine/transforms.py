"""New points under a partition of transformed columns, or of some directions: their densities are those of the columns.

Everything here is right for any run: without transformations it is what :mod:`dpviz.engine.directions` and
:mod:`dpviz.engine.predict` have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.engine import directions
from dpviz.engine.contributions import Contributions
from dpviz.engine.predict import PartitionFit, PartitionPredictive
from dpviz.engine.problem import Problem


def beyond(problem: Problem, X: FloatArray) -> FloatArray:
    """Return what the scores of :func:`predictive_of` lack for further rows X (n, D): log densities (nats, n).

    See :func:`dpviz.engine.directions.beyond`.
    """
    return directions.beyond(problem.inner, X if problem.powers is None else problem.powers.of(X))


def outside(problem: Problem, X: FloatArray) -> BoolArray:
    """Return which cells of further rows X (n, D) have no density: beyond a transformation, or off all directions."""
    found = np.zeros(X.shape, dtype=np.bool_)
    if problem.powers is not None:
        found = problem.powers.outside(X)
        X = problem.powers.of(np.where(found, np.nan, X))
    whole = ~np.isnan(X).any(axis=1)
    if problem.directions is not None:
        found[whole] |= problem.directions.outside(X[whole])
    return found


def check_inside(problem: Problem, X: FloatArray) -> None:
    """Raise unless further rows X (n, D) have a density, as far as transformations and directions decide it.

    Raises
    ------
    InvalidDataError
        Naming the first row that has none, its column and what it must be.
    """
    if problem.powers is not None:
        problem.powers.check_inside(X, advice="Leave the row out, or fit with transform=None.")
        X = X if problem.directions is None else problem.powers.of(X)
    directions.check_inside(problem.inner, X)


class TransformedPredictive(PartitionPredictive):
    """The mixture predictive of a partition of transformed columns, in the units of the columns."""

    def __init__(self, problem: Problem, labels: IntArray) -> None:
        assert problem.powers is not None
        super().__init__(problem.inner, labels)
        self._powers = problem.powers

    def log_predictives(self, X: FloatArray) -> FloatArray:
        """Log predictive (nats) of each row of X (n, D) in every cluster, last a new one: (n, K + 1)."""
        found = super().log_predictives(self._powers.of(X))
        return np.asarray(found + self._powers.log_jacobian(X)[:, None])


def predictive_of(problem: Problem, labels: IntArray) -> PartitionPredictive:
    """Return the mixture predictive of a partition (N,), whose densities :func:`beyond` completes."""
    return (PartitionPredictive if problem.powers is None else TransformedPredictive)(problem, labels)


def scores_of_places(problem: Problem, labels: IntArray, places: FloatArray) -> FloatArray:
    """Return log weight × predictive (nats, (n, K + 1)) of places (n, D) in a picture, under a partition (N,).

    Places without a density, which a picture may show, have the nearest possible one's, less :data:`FAR`.
    """
    outside: BoolArray = np.zeros(places.shape, dtype=np.bool_)
    if problem.powers is not None:
        outside = problem.powers.outside(places)
    possible = np.where(outside, np.nanmin(problem.X, axis=0), places) if outside.any() else places
    scores = predictive_of(problem, labels).log_scores(possible) + beyond(problem, possible)[:, None]
    return np.asarray(scores - FAR * outside.any(axis=1, keepdims=True))


FAR = 1000.0
"""Nats by which an impossible place is less dense than a possible one beside it, in pictures."""


class FitTransformed(PartitionFit):
    """A finished run of partitions of transformed columns."""

    def __init__(
        self,
        problem: Problem,
        labels: IntArray,
        draws: NDArray[Any],
        problem_of: Callable[[Problem, int], Problem] | None = None,
        common: Problem | None = None,
    ) -> None:
        super().__init__(problem, labels, draws, problem_of, common)
        assert problem.powers is not None
        inner = None if common is None else common.inner
        self._powers = problem.powers
        self._inner = directions.partition_fit(problem.inner, labels, draws, problem_of, inner)

    def log_scores(self, X: FloatArray) -> FloatArray:
        """Log of weight × predictive (nats) of each row of X (n, D) in every cluster, last a new one: (n, K + 1)."""
        return np.asarray(self._inner.log_scores(self._powers.of(X)) + self._powers.log_jacobian(X)[:, None])

    def contributions(self, X: FloatArray) -> Contributions | None:
        """Return the terms of the scores of X (n, D), column by column, each with the slope of its transformation.

        None where shares have one term together.
        """
        if self._powers.has_shares:
            return None
        found = self._inner.contributions(self._powers.of(X))
        return found and replace(found, columns=found.columns + self._powers.log_slopes(X)[:, None, :])

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log of the mean density (nats, n) over the draws, for each row of X (n, D) (2016 App. E)."""
        return np.asarray(self._inner.log_density(self._powers.of(X)) + self._powers.log_jacobian(X))


def partition_fit(problem: Problem, *arguments: Any) -> PartitionFit:
    """Make a finished run of partitions, as :class:`PartitionFit` takes it, of any columns."""
    return (directions.partition_fit if problem.powers is None else FitTransformed)(problem, *arguments)
