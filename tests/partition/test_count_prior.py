"""The prior of counts: in proportion to the mean count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import dpviz
from dpviz.families.columns.poisson import Poisson
from dpviz.metrics import ari

SCALES = (1, 10, 100, 1_000, 10_000)
KINDS = ("continuous", "count", "binary", "count")


def one_rare_group(scale: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """50 counts about ``scale`` and 5 about a fiftieth of it."""
    rng, groups = np.random.default_rng(seed), np.repeat([0, 1], [50, 5])
    return rng.poisson(np.where(groups == 0, scale, scale / 50))[:, None].astype(float), groups


def twelve_groups(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """20 points each about twelve pairs of means of 400 to 1800, at least ten standard deviations apart."""
    rng, groups = np.random.default_rng(seed), np.repeat(np.arange(12), 20)
    means = np.array([[a, b] for a in (400, 800, 1250, 1800) for b in (500, 950, 1500)])
    return rng.poisson(means[groups]).astype(float), groups


def table(seed: int = 0, gaps: bool = False) -> np.ndarray:
    """A table of KINDS in three groups, one column of large counts and one of small ones."""
    rng, groups = np.random.default_rng(seed), np.arange(45) % 3
    large = rng.poisson(np.array([200, 900, 5_000])[groups])
    X = np.column_stack([rng.normal(3 * groups), large, rng.random(45) < 0.4, rng.poisson(groups + 1)]).astype(float)
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X


def nll_of(trace: dpviz.Trace) -> float:
    return float(trace.nll[trace.result_sweep])


def found(X: np.ndarray, **options: object) -> dpviz.Trace:
    return dpviz.run(X, dpviz.RunConfig(family="poisson", effort=0.1, **options))  # type: ignore[arg-type]


def one_exposure(X: np.ndarray) -> dict[str, Any]:
    """A prior that is worth one point of the data."""
    return {"alpha0": X.mean(axis=0), "beta0": 1.0}


# --- closed forms -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", SCALES)
def test_the_prior_expects_the_mean_in_proportion_to_it(scale):
    X = np.random.default_rng(3).poisson(scale, (40, 2)).astype(float)
    family = Poisson.from_prior(None, X)
    law = stats.gamma(family.alpha0, scale=1 / family.beta0)
    assert_allclose(law.mean(), X.mean(axis=0), rtol=1e-13)
    assert_allclose(law.std() / law.mean(), 1 / np.sqrt(2), rtol=1e-13)
    q, x = 1 / (1 + X.mean(axis=0) / 2), X[:1]  # of a gamma of shape 2 a point is the sum of two geometric counts
    closed = np.log1p(x) + 2 * np.log(q) + x * np.log1p(-q)
    assert_allclose(family.log_densities(x), closed, rtol=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_the_prior_is_worth_two_counts_whatever_the_scale(scale):
    X = scale * np.array([[3.0], [5.0], [4.0], [8.0]])
    after = Poisson.from_prior(None, X).posterior(X)
    assert after.expected_value()[0] == pytest.approx((2 + X.sum()) / (2 / X.mean() + len(X)), rel=1e-13)
    assert after.alpha0[0] - X.sum() == pytest.approx(2)


@pytest.mark.parametrize("gaps", [False, True])
def test_counts_of_mixed_tables_have_the_same_prior(gaps):
    X = table(gaps=gaps)
    family: Any = dpviz.RunConfig(kinds=KINDS).family_for(X)
    assert_array_equal(family.poisson_alpha0, [2.0, 2.0])
    assert_allclose(family.poisson_beta0, 2 / np.nanmean(X[:, [1, 3]], axis=0), rtol=1e-14)


DULL = {
    "zeros": (np.zeros((8, 1)), 0.5 / 8),
    "one row": (np.array([[7.0]]), 7.0),
    "one row of nothing": (np.array([[0.0]]), 0.5),
    "a constant": (np.full((9, 1), 4.0), 4.0),
    "gaps": (np.array([[3.0], [np.nan], [5.0]]), 4.0),
    "the largest counts": (np.full((5, 1), 1e9), 1e9),
}


@pytest.mark.parametrize("name", DULL)
def test_dull_columns_have_a_prior_too(name):
    X, mean = DULL[name]
    family = Poisson.from_prior(None, X)
    assert family.expected_value()[0] == pytest.approx(mean) and family.alpha0[0] == 2
    trace = found(X)
    assert np.isfinite(trace.nll).all()
    assert trace.n_clusters[trace.result_sweep] == 1 or np.isnan(X).any()


# --- groups are found at every scale ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_a_rare_group_of_small_counts_beside_large_ones_is_one_group(seed):
    X, groups = one_rare_group(1_000, seed)
    trace, other = found(X), found(X, prior=one_exposure(X))
    assert trace.n_clusters[trace.result_sweep] == 2 and ari(groups, trace.result_labels) == 1
    assert nll_of(trace) < 310 and nll_of(other) > 1_500


@pytest.mark.parametrize("seed", range(20))
def test_twelve_groups_of_large_counts_are_twelve(seed):
    X, groups = twelve_groups(seed)
    trace, other = found(X), found(X, prior=one_exposure(X))
    sizes = np.bincount(trace.result_labels)
    assert np.sum(sizes > 1) == 12 and ari(groups, trace.result_labels) > 0.99
    assert np.sum(sizes == 1) <= 1  # one straggler alone is more probable than in its group, in two of these
    assert nll_of(trace) < nll_of(other) - 1_000


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(3))
def test_no_other_weight_is_much_better_at_any_scale(scale, seed):
    X, _ = one_rare_group(scale, seed)
    usual, mean = nll_of(found(X)), X.mean(axis=0)
    others = [nll_of(found(X, prior={"alpha0": [w], "beta0": w / mean})) for w in (0.25, 0.5, 1.0, 4.0, 8.0)]
    assert usual < min(others) + 4  # at most two nats for each of the two clusters
    assert usual < nll_of(found(X, prior=one_exposure(X))) + 1


def test_only_hyperparameters_that_are_not_given_follow_the_data():
    X = table()[:, [1, 3]]
    family: Any = dpviz.RunConfig(family="poisson", prior={"alpha0": 5.0}).family_for(X)
    assert_array_equal(family.alpha0, [5.0, 5.0])
    assert_array_equal(family.beta0, 2 / X.mean(axis=0))
