"""Shares of which many are nothing or the whole: three columns that look like one, found in tables and described."""

from __future__ import annotations

import argparse

import naive
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import integrate, special, stats

import dpviz
from dpviz.analysis.prediction import predict
from dpviz.analysis.profiles import column_profiles, column_tests
from dpviz.cli.reading_options import _kind
from dpviz.datasets import Dataset, tables
from dpviz.datasets.tables.decision import share_of
from dpviz.datasets.tables.kinds import infer_kind
from dpviz.datasets.tables.points import read_points
from dpviz.engine.problem import Problem
from dpviz.engine.rescore import partition_nll
from dpviz.engine.shapes import cluster_shapes
from dpviz.errors import InvalidDataError
from dpviz.families import Mixed, Share
from dpviz.families.columns.hurdle import HurdleShapes
from dpviz.families.gaps import WithGaps
from dpviz.figures.profiles import profile_figure
from dpviz.hurdles import ends_and_rest, kind_with_ends, usual_wholes
from dpviz.metrics import ari
from dpviz.periods import whole_of
from dpviz.report.page import _summary
from dpviz.report.tables import cluster_table, own_columns, reasons

SEEDS = range(20)
OF_ROWS = np.array([0.45, 0.35, 0.2])
AT_ENDS = np.array([[0.5, 0.02], [0.1, 0.1], [0.02, 0.5]])
LOGITS, SPREAD = np.array([-1.8, 0.0, 2.0]), 0.6


def answers(
    seed: int, n: int = 300, n_columns: int = 4, whole: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares of three groups, the true ones, and those that the true parameters tell apart."""
    rng = np.random.default_rng([55, seed])
    groups = rng.choice(3, n, p=OF_ROWS)
    between = special.expit(LOGITS[groups, None] + SPREAD * rng.normal(size=(n, n_columns)))
    at, own = rng.random((n, n_columns)), AT_ENDS[groups]
    X = np.where(at < own[:, :1], 0.0, np.where(at < own.sum(axis=1)[:, None], 1.0, between))
    known = np.tile(np.log(OF_ROWS), (n, 1))
    logits = special.logit(np.where((X > 0) & (X < 1), X, 0.5))[:, :, None]
    cells = np.log1p(-AT_ENDS.sum(axis=1)) + stats.norm.logpdf(logits, LOGITS, SPREAD)
    for end, value in enumerate((0.0, 1.0)):
        cells = np.where(X[:, :, None] == value, np.log(AT_ENDS[:, end]), cells)
    return whole * X, groups, np.argmax(known + cells.sum(axis=1), axis=1)


def opinions(seed: int = 0, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """One column of marks from 0 to 100, of the first and the last group."""
    X, groups, _ = answers(seed, 4 * n, 1, 100.0)
    chosen = np.concatenate([np.flatnonzero(groups == group)[: n // 2] for group in (0, 2)])
    return X[chosen], groups[chosen] // 2


# --- three columns ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coarsening", [None, 3.0])
def test_every_partition_has_the_nll_of_two_yes_or_no_beside_logits_with_gaps(coarsening):
    X = np.column_stack([Share.example_data(6, 2, seed=0), np.linspace(-1, 2, 6) ** 2])
    shares = X[:, :2] / 4
    assert (shares == 0).any() and (shares == 1).any()
    between = (shares > 0) & (shares < 1)
    logits = np.where(between, special.logit(np.where(between, shares, 0.5)), np.nan)
    is_whole = np.where(shares > 0, shares == 1, np.nan)
    apart = np.column_stack([(shares == 0).astype(float), is_whole, logits, X[:, 2]])
    own = {"alpha0": np.array([0.7, 1.1]), "omega0": np.array([0.3, 0.6]), "beta0": np.array([0.9, 0.4]), "whole": 4}
    real = {"m0": [0.4, 1.6, 0.1], "c0": 0.3, "a0": 1.3, "b0": [0.5, 0.2, 0.7]}
    one = {
        "columns": ["share", "share", "real"],
        **{f"share_{name}": value for name, value in own.items()},
        **{f"share_{name}": value if name in ("c0", "a0") else value[:2] for name, value in real.items()},
        **{f"normal_gamma_{name}": value if name in ("c0", "a0") else value[2:] for name, value in real.items()},
    }
    two = {
        "columns": ["binary"] * 4 + ["real"] * 3,
        "binomial_alpha0": [*own["alpha0"], *own["omega0"]],
        "binomial_beta0": [*(own["omega0"] + own["beta0"]), *own["beta0"]],
        "binomial_trials": 1,
        **{f"normal_gamma_{name}": value for name, value in real.items()},
    }
    partitions = naive.set_partitions(6)
    found, exact = (
        partition_nll(Problem.check(x, dpviz.RunConfig(family="mixed", prior=prior, coarsening=coarsening)), partitions)
        for x, prior in ((X, one), (apart, two))
    )
    weight = 1.0 if coarsening is None else coarsening / (coarsening + 6)
    slopes = np.log(4 * shares * (1 - shares), out=np.zeros((6, 2)), where=between).sum()
    assert_allclose(found, exact + weight * slopes, atol=1e-9)


def test_percent_are_shares_of_another_unit():
    X, _ = opinions()
    shares, percent = (
        dpviz.run(x, dpviz.RunConfig(kinds=[kind], seed=1))
        for x, kind in ((X / 128, "share 0.78125"), (X, "share 100"))
    )
    assert_array_equal(shares.labels[-1], percent.labels[-1])
    n_between = ((X > 0) & (X < 100)).sum()
    assert percent.nll[-1] == pytest.approx(shares.nll[-1] + n_between * np.log(128), abs=1e-7)


def test_what_is_left_looks_like_what_is_there_the_other_way_round():
    X, _, _ = answers(3, 200, 2)
    X = np.round(256 * X) / 256  # so that nothing is lost in 1 − X
    there, left = (dpviz.run(x, dpviz.RunConfig(kinds=["share 1"] * 2, seed=2)) for x in (X, 1 - X))
    assert ari(there.labels[-1], left.labels[-1]) == 1.0
    assert there.nll[-1] == pytest.approx(left.nll[-1], abs=1e-6)


def test_a_share_of_which_the_slope_s_logarithm_is_0_is_no_whole():
    X = np.array([[2.0], [2.0], [4.0], [0.0], [1.0]])
    family = Share.from_prior({"whole": 4.0}, X)
    working = family.working(X)
    assert_array_equal(working.X[:, 2] == 0, [False, False, True, False, False])
    assert_array_equal(working.family.cells(working.X).ends, [[2], [2], [1], [0], [2]])
    assert working.family.log_marginal(working.X) == pytest.approx(family.log_marginal(X), abs=1e-12)


def test_what_misses_an_end_by_rounding_alone_is_at_it():
    X = np.array([[0.1 + 0.2 - 0.3], [1 - 2.0**-53], [1 + 2.0**-52], [1e-11], [1 - 1e-11], [-(2.0**-60)]])
    family = Share.from_prior({"whole": 1.0}, X)
    working = family.working(X)
    assert_array_equal(working.family.cells(working.X).ends[:, 0], [0, 1, 1, 2, 2, 0])
    assert_array_equal(working.transform(X), working.X)
    table = tables.read_text(
        "left,n\n" + "".join(f"{x!r},{i}\n" for i, x in enumerate(X[:, 0].tolist())), separator=","
    )
    data = tables.to_dataset(table, kinds={"left": "share 1"}, features=["left"])
    assert_array_equal(data.X[[0, 1, 2, 5], 0], [0, 1, 1, 0])
    clean, groups, _ = answers(4, 200, 2)
    noise = np.random.default_rng(4).choice([-1, 0, 1], clean.shape) * 2.0**-52
    assert kind_with_ends((clean + noise)[:, 0]) == "share 1"
    one, other = (dpviz.run(x, dpviz.RunConfig(kinds=["share 1"] * 2, seed=3)) for x in (clean, clean + noise))
    assert ari(one.labels[-1], other.labels[-1]) == 1.0
    assert one.nll[-1] == pytest.approx(other.nll[-1], abs=1e-6)
    assert_allclose(ends_and_rest((clean + noise)[:, 0], (0.0, 1.0)).ends, ends_and_rest(clean[:, 0], (0.0, 1.0)).ends)


def test_ends_and_missing_cells_of_working_data_are_told_apart():
    X, _ = opinions(n=40)
    X[[3, 30]] = np.nan
    table = np.column_stack([X, np.arange(40.0)])
    working = WithGaps.of(Mixed.from_prior({"columns": ["share 100", "real"]}, table)).working(table)
    assert working.X.shape == (40, 4)
    n_ends = (X == 0).sum(), (X == 100).sum()
    assert working.n_left_out() == np.isnan(working.X).sum() - 2 == 2 * n_ends[0] + n_ends[1] + 4


@pytest.mark.parametrize("missing", ["marginalise", "impute"])
def test_shares_stand_beside_a_full_covariance_and_gaps(missing):
    rng = np.random.default_rng(3)
    X, groups = opinions(3)
    table = np.column_stack([X, rng.normal(8 * groups, 1.0), rng.normal(0, 1, 120)])
    table[:, 2] += table[:, 1]
    if missing == "impute":
        table[::17, 2] = np.nan
    prior = {"columns": ["share 100", "normal_wishart", "normal_wishart"]}
    trace = dpviz.run(table, dpviz.RunConfig(family="mixed", prior=prior, missing=missing, seed=0))
    assert ari(groups, trace.labels[-1]) > 0.95
    assert np.all(np.diff(trace.nll)[1:] <= 1e-9)


# --- groups that are there --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("digits", "whole"), [(2, 1.0), (0, 100.0)])
def test_three_groups_are_told_apart_as_well_as_they_can_be_in_nineteen_of_twenty_draws(digits, whole):
    good = 0
    for seed in SEEDS:
        X, truth, best = answers(seed, whole=whole)
        X = np.round(X, digits)
        kinds = [infer_kind(pd.Series(column), may_be_role=False) for column in X.T]
        assert kinds == [f"share {whole:g}"] * 4
        trace = dpviz.run(X, dpviz.RunConfig("mapdp", kinds=kinds, seed=seed, partition="auto"))
        good += ari(truth, trace.result_labels) > ari(truth, best) - 0.03
    assert good >= 19


def test_ends_are_no_groups_by_themselves_in_nineteen_of_twenty_draws():
    found = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        at, between = rng.random((300, 2)), special.expit(rng.normal(0.5, 1, (300, 2)))
        X = np.where(at < 0.3, 0.0, np.where(at < 0.5, 1.0, between))
        found.append(int(dpviz.run(X, dpviz.RunConfig("mapdp", kinds=["share 1"] * 2, seed=seed)).n_clusters[-1]))
    assert found.count(1) >= 19


# --- predictions, profiles, shapes ------------------------------------------------------------------------------------


def test_further_rows_may_be_anything_from_nothing_to_the_whole():
    X, groups = opinions()
    table = np.column_stack([X, np.random.default_rng(0).normal(4 * groups, 1.0)])
    trace = dpviz.run(table, dpviz.RunConfig(kinds=["share 100", "real"], seed=0))
    assert ari(groups, trace.labels[-1]) > 0.9
    found = predict(table, trace, [[0.0, 0.0], [14.0, 0.0], [100.0, 4.0], [88.0, 4.0], [np.nan, 4.0]])
    assert found.clusters[0] == found.clusters[1] != found.clusters[2] == found.clusters[3] == found.clusters[4]
    for wrong, bound in ((-1.0, "a number ≥ 0"), (101.0, "at most the whole, 100")):
        with pytest.raises(InvalidDataError, match=f"holds {wrong:g} in row 0; .* must be {bound}"):
            predict(table, trace, [[wrong, 0.0]])


def test_profiles_have_a_bar_beside_each_end():
    X, groups = opinions()
    (profile,) = column_profiles(Share.from_prior(None, X), X, groups)
    assert_allclose(np.trapezoid(profile.densities, profile.values, axis=1), 1, atol=0.02)
    for value, bar in ((0.0, profile.values <= 0), (100.0, profile.values >= 100)):
        shares = [((X[groups == k] == value).sum() + 2 * np.mean(X == value)) / 62 for k in (0, 1)]
        assert_allclose(np.trapezoid(profile.densities[:, bar], profile.values[bar], axis=1), shares, rtol=1e-9)
    assert 0.5 < profile.information < np.log(2)
    for scale in (0.1, 0.001):  # far from the whole
        (small,) = column_profiles(Share.from_prior({"whole": 100.0}, scale * X), scale * X, groups)
        assert_allclose(np.trapezoid(small.densities, small.values, axis=1), 1, atol=0.03)
        assert 0 <= small.information < np.log(2)
    figure = profile_figure(profile, "agreement", ["1", "2"], ["red", "blue"])
    for trace, densities in zip(figure.data, profile.densities, strict=True):
        assert_array_equal(trace.x, profile.values)
        assert_array_equal(trace.y, densities)


def test_shapes_of_one_column_are_two_bars_and_the_predictive_density():
    X, _ = opinions()
    config = dpviz.RunConfig("gibbs", kinds=["share 100"], n_sweeps=8, burn_in=2, seed=3, prior=None)
    trace, problem = dpviz.run(X, config), Problem.check(X, config)
    found = cluster_shapes(problem, trace, np.arange(len(trace.labels)))
    grid, bar = found.shapes.grid(X[:, 0]), found.shapes.bar
    assert np.all(np.diff(grid) > 0) and grid[0] < 0 and grid[-1] > 100
    curves, between = found.shapes.curves(grid), (grid > 0) & (grid < 100)
    ends = bar * found.shapes.curves(np.array([-0.5 * bar, 100 + 0.5 * bar]))
    for one, (row, label) in enumerate(zip(found.rows, found.labels, strict=True)):
        family = problem.family.posterior(X[trace.labels[row] == label])
        assert_allclose(curves[one, between], np.exp(family.log_predictive(grid[between, None])), rtol=1e-9)
        assert_allclose(ends[one], np.exp(family.log_predictive(np.array([[0.0], [100.0]]))), rtol=1e-9)


def test_shapes_keep_their_area_in_other_units():
    shapes = HurdleShapes(np.array([[0.3, 0.2]]), np.array([1.0]), np.array([0.5]), np.array([np.inf]), 0.1, 4.0)
    for unit in (1.0, 0.01, -4.0):
        shown = shapes.projected(np.array([[unit]]), np.array([2.0]))
        edges = [place * unit for place in (-2.2, -2.1, -2.0, 0.0, 2.0, 2.1, 2.2)]
        low, high = min(edges), max(edges)
        area = integrate.quad(lambda x, s=shown: s.curves(np.array([x]))[0, 0], low, high, points=edges[1:-1])[0]
        assert area == pytest.approx(1, abs=1e-5)


# --- tables -----------------------------------------------------------------------------------------------------------


def test_shares_with_ends_are_recognised_and_nothing_else():
    rng = np.random.default_rng(0)
    between, at = special.expit(rng.normal(0, 1.5, 200)), rng.random(200)
    assert kind_with_ends(np.where(at < 0.3, 0, between)) == kind_with_ends(np.where(at < 0.3, 1, between)) == "share 1"
    assert kind_with_ends(np.where(at < 0.3, 0, 0.5 * between)) is None  # amounts, which in other units are above 1
    marks = np.round(100 * between)
    assert kind_with_ends(np.where(at < 0.3, 100, marks)) == "share 100"
    assert kind_with_ends(np.where(at < 0.1, 0, np.where(at < 0.2, 100, marks))) == "share 100"
    assert kind_with_ends(np.where(at < 0.3, 0, np.minimum(marks, 90))) is None  # which may be measures of any kind
    assert kind_with_ends(between) is None and kind_with_ends(np.where(at < 0.04, 0, between)) is None
    assert kind_with_ends(np.where(at < 0.3, 0, 0.5)) is None and kind_with_ends(-between) is None
    assert kind_with_ends(np.array([])) is None and kind_with_ends(np.array([np.inf, *between])) is None
    assert kind_with_ends((at < 0.5).astype(float)) is None  # yes and no
    long = np.where(at < 0.3, 0, np.exp(rng.normal(-4, 1, 200)))
    assert kind_with_ends(long) == kind_with_ends(long / long.max()) == "hurdle"  # though the largest is 1
    assert_array_equal(usual_wholes(np.array([[0.0, 1.0, 1.5, 100.0, 240.0]])), [1, 1, 100, 100, 240])


def survey(n: int = 90) -> pd.DataFrame:
    X, groups = opinions(5, n)
    return pd.DataFrame({"agree": np.round(X[:, 0]), "size": np.random.default_rng(5).normal(6 * groups, 1)})


def test_files_and_frames_have_the_same_kinds_and_say_so():
    frame = survey()
    decision = tables.decide(frame)
    assert dict(decision.features) == {"agree": "share 100", "size": "continuous"} and decision.scaling == "none"
    assert "Columns are not scaled, since scaled ones cannot be taken as share." in decision.lines()
    assert "Clustered as share 100 (0, the whole, or a share between): “agree”." in decision.lines()
    model = dpviz.MAPDP(random_state=0).fit(frame.assign(agree=frame["agree"].astype(float)))
    assert model.trace_.config.kinds == ("share 100", "continuous")
    zeros, wholes = ((frame["agree"] == end).mean() for end in (0, 100))
    said = f"{zeros:.0%} of its cells are 0 and {wholes:.0%} of its cells are 100."
    assert any("“agree” is share 100: 0, the whole" in note and said in note for note in model.notes_)
    assert ari(np.repeat([0, 1], 45), model.labels_) > 0.9


def test_a_kind_that_is_named_needs_numbers_within_the_whole():
    text = "agree,n\n" + "\n".join(f"{value},{i}" for i, value in enumerate([0, 5, 0, 12, 7, 0, 30, 100]))
    table = tables.read_text(text, separator=",")
    for named in ("share", "share 100"):
        assert tables.to_dataset(table, kinds={"agree": named}, features=["agree"]).kinds == ("share 100",)
    data = tables.to_dataset(table, kinds={"agree": "share 128"}, features=["agree"])
    assert data.kinds == ("share 128",)
    new = read_points(tables.read_text("agree\n0\n99.5\n", separator=","), data)
    assert_allclose(new.X[:, 0], [0, 99.5])
    (cell,) = read_points(tables.read_text("agree\n0\n200\n", separator=","), data).wrong_cells(9)
    assert (cell.row, cell.value, cell.reason) == (1, "200", "a number from 0 to 128")
    for wrong in ("-12", "130"):
        other = tables.read_text(text.replace("12", wrong), separator=",")
        with pytest.raises(InvalidDataError, match="“agree” cannot be of the kind share 128: .* must be from 0 to 128"):
            tables.to_dataset(other, kinds={"agree": "share 128"}, features=["agree"])
    assert _kind("agree=share:100") == ("agree", "share 100")
    with pytest.raises(dpviz.errors.InvalidParameterError, match=r"Write what shares are of as in 'share 100'\."):
        dpviz.RunConfig(kinds=["share 0"])
    with pytest.raises(argparse.ArgumentTypeError, match=r"Write what shares are of as in 'share:100'"):
        _kind("agree=share:abc")


@pytest.mark.parametrize("largest", [123.43100427221800, 1e13])
def test_the_whole_may_be_the_largest_number_itself(largest):
    column = pd.Series(np.append(np.random.default_rng(1).uniform(0, 100, 40), largest), name="agree")
    assert whole_of(share_of(column)) == min(largest, 1e12)


def test_percent_that_add_up_are_parts_though_one_is_often_all():
    rng = np.random.default_rng(6)
    X = np.where(rng.random((200, 1)) < 0.15, [[100, 0, 0, 0]], rng.multinomial(100, [0.4, 0.3, 0.2, 0.1], 200))
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert infer_kind(frame["a"], may_be_role=False) == "share 100"
    decision = tables.decide(frame, kinds={"*": "parts"})
    assert dict(decision.features) == dict.fromkeys("abcd", "parts")


def test_powers_of_shares_and_hours_are_refused():
    X, _ = opinions()
    for kind in ("share 100", "circular 360"):
        config = dpviz.RunConfig(kinds=[kind, "real"], transform=[0.5, 1.0])
        with pytest.raises(dpviz.errors.InvalidParameterError, match=rf"transform\[0\] = .* 1 for a column .*{kind}"):
            dpviz.run(np.column_stack([X, X]) + 1e-3 * (X < 50), config)


# --- words about clusters ---------------------------------------------------------------------------------------------


def test_clusters_are_described_by_their_ends_and_by_the_others():
    x = np.array([0, 0, 0, 0.1, 0.7, 0.8, 1.0, 0.9, 1.0, np.nan])
    data = Dataset(X=x[:, None], name="survey", feature_names=("agree",), kinds=("share 1",), gaps=True)
    labels = np.repeat([0, 1], [4, 6])
    ends, median = ends_and_rest(x, (0.0, 1.0))
    assert_allclose([*ends, median], [3 / 9, 2 / 9, 0.75])
    found = cluster_table(data, labels)
    assert_allclose(found["agree share of 0"], [0.75, 0])
    assert_allclose(found["agree share of 1"], [0, 0.4])
    assert_allclose(found["agree median if not 0 or 1"], [0.1, 0.8])
    (column,) = own_columns(data)
    words = [_summary(column, found.iloc[k]) for k in (0, 1)]
    assert words == ["0 (75%), 1 (0%), else 0.1", "0 (0%), 1 (40%), else 0.8"]
    assert reasons(data, labels) == [
        ["agree lower where not 0 or 1 (0.1, others 0.8)", "agree 0 more often (75%, others 0%)",
         "agree 1 less often (0%, others 40%)"],
        ["agree higher where not 0 or 1 (0.8, others 0.1)", "agree 0 less often (0%, others 75%)",
         "agree 1 more often (40%, others 0%)"],
    ]  # fmt: skip
    assert column_tests(x[:, None], labels, ["share 1"], ["agree"]).loc["agree", "test"] == "Kruskal–Wallis"
    ends_alone = Dataset(X=np.array([[0.0], [1.0], [1.0]]), name="survey", kinds=("share 1",))
    assert "else" not in _summary(own_columns(ends_alone)[0], cluster_table(ends_alone, np.array([0, 0, 1])).iloc[0])
    assert all(phrase for phrase in reasons(ends_alone, np.array([0, 1, 1])))


def test_a_column_of_ends_alone_tells_nothing_of_clusters():
    generator, labels = np.random.default_rng(0), np.repeat([0, 1], 50)
    for end in (0.0, 1.0):
        X = np.column_stack([np.full(100, end), generator.normal(6 * labels, 1)])
        prior = {"columns": ["share 1", "real"]}
        model = Problem(X, dpviz.RunConfig("mapdp", family="mixed", prior=prior)).model
        first, last = column_profiles(model, X, labels)
        assert (first.column, last.column) == (1, 0)  # the telling one first
        assert last.information == pytest.approx(0.0, abs=1e-6) and np.isfinite(last.densities).all()
