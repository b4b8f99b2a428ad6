"""What methods of distances make of tables with columns of several kinds: numbers are no categories to them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd

from dpviz.arrays import Strings
from dpviz.datasets.dataset import Dataset
from dpviz.datasets.indicators import DUMMY, ONE_HOT, category_counts
from dpviz.datasets.tables.encode import category_name
from dpviz.datasets.tables.limits import MAX_CELLS, MAX_COLUMNS
from dpviz.datasets.tables.table import listed

_CODED = ("binary", "categorical")


def coded_numbers(dataset: Dataset, every: bool = False) -> dict[int, np.ndarray]:
    """Return the values of the codes 0, 1, … of the columns whose codes have other distances, by their positions.

    These are the columns of numbers of :func:`dpviz.datasets.tables.decision.changed_by_codes`. With ``every`` those of
    three and more categories are among them whose codes have the same distances.
    """
    found = {}
    for position, (column, kind) in enumerate(zip(dataset.feature_names, dataset.kinds, strict=True)):
        names = dataset.category_names[position]
        if kind not in _CODED or not names or not _may_hold_numbers(dataset, column):
            continue
        values = _values(names)
        if values is None:
            continue
        if every and len(values) > 2 or not np.array_equal(values - values[0], np.arange(len(values))):
            found[position] = values
    return found


def with_numbers(dataset: Dataset, every: bool = False, but: Collection[str] = ()) -> Dataset:
    """Return the data set with the columns of :func:`coded_numbers`, but for some, as the numbers that they hold."""
    found = coded_numbers(dataset, every)
    coded = {position: values for position, values in found.items() if dataset.feature_names[position] not in but}
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


def scaling_of_mixed(dataset: Dataset, density: bool = False, but: Collection[str] = ()) -> str:
    """Return how columns of several kinds, or of categories, become numbers that methods of distances can compare.

    Parameters
    ----------
    dataset : Dataset
        With :func:`with_numbers` or without; the answer is for every number as such.
    density : bool
        Whether the method has a density, which needs numbers that do not determine each other.
    but : collection of str
        Columns of numbers that are categories nevertheless.

    Returns
    -------
    {"one_hot", "dummy", "standardise", "none"}
        ``"standardise"`` without categories that need indicators, and if there are too many of these; ``"none"`` if all
        columns are of one kind, or measured, so that only the reader knows whether they have one unit.
    """
    if set(dataset.kinds) <= {"continuous", "duration"}:
        return "none"
    numbers = with_numbers(dataset, every=True, but=but)
    counts = category_counts(numbers)
    n_numbers = dataset.n_features - len(counts) + sum(counts.values())
    if counts and n_numbers <= MAX_COLUMNS and n_numbers * dataset.n_points <= MAX_CELLS:
        return DUMMY if density else ONE_HOT
    several = len(set(dataset.kinds)) > 1 or numbers is not dataset
    return "standardise" if several and dataset.n_features > 1 else "none"


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
