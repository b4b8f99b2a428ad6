"""Read a file or pasted text of any format, which is detected from the content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from dpviz.datasets.tables.arrays import read_npy, read_npz
from dpviz.datasets.tables.detection import find_dialect
from dpviz.datasets.tables.dialect import ENCODINGS, SEPARATORS, is_number, sample_of, split_rows
from dpviz.datasets.tables.excel import OLD_WORKBOOK, read_excel
from dpviz.datasets.tables.headings import MAX_HEADER_ROWS
from dpviz.datasets.tables.limits import check_size, open_archive
from dpviz.datasets.tables.parquet import read_parquet
from dpviz.datasets.tables.proposals import Change, accept
from dpviz.datasets.tables.table import Table, clean_name, table_name
from dpviz.datasets.tables.text import read_delimited
from dpviz.errors import InvalidDataError, require, require_flag

TEXT_EXTENSIONS = ("csv", "tsv", "txt", "tab", "dat", "data", "asc", "text", "psv")
EXTENSIONS = (*TEXT_EXTENSIONS, "xlsx", "xlsm", "xls", "ods", "parquet", "npz", "npy")
"""Extensions of the files that can be read."""
PASTED = "your table"
"""Name of a table that was pasted, as headings have it."""

_OF_EXCEL = ("header", "header_rows", "decimal", "repair")
_TOLERATED = ("pq", "")  # often Parquet or text
_EXPECTED = {
    "excel": ("xlsx", "xlsm", "xls"),
    "opendocument": ("ods",),
    "parquet": ("parquet", "pq"),
    "npz": ("npz",),
    "npy": ("npy",),
}
_NAMES = {
    "excel": "an Excel workbook",
    "opendocument": "an OpenDocument workbook",
    "parquet": "a Parquet file",
    "npz": "a NumPy archive",
    "npy": "a NumPy array",
}
_MAY_END_PROCESSES = ("excel", "opendocument", "parquet")
_FOREIGN = {
    b"%PDF": "a PDF document; save the table as CSV",
    b"\x1f\x8b": "a gzip archive; unpack it first",
    b"BZh": "a bzip2 archive; unpack it first",
    b"\xfd7zXZ": "an xz archive; unpack it first",
    b"7z\xbc\xaf": "a 7-Zip archive; unpack it first",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"\x89HDF": "an HDF5 file; save the table as Parquet or npz",
    b"\x7fELF": "a program",
}


def read_here(content: bytes, filename: str, **options: Any) -> Table:
    """Read a table in this process, which a damaged Parquet file or workbook can end.

    Parameters, result and errors are those of :func:`~dpviz.datasets.tables.table_files.read_table`.
    """
    extension = check_asked(len(content), filename, **options)
    try:
        return _read_content(content, table_name(filename), extension, **options)
    finally:
        pa.default_memory_pool().release_unused()


def check_asked(
    n_bytes: int, filename: str, *, sheet: str | None = None, repair: bool = False, **format_of_text: Any
) -> str:
    """Check arguments and return the extension."""
    require(isinstance(filename, str), "filename", filename, "a string")
    _check_options(**format_of_text)
    require_flag("repair", repair)
    require(sheet is None or isinstance(sheet, str), "sheet", sheet, "a string")
    check_size(n_bytes)
    extension = filename.rpartition(".")[2].lower() if "." in filename else ""
    if extension not in EXTENSIONS + _TOLERATED:
        raise InvalidDataError(
            f"Files named “.{clean_name(extension)[:20]}” cannot be read. Choose one of: {', '.join(EXTENSIONS)}."
        )
    return extension


def may_end_process(content: bytes) -> bool:
    """Whether a file, if it is damaged, can end the process that reads it.

    Raises
    ------
    InvalidDataError, MemoryLimitError
        If it holds no table, or an archive that unpacks to too much.
    """
    return _recognise(content) in _MAY_END_PROCESSES


def _read_content(content: bytes, name: str, extension: str, *, sheet: str | None = None, **options: Any) -> Table:
    kind = _recognise(content)
    if kind == "text":
        table = read_delimited(content, name, **options)
        fits = extension in (*TEXT_EXTENSIONS, "")
    else:
        fits = extension in _EXPECTED[kind]
        if kind in ("excel", "opendocument"):
            table = read_excel(content, name, sheet=sheet, **{key: options[key] for key in _OF_EXCEL if key in options})
        else:
            reader = {"parquet": read_parquet, "npz": read_npz, "npy": read_npy}[kind]
            table = reader(content, name, options.get("decimal"))
    if fits:
        return table
    note = f"The file is named “.{extension}” but holds {_NAMES.get(kind, 'text')}; it was read as such."
    return replace(table, notes=(*table.repairs, note, *table.notes[len(table.repairs) :]))


def read_text(
    pasted: str,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    header_rows: int | None = None,
    repair: bool = False,
    accepted: Sequence[Change] = (),
) -> Table:
    """Read a table from pasted text; a single line of numbers is read as one column.

    Parameters
    ----------
    pasted : str
        Delimited text, such as rows copied from a spreadsheet.
    separator, decimal, header, header_rows, repair, accepted : optional
        As in :func:`read_table`.

    Returns
    -------
    Table

    Raises
    ------
    InvalidParameterError, InvalidDataError, MemoryLimitError
        As for :func:`read_table`.
    """
    require(isinstance(pasted, str), "pasted", pasted, "a string")
    _check_options(separator, decimal, header, header_rows=header_rows)
    require_flag("repair", repair)
    check_size(len(pasted))
    try:
        data = pasted.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidDataError(f"The text holds a broken character at position {error.start}. Delete it.") from error
    check_size(len(data))
    line = pasted.strip()
    if separator is None and header_rows is None and "\n" not in line and "\r" not in line:
        cells = _numbers_on(line)
        if len(cells) > 1:
            table = read_delimited("\n".join(cells).encode(), PASTED, separator="", decimal=decimal, header=False)
            said = ("The single line of numbers was read as one column.", *table.notes)
            return accept(replace(table, notes=said), accepted)
    options: dict[str, Any] = {"separator": separator, "decimal": decimal, "header": header, "header_rows": header_rows}
    return accept(read_delimited(data, PASTED, repair=repair, **options), accepted)


def _check_options(
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    header_rows: int | None = None,
) -> None:
    for name, value, allowed, words in (
        ("separator", separator, ("", *SEPARATORS), "a comma, semicolon, tab, bar or space, or empty"),
        ("decimal", decimal, (".", ","), "“.” or “,”"),
        ("encoding", encoding, ENCODINGS, f"one of {', '.join(ENCODINGS)}"),
    ):
        require(value is None or (isinstance(value, str) and value in allowed), name, value, words)
    if header is not None:
        require_flag("header", header)
    if header_rows is not None:
        whole = isinstance(header_rows, int) and not isinstance(header_rows, bool)
        bound = f"a whole number from 1 to {MAX_HEADER_ROWS}"
        require(whole and 1 <= header_rows <= MAX_HEADER_ROWS, "header_rows", header_rows, bound)
        require(header is not False, "header", header, f"True or left out beside header_rows = {header_rows}")


def _numbers_on(line: str) -> list[str]:
    """Return the numbers on a line with only numbers."""
    if not line:
        return []
    sample = sample_of(line)
    rows = split_rows(sample, find_dialect(sample).separator)
    cells = [cell for row in rows for cell in row if cell]
    return cells if all(map(is_number, cells)) else []


def _recognise(content: bytes) -> str:
    """Return a key of ``_NAMES``, or ``"text"``."""
    for magic, what in _FOREIGN.items():
        if content.startswith(magic):
            raise InvalidDataError(f"The file is {what}. Tables in {', '.join(EXTENSIONS)} can be read.")
    if content.startswith(b"PAR1"):
        return "parquet"
    if content.startswith(OLD_WORKBOOK):
        return "excel"
    if content.startswith(b"\x93NUMPY"):
        return "npy"
    if not content.startswith(b"PK\x03\x04"):
        return "text"
    with open_archive(content) as archive:
        members = archive.namelist()
    if any(member.startswith("xl/") for member in members):
        return "excel"
    if {"mimetype", "content.xml"} <= set(members):
        return "opendocument"
    if members and all(member.endswith(".npy") for member in members):
        return "npz"
    raise InvalidDataError("The file is a zip archive, but neither a workbook nor an npz file. Unpack it first.")
