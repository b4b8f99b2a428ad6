"""The small-variance limit against all partitions, and its relation to DP-means against plain loops."""

from __future__ import annotations

import naive
import numpy as np
import pytest

import dpviz
from dpviz import RunConfig
from dpviz.analysis.continuum import SMALLEST_SHARE, limit_concentration, penalised_inertia, small_variance_config
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidParameterError


def slack(penalty, n, n_features=2):
    """What is left of the prior at the smallest σ̂²: 2 σ̂² times the ln Γ(n) and (D/2) ln n of two clusters, at most."""
    return 2 * SMALLEST_SHARE * penalty * 2 * (1 + n_features / 2) * np.log(n)


def blobs(seed, n=60):
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 4, (4, 2))
    return centres[rng.integers(4, size=n)] + rng.normal(0, 1, (n, 2))


@pytest.mark.parametrize("penalty", [0.5, 4.0])
def test_differences_of_nll_become_those_of_the_objective(penalty):
    X = np.array([[0.0, 0.0], [0.3, 0.1], [1.1, 0.9], [1.4, 1.2], [3.0, -1.0], [-0.5, 2.0]])
    labels = naive.set_partitions(len(X))
    objective = np.array([penalised_inertia(X, z, penalty) for z in labels])
    gaps = []
    for share in (0.1, 0.02, 0.002):
        problem = Problem(X, small_variance_config(X, penalty, share))
        scaled = 2 * share * penalty * partition_nll(problem, labels)
        difference = (scaled - scaled[0]) - (objective - objective[0])
        gaps.append(np.abs(difference).max() / np.ptp(objective))
    assert gaps[0] > 3 * gaps[1] > 9 * gaps[2] and gaps[2] < 0.01
    assert np.argmin(partition_nll(problem, labels)) == np.argmin(objective)


def test_the_objective_of_plain_loops():
    X, labels = blobs(0), np.arange(60) % 5
    plain = sum(sum(sum((x - c) ** 2) for x in X[labels == k]) for k in range(5) for c in [X[labels == k].mean(axis=0)])
    assert penalised_inertia(X, labels, 3.0) == pytest.approx(plain + 15.0, rel=1e-12)
    trace = dpviz.run(X, RunConfig("dpmeans", penalty=20.0, n_init=1))
    assert penalised_inertia(X, trace.result_labels, 20.0) == pytest.approx(trace.objective[-1], rel=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_at_the_limit_no_single_move_lowers_the_objective(seed):
    X, penalty = blobs(seed), 12.0
    trace = dpviz.run(X, small_variance_config(X, penalty, SMALLEST_SHARE))
    labels = trace.result_labels
    reached = penalised_inertia(X, labels, penalty)
    for i in range(len(X)):
        for k in [*np.unique(labels), labels.max() + 1]:
            moved = labels.copy()
            moved[i] = k
            assert penalised_inertia(X, moved, penalty) > reached - slack(penalty, len(X))


def test_from_where_dp_means_stops_it_goes_on_downhill_or_stays():
    gone_on = 0
    for seed in range(12):
        X, penalty = blobs(seed), 12.0
        start = dpviz.run(X, RunConfig("dpmeans", penalty=penalty, n_init=1)).result_labels
        end = dpviz.run(X, small_variance_config(X, penalty, SMALLEST_SHARE, start)).result_labels
        fall = penalised_inertia(X, start, penalty) - penalised_inertia(X, end, penalty)
        assert fall > -slack(penalty, len(X))
        gone_on += fall > slack(penalty, len(X))
    assert gone_on >= 3


def test_the_concentration_has_the_formula_in_print():
    expected = (1 + 5 / 0.5) ** 1.5 * np.exp(-4 / (2 * 0.5))
    assert limit_concentration(4.0, 0.5, 5.0, 3) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((0.0, 1.0, 1.0), "penalty = 0"),
        ((1.0, -1.0, 1.0), "sigma_hat_sq = -1"),
        ((1.0, 1.0, float("nan")), "sigma0_sq = nan"),
        ((1.0, 1e-5, 1.0), "sigma_hat_sq = 1e-05"),
    ],
)
def test_what_has_no_limit_is_refused(values, words):
    with pytest.raises(InvalidParameterError, match=words):
        limit_concentration(*values, 2)
