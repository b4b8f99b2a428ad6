"""Time several chains of one posterior, and how well they mix: python -m benchmarks.chains writes CHAINS.md."""

from __future__ import annotations

import math
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
from dpviz.engine import split_merge
from dpviz.engine.options import SPLIT_MERGE_PROPOSAL
from dpviz.families import FAMILIES

N_POINTS, N_CLUSTERS, N_CHAINS, N_SWEEPS = 2000, 10, 4, 2000
MIXING_SWEEPS, MIXING_BURN_IN = 1500, 300
PROPOSALS = {
    "none": {},
    **{name: {"split_merge": 1, "split_merge_proposal": name} for name in SPLIT_MERGE_PROPOSAL.values},
}
HALVES_SWEEPS, HALVES_SEEDS = 100, 10
MANY_COLUMNS, INFORMED_SHARES, INFORMED_SEEDS = 8, (0.0, split_merge.INFORMED_SHARE), 5
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
INFORMED = """
## Informed divisions in many columns

The same chains, tables of {columns} columns and more, sequential allocation; the share of proposals that begin with a
division which depends on data and anchors alone, of which {usual} is used. Medians of {n} seeds, and the lowest and
the highest.

| data | columns | informed | accepted | R-hat | effective draws | per second |
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


def mixing(X: np.ndarray, family: str, proposal: str, seed: int = 0) -> tuple[float, float, float, float]:
    """Run chains; return the share of proposals accepted, R-hat, effective draws, and those per second."""
    config = dpviz.RunConfig(
        "gibbs", family=family, prior=None, partition=dpviz.ChineseRestaurant(1.0), n_sweeps=MIXING_SWEEPS, burn_in=0,
        seed=seed, **PROPOSALS[proposal],  # type: ignore[arg-type]
    )  # fmt: skip
    chains = Chains(X, different_starts(config, N_CHAINS, len(X)))
    begun = time.process_time()
    for _ in chains.advance(1):
        pass
    seconds = time.process_time() - begun
    traces = chains.traces()
    nll = np.array([trace.nll[1 + MIXING_BURN_IN :] for trace in traces])
    draws = float(array_stats.ess(nll, method="bulk"))
    accepted = float(np.mean([trace.acceptance_rate for trace in traces])) if proposal != "none" else math.nan
    return accepted, float(array_stats.rhat(nll)), draws, draws / seconds


def mixing_row(name: str, X: np.ndarray, family: str, proposal: str) -> str:
    """Run the chains of one row."""
    accepted, rhat, draws, speed = mixing(X, family, proposal)
    share, words = "–" if math.isnan(accepted) else f"{accepted:.1%}", proposal.replace("_", " ")
    return f"| {name} | {X.shape[1]} | {words} | {share} | {rhat:.3f} | {draws:.0f} | {speed:.1f} |\n"


def informed_row(name: str, X: np.ndarray, family: str, share: float) -> str:
    """Run the chains of one row from several seeds, under another share of informed divisions."""
    usual, split_merge.INFORMED_SHARE = split_merge.INFORMED_SHARE, share
    try:
        found = [mixing(X, family, "sequential", N_CHAINS * seed) for seed in range(INFORMED_SEEDS)]
    finally:
        split_merge.INFORMED_SHARE = usual
    cells = [
        f"{np.median(each):{form}} ({min(each):{form}}–{max(each):{form}})"
        for each, form in zip(zip(*found, strict=True), (".1%", ".3f", ".0f", ".1f"), strict=True)
    ]
    return f"| {name} | {X.shape[1]} | {share:g} | {' | '.join(cells)} |\n"


def informed_section() -> str:
    """Compare shares of informed divisions on the tables of many columns."""
    text = INFORMED.format(columns=MANY_COLUMNS, usual=split_merge.INFORMED_SHARE, n=INFORMED_SEEDS)
    for name, (X, family) in tables().items():
        for share in INFORMED_SHARES if X.shape[1] >= MANY_COLUMNS else ():
            text += informed_row(name, X, family, share)
            print(text.splitlines()[-1], file=sys.stderr)
    return text


def halves_row(proposal: str) -> str:
    """Count the sweeps until two halves are one cluster."""
    counts = []
    for seed in range(HALVES_SEEDS):
        X = np.random.default_rng(seed).normal(size=(1000, 2))
        config = dpviz.RunConfig(
            "gibbs", family="normal_wishart", prior=None, partition=dpviz.ChineseRestaurant(1.0), seed=seed, burn_in=0,
            init=(X[:, 0] > np.median(X[:, 0])).astype(int), n_sweeps=HALVES_SWEEPS, **PROPOSALS[proposal],  # type: ignore[arg-type]
        )  # fmt: skip
        reached = np.flatnonzero(dpviz.run(X, config).n_clusters == 1)
        counts.append(int(reached[0]) if len(reached) else HALVES_SWEEPS + 1)
    words = ", ".join("–" if count > HALVES_SWEEPS else str(count) for count in sorted(counts))
    return f"| {proposal.replace('_', ' ')} | {words} |\n"


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
        for proposal in PROPOSALS:
            text += mixing_row(name, X, family, proposal)
            print(text.splitlines()[-1], file=sys.stderr)
    text += informed_section()
    text += HALVES.format(n=HALVES_SEEDS, most=HALVES_SWEEPS)
    for proposal in PROPOSALS:
        text += halves_row(proposal)
    (pathlib.Path(__file__).parent / "CHAINS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
