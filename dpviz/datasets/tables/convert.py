"""Turn a table into a dataset that can be clustered, with notes on everything that was dropped or changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets.dataset import Dataset
from dpviz.datasets.tables.decision import Decision, decide
from dpviz.datasets.tables.encode import encode
from dpviz.datasets.tables.measures import ORDERS, are_dates
from dpviz.datasets.tables.table import Table, clean_name, listed
from dpviz.errors import InvalidDataError, require_kind, require_text
from dpviz.text import counted

MISSING_LABEL = "(missing)"


def to_dataset(
    table: Table,
    *,
    kinds: Mapping[str, str] | None = None,
    features: Sequence[str] | None = None,
    label: str | None = None,
    name: str | None = None,
    gaps: bool = False,
) -> Dataset:
    """Choose columns of a table, code them as numbers and keep the rows without missing cells, or all.

    Parameters
    ----------
    table : Table
        Result of :func:`read_table`.
    kinds : mapping of str to str, optional
        Corrections of :func:`infer_kinds` for some columns, each one of ``ALL_KINDS``.
    features : sequence of str, optional
        Columns to cluster. When omitted: all but those of ``ROLES`` and, unless rows with missing cells are kept,
        columns with a third or more of their cells missing.
    label : str, optional
        Column with the reference groups. When omitted, the column of kind ``"label"``, if there is one.
    name : str, optional
        Name of the dataset; the table's when omitted.
    gaps : bool
        Keep rows with missing cells, as NaN, rather than leave these rows out.

    Returns
    -------
    Dataset
        Its ``notes`` list every column left out, every row dropped and every value changed; ``frame`` is the table.

    Raises
    ------
    InvalidParameterError
        If a column or kind does not exist, or the choices contradict each other.
    InvalidDataError
        If the chosen columns cannot be clustered as they are.
    """
    require_kind("table", table, Table, "a Table, as read_table returns it")
    return dataset_of(table, decide(table.frame, kinds=kinds, features=features, label=label, gaps=gaps), name)


def _way_out(frame: pd.DataFrame, decision: Decision) -> str:
    """Say what to do where no column is left: choose the order of dates that have two, count words, or else choose."""
    changes = [proposal.change for proposal in decision.proposals if proposal.change is not None]
    dated = next((change for change in changes if change[1] in ORDERS.values()), None)
    if dated is None:
        text = decision.identifiers and not any(map(pd.api.types.is_numeric_dtype, frame.dtypes))
        counts = "Make numbers of the text first, such as a column for each word with how often it occurs, or choose"
        return f"{counts if text else 'Choose'} the columns or kinds by hand."
    return (
        "Choose the order of these dates, the day first or the month: with a click on the Data page, --date-order day "
        f'or month on the command line, or accepted=[("{dated[0]}", "{dated[1]}")].'
    )


def dataset_of(table: Table, decision: Decision, name: str | None = None) -> Dataset:
    """Code the columns that a decision names as numbers, and keep the rows that it keeps.

    Parameters
    ----------
    table : Table
    decision : Decision
        Of the table's frame.
    name : str, optional
        Name of the dataset; the table's when omitted.

    Raises
    ------
    InvalidDataError
        If the chosen columns cannot be clustered as they are.
    """
    require_kind("table", table, Table, "a Table, as read_table returns it")
    require_kind("decision", decision, Decision, "a Decision, as decide returns it")
    require_text("name", name)
    if len(table.frame) < 2:
        raise InvalidDataError(f"The table has {counted(len(table.frame), 'row')}; clustering needs at least 2.")
    features, gaps = dict(decision.features), decision.gaps
    if not features:
        said = " ".join(decision.columns())
        raise InvalidDataError(f"No column is left to cluster. {said} {_way_out(table.frame, decision)}")
    notes = [*table.notes, *decision.columns()]
    encoded = [encode(table.frame[column], kind) for column, kind in features.items()]
    read_in = {column: own.unit for column, own in zip(features, encoded, strict=True) if own.unit}
    notes += [note for column in encoded for note in column.notes]
    notes += _notes_on_codes(features, [column.category_names for column in encoded])
    notes += _notes_on_dates(table.frame, features)
    X = np.column_stack([column.values for column in encoded])
    rows = _rows_with_cells(X, notes) if gaps else _complete_rows(X, list(features), notes)
    X = X if len(rows) == len(X) else X[rows]
    flat = [c for c, values in zip(features, X.T, strict=True) if np.nanmax(values) == np.nanmin(values)]
    if flat:
        notes.append(f"Constant in the rows kept: {listed(flat)}.")
    labels, label_names = _labels(table.frame, decision.label, rows, notes)
    return Dataset(
        X=X,
        name=clean_name(name or "") or table.name,
        labels=labels,
        label_names=label_names,
        feature_names=tuple(features),
        kinds=tuple(features.values()),
        guessed=tuple(column for column in features if column not in decision.named),
        category_names=tuple(column.category_names for column in encoded),
        notes=tuple(notes),
        frame=table.frame,
        rows=rows,
        gaps=gaps,
        reading=table.reading,
        units=(*(pair for pair in table.units if pair[0] not in read_in), *read_in.items()),
        emptied=table.emptied,
    )


def _notes_on_codes(features: dict[str, str], category_names: list[tuple[str, ...]]) -> list[str]:
    """Note which categories became codes, grouping columns with the same categories."""
    coded: dict[tuple[str, ...], list[str]] = {}
    for (column, kind), names in zip(features.items(), category_names, strict=True):
        if kind != "ordinal" and names != tuple(map(str, range(len(names)))):
            coded.setdefault(names, []).append(column)
    return [f"Coded as 0, 1, … were {listed(names)} in {listed(columns)}." for names, columns in coded.items()]


def _notes_on_dates(frame: pd.DataFrame, features: dict[str, str]) -> list[str]:
    """Note which columns of numbers are dates without strokes: the turn of a year lies 8,870 apart in them."""
    measured = [column for column, kind in features.items() if kind in ("continuous", "duration", "count")]
    found = [
        column
        for column in measured
        if pd.api.types.is_numeric_dtype(frame[column].dtype)
        and are_dates(frame[column].to_numpy(np.float64, na_value=np.nan))
    ]
    if not found:
        return []
    return [
        f"Dates written as 20230131 count as plain numbers, of which two days may be 8,870 apart: {listed(found)}. "
        "Write them as 2023-01-31 to have days, or leave them out."
    ]


def _rows_with_cells(X: FloatArray, notes: list[str]) -> IntArray:
    """Return the rows that have a cell to cluster by; to the others every cluster of one size is alike."""
    missing = np.isnan(X)
    empty = missing.all(axis=1)
    n_empty, n_rows = int(empty.sum()), int(missing.any(axis=1).sum())
    if n_empty:
        are = "is" if n_empty == 1 else "are"
        notes.append(f"{counted(n_empty, 'row')} without a value in any clustered column {are} left out of {len(X):,}.")
    if n_rows > n_empty:
        cells = counted(int(missing[~empty].sum()), "missing cell")
        notes.append(f"{cells} in {n_rows - n_empty:,} of {len(X) - n_empty:,} rows, which are kept.")
    rows = np.flatnonzero(~empty)
    if len(rows) < 2:
        raise InvalidDataError(f"{notes[-1]} Clustering needs at least 2 rows with values.")
    return rows.astype(np.int64)


def _complete_rows(X: FloatArray, names: list[str], notes: list[str]) -> IntArray:
    missing = np.isnan(X)
    rows = np.flatnonzero(~missing.any(axis=1))
    dropped = len(X) - len(rows)
    if dropped:
        per_column = {name: int(number) for name, number in zip(names, missing.sum(axis=0), strict=True) if number}
        worst = sorted(per_column, key=lambda name: -per_column[name])
        cells = ", ".join(f"“{name}” {per_column[name]:,}" for name in worst[:10])
        more = f" and {counted(len(worst) - 10, 'more column')}" if len(worst) > 10 else ""
        notes.append(f"{counted(dropped, 'row')} with missing cells dropped of {len(X):,} (missing in {cells}{more}).")
    if len(rows) < 2:
        reason = notes[-1] + " Leave out the columns with many missing cells." if dropped else "Add rows."
        raise InvalidDataError(
            f"There {'is' if len(rows) == 1 else 'are'} {counted(len(rows), 'complete row')}; "
            f"clustering needs at least 2. {reason}"
        )
    return rows.astype(np.int64)


def _labels(
    frame: pd.DataFrame, label: str | None, rows: IntArray, notes: list[str]
) -> tuple[IntArray | None, tuple[str, ...] | None]:
    if label is None:
        return None, None
    column = frame[label].iloc[rows]
    codes, names = pd.factorize(column, sort=True)
    texts = [_label_text(value) for value in names]
    if len(texts) == len(rows):
        raise InvalidDataError(
            f"Every row has its own value in the label column “{label}”, so it names rows, not groups. Choose another "
            "column as the label, or none."
        )
    absent = codes < 0
    if absent.any():
        codes = np.where(absent, len(texts), codes)
        texts.append(MISSING_LABEL)
        n_absent = int(absent.sum())
        notes.append(
            f"{counted(n_absent, 'row')} without a label form{'s' * (n_absent == 1)} the group “{MISSING_LABEL}”."
        )
    return codes.astype(np.int64), tuple(texts)


def _label_text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else clean_name(str(value))
