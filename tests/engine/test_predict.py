"""Predictions for new points against mixtures computed by hand from marginal likelihoods."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats
from scipy.special import logsumexp
from sklearn.mixture import GaussianMixture

import dpviz
import examples
from dpviz import _jit
from dpviz.engine.kernels.collapsed_sweep import rebuild_slots
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.families import FAMILIES

PRIORS = [
    dpviz.ChineseRestaurant(2.5),
    dpviz.PoweredChineseRestaurant(1.5, 1.4),
    dpviz.PitmanYor(0.7, 0.3),
    dpviz.FiniteDirichlet(2.0, 6),
]


def blobs(n_points: int = 40, n_features: int = 2) -> np.ndarray:
    rng = np.random.default_rng(5)
    centres = 4.0 * rng.normal(size=(3, n_features))
    return centres[rng.integers(3, size=n_points)] + rng.normal(size=(n_points, n_features))


def log_weight(prior: object, n_clusters: int, size: int | None) -> float:
    """Weight of a cluster of ``size`` points, or of a new one, for the N + 1st point (FORMULAS of each prior)."""
    if isinstance(prior, dpviz.ChineseRestaurant):
        return np.log(prior.concentration if size is None else size)
    if isinstance(prior, dpviz.PoweredChineseRestaurant):
        return np.log(prior.concentration) if size is None else prior.power * np.log(size)
    if isinstance(prior, dpviz.PitmanYor):
        return np.log(prior.concentration + prior.discount * n_clusters if size is None else size - prior.discount)
    pseudo = prior.concentration / prior.n_components
    return np.log(pseudo * (prior.n_components - n_clusters) if size is None else size + pseudo)


def log_scores(X, labels, prior, family, hyperparameters, new):
    """Log of weight × predictive of each new point, (n, K + 1): predictives as ratios of marginals."""
    log_marginal = naive.LOG_MARGINALS[family]
    n_clusters = labels.max() + 1
    weights = [log_weight(prior, n_clusters, int(np.sum(labels == k))) for k in range(n_clusters)]
    weights.append(log_weight(prior, n_clusters, None))
    columns = []
    for k in range(n_clusters):
        members = X[labels == k]
        alone = log_marginal(members, **hyperparameters)
        columns.append([log_marginal(np.vstack([members, x]), **hyperparameters) - alone for x in new])
    columns.append([log_marginal(x[None], **hyperparameters) for x in new])
    return np.array(columns).T + np.array(weights) - logsumexp(weights)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: prior.name)
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_mapdp_against_ratios_of_marginals(family, prior):
    X = examples.data(family, blobs())
    hyperparameters = examples.hyperparameters(family, 2)
    new = examples.data(family, np.random.default_rng(1).normal(size=(25, 2)) * 5, seed=1)
    model = dpviz.MAPDP(family=family, partition=prior, prior=hyperparameters, random_state=0).fit(X)
    expected = log_scores(X, model.labels_, prior, family, hyperparameters, new)
    assert_allclose(model.score_samples(new), logsumexp(expected, axis=1), rtol=1e-9)
    best = expected.argmax(axis=1)
    assert_array_equal(model.predict(new), np.where(best == model.n_clusters_, -1, best))
    assert model.score(new) == pytest.approx(model.score_samples(new).mean(), rel=1e-12)
    assert model.predict(new).dtype == np.int64


@pytest.mark.parametrize("sampler", ["collapsed", "explicit_parameters", "explicit_weights"])
def test_gibbs_averages_densities_over_the_kept_draws(sampler):
    X, family, prior = blobs(), "normal_gamma", dpviz.FiniteDirichlet(2.0, 6)
    hyperparameters = examples.hyperparameters(family, 2)
    new = np.random.default_rng(2).normal(size=(8, 2)) * 5
    model = dpviz.GibbsDP(
        family=family,
        partition=prior,
        prior=hyperparameters,
        n_sweeps=14,
        burn_in=4,
        thin=2,
        sampler=sampler,
        random_state=1,
    ).fit(X)
    assert len(model.samples_) == 5
    draws = [
        logsumexp(log_scores(X, draw.astype(int), prior, family, hyperparameters, new), axis=1)
        for draw in model.samples_
    ]
    expected = logsumexp(draws, axis=0) - np.log(5)
    assert_allclose(model.score_samples(new), expected, rtol=1e-9)


@pytest.mark.parametrize("family", sorted(examples.GAUSSIAN))
def test_density_of_one_feature_integrates_to_one(family):
    X = blobs(n_features=1) * 100 + 1e4  # the Jacobian matters
    for model in (
        dpviz.MAPDP(family=family, random_state=0, prior=None).fit(X),
        dpviz.GibbsDP(family=family, n_sweeps=6, burn_in=2, random_state=0, prior=None).fit(X),
    ):
        centre, spread = X.mean(), X.std()

        def density(t, model=model, centre=centre, spread=spread):
            x = centre + spread * np.tan(t)
            return np.exp(model.score_samples([[x]])[0]) * spread / np.cos(t) ** 2

        total, _ = integrate.quad(density, -np.pi / 2 + 1e-9, np.pi / 2 - 1e-9, limit=400)
        assert total == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("family", sorted(examples.GAUSSIAN))
def test_density_of_two_features_integrates_to_one(family):
    X = blobs() * [1, 50]
    model = dpviz.MAPDP(family=family, prior=None, random_state=0).fit(X)
    angles = (np.arange(1200) + 0.5) / 1200 * np.pi - np.pi / 2  # midpoint rule after mapping the plane to a square
    axes = [X[:, d].mean() + X[:, d].std() * np.tan(angles) for d in (0, 1)]
    jacobian = [X[:, d].std() / np.cos(angles) ** 2 * np.pi / 1200 for d in (0, 1)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    density = np.exp(model.score_samples(grid)).reshape(1200, 1200)
    assert jacobian[0] @ density @ jacobian[1] == pytest.approx(1, abs=2e-3)


def test_units_only_shift_the_density():
    X, new = blobs(), blobs()[:7] + 0.3
    for model in (dpviz.MAPDP(random_state=0, family="normal_wishart", prior=None), dpviz.GaussianEM(random_state=0)):
        scores = model.fit(X).score_samples(new)
        scaled = model.fit(X * [1e3, 1e3] + 77).score_samples(new * 1e3 + 77)
        assert_allclose(scaled, scores - 2 * np.log(1e3), rtol=1e-6)


@pytest.mark.parametrize("family", sorted(examples.GAUSSIAN))
def test_far_away_is_a_new_cluster(family):
    X = np.random.default_rng(0).normal(size=(60, 2))
    prior = examples.hyperparameters(family, 2)
    for key in {"sigma0_sq", "sigma0"} & set(prior):
        prior[key] = prior[key] * 1e4
    for model in (
        dpviz.MAPDP(family=family, prior=prior, random_state=0),
        dpviz.GibbsDP(family=family, prior=prior, n_sweeps=20, burn_in=10, random_state=0),
    ):
        model.fit(X)
        assert_array_equal(model.predict([[80.0, 80.0], [-100.0, 50.0]]), [-1, -1])
        assert model.predict([X.mean(axis=0)])[0] >= 0


def test_a_full_finite_mixture_has_no_new_cluster():
    X = blobs()
    model = dpviz.MAPDP(
        partition=dpviz.FiniteDirichlet(1.0, 1), init="single", random_state=0, family="normal_wishart", prior=None
    ).fit(X)
    assert_array_equal(model.predict([[1e6, 1e6]]), [0])
    assert np.isfinite(model.score_samples([[1e6, 1e6]])).all()


def test_singletons_everywhere_still_predict():
    X = np.arange(5.0)[:, None] * 1e3
    model = dpviz.MAPDP(family="spherical_normal", prior={"sigma_hat_sq": 1.0}, random_state=0).fit(X)
    assert model.n_clusters_ == 5
    assert_array_equal(model.predict(X), model.labels_)


def test_kmeans_predicts_the_nearest_centre():
    X, new = blobs() + 1e6, blobs(15) + 1e6
    model = dpviz.KMeans(3, random_state=0).fit(X)
    distances = np.linalg.norm(new[:, None] - model.cluster_centers_, axis=2)
    assert_array_equal(model.predict(new), distances.argmin(axis=1))
    assert_array_equal(model.predict(X), model.labels_)
    assert_allclose(model.cluster_centers_, [X[model.labels_ == k].mean(axis=0) for k in range(3)])
    assert model.objective_ == pytest.approx(np.sum((X - model.cluster_centers_[model.labels_]) ** 2), rel=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e-5, 1e7])
def test_dpmeans_says_new_beyond_the_penalty(scale):
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) * scale
    model = dpviz.DPMeans(penalty=4.0 * scale**2).fit(X)
    assert model.n_clusters_ == 1
    assert_allclose(model.cluster_centers_, [[0, 0]], atol=1e-15 * scale)
    reach = np.array([[1.999, 0], [2.0, 0], [2.001, 0], [1.5, 1.5], [1.4, 1.4]]) * scale
    assert_array_equal(model.predict(reach), [0, 0, -1, -1, 0])
    assert model.objective_ == pytest.approx((4 + 4) * scale**2)


def test_gaussian_em_agrees_with_scikit_learn():
    X, new = blobs(80), blobs(20) + 0.5
    model = dpviz.GaussianEM(3, n_init=3, random_state=0, max_sweeps=500).fit(X)
    assert model.converged_
    members = [X[model.labels_ == k] for k in range(3)]
    reference = GaussianMixture(
        3,
        weights_init=[len(group) / 80 for group in members],
        means_init=[group.mean(axis=0) for group in members],
        precisions_init=[np.linalg.inv(np.cov(group.T)) for group in members],
        tol=1e-10,
        max_iter=5000,
    ).fit(X)
    assert_allclose(model.score_samples(new), reference.score_samples(new), rtol=1e-2, atol=1e-2)
    assert_array_equal(model.predict(new), reference.predict(new))
    assert model.objective_ == pytest.approx(-reference.score_samples(X).sum(), rel=1e-4)
    assert model.objective_ == pytest.approx(-model.score_samples(X).sum(), rel=1e-12)


def test_one_step_of_gaussian_em_is_the_textbook_step():
    X = blobs(50)
    start = np.random.default_rng(3).integers(2, size=50)
    model = dpviz.GaussianEM(2, init=start, max_sweeps=1).fit(X)
    log_joint = []
    for k in range(2):
        group = X[start == k]
        normal = stats.multivariate_normal(group.mean(axis=0), np.cov(group.T, bias=True))
        log_joint.append(np.log(len(group) / 50) + normal.logpdf(X))
    responsibilities = np.exp(log_joint - logsumexp(log_joint, axis=0))
    density = np.zeros(50)
    for weight in responsibilities:
        mean = weight @ X / weight.sum()
        covariance = (weight[:, None] * (X - mean)).T @ (X - mean) / weight.sum()
        density += weight.mean() * stats.multivariate_normal(mean, covariance).pdf(X)
    assert_allclose(model.score_samples(X), np.log(density), atol=1e-4)
    assert model.trace_.objective[0] == pytest.approx(-logsumexp(log_joint, axis=0).sum(), rel=1e-4)


def test_labels_that_cannot_be_written_to_need_no_kernel_of_their_own():
    X, labels = blobs(), np.arange(40) % 3
    labels.flags.writeable = False
    problem = Problem.check(X, dpviz.RunConfig("mapdp", family="normal_gamma", prior=None))
    predictives = [PartitionPredictive(problem, each) for each in (labels, labels.copy())]
    assert_array_equal(predictives[0].log_weights, predictives[1].log_weights)
    if _jit.COMPILED:
        assert all(kinds[2].mutable for kinds in rebuild_slots.signatures)
