"""What columns are taken for: indexes that programs write, outcomes, years, few values, gaps, exact decimals."""

from __future__ import annotations

import datetime
import decimal
import io
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from books import workbook
from numpy.testing import assert_allclose, assert_array_equal

from dpviz.datasets.tables import Table, decide, infer_kinds, read_table, read_text, to_dataset
from dpviz.errors import InvalidDataError


def parquet_of(table: object) -> bytes:
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream)
    return stream.getvalue()


def measured(n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame({"length": rng.normal(5, 2, n), "width": rng.normal(9, 3, n)})


@pytest.mark.parametrize("kept", [slice(None), slice(None, None, 3)])
def test_the_index_that_pandas_writes_is_an_identifier(kept):
    frame = measured().iloc[kept]
    text = read_table(frame.to_csv().encode(), "t.csv").frame
    named = text.rename(columns={text.columns[0]: "Unnamed: 0"})
    stored = read_table(frame.iloc[::-1].to_parquet(index=True), "t.parquet").frame
    twice = read_table(named.to_csv(index=False).encode(), "t.csv").frame
    last = named[["length", "width", "Unnamed: 0"]]
    for table in (text, named, twice, last, stored):
        kinds = infer_kinds(table)
        assert [name for name, kind in kinds.items() if kind == "continuous"] == ["length", "width"]
        assert set(kinds.values()) == {"continuous", "identifier"}


def test_a_first_column_without_a_name_is_an_index_only_if_its_whole_numbers_differ():
    rows = "\n".join(f"{(37 * i) % 101},{i * i}.5" for i in range(40))
    assert infer_kinds(read_text(f",x\n{rows}").frame) == {"column 1": "identifier", "x": "continuous"}
    assert infer_kinds(read_text(f"n,x\n{rows}").frame)["n"] == "count"
    repeated = rows.replace("37,", "0,", 1)
    assert infer_kinds(read_text(f",x\n{repeated}").frame)["column 1"] == "count"


def test_numbers_that_count_on_in_the_first_column_are_those_of_the_rows_unless_they_may_be_years():
    for start, kind in ((1000, "identifier"), (7, "identifier"), (1950, "continuous"), (-30, "continuous")):
        frame = measured(60)
        frame.insert(0, "respondent", range(start, start + 60))
        assert infer_kinds(frame)["respondent"] == kind
    frame = measured(60).assign(temperature=range(1000, 1060))
    assert infer_kinds(frame)["temperature"] == "continuous"  # not where row numbers are
    frame.insert(0, "dose", [*range(1000, 1059), 1060])
    assert infer_kinds(frame)["dose"] == "continuous"


def test_a_column_named_like_an_index_but_without_one_value_per_row_is_clustered():
    frame = measured().assign(**{"Unnamed: 0": [1.5, 2.5] * 20})
    assert infer_kinds(frame)["Unnamed: 0"] == "binary"


@pytest.mark.parametrize("name", ["outcome", "Outcome", "class", "target"])
def test_zeros_and_ones_called_outcome_are_offered_as_label(name):
    frame = measured().assign(**{name: [0, 1] * 20})
    assert infer_kinds(frame)[name] == "label"
    assert infer_kinds(frame.rename(columns={name: "flag"}))["flag"] == "binary"


def test_years_and_columns_of_few_values_are_not_continuous():
    rng = np.random.default_rng(1)
    n = 60
    frame = measured(n).assign(
        model_year=rng.integers(2007, 2010, n),
        built_year=rng.integers(1850, 2020, n),
        cylinders=rng.choice([4, 6, 8], n),
        dose=rng.choice([0.5, 1.0, 2.0], n),
        half=rng.choice([0.25, 0.75], n),
        shift=rng.choice([-1, 0, 1], n),
        salary=rng.integers(20_000, 90_000, n),
        far=rng.choice([10, 5_000], n),
    )
    expected = ["continuous"] * 2 + ["ordinal"] * 3 + ["categorical", "binary", "ordinal", "continuous", "binary"]
    assert list(infer_kinds(frame).values()) == expected
    few_rows = frame.head(12)[["length", "dose", "cylinders"]]
    assert set(infer_kinds(few_rows).values()) == {"continuous"}  # too few rows to say that the values are few


def test_the_letter_n_in_a_name_makes_no_count():
    rng = np.random.default_rng(2)
    items = {name: 1 + np.arange(60) % 5 for name in ("N1", "n2", "N_3", "A1", "n")}
    frame = measured(60).assign(**items, n_visits=rng.integers(1, 6, 60), n_=np.arange(60) % 7 + 1)
    kinds = infer_kinds(frame)
    assert [kinds[name] for name in ("N1", "n2", "N_3", "A1", "n_")] == ["ordinal"] * 5
    assert (kinds["n"], kinds["n_visits"]) == ("count", "count")


def test_text_that_names_rows_does_not_hide_the_label():
    frame = measured(60).assign(tissue=["lung", "liver", "heart"] * 20)
    frame.insert(0, "sample", [f"S{row:03d}" for row in range(60)])
    assert infer_kinds(frame)["sample"] == "identifier" and infer_kinds(frame)["tissue"] == "label"
    assert infer_kinds(frame.assign(sample=["a", "b", "c", "d"] * 15))["tissue"] == "categorical"


@pytest.mark.parametrize("name", ["patient_id", "PatientID", "id", "Kundennummer", "ID (hospital)"])
def test_identifiers_may_recur_but_codes_of_groups_are_none(name):
    patients = np.repeat(np.arange(100_000, 100_040), 3)
    frame = measured(120)
    assert infer_kinds(frame.assign(**{name: patients}))[name] == "identifier"
    assert infer_kinds(frame.assign(**{name: np.arange(120) % 60}))[name] == "identifier"
    assert infer_kinds(frame.assign(**{name: np.arange(120) % 12}))[name] == "count"
    assert infer_kinds(frame.assign(grid=patients, idle=patients)).get("grid") == "continuous"
    dataset = to_dataset(read_text(frame.assign(**{name: patients}).to_csv(index=False)))
    assert f"Left out because they are numbers that name somebody or something: “{name}”." in dataset.notes


@pytest.mark.parametrize("name", ["plz", "ZIP", "zip_code", "Postcode", "postal code"])
def test_zip_codes_are_no_numbers(name):
    rng = np.random.default_rng(4)
    numbers, leading = rng.integers(10_000, 99_999, 60), [f"0{row % 4}067" for row in range(60)]
    british = ["SW1A 1AA", "M1 1AE", "B33 8TH"] * 20
    for codes in (numbers, numbers % 5 + 10_115, leading, british):
        assert infer_kinds(measured(60).assign(**{name: codes}))[name] == "identifier"
    for values, kind in ((np.arange(60) % 2, "binary"), (["yes", "no"] * 30, "binary")):
        assert infer_kinds(measured(60).assign(**{name: values}, last=0.5))[name] == kind
    assert infer_kinds(measured(60).assign(price=numbers))["price"] == "continuous"


def test_a_column_with_a_third_missing_is_left_out_rather_than_a_third_of_the_rows():
    gaps = np.array([1.5, 2.5, np.nan] * 20)
    some = np.where(np.arange(60) < 55, np.arange(60) + 0.5, np.nan)
    frame = measured(60).assign(gaps=gaps, some=some)
    dataset = to_dataset(read_table(frame.to_csv(index=False).encode(), "t.csv"))
    assert dataset.feature_names == ("length", "width", "some")
    assert dataset.n_points == 55
    assert "Left out because a third or more of their cells are missing: “gaps”." in dataset.notes
    asked = to_dataset(read_table(frame.to_csv(index=False).encode(), "t.csv"), features=["length", "gaps"])
    assert asked.n_points == 40


def parquet(column: pa.Array) -> Table:
    """Write a column called a, with one of numbers, as Parquet, and read it."""
    return read_table(parquet_of(pa.table({"a": column, "b": np.linspace(0, 1, len(column))})), "t.parquet")


@pytest.mark.parametrize(
    ("texts", "loses"),
    [
        (["0.1", "12345678901234.5", "-7"], False),
        (["12345678901234567.89", "1", "2"], True),
        (["0.12345678901234567891", "1", "2"], True),
        (["1.5", "-9007199254740993.5", None], True),
    ],
)
def test_digits_of_decimals_that_no_double_has_are_not_lost_in_silence(texts, loses):
    values = [None if text is None else decimal.Decimal(text) for text in texts]
    table = parquet(pa.array(values, pa.decimal128(38, 20)))
    assert table.frame["a"].tolist()[:2] == [float(text) for text in texts[:2]]
    assert ("Digits beyond the 15 to 17 of a double were rounded in “a”." in table.notes) == loses


def test_dates_far_off_are_the_days_they_are():
    days = np.array([2**31 - 1, -(2**31), 0, 18_262], np.int32)
    assert parquet(pa.array(days).cast(pa.date32())).frame["a"].tolist() == days.tolist()
    for unit, per_day in (("s", 86_400), ("ms", 86_400_000), ("us", 86_400_000_000), ("ns", 86_400_000_000_000)):
        times = [3 * per_day // 2, -per_day, 10**15]
        read = parquet(pa.array(times, pa.timestamp(unit, "America/New_York"))).frame["a"].to_numpy()
        assert_allclose(read, np.array(times, float) / per_day, rtol=1e-15)
    assert parquet(pa.array([0, 86_400_000], pa.int64()).cast(pa.date64())).frame["a"].tolist() == [0, 1]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_are_seconds(unit):
    units = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    table = parquet(pa.array([3_600 * units, None, units // 2], pa.duration(unit)))
    assert_array_equal(table.frame["a"], [3_600, np.nan, units // 2 / units])
    assert "Durations were read as seconds in “a”." in table.notes


@pytest.mark.parametrize("kind", [pa.uint64(), pa.int64()])
def test_numbers_that_differ_in_digits_that_no_double_has_are_no_constant(kind):
    numbers = [2**63 - 1 - row for row in range(30)]
    assert infer_kinds(parquet(pa.array(numbers, kind)).frame)["a"] == "identifier"
    assert infer_kinds(parquet(pa.array([2**40] * 30, kind)).frame)["a"] == "constant"


def test_decimals_are_the_nearest_doubles():
    rng = np.random.default_rng(7)
    texts = [f"{rng.integers(-(10**9), 10**9)}.{rng.integers(0, 10**9):09d}" for _ in range(2_000)]
    for kind in (pa.decimal128(30, 9), pa.decimal256(50, 9)):
        column = pa.array([decimal.Decimal(text) for text in texts], kind)
        values = read_table(parquet_of(pa.table({"d": column})), "t.parquet").frame["d"]
        assert values.tolist() == [float(text) for text in texts]


def test_a_sheet_can_be_chosen_and_all_are_told():
    content = workbook({"notes": [], "first": [["a", "b"], [1.5, 2], [2.5, 3]], "other": [["c"], [3.5], [4.5]]})
    table = read_table(content, "t.xlsx")
    assert (table.sheet, table.sheets) == ("first", ("notes", "first", "other"))
    assert read_table(content, "t.xlsx", sheet="other").frame["c"].tolist() == [3.5, 4.5]
    with pytest.raises(InvalidDataError, match="sheet is empty"):
        read_table(content, "t.xlsx", sheet="notes")
    with pytest.raises(InvalidDataError, match="no sheet “x”.*“first”"):
        read_table(content, "t.xlsx", sheet="x")


def test_formulas_without_stored_values_are_said():
    rows = [["v", "w"], [1.5, "=1+1"], [2.5, "=2+2"]]
    assert "formulas without stored values" in " ".join(read_table(workbook(rows), "t.xlsx").notes)
    plain = workbook([["v", "w"], [1.5, 2], [2.5, 4]])
    assert "formulas" not in " ".join(read_table(plain, "t.xlsx").notes)
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(plain)) as before, zipfile.ZipFile(stream, "w") as after:
        for member in before.infolist():
            content = before.read(member).replace(b"<v>2</v>", b"<f>1+1</f><v>2</v>")
            after.writestr(member, content)
    stored = read_table(stream.getvalue(), "t.xlsx")
    assert stored.frame["w"].tolist() == [2, 4]
    assert "formulas" not in " ".join(stored.notes)


def test_a_sheet_with_titles_and_remarks_is_repaired_when_asked():
    rows: list[list[object]] = [
        ["Results 2020"],
        [],
        ["site", "height", "n"],
        [None, "cm", "items"],
        ["Kew", 1.5, 10],
        ["Rome", 2.5, None],
        ["Oslo", 3.5, 30],
        [],
        ["Source: own survey"],
    ]
    table = read_table(workbook(rows), "t.xlsx", repair=True)
    assert table.frame["height"].tolist() == [1.5, 2.5, 3.5]
    assert table.frame["n"].isna().tolist() == [False, True, False]
    assert table.repairs == (
        "Left out above the table: line 1.",
        "Left out as a further line of names: line 4.",
        "Left out as no row of the table: line 9.",
    )
    with pytest.raises(InvalidDataError, match="a title"):
        read_table(workbook(rows), "t.xlsx")
    clean = workbook([["a", "b"], [1.5, None], [2.5, 3]])
    assert read_table(clean, "t.xlsx", repair=True).repairs == ()


# --- percentages ------------------------------------------------------------------------------------------------------


def test_percent_signs_are_left_off_where_every_cell_has_one():
    table = read_text("a;b\n54%;5,5 %\n3 %;1.234,5%\n-;12,25\u00a0%\n")
    assert_array_equal(table.frame["a"], [54, 3, np.nan])
    assert_array_equal(table.frame["b"], [5.5, 1234.5, 12.25])
    assert "Percent signs were removed, and 5% read as 5, in “a”, “b”." in table.notes


@pytest.mark.parametrize("cells", ["10%\n7\n8%", "x%\ny%\nz%", "5%%\n6%\n7%", "%\n5%\n6%"])
def test_columns_with_some_percent_signs_or_other_text_stay_as_they_are(cells):
    table = read_text(f"a,b\n{cells.replace(chr(10), ',1' + chr(10))},1\n")
    assert table.frame["a"].tolist() == cells.split("\n")
    assert not any("Percent" in note for note in table.notes)


def test_a_column_of_percentages_is_continuous():
    rng = np.random.default_rng(5)
    shares = rng.uniform(0, 100, 60).round(1)
    frame = pd.DataFrame({"share": [f"{share}%" for share in shares], "x": rng.normal(size=60)})
    dataset = to_dataset(read_table(frame.to_csv(index=False).encode(), "t.csv"))
    assert list(dataset.kinds) == ["continuous", "continuous"]
    assert_array_equal(dataset.X[:, 0], shares)


# --- units, bounds and dates ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "values", "unit"),
    [
        (["2.717,14 €", "2.679,87 €", "-", "12 €"], [2717.14, 2679.87, np.nan, 12], "€"),
        (["50 kg", "61.5kg", "", "1,200 kg"], [50, 61.5, np.nan, 1200], "kg"),
        (["$ 5.50", "$1,000", "$7", "$0"], [5.5, 1000, 7, 0], "$"),
        (["−3 °C", "4 °C", "0.5 °C", "NA"], [-3, 4, 0.5, np.nan], "°C"),
        (["3 m", "4 m", "0.5 m", "12 m"], [3, 4, 0.5, 12], "m"),
    ],
)
def test_a_unit_that_every_cell_has_is_left_off(cells, values, unit):
    table = read_text("a;b\n" + "".join(f"{cell};{number}.5\n" for number, cell in enumerate(cells)))
    assert_array_equal(table.frame["a"], values)
    assert f"The unit {unit} was removed in “a”." in table.notes


@pytest.mark.parametrize(
    "cells",
    [
        ["50 kg", "61", "7 kg"],
        ["50 kg", "61 g", "7 kg"],
        ["12A", "13A", "14A"],
        ["5-10 kg", "6-9 kg"],
        ["12 monkeys", "13 monkeys", "1 monkeys"],
        ["<18", ">65", "<18"],
        ["18-30", "31-65", "<18"],
        # no dates, or dates that may be two
        ["2023-02-29", "2023-01-01"],
        ["01/02/2023", "03/04/2023"],
        ["2023-01-01", "soon"],
        ["2023-13-01"] * 2,
        ["2023-01-01 25:00", "2023-01-01 10:00"],
        ["1.2.3", "1.2.4"],
        ["1/15/21 13:05 PM", "1/16/21 1:05 PM"],
        ["1.2.10", "2.3.11"],
        ["21-01-15", "21-02-03"],
    ],
)
def test_what_is_no_number_with_a_unit_and_no_date_stays_text(cells):
    assert read_text("a;b\n" + "".join(f"{cell};1.5\n" for cell in cells)).frame["a"].tolist() == cells


def test_bounds_among_numbers_are_read_as_the_limit_and_told():
    table = read_text("a,b\n0.5,1\n<0.1,2\n0.7,3\n≤ .2,4\n1.5,5\n>=9,6\n")
    assert table.frame["a"].tolist() == [0.5, 0.1, 0.7, 0.2, 1.5, 9]
    assert "Bounds such as <0.1 were read as the limit, 0.1, in “a”." in table.notes


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["2023-01-26", "2024-02-29", "", "1969-12-31"], "Dates were read as days"),
        (["26.01.2023", "29.2.2024", "NA", "31.12.1969"], "Dates were read as days"),
        (["26/01/2023", "29/02/2024", "-", "31/12/1969"], "Dates were read, the day first, as days"),
        (["2023/01/26", "2024/2/29", "-", "1969/12/31"], "Dates were read as days"),
        (["2023.01.26", "2024.2.29", "-", "1969.12.31"], "Dates were read as days"),
        (["01/26/2023", "02/29/2024", "-", "12/31/1969"], "Dates were read, the month first, as days"),
        (["2023-01-26 00:00:00", "2024-02-29T00:00", "", "1969-12-31"], "Dates were read as days"),
    ],
)
def test_dates_become_days(cells, told):
    days = [(datetime.date(*when) - datetime.date(1970, 1, 1)).days for when in ((2023, 1, 26), (2024, 2, 29))]
    table = read_text("a;b\n" + "".join(f"{cell};{number}.5\n" for number, cell in enumerate(cells)))
    assert_array_equal(table.frame["a"], [*days, np.nan, -1])
    assert f"{told} since 1 January 1970 in “a”." in table.notes


@pytest.mark.parametrize(
    ("cells", "are_dates"),
    [
        (["20230131", "20230201", "20231231", "20240229"], True),
        (["20230131", "", "20231231", "20240101"], True),
        (["20230131", "20230229", "20231231", "20240101"], False),  # 2023 had no 29 February
        (["20230131", "20231301", "20231231", "20240101"], False),
        (["20230131.5", "20230201", "20231231", "20240101"], False),
        (["2023", "2024", "2025", "2022"], False),
        (["99990101", "20230201", "20231231", "20240101"], False),
        (["20230131", "99991231", "20231231", "20240101"], True),  # “until further notice”
        (["20230131", "0", "20231231", "99999999"], True),
        (["99991231", "99991231", "99991231", "0"], False),
    ],
)
def test_dates_as_plain_numbers_are_told(cells, are_dates):
    text = "day;x\n" + "".join(f"{cell};{n}.5\n" for n, cell in enumerate(cells * 3))
    data = to_dataset(read_text(text), kinds={"day": "continuous"}, features=["day", "x"])
    assert ("Dates written as 20230131 count as plain numbers" in " ".join(data.notes)) == are_dates
    assert not any("“x”" in note for note in data.notes if "20230131" in note)
    assert data.X[0, 0] == float(cells[0])


def test_open_ends_among_dates_as_numbers_are_proposed_as_missing():
    ends = ["99991231", "0", "99999999"]
    cells = [*(f"202301{day:02}" for day in range(1, 29)), *ends, *ends]
    table = read_text("until;x\n" + "".join(f"{cell};{n}.5\n" for n, cell in enumerate(cells)))
    proposals = decide(table.frame, kinds={"until": "continuous"}).proposals
    assert {proposal.change for proposal in proposals} == {("until", float(end)) for end in ends}
    assert any("2 cells of “until” are 99991231, far" in proposal.line for proposal in proposals)


def test_times_are_parts_of_days_in_every_format():
    rng = np.random.default_rng(6)
    seconds = rng.integers(-(10**9), 2 * 10**9, 200)
    when = pd.to_datetime(seconds, unit="s")
    frame = pd.DataFrame({"when": when, "x": rng.normal(size=200)})
    stored = read_table(frame.to_parquet(), "t.parquet")
    written = read_text(frame.to_csv(index=False))
    for table in (stored, written):
        assert_allclose(table.frame["when"], seconds / 86_400, rtol=0, atol=1e-9)
        assert "Dates were read as days since 1 January 1970 in “when”." in table.notes
        assert infer_kinds(table.frame)["when"] == "date"
