"""Find numbers that the separator of the cells cuts apart: thousands or decimals written with it, without quotation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise

from dpviz.datasets.tables.dialect import SAMPLE_ROWS, is_missing, is_number
from dpviz.datasets.tables.limits import MAX_COLUMNS
from dpviz.datasets.tables.measures import bare
from dpviz.datasets.tables.tokens import Row
from dpviz.errors import InvalidDataError
from dpviz.text import counted

_LONGEST = 5  # cells of one number: up to quadrillions
_DIGITS = re.compile(r"\d+")
_WHOLE = re.compile(r"[+-]?\d+")
_MOST_UNEVEN = 1_000
_MOST_CELLS = 20_000
_WORDS = {",": "commas", " ": "spaces"}
_MAY_BE = (
    "Line {line} may have another length than others because {marks} could also stand inside numbers. Put such "
    "numbers in quotation marks if so."
)


def note_on_cut_numbers(rows: Sequence[Sequence[str]], separator: str) -> list[str]:
    """Say that the cells of a table without names could be pieces of numbers, if all rows could be.

    Parameters
    ----------
    rows : sequence of sequences of str
        Rows of one length.
    separator : str
    """
    width = len(rows[0])
    rows = [list(map(bare, row)) for row in rows[: max(2, _MOST_CELLS // width)]]
    if separator not in _WORDS or not _common_width(rows, separator, range(1, width), pairs=False):
        return []
    cells = next(_joined_cells(row, separator) for row in rows)
    return [
        f"Every piece between {_WORDS[separator]} was taken to be a cell; without names above them, pieces could also "
        f"be parts of one number, as in “{separator.join(cells)}”. Put such numbers in quotation marks if so."
    ]


def refuse_cut_numbers(rows: Sequence[Row], separator: str, width: int) -> list[str]:
    """Refuse rows whose lengths or names show that the separator also stands inside numbers.

    Parameters
    ----------
    rows : sequence of Row
    separator : str
        As detected, not as requested.
    width : int
        Usual length of a row.

    Returns
    -------
    list of str
        A note if the lengths of rows can be explained in this way, but in another way too.

    Raises
    ------
    InvalidDataError
        If nothing else explains them.
    """
    if separator not in _WORDS or width > MAX_COLUMNS:
        return []
    usual = [row for row in islice(rows, 2 * SAMPLE_ROWS) if row.width == width and _holds_numbers(row)][:SAMPLE_ROWS]
    if not usual:
        return []
    uneven = [
        row
        for row in islice((row for row in rows if row.width != width and not row.is_blank), _MOST_UNEVEN)
        if _holds_numbers(row)
    ]
    if any(row.width > _LONGEST * width for row in uneven):
        return []
    most = max(1, _MOST_CELLS // width)
    usual, uneven = usual[:most], uneven[:most]
    refuse_runs_of_numbers([(row.line, row.trimmed) for row in (*usual[:1], *usual, *uneven)], separator)
    cells = [list(map(bare, row.trimmed)) for row in (*usual, *uneven)]
    above = next((before for before, row in pairwise(rows) if row is usual[0]), None)
    n_names = above.width if above is not None and not _holds_numbers(above) and not above.is_blank else width
    if 1 < n_names < width and not _counts_rows(usual) and _common_width(cells, separator, [n_names], pairs=False):
        if width == 2 * n_names or _common_width(cells, separator, [n_names]) or _has_padded(cells):
            raise _refusal(usual[0], separator, n_names)
        return [_MAY_BE.format(line=f"{usual[0].line:,}", marks=_WORDS[separator])]
    if not uneven:
        return []
    fractions = {_n_fractions(row, separator) for row in cells}
    if len(fractions) == 1 and 0 not in fractions and fractions != {width}:
        raise _refusal(next(row for row in (*uneven, *usual) if row.width not in fractions), separator, *fractions)
    if fractions == {width}:
        raise _refusal(uneven[0], separator, width)
    whole = _common_width(cells, separator, [1])
    if whole:
        raise _refusal(next(row for row in (*uneven, *usual) if row.width > 1), separator, 1)
    if _common_width(cells, separator, range(2, width + 1)):
        return [_MAY_BE.format(line=f"{uneven[0].line:,}", marks=_WORDS[separator])]
    return []


def refuse_runs_of_numbers(rows: Sequence[tuple[int, Sequence[str]]], separator: str) -> None:
    """Refuse a table whose cells between commas are whole numbers with spaces between: the commas are decimal marks.

    Parameters
    ----------
    rows : sequence of (int, sequence of str)
        Numbers of lines, and cells.
    separator : str
        As detected, not as requested.

    Raises
    ------
    InvalidDataError
        If a column has such cells, and no number has a decimal point.
    """
    below = [cells for _, cells in rows[1:]]
    if separator != "," or any("." in cell and is_number(cell) for cells in below for cell in cells):
        return
    for position, column in enumerate(zip(*below, strict=False)):
        place = next((place for place, cell in enumerate(column) if _is_run(cell)), None)
        if place is not None and all(_is_run(cell) or is_number(bare(cell)) or is_missing(cell) for cell in column):
            line, cells = rows[1 + place]
            raise InvalidDataError(
                f"Line {line:,} has several numbers between commas, “{cells[position][:40]}”, so the cells cannot be "
                "told apart. Separate them by semicolons, or name the separator if the commas separate them."
            )


def _is_run(cell: str) -> bool:
    pieces = [bare(piece) for piece in cell.split(" ")]
    return len(pieces) > 1 and not is_number(cell) and all(map(_WHOLE.fullmatch, pieces))


def _holds_numbers(row: Row) -> bool:
    return all(is_missing(cell) or is_number(bare(cell)) for cell in row.trimmed) and not row.is_blank


def _counts_rows(rows: Sequence[Row]) -> bool:
    """Return whether the first cells number the rows, as programs write them without a name."""
    first = [row.first for row in rows]
    if len(first) < 2 or not all(map(_DIGITS.fullmatch, first)):
        return False
    return all(int(after) == int(before) + 1 for before, after in pairwise(first))


def _has_padded(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a cell begins with a zero, as the end of a number may."""
    return any(len(cell) > 1 and cell[0] == "0" and cell.isdigit() for row in rows for cell in row)


def _refusal(row: Row, separator: str, n_numbers: int) -> InvalidDataError:
    return InvalidDataError(
        f"Line {row.line:,} has {counted(row.width, 'value')}, but {n_numbers:,} if {_WORDS[separator]} stand inside "
        f"numbers too, as in “{separator.join(_joined_cells(row.trimmed, separator))[:40]}”. Write numbers without "
        "thousands separators or in quotation marks, or separate the cells by semicolons. If every piece is a cell, "
        "name the separator."
    )


def _common_width(
    rows: Sequence[Sequence[str]], separator: str, widths: Sequence[int] | range, *, pairs: bool = True
) -> bool:
    """Return whether neighbouring cells of all rows can be joined to one of some numbers of numbers.

    If the separator is the decimal mark, all cells have to be pairs, unless ``pairs`` is False.
    """
    wanted = sum(1 << width for width in widths)
    for mark in ".,":
        common = wanted
        for row in rows:
            common &= _possible_widths(row, separator, mark, pairs)
            if not common:
                break
        if common:
            return True
    return False


def _possible_widths(cells: Sequence[str], separator: str, mark: str, pairs: bool) -> int:
    """Return the numbers of numbers to which neighbouring cells can be joined, as the bits that are set."""
    if separator == mark and pairs:
        joined = [separator.join(pair) for pair in zip(cells[::2], cells[1::2], strict=False)]
        return 1 << len(joined) if len(cells) % 2 == 0 and all(is_number(cell, mark) for cell in joined) else 0
    ends = [1]
    for end in range(1, len(cells) + 1):
        possible = ends[end - 1] << 1
        start = end - 1
        while start > 0 and end - start < _LONGEST and _DIGITS.match(cells[start]):
            start -= 1
            if is_number(separator.join(cells[start:end]), mark):
                possible |= ends[start] << 1
        ends.append(possible)
    return ends[-1]


def _joined_cells(cells: Sequence[str], separator: str) -> list[str]:
    """Return the first neighbours that can be joined to one number."""
    for start in range(len(cells)):
        for end in range(min(start + _LONGEST, len(cells)), start + 1, -1):
            if is_number(separator.join(cells[start:end])):
                return list(cells[start:end])
    return list(cells[:2])


def _n_fractions(cells: Sequence[str], separator: str) -> int:
    """Return the number of cells with a fraction if all others are thousands in front of one, else 0."""
    number, start = 0, 0
    for end, cell in enumerate(cells, start=1):
        if not any(mark in cell for mark in ".," if mark != separator):
            continue
        if not is_number(separator.join(cells[start:end])):
            return 0
        number, start = number + 1, end
    return number if start == len(cells) else 0
