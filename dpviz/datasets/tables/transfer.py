"""Pass a table from the process that read it to another one, without copying it."""

from __future__ import annotations

import hashlib
import json
import mmap
from dataclasses import fields
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa

from dpviz.datasets.tables.table import Table

_KEY = b"dpviz"


def send_table(table: Table, stream: BinaryIO) -> None:
    """Write a table as an Arrow file.

    Parameters
    ----------
    table : Table
    stream : binary file
        File to write it to.
    """
    described = {field.name: getattr(table, field.name) for field in fields(table) if field.name != "frame"}
    arrays = [_array(table.frame[name]) for name in table.frame]
    schema = pa.schema([pa.field(name, array.type) for name, array in zip(table.frame, arrays, strict=True)])
    schema = schema.with_metadata({_KEY: json.dumps(described).encode()})
    with pa.ipc.new_file(stream, schema) as writer:
        writer.write_batch(pa.record_batch(arrays, schema=schema))


def receive_table(stream: BinaryIO) -> Table:
    """Map a table into memory from the file that :func:`send_table` wrote.

    Parameters
    ----------
    stream : binary file
        A file of the operating system; it may be deleted and closed afterwards.

    Returns
    -------
    Table
        Its columns are read-only parts of the file.
    """
    content = pa.py_buffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    arrow = pa.ipc.open_file(content).read_all()
    described = json.loads(arrow.schema.metadata[_KEY])
    described = {name: _as_tuples(value) for name, value in described.items()}
    columns = {name: _series(arrow.column(name)) for name in arrow.column_names}
    return Table(frame=pd.DataFrame(columns, copy=False), **described)


def fingerprint(frame: pd.DataFrame) -> bytes:
    """Return a digest of all cells of a table and the names of its columns; other threads can run in the meantime.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of numbers and text.
    """
    digest = hashlib.blake2b(digest_size=16)
    for name in frame:
        array = _array(frame[name])
        digest.update(repr((name, str(array.type), len(array), array.offset)).encode("utf-8", "backslashreplace"))
        for buffer in array.buffers():
            digest.update(b"-" if buffer is None else buffer)
    return digest.digest()


def _as_tuples(value: Any) -> Any:
    """Return what JSON has made of tuples."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def _array(column: pd.Series) -> Any:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        texts = pa.array(column.astype("str"), pa.large_string(), from_pandas=True)
        return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    values = column.to_numpy()
    return pa.array(values.astype(np.float64) if values.dtype.kind == "f" else values, from_pandas=False)


def _series(column: Any) -> pd.Series:
    if pa.types.is_large_string(column.type):
        return pd.Series(column.to_pandas(), dtype="str")
    return pd.Series(column.chunk(0).to_numpy(zero_copy_only=True), copy=False)
