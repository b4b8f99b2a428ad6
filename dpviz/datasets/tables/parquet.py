"""Read Parquet files."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from dpviz.datasets.tables.cell_values import in_words, read_columns, text_series
from dpviz.datasets.tables.detection import decimal_of_texts
from dpviz.datasets.tables.limits import MAX_EXACT_INTEGER, check_shape, check_unpacked, refuse_unreadable
from dpviz.datasets.tables.measures import days_of_times, seconds_of_durations
from dpviz.datasets.tables.table import DAYS, Table, clean_name, listed, unique_names
from dpviz.errors import InvalidDataError

_SAFE_DIGITS = 15
"""Digits that every double keeps."""
_LOOKED_AT = 1_000  # distinct cells of a column of text, for the decimal mark


def read_parquet(data: bytes, name: str, decimal: str | None = None) -> Table:
    """Read a Parquet file; numbers stay as they are, dates become days, times of day text, nested columns are left out.

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
        If the file is damaged or holds no column of numbers or text.
    MemoryLimitError
        If it is too large.
    """
    with refuse_unreadable("a Parquet file"):
        file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
        repeated = [column for column, n in Counter(file.schema_arrow.names).items() if n > 1]
        if repeated:
            raise InvalidDataError(f"Several columns are called {listed(repeated)}; give every column its own name.")
        flat = _flat_columns(file.schema_arrow)
        nested = [field.name for field in file.schema_arrow if field.name not in flat]
        check_shape(file.metadata.num_rows, file.metadata.num_columns)
        if not flat:
            raise InvalidDataError("The file has no column of numbers or text.")
        _check_flat(file, flat)
        # Repeated texts stay dictionaries until their full length is known.
        texts = [name for name, kind in flat.items() if _is_text(kind)]
        file = pyarrow.parquet.ParquetFile(io.BytesIO(data), read_dictionary=texts)
        table = file.read(columns=list(flat), use_threads=False)
        check_shape(table.num_rows, table.num_columns)
        check_unpacked(sum(_written_out(column) for column in table.columns))
        names, notes = unique_names(table.column_names)
        columns = {column: _plain(table.column(position)) for position, column in enumerate(names)}
        check_unpacked(sum(_written_out(column) for column in columns.values() if column is not None))
        kinds = [flat[source] for source in table.column_names]
        dates = [column for column, kind in zip(names, kinds, strict=True) if pa.types.is_temporal(kind)]
        texts = [column for column, kind in zip(names, kinds, strict=True) if _is_text(kind)]
        days = [column for column, kind in zip(names, kinds, strict=True) if _is_date(kind)]
        durations = [name for name, kind in zip(names, kinds, strict=True) if pa.types.is_duration(kind)]
        rounded = [name for name, kind in zip(names, kinds, strict=True) if _is_decimal(kind) and _loses(columns[name])]
        notes += [f"{in_words('days')} {listed(days)}."] if days else []
        notes += [f"Durations were read as seconds in {listed(durations)}."] if durations else []
        notes += [f"Digits beyond the 15 to 17 of a double were rounded in {listed(rounded)}."] if rounded else []
        mark, notes_on_marks = decimal_of_texts(_cells_of(columns[column] for column in texts), decimal)
        marks = {column: mark or "." for column in texts}
        read = _assemble(columns, dates, marks, [clean_name(name) for name in nested], name, notes + notes_on_marks)
        return replace(read, decimal=mark, units=(*read.units, *((day, DAYS) for day in days)))


def _cells_of(columns: Iterable[Any]) -> list[str]:
    """Return the first distinct cells of columns of repeated text."""
    starts = (chunk.dictionary.slice(0, _LOOKED_AT) for column in columns for chunk in column.chunks[:1])
    return [cell.strip() for start in starts for cell in start.to_pylist() if cell]


def _flat_columns(schema: Any) -> dict[str, Any]:
    """Return the types of the columns of numbers, text, dates and truth values: one value per row, not nested."""
    flat = {}
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if _is_text(kind) or _is_decimal(kind) or _is_fixed(kind):
            flat[field.name] = kind
    return flat


def _is_fixed(kind: Any) -> bool:
    types = pa.types
    return any(fits(kind) for fits in (types.is_integer, types.is_floating, types.is_boolean, types.is_null)) or bool(
        types.is_temporal(kind) and not types.is_interval(kind)
    )


def _check_flat(file: Any, flat: dict[str, Any]) -> None:
    """Refuse a file whose columns, unpacked together, are too large, or do not match the schema.

    Raises
    ------
    InvalidDataError, MemoryLimitError
        In these cases.
    """
    unpacked = sum(file.metadata.num_rows * _bytes_per_value(kind) for kind in flat.values())
    for position in range(file.num_row_groups):
        group = file.metadata.row_group(position)
        for number in range(group.num_columns):
            chunk = group.column(number)
            if chunk.path_in_schema.partition(".")[0] not in flat and chunk.path_in_schema not in flat:
                continue
            if chunk.path_in_schema not in flat or chunk.num_values != group.num_rows:
                name = clean_name(chunk.path_in_schema)
                raise InvalidDataError(f"The column “{name}” does not have one value per row; the file is damaged.")
            unpacked += chunk.total_uncompressed_size
    check_unpacked(unpacked)


def _bytes_per_value(kind: Any) -> int:
    """Return the bytes of a value in memory: for text an index into the dictionary, which is counted by its length."""
    return 32 if _is_decimal(kind) else 8 if not _is_text(kind) else 4


def _assemble(
    columns: dict[str, Any],
    dates: list[str],
    marks: dict[str, str],
    nested: list[str],
    name: str,
    notes: list[str],
) -> Table:
    """Put columns together; ``marks`` are the decimal marks of those that are text."""
    left_out = nested + [column for column, values in columns.items() if values is None]
    if left_out:
        notes.append(f"Neither numbers nor text, so left out: {listed(left_out)}.")
    kept = {column: values for column, values in columns.items() if values is not None}
    if not kept:
        raise InvalidDataError("The file has no column of numbers or text.")
    texts = [column for column, values in kept.items() if pa.types.is_dictionary(values.type) and column not in dates]
    decimals = [marks.get(column, ".") for column in texts]  # others have a point as Arrow writes them
    frame, changes, units = read_columns([kept[column] for column in texts], texts, decimals)
    series = {column: frame[column] if column in texts else _series(values) for column, values in kept.items()}
    return Table(frame=pd.DataFrame(series), name=name, format="parquet", notes=(*notes, *changes), units=units)


def _series(values: Any) -> pd.Series:
    """Return numbers as such, and times of day as their text, which is no number."""
    if pa.types.is_dictionary(values.type):
        return text_series(pc.cast(values, pa.large_string()))
    return pd.Series(values.to_numpy())


def _is_decimal(kind: Any) -> bool:
    return bool(pa.types.is_decimal(kind))


def _is_date(kind: Any) -> bool:
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _plain(values: Any) -> Any:
    """Return a column as numbers, or as dictionaries of text, or None if it holds something else."""
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_floating(kind):
        return pc.cast(_plainly(values), pa.float64())
    if pa.types.is_integer(kind):
        values = _plainly(values)
        return _repeated_texts(values) if values.null_count and _is_huge(values) else values
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.array(np.full(len(values), np.nan))])
    if _is_date(kind):
        return pa.chunked_array([days_of_times(_plainly(values))])
    if pa.types.is_duration(kind):
        return pa.chunked_array([seconds_of_durations(_plainly(values))])
    # of a decimal the nearest double to the text; Arrow's own conversion is off by some bits
    if _is_text(kind) or _is_decimal(kind) or pa.types.is_boolean(kind) or pa.types.is_temporal(kind):
        return _repeated_texts(values)
    return None


def _loses(decimals: Any) -> bool:
    """Whether a column of decimals, each distinct one written as text, has a number with more digits than a double."""
    for chunk in decimals.chunks:
        texts = chunk.dictionary
        long = texts.filter(pc.greater(pc.binary_length(texts), _SAFE_DIGITS))
        if any(Decimal(repr(float(text))) != Decimal(text) for text in long.to_pylist() if text is not None):
            return True
    return False


def _plainly(values: Any) -> Any:
    return pc.cast(values, values.type.value_type) if pa.types.is_dictionary(values.type) else values


def _repeated_texts(values: Any) -> Any:
    """Return a column with every distinct value written as text once."""
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    kind = pa.dictionary(pa.int32(), pa.large_string())
    chunks = [
        pa.DictionaryArray.from_arrays(pc.cast(chunk.indices, pa.int32()), pc.cast(chunk.dictionary, pa.large_string()))
        for chunk in values.chunks
    ]
    return pa.chunked_array(chunks, kind).unify_dictionaries()


def _is_huge(values: Any) -> bool:
    bounds = pc.min_max(values).as_py()
    return any(abs(bound) > MAX_EXACT_INTEGER for bound in bounds.values() if bound is not None)


def _written_out(values: Any) -> int:
    """Return the bytes of a dictionary column of text with every cell written out."""
    if not pa.types.is_dictionary(values.type) or not _is_text(values.type.value_type):
        return 0
    lengths = (pc.take(pc.binary_length(chunk.dictionary), chunk.indices) for chunk in values.chunks)
    return sum(pc.sum(chunk_lengths).as_py() or 0 for chunk_lengths in lengths)
