"""The columns of a loaded table: what is decided about them, edited by hand, and the data that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dpviz.analysis.own_table import with_dates
from dpviz.arrays import Strings
from dpviz.datasets import Dataset
from dpviz.datasets.tables import Decision, Table, dataset_of, decide
from dpviz.datasets.tables.kinds import infer_kind
from dpviz.datasets.tables.other_kinds import other_kinds
from dpviz.datasets.views import SPREAD
from dpviz.errors import InvalidDataError
from dpviz.ui.controls.both_answers import begun_with

EDITED = ["Kind", "Cluster", "Label"]
"""What can be edited of a column."""
DESCRIPTION = "Description"
IN_SIGHT = 8
"""Columns that are listed in the order of the table: of more, those that may be of other kinds come first."""


@dataclass(frozen=True, eq=False)
class LoadedTable:
    """A table with guesses about its columns.

    Attributes
    ----------
    table : Table
    columns : DataFrame
        One row per column of the table, as :func:`describe_columns` lists them.
    without_gaps : DataFrame, optional
        The same if rows with missing cells are left out; None if there are none.
    """

    table: Table
    columns: pd.DataFrame
    without_gaps: pd.DataFrame | None = None

    @classmethod
    def of(cls, table: Table) -> LoadedTable:
        """List what is decided about the columns of a table."""
        decision = decide(table.frame)
        columns = describe_columns(table, decision)
        if not decision.has_gaps:
            return cls(table, columns)
        left = dict(decide(table.frame, gaps=False).features)  # what is clustered is all that differs
        return cls(table, columns, columns.assign(Cluster=columns["Column"].isin(left)))

    def guessed(self, gaps: bool) -> pd.DataFrame:
        """Return the list of columns as decided with or without rows that have missing cells."""
        return self.columns if gaps or self.without_gaps is None else self.without_gaps


@dataclass(frozen=True, eq=False)
class Converted:
    """A table as it is to be clustered.

    Attributes
    ----------
    decision : Decision
    dataset : Dataset
    begun : mapping of str to Any
        Fields of the choice of these data that leave more to the data than others do.
    """

    decision: Decision
    dataset: Dataset
    begun: Mapping[str, Any]

    def lines(self) -> Strings:
        """Say all that is decided, and how columns are scaled where some may be transformed."""
        divided = "transform" in self.begun and self.decision.scaling != "none"
        return (replace(self.decision, scaling=SPREAD) if divided else self.decision).lines()


def describe_columns(table: Table, decision: Decision) -> pd.DataFrame:
    """List the columns of a table with what is decided about them.

    Returns
    -------
    DataFrame
        One row per column: Column, Kind, Or (kinds that it could have as well), Cluster, Label, Missing, Distinct,
        Examples, and, if a row of headings describes some, Description. Of many, those that leave a choice are first.
    """
    frame, features = table.frame, dict(decision.features)
    missing = frame.isna().sum()
    rows = []
    for name, kind in decision.kinds:
        shown = infer_kind(frame[name], may_be_role=False) if kind == "label" else kind
        first = np.flatnonzero(frame[name].notna())[:3]
        cells = with_dates(frame[[name]].iloc[first], table.units)[name]
        examples = ", ".join(f"{value:.15g}" if isinstance(value, float) else str(value)[:60] for value in cells)
        rows.append(
            (
                name,
                shown,
                ", ".join(other_kinds(frame[name], shown)),
                name in features,
                name == decision.label,
                int(missing[name]),
                int(frame[name].nunique()),
                examples[:60],
            )
        )
    listed = pd.DataFrame(rows, columns=["Column", "Kind", "Or", "Cluster", "Label", "Missing", "Distinct", "Examples"])
    if len(listed) > IN_SIGHT:
        listed = listed.sort_values("Or", key=lambda kinds: kinds == "", kind="stable", ignore_index=True)
    if not table.descriptions:
        return listed
    return listed.assign(**{DESCRIPTION: listed["Column"].map(dict(table.descriptions)).fillna("")})


def carried(guessed: pd.DataFrame, before: pd.DataFrame, edited: pd.DataFrame) -> pd.DataFrame:
    """Return guesses with what was edited by hand in other guesses, for all columns of the same names.

    Parameters
    ----------
    guessed : DataFrame
        As :func:`describe_columns` returns it, for a table that is read in another way.
    before, edited : DataFrame
        Such guesses, and what was made of them by hand.
    """
    by_hand = (edited[EDITED] != before[EDITED]).set_axis(before["Column"], axis=0)
    changed = by_hand.reindex(guessed["Column"], fill_value=False).to_numpy(dtype=bool)
    values = edited.set_index("Column")[EDITED].reindex(guessed["Column"]).to_numpy(dtype=object)
    cells = np.where(changed, values, guessed[EDITED].to_numpy(dtype=object))
    made = guessed.copy()
    made[EDITED] = pd.DataFrame(cells, index=guessed.index, columns=EDITED).astype(guessed[EDITED].dtypes)
    return made


def decision_from(loaded: LoadedTable, columns: pd.DataFrame, gaps: bool = False) -> Decision:
    """Decide by an edited list of columns.

    Parameters
    ----------
    loaded : LoadedTable
    columns : DataFrame
        ``loaded.guessed(gaps)`` as edited by hand.
    gaps : bool
        Whether rows with missing cells are kept.

    Raises
    ------
    DpvizError
        If the choices contradict each other.
    """
    guessed, frame = loaded.guessed(gaps), loaded.table.frame
    if columns[EDITED].equals(guessed[EDITED]):
        return decide(frame, gaps=gaps)
    ticked = set(columns["Column"][columns["Cluster"]])
    features = [name for name in frame.columns if name in ticked]  # in its order, not in that of the list
    labels = columns["Column"][columns["Label"]].tolist()
    if not features:
        raise InvalidDataError("No column is ticked under Cluster. Tick at least one.")
    if len(labels) > 1:
        raise InvalidDataError(f"{len(labels)} columns are ticked as Label ({', '.join(labels)}). Keep one of them.")
    if labels and labels[0] in features:
        raise InvalidDataError(f"“{labels[0]}” is ticked as Label and to be clustered. Untick one of the two.")
    edited = columns["Kind"] != guessed["Kind"]
    kinds = dict(zip(columns["Column"][edited], columns["Kind"][edited], strict=True))
    if not labels:  # a column that was guessed to be the label no longer is
        kinds |= dict.fromkeys(set(guessed["Column"][guessed["Label"]]) - set(features), "identifier")
    return decide(frame, kinds=kinds, features=features, label=labels[0] if labels else None, gaps=gaps)


def converted(loaded: LoadedTable, columns: pd.DataFrame, gaps: bool = False) -> Converted:
    """Decide by an edited list of columns, and make the dataset.

    Raises
    ------
    DpvizError
        If the chosen columns cannot be clustered.
    """
    decision = decision_from(loaded, columns, gaps)
    dataset = dataset_of(loaded.table, decision)
    said = {decision.label, *dataset.feature_names, *(name for _, names in decision.left_out for name in names)}
    unused = [name for name in loaded.table.frame.columns if name not in said]
    if unused:
        more = f" and {len(unused) - 10:,} more" if unused[10:] else ""
        note = f"Not clustered: {', '.join(f'“{name}”' for name in unused[:10])}{more}."
        dataset = replace(dataset, notes=(*dataset.notes, note))
    pa.default_memory_pool().release_unused()
    return Converted(decision, dataset, begun_with(dataset, decision.scaling))


def dataset_from(loaded: LoadedTable, columns: pd.DataFrame, gaps: bool = False) -> Dataset:
    """Make the dataset from an edited list of columns; as :func:`converted`."""
    return converted(loaded, columns, gaps).dataset
