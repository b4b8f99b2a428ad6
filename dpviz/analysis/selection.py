"""Choose concentration, power, penalty and number of clusters, each as in the papers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import gammaln, psi

from dpviz.analysis.evaluation import OFF_DIRECTIONS, Cell, Task, fold_config, folds_of
from dpviz.analysis.experiment import experiment
from dpviz.analysis.grids import Axis, Grid
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.hyperparameters import with_partition
from dpviz.engine.kernels.seeding import farthest_first_penalty
from dpviz.engine.problem import Problem, check_data
from dpviz.engine.transforms import predictive_of
from dpviz.errors import (
    InvalidDataError,
    InvalidParameterError,
    require,
    require_kind,
    require_one_of,
    require_sequence,
)
from dpviz.fit.run import run
from dpviz.parameters import is_number
from dpviz.partition import PartitionPrior
from dpviz.partition.base import whole_number

CRITERIA = {"nll": 1.0, "objective": 1.0, "held_out": -1.0}
"""Criteria for choosing cells, and the sign that makes smaller values better."""
LOSS_RISE = 0.1
"""A loss that stays above the lowest so far by this share has blown up."""


def best_cell(cells: Iterable[Cell], criterion: str) -> Cell:
    """Return the cell of lowest nll or objective, or of highest held-out density; of equals the first in the grid.

    Between concentrations or powers the nll is comparable because it holds the prior's normaliser, C(N0, N) or ln Z_N
    (2016 App. G, way 2); the held-out density is way 4.

    Raises
    ------
    InvalidParameterError
        If no cell has the criterion, or the nll of some are of powers of other likelihoods.
    """
    require_one_of("criterion", criterion, CRITERIA)
    given = _checked(cells)
    if CRITERIA[criterion] > 0:
        _refuse_other_powers(criterion, given)
    usable = [cell for cell in given if np.isfinite(getattr(cell, criterion))]
    advice = "kmeans and dpmeans have neither nll nor density; without folds nothing has a held-out density"
    if criterion == "held_out" and any(cell.config.directions is not None for cell in given):
        advice += f", and none where a fold {OFF_DIRECTIONS}. Leave such columns out, or choose directions=None"
    require(bool(usable), "criterion", criterion, "defined in at least one cell", f"{advice}.")
    return min(usable, key=lambda cell: (CRITERIA[criterion] * getattr(cell, criterion), cell.index))


def _checked(cells: Iterable[Cell]) -> list[Cell]:
    """Return cells as a list, or raise unless they are cells."""
    found = list(cells) if isinstance(cells, Iterable) else cells
    require_sequence("cells", found, Cell, "a list of Cell, as run_grid yields them")
    require(bool(found), "cells", found, "a list with at least one Cell")
    return found


def _refuse_other_powers(criterion: str, cells: Sequence[Cell]) -> None:
    """Raise if cells are coarsened, and differ in more than their partition prior: their nll are not comparable."""
    configs = [cell.config for cell in cells if cell.config.uses_model]
    models = {(config.family, config.prior, config.directions, config.coarsening) for config in configs}
    require(
        len(models) < 2 or all(config.coarsening is None for config in configs),
        "criterion",
        criterion,
        "'held_out'",
        "Of coarsened models nll and objective say nothing between values of α, families and hyperparameters of "
        "clusters.",
    )


def ends_reached(grid: Grid, cell: Cell) -> dict[str, str]:
    """Return which parameters of a cell are at an end of their axis, ``lowest`` or ``highest``.

    A best value there is only the best of those tried: a better one may lie beyond. An axis of one value has no ends.
    """
    ends = {}
    for axis, position in zip(grid.axes, cell.index, strict=True):
        if len(axis.values) > 1 and position in (0, len(axis.values) - 1):
            ends[axis.parameter] = "highest" if position else "lowest"
    return ends


# --- the concentration ------------------------------------------------------------------------------------------------


def log_concentration_posterior(
    log_concentration: ArrayLike, n_points: int, n_clusters: int, shape: float = 1.0, rate: float = 0.1
) -> FloatArray:
    """Log density (nats, up to a constant) of ln N0 given K clusters of N points, under N0 ~ Gamma(shape, rate).

    ln Γ(N0) − ln Γ(N0 + N) + (K + a) ln N0 − b N0. This is 2016 eq. 35 with the exponent for ln N0, K + a
    for K + a − 1: the Jacobian, without which there is no mode at K = 1, a = 1.
    """
    _check_posterior(n_points, n_clusters, shape, rate)
    logarithm = np.asarray(log_concentration, dtype=np.float64)
    concentration = np.exp(logarithm)
    weights = gammaln(concentration) - gammaln(concentration + n_points)
    return np.asarray(weights + (n_clusters + shape) * logarithm - rate * concentration)


def concentration_mode(n_points: int, n_clusters: int, shape: float = 1.0, rate: float = 0.1) -> float:
    """Concentration at the mode of p(ln N0 | N, K), unique and finite for every K ≥ 1 (2016 App. G, way 3).

    Parameters
    ----------
    n_points, n_clusters : int
        N and the K that was found, 1 ≤ K ≤ N.
    shape, rate : float
        Of the gamma prior of N0, both > 0; its mean is shape/rate.

    Returns
    -------
    float
        Root of K + a = b N0 + E[K | N0, N], whose right side rises from 1 without bound.

    Raises
    ------
    InvalidParameterError
    """
    from scipy.optimize import brentq  # deferred: slow to import

    _check_posterior(n_points, n_clusters, shape, rate)

    def slope(logarithm: float) -> float:
        concentration = np.exp(logarithm)
        expected = concentration * (psi(concentration + n_points) - psi(concentration))
        return float(n_clusters + shape - rate * concentration - expected)

    upper = float(np.log((n_clusters + shape) / rate))
    lower = upper - 1
    while slope(lower) <= 0:
        lower -= 2 * (upper - lower)
    return float(np.exp(brentq(slope, lower, upper, xtol=1e-13)))


def _check_posterior(n_points: int, n_clusters: int, shape: float, rate: float) -> None:
    whole_number("n_points", n_points)
    within = isinstance(n_clusters, int | np.integer) and 1 <= n_clusters <= n_points
    require(within, "n_clusters", n_clusters, f"a whole number between 1 and n_points = {n_points}")
    for name, value in (("shape", shape), ("rate", rate)):
        require(is_number(value) and 1e-6 <= value <= 1e6, name, value, "a number between 1e-6 and 1e6")


def prior_law_of_n_clusters(
    partitions: Sequence[PartitionPrior], n_points: int, n_clusters: Sequence[int]
) -> pd.DataFrame:
    """Compare each prior's own law of K with the K found under it.

    Parameters
    ----------
    partitions : sequence of PartitionPrior
        One per row, e.g. those of the cells of a grid.
    n_points : int
    n_clusters : sequence of int
        The K found with each.

    Returns
    -------
    DataFrame
        ``n_clusters`` found, ``expected`` E[K], ``lower`` and ``upper`` ends of the central 90 % of the prior's law,
        ``probability`` of the K found and ``tail``, the probability of a K at least as far out on its side.
    """
    rows = []
    for partition, found in zip(partitions, n_clusters, strict=True):
        law = np.exp(partition.log_pmf_n_clusters(n_points))
        cumulative = np.cumsum(law)
        rows.append(
            {
                "n_clusters": int(found),
                "expected": float(law @ np.arange(n_points + 1)),
                "lower": int(np.searchsorted(cumulative, 0.05)),
                "upper": min(int(np.searchsorted(cumulative, 0.95)), n_points),
                "probability": float(law[found]),
                "tail": float(min(law[: found + 1].sum(), law[found:].sum())),
            }
        )
    return pd.DataFrame(rows)


# --- the power --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PowerLoss:
    """Cross-validated loss of one power (2018 eq. 5).

    Attributes
    ----------
    power : float
    loss : float
        Mean over the folds, in units of the data.
    n_clusters : float
        Mean number of clusters fitted.
    """

    power: float
    loss: float
    n_clusters: float


def square_root_loss(X: FloatArray, labels: ArrayLike, centres: FloatArray | None = None) -> float:
    """Return Σ_k sqrt(Σ_{j ∈ C_k} ‖x_j − x̄_k‖²) (2018 eq. 5): the root penalises every cluster.

    Parameters
    ----------
    X : ndarray (N, D)
    labels : array_like (N,)
    centres : ndarray (K, D), optional
        Means by label; those of X itself when omitted.
    """
    codes = np.asarray(labels)
    total = 0.0
    for k in np.unique(codes):
        members = X[codes == k]
        centre = members.mean(axis=0) if centres is None else centres[k]
        total += float(np.sqrt(np.sum((members - centre) ** 2)))
    return total


def power_losses(
    X: Any, base: RunConfig, powers: Sequence[float], n_folds: int = 5, n_jobs: int | None = -1
) -> Iterator[PowerLoss]:
    """Cross-validate powers of the powered Chinese restaurant, in increasing order (2018 Sec. 2.3).

    Each fold's points join the cluster of highest weight × predictive among those fitted without them, and are
    measured from its mean. A new cluster is not allowed: a point alone in one would have no loss.

    Parameters
    ----------
    X : array_like (N, D)
    base : RunConfig
        mapdp, or gibbs as in the paper.
    powers : sequence of float
        Increasing, from just above 1.
    n_folds : int
    n_jobs : int, optional

    Yields
    ------
    PowerLoss

    Raises
    ------
    DpvizError
    """
    require(base.uses_model, "algorithm", base.algorithm, "one with a partition prior")
    grid = Grid(base, (Axis("power", tuple(powers)),), n_folds)
    require(n_folds >= 2, "n_folds", n_folds, "a whole number ≥ 2")
    data = grid.check(X)
    task = Task(data, None, base, grid.parameters, n_folds)
    trials = [(power,) for power in grid.axes[0].values]
    yield from experiment(_power_loss, trials, (task,), n_jobs, in_order=True)


def _power_loss(power: float, task: Task) -> PowerLoss:
    folds = folds_of(task.X, task.base, task.n_folds)
    losses, found = [], []
    for fold in range(task.n_folds):
        X, held_out = task.X[folds != fold], task.X[folds == fold]
        config = fold_config(task, (power,), folds != fold)
        trace = run(X, config)
        labels = trace.result_labels
        problem = with_partition(Problem(X, trace.config), trace.partition_at(trace.result_sweep))
        predictive = predictive_of(problem, labels)
        joined = np.argmax(predictive.log_scores(held_out)[:, :-1], axis=1)
        centres = np.array([X[labels == k].mean(axis=0) for k in range(predictive.n_clusters)])
        losses.append(square_root_loss(held_out, joined, centres))
        found.append(predictive.n_clusters)
    return PowerLoss(power, float(np.mean(losses)), float(np.mean(found)))


def power_before_blow_up(losses: Sequence[PowerLoss], rise: float = LOSS_RISE) -> float | None:
    """Last power before the loss blows up (2018 Fig. 3), or None if it does not.

    The blow-up is the first power whose loss, and every later one, exceeds (1 + ``rise``) times the lowest loss of
    all smaller powers: a plateau may vary by that share, and a single bad fit does not count as its end.
    """
    values = np.array([entry.loss for entry in losses])
    if len(values) < 2:
        return None
    lowest_before = np.minimum.accumulate(values)[:-1]
    lowest_after = np.minimum.accumulate(values[::-1])[::-1][1:]
    blown = np.flatnonzero(lowest_after > (1 + rise) * lowest_before)
    return float(losses[int(blown[0])].power) if len(blown) else None


# --- the penalty and the number of clusters ---------------------------------------------------------------------------


def penalty_for(X: Any, n_clusters: int) -> float:
    """DP-means penalty λ that farthest-first traversal gives for a wanted K (Kulis & Jordan 2012, Sec. 5).

    Parameters
    ----------
    X : array_like (N, D)
        The data that will be clustered, in that scale: λ is in its squared units.
    n_clusters : int
        The wanted K, between 1 and N; DP-means may find another.

    Raises
    ------
    InvalidParameterError
        If K is out of range, or X has too few distinct points for it.
    """
    problem, n_clusters = Problem(check_data(X), RunConfig("dpmeans")), whole_number("n_clusters", n_clusters)
    penalty = farthest_first_penalty(problem.centred, n_clusters) * problem.scale**2
    if not penalty > 0:
        raise InvalidParameterError(f"n_clusters = {n_clusters} must be smaller: X has too few distinct points for it.")
    return penalty


def bic_grid(base: RunConfig, largest: int = 20) -> Grid:
    """K = 1 … ``largest`` for an algorithm with a K to choose, each with the restarts of ``base`` (2016 Sec. 5)."""
    require_kind("base", base, RunConfig, "a RunConfig")
    largest = whole_number("largest", largest)
    parameter = ALGORITHMS[base.algorithm].cluster_count
    if not parameter:
        known = ", ".join(name for name, algorithm in ALGORITHMS.items() if algorithm.cluster_count)
        raise InvalidParameterError(f"algorithm = {base.algorithm!r} must be one of {known} to choose K by BIC.")
    return Grid(base, (Axis.linear(parameter, 1, largest, largest),), n_folds=0)


def bic(cell: Cell, n_features: int) -> float:
    """Bayesian information criterion of a cell, as its algorithm defines it; lower is better.

    Returns
    -------
    float
        NaN where it is undefined: as many clusters as points, or clusters without spread.

    Raises
    ------
    InvalidParameterError
        For an algorithm without a number of clusters to choose.
    """
    require_kind("cell", cell, Cell, "a Cell, as run_grid yields them")
    n_features = whole_number("n_features", n_features)
    sizes = np.array(cell.sizes, dtype=np.int64)
    return ALGORITHMS[cell.config.algorithm].bic(cell.config, sizes, cell.objective, n_features)


def best_by_bic(cells: Iterable[Cell], n_features: int) -> Cell:
    """Return the cell of lowest BIC; of equals the one with fewer clusters.

    Raises
    ------
    InvalidDataError
        If no cell has a BIC.
    """
    usable = [cell for cell in _checked(cells) if np.isfinite(bic(cell, n_features))]
    if not usable:
        raise InvalidDataError("No number of clusters has a BIC: the points coincide. Add points that differ.")
    return min(usable, key=lambda cell: (bic(cell, n_features), cell.index))
