"""Code one column of a table as numbers, according to its kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpviz.arrays import BoolArray, FloatArray
from dpviz.datasets.tables.cell_values import Numbers, in_words, parse_numbers, parts, trimmed
from dpviz.datasets.tables.circles import clock_hours, codes_of_names, names_of_turn
from dpviz.datasets.tables.kinds import MAX_CODES, read_numbers, text_cells
from dpviz.datasets.tables.limits import MAX_ABSOLUTE
from dpviz.datasets.tables.table import CLOCK, clean_name, mark_of
from dpviz.errors import InvalidDataError
from dpviz.hurdles import HURDLE, ROUNDED, ends_of, to_ends
from dpviz.periods import HOURS, circular, is_within_turn, period_of, whole_of
from dpviz.shares import KINDS_OF_PARTS
from dpviz.text import counted, in_full


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """A column as numbers.

    Attributes
    ----------
    values : ndarray of float64, shape (N,)
        NaN where the cell is missing.
    category_names : tuple of str
        Names of the codes 0, 1, …; empty for measured values.
    notes : tuple of str
        Changes.
    unit : str
        Of numbers that text was turned into; empty for others.
    """

    values: FloatArray
    category_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unit: str = ""


def encode(column: pd.Series, kind: str) -> EncodedColumn:
    """Code a column according to its kind.

    Parameters
    ----------
    column : pandas.Series
        Numbers or text, with its name.
    kind : str
        One of ``dpviz.datasets.dataset.KINDS``, one with its number such as ``circular 24``.

    Returns
    -------
    EncodedColumn

    Raises
    ------
    InvalidDataError
        If the column has no values of that kind.
    """
    if kind in ("binary", "categorical"):
        return _encode_categories(column, kind)
    period = period_of(kind)
    if period is not None:
        return _encode_circle(column, period)
    numbers, notes = _numbers(column)
    values = numbers.values
    present = values[~np.isnan(values)]
    if not present.size:
        raise InvalidDataError(f"“{column.name}” holds no numbers, so it cannot be {kind}. Leave it out.")
    too_large = np.abs(present) > MAX_ABSOLUTE
    if too_large.any():
        raise InvalidDataError(
            f"“{column.name}” holds infinite values or values beyond ±{MAX_ABSOLUTE:g}, whose squares cannot be summed "
            f"({too_large.sum():,} in all, such as {present[too_large][0]:g}). Rescale the column or leave it out."
        )
    _check_range(str(column.name), present, kind)
    if (whole := whole_of(kind)) is not None:
        values = to_ends(values, whole)
    if kind == "ordinal":
        return _encode_ordinal(str(column.name), values, notes)
    return EncodedColumn(values, notes=tuple(notes))


def _numbers(column: pd.Series) -> tuple[Numbers, list[str]]:
    numbers = read_numbers(column)
    notes: list[str] = []
    if numbers is None:  # text that was declared to be numbers
        numbers = parse_numbers(text_cells(column), mark_of(column))
    if numbers.n_numbers < numbers.n_present:
        n_strange, example = _strange_cells(column, numbers.values)
        notes.append(
            f"{counted(n_strange, 'cell')} of “{column.name}” that are not numbers count as missing "
            f"(such as “{clean_name(example)[:40]}”)."
        )
    notes += [f"{in_words(change)} “{column.name}”." for change in numbers.changes]
    if numbers.n_inexact:
        notes.append(
            f"{counted(numbers.n_inexact, 'whole number')} beyond 2^53 in “{column.name}” "
            f"{'was' if numbers.n_inexact == 1 else 'were'} rounded to the nearest double."
        )
    return numbers, notes


def _strange_cells(column: pd.Series, values: FloatArray) -> tuple[int, str]:
    """Return how many cells with text are not numbers, and the first."""
    number, example, start = 0, "", 0
    for part in parts(text_cells(column)):
        text = trimmed(part)
        strange = np.flatnonzero(text.is_valid().to_numpy() & np.isnan(values[start : start + len(part)]))
        if strange.size and not number:
            example = text[int(strange[0])].as_py()
        number, start = number + strange.size, start + len(part)
    return number, example


def _check_range(name: str, present: FloatArray, kind: str) -> None:
    wrong: BoolArray = np.zeros(len(present), dtype=np.bool_)
    if kind == "duration":
        wrong = present <= 0
    elif kind == HURDLE:
        wrong = present < 0
    elif (whole := whole_of(kind)) is not None:
        wrong = (present < -ROUNDED * whole) | (present > whole * (1 + ROUNDED))
    elif kind in ("count", *KINDS_OF_PARTS):
        wrong = (present < 0) | (present != np.floor(present))
    elif kind == "ordinal":
        wrong = present != np.floor(present)
    if wrong.any():
        bounds = {"duration": "positive", HURDLE: "zero or positive", "ordinal": "whole"}
        bounds |= {kind: f"from {ends[0]:g} to {ends[-1]:g}"} if len(ends := ends_of(kind)) > 1 else {}
        bound = bounds.get(kind, "whole and not negative")
        raise InvalidDataError(
            f"“{name}” cannot be of the kind {kind}: its numbers must be {bound}, but "
            f"{counted(int(wrong.sum()), 'value')} {'is' if wrong.sum() == 1 else 'are'} not "
            f"(such as {in_full(present[wrong][0])}). Choose another kind, such as continuous."
        )


def _encode_circle(column: pd.Series, period: float) -> EncodedColumn:
    names = names_of_turn(column)
    if names is not None and names.period == period:
        return EncodedColumn(codes_of_names(column, names), names.names)
    values, notes, unit = circle_values(column, period)
    present = values[~np.isnan(values)]
    name = str(column.name)
    if not present.size:
        raise InvalidDataError(f"“{name}” holds no numbers, so it cannot be circular. Leave it out.")
    outside = ~is_within_turn(present, period)
    if outside.any():
        raise InvalidDataError(
            f"“{name}” cannot be of the kind {circular(period)}: its numbers must be within one turn, from "
            f"{-period / 2:g} to {period:g}, but {counted(int(outside.sum()), 'value')} "
            f"{'is' if outside.sum() == 1 else 'are'} not (such as {in_full(present[outside][0])}). Choose another "
            f"period, or take what is left of them after division by {period:g}."
        )
    return EncodedColumn(values, notes=tuple(notes), unit=unit)


def circle_values(column: pd.Series, period: float) -> tuple[FloatArray, list[str], str]:
    """Return the cells of a column as numbers (n,), times of a day of 24 hours as such, notes on others, the unit."""
    is_day = period == HOURS and not pd.api.types.is_numeric_dtype(column.dtype)
    hours = clock_hours(text_cells(column)) if is_day else np.full(len(column), np.nan)
    if np.isnan(hours).all():
        numbers, notes = _numbers(column)
        return numbers.values, notes, ""
    n_strange, example = _strange_cells(column, hours)
    strange = f"{counted(n_strange, 'cell')} of “{column.name}” that are no times of the day count as missing "
    return hours, [f"{strange}(such as “{clean_name(example)[:40]}”)."] if n_strange else [], CLOCK


def _encode_ordinal(name: str, values: FloatArray, notes: list[str]) -> EncodedColumn:
    low, high = np.nanmin(values), np.nanmax(values)
    if high - low >= MAX_CODES:
        raise InvalidDataError(
            f"“{name}” runs from {low:g} to {high:g}; an ordinal column has at most {MAX_CODES:,} levels. "
            "Choose the kind count or continuous."
        )
    if low != 0:
        notes = [*notes, f"The levels {low:g} to {high:g} of “{name}” were shifted to 0 to {high - low:g}."]
    return EncodedColumn(values - low, tuple(f"{low + level:g}" for level in range(int(high - low) + 1)), tuple(notes))


def _encode_categories(column: pd.Series, kind: str) -> EncodedColumn:
    codes, categories = pd.factorize(column, sort=True)
    limit = 2 if kind == "binary" else MAX_CODES
    if not 1 <= len(categories) <= limit:
        raise InvalidDataError(
            f"“{column.name}” has {counted(len(categories), 'distinct value')}; a {kind} column has 1 to {limit:,}. "
            "Choose another kind or leave it out."
        )
    names = tuple(category_name(category) for category in categories)
    values = np.where(codes < 0, np.nan, codes.astype(np.float64))
    return EncodedColumn(values, names)


def category_name(category: object) -> str:
    """Return the name of a category in a column of codes."""
    if isinstance(category, float) and category.is_integer():
        return str(int(category))
    return clean_name(str(category))
