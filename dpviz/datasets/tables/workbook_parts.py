"""Check the parts of a workbook that is a zip archive before any of them is parsed."""

from __future__ import annotations

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

_CHUNK = 1 << 16
_OVERLAP = 64  # characters, more than the pattern below needs
_LARGE_PARTS = ("xl/worksheets/", "xl/sharedStrings.xml", "content.xml")
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
        Whether the workbook has formulas without stored values.

    Raises
    ------
    InvalidDataError
        If a part declares entities, is nested too deeply or is not UTF-8.
    MemoryLimitError
        If the parts hold too many elements or bytes.
    """
    totals = {"cells": [0, 0], "other": [0, 0]}
    limits = {"cells": (MAX_CELL_ELEMENTS, MAX_UNPACKED_BYTES), "other": (MAX_OTHER_ELEMENTS, MAX_OTHER_BYTES)}
    lacks_values = False
    for member in archive.infolist():
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
    """Unpack a member in chunks, if it can be XML: nothing else begins with a tag or a byte order mark."""
    with archive.open(member) as stream:
        chunk = stream.read(_CHUNK)
        if not chunk.lstrip(b" \t\r\n").startswith((b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) and chunk.strip():
            return
        while chunk:
            yield chunk
            chunk = stream.read(_CHUNK)


class _Part:
    """Counts the elements and bytes of one part, without parsing it."""

    def __init__(self, name: str) -> None:
        self.name = name[:80]
        self.lacks_values = False
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
        self.lacks_values |= bool(_NOT_STORED.search(self._tail + data))
        self._tail = data[-_OVERLAP:]
        return opened
