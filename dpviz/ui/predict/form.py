"""Entering one point: a widget for every column, in the units and words of the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from dpviz.arrays import FloatArray
from dpviz.datasets import Dataset
from dpviz.datasets.dataset import is_measured
from dpviz.datasets.tables.cell_values import as_read
from dpviz.datasets.tables.table import CLOCK, DAYS
from dpviz.hurdles import HURDLE
from dpviz.periods import about_mean, period_of, whole_of
from dpviz.text import escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.predict.runs import Known
from dpviz.ui.session import naming, state

MOST_FIELDS, SHOWN_FIELDS = 24, 12
"""Above the first number of columns only some are shown at a time, by default the second number."""
ACROSS = 2
_NOT_NEGATIVE = ("duration", HURDLE)
LARGEST_WHOLE = 1_000_000_000
LEAST_DIGITS, MOST_DIGITS = 6, 15
"""Significant digits of the numbers in fields: more than the least where a column spreads little for its size."""
SPREAD_DIGITS = 5
"""Digits from the first one of a column's spread."""


def entered(known: Known) -> FloatArray:
    """Draw the fields and return the point (D,) in the table's units, NaN where a cell is missing."""
    dataset = known.prepared.dataset
    columns = _shown_columns(known, dataset)
    _starting_values(known, dataset)
    if not known.admits_gaps:
        st.caption(_why_no_gaps(known))
    for first in range(0, len(columns), ACROSS):
        for place, column in zip(st.columns(ACROSS), columns[first : first + ACROSS], strict=False):
            with place:
                _field(known, dataset, column)
    return np.array([_value(known, dataset, column) for column in range(dataset.n_features)])


def put(known: Known, point: Sequence[float | None]) -> None:
    """Set the fields to a point (D,), with None where a cell is missing; call it before they are drawn."""
    dataset = known.prepared.dataset
    values: dict[str, Any] = {}
    for column, value in enumerate(point):
        values[_missing_key(known, column)] = value is None and known.admits_gaps
        if value is not None and _is_possible(dataset, column, value):
            values[_key(known, column)] = int(value) if _is_whole(dataset, column) else float(value)
    state.put(values)


def _why_no_gaps(known: Known) -> str:
    if known.prepared.preparation.components is not None:
        return "Every column is needed: the data are clustered on principal components of all of them."
    return f"Every column is needed: {escape_markdown(known.predictor.problem.algorithm.title)} leaves no cell out."


def _shown_columns(known: Known, dataset: Dataset) -> list[int]:
    """All columns; of very many, the chosen ones, and the others keep their values."""
    everything = list(range(dataset.n_features))
    if len(everything) <= MOST_FIELDS:
        return everything
    key = f"predict.columns.{naming.data_key(known.prepared.choice)}"
    return widgets.several(
        f"Columns to change (of {len(everything):,}; the others keep their values)",
        key,
        everything,
        everything[:SHOWN_FIELDS],
        format_func=lambda column: dataset.feature_names[column],
        max_selections=MOST_FIELDS,
    )


# --- starting values --------------------------------------------------------------------------------------------------


def _starting_values(known: Known, dataset: Dataset) -> None:
    row_key = f"predict.row.{naming.data_key(known.prepared.choice)}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row = widgets.number(
            "Point of the data", row_key, 0, 0, dataset.n_points - 1, width=140, help="Counted from 0, as in Explore."
        )
        st.button("Fill in", key="predict.take", on_click=_take, args=(known, row))
        st.button(
            "Typical values",
            key="predict.typical",
            on_click=_take,
            args=(known, None),
            help="The median of every column of numbers, and the most frequent category.",
        )


def _take(known: Known, row: int | None) -> None:
    dataset = known.prepared.dataset
    if row is None:
        put(known, [typical(dataset, column) for column in range(dataset.n_features)])
        return
    put(known, [None if np.isnan(value) else float(value) for value in dataset.X[row]])


def typical(dataset: Dataset, column: int) -> float:
    """Return the median of a column, the most frequent of codes, and of a turn the value nearest to the mean."""
    x, period = dataset.X[:, column], period_of(dataset.kinds[column])
    x = x[~np.isnan(x)]
    if dataset.kinds[column] in ("binary", "categorical"):
        values, counts = np.unique(x, return_counts=True)
        return float(values[np.argmax(counts)])
    if period is not None:
        moved = about_mean(x, period)
        return float(x[np.argmin(np.abs(moved - moved.mean()))])
    if _is_whole(dataset, column):
        return float(np.sort(x)[len(x) // 2])
    low, high = _range(dataset.kinds[column])
    median = float(f"{np.median(x):.{digits(dataset, column)}g}")
    return float(np.clip(median, -math.inf if low is None else low, math.inf if high is None else high))


def digits(dataset: Dataset, column: int) -> int:
    """Return with how many significant digits numbers of a column are written, so that their differences show."""
    x = dataset.X[:, column]
    largest, spread = float(np.nanmax(np.abs(x))), float(np.nanstd(x))
    if not 0 < spread <= largest:
        return LEAST_DIGITS
    places = math.floor(math.log10(largest)) - math.floor(math.log10(spread))
    return int(np.clip(places + SPREAD_DIGITS, LEAST_DIGITS, MOST_DIGITS))


def unit(dataset: Dataset, column: int) -> str:
    """Return the unit of a column; empty if it has none."""
    return dict(dataset.units).get(dataset.feature_names[column], "")


# --- one field --------------------------------------------------------------------------------------------------------


def _key(known: Known, column: int) -> str:
    return f"predict.value.{naming.data_key(known.prepared.choice)}.{column}"


def _missing_key(known: Known, column: int) -> str:
    return f"predict.missing.{naming.data_key(known.prepared.choice)}.{column}"


def _value(known: Known, dataset: Dataset, column: int) -> float:
    settings = state.settings()
    if known.admits_gaps and settings.get(_missing_key(known, column), False):
        return np.nan
    return float(settings.get(_key(known, column), typical(dataset, column)))


def _is_whole(dataset: Dataset, column: int) -> bool:
    """Whether a column can hold only whole numbers from 0."""
    if is_measured(dataset.kinds[column]):
        return False
    x = dataset.X[:, column]
    x = x[~np.isnan(x)]
    return bool(np.all((x >= 0) & (x <= LARGEST_WHOLE) & (x == np.floor(x))))


def _is_possible(dataset: Dataset, column: int, value: float) -> bool:
    """Whether a field can show a value; a link may hold any number."""
    if not math.isfinite(value):
        return False
    if not _is_whole(dataset, column):
        low, high = _range(dataset.kinds[column])
        return (low is None or value >= low) and (high is None or value <= high)
    names = dataset.category_names[column]
    most = len(names) - 1 if names else LARGEST_WHOLE
    return 0 <= value <= most and value == int(value)


def _range(kind: str) -> tuple[float | None, float | None]:
    """Return the smallest and the largest possible value of a measured column, None if there is none."""
    whole, period = whole_of(kind), period_of(kind)
    if period is not None:
        return -period / 2, period
    return 0.0 if whole is not None or kind in _NOT_NEGATIVE else None, whole


def _field(known: Known, dataset: Dataset, column: int) -> None:
    """Draw the widget of a column, and beside it the switch that leaves the cell out."""
    missing_key = _missing_key(known, column)
    is_missing = known.admits_gaps and bool(state.value(missing_key, False))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        value = _drawn(known, dataset, column)(disabled=is_missing)
        if known.admits_gaps:
            widgets.toggle("missing", missing_key, width="content")
    own = unit(dataset, column)
    if own in (DAYS, CLOCK) and not is_missing:
        st.caption(escape_markdown(as_read(float(value), own, exact=True) or "No date or time that can be written."))


def _drawn(known: Known, dataset: Dataset, column: int) -> Callable[..., Any]:
    own, key = unit(dataset, column), _key(known, column)
    label = escape_markdown(f"{dataset.feature_names[column]} ({own})" if own else dataset.feature_names[column])
    begin, names, kind = typical(dataset, column), dataset.category_names[column], dataset.kinds[column]
    if not _is_whole(dataset, column):
        low, high = _range(kind)
        look = {"step": _step(dataset, column), "format": f"%.{digits(dataset, column)}g"}
        return partial(widgets.real, label, key, begin, min_value=low, max_value=high, **look)
    codes = list(range(len(names))) if names else sorted({int(x) for x in dataset.X[:, column] if not np.isnan(x)})
    if kind in ("binary", "categorical") or names:
        words = dict(zip(codes, names or map(str, codes), strict=True))
        return partial(widgets.select, label, key, codes, int(begin), format_func=words.__getitem__)
    return partial(widgets.number, label, key, int(begin), 0, LARGEST_WHOLE)


def _step(dataset: Dataset, column: int) -> float:
    """Return a power of ten that is a small part of the column's spread."""
    spread = float(np.nanstd(dataset.X[:, column]))
    return 10.0 ** math.floor(math.log10(spread / 5)) if spread > 1e-300 else 1.0
