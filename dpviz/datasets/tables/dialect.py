"""Find out how a text file is written: its encoding, separator, decimal mark and header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from dpviz.datasets.tables.cells import GROUPED, MISSING, MISSING_NUMBERS, PLAIN
from dpviz.errors import InvalidDataError

SEPARATORS = {"\t": 0.02, ";": 0.015, ",": 0.01, "|": 0.005, " ": -0.3}
"""The separators that are tried, with how much each is preferred where several fit."""

SINGLE_COLUMN = "\x1f"  # what parsers split at, in vain, where there is a single column
_SAMPLE_ROWS = 100
_SAMPLE_CHARACTERS = 1_000_000
_MAX_CONTROL_SHARE = 0.01
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a\x1b"))
_BYTE_ORDER_MARKS = {  # UTF-32 first: its little-endian mark begins with that of UTF-16
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_NUMBER = re.compile("|".join([*PLAIN.values(), *GROUPED.values()]), re.ASCII)
_GROUPED = re.compile("|".join(GROUPED.values()), re.ASCII)
_FRACTION = {mark: re.compile(rf"^[+-]?\d*{re.escape(mark)}\d+([eE][+-]?\d+)?$", re.ASCII) for mark in PLAIN}
_SPACES = re.compile(r'("[^"]*")|[ \t]+')


def decode(data: bytes) -> tuple[str, str]:
    """Decode a text file in UTF-8, UTF-16, UTF-32 (with a byte order mark) or Latin-1 (read as Windows-1252).

    Returns
    -------
    text : str
    encoding : str
        The Python codec that was used.

    Raises
    ------
    InvalidDataError
        If the bytes are not text.
    """
    marked = next((codec for mark, codec in _BYTE_ORDER_MARKS.items() if data.startswith(mark)), "")
    for encoding in [marked] if marked else [*_utf16_without_mark(data), "utf-8", "cp1252", "latin-1"]:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        break
    else:
        raise InvalidDataError(f"The file starts like {marked} text but is not. Save it again as UTF-8.")
    plain = text.encode("utf-8")
    if b"\0" in plain:
        raise InvalidDataError("The file contains NUL bytes, so it is not a text file. Save the table as CSV in UTF-8.")
    if len(plain) - len(plain.translate(None, _CONTROLS)) > _MAX_CONTROL_SHARE * len(plain):
        raise InvalidDataError("The file is binary, not text. Save the table as CSV, Excel (.xlsx), Parquet or npz.")
    return text, encoding


def _utf16_without_mark(data: bytes) -> list[str]:
    """Recognise UTF-16 by its zero bytes: every other byte of mostly Latin text is one."""
    even, odd = data[:2000:2], data[1:2000:2]
    zeros = (even.count(0) / max(1, len(even)), odd.count(0) / max(1, len(odd)))
    if len(data) % 2 or max(zeros) < 0.7:
        return []
    return ["utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"]


def sample_of(text: str) -> str:
    """Return the first lines of a text, complete ones only.

    Raises
    ------
    InvalidDataError
        If already the first line is too long for a table.
    """
    if len(text) <= _SAMPLE_CHARACTERS:
        return text
    end = max(text.rfind(newline, 0, _SAMPLE_CHARACTERS) for newline in "\n\r")
    if end < 0:
        raise InvalidDataError(
            f"The first line is longer than {_SAMPLE_CHARACTERS:,} characters; this is not a table of rows and columns."
        )
    return text[:end]


def single_spaced(text: str) -> str:
    """Reduce every run of spaces and tabs outside quotation marks to one space, line by line."""
    lines = io.StringIO(text, newline="")
    if '"' not in text:
        return "\n".join(" ".join(line.split()) for line in lines)
    return "\n".join(_SPACES.sub(lambda match: match[1] or " ", line.rstrip("\r\n")).strip(" ") for line in lines)


def split_rows(sample: str, separator: str) -> list[list[str]]:
    """Split the first rows into trimmed cells; blank lines are skipped unless there is a single column.

    Raises
    ------
    InvalidDataError
        If a cell has no end.
    """
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator or SINGLE_COLUMN)
    try:
        rows = list(islice((row or [""] for row in reader if row or not separator), _SAMPLE_ROWS))
    except csv.Error as error:
        raise InvalidDataError(
            f"The text cannot be split into cells ({error}). Check the quotation marks in the file."
        ) from error
    return [[cell.strip() for cell in row] for row in rows]


def is_number(cell: str) -> bool:
    """Say whether a cell is a number written with a decimal point or a decimal comma."""
    return bool(_NUMBER.match(cell))


def is_missing(cell: str) -> bool:
    """Say whether a cell stands for a missing value."""
    return cell in MISSING or cell in MISSING_NUMBERS


def find_separator(sample: str) -> str:
    """Find what separates the cells: the mark that gives rows of equal length with many numbers in them.

    Returns
    -------
    str
        A key of ``SEPARATORS``, or ``""`` for a single column.
    """
    scores = {separator: _score(sample, separator) for separator in ("", *SEPARATORS)}
    return max(scores, key=lambda separator: scores[separator])


def _score(sample: str, separator: str) -> float:
    if separator not in sample:
        return -1.0
    try:
        rows = split_rows(single_spaced(sample) if separator == " " else sample, separator)
    except InvalidDataError:
        return -1.0
    width, frequency = Counter(map(len, rows)).most_common(1)[0]
    cells = [cell for row in rows[1:] or rows for cell in row if not is_missing(cell)]
    share_of_numbers = sum(map(is_number, cells)) / max(1, len(cells))
    if not separator:
        # Numbers below each other are a good sign; text is what remains when no separator fits.
        name = rows[0][0]
        return 1.5 if share_of_numbers == 1 and (is_number(name) or not re.search("[\t;,|]", name)) else 0.1
    if width < 2:
        return -1.0
    # A first line of another length is a title, or the name above decimal commas that look like separators.
    even = frequency / len(rows) * (1.0 if len(rows[0]) == width else 0.5)
    return even * (1 + share_of_numbers) + SEPARATORS[separator]


def find_decimal(cells: Sequence[str], separator: str) -> str:
    """Find the decimal mark that most cells show.

    Cells such as ``1,234`` show none: they decide only between semicolons, which spreadsheets write where the comma is
    the decimal mark.
    """
    shown = {mark: sum(_shows(cell, mark) for cell in cells) for mark in _FRACTION}
    if shown["."] == shown[","] == 0 and separator == ";":
        return "," if any(_FRACTION[","].match(cell) for cell in cells) else "."
    return "," if shown[","] > shown["."] else "."


def _shows(cell: str, mark: str) -> bool:
    return bool(_FRACTION[mark].match(cell)) and not _GROUPED.match(cell)


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the first of some rows names the columns.

    It does if it has text above a column of numbers, or if it holds distinct texts that do not recur below them.
    """
    first, below = rows[0], rows[1:]
    names = [cell for cell in first if not is_missing(cell)]
    if not names or all(map(is_number, names)):
        return False
    columns = [[row[position] for row in below if position < len(row)] for position in range(len(first))]
    for cell, column in zip(first, columns, strict=True):
        present = [entry for entry in column if not is_missing(entry)]
        if present and all(map(is_number, present)) and not is_number(cell) and not is_missing(cell):
            return True
    if any(map(is_number, names)) or len(set(names)) < len(names):
        return False
    return not any(cell in column for cell, column in zip(first, columns, strict=True) if not is_missing(cell))
