"""Read delimited text into columns of numbers and text."""

from __future__ import annotations

import csv
import io
import re

import pyarrow as pa
import pyarrow.csv

from dpviz.datasets.tables.cell_values import TextColumn, read_columns, without_empty_end
from dpviz.datasets.tables.detection import find_decimal, find_dialect, notes_on_marks, notes_on_separator
from dpviz.datasets.tables.dialect import (
    SINGLE_COLUMN,
    Dialect,
    aligned,
    decode,
    sample_of,
    split_rows,
)
from dpviz.datasets.tables.formulas import unguarded, without_guards
from dpviz.datasets.tables.header import has_header
from dpviz.datasets.tables.limits import check_shape
from dpviz.datasets.tables.repair import repair_text
from dpviz.datasets.tables.table import NAMES_FOUND, Table, unique_names
from dpviz.datasets.tables.thousands import note_on_cut_numbers, refuse_runs_of_numbers
from dpviz.datasets.tables.tokens import Tokens
from dpviz.errors import InvalidDataError
from dpviz.text import counted

_BLOCK = 1 << 20
_SHOWN_LINES = 5


def read_delimited(
    data: bytes,
    name: str,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    repair: bool = False,
) -> Table:
    """Read delimited text; settings that are not given are detected.

    Parameters
    ----------
    data : bytes
        The file's content.
    name : str
        Name for the table.
    separator, decimal, header, encoding, repair : optional
        As in :func:`~dpviz.datasets.tables.read_table`.

    Returns
    -------
    Table

    Raises
    ------
    InvalidDataError
        If this is not a table of text, or its rows differ in length.
    MemoryLimitError
        If it has too many rows, columns or cells.
    """
    text, used = decode(data, encoding)
    guessed = not encoding and not used.startswith("utf")
    notes = ["The text is not UTF-8; it was read as Latin-1 (Windows-1252)."] * guessed
    body = text.lstrip("\r\n ").rstrip("\r\n \x1a")
    if not body.strip():
        raise InvalidDataError("The file holds nothing but white space. Choose a file with a table in it.")
    lines_above = _count_lines(text[: len(text) - len(text.lstrip("\r\n "))])
    repairs: tuple[str, ...] = ()
    asked_header, asked_separator = header, separator
    if repair:
        check_shape(max(1, _count_lines(body)), 1)
        body, separator, header, repairs = repair_text(body, separator, header, 1 + lines_above)
    sample = sample_of(body)
    separator = find_dialect(sample).separator if separator is None else separator
    if not repair and '"' in body:
        body = _with_plain_quotes(body, separator, 1 + lines_above)
        sample = sample_of(body)
    as_found = sample
    if separator == " ":
        body, sample = aligned(body, sample), aligned(sample, sample)
    rows = split_rows(sample, separator)
    check_shape(max(1, _count_lines(body)), len(rows[0]))  # before a table of this shape takes up memory
    if asked_separator is None:
        refuse_runs_of_numbers(list(enumerate(rows, 1 + lines_above)), separator)
    cells = [cell for row in rows for cell in row]
    if decimal is None:
        decimal = find_decimal(cells, separator)
        notes += notes_on_marks(cells, decimal)
    header = has_header(rows) if header is None else header
    if asked_header is None:
        notes.append(HEADER_NOTES[header])
    if asked_separator is None and not header:
        notes += notes_on_separator(as_found, separator) or note_on_cut_numbers(rows, separator)
    columns, left_out = without_empty_end(_parse(body, separator, len(rows[0]), header, lines_above))
    named = list(map(unguarded, rows[0]))
    names, renamed = unique_names(named if header else [f"x{position + 1}" for position in range(len(columns))])
    check_shape(len(columns[0]), len(columns))
    frame, changes, units = read_columns(columns, names, [decimal] * len(columns))
    guarded = [name for name, written in zip(named, rows[0], strict=True) if name != written] if header else []
    frame, removed = without_guards(frame, guarded)
    return Table(
        frame=frame,
        name=name,
        format="text",
        encoding=used,
        separator=separator,
        decimal=decimal,
        header=header,
        repairs=repairs,
        notes=(*repairs, *notes, *left_out, *renamed, *changes, *removed),
        units=units,
    )


HEADER_NOTES = {
    True: NAMES_FOUND,
    False: "No names of columns were found; they are called x1, x2, ….",
}


def is_well_formed(text: str, separator: str) -> bool:
    """Whether quotation marks stand around whole cells, or are doubled inside them."""
    pattern, position = some_well_formed(separator), 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:
            return False
        position = match.end()
    return True


def some_well_formed(separator: str) -> re.Pattern[str]:
    """Return the pattern of the next so many pieces of a text: those without marks, and those in marks.

    A cell with doubled marks is several pieces in marks, one next to the other. Python before 3.11.5 goes wrong where a
    possessive quantifier repeats a group that looks behind, and another quantifier keeps every repetition in memory.
    """
    ends = re.escape(separator or SINGLE_COLUMN) + r"\r\n"
    return re.compile(rf'(?:[^"]++|(?:\A|(?<=[{ends}"]))"[^"]*+"(?=[{ends}"]|\Z)){{1,1000}}')


def _with_plain_quotes(text: str, separator: str, first_line: int) -> str:
    """Rewrite cells so that quotation marks stand around cells or are doubled; refuse texts with other marks.

    Raises
    ------
    InvalidDataError
        If marks at the edge of cells quote nothing, since readers differ in their treatment.
    """
    if is_well_formed(text, separator):
        return text
    tokens = Tokens(Dialect(separator))
    rows = list(tokens.rows(text, first_line))
    stray = [row.line for row in rows if row.stray]
    if stray:
        more = f" (and {counted(len(stray) - 1, 'more line')})" if len(stray) > 1 else ""
        raise InvalidDataError(
            f"A quotation mark in line {stray[0]:,}{more} opens a cell and is never closed, or closes none. Check the "
            "quotation marks in the file, or let it be repaired (repair=True)."
        )
    return "\n".join(map(tokens.written, rows))


def _count_lines(text: str) -> int:
    return max(text.count("\n"), text.count("\r"))


def _parse(text: str, separator: str, n_columns: int, header: bool, lines_above: int) -> list[TextColumn]:
    try:
        table = _parse_blocks(text, separator, n_columns)
    except pa.ArrowInvalid as error:
        _explain(text, separator, n_columns, lines_above)
        raise InvalidDataError(f"The text cannot be split into cells ({error}).") from error
    columns = [table.column(position) for position in range(n_columns)]
    return [column.slice(int(header)) for column in columns]


def _parse_blocks(text: str, separator: str, n_columns: int) -> pa.Table:
    """Parse all rows, the header among them, as text."""
    data = text.encode("utf-8")
    names = [str(position) for position in range(n_columns)]
    parse_options = pyarrow.csv.ParseOptions(
        delimiter=separator or SINGLE_COLUMN,
        newlines_in_values='"' in text,
        ignore_empty_lines=bool(separator),
    )
    convert_options = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))

    def parse(block_size: int) -> pa.Table:
        read_options = pyarrow.csv.ReadOptions(use_threads=False, column_names=names, block_size=block_size)
        return pyarrow.csv.read_csv(pa.BufferReader(data), read_options, parse_options, convert_options)

    try:
        return parse(_BLOCK)
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
    return parse(len(data) + 1)  # small blocks parse fastest, but each has to hold at least one whole row


def _explain(text: str, separator: str, n_columns: int, lines_above: int) -> None:
    """Raise with the numbers of the lines whose length differs from the first, if that is what is wrong."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator or SINGLE_COLUMN)
    wrong: list[str] = []
    line = 1 + lines_above
    try:
        for row in reader:
            if row and len(row) != n_columns:
                wrong.append(f"line {line:,} has {counted(len(row), 'value')}")
            line = reader.line_num + 1 + lines_above
    except csv.Error as error:
        raise InvalidDataError(f"Line {line:,} cannot be split into cells ({error}).") from error
    if wrong:
        more = f" and {counted(len(wrong) - _SHOWN_LINES, 'more such line')}" if len(wrong) > _SHOWN_LINES else ""
        raise InvalidDataError(
            f"The rows differ in length: the first has {counted(n_columns, 'value')}, but "
            f"{', '.join(wrong[:_SHOWN_LINES])}{more}. Make all rows equally long and remove titles and remarks "
            "around the table, or let it be repaired (repair=True)."
        )
