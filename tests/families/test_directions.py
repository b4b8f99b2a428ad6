"""Clusters in some directions of the columns: a density of the table, whatever its units, and what auto finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import multigammaln
from scipy.stats import multivariate_t

import dpviz
import examples
from dpviz.analysis.grids import run_configs
from dpviz.analysis.held_out import held_out_folds
from dpviz.analysis.merging import tree
from dpviz.analysis.parameters import hyperparameter_values
from dpviz.analysis.prediction import Predictor, contribution_table, predict
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families.directions import Directions, gaussian_of
from dpviz.fit.automatic import resolve
from dpviz.fit.directions import parallel_analysis
from dpviz.metrics import ari

GROUPS = np.repeat(np.arange(3), 40)


def lumps(seed: int = 0, n_columns: int = 5) -> np.ndarray:
    """Three groups in columns of different units."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(GROUPS), n_columns)) + 6 * rng.normal(size=(3, n_columns))[GROUPS]
    return X * np.linspace(0.5, 40, n_columns) + np.linspace(-7, 90, n_columns)


def turned(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Principal coordinates of standardised columns, their directions by a method of its own, and the deviations."""
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / spread
    _, _, axes = np.linalg.svd(Z, full_matrices=False)
    axes = axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    return Z @ axes.T, axes.T, spread


def one_gaussian(Y: np.ndarray) -> float:
    """Log marginal under the usual normal–Wishart prior: m0 = mean, c0 = .1, a0 = C + 2, Ψ0 = S/N."""
    n, c = Y.shape
    scatter = (Y - Y.mean(axis=0)).T @ (Y - Y.mean(axis=0))
    a0, a = c + 2, c + 2 + n
    determinants = a0 * np.linalg.slogdet(scatter / n)[1] - a * np.linalg.slogdet(scatter / n + scatter)[1]
    gammas = multigammaln(a / 2, c) - multigammaln(a0 / 2, c)
    return float(-n * c / 2 * np.log(np.pi) + gammas + determinants / 2 + c / 2 * np.log(0.1 / (0.1 + n)))


# --- the density ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", examples.GAUSSIAN)
@pytest.mark.parametrize("q", [1, 2, 4])
def test_nll_is_that_of_the_leading_coordinates_the_others_as_one_gaussian_and_the_units(family, q):
    X = lumps()
    Y, _, spread = turned(X)
    of_table, alone = (
        dpviz.RunConfig(family=family, prior=None, directions=q),
        dpviz.RunConfig(family=family, prior=None),
    )
    leading = partition_nll(Problem(Y[:, :q].copy(), alone), [GROUPS])[0]
    expected = leading - one_gaussian(Y[:, q:]) + len(X) * np.log(spread).sum()
    assert partition_nll(Problem(X, of_table), [GROUPS])[0] == pytest.approx(expected, rel=1e-10)


def test_all_directions_of_a_full_covariance_are_the_columns_and_no_direction_is_one_gaussian():
    X = lumps()
    plain = dpviz.RunConfig(family="normal_wishart", prior=None)
    expected, found = (
        partition_nll(Problem(X, config), [GROUPS])[0] for config in (plain, replace(plain, directions=X.shape[1]))
    )
    assert found == pytest.approx(expected, rel=1e-10)
    none = Directions.of(X, 0)
    density = gaussian_of(none.others(X))[1] + len(X) * (none.log_jacobian + none.log_jacobian_of_others)
    assert density == pytest.approx(one_gaussian(X), rel=1e-10)


def test_few_rows_give_the_others_a_diagonal_covariance():
    X = lumps(n_columns=30)[::6]
    Y, _, spread = turned(X)
    config = dpviz.RunConfig(family="normal_gamma", prior=None)
    own = partition_nll(Problem(Y[:, :2].copy(), config), [GROUPS[::6]])[0]
    diagonal = sum(one_gaussian_column(column) for column in Y[:, 2 : len(X) - 1].T)
    found = partition_nll(Problem(X, replace(config, directions=2)), [GROUPS[::6]])[0]
    assert found == pytest.approx(own - diagonal + len(X) * np.log(spread).sum(), rel=1e-8)


def one_gaussian_column(y: np.ndarray) -> float:
    """Log marginal under the usual normal–gamma prior: c0 = .1, a0 = 1.5, b0 = half the variance; a multivariate t."""
    n, variance = len(y), y.var()
    shape = variance / 2 / 1.5 * (np.eye(n) + np.ones((n, n)) / 0.1)
    return float(multivariate_t.logpdf(y, np.full(n, y.mean()), shape, df=3))


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma"])
def test_units_and_order_of_columns_change_nothing_but_the_units_of_nll(family):
    X, rng = lumps(), np.random.default_rng(1)
    factors, order = rng.uniform(1e-3, 1e3, X.shape[1]), rng.permutation(X.shape[1])
    config = dpviz.RunConfig(family=family, directions=2, n_init=2)
    one, other = dpviz.run(X, config), dpviz.run((X * factors)[:, order], config)
    assert ari(one.result_labels, other.result_labels) == 1
    assert other.nll[-1] == pytest.approx(one.nll[-1] + len(X) * np.log(factors).sum(), rel=1e-9)


@pytest.mark.parametrize("family", ["normal_wishart", "normal_gamma"])
def test_new_rows_have_the_density_that_the_joint_one_implies(family):
    """p(x | X, z) = Σ_k p(X, x, z, k) / p(X, z), with directions and hyperparameters held."""
    X, new = lumps(), lumps(3)[::30]
    config = dpviz.RunConfig(family=family, prior=None, directions=2, init=GROUPS, n_init=1, max_sweeps=1, effort=0)
    trace = dpviz.run(X, config)
    labels, problem = trace.result_labels, Problem(X, trace.config)
    found, model = predict(X, trace, new).log_density, problem.model
    directions = problem.directions
    weights = np.append(np.bincount(labels), 3.0) / (len(X) + 3)
    units = directions.log_jacobian + directions.log_jacobian_of_others
    prior_of_others = type(model.others).from_prior(None, directions.others(X))
    for row, log_density in zip(new, found, strict=True):
        y, r = directions.leading(row[None]), directions.others(np.vstack([X, row]))
        others = prior_of_others.log_marginal(r) - prior_of_others.log_marginal(r[:-1])
        terms = []
        for k in range(len(weights)):
            members = directions.leading(X[labels == k])
            before = problem.family.log_marginal(members) if len(members) else 0.0
            terms.append(problem.family.log_marginal(np.vstack([members, y])) - before)
        assert log_density == pytest.approx(np.log(weights @ np.exp(terms)) + others + units, rel=1e-9)


# --- everything that reads a run --------------------------------------------------------------------------------------


def test_a_run_s_own_rows_are_predicted_where_they_are():
    X = lumps()
    fitted = dpviz.MAPDP(directions=2, random_state=0).fit(X)
    assert fitted.trace_.config.directions == 2 and fitted.n_clusters_ == 3
    assert_array_equal(fitted.predict(X), fitted.labels_)
    assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)
    assert_allclose(fitted.score_samples(X), predict(X, fitted.trace_, X).log_density)
    assert fitted.means_.shape == (3, 5) and fitted.covariances_.shape == (3, 5, 5)
    for k in range(3):
        own = X[fitted.labels_ == k]
        assert np.all(np.abs(fitted.means_[k] - own.mean(axis=0)) < 0.6 * X.std(axis=0))
    assert tree(X, fitted.trace_).labels(2).max() == 1


def test_a_point_s_terms_are_those_of_the_columns_and_add_up():
    X = lumps()
    trace = dpviz.run(X, dpviz.RunConfig(directions=2))
    table = contribution_table(X, trace, X[7], [f"c{d}" for d in range(5)])
    assert list(table.index[:5]) == [f"c{d}" for d in range(5)]
    assert_allclose(table.sum(), predict(X, trace, X[7:8]).scores[0])
    costs = dpviz.explain_assignment(X, trace, -1, 7)
    formula = Problem(X, trace.config).model.posterior(
        X[(trace.result_labels == trace.result_labels[7]) & (np.arange(120) != 7)]
    )
    assert formula.formula(X[7]).value == pytest.approx(costs.neg_log_predictive[trace.result_labels[7]])


def test_shapes_hold_their_share_of_the_points_in_the_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3)) @ rng.normal(size=(3, 3))
    problem = Problem(X, dpviz.RunConfig(family="normal_wishart", prior=None, directions=1))
    t = problem.model.summarise(X).predictive
    for axes in (np.eye(3)[:2], np.eye(3)[1:], rng.normal(size=(2, 3))):
        centre, half = t.ellipse(0.95, axes)
        inside = np.sum(np.linalg.solve(half, (X @ axes.T - centre).T) ** 2, axis=0) <= 1
        assert inside.mean() == pytest.approx(0.95, abs=0.02)


def test_folds_turn_the_columns_again():
    X = lumps()
    config = dpviz.RunConfig(directions=2, n_init=2)
    for fold in held_out_folds(X, config, 3):
        training = np.delete(X, fold.rows, axis=0)
        expected = predict(training, dpviz.run(training, config), X[fold.rows]).log_density
        assert_allclose(fold.log_density, expected)


def test_gibbs_draws_the_posterior_of_the_leading_coordinates():
    X = lumps()[::10]
    Y, _, _ = turned(X)
    config = dpviz.RunConfig("gibbs", family="normal_gamma", prior=None, n_sweeps=200, seed=1)
    one, other = dpviz.run(X, replace(config, directions=2)), dpviz.run(Y[:, :2].copy(), config)
    assert_array_equal(one.labels, other.labels)
    resumed = dpviz.resume(X, dpviz.run(X, replace(config, directions=2, n_sweeps=120)), 200)
    assert_array_equal(resumed.labels, one.labels)


def test_hyperparameters_are_those_of_the_coordinates():
    X = lumps()
    values = hyperparameter_values(dpviz.RunConfig(family="normal_wishart", prior=None, directions=2), X)
    assert_allclose(values["psi0"], np.diag(Directions.of(X, 2).deviations[:2] ** 2), atol=1e-12)
    config = dpviz.RunConfig(family="normal_wishart", directions=2, prior={"psi0": np.eye(2) / 4, "c0": 0.2})
    assert dpviz.run(X, config).n_clusters[-1] >= 2


# --- auto -------------------------------------------------------------------------------------------------------------


def hidden(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two groups that the directions of largest variance say nothing of."""
    rng, groups = np.random.default_rng(seed), np.repeat([0, 1], 150)
    noise = rng.normal(size=(300, 10))
    if kind == "a direction of small variance":
        axes = np.linalg.qr(rng.normal(size=(8, 8)))[0]
        scores = rng.normal(size=(300, 8)) * [5, 4, 3, 0.5, 0.5, 0.5, 0.5, 0.5]
        scores[:, 3] += 4 * groups
        return scores @ axes, groups
    own = rng.normal(size=300) + 6 * groups
    if kind == "one of many columns":
        return np.column_stack([noise, own]), groups
    factors = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 10)) * 1.5
    return np.column_stack([noise + factors, own]), groups


@pytest.mark.parametrize("kind", ["a direction of small variance", "one of many columns", "a column beside factors"])
def test_auto_finds_groups_that_the_leading_directions_hide(kind):
    for seed in range(3):
        X, groups = hidden(kind, seed)
        fitted = dpviz.MAPDP(directions="auto", n_init=3, effort=0.1, random_state=seed).fit(X)
        named = "into two groups that these clusters do not tell apart" in fitted.notes_[-1]
        assert ari(groups, fitted.labels_) > 0.9 or named, (kind, seed)
        assert any("all directions" in note for note in fitted.notes_) == (
            fitted.trace_.config.directions in (None, X.shape[1])
        )


def test_auto_keeps_the_columns_where_their_clusters_are_apart():
    for seed in range(5):
        X = lumps(seed, n_columns=12)
        choice = resolve(X, dpviz.RunConfig(partition="auto", directions="auto"))
        assert choice.config.directions is None and "look like parts of one group" in " ".join(choice.notes)
        assert ari(GROUPS, dpviz.run(X, choice.config).result_labels) > 0.95


def in_factors(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three groups in two factors of 20 columns, which are one cluster of full covariance in the columns."""
    rng, groups = np.random.default_rng(seed), np.repeat([0, 1, 2], 100)
    scores = np.array([[0, 0], [6, 0], [3, 5]])[groups] + rng.normal(size=(300, 2))
    return scores @ rng.normal(size=(2, 20)) + 2 * rng.normal(size=(300, 20)), groups


def test_auto_takes_directions_where_the_columns_do_not_tell_groups_apart():
    for seed in range(3):
        X, groups = in_factors(seed)
        config = dpviz.RunConfig(partition="auto", directions="auto")
        choice, plain = resolve(X, config), dpviz.run(X, dpviz.RunConfig(partition="auto"))
        assert choice.config.directions == 2 and "first 2 of 20" in " ".join(choice.notes)
        assert ari(groups, dpviz.run(X, choice.config).result_labels) > max(ari(groups, plain.result_labels), 0.85)


def test_one_gaussian_is_one_cluster():
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(500, 40))
        for table in (X, X @ rng.normal(size=(40, 5)) @ rng.normal(size=(5, 40)) + 3 * X):
            trace = dpviz.run(table, dpviz.RunConfig(partition="auto", directions="auto", n_init=2, effort=0.02))
            assert len(np.unique(trace.result_labels)) == 1


def test_auto_says_what_the_leading_directions_leave_out(monkeypatch):
    monkeypatch.setattr("dpviz.fit.directions._are_separate", lambda X, choice: False)
    rng = np.random.default_rng(0)
    X = np.vstack([lumps(0, 12), lumps(0, 12) + rng.normal(size=(120, 12))])
    apart = rng.permutation(np.repeat([0, 30.0], 120)) + rng.normal(size=240)
    config = dpviz.RunConfig(partition="auto", directions="auto")
    notes = resolve(np.column_stack([X, apart]), config, [*"abcdefghijkl", "z"]).notes
    assert any(note.startswith("The other 11 directions are not one Gaussian: ") for note in notes)
    assert "Column “z” falls into two groups that these clusters do not tell apart." in notes


def test_parallel_analysis_counts_factors():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 15)) * 1.5 + rng.normal(size=(300, 15))
        assert parallel_analysis(X) in (2, 3)
        assert parallel_analysis(rng.normal(size=(300, 15))) <= 1


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [0, -1, 2.5, "two", True, [2], np.nan])
def test_what_is_no_number_of_directions_is_refused(wanted):
    with pytest.raises(
        InvalidParameterError, match=r"directions = .* must be a whole number from 1, 'auto', 'any', or None"
    ):
        dpviz.RunConfig(directions=wanted)


def test_more_directions_than_the_data_vary_in_are_refused():
    X = lumps()
    for table, most in ((X, 5), (np.column_stack([X, X[:, :2], np.full(120, 3.0)]), 5), (lumps(n_columns=30)[:8], 7)):
        assert np.isfinite(dpviz.run(table, dpviz.RunConfig(directions=most, n_init=1)).nll).all()
        with pytest.raises(InvalidParameterError, match=f"directions = {most + 1} must be at most {most}"):
            dpviz.run(table, dpviz.RunConfig(directions=most + 1))
    with pytest.raises(InvalidParameterError, match="at most 5"):  # before so many names are made
        resolve(X, dpviz.RunConfig(directions=10**12))
    with pytest.raises(InvalidParameterError, match="at most 0"):
        dpviz.run(np.ones((9, 3)), dpviz.RunConfig(directions=1))


@pytest.mark.parametrize("family", ["auto", "normal_gamma"])
def test_columns_of_named_kinds_have_directions_too(family):
    X, config = lumps(), dpviz.RunConfig(family=family, directions=2, effort=0.0)
    named = resolve(X, replace(config, kinds=("continuous",) * X.shape[1]))
    assert replace(named.config, kinds=None) == resolve(X, config).config
    with pytest.raises(InvalidParameterError, match="one word per column"):
        resolve(X, replace(config, kinds=("continuous",) * 2))


def test_constant_and_repeated_columns_change_no_clusters():
    X = lumps()
    plain = dpviz.run(X, dpviz.RunConfig(directions=2, n_init=2))
    constant = dpviz.run(np.column_stack([X, np.full(120, 1e6)]), dpviz.RunConfig(directions=2, n_init=2))
    assert_array_equal(plain.result_labels, constant.result_labels)
    assert constant.nll[-1] == pytest.approx(plain.nll[-1])
    repeated = dpviz.run(np.column_stack([X, 2 * X]), dpviz.RunConfig(directions=2, n_init=2))
    assert_array_equal(plain.result_labels, repeated.result_labels)


def test_rows_off_the_directions_of_the_data_have_no_density():
    X = lumps()
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(len(X), 7.0)])  # one that follows from others, one constant
    trace = dpviz.run(X, dpviz.RunConfig("mapdp", family="normal_wishart", directions=2, effort=0.0))
    predictor = Predictor(X, trace)
    new = X[:6] + 0.0
    new[:, 2] += 1.0  # nothing follows from this column
    new[1, 6], new[2, 5], new[3, :2], new[3, 5] = 8.0, 40.0, (4.0, 1.0), 2.0
    wrong = predictor.impossible(new)
    assert np.flatnonzero(wrong.any(axis=1)).tolist() == [1, 2]
    assert np.flatnonzero(wrong[1]).tolist() == [6] and wrong[2, 5] and not wrong[2, 6]
    assert np.isfinite(predictor.predict(new[[0, 3, 4, 5]]).log_density).all()
    estimator = dpviz.MAPDP(family="normal_wishart", directions=2, effort=0.0, concentration=None).fit(X)
    for door in (predictor.predict, estimator.predict, estimator.predict_proba, estimator.score_samples):
        with pytest.raises(InvalidDataError, match="row 1 has values in column 6 that lead off the directions"):
            door(new)


@pytest.mark.parametrize("odd", [1.0, 1e6])
def test_folds_in_fewer_directions_than_others_are_not_averaged(odd):
    X = np.column_stack([lumps(), np.zeros(len(lumps()))])
    X[17, -1] = odd  # its fold is fitted to a constant column
    config = dpviz.RunConfig("mapdp", family="normal_wishart", directions=2, effort=0.0)
    with pytest.raises(InvalidDataError, match="of 5 has rows that vary where the rows it is fitted to do not"):
        list(held_out_folds(X, config))
    (cell,) = run_configs(X, [config], None, 5, 1)
    assert np.isnan(cell.held_out) and np.isfinite(cell.nll)
    assert all(np.isfinite(fold.mean) for fold in held_out_folds(X, replace(config, directions=None)))


def test_missing_cells_have_no_direction():
    X = lumps()
    gaps = X.copy()
    gaps[3, 1] = np.nan
    with pytest.raises(InvalidDataError, match="Directions combine all columns of a row: drop or fill"):
        dpviz.run(gaps, dpviz.RunConfig(directions=2))
    choice = resolve(np.hstack([gaps, gaps]), dpviz.RunConfig(directions="auto"))
    assert choice.config.directions is None and "cells are missing" in choice.notes[-1]
    fitted = dpviz.MAPDP(directions=2, random_state=0).fit(X)
    for ask in (fitted.predict, fitted.score_samples):
        with pytest.raises(InvalidDataError, match="Directions combine"):
            ask(gaps)


@pytest.mark.parametrize("kinds", [("real", "count"), ("categorical", "categorical"), ("count", "count")])
def test_codes_and_counts_have_no_direction(kinds):
    for wanted in (1, "auto"):
        with pytest.raises(InvalidParameterError, match="directions combine real columns"):
            dpviz.RunConfig(directions=wanted).with_kinds(kinds)
    assert dpviz.RunConfig(family="normal_wishart", directions=1).with_kinds(kinds).directions == 1
    assert dpviz.RunConfig("kmeans", directions=1).with_kinds(kinds).directions == 1  # ignored, as other options are


@pytest.mark.parametrize("algorithm", ["mapdp", "gibbs"])
def test_operations_are_estimated_before_the_data_choose_directions(algorithm):
    config = dpviz.RunConfig(algorithm, family="normal_wishart", prior=None, directions="auto")
    method = ALGORITHMS[algorithm]
    assert method.operations(config, 100, 9) == method.operations(replace(config, directions=None), 100, 9)
