"""Predicting a whole table: uploaded or pasted, columns matched by name, every cell that is wrong named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.prediction import Prediction
from dpviz.arrays import BoolArray, FloatArray, IntArray
from dpviz.datasets.tables import EXTENSIONS, NewPoints, Table, read_isolated, read_points
from dpviz.datasets.tables.table import counted, listed
from dpviz.engine.explain import NEW
from dpviz.errors import InvalidDataError, MemoryLimitError
from dpviz.text import escape_markdown
from dpviz.ui.data.look import first_rows
from dpviz.ui.data.upload import Upload
from dpviz.ui.predict import gathering
from dpviz.ui.predict.gathering import Gathering
from dpviz.ui.predict.runs import Known
from dpviz.ui.session.exports import csv_button
from dpviz.ui.session.kept import Kept, frame_bytes

PLACE, FILE = "table", "dpviz-predictions.csv"
ROWS_SHOWN, WRONG_SHOWN, WRONG_NAMED = 1_000, 20, 1_000
MOST_PROBABILITIES = 20_000_000
"""Rows × candidates that are kept for a session."""
_UPLOAD, _FILE, _TEXT, _READ = "predict upload", "predict file", "predict pasted", "predict points"
_TABLES: Kept[Table] = Kept(200_000_000, lambda table: frame_bytes(table.frame))
NO_DENSITY = "a value that has a probability under this run"
NO_VALUE = "a cell is no value of its column"
NOTHING_KNOWN = "every column is missing: the partition prior alone decides"


@dataclass(frozen=True, eq=False)
class Asked:
    """A table as the run sees it.

    Attributes
    ----------
    points : NewPoints
    prepared : ndarray (m, C)
        The rows that can be predicted.
    rows : ndarray of int (m,)
        Which rows of the table these are.
    gaps : ndarray of bool (n,)
        Rows with missing cells that cannot be predicted, because this run needs every column.
    """

    points: NewPoints
    prepared: FloatArray
    rows: IntArray
    gaps: BoolArray


def show(known: Known) -> None:
    """Take a table, and show what the run says of its rows."""
    left, right = st.columns(2, gap="large")
    with left:
        st.file_uploader("A file with rows to predict", key=_FILE, on_change=_take_file)
        st.caption(f"Text, Excel, Parquet and NumPy files: {', '.join(EXTENSIONS)}.")
    with right:
        st.text_area("Or paste rows, the names of the columns first", key=_TEXT, height=104, on_change=_take_text)
    names = known.prepared.dataset.feature_names
    st.caption(escape_markdown(f"Columns are found by their names, in any order: {listed(names, 8)}."))
    upload: Upload | None = st.session_state.get(_UPLOAD)
    if upload is None:
        return
    with st.spinner("Reading the table …"):
        asked = _asked(known, upload)
    _say(known, asked)
    if len(asked.rows) == 0:
        st.warning("No row can be predicted.", icon=":material/warning:")
        return
    key = (upload.digest, known.finished.trace)
    if not gathering.is_begun(PLACE, key):
        gathering.start(PLACE, key, _task(known, asked))
    gathering.show(PLACE, key, lambda parts, total, more: _results(known, asked, parts, total, more))


def _take_file() -> None:
    file = st.session_state[_FILE]
    st.session_state[_UPLOAD] = None if file is None else Upload.of(file.name, file.getvalue())


def _take_text() -> None:
    text = st.session_state[_TEXT]
    st.session_state[_UPLOAD] = Upload.of("", text) if text.strip() else None


# --- reading ----------------------------------------------------------------------------------------------------------


def _asked(known: Known, upload: Upload) -> Asked:
    """Read the table, once for as long as it and the run are the same."""
    key = (upload.digest, known.finished.trace)
    held = st.session_state.get(_READ)
    if held is None or held[0] != key:
        table = _TABLES.get(upload.digest, lambda: read_isolated(upload.content, upload.filename, repair=True))
        held = (key, as_seen(known, read_points(table, known.prepared.dataset)), table.repairs)
        st.session_state[_READ] = held
    for repair in held[2]:
        st.caption(escape_markdown(repair))
    asked: Asked = held[1]
    return asked


def as_seen(known: Known, points: NewPoints) -> Asked:
    """Prepare the rows that can be predicted, and find the others.

    Raises
    ------
    InvalidDataError
        If a column is not in the table and the run needs every column.
    MemoryLimitError
        If there are more rows and clusters than a session may keep.
    """
    names = known.prepared.dataset.feature_names
    if points.absent and not known.admits_gaps:
        absent = listed([names[d] for d in points.absent])
        raise InvalidDataError(f"The table lacks {absent}, and this run needs every column. Add them.")
    if len(points.X) * len(known.candidates) > MOST_PROBABILITIES:
        most = MOST_PROBABILITIES // len(known.candidates)
        raise MemoryLimitError(
            f"The table has {len(points.X):,} rows; with {len(known.candidates)} candidates each up to {most:,} are "
            "predicted at a time. Split it."
        )
    if known.prepared.preparation.components is None:  # any number is possible in a component
        points = points.refusing(known.predictor.impossible(known.prepare(points.X), WRONG_NAMED), NO_DENSITY)
    wrong = np.asarray(points.wrong.any(axis=1))
    gaps = np.asarray(np.isnan(points.X).any(axis=1) & ~wrong)
    if known.admits_gaps:
        gaps = np.zeros(len(wrong), dtype=np.bool_)
    rows = np.flatnonzero(~wrong & ~gaps)
    prepared = known.prepare(points.X[rows])
    return Asked(points, known.predictor.check(prepared) if len(rows) else prepared, rows, gaps)


def _say(known: Known, asked: Asked) -> None:
    """Say what was left out or missing, and list the first cells that are wrong."""
    points, names = asked.points, known.prepared.dataset.feature_names
    for note in points.notes:
        st.caption(escape_markdown(note))
    wrong = points.wrong_cells(WRONG_SHOWN)
    if wrong:
        n_rows = int(points.wrong.any(axis=1).sum())
        st.warning(f"Not predicted: {counted(n_rows, 'row')} with cells that are no values of their columns.")
        lines = [
            f"Row {cell.row + 1}, column “{names[cell.column]}”: “{cell.value}” must be {cell.reason}."
            for cell in wrong
        ]
        n_more = int(points.wrong.sum()) - len(wrong)
        st.markdown("\n".join(f"- {escape_markdown(line)}" for line in lines))
        st.caption(f"Rows count from 1, below the names.{f' And {n_more:,} more.' if n_more else ''}")
    n_empty = int((np.isnan(points.X).all(axis=1) & ~points.wrong.any(axis=1)).sum())
    if n_empty and known.admits_gaps:
        st.info(f"{counted(n_empty, 'row')} without any cell: there the partition prior alone decides.")
    if asked.gaps.any():
        title = escape_markdown(known.predictor.problem.algorithm.title)
        n_gaps = int(asked.gaps.sum())
        st.warning(
            f"Not predicted: {counted(n_gaps, 'row')} with missing cells; this run of {title} needs every column."
        )


# --- predicting -------------------------------------------------------------------------------------------------------


def _task(known: Known, asked: Asked) -> Gathering:
    predictor, points = known.predictor, asked.prepared
    n_parts = -(-len(points) // predictor.part_length)
    return Gathering(lambda: predictor.parts(points), n_parts, predictor.estimate(len(points)).operations)


def _results(known: Known, asked: Asked, parts: Sequence[Prediction], total: int, more: bool) -> None:
    """Show the rows predicted so far; all of them can be taken away."""
    found = Prediction.joined(parts)
    n_rows = len(found.clusters)
    if more or len(parts) < total:
        words = "so far" if more else "before it was stopped"
        st.caption(f"{n_rows:,} of {len(asked.rows):,} rows were predicted {words}.")
        if more:
            return
    st.dataframe(_counts(known, found), hide_index=True, width="content")
    _show_first(result_table(known, asked, found, ROWS_SHOWN), len(asked.points.frame.columns))
    length = len(asked.points.frame)
    st.caption(f"The first {ROWS_SHOWN:,} of {length:,} rows." if length > ROWS_SHOWN else f"All {length:,} rows.")
    csv_button(
        "Table with predictions (CSV)",
        lambda: result_table(known, asked, found),
        "dpviz-predictions.csv",
        "predict.csv",
    )
    st.caption(
        "Log densities are in nats, per unit of the table's columns." if found.map_log_density is not None
        else "This method has no probabilities and no density: only the nearest cluster is known."
    )  # fmt: skip


def _show_first(table: pd.DataFrame, n_own: int) -> None:
    """Show predictions before the table's own columns, probabilities of single clusters last."""
    added, own = list(table.columns[n_own:]), list(table.columns[:n_own])
    chances = [name for name in added if name.startswith("p_")]
    shown = first_rows(table[[name for name in added if name not in chances] + own + chances], ROWS_SHOWN)
    shown.index = pd.RangeIndex(1, len(shown) + 1, name="row")
    short = st.column_config.NumberColumn(format="%.4g")
    numbers = {name: short for name in added if pd.api.types.is_float_dtype(table[name].dtype)}
    height = min(38 + 35 * len(shown), 400)
    st.dataframe(shown, height=height, column_config=numbers, key="predict results")


def _counts(known: Known, found: Prediction) -> pd.DataFrame:
    """Rows of each cluster, the largest first."""
    clusters, counts = np.unique(found.clusters, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    names = [known.name(int(clusters[k])) for k in order]
    return pd.DataFrame({"cluster": names, "rows": counts[order]})


def result_table(known: Known, asked: Asked, found: Prediction, most: int | None = None) -> pd.DataFrame:
    """Put predictions beside the rows of the table, all of them.

    Parameters
    ----------
    known : Known
    asked : Asked
    found : Prediction
        Of the first rows that could be predicted.
    most : int, optional
        Rows of the table.

    Returns
    -------
    pandas.DataFrame
        The table's own columns; ``cluster`` (the number that Explore shows, or "new"), its name if it has one,
        ``probability``, a probability for each cluster and a new one, ``log_density`` and ``map_log_density`` per unit
        of the table's columns (nats), and ``note``: why a row was not predicted.
    """
    frame = asked.points.frame.reset_index(drop=True)
    rows = asked.rows[: len(found.clusters)]
    numbers = np.array([*map(str, known.numbers), "new"], dtype=object)
    columns: dict[str, np.ndarray] = {"cluster": numbers[found.clusters]}
    if known.finished.names:
        names = np.array([*map(known.name, range(len(known.numbers))), known.name(NEW)], dtype=object)
        columns["cluster_name"] = names[found.clusters]
    if found.probabilities is not None:
        columns["probability"] = found.probabilities.max(axis=1)
        chances = dict(zip(known.candidates, found.probabilities.T, strict=True))
        for k in sorted(chances, key=lambda k: np.inf if k == NEW else known.numbers[k]):
            columns["p_new" if k == NEW else f"p_{known.numbers[k]}"] = chances[k]
    volume = known.prepared.preparation.log_volume(asked.points.X[rows])
    for name in ("log_density", "map_log_density"):
        values = getattr(found, name)
        if values is not None:
            columns[name] = values + volume
    placed = {_free(name, frame): _placed(values, rows, len(frame)) for name, values in columns.items()}
    placed[_free("note", frame)] = _notes(known, asked, rows)
    return pd.concat([frame, pd.DataFrame(placed)], axis=1).head(len(frame) if most is None else most)


def _placed(values: np.ndarray, rows: IntArray, length: int) -> np.ndarray:
    filled = np.full(length, None if values.dtype == object else np.nan, dtype=values.dtype)
    filled[rows] = values
    return filled


def _notes(known: Known, asked: Asked, predicted: IntArray) -> np.ndarray:
    """Say of every row why it was not predicted, or that it says nothing."""
    points, names = asked.points, known.prepared.dataset.feature_names
    notes = np.full(len(points.frame), "", dtype=object)
    notes[asked.rows] = "not predicted: stopped"
    notes[predicted] = ""
    notes[np.isnan(points.X).all(axis=1)] = NOTHING_KNOWN
    notes[asked.gaps] = "not predicted: missing cells"
    notes[points.wrong.any(axis=1)] = f"not predicted: {NO_VALUE}"
    for cell in reversed(points.wrong_cells(WRONG_NAMED)):
        notes[cell.row] = f"not predicted: “{names[cell.column]}” must be {cell.reason}"
    return notes


def _free(name: str, frame: pd.DataFrame) -> str:
    while name in frame.columns:
        name += "_"
    return name
