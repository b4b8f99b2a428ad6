"""Time several chains of one posterior: python -m benchmarks.chains writes CHAINS.md."""

from __future__ import annotations

import os
import pathlib
import platform
import sys
import time
from dataclasses import replace

import numpy as np

import dpviz
from dpviz.analysis.sampling import Chains, different_starts

N_POINTS, N_CLUSTERS, N_CHAINS, N_SWEEPS = 2000, 10, 4, 2000
TITLE = """# What several chains take

{n_chains} Gibbs chains of {n_sweeps:,} sweeps from different starts on {n_points:,} points of a mixture of {n_clusters}
Gaussians in the plane (centres normal with standard deviation 5 times that of a cluster), normal–Wishart, CRP with
N0 = 3, every sweep recorded. Seconds of one run, kernels compiled, on a machine of {machine} with other
work: wall clock, and processor time of all threads, which other work does not lengthen much. Target: 15 s on two cores.
Written by `python -m benchmarks.chains`.

| splits and merges per sweep | threads | wall | processor | accepted | K at the end |
|---|---|---|---|---|---|
"""


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
    for split_merge, n_threads in ((0, 1), (0, 2), (1, 2)):
        chains = Chains(X, different_starts(replace(config, split_merge=split_merge), N_CHAINS, N_POINTS))
        wall, processor = time.perf_counter(), time.process_time()
        for _ in chains.advance(n_threads):
            pass
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        traces = chains.traces()
        accepted = f"{np.mean([trace.acceptance_rate for trace in traces]):.2%}" if split_merge else "–"
        ends = ", ".join(str(trace.n_clusters[-1]) for trace in traces)
        text += f"| {split_merge} | {n_threads} | {wall:.1f} | {processor:.1f} | {accepted} | {ends} |\n"
        print(text.splitlines()[-1], file=sys.stderr)
    (pathlib.Path(__file__).parent / "CHAINS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
