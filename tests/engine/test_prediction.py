"""Further points of every family, with and without gaps, against ratios of marginals written plainly."""

from __future__ import annotations

import tracemalloc

import naive
import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats
from scipy.special import logsumexp, softmax

import dpviz
import examples
from dpviz import _jit
from dpviz.analysis.evaluation import folds_of
from dpviz.analysis.grids import run_configs
from dpviz.analysis.held_out import HeldOut, folds_estimate, held_out_folds
from dpviz.analysis.prediction import TOGETHER, WEIGHT, Prediction, Predictor, contribution_table, predict
from dpviz.engine.algorithms.centre_based import NearestCentres
from dpviz.engine.kernels.collapsed_sweep import decide, rebuild_slots
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families import FAMILIES

LABELS = np.arange(30) % 3
DEPENDENT = [name for name in FAMILIES if name not in examples.INDEPENDENT]


def data_of(family: str, n_points: int = 30, seed: int = 0) -> np.ndarray:
    return FAMILIES[family].example_data(n_points, examples.n_features(family), seed)


def hyperparameters(family: str, columns: int = 0) -> dict:
    own = examples.hyperparameters(family, columns or examples.n_features(family))
    if family == "geometric":  # its tail is a power of −α₀: sums over values then end within the digits
        own["alpha0"] = own["alpha0"] + 7.0
    return own


def fitted(family: str, X: np.ndarray, prior: str = "chinese_restaurant") -> dpviz.MAPDP:
    """An estimator whose run ends in any partition."""
    partition, own = examples.partition_prior(prior), hyperparameters(family)
    return dpviz.MAPDP(family, partition=partition, prior=own, init=LABELS, n_init=1, max_sweeps=3).fit(X)


def fit(family: str, X: np.ndarray) -> dpviz.Trace:
    return fitted(family, X).trace_


def log_marginal(family: str, X: np.ndarray) -> float:
    if np.isnan(X).any():
        return naive.with_gaps(X, family, hyperparameters(family))
    return float(naive.LOG_MARGINALS[family](X, **hyperparameters(family)))


def log_weights(labels: np.ndarray, prior: str = "chinese_restaurant") -> np.ndarray:
    """Ln of the probabilities that one more point joins each cluster, or opens one, (K + 1,)."""
    sizes = [*np.bincount(labels).tolist(), 0]
    seated = [[n + (j == k) for j, n in enumerate(sizes) if n or j == k] for k in range(len(sizes))]
    weights = np.array([naive.partition_log_weight(prior, after) for after in seated])
    return weights - logsumexp(weights)


def expected_scores(
    family: str, X: np.ndarray, labels: np.ndarray, points: np.ndarray, prior: str = "chinese_restaurant"
) -> np.ndarray:
    """Ln of weight × p(x, cluster)/p(cluster), (n, K + 1)."""
    weights = log_weights(labels, prior)
    scores = np.empty((len(points), len(weights)))
    for k in range(len(weights)):
        members = X[labels == k]
        alone = log_marginal(family, members) if len(members) else 0.0
        scores[:, k] = [log_marginal(family, np.vstack([members, x])) - alone for x in points]
    return scores + weights


@pytest.mark.parametrize(("family", "prior"), examples.every_family_with(examples.PRIORS, 0, 2, 4))
def test_every_family_against_ratios_of_marginals(family, prior):
    X, points = data_of(family), data_of(family, 9, seed=1)
    model = fitted(family, X, prior)
    labels = model.labels_
    found, scores = predict(X, model.trace_, points), expected_scores(family, X, labels, points, prior)
    best = scores.argmax(axis=1)
    assert_allclose(found.scores, scores, rtol=1e-8, atol=1e-8)
    assert_array_equal(found.clusters, np.where(best == scores.shape[1] - 1, -1, best))
    assert_allclose(found.probabilities, softmax(scores, axis=1), rtol=1e-7, atol=1e-12)
    assert_allclose(found.new_probability, softmax(scores, axis=1)[:, -1], rtol=1e-7, atol=1e-12)
    assert_allclose(found.log_density, logsumexp(scores, axis=1), rtol=1e-8)
    under_best = scores.max(axis=1) - log_weights(labels, prior)[best]
    assert_allclose(found.map_log_density, under_best, rtol=1e-8, atol=1e-8)
    assert_array_equal(model.predict(points), found.clusters)
    assert_allclose(model.score_samples(points), found.log_density, rtol=1e-12)
    assert model.score(points) == pytest.approx(found.log_density.mean(), rel=1e-12)
    assert model.predict(points).dtype == np.int64


@pytest.mark.parametrize("family", examples.INDEPENDENT)
@pytest.mark.parametrize("also_in_the_data", [False, True])
def test_missing_cells_are_left_out_of_products(family, also_in_the_data):
    X, points = data_of(family), data_of(family, 6, seed=2)
    rng = np.random.default_rng(3)
    points[rng.random(points.shape) < 0.4] = np.nan
    points[0], points[1, 0] = np.nan, np.nan
    if also_in_the_data:
        X[5:, :][rng.random(X[5:].shape) < 0.2] = np.nan
    trace = fit(family, X)
    found, scores = predict(X, trace, points), expected_scores(family, X, trace.result_labels, points)
    assert_allclose(found.scores, scores, rtol=1e-8, atol=1e-8)
    assert_allclose(found.probabilities[0], np.exp(log_weights(trace.result_labels)), rtol=1e-9)
    assert found.log_density[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("family", [name for name in DEPENDENT if "multinomial" not in name])
def test_missing_cells_are_integrated_out_of_full_covariances(family):
    X = data_of(family)
    trace = fit(family, X)
    seen = 0.7
    found = predict(X, trace, [[seen, np.nan]])

    def density(other, k):
        point = np.array([[seen, other]])
        return float(np.exp(expected_scores(family, X, trace.result_labels, point)[0, k]))

    for k in range(found.scores.shape[1]):
        total, _ = integrate.quad(density, -np.inf, np.inf, args=(k,), epsabs=1e-13)
        assert np.exp(found.scores[0, k]) == pytest.approx(total, rel=1e-6)


DISCRETE = {"poisson": 2000, "geometric": 2000, "binomial": None, "categorical": None}
"""Values up to which probabilities are summed; None: all that are possible."""


@pytest.mark.parametrize("family", DISCRETE)
def test_a_missing_count_or_category_is_summed_over(family):
    X = data_of(family)
    trace, point = fit(family, X), data_of(family, 3, seed=4)[1]
    last = DISCRETE[family]
    if last is None:
        own = hyperparameters(family)
        last = int(own["trials"][1]) if family == "binomial" else int(own["n_categories"][1]) - 1
    every = np.tile(point, (last + 1, 1))
    every[:, 1] = np.arange(last + 1)
    summed = logsumexp(predict(X, trace, every).scores, axis=0)
    found = predict(X, trace, [[point[0], np.nan]])
    assert_allclose(found.scores[0], summed, rtol=1e-9)


# --- contributions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_columns_add_up_to_the_scores(family):
    X, points = data_of(family), data_of(family, 4, seed=5)
    trace = fit(family, X)
    predictor = Predictor(X, trace)
    found = predictor.contributions(points)
    assert_allclose(found.scores, predictor.predict(points).scores, rtol=1e-9, atol=1e-9)
    products = family not in DEPENDENT
    divided = "multinomial" in family  # what the total adds
    assert bool(np.all(found.together == 0)) == (products or divided)
    if products:  # each column by itself, as a table of one column
        assert_allclose(found.weights, log_weights(trace.result_labels), rtol=1e-9)
        for d in range(X.shape[1]):
            alone = np.full(points.shape, np.nan)
            alone[:, d] = points[:, d]
            scores = expected_scores(family, X, trace.result_labels, alone)
            assert_allclose(found.columns[:, :, d], scores - found.weights, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("family", ["normal_gamma", "normal_wishart"])
def test_no_column_speaks_for_a_cluster_that_the_prior_rules_out(family):
    """All components of the finite mixture are taken: a new cluster has weight 0, and its columns finite terms."""
    X, points = data_of(family), data_of(family, 4, seed=5)
    config = dpviz.RunConfig(
        family=family,
        prior=hyperparameters(family),
        partition=dpviz.FiniteDirichlet(1.0, 3),
        init=tuple(LABELS.tolist()),
        n_init=1,
        max_sweeps=1,
    )
    trace = dpviz.run(X, config)
    assert trace.result_labels.max() == 2
    found = Predictor(X, trace).contributions(points)
    assert np.all(np.isneginf(found.weights) == [False, False, False, True])
    assert np.isfinite(found.columns).all() and np.isfinite(found.together).all()
    assert_array_equal(np.isneginf(found.scores), np.isneginf(found.weights)[None, :].repeat(4, axis=0))
    assert_allclose(found.scores[:, :3], predict(X, trace, points).scores[:, :3], rtol=1e-9)
    alone = log_marginal(family, points[:1])  # in a cluster of its own, the prior's weight left out
    assert found.columns[0, 3].sum() + found.together[0, 3] == pytest.approx(alone, rel=1e-9)
    table = contribution_table(X, trace, points[0])
    assert table[-1].sum() == -np.inf and not table.isna().to_numpy().any()


@pytest.mark.parametrize("family", ["normal_gamma", "mixed", "normal_wishart"])
def test_missing_cells_contribute_nothing(family):
    X, points = data_of(family), data_of(family, 2, seed=6)
    points[0, 1] = np.nan
    predictor = Predictor(X, fit(family, X))
    found = predictor.contributions(points)
    assert np.all(found.columns[0, :, 1] == 0) and np.all(found.columns[1] != 0)
    assert_allclose(found.scores, predictor.predict(points).scores, rtol=1e-9)
    if family == "normal_wishart":
        assert np.all(found.together[0] == 0) and np.all(found.together[1] != 0)


def test_a_table_of_contributions_names_columns_and_clusters():
    X = data_of("normal_gamma")
    trace = fit("normal_gamma", X)
    table = contribution_table(X, trace, X[3], ["width", "height"])
    assert list(table.index) == ["width", "height", TOGETHER, WEIGHT]
    assert list(table.columns) == [*range(trace.result_labels.max() + 1), -1]
    assert_allclose(table.sum(), predict(X, trace, X[3:4]).scores[0], rtol=1e-12)
    assert list(contribution_table(X, trace, X[3]).index) == [0, 1, TOGETHER, WEIGHT]
    for point, names, said in (
        (1.5, (), "points have 1 columns"),
        (["a", "b"], (), "holds text"),
        (X[3], ["width"], "names has 1 entries"),
    ):
        with pytest.raises((InvalidDataError, InvalidParameterError), match=said):
            contribution_table(X, trace, point, names)


# --- other algorithms -------------------------------------------------------------------------------------------------


def blobs() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.repeat([[0.0, 0.0], [9.0, 1.0], [2.0, 12.0]], 15, axis=0) + rng.normal(size=(45, 2))


@pytest.mark.parametrize("sampler", ["collapsed", "explicit_parameters", "explicit_weights"])
def test_a_chain_averages_densities_and_assigns_by_its_best_draw(sampler):
    family, prior = "normal_gamma", "finite_dirichlet"
    X, points = data_of(family), data_of(family, 8, seed=7)
    model = dpviz.GibbsDP(
        family,
        partition=examples.partition_prior(prior),
        prior=hyperparameters(family),
        sampler=sampler,
        n_sweeps=14,
        burn_in=4,
        thin=2,
        random_state=1,
    ).fit(X)
    found = predict(X, model.trace_, points)
    assert_allclose(found.scores, expected_scores(family, X, model.labels_, points, prior), rtol=1e-8)
    draws = [expected_scores(family, X, draw.astype(int), points, prior) for draw in model.samples_]
    of_draws = [logsumexp(scores, axis=1) for scores in draws]
    assert len(draws) == 5
    assert_allclose(found.log_density, logsumexp(of_draws, axis=0) - np.log(5), rtol=1e-8)
    assert_allclose(model.score_samples(points), found.log_density, rtol=1e-12)


def test_units_only_shift_the_density():
    X, new = blobs(), blobs()[:7] + 0.3
    for model in (dpviz.MAPDP(random_state=0, family="normal_wishart", prior=None), dpviz.GaussianEM(random_state=0)):
        scores = model.fit(X).score_samples(new)
        scaled = model.fit(X * 1e3 + 77).score_samples(new * 1e3 + 77)
        assert_allclose(scaled, scores - 2 * np.log(1e3), rtol=1e-6)


def test_one_step_of_e_m_is_the_textbook_step():
    X = blobs()
    start = np.random.default_rng(3).integers(2, size=45)
    model = dpviz.GaussianEM(2, init=start, max_sweeps=1).fit(X)
    log_joint = []
    for k in range(2):
        group = X[start == k]
        normal = stats.multivariate_normal(group.mean(axis=0), np.cov(group.T, bias=True))
        log_joint.append(np.log(len(group) / 45) + normal.logpdf(X))
    density = np.zeros(45)
    for weight in softmax(log_joint, axis=0):
        mean = weight @ X / weight.sum()
        covariance = (weight[:, None] * (X - mean)).T @ (X - mean) / weight.sum()
        density += weight.mean() * stats.multivariate_normal(mean, covariance).pdf(X)
    assert_allclose(model.score_samples(X), np.log(density), atol=1e-4)
    assert model.trace_.objective[0] == pytest.approx(-logsumexp(log_joint, axis=0).sum(), rel=1e-4)
    assert model.objective_ == pytest.approx(-model.score_samples(X).sum(), rel=1e-12)


def test_em_has_probabilities_and_no_new_cluster():
    X, points = blobs(), blobs()[::6] - 0.7
    trace = dpviz.run(X, dpviz.RunConfig("em", n_components=3, n_init=2))
    found = predict(X, trace, points)
    weights, means, covariances = Predictor(X, trace)._fitted.moments()
    log_joint = np.array(
        [
            np.log(weight) + stats.multivariate_normal(mean, covariance).logpdf(points)
            for weight, mean, covariance in zip(weights, means, covariances, strict=True)
        ]
    ).T
    assert_allclose(found.scores, log_joint, rtol=1e-8, atol=1e-8)
    assert_allclose(found.log_density, logsumexp(log_joint, axis=1), rtol=1e-8)
    assert not found.opens_clusters and np.all(found.new_probability == 0)
    contributions = Predictor(X, trace).contributions(points)
    assert_allclose(contributions.scores, log_joint, rtol=1e-8, atol=1e-8)
    alone = stats.norm(means[1, 0], np.sqrt(covariances[1, 0, 0])).logpdf(points[:, 0])
    assert_allclose(contributions.columns[:, 1, 0], alone, rtol=1e-8)
    with pytest.raises(InvalidDataError, match="NaN"):
        predict(X, trace, [[1.0, np.nan]])


@pytest.mark.parametrize("config", [dpviz.RunConfig("kmeans", n_clusters=3), dpviz.RunConfig("dpmeans", penalty=40.0)])
def test_centres_know_the_nearest_alone(config):
    X, points = blobs() + 1e3, np.vstack([blobs()[::6] + 1.5, [[60.0, 60.0]]]) + 1e3
    trace = dpviz.run(X, config)
    found = predict(X, trace, points)
    centres = np.array([X[trace.result_labels == k].mean(axis=0) for k in np.unique(trace.result_labels)])
    squared = np.sum((points[:, None] - centres) ** 2, axis=2)
    new = squared.min(axis=1) > 40.0 if config.algorithm == "dpmeans" else np.zeros(len(points), dtype=bool)
    assert_array_equal(found.clusters, np.where(new, -1, squared.argmin(axis=1)))
    assert_array_equal(Predictor(X, trace)._fitted.predict(points), found.clusters)  # as estimators do
    assert_allclose(-found.scores[:, : len(centres)], squared, rtol=1e-9)
    assert found.probabilities is None and found.log_density is None and found.new_probability is None
    assert list(found.to_frame().columns) == ["cluster"]
    contributions = Predictor(X, trace).contributions(points)
    assert_allclose(contributions.scores, found.scores, rtol=1e-12)
    assert_allclose(-contributions.columns[:, 0], (points - centres[0]) ** 2, rtol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-5, 1e7])
def test_dp_means_says_new_beyond_the_penalty(scale):
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) * scale
    model = dpviz.DPMeans(penalty=4.0 * scale**2).fit(X)
    assert model.n_clusters_ == 1
    assert_allclose(model.cluster_centers_, [[0, 0]], atol=1e-15 * scale)
    reach = np.array([[1.999, 0], [2.0, 0], [2.001, 0], [1.5, 1.5], [1.4, 1.4]]) * scale
    assert_array_equal(model.predict(reach), [0, 0, -1, -1, 0])
    assert model.objective_ == pytest.approx((4 + 4) * scale**2)


# --- many points, and wrong ones --------------------------------------------------------------------------------------


def test_parts_are_the_whole(monkeypatch):
    X, points = data_of("mixed"), data_of("mixed", 57, seed=8)
    points[::5, 2] = np.nan
    predictor = Predictor(X, fit("mixed", X))
    whole = predictor.predict(points)
    monkeypatch.setattr("dpviz.analysis.prediction.MOST_ROWS", 10)
    parts = list(predictor.parts(points))
    assert [len(part.clusters) for part in parts] == [10, 10, 10, 10, 10, 7]
    joined = Prediction.joined(parts)
    for name in ("clusters", "scores", "probabilities", "log_density", "map_log_density"):
        assert_allclose(getattr(joined, name), getattr(whole, name), rtol=1e-12)
    assert predictor.estimate(200).operations > predictor.estimate(100).operations > 0


def test_impossible_cells_are_found_one_by_one():
    X = data_of("mixed", 60)
    predictor = Predictor(X, dpviz.run(X, dpviz.RunConfig(family="mixed", prior=hyperparameters("mixed"), n_init=1)))
    columns = [FAMILIES["mixed"].from_prior(hyperparameters("mixed"), X).column_kinds(6)]
    points = data_of("mixed", 200, seed=9)
    assert not predictor.impossible(points).any(), columns
    kinds = columns[0]
    wrong = {
        kinds.index("categorical"): 999.0,
        kinds.index("count"): -1.0,
        kinds.index("duration"): -0.5,
        kinds.index("ordinal"): 0.5,
    }
    expected = np.zeros(points.shape, dtype=bool)
    for row, (d, value) in zip((3, 77, 78, 199), wrong.items(), strict=True):
        points[row, d], expected[row, d] = value, True
    points[5] = np.nan
    assert_array_equal(predictor.impossible(points), expected)
    assert predictor.impossible(points, most=2).sum() == 2
    with pytest.raises(InvalidDataError, match="must be"):
        predictor.predict(points)


def test_wrong_data_and_points_are_refused():
    X = blobs()
    trace = dpviz.run(X, dpviz.RunConfig("kmeans", n_clusters=3))
    with pytest.raises(InvalidParameterError, match="X has 44 points, the trace 45"):
        predict(X[:-1], trace, X)
    with pytest.raises(InvalidDataError, match="other numbers"):
        predict(X + 1, trace, X)
    with pytest.raises(InvalidDataError, match="points have 3 columns; they must have 2"):
        predict(X, trace, np.zeros((4, 3)))
    with pytest.raises(InvalidDataError, match="NaN"):
        predict(X, trace, [[np.nan, 1.0]])


# --- folds ------------------------------------------------------------------------------------------------------------


CASES = [(family, gaps) for family in sorted(FAMILIES) for gaps in (False, True) if not (gaps and family in DEPENDENT)]


@pytest.mark.parametrize(("family", "gaps"), CASES)
def test_folds_against_fits_by_hand(family, gaps):
    X, own = data_of(family), hyperparameters(family)
    if gaps:
        X[np.random.default_rng(4).random(X.shape) < 0.2] = np.nan
    prior = examples.partition_prior("chinese_restaurant")
    config = dpviz.RunConfig(family=family, prior=own, partition=prior, init="single", n_init=1, seed=3)
    found = HeldOut.of(list(held_out_folds(X, config, 3)), len(X))
    folds = folds_of(X, config, 3)
    for fold in found.folds:
        training, points = X[folds != fold.number], X[folds == fold.number]
        assert_array_equal(fold.rows, np.flatnonzero(folds == fold.number))
        trace = dpviz.run(training, config)
        scores = expected_scores(family, training, trace.result_labels, points)
        assert_allclose(fold.log_density, logsumexp(scores, axis=1), rtol=1e-7)
        assert fold.n_clusters == scores.shape[1] - 1
    (cell,) = run_configs(X, [config], n_folds=3, n_jobs=1)
    assert cell.held_out == pytest.approx(found.mean, rel=1e-12)
    assert found.mean == pytest.approx(found.log_density.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(stats.sem(found.log_density), rel=1e-12)


def test_folds_do_not_depend_on_how_many_are_fitted_side_by_side():
    X = dpviz.datasets.load("iris").X
    config = usual_config(family="normal_gamma", init="single", n_init=1)
    alone, together = (list(held_out_folds(X, config, 4, n_jobs)) for n_jobs in (1, 2))
    assert [fold.number for fold in together] == [0, 1, 2, 3]
    for fold, same in zip(alone, together, strict=True):
        np.testing.assert_array_equal(same.rows, fold.rows)
        np.testing.assert_array_equal(same.log_density, fold.log_density)


def test_folds_hold_out_categories_that_the_rest_lacks():
    X = np.column_stack([np.arange(24) % 2, np.arange(24) % 3]).astype(float)
    X[4, 1] = 7.0  # only one row has it
    config = dpviz.RunConfig(kinds=["binary", "categorical"], init="single", n_init=1)
    found = HeldOut.of(list(held_out_folds(X, config, 4)), 24)
    assert np.isfinite(found.log_density).all() and found.log_density[4] < np.median(found.log_density)


FILLING = {
    "normal_wishart": usual_config("gibbs", n_sweeps=12, burn_in=4),
    "mode": usual_config(missing="impute", n_init=1, init="single"),
    "mixed": dpviz.RunConfig(
        "gibbs",
        family="mixed",
        prior={"columns": ["normal_wishart", "normal_wishart", "count"]},
        n_sweeps=12,
        burn_in=4,
    ),
}


def gauss_legendre(ends: list[float], n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for integrals from the first end to the last, piece by piece."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    ends = np.array(ends, dtype=float)
    halves = np.diff(ends) / 2
    return (ends[:-1, None] + halves[:, None] * (nodes + 1)).ravel(), (halves[:, None] * weights).ravel()


@pytest.mark.parametrize("config", FILLING.values(), ids=FILLING)
def test_runs_that_fill_cells_in_predict_points_with_gaps(config):
    X = np.column_stack([blobs(), np.arange(45) % 4])
    X[np.random.default_rng(2).random(X.shape) < 0.1] = np.nan
    trace = dpviz.run(X, config)
    predictor = Predictor(X, trace)
    points = np.array([[0.0, 0.5, 1.0], [np.nan, 1.0, 3.0], [np.nan, np.nan, 2.0], [np.nan] * 3])
    found, contributions = predictor.predict(points), predictor.contributions(points)
    assert_allclose(contributions.scores, found.scores, rtol=1e-9)
    assert np.all(contributions.columns[3] == 0) and found.log_density[3] == pytest.approx(0, abs=1e-9)
    for hidden in (0, 1):  # what is left out is what is integrated over
        point = np.array([[2.0, 1.0, 3.0]])
        point[0, hidden] = np.nan
        totals = []
        for n_nodes in (20, 30):
            x, weights = gauss_legendre([-500, -50, -15, -5, *range(-2, 16), 20, 30, 65, 500], n_nodes)
            whole = np.repeat(point, len(x), axis=0)
            whole[:, hidden] = x
            totals.append(weights @ np.exp(predictor.predict(whole).log_density))
        assert totals[0] == pytest.approx(totals[1], rel=1e-6), "the quadrature has converged"
        assert np.exp(predictor.predict(point).log_density[0]) == pytest.approx(totals[1], rel=1e-3)
    folds = HeldOut.of(list(held_out_folds(X, config, 3)), len(X))
    assert np.isfinite(folds.log_density).all() and folds.mean < 0


def test_folds_choose_the_automatic_model_without_the_points_held_out():
    X = blobs()
    config = dpviz.RunConfig(n_init=1, init="single")
    folds = folds_of(X, config, 3)
    for fold in held_out_folds(X, config, 3):
        model = dpviz.MAPDP(n_init=1, init="single", random_state=0)
        model.fit(X[folds != fold.number])
        trace = dpviz.run(X[folds != fold.number], config)
        expected = predict(X[folds != fold.number], trace, X[folds == fold.number]).log_density
        assert_allclose(fold.log_density, expected, rtol=1e-10)


def test_folds_that_cannot_be_are_refused_before_the_first():
    X = blobs()
    with pytest.raises(InvalidParameterError, match="algorithm = 'kmeans' has no density .* one of"):
        held_out_folds(X, dpviz.RunConfig("kmeans"))
    for n_folds in (1, 46, True, 2.0):
        with pytest.raises(InvalidParameterError, match="n_folds = .* from 2 to the number of points, 45"):
            held_out_folds(X, dpviz.RunConfig(), n_folds)
    with pytest.raises(InvalidParameterError, match="2 folds of 45 points leave 22 to fit 40 clusters"):
        held_out_folds(X, dpviz.RunConfig("em", n_components=40), 2)
    gappy = X.copy()
    gappy[1:, 1] = np.nan
    with pytest.raises(InvalidDataError, match="column 1 of X has 1 values, all of them in one fold"):
        held_out_folds(gappy, dpviz.RunConfig(family="normal_gamma"), 3)
    assert folds_estimate(dpviz.RunConfig(), X.shape, 4).operations > 0


def test_labels_that_cannot_be_written_to_need_no_kernel_of_their_own():
    X, labels = blobs(), np.arange(45) % 3
    labels.flags.writeable = False
    problem = Problem.check(X, dpviz.RunConfig("mapdp", family="normal_gamma", prior=None))
    predictives = [PartitionPredictive(problem, each) for each in (labels, labels.copy())]
    assert_array_equal(predictives[0].log_weights, predictives[1].log_weights)
    if _jit.COMPILED:
        assert all(kinds[2].mutable for kinds in rebuild_slots.signatures)


@pytest.mark.parametrize("penalty", [np.inf, 3.0])
def test_distances_to_centres_take_no_memory_for_single_columns(penalty):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 300)), np.arange(60) % 20
    fitted = NearestCentres(Problem.check(X, dpviz.RunConfig("kmeans", n_clusters=20)), labels, penalty)
    assert_allclose(fitted.log_scores(X), fitted.contributions(X).scores, rtol=1e-12)
    places = rng.normal(size=(2_000, 300))
    tracemalloc.start()
    try:
        assert fitted.log_scores(places).shape == (2_000, 20 + np.isfinite(penalty))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000  # the places with every column of every centre: 96 MB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("seed", range(20))
def test_what_takes_a_place_is_the_first_highest_score(seed):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(scale=3.0, size=(50, 1 + seed % 5)))  # with ties
    scores[rng.random(scores.shape) < 0.2] = -np.inf
    scores[:, -1] = np.maximum(scores[:, -1], -9.0)  # one is always possible
    found = np.empty((50, 3))
    decide(scores, found)
    ordered = np.sort(np.column_stack([np.full(50, -np.inf), scores]), axis=1)
    assert_array_equal(found[:, 0], scores.argmax(axis=1))
    assert_array_equal(found[:, 1], ordered[:, -1] - ordered[:, -2])
    assert_allclose(found[:, 2], np.logaddexp.reduce(scores, axis=1), rtol=1e-14, atol=1e-14)
