"""Splits and merges at the end of a search: what they record, what they may cost, and that they can be interrupted."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from types import SimpleNamespace

import naive
import numpy as np
import pytest
from scipy.special import gammaln

import dpviz
from dpviz.engine.improve import MOST_PAIRS, USUAL_SWEEPS, USUAL_WEIGHINGS, Improver, _near_pairs, improvement_budget
from dpviz.engine.problem import Problem
from dpviz.engine.search import Search, iterate_starts
from dpviz.engine.slow_motion import slow_motion
from dpviz.errors import InvalidParameterError, TraceFormatError

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


def test_moves_of_whole_clusters_lower_the_nll_and_are_recorded_as_what_they_are(trace: dpviz.Trace) -> None:
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
    np.testing.assert_array_equal(trace.labels_at(-1), trace.labels_at(-2))
    assert trace.nll[-1] == trace.nll[-2] == trace.starts[trace.chosen_start].nll == min(s.nll for s in trace.starts)


def test_no_single_move_improves_the_end(trace: dpviz.Trace) -> None:
    again = dpviz.run(X, replace(CONFIG, init=trace.labels_at(-1), n_init=1))
    assert again.n_moved.sum() == 0 and not again.moves


def test_the_same_run_can_be_iterated_watched_and_stored(trace: dpviz.Trace) -> None:
    records = list(dpviz.iterate(X, CONFIG))
    assert [record.nll for record in records] == trace.nll.tolist()
    assert [(record.sweep, record.move) for record in records if record.move] == list(trace.moves)
    last = {start: record for start, _, record in iterate_starts(X, CONFIG)}
    assert [(r.n_clusters, r.nll, r.sweep) for r in last.values()] == [tuple(start)[1:] for start in trace.starts]
    assert dpviz.Trace.from_json(trace.to_json()).moves == trace.moves


@pytest.mark.parametrize("moves", ['[[0, "split"]]', '[[1000, "split"]]', '[[1, "jump"]]', "[[1]]", "7"])
def test_damaged_moves_of_a_stored_run_are_refused(trace: dpviz.Trace, moves: str) -> None:
    stored = trace.to_json()
    begin = stored.index('"moves":') + len('"moves":')
    with pytest.raises(TraceFormatError):
        dpviz.Trace.from_json(stored[:begin] + moves + stored[stored.index(',"arrays"') :])


def test_runs_stored_before_there_were_moves_are_read(trace: dpviz.Trace) -> None:
    single = dpviz.run(X, replace(CONFIG, n_init=1))
    older = single.to_json().replace('"moves":[],', "")
    assert "moves" not in older
    np.testing.assert_array_equal(dpviz.Trace.from_json(older).labels, single.labels)


@pytest.mark.parametrize(
    "options",
    [{"n_init": 1}, {"init": "random"}, {"init": "kmeans++", "n_init": 3}, {"max_sweeps": 2},
     {"algorithm": "gibbs", "n_sweeps": 9, "burn_in": 3, "n_init": 3}],
    ids=str,
)  # fmt: skip
def test_only_a_search_with_several_automatic_starts_that_converged_goes_on(options: dict) -> None:
    assert not dpviz.run(X, replace(CONFIG, **options)).moves


def test_moves_keep_within_the_bound_on_the_sweeps(trace: dpviz.Trace) -> None:
    bounds = range(trace.moves[0][0], trace.n_sweeps + 1)
    found = [dpviz.run(X, replace(CONFIG, max_sweeps=bound)) for bound in bounds]
    assert all(run.n_sweeps <= bound for run, bound in zip(found, bounds, strict=True))
    assert any(run.moves for run in found)
    assert all(run.n_moved[-1] == 0 for run in found if run.converged)


def test_a_search_can_be_stopped_in_the_middle_of_a_trial(trace: dpviz.Trace) -> None:
    calls: list[None] = []
    dpviz.run(X, CONFIG, should_stop=lambda: calls.append(None) or False)
    restarts = sum(start.n_sweeps + 1 for start in trace.starts) - len(trace.moves) - 1
    assert len(calls) > restarts + 100
    found = set()
    for last in range(restarts, len(calls) - 1, 50):
        asked = iter(range(len(calls) + 1))
        stopped = dpviz.run(X, CONFIG, should_stop=lambda asked=asked, last=last: next(asked) == last)
        found.add(stopped.moves)
        assert stopped.nll[-1] == min(start.nll for start in stopped.starts)
        assert not stopped.converged
        assert np.all(np.diff(stopped.nll[1:]) <= 0)
        assert dpviz.Trace.from_json(stopped.to_json()).moves == stopped.moves == trace.moves[: len(stopped.moves)]
    assert len(found) > 2


def test_time_between_two_slices_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    for module in ("improve", "loop"):
        monkeypatch.setattr(f"dpviz.engine.{module}.time", SimpleNamespace(perf_counter=lambda: now[0]))
    search = Search(Problem.check(X, CONFIG))
    for _ in search.records():
        now[0] += 1.0  # what a page does before it asks for the next slice
    assert len(search.improved) > 2 and now[0] > 300
    assert search.trace().seconds.tolist() == [0.0] * (search.trace().n_sweeps + 1)


def test_the_share_of_the_allowed_cost_only_grows() -> None:
    search = Search(Problem.check(X, CONFIG))
    shares = [search.share_of_improvement for _ in search.records()]
    known = [share for share in shares if share is not None]
    assert shares[0] is None and len(known) > 300 and 0 <= known[0] < 0.1
    assert known == sorted(known) and known[-1] <= 1


@pytest.mark.parametrize("budget", [0, 1, 7, 60, 333])
def test_trials_cost_no_more_sweeps_than_allowed(trace: dpviz.Trace, budget: int) -> None:
    labels = trace.labels_at(trace.moves[0][0] - 1)
    improver = Improver(Problem.check(X, CONFIG), labels, np.random.default_rng(1), budget)
    steps = list(improver.steps())
    assert 0.5 * min(budget, 200) <= improver.spent <= budget
    assert len(steps) - steps.count(None) >= (budget > 0)


def test_the_work_between_two_looks_at_the_stop_button_does_not_grow_with_all_pairs() -> None:
    points = np.random.default_rng(0).normal(size=(300, 2))
    problem = Problem.check(points, dpviz.RunConfig(partition=dpviz.ChineseRestaurant(1e4), n_init=2))
    improver = Improver(problem, np.arange(300), np.random.default_rng(1), 1_000)
    family = type(problem.working.family)
    calm, calls, gaps = family.log_marginal, [0], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(family, "log_marginal", lambda self, X: calls.append(1) or calm(self, X))
        for step in improver.steps():
            gaps.append(len(calls))
            calls.clear()
            assert step is None or step.score.n_clusters > 100
    assert 100 < max(gaps) <= 300 + 50 + 1


def test_the_pairs_with_the_nearest_means_are_weighed_first() -> None:
    centres = np.random.default_rng(3).normal(size=(40, 2))
    pairs = _near_pairs([centre + np.array([[-0.1, 0], [0.1, 0]]) for centre in centres])
    distances = {pair: np.linalg.norm(centres[pair[0]] - centres[pair[1]]) for pair in combinations(range(40), 2)}
    assert len(pairs) == MOST_PAIRS < len(distances)
    assert set(pairs) == set(sorted(distances, key=lambda pair: distances[pair])[:MOST_PAIRS])
    few = _near_pairs([centre[None] for centre in centres[:25]])
    assert few == list(combinations(range(25), 2))


def test_long_searches_spend_at_most_as_much_on_moves_as_on_restarts() -> None:
    assert improvement_budget(100_000, 3, 250) == 250
    assert improvement_budget(600, 80, 120) == 120
    assert improvement_budget(100, 4, 120) == USUAL_SWEEPS
    assert (
        improvement_budget(USUAL_WEIGHINGS // 500, 1, 120)
        == improvement_budget(USUAL_WEIGHINGS // 5000, 10, 120)
        == 500
    )


def test_a_move_of_whole_clusters_has_no_slow_motion(trace: dpviz.Trace) -> None:
    for sweep in range(trace.moves[0][0], trace.n_sweeps + 1):
        with pytest.raises(InvalidParameterError, match=f"sweep = {sweep} moved whole clusters"):
            slow_motion(X, trace, sweep)
    assert len(slow_motion(X, trace, trace.moves[0][0] - 1).points) == len(X)
