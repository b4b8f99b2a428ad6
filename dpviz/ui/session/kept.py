"""Caches with bounds on their bytes: results for all sessions, and the data that each browser or session brought."""

from __future__ import annotations

import inspect
import secrets
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from functools import partial, wraps
from itertools import chain, count
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakSet, WeakValueDictionary

import pandas as pd

from dpviz.analysis.sizes import held_bytes
from dpviz.datasets import Dataset

MOST_SESSION_DATA = 10
MOST_SESSION_BYTES = 800_000_000
"""Most bytes of the data that one browser or session brought; a single table may use them all."""
MOST_BYTES = 2_000_000_000
"""Most bytes of the data that all of them brought."""

MOST_MADE_BYTES = 300_000_000
"""Most bytes of the results made from one data set, such as scaled columns."""
MOST_RESULTS = 256
"""Default for the most results of a kind, however small."""

MOST_KEPT_BYTES = 600_000_000
"""Most bytes of all results that a server's process keeps, of every kind and session together."""

Asked = ParamSpec("Asked")
Value = TypeVar("Value")
_ticks = count()
_lock = threading.RLock()
_stores: WeakSet[Kept[Any]] = WeakSet()


class _Entry(Generic[Value]):
    """A result with its size and when it was last used."""

    def __init__(self, value: Value, n_bytes: int) -> None:
        self.value, self.n_bytes, self.used = value, n_bytes, next(_ticks)


class Kept(Generic[Value]):
    """Results that are computed once for all sessions, or for one; those used longest ago are forgotten.

    Their sizes are measured when they are put in.

    Parameters
    ----------
    most_bytes : int
        The last result is kept even if it alone exceeds this.
    n_bytes : callable, optional
        Size of a result; by default of all that it and its name lead to.
    most : int
        Most results, however small.
    grow : bool
        Whether results grow while they are kept, as those that remember what is asked of them: all are then measured
        again whenever one is put in.
    """

    def __init__(
        self,
        most_bytes: int,
        n_bytes: Callable[[Value], int] | None = None,
        most: int = MOST_RESULTS,
        grow: bool = False,
    ) -> None:
        self._most_bytes, self._n_bytes, self._most, self._grow = most_bytes, n_bytes, most, grow
        self._entries: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        with _lock:
            _stores.add(self)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return what is kept under a key, or make it; sessions that ask in the meantime wait for it."""
        with _lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            try:
                value = self.find(key)
                if value is None:
                    value = make()
                    self.put(key, value)
                return value
            finally:
                with _lock:
                    self._making.pop(key, None)

    def find(self, key: Hashable) -> Value | None:
        """Return what is kept under a key, if there is something."""
        with _lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            entry.used = next(_ticks)
            self._entries.move_to_end(key)
            return entry.value

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a result that was made elsewhere, unless it is about own data that are gone: nobody can ask for it."""
        entry = _Entry(value, self._measured(key, value))
        with _lock:
            if not all(_is_held(name) for name in _own_names(key)):
                return
            self._entries[key] = entry
            self._entries.move_to_end(key)
            self._measure_again(but=entry)
            while len(self) > 1 and (self.n_bytes > self._most_bytes or len(self) > self._most):
                self._forget_oldest()
            _make_room(but=entry)

    def replace(self, key: Hashable, value: Value) -> None:
        """Put another result in the place of one, if that is there."""
        with _lock:
            if key in self._entries:
                before, self._entries[key] = self._entries[key], _Entry(value, self._measured(key, value))
                self._entries[key].used = before.used

    def forget(self, key: Hashable) -> None:
        """Drop a result, if it is there."""
        with _lock:
            self._entries.pop(key, None)

    def keys(self) -> list[Any]:
        """Return the names of the results, the one used longest ago first."""
        with _lock:
            return list(self._entries)

    def values(self) -> list[Value]:
        """Return the results, the one used longest ago first."""
        with _lock:
            return [entry.value for entry in self._entries.values()]

    @property
    def n_bytes(self) -> int:
        """Size of everything that is kept; what is kept under two names counts once."""
        with _lock:
            return sum({id(entry.value): entry.n_bytes for entry in self._entries.values()}.values())

    def __len__(self) -> int:
        """Return how many results are kept."""
        return len(self._entries)

    def clear(self) -> None:
        """Forget everything."""
        with _lock:
            self._entries.clear()

    def _measured(self, key: Hashable, value: Value) -> int:
        return held_bytes(key, value) if self._n_bytes is None else self._n_bytes(value)

    def _measure_again(self, but: _Entry[Value]) -> None:
        """Measure what has been here for a while, if it grows."""
        for key, entry in self._entries.items() if self._grow else ():
            entry.n_bytes = entry.n_bytes if entry is but else self._measured(key, entry.value)

    def _forget_oldest(self) -> None:
        self._entries.popitem(last=False)

    @property
    def _oldest(self) -> _Entry[Value]:
        return next(iter(self._entries.values()))


def _make_room(but: _Entry[Any]) -> None:
    """Forget the results used longest ago, in any store, until all fit; the one just put in stays."""
    while sum(store.n_bytes for store in _stores) > MOST_KEPT_BYTES:
        others = [store for store in _stores if len(store) and store._oldest is not but]
        if not others:
            break
        min(others, key=lambda store: store._oldest.used)._forget_oldest()


_sessions: WeakValueDictionary[int, OwnData] = WeakValueDictionary()


def remembered(most_bytes: int) -> Callable[[Callable[Asked, Value]], Callable[Asked, Value]]:
    """Keep the results of a function of hashable arguments for all sessions, within a number of bytes.

    Arguments whose names begin with an underscore are no part of the question, as Streamlit's caches have it.
    """

    def decorate(function: Callable[Asked, Value]) -> Callable[Asked, Value]:
        results: Kept[tuple[Value]] = Kept(most_bytes)  # in a tuple, since the answer may be None
        signature = inspect.signature(function)

        @wraps(function)
        def asked(*arguments: Asked.args, **named: Asked.kwargs) -> Value:
            given = signature.bind(*arguments, **named)
            given.apply_defaults()
            key = tuple(value for name, value in given.arguments.items() if not name.startswith("_"))
            return results.get(key, lambda: (function(*arguments, **named),))[0]

        return asked

    return decorate


class OwnData(dict[str, Dataset]):
    """Data that one user brought, by name.

    Attributes
    ----------
    made : dict of str to Kept
        For every name what was made from these data; it is dropped with them.
    dropped : tuple of str
        Titles of what was dropped to make room since data were last added.
    secret : bytes
        Part of the names of the data.
    sources : dict of str to object
        For some names what these data were made from, to go on from there; it is dropped with them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.made: dict[str, Kept[Any]] = {}
        self.dropped: tuple[str, ...] = ()
        self.secret = secrets.token_bytes(16)
        self.sources: dict[str, Any] = {}
        self._used: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        with _lock:
            _sessions[id(self)] = self

    def keep(self, name: str, dataset: Dataset, replacing: str = "", source: Any = None) -> None:
        """Add data; to make room, drop the least recently used: first of this session, then of any session."""
        with _lock:
            self.dropped = ()
            self._forget(replacing)
            self[name] = dataset
            self.made[name] = Kept(MOST_MADE_BYTES, _made_from(dataset))
            self.sources[name] = source
            self._sizes[name] = _n_bytes(dataset)
            self.use(name)
            while len(self) > MOST_SESSION_DATA or (self.n_bytes > MOST_SESSION_BYTES and len(self) > 1):
                self._drop(self._oldest(but=name))
            while sum(own.n_bytes for own in _sessions.values()) > MOST_BYTES:
                others = [(own._worth(old), own, old) for own in list(_sessions.values()) for old in own]
                others = [entry for entry in others if not (entry[1] is self and entry[2] == name)]
                if not others:
                    break
                _, own, old = min(others, key=lambda entry: entry[0])
                own._drop(old)

    def use(self, name: str) -> None:
        """Note that data are in use."""
        self._used[name] = next(_ticks)

    def forget(self, name: str) -> None:
        """Let data go, if they are there, with all that was made from them."""
        with _lock:
            self._forget(name)

    @property
    def n_bytes(self) -> int:
        """Size of all these data."""
        with _lock:
            return sum(self._sizes[name] for name in self)

    def _oldest(self, but: str) -> str:
        return min((name for name in self if name != but), key=self._worth)

    def _worth(self, name: str) -> tuple[bool, int]:
        """Order in which data are dropped: first those that nobody brought, such as draws; the earliest used first."""
        return self.sources.get(name) is not None, self._used[name]

    def _drop(self, name: str) -> None:
        self.dropped = (*self.dropped, self[name].title)
        self._forget(name)

    def _forget(self, name: str) -> None:
        """Drop data, and all results that any store has under a name with theirs, which nobody else can have."""
        if self.pop(name, None) is None:
            return
        for facts in (self.made, self.sources, self._used, self._sizes):
            facts.pop(name, None)
        for store in list(_stores):
            for key in store.keys():
                if name in _own_names(key):
                    store.forget(key)


def _own_names(key: Any) -> Iterator[str]:
    """Yield the names of own data that are in the choices within a result's name."""
    if isinstance(key, tuple):
        for part in key:
            yield from _own_names(part)
    elif getattr(key, "source", "") == "session":
        yield key.name
    elif hasattr(key, "choice"):
        yield from _own_names(key.choice)


def _is_held(name: str) -> bool:
    """Whether anyone has own data of this name."""
    return any(name in own for own in list(_sessions.values()))


def frame_bytes(frame: pd.DataFrame) -> int:
    """Size of a table."""
    return int(frame.memory_usage(index=False, deep=True).sum())


def _n_bytes(dataset: Dataset) -> int:
    """Size of data as loaded plus as clustered."""
    arrays = (dataset.X, dataset.X, dataset.labels, dataset.rows)
    frame = 0 if dataset.frame is None else frame_bytes(dataset.frame)
    names = sum(map(sys.getsizeof, chain(dataset.label_names or (), *dataset.category_names)))
    return frame + names + sum(array.nbytes for array in arrays if array is not None)


def _made_from(dataset: Dataset) -> Callable[[Any], int]:
    """Return what measures results made from data without the data themselves."""
    return partial(held_bytes, but=tuple(vars(dataset).values()))
