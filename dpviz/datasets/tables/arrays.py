"""Read NumPy files: one array (.npy) or an archive of named arrays (.npz). Nothing is unpickled."""

from __future__ import annotations

import io
import math
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from dpviz.datasets.tables.cell_values import ReadColumns, read_columns
from dpviz.datasets.tables.detection import decimal_of_texts
from dpviz.datasets.tables.dialect import SAMPLE_ROWS
from dpviz.datasets.tables.limits import check_shape, check_unpacked, open_archive, refuse_unreadable
from dpviz.datasets.tables.table import Table, listed, unique_names
from dpviz.errors import InvalidDataError

TABLE_KEYS = ("x", "data", "features", "points", "arr_0")
LABEL_KEYS = ("y", "labels", "label", "target", "targets", "z", "classes")
NAME_KEYS = ("feature_names", "columns", "names")


def read_npy(data: bytes, name: str, decimal: str | None = None) -> Table:
    """Read one array.

    Parameters
    ----------
    data : bytes
        The file's content.
    name : str
        Name for the table.
    decimal : {".", ","}, optional
        The decimal mark of numbers that are text; detected when omitted.

    Returns
    -------
    Table

    Raises
    ------
    InvalidDataError
        If this is not an array of numbers or text with one or two dimensions.
    MemoryLimitError
        If it is too large.
    """
    with refuse_unreadable("a NumPy file"):
        return _assemble({"X": _load(io.BytesIO(data), len(data))}, name, decimal)


def read_npz(data: bytes, name: str, decimal: str | None = None) -> Table:
    """Read an archive of arrays: a table, and optionally a column of labels and the names of the features.

    The table is the array called ``X``, ``data``, ``features`` or ``points``, else the only one with two dimensions;
    labels are called ``y``, ``labels`` or ``target``, names ``feature_names`` or ``columns``.

    Parameters and errors are those of :func:`read_npy`.
    """
    with refuse_unreadable("a NumPy archive"), open_archive(data) as archive:
        arrays = {}
        for member in archive.infolist():
            with archive.open(member) as stream:
                arrays[member.filename.removesuffix(".npy")] = _load(io.BytesIO(stream.read()), member.file_size)
        return _assemble(arrays, name, decimal)


def _load(stream: BinaryIO, size: int) -> NDArray[Any]:
    """Read an array after comparing its header with the size of the file."""
    version = npy_format.read_magic(stream)
    read_header = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    shape, _, dtype = read_header(stream)
    if dtype.hasobject:
        raise InvalidDataError("The array holds Python objects, which are never loaded. Save it as numbers or text.")
    if dtype.itemsize == 0:
        raise InvalidDataError(f"The array holds {dtype} values, which have no content. Save it as numbers or text.")
    claimed, held = math.prod(shape) * dtype.itemsize, size - stream.tell()
    check_unpacked(claimed)
    if claimed > held:
        raise InvalidDataError(f"The array should have {claimed:,} bytes, but the file has {held:,}; it is damaged.")
    stream.seek(0)
    return np.asarray(npy_format.read_array(stream, allow_pickle=False))


def _assemble(arrays: dict[str, NDArray[Any]], name: str, asked: str | None) -> Table:
    table_key = _find_table(arrays)
    values = arrays[table_key]
    if values.ndim == 1:
        values = values[:, np.newaxis]
    n_rows, n_columns = values.shape
    check_shape(n_rows, n_columns)
    label_key = _find(arrays, LABEL_KEYS, (n_rows,))
    names_key = _find(arrays, NAME_KEYS, (n_columns,))
    raw = [str(entry) for entry in arrays[names_key]] if names_key else [f"x{d + 1}" for d in range(n_columns)]
    names, notes = unique_names(raw + [label_key] * bool(label_key))
    columns = [_plain(values[:, position]) for position in range(n_columns)]
    if label_key:
        columns.append(_plain(arrays[label_key]))
    unused = set(arrays) - {table_key, label_key, names_key}
    if unused:
        notes.append(f"Of the arrays in the file, {listed(sorted(unused))} were not used.")
    texts = [cell.strip() for array in columns if array.dtype.kind == "U" for cell in array[:SAMPLE_ROWS].tolist()]
    decimal, notes_on_marks = decimal_of_texts(texts, asked)
    notes += notes_on_marks
    read = [_read(column, array, decimal or ".") for column, array in zip(names, columns, strict=True)]
    return Table(
        frame=pd.DataFrame({column: part.frame[column] for column, part in zip(names, read, strict=True)}),
        name=name,
        format="numpy",
        decimal=decimal,
        header=bool(names_key),
        notes=(*notes, *(note for part in read for note in part.notes)),
        units=tuple(unit for part in read for unit in part.units),
    )


def _find_table(arrays: dict[str, NDArray[Any]]) -> str:
    tables = [key for key, array in arrays.items() if array.ndim == 2]
    named = [key for key in arrays if key.lower() in TABLE_KEYS and arrays[key].ndim in (1, 2)]
    columns = [key for key, array in arrays.items() if array.ndim == 1]
    for candidates in (named[:1], tables, columns):
        if len(candidates) == 1:
            return candidates[0]
    shapes = ", ".join(f"{key} {array.shape}" for key, array in list(arrays.items())[:8])
    raise InvalidDataError(
        f"No array can be taken as the table (found: {shapes or 'none'}). Save one array of shape (rows, columns), "
        "called X."
    )


def _find(arrays: dict[str, NDArray[Any]], keys: tuple[str, ...], shape: tuple[int, ...]) -> str:
    """Return the first array with one of the names and the shape, or an empty string."""
    return next((key for key, array in arrays.items() if key.lower() in keys and array.shape == shape), "")


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as numbers or text."""
    if array.dtype.kind in "bfiu":
        kinds = {"b": np.dtype(np.int64), "f": np.dtype(np.float64)}
        return array.astype(kinds.get(array.dtype.kind, array.dtype.newbyteorder("=")))
    if array.dtype.kind not in "USMm":
        raise InvalidDataError(f"The array holds {array.dtype} values. Save it as real numbers or text.")
    return array.astype("U") if array.dtype.kind != "S" else np.char.decode(array, "latin-1")


def _read(name: str, array: NDArray[Any], decimal: str) -> ReadColumns:
    if array.dtype.kind != "U":
        return ReadColumns(pd.DataFrame({name: array}), [], ())
    return read_columns([pa.chunked_array([pa.array(array.tolist(), pa.large_string())])], [name], [decimal])
