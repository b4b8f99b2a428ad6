"""Read delimited text into columns of numbers and text."""

from __future__ import annotations

import csv
import io
import re

import pyarrow as pa
import pyarrow.csv

from dpviz.datasets.tables.cell_values import TextColumn, is_blank, read_columns, without_empty_end
from dpviz.datasets.tables.detection import find_decimal, find_dialect, notes_on_marks, notes_on_separator
from dpviz.datasets.tables.dialect import (
    SEPARATORS,
    SINGLE_COLUMN,
    Dialect,
    aligned,
    decode,
    places_of_rows,
    sample_of,
    split_rows,
)
from dpviz.datasets.tables.formulas import unguarded, without_guards
from dpviz.datasets.tables.header import has_header
from dpviz.datasets.tables.headings import (
    MAX_HEADER_ROWS,
    check_filled,
    check_left,
    check_named,
    note_on_headings,
    proposed_headings,
    read_headings,
    without_repeats,
)
from dpviz.datasets.tables.limits import check_shape
from dpviz.datasets.tables.repair import repair_text
from dpviz.datasets.tables.table import NAMES_FOUND, Table, unique_names
from dpviz.datasets.tables.thousands import note_on_cut_numbers, refuse_runs_of_numbers
from dpviz.datasets.tables.tokens import Tokens
from dpviz.errors import InvalidDataError
from dpviz.text import counted

_BLOCK = 1 << 20
_SHOWN_LINES = 5
_DECLARED = re.compile(r'"?sep=([^\r\n])"?[ \t]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)
"""First line that Excel writes to say what separates the cells."""


def read_delimited(
    data: bytes,
    name: str,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    header_rows: int | None = None,
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
    separator, decimal, header, header_rows, encoding, repair : optional
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
    start = text.lstrip("\r\n ")
    declared = _DECLARED.match(start)
    named_above: tuple[str, ...] = ()
    line = 0
    if declared:
        line = 1 + _count_lines(text[: len(text) - len(start)])
        named_above = (f"Line {line:,} only names the separator and was left out.",)
        start = start[declared.end() :].lstrip("\r\n")
        separator = _declared_separator(start, declared[1]) if separator is None else separator
    body = start.rstrip("\r\n \x1a")
    if not body.strip():
        raise InvalidDataError("The file holds nothing but white space. Choose a file with a table in it.")
    lines_above = _count_lines(text[: len(text) - len(start)])
    n_blank = lines_above - line
    check_filled(n_blank, header_rows)
    header = True if header_rows else header
    repairs: tuple[str, ...] = ()
    heads: list[list[str]] = []
    places: list[int] = []
    asked_header, asked_separator = header, separator
    if repair:
        check_shape(max(1, _count_lines(body)), 1)
        n_headings = header_rows - n_blank if header_rows else 0
        repaired = repair_text(body, separator, header, 1 + lines_above, n_headings)
        body, separator, header, heads, places, repairs = repaired._replace(repairs=(*named_above, *repaired.repairs))
    else:
        notes += named_above
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
    places = [n_blank + place for place in places or places_of_rows(sample, separator, MAX_HEADER_ROWS)]
    n_headings = sum(place < header_rows for place in places) if header_rows else int(header)
    proposed = (0, "") if header_rows or asked_header is False else proposed_headings(rows, header, heads, places)
    parsed = _parse(body, separator, len(rows[0]), lines_above)
    kept = [place for place, column in enumerate(parsed) if any(row[place] for row in rows) or not is_blank(column)]
    kept = kept or list(range(len(parsed)))
    if len(kept) < len(parsed):
        notes.append(f"Left out: {counted(len(parsed) - len(kept), 'column')} without any cell, not even a name.")
        parsed, rows = [parsed[place] for place in kept], [[row[place] for place in kept] for row in rows]
    check_left(len(parsed[0]) - n_headings, places[:n_headings], header_rows)
    named = [list(map(unguarded, row)) for row in rows[:n_headings]]
    headings = read_headings(named, kept, places[:n_headings])
    check_named(headings.names, header_rows)
    notes += note_on_headings(headings, header_rows) if header_rows else [HEADER_NOTES[header]] * (asked_header is None)
    if asked_separator is None and not header:
        notes += notes_on_separator(as_found, separator) or note_on_cut_numbers(rows, separator)
    columns, left_out = without_empty_end([column.slice(n_headings) for column in parsed])
    columns, repeats = without_repeats(columns, rows[:n_headings])
    names, renamed = unique_names(headings.names, kept)
    check_shape(len(columns[0]), len(columns))
    frame, changes, units = read_columns(columns, names, [decimal] * len(columns))
    heads_as_written = zip(named, rows, strict=False)
    guarded = [name for row in heads_as_written for name, written in zip(*row, strict=True) if name != written]
    frame, removed = without_guards(frame, guarded)
    return Table(
        frame=frame,
        name=name,
        format="text",
        encoding=used,
        separator=separator,
        decimal=decimal,
        header=header,
        header_rows=header_rows or n_headings,
        proposed_headings=proposed,
        descriptions=headings.described(names),
        repairs=repairs,
        notes=(*repairs, *notes, *left_out, *repeats, *renamed, *changes, *removed),
        units=headings.measured(names, units),
    )


HEADER_NOTES = {
    True: NAMES_FOUND,
    False: "No names of columns were found; they are called x1, x2, ….",
}


def _declared_separator(text: str, separator: str) -> str | None:
    """Return the separator that a line above a text names; None if the first line of the text is without it.

    Raises
    ------
    InvalidDataError
        If no text with that separator can be read.
    """
    if separator not in text.partition("\n")[0]:
        return None
    if separator not in SEPARATORS:
        raise InvalidDataError(
            f"The first line names “{separator}” as the separator of the cells, and only a comma, semicolon, tab, bar "
            "or space can be. Save the file with one of these, or choose the separator."
        )
    return separator


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


def _parse(text: str, separator: str, n_columns: int, lines_above: int) -> list[TextColumn]:
    """Parse all rows, headings among them, as columns of text."""
    try:
        table = _parse_blocks(text, separator, n_columns)
    except pa.ArrowInvalid as error:
        _explain(text, separator, n_columns, lines_above)
        raise InvalidDataError(f"The text cannot be split into cells ({error}).") from error
    return [table.column(position) for position in range(n_columns)]


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
