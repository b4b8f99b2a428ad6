"""Compile every kernel ahead of time, with visible progress: ``python -m dpviz.engine.warm``.

Compiled kernels are cached on disk, so this takes a while once and about a second ever after.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from dpviz._jit import COMPILED, cache_folder
from dpviz.config import RunConfig
from dpviz.engine.explain import explain_assignment
from dpviz.engine.predict import PartitionPredictive
from dpviz.engine.problem import Problem
from dpviz.engine.run import run
from dpviz.families import FAMILIES
from dpviz.partition import FiniteDirichlet, PartitionPrior, PitmanYor, PoweredChineseRestaurant


def warm_family(name: str) -> None:
    """Compile everything that depends on one family."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    trace = run(X, RunConfig("mapdp", family=name, n_init=2, max_sweeps=2, init="sequential"))
    explain_assignment(X, trace, 0, 0)
    labels = trace.labels_at(-1)
    PartitionPredictive(Problem.check(X, trace.config), labels).log_scores(X)


def warm_explicit_samplers() -> None:
    """Compile the samplers with explicit parameters."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    run(X, RunConfig("gibbs", sampler="explicit_parameters", n_sweeps=2, burn_in=0))


def warm_hard_algorithms() -> None:
    """Compile K-means and DP-means."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    run(X, RunConfig("kmeans", n_init=1))
    run(X, RunConfig("dpmeans", penalty=1.0))
    run(X, RunConfig("mapdp", n_init=5, max_sweeps=2))


def warm_partition_priors() -> None:
    """Compile the recursions behind the partition priors."""
    priors: tuple[PartitionPrior, ...] = (PoweredChineseRestaurant(1.0, 1.5), PoweredChineseRestaurant(1.0, 0.5),
                                          PitmanYor(1.0, 0.2), FiniteDirichlet(1.0, 5))  # fmt: skip
    for prior in priors:
        prior.log_normaliser(20)
        prior.mean_n_clusters(20)
        prior.log_pmf_n_clusters(20)
        prior.sample(20, 0)
        prior.sample_sequential_seating(20, 0)


STEPS: dict[str, Callable[[], None]] = {
    **{f"family {name}": (lambda name=name: warm_family(name)) for name in FAMILIES},  # type: ignore[misc]
    "samplers with explicit parameters": warm_explicit_samplers,
    "K-means and DP-means": warm_hard_algorithms,
    "partition priors": warm_partition_priors,
}


def main() -> None:
    """Run all steps, one line each."""
    if not COMPILED:
        print("Compilation is off (NUMBA_DISABLE_JIT); nothing to do.")
        return
    print(f"Compiling the engine (once; kept in {cache_folder()})", flush=True)
    begun = time.perf_counter()
    for number, (title, step) in enumerate(STEPS.items(), 1):
        print(f"  [{number}/{len(STEPS)}] {title} …", end=" ", flush=True)
        started = time.perf_counter()
        step()
        print(f"{time.perf_counter() - started:.1f} s", flush=True)
    print(f"Ready after {time.perf_counter() - begun:.0f} s.", flush=True)


if __name__ == "__main__":
    main()
