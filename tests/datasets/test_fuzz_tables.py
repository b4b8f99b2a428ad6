"""Generated tables, damaged files and odd calls: a table, or one of our errors, within ceilings on memory and work.

``make fuzz`` runs many more cases: DPVIZ_FUZZ multiplies their number. Every case is named by its seed.
"""

from __future__ import annotations

import csv
import io
import os
import random
import tracemalloc
import zipfile
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import steps

from dpviz.datasets.tables import (
    ALL_KINDS,
    ENCODINGS,
    EXTENSIONS,
    MAX_ABSOLUTE,
    Table,
    infer_kinds,
    read_table,
    read_text,
    to_dataset,
)
from dpviz.errors import DpvizError

ROUNDS = int(os.environ.get("DPVIZ_FUZZ", "1"))
BYTES_PER_CASE, BYTES_PER_BYTE = 30_000_000, 300
LINES_PER_CASE, LINES_PER_BYTE = 100_000, 100

PIECES = [
    *("a", "Kew", "n.a.", "<5", "1", "2.5", "-3,5", "1,234.5", "1.234,5", "1e999", "nan", "007", "2019-01-02", "it's"),
    *('"', '""', '"x, y"', '"two\nlines"', "'q'", "\\", '\\"', "=1+1", "#", "sep=;", "é", "\u202e", "\x1f", "Ω", "🙂"),
    *(" ", "  ", "\t", ";", "|", ",,", "~", "-", "_" * 50, "9" * 400, "x" * 2_000),
]


def cases(number: int) -> range:
    return range(number * ROUNDS)


def within_ceilings(work: Callable[[], Table], n_bytes: int, *, count_lines: bool = False) -> Table | None:
    """Do some reading; return the table, or None for one of our errors, and check what it took."""
    result: list[Table] = []

    def guarded() -> None:
        try:
            result.append(work())
        except DpvizError as error:
            assert 10 < len(str(error)) < 5_000

    if count_lines:
        lines = steps.lines_run(guarded, "datasets/tables", "clevercsv", "/csv.py")
        assert lines < LINES_PER_CASE + LINES_PER_BYTE * n_bytes
    else:
        pool = pa.default_memory_pool()
        ceiling = max(pool.max_memory(), pool.bytes_allocated() + BYTES_PER_CASE + BYTES_PER_BYTE * n_bytes)
        tracemalloc.start()
        guarded()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < BYTES_PER_CASE + BYTES_PER_BYTE * n_bytes
        assert pool.max_memory() <= ceiling
    return result[0] if result else None


def check(table: Table | None) -> None:
    if table is None:
        return
    assert table.frame.columns.is_unique
    assert all(name.isprintable() and 0 < len(name) <= 100 for name in table.frame)
    assert table.notes[: len(table.repairs)] == table.repairs
    kinds = infer_kinds(table.frame)
    assert set(kinds.values()) <= set(ALL_KINDS)
    try:
        dataset = to_dataset(table)
    except DpvizError as error:
        assert str(error)
    else:
        assert np.abs(dataset.X).max() <= MAX_ABSOLUTE


def random_text(rng: random.Random) -> str:
    """Rows of random pieces that are sometimes nearly a table, with random lines in between."""
    separator, end = rng.choice([",", ";", "\t", "|", " "]), rng.choice(["\n", "\r\n", "\r"])
    width, tidy = rng.randint(1, 6), rng.random()
    lines = []
    for _ in range(rng.choice([1, 2, 5, 30])):
        length = width if rng.random() < tidy else rng.randint(0, 8)
        cells = [rng.choice(PIECES) if rng.random() > tidy else f"{rng.gauss(0, 9):.3f}" for _ in range(length)]
        lines.append(separator.join(cells))
    return end.join(lines) + end * rng.randint(0, 3)


@pytest.mark.parametrize("seed", cases(150))
def test_generated_text(seed):
    rng = random.Random(seed)
    text = random_text(rng)
    content = text.encode(rng.choice(["utf-8", "utf-16", "utf-8-sig"]))
    for repair in (False, True):
        check(within_ceilings(lambda repair=repair: read_table(content, "t.csv", repair=repair), len(content)))
        check(within_ceilings(lambda repair=repair: read_text(text, repair=repair), len(text), count_lines=True))


def clean_table(rng: random.Random) -> list[list[str]]:
    """Names over columns of numbers, words and texts with everything that has to be quoted."""
    n_rows, n_columns = rng.randint(4, 40), rng.randint(2, 6)
    columns: list[list[str]] = []
    for position in range(n_columns):
        kind = "number" if position == 0 else rng.choice(["number", "whole", "word", "text"])
        draw: Callable[[], str] = {
            "number": lambda: f"{rng.gauss(5, 40):.3f}",
            "whole": lambda: str(rng.randint(10, 99)),
            "word": lambda: rng.choice(["red", "green", "blue"]),
            "text": lambda: rng.choice(["Bath, UK", 'the "best"', "tab\there", "a; b", "x | y", "Kew", "Köln", "ok"]),
        }[kind]
        columns.append([f"{kind} {chr(97 + position)}", *(draw() for _ in range(n_rows))])
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("seed", cases(120))
def test_no_cell_of_a_clean_table_is_wrong(seed):
    rng = random.Random(seed)
    rows = clean_table(rng)
    stream = io.StringIO(newline="")
    separator, end = rng.choice(",;\t|"), rng.choice(["\n", "\r\n"])
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    csv.writer(stream, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
    content = stream.getvalue().encode(rng.choice(["utf-8", "utf-16", "utf-8-sig"]))
    for repair in (False, True):
        table = read_table(content, "t.csv", repair=repair)
        assert table.repairs == ()
        assert list(table.frame) == rows[0]
        for name, expected in zip(rows[0], zip(*rows[1:], strict=True), strict=True):
            found = table.frame[name].tolist()
            assert found == [float(cell) for cell in expected] if name[0] in "nw" and name[1] != "o" else list(expected)


def good_files() -> dict[str, bytes]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=30), "n": rng.integers(0, 9, 30), "t": ["x", None, "yy"] * 10})
    files = {"t.csv": frame.to_csv(index=False).encode()}
    for filename, write in (("t.parquet", frame.to_parquet), ("t.xlsx", lambda s: frame.to_excel(s, index=False))):
        stream = io.BytesIO()
        write(stream)
        files[filename] = stream.getvalue()
    for filename, save in (
        ("t.npy", np.save),
        ("t.npz", lambda s, X: np.savez_compressed(s, X=X, y=np.arange(30) % 3)),
    ):
        stream = io.BytesIO()
        save(stream, frame[["a", "n"]].to_numpy())
        files[filename] = stream.getvalue()
    return files


GOOD = good_files()


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Flip, cut, repeat or insert some bytes."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        at, length = rng.randrange(len(data)), rng.randint(1, 30)
        way = rng.choice(["flip", "flip", "set", "cut", "repeat", "insert", "end"])
        if way == "flip":
            data[at] ^= 1 << rng.randrange(8)
        elif way == "set":
            data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif way == "cut":
            del data[at : at + length]
        elif way == "repeat":
            data[at:at] = data[at : at + length] * rng.randint(1, 40)
        elif way == "insert":
            data[at:at] = rng.randbytes(length)
        elif rng.random() < 0.3:
            del data[at:]
        if not data:
            return b"\0"
    return bytes(data)


@pytest.mark.usefixtures("tables_read_here")
@pytest.mark.parametrize("filename", sorted(set(GOOD) - {"t.parquet"}))
@pytest.mark.parametrize("seed", cases(60))
def test_damaged_files(filename, seed):
    rng = random.Random(f"{filename} {seed}")
    content = damaged(GOOD[filename], rng)
    repair = rng.random() < 0.5
    check(within_ceilings(lambda: read_table(content, filename, repair=repair), len(content)))


@pytest.mark.parametrize("seed", cases(10))
def test_damaged_parquet_which_ends_the_process_that_reads_it(seed):
    check(within_ceilings(lambda: read_table(damaged(GOOD["t.parquet"], random.Random(seed)), "t.parquet"), 0))


def repacked(filename: str, rng: random.Random, change: Callable[[bytes], bytes]) -> bytes:
    """Change one part of an archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(GOOD[filename])) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = rng.choice(old.namelist())
        for member in old.namelist():
            part = old.read(member)
            new.writestr(member, change(part) if member == chosen else part)
    return stream.getvalue()


@pytest.mark.usefixtures("tables_read_here")
@pytest.mark.parametrize("seed", cases(60))
def test_damaged_parts_of_archives(seed):
    """Damage what is inside an archive, behind its checksums."""
    rng = random.Random(seed)
    filename = rng.choice(["t.xlsx", "t.npz"])
    content = repacked(filename, rng, lambda part: damaged(part, rng))
    check(within_ceilings(lambda: read_table(content, filename), len(content)))


@pytest.mark.usefixtures("tables_read_here")
@pytest.mark.parametrize("seed", cases(30))
def test_packed_repetitions_cost_no_more_than_the_ceilings(seed):
    """Put a long repetition of some tags or texts where a workbook has something else."""
    rng = random.Random(seed)
    piece = rng.choice(
        [b"<x/>", b"<si/>", b"<si><t/></si>", b"<a>", b"<c/>", b"<row/>", b"<f/>", b"x", b" ", b"<!---->"]
    )

    def blown_up(part: bytes) -> bytes:
        at = part.rfind(b"</") if rng.random() < 0.7 else rng.randrange(len(part))
        return part[:at] + piece * 100_000 + part[at:]

    content = repacked("t.xlsx", rng, blown_up)
    check(within_ceilings(lambda: read_table(content, "t.xlsx"), 100_000 * len(piece)))


@pytest.mark.usefixtures("tables_read_here")
@pytest.mark.parametrize("seed", cases(80))
def test_odd_calls(seed):
    rng = random.Random(seed)
    filename = rng.choice(list(GOOD))
    odd = [None, "", 0, 1.5, True, (), "x", ",", "\t", "ü" * 50, float("nan")]
    options = {
        name: rng.choice([*odd, *ENCODINGS])
        for name in rng.sample(["separator", "decimal", "header", "encoding", "sheet"], rng.randint(1, 5))
    }
    name = rng.choice([filename, f"t.{rng.choice(EXTENSIONS)}", "t", "", ".", "t.exe", "../../t.csv", "\0.csv"])
    table = within_ceilings(lambda: read_table(GOOD[filename], name, **options), len(GOOD[filename]))
    check(table)
    if table is None:
        return
    columns = [*table.frame, "absent", "", None]
    choices = {
        "features": rng.sample(columns, rng.randint(0, 3)),
        "label": rng.choice(columns),
        "kinds": {rng.choice(columns): rng.choice([*ALL_KINDS, "odd", ""])},
    }
    try:
        dataset = to_dataset(table, **{key: choices[key] for key in rng.sample(list(choices), rng.randint(0, 3))})
    except DpvizError as error:
        assert str(error)
    else:
        assert np.isfinite(dataset.X).all()


def test_a_workbook_is_a_workbook_again_after_copying():
    """What the damage starts from is read without complaint, so that the damage is what is tested."""
    for filename, content in GOOD.items():
        assert len(read_table(content, filename).frame) == 30
