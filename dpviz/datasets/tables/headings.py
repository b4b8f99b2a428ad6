"""Several rows of headings: names under merged ones, units, descriptions of the columns, codes of an export."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpviz.datasets.tables.cell_values import TextColumn
from dpviz.datasets.tables.dialect import is_missing, is_number
from dpviz.datasets.tables.header import CENSORED, is_no_name
from dpviz.datasets.tables.measures import bare, is_unit
from dpviz.errors import InvalidDataError
from dpviz.text import counted, in_words

MAX_HEADER_ROWS = 20
_MOST_PROPOSED = 4
_EXPORT_CODE = '{"ImportId"'
"""Beginning of the cells in which Qualtrics keeps codes of its questions."""
_SHORTEST_DATE = 6
_SHOWN_ROWS = 20
_DATE = re.compile(r"\d[\d\-/.:TZ ]*")

Cells = Sequence[Sequence[str]]


class Headings(NamedTuple):
    """What rows above a table say.

    Attributes
    ----------
    names, descriptions, units : list of str
        Of every column, empty where it has none.
    contents : str
        What the rows hold, in words.
    """

    names: list[str]
    descriptions: list[str]
    units: list[str]
    contents: str

    def described(self, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return the columns that have a description, by these names, with it."""
        return tuple((name, text) for name, text in zip(names, self.descriptions, strict=True) if text)

    def measured(self, names: Sequence[str], known: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Return the units of columns: those known from their cells, and for others those of the headings."""
        own = dict(known)
        return (*known, *((name, u) for name, u in zip(names, self.units, strict=True) if u and name not in own))


def read_headings(rows: Cells, columns: Sequence[int], places: Sequence[int] = ()) -> Headings:
    """Say what some rows above a table hold.

    Rows above the names may be blank or hold a title. Below them a row of units is known by these, a row of codes of an
    export by how they are written. Where the names so far leave gaps or repeat side by side, as merged cells do, a row
    below completes them; any other row describes the columns.

    Parameters
    ----------
    rows : sequence of sequences of str
        All equally long, the cells trimmed; without any, columns are called x1, x2, ….
    columns : sequence of int
        Where the columns stand in the file, from 0: by this those without a name are called.
    places : sequence of int
        Where the rows stand in the file, from 0; one below the other from the first on when omitted.
    """
    numbers = [place + 1 for place in places] or range(1, len(rows) + 1)
    above = _n_above(rows)
    names = list(rows[above]) if rows else [f"x{column + 1}" for column in columns]
    said: dict[str, list[int]] = {}
    descriptions, units = [""] * len(names), [""] * len(names)
    for position, (number, row) in enumerate(zip(numbers, rows, strict=False)):
        kind = _kind(row, names) if position > above else "names" if position == above else "title"
        kind = kind if any(row) else "blank"
        if kind == "names" and position > above:
            names = _joined(names, row)
        elif kind == "units":
            units = [_plain_unit(cell) or before for cell, before in zip(row, units, strict=True)]
        elif kind == "descriptions":
            for position, cell in enumerate(row):
                if not names[position]:
                    names[position] = cell
                elif cell and cell.casefold() != names[position].casefold():
                    descriptions[position] = "; ".join(filter(None, (descriptions[position], " ".join(cell.split()))))
        said.setdefault(kind, []).append(number)
    return Headings(names, descriptions, units, _contents(said))


_VERBS = {
    "title": ("holds a title", "hold titles"),
    "names": ("names the columns", "name the columns together"),
    "units": ("holds their units", "hold their units"),
    "descriptions": ("describes them", "describe them"),
    "codes": ("holds codes of an export", "hold codes of an export"),
    "numbers": ("holds numbers as the table does", "hold numbers as the table does"),
    "blank": ("is blank", "are blank"),
}


def _contents(said: dict[str, list[int]]) -> str:
    parts = []
    for kind, (one, several) in _VERBS.items():
        if rows := said.get(kind):
            subject = f"row{'s' * (len(rows) > 1)} {in_words(list(map(str, rows)))}"
            parts.append(f"{subject} {several if len(rows) > 1 else one}")
    return ", ".join(parts)


def _n_above(rows: Cells) -> int:
    """Return how many rows above the names are blank or hold a title or remark."""
    heads = ((place, row, rows[place + 1 :]) for place, row in enumerate(rows))
    return next((place for place, row, below in heads if any(row) and not _is_title(row, below)), 0)


def _is_title(row: Sequence[str], below: Cells) -> bool:
    """Whether a row is no heading of columns, since others below it are and it has one cell, is a remark, or apart."""
    several = [other for other in below if other[0] and (len(row) == 1 or sum(map(bool, other)) > 1)]
    named = [other for other in several if not _holds_codes(other) and (all(other) or not _holds_units(other))]
    if _is_alone(row):
        return bool(named) or (bool(below) and not any(below[0]) and any(map(any, below)))
    of_text = [other for other in named if not _holds_units(other) and not any(map(is_number, other))]
    remark = row[0].startswith("#") and len(row[0]) > 1
    return bool(of_text) and (not any(below[0]) or (remark and any(map(all, of_text))))


def _is_alone(row: Sequence[str]) -> bool:
    """Whether the first of several cells is the only one that is not blank."""
    return len(row) > 1 and bool(row[0]) and not any(row[1:])


def _kind(row: Sequence[str], names: Sequence[str]) -> str:
    """Return what a row below the names so far holds, a key of ``_VERBS``."""
    if _holds_codes(row):
        return "codes"
    if _holds_units(row):
        return "units"
    spread = _spread(names, row)
    merged = any(
        a and a == b and below[0] and below[1] for (a, b), below in zip(pairwise(spread), pairwise(row), strict=True)
    )
    if merged:
        return "names"
    numbers = all(name and (not cell or is_number(cell)) for name, cell in zip(names, row, strict=True))
    return "numbers" if numbers else "descriptions"


def _holds_codes(row: Sequence[str]) -> bool:
    filled = [cell for cell in row if cell]
    return 2 * sum(cell.startswith(_EXPORT_CODE) for cell in filled) > len(filled)


def _holds_units(row: Sequence[str]) -> bool:
    """Whether all cells may be units and most are known ones; of single letters, which may be categories, all."""
    filled = [cell for cell in row if cell and not is_missing(cell) and cell != "1"]
    known = [cell for cell in filled if is_unit(_plain_unit(cell))]
    long = any(len(_plain_unit(cell)) > 1 or cell != _plain_unit(cell) for cell in known)
    may_be = all(len(cell) <= 12 and not is_number(cell) for cell in filled)
    return may_be and bool(known) and (2 * len(known) >= len(filled) if long else len(known) == len(filled))


def _plain_unit(cell: str) -> str:
    """Return a unit without brackets around it; nothing for a mark that there is none."""
    inner = cell[1:-1].strip() if len(cell) > 2 and cell[0] + cell[-1] in ("()", "[]") else cell
    return "" if is_missing(inner) or inner in ("1", "-") else inner


def _spread(names: Sequence[str], row: Sequence[str]) -> list[str]:
    """Give names to the columns right of them that have none, as merged cells mean, where there are names below."""
    spread = list(names)
    for position in range(1, len(spread)):
        if not spread[position] and row[position] and row[position - 1]:
            spread[position] = spread[position - 1]
    return spread


def _joined(names: Sequence[str], row: Sequence[str]) -> list[str]:
    pairs = zip(_spread(names, row), row, strict=True)
    return [upper if upper == lower else f"{upper} {lower}".strip() for upper, lower in pairs]


def proposed_headings(rows: Cells, header: bool, left_out: Cells = (), places: Sequence[int] = ()) -> tuple[int, str]:
    """Return how many rows of the file look like headings, if more than one names, and what they hold; else 0, nothing.

    They do if the last holds codes of an export, or if all below the first have text above the columns of numbers or
    dates, different words or units, and no word that is a value further down.

    Parameters
    ----------
    rows : sequence of sequences of str
        The first rows, the cells trimmed.
    header : bool
        Whether the first was taken as the names of the columns.
    left_out : sequence of sequences of str
        The first with those below it that a repair has left out as further names: these are headings.
    places : sequence of int
        Where those that were left out, or the first rows, stand in the file, from 0; above them may be others.
    """
    width = len(rows[0])
    rows = [row for row in rows if len(row) == width]
    places = places or range(len(rows))
    heads = left_out
    for n_rows in () if heads else range(min(_MOST_PROPOSED, len(rows) - 2), 1, -1):
        first, below = rows[:n_rows], rows[n_rows:]
        if _holds_codes(first[-1]) or _are_headings(first, below, header):
            heads = first
            break
    if not heads or (counted_from_the_top := places[len(heads) - 1] + 1) > MAX_HEADER_ROWS:
        return 0, ""
    return counted_from_the_top, read_headings(heads, range(width), places[: len(heads)]).contents


def _are_headings(heads: Cells, below: Cells, header: bool) -> bool:
    columns = list(zip(*below, strict=True))
    solid = [position for position, column in enumerate(columns) if _is_solid(column)]
    further = heads[1:]
    if not solid or any(list(row) == list(heads[0]) for row in further):
        return False
    if not header and not _is_upper(heads[0], heads[1]):
        return False
    return all(_is_heading(row, columns, solid) for row in further)


def _is_solid(column: Sequence[str]) -> bool:
    """Whether all present cells are numbers, perhaps with units or as bounds, or dates."""
    present = [cell for cell in column if not is_no_name(cell)]
    return bool(present) and all(
        is_number(bare(cell)) or CENSORED.fullmatch(cell[:60]) or _is_date(cell) for cell in present
    )


def _is_date(cell: str) -> bool:
    return _SHORTEST_DATE <= len(cell) <= 60 and bool(_DATE.fullmatch(cell))


def _is_upper(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether a row that does not name all columns is above one that does, as the years above “m” and “f”."""
    return (
        _kind(second, first) == "names"
        and sum(map(bool, second)) >= sum(map(bool, first))
        and not any(is_number(cell) for cell in second)
    )


def _is_heading(row: Sequence[str], columns: Sequence[Sequence[str]], solid: Sequence[int]) -> bool:
    if _holds_codes(row):
        return True
    texts = [row[position] for position in solid if row[position]]
    if all(map(is_missing, texts)) or any(cell and cell in column for cell, column in zip(row, columns, strict=True)):
        return False
    if _holds_units(row):
        return True
    if any(is_number(bare(cell)) or is_no_name(cell) or _is_date(cell) or CENSORED.fullmatch(cell) for cell in texts):
        return False
    return len(set(texts)) > 1 and 2 * len(texts) >= len(solid)


def note_on_headings(headings: Headings, n_rows: int) -> list[str]:
    """Say that as many rows as somebody asked for were taken as headings, and what they hold."""
    if n_rows == 1:
        return []
    return [f"The first {n_rows} rows were taken as headings: {headings.contents}."]


def check_filled(n_blank: int, header_rows: int | None) -> None:
    """Raise an InvalidDataError if so many rows of headings are not more than the blank ones at the top of a file."""
    if header_rows is not None and n_blank >= header_rows:
        blank = "the first row is blank" if n_blank == 1 else f"the first {n_blank:,} rows are blank"
        raise InvalidDataError(
            f"With header_rows = {header_rows} there are no names of columns, since {blank}. Blank rows and titles "
            "count too: take the rows down to the names as headings."
        )


def check_named(names: Sequence[str], header_rows: int | None) -> None:
    """Raise an InvalidDataError if the rows asked for as headings name one of many columns, as a title does."""
    if header_rows is not None and len(names) > 2 and sum(map(bool, names)) < 2:
        title = next(filter(None, names), "")
        raise InvalidDataError(
            f"With header_rows = {header_rows} there are no names of columns but “{title[:60]}”, which seems to be a "
            "title. Blank rows and titles count too: take the rows down to the names as headings."
        )


def check_left(n_left: int, places: Sequence[int], header_rows: int | None) -> None:
    """Raise an InvalidDataError if no row is left below as many headings as are asked for, which stand at places."""
    if header_rows is not None and n_left <= 0:
        raise InvalidDataError(
            f"With header_rows = {header_rows} no row is left below the headings: the table has "
            f"{counted(places[-1] + 1, 'row')} in all. Take fewer rows as headings."
        )


def without_repeats(columns: Sequence[TextColumn], headings: Cells) -> tuple[list[TextColumn], list[str]]:
    """Leave out rows that repeat one of the headings whole, as pasted pages do, and say which.

    Parameters
    ----------
    columns : sequence of pyarrow.ChunkedArray of strings (N,)
        Without the headings.
    headings : sequence of sequences of str
        Each with the trimmed cell of every column; numbers alone are no names, and may recur.
    """
    repeats = np.zeros(len(columns[0]), np.bool_)
    for row in headings:
        if all(not name or is_number(name) for name in row):
            continue
        same = np.ones(len(repeats), np.bool_)
        for column, name in zip(columns, row, strict=True):
            if not same.any():
                break
            same &= pc.fill_null(pc.equal(pc.utf8_trim_whitespace(column), name), not name).to_numpy()
        repeats |= same
    if not repeats.any():
        return list(columns), []
    kept = pa.array(~repeats)
    return [column.filter(kept) for column in columns], [_repeated_in_words((np.flatnonzero(repeats) + 1).tolist())]


def _repeated_in_words(rows: Sequence[int]) -> str:
    """Say which rows, counted from 1 below the headings, repeat these."""
    shown = ", ".join(f"{row:,}" for row in rows[:_SHOWN_ROWS])
    more = f" and {len(rows) - _SHOWN_ROWS:,} more" if len(rows) > _SHOWN_ROWS else ""
    subject = "Row" if len(rows) == 1 else "Rows"
    verb = "repeats the names of the columns and is" if len(rows) == 1 else "repeat the names of the columns and are"
    return f"{subject} {shown}{more} below the names {verb} left out."
