"""Filled cells of a run, in the words and units of the table: values with intervals, or categories."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray
from dpviz.datasets import Dataset
from dpviz.datasets.preparation import Preparation
from dpviz.engine.imputation import FEWEST_DRAWS, INTERVAL, kept_cells
from dpviz.engine.trace import Trace
from dpviz.hurdles import HURDLE
from dpviz.periods import SHARE, word_of

MEASURED = ("continuous", "duration", "count", HURDLE, SHARE)
"""Kinds of columns whose cells have a mean; the others are described by their most probable categories."""
MOST_NAMED = 3
"""Most categories that are named for a cell."""


def cells_in_words(
    dataset: Dataset, X: FloatArray, trace: Trace, preparation: Preparation | None = None
) -> pd.DataFrame:
    """List the cells that a run filled in.

    Parameters
    ----------
    dataset : Dataset
        The table, for its names, kinds and categories.
    X : ndarray (N, D)
        The numbers that were clustered, with NaN for missing cells.
    trace : Trace
        Of a run that filled them in.
    preparation : Preparation, optional
        Map from the table's columns to the clustered numbers; None if they are the same.

    Returns
    -------
    pandas.DataFrame
        One row per missing cell: ``point`` (the row of X), ``column`` (its name) and ``value``, the mean over the kept
        draws of a chain, its most probable category, or the mode of mapdp. Of a chain ``lower`` and ``upper`` hold 90 %
        of the draws of a measured cell, if there are at least
        :data:`~dpviz.engine.imputation.FEWEST_DRAWS`, and ``probability`` is that of the category; ``others`` names
        further ones.

    Raises
    ------
    InvalidParameterError
        If the run filled nothing in.
    """
    missing, draws = kept_cells(X, trace)
    if preparation is not None:
        draws = preparation.centre[missing[:, 1]] + preparation.spread[missing[:, 1]] * draws
    cells = [_cell(dataset, int(d), own, trace.is_chain) for (_, d), own in zip(missing, draws.T, strict=True)]
    columns = ["value", "lower", "upper", "probability", "others"]
    table = pd.DataFrame(cells, columns=columns)
    table.insert(0, "column", np.array(dataset.feature_names, dtype=object)[missing[:, 1]])
    table.insert(0, "point", missing[:, 0])
    return table.dropna(axis="columns", how="all")


def _cell(dataset: Dataset, column: int, draws: FloatArray, chain: bool) -> tuple[object, ...]:
    """Value, interval, probability and other categories of one cell; None for those it does not have."""
    if word_of(dataset.kinds[column]) in MEASURED:
        lower, upper = np.quantile(draws, INTERVAL) if chain and len(draws) >= FEWEST_DRAWS else (None, None)
        return f"{draws.mean():.15g}", lower, upper, None, None
    values, counts = np.unique(draws, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    named = [(_named(dataset, column, float(values[k])), counts[k] / len(draws)) for k in order[: MOST_NAMED + 1]]
    others = ", ".join(f"{name} {share:.2f}" for name, share in named[1 : MOST_NAMED + 1]) or None
    return named[0][0], None, None, named[0][1] if chain else None, others if chain else None


def _named(dataset: Dataset, column: int, code: float) -> str:
    names = dataset.category_names[column]
    whole = code == round(code) and 0 <= code < len(names)
    return names[int(code)] if whole else f"{code:.4g}"
