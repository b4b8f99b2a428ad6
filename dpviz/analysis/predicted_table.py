"""Prediction for the rows of a table: which rows are possible, and the table with a run's predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpviz.analysis.own_table import beside, free_name, with_dates
from dpviz.analysis.prediction import Prediction, Predictor
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.datasets import Dataset
from dpviz.datasets.preparation import Preparation
from dpviz.datasets.tables import NewPoints
from dpviz.datasets.tables.cell_values import moment_of
from dpviz.datasets.tables.points import CODED
from dpviz.datasets.tables.table import DAYS, listed
from dpviz.engine.candidates import NEW
from dpviz.errors import InvalidDataError

WRONG_NAMED = 1_000
"""Most invalid cells of the family that are listed row by row."""
NO_DENSITY = "a value that has a probability under this run"
NO_VALUE = "a cell is no value of its column"
UNSEEN = "a value that a clustered row has"
OFF = "lead off the directions in which the data vary"
WHY_OFF = (
    "Such a row has no density: a column of the data is "
    "constant, or follows from others, or there are fewer rows than columns."
)
NEW_NAME = "a new cluster"
NOTHING_KNOWN = "every column is missing: the partition prior alone decides"


@dataclass(frozen=True, eq=False)
class Seen:
    """A table prepared for a run.

    Attributes
    ----------
    points : NewPoints
    names : tuple of str
        Of the columns of the data.
    preparation : Preparation
        Names of the columns of the run's data.
    prepared : ndarray (m, C)
        The rows that can be predicted, prepared.
    rows : ndarray of int (m,)
        Which rows of the table these are.
    gaps : ndarray of bool (n,)
        Rows with missing cells that cannot be predicted, because the run needs every column.
    off : ndarray of bool (n, D)
        Cells that take their rows off the directions in which the data vary, of a run along directions: no one of
        several that hang together is to blame.
    """

    points: NewPoints
    names: tuple[str, ...]
    preparation: Preparation
    prepared: FloatArray
    rows: IntArray
    gaps: BoolArray
    off: BoolArray

    def off_lines(self, most: int) -> list[str]:
        """Say of the first rows that lead off the directions of the data in which columns they do."""
        rows = np.flatnonzero(self.off.any(axis=1))
        said = [f"row {row + 1}: {listed(self._names_off(row))} {OFF}" for row in rows[:most]]
        more = [f"and {len(rows) - most:,} more such rows"] if len(rows) > most else []
        return [*said, *more]

    def _names_off(self, row: int) -> list[str]:
        return [self.names[column] for column in np.flatnonzero(self.off[row])]


def admits_gaps(predictor: Predictor, preparation: Preparation) -> bool:
    """Whether cells of points may be missing: an incomplete row has no known component."""
    return predictor.admits_gaps and preparation.by_column


def see(predictor: Predictor, points: NewPoints, dataset: Dataset, preparation: Preparation) -> Seen:
    """Prepare the rows of a table that can be predicted, and list the others.

    Parameters
    ----------
    predictor : Predictor
    points : NewPoints
        Result of :func:`dpviz.datasets.tables.read_points`.
    dataset : Dataset
        The data of the run before they were prepared.
    preparation : Preparation

    Raises
    ------
    InvalidDataError
        If a column is not in the table and the run needs every column.
    """
    has_gaps = admits_gaps(predictor, preparation)
    if points.absent and not has_gaps:
        absent = listed([dataset.feature_names[d] for d in points.absent])
        raise InvalidDataError(f"The table lacks {absent}, and this run needs every column. Add them.")
    cells, off = refused(predictor, preparation, points.X)
    points = points.refusing(cells, required(predictor, preparation, dataset))
    if not predictor.problem.algorithm.uses_model:
        points = points.refusing(unseen(points.X, dataset), [UNSEEN] * dataset.n_features)
    wrong = np.asarray(points.wrong.any(axis=1))
    gaps = np.asarray(np.isnan(points.X).any(axis=1) & ~wrong)
    if has_gaps:
        gaps = np.zeros(len(wrong), dtype=np.bool_)
    rows = np.flatnonzero(~wrong & ~gaps & ~off.any(axis=1))
    prepared = preparation.apply(points.X[rows])
    checked = predictor.check(prepared) if len(rows) else prepared
    return Seen(points, dataset.feature_names, preparation, checked, rows, gaps, off)


def refused(predictor: Predictor, preparation: Preparation, X: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Return which cells of further rows have no density under a run.

    Parameters
    ----------
    predictor : Predictor
    preparation : Preparation
    X : ndarray (n, D)
        In the table's units; NaN where a cell is missing.

    Returns
    -------
    cells : ndarray of bool (n, D)
        Numbers that have none by themselves, and one of shares that have none together; :func:`required` says what
        they must be.
    off : ndarray of bool (n, D)
        Numbers that have none together, as :attr:`Seen.off`, in rows without others.
    """
    cells, off, prepared = np.zeros(X.shape, np.bool_), np.zeros(X.shape, np.bool_), preparation.apply(X)
    powers = predictor.problem.powers
    if predictor.problem.directions is None:
        if preparation.by_column:  # any number is possible in a component
            cells = predictor.impossible(prepared, WRONG_NAMED)
        return cells if powers is None else powers.one_of_shares(cells, prepared), off
    if powers is not None:
        cells = powers.one_of_shares(powers.outside(prepared), prepared)
    whole = ~(np.isnan(X) | cells).any(axis=1)
    found = predictor.impossible(prepared[whole])
    off[whole] = found if preparation.by_column else found.any(axis=1, keepdims=True)
    return cells, off


def required(predictor: Predictor, preparation: Preparation, dataset: Dataset) -> tuple[str, ...]:
    """Return what a number of each column must be to have a density under a run, in the table's units."""
    powers = predictor.problem.powers
    if powers is None or not preparation.by_column:
        return (NO_DENSITY,) * dataset.n_features
    units, words = dict(dataset.units), []
    columns = zip(dataset.feature_names, powers.exponents, preparation.centre, powers.wholes, strict=True)
    for name, exponent, bound, whole in columns:
        if whole:
            words.append(f"above 0 like all shares of its row, which leave some of {whole:g}")
            continue
        date = moment_of(float(bound)) if units.get(name) == DAYS else None
        least = f"above {bound:.15g}" if date is None else f"after {date}"
        taken = "its logarithm" if exponent == 0 else f"its power {exponent:.15g}".replace("-", "−")
        from_there = "" if bound == 0 else ", counted from there"
        words.append(NO_DENSITY if exponent == 1 else f"{least}: the run takes {taken}{from_there}")
    return tuple(words)


def unseen(points: FloatArray, dataset: Dataset) -> BoolArray:
    """Return which cells of points (n, D) are categories that no row of the data has.

    A family's prior knows them; between rows of the data and such a one there is no distance that the data tell of.
    """
    found = np.zeros(points.shape, dtype=np.bool_)
    for d, kind in enumerate(dataset.kinds):
        if kind in CODED:
            found[:, d] = ~np.isnan(points[:, d]) & ~np.isin(points[:, d], dataset.X[:, d])
    return found


def predicted_table(
    seen: Seen,
    found: Prediction,
    numbers: Sequence[int] = (),
    cluster_names: Sequence[str] = (),
    called: str = "cluster",
) -> pd.DataFrame:
    """Return all rows of the table with their predictions.

    Parameters
    ----------
    seen : Seen
    found : Prediction
        Prediction of the first valid rows.
    numbers : sequence of int, optional
        Numbers of the clusters; their labels in the run's result by default.
    cluster_names : sequence of str, optional
        Further names, and last that of a new cluster.
    called : str
        Name of the column with the clusters: a run's own, or what these were joined to.

    Returns
    -------
    pandas.DataFrame
        The table's own columns; ``called`` (its number, or "new"), ``cluster_name`` if there are names,
        ``probability``, a probability for each cluster and a new one, ``log_density`` and ``map_log_density`` per unit
        of the table's columns (nats), and ``note``: why a row was not predicted.
    """
    frame = with_dates(seen.points.frame.reset_index(drop=True), seen.points.units)
    rows, named = seen.rows[: len(found.clusters)], [int(number) for number in (numbers or found.labels)]
    columns: dict[str, NDArray[Any]] = {called: np.array([*map(str, named), "new"], dtype=object)[found.clusters]}
    if cluster_names:
        columns["cluster_name"] = np.array(cluster_names, dtype=object)[found.clusters]
    if found.probabilities is not None:
        columns["probability"] = found.probabilities.max(axis=1)
        columns |= {f"p_{named[k]}": found.probabilities[:, k] for k in np.argsort(named)}
        if found.opens_clusters:
            columns["p_new"] = found.probabilities[:, NEW]
    volume = seen.preparation.log_volume(seen.points.X[rows])
    for name in ("log_density", "map_log_density"):
        if getattr(found, name) is not None:
            columns[name] = getattr(found, name) + volume
    full = beside(frame, rows, columns)
    return full.assign(**{free_name("note", full): _notes(seen, rows)})


def _notes(seen: Seen, predicted: IntArray) -> np.ndarray:
    """Return a note for every row that was not predicted, or has no cells."""
    points = seen.points
    notes = np.full(len(points.frame), "", dtype=object)
    notes[seen.rows] = "not predicted: stopped"
    notes[predicted] = ""
    notes[np.isnan(points.X).all(axis=1)] = NOTHING_KNOWN
    notes[seen.gaps] = "not predicted: missing cells"
    notes[seen.off.any(axis=1)] = f"not predicted: its values {OFF}"
    notes[points.wrong.any(axis=1)] = f"not predicted: {NO_VALUE}"
    for cell in reversed(points.wrong_cells(WRONG_NAMED)):
        notes[cell.row] = f"not predicted: “{seen.names[cell.column]}” must be {cell.reason}"
    return notes
