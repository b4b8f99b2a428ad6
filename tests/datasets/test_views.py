"""Scaling, principal components, display axes and dot stacks, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh

from dpviz.datasets import Dataset, display_coordinates, dot_stack, load, names, pca, scale, synthesize, views
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError

NOT_TABLES = [[1.0, 2.0], [], [[np.nan], [np.nan]], [["a"]], [[1e151], [0.0]], None, [[np.inf], [1.0]]]


def correlated(n: int = 200, n_features: int = 4) -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.standard_normal((n, n_features)) @ rng.standard_normal((n_features, n_features)) + 5.0


# --- scale -----------------------------------------------------------------------------------------------------------


def test_standardised_columns_have_mean_0_and_variance_1():
    X = correlated() * [1.0, 1e-6, 1e6, 3.0]
    scaled = scale(X)
    assert_allclose(scaled.X, (X - X.mean(axis=0)) / X.std(axis=0), rtol=1e-9, atol=1e-9)
    assert scaled.notes == ()


def test_robust_scaling_is_not_moved_by_an_outlier():
    X = correlated()
    scaled = scale(X, "robust")
    lower, middle, upper = np.percentile(X, [25, 50, 75], axis=0)
    assert_allclose(scaled.X, (X - middle) / (upper - lower))
    X[0] = 1e6
    assert_allclose(scale(X, "robust").X[1:], scaled.X[1:], atol=0.1)


@pytest.mark.parametrize("method", ["none", "standardise", "robust"])
def test_centre_and_spread_take_the_scaling_back(method):
    X = correlated()
    X[:, 1] = 7.0
    scaled = scale(X, method)
    assert_allclose(scaled.X * scaled.spread + scaled.centre, X, rtol=1e-12)
    assert np.all(scaled.spread > 0)


def test_columns_without_spread_are_centred_and_named():
    X = correlated()
    X[:, 1] = 0.1
    X[:, 2] = 0.0
    X[:5, 2] = 1.0
    standardised = scale(X, "standardise", ("a", "b", "c", "d"))
    assert np.all(standardised.X[:, 1] == 0) and "value in every row: centred to 0: b." in standardised.notes[0]
    assert len(standardised.notes) == 1
    robust = scale(X, "robust")
    assert np.all(robust.X[:, 1] == 0) and set(robust.X[:, 2]) == {0.0, 1.0}
    assert "column 2." in robust.notes[0] and "column 3." in robust.notes[1]


def test_unscaled_is_a_copy_of_the_values():
    X = correlated()
    same = scale(X, "none").X
    assert_array_equal(same, X)
    same[0, 0] = 1e9
    assert X[0, 0] != 1e9


@pytest.mark.parametrize("X", NOT_TABLES)
@pytest.mark.parametrize("function", [scale, pca])
def test_what_is_no_table_is_refused(function, X):
    with pytest.raises(InvalidDataError):
        function(X)  # type: ignore[operator]


def test_an_unknown_scaling_is_refused():
    with pytest.raises(InvalidParameterError, match="method = 'minmax' must be one of none, standardise, robust"):
        scale([[1.0]], "minmax")


# --- principal components --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whiten", [False, True])
def test_principal_components_are_eigenvectors_of_the_covariance(whiten):
    X = correlated()
    result = pca(X, 3, whiten)
    values, vectors = eigh(np.cov(X.T))
    values, vectors = values[::-1], vectors[:, ::-1]
    assert_allclose(result.explained, values[:3] / values.sum(), rtol=1e-10)
    directions = result.directions * (np.sqrt(values[:3])[:, None] if whiten else 1.0)
    assert_allclose(np.abs(directions @ vectors[:, :3]), np.eye(3), atol=1e-8)
    assert_allclose(result.scores, (X - result.centre) @ result.directions.T)
    expected = np.eye(3) if whiten else np.diag(values[:3])
    assert_allclose(np.cov(result.scores.T), expected, atol=1e-8 * values[0])


def test_principal_components_taken_in_by_blocks_are_those_of_the_whole(monkeypatch):
    X = correlated() * [1e3, 1, 0.1, 1] + 1e4
    monkeypatch.setattr(views, "_BLOCK_VALUES", 1)  # blocks of as many rows as columns
    result = pca(X, 3)
    _, lengths, directions = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert_allclose(result.explained, lengths[:3] ** 2 / np.sum(lengths**2), rtol=1e-9)
    assert_allclose(np.abs(result.directions @ directions[:3].T), np.eye(3), atol=1e-7)
    largest = result.directions[range(3), np.abs(result.directions).argmax(axis=1)]
    assert np.all(largest > 0)


def test_components_that_do_not_exist_are_refused():
    for n_components in (0, 5, 1.0, True, None):
        with pytest.raises(InvalidParameterError, match="n_components .* from 1 to 4"):
            pca(correlated(), n_components)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="from 1 to 1 for 2 rows"):
        pca([[1.0, 2.0], [3.0, 5.0]], 2)
    with pytest.raises(InvalidDataError, match="rows of X are equal"):
        pca(np.ones((5, 3)), 1)
    collinear = correlated()[:, [0, 1, 0]]
    assert pca(collinear, 3).explained[2] == pytest.approx(0, abs=1e-12)
    with pytest.raises(InvalidParameterError, match="at most 2 when whitening"):
        pca(collinear, 3, whiten=True)


# --- display ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("choice", ["columns", "principal_components", "linear_discriminants"])
def test_every_bundled_data_set_can_be_displayed(name, choice):
    data = load(name)
    groups = data.labels if data.labels is not None else np.arange(data.n_points) % 3
    view = display_coordinates(data, choice, labels=groups)
    n_axes = view.coordinates.shape[1]
    assert view.coordinates.shape[0] == data.n_points and np.isfinite(view.coordinates).all()
    assert n_axes == len(view.axis_names) == len(view.directions) <= 2
    assert n_axes == min(2, data.n_features) or len(np.unique(groups)) == 2
    assert_allclose(view.coordinates, (data.X - view.origin) @ view.directions.T, atol=1e-9)


def test_named_columns_are_shown_as_they_are():
    iris = load("iris")
    view = display_coordinates(iris, columns=("petal_width", "sepal_length"))
    assert_array_equal(view.coordinates, iris.X[:, [3, 0]])
    assert view.axis_names == ("petal_width", "sepal_length")
    assert display_coordinates(iris, columns=["petal_width"]).coordinates.shape == (150, 1)
    assert_array_equal(display_coordinates(iris).coordinates, iris.X[:, :2])


def test_a_picture_of_columns_of_different_kinds_is_that_of_the_standardised_ones():
    rng = np.random.default_rng(0)
    group = np.arange(90) % 3
    X = np.column_stack([np.exp(9 + 0.1 * rng.normal(size=90)), group + rng.normal(0, 0.1, 90), group, 2.0 * group])
    kinds = ("continuous", "continuous", "count", "count")
    dataset = Dataset(X=X, name="mixed", kinds=kinds)
    view = display_coordinates(dataset, "principal_components")
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    shares = np.linalg.eigvalsh(np.corrcoef(X.T))[::-1] / 4
    assert view.axis_names[0] == f"Principal component 1 ({100 * shares[0]:.0f} % of variance, columns standardised)"
    assert_allclose(view.coordinates, pca(standardised).scores, atol=1e-9)
    assert_allclose(view.place(X), view.coordinates, atol=1e-9)
    means = [view.coordinates[group == k, 0].mean() for k in range(3)]
    assert min(np.diff(sorted(means))) > 5 * view.coordinates[group == 0, 0].std()  # income alone hides the groups


def test_principal_axes_say_how_much_they_explain():
    view = display_coordinates(load("iris"), "principal_components")
    assert view.axis_names[0] == "Principal component 1 (92 % of variance)"  # the figure known for these data
    wide = Dataset(X=np.array([[0.0, 0.0], [10.0, 0.1], [20.0, 0.0], [30.0, 0.1]]), name="wide")
    shown = display_coordinates(wide, "principal_components").axis_names
    assert shown == ("Principal component 1 (100 % of variance)", "Principal component 2 (< 1 % of variance)")


def test_discriminants_maximise_between_over_within_scatter():
    iris = load("iris")
    view = display_coordinates(iris, "linear_discriminants")
    means = np.array([iris.X[iris.labels == k].mean(axis=0) for k in range(3)])
    within = sum(np.cov(iris.X[iris.labels == k].T, bias=True) for k in range(3))
    values, vectors = eigh(np.cov(means.T), within)
    for axis, expected in zip(view.directions, vectors[:, ::-1].T[:2], strict=True):
        cosine = axis @ expected / np.linalg.norm(axis) / np.linalg.norm(expected)
        assert abs(cosine) == pytest.approx(1, abs=1e-8)
    assert values[-1] > values[-2] > 0


def test_discriminants_of_a_clustering_need_not_be_the_labels():
    data = synthesize("elliptical_separated", n=300)
    two_groups = (data.labels == 0).astype(int)
    view = display_coordinates(data, "linear_discriminants", labels=two_groups)
    x = view.coordinates[:, 0]
    assert view.coordinates.shape == (300, 1)
    assert (
        max(x[two_groups == 0].min() - x[two_groups == 1].max(), x[two_groups == 1].min() - x[two_groups == 0].max())
        > 0
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"choice": "tsne"}, "choice"),
        ({"columns": ("x1", "nothing")}, "columns"),
        ({"columns": ("x1", "x1")}, "columns"),
    ]
    + [({"columns": ()}, "columns"), ({"columns": ("x1", "x2", "x3")}, "columns")]
    + [({"choice": "linear_discriminants", "labels": bad}, "labels") for bad in (None, [0, 1], np.zeros(9, int))]
    + [({"choice": "linear_discriminants", "labels": np.arange(9)}, "labels")],
)
def test_unusable_display_choices_are_refused_by_name(arguments, named):
    data = Dataset(X=correlated(9, 3), name="mine")
    with pytest.raises(InvalidParameterError, match=named):
        display_coordinates(data, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("X", [np.ones((6, 3)), np.ones((1, 3))])
def test_points_without_any_direction_are_refused_but_have_columns(X):
    data = Dataset(X=X, name="flat")
    assert display_coordinates(data).coordinates.shape == (len(X), 2)
    for choice in ("principal_components", "linear_discriminants"):
        with pytest.raises(DpvizError):
            display_coordinates(data, choice, labels=np.arange(len(X)) % 2)


def test_groups_with_one_mean_have_no_discriminant():
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(InvalidDataError, match="separates these groups"):
        display_coordinates(Dataset(X=X, name="mine"), "linear_discriminants", labels=[0, 0, 1, 1])


def test_collinear_and_constant_columns_have_discriminants():
    X = np.column_stack([correlated(50, 2)[:, [0, 1, 0]], np.full(50, 3.0)])
    groups = np.arange(50) % 3
    view = display_coordinates(Dataset(X=X + groups[:, None], name="mine"), "linear_discriminants", labels=groups)
    assert np.isfinite(view.coordinates).all()


# --- dot stacks ------------------------------------------------------------------------------------------------------


@given(
    arrays(np.float64, st.integers(1, 60), elements=st.floats(-1e100, 1e100, allow_subnormal=False)),
    st.integers(1, 80),
)
def test_no_two_dots_share_a_place_and_each_stays_in_its_bin(values, n_bins):
    stack = dot_stack(values, n_bins)
    assert len(set(zip(stack.positions.tolist(), stack.heights.tolist(), strict=True))) == len(values)
    tolerance = 1e-6 * stack.bin_width + 4 * np.spacing(np.abs(values).max())
    assert np.all(np.abs(stack.positions - values) <= stack.bin_width / 2 + tolerance)
    for position in np.unique(stack.positions):  # a stack has no gaps and begins at the bottom
        assert sorted(stack.heights[stack.positions == position]) == list(range(np.sum(stack.positions == position)))
    assert len(np.unique(stack.positions)) <= n_bins


def test_counts_get_one_stack_per_value_in_row_order():
    stack = dot_stack([3, 0, 3, 1, 3])
    assert stack.positions.tolist() == [3, 0, 3, 1, 3]
    assert stack.heights.tolist() == [0, 0, 1, 0, 2]
    assert stack.bin_width == 1


def test_dot_stacks_are_histograms_and_deterministic():
    values = load("galaxies").X
    stack = dot_stack(values, 20)
    counts, edges = np.histogram(values[:, 0], 20)
    centres = (edges[:-1] + edges[1:]) / 2
    for centre, count in zip(centres, counts, strict=True):
        assert np.sum(np.isclose(stack.positions, centre)) == count
    again = dot_stack(values, 20)
    assert_array_equal(stack.positions, again.positions)
    assert_array_equal(stack.heights, again.heights)


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], [np.nan], ["a"], 3.0, [[[1.0]]], [1e200]])
def test_what_is_no_column_cannot_be_stacked(values):
    with pytest.raises(InvalidDataError):
        dot_stack(values)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_bins", [0, -1, 10_001, 2.5, None, True])
def test_unusable_numbers_of_bins_are_refused(n_bins):
    with pytest.raises(InvalidParameterError, match="n_bins"):
        dot_stack([1.0, 2.0], n_bins)  # type: ignore[arg-type]
