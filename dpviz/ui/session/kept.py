"""Caches with bounds on their bytes: results for all sessions, and the data of each session."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import pandas as pd

from dpviz.datasets import Dataset

MOST_SESSION_DATA = 10
MOST_SESSION_BYTES = 800_000_000
"""Most bytes of the data that one session brought; a single table may use them all."""
MOST_BYTES = 2_000_000_000
"""Most bytes of the data that all sessions brought."""

MOST_MADE_BYTES = 300_000_000
"""Most bytes of the results made from one data set, such as scaled columns."""
MOST_RESULTS = 256
"""Default for the most results of a kind, however small."""

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Results that are computed once for all sessions; those used longest ago are forgotten.

    Parameters
    ----------
    most_bytes : int
        The last result is kept even if it alone exceeds this.
    n_bytes : callable
        Size of a result.
    most : int
        Most results, however small.
    """

    def __init__(self, most_bytes: float, n_bytes: Callable[[Value], int], most: int = MOST_RESULTS) -> None:
        self._most_bytes, self._n_bytes, self._most = most_bytes, n_bytes, most
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return what is kept under a key, or make it; sessions that ask in the meantime wait for it."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            try:
                value = self.find(key)
                if value is None:
                    value = make()
                    self.put(key, value)
                return value
            finally:
                with self._lock:
                    self._making.pop(key, None)

    def find(self, key: Hashable) -> Value | None:
        """Return what is kept under a key, if there is something."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a result that was made elsewhere."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > 1 and (self.n_bytes > self._most_bytes or len(self._values) > self._most):
                self._values.popitem(last=False)

    @property
    def n_bytes(self) -> int:
        """Size of everything that is kept."""
        return sum(map(self._n_bytes, self._values.values()))

    def __len__(self) -> int:
        """Return how many results are kept."""
        return len(self._values)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._values.clear()


_ticks = itertools.count()
_lock = threading.RLock()
_sessions: WeakValueDictionary[int, OwnData] = WeakValueDictionary()


class OwnData(dict[str, Dataset]):
    """Data that the user of one session brought, by name. They are gone when the session is.

    Attributes
    ----------
    made : dict of str to Kept
        For every name what was made from these data; it is dropped with them.
    dropped : tuple of str
        Titles of what was dropped to make room since data were last added.
    """

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[str, Kept[Any]] = {}
        self.dropped: tuple[str, ...] = ()
        self._used: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        with _lock:
            _sessions[id(self)] = self

    def keep(self, name: str, dataset: Dataset, replacing: str = "") -> None:
        """Add data; to make room, drop the least recently used: first of this session, then of any session."""
        with _lock:
            self.dropped = ()
            self._forget(replacing)
            self[name] = dataset
            self.made[name] = Kept(MOST_MADE_BYTES, lambda made: int(made.n_bytes))
            self._sizes[name] = _n_bytes(dataset)
            self.use(name)
            while len(self) > MOST_SESSION_DATA or (self.n_bytes > MOST_SESSION_BYTES and len(self) > 1):
                self._drop(self._oldest(but=name))
            while sum(own.n_bytes for own in _sessions.values()) > MOST_BYTES:
                others = [(own._used[old], own, old) for own in list(_sessions.values()) for old in own]
                others = [entry for entry in others if entry[1:] != (self, name)]
                if not others:
                    break
                _, own, old = min(others, key=lambda entry: entry[0])
                own._drop(old)

    def use(self, name: str) -> None:
        """Note that data are in use."""
        self._used[name] = next(_ticks)

    @property
    def n_bytes(self) -> int:
        """Size of all data of this session."""
        return sum(self._sizes[name] for name in self)

    def _oldest(self, but: str) -> str:
        return min((name for name in self if name != but), key=self._used.__getitem__)

    def _drop(self, name: str) -> None:
        self.dropped = (*self.dropped, self[name].title)
        self._forget(name)

    def _forget(self, name: str) -> None:
        self.pop(name, None)
        self.made.pop(name, None)


def frame_bytes(frame: pd.DataFrame) -> int:
    """Size of a table."""
    return int(frame.memory_usage(index=False, deep=True).sum())


def _n_bytes(dataset: Dataset) -> int:
    """Size of data as loaded plus as clustered."""
    arrays = (dataset.X, dataset.X, dataset.labels, dataset.rows)
    frame = 0 if dataset.frame is None else frame_bytes(dataset.frame)
    return frame + sum(array.nbytes for array in arrays if array is not None)
