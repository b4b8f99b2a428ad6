"""Stability of clusters: Jaccard's coefficient, and that real groups come back while halves of one group do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from configs import usual_config

import dpviz
from dpviz.analysis.stability import (
    ARI,
    BOOTSTRAPS,
    HALVES,
    N_CLUSTERS,
    SEEDS,
    cluster_stability,
    jaccard,
    stability_steps,
)
from dpviz.errors import InvalidParameterError


def test_the_coefficient_is_that_of_sets():
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 4, 25), rng.integers(0, 5, 25)
        sets = [[{*np.flatnonzero(z == k)} for k in np.unique(z)] for z in (a, b)]
        expected = [max(len(own & other) / len(own | other) for other in sets[1]) for own in sets[0]]
        np.testing.assert_allclose(jaccard(a, b), expected)
    assert jaccard([3, 3, 7], [0, 0, 1]).tolist() == [1.0, 1.0]


def test_real_groups_are_stable_and_halves_of_one_are_not():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(12, 1, (40, 2))])
    trace = dpviz.run(X, usual_config(effort=0.02))
    found = cluster_stability(X, trace, n_bootstraps=4)
    assert found.index.tolist() == [0, 1] and list(found) == [SEEDS, HALVES, BOOTSTRAPS]
    assert (found > 0.95).all(axis=None)
    assert [len(numbers) for numbers in found.attrs["n_clusters"].values()] == [3, 4, 4]
    cut = np.where(np.arange(100) < 60, np.arange(100) % 2, 2)  # the first group torn apart
    torn = cluster_stability(X, trace, cut, n_bootstraps=4)
    beside = cluster_stability(X, trace, cut, n_bootstraps=4, n_jobs=2)
    assert beside.equals(torn) and beside.attrs == torn.attrs
    assert (torn.loc[[0, 1]] < 0.6).all(axis=None) and (torn.loc[2] > 0.95).all()


def test_samples_without_a_value_of_a_column_are_left_out():
    X = np.array([[float(i), np.nan] for i in range(12)])
    X[3, 1] = 1.0
    trace = dpviz.run(X, usual_config(family="normal_gamma", init="single", n_init=1))
    found = cluster_stability(X, trace, n_bootstraps=6)
    assert found[SEEDS].notna().all() and len(found.attrs["n_clusters"][HALVES]) == 2


def test_a_row_counts_in_parts_of_a_coarsened_run_as_it_does_in_all():
    rng = np.random.default_rng(3)
    X = np.repeat([[0, 0], [12, 0], [0, 12], [12, 12]], 50, axis=0) + rng.normal(size=(200, 2))
    config = usual_config(family="normal_gamma", n_init=2, effort=0.05)
    assert dpviz.run(X[rng.permutation(200)[:20]], config).n_clusters[-1] == 4  # few rows tell them apart
    trace = dpviz.run(X, replace(config, coarsening=100.0))
    assert trace.n_clusters[-1] == 1  # which this α, no number of rows, joins
    half = X[rng.permutation(200)[:100]]
    assert dpviz.run(half, replace(config, coarsening=100.0)).n_clusters[-1] == 2  # another model
    again = cluster_stability(X, trace, n_seeds=1, n_halves=1, n_bootstraps=2)
    assert again.attrs[N_CLUSTERS] == {SEEDS: [1], HALVES: [1, 1], BOOTSTRAPS: [1, 1]}


def test_a_run_from_given_clusters_is_not_repeated():
    X = np.arange(8.0)[:, None]
    trace = dpviz.run(X, usual_config(family="normal_gamma", init=(0,) * 4 + (1,) * 4))
    with pytest.raises(InvalidParameterError, match="given clusters"):
        cluster_stability(X, trace)


def test_a_way_that_was_stopped_says_nothing_and_the_largest_seed_has_others():
    X = np.concatenate([np.arange(8.0), 50 + np.arange(8.0)])[:, None]
    trace = dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=2, seed=2**32 - 1))
    whole = cluster_stability(X, trace, n_halves=1, n_bootstraps=2)
    assert whole.attrs[ARI][SEEDS] == [1.0] * 3 and whole.attrs[N_CLUSTERS][BOOTSTRAPS] == [2, 2]
    names, is_over = [], False
    steps = stability_steps(X, trace, None, 3, 1, 2, should_stop=lambda: is_over)
    with pytest.raises(StopIteration) as end:
        while True:
            names.append(next(steps))
            is_over = is_over or names[-1].startswith(HALVES)
    found = end.value.value
    assert found[SEEDS].equals(whole[SEEDS]) and found[[HALVES, BOOTSTRAPS]].isna().all(axis=None)
    assert found.attrs[N_CLUSTERS] == {SEEDS: [2] * 3, HALVES: [], BOOTSTRAPS: []}
