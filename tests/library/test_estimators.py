"""The estimators as scikit-learn sees them, and the names and defaults that are promised."""

from __future__ import annotations

import inspect
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import dpviz
from dpviz.errors import InvalidParameterError
from dpviz.partition import AUTOMATIC_PARTITION
from examples import blobs

ESTIMATORS = {
    "KMeans": dpviz.KMeans(2, n_init=2),
    "DPMeans": dpviz.DPMeans(penalty=4.0),
    "MAPDP": dpviz.MAPDP(n_init=6, effort=0.1, family="normal_wishart", prior=None),
    "GibbsDP": dpviz.GibbsDP(n_sweeps=8, burn_in=2, family="normal_wishart", prior=None),
    "GaussianEM": dpviz.GaussianEM(2, n_init=2),
}
PARTITION_OPTIONS = {
    "family": "auto",
    "partition": "auto",
    "concentration": None,
    "prior": "auto",
    "kinds": None,
    "missing": "auto",
    "init": "auto",
    "init_clusters": None,
    "first_sweep": "one_point",
}
DEFAULTS = {
    "MAPDP": {
        **PARTITION_OPTIONS,
        "n_init": 10,
        "effort": 1.0,
        "max_sweeps": 200,
        "order": "permuted",
        "temperature": None,
        "directions": "any",
        "coarsening": None,
        "transform": "auto",
        "random_state": None,
    },
    "GibbsDP": {
        **PARTITION_OPTIONS,
        "n_init": 1,
        "n_sweeps": 600,
        "burn_in": 100,
        "thin": 1,
        "sampler": "collapsed",
        "split_merge": 0,
        "order": "shuffled",
        "temperature": None,
        "hyperpriors": None,
        "directions": "any",
        "coarsening": None,
        "transform": "auto",
        "random_state": None,
    },
    "KMeans": {"n_clusters": 3, "init": "kmeans++", "n_init": 10, "max_sweeps": 300, "random_state": None},
    "DPMeans": {
        "penalty": 4.0,
        "sweep": "full",
        "init": "single",
        "init_clusters": None,
        "n_init": 1,
        "max_sweeps": 500,
        "order": "index",
        "random_state": None,
    },
    "GaussianEM": {"n_components": 3, "init": "kmeans++", "n_init": 10, "max_sweeps": 200, "random_state": None},
}
each = pytest.mark.parametrize("name", ESTIMATORS)


def fitted(name: str, **options: object):
    return clone(ESTIMATORS[name]).set_params(random_state=3, **options).fit(blobs())


@each
def test_scikit_learns_own_checks(name):
    results = check_estimator(ESTIMATORS[name], on_skip=None)
    passed = {result["check_name"] for result in results if result["status"] == "passed"}
    assert {"check_clustering", "check_dtype_object", "check_fit_idempotent", "check_n_features_in"} <= passed
    # the one skipped check is about arrays of other libraries, which is off by default
    assert {result["check_name"] for result in results} - passed <= {"check_array_api_input"}


@each
def test_signature_is_as_promised(name):
    parameters = inspect.signature(getattr(dpviz, name)).parameters
    assert {key: parameter.default for key, parameter in parameters.items()} == DEFAULTS[name]
    assert list(parameters) == list(DEFAULTS[name])
    assert getattr(dpviz, name)().get_params() == DEFAULTS[name]


def test_a_default_estimator_and_a_default_configuration_agree():
    for name, algorithm in {
        "MAPDP": "mapdp",
        "GibbsDP": "gibbs",
        "KMeans": "kmeans",
        "DPMeans": "dpmeans",
        "GaussianEM": "em",
    }.items():
        options = dict(DEFAULTS[name])
        del options["random_state"]
        options.pop("concentration", None)  # short for a partition
        automatic = (
            {"partition": AUTOMATIC_PARTITION, "transform": "auto", "directions": "any"}
            if "partition" in options
            else {}
        )
        assert dpviz.RunConfig(algorithm, **options) == dpviz.RunConfig(algorithm, **automatic)


@each
def test_attributes(name):
    model = fitted(name)
    assert model.labels_.dtype == np.int64 and model.labels_.shape == (60,)
    assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
    assert isinstance(model.n_clusters_, int) and isinstance(model.n_iter_, int)
    assert isinstance(model.converged_, bool) and model.converged_ == (name != "GibbsDP")
    assert isinstance(model.trace_, dpviz.Trace)
    assert model.n_iter_ == model.trace_.n_sweeps
    assert model.n_features_in_ == 2
    if name in ("MAPDP", "GibbsDP"):
        assert isinstance(model.nll_, float)
        assert model.starts_ == model.trace_.starts
        assert model.starts_[0]._fields == ("init", "n_clusters", "nll", "n_sweeps")
    else:
        assert isinstance(model.objective_, float)
    assert_array_equal(model.fit_predict(blobs()), model.labels_)


def test_mapdp_reports_its_last_and_best_state():
    model = fitted("MAPDP")
    assert model.nll_ == model.trace_.nll[-1] == min(start.nll for start in model.starts_)
    assert_array_equal(model.labels_, model.trace_.labels_at(-1))


@pytest.mark.parametrize(("n_sweeps", "burn_in", "thin"), [(8, 2, 1), (20, 3, 4), (5, 4, 1), (7, 0, 3), (9, 2, 7)])
def test_gibbs_draws(n_sweeps, burn_in, thin):
    model = fitted("GibbsDP", n_sweeps=n_sweeps, burn_in=burn_in, thin=thin)
    assert model.samples_.shape == ((n_sweeps - burn_in) // thin, 60)
    kept = np.arange(burn_in + thin, n_sweeps + 1, thin)
    assert_array_equal(model.samples_, [model.trace_.labels_at(sweep) for sweep in kept])
    best = kept[np.argmin(model.trace_.nll[kept])]
    assert model.nll_ == model.trace_.nll[kept].min()
    assert_array_equal(model.labels_, model.trace_.labels_at(best))
    assert model.n_iter_ == n_sweeps


@each
def test_labels_have_no_gaps_when_components_stay_empty(name):
    X = np.repeat([[0.0, 0.0], [5.0, 1.0]], 10, axis=0)  # two places for three clusters
    model = clone(ESTIMATORS[name]).set_params(random_state=0)
    if name in ("KMeans", "GaussianEM"):
        model.set_params(**{"n_clusters" if name == "KMeans" else "n_components": 3})
    if name == "GibbsDP":
        model.set_params(concentration=3.0)  # with less, its eight sweeps may open no second cluster
    model.fit(X)
    assert_array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
    assert model.n_clusters_ == 2
    assert_array_equal(model.predict(X), model.labels_)


@each
@pytest.mark.parametrize("random_state", [0, 2**32 - 1, np.int64(5)])
def test_integer_seed_is_kept_and_repeats_the_run(name, random_state):
    model = clone(ESTIMATORS[name]).set_params(random_state=random_state).fit(blobs())
    assert model.trace_.config.seed == random_state
    again = clone(model).fit(blobs())
    assert_array_equal(again.trace_.labels, model.trace_.labels)


@each
@pytest.mark.parametrize("make", [lambda: None, lambda: np.random.RandomState(4), lambda: np.random.default_rng(4)])
def test_every_random_state_comes_down_to_one_seed(name, make):
    model = clone(ESTIMATORS[name]).set_params(random_state=make())
    first = model.fit(blobs()).trace_
    assert 0 <= first.config.seed < 2**32
    again = model.fit(blobs()).trace_
    assert again.config.seed != first.config.seed  # a generator moves on
    repeated = dpviz.run(blobs(), first.config)
    assert_array_equal(repeated.labels, first.labels)
    assert_array_equal(repeated.objective, first.objective)
    refitted = clone(model).set_params(random_state=first.config.seed).fit(blobs())
    assert_array_equal(refitted.trace_.labels, first.labels)


@pytest.mark.parametrize("random_state", [-1, 2**32, 1.5, True, "0", [1]])
def test_other_random_states_are_refused(random_state):
    with pytest.raises(InvalidParameterError, match="random_state = .* must be None, a whole number"):
        dpviz.KMeans(2, random_state=random_state).fit(blobs())


@each
def test_copies_predict_alike(name):
    model, new = fitted(name), blobs()[:9] + 0.2
    stream = io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(stream)):
        assert_array_equal(copy.predict(new), model.predict(new))
        assert_array_equal(copy.labels_, model.labels_)
        assert copy.trace_.config == model.trace_.config
        assert copy.trace_.starts == model.trace_.starts
        if hasattr(model, "score_samples"):
            assert_array_equal(copy.score_samples(new), model.score_samples(new))
            assert_array_equal(copy.predict_proba(new), model.predict_proba(new))


def test_fits_in_other_processes_agree():
    estimators = [clone(estimator).set_params(random_state=1) for estimator in ESTIMATORS.values()]
    with joblib.parallel_config(backend="threading"):
        models = joblib.Parallel(n_jobs=2)(joblib.delayed(estimator.fit)(blobs()) for estimator in estimators)
    for model, estimator in zip(models, estimators, strict=True):
        assert_array_equal(model.labels_, clone(estimator).fit(blobs()).labels_)


@each
def test_parameters_are_kept_as_given(name):
    model = clone(ESTIMATORS[name])
    before = model.get_params()
    model.fit(blobs())
    assert model.get_params() == before
    copy = clone(model)
    assert copy.get_params() == before and not hasattr(copy, "labels_")
    with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
        model.set_params(colour=1)


@each
def test_in_a_pipeline(name):
    X = blobs() * [1e-3, 1e3]
    pipeline = make_pipeline(StandardScaler(), clone(ESTIMATORS[name]).set_params(random_state=0))
    labels = pipeline.fit_predict(X)
    assert_array_equal(labels, pipeline[-1].labels_)
    direct = clone(ESTIMATORS[name]).set_params(random_state=0).fit(StandardScaler().fit_transform(X))
    assert_array_equal(labels, direct.labels_)
    assert pipeline.predict(X[:5]).shape == (5,)


def test_in_cross_validation():
    for name in ("MAPDP", "GibbsDP", "GaussianEM"):
        scores = cross_val_score(clone(ESTIMATORS[name]).set_params(random_state=0), blobs(), cv=3)
        assert scores.shape == (3,) and np.isfinite(scores).all()


@each
def test_unfitted_and_mismatched(name):
    model = clone(ESTIMATORS[name])
    methods = [method for method in ("predict", "predict_proba", "score_samples", "score") if hasattr(model, method)]
    for method in methods:
        with pytest.raises(NotFittedError):
            getattr(model, method)(blobs())
    model.fit(blobs())
    for method in methods:
        with pytest.raises(ValueError, match="3 features"):
            getattr(model, method)(np.zeros((4, 3)))


@each
def test_data_frames_keep_their_names(name):
    frame = pd.DataFrame(blobs(), columns=["width", "height"])
    model = clone(ESTIMATORS[name]).set_params(random_state=3).fit(frame)
    assert list(model.feature_names_in_) == ["width", "height"]
    assert_array_equal(model.labels_, fitted(name).labels_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"width": "depth"}))


@each
def test_fitting_leaves_the_data_alone(name):
    X = blobs()
    X.setflags(write=False)
    model = clone(ESTIMATORS[name]).set_params(random_state=3).fit(X)
    assert_array_equal(X, blobs())
    for other in (np.asfortranarray(X), X.tolist(), X.astype(object), X[::-1][::-1]):
        assert_array_equal(clone(model).fit(other).labels_, model.labels_)


@pytest.mark.parametrize("name", ["MAPDP", "GibbsDP"])
def test_cluster_summaries(name):
    model = fitted(name, family="spherical_normal", prior={"sigma0_sq": 1e12, "sigma_hat_sq": 1.0})
    summaries = model.cluster_summaries()
    assert [summary.size for summary in summaries] == np.bincount(model.labels_).tolist()
    for k, summary in enumerate(summaries):
        members = blobs()[model.labels_ == k]
        assert_allclose(summary.mean, members.mean(axis=0), atol=1e-6)  # a flat prior
        assert_allclose(summary.covariance, np.eye(2), rtol=1e-12)
        assert_allclose(summary.predictive.scale, np.eye(2) * (1 + 1 / len(members)), rtol=1e-9)


# --- what a fit says of its clusters ----------------------------------------------------------------------------------


def test_probabilities_of_new_points_by_hand():
    """Weight × normal predictive under a known covariance, both written out (2016 App. E)."""
    prior = {"mu0": np.zeros(2), "sigma0": 9.0 * np.eye(2), "sigma_hat": np.eye(2)}
    model = fitted("MAPDP", family="normal_known_covariance", concentration=2.0, prior=prior)
    new = np.array([[1.0, 2.0], [3.0, 3.5], [40.0, -40.0], [6.5, 7.5]])
    log_scores = np.empty((len(new), model.n_clusters_ + 1))
    for k in range(model.n_clusters_ + 1):
        members = blobs()[model.labels_ == k]  # of the last, none
        variance = 1 / (1 / 9.0 + len(members))
        mean = variance * members.sum(axis=0)
        density = stats.multivariate_normal(mean, (1 + variance) * np.eye(2)).logpdf(new)
        log_scores[:, k] = np.log((len(members) or 2.0) / (60 + 2.0)) + density
    expected = special.softmax(log_scores, axis=1)
    assert_allclose(model.predict_proba(new), expected, rtol=1e-9, atol=1e-300)
    assert_allclose(model.weights_, np.bincount(model.labels_) / 62.0, rtol=1e-12)
    assert model.predict_proba(new)[2, -1] > 0.999  # far from everything


@pytest.mark.parametrize("name", ["MAPDP", "GibbsDP", "GaussianEM"])
def test_the_most_probable_cluster_is_the_predicted_one(name):
    model, new = fitted(name), np.random.default_rng(5).uniform(-6, 14, size=(200, 2))
    probabilities = model.predict_proba(new)
    n_columns = model.n_clusters_ + (name != "GaussianEM")
    assert probabilities.shape == (200, n_columns)
    assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    best = np.argmax(probabilities, axis=1)
    assert_array_equal(np.where(best == model.n_clusters_, -1, best), model.predict(new))


def test_hard_clusterers_have_no_probabilities():
    assert not hasattr(dpviz.KMeans, "predict_proba") and not hasattr(dpviz.DPMeans, "predict_proba")


def test_a_mixture_has_the_moments_that_scikit_learn_finds_from_there():
    X = blobs(300) * [1.0, 100.0] + [5.0, -300.0]
    ours = dpviz.GaussianEM(3, n_init=5, max_sweeps=2000, random_state=0).fit(X)
    theirs = GaussianMixture(
        3,
        weights_init=ours.weights_,
        means_init=ours.means_,
        precisions_init=np.linalg.inv(ours.covariances_),
        reg_covar=0.0,
        max_iter=1,
        tol=1e-12,
    )
    with pytest.warns(ConvergenceWarning):
        theirs.fit(X)  # one step from a fixed point stays there
    assert_allclose(ours.weights_, theirs.weights_, atol=1e-3)
    assert_allclose(ours.means_, theirs.means_, atol=0.5)
    assert_allclose(ours.covariances_, theirs.covariances_, rtol=1e-2, atol=1.0)
    density = special.logsumexp(
        [
            np.log(weight) + stats.multivariate_normal(mean, covariance).logpdf(X[:40])
            for weight, mean, covariance in zip(ours.weights_, ours.means_, ours.covariances_, strict=True)
        ],
        axis=0,
    )
    assert_allclose(density, ours.score_samples(X[:40]), rtol=1e-9)


def test_moments_of_clusters_are_those_of_the_summaries():
    model = fitted("GibbsDP")
    summaries = model.cluster_summaries()
    assert_array_equal(model.means_, [summary.mean for summary in summaries])
    assert_array_equal(model.covariances_, [summary.covariance for summary in summaries])
    assert model.weights_.shape == (model.n_clusters_,) and model.means_.shape == (model.n_clusters_, 2)
    assert 0 < 1 - model.weights_.sum() < 1


@pytest.mark.parametrize("name", ["MAPDP", "GibbsDP"])
@pytest.mark.parametrize("attribute", ["weights_", "means_", "covariances_"])
def test_what_a_fit_finds_is_absent_before_it(name, attribute):
    with pytest.raises(NotFittedError):
        getattr(clone(ESTIMATORS[name]), attribute)


# --- the concentration ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["MAPDP", "GibbsDP"])
def test_a_concentration_is_short_for_a_restaurant(name):
    short, full = fitted(name, concentration=0.7), fitted(name, partition=dpviz.ChineseRestaurant(0.7))
    assert short.trace_.config == full.trace_.config
    assert_array_equal(short.trace_.labels, full.trace_.labels)


@pytest.mark.parametrize("name", ["MAPDP", "GibbsDP"])
def test_a_concentration_beside_a_partition_is_refused(name):
    with pytest.raises(InvalidParameterError, match="concentration = 0.7 and partition = ChineseRestaurant"):
        fitted(name, concentration=0.7, partition=dpviz.ChineseRestaurant(3.0))
    with pytest.raises(InvalidParameterError, match="concentration = -1"):
        fitted(name, concentration=-1.0)


@pytest.mark.parametrize("name", ["MAPDP", "GibbsDP"])
def test_the_partition_prior_that_was_found_is_in_the_trace(name):
    assert fitted(name).trace_.config.partition == AUTOMATIC_PARTITION != dpviz.ChineseRestaurant(3.0)
    assert fitted(name, partition=None).trace_.config.partition == dpviz.ChineseRestaurant(3.0)
    assert fitted(name, concentration=0.7).trace_.config.partition == dpviz.ChineseRestaurant(0.7)
    with pytest.raises(InvalidParameterError, match="partition = 'crp' must be .* 'auto', or None"):
        fitted(name, partition="crp")


def test_a_search_varies_the_concentration():
    search = GridSearchCV(
        dpviz.MAPDP(n_init=2, random_state=0, family="normal_wishart", prior=None),
        {"concentration": [0.01, 1.0, 100.0]},
        cv=3,
    )
    search.fit(blobs())
    assert search.best_params_["concentration"] == search.best_estimator_.trace_.config.partition.concentration
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all() and len(set(scores)) == 3


def test_a_powered_restaurant_has_fewer_small_clusters():
    X = np.random.default_rng(1).normal(size=(150, 2))
    options = {"family": "spherical_normal", "n_sweeps": 300, "burn_in": 100, "random_state": 0}
    mean_clusters = [
        dpviz.GibbsDP(partition=dpviz.PoweredChineseRestaurant(1.0, power), **options)
        .fit(X)
        .trace_.n_clusters[101:]
        .mean()
        for power in (1.0, 1.6)
    ]
    assert mean_clusters[1] < mean_clusters[0]


def test_public_names():
    expected = {
        "MAPDP",
        "GibbsDP",
        "KMeans",
        "DPMeans",
        "GaussianEM",
        "ChineseRestaurant",
        "PoweredChineseRestaurant",
        "GeneralizedChineseRestaurant",
        "PitmanYor",
        "FiniteDirichlet",
        "RunConfig",
        "run",
        "iterate",
        "Trace",
        "SweepRecord",
        "explain_assignment",
        "metrics",
        "datasets",
        "DpvizError",
        "FAMILIES",
        "PARTITION_PRIORS",
    }
    assert expected <= set(dpviz.__all__)
    assert all(hasattr(dpviz, name) for name in dpviz.__all__)
    assert issubclass(dpviz.DpvizError, ValueError)
