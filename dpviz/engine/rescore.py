"""Scores of given partitions under a configuration, without any search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpviz.arrays import FloatArray
from dpviz.engine.improve import canonical_labels
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError


def partition_nll(problem: Problem, partitions: Sequence[ArrayLike]) -> FloatArray:
    """Negative log joint probability −ln p(X, z) of given partitions, without any search.

    Parameters
    ----------
    problem : Problem
        Of an algorithm with an nll.
    partitions : sequence of array_like of int (N,)
        Labels; the names of the clusters do not matter.

    Returns
    -------
    ndarray (M,)
        In nats, as in a trace; infinite for more clusters than the prior allows.

    Raises
    ------
    InvalidParameterError
        If missing cells are filled in rather than left out.
    """
    if problem.imputes:
        raise InvalidParameterError(
            "missing cells are filled in, so that a partition alone has no nll; choose missing='marginalise' with a "
            "family of independent columns, or complete the rows."
        )
    nll = np.full(len(partitions), np.inf)
    sweeper: CollapsedSweeper | None = None
    for position, given in enumerate(partitions):
        labels = canonical_labels(np.asarray(given, dtype=np.int64))
        if labels.max() + 1 > problem.largest_n_clusters:
            continue
        if sweeper is None:
            working = problem.working
            sweeper = CollapsedSweeper(working.family, working.X, working.log_jacobian, problem.partition, labels, 0.0)
        else:
            sweeper.assign(labels)
        nll[position] = sweeper.nll
    return nll
