"""From the records of one start to its trace, while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpviz.arrays import FloatArray, IntArray, LabelArray
from dpviz.config import RunConfig
from dpviz.engine.position import GeneratorState
from dpviz.engine.record import Start, SweepRecord
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

    Attributes
    ----------
    converged : bool
        As in the last record.
    """

    def __init__(self, config: RunConfig, keep: Callable[[int], bool] = lambda sweep: True, data: str = "") -> None:
        self.config = config
        self._data = data
        self._keep = keep
        self._labels: list[LabelArray] = []
        self._label_sweeps: list[int] = []
        self._sizes: list[IntArray] = []
        self._series: dict[str, list[float]] = {name: [] for name in SERIES}
        self._events: IntArray | None = None
        self._accepted: list[int] = []
        self._generator: GeneratorState | None = None
        self.converged = False
        self._moves: list[tuple[int, str]] = []
        self._parameters: list[Any] = []
        self._cells: list[FloatArray] = []
        self._learned: list[tuple[float, ...]] = []

    @classmethod
    def going_on(cls, trace: Trace, config: RunConfig, keep: Callable[[int], bool]) -> TraceBuilder:
        """Start with the records of a trace, up to the last sweep whose labels it holds."""
        builder, end = cls(config, keep, trace.data), int(trace.label_sweeps[-1]) + 1
        builder._series = {name: getattr(trace, name)[:end].tolist() for name in SERIES}
        builder._sizes = [trace.sizes(sweep) for sweep in range(end)]
        builder._labels, builder._label_sweeps = list(trace.labels), trace.label_sweeps.tolist()
        builder._accepted = [0] * end if trace.n_accepted is None else trace.n_accepted[:end].tolist()
        builder._events, builder._generator = trace.events, trace.generator
        builder._learned = [()] * end if trace.learned is None else list(map(tuple, trace.learned[:end].tolist()))
        return builder

    def append(self, record: SweepRecord) -> None:
        """Add the next sweep."""
        for name in SERIES:
            self._series[name].append(getattr(record, name))
        self._sizes.append(record.sizes.astype(np.int32))
        self._accepted.append(record.n_accepted)
        self._learned.append(record.hyperparameters)
        if self._keep(record.sweep):
            self._labels.append(record.labels)
            self._label_sweeps.append(record.sweep)
            self._generator = record.generator
            if record.parameters is not None:
                self._parameters.append(record.parameters)
            if record.cells is not None:
                self._cells.append(record.cells)
        if record.events is not None:
            self._events = record.events
        self.converged = record.converged
        if record.move:
            self._moves.append((record.sweep, record.move))

    def drop_last(self) -> None:
        """Remove the last sweep, which only confirmed that nothing moves, because the search continues."""
        for series in self._series.values():
            series.pop()
        self._sizes.pop()
        self._accepted.pop()
        self._learned.pop()
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
    ) -> Trace:
        """Return the trace of everything appended so far."""
        widest = max((row.dtype for row in self._labels), key=lambda dtype: dtype.itemsize)
        labels = np.empty((len(self._labels), len(self._labels[0])), dtype=widest)
        for row, recorded in enumerate(self._labels):
            labels[row] = recorded
        types = {name: np.int64 if name.startswith("n_") else np.float64 for name in SERIES}
        return Trace(
            config=self.config,
            labels=labels,
            label_sweeps=np.array(self._label_sweeps, dtype=np.int64),
            flat_sizes=np.concatenate(self._sizes),
            size_offsets=np.concatenate([[0], np.cumsum([len(sizes) for sizes in self._sizes])]),
            starts=starts,
            chosen_start=chosen_start,
            converged=self.converged,
            events=self._events,
            moves=tuple(self._moves),
            parameters=tuple(self._parameters),
            total_seconds=total_seconds,
            n_trial_sweeps=n_trial_sweeps,
            search_exhausted=search_exhausted,
            data=self._data,
            generator=self._generator,
            n_accepted=np.array(self._accepted, dtype=np.int64) if self.config.split_merge else None,
            imputed=np.array(self._cells) if self._cells else None,
            learned=np.array(self._learned) if self.config.hyperpriors else None,
            **{name: np.array(values, dtype=types[name]) for name, values in self._series.items()},  # type: ignore[arg-type]
        )
