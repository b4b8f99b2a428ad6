"""Detect whether the first row of a table names its columns: every column has a vote."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dpviz.datasets.tables.dialect import MAX_NUMBER_LENGTH, is_missing, is_number
from dpviz.datasets.tables.measures import bare

NO_NAMES = {"n.a.", "n.a", "n/a", "na", "none", "missing", "unknown", "not available", "n.d.", "nd", "nil", "tbd"}
"""Markers of a missing value that are hardly ever the name of a column."""

CENSORED = re.compile(r"[<>≤≥~≈]\s?=?[+-]?[\d.,]+")
"""Bounds of values."""
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_LETTER, _DIGITS = re.compile(r"[^\W\d_]"), re.compile(r"((?<![\w.])[+\u2212-])?\d+")
_NOT_UNIT = re.compile(r"[\d.,\s\u2212+-]+")


def has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of some rows names the columns.

    Parameters
    ----------
    rows : sequence of sequences of str
        The first rows, the cells trimmed.

    Returns
    -------
    bool
        True if more columns vote for it than against it. Votes for it are text above numbers, and text that does not
        recur where values below do; votes against it are a number above numbers, and text that recurs below or has the
        format of all of them. Missing values have no vote. Rows that repeat the first one whole have none either where
        it is text above numbers otherwise.
    """
    first, below = rows[0], _without_repeats(rows)
    names = [cell for cell in first if not is_no_name(cell)]
    if not names or all(map(is_number, names)):
        return False
    columns = [[row[position] for row in below if position < len(row)] for position in range(len(first))]
    texts = [name for name in names if not is_number(name)]
    repeated = len(texts) - len(set(texts))
    votes = sum(_vote(cell, column) for cell, column in zip(first, columns, strict=True) if not is_no_name(cell))
    return votes - repeated > 0 or (votes > 0 and _all_above_numbers(first, columns))


def _without_repeats(rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Return the rows below the first, without its repetitions if all else below some of its texts are numbers."""
    first, below = rows[0], rows[1:]
    others = [row for row in below if list(row) != list(first)]
    if len(others) == len(below):
        return below
    columns = ([row[position] for row in others if position < len(row)] for position in range(len(first)))
    return others if any(_vote(cell, column) == 2 for cell, column in zip(first, columns, strict=True)) else below


def _all_above_numbers(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether all names are above numbers, so that repeated names do not count against a header."""
    return all(_vote(cell, column) == 2 for cell, column in zip(first, columns, strict=True) if not is_no_name(cell))


def looks_like_names(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether a row holds no values: no number in columns of numbers, or one word that never recurs."""
    if any(is_number(cell) for cell in row):
        return False
    columns = [[other[position] for other in below if position < len(other)] for position in range(len(row))]
    votes = [_vote(cell, column) for cell, column in zip(row, columns, strict=True) if not is_no_name(cell)]
    one_word = len(votes) > 1 and len(set(row)) == 1 and min(votes) >= 1
    return one_word or (2 in votes and min(votes) >= 0)


def is_no_name(cell: str) -> bool:
    """Whether a cell is hardly ever the name of a column: a marker of a missing value."""
    return is_missing(cell) or cell.casefold() in NO_NAMES


def _vote(cell: str, column: Sequence[str]) -> float:
    present = [entry for entry in column if not is_no_name(entry)]
    if not present:
        return 0.0 if is_number(cell) else 0.5
    if all(is_number(entry) or _is_censored(entry) for entry in present):
        if _is_censored(cell):
            return -1.0
        if not is_number(cell):
            return 2.0
        return 0.0 if _YEAR.fullmatch(cell) and not any(map(_YEAR.fullmatch, present)) else -1.0
    if is_number(cell):
        return -1.0
    if all(is_number(bare(entry)) for entry in present):
        return -1.0 if is_number(bare(cell)) and _unit(cell) in set(map(_unit, present)) else 2.0
    if cell in present:
        return -1.0
    shapes = {_shape(entry) for entry in present}
    if any(letter.isdigit() for letter in cell):
        return -1.0 if shapes == {_shape(cell)} else 0.5
    if all(any(letter.isdigit() for letter in entry) for entry in present) or len(set(present)) <= len(present) // 2:
        return 1.0
    return 0.5


def _is_censored(cell: str) -> bool:
    return len(cell) <= MAX_NUMBER_LENGTH and bool(CENSORED.fullmatch(cell))


def _unit(cell: str) -> str:
    """Return what stands around the digits of a number: in a unit that no number below has it is a name, as “2 h”."""
    return _NOT_UNIT.sub("", cell)


def _shape(cell: str) -> str:
    """Return a text with every letter as the same one, and every run of digits as one digit, without its sign."""
    return _DIGITS.sub("9", _LETTER.sub("a", cell[:MAX_NUMBER_LENGTH]))
