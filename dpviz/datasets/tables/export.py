"""The one writer of tables as CSV: spreadsheets execute nothing in them, and dpviz reads back what was written."""

from __future__ import annotations

import io
from collections.abc import Iterable
from numbers import Number

import pandas as pd

from dpviz.datasets.tables.formulas import guarded
from dpviz.errors import require_kind

_ROW_END = "\r\n"
"""With both characters at its end Python quotes both inside cells; with “\n” alone a carriage return splits a row."""


def export_csv(frame: pd.DataFrame) -> bytes:
    """Write a table as UTF-8 CSV; text that might be a formula gets an apostrophe, numbers are kept exactly.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table; its index is not written. It is not changed.

    Returns
    -------
    bytes
        The file's content, with a header line. :func:`~dpviz.datasets.tables.read_table` takes the apostrophes off.
    """
    require_kind("frame", frame, pd.DataFrame, "a pandas DataFrame")
    return csv_text(frame, _ROW_END).encode("utf-8", "replace")


def export_parts(parts: Iterable[pd.DataFrame]) -> bytes:
    """Write tables with the same columns below each other, as :func:`export_csv` writes one; none needs to be whole."""
    written = bytearray()
    for part in parts:
        written += csv_text(part, _ROW_END, header=not written).encode("utf-8", "replace")
    return bytes(written)


def csv_text(frame: pd.DataFrame, row_end: str = "\n", header: bool = True) -> str:
    """Write a table as text, as :func:`export_csv` does; ``row_end`` ends every row."""
    columns = []
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if not pd.api.types.is_numeric_dtype(column.dtype):
            column = column.astype(object).map(_cell, na_action="ignore")
        columns.append(column)
    safe = pd.concat(columns, axis=1) if columns else frame
    rows = _Rows(row_end)
    names = [str(_cell(name)) for name in frame.columns]
    safe.to_csv(rows, index=False, header=names if header else False, lineterminator=_ROW_END)
    return rows.getvalue()


class _Rows(io.StringIO):
    """A text that gets whole rows, and ends them its own way."""

    def __init__(self, row_end: str) -> None:
        super().__init__(newline="")
        self._row_end = row_end

    def write(self, row: str) -> int:
        """Append a row."""
        return super().write(row.removesuffix(_ROW_END) + self._row_end)


def _cell(value: object) -> object:
    return value if isinstance(value, Number) else guarded(str(value))
