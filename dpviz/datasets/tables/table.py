"""The result of reading a file: raw columns with clean names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import pandas as pd

MAX_NAME_LENGTH = 100


_DECIMAL = "decimal mark"  # attributes of a table's frame; its columns have the first and the last too
_HEADINGS = "rows that look like headings"
_DATES = "dates"
DAYS = "days since 1 January 1970"
CLOCK = "hours of the day"
"""Units of dates, and of times of the day once they are numbers."""


def mark_of(column: pd.Series) -> str:
    """Return the decimal mark of the table that a column is from, for numbers among other text; if unknown, a point."""
    return str(column.attrs.get(_DECIMAL, "."))


def headings_of(frame: pd.DataFrame) -> tuple[int, str]:
    """Return how many rows of the table that a frame is from look like headings, and what they hold; 0 if none do."""
    n_rows, contents = frame.attrs.get(_HEADINGS, (0, ""))
    return n_rows, contents


def was_dates(column: pd.Series) -> bool:
    """Whether the numbers of a column of a table were read from dates."""
    return column.name in column.attrs.get(_DATES, ())


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """A file as read, before its columns are chosen.

    Attributes
    ----------
    frame : pandas.DataFrame
        The rows. A column is numeric when each of its present cells is a number, else text; NaN marks missing cells.
    name : str
        Name made from the file's name.
    format : str
        ``"text"``, ``"excel"`` (any workbook), ``"parquet"`` or ``"numpy"``.
    encoding, separator, decimal : str
        Format of the text; empty if the file has no such setting (``separator`` also for a single column).
    header : bool
        Whether the first line was taken as column names.
    header_rows : int
        Number of rows that were taken as headings.
    proposed_headings : (int, str)
        How many of the first rows, with blank ones and titles, look like headings although fewer were taken as such,
        and what they hold; 0 and nothing if none do.
    descriptions : tuple of (str, str)
        Columns, each with what a row of headings says of it, such as the text of a question.
    sheet : str
        The sheet that was read; empty unless the format is ``"excel"``.
    sheets : tuple of str
        All sheets of the workbook.
    notes : tuple of str
        Everything assumed or changed while reading, including repairs, one sentence each.
    repairs : tuple of str
        Repairs: every line that was left out, cut, filled up or rewritten.
    reading : tuple of (str, value)
        Arguments of :func:`~dpviz.datasets.tables.read_table` that read the file again, ``filename`` among them, or of
        :func:`~dpviz.datasets.tables.read_text`, without one; empty where nobody needs them.
    units : tuple of (str, str)
        Columns, each with the unit that was removed from all its cells, such as ``kg``, ``€`` or ``%``, the one that
        stood in a row of headings, or the one that dates were read in.
    emptied : tuple of (str, float)
        Columns, each with a number whose cells were emptied, as accepted.
    """

    frame: pd.DataFrame
    name: str
    format: str
    encoding: str = ""
    separator: str = ""
    decimal: str = ""
    header: bool = True
    header_rows: int = 0
    proposed_headings: tuple[int, str] = (0, "")
    descriptions: tuple[tuple[str, str], ...] = ()
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    reading: tuple[tuple[str, Any], ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    emptied: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        dates = tuple(name for name, unit in self.units if unit == DAYS)
        self.frame.attrs |= {_DECIMAL: self.decimal or ".", _HEADINGS: self.proposed_headings, _DATES: dates}


NAMES_FOUND = "The first line was taken as the names of the columns."
"""Note on a table that is as expected."""


def news(notes: Iterable[str]) -> list[str]:
    """Return the notes that say more than what is usual."""
    return [note for note in notes if note != NAMES_FOUND]


def listed(names: Iterable[str], shown: int = 5) -> str:
    """Join names for a message: quoted, and cut after the first few."""
    quoted = [f"“{name}”" for name in names]
    more = len(quoted) - shown
    return ", ".join(quoted[:shown]) + (f" and {more:,} more" if more > 0 else "")


def clean_name(raw: str) -> str:
    """Make a name printable: no control or formatting characters, single spaces, at most ``MAX_NAME_LENGTH`` long."""
    start = raw[: 20 * MAX_NAME_LENGTH]  # more would take long, and is cut anyway
    printable = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in start)
    name = re.sub(" +", " ", printable).strip()
    return name if len(name) <= MAX_NAME_LENGTH else name[: MAX_NAME_LENGTH - 1] + "…"


def table_name(filename: str) -> str:
    """Make the name of a table from the name of its file."""
    return clean_name(PurePosixPath(filename.replace("\\", "/")).stem) or "table"


def unique_names(raw_names: Iterable[str], columns: Sequence[int] = ()) -> tuple[list[str], list[str]]:
    """Make column names printable, not empty and unique.

    Parameters
    ----------
    raw_names : iterable of str
    columns : sequence of int
        Where the columns stand in the file, from 0; side by side from the first on when omitted.

    Returns
    -------
    names : list of str
        One name per column; unnamed columns become ``column 3``, repeated names get a number.
    notes : list of str
        Notes on renamed columns.
    """
    raw = list(raw_names)
    cleaned = [clean_name(name) for name in raw]
    taken = set(cleaned) - {""}
    names: list[str] = []
    unnamed: list[str] = []
    repeated: list[str] = []
    for column, name in zip(columns or range(len(raw)), cleaned, strict=True):
        if not name:
            unnamed.append(_free_name(f"column {column + 1}", taken))
            names.append(unnamed[-1])
        elif name in names:
            repeated.append(_free_name(name, taken))
            names.append(repeated[-1])
        else:
            names.append(name)
        taken.add(names[-1])
    changed = [name for name, before in zip(cleaned, raw, strict=True) if name and name != before.strip()]
    notes = [
        f"{what} {listed(which)}."
        for what, which in (
            ("Columns without a name are called", unnamed),
            ("Columns with a repeated name are called", repeated),
            (f"Unprintable characters or more than {MAX_NAME_LENGTH} characters were cut from the names", changed),
        )
        if which
    ]
    return names, notes


def _free_name(name: str, taken: set[str]) -> str:
    candidate, number = name, 2
    while candidate in taken:
        suffix = f" ({number})"
        candidate, number = name[: MAX_NAME_LENGTH - len(suffix)] + suffix, number + 1
    return candidate
