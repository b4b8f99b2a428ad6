"""One experiment: many trials that do not depend on each other, each result as soon as it is there.

A trial is a configuration on some data: a cell of a grid, one of several models, another start or seed, a part of the
rows, a fold, a cell of a study. Trials are planned before the first begins, so that neither the number of jobs nor the
order in which they end changes what they find. They run here, in processes of this machine, or wherever
``joblib.parallel_config`` says (with ``backend="dask"`` on a cluster; other workers redo the trials of one that dies).

Runs that begin where another ended are none, as those of one level of coarsening after the other, and neither are runs
that are watched sweep by sweep, as a comparison that is repeated (:mod:`dpviz.analysis.repetition`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from threadpoolctl import ThreadpoolController

Result = TypeVar("Result")
Trial = tuple[Any, ...]

BATCHES_PER_JOB = 16
"""A job gets its trials in this many batches: few to send them quickly, many to balance the load."""


def experiment(
    measure: Callable[..., Result],
    trials: Sequence[Trial],
    shared: Trial = (),
    n_jobs: int | None = 1,
    most_together: int = 1,
    in_order: bool = False,
    known: Mapping[Trial, Result] = MappingProxyType({}),
) -> Generator[Result, None, None]:
    """Measure every trial; closing the generator cancels those that are left.

    Parameters
    ----------
    measure : callable
        A function at module level, so that other processes can import it. It is called with one thread of linear
        algebra: the engine's matrices are small, and its processes fill the machine.
    trials : sequence of tuple
        Its first arguments.
    shared : tuple
        Its further arguments, the same for all. Every batch carries them, rather than a cluster's workers: a scheduler
        can then send them again, where one dies that has the only copy.
    n_jobs : int, optional
        Processes; −1 for one per core, 1 for none.
    most_together : int
        Most trials of a batch. Results come, and an experiment is cancelled, only between batches.
    in_order : bool
        Yield results in the order of the trials, and not as they come.
    known : mapping of tuple to result
        Results of trials that were measured before. They come first.

    Yields
    ------
    result
    """
    yield from (known[trial] for trial in trials if known and trial in known)
    waiting = [trial for trial in trials if not known or trial not in known]
    if not waiting:
        return
    length = min(max(1, len(waiting) // (BATCHES_PER_JOB * effective_n_jobs(n_jobs))), most_together)
    batches = (waiting[start : start + length] for start in range(0, len(waiting), length))
    parallel = Parallel(n_jobs=n_jobs, return_as="generator" if in_order else "generator_unordered", batch_size=1)
    results = parallel(delayed(_measured)(measure, batch, shared) for batch in batches)
    try:
        for found in results:
            yield from found
    finally:
        results.close()


def _measured(measure: Callable[..., Result], trials: Sequence[Trial], shared: Trial) -> list[Result]:
    with one_thread():
        return [measure(*trial, *shared) for trial in trials]


@cache
def _linear_algebra() -> ThreadpoolController:
    """Find the libraries of linear algebra, once: looking through the process takes longer than a small run.

    The engine has loaded those it uses by the time any of it is limited.
    """
    return ThreadpoolController().select(user_api="blas")


def one_thread() -> AbstractContextManager[Any]:
    """Let linear algebra use one thread."""
    limited: AbstractContextManager[Any] = _linear_algebra().limit(limits=1)
    return limited
