"""Read a table from a file's content, in another process where a damaged file can end the one that reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpviz.datasets.tables.isolated import read_isolated
from dpviz.datasets.tables.proposals import Change, accept
from dpviz.datasets.tables.read import check_asked, may_end_process, read_here
from dpviz.datasets.tables.table import Table
from dpviz.errors import require


def read_table(
    data: bytes,
    filename: str,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    header_rows: int | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    repair: bool = False,
    accepted: Sequence[Change] = (),
) -> Table:
    r"""Read a table from a file's content. Nothing in the file is executed and nothing is unpickled.

    Delimited text, workbooks of Excel and OpenDocument, Parquet, npy and npz files are recognised by their content; the
    extension must be one of ``EXTENSIONS``, and a note says when it does not fit. Workbooks and Parquet are read in
    another process, since damaged files end the process that reads them.

    Parameters
    ----------
    data : bytes
        The content, at most ``MAX_BYTES`` bytes.
    filename : str
        The file's name.
    separator : {",", ";", "\t", "|", " ", ""}, optional
        Separator of the cells of a text; ``""`` for a single column. Detected when omitted.
    decimal : {".", ","}, optional
        The decimal mark in a text, or of numbers that another file holds as text, if both readings are possible.
        Detected when omitted.
    header : bool, optional
        Whether the first line of a text or sheet names the columns. Detected when omitted.
    header_rows : int, optional
        How many rows head the table, from 1 to 20, where it is not the first or none, counted from the first line with
        blank ones and titles: names under merged ones, units, descriptions of the columns and codes of an export are
        known as such. A note says what they were taken for.
    encoding : str, optional
        The encoding of a text, one of ``ENCODINGS``. Detected when omitted.
    sheet : str, optional
        The sheet of a workbook. The first with values in it when omitted.
    repair : bool
        Whether to read text and sheets that are not clean tables: rows that are too short or too long, stray quotation
        marks, titles, remarks and further tables around the table. ``Table.repairs`` lists the changes, by line.
        When False, such files are refused.
    accepted : sequence of (str, float or str or None)
        Changes that were proposed: a column, and the number whose cells are emptied; ``("", None)`` deletes copied
        rows; ``"day first"`` or ``"month first"`` is how dates are read of which the day may be the month.

    Returns
    -------
    Table

    Raises
    ------
    InvalidParameterError
        If an argument has an invalid value.
    InvalidDataError
        If the content is not a table that can be read.
    MemoryLimitError
        If it is too large.
    """
    require(isinstance(data, (bytes, bytearray, memoryview)), "data", type(data).__name__, "the bytes of a file")
    options: dict[str, Any] = {"separator": separator, "decimal": decimal, "header": header, "encoding": encoding}
    options |= {"sheet": sheet, "repair": repair, "header_rows": header_rows}
    check_asked(len(data), filename, **options)
    content = bytes(data)
    if not may_end_process(content):
        return accept(read_here(content, filename, **options), accepted)
    table = read_isolated(content, filename, **options)
    return accept(replace(table, frame=table.frame.copy()), accepted)  # the copy is not read-only
