"""Runs over one or two parameters, side by side on all cores or on a cluster, each result as soon as it is ready."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from dpviz.analysis.evaluation import CACHE, Cell, CellCache, Task, check_clusters_fit, evaluate_cell, has_density
from dpviz.analysis.experiment import experiment, one_thread
from dpviz.analysis.parameters import configured, partition_parameters
from dpviz.analysis.sharing import accept_offer, offers
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import check_data
from dpviz.errors import InvalidDataError, InvalidParameterError, require, require_kind
from dpviz.fit.automatic import problem_for
from dpviz.fit.run import run

MOST_CELLS = 10_000
"""Most runs of a grid, and so most values of an axis."""
LONGEST_BATCH = 16
"""Most cells per batch: progress is reported, and a grid cancelled, only between batches."""


@dataclass(frozen=True)
class Axis:
    """One parameter and the values it takes.

    Parameters
    ----------
    parameter : str
        A name that :func:`~dpviz.analysis.parameters.with_parameter` accepts.
    values : sequence of float
        Strictly increasing.

    Raises
    ------
    InvalidParameterError
        If there are no values, or they are not finite numbers in increasing order.
    """

    parameter: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check the values and freeze them."""
        name = f"values of {self.parameter}"
        try:
            array = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidParameterError(f"{name} must be numbers: {error}.") from error
        require(array.ndim == 1 and array.size > 0, name, self.values, "a sequence of at least one number")
        require(bool(np.all(np.isfinite(array))), name, self.values, "finite numbers")
        rising = bool(np.all(np.diff(array) > 0))
        require(rising, name, self.values, "strictly increasing", "Sort them and drop repeated ones.")
        object.__setattr__(self, "values", tuple(array.tolist()))

    @classmethod
    def linear(cls, parameter: str, lower: float, upper: float, n_values: int) -> Axis:
        """``n_values`` evenly spaced values from ``lower`` to ``upper``, both included."""
        _check_range(parameter, lower, upper, n_values)
        return cls(parameter, tuple(np.linspace(lower, upper, n_values).tolist()))

    @classmethod
    def logarithmic(cls, parameter: str, lower: float, upper: float, n_values: int) -> Axis:
        """``n_values`` values from ``lower`` > 0 to ``upper``, both included, each the same factor from the next."""
        _check_range(parameter, lower, upper, n_values)
        require(lower > 0, f"lower end of {parameter}", lower, "a number > 0 on a logarithmic axis")
        return cls(parameter, tuple(np.geomspace(lower, upper, n_values).tolist()))

    @classmethod
    def whole(cls, parameter: str, lower: int, upper: int, step: int = 1) -> Axis:
        """Every ``step``-th whole number from ``lower`` to at most ``upper``."""
        _check_n_values(parameter, (upper - lower) // step + 1)
        return cls(parameter, tuple(range(lower, upper + 1, step)))


def _check_range(parameter: str, lower: float, upper: float, n_values: int) -> None:
    name = f"range of {parameter}"
    require(bool(np.isfinite(lower) and np.isfinite(upper)), name, (lower, upper), "two finite numbers")
    whole = isinstance(n_values, int | np.integer) and not isinstance(n_values, bool) and n_values >= 1
    require(whole, f"number of values of {parameter}", n_values, "a whole number ≥ 1")
    _check_n_values(parameter, n_values)
    advice = "The lower end comes first."
    require(lower < upper or (lower == upper and n_values == 1), name, (lower, upper), "increasing", advice)


def _check_n_values(parameter: str, n_values: int) -> None:
    """Raise before they are made: a slip of the finger, or a link of a stranger, may ask for a billion."""
    if n_values > MOST_CELLS:
        raise InvalidParameterError(
            f"These are {n_values:,} values of {parameter}; {MOST_CELLS:,} runs are the most. Take fewer values."
        )


@dataclass(frozen=True)
class Grid:
    """A configuration and one or two parameters of it to vary.

    Every cell runs with the base's own ``n_init`` and ``effort``; ten starts of the default ``auto``, with the search
    that follows them, find the best known partition of most data sets, and one ``single`` start of few. Held-out
    densities cost ``n_folds`` more runs per cell.

    Parameters
    ----------
    base : RunConfig
    axes : sequence of Axis
        One or two, of different parameters.
    n_folds : int
        Folds of the held-out log density, for algorithms that have one; 0 leaves it out.

    Raises
    ------
    InvalidParameterError
    """

    base: RunConfig
    axes: tuple[Axis, ...]
    n_folds: int = 0

    def __post_init__(self) -> None:
        """Check the axes against each other."""
        require(isinstance(self.base, RunConfig), "base", self.base, "a RunConfig")
        axes = (self.axes,) if isinstance(self.axes, Axis) else tuple(self.axes)
        require(len(axes) in (1, 2), "axes", axes, "one or two axes")
        require(all(isinstance(axis, Axis) for axis in axes), "axes", axes, "Axis objects")
        names = [axis.parameter for axis in axes]
        require(len(set(names)) == len(names), "axes", names, "different parameters")
        _check_n_folds(self.n_folds)
        object.__setattr__(self, "axes", axes)
        if self.base.events_sweep is not None:
            object.__setattr__(self, "base", replace(self.base, events_sweep=None))

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values along each axis."""
        return tuple(len(axis.values) for axis in self.axes)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that vary."""
        return tuple(axis.parameter for axis in self.axes)

    def values(self, index: tuple[int, ...]) -> tuple[float, ...]:
        """Values of the parameters in a cell."""
        return tuple(axis.values[i] for axis, i in zip(self.axes, index, strict=True))

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Positions of all cells, the last axis fastest."""
        return product(*(range(length) for length in self.shape))

    def config(self, index: tuple[int, ...], X: FloatArray) -> RunConfig:
        """Build the configuration of one cell for data X (N, D), from which factors of hyperparameters follow."""
        return configured(self.base, self.parameters, self.values(index), X)

    def check(self, X: Any, n_jobs: int = -1) -> FloatArray:
        """Check data and every cell before anything runs; return the data as float64 (N, D).

        Raises
        ------
        DpvizError
            Naming the first invalid value; for more than 10,000 cells their estimated time.
        """
        data = check_data(X, gaps=True)
        if self.n_cells > MOST_CELLS:
            self._refuse(data, n_jobs)
        with one_thread():
            for index in self.indices():
                alone = sum(i > 0 for i in index) <= 1
                if alone or self._share_partition:
                    config = self.config(index, data)
                if alone:
                    problem_for(data, config)
                    _check_folds(data, self.n_folds, config)
        return data

    @property
    def _share_partition(self) -> bool:
        """Whether two parameters have a joint constraint; only those of the partition prior do (N0 > −d)."""
        return set(self.parameters) <= set(partition_parameters(self.base))

    def _refuse(self, X: FloatArray, n_jobs: int) -> None:
        begun = time.perf_counter()
        run(X, self.config((0,) * len(self.axes), X), should_stop=lambda: time.perf_counter() - begun > 1.0)
        seconds = (time.perf_counter() - begun) * self.n_cells * (1 + self.n_folds) / effective_n_jobs(n_jobs)
        raise InvalidParameterError(
            f"axes = {' × '.join(f'{length:,}' for length in self.shape)} values must be at most {MOST_CELLS:,} cells; "
            f"these {self.n_cells:,} would take {duration(seconds)} or more. Take fewer values."
        )


@dataclass(frozen=True)
class Progress:
    """Progress of a computation.

    Attributes
    ----------
    done, total : int
    seconds : float
        Spent so far.
    first : float
        Of these, until the first was done: processes begin, and kernels are compiled, only once.
    """

    done: int
    total: int
    seconds: float
    first: float = 0.0

    @property
    def seconds_left(self) -> float:
        """Estimate from the pace so far; NaN before the first cell."""
        return self.seconds / self.done * (self.total - self.done) if self.done else float("nan")

    def __str__(self) -> str:
        """Return one line for people."""
        left = f", {self._left()} left" if 0 < self.done < self.total else ""
        return f"{self.done:,} of {self.total:,} after {duration(self.seconds)}{left}"

    def _left(self) -> str:
        """Say how long the rest takes: by the pace of all that was done, and without the first if that is far less."""
        most = self.seconds_left
        if not self.first:
            return f"about {duration(most)}"
        if self.done == 1:
            return f"at most some {duration(most)}"
        least = (self.seconds - self.first) / (self.done - 1) * (self.total - self.done)
        return f"about {duration(most)}" if 1.5 * least > most else f"{duration(least)} to {duration(most)}"


def duration(seconds: float) -> str:
    """Return a time span in a unit that fits."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def run_grid(
    X: Any,
    grid: Grid,
    labels: ArrayLike | None = None,
    n_jobs: int | None = -1,
    cache: CellCache | None = CACHE,
    share: bool = False,
) -> Iterator[Cell]:
    """Run every cell and yield each result as soon as it is ready, in no particular order.

    Closing the generator, or leaving the loop, cancels the rest (:mod:`dpviz.analysis.experiment`); yielded cells are
    kept in ``cache``.

    Parameters
    ----------
    X : array_like (N, D)
    grid : Grid
    labels : array_like (N,), optional
        Reference groups, for NMI and ARI.
    n_jobs : int, optional
        Processes; −1 for one per core, 1 for none.
    cache : CellCache, optional
        Cache of finished cells by data and configuration; None keeps none.
    share : bool
        Let neighbouring cells start from each other's partitions once all have run, until none gains by it
        (:mod:`dpviz.analysis.sharing`); for algorithms that minimise the nll. A cell that gains is yielded again: of
        one index the last counts (:func:`latest_cells`).

    Yields
    ------
    Cell

    Raises
    ------
    DpvizError
        Before the first cell, if the data or any cell of the grid cannot work.
    """
    require_kind("grid", grid, Grid, "a Grid")
    data = grid.check(X, n_jobs or 1)
    reference = _checked_labels(labels, len(data))
    task = Task(data, reference, grid.base, grid.parameters, grid.n_folds)
    if not (share and ALGORITHMS[grid.base.algorithm].minimises_nll):
        yield from _cells_alone(task, grid, n_jobs, cache)
        return
    task_shared = replace(task, neighbourhood=tuple(axis.values for axis in grid.axes))
    known = cache.lookup(task_shared) if cache is not None else {}
    if len(known) == grid.n_cells:
        yield from known.values()
        return
    cells: dict[tuple[int, ...], Cell] = {}
    for cell in _cells_alone(task, grid, n_jobs, cache):
        cells[cell.index] = cell
        yield cell
    changed = set(cells)
    while changed:
        waiting, changed = offers(cells, changed), set()
        for gained in experiment(accept_offer, waiting, (task,), n_jobs, LONGEST_BATCH):
            if gained is not None:
                cells[gained.index] = gained
                changed.add(gained.index)
                yield gained
    if cache is not None:
        for cell in cells.values():
            cache.store(task_shared, cell)


def _cells_alone(task: Task, grid: Grid, n_jobs: int | None, cache: CellCache | None) -> Iterator[Cell]:
    """Yield known cells, then every other cell after its own search."""
    kept = cache.lookup(task) if cache is not None else {}
    trials = [(index, grid.values(index)) for index in grid.indices()]
    known = {(index, values): replace(kept[values], index=index) for index, values in trials if values in kept}
    for cell in experiment(evaluate_cell, trials, (task,), n_jobs, LONGEST_BATCH, known=known):
        if cache is not None:
            cache.store(task, cell)
        yield cell


def latest_cells(cells: Iterable[Cell]) -> list[Cell]:
    """Return the last cell of every index, in the order of the grid."""
    latest = {cell.index: cell for cell in cells}
    return [latest[index] for index in sorted(latest)]


def run_configs(
    X: Any,
    configs: Sequence[RunConfig],
    labels: ArrayLike | None = None,
    n_folds: int = 0,
    n_jobs: int | None = -1,
) -> Iterator[Cell]:
    """Run several configurations of any algorithms side by side, as :func:`run_grid` runs cells.

    Parameters
    ----------
    X : array_like (N, D)
    configs : sequence of RunConfig
    labels, n_folds, n_jobs
        As for :func:`run_grid` and :class:`Grid`.

    Yields
    ------
    Cell
        In no particular order; its ``index`` is ``(position among the configurations,)``, ``values`` is empty.

    Raises
    ------
    DpvizError
        Before the first run, if the data or any configuration cannot work.
    """
    data = check_data(X, gaps=True)
    reference = _checked_labels(labels, len(data))
    _check_n_folds(n_folds)
    trials = []
    for position, config in enumerate(configs):
        problem_for(data, config)
        _check_folds(data, n_folds, config)
        trials.append(((position,), (), Task(data, reference, config, (), n_folds)))
    yield from experiment(evaluate_cell, trials, n_jobs=n_jobs)


def _checked_labels(labels: ArrayLike | None, n_points: int) -> NDArray[Any] | None:
    reference = None if labels is None else np.asarray(labels)
    if reference is not None and reference.shape != (n_points,):
        raise InvalidDataError(f"labels has shape {reference.shape}; give one label for each of the {n_points} rows.")
    return reference


def _check_n_folds(n_folds: int) -> None:
    folds = isinstance(n_folds, int) and (n_folds == 0 or n_folds >= 2)
    require(folds and not isinstance(n_folds, bool), "n_folds", n_folds, "0 or a whole number ≥ 2")


def _check_folds(X: FloatArray, n_folds: int, config: RunConfig) -> None:
    """Raise unless every fold leaves enough points to fit."""
    if not n_folds:
        return
    if n_folds > len(X):
        raise InvalidParameterError(f"n_folds = {n_folds} must be at most the number of points, {len(X)}.")
    if not has_density(config):
        return
    check_clusters_fit(config, X, n_folds, "use fewer clusters or more folds, or n_folds=0")


def grid_frame(grid: Grid, cells: Iterable[Cell]) -> pd.DataFrame:
    """One row per cell in the order of the grid; the parameters first, then the results."""
    rows = [
        {
            **dict(zip(grid.parameters, cell.values, strict=True)),
            "n_clusters_found": cell.n_clusters,
            "nll": cell.nll,
            "objective": cell.objective,
            "held_out": cell.held_out,
            "nmi": cell.nmi,
            "ari": cell.ari,
            "n_sweeps": cell.n_sweeps,
            "converged": cell.converged,
            "seconds": cell.seconds,
        }
        for cell in sorted(cells, key=lambda cell: cell.index)
    ]
    return pd.DataFrame(rows)
