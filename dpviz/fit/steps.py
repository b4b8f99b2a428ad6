"""Long computations as generators: they yield after every sweep, and return their result."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar, overload

Result = TypeVar("Result")

WORTH_A_THREAD = 2000
"""Points from which sweeps, which leave the interpreter to others, are most of a short run."""
AHEAD = 4
"""Steps that each thread may be ahead of those that were asked for."""
_NAME = "dpviz short run"
_most_threads: int | None = None


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


def one_thread() -> None:
    """Let computations of this process take their turns in one thread, as a server does whose sessions share cores."""
    global _most_threads
    _most_threads = 1


def in_threads(
    computations: Sequence[Generator[Any, None, Result]], n_points: int
) -> Generator[None, None, list[Result]]:
    """Return the results of computations that do not depend on each other, on all cores if points are many.

    One after the other and in threads they take the same steps and return the same. In threads they go a few steps
    ahead of who takes them; closed in the middle, or where one raises an error, all end after their present step.
    Computations within such computations have the thread of these.
    """
    n_threads = min(_most_threads or n_cores(), len(computations))
    if n_threads < 2 or n_points < WORTH_A_THREAD or threading.current_thread().name == _NAME:
        results = []
        for computation in computations:
            results.append((yield from computation))
        return results
    crew = _Crew(computations, n_threads)
    try:
        while len(crew.results) < len(computations):
            yield from crew.steps()
    finally:
        crew.end()
    return [crew.results[number] for number in range(len(computations))]


class _Crew:
    """Threads that take the steps of computations; a process that ends does not wait for them."""

    def __init__(self, computations: Sequence[Generator[Any, None, Any]], n_threads: int) -> None:
        self.results: dict[int, Any] = {}
        self._waiting = deque(enumerate(computations))
        self._said = SimpleQueue[tuple[int, Any] | BaseException | None]()  # None for a step
        self._room, self._is_over = threading.Semaphore(AHEAD * n_threads), threading.Event()
        self._threads = [threading.Thread(target=self._work, name=_NAME, daemon=True) for _ in range(n_threads)]
        for thread in self._threads:
            thread.start()

    def steps(self) -> Generator[None, None, None]:
        """Yield for every step until the next computation has a result, or raise what it raised."""
        while (said := self._said.get()) is None:
            yield
            self._room.release()
        if isinstance(said, BaseException):
            raise said
        number, result = said
        self.results[number] = result

    def end(self) -> None:
        """Let no further step be taken, and wait for the present ones."""
        self._is_over.set()
        for _ in self._threads:
            self._room.release()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        try:
            while (own := self._next()) is not None and self._take(*own):
                pass
        except BaseException as error:  # whoever takes the steps raises it
            self._said.put(error)

    def _next(self) -> tuple[int, Generator[Any, None, Any]] | None:
        """Return a computation that no thread has taken, and its number; None if there is none."""
        try:
            return self._waiting.popleft()
        except IndexError:
            return None

    def _take(self, number: int, computation: Generator[Any, None, Any]) -> bool:
        """Take all steps of a computation; return whether it came to its end."""
        while True:
            self._room.acquire()
            if self._is_over.is_set():
                return False
            try:
                next(computation)
            except StopIteration as end:
                self._room.release()
                self._said.put((number, end.value))
                return True
            self._said.put(None)
