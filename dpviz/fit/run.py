"""Whole runs: what is automatic is chosen first, then all restarts are searched."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from dpviz.config import RunConfig
from dpviz.engine.initialise import StartKind
from dpviz.engine.loop import iterate_start
from dpviz.engine.problem import Problem, check_should_stop
from dpviz.engine.record import SweepRecord
from dpviz.engine.recording import MOST_RECORDED
from dpviz.engine.search import Search, can_resume
from dpviz.engine.stored import fingerprint
from dpviz.engine.trace import Trace, check_trace
from dpviz.errors import InvalidDataError, require
from dpviz.fit.automatic import choice_steps, problem_for
from dpviz.fit.steps import drained


def run(X: Any, config: RunConfig, should_stop: Callable[[], bool] | None = None) -> Trace:
    """Run all restarts and return the best one's trace.

    Parameters
    ----------
    X : array_like (N, D)
        A sparse matrix of scipy where all columns are parts of a whole.
    config : RunConfig
    should_stop : callable, optional
        Called between sweeps; once it returns True the run ends and returns the sweeps done. While family and width are
        being chosen, that is the first state with the usual ones.

    Returns
    -------
    Trace

    Raises
    ------
    InvalidDataError, InvalidParameterError, MemoryLimitError
    """
    check_should_stop(should_stop)
    return _run(X, config, should_stop)


def run_for_result(X: Any, config: RunConfig) -> Trace:
    """Run as :func:`run` does, for its result alone: of a long run only so many labels are recorded as fit.

    The result is the same to the last bit; ``trace.stride`` says which draws of a chain there are.
    """
    return _run(X, config, None, MOST_RECORDED)


def _run(X: Any, config: RunConfig, should_stop: Callable[[], bool] | None, most_bytes: int | None = None) -> Trace:
    stopped = False

    def is_over() -> bool:
        nonlocal stopped
        stopped = stopped or (should_stop is not None and should_stop())
        return stopped

    begun = time.perf_counter()
    chosen = drained(choice_steps(X, config), is_over)
    problem = Problem.check(X, config.provisional if chosen is None else chosen.config)
    search = Search(problem, most_bytes=most_bytes)
    search.seconds += time.perf_counter() - begun
    return search.run(is_over)


def resume(X: Any, trace: Trace, n_sweeps: int, should_stop: Callable[[], bool] | None = None) -> Trace:
    """Continue a chain: the result equals an uninterrupted run of ``n_sweeps`` sweeps, except for the seconds.

    It continues from the last sweep whose labels the trace holds, whether the run was stopped there or ended, is new or
    comes from a file. Several restarts, explicit samplers and runs that fill missing cells in do not keep all that
    further sweeps depend on: these start over.

    Parameters
    ----------
    X : array_like (N, D)
        The trace's own data.
    trace : Trace
        Of gibbs.
    n_sweeps : int
        Length of the whole chain, including burn-in and existing sweeps.
    should_stop : callable, optional
        As for :func:`run`.

    Returns
    -------
    Trace

    Raises
    ------
    InvalidDataError, InvalidParameterError, MemoryLimitError
    """
    check_trace(trace)
    check_should_stop(should_stop)
    require(trace.is_chain, "algorithm", trace.config.algorithm, "one that draws a chain, such as gibbs")
    problem = Problem.check(X, replace(trace.config, n_sweeps=n_sweeps))
    bound = f"at least the {trace.n_sweeps} of the trace"
    require(n_sweeps >= trace.n_sweeps, "n_sweeps", n_sweeps, bound, "It counts from the beginning.")
    if trace.data and trace.data != fingerprint(problem.X):
        raise InvalidDataError("X is not the data that the trace was made from.")
    return Search(problem, trace if can_resume(problem, trace) else None).run(should_stop)


def iterate(X: Any, config: RunConfig) -> Iterator[SweepRecord]:
    """Yield the records of exactly the run that :func:`run` returns, one per sweep, the initial state first.

    With several restarts the best is found first, without records, and then run again; :func:`iterate_starts` yields
    them all.

    Parameters
    ----------
    X : array_like (N, D)
    config : RunConfig

    Yields
    ------
    SweepRecord
    """
    search = Search(problem_for(X, config))
    if len(search.kinds) == 1 and not search.goes_on:
        yield from iterate_start(search.problem, 0)
        return
    for _ in search.records():
        pass
    for record in iterate_start(search.problem, search.chosen_start):
        yield replace(record, converged=record.converged and not search.improved)
    yield from search.improved


def iterate_starts(X: Any, config: RunConfig) -> Iterator[tuple[int, StartKind, SweepRecord]]:
    """Run every restart in turn, to watch the search itself.

    Improvements of an iterated search after ``"auto"`` starts follow as further records of the best one.

    Yields
    ------
    start : int
    kind : StartKind
    record : SweepRecord
    """
    for start, kind, record in Search(problem_for(X, config)).records():
        if record is not None:
            yield start, kind, record
