"""Split text into rows whatever is wrong with it, and write rows as text that nothing is wrong with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from dpviz.datasets.tables.dialect import SEPARATORS, SINGLE_COLUMN, Dialect

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(slots=True)
class Row:
    """One row of a text or sheet.

    Attributes
    ----------
    line : int
        Number of its first line, from 1.
    cells : list of str
        Its cells as they were written, without quotation marks around them.
    n_lines : int
        Over how many lines it runs.
    stray : bool
        Whether quotation marks that quote nothing were removed from its cells.
    raw : str
        Its text, if there are marks in it.
    """

    line: int
    cells: list[str]
    n_lines: int = 1
    stray: bool = False
    raw: str = ""

    @property
    def trimmed(self) -> list[str]:
        """The cells without white space around them."""
        return [cell.strip() for cell in self.cells]

    @property
    def n_filled(self) -> int:
        """How many cells are not blank."""
        return sum(bool(cell.strip()) for cell in self.cells)


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
        if escape:  # the marks after it mean themselves
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
                yield Row(line, whole.split(self._separator))
                position, line = after, line + 1
                continue
            row, position = self._marked_row(text, position, line)
            yield row
            line += row.n_lines

    def single_lines(self, row: Row) -> list[Row]:
        """Split a row over several lines as if quotation marks kept no line together."""
        lines = _LINE_END.split(row.raw)
        return [
            Row(row.line + offset, [self._without_marks(cell) for cell in line.split(self._separator)])
            for offset, line in enumerate(lines)
        ]

    def otherwise(self, row: Row, width: int) -> list[str]:
        """Split a row that uses another separator than the rest into ``width`` cells, or return an empty list."""
        text = row.raw or self._separator.join(row.cells)
        for separator in SEPARATORS:
            if separator in text and separator not in (" ", self._separator):
                other = list(Tokens(replace(self._dialect, separator=separator)).rows(text))
                if len(other) == 1 and len(other[0].cells) == width:
                    return other[0].cells
        return []

    def written(self, cells: list[str]) -> str:
        """Join cells, with double quotation marks around those that need them."""
        return self._separator.join(map(self._written, cells))

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
        return Row(line, cells, n_lines, stray, raw), end.end() if end else position

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
