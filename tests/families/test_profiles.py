"""Profiles of clusters: predictives of single columns, what they tell of the cluster, and tests of difference."""

from __future__ import annotations

import base64
import json
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import dpviz
import examples
from dpviz.analysis.profiles import Profile, column_profiles, column_tests
from dpviz.engine.problem import Problem
from dpviz.errors import InvalidParameterError
from dpviz.families.gaps import WithGaps
from dpviz.families.mixed import OF_KIND
from dpviz.figures.profiles import MOST_BARS, profile_figure
from dpviz.periods import word_of
from dpviz.ui.explore.profiles import MOST_COLUMNS
from dpviz.ui.session.chosen_data import DataChoice
from dpviz.ui.shell import links
from pages import in_app, run, said, settled, shown_run

every_family = pytest.mark.parametrize("family", [n for n in dpviz.FAMILIES if "multinomial" not in n])
"""Those whose columns have laws of their own; parts have chances of one count."""


def setting(family: str, n: int = 40, seed: int = 0):
    """A family with its example prior, data that it can have, and labels of three groups."""
    X = dpviz.FAMILIES[family].example_data(n, 3, seed)
    prior = dpviz.FAMILIES[family].example_prior(3)
    labels = np.random.default_rng(seed).integers(0, 3, n) * 4 + 1  # neither from 0 nor without gaps
    return Problem.check(X, dpviz.RunConfig("mapdp", family=family, prior=prior)).family, X, labels


@every_family
def test_every_column_sums_or_integrates_to_one(family):
    model, X, labels = setting(family)
    posterior = model.posterior(X[labels == 5])
    for column, kind in enumerate(model.column_kinds(3)):

        def density(value, column=column):
            row = X[:1].copy()
            row[0, column] = value
            return float(np.exp(posterior.marginal_log_densities(row)[0, column]))

        if (of_family := dpviz.FAMILIES[OF_KIND[word_of(kind)]].kind) in examples.RANGES:
            total = examples.integral(density, of_family)
        elif kind == "count":
            total = sum(density(value) for value in range(20_000))
        else:
            total = sum(density(value) for value in range(largest_value(model, column) + 1))
        assert total == pytest.approx(1, abs=2e-3 if kind == "count" else 1e-6)


def largest_value(model, column: int) -> int:
    """Of a column with finitely many values."""
    if hasattr(model, "parts"):
        ((columns, model),) = [part for part in model.parts() if column in part[0]]
        column = list(columns).index(column)
    if hasattr(model, "trials"):
        return int(model.trials[column])
    return int(model.n_categories[column]) - 1


def test_profiles_of_one_column_are_the_predictives_themselves():
    """With one column nothing is marginalised, so the joint log predictive says the same."""
    X = np.concatenate([np.random.default_rng(1).normal(m, 1.0, 30) for m in (0, 9)])[:, None]
    labels = np.repeat([0, 1], 30)
    for family in examples.GAUSSIAN:
        model = Problem.check(X, dpviz.RunConfig("mapdp", family=family, prior=None)).family
        (profile,) = column_profiles(model, X, labels)
        for k in (0, 1):
            expected = model.posterior(X[labels == k]).log_predictive(profile.values[:, None])
            assert_allclose(np.log(profile.densities[k]), expected, rtol=1e-9)


def test_a_column_of_a_full_covariance_is_a_student_t():
    X = np.random.default_rng(2).normal(size=(25, 2)) @ np.array([[2.0, 1.5], [0.0, 1.0]])
    prior = {"m0": [0.0, 1.0], "c0": 0.5, "a0": 3.0, "psi0": [[2.0, 0.3], [0.3, 1.0]]}
    model = Problem.check(X, dpviz.RunConfig("mapdp", family="normal_wishart", prior=prior)).family
    profiles = {p.column: p for p in column_profiles(model, X, np.zeros(25))}
    n, mean = 25, X.mean(axis=0)
    c, m0 = 0.5 + n, np.array([0.0, 1.0])
    scatter = (X - mean).T @ (X - mean) + 0.5 * n / c * np.outer(mean - m0, mean - m0)
    posterior = model.posterior(X).predictive()
    location = (0.5 * m0 + n * mean) / c
    assert_allclose(posterior.location, location)
    for column in (0, 1):
        own = stats.t(posterior.degrees_of_freedom, location[column], np.sqrt(posterior.scale[column, column]))
        assert_allclose(profiles[column].densities[0], own.pdf(profiles[column].values), rtol=1e-9)
        assert profiles[column].information == 0
    assert np.all(np.linalg.eigvalsh(scatter) > 0)


@every_family
def test_information_is_that_of_simulated_points(family):
    """The mutual information is the mean of ln p(cluster | value) − ln p(cluster) over points drawn from the model."""
    model, X, labels = setting(family, n=60, seed=3)
    profiles = {p.column: p for p in column_profiles(model, X, labels)}
    used = np.unique(labels)
    posteriors = [model.posterior(X[labels == k]) for k in used]
    random_state = np.random.default_rng(4)
    gains: list[np.ndarray] = []
    for k, posterior in enumerate(posteriors):
        n_draws = round(3000 * (labels == used[k]).mean())
        drawn = np.concatenate([posterior.draw(random_state).sample(1, random_state) for _ in range(n_draws)])
        logs = np.stack([other.marginal_log_densities(drawn) for other in posteriors])
        weights = np.log([(labels == other).mean() for other in used])[:, None, None]
        mixture = np.logaddexp.reduce(logs + weights, axis=0)
        gains.append(logs[k] - mixture)
    found = np.concatenate(gains)
    error = found.std(axis=0) / np.sqrt(len(found))
    for column, profile in profiles.items():
        of_the_rest = 0.03  # what lies beyond the data's range is left out
        assert profile.information == pytest.approx(found[:, column].mean(), abs=5 * error[column] + of_the_rest)


def test_the_columns_that_tell_most_come_first_and_tell_no_more_than_the_clusters_are():
    random_state = np.random.default_rng(5)
    labels = np.repeat([0, 1], 100)
    X = np.column_stack([random_state.normal(size=200), labels * 50.0 + random_state.normal(size=200)])
    model = Problem.check(X, dpviz.RunConfig("mapdp", family="normal_gamma", prior={"b0": [0.5, 0.5]})).family
    first, second = column_profiles(model, X, labels)
    assert (first.column, second.column) == (1, 0)
    assert first.information == pytest.approx(np.log(2), abs=0.01) and second.information < 0.05


def test_a_narrow_cluster_is_not_lost_between_the_places():
    labels = np.repeat([0, 1], 50)
    x = np.random.default_rng(6).normal(size=100) * np.where(labels == 0, 1e-3, 1e3)
    model = Problem.check(x[:, None], dpviz.RunConfig("mapdp", family="normal_gamma", prior={"b0": [1e-7]})).family
    (profile,) = column_profiles(model, x[:, None], labels)
    assert np.trapezoid(profile.densities[0], profile.values) == pytest.approx(1, abs=0.05)
    assert profile.information == pytest.approx(np.log(2), abs=0.05)


@pytest.mark.parametrize("family", ["normal_gamma", "poisson", "mixed"])
def test_missing_cells_add_nothing_to_a_column_s_profile(family):
    model, X, labels = setting(family)
    holes = X.copy()
    holes[::5, 1] = np.nan
    keep = np.isfinite(holes[:, 1])
    found = {p.column: p for p in column_profiles(WithGaps.of(model), holes, labels)}
    whole = {p.column: p for p in column_profiles(model, X, labels)}
    fewer = {p.column: p for p in column_profiles(model, X[keep], labels[keep])}
    assert_allclose(found[0].densities, whole[0].densities, rtol=1e-9)
    assert_allclose(found[1].densities, fewer[1].densities, rtol=1e-9)


def test_labels_must_fit():
    model, X, labels = setting("poisson")
    with pytest.raises(InvalidParameterError, match="labels"):
        column_profiles(model, X, labels[1:])


# --- tests of difference ----------------------------------------------------------------------------------------------

KINDS = ("continuous", "ordinal", "count", "duration", "binary", "categorical")


def table(n: int = 90, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    random_state = np.random.default_rng(seed)
    labels = np.repeat([2, 5, 9], n // 3)
    shift = np.repeat([0.0, 1.0, 2.0], n // 3)
    columns = [
        random_state.normal(shift),
        random_state.integers(0, 4, n),
        random_state.poisson(3 + shift),
        random_state.exponential(1 + shift),
        random_state.integers(0, 2, n),
        random_state.integers(0, 3, n),
    ]
    return np.column_stack(columns).astype(float), labels


def test_each_kind_has_the_test_of_its_kind():
    X, labels = table()
    found = column_tests(X, labels, KINDS, KINDS)
    parts = [X[labels == k] for k in (2, 5, 9)]
    assert found.loc["continuous", "test"] == "ANOVA"
    assert found.loc["continuous", "p"] == stats.f_oneway(*(part[:, 0] for part in parts)).pvalue
    for column in (1, 2, 3):
        assert found.loc[KINDS[column], "test"] == "Kruskal–Wallis"
        assert found.loc[KINDS[column], "p"] == stats.kruskal(*(part[:, column] for part in parts)).pvalue
    for column in (4, 5):
        counts = np.array([[np.sum(part[:, column] == v) for v in np.unique(X[:, column])] for part in parts])
        assert found.loc[KINDS[column], "test"] == "χ²"
        assert found.loc[KINDS[column], "p"] == pytest.approx(stats.chi2_contingency(counts, correction=False).pvalue)


def test_p_values_are_corrected_for_their_number_and_sorted():
    X, labels = table()
    found = column_tests(X, labels, KINDS, KINDS)
    p = found["p"].to_numpy()
    by_hand = np.minimum.accumulate((np.sort(p) * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]
    assert_allclose(found["p_corrected"], np.minimum(by_hand, 1))
    assert list(p) == sorted(p)


def test_two_clusters_are_compared_without_equal_variances():
    X, labels = table()
    few = labels != 9
    found = column_tests(X[few, :1], labels[few], ["continuous"], ["x"])
    expected = stats.ttest_ind(X[labels == 2, 0], X[labels == 5, 0], equal_var=False)
    assert found.loc["x", "test"] == "Welch's t" and found.loc["x", "p"] == expected.pvalue


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_tested_has_no_p_value(kind):
    X, labels = table()
    constant = column_tests(np.ones((90, 1)), labels, [kind], ["x"])
    alone = column_tests(X[:, :1], np.zeros(90), [kind], ["x"])
    single = column_tests(X[:3, :1], [0, 1, 2], ["continuous"], ["x"])
    for found in (constant, alone, single):
        assert found.loc["x", "test"] == "none" and found[["p", "p_corrected"]].isna().all(axis=None)


def test_missing_cells_are_left_out_of_their_column():
    X, labels = table()
    holes = X.copy()
    holes[::7, 2] = np.nan
    found, whole = column_tests(holes, labels, KINDS, KINDS), column_tests(X, labels, KINDS, KINDS)
    keep = np.isfinite(holes[:, 2])
    expected = stats.kruskal(*(X[keep & (labels == k), 2] for k in (2, 5, 9)))
    assert found.loc["count", "p"] == expected.pvalue
    assert found.loc["ordinal", "p"] == whole.loc["ordinal", "p"]


def test_what_does_not_fit_is_refused():
    X, labels = table()
    with pytest.raises(InvalidParameterError, match="labels"):
        column_tests(X, labels[1:], KINDS, KINDS)
    with pytest.raises(InvalidParameterError, match="number of kinds = 5"):
        column_tests(X, labels, KINDS[1:], KINDS)
    with pytest.raises(InvalidParameterError, match="number of names = 5"):
        column_tests(X, labels, KINDS, KINDS[1:])
    with pytest.raises(InvalidParameterError, match="kind = 'odd'"):
        column_tests(X[:, :1], labels, ["odd"], ["x"])


# --- the picture ------------------------------------------------------------------------------------------------------


def profile(is_measured: bool, n_values: int) -> Profile:
    values = np.arange(float(n_values))
    return Profile(0, is_measured, values, np.arange(2.0 * n_values).reshape(2, -1), np.array([0.5, 0.5]), 0.25)


@pytest.mark.parametrize(
    ("shown", "kind"),
    [(profile(True, 9), "scatter"), (profile(False, 3), "bar"), (profile(False, MOST_BARS + 1), "scatter")],
    ids=["measured", "few values", "many values"],
)
def test_a_picture_has_a_curve_or_bars_for_every_cluster_with_the_numbers_of_its_profile(shown, kind):
    figure = profile_figure(shown, "a", ["one", "two"], ["#111111", "#222222"])
    assert figure.layout.title.text == "a · 0.25 nats"
    for k, trace in enumerate(figure.data):
        assert (trace.type, trace.name) == (kind, ("one", "two")[k])
        assert_array_equal(trace.x, shown.values)
        assert_array_equal(trace.y, shown.densities[k])


def test_values_with_names_are_called_by_them():
    names = ["no", "yes", "a name that is long"]
    figure = profile_figure(profile(False, 4), "a", ["one", "two"], ["#111111", "#222222"], names)
    assert list(figure.layout.xaxis.ticktext) == ["no", "yes", "a name th…"]
    assert list(figure.data[0].customdata) == [*names, "3"]


def test_tests_come_as_a_frame_that_can_be_written():
    X, labels = table()
    found = column_tests(X, labels, KINDS, [f"column {n}" for n in range(6)])
    assert isinstance(found, pd.DataFrame) and found.index.name == "column"
    assert "column 3" in found.to_csv()


# --- on the page ------------------------------------------------------------------------------------------------------


def on_explore(name: str, config: dpviz.RunConfig):
    app = in_app(**dict(parse_qsl(links.link(DataChoice("bundled", name), config, 0).lstrip("?"))))
    return settled(run(app))


def opened_profiles(app):
    app.session_state["profiles"] = True
    return run(app)


def test_profiles_are_drawn_once_they_are_asked_for_and_follow_the_playhead():
    zoo = dpviz.datasets.load("zoo")
    app = on_explore(
        "zoo", dpviz.RunConfig("mapdp", family="mixed", kinds=zoo.kinds, init="single", n_init=1, prior=None)
    )
    before = len(app.get("plotly_chart"))
    app = opened_profiles(app)
    assert len(app.get("plotly_chart")) == before + MOST_COLUMNS
    assert "the 8 columns of 16 that tell most" in said(app) and "after sweep 0" in said(app)
    finished = shown_run(app)
    expected = column_tests(zoo.X, finished.trace.labels_at(0), zoo.kinds, zoo.feature_names)
    shown = app.dataframe[-1].value
    assert_array_equal(shown["p_corrected"], expected["p_corrected"])


def test_methods_without_a_model_have_the_tests_alone():
    app = opened_profiles(on_explore("iris", dpviz.RunConfig("kmeans", n_init=1)))
    assert "no model of a cluster" in said(app)
    assert list(app.dataframe[-1].value["test"]) == ["ANOVA"] * 4


def test_pictures_have_the_units_of_the_table_whatever_was_clustered():
    iris = dpviz.datasets.load("iris")
    for scaling in ("standardise", "robust", "none"):
        choice = DataChoice("bundled", "iris", scaling=scaling)
        config = dpviz.RunConfig("mapdp", family="normal_gamma", init="single", n_init=1)
        address = links.link(choice, config, 0).lstrip("?")
        app = opened_profiles(settled(run(in_app(**dict(parse_qsl(address))))))
        figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
        drawn = {
            figure["layout"]["title"]["text"].partition(" · ")[0]: figure
            for figure in figures
            if "nats" in figure["layout"].get("title", {}).get("text", "")
        }
        assert set(drawn) == set(iris.feature_names)
        for column, name in enumerate(iris.feature_names):  # of one cluster: that of all rows
            (curve,) = drawn[name]["data"]
            values, density = (
                np.frombuffer(base64.b64decode(curve[axis]["bdata"]), curve[axis]["dtype"]) for axis in "xy"
            )
            mass = np.concatenate([[0], np.cumsum(np.diff(values) * (density[1:] + density[:-1]) / 2)])
            assert 0.9 < mass[-1] < 1.01, (scaling, name)
            middle = np.interp(0.5, mass / mass[-1], values)
            low, high = np.quantile(iris.X[:, column], [0.2, 0.8])
            assert low < middle < high, (scaling, name)
            assert values[0] < iris.X[:, column].min() < iris.X[:, column].max() < values[-1]
