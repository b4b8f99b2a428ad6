"""The collapsed sampler against full enumeration, a naive sweep, closed forms, and the joint distribution itself."""

from __future__ import annotations

import itertools
from functools import cache

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dpviz
import examples
from dpviz.engine.kernels.collapsed import CollapsedSweeper
from dpviz.engine.problem import Problem
from examples import SIX

LARGEST_Z = 5.0  # of some eight hundred z-scores with 39 degrees of freedom the largest is beyond it once in a hundred
FOURTEEN = np.vstack([SIX, SIX[:5] * 1.3 + 0.4, [[-2.6, -0.4], [0.1, -0.9], [1.2, 2.6]]])


def points(X, family):
    """X, or as many points that the family can have; with these seeds their posterior is spread as well."""
    return examples.data(family, X, seed=2 if family == "negative_binomial" else 1)


def partition_prior(name):
    return examples.partition_prior(name)


def fast_chain(X, family, prior, n_sweeps, seed, begin=None):
    """Many sweeps by one call of the engine: with so few points the bookkeeping takes longer than the visits.

    ``begin`` starts a sweeper at labels, under other hyperparameters than the family's example.
    """
    begin = begin or (lambda labels: sweeper(X, labels, family, prior, 1.0))
    rng, at_once = np.random.default_rng(seed), 100
    orders = rng.permuted(np.tile(np.arange(len(X)), (at_once + n_sweeps, 1)), axis=1)
    uniforms, labels = rng.random(orders.shape), np.empty_like(orders)
    together, one_by_one = (begin(np.zeros(len(X), dtype=np.int64)) for _ in range(2))
    for first in range(0, len(orders), at_once):
        visits = slice(first, first + at_once)
        events = together.sweep(orders[visits].ravel(), uniforms[visits].ravel(), record_events=True).events
        assert np.array_equal(events[:, 0], orders[visits].ravel())
        np.put_along_axis(labels[visits], orders[visits], events[:, 2].reshape(-1, len(X)), axis=1)
    labels = numbered_by_first_appearance(labels)
    for visits, uniform, own in zip(orders[:at_once], uniforms, labels, strict=False):
        one_by_one.sweep(visits, uniform)
        engine = numbered_by_first_appearance(one_by_one.labels[None])[0]
        assert_array_equal(own, engine, err_msg="not the sweeps of a run")
    return labels[at_once:]


def numbered_by_first_appearance(labels):
    """The partitions of rows (S, N)."""
    points = labels.T.astype(np.int16, order="C")  # operations on small numbers side by side take least time
    numbers, n_clusters = np.empty_like(points), np.zeros(len(labels), dtype=np.int16)
    for i in range(len(points)):
        numbers[i] = n_clusters
        for j in range(i):
            np.copyto(numbers[i], numbers[j], where=points[i] == points[j])
        np.maximum(n_clusters, numbers[i] + 1, out=n_clusters)
    return numbers.T


def partition_codes(labels):
    """One number per row of labels (S, N) that two rows share exactly if they are the same partition."""
    points, codes = labels.T.astype(np.int16, order="C"), np.zeros(len(labels), dtype=np.int64)
    for bit, (i, j) in enumerate(itertools.combinations(range(len(points)), 2)):
        codes |= (points[i] == points[j]).astype(np.int64) << bit
    return codes


def found_in(partitions, labels):
    """Which of the partitions (P, N) each row of labels (S, N) is."""
    known, drawn = partition_codes(partitions), partition_codes(labels)
    order = np.argsort(known)
    where = order[np.searchsorted(known, drawn, sorter=order)]
    assert np.array_equal(known[where], drawn)
    return where


def total_variation_of_partitions(labels, probabilities, partitions):
    frequencies = np.bincount(found_in(partitions, labels), minlength=len(partitions)) / len(labels)
    return 0.5 * np.abs(frequencies - probabilities).sum()


def largest_z_score(labels, probabilities, partitions, n_batches=40):
    """Of the law of K and of pairs of points that are together, the draws' correlation taken into account."""
    first, second = np.triu_indices(partitions.shape[1], 1)
    n_clusters = partitions.max(axis=1)[:, None] == np.arange(partitions.shape[1])
    features = np.hstack([n_clusters, partitions[:, first] == partitions[:, second]]).astype(float)
    expected = probabilities @ features
    common = (expected > 1e-3) & (expected < 1 - 1e-3)  # of what is rarer, batches are not normal
    where, n_each = found_in(partitions, labels), len(labels) // n_batches
    batches = where[: n_each * n_batches].reshape(n_batches, n_each)
    counts = np.array([np.bincount(batch, minlength=len(partitions)) for batch in batches])
    errors = np.sqrt((counts @ features[:, common] / n_each).var(axis=0, ddof=1) / n_batches)
    mean = np.bincount(where, minlength=len(partitions)) @ features[:, common] / len(labels)
    return np.abs((mean - expected[common]) / errors).max()


def check_law(labels, exact, partitions, most=0.015, spread=0.4):
    """Partitions (P, N) come among those drawn (S, N) as often as they must, as do numbers of clusters and pairs."""
    assert exact.max() < spread, "the posterior has to be spread for the test to mean something"
    assert total_variation_of_partitions(labels, exact, partitions) <= most
    assert largest_z_score(labels, exact, partitions) < LARGEST_Z


def check_sweeps(X, model, family, prior, temperature):
    """Six sweeps of points, from four clusters, are those of the naive model number by number."""
    rng, labels = np.random.default_rng(4), np.arange(len(X)) % 4
    clusters = sweeper(X, labels, family, prior, temperature)
    for _ in range(6):
        order, uniforms = rng.permutation(len(X)), rng.random(len(X))
        clusters.sweep(order, uniforms if temperature else np.empty(0))
        labels = model.sweep(labels, order, temperature, uniforms)
        assert_array_equal(clusters.labels, labels)
        assert clusters.nll == pytest.approx(model.nll(labels), rel=1e-10)
        assert clusters.objective == pytest.approx(model.objective(labels), rel=1e-10)


@cache
def gibbs(family, n_features):
    return dpviz.RunConfig("gibbs", family=family, prior=examples.hyperparameters(family, n_features))


def sweeper(X, labels, family, prior, temperature):
    working = Problem.check(X, gibbs(family, X.shape[1])).working
    return sweeper_of(working, labels, partition_prior(prior), temperature)


def sweeper_of(working, labels, partition, temperature=1.0):
    return CollapsedSweeper(working.family, working.X, working.log_jacobian, partition, labels, temperature)


def test_enumeration_is_complete():
    for n, bell in [(1, 1), (2, 2), (3, 5), (6, 203), (9, 21147)]:
        partitions = naive.set_partitions(n)
        assert len(partitions) == len(np.unique(partitions, axis=0)) == bell
        for prior in naive.PARTITION_PARAMETERS if n < 9 else ():
            weights = [naive.partition_log_weight(prior, np.bincount(labels).tolist()) for labels in partitions]
            assert naive.log_normaliser(prior, n) == pytest.approx(np.log(np.exp(weights).sum()), abs=1e-12)


@pytest.mark.parametrize(("family", "prior"), examples.every_family_with(examples.PRIORS))
@pytest.mark.slow
def test_the_chain_visits_all_203_partitions_of_six_points_as_often_as_it_must(family, prior):
    X, partitions = points(SIX, family), naive.set_partitions(6)
    exact = naive.Model(X, family, examples.hyperparameters(family, 2), prior).posterior(partitions)
    labels = fast_chain(X, family, prior, 200_000, seed=1)
    check_law(labels, exact, partitions)


@pytest.mark.parametrize("order", ["index", "permuted", "shuffled"])
@pytest.mark.parametrize("temperature", [0.6, 1.0, 2.0])
def test_a_run_makes_its_sweeps_in_its_order_and_at_its_temperature(order, temperature):
    """By hand, with the same generator."""
    options = {"prior": examples.hyperparameters("normal_gamma", 2), "partition": partition_prior("pitman_yor")}
    config = dpviz.RunConfig(
        "gibbs",
        family="normal_gamma",
        init="single",
        order=order,
        temperature=temperature,
        n_sweeps=300,
        burn_in=0,
        seed=2,
        **options,
    )
    trace, rng = dpviz.run(SIX, config), np.random.default_rng([2, 0])
    visits = np.arange(6) if order == "index" else rng.permutation(6)
    working = Problem.check(SIX, config).working
    clusters = CollapsedSweeper(
        working.family,
        working.X,
        working.log_jacobian,
        config.partition,
        np.zeros(6, dtype=np.int64),
        temperature,
        first_sweep_rule=True,
    )
    for sweep in range(1, 301):
        if order == "shuffled":
            visits = rng.permutation(6)
        clusters.sweep(visits, rng.random(6))
        assert_array_equal(trace.labels_at(sweep), clusters.labels)
    assert len(np.unique(trace.labels, axis=0)) > 20


@pytest.mark.parametrize(("family", "prior", "temperature"), examples.every_pair_with(0.5, 1.0, 3.0))
def test_sweeps_equal_the_naive_ones_number_by_number(family, prior, temperature):
    X = points(FOURTEEN, family)
    check_sweeps(X, naive.Model(X, family, examples.hyperparameters(family, 2), prior), family, prior, temperature)


@pytest.mark.parametrize(("family", "prior", "temperature"), examples.every_pair_with(0.4, 1.0, 2.5))
@pytest.mark.parametrize("point", [0, 5], ids=["beside fellows", "alone"])
def test_one_visit_moves_with_the_tempered_full_conditional(family, prior, temperature, point):
    """Evenly spaced uniforms in place of random ones: the frequencies are exact up to one step per candidate."""
    X, labels = points(SIX, family), np.array([0, 0, 1, 1, 0, 2])
    model = naive.Model(X, family, examples.hyperparameters(family, 2), prior)
    others = [block - {point} for block in naive.blocks_of(labels)]
    scores = model.scores([block for block in others if block], point)
    exact = np.exp((scores - scores.max()) / temperature)
    exact /= exact.sum()

    clusters = sweeper(X, labels, family, prior, temperature)
    order = np.roll(np.arange(6), -point)
    n_visits = 400
    counts = np.zeros(len(exact))
    for uniform in (np.arange(n_visits) + 0.5) / n_visits:
        clusters.assign(labels)
        events = clusters.sweep(order, np.full(6, uniform), record_events=True).events
        assert tuple(events[0, :2]) == (point, labels[point])
        counts[min(events[0, 2], len(exact) - 1)] += 1
    assert_allclose(counts / n_visits, exact, rtol=0, atol=1.01 / n_visits)


# --- Geweke (2004): two ways to draw (z, X) from the model, one of them with the sampler in it ------------------------


def draw_data(family, labels, rng):
    X = np.empty((len(labels), 2))
    for k in np.unique(labels):
        members = labels == k
        X[members] = family.draw(rng).sample(int(members.sum()), rng)
    return X


def statistics(X, labels):
    """Bounded, so that heavy tails do not spoil their standard errors."""
    bounded = np.tanh(X)
    sizes = np.bincount(labels)
    together = labels[0] == labels[1]
    return [
        labels.max() + 1,
        np.sum(sizes**2),
        together,
        *bounded.mean(axis=0),
        np.mean(bounded**2),
        np.mean(bounded[:, 0] * bounded[:, 1]),
        together * bounded[0, 0] * bounded[1, 0],
        np.tanh(np.sum((X[0] - X[1]) ** 2)),
    ]


def squared_errors_of_means(draws, n_batches=40):
    """Of correlated draws (S, M), by batch means."""
    batches = draws[: len(draws) // n_batches * n_batches].reshape(n_batches, -1, draws.shape[1]).mean(axis=1)
    return batches.var(axis=0, ddof=1) / n_batches


@pytest.mark.slow
@pytest.mark.parametrize(("family", "prior"), [("normal_wishart", "pitman_yor"), ("normal_gamma", "powered")])
def test_sampling_data_and_partition_in_turn_leaves_their_joint_distribution_as_it_is(family, prior):
    rng = np.random.default_rng(5)
    n_points, n_draws = 5, 6000
    hyperparameters, partition = examples.hyperparameters(family, 2), partition_prior(prior)
    model = dpviz.FAMILIES[family](**hyperparameters)
    marginal, successive = [], []
    labels = partition.sample(n_points, rng)
    for _ in range(n_draws):
        independent = partition.sample(n_points, rng)
        marginal.append(statistics(draw_data(model, independent, rng), independent))
        X = draw_data(model, labels, rng)
        successive.append(statistics(X, labels))
        clusters = sweeper_of(model.working(X), labels, partition)
        clusters.sweep(rng.permutation(n_points), rng.random(n_points))
        labels = clusters.labels
    marginal, successive = np.array(marginal, dtype=float), np.array(successive, dtype=float)
    errors = np.sqrt(squared_errors_of_means(marginal) + squared_errors_of_means(successive))
    z_scores = (successive.mean(axis=0) - marginal.mean(axis=0)) / errors
    assert np.abs(z_scores).max() < 4


# --- simulation-based calibration (Talts et al. 2018): the truth ranks evenly among draws of its posterior ------------
