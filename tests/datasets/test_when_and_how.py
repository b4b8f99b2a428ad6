"""Columns of when and how rows came to be are left out of what is clustered, said, and taken back by one choice."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from command_line import cli, typed
from numpy.testing import assert_allclose, assert_array_equal

from dpviz import MAPDP
from dpviz.datasets.tables import Table, decide, measures, read_text, to_dataset
from dpviz.datasets.tables.points import read_points
from dpviz.errors import InvalidParameterError
from dpviz.ui.data.columns import LoadedTable, converted

N = 60


def measured(seed: int = 0) -> pd.DataFrame:
    """Three species of birds, of two measured columns."""
    r = np.random.default_rng(seed)
    species = np.arange(N) % 3
    return pd.DataFrame(
        {"wing": np.round(r.normal(20 * species, 1), 1), "bill": np.round(r.normal(-9 * species, 1), 1)}
    )


def as_table(frame: pd.DataFrame) -> Table:
    return read_text(frame.to_csv(index=False))


def left_out(frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    return dict(decide(as_table(frame).frame).left_out)


def days(order: str, first: int = 1, last: int = 28) -> list[str]:
    when = [(first + 5 * i % (last - first + 1), 1 + i % 12, 20 + i % 4) for i in range(N)]
    return [order.format(d=day, m=month, y=year) for day, month, year in when]


WHEN = "they say when rows were measured, not what was"
HOW = "they are about how the rows came to be"
EITHER = "it cannot be told whether day or month comes first in their dates"


@pytest.mark.parametrize(
    "order",
    ["{m}/{d}/{y}", "{d}/{m}/20{y}", "{d:02}.{m:02}.{y}", "{d}-{m}-20{y}", "20{y}-{m}-{d}", "{m}/{d}/{y} 3:45 PM"],
)
def test_dates_beside_measurements_are_read_and_left_out(order):
    frame = measured().assign(caught=days(order))
    table = as_table(frame)
    expected = pd.to_datetime([f"20{y}-{m}-{d}" for d, m, y in (x.split() for x in days("{d} {m} {y}"))])
    found = np.floor(table.frame["caught"]).to_numpy()
    assert_array_equal(found, (expected - pd.Timestamp(0)) / pd.Timedelta(days=1))
    decision = decide(table.frame)
    assert dict(decision.left_out) == {WHEN: ("caught",)} and dict(decision.features).keys() == {"wing", "bill"}
    assert f"Left out because {WHEN}: “caught”." in decision.lines()
    assert to_dataset(table, kinds={"caught": "continuous"}).feature_names == ("wing", "bill", "caught")
    assert to_dataset(table, features=["wing", "caught"]).kinds == ("continuous", "continuous")


@pytest.mark.parametrize(
    ("cells", "day"),
    [
        ("1/15/99", "1999-01-15"),
        ("1/15/69", "1969-01-15"),
        ("1/15/68", "1968-01-15"),
        ("1/15/26", "2026-01-15"),
        ("1/15/27", "1927-01-15"),
        ("1/15/21 12:00 AM", "2021-01-15"),
        ("1/15/2021 12:00 pm", "2021-01-15 12:00"),
    ],
)
def test_short_years_and_halves_of_days(cells, day, monkeypatch):
    monkeypatch.setattr(measures, "this_year", lambda: 2026)
    read = read_text(f"a;b\n{cells};1.5\n{cells};2.5\n").frame["a"]
    assert_allclose(read, (pd.Timestamp(day) - pd.Timestamp(0)) / pd.Timedelta(days=1), rtol=0, atol=1e-9)


def test_dates_of_two_orders_wait_for_a_choice(tmp_path, capsys):
    frame = measured().assign(when=days("{d}/{m}/{y}", last=12))
    table = as_table(frame)
    decision = decide(table.frame)
    assert dict(decision.left_out) == {EITHER: ("when",)}
    assert [proposal.change for proposal in decision.proposals] == [("when", "day first"), ("when", "month first")]
    text = frame.to_csv(index=False)
    read = {order: read_text(text, accepted=[("when", order)]) for order in ("day first", "month first")}
    swapped = as_table(frame.assign(when=days("20{y}-{m:02}-{d:02}", last=12)))
    assert_array_equal(read["day first"].frame["when"], swapped.frame["when"])
    assert not np.array_equal(read["month first"].frame["when"], swapped.frame["when"])
    assert dict(decide(read["day first"].frame).left_out) == {WHEN: ("when",)}
    assert read["day first"].units == (("when", "days since 1 January 1970"),)
    with pytest.raises(InvalidParameterError, match="accepted"):
        read_text(text, accepted=[("wing", "day first")])
    file = tmp_path / "birds.csv"
    file.write_text(text)
    run = typed("run", file, "--algorithm kmeans --n-clusters 3 --n-init 1")
    assert cli(run) == 0
    assert EITHER in capsys.readouterr().err
    assert cli(run, "--date-order day --kind when=continuous --out", tmp_path / "run.json") == 0
    said = capsys.readouterr().err
    assert "the day first, as days" in said and EITHER not in said and WHEN not in said


@pytest.mark.parametrize("names", [("day", "month", "year"), ("Tag", "Monat", "Jahr"), ("Day", "Month", "Year")])
def test_parts_of_dates_are_dates(names):
    day, month, year = ([int(x) for x in days(form)] for form in ("{d}", "{m}", "20{y}"))
    frame = measured().assign(**dict(zip(names, (day, month, year), strict=True)))
    assert left_out(frame) == {WHEN: tuple(names)}
    beyond = frame.assign(**{names[0]: 1000 + np.arange(N) ** 2})
    assert left_out(beyond) == {WHEN: tuple(names[1:])}
    assert not left_out(measured().assign(model_year=year, day_length=day))


def test_dates_alone_are_clustered():
    frame = pd.DataFrame(
        {"id": [f"P{i}" for i in range(N)], "when": days("20{y}-{m:02}-{d:02}"), "year": [2001, 2002] * 30}
    )
    assert {"when", "year"} == dict(decide(as_table(frame).frame).features).keys()


def survey() -> pd.DataFrame:
    r = np.random.default_rng(1)
    return measured().assign(
        **{
            "submitdate. Date submitted": days("20{y}-{m:02}-{d:02} 10:00:00"),
            "lastpage": r.integers(3, 9, N),
            "Start Language": np.array(["de", "en"])[r.integers(0, 2, N)],
            "seed": r.integers(10**8, 10**9, N),
            "IP address": [f"10.0.0.{i}" for i in r.integers(0, 9, N)],
            "interviewtime": r.lognormal(5, 1, N).round(2),
            "batch_id": r.integers(1, 5, N),
        },
    )


def test_paradata_of_surveys_and_batches_are_left_out_wherever_tables_come_in():
    frame = survey()
    own = tuple(frame)[2:]
    assert left_out(frame) == {HOW: own}
    assert not left_out(measured().assign(seed=frame["seed"] / 7, status=frame["lastpage"], lot=frame["lastpage"]))
    few = ["wing", "bill", "seed", "lastpage", "interviewtime"]
    assert left_out(frame[few]) == {HOW: ("lastpage", "interviewtime")}  # two besides are not enough
    notes = MAPDP(effort=0.0, n_init=1, random_state=0).fit(as_table(frame).frame).notes_
    assert any(HOW in note for note in notes)
    loaded = LoadedTable.of(as_table(frame))
    columns = loaded.guessed(True)
    assert columns["Cluster"].tolist() == [True, True, *[False] * len(own)]
    ticked = columns.assign(Cluster=columns["Cluster"] | (columns["Column"] == "interviewtime"))
    assert converted(loaded, ticked, gaps=True).dataset.feature_names == ("wing", "bill", "interviewtime")


def whole(seed: int, low: int, high: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, N)


def fractions(seed: int) -> np.ndarray:
    return np.round(np.random.default_rng(seed).normal(50, 9, N), 1)


def test_measured_columns_with_names_like_those_of_paradata_are_clustered():
    names = [
        "site.temp",
        "batch.weight",
        "charge number",
        "startdate",
        "lastpage",
        "batch",
        "batch_id",
        "run no",
        "status.score",
        "seed.weight",
        "Language. Score",
        "progress.math",
        "seed 1",
        "deviceid 2",
        "lot number",
        "ipaddr.x",
        "progress",
        "status",
        "seed",
        "language",
        "finished",
        "submitdate. Date sent",
    ]
    for seed in range(5):
        columns = {name: fractions(seed + place) for place, name in enumerate(names)}
        assert not left_out(measured(seed).assign(**columns))
        beside = {name: cells for name, cells in columns.items() if name not in survey()}
        assert left_out(survey().assign(**beside)) == {HOW: tuple(survey())[2:]}
        counted = {name: whole(seed, 3, 40) for name in ("Batch 1", "Batch 2", "batches", "charge number", "seed 1")}
        assert not left_out(measured(seed).assign(**counted))


EXPORTS = {
    "Qualtrics": {
        "StartDate": days("20{y}-{m:02}-{d:02} 10:00:00"),
        "EndDate": days("20{y}-{m:02}-{d:02} 10:30:00"),
        "Status": "IP Address",
        "IPAddress": [f"10.0.0.{i % 9}" for i in range(N)],
        "Progress": np.where(whole(0, 0, 5) > 0, 100, whole(1, 0, 100)),
        "Duration (in seconds)": whole(2, 60, 4000),
        "Finished": np.where(whole(0, 0, 5) > 0, "True", "False"),
        "RecordedDate": days("20{y}-{m:02}-{d:02} 10:30:09"),
        "ResponseId": [f"R_{i * 7919:x}" for i in range(N)],
        "LocationLatitude": fractions(3),
        "LocationLongitude": fractions(4),
        "DistributionChannel": "anonymous",
        "UserLanguage": np.where(whole(5, 0, 2) > 0, "DE", "EN"),
    },
    "LimeSurvey": {
        "submitdate. Date submitted": days("20{y}-{m:02}-{d:02} 10:00:00"),
        "lastpage. Last page": whole(6, 3, 9),
        "startlanguage. Start language": np.where(whole(7, 0, 2) > 0, "de", "en"),
        "seed. Seed": np.random.default_rng(8).permutation(10**6)[:N] + 10**8,
        "ipaddr. IP address": [f"10.0.0.{i % 9}" for i in range(N)],
        "interviewtime. Total time": np.abs(fractions(9)),
        "grouptime12. Group time: You": np.abs(fractions(10)),
    },
}


@pytest.mark.parametrize("program", EXPORTS)
def test_paradata_of_known_exports_are_left_out_where_their_values_fit(program):
    said = left_out(measured().assign(**EXPORTS[program]))
    constants = {name for name, cells in EXPORTS[program].items() if isinstance(cells, str)}
    assert set(said[HOW]) == set(EXPORTS[program]) - constants and set(said) <= {HOW, "all their values are equal"}


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", ["NO", "no", "nr", "Index"])
def test_a_short_name_makes_no_numbers_of_rows_out_of_measured_ones(name, seed):
    r = np.random.default_rng(seed)
    values = r.permutation(np.arange(60, 400))[:N]  # which all differ
    said = "they seem to number the rows"
    assert not left_out(measured(seed).assign(**{name: values}))
    some = np.sort(r.choice(10 * N, N, replace=False))
    for rows in (np.arange(N) + 17, r.permutation(N), some, some[::-1]):
        assert left_out(measured(seed).assign(**{name: rows})) == {said: (name,)}


@pytest.mark.parametrize("form", ["{d:02}.{m:02}.{y:02}", "{m}/{d}/{y:02}"])
@pytest.mark.parametrize(
    ("years", "first", "last"),
    [
        ((55, 84), 1955, 1984),
        ((65, 72), 1965, 1972),
        ((31, 99), 1931, 1999),
        ((27, 126), 1927, 2026),
        ((96, 126), 1996, 2026),
        ((0, 26), 2000, 2026),
        ((20, 31), 2020, 2031),
        ((12, 28), 2012, 2028),
        ((32, 126), 1932, 2026),
        ((68, 68), 1968, 1968),
        ((30, 90), 1930, 1990),
    ],
)
def test_years_of_two_digits_are_in_one_hundred_years_and_said(form, years, first, last, monkeypatch):
    monkeypatch.setattr(measures, "this_year", lambda: 2026)
    spread = np.unique(np.linspace(*years, N).astype(int)).repeat(2)
    text = "born;x\n" + "".join(
        form.format(d=13 + i % 15, m=1 + i % 12, y=year % 100) + f";{i}.5\n" for i, year in enumerate(spread)
    )
    table = read_text(text)
    expected = [
        np.datetime64(f"{1900 + year + (first - 1900 - years[0])}-{1 + i % 12:02}-{13 + i % 15}")
        for i, year in enumerate(spread)
    ]
    assert_array_equal(table.frame["born"], np.array(expected).astype("datetime64[D]").astype(int))
    said = f"{first} to {last}" if first < last else f"{first}"
    assert f"Two-digit years were read as {said} in “born”." in table.notes
    data = to_dataset(table, features=["born", "x"])
    one = form.format(d=13, m=1, y=years[1] % 100)
    points = read_points(read_text(f"born;x\n{one};1.5\nunknown;2.5\n"), data)
    assert points.X[0, 0] == np.datetime64(f"{last}-01-13").astype(int)


def test_the_century_of_dates_that_wait_for_a_choice_is_said_then():
    text = measured().assign(born=days("{d}/{m}/{y}", last=12)).to_csv(index=False)
    assert not any("Two-digit" in note for note in read_text(text).notes)
    said = read_text(text, accepted=[("born", "day first")]).notes
    assert "As accepted: Two-digit years were read as 2020 to 2023 in “born”." in said


def test_a_refusal_for_want_of_an_order_says_how_to_choose_it(tmp_path, capsys):
    file = tmp_path / "dates.csv"
    pd.DataFrame({"when": days("{d}/{m}/20{y}", last=12)}).to_csv(file, index=False)
    run = typed("run", file, "--algorithm kmeans --n-clusters 2 --n-init 1")
    assert cli(run) != 0
    said = capsys.readouterr().err
    assert "--date-order day or month" in said and 'accepted=[("when", "day first")]' in said
    assert cli(run, "--date-order month") == 0


def test_an_order_of_dates_without_effect_is_said(tmp_path, capsys):
    file, either = tmp_path / "birds.csv", days("{d}/{m}/20{y}", last=12)
    run = typed("run", file, "--algorithm kmeans --n-clusters 3 --n-init 1 --date-order day")
    both = ["13/01/2023", "01/13/2023", *either[2:]]
    for columns, said, silent in (
        ({"when": both}, "--date-order day changes nothing in “when”: some of their dates", "day first, as"),
        ({"when": both, "then": either}, "--date-order day changes nothing in “when”: some of their dates", "nothing:"),
        ({}, "--date-order day changes nothing: no column has dates", "“when”"),
        ({"then": either}, "the day first, as days", "changes nothing"),
    ):
        measured().assign(**columns).to_csv(file, index=False)
        assert cli(run) == 0
        told = capsys.readouterr().err
        assert said in told and silent not in told, columns
