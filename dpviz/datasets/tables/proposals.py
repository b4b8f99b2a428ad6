"""Changes of a table that may be right but that only its owner can decide on: codes for missing cells, copied rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets.tables.table import counted

_CODES = tuple(sign * value for value in (99_999, 9_999, 999, 99, 9) for sign in (-1, 1) if sign < 0 or value > 9)
"""Numbers that stand for a missing cell by custom."""

_FEWEST = 2
_MOST_CELLS = 20_000_000


def propose(frame: pd.DataFrame, numbers: Sequence[str], measured: bool) -> Strings:
    """Say what looks like a mistake in a table, one sentence each; nothing is changed.

    Parameters
    ----------
    frame : pandas.DataFrame
    numbers : sequence of str
        Its columns that are clustered as numbers.
    measured : bool
        Whether equal rows are unlikely, since a column is measured or names rows.
    """
    found = [(name, value, count) for name in numbers for value, count in _codes(frame[name])]
    said = [
        f"Proposed: {count:,} cells of “{name}” are {value:g}, far from all others; if that "
        "stands for a missing value, empty these cells."
        for name, value, count in found
    ]
    n_copies = int(frame.duplicated().sum()) if measured and frame.size <= _MOST_CELLS else 0
    if n_copies:
        said.append(
            f"Proposed: {counted(n_copies, 'row')} {'repeats' if n_copies == 1 else 'repeat'} an earlier one in every "
            "column; if these are copies, delete them."
        )
    return tuple(said)


def _codes(column: pd.Series) -> list[tuple[float, int]]:
    """Return the customary codes that end a column, each with its number of cells, if a wide gap parts them from it.

    The gap must be wider than all other values together, so that ordinary values of 99 are no codes.
    """
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return []
    values: FloatArray = column.to_numpy(np.float64, na_value=np.nan)
    values = values[np.isfinite(values)]
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
