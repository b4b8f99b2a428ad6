"""Whatever is uploaded becomes a valid dataset or one of our errors, and what is read is what was written."""

from __future__ import annotations

import csv
import io
import itertools
import re
import string
from collections.abc import Callable

import numpy as np
import pandas as pd
import strategies as own
from books import workbook
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpviz.datasets.dataset import KINDS
from dpviz.datasets.tables import (
    ALL_KINDS,
    EXTENSIONS,
    MAX_ABSOLUTE,
    Table,
    export_csv,
    infer_kinds,
    read_table,
    read_text,
    to_dataset,
)
from dpviz.datasets.tables.formulas import guarded
from dpviz.datasets.tables.read import read_here
from dpviz.datasets.tables.text import is_well_formed
from dpviz.errors import DpvizError
from dpviz.text import escape_markdown

NAMES = ["alpha", "beta", "gamma", "delta"]


def check(table: Table) -> None:
    """Check what every table that was read must fulfil, and every dataset made of it."""
    assert table.frame.columns.is_unique
    assert all(name and len(name) <= 100 and name.isprintable() for name in table.frame)
    kinds = infer_kinds(table.frame)
    assert list(kinds) == list(table.frame.columns)
    assert set(kinds.values()) <= set(ALL_KINDS)
    try:
        dataset = to_dataset(table)
    except DpvizError as error:
        assert str(error)
        return
    assert np.abs(dataset.X).max() <= MAX_ABSOLUTE
    assert dataset.frame is table.frame
    assert dataset.rows is not None
    assert len(dataset.X) >= 2
    dropped = len(table.frame) - len(dataset.rows)
    assert any(f"{dropped} row" in note and "dropped" in note for note in dataset.notes) == (dropped > 0)
    for name in set(table.frame.columns) - set(dataset.feature_names):
        assert any(f"“{name}”" in note for note in dataset.notes)


def check_reading(content: bytes, filename: str, read: Callable[[bytes, str], Table] = read_table) -> None:
    try:
        table = read(content, filename)
    except DpvizError as error:
        assert str(error)
    else:
        check(table)


@settings(max_examples=150)
@given(
    st.binary(max_size=300),
    st.sampled_from(EXTENSIONS),
    st.sampled_from([b"", b"PK\x03\x04", b"PAR1", b"\x93NUMPY\x01\x00"]),
)
def test_any_bytes(content, extension, start):
    check_reading(start + content, f"file.{extension}")


@settings(max_examples=250)
@given(st.text(st.sampled_from("0123456789.,;-+eE|\t\n\r \"'abNA?=\u00a0\ufeff"), max_size=60))
@example("0\n0\x1c")
def test_any_text_of_the_characters_that_matter(text):
    check_reading(text.encode(), "file.csv")
    try:
        table = read_text(text)
    except DpvizError as error:
        assert str(error)
    else:
        check(table)


@settings(max_examples=150)
@given(own.cell_grids(), st.sampled_from(",;\t|"), st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]))
def test_any_grid_of_cells(grid, separator, encoding):
    check_reading(own.written(grid, separator).encode(encoding), "file.csv")


@settings(max_examples=40)
@given(own.cell_grids())
def test_any_grid_of_cells_in_excel(grid):
    rows = [[re.sub("[^\t\n -\ud7ff]", "", cell).lstrip("=") for cell in row] for row in grid]
    check_reading(workbook(rows), "file.xlsx", read_here)


@settings(max_examples=60)
@given(own.frames)
def test_any_frame_in_parquet(frame):
    frame = frame.set_axis([f"{name}{position}" for position, name in enumerate(frame.columns)], axis=1)
    check_reading(frame.to_parquet(), "file.parquet", read_here)


@settings(max_examples=150)
@given(own.float_tables(), st.sampled_from([",", ";", "\t", "|", " "]), st.booleans(), st.booleans())
def test_floats_survive_text_exactly(X, separator, decimal_comma, header):
    rows = [[repr(float(value)) for value in row] for row in X]
    if decimal_comma:
        rows = [[cell.replace(".", ",") for cell in row] for row in rows]
    names = NAMES[: X.shape[1]] if header else [f"x{position + 1}" for position in range(X.shape[1])]
    text = own.written([names] * header + rows, separator)
    # A lone column of decimal commas reads like two columns, so there the separator is given.
    known = "" if decimal_comma and X.shape[1] == 1 else None
    table = read_table(text.encode(), "file.csv", separator=known)
    assert table.header == header
    if X.shape[1] > 1:
        assert table.separator == separator
    dataset = to_dataset(table, kinds=dict.fromkeys(names, "continuous"))
    assert dataset.feature_names == tuple(names)
    assert dataset.X.tobytes() == X.tobytes()


@settings(max_examples=60)
@given(own.float_tables())
def test_floats_survive_other_formats_exactly(X):
    frame = pd.DataFrame(X, columns=NAMES[: X.shape[1]])
    npz = io.BytesIO()
    np.savez(npz, X=X, feature_names=np.array(frame.columns.to_numpy(str)))
    written = ((frame.to_parquet(), "f.parquet"), (npz.getvalue(), "f.npz"), (export_csv(frame), "f.csv"))
    for content, filename in written:
        table = read_here(content, filename)
        dataset = to_dataset(table, kinds=dict.fromkeys(frame.columns, "continuous"))
        assert dataset.X.tobytes() == X.tobytes()
        assert dataset.feature_names == tuple(frame.columns)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 10**15), min_size=2, max_size=10), st.sampled_from([(",", "."), (".", ","), (" ", ",")]))
def test_thousands_separators_are_undone(numbers, marks):
    group, decimal = marks
    cells = [f"{number:,}".replace(",", group) + f"{decimal}25" for number in numbers]
    text = own.written([["v", "w"], *([cell, f"0{decimal}5"] for cell in cells)], ";")
    frame = read_table(text.encode(), "file.csv").frame
    assert frame["v"].tolist() == [number + 0.25 for number in numbers]


@settings(max_examples=100)
@given(own.frames, st.data())
def test_any_choice_of_kinds(frame, data):
    table = Table(frame=frame.set_axis(NAMES[: frame.shape[1]], axis=1), name="table", format="text")
    kinds = {name: data.draw(st.sampled_from(ALL_KINDS)) for name in table.frame}
    try:
        dataset = to_dataset(table, kinds=kinds)
    except DpvizError as error:
        assert str(error)
        return
    assert dataset.kinds == tuple(kind for kind in kinds.values() if kind in KINDS)
    for column, kind in enumerate(dataset.kinds):
        values = dataset.X[:, column]
        assert kind != "duration" or (values > 0).all()
        assert kind not in ("count", "ordinal", "binary", "categorical") or (values == np.floor(values)).all()
        assert kind != "binary" or set(values) <= {0.0, 1.0}


@settings(max_examples=80)
@given(own.frames)
def test_export_holds_no_formulas_and_loses_nothing(frame):
    rows = list(csv.reader(io.StringIO(export_csv(frame).decode(), newline="")))
    assert len(rows) == 1 + len(frame)
    assert rows[0] == [guarded(name) for name in frame.columns]
    for position, cells in enumerate(zip(*rows[1:], strict=True)):
        for cell, value in zip(cells, frame.iloc[:, position], strict=True):
            if isinstance(value, float):
                assert float(cell) == value
            else:
                assert cell == guarded(value)
                assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


@settings(max_examples=100)
@given(own.short_texts)
def test_escaped_markdown_has_no_bare_punctuation(text):
    escaped = escape_markdown(text)
    assert not set(re.sub(r"\\.", "", escaped)) & set(string.punctuation)
    kept = "".join(letter if letter in "\u00a0\u202f" or not letter.isspace() else " " for letter in text)
    while "  " in kept:
        kept = kept.replace("  ", " ")
    assert re.sub(r"\\(.)", r"\1", escaped).replace("\u2060", "") == kept.strip().replace("\u2060", "")


def marks_stand_around_cells(text: str) -> bool:
    """Read letter by letter: a mark opens a cell or doubles one inside it, and what it closes ends there."""
    state = "start"
    for letter in text:
        if state == "inside":
            state = "after" if letter == '"' else "inside"
        elif letter == '"':
            if state == "plain":
                return False
            state = "inside"
        elif letter in ",\r\n":
            state = "start"
        elif state == "after":
            return False
        else:
            state = "plain"
    return state != "inside"


def test_marks_are_well_formed_if_they_stand_around_cells_or_are_doubled_inside():
    texts = ["".join(letters) for length in range(8) for letters in itertools.product('"a,\n', repeat=length)]
    found = [is_well_formed(text, ",") for text in texts]
    assert found == list(map(marks_stand_around_cells, texts)) and 0 < sum(found) < len(texts)
    long = '"a""b",c\n' * 3_000  # more pieces than are matched at once
    assert is_well_formed(long, ",") and not is_well_formed(long + '"', ",") and not is_well_formed('"' + long, ",")
