"""Shapes that ellipses and density curves are drawn from: equal to what families and formulas say."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

import dpviz
import examples
from dpviz.config import RunConfig
from dpviz.engine import shapes as shapes_module
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import ClusterShapes, cluster_shapes, projected_shapes
from dpviz.engine.trace import Trace
from dpviz.families.gaussian.shapes import LocationScaleShapes
from dpviz.families.shapes import LEVELS

RNG = np.random.default_rng(7)
PLANE = np.concatenate([RNG.normal(centre, 1.0, size=(20, 2)) for centre in ((0, 0), (6, 1), (-3, 7))])
COLUMN = np.concatenate([RNG.normal(-4, 1, size=30), RNG.normal(5, 2, size=20)])[:, None]


def shapes_of(X: np.ndarray, config: RunConfig) -> tuple[Trace, ClusterShapes]:
    trace = dpviz.run(X, config)
    shapes = cluster_shapes(Problem(X, config), trace, np.arange(len(trace.labels)))
    assert shapes is not None
    return trace, shapes


@pytest.mark.parametrize("family", sorted(examples.GAUSSIAN))
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_bayesian_shapes_are_the_posterior_predictives(family, scale):
    X = PLANE * scale + 3 * scale
    config = RunConfig("gibbs", family=family, n_sweeps=12, burn_in=2, seed=3, prior=None)
    trace, shapes = shapes_of(X, config)
    model = Problem(X, config).family
    for one in range(len(shapes.rows)):
        members = trace.labels[shapes.rows[one]] == shapes.labels[one]
        assert shapes.sizes[one] == np.count_nonzero(members) > 0
        expected = model.posterior(X[members]).predictive()
        assert_allclose(shapes.shapes.locations[one], expected.location, rtol=1e-8, atol=1e-8 * scale)
        assert_allclose(shapes.shapes.scales[one], expected.scale, rtol=1e-6, atol=1e-8 * scale**2)
        assert shapes.shapes.degrees_of_freedom[one] == pytest.approx(expected.degrees_of_freedom)
    counted = np.bincount(shapes.rows, minlength=len(trace.labels))
    assert_array_equal(counted, trace.n_clusters[trace.label_sweeps])


def test_density_curves_are_the_terms_of_the_mixture():
    config = RunConfig("mapdp", family="normal_gamma", n_init=4, seed=1, prior=None)
    trace, shapes = shapes_of(COLUMN, config)
    grid = np.linspace(-400, 400, 160_001)  # the predictives have heavy tails
    last = shapes.rows == shapes.rows[-1]
    curves = shapes.density_curves(grid)[last]
    mass = integrate.trapezoid(curves, grid)
    assert_allclose(mass, trace.sizes(trace.n_sweeps) / len(COLUMN), atol=2e-3)
    # up to the weight of a new cluster these are the terms of the out-of-sample mixture (2016 App. E)
    few = grid[::4000, None]
    predictive = PartitionPredictive(Problem(COLUMN, config), trace.labels_at(trace.n_sweeps))
    scores = np.exp(predictive.log_scores(few)[:, :-1]).T
    shrunk = len(COLUMN) / (len(COLUMN) + config.partition.concentration)  # type: ignore[union-attr]
    assert_allclose(scores, shrunk * curves[:, ::4000], rtol=1e-8)


def test_normal_shapes_have_normal_curves():
    config = RunConfig("kmeans", n_clusters=2, n_init=2)
    _, shapes = shapes_of(COLUMN, config)
    assert np.all(np.isinf(shapes.shapes.degrees_of_freedom))
    grid = np.linspace(-20, 20, 81)
    spread = np.sqrt(shapes.shapes.scales[:, 0, 0])[:, None]
    shares = (shapes.sizes / len(COLUMN))[:, None]
    expected = shares * stats.norm.pdf(grid, shapes.shapes.locations, spread)
    assert_allclose(shapes.density_curves(grid), expected, rtol=1e-6, atol=1e-300)


def test_kmeans_circles_share_the_variance_of_its_likelihood():
    trace, shapes = shapes_of(PLANE, RunConfig("kmeans", n_clusters=3, n_init=1, init="random", seed=2))
    for row in range(len(trace.labels)):
        labels = trace.labels[row]
        here = shapes.rows == row
        means = np.array([PLANE[labels == k].mean(axis=0) for k in range(3)])
        assert_allclose(shapes.shapes.locations[here], means)
        variance = np.sum((PLANE - means[labels]) ** 2) / (2 * (len(PLANE) - 3))
        assert_allclose(shapes.shapes.scales[here], np.tile(variance * np.eye(2), (3, 1, 1)), rtol=1e-9)


def test_outer_circle_of_dpmeans_has_radius_root_lambda():
    _, shapes = shapes_of(PLANE, RunConfig("dpmeans", penalty=16.0))
    radius = shapes.shapes.ellipses().factors[:, LEVELS.index(0.95)] * np.sqrt(shapes.shapes.scales[:, 0, 0])
    assert_allclose(radius, 4.0, rtol=1e-9)


def test_em_ellipses_are_the_covariances_of_the_hard_clusters():
    trace, shapes = shapes_of(PLANE, RunConfig("em", n_components=3, n_init=2))
    last = shapes.rows == len(trace.labels) - 1
    labels = trace.labels_at(trace.n_sweeps)
    for label, scale in zip(shapes.labels[last], shapes.shapes.scales[last], strict=True):
        expected = np.cov(PLANE[labels == label].T, bias=True)
        assert_allclose(scale, expected, rtol=1e-6, atol=1e-9)


def test_radius_factors_hold_their_share_of_the_mass():
    shapes = LocationScaleShapes(np.zeros((1, 2)), np.eye(2)[None], np.array([5.0]))
    draws = stats.multivariate_t(np.zeros(2), np.eye(2), 5.0, seed=1).rvs(200_000)
    inside = np.linalg.norm(draws, axis=1)[:, None] < shapes.ellipses().factors[0]
    assert_allclose(inside.mean(axis=0), LEVELS, atol=0.004)


def test_projection_is_that_of_a_linear_map():
    _, shapes = shapes_of(PLANE, RunConfig("mapdp", n_init=1, seed=5, family="normal_wishart", prior=None))
    directions, origin = np.array([[0.6, 0.8]]), np.array([1.0, -2.0])
    shown = shapes.shapes.projected(directions, origin)
    assert shown.locations.shape == (len(shapes.rows), 1)
    one = 0
    assert_allclose(shown.locations[one], directions @ (shapes.shapes.locations[one] - origin))
    assert_allclose(shown.scales[one], directions @ shapes.shapes.scales[one] @ directions.T)


def test_an_empty_cluster_of_kmeans_has_no_shape():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 4, axis=0)
    trace, shapes = shapes_of(X, RunConfig("kmeans", n_clusters=3, init="random", n_init=1, seed=0))
    assert np.isfinite(shapes.shapes.locations).all() and np.isfinite(shapes.shapes.scales).all()
    last = shapes.rows == len(trace.labels) - 1
    sizes = trace.sizes(trace.n_sweeps)
    assert 0 in sizes
    assert shapes.labels[last].tolist() == np.flatnonzero(sizes).tolist()
    assert shapes.sizes[last].tolist() == sizes[sizes > 0].tolist()


WIDE = np.random.default_rng(3).normal(size=(60, 120)) + np.repeat(np.arange(6), 10)[:, None] * 3.0
"""Points in many columns, whose scales together are large."""


@pytest.mark.parametrize(
    "config",
    [
        RunConfig("kmeans", n_clusters=12, init="random", n_init=1),
        RunConfig("em", n_components=6, n_init=1),
        RunConfig("mapdp", family="normal_gamma", prior=None, init="random", init_clusters=12, n_init=1, effort=0),
    ],
    ids=lambda config: config.algorithm,
)
def test_shapes_of_wide_tables_are_projected_some_rows_at_a_time(config, monkeypatch):
    trace = dpviz.run(WIDE, config)
    problem, rows = Problem(WIDE, trace.config), np.arange(len(trace.labels)).repeat(20)
    directions, origin = np.random.default_rng(4).normal(size=(2, 120)), WIDE.mean(axis=0)
    whole = cluster_shapes(problem, trace, rows)
    assert whole is not None
    n_bytes = whole.shapes.n_features**2 * len(whole.rows) * 8
    expected = whole.shapes.projected(directions, origin)
    monkeypatch.setattr(shapes_module, "MOST_BYTES", 100_000)
    tracemalloc.start()
    try:
        found = projected_shapes(problem, trace, rows, directions, origin)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n_bytes / 4
    for name in ("rows", "labels", "sizes"):
        assert_array_equal(getattr(found, name), getattr(whole, name))
    for name in ("locations", "scales", "degrees_of_freedom"):
        ours, theirs = getattr(found.shapes, name), getattr(expected, name)
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_circles_of_one_row_have_one_matrix():
    X = np.random.default_rng(5).normal(size=(40, 200))
    trace = dpviz.run(X, RunConfig("kmeans", n_clusters=20, init="random", n_init=1, max_sweeps=3))
    problem = Problem(X, trace.config)
    tracemalloc.start()
    try:
        shown = projected_shapes(problem, trace, np.array([0]), np.eye(2, 200), np.zeros(200))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert shown is not None and peak < len(shown.rows) * 200**2 * 8
