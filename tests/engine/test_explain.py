"""Explanations of single assignments, against the joint density of every alternative."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from configs import usual_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from sklearn.mixture import GaussianMixture

import dpviz
import examples
from dpviz.errors import InvalidParameterError


def points(family: str = "normal_wishart") -> np.ndarray:
    rng = np.random.default_rng(8)
    X = np.vstack([rng.normal(size=(6, 2)), rng.normal(size=(5, 2)) + 4, [[9.0, -7.0]]])
    return examples.data(family, X)


START = np.array([0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 2])  # the last point is alone


@pytest.mark.parametrize(("family", "prior"), examples.every_family_with(examples.PRIORS, 0, 2, 4))
def test_totals_are_the_joint_density_of_every_alternative(family, prior):
    X, hyperparameters = points(family), examples.hyperparameters(family, 2)
    partition, model = examples.partition_prior(prior), naive.Model(X, family, hyperparameters, prior)
    config = dpviz.RunConfig(
        "gibbs", family=family, prior=hyperparameters, partition=partition, init=START, n_sweeps=2, burn_in=0
    )
    trace = dpviz.run(X, config)
    for point in (0, 4, 11):
        table = dpviz.explain_assignment(X, trace, 0, point)
        assert list(table.index) == [0, 1, 2, -1]
        expected = []
        for label in (0, 1, 2, 3):
            moved = START.copy()
            moved[point] = label
            expected.append(model.log_joint(np.unique(moved, return_inverse=True)[1]))
        if point == 11:  # its own cluster is the new one: the two rows are one alternative
            assert table.loc[2, "neg_log_weight"] == np.inf
            assert table.loc[2, "probability"] == 0
            expected[2] = -np.inf
        expected = np.array(expected)
        finite = np.isfinite(expected)
        differences = table["total"].to_numpy()[finite] + expected[finite]
        assert_allclose(differences, differences[0], atol=1e-8)
        assert_allclose(table["probability"], np.exp(expected - logsumexp(expected)), atol=1e-9)
        alone = -naive.LOG_MARGINALS[family](X[[point]], **hyperparameters)
        assert table.loc[-1, "neg_log_predictive"] == pytest.approx(alone, rel=1e-9)


CONFIGS = {
    "mapdp": usual_config(n_init=6),
    "gibbs": usual_config("gibbs", n_sweeps=5, burn_in=1),
    "hot": usual_config("gibbs", n_sweeps=5, burn_in=1, temperature=3.0),
    "explicit_parameters": usual_config("gibbs", n_sweeps=5, burn_in=1, sampler="explicit_parameters"),
    "explicit_weights": usual_config(
        "gibbs", n_sweeps=5, burn_in=1, sampler="explicit_weights", partition=dpviz.FiniteDirichlet(1.0, 3)
    ),
    "full": usual_config(init=START, partition=dpviz.FiniteDirichlet(1.0, 3)),
    "kmeans": dpviz.RunConfig("kmeans", n_clusters=3),
    "dpmeans": dpviz.RunConfig("dpmeans", penalty=9.0),
    "em": dpviz.RunConfig("em", n_components=2, max_sweeps=4),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_every_algorithm_explains_every_point_of_every_sweep(name):
    X, config = points(), CONFIGS[name]
    trace = dpviz.run(X, config)
    for sweep in range(trace.n_sweeps + 1):
        for point in range(len(X)):
            table = dpviz.explain_assignment(X, trace, sweep, point)
            assert table.index.name == "cluster"
            assert table.columns.tolist() == ["neg_log_predictive", "neg_log_weight", "total", "probability"]
            has_new = config.algorithm not in ("kmeans", "em")
            n_rows = 2 if name == "em" else trace.n_clusters[sweep]
            assert list(table.index) == list(range(n_rows)) + [-1] * has_new
            assert_array_equal(table["total"], table["neg_log_predictive"] + table["neg_log_weight"])
            assert table["probability"].sum() == pytest.approx(1, abs=1e-12)
            assert (table["probability"] >= 0).all() and not table.isna().any(axis=None)
            assert table["total"].idxmin() == table["probability"].idxmax()


@pytest.mark.parametrize("name", ["kmeans", "dpmeans"])
def test_distances_to_the_means(name):
    X = points() * 1e4 + 1e6
    config = dpviz.RunConfig("kmeans", n_clusters=3) if name == "kmeans" else dpviz.RunConfig("dpmeans", penalty=9e8)
    trace = dpviz.run(X, config)
    assert trace.converged
    labels = trace.labels_at(-1)
    centres = np.array([X[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
    for point in range(len(X)):
        table = dpviz.explain_assignment(X, trace, -1, point)
        expected = np.sum((X[point] - centres) ** 2, axis=1)
        assert_allclose(table["neg_log_predictive"][: len(centres)], expected, rtol=1e-9, atol=1e-3)
        assert table["probability"].idxmax() == labels[point]
        if name == "dpmeans":
            assert table.loc[-1, "neg_log_weight"] == 9e8
            assert table.loc[-1, "neg_log_predictive"] == 0


def test_responsibilities_of_gaussian_em():
    X = points()
    start = (X[:, 0] > 2).astype(int)
    trace = dpviz.run(X, dpviz.RunConfig("em", init=start, n_components=2, max_sweeps=2))
    groups = [X[start == k] for k in range(2)]
    reference = GaussianMixture(
        2,
        weights_init=[len(group) / len(X) for group in groups],
        means_init=[group.mean(axis=0) for group in groups],
        precisions_init=[np.linalg.inv(np.cov(group.T, bias=True)) for group in groups],
        warm_start=True,
        max_iter=1,
    )
    with pytest.warns(match="did not converge"):
        for _ in range(2):
            reference.fit(X)
    for point in range(len(X)):
        table = dpviz.explain_assignment(X, trace, 2, point)
        assert_allclose(table["probability"], reference.predict_proba(X[[point]])[0], atol=1e-4)
        density = -logsumexp(-table["total"])
        assert density == pytest.approx(-reference.score_samples(X[[point]])[0], rel=1e-4)


def test_sweeps_that_thinning_dropped_are_refused():
    X = points()
    trace = dpviz.run(X, usual_config("gibbs", n_sweeps=9, burn_in=3, thin=3))
    assert dpviz.explain_assignment(X, trace, 6, 0)["probability"].sum() == pytest.approx(1)
    with pytest.raises(InvalidParameterError, match=r"sweep = 7: its labels were not kept \(thin = 3, stride = 1\)"):
        dpviz.explain_assignment(X, trace, 7, 0)


@pytest.mark.parametrize(
    ("sweep", "point", "match"),
    [
        (99, 0, "sweep = 99 must be a whole number between 0"),
        (0, 12, "point = 12 must be a whole number between 0 and 11"),
        (0, -1, "point = -1"),
        (0, True, "point = True"),
        (0, 1.0, "point = 1.0"),
        ("0", 0, "sweep = '0'"),
    ],
)
def test_places_that_do_not_exist(sweep, point, match):
    X = points()
    trace = dpviz.run(X, CONFIGS["kmeans"])
    with pytest.raises(InvalidParameterError, match=match):
        dpviz.explain_assignment(X, trace, sweep, point)


def test_other_data_are_refused():
    trace = dpviz.run(points(), CONFIGS["mapdp"])
    with pytest.raises(InvalidParameterError, match="X has 5 points, the trace 12"):
        dpviz.explain_assignment(points()[:5], trace, 0, 0)
