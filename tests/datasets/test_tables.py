"""Tables a user brings: every format, every bad input we know of, and what becomes of the columns."""

from __future__ import annotations

import base64
import csv
import datetime
import io
import re
import string
import zipfile
import zlib
from itertools import combinations

import numpy as np
import openpyxl
import pandas as pd
import pytest
from books import saved, workbook
from numpy.testing import assert_array_equal

from dpviz.datasets.dataset import Dataset
from dpviz.datasets.tables import Table, excel, export_csv, infer_kinds, limits, read_table, read_text, to_dataset
from dpviz.datasets.tables.read import read_here
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError, MemoryLimitError
from dpviz.text import counted, escape_markdown

pytestmark = pytest.mark.usefixtures("tables_read_here")

EXPECTED = pd.DataFrame({"length": [1.5, 2.25, -3.0], "width": [10, 20, 35], "name": ["ä", "b", "ä"]})


def npz(**arrays_by_name: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays_by_name)
    return stream.getvalue()


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def notes_of(source: Table | Dataset) -> str:
    return " ".join(source.notes)


# --- formats ---------------------------------------------------------------------------------------------------------

TEXT = "length,width,name\n1.5,10,ä\n2.25,20,b\n-3,35,ä\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_encodings_are_recognised(encoding):
    table = read_table(TEXT.encode(encoding), "flowers.csv")
    pd.testing.assert_frame_equal(table.frame, EXPECTED)
    assert table.name == "flowers"
    assert ("Latin-1" in notes_of(table)) == (encoding == "latin-1")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " "])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("header", [True, False])
def test_separators_newlines_and_headers_are_recognised(separator, newline, header):
    lines = TEXT.replace(",", separator).splitlines()[0 if header else 1 :]
    table = read_table(newline.join(lines).encode(), "flowers.txt")
    assert (table.separator, table.header) == (separator, header)
    expected = EXPECTED if header else EXPECTED.set_axis(["x1", "x2", "x3"], axis=1)
    pd.testing.assert_frame_equal(table.frame, expected)


@pytest.mark.parametrize("separator", [";", "\t", "|", " "])
def test_decimal_commas_are_recognised(separator):
    text = TEXT.replace(",", separator).replace(".", ",")
    table = read_table(text.encode(), "flowers.csv")
    assert (table.decimal, table.separator) == (",", separator)
    pd.testing.assert_frame_equal(table.frame, EXPECTED)
    assert "Decimal commas were read as decimal points in “length”" in notes_of(table)


def test_decimal_commas_in_quotes_between_commas():
    frame = read_table(b'a,b\n"1,5","2,25"\n"3,125",4\n', "q.csv").frame
    assert frame.to_numpy().tolist() == [[1.5, 2.25], [3.125, 4.0]]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,234.5", "12", "1,234,567"], [1234.5, 12.0, 1234567.0]),
        (["1.234,5", "12", "1.234.567"], [1234.5, 12.0, 1234567.0]),
        (["1 234,5", "12", "7\u202f000"], [1234.5, 12.0, 7000.0]),
        (["1'234.5", "-12", "+5"], [1234.5, -12.0, 5.0]),
        (["\u22121.5", "2", "-"], [-1.5, 2.0, np.nan]),
        (["0,123", "0,456", "0,789"], [0.123, 0.456, 0.789]),
        (["1e3", "1.5E-2", ".5"], [1000.0, 0.015, 0.5]),
    ],
)
def test_ways_to_write_numbers(cells, values):
    table = read_table("\n".join(["v;w", *(f"{cell};1" for cell in cells)]).encode(), "v.csv")
    assert_array_equal(table.frame["v"].to_numpy(), values)


def test_ambiguous_commas_follow_the_separator_and_can_be_set():
    text = "v{0}w\n1,234{0}5\n2,345{0}6\n"
    assert read_text(text.format(";")).frame["v"].tolist() == [1.234, 2.345]
    assert read_text(text.format("\t")).frame["v"].tolist() == [1234, 2345]
    assert read_text(text.format("\t"), decimal=",").frame["v"].tolist() == [1.234, 2.345]


def test_dashes_are_missing_among_numbers_and_text_elsewhere():
    frame = read_text("a,b,c\n1.5,-,none\n-,x,1.5\nNone,y,2.5\n2.5,-,3.5\n").frame
    assert_array_equal(frame["a"].to_numpy(), [1.5, np.nan, np.nan, 2.5])
    assert frame["b"].tolist() == ["-", "x", "y", "-"]
    assert frame["c"].tolist()[0] == "none"


def test_each_column_may_have_its_own_mark():
    frame = read_text("a\tb\tc\n1,5\t1.5\t2.5\n-\t2.5\t3.5\n0,125\t3.5\t4.5\n").frame
    assert_array_equal(frame["a"].to_numpy(), [1.5, np.nan, 0.125])
    assert frame["b"].tolist() == [1.5, 2.5, 3.5]
    assert read_text("a\tb\n0,123\t1\n0,456\t2\n").frame["a"].tolist() == [0.123, 0.456]


def test_one_column():
    table = read_text("height\n1,5\n2,5\n3,25\n")
    assert (table.separator, table.decimal) == ("", ",")
    assert to_dataset(table).X.tolist() == [[1.5], [2.5], [3.25]]
    dataset = to_dataset(read_text("v\n1.5\n\n2.5\n"))  # a blank line is a missing cell where there is one column
    assert dataset.X.tolist() == [[1.5], [2.5]]
    assert "1 row with missing cells dropped of 3 (missing in “v” 1)." in dataset.notes


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("text", ["a,,b,\n1,,2.5,\n3,,4.5,\n5,,,\n", "1.5,,2.5,\n3,,4.5,\n5,,,\n"])
def test_columns_without_a_cell_or_a_name_are_left_out(text, repair):
    table = read_text(text, repair=repair)
    assert table.encoding == "utf-8" and table.frame.shape == (3, 2) and table.frame.iloc[:, 0].tolist()[1:] == [3, 5]
    assert "Left out: 2 columns without any cell, not even a name." in table.notes
    assert read_text("a,b\n1.5,\n2.5,\n").frame.shape == (2, 2)  # a name is something


def as_text(rows):
    return pd.DataFrame(rows).to_csv(index=False, header=False).encode(), "t.csv"


def as_workbook(rows):
    return workbook(rows), "t.xlsx"


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("written", [as_text, as_workbook])
def test_columns_are_called_by_their_place_in_the_file_whichever_others_are_empty(written, repair):
    """All 2^4 − 1 ways to leave columns empty, without names and below names that two columns lack."""
    rows, names = [[1.5, 2, 3.5, 4], [5.5, 6, 7.5, 9], [9.5, 1, 2.5, 3]], ["a", None, None, "d"]
    for size in (1, 2, 3, 4):
        for left in combinations(range(4), size):
            cells = [[row[place] if place in left else None for place in range(4)] for row in rows]
            if size > 1:  # a repair takes a sheet with values in one column for remarks
                table = read_table(*written(cells), header=False, repair=repair)
                assert table.frame.to_dict("list") == {f"x{place + 1}": [row[place] for row in rows] for place in left}
            table = read_table(*written([names, *cells]), header=True, repair=repair)
            shown = sorted({0, 3, *left})
            assert list(table.frame.columns) == [names[place] or f"column {place + 1}" for place in shown]
            note = f"Left out: {counted(4 - len(shown), 'column')} without any cell, not even a name."
            assert (note in table.notes) == (written is as_text and len(shown) < 4)


@pytest.mark.parametrize(
    "lines",
    [
        ["very good service", "too slow", "I liked the food a lot", "ok", "would come again", "not sure"],
        ["It was a bright cold day in April.", "She was born in 1984, and stayed.", "No.", 'He said "no" to me then.'],
        ["Two spaces after a sentence.  As typists do.", "One.  Two.  Three.", "None at all here"],
    ],
)
def test_sentences_are_one_column_of_text(lines):
    for repair in (False, True):
        table = read_text("\n".join(["comment", *lines]), repair=repair)
        assert table.separator == ""
        assert table.frame["comment"].tolist() == lines
    with pytest.raises(InvalidDataError, match="No column is left .* a column for each word with how often it occurs"):
        to_dataset(table)


@pytest.mark.parametrize(
    "text",
    [
        "first name\nAnna Smith\nBert Jones\nCarl Brown\n",
        "city size tone\nparis big high\nlondon big low\nrome small\noslo small low\n",
        "name   x    y\nanna   1.2  3\nbert   2.25 4\ncarl   10   5\n",
        "name x y z\nanna 1 2 3\nbert 2 3\ncarl 4\ndora 5 6 7\nemil 5\n",
        "who   what    where\nanna  apples  home\nbert          school\ncarl\ndora  pears   home now\n",
    ],
)
def test_tables_of_aligned_cells_or_numbers_are_no_sentences(text):
    table = read_text(text, repair=True)
    assert table.separator == " "
    assert list(table.frame.columns) == text.splitlines()[0].split()


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("ann,5.5\nbob,7.5\n", False),
        ("name,5.5\nbob,7.5\nbob,6.5\n", False),
        ("a,a\nb,c\nd,e\n", False),
        ("red,round\nblue,round\n", False),
        ("colour,shape\nred,round\nblue,round\n", True),
        ("1,2\n3,4\n", False),
        (",a\nx,1\n", True),
        ("site,2001,2002\n1,2.5,3.5\n", True),
    ],
)
def test_headers_of_text_and_numbers(text, header):
    assert read_text(text).header == header
    assert read_text(text, header=not header).header != header


def test_quoted_cells_may_hold_separators_quotes_and_newlines():
    frame = read_table(b'text,v\n"a, ""b""\nc",1.5\nplain,2.5\n', "q.csv").frame
    assert frame["text"].tolist() == ['a, "b"\nc', "plain"]
    assert frame["v"].tolist() == [1.5, 2.5]


def test_repeated_spaces_separate_once_and_quotes_keep_them():
    frame = read_text('city   v\n"New  York"  1.5\n  Paris \t 2.5  ').frame
    assert frame["city"].tolist() == ["New  York", "Paris"]
    assert frame["v"].tolist() == [1.5, 2.5]


def test_a_row_longer_than_the_usual_block_is_read():
    long_cell = "x" * 100_000
    row = ",".join([long_cell] * 40)
    frame = read_table(f"{','.join(map(str, range(40)))}\n{row}\n{row}\n".encode(), "long.csv", header=True).frame
    assert frame.shape == (2, 40)
    assert frame.iloc[1, 39] == long_cell


def test_pasted_line_of_numbers_becomes_a_column():
    for text in ("9172, 9350.5, 9483", "9172 9350.5 9483", "9172\t9350.5\t9483", "9172;9350,5;9483"):
        table = read_text(text)
        assert table.frame["x1"].tolist() == [9172.0, 9350.5, 9483.0]
        assert "one column" in notes_of(table)


OLD_BOOK = zlib.decompress(
    base64.b85decode(
        r"c-rk)O-NKx6#njg?>RH#&x~oHfryZm=_1<HLZ^aqm6)5Nf|~I?e^6&)90*&KWkahXXjQZkY!QUjrXNbEU5mh|MGzEf(WX^U(L#Nld*;4LZ2|{M"
        r"P~JD(^X@tK-tV4w@3}woUQI=&$L`n6U>RCrV8IQcXpv1&3VBKxRPMSe>pg>%Tpw!+p&(6Uk%cFvF9T{0)qKxD;-2}OBrr?qI8LEGnQ-b>5&PJO"
        r"m{2~n2$Nz@;wGgsRI^_dEW224V0oA8K4rOwEtgrgP~B;96jRam#$7s&kH~s1D<diJklVat%MMiGg^J^IS4Fn2g}tf1*uWYqs5MJ44w}+7C*h=&"
        r"UXEKR28IdEgM-bsJ&j75?s0r~>ws_Gx_(yY+gH~vK=z+Y?Sa48gEWcD?boCUjKDo9R4`{yiruCvvC!R@8cJs<$|sAmYkSD)N+#?%S`#6?Ut2&j"
        r"-Rq>N!hn<LN%xZBbf2B>C5l9B&@lizHcU$QK&*#C>=UJUu{sEN;|MR=I7)drm5{Vi&iM#0sxWmmcl+z>gYk~&3AT)I=h-7=v+^G<&Z`#GxQt8q"
        r"6_k5u<QCgmUSQTuoUdV7Np<Mi&{3r`2S&NhMJ{cies(h6M7J!;Z>4<Z%b`cLnUB$Jl%HsuIa4|DHadoS8XBA0tKTS^M3cC2UEy)mdkVezyk}Yc"
        r"$3_&CVePxC&&_hotEESX@Ed0}Z*;PnB+bZa25DwaGfA^FvslJFN!|!%J|>lHWM<V)FsGWAvr=gW)%<Wr!jeJKO!h@F$~=sc87~=1cIFr*GX^xH"
        r"WX4&|D48+qqmhTvV8$PG<V0{K$7n3^(O|~Un$gfcw#o`TP!7?y{u`?igCZx_Y7C0JF~}D@HLA!rsy=-9@ZrOUk97{gS5NTu%+wcdb&U$>?>h68"
        r"7W~g7>lU3z(l1SaDfc5m&lH9Wil2?JgvTXT*v9)_sBoBiPoW=i_M^Yx_@!&GSo}UKZW#V|OQ_KP7Ygz7KllF&s)QSU"
    )
)
"""An .xls file: EXPECTED with a date and a truth value in each row, and another sheet."""


def open_book() -> bytes:
    """An .ods file of the same table."""

    def cell(value: object, kind: str = "string", stored: str = "") -> str:
        return f'<table:table-cell office:value-type="{kind}" {stored}><text:p>{value}</text:p></table:table-cell>'

    rows = ["".join(map(cell, ("length", "width", "name", "day", "flag")))]
    for place, (length, width, name) in enumerate(EXPECTED.itertuples(index=False), start=1):
        numbers = "".join(cell("shown", "float", f'office:value="{value}"') for value in (length, width))
        day = cell("shown", "date", f'office:date-value="2020-01-0{place}"')
        flag = cell("shown", "boolean", f'office:boolean-value="{str(place != 2).lower()}"')
        rows.append(numbers + cell(name) + day + flag)
    table = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    body = f'<office:spreadsheet><table:table table:name="first">{table}</table:table></office:spreadsheet>'
    spaces = (
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = f"<office:document-content {' '.join(spaces)}><office:body>{body}</office:body></office:document-content>"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", content)
    return stream.getvalue()


@pytest.mark.parametrize(("content", "filename"), [(OLD_BOOK, "t.xls"), (open_book(), "t.ods")])
def test_old_and_open_workbooks_are_read_like_new_ones(content, filename):
    table = read_table(content, filename)
    expected = EXPECTED.assign(day=[18262, 18263, 18264], flag=["TRUE", "FALSE", "TRUE"])
    pd.testing.assert_frame_equal(table.frame, expected, check_dtype=False)
    assert (table.format, table.sheet) == ("excel", "first")
    assert ("“second”" in notes_of(table)) == (filename == "t.xls")
    assert not any("is named" in note for note in table.notes)
    assert "holds an" in notes_of(read_table(content, "t.csv"))
    for kept in (len(content) // 3, len(content) - 700):
        with pytest.raises(DpvizError):
            read_table(content[:kept], filename)


def test_excel_values_survive_exactly():
    numbers = [0.1, 1 / 3, 1e-300, -123456789.125]
    dates = [datetime.datetime(2020, 1, day) for day in (1, 2, 3, 4)]
    rows = [["v", "flag", "day", "gap"], *([n, n > 0.2, d, None] for n, d in zip(numbers, dates, strict=True))]
    table = read_table(workbook({"first": rows, "second": [["other"]]}), "book.xlsx")
    assert table.frame["v"].tolist() == numbers
    assert table.frame["flag"].tolist() == ["FALSE", "TRUE", "FALSE", "FALSE"]
    assert table.frame["day"].tolist() == [18262, 18263, 18264, 18265]
    assert table.frame["gap"].isna().all()
    assert "“second”" in notes_of(table)


def test_numbers_of_a_workbook_that_are_formatted_as_dates_and_are_none_are_said():
    book = openpyxl.Workbook()
    for row in (["v", "day"], [1.5, 99_999_999], [2.5, 43_831]):
        book.active.append(row)
    for cell in ("B2", "B3"):
        book.active[cell].number_format = "yyyy-mm-dd"
    table = read_table(saved(book), "book.xlsx")
    assert table.frame["day"].tolist() == ["99999999", "2020-01-01"]
    assert "Numbers and other text are mixed in “day”." in table.notes


def test_excel_formulas_are_never_computed():
    table = read_table(workbook([["v", "w"], [1.5, "=1+1"], [2.5, "=cmd|'/C calc'!A0"]]), "book.xlsx")
    assert table.frame["w"].isna().all()  # openpyxl stores no results, and none are made up


def test_excel_empty_margins_and_titles():
    table = read_table(workbook([[], [None, "a", "b"], [None, 1.5, 2], [None, 2.5, 3]]), "book.xlsx")
    assert list(table.frame.columns) == ["a", "b"]
    with pytest.raises(InvalidDataError, match="“Results 2020”, a title"):
        read_table(workbook([["Results 2020"], ["a", "b", "c"], [1, 2, 3], [4, 5, 6]]), "book.xlsx")


def test_parquet_columns_of_every_type():
    frame = pd.DataFrame(
        {
            "float": [0.1, np.nan, 3.5],
            "half": np.array([0.5, 1.5, 2.5], np.float16),
            "integer": np.array([1, 2, 3], np.int8),
            "large": pd.array([2**60 + 1, None, 5], "Int64"),
            "flag": [True, False, True],
            "text": ["a", None, "a"],
            "group": pd.Categorical(["u", "v", "u"]),
            "day": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
            "written": ["1.5", "2.5", "NA"],
            "nested": [[1], [2], [3]],
        }
    )
    table = read_table(frame.to_parquet(), "t.parquet")
    assert table.frame["float"].tolist()[::2] == [0.1, 3.5]
    assert table.frame["half"].tolist() == [0.5, 1.5, 2.5]
    assert table.frame["integer"].tolist() == [1, 2, 3]
    assert table.frame["large"].tolist()[::2] == [str(2**60 + 1), "5"]
    assert table.frame["flag"].tolist() == ["true", "false", "true"]
    assert table.frame["text"].isna().tolist() == [False, True, False]
    assert table.frame["group"].tolist() == ["u", "v", "u"]
    assert table.frame["day"].tolist() == [18262, 18263, 18264]
    assert table.frame["written"].tolist()[:2] == [1.5, 2.5]
    assert "nested" not in table.frame
    assert "left out: “nested”" in notes_of(table)


def test_npz_with_labels_and_names():
    X = np.random.default_rng(1).normal(size=(12, 2))
    content = npz(X=X, y=np.arange(12) % 3, feature_names=np.array(["u", "v"]), extra=np.zeros(3))
    table = read_table(content, "points.npz")
    assert "“extra”" in notes_of(table)
    dataset = to_dataset(table, label="y")
    assert_array_equal(dataset.X, X)
    assert dataset.feature_names == ("u", "v")
    assert dataset.labels is not None
    assert dataset.labels.tolist() == [0, 1, 2] * 4


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([1.5, 2.5]), [[1.5], [2.5]]),
        (np.array([[1, 2], [3, 4]], ">i2"), [[1, 2], [3, 4]]),
        (np.array([[True], [False]]), [[1], [0]]),
        (np.array([["1.5", "a"], ["2,5", "b"]]), [[1.5, "a"], ["2,5", "b"]]),
    ],
)
def test_npy(array, expected):
    frame = read_table(npy(array), "a.npy").frame
    if array.dtype.kind == "U":
        expected = [["1.5", "a"], ["2,5", "b"]]
    assert frame.to_numpy(object).tolist() == expected


def test_well_quoted_names_separate_cells_whatever_else_stands_in_them():
    names = ["<img src=x onerror=window.hacked=1>", "<a href='javascript:window.hacked=1'>y</a>", "species"]
    rows = "".join(f"{n / 4},{n * n % 7},{names[0] if n % 2 else 'b'}\n" for n in range(1, 40))
    table = read_table(f'"{names[0]}","{names[1]}",{names[2]}\n{rows}'.encode(), "table.csv")
    assert table.frame.columns.tolist() == names and table.frame.shape == (39, 3)


@pytest.mark.parametrize(
    ("content", "filename", "told"),
    [
        (workbook([["a", "b"], [1.5, 2], [2.5, 3]]), "t.csv", "Excel workbook"),
        (b"a\tb\n1.5\t2\n2.5\t3\n", "t.xls", "text"),
        (b"a,b\n1.5,2\n2.5,3\n", "t.parquet", "text"),
        (pd.DataFrame({"a": [1.5, 2.5], "b": [2, 3]}).to_parquet(), "t.npz", "Parquet"),
    ],
)
def test_wrong_extension_is_read_by_content_and_said(content, filename, told):
    table = read_table(content, filename)
    assert table.frame["a"].tolist() == [1.5, 2.5]
    assert re.search(rf"is named “\.\w+” but holds .*{told}", table.notes[0])


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "filename", "message"),
    [
        (b"", "t.csv", "empty"),
        (b" \n\n ", "t.csv", "white space"),
        (b"a,b\n", "t.csv", "no rows below its column names"),
        (b"a,b,c\n1,2,3\n4,5\n\n6,7,8\n9,10,11,12\n", "t.csv", "line 3 has 2 values, line 6 has 4 values"),
        (b"\n\na,b\n1\n", "t.csv", "line 4 has 1 value"),
        (b'a,b\n1,"x\ny"\n2\n', "t.csv", "line 4 has 1 value"),
        (b"Title of the table\na,b\n1,2\n3,4\n", "t.csv", "remove titles"),
        (b'a,b\n1,"2\n3,4\n', "t.csv", "never closed"),
        (b"a,b\n1,\x002\n", "t.csv", "NUL bytes"),
        (b"\x80\x04\x95\x05\x00.", "t.csv", "NUL bytes"),
        (bytes(range(1, 32)) * 20, "t.csv", "binary"),
        (b"\xff\xfe\x00", "t.csv", "starts like utf-16"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "t.xls", r"old Excel file \(\.xls\) or one protected"),
        (b"%PDF-1.7", "t.csv", "PDF"),
        (b"\x89PNG\r\n", "t.csv", "image"),
        (b"PK\x03\x04 not a zip", "t.xlsx", "zip archive"),
        (b"PAR1 not parquet PAR1", "t.parquet", "Parquet"),
        (b"\x93NUMPY\x01\x00", "t.npy", "NumPy"),
        (b"x" * 1_000_001, "t.csv", "first line is longer"),
        (b'a\n"' + b"x" * 200_000 + b'"\n', "t.csv", "quotation marks"),
        (b"a,b\n1,2\n", "model.pkl", "“.pkl” cannot be read. Choose one of: csv"),
        (workbook([]), "t.xlsx", "no sheet with values"),
        (workbook([["a", "b"]]), "t.xlsx", "no rows"),
        (npy(np.zeros((2, 2, 2))), "t.npy", r"X \(2, 2, 2\)"),
        (npy(np.zeros((2, 2), complex)), "t.npy", "complex"),
        (npy(np.array([{"a": 1}], object)), "t.npy", "never loaded"),
        (npz(a=np.zeros((2, 2)), b=np.zeros((3, 3))), "t.npz", "No array can be taken"),
        (pd.DataFrame({"a": [[1], [2]]}).to_parquet(), "t.parquet", "no column of numbers or text"),
    ],
)
def test_bad_files_say_what_is_wrong(content, filename, message):
    with pytest.raises(DpvizError, match=message):
        read_table(content, filename)


def test_damaged_files_of_every_format():
    good = {
        "t.xlsx": workbook([["a", "b"], [1.5, 2], [2.5, 3]]),
        "t.parquet": pd.DataFrame({"a": [1.5, 2.5]}).to_parquet(),
        "t.npz": npz(X=np.zeros((5, 2))),
        "t.npy": npy(np.zeros((5, 2))),
    }
    for filename, content in good.items():
        read_table(content, filename)
        for kept in (5, len(content) // 2, len(content) - 3):
            with pytest.raises(DpvizError):
                read_table(content[:kept], filename)


def test_zip_archive_that_is_no_table():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("table.csv", "a,b\n1,2\n")
    with pytest.raises(InvalidDataError, match="neither a workbook nor an npz file"):
        read_table(stream.getvalue(), "t.xlsx")


@pytest.mark.parametrize(("member", "filename"), [("xl/workbook.xml", "bomb.xlsx"), ("X.npy", "bomb.npz")])
def test_zip_bombs_are_refused_before_unpacking(member, filename, monkeypatch):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, b"\0" * 5_000_000)
    monkeypatch.setattr(limits, "MAX_UNPACKED_BYTES", 1_000_000)
    monkeypatch.setattr(zipfile.ZipFile, "open", None)  # would fail if anything were unpacked
    with pytest.raises(MemoryLimitError, match="unpacks to 5 MB"):
        read_table(stream.getvalue(), filename)


def test_parquet_that_repeats_a_long_text_is_refused(monkeypatch):
    content = pd.DataFrame({"a": ["x" * 10_000] * 1_000}).to_parquet()
    assert len(content) < 50_000
    monkeypatch.setattr(limits, "MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(MemoryLimitError, match="unpacks to 10 MB"):
        read_here(content, "t.parquet")


def test_excel_that_repeats_a_long_text_is_refused(monkeypatch):
    with zipfile.ZipFile(io.BytesIO(workbook([["x"]]))) as archive:
        members = {member: archive.read(member).decode() for member in archive.namelist()}
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    members["xl/sharedStrings.xml"] = f'<sst xmlns="{namespace}"><si><t>{"x" * 10_000}</t></si></sst>'
    part = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{part}"/></Types>'
    members["[Content_Types].xml"] = members["[Content_Types].xml"].replace("</Types>", override)
    sheet = members["xl/worksheets/sheet1.xml"]
    members["xl/worksheets/sheet1.xml"] = re.sub("<row.*</row>", '<row><c t="s"><v>0</v></c></row>' * 500, sheet)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, text in members.items():
            archive.writestr(member, text)
    content = stream.getvalue()
    assert read_table(content, "t.xlsx").frame.shape == (500, 1)
    monkeypatch.setattr(limits, "MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(MemoryLimitError, match="unpacks to 1 MB"):
        read_here(content, "t.xlsx")


def test_array_that_claims_more_than_it_holds():
    content = npy(np.zeros((4, 2))).replace(b"(4, 2)", b"(9, 2)")
    with pytest.raises(InvalidDataError, match="should have 144 bytes"):
        read_table(content, "t.npy")
    with pytest.raises(MemoryLimitError, match="unpacks to"):
        read_table(npy(np.zeros((4, 2))).replace(b"(4, 2), }   ", b"(9999999, 9)}"), "t.npy")


class HugeFile(bytes):
    """Bytes that claim to be 300 MB."""

    def __len__(self) -> int:
        return 300_000_000


def test_file_of_300_megabytes_is_refused_before_it_is_read():
    with pytest.raises(MemoryLimitError, match="has 300 MB; files up to 200 MB"):
        read_table(HugeFile(b"a,b\n1,2\n"), "huge.csv")


def test_limits_on_rows_columns_and_cells(monkeypatch):
    wide = ",".join("1" for _ in range(10_000)) + "\n"
    with pytest.raises(MemoryLimitError, match="10,000 columns; up to 1,000 columns"):
        read_table((wide * 2).encode(), "wide.csv")
    with pytest.raises(MemoryLimitError, match="10,000 columns"):
        read_table(npy(np.zeros((2, 10_000))), "wide.npy")
    with pytest.raises(MemoryLimitError, match="10,000 columns"):
        read_table(pd.DataFrame(np.zeros((2, 10_000)), columns=map(str, range(10_000))).to_parquet(), "wide.parquet")
    with pytest.raises(MemoryLimitError, match="1,000 columns"):
        read_table(workbook([[1] * 1_100]), "wide.xlsx")
    monkeypatch.setattr(limits, "MAX_ROWS", 9)
    read_text("1\n" * 9)
    with pytest.raises(MemoryLimitError, match="rows; up to 9 rows"):
        read_text("1\n" * 11)
    monkeypatch.setattr(limits, "MAX_ROWS", 100)
    monkeypatch.setattr(limits, "MAX_CELLS", 20)
    with pytest.raises(MemoryLimitError, match="cells; up to 20 cells"):
        read_text("1,2\n" * 12)
    monkeypatch.setattr(excel, "MAX_EXCEL_CELLS", 20)
    with pytest.raises(MemoryLimitError, match="more than 20 cells"):
        read_here(workbook([[1, 2]] * 11), "t.xlsx")


def test_arguments_of_the_wrong_type():
    with pytest.raises(InvalidParameterError, match="data"):
        read_table("a,b\n1,2", "t.csv")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="separator"):
        read_text("a,b\n1,2", separator="x")
    with pytest.raises(InvalidParameterError, match="decimal"):
        read_text("a,b\n1,2", decimal="'")
    with pytest.raises(InvalidDataError, match="broken character at position 4"):
        read_text("a,b\n\ud800,2")


# --- names -----------------------------------------------------------------------------------------------------------


def test_names_become_unique_printable_and_short():
    header = ["a", "a", "", "a (2)", "b\x07\u202ec", "n" * 300, "n" * 300]
    stream = io.StringIO()
    csv.writer(stream).writerows([header, range(7), range(7)])
    table = read_text(stream.getvalue())
    names = list(table.frame.columns)
    assert names == ["a", "a (3)", "column 3", "a (2)", "b c", "n" * 99 + "…", "n" * 96 + " (2)"]
    for told in ("repeated name are called “a (3)”", "without a name are called “column 3”", "“b c”"):
        assert told in notes_of(table)


# --- kinds -----------------------------------------------------------------------------------------------------------


def test_kinds_of_typical_columns():
    rng = np.random.default_rng(5)
    n = 60
    frame = pd.DataFrame(
        {
            "row": np.arange(1, n + 1),
            "patient_id": rng.permutation(n) + 100,
            "height": rng.normal(170, 10, n),
            "waiting time": rng.exponential(3, n),
            "deaths": rng.poisson(2, n),
            "visits": rng.poisson(40, n),
            "rating": rng.integers(1, 6, n),
            "pain score": rng.integers(0, 11, n),
            "offset": rng.integers(-5, 6, n),
            "salary": rng.integers(20_000, 90_000, n),
            "smoker": rng.choice(["no", "yes"], n),
            "flag": rng.integers(0, 2, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "comment": [f"text {i}" for i in range(n)],
            "version": np.ones(n),
            "nothing": np.full(n, np.nan),
            "species": rng.choice(["a", "b"], n),
        }
    )
    assert infer_kinds(frame) == {
        "row": "identifier",
        "patient_id": "identifier",
        "height": "continuous",
        "waiting time": "duration",
        "deaths": "count",
        "visits": "count",
        "rating": "ordinal",
        "pain score": "ordinal",
        "offset": "continuous",
        "salary": "continuous",
        "smoker": "binary",
        "flag": "binary",
        "colour": "categorical",
        "comment": "identifier",
        "version": "constant",
        "nothing": "constant",
        "species": "label",
    }
    dataset = to_dataset(Table(frame=frame, name="typical", format="text"))
    assert len(dataset.feature_names) == 11
    notes = notes_of(dataset)
    for told in (
        "they seem to number the rows: “row”, “patient_id”.",
        "text with many different values: “comment”.",
        "all their values are equal: “version”.",
        "they have no values: “nothing”.",
        "“species” is kept as the reference label",
    ):
        assert told in notes


def test_kinds_that_depend_on_position_and_zero():
    frame = pd.DataFrame(
        {"a": [1.5] * 5 + [2.5] * 5, "b": range(10), "days": [0, 3, 5, 2, 7] * 2, "weeks": [1, 3, 5] * 3 + [9]}
    )
    assert list(infer_kinds(frame).values()) == ["continuous", "count", "count", "duration"]
    assert infer_kinds(frame[["b", "a"]])["b"] == "identifier"
    assert infer_kinds(frame[["b"]])["b"] == "count"


def test_a_last_column_of_text_is_the_label():
    assert infer_kinds(read_text("a,b,kind of flower\n" + "1.5,2.5,x\n2.5,1.5,y\n" * 5).frame) == {
        "a": "continuous",
        "b": "continuous",
        "kind of flower": "label",
    }


def test_integers_beyond_exact_arithmetic():
    table = read_text("key,v\n9007199254740993,1.5\n9007199254740995,2.5\n9007199254740992,4.5\n")
    assert table.frame["key"].tolist()[0] == "9007199254740993"
    assert infer_kinds(table.frame)["key"] == "identifier"
    dataset = to_dataset(table, kinds={"key": "continuous"})
    assert "2 whole numbers beyond 2^53 in “key” were rounded" in notes_of(dataset)
    same = Table(frame=pd.DataFrame({"key": [2**53 + 1, 2**53 + 3, 5], "v": [1.5, 2.5, 4.5]}), name="n", format="numpy")
    assert infer_kinds(same.frame)["key"] == "identifier"
    assert "2 whole numbers beyond 2^53" in notes_of(to_dataset(same, features=["key", "v"]))


def test_codes_with_leading_zeros_stay_text():
    table = read_text("code,v\n" + "007,1.5\n010,2.5\n" * 3)
    assert table.frame["code"].tolist()[:2] == ["007", "010"]
    assert to_dataset(table).category_names[0] == ("007", "010")


# --- from table to dataset -------------------------------------------------------------------------------------------


def test_rows_with_missing_cells_are_dropped_and_counted():
    dataset = to_dataset(read_text("a,b,c\n1.5,2.5,x\n,3.5,y\n?,NA,x\n4.5,5.5,y\n6.5,nan,x\n7.5,8.5,y\n"))
    assert_array_equal(dataset.X, [[1.5, 2.5], [4.5, 5.5], [7.5, 8.5]])
    assert dataset.rows is not None
    assert dataset.rows.tolist() == [0, 3, 5]
    assert "3 rows with missing cells dropped of 6 (missing in “a” 2, “b” 2)." in dataset.notes
    assert dataset.frame is not None
    assert len(dataset.frame) == 6


def test_columns_without_values_or_mostly_missing_are_left_out_and_said():
    dataset = to_dataset(read_text("a,b,c\n1.5,,1.5\n2.5,NA,\n3.5,,\n4.5,,2.5\n5.5,,\n"))
    assert dataset.feature_names == ("a",)
    assert "Left out because they have no values: “b”." in dataset.notes
    assert "Left out because a third or more of their cells are missing: “c”." in dataset.notes
    assert to_dataset(read_text("a,c\n1.5,1.5\n2.5,\n3.5,\n4.5,2.5\n5.5,\n"), features=["a", "c"]).n_points == 2


def test_mixed_columns_are_numbers_with_the_rest_missing_and_said():
    rows = [f"{value + 0.5},{value * value / 4}" for value in range(19)]
    table = read_text("\n".join(["a,b", *rows, "n.a. <b>,3.25"]))
    assert "Numbers and other text are mixed in “a”." in table.notes
    assert table.frame["a"].iloc[19] == "n.a. <b>"
    dataset = to_dataset(table)
    assert dataset.X.shape == (19, 2)
    assert "1 cell of “a” that are not numbers count as missing (such as “n.a. <b>”)." in dataset.notes


def test_categories_and_levels_are_coded_with_their_names():
    table = read_text("rating,colour,answer\n" + "1,red,no\n3,blue,yes\n5,red,yes\n2,green,no\n" * 3)
    dataset = to_dataset(table, kinds={"answer": "binary"})
    assert dataset.kinds == ("ordinal", "categorical", "binary")
    assert dataset.category_names == (("1", "2", "3", "4", "5"), ("blue", "green", "red"), ("no", "yes"))
    assert_array_equal(dataset.X[:4], [[0, 2, 0], [2, 0, 1], [4, 2, 1], [1, 1, 0]])
    assert "The levels 1 to 5 of “rating” were shifted to 0 to 4." in dataset.notes
    assert "Coded as 0, 1, … were “blue”, “green”, “red” in “colour”." in dataset.notes


def test_labels_are_coded_and_missing_ones_form_a_group():
    table = read_text("a,class\n" + "1.5,2\n2.5,1\n3.5,\n" * 4)
    dataset = to_dataset(table)
    assert dataset.label_names == ("1", "2", "(missing)")
    assert dataset.labels is not None
    assert dataset.labels.tolist() == [1, 0, 2] * 4
    assert "4 rows without a label form the group “(missing)”." in dataset.notes
    assert to_dataset(table, kinds={"class": "identifier"}).labels is None
    assert to_dataset(table, features=["a", "class"]).feature_names == ("a", "class")


def test_label_with_as_many_values_as_rows_is_refused():
    with pytest.raises(InvalidDataError, match="own value in the label column “who”"):
        to_dataset(read_text("who,v\nann,1.5\nbob,2.5\ncy,3.5\n"), label="who")


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("1.5,2.5", {"header": False, "separator": ","}, "The table has 1 row; clustering needs at least 2"),
        ("a,b\n1.5,\n,2.5\n2.5,\n,3.5\n", {}, "0 complete rows.*4 rows with missing cells dropped of 4"),
        ("a,b\n1e308,1\n2,2\n", {}, r"beyond ±1e\+150.*such as 1e\+308\). Rescale"),
        ("a,b\n1e999,1.5\n2,2\n", {}, "infinite"),
        ("a,b\ninf,1.5\n-Infinity,2\n", {}, "2 in all"),
        ("a,b\nx,y\nz,w\nu,v\n", {}, "No column is left to cluster.*“a”, “b”"),
    ],
)
def test_tables_that_cannot_be_clustered(text, arguments, message):
    with pytest.raises(InvalidDataError, match=message):
        to_dataset(read_text(text, **arguments))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (
            {"v": "duration"},
            "“v” cannot be of the kind duration: its numbers must be positive, but 1 value is not .*-1.5",
        ),
        ({"big": "duration"}, "must be positive, but 1 value is not"),
        ({"v": "count"}, "whole and not negative"),
        ({"v": "ordinal"}, "must be whole"),
        ({"v": "binary"}, "4 distinct values; a binary column has 1 to 2"),
        ({"t": "continuous"}, "“t” holds no numbers"),
        ({"big": "ordinal"}, "at most 1,000 levels"),
    ],
)
def test_kinds_that_do_not_fit_the_values(kinds, message):
    table = read_text("v,t,big\n-1.5,a,0\n2,b,5\n3,a,999999\n4,b,7\n")
    with pytest.raises(InvalidDataError, match=message):
        to_dataset(table, kinds=kinds)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kinds": {"w": "count"}}, "kinds = 'w' must be a column"),
        ({"kinds": {"a": "real"}}, "must be one of continuous"),
        ({"features": ["w"]}, "features = 'w'"),
        ({"features": []}, "at least one column"),
        ({"features": ["a", "a"]}, "different columns"),
        ({"features": ["a"], "label": "a"}, "not clustered too"),
        ({"label": "w"}, "label = 'w'"),
        ({"features": ["a"], "kinds": {"a": "identifier"}}, "to be clustered"),
        ({"kinds": {"a": "label"}, "label": "b"}, "one column at most is the label"),
    ],
)
def test_choices_that_contradict_the_table(arguments, message):
    with pytest.raises(InvalidParameterError, match=message):
        to_dataset(read_text("a,b\n1.5,2\n2.5,3\n"), **arguments)  # type: ignore[arg-type]


def test_roles_can_be_overruled():
    table = read_text("id,v\n" + "".join(f"{i + 1},{i * 1.5}\n" for i in range(12)))
    assert to_dataset(table).feature_names == ("v",)
    assert to_dataset(table, features=["id", "v"]).kinds == ("count", "continuous")
    assert to_dataset(table, kinds={"id": "continuous"}, name="mine").name == "mine"


# --- hostile text ----------------------------------------------------------------------------------------------------


def test_export_keeps_repeated_names_and_the_frame():
    frame = pd.DataFrame([["=1", 2], ["x", 3]], columns=["a", "a"])
    assert export_csv(frame) == b"a,a\r\n'=1,2\r\nx,3\r\n"
    assert frame.iloc[0, 0] == "=1"


def test_markdown_is_escaped():
    for mark in string.punctuation:
        assert escape_markdown(f"a{mark}b").replace("\u2060", "") == f"a\\{mark}b"
    assert escape_markdown("  # a\n\n    b ") == "\\# a b"
    for code in (":smile:", ":material/home:", "www.example.org", "a@example.org", "a -> b", "https://example.org"):
        shown = re.sub(r"\\(.)", r"\1", escape_markdown(code))
        assert shown != code
        assert shown.replace("\u2060", "") == code


def test_hostile_names_stay_inert_text():
    name = '=cmd|"/C calc"!A0 <script>alert(1)</script>'
    stream = io.StringIO()
    csv.writer(stream).writerows([[name, "v"], [1.5, 2.5], [2.5, 3.5]])
    dataset = to_dataset(read_text(stream.getvalue()))
    assert dataset.feature_names == (name, "v")
    assert not re.search(r"(?<!\\)[<>|=]", escape_markdown(name))


@pytest.mark.parametrize(
    ("end", "n_rows", "said"),
    [
        (",,\n", 3, "The last row has no entry in any cell and is left out."),
        (" ,\t,\n" * 4, 3, "The last 4 rows have no entry in any cell and are left out."),
        (",,\n" * 2 + "9,,\n" + ",,\n", 6, "The last row has no entry in any cell and is left out."),
        (",NA,\n", 4, ""),
    ],
)
def test_rows_that_a_spreadsheet_writes_below_the_table_are_none(end, n_rows, said):
    text = "a,b,c\n1.5,2.5,x\n3.5,4.5,y\n5.5,6.5,x\n"
    for separator in ",;\t":
        found = read_text((text + end).replace("\t", " ").replace(",", separator))
        assert len(found.frame) == n_rows and [note for note in found.notes if "no entry" in note] == [said] * bool(
            said
        )
        assert found.frame["a"].tolist()[:3] == [1.5, 3.5, 5.5]
