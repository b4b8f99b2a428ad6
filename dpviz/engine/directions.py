"""New points under a partition whose clusters are in some directions: the others' density differs from row to row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray
from dpviz.engine.contributions import Contributions
from dpviz.engine.predict import PartitionFit
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidDataError
from dpviz.families.directions import InDirections


def beyond(problem: Problem, X: FloatArray) -> FloatArray:
    """Return what the scores of a partition lack for further rows X (n, D): log densities (nats, n), alike in clusters.

    0 without directions. A partition's own scores give each row an equal part of the density of all the data along the
    other directions; this is the difference from the row's own predictive density there.

    Raises
    ------
    InvalidDataError
        If cells are missing, which have no place along a direction.
    """
    model = problem.model
    return model.beyond(X) if isinstance(model, InDirections) else np.zeros(len(X))


def check_inside(problem: Problem, X: FloatArray) -> None:
    """Raise unless further rows X (n, D) lie in the directions in which the data vary, if clusters are in some.

    Raises
    ------
    InvalidDataError
        Naming the first row that does not, and its columns.
    """
    if problem.directions is None:
        return
    outside = problem.directions.outside(X)
    rows = np.flatnonzero(outside.any(axis=1))
    if len(rows):
        columns = np.flatnonzero(outside[rows[0]])
        named = ", ".join(map(str, columns[:5])) + (", …" if len(columns) > 5 else "")
        raise InvalidDataError(
            f"row {rows[0]} has values in column {named} that lead off the directions in which the data vary, so that "
            "it has no density there: a column of the data is constant, or follows from others, or there are fewer "
            "rows than columns. Leave such columns out, or choose directions=None."
        )


class FitInDirections(PartitionFit):
    """A finished run of partitions in some directions."""

    def log_scores(self, X: FloatArray) -> FloatArray:
        """Log of weight × predictive (nats) of each row of X (n, D) in every cluster, last a new one: (n, K + 1)."""
        lacking = beyond(self._problem, X)
        return np.asarray(super().log_scores(X) + lacking[:, None])

    def contributions(self, X: FloatArray) -> Contributions | None:
        """Return the terms of the scores of X (n, D), column by column; the rest of the scores is their joint term."""
        lacking, found = beyond(self._problem, X), super().contributions(X)
        return None if found is None else replace(found, together=found.together + lacking[:, None])

    def log_density(self, X: FloatArray) -> FloatArray:
        """Log of the mean density (nats, n) over the draws, for each row of X (n, D) (2016 App. E)."""
        lacking = beyond(self._problem, X)
        return np.asarray(super().log_density(X) + lacking)


def partition_fit(problem: Problem, *arguments: Any) -> PartitionFit:
    """Make a finished run of partitions, as :class:`PartitionFit` takes it, in some directions or in all."""
    return (PartitionFit if problem.directions is None else FitInDirections)(problem, *arguments)
