"""How many bytes results hold, against what Python's allocator reports while they come and go."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest
from configs import usual_config

import dpviz
from dpviz.analysis.grids import Axis, CellCache, Grid, run_grid
from dpviz.analysis.sizes import held_bytes
from dpviz.figures import tune as figures

X = np.random.default_rng(0).normal(size=(400, 3)).round(3)
QUICK = usual_config(family="normal_gamma", init="single", n_init=1, effort=0.0)
GIBBS = usual_config("gibbs", "normal_gamma", n_sweeps=150, burn_in=10)
AXIS = Axis.logarithmic("concentration", 0.01, 100, 8)


@dataclass
class Plain:
    """With an attribute that is computed once."""

    numbers: list[float]

    @cached_property
    def squares(self) -> np.ndarray:
        """Computed on request."""
        return np.array(self.numbers) ** 2


class Slotted:
    """Without a dictionary."""

    __slots__ = ("content", "missing")

    def __init__(self, content: object) -> None:
        self.content = content


class Pair(NamedTuple):
    """Two of anything."""

    first: object
    second: object


def asked(plain: Plain) -> Plain:
    """Have it remember what is asked of it."""
    assert len(plain.squares) == len(plain.numbers)
    return plain


def frame() -> pd.DataFrame:
    """A table of numbers and words."""
    return pd.DataFrame(
        {"x": np.arange(5000.0), "word": pd.Series([f"{number:040d}" for number in range(5000)], dtype=object)}
    )


def grid_cells() -> list[Any]:
    """Cells of a grid, some of which start from their neighbour's partition."""
    return list(run_grid(X, Grid(QUICK, (AXIS,), 0), None, 1, None, share=True))


MADE: dict[str, Callable[[], object]] = {
    "array": lambda: np.zeros(100_000),
    "part of an array": lambda: np.zeros(100_000)[5:7],
    "array of objects": lambda: np.array([f"{number:060d}" for number in range(2000)], dtype=object),
    "bytes": lambda: b"x" * 80_000,
    "nested": lambda: {("key", number): [float(number) * 1.5, {number + 0.5}] for number in range(3000)},
    "attributes": lambda: asked(Plain([number / 7 for number in range(10_000)])),
    "slots": lambda: [Slotted(f"{number:050d}") for number in range(2000)],
    "named tuple": lambda: Pair(np.ones(50_000), bytearray(30_000)),
    "table": frame,
    "trace": lambda: dpviz.run(X, GIBBS),
    "cells": grid_cells,
    "figure": lambda: figures.curves(
        pd.DataFrame({"power": np.arange(9000.0), "nll": np.arange(9000.0) ** 2}), "power", {"nll": "nll"}, "r", False
    ),  # all figures share some 40 kB of plotly's
}


@pytest.mark.parametrize("kind", MADE)
def test_the_size_is_what_letting_go_frees(kind):
    MADE[kind]()  # what is loaded or remembered on the way is there before
    gc.collect()
    tracemalloc.start()
    try:
        value = MADE[kind]()
        size = held_bytes(value)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        del value
        gc.collect()
        freed = before - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 0.8 * freed <= size <= 1.25 * freed


def test_what_is_shared_counts_once_and_what_others_count_does_not_count():
    array = np.zeros(10_000)
    alone = held_bytes(array)
    assert alone >= array.nbytes
    assert held_bytes([array, array[3:], Pair(array, memoryview(array))]) < alone + 2_000
    assert held_bytes([array, "x"], but=[array]) < 500 and held_bytes([array[2:]], but=[array]) < 500
    circle: list[object] = []
    circle.append(circle)
    assert held_bytes(circle) < 200 and held_bytes(None) == held_bytes(dpviz.run, np, type(array)) == 0


class Hostile:
    """Raises whatever it is asked."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __sizeof__(self) -> int:
        raise RuntimeError


class Negative:
    """Claims to hold less than nothing."""

    def __sizeof__(self) -> int:
        return -5


class Claiming(list[Any]):
    """A list whose length and content are not to be had."""

    def __len__(self) -> int:
        raise RuntimeError

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield self


class Endless(dict[Any, Any]):
    """A dictionary that goes on forever, if it is asked."""

    def keys(self) -> Any:
        return iter(int, 1)


class OddSlots:
    """With slots that cannot be read."""

    __slots__ = ("content",)

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise KeyError


class Promising:
    """Says that it is a table."""

    nbytes = property(lambda self: 1 / 0)
    memory_usage = "a lot"


def released() -> memoryview:
    view = memoryview(bytearray(9))
    view.release()
    return view


@pytest.mark.parametrize(
    "make",
    [
        Hostile,
        Negative,
        Claiming,
        Endless,
        OddSlots,
        Promising,
        MagicMock,
        released,
        lambda: (x for x in range(9)),
        lambda: iter(int, 1),
        threading.Lock,
        lambda: weakref.proxy(Plain([1.0])),
    ],
)
def test_objects_that_cannot_be_looked_into_count_and_hide_nothing_else(make):
    array, odd = np.zeros(10_000), make()
    size = held_bytes([odd, array, {"odd": odd}])
    assert array.nbytes < size < array.nbytes + 200_000


def test_what_a_list_holds_counts_whatever_it_claims():
    assert held_bytes(Claiming([np.zeros(10_000)])) > 80_000 and held_bytes(Endless(a=np.zeros(10_000))) > 80_000


def test_cells_are_kept_by_what_they_hold():
    """A cell that starts from its neighbour's partition has that in its settings, many times its labels' bytes."""
    cache = CellCache(n_bytes=100_000)
    for seed in range(6):
        list(run_grid(X, Grid(replace(QUICK, seed=seed), (AXIS,), 0), None, 1, cache, share=True))
        tasks = list(cache._tasks.values())
        assert len(tasks) == 1 or held_bytes(tasks) <= 1.25 * 100_000
    assert 1 <= len(tasks) < 6
