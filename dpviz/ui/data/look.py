"""Look at the chosen data: table, columns, missing cells, pairs of columns, correlations, labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dpviz.analysis.own_table import with_dates
from dpviz.arrays import FloatArray
from dpviz.datasets import Dataset, Display
from dpviz.datasets.limits_of_mixtures import beyond_mixtures
from dpviz.datasets.tables.table import clean_name
from dpviz.figures import data as figures
from dpviz.text import counted, escape_markdown
from dpviz.ui.controls import widgets
from dpviz.ui.controls.charts import chart
from dpviz.ui.controls.data_controls import places_in_words
from dpviz.ui.controls.widgets import segments
from dpviz.ui.session.chosen_data import DataChoice, PreparedData
from dpviz.ui.session.exports import csv_button
from dpviz.ui.session.kept import Kept

ROWS_SHOWN = 1_000
LONGEST_CELL = 500
COLUMNS_DRAWN = 12
_PREPARED, _LOADED, _FILE = "As clustered", "As loaded", "The whole table"


DIGITS, MOST_WRITTEN, FEW_DIGITS = 15, 12, 6
"""Significant digits of numbers: that a double holds, that people write, and of those that are computed."""
GRID = (5, 7)
"""Widths of the two columns of the page, on every way to get data."""


def show_points(prepared: PreparedData) -> None:
    """Show what the data are, and the points on the chosen coordinates."""
    dataset = prepared.dataset
    st.markdown(f"##### {escape_markdown(dataset.title)}")
    size = f"**{counted(dataset.n_points, 'point')} × {counted(dataset.n_features, 'column')}**"
    if dataset.labels is not None:
        size += f" · {counted(len(np.unique(dataset.labels)), 'labelled group')}"
    st.markdown(size)
    chart(figures.points(_display(prepared.choice, prepared), dataset), "data points", has_bar=False)
    _say_sampled(dataset)
    if places := places_in_words(prepared):
        st.caption(escape_markdown(places))
    for limit in beyond_mixtures(dataset):
        st.warning(escape_markdown(limit), icon=":material/warning:")
    if prepared.notes:
        with st.expander(f"Notes: what was assumed, changed or left out ({len(prepared.notes)})"):
            st.markdown("\n".join(f"- {escape_markdown(note)}" for note in prepared.notes))


_displays: Kept[Display] = Kept(100_000_000)


def _display(choice: DataChoice, prepared: PreparedData) -> Display:
    return _displays.get(choice, lambda: prepared.display(prepared.dataset.labels))


def _say_sampled(dataset: Dataset) -> None:
    if dataset.n_points > figures.MOST_POINTS:
        whole = figures.small_groups_in_words(dataset)
        drawn = f"{figures.MOST_POINTS:,} of {dataset.n_points:,} points are drawn"
        words = ", ".join([drawn, "always the same random ones", *([whole] if whole else [])]) + "."
        st.caption(words)


def show_look(prepared: PreparedData) -> None:
    """Show one view of the data at a time; the others are not computed."""
    st.markdown("##### Look closer")
    shown = prepared.dataset
    transformed = prepared.choice.scaling != "none" or prepared.choice.n_components > 0
    views = ["Table", "Columns", "Missing values", "Scatter matrix", "Correlations"]
    views += ["Labels"] if shown.labels is not None else []
    view = segments("View", "data look", views)
    if transformed and view in ("Columns", "Scatter matrix", "Correlations"):
        after = widgets.toggle("After scaling and components", "data look prepared", True)
        shown = prepared.clustered if after else prepared.dataset
    if view == "Table":
        _show_table(prepared)
    elif view == "Columns":
        _show_columns(prepared.choice, shown)
    elif view == "Missing values":
        _show_missing(prepared.dataset)
    elif view == "Scatter matrix":
        _show_scatter_matrix(shown)
    elif view == "Correlations":
        _show_correlations(prepared.choice, shown)
    else:
        chart(figures.label_balance(shown), "data labels", has_bar=False)


def first_rows(frame: pd.DataFrame, rows: int) -> pd.DataFrame:
    """Return the first rows of a loaded table with long texts cut, since all of it goes to the browser."""
    shown = frame.head(rows).copy()
    for name in shown:
        if not pd.api.types.is_numeric_dtype(shown[name].dtype):
            shown[name] = shown[name].map(_cut, na_action="ignore")
    return shown


def digits_of(frame: pd.DataFrame, computed: bool = False) -> dict[str, Any]:
    """Return how numbers of a table are written: with all digits, and those that were computed with a few."""

    def written(values: list[float]) -> Any:
        digits = DIGITS if all(value == float(f"{value:.{MOST_WRITTEN}g}") for value in values) else FEW_DIGITS
        return st.column_config.NumberColumn(format=f"%.{digits}g")

    floats = [name for name in frame if pd.api.types.is_float_dtype(frame[name].dtype)]
    return {str(name): written(frame[name].dropna().tolist() if computed else []) for name in floats}


def _cut(cell: object) -> object:
    """Cut a text; a date is as long as it is."""
    return f"{cell[:LONGEST_CELL]}…" if isinstance(cell, str) and len(cell) > LONGEST_CELL else cell


def clustered_table(prepared: PreparedData) -> pd.DataFrame:
    """Return one table of the clustered numbers and the labels, if any."""
    return _with_labels(prepared.clustered)


def _with_labels(dataset: Dataset, rows: int | None = None) -> pd.DataFrame:
    table = pd.DataFrame(dataset.X[:rows], columns=list(dataset.feature_names))
    if dataset.labels is not None and dataset.label_names is not None:
        name = "label"
        while name in table:
            name = f"true {name}"
        table[name] = np.array(dataset.label_names, dtype=object)[dataset.labels[:rows]]
    return table


def _show_table(prepared: PreparedData) -> None:
    dataset = prepared.dataset
    which = segments("Which table", "data table", [_PREPARED, _LOADED] + ([_FILE] if dataset.frame is not None else []))
    if which == _FILE and dataset.frame is not None:
        dated = with_dates(dataset.frame.head(ROWS_SHOWN), dataset.units)
        table, total = first_rows(dated, ROWS_SHOWN), len(dataset.frame)
    else:
        source = prepared.clustered if which == _PREPARED else dataset
        table, total = _with_labels(source, ROWS_SHOWN), source.n_points
    written = digits_of(table, computed=which != _FILE)
    st.dataframe(table, height=400, key="data table shown", column_config=written)
    says = f"The first {ROWS_SHOWN:,} of {total:,} rows." if total > ROWS_SHOWN else f"All {total:,} rows."
    st.caption(f"{says} “{_FILE}” includes rows and columns that are not clustered." if which == _FILE else says)
    file_name = f"{_file_name(dataset.name)}_clustered.csv"
    csv_button("Download as clustered (CSV)", lambda: clustered_table(prepared), file_name, "data.csv")


def _file_name(name: str) -> str:
    return (
        "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in clean_name(name))[:60] or "data"
    )


@st.cache_resource(max_entries=16, show_spinner="Summarising …")
def _summary(choice: DataChoice, after: bool, _dataset: Dataset) -> pd.DataFrame:
    return figures.column_summary(_dataset)


def _is_original(choice: DataChoice, dataset: Dataset) -> bool:
    return dataset.frame is not None or (choice.scaling == "none" and not choice.n_components)


def _show_columns(choice: DataChoice, dataset: Dataset) -> None:
    summary = _summary(choice, _is_original(choice, dataset), dataset)
    st.dataframe(summary, hide_index=True, height=min(38 + 35 * len(summary), 400), key="data summary")
    if "Missing" in summary:
        st.caption("Missing counts the empty cells of the whole table; the other figures are of the rows kept.")
    names = dataset.feature_names
    drawn = list(names[:COLUMNS_DRAWN])
    if len(names) > COLUMNS_DRAWN:
        drawn = widgets.several(
            "Histograms of", "data columns drawn", names, drawn[:6], max_selections=COLUMNS_DRAWN, select_all=False
        )
    if drawn:
        chart(figures.column_histograms(dataset, drawn), "data histograms", has_bar=False)


def _show_missing(dataset: Dataset) -> None:
    frame = dataset.frame
    if frame is None and dataset.gaps:
        frame = pd.DataFrame(dataset.X, columns=list(dataset.feature_names))
    n_missing = 0 if frame is None else int(frame.isna().sum().sum())
    if frame is None or not n_missing:
        st.info("No cell is missing.", icon=":material/check:")
        return
    n_columns = int(frame.isna().any().sum())
    dropped = len(frame) - dataset.n_points
    left_out = f"{dropped:,} of {len(frame):,} rows were left out, because a clustered column has no value there."
    st.markdown(
        f"**{counted(n_missing, 'cell')} {'is' if n_missing == 1 else 'are'} missing**, in {n_columns:,} of "
        f"{counted(frame.shape[1], 'column')}. "
        + (f"All {len(frame):,} rows are kept." if dataset.gaps and not dropped else left_out)
    )
    if n_columns > figures.MOST_BARS:
        st.caption(f"The {figures.MOST_BARS} emptiest columns are drawn.")
    chart(figures.missing_values(frame), "data missing", has_bar=False)


def _show_scatter_matrix(dataset: Dataset) -> None:
    names = dataset.feature_names
    if len(names) == 1:
        st.info("One column has no pairs; its stacked dots are drawn above.")
        return
    columns = widgets.several(
        "Columns (up to five)", "data pairs", names, names[:4], max_selections=5, select_all=False
    )
    if not columns:
        st.info("Choose the columns to draw.")
        return
    chart(figures.scatter_matrix(dataset, columns), "data matrix", has_bar=False)
    _say_sampled(dataset)


@st.cache_resource(max_entries=16, show_spinner="Correlating …")
def _correlations(choice: DataChoice, after: bool, _dataset: Dataset) -> FloatArray:
    return figures.correlations(_dataset)


def _show_correlations(choice: DataChoice, dataset: Dataset) -> None:
    if dataset.n_features == 1:
        st.info("One column has nothing to correlate with.")
        return
    matrix = _correlations(choice, _is_original(choice, dataset), dataset)
    figure = figures.correlation_heatmap(matrix, dataset.feature_names)
    chart(figure, "data correlations", has_bar=False)
    if dataset.n_features > len(matrix):
        st.caption(f"The first {len(matrix)} of {dataset.n_features:,} columns.")
    if np.isnan(np.diag(matrix)).any():
        st.caption("Columns with one value only have no correlation and stay empty.")
