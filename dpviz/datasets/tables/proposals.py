"""What only the owner of a table can decide on: codes for missing cells, copied rows, totals, further headings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.tables.cell_values import in_words, read_columns, remarks_on
from dpviz.datasets.tables.circles import beyond_turn
from dpviz.datasets.tables.kinds import text_cells
from dpviz.datasets.tables.measures import NO_DATES, ORDERS, are_dates, readings_as_dates
from dpviz.datasets.tables.table import DAYS, Table, headings_of, listed, mark_of
from dpviz.errors import require, require_sequence
from dpviz.periods import is_within_turn, period_of, wrapped
from dpviz.text import counted

_CODES = tuple(sign * value for value in (99_999, 9_999, 999, 99, 9) for sign in (-1, 1) if sign < 0 or value > 9)
"""Numbers that stand for a missing cell by custom."""

_TOTALS = {*"total totals sum sums gesamt gesamtsumme insgesamt summe summen zusammen somme totale totaal suma".split()}
_MEANS = {*"mean average mittelwert mittel durchschnitt moyenne media promedio gemiddelde".split()}
_BESIDE = {*"grand overall of all n sd std median und and alle".split()}
"""Words in the names of rows of totals, of means, and besides."""
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_NAME = 40
_MOST_TOTALS = 5
_FEWEST_ABOVE, _FEWEST_SUMMED = 3, 6

Change = tuple[str, float | str | None]
"""A column and the number whose cells are emptied, or the order of its dates, one of :data:`ORDERS`, or the circular
kind to a turn of which its numbers are wrapped.

Or no column, and no number for copied rows to be deleted, or how many rows at the end are left out.
"""

COPIES: Change = ("", None)
_FEWEST = 2
_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class Proposal:
    """What looks like a mistake, and what would be done about it.

    Attributes
    ----------
    change : (str, float or str or None), optional
        As :func:`accept` takes it; None if the table has to be read again.
    line : str
        A sentence.
    header_rows : int
        With how many rows of headings it is to be read again, as :func:`~dpviz.datasets.tables.read_table` takes it.
    """

    change: Change | None
    line: str
    header_rows: int = 0


def propose(
    frame: pd.DataFrame, numbers: Sequence[str], measured: bool, identifiers: Sequence[str] = ()
) -> tuple[Proposal, ...]:
    """Say what looks like a mistake in a table; nothing is changed.

    Parameters
    ----------
    frame : pandas.DataFrame
    numbers : sequence of str
        Its columns that are clustered as numbers.
    measured : bool
        Whether equal rows are unlikely, since a column is measured or names rows.
    identifiers : sequence of str
        Columns that name rows.
    """
    n_rows, contents = headings_of(frame)
    line = f"Proposed: the first {n_rows} rows look like headings: {contents}; if so, take them as such."
    headings = [Proposal(None, line, n_rows)] * (n_rows > 0)
    found = [(name, value, count) for name in numbers for value, count in _codes(frame[name])]
    proposals = [
        Proposal(
            (name, value),
            f"Proposed: {count:,} cells of “{name}” are {value:.15g}, far from all others; if that stands for a "
            "missing value, empty these cells.",
        )
        for name, value, count in found
    ]
    proposals += _totals(frame, identifiers)
    proposals += [
        Proposal((name, order), f"Proposed: read the dates of “{name}” with the {order}, if they are meant so.")
        for name in map(str, frame)
        for order in _orders(frame[name])
    ]
    n_copies = int(frame.duplicated().sum()) if measured and frame.size <= _MOST_CELLS else 0
    if n_copies:
        repeat = f"{counted(n_copies, 'row')} {'repeats' if n_copies == 1 else 'repeat'} an earlier one in every column"
        proposals.append(Proposal(COPIES, f"Proposed: {repeat}; if these are copies, delete them."))
    return (*headings, *proposals)


def wraps(frame: pd.DataFrame, kinds: Mapping[str, str]) -> list[Proposal]:
    """Propose to wrap numbers beyond one turn; ``kinds`` has those of all columns."""
    found = [(name, beyond_turn(frame[name], kind)) for name, kind in kinds.items()]
    return [_wrap(frame[name], kind) for name, kind in found if kind is not None]


def _wrap(column: pd.Series, kind: str) -> Proposal:
    period = period_of(kind)
    values = column.to_numpy(np.float64, na_value=np.nan)
    outside = np.flatnonzero(np.isfinite(values) & ~is_within_turn(values, period))
    some = f"{counted(len(outside), 'cell')} of “{column.name}” {'is' if len(outside) == 1 else 'are'}"
    line = (
        f"Proposed: {some} beyond one turn of {period:g} (such as {values[outside[0]]:g}); if they go on where a turn "
        "ends, wrap the column."
    )
    return Proposal((str(column.name), kind), line)


def _with_turns_wrapped(table: Table, column: str, kind: str) -> Table:
    """Return a table with a column's numbers taken modulo a period."""
    numeric = column in table.frame and pd.api.types.is_numeric_dtype(table.frame[column].dtype)
    require(numeric, "accepted", (column, kind), "a column of numbers of the table, with a circular kind")
    period = period_of(kind)
    assert period is not None
    own = table.frame[column].to_numpy(np.float64, na_value=np.nan)
    start = -period / 2 if (own[is_within_turn(own, period)] < 0).any() else 0.0  # as the others are written
    moved = wrapped(own, period, start)
    n_wrapped = int(np.sum(moved != own, where=~np.isnan(own)))
    note = f"As accepted, {counted(n_wrapped, 'cell')} of “{column}” wrapped to one turn of {period:g}."
    return replace(
        table,
        frame=table.frame.assign(**{column: moved}),
        notes=(*table.notes, note),
        reading=(*table.reading, ("accepted", ((column, kind),))),  # further rows are wrapped, too
    )


def accept(table: Table, changes: Sequence[Change]) -> Table:
    """Return a table with proposed changes made, and a note on each.

    Raises
    ------
    InvalidParameterError
        If a change names no column of numbers.
    """
    require_sequence("accepted", changes, (tuple, list), "pairs of a column and a number")
    for change in changes:
        require(len(change) == 2, "accepted", changes, "pairs of a column and a number")
        (column, value), frame = change, table.frame
        if (column, value) == COPIES:
            kept = frame.drop_duplicates(ignore_index=True)
            note = f"As accepted, {counted(len(frame) - len(kept), 'copied row')} deleted; the others are renumbered."
        elif not column:
            table, note = _without_end(table, value)
            kept = table.frame
        else:
            if isinstance(value, str) and period_of(value) is not None:
                table = _with_turns_wrapped(table, column, value)
                continue
            if value in ORDERS.values():
                table = _with_order(table, column, str(value))
                continue
            known = column in frame and pd.api.types.is_numeric_dtype(frame[column].dtype)
            known = known and value is not None and not isinstance(value, str)
            require(known, "accepted", (column, value), "a column of numbers of the table, with a number")
            assert value is not None and not isinstance(value, str)
            wrong = frame[column] == value
            kept = frame.assign(**{column: frame[column].astype(np.float64).mask(wrong)})
            note = f"As accepted, {counted(int(wrong.sum()), 'cell')} of “{column}” with {value:.15g} emptied."
            table = replace(table, emptied=(*table.emptied, (column, value)))
        table = replace(table, frame=kept, notes=(*table.notes, note))
    return table


def last_rows(number: float) -> str:
    """Name so many rows at the end."""
    return "the last row" if number == 1 else f"the last {number:g} rows"


def _totals(frame: pd.DataFrame, identifiers: Sequence[str]) -> list[Proposal]:
    """Propose to leave out rows at the end that are named as totals or means, or one that is the sum of all above."""
    names = _names_of_totals(frame)
    if names:
        why = f"{'is' if len(names) == 1 else 'are'} named {listed(names)}"
    elif n_columns := _n_summed(frame, identifiers):
        why = f"is the sum of those above in {counted(n_columns, 'column')}"
    else:
        return []
    n_rows = max(1, len(names))
    one = "it is a total rather than a row of its own, leave it out."
    several = "they are totals rather than rows of their own, leave them out."
    line = f"Proposed: {last_rows(n_rows)} {why}; if {one if n_rows == 1 else several}"
    return [Proposal(("", float(n_rows)), line)]


def _names_of_totals(frame: pd.DataFrame) -> list[str]:
    """Return the names of the rows at the end that are named as totals or means; none if one is a value further up."""
    texts = frame.loc[:, [not pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]]
    found: list[tuple[Any, str]] = []
    are_known = False
    for row in range(len(frame) - 1, max(len(frame) - 1 - _MOST_TOTALS, _FEWEST - 1), -1):
        cells = texts.iloc[row].dropna().astype("str")
        column, name = next(((column, text) for column, text in cells.items() if _WORD.search(text)), ("", ""))
        words = set(_WORD.findall(name.casefold())) if len(name) <= _LONGEST_NAME else set()
        if not words or not words <= _TOTALS | _MEANS | _BESIDE or frame.iloc[row].count() < 2:
            break
        are_known = are_known or bool(words & _TOTALS) or _has_mean(frame, row)
        found.insert(0, (column, name))
    above = texts.iloc[: len(frame) - len(found)]
    if not are_known or any((above[column] == name).any() for column, name in found):
        return []
    return [name for _, name in found]


def _has_mean(frame: pd.DataFrame, row: int) -> bool:
    """Whether a row has the mean of all above it in a column of numbers."""
    numbers = frame.select_dtypes("number")
    means = numbers.iloc[:row].mean().to_numpy(np.float64, na_value=np.nan)
    return bool(np.isclose(numbers.iloc[row].to_numpy(np.float64, na_value=np.nan), means, rtol=1e-3, atol=0.0).any())


def _n_summed(frame: pd.DataFrame, identifiers: Sequence[str]) -> int:
    """Return in how many columns the last row is the sum of those above; 0 if there are others, or it may be chance."""
    above, n_columns = len(frame) - 1, 0
    if above < _FEWEST_ABOVE:
        return 0
    for name, column in frame.items():
        last = column.iloc[-1]
        if pd.isna(last) or (name in identifiers and pd.api.types.is_numeric_dtype(column.dtype)):
            continue
        if not pd.api.types.is_numeric_dtype(column.dtype):
            return 0
        values = column.iloc[:-1].to_numpy(np.float64, na_value=np.nan)
        if np.count_nonzero(np.nan_to_num(values)) < _FEWEST or not math.isclose(np.nansum(values), last, rel_tol=1e-9):
            return 0
        n_columns += 1
    return n_columns if n_columns * (above - 1) >= _FEWEST_SUMMED else 0


def _without_end(table: Table, value: float | str | None) -> tuple[Table, str]:
    """Leave out rows at the end; columns that are numbers without them become such."""
    frame = table.frame
    whole = isinstance(value, int | float) and 1 <= value < len(frame) and value == int(value)
    require(whole, "accepted", ("", value), f"a number of rows at the end, fewer than {len(frame)}")
    assert isinstance(value, int | float)
    kept, gone = frame.iloc[: -int(value)], frame.iloc[-int(value) :]
    texts = [str(name) for name in frame if gone[name].notna().any() and not pd.api.types.is_numeric_dtype(frame[name])]
    read = read_columns([text_cells(kept[name]) for name in texts], texts, [mark_of(kept[name]) for name in texts])
    numbers = {name: read.frame[name].to_numpy() for name in texts if pd.api.types.is_numeric_dtype(read.frame[name])}
    units = tuple((name, unit) for name, unit in read.units if name in numbers)
    table = replace(table, frame=kept.assign(**numbers), units=(*table.units, *units))
    return table, f"As accepted, {last_rows(value)} left out."


def _orders(column: pd.Series) -> Strings:
    """Return the orders in which dates may be read of which the day may be the month; none of other columns."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return ()
    found = readings_as_dates(text_cells(column))
    return tuple(ORDERS[dates.remark] for dates in found) if len(found) > 1 else ()


def _with_order(table: Table, column: str, order: str) -> Table:
    """Return a table with a column of dates read in an order."""
    found = readings_as_dates(text_cells(table.frame[column])) if column in table.frame else []
    read = [dates for dates in found if ORDERS.get(dates.remark) == order]
    require(bool(read), "accepted", (column, order), "a column of dates that can be read so")
    said = (f"As accepted: {in_words(remark)} “{column}”." for remark in remarks_on(read[0]))
    return replace(
        table,
        frame=table.frame.assign(**{column: read[0].days}),
        units=(*table.units, (column, DAYS)),
        notes=(*table.notes, *said),
    )


def _codes(column: pd.Series) -> list[tuple[float, int]]:
    """Return the customary codes that end a column, each with its number of cells, if a wide gap parts them from it.

    In a column of dates as numbers they are those of an open end.

    The gap must be wider than all other values together, so that ordinary values of 99 are no codes.
    """
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return []
    values: FloatArray = column.to_numpy(np.float64, na_value=np.nan)
    values = values[np.isfinite(values)]
    if are_dates(values):
        likely = [code for code in NO_DATES if code in values]
    else:
        likely = [code for code in _CODES if values.size and code in (values.min(), values.max())]
    found = []
    for code in likely:
        others = values[~np.isin(values, likely)]
        count = int(np.sum(values == code))
        if others.size < 2 or count < _FEWEST:
            continue
        gap = min(abs(code - others.min()), abs(code - others.max()))
        if gap > others.max() - others.min():
            found.append((float(code), count))
    return found
