"""Files made to stop a server: the work they cause grows with their length, and none is unpacked beyond the limits."""

from __future__ import annotations

import importlib
import io
import json
import pkgutil
import re
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable

import clevercsv  # noqa: F401  (lines of its import are not those of reading)
import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import steps
from books import saved, workbook

from dpviz.datasets import tables
from dpviz.datasets.tables import (
    cell_values,
    infer_kinds,
    isolated,
    limits,
    read_isolated,
    read_table,
    read_text,
    reading_process,
    to_dataset,
)
from dpviz.datasets.tables.cell_values import parse_numbers
from dpviz.datasets.tables.dialect import Dialect
from dpviz.datasets.tables.read import read_here
from dpviz.datasets.tables.table import clean_name
from dpviz.datasets.tables.text import some_well_formed
from dpviz.datasets.tables.tokens import Tokens
from dpviz.errors import DpvizError, InvalidDataError, InvalidParameterError, MemoryLimitError
from dpviz.ui.data.look import first_rows

HOSTILE: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "1" * n + "x",
    "dots": lambda n: "1." * (n // 2) + "x",
    "groups": lambda n: "1" + ",111" * (n // 4) + "x",
    "exponents": lambda n: "1e" * (n // 2),
    "signs": lambda n: "+-" * (n // 2),
    "spaces": lambda n: "a" + " " * n + "b",
    "blanks": lambda n: "a,b\n" + " \t" * (n // 2) + "x",
    "commas": lambda n: "," * n,
    "lines": lambda n: "a,b\n" * (n // 4),
    "returns": lambda n: "a,b\r" * (n // 4),
    "quotes": lambda n: '"' * n,
    "open quotes": lambda n: 'a,"\n' * (n // 4),
    "open at the start": lambda n: 'a,"b\n' + "c,d\n" * (n // 4),
    "quoted separators": lambda n: '","' * (n // 3),
    "backslashes": lambda n: '"' + "\\" * n + '"\n' + '"a\\"b",c\n' * 9,
    "apostrophes": lambda n: "it's, 'x'\n" * (n // 10),
    "ragged": lambda n: "".join("1," * (i % 7) + "1\n" for i in range(n // 8)),
    "addresses": lambda n: "http://" + "a." * (n // 2),
    "dates": lambda n: "1-" * (n // 2),
    "censored": lambda n: "<" + "1." * (n // 2) + "x",
    "blocks": lambda n: "a,b\n1,2\n\n" * (n // 9),
    "names": lambda n: "a,b\nc,d\n" * (n // 8) + "1,2\n",
    "declared": lambda n: "sep=" * (n // 4),
    "brackets": lambda n: "{[(" * (n // 3),
}


def patterns() -> dict[str, re.Pattern[str]]:
    """Find every compiled pattern in the modules that read tables, and those that are built for a dialect."""
    found = {}
    for module in pkgutil.iter_modules(tables.__path__):
        for name, value in vars(importlib.import_module(f"dpviz.datasets.tables.{module.name}")).items():
            for key, entry in value.items() if isinstance(value, dict) else [("", value)]:
                if isinstance(entry, re.Pattern):
                    found[f"{module.name}.{name}{key}"] = entry
    return found


@pytest.mark.parametrize("kind", HOSTILE)
def test_twice_the_length_is_twice_the_steps_for_every_pattern(kind):
    found = patterns()
    assert len(found) >= 10
    for name, pattern in found.items():
        if isinstance(pattern.pattern, bytes):
            pattern = re.compile(pattern.pattern.decode(), pattern.flags | re.UNICODE)
        matcher = steps.Matcher(pattern)
        assert matcher.scan(HOSTILE[kind](1_200)) <= 2.3 * matcher.scan(HOSTILE[kind](600)) + 500, name


@pytest.mark.parametrize("kind", HOSTILE)
def test_checking_quotation_marks_takes_steps_in_proportion_to_the_length(kind):
    counted = []
    pattern = some_well_formed(",")
    for n in (600, 1_200):
        matcher, text, position = steps.Matcher(pattern), HOSTILE[kind](n), 0
        while match := pattern.match(text, position):
            assert matcher.end(text, position) == match.end()
            position = match.end()
        counted.append(matcher.steps)
    assert counted[1] <= 2.3 * counted[0] + 500


def test_the_second_matcher_agrees_with_python_and_finds_a_quadratic_pattern():
    for name, pattern in patterns().items():
        if isinstance(pattern.pattern, str):
            for cell in (
                "1.5",
                "-1,234.5e3",
                "1 234",
                "<5",
                "inf",
                "abc",
                '"a"',
                "",
                "2019",
                "sep=;\n",
                "unnamed: 0",
                "_",
            ):
                match = pattern.match(cell)
                assert steps.Matcher(pattern).end(cell, 0) == (match.end() if match else None), (name, cell)
    slow = steps.Matcher(re.compile(r"^\d+\.?\d*$"))
    assert slow.scan("1" * 400 + "x") > 3.5 * slow.scan("1" * 200 + "x")


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("escape", ["", "\\"])
def test_splitting_into_rows_takes_steps_in_proportion_to_the_length(kind, escape):
    def count(n):
        tokens, total = Tokens(Dialect(",", '"', escape)), 0
        for name in ("_quoted", "_plain"):
            pattern = getattr(tokens, name)
            matcher = steps.Matcher(pattern)

            class Counted:
                def match(self, text, at, p=pattern, m=matcher):
                    nonlocal total
                    m.steps = 0
                    end = m.end(text, at)
                    total += m.steps
                    found = p.match(text, at)
                    assert end == (found.end() if found else None)
                    return found

            setattr(tokens, name, Counted())
        rows = list(tokens.rows(HOSTILE[kind](n)))
        assert rows
        return total

    assert count(1_200) <= 2.3 * count(600) + 500


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("repair", [False, True])
def test_reading_twice_the_length_runs_at_most_twice_the_lines(kind, repair):
    def read(text):
        try:
            read_text(text, repair=repair)
        except DpvizError as error:
            assert len(str(error)) < 3_000

    short, long = (
        steps.lines_run(lambda n=n: read(HOSTILE[kind](n)), "datasets/tables", "clevercsv", "/csv.py")
        for n in (15_000, 30_000)
    )
    assert long <= 2.3 * short + 2_000


# --- archives that unpack to much --------------------------------------------------------------------------------


SMALL_WORKBOOK = workbook([["a", "b"], [1.5, "x"], [2.5, "y"]])


def workbook_with(part: str, before: bytes, repeated: bytes, times: int, after: bytes) -> bytes:
    """Return a workbook in which one part is replaced by something long that packs well."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(SMALL_WORKBOOK)) as old:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
            for member in old.infolist():
                if member.filename != part:
                    new.writestr(member, old.read(member))
            with new.open(part, "w", force_zip64=True) as target:
                target.write(before)
                block = repeated * 100_000
                for _ in range(times // 100_000):
                    target.write(block)
                target.write(after)
    return stream.getvalue()


STRINGS = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
BOMBS: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "workbook.xml": (
        lambda: workbook_with("xl/workbook.xml", b"<workbook>", b"<x/>", 20_000_000, b"</workbook>"),
        "t.xlsx",
        "“xl/workbook.xml” in the workbook holds more",
    ),
    "core.xml": (
        lambda: workbook_with("docProps/core.xml", b"<cp>", b"<x/>", 20_000_000, b"</cp>"),
        "t.xlsx",
        "“docProps/core.xml” in the workbook holds more",
    ),
    "one long text": (
        lambda: workbook_with("xl/theme/theme1.xml", b"<t>", b"xxxx", 20_000_000, b"</t>"),
        "t.xlsx",
        "“xl/theme/theme1.xml” in the workbook holds more",
    ),
    "nested": (
        lambda: workbook_with("xl/worksheets/sheet1.xml", b"<worksheet>", b"<a>", 20_000_000, b""),
        "t.xlsx",
        "nested too deeply",
    ),
    "shared texts": (
        lambda: workbook_with("xl/sharedStrings.xml", STRINGS, b"<si/>", 12_000_000, b"</sst>"),
        "t.xlsx",
        "“xl/sharedStrings.xml” in the workbook holds more",
    ),
    "entities": (
        lambda: workbook_with("xl/workbook.xml", b'<!DOCTYPE x [<!ENTITY a "b">]><workbook>', b" ", 0, b"</workbook>"),
        "t.xlsx",
        "declares entities",
    ),
    "another encoding": (
        lambda: workbook_with("xl/workbook.xml", "<workbook>".encode("utf-16"), b" ", 0, b""),
        "t.xlsx",
        "not UTF-8",
    ),
    "members": (lambda: many_members(20_000), "t.xlsx", "20,000 members"),
    "no width": (lambda: npy_claiming("'|S0'", (10**9,)), "t.npy", "no content"),
    "no width, text": (lambda: npy_claiming("'<U0'", (10**5, 10**4)), "t.npy", "no content"),
    "no width, void": (lambda: npy_claiming("'|V0'", (10**12,)), "t.npy", "no content"),
    "lists": (lambda: parquet_of(nested_column()), "t.parquet", "no column of numbers or text"),
    "long texts": (lambda: parquet_of(repeated_texts(1, 100_000)), "t.parquet", "unpacks to"),
    "texts together": (lambda: parquet_of(repeated_texts(10, 700)), "t.parquet", "unpacks to"),
}


def many_members(number: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for position in range(number):
            archive.writestr(f"xl/{position}.xml", b"")
    return stream.getvalue()


def npy_claiming(dtype: str, shape: tuple[int, ...]) -> bytes:
    header = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def parquet_of(table: object) -> bytes:
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream, compression="zstd")
    return stream.getvalue()


def nested_column() -> object:
    offsets = pa.array(np.linspace(0, 2_000_000, 1_001).astype(np.int32))
    lists = pa.ListArray.from_arrays(offsets, pa.array(np.zeros(2_000_000)))
    structs = pa.StructArray.from_arrays([pa.array(np.zeros(1_000))], ["x"])
    return pa.table({"lists": lists, "structs": structs})


def repeated_texts(n_columns: int, length: int) -> object:
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), pa.array(["x" * length]))
    return pa.table({f"c{position}": texts for position in range(n_columns)})


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs_are_refused_before_they_are_unpacked(bomb):
    make, filename, message = BOMBS[bomb]
    content = make()
    assert len(content) < 3_000_000
    before = pa.total_allocated_bytes()
    with pytest.raises(DpvizError, match=message):
        read_here(content, filename)
    assert pa.total_allocated_bytes() <= before + 1_000_000


@pytest.mark.parametrize(
    ("place", "where"), [("XFD1048576", "row 1,048,576 and column 16,384"), ("CV300000", "column 100")]
)
def test_a_sheet_with_its_last_cell_far_away_is_refused_before_it_is_laid_out(place, where):
    book = openpyxl.Workbook()
    book.active["A1"], book.active[place] = "a", 1.5
    with pytest.raises(MemoryLimitError, match=where):
        read_table(saved(book), "t.xlsx")


def test_text_before_a_part_hides_nothing_of_it():
    content = workbook_with(
        "xl/worksheets/sheet1.xml", b'x<!DOCTYPE a [<!ENTITY b "c">]><worksheet>', b"", 0, b"</worksheet>"
    )
    with pytest.raises(InvalidDataError, match="declares entities"):
        read_table(content, "t.xlsx")


def test_a_binary_workbook_is_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("xl/workbook.bin", b"\x83\x01\x00")
    with pytest.raises(InvalidDataError, match="binary one"):
        read_table(stream.getvalue(), "t.xlsx")


def test_nested_columns_are_never_read(monkeypatch):
    content = parquet_of(nested_column().append_column("flat", pa.array(np.arange(1_000.0))))  # type: ignore[attr-defined]
    read = pyarrow.parquet.ParquetFile.read
    asked: list[list[str]] = []

    def recorded(self, columns, **options):
        asked.append(columns)
        return read(self, columns=columns, **options)

    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "read", recorded)
    table = read_here(content, "t.parquet")
    assert asked == [["flat"]]
    assert list(table.frame) == ["flat"]
    assert "left out: “lists”, “structs”" in " ".join(table.notes)


def test_a_flat_name_does_not_let_a_nested_column_in():
    nested = pa.StructArray.from_arrays([pa.array([1.0, 2.0])], ["x"])
    table = pa.table([nested, pa.array([3.0, 4.0])], names=["a", "a"])
    with pytest.raises(InvalidDataError, match="Several columns are called “a”"):
        read_table(parquet_of(table), "t.parquet")


# --- the reading process -----------------------------------------------------------------------------------------


def private_megabytes() -> float:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(float(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1e3


def test_isolated_reading_returns_the_same_table():
    frame = pd.DataFrame({"a": [1.5, np.nan], "n": [1, 2], "t": ["x", None], "u": ["ä", "b"]})
    files = [(b"a;b\n1,5;x\n;y\n2,5;z\n", "t.csv"), (frame.to_parquet(), "t.parquet"), (SMALL_WORKBOOK, "t.xlsx")]
    for content, filename in files:
        here, there = read_here(content, filename), read_isolated(content, filename)
        pd.testing.assert_frame_equal(here.frame, there.frame)
        assert [getattr(here, name) for name in vars(here) if name != "frame"] == [
            getattr(there, name) for name in vars(there) if name != "frame"
        ]
    pasted = read_isolated("a\tb\n1\t2\n3\n", repair=True)
    assert pasted.repairs == ("Filled up with missing cells at the end: line 3.",)


def test_isolated_reading_raises_the_same_errors():
    with pytest.raises(InvalidDataError, match="line 3 has 1 value"):
        read_isolated(b"a,b\n1,2\n3\n", "t.csv")
    with pytest.raises(InvalidParameterError, match="separator"):
        read_isolated(b"a,b\n1,2\n", "t.csv", separator="x")
    with pytest.raises(InvalidDataError, match="broken character"):
        read_isolated("a,b\n\ud800,2")
    with pytest.raises(InvalidDataError, match="empty"):
        read_isolated(b"", "t.csv")


def test_a_large_table_is_not_copied_into_this_process():
    rng = np.random.default_rng(0)
    block = "\n".join(",".join(f"{value:.2f}" for value in row) for row in rng.normal(size=(5_000, 10))) + "\n"
    content = ("a,b,c,d,e,f,g,h,i,j\n" + block * 40).encode()
    read_isolated(b"a,b\n1,2\n", "t.csv")
    before = private_megabytes()
    table = read_isolated(content, "t.csv")
    assert table.frame.shape == (200_000, 10)
    assert private_megabytes() - before < 10  # the table has 16 MB


@pytest.mark.parametrize("bomb", ["shared texts", "lists", "texts together", "no width"])
def test_bombs_leave_this_process_as_it_was(bomb):
    make, filename, message = BOMBS[bomb]
    content = make()
    before = private_megabytes()
    with pytest.raises(DpvizError, match=message):
        read_isolated(content, filename)
    assert private_megabytes() - before < 20


def run_instead(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Let another program read the file, within the same limits."""
    command = (
        f"import sys; sys.path.insert(0, {reading_process.__file__.rpartition('/')[0]!r})\nimport reading_process\n"
    )
    start = subprocess.Popen

    def instead(_: list[str], **options: object) -> object:
        return start([sys.executable, "-c", command + "reading_process._limit()\n" + program], **options)  # type: ignore[call-overload]

    monkeypatch.setattr(isolated.subprocess, "Popen", instead)


def test_a_process_that_computes_too_long_is_ended_and_that_is_said(monkeypatch):
    shorter = "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 2))\nwhile True: pass"
    run_instead(monkeypatch, shorter)
    with pytest.raises(MemoryLimitError, match="60 seconds of computing"):
        read_isolated(b"a,b\n1,2\n", "t.csv")


def test_a_process_that_only_waits_is_ended_too(monkeypatch):
    run_instead(monkeypatch, "import time\ntime.sleep(1000)")
    monkeypatch.setattr(isolated, "MAX_WAIT_SECONDS", 0.5)
    with pytest.raises(MemoryLimitError, match="was ended"):
        read_isolated(b"a,b\n1,2\n", "t.csv")


def test_a_full_disk_is_explained(monkeypatch):
    def full():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(isolated.tempfile, "TemporaryFile", full)
    for _ in range(2 * isolated.MAX_PROCESSES):  # every failure gives its turn back
        with pytest.raises(MemoryLimitError, match="No space left on device"):
            read_isolated(b"a,b\n1,2\n", "t.csv")


def test_a_process_that_breaks_down_is_explained(monkeypatch):
    run_instead(monkeypatch, "import os\nos.abort()")
    with pytest.raises(InvalidDataError, match="signal SIGABRT"):
        read_isolated(b"a,b\n1,2\n", "t.csv")


def test_the_process_gets_no_more_memory_than_allowed(monkeypatch):
    program = f"""
import json
try:
    bytearray({reading_process.MAX_MEMORY})
except MemoryError:
    sys.stdout.buffer.write(json.dumps({{"error": "MemoryLimitError", "message": "as it should"}}).encode())
    sys.stdout.flush()
    sys.exit(3)
"""
    run_instead(monkeypatch, program)
    with pytest.raises(MemoryLimitError, match="as it should"):
        read_isolated(b"a,b\n1,2\n", "t.csv")


def test_the_process_imports_neither_compiler_nor_server():
    probe = (
        "import runpy, sys; sys.argv = ['x']\n"
        f"runpy.run_path({reading_process.__file__!r}, run_name='probe')['_skip_parent_packages']()\n"
        "import dpviz.datasets.tables, json\n"
        "print(json.dumps([name for name in ('numba', 'sklearn', 'scipy', 'streamlit') if name in sys.modules]))"
    )
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=True)
    assert json.loads(result.stdout) == []


def test_limits_are_those_that_are_written_down():
    assert limits.MAX_UNPACKED_BYTES < reading_process.MAX_MEMORY < resource.RLIM_INFINITY or resource.RLIM_INFINITY < 0


# --- what becomes of a table in the process that keeps it -------------------------------------------------------------


def test_long_texts_are_looked_at_some_megabytes_at_a_time():
    codes = pa.array(np.arange(200_000, dtype=np.int32) % 3)
    texts = pa.DictionaryArray.from_arrays(codes, pa.array([letter * 300 for letter in "xyz"]))
    table = read_isolated(parquet_of(pa.table({"text": texts, "x": pa.array(np.arange(200_000) / 7)})), "t.parquet")
    usual, counted = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    pa.set_memory_pool(counted)
    try:
        assert infer_kinds(table.frame) == {"text": "categorical", "x": "continuous"}
        assert to_dataset(table, features=["text"]).category_names == (
            ("x" * 99 + "…", "y" * 99 + "…", "z" * 99 + "…"),
        )
    finally:
        pa.set_memory_pool(usual)
    assert counted.max_memory() < 60_000_000  # the texts have 60 MB, and every step of reading numbers copies them


@pytest.mark.parametrize("decimal", [".", ","])
def test_a_column_read_in_parts_is_read_as_a_whole(monkeypatch, decimal):
    columns = [
        [],
        [""],
        ["1.5", " 2,5 ", "1,234", "x", None, "-", "n/a", "\u22123", "1e3", "+inf", "9007199254740993"] * 3,
        ["1.234", "1.234,5", "7"] * 5,
        ["y" * 500, *["1,000.5"] * 9],
    ]
    wholes = [parse_numbers(pa.chunked_array([pa.array(cells, pa.large_string())]), decimal) for cells in columns]
    monkeypatch.setattr(cell_values, "_PART_BYTES", 20)
    for cells, whole in zip(columns, wholes, strict=True):
        column = pa.chunked_array([pa.array(cells[:4], pa.large_string()), pa.array(cells[4:], pa.large_string())])
        pieces = list(cell_values.parts(column))
        assert sum((piece.to_pylist() for piece in pieces), []) == cells
        assert len(pieces) >= len(cells) / 3
        found = parse_numbers(column, decimal)
        np.testing.assert_array_equal(found.values, whole.values)
        assert [getattr(found, name) for name in vars(found) if name != "values"] == [
            getattr(whole, name) for name in vars(whole) if name != "values"
        ]


@pytest.mark.parametrize("repair", [False, True])
def test_a_cell_that_is_longer_than_a_cell_can_be_is_refused(repair):
    longest = "x" * limits.MAX_CELL_BYTES
    assert read_text(f"a,b\n1,{longest}\n2,y\n", repair=repair).frame["b"][0] == longest
    with pytest.raises(MemoryLimitError, match="cell of “b” has 100,001 bytes"):
        read_text(f"a,b\n1,{longest}x\n2,y\n", repair=repair)
    with pytest.raises(MemoryLimitError, match="cell of “b” has 100,002 bytes"):
        read_table(pd.DataFrame({"b": [f"{longest}é", "y"]}).to_parquet(), "t.parquet")


def test_making_a_name_printable_looks_at_its_beginning_only():
    assert clean_name("\u202e a\n" + "b" * 1_000_000) == "a " + "b" * 97 + "…"
    assert steps.lines_run(lambda: clean_name("b" * 1_000_000), "datasets/tables") < 10_000


def test_the_browser_gets_the_beginning_of_long_texts():
    frame = pd.DataFrame({"n": [1.5, 2.5], "t": ["x" * 1_000, None], "u": ["y" * 500, "z"]})
    shown = first_rows(frame, 2)
    assert shown["t"][0] == "x" * 500 + "…" and pd.isna(shown["t"][1])
    pd.testing.assert_frame_equal(shown[["n", "u"]], frame[["n", "u"]])
    assert len(first_rows(frame, 1)) == 1
