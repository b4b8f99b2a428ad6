"""Centres that are no means, against every choice of few points, and DIC against quadrature."""

from __future__ import annotations

from itertools import combinations

import naive
import numpy as np
import pytest
from scipy.spatial.distance import cdist

import dpviz
from dpviz.analysis.studies import STUDIES
from dpviz.analysis.studies.alternatives import deviance_information, other_centres
from dpviz.analysis.studies.measures import choose_k
from dpviz.datasets import Dataset


def points(seed, n_points):
    X = np.random.default_rng(seed).standard_normal((n_points, 2)) * [1.0, 3.0]
    return Dataset(name="points", title="Points", X=X, labels=np.arange(n_points) % 2)


def least_by_medians(X):
    """The least sum of distances over all partitions into two groups."""
    two = [labels for labels in naive.set_partitions(len(X)) if labels.max() == 1]
    return min(sum(np.abs(X[z == k] - np.median(X[z == k], axis=0)).sum() for k in (0, 1)) for z in two)


def least_by_medoids(X):
    """The least sum of distances over all pairs of points."""
    distances = cdist(X, X)
    return min(distances[:, pair].min(axis=1).sum() for pair in combinations(range(len(X)), 2))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("centres", "least"), [("medians", least_by_medians), ("medoids", least_by_medoids)])
def test_many_starts_find_the_least_sum_of_distances(seed, centres, least):
    data = points(seed, 8)
    config = dpviz.RunConfig("kmeans", n_clusters=2, seed=seed)
    assert other_centres(data, config, centres, 100).numbers["objective"] == pytest.approx(least(data.X))


def test_an_outlier_moves_means_but_no_medians():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.standard_normal((100, 2)), rng.standard_normal((100, 2)) + 8, [[300.0, 300.0]]])
    data = Dataset(name="outlier", title="Outlier", X=X, labels=np.repeat([0, 1], [100, 101]))
    config = dpviz.RunConfig("kmeans", n_clusters=2, n_init=20)
    assert np.bincount(dpviz.run(X, config).result_labels).min() == 1
    for centres in ("medians", "medoids"):
        assert other_centres(data, config, centres, 20).numbers["nmi"] > 0.95


def test_dic_of_one_group_is_that_of_quadrature():
    x = np.random.default_rng(1).standard_normal(40) * 2
    centred, wide = x - x.mean(), x.var()
    mean, log_variance = np.meshgrid(np.linspace(-2, 2, 401), np.linspace(0, 3, 601), indexing="ij")
    variance = np.exp(log_variance)  # p(σ²) dσ² ∝ d ln σ²
    log_density = -((centred - mean[..., None]) ** 2) / (2 * variance[..., None])
    log_density -= 0.5 * np.log(2 * np.pi * variance)[..., None]
    log_likelihood = log_density.sum(axis=-1)
    posterior = np.exp(log_likelihood - mean**2 / (2 * wide) - log_likelihood.max())
    posterior /= posterior.sum()
    expected = -4 * np.sum(posterior * log_likelihood)
    expected += 2 * np.log(np.einsum("ij,ijn->n", posterior, np.exp(log_density))).sum()
    found = [deviance_information(x[:, None], np.zeros(40, dtype=np.int64), 1, seed) for seed in range(40)]
    assert abs(np.mean(found) - expected) < 4 * np.std(found, ddof=1) / np.sqrt(40)
    assert np.std(found) < 1  # where one parameter more costs 2


def test_every_criterion_finds_three_circles_far_apart():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((150, 2)) + np.repeat([[0, 0], [20, 0], [0, 20]], 50, axis=0)
    data = Dataset(name="circles", title="Circles", X=X)
    numbers = choose_k(data, dpviz.RunConfig("kmeans", n_clusters=3, n_init=5), 3).numbers
    assert numbers["chosen_k"] == numbers["chosen_k_aic"] == numbers["chosen_k_dic"] == 3


def test_a_row_of_the_study_differs_from_kmeans_in_its_centres_alone():
    cells = {cell.column: cell for cell in STUDIES["raykov2016-scenarios"].cells(repetitions=1, restarts=10)}
    for column, centres in (("K-medians", "medians"), ("K-medoids", "medoids")):
        assert cells[column].config == cells["K-means"].config
        assert dict(cells[column].settings) == {"centres": centres, "n_starts": 10}
