"""Read Parquet files."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from dpviz.datasets.tables.cell_values import read_columns
from dpviz.datasets.tables.limits import MAX_EXACT_INTEGER, check_shape, check_unpacked, refuse_unreadable
from dpviz.datasets.tables.table import Table, listed, unique_names
from dpviz.errors import InvalidDataError


def read_parquet(data: bytes, name: str) -> Table:
    """Read a Parquet file; numbers stay as they are, dates become text, nested columns are left out.

    Parameters
    ----------
    data : bytes
        The file's content.
    name : str
        Name for the table.

    Returns
    -------
    Table

    Raises
    ------
    InvalidDataError
        If the file is damaged or holds no column of numbers or text.
    MemoryLimitError
        If it is too large.
    """
    with refuse_unreadable("a Parquet file"):
        file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
        check_shape(file.metadata.num_rows, file.metadata.num_columns)
        groups = [file.metadata.row_group(position) for position in range(file.num_row_groups)]
        check_unpacked(sum(group.total_byte_size for group in groups))
        # Repeated texts stay dictionaries until it is known how long they are written out.
        texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
        file = pyarrow.parquet.ParquetFile(io.BytesIO(data), read_dictionary=texts)
        table = file.read(use_threads=False)
        check_shape(table.num_rows, table.num_columns)
        names, notes = unique_names(table.column_names)
        columns = {column: _plain(table.column(position)) for position, column in enumerate(names)}
        return _assemble(columns, name, notes)


def _assemble(columns: dict[str, Any], name: str, notes: list[str]) -> Table:
    left_out = [column for column, values in columns.items() if values is None]
    if left_out:
        notes.append(f"Neither numbers nor text, so left out: {listed(left_out)}.")
    kept = {column: values for column, values in columns.items() if values is not None}
    if not kept:
        raise InvalidDataError("The file has no column of numbers or text.")
    texts = {column: values for column, values in kept.items() if pa.types.is_large_string(values.type)}
    frame, changes = read_columns(list(texts.values()), list(texts), decimal=".")
    series = {
        column: frame[column] if column in texts else pd.Series(values.to_numpy()) for column, values in kept.items()
    }
    return Table(frame=pd.DataFrame(series), name=name, format="parquet", notes=(*notes, *changes))


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _plain(values: Any) -> Any:
    """Return a column as numbers or text, or None if it holds something else."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        check_unpacked(_written_out(values))
        kind = kind.value_type
        values = pc.cast(values, kind)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pc.cast(values, pa.float64())
    if pa.types.is_integer(kind):
        return pc.cast(values, pa.large_string()) if values.null_count and _is_huge(values) else values
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.array(np.full(len(values), np.nan))])
    if _is_text(kind) or pa.types.is_boolean(kind) or pa.types.is_temporal(kind):
        return pc.cast(values, pa.large_string())
    return None


def _is_huge(values: Any) -> bool:
    bounds = pc.min_max(values).as_py()
    return any(abs(bound) > MAX_EXACT_INTEGER for bound in bounds.values() if bound is not None)


def _written_out(values: Any) -> int:
    """Return how many bytes a dictionary column of text takes when every cell is written out."""
    if not _is_text(values.type.value_type):
        return 0
    lengths = (pc.take(pc.binary_length(chunk.dictionary), chunk.indices) for chunk in values.chunks)
    return sum(pc.sum(chunk_lengths).as_py() or 0 for chunk_lengths in lengths)
