"""Columns whose values begin again after a period: times of the day, weekdays and months, directions in degrees.

Times of the day that are written as such, and numbers that the name of their column says to be hours of a day or
directions, are circular. So may be weekdays and months, which are proposed only: a circle of seven values leaves a
cluster little room to be narrow, and every day may be like no other.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.tables.cell_values import trimmed
from dpviz.periods import HOURS, MOST_TURNS, circular, is_within_turn, period_of

DAYS, MONTHS, DEGREES = 7.0, 12.0, 360.0
COMMON_PERIODS = (HOURS, DAYS, MONTHS, DEGREES)
_CLOCK = (
    r"^(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:\.\d+)?))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?$"
)
_SAMPLED = 50
_SHARE = 0.9
_OF_DAY = {"hour", "hourofday", "stunde", "uhrzeit", "uur", "heure", "hora"}
_DIRECTIONS = {
    *("direction", "dir", "heading", "bearing", "azimuth", "aspect", "orientation", "angle", "course"),
    *("richtung", "windrichtung", "azimut", "winkel", "kurs"),
}
_FEWEST = 3


class Names(NamedTuple):
    """Names of the values 0, 1, … of a turn, in one language, and the period."""

    names: Strings
    period: float


_NAMED = tuple(
    Names(tuple(words.split()), period)
    for words, period in (
        ("Monday Tuesday Wednesday Thursday Friday Saturday Sunday", DAYS),
        ("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag", DAYS),
        ("January February March April May June July August September October November December", MONTHS),
        ("Januar Februar März April Mai Juni Juli August September Oktober November Dezember", MONTHS),
    )
)
_SHORTEST = (3, 2)
"""Letters that names may be cut to, if all of their column are."""


def clock_hours(cells: Any) -> FloatArray:
    """Return times of the day such as 08:30 or 8:30 pm as hours (n,), NaN where text is none."""
    text = trimmed(cells)
    parts = pc.extract_regex(text, _CLOCK)
    if isinstance(parts, pa.ChunkedArray):
        parts = parts.combine_chunks()

    def numbers(name: str) -> FloatArray:
        field = pc.struct_field(parts, name)
        written = pc.if_else(pc.equal(field, ""), "0", field)
        return np.asarray(pc.cast(written, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)

    hours = numbers("hour") + numbers("minute") / 60.0 + numbers("second") / 3600.0
    half = np.array(pc.utf8_lower(pc.struct_field(parts, "half")).to_pylist(), dtype=object)
    hours = np.where(half == "a", np.mod(hours, 12.0), np.where(half == "p", np.mod(hours, 12.0) + 12.0, hours))
    wrong = (hours > HOURS) | ((half != "") & (numbers("hour") > 12))
    return np.where(wrong, np.nan, hours)


def circle_of_text(cells: Any, n_present: int) -> str | None:
    """Return the kind of text that is times of the day, None if it is none."""
    sample = cells.drop_null()[:_SAMPLED]
    if not len(sample) or np.isnan(clock_hours(sample)).mean() > 1 - _SHARE:
        return None
    found = int(np.sum(~np.isnan(clock_hours(cells))))
    return circular(HOURS) if found >= max(_SHARE * n_present, _FEWEST) else None


def circle_of_numbers(values: FloatArray, name: str) -> str | None:
    """Return the kind of numbers that the name of their column says to be hours of a day or directions, or None."""
    words = set(re.findall("[^\\W\\d_]+", name.casefold()))
    if len(np.unique(values[:1000])) < _FEWEST:
        return None
    low, high = values.min(), values.max()
    if (words & _OF_DAY or {"time", "of", "day"} <= words) and low >= 0 and high <= HOURS:
        return circular(HOURS)
    within = (low >= 0 and 180 < high <= DEGREES) or (low >= -180 and high <= 180 and low < -90)
    return circular(DEGREES) if words & _DIRECTIONS and within else None


def beyond_turn(column: pd.Series, kind: str) -> str | None:
    """Return the circular kind of numbers of which some are beyond a turn; None for other columns.

    Their kind says it, or their name does, and nine tenths are within it.
    """
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return None
    values = column.to_numpy(np.float64, na_value=np.nan)
    values = values[np.isfinite(values)]
    period = period_of(kind) or DEGREES
    within = values[is_within_turn(values, period)]
    if len(within) == len(values) or np.abs(values).max() > MOST_TURNS * period:
        return None
    if period_of(kind) is not None:
        return kind
    likely = len(within) >= _SHARE * len(values)
    return circle_of_numbers(within, str(column.name)) if likely and np.ptp(within) > DEGREES / 2 else None


def names_of_turn(column: pd.Series) -> Names | None:
    """Return the weekdays or months that all texts of a column are, as they are written, with their period."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return None
    distinct = {str(value).strip().rstrip(".").casefold() for value in column.dropna().unique()}
    if not _FEWEST <= len(distinct) <= MONTHS:
        return None
    for names, period in _NAMED:
        for length in (None, *_SHORTEST):
            written = tuple(name[:length] for name in names)
            if distinct <= {name.casefold() for name in written} and len(set(written)) == len(written):
                return Names(written, period)
    return None


def may_be_circle(column: pd.Series) -> str | None:
    """Return the kind that may be chosen for weekdays and months written in words; None for other columns."""
    found = names_of_turn(column)
    return None if found is None else circular(found.period)


def is_all_of_turn(column: pd.Series) -> bool:
    """Whether every text of a column without empty cells is a time of the day, or all are weekdays or months."""
    return names_of_turn(column) is not None or not np.isnan(clock_hours(pa.array(column.astype(str)))).any()


def codes_of_names(column: pd.Series, found: Names) -> FloatArray:
    """Return the place in the turn of each weekday or month (n,), NaN where a cell is empty."""
    places = {name.casefold(): float(place) for place, name in enumerate(found.names)}
    written = column.map(lambda value: str(value).strip().rstrip(".").casefold(), na_action="ignore")
    return np.asarray(written.map(places).to_numpy(np.float64, na_value=np.nan))
