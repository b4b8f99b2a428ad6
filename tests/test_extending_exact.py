"""A family and a partition prior from outside pass the checks of the built-in ones: closed forms and enumeration."""

from __future__ import annotations

import math
from collections import Counter
from types import SimpleNamespace

import naive
import numpy as np
import pytest
from extending.registered import toys  # noqa: F401
from scipy import stats
from scipy.special import logsumexp
from test_sampler_exact import LARGEST_Z, check_law, fast_chain, largest_z_score
from verbs import (
    call_add_point,
    call_clear_slot,
    call_log_leave_one_out,
    call_log_marginal,
    call_log_predictive,
    call_rebuild,
    call_remove_point,
)

import dpviz
import examples
from dpviz.engine.hyperparameters import drawn_given
from dpviz.errors import InvalidParameterError
from dpviz.families.verbs import SLOT_FIELDS, log_predictive

every_dimension = pytest.mark.parametrize("n_features", [1, 2, 3])
LABELS = np.array([0, 1, 2, 0, 1, 0, 0, 1, 0, 3, 1, 0])
SIX = np.array([[0.0, 1.0], [1.0, 2.0], [3.0, 3.0], [5.0, 3.0], [7.0, 8.0], [9.0, 6.0]])
NORMAL = np.array([[-1.9, -1.1], [-1.2, -1.8], [-0.3, 0.2], [0.9, 0.3], [1.4, 1.7], [2.1, 0.8]])


# --- plainly: the joint probability of all points at once, and of a partition -----------------------------------------


def toy_counts(X, r0, c0):
    """Joint probability: the sum of each column is negative binomial, and divides evenly among the points."""
    n, total = len(X), 0.0
    for column, rate in zip(X.T, r0, strict=True):
        total += stats.nbinom.logpmf(column.sum(), c0 * rate, c0 / (c0 + n))
        total += stats.multinomial.logpmf(column, int(column.sum()), np.full(n, 1 / n))
    return total


def toy_partitions(sizes, openness):
    return len(sizes) * math.log(openness)


@pytest.fixture
def plain(toys: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:  # noqa: F811
    """Let the naive model know the toys."""
    monkeypatch.setitem(naive.LOG_MARGINALS, "toy_counts", toy_counts)
    monkeypatch.setitem(naive.PARTITION_LOG_WEIGHTS, "toy_partitions", toy_partitions)
    monkeypatch.setitem(naive.PARTITION_PARAMETERS, "toy_partitions", vars(toys.Partitions.example()))
    return toys


def built(toys: SimpleNamespace, n_features: int, n_points: int = 12):  # noqa: F811
    """Data, family, and its hyperparameters."""
    X = toys.Counts.example_data(n_points, n_features, seed=1)
    given = toys.Counts.example_prior(n_features)
    return X, toys.Counts.from_prior(given, X), given


def slots_of(family, X, capacity=6):
    state = family.bind(X, capacity)
    for k in range(capacity):
        call_clear_slot(state, k)
    return state


def slot(state, k):
    return {field: np.copy(getattr(state, field)[k]) for field in SLOT_FIELDS[type(state)]}


# --- the family -------------------------------------------------------------------------------------------------------


@every_dimension
def test_readable_formulas_equal_joint_probabilities(toys: SimpleNamespace, n_features: int) -> None:  # noqa: F811
    X, family, given = built(toys, n_features)
    new = toys.Counts.example_data(3, n_features, seed=2)
    for n in (0, 1, 2, 12):
        before = toy_counts(X[:n], **given) if n else 0.0
        assert family.log_marginal(X[:n]) == pytest.approx(before, abs=1e-10)
        posterior = family.posterior(X[:n])
        exact = [toy_counts(np.vstack([X[:n], x]), **given) - before for x in new]
        np.testing.assert_allclose(posterior.log_predictive(new), exact, rtol=0, atol=1e-10)
        assert posterior.formula(new[0]).value == pytest.approx(-exact[0], abs=1e-10)


@every_dimension
def test_the_marginal_is_the_product_of_predictives_in_any_order(toys: SimpleNamespace, n_features: int) -> None:  # noqa: F811
    X, family, _ = built(toys, n_features)
    for seed in range(3):
        product, after, order = 0.0, family, np.random.default_rng(seed).permutation(12)
        for i in order:
            product += after.log_predictive(X[i : i + 1])[0]
            after = after.posterior(X[i : i + 1])
        assert product == pytest.approx(family.log_marginal(X), abs=1e-10)


@every_dimension
def test_rebuilt_slots_equal_joint_probabilities(toys: SimpleNamespace, n_features: int) -> None:  # noqa: F811
    X, family, given = built(toys, n_features)
    state, sizes = slots_of(family, X), np.bincount(LABELS)
    call_rebuild(state, X, LABELS, sizes, 4, 1)
    for k, n in enumerate(sizes):
        members = X[LABELS == k]
        assert call_log_marginal(state, 1 + k, n) == pytest.approx(toy_counts(members, **given), abs=1e-9)
    for i, own in enumerate(LABELS):
        for k, n in enumerate(sizes):
            others = X[(LABELS == k) & (np.arange(12) != i)]
            exact = family.posterior(others).log_predictive(X[i : i + 1])[0]
            score = call_log_predictive if k != own else call_log_leave_one_out
            assert score(state, X, i, 1 + k, n) == pytest.approx(exact, abs=1e-9)


@every_dimension
def test_leaving_out_equals_removing_and_removing_undoes_adding(toys: SimpleNamespace, n_features: int) -> None:  # noqa: F811
    X, family, _ = built(toys, n_features)
    state, before = slots_of(family, X), []
    for i in range(12):
        before.append(slot(state, 2))
        assert call_add_point(state, X, i, 2, i)
    for i in reversed(range(12)):
        left_out = call_log_leave_one_out(state, X, i, 2, i + 1)
        assert call_remove_point(state, X, i, 2, i + 1)
        assert call_log_predictive(state, X, i, 2, i) == pytest.approx(left_out, abs=1e-12)
        for field, value in slot(state, 2).items():
            np.testing.assert_array_equal(value, before[i][field])


def test_a_cleared_slot_is_as_good_as_new(toys: SimpleNamespace) -> None:  # noqa: F811
    X, family, _ = built(toys, 2)
    used, fresh = slots_of(family, X), slots_of(family, X)
    call_rebuild(used, X, LABELS, np.bincount(LABELS), 4, 0)
    call_clear_slot(used, 1)
    for field, value in slot(used, 1).items():
        np.testing.assert_array_equal(value, slot(fresh, 1)[field])


def test_the_verbs_are_the_same_with_and_without_compilation(toys: SimpleNamespace) -> None:  # noqa: F811
    X, family, _ = built(toys, 2)
    state, sizes = slots_of(family, X), np.bincount(LABELS)
    call_rebuild(state, X, LABELS, sizes, 4, 0)
    for i in range(12):
        for k, n in enumerate(sizes):
            assert call_log_predictive(state, X, i, k, n) == pytest.approx(log_predictive(state, X, i, k, n), rel=1e-14)


def test_draws_average_to_the_marginal_and_look_like_it(toys: SimpleNamespace) -> None:  # noqa: F811
    X, family, _ = built(toys, 2)
    posterior, rng = family.posterior(X), np.random.default_rng(6)
    draws = [posterior.draw(rng) for _ in range(6000)]
    for x in (X[:1], X[3:5]):
        probabilities = np.exp([draw.log_density(x).sum() for draw in draws])
        error = probabilities.std() / np.sqrt(len(draws))
        assert abs(probabilities.mean() - np.exp(posterior.log_marginal(x))) < 4 * error < 0.4 * probabilities.mean()
    points = draws[0].sample(20_000, rng)
    np.testing.assert_allclose(points.mean(axis=0), draws[0].rates, rtol=0.03)
    assert draws[0].shapes() is None
    bars = toys.Counts.from_prior({"r0": 4.0, "c0": 2.0}, X[:, :1]).draw(rng)
    shown = bars.shapes().probabilities[0]
    np.testing.assert_allclose(shown, stats.poisson.pmf(np.arange(len(shown)), bars.rates))
    assert shown.sum() > 0.999


# --- the partition prior ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("openness", [0.05, 1.0, 3.0])
def test_probabilities_of_all_partitions_sum_to_one_and_are_alike(toys: SimpleNamespace, openness: float) -> None:  # noqa: F811
    prior, means = toys.Partitions(openness), toys.Partitions(openness).mean_n_clusters_up_to(7)
    for n in range(1, 8):
        partitions = naive.set_partitions(n)
        sizes = [np.bincount(labels) for labels in partitions]
        exact = np.array([prior.log_probability(s) for s in sizes])
        assert np.exp(exact).sum() == pytest.approx(1, abs=1e-12)
        n_clusters = partitions.max(axis=1) + 1
        np.testing.assert_allclose(exact - exact[0], (n_clusters - n_clusters[0]) * np.log(openness), atol=1e-12)
        law = np.bincount(n_clusters, np.exp(exact), minlength=n + 1)
        np.testing.assert_allclose(np.exp(prior.log_pmf_n_clusters(n)), law, atol=1e-13)
        assert means[n] == pytest.approx(law @ np.arange(n + 1)) == pytest.approx(prior.mean_n_clusters(n))
    assert np.exp(toys.Partitions(1.0).log_normaliser(9)) == pytest.approx(21147)  # Bell's number


def test_full_conditionals_are_the_tables(toys: SimpleNamespace) -> None:  # noqa: F811
    prior = toys.Partitions.example()
    for others in ([1], [2, 1], [3, 1, 2], [5]):
        n = sum(others) + 1
        joined = [[*others[:k], others[k] + 1, *others[k + 1 :]] for k in range(len(others))]
        exact = np.array([prior.log_probability(sizes) for sizes in [*joined, [*others, 1]]])
        weights = np.append(prior.join_table(n)[others], prior.open_table(n)[len(others)])
        np.testing.assert_allclose(exact - logsumexp(exact), weights - logsumexp(weights), rtol=0, atol=1e-12)


def test_it_is_the_generalised_restaurant_that_never_grows(toys: SimpleNamespace) -> None:  # noqa: F811
    ours, theirs = toys.Partitions(0.3), dpviz.GeneralizedChineseRestaurant(0.3, tuple([0.0] * 300))
    assert ours.log_normaliser(300) == pytest.approx(theirs.log_normaliser(300), rel=1e-12)
    np.testing.assert_allclose(ours.mean_n_clusters_up_to(300), theirs.mean_n_clusters_up_to(300), rtol=1e-10)
    laws = [np.exp(prior.log_pmf_n_clusters(300)) for prior in (ours, theirs)]
    np.testing.assert_allclose(*laws, rtol=0, atol=1e-12)


def test_draws_follow_the_law(toys: SimpleNamespace) -> None:  # noqa: F811
    prior, rng, partitions = toys.Partitions.example(), np.random.default_rng(1), naive.set_partitions(5)
    counted = Counter(tuple(prior.sample(5, rng).tolist()) for _ in range(6000))
    expected = 6000 * np.exp([prior.log_probability(np.bincount(labels)) for labels in partitions])
    observed = [counted[tuple(labels.tolist())] for labels in partitions]
    assert sum(observed) == 6000  # numbered by first appearance
    assert stats.chisquare(observed, expected).pvalue > 1e-3


@pytest.mark.parametrize("openness", [0.0, -1.0, math.nan, "many"])
def test_parameters_of_a_prior_are_checked(toys: SimpleNamespace, openness: object) -> None:  # noqa: F811
    with pytest.raises(InvalidParameterError, match="openness = .* must be a finite number > 0"):
        toys.Partitions(openness)


def test_a_chain_learns_a_parameter_of_a_prior_from_outside(toys: SimpleNamespace) -> None:  # noqa: F811
    law, known = dpviz.Gamma(2.0, 1.5), stats.gamma(2.0, scale=1 / 1.5)
    nodes = known.ppf((np.arange(2000) + 0.5) / 2000)
    numbers = [sum(1 for labels in naive.set_partitions(6) if labels.max() + 1 == k) for k in range(1, 7)]
    likelihood = nodes**4 / (nodes[:, None] ** np.arange(1, 7) @ numbers)
    expected = (nodes * likelihood).sum() / likelihood.sum()
    partition, rng, drawn = toys.Partitions(1.0), np.random.default_rng(1), []
    for _ in range(8000):
        partition = drawn_given(partition, "openness", law, np.array([3, 1, 1, 1]), rng)
        drawn.append(partition.openness)
    batches = np.array(drawn).reshape(40, -1).mean(axis=1)
    assert abs(expected - known.mean()) > 0.2
    assert abs(batches.mean() - expected) < 4.5 * batches.std(ddof=1) / math.sqrt(40)
    config = dpviz.RunConfig(
        "gibbs",
        family="normal_gamma",
        prior=None,
        partition=toys.Partitions(1.0),
        n_sweeps=5,
        burn_in=0,
        hyperpriors={"openness": law},
    )
    assert len(np.unique(dpviz.run(NORMAL, config).hyperparameters["openness"])) == 6


# --- both, under the samplers -----------------------------------------------------------------------------------------


MODELS = [("toy_counts", "chinese_restaurant"), ("toy_counts", "toy_partitions"), ("normal_gamma", "toy_partitions")]
every_model = pytest.mark.parametrize(("family", "prior"), MODELS, ids=[" ".join(model) for model in MODELS])


def modelled(family: str, prior: str, algorithm: str, **options: object):
    """Six points, and the same model of them for the engine and plainly."""
    given, X = examples.hyperparameters(family, 2), SIX if family == "toy_counts" else NORMAL
    partition = examples.partition_prior(prior)
    config = dpviz.RunConfig(algorithm, family=family, prior=given, partition=partition, init="single", **options)
    return X, config, naive.Model(X, family, given, prior)


@every_model
def test_map_dp_ends_in_a_local_optimum_of_the_enumerated_joint(
    plain: SimpleNamespace, family: str, prior: str
) -> None:
    X, config, model = modelled(family, prior, "mapdp")
    trace = dpviz.run(X, config)
    labels = trace.result_labels
    assert trace.nll[-1] == pytest.approx(model.nll(labels), abs=1e-9)
    assert trace.objective[-1] == pytest.approx(model.objective(labels), abs=1e-9)
    for point in range(6):
        for to in range(labels.max() + 2):
            moved = labels.copy()
            moved[point] = to
            assert model.nll(moved) >= trace.nll[-1] - 1e-9


@pytest.mark.slow
@every_model
def test_the_chain_visits_all_203_partitions_as_often_as_it_must(
    plain: SimpleNamespace, family: str, prior: str
) -> None:
    partitions = naive.set_partitions(6)
    X, config, model = modelled(family, prior, "gibbs", n_sweeps=4100, burn_in=100, seed=1)
    exact = model.posterior(partitions)
    labels = fast_chain(X, family, prior, 200_000, seed=1)
    check_law(labels, exact, partitions)
    assert largest_z_score(dpviz.run(X, config).draws, exact, partitions) < LARGEST_Z
