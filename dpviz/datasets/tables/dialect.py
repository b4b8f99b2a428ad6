"""What a text file consists of: its encoding, rows, cells and numbers."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from dpviz.datasets.tables.cell_values import GROUPED, MISSING, MISSING_NUMBERS, PLAIN
from dpviz.errors import InvalidDataError

SEPARATORS = ("\t", ";", ",", "|", " ")
"""The separators that are tried."""

ENCODINGS = {
    "utf-8": "Unicode (UTF-8)",
    "utf-16": "Unicode (UTF-16)",
    "cp1252": "Western European (Windows)",
    "latin-1": "Western European (ISO Latin-1)",
    "mac-roman": "Western European (old Mac)",
    "cp437": "Western European (DOS)",
    "cp1250": "Central European (Windows)",
    "cp1251": "Cyrillic (Windows)",
    "shift_jis": "Japanese (Shift-JIS)",
    "gb18030": "Chinese (GB 18030)",
}
"""The encodings that can be requested, besides detected ones, and their titles."""

SINGLE_COLUMN = "\x1f"  # a separator that never occurs, for a single column
SAMPLE_ROWS = 100
MAX_NUMBER_LENGTH = 400
"""Longest cell that may be a number: no double needs more digits, and no pattern ever sees a longer text."""

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
_NUMBER = {mark: re.compile(f"{PLAIN[mark]}|{GROUPED[mark]}", re.ASCII) for mark in PLAIN}
_SPACES = re.compile(r'("[^"]*")|[ \t]+')


@dataclass(frozen=True)
class Dialect:
    r"""Separator, quotation and escape characters of a text.

    Attributes
    ----------
    separator : str
        One of ``SEPARATORS``, or ``""`` for a single column.
    quote : str
        The character around cells that hold separators.
    escape : str
        The character that escapes a quotation mark, besides doubling it; ``""`` if there is none.
    """

    separator: str
    quote: str = '"'
    escape: str = ""


def decode(data: bytes, encoding: str | None = None) -> tuple[str, str]:
    """Decode a text file in UTF-8, UTF-16, UTF-32 (with a byte order mark) or Latin-1 (read as Windows-1252).

    Parameters
    ----------
    data : bytes
    encoding : str, optional
        One of ``ENCODINGS``, instead of detecting it.

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
    text, encoding = _decoded(data, encoding)
    plain = text.encode("utf-8", "surrogatepass")
    if b"\0" in plain:
        raise InvalidDataError("The file contains NUL bytes, so it is not a text file. Save the table as CSV in UTF-8.")
    if len(plain) - len(plain.translate(None, _CONTROLS)) > _MAX_CONTROL_SHARE * len(plain):
        raise InvalidDataError("The file is binary, not text. Save the table as CSV, Excel (.xlsx), Parquet or npz.")
    return text, encoding


def _decoded(data: bytes, encoding: str | None) -> tuple[str, str]:
    marked = next((codec for mark, codec in _BYTE_ORDER_MARKS.items() if data.startswith(mark)), "")
    guesses = [marked] if marked else [*_utf16_without_mark(data), "utf-8", "cp1252", "latin-1"]
    if encoding is not None:
        guesses = ["utf-8-sig" if encoding == "utf-8" else encoding]
    for guess in guesses:
        try:
            return data.decode(guess), guess
        except UnicodeDecodeError:
            continue
    if encoding is not None:
        raise InvalidDataError(f"The file is not {encoding} text. Choose another encoding, or let it be found out.")
    raise InvalidDataError(f"The file starts like {marked} text but is not. Save it again as UTF-8.")


def _utf16_without_mark(data: bytes) -> list[str]:
    """Recognise UTF-16 by its zero bytes: every other byte of mostly Latin text is zero."""
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
        If the first line is too long for a table.
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
    if '"' not in text and text.isascii():  # else a space inside a number would split it
        return "\n".join(" ".join(line.split()) for line in lines)
    return "\n".join(_SPACES.sub(lambda match: match[1] or " ", line.rstrip("\r\n")).strip(" ") for line in lines)


def aligned(text: str, sample: str) -> str:
    """Reduce runs of spaces to one, unless two spaces in a row have an empty cell between them.

    That is the case if it makes all rows of the sample equally long, and one space between cells does not.
    """
    return text if is_even(sample) and not is_even(single_spaced(sample)) else single_spaced(text)


def is_even(sample: str, separator: str = " ") -> bool:
    """Return whether splitting at a separator gives rows of equal length."""
    try:
        return len(set(map(len, split_rows(sample, separator)))) == 1
    except InvalidDataError:
        return False


def split_rows(sample: str, separator: str) -> list[list[str]]:
    """Split the first rows into trimmed cells; blank lines are skipped unless there is a single column.

    Raises
    ------
    InvalidDataError
        If a quoted cell is never closed.
    """
    try:
        rows = list(islice((row or [""] for row in _reader(sample, separator) if row or not separator), SAMPLE_ROWS))
    except csv.Error as error:
        raise InvalidDataError(
            f"The text cannot be split into cells ({error}). Check the quotation marks in the file."
        ) from error
    return [[cell.strip() for cell in row] for row in rows]


def places_of_rows(sample: str, separator: str, n_rows: int) -> list[int]:
    """Return which of the first so many rows, from 0, are not the blank lines that :func:`split_rows` skips."""
    first = enumerate(islice(_reader(sample, separator), n_rows))
    return [place for place, row in first if row or not separator]


def _reader(sample: str, separator: str) -> Iterator[list[str]]:
    delimiter, spaced = separator or SINGLE_COLUMN, separator not in ("", " ", "\t")
    return csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter, skipinitialspace=spaced)


def is_number(cell: str, marks: str = ".,") -> bool:
    """Return whether a cell is a number written with one of some decimal marks, by default a point or a comma."""
    return len(cell) <= MAX_NUMBER_LENGTH and any(_NUMBER[mark].match(cell) for mark in marks)


def is_missing(cell: str) -> bool:
    """Return whether a cell marks a missing value."""
    return cell in MISSING or cell in MISSING_NUMBERS
