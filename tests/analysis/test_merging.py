"""The tree of merges: every step is the best of all pairs, and every price is the difference of two exact nlls."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp, softmax, xlogy
from sklearn.datasets import make_moons

import dpviz
from dpviz.analysis.merging import (
    ENTROPY,
    LEAST_OVERLAP,
    MODES,
    NLL,
    ORDERS,
    OVERLAP,
    TOGETHER,
    MergeTree,
    summary_tree,
    ticked,
    tree,
)
from dpviz.analysis.prediction import Predictor
from dpviz.analysis.profiles import column_profiles, joined_profiles
from dpviz.engine.modes import Side, unevenness
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.without_itself import seen_without_itself
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.metrics import ari
from dpviz.partition import (
    ChineseRestaurant,
    FiniteDirichlet,
    MixtureOfFiniteMixtures,
    PitmanYor,
    PoweredChineseRestaurant,
)

PRIORS = (
    ChineseRestaurant(2.0),
    PoweredChineseRestaurant(1.0, 1.2),
    PitmanYor(0.8, 0.3),
    FiniteDirichlet(1.5, 9),
    MixtureOfFiniteMixtures(1.0),
)
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
        assert_allclose(found.nll[step], partition_nll(problem, [present])[0], rtol=1e-11)
        assert_allclose(found.nll[step + 1], partition_nll(problem, merged).min(), rtol=1e-11)
    assert_array_equal(found.costs, np.diff(found.nll))


@pytest.mark.parametrize("order", ORDERS)
def test_levels_are_nested_and_numbered_by_first_points(order):
    X, labels = groups_of_points("normal_wishart", 2)
    found = tree(X, trace_of(X, labels, "normal_wishart", ChineseRestaurant(2.0)), order)
    for k in range(1, found.n_leaves + 1):
        coarse = found.labels(k)
        assert len(np.unique(coarse)) == k
        first = [int(np.flatnonzero(coarse == cluster)[0]) for cluster in range(k)]
        assert first == sorted(first)
        assert_array_equal(found.groups(k)[found.leaves], coarse)
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
        assert_allclose(summed[:, cluster], expected, rtol=1e-12)
    assert_array_equal(summed[:, 3], probabilities[:, -1])
    assert found.memberships(probabilities[:, :-1], 2).shape == (20, 2)


def densities_of(problem, labels):
    """Log density of every point in every cluster without itself, as ratios of marginals."""
    X, family = problem.X, problem.model
    found = np.empty((len(X), labels.max() + 1))
    for i, k in np.ndindex(found.shape):
        others = X[(labels == k) & (np.arange(len(X)) != i)]
        own = family.log_marginal(others) if len(others) else 0.0
        found[i, k] = family.log_marginal(np.vstack([others, X[i]])) - own
    return found


def mixed(densities, labels, parts):
    """Log density of a union: the mixture of the densities of its parts."""
    sizes = np.array([np.sum(labels == k) for k in parts])
    return logsumexp(densities[:, parts] + np.log(sizes / sizes.sum()), axis=1)


def overlap_of(densities, labels, a, b):
    odds = mixed(densities, labels, b) - mixed(densities, labels, a)
    in_b = 1 / (1 + np.exp(-odds))
    return (in_b[np.isin(labels, a)].mean() + (1 - in_b)[np.isin(labels, b)].mean()) / 2


def entropy_of(densities, labels, parts):
    joint = [mixed(densities, labels, part) + np.log(np.isin(labels, part).sum()) for part in parts]
    memberships = softmax(np.array(joint), axis=0)
    return -xlogy(memberships, memberships).sum()


@pytest.mark.parametrize("order", [OVERLAP, ENTROPY])
@pytest.mark.parametrize(("family", "gaps"), [("normal_wishart", False), ("normal_gamma", True), ("mixed", True)])
def test_other_orders_join_by_overlap_and_by_entropy(family, gaps, order):
    X, labels = groups_of_points(family, 6, gaps)
    trace = trace_of(X, labels, family, ChineseRestaurant(2.0))
    found = tree(X, trace, order)
    problem = Problem.check(X, trace.config)
    densities = densities_of(problem, found.leaves)
    assert found.n_leaves > 3
    for step in range(found.n_leaves - 1):
        groups = found.groups(found.n_leaves - step)
        parts = [list(np.flatnonzero(groups == k)) for k in range(groups.max() + 1)]
        pairs = list(combinations(range(len(parts)), 2))
        overlaps = [overlap_of(densities, found.leaves, parts[a], parts[b]) for a, b in pairs]
        unions = [[parts[a] + parts[b], *(p for k, p in enumerate(parts) if k not in (a, b))] for a, b in pairs]
        entropies = [entropy_of(densities, found.leaves, union) for union in unions]
        best = int(np.argmax(overlaps)) if order == OVERLAP else int(np.argmin(entropies))
        assert_allclose(found.overlaps[step], overlaps[best], rtol=1e-8)
        assert_allclose(found.entropy[step], entropy_of(densities, found.leaves, parts), atol=1e-9)
        assert_allclose(found.entropy[step + 1], entropies[best], atol=1e-9)
    if trace.imputed is None:
        levels = [found.labels(k) for k in range(found.n_leaves, 0, -1)]
        assert_allclose(found.nll, partition_nll(problem, levels), rtol=1e-11)


def apart(n_features, sizes, seed):
    """Normal groups of deviation 1 whose centres are 4 apart, each from its nearest."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    centres = np.zeros((len(sizes), n_features))
    if n_features == 1:
        centres[:, 0] = 4.0 * np.arange(len(sizes))
    else:
        centres[:, :2] = [(4.0 * (k % 2), 4.0 * (k // 2)) for k in range(len(sizes))]
    turned = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    return (centres[labels] + rng.normal(size=(len(labels), n_features))) @ turned, labels


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("family", "n_features", "sizes"),
    [
        ("normal_wishart", 1, [60, 60]),
        ("normal_gamma", 1, [20, 20, 20]),
        ("normal_wishart", 2, [15, 15, 15]),
        ("normal_gamma", 2, [20, 200]),
        ("spherical_normal", 3, [50, 50, 50, 50]),
        ("normal_known_covariance", 2, [30, 60, 90]),
        ("normal_wishart", 5, [40, 40, 40, 40]),
        ("normal_gamma", 12, [40, 40, 120]),
        ("normal_wishart", 2, [300, 300, 300]),
    ],
)
def test_the_suggestion_leaves_groups_four_deviations_apart(family, n_features, sizes, order):
    for seed in range(20):
        X, labels = apart(n_features, sizes, seed)
        found = tree(X, trace_of(X, labels, family, ChineseRestaurant(1.0)), order)
        majority = np.array([np.bincount(labels[found.leaves == k]).argmax() for k in range(found.n_leaves)])
        groups = found.groups(found.suggestion)
        for k in range(found.suggestion):
            assert len(set(majority[groups == k])) == 1, (seed, found.overlaps, found.overlap_errors)


def made_tree(costs, order=NLL, n_points=100, uneven=2.0):
    """Return a tree of merges with these prices, none of which joins what looks like one group."""
    n_leaves = len(costs) + 1
    merges = [(0, 1), *((n_leaves + step - 1, step + 1) for step in range(1, len(costs)))]
    nothing = np.zeros(len(costs))
    leaves = np.arange(n_points) % n_leaves
    nll = np.concatenate([[0.0], np.cumsum(costs)])
    return MergeTree(leaves, np.array(merges), nll, nothing, nothing + uneven, nothing, nothing, nll, order)


@pytest.mark.parametrize(
    ("costs", "left"),
    [
        ([5, 6, 7, 8, 40, 60], 3),
        ([5, 6, 7, 8, 31, 60], 7),  # less than 4 times as much as any before
        ([1, 1, 1, 1, 18, 60], 7),  # less than 4 ln 100 nats, and 60 is no step after 18
        ([1, 1, 1, 1, 18.5, 60], 3),
        ([5, 6, 50, 60, 70, 80], 7),  # after 2 unions alone
        ([5, 6, 7, 8, 9, 40, 200], 3),  # the first step
        ([-9, -8, 0, 1, 500], 2),
        ([], 1),
        ([900], 2),
    ],
)
def test_the_large_step_is_before_the_first_union_that_costs_much_more_than_all_before(costs, left):
    assert made_tree(np.array(costs, dtype=float)).large_step == left


def test_a_step_after_a_union_of_what_clearly_has_two_modes_must_be_larger():
    costs = np.array([5.0, 6, 7, 8, 40, 60])
    assert [made_tree(costs, uneven=uneven).large_step for uneven in (1.9, 2.1, np.inf)] == [3, 7, 3]
    assert [made_tree(np.array([5.0, 6, 7, 8, last, 900]), uneven=2.1).large_step for last in (95, 97)] == [7, 3]


def test_of_few_clusters_nothing_is_ticked_and_prices_go_before_looks():
    steep, even = np.array([1.0, 1, 1, 1, 100]), np.full(5, 50.0)
    for costs, uneven, best in ((steep, 0.5, NLL), (steep, 2.0, NLL), (even, 0.5, MODES), (even, 2.0, None)):
        trees = made_tree(costs), made_tree(costs, MODES, uneven=uneven)
        found = ticked(*trees)
        assert (None if found is None else found.order) == best
    few = np.array([1.0, 1, 1, 100])
    assert ticked(made_tree(few), made_tree(few, MODES, uneven=0.5)) is None


@pytest.mark.parametrize("order", ORDERS)
def test_the_suggestion_joins_parts_that_nothing_tells_apart(order):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2)) + np.repeat([[0.0, 0.0], [12.0, 0.0]], 200, axis=0)
    labels = np.repeat([0, 1], 200) * 2 + (rng.random(400) < 0.5)
    config = usual_config("gibbs", init=labels, n_sweeps=2, burn_in=1, order="index", partition=FiniteDirichlet(4.0, 4))
    found = tree(X, dpviz.run(X, config), order)
    assert found.n_leaves == 4 and found.suggestion == 2
    assert np.all(found.overlaps[:2] - 2 * found.overlap_errors[:2] > LEAST_OVERLAP)
    assert found.overlaps[2] < LEAST_OVERLAP
    assert ari(found.labels(2), labels // 2) > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_crescents_come_out_as_two_groups_by_overlap_and_by_entropy(seed):
    X, labels = make_moons(600, noise=0.06, random_state=seed)
    trace = dpviz.run(X, dpviz.RunConfig(effort=0.0, family="normal_wishart"))
    assert trace.result_labels.max() > 3
    for order in (OVERLAP, ENTROPY):
        assert ari(labels, tree(X, trace, order).labels(2)) > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_the_suggestion_joins_parts_of_a_curved_group_and_of_no_other(seed):
    X, labels = make_moons(600, noise=0.06, random_state=seed)
    trace = dpviz.run(X, dpviz.RunConfig(effort=0.0, family="normal_wishart", prior={"width": 0.125}))
    found = tree(X, trace, MODES)
    joined = found.labels(found.suggestion)
    assert found.suggestion < found.n_leaves and ari(labels, joined) > ari(labels, found.leaves) + 0.1
    whose = np.array([np.mean(labels[joined == k]) for k in range(found.suggestion)])
    assert np.all(np.minimum(whose, 1 - whose) < 0.05)


def test_unevenness_is_that_of_unions_and_modes_are_joined_in_its_order():
    X, _ = make_moons(600, noise=0.06, random_state=0)
    trace = dpviz.run(X, dpviz.RunConfig(effort=0.0, family="normal_wishart", prior={"width": 0.125}))
    found = tree(X, trace, MODES)
    problem = Problem.check(X, trace.config)
    seen = seen_without_itself(problem, ChineseRestaurant(1.0), found.leaves)
    sizes = np.bincount(found.leaves)
    for step, (a, b) in enumerate(found.merges):
        parts = {found.n_leaves + s: pair for s, pair in enumerate(found.merges[:step].tolist())}
        whole = [members(k, parts) for k in (a, b)]
        of_both = [
            logsumexp(seen.log_densities[:, leaves] + np.log(sizes[leaves]), axis=1) - np.log(sizes[leaves].sum())
            for leaves in whole
        ]
        odds = of_both[0] - of_both[1]
        own = [np.isin(seen.own, leaves) for leaves in whole]
        pair = Side(odds[own[0]], np.ones(own[0].sum())), Side(-odds[own[1]], np.ones(own[1].sum()))
        assert found.unevenness[step] == pytest.approx(unevenness(*pair), rel=1e-6), step


def members(cluster, parts):
    """Leaves of a cluster of the tree."""
    if cluster not in parts:
        return [cluster]
    return [leaf for part in parts[cluster] for leaf in members(part, parts)]


def test_few_of_many_points_are_weighed(monkeypatch):
    monkeypatch.setattr("dpviz.engine.without_itself.MOST_EACH", 100)
    X, labels = apart(2, [1000, 1000], 0)
    trace = trace_of(X, labels, "normal_wishart", ChineseRestaurant(1.0))
    found = tree(X, trace)
    exact = overlap_of(densities_of_few(X, trace), found.leaves, [0], [1])
    assert abs(found.overlaps[0] - exact) < 4 * found.overlap_errors[0] < 0.04


def densities_of_few(X, trace):
    """Densities without leaving points out, which matters little in large clusters."""
    family = Problem.check(X, trace.config).family
    posteriors = [family.posterior(X[trace.result_labels == k]) for k in range(2)]
    return np.array([posterior.log_predictive(X) for posterior in posteriors]).T


@pytest.mark.parametrize("algorithm", ["mapdp", "gibbs"])
def test_predictions_of_joined_clusters_are_sums_of_those_of_their_parts(algorithm):
    X, labels = groups_of_points("normal_wishart", 7)
    steps = {"max_sweeps": 1} if algorithm == "mapdp" else {"n_sweeps": 4, "burn_in": 1}
    trace = dpviz.run(X, usual_config(algorithm, init=labels, **steps))
    found, new = tree(X, trace), X[::5] + 0.3
    partition = found.labels(3)
    whole, joined = Predictor(X, trace).predict(new), Predictor(X, trace, partition).predict(new)
    names = np.unique(trace.result_labels)
    group_of = np.array([partition[trace.result_labels == name][0] for name in names])
    parts = whole.probabilities[:, :-1]
    expected = np.array([parts[:, group_of == k].sum(axis=1) for k in range(3)] + [whole.probabilities[:, -1]]).T
    assert_allclose(joined.probabilities, expected, rtol=1e-10)
    assert_array_equal(joined.clusters, np.where(expected.argmax(axis=1) == 3, -1, expected.argmax(axis=1)))
    assert_allclose(joined.log_density, whole.log_density, rtol=1e-12)
    weights = np.exp(Predictor(X, trace)._weights)
    own = expected.argmax(axis=1)
    of_mixture = [
        logsumexp(whole.scores[i, :-1][group_of == k]) - np.log(weights[:-1][group_of == k].sum())
        if k < 3
        else whole.scores[i, -1] - np.log(weights[-1])
        for i, k in enumerate(own)
    ]
    assert_allclose(joined.map_log_density, of_mixture, rtol=1e-10)
    assert_array_equal(Predictor(X, trace, partition).clusters, partition)
    with pytest.raises(InvalidParameterError, match="sums of their parts"):
        Predictor(X, trace, partition).contributions(new)


def test_profiles_of_joined_clusters_are_mixtures_of_those_of_their_parts():
    X, labels = groups_of_points("mixed", 8)
    problem = Problem.check(X, usual_config(family="mixed", kinds=KINDS))
    groups = np.array([0, 1, 0, 2, 1, 0, 2])
    for joined in joined_profiles(column_profiles(problem.model, X, labels), groups):
        (parts,) = (p for p in column_profiles(problem.model, X, labels) if p.column == joined.column)
        for k in range(3):
            expected = np.average(parts.densities[groups == k], axis=0, weights=parts.weights[groups == k])
            assert_allclose(joined.densities[k], expected, rtol=1e-12)
        assert_allclose(joined.weights, np.bincount(groups, parts.weights), rtol=1e-12)
        assert 0 <= joined.information <= parts.information + 1e-9
    with pytest.raises(InvalidParameterError, match="one for each of the 7"):
        joined_profiles(column_profiles(problem.model, X, labels), groups[:3])


def test_one_cluster_has_no_merges():
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = tree(X, trace_of(X, np.zeros(30, int), "normal_wishart", ChineseRestaurant(1e-6)))
    assert found.n_leaves == found.suggestion == 1 and found.merges.shape == (0, 2) and found.costs.shape == (0,)
    assert found.entropy == pytest.approx([0.0]) and found.overlaps.shape == (0,)
    assert set(found.labels(1)) == {0}


def test_learned_hyperparameters_set_the_prices():
    X, labels = groups_of_points("normal_wishart", 4)
    config = usual_config("gibbs", n_sweeps=30, burn_in=5, hyperpriors={"concentration": "gamma(2,1)"})
    trace = dpviz.run(X, config)
    found = tree(X, trace)
    learned = trace.partition_at(trace.result_sweep)
    assert learned != config.partition
    under = Problem.check(X, usual_config(partition=learned))
    levels = [found.labels(k) for k in range(found.n_leaves, 0, -1)]
    assert_allclose(found.nll, partition_nll(under, levels), rtol=1e-11)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X, t: tree(X + 1, t), "other numbers"),
        (lambda X, t: tree(X[:50], t), "other numbers"),
        (lambda X, t: tree(X, dpviz.run(X, dpviz.RunConfig("kmeans"))), "an nll"),
        (lambda X, t: tree(X, dpviz.run(X, dpviz.RunConfig("dpmeans"))), "an nll"),
        (lambda X, t: tree(X, dpviz.run(X, dpviz.RunConfig("em"))), "an nll"),
        (lambda X, t: tree(X, t, "cost"), "order"),
        (lambda X, t: tree(X, 5), "trace"),
        (lambda X, t: tree(X, t).labels(0), "n_clusters"),
        (lambda X, t: tree(X, t).labels(2.5), "n_clusters"),
        (lambda X, t: tree(X, t).labels(64), "at most"),
        (lambda X, t: Predictor(X, t, np.arange(63)), "Some divide a cluster"),
        (lambda X, t: Predictor(X, t, np.zeros(5)), "one label for each of 63"),
        (lambda X, t: Predictor(X, dpviz.run(X, dpviz.RunConfig("kmeans")), np.zeros(63)), "clusters have densities"),
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


@pytest.mark.parametrize("partition", PRIORS[:3], ids=repr)
@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("normal_wishart", {}),
        ("mixed", {}),
        ("normal_wishart", {"directions": 2}),
        ("normal_gamma", {"coarsening": 40.0}),
    ],
    ids=["real", "mixed", "directions", "coarsened"],
)
def test_a_summary_joins_what_the_draws_have_together_most_and_prices_it_exactly(family, options, partition):
    X, labels = groups_of_points(family, 4)
    rng = np.random.default_rng(5)
    draws = np.tile(labels, (12, 1))
    for row in draws[:9]:  # groups 0 … 3 are joined and exchange points; 4 … 6 are apart in every draw
        row[row == rng.integers(4)] = rng.integers(4)
        among = np.flatnonzero(labels < 4)
        row[rng.choice(among, 6)] = rng.integers(4, size=6)
    config = dpviz.RunConfig(
        "gibbs",
        family=family,
        partition=partition,
        prior=None,
        kinds=KINDS if family == "mixed" else None,
        n_sweeps=2,
        burn_in=0,
        **options,
    )
    found = summary_tree(X, config, draws, labels)
    problem = Problem.check(X, config)
    pairs = np.mean([row[:, None] == row for row in draws], axis=0)
    assert found.order == TOGETHER and 0 < np.sum(found.together == 0) < found.n_leaves - 1
    for k in range(found.n_leaves, 1, -1):
        present, step = found.labels(k), found.n_leaves - k
        shares = {(a, b): pairs[np.ix_(present == a, present == b)].mean() for a, b in combinations(range(k), 2)}
        most = max(shares.values())
        assert_allclose(found.together[step], most, rtol=1e-12)
        merged = [np.where(present == b, a, present) for (a, b), share in shares.items() if np.isclose(share, most)]
        nll = partition_nll(problem, [present, found.labels(k - 1), *merged])
        assert_allclose(found.nll[step], nll[0], rtol=1e-11)
        assert_allclose(nll[1], nll[2:].min(), rtol=1e-11)
    assert np.all(np.diff(found.together) <= 1e-12)


def test_what_cannot_be_a_summary_s_tree_is_named():
    X, labels = groups_of_points("normal_wishart", 4)
    config = usual_config("gibbs", n_sweeps=2, burn_in=0)
    with pytest.raises(InvalidParameterError, match="at most 3"):
        summary_tree(X, dpviz.RunConfig(**{**vars(config), "partition": FiniteDirichlet(1.0, 3)}), labels[None], labels)
    with pytest.raises(InvalidParameterError, match="kmeans"):
        summary_tree(X, dpviz.RunConfig("kmeans"), labels[None], labels)
    with pytest.raises(InvalidParameterError, match="63"):
        summary_tree(X, config, labels[None], labels[:9])
