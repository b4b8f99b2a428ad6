"""Files that are not clean tables: refused by default, or read with every repair listed by line."""

from __future__ import annotations

import csv
import io
import random
import re

import clevercsv
import pandas as pd
import pytest

from dpviz.datasets.tables import read_table, read_text
from dpviz.datasets.tables.detection import find_dialect
from dpviz.errors import InvalidDataError, InvalidParameterError

CLEAN = pd.DataFrame({"site": ["Kew", "Paris", "Kew"], "height": [1.5, 2.25, 3.5], "n": [10, 20, 35]})
LINES = ["site,height,n", "Kew,1.5,10", "Paris,2.25,20", "Kew,3.5,35"]


def lines_with(position: int, line: str, *, instead: bool = False) -> str:
    return "\n".join([*LINES[:position], line, *LINES[position + instead :]]) + "\n"


def missing(row: int, *columns: str) -> pd.DataFrame:
    frame = CLEAN.copy()
    for column in columns:
        frame[column] = frame[column].astype(frame[column].dtype if column == "site" else float)
        frame.loc[row, column] = float("nan")
    return frame


@pytest.mark.parametrize(
    ("text", "frame", "told"),
    [
        (
            lines_with(2, "Paris,2.25", instead=True),
            missing(1, "n"),
            "Filled up with missing cells at the end: line 3.",
        ),
        (lines_with(2, "Paris", instead=True), missing(1, "height", "n"), "at the end: line 3."),
        (lines_with(3, "Kew,3.5,35,extra,9", instead=True), CLEAN, "beyond the last column were dropped: line 4."),
        (lines_with(1, 'Kew,1.5",10', instead=True), CLEAN, "Stray quotation marks were removed: line 2."),
        (lines_with(1, '"Kew,1.5,10', instead=True), CLEAN, "Stray quotation marks were removed: line 2."),
        (lines_with(1, 'Kew,1.5,10"', instead=True), CLEAN, "Stray quotation marks were removed: line 2."),
        (lines_with(1, 'Kew,"1.5,10', instead=True), CLEAN, "Stray quotation marks were removed: line 2."),
        (lines_with(0, "Heights, 2019\n"), CLEAN, "Left out above the table: line 1."),
        (lines_with(0, "# one\n# two, three"), CLEAN, "Left out above the table: lines 1–2."),
        (lines_with(0, "Heights,,\n,,"), CLEAN, "Left out above the table: lines 1–2."),
        (lines_with(4, "\nSource: own survey, 2019"), CLEAN, "Left out as no row of the table: line 6."),
        (lines_with(3, ""), CLEAN, "Left out as blank, not as a row of missing cells: line 4."),
        ("\n\n".join(LINES), CLEAN, ""),
        (lines_with(1, "name,cm,items"), CLEAN, "Left out as a further line of names: line 2."),
        (lines_with(1, "name,cm,items\n,mean,sum"), CLEAN, "Left out as a further line of names: lines 2–3."),
        (lines_with(3, "site,height,n"), CLEAN, "Left out as a repetition of the names of the columns: line 4."),
        (lines_with(4, "\ncity,width,m\nRome,7.5,2\nOslo,8.5,3"), CLEAN, "Left out as another table: lines 6–8."),
        (lines_with(4, "\ncity,width\nRome,7.5\nOslo,8.5"), CLEAN, "Left out as another table: lines 6–8."),
        (lines_with(2, "Paris;2.25;20", instead=True), CLEAN, "Split at another separator than the rest: line 3."),
        ("sep=;\n" + "\n".join(LINES).replace(",", ";"), CLEAN, "Line 1 only names the separator and was left out."),
        ("\n".join(LINES).replace(",", ", "), CLEAN, ""),
        (
            "site,height,n\n'Kew, London',1.5,10\n'Paris',2.25,20\n'Kew',3.5,35\n",
            CLEAN.assign(site=["Kew, London", "Paris", "Kew"]),
            "The quotation mark is ' and was not kept as part of the cells.",
        ),
        (
            'site,height,n\n"Kew \\"K\\", x",1.5,10\n"Paris, \\"P\\"",2.25,20\n"Kew, \\"L\\"",3.5,35\n',
            CLEAN.assign(site=['Kew "K", x', 'Paris, "P"', 'Kew, "L"']),
            "A backslash was read as saying that the mark behind it belongs to the cell.",
        ),
        (
            '"height" "n"\n"1" 1.5 10\n"2" 2.25 20\n"3" 3.5 35\n',
            CLEAN.assign(site=[1, 2, 3]).rename(columns={"site": "column 1"}),
            "Line 1 has no name for the first column.",
        ),
        ("site,height,n,\n" + "\n".join(LINES[1:]), CLEAN, "beyond the last column were dropped: line 1."),
        (
            "Kew,1.5\nParis,2.25,20\nKew,3.5,35\n",
            missing(0, "n").set_axis(["x1", "x2", "x3"], axis=1),
            "Filled up with missing cells at the end: line 1.",
        ),
        (
            "a,b,c\n1.5,,3\n4.5,x,6\n".replace(",,", ',",') + '7.5,",9\n8.5,y,12\n',
            pd.DataFrame({"a": [1.5, 4.5, 7.5, 8.5], "b": [None, "x", None, "y"], "c": [3, 6, 9, 12]}).astype(
                {"b": "str"}
            ),
            "would have kept several rows together were removed: lines 2–4.",
        ),
    ],
)
def test_repairs_give_the_table_and_are_listed_by_line(text, frame, told):
    table = read_table(text.encode(), "file.csv", repair=True)
    pd.testing.assert_frame_equal(table.frame, frame)
    assert table.notes[: len(table.repairs)] == table.repairs
    assert told in " ".join(table.repairs)
    assert bool(table.repairs) == bool(told)


@pytest.mark.parametrize("text", ["\n".join(LINES), "v\n1.5\n2.5\n", 'a,b\n"x, ""y""\nz",1\nq,2\n', "a b\n1 2\n3 4\n"])
def test_clean_files_are_read_the_same_with_and_without_repairs(text):
    strict, repaired = read_text(text), read_text(text, repair=True)
    pd.testing.assert_frame_equal(strict.frame, repaired.frame)
    assert strict.notes == repaired.notes
    assert repaired.repairs == ()


def test_without_repairs_a_row_of_another_length_is_refused_and_the_way_out_is_named():
    with pytest.raises(InvalidDataError, match=r"line 3 has 2 values.*repair=True"):
        read_text(lines_with(2, "Paris,2.25", instead=True))


def test_quotation_marks_never_swallow_rows_unseen():
    text = 'a,b,c\n1.5,",3\n4.5,",6\n7.5,x,9\n'  # well-formed: the second cell runs from line 2 to line 3
    table = read_text(text, repair=True)
    assert table.frame["a"].tolist() == [1.5, 4.5, 7.5]
    assert "would have kept several rows together were removed: lines 2–3." in " ".join(table.repairs)


def dirty(rows: list[list[str]], rng: random.Random) -> tuple[str, list[list[str]], set[int]]:
    """Damage some rows of a table; return the text, what is to be read, and the damaged lines."""
    expected, lines, touched = [rows[0]], [",".join(rows[0])], set()
    for row in rows[1:]:
        written = ",".join(f'"{cell}"' if "," in cell else cell for cell in row)
        damage = rng.choice(["", "", "", "short", "long", "stray"])
        if damage == "short":
            cut = rng.randrange(1, len(row))
            row = row[:cut] + [""] * (len(row) - cut)
            written = ",".join(f'"{cell}"' if "," in cell else cell for cell in row[:cut])
        elif damage == "long":
            written += ",extra" * rng.randint(1, 3)
        elif damage == "stray":
            written += '"'
        lines.append(written)
        expected.append(row)
        if damage:
            touched.add(len(lines))
    return "\n".join(lines) + "\n", expected, touched


@pytest.mark.parametrize("seed", range(40))
def test_no_cell_is_wrong_and_every_damaged_line_is_listed(seed):
    rng = random.Random(seed)
    rows = [["name", "place", "length", "width"]] + [
        [f"n{i}", rng.choice(["Rome", "Bath, UK", "Oslo"]), f"{rng.gauss(5, 2):.3f}", str(rng.randint(10, 99))]
        for i in range(rng.choice([12, 60, 300]))
    ]
    text, expected, touched = dirty(rows, rng)
    table = read_table(text.encode(), "t.csv", repair=True)
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(expected)
    pd.testing.assert_frame_equal(table.frame, read_text(stream.getvalue(), separator=",", header=True).frame)
    spans = re.findall(r"(\d+)(?:–(\d+))?", " ".join(table.repairs).replace(",", ""))
    listed = {line for first, last in spans for line in range(int(first), int(last or first) + 1)}
    assert listed == touched


def test_header_is_found_by_vote():
    text = "bruises,odor,habitat\n" + "bruises,foul,woods\nno,almond,paths\nbruises,none,woods\n" * 3
    assert list(read_text(text).frame.columns) == ["bruises", "odor", "habitat"]
    for first in ("n.a.", "<5", "≥10"):
        assert not read_text(f"{first},2.5\n1.5,3.5\n2.5,4.5\n").header
    assert read_text("n.a.,size\n1.5,3.5\n2.5,4.5\n").header
    assert not read_text("plant 1,red\nplant 2,red\nplant 3,blue\n").header
    assert read_text("day,sky\n2019-01-02,grey\n2019-01-03,blue\n2019-01-04,grey\n").header


def test_blanks_before_quotation_marks_are_no_part_of_the_cells():
    for repair in (False, True):
        table = read_text('name, place, n\n"a ""b""", "Bath, UK", 1\nc, Kew, 2\n', repair=repair)
        assert table.frame.to_numpy().tolist() == [['a "b"', "Bath, UK", 1], ["c", "Kew", 2]]
        assert table.repairs == ()


@pytest.mark.parametrize("cell", ['1.5"', '"1.5', '"Bath" x', '"Bath, UK" x'])
def test_quotation_marks_that_quote_nothing_are_refused_with_their_line(cell):
    with pytest.raises(InvalidDataError, match=r"quotation mark in line 3 .*repair=True"):
        read_text(f"place,n\nKew,1\n{cell},2\nRome,3\n")


def test_quotation_marks_within_cells_are_part_of_them():
    for repair in (False, True):
        table = read_text('name,n\n6\'2" tall,1\n"the ""best""",2\nsay "a" now,3\n', repair=repair)
        assert table.frame["name"].tolist() == ["6'2\" tall", 'the "best"', 'say "a" now']


def test_equal_rows_are_rows():
    for repair in (False, True):
        assert read_text("a,b\n" * 9, repair=repair).frame.shape == (9, 2)


def test_encoding_can_be_chosen():
    text = "stadt,wert\nГород,1.5\nМосква,2.5\nГород,3.5\n"
    assert read_table(text.encode("cp1251"), "t.csv", encoding="cp1251").frame["stadt"].iloc[0] == "Город"
    assert read_table(text.encode("cp1251"), "t.csv").frame["stadt"].iloc[0] != "Город"
    with pytest.raises(InvalidDataError, match="not utf-8 text"):
        read_table(text.encode("cp1251"), "t.csv", encoding="utf-8")
    with pytest.raises(InvalidParameterError, match="encoding"):
        read_table(text.encode(), "t.csv", encoding="rot13")


def test_the_detector_sees_a_bounded_sample_without_long_runs(monkeypatch):
    seen: list[str] = []

    def detect(self, sample, **options):
        seen.append(sample)

    monkeypatch.setattr(clevercsv.Detector, "detect", detect)
    for text in ("1" * 900_000, "a,b\n" * 200_000, "x.y-" * 90_000 + ",\n", "words " * 100_000):
        find_dialect(text)
    assert max(map(len, seen)) <= 20_000
    assert max(len(run) for sample in seen for run in re.findall(r"[^\s,;|]+", sample)) <= 40
