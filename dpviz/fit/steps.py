"""Long computations as generators: they yield after every sweep, and return their result."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar, overload

Result = TypeVar("Result")


@overload
def drained(steps: Generator[Any, None, Result]) -> Result: ...


@overload
def drained(steps: Generator[Any, None, Result], should_stop: Callable[[], bool]) -> Result | None: ...


def drained(steps: Generator[Any, None, Result], should_stop: Callable[[], bool] | None = None) -> Result | None:
    """Return the return value of a generator; None if it was stopped before.

    Parameters
    ----------
    steps : generator
    should_stop : callable, optional
        Called after every step; once it returns True no further one is taken.
    """
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        if should_stop is not None and should_stop():
            return None
