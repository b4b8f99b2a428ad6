"""Read further rows of a table through the columns of a data set: the same names, codes and units."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpviz.arrays import BoolArray, FloatArray
from dpviz.datasets.dataset import Dataset
from dpviz.datasets.tables.cell_values import MOST_DAYS, date_of, parse_numbers, trimmed
from dpviz.datasets.tables.encode import category_name, circle_values
from dpviz.datasets.tables.kinds import text_cells
from dpviz.datasets.tables.limits import MAX_ABSOLUTE
from dpviz.datasets.tables.measures import days_of_each, days_of_numbers, numbers_with
from dpviz.datasets.tables.table import CLOCK, DAYS, Table, listed, mark_of
from dpviz.errors import InvalidDataError, require, require_kind
from dpviz.hurdles import HURDLE, ROUNDED, to_ends
from dpviz.periods import is_within_turn, period_of, whole_of, wrapped
from dpviz.text import counted, in_words

LONGEST_VALUE, MOST_NAMED = 40, 5
DAYS_AROUND = 366
"""Days before and after those of the data at which a number may be a day."""
YEARS = (1500, 2200)
"""Whole numbers that are years rather than days."""
CODED = ("binary", "categorical")


class WrongCell(NamedTuple):
    """A cell that is not a value of its column.

    Attributes
    ----------
    row, column : int
        Position in the table that was read, and among the columns of the data set, from 0.
    value : str
    reason : str
        Requirement, as the end of a sentence.
    """

    row: int
    column: int
    value: str
    reason: str


@dataclass(frozen=True, eq=False)
class NewPoints:
    """Rows in the codes and units of a data set.

    Attributes
    ----------
    X : ndarray (n, D)
        NaN where a cell is missing, or wrong.
    wrong : ndarray of bool (n, D)
        Which cells hold no value of their column.
    reasons : tuple of str
        Requirement on the values of each column.
    notes : tuple of str
        Notes on columns that were left out, are missing, or were found by another spelling.
    absent : tuple of int
        Columns of the data set that the table does not have: all their cells are missing.
    frame : pandas.DataFrame
        The table.
    sources : mapping of int to str
        Column of the table for each of the data set's columns in it.
    units : tuple of (str, str)
        Of the table's columns.
    refusals : tuple of (ndarray of bool (n, D), tuple of str)
        Which of the wrong cells are values of their columns, but invalid for other reasons, and the requirements on the
        values of each column that these cells do not meet.
    """

    X: FloatArray
    wrong: BoolArray
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    absent: tuple[int, ...]
    frame: pd.DataFrame
    sources: Mapping[int, str]
    units: tuple[tuple[str, str], ...] = ()
    refusals: tuple[tuple[BoolArray, tuple[str, ...]], ...] = ()

    def wrong_cells(self, most: int) -> list[WrongCell]:
        """List the first wrong cells, row by row."""
        return [self._wrong_cell(int(row), int(d)) for row, d in np.argwhere(self.wrong)[:most]]

    def _wrong_cell(self, row: int, column: int) -> WrongCell:
        text = category_name(self.frame[self.sources[column]].iloc[row])
        reasons = next((required for cells, required in self.refusals if cells[row, column]), self.reasons)
        return WrongCell(row, column, text[:LONGEST_VALUE], reasons[column])

    def refusing(self, refused: BoolArray, required: Sequence[str]) -> NewPoints:
        """Return the same with further wrong cells (n, D), and the requirement on those of each column."""
        X, refusals = np.where(refused, np.nan, self.X), (*self.refusals, (refused, tuple(required)))
        return replace(self, X=X, wrong=self.wrong | refused, refusals=refusals)


def read_points(table: Table, dataset: Dataset) -> NewPoints:
    """Find the columns of a data set in a table by their names, and code their cells in the same way.

    The order of the columns does not matter, columns of other names are left out, and absent ones are
    missing in every row; numbers that were accepted as codes of missing cells are missing here too. Notes say so. A
    table without names has its columns in the order of the data set's.

    Parameters
    ----------
    table : Table
        Result of :func:`read_table`.
    dataset : Dataset
        As loaded: with the kinds of its columns and the names of their categories.

    Returns
    -------
    NewPoints

    Raises
    ------
    InvalidDataError
        If the table has no row, or none of the columns, or one in another unit.
    """
    require_kind("table", table, Table, "a Table, as read_table returns it")
    require_kind("dataset", dataset, Dataset, "a Dataset")
    frame = table.frame
    if not len(frame):
        raise InvalidDataError("The table has no rows below the names of its columns. Add rows.")
    sources, notes = _matched(table, dataset.feature_names)
    notes += _compare_units(table, dataset, sources)
    X = np.full((len(frame), dataset.n_features), np.nan)
    wrong, measured, reasons = np.zeros(X.shape, dtype=np.bool_), np.zeros(X.shape, dtype=np.bool_), []
    for d in range(dataset.n_features):
        cells, emptied = _without_codes(frame[sources[d]] if d in sources else pd.Series(X[:, d]), dataset, d)
        cells, respelled = _as_in_data(cells, dataset, d)
        notes += (*emptied, *respelled)
        is_date, days = _unit(dataset, d) == DAYS, days_of_numbers(_numbers(cells))
        if is_date and (written := ~np.isnan(days)).any():
            notes.append(_dates_in_words(dataset.feature_names[d], _numbers(cells)[written][0], days[written][0]))
        X[:, d], reason = _coded(cells, dataset, d)
        values = _in_units(cells, dataset, d)
        if is_date:
            are_dates = dict(table.units).get(sources.get(d, "")) == DAYS
            may_be = np.abs(X[:, d]) < MOST_DAYS if are_dates else _may_be_days(X[:, d], dataset.X[:, d])
            X[~may_be, d] = np.nan
            values = np.where(np.isnan(values), days, values)
        measured[:, d] = ~np.isnan(values)
        X[measured[:, d], d] = _coded(pd.Series(values), dataset, d)[0][measured[:, d]]
        wrong[:, d] = np.isnan(X[:, d]) & _present(cells)
        reasons.append(reason)
    notes += _taken_in_units(table, dataset, sources, ~np.isnan(X) & ~measured, wrong)
    absent = tuple(d for d in range(dataset.n_features) if d not in sources)
    return NewPoints(X, wrong, tuple(reasons), tuple(notes), absent, frame, sources, table.units)


def read_like(dataset: Dataset, read: Callable[[str | None], Table]) -> tuple[Table, NewPoints]:
    """Read rows of text with the decimal mark under which they lie where the data do.

    ``1,512`` is 1.512 among decimal commas, and 1512 where commas separate thousands: rows alone cannot tell.

    Parameters
    ----------
    dataset : Dataset
    read : callable
        Reads the rows, given the preferred decimal mark, or None to detect it.

    Returns
    -------
    table : Table
        With a note if its decimal mark is not the detected one.
    points : NewPoints
        Of :func:`read_points`.

    Raises
    ------
    InvalidDataError
        As for :func:`read_points`.
    """
    require_kind("dataset", dataset, Dataset, "a Dataset")
    require(callable(read), "read", read, "a function that reads the rows, given a decimal mark or None")
    table = read(None)
    points = read_points(table, dataset)
    n_outside, own = _n_outside(points, dataset), dict(dataset.reading).get("decimal")
    if not table.decimal or not n_outside and own in (None, table.decimal):
        return table, points
    mark = {".": ",", ",": "."}[table.decimal]
    other = read(mark)
    others = read_points(other, dataset)
    n_others = _n_outside(others, dataset)
    if (n_others, mark != own) >= (n_outside, table.decimal != own):
        return table, points
    words = {".": "point", ",": "comma"}
    why = f"with the decimal {words[table.decimal]} more of these numbers would lie outside the data's own"
    if n_others == n_outside:
        why = "the data were read with it"
    note = f"The decimal {words[mark]} is taken: {why}."
    return replace(other, notes=(*other.notes, note)), others


def _n_outside(points: NewPoints, dataset: Dataset) -> int:
    """Count cells that are wrong, or below or above all of their column in the data."""
    lowest, highest = np.nanmin(dataset.X, axis=0), np.nanmax(dataset.X, axis=0)
    return int(((points.X < lowest) | (points.X > highest) | points.wrong).sum())


def _matched(table: Table, names: Sequence[str]) -> tuple[dict[int, str], list[str]]:
    """Column of the table for each of the data set's columns in it, and notes."""
    given = list(map(str, table.frame.columns))
    if not table.header and len(given) == len(names) and not set(given) & set(names):
        notes = ["The table has no names of columns, so they are taken in the order of the data."]
        return dict(enumerate(given)), notes
    sources = {d: name for d, name in enumerate(names) if name in given}
    respelled = _respelled(given, names, sources)
    sources |= respelled
    if not sources:
        raise InvalidDataError(
            f"The table has none of the columns {listed(names)}; its columns are {listed(given)}. The first line must "
            "name them as the data do."
        )
    notes = []
    if respelled:
        notes.append(f"Taken for columns of the data though spelled otherwise: {listed(respelled.values())}.")
    extra = [name for name in given if name not in sources.values()]
    if extra:
        notes.append(f"Not among the clustered columns, so left out: {listed(extra)}.")
    absent = [name for d, name in enumerate(names) if d not in sources]
    if absent:
        notes.append(f"Not in the table, so missing in every row: {listed(absent)}.")
    return sources, notes


def _compare_units(table: Table, dataset: Dataset, sources: Mapping[int, str]) -> list[str]:
    """Return notes on columns that have a unit here only.

    Raises
    ------
    InvalidDataError
        If they have different ones, or percent here and shares of 1 there.
    """
    here, there = dict(table.units), dict(dataset.units)
    notes = []
    for d, source in sources.items():
        unit, wanted = here.get(source), there.get(dataset.feature_names[d])
        if wanted == CLOCK:
            continue  # however its heading says so
        if unit and wanted and unit.replace("L", "l") != wanted.replace("L", "l"):  # litres are written either way
            raise InvalidDataError(
                f"The column “{source}” is in {unit}, and in the data it is in {wanted}. Convert it to {wanted}."
            )
        if unit == "%" and not wanted and np.nanmax(np.abs(dataset.X[:, d]), initial=0.0) <= 1:
            raise InvalidDataError(
                f"The column “{source}” is in %, and in the data it has no unit and goes up to "
                f"{np.nanmax(dataset.X[:, d]):.3g}, as shares of 1 do. Write it as the data have it: 70 % is 0.7."
            )
        if unit and not wanted:
            notes.append(f"In {unit} here, and without a unit in the data: “{source}”.")
    return notes


def _taken_in_units(
    table: Table, dataset: Dataset, sources: Mapping[int, str], taken: BoolArray, wrong: BoolArray
) -> list[str]:
    """Return notes on columns whose cells (n, D) are taken in the data's unit, though they have none here."""
    here, there = dict(table.units), dict(dataset.units)
    notes = []
    for d, source in sources.items():
        wanted = there.get(dataset.feature_names[d], "")
        if wanted in ("", CLOCK) or here.get(source) or not taken[:, d].any():
            continue
        if wrong[:, d].any():  # perhaps since they have one
            notes.append(f"The numbers without a unit are taken as {wanted} as in the data: “{source}”.")
        else:
            notes.append(f"Without a unit here, so taken as {wanted} as in the data: “{source}”.")
    return notes


def _without_codes(cells: pd.Series, dataset: Dataset, d: int) -> tuple[pd.Series, list[str]]:
    """Return a column without the numbers that stand for missing cells in the data, and notes on them."""
    notes = []
    for name, code in dataset.emptied:
        is_code = _numbers(cells) == code if name == dataset.feature_names[d] else np.zeros(len(cells), np.bool_)
        if is_code.any():
            cells = cells.mask(is_code)
            notes.append(f"As in the data, {counted(int(is_code.sum()), 'cell')} of “{name}” with {code:g} emptied.")
    return cells, notes


def _respelled(given: Sequence[str], names: Sequence[str], sources: Mapping[int, str]) -> dict[int, str]:
    """Columns whose names differ only in upper and lower case, if that leaves one possibility."""
    free = [name for name in given if name not in sources.values()]
    found = {}
    for d, name in enumerate(names):
        alike = [other for other in free if other.casefold() == name.casefold()]
        rivals = [other for other in names if other.casefold() == name.casefold()]
        if d not in sources and len(alike) == 1 and len(rivals) == 1:
            found[d] = alike[0]
    return found


def _present(cells: pd.Series) -> BoolArray:
    """Return which cells are not empty; markers of missing cells in text count as empty."""
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return ~np.isnan(cells.to_numpy(np.float64, na_value=np.nan))
    return np.asarray(trimmed(text_cells(cells)).is_valid().to_numpy())


def _coded(cells: pd.Series, dataset: Dataset, d: int) -> tuple[FloatArray, str]:
    """Return the codes (n,) of a column, NaN where a cell is missing or wrong, and the requirement on values."""
    kind, names = dataset.kinds[d], dataset.category_names[d]
    if names and (kind in CODED or not all(map(_is_whole, names))):
        return _categories(cells, _codes_of_categories(dataset, d)), f"one of {listed(names)}"
    period = period_of(kind)
    if period is not None:
        turned, _, _ = circle_values(cells, period)
        accepted = [tuple(change) for name, changes in dataset.reading if name == "accepted" for change in changes]
        if (dataset.feature_names[d], kind) in accepted:  # as the table's were
            turned = wrapped(turned, period)
        bound = f"within one turn, from {-period / 2:g} to {period:g}"
        return np.where(is_within_turn(turned, period), turned, np.nan), bound
    values = _numbers(cells)
    values = np.where(np.abs(values) <= MAX_ABSOLUTE, values, np.nan)
    if (whole := whole_of(kind)) is not None:
        inside = (values >= -ROUNDED * whole) & (values <= whole * (1 + ROUNDED))
        return np.where(inside, to_ends(values, whole), np.nan), f"a number from 0 to {whole:g}"
    if kind in ("continuous", "duration", HURDLE):
        if kind != "continuous":
            return np.where(values >= 0, values, np.nan), "a number from 0 on"
        return values, _number_or_date(dataset, d)
    if kind == "ordinal" and names:
        low, high = float(names[0]), float(names[-1])
        inside = (values == np.floor(values)) & (values >= low) & (values <= high)
        return np.where(inside, values - low, np.nan), f"a whole number from {low:g} to {high:g}"
    whole = (values == np.floor(values)) & (values >= 0)
    return np.where(whole, values, np.nan), "a whole number from 0 on"


def _unit(dataset: Dataset, d: int) -> str:
    """Return the unit of a column of the data; empty if it has none."""
    return dict(dataset.units).get(dataset.feature_names[d], "")


def _in_units(cells: pd.Series, dataset: Dataset, d: int) -> FloatArray:
    """Return the dates, or the numbers with the unit of the data, among cells (n,) of text; NaN for the others.

    Where all cells are such, the table has them as numbers: here some are none.
    """
    unit = _unit(dataset, d)
    if unit in ("", CLOCK) or pd.api.types.is_numeric_dtype(cells.dtype):
        return np.full(len(cells), np.nan)
    text = trimmed(text_cells(cells))
    if unit == DAYS:
        return days_of_each(text, float(np.nanmax(dataset.X[:, d])))
    return parse_numbers(numbers_with(unit, text), mark_of(cells)).values


def _may_be_days(values: FloatArray, own: FloatArray) -> BoolArray:
    """Return which numbers (n,) are near the days (N,) of the data, and neither years nor spreadsheets' days."""
    near = (values >= np.nanmin(own) - DAYS_AROUND) & (values <= np.nanmax(own) + DAYS_AROUND)
    return near & ~((values >= YEARS[0]) & (values <= YEARS[1]) & (values == np.floor(values)))


def _dates_in_words(name: str, number: float, days: float) -> str:
    return f"Numbers such as {number:.0f} in “{name}” were read as dates, that one as {date_of(days)}."


def _number_or_date(dataset: Dataset, d: int) -> str:
    """Return what cells of a column of real numbers must be; dates are such numbers, which nobody writes."""
    date = date_of(float(np.nanmedian(dataset.X[:, d]))) if _unit(dataset, d) == DAYS else None
    return "a number" if date is None else f"a date such as {date}, the year first if day and month may be either"


def _codes_of_categories(dataset: Dataset, d: int) -> dict[str, float]:
    """Code of each category of a column by its name, and by its value in the table the data came from."""
    known = {name: float(code) for code, name in enumerate(dataset.category_names[d])}
    name = dataset.feature_names[d]
    if dataset.frame is None or dataset.rows is None or name not in dataset.frame:
        return known
    written, codes = dataset.frame[name].iloc[dataset.rows], dataset.X[:, d]
    first = ~written.duplicated().to_numpy() & ~np.isnan(codes)
    in_table = dict(zip(map(category_name, written[first]), codes[first].tolist(), strict=True))
    return {**in_table, **known}


def _categories(cells: pd.Series, known: Mapping[str, float]) -> FloatArray:
    """Codes of categories; numbers are formatted as in the data set."""
    codes, distinct = pd.factorize(cells)
    written = np.array([*(known.get(category_name(value), np.nan) for value in distinct), np.nan])
    return np.asarray(written[codes])  # a missing cell has the code −1


def _as_in_data(cells: pd.Series, dataset: Dataset, d: int) -> tuple[pd.Series, list[str]]:
    """Write categories as the data do that differ from one of theirs in capitals alone, and say so."""
    if not dataset.category_names[d]:
        return cells, []
    known = _codes_of_categories(dataset, d)
    spellings: dict[str, dict[float, str]] = {}
    for name, code in known.items():
        spellings.setdefault(name.casefold(), {}).setdefault(code, name)
    taken = {}
    for value in cells.dropna().unique():
        name = category_name(value)
        meant = spellings.get(name.casefold(), {})
        if name not in known and len(meant) == 1:
            taken[value] = next(iter(meant.values()))
    if not taken:
        return cells, []
    said = in_words([f"“{category_name(value)}” for “{name}”" for value, name in list(taken.items())[:MOST_NAMED]])
    note = f"Taken for categories of “{dataset.feature_names[d]}” though spelled otherwise: {said}."
    return cells.astype(object).map(lambda value: taken.get(value, value)), [note]


def _numbers(cells: pd.Series) -> FloatArray:
    if pd.api.types.is_numeric_dtype(cells.dtype):
        return cells.to_numpy(np.float64, na_value=np.nan)
    return parse_numbers(text_cells(cells), mark_of(cells)).values


def _is_whole(text: str) -> bool:
    return text.lstrip("-").isdigit()
