"""Limits on tables, and checks against hostile files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from dpviz.errors import DpvizError, InvalidDataError, MemoryLimitError
from dpviz.limits import LARGEST_VALUE, MAX_UPLOAD_MEGABYTES

MAX_BYTES = MAX_UPLOAD_MEGABYTES * 1_000_000
MAX_UNPACKED_BYTES = 500_000_000
MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000
MAX_CELLS = 20_000_000
MAX_EXCEL_CELLS = 2_000_000
MAX_MEMBERS = 10_000
"""Most members of a zip archive."""

MAX_CELL_BYTES = 100_000
"""Longest cell, thrice what a spreadsheet holds: cells of tables to cluster are much shorter."""

MAX_ABSOLUTE = LARGEST_VALUE

MAX_EXACT_INTEGER = 2**53
"""Largest magnitude up to which every whole number is a double."""


def check_size(n_bytes: int) -> None:
    """Refuse a file that is empty or larger than ``MAX_BYTES``.

    Raises
    ------
    InvalidDataError, MemoryLimitError
        If the file is empty, or too large.
    """
    if n_bytes == 0:
        raise InvalidDataError("The file is empty. Choose a file with a table in it.")
    if n_bytes > MAX_BYTES:
        raise MemoryLimitError(
            f"The file has {n_bytes / 1e6:,.0f} MB; files up to {MAX_BYTES / 1e6:,.0f} MB can be read. "
            "Keep fewer rows or columns."
        )


def check_unpacked(n_bytes: int) -> None:
    """Refuse content that unpacks to more than ``MAX_UNPACKED_BYTES``.

    Raises
    ------
    MemoryLimitError
        If it does.
    """
    if n_bytes > MAX_UNPACKED_BYTES:
        raise MemoryLimitError(
            f"The file unpacks to {n_bytes / 1e6:,.0f} MB; up to {MAX_UNPACKED_BYTES / 1e6:,.0f} MB are read. "
            "Keep fewer rows or columns."
        )


def check_shape(n_rows: int, n_columns: int) -> None:
    """Refuse a table that is empty or too large to cluster here.

    Raises
    ------
    InvalidDataError
        If there is no column or no row.
    MemoryLimitError
        If there are too many rows, columns or cells.
    """
    if n_columns == 0:
        raise InvalidDataError("The table has no columns.")
    if n_rows == 0:
        raise InvalidDataError("The table has no rows below its column names. Add rows of data.")
    for number, limit, noun in (
        (n_columns, MAX_COLUMNS, "columns"),
        (n_rows, MAX_ROWS, "rows"),
        (n_rows * n_columns, MAX_CELLS, "cells"),
    ):
        if number > limit:
            raise MemoryLimitError(
                f"The table has {number:,} {noun}; up to {limit:,} {noun} can be read. Keep fewer rows or columns."
            )


def check_cell_length(column: str, n_bytes: int) -> None:
    """Refuse a column with a cell that is longer than ``MAX_CELL_BYTES``.

    Raises
    ------
    MemoryLimitError
        If it has one.
    """
    if n_bytes > MAX_CELL_BYTES:
        raise MemoryLimitError(
            f"A cell of “{column}” has {n_bytes:,} bytes; up to {MAX_CELL_BYTES:,} can be read. Leave the column out, "
            "or check the quotation marks in the file."
        )


def open_archive(data: bytes) -> zipfile.ZipFile:
    """Open a zip archive after checking what it unpacks to.

    Raises
    ------
    InvalidDataError
        If the archive is damaged.
    MemoryLimitError
        If it has more than ``MAX_MEMBERS`` members, or they unpack to more than ``MAX_UNPACKED_BYTES``.
    """
    # Every member has such an entry in the list at the end, whatever number the list claims.
    n_members = data.count(b"PK\x01\x02")
    if n_members > MAX_MEMBERS:
        raise MemoryLimitError(f"The archive has {n_members:,} members; up to {MAX_MEMBERS:,} are read.")
    with refuse_unreadable("a zip archive"):
        archive = zipfile.ZipFile(io.BytesIO(data))
        # zipfile reads no more than the declared size of a member, so the sum cannot be understated.
        check_unpacked(sum(member.file_size for member in archive.infolist()))
        return archive


@contextmanager
def refuse_unreadable(what: str) -> Iterator[None]:
    """Turn any exception of a library on a damaged file into a DpvizError.

    Raises
    ------
    InvalidDataError, MemoryLimitError
        If the enclosed code fails.
    """
    try:
        yield
    except DpvizError:
        raise
    except MemoryError as error:
        raise MemoryLimitError(
            f"Read as {what}, the file needs more memory than there is. Keep fewer rows or columns."
        ) from error
    except Exception as error:  # third-party readers do not document their exceptions on damaged files
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InvalidDataError(
            f"The file cannot be read as {what} ({reason}). Save it again, or save it as CSV."
        ) from error
