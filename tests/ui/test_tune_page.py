"""The Tune page without a browser: grids, choices of every parameter, long computations, and what the figures hold."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import gammaln
from streamlit import runtime
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz import ChineseRestaurant, RunConfig
from dpviz.analysis.evaluation import copies_in_words
from dpviz.analysis.grids import Axis, Grid, run_grid
from dpviz.analysis.hyperparameters import coordinate_search
from dpviz.analysis.model_table import Model, models_like, most_models
from dpviz.analysis.search import restarts
from dpviz.analysis.selection import concentration_mode, power_before_blow_up, power_losses
from dpviz.engine.algorithms.base import METHODS
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidDataError
from dpviz.families import FAMILIES
from dpviz.families.powers import LOST
from dpviz.figures import tune as figures
from dpviz.fit.automatic import resolve
from dpviz.fit.words import words_for
from dpviz.text import signed
from dpviz.ui.session import background, cores, jobs, naming
from dpviz.ui.session.background import Work
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.jobs import Finished, Job
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.model_choice import Asked
from dpviz.ui.session.tasks import Gathered
from dpviz.ui.tune import computation, method_controls
from dpviz.ui.tune import family_prior as tune_prior
from dpviz.ui.tune import grid as tune_grid
from dpviz.ui.tune import models as tune_models
from dpviz.ui.tune import page as tune
from dpviz.ui.tune.method_controls import EFFORT_OF_A_CELL
from dpviz.ui.tune.tabs import N_CLUSTERS, PENALTY
from pages import address, ended, go_to, in_app, page, plain, press, run, said, set_to, settled, shown_run, until, wait

SMALL = DataChoice("synthetic", "elliptical_overlap").with_options(n=60)
X = prepare(SMALL).X
KNOWN = prepare(SMALL).dataset.labels
CHOSEN = resolve(X, RunConfig()).config
MODEL = {"family": CHOSEN.family, "prior": CHOSEN.prior}
"""What the data choose, which all tabs begin with."""


def opened(place: str = tune.GRID, choice: DataChoice = SMALL, **settings: object) -> AppTest:
    """Open the page by a link, with its controls at some settings, and everything computed.

    Of a range that is not among them two values do, since most tests set it themselves.
    """
    settings = {**over("concentration", 1.0, 2.0, 2), **settings} if place == tune.GRID else settings
    at = computed(run(with_settings(in_app("tune", data=choice), place, **settings)))
    reported = at.session_state["tune report"] if "tune report" in at.session_state else {}
    assert {title for _, title in reported} <= ({PENALTY, N_CLUSTERS} if place == tune.COUNTS else {place})
    return at


def with_settings(at: AppTest, place: str = tune.GRID, **settings: object) -> AppTest:
    """Set controls as a visit before would have left them; two underscores stand for a dot."""
    own = {f"tune.{name.replace('__', '.')}": value for name, value in settings.items()}
    at.session_state["settings"] = {"tune.place": place, **own}
    return at


def over(parameter: str, first: float, last: float, n_values: int) -> dict[str, float]:
    """Settings of a range."""
    return {f"range__{parameter}____{name}": value for name, value in (("from", first), ("to", last), ("n", n_values))}


def computed(at: AppTest) -> AppTest:
    """Start what waits for its button, and wait for its end."""
    while offered := [button for button in settled(at).button if str(button.key).startswith("tune.run.")]:
        run(offered[0].click())
    return at


def numbers(at: AppTest) -> dict[str, str]:
    shown = at.table[0].value.reset_index().iloc[0]
    return {str(name): str(text).replace("\N{NO-BREAK SPACE}", " ") for name, text in shown.items()}


def set_range(at: AppTest, parameter: str, first: float, last: float, n_values: int) -> AppTest:
    for name, value in (("from", first), ("to", last), ("n", n_values)):
        at.number_input(key=f"tune.range.{parameter}..{name}").set_value(value)
    return at.run()


# --- one or two parameters --------------------------------------------------------------------------------------------


def test_the_curve_over_n0_is_made_of_real_runs_and_names_the_best():
    at = computed(set_range(opened(), "concentration", 0.1, 10.0, 3))
    traces = {
        value: dpviz.run(
            X,
            RunConfig("mapdp", effort=EFFORT_OF_A_CELL, partition=ChineseRestaurant(value), **MODEL),
        )
        for value in (0.1, 1.0, 10.0)
    }
    best = min(traces, key=lambda value: traces[value].nll[-1])
    counts = sorted({int(trace.n_clusters[-1]) for trace in traces.values()})
    assert "3 runs" in said(at) and f"N0 = {best:g}: **K = {traces[best].n_clusters[-1]}**" in said(at)
    assert (f"K goes from {counts[0]} to {counts[-1]}" if len(counts) > 1 else "everywhere") in said(at)
    for index, value in enumerate(traces):
        computed(set_to(at, "tune.grid.selected", (index,)))
        shown = numbers(at)
        assert float(shown["nll (nats)"].replace(",", "")) == pytest.approx(traces[value].nll[-1], abs=0.005)
        assert shown["Clusters K"] == str(traces[value].n_clusters[-1])
        assert float(shown["NMI"]) == pytest.approx(dpviz.metrics.nmi(KNOWN, traces[value].labels[-1]), abs=5e-4)


def test_costs_of_scaled_columns_are_those_of_the_table():
    scaled = prepare(replace(SMALL, scaling="standardise"))
    model = RunConfig("mapdp", effort=EFFORT_OF_A_CELL).with_model_of(resolve(scaled.X, RunConfig()).config)
    shown = numbers(computed(set_range(opened(choice=scaled.choice), "concentration", 1.0, 2.0, 2)))
    traces = [dpviz.run(scaled.X, replace(model, partition=ChineseRestaurant(value))) for value in (1.0, 2.0)]
    best = min(traces, key=lambda trace: trace.nll[-1])
    of_table = partition_nll(Problem.check(X, best.config), [best.result_labels])[0]
    assert float(shown["nll (nats)"].replace(",", "").replace("−", "-")) == pytest.approx(of_table, abs=0.006)


def test_two_parameters_make_a_map_of_the_chosen_measure():
    at = opened(**over("concentration", 0.5, 2.0, 2))
    set_to(at, "tune.grid.mapdp.second", "temperature")
    computed(set_range(at, "temperature", 0.0, 0.5, 3))
    assert "6 runs" in said(at)
    computed(set_to(at, "tune.grid.measure", "nmi"))
    computed(set_to(at, "tune.grid.selected", (1, 2)))
    config = RunConfig("mapdp", effort=EFFORT_OF_A_CELL, partition=ChineseRestaurant(2.0), temperature=0.5, **MODEL)
    trace = dpviz.run(X, config)  # above temperature 0 its result is its best sweep
    best = trace.nll[trace.result_sweep]
    assert float(numbers(at)["nll (nats)"].replace(",", "")) == pytest.approx(best, abs=0.005)


def test_held_out_density_is_computed_only_when_asked_for():
    at = opened(**over("concentration", 1.0, 2.0, 2))
    assert "Held-out log density" not in numbers(at)
    computed(set_to(at, "tune.grid.folds.1", True))
    assert float(numbers(at)["Held-out log density"].replace("−", "-")) < 0
    assert "unseen points are best predicted" in said(at)


@pytest.mark.parametrize("method", tune_grid.methods_to_vary())
def test_every_method_has_a_parameter_to_vary(method):
    at = run(with_settings(in_app("tune", data=SMALL), grid__method=method))
    parameter = tune_grid.title(at.selectbox(key=f"tune.grid.{method}.first").value, starting_point(method))
    known = {"kmeans": "Clusters K", "em": "Clusters K", "dpmeans": "Penalty λ", "gibbs": "N0", "pcrp": "Power r"}
    assert known.get(method, "") in parameter
    computed(at)
    assert "runs: K " in said(at) and not at.error
    assert parameter in at.selectbox(key="tune.grid.selected").options[0]


def starting_point(method: str) -> RunConfig:
    return method_controls.starting_point(method, prepare(SMALL))


def test_bad_ranges_are_explained_and_nothing_is_drawn():
    at = set_range(opened(), "concentration", 5.0, 1.0, 4)
    assert "range of concentration" in plain(at.error[0].value) and not at.exception and not at.table
    at = set_range(at, "concentration", -1.0, 1.0, 4)
    assert "logarithmic axis" in at.error[0].value and not at.table
    set_to(at, "tune.grid.method", "kmeans")
    computed(set_range(at, "n_clusters", 5, 3, 1))
    assert "at least one number" in plain(at.error[0].value) and not at.exception
    computed(set_range(at, "n_clusters", 59, 61, 1))
    assert "n_clusters=61" in plain(at.error[0].value) and not at.table


def test_a_million_cells_are_refused_with_the_time_they_would_take():
    at = opened()
    set_to(at, "tune.grid.mapdp.second", "power")
    set_range(at, "power", 1.0, 2.0, 1000)
    computed(set_range(at, "concentration", 1.0, 2.0, 1000))
    assert "1,000,000 runs, which would take about" in at.error[0].value and not at.exception and not at.table


def test_a_link_whose_model_cannot_be_had_keeps_its_tab_and_its_controls():
    link = {"version": 8, "tab": "grid", "grid.method": "kmeans", "grid.kmeans.first": "n_clusters"}
    link |= {"range.n_clusters..from": 2, "range.n_clusters..to": 3}
    held = {"held": {"mapdp.auto": {"version": "8", "family": "?"}}}
    at = run(page("tune", data=SMALL, tune={**link, **held}))
    assert "model could not be restored" in at.warning[0].value
    assert link.items() <= json.loads(address(at, "tune")).items()


def test_a_link_to_millions_of_values_is_refused_by_their_number():
    varied = {"tab": "grid", "version": 8, "grid.method": "kmeans", "grid.kmeans.first": "n_clusters"}
    link = {**varied, "range.n_clusters..to": 3_000_000}
    at = run(page("tune", data=SMALL, tune=link))
    assert "values of n_clusters; 10,000 runs are the most. Take fewer values." in plain(at.error[0].value)


def test_a_run_is_opened_in_explore_with_exactly_its_settings():
    at = opened(**over("concentration", 0.1, 10.0, 3))
    computed(set_to(at, "tune.grid.selected", (2,)))
    press(at, "tune.grid.open")
    assert not at.exception and at.session_state["data choice"] == SMALL
    assert shown_run(at).config == RunConfig(
        "mapdp", effort=EFFORT_OF_A_CELL, partition=ChineseRestaurant(10.0), **MODEL
    )


def test_a_run_that_is_asked_for_starts_in_explore_however_long_it_takes(monkeypatch):
    at = opened(**over("concentration", 0.1, 10.0, 3))
    monkeypatch.setattr("dpviz.ui.session.jobs.QUICK_OPERATIONS", 0.0)
    monkeypatch.setattr("dpviz.ui.session.jobs.UNASKED_OPERATIONS", 0.0)
    press(at, "tune.grid.open")
    settled(run(go_to(at, "explore")))  # where a browser is by now
    finished = shown_run(at)
    assert finished.config.algorithm == "mapdp" and not at.warning and not at.exception


def test_runs_that_are_equally_close_to_the_known_groups_are_counted():
    at = opened(**over("concentration", 1.0, 1.001, 3))
    near = max(
        (cell.ari, cell.nmi)
        for cell in run_grid(
            X,
            Grid(
                RunConfig("mapdp", effort=EFFORT_OF_A_CELL, **MODEL),
                (Axis("concentration", (1.0, 1.001)),),
            ),
            KNOWN,
        )
    )
    assert f"closest to the known groups in 3 of the runs (ARI {near[0]:.2f}, NMI {near[1]:.2f})" in said(at)


def history_of(run: Finished | None) -> Kept[Finished | None]:
    """What a session keeps that has made one run."""
    kept: Kept[Finished | None] = Kept(10**9)
    kept.put("run", run)
    return kept


def taken_over(config: RunConfig) -> AppTest:
    """The page after a run in Explore, from which its grid begins."""
    at = opened()
    job = Job(Asked(SMALL, config))
    assert Work(job, at_once=float("inf")).over
    at.session_state["runs of this session"] = history_of(job.result)
    computed(at.run())
    return computed(press(at, "tune.take.grid"))


def test_a_grid_holds_what_a_run_in_explore_has_learned():
    config = RunConfig(
        "gibbs",
        n_sweeps=12,
        burn_in=2,
        partition=ChineseRestaurant(2.0),
        family="normal_wishart",
        prior=None,
        hyperpriors={"concentration": "gamma(1,0.3)"},
    )
    at = taken_over(config)
    assert "N0 = 2 where it is not varied" in said(at) and not at.error and not at.exception


def test_all_tabs_start_from_the_run_in_explore_if_asked_to():
    config = RunConfig(
        "mapdp",
        effort=EFFORT_OF_A_CELL,
        partition=ChineseRestaurant(10.0),
        prior={"c0": 0.5},
        seed=4,
        family="normal_wishart",
    )
    at = taken_over(config)
    assert "N0 = 10 where it is not varied" in said(at) and "own c0" in said(at)
    assert at.number_input(key="tune.grid.mapdp.seed").value == 4


def test_a_page_that_runs_alone_sets_the_run_up_and_says_so():
    at = computed(run(with_settings(page("tune", data=SMALL))))
    press(at, "tune.grid.open")
    assert not at.exception and any("open the Explore page" in info.value for info in at.info)


def test_settings_outlive_a_visit_elsewhere():
    at = opened(**over("concentration", 0.2, 7.0, 3))
    computed(set_to(at, "tune.grid.mapdp.seed", 5))
    run(go_to(at, "data"))
    assert at.get("segmented_control") and not at.get("plotly_chart")[1:]
    computed(go_to(at, "tune").run())
    assert at.number_input(key="tune.range.concentration..to").value == 7.0
    assert at.number_input(key="tune.grid.mapdp.seed").value == 5


# --- choosing ---------------------------------------------------------------------------------------------------------


def test_n0_is_chosen_three_ways():
    at = opened(tune.CONCENTRATION, N0__n=3)
    nll = {
        value: dpviz.run(
            X,
            RunConfig("mapdp", effort=EFFORT_OF_A_CELL, partition=ChineseRestaurant(value), **MODEL),
        )
        for value in (0.01, 1.0, 100.0)
    }
    best = min(nll, key=lambda value: nll[value].nll[-1])
    n_clusters = int(nll[best].n_clusters[-1])
    mode = concentration_mode(60, n_clusters, 1.0, 0.1)
    assert f"nll is lowest at N0 = {best:g}: **K = {n_clusters}**" in said(at)
    assert f"p(ln N0 | K) is highest at N0 = {mode:.3g}." in said(at) and "Unseen points are best predicted" in said(at)
    expected = ChineseRestaurant(best).mean_n_clusters(60)
    assert f"expects {expected:.3g} clusters" in said(at)
    computed(set_to(at, "tune.N0.rate", -1.0))
    assert "gamma prior of N0" in at.error[0].value and not at.exception


def test_r_is_chosen_by_cross_validation_and_by_nll():
    at = opened(tune.POWER, r__to=3.0, r__n=4)
    powers = np.linspace(1.02, 3.0, 4)
    last = power_before_blow_up(
        list(power_losses(X, RunConfig("mapdp", effort=EFFORT_OF_A_CELL, **MODEL), powers, 5, 1))
    )
    words = "does not blow up" if last is None else f"blows up after r = {last:.3g}"
    assert words in said(at) and "nll is lowest at r =" in said(at)


def test_penalty_and_k_are_chosen():
    at = opened(tune.COUNTS)
    penalty = dpviz.analysis.selection.penalty_for(X, 3)
    found = dpviz.run(X, RunConfig("dpmeans", penalty=penalty)).n_clusters[-1]
    assert f"λ = {penalty:.4g}; with it DP-means finds **K = {found}**" in said(at)
    assert "BIC is lowest at **K = " in said(at) and "The known groups are 3" in said(at)
    computed(set_to(at, "tune.asked", 1))
    assert f"For 1 cluster λ = {dpviz.analysis.selection.penalty_for(X, 1):.4g}" in said(at)


def test_the_prior_is_searched_step_by_step():
    at = opened(tune.PRIOR)
    steps = list(coordinate_search(X, RunConfig("mapdp", effort=EFFORT_OF_A_CELL, **MODEL)))
    shown = at.dataframe[0].value
    assert shown["nll (nats)"].tolist() == [round(step.nll, 2) for step in steps]
    assert shown["K"].tolist() == [step.n_clusters for step in steps]
    assert f"{steps[-1].nll:,.1f}" in said(at)
    computed(press(at, "tune.prior.take"))
    computed(set_to(at, "tune.place", tune.SEARCH))
    assert "own " in said(at)
    computed(press(at, "tune.back.search"))
    assert f"{words_for(CHOSEN)}, chosen by nll" in said(at)


def test_models_are_compared_by_nll_and_held_out_density():
    at = opened(tune.MODELS)
    config = RunConfig("mapdp", effort=EFFORT_OF_A_CELL, **MODEL)
    models = list(models_like(X, config, ("continuous",) * X.shape[1]))
    assert len(models) == most_models(X, config, ("continuous",) * X.shape[1]) == 12
    by_held_out = sorted(models, key=lambda model: -model.held_out)
    assert at.table[0].value["nll (nats)"].tolist() == [model.nll for model in by_held_out]
    best = by_held_out[0]
    assert (
        f"held-out density, {signed(best.held_out, '.3f')} nats per row, has {words_for(best.config)}, {best.prior}"
        in plain(said(at))
    )
    press(at, "tune.models.open")
    assert shown_run(at).trace.nll[-1] == best.nll


def test_models_are_reported_without_hyphens_and_without_numbers_that_are_none():
    config = RunConfig("mapdp", **MODEL)
    found = [Model(config, config.family, "CRP", 3, -10.25, density) for density in (-1.4871, np.nan)]
    one, other = tune_models._rows(found)
    assert one.endswith("K = 3, nll −10.25, held-out density −1.4871.") and "no held-out density" in other
    assert "−1.487 nats per row" in " ".join(tune_models.in_words(found[:1]))
    powered = [model._replace(config=replace(config, transform=(0.5, 0.0))) for model in found]
    assert LOST in tune_models.in_words(powered) and LOST not in tune_models.in_words(found)


def test_copied_rows_are_told_where_rows_are_left_out():
    words = copies_in_words(np.vstack([X, X[:5]]), RunConfig("mapdp", **MODEL), 3)
    assert words == "5 rows repeat an earlier one; copies of a row are left out together."
    assert not copies_in_words(X, RunConfig("mapdp", **MODEL), 3)


def test_search_quality_counts_the_runs_that_reach_the_best():
    at = opened(tune.SEARCH, search__n=4)
    found = list(restarts(X, RunConfig("mapdp", effort=EFFORT_OF_A_CELL, **MODEL), 4))
    nll = np.array([restart.nll for restart in found])
    assert f"of {len(found)} runs is {nll.min():,.2f}" in said(at)
    assert f"{np.mean(nll <= nll.min() + 1e-6 * abs(nll.min())):.0%} of the runs reach it" in said(at)
    press(at, "tune.search.open")
    assert shown_run(at).trace.nll[-1] <= nll.min() * (1 + 1e-12)


@pytest.mark.parametrize("choice", [SMALL, DataChoice("bundled", "wine")], ids=["easy", "hard"])
def test_the_default_search_is_measured_against_the_restarts(choice):
    at = opened(tune.SEARCH, choice, search__n=4, **{"asked prior": (naming.data_key(choice), None)})
    sentence = next(text.value for text in at.markdown if text.value.startswith("The default search, 10 automatic"))
    press(at, "tune.search.open")
    config = replace(shown_run(at).config, init="auto", n_init=None)
    data = prepare(choice).X
    lowest = min(restart.nll for restart in restarts(data, config, 4))
    default = dpviz.run(data, config)
    if choice == SMALL:
        assert default.nll[-1] == pytest.approx(lowest, rel=1e-9) and sentence.endswith("ends there too.")
    else:
        assert f"ends {lowest - default.nll[-1]:.4g} nats **below** it" in sentence
        assert f"K = {default.n_clusters[-1]}" in sentence


# --- long computations ------------------------------------------------------------------------------------------------


def test_long_grids_wait_are_cancelled_and_continued(monkeypatch):
    gate = threading.Semaphore(2)
    calm = tune_grid.run_grid

    def slow(*arguments, **options):
        for cell in calm(*arguments, **options):
            gate.acquire()
            yield cell

    monkeypatch.setattr(jobs, "UNASKED_GRID", 0.0)
    monkeypatch.setattr(tune_grid, "run_grid", slow)
    at = run(with_settings(in_app("tune", data=SMALL)))
    at = set_range(at, "concentration", 0.3, 3.0, 5)
    assert not at.table and "5 steps, about" in said(at)
    press(at, "tune.run.grid")
    until(at, lambda at: "2 runs of 5" in said(at))
    assert at.get("progress")
    press(at, "tune.cancel.grid")
    gate.release()
    assert "Cancelled: what is shown are the 2 of 5" in said(at) and at.table
    for _ in range(5):
        gate.release()
    press(at, "tune.continue.grid")
    computed(at)
    assert "5 runs" in said(at) and "Cancelled" not in said(at)
    at = set_range(at, "concentration", 0.3, 4.0, 5)
    assert not at.table and "Press" not in said(at) and "5 runs" not in said(at)  # nothing of the earlier settings


def started(begin: computation.Begin, total: int, operations: float = 0.0) -> Work:
    return Work(Gathered(begin, total, operations))


def test_errors_in_the_thread_are_shown(caplog):
    def failing(error):
        def begin(n_jobs):
            yield 1
            raise error

        return ended(started(begin, 3))

    assert failing(InvalidDataError("too few points.")).error == "too few points."
    work = failing(ZeroDivisionError())
    assert "server's log" in work.error and work.task.result == [1] and "ZeroDivisionError" in caplog.text


def test_a_computation_nobody_looks_at_ends(monkeypatch):
    steps: list[None] = []

    def begin(n_jobs):
        while True:
            yield 1
            steps.append(None)
            time.sleep(0.001)

    with monkeypatch.context() as patch:
        patch.setattr(background, "PATIENCE_SECONDS", 0.05)
        assert ended(started(begin, 10)).stopped

    open_pages, asked = {"here"}, []
    monkeypatch.setattr(background, "PATIENCE_ONCE_CLOSED_SECONDS", 0.0)
    monkeypatch.setattr(background, "get_script_run_ctx", lambda **_: SimpleNamespace(session_id="here"))
    monkeypatch.setattr(runtime, "exists", lambda: True)
    server = SimpleNamespace(is_active_session=lambda page: asked.append(page) or page in open_pages)
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    work = started(begin, 10)
    wait(lambda: len(asked) > 20)
    assert not work.over and not work.stopped and set(asked) == open_pages
    monkeypatch.setattr(background, "PATIENCE_ONCE_CLOSED_SECONDS", 3600.0)
    steps_before = len(steps)
    wait(lambda: len(steps) > steps_before + 1)  # from now on nothing asks with the patience of before
    work.look()
    open_pages.clear()
    assert work.left_alone  # whoever loads the page again may have it
    monkeypatch.setattr(background, "PATIENCE_ONCE_CLOSED_SECONDS", 0.0)
    assert ended(work).stopped


def test_only_one_computation_takes_all_cores(monkeypatch, tmp_path):
    monkeypatch.setattr(cores, "folder", lambda: tmp_path)  # other processes of this machine may compute meanwhile
    monkeypatch.setattr("dpviz.ui.session.tasks.PARALLEL_OPERATIONS", 1.0)
    go = threading.Event()

    def begin(n_jobs):
        yield n_jobs
        go.wait()

    works = []
    for operations in (5.0, 5.0, 0.5):
        work = started(begin, 1, operations)
        wait(lambda work=work: work.task.result)
        works.append(work)
    go.set()
    assert [ended(work).task.result for work in works] == [[-1], [1], [1]]
    assert ended(started(begin, 1, 5.0)).task.result == [-1]


# --- figures and words ------------------------------------------------------------------------------------------------


def test_curves_hold_the_runs_and_mark_the_best():
    frame = pd.DataFrame({"power": [1.0, 2.0, 4.0], "n_clusters_found": [4, 3, 1], "nll": [9.0, 7.0, 8.0]})
    measures = {"n_clusters_found": "K", "nll": "<b>nll</b>"}
    figure = figures.curves(frame, "power", measures, "r", True, {"nll": 2.0})
    assert [list(trace.y) for trace in figure.data] == [[4, 3, 1], [9.0, 7.0, 8.0]]
    assert all(list(trace.x) == [1.0, 2.0, 4.0] and list(trace.customdata) == [0, 1, 2] for trace in figure.data)
    assert figure.layout.xaxis.type == figure.layout.xaxis2.type == "log"
    assert [(shape.x0, shape.x1, shape.xref) for shape in figure.layout.shapes] == [(2.0, 2.0, "x2")]
    assert "&lt;b&gt;nll" in figure.data[1].name


def test_the_map_puts_every_cell_where_its_parameters_are():
    values = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0]])
    figure = figures.parameter_map(values, [("a", [0.1, 0.2]), ("b", [1.0, 10.0, 100.0])], "nll", (1, 0))
    assert_array_equal(figure.data[0].z, values)
    cells = figure.data[1]
    for x, y, custom, text in zip(cells.x, cells.y, cells.customdata, cells.hovertext, strict=True):
        assert (y, x) == tuple(custom)
        assert text == f"a = {[0.1, 0.2][y]:g}<br>b = {[1, 10, 100][x]:g}<br>nll = {values[y, x]:g}"
    box = figure.layout.shapes[0]
    assert (box.x0, box.x1, box.y0, box.y1) == (-0.5, 0.5, 0.5, 1.5)
    assert list(figure.layout.xaxis.ticktext) == ["1", "10", "100"]


def test_the_density_integrates_to_one_over_the_logarithm():
    x = np.geomspace(1e-4, 1e4, 4001)
    log_density = 3 * np.log(x) - 2 * x  # of ln x under Gamma(3, 2), up to a constant
    curve = figures.density_curve(x, log_density + 500, 1.5, "N0").data[0]
    exact = np.exp(log_density + 3 * np.log(2) - gammaln(3))
    assert_allclose(curve.y, exact, atol=1e-6)


def test_the_law_of_k_marks_the_k_found_even_far_out():
    law = np.exp(ChineseRestaurant(0.5).log_pmf_n_clusters(50))
    figure = figures.law_of_n_clusters(law, 20)
    assert list(figure.data[0].x) == list(range(1, 21))
    assert_allclose(figure.data[0].y, law[1:21])
    colors = figure.data[0].marker.color
    assert [k for k, color in zip(figure.data[0].x, colors, strict=True) if color != colors[0]] == [20]
    assert "K = 20" in figure.layout.annotations[0].text


def test_search_figures_are_measured_from_the_best():
    figure = figures.expected_best({"a": np.array([7.0, 5.0]), "b": np.array([9.0])}, 5.0)
    assert [list(trace.y) for trace in figure.data] == [[2.0, 0.0], [4.0]]
    spread = figures.optima(np.array([5.0, 8.0]), np.array([0.0, 1.5]), np.array([3, 1])).data[0]
    assert (list(spread.x), list(spread.y)) == ([0.0, 1.5], [0.0, 3.0])
    area = (np.array(spread.marker.size) - 7) ** 2
    assert area[0] / area[1] == pytest.approx(3)
    steps = figures.falling_nll(["start", "N0"], [3.0, 2.0]).data[0]
    assert (list(steps.y), list(steps.text)) == ([3.0, 2.0], ["start", "N0"])
    asked = figures.asked_and_found([1, 2], [1, 3], 2).data[1]
    assert (list(asked.x), list(asked.y)) == ([1, 2], [1, 3]) and asked.marker.color[0] != asked.marker.color[1]


@pytest.mark.parametrize(
    "event",
    [
        None,
        {},
        {"selection": {"points": []}},
        {"selection": {"points": [{}]}},
        "x",
        3,
        {"selection": {"points": [{"customdata": ["<b>"]}]}},
    ],
)
def test_a_broken_click_is_no_click(event):
    assert tune_grid.clicked(event) is None


def test_a_click_names_its_cell():
    assert tune_grid.clicked({"selection": {"points": [{"customdata": [2, 5]}]}}) == (2, 5)
    assert tune_grid.clicked({"selection": {"points": [{"customdata": 4}]}}) == (4,)


def test_usual_ranges_build_valid_grids_for_every_parameter():
    whole = prepare(DataChoice("bundled", "house_votes_84"))  # zeros and ones are possible values of every family
    for method in METHODS:
        for family in FAMILIES:
            prepared = prepare(SMALL) if FAMILIES[family].kind == "real" else whole
            config = replace(method_controls.starting_point(method, prepared), family=family, prior=None)
            for name in tune_grid.variable_parameters(config):
                lower, upper, log = tune_grid.usual_range(name, config, prepared)
                axis = Axis(name, (lower, upper)) if not log else Axis.logarithmic(name, lower, upper, 3)
                Grid(config, (axis,), 0).check(prepared.X)
                assert tune_grid.title(name, config)


@pytest.mark.parametrize("family", [name for name, family in FAMILIES.items() if family.kind != "real"])
def test_the_tabs_work_with_families_that_are_not_gaussian(family):
    choice = DataChoice("bundled", "zoo")  # codes from 0 to 5 are possible values of each of them
    for place in (tune.PRIOR, tune.CONCENTRATION):
        at = with_settings(in_app("tune", data=choice), place)
        tab = {tune.PRIOR: "prior", tune.CONCENTRATION: "concentration"}[place]
        method = method_controls.minimising_nll()[0]
        at.session_state["settings"] |= {
            f"tune.{tab}.method": method,
            f"tune.{tab}.{method}.family.{naming.data_key(choice)}": family,
            f"tune.{tab}.{method}.n_init": 1,
            f"tune.{tab}.{method}.effort": 0.0,
            "tune.N0.n": 3,
        }
        run(at)
        assert next(box for box in at.selectbox if ".family." in str(box.key)).value == family
        computed(at)
        assert not at.error
    table = tune_prior.prior_table(RunConfig("mapdp", family=family, prior=None), prepare(choice))
    assert set(table.index) == {parameter.symbol for parameter in RunConfig(family=family, prior=None).hyperparameters}


def test_the_prior_table_has_the_values_of_the_family():
    table = tune_prior.prior_table(
        RunConfig("mapdp", effort=EFFORT_OF_A_CELL, prior={"c0": 0.25}, family="normal_wishart"), prepare(SMALL)
    )
    assert table.loc["c₀", "Value"] == "0.25" and table.loc["a₀", "Value"] == "4"
    assert table.loc["Ψ₀", "Value"].startswith("2 × 2, diagonal ")
