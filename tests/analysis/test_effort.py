"""Equal effort: starts and work given to every method, whole-run seconds, and the words that say what each got."""

from __future__ import annotations

import json
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from configs import usual_config

import dpviz
from dpviz import RunConfig
from dpviz.analysis import effort
from dpviz.analysis.comparison import scores
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import Problem
from dpviz.engine.search import Search
from dpviz.errors import InvalidParameterError, TraceFormatError

OVERLAP = dpviz.datasets.synthesize("elliptical_overlap", n=300)
CONFIGS = {
    "kmeans": RunConfig("kmeans", n_init=4),
    "em": RunConfig("em", n_init=4),
    "dpmeans": RunConfig("dpmeans", penalty=80.0, n_init=4),
    "mapdp": usual_config(n_init=4),
    "gibbs": usual_config("gibbs", n_sweeps=20, burn_in=5),
}


@pytest.fixture(scope="module")
def traces() -> dict[str, dpviz.Trace]:
    return {name: dpviz.run(OVERLAP.X, config) for name, config in CONFIGS.items()}


@pytest.mark.parametrize("name", ["kmeans", "em", "mapdp"])
def test_seconds_are_those_of_every_step_of_the_search(monkeypatch, name):
    ticks = count()
    monkeypatch.setattr("dpviz.engine.improve.time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
    search = Search(Problem.check(OVERLAP.X, CONFIGS[name]))
    n_steps = sum(1 for _ in search.records())  # asked once before and once after each: one second
    within = n_steps if name != "mapdp" else 0  # tried splits and merges look at the clock, too
    assert search.seconds == within or (name == "mapdp" and search.seconds > n_steps)
    assert search.trace().total_seconds == search.seconds
    assert n_steps > search.trace().n_sweeps + 1  # more than the start that won


def test_the_score_of_time_is_the_whole_runs(traces):
    for trace in traces.values():
        assert scores(trace, None)["seconds"] == trace.total_seconds > np.sum(trace.seconds)


def test_a_stored_run_keeps_its_effort_and_runs_stored_before_still_load(traces):
    trace = traces["mapdp"]
    again = dpviz.Trace.from_json(trace.to_json())
    assert (again.total_seconds, again.n_trial_sweeps) == (trace.total_seconds, trace.n_trial_sweeps)
    assert trace.n_trial_sweeps > 0
    document = json.loads(trace.to_json())
    del document["total_seconds"], document["n_trial_sweeps"]
    earlier = dpviz.Trace.from_json(json.dumps(document))
    assert np.isnan(earlier.total_seconds) and earlier.n_trial_sweeps == 0
    assert scores(earlier, None)["seconds"] == pytest.approx(np.sum(trace.seconds))
    assert dpviz.Trace.from_json(earlier.to_json()).converged


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("total_seconds", -1.0),
        ("total_seconds", 1e999),
        ("total_seconds", "soon"),
        ("total_seconds", [1]),
        ("n_trial_sweeps", -3),
        ("n_trial_sweeps", 1.5),
        ("n_trial_sweeps", None),
    ],
)
def test_a_stored_run_with_an_impossible_effort_is_refused(traces, key, value):
    document = json.loads(traces["kmeans"].to_json()) | {key: value}
    with pytest.raises(TraceFormatError):
        dpviz.Trace.from_json(json.dumps(document))


def test_all_get_the_same_starts_but_chains():
    given = {name: effort.same_starts(config, 7) for name, config in CONFIGS.items()}
    assert {name: config.n_init for name, config in given.items() if name != "gibbs"} == dict.fromkeys(
        ("kmeans", "em", "dpmeans", "mapdp"), 7
    )
    assert given["gibbs"] == CONFIGS["gibbs"]
    with pytest.raises(InvalidParameterError, match="n_starts = 0 "):
        effort.same_starts(CONFIGS["em"], 0)


def test_em_with_as_many_starts_is_as_good_as_mapdp_where_one_start_is_not():
    data = dpviz.datasets.synthesize("elliptical_overlap", seed=3)

    def reached(config):
        return scores(dpviz.run(data.X, config), data.labels)["nmi"]

    unlucky = [RunConfig("em", n_init=1, seed=seed) for seed in range(10)]
    mapdp = reached(usual_config())
    assert min(map(reached, unlucky)) < mapdp - 0.1
    assert reached(effort.same_starts(unlucky[0], 10)) > mapdp - 0.02


def test_work_is_counted_by_the_sweeps_of_all_starts(traces):
    trace, algorithm = traces["kmeans"], ALGORITHMS["kmeans"]
    per_sweep = algorithm.sweep_operations(trace.config, 300, 2, 4)
    assert effort.operations_done(trace, 2) == per_sweep * sum(start.n_sweeps for start in trace.starts)
    assert effort.sweeps_done(trace) == sum(start.n_sweeps for start in trace.starts) > trace.n_sweeps
    mapdp = traces["mapdp"]
    assert effort.sweeps_done(mapdp) == sum(start.n_sweeps for start in mapdp.starts) + mapdp.n_trial_sweeps


def test_the_costliest_run_sets_what_the_others_may_spend(traces):
    runs = list(traces.values())
    extended = dict(zip(traces, effort.same_work(runs, 2), strict=True))
    costs = {name: effort.operations_done(trace, 2) for name, trace in traces.items()}
    costliest = max(costs, key=lambda name: costs[name])
    assert extended[costliest] == CONFIGS[costliest]
    assert extended["gibbs"] == CONFIGS["gibbs"]  # a chain keeps its length
    assert extended["dpmeans"] == CONFIGS["dpmeans"]  # nothing random in it: more starts would be the same one
    for name in {"kmeans", "em", "mapdp"} - {costliest}:
        assert extended[name].n_init == min(int(4 * costs[costliest] / costs[name]), effort.MOST_STARTS) > 4


def test_the_words_say_what_each_got(traces):
    n_sweeps = sum(start.n_sweeps for start in traces["kmeans"].starts)
    assert effort.in_words(traces["kmeans"]) == f"4 starts, {n_sweeps} sweeps"
    assert effort.in_words(traces["dpmeans"]) == f"1 start, {traces['dpmeans'].n_sweeps} sweeps"
    assert effort.in_words(traces["gibbs"]) == "1 chain, 20 sweeps"
    said = effort.in_words(traces["mapdp"])
    assert said.startswith("4 starts, ") and said.endswith(f"(search worth {traces['mapdp'].n_trial_sweeps:,} sweeps)")
