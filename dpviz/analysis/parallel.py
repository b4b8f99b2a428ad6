"""Parallel calls: in processes of this machine, or wherever ``joblib.parallel_config`` says."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

from joblib import Parallel, delayed
from threadpoolctl import ThreadpoolController

Result = TypeVar("Result")


@cache
def _linear_algebra() -> ThreadpoolController:
    """Find the libraries of linear algebra, once: looking through the process takes longer than a small run.

    The engine has loaded those it uses by the time any of it is limited.
    """
    return ThreadpoolController().select(user_api="blas")


def one_thread() -> AbstractContextManager[Any]:
    """Let linear algebra use one thread: the engine's matrices are small, and its processes fill the machine."""
    limited: AbstractContextManager[Any] = _linear_algebra().limit(limits=1)
    return limited


def side_by_side(
    function: Callable[..., Result], calls: Sequence[tuple[Any, ...]], n_jobs: int | None
) -> Generator[Result, None, None]:
    """Call a function with each tuple of arguments and yield the results as they come, in no particular order.

    Closing the generator cancels the rest.

    Parameters
    ----------
    function : callable
        A function at module level, so that other processes can import it.
    calls : sequence of tuple
        Arguments.
    n_jobs : int, optional
        Processes; −1 for one per core, 1 for none.
    """
    if not calls:
        return
    # batch_size=1: the calls are the caller's batches, and their number bounds how much is lost by cancelling
    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    results = parallel(delayed(function)(*arguments) for arguments in calls)
    try:
        yield from results
    finally:
        results.close()
