"""How the columns of a table became the numbers that were clustered, recognised from both, and in words."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dpviz.analysis.table_units import TableUnits
from dpviz.arrays import FloatArray
from dpviz.datasets import Dataset, fill
from dpviz.datasets.indicators import CODINGS, DUMMY, ONE_HOT, indicator_names
from dpviz.datasets.preparation import WAYS, Preparation, scaled_columns
from dpviz.datasets.views import SPREAD
from dpviz.errors import DpvizError
from dpviz.text import counted

_SCALED = {
    "none": "the columns as they are",
    "standardise": "the standardised columns (mean 0, variance 1)",
    "robust": "the robustly scaled columns (median 0, interquartile range 1)",
    SPREAD: "the columns divided by their standard deviations",
    ONE_HOT: "the numbers standardised (mean 0, variance 1), and an indicator for each category (those of a column "
    "have variance 1 together)",
    DUMMY: "the numbers standardised (mean 0, variance 1), and an indicator for each category but the first (those of "
    "a column would have variance 1 together with that of the first)",
}
_COLUMN = {"none": "", "standardise": " (standardised)", "robust": " (robustly scaled)", SPREAD: " (of variance 1)"}


class Shaping(NamedTuple):
    """From a table to the numbers that were clustered.

    Attributes
    ----------
    scaling : str or None
        One of :data:`dpviz.datasets.preparation.WAYS`; None if it is not known how the numbers were made.
    n_components : int
        Principal components of the scaled columns that were clustered; 0 for the columns.
    whiten : bool
        Whether the components were given unit variance.
    """

    scaling: str | None = "none"
    n_components: int = 0
    whiten: bool = False

    @property
    def is_none(self) -> bool:
        """Whether the numbers are those of the table."""
        return self.scaling == "none" and not self.n_components

    @property
    def by_column(self) -> bool:
        """Whether it is known that every number is a column of the table, perhaps scaled."""
        return self.scaling is not None and self.scaling not in CODINGS and not self.n_components

    def in_brief(self) -> str:
        """Name what was clustered, for a methods paragraph."""
        if self.scaling is None:
            return "prepared beforehand (how is not known here)"
        if not self.n_components:
            return "not scaled" if self.scaling == "none" else f"as {_SCALED[self.scaling]}"
        unit = ", each with unit variance" if self.whiten else ""
        return f"reduced to {counted(self.n_components, 'principal component')} of {_SCALED[self.scaling]}{unit}"

    def in_words(self, n_features: int) -> list[str]:
        """Say what was clustered, and in which units the numbers of the page are."""
        of_table, of_numbers = "Tables of clusters", "parameters, distances and nats"
        if self.by_column:
            of_table, of_numbers = "Tables of clusters and nats", "parameters and distances"
        own = f"{of_table} are in the units of the data; {of_numbers} are of what was clustered."
        if self.scaling is None:
            return [
                f"What was clustered are {counted(n_features, 'column')} of numbers prepared from these; how is not "
                f"known here. {own}"
            ]
        if self.is_none:
            return ["The columns were not scaled."]
        what = _SCALED[self.scaling]
        if self.n_components:
            unit = ", each divided to unit variance" if self.whiten else ""
            what = f"{counted(self.n_components, 'principal component')} of {what}{unit}"
        return [f"What was clustered are {what}. {own}"]

    def column_names(self, dataset: Dataset, n_features: int) -> tuple[str, ...]:
        """Name the numbers that were clustered (n_features of them) after the columns of the table."""
        names = dataset.feature_names
        if self.scaling in CODINGS:
            named = indicator_names(dataset, self.scaling)
            return tuple(f"{name}{_COLUMN['standardise']}" if name in names else name for name in named)
        if self.n_components or len(names) != n_features:
            return tuple(f"Component {d + 1}" if self.n_components else f"number {d + 1}" for d in range(n_features))
        return tuple(f"{name}{_COLUMN.get(self.scaling or '', ' (prepared)')}" for name in names)


def recognised(dataset: Dataset, values: FloatArray) -> Shaping:
    """Return how the clustered numbers (N, C) were made from the columns of a table, if by a scaling or indicators."""
    if len(dataset.X) != len(values):
        return Shaping(None)
    for way in WAYS:
        try:
            scaled = scaled_columns(_as_clustered(dataset, values), way).X
        except DpvizError:  # numbers too large to be scaled, and missing cells have not been
            continue
        if np.array_equal(scaled, values, equal_nan=True):
            return Shaping(way)
    return Shaping(None)


def units_of(dataset: Dataset, values: FloatArray, shaping: Shaping) -> TableUnits:
    """Return what gives costs of the clustered numbers (N, C) the units of the table, where they are scaled columns."""
    if not shaping.by_column or values.shape != dataset.X.shape:
        return TableUnits(values, Preparation.none(values.shape[1]))
    assert shaping.scaling is not None
    return TableUnits(values, scaled_columns(_as_clustered(dataset, values), shaping.scaling).preparation)


def _as_clustered(dataset: Dataset, values: FloatArray) -> Dataset:
    """Return the table with its missing cells filled in, if they were before the run."""
    if not n_filled(dataset, values):
        return dataset
    return replace(dataset, X=fill(dataset.X, dataset.kinds), gaps=False)


def n_filled(dataset: Dataset, values: FloatArray) -> int:
    """Return how many missing cells of the table were filled in before the run."""
    return 0 if np.isnan(values).any() else int(np.isnan(dataset.X).sum())
