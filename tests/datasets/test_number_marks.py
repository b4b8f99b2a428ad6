"""Commas, points, spaces and apostrophes, between cells and in numbers: read right, refused, or said to be unclear."""

from __future__ import annotations

import io
import os

import numpy as np
import pandas as pd
import pytest
from books import workbook
from number_tables import WrittenNumbers, written_numbers
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from dpviz.datasets.tables import Table, read_table, read_text, to_dataset
from dpviz.datasets.tables.isolated import read_isolated
from dpviz.datasets.tables.kinds import infer_kinds
from dpviz.datasets.tables.points import read_points
from dpviz.errors import DpvizError, InvalidDataError

ROUNDS = int(os.environ.get("DPVIZ_FUZZ", "1"))
NUMBERS = np.array([[1234.5, 2345.6], [3456.7, 4567.8]])
GAPS = [" ", "\u00a0", "\u202f", "\u2009", "'", "’", "."]


def read(text: str, repair: bool) -> Table:
    return read_table(text.encode(), "t.csv", repair=repair)


def values(table: Table) -> NDArray[np.float64]:
    """All cells, or none if a column holds text."""
    numeric = all(map(pd.api.types.is_numeric_dtype, table.frame.dtypes))
    return table.frame.to_numpy(np.float64) if numeric else np.empty((0, 0))


def says_what_else(table: Table) -> bool:
    return any("could also" in note for note in table.notes)


def is_read_as_thousands_or_decimals(case: WrittenNumbers, table: Table) -> bool:
    """Whether every wrong column has only numbers such as 1,234, and a note says how they were read."""
    if table.frame.shape != case.X.shape:
        return False
    for d, name in enumerate(table.frame):
        if np.array_equal(table.frame[name].to_numpy(), case.X[:, d]):
            continue
        remarks = [note for note in table.notes if note.startswith(("Thousands", "Decimal")) and f"“{name}”" in note]
        marked = [row[d].lstrip("-") for row in case.cells if not row[d].lstrip("-").isdigit()]
        if not remarks or not all(len(cell) > 4 and cell[-4] in ",." and cell[-3:].isdigit() for cell in marked):
            return False
    return True


CASES = [(seed, False) for seed in range(250 * ROUNDS)] + [(seed, True) for seed in range(100 * ROUNDS)]


@pytest.mark.parametrize(("seed", "with_units"), CASES)
@pytest.mark.parametrize("repair", [False, True])
def test_no_number_is_read_wrong_in_silence(seed, with_units, repair):
    case = written_numbers(seed, with_units)
    try:
        table = read(case.text, repair)
    except DpvizError as error:
        assert case.is_cut, case
        assert "ine " in str(error) or "“" in str(error)
        return
    if not case.holds(values(table)):
        certain = not case.is_cut and case.separator in (";", "\t", "|") and case.X.shape[1] > 1 and case.shows_decimal
        assert not certain, (case, table.frame, table.notes)
        assert says_what_else(table) or is_read_as_thousands_or_decimals(case, table), (case, table.frame, table.notes)


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("names", ["", "a;b\n"])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.parametrize("gap", GAPS)
def test_thousands_before_decimal_commas_do_not_separate_cells(gap, separator, names, repair):
    text = names + f"1{gap}234,50;2{gap}345,60\n3{gap}456,70;4{gap}567,80\n"
    table = read(text.replace(";", separator), repair)
    assert_array_equal(values(table), NUMBERS)
    assert (table.separator, table.decimal, table.repairs) == (separator, ",", ())
    assert any(note.startswith("Thousands separators were removed in") for note in table.notes)


MEASURED = {
    "1.234,50 €;2.345,60 €": [1234.5, 2345.6],
    "1 234,50 EUR;2 345,60 EUR": [1234.5, 2345.6],
    "13,2 mg/l;296,69 EUR": [13.2, 296.69],
    "1,5 cm;12;3,25 m": [1.5, 12, 3.25],
    "1,692 cm;1503,7 kg": [1.692, 1503.7],
    "2,969;1010,0 kg": [2.969, 1010],
    "<0,1 mg/l;296,69 EUR": None,
    "13,2 Stück;296,69 Stück": None,
    "(13,2) kg;2,7- kg": None,
    "€ <13,2;2": None,
    "$\u22121,4;$\u22126,25": [-1.4, -6.25],
    "\u22126,2;\u22122,5": [-6.2, -2.5],
    "8,1E+00 kg;8,2E-01\u00a0kg": [8.1, 0.82],
    "€ 13,25;$ 296,69": [13.25, 296.69],
    "\u22121,5 °C;3,125 %": [-1.5, 3.125],
}


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("names", ["", "a;b;c"])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.parametrize("row", MEASURED)
def test_numbers_with_units_are_not_cut_at_their_marks(row, separator, names, repair):
    n_columns = row.count(";") + 1
    cells = [row, row.replace("2", "7"), row.replace("6", "4"), row.replace("5", "9")]
    above = [names[: 2 * n_columns - 1]] * bool(names)
    table = read("\n".join(above + cells).replace(";", separator), repair)
    assert (table.separator, table.frame.shape, table.header, table.repairs) == (
        separator,
        (4, n_columns),
        bool(names),
        (),
    )
    if MEASURED[row]:
        assert_array_equal(values(table)[0], MEASURED[row])
    else:
        assert table.frame.iloc[0].tolist()[0] == row.split(";")[0]


AROUND = (
    "{} ± 0,2",
    "{}° N",
    "Fr. {}",
    "ca. {}",
    "#{}",
    "{},-",
    "{}*",
    "{} a)",
    "{} / 7,25",
    "{} kg wet",
    "№ {}",
    "p={}",
)
BESIDE = ("Meier, Otto", "12.10.2021", "", "a|b")


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("names", ["", "Länge;Wert, netto;x"])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.parametrize("around", AROUND)
def test_whatever_stands_around_digits_cells_are_not_cut_at_decimal_commas(around, separator, names, repair):
    for beside in BESIDE if separator != "|" else BESIDE[:3]:
        rows = [[around.format(f"{40 + row},{251 * row % 1000:03d}"), f"{row},5", beside] for row in range(1, 12)]
        lines = [names.replace(";", separator)] * bool(names) + [separator.join(row) for row in rows]
        above = ["Messung 3, Labor", ""] * repair
        table = read("\n".join(above + lines) + "\n", repair)
        assert (table.separator, table.decimal, table.header) == (separator, ",", bool(names)), table
        assert table.frame.iloc[:, 0].tolist() == [row[0] for row in rows]
        assert table.frame.iloc[:, 1].tolist() == [row + 0.5 for row in range(1, 12)]


@pytest.mark.parametrize("names", ["", "lat,lon\n"])
def test_commas_between_numbers_with_unknown_words_separate(names):
    for row in ("{}.5° N,{}.25° E", "{}.5 kg wet,1{}.75 mg dry", "n={}.5,{} ± 0.5", '"{},5 [3]",x {}'):
        table = read(names + "".join(row.format(k, k) + "\n" for k in range(4, 16)), repair=False)
        assert (table.separator, table.frame.shape, table.header) == (",", (12, 2), bool(names)), table


def test_a_mark_within_text_separates_no_cells():
    for row, separator in (("{},red;blue,{}", ","), ("{};a|b;{}", ";"), ("{}.5 qm,a|b,{}", ",")):
        cells = row.count(separator) + 1
        lines = [separator.join("xyz"[:cells])] + [row.format(k, k) for k in range(4, 16)]
        lines[3] = lines[3].replace("|", "/").replace("red;", "")
        table = read("\n".join(lines), repair=False)
        assert (table.separator, table.frame.shape) == (separator, (12, cells)), table


@pytest.mark.parametrize("repair", [False, True])
def test_a_list_in_every_line_below_the_names_separates_no_cells(repair):
    rows = {
        "ID,Start time,Age,Rank these,Satisfied": "{0},3/1/24 9:{0},4{0},Service;Price;Taste;,2",
        "id,x,genotype,score": "{0},57.{0},0|1,5",
        "x,y,z": "{0},2;3,{0}.5",
        "id,words,x": "{0},a\tb,1{0}",
    }
    for names, row in rows.items():
        for n_rows in (2, 12, 60):
            text = "\n".join([names, *(row.format(10 + k % 49) for k in range(n_rows))])
            table = read(text, repair)
            assert (table.separator, list(table.frame), len(table.frame)) == (",", names.split(","), n_rows), table


@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.parametrize(
    ("names", "row"),
    [("Nr,U,I", "{0};1,{0};0,{0}"), ("a,b,c,species", "1,{0};2,{0};0,{0};x"), ("Messung,Basel", "{0};1,{0}")],
)
def test_names_with_commas_above_decimal_commas_are_not_the_separator_of_the_rows(names, row, separator):
    text = "\n".join([names, *(row.format(11 + k).replace(";", separator) for k in range(40))])
    with pytest.raises(InvalidDataError, match="differ in length"):
        read(text, repair=False)
    table = read(text, repair=True)
    expected = [float(cell.replace(",", ".")) for cell in row.format(11).split(";") if cell != "x"]
    assert table.separator == separator and table.frame.iloc[0].tolist()[: len(expected)] == expected


def test_numbers_within_text_tell_the_decimal_mark():
    for text, decimal in (("7,25 / 8", ","), ("7.25 / 8", "."), ("v7,250", "."), ("12.10.2021", ".")):
        table = read("".join(f"1,{k}34\t{text}\tp{k}\n" for k in range(2, 9)), repair=False)
        assert (table.decimal, table.frame.iloc[0, 0]) == (decimal, 1.234 if decimal == "," else 1234)


@pytest.mark.parametrize(
    ("cells", "numbers", "unit"),
    [
        (["-$1,850.00", "$12,345.65", "- $ 2.50"], [-1850, 12345.65, -2.5], "$"),
        (["\u2212€ 1.850,00", "€ -12,5", "+€3"], [-1850, -12.5, 3], "€"),
        (["CHF 1'850.-", "CHF 12.50", "-CHF 7.\u2013"], [1850, 12.5, -7], "CHF"),
        (["0,123 mg/L", "1,5 mg/L", "\u20132 mg/L"], [0.123, 1.5, -2], "mg/L"),
        (["\u20134,5", "3,25", "\u2013"], [-4.5, 3.25, np.nan], ""),
        (["12.5 kg", "\u2013", "\u2014"], [12.5, np.nan, np.nan], "kg"),
        (["12.\u2013", "1'850.\u2013", "7.-"], [12, 1850, 7], ""),
        (["99,-", "1.250,-", "\u22127,\u2014"], [99, 1250, -7], ""),
        (["-$-5", "$7", "$8"], None, ""),
        (["5\u20137", "3\u20134", "\u20132"], None, ""),
        (["41,251,-", "42,5,-", "3,-"], None, ""),
    ],
)
def test_signs_before_currencies_dashes_and_prices_without_cents_are_read(cells, numbers, unit):
    table = read("name;cost\n" + "".join(f"p{k};{cell}\n" for k, cell in enumerate(cells)), repair=False)
    if numbers is None:
        assert table.frame["cost"].tolist() == cells and table.units == ()
    else:
        assert_array_equal(table.frame["cost"], numbers)
        assert table.units == ((("cost", unit),) if unit else ())


@pytest.mark.parametrize(
    ("cells", "kind", "n_categories"),
    [
        (["5"] * 112 + ["placebo"] * 8, "binary", 2),
        (["250", "500"] * 55 + ["1 kg"] * 10, "categorical", 3),
        (["0", "1"] * 58 + ["unknown"] * 4, "categorical", 3),
        (["1", "2", "3", "4"] * 29 + ["unknown"] * 4, "ordinal", 4),
    ],
)
def test_other_text_beside_one_or_two_numbers_is_a_category(cells, kind, n_categories):
    table = read_text("pack,y\n" + "".join(f"{cell},{k}.5\n" for k, cell in enumerate(cells)))
    data = to_dataset(table, gaps=True)
    assert data.kinds[0] == kind and len(data.category_names[0]) == n_categories
    assert np.isnan(data.X[:, 0]).sum() == (4 if kind == "ordinal" else 0)


def test_a_cell_that_is_no_number_does_not_make_the_last_column_one_to_cluster():
    rows = [f"{10 + k / 8},{k % 7}.5,{('Kama', 'Rosa', 'Canadian')[k % 3]}" for k in range(120)]
    for first in ("", "k.A.,1.5,Kama\n"):
        table = read_text("w,y,variety\n" + first + "\n".join(rows))
        assert infer_kinds(table.frame) == {"w": "continuous", "y": "continuous", "variety": "label"}


def test_litres_of_rows_to_predict_may_be_written_either_way():
    data = to_dataset(read_text("a;b\n0,5 mg/L;1,5\n0,7 mg/L;2,5\n0,9 mg/L;2,75\n"))
    assert read_points(read_text("a;b\n0,6 mg/l;2,5\n0,8 mg/l;1,25\n"), data).X[:, 0].tolist() == [0.6, 0.8]
    with pytest.raises(InvalidDataError, match="is in µg/l, and in the data it is in mg/L"):
        read_points(read_text("a;b\n600 µg/l;2,5\n700 µg/l;1,5\n"), data)


def test_one_column_of_numbers_with_units_is_one():
    for row in ("1,5 m", "1.5 m"):
        assert_array_equal(values(read(f"length\n{row}\n{row}\n", repair=False)), [[1.5], [1.5]])
    assert says_what_else(read("1,5 m\n2,25 m\n3,75 m\n", repair=False))
    assert read("age sex\n1,5 m\n2,25 m\n", repair=False).frame.shape == (2, 2)


def test_names_that_look_like_measures_stay_names():
    assert list(read("100m;400m\n11,04;49,2\n10,76;49,8\n", repair=False).frame) == ["100m", "400m"]
    assert not read("1,5 cm;-2,5 kg\n-1,25 cm;12 kg\n3 cm;4 kg\n", repair=False).header


def test_millions_and_three_columns_are_read_too():
    table = read("1 234 567,89;2,50;7 654 321,00\n1,25;3 000,00;12,75\n", repair=False)
    assert_array_equal(values(table), [[1234567.89, 2.5, 7654321], [1.25, 3000, 12.75]])


def test_a_title_above_does_not_change_the_separator():
    table = read("Weights in 2020\n\na;b\n1 234,50;2 345,60\n3 456,70;4 567,80\n", repair=True)
    assert_array_equal(values(table), NUMBERS)


@pytest.mark.parametrize("names", ["", "age, year\n"])
def test_a_comma_without_a_digit_behind_it_is_no_decimal_mark(names):
    table = read(names + "31, 2000\n32, 2001\n45, 2002\n", repair=False)
    assert table.separator == ","
    assert list(table.frame) == (["age", "year"] if names else ["x1", "x2"])
    assert_array_equal(values(table), [[31, 2000], [32, 2001], [45, 2002]])


def test_a_space_behind_commas_does_not_hide_quotation_marks():
    table = read('"1 234,5", "2,5"\n"3,5", "4 567,5"\n', repair=False)
    assert_array_equal(values(table), [[1234.5, 2.5], [3.5, 4567.5]])


def test_decimal_commas_between_spaces_are_read_as_before():
    assert_array_equal(values(read("1,5 2,25\n3,5 4,75\n", repair=False)), [[1.5, 2.25], [3.5, 4.75]])
    table = read("1\u00a0234,5 2,25\n3,5 4\u00a0567,75\n", repair=False)
    assert_array_equal(values(table), [[1234.5, 2.25], [3.5, 4567.75]])


CUT = {
    "names": "a,b\n1,234.50,2,345.60\n3,456.70,4,567.80\n",
    "lengths": "a,b\n1,234.50,999.50\n3,456.70,4,567.80\n5.25,7.75\n8.25,1,999.00\n",
    "one column": "999\n1,234\n12,345,678\n",
    "decimals": "a,b\n31,5,180,2\n35,5,175,4\n",
}


@pytest.mark.parametrize("kind", CUT)
def test_numbers_cut_by_the_separator_are_refused_unless_it_is_named(kind):
    try:
        table = read(CUT[kind], repair=True)
    except InvalidDataError as error:
        assert "Line " in str(error) and "quotation marks" in str(error) and "name the separator" in str(error)
        assert read_table(CUT[kind].encode(), "t.csv", separator=",", repair=True).repairs
    else:
        assert kind == "one column"
        assert_array_equal(values(table), [[999], [1234], [12345678]])


def test_row_numbers_without_a_name_are_no_thousands():
    table = read("a,b\n1,234,7\n2,345,8\n3,456,9\n", repair=True)
    assert table.repairs == ("Line 1 has no name for the first column.",)


def test_numbers_with_spaces_between_commas_are_refused():
    with pytest.raises(InvalidDataError, match="Line 2 .*“5 4”"):
        read("1,5 2,5\n3,5 4,5\n1,5 2,50 1\n", repair=False)


AMBIGUOUS = {
    "1,5\n2,5\n": "one in each line",
    "1,234.5\n2,345.5\n": "one in each line",
    "1,234.5,2,345.5\n2,345.5,3,456.5\n": "parts of one number, as in “1,234.5”",
    "1 234\n2 345\n": "one in each line",
    "1 234,5 678\n2 345,6 789\n": "separated by commas",
    "1.234;5.678\n2.345;6.789\n": "separate thousands, as in “1.234”",
    "1,234\t5,678\n2,345\t6,789\n": "be decimal commas, as in “1,234”",
    "1,234 kg;5,678 cm\n2,345 kg;6,789 cm\n": "separate thousands, as in “1,234”",
}


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_what_numbers_could_also_be_is_said(text):
    table = read(text, repair=False)
    assert any(AMBIGUOUS[text] in note and "could also" in note for note in table.notes), table.notes
    separator = table.separator
    named = read_text(text, separator=separator, decimal=".", header=False)
    assert not says_what_else(named)


def test_a_number_that_shows_the_decimal_mark_speaks_for_those_that_do_not():
    table = read("1.234,50\t1,234\n5.678,25\t5,678\n", repair=False)
    assert_array_equal(values(table), [[1234.5, 1.234], [5678.25, 5.678]])
    assert table.decimal == ","
    table = read("12.5;1,234\n13.5;5,678\n", repair=False)
    assert_array_equal(values(table), [[12.5, 1234], [13.5, 5678]])


@pytest.mark.parametrize("unit", ["", " cm"])
def test_a_cell_that_is_no_number_leaves_the_decimal_mark_of_the_others(unit):
    rows = [f"{1.2 + i / 1000:.3f}{unit};{600 + i / 2:.1f}".replace(".", ",") for i in range(30)]
    table = read_text("length;weight\n" + "\n".join(rows) + "\n")
    strange = read_text("length;weight\n" + "\n".join([*rows, "k.A.;700,5"]) + "\n")
    expected = 1.2 + np.arange(30) / 1000
    kinds = {"length": "continuous", "weight": "continuous"}
    assert strange.frame["length"].iloc[-1] == "k.A."
    if not unit:
        assert_allclose(to_dataset(strange, kinds=kinds, gaps=True).X[:30, 0], expected)
    dataset = to_dataset(table, kinds=kinds)
    found = read_points(strange, dataset)
    assert_allclose(found.X[:30, dataset.feature_names.index("length")], expected)
    assert np.argwhere(found.wrong).tolist() == [[30, dataset.feature_names.index("length")]]


def test_numbers_in_a_unit_that_no_cell_below_has_are_names():
    rows = "\n".join(f"{5 + i / 7:.2f} mg,{4 + i / 9:.2f} mg,{3 + i / 8:.2f} mg" for i in range(12))
    named = read_text("0 h,1 h,2 h\n" + rows + "\n")
    assert named.frame.columns.tolist() == ["0 h", "1 h", "2 h"] and len(named.frame) == 12
    assert pd.api.types.is_numeric_dtype(named.frame["1 h"].dtype)
    assert len(read_text(rows + "\n").frame) == 12


def as_workbook(frame: pd.DataFrame) -> bytes:
    return workbook([list(frame), *frame.to_numpy(object).tolist()])


def as_archive(frame: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    np.savez(content, X=frame.to_numpy().astype("U"), feature_names=list(frame))
    return content.getvalue()


BINARY = {"t.xlsx": as_workbook, "t.parquet": pd.DataFrame.to_parquet, "t.npz": as_archive}


@pytest.mark.parametrize("wrong", ["", "k.A."])
@pytest.mark.parametrize("filename", BINARY)
def test_numbers_that_a_file_holds_as_text_have_one_decimal_mark(filename, wrong):
    lengths = np.arange(1_411, 1_451) / 1_000
    texts = [f"{length:.3f}".replace(".", ",") for length in lengths]
    frame = pd.DataFrame({"length": [wrong or texts[0], *texts[1:]], "weight": [f"{50 + k},5" for k in range(40)]})
    table = read_table(BINARY[filename](frame), filename)
    assert table.decimal == ","
    X = to_dataset(table, kinds=dict.fromkeys(frame, "continuous"), gaps=True).X
    assert_array_equal(X[1:], np.column_stack([lengths[1:], 50.5 + np.arange(1, 40)]))
    assert np.isnan(X[0, 0]) if wrong else X[0, 0] == lengths[0]
    alone = frame[["length"]]
    said, asked = (read_table(BINARY[filename](alone), filename, decimal=mark) for mark in (None, ","))
    assert says_what_else(said) and not says_what_else(asked)
    assert_array_equal(to_dataset(asked, kinds={"length": "continuous"}, gaps=True).X[-39:, 0], lengths[1:])


def test_numbers_of_a_workbook_keep_their_value_among_text_with_decimal_commas():
    frame = pd.DataFrame({"length": [1.5, "1,413", 2.25, "1,75", 1234], "weight": [0.5, 1.125, 1e-7, 2, 3]})
    table = read_table(as_workbook(frame), "t.xlsx")
    assert_array_equal(table.frame["length"], [1.5, 1.413, 2.25, 1.75, 1234])
    assert_array_equal(table.frame["weight"], frame["weight"])
    assert [note for note in table.notes if "commas" in note] == [
        "Decimal commas were read as decimal points in “length”."
    ]
    assert read_table(as_workbook(frame[["weight"]]), "t.xlsx").decimal == ""


@pytest.mark.parametrize("filename", ["t.csv", "t.xlsx", "t.parquet"])
def test_another_process_knows_the_decimal_mark_too(filename):
    frame = pd.DataFrame({"length": ["k.A.", *[f"1,{k}5" for k in range(10, 40)]], "weight": ["2,5"] * 31})
    write = {"t.csv": lambda frame: frame.to_csv(index=False, sep=";").encode(), **BINARY}[filename]
    table = read_isolated(write(frame), filename)
    X = to_dataset(table, kinds=dict.fromkeys(frame, "continuous"), gaps=True).X
    assert_array_equal(X[1:, 0], [float(f"1.{k}5") for k in range(10, 40)])
