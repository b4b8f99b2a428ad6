"""Ellipses of columns that are independent given the cluster: their share of the product, on cylinder and torus."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

import dpviz
from dpviz.engine import shapes as shapes_module
from dpviz.engine.problem import Problem
from dpviz.engine.shapes import ClusterShapes, projected_shapes
from dpviz.families import planes
from dpviz.families.base import Family
from dpviz.families.columns.circular import CircularShapes
from dpviz.families.gaussian.shapes import LocationScaleShapes
from dpviz.families.margins import margin_of
from dpviz.families.planes import ProductShapes, product_factors
from dpviz.families.shapes import LEVELS, BarShapes, Ellipses

KINDS = ["circular 24", "real", "circular 360", "count"]
PERIODS = np.array([24.0, np.inf, 360.0])
LABELS = np.repeat(np.arange(6), [60, 60, 60, 2, 3, 60])
HOURS, AMOUNT, DIRECTION, COUNT = np.eye(4)


def table(seed: int = 0) -> np.ndarray:
    """Hours, amounts, directions, counts of six clusters: about midnight, broad, all round, of 2, of 3, equal hours."""
    rng = np.random.default_rng(seed)
    centre = np.array([0.1, 9.0, 0.0, 17.0, 5.0, 12.0])[LABELS]
    width = np.array([1.0, 5.0, 0.0, 0.1, 1.0, 0.0])[LABELS]
    hours = np.where(LABELS == 2, rng.uniform(0, 24, len(LABELS)), centre + width * rng.normal(size=len(LABELS)))
    angles = np.where(LABELS == 5, rng.uniform(0, 360, len(LABELS)), 60 * LABELS + 20 * rng.normal(size=len(LABELS)))
    amounts = 5.0 * LABELS + rng.normal(size=len(LABELS))
    return np.column_stack([np.mod(hours, 24), amounts, np.mod(angles, 360), rng.poisson(3.0, len(LABELS))])


def shown(X: np.ndarray, axes: list[np.ndarray], **options: object) -> ClusterShapes | None:
    problem = problem_of(X, init=LABELS, max_sweeps=1, **options)
    trace = dpviz.run(X, problem.config)
    return projected_shapes(problem, trace, np.array([0]), np.array(axes), np.zeros(X.shape[1]))


def problem_of(X: np.ndarray, algorithm: str = "mapdp", **options: object) -> Problem:
    chosen = {"prior": None} if options.get("family") else {"kinds": KINDS, "prior": None}
    return Problem.check(X, dpviz.RunConfig(algorithm, **{**chosen, **options}))


def ellipses(found: ClusterShapes | None) -> Ellipses:
    assert found is not None
    whole = found.shapes.ellipses()
    assert whole is not None
    return whole


def share_within(cluster: Family, columns: list[int], centre: np.ndarray, half_axes: np.ndarray) -> float:
    """Integrate the product of a cluster's marginal predictives over an ellipse on a cylinder or torus, by midpoints.

    Places are x = a sin φ, y = h(x) sin ψ: their density is smooth up to the edge.
    """
    ends = np.minimum(half_axes, PERIODS[columns] / 2)
    middles = (np.arange(300) + 0.5) / 300
    first = np.arcsin(ends[0] / half_axes[0]) * (2 * middles - 1)
    x, dx = half_axes[0] * np.sin(first), half_axes[0] * np.cos(first) * 2 * np.arcsin(ends[0] / half_axes[0]) / 300
    height = np.minimum(half_axes[1] * np.cos(first), ends[1])
    second = np.pi * (middles - 0.5)
    y, dy = height[:, None] * np.sin(second), height[:, None] * np.cos(second) * np.pi / 300
    points = np.zeros((x.size, y.shape[1], 4))
    points[..., columns[0]], points[..., columns[1]] = (centre[0] + x)[:, None], centre[1] + y
    points[..., [0, 2]] %= PERIODS[[0, 2]]
    logs = cluster.marginal_log_densities(points.reshape(-1, 4)).reshape(*points.shape)
    return float(np.sum(np.exp(logs[..., columns].sum(axis=-1)) * dx[:, None] * dy))


@pytest.mark.parametrize("columns", [[0, 1], [1, 2], [2, 0]])
@pytest.mark.parametrize("coarsening", [None, 20.0])
def test_ellipses_hold_their_share_of_the_product_of_both_predictives(columns, coarsening):
    X = table()
    options = {} if coarsening is None else {"coarsening": coarsening}
    problem = problem_of(X, **options)
    found = ellipses(shown(X, [np.eye(4)[d] for d in columns], **options))
    assert len(found.centres) == 6
    for k in range(6):
        cluster = problem.model.posterior(X[LABELS == k])
        cluster = cluster if coarsening is None else cluster.own
        assert found.scales[k, 0, 1] == found.scales[k, 1, 0] == 0
        for factor, level in zip(found.factors[k], LEVELS, strict=True):
            half_axes = factor * np.sqrt(np.diagonal(found.scales[k]))
            assert share_within(cluster, columns, found.centres[k], half_axes) == pytest.approx(level, abs=1e-3)


def test_draws_of_a_cluster_are_as_often_within_as_the_legend_says():
    X = table()
    problem = problem_of(X)
    found, rng = ellipses(shown(X, [DIRECTION, HOURS])), np.random.default_rng(5)
    for k in (0, 1, 2):
        cluster = problem.family.posterior(X[LABELS == k])
        points = np.vstack([cluster.draw(rng).sample(1, rng) for _ in range(2000)])[:, [2, 0]]
        beside = np.mod(points - found.centres[k] + [180, 12], [360, 24]) - [180, 12]
        radii = np.sqrt(np.sum(beside**2 / np.diagonal(found.scales[k]), axis=1))
        for factor, level in zip(found.factors[k], LEVELS, strict=True):
            assert np.mean(radii <= factor) == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 2000))


@pytest.mark.parametrize("axes", [[HOURS, AMOUNT], [HOURS, DIRECTION]])
def test_a_shift_of_the_origin_moves_the_ellipses_and_nothing_else(axes):
    X = table()
    before = ellipses(shown(X, axes))
    for shift in (6.0, 13.7):
        moved = ellipses(shown(np.column_stack([np.mod(X[:, 0] + shift, 24), X[:, 1:]]), axes))
        assert_allclose(moved.factors, before.factors, rtol=1e-6)
        assert_allclose(moved.scales, before.scales, rtol=1e-6)
        beside = np.mod(moved.centres[:, 0] - before.centres[:, 0] - shift + 12, 24) - 12
        assert_allclose(beside, 0, atol=1e-6)
        assert_allclose(moved.centres[:, 1], before.centres[:, 1], rtol=1e-12)


def test_axes_in_other_units_have_the_same_ellipses():
    X = table()
    plain, found = ellipses(shown(X, [HOURS, AMOUNT])), ellipses(shown(X, [3 * AMOUNT, -2 * HOURS]))
    assert_allclose(found.centres, plain.centres[:, ::-1] * [3, -2], rtol=1e-12)
    assert_allclose(found.scales[:, [0, 1], [0, 1]], plain.scales[:, [1, 0], [1, 0]] * [9, 4], rtol=1e-12)
    assert_allclose(found.factors, plain.factors, rtol=1e-4)


def test_rows_and_clusters_are_joined_and_selected(monkeypatch):
    X = table()
    problem = problem_of(X, "gibbs", init=LABELS, n_sweeps=12, burn_in=2, seed=1)
    trace = dpviz.run(X, problem.config)
    axes, origin, rows = np.array([DIRECTION, AMOUNT]), np.array([0.0, 1.0, 90.0, 0.0]), np.arange(len(trace.labels))
    together = projected_shapes(problem, trace, rows, axes, origin)
    alone = [projected_shapes(problem, trace, rows[[row]], axes, origin) for row in rows]
    whole = ellipses(together)
    for field, parts in zip(whole, zip(*map(ellipses, alone), strict=True), strict=True):
        assert_allclose(field, np.concatenate(parts), rtol=1e-4)
    assert_array_equal(together.sizes, np.concatenate([found.sizes for found in alone]))
    chosen = np.arange(len(whole.centres)) % 3 == 1
    for field, some in zip(whole, together.shapes.selected(chosen).ellipses(), strict=True):
        assert_allclose(some, field[chosen], rtol=1e-4)
    monkeypatch.setattr(shapes_module, "MOST_BYTES", 1)
    monkeypatch.setattr(planes, "_AT_ONCE", 3)
    for field, some in zip(whole, ellipses(projected_shapes(problem, trace, rows, axes, origin)), strict=True):
        assert_allclose(some, field, rtol=1e-4)


def test_planes_of_other_columns_and_tilted_ones_have_none():
    X = table()
    for axes in ([HOURS, COUNT], [AMOUNT, COUNT], [HOURS + 1e-9 * DIRECTION, AMOUNT], [HOURS, 2 * HOURS]):
        assert shown(X, axes) is None
    assert shown(X[:, [1, 3]], list(np.eye(2)), kinds=["real", "count"]) is None
    with pytest.raises(TypeError, match="BarShapes have no margin"):
        margin_of(BarShapes(np.ones((1, 2)) / 2))


@pytest.mark.parametrize("options", [{}, {"coarsening": 20.0}])
def test_angles_alone_have_the_ellipses_that_they_have_beside_others(options):
    X, kinds = table()[:, [0, 2]], [KINDS[0], KINDS[2]]
    alone = ellipses(shown(X, [np.eye(2)[1], np.eye(2)[0]], kinds=kinds, **options))
    beside = ellipses(shown(table(), [DIRECTION, HOURS], **options))
    for found, expected in zip(alone, beside, strict=True):
        assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_cluster_without_a_direction_is_a_straight_band_of_its_other_column():
    X = table()
    prior = {"columns": KINDS[:2], "circular_resolution": [12.0]}  # no concentration but 0: hours are uniform
    found = shown(X[:, :2], list(np.eye(2)), family="mixed", prior=prior)
    whole = ellipses(found)
    across, up = (margin_of(part) for part in found.shapes.parts)
    outer = whole.factors[:, 1]
    assert_allclose(np.sqrt(outer**2 - across.reach**2), outer, rtol=5e-3)
    middle_part = stats.t.ppf(0.5 + np.array(LEVELS) / 2, up.degrees_of_freedom[:, None])
    assert_allclose(whole.factors, middle_part, rtol=2e-2)


@pytest.mark.parametrize("degrees", [1.1, 4.0, 30.0, np.inf])
def test_two_real_columns_have_the_radii_of_two_students(degrees):
    side = margin_of(LocationScaleShapes(np.zeros((1, 1)), np.ones((1, 1, 1)), np.array([degrees])))
    law = stats.t(min(degrees, 1e9))
    for factor, level in zip(product_factors(side, side)[0], LEVELS, strict=True):
        share, _ = integrate.quad(lambda x, r=factor: law.pdf(x) * law.cdf(np.sqrt(r**2 - x**2)), -factor, factor)
        assert 2 * share - (2 * law.cdf(factor) - 1) == pytest.approx(level, abs=1e-4)


def predictives(n: int, cosine: float | None, n_concentrations: int, rng: np.random.Generator) -> CircularShapes:
    """Return three predictives of n angles about 0, of that mean cosine or else drawn from all round."""
    angles = rng.uniform(0, 2 * np.pi, (3, n))
    lengths = np.abs(np.exp(1j * angles).sum(axis=1)) if cosine is None else np.full(3, n * cosine)
    return CircularShapes(np.zeros(3), np.full(3, float(n)), n - lengths, np.full(3, np.nan), n_concentrations, 1.0)


def distances_and_shares(shapes: CircularShapes, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Integrate the density that a chart shows of a cluster at angle 0, in units of its spread."""
    angles = np.append(0.0, np.geomspace(1e-6, np.pi, 4001))
    shares = 2 * integrate.cumulative_simpson(shapes.curves(angles)[k], x=angles, initial=0)
    return angles / margin_of(shapes).spreads[k], shares / shares[-1]


def share_in_strata(inverse: tuple[np.ndarray, np.ndarray], within, radius: float) -> float:
    """Mean share of the other column within √(r² − v²) over 8,000 distances v, each of which is as often met."""
    distances, shares = inverse
    v = np.interp((np.arange(8000) + 0.5) / 8000, shares, distances)
    return float(np.mean(np.where(v < radius, within(np.sqrt(np.maximum(radius**2 - v**2, 0))), 0)))


@pytest.mark.parametrize("n", [20, 100, 500, 5000])
@pytest.mark.parametrize("cosine", [None, 0.02, 0.3, 0.9, 0.99])
def test_circular_columns_with_and_without_a_direction_have_rings_that_hold_their_shares(n, cosine):
    rng = np.random.default_rng([n, int(100 * (cosine or 0))])
    for n_concentrations, other in [(4, None), (18, None), (18, 0.6)]:
        first, second = (predictives(n, own, n_concentrations, rng) for own in (cosine, other))
        factors = product_factors(margin_of(first), margin_of(second))
        assert (np.diff(factors, axis=1) > 0).all()
        for k in range(3):
            across, up = distances_and_shares(first, k), distances_and_shares(second, k)
            held = [share_in_strata(across, lambda r, own=up: np.interp(r, *own), factor) for factor in factors[k]]
            assert_allclose(held, LEVELS, atol=1e-3)


@pytest.mark.parametrize("degrees", [0.05, 0.1, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("cosine", [None, 0.5, 0.99])
def test_tails_however_heavy_beside_a_circular_column_hold_their_shares(degrees, cosine):
    shapes = predictives(100, cosine, 18, np.random.default_rng(int(100 * degrees)))
    side = margin_of(LocationScaleShapes(np.zeros((3, 1)), np.ones((3, 1, 1)), np.full(3, degrees)))
    factors = product_factors(margin_of(shapes), side)
    assert (np.diff(factors, axis=1) > 0).all()
    for k in range(3):
        across = distances_and_shares(shapes, k)
        held = [share_in_strata(across, lambda r: 2 * stats.t.cdf(r, degrees) - 1, factor) for factor in factors[k]]
        assert_allclose(held, LEVELS, atol=1e-3)


def test_real_columns_of_two_blocks_have_ellipses_too():
    X = table()[:, [1, 0, 2]]
    prior = {"columns": ["normal_gamma", "normal_wishart", "normal_wishart"]}
    found = ellipses(shown(X, list(np.eye(3)[[0, 2]]), family="mixed", prior=prior))
    problem = problem_of(X, family="mixed", prior=prior)
    for k in range(6):
        gamma, wishart = (block.predictive() for _, block in problem.family.posterior(X[LABELS == k]).parts())
        u, v = stats.qmc.Sobol(2, seed=3).random(2**16).T
        x = stats.t.ppf(u, gamma.degrees_of_freedom) * np.sqrt(gamma.scale[0, 0])
        y = stats.t.ppf(v, wishart.degrees_of_freedom) * np.sqrt(wishart.scale[1, 1])
        radii = np.sqrt(x**2 / found.scales[k, 0, 0] + y**2 / found.scales[k, 1, 1])
        assert_allclose([np.mean(radii <= factor) for factor in found.factors[k]], LEVELS, atol=2e-3)


def test_a_transformed_column_reaches_as_far_beside_hours_as_beside_another():
    X = table()[:, [0, 1, 1]]
    X[:, 1:] = np.exp(X[:, 1:] / 20)
    X[:, 2] += np.random.default_rng(1).uniform(size=len(X))
    options = {"kinds": ["circular 24", "real", "real"], "transform": (1.0, 0.0, 0.0)}
    with_hours, without = (ellipses(shown(X, list(np.eye(3)[own]), **options)) for own in ([1, 0], [1, 2]))
    assert_allclose(with_hours.centres[:, 0], without.centres[:, 0], rtol=1e-12)
    assert_allclose(with_hours.scales[:, 0, 0], without.scales[:, 0, 0], rtol=1e-12)


def test_a_plane_is_no_line():
    found = shown(table(), [HOURS, AMOUNT])
    assert isinstance(found.shapes, ProductShapes) and found.shapes.projected(np.eye(2), np.zeros(2)) is None
    assert replace(found.shapes).n_features == 2
    with pytest.raises(NotImplementedError, match="ProductShapes are not on one axis"):
        found.shapes.curves(np.zeros(1))
