"""Changes of a table that may be right but that only its owner can decide on: codes for missing cells, copied rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.tables.cell_values import in_words
from dpviz.datasets.tables.kinds import text_cells
from dpviz.datasets.tables.measures import NO_DATES, ORDERS, are_dates, readings_as_dates
from dpviz.datasets.tables.table import DAYS, Table
from dpviz.errors import require, require_sequence
from dpviz.text import counted

_CODES = tuple(sign * value for value in (99_999, 9_999, 999, 99, 9) for sign in (-1, 1) if sign < 0 or value > 9)
"""Numbers that stand for a missing cell by custom."""

Change = tuple[str, float | str | None]
"""A column and the number whose cells are emptied, or the order of its dates, one of :data:`ORDERS`.

No column and no number: copied rows are deleted.
"""

COPIES: Change = ("", None)
_FEWEST = 2
_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class Proposal:
    """What looks like a mistake, and what would be done about it.

    Attributes
    ----------
    change : (str, float or str or None)
        As :func:`accept` takes it.
    line : str
        A sentence.
    """

    change: Change
    line: str


def propose(frame: pd.DataFrame, numbers: Sequence[str], measured: bool) -> tuple[Proposal, ...]:
    """Say what looks like a mistake in a table; nothing is changed.

    Parameters
    ----------
    frame : pandas.DataFrame
    numbers : sequence of str
        Its columns that are clustered as numbers.
    measured : bool
        Whether equal rows are unlikely, since a column is measured or names rows.
    """
    found = [(name, value, count) for name in numbers for value, count in _codes(frame[name])]
    proposals = [
        Proposal(
            (name, value),
            f"Proposed: {count:,} cells of “{name}” are {value:.15g}, far from all others; if that stands for a "
            "missing value, empty these cells.",
        )
        for name, value, count in found
    ]
    proposals += [
        Proposal((name, order), f"Proposed: read the dates of “{name}” with the {order}, if they are meant so.")
        for name in map(str, frame)
        for order in _orders(frame[name])
    ]
    n_copies = int(frame.duplicated().sum()) if measured and frame.size <= _MOST_CELLS else 0
    if n_copies:
        repeat = f"{counted(n_copies, 'row')} {'repeats' if n_copies == 1 else 'repeat'} an earlier one in every column"
        proposals.append(Proposal(COPIES, f"Proposed: {repeat}; if these are copies, delete them."))
    return tuple(proposals)


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
        else:
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


def _orders(column: pd.Series) -> Strings:
    """Return the orders in which dates may be read of which the day may be the month; none of other columns."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return ()
    found = readings_as_dates(text_cells(column))
    return tuple(ORDERS[remark] for _, remark in found) if len(found) > 1 else ()


def _with_order(table: Table, column: str, order: str) -> Table:
    """Return a table with a column of dates read in an order."""
    found = readings_as_dates(text_cells(table.frame[column])) if column in table.frame else []
    read = [(values, remark) for values, remark in found if ORDERS.get(remark) == order]
    require(bool(read), "accepted", (column, order), "a column of dates that can be read so")
    values, remark = read[0]
    return replace(
        table, frame=table.frame.assign(**{column: values}), units=(*table.units, (column, DAYS)),
        notes=(*table.notes, f"As accepted: {in_words(remark)} “{column}”."),
    )  # fmt: skip


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
