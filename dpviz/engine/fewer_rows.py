"""Traces with fewer of their recorded labels, as they are where memory is bounded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpviz.arrays import IntArray
from dpviz.engine.recording import FEWEST_ROWS, MOST_RECORDED, ROW_OVERHEAD, bytes_of, is_regular
from dpviz.engine.trace import Trace


def bounded(trace: Trace, most_bytes: int = MOST_RECORDED) -> Trace:
    """Return a trace whose recorded rows fit into a number of bytes: every second, every fourth, … is kept.

    The last two stay, so that a chain can be resumed and its last sweep replayed, and so does the result.
    """
    n_rows, stride, rows = len(trace.labels), trace.stride, np.arange(len(trace.labels))
    parts = [trace.labels] if trace.imputed is None else [trace.labels, trace.imputed]
    row_bytes = ROW_OVERHEAD + sum(part[0].nbytes for part in parts) + bytes_of(trace.parameters[:1])
    while len(rows) > FEWEST_ROWS and len(rows) * row_bytes > most_bytes:
        stride *= 2
        regular = np.flatnonzero(is_regular(trace.label_sweeps, trace.config, stride))
        rows = np.unique([*regular, trace.result_row, max(n_rows - 2, 0), n_rows - 1])
    return trace if len(rows) == n_rows else replace(with_rows(trace, rows), stride=stride)


def with_rows(trace: Trace, rows: IntArray) -> Trace:
    """Return a trace with some of its recorded rows (r,); its series keep all sweeps."""
    return replace(
        trace,
        labels=trace.labels[rows],
        label_sweeps=trace.label_sweeps[rows],
        imputed=None if trace.imputed is None else trace.imputed[rows],
        parameters=tuple(trace.parameters[row] for row in rows) if trace.parameters else (),
    )
