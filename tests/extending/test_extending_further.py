"""Further additions from outside by the how-tos alone: durations of known shape, Gnedin's prior, K-medoids."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import test_partition
from configs import usual_config
from extending.registered import others  # noqa: F401
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import logsumexp

import dpviz
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError
from dpviz.partition.base import MOST_SEATED
from dpviz.ui.session.chosen_data import DataChoice
from pages import page, run, said, shown_run

SIX = np.array([[0.3, 1.1], [0.5, 0.4], [2.0, 3.0], [2.5, 1.7], [9.0, 7.0], [6.0, 8.0]])
CHOICE = DataChoice("bundled", "iris")


def log_gnedin(sizes, gamma):
    """Ln of his eq. (1): the probability of these blocks."""
    n, k = sum(sizes), len(sizes)
    rising = [log_rising(1 - gamma, k - 1), log_rising(gamma, n - k), -log_rising(1 + gamma, n - 1)]
    return math.lgamma(k) - math.lgamma(n) + sum(rising) + sum(math.lgamma(size + 1) for size in sizes)


def log_rising(x, m):
    return sum(math.log(x + i) for i in range(m))


@pytest.mark.parametrize("check", test_partition.OF_ANY_PRIOR)
@pytest.mark.parametrize("gamma", [0.2, 0.5, 0.9])
def test_gnedin_s_law_passes_the_checks_of_the_built_in_ones(others, check, gamma, monkeypatch):  # noqa: F811
    law = lambda sizes, chance_of_one: log_gnedin(sizes, chance_of_one)  # noqa: E731
    monkeypatch.setitem(naive.PARTITION_LOG_WEIGHTS, "gnedin", law)
    check(others.Gnedin(gamma))


@pytest.mark.parametrize("gamma", [0.2, 0.5, 0.9])
def test_seats_have_the_probabilities_of_gnedin_s_law(others, gamma):  # noqa: F811
    for sizes in ([1], [2, 1], [4, 1, 1]):
        more = [[*sizes[:k], sizes[k] + 1, *sizes[k + 1 :]] for k in range(len(sizes))] + [[*sizes, 1]]
        exact = np.array([log_gnedin(own, gamma) for own in more])
        assert_allclose(others.Gnedin(gamma).seat_probabilities(sizes), np.exp(exact - logsumexp(exact)), rtol=1e-12)
    assert others.Gnedin(0.5).seat_probabilities([2]) == pytest.approx([0.9, 0.1])


def test_customers_are_seated_one_by_one_with_the_tables_of_their_own_number(others):  # noqa: F811
    """Also step by step, for a prior that is not said to be consistent."""
    stepwise = type("Stepwise", (others.Gnedin,), {"consistent": False})(0.3)
    test_partition.test_sequential_draws_follow_the_seating_law(stepwise)
    with pytest.raises(
        InvalidParameterError, match="n_points = 2001 must be at most 2,000: under Gnedin every customer"
    ):
        stepwise.sample_sequential_seating(MOST_SEATED + 1)


def test_shares_of_a_prior_from_outside_continue_the_seating(others):  # noqa: F811
    prior, sizes = others.Gnedin(0.5), [5, 1, 2]
    drawn = np.array([prior.sample_weights(3, seed, sizes) for seed in range(1500)])
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - prior.seat_probabilities(sizes)[:-1]) < 4.5 * error).all()


def test_predictions_weigh_clusters_by_the_law_at_one_point_more(others):  # noqa: F811
    X = np.repeat([[0.0, 0.0], [9.0, 9.0]], [30, 10], axis=0) + np.random.default_rng(0).normal(size=(40, 2))
    config = usual_config(family="normal_gamma", partition=others.Gnedin(0.5), n_init=2)
    trace = dpviz.run(X, config)
    assert trace.n_clusters[-1] == 2
    weights = np.exp(PartitionPredictive(Problem.check(X, config), trace.result_labels).log_weights)
    sizes = np.bincount(trace.result_labels).tolist()
    more = [[sizes[0] + 1, sizes[1]], [sizes[0], sizes[1] + 1], [*sizes, 1]]
    exact = np.array([log_gnedin(own, 0.5) for own in more])
    assert_allclose(weights, np.exp(exact - logsumexp(exact)), rtol=1e-10)


@pytest.mark.parametrize("n_features", [1, 2])
def test_durations_of_known_shape_under_map_dp_have_the_enumerated_joint(
    others,  # noqa: F811
    n_features,
):
    X, given = SIX[:, :n_features], others.Durations.example_prior(n_features)
    family = others.Durations.from_prior(given, X)

    def log_joint(members):
        return sum(
            np.log(np.trapezoid(np.exp(log_rate_density(X[members, d], given, d, rates)), rates))
            for d in range(n_features)
        )

    rates = np.linspace(1e-6, 60, 60_001)
    for members in ([0], [0, 2], [1, 3, 4]):
        assert family.log_marginal(X[members]) == pytest.approx(log_joint(members), abs=1e-6)
    assert family.log_predictive(X[4:5])[0] == pytest.approx(family.log_marginal(X[4:5]), abs=1e-10)
    config = dpviz.RunConfig(family="known_shape", prior=given, partition=others.Gnedin(0.5), init="single", n_init=1)
    trace = dpviz.run(X, config)
    sizes = np.bincount(trace.result_labels)
    marginals = [family.log_marginal(X[trace.result_labels == k]) for k in range(len(sizes))]
    assert trace.nll[-1] == pytest.approx(-log_gnedin(sizes.tolist(), 0.5) - sum(marginals), abs=1e-9)


def log_rate_density(column, given, d, rates):
    """Ln of prior times likelihood on a grid of rates."""
    log_prior = stats.gamma.logpdf(rates, given["a0"], scale=1 / given["b0"][d])
    return log_prior + stats.gamma.logpdf(column[:, None], given["shape"], scale=1 / rates).sum(axis=0)


def test_medoids_are_points_and_their_objective_falls(others):  # noqa: F811
    X = dpviz.datasets.load("iris").X
    trace = dpviz.run(X, dpviz.RunConfig("k_medoids", n_clusters=3, seed=1))
    assert trace.converged and (np.diff(trace.objective) <= 1e-9).all() and trace.n_clusters[-1] == 3
    total = 0.0
    for k in range(3):
        own = X[trace.result_labels == k]
        total += np.linalg.norm(own[:, None] - own, axis=2).sum(axis=0).min()
    assert trace.objective[-1] == pytest.approx(total)
    fitted = dpviz.ALGORITHMS["k_medoids"].fitted(Problem.check(X, trace.config), trace)
    assert_array_equal(fitted.predict(X), trace.result_labels)
    with pytest.raises(InvalidParameterError, match="'k_medoids' has no density"):
        fitted.log_density(X)


@pytest.mark.parametrize("which", ["known_shape", "gnedin", "k_medoids"])
def test_explore_and_priors_show_what_comes_from_outside(others, which):  # noqa: F811
    config = {
        "known_shape": usual_config(family="known_shape", n_init=1, effort=0.05),
        "gnedin": usual_config(family="normal_gamma", partition=others.Gnedin(0.5), n_init=1, effort=0.05),
        "k_medoids": dpviz.RunConfig("k_medoids", n_clusters=3, n_init=1, options={"outlier_distance": 2.0}),
    }[which]
    at = run(page("explore", data=CHOICE, run=config))
    assert not at.exception and not at.error and shown_run(at).config == config
    if which == "gnedin":
        at = run(page("priors", data=CHOICE, priors={"tab": "restaurants", "which": ["gnedin"]}))
        assert not at.exception and not at.error and "There are finitely many types" in said(at)
