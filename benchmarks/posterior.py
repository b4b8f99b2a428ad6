"""Time what is computed from draws of a partition: python -m benchmarks.posterior writes POSTERIOR.md.

The draws are those of a Gibbs chain on two mixtures of ten Gaussians, one whose clusters stand apart and one whose
clusters overlap, so that many partitions are plausible.
"""

from __future__ import annotations

import os
import pathlib
import platform
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

import dpviz
from dpviz.analysis import posterior

N_CLUSTERS, N_DRAWS, N_REPEATS = 10, 1000, 5
SPREADS = {"apart": 5.0, "overlapping": 2.5}
TITLE = """# What draws of a partition take

{n_draws} draws of a Gibbs chain on mixtures of {n_clusters} Gaussians in the plane, centres normal with standard
deviation 5 (apart) or 2.5 (overlapping) times that of a cluster. Medians of {n_repeats} calls in seconds,
kernels compiled, one thread, on a machine of {machine} with other work: wall clock, and processor
time, which is near what an idle machine takes; numpy {numpy}. The expected loss of the best
draw is that of the best of all {n_draws}, computed exactly. Written by `python -m benchmarks.posterior`.
"""


def draws_of(n_points: int, spread: float) -> posterior.Draws:
    rng = np.random.default_rng(0)
    centres = rng.normal(0, spread, (N_CLUSTERS, 2))
    X = centres[rng.integers(N_CLUSTERS, size=n_points)] + rng.normal(size=(n_points, 2))
    model = dpviz.GibbsDP(
        "normal_wishart", prior=None, n_sweeps=N_DRAWS + 100, burn_in=100, n_init=1, random_state=0
    ).fit(X)
    return posterior.as_draws(model.samples_)


def seconds(call: Callable[[], object], digits: int = 2) -> str:
    """Time one call, compiled: medians of several, wall clock and processor, as two cells of a table."""
    call()
    taken = []
    for _ in range(N_REPEATS):
        wall, processor = time.perf_counter(), time.process_time()
        call()
        taken.append((time.perf_counter() - wall, time.process_time() - processor))
    return " | ".join(f"{statistics.median(column):.{digits}f}" for column in zip(*taken, strict=True))


def megabytes(call: Callable[[], object]) -> float:
    """Peak of what one call allocates."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def summaries(draws: posterior.Draws, name: str) -> list[str]:
    lines = []
    for loss in posterior.LOSSES:
        of_draws = posterior.expected_losses_of_draws(draws, loss).min()
        found = posterior.summary_partition(draws, loss)
        taken = seconds(lambda loss=loss: posterior.summary_partition(draws, loss))
        reached = f"{found.expected_loss:.4f} (K = {found.n_clusters})"
        lines.append(f"| {name} | {loss} | {taken} | {reached} | {of_draws:.4f} |")
        print(lines[-1], file=sys.stderr)
    return lines


def others(draws: posterior.Draws, chain: np.ndarray) -> list[str]:
    centre = posterior.summary_partition(draws).partition
    calls: dict[str, Callable[[], object]] = {
        "checking the draws (`as_draws`)": lambda: posterior.as_draws(draws.labels),
        "losses of one partition (`losses`)": lambda: posterior.losses(draws, centre),
        "credible ball": lambda: posterior.credible_ball(draws, centre),
        "certain clusters, p = 0.95": lambda: posterior.certain_clusters(draws),
        "uncertainty of points": lambda: posterior.point_uncertainty(draws, centre),
        "attachment of points": lambda: posterior.attachment(draws, centre),
        "R-hat and effective sample sizes, 4 chains × 2,000": lambda: posterior.chain_diagnostics(chain),
        "Raftery–Lewis, 2,000 draws": lambda: posterior.raftery_lewis(chain[0]),
        "verdict on two scalars, 4 chains × 2,000": lambda: posterior.verdict({"K": chain, "nll": chain}),
    }
    return [f"| {name} | {seconds(call, 4)} |" for name, call in calls.items()]


def main() -> None:
    lines = [
        TITLE.format(
            n_draws=N_DRAWS,
            n_clusters=N_CLUSTERS,
            n_repeats=N_REPEATS,
            machine=f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()})",
            numpy=np.__version__,
        ),
        "\n## Co-clustering of 2,000 points, ordered (target: 1 s, 200 MB)\n",
        "| draws | wall | processor | peak MB |\n|---|---|---|---|",
    ]
    for name, spread in SPREADS.items():
        draws = draws_of(2000, spread)
        taken = seconds(lambda draws=draws: posterior.co_clustering(draws))
        peak = megabytes(lambda draws=draws: posterior.co_clustering(draws))
        lines.append(f"| {name} | {taken} | {peak:.0f} |")
    lines += [
        "\n## Summary partition of 4,000 points (target: 3 s, no worse than the best draw)\n",
        "| draws | loss | wall | processor | expected loss | of the best draw |\n|---|---|---|---|---|---|",
    ]
    drawn = {name: draws_of(4000, spread) for name, spread in SPREADS.items()}
    for name, draws in drawn.items():
        lines += summaries(draws, name)
    chain = np.random.default_rng(0).integers(5, 12, size=(4, 2000)).astype(float)
    lines += ["\n## The rest, 4,000 points, overlapping\n", "| what | wall | processor |\n|---|---|---|"]
    lines += others(drawn["overlapping"], chain)
    (pathlib.Path(__file__).parent / "POSTERIOR.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
