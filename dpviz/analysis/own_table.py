"""The user's own table: every row and column as read, with what was found about its rows beside them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets import Dataset
from dpviz.datasets.tables.table import DAYS, listed

OTHERWISE = "not clustered: a cell is no value of its column"
_EARLIEST, _END = (datetime.date(year, 1, 1).toordinal() - 719_163 for year in (1000, 3000))
"""Days since 1 January 1970 of the years that are read as dates."""
_SECONDS = 86_400


def own_table(dataset: Dataset) -> tuple[pd.DataFrame, IntArray]:
    """Return the user's own table, or the numbers where there is none, and which of its rows (N,) are in the data."""
    if dataset.frame is not None and dataset.rows is not None:
        return dataset.frame.reset_index(drop=True), dataset.rows
    frame = pd.DataFrame(dataset.X, columns=list(dataset.feature_names))
    if dataset.labels is not None and dataset.label_names is not None:
        frame[free_name("label", frame)] = np.array(dataset.label_names, dtype=object)[dataset.labels]
    return frame, np.arange(dataset.n_points)


def with_dates(frame: pd.DataFrame, units: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """Return a table in which days since 1 January 1970 are the dates, or points in time, that they were read from.

    Parameters
    ----------
    frame : pandas.DataFrame
    units : iterable of (str, str)
        Of columns, as :attr:`dpviz.datasets.Dataset.units`. Days that no date to the second gives back stay numbers.
    """
    names = [name for name, unit in units if unit == DAYS and name in frame]
    dated = {name: _dates(frame[name].to_numpy(np.float64, na_value=np.nan)) for name in names}
    found = {name: dates for name, dates in dated.items() if dates is not None}
    return frame.assign(**{name: pd.Series(dates, frame.index, object) for name, dates in found.items()})


def _dates(days: FloatArray) -> list[datetime.date | None] | None:
    """Return dates, or points in time if any is no midnight; None where the days are others than theirs."""
    known = ~np.isnan(days)
    if not np.all((days[known] >= _EARLIEST) & (days[known] < _END)):
        return None
    seconds = np.rint(np.where(known, days, 0.0) * _SECONDS)
    if not np.array_equal(seconds[known] / _SECONDS, days[known]):
        return None
    begin, is_date = datetime.datetime(1970, 1, 1), not np.any(seconds % _SECONDS)
    times = [begin + datetime.timedelta(seconds=second) for second in seconds.tolist()]
    return [None if not there else time.date() if is_date else time for there, time in zip(known, times, strict=True)]


def free_name(name: str, frame: pd.DataFrame) -> str:
    """Return a name that no column of a table has: the given one, or with strokes behind it."""
    while name in frame.columns:
        name += "_"
    return name


def beside(frame: pd.DataFrame, rows: IntArray, columns: Mapping[str, NDArray[np.generic]]) -> pd.DataFrame:
    """Return a table with further columns, empty in all but some of its rows.

    Parameters
    ----------
    frame : pandas.DataFrame
        With rows numbered from 0.
    rows : ndarray of int (m,)
        The rows that the columns are about.
    columns : mapping of str to ndarray (m,)
        Their names are changed where the table has them already.
    """
    placed = {free_name(name, frame): _placed(values, rows, len(frame)) for name, values in columns.items()}
    return pd.concat([frame, pd.DataFrame(placed, index=frame.index)], axis=1)


def _placed(values: NDArray[np.generic], rows: IntArray, length: int) -> pd.Series:
    if values.dtype.kind in "iu":
        column = pd.Series(pd.array([pd.NA] * length, dtype="Int64"))
    else:
        column = pd.Series([None if values.dtype == object else np.nan] * length, dtype=values.dtype)
    column.iloc[rows] = values
    return column


def why_left_out(dataset: Dataset) -> NDArray[np.object_]:
    """Say of every row of the user's own table why it is not in the data; nothing of those that are.

    Returns
    -------
    ndarray of object
        Empty if every row is in the data.
    """
    frame, rows = own_table(dataset)
    left_out = np.setdiff1d(np.arange(len(frame)), rows)
    if not len(left_out):
        return np.empty(0, dtype=object)
    notes = np.full(len(frame), "", dtype=object)
    notes[left_out] = OTHERWISE
    names = [name for name in dataset.feature_names if name in frame]
    missing = frame[names].iloc[left_out].isna().to_numpy()
    for row, cells in zip(left_out, missing, strict=True):
        if cells.any():
            notes[row] = f"not clustered: missing {listed([names[d] for d in np.flatnonzero(cells)])}"
    return notes
