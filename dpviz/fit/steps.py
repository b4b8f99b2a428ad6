"""Long computations as generators: they yield after every sweep, and return their result."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event
from typing import Any, TypeVar, overload

Result = TypeVar("Result")

WORTH_A_THREAD = 2000
"""Points from which sweeps, which leave the interpreter to others, are most of a short run."""


def n_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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


def side_by_side(
    computations: Sequence[Generator[Any, None, Result]], n_points: int
) -> Generator[None, None, list[Result]]:
    """Return the results of computations that do not depend on each other, on all cores if points are many.

    One after the other and in threads they take the same steps and return the same. Closed in the middle, it ends all
    of them after their present step, as it does where one of them raises an error.
    """
    n_threads = min(n_cores(), len(computations))
    if n_threads < 2 or n_points < WORTH_A_THREAD:
        results = []
        for computation in computations:
            results.append((yield from computation))
        return results
    steps, is_over = SimpleQueue[Future[Result] | None](), Event()
    with ThreadPoolExecutor(n_threads, "dpviz short run") as threads:
        futures = [threads.submit(_taken, computation, steps, is_over) for computation in computations]
        for future in futures:
            future.add_done_callback(steps.put)
        try:
            for _ in futures:
                while (ended := steps.get()) is None:
                    yield
                ended.result()  # raises what its computation did
        finally:
            is_over.set()
    return [future.result() for future in futures]


def _taken(
    computation: Generator[Any, None, Result], steps: SimpleQueue[Future[Result] | None], is_over: Event
) -> Result:
    """Return the result of a computation, saying when a step is done; raise CancelledError if it is over before."""
    while not is_over.is_set():
        try:
            next(computation)
        except StopIteration as end:
            result: Result = end.value
            return result
        steps.put(None)
    raise CancelledError
