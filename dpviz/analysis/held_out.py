"""Predictive density of unseen points under a configuration: k-fold held-out log density (2016 App. E and G)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.analysis.evaluation import (
    OFF_DIRECTIONS,
    Task,
    check_clusters_fit,
    fold_log_density,
    folds_of,
    has_density,
)
from dpviz.analysis.experiment import experiment
from dpviz.arrays import FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import check_config, check_data
from dpviz.errors import InvalidDataError, InvalidParameterError, require
from dpviz.fit.timing import Estimate, estimate
from dpviz.shares import has_shares


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold.

    Attributes
    ----------
    number : int
        From 0.
    rows : ndarray of int (m,)
        The points held out.
    log_density : ndarray (m,)
        Of each under the fit to all others (nats); of a row with missing cells that of its present cells.
    n_clusters : int
        Clusters of that fit.
    """

    number: int
    rows: IntArray
    log_density: FloatArray
    n_clusters: int

    @property
    def mean(self) -> float:
        """Mean over its points (nats)."""
        return float(np.mean(self.log_density))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Joint result of all folds.

    Attributes
    ----------
    folds : tuple of Fold
    log_density : ndarray (N,)
        Of every point under the fit without its fold (nats); NaN for those whose fold is missing.
    """

    folds: tuple[Fold, ...]
    log_density: FloatArray

    @classmethod
    def of(cls, folds: Sequence[Fold], n_points: int) -> HeldOut:
        """Combine folds, some of which may still be missing."""
        log_density = np.full(n_points, np.nan)
        for fold in folds:
            log_density[fold.rows] = fold.log_density
        return cls(tuple(sorted(folds, key=lambda fold: fold.number)), log_density)

    @property
    def mean(self) -> float:
        """Mean log density per point (nats): the higher, the better the configuration predicts."""
        return float(np.nanmean(self.log_density))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean (nats), from the spread of the points; NaN of a single point."""
        found = self.log_density[~np.isnan(self.log_density)]
        return float(np.std(found, ddof=1) / np.sqrt(len(found))) if len(found) > 1 else np.nan


def held_out_folds(X: Any, config: RunConfig, n_folds: int = 5, n_jobs: int | None = 1) -> Iterator[Fold]:
    """For each fold in turn, fit a configuration to all other folds, and score the points of the fold.

    A fit never sees its own fold: automatic settings of the configuration, and empirical-Bayes hyperparameters,
    follow from the training points alone. Only the number of trials or categories of a column is that of all rows.

    Parameters
    ----------
    X : array_like (N, D)
        Of any kinds of columns; for mapdp and gibbs cells may be missing (NaN), which are then left out of densities.
    config : RunConfig
        Of an algorithm with a density: mapdp, gibbs, em.
    n_folds : int
        2 … N. Folds are drawn at random by the configuration's seed; copies of a row are in one
        (:func:`~dpviz.analysis.evaluation.folds_of`).
    n_jobs : int, optional
        As in :func:`~dpviz.analysis.experiment.experiment`.

    Yields
    ------
    Fold
        As soon as it is ready; closing the generator cancels the rest.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        Before the first fold, if the algorithm has no density, or a fold would leave too little to fit; with
        directions also at a fold whose rows lead off those of the others, and with transformations at one that holds
        the only numbers that are not > 0.
    """
    check_config(config)
    algorithm = ALGORITHMS[config.algorithm]
    if not has_density(config):
        known = ", ".join(name for name, other in ALGORITHMS.items() if other.has_density)
        raise InvalidParameterError(
            f"algorithm = {config.algorithm!r} has no density for points that it has not seen; choose one of {known}."
        )
    data = check_data(X, gaps=algorithm.uses_model)
    whole = isinstance(n_folds, int) and not isinstance(n_folds, bool)
    bound = f"a whole number from 2 to the number of points, {len(data)}"
    require(whole and 2 <= n_folds <= len(data), "n_folds", n_folds, bound)
    check_clusters_fit(config, data, n_folds, "use fewer clusters or more folds")
    folds = folds_of(data, config, n_folds)
    _check_columns(data, folds)
    trials = [(number,) for number in range(n_folds)]
    return experiment(_weighed, trials, (folds, Task(data, None, config, (), n_folds)), n_jobs, in_order=True)


def _weighed(number: int, folds: IntArray, task: Task) -> Fold:
    held_out = folds == number
    log_density, n_clusters = fold_log_density(task, (), held_out)
    if np.isnan(log_density).any():
        raise InvalidDataError(f"fold {number + 1} of {task.n_folds} {_without_density(task)}")
    return Fold(number, np.flatnonzero(held_out), log_density, n_clusters)


def _without_density(task: Task) -> str:
    """Say why rows held out have no density under a fit, and what to do."""
    if has_shares(task.base.transform):
        return "has rows whose shares have no log-ratios. Choose other folds, or transform=None."
    if task.base.transform is not None and not np.all(task.X[~np.isnan(task.X)] > 0):
        return (
            "has rows that are not > 0 in a column that the rows it is fitted to let it transform; they have no "
            "density there. Choose other folds, or transform=None."
        )
    return f"{OFF_DIRECTIONS}. Leave such columns out, or choose other folds, or directions=None."


def _check_columns(X: FloatArray, folds: IntArray) -> None:
    """Raise unless every fold leaves a cell of every column."""
    known = ~np.isnan(X)
    for number in range(int(folds.max()) + 1):
        empty = np.flatnonzero(~known[folds != number].any(axis=0))
        if len(empty):
            raise InvalidDataError(
                f"column {empty[0]} of X has {known[:, empty[0]].sum()} values, all of them in one fold, which leaves "
                "none to fit; leave the column out, or use more folds or another seed."
            )


def folds_estimate(config: RunConfig, shape: tuple[int, ...], n_folds: int) -> Estimate:
    """Estimate the work of all folds on data of shape (N, D), on one core."""
    n_training = max(shape[0] - shape[0] // n_folds, 1)
    return estimate(config, (n_training, *shape[1:])).times(n_folds)
