"""The tree of merges: every step is the cheapest of all pairs, and every price is the difference of two exact nlls."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import dpviz
from dpviz.analysis.merging import tree
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.partition import ChineseRestaurant, FiniteDirichlet, MixtureOfFiniteMixtures, PitmanYor

PRIORS = (ChineseRestaurant(2.0), PitmanYor(0.8, 0.3), FiniteDirichlet(1.5, 9), MixtureOfFiniteMixtures(1.0))
KINDS = ("real", "count", "binary")


def groups_of_points(family, seed, gaps=False):
    """Nine points to a group, seven groups close enough to be joined at quite different prices."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(7), 9)
    X = rng.normal(size=(63, 3)) + 2.0 * rng.normal(size=(7, 3))[labels]
    if family == "mixed":
        X[:, 1], X[:, 2] = rng.poisson(3 + 2 * labels), rng.random(63) < 0.1 + 0.1 * labels
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, labels


def trace_of(X, labels, family, partition, **options):
    kinds = KINDS if family == "mixed" else None
    config = dpviz.RunConfig(
        family=family, partition=partition, prior=None, kinds=kinds, init=labels, max_sweeps=1, **options
    )
    return dpviz.run(X, config)


@pytest.mark.parametrize("partition", PRIORS, ids=repr)
@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma", "mixed"])
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_every_step_is_the_best_of_all_merges(family, partition, gaps):
    X, labels = groups_of_points(family, 1, gaps)
    trace = trace_of(X, labels, family, partition)
    found = tree(X, trace)
    problem = Problem.check(X, trace.config)
    if trace.imputed is not None:
        problem = problem.with_cells(trace.imputed[trace.result_row])
    assert found.n_leaves == trace.result_labels.max() + 1 > 3
    for k in range(found.n_leaves, 1, -1):
        present = found.labels(k)
        merged = [np.where(present == b, a, present) for a, b in combinations(range(k), 2)]
        step = found.n_leaves - k
        np.testing.assert_allclose(found.nll[step], partition_nll(problem, [present])[0], rtol=1e-11)
        np.testing.assert_allclose(found.nll[step + 1], partition_nll(problem, merged).min(), rtol=1e-11)
    np.testing.assert_array_equal(found.costs, np.diff(found.nll))


def test_levels_are_nested_and_numbered_by_first_points():
    X, labels = groups_of_points("normal_wishart", 2)
    found = tree(X, trace_of(X, labels, "normal_wishart", ChineseRestaurant(2.0)))
    for k in range(1, found.n_leaves + 1):
        coarse = found.labels(k)
        assert len(np.unique(coarse)) == k
        first = [int(np.flatnonzero(coarse == cluster)[0]) for cluster in range(k)]
        assert first == sorted(first)
        np.testing.assert_array_equal(found.groups(k)[found.leaves], coarse)
        if k < found.n_leaves:
            finer = found.labels(k + 1)
            assert len(np.unique(np.column_stack([coarse, finer]), axis=0)) == k + 1
            sizes = np.bincount(finer)
            step = found.n_leaves - k - 1
            joined = [c for c in range(k) if len(np.unique(finer[coarse == c])) == 2]
            assert found.points_joined[step] == min(sizes[np.unique(finer[coarse == joined[0]])])


def test_memberships_are_sums_over_the_parts():
    X, labels = groups_of_points("normal_wishart", 3)
    found = tree(X, trace_of(X, labels, "normal_wishart", ChineseRestaurant(2.0)))
    probabilities = np.random.default_rng(0).dirichlet(np.ones(found.n_leaves + 1), size=20)
    summed = found.memberships(probabilities, 3)
    for cluster in range(3):
        expected = probabilities[:, :-1][:, found.groups(3) == cluster].sum(axis=1)
        np.testing.assert_allclose(summed[:, cluster], expected, rtol=1e-12)
    np.testing.assert_array_equal(summed[:, 3], probabilities[:, -1])
    assert found.memberships(probabilities[:, :-1], 2).shape == (20, 2)


def test_one_cluster_has_no_merges():
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = tree(X, trace_of(X, np.zeros(30, int), "normal_wishart", ChineseRestaurant(1e-6)))
    assert found.n_leaves == 1 and found.merges.shape == (0, 2) and found.costs.shape == (0,)
    assert set(found.labels(1)) == {0}


def test_learned_hyperparameters_set_the_prices():
    X, labels = groups_of_points("normal_wishart", 4)
    config = dpviz.RunConfig(
        "gibbs",
        family="normal_wishart",
        prior=None,
        n_sweeps=30,
        burn_in=5,
        hyperpriors={"concentration": "gamma(2,1)"},
    )
    trace = dpviz.run(X, config)
    found = tree(X, trace)
    learned = trace.partition_at(trace.result_sweep)
    assert learned != config.partition
    under = Problem.check(X, dpviz.RunConfig(family="normal_wishart", prior=None, partition=learned))
    levels = [found.labels(k) for k in range(found.n_leaves, 0, -1)]
    np.testing.assert_allclose(found.nll, partition_nll(under, levels), rtol=1e-11)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X, t: tree(X + 1, t), "other numbers"),
        (lambda X, t: tree(X[:50], t), "other numbers"),
        (lambda X, t: tree(X, dpviz.run(X, dpviz.RunConfig("kmeans"))), "an nll"),
        (lambda X, t: tree(X, 5), "trace"),
        (lambda X, t: tree(X, t).labels(0), "n_clusters"),
        (lambda X, t: tree(X, t).labels(2.5), "n_clusters"),
        (lambda X, t: tree(X, t).labels(64), "at most"),
        (lambda X, t: tree(X, t).memberships(np.ones((3, 2)), 2), "probabilities"),
        (lambda X, t: tree(X, t).memberships("x", 1), "probabilities"),
        (lambda X, t: tree(X, t).memberships([[1.0], [1.0, 2.0]], 1), "probabilities"),
        (lambda X, t: tree(X, t).memberships(np.full((3, tree(X, t).n_leaves), -0.1), 1), "probabilities = .*≥ 0"),
        (lambda X, t: tree(X, t).memberships(np.full((3, tree(X, t).n_leaves), np.nan), 1), "probabilities = .*≥ 0"),
        (lambda X, t: tree(X, t).memberships(np.full((3, tree(X, t).n_leaves), np.inf), 1), "probabilities = .*≥ 0"),
    ],
)
def test_errors_say_what_is_wrong(call, words):
    X, labels = groups_of_points("normal_wishart", 5)
    trace = trace_of(X, labels, "normal_wishart", ChineseRestaurant(2.0))
    with pytest.raises((InvalidDataError, InvalidParameterError), match=words):
        call(X, trace)
