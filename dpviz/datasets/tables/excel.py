"""Read the first sheet with data from an Excel workbook (.xlsx)."""

from __future__ import annotations

import datetime
import io
import warnings
from typing import Any

import openpyxl
import pyarrow as pa

from dpviz.datasets.tables.cell_values import read_columns
from dpviz.datasets.tables.header import has_header
from dpviz.datasets.tables.limits import MAX_COLUMNS, MAX_EXCEL_CELLS, check_shape, check_unpacked, refuse_unreadable
from dpviz.datasets.tables.table import Table, listed, unique_names
from dpviz.datasets.tables.text import HEADER_NOTES
from dpviz.errors import InvalidDataError, MemoryLimitError

Row = list[str | None]


def read_excel(
    data: bytes, name: str, *, header: bool | None = None, sheet: str | None = None, repair: bool = False
) -> Table:
    """Read an Excel workbook: stored values only, no formula is computed.

    Parameters
    ----------
    data : bytes
        The file's content, already checked with :func:`~dpviz.datasets.tables.limits.open_archive`.
    name : str
        Name for the table.
    header : bool, optional
        Whether the first row names the columns; found out when omitted.

    Returns
    -------
    Table

    Raises
    ------
    InvalidDataError
        If the workbook is damaged or holds no table.
    MemoryLimitError
        If it holds too many cells.
    """
    with refuse_unreadable("an Excel workbook"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and extensions, which do not matter here
        workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        try:
            rows, notes = _first_table(workbook)
        finally:
            workbook.close()
    if header is None:
        header = has_header([[cell or "" for cell in row] for row in rows[:100]])
        notes.append(HEADER_NOTES[header])
    check_shape(len(rows) - header, len(rows[0]))
    first = [cell or "" for cell in rows[0]] if header else [f"x{position + 1}" for position in range(len(rows[0]))]
    names, renamed = unique_names(first)
    body = rows[1:] if header else rows
    columns = [pa.chunked_array([pa.array(column, pa.large_string())]) for column in zip(*body, strict=True)]
    frame, changes = read_columns(columns, names, decimal=".")
    return Table(frame=frame, name=name, format="excel", header=header, notes=(*notes, *renamed, *changes))


def _first_table(workbook: Any) -> tuple[list[Row], list[str]]:
    for sheet in workbook.worksheets:
        rows = _sheet_rows(sheet)
        if rows:
            others = [other.title for other in workbook.worksheets if other is not sheet]
            notes = [f"Only the sheet “{sheet.title}” was read, not {listed(others)}."] if others else []
            return _without_margins(rows), notes
    raise InvalidDataError("The workbook has no sheet with values in it.")


def _sheet_rows(sheet: Any) -> list[Row]:
    sheet.reset_dimensions()  # what a file claims about its size may be wrong
    rows: list[Row] = []
    n_cells = n_characters = 0
    for values in sheet.iter_rows(values_only=True):
        row = [_cell_text(value) for value in values]
        while row and not row[-1]:
            row.pop()
        rows.append(row)
        n_cells += max(1, len(row))
        n_characters += sum(map(len, filter(None, row)))
        check_unpacked(n_characters)
        if n_cells > MAX_EXCEL_CELLS or len(row) > MAX_COLUMNS:
            raise MemoryLimitError(
                f"The sheet has more than {MAX_EXCEL_CELLS:,} cells or {MAX_COLUMNS:,} columns; "
                "keep fewer, or save it as CSV, which may be larger."
            )
    return rows if any(rows) else []


def _without_margins(rows: list[Row]) -> list[Row]:
    """Drop empty rows around the table and columns without any cell, and pad all rows to the same length."""
    filled = [position for position, row in enumerate(rows) if row]
    rows = rows[filled[0] : filled[-1] + 1]
    width = max(map(len, rows))
    check_shape(len(rows), width)
    padded = [row + [None] * (width - len(row)) for row in rows]
    used = [position for position, column in enumerate(zip(*padded, strict=True)) if any(column)]
    if len(used) > 2 and sum(map(bool, padded[0])) == 1:
        title = next(filter(None, padded[0]))
        raise InvalidDataError(
            f"The first row holds only “{title[:60]}”, a title rather than the names of the columns. "
            "Remove the rows above the table."
        )
    return [[row[position] for position in used] for row in padded]


def _cell_text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return repr(value) if isinstance(value, float) else str(value)
