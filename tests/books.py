"""Workbooks as the bytes of their files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import openpyxl

Rows = Iterable[Sequence[Any]]


def saved(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def workbook(sheets: Rows | Mapping[str, Rows]) -> bytes:
    """A workbook of one sheet with these rows, or of several by their titles."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in (sheets if isinstance(sheets, Mapping) else {"Sheet": sheets}).items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return saved(book)
