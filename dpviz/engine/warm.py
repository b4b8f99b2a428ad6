"""Compile every kernel ahead of time, with visible progress: ``python -m dpviz.engine.warm``.

Compiled kernels are cached on disk, so this takes a while once and about a second ever after.
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from dpviz._jit import COMPILED, NOT_KEPT, all_saved, cache_folder, processor
from dpviz.arrays import FloatArray
from dpviz.cache_folder import KEEP_SECONDS
from dpviz.config import RunConfig
from dpviz.engine.algorithms.base import ALGORITHMS, algorithm_of
from dpviz.engine.explain import explain_assignment
from dpviz.engine.initialise import extended
from dpviz.engine.problem import Problem
from dpviz.engine.search import Search
from dpviz.engine.trace import Trace
from dpviz.families import FAMILIES, Mixed
from dpviz.families.columns.base import ColumnFamily
from dpviz.partition import PARTITION_PRIORS

N_POINTS = 30
FIRST = ("family normal_wishart", "K-means", "family normal_gamma")
"""What the first pages need: default fits of complete columns of numbers."""
MOST_PROCESSES = 4
"""Most processes: each needs up to half a gigabyte while it compiles."""


def run(X: FloatArray, config: RunConfig) -> Trace:
    """Run a configuration that leaves no choice to the data X (N, D)."""
    return Search(Problem.check(X, config)).run()


def warm_family(name: str) -> None:
    """Compile everything that depends on one family."""
    warm_data(FAMILIES[name].example_data(N_POINTS, 2), name)


def warm_data(X: FloatArray, name: str, coarsening: float | None = None) -> None:
    """Compile what runs of one family on data X (N, D) use."""
    model: dict[str, Any] = {"family": name, "prior": None, "coarsening": coarsening}
    config = RunConfig("mapdp", **model, n_init=2, max_sweeps=2, init="sequential")
    trace = run(X, config)
    run(X, RunConfig("mapdp", **model, n_init=2, effort=1e-3))
    run(X, RunConfig("gibbs", **model, init="singletons", n_sweeps=2, burn_in=0, split_merge=1))
    explain_assignment(X, trace, 0, 0)
    problem = _drawn(X, trace)
    algorithm_of(problem).fitted(problem, trace).predict(X)
    extended(problem, np.arange(len(X)), trace.result_labels)  # what searches of many points begin with


def _drawn(X: FloatArray, trace: Trace) -> Problem:
    """Compile what gives clusters their shapes; return the problem."""
    problem = Problem.check(X, trace.config)
    algorithm_of(problem).shapes(problem, trace, np.array([0]))
    return problem


def warm_columns() -> None:
    """Compile the kernels of tables of columns, which all kinds share, mixed, with gaps and coarsened."""
    warm_family(Mixed.name)
    X = FAMILIES["poisson"].example_data(N_POINTS, 2)
    X[::7, 0] = math.nan
    warm_data(X, "poisson")
    warm_data(FAMILIES["normal_gamma"].example_data(N_POINTS, 2), "normal_gamma", 20.0)


def warm_filling() -> None:
    """Compile the kernels that fill missing cells in."""
    X = FAMILIES["normal_wishart"].example_data(N_POINTS, 2)
    X[::7, 0] = math.nan
    run(X, RunConfig("mapdp", family="normal_wishart", prior=None, n_init=2, max_sweeps=2))


def warm_algorithm(name: str) -> None:
    """Compile the kernels of one algorithm, with the first family."""
    family = next(iter(FAMILIES.values()))
    X = family.example_data(N_POINTS, 2)
    for options in ALGORITHMS[name].example():
        _drawn(X, run(X, RunConfig(name, **{"family": family.name, "prior": None, **options})))


def warm_partition_priors() -> None:
    """Compile the recursions behind the partition priors."""
    for prior_class in PARTITION_PRIORS.values():
        prior = prior_class.example()
        prior.log_normaliser(20)
        prior.mean_n_clusters(20)
        prior.log_pmf_n_clusters(20)
        prior.sample(20, 0)
        prior.sample_sequential_seating(20, 0)
        prior.quick_log_probability(np.array([12, 8]))


def steps() -> dict[str, Callable[[], None]]:
    """Return everything there is to compile, by its title: :data:`FIRST`, then the others, rare and large ones last."""
    families: dict[str, Callable[[], None]] = {
        f"family {name}": partial(warm_family, name)
        for name, family in FAMILIES.items()
        if not issubclass(family, ColumnFamily | Mixed)  # these have one state
    }
    algorithms = {algorithm.title: partial(warm_algorithm, name) for name, algorithm in ALGORITHMS.items()}
    known: dict[str, Callable[[], None]] = {
        **algorithms,
        "partition priors": warm_partition_priors,
        **families,
        "missing cells": warm_filling,
        "counts, categories and mixed tables": warm_columns,
    }
    return {title: known[title] for title in dict.fromkeys((*FIRST, *known))}


def is_done() -> bool:
    """Whether all steps have been run with these sources, and so lately that none of their code was removed since."""
    if not COMPILED:
        return True
    try:
        return time.time() - _mark().stat().st_mtime < KEEP_SECONDS
    except OSError:
        return False


def note_done() -> None:
    """Note that all steps have been run; where their code could not be kept, the next start looks again."""
    if COMPILED and not NOT_KEPT and all_saved():
        with suppress(OSError):
            _mark().touch()


def _mark() -> Path:
    """Name the mark by the Python and the processor that the code is for: others may share the folder."""
    machine = hashlib.sha256(processor().encode()).hexdigest()[:8]
    return cache_folder() / f"compiled-{sys.implementation.cache_tag}-{machine}"


def _seconds_of(title: str) -> tuple[float, bool]:
    """Run a step; return its seconds, and whether all that it compiled could be kept."""
    started = time.perf_counter()
    steps()[title]()
    return time.perf_counter() - started, all_saved()


def main() -> None:
    """Run all steps on all cores, one line each."""
    if not COMPILED:
        print("Compilation is off (NUMBA_DISABLE_JIT); nothing to do.")
        return
    if NOT_KEPT:
        print(NOT_KEPT)
        return
    print(f"Compiling the engine (once; kept in {cache_folder()})", flush=True)
    begun, titles, kept = time.perf_counter(), list(steps()), True
    with ProcessPoolExecutor(min(os.cpu_count() or 1, MOST_PROCESSES), get_context("spawn")) as pool:
        # In reverse: what comes last takes longest.
        titles_of = {pool.submit(_seconds_of, title): title for title in reversed(titles)}
        for number, done in enumerate(as_completed(titles_of), 1):
            seconds, saved = done.result()
            kept &= saved
            print(f"  [{number}/{len(titles)}] {titles_of[done]}: {seconds:.1f} s", flush=True)
    if kept:
        note_done()
    print(f"Ready after {time.perf_counter() - begun:.0f} s.", flush=True)


if __name__ == "__main__":
    main()
