"""The search after the starts: what it finds and records, what it may cost, that it can be stopped and continued."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln
from traces import same_trace

import dpviz
from dpviz.engine import search as search_module
from dpviz.engine.improve import BUDGET, SLICE, IteratedSearch, expected_operations
from dpviz.engine.kernels import search_plan as at
from dpviz.engine.kernels.matching import most_matched
from dpviz.engine.problem import Problem
from dpviz.engine.search import Search
from dpviz.engine.slow_motion import slow_motion
from dpviz.errors import InvalidParameterError, TraceFormatError
from dpviz.fit.run import iterate_starts

X = dpviz.datasets.load("parkinsons_voice").X
PRIOR = {"m0": X.mean(axis=0), "c0": 10 / len(X), "a0": 1.0, "b0": X.var(axis=0)}
CONFIG = dpviz.RunConfig(family="normal_gamma", prior=PRIOR, partition=dpviz.ChineseRestaurant(1.0))


@pytest.fixture(scope="module")
def trace() -> dpviz.Trace:
    return dpviz.run(X, CONFIG)


def naive_nll(labels: np.ndarray) -> float:
    """−ln p(X | z) − ln p(z), the prior in its textbook form: N0^K ∏(n − 1)! Γ(N0) / Γ(N0 + N), here with N0 = 1."""
    sizes = np.bincount(labels)
    log_prior = gammaln(sizes).sum() - gammaln(1 + len(labels))
    hyperparameters = {name: np.asarray(value) for name, value in PRIOR.items()}
    return -log_prior - sum(naive.normal_gamma(X[labels == k], **hyperparameters) for k in range(len(sizes)))


def least_moved(before: np.ndarray, after: np.ndarray) -> int:
    """Fewest points that change cluster, over all ways to match the clusters."""
    width = max(before.max(), after.max()) + 1
    shared = np.zeros((width, width), dtype=int)
    np.add.at(shared, (before, after), 1)
    return len(before) - max(sum(shared[k, row[k]] for k in range(width)) for row in permutations(range(width)))


def test_moves_of_whole_clusters_lower_the_nll_and_are_recorded_as_what_they_are(trace):
    assert {"split", "merge"} <= {move for _, move in trace.moves}
    sweeps = [sweep for sweep, _ in trace.moves]
    assert sweeps == list(range(sweeps[0], trace.n_sweeps))  # one after the other, and one sweep that confirms
    for sweep, move in trace.moves:
        before, after = trace.labels_at(sweep - 1), trace.labels_at(sweep)
        assert trace.nll[sweep] < trace.nll[sweep - 1]
        assert trace.nll[sweep] == pytest.approx(naive_nll(after), rel=1e-9)
        assert trace.n_moved[sweep] == least_moved(before, after) > 0
        born, died = trace.n_born[sweep], trace.n_died[sweep]
        assert born - died == after.max() - before.max() and min(born, died) == 0
        assert trace.seconds[sweep] > 0
        assert move in ("split", "merge", "swap")
    assert trace.converged and trace.n_moved[-1] == 0
    assert_array_equal(trace.labels_at(-1), trace.labels_at(-2))
    assert trace.nll[-1] == trace.nll[-2] == trace.starts[trace.chosen_start].nll == min(s.nll for s in trace.starts)


def test_no_single_move_improves_the_end(trace):
    again = dpviz.run(X, replace(CONFIG, init=trace.labels_at(-1), n_init=1))
    assert again.n_moved.sum() == 0 and not again.moves


def test_the_same_run_can_be_iterated_watched_and_stored(trace):
    records = list(dpviz.iterate(X, CONFIG))
    assert [record.nll for record in records] == trace.nll.tolist()
    assert [(record.sweep, record.move) for record in records if record.move] == list(trace.moves)
    last = {start: record for start, _, record in iterate_starts(X, CONFIG)}
    assert [(r.n_clusters, r.nll, r.sweep) for r in last.values()] == [tuple(start)[1:] for start in trace.starts]
    assert dpviz.Trace.from_json(trace.to_json()).moves == trace.moves


@pytest.mark.parametrize("moves", ['[[0, "split"]]', '[[1000, "split"]]', '[[1, "jump"]]', "[[1]]", "7"])
def test_damaged_moves_of_a_stored_run_are_refused(trace, moves):
    stored = trace.to_json()
    begin = stored.index('"moves":') + len('"moves":')
    with pytest.raises(TraceFormatError):
        dpviz.Trace.from_json(stored[:begin] + moves + stored[stored.index(',"arrays"') :])


def test_runs_stored_before_there_were_moves_are_read(trace):
    single = dpviz.run(X, replace(CONFIG, effort=0))
    older = single.to_json().replace('"moves":[],', "")
    assert "moves" not in older
    assert_array_equal(dpviz.Trace.from_json(older).labels, single.labels)


@pytest.mark.parametrize(
    "options",
    [
        {"effort": 0},
        {"init": "random"},
        {"init": "kmeans++", "n_init": 3},
        {"init": "single"},
        {"max_sweeps": 2},
        {"algorithm": "gibbs", "n_sweeps": 9, "burn_in": 3, "n_init": 3},
    ],
    ids=str,
)
def test_only_automatic_starts_that_converged_are_searched_on(options):
    trace = dpviz.run(X, replace(CONFIG, **options))
    assert not trace.moves and not trace.n_trial_sweeps and not trace.search_exhausted


def test_one_automatic_start_is_searched_on(trace):
    single = dpviz.run(X, replace(CONFIG, n_init=1))
    assert len(single.starts) == 1 and single.moves and single.converged
    assert single.nll[-1] == pytest.approx(trace.nll[-1], rel=1e-9)


def test_moves_keep_within_the_bound_on_the_sweeps(trace):
    bounds = [trace.moves[0][0], trace.moves[0][0] + 2, trace.n_sweeps]
    found = [dpviz.run(X, replace(CONFIG, max_sweeps=bound)) for bound in bounds]
    assert all(run.n_sweeps <= bound for run, bound in zip(found, bounds, strict=True))
    assert any(run.moves for run in found)
    assert all(run.n_moved[-1] == 0 for run in found if run.converged)


@pytest.fixture
def often(monkeypatch):
    """Let searches pause after a trial or two."""
    monkeypatch.setattr("dpviz.engine.improve.SLICE", 2e5)


def stopped_after(n_steps: int) -> dpviz.Trace:
    asked = iter(range(n_steps + 1))
    return dpviz.run(X, CONFIG, should_stop=lambda: next(asked) == n_steps)


def test_a_search_can_be_stopped_in_the_middle_of_a_trial(trace, often):
    restarts = sum(start.n_sweeps + 1 for start in trace.starts) - len(trace.moves) - 1
    found = set()
    for last in (restarts + 1, restarts + 20, restarts + 200, restarts + 600):
        stopped = stopped_after(last)
        found.add(stopped.moves)
        assert stopped.nll[-1] == min(start.nll for start in stopped.starts)
        assert not stopped.converged and not stopped.search_exhausted
        assert np.all(np.diff(stopped.nll[1:]) <= 0)
        assert dpviz.Trace.from_json(stopped.to_json()).moves == stopped.moves == trace.moves[: len(stopped.moves)]
    assert len(found) > 1


def test_time_between_two_slices_is_not_counted(monkeypatch, often):
    now = [0.0]
    for module in ("improve", "loop"):
        monkeypatch.setattr(f"dpviz.engine.{module}.time", SimpleNamespace(perf_counter=lambda: now[0]))
    search = Search(Problem.check(X, CONFIG))
    for _ in search.records():
        now[0] += 1.0  # what a page does before it asks for the next slice
    assert len(search.improved) > 2 and now[0] > 300
    assert search.trace().seconds.tolist() == [0.0] * (search.trace().n_sweeps + 1)


def test_the_share_that_is_done_only_grows(often):
    search = Search(Problem.check(X, CONFIG))
    shares = [search.iterated.share for _ in search.records() if search.iterated is not None]
    assert len(shares) > 300 and 0 <= shares[0] < 0.1
    assert shares == sorted(shares) and shares[-1] == 1


@pytest.mark.parametrize("effort", [0.01, 0.1, 0.2])
def test_starts_that_agree_do_not_end_a_search_that_has_tried_nothing(effort):
    far = np.repeat([[0.0, 0.0], [30.0, 5.0], [5.0, 35.0]], 20, axis=0) + np.random.default_rng(0).normal(size=(60, 2))
    trace = dpviz.run(
        far,
        dpviz.RunConfig(
            partition=dpviz.ChineseRestaurant(0.3), n_init=2, effort=effort, family="normal_wishart", prior=None
        ),
    )
    assert [start.n_clusters for start in trace.starts] == [3, 1] and trace.starts[0].nll < trace.starts[1].nll - 100


@pytest.mark.parametrize("effort", [1e-4, 1e-3, 0.01, 0.03])
def test_a_search_spends_its_budget_and_hardly_more(effort):
    """One trial, at most a few dozen sweeps of the 195 rows, may begin before the budget is spent."""
    config = replace(CONFIG, effort=effort)
    trace, search = dpviz.run(X, config), Search(Problem.check(X, config))
    for _ in search.records():
        pass
    assert search.iterated is not None and search.iterated.budget == BUDGET * effort
    assert search.iterated.spent < BUDGET * effort + 60 * 195 * 10 * 22 * 30
    assert trace.search_exhausted == search.iterated.exhausted == (search.iterated.spent >= BUDGET * effort)


@pytest.mark.parametrize("efforts", [(0.002, 0.05), (0.01, 0.02, 0.3), (0.3, 1.0)])
def test_more_effort_continues_exactly_what_less_effort_ended(efforts):
    search = Search(Problem.check(X, replace(CONFIG, effort=efforts[0])))
    for effort in efforts:
        config = replace(CONFIG, effort=effort)
        assert effort == efforts[0] or search.allow(config)
        for _ in search.records():
            pass
        same_trace(search.trace(), dpviz.run(X, config), "seconds")


@pytest.mark.parametrize("wrong", [-np.inf, np.nan, np.inf])
@pytest.mark.parametrize("where", [0, 1])
def test_a_start_whose_numbers_went_wrong_never_wins(wrong, where, monkeypatch):
    calm = search_module.iterate_start

    def troubled(problem, start, **options):
        for record in calm(problem, start, **options):
            yield replace(record, score=replace(record.score, nll=wrong)) if start == where else record

    config = replace(CONFIG, init="random", n_init=3)
    expected = [start.nll for start in dpviz.run(X, config).starts]
    monkeypatch.setattr(search_module, "iterate_start", troubled)
    trace = dpviz.run(X, config)
    expected[where] = np.inf
    assert trace.chosen_start == int(np.argmin(expected)) and trace.nll[-1] == min(expected)


def test_only_more_effort_continues_a_search():
    search = Search(Problem.check(X, replace(CONFIG, effort=0.01)))
    assert not search.allow(replace(CONFIG, effort=1.0))  # the starts are not over
    for _ in search.records():
        pass
    for other in ({"effort": 0.01}, {"effort": 0.001}, {"effort": 1.0, "seed": 1}, {"effort": 1.0, "n_init": 11}):
        assert not search.allow(replace(CONFIG, **other))
    assert search.problem.config.effort == 0.01


def test_a_cluster_that_a_plain_split_would_improve_is_never_left():
    """Thirty-one clusters of thirty points, each far from the others, and a prior as wide as each of them."""
    random_state = np.random.default_rng(5)
    centres = random_state.permutation(np.stack(np.meshgrid(range(7), range(7)), axis=-1).reshape(-1, 2))[:31] * 10.0
    labels = np.repeat(np.arange(31), 30)
    points = centres[labels] + random_state.normal(size=(930, 2))
    prior = {"m0": [30.0, 30.0], "c0": 0.01, "a0": 2.0, "b0": [1.0, 1.0]}
    config = dpviz.RunConfig(family="normal_gamma", prior=prior, partition=dpviz.ChineseRestaurant(1.0), effort=0.3)
    trace = dpviz.run(points, config)
    true = dpviz.run(points, replace(config, init=labels, n_init=1, max_sweeps=1))
    assert trace.nll[-1] <= true.nll[0] + 1e-9 * abs(true.nll[0])
    assert trace.n_clusters[-1] == 31 and dpviz.metrics.ari(trace.result_labels, labels) > 0.999


def test_estimates_count_whole_walks_up_to_the_budget():
    assert expected_operations(200, 100.0, 1.0) < expected_operations(400, 100.0, 1.0) < BUDGET
    assert expected_operations(1_000_000, 100.0, 1.0) == BUDGET
    assert expected_operations(1_000_000, 100.0, 0.1) == pytest.approx(0.1 * BUDGET)


# --- changes of a few clusters ----------------------------------------------------------------------------------------


def begun(X: np.ndarray, config: dpviz.RunConfig, labels: np.ndarray) -> IteratedSearch:
    """A search from some labels."""
    problem = Problem.check(X, config)
    return IteratedSearch(problem, [labels], np.random.default_rng(3))


def followed(search: IteratedSearch, most: int = 5000) -> Iterator[Any]:
    """Take so many of a search's steps one at a time; yield its plan after each."""
    for _ in range(most):
        if search._advance(0.0) == at.OVER:
            return
        yield search._plan


@pytest.mark.parametrize(
    "partition",
    [dpviz.ChineseRestaurant(2.0), dpviz.PitmanYor(2.0, 0.4), dpviz.FiniteDirichlet(2.0, 9)],
    ids=lambda partition: type(partition).__name__,
)
def test_points_out_of_sight_stay_and_every_nll_is_that_of_its_partition(
    partition,
):
    config = replace(CONFIG, partition=partition)
    hyperparameters = {name: np.asarray(value) for name, value in PRIOR.items()}
    search = begun(X, config, np.random.default_rng(8).integers(6, size=len(X)))
    n_scored = n_local = 0
    for plan in followed(search, 4000):
        counts, labels = plan.counts, plan.work.labels
        nll = plan.levels[at.NLL]
        if counts[at.NEXT] in (at.SETTLED, at.DESCENDED, at.CONFIRMED) and n_scored < 60:
            members = [X[labels == k] for k in range(labels.max() + 1)]
            likelihood = sum(naive.normal_gamma(rows, **hyperparameters) for rows in members)
            prior = partition.log_probability([len(rows) for rows in members])
            assert nll == pytest.approx(-likelihood - prior, rel=1e-9)
            n_scored += 1
        if counts[at.NEXT] == at.REFINE and counts[at.N_LOCAL] > 0 and not counts[at.ALL_SEEN]:
            away = np.ones(len(X), dtype=bool)
            away[plan.points[: counts[at.N_GATHERED]]] = False
            now, before = labels[away], plan.partitions[at.PRESENT][away]
            assert len(set(zip(now, before, strict=True))) == len(set(now)) == len(set(before))  # the same clusters
            assert not set(now) & set(labels[~away])
            n_local += away.any()
    assert n_scored == 60 and n_local > 100


def test_any_number_of_clusters_may_be_born_while_others_are_out_of_sight():
    """Far points and a tiny width: every visited point opens a cluster, beyond the slots there were at first."""
    points = np.random.default_rng(10).permutation(120)[:, None] * [50.0, -20.0]
    prior = {"mu0": [0.0, 0.0], "sigma0_sq": 1e6, "sigma_hat_sq": 1.0}
    config = dpviz.RunConfig(family="spherical_normal", prior=prior)
    search = begun(points, config, np.arange(120) % 12)
    n_slots = len(search._plan.work.sizes)
    assert n_slots < 120
    found = [step for step in search.steps() if step is not None]
    assert found[-1].score.n_clusters == 120 and len(search._plan.work.sizes) > 120
    assert sorted(found[-1].score.labels) == list(range(120))


def test_what_a_point_weighs_in_the_other_clusters_is_what_a_sweeper_says():
    search = begun(X, CONFIG, np.random.default_rng(11).integers(5, size=len(X)))
    n_weighed = 0
    for plan in followed(search):
        if plan.counts[at.NEXT] != at.NEAREST or plan.counts[at.PENDING] != at.NOTHING or n_weighed == 20:
            continue
        i, labels = int(plan.counts[at.WEIGHED]), plan.partitions[at.PRESENT]
        working = search._scorer
        working.assign(labels)
        log_density, log_weight = working.candidates_of(i)
        weights, scores = (log_density + log_weight)[:-1], plan.scores[: labels.max() + 1]
        others = np.arange(len(scores)) != labels[i]
        assert_allclose(scores[others] + working.log_jacobian, weights[others], rtol=1e-9)
        n_weighed += 1
    assert n_weighed == 20


@pytest.mark.parametrize("most", [0.0, 3e5, 1e9])
def test_a_search_finds_the_same_however_often_it_pauses(most):
    labels = np.random.default_rng(2).integers(4, size=len(X))
    whole, slices = (begun(X, CONFIG, labels) for _ in range(2))
    for search, between in ((whole, SLICE), (slices, most)):
        search.allow(0.05)
        while search._advance(between) != at.OVER:
            pass
    assert whole.lowest == slices.lowest and whole.n_trials == slices.n_trials and whole.spent == slices.spent
    assert_array_equal(whole._plan.partitions, slices._plan.partitions)
    assert_array_equal(whole._plan.stream, slices._plan.stream)


def test_a_move_of_whole_clusters_has_no_slow_motion(trace):
    for sweep in range(trace.moves[0][0], trace.n_sweeps + 1):
        with pytest.raises(InvalidParameterError, match=f"sweep = {sweep} moved whole clusters"):
            slow_motion(X, trace, sweep)
    assert len(slow_motion(X, trace, trace.moves[0][0] - 1).points) == len(X)


@pytest.mark.parametrize("seed", range(60))
def test_most_points_stay_as_scipy_matches_the_clusters(seed):
    rng = np.random.default_rng(seed)
    n_points = int(rng.integers(1, 60))
    before, after = (np.unique(rng.integers(rng.integers(1, 9), size=n_points), return_inverse=True)[1] for _ in "12")
    shared = np.zeros((before.max() + 1, after.max() + 1), np.int64)
    np.add.at(shared, (before, after), 1)
    assert most_matched(before, after) == shared[linear_sum_assignment(-shared)].sum()
