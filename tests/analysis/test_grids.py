"""Grids: every cell is the run it names, folds hide what they hold out, and a cluster that loses a worker goes on."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import dask
import distributed
import joblib
import numpy as np
import pandas as pd
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from threadpoolctl import threadpool_info, threadpool_limits

import dpviz
from dpviz.analysis import evaluation as cells_module
from dpviz.analysis import grids
from dpviz.analysis.evaluation import CellCache, Task, folds_of
from dpviz.analysis.grids import Axis, Grid, Progress, grid_frame, run_configs, run_grid
from dpviz.analysis.parameters import variable_parameters, with_parameter
from dpviz.cli import main
from dpviz.errors import DpvizError, InvalidParameterError
from dpviz.families import FAMILIES
from dpviz.families.automatic import can_hold

IRIS = dpviz.datasets.load("iris")
MAPDP = usual_config(n_init=5, effort=0, seed=3)


def blobs(n_points=60, seed=0):
    rng = np.random.default_rng(seed)
    return np.repeat([[0.0, 0.0], [6.0, 1.0], [1.0, 7.0]], n_points // 3, axis=0) + rng.normal(size=(n_points, 2))


def finished(X, grid, labels=None, n_jobs=1, cache=None):
    return sorted(run_grid(X, grid, labels, n_jobs, cache), key=lambda cell: cell.index)


def without_seconds(cells):
    return [replace(cell, seconds=0.0) for cell in cells]


def assert_same(first, second):
    for a, b in zip(without_seconds(first), without_seconds(second), strict=True):
        assert_equal(vars(a), vars(b))  # NaN equals NaN


def test_cells_are_found_with_one_thread_of_linear_algebra_which_has_as_many_as_before_afterwards(monkeypatch):
    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    within = []
    monkeypatch.setattr(
        cells_module, "run_for_result", lambda X, config: within.append(threads()) or dpviz.run(X, config)
    )
    with threadpool_limits(2):
        before = threads()
        finished(blobs(), Grid(MAPDP, (Axis("concentration", (0.1, 1.0)),)), cache=CellCache())
        assert before == threads() == [2] * len(before)
    assert len(within) >= 2 and all(found == [1] * len(before) for found in within)
    assert before


@pytest.mark.parametrize(
    ("config", "parameter", "value", "expected"),
    [
        (MAPDP, "concentration", 0.5, ("partition", dpviz.ChineseRestaurant(0.5))),
        (MAPDP, "power", 1.2, ("partition", dpviz.PoweredChineseRestaurant(3.0, 1.2))),
        (MAPDP, "discount", 0.2, ("partition", dpviz.PitmanYor(3.0, 0.2))),
        (MAPDP, "n_components", 7.0, ("partition", dpviz.FiniteDirichlet(3.0, 7))),
        (
            replace(MAPDP, partition=dpviz.PitmanYor(1.0, 0.2)),
            "concentration",
            2.0,
            ("partition", dpviz.PitmanYor(2.0, 0.2)),
        ),
        (MAPDP, "temperature", 0.5, ("temperature", 0.5)),
        (MAPDP, "c0", 0.3, ("prior", (("c0", 0.3),))),
        (dpviz.RunConfig("dpmeans"), "penalty", 9.0, ("penalty", 9.0)),
        (dpviz.RunConfig("kmeans"), "n_clusters", 5.0, ("n_clusters", 5)),
        (dpviz.RunConfig("em"), "n_components", 5.0, ("n_components", 5)),
    ],
)
def test_a_parameter_goes_where_it_belongs(config, parameter, value, expected):
    changed = with_parameter(config, parameter, value, IRIS.X)
    assert parameter in variable_parameters(config)
    assert getattr(changed, expected[0]) == expected[1]
    assert replace(changed, **{expected[0]: getattr(config, expected[0])}) == config


def test_a_factor_multiplies_the_default_of_the_data_or_the_value_given():
    changed = with_parameter(MAPDP, "psi0", 2.0, IRIS.X)
    assert_allclose(changed.prior_dict["psi0"], 2 * np.cov(IRIS.X.T, bias=True), rtol=1e-12)
    given = replace(MAPDP, family="normal_gamma", prior={"b0": [1.0, 2.0, 3.0, 4.0]})
    assert with_parameter(given, "b0", 0.5, IRIS.X).prior_dict["b0"].tolist() == [0.5, 1.0, 1.5, 2.0]


@pytest.mark.parametrize(
    ("config", "parameter", "value"),
    [
        (MAPDP, "penalty", 1.0),
        (MAPDP, "m0", 2.0),  # a factor on a location means nothing
        (MAPDP, "c0", 0.0),
        (MAPDP, "psi0", -1.0),
        (MAPDP, "n_components", 2.5),
        (MAPDP, "concentration", float("nan")),
        (replace(MAPDP, partition=dpviz.PitmanYor(1.0, 0.2)), "power", 1.1),
        (dpviz.RunConfig("kmeans"), "concentration", 1.0),
    ],
)
def test_what_cannot_vary_is_refused_by_name(config, parameter, value):
    with pytest.raises(InvalidParameterError, match=parameter):
        with_parameter(config, parameter, value, IRIS.X)


def test_every_cell_is_the_run_that_its_configuration_names():
    grid = Grid(MAPDP, (Axis("concentration", (0.3, 3.0)), Axis("psi0", (0.1, 0.5, 2.0))), n_folds=0)
    cells = finished(IRIS.X, grid, IRIS.labels)
    assert [cell.index for cell in cells] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    for cell in cells:
        trace = dpviz.run(IRIS.X, cell.config)
        assert cell.config.partition == dpviz.ChineseRestaurant(cell.values[0])
        assert (cell.nll, cell.objective, cell.n_clusters) == (trace.nll[-1], trace.objective[-1], trace.n_clusters[-1])
        assert cell.sizes == tuple(trace.sizes(-1)) and sum(cell.sizes) == 150
        assert cell.nmi == dpviz.metrics.nmi(IRIS.labels, trace.labels_at(-1))
        assert cell.ari == dpviz.metrics.ari(IRIS.labels, trace.labels_at(-1))
        assert np.isnan(cell.held_out)
    assert len({cell.nll for cell in cells}) == 6


def test_folds_without_copies_are_a_permutation_of_the_rows():
    config = replace(MAPDP, seed=5)
    expected = np.random.default_rng(5).permutation(60) % 4
    assert_array_equal(folds_of(blobs(), config, 4), expected)
    counts = usual_config(family="poisson", seed=5)  # equal by themselves
    assert_array_equal(folds_of(np.ones((60, 2)), counts, 4), expected)


def test_all_families_of_counts_have_the_same_folds():
    deaths = dpviz.datasets.load("london_times_deaths").X
    names = [name for name in FAMILIES if can_hold(name, ("count",)) and not can_hold(name, ("continuous",))]
    assert {"poisson", "geometric", "negative_binomial"} <= set(names)
    expected = np.random.default_rng(5).permutation(len(deaths)) % 5
    for name in names:
        config = dpviz.RunConfig(family=name, prior=None, seed=5)
        assert_array_equal(folds_of(deaths, config, 5), expected)


@pytest.mark.parametrize("n_folds", [2, 3, 7])
def test_copies_of_a_row_are_in_one_fold(n_folds):
    distinct = blobs()
    distinct[3, 1] = np.nan
    rows = np.random.default_rng(n_folds).permutation(np.repeat(np.arange(60), [1, 2, 3, 4, 5, 3] * 10))
    folds = folds_of(distinct[rows], MAPDP, n_folds)
    assert all(len(np.unique(folds[rows == row])) == 1 for row in range(60))
    assert np.ptp(np.bincount(folds, minlength=n_folds)) <= 1
    constant = folds_of(np.ones((50, 2)), MAPDP, n_folds)  # a frequent value is no copy
    assert np.ptp(np.bincount(constant, minlength=n_folds)) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_copies_do_not_make_a_cluster_for_each_row_predict_best(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)) + np.arange(60)[:, None] % 3 * [5, -4]
    configs = [dpviz.RunConfig("mapdp", family="spherical_normal", prior={"width": w}) for w in (1.0, 1e-4)]
    few, one_for_each = run_configs(np.tile(X, (3, 1)), configs, None, 3, 1)
    assert (few.n_clusters, one_for_each.n_clusters) == (3, 60) and few.held_out > one_for_each.held_out


def test_processes_change_nothing_but_the_order():
    grid = Grid(MAPDP, (Axis.logarithmic("concentration", 0.1, 10, 7),), n_folds=2)
    assert_same(finished(IRIS.X, grid, n_jobs=2), finished(IRIS.X, grid, n_jobs=1))


def test_factors_of_empirical_bayes_hyperparameters_do_not_leak_into_the_folds():
    X = blobs()
    far = X.copy()
    folds = folds_of(X, MAPDP, 3)
    task = Task(far, None, MAPDP, ("psi0",), 3)
    far[folds == 0] *= 50.0  # were psi0 taken from all rows, this would change the fit to the others
    config = cells_module.fold_config(task, (0.5,), folds != 0)
    assert_allclose(config.prior_dict["psi0"], 0.5 * np.cov(X[folds != 0].T, bias=True), rtol=1e-12)


def test_labels_to_start_from_are_cut_to_the_training_points():
    X = blobs()
    config = replace(MAPDP, init=np.arange(60) % 3, n_init=1, order="index")
    cell = finished(X, Grid(config, (Axis("concentration", (1.0,)),), n_folds=3))[0]
    assert np.isfinite(cell.held_out)


def test_algorithms_without_density_or_nll_leave_them_undefined():
    for config, axis in [
        (dpviz.RunConfig("kmeans", n_init=2), Axis("n_clusters", (2.0, 3.0))),
        (dpviz.RunConfig("dpmeans"), Axis("penalty", (5.0, 50.0))),
    ]:
        for cell in finished(blobs(), Grid(config, (axis,))):
            assert np.isnan(cell.nll) and np.isnan(cell.held_out) and cell.objective > 0


def test_configurations_of_all_algorithms_run_side_by_side():
    configs = [usual_config(a, n_sweeps=30, burn_in=10) for a in ("kmeans", "mapdp", "gibbs", "dpmeans", "em")]
    cells = sorted(run_configs(blobs(), configs, n_folds=2, n_jobs=1), key=lambda cell: cell.index)
    assert [cell.config for cell in cells] == configs
    assert [bool(np.isfinite(cell.held_out)) for cell in cells] == [False, True, True, False, True]


def test_a_cancelled_grid_keeps_what_was_done_and_goes_on_from_there(monkeypatch):
    cache = CellCache()
    grid = Grid(MAPDP, (Axis.logarithmic("concentration", 0.1, 10, 9),), n_folds=0)
    running = run_grid(IRIS.X, grid, n_jobs=1, cache=cache)
    done = [next(running) for _ in range(4)]
    running.close()
    evaluated = []
    original = cells_module.evaluate_cell
    monkeypatch.setattr(grids, "evaluate_cell", lambda *a: evaluated.append(a[0]) or original(*a))
    every = finished(IRIS.X, grid, cache=cache)
    assert len(every) == 9 and len(evaluated) == 5
    assert {cell.index for cell in done}.isdisjoint(evaluated)
    assert_same(every, finished(IRIS.X, grid))
    # a wider grid takes the cells it shares at their new places
    wider = Grid(MAPDP, (Axis("concentration", (0.05, *grid.axes[0].values)),), n_folds=0)
    evaluated.clear()
    assert [cell.index[0] for cell in finished(IRIS.X, wider, cache=cache)] == list(range(10))
    assert evaluated == [(0,)]


def test_the_memory_tells_data_labels_and_folds_apart_and_forgets_the_oldest():
    cache = CellCache(n_cells=2)
    tasks = [
        Task(IRIS.X, None, MAPDP, ("concentration",), 0),
        Task(IRIS.X + 1, None, MAPDP, ("concentration",), 0),
        Task(IRIS.X, IRIS.labels, MAPDP, ("concentration",), 0),
        Task(IRIS.X, None, MAPDP, ("concentration",), 5),
    ]
    cell = finished(blobs(), Grid(MAPDP, (Axis("concentration", (1.0,)),), n_folds=0))[0]
    for task in tasks:
        assert cache.lookup(task) == {}
        cache.store(task, cell)
        assert list(cache.lookup(task)) == [(1.0,)]
    assert [len(cache.lookup(task)) for task in tasks] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Axis("power", ()), "at least one number"),
        (lambda: Axis("power", (2.0, 1.0)), "increasing"),
        (lambda: Axis("power", (1.0, 1.0)), "increasing"),
        (lambda: Axis("power", (1.0, float("inf"))), "finite"),
        (lambda: Axis("power", ("a",)), "numbers"),
        (lambda: Axis.linear("power", 2, 1, 5), "increasing"),
        (lambda: Axis.linear("power", 1, 2, 0), "whole number"),
        (lambda: Axis.logarithmic("power", 0, 2, 5), "> 0"),
        (lambda: Axis.linear("power", 1, 2, 10_001), r"10,001 values of power; 10,000 runs are the most"),
        (lambda: Axis.logarithmic("power", 1, 2, 10**15), r"1,000,000,000,000,000 values of power"),
        (lambda: Axis.whole("n_clusters", 5, 3), "at least one number"),
        (lambda: Axis.whole("n_clusters", 1, 10**15, 5), r"200,000,000,000,000 values of n_clusters"),
        (lambda: Grid(MAPDP, ()), "one or two axes"),
        (lambda: Grid(MAPDP, (Axis("power", (1.0,)),) * 2), "different parameters"),
        (lambda: Grid(MAPDP, (Axis("power", (1.0,)),), n_folds=1), "n_folds"),
    ],
)
def test_axes_and_grids_that_make_no_sense_are_refused(make, message):
    with pytest.raises(InvalidParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("base", "axis", "n_folds", "message"),
    [
        (MAPDP, Axis("concentration", (0.0, 1.0)), 0, "concentration"),
        (MAPDP, Axis("a0", (2.0, 8.0)), 0, "a0"),  # four features need a0 > 3
        (dpviz.RunConfig("em"), Axis("n_components", (2.0, 12.0)), 2, "12 clusters"),
        (dpviz.RunConfig("kmeans"), Axis("n_clusters", (2.0, 21.0)), 0, "21"),
        (replace(MAPDP, init="kmeans++", init_clusters=15), Axis("concentration", (1.0,)), 2, "15 clusters"),
        (MAPDP, Axis("concentration", (1.0,)), 21, "n_folds = 21"),
    ],
)
def test_a_cell_that_cannot_work_is_named_before_anything_runs(base, axis, n_folds, message, monkeypatch):
    monkeypatch.setattr(grids, "evaluate_cell", lambda *_: pytest.fail("a cell ran"))
    with pytest.raises(DpvizError, match=message):
        finished(IRIS.X[:20], Grid(base, (axis,), n_folds))


def test_parameters_that_do_not_fit_together_are_named_before_anything_runs(monkeypatch):
    monkeypatch.setattr(grids, "evaluate_cell", lambda *_: pytest.fail("a cell ran"))
    base = replace(MAPDP, partition=dpviz.PitmanYor(1.0, 0.5))
    axes = (Axis("concentration", (-0.2, 1.0)), Axis("discount", (0.1, 0.5)))  # N0 = -0.2 needs d > 0.2
    with pytest.raises(DpvizError, match="concentration"):
        finished(IRIS.X, Grid(base, axes))


def test_labels_of_another_length_are_refused():
    with pytest.raises(DpvizError, match="one label for each"):
        finished(IRIS.X, Grid(MAPDP, (Axis("concentration", (1.0,)),)), labels=np.zeros(3))


def test_a_million_cells_are_refused_with_their_number_and_time():
    grid = Grid(MAPDP, (Axis.linear("concentration", 1, 2, 1000), Axis.linear("power", 1.1, 2, 1000)))
    with pytest.raises(InvalidParameterError, match=r"10,000 cells; these 1,000,000 would take [\d,]+ (h|days|min) or"):
        next(run_grid(IRIS.X, grid))


def test_axes_contain_both_ends():
    assert Axis.linear("power", 1.0, 2.0, 5).values == (1.0, 1.25, 1.5, 1.75, 2.0)
    assert Axis.logarithmic("concentration", 0.1, 10, 3).values == pytest.approx((0.1, 1.0, 10.0))
    assert Axis.whole("n_clusters", 2, 4).values == (2.0, 3.0, 4.0)
    assert Axis.whole("n_clusters", 2, 9, 3).values == (2.0, 5.0, 8.0)
    assert len(Axis.whole("n_clusters", 1, 20_000, 2).values) == 10_000


def test_the_frame_has_a_row_per_cell_in_order():
    grid = Grid(MAPDP, (Axis("concentration", (0.5, 5.0)), Axis("c0", (0.1, 1.0))), n_folds=0)
    cells = finished(IRIS.X, grid)
    frame = grid_frame(grid, reversed(cells))
    assert frame[["concentration", "c0"]].to_numpy().tolist() == [[0.5, 0.1], [0.5, 1], [5, 0.1], [5, 1]]
    assert frame["nll"].tolist() == [cell.nll for cell in cells]


def test_progress_estimates_what_is_left():
    assert Progress(25, 100, 10.0).seconds_left == 30.0
    assert str(Progress(25, 100, 240.0)) == "25 of 100 after 4 min, about 12 min left"
    assert str(Progress(1, 71, 50.0, 50.0)) == "1 of 71 after 50 s, at most some 58 min left"
    assert str(Progress(2, 71, 51.0, 50.0)) == "2 of 71 after 51 s, 69 s to 29 min left"
    assert str(Progress(25, 100, 240.0, 15.0)) == "25 of 100 after 4 min, about 12 min left"
    assert np.isnan(Progress(0, 5, 1.0).seconds_left)


@pytest.fixture(scope="module")
def client():
    patience = {f"distributed.comm.timeouts.{what}": "10 minutes" for what in ("connect", "tcp")}
    with (
        dask.config.set(patience),  # of a machine that is busy with other tests
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_the_command_line_tunes_on_a_cluster(client, tmp_path):
    out = tmp_path / "grid.csv"
    arguments = ["tune", "iris", "--parameter", "concentration", "--values", "0.5,5", "--folds", "0"]
    arguments += ["--family", "normal_wishart", "--prior", "none", "--effort", "0.05"]
    assert main([*arguments, "--scheduler", client.scheduler.address, "--out", str(out)]) == 0
    expected = finished(
        IRIS.X,
        Grid(
            usual_config(effort=0.05),
            (Axis("concentration", (0.5, 5.0)),),
            n_folds=0,
        ),
    )
    assert pd.read_csv(out)["nll"].tolist() == pytest.approx([cell.nll for cell in expected], rel=1e-12)


def test_a_worker_that_dies_costs_no_cell(client):
    grid = Grid(MAPDP, (Axis.logarithmic("concentration", 0.1, 20, 12), Axis("psi0", (0.1, 0.3, 1.0))), n_folds=2)
    with joblib.parallel_config(backend="dask"):
        running = run_grid(IRIS.X, grid, IRIS.labels, cache=None)
        cells = [next(running)]
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        cells += running
    assert_same(sorted(cells, key=lambda cell: cell.index), finished(IRIS.X, grid, IRIS.labels))
