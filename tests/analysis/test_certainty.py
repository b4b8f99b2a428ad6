"""How certain clusters are, against enumeration of all partitions."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from configs import usual_config

import dpviz
from dpviz.analysis.certainty import cluster_certainty
from dpviz.errors import InvalidParameterError
from dpviz.partition import ChineseRestaurant

X = np.array([[-2.0], [-1.6], [-0.4], [1.0], [1.7], [2.4]])
PRIOR = {"m0": 0.0, "c0": 0.3, "a0": 2.0, "b0": 1.0}


def test_shares_are_those_of_the_posterior():
    config = dpviz.RunConfig(
        "mapdp", family="normal_gamma", prior=PRIOR, partition=ChineseRestaurant(1.0), init="single", n_init=1
    )
    trace = dpviz.run(X, config)
    family, prior = config.family_for(X), config.partition
    every = naive.set_partitions(len(X))
    log_p = np.array(
        [
            prior.log_probability(np.bincount(z))
            + sum(family.posterior(X[:i][z[:i] == z[i]]).log_predictive(X[i : i + 1])[0] for i in range(len(X)))
            for z in every
        ]
    )
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    same = sum(weight * (z[:, None] == z) for weight, z in zip(p, every, strict=True))
    asked = np.array([0, 0, 0, 1, 1, 2])
    found = cluster_certainty(X, trace, asked, n_sweeps=40_000, burn_in=200)
    pairs = {
        (a, b): [same[i, j] for i in range(6) for j in range(6) if i != j and (asked[i], asked[j]) == (a, b)]
        for a in range(3)
        for b in range(3)
    }
    for (a, b), values in pairs.items():
        assert found.together[a, b] == pytest.approx(np.mean(values) if values else 1.0, abs=0.02)
    assert np.bincount(found.n_clusters, minlength=7)[1] / 39_800 == pytest.approx(
        p[[z.max() == 0 for z in every]].sum(), abs=0.02
    )


def test_clusters_far_apart_stay_and_halves_of_one_do_not():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(12, 1, (60, 2))])
    trace = dpviz.run(points, usual_config(effort=0.02))
    halves = np.repeat([0, 1, 2], [60, 30, 30])
    found = cluster_certainty(points, trace, halves)
    assert found.stability[0] > 0.8 and found.together[0, 1] < 0.01 < 0.5 < found.together[1, 2]
    assert found.between[1] == pytest.approx(found.together[1, 2]) and np.allclose(found.together, found.together.T)


def test_methods_without_a_model_and_wrong_numbers_are_refused():
    kmeans = dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=2))
    with pytest.raises(InvalidParameterError, match="no model"):
        cluster_certainty(X, kmeans)
    mapdp = dpviz.run(X, usual_config(family="normal_gamma", init="single", n_init=1))
    with pytest.raises(InvalidParameterError, match="one label for each"):
        cluster_certainty(X, mapdp, [0, 1])
    with pytest.raises(InvalidParameterError, match="burn_in"):
        cluster_certainty(X, mapdp, n_sweeps=10, burn_in=10)
