r"""Turn columns of text cells into numbers if every cell is one, and note the assumptions.

A number is written with a decimal point or a decimal comma, possibly with thousands separators
(``1,234.5``, ``1.234,5``, ``1 234,5``, ``1'234.5``). The mark is decided per column; where a column can be read both
ways (``1,234`` alone), the mark found in the whole file decides. Percent signs and units are dropped if every cell has
the same one, dates become days, and among numbers a bound such as ``<0.1`` is read as the limit.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.datasets.tables.limits import MAX_EXACT_INTEGER, check_cell_length
from dpviz.datasets.tables.measures import Dates, days, plainly_written, without_bounds, without_unit
from dpviz.datasets.tables.table import CLOCK, DAYS, listed
from dpviz.periods import HOURS, is_within_turn

TextColumn = Any  # a pyarrow ChunkedArray of strings; pyarrow ships no type hints

_ERRORS = ("#N/A", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!")
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "-nan", "null", "NULL", "<NA>", "?", *_ERRORS)
"""Markers of a missing cell in every column."""

MISSING_NUMBERS = ("-", "--", "\u2013", "\u2014", ".", "..", "*", "None", "missing", "Missing")
"""Further markers of a missing cell among numbers."""

REMARKS = {
    "comma": "Decimal commas were read as decimal points in",
    "grouping": "Thousands separators were removed in",
    "percent": "Percent signs were removed, and 5% read as 5, in",
    "bound": "Bounds such as <0.1 were read as the limit, 0.1, in",
    "days": "Dates were read as days since 1 January 1970 in",
    "days, day first": "Dates were read, the day first, as days since 1 January 1970 in",
    "days, month first": "Dates were read, the month first, as days since 1 January 1970 in",
    "codes": "Numbers with leading zeros, or too large to be exact, were kept as text in",
    "mixed": "Numbers and other text are mixed in",
}

_UNIT, _SHORT_YEARS = "unit ", "years "
FEW_MINUTES = 0.05
"""Spread of times (hours) below which they are told to the second."""
MOST_DAYS = 1e6
"""From 1970 to the year 4707: more is no date that anybody wrote."""


def date_of(days: float) -> str | None:
    """Write a number of days since 1970, or a mean of such, as the nearest date; None if it is none."""
    if not abs(days) < MOST_DAYS:
        return None
    return str(np.datetime64("1970-01-01") + np.timedelta64(round(days), "D"))


def moment_of(days: float) -> str | None:
    """Write a number of days since 1970 with the time of the day, to the second, if it is not midnight; or None."""
    if not abs(days) < MOST_DAYS:
        return None
    moment = np.datetime64("1970-01-01") + np.timedelta64(round(days * 86_400), "s")
    date, time = str(moment).split("T")
    return date if time == "00:00:00" else f"{date} {time.removesuffix(':00')}"


def time_of(hours: float, *, exact: bool) -> str | None:
    """Write hours as a time of the day, to the minute, or to the second if that is exact and no whole minute; or None.

    Numbers beyond a turn are no times.
    """
    if not is_within_turn(hours, HOURS):
        return None
    seconds = round(hours * 3600) % 86_400 if exact else 60 * round(hours * 60) % 86_400
    return str(datetime.time(seconds // 3600, seconds // 60 % 60, seconds % 60)).removesuffix(":00")


def as_read(number: float, unit: str, *, exact: bool = False, spread: float = math.inf) -> str | None:
    """Write a number of days or hours as the date or the time that was read as one; None in other units.

    A mean is told to the day, or the minute, of times within a ``spread`` (hours) of few minutes to the second, as is
    what is ``exact``.
    """
    if unit == DAYS:
        return moment_of(number) if exact else date_of(number)
    return time_of(number, exact=exact or spread < FEW_MINUTES) if unit == CLOCK else None


def in_words(remark: str) -> str:
    """Say a change of a column's numbers, as the beginning of a sentence that ends with the columns."""
    if remark.startswith(_SHORT_YEARS):
        return f"Two-digit years were read as {remark.removeprefix(_SHORT_YEARS)} in"
    unit = remark.removeprefix(_UNIT)
    return REMARKS[remark] if unit == remark else f"The unit {unit} was removed in"


def remarks_on(dates: Dates) -> tuple[str, ...]:
    """Return the remarks on a column of dates: their form, and the century of years that have two digits."""
    return (dates.remark, _SHORT_YEARS + dates.years) if dates.years else (dates.remark,)


def _unit_of(remark: str) -> str:
    """Return the unit that a remark says was removed; empty if it says something else."""
    if remark.startswith("days"):
        return DAYS
    return "%" if remark == "percent" else remark.removeprefix(_UNIT) if remark.startswith(_UNIT) else ""


_EXPONENT = r"([eE][+-]?\d+)?"
GAPS = " '’\u00a0\u2007\u2009\u202f"
"""Characters that separate thousands, besides the mark that is not the decimal one."""

_GAPS = f"[{GAPS}]"
_WORDS = "[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?)"
PLAIN = {
    ".": rf"^([+-]?(\d+(\.\d*)?|\.\d+){_EXPONENT}|{_WORDS})$",
    ",": rf"^([+-]?(\d+(,\d+)?|,\d+){_EXPONENT}|{_WORDS})$",  # “31,” ends a clause, or a cell
}
GROUPED = {
    ".": rf"^[+-]?[1-9]\d{{0,2}}((,\d{{3}})+|({_GAPS}\d{{3}})+)(\.\d*)?$",
    ",": rf"^[+-]?[1-9]\d{{0,2}}((\.\d{{3}})+|({_GAPS}\d{{3}})+)(,\d+)?$",
}
_PERCENT = "[ \u00a0\u2009\u202f]?%\\s*$"
_OTHER_MARK = {".": ",", ",": "."}
_PART_BYTES = 8_000_000
_LOOKED_AT, _FEW = 1_000, 500  # cells whose distinct ones are counted, and how many of those are few


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of text read as numbers.

    Attributes
    ----------
    values : ndarray of float64, shape (N,)
        The numbers; NaN where the cell is missing or is not a number.
    n_present, n_numbers : int
        Number of present cells (a dash or another of ``MISSING_NUMBERS`` is not one), and of numbers.
    n_inexact : int
        Number of whole numbers that no double equals.
    changes : tuple of str
        Changes needed to read them: ``"comma"``, ``"grouping"``, ``"percent"`` (keys of ``REMARKS``).
    """

    values: FloatArray
    n_present: int
    n_numbers: int
    n_inexact: int
    changes: tuple[str, ...] = ()


def trimmed(cells: TextColumn) -> TextColumn:
    """Strip white space and turn every missing-value marker into a null."""
    stripped = pc.utf8_trim_whitespace(cells)
    return _without(stripped, MISSING)


def without_empty_end(columns: Sequence[TextColumn]) -> tuple[list[TextColumn], list[str]]:
    """Leave out rows at the end without anything in their cells, which spreadsheets write, and say how many.

    Further up, or with markers of missing cells, a row is one whose cells are missing; so it is in a single column.
    """
    empty = np.full(len(columns[0]), len(columns) > 1)
    for column in columns:
        if not empty[-1:].any():
            return list(columns), []
        empty &= _blank(column)
    n_rows = int(np.argmin(empty[::-1])) if not empty.all() else len(empty)
    words = {0: [], 1: ["The last row has no entry in any cell and is left out."]}
    note = words.get(n_rows, [f"The last {n_rows:,} rows have no entry in any cell and are left out."])
    return [column.slice(0, len(empty) - n_rows) for column in columns], note


def is_blank(column: TextColumn) -> bool:
    """Whether no cell of a column holds anything."""
    return bool(_blank(column).all())


def _blank(column: TextColumn) -> BoolArray:
    blank: BoolArray = pc.fill_null(pc.equal(pc.utf8_trim_whitespace(column), ""), True).to_numpy()
    return blank


def parts(cells: TextColumn) -> Iterator[TextColumn]:
    """Cut a column into chunks of some megabytes: every step on text makes another copy.

    Parameters
    ----------
    cells : pyarrow.ChunkedArray of strings, length N

    Yields
    ------
    pyarrow.ChunkedArray of strings
        At least one, possibly empty.
    """
    taken = np.cumsum(pc.fill_null(pc.binary_length(cells), 0).to_numpy().astype(np.int64) + 8)
    starts = np.flatnonzero(np.diff(taken // _PART_BYTES, prepend=-1)).tolist()
    for start, stop in pairwise([*(starts or [0]), len(cells)]):
        yield cells.slice(start, stop - start)


def parse_numbers(cells: TextColumn, decimal: str = ".") -> Numbers:
    """Read a column of text as numbers.

    Parameters
    ----------
    cells : pyarrow.ChunkedArray of strings, length N
        Nulls are missing cells, as are cells that :func:`trimmed` turns into nulls.
    decimal : {".", ","}
        The preferred mark if both readings are possible.

    Returns
    -------
    Numbers
        With ``n_numbers < n_present`` if some cells are not numbers.
    """
    if _are_percentages(cells):
        bare = pa.chunked_array([pc.replace_substring_regex(part, _PERCENT, "") for part in parts(cells)])
        numbers = _parse_bare(bare, decimal)
        return replace(numbers, changes=(*numbers.changes, "percent"))
    return _parse_bare(cells, decimal)


def _parse_bare(cells: TextColumn, decimal: str) -> Numbers:
    """Read cells without percent signs."""
    first = _parse_with_mark(cells, decimal)
    if first.n_numbers == first.n_present:
        return first
    second = _parse_with_mark(cells, _OTHER_MARK[decimal])
    return second if second.n_numbers > first.n_numbers else first


def _are_percentages(cells: TextColumn) -> bool:
    """Whether every present cell ends in a percent sign: if only some do, the meaning of the others is unknown."""
    n_present = 0
    for part in parts(cells):
        distinct, _ = _distinct(part)
        present = _without(trimmed(distinct), MISSING_NUMBERS)
        if not pc.all(pc.match_substring_regex(present, "[0-9.,]" + _PERCENT), min_count=0).as_py():
            return False
        n_present += len(present) - present.null_count
    return n_present > 0


def _parse_with_mark(cells: TextColumn, mark: str) -> Numbers:
    found = [_parse_part(part, mark) for part in parts(cells)]
    return Numbers(
        np.concatenate([part.values for part in found]),
        n_present=sum(part.n_present for part in found),
        n_numbers=sum(part.n_numbers for part in found),
        n_inexact=sum(part.n_inexact for part in found),
        changes=tuple(change for change in REMARKS if any(change in part.changes for part in found)),
    )


def _parse_part(cells: TextColumn, mark: str) -> Numbers:
    distinct, places = _distinct(cells)
    distinct = _without(plainly_written(trimmed(distinct)), MISSING_NUMBERS)
    plain = pc.match_substring_regex(distinct, PLAIN[mark])
    grouped = pc.match_substring_regex(distinct, GROUPED[mark])
    digits = pc.if_else(pc.or_(plain, grouped), distinct, pa.scalar(None, distinct.type))
    any_grouped = bool(pc.any(grouped).as_py())
    any_comma = mark == "," and bool(pc.any(pc.match_substring(digits, ",")).as_py())
    if any_grouped:
        digits = pc.replace_substring_regex(digits, _GAPS + ("|," if mark == "." else r"|\."), "")
    if mark == ",":
        digits = pc.replace_substring(digits, ",", ".")
    values = _floats(digits)
    changes = ("comma",) * any_comma + ("grouping",) * any_grouped
    times = np.ones(len(distinct), np.int64) if places is None else np.bincount(places, minlength=len(distinct))
    return Numbers(
        values if places is None else values[places],
        n_present=int(times[distinct.is_valid().to_numpy()].sum()),
        n_numbers=int(times[digits.is_valid().to_numpy()].sum()),
        n_inexact=int(times[_inexact(digits, values)].sum()),
        changes=changes,
    )


def _distinct(cells: TextColumn) -> tuple[TextColumn, IntArray | None]:
    """Return the distinct cells and the place of each cell among them; all cells and None if most may differ."""
    start = cells.slice(0, _LOOKED_AT)
    if len(cells) <= _LOOKED_AT or len(pc.unique(start)) > _FEW:
        return cells, None
    encoded = cells.combine_chunks().dictionary_encode(null_encoding="encode")
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    return pa.chunked_array([encoded.dictionary]), encoded.indices.to_numpy().astype(np.int64)


def _without(cells: TextColumn, markers: Sequence[str]) -> TextColumn:
    is_marker = pc.is_in(cells, value_set=pa.array(markers, cells.type))
    return pc.if_else(is_marker, pa.scalar(None, cells.type), cells)


def _floats(cells: TextColumn) -> FloatArray:
    # pyarrow takes no plus sign before “inf”
    unsigned = pc.replace_substring_regex(cells, r"^\+", "") if pc.any(pc.starts_with(cells, "+")).as_py() else cells
    numbers: FloatArray = pc.cast(unsigned, pa.float64()).to_numpy()
    return numbers


def _inexact(cells: TextColumn, values: FloatArray) -> IntArray:
    """Return the places of whole numbers that no double equals."""
    candidates = np.flatnonzero(np.isfinite(values) & (np.abs(values) >= MAX_EXACT_INTEGER))
    if not candidates.size:
        return candidates
    texts = pc.take(cells, pa.array(candidates)).to_pylist()
    whole = ((text.lstrip("+-"), value) for text, value in zip(texts, values[candidates], strict=True))
    wrong = [text.isdigit() and text.lstrip("0") != str(int(abs(value))) for text, value in whole]
    return candidates[np.array(wrong)]


def read_column(cells: TextColumn, decimal: str) -> tuple[pd.Series, tuple[str, ...]]:
    """Turn one column of raw text into numbers if all its present cells are numbers, else into trimmed text.

    Codes such as ``007`` and whole numbers too large for a double stay text, so that nothing is lost before the column
    is used.

    Returns
    -------
    column : pandas.Series of float64, int64 or str, length N
        Missing cells are NaN.
    remarks : tuple of str
        Keys of ``REMARKS``.
    """
    plain = _plain_numbers(cells, decimal)
    if plain is not None:
        return pd.Series(plain), ("comma",) if decimal == "," and plain.dtype == np.float64 else ()
    text = trimmed(cells)
    if text.null_count == len(text):
        return pd.Series(np.full(len(text), np.nan)), ()
    numbers = parse_numbers(text, decimal)
    if numbers.n_numbers < numbers.n_present:
        dates = days(_without(text, MISSING_NUMBERS)) if not numbers.n_numbers else None
        if dates is not None:
            return pd.Series(dates.days), remarks_on(dates)
        numbers = _parse_measures(_without(text, MISSING_NUMBERS), decimal, numbers)
    if numbers.n_numbers < numbers.n_present:
        return text_series(text), ("mixed",) if numbers.n_numbers else ()
    if numbers.n_inexact or _has_codes(text):
        return text_series(text), ("codes",)
    exact = np.abs(numbers.values) <= MAX_EXACT_INTEGER  # False for NaN
    if exact.all() and np.array_equal(numbers.values, np.floor(numbers.values)):
        return pd.Series(numbers.values.astype(np.int64)), numbers.changes
    return pd.Series(numbers.values), numbers.changes


def _parse_measures(cells: TextColumn, decimal: str, plain: Numbers) -> Numbers:
    """Read cells with a unit, or numbers among which are bounds; as before if that does not make all of them numbers.

    Mere bounds are classes rather than numbers, such as <18 and >65, so that half of the cells must be plain numbers.
    """
    bare = without_unit(cells)
    limits = without_bounds(cells) if bare is None and plain.n_present <= 2 * plain.n_numbers else None
    if bare is None and limits is None:
        return plain
    cells, change = (bare[0], _UNIT + bare[1]) if bare is not None else (limits, "bound")
    numbers = parse_numbers(cells, decimal)
    return replace(numbers, changes=(*numbers.changes, change)) if numbers.n_numbers == numbers.n_present else plain


def _plain_numbers(cells: TextColumn, decimal: str) -> IntArray | FloatArray | None:
    """Read a column in which every cell has the format of a program's output: the fast way for large files."""
    if cells.null_count:
        return None
    try:
        integers = pc.cast(cells, pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        integers = None
    if integers is not None:
        exact = len(integers) and -MAX_EXACT_INTEGER <= integers.min() and integers.max() <= MAX_EXACT_INTEGER
        return integers if exact and not _has_codes(cells) else None
    if decimal == ",":
        if pc.any(pc.match_substring(cells, ".")).as_py():
            return None
        cells = pc.replace_substring(cells, ",", ".")
    try:
        values = pc.cast(cells, pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    ordinary = np.abs(values) < MAX_EXACT_INTEGER  # large whole numbers, infinities and NaN need further checks
    return values if ordinary.all() else None


def _has_codes(cells: TextColumn) -> bool:
    return bool(pc.any(pc.match_substring_regex(cells, "^[+-]?0[0-9xX]")).as_py())


def read_repeated(cells: TextColumn, decimal: str) -> tuple[pd.Series, tuple[str, ...]]:
    """Read a column of repeated text as :func:`read_column` does, but every distinct cell once.

    Parameters
    ----------
    cells : pyarrow.ChunkedArray of dictionaries of large strings, length N
        With the same dictionary in every chunk.
    decimal : {".", ","}

    Returns
    -------
    column : pandas.Series, length N
    remarks : tuple of str
    """
    indices = pa.chunked_array([chunk.indices for chunk in cells.chunks], pa.int32())
    dictionary = cells.chunk(0).dictionary if cells.num_chunks else pa.array([], pa.large_string())
    used = pc.drop_null(pc.unique(indices))
    distinct = pa.chunked_array([pc.take(dictionary, used), pa.nulls(int(indices.null_count > 0), dictionary.type)])
    column, remarks = read_column(distinct, decimal)
    places = np.full(len(dictionary) + 1, len(distinct) - 1)
    places[used.to_numpy()] = np.arange(len(used))
    places = places[pc.fill_null(indices, len(dictionary)).to_numpy()]
    if pd.api.types.is_numeric_dtype(column.dtype):
        return pd.Series(column.to_numpy()[places]), remarks
    return text_series(pc.take(trimmed(distinct), pa.array(places))), remarks


def text_series(cells: TextColumn) -> pd.Series:
    """Return text cells as a pandas column with missing cells as NaN."""
    return pd.Series(cells.to_pandas(), dtype="str")


class ReadColumns(NamedTuple):
    """Columns of text as a table.

    Attributes
    ----------
    frame : pandas.DataFrame
        One column per name.
    notes : list of str
        Notes on columns whose numbers were rewritten, and on those that only look like numbers.
    units : tuple of (str, str)
        Names of columns, each with the unit of all its cells, which was removed from them; ``%`` and ``DAYS`` are two.
    """

    frame: pd.DataFrame
    notes: list[str]
    units: tuple[tuple[str, str], ...]


def read_columns(columns: Sequence[TextColumn], names: Sequence[str], decimals: Sequence[str]) -> ReadColumns:
    """Turn columns of raw text into a table of numbers and text, each by its preferred decimal mark."""
    series: dict[str, pd.Series] = {}
    remarked: dict[str, list[str]] = {}
    for name, cells, decimal in zip(names, columns, decimals, strict=True):
        repeated = pa.types.is_dictionary(cells.type)
        written = pa.chunked_array([chunk.dictionary for chunk in cells.chunks]) if repeated else cells
        check_cell_length(name, pc.max(pc.binary_length(written)).as_py() or 0)
        series[name], remarks = (read_repeated if repeated else read_column)(cells, decimal)
        for remark in remarks:
            remarked.setdefault(remark, []).append(name)
    notes = [f"{in_words(remark)} {listed(which)}." for remark, which in remarked.items()]
    units = ((name, _unit_of(remark)) for remark, which in remarked.items() for name in which)
    return ReadColumns(pd.DataFrame(series), notes, tuple((name, unit) for name, unit in units if unit))
