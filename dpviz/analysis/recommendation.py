"""One recommendation: a partition prior, an N0, and the strength of the evidence for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.analysis.evaluation import Cell
from dpviz.analysis.experiment import experiment
from dpviz.analysis.grids import Axis, Grid, latest_cells, run_grid
from dpviz.analysis.selection import best_cell
from dpviz.arrays import FloatArray
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import require_minimiser
from dpviz.engine.problem import check_data
from dpviz.engine.transforms import predictive_of
from dpviz.errors import InvalidDataError, require
from dpviz.fit.automatic import problem_for
from dpviz.fit.run import run
from dpviz.metrics import ari
from dpviz.partition import ChineseRestaurant, PitmanYor, PoweredChineseRestaurant
from dpviz.partition.ewens_pitman import CONCENTRATION

CONCENTRATIONS = (*CONCENTRATION.grid_range(), 9)
"""Lowest and highest N0, and how many, each the same factor from the next."""
POWERS, DISCOUNTS = (1.05, 1.2, 1.5), (0.1, 0.3, 0.5)
N_FOLDS, N_SEEDS, N_SPLITS = 5, 5, 3
WORTH_A_PARAMETER = 3.0
"""Nats by which a prior with one more parameter must be better: a factor of 20, "strong" evidence (Kass & Raftery 1995,
Sec. 3.2)."""
SAME = 0.95
"""Adjusted Rand index from which two partitions give the same answer."""
SIMILAR = 0.8
MOST_EXCEPTIONS = 1
"""Most seeds that may find something else if the search is to be trusted."""
FEWEST_POINTS = 12


@dataclass(frozen=True)
class Candidate:
    """A cell of one prior's grid.

    Attributes
    ----------
    prior : str
        Name of the partition prior.
    cell : Cell
    """

    prior: str
    cell: Cell


@dataclass(frozen=True)
class SeedCheck:
    """The recommended settings with another seed.

    Attributes
    ----------
    seed, n_clusters : int
    nll : float
        In nats.
    agreement : float
        Adjusted Rand index with the recommended partition.
    """

    seed: int
    n_clusters: int
    nll: float
    agreement: float


@dataclass(frozen=True)
class HalvesCheck:
    """The recommended settings on two random halves of the data.

    Attributes
    ----------
    n_clusters : pair of int
    agreement : float
        Adjusted Rand index between the two fits, each assigning all points to its most probable cluster.
    """

    n_clusters: tuple[int, int]
    agreement: float


Evidence = Candidate | SeedCheck | HalvesCheck


def candidate_grids(base: RunConfig) -> dict[str, Grid]:
    """Return the grid of each prior, the simplest prior first; only its cells are judged on unseen points, too."""
    n0 = Axis.logarithmic("concentration", *CONCENTRATIONS)
    return {
        ChineseRestaurant.name: Grid(replace(base, partition=ChineseRestaurant(1.0)), (n0,), N_FOLDS),
        PoweredChineseRestaurant.name: Grid(
            replace(base, partition=PoweredChineseRestaurant(1.0, POWERS[0])), (n0, Axis("power", POWERS))
        ),
        PitmanYor.name: Grid(replace(base, partition=PitmanYor(1.0, DISCOUNTS[0])), (n0, Axis("discount", DISCOUNTS))),
    }


def number_of_runs(base: RunConfig) -> int:
    """Count the runs of a recommendation, folds and halves included."""
    grids = candidate_grids(base).values()
    return sum(grid.n_cells * (1 + grid.n_folds) for grid in grids) + N_SEEDS + 2 * N_SPLITS


def number_of_steps(base: RunConfig) -> int:
    """Count the pieces of evidence of a recommendation."""
    return sum(grid.n_cells for grid in candidate_grids(base).values()) + N_SEEDS + N_SPLITS


def gather_evidence(
    X: Any, base: RunConfig, labels: ArrayLike | None = None, n_jobs: int | None = -1
) -> Iterator[Evidence]:
    """Compare priors and concentrations, then try the best with other seeds and on halves of the data.

    Parameters
    ----------
    X : array_like (N, D)
    base : RunConfig
        mapdp; its partition prior is replaced.
    labels : array_like (N,), optional
        Reference groups, for the scores of cells; the recommendation does not use them.
    n_jobs : int, optional

    Yields
    ------
    Candidate, SeedCheck or HalvesCheck
        A cell that gains from a neighbour's partition is yielded again; the last counts.

    Raises
    ------
    DpvizError
        Also for fewer than 12 points, whose halves are not informative.
    """
    require_minimiser(base)
    data = check_data(X, gaps=True)
    if len(data) < FEWEST_POINTS:
        raise InvalidDataError(f"X has {len(data)} points; a recommendation needs {FEWEST_POINTS} or more.")
    candidates = []
    for prior, grid in candidate_grids(base).items():
        for cell in run_grid(data, grid, labels, n_jobs, share=True):
            candidates.append(Candidate(prior, cell))
            yield candidates[-1]
    chosen = choose(candidates)
    own = _own_search(base, chosen)
    again = [(replace(own, seed=(base.seed + number) % 2**32),) for number in range(1, N_SEEDS + 1)]
    yield from experiment(_seed_check, again, (chosen.cell, data), n_jobs, in_order=True)
    yield from experiment(_halves_check, [(number,) for number in range(N_SPLITS)], (own, data), n_jobs, in_order=True)


def choose(candidates: Iterable[Candidate]) -> Candidate:
    """Return the candidate of lowest nll of the simplest prior that no other beats by 3 nats or more."""
    best = best_by_prior(candidates)
    lowest = min(cell.nll for cell in best.values())
    return next(Candidate(prior, cell) for prior, cell in best.items() if cell.nll < lowest + WORTH_A_PARAMETER)


def best_by_prior(candidates: Iterable[Candidate]) -> dict[str, Cell]:
    """Return the cell of lowest nll of each prior, in the order in which priors first come."""
    return {prior: best_cell(cells, "nll") for prior, cells in cells_by_prior(candidates).items()}


def cells_by_prior(candidates: Iterable[Candidate]) -> dict[str, list[Cell]]:
    """Return the latest cells of each prior in the order of its grid."""
    cells: dict[str, list[Cell]] = {}
    for candidate in candidates:
        cells.setdefault(candidate.prior, []).append(candidate.cell)
    return {prior: latest_cells(found) for prior, found in cells.items()}


def _own_search(base: RunConfig, chosen: Candidate) -> RunConfig:
    """Return the recommended settings without a start from a neighbour's partition."""
    return replace(base, partition=chosen.cell.config.partition)


def _seed_check(config: RunConfig, chosen: Cell, X: FloatArray) -> SeedCheck:
    trace = run(X, config)
    agreement = ari(chosen.labels, trace.result_labels)
    return SeedCheck(config.seed, int(trace.n_clusters[-1]), float(trace.nll[-1]), agreement)


def _halves_check(number: int, config: RunConfig, X: FloatArray) -> HalvesCheck:
    order = np.random.default_rng([config.seed, number]).permutation(len(X))
    fits = []
    for half in np.array_split(order, 2):
        problem = problem_for(X[half], config)
        predictive = predictive_of(problem, run(problem.X, config).result_labels)
        # existing clusters only: a new one for each distant point would not be informative
        fits.append((predictive.n_clusters, np.argmax(predictive.log_scores(X)[:, :-1], axis=1)))
    (first, labels), (second, others) = fits
    return HalvesCheck((first, second), ari(labels, others))


@dataclass(frozen=True)
class Recommendation:
    """The recommended prior and N0, and the evidence for and against them.

    Attributes
    ----------
    prior : str
        Name of the partition prior.
    cell : Cell
        The recommended run.
    grid : Grid
        Grid in which it is the best.
    rivals : mapping of str to Cell
        The best of every prior, by nll.
    row : tuple of Cell
        All N0 of the recommended prior, its other parameter fixed.
    by_held_out : Cell or None
        The Chinese restaurant that predicts unseen points best; None if none was judged by them.
    seeds : tuple of SeedCheck
    halves : tuple of HalvesCheck
    n_tried, n_cells : int
        Cells of all grids that were run, and all there are.
    """

    prior: str
    cell: Cell
    grid: Grid
    rivals: Mapping[str, Cell]
    row: tuple[Cell, ...]
    by_held_out: Cell | None
    seeds: tuple[SeedCheck, ...]
    halves: tuple[HalvesCheck, ...]
    n_tried: int
    n_cells: int

    @property
    def is_compared(self) -> bool:
        """Whether every cell of every grid was run, so that another is not better."""
        return self.n_tried == self.n_cells

    @property
    def n_agreeing(self) -> int:
        """Seeds that find the same K and nearly the same partition."""
        same = self.cell.n_clusters
        return sum(check.n_clusters == same and check.agreement >= SAME for check in self.seeds)

    @property
    def is_trusted(self) -> bool:
        """Whether enough other seeds find the same, so that differences between runs are not due to the search."""
        return self.n_agreeing >= N_SEEDS - MOST_EXCEPTIONS

    @property
    def is_contradicted(self) -> bool:
        """Whether too many other seeds find something else; neither this nor trusted while too few were tried."""
        return len(self.seeds) - self.n_agreeing > MOST_EXCEPTIONS

    @property
    def agreement_of_halves(self) -> float:
        """Mean adjusted Rand index between fits to halves of the data; NaN before any."""
        return float(np.mean([check.agreement for check in self.halves])) if self.halves else float("nan")

    @property
    def stable_range(self) -> tuple[float, float]:
        """Lowest and highest N0 of the row around the recommended one with the same K throughout."""
        counts = [cell.n_clusters == self.cell.n_clusters for cell in self.row]
        at = next(i for i, cell in enumerate(self.row) if cell.index == self.cell.index)
        first, last = at, at
        while first > 0 and counts[first - 1]:
            first -= 1
        while last < len(counts) - 1 and counts[last + 1]:
            last += 1
        return self.row[first].values[0], self.row[last].values[0]

    @property
    def depends_on_choice(self) -> bool:
        """Whether K changes between the lowest and highest N0 tried, or between the priors."""
        counts = {cell.n_clusters for cell in (*self.row, *self.rivals.values())}
        return len(counts) > 1


def recommendation(base: RunConfig, evidence: Sequence[Evidence]) -> Recommendation:
    """Draw the conclusion from evidence of :func:`gather_evidence`, in which checks may still be missing.

    Raises
    ------
    InvalidParameterError
        Without any candidate.
    """
    candidates = [entry for entry in evidence if isinstance(entry, Candidate)]
    require(bool(candidates), "evidence", [], "at least one candidate")
    chosen, cells = choose(candidates), cells_by_prior(candidates)
    row = tuple(cell for cell in cells[chosen.prior] if cell.values[1:] == chosen.cell.values[1:])
    judged = [cell for cell in cells.get(ChineseRestaurant.name, []) if np.isfinite(cell.held_out)]
    grids = candidate_grids(base)
    return Recommendation(
        prior=chosen.prior,
        cell=chosen.cell,
        grid=grids[chosen.prior],
        rivals=best_by_prior(candidates),
        row=row,
        by_held_out=best_cell(judged, "held_out") if judged else None,
        seeds=tuple(entry for entry in evidence if isinstance(entry, SeedCheck)),
        halves=tuple(entry for entry in evidence if isinstance(entry, HalvesCheck)),
        n_tried=sum(map(len, cells.values())),
        n_cells=sum(grid.n_cells for grid in grids.values()),
    )
