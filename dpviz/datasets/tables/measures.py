"""Numbers that are written with more than digits: with a unit, as a bound such as <0.1, and dates as days.

Each function looks at the first cells before it reads all, so that columns of other text cost little.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpviz.arrays import BoolArray, FloatArray, IntArray

_LONGEST, _SAMPLED = 60, 50  # characters of a cell, and cells that are looked at first
_GAP = "[ \u00a0\u2009\u202f]"
_GROUPING = "'’ \u00a0\u2009\u202f"
_SIGN, _NO_CENTS = "[+\u2212\u2013-]", "[-\u2013\u2014]{1,2}"  # prices such as 12.–
_UNSIGNED = rf"[0-9.,][0-9.,{_GROUPING}]{{0,40}}(?:[eE]{_SIGN}?[0-9]{{1,3}}{_GAP}?|[.,]{_NO_CENTS}{_GAP}?)?"
_DIGITS = f"{_SIGN}?{_UNSIGNED}"
_CURRENCIES = {*"€ $ £ ¥ EUR USD GBP CHF".split()}
_UNITS = _CURRENCIES | {
    *"kg mg µg ng pg lb lbs oz cm mm km µm nm mi ft ml dl cl µl mL dL cL µL ha km² m² m³ cm² cm³ mm²".split(),
    *"ms min hrs days years °C °F Hz kHz MHz GHz kW kWh MWh hPa kPa MPa bar mbar kJ MJ kcal eV mV mA dB rpm".split(),
    *"mmHg bpm ppm ppb g/l g/L mg/l mg/L µg/l µg/L ng/l ng/L g/dl g/dL mg/dl mg/dL ng/dl ng/dL".split(),
    *"µg/ml µg/mL ng/ml ng/mL pg/ml pg/mL mol/l mol/L mmol/l mmol/L µmol/l µmol/L nmol/l nmol/L pmol/l".split(),
    *"pmol/L mEq/l mEq/L U/l U/L IU/l IU/L mg/kg g/kg km/h m/s m/s² kg/m² kg/m³ g/cm³ W/m² kWh/m²".split(),
}
_AFTER_A_GAP = {*"g t l L m s h d y V A W J K".split()}  # without a gap, 12A may be a seat
_NAMED_UNITS = {*"% ‰ ° Pa sec hours weeks months year yr yrs".split()}
_UNIT_AFTER = re.compile(rf"(?P<number>{_DIGITS})(?P<unit>[^\d.,\s][^\d\s]{{0,7}})")
_UNIT = r"(?P<unit>[^\d.,\s+\u2212\u2013-]{1,3})"
_UNIT_BEFORE = re.compile(rf"(?P<sign>){_UNIT}{_GAP}?(?P<number>{_DIGITS})")
_SIGN_BEFORE = re.compile(rf"(?P<sign>{_SIGN}){_GAP}?{_UNIT}{_GAP}?(?P<number>{_UNSIGNED})")
_WHOLE_PRICES = (
    rf"^([+-]?[0-9][0-9.{_GROUPING}]*,){_NO_CENTS}$",
    rf"^([+-]?[0-9][0-9,{_GROUPING}]*\.){_NO_CENTS}$",
)
_DASHES = re.compile("^\u2013")
_PERCENTAGE = re.compile(rf"(?P<number>{_DIGITS})%")
_BOUND_SIGN = re.compile(rf"(?:[<>]=?|[≤≥]){_GAP}?(?=[0-9.,])")
_BOUND = f"^([<>]=?|[≤≥]){_GAP}?([0-9.,])"
_TIME = r"(?:[ T](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d+)?))?(?: ?(?P<half>[AaPp])[Mm]|Z)?)?"
_YEAR, _MONTH, _DAY = r"(?P<year>[12]\d{3})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
_SHORT_YEAR = r"(?P<year>[12]\d{3}|\d{2})"
_SOON, _NEAR = 5, 30
"""Years to come that dates of two digits may have, and in how many all of their column lie then."""
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_DATES = {
    "days": [
        *(f"^{_YEAR}{mark}{_MONTH}{mark}{_DAY}{_TIME}$" for mark in ("-", "/", r"\.")),
        rf"^{_DAY}\.{_MONTH}\.{_YEAR}{_TIME}$",
        rf"^(?P<day>\d{{2}})\.(?P<month>\d{{2}})\.(?P<year>\d{{2}}){_TIME}$",  # 1.2.10 may be the number of a version
    ],
    "days, day first": [f"^{_DAY}/{_MONTH}/{_SHORT_YEAR}{_TIME}$", f"^{_DAY}-{_MONTH}-{_YEAR}{_TIME}$"],
    "days, month first": [f"^{_MONTH}/{_DAY}/{_SHORT_YEAR}{_TIME}$", f"^{_MONTH}-{_DAY}-{_YEAR}{_TIME}$"],
}
ORDERS = {"days, day first": "day first", "days, month first": "month first"}
"""Ways to read dates of which the day may be the month, by the remark that says so."""


def without_unit(cells: Any) -> tuple[Any, str] | None:
    """Return text cells without the unit that all of them have, and the unit; None unless there is one.

    Parameters
    ----------
    cells : pyarrow.ChunkedArray of strings
        Without white space at the ends; missing cells are null.
    """
    sample = _sample(cells)
    after, before = _with_unit(sample[0]) if sample else (None, None)
    if after is not None:
        unit, gap = after["unit"], _GAP if after["unit"] in _AFTER_A_GAP else f"{_GAP}?"
        pattern, removed = f"^{_DIGITS}{gap}{re.escape(unit)}$", f"{_GAP}?{re.escape(unit)}$"
    elif before is not None:
        unit = before["unit"]
        name = re.escape(unit)
        pattern = f"^(?:{_SIGN}{_GAP}?{name}{_GAP}?{_UNSIGNED}|{name}{_GAP}?{_DIGITS})$"
        return (_without_currency(cells, unit), unit) if _all_match(cells, sample, pattern) else None
    else:
        return None
    if not _all_match(cells, sample, pattern):
        return None
    return pc.replace_substring_regex(cells, removed, ""), unit


def _without_currency(cells: Any, unit: str) -> Any:
    """Return text cells without a currency in front of the digits, which a sign may precede."""
    return pc.replace_substring_regex(cells, rf"^({_SIGN}?){_GAP}?{re.escape(unit)}{_GAP}?", r"\1")


def plainly_written(cells: Any) -> Any:
    """Return text cells with a hyphen for the minus sign, also an en dash, and 12.0 for prices such as 12.–."""
    signed = pc.replace_substring_regex(cells, "^[\u2212\u2013]", "-")
    for pattern in _WHOLE_PRICES:
        if pc.any(pc.match_substring_regex(signed, pattern)).as_py():
            signed = pc.replace_substring_regex(signed, pattern, r"\10")  # one group, and a zero
    return signed


def bare(cell: str, *, known: bool = True) -> str:
    """Return a cell without what stands around the digits if it is a number with a unit, as a percentage or a bound.

    Where the separator of cells and the decimal mark are chosen, such a cell counts like a number.

    Parameters
    ----------
    cell : str
        Without white space at the ends.
    known : bool
        Whether a word behind the number has to be one of the units that are removed from columns.
    """
    if len(cell) > _LONGEST:
        return cell
    number = _BOUND_SIGN.sub("", cell, count=1) if _BOUND_SIGN.match(cell) else cell
    after, before = _with_unit(number, known)
    found = after or before or _PERCENTAGE.fullmatch(number)
    digits = found["number"].strip() if found else number
    if found is not None and found is before:
        digits = found["sign"] + digits
    digits = _DASHES.sub("-", digits).replace("\u2212", "-")
    for pattern in _WHOLE_PRICES:
        digits = re.sub(pattern, r"\g<1>0", digits)
    return digits


def is_unit(text: str) -> bool:
    """Whether a text is a unit as it stands in a line of units: one of those that are removed, or of the others."""
    return text in _UNITS or text in _AFTER_A_GAP or text in _NAMED_UNITS


def _with_unit(cell: str, known: bool = True) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """Return how a cell is a number with a unit behind it, and how one with a currency in front of it."""
    after, before = _UNIT_AFTER.fullmatch(cell), _UNIT_BEFORE.fullmatch(cell) or _SIGN_BEFORE.fullmatch(cell)
    has_gap = after is not None and not after["number"][-1].strip()
    if after is not None and known and after["unit"] not in (_UNITS | _AFTER_A_GAP if has_gap else _UNITS):
        after = None
    return after, before if before is not None and before["unit"] in _CURRENCIES else None


def numbers_with(unit: str, cells: Any) -> Any:
    """Return those text cells that end in a unit, or begin with a currency, without it; null for all others."""
    name, after = re.escape(unit), f"{_GAP}?{re.escape(unit)}$"
    ends = pc.match_substring_regex(cells, after)
    bare = pc.if_else(ends, pc.replace_substring_regex(cells, after, ""), pa.scalar(None, cells.type))
    if unit in _CURRENCIES:
        begins = pc.match_substring_regex(cells, f"^{_SIGN}?{_GAP}?{name}")
        bare = pc.if_else(begins, _without_currency(cells, unit), bare)
    return bare


def without_bounds(cells: Any) -> Any | None:
    """Return text cells with the limit itself in place of a bound such as <0.1; None if there is no bound."""
    bounds = pc.match_substring_regex(cells, _BOUND)
    return pc.replace_substring_regex(cells, _BOUND, r"\2") if pc.any(bounds).as_py() else None


class Dates(NamedTuple):
    """Text cells as dates.

    Attributes
    ----------
    days : ndarray (N,)
        Since 1 January 1970, times as parts of a day; NaN where the cell is missing.
    remark : {"days", "days, day first", "days, month first"}
    years : str
        The first and the last of the years that were written with two digits, empty if none was.
    """

    days: FloatArray
    remark: str
    years: str


def days(cells: Any) -> Dates | None:
    """Return dates as days since 1 January 1970, times as parts of a day; None unless every present cell is one.

    The first day is the same for all tables, so that further rows of a table have the same numbers. Dates whose year is
    last, such as 1/15/21, are read if a day beyond 12 tells whether day or month comes first. Years of two digits are
    those up to this one; those of a column that goes on for few years from now are in one century.

    Parameters
    ----------
    cells : pyarrow.ChunkedArray of strings (N,)
    """
    found = readings_as_dates(cells)
    return found[0] if len(found) == 1 else None


def readings_as_dates(cells: Any) -> list[Dates]:
    """Return every way to read all present cells as dates, as :func:`days` does: two where the day may be the month."""
    sample, present = _sample(cells), cells.is_valid().to_numpy()
    found = (
        Dates(values, remark, years)
        for remark, patterns in _DATES.items()
        for pattern in patterns
        if _all_match(cells, sample, pattern)
        for values, years in [_days(cells, pattern)]
    )
    return [dates for dates in found if not np.isnan(dates.days[present]).any()]


def days_of_each(cells: Any, latest: float) -> FloatArray:
    """Return those text cells (N,) that are dates as :func:`days` does; NaN for others, and where a date may be two.

    Dates whose year is last have the order of those that can have one order only, if these agree. Years of two digits
    are those up to this one, or that of the latest day, if that is later.
    """
    last_year = max(this_year(), 1970 + int(np.floor(latest / 365.25)))
    found = {remark: _first_known(cells, patterns, last_year) for remark, patterns in _DATES.items()}
    day_first, month_first = found["days, day first"], found["days, month first"]
    only_day, only_month = (
        np.isnan(other).any(where=~np.isnan(own)) for own, other in ((day_first, month_first), (month_first, day_first))
    )
    year_last = day_first if only_day else month_first
    known = found["days"]
    return known if only_day == only_month else np.where(np.isnan(known), year_last, known)


def contradict(cells: Any) -> bool:
    """Whether text cells (N,) are dates of which some can only have the day first, and others only the month."""
    day_first, month_first = (np.isnan(_first_known(cells, _DATES[remark], this_year())) for remark in ORDERS)
    present = cells.is_valid().to_numpy()
    return bool(
        np.any(day_first & ~month_first)
        and np.any(month_first & ~day_first)
        and not np.any(day_first & month_first & present)
    )


def _first_known(cells: Any, patterns: Sequence[str], last_year: int) -> FloatArray:
    """Read cells (N,) by the first pattern under which each is a date."""
    known = np.full(len(cells), np.nan)
    for pattern in patterns:
        known = np.where(np.isnan(known), _days(cells, pattern, last_year)[0], known)
    return known


def days_of_times(values: Any) -> FloatArray:
    """Return an Arrow column of dates or points in time (N,) as days since 1 January 1970, NaN where it is null."""
    kind = values.type
    if pa.types.is_date32(kind):
        units, per_day = pc.cast(values, pa.int32()), 1.0
    else:
        unit = "ms" if pa.types.is_date64(kind) else kind.unit
        if unit == "ns":  # of which the last digits do not matter, and others could overflow
            values, unit = pc.cast(values, pa.timestamp("us", kind.tz), safe=False), "us"
        units, per_day = pc.cast(values, pa.int64()), 86_400.0 * _PER_SECOND[unit]
    days_or_null: FloatArray = pc.divide(pc.cast(units, pa.float64(), safe=False), per_day).to_numpy()
    return days_or_null


def seconds_of_durations(values: Any) -> FloatArray:
    """Return an Arrow column of durations (N,) as seconds, NaN where it is null."""
    units = pc.cast(pc.cast(values, pa.int64()), pa.float64(), safe=False)
    seconds: FloatArray = pc.divide(units, _PER_SECOND[values.type.unit]).to_numpy()
    return seconds


def _sample(cells: Any) -> list[str]:
    """Return the first present cells; none if one is too long to be a number."""
    start = cells.slice(0, 20 * _SAMPLED).drop_null().slice(0, _SAMPLED).to_pylist()
    return start if all(len(cell) <= _LONGEST for cell in start) else []


def _all_match(cells: Any, sample: list[str], pattern: str) -> bool:
    wanted = re.compile(pattern, re.ASCII)
    if not sample or not all(map(wanted.search, sample)):
        return False
    return bool(pc.all(pc.match_substring_regex(cells, pattern)).as_py())


def this_year() -> int:
    """Return the year in which this is read, the last that dates with two digits have."""
    return datetime.date.today().year


def _last_year(short: FloatArray) -> int:
    """Return the last of the hundred years that years of two digits (n,) stand for: this one, or few years on.

    The latter if all then lie close together, as the dates of a contract do, but those of births do not.
    """
    now = this_year()
    near = np.ptp(_in_century(short, now + _SOON))
    return now + _SOON * bool(near <= min(_NEAR, np.ptp(_in_century(short, now)) - 1))


def _in_century(short: FloatArray, last_year: int) -> FloatArray:
    """Return years of two digits (n,) as those of the hundred years up to the last."""
    return last_year - (last_year - short) % 100


def _days(cells: Any, pattern: str, last_year: int | None = None) -> tuple[FloatArray, str]:
    """Read cells (N,) of one format; NaN where they have another, or a day or time that does not exist.

    Also return the first and the last of the years that have two digits, which are those up to the last.
    """
    fields = pc.extract_regex(cells, pattern)
    part = {
        name: _number(pc.struct_field(fields, name)) for name in ("year", "month", "day", "hour", "minute", "second")
    }
    present = fields.is_valid().to_numpy()
    short = present & (part["year"] < 100)
    said = ""
    if short.any():
        written = part["year"][short]
        full = _in_century(written, _last_year(written) if last_year is None else last_year)
        part["year"] = part["year"].copy()  # which arrow keeps from changes
        part["year"][short] = full
        said = " to ".join(f"{year:.0f}" for year in sorted({full.min(), full.max()}))
    half = pc.fill_null(pc.utf8_lower(pc.struct_field(fields, "half")), "").to_numpy()
    exists_in_half = (half == "") | (part["hour"] >= 1) & (part["hour"] <= 12)
    part["hour"] = np.where(half == "", part["hour"], part["hour"] % 12 + 12 * (half == "p"))
    year, month, day = (np.where(present, part[name], 1).astype(np.int64) for name in ("year", "month", "day"))
    dates, exists = _calendar(year, month, day)
    exists &= exists_in_half & (part["hour"] < 24) & (part["minute"] < 60) & (part["second"] < 60)
    time = (part["hour"] + (part["minute"] + part["second"] / 60) / 60) / 24
    return np.where(present & exists, dates.astype(np.int64) + time, np.nan), said


def _calendar(year: IntArray, month: IntArray, day: IntArray) -> tuple[Any, BoolArray]:
    """Return dates (N,), and which of them exist."""
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    dates = months.astype("datetime64[D]") + (day - 1)
    return dates, (month >= 1) & (month <= 12) & (day >= 1) & (dates.astype("datetime64[M]") == months)


NO_DATES = (0, 99_991_231, 99_999_999)
"""Numbers that stand among dates without strokes for none, or for an end that is open."""


def are_dates(values: FloatArray) -> bool:
    """Whether all present numbers (N,) but NO_DATES are dates of 1800 to 2199 without strokes, such as 20230131."""
    present = values[~np.isnan(values) & ~np.isin(values, NO_DATES)]
    return bool(len(present)) and not np.isnan(days_of_numbers(present)).any()


def days_of_numbers(values: FloatArray) -> FloatArray:
    """Return numbers (N,) that are dates of 1800 to 2199 without strokes as :func:`days` does; NaN for others."""
    possible = (values >= 1800e4) & (values < 2200e4) & (values == np.floor(values))
    numbers = np.where(possible, values, 18000101).astype(np.int64)
    dates, exists = _calendar(numbers // 10_000, numbers // 100 % 100, numbers % 100)
    return np.where(possible & exists, dates.astype(np.int64), np.nan)


def _number(texts: Any) -> FloatArray:
    """Return texts as numbers: 0 for an empty one, as of a date without a time."""
    filled = pc.if_else(pc.equal(pc.fill_null(texts, ""), ""), "0", pc.fill_null(texts, "0"))
    numbers: FloatArray = pc.cast(filled, pa.float64()).to_numpy()
    return numbers
