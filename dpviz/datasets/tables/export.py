"""The one writer of tables as CSV: spreadsheets execute nothing in them, and dpviz reads back what was written."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from numbers import Number

import numpy as np
import pandas as pd

from dpviz.arrays import IntArray
from dpviz.datasets.tables.formulas import guarded
from dpviz.datasets.tables.limits import MAX_EXACT_INTEGER
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


def export_parts(parts: Iterable[tuple[pd.DataFrame, IntArray]], names: Sequence[str]) -> bytes:
    """Write parts of a large table below each other, as :func:`export_csv` would write them as one.

    Parameters
    ----------
    parts : iterable of (pandas.DataFrame, ndarray of int)
        Some rows each: their first columns, and their numbers (n, C) in all others, where −1 is an empty cell.
    names : sequence of str
        Of these C columns, without what CSV would put into quotation marks.
    """
    written = bytearray()
    for frame, numbers in parts:
        # pandas takes ten times as long for so many columns
        words = np.array([*map(str, range(numbers.max(initial=-1) + 1)), ""], dtype=object)
        lines = [names] * (not written) + words[numbers].tolist()
        behind = (f",{','.join(line)}" for line in lines)
        written += csv_text(frame, _ROW_END, header=not written, behind=behind).encode("utf-8", "replace")
    return bytes(written)


def csv_text(frame: pd.DataFrame, row_end: str = "\n", header: bool = True, behind: Iterable[str] = ()) -> str:
    """Write a table as text, as :func:`export_csv` does; a row ends in what is ``behind`` it, and in ``row_end``."""
    columns = []
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if not pd.api.types.is_numeric_dtype(column.dtype):
            column = column.astype(object).map(_cell, na_action="ignore")
        columns.append(_as_counted(column) if column.dtype == np.float64 else column)
    safe = pd.concat(columns, axis=1) if columns else frame
    rows = _Rows(row_end, behind)
    names = [str(_cell(name)) for name in frame.columns]
    safe.to_csv(rows, index=False, header=names if header else False, lineterminator=_ROW_END)
    return rows.getvalue()


def _as_counted(column: pd.Series) -> pd.Series:
    """Return whole numbers with gaps, which pandas keeps as 2.0, as the whole numbers that they were; others as is."""
    values = column.to_numpy()
    gaps = np.isnan(values)
    present = values[~gaps]
    whole = np.all((present == np.floor(present)) & (np.abs(present) <= MAX_EXACT_INTEGER))
    if not gaps.any() or not whole or np.any(np.signbit(present) & (present == 0)):
        return column
    return column.astype("Int64")


class _Rows(io.StringIO):
    """A text that gets whole rows, and ends them its own way."""

    def __init__(self, row_end: str, behind: Iterable[str]) -> None:
        super().__init__(newline="")
        self._row_end, self._behind = row_end, iter(behind)

    def write(self, row: str) -> int:
        """Append a row."""
        return super().write(f"{row.removesuffix(_ROW_END)}{next(self._behind, '')}{self._row_end}")


def _cell(value: object) -> object:
    return value if isinstance(value, Number) else guarded(str(value))
