"""Time several chains of one posterior, and how well they mix: python -m benchmarks.chains writes CHAINS.md."""

from __future__ import annotations

import os
import pathlib
import platform
import sys
import time
from dataclasses import replace

import numpy as np
from arviz_stats.base import array_stats

import dpviz
from dpviz.analysis.sampling import Chains, different_starts
from dpviz.families import FAMILIES

N_POINTS, N_CLUSTERS, N_CHAINS, N_SWEEPS = 2000, 10, 4, 2000
MIXING_SWEEPS, MIXING_BURN_IN = 1500, 300
PROPOSALS = {"none": 0, "one": 1}
HALVES_SWEEPS, HALVES_SEEDS = 100, 10
TITLE = """# What several chains take

{n_chains} Gibbs chains of {n_sweeps:,} sweeps from different starts on {n_points:,} points of a mixture of {n_clusters}
Gaussians in the plane (centres normal with standard deviation 5 times that of a cluster), normal–Wishart, CRP with
N0 = 3, every sweep recorded. Seconds of one run, kernels compiled, on a machine of {machine} with other
work: wall clock, and processor time of all threads, which other work does not lengthen much. Target: 15 s on two cores.
Written by `python -m benchmarks.chains`.

| splits and merges per sweep | threads | wall | processor | accepted | K at the end |
|---|---|---|---|---|---|
"""
MIXING = """
## How well they mix

{n_chains} chains of {sweeps:,} sweeps, of which the first {burn_in:,} are left out, `prior=None`, CRP with N0 = 1, real
tables standardised; one proposal of a split or a merge after each sweep, or none. The share of proposals that were
accepted; R-hat and bulk effective draws of the nll (Vehtari et al. 2021), all of them and per second of processor time.
Where R-hat is far above 1.01 the chains have not met, and effective draws say little.

| data | columns | proposals | accepted | R-hat | effective draws | per second |
|---|---|---|---|---|---|---|
"""
HALVES = """
## From two halves of one Gaussian

1,000 points of a Gaussian in the plane, cut in two at the median of the first column: sweeps until they are one cluster
(normal–Wishart, `prior=None`, CRP with N0 = 1, one proposal per sweep), for {n} draws of data and chain, in order; “–”
means not within {most}.

| proposals | sweeps |
|---|---|
"""
GIVEN_UP = """
## Tried and given up

Restricted scans from random sides (Jain & Neal 2004; three, then the one that is drawn; one seed) instead of sequential
allocation: at most 0.6% accepted, and in the order of the table of mixing 47.9, 0.4, 9.9, 45.2, 0.7, 0.3, 252.2, 2.5
and 73.9 effective draws per second, where sequential allocation had 174.3, 7.7, 226.6, 78.3, 2.2, 0.6, 251.6, 4.3 and
51.2. The two halves of one Gaussian were one cluster after 91, 92 and 96 sweeps, and in seven of ten draws not within
100.

Informed divisions: in tables of many columns a share of the proposals began with a division that depends on data and
anchors alone, made by passes that take the more probable side, and drew one restricted scan from it. Medians of five
seeds, and the lowest and the highest; the median speed without any is nowhere lower, though on two tables a single seed
with them was the quickest of all.

| data | columns | informed | R-hat | effective draws | per second |
|---|---|---|---|---|---|
| 8 groups | 8 | 0 | 1.306 (1.106–2.399) | 10 (5–24) | 1.3 (0.6–1.8) |
| 8 groups | 8 | 0.2 | 1.531 (1.013–1.723) | 7 (6–253) | 0.7 (0.6–24.1) |
| 6 groups | 16 | 0 | 2.452 (1.534–2.876) | 5 (5–9) | 0.3 (0.3–0.6) |
| 6 groups | 16 | 0.2 | 2.273 (1.583–2.901) | 5 (5–7) | 0.3 (0.2–0.4) |
| wine, normal–wishart | 13 | 0 | 1.170 (1.054–1.269) | 16 (11–59) | 2.5 (1.7–9.5) |
| wine, normal–wishart | 13 | 0.2 | 1.327 (1.184–1.395) | 10 (8–15) | 1.4 (1.2–2.1) |
| wine, normal–gamma | 13 | 0 | 1.051 (1.025–1.084) | 55 (33–125) | 11.3 (9.9–45.7) |
| wine, normal–gamma | 13 | 0.2 | 1.064 (1.016–1.096) | 43 (27–268) | 9.8 (7.4–62.9) |

Anchors of which half are among each other's 20 nearest points, with 600 sweeps: R-hat 1.21 in 8 columns, as without,
and 2.53 in 16 (2.31 without).
"""


def tables() -> dict[str, tuple[np.ndarray, str]]:
    """Return points and family of every row."""
    rng = np.random.default_rng(5)
    leaning = np.linalg.cholesky(np.array([[1, 0.8], [0.8, 1]]))
    found: dict[str, tuple[np.ndarray, str]] = {}
    for n in (300, 2000):
        crossed = np.vstack(
            [rng.normal(size=(n, 2)) @ leaning.T, rng.normal(size=(n, 2)) @ leaning.T * [1, -1] + [1, 0]]
        )
        found[f"two ellipses that overlap, {2 * n:,} points"] = crossed, "normal_wishart"
    found["one Gaussian, 500 points"] = rng.normal(size=(500, 2)), "normal_wishart"
    for n_columns, n_groups, spread in ((2, 10, 4.0), (8, 8, 1.5), (16, 6, 1.5)):
        centres = spread * rng.normal(size=(n_groups, n_columns))
        X = centres[rng.integers(n_groups, size=800)] + rng.normal(size=(800, n_columns))
        found[f"{n_groups} groups, 800 points"] = X, "normal_wishart"
    for name, family in (("iris", "normal_wishart"), ("wine", "normal_wishart"), ("wine", "normal_gamma")):
        X = dpviz.datasets.load(name).X
        words = FAMILIES[family].title.lower()
        found[f"{name}, {words}"] = (X - X.mean(axis=0)) / X.std(axis=0), family
    return found


def mixing_row(name: str, X: np.ndarray, family: str, proposals: str) -> str:
    """Run the chains of one row."""
    config = dpviz.RunConfig(
        "gibbs",
        family=family,
        prior=None,
        partition=dpviz.ChineseRestaurant(1.0),
        n_sweeps=MIXING_SWEEPS,
        burn_in=0,
        split_merge=PROPOSALS[proposals],
    )
    chains = Chains(X, different_starts(config, N_CHAINS, len(X)))
    begun = time.process_time()
    for _ in chains.advance(1):
        pass
    seconds = time.process_time() - begun
    traces = chains.traces()
    nll = np.array([trace.nll[1 + MIXING_BURN_IN :] for trace in traces])
    draws = float(array_stats.ess(nll, method="bulk"))
    accepted = f"{np.mean([trace.acceptance_rate for trace in traces]):.1%}" if config.split_merge else "–"
    rhat = float(array_stats.rhat(nll))
    return f"| {name} | {X.shape[1]} | {proposals} | {accepted} | {rhat:.3f} | {draws:.0f} | {draws / seconds:.1f} |\n"


def halves_row(proposals: str) -> str:
    """Count the sweeps until two halves are one cluster."""
    counts = []
    for seed in range(HALVES_SEEDS):
        X = np.random.default_rng(seed).normal(size=(1000, 2))
        config = dpviz.RunConfig(
            "gibbs",
            family="normal_wishart",
            prior=None,
            partition=dpviz.ChineseRestaurant(1.0),
            seed=seed,
            burn_in=0,
            init=(X[:, 0] > np.median(X[:, 0])).astype(int),
            n_sweeps=HALVES_SWEEPS,
            split_merge=PROPOSALS[proposals],
        )
        reached = np.flatnonzero(dpviz.run(X, config).n_clusters == 1)
        counts.append(int(reached[0]) if len(reached) else HALVES_SWEEPS + 1)
    words = ", ".join("–" if count > HALVES_SWEEPS else str(count) for count in sorted(counts))
    return f"| {proposals} | {words} |\n"


def main() -> None:
    """Write the table."""
    rng = np.random.default_rng(0)
    centres = rng.normal(0, 5, (N_CLUSTERS, 2))
    X = centres[rng.integers(N_CLUSTERS, size=N_POINTS)] + rng.normal(size=(N_POINTS, 2))
    config = dpviz.RunConfig("gibbs", n_sweeps=N_SWEEPS, burn_in=0)
    short = Chains(X[:100], different_starts(replace(config, n_sweeps=3, split_merge=1), N_CHAINS, 100))
    list(short.advance())
    machine = f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()})"
    text = TITLE.format(n_chains=N_CHAINS, n_sweeps=N_SWEEPS, n_points=N_POINTS, n_clusters=N_CLUSTERS, machine=machine)
    for n_moves, n_threads in ((0, 1), (0, 2), (1, 2)):
        chains = Chains(X, different_starts(replace(config, split_merge=n_moves), N_CHAINS, N_POINTS))
        wall, processor = time.perf_counter(), time.process_time()
        for _ in chains.advance(n_threads):
            pass
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        traces = chains.traces()
        accepted = f"{np.mean([trace.acceptance_rate for trace in traces]):.2%}" if n_moves else "–"
        ends = ", ".join(str(trace.n_clusters[-1]) for trace in traces)
        text += f"| {n_moves} | {n_threads} | {wall:.1f} | {processor:.1f} | {accepted} | {ends} |\n"
        print(text.splitlines()[-1], file=sys.stderr)
    text += MIXING.format(n_chains=N_CHAINS, sweeps=MIXING_SWEEPS, burn_in=MIXING_BURN_IN)
    for name, (X, family) in tables().items():
        for proposals in PROPOSALS:
            text += mixing_row(name, X, family, proposals)
            print(text.splitlines()[-1], file=sys.stderr)
    text += HALVES.format(n=HALVES_SEEDS, most=HALVES_SWEEPS)
    for proposals in PROPOSALS:
        text += halves_row(proposals)
    text += GIVEN_UP
    (pathlib.Path(__file__).parent / "CHAINS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
