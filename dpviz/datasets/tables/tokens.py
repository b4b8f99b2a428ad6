"""Split faulty text into rows, and write rows as well-formed text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from dpviz.datasets.tables.dialect import SEPARATORS, SINGLE_COLUMN, Dialect

_LINE_END = re.compile(r"\r\n|\r|\n")


class Row:
    """One row of a text or sheet.

    Attributes
    ----------
    line : int
        Number of its first line, from 1.
    width : int
        Number of cells.
    n_lines : int
        Number of lines.
    stray : bool
        Whether quotation marks that quote nothing were removed from its cells.
    raw : str
        Its text.
    separator : str
        Splits ``raw`` when the cells are needed; nearly all rows are never split, which saves most of the
        time and memory.
    """

    __slots__ = ("_cells", "line", "n_lines", "raw", "separator", "stray", "width")

    def __init__(
        self,
        line: int,
        cells: list[str] | None = None,
        *,
        raw: str = "",
        separator: str = "",
        n_lines: int = 1,
        stray: bool = False,
    ) -> None:
        self.line, self.raw, self.separator, self.n_lines, self.stray = line, raw, separator, n_lines, stray
        self._cells = cells
        self.width = raw.count(separator) + 1 if cells is None else len(cells)

    @property
    def cells(self) -> list[str]:
        """The cells as written, without quotation marks around them."""
        return self.raw.split(self.separator) if self._cells is None else self._cells

    @cells.setter
    def cells(self, cells: list[str]) -> None:
        self._cells, self.width = cells, len(cells)

    @property
    def is_plain(self) -> bool:
        """Whether the text can be split as it is, without any quotation mark."""
        return self._cells is None

    @property
    def trimmed(self) -> list[str]:
        """The cells without white space around them."""
        return [cell.strip() for cell in self.cells]

    @property
    def first(self) -> str:
        """The first cell, without white space around it."""
        return (self.raw.partition(self.separator)[0] if self._cells is None else self._cells[0]).strip()

    @property
    def n_filled(self) -> int:
        """Number of cells that are not blank."""
        return sum(bool(cell.strip()) for cell in self.cells)

    @property
    def is_blank(self) -> bool:
        """Whether it is empty, without even a separator."""
        return self.width == 1 and not self.first

    @property
    def is_alone(self) -> bool:
        """Whether only its first cell is not blank."""
        if not self.first:
            return False
        if self._cells is None:
            return not self.raw.partition(self.separator)[2].strip(self.separator + " \t")
        return self.n_filled == 1


class Tokens:
    """Splits text in one dialect, in time proportional to its length.

    A cell is quoted if it begins and ends with the quotation mark; any other mark at its edges is stray, and removed.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._separator = dialect.separator or SINGLE_COLUMN
        self._quote, self._escape = dialect.quote, dialect.escape
        separator, quote, escape = (re.escape(mark) for mark in (self._separator, self._quote, self._escape))
        blank = "" if self._separator == " " else "[ ]*+" if self._separator == "\t" else r"[ \t]*+"
        inside, outside = rf"[^{quote}{escape}]++|{quote}{quote}", rf"[^{separator}\r\n{escape}]++"
        if escape:  # marks after it are literal
            inside, outside = rf"{inside}|{escape}.?", rf"{outside}|{escape}[^\r\n]?"
        self._quoted = re.compile(rf"{blank}{quote}((?:{inside})*+){quote}{blank}(?={separator}|\r|\n|\Z)", re.DOTALL)
        self._dialect = dialect
        self._plain = re.compile(rf"(?:{outside})*+")
        self._doubled = re.compile(
            rf"{quote}({quote})" + (rf"|{escape}([{quote}{escape}{separator}])" if escape else "")
        )

    def rows(self, text: str, first_line: int = 1) -> Iterator[Row]:
        """Split a text into rows, blank ones among them."""
        position, line = 0, first_line
        while position < len(text):
            end = _LINE_END.search(text, position)
            stop, after = end.span() if end else (len(text), len(text))
            whole = text[position:stop]
            if self._quote not in whole and not (self._escape and self._escape in whole):
                yield Row(line, raw=whole, separator=self._separator)
                position, line = after, line + 1
                continue
            row, position = self._marked_row(text, position, line)
            yield row
            line += row.n_lines

    def single_lines(self, row: Row) -> list[Row]:
        """Split a row over several lines as if quotation marks did not join lines."""
        lines = _LINE_END.split(row.raw)
        return [
            Row(row.line + offset, [self._without_marks(cell) for cell in line.split(self._separator)])
            for offset, line in enumerate(lines)
        ]

    def otherwise(self, row: Row, width: int) -> list[str]:
        """Split a row that uses another separator than the rest into ``width`` cells, or return an empty list."""
        for separator in SEPARATORS:
            if separator in row.raw and separator not in (" ", self._separator):
                other = list(Tokens(replace(self._dialect, separator=separator)).rows(row.raw))
                if len(other) == 1 and other[0].width == width:
                    return other[0].cells
        return []

    def written(self, row: Row) -> str:
        """Join the cells of a row, with double quotation marks around those that need them."""
        if row.is_plain and '"' not in row.raw:
            return row.raw
        return self._separator.join(map(self._written, row.cells))

    def _marked_row(self, text: str, position: int, line: int) -> tuple[Row, int]:
        start, cells, stray = position, [], False
        while True:
            match = self._quoted.match(text, position)
            if match:
                cells.append(self._doubled.sub(lambda mark: mark[1] or mark[2], match[1]))
            else:
                match = self._plain.match(text, position)
                assert match is not None  # it matches the empty text too
                plain = match[0]
                cell = self._without_marks(plain)
                stray |= cell != plain
                cells.append(self._doubled_escapes(cell))
            position = match.end()
            if not text.startswith(self._separator, position):
                break
            position += 1
        n_lines = 1 + len(_LINE_END.findall(text, start, position))
        end = _LINE_END.match(text, position)
        raw = text[start:position]
        return Row(line, cells, raw=raw, n_lines=n_lines, stray=stray), end.end() if end else position

    def _doubled_escapes(self, cell: str) -> str:
        return self._doubled.sub(lambda mark: mark[2] or mark[0], cell) if self._escape else cell

    def _without_marks(self, cell: str) -> str:
        bare = cell.strip()
        if not bare.startswith(self._quote) and not bare.endswith(self._quote):
            return cell
        if self._escape and bare.endswith(self._escape + self._quote):
            return cell
        return bare.strip(self._quote)

    def _written(self, cell: str) -> str:
        if any(mark in cell for mark in (self._separator, '"', "\n", "\r")) or cell != cell.strip():
            doubled = cell.replace('"', '""')
            return f'"{doubled}"'
        return cell
