"""Tasks that most computations of pages are: results one by one, or stages and then one result."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from threading import Lock
from typing import Any

from dpviz.analysis.grids import Progress
from dpviz.ui.session.background import Stage
from dpviz.ui.session.cores import held_cores

PARALLEL_OPERATIONS = 2e10
"""Below this, starting processes on several cores costs more than it saves."""
_processes = Lock()  # one user at a time in this process: cancelling a grid ends the worker processes of all


class Gathered:
    """Results one by one, as a task: its result is the list of those there are.

    Parameters
    ----------
    begin : callable
        Given the number of processes to use (as in joblib), starts a generator of the results.
    total : int
        Most results there will be.
    operations : float
        Estimate for all of them; those that take long use all cores that are free.
    words : str
        What the results are, before the progress.
    """

    waits = resumes = False

    def __init__(
        self, begin: Callable[[int], Iterator[Any]], total: int, operations: float = 0.0, words: str = ""
    ) -> None:
        self.total, self.operations = total, operations
        self.result: list[Any] = []
        self._begin, self._words = begin, words
        self._steps: Generator[float, None, None] | None = None
        self._begun, self._ended, self._first = time.monotonic(), 0.0, 0.0

    def steps(self) -> Iterator[float]:
        """Gather the results."""
        self._steps = self._gathered()
        return self._steps

    def _gathered(self) -> Generator[float, None, None]:
        parallel = self.operations > PARALLEL_OPERATIONS and _processes.acquire(blocking=False)
        try:
            with held_cores(None if parallel else 1) as (n_cores, are_all):
                results = self._begin(-1 if parallel and are_all else n_cores)
                try:
                    for result in results:
                        self.result.append(result)
                        self._first = self._first or time.monotonic() - self._begun
                        yield self.operations / max(self.total, 1)
                finally:
                    if isinstance(results, Generator):
                        results.close()
        finally:
            self._ended = time.monotonic()
            if parallel:
                _processes.release()

    def picture(self) -> None:
        """Return nothing: the results are there without waiting for the next."""

    def finish(self, stopped: bool) -> None:
        """Let the cores go."""
        if self._steps is not None:
            self._steps.close()

    def stages(self) -> list[Stage]:
        """Report progress, and the time left by the pace so far."""
        done = min(len(self.result), self.total)  # some are improved later, and yielded again
        progress = Progress(done, self.total, (self._ended or time.monotonic()) - self._begun, self._first)
        return [Stage(done / max(self.total, 1), f"{self._words}{progress}")]


class Staged:
    """A computation that reports its stages and returns its result, as a task.

    Parameters
    ----------
    begin : callable
        Returns a generator of stages whose return value is the result.
    operations : float
        Of each stage.
    """

    waits = resumes = True

    def __init__(self, begin: Callable[[], Generator[Stage, None, Any]], operations: float = 1.0) -> None:
        self.result: Any = None
        self._begin, self._operations, self._stage = begin, operations, Stage(0.0, "starting")

    def steps(self) -> Iterator[float]:
        """Run stage by stage."""
        stages = self._begin()
        while True:
            try:
                self._stage = next(stages)
            except StopIteration as end:
                self.result = end.value
                return
            yield self._operations

    def picture(self) -> None:
        """Show nothing until it is over."""

    def finish(self, stopped: bool) -> None:
        """Keep the result, if there is one."""

    def stages(self) -> list[Stage]:
        """Report the current stage."""
        return [self._stage]
