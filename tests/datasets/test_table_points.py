"""Further rows of a table, read through the columns of a data set: names, codes, units, and cells that are wrong."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from dpviz import datasets
from dpviz.datasets import Dataset
from dpviz.datasets.preparation import Preparation
from dpviz.datasets.tables import NewPoints, read_isolated, read_like, read_points, read_table, read_text, to_dataset
from dpviz.errors import InvalidDataError

KINDS = {"colour": "categorical", "n": "count", "grade": "ordinal", "size": "continuous", "wait": "duration"}
TRAINING = "colour;size;n;grade;wait\nred;1,5;3;2;1\nblue;2,5;0;3;2\nred;-1,0;7;5;3\nblue;0,1;2;1;4\n"


def trained() -> Dataset:
    return to_dataset(read_text(TRAINING, separator=";"), kinds=KINDS, features=TRAINING.partition("\n")[0].split(";"))


def read(text: str, dataset: Dataset | None = None) -> NewPoints:
    return read_points(read_text(text), dataset or trained())


def test_the_rows_of_the_data_themselves_come_out_as_they_are():
    data = trained()
    found = read_points(read_text(TRAINING, separator=";"), data)
    assert_array_equal(found.X, data.X)
    assert not found.wrong.any() and found.notes == () and found.absent == ()


@pytest.mark.parametrize("name", sorted(set(datasets.names()) - {datasets.digits.DIGITS}))
def test_every_bundled_table_is_read_as_it_was_loaded(name):
    data = datasets.load(name, gaps=True)
    columns = {
        column: [None if np.isnan(x) else names[int(x)] if names else x for x in values]
        for column, names, values in zip(data.feature_names, data.category_names, data.X.T, strict=True)
    }
    shuffled = pd.DataFrame(columns)[list(reversed(data.feature_names))]
    found = read(shuffled.to_csv(index=False), data)
    assert_allclose(found.X, data.X, rtol=1e-12)
    assert not found.wrong.any() and found.absent == ()
    own = read(data.frame[list(data.feature_names)].to_csv(index=False), data)
    assert_allclose(own.X[data.rows], data.X, rtol=1e-12)
    assert not own.wrong.any()


def test_categories_are_found_whatever_their_capitals_and_that_is_said():
    table = read_text("x,active\n1,FALSE\n2,TRUE\n3,FALSE\n4,TRUE\n")
    active = to_dataset(table, kinds={"active": "binary"}, features=["x", "active"])
    frame = pd.DataFrame({"x": [1, 2], "active": [False, True]})
    for rows in ("x,active\n1,False\n2,True\n", frame.to_csv(index=False)):
        found = read(rows, active)
        assert_array_equal(found.X[:, 1], [0, 1])
        assert found.notes == (
            "Taken for categories of “active” though spelled otherwise: “False” for “FALSE” and “True” for “TRUE”.",
        )
    assert read("x,active\n1,falsch\n", active).wrong.tolist() == [[False, True]]
    table = read_text("x,gene\n1,abc\n2,ABC\n3,abc\n4,ABC\n5,def\n")
    both = to_dataset(table, kinds={"gene": "categorical"}, features=["x", "gene"])
    found = read("x,gene\n1,abc\n2,ABC\n3,Abc\n4,DEF\n", both)
    names = both.category_names[1]
    assert_array_equal(found.X[[0, 1, 3], 1], [names.index(name) for name in ("abc", "ABC", "def")])
    assert found.wrong[:, 1].tolist() == [False, False, True, False]  # it may be either


def test_columns_are_found_by_name_and_the_rest_is_said():
    found = read("Wait,grade,colour,extra,more\n1,2,blue,9,8\n4,5,red,9,8\n")
    assert_array_equal(found.X, [[0, np.nan, np.nan, 1, 1], [1, np.nan, np.nan, 4, 4]])
    assert found.absent == (1, 2) and not found.wrong.any()
    assert list(found.notes) == [
        "Taken for columns of the data though spelled otherwise: “Wait”.",
        "Not among the clustered columns, so left out: “extra”, “more”.",
        "Not in the table, so missing in every row: “size”, “n”.",
    ]


def test_two_columns_that_differ_in_case_alone_are_not_confused():
    data = Dataset(X=np.eye(3)[:, :2], name="x", feature_names=("A", "b"))
    found = read("a,B,A,b\n1,2,3,4\n", data)
    assert_array_equal(found.X, [[3, 4]])
    twice = read("a,A2,B,b2\n1,2,3,4\n", Dataset(X=np.eye(3), name="x", feature_names=("A", "b", "B")))
    assert_array_equal(twice.X, [[1, np.nan, 3]])


@pytest.mark.parametrize(
    ("data", "mark", "rows", "expected"),
    [
        ("x;y\n1.508;2.992\n3.490;5.011\n", ",", "x;y\n1.512;3.020\n3.210;4.999\n", [[1512, 3020], [3210, 4999]]),
        ("x;y\n1,508;2,992\n3,490;5,011\n", None, "x\ty\n1,512\t3,020\n3,2\t4,9\n", [[1.512, 3.02], [3.2, 4.9]]),
        ("x;y\n1,508;2,992\n3,490;5,011\n", None, "x\ty\n1,512\t3,020\n3,210\t4,999\n", [[1.512, 3.02], [3.21, 4.999]]),
        ("x;y\n1508;2992\n3490;5011\n", None, "x;y\n1.512;3.020\n9.999;4.999\n", [[1512, 3020], [9999, 4999]]),
        ("x;y\n1508;2992\n3490;5011\n", None, "x;y\n1.5;3.0\n2;4\n", [[1.5, 3], [2, 4]]),  # they are as they are
        (
            "m;n;y\n162;462;3,067\n125;431;1,180\n",
            None,
            "m\tn\ty\n145\t440\t1,512\n131\t450\t2,988\n",
            [[145, 440, 1.512], [131, 450, 2.988]],
        ),  # most cells lie among the data's under either mark
    ],
)
def test_rows_have_the_decimal_mark_under_which_they_lie_where_the_data_do(data, mark, rows, expected):
    dataset = to_dataset(read_text(data, decimal=mark))
    table, points = read_like(dataset, lambda decimal: read_text(rows, decimal=decimal))
    assert_array_equal(points.X, expected)
    plain = read_points(read_text(rows), dataset)
    assert any("is taken: with the decimal" in note for note in table.notes) == (not np.array_equal(plain.X, points.X))


def test_where_no_reading_fits_the_mark_of_the_data_decides():
    dataset = to_dataset(read_text("x;y\n0,108;0,992\n0,490;0,011\n"))
    for mark, expected in ((",", [[1.234, 1.567]]), (".", [[1234, 1567]])):
        known = replace(dataset, reading=(("decimal", mark),))
        table, points = read_like(known, lambda decimal: read_text("x\ty\n1,234\t1,567\n", decimal=decimal))
        assert_array_equal(points.X, expected)
        assert any("the data were read with it" in note for note in table.notes) == (mark == ",")


def test_rows_are_read_twice_only_if_they_lie_elsewhere():
    dataset = to_dataset(read_text("x;y\n1508;2992\n3490;5011\n"))
    asked: list[str | None] = []

    def read_rows(text):
        asked.clear()
        return read_like(dataset, lambda decimal: asked.append(decimal) or read_text(text, decimal=decimal))[1]

    read_rows("x;y\n1600;3000\n3400;5000\n")
    assert asked == [None]
    read_rows("x;y\n16;30\n34;9000\n")
    assert asked == [None, ","]


IN_UNITS = "weight,share,x\n60.1 kg,5%,1.5\n72.5 kg,7%,2.25\n80 kg,9.5%,3\n"


def test_numbers_are_in_the_unit_of_the_data_or_refused():
    data = to_dataset(read_text(IN_UNITS))
    assert dict(data.units) == {"share": "%", "weight": "kg"}
    found = read("x,share,weight\n2,6 %,70 kg\n", data)
    assert_array_equal(found.X, [[70, 6, 2]])
    assert found.notes == ()
    with pytest.raises(InvalidDataError, match=r"column “weight” is in lb, and in the data it is in kg\. Convert it"):
        read("x,share,weight\n2,6%,154.3 lb\n", data)
    found = read("x,share,weight\n2 mm,6,70\n", data)
    assert_array_equal(found.X, [[70, 6, 2]])
    assert sorted(found.notes) == [
        "In mm here, and without a unit in the data: “x”.",
        "Without a unit here, so taken as % as in the data: “share”.",
        "Without a unit here, so taken as kg as in the data: “weight”.",
    ]
    assert read("x,share,weight\n2,6%,\n", data).notes == ()
    mixed = read("x,share,weight\n2,6%,60.1 KG\n2,6%,61\n", data)
    assert mixed.wrong.tolist() == [[True, False, False], [False, False, False]]
    assert mixed.notes == ("The numbers without a unit are taken as kg as in the data: “weight”.",)
    assert read("x,share,weight\n2,6%,60.1 KG\n2,6%,heavy\n", data).notes == ()


def test_a_number_among_dates_is_taken_for_days_with_a_word():
    frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=4), "x": [1.5, 2.25, 3.0, 4.5]})
    frame["x"] = frame["x"].astype(str)
    for table in (read_text(frame.to_csv(index=False)), read_table(frame.to_parquet(), "t.parquet")):
        data = to_dataset(table, features=["day", "x"])
        assert data.feature_names[0] == "day" and dict(data.units) == {"day": "days since 1 January 1970"}
        found = read("day,x\n18301,1.5\n", data)
        assert found.X[0, 0] == 18301
        assert found.notes == ("Without a unit here, so taken as days since 1 January 1970 as in the data: “day”.",)
        assert read("day,x\n2020-03-01,1.5\n", data).notes == ()
        (wrong,) = read("day,x\n05/02/2020,1.5\n", data).wrong_cells(5)
        assert wrong.reason == "a date such as 2020-01-03, the year first if day and month may be either"
        others = read("day,x\n2020,1.5\n43850,1.5\n18264,1.5\n", data)  # a year, and days as spreadsheets count
        assert others.wrong[:, 0].tolist() == [True, True, False]
        born = with_dates("born,x\n" + "".join(f"{1940 + 2 * k}-05-01,{k}.5\n" for k in range(30)))
        years = read("born,x\n1985,1.5\n31130,1.5\n5678,1.5\n", born)
        assert years.wrong[:, 0].tolist() == [True, True, False]
        assert read("day,x\n1900-01-31,1.5\n2090-01-31,1.5\n", data).X[:, 0].tolist() == [-25537, 43860]


@pytest.mark.parametrize(
    ("doses", "codes"),
    [([5, 10, 20], [0, 5, np.nan]), ([0.5, 1.5, 2.5], [0, 1, np.nan]), ([10, 20], [0, 1, np.nan])],
)
@pytest.mark.parametrize("unit", [" mg", "%"])
def test_cells_with_a_unit_beside_one_that_is_none_have_the_codes_of_their_column(doses, codes, unit):
    rows = "".join(f"{doses[k % len(doses)]}{unit},{k}.5\n" for k in range(120))
    data = to_dataset(read_text("dose,y\n" + rows))
    assert data.kinds[0] in ("ordinal", "categorical", "binary")
    new = f"dose,y\n{doses[0]}{unit},1\n{doses[1]}{unit},2\nnone,3\n"
    found = read(new, data)
    assert_array_equal(found.X[:, 0], codes)
    assert found.wrong[:, 0].tolist() == [False, False, True]
    assert read(f"dose,y\n77{unit},1\nnone,3\n", data).wrong[:, 0].all()


def with_dates(text: str) -> Dataset:
    """Data of a table in which dates are clustered too."""
    table = read_text(text)
    return to_dataset(table, features=list(table.frame))


ISO = "when,x\n2020-01-02,1.5\n2021-01-13,2.5\n2022-03-04,3.5\n"


@pytest.mark.parametrize(
    ("cells", "read_as"),
    [
        (["2021-01-13", "unknown", "2020-01-02", "", "13.01.2021"], [18640, "wrong", 18263, None, 18640]),
        (["2021/01/13", "2021.1.13", "2020/1/2", "", "13.01.2021"], [18640, 18640, 18263, None, 18640]),
        (["2021-02-29", "2021-01-13"], ["wrong", 18640]),
        (["13/01/2021", "02/01/2020", "31/02/2020"], [18640, 18263, "wrong"]),
        (["01/13/2021", "01/02/2020", "soon"], [18640, 18263, "wrong"]),
        (["02/01/2020", "soon"], ["wrong", "wrong"]),
        (["13/01/2021", "01/13/2021"], ["wrong", "wrong"]),
        (["2021-01-13", "18640"], [18640, 18640]),
    ],
)
def test_a_cell_that_is_no_date_costs_no_other(cells, read_as):
    found = read("when,x\n" + "".join(f"{cell},2.5\n" for cell in cells), with_dates(ISO))
    shown = [
        "wrong" if wrong else None if np.isnan(x) else x
        for x, wrong in zip(found.X[:, 0], found.wrong[:, 0], strict=True)
    ]
    assert shown == read_as


def test_numbers_among_dates_are_dates_without_strokes_or_days_or_wrong():
    data = with_dates("day,w\n" + "".join(f"2022-0{1 + i % 9}-15,{i}.5\n" for i in range(30)))
    found = read("day,w\n20220804,1\n19208,2\n20221399,3\n20220804.5,4\n-9999999,5\n", data)
    assert_array_equal(found.X[:, 0], [19208, 19208, np.nan, np.nan, np.nan])
    assert found.wrong[:, 0].tolist() == [False, False, True, True, True]
    assert "Numbers such as 20220804 in “day” were read as dates, that one as 2022-08-04." in found.notes
    found = read("day,w\n20220804,1\n2022-08-05,2\n", data)
    assert_array_equal(found.X[:, 0], [19208, 19209])


def test_a_cell_without_the_unit_costs_no_other():
    data = to_dataset(read_text("share,weight,paid\n5%,60.5 kg,€ 4\n7%,70.5 kg,€ 5\n6%,80.5 kg,€ 7\n"))
    found = read("share,weight,paid\n6%,heavy,€ 4\nmany,61.5 kg,much\n7%,62.5 lb,5 €\n", data)
    expected = [[6, np.nan, 4], [np.nan, 61.5, np.nan], [7, np.nan, 5]]
    assert_array_equal(found.X, expected)
    assert_array_equal(found.wrong, np.isnan(expected))
    assert found.notes == ()


def test_units_are_known_of_files_of_every_format(tmp_path):
    frame = pd.read_csv(io.StringIO(IN_UNITS))
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    np.savez(tmp_path / "t.npz", X=frame["weight"].to_numpy(str)[:, None], feature_names=np.array(["weight"]))
    (tmp_path / "t.csv").write_text(IN_UNITS)
    for path in sorted(tmp_path.iterdir()):
        for table in (read_table(path.read_bytes(), path.name), read_isolated(path.read_bytes(), path.name)):
            assert dict(table.units) == {"weight": "kg", **({} if path.suffix == ".npz" else {"share": "%"})}, path


def test_codes_of_missing_cells_that_were_accepted_are_missing_here_too():
    text = "w,h\n" + "".join(f"{60 + i},{160 + i}\n" for i in range(9)) + "-99,170\n-99,171\n"
    data = to_dataset(read_text(text, accepted=[("w", -99.0), ("h", 999.0)]), gaps=True)
    assert data.emptied == (("w", -99.0), ("h", 999.0))
    found = read("h,w\n160.5,-99\n-99,61\n", data)
    assert_array_equal(found.X, [[np.nan, 160.5], [61, -99]])
    assert not found.wrong.any() and found.notes == ("As in the data, 1 cell of “w” with -99 emptied.",)
    found = read("h,w\n160,-99 \n161,x\n", data)
    assert_array_equal(found.X, [[np.nan, 160], [np.nan, 161]])
    assert found.wrong.tolist() == [[False, False], [True, False]]


def test_a_table_without_names_has_them_in_the_order_of_the_data():
    data = Dataset(X=np.eye(3)[:, :2], name="x", feature_names=("A", "b"))
    found = read("1,2\n3,4\n", data)
    assert_array_equal(found.X, [[1, 2], [3, 4]])
    assert "in the order of the data" in found.notes[0]
    with pytest.raises(InvalidDataError, match="none of the columns “A”, “b”"):
        read("1,2,3\n3,4,5\n", data)


WRONG = [
    ("colour", "green", "one of “blue”, “red”"),
    ("size", "abc", "a number"),
    ("size", "inf", "a number"),
    ("n", "-1", "a whole number from 0 on"),
    ("n", "2.5", "a whole number from 0 on"),
    ("grade", "9", "a whole number from 1 to 5"),
    ("grade", "0", "a whole number from 1 to 5"),
    ("grade", "1.5", "a whole number from 1 to 5"),
    ("wait", "-2", "a number from 0 on"),
    ("wait", "soon", "a number from 0 on"),
]


@pytest.mark.parametrize(("column", "text", "reason"), WRONG)
def test_what_is_no_value_of_its_column_is_named(column, text, reason):
    good = {"colour": "red", "size": "1", "n": "3", "grade": "2", "wait": "5"}
    frame = pd.DataFrame([good, {**good, column: text}, {name: None for name in good}, good])
    found = read(frame.to_csv(index=False))
    (cell,) = found.wrong_cells(10)
    assert (cell.row, found.sources[cell.column], cell.value, cell.reason) == (1, column, text, reason)
    assert found.wrong.sum() == 1 and np.isnan(found.X[1]).sum() == 1 and np.isnan(found.X[2]).all()
    assert_array_equal(found.X[0], [1, 1, 3, 1, 5])


def test_markers_of_missing_cells_are_missing_and_not_wrong():
    found = read("colour,size,n,grade,wait\nNA,?,,NaN,n/a\nred,1.5,2,3,4\n")
    assert np.isnan(found.X[0]).all() and not found.wrong.any()


def test_cells_found_wrong_later_are_marked():
    found = read("colour,size,n,grade,wait\nred,1,7,3,4\nred,1,8,3,4\n")
    also = np.zeros(found.X.shape, dtype=bool)
    also[1, 2] = True
    marked = found.refusing(also, ["", "", "at most 7", "", ""])
    assert [tuple(cell) for cell in marked.wrong_cells(5)] == [(1, 2, "8", "at most 7")] and np.isnan(marked.X[1, 2])
    assert marked.wrong_cells(0) == [] and not found.wrong.any()


def test_a_table_without_rows_is_refused():
    table = read_text(TRAINING, separator=";")
    empty = type(table)(frame=table.frame.head(0), name="none", format="text")
    with pytest.raises(InvalidDataError, match="no rows"):
        read_points(empty, trained())


# --- preparation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["none", "standardise", "robust"])
def test_further_rows_are_scaled_as_the_data_were(method):
    X = np.random.default_rng(0).gamma(2.0, 3.0, (40, 3)) * [1, 50, 0.01]
    X[:, 2] = 7.0  # constant
    scaled = datasets.scale(X, method)
    preparation = Preparation(scaled.centre, scaled.spread)
    assert_allclose(preparation.apply(X), scaled.X, atol=1e-12)
    X[0, 1] = np.nan
    assert np.isnan(preparation.apply(X)[0, 1]) and np.isfinite(preparation.apply(X)[0, [0, 2]]).all()
    volume = preparation.log_volume(X)
    assert volume[1] == pytest.approx(-np.log(scaled.spread).sum(), abs=1e-12)
    assert volume[0] == pytest.approx(-np.log(scaled.spread[[0, 2]]).sum(), abs=1e-12)


def test_further_rows_are_projected_as_the_data_were():
    X = np.random.default_rng(1).normal(size=(30, 4)) * [1, 2, 3, 4]
    scaled = datasets.scale(X, "standardise")
    components = datasets.pca(scaled.X, 2, whiten=True)
    preparation = Preparation(scaled.centre, scaled.spread, components)
    assert_allclose(preparation.apply(X), components.scores, atol=1e-12)
    assert_array_equal(preparation.log_volume(X), np.zeros(30))
    X[3, 1] = np.nan
    assert np.isnan(preparation.apply(X)[3]).all()


def test_percents_are_no_shares_of_one():
    shares = to_dataset(read_text("share,x\n0.131,1.5\n0.52,2.25\n0.701,3.5\n"))
    with pytest.raises(InvalidDataError, match=r"“share” is in %, and in the data .* up to 0\.701, as shares"):
        read("share,x\n70.1%,2.5\n", shares)
    assert_array_equal(read("share,x\n0.6,2.5\n", shares).X, [[0.6, 2.5]])
    numbers = to_dataset(read_text("share,x\n13.1,1.5\n52,2.25\n70.1,3.5\n"))
    found = read("share,x\n70.1%,2.5\n", numbers)
    assert_array_equal(found.X, [[70.1, 2.5]])
    assert found.notes == ("In % here, and without a unit in the data: “share”.",)
