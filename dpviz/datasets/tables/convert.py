"""Turn a table into a dataset that can be clustered, with notes on everything that was dropped or changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets.dataset import KINDS, Dataset
from dpviz.datasets.tables.encode import encode
from dpviz.datasets.tables.kinds import ALL_KINDS, MAX_CATEGORIES, ROLES, infer_kind, infer_kinds
from dpviz.datasets.tables.table import Table, clean_name, counted, listed
from dpviz.errors import InvalidDataError, require

MISSING_LABEL = "(missing)"
_GAPS, _MOST_GAPS = 1 / 3, 1 / 2


@dataclass(frozen=True)
class _Choice:
    features: dict[str, str]
    label: str | None
    notes: list[str]


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
        Columns to cluster. When omitted: all but identifiers, constants, the label and, unless rows with missing cells
        are kept, columns with a third or more of their cells missing.
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
    if len(table.frame) < 2:
        raise InvalidDataError(f"The table has {counted(len(table.frame), 'row')}; clustering needs at least 2.")
    choice = _choose(table.frame, dict(kinds or {}), features, label, gaps)
    notes = [*table.notes, *choice.notes]
    encoded = [encode(table.frame[column], kind) for column, kind in choice.features.items()]
    notes += [note for column in encoded for note in column.notes]
    notes += _notes_on_codes(choice.features, [column.category_names for column in encoded])
    X = np.column_stack([column.values for column in encoded])
    rows = _all_rows(X, notes) if gaps else _complete_rows(X, list(choice.features), notes)
    X = X if len(rows) == len(X) else X[rows]
    flat = [c for c, values in zip(choice.features, X.T, strict=True) if np.nanmax(values) == np.nanmin(values)]
    if flat:
        notes.append(f"Constant in the rows kept: {listed(flat)}.")
    labels, label_names = _labels(table.frame, choice.label, rows, notes)
    return Dataset(
        X=X,
        name=clean_name(name or "") or table.name,
        labels=labels,
        label_names=label_names,
        feature_names=tuple(choice.features),
        kinds=tuple(choice.features.values()),
        category_names=tuple(column.category_names for column in encoded),
        notes=tuple(notes),
        frame=table.frame,
        rows=rows,
        gaps=gaps,
        reading=table.reading,
    )


def _choose(
    frame: pd.DataFrame, corrections: dict[str, str], features: Sequence[str] | None, label: str | None, gaps: bool
) -> _Choice:
    known = list(frame.columns)
    for parameter, names in (("kinds", corrections), ("features", features or ()), ("label", [label] if label else ())):
        for column in names:
            require(column in known, parameter, column, f"a column of the table ({listed(known)})")
    for column, kind in corrections.items():
        require(kind in ALL_KINDS, f"kinds[{column!r}]", kind, f"one of {', '.join(ALL_KINDS)}")
    kinds = infer_kinds(frame) | corrections
    by_hand = [column for column, kind in corrections.items() if kind == "label" and column != label]
    require(len(by_hand) + bool(label) < 2, "kinds", by_hand, "such that one column at most is the label")
    chosen = label or next(iter(by_hand), None)
    if chosen is None:
        chosen = next((c for c, kind in kinds.items() if kind == "label" and c not in (features or ())), None)
    if features is not None:
        return _chosen_by_hand(frame, corrections, kinds, list(features), chosen)
    return _chosen_by_kind(frame, corrections, kinds, chosen, gaps)


def _chosen_by_hand(
    frame: pd.DataFrame, corrections: dict[str, str], kinds: dict[str, str], features: list[str], label: str | None
) -> _Choice:
    require(bool(features), "features", features, "at least one column")
    require(len(set(features)) == len(features), "features", features, "different columns")
    require(label not in features, "label", label, "a column that is not clustered too")
    chosen: dict[str, str] = {}
    for column in features:
        role = corrections.get(column, "")
        require(role not in ROLES, f"kinds[{column!r}]", role, f"one of {', '.join(KINDS)} to be clustered")
        kind = kinds[column]
        chosen[column] = infer_kind(frame[column], may_be_role=False) if kind in ROLES else kind
    return _Choice(chosen, label, [])


def _chosen_by_kind(
    frame: pd.DataFrame, corrections: dict[str, str], kinds: dict[str, str], label: str | None, gaps: bool
) -> _Choice:
    empty = frame.isna().all()
    gappy = set() if gaps else columns_with_gaps(frame, kinds) - set(corrections)
    features: dict[str, str] = {}
    left_out: dict[str, list[str]] = {}
    for column, kind in kinds.items():
        if column == label:
            continue
        if empty[column]:
            left_out.setdefault("they have no values", []).append(column)
        elif kind in ROLES:
            left_out.setdefault(_reason(frame[column], kind), []).append(column)
        elif column in gappy:
            left_out.setdefault("a third or more of their cells are missing", []).append(column)
        else:
            features[column] = kind
    notes = [f"Left out because {reason}: {listed(columns)}." for reason, columns in left_out.items()]
    if label is not None:
        notes.append(f"“{label}” is kept as the reference label and not clustered.")
    if not features:
        raise InvalidDataError(f"No column is left to cluster. {' '.join(notes)} Choose the columns or kinds by hand.")
    return _Choice(features, label, notes)


def columns_with_gaps(frame: pd.DataFrame, kinds: Mapping[str, str]) -> set[str]:
    """Return the columns to leave out, since clustering them would drop too many rows.

    Parameters
    ----------
    frame : pandas.DataFrame
    kinds : mapping of str to str
        Kind of every column.

    Returns
    -------
    set of str
        Columns with a third or more of their cells missing; if no other can be clustered, with more than half missing.
    """
    missing = frame.isna().mean()
    candidates = {column for column, kind in kinds.items() if kind not in ROLES}
    gappy = {column for column in candidates if missing[column] >= _GAPS}
    return gappy if candidates - gappy else {column for column in gappy if missing[column] > _MOST_GAPS}


def _reason(column: pd.Series, role: str) -> str:
    if role == "identifier":
        if not pd.api.types.is_numeric_dtype(column.dtype):
            few = column.nunique() <= MAX_CATEGORIES and column.nunique() <= column.count() // 2
            return "they are codes of places" if few else "they hold text with many different values"
        recurs = column.nunique() <= 0.9 * column.count()
        return "they are numbers that name somebody or something" if recurs else "they seem to number the rows"
    return {"constant": "all their values are equal", "label": "only one column can be the reference label"}[role]


def _notes_on_codes(features: dict[str, str], category_names: list[tuple[str, ...]]) -> list[str]:
    """Note which categories became codes, grouping columns with the same categories."""
    coded: dict[tuple[str, ...], list[str]] = {}
    for (column, kind), names in zip(features.items(), category_names, strict=True):
        if kind != "ordinal" and names != tuple(map(str, range(len(names)))):
            coded.setdefault(names, []).append(column)
    return [f"Coded as 0, 1, … were {listed(names)} in {listed(columns)}." for names, columns in coded.items()]


def _all_rows(X: FloatArray, notes: list[str]) -> IntArray:
    missing = np.isnan(X)
    n_rows = int(missing.any(axis=1).sum())
    if n_rows:
        cells = counted(int(missing.sum()), "missing cell")
        notes.append(f"{cells} in {n_rows:,} of {len(X):,} rows, which are kept.")
    return np.arange(len(X))


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
