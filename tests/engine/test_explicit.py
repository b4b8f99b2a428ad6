"""Samplers with explicit parameters and weights: the same posterior of the partition as the collapsed sampler's."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_array_equal
from test_sampler_exact import (
    FOURTEEN,
    gibbs,
    largest_z_score,
    partition_prior,
    sweeper_of,
    total_variation_of_partitions,
)

import dpviz
import examples
from dpviz.engine.algorithms.explicit_samplers import ExplicitParametersSweeper, ExplicitWeightsSweeper
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError

# Two loose groups, so that the posterior is spread over dozens of partitions.
POINTS = np.array([[-1.9, -1.1], [1.4, 1.7], [-1.2, -1.8], [-0.3, 0.2], [0.9, 0.3], [2.1, 0.8]])


def points(family, X=POINTS):
    """X, or as many points that the family can have; with this seed their posterior is spread as well."""
    return examples.data(family, X, seed=1)


every_family = pytest.mark.parametrize("family", dpviz.FAMILIES)
SAMPLERS = [
    ("explicit_parameters", "chinese_restaurant"),
    ("explicit_parameters", "powered"),
    ("explicit_parameters", "pitman_yor"),
    ("explicit_parameters", "finite_dirichlet"),
    ("explicit_weights", "finite_dirichlet"),
]


def run(X, sampler, family, partition_name, n_sweeps, **options):
    partition = examples.partition_prior(partition_name)
    defaults = {"init": "single", "burn_in": 0, "partition": partition, "prior": examples.hyperparameters(family, 2)}
    return dpviz.run(
        X, dpviz.RunConfig("gibbs", family=family, sampler=sampler, n_sweeps=n_sweeps, **{**defaults, **options})
    )


def plain_sweep(X, family, prior, clusters, order, uniforms, rng):
    """Neal's algorithm 2: visit every point, then draw all parameters.

    Clusters are pairs of members and parameters, from the oldest to the youngest; ``uniforms`` choose along the
    cumulative probabilities of a point's own cluster, or of a new one if it is alone, and of the others in order.
    """
    for i, uniform in zip(order.tolist(), uniforms, strict=True):
        home = next(k for k, (members, _) in enumerate(clusters) if i in members)
        clusters[home][0].remove(i)
        sizes = [len(members) for members, _ in clusters]
        seats = [home, *(k for k in range(len(clusters)) if k != home), *([len(clusters)] if sizes[home] else [])]
        scores = []
        for k in seats:
            if k == len(clusters) or not sizes[k]:
                seated, log_density = [*sizes, 1], family.log_marginal(X[[i]])
            else:
                seated = [size + (j == k) for j, size in enumerate(sizes)]
                log_density = clusters[k][1].log_density(X[[i]])[0]
            scores.append(naive.partition_log_weight(prior, [size for size in seated if size]) + log_density)
        cumulative = np.cumsum(np.exp(np.array(scores) - max(scores)))
        chosen = seats[int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))]
        if chosen == len(clusters):
            clusters.append((set(), None))
        if not clusters[chosen][0]:
            clusters[chosen] = set(), family.posterior(X[[i]]).draw(rng)
        clusters[chosen][0].add(i)
        clusters = [cluster for cluster in clusters if cluster[0]]
    return [(members, family.posterior(X[sorted(members)]).draw(rng)) for members, _ in clusters]


@pytest.mark.parametrize(
    ("family", "prior"),
    examples.every_family_with(examples.PRIORS, 0, 3),
)
def test_sweeps_with_explicit_parameters_equal_the_plain_ones_number_by_number(family, prior):
    working = Problem.check(points(family, FOURTEEN), gibbs(family, 2)).working
    labels, numbers, rng = np.arange(14) % 4, np.random.default_rng(47), np.random.default_rng(48)
    scorer = sweeper_of(working, labels, partition_prior(prior))
    sweeper = ExplicitParametersSweeper(working.family, scorer, np.random.default_rng(48))
    blocks = naive.blocks_of(labels)
    clusters = [(each, working.family.posterior(working.X[sorted(each)]).draw(rng)) for each in blocks]
    n_born = n_died = 0
    for _ in range(8):
        order, uniforms = numbers.permutation(14), numbers.random(14)
        moves = sweeper.sweep(order, uniforms)
        clusters = plain_sweep(working.X, working.family, prior, clusters, order, uniforms, rng)
        n_born, n_died = n_born + moves.n_born, n_died + moves.n_died
        for k, (members, _) in enumerate(clusters):
            assert set(np.flatnonzero(scorer.labels == k).tolist()) == members
    assert n_born + n_died > 0, "clusters have to open or close for the test to mean something"


def plain_weights(pseudo_count, sizes, rng):
    """Log weights of a finite mixture's components up to a constant: ln of a gamma variate each, of any tiny shape."""
    gammas = [rng.standard_gamma(pseudo_count + size) for size in sizes]
    uniforms = [rng.random() for _ in sizes]
    boosted = [rng.standard_gamma(pseudo_count + 1.0) for _ in sizes]
    return [
        math.log(gamma) if size else math.log(more) + math.log1p(-uniform) / pseudo_count
        for size, gamma, uniform, more in zip(sizes, gammas, uniforms, boosted, strict=True)
    ]


@every_family
def test_sweeps_with_explicit_weights_equal_the_plain_ones_number_by_number(family):
    working = Problem.check(points(family, FOURTEEN), gibbs(family, 2)).working
    X, prior, partition = working.X, working.family, partition_prior("finite_dirichlet")
    n_components, components = partition.n_components, np.arange(14) % 3
    numbers, rng = np.random.default_rng(49), np.random.default_rng(50)
    scorer = sweeper_of(working, components, partition)
    sweeper = ExplicitWeightsSweeper(prior, scorer, partition, np.random.default_rng(50))
    seen = set()
    for _ in range(8):
        sizes = np.bincount(components, minlength=n_components)
        log_weights = plain_weights(partition.concentration / n_components, sizes, rng)
        parameters = [prior.posterior(X[components == k]).draw(rng) for k in range(n_components)]
        uniforms = numbers.random(14)
        for i in range(14):
            scores = [w + p.log_density(X[[i]])[0] for w, p in zip(log_weights, parameters, strict=True)]
            cumulative = np.cumsum(np.exp(np.array(scores) - max(scores)))
            components[i] = np.searchsorted(cumulative, uniforms[i] * cumulative[-1], side="right")
        sweeper.sweep(np.arange(14), uniforms)
        assert_array_equal(scorer.labels, np.unique(components, return_inverse=True)[1])
        seen.add(tuple(components.tolist()))
    assert len(seen) > 4


LARGEST_Z = 4.5
"""Of some hundred and fifty z-scores with 39 degrees of freedom the largest is beyond this once in a hundred."""


def draws_and_law(n_points, sampler, family, prior, n_draws):
    """Partitions that a chain draws, and their exact probabilities."""
    X, partitions = points(family, POINTS[:n_points]), naive.set_partitions(n_points)
    exact = naive.Model(X, family, examples.hyperparameters(family, 2), prior).posterior(partitions)
    assert exact.max() < 0.5, "the posterior has to be spread for the test to mean something"
    return run(X, sampler, family, prior, 100 + n_draws, burn_in=100, seed=41).draws, exact, partitions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sampler", "family", "prior"),
    [
        ("explicit_parameters", "normal_gamma", "chinese_restaurant"),
        ("explicit_weights", "categorical", "finite_dirichlet"),
        ("explicit_parameters", "normal_wishart", "pitman_yor"),
        ("explicit_parameters", "normal_known_covariance", "powered"),
        ("explicit_weights", "normal_gamma", "finite_dirichlet"),
        ("explicit_parameters", "exponential", "chinese_restaurant"),
        ("explicit_parameters", "geometric", "powered"),
        ("explicit_parameters", "binomial", "finite_dirichlet"),
    ],
)
def test_the_chain_visits_all_15_partitions_of_four_points_as_often_as_it_must(sampler, family, prior):
    law = draws_and_law(4, sampler, family, prior, 6_000)
    assert total_variation_of_partitions(*law) <= 2.8 / np.sqrt(6_000)
    assert largest_z_score(*law) < LARGEST_Z


@pytest.mark.parametrize(
    ("family", "sampling"),
    examples.every_family_with(SAMPLERS, 0, 2),
    ids=str,
)
def test_scores_and_counts_of_every_sweep_are_those_of_its_partition(family, sampling):
    sampler, prior = sampling
    X = points(family, np.vstack([POINTS, POINTS[:4] * 1.3 + 0.4]))
    model = naive.Model(X, family, examples.hyperparameters(family, 2), prior)
    trace = run(X, sampler, family, prior, 25, seed=42)
    assert trace.n_sweeps == 25 and not trace.converged
    for sweep in range(26):
        labels = trace.labels_at(sweep)
        assert trace.nll[sweep] == pytest.approx(model.nll(labels), rel=1e-10)
        assert trace.objective[sweep] == pytest.approx(model.objective(labels), rel=1e-10)
        assert_array_equal(trace.sizes(sweep), np.bincount(labels))
        assert trace.sizes(sweep).min() > 0 and trace.n_clusters[sweep] == len(trace.sizes(sweep))
    assert_array_equal(np.diff(trace.n_clusters), (trace.n_born - trace.n_died)[1:])
    assert trace.n_moved[1:].max() > 0 and len(np.unique(trace.n_clusters)) > 1


@pytest.mark.parametrize("order", ["index", "shuffled"])
def test_visits_of_explicit_parameters_replay_to_the_recorded_partition(order):
    for sweep in (1, 4):
        options = {"order": order, "seed": 43, "events_sweep": sweep}
        trace = run(POINTS, "explicit_parameters", "normal_gamma", "pitman_yor", 5, **options)
        slots = trace.labels_at(sweep - 1)
        for point, source, target in trace.events:
            assert slots[point] == source
            slots[point] = target
        labels = trace.labels_at(sweep)
        assert_array_equal(slots[:, None] == slots, labels[:, None] == labels)
        assert np.array_equal(trace.events[:, 0], np.arange(6)) == (order == "index")


@pytest.mark.parametrize("sampler", ["explicit_parameters", "explicit_weights"])
def test_a_finite_mixture_never_has_more_clusters_than_components(sampler):
    X = np.linspace(-200, 200, 30)[:, None] * [1.0, 0.5]
    trace = run(X, sampler, "normal_gamma", "finite_dirichlet", 40, init="random", init_clusters=4, seed=44)
    assert trace.n_clusters.max() == 4 and np.all(np.isfinite(trace.nll))


def test_far_points_open_as_many_clusters_as_they_need():
    """More than the slots there are at first, born within one sweep."""
    X = np.random.default_rng(45).permutation(40)[:, None] * [20.0, -7.0]
    prior = {"mu0": [400.0, -140.0], "sigma0_sq": 1e5, "sigma_hat_sq": 1.0}
    trace = run(X, "explicit_parameters", "spherical_normal", "chinese_restaurant", 3, prior=prior, seed=45)
    assert trace.n_clusters[0] == 1 and trace.n_clusters[-1] == 40
    assert np.all(np.isfinite(trace.nll))


def test_weights_of_almost_nothing_leave_the_chain_where_the_data_put_it():
    """A tiny concentration gives the empty components weights far below the smallest float."""
    labels = np.repeat([0, 1], 10)
    X = 100.0 * labels[:, None] * [1.0, 0.0] + np.random.default_rng(46).normal(size=(20, 2))
    options = {"partition": dpviz.FiniteDirichlet(1e-4, 50), "init": labels, "seed": 46}
    trace = run(X, "explicit_weights", "normal_gamma", "finite_dirichlet", 60, **options)
    assert np.all(trace.n_clusters == 2) and np.all(trace.n_moved == 0)
    assert np.all(np.isfinite(trace.nll)) and np.all(np.isfinite(trace.objective))


@pytest.mark.parametrize("sampler", ["explicit_parameters", "explicit_weights"])
def test_explicit_samplers_know_no_temperature(sampler):
    partition = dpviz.FiniteDirichlet(1.0, 3)
    with pytest.raises(InvalidParameterError, match="temperature = 2.0 must be 1"):
        usual_config("gibbs", sampler=sampler, partition=partition, temperature=2.0)


def test_explicit_weights_need_a_finite_mixture():
    with pytest.raises(InvalidParameterError, match="partition = .* must be a FiniteDirichlet"):
        usual_config("gibbs", sampler="explicit_weights")
