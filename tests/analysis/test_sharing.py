"""Cells that share partitions: none is worse than a neighbour's partition, and each is the run that it names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from configs import usual_config

import dpviz
from dpviz.analysis import evaluation, grids
from dpviz.analysis.evaluation import CellCache
from dpviz.analysis.grids import Axis, Grid, latest_cells, run_grid
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.partition import ChineseRestaurant, FiniteDirichlet, PitmanYor, PoweredChineseRestaurant

IRIS = dpviz.datasets.load("iris")
SINGLE = usual_config(init="single")  # a poor search: most cells have something to gain
N0 = Axis.logarithmic("concentration", 0.1, 30.0, 8)


def shared(grid, n_jobs=1, cache=None, labels=None, X=IRIS.X):
    return latest_cells(run_grid(X, grid, labels, n_jobs, cache, share=True))


def alone(grid):
    return latest_cells(run_grid(IRIS.X, grid, n_jobs=1, cache=None))


def are_neighbours(one, other):
    return sum(abs(a - b) for a, b in zip(one.index, other.index, strict=True)) == 1


def test_a_partition_that_the_prior_excludes_has_no_finite_nll():
    problem = Problem.check(IRIS.X, usual_config(partition=FiniteDirichlet(1.0, 2)))
    nll = partition_nll(problem, [np.arange(150) % 3, np.arange(150) % 2])
    assert np.isinf(nll[0]) and np.isfinite(nll[1])


@pytest.mark.parametrize(
    "prior",
    [ChineseRestaurant(1.0), PoweredChineseRestaurant(1.0, 1.02), PitmanYor(1.0, 0.3)],
    ids=lambda prior: prior.name,
)
@pytest.mark.parametrize("init", ["auto", "single"])
def test_more_concentration_never_finds_fewer_clusters(prior, init):
    config = usual_config(partition=prior, init=init, effort=0.03)
    grid = Grid(config, (N0,))
    counts = [cell.n_clusters for cell in shared(grid)]
    assert counts == sorted(counts) and counts[-1] > counts[0]


def test_the_erratic_numbers_of_iris_were_the_search_and_not_the_prior():
    grid = Grid(usual_config(effort=0), (N0,))
    before, after = ([cell.n_clusters for cell in cells] for cells in (alone(grid), shared(grid)))
    assert before != sorted(before) and after == sorted(after)


def test_no_neighbours_partition_is_better_and_none_got_worse():
    axes = (Axis("concentration", (0.3, 1.0, 3.0, 10.0)), Axis("psi0", (0.1, 0.3, 1.0)))
    grid = Grid(SINGLE, axes)
    cells = shared(grid)
    for cell, before in zip(cells, alone(grid), strict=True):
        assert cell.nll <= before.nll
        around = [other for other in cells if are_neighbours(cell, other)]
        theirs = partition_nll(Problem(IRIS.X, grid.config(cell.index, IRIS.X)), [other.labels for other in around])
        assert cell.nll <= theirs.min() * (1 + 1e-8)


def test_a_cell_that_gained_is_the_run_that_its_configuration_names():
    grid = Grid(SINGLE, (N0,), n_folds=2)
    cells, before = shared(grid, labels=IRIS.labels), alone(grid)
    gained = [cell for cell in cells if cell.source is not None]
    assert gained and len(gained) < len(cells)
    for cell in cells:
        trace = dpviz.run(IRIS.X, cell.config)
        assert (cell.nll, cell.n_clusters) == (trace.nll[-1], trace.n_clusters[-1])
        assert cell.sizes == tuple(trace.sizes(-1)) == tuple(np.bincount(cell.labels))
        assert cell.nmi == dpviz.metrics.nmi(IRIS.labels, trace.labels[-1])
        # labels have seen every fold, so what is held out is judged by searches of its own
        assert cell.held_out == before[cell.index[0]].held_out
        values = [N0.values[i] for i in (cell.index[0] - 1, cell.index[0] + 1) if 0 <= i < 8]
        assert cell.source is None or (cell.source[0] in values and cell.config.init == tuple(cell.config.init))


def assert_same(first, second, but_for_seconds=False):
    for one, two in zip(first, second, strict=True):
        changes = {"seconds": one.seconds} if but_for_seconds else {}
        np.testing.assert_equal(vars(one), vars(replace(two, **changes)))  # NaN equals NaN


def test_processes_change_no_shared_cell():
    grid = Grid(SINGLE, (Axis("concentration", (0.3, 1.0, 3.0, 10.0)), Axis("psi0", (0.1, 1.0))))
    assert_same(shared(grid, 1), shared(grid, 2), but_for_seconds=True)


def test_a_finished_grid_comes_back_at_once_and_other_grids_do_not_change_it(monkeypatch):
    cache, ran = CellCache(), []
    original = evaluation.run_for_result
    monkeypatch.setattr(evaluation, "run_for_result", lambda *a: ran.append(a) or original(*a))
    grid, wide = Grid(SINGLE, (N0,)), Grid(SINGLE, (Axis("concentration", (0.01, *N0.values, 99.0)),))
    first = shared(grid, cache=cache)
    n_runs = len(ran)
    assert_same(shared(grid, cache=cache), first)
    assert len(ran) == n_runs
    shared(wide, cache=cache)
    assert_same(shared(grid, cache=cache), first)
    assert_same(first, shared(grid), but_for_seconds=True)


def test_algorithms_that_do_not_minimise_the_nll_share_nothing(monkeypatch):
    monkeypatch.setattr(grids, "offers", lambda *_: pytest.fail("there is nothing to share"))
    chain = usual_config("gibbs", n_sweeps=3, burn_in=1)
    for base, axis in ((chain, N0), (dpviz.RunConfig("kmeans"), Axis("n_clusters", (2.0, 3.0)))):
        assert len(shared(Grid(base, (axis,)))) == len(axis.values)
