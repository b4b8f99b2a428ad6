"""From the records of one start to its trace, while it runs."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable
from itertools import compress
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray, LabelArray
from dpviz.config import RunConfig
from dpviz.engine.position import GeneratorState
from dpviz.engine.record import Start, SweepRecord
from dpviz.engine.recording import FEWEST_ROWS, ROW_OVERHEAD, bytes_of, is_regular
from dpviz.engine.stored import SERIES
from dpviz.engine.trace import Trace


class TraceBuilder:
    """Collects the records of one start; after a cancellation it still gives a valid trace.

    Parameters
    ----------
    config : RunConfig
    keep : callable
        Returns from a sweep's number whether its labels are kept.
    data : str
        Digest of the data.
    most_bytes : int, optional
        Bound on the recorded rows. When they exceed it, every second of them is dropped, and from then on only so many
        are recorded, beside the last two and the lowest.

    Attributes
    ----------
    converged : bool
        As in the last record.
    lowest : float
        Lowest nll (nats) of the states that may be the result; infinite without any.
    """

    def __init__(
        self,
        config: RunConfig,
        keep: Callable[[int], bool] = lambda sweep: True,
        data: str = "",
        most_bytes: int | None = None,
    ) -> None:
        self.config = config
        self._data = data
        self._keep = keep
        self._most_bytes, self._row_bytes, self._stride = most_bytes, 0, 1
        self.lowest, self._lowest_sweep = np.inf, 0
        self._labels: list[LabelArray] = []
        self._label_sweeps: list[int] = []
        self._sizes, self._size_offsets = array("i"), array("q", [0])  # millions of sweeps are to stay small
        self._series = {name: array("d") for name in SERIES}
        self._events: IntArray | None = None
        self._accepted, self._learned = array("q"), array("d")
        self._generator: GeneratorState | None = None
        self.converged = False
        self._moves: list[tuple[int, str]] = []
        self._parameters: list[Any] = []
        self._cells: list[FloatArray] = []

    @classmethod
    def going_on(
        cls, trace: Trace, config: RunConfig, keep: Callable[[int], bool], most_bytes: int | None = None
    ) -> TraceBuilder:
        """Start with the records of a trace, up to the last sweep whose labels it holds."""
        builder, end = cls(config, keep, trace.data, most_bytes), int(trace.label_sweeps[-1]) + 1
        builder._series = {name: array("d", getattr(trace, name)[:end].tolist()) for name in SERIES}
        builder._sizes = array("i", trace.flat_sizes[: trace.size_offsets[end]].tolist())
        builder._size_offsets = array("q", trace.size_offsets[: end + 1].tolist())
        builder._labels, builder._label_sweeps = list(trace.labels), trace.label_sweeps.tolist()
        builder._row_bytes, builder._stride = trace.labels[0].nbytes + ROW_OVERHEAD, trace.stride
        builder._accepted = array("q", [0] * end if trace.n_accepted is None else trace.n_accepted[:end].tolist())
        builder._events, builder._generator = trace.events, trace.generator
        builder._learned = array("d", [] if trace.learned is None else trace.learned[:end].ravel().tolist())
        draws = trace.label_sweeps[trace.label_sweeps > trace.config.burn_in]
        if len(draws):
            builder._lowest_sweep = int(draws[np.argmin(trace.nll[draws])])
            builder.lowest = float(trace.nll[builder._lowest_sweep])
        return builder

    def append(self, record: SweepRecord, may_be_result: bool = False) -> None:
        """Add the next sweep; of those that may be the result, the one of lowest nll is kept whatever is dropped."""
        for name in SERIES:
            self._series[name].append(getattr(record, name))
        self._sizes.extend(record.sizes.tolist())
        self._size_offsets.append(len(self._sizes))
        self._accepted.append(record.n_accepted)
        self._learned.extend(record.hyperparameters)
        before = self._lowest_sweep
        if may_be_result and record.nll < self.lowest:
            self.lowest, self._lowest_sweep = record.nll, record.sweep
        if self._keep(record.sweep):
            self._record(record)
            for sweep in (before, *self._label_sweeps[-3:-2]) if self._stride > 1 else ():
                self._drop_spare(sweep)
            self._bound()
        if record.events is not None:
            self._events = record.events
        self.converged = record.converged
        if record.move:
            self._moves.append((record.sweep, record.move))

    def _record(self, record: SweepRecord) -> None:
        self._labels.append(record.labels)
        self._label_sweeps.append(record.sweep)
        self._generator = record.generator
        if record.parameters is not None:
            self._parameters.append(record.parameters)
        if record.cells is not None:
            self._cells.append(record.cells)
        parts = (record.labels, record.cells, record.parameters)
        self._row_bytes = max(self._row_bytes, ROW_OVERHEAD + bytes_of(parts))

    def _bound(self) -> None:
        """Halve the recorded rows if they exceed the bound."""
        n_rows = len(self._labels)
        if self._most_bytes is not None and n_rows > FEWEST_ROWS and n_rows * self._row_bytes > self._most_bytes:
            self._stride *= 2
            stays = [not self._is_spare(sweep) for sweep in self._label_sweeps]
            for rows in self._rows:
                rows[:] = compress(rows, stays)

    def _drop_spare(self, sweep: int) -> None:
        """Drop the row of a sweep, if there is one and nothing needs it."""
        row = bisect_left(self._label_sweeps, sweep)
        if sweep in self._label_sweeps[row : row + 1] and self._is_spare(sweep):
            for rows in self._rows:
                del rows[row]

    def _is_spare(self, sweep: int) -> bool:
        """Whether a recorded sweep is neither regular nor one of the last two nor that of lowest nll."""
        needed = sweep == self._lowest_sweep or sweep in self._label_sweeps[-2:]
        return not needed and not is_regular(sweep, self.config, self._stride)

    @property
    def _rows(self) -> list[list[Any]]:
        """What has an entry per recorded sweep."""
        return [rows for rows in (self._labels, self._label_sweeps, self._parameters, self._cells) if rows]

    def drop_last(self) -> None:
        """Remove the last sweep, which only confirmed that nothing moves, because the search continues."""
        for series in self._series.values():
            series.pop()
        del self._size_offsets[-1]
        del self._sizes[self._size_offsets[-1] :]
        self._accepted.pop()
        if self.config.hyperpriors:
            del self._learned[-len(self.config.hyperpriors) :]
        self._labels.pop()
        self._label_sweeps.pop()
        self.converged = False

    def build(
        self,
        starts: tuple[Start, ...] = (),
        chosen_start: int = 0,
        total_seconds: float = np.nan,
        n_trial_sweeps: int = 0,
        search_exhausted: bool = False,
        most_rows: int | None = None,
    ) -> Trace:
        """Return the trace of everything appended so far; a picture of a run in progress holds fewer rows of it.

        These are every second, fourth, … and the last, so that they stay the same from one picture to the next.
        """
        rows = range(len(self._labels)) if most_rows is None else self._pictured(most_rows)
        widest = max((self._labels[row].dtype for row in rows), key=lambda dtype: dtype.itemsize)
        labels = np.empty((len(rows), len(self._labels[0])), dtype=widest)
        for place, row in enumerate(rows):
            labels[place] = self._labels[row]
        if most_rows is None:
            self._labels = list(labels)  # held once, by the trace and here
        types = {name: np.int64 if name.startswith("n_") else np.float64 for name in SERIES}
        return Trace(
            config=self.config,
            labels=labels,
            label_sweeps=np.array([self._label_sweeps[row] for row in rows], dtype=np.int64),
            flat_sizes=np.array(self._sizes, dtype=np.int32),
            size_offsets=np.array(self._size_offsets, dtype=np.int64),
            starts=starts,
            chosen_start=chosen_start,
            converged=self.converged,
            events=self._events,
            moves=tuple(self._moves),
            parameters=tuple(self._parameters[row] for row in rows) if self._parameters else (),
            total_seconds=total_seconds,
            n_trial_sweeps=n_trial_sweeps,
            search_exhausted=search_exhausted,
            data=self._data,
            generator=self._generator,
            stride=self._stride,
            n_accepted=np.array(self._accepted, dtype=np.int64) if self.config.split_merge else None,
            imputed=np.array([self._cells[row] for row in rows]) if self._cells else None,
            learned=self._learned_rows() if self.config.hyperpriors else None,
            **{name: np.array(values, dtype=types[name]) for name, values in self._series.items()},  # type: ignore[arg-type]
        )

    def _learned_rows(self) -> FloatArray:
        return np.array(self._learned, dtype=np.float64).reshape(-1, len(self.config.hyperpriors))

    def _pictured(self, most: int) -> list[int]:
        """Return at most so many rows, but for the last: the regular ones of a stride that is wide enough."""
        sweeps, stride = np.array(self._label_sweeps), self._stride
        rows = np.arange(len(sweeps))
        while len(rows) > max(most, 2):
            rows = np.flatnonzero(is_regular(sweeps, self.config, stride))
            stride *= 2
        return np.unique([*rows.tolist(), len(sweeps) - 1]).tolist()
