"""A second opinion: draws on the number of groups, against counts by hand, calibrated on draws of a prior."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

import dpviz
from dpviz.analysis import second_opinion as module
from dpviz.analysis.second_opinion import (
    BOUND,
    FEWEST_ROWS,
    groups_in_words,
    least_gap,
    n_groups,
    opinion_steps,
    second_opinion,
    why_none,
)
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.families import FAMILIES
from dpviz.text import percent


@pytest.fixture(autouse=True)
def opinions_of_few_draws():
    """Here they are of as many draws as users get."""


PRIOR = {"m0": (0.0, 0.0), "c0": 0.1, "a0": 3.0, "b0": (1.0, 1.0)}


def drawn_from_prior(n_points: int, seed: int) -> tuple[np.ndarray, np.ndarray, dpviz.RunConfig]:
    """Return rows, their clusters, and the model that both come from."""
    rng, partition = np.random.default_rng([n_points, seed]), dpviz.ChineseRestaurant(2.0)
    family, labels = FAMILIES["normal_gamma"].from_prior(PRIOR, np.zeros((1, 2))), partition.sample(n_points, rng)
    X = np.empty((n_points, 2))
    for k in np.unique(labels):
        X[labels == k] = family.draw(rng).sample(int(np.sum(labels == k)), rng)
    return X, labels, dpviz.RunConfig(family="normal_gamma", prior=PRIOR, partition=partition, seed=seed)


def test_on_draws_of_the_prior_it_is_calibrated():
    """The rank of the true number of groups is uniform, and pairs stay together as often as is said."""
    rng, ranks, said, held = np.random.default_rng(0), [], [], []
    for seed in range(40):
        X, labels, config = drawn_from_prior(40, seed)
        trace = dpviz.run(X, config)
        opinion = second_opinion(X, trace)
        assert opinion is not None
        true = n_groups(labels, BOUND)
        below = sum(share for number, share in opinion.groups.items() if number < true)
        ranks.append(below + rng.random() * opinion.groups.get(true, 0.0))
        for k, together in enumerate(opinion.together):
            pairs = list(combinations(labels[trace.result_labels == k], 2))
            said += [together] if pairs else []
            held += [np.mean([a == b for a, b in pairs])] if pairs else []
    assert abs(np.mean(ranks) - 0.5) < 0.15
    assert abs(np.std(ranks) - 0.289) < 0.15
    assert abs(np.mean(said) - np.mean(held)) < 0.1


def test_groups_are_counted_by_the_rows_they_hold():
    labels = np.repeat([0, 1, 2, 3], [60, 34, 4, 2])
    assert [n_groups(labels, bound) for bound in (0.01, 0.04, BOUND, 0.5)] == [3, 3, 2, 1]
    assert FEWEST_ROWS == 3
    assert n_groups(np.repeat([0, 1], [3, 2]), 0.01) == 1


@pytest.fixture(scope="module")
def near() -> tuple[np.ndarray, dpviz.Trace]:
    """Two equal normal groups 2.8 deviations apart, which MAP-DP takes for one."""
    rng = np.random.default_rng(2)
    X = np.column_stack([np.r_[rng.normal(0, 1, 500), rng.normal(2.8, 1, 500)], rng.normal(0, 1, 1000)])
    return X, dpviz.run(X, dpviz.RunConfig())


def test_draws_find_what_one_partition_cannot_show(near):
    X, trace = near
    assert trace.n_clusters[trace.result_sweep] == 1
    opinion = second_opinion(X, trace)
    assert opinion is not None
    assert opinion.of_answer == 1
    assert opinion.groups.get(1, 0.0) < 0.05
    assert opinion.together.shape == (1,)
    assert opinion.n_differing > 0
    assert "This answer has 1" in opinion.text


def opinion_on(answer: list[int], *draws: list[list[int]]) -> module.SecondOpinion:
    return module._opinion(np.array(answer), [np.array(own) for own in draws], 10)


ONE, TWO = [0] * 20, [0] * 10 + [1] * 10
CRUMB = [0] * 9 + [2] + [1] * 10


def test_another_number_is_told_where_both_chains_are_sure():
    opinion = opinion_on(ONE, [TWO] * 8 + [ONE] * 2, [CRUMB] * 9 + [ONE])
    assert (opinion.settled, opinion.number, opinion.of_answer) == (True, 2, 1)
    assert opinion.groups == pytest.approx({1: 0.15, 2: 0.85})
    assert opinion.text.startswith("Rather 2 groups than the 1 of this answer.")


def test_not_where_one_chain_is_less_sure():
    opinion = opinion_on(ONE, [TWO] * 7 + [ONE] * 3, [TWO] * 9 + [ONE])
    assert (opinion.settled, opinion.number) == (True, None)
    assert "No other number is sure enough" in opinion.text


def test_not_where_it_depends_on_what_a_group_must_hold():
    small = [0] * 37 + [1] * 3  # 7.5 % of the rows
    opinion = opinion_on([0] * 40, [small] * 10, [small] * 10)
    assert opinion.groups == {2: 1.0}
    assert opinion.number is None


def test_where_chains_differ_no_number_is_told():
    opinion = opinion_on(ONE, [TWO] * 10, [ONE] * 3 + [TWO] * 7)
    assert (opinion.settled, opinion.number) == (False, None)
    assert opinion.text.startswith("Not settled")


def test_the_answers_own_number_replaces_nothing():
    opinion = opinion_on(TWO, [TWO] * 10, [TWO] * 10)
    assert (opinion.settled, opinion.number, opinion.n_differing) == (True, None, 0)
    assert opinion.together.tolist() == [1.0, 1.0]


def test_together_counts_pairs_by_label_whatever_comes_first():
    answer = [1, 1, 1, 0, 0, 0, 0, 2]
    draws = [[0, 0, 1, 2, 2, 2, 3, 4], [0, 0, 0, 1, 1, 2, 2, 3]]
    pairs = {k: [pair for pair in combinations(range(8), 2) if all(answer[i] == k for i in pair)] for k in (0, 1)}
    by_hand = [np.mean([draw[i] == draw[j] for draw in draws for i, j in pairs[k]]) for k in (0, 1)]
    together = opinion_on(answer, draws, draws).together
    assert together[:2] == pytest.approx(by_hand)
    assert np.isnan(together[2])


def test_tables_by_bound_add_up_to_one(near):
    opinion = second_opinion(*near, n_sweeps=20)
    assert opinion is not None
    assert opinion.by_bound.sum(axis=1).tolist() == pytest.approx([1.0] * len(module.BOUNDS))
    assert {k: v for k, v in opinion.by_bound.loc[BOUND].items() if v} == pytest.approx(opinion.groups)


def test_several_chains_are_told_together_or_not_at_all():
    alike = [np.array([TWO] * 9 + [ONE])] * 3
    assert groups_in_words(alike).startswith(f"Of the draws, 2 groups in {percent(0.9)}, 1 group in {percent(0.1)} (")
    assert groups_in_words([*alike, np.array([ONE] * 10)]).startswith("Not settled: the chains differ")


def test_a_cut_pays_beyond_the_least_gap_and_not_below_it():
    z = np.linspace(0.5 / 200_000, 1 - 0.5 / 200_000, 200_000)
    for gap, pays in ((least_gap() - 0.02, False), (least_gap() + 0.02, True)):
        x = np.concatenate([norm.ppf(z) - gap / 2, norm.ppf(z) + gap / 2])  # both groups, by their quantiles
        saved = 0.5 * np.log(x.var() / np.abs(x).var())
        assert bool(saved > np.log(2)) == pays


@pytest.mark.parametrize("algorithm", ["kmeans", "dpmeans", "em"])
def test_methods_without_a_law_say_so(algorithm, near):
    trace = dpviz.run(near[0][:50], dpviz.RunConfig(algorithm))
    assert ALGORITHMS[algorithm].title in why_none(trace.config)
    with pytest.raises(dpviz.DpvizError, match="no law of partitions"):
        second_opinion(near[0][:50], trace)


def odd_runs() -> dict[str, tuple[np.ndarray, dpviz.RunConfig]]:
    rng = np.random.default_rng(5)
    X = np.r_[rng.normal(0, 1, (30, 4)), rng.normal(4, 1, (30, 4))]
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.1] = np.nan
    words = rng.integers(0, 3, (40, 3)).astype(float)
    return {
        "gaps left out": (gaps, dpviz.RunConfig(family="normal_gamma")),
        "gaps filled in": (gaps, dpviz.RunConfig(family="normal_wishart", missing="impute")),
        "along directions": (X, dpviz.RunConfig(directions=2)),
        "transformed": (np.exp(X), dpviz.RunConfig(transform="log")),
        "coarsened": (X, dpviz.RunConfig(coarsening=20.0)),
        "words": (words, dpviz.RunConfig(family="categorical")),
        "a chain": (X, dpviz.RunConfig("gibbs", n_sweeps=40, burn_in=10)),
        "powered": (X, dpviz.RunConfig(partition=dpviz.PoweredChineseRestaurant(1.0, 1.2))),
        "two rows": (X[:2], dpviz.RunConfig(family="normal_gamma", prior=PRIOR | {"m0": (0.0,) * 4, "b0": (1.0,) * 4})),
        "a cluster for every row": (
            100.0 * np.eye(6)[:, :2] * np.arange(1, 7)[:, None],
            dpviz.RunConfig(family="normal_gamma", prior=PRIOR, partition=dpviz.ChineseRestaurant(1e6)),
        ),
    }


@pytest.mark.parametrize("name", odd_runs())
def test_odd_runs_have_one_too(name):
    X, config = odd_runs()[name]
    trace = dpviz.run(X, config)
    opinion = second_opinion(X, trace, n_sweeps=20)
    assert opinion is not None
    assert sum(opinion.groups.values()) == pytest.approx(1.0)
    assert opinion.summary.shape == (len(X),)
    assert "nan" not in opinion.text


def test_stopped_there_is_none_and_begun_again_it_is_the_same(near):
    X, trace = near
    assert second_opinion(X, trace, should_stop=lambda: True) is None
    steps = opinion_steps(X, trace, 20)
    next(steps)
    steps.close()
    first, second = (second_opinion(X, trace, n_sweeps=20) for _ in range(2))
    assert first is not None and second is not None
    assert first.text == second.text
    assert first.by_bound.equals(second.by_bound)


@pytest.mark.parametrize("n_sweeps", [0, 1, -3, 2.5, "many"])
def test_lengths_that_are_none_are_refused(n_sweeps, near):
    with pytest.raises(dpviz.DpvizError, match="n_sweeps"):
        second_opinion(*near, n_sweeps=n_sweeps)  # type: ignore[arg-type]


def test_other_rows_than_the_runs_own_are_refused(near):
    with pytest.raises(dpviz.DpvizError, match="give the data that it is of"):
        second_opinion(near[0][:-1], near[1])


def test_chains_cost_what_the_search_did_within_bounds(near, monkeypatch):
    trace = near[1]
    sweep = ALGORITHMS["gibbs"].sweep_operations(module.chain_of(trace.config, 2), trace.n_points, 2, 2)
    monkeypatch.setattr(module, "LEAST_WORK", 2 * 230 * sweep)
    for sweeps_of_search, length in ((3, 230), (2 * 251.5, 251), (1e5, module.MOST_SWEEPS)):
        monkeypatch.setattr(module, "operations_done", lambda *_, spent=sweeps_of_search * sweep: spent)
        assert module.usual_length(trace, 2) == length
    monkeypatch.setattr(module, "LEAST_WORK", 0.0)
    monkeypatch.setattr(module, "operations_done", lambda *_: 0)
    assert module.usual_length(trace, 2) == module.FEWEST_SWEEPS


def test_a_law_that_the_run_learned_under_stays():
    X = np.random.default_rng(1).normal(size=(40, 2))
    config = dpviz.RunConfig(
        "gibbs", family="normal_gamma", prior=None, n_sweeps=20, burn_in=5, hyperpriors={"concentration": "gamma(1,10)"}
    )
    trace = dpviz.run(X, config)
    chains = module._both(trace, np.unique(trace.result_labels, return_inverse=True)[1], 20)
    assert all(chain.hyperpriors == trace.config.hyperpriors for chain in chains)
    opinion = second_opinion(X, trace, n_sweeps=20)
    assert opinion is not None
    assert sum(opinion.groups.values()) == pytest.approx(1.0)
