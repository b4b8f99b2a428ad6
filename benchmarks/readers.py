"""Readers of text tables side by side: writes READERS.md. ``python -m benchmarks.readers [FOLDER]`` (30 minutes).

It needs ``pip install duckdb polars``, which dpviz does without. Well-formed files in FOLDER are tables beside those
from here: clean and damaged ones, numbers in every notation, and copies with one kind of dirt each.
"""

from __future__ import annotations

import csv
import datetime
import difflib
import io
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest import mock

import clevercsv
import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks.polluted_tables import Rows, polluted
from dpviz.datasets.tables import detection, dialect, read_table, repair, text
from dpviz.datasets.tables.cell_values import MISSING, read_columns
from dpviz.datasets.tables.dialect import Dialect
from dpviz.datasets.tables.header import has_header
from dpviz.datasets.tables.table import unique_names
from dpviz.errors import DpvizError

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from number_tables import UNITS, written_numbers  # noqa: E402
from test_fuzz_tables import clean_table  # noqa: E402
from test_tables_repair import dirty  # noqa: E402

FILE = Path(__file__).with_name("READERS.md")
GROUPS = ("clean", "damaged", "numbers", "polluted")
SAID = re.compile("could also|may have another length|left out|are mixed in")
CLEVER_ERRORS = (clevercsv.Error, clevercsv.exceptions.NoDetectionResult, StopIteration)
LARGE_ROWS, LARGE_COLUMNS = 400_000, 8


@dataclass(frozen=True)
class Case:
    """A file, and what a careful person reads from it.

    Attributes
    ----------
    group : str
        One of ``GROUPS``.
    weight : float
    data : bytes
    truth : list of list of str
        Names and rows as written, those without the dirt if nobody can say what is right.
    is_decidable : bool
    decimal : str
        The decimal mark.
    named : bool
    """

    group: str
    weight: float
    data: bytes
    truth: Rows
    is_decidable: bool = True
    decimal: str = "."
    named: bool = True
    dirt: str = ""


@dataclass(frozen=True)
class Reading:
    """What a reader makes of a file.

    Attributes
    ----------
    names : sequence of str
    rows : list of sequences
        Numbers, texts, None where a cell is missing.
    said : bool
        Whether it says that something was repaired, rejected or unclear.
    """

    names: Sequence[str]
    rows: list[Sequence[Any]]
    said: bool


Reader = Callable[[bytes], Reading]


class Refusal(Exception):
    """A reader returns no table."""


# --- tables ----------------------------------------------------------------------------------------------------------

PLACES = [
    ["place", "who", "remark", "height", "n"],
    *(
        [
            ("Bath, UK", "Kew", "Köln; Deutz", "Oslo")[k % 4],
            ("Anne O'Neil", "Bob", 'Max "M" Li', "Zoë")[k % 4],
            ("fine", "two\nlines", "", "see a | b", "NA")[k % 5],
            f"{1.5 + k * 0.37:.2f}",
            str(10 + 7 * k % 40),
        ]
        for k in range(24)
    ),
]


def bases(folder: Path | None) -> Iterator[tuple[Rows, str]]:
    """Yield clean tables to pollute, each with its decimal mark."""
    yield PLACES, "."
    for seed in range(3):
        yield clean_table(random.Random(seed)), "."
    for name in ("iris", "crabs", "heart_cleveland", "zoo"):
        rows = list(csv.reader((ROOT / f"datasets/{name}.csv").read_text(encoding="utf-8").splitlines()))
        yield [rows[0], *rows[1 :: max(1, len(rows) // 30)]], "."
    for path in sorted(folder.glob("*.csv")) if folder else ():
        content = path.read_bytes()
        lines = content.decode("cp1252" if b"\xf6" in content else "utf-8").splitlines()
        separator = max(",;\t", key=lines[0].count)
        rows = [row[:12] for row in csv.reader(lines[:31], delimiter=separator)]
        yield rows, "," if separator == ";" else "."


def cases(folder: Path | None) -> Iterator[Case]:
    """Yield all files."""
    for seed in range(60):
        rng = random.Random(seed)
        rows, stream = clean_table(rng), io.StringIO(newline="")
        quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        csv.writer(stream, delimiter=rng.choice(",;\t|"), quoting=quoting).writerows(rows)
        yield Case("clean", 1, stream.getvalue().encode(), rows)
    for rows, decimal in bases(folder):
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter=";" if decimal == "," else ",").writerows(rows)
        yield Case("clean", 1, stream.getvalue().encode(), rows, decimal=decimal)
    for seed in range(40):
        rng = random.Random(seed)
        rows = [["name", "place", "length", "width"]] + [
            [f"n{k}", rng.choice(["Rome", "Bath, UK", "Oslo"]), f"{rng.gauss(5, 2):.3f}", str(rng.randint(10, 99))]
            for k in range(rng.choice([12, 60]))
        ]
        damaged, truth, _ = dirty(rows, rng)
        yield Case("damaged", 1, damaged.encode(), truth)
    for seed in range(350):
        made = written_numbers(seed, with_units=seed >= 250)
        truth = [[cell + unit for cell, unit in zip(row, made.units, strict=True)] for row in made.cells]
        names = ["first", "second", "third", "fourth"][: made.X.shape[1]]
        yield Case("numbers", 1, made.text.encode(), [names, *truth], not made.is_cut, made.decimal, made.names)
    for place, (rows, decimal) in enumerate(bases(folder)):
        for dirt, weight, data, truth in polluted(rows, place):
            yield Case("polluted", weight, data, truth or rows, truth is not None, decimal, dirt != "no header", dirt)


# --- what is wrong ---------------------------------------------------------------------------------------------------

_AROUND = re.compile("|".join(re.escape(unit.strip()) for unit in sorted(UNITS, key=len, reverse=True) if unit) + "|€")
_DATE = re.compile(r"(\d\d)\.(\d\d)\.(\d{4})|(\d{4})-(\d\d)-(\d\d)")


def number_of(written: str, decimal: str) -> float | None:
    """Return the number that a cell is, with any unit and any thousands, or the day since 1970; None for other text."""
    date = _DATE.fullmatch(written)
    if date:
        day, month, year = date.group(1, 2, 3) if date[1] else date.group(6, 5, 4)
        return float((datetime.date(int(year), int(month), int(day)) - datetime.date(1970, 1, 1)).days)
    bare = re.sub("[ \u00a0\u202f\u2009'’" + {".": ",", ",": "."}[decimal] + "]", "", _AROUND.sub("", written))
    try:
        return float(bare.replace(",", "."))
    except ValueError:
        return None


def is_right(cell: Any, written: str, decimal: str) -> bool:
    """Whether a cell is what was written: its text, its number, or missing where nothing or a marker was written."""
    written = written.strip()
    if cell is None or cell != cell:
        return written in MISSING
    if isinstance(cell, bool):
        return str(cell).lower() == written.lower() or (written.lower() in ("yes", "no")) or written in "01"
    if isinstance(cell, (datetime.date, datetime.datetime)):
        day = cell.date() if isinstance(cell, datetime.datetime) else cell
        return number_of(written, decimal) == (day - datetime.date(1970, 1, 1)).days
    if isinstance(cell, str):
        return cell.strip() == written
    return float(cell) == number_of(written, decimal)


def n_wrong(reading: Reading, case: Case) -> int:
    """Return how many cells differ from the truth: other ones, those of rows that are lost, and those of no row."""
    names, *truth = case.truth
    rows = reading.rows
    wrong = sum(a.strip() != b.strip() for a, b in zip(names, reading.names, strict=False)) if case.named else 0
    width = len(names)

    def between(row: Sequence[Any], right: Sequence[str]) -> int:
        return abs(len(row) - width) + sum(
            not is_right(cell, written, case.decimal) for cell, written in zip(row, right, strict=False)
        )

    if len(rows) == len(truth):
        return wrong + sum(map(between, rows, truth))
    found = [tuple("" if cell is None or cell != cell else _key(str(cell), ".") for cell in row) for row in rows]
    right = [tuple(_key(cell, case.decimal) for cell in row) for row in truth]
    for what, i, end_i, j, end_j in difflib.SequenceMatcher(None, found, right, autojunk=False).get_opcodes():
        if what != "equal":
            both = min(end_i - i, end_j - j)
            wrong += sum(map(between, rows[i : i + both], truth[j : j + both]))
            wrong += width * max(end_i - i - both, end_j - j - both)
    return wrong


def _key(cell: str, decimal: str) -> str:
    value = number_of(cell.strip(), decimal)
    return "" if cell.strip() in MISSING else cell.strip() if value is None else repr(value)


# --- readers ---------------------------------------------------------------------------------------------------------


def ours(data: bytes, *, mended: bool = False) -> Reading:
    try:
        table = read_table(data, "t.csv", repair=mended)
    except DpvizError as error:
        raise Refusal from error
    rows = list(table.frame.astype(object).itertuples(index=False, name=None))
    said = table.repairs or table.proposed_headings[0] or any(map(SAID.search, table.notes))
    return Reading(list(table.frame), rows, bool(said))


def typed(rows: Rows, separator: str, said: bool = False, header: bool | None = None) -> Reading:
    """Read rows of text as dpviz does: names, decimal mark, numbers, dates and units."""
    if not rows or not rows[0]:
        raise Refusal
    width = max(map(len, rows))
    rows = [[*(cell or "" for cell in row), *[""] * (width - len(row))] for row in rows]
    sample = [[cell.strip() for cell in row] for row in rows[:100]]
    named = has_header(sample) if header is None else header
    names, _ = unique_names(rows[0] if named else [f"x{k + 1}" for k in range(width)])
    body = rows[named:]
    if not body:
        raise Refusal
    decimal = detection.find_decimal([cell for row in sample for cell in row], separator)
    notes = detection.notes_on_marks([cell for row in sample for cell in row], decimal)
    columns = [pa.chunked_array([pa.array(cells, pa.string())]) for cells in zip(*body, strict=True)]
    frame, changes, _ = read_columns(columns, names, [decimal] * width)
    said = said or bool(notes) or any(map(SAID.search, changes))
    return Reading(names, list(frame.astype(object).itertuples(index=False, name=None)), said)


def decoded(data: bytes) -> str:
    try:
        return dialect.decode(data)[0]
    except DpvizError as error:
        raise Refusal from error


def clever(data: bytes) -> Reading:
    """CleverCSV's dialect and names, and Python's tokens."""
    content = decoded(data)
    try:
        found = clevercsv.Detector().detect(content[:20_000])
        if found is None:
            raise Refusal
        rows = list(clevercsv.reader(io.StringIO(content, newline=""), found))
        named = clevercsv.Sniffer().has_header(content[:20_000])
    except CLEVER_ERRORS as error:
        raise Refusal from error
    return typed([row for row in rows if row], found.delimiter, header=named)


@dataclass
class Duck:
    """DuckDB, which reads a file of its own and nothing else."""

    file: Any = field(default_factory=lambda: tempfile.NamedTemporaryFile(suffix=".csv"))  # noqa: SIM115

    def __post_init__(self) -> None:
        import duckdb

        self.error = duckdb.Error
        quiet = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "threads": "1"}
        self.connection = duckdb.connect(config=quiet)
        self.connection.execute(f"SET allowed_paths = ['{self.file.name}']")
        self.connection.execute("SET enable_external_access = false")

    def read(self, content: str, options: str) -> tuple[list[str], Rows, bool]:
        """Return names, rows, and whether lines were rejected."""
        Path(self.file.name).write_bytes(content.encode("utf-8", "surrogatepass"))
        try:
            found = self.connection.execute(f"SELECT * FROM read_csv('{self.file.name}', sample_size = -1{options})")
            names, rows = [column[0] for column in found.description or ()], found.fetchall()
            rejected = False
            if "store_rejects" in options:
                rejected = bool(self.connection.execute("SELECT count(*) FROM reject_errors").fetchall()[0][0])
                for name in ("reject_errors", "reject_scans"):
                    self.connection.execute(f"DELETE FROM {name}")
        except self.error as error:
            raise Refusal from error
        return names, rows, rejected

    def dialect(self, content: str) -> Dialect:
        """Return the dialect of its sniffer."""
        Path(self.file.name).write_bytes(content.encode("utf-8", "surrogatepass"))
        try:
            found = self.connection.execute(
                f"SELECT Delimiter, Quote, Escape FROM sniff_csv('{self.file.name}', sample_size = -1)"
            ).fetchall()[0]
        except self.error:
            return Dialect("")
        separator, quote, escape = ("" if mark == "(empty)" else mark for mark in found)
        return Dialect(separator if separator in dialect.SEPARATORS else "", quote or '"', escape.replace('"', ""))


MENDED = ", strict_mode = false, null_padding = true, ignore_errors = true, store_rejects = true"


def duck_texts(duck: Duck, options: str = "") -> Reader:
    """All-text: its dialect, tokens and names, and our typing."""

    def read(data: bytes) -> Reading:
        content = decoded(data)
        names, rows, said = duck.read(content, f", all_varchar = true{options}")
        named = not re.fullmatch(r"column\d+", names[0]) if names else False
        separator = duck.dialect(content).separator
        return typed([names, *rows] if named else rows, separator, said, named)

    return read


def duck_typed(duck: Duck) -> Reader:
    def read(data: bytes) -> Reading:
        return Reading(*duck.read(decoded(data), ""))

    return read


def duck_tokens(duck: Duck, options: str = "") -> Reader:
    """Our dialect, names and typing, and its tokens."""

    def read(data: bytes) -> Reading:
        content = decoded(data)
        try:
            found = detection.find_dialect(dialect.sample_of(content))
        except DpvizError as error:
            raise Refusal from error
        marks = {"delim": found.separator or "\x1f", "quote": found.quote, "escape": found.escape or found.quote}
        given = "".join(f", {name} = '{mark.replace(chr(39), chr(39) * 2)}'" for name, mark in marks.items())
        _, rows, said = duck.read(content, f", all_varchar = true, header = false{given}{options}")
        return typed(rows, found.separator, said)

    return read


def with_dialect(find: Callable[[str], Dialect], mended: bool) -> Reader:
    """Another dialect, and everything else ours."""

    def read(data: bytes) -> Reading:
        with mock.patch.object(text, "find_dialect", find), mock.patch.object(repair, "find_dialect", find):
            return ours(data, mended=mended)

    return read


def clever_dialect(sample: str) -> Dialect:
    found = clevercsv.Detector().detect(sample[:20_000], delimiters=dialect.SEPARATORS, method="consistency")
    return Dialect(found.delimiter, found.quotechar or '"', found.escapechar or "") if found else Dialect("")


def polars_texts(all_text: bool) -> Reader:
    """CleverCSV's dialect, since polars detects none, and its tokens and, unless all is text, its types."""
    import polars

    def read(data: bytes) -> Reading:
        content = decoded(data)
        found = clever_dialect(content)
        try:
            frame = polars.read_csv(
                content.encode("utf-8", "surrogatepass"),
                separator=found.separator or "\x1f",
                quote_char=found.quote,
                has_header=False if all_text else clevercsv.Sniffer().has_header(content[:20_000]),
                infer_schema=not all_text,
                infer_schema_length=None,
            )
        except (polars.exceptions.PolarsError, *CLEVER_ERRORS) as error:
            raise Refusal from error
        return (
            typed([list(row) for row in frame.rows()], found.separator)
            if all_text
            else Reading(frame.columns, frame.rows(), False)
        )

    return read


def without_refusals(data: bytes) -> Reading:
    """Ours, repairing, without what looks for numbers that the separator cuts."""
    silent: Callable[..., list[str]] = lambda *_: []  # noqa: E731
    with (
        mock.patch.object(text, "refuse_runs_of_numbers", silent),
        mock.patch.object(text, "note_on_cut_numbers", silent),
        mock.patch.object(repair, "refuse_cut_numbers", silent),
    ):
        return ours(data, mended=True)


def readers() -> dict[str, Reader]:
    """Return all readers, those that are mixed from several among them."""
    duck = Duck()
    return {
        "dpviz": ours,
        "dpviz, repairing": lambda data: ours(data, mended=True),
        "DuckDB, as text": duck_texts(duck),
        "DuckDB, as text, rejecting": duck_texts(duck, MENDED),
        "DuckDB, its types": duck_typed(duck),
        "CleverCSV": clever,
        "CleverCSV and polars, as text": polars_texts(True),
        "CleverCSV and polars, its types": polars_texts(False),
        "dpviz, with DuckDB's tokens": duck_tokens(duck),
        "dpviz, with DuckDB's tokens, rejecting": duck_tokens(duck, MENDED),
        "dpviz, with DuckDB's dialect": with_dialect(duck.dialect, False),
        "dpviz, repairing, with DuckDB's dialect": with_dialect(duck.dialect, True),
        "dpviz, repairing, with CleverCSV's dialect as it is": with_dialect(clever_dialect, True),
        "dpviz, repairing, without refusing cut numbers": without_refusals,
    }


# --- the table -------------------------------------------------------------------------------------------------------

HEAD = """# Readers of text tables

Written by `python -m benchmarks.readers FOLDER`, from {n_files:,} files with {n_cells:,} cells:
{groups}.

Other libraries get text that is decoded already. “As text” leaves them the dialect, the cells and the names, and types
them as dpviz does; “its types” are their own. DuckDB may read one file and install nothing; “rejecting” is
`strict_mode = false, null_padding, ignore_errors, store_rejects`. Polars detects no dialect and gets CleverCSV's. The
last rows exchange one part of dpviz; with DuckDB's tokens it neither repairs nor looks for numbers that are cut.

A cell is wrong if it is neither what was written nor the number, date or gap that was meant; a text that stays text is
right. Of a row that is lost, or is none, all cells are wrong. Where nobody can say what is right (a stray quotation
mark, two tables in one file), a result without a word has at least one wrong cell. Something is said by a repair, a
rejected line, proposed headings, or a remark that cells could also be others, were left out, or are numbers mixed with
text. Numbers in brackets count tables.

The first four columns are wrong cells of which nothing is said, by kind of file, and the fifth their share among the
polluted copies, each weighted by how common its dirt is on open-data portals. “Refused” counts tables, and then those
that can be decided. The last seconds and megabytes are for {large} in a process of its own: rows of other
libraries pass through Python on the way to dpviz's types, which takes most of their time. “MB” is what the packages
take up without what they need. Seconds depend on what else the machine does, and it was busy.

So dpviz keeps its reader, over CleverCSV's measure and Arrow's parser: each part that was exchanged, and each library
as a whole, makes more cells wrong in silence.

| reader | clean | damaged | numbers | polluted | weighted, % | said | refused | s, all files | s | grown, MB | MB |
|---|---|---|---|---|---|---|---|---|---|---|---|
"""
PACKAGES = {"DuckDB": ["duckdb"], "polars": ["polars", "polars-runtime-32"], "CleverCSV": ["clevercsv"]}


@dataclass
class Score:
    """What a reader gets wrong."""

    silent: dict[str, list[int]] = field(default_factory=lambda: {group: [0, 0] for group in GROUPS})
    said: list[int] = field(default_factory=lambda: [0, 0])
    refused: list[int] = field(default_factory=lambda: [0, 0])
    weighted: float = 0.0
    weight: float = 0.0
    seconds: float = 0.0

    def add(self, case: Case, read: Reader) -> None:
        """Read one file."""
        weight = case.weight if case.group == "polluted" else 0.0
        self.weight += weight
        begun = time.perf_counter()
        try:
            reading = read(case.data)
        except Refusal:
            self.refused[0] += 1
            self.refused[1] += case.is_decidable
            return
        finally:
            self.seconds += time.perf_counter() - begun
        wrong = n_wrong(reading, case)
        if not case.is_decidable and case.group == "polluted":
            wrong = max(wrong, 1)
        if wrong:
            counts = self.said if reading.said else self.silent[case.group]
            counts[0] += wrong
            counts[1] += 1
            share = min(1.0, wrong / (len(case.truth) * len(case.truth[0])))
            self.weighted += 0.0 if reading.said else weight * share

    def row(self, name: str, others: Sequence[str]) -> str:
        """Write a line of the table."""
        cells = [f"{cells:,} ({tables:,})" for cells, tables in (*self.silent.values(), self.said)]
        cells.insert(4, f"{100 * self.weighted / self.weight:.2f}")
        cells += [f"{self.refused[0]}, {self.refused[1]}", f"{self.seconds:.0f}", *others]
        return f"| {name} | {' | '.join(cells)} |"


def large_file() -> bytes:
    """Return a clean table of numbers."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(LARGE_ROWS, LARGE_COLUMNS)).round(4)).add_prefix("x")
    return frame.to_csv(index=False).encode()


def read_large(name: str) -> None:
    """Read the large file, and print the seconds and the megabytes that the process grew by at most."""
    data, read = large_file(), readers()[name]
    read(b"a,b\n1.5,2\n2.5,3\n")
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    read(data)
    seconds = time.perf_counter() - begun
    print(f"{seconds:.1f} {(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3:.0f}")


def megabytes(name: str) -> float:
    """Return what the packages of a reader take up, besides those that dpviz needs anyway."""
    packages = [package for key, names in PACKAGES.items() if key in name for package in names]
    if "dpviz" in name and "clevercsv" not in packages:
        packages.append("clevercsv")
    files = (file for package in packages for file in metadata.files(package) or ())
    return sum(Path(file.locate()).stat().st_size for file in files if Path(file.locate()).exists()) / 1e6


def main() -> None:
    """Read all files by all readers and write the table."""
    files = list(cases(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
    groups = Counter(case.group for case in files)
    lines = []
    for name, read in readers().items():
        score = Score()
        for case in files:
            score.add(case, read)
        command = [sys.executable, "-c", f"from benchmarks.readers import read_large; read_large({name!r})"]
        seconds, grown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2:]
        lines.append(score.row(name, [seconds, grown, f"{megabytes(name):.1f}"]))
        print(lines[-1], flush=True)
    head = HEAD.format(
        n_files=len(files),
        n_cells=sum(len(case.truth) * len(case.truth[0]) for case in files),
        groups=", ".join(f"{number:,} {group}" for group, number in groups.items()),
        large=f"{LARGE_ROWS:,} × {LARGE_COLUMNS} numbers",
    )
    FILE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
