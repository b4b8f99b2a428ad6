"""Nearly singular scatter and far prior means: the right nll, or a clear refusal, never a silent wrong one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln, multigammaln

import dpviz
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import IllConditionedError

EXTENDED = np.longdouble


def redundant(n_points: int) -> np.ndarray:
    Z = np.random.default_rng(0).normal(size=(n_points, 2))
    return np.column_stack([Z, Z.sum(axis=1)])


def config(m0: np.ndarray, psi0: np.ndarray) -> dpviz.RunConfig:
    prior = {"m0": m0, "c0": 0.1, "a0": len(m0) + 2.0, "psi0": psi0}
    return dpviz.RunConfig(family="normal_wishart", prior=prior, n_init=2, effort=0.01)


def log_determinant(matrix: np.ndarray) -> np.longdouble:
    """By elimination in extended precision."""
    left, total = matrix.astype(EXTENDED), EXTENDED(0)
    for column in range(len(left)):
        total += np.log(left[column, column])
        for row in range(column + 1, len(left)):
            left[row] -= left[row, column] / left[column, column] * left[column]
    return total


def one_cluster(X: np.ndarray, m0: np.ndarray, psi0: np.ndarray) -> float:
    """Negative ln p(X, z) of a single cluster with c0 = 0.1, a0 = D + 2, N0 = 3, in extended precision."""
    wide, (n, n_features) = X.astype(EXTENDED), X.shape
    a0, c0, shift = n_features + 2.0, EXTENDED(0.1), wide.mean(axis=0) - m0
    centred = wide - wide.mean(axis=0)
    scatter = psi0 + centred.T @ centred + c0 * n / (c0 + n) * np.outer(shift, shift)
    log_marginal = (
        -n * n_features / 2 * np.log(np.pi)
        + multigammaln((a0 + n) / 2, n_features)
        - multigammaln(a0 / 2, n_features)
        + a0 / 2 * log_determinant(psi0)
        - (a0 + n) / 2 * log_determinant(scatter)
        + n_features / 2 * np.log(c0 / (c0 + n))
    )
    return float(-(log_marginal + np.log(3.0) + gammaln(n) - gammaln(3.0 + n) + gammaln(3.0)))


@pytest.mark.parametrize("n_points", [30, 100, 1000, 5000])
@pytest.mark.parametrize("exponent", range(-14, 1))
def test_redundant_columns_have_the_right_nll_or_are_refused_by_name(n_points, exponent):
    X, psi0 = redundant(n_points), 10.0**exponent * np.eye(3)
    given = config(np.zeros(3), psi0)
    try:
        Problem.check(X, given)
    except IllConditionedError as error:
        assert exponent <= -6 and "columns 0, 1, 2 of X depend on each other" in str(error)
        return
    assert exponent >= -11
    found = partition_nll(Problem(X, given), [np.zeros(n_points)])[0]
    assert found == pytest.approx(one_cluster(X, np.zeros(3), psi0), abs=0.1)


@pytest.mark.parametrize("scale", [1e-11, 1e-13])
def test_what_lost_nats_silently_is_refused(scale):
    with pytest.raises(IllConditionedError, match="depend on each other"):
        dpviz.run(redundant(1000), config(np.zeros(3), scale * np.eye(3)))
    with pytest.raises(IllConditionedError, match="depend on each other"):
        dpviz.MAPDP(prior={"psi0": scale * np.eye(3)}).fit(redundant(1000))


@pytest.mark.parametrize("distance", [1e3, 1e5, 9e5, 2e6, 1e7, 1e9])
def test_a_far_prior_mean_has_the_right_nll_or_is_refused(distance):
    X = np.random.default_rng(0).normal(size=(100, 3))
    m0 = X.mean(axis=0) + distance * np.array([0.5, 0.0, 1.0])
    given = config(m0, np.eye(3))
    if distance > 1.5e6:
        with pytest.raises(IllConditionedError, match=r"prior\['m0'\] lies .* standard deviations .* column 2 of X"):
            dpviz.run(X, given)
        return
    found = partition_nll(Problem(X, given), [np.zeros(100)])[0]
    assert found == pytest.approx(one_cluster(X, m0, np.eye(3)), abs=1e-3)


def test_a_scatter_too_small_for_clusters_of_few_points_is_refused():
    X = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(IllConditionedError, match=r"prior\['psi0'\] is .* of the variance"):
        dpviz.run(X, config(np.zeros(3), 1e-16 * np.eye(3)))


def test_units_do_not_matter():
    X, units = redundant(200), np.array([1e-6, 1.0, 1e9])
    for scale, refused in ((1e-3, False), (1e-13, True)):
        prior = {"psi0": scale * np.diag(units**2), "m0": np.zeros(3)}
        given = dpviz.RunConfig(family="normal_wishart", prior=prior)
        if refused:
            with pytest.raises(IllConditionedError):
                Problem.check(X * units, given)
        else:
            Problem.check(X * units, given)


def test_the_default_choice_copes_with_a_redundant_column():
    trace = dpviz.run(redundant(300), dpviz.RunConfig(n_init=2, effort=0.01))
    assert trace.config.family == "normal_gamma" and np.isfinite(trace.nll).all()
