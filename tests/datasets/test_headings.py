"""Rows around the rows of a table: further headings, a line that names the separator, repeated names, totals."""

from __future__ import annotations

import json
from collections.abc import Sequence

import books
import numpy as np
import pandas as pd
import pytest
from command_line import cli

from dpviz.analysis.stored_reading import stored_reading
from dpviz.datasets.tables import Table, decide, read_table, read_text
from dpviz.datasets.tables.convert import to_dataset
from dpviz.datasets.tables.dialect import is_number
from dpviz.datasets.tables.headings import proposed_headings, read_headings
from dpviz.datasets.tables.points import read_points
from dpviz.datasets.tables.proposals import propose
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError, TraceFormatError

pytestmark = pytest.mark.usefixtures("tables_read_here")

N = 12
Rows = list[list[str]]


def numbers(n_columns: int, named: bool = True, seed: int = 0) -> Rows:
    """Rows of numbers with one decimal, below the names of the rows or without any."""
    values = np.random.default_rng(seed).integers(600, 1400, (N, n_columns)) / 10
    return [[f"p{i}"] * named + [f"{value:.1f}" for value in row] for i, row in enumerate(values)]


def written(rows: Sequence[Sequence[str]], separator: str = ",") -> bytes:
    frame = pd.DataFrame(rows)
    return frame.to_csv(index=False, header=False, sep=separator).encode()


def workbook(rows: Sequence[Sequence[str]]) -> bytes:
    """A sheet with these cells, numbers as numbers."""
    return books.workbook([float(cell) if is_number(cell) else cell or None for cell in row] for row in rows)


def answers() -> Rows:
    days = [f"2023-01-{day:02d} 10:00:00" for day in range(1, N + 1)]
    said = ["", "no", "good, and long", "no", "yes", "no"]
    return [[day, "100", str(20 + 3 * i % 40), said[i % 6]] for i, day in enumerate(days)]


def code(name: str) -> str:
    return json.dumps({"ImportId": name}, separators=(",", ":"))


NAMES = ["StartDate", "Progress", "Q1", "Q2"]
QUESTIONS = ["Start Date", "Progress", "How old are you?", "Anything to add,\nperhaps?"]
CODES = [code("startDate"), code("progress"), code("QID1_TEXT"), code("QID2")]
MERGED = [["id", "Before", "", "After", ""], ["", "sys", "dia", "sys", "dia"]]
JOINED = ["id", "Before sys", "Before dia", "After sys", "After dia"]
# Headings, rows, names, descriptions and units of their columns.
HEADED: dict[str, tuple[Rows, Rows, list[str], dict[str, str], dict[str, str]]] = {
    "export": (
        [NAMES, QUESTIONS, CODES],
        answers(),
        NAMES,
        {"StartDate": "Start Date", "Q1": "How old are you?", "Q2": "Anything to add, perhaps?"},
        {},
    ),
    "older export": (
        [NAMES, QUESTIONS],
        answers(),
        NAMES,
        {"StartDate": "Start Date", "Q1": "How old are you?", "Q2": "Anything to add, perhaps?"},
        {},
    ),
    "units": (
        [["name", "weight", "length"], ["", "g", "mm"]],
        numbers(2),
        ["name", "weight", "length"],
        {},
        {"weight": "g", "length": "mm"},
    ),
    "one unit": (
        [["x", "y", "z"], ["(kg)", "-", "[%]"]],
        numbers(3, named=False),
        ["x", "y", "z"],
        {},
        {"x": "kg", "z": "%"},
    ),
    "merged": (MERGED, numbers(4), JOINED, {}, {}),
    "merged, repeated": (
        [["", "Before", "Before", "After", "After"], MERGED[1]],
        numbers(4),
        ["column 1", *JOINED[1:]],
        {},
        {},
    ),
    "merged, without names of rows": ([row[1:] for row in MERGED], numbers(4, named=False), JOINED[1:], {}, {}),
    "merged, with units": (
        [*MERGED, ["", "mmHg", "mmHg", "kPa", "kPa"]],
        numbers(4),
        JOINED,
        {},
        dict(zip(JOINED[1:], ["mmHg", "mmHg", "kPa", "kPa"], strict=True)),
    ),
    "years above": (
        [["", "2019", "", "2020", ""], ["id", "m", "f", "m", "f"]],
        numbers(4),
        ["id", "2019 m", "2019 f", "2020 m", "2020 f"],
        {},
        {},
    ),
}


@pytest.mark.parametrize("case", HEADED)
@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_further_headings_are_proposed_and_taken_as_such(case, repair, ending):
    heads, rows, names, descriptions, units = HEADED[case]
    content = workbook([*heads, *rows]) if ending == "xlsx" else written([*heads, *rows])
    found = read_table(content, f"t.{ending}", repair=repair)
    (proposal,) = decide(found.frame).proposals[:1]
    assert proposal.header_rows == len(heads) and f"the first {len(heads)} rows look like headings" in proposal.line
    assert len(found.frame) == N + len(heads) - found.header or "as a further line of names" in found.repairs[0]
    taken = read_table(content, f"t.{ending}", repair=repair, header_rows=proposal.header_rows)
    assert taken.frame.columns.tolist() == names and len(taken.frame) == N and not taken.repairs
    assert f"The first {len(heads)} rows were taken as headings" in " ".join(taken.notes)
    assert dict(taken.descriptions) == descriptions
    assert {name: unit for name, unit in taken.units if not unit.startswith("days")} == units
    assert not any(proposal.header_rows for proposal in decide(taken.frame).proposals)
    plain = read_table(written([names, *rows]), "t.csv").frame  # the same columns as without further headings
    assert all(pd.api.types.is_numeric_dtype(taken.frame[name]) for name in plain.select_dtypes("number"))


def test_ordinary_rows_are_no_headings():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n_columns = int(rng.integers(1, 6))
        below = [[f"{value:.2f}" for value in row] for row in rng.normal(size=(int(rng.integers(2, 30)), n_columns))]
        words = [str(rng.choice(["red", "blue", "green", "m", "f"])) for _ in below]
        missing = [[*(["", "NA", "-", "n/a"][int(rng.integers(4))] for _ in range(n_columns))], *below[1:]]
        first = [f"v{d}" for d in range(n_columns)]
        for rows in (below, missing):
            assert proposed_headings([first, *rows], header=True) == (0, "")
            labelled = [[word, *row] for word, row in zip(words, rows, strict=True)]
            assert proposed_headings([["colour", *first], *labelled], header=True) == (0, "")
            assert proposed_headings(
                [["colour", *first], ["red", "below 0", *rows[0][1:]], *labelled], header=True
            ) == (0, "")
    assert proposed_headings([["sex", "group"], ["m", "a"], ["f", "b"], ["m", "c"], ["f", "d"]], True) == (0, "")
    assert proposed_headings([["x", "y"], ["pending", "pending"], ["1", "2"], ["3", "4"]], True) == (0, "")


def test_a_title_above_the_names_is_no_name():
    heads = read_headings([["Table 1", "", ""], ["id", "x", "y"], ["", "kg", ""]], range(3))
    assert heads.names == ["id", "x", "y"] and heads.units == ["", "kg", ""]
    assert heads.contents == "row 1 holds a title, row 2 names the columns, row 3 holds their units"


def test_units_of_headings_are_those_of_the_columns():
    rows = written([["name", "weight", "price"], ["", "g", "€"], *[[name, w, f"{p} €"] for name, w, p in numbers(2)]])
    table = read_table(rows, "t.csv", header_rows=2)
    assert table.units == (("price", "€"), ("weight", "g"))
    data = to_dataset(table, features=["weight"])
    with pytest.raises(InvalidDataError, match="is in kg, and in the data it is in g"):
        read_points(read_text("weight\n5 kg\n6 kg\n"), data)
    assert not read_points(read_text("weight\n65 g\n70 g\n"), data).wrong.any()


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("wrong", [0, -1, 21, 10**9, True, 2.0, "2"])
def test_wrong_numbers_of_headings_are_refused(wrong, repair):
    with pytest.raises(InvalidParameterError, match=r"header_rows = .* must be a whole number from 1 to 20"):
        read_text("a,b\n1,2\n3,4\n", header_rows=wrong, repair=repair)
    for n_rows in (3, 20):
        with pytest.raises(InvalidDataError, match=f"header_rows = {n_rows} no row is left .* has 3 rows in all"):
            read_text("a,b\n1,2\n3,4\n", header_rows=n_rows, repair=repair)
    with pytest.raises(InvalidParameterError, match="header = False must be True"):
        read_text("a,b\n1,2\n3,4\n", header_rows=2, header=False, repair=repair)
    for empty in ("", " \n ", "1 2 3"):
        with pytest.raises(InvalidDataError):
            read_text(empty, header_rows=2, repair=repair)


@pytest.mark.parametrize("line", ["sep=;\n", "SEP=;\r\n", '"sep=;"\n', "\ufeffsep=;\n", "\nsep=;\n\n"])
@pytest.mark.parametrize("repair", [False, True])
def test_a_line_that_names_the_separator_is_understood_and_told(line, repair):
    text = "a;b\n1,5;2\n2,5;3\n3,5;7\n"
    table = read_table((line + text).encode(), "t.csv", repair=repair)
    pd.testing.assert_frame_equal(table.frame, read_text(text).frame)
    assert sum("only names the separator and was left out" in note for note in table.notes) == 1
    assert table.separator == ";" and bool(table.repairs) == repair
    one, other = read_text("sep=,\na,b;c\n1,5;2\n2,5;3\n"), read_text("sep=;\na,b;c\n1,5;2\n2,5;3\n")
    assert one.frame.shape == (2, 2) and one.separator == ","  # which both separators would cut evenly
    assert other.frame.columns.tolist() == ["a,b", "c"]


@pytest.mark.parametrize("repair", [False, True])
def test_a_separator_that_cannot_be_read_is_refused_and_one_that_is_not_there_passed_over(repair):
    with pytest.raises(InvalidDataError, match="names “:” as the separator"):
        read_text("sep=:\na:b\n1:2\n3:4\n", repair=repair)
    assert read_text("sep=,\na;b\n1;2\n3;4\n", repair=repair).frame.columns.tolist() == ["a", "b"]
    for empty in ("sep=;", "sep=;\n\n"):
        with pytest.raises(InvalidDataError, match="nothing but white space"):
            read_text(empty, repair=repair)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_names_that_are_repeated_further_down_stay(ending, repair, named):
    names, rows = ["id", "x", "y"][not named :], numbers(2, named)
    pages = [names, *rows, names, *rows, names]
    table = read_table(workbook(pages) if ending == "xlsx" else written(pages), f"t.{ending}", repair=repair)
    assert table.frame.columns.tolist() == names and table.frame.shape == (2 * N, len(names))
    assert table.frame.select_dtypes("number").shape[1] == 2
    said = " ".join(table.notes)
    assert (f"lines {N + 2}, {2 * N + 3}" if repair else f"Rows {N + 1}, {2 * N + 2} below the names repeat") in said


def test_words_that_recur_are_no_names_and_rows_of_numbers_no_repetition():
    table = read_text("m,a\nf,b\nm,a\nf,a\nm,b\n")
    assert not table.header and len(table.frame) == 5
    table = read_text("0,1\n1,1\n0,1\n1,0\n", header=True)
    assert len(table.frame) == 3 and not any("repeat" in note for note in table.notes)


def proposed(table: Table) -> list[tuple[str, float | None]]:
    return [proposal.change for proposal in decide(table.frame).proposals if proposal.change is not None]


def with_end(*ends: Sequence[str], names: Sequence[str] = ("region", "n", "men"), rows: Rows | None = None) -> bytes:
    return written([names, *(rows or numbers(2)), *ends], ";")


SUMS = [f"{sum(float(row[d]) for row in numbers(2)):.1f}" for d in (1, 2)]
MEANS = [f"{float(total) / N:.3f}" for total in SUMS]


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ([["Gesamt", "4780", "780"]], "the last row is named “Gesamt”"),
        ([["Summe:", *SUMS]], "the last row is named “Summe:”"),
        ([["Grand total (n = 12)", "", SUMS[1]]], "the last row is named “Grand total (n = 12)”"),
        ([["Sum", *SUMS], ["Mean", *MEANS]], "the last 2 rows are named “Sum”, “Mean”"),
        ([["Mean", *MEANS]], "the last row is named “Mean”"),
        ([["", *SUMS]], "the last row is the sum of those above in 2 columns"),
    ],
)
def test_totals_at_the_end_are_proposed_and_left_out_on_acceptance(ends, said, repair):
    found = read_table(with_end(*ends), "t.csv", repair=repair)
    assert len(found.frame) == N + len(ends) and proposed(found) == [("", float(len(ends)))]
    assert f"Proposed: {said}" in " ".join(decide(found.frame).lines())
    table = read_table(with_end(*ends), "t.csv", repair=repair, accepted=proposed(found))
    pd.testing.assert_frame_equal(table.frame, read_table(with_end(), "t.csv").frame, check_dtype=False)
    assert table.notes[-1].startswith("As accepted, the last") and proposed(table) == []


def test_a_column_that_is_numbers_without_its_total_becomes_such():
    rows = [[str(i + 1), *row[1:]] for i, row in enumerate(numbers(2))]
    table = read_table(with_end(["Total", *SUMS], rows=rows), "t.csv", accepted=[("", 1.0)])
    assert table.frame["region"].tolist() == list(range(1, N + 1))


def test_ordinary_last_rows_are_no_totals():
    assert not proposed(read_table(with_end(["Mean", "3", "4"]), "t.csv"))  # it is none
    assert not proposed(read_table(with_end(["Totally", "3", "4"]), "t.csv"))
    assert not proposed(read_table(with_end(["Total", "", ""]), "t.csv"))
    again = [["Total", "3.5", "4.5"], *numbers(2)]
    assert not proposed(read_table(with_end(["Total", *SUMS], rows=again), "t.csv"))  # a category
    rng, fired = np.random.default_rng(2), 0
    for _ in range(2000):
        counts = rng.poisson(rng.choice([0.3, 1, 4]), (int(rng.integers(2, 9)), int(rng.integers(1, 4))))
        frame = pd.DataFrame(counts, columns=[f"v{d}" for d in range(counts.shape[1])])
        fired += any(proposal.change and proposal.change[1] for proposal in propose(frame, [], measured=False))
    assert fired <= 2


@pytest.mark.parametrize("wrong", [0.0, -1.0, 2.5, float("nan"), float("inf"), float(N)])
def test_a_wrong_number_of_last_rows_is_refused(wrong):
    with pytest.raises(InvalidParameterError, match="accepted"):
        read_table(with_end(), "t.csv", accepted=[("", wrong)])


BRIEF = "--n-init 2 --effort 0.02 --scaling none --transform none --directions none"


def test_headings_are_proposed_and_asked_for_on_the_command_line(tmp_path, capsys):
    path, run = tmp_path / "t.csv", tmp_path / "run.json"
    path.write_bytes(written([*MERGED, *numbers(4)]))
    assert cli("run", path, BRIEF, "--family mixed --out", run) == 0
    said = capsys.readouterr().err
    assert "the first 2 rows look like headings" in said and "dpviz: --header-rows 2 takes them as headings." in said
    assert cli("run", path, BRIEF, "--header-rows 2 --out", run) == 0
    assert "rows 1 and 2 name the columns together" in capsys.readouterr().err
    reading = stored_reading(run.read_text())
    assert reading is not None and reading.names == tuple(JOINED[1:]) and dict(reading.choices) == {"header_rows": 2}
    assert cli("report", run, "--data", path, "--quick --out", tmp_path / "page.html") == 0
    assert "--header-rows=2" in (tmp_path / "page.html").read_text()
    for damaged in ("0", "true", '"2"', "1e9", "21"):
        with pytest.raises(TraceFormatError):
            stored_reading(run.read_text().replace('"header_rows": 2', f'"header_rows": {damaged}'))


@pytest.mark.parametrize("wrong", ["0", "-1", "1e9", "1000000000", "²", "two", ""])
def test_wrong_options_for_headings_get_one_sentence(wrong, tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes(written([*MERGED, *numbers(4)]))
    with pytest.raises(SystemExit):
        cli("run", path, [f"--header-rows={wrong}"])
    assert "must be a whole number from 1 to 20" in capsys.readouterr().err.splitlines()[-1]


def test_headings_that_leave_no_row_or_are_about_no_text_get_one_sentence(tmp_path, capsys):
    path, array = tmp_path / "t.csv", tmp_path / "t.npy"
    path.write_bytes(written([*MERGED, *numbers(4)]))
    np.save(array, np.eye(5))
    for source, said in (
        (path, "With --header-rows 20 no row is left below the headings"),
        (array, "--header-rows is about a text or a workbook, and t.npy is none."),
        ("iris", "is none."),
    ):
        assert cli("run", source, "--header-rows=20") != 0
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1 and said in lines[0]


def test_all_is_read_or_refused_whatever_the_number_of_headings():
    rng = np.random.default_rng(3)
    cells = ["", "a", "b,c", "1", "2.5", "kg", "-", code("x"), "Total", " ", "2019", '"', "é"]
    for header_rows, repair in [(1, False), (1, True), (2, False), (2, True), (5, False), (5, True)] * 60:
        rows = rng.choice(cells, (int(rng.integers(1, 8)), int(rng.integers(2, 5)))).tolist()
        try:
            table = read_table(written(rows), "t.csv", header_rows=header_rows, repair=repair)
        except DpvizError:
            continue
        told = " ".join(table.notes)
        assert len(table.frame) == len(rows) - header_rows or "left out" in told or "Left out" in told


@pytest.mark.parametrize(
    "text",
    [
        ",Blood,,\nid,sys,dia,age\n1,120,80,30\n2,130,85,40\n3,125,70,50\n4,110,60,44\n",
        "Study 2024,,,\nid,sys,dia,age\n1,120,80,30\n2,130,85,40\n3,125,70,50\n4,110,60,44\n",
    ],
)
@pytest.mark.parametrize("repair", [False, True])
def test_headings_asked_for_are_counted_from_the_first_row_and_take_no_row_of_numbers(text, repair):
    table = read_text(text, repair=repair, header_rows=2)
    assert len(table.frame) == 4 and table.frame.iloc[0].tolist() == [1, 120, 80, 30]


BLANK, TITLE, REMARK = ["", "", ""], ["Study 2024", "", ""], ["# made by hand", "", ""]
ABOVE: list[Rows] = [
    [],
    [BLANK],
    [BLANK, BLANK],
    [TITLE],
    [REMARK],
    [TITLE, BLANK],
    [BLANK, TITLE],
    [TITLE, BLANK, TITLE],
    [TITLE, REMARK],
    [TITLE, TITLE, BLANK, BLANK],
]
UNDER: list[Rows] = [[], [["cm", "kg", "s"]], [BLANK], [["cm", "kg", "s"], BLANK]]


def short(rows: Rows) -> bytes:
    """Write rows as text, of blank ones and titles no more than they hold."""
    return "\n".join(",".join(row) if len(list(filter(None, row))) > 1 else row[0] for row in rows).encode()


@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("write", [written, workbook, short])
def test_headings_asked_for_are_the_first_lines_with_all_among_them(write, repair, width):
    ending = "xlsx" if write is workbook else "csv"
    rows = numbers(3, named=False)
    for above in ABOVE:
        for under in UNDER:
            heads = [row[:width] for row in [*above, ["a", "b", "c"], *under]]
            content = write([*heads, *(row[:width] for row in rows)])
            try:
                table = read_table(content, f"t.{ending}", header_rows=len(heads), repair=repair)
            except InvalidDataError as error:
                assert write is short and not repair and "differ in length" in str(error), heads
                continue
            assert table.frame.columns.tolist() == ["a", "b", "c"][:width], heads
            assert table.frame.to_numpy().tolist() == [[float(cell) for cell in row[:width]] for row in rows], heads
            assert [unit for _, unit in table.units] == ["cm", "kg", "s"][: width * (["cm", "kg", "s"] in under)], heads
            assert len(heads) == 1 or f"row {len(above) + 1} names the columns" in " ".join(table.notes), heads


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("write", [written, workbook, short])
def test_proposed_headings_are_counted_from_the_first_line(write, repair):
    ending = "xlsx" if write is workbook else "csv"
    heads, rows = [["a", "b", "c"], ["cm", "kg", "s"]], numbers(3, named=False)
    for above in [[], [BLANK], [BLANK, BLANK], *([[TITLE], [TITLE, BLANK]] if repair else [])]:
        if above and write is written:
            continue  # rows of empty cells are no blank lines
        content = write([*above, *heads, *rows])
        (proposal,) = decide(read_table(content, f"t.{ending}", repair=repair).frame).proposals[:1]
        assert proposal.header_rows == len(above) + 2, above
        assert f"row {len(above) + 1} names the columns, row {len(above) + 2} holds their units" in proposal.line
        table = read_table(content, f"t.{ending}", repair=repair, header_rows=proposal.header_rows)
        assert table.frame.columns.tolist() == ["a", "b", "c"] and len(table.frame) == N


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("write", [written, workbook, short])
def test_headings_without_names_are_refused_and_numbers_among_them_said(write, repair):
    name = "t.xlsx" if write is workbook else "t.csv"
    rows = [["a", "b", "c"], *numbers(3, named=False)]
    for above in ([BLANK], [BLANK, BLANK], [TITLE], [TITLE, BLANK]):
        if write is short and not repair and TITLE in above:
            continue  # rows of different lengths
        with pytest.raises(InvalidDataError, match=f"header_rows = {len(above)} there are no names of columns"):
            read_table(write([*above, *rows]), name, header_rows=len(above), repair=repair)
    table = read_table(write([BLANK, *rows]), name, header_rows=4, repair=repair)
    assert len(table.frame) == N - 2 and "rows 3 and 4 hold numbers as the table does" in " ".join(table.notes)


@pytest.mark.parametrize("line", ["Table 1, weights, in kg, of all", "Table 1, weights", "Table 1"])
def test_a_title_of_any_length_above_names_moves_none(line):
    table = read_text(f"{line}\na,b,c\n1,2,3\n4,5,6\n7,8,9\n", header_rows=2, repair=True)
    assert table.frame.columns.tolist() == ["a", "b", "c"] and len(table.frame) == 3
    table = read_text("a,b\ncm,kg\nx,1,2\ny,3,4\nz,5,6\n", header_rows=2, repair=True)  # as R writes names of rows
    assert table.frame.columns.tolist() == ["column 1", "a", "b"] and table.units == (("a", "cm"), ("b", "kg"))
