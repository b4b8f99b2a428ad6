"""A family and a partition prior from outside pass the checks of the built-in ones: closed forms and enumeration."""

from __future__ import annotations

import math
from inspect import signature
from types import SimpleNamespace

import naive
import numpy as np
import pytest
import test_families
import test_partition
from extending.registered import toys  # noqa: F401
from numpy.testing import assert_allclose
from scipy import stats
from test_sampler_exact import LARGEST_Z, check_law, fast_chain, largest_z_score
from verbs import (
    call_add_point,
    call_log_marginal,
    call_log_predictive,
    call_rebuild,
)

import dpviz
import examples
from dpviz.engine.hyperparameters import drawn_given
from dpviz.errors import InvalidParameterError
from dpviz.families.verbs import log_predictive

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
def plain(toys, monkeypatch) -> SimpleNamespace:  # noqa: F811
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


# --- the family -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", test_families.OF_ANY_FAMILY)
@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_a_family_passes_the_checks_of_the_built_in_ones(plain, check, n_features):
    if "default" not in signature(check).parameters:
        return check("toy_counts", n_features)
    for default in (True, False):
        check("toy_counts", n_features, default)


def test_the_verbs_are_the_same_with_and_without_compilation(toys):  # noqa: F811
    X, family, given = built(toys, 2)
    state, sizes = test_families.Slots(family, X).state, np.bincount(LABELS)
    call_rebuild(state, X, LABELS, sizes, 4, 1)
    for k, n in enumerate(sizes):
        assert call_log_marginal(state, 1 + k, n) == pytest.approx(toy_counts(X[LABELS == k], **given), abs=1e-9)
        for i in range(12):
            exact = log_predictive(state, X, i, 1 + k, n)
            assert call_log_predictive(state, X, i, 1 + k, n) == pytest.approx(exact, rel=1e-14)
    assert call_add_point(state, X, 0, 5, 0)
    formula = family.formula(X[0])
    assert formula.value == pytest.approx(-toy_counts(X[:1], **given), abs=1e-10)


def test_draws_average_to_the_marginal_and_look_like_it(toys):  # noqa: F811
    X, family, _ = built(toys, 2)
    posterior, rng = family.posterior(X), np.random.default_rng(6)
    draws = [posterior.draw(rng) for _ in range(6000)]
    for x in (X[:1], X[3:5]):
        probabilities = np.exp([draw.log_density(x).sum() for draw in draws])
        error = probabilities.std() / np.sqrt(len(draws))
        assert abs(probabilities.mean() - np.exp(posterior.log_marginal(x))) < 4 * error < 0.4 * probabilities.mean()
    points = draws[0].sample(20_000, rng)
    assert_allclose(points.mean(axis=0), draws[0].rates, rtol=0.03)
    assert draws[0].shapes() is None
    bars = toys.Counts.from_prior({"r0": 4.0, "c0": 2.0}, X[:, :1]).draw(rng)
    shown = bars.shapes().probabilities[0]
    assert_allclose(shown, stats.poisson.pmf(np.arange(len(shown)), bars.rates))
    assert shown.sum() > 0.999


# --- the partition prior ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", test_partition.OF_ANY_PRIOR)
@pytest.mark.parametrize("openness", [0.05, 0.7, 3.0])
def test_a_prior_passes_the_checks_of_the_built_in_ones(plain, check, openness):
    check(plain.Partitions(openness))


def test_it_is_the_generalised_restaurant_that_never_grows(toys):  # noqa: F811
    assert np.exp(toys.Partitions(1.0).log_normaliser(9)) == pytest.approx(21147)  # Bell's number
    ours, theirs = toys.Partitions(0.3), dpviz.GeneralizedChineseRestaurant(0.3, tuple([0.0] * 300))
    assert ours.log_normaliser(300) == pytest.approx(theirs.log_normaliser(300), rel=1e-12)
    assert_allclose(ours.mean_n_clusters_up_to(300), theirs.mean_n_clusters_up_to(300), rtol=1e-10)
    laws = [np.exp(prior.log_pmf_n_clusters(300)) for prior in (ours, theirs)]
    assert_allclose(*laws, rtol=0, atol=1e-12)


@pytest.mark.parametrize("openness", [0.0, -1.0, math.nan, "many"])
def test_parameters_of_a_prior_are_checked(toys, openness):  # noqa: F811
    with pytest.raises(InvalidParameterError, match="openness = .* must be a finite number > 0"):
        toys.Partitions(openness)


def test_a_chain_learns_a_parameter_of_a_prior_from_outside(toys):  # noqa: F811
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
def test_map_dp_ends_in_a_local_optimum_of_the_enumerated_joint(plain, family, prior):
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
def test_the_chain_visits_all_203_partitions_as_often_as_it_must(plain, family, prior):
    partitions = naive.set_partitions(6)
    X, config, model = modelled(family, prior, "gibbs", n_sweeps=4100, burn_in=100, seed=1)
    exact = model.posterior(partitions)
    labels = fast_chain(X, family, prior, 200_000, seed=1)
    check_law(labels, exact, partitions)
    assert largest_z_score(dpviz.run(X, config).draws, exact, partitions) < LARGEST_Z
