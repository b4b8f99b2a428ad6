"""Predicting a whole table: uploaded or pasted, columns matched by name, every invalid cell reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.predicted_table import WHY_OFF, Seen, predicted_table, see
from dpviz.analysis.prediction import Prediction
from dpviz.datasets.tables import NewPoints, Table, read_like
from dpviz.datasets.tables.table import listed, news
from dpviz.engine.candidates import NEW
from dpviz.errors import MemoryLimitError
from dpviz.text import counted, escape_markdown
from dpviz.ui.data.look import first_rows
from dpviz.ui.data.sources import errors_shown
from dpviz.ui.data.upload import Upload, asked_reading, file_field, note_sheets, reading_controls, taken, text_field
from dpviz.ui.predict import gathering
from dpviz.ui.predict.runs import Known
from dpviz.ui.session.exports import csv_button
from dpviz.ui.session.kept import Kept
from dpviz.ui.session.uploads import read

PLACE, FILE = "table", "dpviz-predictions.csv"
ROWS_SHOWN, WRONG_SHOWN = 1_000, 20
MOST_PROBABILITIES = 20_000_000
"""Most rows × candidates that a session keeps."""
_PLACE, _READ = "predict", "predict points"
_TABLES: Kept[Table] = Kept(200_000_000)


def show(known: Known) -> None:
    """Load a table, and show the run's predictions for its rows."""
    left, right = st.columns(2, gap="large")
    with left:
        file_field("A file with rows to predict", _PLACE)
    with right:
        text_field("Or paste rows, the names of the columns first", _PLACE)
    names = known.prepared.dataset.feature_names
    st.caption(escape_markdown(f"Columns are found by their names, in any order: {listed(names, 8)}."))
    upload = taken(_PLACE)
    if upload is None:
        return
    asked = _asked(known, upload)
    if asked is None:
        return
    _say(known, asked)
    if len(asked.rows) == 0:
        st.warning("No row can be predicted.", icon=":material/warning:")
        return
    key = (upload.digest, tuple(asked_reading(upload).items()), known.finished.trace, known.finished.scale)
    predictor, points = known.predictor, asked.prepared
    n_parts, expected = -(-len(points) // predictor.part_length), predictor.estimate(len(points))
    predicted = gathering.asked(PLACE, key, lambda: predictor.parts(points), n_parts, expected, unasked=True)
    gathering.show(predicted, n_parts, lambda parts, total, more: _results(known, asked, parts, total, more))


# --- reading ----------------------------------------------------------------------------------------------------------


def _asked(known: Known, upload: Upload) -> Seen | None:
    """Read the table, once per table, run and way of reading, and offer other ways; None if it cannot be read so."""
    reading = asked_reading(upload)
    key = (upload.digest, reading, known.finished.trace)
    held = st.session_state.get(_READ)
    if held is None or held[0] != key:
        held, read_so = None, list[Table]()

        def as_text_with(decimal: str | None) -> Table:
            read_so.append(_read(upload, reading, decimal))
            return read_so[-1]

        with errors_shown(), st.spinner("Reading the table …"):
            table, points = read_like(known.prepared.dataset, as_text_with)
            held = st.session_state[_READ] = (key, as_seen(known, points), table)
        if held is None:
            if read_so:  # only its columns do not fit: those of another sheet may
                note_sheets(read_so[0], upload, reading)
            reading_controls(upload, *read_so[:1])
            return None
    table = held[2]
    note_sheets(table, upload, reading)
    reading_controls(upload, table)
    for note in news(table.notes):
        st.caption(escape_markdown(note))
    asked: Seen = held[1]
    return asked


def _read(upload: Upload, reading: Mapping[str, Any], decimal: str | None) -> Table:
    """Read the rows as the reader wants, and with this decimal mark if nothing is said of that."""
    options = {"decimal": decimal, **reading} if decimal else dict(reading)
    return _TABLES.get(
        (upload.digest, *options.items()), lambda: read(upload.held, upload.filename, repair=True, **options)
    )


def as_seen(known: Known, points: NewPoints) -> Seen:
    """Prepare the rows that can be predicted, and list the others.

    Raises
    ------
    InvalidDataError
        If a column is not in the table and the run needs every column.
    MemoryLimitError
        If a session may not keep so many rows and clusters.
    """
    if len(points.X) * len(known.candidates) > MOST_PROBABILITIES:
        most = MOST_PROBABILITIES // len(known.candidates)
        raise MemoryLimitError(
            f"The table has {len(points.X):,} rows; with {counted(len(known.candidates), 'candidate')} each up to "
            f"{most:,} are predicted at a time. Split it."
        )
    return see(known.predictor, points, known.prepared.dataset, known.prepared.preparation)


def _say(known: Known, asked: Seen) -> None:
    """Report left-out rows and missing cells, and list the first invalid cells."""
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
    if off := asked.off_lines(WRONG_SHOWN):
        n_rows = int(asked.off.any(axis=1).sum())
        st.warning(f"Not predicted: {counted(n_rows, 'row')} off the directions of the data. {WHY_OFF}")
        st.markdown("\n".join(f"- {escape_markdown(line[0].upper() + line[1:])}." for line in off))
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


def _results(known: Known, asked: Seen, parts: Sequence[Prediction], total: int, more: bool) -> None:
    """Show the rows predicted so far; all of them can be downloaded."""
    found = Prediction.joined(parts)
    n_rows = len(found.clusters)
    if more or len(parts) < total:
        words = "so far" if more else "before it was stopped"
        st.caption(f"{n_rows:,} of {len(asked.rows):,} rows were predicted {words}.")
        if more:
            return
    st.dataframe(_counts(known, found), hide_index=True, width="content")
    _show_first(result_table(known, asked, found), len(asked.points.frame.columns))
    length = len(asked.points.frame)
    st.caption(f"The first {ROWS_SHOWN:,} of {length:,} rows." if length > ROWS_SHOWN else f"All {length:,} rows.")
    csv_button("Table with predictions (CSV)", lambda: result_table(known, asked, found), FILE, "predict.csv")
    st.caption(
        f"Log densities are in nats, per unit {known.prepared.preparation.unit}."
        if found.map_log_density is not None
        else "This method has no probabilities and no density: only the nearest cluster is known."
    )


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


def result_table(known: Known, asked: Seen, found: Prediction) -> pd.DataFrame:
    """Return the predictions with the rows of the table; clusters have the numbers and names that Explore shows."""
    everything = [*range(len(known.numbers)), NEW]
    names = [known.name(k) for k in everything] if known.finished.names else []
    return predicted_table(asked, found, known.numbers, names)
