"""Hours and angles: groups about midnight, wherever the turn begins; no groups where steps alone make some."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats
from test_families import Slots

import dpviz
from dpviz.analysis.prediction import predict
from dpviz.analysis.profiles import column_profiles, column_tests
from dpviz.cli.reading_options import _kind
from dpviz.datasets import Dataset, tables
from dpviz.datasets.tables.cell_values import as_read
from dpviz.datasets.tables.circles import clock_hours
from dpviz.datasets.tables.points import read_points
from dpviz.datasets.tables.table import CLOCK
from dpviz.errors import InvalidDataError, InvalidParameterError
from dpviz.families import Circular, Mixed
from dpviz.families.coarsened import Coarsened
from dpviz.families.columns.circular import log_mass, mass, scaled_bessel
from dpviz.figures.data import column_summary
from dpviz.figures.profiles import profile_figure
from dpviz.metrics import ari
from dpviz.periods import mean_of_turn
from dpviz.report.tables import cluster_table, reasons
from dpviz.ui.explore.result_words import mean_in_words

SEEDS = range(20)


def quickly(kind: str, seed: int, **options: object) -> dpviz.RunConfig:
    return dpviz.RunConfig("mapdp", kinds=[kind], seed=seed, partition="auto", **options)


def hours(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Night and noon, the true groups, and those that the true parameters tell apart."""
    rng = np.random.default_rng(seed)
    x = np.mod(np.concatenate([rng.normal(0, 1.2, 150), rng.normal(12, 1.5, 150)]), 24)
    away = np.mod(x + 12, 24) - 12
    night = stats.norm.pdf(away, 0, 1.2) > stats.norm.pdf(x, 12, 1.5)
    return x[:, None], np.repeat([0, 1], 150), (~night).astype(int)


def angles(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng, centres = np.random.default_rng(seed), np.array([1.0, 3.0, 5.0])
    x = np.mod(np.concatenate([rng.vonmises(c, 25.0, 100) for c in centres]), 2 * np.pi)
    return x[:, None], np.repeat([0, 1, 2], 100), np.argmax(np.cos(x[:, None] - centres), axis=1)


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_bessel_functions_are_those_of_scipy():
    z = np.concatenate([np.linspace(0, 20, 4001), np.logspace(-8, 11, 500)])
    found = np.array([scaled_bessel(float(value)) for value in z])
    assert_allclose(found, special.i0e(z), rtol=5e-14)


@pytest.mark.parametrize("n", [0.0, 0.7, 3.0, 1000.0, 1e6])
@pytest.mark.parametrize("share", [0.0, 1e-9, 0.01, 0.5, 1.0])
def test_compiled_marginals_are_the_readable_ones(n, share):
    for n_concentrations in (0, 1, 5, 18):
        number, factor = mass(n, n * share, n_concentrations)
        exact = float(log_mass(n, n * share, n_concentrations))
        assert 1e-7 < factor < 20
        assert number + np.log(factor) == pytest.approx(exact, rel=1e-12, abs=1e-11)


def test_values_close_together_keep_their_digits():
    """What their sum lacks in length is far below the rounding of the length itself."""
    x = 3.0 + 1e-7 * np.arange(50.0)[:, None]
    after = Circular.from_prior({"period": 24.0, "resolution": 1e-3}, x).posterior(x)
    unit = 2 * np.pi / 24
    assert after.s0[0] == pytest.approx(0.5 * np.sum((unit * (x - x.mean())) ** 2), rel=1e-6)
    slots = Slots(Circular.from_prior({"period": 24.0}, x), x)
    slots.rebuild(np.zeros(50, dtype=np.int64))
    assert slots.state.rest[0, 0] == pytest.approx(after.s0[0], rel=1e-9)


@pytest.mark.parametrize(("step", "n"), [(24 / 7, 2), (1.0, 5), (0.5, 7), (1 / 60, 17), (1e-9, 18), (12.0, 0)])
def test_concentrations_end_at_the_resolution(step, n):
    family = Circular.from_prior({"period": 24.0, "resolution": step}, np.zeros((1, 1)))
    assert family.n_concentrations[0] == n
    sharpest = 0.5 * 2.0 ** (n - 1) if n else 0.0
    assert sharpest <= max((24 / (2 * np.pi * step)) ** 2, 0.5)


@pytest.mark.parametrize(
    ("values", "period", "step"),
    [
        (np.arange(24.0), 24.0, 1.0),
        (np.arange(0, 24, 0.5), 24.0, 0.5),
        (np.arange(0, 24, 1 / 60), 24.0, 1 / 60),
        (np.deg2rad(np.arange(0.0, 360, 5)), 2 * np.pi, 2 * np.pi / 360),
        (np.random.default_rng(0).uniform(0, 24, 600), 24.0, 24 / 600),
        (np.random.default_rng(0).uniform(0, 24, 9), 24.0, 24 / (20 * np.pi)),
    ],
)
@pytest.mark.parametrize("shift", [0.0, 0.37])
def test_steps_are_found_wherever_the_turn_begins(values, period, step, shift):
    x = np.mod(values + shift, period)[:, None]
    assert Circular.from_prior({"period": period}, x).resolution[0] == pytest.approx(step, rel=1e-9)


def test_powered_marginals_are_the_sums_that_define_them():
    X, zeta = Circular.example_data(5, 1), 0.37
    given = {name: value[0] for name, value in Circular.example_prior(1).items()}
    own = Circular.from_prior(given, X)
    theta, means = 2 * np.pi / 24 * X[:, 0], np.linspace(0, 2 * np.pi, 4096, endpoint=False)
    kappas = np.array([0.0, *(0.5 * 2.0 ** np.arange(own.n_concentrations[0]))])[:, None]
    flat = np.log(special.i0e(kappas)) + kappas
    length, first = given["n0"] - given["s0"], 2 * np.pi / 24 * given["m0"]
    before = kappas * length * np.cos(means - first) - given["n0"] * flat
    each = [kappas * np.cos(x - means) - flat - np.log(24) for x in theta]
    exact = special.logsumexp(before + zeta * np.sum(each, axis=0)) - special.logsumexp(before)
    assert Coarsened.of(own, zeta).log_marginal(X) == pytest.approx(exact, abs=1e-9)


# --- the same wherever the turn begins --------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [6.0, 12.0, 17.3])
def test_a_shift_of_the_origin_changes_neither_partition_nor_nll(shift):
    X, _, _ = hours(3)
    plain, moved = (dpviz.run(x, quickly("circular 24", 5)) for x in (X, np.mod(X + shift, 24)))
    assert_array_equal(plain.labels[-1], moved.labels[-1])
    assert moved.nll[-1] == pytest.approx(plain.nll[-1], abs=1e-8)


def test_places_in_a_mixed_table_have_the_same_distances_after_a_shift():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(20, 1, 60), rng.normal(size=60)])
    X[:, 0] = np.mod(X[:, 0] + 6 * (np.arange(60) % 3), 24)
    found = []
    for shift in (0.0, 7.0):
        own = np.column_stack([np.mod(X[:, 0] + shift, 24), X[:, 1]])
        places = Mixed.from_prior({"columns": ["circular 24", "real"]}, own).places(own)
        found.append(np.linalg.norm(places[:, None] - places, axis=2))
    assert_allclose(found[0], found[1], atol=1e-9)


# --- groups that are there, and groups that are not -------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_night_and_noon_are_two_groups_under_any_shift(seed):
    X, truth, best = hours(seed)
    trace = dpviz.run(np.mod(X + 1.2 * seed, 24), quickly("circular 24", seed))
    assert trace.n_clusters[-1] == 2
    assert ari(truth, trace.labels[-1]) > ari(truth, best) - 0.03


def test_three_groups_of_angles_are_found_in_nineteen_of_twenty_draws():
    good = 0
    for seed in SEEDS:
        X, truth, best = angles(seed)
        trace = dpviz.run(X, quickly(f"circular {2 * np.pi:.15g}", seed))
        good += trace.n_clusters[-1] == 3 and ari(truth, trace.labels[-1]) > ari(truth, best) - 0.03
    assert good >= 19


EVEN = {
    "weekdays": (7, lambda rng: rng.integers(0, 7, 300)),
    "months": (12, lambda rng: rng.integers(0, 12, 300)),
    "whole hours": (24, lambda rng: rng.integers(0, 24, 300)),
    "half hours": (24, lambda rng: rng.integers(0, 48, 300) / 2),
    "any times": (24, lambda rng: rng.uniform(0, 24, 300)),
}


@pytest.mark.parametrize("case", EVEN)
def test_times_all_around_are_one_cluster_in_twenty_of_twenty_draws(case):
    period, draw = EVEN[case]
    found = []
    for seed in SEEDS:
        x = draw(np.random.default_rng(seed)).astype(float)[:, None]
        found.append(int(dpviz.run(x, quickly(f"circular {period}", seed)).n_clusters[-1]))
    assert found == [1] * 20


# --- predictions and profiles -----------------------------------------------------------------------------------------


def test_points_on_both_sides_of_midnight_belong_to_one_cluster():
    X, truth, _ = hours(0)
    trace = dpviz.run(X, quickly("circular 24", 0))
    found = predict(X, trace, [[23.9], [0.1], [24.0], [0.0], [-0.1], [12.0]])
    assert len(set(found.clusters[:5].tolist())) == 1 and found.clusters[5] != found.clusters[0]
    assert_allclose(found.log_density[[2, 4]], found.log_density[[3, 0]], atol=1e-9)
    with pytest.raises(InvalidDataError, match="holds 25 in row 0; .* within one turn, from -12 to 24"):
        predict(X, trace, [[25.0]])
    assert truth.sum() == 150


def test_profiles_go_on_beyond_midnight():
    X, truth, _ = hours(1)
    family = Circular.from_prior({"period": 24.0}, X)
    (profile,) = column_profiles(family, X, truth)
    assert profile.values[0] == 0 and profile.values[-1] == 24
    assert_allclose(np.trapezoid(profile.densities, profile.values, axis=1), 1, atol=1e-3)
    assert_allclose(profile.densities[:, 0], profile.densities[:, -1], rtol=1e-9)
    night = profile.densities[0]
    assert night[0] > 100 * night[np.abs(profile.values - 12) < 0.2].max()
    assert profile.information == pytest.approx(np.log(2), abs=0.05)


def test_profiles_are_roses_that_begin_at_the_top():
    X, truth, _ = hours(1)
    (profile,) = column_profiles(Circular.from_prior({"period": 24.0}, X), X, truth)
    figure = profile_figure(profile, "hour", ["1", "2"], ["red", "blue"])
    assert [type(trace).__name__ for trace in figure.data] == ["Scatterpolar"] * 2
    axis = figure.layout.polar.angularaxis
    assert (axis.rotation, axis.direction) == (90, "clockwise")
    assert dict(zip(axis.tickvals, axis.ticktext, strict=True))[90.0] == "6"
    peak = figure.data[1].theta[np.argmax(figure.data[1].r)]
    assert peak == pytest.approx(180, abs=10)
    week = replace(profile, period=7.0, values=profile.values * 7 / 24)
    shown = profile_figure(week, "day", ["1", "2"], ["red", "blue"], ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
    assert shown.layout.polar.angularaxis.ticktext[6] == "Sun"
    assert shown.layout.polar.angularaxis.tickvals[6] == pytest.approx(360 * 6 / 7)


def test_clusters_on_a_circle_are_compared_wherever_it_begins():
    X, truth, _ = hours(2)
    at = [column_tests(np.mod(X + s, 24), truth, ["circular 24"], ["hour"]).loc["hour"] for s in (0.0, 5.0)]
    assert at[0]["test"] == "Mardia–Watson–Wheeler" and at[0]["p"] < 1e-20
    assert at[1]["statistic"] == pytest.approx(at[0]["statistic"], rel=1e-9)
    rng = np.random.default_rng(0)
    none = [
        column_tests(rng.uniform(0, 24, (90, 1)), np.arange(90) % 3, ["circular 24"], ["hour"])["p"].iloc[0]
        for _ in range(400)
    ]
    assert stats.kstest(none, "uniform").pvalue > 0.001


# --- tables -----------------------------------------------------------------------------------------------------------


def table(n: int = 60) -> tables.Table:
    days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    rows = [f"{i % 24:02d}:{7 * i % 60:02d},{i % 24},{37 * i % 360},{days[i % 7]},{0.37 * i:.2f}" for i in range(n)]
    return tables.read_text("\n".join(["start,hour,wind direction,day,size", *rows]), separator=",")


def test_times_hours_and_directions_are_recognised_and_weekdays_offered():
    decision = tables.decide(table().frame)
    assert dict(decision.kinds) == {
        "start": "circular 24",
        "hour": "circular 24",
        "wind direction": "circular 360",
        "day": "categorical",
        "size": "continuous",
    }
    said = decision.lines()
    assert "Clustered as circular 24: “start”, “hour”." in said
    assert any(line.startswith("“day” could be circular 7") for line in said)
    data = tables.to_dataset(table(), kinds={"day": "circular"})
    assert data.kinds == ("circular 24", "circular 24", "circular 360", "circular 7", "continuous")
    assert_allclose(data.X[:3, 0], [0, 1 + 7 / 60, 2 + 14 / 60])
    assert data.category_names[3] == ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    assert_array_equal(data.X[:8, 3], [0, 1, 2, 3, 4, 5, 6, 0])
    trace = dpviz.run(data.X, dpviz.RunConfig(kinds=data.kinds, n_init=1, effort=0))
    assert np.isfinite(trace.nll).all()


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("8:05", 8 + 5 / 60),
        ("08:30:36", 8.51),
        ("12:15 am", 0.25),
        ("12:15 PM", 12.25),
        ("9:00pm", 21.0),
        ("24:00", 24),
    ],
)
def test_times_of_the_day_are_hours(text, hour):
    import pyarrow as pa

    assert clock_hours(pa.array([text, "25:00", "8.30", None]))[0] == pytest.approx(hour)
    assert np.isnan(clock_hours(pa.array(["25:00", "24:30", "8:61", "13:00 am", "noon", None]))).all()


def test_numbers_of_other_columns_are_no_circles():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "hours": rng.uniform(0.5, 20, 80),  # how long, not when
            "angle": rng.uniform(0, 80, 80),  # of a corner
            "direction": rng.uniform(-900, 900, 80),
            "hour": rng.uniform(0, 90, 80),
        }
    )
    assert not [kind for kind in tables.infer_kinds(frame).values() if kind.startswith("circular")]


def test_values_beyond_a_turn_are_refused_by_name():
    frame = table()
    with pytest.raises(InvalidDataError, match="“wind direction” cannot be of the kind circular 24: .* from -12 to 24"):
        tables.to_dataset(frame, kinds={"wind direction": "circular 24"})
    with pytest.raises(InvalidParameterError, match="kinds"):
        tables.to_dataset(frame, kinds={"wind direction": "circular 0"})
    for kind in ("circular 0", "circular x", "circular -3", "count 5"):
        with pytest.raises(InvalidParameterError, match="kinds = "):
            dpviz.RunConfig(kinds=[kind])
    with pytest.raises(InvalidParameterError, match=r"prior\['period'\] = 0"):
        dpviz.run(np.zeros((3, 1)), dpviz.RunConfig(family="circular", prior={"period": 0.0}))
    with pytest.raises(InvalidParameterError, match=r"prior\['s0'\] = .* must be at most prior\['n0'\]"):
        dpviz.run(np.zeros((3, 1)), dpviz.RunConfig(family="circular", prior={"s0": 2.0, "n0": 1.0}))


def test_numbers_beyond_a_turn_are_said_and_wrapped_where_that_is_accepted():
    x = np.linspace(0, 350, 60)
    x[[3, 20]] = 365.0, -200.0
    frame = pd.DataFrame({"wind direction": x, "size": np.sqrt(np.arange(60.0))})
    file = frame.to_csv(index=False).encode(), "wind.csv"
    decision = tables.decide(tables.read_table(*file).frame)
    assert dict(decision.kinds)["wind direction"] == "continuous"
    (proposal,) = decision.proposals
    assert proposal.change == ("wind direction", "circular 360")
    assert "2 cells of “wind direction” are beyond one turn of 360 (such as 365)" in proposal.line
    wrapped = tables.read_table(*file, accepted=[proposal.change])
    assert_allclose(wrapped.frame["wind direction"][[3, 20]], [5, 160])
    assert wrapped.notes[-1] == "As accepted, 2 cells of “wind direction” wrapped to one turn of 360."
    assert dict(tables.decide(wrapped.frame).kinds)["wind direction"] == "circular 360"
    named = tables.decide(tables.read_table(*file).frame, kinds={"size": "circular 7"})
    assert ("size", "circular 7") in [one.change for one in named.proposals]
    with pytest.raises(InvalidParameterError, match="accepted"):
        tables.read_table(*file, accepted=[("nothing", "circular 7")])


@pytest.mark.parametrize("far", ["1e18", "-1e300", "inf"])
def test_numbers_too_far_out_to_have_a_direction_get_none(far):
    def table_with(cell, accepted=()):
        cells = [*np.linspace(0, 350, 60).astype(str), "365", cell]
        rows = "".join(f"{x},{i**2}\n" for i, x in enumerate(cells))
        return tables.read_table(f"wind direction,size\n{rows}".encode(), "wind.csv", accepted=accepted)

    (proposal,) = tables.decide(table_with("-200").frame).proposals
    assert far == "inf" or not tables.decide(table_with(far).frame).proposals
    left = table_with(far, [proposal.change])
    assert left.notes[-1] == "As accepted, 1 cell of “wind direction” wrapped to one turn of 360."
    assert_allclose(left.frame["wind direction"][60:], [5, float(far)])
    dataset = tables.to_dataset(table_with("-200", [proposal.change]))
    points = read_points(table_with(far), dataset)
    assert np.argwhere(points.wrong).tolist() == np.argwhere(np.isnan(points.X)).tolist() == [[61, 0]]


def test_new_rows_are_read_as_the_data_were():
    data = tables.to_dataset(table(), features=["start", "day"], kinds={"day": "circular 7"})
    new = tables.read_text("start,day\n23:30,Sun\n8:15 pm,Mon\n7:00,Thu\n", separator=",")
    points = read_points(new, data)
    assert_allclose(points.X, [[23.5, 6], [20.25, 0], [7, 3]])
    assert points.notes == () and not points.wrong.any()


def test_times_under_a_heading_of_hours_are_read_again_as_they_were():
    text = "start,size\n[hh:mm],[cm]\n" + "\n".join(f"{k % 24:02}:30,{k % 7}.5" for k in range(40))
    table = tables.read_text(text, separator=",", header_rows=2)
    data = tables.to_dataset(table)
    assert data.units == (("size", "cm"), ("start", CLOCK))
    assert_allclose(read_points(table, data).X, data.X)


@pytest.mark.parametrize(
    ("hours", "told", "exact"),
    [
        (8.5, "08:30", "08:30"),
        (8.5 + 1 / 120, "08:30", "08:30:30"),
        (23.9999, "00:00", "00:00"),
        (24.0, "00:00", "00:00"),
        (-0.25, "23:45", "23:45"),
        (9 + 59.6 / 60, "10:00", "09:59:36"),
        (31.0, None, None),
        (np.nan, None, None),
    ],
)
def test_times_of_the_day_are_told_to_the_minute_and_to_the_second_where_they_are_exact(hours, told, exact):
    assert (as_read(hours, CLOCK), as_read(hours, CLOCK, exact=True), as_read(hours, "kg")) == (told, exact, None)
    assert as_read(hours, CLOCK, spread=0.01) == exact


def test_times_that_were_written_as_such_are_told_so_and_hours_stay_numbers():
    rng = np.random.default_rng(0)
    minutes = np.round(60 * np.concatenate([rng.normal(23.7, 0.5, 80), rng.normal(9.5, 0.5, 80)])).astype(int) % 1440
    rows = [f"{m // 60:02}:{m % 60:02},{m / 60:.4f}" for m in minutes]
    data = tables.to_dataset(tables.read_text("\n".join(["start,hour", *rows]), separator=","))
    assert data.kinds == ("circular 24",) * 2 and data.units == (("start", CLOCK),)
    groups = np.repeat([0, 1], 80)
    (late, hour), (early, _) = reasons(data, groups)
    means = [mean_of_turn(data.X[groups == k, 0], 24) for k in range(2)]
    clock = [f"{int(mean):02}:{round(60 * (mean % 1)):02}" for mean in means]
    assert (
        late == f"start about {clock[0]}, others {clock[1]}" and early == f"start about {clock[1]}, others {clock[0]}"
    )
    assert hour.startswith(f"hour about {means[0]:.1f}")
    assert [mean_in_words(data, d, np.arange(80)) for d in range(2)] == [clock[0], f"{means[0]:.1f}"]
    assert {"start mean (hours of the day)", "start SD (hours)", "hour mean"} <= set(cluster_table(data, groups))


def test_the_command_line_takes_a_period_after_a_colon():
    assert _kind("hour=circular:24") == ("hour", "circular 24")
    assert _kind("hour=circular") == ("hour", "circular")
    with pytest.raises(Exception, match="COLUMN=KIND"):
        _kind("hour=circular:0")


def test_frames_have_hours_by_name_and_by_kind():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"hour": rng.integers(0, 24, 90), "size": rng.normal(size=90)})
    model = dpviz.MAPDP(random_state=0, n_init=1).fit(frame)
    assert model.trace_.config.kinds == ("circular 24", "continuous")
    assert "“hour” is circular 24: it begins again after 24. Say kinds=[…] if it does not." in model.notes_


# --- words about clusters ---------------------------------------------------------------------------------------------


def test_means_of_clusters_are_directions_and_differences_go_the_short_way():
    x = np.array([23.0, 23.5, 0.5, 1.0, 11.0, 12.0, 13.0, 12.0])
    data = Dataset(X=x[:, None], name="hours", feature_names=("hour",), kinds=("circular 24",))
    labels = np.repeat([0, 1], 4)
    found = cluster_table(data, labels)
    assert_allclose(np.cos(2 * np.pi / 24 * found["hour mean"]), [1, -1], atol=1e-12)
    assert found["hour SD"].iloc[0] == pytest.approx(np.std([-1.0, -0.5, 0.5, 1.0], ddof=1))
    assert [own[0].startswith("hour about") for own in reasons(data, labels)] == [True, True]
    assert mean_of_turn(np.array([350.0, 20.0]), 360.0) == pytest.approx(5.0)
    assert column_summary(data)["Standard deviation"].iloc[0] > 5
    night = Dataset(X=x[:4, None], name="hours", kinds=("circular 24",))
    assert np.cos(2 * np.pi / 24 * column_summary(night)["Mean"].iloc[0]) == pytest.approx(1)
    assert column_summary(night)["Standard deviation"].iloc[0] < 1


@pytest.mark.parametrize(
    ("low", "extra", "wrapped"), [(-180, 560, -160), (-180, -400, -40), (0, 400, 40), (0, -400, 320)]
)
def test_what_is_wrapped_is_written_as_the_other_cells_are_and_so_are_further_rows(low, extra, wrapped):
    values = np.round(np.random.default_rng(0).uniform(low, low + 360, 100), 1)
    values[7] = extra
    rows = "".join(f"{a},{b}\n" for a, b in zip(values, np.arange(100) ** 2, strict=True))
    content = f"heading,size\n{rows}".encode()
    (proposal,) = tables.decide(tables.read_table(content, "w.csv").frame).proposals
    table = tables.read_table(content, "w.csv", accepted=[proposal.change])
    assert dict(tables.decide(table.frame).features)["heading"] == "circular 360"
    dataset = tables.to_dataset(table)
    assert dataset.X[7, 0] == wrapped
    points = read_points(tables.read_table(f"heading,size\n{extra},1\n{values[0]},1\n".encode(), "n.csv"), dataset)
    assert_allclose(np.mod(points.X[:, 0], 360), np.mod([wrapped, values[0]], 360))
