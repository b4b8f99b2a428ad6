"""Find the table in rows of different lengths, with titles and remarks around it, and list every repair by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from dpviz.datasets.tables.detection import find_dialect
from dpviz.datasets.tables.dialect import (
    SAMPLE_ROWS,
    aligned,
    is_missing,
    is_number,
    sample_of,
)
from dpviz.datasets.tables.header import has_header, looks_like_names
from dpviz.datasets.tables.headings import MAX_HEADER_ROWS
from dpviz.datasets.tables.thousands import refuse_cut_numbers
from dpviz.datasets.tables.tokens import Row, Tokens

_MAX_NAME_LINES = 3  # below the first
_SHOWN_SPANS = 200
_WORDS = {  # in the order in which repairs are listed
    "above": "Left out above the table: {lines}.",
    "names": "Left out as a further line of names: {lines}.",
    "repeated": "Left out as a repetition of the names of the columns: {lines}.",
    "table": "Left out as another table: {lines}.",
    "remark": "Left out as no row of the table: {lines}.",
    "blank": "Left out as blank, not as a row of missing cells: {lines}.",
    "padded": "Filled up with missing cells at the end: {lines}.",
    "cut": "Cells beyond the last column were dropped: {lines}.",
    "separator": "Split at another separator than the rest: {lines}.",
    "stray": "Stray quotation marks were removed: {lines}.",
    "unquoted": "Quotation marks that would have kept several rows together were removed: {lines}.",
}


@dataclass
class Repairs:
    """Which lines were repaired, and how; a key of ``_WORDS`` for every line."""

    lines: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)

    def add(self, what: str, row: Row) -> None:
        """Note a repair of the lines of a row."""
        self.lines.setdefault(what, []).append((row.line, row.line + row.n_lines - 1))

    def in_words(self) -> tuple[str, ...]:
        """Return one sentence for each kind of repair, with the numbers of all its lines."""
        by_kind = (_WORDS[what].format(lines=_spans(self.lines[what])) for what in _WORDS if what in self.lines)
        return (*self.others, *by_kind)


def _spans(lines: Iterable[tuple[int, int]]) -> str:
    """Write numbers of lines with runs of neighbours in short."""
    spans: list[list[int]] = []
    for first, last in sorted(lines):
        if spans and first <= spans[-1][1] + 1:
            spans[-1][1] = max(last, spans[-1][1])
        else:
            spans.append([first, last])
    shown = [f"{first:,}" if first == last else f"{first:,}–{last:,}" for first, last in spans[:_SHOWN_SPANS]]
    one = len(spans) == 1 and spans[0][0] == spans[0][1]
    more = sum(last - first + 1 for first, last in spans[_SHOWN_SPANS:])
    return f"line{'' if one else 's'} {', '.join(shown)}" + (f" and {more:,} more" if more else "")


class Arranged(NamedTuple):
    """Rows of one table.

    Attributes
    ----------
    rows : list of Row
        All with as many cells, headings among them; not empty if any row has a cell.
    header : bool
        Whether the first row names the columns.
    heads : list of list of str
        The first row and those below it that were left out as further lines of names; empty if there are none.
    places : list of int
        Where these, or else the first rows that are kept, stood among all, from 0.
    """

    rows: list[Row]
    header: bool
    heads: list[list[str]]
    places: list[int]


class Repaired(NamedTuple):
    """A text that can be read strictly.

    Attributes
    ----------
    text : str
        Rows of the same length, with ``"`` doubled inside cells that are quoted with it.
    separator : str
    header : bool or None
    heads : list of list of str
    places : list of int
        As those of :class:`Arranged`.
    repairs : tuple of str
        Every repair with the numbers of its lines; empty if nothing but the quotation was rewritten.
    """

    text: str
    separator: str
    header: bool | None
    heads: list[list[str]]
    places: list[int]
    repairs: tuple[str, ...]


def repair_text(
    text: str, separator: str | None, header: bool | None, first_line: int, header_rows: int = 0
) -> Repaired:
    """Rewrite a text as a table that can be read strictly.

    Parameters
    ----------
    text : str
    separator : str or None
        Separator of the cells; detected when None.
    header : bool or None
        Whether the first row of the table names its columns; detected when None.
    first_line : int
        Number of the first line of ``text`` in the file.
    header_rows : int
        How many rows at the top are headings, blank ones among them; 0 to find out.
    """
    repairs = Repairs()
    dialect = find_dialect(sample_of(text))
    if separator is not None:
        dialect = replace(dialect, separator=separator)
    if not dialect.separator:
        return Repaired(text, "", header, [], [], repairs.in_words())
    if dialect.escape != "\\":  # the library finds others too, which more often end a cell than escape its end
        dialect = replace(dialect, escape="")
    if dialect.separator == " ":
        text = aligned(text, sample_of(text))
    tokens = Tokens(dialect)
    rows = _unfolded(tokens, list(tokens.rows(text, first_line)), repairs)
    if separator is None:
        repairs.others += refuse_cut_numbers(rows, dialect.separator, usual_width(rows))
    kept, named, heads, places = arrange(rows, header, repairs, header_rows)
    if not kept:  # no row of a table: the strict reader reports the error
        return Repaired(text, dialect.separator, header, [], [], ())
    if dialect.quote != '"':
        repairs.others.append(f"The quotation mark is {dialect.quote} and was not kept as part of the cells.")
    if dialect.escape:
        repairs.others.append("A backslash was read as saying that the mark behind it belongs to the cell.")
    written = "\n".join(tokens.written(row) for row in kept)
    return Repaired(written, dialect.separator, named, heads, places, repairs.in_words())


def _unfolded(tokens: Tokens, rows: list[Row], repairs: Repairs) -> list[Row]:
    """Split rows that use another separator, and lines in quotation marks that are rows by themselves."""
    width = usual_width(rows)
    usual = (row.trimmed for row in rows if row.n_lines == 1 and row.width == width)
    sample = list(islice(usual, 1, SAMPLE_ROWS + 1))
    numeric = [position for position, column in enumerate(zip(*sample, strict=True)) if _is_numeric(column)]
    unfolded: list[Row] = []
    for row in rows:
        if row.width == 1 and width > 2:
            other = tokens.otherwise(row, width)
            if other:
                repairs.add("separator", row)
                row.cells = other
        lines = tokens.single_lines(row) if row.n_lines > 1 and numeric else []
        if lines and all(line.width == width and _fits(line, numeric) for line in lines):
            repairs.add("unquoted", row)
            unfolded += lines
        else:
            unfolded.append(row)
    return unfolded


def _is_numeric(column: Sequence[str]) -> bool:
    present = [cell for cell in column if not is_missing(cell)]
    return bool(present) and all(map(is_number, present))


def _fits(row: Row, numeric: list[int]) -> bool:
    cells = row.trimmed
    return all(is_number(cells[position]) or is_missing(cells[position]) for position in numeric)


def usual_width(rows: list[Row]) -> int:
    """Return how many cells the rows of the table have: the length that takes up most cells, or else the first."""
    counts = Counter(row.width for row in rows if not row.is_blank)
    first = next((row.width for row in rows if not row.is_blank), 1)
    return max(counts, key=lambda width: (counts[width] * width, width == first), default=1)


def arrange(rows: list[Row], header: bool | None, repairs: Repairs, header_rows: int = 0) -> Arranged:
    """Keep the rows of one table, all with as many cells.

    Parameters
    ----------
    rows : list of Row
        All rows, blank ones among them; cells of the rows that are kept may be added or dropped.
    header : bool or None
        Whether the first row of the table names its columns; detected when None.
    repairs : Repairs
        Receives a note of every change.
    header_rows : int
        How many rows at the top are headings, blank ones among them: the others of these are kept; 0 to keep the first
        of those that are found.
    """
    asked, blocks = [row for row in rows[:header_rows] if not row.is_blank], _blocks(rows[header_rows:])
    width = usual_width(rows[header_rows:] if asked and blocks else rows)
    start = (blocks.pop(0) if blocks else []) if asked else _leading(blocks, width, repairs)
    if not start and not asked:
        return Arranged([], bool(header), [], [])
    if asked:
        names, header = _fit_headings(asked, start, width, repairs), True
    else:
        names, header = _names(start, width, header, repairs)
        start = start[len(names) :]
    numeric = _is_numeric([cells[0] for cells in _sample(start, width)])
    kept = names if asked else names[:1]
    heads = [] if kept == names else [row.trimmed for row in names]
    for position, block in enumerate([start, *blocks]):
        if position and _is_foreign(block, width, names, repairs):
            continue
        for row in block:
            if _is_row(row, width, names, numeric, repairs):
                kept.append(row)
    for row in kept:
        if row.stray:
            repairs.add("stray", row)
    among = rows[header_rows if asked else 0 :]
    blank = [row for row in among if row.is_blank and kept[0].line < row.line < kept[-1].line] if kept else []
    for row in blank if len(blank) < len(kept) / 2 else []:  # else every row has one below it
        repairs.add("blank", row)
    first = {id(row) for row in (names if heads else kept[:MAX_HEADER_ROWS])}
    return Arranged(kept, header, heads, [place for place, row in enumerate(rows) if id(row) in first])


def _blocks(rows: list[Row]) -> list[list[Row]]:
    """Group the rows between blank ones."""
    blocks: list[list[Row]] = [[]]
    for row in rows:
        if not row.is_blank:
            blocks[-1].append(row)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _sample(rows: list[Row], width: int) -> list[list[str]]:
    return [row.trimmed for row in rows[:SAMPLE_ROWS] if row.width == width]


def _leading(blocks: list[list[Row]], width: int, repairs: Repairs) -> list[Row]:
    """Remove the rows above the table and return its first block."""
    while blocks:
        block = blocks.pop(0)
        first = next((position for position, row in enumerate(block) if _may_begin(row, width)), len(block))
        if 0 < first < len(block) and _may_be_uneven(block[first - 1], width):
            first -= not has_header(_sample(block[first:], width))
        for row in block[:first]:
            repairs.add("above", row)
        table = block[first:]
        if len(table) > 2 or not table or not blocks:
            if table:
                return table
            continue
        following = _sample(blocks[0], width)
        if len(blocks[0]) <= len(table) or not following or not has_header(following):
            return table
        for row in table:
            repairs.add("above", row)
    return []


def _may_begin(row: Row, width: int) -> bool:
    return row.width == width and (row.n_filled > 1 or width < 3)


def _may_be_uneven(row: Row, width: int) -> bool:
    """Return whether a row right above the table may be its first, with too many or too few cells."""
    return row.width > width / 2 and row.n_filled > 1


def _fit_headings(asked: list[Row], below: list[Row], width: int, repairs: Repairs) -> list[Row]:
    """Give the headings that are asked for as many cells as the table has columns, and those of a title one text.

    A row of another length above one that fits is a title, unless names are merged in it.
    """
    alike = (place for place, row in enumerate(asked) if row.width == asked[-1].width)
    names = next((place for place, row in enumerate(asked) if _names_columns(row, width)), next(alike))
    lacks_one = _fit_names(asked[names], below, width, repairs)
    for place, row in enumerate(asked):
        if place < names and row.width != width and (row.width > width or all(row.trimmed)):
            row.cells = [" ".join(row.trimmed), *[""] * (width - 1)]
        elif lacks_one:
            _fit_names(row, below, width, repairs)
        else:
            _fit(row, width, repairs)
    return asked


def _names_columns(row: Row, width: int) -> bool:
    """Whether a row has a cell for every column, and several that are not blank."""
    return row.width == width and (row.n_filled > 1 or width == 1)


def _fit_names(first: Row, below: list[Row], width: int, repairs: Repairs) -> bool:
    """Fit the first row of names, and return whether it is one since it lacks a cell, as R writes it."""
    texts = all(first.trimmed) and not any(map(is_number, first.trimmed))
    lacks_one = first.width == width - 1 and texts  # R names no column of row names
    if lacks_one:
        ends = {row.cells[-1].strip() for row in below if row.width == width}
        first.cells = [*first.cells, ""] if ends == {""} else ["", *first.cells]
        where = "last" if ends == {""} else "first"
        repairs.others.append(f"Line {first.line:,} has no name for the {where} column.")
    else:
        _fit(first, width, repairs)
    return lacks_one


def _names(block: list[Row], width: int, header: bool | None, repairs: Repairs) -> tuple[list[Row], bool]:
    """Return the rows that name the columns, the first of which is kept."""
    first = block[0]
    if header is False:
        _fit(first, width, repairs)
    elif _fit_names(first, block[1:], width, repairs):
        header = True
    if header is None:
        below = _sample(block[1:], width)
        header = has_header([first.trimmed, *([row for row in below if row != first.trimmed] or below)])
    if not header:
        return [], False
    for n_more in range(min(_MAX_NAME_LINES, len(block) - 2), 0, -1):
        more, below = block[1 : 1 + n_more], _sample(block[1 + n_more :], width)
        if all(row.width == width and looks_like_names(row.trimmed, below) for row in more):
            for row in more:
                repairs.add("names", row)
            return [first, *more], True
    return [first], True


def _is_foreign(block: list[Row], width: int, names: list[Row], repairs: Repairs) -> bool:
    """Return whether rows after a blank line do not belong to the table, and note them."""
    fitting = _sample(block, width)
    first = block[0].trimmed
    if not any(row.width == width for row in block) or (width > 2 and all(row.is_alone for row in block)):
        kind = "table" if len(block) > 1 and min(row.width for row in block) > 1 else "remark"
    elif names and len(first) == width and first != names[0].trimmed and looks_like_names(first, fitting[1:]):
        kind = "table"
    else:
        return False
    for row in block:
        repairs.add(kind, row)
    return True


def _is_row(row: Row, width: int, names: list[Row], numeric: bool, repairs: Repairs) -> bool:
    """Return whether a row belongs to the table, and give it as many cells as the table has columns."""
    if any(row.first == name.first and row.trimmed == name.trimmed for name in names):
        repairs.add("repeated", row)
        return False
    remark = numeric and width > 1 and row.is_alone and not _fits(row, [0])
    if remark or (row.width != width and row.first.startswith("#")):
        repairs.add("remark", row)
        return False
    _fit(row, width, repairs)
    return True


def _fit(row: Row, width: int, repairs: Repairs) -> None:
    if row.width < width:
        repairs.add("padded", row)
        row.cells = row.cells + [""] * (width - row.width)
    elif row.width > width:
        repairs.add("cut", row)
        row.cells = row.cells[:width]
