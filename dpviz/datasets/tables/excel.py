"""Read a sheet from a workbook: Excel's, new (.xlsx) or old (.xls), or OpenDocument's (.ods)."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from dpviz.datasets.tables import tokens
from dpviz.datasets.tables.cell_values import TextColumn, read_columns
from dpviz.datasets.tables.detection import decimal_of_texts
from dpviz.datasets.tables.dialect import SAMPLE_ROWS
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
from dpviz.datasets.tables.limits import (
    MAX_COLUMNS,
    MAX_EXACT_INTEGER,
    MAX_EXCEL_CELLS,
    check_shape,
    check_unpacked,
    open_archive,
    refuse_unreadable,
)
from dpviz.datasets.tables.repair import Repairs, arrange
from dpviz.datasets.tables.table import Table, clean_name, listed, unique_names
from dpviz.datasets.tables.text import HEADER_NOTES
from dpviz.datasets.tables.workbook_parts import check_parts
from dpviz.errors import InvalidDataError, MemoryLimitError, extra

Row = list[str | None]
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
"""Beginning of old workbooks, and of all that are protected by a password."""


class _Number(str):
    """A cell that the workbook holds as a number, with a decimal point."""

    __slots__ = ()


def read_excel(
    data: bytes,
    name: str,
    *,
    header: bool | None = None,
    header_rows: int | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    repair: bool = False,
) -> Table:
    """Read a workbook: stored values only, no formula is computed.

    A sheet is laid out in memory up to its last cell, wherever that is, so this belongs in a process with limits.

    Parameters
    ----------
    data : bytes
        The file's content, if a zip archive already checked with :func:`~dpviz.datasets.tables.limits.open_archive`.
    name : str
        Name for the table.
    header : bool, optional
        Whether the first row names the columns; detected when omitted.
    header_rows : int, optional
        How many rows head the table, if not the first or none.
    decimal : {".", ","}, optional
        The decimal mark of numbers that are text; detected when omitted.
    sheet : str, optional
        The sheet to read; the first with values in it when omitted.
    repair : bool
        Whether to leave out titles, remarks and further tables instead of refusing them.

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
    with extra("app", "reading a workbook"):
        import python_calamine

    is_old, lacks_values = data.startswith(OLD_WORKBOOK), False
    with refuse_unreadable("an old Excel file (.xls) or one protected by a password" if is_old else "a workbook"):
        if not is_old:
            with open_archive(data) as archive:
                lacks_values = check_parts(archive)
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            cells = python_calamine.SheetTypeEnum.WorkSheet
            sheets = tuple(other.name for other in workbook.sheets_metadata if other.typ == cells)
            title, rows, first = _find_sheet(workbook, sheets, sheet)
    others = [other for other in sheets if other != title]
    notes = [f"Only the sheet “{title}” was read, not {listed(others)}."] if others else []
    notes += [NOT_STORED] * lacks_values
    repairs = Repairs()
    header = True if header_rows else header
    asked_header, heads = header, list[list[str]]()
    n_blank = next(position for position, row in enumerate(rows) if row)
    check_filled(n_blank, header_rows)
    if repair:
        rows, used, header, heads, places = _repaired(rows, header, repairs, header_rows or 0)
    else:
        rows, used = _without_margins(rows, refuse_title=header_rows is None)
        places = list(range(n_blank, n_blank + min(len(rows), MAX_HEADER_ROWS)))
    in_sheet = [first + place for place in used]
    sample = [[(cell or "").strip() for cell in row] for row in rows[:SAMPLE_ROWS]]
    header = has_header(sample) if header is None else header
    n_headings = sum(place < header_rows for place in places) if header_rows else int(header)
    proposed = (0, "") if header_rows or asked_header is False else proposed_headings(sample, header, heads, places)
    check_left(len(rows) - n_headings, places[:n_headings], header_rows)
    headings = read_headings(sample[:n_headings], in_sheet, places[:n_headings])
    check_named(headings.names, header_rows)
    notes += note_on_headings(headings, header_rows) if header_rows else [HEADER_NOTES[header]] * (asked_header is None)
    check_shape(len(rows) - n_headings, len(rows[0]))
    names, renamed = unique_names(headings.names, in_sheet)
    body = rows[n_headings:]
    decimal, notes_on_marks = decimal_of_texts(_texts(body), decimal)
    notes += notes_on_marks
    columns, decimals = zip(*(_column(cells, decimal or ".") for cells in zip(*body, strict=True)), strict=True)
    kept, repeats = without_repeats(columns, sample[:n_headings])
    frame, changes, units = read_columns(kept, names, decimals)
    return Table(
        frame=frame,
        name=name,
        format="excel",
        decimal=decimal,
        header=header,
        header_rows=header_rows or n_headings,
        proposed_headings=proposed,
        descriptions=headings.described(names),
        sheet=title,
        sheets=sheets,
        repairs=repairs.in_words(),
        notes=(*repairs.in_words(), *notes, *repeats, *renamed, *changes),
        units=headings.measured(names, units),
    )


def _texts(rows: list[Row]) -> list[str]:
    """Return the cells of the first rows that the workbook holds as text."""
    return [cell.strip() for row in rows[:SAMPLE_ROWS] for cell in row if cell and not isinstance(cell, _Number)]


def _column(cells: Sequence[str | None], decimal: str) -> tuple[TextColumn, str]:
    """Return a column and its decimal mark: that of its text, with which numbers among it are written too."""
    if decimal == "," and any(cell and not isinstance(cell, _Number) for cell in cells):
        cells = [cell.replace(".", ",") if isinstance(cell, _Number) else cell for cell in cells]
    else:
        decimal = "."
    return pa.chunked_array([pa.array(cells, pa.large_string())]), decimal


NOT_STORED = (
    "The workbook has formulas without stored values, which count as missing cells, since none is computed here. Open "
    "it in a spreadsheet program and save it to have them."
)


def _find_sheet(workbook: Any, sheets: Sequence[str], title: str | None) -> tuple[str, list[Row], int]:
    """Return title, rows and place of the first column of the requested sheet, or of the first with values."""
    asked = [sheet for sheet in sheets if title in (None, sheet)]
    if not asked:
        raise InvalidDataError(
            f"The workbook has no sheet “{clean_name(title or '')}”. Its sheets are {listed(sheets)}."
        )
    for sheet in asked:
        cells = workbook.get_sheet_by_name(sheet)
        rows = _sheet_rows(cells)
        if rows:
            return sheet, rows, cells.start[1]
    raise InvalidDataError("The workbook has no sheet with values in it." if title is None else "The sheet is empty.")


def _repaired(
    rows: list[Row], header: bool | None, repairs: Repairs, header_rows: int
) -> tuple[list[Row], list[int], bool, list[list[str]], list[int]]:
    width = max(map(len, rows))
    check_shape(len(rows), width)
    numbered = [
        tokens.Row(position, [cell or "" for cell in row] + [""] * (width - len(row)) if any(row) else [""])
        for position, row in enumerate(rows, start=1)
    ]
    kept, header, heads, places = arrange(numbered, header, repairs, header_rows)
    if not kept:
        raise InvalidDataError("No row of the sheet has values in more than one column, so there is no table in it.")
    cells: list[Row] = [[cell or None for cell in row.cells] for row in kept]
    return *_without_margins(cells, refuse_title=not header_rows), header, heads, places


def _sheet_rows(sheet: Any) -> list[Row]:
    rows: list[Row] = []
    n_cells = n_characters = 0
    for values in sheet.iter_rows():
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


def _without_margins(rows: list[Row], refuse_title: bool) -> tuple[list[Row], list[int]]:
    """Drop empty rows around the table and columns without any cell, pad all rows, and say which columns are left."""
    filled = [position for position, row in enumerate(rows) if row]
    rows = rows[filled[0] : filled[-1] + 1]
    width = max(map(len, rows))
    check_shape(len(rows), width)
    padded = [row + [None] * (width - len(row)) for row in rows]
    used = [position for position, column in enumerate(zip(*padded, strict=True)) if any(column)]
    if refuse_title and len(used) > 2 and sum(map(bool, padded[0])) == 1:
        title = next(filter(None, padded[0]))
        raise InvalidDataError(
            f"The first row holds only “{title[:60]}”, a title rather than the names of the columns. "
            "Remove the rows above the table, or let it be repaired (repair=True)."
        )
    return [[row[position] for position in used] for row in padded], used


def _cell_text(value: object) -> str | None:
    if value == "":
        return None
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, (int, float)):
        is_whole = abs(value) < MAX_EXACT_INTEGER and value == int(value)
        return _Number(int(value) if is_whole else value)
    return str(value)
