"""Zeros and positive values: two columns that look like one, found in tables, described and drawn as such."""

from __future__ import annotations

import naive
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, stats

import dpviz
from dpviz.analysis.imputed import cells_in_words
from dpviz.analysis.prediction import predict
from dpviz.analysis.profiles import column_profiles, column_tests
from dpviz.cli.reading_options import _kind
from dpviz.datasets import Dataset, tables
from dpviz.datasets.tables.kinds import infer_kind
from dpviz.datasets.tables.points import read_points
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.shapes import cluster_shapes
from dpviz.errors import InvalidDataError
from dpviz.families import Hurdle, Mixed
from dpviz.families.columns.hurdle import HurdleShapes
from dpviz.families.gaps import WithGaps
from dpviz.figures.profiles import profile_figure
from dpviz.fit.width import notes_on, runs_off
from dpviz.hurdles import ends_and_rest, is_hurdle
from dpviz.metrics import ari
from dpviz.report.page import _summary
from dpviz.report.tables import cluster_table, own_columns, reasons

SEEDS = range(20)
SHARES = np.array([0.55, 0.3, 0.15])
EVERY_DAYS, PURCHASES = np.array([200.0, 60.0, 10.0]), np.array([0.4, 4.0, 20.0])
NOTHING, LOG_MONEY, SPREAD = np.array([0.75, 0.1, 1e-12]), np.array([3.0, 4.5, 6.5]), 0.6


def spent(rng: np.random.Generator, groups: np.ndarray) -> np.ndarray:
    positive = np.exp(LOG_MONEY[groups] + SPREAD * rng.normal(size=len(groups)))
    return np.where(rng.random(len(groups)) < NOTHING[groups], 0.0, positive)


def customers(seed: int, n: int = 500) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Recency, frequency and money of three segments, the true ones, and those that the true parameters tell apart."""
    rng = np.random.default_rng(seed)
    groups = rng.choice(3, n, p=SHARES)
    X = np.column_stack([rng.exponential(EVERY_DAYS[groups]), rng.poisson(PURCHASES[groups]), spent(rng, groups)])
    logs = np.log(np.where(X[:, 2] > 0, X[:, 2], 1.0))[:, None]
    money = np.log1p(-NOTHING) + stats.norm.logpdf(logs, LOG_MONEY, SPREAD)
    known = stats.expon.logpdf(X[:, [0]], scale=EVERY_DAYS) + stats.poisson.logpmf(X[:, [1]], PURCHASES)
    known = known + np.log(SHARES) + np.where(X[:, [2]] == 0, np.log(NOTHING), money)
    return X, groups, np.argmax(known, axis=1)


def money(seed: int = 0, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """One column of money spent, of the first and the last segment."""
    rng = np.random.default_rng([54, seed])
    groups = np.repeat([0, 2], n // 2)
    return spent(rng, groups)[:, None], groups // 2


# --- two columns ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coarsening", [None, 3.0])
def test_every_partition_has_the_nll_of_a_yes_or_no_beside_logarithms_with_gaps(coarsening):
    X = np.column_stack([Hurdle.example_data(6, 2, seed=4), np.linspace(-1, 2, 6) ** 2])
    assert 2 < (X[:, :2] == 0).sum() < 10
    logs = np.log(X[:, :2], out=np.full((6, 2), np.nan), where=X[:, :2] > 0)
    apart = np.column_stack([(X[:, :2] == 0).astype(float), logs, X[:, 2]])
    own = {"alpha0": [0.7, 1.1], "beta0": [0.9, 0.4]}
    real = {"m0": [0.4, 1.6, 0.1], "c0": 0.3, "a0": 1.3, "b0": [0.5, 0.2, 0.7]}
    one = {
        "columns": ["hurdle", "hurdle", "real"],
        **{f"hurdle_{name}": value for name, value in own.items()},
        **{f"hurdle_{name}": value if name in ("c0", "a0") else value[:2] for name, value in real.items()},
        **{f"normal_gamma_{name}": value if name in ("c0", "a0") else value[2:] for name, value in real.items()},
    }
    two = {
        "columns": ["binary", "binary", "real", "real", "real"],
        **{f"binomial_{name}": value for name, value in {**own, "trials": 1}.items()},
        **{f"normal_gamma_{name}": value for name, value in real.items()},
    }
    partitions = naive.set_partitions(6)
    found, exact = (
        partition_nll(Problem.check(x, dpviz.RunConfig(family="mixed", prior=prior, coarsening=coarsening)), partitions)
        for x, prior in ((X, one), (apart, two))
    )
    weight = 1.0 if coarsening is None else coarsening / (coarsening + 6)
    assert_allclose(found, exact + weight * np.nansum(logs), atol=1e-9)


def test_units_change_nll_by_their_logarithm_alone():
    X, _ = money()
    plain, cents = (dpviz.run(x, dpviz.RunConfig(family="hurdle", seed=1)) for x in (X, 1024 * X))
    assert_array_equal(plain.labels[-1], cents.labels[-1])
    assert cents.nll[-1] == pytest.approx(plain.nll[-1] + (X > 0).sum() * np.log(1024), abs=1e-7)


def test_zeros_and_missing_cells_of_working_data_are_told_apart():
    X, _ = money(n=40)
    X[[3, 30]] = np.nan
    table = np.column_stack([X, np.arange(40.0)])
    working = WithGaps.of(Mixed.from_prior({"columns": ["hurdle", "real"]}, table)).working(table)
    assert working.X.shape == (40, 3)
    assert working.n_left_out() == np.isnan(working.X).sum() - 2 == (X == 0).sum() + 2
    complete = Mixed.from_prior({"columns": ["real", "hurdle"]}, np.nan_to_num(table[:, ::-1])).working(
        np.nan_to_num(table[:, ::-1])
    )
    assert complete.n_left_out() == np.isnan(complete.X).sum() == (np.nan_to_num(X) == 0).sum()


@pytest.mark.parametrize("missing", ["marginalise", "impute"])
def test_a_full_covariance_stands_beside_it_with_gaps_in_real_columns(missing):
    rng = np.random.default_rng(3)
    X, groups = money(3)
    table = np.column_stack([X, rng.normal(8 * groups, 1.0), rng.normal(0, 1, 120)])
    table[:, 2] += table[:, 1]
    if missing == "impute":
        table[::17, 2] = np.nan
    prior = {"columns": ["hurdle", "normal_wishart", "normal_wishart"]}
    trace = dpviz.run(table, dpviz.RunConfig(family="mixed", prior=prior, missing=missing, seed=0))
    assert ari(groups, trace.labels[-1]) > 0.95
    assert np.all(np.diff(trace.nll)[1:] <= 1e-9)


def test_filled_cells_are_zeros_and_positive_values():
    X, groups = money(2)
    X[::9] = np.nan
    table = np.column_stack([X, 9.0 * groups + np.random.default_rng(0).normal(size=120)])
    config = dpviz.RunConfig(
        "gibbs", kinds=["hurdle", "real"], missing="impute", n_sweeps=60, burn_in=20, seed=2, prior=None
    )
    trace = dpviz.run(table, config)
    data = Dataset(X=table, name="money", kinds=("hurdle", "continuous"), gaps=True)
    cells = cells_in_words(data, table, trace)
    assert len(cells) == np.isnan(X).sum() and (cells["lower"] >= 0).all()
    rows = cells["point"].to_numpy()
    poor = groups[rows] == 0
    assert (cells["lower"][poor] == 0).all() and cells["value"].astype(float)[poor].mean() < cells["value"].astype(
        float
    )[~poor].mean()


# --- groups that are there --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [2, 0])
def test_three_segments_are_told_apart_as_well_as_they_can_be_in_nineteen_of_twenty_draws(digits):
    good = 0
    for seed in SEEDS:
        X, truth, best = customers(seed)
        X[:, 2] = np.round(X[:, 2], digits)
        kinds = ["duration", *(infer_kind(pd.Series(column), may_be_role=False) for column in X[:, 1:].T)]
        assert kinds == ["duration", "count", "hurdle"]
        trace = dpviz.run(X, dpviz.RunConfig("mapdp", kinds=kinds, seed=seed, partition="auto"))
        good += ari(truth, trace.result_labels) > ari(truth, best) - 0.03
    assert good >= 19


def test_zeros_stop_no_width_but_one_price_for_all_does():
    rng = np.random.default_rng(8)
    X, labels = np.where(rng.random((90, 1)) < 0.4, 0.0, np.exp(rng.normal(3, 1, (90, 1)))), np.repeat([0, 1], 45)
    X[45:] = 0.0
    config = dpviz.RunConfig(family="hurdle", prior={"width": 0.1})
    assert not runs_off(X, config, labels) and not runs_off(X, config, np.zeros(90, dtype=int))
    X[45:] = np.where(rng.random((45, 1)) < 0.4, 0.0, 9.99)
    assert runs_off(X, config, labels)
    (said,) = notes_on(X, config, labels, ["spent"])
    assert "“spent”" in said and "9.99" not in said  # which may be of a scaled column


def test_zeros_and_a_long_tail_are_no_groups_by_themselves_in_nineteen_of_twenty_draws():
    found = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X = np.where(rng.random((300, 2)) < 0.44, 0.0, np.exp(rng.normal(4, 1, (300, 2))))
        found.append(int(dpviz.run(X, dpviz.RunConfig("mapdp", kinds=["hurdle"] * 2, seed=seed)).n_clusters[-1]))
    assert found.count(1) >= 19


# --- predictions, profiles, shapes ------------------------------------------------------------------------------------


def test_further_rows_may_be_zero_or_any_positive_number():
    X, groups = money()
    table = np.column_stack([X, np.random.default_rng(0).normal(4 * groups, 1.0)])
    trace = dpviz.run(table, dpviz.RunConfig(kinds=["hurdle", "real"], seed=0))
    assert ari(groups, trace.labels[-1]) > 0.9
    found = predict(table, trace, [[0.0, 1.0], [20.0, 1.0], [665.0, 3.0], [np.nan, 4.0]])
    assert found.clusters[0] == found.clusters[1] != found.clusters[2] == found.clusters[3]
    with pytest.raises(InvalidDataError, match="holds -1 in row 0; .* must be a number ≥ 0"):
        predict(table, trace, [[-1.0, 0.0]])


def test_profiles_have_a_bar_of_zeros_beside_the_density():
    X, groups = money()
    (profile,) = column_profiles(Hurdle.from_prior(None, X), X, groups)
    assert_allclose(np.trapezoid(profile.densities, profile.values, axis=1), 1, atol=0.02)
    bar = profile.values <= 0
    shares = [(1.0 * (X[groups == k] == 0).sum() + 2 * np.mean(X == 0)) / 62 for k in (0, 1)]
    assert_allclose(np.trapezoid(profile.densities[:, bar], profile.values[bar], axis=1), shares, rtol=1e-9)
    assert 0.6 < profile.information < np.log(2)


def test_profiles_are_drawn_by_powers_of_ten_beside_the_zeros():
    X, groups = money()
    (profile,) = column_profiles(Hurdle.from_prior(None, X), X, groups)
    figure = profile_figure(profile, "money", ["1", "2"], ["red", "blue"])
    ticks = dict(zip(figure.layout.xaxis.ticktext, figure.layout.xaxis.tickvals, strict=True))
    assert ticks["10"] == 1 and ticks["1000"] == 3 and ticks["0"] < np.log10(X[X > 0].min())
    for trace, densities in zip(figure.data, profile.densities, strict=True):
        bar = trace.x < trace.x[4]
        assert np.trapezoid(trace.y, trace.x) == pytest.approx(1, abs=0.02)
        zeros = np.trapezoid(densities[:4], profile.values[:4])
        assert np.trapezoid(trace.y[bar], trace.x[bar]) == pytest.approx(zeros, rel=1e-9)
    assert figure.data[0].x[np.argmax(figure.data[0].y[4:]) + 4] == pytest.approx(LOG_MONEY[0] / np.log(10), abs=0.2)


def test_shapes_of_one_column_are_a_bar_and_the_predictive_density():
    X, _ = money()
    config = dpviz.RunConfig("gibbs", family="hurdle", n_sweeps=8, burn_in=2, seed=3, prior=None)
    trace, problem = dpviz.run(X, config), Problem.check(X, config)
    found = cluster_shapes(problem, trace, np.arange(len(trace.labels)))
    grid = found.shapes.grid(X[:, 0])
    assert np.all(np.diff(grid) > 0) and grid[0] < 0 and grid[-1] >= X.max()
    curves, positive = found.shapes.curves(grid), grid > 0
    for one, (row, label) in enumerate(zip(found.rows, found.labels, strict=True)):
        family = problem.family.posterior(X[trace.labels[row] == label])
        exact = np.exp(family.log_predictive(grid[positive, None]))
        assert_allclose(curves[one, positive], exact, rtol=1e-9)
        zeros = found.shapes.curves(np.array([-0.5 * found.shapes.bar]))[one, 0] * found.shapes.bar
        assert zeros == pytest.approx(np.exp(family.log_predictive(np.zeros((1, 1))))[0], rel=1e-9)
    assert cluster_shapes(Problem.check(np.hstack([X, X]), config), dpviz.run(np.hstack([X, X]), config), [0]) is None


def test_shapes_keep_their_area_in_other_units():
    shapes = HurdleShapes(np.array([[0.3]]), np.array([1.0]), np.array([0.5]), np.array([np.inf]), 0.1)
    for unit in (1.0, 0.01, -4.0):
        shown = shapes.projected(np.array([[unit]]), np.array([2.0]))
        low, high = sorted([-2.2 * unit, 60 * unit])
        edges = [-2.1 * unit, -2.0 * unit, unit]
        area = integrate.quad(lambda x, s=shown: s.curves(np.array([x]))[0, 0], low, high, points=edges, limit=200)[0]
        assert area == pytest.approx(1, abs=1e-5)
    assert shapes.projected(np.eye(2), np.zeros(2)) is None


# --- tables -----------------------------------------------------------------------------------------------------------


def test_zeros_and_long_tails_are_recognised_and_nothing_else():
    rng = np.random.default_rng(0)
    long, zeros = np.exp(rng.normal(3, 1, 200)), rng.random(200) < 0.3
    assert is_hurdle(np.where(zeros, 0, long)) and is_hurdle(np.where(zeros, 0, rng.gamma(1.0, 5.0, 200)))
    assert not is_hurdle(long) and not is_hurdle(-np.where(zeros, 0, long))
    assert not is_hurdle(np.where(rng.random(200) < 0.05, 0, long))
    assert not is_hurdle(np.where(zeros, 0, rng.uniform(0, 1, 200))) and not is_hurdle(np.where(zeros, 0, 9.99))
    assert not is_hurdle(np.array([])) and not is_hurdle(np.array([np.inf, *long]))
    assert is_hurdle(np.where(zeros, 0, np.ceil(2 * long))) and not is_hurdle(np.where(zeros, 0, np.ceil(long / 2)))
    assert not is_hurdle(rng.poisson(np.repeat([0.3, 40, 120], 100)).astype(float))


def spending(n: int = 90) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    X, groups = money(5, n)
    return pd.DataFrame({"money": np.round(X[:, 0], 2), "size": rng.normal(6 * groups, 1)})


def test_files_and_frames_have_the_same_kinds_and_say_so():
    frame = spending()
    decision = tables.decide(frame)
    assert dict(decision.features) == {"money": "hurdle", "size": "continuous"} and decision.scaling == "none"
    assert "Clustered as hurdle (zero, or else a positive value with a long tail): “money”." in decision.lines()
    model = dpviz.MAPDP(random_state=0).fit(frame)
    assert model.trace_.config.kinds == ("hurdle", "continuous")
    zeros = (frame["money"] == 0).mean()
    assert any(
        "“money” is hurdle: zero, or else" in note and f"{zeros:.0%} of its cells" in note for note in model.notes_
    )
    assert ari(np.repeat([0, 1], 45), model.labels_) > 0.9
    measured = dpviz.MAPDP(kinds=["continuous", "continuous"], random_state=0, effort=0).fit(frame)
    assert measured.trace_.config.family in ("normal_gamma", "normal_wishart")


def test_a_kind_that_is_named_needs_numbers_that_are_not_negative():
    text = "money,n\n" + "\n".join(f"{value},{i}" for i, value in enumerate([0, 5, 0, 12, 7, 0, 30, 1]))
    table = tables.read_text(text, separator=",")
    data = tables.to_dataset(table, kinds={"money": "hurdle"}, features=["money"])
    assert data.kinds == ("hurdle",)
    new = read_points(tables.read_text("money\n0\n3.5\n", separator=","), data)
    assert_allclose(new.X[:, 0], [0, 3.5])
    wrong = tables.read_text(text.replace("12", "-12"), separator=",")
    with pytest.raises(InvalidDataError, match="“money” cannot be of the kind hurdle: .* must be zero or positive"):
        tables.to_dataset(wrong, kinds={"money": "hurdle"}, features=["money"])
    assert _kind("money=hurdle") == ("money", "hurdle")


# --- words about clusters ---------------------------------------------------------------------------------------------


def test_clusters_are_described_by_their_zeros_and_by_the_others():
    x = np.array([0, 0, 0, 8.0, 100, 110, 0, 120, 130, np.nan])
    data = Dataset(X=x[:, None], name="shop", feature_names=("money",), kinds=("hurdle",), gaps=True)
    labels = np.repeat([0, 1], [4, 6])
    ends, median = ends_and_rest(x, (0.0,))
    assert (*ends, median) == (4 / 9, 110.0)
    found = cluster_table(data, labels)
    assert_allclose(found["money share of 0"], [0.75, 0.2])
    assert_allclose(found["money median if not 0"], [8, 115])
    (column,) = own_columns(data)
    assert [_summary(column, found.iloc[k]) for k in (0, 1)] == ["0 (75%), else 8", "0 (20%), else 115"]
    assert reasons(data, labels) == [
        ["money lower where not 0 (8, others 115)", "money 0 more often (75%, others 20%)"],
        ["money higher where not 0 (115, others 8)", "money 0 less often (20%, others 75%)"],
    ]
    assert column_tests(x[:, None], labels, ["hurdle"], ["money"]).loc["money", "test"] == "Kruskal–Wallis"
    nothing = Dataset(X=np.array([[0.0], [0.0], [5.0]]), name="shop", kinds=("hurdle",))
    assert "else" not in _summary(own_columns(nothing)[0], cluster_table(nothing, np.array([0, 0, 1])).iloc[0])


def test_a_column_of_zeros_alone_tells_nothing_of_clusters():
    generator, labels = np.random.default_rng(0), np.repeat([0, 1], 50)
    X = np.column_stack([np.zeros(100), generator.normal(6 * labels, 1)])
    model = Problem(X, dpviz.RunConfig("mapdp", family="mixed", prior={"columns": ["hurdle", "real"]})).model
    first, last = column_profiles(model, X, labels)
    assert (first.column, last.column) == (1, 0)  # the telling one first
    assert last.information == pytest.approx(0.0, abs=1e-6) and np.isfinite(last.densities).all()


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_the_tail_is_seen_at_every_scale(scale):
    values = np.random.default_rng(0).lognormal(3.0, 0.8, 200)
    values[::3] = 0.0
    assert is_hurdle(scale * values) and not is_hurdle(np.where(values > 0, scale, 0.0))
