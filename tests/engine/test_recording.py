"""Long runs whose labels are bounded: what is dropped, and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_array_equal
from streamlit.testing.v1 import AppTest

import dpviz
from dpviz.analysis.sampling import pooled_draws
from dpviz.engine.fewer_rows import bounded, with_rows
from dpviz.engine.problem import Problem
from dpviz.engine.recording import FEWEST_ROWS, ROW_OVERHEAD
from dpviz.engine.search import Search
from dpviz.engine.stored import SERIES
from dpviz.engine.trace import Trace
from dpviz.player.run_panel import shown_rows
from dpviz.ui.explore import loading
from dpviz.ui.session import history, jobs
from dpviz.ui.session.chosen_data import DataChoice, prepare
from dpviz.ui.session.exports import code_of
from dpviz.ui.session.jobs import Finished
from dpviz.ui.shell import links
from pages import opened, plain, shown_run

N = 60
MOST = 20 * (N + ROW_OVERHEAD)
"""Bytes of twenty rows."""
X = np.random.default_rng(3).normal(size=(N, 2)) + 3 * np.arange(N)[:, None] // 20
CHAINS: dict[str, dict[str, Any]] = {
    "gibbs": {"n_sweeps": 203, "burn_in": 50},
    "thinned": {"n_sweeps": 407, "burn_in": 51, "thin": 2},
    "learning": {"n_sweeps": 203, "burn_in": 50, "split_merge": 1, "hyperpriors": {"concentration": "gamma(1,1)"}},
    "restarts": {"n_sweeps": 203, "burn_in": 50, "n_init": 3},
    "explicit": {"n_sweeps": 203, "burn_in": 50, "sampler": "explicit_parameters"},
}


def _config(name: str) -> dpviz.RunConfig:
    return usual_config("gibbs", "normal_gamma", seed=4, **CHAINS[name])


def _same_but_for_rows(some: Trace, whole: Trace) -> None:
    for name in (*SERIES, "flat_sizes", "size_offsets"):
        if name != "seconds":
            assert_array_equal(getattr(some, name), getattr(whole, name))
    assert_array_equal(some.labels, whole.labels[np.isin(whole.label_sweeps, some.label_sweeps)])
    assert some.result_sweep == whole.result_sweep
    assert_array_equal(some.result_labels, whole.result_labels)
    assert (some.starts, some.chosen_start) == (whole.starts, whole.chosen_start)


@pytest.mark.parametrize("name", CHAINS)
def test_a_bounded_run_is_the_same_run_with_fewer_rows(name):
    config = _config(name)
    whole, search = dpviz.run(X, config), Search(Problem.check(X, config), most_bytes=MOST)
    for _ in search.records():
        assert len(search.current_trace().labels) <= 21
    some = search.trace()
    assert some.stride > 1 and 10 <= len(some.labels) <= 20
    _same_but_for_rows(some, whole)
    assert_array_equal(some.label_sweeps[-2:], whole.label_sweeps[-2:])
    drawn = some.label_sweeps[some.draw_rows]
    assert len(drawn) >= 3 and drawn[0] > config.burn_in
    assert set((drawn - config.burn_in) % (some.stride * config.thin)) == {0}
    assert_array_equal(np.diff(drawn), some.stride * config.thin)
    _same_but_for_rows(Trace.from_json(some.to_json()), whole)
    assert Trace.from_json(some.to_json()).stride == some.stride


def test_a_stopped_chain_goes_on_from_its_last_sweep():
    config = _config("gibbs")
    search = Search(Problem.check(X, config), most_bytes=MOST)
    for _, _, record in search.records():
        if record is not None and record.sweep == 131:
            break
    stopped = search.trace()
    assert stopped.label_sweeps[-1] == 131 and stopped.stride > 1
    whole, resumed = dpviz.run(X, config), dpviz.resume(X, stopped, config.n_sweeps)
    _same_but_for_rows(resumed, whole)
    _same_but_for_rows(Search(Problem.check(X, config), stopped, MOST).run(), whole)


def test_a_state_that_wanders_keeps_its_lowest_nll():
    config = usual_config(family="normal_gamma", temperature=1.0, max_sweeps=150, seed=2)
    whole, some = dpviz.run(X, config), Search(Problem.check(X, config), most_bytes=MOST).run()
    assert some.stride > 1
    _same_but_for_rows(some, whole)


def test_filled_cells_and_parameters_follow_their_rows():
    gaps = X.copy()
    gaps[::7, 0] = np.nan
    for config, data in (
        (
            usual_config("gibbs", missing="impute", n_sweeps=150, burn_in=20, seed=1),
            gaps,
        ),
        (dpviz.RunConfig("em", n_components=3, max_sweeps=200, seed=1), X),
    ):
        whole, some = dpviz.run(data, config), Search(Problem.check(data, config), most_bytes=6000).run()
        rows = np.flatnonzero(np.isin(whole.label_sweeps, some.label_sweeps))
        assert FEWEST_ROWS // 2 <= len(rows) < len(whole.labels)
        for one in (some, with_rows(whole, rows), bounded(whole, 6000)):
            assert len(one.parameters) in (0, len(one.labels))
            if whole.imputed is not None:
                own = np.isin(whole.label_sweeps, one.label_sweeps)
                assert_array_equal(one.imputed, whole.imputed[own])
            for own, sweep in zip(one.parameters, one.label_sweeps, strict=False):
                assert_array_equal(own.means, whole.parameters[whole.row(int(sweep))].means)


def test_bounding_a_finished_run_keeps_what_a_bounded_run_keeps():
    config = _config("gibbs")
    whole, some = dpviz.run(X, config), Search(Problem.check(X, config), most_bytes=MOST).run()
    assert_array_equal(bounded(whole, MOST).label_sweeps, some.label_sweeps)
    assert bounded(whole, MOST).stride == some.stride
    assert bounded(whole) is whole


def test_a_picture_holds_few_rows_and_the_same_ones_as_the_run_grows():
    search, before = Search(Problem.check(X, _config("gibbs")), most_bytes=MOST), np.array([0])
    for _ in search.records():
        picture = search.current_trace(most_rows=6)
        assert len(picture.labels) <= 7 and picture.label_sweeps[-1] == picture.n_sweeps
        shared = picture.label_sweeps[:-1]
        if len(before) > 1:
            assert set(shared[shared <= before[-1]]) <= set(before) | {picture.n_sweeps - 1}
        before = shared


def test_labels_are_held_once_by_the_run_and_its_trace():
    search = Search(Problem.check(X, _config("gibbs")))
    trace = search.run()
    builder = search._best[1].builder  # type: ignore[index]
    assert all(np.shares_memory(held, trace.labels) for held in builder._labels)


def test_draws_of_a_short_end_are_what_there_is():
    config = replace(_config("gibbs"), n_sweeps=203, burn_in=200)
    trace = Search(Problem.check(X, config), most_bytes=MOST).run()
    assert trace.stride > 4 and len(trace.draws) >= 2


# pages


@pytest.fixture
def little_memory(monkeypatch):
    """Pages record twenty rows at most."""
    monkeypatch.setattr(jobs, "MOST_RECORDED", MOST)


def _shown() -> AppTest:
    choice = DataChoice("synthetic", "crp_mixture").with_options(n=N)
    config = usual_config("gibbs", init="random", init_clusters=4, n_sweeps=211, burn_in=40, seed=8)
    return opened("explore", **links.state_query(choice, config))


@pytest.mark.usefixtures("little_memory")
def test_explore_shows_few_sweeps_of_a_long_chain_says_so_and_exports_the_whole_run():
    jobs.SHARED.clear()
    app = _shown()
    run = shown_run(app)
    whole = dpviz.run(run.prepared.X, run.config)
    _same_but_for_rows(run.trace, whole)
    assert len(run.trace.labels) <= 20 and run.trace.n_sweeps == 211
    captions = [plain(caption.value) for caption in app.caption]
    words = f"of one sweep in {run.trace.stride}, of the result and of the last two: {len(run.trace.labels)} of 211"
    assert any(words in caption for caption in captions)
    for sweep in (0, 5, 77, 211):
        at = run.shown_sweep(sweep)
        assert at <= sweep and at in run.trace.label_sweeps
        assert_array_equal(run.trace.labels_at(at), whole.labels_at(at))
    found: dict[str, Any] = {}
    exec(code_of(run), found)  # noqa: S102  (the code that the page shows)
    assert_array_equal(found["trace"].result_labels, run.trace.result_labels)
    loaded = loading.load_run(run.trace.to_json().encode(), run)
    assert loaded.trace.stride == run.trace.stride and not loaded.stopped
    jobs.SHARED.clear()


@pytest.mark.usefixtures("little_memory")
def test_a_stored_run_is_bounded_when_a_page_loads_it(monkeypatch):
    monkeypatch.setattr(loading, "MOST_RECORDED", MOST)
    run = shown_run(_shown())
    whole = dpviz.run(run.prepared.X, run.config)
    loaded = loading.load_run(whole.to_json().encode(), run)
    assert_array_equal(loaded.trace.label_sweeps, run.trace.label_sweeps)
    _same_but_for_rows(loaded.trace, whole)
    jobs.SHARED.clear()


def test_history_keeps_the_others_when_a_run_is_too_large(monkeypatch):
    held: dict[str, Any] = {}
    said: list[str] = []
    monkeypatch.setattr(history.st, "session_state", held)
    monkeypatch.setattr(history.st, "toast", lambda words, icon: said.append(words))
    choice = DataChoice("synthetic", "crp_mixture").with_options(n=N)
    prepared = prepare(choice)
    small, large = (
        Finished(choice, config, prepared, dpviz.run(prepared.X, config))
        for config in (replace(_config("gibbs"), n_sweeps=60), replace(_config("gibbs"), n_sweeps=4000))
    )
    monkeypatch.setattr(history, "LARGEST", large.n_bytes // 2)
    assert history.add(small) and not history.add(large)
    assert history.runs() == [small] and "too large to be kept" in said[0]


def test_a_page_refuses_a_chain_whose_curves_would_fill_the_server():
    from dpviz.errors import InvalidParameterError
    from dpviz.ui.session.jobs import MOST_SWEEPS, Job
    from dpviz.ui.session.model_choice import Asked

    choice, config = DataChoice("bundled", "old_faithful"), dpviz.RunConfig("gibbs", n_sweeps=MOST_SWEEPS + 1)
    with pytest.raises(InvalidParameterError, match=f"n_sweeps = {MOST_SWEEPS + 1:,} must be at most"):
        Job(Asked(choice, config), prepare(choice))
    Job(Asked(choice, replace(config, n_sweeps=MOST_SWEEPS)), prepare(choice))


def test_the_sweep_of_the_result_is_among_those_shown_however_long_the_chain():
    iris = dpviz.datasets.load("iris")
    for seed in range(3):
        config = usual_config("gibbs", n_sweeps=2_600, seed=seed)
        trace = dpviz.run(iris.X, config)
        rows = shown_rows(trace)
        assert len(rows) < len(trace.labels) and trace.result_row in rows and {0, len(trace.labels) - 1} <= set(rows)


def test_draws_of_several_bounded_chains_are_the_regular_ones():
    iris = dpviz.datasets.load("iris")
    config = usual_config("gibbs", n_sweeps=400, burn_in=40)
    traces = [bounded(dpviz.run(iris.X, replace(config, seed=seed)), 20 * (ROW_OVERHEAD + 600)) for seed in range(2)]
    assert all(trace.stride > 1 for trace in traces)
    sweeps = pooled_draws(traces, 40, 10_000)[2]
    assert len(sweeps) and all((sweep - 40) % min(trace.stride for trace in traces) == 0 for sweep in sweeps)
