"""The bundled data sets: their list, their sources, and their reading as numbers."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from dpviz.arrays import FloatArray, IntArray
from dpviz.datasets.dataset import Dataset
from dpviz.datasets.digits import DIGITS, embed_digits
from dpviz.errors import InvalidParameterError, require_flag
from dpviz.text import quoted

_ROLES = ("id", "label")  # columns that name a row or its group; neither is a feature
_EVERY_OTHER_COLUMN = "*"


@dataclass(frozen=True, kw_only=True)
class CatalogEntry:
    """The entry of one bundled data set in ``catalog.toml``.

    Attributes
    ----------
    title, description, watch : str
        A heading, one line about the data, and one sentence about what to watch when they are clustered.
    source, licence, citation : str
        Origin of the file, terms of use, and what to cite.
    labels : str
        Meaning of the reference groups; empty if there are none.
    notes : sequence of str
        Further notes on the values.
    kind, kinds : str, mapping of str to str
        Kind of every column, and of the columns that differ.
    categories : mapping of str to list or mapping
        Values of a coded column in the order of their codes, as a list or as value → name.
    drop_incomplete_columns : bool
        Leave out columns with missing cells (and keep every row) instead of rows with missing cells.
    """

    title: str
    description: str
    watch: str
    source: str
    licence: str
    citation: str
    kind: str
    labels: str = ""
    notes: Sequence[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, Any] = field(default_factory=dict)
    drop_incomplete_columns: bool = False


def data_folder() -> Path:
    """Folder of the bundled files: inside an installed package, next to the package in a checkout."""
    package = Path(__file__).parent
    installed = package / "bundled"
    return installed if installed.is_dir() else package.parents[1] / "datasets"


@functools.cache
def entries() -> Mapping[str, CatalogEntry]:
    """Return every bundled data set by name, in the order of the catalogue."""
    with (data_folder() / "catalog.toml").open("rb") as file:
        raw = tomllib.load(file)
    return MappingProxyType({name: CatalogEntry(**entry) for name, entry in raw.items()})


def names() -> tuple[str, ...]:
    """Names that :func:`load` accepts."""
    return tuple(entries())


def load(name: str, *, gaps: bool = False, **options: Any) -> Dataset:
    """Read a bundled data set as numbers ready for clustering.

    Rows with a missing value in a used column are left out by default, text and other codes become codes 0, 1, …,
    and ``notes`` says so.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    gaps : bool
        Keep every row, with NaN for missing cells; MAP-DP and Gibbs can leave these out.
    **options
        For ``"mnist_digits_1_to_4"`` only: ``n``, ``method``, ``n_components`` and ``seed`` of
        :func:`dpviz.datasets.digits.embed_digits`.

    Returns
    -------
    Dataset
        The complete rows, or all with ``gaps``; ``frame`` holds the file as it is.

    Raises
    ------
    InvalidParameterError
        If the name is unknown or an option does not apply.
    """
    require_flag("gaps", gaps)
    known = entries()
    if not isinstance(name, str) or name not in known:  # only known names ever reach the file system
        raise InvalidParameterError(f"name = {quoted(name)} is not a bundled data set. Known: {', '.join(known)}.")
    if name == DIGITS:
        return _load_digits(known[name], options)
    if options:
        raise InvalidParameterError(f"{', '.join(options)}: {name} has no options. Call load({name!r}).")
    frame = pd.read_csv(data_folder() / f"{name}.csv", keep_default_na=False, na_values=[""])
    return _from_table(name, known[name], frame, gaps)


def _load_digits(entry: CatalogEntry, options: dict[str, Any]) -> Dataset:
    unknown = set(options) - {"n", "method", "n_components", "seed"}
    if unknown:
        raise InvalidParameterError(
            f"{', '.join(sorted(unknown))}: not an option of {DIGITS}. Options: n, method, n_components, seed."
        )
    embedding = embed_digits(data_folder() / f"{DIGITS}.npz", **options)
    label_names, labels = _groups(embedding.frame["label"])
    return Dataset(
        X=embedding.X,
        labels=labels,
        label_names=label_names,
        feature_names=embedding.feature_names,
        frame=embedding.frame,
        notes=(embedding.note, *entry.notes),
        **_about(DIGITS, entry),
    )


def _about(name: str, entry: CatalogEntry) -> dict[str, Any]:
    origin = {key: getattr(entry, key) for key in ("title", "source", "licence", "citation", "watch")}
    return {"name": name, **origin}


def _from_table(name: str, entry: CatalogEntry, frame: pd.DataFrame, gaps: bool) -> Dataset:
    features = [column for column in frame.columns if column not in _ROLES]
    notes = list(entry.notes)
    if entry.drop_incomplete_columns and not gaps:
        complete = [column for column in features if not frame[column].isna().any()]
        notes.append(
            f"{len(features) - len(complete)} of {len(features)} columns have missing cells and are left out: "
            f"{', '.join(column for column in features if column not in complete)}."
        )
        features = complete
    rows, dropped = _all_rows(frame, features) if gaps else _complete_rows(frame, features)
    kept = frame.iloc[rows]
    notes += dropped + _constant_columns(kept[features]) + _lost_groups(frame, kept)
    columns = [_codes(kept[column], _categories(entry, column)) for column in features]
    label_names, labels = _groups(kept["label"]) if "label" in kept else (None, None)
    return Dataset(
        X=np.column_stack([values for values, _ in columns]),
        labels=labels,
        label_names=label_names,
        feature_names=tuple(features),
        kinds=tuple(entry.kinds.get(column, entry.kind) for column in features),
        category_names=tuple(category_names for _, category_names in columns),
        notes=tuple(notes),
        frame=frame,
        rows=rows,
        gaps=gaps,
        **_about(name, entry),
    )


def _all_rows(frame: pd.DataFrame, features: list[str]) -> tuple[IntArray, list[str]]:
    missing = frame[features].isna()
    n_rows = int(missing.any(axis=1).sum())
    note = f"{int(missing.sum().sum())} missing cells in {n_rows} of {len(frame)} rows, which are kept."
    return np.arange(len(frame)), [note] if n_rows else []


def _complete_rows(frame: pd.DataFrame, features: list[str]) -> tuple[IntArray, list[str]]:
    missing = frame[features].isna()
    incomplete = missing.any(axis=1).to_numpy()
    rows = np.flatnonzero(~incomplete)
    if rows.size == len(frame):
        return rows, []
    cells = missing.sum()
    worst = cells[cells > 0].sort_values(ascending=False, kind="stable")
    where = ", ".join(f"{column} {count}" for column, count in worst.head(5).items())
    more = f" and {len(worst) - 5} more columns" if len(worst) > 5 else ""
    note = (
        f"{int(incomplete.sum())} of {len(frame)} rows have missing cells and are left out, because a point without "
        f"all its values cannot be clustered (missing cells: {where}{more})."
    )
    return rows, [note]


def _constant_columns(table: pd.DataFrame) -> list[str]:
    constant = [str(column) for column in table.columns if table[column].nunique() == 1]
    return [f"The same value in every row (kept, but it separates nothing): {', '.join(constant)}."] if constant else []


def _lost_groups(frame: pd.DataFrame, kept: pd.DataFrame) -> list[str]:
    if "label" not in frame:
        return []
    groups = set(frame["label"].astype(str))
    lost = sorted(groups - set(kept["label"].astype(str)))
    return [f"{len(lost)} of {len(groups)} groups have no complete row: {', '.join(lost)}."] if lost else []


def _categories(entry: CatalogEntry, column: str) -> dict[str, str]:
    listed = entry.categories.get(column)
    if listed is None and entry.kinds.get(column, entry.kind) == entry.kind:
        listed = entry.categories.get(_EVERY_OTHER_COLUMN, {})
    return dict(listed) if isinstance(listed, dict) else {value: value for value in listed or ()}


def _codes(column: pd.Series[Any], categories: dict[str, str]) -> tuple[FloatArray, tuple[str, ...]]:
    if not categories:
        return column.to_numpy(dtype=np.float64), ()
    known = column.dropna()
    text = known if pd.api.types.is_string_dtype(known) else known.astype(np.int64).astype(str)
    code_of = {value: float(code) for code, value in enumerate(categories)}
    codes = np.full(len(column), np.nan)
    codes[column.notna().to_numpy()] = [code_of[value] for value in text]
    return codes, tuple(categories.values())


def _groups(column: pd.Series[Any]) -> tuple[tuple[str, ...], IntArray]:
    group_names, codes = np.unique(column.astype(str).to_numpy(dtype=object), return_inverse=True)
    return tuple(group_names.tolist()), codes.astype(np.int64)
