"""One cell of a grid: a run, its scores, its held-out density; and a cache of finished cells."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpviz.analysis.parameters import configured, hyperparameter_values
from dpviz.analysis.sizes import held_bytes
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, algorithm_of
from dpviz.engine.transforms import outside
from dpviz.errors import InvalidParameterError
from dpviz.fit.automatic import problem_for
from dpviz.fit.run import run_for_result
from dpviz.fit.transforms import real_columns
from dpviz.metrics import ari, nmi
from dpviz.text import counted

CELLS_KEPT = 20_000
MOST_KEPT_BYTES = 150_000_000
"""Most memory of cached cells; a configuration that starts from a neighbour's partition has that, too."""
OFF_DIRECTIONS = (
    "has rows that vary where the rows it is fitted to do not; along directions they have no density. A column is "
    "nearly constant, or there are fewer rows than columns"
)
"""Why a fold has no density."""


@dataclass(frozen=True)
class Cell:
    """Result of one cell of a grid.

    Attributes
    ----------
    index : tuple of int
        Position in the grid.
    values : tuple of float
        Values of the parameters that vary.
    config : RunConfig
        The cell's run: ``run(X, config)`` gives exactly this result.
    n_clusters : int
    sizes : tuple of int
        Cluster sizes in the order of the labels.
    nll, objective : float
        As in :class:`~dpviz.engine.trace.Trace`, at its ``result_sweep``; nll is NaN where it is undefined.
    held_out : float
        Mean over all points of their log density (nats) under the fit without their fold; NaN where undefined.
    nmi, ari : float
        Against the reference labels; NaN without them.
    n_sweeps : int
    converged : bool
    seconds : float
        Spent on the run with all its restarts, and on the one from a neighbour's partition if there was one; the
        folds not counted.
    labels : ndarray (N,)
        Of the result, in the smallest type that holds them.
    source : tuple of float or None
        Values of the neighbouring cell whose partition the run started from; None if from starts of its own. Held-out
        densities always belong to starts of its own: a neighbour's partition has seen the points of every fold.
    """

    index: tuple[int, ...]
    values: tuple[float, ...]
    config: RunConfig
    n_clusters: int
    sizes: tuple[int, ...]
    nll: float
    objective: float
    held_out: float
    nmi: float
    ari: float
    n_sweeps: int
    converged: bool
    seconds: float
    labels: IntArray = field(repr=False, compare=False)
    source: tuple[float, ...] | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """Data and settings that all cells of a grid share.

    ``neighbourhood`` is empty, or the values of the axes between whose cells partitions are shared: what such cells
    find depends on it.
    """

    X: FloatArray
    labels: NDArray[Any] | None
    base: RunConfig
    parameters: tuple[str, ...]
    n_folds: int
    neighbourhood: tuple[tuple[float, ...], ...] = ()

    def config(self, values: Sequence[float], X: FloatArray) -> RunConfig:
        """Return the base configuration with the parameters at these values."""
        return configured(self.base, self.parameters, values, X)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Key that is equal for tasks whose cells agree at equal values."""
        digest = hashlib.sha256(repr(self.X.shape).encode())
        digest.update(self.X.tobytes())
        if self.labels is not None:
            digest.update(repr(self.labels.tolist()).encode())
        return digest.hexdigest(), self.base, self.parameters, self.n_folds, self.neighbourhood


class CellCache:
    """Finished cells by data, configuration and values; the least recently used are forgotten first.

    Parameters
    ----------
    n_cells, n_bytes : int
        Most cells that are kept, and their most bytes; those of the last task are kept even if they exceed these.
    """

    def __init__(self, n_cells: int = CELLS_KEPT, n_bytes: int = MOST_KEPT_BYTES) -> None:
        self._n_cells, self._n_bytes = n_cells, n_bytes
        self._sizes: dict[tuple[Any, ...], int] = {}
        self._tasks: OrderedDict[tuple[Any, ...], dict[tuple[float, ...], Cell]] = OrderedDict()
        self._lock = Lock()

    def lookup(self, task: Task) -> dict[tuple[float, ...], Cell]:
        """Return the finished cells of a task by their values."""
        with self._lock:
            if task.key in self._tasks:
                self._tasks.move_to_end(task.key)
            return dict(self._tasks.get(task.key, {}))

    def store(self, task: Task, cell: Cell) -> None:
        """Remember a cell."""
        with self._lock:
            cells = self._tasks.setdefault(task.key, {})
            grown = held_bytes(cell, but=[task.base]) - held_bytes(cells.get(cell.values), but=[task.base])
            self._sizes[task.key] = self._sizes.get(task.key, 0) + grown
            cells[cell.values] = cell
            self._tasks.move_to_end(task.key)
            while len(self._tasks) > 1 and self._is_full():
                self._sizes.pop(self._tasks.popitem(last=False)[0])

    def _is_full(self) -> bool:
        n_cells = sum(map(len, self._tasks.values()))
        return n_cells > self._n_cells or sum(self._sizes.values()) > self._n_bytes


CACHE = CellCache()
"""Cache shared by all code of this process."""


def evaluate_cell(index: tuple[int, ...], values: tuple[float, ...], task: Task) -> Cell:
    """Run a cell, and weigh the rows of its folds under the fits without them."""
    config = task.config(values, task.X)
    held_out = held_out_density(task, values) if task.n_folds and has_density(config) else np.nan
    return run_cell(task, index, values, config, held_out)


def run_cell(task: Task, index: tuple[int, ...], values: tuple[float, ...], config: RunConfig, held_out: float) -> Cell:
    """Run a configuration and collect the cell's results; the held-out density is given."""
    begun = time.perf_counter()
    trace = run_for_result(task.X, config)
    seconds = time.perf_counter() - begun
    sweep, labels = trace.result_sweep, trace.result_labels
    return Cell(
        index=index,
        values=values,
        config=config,
        n_clusters=int(trace.n_clusters[sweep]),
        sizes=tuple(trace.sizes(sweep).tolist()),
        nll=float(trace.nll[sweep]),
        objective=float(trace.objective[sweep]),
        held_out=held_out,
        nmi=np.nan if task.labels is None else nmi(task.labels, labels),
        ari=np.nan if task.labels is None else ari(task.labels, labels),
        n_sweeps=trace.n_sweeps,
        converged=trace.converged,
        seconds=seconds,
        labels=labels.astype(np.min_scalar_type(int(labels.max()))),
    )


def folds_of(X: FloatArray, config: RunConfig, n_folds: int) -> IntArray:
    """Return the fold (N,) of every row of X (N, D), 0 … n_folds − 1, at random by the configuration's seed.

    Copies of a row are in one fold where columns are real numbers, as in cross-validation by groups: what is left out
    must not be among what is fitted, or a cluster for each of such rows predicts best. Sizes differ by one at most
    without copies. Rows of more copies than a fold has rows are frequent values rather than copies, and are spread over
    the folds, as are rows of words and counts, which are equal by themselves.
    """
    groups = copied_groups(X, config, n_folds)
    sizes, order = np.bincount(groups), np.random.default_rng(config.seed)
    places = order.permutation(len(sizes))
    if len(sizes) == len(X):
        return places % n_folds
    held, folds = np.zeros(n_folds, dtype=np.int64), np.empty(len(sizes), dtype=np.int64)
    for group in np.lexsort((places, -sizes)):  # the largest first, each to the fold that is smallest by then
        folds[group] = np.argmin(held)
        held[folds[group]] += sizes[group]
    return folds[groups]


def copied_groups(X: FloatArray, config: RunConfig, n_folds: int) -> IntArray:
    """Return numbers (N,) of the groups of rows of X (N, D) that folds keep together, in the order of their first rows.

    Every row is a group of its own, but for copies that :func:`folds_of` keeps together.
    """
    alone = np.arange(len(X))
    if not len(real_columns(config, X.shape[1])):
        return alone
    groups = pd.DataFrame(X).groupby(list(range(X.shape[1])), dropna=False, sort=False).ngroup().to_numpy()
    frequent = np.bincount(groups)[groups] > max(len(X) // n_folds, 1)
    _, groups = np.unique(np.where(frequent, len(X) + alone, groups), return_inverse=True)
    n_groups = int(groups.max()) + 1
    return alone if n_groups in (len(X), *range(n_folds)) else groups.astype(np.int64)


def copies_in_words(X: FloatArray, config: RunConfig, n_folds: int) -> str:
    """Say how many rows of X (N, D) folds keep beside an earlier one that is equal; empty if none."""
    n_copies = len(X) - len(np.unique(copied_groups(X, config, n_folds)))
    repeat = f"{counted(n_copies, 'row')} {'repeats' if n_copies == 1 else 'repeat'} an earlier one"
    return f"{repeat}; copies of a row are left out together." if n_copies else ""


def check_clusters_fit(config: RunConfig, X: FloatArray, n_folds: int, remedy: str) -> None:
    """Raise unless every fold leaves a point for each requested cluster."""
    counted = ALGORITHMS[config.algorithm].cluster_count
    needed = config.option(counted) if counted else config.init_clusters or 1
    if needed <= len(X) - 2 * -(-len(X) // n_folds):  # a fold of copies holds at most twice its share
        return
    left = len(X) - int(np.bincount(folds_of(X, config, n_folds)).max())
    if needed > left:
        raise InvalidParameterError(
            f"{n_folds} folds of {len(X)} points leave {left} to fit {needed} clusters; {remedy}."
        )


def held_out_density(task: Task, values: Sequence[float]) -> float:
    """Mean log density (nats) of every point under the fit to the other folds (2016 App. E and G), NaN if one has none.

    Nothing of a fold reaches its fit: empirical-Bayes hyperparameters, too, come from the training points alone.
    """
    folds = folds_of(task.X, task.base, task.n_folds)
    log_density = np.empty(len(task.X))
    for fold in range(task.n_folds):
        held_out = folds == fold
        log_density[held_out], _ = fold_log_density(task, values, held_out)
    return float(np.mean(log_density))


def fold_log_density(task: Task, values: Sequence[float], held_out: BoolArray) -> tuple[FloatArray, int]:
    """Log density (nats) of the points held out (N,) under the fit to all others, and the clusters of that fit.

    NaN for all of them if clusters are in directions and the others vary in fewer: as a constant column has no say,
    these densities would not be of what those of other folds are. So if a column that the fit transforms is not > 0.
    """
    problem = problem_for(task.X[~held_out], fold_config(task, values, ~held_out))
    trace = run_for_result(problem.X, problem.config)
    n_clusters, rows = int(trace.n_clusters[trace.result_sweep]), task.X[held_out]
    if outside(problem, rows).any():
        return np.full(len(rows), np.nan), n_clusters
    return algorithm_of(problem).fitted(problem, trace).log_density(rows), n_clusters


def fold_config(task: Task, values: Sequence[float], training: BoolArray) -> RunConfig:
    """Return a cell's configuration for a part of the rows; labels to start from are cut to it.

    Numbers of trials or categories define a column's possible values, so they come from all rows.
    """
    base = task.base
    whole = [p.name for p in base.hyperparameters if p.role == "count"]
    if whole and base.uses_model:
        supports = hyperparameter_values(base, problem_for(task.X, base).filled)
        base = replace(base, prior={**(base.prior_dict or {}), **{name: supports[name] for name in whole}})
    config = configured(base, task.parameters, values, task.X[training])
    if not isinstance(config.init, str) and np.ndim(config.init) == 1:
        return replace(config, init=np.asarray(config.init)[training])
    return config


def why_no_density(cells: Iterable[Cell]) -> str:
    """Return why some cells have no held-out density though they had folds, as a sentence; empty if all have one."""
    lacking = [cell for cell in cells if has_density(cell.config) and np.isnan(cell.held_out)]
    if not any(cell.config.directions is not None for cell in lacking):
        return ""
    return f"{counted(len(lacking), 'run')} without a held-out density: a fold {OFF_DIRECTIONS}."


def has_density(config: RunConfig) -> bool:
    """Whether results of the configuration's algorithm have a density for further points."""
    return ALGORITHMS[config.algorithm].has_density
