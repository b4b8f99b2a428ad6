"""What a picture of clusters has on its axes: the user's own columns in their units, or principal components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dpviz.arrays import FloatArray, Strings
from dpviz.datasets import Dataset, display_coordinates, scale
from dpviz.datasets.tables.table import DAYS
from dpviz.errors import require
from dpviz.report.preparation import Shaping


class Axis(NamedTuple):
    """One axis.

    Attributes
    ----------
    values : ndarray (N,)
        NaN where a cell is missing.
    name : str
        With its unit.
    is_date : bool
        Whether the values are days since 1 January 1970.
    words : tuple of str
        Of categories, the name of each code 0, 1, ….
    """

    values: FloatArray
    name: str
    is_date: bool = False
    words: Strings = ()


def axes_of(
    dataset: Dataset, values: FloatArray, columns: Sequence[str] = (), clustered: Sequence[str] = ()
) -> list[Axis]:
    """Return the axes of a picture: one or two.

    Parameters
    ----------
    dataset : Dataset
        In its own units.
    values : ndarray (N, C)
        What was clustered: the same, or scaled, or components of it.
    columns : sequence of str
        One or two columns to show; by default those of a table of up to two, and else what was clustered: one or two
        columns of numbers as they are, of more the principal components of the standardised ones, with missing cells
        at the mean.
    clustered : sequence of str
        Names of the numbers that were clustered; by default those of the table if it has as many columns.

    Raises
    ------
    InvalidParameterError
        If these are not one or two columns that were clustered.
    """
    names = list(columns) or list(dataset.feature_names if dataset.n_features <= 2 else ())
    if names:
        known = [name for name in names if name in dataset.feature_names]
        advice = f"Clustered were {', '.join(dataset.feature_names[:20])}."
        good = len(known) == len(names) == len(set(names)) <= 2
        require(good, "columns", ", ".join(names), "one or two columns that were clustered", advice)
        return [_column(dataset, dataset.feature_names.index(name)) for name in names]
    n_numbers = values.shape[1]
    called = tuple(clustered) or Shaping(None).column_names(dataset, n_numbers)
    numbers = scale(values, "standardise").X if n_numbers > 2 else values
    plain = Dataset(X=numbers, name=dataset.name, feature_names=called, gaps=True)
    display = display_coordinates(plain.filled(), "principal_components" if n_numbers > 2 else "columns")
    return [Axis(place, name) for place, name in zip(display.coordinates.T, display.axis_names, strict=True)]


def _column(dataset: Dataset, d: int) -> Axis:
    name, unit = dataset.feature_names[d], dict(dataset.units).get(dataset.feature_names[d], "")
    is_date = unit == DAYS
    titled = f"{name} ({unit})" if unit and not is_date else name
    return Axis(np.asarray(dataset.X[:, d]), titled, is_date, dataset.category_names[d])
