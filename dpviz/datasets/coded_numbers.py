"""Columns of numbers that were taken as categories, for methods that measure distances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from dpviz.arrays import Strings
from dpviz.datasets.dataset import Dataset
from dpviz.datasets.tables.encode import category_name
from dpviz.datasets.tables.table import listed

_CODED = ("binary", "categorical")


def coded_numbers(dataset: Dataset) -> dict[int, np.ndarray]:
    """Return the values of the codes 0, 1, … of the columns whose codes have other distances, by their positions.

    These are the columns of numbers of :func:`dpviz.datasets.tables.decision.changed_by_codes`.
    """
    found = {}
    for position, (column, kind) in enumerate(zip(dataset.feature_names, dataset.kinds, strict=True)):
        names = dataset.category_names[position]
        if kind not in _CODED or not names or not _may_hold_numbers(dataset, column):
            continue
        values = _values(names)
        if values is not None and not np.array_equal(values - values[0], np.arange(len(values))):
            found[position] = values
    return found


def with_numbers(dataset: Dataset) -> Dataset:
    """Return the data set with these columns as the numbers that they hold."""
    coded = coded_numbers(dataset)
    if not coded:
        return dataset
    X, kinds, names = dataset.X.copy(), list(dataset.kinds), list(dataset.category_names)
    for position, values in coded.items():
        known = ~np.isnan(X[:, position])
        X[known, position] = values[X[known, position].astype(np.int64)]
        kinds[position], names[position] = "continuous", ()
    columns = listed([dataset.feature_names[position] for position in coded])
    note = f"Numbers again, and no categories, since this method takes distances: {columns}."
    return replace(dataset, X=X, kinds=tuple(kinds), category_names=tuple(names), notes=(*dataset.notes, note))


def _may_hold_numbers(dataset: Dataset, column: str) -> bool:
    """Whether a column of the table, if there is one, was read as numbers: text of digits such as 007 is text."""
    if dataset.frame is None or column not in dataset.frame.columns:
        return True
    return bool(pd.api.types.is_numeric_dtype(dataset.frame[column].dtype))


def _values(names: Strings) -> np.ndarray | None:
    """Return what the names of categories stand for if all are numbers, written as such categories are."""
    try:
        values = [float(name) for name in names]
    except ValueError:
        return None
    written = all(category_name(value) == name for value, name in zip(values, names, strict=True))
    return np.array(values) if written else None
