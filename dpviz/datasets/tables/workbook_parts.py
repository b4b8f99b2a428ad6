"""Check the parts of a workbook that is a zip archive before any of them is parsed."""

from __future__ import annotations

import functools
import re
import zipfile
from collections.abc import Iterator

from dpviz.datasets.tables.limits import MAX_EXCEL_CELLS, MAX_UNPACKED_BYTES
from dpviz.errors import InvalidDataError, MemoryLimitError

MAX_CELL_ELEMENTS = 5 * MAX_EXCEL_CELLS
"""Most elements in all sheets and shared texts, of which a number takes two, a text in the sheet three."""

MAX_OTHER_ELEMENTS = 250_000
MAX_OTHER_BYTES = 50_000_000
"""Most elements and bytes in all other parts, which hold no cells: styles, themes, properties."""

MAX_DEPTH = 1_000
MAX_LAID_OUT = 10 * MAX_EXCEL_CELLS
"""Most places of a sheet up to its last cell, each of which takes memory, whether it holds anything or not."""

_CHUNK = 1 << 16
_OVERLAP = 64  # characters, more than the pattern below needs
_LARGE_PARTS = ("xl/worksheets/", "xl/sharedStrings.xml", "content.xml")
_TEXTS = (".xml", ".rels", ".vml")
_PLACE = re.compile(rb"""\br=["']([A-Za-z]{1,3})(\d{1,7})["']""")
_NOT_STORED = re.compile(rb"(?:</f>|<f[^<>]*/>)\s?(?:<v\s?/>|<v></v>)?\s?</c>")


def check_parts(archive: zipfile.ZipFile) -> bool:
    """Refuse a workbook whose parts would take too much time or memory to parse.

    Parameters
    ----------
    archive : zipfile.ZipFile
        Already known to unpack to no more than ``MAX_UNPACKED_BYTES``.

    Returns
    -------
    bool
        Whether an Excel workbook has formulas without stored values.

    Raises
    ------
    InvalidDataError
        If a part declares entities, is nested too deeply or is not UTF-8, or the parts are binary (.xlsb).
    MemoryLimitError
        If the parts hold too many elements or bytes, or a sheet has a cell too far from its first.
    """
    totals = {"cells": [0, 0], "other": [0, 0]}
    limits = {"cells": (MAX_CELL_ELEMENTS, MAX_UNPACKED_BYTES), "other": (MAX_OTHER_ELEMENTS, MAX_OTHER_BYTES)}
    lacks_values = False
    for member in archive.infolist():
        if member.filename.lower() == "xl/workbook.bin":
            raise InvalidDataError("The workbook is a binary one (.xlsb). Save it as an Excel workbook (.xlsx).")
        group = "cells" if member.filename.startswith(_LARGE_PARTS) else "other"
        part = _Part(member.filename)
        for chunk in _chunks(archive, member):
            for position, number in enumerate(part.take(chunk)):
                totals[group][position] += number
            if any(total > limit for total, limit in zip(totals[group], limits[group], strict=True)):
                raise MemoryLimitError(
                    f"“{part.name}” in the workbook holds more than can be read ({totals[group][0]:,} elements by "
                    "then). Keep fewer cells, or save the table as CSV, which may be larger."
                )
        part.finish()
        lacks_values |= part.lacks_values
    return lacks_values


def _chunks(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Unpack a member in chunks if it is XML by its name, or begins as XML does: with a tag or a byte order mark."""
    with archive.open(member) as stream:
        chunk = stream.read(_CHUNK)
        begins = chunk.lstrip(b" \t\r\n").startswith((b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
        if not member.filename.lower().endswith(_TEXTS) and not begins and chunk.strip():
            return
        while chunk:
            yield chunk
            chunk = stream.read(_CHUNK)


class _Part:
    """Counts the elements and bytes of one part, without parsing it."""

    def __init__(self, name: str) -> None:
        self.name = name[:80]
        self.lacks_values = False
        self._is_sheet = name.startswith("xl/worksheets/")
        self._columns = self._rows = 0
        self._depth = 0
        self._rest = self._tail = b""

    def take(self, chunk: bytes) -> tuple[int, int]:
        """Count the elements and bytes in the next chunk."""
        if b"\0" in chunk:
            raise InvalidDataError(f"“{self.name}” in the workbook is not UTF-8 text. Save the workbook again.")
        data = self._rest + chunk
        end = data.rfind(b"<")  # what follows may be half a tag
        if end <= 0 or len(data) - end > _CHUNK:
            end = len(data)
        self._rest = data[end:]
        return self._count(data[:end]), len(chunk)

    def finish(self) -> None:
        """Count the remaining bytes."""
        self._count(self._rest)

    def _count(self, data: bytes) -> int:
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise InvalidDataError(f"“{self.name}” in the workbook declares entities. Save the workbook again.")
        closed = data.count(b"</")
        opened = data.count(b"<") - closed - data.count(b"<?") - data.count(b"<!")
        self._depth += opened - closed - data.count(b"/>")
        if self._depth > MAX_DEPTH:
            raise InvalidDataError(f"“{self.name}” in the workbook is nested too deeply. Save the workbook again.")
        if self._is_sheet:
            self._check_places(_PLACE.findall(data))
        self.lacks_values |= bool(_NOT_STORED.search(self._tail + data))
        self._tail = data[-_OVERLAP:]
        return opened

    def _check_places(self, places: list[tuple[bytes, bytes]]) -> None:
        """Refuse a sheet whose cells are at such places that it is too large up to the last."""
        if not places:
            return
        furthest = max({letters.upper() for letters, _ in places}, key=lambda letters: (len(letters), letters))
        self._columns = max(
            self._columns, functools.reduce(lambda number, letter: 26 * number + letter - 64, furthest, 0)
        )
        self._rows = max(self._rows, max(int(row) for _, row in places))
        if self._columns * self._rows > MAX_LAID_OUT:
            raise MemoryLimitError(
                f"“{self.name}” in the workbook reaches to row {self._rows:,} and column {self._columns:,}, for which "
                "there is no memory. Delete cells far from the table, or save the table as CSV."
            )
