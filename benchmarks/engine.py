"""How fast and how large the engine is: ``python benchmarks/engine.py`` writes ``benchmarks/RESULTS.md``.

Everything runs on one thread. Speeds are nanoseconds per visit of a point (median over sweeps, recording included),
each beside a plain compiled kernel and a plain numpy sweep measured in the same run, so that the ratios say something
on any machine.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import scipy
import sklearn
from naive_sweep import NaiveSweep
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from workloads import WORKLOADS, gaussian_mixture
from yardstick import yardstick

import dpviz
from dpviz.engine.loop import iterate_start
from dpviz.engine.problem import Problem
from dpviz.families import FAMILIES

RESULTS = Path(__file__).resolve().with_name("RESULTS.md")
MILLION = (1_000_000, 10, 10, 14, 3.0, 7.0)
FITTED = ((300, 10, 4, 21, 3.0, 5.0), (1_000, 2, 6, 22, 6.0, 5.0), (5_000, 8, 8, 23, 3.0, 6.0))
"""Mixtures of default fits, each drawn from three seeds."""


class Row(NamedTuple):
    """One line of the table."""

    what: str
    target: str
    measured: str
    ratio: str = ""


def prior_of(X):
    n_features = X.shape[1]
    return {"m0": X.mean(axis=0), "c0": 0.1, "a0": n_features + 2.0, "psi0": np.eye(n_features)}


def nanoseconds_per_visit(X, labels, algorithm, n_sweeps):
    """Median over forced sweeps from the generating labels, and the mean number of clusters on the way."""
    options = {"prior": prior_of(X), "partition": dpviz.ChineseRestaurant(1.0), "init": labels}
    config = dpviz.RunConfig(algorithm, max_sweeps=n_sweeps, n_sweeps=n_sweeps, burn_in=0, **options)
    records = iterate_start(Problem.check(X, config), 0, stop_when_converged=False)
    next(records)  # the start
    seconds, n_clusters = [], []
    for _ in range(n_sweeps):
        begun = time.process_time()
        n_clusters.append(next(records).n_clusters)
        seconds.append(time.process_time() - begun)
    return 1e9 * statistics.median(seconds) / len(X), statistics.fmean(n_clusters)


def naive_nanoseconds_per_visit(X, labels, algorithm, n_visits):
    """The same sweep in plain numpy, over a sample of the points."""
    naive = NaiveSweep(X, np.unique(labels, return_inverse=True)[1], concentration=1.0, **prior_of(X))
    rng = np.random.default_rng(0)
    order = rng.permutation(len(X))
    naive.sweep(order[:100])
    begun = time.process_time()
    naive.sweep(order[100 : 100 + n_visits], rng if algorithm == "gibbs" else None)
    return 1e9 * (time.process_time() - begun) / n_visits


def collapsed_rows(data):
    """Every time stands beside the yardstick's on the same points, taken just before and just after it."""
    cases = (
        ("W1", "mapdp", 50, "1.0"),
        ("W1", "gibbs", 100, "1.7"),
        ("W2", "mapdp", 50, "0.87"),
        ("W2", "gibbs", 50, "1.07"),
        ("W4", "mapdp", 10, "0.27"),
    )
    for workload, algorithm, n_sweeps, target in cases:
        X, labels, _ = data[workload]
        nanoseconds_per_visit(X[:100], np.unique(labels[:100], return_inverse=True)[1], algorithm, 2)  # compiles
        before = yardstick(X, labels)
        ours, n_clusters = nanoseconds_per_visit(X, labels, algorithm, n_sweeps)
        plain = (before + yardstick(X, labels)) / 2
        naive = naive_nanoseconds_per_visit(X, labels, algorithm, 3000)
        name = {"mapdp": "MAP-DP", "gibbs": "Gibbs"}[algorithm]
        yield Row(
            f"{name} on {workload} (N = {len(X):,}, D = {X.shape[1]}, K ≈ {n_clusters:.1f})",
            f"≤ {target} of the plain kernel's time",
            f"{ours / plain:.2f} of it: {ours:.0f} ns per visit",
            f"the plain kernel {plain:.0f} ns; {naive / ours:.0f} times as fast as a "
            f"numpy sweep ({naive / 1000:.0f} µs)",
        )


def kmeans_row(data):
    X = data["W3"][0]
    centres = X[np.random.default_rng(0).choice(len(X), 20, replace=False)]
    config = dpviz.RunConfig("kmeans", n_clusters=20, init=centres)
    dpviz.run(X[:1000], config)
    trace = dpviz.run(X, config)
    ours = float(np.sum(trace.seconds)) / trace.n_sweeps
    reference = KMeans(20, init=centres, n_init=1, algorithm="lloyd", tol=0, max_iter=1000)
    begun = time.perf_counter()
    reference.fit(X)
    theirs = (time.perf_counter() - begun) / reference.n_iter_
    return Row(
        f"K-means on W3 (N = 100,000, D = 10, K = 20), {trace.n_sweeps} iterations, labels recorded at each",
        "no slower than scikit-learn's Lloyd",
        f"{1000 * ours:.1f} ms per iteration; Σ‖x − μ‖² {trace.objective[-1]:,.0f}",
        f"{theirs / ours:.1f} times as fast as scikit-learn ({1000 * theirs:.1f} ms, {reference.n_iter_} iterations, "
        f"{reference.inertia_:,.0f})",
    )


def dpmeans_row(data):
    X = data["W3"][0]
    config = dpviz.RunConfig("dpmeans", penalty=80.0, order="index")
    dpviz.run(X[:1000], config)
    begun = time.perf_counter()
    trace = dpviz.run(X, config)
    seconds = time.perf_counter() - begun
    return Row(
        "DP-means on W3, λ = 80, index order",
        "≤ 0.5 s, objective < 990,000",
        f"{seconds:.2f} s, objective {trace.objective[-1]:,.0f}, K = {trace.n_clusters[-1]}, {trace.n_sweeps} sweeps",
    )


def powered_row(data):
    X, labels, _ = data["W1"]
    X, labels = X[:2000], labels[:2000]
    config = dpviz.RunConfig(
        "gibbs",
        prior=prior_of(X),
        partition=dpviz.PoweredChineseRestaurant(1.0, 1.1),
        init=labels,
        n_sweeps=20_000,
        burn_in=0,
        thin=20,
    )
    begun = time.perf_counter()
    trace = dpviz.run(X, config)
    seconds = time.perf_counter() - begun
    return Row(
        "Powered CRP (r = 1.1), 20,000 Gibbs sweeps of 2,000 points in 2 dimensions",
        "≤ 15 s",
        f"{seconds:.1f} s, mean K {trace.n_clusters.mean():.2f}",
    )


def default_rows():
    """Choose and fit as by default, beside the lowest BIC of 48 mixtures: K from 1 to 12, four kinds of covariance."""
    for n_points, n_features, n_clusters, seed, *places in FITTED:
        ours, theirs = [], []
        for draw in range(seed, seed + 3):
            X = gaussian_mixture(n_points, n_features, n_clusters, draw, *places)[0]
            dpviz.MAPDP(random_state=0).fit(X[:200])
            ours.append(processor_seconds(lambda X=X: dpviz.MAPDP(random_state=0).fit(X)))
            theirs.append(processor_seconds(lambda X=X: lowest_bic(X)))
        mine, others = statistics.median(ours), statistics.median(theirs)
        yield Row(
            f"Default fit of {n_points:,} × {n_features}, {n_clusters} clusters, choosing included, median of 3 draws",
            "≤ the grid's time" if n_points == FITTED[0][0] else "",
            f"{mine:.2f} s of the processor",
            f"{mine / others:.2f} of scikit-learn's grid of 48 mixtures ({others:.2f} s)",
        )


def processor_seconds(act):
    begun = time.process_time()
    act()
    return time.process_time() - begun


def lowest_bic(X):
    found = []
    for n_components in range(1, 13):
        for covariance in ("full", "tied", "diag", "spherical"):
            mixture = GaussianMixture(n_components, covariance_type=covariance, random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # one that does not converge loses
                found.append(mixture.fit(X).bic(X))
    return min(found)


def trace_row(data):
    X, labels, _ = data["W1"]
    trace = dpviz.run(X, dpviz.RunConfig("gibbs", prior=prior_of(X), init=labels))
    size = sum(value.nbytes for value in vars(trace).values() if isinstance(value, np.ndarray))
    return Row("Trace of 600 sweeps of 4,000 points", "< 10 MB", f"{size / 1e6:.1f} MB")


def peak_memory(name):
    """Fit a million points in this process and print what that added to the peak after the imports."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    X, labels, _ = gaussian_mixture(*MILLION)
    estimator = {
        "MAPDP": dpviz.MAPDP(init=labels, prior=prior_of(X), n_init=1, max_sweeps=50, temperature=1.0, random_state=0),
        "KMeans": dpviz.KMeans(10, init="random", n_init=1, max_sweeps=50, random_state=0),
        "DPMeans": dpviz.DPMeans(penalty=60.0, max_sweeps=50),
    }[name]
    begun = time.perf_counter()
    estimator.fit(X)
    seconds = time.perf_counter() - begun
    unit = 1 if sys.platform == "darwin" else 1024
    added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
    print(f"{added} {estimator.n_iter_} {estimator.n_clusters_} {seconds}")


def memory_rows():
    for name in ("MAPDP", "KMeans", "DPMeans"):
        command = [sys.executable, __file__, "memory", name]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        added, n_sweeps, n_clusters, seconds = (float(value) for value in output)
        yield Row(
            f"Peak memory added by {name}, 1,000,000 × 10, the 80 MB of data included",
            "< 1 GB over 50 sweeps",
            f"{added / 1e9:.2f} GB ({n_sweeps:.0f} sweeps, K = {n_clusters:.0f}, {seconds:.0f} s)",
        )


def load_times():
    """Print the seconds that each family's first use takes when its kernels come from the cache."""
    from dpviz.engine.warm import warm_family

    for name in FAMILIES:
        begun = time.perf_counter()
        warm_family(name)
        print(f"{time.perf_counter() - begun}")


def first_fit():
    """Fit 300 points of two columns as anyone would, and print the processor's seconds since this process began."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(middle, 1.0, (100, 2)) for middle in (0.0, 5.0, 10.0)])
    dpviz.MAPDP().fit(X)
    print(time.process_time())


def first_fit_row():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DPVIZ_CACHE_DIR": folder}
        command = [sys.executable, __file__, "fit"]
        seconds = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return Row(
        "First default fit (300 × 2), empty cache, imports included",
        "≤ 60 s",
        f"{float(seconds):.0f} s of the processor",
    )


def compile_rows():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "DPVIZ_CACHE_DIR": folder}
        command = [sys.executable, "-m", "dpviz.engine.warm"]
        begun, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        cold = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
        total = time.perf_counter() - begun
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
        command = [sys.executable, __file__, "load"]
        loaded = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.split()
    found = {title: float(seconds) for title, seconds in re.findall(r"\] (.+): ([\d.]+) s", cold)}
    slowest = max(found, key=found.__getitem__)
    yield Row(
        "Compilation of one step, empty cache, others beside it",
        "≤ 60 s each",
        f"{found[slowest]:.1f} s at most ({slowest}); all: {', '.join(f'{s:.1f}' for s in found.values())} s",
    )
    yield Row(
        "Compilation of everything, imports included",
        "≤ 200 s of processor time",
        f"{used:.0f} s of processor time ({total:.0f} s)",
    )
    slowest_load = max(map(float, loaded))
    first = float(loaded[0])
    measured = (
        f"{slowest_load:.2f} s at most; the first {first:.2f} s, all {len(loaded)} {sum(map(float, loaded)):.2f} s"
    )
    yield Row("First use of a family from the cache, after imports", "≤ 1 s", measured)


def measure():
    """Yield the rows as they are measured; memory first, as a child's peak begins at what its parent holds."""
    yield from memory_rows()
    yield first_fit_row()
    yield from compile_rows()
    data = {name: gaussian_mixture(*specification) for name, specification in WORKLOADS.items()}
    yield from collapsed_rows(data)
    yield kmeans_row(data)
    yield dpmeans_row(data)
    yield powered_row(data)
    yield from default_rows()
    yield trace_row(data)


def report(rows):
    modules = (np, numba, scipy, sklearn, dpviz)
    versions = [f"Python {platform.python_version()}", *(f"{m.__name__} {m.__version__}" for m in modules)]
    lines = [
        "# What the engine takes",
        "",
        "Written by `python benchmarks/engine.py`. One thread on a machine of "
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}); " + ", ".join(versions) + ".",
        "",
        "The workloads are the Gaussian mixtures of `benchmarks/workloads.py`; sweeps start from the generating",
        "labels, with the prior m0 = mean, c0 = 0.1, a0 = D + 2, Ψ0 = I and concentration 1. A visit is one point of",
        "one sweep, the recording of its label and the exact scores included, in processor time; other times are",
        "wall-clock, so run this on an idle machine. The plain kernel is `benchmarks/yardstick.py` on the same points:",
        "it weighs and draws and does nothing else, and its time tells how fast the machine was just then.",
        "",
        "| what | target | measured | against others |",
        "|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def main():
    """Measure and write the table, or be the child process of a measurement."""
    if sys.argv[1:2] == ["memory"]:
        return peak_memory(sys.argv[2])
    if sys.argv[1:2] == ["load"]:
        return load_times()
    if sys.argv[1:2] == ["fit"]:
        return first_fit()
    rows = []
    for row in measure():
        print(" | ".join(row), flush=True)
        rows.append(row)
    RESULTS.write_text(report(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
