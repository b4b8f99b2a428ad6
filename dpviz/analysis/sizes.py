"""How many bytes a result holds: everything it leads to, each thing once."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any
from weakref import ReferenceType

import numpy as np

_OF_THE_PROGRAM = (type, ModuleType, FunctionType, BuiltinFunctionType, ReferenceType)
"""What a result refers to but does not keep alive alone."""
_PLAIN = frozenset({bool, int, float, complex, str, bytes, bytearray})
_LISTS = frozenset({list, tuple, set, frozenset})
"""Most of what results consist of: these themselves, not kinds of them, which may have attributes."""
_OBJECT_BYTES = sys.getsizeof(object())


def held_bytes(*values: Any, but: Iterable[Any] = ()) -> int:
    """Return the bytes of objects with all that they lead to: arrays, tables, texts, collections, attributes.

    An array that several of them share, or look at in parts, counts once and as a whole: that is what stays in memory.
    Functions, classes and modules count nothing, nor does what ``but`` lists, which someone else counts. Objects that
    cannot be looked into, such as those that raise errors when they are asked for their content, count without it.
    """
    n_bytes, seen, waiting = 0, {id(None), *(id(_owner(other)) for other in but)}, list(values)
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in _PLAIN or kind in _LISTS:
            if id(value) not in seen:
                seen.add(id(value))
                n_bytes += sys.getsizeof(value)
                waiting.extend(value if kind in _LISTS else ())
            continue
        value = _owner(value)
        if id(value) in seen or issubclass(type(value), _OF_THE_PROGRAM):
            continue
        seen.add(id(value))
        try:
            own, parts = _opened(value)
        except Exception:  # it may be anybody's object, and do anything
            own, parts = _OBJECT_BYTES, ()
        n_bytes += own
        waiting.extend(parts)
    return n_bytes


def _owner(value: Any) -> Any:
    """Return what owns the memory that an array looks at; anything else as it is."""
    while issubclass(type(value), np.ndarray) and value.base is not None:
        value = value.base
    if type(value) is not memoryview:
        return value
    try:
        return value.obj
    except ValueError:  # it was released
        return None


def _opened(value: Any) -> tuple[int, Iterable[Any]]:
    """Return the bytes of an object itself, and the objects it refers to."""
    if isinstance(value, np.ndarray):
        return sys.getsizeof(value), value.flat if value.dtype.hasobject else ()
    if hasattr(value, "memory_usage"):  # a table or column of pandas, whose import takes long
        return int(np.sum(value.memory_usage(deep=True))), ()
    own = sys.getsizeof(value, _OBJECT_BYTES)
    if isinstance(value, str | bytes | bytearray | int | float | complex):
        return own, ()
    if isinstance(value, dict):
        return own, [*dict.keys(value), *dict.values(value), *_attributes(value)]
    if isinstance(value, Mapping):
        return own, [*value.keys(), *value.values(), *_attributes(value)]
    kind: Any = next((kind for kind in (list, tuple, set, frozenset) if isinstance(value, kind)), None)
    return own, [*(kind.__iter__(value) if kind else ()), *_attributes(value)]


def _attributes(value: Any) -> list[Any]:
    """Return the values of an object's attributes, cached ones among them."""
    names = [name for kind in type(value).__mro__ for name in _slots(kind)]
    found = [getattr(value, name) for name in names if hasattr(value, name)]
    own = getattr(value, "__dict__", None)
    return [*found, own] if isinstance(own, dict) else found


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if not name.startswith("__"))
