"""A run's clusters in the table that the user brought: ids, words and columns that were not clustered stay beside them.

Public interface
----------------
``labelled_table(table, trace, X=None, *, joined=None) -> pandas.DataFrame``
    All rows and columns, with cluster and probability. :func:`dpviz.datasets.tables.export_csv` writes it as a file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dpviz.analysis.own_table import beside, free_name, own_table, why_left_out, with_dates
from dpviz.analysis.prediction import Predictor
from dpviz.arrays import FloatArray
from dpviz.datasets import Dataset
from dpviz.engine.algorithms.base import ALGORITHMS
from dpviz.engine.improve import canonical_labels
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidDataError, require


def labelled_table(
    table: Dataset | pd.DataFrame, trace: Trace, X: ArrayLike | None = None, *, joined: ArrayLike | None = None
) -> pd.DataFrame:
    """Return the user's own table with the clusters of a run.

    Parameters
    ----------
    table : Dataset or pandas.DataFrame
        As read, with columns that were not clustered, and rows that were left out; of a data frame every row was
        clustered. Its rows are in the order of the run's: it is checked where the columns of the run's data are in the
        table as they are, and trusted where they were scaled or turned, or are not known.
    trace : Trace
    X : array_like (N, D), optional
        What the run clustered; by default what the trace has kept, else the numbers of the table.
    joined : array_like of int (N,), optional
        Fewer clusters that those of the result are joined to (:func:`dpviz.analysis.merging.tree`).

    Returns
    -------
    pandas.DataFrame
        The columns of the table, dates as such, and of a data frame its index; ``cluster``, the labels of the result;
        ``merged``, if they are joined, from 0; ``probability`` of that cluster, or of the joined one, as
        :func:`membership` has it, if the method has densities; and ``note``, why a row was not clustered, if there is
        such a row. Where the table has such a name already, a stroke follows it.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If the run was made from other data, or from these rows in another order.
    """
    check_trace(trace)
    dataset = table if isinstance(table, Dataset) else None
    if isinstance(table, Dataset):
        frame, rows = own_table(table)
    else:
        frame, rows = table.reset_index(drop=True), np.arange(len(table))
    require(len(rows) == trace.n_points, "table", len(rows), f"a table of the {trace.n_points:,} rows of the run")
    values = X if X is not None else trace.X if trace.X is not None else dataset.X if dataset is not None else frame
    _refuse_other_order(frame.iloc[rows], np.asarray(values) if trace.X is None else trace.X)
    columns = {"cluster": trace.result_labels}
    if joined is not None:
        columns["merged"] = canonical_labels(np.asarray(joined, dtype=np.int64))
    found = membership(values, trace, joined)
    frame = frame if dataset is None else with_dates(frame, dataset.units)
    full = beside(frame, rows, columns if found is None else {**columns, "probability": found})
    if isinstance(table, pd.DataFrame):
        full = full.set_axis(table.index)  # which may be what rows are joined by
    notes = np.empty(0) if dataset is None else why_left_out(dataset)
    return full.assign(**{free_name("note", full): notes}) if len(notes) else full


def _refuse_other_order(frame: pd.DataFrame, values: NDArray[Any]) -> None:
    """Raise if every column of the run's data is in a table, and not every one in its order."""
    if values.ndim != 2 or len(values) != len(frame) or values.dtype.kind not in "iuf":
        return
    found: dict[bytes, list[FloatArray]] = {}
    for _, column in frame.select_dtypes("number").items():
        own = column.to_numpy(np.float64, na_value=np.nan)
        found.setdefault(_sorted(own), []).append(own)
    places = [(column, found.get(_sorted(column), [])) for column in np.asarray(values, dtype=np.float64).T]
    same = [any(np.array_equal(column, own, equal_nan=True) for own in like) for column, like in places]
    if all(like for _, like in places) and not all(same):
        raise InvalidDataError(
            "the rows of the table are those of the run in another order, and would get the clusters of others. Sort "
            "them as they were clustered."
        )


def _sorted(column: FloatArray) -> bytes:
    """Return what two columns of the same values have in common, whatever their order."""
    plain = np.where(np.isnan(column), np.nan, column) + 0.0  # one kind of missing, and of zero
    return np.sort(plain).tobytes()


def membership(X: ArrayLike, trace: Trace, joined: ArrayLike | None = None) -> FloatArray | None:
    """Return how probably each row belongs to its cluster.

    That is the probability with which one more row of the same values would join that cluster under the result, as
    ``dpviz predict`` tells it of the data themselves: like the memberships of other mixture models it was fitted to
    the row, too, so that in a cluster of very few rows it is too sure.

    Parameters
    ----------
    X : array_like (N, D)
        The data of the run.
    trace : Trace
    joined : array_like of int (N,), optional
        Fewer clusters that those of the result are joined to, for the sums over their parts.

    Returns
    -------
    ndarray (N,) or None
        NaN for a row with missing cells where the family has no density of the others; None of methods without
        densities.

    Raises
    ------
    InvalidDataError, InvalidParameterError
        If X is not the trace's data, or a joined cluster divides one of the result.
    """
    if not ALGORITHMS[trace.config.algorithm].has_density:
        return None
    predictor = Predictor(X, trace, joined)
    points = predictor.problem.X
    can = np.full(len(points), True) if predictor.admits_gaps else ~np.isnan(points).any(axis=1)
    found, own = np.full(len(points), np.nan), predictor.clusters[can]
    parts, start = [], 0
    for part in predictor.parts(points[can], with_density=False):
        assert part.probabilities is not None
        rows = np.arange(len(part.clusters))
        parts.append(part.probabilities[rows, own[start : start + len(rows)]])
        start += len(rows)
    found[can] = np.concatenate(parts) if parts else []
    return found
