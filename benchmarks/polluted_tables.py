"""Copies of a clean table, each with one kind of dirt that files of tables have, and what a careful person reads."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

Rows = list[list[str]]


class Polluted(NamedTuple):
    """A file and its truth.

    Attributes
    ----------
    dirt : str
        Its kind.
    weight : float
        How common the dirt is, in percent, roughly as surveys of open-data portals found it.
    data : bytes
    truth : list of list of str or None
        Names and rows. Cells that the file does not have are ``""``, those beyond the last column are dropped; None
        where only a refusal or a repair that is said is right.
    """

    dirt: str
    weight: float
    data: bytes
    truth: Rows | None


def _cell(text: str, separator: str, quote: str, escape: str) -> str:
    if any(mark in text for mark in (separator, quote, "\n", "\r")) or text != text.strip():
        return quote + text.replace(quote, escape + quote) + quote
    return text


def _file(rows: Rows, separator: str = ",", quote: str = '"', escape: str = "", end: str = "\r\n") -> str:
    cells = ([_cell(cell, separator[0], quote, escape or quote) for cell in row] for row in rows)
    return "".join(separator.join(row) + end for row in cells)


def _whole(rows: Rows) -> Iterator[Polluted]:
    """Yield the copies whose dirt is in every line, or around the table."""
    head, body, width, text = rows[0], rows[1:], len(rows[0]), _file(rows)

    def written(dirt: str, weight: float, text: str, truth: Rows | None = rows) -> Polluted:
        return Polluted(dirt, weight, text.encode(), truth)

    for weight, separator in ((40, ","), (19, ";"), (8, "\t"), (2, "|"), (1, " "), (2, ", ")):
        yield written(f"separator {separator!r}", weight, _file(rows, separator))
    for weight, end in ((38, "\n"), (1, "\r")):
        yield written(f"end {end!r}", weight, _file(rows, end=end))
    yield written("no last end", 10, text.removesuffix("\r\n"))
    yield written("two last ends", 3, text + "\r\n")
    yield written("byte order mark", 6, "\ufeff" + text)
    western = [[cell.encode("cp1252", "replace").decode("cp1252") for cell in row] for row in rows]
    yield Polluted("Windows-1252", 5, _file(western).encode("cp1252"), western)
    listed = [head, *([f"{row[0]}, x", *row[1:]] for row in body)]
    yield written("single quotes", 1, _file(listed, quote="'"), listed)
    quoted = [head, *([f'{row[0]} "x", y', *row[1:]] for row in body)]
    yield written("backslash", 1, _file(quoted, escape="\\"), quoted)
    doubled = ([cell.replace('"', '""') for cell in row] for row in rows)
    yield written("all quoted", 8, "".join('"' + '","'.join(row) + '"\r\n' for row in doubled))
    yield written("no header", 11, _file(body), [[f"x{place + 1}" for place in range(width)], *body])
    yield written("two lines of names", 2, _file([head, ["unit"] * width, *body]))
    yield written("title above", 6, "Table 3. Measurements, 2019\r\n\r\n" + text)
    yield written("remark below", 3, text + "\r\nSource: own survey\r\n")
    yield written("sep=;", 2, "sep=;\r\n" + _file(rows, ";"))
    yield written("two tables", 1, f"{text}\r\n{text}", None)
    yield written("names only", 1, _file([head]), None)
    yield written("empty", 1, "", None)
    yield written("one row", 1, _file(rows[:2]), rows[:2])


def polluted(rows: Rows, seed: int = 0, n_lines: int = 4) -> Iterator[Polluted]:
    """Yield polluted copies of a table.

    Parameters
    ----------
    rows : list of list of str
        The names, and then the rows.
    seed : int
    n_lines : int
        How many lines have dirt of their own, one in each file.
    """
    yield from _whole(rows)
    rng, width = random.Random(seed), len(rows[0])
    chosen = rng.sample(range(1, len(rows)), min(n_lines, len(rows) - 1))
    for line in chosen:
        weight, row, above, below = 9 / len(chosen), rows[line], rows[:line], rows[line + 1 :]
        cut = rng.randrange(1, width) if width > 1 else 1
        short = [*above, row[:cut], *below]
        yield Polluted("short row", weight, _file(short).encode(), [*above, row[:cut] + [""] * (width - cut), *below])
        long = [*above, row + ["extra"] * rng.randint(1, 3), *below]
        yield Polluted("long row", weight, _file(long).encode(), rows)
        place = rng.randrange(width)
        stray = ",".join(cell + '"' if k == place else _cell(cell, ",", '"', '"') for k, cell in enumerate(row))
        yield Polluted("stray mark", weight, f"{_file(above)}{stray}\r\n{_file(below)}".encode(), None)
